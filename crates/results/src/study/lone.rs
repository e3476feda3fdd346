//! One I/O that waits for no other: how long it takes, and the point that shows it.
//!
//! Must never: say what is needed in flight (`super::series` does).

use super::alike::{family_of, is_at_another_depth};
use crate::stats::{FEWEST_EVENTS, Interval};
use crate::summary::measured::{MANY, PointResult, Setting};

/// Practically all of a rate.
const ALL: f64 = 0.95;

/// Mean latency of one I/O that waits for no other, and the point that it is of.
///
/// One I/O after another where that is not throttled: Little's law holds of its mean, whatever the latencies are, and the rate
/// of such a point is its inverse. After a pause where that is shown to be quicker, since something makes even one at a time
/// wait then, as a cap does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoneLatency {
    /// Seconds: of all, the slow ones that are the target's own included; without the few I/Os that met a stall where those are
    /// events (`between_stalls`).
    pub mean_s: Interval,
    /// A few I/Os met a stall and are left out, of the rate likewise.
    pub between_stalls: bool,
    /// Of I/Os with a pause before each.
    pub paused: bool,
    /// One with a pause before each I/O was measured, whichever of the two this is.
    pub has_paused: bool,
    /// In flight over all hosts while it was measured: one of each host.
    pub in_flight: u64,
    /// Measured before the rate fell: what is left of the rate makes one I/O at a time wait.
    pub before: bool,
}

impl LoneLatency {
    /// Of the points from the stage `since` on.
    pub(super) fn of(points: &[PointResult], setting: &Setting, since: u32) -> Option<Self> {
        let known = |point: &PointResult, paused: bool| {
            // Several are no chance, but how long I/Os take.
            let is_few = point.delayed().is_some_and(|found| found.ios < MANY as u64);
            let stalls = point
                .stalls
                .as_ref()
                .filter(|stalls| !stalls.often && !paused);
            let between_stalls = stalls.is_some() || is_few;
            let mean_s = match (stalls, is_few) {
                // Little's law: one after another, the rate is the inverse of the mean latency.
                (Some(stalls), _) => {
                    let within = point.mean_s();
                    let mean = point.in_flight as f64 / stalls.iops.max(1e-9);
                    within.scaled(mean / within.value.max(1e-12))
                }
                (None, true) => point.mean_without_stalls(),
                (None, false) => point.mean_s(),
            };
            Self {
                mean_s,
                between_stalls,
                paused,
                has_paused: paused,
                in_flight: point.in_flight,
                before: false,
            }
        };
        let in_turn = alone(points, setting, since).filter(is_enough);
        let in_turn = in_turn.map(|point| known(point, false));
        let paused = undisturbed(points, setting, since).filter(is_enough);
        let paused = paused.map(|point| known(point, true));
        match (in_turn, paused) {
            (Some(in_turn), Some(paused)) if is_quicker(&paused.mean_s, &in_turn.mean_s) => {
                Some(paused)
            }
            (Some(in_turn), Some(_)) => Some(Self {
                has_paused: true,
                ..in_turn
            }),
            (in_turn, paused) => in_turn.or(paused),
        }
    }

    /// Of a curve that was measured again because credits were spent: that of before, where one I/O at a time reaches the rate
    /// that is left and so waits for it, and took less before.
    pub(super) fn unless_paced(self, points: &[PointResult], again: &[PointResult]) -> Self {
        let Some(deepest) = again.last() else {
            return self;
        };
        let (setting, left) = (&deepest.setting, deepest.working_iops());
        let is_paced = alone(again, setting, 0).is_some_and(|one| one.working_iops() >= ALL * left);
        let of_credits = rests_show_credits(points, setting, left);
        let before = Self::of(points, setting, 0).filter(|_| is_paced && of_credits);
        let before = before.filter(|before| is_quicker(&before.mean_s, &self.mean_s));
        before.map_or(self, |before| Self {
            before: true,
            ..before
        })
    }

    /// Whether it may be what a limit of this rate makes one I/O at a time wait: that reached it, and none was measured after a pause.
    #[must_use]
    pub fn may_wait_for(&self, highest: f64) -> bool {
        let one = self.in_flight as f64 / self.mean_s.value.max(1e-12);
        !self.has_paused && !self.before && one >= ALL * highest
    }

    /// How it was measured, for a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        let how = match (self.paused, self.in_flight) {
            (true, _) => "of an I/O after a pause".to_owned(),
            (false, 1) => "at depth 1".to_owned(),
            (false, all) => format!("with {all} in flight, one on each host"),
        };
        match self.before {
            true => format!("{how} before the credits were spent"),
            false => how,
        }
    }
}

/// Whether a curve's rate after a rest began above the one that is left: it was paid with credits.
pub(super) fn rests_show_credits(points: &[PointResult], setting: &Setting, left: f64) -> bool {
    /// A rate after a pause that is above the one that stays by this factor was paid with credits.
    const RETURNED: f64 = 1.1;
    let is_rest = |p: &&PointResult| {
        family_of(&p.name).0 == "rest" && is_at_another_depth(&p.setting, setting)
    };
    let mut rests = points.iter().filter(is_rest);
    rests.any(|rest| rest.rates.first() > Some(&(left * RETURNED)))
}

/// Whether a point has enough I/Os for a mean.
pub(super) fn is_enough(point: &&PointResult) -> bool {
    point.figures.data.ios >= FEWEST_EVENTS
}

/// The point of one I/O alone in flight that is otherwise as in `setting`, from the stage `since` on.
pub(super) fn alone<'a>(
    points: &'a [PointResult],
    setting: &Setting,
    since: u32,
) -> Option<&'a PointResult> {
    let one = Setting {
        depth: 1,
        jobs: 1,
        in_flight: 1,
        ..setting.clone()
    };
    points
        .iter()
        .find(|p| p.stage >= since && p.setting == one && p.figures.data.ios > 0)
}

/// The point of one such I/O after an idle moment: without what a cap makes even one at a time wait.
fn undisturbed<'a>(
    points: &'a [PointResult],
    setting: &Setting,
    since: u32,
) -> Option<&'a PointResult> {
    points.iter().filter(|p| p.stage >= since).find(|p| {
        let think = p.setting.think.filter(|_| p.setting.in_flight == 1);
        let one = Setting {
            depth: 1,
            jobs: 1,
            in_flight: 1,
            think,
            // Of several hosts one makes the bursts.
            hosts: p.setting.hosts.clone(),
            ..setting.clone()
        };
        think.is_some() && p.setting == one && p.figures.data.ios > 0
    })
}

/// It is quicker than one alone where its mean is less than this share of that one's.
const QUICKER: f64 = 0.95;

/// Whether the mean latency with pauses is surely less than that of one after the other: then something paces those, a
/// limit of the rate for example, and theirs is not how long an I/O takes.
pub(super) fn is_quicker(paused: &Interval, other: &Interval) -> bool {
    paused.value < QUICKER * other.value && paused.high < other.low
}
