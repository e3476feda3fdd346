//! What the page's template fills in: words and pictures only, all formatting done.

use super::elements::only_drawn;
use super::plot::{heat_json, plot_json};
use crate::render::svg::{Axis, Bars, Chart, Heat, ScaleKind, Series, Tiles, Unit, signs};
use leadline_text::markup::attribute;

/// What a picture was drawn from, so that a page of several runs can draw those of all on one.
#[derive(Clone, Debug, Default)]
pub(crate) enum Picture {
    /// Nothing that is known.
    #[default]
    None,
    /// Lines; and whether each has one value at an x, as a line that bends back has not.
    Lines(Box<Chart>, bool),
    /// Stacked bars.
    Bars(Bars),
    /// A map of latency over time.
    Heat(Heat),
    /// A map of a figure over two others.
    Tiles(Tiles),
}

/// A chart with what stands around it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figure {
    /// Heading.
    pub(crate) title: String,
    /// One sentence below, or empty.
    pub(crate) caption: String,
    /// The static picture: markup.
    pub(crate) svg: String,
    /// Its scales and values for the script, or empty: the picture stays as it is.
    pub(crate) plot: String,
    /// What it was drawn from.
    pub(crate) picture: Picture,
    /// What each line is, where the lines have numbers at their ends; else empty.
    pub(crate) key: Vec<String>,
    /// What its caption says of markers of several runs, or empty.
    pub(crate) markers: String,
    /// What is said of its signs above the first chart of several, or empty: a saved picture says it itself.
    pub(crate) above: String,
}

impl Figure {
    /// Whether it is a map of tiles, whose words were measured: it keeps its size, and moves in a box of its own.
    pub(crate) const fn is_map(&self) -> bool {
        matches!(self.picture, Picture::Tiles(_))
    }

    /// Whether it takes the width of the page: the values in the tiles of a large map have no room otherwise.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(&self.picture, Picture::Tiles(tiles) if tiles.is_wide())
    }

    /// Whether it is a map of latency over time.
    pub(crate) const fn is_heat(&self) -> bool {
        matches!(self.picture, Picture::Heat(_))
    }

    /// Whether it shows lines over the time of a stage.
    pub(crate) fn is_over_time(&self) -> bool {
        matches!(&self.picture, Picture::Lines(chart, _) if chart.x.unit == Unit::Seconds)
    }

    /// Its caption without what [`Figure::of`] added on bands, whiskers, arrows and axes: a chart with other lines has others.
    pub(crate) fn said(&self) -> String {
        let mut said = self.unnumbered();
        if let Picture::Lines(chart, _) = &self.picture {
            let signs = signs([&**chart].into_iter()).into_iter();
            let added = signs.chain([ARROW.to_owned()]).chain(axes_words(chart));
            for words in added {
                said = said.replace(&words, "").replace("  ", " ");
            }
        }
        said.trim().to_owned()
    }

    /// Its caption without which line has which number: drawn again, it says so again.
    pub(crate) fn unnumbered(&self) -> String {
        let without = self.caption.replace(&key_words(&self.key), "");
        without.trim().to_owned()
    }

    /// What is said of its bands, whiskers and arrows; empty where it has none.
    fn signs_words(&self) -> String {
        match &self.picture {
            Picture::Lines(chart, _) => with_signs(chart, String::new()),
            _ => String::new(),
        }
    }

    /// Its caption where the text is that of another chart beside it: what is of each chart.
    pub(crate) fn beside_said(&self) -> String {
        let words = [key_words(&self.key), self.signs_words()];
        let words = words.join(" ").trim().to_owned();
        match &self.picture {
            Picture::Lines(chart, _) => with_axes(chart, words),
            _ => words,
        }
    }

    /// A picture with its title and a sentence below.
    pub(crate) fn of(picture: Picture, mut caption: String) -> Self {
        let mut picture = picture;
        let mut key = Vec::new();
        if let Picture::Lines(chart, _) = &mut picture {
            caption = with_missing(chart, caption);
            caption = only_drawn(chart, caption);
            caption = with_signs(chart, caption);
            key = key_of(chart);
            let parts = [key_words(&key), caption];
            caption = parts.join(" ").trim().to_owned();
            caption = with_axes(chart, caption);
        }
        let mut plot = String::new();
        let (title, svg) = match &picture {
            Picture::None => Default::default(),
            Picture::Lines(chart, rising) => {
                let chart = match key.is_empty() {
                    true => Chart::clone(chart),
                    false => numbered(Chart::clone(chart)),
                };
                plot = plot_json(&chart, *rising, &key);
                (chart.title.clone(), drawn(&chart, &key))
            }
            Picture::Bars(bars) => (bars.title.clone(), bars.draw()),
            Picture::Heat(heat) => {
                plot = heat_json(heat);
                (heat.title.clone(), heat.draw())
            }
            Picture::Tiles(tiles) => (tiles.title.clone(), tiles.draw()),
        };
        Self {
            title,
            caption,
            svg,
            plot,
            picture,
            key,
            markers: String::new(),
            above: String::new(),
        }
    }
}

/// What is said of what is not drawn.
const TOO_FEW: &str = "too few samples";

/// Takes away the lines of latencies that have no point; the caption with which they are, and what others lack.
fn with_missing(chart: &mut Chart, caption: String) -> String {
    if chart.y.unit != Unit::Nanos {
        return caption;
    }
    let has_point = |s: &Series| s.points.iter().any(|point| point.1.is_finite());
    let empty = chart.series.iter().filter(|s| !has_point(s));
    let empty: Vec<String> = empty.map(|s| s.label.clone()).collect();
    chart.series.retain(has_point);
    // The caption of several runs has what was said of each.
    if caption.contains(TOO_FEW) {
        return caption;
    }
    let mut words = vec![caption];
    if chart.series.is_empty() {
        words.push(format!("Nothing is drawn: {TOO_FEW}."));
    } else if !empty.is_empty() {
        words.push(format!("Left out, with {TOO_FEW}: {}.", empty.join("; ")));
    }
    let lacking = chart.series.iter().map(|s| {
        let missing = s.points.iter().filter(|point| !point.1.is_finite());
        (&s.label, missing.count())
    });
    let lacking: Vec<(&String, usize)> = lacking.filter(|(_, count)| *count > 0).collect();
    if chart.x.unit == Unit::Seconds && !lacking.is_empty() {
        words.push(format!("A gap is an interval with {TOO_FEW}, or none."));
    } else {
        let each = lacking.into_iter();
        words.extend(each.map(|(label, count)| lacking_words(label, count)));
    }
    words.retain(|words| !words.is_empty());
    words.join(" ")
}

/// The text below a chart with what is said of its axes, where it does not say so.
fn with_axes(chart: &Chart, caption: String) -> String {
    let is_said = caption.contains("logarithmic");
    let is_new = |words: &String| match words.contains("logarithmic") {
        true => !is_said,
        false => !caption.contains(words),
    };
    let new = axes_words(chart).into_iter().filter(is_new);
    let all: Vec<String> = [caption.clone()].into_iter().chain(new).collect();
    all.join(" ").trim().to_owned()
}

/// What is said of a line some of whose points have no value.
fn lacking_words(label: &str, count: usize) -> String {
    let points = if count == 1 {
        "point has"
    } else {
        "points have"
    };
    let said = format!("{label}: {count} {points} {TOO_FEW}, or none.");
    said.trim_start_matches(": ").to_owned()
}

/// A caption without what it says of the points of a line, which another chart has.
pub(super) fn without_lacking(caption: &str, line: &Series) -> String {
    let missing = line.points.iter().filter(|point| !point.1.is_finite());
    let said = caption.replace(&lacking_words(&line.label, missing.count()), "");
    said.replace("  ", " ").trim().to_owned()
}

/// What is said of the axes of a chart: that one of rates is logarithmic, and the range of each that does not begin at zero, as
/// rates do elsewhere. Nothing where nothing is drawn.
fn axes_words(chart: &Chart) -> Vec<String> {
    if chart.series.is_empty() {
        return Vec::new();
    }
    let ends = chart.ends();
    let axes = [
        ("horizontal", &chart.x, ends[0]),
        ("vertical", &chart.y, ends[1]),
    ];
    let cut = axes
        .iter()
        .filter(|(_, axis, [low, ..])| axis.scale == ScaleKind::Near && *low > 0.0);
    let cut = cut.map(|(name, axis, [low, high, ..])| {
        let of = |value: &f64| crate::words::about(*value);
        format!(
            "The {name} axis ({}) does not begin at zero: it shows {} to {}.",
            axis.label,
            of(low),
            of(high)
        )
    });
    let is_even = |axis: &Axis| matches!(axis.scale, ScaleKind::Log10 | ScaleKind::Log2);
    let is_rate = matches!(chart.y.unit, Unit::Count | Unit::MibPerS | Unit::MbPerS);
    let even = (is_rate && is_even(&chart.y)).then(|| match is_even(&chart.x) {
        true => "Both axes are logarithmic.".to_owned(),
        false => format!("The vertical axis ({}) is logarithmic.", chart.y.label),
    });
    even.into_iter().chain(cut).collect()
}

/// More lines than these have numbers at their ends, and the list is below: names would cover one another.
const MOST_NAMED: usize = 6;

/// The names of the lines of a chart where they are too many to stand beside them; else none.
fn key_of(chart: &Chart) -> Vec<String> {
    let named = chart.series.iter().map(|s| s.label.clone());
    let named: Vec<String> = named.filter(|label| !label.is_empty()).collect();
    match named.len() > MOST_NAMED {
        true => named,
        false => Vec::new(),
    }
}

/// Which line has which number, in words.
fn key_words(key: &[String]) -> String {
    let each = (1_u32..).zip(key).map(|(n, name)| format!("{n} = {name}"));
    let each = each.collect::<Vec<_>>().join("; ");
    match key {
        [] => each,
        _ => format!("Lines: {each}."),
    }
}

/// A chart with numbers at its lines.
fn numbered(mut chart: Chart) -> Chart {
    let named = chart.series.iter_mut().filter(|s| !s.label.is_empty());
    for (number, series) in (1_u32..).zip(named) {
        series.label = number.to_string();
    }
    chart
}

/// The picture of a chart: where its lines have numbers, with names at its points.
fn drawn(chart: &Chart, key: &[String]) -> String {
    (1_u32..).zip(key).fold(chart.draw(), |svg, (n, name)| {
        let name = attribute(name);
        svg.replace(&format!("<title>{n}: "), &format!("<title>{name}: "))
    })
}

/// What is said of arrows.
pub(super) const ARROW: &str =
    "An arrow up marks a value that is at least that: I/Os had not ended.";

/// The text below a chart, with what its bands, whiskers and arrows mean where it does not say so.
fn with_signs(chart: &Chart, caption: String) -> String {
    let all = || chart.series.iter();
    let mut words = vec![caption];
    if !words[0].contains("95 %") {
        words.extend(signs([chart].into_iter()));
    }
    if all().any(Series::has_bounds) && !words[0].contains("arrow") {
        words.push(ARROW.to_owned());
    }
    words.retain(|words| !words.is_empty());
    words.join(" ")
}

/// A group of charts with a heading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    /// Anchor.
    pub(crate) id: String,
    /// Heading.
    pub(crate) title: String,
    /// What to see in it, in a sentence.
    pub(crate) lede: String,
    /// The charts.
    pub(crate) figures: Vec<Figure>,
}

/// A table of a study's answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerView {
    /// Heading.
    pub(crate) title: String,
    /// Heads of its columns.
    pub(crate) heads: Vec<String>,
    /// Whether each is of numbers.
    pub(crate) numbers: Vec<bool>,
    /// Its rows: values, each with its interval or nothing.
    pub(crate) rows: Vec<Vec<(String, String)>>,
}

/// A key figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    /// What it is.
    pub(crate) label: String,
    /// Its value, without the unit.
    pub(crate) value: String,
    /// The unit.
    pub(crate) unit: String,
    /// A second line.
    pub(crate) note: String,
    /// Class of its colour: `read`, `write` or empty.
    pub(crate) class: String,
}

/// What was found, at one place or at several.
#[derive(Clone, Debug, Default)]
pub(crate) struct FindingView {
    /// Where it was found, or empty.
    pub(crate) place: String,
    /// What was found.
    pub(crate) text: String,
    /// What to do; empty where there is nothing, or the group has said it before.
    pub(crate) cure: String,
}

/// Findings of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct FindingGroup {
    /// `failed`, `warning`, `note`.
    pub(crate) word: String,
    /// Class: `fail`, `warn`, `info`.
    pub(crate) class: String,
    /// Stable short name.
    pub(crate) code: String,
    /// The first.
    pub(crate) first: FindingView,
    /// The others.
    pub(crate) more: Vec<FindingView>,
}

impl FindingGroup {
    /// How many there are besides the first and what it is said of as well: what is said once of several places is several.
    pub(crate) fn places_of_more(&self) -> usize {
        let each = self.more.iter();
        each.map(|view| view.place.split("; ").count()).sum()
    }

    /// Adds one: to what says the same of another place, where there is one.
    pub(crate) fn add(&mut self, mut view: FindingView) {
        let FindingGroup { first, more, .. } = self;
        let all = || std::iter::once(&*first).chain(&*more);
        if all().any(|said| said.cure == view.cure) {
            view.cure.clear();
        }
        let same = |said: &&mut FindingView| said.text == view.text && view.cure.is_empty();
        match std::iter::once(first).chain(more.iter_mut()).find(same) {
            Some(said) if said.place.is_empty() => said.place = view.place,
            Some(_) if view.place.is_empty() => {}
            Some(said) if said.place.split("; ").any(|place| place == view.place) => {}
            Some(said) => said.place = format!("{}; {}", said.place, view.place),
            None => more.push(view),
        }
    }
}

/// A percentile in a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    /// The value, or a dash.
    pub(crate) text: String,
    /// How far it may be off; or empty.
    pub(crate) within: String,
    /// `thin` when few samples support it, `none` when too few, else empty.
    pub(crate) class: String,
    /// Why, for a tool tip; or empty.
    pub(crate) why: String,
}

/// One row of the table of results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// Stage and workload, shown in the first row of each.
    pub(crate) name: String,
    /// Rows of the table that the name stands for; 0 in all but the first of them.
    pub(crate) span: usize,
    /// Anchor of its details, or empty.
    pub(crate) anchor: String,
    /// What was set.
    pub(crate) setting: String,
    /// Letter of its grade, where that is not the run's; else empty.
    pub(crate) grade: String,
    /// What the grade follows from.
    pub(crate) reason: String,
    /// Operation, and which latency where there are two.
    pub(crate) op: String,
    /// Class of its colour.
    pub(crate) class: String,
    /// I/Os a second.
    pub(crate) iops: String,
    /// How far these may be off, or empty.
    pub(crate) iops_within: String,
    /// MiB/s.
    pub(crate) mib: String,
    /// MB/s.
    pub(crate) mb: String,
    /// Mean latency.
    pub(crate) mean: String,
    /// How far it may be off, or empty.
    pub(crate) mean_within: String,
    /// Percentiles 50, 99, 99.9, 99.99.
    pub(crate) tail: Vec<Cell>,
    /// Largest latency.
    pub(crate) max: String,
    /// I/Os that failed.
    pub(crate) errors: String,
    /// Whether there are any.
    pub(crate) bad: bool,
    /// The rate over time as a small picture: markup.
    pub(crate) spark: String,
}

/// Details of one workload, folded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Detail {
    /// Anchor.
    pub(crate) id: String,
    /// Name.
    pub(crate) name: String,
    /// What came out, in a few words.
    pub(crate) short: String,
    /// Charts over time.
    pub(crate) figures: Vec<Figure>,
    /// (name, value) pairs.
    pub(crate) facts: Vec<(String, String)>,
    /// Whether it is a result, and not what a stage did that prepares others.
    pub(crate) is_result: bool,
}

/// A list of (name, value) under a heading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// Heading.
    pub(crate) title: String,
    /// Names and values.
    pub(crate) rows: Vec<(String, String)>,
}

/// A text to be shown as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    /// Heading.
    pub(crate) title: String,
    /// A sentence, or empty.
    pub(crate) note: String,
    /// The text.
    pub(crate) body: String,
    /// Whether it is folded at first.
    pub(crate) folded: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html::curves::{figure, line};
    use crate::render::svg::Shape;

    fn view(text: &str, place: &str, cure: &str) -> FindingView {
        FindingView {
            place: place.to_owned(),
            text: text.to_owned(),
            cure: cure.to_owned(),
        }
    }

    #[test]
    fn what_is_the_same_of_several_places_is_said_once() {
        let mut group = FindingGroup {
            first: view("Slow.", "a", "Wait."),
            ..FindingGroup::default()
        };
        group.add(view("Slow.", "b", "Wait."));
        group.add(view("Slower.", "c", "Wait."));
        group.add(view("Slow.", "d", "Wait longer."));
        group.add(view("Slower.", "e", "Wait."));
        group.add(view("Slow.", "a", "Wait."));
        assert_eq!(group.places_of_more(), 3);
        let said: Vec<[&str; 3]> = std::iter::once(&group.first)
            .chain(&group.more)
            .map(|v| [v.text.as_str(), v.place.as_str(), v.cure.as_str()])
            .collect();
        assert_eq!(
            said,
            [
                ["Slow.", "a; b", "Wait."],
                ["Slower.", "c; e", ""],
                ["Slow.", "d", "Wait longer."],
            ]
        );
    }

    fn drawn(x: Unit, lines: &[(&str, [f64; 3])]) -> Figure {
        let series = lines.iter().map(|(label, ys)| {
            let points = (1_u8..).map(f64::from).zip(*ys).collect();
            line(label, "read", 0, Shape::Marked, points)
        });
        let chart = Chart {
            id: "c".to_owned(),
            title: "Latency".to_owned(),
            description: String::new(),
            x: Axis::new("x", ScaleKind::Linear, x),
            y: Axis::new("latency", ScaleKind::Log10, Unit::Nanos),
            series: series.collect(),
            marks: Vec::new(),
            height: 200.0,
        };
        figure(&chart, "Own.".to_owned(), true)
    }

    #[test]
    fn an_axis_that_begins_at_zero_is_not_called_cut() {
        let of = |from: f64| {
            let series = line(
                "reads",
                "read",
                0,
                Shape::Marked,
                vec![(from, 1.0), (2000.0, 2.0)],
            );
            let chart = Chart {
                id: "a".to_owned(),
                title: "Trials".to_owned(),
                description: String::new(),
                x: Axis::new("rate, IOPS", ScaleKind::Near, Unit::Count),
                y: Axis::new("n", ScaleKind::Linear, Unit::Count),
                series: vec![series],
                marks: Vec::new(),
                height: 200.0,
            };
            figure(&chart, String::new(), true).caption
        };
        assert!(
            of(1900.0)
                .contains("The horizontal axis (rate, IOPS) does not begin at zero: it shows"),
            "{}",
            of(1900.0)
        );
        assert!(!of(10.0).contains("begin at zero"), "{}", of(10.0));
    }

    #[test]
    fn a_logarithmic_axis_of_rates_is_called_so_once() {
        let of = |x: ScaleKind, y: ScaleKind, unit: Unit| {
            let points = vec![(512.0, 900.0), (1_048_576.0, 100_000.0)];
            let chart = Chart {
                id: "a".to_owned(),
                title: "Sizes".to_owned(),
                description: String::new(),
                x: Axis::new("block size", x, Unit::Bytes),
                y: Axis::new("IOPS", y, unit),
                series: vec![line("reads", "read", 0, Shape::Marked, points)],
                marks: Vec::new(),
                height: 200.0,
            };
            figure(&chart, String::new(), true)
        };
        let both = of(ScaleKind::Log2, ScaleKind::Log10, Unit::Count);
        assert_eq!(both.caption, "Both axes are logarithmic.");
        let again = Figure::of(both.picture.clone(), both.caption.clone());
        assert_eq!(again.caption, both.caption);
        let one = of(ScaleKind::Linear, ScaleKind::Log10, Unit::Count);
        assert_eq!(one.caption, "The vertical axis (IOPS) is logarithmic.");
        assert_eq!(
            of(ScaleKind::Log2, ScaleKind::Linear, Unit::Count).caption,
            ""
        );
        assert_eq!(
            of(ScaleKind::Log2, ScaleKind::Log10, Unit::Nanos).caption,
            ""
        );
    }

    #[test]
    fn what_too_few_samples_leave_out_is_said() {
        let lines = [
            ("reader", [1e6, 2e6, 3e6]),
            ("writer", [f64::NAN; 3]),
            ("mixed", [1e6, f64::NAN, 3e6]),
        ];
        let by_depth = drawn(Unit::Whole, &lines);
        assert_eq!(
            by_depth.caption,
            "Own. Left out, with too few samples: writer. mixed: 1 point has too few samples, or none."
        );
        assert!(!by_depth.svg.contains("writer") && !by_depth.plot.contains("writer"));
        let over_time = drawn(Unit::Seconds, &lines[1..]);
        assert_eq!(
            over_time.caption,
            "Own. Left out, with too few samples: writer. A gap is an interval with too few samples, or none."
        );
        assert_eq!(drawn(Unit::Whole, &lines[..1]).caption, "Own.");
        let nothing = drawn(Unit::Whole, &lines[1..2]);
        assert_eq!(nothing.caption, "Own. Nothing is drawn: too few samples.");
    }

    #[test]
    fn lines_with_numbers_keep_their_names_in_what_is_read() {
        let names = ["a", "b", "c", "d", "e", "f", "g & h"];
        let lines = names.map(|name| (name, [1e6, 2e6, 3e6]));
        let many = drawn(Unit::Whole, &lines);
        let key = "Lines: 1 = a; 2 = b; 3 = c; 4 = d; 5 = e; 6 = f; 7 = g & h.";
        assert!(many.caption.starts_with(key), "{}", many.caption);
        assert_eq!(many.unnumbered(), "Own.");
        let value: serde_json::Value = serde_json::from_str(&many.plot).unwrap();
        assert_eq!(value["key"], serde_json::json!(names));
        assert_eq!(value["s"][6]["label"], "g & h");
        assert!(many.svg.contains("<title>g &amp; h: 1, "), "{}", many.svg);
        assert!(many.svg.contains(">7</text>"), "{}", many.svg);
        // Drawn again it says so once.
        let again = Figure::of(many.picture.clone(), many.unnumbered());
        assert_eq!(again.caption, many.caption);
        assert!(drawn(Unit::Whole, &lines[..6]).key.is_empty());
    }
}
