//! Lines, steps and points over two axes: time series, depth curves, latency against IOPS, percentiles.

use super::ends::{EndName, end_names, margin};
use super::labels::{apart, folded, shortened};
use super::letters::{LetterWeight, WordRoom};
use super::marks::{Mark, Marked};
use super::parts::{Axis, Frame, LEFT, Series, TOP, WIDTH};
use super::scale::{Scale, ScaleKind, Unit};
use super::series::{draw_series, draw_within};
use super::shape::{axis_label, document, label_below, line, part_of, px, text, tick_left};
use super::tags::tag_places;
use super::ticks::ticks;

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

const BOTTOM: f64 = 34.0;

/// A tick has room below the axis on two lines: a number, and its unit.
const TWO_LINES: f64 = 12.0;

/// More names along x than these are turned upright where they are longer than a number, cut to what has this room.
const MOST_LEVEL: usize = 8;
const TURNED: f64 = 122.0;
/// Above and below a name on end.
const AROUND_TURNED: f64 = 10.0;
/// Between names along x.
const BETWEEN: f64 = 4.0;

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
        let names = end_names(
            &self.series,
            (&frame, self.height),
            !self.x.names.is_empty(),
        );
        let taken = names.iter().map(EndName::room).collect();
        let marked = Marked::of(marked, (&tags, taken), &self.y.label, &frame);
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
        names.iter().for_each(|name| name.draw(&mut out));
        out
    }

    pub(super) fn frame(&self) -> Frame {
        let right = WIDTH - margin(&self.series, &self.marks, self.height);
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
        let lowest = self.lowest_end();
        let within = within.flat_map(|w| [w.1.max(lowest), w.2]);
        let ys = all().map(|p| p.1).chain(within);
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

    /// The lowest end of an interval for which there is room: of equal ratios a tenth of the lowest value. One that reaches
    /// further down says how far where it is pointed at; with room for all of it the values would be a line at the top.
    fn lowest_end(&self) -> f64 {
        const SHARE: f64 = 0.1;
        if !matches!(self.y.scale, ScaleKind::Log10 | ScaleKind::Log2) {
            return f64::NEG_INFINITY;
        }
        let values = self.series.iter().flat_map(|s| &s.points).map(|p| p.1);
        let lowest = values.filter(|v| v.is_finite() && *v > 0.0);
        SHARE * lowest.reduce(f64::min).unwrap_or(0.0)
    }

    fn axes(&self, (f, marked): (&Frame, &Marked<'_>), out: &mut String) {
        for (tick, words) in ticks(&f.y, self.y.unit) {
            let y = f.y.at(tick);
            line(out, (LEFT, y), (f.right, y), "grid");
            tick_left(out, y, &words);
        }
        line(out, (LEFT, f.floor), (f.right, f.floor), "axis");
        axis_label(out, (4.0, 13.0), "label", &self.y.label);
        marked.levels(f, out);
        if !self.x.names.is_empty() {
            return self.names(f, out);
        }
        out.push_str("<g class=\"ticks\">");
        self.ticks(f, out);
        out.push_str("</g>");
        let below = f.floor + 30.0 + if f.folded { TWO_LINES } else { 0.0 };
        label_below(out, (f.right, below), &self.x.label);
    }

    /// Ticks along x. Labels that would touch the one before or the last are left out; the tick stays.
    fn ticks(&self, f: &Frame, out: &mut String) {
        let all = ticks(&f.x, self.x.unit);
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
        let wide = self.level_room(right);
        let is_in = |words: &str| words.contains('\u{2026}');
        let is_cut = |name: &String| {
            !is_in(name) && folded(name, plain(wide), 2).iter().any(|line| is_in(line))
        };
        is_many || wide < TURNED && self.names_apart(wide).iter().any(is_cut)
    }

    /// The room for names on end below that of a line: as much as the longest takes.
    fn below_turned(&self) -> f64 {
        let wide = |name: &String| LetterWeight::Plain.width(name).min(TURNED);
        let names = self.names_apart(TURNED);
        let longest = names.iter().map(wide).fold(0.0, f64::max);
        (longest + AROUND_TURNED - BOTTOM).max(0.0)
    }

    /// The names along x, distinguished where one has no more room than this.
    fn names_apart(&self, wide: f64) -> Vec<String> {
        let names: Vec<&str> = self.x.names.iter().map(String::as_str).collect();
        apart(&names, plain(wide))
    }

    /// The room of a name along x on a line.
    fn level_room(&self, right: f64) -> f64 {
        let step = (right - LEFT) / self.x.names.len().max(1) as f64;
        (step - BETWEEN).max(16.0)
    }

    /// Names below the axis, on two lines where one is too short for them, on end where they are many; what still has no
    /// room is cut.
    fn names(&self, f: &Frame, out: &mut String) {
        let is_turned = self.is_turned(f.right);
        let wide = match is_turned {
            true => TURNED,
            false => self.level_room(f.right),
        };
        let mut rows = 1;
        let names = self.names_apart(wide);
        for ((name, whole), at) in names.iter().zip(&self.x.names).zip(0_u32..) {
            let (x, y) = (f.x.at(f64::from(at)), f.floor);
            line(out, (x, y), (x, y + 4.0), "axis");
            if is_turned {
                let (at, turn) = (x + 3.5, y + 8.0);
                let class = format!("tick end\" transform=\"rotate(-90 {} {})", px(at), px(turn));
                let words = shortened(name, plain(wide));
                part_of(out, (at, turn), &class, (&words, whole));
                continue;
            }
            let lines = folded(name, plain(wide), 2);
            let is_part = name != whole || lines.iter().any(|line| line.contains('\u{2026}'));
            rows = rows.max(lines.len());
            for (words, down) in lines.iter().zip(0_u32..) {
                let at = (x, y + 15.0 + 12.0 * f64::from(down));
                let whole = if is_part { whole } else { words };
                part_of(out, at, "tick mid", (words, whole));
            }
        }
        if rows == 1 && !is_turned {
            label_below(out, (f.right, f.floor + 30.0), &self.x.label);
        }
    }
}

/// A room for words as text is written.
const fn plain(wide: f64) -> WordRoom {
    WordRoom::Units(wide, LetterWeight::Plain)
}

/// Half the width of a tick's label.
fn half_of(words: &str) -> f64 {
    LetterWeight::Plain.width(words) / 2.0
}

/// Whether all labels of an axis have room on one line.
fn fits(scale: &Scale, axis: &Axis) -> bool {
    let ends = ticks(scale, axis.unit).into_iter().map(|(tick, words)| {
        let half = half_of(&words);
        (scale.at(tick) - half, scale.at(tick) + half)
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
    use crate::render::svg::{MarkerFill, Shape};
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

    /// Of a mean of 300 us that few I/Os of seconds make, the interval reaches down to the shortest I/O: 12 ns.
    #[test]
    fn an_interval_that_reaches_far_down_does_not_stretch_the_axis() {
        let of = |low: f64, shape: Shape| {
            let mut chart = of_one(vec![(1.0, 3e5), (2.0, 5e5)]);
            chart.y = Axis::new("latency", ScaleKind::Log10, Unit::Nanos);
            chart.series[0].shape = shape;
            chart.series[0].brackets = [low, 4e5].map(|low| Bracket::Within(low, 6e5)).to_vec();
            (chart.ends()[1], chart.draw())
        };
        let ([lowest, highest, ..], svg) = of(12.0, Shape::Marked);
        assert!(lowest >= 1e4 && highest >= 6e5, "{lowest} {highest}");
        // The band ends with the axis, and its words say how far it reaches.
        assert!(svg.contains("class=\"within read\""), "{svg}");
        assert!(svg.contains("12 ns"), "{svg}");
        // What reaches less far has its room, as before.
        let ([near, ..], _) = of(1e5, Shape::Marked);
        assert!(near > lowest && near <= 1e5, "{near}");
        // A whisker that goes on below has no foot.
        let feet = |low| {
            of(low, Shape::Dots)
                .1
                .matches("class=\"whisker read\"")
                .count()
        };
        assert_eq!((feet(1e5), feet(12.0)), (6, 5));
        // Zero is a part of an axis of equal steps: all have room.
        let mut linear = of_one(vec![(1.0, 30.0), (2.0, 50.0)]);
        linear.series[0].brackets = [1.0, 40.0].map(|low| Bracket::Within(low, 60.0)).to_vec();
        assert!(linear.ends()[1][0] <= 1.0);
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
        assert_eq!(names.len(), 5, "{svg}");
        assert!(names.iter().all(|at| at.0 > right), "{names:?} {right}");
        let mut heights: Vec<f64> = names.iter().map(|at| at.1).collect();
        heights.sort_by(f64::total_cmp);
        assert!(
            heights.windows(2).all(|two| two[1] - two[0] > 10.0),
            "{heights:?}"
        );
        for words in ["a name that has", "no room on one", "line nor on two"] {
            assert!(svg.contains(&format!(">{words}</text>")), "{words}: {svg}");
        }
        // Only the line that ends early needs one.
        assert_eq!(svg.matches("class=\"leader").count(), 1);
    }
}
