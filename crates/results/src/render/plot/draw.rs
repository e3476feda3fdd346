//! The picture of a chart that stands alone: title, a chart for each figure, legend, remarks.
//!
//! Belongs here: from lines to shapes, colours and words. Must never: choose which points are shown.

use super::axis::PlotAxis;
use super::lines::{Panel, Picked};
use super::request::{MOST_TOLD_APART, PlotX};
use super::spot::{PlotLine, PlotSpot};
use super::style;
use crate::render::svg::{
    Axis, Chart, Mark, ScaleKind, Series, Shape, Unit, VARIANTS, sample, shortened,
};
use crate::stats::Bracket;
use crate::words::{compact, span, trim_to};
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// How a file of such a picture begins.
pub const BEGIN: &str = "<!-- leadline plot -->\n";
/// Width in units, as charts have it.
const WIDTH: f64 = 440.0;
/// Height of a chart alone, and of one of several.
const HEIGHTS: (f64, f64) = (276.0, 216.0);
/// Letters of a name that has room beside its line.
const LETTERS: usize = 17;
/// Most lines that are named at their ends; more have numbers and a legend.
const MOST_NAMED: usize = 6;
/// Letters of a line of remarks, and of the title.
const ACROSS: usize = 74;
const ACROSS_TITLE: usize = 48;
/// Letters of a name in a legend of two columns.
const ACROSS_HALF: usize = 30;
/// Marker of what was published: large and hollow, so that it is seen around a point of a run at the same place.
const PUBLISHED: u8 = 9;
/// Pixels of a unit where the size of the picture is not given.
const PIXELS: f64 = 2.0;

/// The chart as an SVG document.
#[must_use]
pub fn svg(picked: &Picked) -> String {
    let title = title(picked);
    let mut out = String::with_capacity(16_384);
    let mut y = 24.0;
    for line in wrapped(&title, ACROSS_TITLE) {
        text(&mut out, (4.0, y - 6.0), "title", &line);
        y += 17.0;
    }
    y -= 17.0;
    if !picked.common.is_empty() {
        for line in wrapped(&picked.common.join(", "), ACROSS) {
            text(&mut out, (4.0, y + 10.0), "note", &line);
            y += 14.0;
        }
        y += 2.0;
    }
    let looks = Looks::of(picked);
    let height = if picked.panels.len() > 1 {
        HEIGHTS.1
    } else {
        HEIGHTS.0
    };
    // A number at the end of each line has a height of its own.
    let height = match looks.numbered {
        true => f64::max(height, looks.each.len() as f64 * 12.0 + 66.0),
        false => height,
    };
    for (number, panel) in picked.panels.iter().enumerate() {
        let chart = chart(picked, panel, &looks, (number, height));
        let _ = write!(
            out,
            "<g transform=\"translate(0 {y})\">{}</g>",
            chart.body()
        );
        y += height + 6.0;
    }
    y = looks.legend(y + 4.0, &mut out);
    let mut remarks = remarks(picked);
    if looks.repeat() {
        remarks.insert(0, looks.apart().to_owned());
    }
    for line in remarks.iter().flat_map(|r| wrapped(r, ACROSS)) {
        text(&mut out, (4.0, y + 10.0), "note", &line);
        y += 14.0;
    }
    document(&title, &description(picked), y + 8.0, &out)
}

fn document(title: &str, description: &str, height: f64, body: &str) -> String {
    let (w, h) = (WIDTH * PIXELS, height * PIXELS);
    let (title, description) = (attribute(title), attribute(description));
    let style = style::sheet();
    format!(
        "{BEGIN}<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" \
         viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"plot-t plot-d\">\
         <title id=\"plot-t\">{title}</title><desc id=\"plot-d\">{description}</desc>\
         <style>{style}</style><rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>{body}</svg>\n"
    )
}

fn text(out: &mut String, (x, y): (f64, f64), class: &str, words: &str) {
    let words = attribute(words);
    let _ = write!(
        out,
        "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{words}</text>"
    );
}

/// What a chart is called: its figures, and along what.
fn title(picked: &Picked) -> String {
    let mut figures: Vec<String> = Vec::new();
    for panel in &picked.panels {
        let label = panel.figure.label();
        let bare = label.split(", M").next().unwrap_or_default().to_owned();
        if !figures.contains(&bare) {
            figures.push(bare);
        }
    }
    let along = match picked.x {
        PlotX::Setting(axis) => {
            let label = axis.label();
            format!(
                "by {}",
                label
                    .split([',', '('])
                    .next()
                    .unwrap_or(label)
                    .split(" of each")
                    .next()
                    .unwrap_or(label)
                    .trim()
            )
        }
        PlotX::Figure(figure) => format!("against {}", figure.label()),
        PlotX::Time => "over time".to_owned(),
        PlotX::Percentile => "by percentile".to_owned(),
    };
    let figures = match figures.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        few => few.concat(),
    };
    format!("{} {along}", capital(&figures))
}

/// Words with a large first letter, which the name of a percentile keeps small.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    if words.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) {
        return words.to_owned();
    }
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// How each line looks, the same in every chart of the picture.
struct Looks {
    /// Label, class, dash and marker, what stands at its end.
    each: Vec<(String, String, u8, String)>,
    /// Lines have numbers, and a legend says what they are.
    numbered: bool,
    /// Each is of dots, with nothing at its end, and a legend says what they are.
    dots: bool,
    /// More than colour and dash tell apart: they are thin.
    is_many: bool,
}

impl Looks {
    fn of(picked: &Picked) -> Self {
        let mut lines: Vec<&PlotLine> = Vec::new();
        for line in picked.panels.iter().flat_map(|p| &p.lines) {
            if !lines.iter().any(|known| known.label == line.label) {
                lines.push(line);
            }
        }
        let mut colours: Vec<&str> = Vec::new();
        for line in &lines {
            if !colours.contains(&line.colour.as_str()) {
                colours.push(&line.colour);
            }
        }
        let is_op = |c: &&&str| of_op(c).is_some();
        let ops = colours.iter().filter(is_op).count();
        // Those of reads and writes are the first two.
        let others: Vec<&str> = colours
            .iter()
            .copied()
            .filter(|c| of_op(c).is_none())
            .collect();
        let single = colours.len() == lines.len();
        let published = published(picked);
        let longest = lines.iter().map(|l| l.label.chars().count()).max();
        let numbered = longest > Some(LETTERS)
            || lines.len() + published.len() > MOST_NAMED
            || published.iter().any(|l| l.chars().count() > LETTERS)
            || (lines.len() > 1 && picked.x == PlotX::Time);
        let dots = !picked.names.is_empty();
        let is_many = lines.len() > MOST_TOLD_APART;
        let mut looks = Self {
            each: Vec::new(),
            numbered: numbered && !dots,
            dots,
            is_many,
        };
        for (n, line) in lines.iter().enumerate() {
            let place = others.iter().position(|c| *c == line.colour).unwrap_or(0);
            let class = match of_op(&line.colour) {
                Some(class) => class.to_owned(),
                None => format!("k{}", (place + if ops > 0 { 2 } else { 0 }) % 5),
            };
            let before = looks.each.iter().filter(|one| one.1 == class).count();
            // Of many lines those of one colour are all in turn.
            let variant = match (single, is_many) {
                (true, false) => n % 3,
                (true, true) => n / 5,
                (false, _) => before,
            } % VARIANTS;
            looks.add(&line.label, class, u8::try_from(variant).unwrap_or(0));
        }
        for label in published {
            looks.add(&label, "published".to_owned(), PUBLISHED);
        }
        looks
    }

    fn add(&mut self, label: &str, class: String, variant: u8) {
        let end = match (self.dots, self.numbered) {
            (true, _) => String::new(),
            (false, true) => format!("{}", self.each.len() + 1),
            (false, false) => label.to_owned(),
        };
        self.each.push((label.to_owned(), class, variant, end));
    }

    /// How lines that look the same are told apart.
    const fn apart(&self) -> &'static str {
        match self.dots {
            true => "Some markers repeat: at each place the lines stand in the order of the list.",
            false => "Some looks repeat: the number at the end of a line tells which it is.",
        }
    }

    /// Whether two lines look the same: then only their numbers tell them apart.
    fn repeat(&self) -> bool {
        let mut looks: Vec<(&str, u8)> = Vec::new();
        let measured = self.each.iter().filter(|one| one.1 != "published");
        for one in measured {
            let look = (colour_of(&one.1), one.2);
            if looks.contains(&look) {
                return true;
            }
            looks.push(look);
        }
        false
    }

    fn series(&self, line: &PlotLine, label: &str, shape: Shape) -> Series {
        let own = self.each.iter().find(|one| one.0 == label);
        let (_, mut class, variant, end) = own.cloned().unwrap_or_default();
        if self.is_many {
            class += " many";
        }
        let tag = |s: &PlotSpot| match s.failed {
            true => format!("{} !", s.tag).trim_start().to_owned(),
            false => s.tag.clone(),
        };
        Series {
            label: end,
            class,
            variant,
            shape,
            points: line.spots.iter().map(|s| (s.x, s.y)).collect(),
            tags: match shape {
                Shape::Marked | Shape::Dots => line.spots.iter().map(tag).collect(),
                Shape::Line | Shape::Step => Vec::new(),
            },
            thin_from: line.thin_from,
            brackets: line.spots.iter().map(|s| s.bracket).collect(),
        }
    }

    /// The legend from y on, many short names in two columns; where it ends.
    fn legend(&self, y: f64, out: &mut String) -> f64 {
        if !self.numbered && (!self.dots || self.each.len() < 2) {
            return y;
        }
        let named = self.each.iter().map(|(label, _, _, end)| {
            let label = if label.is_empty() { "measured" } else { label };
            match end.as_str() {
                "" => label.to_owned(),
                end => format!("{end}: {label}"),
            }
        });
        let named: Vec<String> = named.collect();
        let is_short = named
            .iter()
            .all(|words| words.chars().count() <= ACROSS_HALF);
        let columns = if self.is_many && is_short { 2 } else { 1 };
        let rows = named.len().div_ceil(columns).max(1);
        let mut ends = vec![y; columns];
        for (n, ((_, class, variant, _), words)) in self.each.iter().zip(&named).enumerate() {
            let (x, y) = (WIDTH / 2.0 * (n / rows) as f64, &mut ends[n / rows]);
            out.push_str(&sample(class, *variant, (x + 4.0, *y + 7.0), !self.dots));
            for line in wrapped(words, ACROSS - 8) {
                text(out, (x + 42.0, *y + 11.0), "tag", &line);
                *y += 15.0;
            }
        }
        ends.into_iter().fold(y, f64::max) + 4.0
    }
}

/// The class of the same colour that operations have.
fn colour_of(class: &str) -> &str {
    let same = [
        ("k0", "read"),
        ("k1", "write"),
        ("k2", "trim"),
        ("k3", "sync"),
        ("k4", "all"),
    ];
    let found = same.iter().find(|(own, _)| *own == class);
    found.map_or(class, |(_, of_op)| of_op)
}

/// The class of an operation that a colour stands for.
fn of_op(colour: &str) -> Option<&'static str> {
    match colour {
        "read" | "reads" => Some("read"),
        "write" | "writes" => Some("write"),
        "trim" => Some("trim"),
        "total" => Some("all"),
        _ => None,
    }
}

/// Labels of published lines.
fn published(picked: &Picked) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for line in picked.panels.iter().flat_map(|p| &p.published) {
        let label = published_as(line);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

fn published_as(line: &PlotLine) -> String {
    format!("published {}", line.label)
}

fn chart(picked: &Picked, panel: &Panel, looks: &Looks, (number, height): (usize, f64)) -> Chart {
    let shape = match picked.x {
        PlotX::Time if panel.figure.is_latency() => Shape::Line,
        PlotX::Time => Shape::Step,
        PlotX::Percentile => Shape::Line,
        _ if picked.names.is_empty() => Shape::Marked,
        _ => Shape::Dots,
    };
    let mut lines = panel.lines.clone();
    if shape == Shape::Dots {
        apart(&mut lines);
    }
    let mut series: Vec<Series> = panel
        .published
        .iter()
        .map(|line| {
            // Nobody published what is between reads alone and writes alone.
            let shape = match picked.x {
                PlotX::Setting(PlotAxis::Reads) if line.spots.len() < 3 => Shape::Dots,
                _ => Shape::Marked,
            };
            looks.series(line, &published_as(line), shape)
        })
        .collect();
    series.extend(
        lines
            .iter()
            .map(|line| looks.series(line, &line.label, shape)),
    );
    let mut marks: Vec<Mark> = panel
        .levels
        .iter()
        .map(|level| Mark::Level(level.value, format!("published: {}", level.label)))
        .collect();
    if picked.warmup_s > 0.0 {
        marks.push(Mark::Band(0.0, picked.warmup_s, "warm-up".to_owned()));
    }
    let (scale, unit) = panel.figure.scale();
    Chart {
        id: format!("panel-{number}"),
        title: String::new(),
        description: String::new(),
        x: along(picked),
        y: Axis::new(&panel.figure.label(), scale, unit),
        series,
        marks,
        height,
    }
}

/// Dots of several lines at one name stand beside each other.
fn apart(lines: &mut [PlotLine]) {
    let count = lines.len() as f64;
    for (line, n) in lines.iter_mut().zip(0_u32..) {
        let shift = (f64::from(n) - (count - 1.0) / 2.0) * 0.56 / count;
        line.spots.iter_mut().for_each(|spot| spot.x += shift);
    }
}

fn along(picked: &Picked) -> Axis {
    match picked.x {
        PlotX::Setting(axis) if !picked.names.is_empty() => {
            Axis::of_names(axis.label(), picked.names.clone())
        }
        PlotX::Setting(axis) => {
            let (scale, unit) = axis.scale();
            let scale = match scale {
                ScaleKind::Linear if unit == Unit::Count && are_close(picked) => ScaleKind::Near,
                scale => scale,
            };
            let label = match axis {
                PlotAxis::Reads => "share of reads, % of the I/Os",
                other => other.label(),
            };
            Axis::new(label, scale, unit)
        }
        PlotX::Figure(figure) => {
            let (scale, unit) = figure.scale();
            Axis::new(&figure.label(), scale, unit)
        }
        PlotX::Time => Axis::new("time in the stage", ScaleKind::Linear, Unit::Seconds),
        PlotX::Percentile => Axis::new("percentile", ScaleKind::Nines, Unit::Nines),
    }
}

/// Whether all places along x are close together and far from 0, as the rates of a search for a limit are.
fn are_close(picked: &Picked) -> bool {
    let spots = picked
        .panels
        .iter()
        .flat_map(|p| &p.lines)
        .flat_map(|l| &l.spots);
    let ends = spots.fold((f64::INFINITY, 0.0_f64), |(low, high), s| {
        (low.min(s.x), high.max(s.x))
    });
    ends.0 > ends.1 * 0.75 && ends.0 < ends.1
}

/// What stands below.
fn remarks(picked: &Picked) -> Vec<String> {
    let spots = || {
        picked
            .panels
            .iter()
            .flat_map(|p| &p.lines)
            .flat_map(|l| &l.spots)
    };
    let mut all = Vec::new();
    if let Some(most) = spots().map(|s| s.count).filter(|n| *n > 1).max() {
        all.push(format!(
            "Up to {most} measurements a point: drawn is the one that confirms it, else the mean of all."
        ));
    }
    if spots().any(|s| s.bracket.ends().is_some()) {
        let what = if picked.names.is_empty() {
            "Bands"
        } else {
            "Whiskers"
        };
        all.push(format!("{what} are 95 % intervals."));
    }
    if spots().any(|s| s.bracket == Bracket::AtLeast) {
        all.push("An arrow up marks a value that is at least that: I/Os had not ended.".to_owned());
    }
    if spots().any(|s| s.failed) {
        all.push("! = a check failed: the figure is not to be used.".to_owned());
    }
    if !picked.source.is_empty() {
        all.push(format!("Published: {}.", picked.source));
    }
    all.extend(
        picked
            .notes
            .iter()
            .map(|note| format!("{}.", capital(note))),
    );
    all
}

/// Words on lines of so many letters; a longer word is shortened in the middle.
fn wrapped(words: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split(' ').map(|word| shortened(word, letters)) {
        let last = lines.last().map_or(0, |l| l.chars().count());
        if last > 0 && last + word.chars().count() >= letters {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
    }
    lines
}

/// The figures in words, for those who do not see the picture.
fn description(picked: &Picked) -> String {
    /// Most points of a line that are told.
    const MOST: usize = 16;
    let mut all = Vec::new();
    for panel in &picked.panels {
        let value = |v: f64| match panel.figure.scale().1 {
            Unit::Nanos => span(v),
            _ => compact(v),
        };
        for line in panel.lines.iter().chain(&panel.published) {
            let every = line.spots.len().div_ceil(MOST).max(1);
            let spots = line.spots.iter().step_by(every).filter(|s| s.y.is_finite());
            let points = spots.map(|s| {
                let (mark, y) = (s.bracket.mark(), value(s.y));
                format!("{mark}{y} at {}", x_words(picked, s.x))
            });
            let points: Vec<String> = points.collect();
            let name = if line.label.is_empty() {
                "line"
            } else {
                &line.label
            };
            let what = panel.figure.label();
            all.push(format!("{what}, {name}: {}", points.join(", ")));
        }
    }
    all.join(". ")
}

fn x_words(picked: &Picked, x: f64) -> String {
    match picked.x {
        PlotX::Setting(_) if !picked.names.is_empty() => {
            let at = usize::try_from(crate::words::whole(x)).ok();
            at.and_then(|at| picked.names.get(at))
                .cloned()
                .unwrap_or_default()
        }
        PlotX::Time => format!("{} s", trim_to(x, 2)),
        _ => along(picked).unit.text(x),
    }
}
