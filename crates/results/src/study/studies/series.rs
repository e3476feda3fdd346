//! The order of a study's repeats and states of the system.
//!
//! Belongs here: which repeat in which state follows which. States change places in every other repeat (A B B A), so
//! that what drifts with time weighs on all of them alike. Must never: which point of a repeat is next.

use super::done::Measured;
use super::spec::Spec;
use leadline_model::plan::study::{Arm, Axis, Study};

/// A repeat in one state of the system.
pub(super) struct Pass<'a> {
    arm: Option<&'a Arm>,
    /// From 1.
    pub(super) repeat: u32,
    /// Whether repeats are distinguished.
    several: bool,
    /// The first one in its state: its data is written first.
    pub(super) begins_arm: bool,
}

impl<'a> Pass<'a> {
    /// All of a study, in order.
    pub(super) fn all(study: &'a Study) -> Vec<Self> {
        let mut all = Vec::new();
        for repeat in 1..=study.repeats.max(1) {
            let series = |arm: Option<&'a Arm>| Self {
                arm,
                repeat,
                several: study.repeats > 1,
                begins_arm: repeat == 1,
            };
            match (study.arms.is_empty(), repeat % 2) {
                (true, _) => all.push(series(None)),
                (false, 1) => all.extend(study.arms.iter().map(|arm| series(Some(arm)))),
                (false, _) => all.extend(study.arms.iter().rev().map(|arm| series(Some(arm)))),
            }
        }
        all
    }

    /// Whether a point is one of it.
    pub(super) fn has(&self, point: &Measured) -> bool {
        let repeat = point.number(Axis::Repeat).unwrap_or(1.0);
        let is_own = (repeat - f64::from(self.repeat)).abs() < 0.5;
        is_own && point.text(Axis::Arm) == self.arm.map(|arm| arm.name.as_str())
    }

    /// Whether a point that comes is one of it.
    pub(super) fn takes(&self, spec: &Spec) -> bool {
        let marked = self.mark(spec.clone());
        marked.at == spec.at
    }

    /// A point as one of it.
    pub(super) fn mark(&self, spec: Spec) -> Spec {
        spec.in_series(self.arm, self.several.then_some(self.repeat))
    }
}
