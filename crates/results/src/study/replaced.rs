//! Measurements that are not the figure of their point: it was measured once more, or before the rate of the volume changed.
//!
//! Belongs here: which stages these are, for all that list the stages of a run. Must never: compute a figure.

use super::before::stages_before;
use super::general::writes_first;
use super::limit::{is_experiment, limit_of};
use super::series::{DepthCurve, depth_curves};
use super::studies::{is_again, was_interrupted};
use super::survey::is_fill;
use super::{PointResult, RunStates};
use crate::run::Run;
use crate::summary::{Summary, planned};
use leadline_model::plan::study::{Axis, Coordinates, Role};
use leadline_model::plan::{Dialect, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// Which stages of a run are not the figure of their point, by the numbers of the stages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Each with the one that is the figure instead.
    by: BTreeMap<u32, u32>,
    /// Second measurements that were interrupted.
    void: BTreeSet<u32>,
    /// Those that were measured before the rate changed for good.
    before: BTreeSet<u32>,
    /// Those of which it is not known whether they were.
    unknown: BTreeSet<u32>,
    /// Those of a curve that was measured again whose rate is above the one that lasts.
    paid: BTreeSet<u32>,
}

/// The measurements of a point of a study.
#[derive(Default)]
struct PointStages {
    /// What was varied for it, in whichever try.
    at: Coordinates,
    /// The stages, as they ran.
    stages: Vec<u32>,
    /// The last that measured it once more as the best.
    figure: Option<u32>,
}

impl Replaced {
    /// Those of a run, of which this is the summary.
    #[must_use]
    pub fn of(run: &Run, summary: &Summary) -> Self {
        let Some(plan) = &run.plan else {
            return Self::default();
        };
        let is_study = plan.stages.iter().any(|stage| stage.point.is_some());
        match (is_study, plan.source.dialect) {
            (true, _) => Self::of_study(run),
            (false, Dialect::Native) => Self::of_survey(&summary.points(run)),
            (false, _) => Self::default(),
        }
    }

    /// The points of a study that were measured once more as the best: that run alone is their figure.
    fn of_study(run: &Run) -> Self {
        let mut found = Self::default();
        let mut points: Vec<PointStages> = Vec::new();
        for ran in &run.stages {
            let plan = planned(run, ran.stage).filter(|plan| is_result(plan));
            let Some(point) = plan.and_then(|plan| plan.point.as_ref()) else {
                continue;
            };
            // Half of a run confirms nothing.
            if is_again(point) && was_interrupted(ran) {
                found.void.insert(ran.stage);
                continue;
            }
            let mut at = point.at.clone();
            at.remove(&Axis::Try);
            let known = points.iter().position(|known| known.at == at);
            let known = known.unwrap_or_else(|| {
                points.push(PointStages {
                    at,
                    ..PointStages::default()
                });
                points.len() - 1
            });
            let own = &mut points[known];
            own.stages.push(ran.stage);
            own.figure = is_again(point).then_some(ran.stage).or(own.figure);
        }
        for point in points {
            let Some(figure) = point.figure else { continue };
            let others = point.stages.into_iter().filter(|stage| *stage != figure);
            found.by.extend(others.map(|stage| (stage, figure)));
        }
        found
    }

    /// Those of a survey: the points of a curve that was measured again, and the best one where a second run confirms it.
    fn of_survey(points: &[PointResult]) -> Self {
        let states = RunStates::of(points);
        let curves = depth_curves(points).into_iter();
        let curves: Vec<DepthCurve> = curves
            .map(|curve| states.of_one_level(points, curve))
            .collect();
        let limit = curves.first().and_then(|curve| limit_of(points, curve));
        let [before, unknown] = stages_before(points, curves.first(), limit.as_ref());
        let mut found = Self {
            before,
            unknown,
            ..Self::default()
        };
        for curve in &curves {
            let said: BTreeSet<u32> = curve.all_said().iter().map(|p| p.stage).collect();
            for point in &curve.points {
                let is_of_it = |p: &&PointResult| {
                    p.setting == point.setting && !is_fill(p) && !said.contains(&p.stage)
                };
                let own = curve.said(point);
                if curve.is_paid_with_credits(own) {
                    found.paid.insert(own.stage);
                }
                let own = own.stage;
                let is_second = curve.earlier.is_some() || own != point.stage;
                let others = points.iter().filter(|_| is_second).filter(is_of_it);
                found.by.extend(others.map(|p| (p.stage, own)));
            }
        }
        found
    }

    /// Whether a stage is measured for its figures, and they are those of its point. A stage without a plan is.
    #[must_use]
    pub fn is_figure(&self, stage: u32, plan: Option<&Stage>) -> bool {
        let is_result = plan.is_none_or(is_result) || self.first_of(stage).is_some();
        is_result && !self.is_replaced(stage)
    }

    /// Whether its figure is not that of its point: another measurement is, or it was interrupted.
    #[must_use]
    pub fn is_replaced(&self, stage: u32) -> bool {
        self.by.contains_key(&stage) || self.void.contains(&stage)
    }

    /// Why the figures of a stage are not those of the volume as it is now, as a remark on them: when it was measured, or what
    /// paid for its rate. Empty where the rate of the volume did not change for good after it.
    #[must_use]
    pub fn remark(&self, stage: u32) -> &'static str {
        match (self.before.contains(&stage), self.unknown.contains(&stage)) {
            (true, _) => "measured before the rate changed",
            (_, true) => "measured before or after the rate changed",
            _ if self.paid.contains(&stage) => "paid with credits that came back",
            _ => "",
        }
    }

    /// Whether the rate of the volume is not known to have changed after a stage, and no credits paid for it.
    #[must_use]
    pub fn is_since(&self, stage: u32) -> bool {
        self.remark(stage).is_empty()
    }

    /// The first measurement of the point that a stage is the figure of; `None` where it replaces none.
    #[must_use]
    pub fn first_of(&self, stage: u32) -> Option<u32> {
        let mut own = self.by.iter().filter(|(_, by)| **by == stage);
        own.next().map(|(first, _)| *first)
    }
}

/// Whether a stage is measured for its figures: it is no fill, no conditioning, no trial of a search and no experiment on
/// the limit of a survey.
#[must_use]
pub fn is_result(stage: &Stage) -> bool {
    match &stage.point {
        Some(point) => matches!(point.role, Role::Maximum | Role::Point | Role::Confirmation),
        None => !writes_first(stage) && !is_experiment(&stage.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::access::OpMix;
    use leadline_model::plan::study::Coordinate;
    use leadline_model::plan::{Plan, StudyPoint};
    use leadline_model::sample::EndReason;

    /// A run of stages of one workload, each with its depth and I/Os a second.
    fn run_of(stages: &[(&str, u32, u64)], edit: impl FnOnce(&mut Plan, &mut [Vec<Load>])) -> Run {
        let each = stages.iter();
        let planned = each.map(|(name, depth, _)| {
            let own = fixture::workload("w", OpMix::reads(), 4096, *depth, 10);
            (*name, vec![own])
        });
        let mut plan = fixture::plan(planned.collect());
        plan.source.dialect = Dialect::Native;
        let loads = stages.iter().map(|(_, depth, ios)| {
            let taken = u64::from(*depth) * 1_000_000_000 / ios;
            vec![Load::simple(Op::Read, *ios, 4096, taken, 10)]
        });
        let mut loads: Vec<Vec<Load>> = loads.collect();
        edit(&mut plan, &mut loads);
        fixture::run_of(&fixture::events_of(plan, &loads))
    }

    fn found(run: &Run) -> Replaced {
        Replaced::of(run, &summarize(run))
    }

    fn replaced(of: &Replaced) -> Vec<u32> {
        (0..12).filter(|n| of.is_replaced(*n)).collect()
    }

    #[test]
    fn the_run_that_confirms_a_best_point_of_a_study_replaces_the_others() {
        let names = [
            "iops/qd2",
            "iops/max-qd2",
            "iops/confirm-qd2-t2",
            "iops/qd4",
        ];
        let stages = names.map(|name| (name, 2, 1000));
        let study = |interrupted: bool| {
            run_of(&stages, |plan, loads| {
                let roles = [Role::Point, Role::Maximum, Role::Confirmation, Role::Point];
                let depths = [2.0, 2.0, 2.0, 4.0];
                for ((stage, role), depth) in plan.stages.iter_mut().zip(roles).zip(depths) {
                    let mut at = Coordinates::from([(Axis::Depth, Coordinate::Number(depth))]);
                    if role == Role::Confirmation {
                        at.insert(Axis::Try, Coordinate::Number(2.0));
                    }
                    stage.point = Some(StudyPoint { role, at });
                }
                if interrupted {
                    loads[2][0].adjust = |worker| worker.end = EndReason::Interrupted;
                }
            })
        };
        let whole = found(&study(false));
        assert_eq!(replaced(&whole), [0, 1]);
        assert_eq!((whole.first_of(2), whole.first_of(3)), (Some(0), None));
        // Half of a run confirms nothing, and is no figure itself.
        let half = found(&study(true));
        assert_eq!((replaced(&half), half.first_of(2)), (vec![2], None));
    }

    #[test]
    fn the_second_curve_of_a_survey_replaces_the_first() {
        let curve = [
            ("iops/a", 8, 8000),
            ("depth/a", 2, 2000),
            ("depth/b", 4, 4000),
            ("mix/a", 8, 5500),
            ("confirm/a", 8, 5000),
        ];
        let first = found(&run_of(&curve[..3], |_, _| {}));
        assert_eq!(first, Replaced::default());
        let second = [
            ("depth-2/a", 2, 2000),
            ("depth-2/b", 4, 4000),
            ("depth-2/c", 8, 5000),
            ("confirm-2/c", 8, 5000),
        ];
        let all = [&curve[..], &second].concat();
        let both = found(&run_of(&all, |_, _| {}));
        // The mix is of the same setting here, and so of the curve.
        assert_eq!(replaced(&both), [0, 1, 2, 3, 4, 7]);
        assert_eq!((both.first_of(8), both.first_of(5)), (Some(0), Some(1)));
        // Before the rate changed, and between the two that show that.
        let of = |n| both.remark(n);
        assert_eq!(of(0), "measured before the rate changed");
        assert_eq!(of(2), "measured before or after the rate changed");
        assert!(both.is_since(5) && !both.is_since(1));
    }

    /// 7,000 a second at depth 4, and 5,000 last: no list takes it for the rate of the volume.
    #[test]
    fn a_point_of_the_second_curve_that_credits_paid_for_is_not_of_the_volume() {
        let all = [
            ("iops/a", 8, 8000),
            ("depth/a", 2, 2000),
            ("depth/b", 4, 4000),
            ("confirm/a", 8, 5000),
            ("depth-2/a", 2, 2000),
            ("depth-2/b", 4, 7000),
            ("depth-2/c", 8, 5000),
            ("confirm-2/c", 8, 5000),
        ];
        let found = found(&run_of(&all, |_, _| {}));
        assert_eq!(found.first_of(5), Some(2));
        assert_eq!(found.remark(5), "paid with credits that came back");
        assert!(!found.is_since(5) && found.is_since(4) && found.is_since(7));
    }

    #[test]
    fn what_confirms_the_best_point_of_a_survey_replaces_it() {
        let curve = [
            ("iops/a", 8, 5000),
            ("depth/a", 2, 2000),
            ("depth/b", 16, 5000),
            ("confirm/a", 8, 4990),
        ];
        let confirmed = found(&run_of(&curve, |_, _| {}));
        assert_eq!(
            (replaced(&confirmed), confirmed.first_of(3)),
            (vec![0], Some(0))
        );
        assert!(confirmed.is_since(0));
        // Of another tool's stages none is a second measurement.
        let of_fio = run_of(&curve, |plan, _| plan.source.dialect = Dialect::Fio);
        assert_eq!(found(&of_fio), Replaced::default());
    }
}
