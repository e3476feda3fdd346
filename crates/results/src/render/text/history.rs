//! A history for the terminal: a table for each target and work, the changes in their places.
//!
//! Belongs here: which runs of many are shown, and words. Must never: compute a change.

use super::Style;
use super::table::{Align, Table, spark};
use crate::history::{History, Metric, MetricHistory, PastRun, TargetRuns};
use crate::stats::divisive::ChangePoint;
use crate::store::RunHead;
use crate::words::{mib_per_s, rate, span, trim_to};
use leadline_model::event::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Of more runs than this, those in the middle of a level are counted.
const MOST_ROWS: usize = 24;
/// The last ones are always shown.
const LAST: usize = 10;
/// Runs in a row of bars.
const MOST_BARS: usize = 60;
const HEADS: [&str; 8] = ["date", "grade", "IOPS", "MiB/s", "p50", "p99", "run", ""];

/// Text of a time, milliseconds since 1970 UTC, in the reader's zone.
pub type When<'a> = &'a dyn Fn(u64) -> String;

/// All groups, then the files without figures.
#[must_use]
pub fn history(history: &History, style: &Style, when: When<'_>) -> String {
    let groups = history.groups.iter().map(|g| group(g, *style, when));
    let mut texts: Vec<String> = groups.collect();
    if !history.others.is_empty() {
        let lines = history.others.iter().map(|head| other(head, when));
        texts.push(format!(
            "{}\n{}",
            style.bold("without figures"),
            lines.collect::<String>()
        ));
    }
    texts.join("\n")
}

fn group(group: &TargetRuns, style: Style, when: When<'_>) -> String {
    let mut title = vec![group.targets.as_str(), group.work.as_str()];
    title.retain(|part| !part.is_empty());
    let mut out = format!("{}\n", style.bold(&title.join(": ")));
    let of: Vec<&str> = [&group.title, &group.stage, &group.hosts]
        .into_iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    let _ = writeln!(out, "  {}", style.quiet(&of.join(", ")));
    if group.has_other_settings {
        let other =
            "another group has other settings: `leadline compare` of a run of each says which";
        let _ = writeln!(out, "  {}", style.quiet(other));
    }
    let shown = shown(group);
    let (changes, rows) = (changes(group), lines(group, &shown, style, when));
    let mut rows = rows.iter();
    let mut push = |line: &str| {
        let _ = writeln!(out, "  {line}");
    };
    rows.next().into_iter().for_each(|head| push(head));
    let mut next = 0;
    for (place, row) in shown.iter().zip(rows) {
        if *place > next {
            push(&format!("... {} more", place - next));
        }
        if let Some(words) = changes.get(place) {
            push(&format!("-- from here: {words}"));
        }
        push(row);
        next = place + 1;
    }
    for line in summary(group, style, when) {
        push(&line);
    }
    out
}

/// The runs that are shown, by their index: all, or those beside a change, those that stand alone, the first and the last.
fn shown(group: &TargetRuns) -> BTreeSet<usize> {
    let count = group.runs.len();
    if count <= MOST_ROWS {
        return (0..count).collect();
    }
    let changes = group.metrics.iter().flat_map(|c| &c.changes);
    let beside = changes.flat_map(|c| [c.at.saturating_sub(1), c.at]);
    let alone = group.metrics.iter().flat_map(|c| c.alone.iter().copied());
    let tagged = (0..count).filter(|i| group.runs[*i].head.tag.is_some());
    let ends = (count - LAST..count).chain([0]);
    beside.chain(alone).chain(tagged).chain(ends).collect()
}

/// The lines of the table, the heads first.
fn lines(group: &TargetRuns, shown: &BTreeSet<usize>, style: Style, when: When<'_>) -> Vec<String> {
    let rows: Vec<[String; 8]> = shown.iter().map(|i| row(group, *i, when)).collect();
    let mut table = Table::default();
    table.push(HEADS.map(str::to_owned).to_vec());
    // The indent and the gaps between eight columns.
    let others = |row: &[String; 8]| -> usize {
        let cells = row.iter().enumerate().filter(|(c, _)| *c != 6);
        cells.map(|(_, cell)| cell.chars().count() + 2).sum()
    };
    let taken = rows.iter().map(others).max().unwrap_or(0) + 2;
    let most = style.width.saturating_sub(taken).max(20);
    for mut row in rows {
        row[6] = style.cut(&row[6], most);
        table.push(row.to_vec());
    }
    let align = |c| {
        if (2..6).contains(&c) {
            Align::Right
        } else {
            Align::Left
        }
    };
    let paint = |r, _, cell: &str| match r {
        0 => style.quiet(cell),
        _ => cell.to_owned(),
    };
    table
        .draw(&align, &paint)
        .lines()
        .map(str::to_owned)
        .collect()
}

fn row(group: &TargetRuns, i: usize, when: When<'_>) -> [String; 8] {
    let PastRun { head, point } = &group.runs[i];
    let time = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), |ns| span(ns as f64));
    let grade = Some(head.grade.as_str()).filter(|grade| !grade.is_empty());
    [
        when(head.wall_ms),
        grade.unwrap_or("-").to_owned(),
        rate(point.iops),
        mib_per_s(point.bytes_per_s),
        time(point.p50_ns),
        time(point.p99_ns),
        head.path.display().to_string(),
        notes(group, i).join("; "),
    ]
}

/// What else there is to say of a run.
fn notes(group: &TargetRuns, i: usize) -> Vec<String> {
    let run = &group.runs[i];
    let mut notes: Vec<String> = Vec::new();
    notes.extend(run.head.tag.as_ref().map(|tag| format!("[{tag}]")));
    match &run.head.outcome {
        Some(Outcome::Complete) if run.counts() => {}
        Some(Outcome::Complete) => notes.push("not compared".to_owned()),
        _ => notes.push(format!("{}, not compared", state(&run.head))),
    }
    let alone = group.metrics.iter().filter(|c| c.alone.contains(&i));
    let names: Vec<&str> = alone.map(|c| c.metric.name()).collect();
    if !names.is_empty() {
        let last = (i + 1..group.runs.len()).all(|i| !group.runs[i].counts());
        let next = if last {
            "; another run shows whether it lasts"
        } else {
            ""
        };
        notes.push(format!("{} far from the others{next}", names.join(", ")));
    }
    notes
}

/// How a run ended.
fn state(head: &RunHead) -> String {
    match (&head.problem, &head.outcome) {
        (Some(problem), _) => format!("unreadable: {problem}"),
        (None, None) => "not finished".to_owned(),
        (None, Some(Outcome::Complete)) => "complete".to_owned(),
        (None, Some(Outcome::CutShort)) => "cut short".to_owned(),
        (None, Some(Outcome::Failed(failure))) => format!("failed: {failure}"),
    }
}

fn other(head: &RunHead, when: When<'_>) -> String {
    let tag = head.tag.as_ref().map(|tag| format!("  [{tag}]"));
    format!(
        "  {:19}  {}  {}  {}{}\n",
        when(head.wall_ms),
        head.path.display(),
        head.title,
        state(head),
        tag.unwrap_or_default()
    )
}

/// The changes in words, by the first run after them.
fn changes(group: &TargetRuns) -> BTreeMap<usize, String> {
    let mut by_run: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for metric in &group.metrics {
        for change in &metric.changes {
            let words = words(metric.metric, change);
            by_run.entry(change.at).or_default().push(words);
        }
    }
    by_run
        .into_iter()
        .map(|(at, all)| (at, all.join(", ")))
        .collect()
}

fn words(metric: Metric, change: &ChangePoint) -> String {
    let (before, after) = (change.before.mean, change.after.mean);
    let higher = match (metric.more_is_better(), after > before) {
        (true, true) => "higher",
        (true, false) => "lower",
        (false, true) => "longer",
        (false, false) => "shorter",
    };
    let share = trim_to(100.0 * change.change().abs(), 1);
    let (before, after) = (value(metric, before), value(metric, after));
    format!("{} {share} % {higher} ({before} -> {after})", metric.name())
}

fn value(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Iops => rate(value),
        Metric::P50 | Metric::P99 => span(value),
    }
}

/// The last level, and how the rate went.
fn summary(group: &TargetRuns, style: Style, when: When<'_>) -> Vec<String> {
    let Some(first) = group.metrics.first() else {
        return Vec::new();
    };
    let compared = group.runs.iter().filter(|run| run.counts());
    let rates: Vec<f64> = compared.map(|run| run.point.iops).collect();
    let bars = &rates[rates.len().saturating_sub(MOST_BARS)..];
    let mut lines = vec![format!("{}  {}", first.metric.name(), spark(bars, style))];
    let levels = group
        .metrics
        .iter()
        .filter_map(|metric| level(group, metric, when));
    lines.extend(levels);
    lines
}

fn level(group: &TargetRuns, metric: &MetricHistory, when: When<'_>) -> Option<String> {
    let level = metric.level?;
    let since = metric.changes.last().and_then(|c| group.runs.get(c.at));
    let since = match since {
        Some(run) => format!("since {}", when(run.head.wall_ms)),
        None => "no change".to_owned(),
    };
    let spread = trim_to(100.0 * level.deviation() / level.mean.max(1e-9), 1);
    let drift = metric.drift.map_or_else(String::new, |drift| {
        let way = if drift > 0.0 { "rising" } else { "falling" };
        format!(
            ", {way} by {} % over these runs",
            trim_to(100.0 * drift.abs(), 1)
        )
    });
    Some(format!(
        "{}: {since}, {} runs at {} (standard deviation {spread} %){drift}",
        metric.metric.name(),
        level.count,
        value(metric.metric, level.mean)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::changed;

    fn day(wall_ms: u64) -> String {
        format!("day {}", (wall_ms - crate::fixture::WALL_MS) / 86_400_000)
    }

    #[test]
    fn a_history_reads_as_a_table_with_its_changes() {
        let mut runs = changed();
        runs[2].tag = Some("baseline".to_owned());
        runs[8].outcome = Some(Outcome::CutShort);
        let mut lost = runs[0].clone();
        lost.points.points.clear();
        lost.problem = Some("it is not an SQLite file".to_owned());
        runs.push(lost);
        let style = Style {
            width: 120,
            ..Style::default()
        };
        insta::assert_snapshot!(history(&History::of(runs), &style, &day));
    }

    #[test]
    fn of_many_runs_those_at_a_change_are_shown() {
        let mut runs = Vec::new();
        for times in 0..5 {
            for mut head in changed() {
                head.wall_ms += times * 20 * 86_400_000;
                runs.push(head);
            }
        }
        let text = history(&History::of(runs), &Style::default(), &day);
        assert!(text.lines().count() < 80, "{text}");
        assert_eq!(text.matches("-- from here: IOPS").count(), 9, "{text}");
        assert!(text.contains("... ") && text.contains("day 99 "), "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 110),
            "{text}"
        );
    }

    #[test]
    fn one_run_is_a_table_without_levels() {
        let text = history(
            &History::of(vec![changed().remove(0)]),
            &Style::default(),
            &day,
        );
        assert!(
            text.contains("day 0") && !text.contains("no change"),
            "{text}"
        );
        assert_eq!(history(&History::default(), &Style::default(), &day), "");
    }
}
