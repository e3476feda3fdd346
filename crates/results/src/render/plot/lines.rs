//! Which points make a line: selection of the data of a chart, without drawing.
//!
//! Two points are on one line when all that was set is equal but what the chart puts along x. Points at one place of one
//! line are repeats, and make one as in the tables of a report. Must never: join points that differ in anything else, or
//! leave one out without a note.

use super::axis::PlotAxis;
use super::distribution::distribution;
use super::figure::PlotFigure;
use super::group::{Groups, differing, group, has, names};
use super::observed::{CLOSED, OPEN, Observed, observed};
use super::published::{self, PublishedLevel, PublishedRow};
use super::request::{MOST_LINES, NoPlot, PlotX, Request};
use super::spot::{PlotLine, PlotSpot};
use super::timed;
use super::walk;
use crate::run::Run;
use crate::stats::Bracket;
use crate::summary::series::merged_words;
use crate::summary::{Summary, summarize};

/// Most lines that are named among those left out.
const MOST_NAMED: usize = 6;

/// What is said of a line over time with gaps.
const GAPS: &str = "a gap is an interval with too few samples, or none";

/// The lines of one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Which.
    pub figure: PlotFigure,
    /// Its lines.
    pub lines: Vec<PlotLine>,
    /// What was published, along the same x.
    pub published: Vec<PlotLine>,
    /// Published figures without a place along x.
    pub levels: Vec<PublishedLevel>,
}

/// What a chart shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Picked {
    /// Along x.
    pub x: PlotX,
    /// Names along x, in place of numbers; empty = numbers.
    pub names: Vec<String>,
    /// A chart for each figure.
    pub panels: Vec<Panel>,
    /// Ends of the shortest and of the longest warm-up in seconds, over time; 0 = there is none.
    pub warmups_s: (f64, f64),
    /// Whether some points were measured once more to confirm them.
    pub confirms: bool,
    /// What all lines have in common.
    pub common: Vec<String>,
    /// The source of what was published; empty = nothing.
    pub source: String,
    /// What was left out, in words.
    pub notes: Vec<String>,
}

/// The points of the runs, each with a name that no other of them has, that a request is about.
///
/// # Errors
/// Why there is nothing to draw.
pub fn pick(runs: &[(String, &Run)], request: &Request) -> Result<Picked, NoPlot> {
    check(request)?;
    let summaries: Vec<Summary> = runs.iter().map(|(_, run)| summarize(run)).collect();
    let is_op = |axis: &PlotAxis| *axis == PlotAxis::Op;
    let split = request.by.as_ref().is_some_and(is_op)
        || request.only.iter().any(|(axis, _)| is_op(axis))
        || request.x == PlotX::Setting(PlotAxis::Op);
    let each = runs.iter().zip(&summaries).enumerate();
    let mut all: Vec<Observed<'_>> = each
        .flat_map(|(n, ((name, run), summary))| observed((n, name), run, summary, split))
        .collect();
    let known = differing(&all).0;
    keep_asked(&mut all, request).map_err(|what| NoPlot::Nothing {
        what,
        has: has(&known),
    })?;
    let groups = group(&all, request);
    let mut picked = Picked {
        x: request.x,
        names: names(&all, request.x),
        panels: Vec::new(),
        warmups_s: (f64::MAX, 0.0),
        confirms: all.iter().any(|o| o.confirms),
        common: groups.common.clone(),
        source: String::new(),
        notes: Vec::new(),
    };
    if groups.are_points {
        note(&mut picked, each_its_own(runs));
    }
    for figure in &request.y {
        let panel = panel(&groups, *figure, (runs, &mut picked));
        picked.panels.push(panel);
    }
    if let Some(panel) = picked.panels.iter().find(|p| p.lines.len() > MOST_LINES) {
        return Err(NoPlot::TooMany {
            lines: panel.lines.len(),
            differ: has(&groups.differ),
        });
    }
    if picked.panels.iter().all(|panel| panel.lines.is_empty()) {
        let what = "enough samples for this figure".to_owned();
        return Err(NoPlot::Nothing {
            what,
            has: has(&known),
        });
    }
    leave_out_empty(&mut picked);
    let is_unknown = |axis: &PlotAxis| !all.iter().any(|o| o.at.contains_key(axis));
    if let Some(axis) = request.by.filter(is_unknown) {
        let name = axis.name();
        let text = format!("the {name} of these runs is not known: it cannot distinguish lines");
        note(&mut picked, text);
    }
    if let Some(name) = &request.published {
        beside(&mut picked, name)?;
    }
    Ok(picked)
}

/// Keeps the points that a request is about; what none of them has, where that leaves none.
fn keep_asked(all: &mut Vec<Observed<'_>>, request: &Request) -> Result<(), String> {
    for (axis, text) in &request.only {
        all.retain(|o| o.at.get(axis).is_some_and(|value| axis.is(value, text)));
        if all.is_empty() {
            return Err(format!("{} = {text}", axis.name()));
        }
    }
    if let PlotX::Setting(axis) = request.x {
        all.retain(|o| o.at.contains_key(&axis));
        if all.is_empty() {
            return Err(format!("a value of {}", axis.name()));
        }
    }
    Ok(())
}

/// A chart without a line says less than its absence.
fn leave_out_empty(picked: &mut Picked) {
    let is_empty = |panel: &Panel| panel.lines.is_empty();
    let empty = picked.panels.iter().filter(|p| is_empty(p));
    let empty: Vec<PlotFigure> = empty.map(|p| p.figure).collect();
    picked.panels.retain(|panel| !is_empty(panel));
    for figure in empty {
        note(
            picked,
            format!("{} is not drawn: too few samples", figure.name()),
        );
    }
}

/// That the points along a line are runs, and which.
fn each_its_own(runs: &[(String, &Run)]) -> String {
    let names: Vec<&str> = runs.iter().map(|(name, _)| name.as_str()).collect();
    let named = match names.as_slice() {
        [first, .., last] if names.len() > MOST_NAMED => format!("{first} to {last}"),
        several => several.join(", "),
    };
    let count = names.len();
    format!("each point along a line is a run of its own: {count} runs, {named}")
}

/// Figures that x does not have.
fn check(request: &Request) -> Result<(), NoPlot> {
    for figure in &request.y {
        let cure = match request.x {
            PlotX::Percentile if *figure != PlotFigure::Latency => {
                "over percentile there is latency"
            }
            PlotX::Time if !figure.is_over_time() => {
                "over time there are iops, mibps, mbps, mean, p50, p99 and max"
            }
            PlotX::Setting(_) | PlotX::Figure(_) if *figure == PlotFigure::Latency => {
                "all of the latency is drawn over percentile; elsewhere name mean, p50, p99 or max"
            }
            _ => continue,
        };
        return Err(NoPlot::NoSuchPair {
            figure: figure.name(),
            x: request.x.name(),
            cure: cure.to_owned(),
        });
    }
    Ok(())
}

fn panel(
    groups: &Groups<'_>,
    figure: PlotFigure,
    (runs, picked): (&[(String, &Run)], &mut Picked),
) -> Panel {
    let mut panel = Panel {
        figure,
        lines: Vec::new(),
        published: Vec::new(),
        levels: Vec::new(),
    };
    let mut lacking = 0;
    for (label, colour, points) in &groups.lines {
        let is_joined = !matches!(picked.x, PlotX::Figure(_)) || walk::have_order(points);
        let line = |label: String, spots: Vec<PlotSpot>, thin_from| PlotLine {
            label,
            colour: colour.clone(),
            spots,
            joined: is_joined,
            thin_from,
        };
        match picked.x {
            PlotX::Time => {
                for (n, o) in points.iter().enumerate() {
                    let series = timed::figure_over_time(runs[o.run].1, o, figure);
                    let (shortest, longest) = picked.warmups_s;
                    let own = series.warmup_s;
                    picked.warmups_s = (shortest.min(own), longest.max(own));
                    if timed::has_gaps(&series.spots) {
                        note(picked, format!("{}: {GAPS}", figure.name()));
                    }
                    if let (PlotFigure::Tail(percent), true) = (figure, series.is_merged) {
                        note(picked, merged_words(percent));
                    }
                    let label = numbered(label, n, points.len());
                    panel.lines.push(line(label, series.spots, None));
                }
            }
            PlotX::Percentile => {
                for (n, o) in points.iter().enumerate() {
                    let (spots, thin) = distribution(o);
                    let label = numbered(label, n, points.len());
                    panel.lines.push(line(label, spots, thin));
                }
            }
            _ => {
                let (spots, few) = walk::spots(points, figure, (picked.x, &picked.names));
                lacking += few;
                panel.lines.push(line(label.clone(), spots, None));
            }
        }
    }
    if lacking > 0 {
        let points = if lacking == 1 {
            "point has"
        } else {
            "points have"
        };
        let figure = figure.name();
        let words = format!("{figure}: {lacking} {points} too few samples, or none");
        note(picked, words);
    }
    leave_out(&mut panel, picked);
    panel
}

/// Takes away lines that show nothing, with a note.
fn leave_out(panel: &mut Panel, picked: &mut Picked) {
    let has_point = |line: &PlotLine| line.spots.iter().any(|spot| spot.y.is_finite());
    let empty = panel.lines.iter().filter(|line| !has_point(line));
    let empty: Vec<String> = empty.map(|line| line.label.clone()).collect();
    panel.lines.retain(has_point);
    if !empty.is_empty() && !panel.lines.is_empty() {
        let (figure, which) = (panel.figure.name(), few_of(empty));
        let words = format!("{figure}: left out, with too few samples: {which}");
        note(picked, words);
    }
    // The closed loop of a curve of rates is a single point, and its end.
    let of_loop = |line: &PlotLine, is: &str| line.label.strip_suffix(is).map(str::to_owned);
    let open: Vec<String> = panel
        .lines
        .iter()
        .filter(|line| line.spots.len() > 1)
        .filter_map(|line| of_loop(line, OPEN))
        .collect();
    let is_end = |line: &PlotLine| of_loop(line, CLOSED).is_some_and(|own| open.contains(&own));
    let several = |line: &PlotLine| line.spots.len() > 1 || is_end(line);
    if picked.names.is_empty() && panel.lines.iter().any(several) {
        let alone = panel.lines.iter().filter(|line| !several(line));
        let alone: Vec<String> = alone.map(|line| line.label.clone()).collect();
        panel.lines.retain(several);
        if !alone.is_empty() {
            let words = format!("left out, with one point only: {}", few_of(alone));
            note(picked, words);
        }
    }
}

/// The first of several names, and how many more there are.
fn few_of(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join("; ")
}

fn note(picked: &mut Picked, words: String) {
    if !picked.notes.contains(&words) {
        picked.notes.push(words);
    }
}

/// Several measurements of one label get numbers.
fn numbered(label: &str, n: usize, of: usize) -> String {
    match (of, label) {
        (1, label) => label.to_owned(),
        (_, "") => format!("measurement {}", n + 1),
        (_, label) => format!("{label}, measurement {}", n + 1),
    }
}

/// Puts a published table beside the lines.
fn beside(picked: &mut Picked, name: &str) -> Result<(), NoPlot> {
    let table = published::table(name).map_err(NoPlot::Published)?;
    let x = picked.x.name();
    let mut any = false;
    for panel in &mut picked.panels {
        let rows: Vec<&PublishedRow> = table
            .rows
            .iter()
            .filter(|r| r.figure == panel.figure.name())
            .collect();
        for row in rows {
            any |= add(panel, row, &x);
        }
    }
    for line in picked
        .panels
        .iter_mut()
        .flat_map(|panel| &mut panel.published)
    {
        line.spots.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    if !any {
        let has = table.words();
        return Err(NoPlot::Published(format!(
            "{name} has nothing to draw over {x}: it has {has}"
        )));
    }
    picked.source = table.source.clone();
    Ok(())
}

/// The percent of reads of a load that has only one kind of I/O.
fn share_of(line: &str) -> Option<f64> {
    match (line.contains("read"), line.contains("write")) {
        (true, false) => Some(100.0),
        (false, true) => Some(0.0),
        _ => None,
    }
}

fn add(panel: &mut Panel, row: &PublishedRow, x: &str) -> bool {
    let at = match row.at {
        Some(_) if row.x != x => return false,
        Some(at) => at,
        // A figure of reads alone says nothing of mixes: it is at their end.
        None => match share_of(&row.line).filter(|_| x == PlotAxis::Reads.name()) {
            Some(share) => share,
            None => {
                panel.levels.push(PublishedLevel {
                    value: row.value,
                    label: row.line.clone(),
                });
                return true;
            }
        },
    };
    let spot = PlotSpot {
        // A share p of I/Os is drawn at 1/(1-p).
        x: if x == "percentile" {
            1.0 / (1.0 - at / 100.0)
        } else {
            at
        },
        y: row.value,
        bracket: Bracket::Unknown,
        count: 1,
        failed: false,
        tag: String::new(),
    };
    match panel
        .published
        .iter_mut()
        .find(|line| line.label == row.line)
    {
        Some(line) => line.spots.push(spot),
        None => panel.published.push(PlotLine {
            label: row.line.clone(),
            colour: String::new(),
            spots: vec![spot],
            joined: true,
            thin_from: None,
        }),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_what_it_counts() {
        assert_eq!(numbered("depth 64", 0, 1), "depth 64");
        assert_eq!(numbered("depth 64", 1, 2), "depth 64, measurement 2");
        assert_eq!(numbered("", 0, 2), "measurement 1");
    }
}
