//! A chart's data for the page's script: the same numbers as in its SVG, as compact JSON.

use crate::render::svg::chart::{Chart, Mark, Series, Shape};
use crate::render::svg::scale::{Law, Unit};
use std::fmt::Write as _;

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
    let mut out = String::with_capacity(1024);
    let _ = write!(
        out,
        "{{\"sync\":{},\"x\":{{\"label\":{},\"law\":\"{}\",\"unit\":\"{}\",\"v\":",
        quote(sync),
        quote(&chart.x.label),
        law(chart.x.law),
        unit(chart.x.unit)
    );
    numbers(&mut out, xs.iter().map(|x| Some(*x)), 6);
    let _ = write!(
        out,
        "}},\"y\":{{\"label\":{},\"law\":\"{}\",\"unit\":\"{}\"}},\"s\":[",
        quote(&chart.y.label),
        law(chart.y.law),
        unit(chart.y.unit)
    );
    let mut first = true;
    for (series, thin, more) in chart.series.iter().flat_map(parts) {
        if !first {
            out.push(',');
        }
        first = false;
        one(&mut out, &series, (thin, more), &xs);
    }
    out.push_str("],\"bands\":[");
    let bands = chart.marks.iter().filter_map(|m| match m {
        Mark::Band(from, to, _) => Some(format!("[{from:.3},{to:.3}]")),
        _ => None,
    });
    out.push_str(&bands.collect::<Vec<_>>().join(","));
    out.push_str("]}");
    out
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

fn one(out: &mut String, series: &Series, (thin, more): (bool, bool), xs: &[f64]) {
    let _ = write!(
        out,
        "{{\"thin\":{thin},\"more\":{more},\"label\":{},\"class\":{},\"v\":{},\"step\":{},\"dots\":{},\"y\":",
        quote(&series.label),
        quote(&series.class),
        series.variant,
        series.shape == Shape::Step,
        series.shape == Shape::Marked,
    );
    let mut points = series.points.iter().peekable();
    let ys = xs.iter().map(|x| {
        while points.peek().is_some_and(|p| p.0 < *x) {
            points.next();
        }
        let here = points.peek().filter(|p| p.0 <= *x).map(|p| p.1);
        here.filter(|y| y.is_finite())
    });
    numbers(out, ys, 4);
    out.push('}');
}

fn numbers(out: &mut String, values: impl Iterator<Item = Option<f64>>, digits: i32) {
    out.push('[');
    for (i, value) in values.enumerate() {
        if i > 0 {
            out.push(',');
        }
        match value {
            Some(v) => out.push_str(&rounded(v, digits)),
            None => out.push_str("null"),
        }
    }
    out.push(']');
}

/// To so many significant digits, without an exponent.
fn rounded(v: f64, digits: i32) -> String {
    if v == 0.0 || !v.is_finite() {
        return "0".to_owned();
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an exponent of ten: below 309"
    )]
    let whole = v.abs().log10().floor() as i32 + 1;
    let scale = 10_f64.powi((digits - whole).max(0));
    let text = format!("{}", (v * scale).round() / scale);
    text
}

const fn law(law: Law) -> &'static str {
    match law {
        Law::Linear => "lin",
        Law::Log10 | Law::Nines => "log",
        Law::Log2 => "log2",
    }
}

const fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "count",
        Unit::Nanos => "ns",
        Unit::Seconds => "s",
        Unit::MibPerS => "mib",
        Unit::Whole => "whole",
        Unit::Nines => "nines",
    }
}

/// A JSON string that cannot end the script element it stands in.
fn quote(text: &str) -> String {
    serde_json::to_string(text)
        .unwrap_or_else(|_| "\"\"".to_owned())
        .replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::chart::Axis;

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
        };
        let chart = Chart {
            id: "c".into(),
            title: String::new(),
            description: String::new(),
            x: Axis::new("t", Law::Linear, Unit::Seconds),
            y: Axis::new("y", Law::Log10, Unit::Nanos),
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
