//! The answer of a grid that is a list of figures: latency, IOPS, throughput.

use super::answer::{Answer, AnswerAxis, AnswerCell, AnswerUnit};
use super::done::Measured;
use super::group::{PointGroup, chart, latencies, name_among, table};
use crate::words::{bytes_within, round_trip_words};
use leadline_model::plan::study::Axis;

/// Most sentences of one kind.
const MOST: usize = 6;

/// How many more there are than have a sentence.
fn and_more(groups: &[PointGroup<'_>], answer: &mut Answer) {
    if let Some(more) = groups.len().checked_sub(MOST).filter(|more| *more > 0) {
        answer.say(format!("And {more} more, in the table."));
    }
}

/// Latency by block size, reads and writes separately.
pub(super) fn latency(done: &[&Measured]) -> Answer {
    let groups = PointGroup::all(done);
    let mut answer = Answer::default();
    for group in groups.iter().take(MOST) {
        answer.say(format!(
            "{}: {}; {} with {} in flight (N = X R).",
            name_among(group, &groups),
            group.latency_words(),
            group.iops_words(),
            crate::words::trim_to(group.in_flight(), 2),
        ));
    }
    and_more(&groups, &mut answer);
    distance(&groups, &mut answer);
    answer.tables.push(table("Latency", &groups));
    let across = AnswerAxis::logarithmic("block size", AnswerUnit::Bytes);
    let drawn = latencies(&groups, (Axis::Block, across), "block size");
    answer.charts.extend(drawn);
    answer
}

/// How much of the latency at depth 1 is the round trip to the volume, of the first group that has one in flight.
fn distance(groups: &[PointGroup<'_>], answer: &mut Answer) {
    let lone = |group: &&PointGroup<'_>| group.first().summary.depth_asked == 1;
    let Some(group) = groups.iter().find(lone) else {
        return;
    };
    let trips = group.points.iter().filter_map(|point| point.round_trip);
    let Some(trip) = trips.min() else {
        return;
    };
    let Some(words) = round_trip_words(trip, group.mean().value, &name_among(group, groups)) else {
        return;
    };
    answer.say(words);
    let value = AnswerCell::Number(trip.0 as f64);
    answer.value("round_trip", value, AnswerUnit::Nanos);
}

/// I/Os a second.
pub(super) fn iops(done: &[&Measured]) -> Answer {
    let groups = PointGroup::all(done);
    let mut answer = Answer::default();
    for group in groups.iter().take(MOST) {
        answer.say(format!(
            "{}: {}; {}.",
            name_among(group, &groups),
            group.iops_words(),
            group.latency_words(),
        ));
    }
    and_more(&groups, &mut answer);
    answer.tables.push(table("IOPS", &groups));
    answer.charts.extend(over_any(
        &groups,
        AnswerAxis::linear("IOPS", AnswerUnit::Iops),
        |g| AnswerCell::Within(g.iops()),
    ));
    answer
}

/// Bytes a second.
pub(super) fn throughput(done: &[&Measured]) -> Answer {
    let groups = PointGroup::all(done);
    let mut answer = Answer::default();
    for group in groups.iter().take(MOST) {
        answer.say(format!(
            "{}: {}.",
            name_among(group, &groups),
            bytes_within(&group.bytes()),
        ));
    }
    and_more(&groups, &mut answer);
    answer.tables.push(table("Throughput", &groups));
    let up = AnswerAxis::linear("throughput", AnswerUnit::BytesPerS);
    answer
        .charts
        .extend(over_any(&groups, up, |g| AnswerCell::Within(g.bytes())));
    answer
}

/// A chart over the first of block size, depth and jobs that was varied.
fn over_any(
    groups: &[PointGroup<'_>],
    up: AnswerAxis,
    figure: fn(&PointGroup<'_>) -> AnswerCell,
) -> Option<super::answer::AnswerChart> {
    let axes = [
        (
            Axis::Block,
            AnswerAxis::logarithmic("block size", AnswerUnit::Bytes),
        ),
        (
            Axis::Depth,
            AnswerAxis::logarithmic("depth", AnswerUnit::Count),
        ),
        (
            Axis::Jobs,
            AnswerAxis::logarithmic("jobs", AnswerUnit::Count),
        ),
    ];
    let title = |axis: &AnswerAxis| format!("{} over {}", up.label, axis.label);
    axes.into_iter().find_map(|(axis, across)| {
        chart(
            &title(&across),
            groups,
            (axis, across),
            (up.clone(), figure),
        )
    })
}
