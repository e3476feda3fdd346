//! A plan whose stages may depend on what earlier ones reached: curves and shares of the last rate.
//!
//! Belongs here: which stage of the plan is next, and how fast it goes. Must never: run a stage, read a
//! clock. The law of the rates is Vdbench's, so that its users get the points they know.

use crate::run::{Run, StageRun};
use crate::summary::{stage_figures, summarize_stage};
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{
    Arrival, Original, Pace, Plan, Rate, ShareSource, ShareWeight, Stage, StageRate,
    UNDECIDED_IOPS, Workload,
};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

/// Yields the stages of a plan one by one.
#[derive(Clone, Debug)]
pub struct Sequence {
    plan: Plan,
    /// The next stage of the plan.
    next: usize,
    /// How many were yielded: the number of the next one in the run.
    given: usize,
    /// The latest curve, by its number in the run.
    curve: Option<usize>,
    /// Whether a point was slower than its curve allows: nothing follows.
    stopped: bool,
    /// The response time beyond which nothing follows the latest point, with its number in the run.
    limit: Option<(usize, Nanos)>,
    left_out: Vec<String>,
    /// Reported once.
    curve_end: Option<CurveEnd>,
}

/// Why a curve has ended before its last point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurveEnd {
    /// Name of the last point.
    pub point: String,
    /// Mean response of its I/Os, from their submission, as it is printed.
    pub response: Nanos,
    /// What its front end keeps of the point's stage, the limit among it.
    pub original: Original,
}

impl Sequence {
    /// All stages of this plan, in order.
    #[must_use]
    pub const fn new(plan: Plan) -> Self {
        Self {
            plan,
            next: 0,
            given: 0,
            curve: None,
            stopped: false,
            limit: None,
            left_out: Vec::new(),
            curve_end: None,
        }
    }

    /// The plan at the start: without stages, each of which is added when it is yielded.
    #[must_use]
    pub fn head(&self) -> Plan {
        Plan {
            stages: Vec::new(),
            ..self.plan.clone()
        }
    }

    /// The next stage with its rate, and how long the stages after it will take, as far as that is
    /// known; `None` at the end. The run holds the stages yielded so far.
    pub fn next(&mut self, run: &Run) -> Option<(Stage, Nanos)> {
        self.look_at_limit(run);
        if self.stopped {
            let later = self.plan.stages.iter().skip(self.next);
            self.left_out.extend(later.map(|stage| stage.name.clone()));
            self.next = self.plan.stages.len();
            return None;
        }
        loop {
            let mut stage = self.plan.stages.get(self.next)?.clone();
            self.next += 1;
            match stage.asked {
                StageRate::PerWorkload => {}
                StageRate::MaxForCurve => self.curve = Some(self.given),
                StageRate::PercentOfMax { percent, stop_at } => {
                    let base = self.curve;
                    if !pace(&mut stage, run, base, percent) {
                        self.left_out.push(stage.name);
                        continue;
                    }
                    self.limit = stop_at.map(|limit| (self.given, limit));
                }
                StageRate::PercentOfPrevious(percent) => {
                    if !pace(&mut stage, run, self.given.checked_sub(1), percent) {
                        self.left_out.push(stage.name);
                        continue;
                    }
                }
            }
            self.given += 1;
            let after = self.plan.stages.iter().skip(self.next).map(length);
            let after = after.fold(0, |sum: u64, length| sum.saturating_add(length.0));
            return Some((stage, Nanos(after)));
        }
    }

    /// Restarts the plan after the stages yielded so far.
    pub fn again(&mut self) {
        self.next = 0;
    }

    /// Names of the stages that were skipped: after the limit of a curve, or because what they refer to
    /// did no I/O.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Whether a curve's limit has ended all: nothing follows, in no further round either.
    #[must_use]
    pub const fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Why all stages after the last point are skipped, where they are; reported once.
    pub fn take_curve_end(&mut self) -> Option<CurveEnd> {
        self.curve_end.take()
    }

    /// Compares the response that is printed: the one from the intended start has the wait for a slot in it too.
    fn look_at_limit(&mut self, run: &Run) {
        let Some((number, limit)) = self.limit.take() else {
            return;
        };
        if let Some(stage) = of_number(run, Some(number)) {
            let mean = stage_figures(run, stage).data.service.mean();
            let planned = crate::summary::planned(run, stage.stage);
            if mean > limit.0 as f64 {
                self.stopped = true;
                self.curve_end = Some(CurveEnd {
                    point: planned.map(|s| s.name.clone()).unwrap_or_default(),
                    response: Nanos(floor(mean)),
                    original: planned.map(|s| s.original.clone()).unwrap_or_default(),
                });
            }
        }
    }
}

/// The stage of a run with this number, started last.
fn of_number(run: &Run, number: Option<usize>) -> Option<&StageRun> {
    let number = u32::try_from(number?).ok()?;
    run.stages.iter().rev().find(|s| s.stage == number)
}

/// How long a stage takes with the pause before it; nothing of what continues until its work is done.
fn length(stage: &Stage) -> Nanos {
    let running = stage.running(Nanos::ZERO);
    Nanos(stage.pause.0.saturating_add(running.0))
}

/// The rate for a percentage of what was measured, in I/Os a second: whole numbers throughout, rounded
/// up to hundreds above 1000 and to tens below.
#[must_use]
pub fn rate_of(measured: f64, percent: u32) -> u64 {
    let rate = u128::from(floor(measured)) * u128::from(percent) / 100;
    let step = if rate > 1000 { 100 } else { 10 };
    u64::try_from(rate.div_ceil(step) * step).unwrap_or(u64::MAX)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and a cast saturates"
)]
fn floor(value: f64) -> u64 {
    value.max(0.0) as u64
}

/// Sets the pace of a stage to a percentage of what the stage of number `base` reached; false where
/// that did no I/O.
fn pace(stage: &mut Stage, run: &Run, base: Option<usize>, percent: u32) -> bool {
    let Some(base) = of_number(run, base) else {
        return false;
    };
    let measured = stage_figures(run, base).data.iops;
    let total = rate_of(measured, percent);
    if total == 0 {
        return false;
    }
    // Rates of their own come first.
    let own: f64 = stage
        .workloads
        .iter()
        .map(|w| own_rate(w) * workers_of(run, w))
        .sum();
    let left = (total as f64 - own).max(0.0);
    let weights = weights(stage, run, base);
    let sum: f64 = weights.iter().flatten().sum();
    for (workload, weight) in stage.workloads.iter_mut().zip(&weights) {
        let Some(weight) = weight else {
            continue;
        };
        let part = left * weight / sum / workers_of(run, workload).max(1.0);
        // Not the one that stands for a rate which is not known.
        set_rate(workload, part.max(2.0 * UNDECIDED_IOPS));
    }
    stage.rate = Some(total as f64);
    true
}

/// The hosts on which a workload runs and that are not lost; 1 where the plan names none.
fn hosts_of(run: &Run, workload: &Workload) -> usize {
    let hosts = run.plan.as_ref().map_or(0, |p| p.hosts.len());
    if hosts == 0 {
        return 1;
    }
    let hosts = workload
        .hosts
        .among(u32::try_from(hosts).unwrap_or(u32::MAX));
    hosts.filter(|host| run.loss(*host).is_none()).count()
}

/// Workers of a workload, all hosts that are not lost together.
fn workers_of(run: &Run, workload: &Workload) -> f64 {
    f64::from(workload.clones.max(1)) * hosts_of(run, workload) as f64
}

/// I/Os a second that each worker is asked for by the workload itself.
fn own_rate(workload: &Workload) -> f64 {
    let Pace::Open {
        rates,
        together,
        arrival: _,
        schedule: _,
    } = &workload.pace
    else {
        return 0.0;
    };
    let blocks = workload.blocks();
    let iops = |rate: Rate, largest: u64| match rate {
        Rate::Iops(iops) => iops,
        // At least.
        Rate::Bytes(bytes) => bytes as f64 / largest.max(1) as f64,
    };
    if let Some(rate) = together {
        return iops(*rate, blocks.largest());
    }
    let of = |op: Op| {
        let rate = (*rates.get(op)).filter(|_| blocks.mix.has(op));
        rate.map_or(0.0, |rate| iops(rate, blocks.largest_of(op)))
    };
    Op::BLOCK.into_iter().map(of).sum()
}

/// What each workload has of the rate; `None` = it has a rate of its own, or no host.
fn weights(stage: &Stage, run: &Run, base: &StageRun) -> Vec<Option<f64>> {
    let takes = |w: &Workload| !has_own_rate(w) && hosts_of(run, w) > 0;
    let given = stage.workloads.iter().filter_map(|w| w.share);
    let given: Vec<f64> = given.map(ShareWeight::get).collect();
    let observed = given.is_empty() || stage.shares == ShareSource::Observed;
    let by_name = if observed {
        observed_by_name(stage, run, base)
    } else {
        BTreeMap::new()
    };
    let mean = (given.iter().sum::<f64>() / (given.len() as f64).max(1.0)).max(f64::MIN_POSITIVE);
    let of = |w: &Workload| {
        takes(w).then(|| match by_name.get(w.definition()) {
            Some(&share) => share,
            None => w.share.map_or(mean, ShareWeight::get),
        })
    };
    stage.workloads.iter().map(of).collect()
}

fn has_own_rate(workload: &Workload) -> bool {
    match &workload.pace {
        Pace::Closed => false,
        Pace::Open {
            rates,
            together,
            arrival: _,
            schedule: _,
        } => together.is_some() || rates.read.or(rates.write).or(rates.trim).is_some(),
    }
}

/// The rates that the definitions of `base` reached, each divided among the workloads of `stage` that
/// come from it. Empty where one of them did nothing: there is no skew to keep then.
fn observed_by_name<'a>(stage: &'a Stage, run: &Run, base: &StageRun) -> BTreeMap<&'a str, f64> {
    let summary = summarize_stage(run, base);
    let planned = crate::summary::planned(run, base.stage);
    let mut reached: BTreeMap<&str, f64> = BTreeMap::new();
    let both = planned.into_iter().flat_map(|p| &p.workloads);
    for (workload, figures) in both.zip(&summary.workloads) {
        *reached.entry(workload.definition()).or_default() += figures.figures.data.iops;
    }
    let mut shares: BTreeMap<&'a str, (f64, f64)> = BTreeMap::new();
    for workload in stage.workloads.iter().filter(|w| !has_own_rate(w)) {
        let name = workload.definition();
        let rate = reached.get(name).copied().unwrap_or(0.0);
        if rate <= 0.0 {
            return BTreeMap::new();
        }
        let entry = shares.entry(name).or_insert((rate, 0.0));
        entry.1 += 1.0;
    }
    let each = shares.into_iter();
    each.map(|(name, (rate, count))| (name, rate / count))
        .collect()
}

/// One rate for all kinds of operation of each worker; arrivals stay as they were, random where none
/// were said.
fn set_rate(workload: &mut Workload, iops: f64) {
    let (arrival, schedule) = match &workload.pace {
        Pace::Closed => (Arrival::Poisson, Vec::new()),
        Pace::Open {
            arrival, schedule, ..
        } => (*arrival, schedule.clone()),
    };
    workload.pace = Pace::Open {
        rates: PerOp::splat(None),
        arrival,
        together: Some(Rate::Iops(iops)),
        schedule,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use leadline_model::event::Event;
    use leadline_model::plan::{HostSet, HostSpec, OpMix};
    use leadline_model::sample::WorkerTotals;

    fn stage(name: &str, asked: StageRate, workloads: &[&str]) -> Stage {
        let workload = |wd: &&str| {
            let mut w = fixture::workload(wd, OpMix::reads(), 4096, 4, 10);
            w.stop.warmup = Nanos::from_secs(2);
            w
        };
        Stage {
            name: name.into(),
            workloads: workloads.iter().map(workload).collect(),
            asked,
            pause: Nanos::from_secs(1),
            ..Stage::default()
        }
    }

    fn point(percent: u32) -> StageRate {
        StageRate::PercentOfMax {
            percent,
            stop_at: None,
        }
    }

    /// Begins a run, then does each stage that comes with these rates for each workload; the stages.
    fn drive(plan: Plan, rates: &[&[u64]], typical: u64) -> (Vec<Stage>, Vec<Nanos>, Sequence) {
        drive_late(plan, rates, typical, |_| {})
    }

    /// As above, with something done to the totals of each worker.
    fn drive_late(
        plan: Plan,
        rates: &[&[u64]],
        typical: u64,
        adjust: fn(&mut WorkerTotals),
    ) -> (Vec<Stage>, Vec<Nanos>, Sequence) {
        let mut sequence = Sequence::new(plan);
        let mut run = Run::default();
        run.apply(&Event::RunStarted {
            plan: Box::new(sequence.head()),
            wall_ms: 0,
        });
        let (mut stages, mut after) = (Vec::new(), Vec::new());
        while let Some((stage, left)) = sequence.next(&run) {
            let number = u32::try_from(stages.len()).unwrap();
            run.apply(&Event::StageAdded(Box::new(stage.clone())));
            run.apply(&Event::StageStarted {
                stage: number,
                at: Nanos::ZERO,
                wall_ms: 0,
            });
            for (workload, &ios) in (0_u32..).zip(rates[stages.len()]) {
                let mut load = Load::simple(Op::Read, ios, 4096, typical, 2);
                load.adjust = adjust;
                let events = fixture::workload_events(number, workload, &load);
                events.iter().for_each(|e| run.apply(e));
            }
            stages.push(stage);
            after.push(left);
        }
        (stages, after, sequence)
    }

    fn rates(stage: &Stage) -> Vec<f64> {
        let of = |w: &Workload| match &w.pace {
            Pace::Open {
                together: Some(Rate::Iops(n)),
                arrival: Arrival::Poisson,
                ..
            } => *n,
            other => panic!("{other:?}"),
        };
        stage.workloads.iter().map(of).collect()
    }

    #[test]
    fn rates_are_whole_and_rounded_up() {
        // Measured with Vdbench 5.04.07: 46,139.8 gave 23,100 and 46,200.
        assert_eq!(rate_of(46_139.8, 50), 23_100);
        assert_eq!(rate_of(46_139.8, 100), 46_200);
        assert_eq!(rate_of(10_000.0, 33), 3300);
        assert_eq!(rate_of(10_000.0, 110), 11_000);
        assert_eq!(rate_of(2000.9, 50), 1000);
        assert_eq!(rate_of(2002.0, 50), 1100);
        assert_eq!(rate_of(905.0, 50), 460);
        assert_eq!(rate_of(0.9, 100), 0);
        // Beyond 32 bits, where Vdbench's own number overflows.
        assert_eq!(rate_of(30_000_000.0, 100), 30_000_000);
    }

    #[test]
    fn a_curve_is_measured_first_and_its_points_share_its_rate() {
        let plan = fixture::plan(vec![]);
        let mut plan = Plan {
            stages: vec![
                stage("c", StageRate::MaxForCurve, &["w"]),
                stage("c_(50%)", point(50), &["w"]),
                stage("c_(100%)", point(100), &["w"]),
                stage("half", StageRate::PercentOfPrevious(50), &["w"]),
                stage("own", StageRate::PerWorkload, &["w"]),
            ],
            ..plan
        };
        plan.stages[4].workloads[0].stop.cooldown = Nanos::from_secs(7);
        let done: [&[u64]; 5] = [&[2310], &[1150], &[2200], &[1100], &[5]];
        let (stages, after, sequence) = drive(plan, &done, 1000);
        assert_eq!(stages.len(), 5);
        assert_eq!(stages[0].workloads[0].pace, Pace::Closed);
        assert!((rates(&stages[1])[0] - 1200.0).abs() < 1e-9);
        assert!((rates(&stages[2])[0] - 2400.0).abs() < 1e-9);
        assert!((rates(&stages[3])[0] - 1100.0).abs() < 1e-9);
        assert_eq!(stages[4].workloads[0].pace, Pace::Closed);
        assert_eq!(stages[1].rate, Some(1200.0));
        assert_eq!(after[0], Nanos::from_secs(4 * 13 + 7));
        assert_eq!(after[4], Nanos::ZERO);
        assert!(sequence.left_out().is_empty());
    }

    #[test]
    fn shares_that_were_given_are_kept_and_others_are_those_observed() {
        for given in [true, false] {
            let mut stages = vec![
                stage("c", StageRate::MaxForCurve, &["a", "b", "b"]),
                stage("p", point(100), &["a", "b", "b"]),
            ];
            for (stage, share) in stages.iter_mut().flat_map(|s| {
                let shares = [60.0, 20.0, 20.0];
                s.workloads.iter_mut().zip(shares)
            }) {
                stage.share = ShareWeight::new(share);
            }
            stages[1].shares = match given {
                true => ShareSource::Given,
                false => ShareSource::Observed,
            };
            let plan = Plan {
                stages,
                ..fixture::plan(vec![])
            };
            let (stages, ..) = drive(plan, &[&[2000, 4000, 4000], &[1, 1, 1]], 1000);
            let expected = if given {
                [6000.0, 2000.0, 2000.0]
            } else {
                [2000.0, 4000.0, 4000.0]
            };
            for (rate, expected) in rates(&stages[1]).iter().zip(expected) {
                assert!(
                    (rate - expected).abs() < 0.01 * expected,
                    "{rate} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_rate_is_that_of_all_workers_on_all_hosts() {
        let mut plan = fixture::plan(vec![]);
        plan.hosts = ["a", "b"].map(HostSpec::local).to_vec();
        let mut curve = stage("c", StageRate::MaxForCurve, &["w"]);
        curve.workloads[0].hosts = HostSet::one(1);
        let mut at = stage("p", point(100), &["w"]);
        at.workloads[0].clones = 5;
        plan.stages = vec![curve, at];
        let mut sequence = Sequence::new(plan);
        let mut run = Run::default();
        run.apply(&Event::RunStarted {
            plan: Box::new(sequence.head()),
            wall_ms: 0,
        });
        let (first, _) = sequence.next(&run).unwrap();
        run.apply(&Event::StageAdded(Box::new(first)));
        run.apply(&Event::StageStarted {
            stage: 0,
            at: Nanos::ZERO,
            wall_ms: 0,
        });
        let load = Load::simple(Op::Read, 4000, 4096, 1000, 2);
        for mut event in fixture::workload_events(0, 0, &load) {
            match &mut event {
                Event::Interval(s) => s.host = 1,
                Event::WorkerEnded(w) => w.host = 1,
                _ => {}
            }
            run.apply(&event);
        }
        let (second, _) = sequence.next(&run).unwrap();
        assert!((rates(&second)[0] - 4000.0 / 10.0).abs() < 1e-9);
    }

    #[test]
    fn rates_of_their_own_come_off_a_point_first() {
        let mut stages = vec![
            stage("c", StageRate::MaxForCurve, &["a", "b"]),
            stage("p", point(50), &["a", "b"]),
            stage("q", point(10), &["a", "b"]),
        ];
        for stage in &mut stages {
            set_rate(&mut stage.workloads[0], 500.0);
        }
        let plan = Plan {
            stages,
            ..fixture::plan(vec![])
        };
        // Of 4,000, half are 2,000, and a tenth is less than the own rate.
        let (stages, ..) = drive(plan, &[&[500, 3500], &[1, 1], &[1, 1]], 1000);
        assert_eq!(rates(&stages[1]), [500.0, 1500.0]);
        assert!(rates(&stages[2])[0] > 499.0 && rates(&stages[2])[1] < 0.01);
        assert!(!Rate::Iops(rates(&stages[2])[1]).is_undecided());
    }

    #[test]
    fn a_rate_of_its_own_is_the_sum_of_those_of_its_operations() {
        let own = |mix, rates| {
            let mut w = fixture::workload("w", mix, 4096, 4, 10);
            w.pace = Pace::Open {
                rates,
                arrival: Arrival::Constant,
                together: None,
                schedule: Vec::new(),
            };
            own_rate(&w)
        };
        let iops = PerOp {
            read: Some(Rate::Iops(300.0)),
            write: Some(Rate::Iops(200.0)),
            trim: Some(Rate::Iops(100.0)),
        };
        assert!((own(OpMix::mixed(50), iops) - 500.0).abs() < 1e-9);
        assert!((own(OpMix::reads(), iops) - 300.0).abs() < 1e-9);
        let bytes = PerOp {
            read: Some(Rate::Bytes(409_600)),
            ..PerOp::default()
        };
        assert!((own(OpMix::reads(), bytes) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn points_after_a_slow_one_and_points_of_nothing_are_left_out() {
        let slow = StageRate::PercentOfMax {
            percent: 50,
            stop_at: Some(Nanos::from_millis(2)),
        };
        let stages = vec![
            stage("c", StageRate::MaxForCurve, &["w"]),
            stage("p50", slow, &["w"]),
            stage("p100", point(100), &["w"]),
            stage("d", StageRate::MaxForCurve, &["w"]),
            stage("d50", point(50), &["w"]),
        ];
        let plan = Plan {
            stages,
            ..fixture::plan(vec![])
        };
        let (stages, _, sequence) = drive(plan.clone(), &[&[2000], &[1000], &[0]], 3_000_000);
        let names: Vec<_> = stages.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["c", "p50"]);
        assert_eq!(sequence.left_out(), ["p100", "d", "d50"]);
        // No further round either.
        let mut again = sequence.clone();
        again.again();
        assert!(again.next(&Run::default()).is_none() && again.has_stopped());
        let nothing: [&[u64]; 4] = [&[2000], &[1000], &[2000], &[0]];
        let (stages, _, sequence) = drive(plan.clone(), &nothing, 1_000_000);
        assert_eq!(
            (stages.len(), sequence.left_out()),
            (4, &["d50".to_owned()][..])
        );
        assert!(!sequence.has_stopped());
        let quick: [&[u64]; 5] = [&[2000], &[1000], &[2000], &[500], &[250]];
        let (stages, _, mut sequence) = drive(plan.clone(), &quick, 1_000_000);
        assert_eq!((stages.len(), sequence.take_curve_end()), (5, None));
        // An I/O of 1 ms that had waited for 50 ms for its turn: what is printed, and compared, is 1 ms.
        let late = |totals: &mut WorkerTotals| {
            let counts = totals.counts.op_mut(Op::Read);
            let response = counts.response.get_or_insert_with(Default::default);
            response.record(50_000_000);
        };
        assert_eq!(drive_late(plan.clone(), &quick, 1_000_000, late).0.len(), 5);
        // Why it stopped is said once.
        let (_, _, mut sequence) = drive(plan, &[&[2000], &[1000], &[0]], 3_000_000);
        let end = sequence.take_curve_end().unwrap();
        assert_eq!(end.point, "p50");
        assert!(end.response.0.abs_diff(3_000_000) < 300_000, "{end:?}");
        assert_eq!(sequence.take_curve_end(), None);
    }
}
