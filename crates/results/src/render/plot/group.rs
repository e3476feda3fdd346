//! Which points make a line.
//!
//! Belongs here: by which settings lines are distinguished, and the labels that follow. Must never: join points that differ
//! in a setting that is not along x.

use super::axis::PlotAxis;
use super::observed::Observed;
use super::request::{PlotX, Request};
use super::walk::{goes_one_way, is_open, number};
use leadline_model::plan::study::Coordinate;
use std::collections::BTreeMap;

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
    /// The lines.
    pub(super) lines: Vec<NamedLine<'a>>,
    /// What all points have in common, in words.
    pub(super) common: Vec<String>,
    /// The axes that lines differ in, with their values.
    pub(super) differ: Several,
    /// Each run has one place along x: their points make lines.
    pub(super) are_points: bool,
}

/// The points by line.
pub(super) fn group<'a>(all: &[Observed<'a>], request: &Request) -> Groups<'a> {
    let (several, one) = differing(all);
    let mut keys = keys(all, &several, request);
    let apart = grid(all, &mut keys, request.x);
    let key = |o| key(o, &keys, request.x, &apart);
    let mut values: Vec<LineKey> = all.iter().map(key).collect();
    // Workloads that do the same side by side are distinguished by their names.
    if !keys.contains(&PlotAxis::Workload) {
        let names = workloads(all, &values);
        if names.iter().any(Option::is_some) {
            keys.push(PlotAxis::Workload);
            values
                .iter_mut()
                .zip(names)
                .for_each(|(key, name)| key.push(name));
        }
    }
    let mut lines: Vec<KeyedLine<'a>> = Vec::new();
    for (o, key) in all.iter().zip(values) {
        match lines.iter_mut().find(|line| line.0 == key) {
            Some(line) => line.1.push(o.clone()),
            None => lines.push((key, vec![o.clone()])),
        }
    }
    let shown = distinguishing(&keys, &lines, request.by);
    let said = [
        PlotAxis::Run,
        PlotAxis::Reads,
        PlotAxis::Block,
        PlotAxis::Order,
        PlotAxis::Depth,
    ];
    let own = request.x.setting();
    let common = one.iter().filter(|(axis, value)| {
        let is_said = said.contains(axis) && Some(*axis) != own;
        is_said && !(*axis == PlotAxis::Run && is_counted(&axis.words(value)))
    });
    let differ = several.into_iter().filter(|(axis, _)| keys.contains(axis));
    Groups {
        common: common.map(|(axis, value)| axis.words(value)).collect(),
        differ: differ.collect(),
        are_points: are_points(all, request.x) && request.by != Some(PlotAxis::Run),
        lines: all_named(&shown, &keys, &lines),
    }
}

/// Whether a name is the first of several and how many more there are, as jobs without a title are called: what is drawn
/// may be others of them.
fn is_counted(name: &str) -> bool {
    let count = name
        .strip_suffix(" more")
        .and_then(|name| name.rsplit_once(" and "));
    count.is_some_and(|(_, count)| count.parse::<usize>().is_ok())
}

/// Rates that are asked for: one of them along x follows from x, whatever it is called.
const RATES: [PlotAxis; 3] = [PlotAxis::Rate, PlotAxis::ReadRate, PlotAxis::WriteRate];

/// What a closed loop is walked along.
const DEPTHS: [PlotAxis; 2] = [PlotAxis::Depth, PlotAxis::Jobs];

/// Whether a rate is that of the point itself, as another along x is: of reads that of reads, not an equal one of writes.
fn is_own(o: &Observed<'_>, axis: PlotAxis, x: PlotAxis) -> bool {
    let reads = number(o, PlotAxis::Reads);
    match (x, axis) {
        (PlotAxis::Rate, PlotAxis::ReadRate) => reads != Some(0.0),
        (PlotAxis::Rate, PlotAxis::WriteRate) => reads != Some(100.0),
        (PlotAxis::ReadRate | PlotAxis::WriteRate, PlotAxis::Rate) => true,
        _ => false,
    }
}

/// What else than x distinguishes lines, as more than one load has the same place along x: then a line along x would join what
/// differs in two settings. These are keys from then on.
fn grid(all: &[Observed<'_>], keys: &mut Vec<PlotAxis>, x: PlotX) -> Vec<PlotAxis> {
    let mut apart = Vec::new();
    for axis in [
        PlotAxis::Part,
        PlotAxis::Jobs,
        PlotAxis::Hosts,
        PlotAxis::Depth,
    ] {
        let mut lines: Vec<(LineKey, Vec<Observed<'_>>)> = Vec::new();
        for o in all {
            let own = key(o, keys, x, &apart);
            match lines.iter_mut().find(|line| line.0 == own) {
                Some(line) => line.1.push(o.clone()),
                None => lines.push((own, vec![o.clone()])),
            }
        }
        let is_grid = |points: &[Observed<'_>]| match x {
            _ if axis == PlotAxis::Part => stages_differ_in_part(points, x),
            PlotX::Setting(x) if x != axis => !follows_from(points, x, axis),
            PlotX::Figure(_) if axis == PlotAxis::Jobs => !depths_go_one_way(points),
            _ => false,
        };
        if lines.iter().any(|line| is_grid(&line.1)) {
            apart.push(axis);
            if !keys.contains(&axis) {
                keys.push(axis);
            }
        }
    }
    apart
}

/// A stage's place along x, and the parts of the targets that it uses.
type PartsAt<'a> = (Option<&'a Coordinate>, Vec<&'a Coordinate>);

/// Whether two stages at one place along x use other parts of the targets than each other: over a figure, of one number
/// of I/Os in flight. Workloads side by side in one stage have their names.
fn stages_differ_in_part(points: &[Observed<'_>], x: PlotX) -> bool {
    let along = x.setting().unwrap_or(PlotAxis::InFlight);
    let mut stages: BTreeMap<(usize, usize), PartsAt<'_>> = BTreeMap::new();
    for o in points {
        let own = stages.entry((o.run, o.stage));
        let own = own.or_insert((o.at.get(&along), Vec::new()));
        own.1.extend(o.at.get(&PlotAxis::Part));
    }
    let all: Vec<_> = stages.into_values().collect();
    let differ =
        |one: &[&Coordinate], other: &[&Coordinate]| one.iter().any(|p| !other.contains(p));
    all.iter().any(|(x, parts)| {
        all.iter()
            .any(|other| other.0 == *x && differ(parts, &other.1))
    })
}

/// Whether with more workers no closed loop had less depth.
fn depths_go_one_way(points: &[Observed<'_>]) -> bool {
    let closed = points.iter().filter(|o| !is_open(o));
    let pairs = closed.filter_map(|o| Some((number(o, DEPTHS[1])?, number(o, DEPTHS[0])?)));
    goes_one_way(&pairs.collect::<Vec<_>>())
}

/// What distinguishes a point from those of other lines.
fn key(o: &Observed<'_>, keys: &[PlotAxis], x: PlotX, apart: &[PlotAxis]) -> LineKey {
    let along = x.setting().and_then(|x| o.at.get(&x));
    // Over a figure a closed loop goes from depth to depth, an open one from rate to rate.
    let is_walked = matches!(x, PlotX::Figure(_)) && !is_open(o);
    let value = |axis: &PlotAxis| {
        let value = o.at.get(axis)?;
        let is_load = DEPTHS.contains(axis) && !apart.contains(axis);
        let follows = Some(value) == along && x.setting().is_some_and(|x| is_own(o, *axis, x));
        (!(follows || is_walked && is_load)).then(|| value.clone())
    };
    keys.iter().map(value).collect()
}

/// The names of the workloads where points that are alike were measured together; where no name is in two stages, their
/// places in the stage, as the names are then those of points.
fn workloads(all: &[Observed<'_>], keys: &[LineKey]) -> Vec<Option<Coordinate>> {
    let mut names = vec![None; all.len()];
    let mut alike: Vec<(&LineKey, Vec<usize>)> = Vec::new();
    for (n, key) in keys.iter().enumerate() {
        match alike.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.push(n),
            None => alike.push((key, vec![n])),
        }
    }
    for (_, members) in alike {
        let stage = |n: usize| (all[n].run, all[n].stage);
        let mut stages: BTreeMap<(usize, usize), Option<u32>> = BTreeMap::new();
        let mut named: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let (mut together, mut again) = (false, false);
        for &n in &members {
            let own = stages.entry(stage(n)).or_insert(all[n].workload);
            together |= *own != all[n].workload;
            let known = named.entry(&all[n].own_name).or_insert(stage(n));
            again |= *known != stage(n);
        }
        for n in members.into_iter().filter(|_| together) {
            let name = match again || stages.len() == 1 {
                true => all[n].own_name.clone(),
                false => format!("workload {}", all[n].workload.unwrap_or(0) + 1),
            };
            names[n] = Some(Coordinate::Text(name));
        }
    }
    names
}

/// What distinguishes lines, the axis that colours stand for first.
fn keys(
    all: &[Observed<'_>],
    several: &[(PlotAxis, Vec<Coordinate>)],
    request: &Request,
) -> Vec<PlotAxis> {
    let own = request.x.setting();
    let named_x = own.filter(|_| !names(all, request.x).is_empty());
    let is_key = |axis: &PlotAxis| {
        if Some(*axis) == own || request.x.along().contains(axis) {
            return false;
        }
        let derived = match axis {
            PlotAxis::Stage | PlotAxis::InFlight | PlotAxis::Repeat | PlotAxis::Workload => true,
            // A key where one place along x has several parts, see `grid`.
            PlotAxis::Part => true,
            PlotAxis::Round => counts_points(all, own),
            PlotAxis::Run if are_points(all, request.x) => true,
            other => named_x.is_some_and(|x| follows_from(all, x, *other)),
        };
        !derived || request.by == Some(*axis)
    };
    let mut keys: Vec<PlotAxis> = several.iter().map(|s| s.0).filter(is_key).collect();
    keys.sort_by_key(|axis| Some(*axis) != request.by);
    keys
}

/// Whether a round is the number of a point, of points that differ along x: then it says nothing else.
fn counts_points(all: &[Observed<'_>], x: Option<PlotAxis>) -> bool {
    let Some(x) = x else { return false };
    let mut stages: Vec<(Option<&Coordinate>, usize, usize)> = Vec::new();
    let is_own = all.iter().all(|o| {
        let round = o.at.get(&PlotAxis::Round);
        let place = (round, o.run, o.stage);
        let other = stages
            .iter()
            .any(|s| s.0 == round && s.1 == o.run && s.2 != o.stage);
        stages.push(place);
        !other
    });
    is_own
        && all
            .windows(2)
            .any(|two| two[0].at.get(&x) != two[1].at.get(&x))
}

/// Whether each run has one place along x, and no other run has the same: then what differs between them is what stands
/// along x, and their points make a line. Over a figure a place is a number of I/Os in flight.
fn are_points(all: &[Observed<'_>], x: PlotX) -> bool {
    let axis = match x {
        PlotX::Setting(PlotAxis::Run) | PlotX::Time | PlotX::Percentile => return false,
        PlotX::Setting(axis) => axis,
        PlotX::Figure(_) => PlotAxis::InFlight,
    };
    let mut places: BTreeMap<usize, Option<&Coordinate>> = BTreeMap::new();
    let is_one = all.iter().all(|o| {
        let own = o.at.get(&axis);
        own.is_some() && *places.entry(o.run).or_insert(own) == own
    });
    let values: Vec<&Option<&Coordinate>> = places.values().collect();
    let differ = |(n, value): (usize, &&Option<&Coordinate>)| !values[..n].contains(value);
    is_one && values.len() > 1 && values.iter().enumerate().all(differ)
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
fn distinguishing(
    keys: &[PlotAxis],
    lines: &[KeyedLine<'_>],
    by: Option<PlotAxis>,
) -> Vec<PlotAxis> {
    let is_run = |axis: &PlotAxis| *axis == PlotAxis::Run;
    let without: Vec<PlotAxis> = keys.iter().copied().filter(|k| !is_run(k)).collect();
    if without.len() == keys.len() || without.is_empty() || by == Some(PlotAxis::Run) {
        return keys.to_vec();
    }
    let part = |line: &KeyedLine<'_>| -> Vec<Option<Coordinate>> {
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

/// The values that distinguish a line.
type LineKey = Vec<Option<Coordinate>>;

/// These, and its points.
type KeyedLine<'a> = (LineKey, Vec<Observed<'a>>);

/// Label, colour, points.
type NamedLine<'a> = (String, String, Vec<Observed<'a>>);

/// All lines: what some have no value of is said only where nothing else distinguishes them.
fn all_named<'a>(
    shown: &[PlotAxis],
    keys: &[PlotAxis],
    lines: &[KeyedLine<'a>],
) -> Vec<NamedLine<'a>> {
    let named = |is_brief| {
        lines
            .iter()
            .map(move |line| named(shown, keys, line, is_brief))
    };
    let brief: Vec<NamedLine<'a>> = named(true).collect();
    let mut each = brief.iter().enumerate();
    match each.all(|(n, line)| !brief[..n].iter().any(|other| other.0 == line.0)) {
        true => brief,
        false => named(false).collect(),
    }
}

/// A line with its label and colour.
fn named<'a>(
    shown: &[PlotAxis],
    keys: &[PlotAxis],
    (key, points): &KeyedLine<'a>,
    is_brief: bool,
) -> NamedLine<'a> {
    let all = keys
        .iter()
        .zip(key)
        .filter(|(axis, _)| shown.contains(axis));
    let words = all.filter_map(|(axis, value)| match value {
        Some(value) => Some(axis.words(value)),
        None if RATES.contains(axis) || DEPTHS.contains(axis) => None,
        None if *axis == PlotAxis::Workload => None,
        None if is_brief => None,
        None => Some(format!("no {}", axis.name())),
    });
    // A share of reads is also a kind: what is said once is enough.
    let mut said: Vec<String> = Vec::new();
    for word in words {
        if !said.contains(&word) {
            said.push(word);
        }
    }
    let words = said;
    let colour = words.first().cloned().unwrap_or_default();
    (words.join(", "), colour, points.clone())
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
