//! What a check says, for people and for scripts (`docs/reference/check.schema.json`).
//!
//! Must never: compute a figure, or judge one.

use super::{Checked, Judged};
use leadline_limits::{Judgement, Latency, Profile, ProfileTest, Requirement};
use leadline_results::words::{mb_per_s, rate, span, thousands, trim_to};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The schema of the JSON form.
pub(crate) const SCHEMA: &str = include_str!("../../../../../docs/reference/check.schema.json");

/// The profiles that there are, each with its limits and where they are from.
pub(super) fn profiles(all: &[Profile]) -> String {
    let mut text = String::new();
    for profile in all {
        let _ = writeln!(text, "{}: {}", profile.name, profile.about);
        for test in &profile.tests {
            let source = &test.source;
            let _ = writeln!(
                text,
                "  {}: {}\n    {} ({})",
                test.name,
                limit(test),
                source.address,
                source.date
            );
        }
    }
    text
}

/// The verdict of each test and of all.
pub(super) fn text(checked: &Checked<'_>) -> String {
    let Checked {
        profile, target, ..
    } = checked;
    let mut text = format!(
        "{}: {} on {target}\n",
        checked.judgement.name(),
        profile.name
    );
    for judged in &checked.tests {
        let test = judged.test;
        let _ = writeln!(
            text,
            "  {:9}  {}: {}, required: {}",
            judged.judgement.name(),
            test.name,
            measured(judged),
            limit(test)
        );
        let (work, limit) = (&test.job, &test.source);
        let _ = writeln!(text, "             work: {work} <{}>", test.job_source);
        let read = if limit.verified { "" } else { ", not verified" };
        let _ = writeln!(
            text,
            "             limit: <{}> ({}{read})",
            limit.address, limit.date
        );
        if !test.note.is_empty() {
            let _ = writeln!(text, "             note: {}", test.note);
        }
    }
    let errors: u64 = checked.tests.iter().map(|test| test.errors).sum();
    match checked.judgement {
        Judgement::Undecided if errors > 0 => {
            let _ = writeln!(
                text,
                "Failed I/Os: {}. The figures of the others are not used for a verdict: look at the volume and the kernel log.",
                thousands(errors)
            );
        }
        Judgement::Undecided if checked.grade == 'F' => text.push_str(
            "The figures must not be used, because of the findings in the run file: fix those and measure again.\n",
        ),
        Judgement::Undecided => text.push_str(
            "The limit lies within a figure's interval, or too little was measured: measure again, on a quiet volume.\n",
        ),
        _ => {}
    }
    let _ = writeln!(text, "grade {} ({})", checked.grade, checked.grade_says);
    if let Some(run) = &checked.run_file {
        let _ = writeln!(text, "run file: {run}");
    }
    text
}

/// What is asked of a test.
fn limit(test: &ProfileTest) -> String {
    match test.requirement {
        Requirement::Below(of, ns) => format!("{} below {}", latency(of, test), span(ns)),
        Requirement::Iops(iops) => format!("at least {} {} a second", rate(iops), plural(test)),
        Requirement::Bytes(bytes) => format!("at least {} MB/s", mb_per_s(bytes)),
    }
}

fn plural(test: &ProfileTest) -> String {
    format!("{}s", test.op.name())
}

fn latency(of: Latency, test: &ProfileTest) -> String {
    let op = test.op.name();
    match of {
        Latency::Mean => format!("mean {op} latency"),
        Latency::Percentile(p) => format!("p{} {op} latency", trim_to(p, 3)),
    }
}

fn measured(judged: &Judged<'_>) -> String {
    let Some(value) = judged.sampled.value else {
        return format!("too few samples ({})", thousands(judged.count));
    };
    let shown = |value: f64| match judged.test.requirement {
        Requirement::Below(..) => span(value),
        Requirement::Iops(_) => rate(value),
        Requirement::Bytes(_) => mb_per_s(value),
    };
    let unit = match judged.test.requirement {
        Requirement::Below(..) => "",
        Requirement::Iops(_) => " a second",
        Requirement::Bytes(_) => " MB/s",
    };
    let within = match (judged.sampled.low, judged.sampled.high) {
        (Some(low), Some(high)) => format!("{} to {}, 95 %", shown(low), shown(high)),
        _ => "no interval: the test was too short".to_owned(),
    };
    let count = thousands(judged.count);
    format!("{}{unit} ({within}; {count} I/Os)", shown(value))
}

/// All of it, as one object with a line's end.
pub(super) fn json(checked: &Checked<'_>) -> String {
    let value = json!({
        "form": 1,
        "leadline": env!("CARGO_PKG_VERSION"),
        "profile": checked.profile.name,
        "about": checked.profile.about,
        "target": checked.target,
        "verdict": checked.judgement.name(),
        "grade": checked.grade.to_string(),
        "grade_says": checked.grade_says,
        "run_file": checked.run_file,
        "tests": checked.tests.iter().map(test).collect::<Vec<Value>>(),
    });
    format!("{value:#}\n")
}

/// The profiles that there are, as one object with a line's end.
pub(super) fn profiles_json(all: &[Profile]) -> String {
    let profile = |profile: &Profile| {
        json!({
            "profile": profile.name,
            "about": profile.about,
            "tests": profile.tests.iter().map(requirement).collect::<Vec<Value>>(),
        })
    };
    let value = json!({
        "form": 1,
        "leadline": env!("CARGO_PKG_VERSION"),
        "profiles": all.iter().map(profile).collect::<Vec<Value>>(),
    });
    format!("{value:#}\n")
}

/// What a test asks, and where that is published.
fn requirement(test: &ProfileTest) -> Value {
    let (metric, unit, limit) = match test.requirement {
        Requirement::Below(Latency::Mean, ns) => ("mean".to_owned(), "ns", ns),
        Requirement::Below(Latency::Percentile(p), ns) => (format!("p{}", trim_to(p, 3)), "ns", ns),
        Requirement::Iops(iops) => ("iops".to_owned(), "ios_per_s", iops),
        Requirement::Bytes(bytes) => ("throughput".to_owned(), "bytes_per_s", bytes),
    };
    json!({
        "test": test.name,
        "operation": test.op.name(),
        "metric": metric,
        "unit": unit,
        "must_be": match test.requirement {
            Requirement::Below(..) => "below",
            _ => "at least",
        },
        "limit": limit,
        "job": test.job,
        "job_source": test.job_source,
        "source": {
            "address": test.source.address,
            "date": test.source.date,
            "verified": test.source.verified,
        },
        "note": test.note,
    })
}

/// The same with what came out.
fn test(judged: &Judged<'_>) -> Value {
    let sampled = &judged.sampled;
    let mut value = requirement(judged.test);
    let found = [
        ("verdict", json!(judged.judgement.name())),
        ("value", json!(sampled.value)),
        ("low", json!(sampled.low)),
        ("high", json!(sampled.high)),
        ("count", json!(judged.count)),
        ("errors", json!(judged.errors)),
    ];
    for (key, of) in found {
        value[key] = of;
    }
    value
}
