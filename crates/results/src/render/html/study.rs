//! A study's answer on the page: its charts and its tables.

use super::curves::{HEIGHT, figure};
use super::view::{AnswerView, Figure, Section};
use crate::render::answer::{cells, heads, is_number};
use crate::render::svg::{Axis, Chart, ScaleKind, Series, Shape, Unit as Drawn};
use crate::study::studies::Answer;
use crate::study::studies::answer::{
    AnswerAxis, AnswerChart, AnswerSeries, AnswerTable, AnswerUnit,
};

/// The charts of an answer; `None` without any.
pub(super) fn section(answer: &Answer) -> Option<Section> {
    let figures: Vec<Figure> = answer
        .charts
        .iter()
        .enumerate()
        .map(|(number, chart)| picture(chart, number))
        .collect();
    (!figures.is_empty()).then(|| Section {
        id: "study".to_owned(),
        title: "What the study shows".to_owned(),
        lede: String::new(),
        figures,
    })
}

/// The tables of an answer.
pub(super) fn tables(answer: &Answer) -> Vec<AnswerView> {
    let view = |table: &AnswerTable| AnswerView {
        title: table.title.clone(),
        heads: heads(table),
        numbers: (0..table.columns.len())
            .map(|column| is_number(table, column))
            .collect(),
        rows: table.rows.iter().map(|row| cells(table, row)).collect(),
    };
    answer.tables.iter().map(view).collect()
}

fn picture(chart: &AnswerChart, number: usize) -> Figure {
    let scaled = |axis: &AnswerAxis, value: f64| match axis.unit {
        AnswerUnit::BytesPerS => value / 1_048_576.0,
        _ => value,
    };
    let series = |(at, series): (usize, &AnswerSeries)| {
        let points = series.points.iter();
        Series {
            label: series.label.clone(),
            class: class(series, at).to_owned(),
            variant: if series.model {
                1
            } else {
                u8::try_from(at / 4 % 3).unwrap_or(0)
            },
            shape: match series.model {
                true => Shape::Line,
                false => Shape::Marked,
            },
            points: points
                .clone()
                .map(|p| (scaled(&chart.x, p.x), scaled(&chart.y, p.y)))
                .collect(),
            tags: Vec::new(),
            thin_from: None,
            within: points
                .filter_map(|p| Some((p.x, p.within?)))
                .map(|(x, (low, high))| {
                    (
                        scaled(&chart.x, x),
                        scaled(&chart.y, low),
                        scaled(&chart.y, high),
                    )
                })
                .collect(),
        }
    };
    let drawn = Chart {
        id: format!("study-{number}"),
        title: chart.title.clone(),
        description: words(chart),
        x: axis(&chart.x),
        y: axis(&chart.y),
        series: chart.series.iter().enumerate().map(series).collect(),
        marks: Vec::new(),
        height: HEIGHT,
    };
    figure(&drawn, String::new(), None)
}

/// The class that gives a series its colour: by what it is of, else by turns.
fn class(series: &AnswerSeries, at: usize) -> &'static str {
    const TURNS: [&str; 4] = ["read", "write", "trim", "sync"];
    match series.label.as_str() {
        "read" | "reads" => "read",
        "write" | "writes" => "write",
        "total" | "" => "all",
        _ => TURNS[at % TURNS.len()],
    }
}

fn axis(axis: &AnswerAxis) -> Axis {
    let scale = match (axis.logarithmic, axis.unit) {
        (false, _) => ScaleKind::Linear,
        (true, AnswerUnit::Count | AnswerUnit::Bytes) => ScaleKind::Log2,
        (true, _) => ScaleKind::Log10,
    };
    let (unit, label) = match axis.unit {
        AnswerUnit::Nanos => (Drawn::Nanos, axis.label.clone()),
        AnswerUnit::Seconds => (Drawn::Seconds, axis.label.clone()),
        AnswerUnit::BytesPerS => (Drawn::MibPerS, format!("{}, MiB/s", axis.label)),
        AnswerUnit::Bytes => (Drawn::Count, format!("{}, bytes", axis.label)),
        _ => (Drawn::Count, axis.label.clone()),
    };
    Axis::new(&label, scale, unit)
}

/// The figures of a chart, for those who cannot see it.
fn words(chart: &AnswerChart) -> String {
    let one = |series: &AnswerSeries| {
        let points = series.points.iter().map(|p| {
            let (x, y) = (crate::words::compact(p.x), crate::words::compact(p.y));
            format!("{x}: {y}")
        });
        format!("{} {}", series.label, points.collect::<Vec<_>>().join(", "))
    };
    let all: Vec<String> = chart.series.iter().filter(|s| !s.model).map(one).collect();
    format!("{} by {}. {}", chart.y.label, chart.x.label, all.join("; "))
}
