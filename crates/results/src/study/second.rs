//! The highest rate of a curve measured once more: what the two measurements say together.
//!
//! Belongs here: which points are said by the second measurement, and what that says against the first. Must never: decide whether
//! it is measured (`super::survey` and `super::studies` do).

use super::series::{DepthCurve, Rise};
use crate::stats::Interval;
use crate::summary::measured::PointResult;

impl DepthCurve {
    /// The points as they are said, by rising depth: [`DepthCurve::said`] of each.
    #[must_use]
    pub fn all_said(&self) -> Vec<&PointResult> {
        self.points.iter().map(|point| self.said(point)).collect()
    }

    /// The point among these that is said by the run that confirms it; `None` without one.
    #[must_use]
    pub fn said_by_another(&self) -> Option<&PointResult> {
        let is_other = |said: &&PointResult| self.points.iter().all(|p| p.stage != said.stage);
        self.all_said().into_iter().find(is_other)
    }

    /// Whether its highest rate was measured once and may be the highest by chance: of a rate that still rises it is that of
    /// the deepest queue, and not the highest of several.
    #[must_use]
    pub fn is_unconfirmed(&self) -> bool {
        let again = self.confirmed.as_ref().or(self.contradicted.as_ref());
        again.is_none() && self.rise() != Rise::GoesOn
    }

    /// What a second measurement says against its highest rate, or that there was none where something is concluded from that
    /// rate; `None` where it is confirmed.
    #[must_use]
    pub fn second_words(&self) -> Option<String> {
        let is_concluded = self.plateau() || self.useful_concurrency().is_some();
        match self.is_unconfirmed() && is_concluded {
            true => Some(
                "The highest rate was not measured once more, so it may be the highest by chance."
                    .to_owned(),
            ),
            false => self.contradiction(),
        }
    }

    /// The same among sentences about other curves, after what this one is of: `4 KiB random write: the highest rate ...`.
    pub(super) fn second_words_named(&self) -> Option<String> {
        let setting = &self.setting;
        let jobs = match setting.jobs > 1 {
            true => format!(", {} jobs", setting.jobs),
            false => String::new(),
        };
        let said = self.second_words()?;
        let (first, rest) = said.split_at_checked(1)?;
        let first = first.to_ascii_lowercase();
        Some(format!("{}{jobs}: {first}{rest}", setting.without_depth()))
    }

    /// That its highest rate was another when it was measured once more, or that the 95 % intervals of both do not overlap;
    /// `None` where they do, and where credits were spent between the two, which is said as that.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        if self.spent_late {
            return None;
        }
        let agreed = self.confirmed.as_ref();
        let again = self.contradicted.as_ref().or(agreed)?;
        let first = self.points.iter().find(|p| p.setting == again.setting);
        let first = first.unwrap_or(self.best_point());
        let so = match agreed {
            None => "the highest rate did not repeat",
            Some(_) if is_outside(again, first) => "the 95 % intervals do not overlap",
            Some(_) => return None,
        };
        Some(format!(
            "Measured once more, {} had {} and not {}: {so}.",
            again.depth_words(),
            again.iops_words(),
            first.iops_words()
        ))
    }

    /// With the run of a study that measures its best point once more, and what that says against the first: the highest rate of
    /// the curve is that of the second, whether the two agree or not, as it is in the answer of the study.
    pub(super) fn with_second(mut self, again: PointResult) -> (Self, Option<String>) {
        let first = self.points.iter().find(|p| p.setting == again.setting);
        match again.agrees_with(first.unwrap_or(self.best_point())) {
            true => self.confirmed = Some(again),
            false => self.contradicted = Some(again),
        }
        let against = self.contradiction();
        self.confirmed = self.confirmed.or(self.contradicted.take());
        (self, against)
    }
}

/// Whether the 95 % intervals of two rates do not overlap, by more than what is no difference: of their means, and of what the
/// target did between its stalls, since how many stalls fall into a point is chance.
fn is_outside(one: &PointResult, other: &PointResult) -> bool {
    let rates = |p: &PointResult| [p.figures.data.iops_known(), p.working_known()];
    let mut pairs = rates(one).into_iter().zip(rates(other));
    pairs.all(|(a, b)| are_apart(&a, &b))
}

/// Whether two rates are sure to differ by more than what is no difference: their 95 % intervals do not overlap.
pub(super) fn are_apart(a: &Interval, b: &Interval) -> bool {
    /// Less than this share is no difference.
    const NONE: f64 = 0.01;
    let gap = (a.value - b.value).abs();
    let is_sure = a.settled && b.settled && (a.low > b.high || b.low > a.high);
    is_sure && gap > NONE * a.value.max(b.value)
}
