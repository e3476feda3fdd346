//! Stacked bars: the parts of a whole for each of a few settings.

use super::labels::folded;
use super::letters::{LetterWeight, WordRoom};
use super::parts::WIDTH;
use super::scale::{Scale, ScaleKind, Unit, exact};
use super::shape::{axis_label, document, label_below, line, part_of, px, text, tick_left};
use super::ticks::ticks;
use crate::words::trim_to;
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is, written below.
    pub label: String,
    /// Parts from the bottom.
    pub parts: Vec<BarPart>,
    /// Between which values the total is likely to be: a whisker. `None` = not known.
    pub within: Option<(f64, f64)>,
}

/// A part of a bar.
#[derive(Clone, Debug)]
pub struct BarPart {
    /// What it is.
    pub name: String,
    /// Its class in the style sheet.
    pub class: String,
    /// Its height.
    pub value: f64,
    /// Between which values that is likely to be; not drawn in a bar. `None` = not known.
    pub within: Option<(f64, f64)>,
}

/// A chart of stacked bars.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Unique within the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The same in words with its figures.
    pub description: String,
    /// What the height is.
    pub label: String,
    /// What the bars stand for, written below.
    pub below: String,
    /// What values are.
    pub unit: Unit,
    /// The bars.
    pub bars: Vec<Bar>,
    /// Height in units; the width is 440.
    pub height: f64,
}

const LEFT: f64 = 50.0;
const RIGHT: f64 = 426.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 34.0;

impl Bars {
    /// The chart as an SVG element.
    #[must_use]
    pub fn draw(&self) -> String {
        let floor = self.height - BOTTOM;
        let ends = self.bars.iter().filter_map(|bar| Some(bar.within?.1));
        let totals = self.bars.iter().map(total).chain(ends);
        let y = Scale::fit(ScaleKind::Linear, totals, floor, TOP).rounded();
        let mut out = String::with_capacity(4096);
        let _ = write!(
            out,
            "<defs><pattern id=\"{}-x\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><path class=\"stripe\" d=\"M1 0V5\"/></pattern></defs>",
            attribute(&self.id)
        );
        for (tick, words) in ticks(&y, self.unit) {
            let at = y.at(tick);
            line(&mut out, (LEFT, at), (RIGHT, at), "grid");
            tick_left(&mut out, at, &words);
        }
        let step = (RIGHT - LEFT) / self.bars.len().max(1) as f64;
        for (i, bar) in self.bars.iter().enumerate() {
            let middle = LEFT + (i as f64 + 0.5) * step;
            self.bar(bar, middle, (step * 0.62).min(64.0), &y, &mut out);
        }
        let rows = self.labels(floor, &mut out);
        line(&mut out, (LEFT, floor), (RIGHT, floor), "axis");
        self.names(&mut out);
        axis_label(&mut out, (4.0, 13.0), "label", &self.label);
        if rows == 1 {
            label_below(&mut out, (RIGHT, floor + 30.0), &self.below);
        }
        document(
            (WIDTH, self.height),
            &self.id,
            (&self.title, &self.description),
            &out,
        )
    }

    /// What each bar is, on two lines where one has no room for it; how many lines that takes.
    fn labels(&self, floor: f64, out: &mut String) -> usize {
        let step = (RIGHT - LEFT) / self.bars.len().max(1) as f64;
        let room = WordRoom::Units(step - 4.0, LetterWeight::Plain);
        let mut rows = 1;
        for (i, bar) in self.bars.iter().enumerate() {
            let middle = LEFT + (i as f64 + 0.5) * step;
            let lines = folded(&bar.label, room, 2);
            let is_cut = lines.iter().any(|line| line.contains('\u{2026}'));
            rows = rows.max(lines.len());
            for (words, down) in lines.iter().zip(0_u32..) {
                let at = (middle, floor + 16.0 + 12.0 * f64::from(down));
                let whole = if is_cut { &bar.label } else { words };
                part_of(out, at, "tick mid", (words, whole));
            }
        }
        rows
    }

    fn bar(&self, bar: &Bar, middle: f64, width: f64, y: &Scale, out: &mut String) {
        let mut sum = 0.0;
        for BarPart {
            name, class, value, ..
        } in &bar.parts
        {
            let (low, high) = (y.at(sum), y.at(sum + value));
            sum += value;
            if low - high < 0.05 {
                continue;
            }
            let within = bar.within.map_or_else(String::new, |(low, high)| {
                let whole = if bar.parts.len() > 1 { "total " } else { "" };
                let (low, high) = (exact(self.unit, low), exact(self.unit, high));
                format!(" ({whole}95 %: {low} to {high})")
            });
            let tip = attribute(&format!(
                "{}: {name} {}{within}",
                bar.label,
                exact(self.unit, *value)
            ));
            let _ = write!(
                out,
                "<rect class=\"bar {class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">\
                 <title>{tip}</title></rect>",
                px(middle - width / 2.0),
                px(high),
                px(width),
                px(low - high)
            );
            let left = middle - width / 2.0;
            self.hatch(class, (left, high, width, low - high), out);
        }
        let mut top = y.at(sum);
        if let Some((low, high)) = bar.within.filter(|w| y.at(w.0) - y.at(w.1) > 0.4) {
            let (low, high) = (y.at(low), y.at(high));
            line(out, (middle, low), (middle, high), "whisker over");
            for end in [low, high] {
                line(
                    out,
                    (middle - 5.0, end),
                    (middle + 5.0, end),
                    "whisker over",
                );
            }
            top = top.min(high);
        }
        text(out, (middle, top - 5.0), "tag mid", &on_top(self.unit, sum));
    }

    /// The parts' names with a sample of each, in the top right corner; one part needs none.
    fn names(&self, out: &mut String) {
        let mut named: Vec<(&str, &str)> = Vec::new();
        for BarPart {
            name, class, value, ..
        } in self.bars.iter().flat_map(|b| &b.parts)
        {
            if *value > 0.0 && !named.iter().any(|n| n.0 == name) {
                named.push((name, class));
            }
        }
        if self.bars.iter().all(|b| b.parts.len() < 2) {
            return;
        }
        let mut x = RIGHT;
        for (name, class) in named.iter().rev() {
            let class = attribute(class);
            text(out, (x, 13.0), &format!("name end {class}"), name);
            x -= LetterWeight::Bold.width(name) + 6.0;
            let left = px(x - 11.0);
            let _ = write!(
                out,
                "<rect class=\"bar {class}\" x=\"{left}\" y=\"4\" width=\"11\" height=\"10\"/>"
            );
            self.hatch(&class, (x - 11.0, 4.0, 11.0, 10.0), out);
            x -= 24.0;
        }
    }

    /// Writes carry stripes, so that the parts can be distinguished without colour.
    fn hatch(&self, class: &str, (x, y, w, h): (f64, f64, f64, f64), out: &mut String) {
        if class == "write" {
            let _ = write!(
                out,
                "<rect fill=\"url(#{}-x)\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                attribute(&self.id),
                px(x),
                px(y),
                px(w),
                px(h)
            );
        }
    }
}

/// The total above a bar, with three digits: `1.25k`.
fn on_top(unit: Unit, value: f64) -> String {
    let is_counted = matches!(unit, Unit::Count | Unit::MibPerS | Unit::MbPerS);
    match value {
        v if is_counted && (999.5..9_995.0).contains(&v) => format!("{}k", trim_to(v / 1e3, 2)),
        v => unit.text(v),
    }
}

fn total(bar: &Bar) -> f64 {
    bar.parts.iter().map(|p| p.value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_above_a_bar_has_three_digits() {
        let of = |value| on_top(Unit::Count, value);
        let all = [950.0, 1250.0, 9996.0, 13_100.0].map(of);
        assert_eq!(all, ["950", "1.25k", "10k", "13.1k"]);
        assert_eq!(on_top(Unit::MibPerS, 4500.0), "4.5k");
    }

    #[test]
    fn a_bar_has_a_whisker_where_its_interval_is_known() {
        let bars = |within| Bars {
            id: "b".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            label: "IOPS".to_owned(),
            below: String::new(),
            unit: Unit::Count,
            bars: vec![Bar {
                label: "4 KiB".to_owned(),
                parts: vec![BarPart {
                    name: "read".to_owned(),
                    class: "read".to_owned(),
                    value: 1000.0,
                    within: None,
                }],
                within,
            }],
            height: 200.0,
        };
        assert!(!bars(None).draw().contains("whisker"));
        let svg = bars(Some((900.0, 1100.0))).draw();
        assert_eq!(svg.matches("class=\"whisker over\"").count(), 3);
        assert!(svg.contains("(95 %: 900 IOPS to 1,100 IOPS)"), "{svg}");
    }
}
