//! The experiment that would decide between the remaining causes, as data.

use super::bursts::ONE;
use super::causes::{Cause, Certainty, Limit, is_at_once};
use super::decision::Deciding;
use super::{Experiment, Means, cached, family_of, first_round, is_made_again, last_round};
use crate::study::limit::round::Round;
use crate::study::series::DepthCurve;
use crate::summary::measured::PointResult;
use leadline_model::units::Nanos;

/// How many times as long as in the survey its points are measured.
pub const LONGER: u32 = 4;

/// The experiment that would decide; `None` if one already has, none can from this host, or it was already run for longer.
pub(super) fn deciding(
    limit: &Limit,
    points: &[PointResult],
    curve: &DepthCurve,
) -> Option<Deciding> {
    separating(limit, curve).filter(|deciding| !was_made(*deciding, points, curve))
}

/// Whether it was made for longer than in a survey.
fn was_made(deciding: Deciding, points: &[PointResult], curve: &DepthCurve) -> bool {
    let families: &[&str] = match deciding {
        Deciding::Bursts => &["burst"],
        Deciding::Sizes => &["size"],
        Deciding::Connections => &["connections"],
        // It is another run.
        Deciding::MoreOfMount => &[],
        Deciding::OneHost => &["hosts"],
        Deciding::LargerSet => &[cached::LARGER],
        Deciding::All => &["burst", "size"],
    };
    let is_of = |point: &&PointResult| families.contains(&family_of(&point.name).0);
    let last = last_round(curve);
    let made = points.iter().filter(|p| is_made_again(&p.name, last));
    made.filter(is_of).count() > 0
}

/// What separates the causes that a limit leaves possible.
fn separating(limit: &Limit, curve: &DepthCurve) -> Option<Deciding> {
    let has = |cause: Cause| limit.possible.contains(&cause);
    let at_once = limit.possible.iter().any(|cause| is_at_once(*cause));
    if limit.certainty == Certainty::Shown || has(Cause::Generator) || has(Cause::Host) {
        return None;
    }
    if limit.may_be_one_stage() {
        return limit.held_up.then_some(Deciding::All);
    }
    match limit.leading {
        Some(Cause::IopsCap) if at_once => return Some(Deciding::Bursts),
        // A longer look finds the same few tenths of a percent.
        Some(_) => return None,
        None => {}
    }
    if limit.may_be_of_the_connections() {
        return Some(Deciding::MoreOfMount);
    }
    if limit.close {
        // Both are, and each experiment shows so.
        return limit.held_up.then_some(Deciding::All);
    }
    if has(Cause::Client) && limit.cause().is_none() && !limit.contradictory {
        let is_wide = limit.one_host.as_ref().is_none_or(|one| one.is_wide);
        return is_wide.then_some(Deciding::OneHost);
    }
    let unseen = limit.cold.is_none() && limit.certainty == Certainty::Likely;
    if has(Cause::Cache) || (unseen && (at_once || has(Cause::Concurrency))) {
        return Some(Deciding::LargerSet).filter(|_| limit.cold.is_none());
    }
    let is_open = limit.possible.len() > 3;
    match limit.possible.as_slice() {
        _ if !curve.plateau() => None,
        _ if is_open || limit.held_up || limit.held == Nanos::ZERO => Some(Deciding::All),
        [Cause::IopsCap] => Some(Deciding::Bursts),
        _ if at_once && has(Cause::IopsCap) => {
            let several = curve.useful_concurrency().is_some_and(|n| n >= ONE);
            several.then_some(Deciding::Bursts)
        }
        _ if has(Cause::IopsCap) => Some(Deciding::Sizes),
        _ if has(Cause::Flow) => Some(Deciding::Connections),
        // Both predict the same of every experiment, and the larger set was read.
        [Cause::Parallelism, Cause::Slots] if limit.cold.is_some() => None,
        _ => Some(Deciding::All),
    }
}

/// The number of the round in which a later run may make it: after the last that was confirmed.
#[must_use]
pub fn next_round(points: &[PointResult], curve: &DepthCurve) -> u32 {
    let confirmed = points.iter().filter_map(|p| match family_of(&p.name) {
        ("confirm", number) => Some(number),
        _ => None,
    });
    let last = confirmed.max().unwrap_or(0);
    (last + 1).max(first_round(curve))
}

/// The next of the experiments that decide, in the round `number`: the rate before, the experiment, the rate after.
#[must_use]
pub fn confirming(
    points: &[PointResult],
    curve: &DepthCurve,
    (deciding, number): (Deciding, u32),
    means: Means,
) -> Option<(Experiment, u32)> {
    if deciding == Deciding::LargerSet {
        // Filling it drove the survey's set out of the cache: the rate on that is the survey's.
        return cached::next_larger(points, curve, number).map(|larger| (larger, number));
    }
    let again = |number| Some((Experiment::Confirm { times: LONGER }, number));
    let round = Round::of(points, curve, number);
    let Some(confirmed) = round.confirmed else {
        return again(number);
    };
    let experiment = match deciding {
        Deciding::All => round.next(points, confirmed, means),
        _ => round.next_of(deciding, means),
    };
    if let Some(experiment) = experiment {
        return Some((experiment, number));
    }
    let after = Round::of(points, curve, number + 1).confirmed;
    after.map_or_else(|| again(number + 1), |_| None)
}
