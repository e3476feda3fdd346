//! One measured point: what was set, what came out. The input of every study and of every curve.

use super::delayed::Delayed;
use super::labels::is_remote;
pub use super::passed::Passed;
use super::processors::{ProcessorLoad, loads};
pub use super::setting::Setting;
use super::stalls::Stalls;
use super::{
    Figures, HeldTime, OpFigures, Point, StageSummary, WorkloadSummary, depth_asked, planned,
    summarize_stage,
};
use crate::run::{Run, StageRun};
use crate::stats::{Interval, median_high};
use leadline_model::facts::FactKey;
use leadline_model::op::Op;
use leadline_model::plan::StudyPoint;
use leadline_model::plan::study::{Axis as StudyAxis, Coordinates};
use leadline_model::plan::{Target, Workload};
use leadline_model::units::Nanos;

/// What was measured at one point.
#[derive(Clone, Debug)]
pub struct PointResult {
    /// Stage, from 0.
    pub stage: u32,
    /// Name of the stage (`latency/4k-randwrite-qd1`).
    pub name: String,
    /// What was set.
    pub setting: Setting,
    /// I/Os in flight over the workers of all hosts, at most.
    pub in_flight: u64,
    /// The measured figures.
    pub figures: Figures,
    /// Time the stage took with its warm-up, or the measured time when it has no end.
    pub took: Nanos,
    /// I/Os a second of each whole measured interval, in order.
    pub rates: Vec<f64>,
    /// What was done in each interval, the warm-up's among them, in order.
    pub intervals: Vec<Passed>,
    /// I/Os a second of each host, by its number; empty where the plan names no hosts.
    pub by_host: Vec<(u32, f64)>,
    /// Bytes of the target, where that is one volume, which cannot grow, and its size is known.
    pub whole: Option<u64>,
    /// The fullest host's processors; `None` where they were not counted.
    pub load: Option<ProcessorLoad>,
    /// When its target stood still.
    pub stalls: Option<Stalls>,
    /// For how long all in flight waited at once, by their latencies.
    pub held: HeldTime,
    /// All workers of a host share the connections to the target, as on a network mount: more workers are no more connections.
    pub shares_connections: bool,
}

/// Below this share of a typical rate the target is idle.
const NOTHING: f64 = 0.05;
/// From this number of stalls in a point on they are no chance: its mean rate includes them all.
pub(crate) const MANY: usize = 8;

impl PointResult {
    /// The point of a stage with exactly one workload; `None` when it has more.
    #[must_use]
    pub fn of(run: &Run, stage: &StageRun) -> Option<Self> {
        let alone = planned(run, stage.stage)?.workloads.len() == 1;
        alone.then(|| Self::of_summary(run, stage, &summarize_stage(run, stage)))?
    }

    /// The same from the stage's figures.
    pub(super) fn of_summary(run: &Run, stage: &StageRun, summary: &StageSummary) -> Option<Self> {
        let planned = planned(run, stage.stage)?;
        let [workload] = planned.workloads.as_slice() else {
            return None;
        };
        Some(Self {
            stage: stage.stage,
            name: planned.name.clone(),
            setting: Setting {
                varied: planned.point.as_ref().map(varied).unwrap_or_default(),
                ..Setting::of(workload)
            },
            in_flight: summary
                .workloads
                .first()
                .map_or_else(|| depth_asked(workload), |of_all| of_all.depth_asked),
            took: stage
                .end
                .map_or(summary.figures.span, |end| end.since(stage.start)),
            rates: rates_of(&summary.series),
            intervals: summary
                .series
                .iter()
                .map(|p| Passed::of(stage.start, p))
                .collect(),
            by_host: summary
                .hosts
                .iter()
                .map(|host| (host.host, host.figures.data.iops))
                .collect(),
            whole: whole_of(run, workload),
            load: loads(stage)
                .into_iter()
                .max_by(|a, b| a.busy.total_cmp(&b.busy)),
            stalls: summary
                .workloads
                .first()
                .and_then(WorkloadSummary::sure_stalls)
                .cloned(),
            held: summary
                .workloads
                .first()
                .map(|of_all| of_all.held)
                .unwrap_or_default(),
            shares_connections: match &workload.blocks().target {
                Target::Simulated(target) => {
                    let connections = target.volume.connections;
                    connections.is_some_and(|several| several <= workload.clones)
                }
                _ => is_remote(workload, &run.facts),
            },
            figures: summary.figures.clone(),
        })
    }

    /// The points of a run: its stages with exactly one workload, in order. Where there is a [`Summary`] already, its
    /// [`Summary::points`] are the same and cost less.
    ///
    /// [`Summary`]: super::Summary
    /// [`Summary::points`]: super::Summary::points
    #[must_use]
    pub fn all(run: &Run) -> Vec<Self> {
        run.stages.iter().filter_map(|s| Self::of(run, s)).collect()
    }

    /// What was in flight, for a sentence: `depth 32`, or `32 in flight (depth 16 of each worker)` of several.
    #[must_use]
    pub fn depth_words(&self) -> String {
        let (all, each) = (self.in_flight, self.setting.depth);
        match all == u64::from(each) || !self.setting.engine.is_async() {
            true => format!("depth {all}"),
            false => format!("{all} in flight (depth {each} of each worker)"),
        }
    }

    /// What it did, shortest first, with the depth as [`PointResult::depth_words`] has it where that is of several workers or
    /// hosts: `4 KiB random read, 192 in flight (depth 32 of each worker)`.
    #[must_use]
    pub fn words(&self) -> String {
        match self.setting.jobs > 1
            && self.in_flight == u64::from(self.setting.depth) * u64::from(self.setting.jobs)
        {
            true => self.setting.words(),
            false => format!("{}, {}", self.setting.without_depth(), self.depth_words()),
        }
    }

    /// Figures of one kind of operation; `None` when none was done.
    #[must_use]
    pub fn op(&self, op: Op) -> Option<&OpFigures> {
        self.figures.op(op).filter(|f| f.ios > 0)
    }

    /// I/Os a second of one kind.
    #[must_use]
    pub fn iops_of(&self, op: Op) -> f64 {
        self.figures.op(op).map_or(0.0, |f| f.iops)
    }

    /// I/Os a second of reads, writes and trims together.
    #[must_use]
    pub fn iops(&self) -> f64 {
        self.figures.data.iops
    }

    /// I/Os a second while the target was at work: of a point whose target stalled the rate between its stalls, as how many
    /// of them fall into a point is chance; the mean of others, and where it stalled so often that this is none.
    #[must_use]
    pub fn working_iops(&self) -> f64 {
        let stalls = self.stalls.as_ref().filter(|stalls| !stalls.often);
        stalls.map_or_else(|| self.iops(), |stalls| stalls.iops)
    }

    /// Whether its rate can be compared with another: its 95 % interval is known, or it lasted for a second at least. By how much
    /// the rate of a few milliseconds differs by chance is not known, and much of such a time is start and end.
    #[must_use]
    pub fn can_be_compared(&self) -> bool {
        self.figures.data.certainty.iops.is_some() || self.figures.span >= Nanos::SECOND
    }

    /// I/Os a second of the interval in the middle of all by its rate: what a short rise or fall does not move.
    #[must_use]
    pub fn typical_iops(&self) -> f64 {
        match self.rates.is_empty() {
            true => self.iops(),
            false => median_high(self.rates.iter().copied()).unwrap_or_default(),
        }
    }

    /// [`PointResult::working_iops`] with its interval, as far off as the mean is, as a share.
    #[must_use]
    pub fn working_known(&self) -> Interval {
        let mean = self.figures.data.iops_known();
        match mean.value > 0.0 {
            true => mean.scaled(self.working_iops() / mean.value),
            false => mean,
        }
    }

    /// Whether the target stalled: how many stalls fall into a point is chance, and its mean rate with it.
    #[must_use]
    pub fn is_held_up(&self) -> bool {
        self.stalls.is_some()
    }

    /// The share of the intervals in which the target did almost nothing; 0 where they have too few I/Os to judge.
    #[must_use]
    pub fn idle_share(&self) -> f64 {
        let idle = |typical: f64| {
            let idle = self.rates.iter().filter(|r| **r <= NOTHING * typical);
            idle.count() as f64 / self.rates.len() as f64
        };
        self.typical().map_or(0.0, idle)
    }

    /// How often the target became almost idle.
    #[must_use]
    pub fn idle_times(&self) -> usize {
        let Some(typical) = self.typical() else {
            return 0;
        };
        let is_idle = |rate: &f64| *rate <= NOTHING * typical;
        let pairs = self.rates.windows(2);
        let begins = pairs.filter(|pair| !is_idle(&pair[0]) && is_idle(&pair[1]));
        begins.count()
    }

    fn typical(&self) -> Option<f64> {
        typical(&self.rates, self.figures.data.ios)
    }

    /// Bytes a second of reads, writes and trims together.
    #[must_use]
    pub fn bytes_per_s(&self) -> f64 {
        self.figures.data.bytes_per_s
    }

    /// Mean latency from the intended start over all data operations, in seconds; 0 without I/O.
    #[must_use]
    pub fn mean_latency_s(&self) -> f64 {
        self.figures.data.response().mean() / 1e9
    }

    /// The few I/Os that took far longer than the others, and are no tail of them: how many do is a matter of how often a stall
    /// comes, and not of how long an I/O takes.
    #[must_use]
    pub fn delayed(&self) -> Option<Delayed> {
        let latency = &self.figures.data.response().histogram;
        Delayed::of(latency, Nanos::ZERO).filter(|found| found.is_no_tail(latency))
    }

    /// The mean latency with its interval, seconds; the value alone where that is not known.
    #[must_use]
    pub fn mean_s(&self) -> Interval {
        let known = self.figures.data.response_mean();
        let known = known.map(|known| known.scaled(1e-9));
        known.unwrap_or(Interval::only(self.mean_latency_s()))
    }

    /// That of the I/Os that met no stall: as far off, as a share, as the mean of all.
    #[must_use]
    pub fn mean_without_stalls(&self) -> Interval {
        let of_all = self.mean_s();
        let Some(found) = self.delayed() else {
            return of_all;
        };
        let within = of_all.scaled(found.others_s / of_all.value.max(1e-12));
        let least = self.figures.data.response().min as f64 / 1e9;
        Interval {
            low: within.low.max(least).min(within.value),
            high: within
                .high
                .min(found.above.0 as f64 / 1e9)
                .max(within.value),
            ..within
        }
    }

    /// I/Os a second between stalls. Where none was seen but in the latencies: in a closed loop the share of the time that the
    /// I/Os in flight spend in a stall is the share of the time that the target stands still.
    #[must_use]
    pub fn iops_between_stalls(&self) -> f64 {
        match (&self.stalls, self.delayed()) {
            (Some(stalls), _) => stalls.iops,
            (None, Some(found)) => self.iops() / (1.0 - found.share),
            (None, None) => self.iops(),
        }
    }

    /// Whether two points at one setting did the same rate while the target was at work: within 5 %, or within the noise
    /// of their intervals, of I/Os that come at random and of the 95 % intervals of their rates, up to a quarter.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        /// Standard errors of the difference.
        const ERRORS: f64 = 3.5;
        /// Those of a 95 % interval to either side.
        const NORMAL: f64 = 1.96;
        let noise = |p: &Self| {
            let spread = p.variation().unwrap_or_default().powi(2) / p.rates.len().max(1) as f64;
            // What is the same for several intervals, as I/Os are that take longer than one, is noise of the rate.
            let known = p.figures.data.certainty.iops;
            let known = known.map_or(0.0, |i| (i.relative() / NORMAL).powi(2));
            spread
                .max(1.0 / p.figures.data.ios.max(1) as f64)
                .max(known)
        };
        let allowed = (ERRORS * (noise(self) + noise(other)).sqrt()).clamp(SAME, NOISIEST);
        let (own, others) = (self.working_iops(), other.working_iops());
        (own - others).abs() <= allowed * own.max(others)
    }

    /// Spread of the interval rates: standard deviation over mean; `None` below three intervals.
    #[must_use]
    pub fn variation(&self) -> Option<f64> {
        let n = self.rates.len() as f64;
        if self.rates.len() < 3 {
            return None;
        }
        let mean = self.rates.iter().sum::<f64>() / n;
        let squares: f64 = self.rates.iter().map(|r| (r - mean).powi(2)).sum();
        (mean > 0.0).then(|| (squares / (n - 1.0)).sqrt() / mean)
    }

    /// The same without the spread that I/Os have in each interval by coming at random; `None` below three intervals.
    #[must_use]
    pub fn unevenness(&self) -> Option<f64> {
        let each = self.figures.data.ios as f64 / self.rates.len().max(1) as f64;
        let variation = self.variation()?;
        Some((variation.powi(2) - 1.0 / each.max(1.0)).max(0.0).sqrt())
    }
}

/// Bytes of the one target of a workload that cannot grow, where its size is known.
fn whole_of(run: &Run, workload: &Workload) -> Option<u64> {
    match &workload.blocks().target {
        Target::Simulated(simulated) => {
            let is_whole = simulated.files.is_empty() && simulated.has_given_size();
            is_whole.then_some(simulated.volume.size)
        }
        Target::Paths(paths) => {
            let [path] = paths.as_slice() else {
                return None;
            };
            // A file grows; a device is known by the last part of its path.
            let name = path.rsplit('/').next()?;
            let mut facts = run.facts.iter();
            let of = facts.find(|f| f.key() == FactKey::DEVICE_SIZE && f.subject == name)?;
            Some(of.value.bytes()?.0)
        }
        _ => None,
    }
}

/// What is varied between points that are not repeats of each other.
fn varied(point: &StudyPoint) -> Coordinates {
    let mut varied = point.at.clone();
    varied.remove(&StudyAxis::Repeat);
    varied.remove(&StudyAxis::Try);
    varied
}

/// The rate of an interval in which something was done, in the middle of all of these; `None` where they are too few,
/// or have too few of these I/Os for one without any to mean something.
fn typical(rates: &[f64], ios: u64) -> Option<f64> {
    /// With fewer intervals there is no typical one.
    const FEWEST: usize = 8;
    /// With fewer I/Os to be expected, an interval is empty by chance.
    const EXPECTED: f64 = 20.0;
    let active = rates.iter().copied().filter(|rate| *rate > 0.0);
    let typical = median_high(active).unwrap_or_default();
    let all: f64 = rates.iter().sum();
    let each = ios as f64 * typical / all.max(1e-9);
    (rates.len() >= FEWEST && each >= EXPECTED).then_some(typical)
}

/// Rates that differ by less than this share are the same.
pub const SAME: f64 = 0.05;
/// Rates that differ by more than this share are different however noisy.
const NOISIEST: f64 = 0.25;

/// Rates of the whole measured intervals: those cut by the warm-up or the end are left out. The last may be longer
/// than the others, by the rest of an interval that was put to it.
fn rates_of(series: &[Point]) -> Vec<f64> {
    let measured = || series.iter().filter(|p| !p.warmup);
    let others = measured().count().saturating_sub(1).max(1);
    let whole = measured().take(others).map(|p| p.length).max();
    measured()
        .filter(|p| Some(p.length) >= whole)
        .map(|p| p.data.iops)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quota of 500 a second that is given out every 100 ms, in intervals of 31 ms: two of three are empty, and none is a
    /// stall beside a typical rate.
    #[test]
    fn a_quota_in_slices_is_distinguished_from_a_stall() {
        let slices: Vec<f64> = [1500.0, 0.0, 0.0].repeat(20);
        assert_eq!(typical(&slices, 1000), Some(1500.0));
        let stall = [vec![1000.0; 30], vec![0.0; 2], vec![1010.0; 30]].concat();
        assert_eq!(typical(&stall, 2000), Some(1010.0));
        // With 15 I/Os in each, and with seven intervals, one without any says nothing.
        assert_eq!(typical(&slices, 300), None);
        assert_eq!(typical(&slices[..7], 1000), None);
        assert!(typical(&[], 0).is_none());
    }
}
