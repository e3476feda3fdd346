//! Text and paths: the few SVG elements the charts are made of.

use super::labels::shortened;
use super::letters::{LetterWeight, WordRoom};
use super::parts::{END, LEFT};
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// Left of the label of an axis.
const MARGIN: f64 = 4.0;

/// A number of pixels with one digit, without a needless zero.
pub(super) fn px(v: f64) -> String {
    let text = format!("{v:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// The SVG element around a chart's body, with what a screen reader says.
pub(super) fn document(size: (f64, f64), id: &str, words: (&str, &str), body: &str) -> String {
    let (title, description) = (attribute(words.0), attribute(words.1));
    let (w, h, id) = (px(size.0), px(size.1), attribute(id));
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
         aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{title}</title>\
         <desc id=\"{id}-d\">{description}</desc>{body}</svg>"
    )
}

/// A text element.
pub(super) fn text(out: &mut String, at: (f64, f64), class: &str, words: &str) {
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" class=\"{class}\">{}</text>",
        px(at.0),
        px(at.1),
        attribute(words)
    );
}

/// A text element of words that may be a part of others: these are in its title then.
pub(super) fn part_of(out: &mut String, at: (f64, f64), class: &str, (words, whole): (&str, &str)) {
    if words == whole {
        return text(out, at, class, words);
    }
    let (x, y) = (px(at.0), px(at.1));
    let (words, whole) = (attribute(words), attribute(whole));
    let _ = write!(
        out,
        "<text x=\"{x}\" y=\"{y}\" class=\"{class}\"><title>{whole}</title>{words}</text>"
    );
}

/// The label of an axis, shortened to what has room up to the right end of a picture.
pub(super) fn axis_label(out: &mut String, at: (f64, f64), class: &str, label: &str) {
    let room = WordRoom::Units(END - MARGIN, LetterWeight::Plain);
    part_of(out, at, class, (&shortened(label, room), label));
}

/// The label of the axis below, which ends at the right end of the lines, or further right where it is too long for that.
pub(super) fn label_below(out: &mut String, (right, y): (f64, f64), label: &str) {
    let is_long = LetterWeight::Plain.width(label) > right - MARGIN;
    let at = (if is_long { END } else { right }, y);
    axis_label(out, at, "label end", label);
}

/// The words of a tick on the left, which end before the frame; long ones nearer to it, not left of the picture.
pub(super) fn tick_left(out: &mut String, y: f64, words: &str) {
    let right = f64::max(LEFT - 6.0, LetterWeight::Plain.width(words) - 2.0);
    text(out, (right, y + 4.0), "tick end", words);
}

/// A straight line.
pub(super) fn line(out: &mut String, from: (f64, f64), to: (f64, f64), class: &str) {
    let _ = write!(
        out,
        "<path class=\"{class}\" d=\"M{} {}L{} {}\"/>",
        px(from.0),
        px(from.1),
        px(to.0),
        px(to.1)
    );
}

/// A small line without axes for a row of a table: a rate over time, from 0.
#[must_use]
pub fn spark(values: &[f64], class: &str) -> String {
    let (w, h) = (96.0, 18.0);
    let most = values.iter().copied().fold(0.0, f64::max);
    if values.len() < 2 || most <= 0.0 {
        return String::new();
    }
    let step = w / (values.len() - 1) as f64;
    let mut d = String::new();
    for (i, v) in values.iter().enumerate() {
        let (x, y) = (i as f64 * step, h - 1.0 - v.max(0.0) / most * (h - 2.0));
        let _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, px(x), px(y));
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let (least, most) = (crate::words::about(least), crate::words::about(most));
    let name = format!("IOPS over time, from {least} to {most}");
    format!(
        "<svg class=\"spark {class}\" viewBox=\"0 0 {w} {h}\" role=\"img\" aria-label=\"{name}\">\
         <path class=\"line\" d=\"{d}\"/></svg>"
    )
}

/// Whether a line goes through a rectangle.
pub(super) fn crosses(from: (f64, f64), to: (f64, f64), room: &[f64; 4]) -> bool {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    let sides = [
        (from.0, to.0 - from.0, room[0], room[2]),
        (from.1, to.1 - from.1, room[1], room[3]),
    ];
    for (start, way, low, high) in sides {
        if way.abs() < 1e-9 {
            if start <= low || start >= high {
                return false;
            }
            continue;
        }
        let (a, b) = ((low - start) / way, (high - start) / way);
        first = first.max(a.min(b));
        last = last.min(a.max(b));
    }
    first < last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_short() {
        assert_eq!(
            (px(1.0), px(-0.04), px(2.25)),
            ("1".into(), "0".into(), "2.2".into())
        );
    }

    #[test]
    fn a_spark_needs_two_values() {
        assert_eq!(spark(&[1.0], "read"), "");
        assert!(spark(&[1.0, 2.0], "read").contains("M0 9L96 1"));
        assert!(spark(&[1.0, 2.0], "read").contains("aria-label=\"IOPS over time, from 1"));
    }
}
