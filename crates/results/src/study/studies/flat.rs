//! What a grid says that is a list of figures: latency, IOPS, throughput.

use super::answer::{Answer, AnswerAxis, AnswerCell, AnswerUnit};
use super::done::Measured;
use super::group::{PointGroup, chart, latencies, name_among, table};
use crate::words::bytes_within;
use leadline_model::plan::study::Axis;

/// Most sentences of one kind.
const MOST: usize = 6;

/// How many more there are than have a sentence.
fn and_more(groups: &[PointGroup<'_>], answer: &mut Answer) {
    if let Some(more) = groups.len().checked_sub(MOST).filter(|more| *more > 0) {
        answer.say(format!("And {more} more, in the table."));
    }
}

/// How long one I/O takes: by block size, reads and writes apart.
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
    answer.tables.push(table("Latency", &groups));
    let across = AnswerAxis::logarithmic("block size", AnswerUnit::Bytes);
    let drawn = latencies(&groups, (Axis::Block, across), "block size");
    answer.charts.extend(drawn);
    answer
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
