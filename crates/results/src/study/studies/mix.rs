//! What reads and writes take from each other: the law of a mix.

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::done::{Measured, known};
use super::group::{PointGroup, lines, table};
use crate::stats::Interval;
use crate::stats::mix_law::{MixPoint, predicted};
use crate::study::mix::{MixAnswer, law_words, of_points};
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
        answer.charts.push(latencies(&label, &line));
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
        Some((None, Some(_))) if law.is_some_and(|law| !law.rivals().is_empty()) => format!(
            "Several laws predict this mix equally well ({}): no mix of it tells them apart.",
            law.map(MixAnswer::rivals).unwrap_or_default().join(", ")
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

/// Percentiles of all I/Os over the share of reads; where few samples show one it has no interval.
fn latencies(label: &str, line: &[&PointGroup<'_>]) -> AnswerChart {
    let series = |(name, percent): (&str, f64)| {
        let points = line.iter().filter_map(|group| {
            let x = group.number(Axis::Reads)? / 100.0;
            match group.response_at(percent) {
                AnswerCell::Within(interval) => Some(AnswerPoint::within(x, interval)),
                AnswerCell::Doubtful(value) | AnswerCell::Number(value) => {
                    Some(AnswerPoint::plain(x, value))
                }
                _ => None,
            }
        });
        AnswerSeries {
            label: name.to_owned(),
            model: false,
            points: points.collect(),
        }
    };
    AnswerChart {
        title: with_label(label, "Latency over the share of reads"),
        x: AnswerAxis::linear("share of reads", AnswerUnit::Share),
        y: AnswerAxis::logarithmic("latency", AnswerUnit::Nanos),
        series: [("p50", 50.0), ("p99", 99.0)].map(series).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_that_predict_a_mix_alike_are_named_together() {
        let flat = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, 60_000.0));
        let law = of_points(&flat).unwrap();
        assert!(law.named.is_none() && law.rivals().len() > 1, "{law:?}");
        let said = words(&[], Some(&law));
        assert!(
            said.starts_with("Several laws predict this mix equally well ("),
            "{said}"
        );
        // Where none predicts it, the nearest is said with how far it is off.
        let none = [(0.0, 1e3), (0.25, 9e4), (0.5, 2e3), (0.75, 8e4), (1.0, 1e3)];
        let law = of_points(&none).unwrap();
        assert!(law.rivals().is_empty());
        assert!(words(&[], Some(&law)).starts_with("No model of two or three caps fits"));
    }
}
