//! What reads and writes take from each other: the law of a mix.

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::done::{Measured, known};
use super::group::{PointGroup, lines, table};
use crate::stats::Interval;
use crate::stats::mix_law::{MixPoint, predicted};
use crate::study::mix::{MixAnswer, WITHIN, law_words, of_points};
use leadline_model::op::Op;
use leadline_model::plan::study::Axis;

/// The law of each mix.
pub(super) fn answer(done: &[&Measured]) -> Answer {
    let groups = PointGroup::all(done);
    let mut answer = Answer::default();
    for (label, line) in lines(&groups, Axis::Reads) {
        let points: Vec<MixPoint> = line
            .iter()
            .filter_map(|g| Some((g.number(Axis::Reads)? / 100.0, g.iops().value)))
            .collect();
        let law = of_points(&points);
        answer.say(with_label(&label, &words(&line, law.as_ref())));
        answer.tables.push(parts(&label, &line));
        answer.charts.push(picture(&label, &line, law.as_ref()));
        if let Some(fit) = law
            .as_ref()
            .and_then(|law| law.named.as_ref())
            .filter(|_| label.is_empty())
        {
            answer.value("law", AnswerCell::text(fit.law.name()), AnswerUnit::Text);
            for (name, bound) in [
                ("reads_alone", fit.reads),
                ("writes_alone", fit.writes),
                ("total", fit.total),
            ] {
                if let Some(bound) = bound {
                    answer.value(name, AnswerCell::Number(bound.rate), AnswerUnit::Iops);
                }
            }
            answer.value(
                "law_error",
                AnswerCell::Number(fit.error),
                AnswerUnit::Share,
            );
        }
    }
    answer.tables.push(table("All points", &groups));
    answer
}

fn with_label(label: &str, text: &str) -> String {
    match label {
        "" => text.to_owned(),
        label => format!("{label}: {text}"),
    }
}

fn words(line: &[&PointGroup<'_>], law: Option<&MixAnswer>) -> String {
    match law.map(|law| (law.named.as_ref(), law.fits.first())) {
        Some((Some(fit), _)) => law_words(fit),
        Some((None, Some(best))) if best.error < WITHIN => format!(
            "More than one model of two or three caps fits this mix within {} %, {} best; more mixes in between tell them apart.",
            crate::words::trim_to(WITHIN * 100.0, 0),
            best.law.name(),
        ),
        Some((None, Some(best))) => format!(
            "No model of two or three caps fits this mix; the nearest, {}, misses by {} %.",
            best.law.name(),
            crate::words::trim_to(best.error * 100.0, 1)
        ),
        _ => format!(
            "{} mixes are too few to fit a model: five are needed.",
            line.len()
        ),
    }
}

/// Reads, writes and their sum at each share.
fn parts(label: &str, line: &[&PointGroup<'_>]) -> AnswerTable {
    let rows = line.iter().rev().map(|group| {
        let of = |op: Op| AnswerCell::Number(mean_of(group, op));
        vec![
            AnswerCell::Number(group.number(Axis::Reads).unwrap_or_default() / 100.0),
            of(Op::Read),
            of(Op::Write),
            AnswerCell::Within(group.iops()),
            AnswerCell::Within(group.bytes()),
            AnswerCell::Within(group.mean()),
            group.response_at(99.0),
        ]
    });
    AnswerTable {
        title: with_label(label, "Reads and writes over the share of reads"),
        columns: vec![
            Column::new("reads", AnswerUnit::Share),
            Column::new("read", AnswerUnit::Iops),
            Column::new("write", AnswerUnit::Iops),
            Column::new("total", AnswerUnit::Iops),
            Column::new("throughput", AnswerUnit::BytesPerS),
            Column::new("mean", AnswerUnit::Nanos),
            Column::new("p99", AnswerUnit::Nanos),
        ],
        rows: rows.collect(),
    }
}

fn mean_of(group: &PointGroup<'_>, op: Op) -> f64 {
    let each = group.points.iter().map(|p| p.iops_of(op));
    each.sum::<f64>() / group.points.len() as f64
}

fn picture(label: &str, line: &[&PointGroup<'_>], law: Option<&MixAnswer>) -> AnswerChart {
    let series = |name: &str, figure: &dyn Fn(&PointGroup<'_>) -> Interval| AnswerSeries {
        label: name.to_owned(),
        model: false,
        points: line
            .iter()
            .filter_map(|g| {
                Some(AnswerPoint::within(
                    g.number(Axis::Reads)? / 100.0,
                    figure(g),
                ))
            })
            .collect(),
    };
    let mut all = vec![
        series("total", &|g| g.iops()),
        series("read", &|g| known(mean_of(g, Op::Read))),
        series("write", &|g| known(mean_of(g, Op::Write))),
    ];
    if let Some(fit) = law.and_then(|law| law.named.as_ref()) {
        let steps = (0..=50).map(|n| f64::from(n) / 50.0);
        all.push(AnswerSeries {
            label: format!("law ({})", fit.law.name()),
            model: true,
            points: steps
                .map(|share| AnswerPoint::plain(share, predicted(fit, share)))
                .collect(),
        });
    }
    AnswerChart {
        title: with_label(label, "IOPS over the share of reads"),
        x: AnswerAxis::linear("share of reads", AnswerUnit::Share),
        y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
        series: all,
    }
}
