//! A survey that is continued for the one experiment that would decide: the fill, the rate, the experiment, the rate
//! again.

use super::options::SurveyOptions;
use super::planned::{Manner, PlannedPoint};
use super::{depths, fill};
use crate::study::limit::{Deciding, Experiment, LONGER, confirming, next_round};
use crate::study::series::depth_curves;
use crate::summary::measured::PointResult;
use leadline_model::plan::Stage;
use leadline_model::units::Nanos;

/// Its state.
#[derive(Clone, Debug)]
pub struct Confirmation {
    options: SurveyOptions,
    deciding: Deciding,
    /// Of the round in which it is made.
    number: u32,
    /// Names of the stages handed out; one that brought no result ends it.
    issued: Vec<String>,
}

impl Confirmation {
    /// Of a survey with these options and points; `None` where it has no curve.
    #[must_use]
    pub fn new(options: SurveyOptions, deciding: Deciding, points: &[PointResult]) -> Option<Self> {
        let number = next_round(points, depth_curves(points).first()?);
        Some(Self {
            options,
            deciding,
            number,
            issued: Vec::new(),
        })
    }

    /// The next stage, given the points of the survey and those measured since; `None` at the end.
    pub fn next(&mut self, done: &[PointResult]) -> Option<Stage> {
        let stage = match self.issued.is_empty() {
            true => self.fill(),
            false => {
                let curves = depth_curves(done);
                let curve = curves.first()?;
                let asked = (self.deciding, self.number);
                let next = confirming(done, curve, asked, self.options.means())?;
                let point =
                    PlannedPoint::of_experiment(&next.0, next.1, &curve.setting, depths(curve));
                self.stage(point)
            }
        };
        if self.issued.contains(&stage.name) {
            return None;
        }
        self.issued.push(stage.name.clone());
        Some(stage)
    }

    /// The stages that are known before the first, for checks: the fill, and the first that reads what it filled.
    #[must_use]
    pub fn outlook(&self, points: &[PointResult]) -> Vec<Stage> {
        let mut stages = vec![self.fill()];
        let curves = depth_curves(points);
        let first = match self.deciding {
            Deciding::LargerSet => Experiment::Larger,
            _ => Experiment::Confirm { times: LONGER },
        };
        stages.extend(curves.first().map(|curve| {
            let setting = &curve.setting;
            self.stage(PlannedPoint::of_experiment(
                &first,
                self.number,
                setting,
                depths(curve),
            ))
        }));
        stages
    }

    /// What the rest will take, but for the fill, about.
    #[must_use]
    pub fn remaining(&self) -> Nanos {
        /// The rate before and after, and three points in between.
        const STAGES: usize = 6;
        let left = STAGES.saturating_sub(self.issued.len()) as u64;
        let each = self.options.time.0.saturating_mul(u64::from(LONGER));
        Nanos(
            each.saturating_add(self.options.warmup.0)
                .saturating_mul(left),
        )
    }

    fn fill(&self) -> Stage {
        let manner = match self.deciding {
            Deciding::LargerSet => Manner::Larger,
            _ => Manner::Steady,
        };
        fill(&self.options, self.number, manner)
    }

    fn stage(&self, mut point: PlannedPoint) -> Stage {
        point.times = point.times.max(LONGER);
        point.stage(
            point.workload(&self.options, self.options.time),
            &self.options,
        )
    }
}
