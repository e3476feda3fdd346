//! A chart's data for the page's script: the same numbers as in its SVG, as compact JSON.

use crate::render::svg::{Axis, Chart, Heat, HeatCells, ScaleKind, Series, Unit};
use crate::stats::Bracket;
use serde::Serialize;

/// What the script reads.
#[derive(Serialize)]
struct Plot<'a> {
    x: Side,
    y: Side,
    s: Vec<Line<'a>>,
    /// What each line is where the picture has numbers at them.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    key: &'a [String],
}

/// An axis, and where all series have their values on it.
#[derive(Serialize)]
struct Side {
    scale: &'static str,
    unit: &'static str,
    /// Lowest and highest value of the picture, and the pixels where they are.
    r: [f64; 4],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    v: Vec<f64>,
}

/// A series.
#[derive(Serialize)]
struct Line<'a> {
    label: &'a str,
    y: Vec<Option<f64>>,
    /// From which x on few samples support it.
    #[serde(skip_serializing_if = "Option::is_none")]
    few: Option<f64>,
    /// Between which values it is likely to be; empty where that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    w: Vec<Option<[f64; 2]>>,
    /// Where it is at least what is drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    least: Vec<f64>,
}

/// The scales of a chart, by which the script zooms the picture itself; where it has one value at an x (`rising`), the
/// values that are read out there. All series are brought onto one rising list of x values; what a series does not have
/// there is null. With the key to the numbers at the lines, or an empty one.
#[must_use]
pub(super) fn plot_json(chart: &Chart, rising: bool, key: &[String]) -> String {
    let all = chart.series.iter().filter(|_| rising);
    let mut xs: Vec<f64> = all
        .clone()
        .flat_map(|s| s.points.iter().map(|p| p.0))
        .filter(|x| x.is_finite())
        .collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup_by(|a, b| (*a - *b).abs() <= f64::EPSILON * a.abs());
    let ends = chart.ends();
    let plot = Plot {
        x: side(
            &chart.x,
            ends[0],
            xs.iter().map(|x| rounded(*x, 6)).collect(),
        ),
        y: side(&chart.y, ends[1], Vec::new()),
        s: all.map(|series| one(series, &xs, key)).collect(),
        key,
    };
    // Its keys are texts: printing cannot fail.
    leadline_text::json::script(&plot).unwrap_or_default()
}

/// What the script reads of a heat map.
#[derive(Serialize)]
struct HeatPlot {
    x: Side,
    y: Side,
    rows: u64,
    /// For each column the lowest row with I/Os, then their count in that one and in those above it; empty without any.
    cells: Vec<Vec<u64>>,
}

/// The scales of a heat map, by which the script zooms it, and the I/Os of each cell, which it reads out.
#[must_use]
pub(super) fn heat_json(heat: &Heat) -> String {
    let HeatCells {
        x,
        y,
        rows,
        columns,
    } = heat.cells();
    let side = |ends: [f64; 4], scale, unit| Side {
        scale,
        unit,
        r: ends.map(|end| rounded(end, 6)),
        v: Vec::new(),
    };
    let counts = |column: &std::collections::BTreeMap<u64, u64>| -> Vec<u64> {
        let mut known = column.iter().filter(|cell| *cell.1 > 0).map(|cell| *cell.0);
        let Some(first) = known.next() else {
            return Vec::new();
        };
        let last = known.next_back().unwrap_or(first);
        let each = (first..=last).map(|row| column.get(&row).copied().unwrap_or(0));
        std::iter::once(first).chain(each).collect()
    };
    let plot = HeatPlot {
        x: side(x, scale_name(ScaleKind::Linear), unit(Unit::Seconds)),
        y: side(y, scale_name(ScaleKind::Log2), unit(Unit::Nanos)),
        rows,
        cells: columns.iter().map(counts).collect(),
    };
    // Its keys are texts: printing cannot fail.
    leadline_text::json::script(&plot).unwrap_or_default()
}

fn side(axis: &Axis, ends: [f64; 4], v: Vec<f64>) -> Side {
    Side {
        r: ends.map(|end| rounded(end, 6)),
        scale: match axis.names.is_empty() {
            true => scale_name(axis.scale),
            false => "names",
        },
        unit: unit(axis.unit),
        v,
    }
}

fn one<'a>(series: &'a Series, xs: &[f64], key: &'a [String]) -> Line<'a> {
    let mut points = series.points.iter().peekable();
    let ys = xs.iter().map(|x| {
        while points.peek().is_some_and(|p| p.0 < *x) {
            points.next();
        }
        let here = points.peek().filter(|p| p.0 <= *x).map(|p| p.1);
        here.filter(|y| y.is_finite()).map(|y| rounded(y, 4))
    });
    let place = |x: &f64| series.points.iter().position(|p| p.0.total_cmp(x).is_eq());
    let within = |x: &f64| {
        let (low, high) = series.bracket(place(x)?).ends()?;
        Some([rounded(low, 4), rounded(high, 4)])
    };
    let is_bound = |x: &&f64| place(x).is_some_and(|at| series.bracket(at) == Bracket::AtLeast);
    let few = series.thin_from.and_then(|at| series.points.get(at));
    Line {
        y: ys.collect(),
        label: named(&series.label, key),
        few: few.map(|p| rounded(p.0, 6)),
        w: match series.within().next() {
            None => Vec::new(),
            Some(_) => xs.iter().map(within).collect(),
        },
        least: match series.has_bounds() {
            false => Vec::new(),
            true => xs.iter().filter(is_bound).map(|x| rounded(*x, 6)).collect(),
        },
    }
}

/// What a line is called: its name beside it, or that of its number.
fn named<'a>(label: &'a str, key: &'a [String]) -> &'a str {
    let number = label.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    number
        .and_then(|at| key.get(at))
        .map_or(label, String::as_str)
}

/// To this many significant digits; a whole number keeps all of its own.
fn rounded(v: f64, digits: i32) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return 0.0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an exponent of ten: below 309"
    )]
    let whole = v.abs().log10().floor() as i32 + 1;
    let scale = 10_f64.powi((digits - whole).max(0));
    (v * scale).round() / scale
}

const fn scale_name(kind: ScaleKind) -> &'static str {
    match kind {
        ScaleKind::Linear | ScaleKind::Near | ScaleKind::Counted => "lin",
        ScaleKind::Log10 => "log",
        ScaleKind::Nines => "nines",
        ScaleKind::Log2 => "log2",
    }
}

const fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "count",
        Unit::Nanos => "ns",
        Unit::Seconds => "s",
        Unit::MibPerS => "mib",
        Unit::MbPerS => "mb",
        Unit::Bytes => "bytes",
        Unit::Percent => "percent",
        Unit::Whole => "whole",
        Unit::Number => "number",
        Unit::Nines => "nines",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::{MarkerFill, Shape};

    #[test]
    fn a_heat_map_has_the_ios_of_each_cell_from_the_lowest_row_of_its_column() {
        let heat = Heat {
            id: "h".into(),
            title: String::new(),
            description: String::new(),
            class: "all".into(),
            edges: vec![0.0, 1.0, 2.0],
            columns: vec![vec![(1024, 7), (2100, 30), (4000, 2)], Vec::new()],
            height: 220.0,
        };
        let value: serde_json::Value = serde_json::from_str(&heat_json(&heat)).unwrap();
        // From 1,024 to 4,096 ns, four rows in a factor of two.
        assert_eq!(value["rows"], 8);
        assert_eq!(
            value["cells"],
            serde_json::json!([[0, 7, 0, 0, 0, 30, 0, 0, 2], []])
        );
        assert_eq!(value["x"]["r"], serde_json::json!([0, 2, 50, 426]));
        assert_eq!(value["y"]["r"], serde_json::json!([1024, 4096, 186, 24]));
        assert_eq!(value["y"]["scale"], "log2");
    }

    #[test]
    fn series_are_aligned_and_words_cannot_end_the_script() {
        let series = |label: &str, points: &[(f64, f64)]| Series {
            label: label.to_owned(),
            class: "read".to_owned(),
            variant: 0,
            fill: MarkerFill::Full,
            shape: Shape::Line,
            points: points.to_vec(),
            tags: vec![],
            thin_from: None,
            brackets: Vec::new(),
        };
        let chart = Chart {
            id: "c".into(),
            title: String::new(),
            description: String::new(),
            x: Axis::new("t", ScaleKind::Linear, Unit::Seconds),
            y: Axis::new("y", ScaleKind::Log10, Unit::Nanos),
            series: vec![
                series("</script>", &[(0.5, 123_456.0), (1.5, f64::NAN)]),
                series("b", &[(1.5, 0.001_234_56)]),
            ],
            marks: vec![],
            height: 200.0,
        };
        let mut chart = chart;
        chart.series[0].brackets = vec![Bracket::Within(100_000.0, 150_000.0)];
        chart.series[1].brackets = vec![Bracket::AtLeast];
        let json = plot_json(&chart, true, &[]);
        assert!(!json.contains("</"));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["x"]["v"], serde_json::json!([0.5, 1.5]));
        assert_eq!(value["s"][0]["y"], serde_json::json!([123_456, null]));
        assert_eq!(value["s"][1]["y"], serde_json::json!([null, 0.001235]));
        let within = serde_json::json!([[100_000, 150_000], null]);
        assert_eq!(value["s"][0]["w"], within);
        assert_eq!(value["s"][1].get("w"), None);
        assert_eq!(value["s"][1]["least"], serde_json::json!([1.5]));
        // Lines that bend back have scales alone.
        let bent: serde_json::Value = serde_json::from_str(&plot_json(&chart, false, &[])).unwrap();
        assert_eq!(bent["x"].get("v"), None);
        assert_eq!(bent["x"]["r"], value["x"]["r"]);
    }
}
