//! Response curves: the same work at several rates, and what more of it costs.
//!
//! Belongs here: finding the curves of a run (Vdbench's `curve`, lists of rates), knees, N*. Must never: draw. A knee is a
//! definition, so all are reported: where the latency turns upwards (Kneedle), where rate over latency is largest, and the
//! last point within twice the lowest latency.

use super::knees::{self, RatePoint};
use super::series::{DepthCurve, depth_curves};
use super::sound;
use super::studies;
use crate::run::Run;
use crate::stats::{Interval, useful_concurrency};
use crate::summary::measured::PointResult;
use crate::summary::reached::{arrival_of_all, is_missed};
use crate::summary::{Figures, Summary, planned, summarize};
use leadline_model::plan::study::{Axis, Coordinate, Coordinates};
use leadline_model::plan::{Arrival, Pace, Stage, StageRate};

/// One rate of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponsePoint {
    /// Number of the stage.
    pub stage: u32,
    /// The requested rate in I/Os a second; `None` = unthrottled.
    pub asked: Option<f64>,
    /// How its intended starts spread.
    pub arrival: Arrival,
    /// All workloads of the stage together.
    pub figures: Figures,
}

impl ResponsePoint {
    /// I/Os a second.
    #[must_use]
    pub const fn iops(&self) -> f64 {
        self.figures.data.iops
    }

    /// Mean latency from the intended start, in nanoseconds.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.figures.data.response().mean()
    }

    /// The interval of that; the mean alone where the time series is too short for one.
    #[must_use]
    pub fn mean_within(&self) -> Interval {
        let data = &self.figures.data;
        data.mean_known()
    }

    /// Whether less than 0.98 of what was asked was reached, by more I/Os than chance explains.
    #[must_use]
    pub fn saturated(&self) -> bool {
        let seconds = self.figures.span.as_secs_f64();
        self.asked
            .is_some_and(|asked| is_missed(self.arrival, asked, self.iops(), seconds))
    }
}

/// The same work at several rates.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseCurve {
    /// Name of the run.
    pub name: String,
    /// What was looped over, in words; empty without loops.
    pub loops: String,
    /// At the requested rates, from the lowest to the highest.
    pub points: Vec<ResponsePoint>,
    /// Unthrottled, where that was measured.
    pub most: Option<ResponsePoint>,
    /// Useful concurrency of the queue depths that it was made of ([`DepthCurve::useful_within`]); `None` = of rates.
    ///
    /// [`DepthCurve::useful_within`]: super::series::DepthCurve::useful_within
    pub useful: Option<Interval>,
    /// Points on which a check failed: with any, nothing is concluded from the curve.
    pub failed: usize,
    /// The stage that confirms its highest rate, which is one of its points; `None` where that was measured once.
    pub confirmed: Option<u32>,
    /// That its highest rate was another when it was measured once more ([`DepthCurve::contradiction`]).
    ///
    /// [`DepthCurve::contradiction`]: super::series::DepthCurve::contradiction
    pub against: Option<String>,
    /// Why the study that it is of has no answer: nothing is concluded from the curve then.
    pub withheld: Option<String>,
}

impl ResponseCurve {
    /// Whether a stage is one of its points, or the unthrottled one.
    pub(crate) fn has(&self, stage: u32) -> bool {
        let mut all = self.points.iter().chain(&self.most);
        all.any(|point| point.stage == stage)
    }
}

/// The curves of a run, which `summary` is of: those with two rates or more.
#[must_use]
pub fn curves(run: &Run, summary: &Summary) -> Vec<ResponseCurve> {
    let mut curves: Vec<ResponseCurve> = Vec::new();
    let mut open = None;
    for stage in &summary.stages {
        let Some(plan) = planned(run, stage.stage) else {
            continue;
        };
        let point = || ResponsePoint {
            stage: stage.stage,
            asked: asked(plan),
            arrival: arrival_of_all(&plan.workloads),
            figures: stage.figures.clone(),
        };
        let place = match plan.asked {
            StageRate::MaxForCurve => {
                open = Some(curves.len());
                curves.push(ResponseCurve {
                    most: Some(point()),
                    ..empty(plan)
                });
                continue;
            }
            StageRate::PercentOfMax { .. } => open,
            StageRate::PerWorkload | StageRate::PercentOfPrevious(_) => listed(plan, &mut curves),
        };
        if let Some(curve) = place.and_then(|at| curves.get_mut(at)) {
            curve.points.push(point());
        }
    }
    curves.retain(|c| c.points.len() >= 2);
    for curve in &mut curves {
        curve.count_failed(run);
        let rate = |p: &ResponsePoint| p.asked.unwrap_or(p.figures.data.iops);
        curve.points.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
    }
    curves
}

/// What can be drawn as latency against IOPS: the curves of a run, or, where no rate was asked for, what
/// its queue depths make.
#[must_use]
pub fn curves_or_depths(run: &Run) -> Vec<ResponseCurve> {
    let summary = summarize(run);
    let paced = curves(run, &summary);
    if !paced.is_empty() {
        return paced;
    }
    // A study says of each point which depth and repeat it is: points of one curve differ in these.
    let mut points = summary.points(run);
    for point in &mut points {
        let varied = &mut point.setting.varied;
        varied.retain(|axis, _| !matches!(axis, Axis::Depth | Axis::Repeat));
    }
    let withheld = studies::no_answer(run, &summary);
    let mut curves: Vec<ResponseCurve> = Vec::new();
    let mut varied: Vec<Coordinates> = Vec::new();
    for curve in depth_curves(&points) {
        let is_second = |p: &&PointResult| {
            let is_its = curve.is_at_another_depth(p) && p.figures.data.ios > 0;
            is_its && is_once_more(run, p.stage)
        };
        let again = points.iter().rfind(is_second).cloned();
        let (curve, against) = match again {
            Some(again) => curve.with_second(again),
            None => {
                let against = curve.contradiction();
                (curve, against)
            }
        };
        varied.push(curve.setting.varied.clone());
        curves.push(ResponseCurve {
            against,
            withheld: withheld.clone(),
            ..ResponseCurve::of_depths(&curve)
        });
    }
    curves.iter_mut().for_each(|curve| curve.count_failed(run));
    for (curve, own) in curves.iter_mut().zip(&varied) {
        curve.loops = apart(own, &varied);
    }
    curves
}

/// Whether a stage is the best point of a study, measured once more.
fn is_once_more(run: &Run, stage: u32) -> bool {
    let plan = planned(run, stage);
    let point = plan.and_then(|plan| plan.point.as_ref());
    point.is_some_and(studies::is_again)
}

/// What distinguishes a curve of a study from its others: `jobs 4`; empty where nothing that was varied does.
fn apart(own: &Coordinates, all: &[Coordinates]) -> String {
    let differs = |axis: &Axis| all.iter().any(|other| other.get(axis) != own.get(axis));
    // These are in the name already.
    let named = |axis: &Axis| matches!(axis, Axis::Block | Axis::Order | Axis::Reads);
    let words = own.iter().filter(|(axis, _)| differs(axis) && !named(axis));
    let words = words.map(|(axis, value)| match value {
        Coordinate::Number(n) => format!("{} {}", axis.name(), crate::words::trim_to(*n, 1)),
        Coordinate::Text(text) => text.clone(),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn empty(plan: &Stage) -> ResponseCurve {
    let series = plan.series.as_ref();
    ResponseCurve {
        name: series.map_or_else(|| plan.name.clone(), |s| s.name.clone()),
        loops: series.map(|s| s.varied.clone()).unwrap_or_default(),
        points: Vec::new(),
        most: None,
        useful: None,
        failed: 0,
        confirmed: None,
        against: None,
        withheld: None,
    }
}

/// The curve that a stage of a list of rates belongs to: that of the same run with the same loops but for
/// the rate. `None` for a stage that has no rate, or comes from a language without such lists.
fn listed(plan: &Stage, curves: &mut Vec<ResponseCurve>) -> Option<usize> {
    plan.series.as_ref()?;
    asked(plan)?;
    let fresh = empty(plan);
    let same =
        |c: &ResponseCurve| c.most.is_none() && (&c.name, &c.loops) == (&fresh.name, &fresh.loops);
    Some(curves.iter().position(same).unwrap_or_else(|| {
        curves.push(fresh);
        curves.len() - 1
    }))
}

/// The rate that was asked of a stage, all workloads together.
fn asked(plan: &Stage) -> Option<f64> {
    if plan.workloads.iter().any(|w| w.pace == Pace::Closed) {
        return None;
    }
    plan.rate
}

impl ResponseCurve {
    /// The name with the loops.
    #[must_use]
    pub fn label(&self) -> String {
        match self.loops.as_str() {
            "" | "None" => self.name.clone(),
            loops => format!("{} ({loops})", self.name),
        }
    }

    fn count_failed(&mut self, run: &Run) {
        let is_failed =
            |p: &&ResponsePoint| sound::of_stage(p.stage, &run.findings).next().is_some();
        self.failed = self
            .points
            .iter()
            .chain(&self.most)
            .filter(is_failed)
            .count();
    }

    /// What the depths of one work make, each point as the curve says it.
    fn of_depths(curve: &DepthCurve) -> Self {
        let point = |p: &PointResult| ResponsePoint {
            stage: p.stage,
            asked: None,
            arrival: Arrival::Constant,
            figures: p.figures.clone(),
        };
        Self {
            name: curve.setting.without_depth(),
            loops: String::new(),
            points: curve.all_said().into_iter().map(point).collect(),
            most: None,
            useful: curve.useful_within(),
            failed: 0,
            confirmed: curve.confirmed.as_ref().map(|again| again.stage),
            against: None,
            withheld: None,
        }
    }

    /// Whether something is concluded from it: no check failed on its points, and the study that it is of has an answer.
    #[must_use]
    pub const fn is_concluded(&self) -> bool {
        self.failed == 0 && self.withheld.is_none()
    }

    /// What its knees are looked for in: nothing where nothing is concluded.
    fn rate_points(&self) -> Vec<RatePoint> {
        if !self.is_concluded() {
            return Vec::new();
        }
        let point = |p: &ResponsePoint| RatePoint {
            iops: p.iops(),
            mean: p.mean().max(1.0),
            within: (p.mean_within().low, p.mean_within().high),
            settled: p.mean_within().settled,
            saturated: p.saturated(),
        };
        self.points.iter().map(point).collect()
    }

    /// Where the latency turns upwards (Kneedle): a place in `points`. Never one that missed its rate, whose
    /// latency is a matter of how long it ran; looked for as far as more was done with each rate.
    #[must_use]
    pub fn knee(&self) -> Option<usize> {
        knees::knee(&self.rate_points())
    }

    /// Whether the curve is vertical somewhere: more I/Os in flight, or a higher rate that was asked for, only raised the
    /// mean latency there.
    #[must_use]
    pub fn is_vertical(&self) -> bool {
        knees::is_vertical(&self.rate_points())
    }

    /// Where rate over latency is largest: a place in `points`, of those that reached their rate.
    #[must_use]
    pub fn power(&self) -> Option<usize> {
        knees::power(&self.rate_points()).map(|power| power.1)
    }

    /// The last point that reached its rate and whose mean latency is at most twice the lowest, as far as their intervals
    /// say: a place in `points`.
    #[must_use]
    pub fn within_twice(&self) -> Option<usize> {
        knees::within_twice(&self.rate_points())
    }

    /// The largest rate that was reached: that of the run that confirms it where there is one.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.largest_point().map_or(0.0, ResponsePoint::iops)
    }

    pub(crate) fn largest_point(&self) -> Option<&ResponsePoint> {
        let all = || self.points.iter().chain(&self.most);
        let confirmed = all().find(|p| Some(p.stage) == self.confirmed);
        confirmed.or_else(|| all().max_by(|a, b| a.iops().total_cmp(&b.iops())))
    }

    /// The value of [`ResponseCurve::useful_within`].
    #[must_use]
    pub fn useful_concurrency(&self) -> Option<f64> {
        self.useful_within().map(|n| n.value)
    }

    /// N* = largest rate x latency at depth 1: with fewer I/Os in flight that rate is out of reach, with
    /// many more most of them wait. The service time at the lowest rate is taken for that of a lone I/O where
    /// its average queue depth was not above one; else `None`. With its interval, where both of its factors have one.
    #[must_use]
    pub fn useful_within(&self) -> Option<Interval> {
        if !self.is_concluded() {
            return None;
        }
        if self.useful.is_some() {
            return self.useful;
        }
        let lone = |p: &&ResponsePoint| p.figures.data.ios > 0 && p.figures.depth_reached <= 1.05;
        let first = &self.points.first().filter(lone)?.figures.data;
        let alone_ns = first.certainty.service.mean;
        let alone_ns = alone_ns.unwrap_or(Interval::only(first.service.mean()));
        let rate = self.largest_point()?.figures.data.iops_known();
        Some(useful_concurrency(&rate, &alone_ns.scaled(1e-9)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
