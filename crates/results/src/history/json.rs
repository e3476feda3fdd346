//! A history for scripts; `docs/reference/list.schema.json` describes every key.
//!
//! Belongs here: names and order of the keys. Must never: compute a figure.

use super::{History, Metric, MetricHistory, PastRun, TargetRuns};
use crate::stats::divisive::ChangePoint;
use crate::stats::student::Level;
use crate::store::RunHead;
use leadline_model::event::Outcome;
use serde_json::{Value, json};

/// Version of the form: raised when a reader of the last one could misread it.
pub const FORM: u32 = 1;

/// The JSON Schema of the form (draft 2020-12).
pub const SCHEMA: &str = include_str!("../../../../docs/reference/list.schema.json");

/// All of it, as one object with a line's end.
#[must_use]
pub fn json(history: &History) -> String {
    let value = json!({
        "form": FORM,
        "leadline": env!("CARGO_PKG_VERSION"),
        "groups": history.groups.iter().map(group).collect::<Vec<Value>>(),
        "others": history.others.iter().map(head).collect::<Vec<Value>>(),
    });
    format!("{value:#}\n")
}

fn group(group: &TargetRuns) -> Value {
    json!({
        "hosts": group.hosts,
        "targets": group.targets,
        "title": group.title,
        "stage": group.stage,
        "work": group.work,
        "has_other_settings": group.has_other_settings,
        "runs": group.runs.iter().map(run).collect::<Vec<Value>>(),
        "figures": group.metrics.iter().map(metric).collect::<Vec<Value>>(),
    })
}

fn run(entry: &PastRun) -> Value {
    let mut value = head(&entry.head);
    let point = &entry.point;
    value["compared"] = json!(entry.counts());
    value["iops"] = json!(point.iops);
    value["bytes_per_s"] = json!(point.bytes_per_s);
    value["p50_ns"] = json!(point.p50_ns);
    value["p99_ns"] = json!(point.p99_ns);
    value
}

fn head(head: &RunHead) -> Value {
    let outcome = match (&head.problem, &head.outcome) {
        (Some(_), _) => "unreadable",
        (None, None) => "not finished",
        (None, Some(Outcome::Complete)) => "complete",
        (None, Some(Outcome::CutShort)) => "cut short",
        (None, Some(Outcome::Failed(_))) => "failed",
    };
    let failure = match &head.outcome {
        Some(Outcome::Failed(failure)) => Some(failure.to_string()),
        _ => None,
    };
    json!({
        "path": head.path.to_string_lossy(),
        "title": head.title,
        "wall_ms": head.wall_ms,
        "length_ns": head.length.0,
        "outcome": outcome,
        "problem": head.problem.clone().or(failure),
        "grade": Some(&head.grade).filter(|grade| !grade.is_empty()),
        "tag": head.tag,
    })
}

fn metric(of: &MetricHistory) -> Value {
    let better = |change: f64| (change > 0.0) == of.metric.more_is_better();
    let change = |point: &ChangePoint| {
        json!({
            "run": point.at,
            "before": level(&point.before),
            "after": level(&point.after),
            "change": point.change(),
            "chance": point.chance,
            "better": better(point.after.mean - point.before.mean),
        })
    };
    json!({
        "metric": match of.metric {
            Metric::Iops => "iops",
            Metric::P50 => "p50_ns",
            Metric::P99 => "p99_ns",
        },
        "changes": of.changes.iter().map(change).collect::<Vec<Value>>(),
        "alone": of.alone,
        "level": of.level.as_ref().map(level),
        "drift": of.drift,
    })
}

fn level(level: &Level) -> Value {
    json!({
        "mean": level.mean,
        "deviation": level.deviation(),
        "runs": level.count,
    })
}
