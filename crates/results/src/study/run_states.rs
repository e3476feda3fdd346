//! The levels that the rate of a volume had one after another during a run.
//!
//! Belongs here: which points are of which level, from all points together. Must never: say why it changed (`super::limit` does).
//!
//! A point alone shows a change where its rate has two levels; a setting that was measured twice shows one where its two rates
//! differ. Either gives a pair of levels. A point of other work that changes by the same factor has a part of each. Points of work
//! that was measured at both are of the higher one where they reach it, and of the lower one where they do not go beyond it with no
//! fewer in flight than reached the higher. All else is of the level of its neighbours in time, where both have one.

use super::alike::is_at_another_depth;
use super::levels::{LevelChange, change_within, is_apart};
use super::limit::limit_of;
use super::lone::LoneLatency;
use super::series::{DepthCurve, SUSTAIN, depth_curves};
use super::survey::is_fill;
use crate::stats::Interval;
use crate::summary::measured::PointResult;
use crate::words::{iops_within, level_within, rate_known, span};
use leadline_model::units::Nanos;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Time in which the rate stayed at one of two levels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunState {
    /// I/Os a second of the setting that shows it, with their interval.
    pub(crate) level: Interval,
    /// When it began, from the start of the run; between two points where it is known no better, the start of the second.
    pub(crate) from: Nanos,
    /// The stages that were measured in it throughout.
    pub(crate) stages: BTreeSet<u32>,
    /// The stage in which it began, which has a part of the one before.
    pub(crate) within: Option<u32>,
}

/// The states of a run, in order: one where its rate did not change, or no pair of levels is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunStates {
    /// None where no change is known.
    pub(crate) states: Vec<RunState>,
    /// Stages of which it is not known in which state they were measured.
    pub(crate) unknown: BTreeSet<u32>,
}

/// Two levels of the rate of a work.
#[derive(Clone, Copy, Debug)]
struct LevelPair {
    high: Interval,
    low: Interval,
}

impl LevelPair {
    /// At which of the two a rate is: the higher one, or the lower; `None` at neither.
    fn place(&self, iops: f64) -> Option<bool> {
        /// A rate within this share of a level is that level, at most.
        const NEAR: f64 = 0.05;
        let allowed = NEAR.min((self.high.value / self.low.value - 1.0) / 4.0);
        let near = |level: Interval| (iops / level.value - 1.0).abs() <= allowed;
        match (near(self.high), near(self.low)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Whether a change is by the factor between the two, which a limit that both share makes of any work.
    fn is_as_far(&self, change: &LevelChange) -> bool {
        /// Of few reads and writes a mix has as many of each by chance.
        const NEAR: f64 = 0.15;
        (change.times() * self.low.value / self.high.value - 1.0).abs() <= NEAR
    }

    /// Whether a change is from one of the two to the other.
    fn has(&self, change: &LevelChange) -> bool {
        let [first, last] = [change.before, change.after].map(|rate| self.place(rate));
        first.is_some() && last.is_some() && first != last
    }

    const fn level(&self, is_high: bool) -> Interval {
        if is_high { self.high } else { self.low }
    }
}

/// A point, and the change of level within it.
struct SeenPoint<'a> {
    point: &'a PointResult,
    change: Option<LevelChange>,
}

/// What a point is of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Placed {
    /// The higher level, or the lower.
    At(bool),
    /// First one, then the other, from then on.
    Both(bool, Nanos),
    /// Neither.
    Unknown,
}

impl RunStates {
    /// The states of points that run as fast as they can.
    pub(crate) fn of(points: &[PointResult]) -> Self {
        let as_fast = |p: &&PointResult| {
            let is_steady = p.setting.paced || p.setting.think.is_some();
            let is_one = !is_steady && !is_fill(p) && !p.name.starts_with(SUSTAIN);
            is_one && p.figures.data.ios > 0 && !p.is_held_up()
        };
        let seen = |point| SeenPoint {
            point,
            change: change_within(point),
        };
        let points: Vec<SeenPoint<'_>> = points.iter().filter(as_fast).map(seen).collect();
        let each = pairs(&points);
        let each = each.iter().map(|pair| Self::of_pair(&points, *pair));
        // Of several pairs the one that explains most.
        each.min_by_key(|found| Reverse(found.states.len()))
            .unwrap_or_default()
    }

    /// Those of one pair of levels.
    fn of_pair(points: &[SeenPoint<'_>], pair: LevelPair) -> Self {
        let mut states = Self::default();
        let mut open = BTreeSet::new();
        for seen in points {
            let point = seen.point;
            let began = point.intervals.first().map_or(Nanos::ZERO, |p| p.start);
            match place(seen, points, pair) {
                Placed::Unknown => {
                    open.insert(point.stage);
                }
                Placed::At(is_high) => {
                    let state = states.enter(pair.level(is_high), (began, None), &mut open);
                    state.stages.insert(point.stage);
                }
                Placed::Both(is_high, at) => {
                    states.enter(pair.level(is_high), (began, None), &mut open);
                    let within = (at, Some(point.stage));
                    states.enter(pair.level(!is_high), within, &mut open);
                }
            }
        }
        if let Some(last) = states.states.last_mut() {
            last.stages.append(&mut open);
        }
        states
    }

    /// The state at a level that a point is of: the last one, or a new one. Points before it that are of no known level are of
    /// it where nothing was before them or that was of this level too.
    fn enter(
        &mut self,
        level: Interval,
        (from, within): (Nanos, Option<u32>),
        open: &mut BTreeSet<u32>,
    ) -> &mut RunState {
        let is_last = |last: &RunState| last.level == level;
        let is_new = !self.states.last().is_some_and(is_last);
        if is_new {
            let is_first = self.states.is_empty();
            if !is_first {
                self.unknown.append(open);
            }
            self.states.push(RunState {
                level,
                from: if is_first { Nanos::ZERO } else { from },
                stages: BTreeSet::new(),
                within,
            });
        }
        let last = self.states.len() - 1;
        let state = &mut self.states[last];
        state.stages.append(open);
        state
    }

    /// Whether the rate left a level and was at it again later.
    pub(crate) fn go_back(&self) -> bool {
        self.states.len() > 2
    }

    /// The level of a stage, where that is known and it is of one.
    pub(crate) fn level_of(&self, stage: u32) -> Option<f64> {
        let own = self.states.iter().find(|s| s.stages.contains(&stage))?;
        Some(own.level.value)
    }

    /// Whether two stages were measured at one level of a rate that went back.
    pub(crate) fn go_back_to(&self, one: u32, other: u32) -> bool {
        let levels = [one, other].map(|stage| self.level_of(stage));
        self.go_back() && levels[0].is_some() && levels[0] == levels[1]
    }

    /// The stages of a curve that are not known to be of the level of its best point, where the rate went back.
    pub(super) fn others_of(&self, curve: &DepthCurve) -> BTreeSet<u32> {
        let best = curve.best_point().stage;
        let stages = curve.points.iter().map(|p| p.stage);
        let others = stages.filter(|stage| *stage != best && !self.go_back_to(best, *stage));
        others.filter(|_| self.go_back()).collect()
    }

    /// A curve without the points of another level than its best one has, or with all where too few are left; and with the latency
    /// of one I/O alone where that is of the best one's level.
    pub(super) fn of_one_level(&self, points: &[PointResult], curve: DepthCurve) -> DepthCurve {
        let mut curve = self.without_others(points, curve);
        let best = curve.best_point().stage;
        let lone = curve.alone_point(points);
        let lone = lone.filter(|lone| curve.alone_of_another && self.go_back_to(lone.stage, best));
        if lone.is_some() && curve.earlier.is_none() {
            curve.alone = LoneLatency::of(points, &curve.setting, 0);
            curve.alone_of_another = false;
        }
        curve
    }

    fn without_others(&self, points: &[PointResult], curve: DepthCurve) -> DepthCurve {
        let others = self.others_of(&curve);
        if others.is_empty() || curve.earlier.is_some() {
            return curve;
        }
        let kept = points.iter().filter(|p| !others.contains(&p.stage));
        let curves = depth_curves(&kept.cloned().collect::<Vec<_>>());
        let own = |other: &DepthCurve| is_at_another_depth(&other.setting, &curve.setting);
        curves.into_iter().find(own).unwrap_or(curve)
    }

    /// The state in which all of some stages were measured; `None` where they are of several, or of none that is known.
    pub(crate) fn of_all(&self, stages: &BTreeSet<u32>) -> Option<&RunState> {
        self.states
            .iter()
            .find(|state| stages.is_subset(&state.stages))
    }

    /// The levels in order, and the points of each of the lower ones by name, as sentences; `None` where the rate did not go back.
    pub(crate) fn words(&self, points: &[PointResult]) -> Option<String> {
        let (first, others) = self.states.split_first().filter(|_| self.go_back())?;
        let step = |state: &RunState| {
            // Between two points it is known no better.
            let when = if state.within.is_some() { "from" } else { "by" };
            let from = span(state.from.0 as f64);
            // What was said of the first level is not said again.
            let rate = match state.level == first.level {
                true => format!("{} IOPS", rate_known(&state.level)),
                false => level_within(&state.level, iops_within),
            };
            format!("{rate} {when} {from}")
        };
        let steps: Vec<String> = others.iter().map(step).collect();
        let of = |is: &dyn Fn(u32) -> bool| {
            let own = points.iter().filter(|p| is(p.stage) && !is_fill(p));
            own.map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let levels = self.states.iter().map(|s| s.level);
        let low = levels.min_by(|one, other| one.value.total_cmp(&other.value))?;
        let is_low = |state: &&RunState| state.level == low;
        let lower: Vec<&RunState> = self.states.iter().filter(is_low).collect();
        let parts = [
            (
                format!("at {} IOPS", rate_known(&low)),
                of(&|stage| lower.iter().any(|s| s.stages.contains(&stage))),
            ),
            (
                "at both".to_owned(),
                of(&|stage| self.states.iter().any(|s| s.within == Some(stage))),
            ),
            (
                "at one of the two, not known which".to_owned(),
                of(&|stage| self.unknown.contains(&stage)),
            ),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what}: {names}"))
            .collect();
        Some(format!(
            "The rate changed during the run and went back: {} at first, {}. Measured {}.",
            level_within(&first.level, iops_within),
            steps.join(", "),
            parts.join("; ")
        ))
    }
}

/// The depth curves among points, each of one state: where burst credits were spent, what was measured before that is no part of
/// a curve that has points of after it. The first curve, which is measured again then, is as it is.
#[must_use]
pub fn curves_of_one_state(points: &[PointResult]) -> Vec<DepthCurve> {
    let curves = depth_curves(points);
    let limit = curves.first().and_then(|curve| limit_of(points, curve));
    let Some(credits) = limit.and_then(|limit| limit.credits) else {
        return curves_at_one_level(points, curves);
    };
    let is_early = |p: &PointResult| {
        let began = p.intervals.iter().find(|passed| !passed.warmup);
        began.is_some_and(|first| first.start < credits.fell_at)
    };
    let early = curves.iter().skip(1).flat_map(|curve| {
        let early = curve.points.iter().filter(|p| is_early(p));
        let early: Vec<u32> = early.map(|p| p.stage).collect();
        let some_are_late = early.len() < curve.points.len();
        early.into_iter().filter(move |_| some_are_late)
    });
    let early: BTreeSet<u32> = early.collect();
    let kept = points.iter().filter(|p| !early.contains(&p.stage));
    depth_curves(&kept.cloned().collect::<Vec<_>>())
}

/// The curves without points of another level than the best of each has, where the rate changed and went back; a curve of which
/// fewer than three points are left is none.
fn curves_at_one_level(points: &[PointResult], curves: Vec<DepthCurve>) -> Vec<DepthCurve> {
    let states = RunStates::of(points);
    let plain = curves.iter().filter(|curve| curve.earlier.is_none());
    let others: BTreeSet<u32> = plain.flat_map(|curve| states.others_of(curve)).collect();
    if others.is_empty() {
        return curves;
    }
    let kept = points.iter().filter(|p| !others.contains(&p.stage));
    depth_curves(&kept.cloned().collect::<Vec<_>>())
}

/// The pairs of levels that the points themselves show: of a change within one, or of a setting that was measured twice.
fn pairs(points: &[SeenPoint<'_>]) -> Vec<LevelPair> {
    let of = |[a, b]: [Interval; 2]| match a.value > b.value {
        true => LevelPair { high: a, low: b },
        false => LevelPair { high: b, low: a },
    };
    let within = points.iter().filter_map(|seen| {
        let change = seen.change.as_ref()?;
        Some(of(change.levels))
    });
    let points: Vec<&PointResult> = points.iter().map(|seen| seen.point).collect();
    let again = points.iter().enumerate().filter_map(|(place, late)| {
        let is_one = |early: &&&PointResult| {
            let are_known = early.can_be_compared() && late.can_be_compared();
            are_known && early.setting == late.setting && is_apart(early, late)
        };
        let early = points[..place].iter().find(is_one)?;
        Some(of([early.working_known(), late.working_known()]))
    });
    let is_pair = |pair: &LevelPair| pair.low.value > 0.0;
    within.chain(again).filter(is_pair).collect()
}

/// Of which level a point is: of one of work that was measured at both, since what has a limit of its own may be at one of them
/// whatever the volume does.
fn place(seen: &SeenPoint<'_>, points: &[SeenPoint<'_>], pair: LevelPair) -> Placed {
    let own = |p: &&SeenPoint<'_>| is_at_another_depth(&p.point.setting, &seen.point.setting);
    let alike: Vec<&SeenPoint<'_>> = points.iter().filter(own).collect();
    if let Some(change) = seen.change.as_ref().filter(|own| pair.is_as_far(own)) {
        return Placed::Both(change.fell, change.at);
    }
    let is_of_both = |seen: &SeenPoint<'_>| seen.change.as_ref().is_some_and(|own| pair.has(own));
    let each = || alike.iter().map(|p| alone(p, &alike, pair));
    let has = |is_high: bool| {
        alike.iter().any(|p| is_of_both(p)) || each().any(|placed| placed == Placed::At(is_high))
    };
    match has(true) && has(false) {
        true => alone(seen, &alike, pair),
        false => Placed::Unknown,
    }
}

/// The same by the points of its own work, which are alike.
fn alone(seen: &SeenPoint<'_>, alike: &[&SeenPoint<'_>], pair: LevelPair) -> Placed {
    let point = seen.point;
    if seen.change.is_some() || !point.can_be_compared() {
        return Placed::Unknown;
    }
    let reaches = |p: &PointResult| pair.place(p.working_iops());
    let could_more = || {
        let mut no_more = alike.iter().map(|seen| seen.point);
        no_more.any(|p| p.in_flight <= point.in_flight && reaches(p) == Some(true))
    };
    match reaches(point) {
        Some(true) => Placed::At(true),
        Some(false) if could_more() => Placed::At(false),
        _ => Placed::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use leadline_model::op::Op;
    use leadline_model::plan::OpMix;

    /// Points of reads at these depths and of N a second, writes where the depth is 0.
    fn points(each: &[(u32, u64)]) -> Vec<PointResult> {
        let load = |&(depth, rate): &(u32, u64)| {
            let op = if depth == 0 { Op::Write } else { Op::Read };
            vec![Load::simple(op, rate, 4096, 100_000, 10)]
        };
        let stage = |&(depth, _): &(u32, u64)| {
            let mix = match depth {
                0 => OpMix::Only(Op::Write),
                _ => OpMix::reads(),
            };
            (
                "p",
                vec![fixture::workload("w", mix, 4096, depth.max(1), 10)],
            )
        };
        let plan = fixture::plan(each.iter().map(stage).collect());
        let loads: Vec<_> = each.iter().map(load).collect();
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        PointResult::all(&run)
    }

    fn states(each: &[(u32, u64)]) -> RunStates {
        RunStates::of(&points(each))
    }

    fn stages(states: &RunStates) -> Vec<Vec<u32>> {
        let each = states.states.iter();
        each.map(|s| s.stages.iter().copied().collect()).collect()
    }

    /// 2,000, then 1,200, then 2,000 again: what is between two points of one level is of that, and what is between two levels
    /// is of one of them.
    #[test]
    fn a_rate_that_went_back_has_three_states() {
        let found = states(&[
            (1, 2000),
            (32, 2000),
            (0, 900),
            (2, 1200),
            (0, 1200),
            (1, 1200),
            (1, 2000),
        ]);
        assert_eq!(stages(&found), [vec![0, 1], vec![3, 4, 5], vec![6]]);
        assert_eq!(found.unknown, BTreeSet::from([2]));
        assert!(found.go_back());
        let mixes = |stages: &[u32]| found.of_all(&stages.iter().copied().collect()).is_some();
        assert!(mixes(&[3, 4]) && !mixes(&[2, 3]) && !mixes(&[1, 3]));
    }

    /// One I/O at a time that reaches half of the rate does so by its latency, whatever the rate fell to later; and without a
    /// point that shows a change there is none, however the rates differ.
    #[test]
    fn a_low_depth_and_a_curve_are_no_states() {
        let found = states(&[(1, 1000), (32, 2000), (32, 1000)]);
        assert_eq!(stages(&found), [vec![0, 1], vec![2]]);
        assert!(!found.go_back());
        assert_eq!(
            states(&[(1, 1000), (8, 2000), (64, 1000), (0, 500)]),
            RunStates::default()
        );
    }

    /// A rate of a few milliseconds is no level.
    #[test]
    fn a_moment_is_no_state() {
        let mut short = points(&[(32, 2000), (32, 1000), (32, 2000)]);
        assert!(RunStates::of(&short).go_back());
        short[1].figures.span = Nanos::from_millis(5);
        short[1].figures.data.certainty.iops = None;
        let found = RunStates::of(&short);
        assert!(found.states.is_empty(), "{found:?}");
    }
}
