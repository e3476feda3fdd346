//! The best points of a study once more, at its end: a maximum over points is high by chance, and a volume that has
//! changed since has another rate there.
//!
//! Belongs here: among which points a maximum is looked for, which one it is, and which ones a run left unconfirmed. Must
//! never: what follows where it did another rate.

use super::alone;
use super::done::Measured;
use super::group::{FREE, PointGroup, kind_words};
use super::near_far_open::TOGETHER;
use super::size;
use super::spec::Spec;
use crate::run::Run;
use crate::words::{counted, whole};
use leadline_model::event::Outcome;
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
    let best = *open(study, done).first()?;
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

/// The best points that were not measured once more.
fn open<'a>(study: &Study, done: &[&'a Measured]) -> Vec<&'a Measured> {
    if study.repeats > 1 {
        return Vec::new();
    }
    let is_done = |best: &Measured| done.iter().any(|m| m.is_once_more() && m.is_same_as(best));
    let lines = lines(study, done);
    let of_line = lines.iter().flat_map(|line| {
        let maxima = maxima(&study.question).iter();
        maxima.filter_map(|of| best(study, *of, line).filter(|best| !is_done(best)))
    });
    of_line.collect()
}

/// A sentence that a run ended before each of its highest rates was measured once more; `None` of a run that is complete.
pub(super) fn unconfirmed(run: &Run, study: &Study, done: &[Measured]) -> Option<String> {
    let ended = match run.outcome {
        Some(Outcome::Complete) => return None,
        Some(Outcome::CutShort) => "the run was interrupted",
        Some(Outcome::Failed(_)) | None => "the run ended",
    };
    let with_ios = |m: &&Measured| m.summary.figures.data.ios > 0;
    let done: Vec<&Measured> = done.iter().filter(with_ios).collect();
    match open(study, &done).as_slice() {
        [] => None,
        [one] => Some(format!(
            "The highest rate of {} was not confirmed: {ended} before it was measured once more, so it may be high by \
             chance.",
            place_words(one)
        )),
        several => Some(format!(
            "{} highest rates were not confirmed: {ended} before they were measured once more, so they may be high by \
             chance.",
            several.len()
        )),
    }
}

/// A point as a sentence calls it: `two: 4 KiB random read, depth 32`.
pub(super) fn place_words(point: &Measured) -> String {
    let group = PointGroup {
        points: vec![point],
    };
    let number = |axis: Axis| point.number(axis).map(whole);
    let kind = Some(kind_words(&group)).filter(|kind| !kind.is_empty());
    // Of a map, whose loads are of one operation each.
    let alone = point
        .text(Axis::Kind)
        .filter(|_| point.number(Axis::Reads).is_none());
    let words = [
        kind,
        alone.map(|kind| format!("{kind} alone")),
        number(Axis::Depth).map(|depth| format!("depth {depth}")),
        number(Axis::Jobs)
            .filter(|jobs| *jobs > 1)
            .map(|jobs| counted(&jobs.to_string(), "job")),
        number(Axis::Hosts).map(|hosts| counted(&hosts.to_string(), "host")),
        point.text(Axis::Group).map(|group| format!("from {group}")),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    let words = match words.is_empty() {
        true => point.name.clone(),
        false => words.join(", "),
    };
    match point.text(Axis::Arm) {
        Some(arm) => format!("{arm}: {words}"),
        None => words,
    }
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
        | Question::Map { .. }
        | Question::NearFar { .. }
        | Question::Combined { .. }
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
        // Reads alone, and writes alone; the unthrottled class alone.
        Question::Map { .. } | Question::Combined { .. } => &[],
        // The best of each kind of I/O, at whichever size and depth.
        _ => &[Axis::Block, Axis::Depth, Axis::Jobs],
    }
}

/// Whether a point is one of a line: of near and far those of one group alone, as fast as they can, at the depths that were asked
/// for; of a map those of reads alone and of writes alone; of two classes those of the unthrottled one alone.
fn is_of_a_line(question: &Question, at: &Coordinates) -> bool {
    let is_other = |axis: &Axis| at.contains_key(axis);
    let group = at.get(&Axis::Group).and_then(Coordinate::text);
    match question {
        Question::NearFar { .. } => {
            ![Axis::Hosts, Axis::Percent].iter().any(is_other) && group != Some(TOGETHER)
        }
        Question::Map { .. } => !is_other(&Axis::ReadRate),
        Question::Combined { .. } => at.get(&Axis::Kind).and_then(Coordinate::text) == Some(FREE),
        _ => true,
    }
}

/// Whether a line has one point that runs as fast as it can: that is measured once more.
const fn is_of_one(question: &Question) -> bool {
    matches!(
        question,
        Question::Curve { .. } | Question::Map { .. } | Question::Combined { .. }
    )
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
        MaximumOf::Iops => m.iops_within().value,
    };
    // The first of several, as where a rate stays the same from a depth on; of one alone there is no maximum.
    let several = line.iter().any(|m| !m.is_same_as(line[0]));
    let best = line.iter().copied();
    let best = best.reduce(|best, m| if rate(m) > rate(best) { m } else { best });
    best.filter(|_| several || is_of_one(&study.question))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::StudyPoint;
    use leadline_model::plan::access::OpMix;
    use leadline_model::plan::study::{Axes, Timing};
    use leadline_model::sample::EndReason;
    use leadline_model::units::Nanos;

    /// A study of 4 KiB random reads at depth 4 and 8.
    fn study() -> Study {
        Study {
            question: Question::Iops,
            scope: fixture::study_scope(),
            axes: Axes {
                blocks: vec![4096],
                reads: vec![100],
                random: vec![true],
                depths: vec![4, 8],
                jobs: vec![1],
            },
            timing: Timing {
                time: Nanos::from_secs(10),
                warmup: Nanos::ZERO,
                budget: None,
                narrow: None,
            },
            repeats: 1,
            arms: Vec::new(),
            seed: 1,
            seeded: false,
        }
    }

    /// Points at these depths with these I/Os a second; the last is the best one once more where `last` says how it ended.
    fn run_of(points: &[(f64, u64)], last: Option<EndReason>, outcome: Outcome) -> Run {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let stages = points.iter().map(|_| ("p", vec![workload.clone()]));
        let mut plan = fixture::plan(stages.collect());
        let mut loads = Vec::new();
        for (at, (depth, ios)) in points.iter().enumerate() {
            let is_last = last.is_some() && at + 1 == points.len();
            let mut coordinates = Coordinates::from([
                (Axis::Block, Coordinate::Number(4096.0)),
                (Axis::Order, Coordinate::Text("random".to_owned())),
                (Axis::Reads, Coordinate::Number(100.0)),
                (Axis::Depth, Coordinate::Number(*depth)),
                (Axis::Jobs, Coordinate::Number(1.0)),
            ]);
            if is_last {
                coordinates.insert(Axis::Try, Coordinate::Number(2.0));
            }
            plan.stages[at].point = Some(StudyPoint {
                role: if is_last {
                    Role::Confirmation
                } else {
                    Role::Point
                },
                at: coordinates,
            });
            let mut load = Load::simple(Op::Read, *ios, 4096, 100_000, 10);
            if is_last && last == Some(EndReason::Interrupted) {
                load.adjust = |worker| worker.end = EndReason::Interrupted;
            }
            loads.push(vec![load]);
        }
        let mut run = fixture::run_of(&fixture::events_of(plan, &loads));
        run.outcome = Some(outcome);
        run
    }

    fn said(run: &Run) -> Option<String> {
        unconfirmed(run, &study(), &Measured::all(run, &summarize(run)))
    }

    #[test]
    fn a_highest_rate_that_an_interrupt_left_unconfirmed_is_said_to_be() {
        let words = "The highest rate of 4 KiB random read, depth 8 was not confirmed: the run was interrupted before it was \
                     measured once more, so it may be high by chance.";
        let before = run_of(&[(4.0, 500), (8.0, 900)], None, Outcome::CutShort);
        assert_eq!(said(&before).as_deref(), Some(words));
        // Within the run that was to confirm it: what that has is no figure of the point.
        let points = [(4.0, 500), (8.0, 900), (8.0, 10)];
        let within = run_of(&points, Some(EndReason::Interrupted), Outcome::CutShort);
        assert_eq!(Measured::all(&within, &summarize(&within)).len(), 2);
        assert_eq!(said(&within).as_deref(), Some(words));
        let after = run_of(&points, Some(EndReason::Time), Outcome::CutShort);
        assert_eq!(Measured::all(&after, &summarize(&after)).len(), 3);
        assert_eq!(said(&after), None);
        let whole = run_of(&points[..2], None, Outcome::Complete);
        assert_eq!(said(&whole), None);
    }
}
