//! What the page's template fills in: words and pictures only, all formatting done.

use super::plot::plot_json;
use crate::render::svg::{Bars, Chart, Heat, Series, Tiles, signs};

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
}

impl Figure {
    /// A picture with its title and a sentence below.
    pub(crate) fn of(picture: Picture, mut caption: String) -> Self {
        let mut picture = picture;
        if let Picture::Lines(chart, _) = &mut picture {
            caption = with_signs(chart, caption);
            caption = numbered(chart, caption);
        }
        let (title, svg) = match &picture {
            Picture::None => Default::default(),
            Picture::Lines(chart, _) => (chart.title.clone(), chart.draw()),
            Picture::Bars(bars) => (bars.title.clone(), bars.draw()),
            Picture::Heat(heat) => (heat.title.clone(), heat.draw()),
            Picture::Tiles(tiles) => (tiles.title.clone(), tiles.draw()),
        };
        let plot = match &picture {
            Picture::Lines(chart, rising) => plot_json(chart, *rising),
            _ => String::new(),
        };
        Self {
            title,
            caption,
            svg,
            plot,
            picture,
        }
    }
}

/// More lines than these have numbers at their ends, and what they are stands below: names would cover one another.
const MOST_NAMED: usize = 6;

/// Gives the lines of a chart numbers where they are many; the caption with what each is.
fn numbered(chart: &mut Chart, caption: String) -> String {
    let all = || chart.series.iter().filter(|s| !s.label.is_empty());
    let is_number = |label: &str| label.chars().all(|c| c.is_ascii_digit());
    if all().count() <= MOST_NAMED || all().all(|s| is_number(&s.label)) {
        return caption;
    }
    let mut legend = Vec::new();
    let named = chart.series.iter_mut().filter(|s| !s.label.is_empty());
    for (number, series) in (1_u32..).zip(named) {
        let number = number.to_string();
        legend.push(format!("{number} = {}", series.label));
        series.label = number;
    }
    let parts = [format!("Lines: {}.", legend.join("; ")), caption];
    let parts = parts.into_iter().filter(|words| !words.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

/// What stands below a chart, with what its bands, whiskers and arrows mean where it does not say so.
fn with_signs(chart: &Chart, caption: String) -> String {
    let all = || chart.series.iter();
    let mut words = vec![caption];
    if !words[0].contains("95 %") {
        words.extend(signs(&chart.series));
    }
    if all().any(Series::has_bounds) && !words[0].contains("arrow") {
        words.push(
            "An arrow up marks a value that is at least that: I/Os had not ended.".to_owned(),
        );
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

/// One finding.
#[derive(Clone, Debug, Default)]
pub(crate) struct FindingView {
    /// `failed`, `warning`, `note`.
    pub(crate) word: String,
    /// Class: `fail`, `warn`, `info`.
    pub(crate) class: String,
    /// Stable short name.
    pub(crate) code: String,
    /// Where it was found, or empty.
    pub(crate) place: String,
    /// What was found.
    pub(crate) text: String,
    /// What to do, or empty.
    pub(crate) cure: String,
}

/// Findings of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct FindingGroup {
    /// The first.
    pub(crate) first: FindingView,
    /// The others.
    pub(crate) more: Vec<FindingView>,
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
    /// Course of the rate as a small picture: markup.
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
