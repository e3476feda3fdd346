//! Which points make a line: selection of the data of a chart, without drawing.
//!
//! Two points are on one line when all that was set is equal but what the chart puts along x. Points at one place of one
//! line are repeats: the middle one is drawn, with the lowest and the highest as its interval. Must never: join points
//! that differ in anything else, or leave one out without a note.

use super::axis::PlotAxis;
use super::figure::PlotFigure;
use super::group::{Groups, differing, group, has, names};
use super::observed::{Observed, observed};
use super::published::{self, PublishedLevel, PublishedRow};
use super::request::{NoPlot, PlotX, Request};
use super::spot::{PlotLine, PlotSpot};
use super::timed;
use crate::run::Run;
use crate::summary::percentile::nines;
use crate::summary::{Summary, summarize};
use leadline_model::plan::study::Coordinate;

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
    /// End of the longest warm-up in seconds, over time; 0 = there is none.
    pub warmup_s: f64,
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
    let told_apart = several_workloads(&all);
    let known = differing(&all).0;
    for (axis, text) in &request.only {
        all.retain(|o| o.at.get(axis).is_some_and(|value| axis.is(value, text)));
        if all.is_empty() {
            let what = format!("{} = {text}", axis.name());
            return Err(NoPlot::Nothing {
                what,
                has: has(&known),
            });
        }
    }
    if let PlotX::Setting(axis) = request.x {
        all.retain(|o| o.at.contains_key(&axis));
        if all.is_empty() {
            let what = format!("a value of {}", axis.name());
            return Err(NoPlot::Nothing {
                what,
                has: has(&known),
            });
        }
    }
    let groups = group(&all, request, told_apart)?;
    let mut picked = Picked {
        x: request.x,
        names: names(&all, request.x),
        panels: Vec::new(),
        warmup_s: 0.0,
        common: groups.common.clone(),
        source: String::new(),
        notes: Vec::new(),
    };
    for figure in &request.y {
        let panel = panel(&groups, *figure, (runs, &mut picked));
        picked.panels.push(panel);
    }
    if picked.panels.iter().all(|panel| panel.lines.is_empty()) {
        let what = "enough samples for this figure".to_owned();
        return Err(NoPlot::Nothing {
            what,
            has: has(&known),
        });
    }
    if let Some(name) = &request.published {
        beside(&mut picked, name)?;
    }
    Ok(picked)
}

/// Figures that x does not have.
fn check(request: &Request) -> Result<(), NoPlot> {
    for figure in &request.y {
        let cure = match request.x {
            PlotX::Percentile if *figure != PlotFigure::Latency => {
                "over percentile there is latency"
            }
            PlotX::Time if !figure.has_course() => {
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

/// Whether any stage has several points, whose workloads' names then distinguish them.
fn several_workloads(all: &[Observed<'_>]) -> bool {
    all.iter().any(|o| o.workload.is_some())
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
    for (label, colour, points) in &groups.lines {
        let line = |label: String, spots: Vec<PlotSpot>, thin_from| PlotLine {
            label,
            colour: colour.clone(),
            spots,
            thin_from,
        };
        match picked.x {
            PlotX::Time => {
                for (n, o) in points.iter().enumerate() {
                    let (spots, warm) = timed::course(runs[o.run].1, o, figure);
                    picked.warmup_s = picked.warmup_s.max(warm);
                    let label = numbered(label, n, points.len());
                    panel.lines.push(line(label, spots, None));
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
                let spots = spots(points, figure, picked);
                panel.lines.push(line(label.clone(), spots, None));
            }
        }
    }
    let before = panel.lines.len();
    panel
        .lines
        .retain(|line| line.spots.iter().any(|spot| spot.y.is_finite()));
    let several = |line: &PlotLine| line.spots.len() > 1;
    if picked.names.is_empty() && panel.lines.iter().any(several) {
        let alone = panel.lines.iter().filter(|line| !several(line));
        let alone: Vec<String> = alone.map(|line| line.label.clone()).collect();
        panel.lines.retain(several);
        if !alone.is_empty() {
            note(
                picked,
                format!("left out, with one point only: {}", alone.join("; ")),
            );
        }
    } else if panel.lines.len() < before {
        note(
            picked,
            format!("{}: too few samples on some lines", figure.name()),
        );
    }
    panel
}

fn note(picked: &mut Picked, words: String) {
    if !picked.notes.contains(&words) {
        picked.notes.push(words);
    }
}

/// Several of one label get numbers.
fn numbered(label: &str, n: usize, of: usize) -> String {
    match (of, label) {
        (1, label) => label.to_owned(),
        (_, "") => format!("{}", n + 1),
        (_, label) => format!("{label} ({})", n + 1),
    }
}

/// A point of a line.
#[derive(Clone)]
struct Located {
    x: f64,
    y: super::figure::Known,
    failed: bool,
    /// I/Os in flight, and the rate that was asked for: the most where none was.
    load: (f64, f64),
}

impl Located {
    fn of(o: &Observed<'_>, figure: PlotFigure, picked: &Picked) -> Option<Self> {
        let number = |axis: PlotAxis| o.at.get(&axis).and_then(Coordinate::number);
        let y = figure.of(o.figures, o.queue)?;
        let x = match picked.x {
            PlotX::Setting(axis) => place(o, axis, &picked.names),
            PlotX::Figure(of) => of.of(o.figures, o.queue).map(|known| known.value),
            PlotX::Time | PlotX::Percentile => None,
        };
        Some(Self {
            x: x?,
            y,
            failed: o.failed,
            load: (
                number(PlotAxis::InFlight).unwrap_or(0.0),
                number(PlotAxis::Rate).unwrap_or(f64::INFINITY),
            ),
        })
    }
}

fn spots(points: &[Observed<'_>], figure: PlotFigure, picked: &mut Picked) -> Vec<PlotSpot> {
    let found = points.iter().filter_map(|o| Located::of(o, figure, picked));
    let mut found: Vec<Located> = found.collect();
    let few = points.len() - found.len();
    if few > 0 {
        let points = if few == 1 { "point has" } else { "points have" };
        note(
            picked,
            format!("{}: {few} {points} too few samples, or none", figure.name()),
        );
    }
    if let PlotX::Figure(_) = picked.x {
        return curve(found);
    }
    found.sort_by(|a, b| a.x.total_cmp(&b.x));
    let same = |a: &Located, b: &Located| (a.x - b.x).abs() <= 1e-9 * a.x.abs();
    found.chunk_by(same).map(pooled).collect()
}

/// Points over a figure, in the order of their load: a curve may bend back. Each has its I/Os in flight for a word, where
/// these differ.
fn curve(mut found: Vec<Located>) -> Vec<PlotSpot> {
    let by_load = |a: &Located, b: &Located| {
        let in_flight = a.load.0.total_cmp(&b.load.0);
        in_flight.then(a.load.1.total_cmp(&b.load.1))
    };
    found.sort_by(by_load);
    let differ = found.windows(2).any(|two| two[0].load.0 < two[1].load.0);
    let each = found.chunk_by(|a, b| by_load(a, b).is_eq());
    each.flat_map(|same| {
        // Repeats of one load by what they reached.
        let mut same = same.to_vec();
        same.sort_by(|a, b| a.y.value.total_cmp(&b.y.value));
        same
    })
    .map(|one| PlotSpot {
        tag: match differ {
            true => crate::words::trim_to(one.load.0, 0),
            false => String::new(),
        },
        ..pooled(&[one])
    })
    .collect()
}

fn place(o: &Observed<'_>, axis: PlotAxis, names: &[String]) -> Option<f64> {
    let value = o.at.get(&axis)?;
    if names.is_empty() {
        return value.number();
    }
    let name = axis.words(value);
    let at = names.iter().position(|n| *n == name)?;
    Some(at as f64)
}

/// Points at one place: the middle one, from the lowest to the highest.
fn pooled(same: &[Located]) -> PlotSpot {
    let mut sorted: Vec<&Located> = same.iter().collect();
    sorted.sort_by(|a, b| a.y.value.total_cmp(&b.y.value));
    let middle = sorted[(sorted.len() - 1) / 2];
    let ends = (sorted[0].y.value, sorted[sorted.len() - 1].y.value);
    PlotSpot {
        x: middle.x,
        y: middle.y.value,
        within: match same.len() {
            1 => middle.y.within,
            _ => Some(ends),
        },
        count: same.len(),
        failed: same.iter().any(|one| one.failed),
        tag: String::new(),
    }
}

/// The latency by percentile, x = 1/(1-p).
fn distribution(o: &Observed<'_>) -> (Vec<PlotSpot>, Option<usize>) {
    let latency = o.figures.response();
    let spots = nines(latency).into_iter().map(|(x, y)| PlotSpot {
        x,
        y,
        within: None,
        count: 1,
        failed: o.failed,
        tag: String::new(),
    });
    let spots: Vec<PlotSpot> = spots.collect();
    let thin = spots
        .iter()
        .position(|s| latency.count() as f64 / s.x < 100.0);
    (spots, thin)
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

fn add(panel: &mut Panel, row: &PublishedRow, x: &str) -> bool {
    let Some(at) = row.at else {
        panel.levels.push(PublishedLevel {
            value: row.value,
            label: row.line.clone(),
        });
        return true;
    };
    if row.x != x {
        return false;
    }
    let spot = PlotSpot {
        // A share p of I/Os is drawn at 1/(1-p).
        x: if x == "percentile" {
            1.0 / (1.0 - at / 100.0)
        } else {
            at
        },
        y: row.value,
        within: None,
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
            thin_from: None,
        }),
    }
    true
}
