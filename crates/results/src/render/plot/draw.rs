//! The picture of a chart that stands alone: title, a chart for each figure, legend, remarks.
//!
//! Belongs here: from lines to shapes, colours and words. Must never: choose which points are shown.

use super::axis::PlotAxis;
use super::lines::{Panel, Picked};
use super::looks::{Looks, published_as};
use super::request::PlotX;
use super::spot::PlotLine;
use super::style;
use super::text::{ACROSS, WIDTH, text, wrapped};
use crate::render::svg::{Axis, Chart, Mark, ScaleKind, Series, Shape, Unit, signs};
use crate::stats::Bracket;
use crate::words::{compact, span, trim_to};
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// How a file of such a picture begins.
pub const BEGIN: &str = "<!-- leadline plot -->\n";
/// Height of a chart alone, and of one of several.
const HEIGHTS: (f64, f64) = (276.0, 216.0);
/// Up to this many points at names have their value written beside them.
const MOST_WITH_VALUES: usize = 8;
/// Letters of a line of the title.
const ACROSS_TITLE: usize = 48;
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
    let mut drawn: Vec<Chart> = Vec::new();
    for (number, panel) in picked.panels.iter().enumerate() {
        let chart = chart(picked, panel, &looks, (number, height));
        let _ = write!(
            out,
            "<g transform=\"translate(0 {y})\">{}</g>",
            chart.body()
        );
        drawn.push(chart);
        y += height + 6.0;
    }
    y = looks.legend(y + 4.0, &mut out);
    let mut remarks = remarks(picked, &drawn);
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

fn chart(picked: &Picked, panel: &Panel, looks: &Looks, (number, height): (usize, f64)) -> Chart {
    let shape = match picked.x {
        PlotX::Time if panel.figure.is_latency() => Shape::Line,
        PlotX::Time => Shape::Step,
        PlotX::Percentile => Shape::Line,
        _ if picked.names.is_empty() => Shape::Marked,
        // A bar has to begin at 0, which an axis of ratios has not.
        _ if panel.figure.scale().0 == ScaleKind::Linear => Shape::Bars(count(panel)),
        _ => Shape::Dots,
    };
    let mut lines = panel.lines.clone();
    if shape.is_apart() {
        apart(&mut lines);
    }
    let bars = lines.iter().flat_map(|line| &line.spots).count();
    if shape.is_apart() && bars <= MOST_WITH_VALUES {
        with_values(&mut lines, panel.figure.scale().1);
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
    marks.extend(Mark::warm_up(picked.warmups_s));
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

/// How many stand side by side at a name.
fn count(panel: &Panel) -> u8 {
    u8::try_from(panel.lines.len()).unwrap_or(u8::MAX)
}

/// What several lines have at one name is drawn side by side.
fn apart(lines: &mut [PlotLine]) {
    let count = u8::try_from(lines.len()).unwrap_or(u8::MAX);
    for (line, place) in lines.iter_mut().zip(0_u8..) {
        let shift = Shape::shift(place, count);
        line.spots.iter_mut().for_each(|spot| spot.x += shift);
    }
}

/// Each point has its value for a word.
fn with_values(lines: &mut [PlotLine], unit: Unit) {
    for spot in lines.iter_mut().flat_map(|line| &mut line.spots) {
        spot.tag = format!("{}{}", spot.bracket.mark(), unit.text(spot.y));
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

/// The text below.
fn remarks(picked: &Picked, drawn: &[Chart]) -> Vec<String> {
    let spots = || {
        picked
            .panels
            .iter()
            .flat_map(|p| &p.lines)
            .flat_map(|l| &l.spots)
    };
    let mut all = Vec::new();
    if let Some(most) = spots().map(|s| s.count).filter(|n| *n > 1).max() {
        let drawn = match picked.confirms {
            true => "the last one that confirms it, else the mean of all",
            false => "the mean of all",
        };
        all.push(format!(
            "Up to {most} measurements per point: {drawn} is drawn."
        ));
    }
    all.extend(signs(drawn.iter()));
    if picked
        .panels
        .iter()
        .flat_map(|p| &p.lines)
        .any(|l| !l.joined)
    {
        let what = "Points are joined only along one setting: those of a grid are not.";
        all.push(what.to_owned());
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

/// The figures in words, for those who do not see the picture.
fn description(picked: &Picked) -> String {
    /// Most points of a line that are described.
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
