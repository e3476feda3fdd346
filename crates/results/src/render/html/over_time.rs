//! What several runs did over time: each workload that they have in common with all charts that the page of one run has of
//! it, those of all runs on one chart or beside each other.
//!
//! Belongs here: which workloads belong together, and how many are drawn. Must never: draw work of other settings as if it
//! were the same, or compute a figure.

use super::beside;
use super::named::Wordings;
use super::timeline::{self, ChartDetail};
use super::view::{Detail, Figure};
use crate::compare::called;
use crate::run::{Run, StageRun};
use crate::study::several::Named;
use crate::summary::asked::properties;
use crate::summary::{StageSummary, Summary, WorkloadSummary, planned, summarize};
use crate::words::rate;
use std::collections::BTreeMap;

/// Most workloads that are drawn: the busiest.
const MOST: usize = 32;
/// Bytes of markup that the charts of all may have together: less are drawn of long runs, so that a page stays small.
const MOST_BYTES: usize = 1_300_000;
/// Points of a line where few are drawn. With more each has less.
const MOST_POINTS: usize = 240;
/// Points of all lines of one figure together.
const ALL_POINTS: usize = 240 * 32;

/// A workload of a run.
struct OfRun<'a> {
    /// Which run it is of.
    run: usize,
    stage: &'a StageRun,
    own: &'a WorkloadSummary,
    /// What it is called in its run.
    label: String,
    /// What it did, in words; the label where there are none.
    words: String,
    /// All that has to be equal for its figures to be comparable.
    work: String,
}

/// The workloads of all runs over time, and a sentence where some are left out.
pub(super) fn of_runs(runs: &[Named<'_>]) -> (Vec<Detail>, String) {
    let summaries: Vec<Summary> = runs.iter().map(|named| summarize(named.run)).collect();
    let each = runs.iter().zip(&summaries).enumerate();
    let places: Vec<Vec<OfRun<'_>>> = each
        .map(|(at, (named, summary))| places(at, named.run, summary))
        .collect();
    let mut groups = matched(places);
    distinguish(&mut groups);
    let all = groups.len();
    let ios = |group: &Vec<OfRun<'_>>| -> u64 {
        let each = group.iter();
        each.map(|place| place.own.figures.data.ios).sum()
    };
    // What several runs have comes before what one has.
    let mut sizes: Vec<(usize, u64)> = groups.iter().map(|g| (g.len().min(2), ios(g))).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let least = sizes.get(MOST).copied().unwrap_or_default();
    groups.retain(|group| (group.len().min(2), ios(group)) > least);
    let drawn: usize = groups.iter().map(Vec::len).sum();
    let points = (ALL_POINTS / drawn.max(1)).clamp(60, MOST_POINTS);
    let of_each = ChartDetail::of(points, drawn);
    let mut details = Vec::new();
    let mut bytes = 0;
    for (number, group) in groups.iter().enumerate() {
        let one = detail(number, group, runs, of_each);
        bytes += one.figures.iter().map(size).sum::<usize>();
        if bytes > MOST_BYTES && !details.is_empty() {
            break;
        }
        details.push(one);
    }
    let note = match all > details.len() {
        true => format!(
            "{} of {all} workloads have charts here: first those that several runs have, then those with the most I/Os. The page \
             of each run has charts of more.",
            details.len()
        ),
        false => String::new(),
    };
    (details, note)
}

/// Bytes that a chart has on the page.
fn size(figure: &Figure) -> usize {
    figure.svg.len() + figure.plot.len() + figure.caption.len()
}

/// The workloads of a run that did something.
fn places<'a>(at: usize, run: &'a Run, summary: &'a Summary) -> Vec<OfRun<'a>> {
    let wordings = &Wordings::of(run, summary);
    let each = |stage: &'a StageSummary| {
        let plan = planned(run, stage.stage)?;
        let part = run.stages.iter().find(|one| one.stage == stage.stage)?;
        let own = stage.workloads.iter().filter(|own| {
            let has_io = own.figures.ops.iter().any(|(_, f)| f.ios > 0);
            has_io && !own.series.is_empty()
        });
        Some(own.map(move |own| {
            let work = plan.workloads.get(own.workload as usize);
            // A point by what distinguishes it from others of the same I/O, as its name is a code.
            let point = wordings.get(stage, own);
            let words = match point.code.is_empty() {
                true => work.map(|work| called::workload(run, plan, work, own)),
                false => Some(point.name),
            };
            let mut work = work.map(|plan| properties(plan, own)).unwrap_or_default();
            work.retain(|property, _| property.must_be_equal());
            OfRun {
                run: at,
                stage: part,
                own,
                label: own.label.clone(),
                words: words
                    .filter(|words| !words.is_empty())
                    .unwrap_or_else(|| own.label.clone()),
                work: format!("{work:?}"),
            }
        }))
    };
    summary.stages.iter().filter_map(each).flatten().collect()
}

/// The workloads of one name that did the same; of the others those that alone did the same; of the rest each by itself.
fn matched(runs: Vec<Vec<OfRun<'_>>>) -> Vec<Vec<OfRun<'_>>> {
    let mut groups: Vec<Vec<OfRun<'_>>> = Vec::new();
    for run in runs {
        let mut works: BTreeMap<String, usize> = BTreeMap::new();
        for place in &run {
            *works.entry(place.work.clone()).or_default() += 1;
        }
        let known = groups.len();
        for place in run {
            let is_alone = works.get(&place.work) == Some(&1);
            let same = |of: &&mut Vec<OfRun<'_>>| of[0].work == place.work;
            let named = groups[..known].iter_mut().filter(same);
            let named = named.into_iter().find(|of| of[0].label == place.label);
            if let Some(group) = named {
                group.push(place);
                continue;
            }
            let mut others: Vec<_> = groups[..known].iter_mut().filter(same).collect();
            match others.as_mut_slice() {
                [one] if is_alone => one.push(place),
                _ => groups.push(vec![place]),
            }
        }
    }
    groups
}

/// Where several have the same words, each has its name after these.
fn distinguish(groups: &mut [Vec<OfRun<'_>>]) {
    let key = |group: &[OfRun<'_>]| {
        let runs = group.iter().map(|place| place.run).collect::<Vec<_>>();
        (group[0].words.clone(), runs)
    };
    let all: Vec<_> = groups.iter().map(|group| key(group)).collect();
    for group in groups {
        let own = key(group);
        if all.iter().filter(|one| **one == own).count() > 1 {
            let first = &mut group[0];
            if first.words != first.label {
                first.words = format!("{} ({})", first.words, first.label);
            }
        }
    }
}

/// A workload over time, under its name, with the names of the runs where these are not all.
fn detail(number: usize, group: &[OfRun<'_>], runs: &[Named<'_>], of_each: ChartDetail) -> Detail {
    let names: Vec<&str> = group.iter().map(|p| runs[p.run].name.as_str()).collect();
    let name = match group.len() == runs.len() {
        true => group[0].words.clone(),
        false => format!("{} ({})", group[0].words, names.join(", ")),
    };
    let short = group.iter().zip(&names);
    let short = short.map(|(p, name)| format!("{name} {} IOPS", rate(p.own.figures.data.iops)));
    let id = format!("over-time-{number}");
    let each = group.iter().map(|place| {
        let figures = timeline::figures(&id, place.stage, place.own, of_each);
        (place.run, runs[place.run].name.as_str(), figures)
    });
    let each: Vec<(usize, &str, Vec<Figure>)> = each.collect();
    Detail {
        name,
        short: short.collect::<Vec<_>>().join("; "),
        figures: beside::figures(&id, &each),
        facts: Vec::new(),
        is_result: true,
        id: id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::render::html::view::Picture;
    use crate::study::several::named;
    use leadline_model::op::Op;
    use leadline_model::plan::OpMix;

    /// A run with these workloads: name and depth.
    fn run(workloads: &[(&str, u32)]) -> Run {
        let each = workloads.iter();
        let own: Vec<_> = each
            .map(|(name, depth)| fixture::workload(name, OpMix::reads(), 4096, *depth, 10))
            .collect();
        let loads = vec![Load::simple(Op::Read, 4000, 4096, 200_000, 10); own.len()];
        let plan = fixture::plan(vec![("s", own)]);
        fixture::run_of(&fixture::events_of(plan, &[loads]))
    }

    fn details_of(runs: &[Run]) -> Vec<Detail> {
        let each = runs.iter().enumerate();
        let known: Vec<_> = each
            .map(|(n, run)| (Some(format!("r{n}")), String::new(), run))
            .collect();
        of_runs(&named(&known)).0
    }

    fn lines_of(figure: &crate::render::html::view::Figure) -> Vec<String> {
        match &figure.picture {
            Picture::Lines(chart, _) => chart.series.iter().map(|s| s.label.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// What the page of one run has of a workload: lines of both on one chart, maps under each other's names.
    #[test]
    fn a_workload_that_two_runs_have_has_all_charts_that_each_page_has_of_it() {
        let runs = [run(&[("a", 4), ("b", 8)]), run(&[("a", 4), ("b", 8)])];
        let found = details_of(&runs);
        let names: Vec<&str> = found.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let titles: Vec<&str> = found[0].figures.iter().map(|f| f.title.as_str()).collect();
        let wanted = [
            "IOPS over time",
            "Latency over time",
            "r0: Latency heat map",
            "r1: Latency heat map",
            "Latency by percentile",
        ];
        assert_eq!(titles, wanted);
        let each = found[0].figures.iter().map(lines_of);
        let lines: Vec<Vec<String>> = each.filter(|lines| !lines.is_empty()).collect();
        assert_eq!(lines[0], ["r0", "r1"]);
        let latencies = ["r0 p50", "r0 p99", "r0 max", "r1 p50", "r1 p99", "r1 max"];
        assert_eq!(lines[1], latencies);
        assert_eq!(lines[2], ["r0", "r1"]);
        let summary = summarize(&runs[0]);
        let alone = super::super::tables::details(&runs[0], &summary).0;
        for figure in &alone[0].figures {
            let is_there = titles.iter().any(|title| title.ends_with(&figure.title));
            assert!(is_there, "{}", figure.title);
        }
    }

    /// Long runs of many workloads: what is drawn stays below the size of a page, and the page says that it is not all.
    #[test]
    fn charts_of_many_long_workloads_are_bounded_and_a_note_says_so() {
        let long = || {
            let own: Vec<_> = (0..40)
                .map(|n| fixture::workload(&format!("w{n}"), OpMix::reads(), 4096, n + 1, 60))
                .collect();
            let each = (0..40).map(|n| Load::simple(Op::Read, 4000 + n, 4096, 200_000 + n, 60));
            let plan = fixture::plan(vec![("s", own)]);
            fixture::run_of(&fixture::events_of(plan, &[each.collect()]))
        };
        let runs = [long(), long()];
        let known = [0, 1].map(|n| (Some(format!("r{n}")), String::new(), &runs[n]));
        let (details, note) = of_runs(&named(&known));
        let bytes: usize = details.iter().flat_map(|d| &d.figures).map(size).sum();
        assert!(bytes <= MOST_BYTES, "{bytes}");
        assert!(details.len() > 8, "{}", details.len());
        let words = format!("{} of 40 workloads have charts here:", details.len());
        assert!(note.starts_with(&words), "{note}");
    }

    #[test]
    fn work_of_another_depth_is_not_drawn_with_it_though_it_has_the_name() {
        let found = details_of(&[run(&[("a", 4)]), run(&[("a", 8)])]);
        let names: Vec<&str> = found.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["a (r0)", "a (r1)"]);
        assert_eq!(found[1].figures[0].title, "r1: IOPS over time");
    }

    #[test]
    fn the_same_work_under_another_name_is_drawn_with_it() {
        let found = details_of(&[run(&[("a", 4), ("b", 8)]), run(&[("x", 8), ("y", 4)])]);
        let names: Vec<&str> = found.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(lines_of(&found[0].figures[0]), ["r0", "r1"]);
    }

    #[test]
    fn of_many_runs_each_chart_has_the_first() {
        let runs: Vec<Run> = (0..9).map(|_| run(&[("a", 4)])).collect();
        let found = details_of(&runs);
        let rates = found[0]
            .figures
            .iter()
            .filter(|f| f.title.starts_with("IOPS"));
        let lines: Vec<Vec<String>> = rates.map(lines_of).collect();
        assert_eq!(
            lines,
            [
                vec!["r0", "r1", "r2", "r3", "r4"],
                vec!["r0", "r5", "r6", "r7", "r8"]
            ]
        );
        let tails = found[0].figures.iter();
        let tails = tails.filter(|f| f.title.starts_with("Latency over time"));
        assert_eq!(tails.count(), 8, "each other one beside the first");
    }
}
