//! What all rounds of experiments together show of a plateau.

use super::causes::{Cause, Certainty, Change, Limit, OneHost, capacity};
use super::first_round;
use super::rates::{is_one_rate, stays};
use super::round::{Round, rounds};
use crate::study::series::DepthCurve;
use crate::summary::measured::PointResult;

/// A plateau as far as its experiments show. Rounds between which the rate stayed are evidence of one state; where it
/// changed, what was found before is void.
pub(super) fn of_a_plateau(points: &[PointResult], curve: &DepthCurve) -> Limit {
    let mut limit = Limit::new(capacity(), Certainty::Unknown, curve);
    limit.change = curve.earlier.as_ref().map(|earlier| {
        let mut rounds = 1..first_round(curve);
        let returned = rounds.find_map(|number| Round::of(points, curve, number).returned());
        Change::between(earlier, curve.confirmed_best(), returned)
    });
    let (mut experimented, mut exact, mut fall, mut returned) = (false, false, None, None);
    let mut others = Vec::new();
    for step in rounds(points, curve) {
        let Some(confirmed) = step.round.confirmed else {
            break;
        };
        if !is_one_rate(step.before, confirmed) {
            (limit, experimented, exact) = (void(limit), false, false);
            let returned = step.round.returned();
            limit.change = Some(Change::between(step.before, confirmed, returned));
        }
        fall = fall.or(step.round.fall);
        returned = match step.round.credits {
            true => Some(true),
            false => step.round.returned().or(returned),
        };
        let possible = step.round.possible();
        if step.round.points.len() > 1 || !experimented {
            let names = step.round.points.iter().map(|p| p.name.clone());
            match experimented {
                true => limit.evidence.extend(names),
                false => limit.evidence = names.collect(),
            }
        }
        let one_host = step.round.of_one_host();
        if one_host.is_some() && limit.one_host.is_none() {
            limit.possible.push(Cause::Client);
        }
        limit.one_host = later(one_host, limit.one_host.take());
        limit.possible.retain(|cause| match cause {
            Cause::Client => step.round.may_be_of_each_host(),
            _ => possible.contains(cause),
        });
        step.round.adds_to(&mut limit);
        others = step.round.beside(&limit).unwrap_or(others);
        let settled = step.after.is_none_or(|after| stays(confirmed, after));
        exact |= step.round.is_exact();
        experimented |= settled && step.after.is_some() && step.round.by_size().is_some();
    }
    if limit.possible.is_empty() {
        (limit.possible, limit.contradictory) = (capacity(), true);
    }
    if limit.cause().is_some() && experimented {
        // Whatever it is, each host has it.
        exact |= limit.cause() == Some(Cause::Client);
        limit.certainty = match exact && !limit.may_be_one_stage() {
            true => Certainty::Shown,
            false => Certainty::Likely,
        };
    }
    let named = limit.cause().is_some();
    limit.second = match limit.may_be_one_stage() {
        true => Some(Cause::Parallelism),
        false => limit.second.filter(|_| named),
    };
    limit.beyond = limit
        .beyond
        .filter(|_| limit.cause() != Some(Cause::ByteCap));
    // Rates may be so uneven that their means are no different.
    limit.change = limit.change.filter(Change::is_seen);
    limit.beside_others(&others).after_fall(fall, returned)
}

/// A limit without what was found before the rate changed.
fn void(limit: Limit) -> Limit {
    Limit {
        possible: capacity(),
        evidence: Vec::new(),
        beyond: None,
        one_host: None,
        one_by_one: false,
        close: false,
        other_block: None,
        ..limit
    }
}

/// What one host alone shows, of two rounds: what the earlier one has excluded stays so.
fn later(now: Option<OneHost>, before: Option<OneHost>) -> Option<OneHost> {
    let Some((mut now, before)) = now.clone().zip(before.clone()) else {
        return now.or(before);
    };
    now.of_each.retain(|cause| before.of_each.contains(cause));
    Some(now)
}
