//! The combinations of what is varied, as loads and as coordinates.
//!
//! Belongs here: what all studies make their points of. Must never: which point is next.

use super::done::Measured;
use super::spec::{Spec, StudyLoad};
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, Role, Study};
use leadline_model::seed::SplitMix;

/// Every combination of what is varied, in order.
pub(super) fn loads(study: &Study) -> Vec<StudyLoad> {
    let axes = &study.axes;
    let mut all = Vec::new();
    for &random in &axes.random {
        for &block in &axes.blocks {
            for &reads in &axes.reads {
                for &jobs in &axes.jobs {
                    all.extend(axes.depths.iter().map(|&depth| StudyLoad {
                        reads,
                        block,
                        random,
                        depth,
                        jobs,
                        ..StudyLoad::on(&study.scope)
                    }));
                }
            }
        }
    }
    all
}

/// A point of a grid.
pub(super) fn point(load: StudyLoad, study: &Study) -> Spec {
    Spec::of(Role::Point, coordinates(&load), load, study)
}

/// What a load is made of, as coordinates.
pub(super) fn coordinates(load: &StudyLoad) -> Coordinates {
    let order = if load.random { "random" } else { "sequential" };
    Coordinates::from([
        (Axis::Order, Coordinate::Text(order.to_owned())),
        (Axis::Reads, Coordinate::Number(f64::from(load.reads))),
        (Axis::Block, Coordinate::Number(load.block as f64)),
        (Axis::Depth, Coordinate::Number(f64::from(load.depth))),
        (Axis::Jobs, Coordinate::Number(f64::from(load.jobs))),
    ])
}

/// Whether a point was measured at these coordinates, in whichever repeat and arm; a try has a coordinate of its own.
fn has_coordinates(measured: &Measured, at: &Coordinates) -> bool {
    let own = measured.point.at.iter();
    let own = own.filter(|(axis, _)| !matches!(axis, Axis::Arm | Axis::Repeat));
    own.eq(at.iter())
}

/// The first of these points that was not measured.
pub(super) fn first_open(all: Vec<Spec>, done: &[&Measured]) -> Option<Spec> {
    let is_done = |spec: &Spec| done.iter().any(|m| has_coordinates(m, &spec.at));
    all.into_iter().find(|spec| !is_done(spec))
}

/// Fisher and Yates.
pub(super) fn shuffle<T>(list: &mut [T], random: &mut SplitMix) {
    for last in (1..list.len()).rev() {
        let other = random.bits() % (last as u64 + 1);
        list.swap(last, usize::try_from(other).unwrap_or(0));
    }
}
