//! The text below a chart of several runs.
//!
//! Belongs here: the captions of each run as one, without repeating. Must never: draw, or compute a figure.

use super::view::{Figure, Picture};
use crate::render::svg::{Chart, Mark, MarkerFill, Shape};
use crate::summary::names::in_short;

/// A chart of a run: its place among the runs, the run's name, the chart.
pub(super) type Own<'a> = (usize, &'a str, &'a Figure);

/// The text below the chart of all: what was said at each, once where that is the same.
pub(super) fn caption(all: &[Own<'_>], chart: &Chart) -> String {
    if all
        .iter()
        .any(|own| matches!(own.2.picture, Picture::Bars(_)))
    {
        return format!("{}.", chart.description);
    }
    let without = [without(all), unmarked(all, chart)];
    let mut captions: Vec<(String, String)> = Vec::new();
    for (_, name, figure) in all {
        let said = figure.said();
        match captions.iter_mut().find(|known| known.1 == said) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => captions.push(((*name).to_owned(), said)),
        }
    }
    let said = match captions.as_slice() {
        [] => String::new(),
        [(_, same)] => same.clone(),
        several => said_by_each(several),
    };
    let said = [said].into_iter().chain(without);
    let said = said.filter(|words| !words.is_empty());
    said.collect::<Vec<_>>().join(" ")
}

/// What is inside the markers of a run on a chart of `runs`: the same on all charts of a page. Of many, where each has one
/// line alone, three in turn have the same, and a dash and a shape of their own.
pub(super) const fn fill_of(place: usize, single: bool, runs: usize) -> MarkerFill {
    let many = runs > MarkerFill::COUNT;
    MarkerFill::of(if single && many { place / 3 } else { place })
}

/// What is inside the markers of each run; empty where that of all is the same.
pub(super) fn markers(all: &[Own<'_>], chart: &Chart) -> String {
    let mut marked = chart.series.iter();
    let is_marked = |shape: Shape| shape == Shape::Marked || shape.is_apart();
    if marked.all(|one| one.fill == MarkerFill::Full || !is_marked(one.shape)) {
        return String::new();
    }
    let single = chart.series.len() == all.len();
    let mut said: Vec<(MarkerFill, Vec<&str>)> = Vec::new();
    for (place, name, _) in all {
        let fill = fill_of(*place, single, all.len());
        match said.iter_mut().find(|known| known.0 == fill) {
            Some(known) => known.1.push(name),
            None => said.push((fill, vec![*name])),
        }
    }
    let each = said.iter().enumerate().map(|(at, (fill, names))| {
        let verb = if at == 0 { "are " } else { "" };
        format!("of {} {verb}{}", names.join(", "), fill.word())
    });
    format!("Markers {}.", each.collect::<Vec<_>>().join(", "))
}

/// What is said of each run under its name, then the sentences that are said of all.
fn said_by_each(captions: &[(String, String)]) -> String {
    let sentences = |own: &String| -> Vec<String> {
        let all = own
            .split_inclusive(". ")
            .map(|words| words.trim().to_owned());
        all.filter(|words| !words.is_empty()).collect()
    };
    let all: Vec<Vec<String>> = captions.iter().map(|(_, own)| sentences(own)).collect();
    let is_shared = |words: &String| all.iter().all(|own| own.contains(words));
    let own = captions.iter().zip(&all).filter_map(|((name, _), all)| {
        let own: Vec<&str> = (all.iter().filter(|words| !is_shared(words)))
            .map(String::as_str)
            .collect();
        (!own.is_empty()).then(|| format!("{name}: {}", own.join(" ")))
    });
    let shared = all.first().into_iter().flatten();
    let shared = shared.filter(|words| is_shared(words)).cloned();
    own.chain(shared).collect::<Vec<_>>().join(" ")
}

/// Which lines of others a run does not have, in words.
fn without(all: &[Own<'_>]) -> String {
    let lines = |figure: &Figure| match &figure.picture {
        Picture::Lines(chart, _) => chart.series.iter().map(|s| s.label.clone()).collect(),
        _ => Vec::new(),
    };
    let mut labels: Vec<String> = Vec::new();
    for label in all.iter().flat_map(|own| lines(own.2)) {
        if !label.is_empty() && !labels.contains(&label) {
            labels.push(label);
        }
    }
    let each = all.iter().filter_map(|(_, name, figure)| {
        let own = lines(figure);
        let missing: Vec<&str> = labels
            .iter()
            .filter(|label| !own.contains(label))
            .map(String::as_str)
            .collect();
        (own.len() > 1 && !missing.is_empty())
            .then(|| format!("{name} has no line for {}.", missing.join(", ")))
    });
    each.collect::<Vec<_>>().join(" ")
}

/// Which vertical marks of a run the chart of all does not have, in words.
fn unmarked(all: &[Own<'_>], chart: &Chart) -> String {
    let is_drawn = |called: &String| {
        let mut marks = chart.marks.iter();
        marks.any(|mark| matches!(mark, Mark::At(_, words) if words == called))
    };
    let mut missing: Vec<String> = Vec::new();
    for (_, name, figure) in all {
        let Picture::Lines(own, _) = &figure.picture else {
            continue;
        };
        for mark in &own.marks {
            let Mark::At(x, words) = mark else { continue };
            let called = format!("{name}: {words}");
            if !words.is_empty() && !is_drawn(&called) {
                // One that is a number says where it is.
                missing.push(match words.contains('=') {
                    true => called,
                    false => format!("{called} at {}", own.x.unit.text(*x)),
                });
            }
        }
    }
    let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
    match missing.is_empty() {
        true => String::new(),
        false => format!("Not marked, for lack of room: {}.", in_short(missing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_several_runs_is_said_once() {
        let captions = [
            ("a, c", "N* = 7.9: it. Most wait. The band."),
            ("b", "N* = 9.1: it. Most wait. The band."),
        ];
        let captions = captions.map(|(names, said)| (names.to_owned(), said.to_owned()));
        assert_eq!(
            said_by_each(&captions),
            "a, c: N* = 7.9: it. b: N* = 9.1: it. Most wait. The band."
        );
    }
}
