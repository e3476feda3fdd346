//! The runs of a folder as a history: those of one target and one work side by side, and where their figures changed for
//! good.
//!
//! Belongs here: which runs can be compared, and the change points of their figures. Must never: open a run file, or lay
//! out text.

pub mod json;
#[cfg(test)]
pub(crate) mod tests;

use crate::headline::{KeptPoint, KeptPoints};
use crate::stats::divisive::{ChangePoint, Lasting, Sensitivity, lasting};
use crate::stats::student::Level;
use crate::stats::{QUIET, trend};
use crate::store::RunHead;
use leadline_model::event::Outcome;
use std::collections::BTreeMap;

/// The runs of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Runs with figures, grouped by target and work; the group with the latest run last.
    pub groups: Vec<TargetRuns>,
    /// Runs without figures, in the order given: not finished, unreadable, nothing measured.
    pub others: Vec<RunHead>,
}

/// Runs of the same work on the same target.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetRuns {
    /// The hosts' own names; empty = not known.
    pub hosts: String,
    /// The targets.
    pub targets: String,
    /// Title of the runs.
    pub title: String,
    /// The stage whose figures are compared: of those that most runs have, the one with the highest rate.
    pub stage: String,
    /// What it does.
    pub work: String,
    /// Another group is called the same, but was measured with other settings.
    pub has_other_settings: bool,
    /// The runs, oldest first.
    pub runs: Vec<PastRun>,
    /// Each metric over the runs; none for a single run.
    pub metrics: Vec<MetricHistory>,
}

impl TargetRuns {
    /// Everything that is said of the group above its runs.
    fn called(&self) -> [String; 5] {
        [
            &self.hosts,
            &self.title,
            &self.targets,
            &self.stage,
            &self.work,
        ]
        .map(String::clone)
    }
}

/// A run of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRun {
    /// Its file.
    pub head: RunHead,
    /// What it measured in the stage of the group.
    pub point: KeptPoint,
}

impl PastRun {
    /// Whether its figures are compared: it is complete, and its grade does not say that they mean nothing.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.head.outcome == Some(Outcome::Complete) && self.head.grade != "F"
    }
}

/// A metric that is tracked over runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// I/Os a second.
    Iops,
    /// Median response latency in nanoseconds.
    P50,
    /// 99th percentile of the response latency in nanoseconds.
    P99,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Iops, Self::P50, Self::P99];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::P50 => "p50",
            Self::P99 => "p99",
        }
    }

    /// Whether more of it is better.
    #[must_use]
    pub const fn more_is_better(self) -> bool {
        matches!(self, Self::Iops)
    }

    /// Its value of a point; `None` = of too few samples.
    #[must_use]
    pub fn of(self, point: &KeptPoint) -> Option<f64> {
        match self {
            Self::Iops => Some(point.iops),
            Self::P50 => point.p50_ns.map(|ns| ns as f64),
            Self::P99 => point.p99_ns.map(|ns| ns as f64),
        }
    }
}

/// One metric over the runs of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricHistory {
    /// Which.
    pub metric: Metric,
    /// Where its level changed: `at` is the index among the runs of the group.
    pub changes: Vec<ChangePoint>,
    /// Runs far from those before and after, by their index among the runs of the group.
    pub alone: Vec<usize>,
    /// The runs since the last change, without outliers; `None` = no run has the metric.
    pub level: Option<Level>,
    /// Drift of the level from its first run to its last, as a share, if it is more than chance.
    pub drift: Option<f64>,
}

impl History {
    /// That of these files.
    #[must_use]
    pub fn of(heads: Vec<RunHead>) -> Self {
        let (with, others): (Vec<_>, Vec<_>) =
            heads.into_iter().partition(|h| !h.points.points.is_empty());
        let mut by_title: BTreeMap<(String, String), Vec<RunHead>> = BTreeMap::new();
        for head in with {
            let key = (head.points.hosts.clone(), head.title.clone());
            by_title.entry(key).or_default().push(head);
        }
        let titles = by_title.into_iter();
        let mut groups: Vec<TargetRuns> = titles
            .flat_map(|(key, heads)| groups(&key, heads))
            .collect();
        let latest = |g: &TargetRuns| g.runs.last().map(|r| r.head.wall_ms);
        groups.sort_by_key(latest);
        let mut called: BTreeMap<_, usize> = BTreeMap::new();
        for group in &groups {
            *called.entry(group.called()).or_default() += 1;
        }
        let several: Vec<bool> = groups.iter().map(|g| called[&g.called()] > 1).collect();
        for (group, several) in groups.iter_mut().zip(several) {
            group.has_other_settings = several;
        }
        Self { groups, others }
    }
}

/// What runs must have in common to be compared.
type Key = (String, String, String, u64);

fn key(point: &KeptPoint) -> Key {
    let KeptPoint {
        stage,
        work,
        targets,
        settings,
        // What was measured.
        iops: _,
        bytes_per_s: _,
        p50_ns: _,
        p99_ns: _,
    } = point;
    (targets.clone(), stage.clone(), work.clone(), *settings)
}

/// The groups of runs of one title: first those that share the point which most have, then the rest.
fn groups((hosts, title): &(String, String), mut heads: Vec<RunHead>) -> Vec<TargetRuns> {
    heads.sort_by(|a, b| (a.wall_ms, &a.path).cmp(&(b.wall_ms, &b.path)));
    let mut groups = Vec::new();
    while let Some(shared) = most_shared(heads.iter().map(|h| &h.points)) {
        let (mut runs, mut rest) = (Vec::new(), Vec::new());
        for head in heads {
            match head.points.points.iter().find(|p| key(p) == shared) {
                Some(point) => runs.push(PastRun {
                    point: point.clone(),
                    head,
                }),
                None => rest.push(head),
            }
        }
        heads = rest;
        let (targets, stage, work, _) = shared;
        groups.push(TargetRuns {
            hosts: hosts.clone(),
            title: title.clone(),
            targets,
            stage,
            work,
            has_other_settings: false,
            metrics: metrics(&runs),
            runs,
        });
    }
    groups
}

/// The point that most runs have; of several, the one with the highest rate on average. `None` = there is none.
fn most_shared<'a>(runs: impl Iterator<Item = &'a KeptPoints>) -> Option<Key> {
    let mut known: BTreeMap<Key, (usize, f64)> = BTreeMap::new();
    for points in runs {
        for point in &points.points {
            let sum = known.entry(key(point)).or_default();
            *sum = (sum.0 + 1, sum.1 + point.iops);
        }
    }
    let by_rate = |a: &(usize, f64), b: &(usize, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    let most = known.into_iter().max_by(|a, b| by_rate(&a.1, &b.1));
    most.map(|(key, _)| key)
}

fn metrics(runs: &[PastRun]) -> Vec<MetricHistory> {
    let counting = runs.iter().filter(|r| r.counts()).count();
    if counting < 2 {
        return Vec::new();
    }
    Metric::ALL
        .map(|metric| metric_history(metric, runs))
        .into()
}

fn metric_history(metric: Metric, runs: &[PastRun]) -> MetricHistory {
    let each = runs.iter().enumerate().filter(|(_, run)| run.counts());
    let values = each.filter_map(|(i, run)| Some((i, metric.of(&run.point)?)));
    let (places, series): (Vec<usize>, Vec<f64>) = values.unzip();
    let Lasting { mut changes, alone } = lasting(&series, &Sensitivity::default());
    let since = changes.last().map_or(0, |change| change.at);
    let now = (since..series.len()).filter(|i| !alone.contains(i));
    let now: Vec<f64> = now.map(|i| series[i]).collect();
    for change in &mut changes {
        change.at = places[change.at];
    }
    MetricHistory {
        metric,
        changes,
        alone: alone.into_iter().map(|i| places[i]).collect(),
        level: Level::of(&now),
        drift: drift(&now),
    }
}

/// What a level moves by, where that is more than 3.5 standard errors of its line and more than 2 %.
fn drift(series: &[f64]) -> Option<f64> {
    let line = trend(series)?;
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    let share = line.change / mean;
    let is_sure = line.change.abs() > 3.5 * line.error && share.is_finite();
    (is_sure && share.abs() > QUIET).then_some(share)
}
