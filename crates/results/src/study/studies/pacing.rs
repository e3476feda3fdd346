//! What a budget leaves for each point of a study.
//!
//! Belongs here: how far points are shortened, what is kept for those that are planned, and what is left for those that a
//! search adds. Must never: choose a point.

use super::done::Measured;
use super::series::Pass;
use super::spec::Spec;
use super::{confirming, next_spec, search, specs};
use crate::study::narrow;
use crate::words::{span, whole};
use leadline_model::plan::study::{Question, Role, Study};
use leadline_model::plan::{Stage, Stop};
use leadline_model::units::{Bytes, Nanos};
use std::collections::{BTreeMap, BTreeSet};

/// No point is shortened below this.
const SHORTEST: Nanos = Nanos::from_secs(1);
/// A budget may be exceeded by this share: times are rounded, and points take time to start and end.
const SLACK: f64 = 0.01;

/// What time is left for points that were not planned: more rounds, points between others, tries, confirmations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// In nanoseconds; `None` = there is no budget.
    left: Option<i128>,
    /// By how much it may be exceeded, in nanoseconds.
    slack: i128,
    share: f64,
}

impl Room {
    /// Without a budget.
    pub(super) const ANY: Self = Self {
        left: None,
        slack: 0,
        share: 1.0,
    };

    /// Whether a point fits, as long as it would be measured.
    pub(super) fn holds(&self, spec: &Spec) -> bool {
        self.left.is_none_or(|left| self.length(spec) <= left)
    }

    /// A point that time was kept for, in what is left: shorter where others took a little longer than they were to, as
    /// I/Os in flight end after their time; `None` where not even the shortest fits.
    pub(super) fn fitted(&self, spec: &Spec) -> Option<Spec> {
        let over = self
            .left
            .map_or(0, |left| self.length(spec) - left - self.slack);
        let Some(over) = u64::try_from(over).ok().filter(|over| *over > 0) else {
            return Some(spec.clone());
        };
        let time = shortened(spec, self.share).time?.0.checked_sub(over)?;
        let planned = whole(time as f64 / self.share);
        (time >= SHORTEST.0).then(|| Spec {
            time: Some(Nanos(planned)),
            ..spec.clone()
        })
    }

    fn length(&self, spec: &Spec) -> i128 {
        let length = shortened(spec, self.share).length();
        length.map_or(0, |length| i128::from(length.0))
    }
}

/// A point shortened to its share of the time of all.
fn shortened(spec: &Spec, share: f64) -> Spec {
    let shorter = |time: Nanos| Nanos(whole(time.0 as f64 * share));
    Spec {
        time: spec.time.map(|time| shorter(time).max(SHORTEST).min(time)),
        ..spec.clone()
    }
}

/// The time that was spent, in nanoseconds: all points that are done with their pauses.
fn spent(done: &[Measured]) -> i128 {
    let each = done
        .iter()
        .map(|m| i128::from(m.took.0) + i128::from(m.pause.0));
    each.sum()
}

/// The best points that will be measured once more, at the most: those of each state of the system.
fn confirmations(study: &Study) -> u64 {
    if study.repeats > 1 {
        return 0;
    }
    let passes = Pass::all(study);
    let of = |pass: &Pass<'_>| confirming::planned(study, &search(study, pass.repeat).outlook());
    passes.iter().map(of).sum()
}

/// The points that are known before the first, as long as the budget lets them be.
pub(super) struct Pacing {
    specs: Vec<Spec>,
    /// What of the planned time each is measured for.
    share: f64,
    /// What the points that ended early have left of their time, less what others took more, in nanoseconds; `None` = there
    /// is no budget, or the search shares it out itself.
    saved: Option<i128>,
}

impl Pacing {
    /// Of a study of which these points are done: what the fills, and all else that ends with its work, have left of the
    /// budget is shared by all points.
    pub(super) fn of(study: &Study, done: &[Measured]) -> Self {
        let specs = specs(study);
        let searches = matches!(study.question, Question::Limit { .. });
        let Some(budget) = study.timing.budget.filter(|_| !searches) else {
            return Self {
                specs,
                share: 1.0,
                saved: None,
            };
        };
        let again = confirmations(study);
        let timing = &study.timing;
        let left = i128::from(budget.0) - untimed(study, &specs, done);
        let measured: u64 = specs.iter().filter_map(|s| s.time).map(|t| t.0).sum();
        let measured = measured.saturating_add(again.saturating_mul(timing.time.0));
        let apart: u64 = specs.iter().map(|s| s.warmup.0 + s.pause.0).sum();
        let apart = apart.saturating_add(again.saturating_mul(timing.warmup.0));
        let share = (left - i128::from(apart)).max(0) as f64 / measured.max(1) as f64;
        let mut pacing = Self {
            specs,
            share: share.min(1.0),
            saved: None,
        };
        pacing.saved = Some(pacing.saved(study, done));
        pacing
    }

    /// Every stage that is known, in order.
    pub(super) fn stages(&self, study: &Study) -> Vec<Stage> {
        let stage = |spec| shortened(spec, self.share).stage(study);
        self.specs.iter().map(stage).collect()
    }

    /// What the points that are known take at the least, the best ones once more among them.
    fn least(&self, study: &Study) -> Nanos {
        let least = |spec: &Spec| {
            let is_step = matches!(spec.role, Role::Trial | Role::Confirmation);
            let short = shortened(spec, 0.0);
            // How long a step of a search would be is only known in its time.
            let time = short.time.map(|time| if is_step { SHORTEST } else { time });
            Spec { time, ..short }.length()
        };
        let all: u64 = self.specs.iter().filter_map(least).map(|l| l.0).sum();
        let timing = &study.timing;
        let one = timing.time.min(SHORTEST).0.saturating_add(timing.warmup.0);
        Nanos(all.saturating_add(confirmations(study).saturating_mul(one)))
    }

    /// What the points that are done have left of the time that each would have had.
    fn saved(&self, study: &Study, done: &[Measured]) -> i128 {
        let times: BTreeMap<String, u64> = self
            .specs
            .iter()
            .filter_map(|spec| Some((spec.name(study), self.shortened(spec).length()?.0)))
            .collect();
        let each = done
            .iter()
            .filter_map(|m| Some((times.get(&m.name)?, m.took.0 + m.pause.0)));
        each.map(|(time, took)| i128::from(*time) - i128::from(took))
            .sum()
    }

    /// A point as long as it is measured.
    fn shortened(&self, spec: &Spec) -> Spec {
        shortened(spec, self.share)
    }

    /// The stage of a point, which ends when its figures are known where that is wanted.
    fn stage(&self, study: &Study, done: &[Measured], spec: &Spec) -> Stage {
        let short = self.shortened(spec);
        let mut stage = short.stage(study);
        let is_measured = matches!(spec.role, Role::Maximum | Role::Point) || spec.is_once_more();
        if let (Some(time), Some(half_ppm), true) = (short.time, study.timing.narrow, is_measured) {
            let saved = match spec.is_once_more() {
                true => self.left_beside(study, done, spec),
                false => self.saved,
            };
            narrow::let_end(&mut stage, time, half_ppm, saved);
        }
        stage
    }

    /// What the budget has beyond a best point once more and those that follow it, in nanoseconds; `None` = there is no budget.
    fn left_beside(&self, study: &Study, done: &[Measured], spec: &Spec) -> Option<i128> {
        let left = self.room(study, done).left?;
        let before = done.iter().filter(|m| m.is_once_more()).count() as u64;
        let follow = confirmations(study).saturating_sub(before + 1);
        let kept = follow.saturating_mul(self.once_more(study));
        let own = self.shortened(spec).length().unwrap_or_default();
        Some(left - i128::from(kept) - i128::from(own.0))
    }

    /// What follows a point, about: what is known before the first, and the best points once more.
    pub(super) fn after(&self, study: &Study, done: &[Measured], next: &Spec) -> Nanos {
        let length = |spec: &Spec| self.shortened(spec).length().map_or(0, |length| length.0);
        let confirms = done.iter().filter(|m| m.is_once_more()).count() as u64
            + u64::from(next.is_once_more());
        let again = confirmations(study).saturating_sub(confirms);
        let again = again.saturating_mul(self.once_more(study));
        if matches!(
            study.question,
            Question::Limit { .. } | Question::Map { .. }
        ) {
            // Rates are in their names, which are not known before: what is left of the whole.
            let all: u64 = self.specs.iter().map(length).sum();
            let untimed = self.specs.iter().filter(|spec| spec.time.is_none());
            let untimed: BTreeSet<String> = untimed.map(|spec| spec.name(study)).collect();
            let timed = done.iter().filter(|m| !untimed.contains(&m.name));
            let took: u64 = timed.map(|m| m.took.0 + m.pause.0).sum();
            let left = all.saturating_sub(took).saturating_sub(length(next));
            return Nanos(left.saturating_add(again));
        }
        let (names, name) = (done.iter().map(|m| m.name.as_str()), next.name(study));
        let known: BTreeSet<&str> = names.chain([name.as_str()]).collect();
        let open = self.specs.iter();
        let open = open.filter(|spec| !known.contains(spec.name(study).as_str()));
        let planned = open.map(length).sum::<u64>().saturating_add(again);
        let all = planned.saturating_add(self.added(study, done, next));
        let Some(budget) = study.timing.budget else {
            return Nanos(all);
        };
        let left = i128::from(budget.0) - spent(done) - i128::from(length(next));
        Nanos(all.min(u64::try_from(left).unwrap_or(0).max(planned)))
    }

    /// Whether more may follow than [`Self::after`] counts: the point is one that a search added by what it measured, or
    /// the whole time of a search over rates is spent.
    pub(super) fn may_go_on(&self, study: &Study, done: &[Measured], next: &Spec) -> bool {
        if next.is_once_more() {
            return false;
        }
        let is_search = matches!(
            study.question,
            Question::Limit { .. } | Question::Map { .. }
        );
        match is_search {
            true => self.after(study, done, next) == Nanos::ZERO,
            false => {
                let name = next.name(study);
                let mut planned = self.specs.iter();
                !planned.any(|spec| spec.name(study) == name)
            }
        }
    }

    /// What a search will add to this repeat and those to come, in nanoseconds: as much each as it added, on average, to
    /// those that are done. Before the first has ended nothing is known of it.
    fn added(&self, study: &Study, done: &[Measured], next: &Spec) -> u64 {
        let names: BTreeSet<String> = self.specs.iter().map(|spec| spec.name(study)).collect();
        let is_added = |m: &&Measured| !names.contains(&m.name) && !m.is_once_more();
        let of = |pass: &Pass<'_>| -> u64 {
            let own = done.iter().filter(|m| pass.has(m));
            own.filter(is_added).map(|m| m.took.0 + m.pause.0).sum()
        };
        let passes = Pass::all(study);
        let Some(now) = passes.iter().position(|pass| pass.takes(next)) else {
            return 0;
        };
        let before: u64 = passes[..now].iter().map(of).sum();
        let Some(each) = before.checked_div(now as u64) else {
            return 0;
        };
        let here = match names.contains(&next.name(study)) {
            true => 0,
            false => self.shortened(next).length().map_or(0, |length| length.0),
        };
        let to_come = (passes.len() - now - 1) as u64;
        let this = each.saturating_sub(of(&passes[now]).saturating_add(here));
        this.saturating_add(each.saturating_mul(to_come))
    }

    /// How long a best point is measured once more, with its warm-up.
    fn once_more(&self, study: &Study) -> u64 {
        self.time(study).0.saturating_add(study.timing.warmup.0)
    }

    /// How long a point of the study's time is measured.
    fn time(&self, study: &Study) -> Nanos {
        let time = study.timing.time;
        let shorter = Nanos(whole(time.0 as f64 * self.share));
        shorter.max(SHORTEST).min(time)
    }

    /// What is left for points that were not planned: of the budget, less what was spent and what the planned ones need
    /// that are not done yet.
    pub(super) fn room(&self, study: &Study, done: &[Measured]) -> Room {
        let Some(budget) = study.timing.budget else {
            return Room::ANY;
        };
        let names: BTreeSet<&str> = done.iter().map(|m| m.name.as_str()).collect();
        let is_map = matches!(study.question, Question::Map { .. });
        // The names of a map's pairs are not known before its highest rates are: until then all of them are to come.
        let (mut open, mut is_ahead) = (0, true);
        for spec in &self.specs {
            let is_open = !names.contains(spec.name(study).as_str());
            if is_map && spec.role == Role::Maximum {
                is_ahead = is_open;
            }
            if is_open && (is_ahead || !is_map) {
                let length = self.shortened(spec).length();
                open += length.map_or(0, |length| i128::from(length.0));
            }
        }
        Room {
            left: Some(i128::from(budget.0) - spent(done) - open),
            slack: i128::from(whole(budget.0 as f64 * SLACK)),
            share: self.share,
        }
    }

    /// The same with room kept for the best points once more.
    pub(super) fn room_before_confirmations(&self, study: &Study, done: &[Measured]) -> Room {
        let room = self.room(study, done);
        if room.left.is_none() {
            return room;
        }
        let again = done.iter().filter(|m| m.is_once_more()).count() as u64;
        let kept = confirmations(study)
            .saturating_sub(again)
            .saturating_mul(self.once_more(study));
        Room {
            left: room.left.map(|left| left - i128::from(kept)),
            ..room
        }
    }

    /// Whether a point that comes next ends within the budget.
    fn holds(&self, study: &Study, done: &[Measured], spec: &Spec) -> bool {
        let Some(budget) = study.timing.budget else {
            return true;
        };
        let length = self.shortened(spec).length().unwrap_or_default();
        let end = spent(done) + i128::from(length.0);
        end as f64 <= budget.0 as f64 * (1.0 + SLACK)
    }

    /// The stage of the point that comes next, which ends with the budget where it has no end of its own; `None` where it
    /// would end later.
    pub(super) fn stage_within(
        &self,
        study: &Study,
        done: &[Measured],
        spec: &Spec,
    ) -> Option<Stage> {
        if !self.holds(study, done, spec) {
            return None;
        }
        let mut stage = self.stage(study, done, spec);
        if let (Some(budget), None) = (study.timing.budget, spec.time) {
            let left = i128::from(budget.0) - spent(done);
            let left = Nanos(u64::try_from(left.max(1)).unwrap_or(u64::MAX));
            for workload in &mut stage.workloads {
                workload.stop = Stop {
                    runtime: Some(left),
                    ..workload.stop.clone()
                };
            }
        }
        Some(stage)
    }
}

/// What fills, and all else that ends with its work, take in all, in nanoseconds: those that are done, and those to come as
/// fast as the first of them.
fn untimed(study: &Study, specs: &[Spec], done: &[Measured]) -> i128 {
    let bytes = |spec: &Spec| {
        let loads = spec.loads.iter();
        let each = loads.map(|load| load.elsewhere.unwrap_or(study.scope.dataset) as f64);
        each.sum::<f64>()
    };
    let untimed: Vec<(String, f64)> = specs
        .iter()
        .filter(|spec| spec.time.is_none())
        .map(|spec| (spec.name(study), bytes(spec)))
        .collect();
    let took = |name: &str| {
        let own = done.iter().find(|m| m.name == name);
        own.map(|m| m.took.0 as f64)
    };
    let first = untimed
        .iter()
        .find_map(|(name, bytes)| Some(took(name)? / bytes.max(1.0)));
    let each = untimed.iter().map(|(name, bytes)| {
        let planned = first.map_or(0.0, |per_byte| per_byte * bytes);
        took(name).unwrap_or(planned)
    });
    i128::from(whole(each.sum()))
}

/// Whether a study may measure more points than those that are known before the first: those that a search adds, or the
/// best one once more.
#[must_use]
pub fn may_add(study: &Study) -> bool {
    let searches = matches!(
        study.question,
        Question::Depth
            | Question::Curve { .. }
            | Question::Limit { .. }
            | Question::Cache { .. }
            | Question::Map { .. }
            | Question::Steady { .. }
    );
    searches || confirmations(study) > 0
}

/// How long a study measures each point, as far as that is known before the first: where a budget shortens them, as initial
/// writes at 200 MiB/s would leave it, which take half of it at the most.
#[must_use]
pub fn point_time(study: &Study) -> Nanos {
    const WRITTEN: f64 = 200.0 * Bytes::MIB as f64;
    let pacing = Pacing::of(study, &[]);
    let time = pacing.time(study);
    let Some(budget) = study.timing.budget.filter(|_| time < study.timing.time) else {
        return time;
    };
    let writes = pacing.specs.iter().filter(|spec| spec.time.is_none());
    let bytes = writes.count() as f64 * study.scope.dataset as f64;
    let share = bytes / WRITTEN / budget.as_secs_f64().max(1e-9);
    let left = time.0 as f64 * (1.0 - share.min(0.5));
    Nanos(whole(left)).max(SHORTEST.min(time))
}

/// How many stages a study has, those that write data among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageCount {
    /// Those that are known before the first: a search may leave some out.
    pub known: usize,
    /// No more than these, where a search adds some by what it measures and that has a bound.
    pub most: Option<usize>,
}

impl StageCount {
    /// Of what adds none.
    #[must_use]
    pub const fn known(known: usize) -> Self {
        Self { known, most: None }
    }
}

/// How many stages a study has: those that are known before the first, the best points once more, and what its search may
/// add at the most, where that is known.
#[must_use]
pub fn stage_count(study: &Study) -> StageCount {
    let again = usize::try_from(confirmations(study)).unwrap_or(0);
    let known = specs(study).len() + again;
    let passes = Pass::all(study);
    let added = passes.iter().map(|pass| {
        let search = search(study, pass.repeat);
        Some(search.most()?.saturating_sub(search.outlook().len()))
    });
    let added = added.sum::<Option<usize>>().filter(|more| *more > 0);
    StageCount {
        known,
        most: added.map(|more| known + more),
    }
}

/// What the points that are known take at the least, where that is more than the budget.
#[must_use]
pub fn beyond_budget(study: &Study) -> Option<Nanos> {
    let budget = study.timing.budget?;
    let least = Pacing::of(study, &[]).least(study);
    (least > budget).then_some(least)
}

/// A sentence that the budget ended a study before all of its points were measured.
pub(super) fn cut_short(study: &Study, done: &[Measured]) -> Option<String> {
    let budget = study.timing.budget?;
    let pacing = Pacing::of(study, done);
    let next = next_spec(study, done, &pacing)?;
    if pacing.holds(study, done, &next) {
        // It was ended by something else.
        return None;
    }
    if next.is_once_more() {
        return Some(format!(
            "The budget of {budget} ended before every highest rate was confirmed by another run (the next would have been \
             {}): one that was not confirmed may be high by chance.",
            next.name(study)
        ));
    }
    let before = untimed(study, &pacing.specs, done) as f64;
    let needed = Pacing::of(study, &[]).least(study).0 as f64 + before;
    Some(format!(
        "The budget of {budget} ended before all points were measured: the initial writes take {}, and even the \
         shortest points after them would end at {}. Use a longer budget or fewer values.",
        span(before),
        span(needed)
    ))
}
