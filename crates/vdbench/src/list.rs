//! Lists and ranges: names, numbers, sizes.
//!
//! Belongs here: `(sd1-sd3)`, `(1-10,1)`, `(1-64,d)`. Must never appear here: values of other forms
//! (see `value`).

use crate::fault::{Fault, fault};
use crate::lex::{Dash, Item, Value};
use crate::number::{Number, Unit, number, whole};
use leadline_dialect::diagnostic::Span;

/// Most values of one list.
const MOST: usize = 10_000;

/// Names, ranges of them taken apart; a trailing `*` stays.
pub(crate) fn names(value: &Value) -> Result<Vec<(String, Span)>, Fault> {
    let mut out = Vec::new();
    for item in &value.items {
        let span = item.text.whole();
        match item.dash {
            Dash::None => out.push((item.text.as_str().to_owned(), span)),
            Dash::Many => return fault(span, QUOTE),
            Dash::One(at) => {
                for name in name_range(item, at)? {
                    out.push((name, span));
                }
            }
        }
        if out.len() > MOST {
            return fault(span, format!("more than {MOST} names"));
        }
    }
    Ok(out)
}

const QUOTE: &str = "a `-` in parentheses is a range such as `(sd1-sd4)`; put a name that \
                     contains a `-` in quotes: `(\"sd-1\")`";

fn name_range(item: &Item, at: usize) -> Result<Vec<String>, Fault> {
    let text = item.text.as_str();
    let (low, high) = (text.get(..at), text.get(at + 1..));
    let parts = low.zip(high).and_then(|(low, high)| {
        let (prefix, from) = numbered(low)?;
        let (other, to) = numbered(high)?;
        (prefix == other && from < to).then_some((prefix, from, to))
    });
    match parts {
        Some((prefix, from, to)) if to - from < MOST as u64 => {
            Ok((from..=to).map(|n| format!("{prefix}{n}")).collect())
        }
        _ => fault(item.text.whole(), QUOTE),
    }
}

/// A name cut before the number at its end; none when there is no number, or zeros lead it.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (prefix, number) = name.split_at(name.len() - digits);
    if number.len() > 1 && number.starts_with('0') {
        return None;
    }
    Some((prefix, number.parse().ok()?))
}

/// Numbers of a list, ranges taken apart.
pub(crate) fn numbers(value: &Value) -> Result<Vec<Number>, Fault> {
    let mut out = Vec::new();
    let mut items = value.items.iter().peekable();
    while let Some(item) = items.next() {
        let text = item.text.as_str();
        let span = item.text.whole();
        match item.dash {
            Dash::None => match number(text, Unit::Binary) {
                Some(n) => out.push(n),
                None if text.eq_ignore_ascii_case("d") => {
                    return fault(span, "doubling needs a range before it: `(16-64,d)`");
                }
                None => return fault(span, format!("`{text}` is not a number")),
            },
            Dash::Many => return fault(span, "a range has one `-`"),
            Dash::One(at) => {
                let step = items
                    .next_if(|next| next.dash == Dash::None)
                    .map(|next| next.text.as_str());
                range(text, at, step, span, &mut out)?;
            }
        }
        if out.len() > MOST {
            return fault(value.span, format!("more than {MOST} values"));
        }
    }
    Ok(out)
}

/// A range with its step: `1-10` by `1`, `1-64` by `d`.
fn range(
    text: &str,
    at: usize,
    step: Option<&str>,
    span: Span,
    out: &mut Vec<Number>,
) -> Result<(), Fault> {
    let ends = text.get(..at).zip(text.get(at + 1..));
    let read = |t: &str| number(t, Unit::Binary).filter(|n| !n.percent);
    let Some((from, to)) = ends.and_then(|(a, b)| Some((read(a)?.value, read(b)?.value))) else {
        return fault(span, format!("`{text}` is not a range of numbers"));
    };
    let percent = false;
    let mut push = |value| out.push(Number { value, percent });
    if step.is_some_and(|s| s.eq_ignore_ascii_case("d")) {
        if from <= 0.0 || to <= 0.0 {
            return fault(span, "doubling must start above 0");
        }
        let mut value = from;
        while (from <= to && value <= to) || (from > to && value >= to) {
            push(value);
            value = if from <= to { value * 2.0 } else { value / 2.0 };
        }
        return Ok(());
    }
    let Some(step) = step.map_or(Some(1.0), |s| read(s).map(|n| n.value)) else {
        return fault(
            span,
            "a range is followed by its step, or by `d` for doubling",
        );
    };
    if step <= 0.0 || (to - from).abs() / step > MOST as f64 {
        return fault(span, format!("the step gives more than {MOST} values"));
    }
    let steps = whole((to - from).abs() / step + 1e-9);
    let signed = if from <= to { step } else { -step };
    for i in 0..=steps {
        push(from + signed * i as f64);
    }
    Ok(())
}

/// Sizes of I/Os in a list, each above 0 and a multiple of 512.
pub(crate) fn sizes(value: &Value) -> Result<Vec<Number>, Fault> {
    let sizes = numbers(value)?;
    for size in &sizes {
        if size.value < 1.0 || size.percent {
            return fault(value.span, "a size must be at least 1");
        }
        if !whole(size.value).is_multiple_of(512) {
            let text = format!("{} is not a multiple of 512", size.value);
            return fault(value.span, text);
        }
    }
    Ok(sizes)
}

/// Sizes of areas in a list: any number of bytes, 0 = the usual.
pub(crate) fn areas(value: &Value) -> Result<Vec<Number>, Fault> {
    let sizes = numbers(value)?;
    match sizes.iter().find(|n| n.percent) {
        Some(_) => fault(value.span, "a size cannot be negative"),
        None => Ok(sizes),
    }
}
