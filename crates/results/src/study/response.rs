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
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, Role};
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
    let withheld = no_answer(run, &summary);
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
    point.is_some_and(|p| p.role == Role::Confirmation && p.at.contains_key(&Axis::Try))
}

/// Why a run that is a study has no answer; `None` where it has one, and of other runs.
fn no_answer(run: &Run, summary: &Summary) -> Option<String> {
    let answer = studies::answer_of(run, summary, |_, _| ())?;
    let first = answer.sentences.into_iter().next();
    first.filter(|sentence| sentence.starts_with("No answer"))
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

    /// N* = largest rate x latency at depth 1: with fewer I/Os in flight that rate is out of reach, with
    /// many more most of them wait. The service time at the lowest rate is taken for that of a lone I/O where
    /// its average queue depth was not above one; else `None`.
    #[must_use]
    pub fn useful_concurrency(&self) -> Option<f64> {
        if !self.is_concluded() {
            return None;
        }
        if let Some(useful) = self.useful {
            return Some(useful.value);
        }
        let lone = |p: &&ResponsePoint| p.figures.data.ios > 0 && p.figures.depth_reached <= 1.05;
        let first = self.points.first().filter(lone)?;
        let alone = first.figures.data.service.mean() / 1e9;
        Some(useful_concurrency(self.largest(), alone))
    }

    /// The same with its interval, where both of its factors have one.
    #[must_use]
    pub fn useful_within(&self) -> Option<Interval> {
        let n = self.useful_concurrency()?;
        let alone = self.points.first()?.figures.data.certainty.service.mean;
        let rate = self.largest_point()?.figures.data.certainty.iops;
        let known = rate.zip(alone).map(|(rate, alone)| rate.times(&alone));
        let known = self.useful.or(known).unwrap_or(Interval::only(n));
        Some(Interval { value: n, ..known })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use leadline_model::cure::Cure;
    use leadline_model::finding::{Finding, Severity};
    use leadline_model::op::{Op, PerOp};
    use leadline_model::plan::study::{Axes, Question, Study, StudyPlace, StudyScope, Timing};
    use leadline_model::plan::{EngineKind, OpMix, Plan, Rate, Series, ServerCache, StudyPoint};
    use leadline_model::units::Nanos;

    /// The curves of a run.
    pub(crate) fn curves_of(run: &Run) -> Vec<ResponseCurve> {
        curves(run, &summarize(run))
    }

    /// A curve of one reader and a list of two rates: (rate asked, I/Os a second, latency in us).
    pub(crate) fn curve_run() -> Run {
        let stage = |name: &str, loops: &str, asked, rate: Option<u64>| {
            let mut w = fixture::workload("w", OpMix::reads(), 4096, 8, 2);
            if let Some(rate) = rate {
                w.pace = Pace::Open {
                    rates: PerOp::splat(None),
                    arrival: Arrival::Constant,
                    together: Some(Rate::Iops(rate as f64)),
                    schedule: Vec::new(),
                };
            }
            Stage {
                name: name.into(),
                workloads: vec![w],
                asked,
                rate: rate.map(|rate| rate as f64),
                series: Some(Series {
                    name: name.into(),
                    varied: loops.into(),
                }),
                ..Stage::default()
            }
        };
        let point = |percent| StageRate::PercentOfMax {
            percent,
            stop_at: None,
        };
        let rates = [
            (10, 300, 100),
            (50, 1500, 110),
            (80, 2400, 150),
            (90, 2700, 600),
            (100, 3000, 3000),
        ];
        let mut stages = vec![stage("c", "", StageRate::MaxForCurve, None)];
        let mut loads = vec![(3000, 2_600)];
        for (percent, rate, us) in rates {
            let name = format!("c_({percent}%)");
            stages.push(stage(&name, "", point(percent), Some(rate)));
            loads.push((if percent == 100 { 2900 } else { rate }, us));
        }
        for rate in [200, 100] {
            stages.push(stage("l", "", StageRate::PerWorkload, Some(rate)));
            loads.push((rate, 100));
        }
        stages.push(stage("alone", "", StageRate::PerWorkload, None));
        loads.push((50, 100));
        let plan = Plan {
            stages,
            ..fixture::plan(vec![])
        };
        let loads: Vec<_> = loads
            .into_iter()
            .map(|(ios, us)| vec![Load::simple(Op::Read, ios, 4096, us * 1000, 2)])
            .collect();
        fixture::run_of(&fixture::events_of(plan, &loads))
    }

    /// A study of depths in which 400 I/Os a second are reached from depth 4 on; that depth did `again` when it was measured
    /// once more.
    pub(crate) fn depth_study(again: u64) -> Run {
        let mut points = [(1, 100), (2, 200), (4, 400), (8, 400), (16, 400)]
            .map(|of| (of, Role::Point))
            .to_vec();
        points.push(((4, again), Role::Confirmation));
        let stage = |((depth, _), role): &((u32, u64), Role)| {
            let mut at = Coordinates::from([(Axis::Depth, Coordinate::Number(f64::from(*depth)))]);
            let name = match role {
                Role::Confirmation => {
                    at.insert(Axis::Try, Coordinate::Number(2.0));
                    format!("depth/confirm-4k-qd{depth}-t2")
                }
                _ => format!("depth/4k-qd{depth}"),
            };
            Stage {
                name,
                workloads: vec![fixture::workload("w", OpMix::reads(), 4096, *depth, 10)],
                point: Some(StudyPoint { role: *role, at }),
                ..Stage::default()
            }
        };
        let plan = Plan {
            stages: points.iter().map(stage).collect(),
            study: Some(Box::new(study())),
            ..fixture::plan(vec![])
        };
        let load = |((depth, ios), _): &((u32, u64), Role)| {
            let latency = u64::from(*depth) * 1_000_000_000 / ios;
            vec![Load::simple(Op::Read, *ios, 4096, latency, 10)]
        };
        let loads: Vec<_> = points.iter().map(load).collect();
        fixture::run_of(&fixture::events_of(plan, &loads))
    }

    fn study() -> Study {
        Study {
            question: Question::Depth,
            scope: StudyScope {
                place: StudyPlace::Directory("demo".to_owned()),
                dataset: 1 << 30,
                files: 1,
                direct: true,
                engine: EngineKind::default(),
                hosts: 1,
                server_cache: ServerCache::Unknown,
                maps: Vec::new(),
            },
            axes: Axes {
                blocks: vec![4096],
                reads: vec![100],
                random: vec![true],
                depths: vec![1, 2, 4, 8, 16],
                jobs: vec![1],
            },
            timing: Timing {
                time: Nanos::from_secs(10),
                warmup: Nanos::ZERO,
                budget: None,
                narrow: None,
            },
            repeats: 1,
            arms: Vec::new(),
            seed: 1,
            seeded: false,
        }
    }

    /// The answer of a study says its highest rate by the run that confirms it, and so does this curve.
    #[test]
    fn the_curve_of_a_study_has_the_second_measurement_of_its_best_point() {
        let of = |again| curves_or_depths(&depth_study(again)).remove(0);
        let rates = |curve: &ResponseCurve| {
            let both = [curve.largest(), curve.points[2].iops()];
            both.map(crate::words::whole)
        };
        let agrees = of(398);
        assert_eq!(rates(&agrees), [398, 398], "{agrees:?}");
        assert_eq!((&agrees.against, &agrees.withheld), (&None, &None));
        let other = of(340);
        assert_eq!(rates(&other), [340, 340], "{other:?}");
        let n = other.useful_concurrency().unwrap();
        assert!((3.2..3.7).contains(&n), "{n}");
        let said = other.sentence();
        assert!(
            said.contains("up to 340 IOPS") && said.ends_with("did not repeat."),
            "{said}"
        );
    }

    #[test]
    fn nothing_is_concluded_from_a_study_without_an_answer() {
        let fell = curves_or_depths(&depth_study(100)).remove(0);
        assert!(fell.withheld.is_some(), "{fell:?}");
        let places = (fell.knee(), fell.power(), fell.within_twice());
        assert_eq!(places, (None, None, None));
        assert_eq!(fell.useful_concurrency(), None);
        assert!(
            fell.sentence().contains(": No answer: the rate fell"),
            "{}",
            fell.sentence()
        );
    }

    #[test]
    fn a_curve_has_its_points_in_order_and_lists_are_curves_too() {
        let curves = curves_of(&curve_run());
        let labels: Vec<_> = curves.iter().map(ResponseCurve::label).collect();
        assert_eq!(labels, ["c", "l"]);
        let asked: Vec<_> = curves[0].points.iter().map(|p| p.asked.unwrap()).collect();
        assert_eq!(asked, [300.0, 1500.0, 2400.0, 2700.0, 3000.0]);
        assert!(curves[0].most.as_ref().unwrap().asked.is_none());
        let list: Vec<_> = curves[1].points.iter().map(|p| p.asked.unwrap()).collect();
        assert_eq!(list, [100.0, 200.0]);
        let saturated: Vec<_> = curves[0]
            .points
            .iter()
            .map(ResponsePoint::saturated)
            .collect();
        assert_eq!(saturated, [false, false, false, false, true]);
    }

    #[test]
    fn knees_by_three_definitions_and_useful_concurrency() {
        let all = curves_of(&curve_run());
        let curve = &all[0];
        assert_eq!(curve.power(), Some(2));
        assert_eq!(curve.within_twice(), Some(2));
        assert!(curve.knee().is_some_and(|k| k >= 2), "{:?}", curve.knee());
        // 3000 a second of about 0.1 ms: less than one I/O at a time.
        let n = curve.useful_concurrency().unwrap();
        assert!((0.28..0.34).contains(&n), "{n}");
        let words = curve.sentence();
        assert!(words.starts_with("c: up to 3,000 IOPS; "), "{words}");
        assert!(words.ends_with("; N* = 1."), "{words}");
    }

    /// What missed its rate is no knee, however the latency turns there; nor is what comes after a curve that
    /// goes backwards.
    #[test]
    fn a_point_that_missed_its_rate_is_no_knee() {
        let curve = |asked: &[f64], reached: &[(f64, u64)]| {
            let mut curve = curves_of(&curve_run()).remove(0);
            curve.points.truncate(asked.len());
            for ((point, asked), (iops, us)) in curve.points.iter_mut().zip(asked).zip(reached) {
                point.asked = Some(*asked);
                point.figures.data.iops = *iops;
                let service = &mut point.figures.data.service;
                service.clear();
                service.record(us * 1000);
                point.figures.data.response = None;
            }
            curve
        };
        let asked = [1000.0, 2000.0, 3000.0, 4000.0, 5000.0];
        // The bend is at 4,000, of which 3,500 were reached.
        let bend = [
            (1000.0, 100),
            (2000.0, 100),
            (3000.0, 100),
            (3500.0, 110),
            (3600.0, 9000),
        ];
        assert_eq!(curve(&asked, &bend).knee(), None);
        let reached = [
            (1000.0, 100),
            (2000.0, 100),
            (3000.0, 100),
            (4000.0, 110),
            (4100.0, 9000),
        ];
        assert_eq!(curve(&asked, &reached).knee(), Some(3));
        let backwards = [
            (1000.0, 100),
            (2000.0, 110),
            (1900.0, 900),
            (1800.0, 2000),
            (1700.0, 9000),
        ];
        let curve = curve(&asked, &backwards);
        assert_eq!(
            (curve.knee(), curve.power(), curve.within_twice()),
            (None, Some(1), Some(1))
        );
    }

    /// Arrivals that are drawn: 1,000 a second for 2 s are 2,000, give or take 45.
    #[test]
    fn a_rate_that_was_missed_by_chance_ends_nothing() {
        let mut curve = curves_of(&curve_run()).remove(0);
        curve.points.truncate(3);
        let reached = [(500.0, 513.0), (1000.0, 970.0), (2000.0, 2040.0)];
        for (point, (asked, iops)) in curve.points.iter_mut().zip(reached) {
            (point.asked, point.figures.data.iops) = (Some(asked), iops);
            point.arrival = Arrival::Poisson;
        }
        assert_eq!(curve.within_twice(), Some(2), "{curve:?}");
        curve.points[1].arrival = Arrival::Constant;
        assert_eq!(curve.within_twice(), Some(0), "{curve:?}");
    }

    /// One point of it was measured beside other programs: the highest rate is a fact, and nothing follows from the curve.
    #[test]
    fn of_a_curve_on_which_a_check_failed_nothing_is_concluded() {
        let mut run = curve_run();
        let sound = curves_of(&run).remove(0);
        assert!(sound.power().is_some() && sound.useful_concurrency().is_some());
        run.findings.push(Finding {
            code: "host-busy".to_owned(),
            severity: Severity::Fail,
            stage: Some(sound.points[1].stage),
            workload: None,
            text: String::new(),
            cure: Cure::default(),
        });
        let curve = curves_of(&run).remove(0);
        let places = (curve.knee(), curve.power(), curve.within_twice());
        assert_eq!(places, (None, None, None));
        assert_eq!(curve.useful_concurrency(), None);
        let (before, after) = (sound.sentence(), curve.sentence());
        let highest = before.split(';').next().unwrap();
        let all = curve.points.len() + curve.most.iter().count();
        let said = format!(
            "{highest}; a check failed on 1 of these {all} points, so nothing is concluded from them."
        );
        assert_eq!(after, said);
    }

    /// Several in flight at the lowest rate: that latency is not one alone.
    #[test]
    fn useful_concurrency_needs_the_latency_at_depth_1() {
        let mut curve = curves_of(&curve_run()).remove(0);
        curve.points[0].figures.depth_reached = 5.6;
        assert_eq!(curve.useful_concurrency(), None);
        assert!(!curve.sentence().contains("N*"));
    }

    /// A table of several runs has the N* that the charts of each have.
    #[test]
    fn useful_concurrency_of_depths_is_that_of_their_curve() {
        use crate::fixture::device::{Device, survey_run};
        use crate::study::{Scope, SurveyOptions, SurveyTarget};
        let place = SurveyTarget::Directory("demo".to_owned());
        let run = survey_run(&Device::default(), SurveyOptions::new(place, Scope::Quick));
        let found = curves_or_depths(&run);
        let wanted = depth_curves(&PointResult::all(&run));
        let wanted: Vec<_> = wanted.iter().map(|c| c.useful_concurrency()).collect();
        assert!(wanted[0].is_some());
        let found: Vec<_> = found
            .iter()
            .map(ResponseCurve::useful_concurrency)
            .collect();
        assert_eq!(found, wanted);
    }
}
