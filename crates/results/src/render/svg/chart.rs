//! Lines, steps and points over two axes: time series, depth curves, latency against IOPS, percentiles.

use super::labels::{apart, distinguished, folded, shortened};
use super::marks::{Mark, Marked, is_last};
use super::parts::{Axis, Frame, LEFT, Series, TOP};
use super::scale::{Scale, Unit};
use super::series::{draw_series, draw_within};
use super::shape::{document, line, px, text};
use super::tags::tag_places;

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
const BOTTOM: f64 = 34.0;
/// Most letters of a name on one line of the right margin.
const NAME_LETTERS: usize = 18;
/// Width of a letter of it, on a phone, where it is largest.
const LETTER: f64 = 7.9;
/// Width of the widest right margin.
const MARGIN: f64 = 146.0;

/// Letters of a tick have room below the axis on two lines: a number, and its unit.
const TWO_LINES: f64 = 12.0;

/// More names along x than these are turned upright where they are longer than a number, cut to this many letters, for which there
/// is this room.
const MOST_LEVEL: usize = 8;
const TURNED_LETTERS: usize = 19;
const TURNED: f64 = 88.0;
/// Of which each letter takes this.
const TURNED_LETTER: f64 = 6.6;

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

    /// What is in that element: for a picture with several charts. What moves along x when a page zooms is in groups of
    /// the class `moves`, ticks along x in one of the class `ticks`.
    #[must_use]
    pub fn body(&self) -> String {
        let frame = self.frame();
        let marked = (self.marks.as_slice(), self.series.as_slice());
        let tags = tag_places(&self.series, &frame);
        let marked = Marked::of(marked, &tags, &self.y.label, &frame);
        let mut out = String::with_capacity(4096);
        moves(&mut out, |out| marked.behind(&frame, out));
        self.axes((&frame, &marked), &mut out);
        moves(&mut out, |out| {
            let all = || self.series.iter();
            all().for_each(|series| draw_within(series, &frame, out));
            for ((number, series), tags) in all().enumerate().zip(&tags) {
                draw_series((number, series, tags), &frame, (&self.x, &self.y), out);
            }
            marked.before(&frame, out);
        });
        marked.words(true, &mut out);
        self.end_labels(&frame, &mut out);
        out
    }

    pub(super) fn frame(&self) -> Frame {
        let longest = self.series.iter().map(|s| s.label.chars().count()).max();
        let ringed = self.marks.iter().filter_map(|m| match m {
            Mark::Ring(x, _, words) if is_last(&self.series, *x) => Some(words.chars().count() + 1),
            _ => None,
        });
        let room = longest.max(ringed.max()).unwrap_or(0) as f64 * LETTER + 12.0;
        let right = WIDTH - room.clamp(22.0, MARGIN);
        let all = || self.series.iter().flat_map(|s| &s.points);
        let marked = self.marks.iter().filter_map(|m| match m {
            Mark::At(x, _) => Some(*x),
            Mark::Band(_, to, _) => Some(*to),
            Mark::Ring(..) | Mark::Level(..) => None,
        });
        let xs = all().map(|p| p.0).chain(marked);
        let x = match self.x.names.len() {
            0 => Scale::fit(self.x.scale, xs, LEFT, right),
            names => Scale::named(names, LEFT, right),
        };
        let folded = self.x.names.is_empty() && self.x.unit == Unit::Bytes && !fits(&x, &self.x);
        let below = match (self.is_turned(right), folded) {
            (true, _) => self.below_turned(),
            (false, true) => TWO_LINES,
            (false, false) => 0.0,
        };
        let floor = self.height - BOTTOM - below;
        let within = self.series.iter().flat_map(Series::within);
        let ys = all().map(|p| p.1).chain(within.flat_map(|w| [w.1, w.2]));
        let levels = self.marks.iter().filter_map(|m| match m {
            Mark::Level(y, _) => Some(*y),
            _ => None,
        });
        let ys = ys.chain(levels);
        Frame {
            right,
            floor,
            x,
            folded,
            y: Scale::fit(self.y.scale, ys, floor, TOP).rounded(),
        }
    }

    fn axes(&self, (f, marked): (&Frame, &Marked<'_>), out: &mut String) {
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
        marked.levels(f, out);
        if !self.x.names.is_empty() {
            return self.names(f, out);
        }
        out.push_str("<g class=\"ticks\">");
        self.ticks(f, out);
        out.push_str("</g>");
        let below = f.floor + 30.0 + if f.folded { TWO_LINES } else { 0.0 };
        text(out, (f.right, below), "label end", &self.x.label);
    }

    /// Ticks along x. Labels that would touch the one before or the last are left out; the tick stays.
    fn ticks(&self, f: &Frame, out: &mut String) {
        let all = distinct_ticks(&f.x, self.x.unit);
        let lines = |words: &str| match words.split_once(' ').filter(|_| f.folded) {
            Some((number, unit)) => (number.to_owned(), unit.to_owned()),
            None => (words.to_owned(), String::new()),
        };
        let each = all.iter().map(|(tick, words)| {
            let (first, second) = lines(words);
            let half = half_of(&first).max(half_of(&second));
            (f.x.at(*tick), half, first, second)
        });
        let each: Vec<_> = each.collect();
        let end = each.last().map_or(0.0, |(x, half, ..)| x - half);
        let mut last = f64::NEG_INFINITY;
        for (at, (x, half, first, second)) in each.iter().enumerate() {
            let (x, half) = (*x, *half);
            line(out, (x, f.floor), (x, f.floor + 4.0), "axis");
            let is_free = x + half + 4.0 < end || at + 1 == each.len();
            if x - half > last + 4.0 && is_free {
                text(out, (x, f.floor + 16.0), "tick mid", first);
                if !second.is_empty() {
                    text(out, (x, f.floor + 28.0), "tick mid", second);
                }
                last = x + half;
            }
        }
    }

    /// Whether the names along x are upright: they are many, or two lines cut one that has more room there.
    fn is_turned(&self, right: f64) -> bool {
        let longest = self.x.names.iter().map(|n| n.chars().count()).max();
        let is_many = self.x.names.len() > MOST_LEVEL && longest > Some(3);
        let letters = self.letters(right);
        let names: Vec<&str> = self.x.names.iter().map(String::as_str).collect();
        let is_cut = |name: &String| {
            let (first, second) = folded(name, letters);
            let is_in = |words: &str| words.contains('\u{2026}');
            !is_in(name) && (is_in(&first) || is_in(&second))
        };
        is_many || letters < TURNED_LETTERS && apart(&names, letters).iter().any(is_cut)
    }

    /// The room for names on end below that of a line: as much as the longest takes.
    fn below_turned(&self) -> f64 {
        let names: Vec<&str> = self.x.names.iter().map(String::as_str).collect();
        let names = apart(&names, TURNED_LETTERS);
        let letters = names
            .iter()
            .map(|name| name.chars().count().min(TURNED_LETTERS));
        let longest = letters.max().unwrap_or(0) as f64;
        (longest * TURNED_LETTER + 12.0 - BOTTOM).clamp(0.0, TURNED)
    }

    /// Letters of a name along x that have room on a line.
    fn letters(&self, right: f64) -> usize {
        let step = (right - LEFT) / self.x.names.len().max(1) as f64;
        let letters = usize::try_from(crate::words::whole(step / 6.6));
        letters.unwrap_or(3).max(3)
    }

    /// Names below the axis, on two lines where one is too short for them, on end where they are many; what still has no
    /// room is cut.
    fn names(&self, f: &Frame, out: &mut String) {
        if self.is_turned(f.right) {
            let names: Vec<&str> = self.x.names.iter().map(String::as_str).collect();
            let names = apart(&names, TURNED_LETTERS);
            for (name, at) in names.iter().zip(0_u32..) {
                let (x, y) = (f.x.at(f64::from(at)), f.floor);
                line(out, (x, y), (x, y + 4.0), "axis");
                let (at, turn) = (x + 3.5, y + 8.0);
                let class = format!("tick end\" transform=\"rotate(-90 {} {})", px(at), px(turn));
                text(out, (at, turn), &class, &shortened(name, TURNED_LETTERS));
            }
            return;
        }
        let letters = self.letters(f.right);
        let mut rows = 1;
        let names: Vec<&str> = self.x.names.iter().map(String::as_str).collect();
        let names = apart(&names, letters);
        for (name, at) in names.iter().zip(0_u32..) {
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

    /// Names of the lines in the right margin, moved apart where they would overlap. A line that ends early has a thin
    /// leader to its name, since no name may be drawn over another line.
    fn end_labels(&self, f: &Frame, out: &mut String) {
        let named = self.series.iter().enumerate();
        let named = named.filter(|(_, s)| !s.label.is_empty());
        let (alone, named): (Vec<NumberedSeries<'_>>, Vec<NumberedSeries<'_>>) =
            named.partition(|(_, s)| is_alone(s, f) && self.x.names.is_empty());
        for (_, one) in alone {
            let (x, y) = (f.x.at(one.points[0].0), f.y.at(one.points[0].1));
            let class = format!("name {}", one.class);
            text(out, (x + 7.0, y - 5.0), &class, &one.label);
        }
        let mut ends: Vec<(f64, f64, NumberedSeries<'_>)> = named
            .into_iter()
            .filter_map(|(number, s)| {
                let all = s.points.iter();
                let (x, y) = all.rev().find(|p| f.x.holds(p.0) && f.y.holds(p.1))?;
                Some((f.x.at(*x), f.y.at(*y), (number, s)))
            })
            .collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let labels: Vec<&str> = ends.iter().map(|end| end.2.1.label.as_str()).collect();
        let names = distinguished(&labels, 2 * NAME_LETTERS);
        let names: Vec<(String, String)> = names.iter().map(|n| folded(n, NAME_LETTERS)).collect();
        let height = |name: &(String, String)| if name.1.is_empty() { 12.0 } else { 23.0 };
        let mut below: f64 = names.iter().map(height).sum();
        let mut free = TOP - 6.0;
        for ((x, y, (number, series)), name) in ends.into_iter().zip(&names) {
            let at = y.max(free).min(f.floor + 12.0 - below);
            free = at + height(name);
            below -= height(name);
            if f.right - x > 12.0 {
                let class = format!("leader {}", series.class);
                line(out, (x + 5.0, y), (f.right + 4.0, at), &class);
            }
            // The number is that of its line: when a page zooms the name goes where the line does.
            let class = format!("name {}\" data-n=\"{number}", series.class);
            text(out, (f.right + 7.0, at + 4.0), &class, &name.0);
            if !name.1.is_empty() {
                text(out, (f.right + 7.0, at + 15.0), &class, &name.1);
            }
        }
    }
}

/// A series with its place in the chart.
type NumberedSeries<'a> = (usize, &'a Series);

/// Whether a series is one point away from the right end: it is named beside it, as a leader would look like a line.
fn is_alone(series: &Series, f: &Frame) -> bool {
    match series.points.as_slice() {
        [(x, y)] => f.x.holds(*x) && f.y.holds(*y) && f.right - f.x.at(*x) > 12.0,
        _ => false,
    }
}

/// Ticks with their words, which are whole numbers where shorter ones would be the same.
fn distinct_ticks(scale: &Scale, unit: Unit) -> Vec<(f64, String)> {
    let ticks = scale.ticks();
    let words: Vec<String> = ticks.iter().map(|tick| unit.text(*tick)).collect();
    let is_same = unit == Unit::Count && words.windows(2).any(|two| two[0] == two[1]);
    let exact = |tick: &f64| crate::words::thousands(crate::words::whole(*tick));
    let words = match is_same {
        true => ticks.iter().map(exact).collect(),
        false => words,
    };
    ticks.into_iter().zip(words).collect()
}

/// Half the width of a tick's label.
fn half_of(words: &str) -> f64 {
    words.chars().count() as f64 * 3.3
}

/// Whether all labels of an axis have room on one line.
fn fits(scale: &Scale, axis: &Axis) -> bool {
    let ticks = scale.ticks();
    let ends = ticks.iter().map(|tick| {
        let half = half_of(&axis.unit.text(*tick));
        (scale.at(*tick) - half, scale.at(*tick) + half)
    });
    let ends: Vec<(f64, f64)> = ends.collect();
    ends.windows(2).all(|two| two[1].0 > two[0].1 + 4.0)
}

/// A group of what moves along x.
fn moves(out: &mut String, draw: impl FnOnce(&mut String)) {
    let before = out.len();
    out.push_str("<g class=\"moves\">");
    let begun = out.len();
    draw(out);
    if out.len() == begun {
        out.truncate(before);
    } else {
        out.push_str("</g>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::tags::tests::of_one;
    use crate::render::svg::{MarkerFill, ScaleKind, Shape};
    use crate::stats::Bracket;

    /// The chart of a line over 1, 2 and 4 with what it is within.
    fn drawn(brackets: Vec<Bracket>) -> String {
        with_marks(brackets, Vec::new())
    }

    #[test]
    fn the_word_of_a_band_keeps_clear_of_a_level_at_the_top() {
        let band = || Mark::Band(1.0, 3.0, "warm-up".to_owned());
        let at = |level| {
            let level = Mark::Level(level, "published".to_owned());
            with_marks(Vec::new(), vec![band(), level])
        };
        let low = ">warm-up</text>";
        assert!(at(10.0).contains(&format!("y=\"34\" class=\"note\"{low}")));
        assert!(at(39.0).contains(&format!("y=\"58\" class=\"note end\"{low}")));
    }

    fn with_marks(brackets: Vec<Bracket>, marks: Vec<Mark>) -> String {
        let series = Series {
            label: "read".to_owned(),
            class: "read".to_owned(),
            variant: 0,
            fill: MarkerFill::Full,
            shape: Shape::Marked,
            points: vec![(1.0, 10.0), (2.0, 20.0), (4.0, 30.0)],
            tags: Vec::new(),
            thin_from: None,
            brackets,
        };
        let chart = Chart {
            id: "c".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            x: Axis::new("x", ScaleKind::Log2, Unit::Whole),
            y: Axis::new("y", ScaleKind::Linear, Unit::Count),
            series: vec![series],
            marks,
            height: 200.0,
        };
        chart.draw()
    }

    #[test]
    fn what_a_line_is_within_is_a_band_behind_it_for_which_there_is_room() {
        let plain = drawn(Vec::new());
        assert!(!plain.contains("within"), "{plain}");
        let band = drawn(vec![
            Bracket::Within(9.0, 11.0),
            Bracket::Within(15.0, 25.0),
            Bracket::Within(20.0, 90.0),
        ]);
        let (before, rest) = band.split_once("<path class=\"within read\" d=\"").unwrap();
        assert!(!before.contains("class=\"line"), "{before}");
        let (d, _) = rest.split_once('"').unwrap();
        assert_eq!((d.matches('L').count(), d.ends_with('Z')), (5, true), "{d}");
        assert!(band.contains(">90<") || band.contains(">100<"), "{band}");
        // One point alone has no band, nor has one that is not known.
        assert!(!drawn(vec![Bracket::Within(9.0, 11.0)]).contains("within"));
        let gap = drawn(vec![
            Bracket::Within(9.0, 11.0),
            Bracket::Unknown,
            Bracket::Within(20.0, 40.0),
        ]);
        assert!(!gap.contains("class=\"within"), "{gap}");
        assert_eq!(gap.matches("class=\"whisker read\"").count(), 6, "{gap}");
        assert_eq!(gap.matches("(95 %").count(), 2);
    }

    /// The points of a line are at 1, 2 and 4, and have 10, 20 and 30.
    #[test]
    fn a_band_is_never_drawn_past_a_point_without_an_interval() {
        let ends = |brackets| {
            let svg = drawn(brackets);
            let (_, rest) = svg.split_once("class=\"within read\" d=\"").unwrap();
            let d = rest.split('"').next().unwrap().trim_end_matches('Z');
            let xs = d.split(['M', 'L']).skip(1);
            let xs = xs.map(|at| at.split(' ').next().unwrap().parse::<f64>().unwrap());
            let xs: Vec<f64> = xs.collect();
            assert_eq!(svg.matches("class=\"within").count(), 1, "{svg}");
            (
                xs.iter().copied().fold(f64::MAX, f64::min),
                xs.iter().copied().fold(0.0, f64::max),
            )
        };
        let all = || {
            [(9.0, 11.0), (18.0, 22.0), (29.0, 31.0)]
                .map(|(l, h)| Bracket::Within(l, h))
                .to_vec()
        };
        let without = |at: usize| {
            let mut some = all();
            some[at] = Bracket::Unknown;
            some
        };
        let (first, last) = ends(all());
        let middle = f64::midpoint(first, last);
        assert_eq!(ends(without(2)), (first, middle));
        assert_eq!(ends(without(0)), (middle, last));
    }

    #[test]
    fn what_is_at_least_that_has_an_arrow_up_and_says_so() {
        let svg = drawn(vec![
            Bracket::Within(9.0, 11.0),
            Bracket::Unknown,
            Bracket::AtLeast,
        ]);
        assert_eq!(
            svg.matches("<path class=\"arrow read\"").count(),
            1,
            "{svg}"
        );
        assert!(
            svg.contains("<title>read: 4, &gt;= 30.0 IOPS</title>"),
            "{svg}"
        );
    }

    #[test]
    fn each_of_several_points_at_one_x_has_its_own_interval() {
        let mut chart = of_one(vec![(1.0, 10.0), (1.0, 11.0), (2.0, 12.0)]);
        chart.series[0].brackets = [(9.0, 12.0), (8.0, 14.0), (10.0, 15.0)]
            .map(|(low, high)| Bracket::Within(low, high))
            .to_vec();
        let svg = chart.draw();
        for tip in ["10 (95 %: 9 to 12)", "11 (95 %: 8 to 14)"] {
            assert!(svg.contains(tip), "{tip}: {svg}");
        }
        // They are no band, which would fold back on itself: each has a whisker.
        assert!(!svg.contains("class=\"within"), "{svg}");
        assert_eq!(svg.matches("class=\"whisker read\"").count(), 9, "{svg}");
    }

    #[test]
    fn all_block_sizes_are_named_on_two_lines_where_one_has_no_room() {
        let sizes = (0..12).map(|n| (512.0 * f64::from(1 << n), 1.0));
        let chart = Chart {
            id: "c".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            x: Axis::new("block size", ScaleKind::Log2, Unit::Bytes),
            y: Axis::new("y", ScaleKind::Linear, Unit::Count),
            series: vec![Series {
                label: "read".to_owned(),
                class: "read".to_owned(),
                variant: 0,
                fill: MarkerFill::Full,
                shape: Shape::Marked,
                points: sizes.collect(),
                tags: Vec::new(),
                thin_from: None,
                brackets: Vec::new(),
            }],
            marks: Vec::new(),
            height: 264.0,
        };
        let svg = chart.draw();
        let (_, ticks) = svg.split_once("class=\"ticks\"").unwrap();
        let ticks = ticks.split("</g>").next().unwrap();
        assert!(
            ticks.contains(">128</text>") && ticks.contains(">MiB</text>"),
            "{ticks}"
        );
        assert_eq!(ticks.matches(">KiB</text>").count(), 10, "{ticks}");
        // Where some have no room, the last is not one of them.
        let mut narrow = chart.clone();
        narrow.series[0].label = "the limit that holds there".to_owned();
        let svg = narrow.draw();
        let (_, ticks) = svg.split_once("class=\"ticks\"").unwrap();
        let ticks = ticks.split("</g>").next().unwrap();
        assert!(ticks.contains(">MiB</text>"), "{ticks}");
        assert!(ticks.matches(">KiB</text>").count() < 10, "{ticks}");
    }

    #[test]
    fn many_names_along_x_stand_on_end_and_none_covers_another() {
        let names: Vec<String> = (0..18).map(|n| format!("throughput/64k-{n}")).collect();
        let chart = Chart {
            id: "c".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            x: Axis::of_names("stage", names),
            y: Axis::new("y", ScaleKind::Linear, Unit::Count),
            series: Vec::new(),
            marks: Vec::new(),
            height: 264.0,
        };
        let svg = chart.draw();
        assert_eq!(svg.matches("rotate(-90").count(), 18, "{svg}");
        assert!(svg.contains(">throughput/64k-17</text>"), "{svg}");
        // Short ones take no more room than they need.
        let floor = |names: Vec<String>| {
            let x = Axis::of_names("stage", names);
            Chart { x, ..chart.clone() }.ends()[1][2]
        };
        let short = floor((0..18).map(|n| format!("run {n}")).collect());
        let long = floor((0..18).map(|n| format!("{n} throughput all")).collect());
        assert!(short > long + 40.0, "{short} {long}");
        // Few long ones, too, of which two lines would show their ends only.
        let few = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let x = Axis::of_names("stage", names);
            Chart { x, ..chart.clone() }.draw()
        };
        let long = [
            "randreadwrite",
            "sequentialread",
            "randomlywritten",
            "a",
            "b",
            "c",
        ];
        let svg = few(&long);
        assert!(svg.contains("rotate(-90") && svg.contains(">randomlywritten</text>"));
        assert!(!few(&["seq-read", "seq-write", "seq-mix"]).contains("rotate(-90"));
    }

    #[test]
    fn names_stand_in_the_margin_and_never_on_a_line() {
        let line = |label: &str, points: Vec<(f64, f64)>| Series {
            label: label.to_owned(),
            class: "read".to_owned(),
            variant: 0,
            fill: MarkerFill::Full,
            shape: Shape::Marked,
            points,
            tags: Vec::new(),
            thin_from: None,
            brackets: Vec::new(),
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
            svg.contains(">a name that has no</text>")
                && svg.contains(">room on o\u{2026}r on two</text>"),
            "{svg}"
        );
        // Only the line that ends early needs one.
        assert_eq!(svg.matches("class=\"leader").count(), 1);
    }
}
