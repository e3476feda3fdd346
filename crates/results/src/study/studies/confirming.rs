//! The best point of a study once more, at its end: a maximum over points is high by chance, and a volume that has
//! changed since has another rate there.
//!
//! Belongs here: which point that is. Must never: what follows where it did another rate.

use super::alone;
use super::done::Measured;
use super::spec::Spec;
use leadline_model::plan::Pace;
use leadline_model::plan::study::{Axis, Coordinate, Question, Role, Study};

/// What a point can be the best of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MaximumOf {
    Iops,
    Bytes,
}

/// The best point once more, where all others are done; `None` where it was, where each is measured several times anyway,
/// and of questions that have no maximum. `known` are the points that are known before the first.
pub(super) fn next(study: &Study, known: &[Spec], done: &[&Measured]) -> Option<Spec> {
    if study.repeats > 1 {
        return None;
    }
    let is_done = |best: &Measured| done.iter().any(|m| is_one(m) && m.is_same_as(best));
    let maxima = maxima(&study.question).iter();
    let mut open = maxima.filter_map(|of| best(study, *of, done).filter(|best| !is_done(best)));
    let best = open.next()?;
    let spec = known.iter().find(|spec| is_at(best, spec))?;
    let tries = done.iter().filter(|m| m.is_same_as(best)).count() + 1;
    let mut again = Spec {
        role: Role::Confirmation,
        ..spec.clone()
    };
    let number = Coordinate::Number(tries as f64);
    again.at.insert(Axis::Try, number);
    Some(again)
}

/// Whether a point is the best one, once more.
pub(super) fn is_one(measured: &Measured) -> bool {
    measured.role() == Role::Confirmation && measured.number(Axis::Try).is_some()
}

/// The same of a point that is planned.
pub(super) fn is_once_more(spec: &Spec) -> bool {
    spec.role == Role::Confirmation && spec.at.contains_key(&Axis::Try)
}

/// How many there will be at the most: one for each maximum of points of which one is the best.
pub(super) fn planned(study: &Study, known: &[Spec]) -> u64 {
    let several = || known.iter().any(|spec| spec.at != known[0].at);
    let is_one =
        study.repeats <= 1 && (several() || matches!(study.question, Question::Curve { .. }));
    match is_one {
        true => maxima(&study.question).len() as u64,
        false => 0,
    }
}

/// Whether the answer names a highest rate of the points.
pub(super) const fn has_maximum(question: &Question) -> bool {
    !maxima(question).is_empty()
}

/// The highest rates of the points that the answer names.
const fn maxima(question: &Question) -> &'static [MaximumOf] {
    match question {
        Question::Throughput => &[MaximumOf::Bytes],
        // A cap of I/Os and one of bytes show at sizes of their own.
        Question::Size => &[MaximumOf::Iops, MaximumOf::Bytes],
        Question::Iops
        | Question::Mix
        | Question::Depth
        | Question::Curve { .. }
        | Question::ScaleOut { .. } => &[MaximumOf::Iops],
        _ => &[],
    }
}

/// The point with the highest rate of those that run as fast as they can.
fn best<'a>(study: &Study, of: MaximumOf, done: &[&'a Measured]) -> Option<&'a Measured> {
    let rate = |m: &Measured| match of {
        MaximumOf::Bytes => m.bytes_within().value,
        MaximumOf::Iops => m.iops(),
    };
    let asked = done.iter().copied().filter(|m| {
        let fits = !m.summary.figures.is_longer_than_window();
        fits && !alone::is_beside(study, m)
            && matches!(m.role(), Role::Point | Role::Maximum)
            && m.workload.pace == Pace::Closed
    });
    let asked: Vec<&Measured> = asked.collect();
    // The first of several, as where a rate stays the same from a depth on; of one alone there is no maximum.
    let several = asked.iter().any(|m| !m.is_same_as(asked[0]));
    let best = asked.into_iter();
    let best = best.reduce(|best, m| if rate(m) > rate(best) { m } else { best });
    best.filter(|_| several || matches!(study.question, Question::Curve { .. }))
}

/// Whether a point was measured at these coordinates, in whichever state and try.
fn is_at(measured: &Measured, spec: &Spec) -> bool {
    let named = |axis: &Axis| !matches!(axis, Axis::Arm | Axis::Repeat | Axis::Try);
    let own = measured.point.at.iter().filter(|(axis, _)| named(axis));
    own.eq(spec.at.iter())
}
