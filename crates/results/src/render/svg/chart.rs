//! Lines, steps and points over two axes: time series, depth curves, latency against IOPS, percentiles.

use super::scale::{Scale, ScaleKind, Unit, exact};
use super::shape::{document, line, px, text};
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// One axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with the unit where ticks do not carry it.
    pub label: String,
    /// How values spread.
    pub scale: ScaleKind,
    /// What values are.
    pub unit: Unit,
    /// Names in place of numbers: the first stands at 0, the second at 1 and so on. Empty = numbers.
    pub names: Vec<String>,
}

impl Axis {
    /// An axis.
    #[must_use]
    pub fn new(label: &str, scale: ScaleKind, unit: Unit) -> Self {
        Self {
            label: label.to_owned(),
            scale,
            unit,
            names: Vec::new(),
        }
    }

    /// A value on it for a tip.
    fn words(&self, value: f64) -> String {
        let place = usize::try_from(crate::words::whole(value)).ok();
        let name = place.and_then(|at| self.names.get(at));
        name.cloned().unwrap_or_else(|| exact(self.unit, value))
    }

    /// An axis of names.
    #[must_use]
    pub fn of_names(label: &str, names: Vec<String>) -> Self {
        Self {
            names,
            ..Self::new(label, ScaleKind::Linear, Unit::Whole)
        }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Straight from point to point.
    Line,
    /// Level until the next point: for a rate of an interval.
    Step,
    /// A line with a marker at each point.
    Marked,
    /// Markers without a line, each with its interval as a whisker.
    Dots,
}

/// One series.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name, written at its end.
    pub label: String,
    /// Class that gives the colour: `read`, `write`, `trim`, `sync`, `all`.
    pub class: String,
    /// 0 solid, 1 dashed, 2 dotted; also the marker: circle, square, triangle.
    pub variant: u8,
    /// How it is drawn.
    pub shape: Shape,
    /// Points; one that is not finite breaks the line.
    pub points: Vec<(f64, f64)>,
    /// A word at each point (its depth), or empty.
    pub tags: Vec<String>,
    /// Points from this one on are drawn with doubt (few samples).
    pub thin_from: Option<usize>,
    /// x, and the lowest and highest y that are likely there: drawn as a band behind the line, of dots as whiskers.
    /// Empty where it is not known.
    pub within: Vec<(f64, f64, f64)>,
}

/// Something marked in the chart.
#[derive(Clone, Debug)]
pub enum Mark {
    /// A vertical line at x, with a word.
    At(f64, String),
    /// A ring around a point, with a word.
    Ring(f64, f64, String),
    /// A band from x to x, with a word.
    Band(f64, f64, String),
    /// A faint level line at y, with a word.
    Level(f64, String),
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Unique within the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The same for those who cannot see it, with its figures.
    pub description: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
    /// What is marked.
    pub marks: Vec<Mark>,
    /// Height in units; the width is 440.
    pub height: f64,
}

const WIDTH: f64 = 440.0;
const LEFT: f64 = 50.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 34.0;
/// Most letters of a name on one line of the right margin.
const NAME_LETTERS: usize = 18;
/// Width of the widest right margin.
const MARGIN: f64 = 134.0;

/// The frame of a chart in pixels, and its scales.
struct Frame {
    right: f64,
    floor: f64,
    x: Scale,
    y: Scale,
}

impl Chart {
    /// The chart as an SVG element.
    #[must_use]
    pub fn draw(&self) -> String {
        document(
            (WIDTH, self.height),
            &self.id,
            (&self.title, &self.description),
            &self.body(),
        )
    }

    /// Lowest and highest value of each axis, x before y, with the pixels where they are.
    #[must_use]
    pub fn ends(&self) -> [[f64; 4]; 2] {
        let frame = self.frame();
        [frame.x.ends(), frame.y.ends()]
    }

    /// What is in that element: for a picture with several charts.
    #[must_use]
    pub fn body(&self) -> String {
        let frame = self.frame();
        let mut out = String::with_capacity(4096);
        self.bands(&frame, &mut out);
        self.axes(&frame, &mut out);
        let all = || self.series.iter();
        all().for_each(|series| draw_within(series, &frame, &mut out));
        for series in all() {
            draw_series(series, &frame, (&self.x, &self.y), &mut out);
        }
        self.end_labels(&frame, &mut out);
        self.rings(&frame, &mut out);
        out
    }

    fn frame(&self) -> Frame {
        let longest = self.series.iter().map(|s| s.label.chars().count()).max();
        let ringed = self.marks.iter().filter_map(|m| match m {
            Mark::Ring(x, _, words) if self.is_last(*x) => Some(words.chars().count() + 1),
            _ => None,
        });
        let room = longest.max(ringed.max()).unwrap_or(0) as f64 * 6.7 + 12.0;
        let right = WIDTH - room.clamp(22.0, MARGIN);
        let floor = self.height - BOTTOM;
        let all = || self.series.iter().flat_map(|s| &s.points);
        let marked = self.marks.iter().filter_map(|m| match m {
            Mark::At(x, _) => Some(*x),
            Mark::Band(_, to, _) => Some(*to),
            Mark::Ring(..) | Mark::Level(..) => None,
        });
        let xs = all().map(|p| p.0).chain(marked);
        let within = self.series.iter().flat_map(|s| &s.within);
        let ys = all().map(|p| p.1).chain(within.flat_map(|w| [w.1, w.2]));
        let levels = self.marks.iter().filter_map(|m| match m {
            Mark::Level(y, _) => Some(*y),
            _ => None,
        });
        let ys = ys.chain(levels);
        Frame {
            right,
            floor,
            x: match self.x.names.len() {
                0 => Scale::fit(self.x.scale, xs, LEFT, right),
                names => Scale::named(names, LEFT, right),
            },
            y: Scale::fit(self.y.scale, ys, floor, TOP).rounded(),
        }
    }

    /// Whether x is close to the right end of what is drawn.
    fn is_last(&self, x: f64) -> bool {
        let most = self.series.iter().flat_map(|s| &s.points).map(|p| p.0);
        x >= most.filter(|v| v.is_finite()).fold(0.0, f64::max) * 0.93
    }

    fn axes(&self, f: &Frame, out: &mut String) {
        for tick in f.y.ticks() {
            let y = f.y.at(tick);
            line(out, (LEFT, y), (f.right, y), "grid");
            text(
                out,
                (LEFT - 6.0, y + 4.0),
                "tick end",
                &self.y.unit.text(tick),
            );
        }
        line(out, (LEFT, f.floor), (f.right, f.floor), "axis");
        text(out, (4.0, 13.0), "label", &self.y.label);
        if !self.x.names.is_empty() {
            return self.names(f, out);
        }
        let mut last = f64::NEG_INFINITY;
        for tick in f.x.ticks() {
            let (x, words) = (f.x.at(tick), self.x.unit.text(tick));
            // Labels that would touch are left out; the tick stays.
            line(out, (x, f.floor), (x, f.floor + 4.0), "axis");
            let half = words.chars().count() as f64 * 3.3;
            if x - half > last + 4.0 {
                text(out, (x, f.floor + 16.0), "tick mid", &words);
                last = x + half;
            }
        }
        text(out, (f.right, f.floor + 30.0), "label end", &self.x.label);
    }

    /// Names below the axis, on two lines where one is too short for them; what still has no room is cut.
    fn names(&self, f: &Frame, out: &mut String) {
        let step = (f.right - LEFT) / self.x.names.len() as f64;
        let letters = usize::try_from(crate::words::whole(step / 6.0))
            .unwrap_or(3)
            .max(3);
        let mut rows = 1;
        for (name, at) in self.x.names.iter().zip(0_u32..) {
            let x = f.x.at(f64::from(at));
            line(out, (x, f.floor), (x, f.floor + 4.0), "axis");
            let (first, second) = folded(name, letters);
            text(out, (x, f.floor + 15.0), "tick mid", &first);
            if !second.is_empty() {
                rows = 2;
                text(out, (x, f.floor + 27.0), "tick mid", &second);
            }
        }
        if rows == 1 {
            text(out, (f.right, f.floor + 30.0), "label end", &self.x.label);
        }
    }

    fn bands(&self, f: &Frame, out: &mut String) {
        for mark in &self.marks {
            match mark {
                Mark::Band(from, to, words) => {
                    let (x, to) = (f.x.at(*from), f.x.at(*to));
                    let _ = write!(
                        out,
                        "<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                        px(x),
                        px(TOP),
                        px(to - x),
                        px(f.floor - TOP)
                    );
                    text(out, (x + 3.0, TOP + 10.0), "note", words);
                }
                Mark::At(at, words) => {
                    let x = f.x.at(*at);
                    line(out, (x, TOP), (x, f.floor), "mark");
                    let (dx, class) = if x > (LEFT + f.right) / 2.0 {
                        (-4.0, "note end")
                    } else {
                        (4.0, "note")
                    };
                    text(out, (x + dx, f.floor - 6.0), class, words);
                }
                Mark::Level(at, words) => {
                    let y = f.y.at(*at);
                    line(out, (LEFT, y), (f.right, y), "published");
                    // On the left, as rates have not risen to it there yet.
                    text(out, (LEFT + 4.0, y - 6.0), "note", words);
                }
                Mark::Ring(..) => {}
            }
        }
    }

    fn rings(&self, f: &Frame, out: &mut String) {
        for mark in &self.marks {
            let Mark::Ring(at, y, words) = mark else {
                continue;
            };
            let (x, y) = (f.x.at(*at), f.y.at(*y));
            let _ = write!(
                out,
                "<circle class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"8\"/>",
                px(x),
                px(y)
            );
            // At the right end there is room beside it; elsewhere below, as curves level off.
            // Near the floor it is left of the ring, as a curve that turns there climbs to the right.
            let (x, y, class) = match self.is_last(*at) {
                true => (x + 12.0, y + 4.0, "strong"),
                false if y > f.floor - 30.0 => (x - 8.0, y - 9.0, "strong end"),
                false => (x - 4.0, y + 22.0, "strong"),
            };
            text(out, (x, y), class, words);
        }
    }

    /// Names of the lines in the right margin, moved apart where they would overlap. A line that ends early has a thin
    /// leader to its name, since no name may stand on another line.
    fn end_labels(&self, f: &Frame, out: &mut String) {
        let mut ends: Vec<(f64, f64, &Series)> = self
            .series
            .iter()
            .filter(|s| !s.label.is_empty())
            .filter_map(|s| {
                let all = s.points.iter();
                let (x, y) = all.rev().find(|p| f.x.holds(p.0) && f.y.holds(p.1))?;
                Some((f.x.at(*x), f.y.at(*y), s))
            })
            .collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let names = ends.iter().map(|end| folded(&end.2.label, NAME_LETTERS));
        let names: Vec<(String, String)> = names.collect();
        let height = |name: &(String, String)| if name.1.is_empty() { 12.0 } else { 23.0 };
        let mut below: f64 = names.iter().map(height).sum();
        let mut free = TOP - 6.0;
        for ((x, y, series), name) in ends.into_iter().zip(&names) {
            let at = y.max(free).min(f.floor + 12.0 - below);
            free = at + height(name);
            below -= height(name);
            if f.right - x > 12.0 {
                let class = format!("leader {}", series.class);
                line(out, (x + 5.0, y), (f.right + 4.0, at), &class);
            }
            let class = format!("name {}", series.class);
            text(out, (f.right + 7.0, at + 4.0), &class, &name.0);
            if !name.1.is_empty() {
                text(out, (f.right + 7.0, at + 15.0), &class, &name.1);
            }
        }
    }
}

/// A name on two lines of so many letters.
fn folded(name: &str, letters: usize) -> (String, String) {
    let cut = |text: &str| match text.chars().count() > letters {
        true => {
            let kept: String = text.chars().take(letters.saturating_sub(1)).collect();
            format!("{}\u{2026}", kept.trim_end())
        }
        false => text.to_owned(),
    };
    if name.chars().count() <= letters {
        return (name.to_owned(), String::new());
    }
    let mut ends = name
        .rmatch_indices([' ', '-', '_', '/'])
        .map(|(at, _)| at + 1);
    let fits = |at: &usize| name[..*at].trim_end().chars().count() <= letters;
    match ends.find(fits) {
        Some(at) => (
            name[..at].trim_end().to_owned(),
            cut(name[at..].trim_start()),
        ),
        None => (cut(name), String::new()),
    }
}

/// The line and the marker of a series alone, for a legend.
#[must_use]
pub fn key(class: &str, variant: u8) -> String {
    let sample = sample(class, variant, (1.0, 6.0), true);
    format!("<svg class=\"key\" viewBox=\"0 0 36 12\" aria-hidden=\"true\">{sample}</svg>")
}

/// The same from a place on, 34 units wide, in a picture that has a legend of its own; without the line on request.
#[must_use]
pub fn sample(class: &str, variant: u8, (x, y): (f64, f64), with_line: bool) -> String {
    let mut out = String::new();
    if with_line {
        let (from, y, to) = (px(x), px(y), px(x + 34.0));
        let _ = write!(
            out,
            "<path class=\"line v{variant} {class}\" d=\"M{from} {y}H{to}\"/>"
        );
    }
    let series = Series {
        label: String::new(),
        class: class.to_owned(),
        variant,
        shape: Shape::Marked,
        points: Vec::new(),
        tags: Vec::new(),
        thin_from: None,
        within: Vec::new(),
    };
    marker(&series, (x + 17.0, y), "", &mut out);
    out
}

/// The band within which a series is likely to be: along the lowest values and back along the highest.
fn draw_within(series: &Series, f: &Frame, out: &mut String) {
    let all = series.within.iter();
    let known = all.filter(|(x, low, high)| f.x.holds(*x) && f.y.holds(*low) && f.y.holds(*high));
    let known: Vec<_> = known.collect();
    if series.shape == Shape::Dots {
        let class = format!("whisker {}", series.class);
        for (x, low, high) in known {
            let (x, low, high) = (f.x.at(*x), f.y.at(*low), f.y.at(*high));
            line(out, (x, low), (x, high), &class);
            line(out, (x - 4.0, low), (x + 4.0, low), &class);
            line(out, (x - 4.0, high), (x + 4.0, high), &class);
        }
        return;
    }
    if known.len() < 2 {
        return;
    }
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

fn draw_series(series: &Series, f: &Frame, axes: (&Axis, &Axis), out: &mut String) {
    let class = format!("line v{} {}", series.variant, series.class);
    let split = series.thin_from.unwrap_or(series.points.len());
    let (sure, thin) = series.points.split_at(split.min(series.points.len()));
    if series.shape != Shape::Dots {
        let d = path(series, sure, f);
        let _ = write!(out, "<path class=\"{class}\" d=\"{d}\"/>");
    }
    if !thin.is_empty() {
        let tail: Vec<_> = sure.last().into_iter().chain(thin).copied().collect();
        let _ = write!(
            out,
            "<path class=\"{class} thin\" d=\"{}\"/>",
            path(series, &tail, f)
        );
    }
    if !matches!(series.shape, Shape::Marked | Shape::Dots) {
        return;
    }
    let places: Vec<Option<(f64, f64)>> = series
        .points
        .iter()
        .map(|&(x, y)| (f.x.holds(x) && f.y.holds(y)).then(|| (f.x.at(x), f.y.at(y))))
        .collect();
    let mut tagged: Vec<(f64, f64)> = Vec::new();
    for (i, (&(x, y), place)) in series.points.iter().zip(&places).enumerate() {
        let Some((cx, cy)) = *place else {
            continue;
        };
        let tag = series.tags.get(i).map(String::as_str).unwrap_or_default();
        let name = format!("{} {tag}", series.label);
        let tip = format!("{}: {}, {}", name.trim(), axes.0.words(x), axes.1.words(y));
        marker(series, (cx, cy), &tip, out);
        // Where the line climbs, the word is beside the point rather than above it.
        let before = i.checked_sub(1).and_then(|j| places[j]);
        let near = |at: &(f64, f64)| (at.0 - cx).abs() < 16.0 && (at.1 - cy).abs() < 12.0;
        let tag = if tagged.iter().any(near) { "" } else { tag };
        if !tag.is_empty() {
            tagged.push((cx, cy));
        }
        let climbs = before.is_some_and(|b| (b.0 - cx).abs() < 24.0);
        match (tag.is_empty(), climbs) {
            (true, _) => {}
            (false, true) => text(out, (cx - 8.0, cy + 4.0), "tag end", tag),
            // Below, where no other line runs: tags stand on the lowest one.
            (false, false) if cy + 16.0 < f.floor => text(out, (cx, cy + 15.0), "tag mid", tag),
            (false, false) => text(out, (cx, cy - 8.0), "tag mid", tag),
        }
    }
}

fn marker(series: &Series, (x, y): (f64, f64), tip: &str, out: &mut String) {
    let shape = match series.variant {
        0 => format!(
            "M{} {}a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
            px(x - 3.2),
            px(y)
        ),
        1 => format!("M{} {}h6v6h-6z", px(x - 3.0), px(y - 3.0)),
        _ => format!("M{} {}l3.8 6.6h-7.6z", px(x), px(y - 4.0)),
    };
    let (class, tip) = (&series.class, attribute(tip));
    let _ = write!(
        out,
        "<path class=\"dot {class}\" d=\"{shape}\"><title>{tip}</title></path>"
    );
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

    /// The chart of a line over 1, 2 and 4 with what it is within.
    fn drawn(within: Vec<(f64, f64, f64)>) -> String {
        let series = Series {
            label: "read".to_owned(),
            class: "read".to_owned(),
            variant: 0,
            shape: Shape::Marked,
            points: vec![(1.0, 10.0), (2.0, 20.0), (4.0, 30.0)],
            tags: Vec::new(),
            thin_from: None,
            within,
        };
        let chart = Chart {
            id: "c".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            x: Axis::new("x", ScaleKind::Log2, Unit::Whole),
            y: Axis::new("y", ScaleKind::Linear, Unit::Count),
            series: vec![series],
            marks: Vec::new(),
            height: 200.0,
        };
        chart.draw()
    }

    #[test]
    fn what_a_line_is_within_is_a_band_behind_it_for_which_there_is_room() {
        let plain = drawn(Vec::new());
        assert!(!plain.contains("within"), "{plain}");
        let band = drawn(vec![(1.0, 9.0, 11.0), (2.0, 15.0, 25.0), (4.0, 20.0, 90.0)]);
        let (before, rest) = band.split_once("<path class=\"within read\" d=\"").unwrap();
        assert!(!before.contains("class=\"line"), "{before}");
        let (d, _) = rest.split_once('"').unwrap();
        assert_eq!((d.matches('L').count(), d.ends_with('Z')), (5, true), "{d}");
        assert!(band.contains(">90<") || band.contains(">100<"), "{band}");
        // One point alone has no band, nor has one that is not known.
        assert!(!drawn(vec![(1.0, 9.0, 11.0)]).contains("within"));
        let gap = drawn(vec![
            (1.0, 9.0, 11.0),
            (2.0, f64::NAN, 25.0),
            (4.0, 20.0, 40.0),
        ]);
        assert_eq!(gap.matches("within").count(), 1);
    }

    #[test]
    fn names_stand_in_the_margin_and_never_on_a_line() {
        let line = |label: &str, points: Vec<(f64, f64)>| Series {
            label: label.to_owned(),
            class: "read".to_owned(),
            variant: 0,
            shape: Shape::Marked,
            points,
            tags: Vec::new(),
            thin_from: None,
            within: Vec::new(),
        };
        let chart = Chart {
            id: "c".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            x: Axis::new("share", ScaleKind::Linear, Unit::Percent),
            y: Axis::new("latency", ScaleKind::Log10, Unit::Nanos),
            series: vec![
                line("read p50", vec![(0.0, 5e5), (75.0, 5e5)]),
                line("write p50", vec![(25.0, 5e5), (100.0, 5e5)]),
                line(
                    "a name that has no room on one line nor on two",
                    vec![(0.0, 7e5), (100.0, 7e5)],
                ),
            ],
            marks: Vec::new(),
            height: 200.0,
        };
        let svg = chart.draw();
        let right = chart.ends()[0][3];
        let names: Vec<(f64, f64)> = svg
            .split("<text ")
            .filter(|text| text.contains("class=\"name read\""))
            .map(|text| {
                let of = |key: &str| {
                    let (_, rest) = text.split_once(key).unwrap();
                    rest.split('"').next().unwrap().parse().unwrap()
                };
                (of("x=\""), of(" y=\""))
            })
            .collect();
        assert_eq!(names.len(), 4, "{svg}");
        assert!(names.iter().all(|at| at.0 > right), "{names:?} {right}");
        let mut heights: Vec<f64> = names.iter().map(|at| at.1).collect();
        heights.sort_by(f64::total_cmp);
        assert!(
            heights.windows(2).all(|two| two[1] - two[0] > 10.0),
            "{heights:?}"
        );
        assert!(
            svg.contains(">a name that has no</text>") && svg.contains(">room on one line\u{2026}"),
            "{svg}"
        );
        // Only the line that ends early needs one.
        assert_eq!(svg.matches("class=\"leader").count(), 1);
    }
}
