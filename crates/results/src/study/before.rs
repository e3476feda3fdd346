//! Which figures of a survey are of before its rate changed.
//!
//! Must never: say why it changed (`super::limit` does).

use super::levels::{LevelChange, change_within, is_apart};
use super::limit::{Limit, is_experiment};
use super::series::{DepthCurve, family_of};
use super::survey::is_fill;
use crate::summary::measured::{Passed, PointResult};
use crate::words::{bytes_within, span};
use leadline_model::units::{Nanos, Percent};
use std::collections::BTreeSet;

/// When the rate of a run changed.
enum WhenChanged<'p> {
    /// Its credits were spent.
    Credits(Nanos),
    /// In the middle of a point; and the share of reads that it spared, if any ([`spared`]).
    Within(&'p PointResult, LevelChange, Option<Percent>),
    /// After the first stage and before the second, and whether it fell.
    Between(u32, u32, bool),
}

impl<'p> WhenChanged<'p> {
    /// That of these points; `None` where it did not change, or more than once.
    fn of(
        points: &'p [PointResult],
        curve: Option<&DepthCurve>,
        limit: Option<&Limit>,
    ) -> Option<Self> {
        if let Some(credits) = limit.and_then(|limit| limit.credits) {
            return Some(Self::Credits(credits.fell_at));
        }
        let between = curve.and_then(|curve| between(points, curve));
        // Where no setting shows a change, one in an experiment is of that alone.
        let within = |p: &PointResult| match between {
            Some((old, new, _)) => p.stage > old && p.stage <= new,
            None => !is_experiment(&p.name),
        };
        let mut changes = points
            .iter()
            .filter(|p| within(p) && !is_fill(p))
            .filter_map(|p| Some((p, change_within(p)?)));
        // What comes again is no change for good.
        match (changes.next().filter(|_| changes.next().is_none()), between) {
            (Some((point, change)), _) => {
                let spared = spared(points, curve, (point, &change));
                Some(Self::Within(point, change, spared))
            }
            (None, Some((old, new, fell))) => Some(Self::Between(old, new, fell)),
            (None, None) => None,
        }
    }

    /// Whether a point was measured before it.
    fn is_after(&self, point: &PointResult) -> bool {
        let began = point.intervals.first().map(|first| first.start);
        match self {
            Self::Credits(at) => {
                let last = point.intervals.last();
                last.is_some_and(|last| middle(last) < *at)
            }
            Self::Within(changed, change, spared) => {
                let is_spared = spared.is_some() && point.setting.read_percent == *spared;
                let is_early = began.is_some_and(|start| start < change.at);
                is_early && point.stage != changed.stage && !is_spared
            }
            Self::Between(old, ..) => point.stage <= *old,
        }
    }

    /// Whether it is not known if a point was measured before it.
    const fn may_be_after(&self, point: &PointResult) -> bool {
        match self {
            Self::Between(old, new, _) => point.stage > *old && point.stage < *new,
            Self::Credits(_) | Self::Within(..) => false,
        }
    }
}

/// The stages that were measured before the rate changed for good, not in a point of larger I/Os alone, and those that are not
/// known to be of after it.
pub(super) fn stages_before(
    points: &[PointResult],
    curve: Option<&DepthCurve>,
    limit: Option<&Limit>,
) -> [BTreeSet<u32>; 2] {
    let change = WhenChanged::of(points, curve, limit).filter(|change| match change {
        WhenChanged::Within(point, change, _) => of_bytes(points, curve, (point, change)).is_none(),
        WhenChanged::Credits(_) | WhenChanged::Between(..) => true,
    });
    let Some(change) = change else {
        return [BTreeSet::new(), BTreeSet::new()];
    };
    let stages = |is: &dyn Fn(&PointResult) -> bool| {
        points.iter().filter(|p| is(p)).map(|p| p.stage).collect()
    };
    [
        stages(&|p| change.is_after(p)),
        stages(&|p| change.may_be_after(p)),
    ]
}

/// What was measured before the rate changed, as a sentence: figures that no longer hold.
pub(super) fn of_before(
    points: &[PointResult],
    curve: Option<&DepthCurve>,
    limit: Option<&Limit>,
) -> Option<String> {
    let results: Vec<&PointResult> = points.iter().filter(|p| is_result(p, curve)).collect();
    let names = |is: &dyn Fn(&PointResult) -> bool| names_of(&results, is);
    let verb = |fell: bool| if fell { "fell" } else { "rose" };
    let changed = WhenChanged::of(points, curve, limit)?;
    let early = names(&|p| changed.is_after(p));
    match changed {
        WhenChanged::Credits(at) => of_credits(at, early, &results),
        WhenChanged::Within(point, change, spared) => {
            let of_bytes = of_bytes(points, curve, (point, &change));
            let stayed = curve.filter(|_| spared.is_some()).map(stayed);
            of_bytes.or_else(|| {
                Some(format!(
                    "The rate {} in {}, {} into the run{}. Measured before that: {}.",
                    verb(change.fell),
                    point.name,
                    span(change.at.0 as f64),
                    stayed.unwrap_or_default(),
                    early?
                ))
            })
        }
        WhenChanged::Between(_, _, fell) => {
            let unknown = names(&|p| changed.may_be_after(p));
            let unknown =
                unknown.map_or_else(String::new, |n| format!("; before or after that: {n}"));
            Some(format!(
                "Measured before the rate {}: {}{unknown}.",
                verb(fell),
                early?
            ))
        }
    }
}

/// A fall within a point of larger I/Os, while the rate of the curve was the same before it and after it: a limit on bytes, which
/// these alone reach. `None` where it is none.
fn of_bytes(
    points: &[PointResult],
    curve: Option<&DepthCurve>,
    (point, change): (&PointResult, &LevelChange),
) -> Option<String> {
    let curve = curve.filter(|curve| point.setting.block > curve.setting.block)?;
    let has_stayed = has_not_fallen(points, curve, point.stage);
    let block = point.setting.mean_block;
    let [before, after] = change.words(block, bytes_within);
    (change.fell && has_stayed).then(|| {
        format!(
            "The rate fell in {}, {} into the run, from {before} to {after}{}. Spent burst credits of a throughput quota \
             look like this; `leadline study burst` with this block size shows whether a pause brings the higher rate back.",
            point.name,
            span(change.at.0 as f64),
            stayed(curve),
        )
    })
}

/// The share of reads of a curve that a fall within a point of another share left as fast as before: what was measured of such I/Os
/// before it still holds. `None` where it is none.
fn spared(
    points: &[PointResult],
    curve: Option<&DepthCurve>,
    (point, change): (&PointResult, &LevelChange),
) -> Option<Percent> {
    let is_other = |curve: &&DepthCurve| point.setting.read_percent != curve.setting.read_percent;
    let curve = curve.filter(is_other).filter(|_| change.fell)?;
    let share = curve.setting.read_percent;
    share.filter(|_| has_not_fallen(points, curve, point.stage))
}

/// Whether the rate of a curve is as high after a stage as before it: of all that was measured before, the highest rate is reached
/// after it with no more in flight, and no depth has a lower one. A low depth may have one rate whatever limits the others; what a
/// pause brings back is not the rate that stayed.
fn has_not_fallen(points: &[PointResult], curve: &DepthCurve, stage: u32) -> bool {
    let is_own = |p: &&PointResult| {
        curve.is_at_another_depth(p) && p.figures.data.ios > 0 && family_of(&p.name).0 != "rest"
    };
    let own = || points.iter().filter(is_own);
    let rate = PointResult::working_iops;
    let early = || own().filter(|p| p.stage < stage);
    let fastest = early().max_by(|a, b| rate(a).total_cmp(&rate(b)));
    let Some(fastest) = fastest else {
        return false;
    };
    let mut late = own().filter(|p| p.stage > stage);
    let is_reached = late.any(|p| {
        p.in_flight <= fastest.in_flight && (rate(p) >= rate(fastest) || p.agrees_with(fastest))
    });
    let fell = |old: &PointResult| {
        let mut again = own().filter(|p| p.stage > stage && p.setting == old.setting);
        again.any(|p| rate(p) < rate(old) && is_apart(p, old))
    };
    is_reached && !early().any(fell)
}

/// That the rate of a curve stayed, after what fell.
fn stayed(curve: &DepthCurve) -> String {
    format!(
        ", while that of {} was the same before and after",
        curve.setting.ios_words()
    )
}

/// The names of the points of which something is true; `None` where it is of none.
fn names_of(results: &[&PointResult], is: &dyn Fn(&PointResult) -> bool) -> Option<String> {
    let names = results.iter().filter(|p| is(p)).map(|p| p.name.as_str());
    let names: Vec<&str> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// What was measured before the credits were spent at `at`, and in which point that was.
fn of_credits(at: Nanos, early: Option<String>, results: &[&PointResult]) -> Option<String> {
    let early = early.map(|early| format!("Measured before the credits were spent: {early}."));
    let both = names_of(results, &|p| mixes_both_rates(p, at)).map(|both| {
        format!("The credits were spent during {both}: the figures there mix both rates.")
    });
    let said: Vec<String> = early.into_iter().chain(both).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Whether credits that were spent at `at`, from the start of the run, were spent while a point was measured: its figures are of both
/// rates.
pub(crate) fn mixes_both_rates(point: &PointResult, at: Nanos) -> bool {
    let end = |p: &Passed| Nanos(p.start.0 + p.length.0);
    let is_over = point.intervals.last().is_some_and(|p| middle(p) < at);
    let mut measured = point.intervals.iter().filter(|p| !p.warmup);
    !is_over && measured.next().is_some_and(|first| end(first) < at)
}

/// The middle of an interval: when something happened is known to an interval.
fn middle(of: &Passed) -> Nanos {
    Nanos(of.start.0 + of.length.0 / 2)
}

/// The last stage before a change of the rate at one setting of the curve, the first after it, and whether it fell.
fn between(points: &[PointResult], curve: &DepthCurve) -> Option<(u32, u32, bool)> {
    let old = curve.earlier.as_ref().unwrap_or(curve.best_point());
    if is_experiment(&old.name) {
        return between_any(points, curve);
    }
    let alike = |p: &&PointResult| {
        p.stage > old.stage && p.setting == old.setting && p.figures.data.ios > 0
    };
    let new = points.iter().filter(alike).find(|p| !p.agrees_with(old))?;
    Some((
        old.stage,
        new.stage,
        new.working_iops() < old.working_iops(),
    ))
}

/// The same where the highest rate of before is that of an experiment, such as a pause, after the change: of any setting that
/// was measured on both sides.
fn between_any(points: &[PointResult], curve: &DepthCurve) -> Option<(u32, u32, bool)> {
    let is_own = |p: &&PointResult| p.figures.data.ios > 0 && curve.is_at_another_depth(p);
    let own: Vec<&PointResult> = points.iter().filter(is_own).collect();
    let is_old = |old: &&&PointResult| !is_experiment(&old.name);
    own.iter().find_map(|new| {
        let mut before = own
            .iter()
            .filter(is_old)
            .filter(|old| old.stage < new.stage);
        let old = before.rfind(|old| old.setting == new.setting && !new.agrees_with(old))?;
        let fell = new.working_iops() < old.working_iops();
        Some((old.stage, new.stage, fell))
    })
}

/// Whether a point is one whose figures are said, beside the curve: no filling and no experiment, and none of a curve that
/// was measured again.
fn is_result(point: &PointResult, curve: Option<&DepthCurve>) -> bool {
    let family = family_of(&point.name).0;
    let is_void = family == "depth" && curve.is_some_and(|curve| curve.earlier.is_some());
    !is_fill(point) && !is_experiment(&point.name) && !is_void
}
