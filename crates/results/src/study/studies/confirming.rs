//! The best points of a study once more, at its end: a maximum over points is high by chance, and a volume that has
//! changed since has another rate there.
//!
//! Belongs here: among which points a maximum is looked for, and which one it is. Must never: what follows where it did
//! another rate.

use super::alone;
use super::done::Measured;
use super::near_far_open::TOGETHER;
use super::size;
use super::spec::Spec;
use leadline_model::plan::Pace;
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, Question, Role, Study};

/// What a point can be the best of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MaximumOf {
    Iops,
    Bytes,
}

/// The next of the best points once more, where all others are done; `None` where each was, where each is measured several
/// times anyway, and of questions that have no maximum. `known` are the points that are known before the first.
pub(super) fn next(study: &Study, known: &[Spec], done: &[&Measured]) -> Option<Spec> {
    if study.repeats > 1 {
        return None;
    }
    let is_done = |best: &Measured| done.iter().any(|m| m.is_once_more() && m.is_same_as(best));
    let lines = lines(study, done);
    let mut open = lines.iter().flat_map(|line| {
        let maxima = maxima(&study.question).iter();
        maxima.filter_map(|of| best(study, *of, line).filter(|best| !is_done(best)))
    });
    let best = open.next()?;
    let spec = known.iter().find(|spec| spec.at == best.at())?;
    let tries = done.iter().filter(|m| m.is_same_as(best)).count() + 1;
    let mut again = Spec {
        role: Role::Confirmation,
        ..spec.clone()
    };
    let number = Coordinate::Number(tries as f64);
    again.at.insert(Axis::Try, number);
    Some(again)
}

/// How many there will be at the most: one for each maximum of each line of points of which one is the best.
pub(super) fn planned(study: &Study, known: &[Spec]) -> u64 {
    if study.repeats > 1 {
        return 0;
    }
    let mut lines: Vec<(Coordinates, Vec<&Spec>)> = Vec::new();
    let is_asked =
        |spec: &&Spec| !alone::is_lone(study, &spec.at) && is_of_a_line(&study.question, &spec.at);
    let asked = known.iter().filter(is_asked);
    for spec in deepest(study, asked.collect()) {
        add(&mut lines, key(&study.question, &spec.at), spec);
    }
    let has_best = |line: &&(Coordinates, Vec<&Spec>)| {
        let several = line.1.iter().any(|spec| spec.at != line.1[0].at);
        several || is_of_one(&study.question)
    };
    let with_best = lines.iter().filter(has_best).count();
    (with_best * maxima(&study.question).len()) as u64
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
        | Question::NearFar { .. }
        | Question::ScaleOut { .. } => &[MaximumOf::Iops],
        _ => &[],
    }
}

/// What is varied along the points of which one is the best; all else is the same at each of them.
const fn along(question: &Question) -> &'static [Axis] {
    match question {
        Question::Depth | Question::NearFar { .. } => &[Axis::Depth],
        Question::Mix => &[Axis::Reads],
        Question::ScaleOut { .. } => &[Axis::Hosts],
        Question::Curve { .. } => &[Axis::Percent, Axis::Rate],
        // The best of each kind of I/O, at whichever size and depth.
        _ => &[Axis::Block, Axis::Depth, Axis::Jobs],
    }
}

/// Whether a point is one of a line: of near and far those of one group alone, as fast as they can, at the depths that were asked
/// for.
fn is_of_a_line(question: &Question, at: &Coordinates) -> bool {
    let is_other = |axis: &Axis| at.contains_key(axis);
    let group = at.get(&Axis::Group).and_then(Coordinate::text);
    match question {
        Question::NearFar { .. } => {
            ![Axis::Hosts, Axis::Percent].iter().any(is_other) && group != Some(TOGETHER)
        }
        _ => true,
    }
}

/// Whether a line has one point that runs as fast as it can: that is measured once more.
const fn is_of_one(question: &Question) -> bool {
    matches!(question, Question::Curve { .. })
}

/// What the points of a line have in common.
fn key(question: &Question, at: &Coordinates) -> Coordinates {
    let mut key = at.clone();
    let varied = along(question);
    key.retain(|axis, _| !varied.contains(axis));
    key
}

/// Adds a point to those of its line.
fn add<T>(lines: &mut Vec<(Coordinates, Vec<T>)>, key: Coordinates, point: T) {
    match lines.iter_mut().find(|line| line.0 == key) {
        Some(line) => line.1.push(point),
        None => lines.push((key, vec![point])),
    }
}

/// The points among which a study looks for a maximum: of sizes, those with the most in flight.
fn deepest<'a>(study: &Study, all: Vec<&'a Spec>) -> Vec<&'a Spec> {
    if study.question != Question::Size {
        return all;
    }
    let in_flight = |spec: &Spec| -> u64 {
        let each = spec.loads.iter();
        each.map(|load| u64::from(load.depth) * load.workers())
            .sum()
    };
    let most = all.iter().map(|spec| in_flight(spec)).max();
    let is_of = |spec: &&Spec| Some(in_flight(spec)) == most;
    all.into_iter().filter(is_of).collect()
}

/// The points that run as fast as they can, without those that are measured once more already: each maximum is that of
/// a line of them.
fn lines<'a>(study: &Study, done: &[&'a Measured]) -> Vec<Vec<&'a Measured>> {
    let first: Vec<&Measured> = done.iter().copied().filter(|m| !m.is_once_more()).collect();
    if study.question == Question::Size {
        return size::lines(&first);
    }
    let asked = first.into_iter().filter(|m| {
        let fits = !m.summary.figures.is_longer_than_window();
        fits && !alone::is_beside(study, m)
            && is_of_a_line(&study.question, &m.point.at)
            && matches!(m.role(), Role::Point | Role::Maximum)
            && m.workload.pace == Pace::Closed
    });
    let mut lines = Vec::new();
    for point in asked {
        add(&mut lines, key(&study.question, &point.at()), point);
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// The point of a line with the highest rate.
fn best<'a>(study: &Study, of: MaximumOf, line: &[&'a Measured]) -> Option<&'a Measured> {
    let rate = |m: &Measured| match of {
        MaximumOf::Bytes => m.bytes_within().value,
        MaximumOf::Iops => m.iops(),
    };
    // The first of several, as where a rate stays the same from a depth on; of one alone there is no maximum.
    let several = line.iter().any(|m| !m.is_same_as(line[0]));
    let best = line.iter().copied();
    let best = best.reduce(|best, m| if rate(m) > rate(best) { m } else { best });
    best.filter(|_| several || is_of_one(&study.question))
}
