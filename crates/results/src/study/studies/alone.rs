//! Queue depth 1: the latency without queueing, with which studies compare the latency at higher depths.
//!
//! Belongs here: the load with one I/O in flight in all (one host, one worker, depth 1), and which points are of it. Depth
//! 1 of several workers or hosts is not: they may wait for each other. Must never: what follows from it.

use super::combinations::{coordinates, loads};
use super::done::Measured;
use super::spec::{Spec, StudyLoad};
pub(super) use crate::study::lone::is_quicker;
use leadline_model::plan::Arrival;
use leadline_model::plan::HostSet;
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, Question, Role, Study};

/// One with pauses before each is asked for at this share of the rate that it has without: a limit of that rate, and a
/// queue of one server, are then left idle.
const IDLE: f64 = 0.25;

/// The same I/Os, one in flight in all: on the first of the load's hosts, in that host's part of the set.
pub(super) fn lone(load: &StudyLoad) -> StudyLoad {
    let first = load.hosts.0.among(load.hosts.1).next();
    let hosts = match load.hosts.1 {
        0 | 1 => load.hosts.clone(),
        _ => (HostSet::one(first.unwrap_or(0)), 1),
    };
    StudyLoad {
        depth: 1,
        jobs: 1,
        hosts,
        ..load.clone()
    }
}

/// Its coordinates: those of depth 1 of one worker, and that it is of one host where others are of several.
pub(super) fn at(load: &StudyLoad) -> Coordinates {
    let mut at = coordinates(&lone(load));
    if load.hosts.1 > 1 {
        at.insert(Axis::Hosts, Coordinate::Number(1.0));
    }
    at
}

/// The point of it.
pub(super) fn spec(load: &StudyLoad, study: &Study) -> Spec {
    Spec::of(Role::Point, at(load), lone(load), study)
}

/// The point of it with a pause before each, given the rate without.
pub(super) fn paused(load: &StudyLoad, study: &Study, iops: f64) -> Spec {
    let rate = IDLE * iops;
    let mut at = at(load);
    at.insert(Axis::Rate, Coordinate::Number(rate));
    let load = StudyLoad {
        rate: Some((rate, Arrival::Constant)),
        ..lone(load)
    };
    Spec::of(Role::Point, at, load, study)
}

/// Whether a point is of one in flight in all.
pub(super) const fn is_one(measured: &Measured) -> bool {
    measured.summary.depth_asked == 1
}

/// Whether a point of a grid is none of its combinations, but the point at depth 1 that is measured beside them.
pub(super) fn is_beside(study: &Study, measured: &Measured) -> bool {
    is_one(measured) && is_lone(study, &measured.at())
}

/// The same of what is varied at a point that is planned, without repeats, tries and states of the system.
pub(super) fn is_lone(study: &Study, at: &Coordinates) -> bool {
    let has_lone = matches!(
        study.question,
        Question::Mix | Question::Size | Question::Depth | Question::ScaleOut { .. }
    );
    has_lone && !asked(study).contains(at)
}

/// The coordinates of all combinations that a study asks for.
fn asked(study: &Study) -> Vec<Coordinates> {
    let each: Vec<Coordinates> = loads(study).iter().map(coordinates).collect();
    let Question::ScaleOut { counts } = &study.question else {
        return each;
    };
    let with = |at: &Coordinates, count: u32| {
        let mut at = at.clone();
        at.insert(Axis::Hosts, Coordinate::Number(f64::from(count)));
        at
    };
    let of = |at: &Coordinates| counts.iter().map(|n| with(at, *n)).collect::<Vec<_>>();
    each.iter().flat_map(of).collect()
}

/// One alone of each of these loads that the combinations of a grid do not have.
pub(super) fn beside(study: &Study, of: impl Iterator<Item = StudyLoad>) -> Vec<Spec> {
    let all = asked(study);
    let mut beside: Vec<Spec> = Vec::new();
    for load in of {
        let spec = spec(&load, study);
        let is_known = all.contains(&spec.at) || beside.iter().any(|known| known.at == spec.at);
        if !is_known {
            beside.push(spec);
        }
    }
    beside
}
