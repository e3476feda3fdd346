//! A study's answer on the page: its charts and its tables.

use super::curves::{HEIGHT, figure};
use super::pairs;
use super::tabled;
use super::view::{AnswerView, Figure, Section};
use crate::render::answer::{cells, heads, in_order, is_number};
use crate::render::hues;
use crate::render::svg::{Axis, Chart, Mark, MarkerFill, ScaleKind, Series, Shape, Unit as Drawn};
use crate::study::studies::Answer;
use crate::study::studies::answer::{
    AnswerAxis, AnswerCell, AnswerChart, AnswerSeries, AnswerTable, AnswerUnit,
};

/// Most points of a line that has a marker at each.
const MOST_MARKED: usize = 40;

/// The charts of an answer and of its tables; `None` without any.
pub(super) fn section(answer: &Answer) -> Option<Section> {
    let mut figures: Vec<Figure> = answer
        .charts
        .iter()
        .enumerate()
        .map(|(number, chart)| picture(chart, number))
        .collect();
    figures.extend(pairs::figures(answer));
    figures.extend(tabled::figures(answer));
    (!figures.is_empty()).then(|| Section {
        id: "study".to_owned(),
        title: "What the study shows".to_owned(),
        lede: String::new(),
        figures,
    })
}

/// The tables of an answer, percentiles before means.
pub(super) fn tables(answer: &Answer) -> Vec<AnswerView> {
    let view = |table: &AnswerTable| {
        let table = &in_order(table);
        // The interval is below the value: a table is as wide as its values.
        let row =
            |row: &Vec<AnswerCell>| cells(table, row).iter().map(|cell| apart(cell)).collect();
        AnswerView {
            title: table.title.clone(),
            heads: heads(table),
            numbers: (0..table.columns.len())
                .map(|column| is_number(table, column))
                .collect(),
            rows: table.rows.iter().map(row).collect(),
        }
    };
    answer.tables.iter().map(view).collect()
}

/// A value and its interval, in the few letters that have room below it.
pub(super) fn apart(text: &str) -> (String, String) {
    let bounds = [" (+-100 % or more)", " (+-100% or more)"];
    if let Some(value) = bounds.iter().find_map(|words| text.strip_suffix(words)) {
        return (value.to_owned(), "\u{b1} >100%".to_owned());
    }
    match text.split_once(" +-") {
        Some((value, within)) => (value.to_owned(), format!("\u{b1} {within}")),
        None => (text.to_owned(), String::new()),
    }
}

/// A value in the unit in which it is drawn.
fn scaled(axis: &AnswerAxis, value: f64) -> f64 {
    match axis.unit {
        AnswerUnit::BytesPerS => value / 1_048_576.0,
        AnswerUnit::Share => value * 100.0,
        _ => value,
    }
}

fn picture(chart: &AnswerChart, number: usize) -> Figure {
    // Beside a line that has a name, one without is what was measured.
    let is_beside = chart.series.iter().any(|one| !one.label.is_empty());
    let series = |(at, series): (usize, &AnswerSeries)| {
        let points = series.points.iter();
        Series {
            label: match series.label.is_empty() && is_beside {
                true => "measured".to_owned(),
                false => series.label.clone(),
            },
            class: look(chart, series, at).0.to_owned(),
            variant: look(chart, series, at).1,
            fill: fill(chart, series, at),
            // Of many points the markers would be a band.
            shape: match (series.model, chart.x.near) {
                (false, true) => Shape::Dots,
                _ if series.model || series.points.len() > MOST_MARKED => Shape::Line,
                _ => Shape::Marked,
            },
            points: points
                .clone()
                .map(|p| (scaled(&chart.x, p.x), scaled(&chart.y, p.y)))
                .collect(),
            tags: Vec::new(),
            thin_from: None,
            brackets: points
                .map(|p| p.bracket.scaled(scaled(&chart.y, 1.0)))
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
        marks: chart
            .marks
            .iter()
            .map(|(x, name)| Mark::At(scaled(&chart.x, *x), name.clone()))
            .collect(),
        height: HEIGHT,
    };
    // A line that bends back has no single value at an x: its points are walked one by one instead.
    let rising = |s: &Series| s.points.is_sorted_by(|a, b| a.0 < b.0);
    let live = drawn.series.iter().all(rising);
    figure(&drawn, String::new(), live)
}

/// What a line is of, and which figure of it: `one:` and `p99`.
fn parts(series: &AnswerSeries) -> (&str, &str) {
    series.label.rsplit_once(' ').unwrap_or(("", &series.label))
}

/// What lines are of, each once.
fn states(chart: &AnswerChart) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for one in chart.series.iter().map(|one| parts(one).0) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

/// What is inside the markers of a series: each state, class or depth has its own, since the dashes of their figures are the
/// same; others where the dashes of turns are.
fn fill(chart: &AnswerChart, series: &AnswerSeries, at: usize) -> MarkerFill {
    let (of, figure) = parts(series);
    let place = states(chart).iter().position(|one| *one == of);
    MarkerFill::of(match dash(figure) {
        Some(_) => place.unwrap_or(at),
        None => at / 3,
    })
}

/// The dash of a figure of a latency.
fn dash(figure: &str) -> Option<u8> {
    match figure {
        "p50" => Some(0),
        "p99" => Some(1),
        "mean" => Some(2),
        _ => None,
    }
}

/// The class that gives a series its colour: by what it is of, else by turns; and its dash and marker. A model is dashed,
/// without markers; figures of a latency differ by dash, since blue and orange are reads and writes. All figures of one
/// state, class or depth have its colour.
fn look(chart: &AnswerChart, series: &AnswerSeries, at: usize) -> (&'static str, u8) {
    const TURNS: [&str; 4] = ["read", "write", "trim", "sync"];
    let (of, figure) = parts(series);
    let dash = dash(figure);
    let own = |series: &AnswerSeries| {
        let of = hues::own(parts(series).0).filter(|_| dash.is_some());
        hues::own(&series.label).or(of)
    };
    let class = match (of, own(series)) {
        ("" | "response", _) if dash.is_some() => "all",
        ("service", _) if dash.is_some() => "sync",
        (_, Some(own)) => own,
        _ if series.label.is_empty() => "all",
        _ => {
            let group = states(chart).iter().position(|one| *one == of);
            let group = group.filter(|_| dash.is_some());
            // Neither a model nor what is beside reads and writes has their colours.
            let has_own = || chart.series.iter().any(|one| own(one).is_some());
            let turns = match series.model || has_own() {
                true => &TURNS[2..],
                false => &TURNS[..],
            };
            turns[group.unwrap_or(at) % turns.len()]
        }
    };
    let by_turns = u8::try_from(at % 3).unwrap_or(0);
    let variant = match series.model {
        true => 1,
        false => dash.unwrap_or(by_turns),
    };
    (class, variant)
}

fn axis(axis: &AnswerAxis) -> Axis {
    let scale = match (axis.logarithmic, axis.unit) {
        _ if axis.near => ScaleKind::Near,
        // Rates begin at zero, but where the slope of their logarithm says which limit holds.
        (false, AnswerUnit::Count) if tabled::is_counted(&axis.label) => ScaleKind::Counted,
        (false, _) => ScaleKind::Linear,
        (true, AnswerUnit::Count | AnswerUnit::Bytes) => ScaleKind::Log2,
        (true, _) => ScaleKind::Log10,
    };
    let (unit, label) = match axis.unit {
        AnswerUnit::Nanos => (Drawn::Nanos, axis.label.clone()),
        AnswerUnit::Seconds => (Drawn::Seconds, axis.label.clone()),
        AnswerUnit::BytesPerS => (Drawn::MibPerS, format!("{}, MiB/s", axis.label)),
        AnswerUnit::Iops if !axis.label.contains("IOPS") && !axis.label.contains("a second") => {
            (Drawn::Count, format!("{}, IOPS", axis.label))
        }
        AnswerUnit::Bytes => (Drawn::Bytes, axis.label.clone()),
        AnswerUnit::Share => (Drawn::Percent, axis.label.clone()),
        _ if scale == ScaleKind::Counted => (Drawn::Whole, axis.label.clone()),
        // A depth is no rate.
        AnswerUnit::Count => (Drawn::Number, axis.label.clone()),
        _ => (Drawn::Count, axis.label.clone()),
    };
    Axis::new(&label, scale, unit)
}

/// The figures of a chart, for those who cannot see it.
fn words(chart: &AnswerChart) -> String {
    let at = |axis: &AnswerAxis, value: f64| self::axis(axis).unit.text(scaled(axis, value));
    let one = |series: &AnswerSeries| {
        let known = series.points.iter().filter(|p| p.y.is_finite());
        let points = known.map(|p| {
            let (x, y) = (at(&chart.x, p.x), at(&chart.y, p.y));
            format!("{x}: {}{y}", p.bracket.mark())
        });
        format!("{} {}", series.label, points.collect::<Vec<_>>().join(", "))
    };
    let all: Vec<String> = chart.series.iter().filter(|s| !s.model).map(one).collect();
    format!("{} by {}. {}", chart.y.label, chart.x.label, all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::studies::answer::{AnswerPoint, Column};

    #[test]
    fn a_mean_follows_its_percentiles_and_an_interval_reads_as_one() {
        let names = [
            "depth",
            "mean",
            "p50",
            "p99.9",
            "service mean",
            "service p99",
            "points",
        ];
        let within = crate::stats::Interval {
            value: 100.0,
            low: 98.0,
            high: 102.0,
            settled: true,
        };
        let cells = names.map(|_| AnswerCell::Within(within));
        let answer = Answer {
            tables: vec![AnswerTable {
                title: "t".to_owned(),
                columns: names
                    .map(|name| Column::new(name, AnswerUnit::Count))
                    .to_vec(),
                rows: vec![cells.to_vec()],
            }],
            ..Answer::default()
        };
        let [table] = &tables(&answer)[..] else {
            panic!()
        };
        assert_eq!(
            table.heads,
            [
                "depth",
                "p50",
                "p99.9",
                "mean",
                "service p99",
                "service mean",
                "points"
            ]
        );
        let wide = apart("12.3 ms (+-100 % or more)");
        assert_eq!(wide, ("12.3 ms".to_owned(), "\u{b1} >100%".to_owned()));
        let (value, within) = &table.rows[0][0];
        assert_eq!((value.as_str(), within.as_str()), ("100", "\u{b1} 2.0%"));
    }

    /// Of two states each has a colour, and p50, p99 and mean a dash.
    #[test]
    fn figures_of_one_state_have_its_colour() {
        let labels = [
            "one: p50",
            "one: p99",
            "one: mean",
            "two: p50",
            "two: p99",
            "two: mean",
        ];
        let series = labels.map(|label| AnswerSeries {
            label: label.to_owned(),
            ..AnswerSeries::default()
        });
        let chart = AnswerChart {
            title: "t".to_owned(),
            x: AnswerAxis::linear("depth", AnswerUnit::Count),
            y: AnswerAxis::logarithmic("latency", AnswerUnit::Nanos),
            series: series.to_vec(),
            marks: Vec::new(),
        };
        let looks = chart
            .series
            .iter()
            .enumerate()
            .map(|(at, s)| look(&chart, s, at));
        let looks: Vec<_> = looks.collect();
        let one = looks[0].0;
        assert!(looks[..3].iter().all(|look| look.0 == one), "{looks:?}");
        assert!(
            looks[3..]
                .iter()
                .all(|look| look.0 != one && look.0 == looks[3].0),
            "{looks:?}"
        );
        let dashes: Vec<u8> = looks.iter().map(|look| look.1).collect();
        assert_eq!(dashes, [0, 1, 2, 0, 1, 2]);
        // In black and white as well.
        let all = chart.series.iter().enumerate();
        let fills: Vec<MarkerFill> = all.map(|(at, s)| fill(&chart, s, at)).collect();
        let (full, hollow) = (MarkerFill::Full, MarkerFill::Hollow);
        assert_eq!(fills, [full, full, full, hollow, hollow, hollow]);
    }

    #[test]
    fn what_was_measured_has_a_name_beside_its_caps() {
        let series = |label: &str, model: bool| AnswerSeries {
            label: label.to_owned(),
            model,
            points: [1.0, 2.0].map(|x| AnswerPoint::plain(x, 1.0)).to_vec(),
        };
        let chart = |series| AnswerChart {
            title: "t".to_owned(),
            x: AnswerAxis::linear("block", AnswerUnit::Bytes),
            y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
            series,
            marks: Vec::new(),
        };
        let both = picture(&chart(vec![series("", false), series("caps", true)]), 0);
        assert!(both.svg.contains(">measured</text>") && both.svg.contains(">caps</text>"));
        // A model has neither the colour of reads nor that of writes.
        assert!(!both.svg.contains("line v1 write"), "{}", both.svg);
        let alone = picture(&chart(vec![series("", false)]), 0);
        assert!(!alone.svg.contains(">measured</text>"));
    }

    #[test]
    fn reads_and_writes_have_their_colours_in_any_order() {
        let series = ["write p50", "read p50", "write", "read", "law"].map(|label| AnswerSeries {
            label: label.to_owned(),
            ..AnswerSeries::default()
        });
        let chart = AnswerChart {
            title: "t".to_owned(),
            x: AnswerAxis::linear("depth", AnswerUnit::Count),
            y: AnswerAxis::logarithmic("latency", AnswerUnit::Nanos),
            series: series.to_vec(),
            marks: Vec::new(),
        };
        let all = chart.series.iter().enumerate();
        let classes: Vec<&str> = all.map(|(at, s)| look(&chart, s, at).0).collect();
        assert_eq!(classes[..4], ["write", "read", "write", "read"]);
        assert!(!["read", "write"].contains(&classes[4]), "{classes:?}");
    }

    #[test]
    fn rates_start_from_zero_and_say_their_unit() {
        let rate = axis(&AnswerAxis::linear("rate", AnswerUnit::Iops));
        assert_eq!(
            (rate.scale, rate.label.as_str()),
            (ScaleKind::Linear, "rate, IOPS")
        );
        // Over block size both axes are logarithmic: the slope says which limit holds.
        let of_size = axis(&AnswerAxis::logarithmic("IOPS", AnswerUnit::Iops));
        assert_eq!(of_size.scale, ScaleKind::Log10);
        let named = axis(&AnswerAxis::linear("IOPS", AnswerUnit::Iops));
        assert_eq!(named.label, "IOPS");
    }

    #[test]
    fn lines_of_a_study_differ_without_colour_and_those_that_rise_can_be_zoomed() {
        let series = |label: &str, xs: [f64; 2]| AnswerSeries {
            label: label.to_owned(),
            model: false,
            points: xs.map(|x| AnswerPoint::plain(x, 1.0)).to_vec(),
        };
        let chart = |series| AnswerChart {
            title: "t".to_owned(),
            x: AnswerAxis::linear("share of reads", AnswerUnit::Share),
            y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
            series,
            marks: Vec::new(),
        };
        let rising = picture(
            &chart(vec![series("a", [0.0, 1.0]), series("b", [0.0, 1.0])]),
            0,
        );
        assert!(rising.svg.contains("line v0 ") && rising.svg.contains("line v1 "));
        assert!(rising.svg.contains(">100 %</text>") && !rising.plot.is_empty());
        let bent = picture(&chart(vec![series("a", [1.0, 0.5])]), 0);
        assert!(!bent.plot.contains("\"v\""), "{}", bent.plot);
    }
}
