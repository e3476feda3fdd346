//! Names of lines at their ends.
//!
//! Belongs here: how wide the right margin is, and where names stand in it. Must never: let a name reach out of the
//! picture or stand on a line, or leave out words without the whole name in a title.

use super::labels::{distinguished, folded, shortened};
use super::letters::{LetterWeight, WordRoom};
use super::marks::{BESIDE_RING, LINE, Mark, Pixel, beside_ring, is_last};
use super::parts::{END, Frame, Series, TOP, WIDTH};
use super::shape::{line, part_of};

/// Width of the narrowest and of the widest right margin.
const MARGINS: (f64, f64) = (22.0, 146.0);
/// From the end of the lines to a name.
const GAP: f64 = 7.0;
/// How far a name goes above and below its foot.
const ABOVE: f64 = 10.0;
const BELOW: f64 = 3.0;

/// A name in its place.
pub(super) struct EndName<'a> {
    /// The number of its line in the chart.
    number: usize,
    series: &'a Series,
    lines: Vec<String>,
    /// The foot of its first line.
    at: Pixel,
    /// Whether it is in the margin, where it goes with its line when a page zooms.
    in_margin: bool,
    /// A thin line to it, of a line that ends early: no name may be drawn over another line.
    leader: Option<(Pixel, Pixel)>,
}

/// Width of the margin that names and words of rings at the right end need.
pub(super) fn margin(series: &[Series], marks: &[Mark], height: f64) -> f64 {
    let labels: Vec<&str> = series.iter().map(|s| s.label.as_str()).collect();
    let room = WordRoom::Units(MARGINS.1 - GAP - (WIDTH - END), LetterWeight::Bold);
    let names = names(&labels, room, height);
    let wide = |words: &String| LetterWeight::Bold.width(words) + GAP;
    let widest = names.iter().flatten().map(wide);
    // The words of one that have no room there stand elsewhere.
    let most = MARGINS.1 - BESIDE_RING - (WIDTH - END);
    let ringed = marks.iter().filter_map(|mark| match mark {
        Mark::Ring(x, _, words) if is_last(series, *x) => beside_ring(words, most),
        _ => None,
    });
    let wide = |words: &String| LetterWeight::Bold.width(words) + BESIDE_RING;
    let ringed: Vec<f64> = ringed.flatten().map(|words| wide(&words)).collect();
    let widest = widest.chain(ringed).fold(0.0, f64::max);
    // A little more, as sums of fractions are not exact.
    (widest + WIDTH - END + 0.1).clamp(MARGINS.0, MARGINS.1)
}

/// Names on lines with this room: three where there is height for those of all.
fn names(labels: &[&str], room: WordRoom, height: f64) -> Vec<Vec<String>> {
    let two = match room {
        WordRoom::Units(wide, weight) => WordRoom::Units(2.0 * wide, weight),
        WordRoom::Letters(letters) => WordRoom::Letters(2 * letters),
    };
    let each = distinguished(labels, two);
    let on = |most: usize| each.iter().map(move |name| folded(name, room, most));
    let three: Vec<Vec<String>> = on(3).collect();
    match three.iter().map(|lines| high(lines)).sum::<f64>() < height - 60.0 {
        true => three,
        false => on(2).collect(),
    }
}

/// The height of a name on these lines.
fn high(lines: &[String]) -> f64 {
    lines.len() as f64 * LINE + 1.0
}

/// The names of all lines in their places, in the margin moved apart where they would overlap. One point alone is named beside
/// it, where that keeps clear of the names in the margin; of several the names are in the margin, too.
pub(super) fn end_names<'a>(
    series: &'a [Series],
    (f, height): (&Frame, f64),
    has_names_along: bool,
) -> Vec<EndName<'a>> {
    let named = series.iter().enumerate();
    let named = named.filter(|(_, s)| !s.label.is_empty());
    let named: Vec<(usize, &'a Series)> = named.collect();
    let (alone, others): (Vec<_>, Vec<_>) = named
        .iter()
        .copied()
        .partition(|(_, s)| is_alone(s, f) && !has_names_along);
    let [one] = alone.as_slice() else {
        return in_margin(&named, (f, height));
    };
    let (beside, mut all) = (at_point(*one, f), in_margin(&others, (f, height)));
    if all.iter().any(|other| overlap(beside.room(), other.room())) {
        return in_margin(&named, (f, height));
    }
    all.insert(0, beside);
    all
}

/// Whether two rooms have a part in common.
fn overlap(a: [f64; 4], b: [f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Names in the margin, from the top down in the order of their lines' ends.
fn in_margin<'a>(named: &[(usize, &'a Series)], (f, height): (&Frame, f64)) -> Vec<EndName<'a>> {
    let ends = named.iter().filter_map(|&(number, s)| {
        let points = s.points.iter();
        let (x, y) = points.rev().find(|p| f.x.holds(p.0) && f.y.holds(p.1))?;
        Some((f.x.at(*x), f.y.at(*y), number, s))
    });
    let mut ends: Vec<(f64, f64, usize, &'a Series)> = ends.collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let labels: Vec<&str> = ends.iter().map(|end| end.3.label.as_str()).collect();
    let left = f.right + GAP;
    let room = WordRoom::Units(END - left, LetterWeight::Bold);
    let names = names(&labels, room, height);
    let mut below: f64 = names.iter().map(|lines| high(lines)).sum();
    let mut free = TOP - 6.0;
    let mut all = Vec::new();
    for ((x, y, number, series), lines) in ends.into_iter().zip(names) {
        let at = y.max(free).min(f.floor + 12.0 - below);
        free = at + high(&lines);
        below -= high(&lines);
        let leader = ((x + 5.0, y), (f.right + 4.0, at));
        all.push(EndName {
            number,
            series,
            lines,
            at: (left, at + 4.0),
            in_margin: true,
            leader: (f.right - x > 12.0).then_some(leader),
        });
    }
    all
}

/// Whether a series is one point away from the right end: a leader from it to the margin would look like a line.
fn is_alone(series: &Series, f: &Frame) -> bool {
    match series.points.as_slice() {
        [(x, y)] => f.x.holds(*x) && f.y.holds(*y) && f.right - f.x.at(*x) > 12.0,
        _ => false,
    }
}

fn at_point<'a>((number, series): (usize, &'a Series), f: &Frame) -> EndName<'a> {
    let (x, y) = series.points.first().copied().unwrap_or_default();
    let at = (f.x.at(x) + GAP, f.y.at(y) - 5.0);
    let room = WordRoom::Units(END - at.0, LetterWeight::Bold);
    EndName {
        number,
        series,
        lines: vec![shortened(&series.label, room)],
        at,
        in_margin: false,
        leader: None,
    }
}

impl EndName<'_> {
    /// The room that it takes.
    pub(super) fn room(&self) -> [f64; 4] {
        let wide = self.lines.iter().map(|l| LetterWeight::Bold.width(l));
        let (x, y) = self.at;
        let more = self.lines.len().saturating_sub(1) as f64 * LINE;
        let right = x + wide.fold(0.0, f64::max);
        [x, y - ABOVE, right, y + more + BELOW]
    }

    pub(super) fn draw(&self, out: &mut String) {
        let EndName { number, series, .. } = self;
        if let Some((from, to)) = self.leader {
            line(out, from, to, &format!("leader {}", series.class));
        }
        // The number is that of its line: when a page zooms the name goes where the line does.
        let class = match self.in_margin {
            true => format!("name {}\" data-n=\"{number}", series.class),
            false => format!("name {}", series.class),
        };
        let letters = |words: &str| words.chars().filter(|c| *c != ' ').collect::<String>();
        let is_whole = letters(&self.lines.concat()) == letters(&series.label);
        for (words, down) in self.lines.iter().zip(0_u32..) {
            let whole = if is_whole { words } else { &series.label };
            let at = (self.at.0, self.at.1 + LINE * f64::from(down));
            part_of(out, at, &class, (words, whole));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::tags::tests::of_one;
    use crate::render::svg::{Axis, Chart};

    /// What a text element has for an attribute.
    fn of<'a>(element: &'a str, key: &str) -> &'a str {
        let (_, rest) = element.split_once(key).unwrap();
        rest.split('"').next().unwrap()
    }

    /// From where to where each of the words of a picture reaches that is not on end, on a phone.
    fn reach(svg: &str) -> Vec<(String, f64, f64)> {
        let texts = svg.split("<text ").skip(1);
        let level = texts.filter(|text| !text.contains("rotate("));
        let each = level.map(|text| {
            let class = of(text, "class=\"");
            let words = text.split_once("</text>").unwrap().0;
            let words = words.rsplit('>').next().unwrap().to_owned();
            let bold = class.starts_with("name") || class.starts_with("strong");
            let wide = match bold {
                true => LetterWeight::Bold.width(&words),
                false => LetterWeight::Plain.width(&words),
            };
            let x: f64 = of(text, "x=\"").parse().unwrap();
            let left = match class.split(' ').any(|c| c == "end") {
                true => x - wide,
                false if class.split(' ').any(|c| c == "mid") => x - wide / 2.0,
                false => x,
            };
            (words, left, left + wide)
        });
        each.collect()
    }

    fn assert_inside(chart: &Chart) {
        let svg = chart.draw();
        for (words, left, right) in reach(&svg) {
            assert!(
                left > -3.5 && right < 441.0,
                "{words}: {left} to {right}: {svg}"
            );
        }
    }

    const LONG: &str = "limit of rate and bytes, fitted to all sizes of random reads and writes";

    #[test]
    fn no_word_leaves_the_picture_on_a_phone() {
        for letters in [1, 8, 16, 22, 30, 71] {
            let words: String = LONG.chars().take(letters).collect();
            // The word of a ring at the right end, in the middle, on the left; with that of a vertical mark and a level.
            for x in [0.0, 1.0, 4.0, 9.5, 10.0] {
                let mut chart = of_one(vec![(0.0, 5.0), (4.0, 12.0), (10.0, 12.0)]);
                chart.series[0].label.clone_from(&words);
                chart.marks = vec![
                    Mark::Ring(x, 12.0, words.clone()),
                    Mark::At(x, words.clone()),
                    Mark::Level(8.0, words.clone()),
                    Mark::Band(x, 10.0, words.clone()),
                ];
                chart.x.label.clone_from(&words);
                chart.y.label.clone_from(&words);
                assert_inside(&chart);
                // A point alone.
                let mut alone = chart.series[0].clone();
                alone.points = vec![(x, 3.0)];
                chart.series.push(alone);
                assert_inside(&chart);
            }
        }
    }

    #[test]
    fn names_of_single_points_do_not_cover_each_other() {
        for count in 1..=4 {
            for (last, apart) in [(9.0, 0.0), (8.7, 0.1), (5.0, 4.0)] {
                // One line reaches the right end: the axis goes on there.
                let mut chart = of_one(vec![(0.0, 5.0), (10.0, 12.0)]);
                for (number, up) in (0..count).zip(0_u32..) {
                    let mut alone = chart.series[0].clone();
                    alone.label = format!("a{number} max");
                    alone.points = vec![(last, 12.0 + apart * f64::from(up))];
                    chart.series.push(alone);
                }
                let frame = chart.frame();
                let names = end_names(&chart.series, (&frame, chart.height), false);
                assert_eq!(names.len(), chart.series.len());
                for (at, one) in names.iter().enumerate() {
                    let mut later = names[at + 1..].iter();
                    // Rows are closer by one than their rooms are high.
                    let row = |name: &EndName<'_>| {
                        let [left, top, right, foot] = name.room();
                        [left, top + 1.0, right, foot]
                    };
                    let is_free = !later.any(|other| overlap(row(one), row(other)));
                    assert!(is_free, "{count} at {last}: {}", chart.draw());
                }
                assert_inside(&chart);
            }
        }
    }

    #[test]
    fn names_along_x_stay_in_the_picture() {
        for count in [1, 2, 5, 8, 12] {
            let names: Vec<String> = (0..count).map(|n| format!("{n} {LONG}")).collect();
            let mut chart = of_one(vec![(0.0, 5.0)]);
            chart.x = Axis::of_names("stage", names);
            assert_inside(&chart);
        }
    }

    #[test]
    fn a_name_that_is_shortened_is_whole_in_its_title() {
        let mut chart = of_one(vec![(0.0, 5.0), (10.0, 12.0)]);
        assert!(!chart.draw().contains("<title>read</title>"));
        LONG.clone_into(&mut chart.series[0].label);
        chart.marks = vec![Mark::Ring(10.0, 12.0, LONG.to_owned())];
        let svg = chart.draw();
        let whole = format!("<title>{LONG}</title>");
        // Three lines, and the word of the ring.
        assert_eq!(svg.matches(&whole).count(), 4, "{svg}");
    }

    #[test]
    fn the_word_of_a_ring_at_the_right_end_is_folded_beside_it() {
        let mut chart = of_one(vec![(0.0, 5.0), (9.9, 12.0), (10.0, 40.0)]);
        let words = "conf1: stops rising: 2";
        chart.marks = vec![Mark::Ring(9.9, 12.0, words.to_owned())];
        let svg = chart.draw();
        for line in ["conf1: stops", "rising: 2"] {
            assert!(svg.contains(&format!(">{line}</text>")), "{svg}");
        }
        assert!(!svg.contains(&format!("<title>{words}")), "{svg}");
    }

    #[test]
    fn the_word_of_a_ring_keeps_clear_of_the_names_of_lines() {
        let mut chart = of_one(vec![(0.0, 5.0), (9.9, 12.0), (10.0, 12.0)]);
        chart.series[0].label = "conf1".to_owned();
        for words in ["rising: 2", "conf1: stops rising: 2"] {
            chart.marks = vec![Mark::Ring(9.9, 12.0, words.to_owned())];
            let frame = chart.frame();
            let names = end_names(&chart.series, (&frame, chart.height), false);
            let name = names[0].room();
            let svg = chart.draw();
            let (element, _) = svg.split_once("rising: 2</text>").unwrap();
            let element = element.rsplit("<text ").next().unwrap();
            let y: f64 = of(element, " y=\"").parse().unwrap();
            let all = reach(&svg);
            let (_, left, right) = all.iter().find(|one| one.0.contains("rising")).unwrap();
            let is_apart = *right < name[0] || y + 3.0 < name[1] || y - 10.0 > name[3];
            assert!(is_apart && *left > 50.0, "{name:?}: {svg}");
        }
    }
}
