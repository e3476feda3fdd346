//! The survey: what one volume can do, from queue depth 1 to the depth beyond which the rate no longer rises.
//!
//! A state machine over what was measured: [`Survey::next`] names the next stage. A point whose setting
//! was already measured is not measured again; the curves pick it up by its setting.

mod confirmation;
mod options;
mod planned;

pub use confirmation::Confirmation;
pub use options::{Scope, SurveyOptions, SurveyTarget};

use super::is_confirmation;
use super::limit::{
    EXPERIMENTS, Experiment, MOST_EXPERIMENTS, SUSTAINED, expected, next_experiment,
};
use super::narrow;
use super::series::{DepthCurve, FREE, SECOND_CURVE, SUSTAIN, depth_curves, knee_of};
use crate::summary::measured::{PointResult, Setting};
use leadline_model::op::Op;
use leadline_model::plan::{HostSet, Stage, Stop, SyncCadence, Workload};
use leadline_model::units::{Bytes, Nanos, Percent};
use planned::{Manner, PlannedPoint};

/// First part of the fill's name.
pub const FILL: &str = "fill";
/// Block size of the fill.
const FILL_BLOCK: u64 = Bytes::MIB;
/// Assumed fill rate before it was measured, bytes a second.
const FILL_GUESS: u64 = 200 * Bytes::MIB;
/// Time of a stage besides its I/O: opening files, dropping the cache, joining threads.
const OVERHEAD: Nanos = Nanos::from_millis(100);
/// A curve that bends at its last depths is continued to this many times the largest.
const BEYOND: u32 = 4;
/// Points are never shortened below this.
const SHORTEST: Nanos = Nanos::from_secs(1);

/// The survey's state.
#[derive(Clone, Debug)]
pub struct Survey {
    options: SurveyOptions,
    /// Names of the stages handed out; one that brought no result is not tried again.
    issued: Vec<String>,
    /// Measured time of each point, once the fill's cost is known.
    time: Option<Nanos>,
    /// Bytes a second of the fill, once that is known.
    fill_rate: Option<f64>,
    /// Names of the stages that may end early, and the measured time that they have otherwise.
    narrow: Vec<(String, Nanos)>,
}

impl Survey {
    /// A survey before its first stage.
    #[must_use]
    pub fn new(mut options: SurveyOptions) -> Self {
        if options.size > FILL_BLOCK {
            // The fill writes whole blocks; what it left out would be read as a hole.
            options.size -= options.size % FILL_BLOCK;
        }
        Self {
            options,
            issued: Vec::new(),
            time: None,
            fill_rate: None,
            narrow: Vec::new(),
        }
    }

    /// What is measured.
    #[must_use]
    pub const fn options(&self) -> &SurveyOptions {
        &self.options
    }

    /// The next stage, given the points measured so far; `None` when the survey is complete.
    pub fn next(&mut self, done: &[PointResult]) -> Option<Stage> {
        if self.issued.is_empty() {
            let fill = self.fill();
            self.issued.push(fill.name.clone());
            return Some(fill);
        }
        if self.time.is_none() {
            self.time = Some(self.time_after_fill(done));
            let fill = done.iter().find(|p| is_fill(p));
            self.fill_rate = fill
                .map(PointResult::bytes_per_s)
                .filter(|rate| *rate > 0.0);
        }
        let point = self
            .next_point(done)
            .or_else(|| self.next_of_second_curve(done))
            .or_else(|| self.next_experiment(done))
            .or_else(|| self.next_confirmation(done))?;
        self.issued.push(point.name());
        Some(self.ending_early(&point, done))
    }

    /// The stage of a point, which ends when its figures are known where that is wanted and nothing else is looked for.
    fn ending_early(&mut self, point: &PlannedPoint, done: &[PointResult]) -> Stage {
        let mut stage = self.stage(point);
        let is_plain = point.times == 1 && matches!(point.manner, Manner::Steady);
        let experiments = EXPERIMENTS.iter();
        let is_apart = point.family == SUSTAIN || experiments.clone().any(|f| point.family == *f);
        let (Some(half_ppm), true, false) = (self.options.narrow, is_plain, is_apart) else {
            return stage;
        };
        let time = self.time.unwrap_or(self.options.time);
        let saved = self.options.budget.map(|_| self.saved(done));
        narrow::let_end(&mut stage, time, half_ppm, saved);
        self.narrow.push((stage.name.clone(), time));
        stage
    }

    /// What the points that ended early have left of their time, less what others took more, in nanoseconds.
    fn saved(&self, done: &[PointResult]) -> i128 {
        let of = |name: &str| self.narrow.iter().find(|(n, _)| n == name);
        let each = done.iter().filter_map(|point| {
            let (_, time) = of(&point.name)?;
            let measured = point.took.since(self.options.warmup);
            Some(i128::from(time.0) - i128::from(measured.0))
        });
        each.sum()
    }

    /// Every stage that the survey may reach, in order: a depth curve that has stopped rising ends earlier, and the
    /// depth of the mix and of the experiments after it, and which of them are made, is decided by what was measured.
    #[must_use]
    pub fn outlook(mut self) -> Vec<Stage> {
        self.time = Some(self.options.time);
        let mut stages = vec![self.fill()];
        let mut points = self.open_points(&[]);
        points.extend(self.expected_experiments());
        stages.extend(points.iter().map(|point| self.stage(point)));
        stages
    }

    /// What the rest of the survey will take, given the points measured so far and without the one that was given out
    /// last, as most surveys do: the fill at 200 MiB/s, each curve to where it stops rising, all experiments once. It takes
    /// longer where an uneven rate is observed four times as long, or one that changed is followed up by a pause and a
    /// second curve.
    #[must_use]
    pub fn remaining(&self, done: &[PointResult]) -> Nanos {
        // The one at work is no point that was tried and brought nothing.
        let mut before = self.clone();
        let running = before.issued.pop();
        let fill = if running.is_some() {
            0
        } else {
            self.fill_guess().0
        };
        let each = self.time.unwrap_or(self.options.time).0 + self.options.warmup.0 + OVERHEAD.0;
        let is_point = running.is_some_and(|name| !name.starts_with(FILL));
        let left = before.left(done).saturating_sub(u64::from(is_point));
        let unneeded = before.unneeded(done);
        Nanos(fill.saturating_add(each.saturating_mul(left.saturating_sub(unneeded))))
    }

    /// Points of the curves that will not be needed where a curve rises no further than to the depth of the other points:
    /// two steps after that show it.
    fn unneeded(&self, done: &[PointResult]) -> u64 {
        let curves = self.options.curves.iter();
        let deeper = |op: &Op| {
            let points = self.curve_points(*op, done, 1);
            let deeper = points.iter().filter(|p| p.depth > self.options.depth);
            (deeper.count() as u64).saturating_sub(2)
        };
        curves.map(deeper).sum()
    }

    /// How many points may still be measured.
    fn left(&self, done: &[PointResult]) -> u64 {
        let points = self.open_points(done).len() as u64;
        let points = points + self.unconfirmed(done).count() as u64;
        if self.curve().is_none() || (points == 0 && self.next_experiment(done).is_none()) {
            return points;
        }
        let is_experiment = |name: &&String| EXPERIMENTS.iter().any(|f| name.starts_with(f));
        let made = self.issued.iter().filter(is_experiment).count() as u64;
        let most = MOST_EXPERIMENTS + self.options.means().more_experiments();
        points + most.saturating_sub(made).max(1)
    }

    /// What the curve that the experiments are about is of; `None` when no curve is measured.
    fn curve(&self) -> Option<(Op, u64)> {
        let (op, block) = (
            self.options.curves.first()?,
            self.options.random_blocks.first()?,
        );
        self.options.engine.is_async().then_some((*op, *block))
    }

    /// The next point of a curve that is measured a second time, once it has begun.
    fn next_of_second_curve(&self, done: &[PointResult]) -> Option<PlannedPoint> {
        let begun = self
            .issued
            .iter()
            .any(|name| name.starts_with(SECOND_CURVE));
        let (op, _) = self.curve().filter(|_| begun)?;
        self.curve_points(op, done, 2).into_iter().next()
    }

    /// The experiment that comes next; one that brought no result ends them.
    fn next_experiment(&self, done: &[PointResult]) -> Option<PlannedPoint> {
        let (op, _) = self.curve()?;
        let curves = depth_curves(done);
        let curve = curves.first()?;
        let (experiment, round) = next_experiment(done, curve, self.options.means())?;
        if experiment == Experiment::Curve {
            let begun = self
                .issued
                .iter()
                .any(|name| name.starts_with(SECOND_CURVE));
            let points = self.curve_points(op, done, 2);
            return points.into_iter().next().filter(|_| !begun);
        }
        let point = PlannedPoint::of_experiment(&experiment, round, &curve.setting, depths(curve));
        let fits = point.block <= self.options.size;
        (fits && !self.issued.contains(&point.name())).then_some(point)
    }

    /// The curves that no experiment is about and whose highest rate was not measured once more.
    fn unconfirmed(&self, done: &[PointResult]) -> impl Iterator<Item = Op> {
        let curves = self.curve().map_or(&[][..], |_| &self.options.curves);
        let is_confirmed = |op: Op| {
            let share = Percent::whole(reads_of(op));
            let is_one =
                |p: &PointResult| is_confirmation(&p.name) && p.setting.read_percent == Some(share);
            done.iter().any(is_one)
        };
        let others = curves.iter().copied().skip(1);
        others.filter(move |op| !is_confirmed(*op))
    }

    /// The highest rate of such a curve, once more; none that was tried and brought no result.
    fn next_confirmation(&self, done: &[PointResult]) -> Option<PlannedPoint> {
        let curves = depth_curves(done);
        let of = |op: Op| {
            let share = Percent::whole(reads_of(op));
            let is_of_it = |curve: &&DepthCurve| curve.setting.read_percent == Some(share);
            let curve = curves.iter().find(is_of_it)?;
            let again = Experiment::Confirm { times: 1 };
            let point = PlannedPoint::of_experiment(&again, 1, &curve.setting, depths(curve));
            (!self.issued.contains(&point.name())).then_some(point)
        };
        self.unconfirmed(done).find_map(of)
    }

    /// One experiment of each kind, at the depth of the other points.
    fn expected_experiments(&self) -> Vec<PlannedPoint> {
        let Some((op, block)) = self.curve() else {
            return Vec::new();
        };
        let fixed = self.fixed_points();
        let depths = (self.options.depth, self.options.depth);
        let of = |op: Op, (experiment, round): (Experiment, u32)| {
            let of_curve = |p: &&PlannedPoint| {
                p.family == "iops" && p.read_percent == reads_of(op) && p.block == block
            };
            let setting = self.setting(fixed.iter().find(of_curve)?);
            let point = PlannedPoint::of_experiment(&experiment, round, &setting, depths);
            Some(point)
        };
        let experiments = expected(block, self.options.means()).into_iter();
        let fitting = experiments
            .filter(|(e, _)| !matches!(e, Experiment::Block(b) if *b > self.options.size));
        let mut all: Vec<PlannedPoint> = fitting.filter_map(|e| of(op, e)).collect();
        let again = |op: Op| of(op, (Experiment::Confirm { times: 1 }, 1));
        all.extend(self.unconfirmed(&[]).filter_map(again));
        all
    }

    /// The points that may still be measured, in order: the mix after the curves, at a depth that they show.
    fn open_points(&self, done: &[PointResult]) -> Vec<PlannedPoint> {
        let mut open = self.fixed_points();
        for &op in &self.options.curves {
            open.extend(self.curve_points(op, done, 1));
        }
        open.extend(self.mix_points(self.mix_depth(done)));
        let mut kept: Vec<PlannedPoint> = Vec::new();
        for point in open {
            let setting = self.setting(&point);
            let apart = is_apart(point.family);
            let same = |k: &PlannedPoint| !is_apart(k.family) && self.setting(k) == setting;
            let known = done
                .iter()
                .any(|d| !apart && d.setting.is_of_work(&setting) && !is_apart(&d.name))
                || self.issued.contains(&point.name())
                || (!apart && kept.iter().any(same));
            if !known {
                kept.push(point);
            }
        }
        kept
    }

    fn next_point(&self, done: &[PointResult]) -> Option<PlannedPoint> {
        self.open_points(done).into_iter().next()
    }

    /// The points of the mix of reads and writes.
    fn mix_points(&self, depth: u32) -> Vec<PlannedPoint> {
        let Some(&block) = self.options.random_blocks.first() else {
            return Vec::new();
        };
        let step = usize::from(self.options.mix_step.clamp(1, 100));
        let shares = (0..=100_u8).rev().step_by(step).chain([0]);
        let point = |read_percent| PlannedPoint {
            family: "mix",
            read_percent,
            block,
            random: true,
            depth,
            jobs: self.options.jobs,
            round: 1,
            manner: Manner::Steady,
            hosts: HostSet::ALL,
            times: 1,
        };
        shares.map(point).collect()
    }

    /// Depth of the mix: that of the other points, or twice that from which the first curve no longer rises. A target
    /// with room for more shows no law of sharing.
    fn mix_depth(&self, done: &[PointResult]) -> u32 {
        let first: Vec<PointResult> = done
            .iter()
            .filter(|p| !p.name.starts_with(SECOND_CURVE))
            .cloned()
            .collect();
        let curves = depth_curves(&first);
        let flat = curves.first().filter(|curve| curve.plateau());
        let saturated = flat.map_or(0, |curve| curve.at_knee().setting.depth.saturating_mul(2));
        let most = self.options.depth_cap.max(self.options.depth);
        saturated.clamp(self.options.depth, most)
    }

    /// The points that do not depend on results: latency, IOPS, throughput.
    fn fixed_points(&self) -> Vec<PlannedPoint> {
        let o = &self.options;
        let mut points = Vec::new();
        let mut add = |family, read_percent, block, random, depth, jobs| {
            points.push(PlannedPoint {
                family,
                read_percent,
                block,
                random,
                depth,
                jobs,
                round: 1,
                manner: Manner::Steady,
                hosts: HostSet::ALL,
                times: 1,
            });
        };
        if let Some(&block) = o.random_blocks.first().filter(|_| o.time >= SUSTAINED) {
            // While all credits are there.
            add(SUSTAIN, 100, block, true, o.depth, o.jobs);
        }
        if let Some(&block) = o.random_blocks.first() {
            add("latency", 0, block, true, 1, 1);
            add("latency", 100, block, true, 1, 1);
        }
        for &block in &o.random_blocks {
            add("iops", 100, block, true, o.depth, o.jobs);
            add("iops", 0, block, true, o.depth, o.jobs);
        }
        for &block in &o.sequential_blocks {
            add("throughput", 100, block, false, o.depth, o.jobs);
            add("throughput", 0, block, false, o.depth, o.jobs);
        }
        points
    }

    /// The depths of a curve that are worth measuring, given its points so far: beyond the largest only where the rise bends
    /// there, since the experiments need the end of it.
    fn curve_points(&self, op: Op, done: &[PointResult], round: u32) -> Vec<PlannedPoint> {
        let Some(&block) = self.options.random_blocks.first() else {
            return Vec::new();
        };
        if !self.options.engine.is_async() {
            return Vec::new();
        }
        let mut rates = Vec::new();
        let mut unbroken = true;
        let mut points = Vec::new();
        let most = self.options.depth_cap;
        for depth in doublings(most.saturating_mul(BEYOND)) {
            if depth > most && !(unbroken && is_held_up(&rates)) {
                break;
            }
            let point = PlannedPoint {
                family: "depth",
                read_percent: reads_of(op),
                block,
                random: true,
                depth,
                jobs: self.options.jobs,
                round,
                manner: Manner::Steady,
                hosts: HostSet::ALL,
                times: 1,
            };
            let setting = self.setting(&point);
            let known = done.iter().find(|d| {
                let is_of_it = match round {
                    1 => !is_apart(&d.name),
                    _ => d.name.starts_with(SECOND_CURVE),
                };
                d.setting.is_of_work(&setting) && is_of_it
            });
            // The curve is judged only as far as it is known without a gap.
            match known.filter(|_| unbroken) {
                Some(known) => rates.push(known.working_iops()),
                None => unbroken = false,
            }
            if stopped_rising(&rates) {
                break;
            }
            if known.is_none() {
                if self.issued.contains(&point.name()) {
                    // It was tried and failed: deeper ones would fail too.
                    break;
                }
                points.push(point);
            }
        }
        points
    }

    fn setting(&self, point: &PlannedPoint) -> Setting {
        Setting::of(&self.workload(point))
    }

    fn time_after_fill(&self, done: &[PointResult]) -> Nanos {
        let fill = done.iter().find(|p| is_fill(p));
        fill.map_or(self.options.time, |fill| self.time_within(fill.took, done))
    }

    /// How long each point is measured, as far as that is known before the fill: where points are shortened at all, as a fill at
    /// 200 MiB/s would leave it.
    #[must_use]
    pub fn time_before_fill(&self) -> Nanos {
        let longest = self.time_within(Nanos::ZERO, &[]);
        match longest < self.options.time {
            true => self.time_within(self.fill_guess(), &[]),
            false => longest,
        }
    }

    /// What the fill takes at 200 MiB/s.
    fn fill_guess(&self) -> Nanos {
        let bytes = u128::from(self.options.size) * u128::from(self.options.jobs);
        let ns = bytes * 1_000_000_000 / u128::from(FILL_GUESS);
        Nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    /// The time of each point that is left where the fill took this long.
    fn time_within(&self, fill: Nanos, done: &[PointResult]) -> Nanos {
        let Some(budget) = self.options.budget else {
            return self.options.time;
        };
        let points = self.left(done).max(1);
        let each = budget.since(fill).0 / points;
        let spare = Nanos(each).since(Nanos(self.options.warmup.0 + OVERHEAD.0));
        spare.max(SHORTEST).min(self.options.time)
    }

    fn fill(&self) -> Stage {
        fill(&self.options, 1, Manner::Steady)
    }

    fn workload(&self, point: &PlannedPoint) -> Workload {
        point.workload(&self.options, self.time_of(point))
    }

    /// How long a point is measured: where the fill showed that what it has in flight takes long, for many times that, as
    /// far as points may take.
    fn time_of(&self, point: &PlannedPoint) -> Nanos {
        /// The point lasts this many times as long as the I/Os in flight take.
        const TIMES: f64 = 20.0;
        let time = self.time.unwrap_or(self.options.time);
        let in_flight = f64::from(point.depth) * f64::from(point.jobs) * point.block as f64;
        let whole = self.fill_rate.map_or(0.0, |rate| in_flight / rate);
        let long = Nanos(crate::words::whole(TIMES * whole * 1e9));
        time.max(long.min(self.options.time))
    }

    fn stage(&self, point: &PlannedPoint) -> Stage {
        point.stage(self.workload(point), &self.options)
    }
}

/// The share of reads of a curve of one kind of I/O, in percent.
const fn reads_of(op: Op) -> u8 {
    match op {
        Op::Read => 100,
        _ => 0,
    }
}

/// Depths of an experiment on a curve: that of its best point, and one at which it is saturated.
fn depths(curve: &DepthCurve) -> (u32, u32) {
    let best = curve.to_confirm().setting.depth;
    let knee = curve.at_knee().setting.depth;
    (best, best.max(knee.saturating_mul(2)))
}

/// Writes every byte of every file once, so that all later reads find real data.
fn fill(options: &SurveyOptions, round: u32, manner: Manner) -> Stage {
    let point = PlannedPoint {
        family: FILL,
        read_percent: 0,
        block: FILL_BLOCK.min(options.size.max(1)),
        random: false,
        depth: 32,
        jobs: options.jobs,
        round,
        manner,
        hosts: HostSet::ALL,
        times: 1,
    };
    let mut workload = point.workload(options, options.time);
    workload.stop = Stop::default();
    workload.blocks_mut().sync = SyncCadence {
        at_end: true,
        ..SyncCadence::default()
    };
    point.stage(workload, options)
}

/// Whether a point only writes the data of the others.
pub(super) fn is_fill(point: &PointResult) -> bool {
    point.name.starts_with(FILL)
}

/// Whether points of this name are no others' repetition: of the fill, and of what is observed for a fall alone.
fn is_apart(name: &str) -> bool {
    name.starts_with(FILL) || name.starts_with(SUSTAIN)
}

/// 1, 2, 4 ... up to `cap`.
fn doublings(cap: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(1_u32), |d| d.checked_mul(2)).take_while(move |d| *d <= cap)
}

/// Whether the last doubling gained less than a rise that nothing holds up.
fn is_held_up(rates: &[f64]) -> bool {
    let last = rates.last_chunk::<2>();
    last.is_some_and(|[before, deepest]| *deepest < FREE * before)
}

/// Two steps on end gained less than 5 %, or nothing was done at all.
fn stopped_rising(rates: &[f64]) -> bool {
    rates.len() >= knee_of(rates) + 3 || rates.last().is_some_and(|last| *last <= 0.0)
}
