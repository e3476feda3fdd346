//! The points of a study that were measured.
//!
//! Belongs here: a point's coordinates beside its figures. Must never: what they mean for the study.

use super::answer::AnswerCell;
use crate::run::{Run, StageRun};
use crate::stats::Interval;
use crate::summary::series::{coarser, points_for, series};
use crate::summary::{
    OpFigures, Percentile, Point, StageSummary, Summary, planned, summarize_stage,
};
use crate::words::whole;
use leadline_model::facts::FactKey;
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis, Coordinates, Role};
use leadline_model::plan::{Stage, StudyPoint, Target, Workload};
use leadline_model::sample::{EndReason, Sample};
use leadline_model::units::Nanos;

/// What says which measurement of a point one is, and not which point.
const MEASUREMENT: [Axis; 3] = [Axis::Arm, Axis::Repeat, Axis::Try];

/// A point that was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Which one.
    pub point: StudyPoint,
    /// Name of its stage.
    pub name: String,
    /// Time that it took with its warm-up.
    pub took: Nanos,
    /// The pause before it.
    pub pause: Nanos,
    /// Its figures.
    pub summary: StageSummary,
    /// Measured I/Os of the worker that has the fewest.
    pub fewest_ios: u64,
    /// The first of its workloads, as planned.
    pub workload: Workload,
    /// The shortest round trip to the volume that any host saw in it, on its connections or by the law of a simulated volume;
    /// `None` where that is not known.
    pub round_trip: Option<Nanos>,
    /// Hosts that were meant to take part and were lost in it or before it, by name.
    pub lost: Vec<String>,
    /// The time series of each of its workloads, with intervals merged until a point has enough I/Os for p99. Empty where what
    /// was varied is no kind of point.
    pub tails: Vec<Vec<Point>>,
}

impl Measured {
    /// The points of a run whose stages have ended, in order; `summary` is the run's. A best point once more that was
    /// interrupted is none: it confirms nothing.
    #[must_use]
    pub fn all(run: &Run, summary: &Summary) -> Vec<Self> {
        let stages = run.stages.iter().zip(&summary.stages);
        let of = |(stage, summary)| Self::of(run, stage, || StageSummary::clone(summary));
        stages.filter_map(of).collect()
    }

    /// The same of the stages from number `skip` on, which are summarised here.
    #[must_use]
    pub fn later(run: &Run, skip: usize) -> Vec<Self> {
        let stages = run.stages.iter().skip(skip);
        let of = |stage| Self::of(run, stage, || summarize_stage(run, stage));
        stages.filter_map(of).collect()
    }

    /// The point of a stage that has ended.
    pub(super) fn of(
        run: &Run,
        stage: &StageRun,
        summary: impl FnOnce() -> StageSummary,
    ) -> Option<Self> {
        let plan = planned(run, stage.stage)?;
        let point = plan.point.clone()?;
        if is_again(&point) && was_interrupted(stage) {
            return None;
        }
        let summary = summary();
        let tails = match point.at.contains_key(&Axis::Kind) {
            true => tails_of(stage, &summary),
            false => Vec::new(),
        };
        Some(Self {
            tails,
            point,
            name: plan.name.clone(),
            took: stage.end?.since(stage.start),
            pause: plan.pause,
            fewest_ios: (stage.workers.iter().map(|w| w.counts.data_ios()).min()).unwrap_or(0),
            workload: plan.workloads.first()?.clone(),
            summary,
            round_trip: round_trip_of(stage, plan),
            lost: lost_of(run, stage.stage, plan),
        })
    }

    /// What it is for.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.point.role
    }

    /// Whether it is a best point, measured once more to confirm it.
    #[must_use]
    pub fn is_once_more(&self) -> bool {
        is_again(&self.point)
    }

    /// Its value of what was varied, where that is a number.
    #[must_use]
    pub fn number(&self, axis: Axis) -> Option<f64> {
        self.point.at.get(&axis)?.number()
    }

    /// Its value of what was varied, where that is a name.
    #[must_use]
    pub fn text(&self, axis: Axis) -> Option<&str> {
        self.point.at.get(&axis)?.text()
    }

    /// Whether another is the same point, in whichever repeat and try.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let again = [Axis::Repeat, Axis::Try];
        self.at_without(&again) == other.at_without(&again)
    }

    /// Its values of what was varied, whichever measurement of the point it is.
    pub(super) fn at(&self) -> Coordinates {
        self.at_without(&MEASUREMENT)
    }

    /// Its values of what was varied, without those of some axes.
    #[must_use]
    pub fn at_without(&self, axes: &[Axis]) -> Coordinates {
        let mut at = self.point.at.clone();
        at.retain(|axis, _| !axes.contains(axis));
        at
    }

    /// I/Os a second of reads, writes and trims together.
    #[must_use]
    pub const fn iops(&self) -> f64 {
        self.summary.figures.data.iops
    }

    /// Its interval; the value alone where the time series is too short for one.
    #[must_use]
    pub fn iops_within(&self) -> Interval {
        let data = &self.summary.figures.data;
        data.certainty.iops.unwrap_or(known(data.iops))
    }

    /// Bytes a second, with their interval.
    #[must_use]
    pub fn bytes_within(&self) -> Interval {
        let data = &self.summary.figures.data;
        let certain = data.certainty.bytes_per_s;
        certain.unwrap_or(known(data.bytes_per_s))
    }

    /// Mean latency from the intended start, in nanoseconds, with its interval.
    #[must_use]
    pub fn mean_within(&self) -> Interval {
        let data = &self.summary.figures.data;
        data.response_mean()
            .unwrap_or(known(data.response().mean()))
    }

    /// The same as a table has it.
    #[must_use]
    pub fn mean_cell(&self) -> AnswerCell {
        AnswerCell::mean(&self.summary.figures.data)
    }

    /// Latency from the intended start at a percentile, 0 to 100; `None` without I/O.
    #[must_use]
    pub fn response_at(&self, percent: f64) -> Option<Percentile> {
        self.summary.figures.data.response_at(percent)
    }

    /// I/Os a second of one operation, with their interval.
    #[must_use]
    pub fn iops_of(&self, op: Op) -> Interval {
        let own = self.summary.figures.op(op);
        own.map_or(known(0.0), OpFigures::iops_known)
    }
}

/// Whether a point is a best one, measured once more to confirm it.
pub(crate) fn is_again(point: &StudyPoint) -> bool {
    point.role == Role::Confirmation && point.at.contains_key(&Axis::Try)
}

/// Whether the user ended a stage before its time.
#[must_use]
pub fn was_interrupted(stage: &StageRun) -> bool {
    let mut ends = stage.workers.iter().map(|worker| &worker.end);
    ends.any(|end| *end == EndReason::Interrupted)
}

/// The shortest round trip to the volume that any host of a run saw; `None` where that is not known.
#[must_use]
pub(crate) fn shortest_round_trip(run: &Run) -> Option<Nanos> {
    let of = |stage: &StageRun| round_trip_of(stage, planned(run, stage.stage)?);
    run.stages.iter().filter_map(of).min()
}

/// The shortest round trip of a stage's hosts.
fn round_trip_of(stage: &StageRun, plan: &Stage) -> Option<Nanos> {
    let facts = stage.counted.iter();
    let seen = facts.filter(|fact| fact.key() == FactKey::ROUND_TRIP);
    let seen = seen.filter_map(|fact| fact.value.nanos());
    let seen = seen.min_by(f64::total_cmp).map(|ns| Nanos(whole(ns)));
    seen.or_else(|| {
        let workload = plan.workloads.first()?;
        match &workload.blocks().target {
            Target::Simulated(target) => {
                let mut hosts = workload.hosts.among(1);
                Some(target.volume.round_trip_of(hosts.next().unwrap_or(0)))
            }
            _ => None,
        }
    })
}

/// The time series of each workload of a stage, with enough I/Os a point for p99.
fn tails_of(stage: &StageRun, summary: &StageSummary) -> Vec<Vec<Point>> {
    let each = summary.workloads.iter().map(|workload| {
        let own = stage.samples.iter();
        let own: Vec<&Sample> = own.filter(|s| s.workload == workload.workload).collect();
        let ios = workload.figures.data.response().count();
        let most = points_for(ios, 99.0, workload.series.len().max(1));
        series(&coarser(&own, most).0, None)
    });
    each.collect()
}

/// The hosts of a stage that were lost in it or before it, by name.
fn lost_of(run: &Run, number: u32, stage: &Stage) -> Vec<String> {
    let count = run.plan.as_ref().map_or(0, |plan| plan.hosts.len());
    let hosts = (0_u32..).take(count).filter(|host| {
        let takes_part = stage.workloads.iter().any(|w| w.hosts.contains(*host));
        takes_part && run.lost_from(*host).is_some_and(|from| from <= number)
    });
    hosts.map(|host| run.host_label(host).to_owned()).collect()
}

/// A value of which no interval is known.
pub(super) const fn known(value: f64) -> Interval {
    Interval::only(value)
}
