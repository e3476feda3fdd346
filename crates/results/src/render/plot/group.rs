//! Which points make a line.
//!
//! Belongs here: by which settings lines are told apart, and the labels that follow. Must never: join points that differ
//! in a setting that is not along x.

use super::axis::PlotAxis;
use super::observed::Observed;
use super::request::{MOST_LINES, NoPlot, PlotX, Request};
use leadline_model::plan::study::Coordinate;

/// Axes with their values.
pub(super) type Several = Vec<(PlotAxis, Vec<Coordinate>)>;

/// The axes on which points have several values, with these; and those on which all have one.
pub(super) fn differing(all: &[Observed<'_>]) -> (Several, Vec<(PlotAxis, Coordinate)>) {
    let (mut several, mut one) = (Vec::new(), Vec::new());
    for axis in PlotAxis::all() {
        let mut values: Vec<Option<&Coordinate>> = Vec::new();
        for o in all {
            let value = o.at.get(&axis);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        match values.as_slice() {
            [] | [None] => {}
            [Some(value)] => one.push((axis, (*value).clone())),
            _ => several.push((axis, values.into_iter().flatten().cloned().collect())),
        }
    }
    (several, one)
}

/// Axes and how many values they have, in words.
pub(super) fn has(axes: &[(PlotAxis, Vec<Coordinate>)]) -> String {
    if axes.is_empty() {
        return "a single point".to_owned();
    }
    let each = axes.iter().map(|(axis, values)| {
        let first: Vec<String> = values.iter().take(3).map(|v| axis.words(v)).collect();
        let more = if values.len() > 3 { ", ..." } else { "" };
        format!("{} ({}{more})", axis.name(), first.join(", "))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The points by line.
pub(super) struct Groups<'a> {
    /// Label, colour, points.
    pub(super) lines: Vec<(String, String, Vec<Observed<'a>>)>,
    /// What all points have in common, in words.
    pub(super) common: Vec<String>,
}

/// The points by line.
///
/// # Errors
/// They would be too many to be told apart.
pub(super) fn group<'a>(
    all: &[Observed<'a>],
    request: &Request,
    told_apart: bool,
) -> Result<Groups<'a>, NoPlot> {
    let (several, one) = differing(all);
    let keys = keys(all, &several, request, told_apart);
    let mut lines: Vec<Keyed<'a>> = Vec::new();
    for o in all {
        let key: Vec<_> = keys.iter().map(|axis| o.at.get(axis).cloned()).collect();
        match lines.iter_mut().find(|line| line.0 == key) {
            Some(line) => line.1.push(o.clone()),
            None => lines.push((key, vec![o.clone()])),
        }
    }
    if lines.len() > MOST_LINES {
        let differ = several.into_iter().filter(|(axis, _)| keys.contains(axis));
        let differ: Vec<_> = differ.collect();
        return Err(NoPlot::TooMany {
            lines: lines.len(),
            differ: has(&differ),
        });
    }
    let shown = telling(&keys, &lines, request.by);
    let said = [
        PlotAxis::Run,
        PlotAxis::Reads,
        PlotAxis::Block,
        PlotAxis::Order,
        PlotAxis::Depth,
    ];
    let own = request.x.setting();
    let common = one
        .iter()
        .filter(|(axis, _)| said.contains(axis) && Some(*axis) != own);
    let named = |line| named(&shown, &keys, line);
    Ok(Groups {
        common: common.map(|(axis, value)| axis.words(value)).collect(),
        lines: lines.into_iter().map(named).collect(),
    })
}

/// What distinguishes lines, the axis that colours stand for first.
fn keys(
    all: &[Observed<'_>],
    several: &[(PlotAxis, Vec<Coordinate>)],
    request: &Request,
    told_apart: bool,
) -> Vec<PlotAxis> {
    let own = request.x.setting();
    let named_x = own.filter(|_| !names(all, request.x).is_empty());
    let is_key = |axis: &PlotAxis| {
        if Some(*axis) == own || request.x.along().contains(axis) {
            return false;
        }
        let derived = match axis {
            PlotAxis::Stage | PlotAxis::InFlight | PlotAxis::Repeat => true,
            PlotAxis::Workload => !told_apart,
            other => named_x.is_some_and(|x| follows_from(all, x, *other)),
        };
        !derived || request.by == Some(*axis)
    };
    let mut keys: Vec<PlotAxis> = several.iter().map(|s| s.0).filter(is_key).collect();
    keys.sort_by_key(|axis| Some(*axis) != request.by);
    keys
}

/// Whether each value along x has one value of the axis: it says nothing that the name along x does not.
fn follows_from(all: &[Observed<'_>], x: PlotAxis, axis: PlotAxis) -> bool {
    let mut seen: Vec<(Option<&Coordinate>, Option<&Coordinate>)> = Vec::new();
    all.iter().all(|o| {
        let one = (o.at.get(&x), o.at.get(&axis));
        let before = seen.iter().find(|known| known.0 == one.0);
        let same = before.is_none_or(|known| known.1 == one.1);
        seen.push(one);
        same
    })
}

/// The axes that labels need: the name of a run only where nothing else distinguishes the lines.
fn telling(keys: &[PlotAxis], lines: &[Keyed<'_>], by: Option<PlotAxis>) -> Vec<PlotAxis> {
    let is_run = |axis: &PlotAxis| *axis == PlotAxis::Run;
    let without: Vec<PlotAxis> = keys.iter().copied().filter(|k| !is_run(k)).collect();
    if without.len() == keys.len() || without.is_empty() || by == Some(PlotAxis::Run) {
        return keys.to_vec();
    }
    let part = |line: &Keyed<'_>| -> Vec<Option<Coordinate>> {
        let own = keys.iter().zip(&line.0).filter(|(k, _)| !is_run(k));
        own.map(|(_, value)| value.clone()).collect()
    };
    let parts: Vec<_> = lines.iter().map(part).collect();
    let mut each = parts.iter().enumerate();
    match each.all(|(n, own)| !parts[..n].contains(own)) {
        true => without,
        false => keys.to_vec(),
    }
}

/// The values that distinguish a line, and its points.
type Keyed<'a> = (Vec<Option<Coordinate>>, Vec<Observed<'a>>);

/// A line with its label and colour.
fn named<'a>(
    shown: &[PlotAxis],
    keys: &[PlotAxis],
    (key, points): Keyed<'a>,
) -> (String, String, Vec<Observed<'a>>) {
    let all = keys
        .iter()
        .zip(&key)
        .filter(|(axis, _)| shown.contains(axis));
    let words = all.map(|(axis, value)| match value {
        Some(value) => axis.words(value),
        None => format!("no {}", axis.name()),
    });
    let words: Vec<String> = words.collect();
    let colour = words.first().cloned().unwrap_or_default();
    (words.join(", "), colour, points)
}

/// The names along x where values are no numbers, in the order of the points.
pub(super) fn names(all: &[Observed<'_>], x: PlotX) -> Vec<String> {
    let PlotX::Setting(axis) = x else {
        return Vec::new();
    };
    let values: Vec<&Coordinate> = all.iter().filter_map(|o| o.at.get(&axis)).collect();
    if values.iter().all(|value| value.number().is_some()) {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    for value in values {
        let name = axis.words(value);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
