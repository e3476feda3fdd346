//! How a series is drawn: its line, its markers, the band or the whiskers within which it is likely to be.
//!
//! Belongs here: from points to shapes. Must never: lay out a chart.

use super::parts::{Axis, Frame, MarkerFill, Series, Shape};
use super::shape::{line, px, text};
use super::tags::TagPlace;
use crate::stats::Bracket;
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// The line and the marker of a series alone, for a legend.
#[must_use]
pub fn key(class: &str, look: (u8, MarkerFill)) -> String {
    let sample = sample(class, look, (1.0, 6.0), true);
    format!("<svg class=\"key\" viewBox=\"0 0 36 12\" aria-hidden=\"true\">{sample}</svg>")
}

/// The same from a place on, 34 units wide, in a picture that has a legend of its own; without the line on request.
#[must_use]
pub fn sample(
    class: &str,
    (variant, fill): (u8, MarkerFill),
    (x, y): (f64, f64),
    with_line: bool,
) -> String {
    let mut out = match with_line {
        true => line_sample(class, variant, (x, y)),
        false => String::new(),
    };
    let series = Series {
        label: String::new(),
        class: class.to_owned(),
        variant,
        fill,
        shape: Shape::Marked,
        points: Vec::new(),
        tags: Vec::new(),
        thin_from: None,
        brackets: Vec::new(),
    };
    marker(&series, (x + 17.0, y), "", &mut out);
    out
}

/// The line of a series that has no markers, from a place on.
#[must_use]
pub fn line_sample(class: &str, variant: u8, (x, y): (f64, f64)) -> String {
    let (from, y, to) = (px(x), px(y), px(x + 34.0));
    format!("<path class=\"line v{variant} {class}\" d=\"M{from} {y}H{to}\"/>")
}

/// Whether an interval lies within the axes.
pub(super) fn is_inside(f: &Frame, (x, low, high): &(f64, f64, f64)) -> bool {
    f.x.holds(*x) && f.y.holds(*low) && f.y.holds(*high)
}

/// The bands within which a series is likely to be: each along the lowest values and back along the highest, from a point
/// with an interval to the last before one that has none. A point between two without an interval has a whisker.
pub(super) fn draw_within(series: &Series, f: &Frame, out: &mut String) {
    let has_whiskers = series.has_whiskers();
    for stretch in series.stretches(|one| is_inside(f, one)) {
        match stretch.as_slice() {
            several if has_whiskers => several.iter().for_each(|one| whisker(series, *one, f, out)),
            [one] if series.shape == Shape::Marked => whisker(series, *one, f, out),
            [_] => {}
            several => band(series, several, f, out),
        }
    }
}

fn whisker(series: &Series, (x, low, high): (f64, f64, f64), f: &Frame, out: &mut String) {
    let class = format!("whisker {}", series.class);
    let goes_on = low < f.y.ends()[0];
    let (x, low, high) = (f.x.at(x), f.y.at(low), f.y.at(high));
    line(out, (x, low), (x, high), &class);
    if !goes_on {
        line(out, (x - 4.0, low), (x + 4.0, low), &class);
    }
    line(out, (x - 4.0, high), (x + 4.0, high), &class);
}

fn band(series: &Series, known: &[(f64, f64, f64)], f: &Frame, out: &mut String) {
    let there = known.iter().map(|(x, low, _)| (*x, *low));
    let back = known.iter().rev().map(|(x, _, high)| (*x, *high));
    let mut d = String::new();
    for (at, (x, y)) in there.chain(back).enumerate() {
        let letter = if at == 0 { 'M' } else { 'L' };
        let _ = write!(d, "{letter}{} {}", px(f.x.at(x)), px(f.y.at(y)));
    }
    let class = &series.class;
    let _ = write!(out, "<path class=\"within {class}\" d=\"{d}Z\"/>");
}

/// Arrows up where a value is at least what is drawn; of a line without markers as many as have room.
fn draw_bounds(series: &Series, f: &Frame, out: &mut String) {
    const APART: f64 = 14.0;
    let mut last = f64::NEG_INFINITY;
    for (at, &(x, y)) in series.points.iter().enumerate() {
        if series.bracket(at) != Bracket::AtLeast || !(f.x.holds(x) && f.y.holds(y)) {
            continue;
        }
        let (x, y) = (f.x.at(x), f.y.at(y));
        if series.shape == Shape::Line && x - last < APART {
            continue;
        }
        last = x;
        let (x, y) = (px(x), px(y - 4.0));
        let class = &series.class;
        // The moves of zoom know coordinates that are absolute: one path for the shaft, and one marker.
        let _ = write!(
            out,
            "<path class=\"arrow {class}\" d=\"M{x} {y}v-11m-3.5 4l3.5 -4l3.5 4\"/>"
        );
    }
}

pub(super) fn draw_series(
    (number, series, tags): (usize, &Series, &[Option<TagPlace>]),
    f: &Frame,
    axes: (&Axis, &Axis),
    out: &mut String,
) {
    let class = format!("line v{} {}", series.variant, series.class);
    let split = series.thin_from.unwrap_or(series.points.len());
    let (sure, thin) = series.points.split_at(split.min(series.points.len()));
    if !series.shape.is_apart() {
        let d = path(series, sure, f);
        let _ = write!(
            out,
            "<path class=\"{class}\" data-n=\"{number}\" d=\"{d}\"/>"
        );
    }
    if !thin.is_empty() {
        let tail: Vec<_> = sure.last().into_iter().chain(thin).copied().collect();
        let _ = write!(
            out,
            "<path class=\"{class} thin\" d=\"{}\"/>",
            path(series, &tail, f)
        );
    }
    draw_bounds(series, f, out);
    if series.shape == Shape::Line {
        draw_lone(series, f, axes, out);
    }
    if matches!(series.shape, Shape::Line | Shape::Step) {
        return;
    }
    for (i, &(x, y)) in series.points.iter().enumerate() {
        if !(f.x.holds(x) && f.y.holds(y)) {
            continue;
        }
        let (cx, cy) = (f.x.at(x), f.y.at(y));
        let tag = series.tags.get(i).map(String::as_str).unwrap_or_default();
        let tip = tip(series, i, axes);
        if let Some(width) = series.bar(f) {
            draw_bar(series, (cx, cy, width), (&tip, f), out);
            if !tag.is_empty() {
                let ends = series.bracket(i).ends();
                let top = ends.map_or(cy, |(_, high)| f.y.at(high).min(cy));
                text(out, (cx, top - 5.0), "tag mid", tag);
            }
            continue;
        }
        marker(series, (cx, cy), &tip, out);
        if let Some(place) = tags.get(i).copied().flatten() {
            let class = format!("tag {}", place.anchor);
            text(out, place.at, class.trim_end(), tag);
        }
    }
}

/// What a point says when a pointer is on it.
fn tip(series: &Series, i: usize, axes: (&Axis, &Axis)) -> String {
    let (x, y) = series.points[i];
    let tag = series.tags.get(i).map(String::as_str).unwrap_or_default();
    let name = format!("{} {tag}", series.label);
    let bracket = series.bracket(i);
    let within = bracket.ends().filter(|w| w.0 <= y && y <= w.1 && w.0 < w.1);
    let within = within.map_or_else(String::new, |(low, high)| {
        format!(" (95 %: {} to {})", axes.1.words(low), axes.1.words(high))
    });
    format!(
        "{}: {}, {}{}{within}",
        name.trim(),
        axes.0.words(x),
        bracket.mark(),
        axes.1.words(y)
    )
}

/// Markers at the points of a line between two gaps: a line to nowhere is not seen.
fn draw_lone(series: &Series, f: &Frame, axes: (&Axis, &Axis), out: &mut String) {
    let is_drawn = |at: Option<usize>| {
        let point = at.and_then(|at| series.points.get(at));
        point.is_some_and(|(x, y)| f.x.holds(*x) && f.y.holds(*y))
    };
    for (at, &(x, y)) in series.points.iter().enumerate() {
        if !is_drawn(Some(at)) || is_drawn(at.checked_sub(1)) || is_drawn(Some(at + 1)) {
            continue;
        }
        let tip = tip(series, at, axes);
        marker(series, (f.x.at(x), f.y.at(y)), &tip, out);
    }
}

/// A bar from 0; of several side by side each has its marker at its end, so that nothing depends on colour alone.
fn draw_bar(
    series: &Series,
    (x, y, width): (f64, f64, f64),
    (tip, f): (&str, &Frame),
    out: &mut String,
) {
    let (class, tip_words) = (&series.class, attribute(tip));
    let _ = write!(
        out,
        "<rect class=\"bar side {class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{tip_words}</title></rect>",
        px(x - width / 2.0),
        px(y),
        px(width),
        px(f.floor - y)
    );
    if series.shape != Shape::Bars(1) {
        marker(series, (x, y), tip, out);
    }
}

/// How many dashes and markers there are: with the five colours they are 50 different lines.
pub const VARIANTS: usize = 10;

/// The dash and marker of a place in turn: with the five colours, those of 15 differ with the first three, and later ones have
/// the others.
#[must_use]
pub fn variant_of(place: usize) -> u8 {
    let variant = match place / 5 {
        0..3 => place % 3,
        later => later % VARIANTS,
    };
    u8::try_from(variant).unwrap_or(0)
}

/// The outline of a marker: full shapes first, then crosses and hollow ones.
fn marker_path(variant: u8, (x, y): (f64, f64)) -> String {
    let from = |dx: f64, dy: f64, shape: &str| format!("M{} {}{shape}", px(x + dx), px(y + dy));
    // The inner outline runs the other way round, which leaves a hole.
    match variant {
        0 => from(-3.2, 0.0, "a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z"),
        1 => from(-3.0, -3.0, "h6v6h-6z"),
        2 => from(0.0, -4.0, "l3.8 6.6h-7.6z"),
        3 => from(0.0, -4.2, "l4.2 4.2l-4.2 4.2l-4.2 -4.2z"),
        4 => from(0.0, 4.0, "l-3.8 -6.6h7.6z"),
        5 => from(-1.0, -4.0, "h2v3h3v2h-3v3h-2v-3h-3v-2h3z"),
        6 => from(
            0.0,
            -1.4,
            "l2.4 -2.4l1.4 1.4l-2.4 2.4l2.4 2.4l-1.4 1.4l-2.4 -2.4l-2.4 2.4l-1.4 -1.4l2.4 -2.4l-2.4 -2.4l1.4 -1.4z",
        ),
        7 => from(
            -4.0,
            0.0,
            "a4 4 0 1 0 8 0a4 4 0 1 0 -8 0zm2 0a2 2 0 1 1 4 0a2 2 0 1 1 -4 0z",
        ),
        8 => from(-3.6, -3.6, "h7.2v7.2h-7.2zm2 2v3.2h3.2v-3.2z"),
        _ => from(
            0.0,
            -5.0,
            "l5 5l-5 5l-5 -5zm0 2.8l-2.2 2.2l2.2 2.2l2.2 -2.2z",
        ),
    }
}

fn marker(series: &Series, (x, y): (f64, f64), tip: &str, out: &mut String) {
    let shape = marker_path(series.variant, (x, y));
    let inside = inside(series.fill, (x, y));
    let hollow = match series.fill {
        MarkerFill::Full => "",
        _ => "hollow ",
    };
    let (class, tip) = (&series.class, attribute(tip));
    let _ = write!(
        out,
        "<path class=\"dot {hollow}{class}\" d=\"{shape}{inside}\"><title>{tip}</title></path>"
    );
}

/// What is drawn inside the outline of a hollow marker.
fn inside(fill: MarkerFill, (x, y): (f64, f64)) -> String {
    let from = |dx: f64, dy: f64, line: &str| format!("M{} {}{line}", px(x + dx), px(y + dy));
    match fill {
        MarkerFill::Full | MarkerFill::Hollow => String::new(),
        MarkerFill::Dotted => from(-0.6, 0.0, "a.6 .6 0 1 0 1.2 0a.6 .6 0 1 0 -1.2 0z"),
        MarkerFill::Upright => from(0.0, -3.0, "v6"),
        MarkerFill::Level => from(-3.0, 0.0, "h6"),
    }
}

fn path(series: &Series, points: &[(f64, f64)], f: &Frame) -> String {
    let mut d = String::with_capacity(points.len() * 10);
    let mut pen_down = false;
    for &(x, y) in points {
        if !(f.x.holds(x) && f.y.holds(y)) {
            pen_down = false;
            continue;
        }
        let (x, y) = (px(f.x.at(x)), px(f.y.at(y)));
        let _ = match (pen_down, series.shape) {
            (false, _) => write!(d, "M{x} {y}"),
            (true, Shape::Step) => write!(d, "H{x}V{y}"),
            (true, _) => write!(d, "L{x} {y}"),
        };
        pen_down = true;
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_turn_look_different() {
        let looks = (0..50).map(|place| (place % 5, variant_of(place)));
        let looks: std::collections::BTreeSet<(usize, u8)> = looks.collect();
        assert_eq!(looks.len(), 50);
        let markers = (0..10).map(|variant| marker_path(variant, (10.0, 10.0)));
        let markers: std::collections::BTreeSet<String> = markers.collect();
        assert_eq!(markers.len(), VARIANTS);
    }

    /// In black and white as well, and the moves of zoom know what is a marker.
    #[test]
    fn markers_of_several_runs_differ_in_what_is_inside() {
        let fills = (0..5).map(MarkerFill::of);
        let drawn = fills.map(|fill| sample("k0", (0, fill), (0.0, 0.0), false));
        let drawn: Vec<String> = drawn.collect();
        for (at, one) in drawn.iter().enumerate() {
            assert!(!drawn[..at].contains(one), "{one}");
            assert_eq!(one.contains("class=\"dot hollow k0\""), at > 0, "{one}");
        }
    }
}
