//! A chart's data for the page's script: the same numbers as in its SVG, as compact JSON.

use crate::render::svg::chart::{Axis, Chart, Mark, Series, Shape};
use crate::render::svg::scale::{ScaleKind, Unit};
use serde::Serialize;

/// What the script reads.
#[derive(Serialize)]
struct Plot<'a> {
    sync: &'a str,
    x: Side<'a>,
    y: Side<'a>,
    s: Vec<Line>,
    bands: Vec<[f64; 2]>,
}

/// An axis, and where all series have their values on it.
#[derive(Serialize)]
struct Side<'a> {
    label: &'a str,
    scale: &'static str,
    unit: &'static str,
    /// Lowest and highest value of the picture, and the pixels where they are.
    r: [f64; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<Vec<f64>>,
}

/// A series, or the part of it that is sure or not.
#[derive(Serialize)]
struct Line {
    thin: bool,
    more: bool,
    label: String,
    class: String,
    v: u8,
    step: bool,
    dots: bool,
    y: Vec<Option<f64>>,
}

/// The data of a chart; `sync` names the charts whose cursors move together. All series are brought
/// onto one rising list of x values; what a series does not have there is null.
#[must_use]
pub(super) fn plot_json(chart: &Chart, sync: &str) -> String {
    let mut xs: Vec<f64> = chart
        .series
        .iter()
        .flat_map(|s| s.points.iter().map(|p| p.0))
        .filter(|x| x.is_finite())
        .collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup_by(|a, b| (*a - *b).abs() <= f64::EPSILON * a.abs());
    let lines = chart.series.iter().flat_map(parts);
    let bands = chart.marks.iter().filter_map(|mark| match mark {
        Mark::Band(from, to, _) => Some([*from, *to].map(|v| (v * 1e3).round() / 1e3)),
        _ => None,
    });
    let ends = chart.ends();
    let plot = Plot {
        sync,
        x: side(
            &chart.x,
            ends[0],
            Some(xs.iter().map(|x| rounded(*x, 6)).collect()),
        ),
        y: side(&chart.y, ends[1], None),
        s: lines
            .map(|(series, thin, more)| one(series, (thin, more), &xs))
            .collect(),
        bands: bands.collect(),
    };
    // Its keys are texts: printing cannot fail.
    leadline_text::json::script(&plot).unwrap_or_default()
}

fn side(axis: &Axis, ends: [f64; 4], v: Option<Vec<f64>>) -> Side<'_> {
    Side {
        r: ends.map(|end| rounded(end, 6)),
        label: &axis.label,
        scale: scale_name(axis.scale),
        unit: unit(axis.unit),
        v,
    }
}

/// The sure and the doubtful part of a series, each with whether it is doubtful and whether another part
/// follows.
fn parts(series: &Series) -> Vec<(Series, bool, bool)> {
    let split = series.thin_from.unwrap_or(series.points.len());
    if split == 0 || split >= series.points.len() {
        return vec![(series.clone(), split == 0, false)];
    }
    let (mut sure, mut thin) = (series.clone(), series.clone());
    sure.points.truncate(split);
    // The parts share a point, so that the line has no gap.
    thin.points.drain(..split - 1);
    vec![(sure, false, true), (thin, true, false)]
}

fn one(series: Series, (thin, more): (bool, bool), xs: &[f64]) -> Line {
    let mut points = series.points.iter().peekable();
    let ys = xs.iter().map(|x| {
        while points.peek().is_some_and(|p| p.0 < *x) {
            points.next();
        }
        let here = points.peek().filter(|p| p.0 <= *x).map(|p| p.1);
        here.filter(|y| y.is_finite()).map(|y| rounded(y, 4))
    });
    Line {
        thin,
        more,
        y: ys.collect(),
        label: series.label,
        class: series.class,
        v: series.variant,
        step: series.shape == Shape::Step,
        dots: matches!(series.shape, Shape::Marked | Shape::Dots),
    }
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
        ScaleKind::Linear => "lin",
        ScaleKind::Log10 | ScaleKind::Nines => "log",
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

    #[test]
    fn series_are_aligned_and_words_cannot_end_the_script() {
        let series = |label: &str, points: &[(f64, f64)]| Series {
            label: label.to_owned(),
            class: "read".to_owned(),
            variant: 0,
            shape: Shape::Line,
            points: points.to_vec(),
            tags: vec![],
            thin_from: None,
            within: Vec::new(),
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
        let json = plot_json(&chart, "s");
        assert!(!json.contains("</"));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["x"]["v"], serde_json::json!([0.5, 1.5]));
        assert_eq!(value["s"][0]["y"], serde_json::json!([123_456, null]));
        assert_eq!(value["s"][1]["y"], serde_json::json!([null, 0.001235]));
    }
}
