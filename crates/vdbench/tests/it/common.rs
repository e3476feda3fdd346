//! What the tests of this crate share: plans of Vdbench as short text.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_model::plan::Plan;
pub(crate) use leadline_testkit::reading::{FakeHost, differences, short_diagnostics, split_words};
use leadline_vdbench::original::{AskedRate, StageOriginal, WorkloadOriginal};
use std::fmt::Write as _;

/// A Vdbench plan: hosts, stages, and the differences of each workload from that of `rd=r1,wd=w1,iorate=max`
/// over one file, without what only repeats the text.
pub(crate) fn short_vdbench_plan(plan: &Plan) -> String {
    let mut host = FakeHost::default();
    let base = "formatsds=no\nsd=sd1,lun=/tmp/x,size=1g\nwd=w1,sd=sd1\nrd=r1,wd=w1,iorate=max\n";
    host.files.insert("p".into(), base.into());
    let base = leadline_vdbench::parse(&["-f".into(), "p".into()], &host)
        .plan
        .unwrap();
    let workload = serde_json::to_value(&base.stages[0].workloads[0]).unwrap();
    let mut text = String::new();
    if plan.interval.as_millis() != 1000 {
        let _ = writeln!(text, "interval: {}", plan.interval);
    }
    for host in &plan.hosts {
        let (user, by) = (host.user.as_deref().unwrap_or("-"), &host.launcher);
        let _ = writeln!(
            text,
            "host {} at {} as {user} by {by:?}",
            host.label,
            host.address()
        );
    }
    for stage in &plan.stages {
        let kept = StageOriginal::of(stage);
        let known = stage.rate.is_some() || kept.rate != AskedRate::OfStage;
        let _ = writeln!(
            text,
            "{}: rate {}, elapsed {}, warmup {}, loops {}",
            stage.name,
            if known {
                kept.rate_line(stage)
            } else {
                "-".to_owned()
            },
            kept.elapsed.map_or("(none)".to_owned(), |s| s.to_string()),
            kept.warmup,
            kept.loops()
        );
        if kept.run != stage.name {
            let _ = writeln!(text, "  shown as: {}", kept.run);
        }
        let value = serde_json::to_value(stage).unwrap();
        let first = serde_json::to_value(&base.stages[0]).unwrap();
        for name in ["pause", "asked", "until", "mounts"] {
            differences(&mut text, name, &first[name], &value[name]);
        }
        for w in &stage.workloads {
            let sd = w.target_name.as_deref().unwrap_or("-");
            let kept = WorkloadOriginal::of(w).unwrap();
            let _ = writeln!(text, " {} {sd} {}", w.name, kept.host);
            let value = serde_json::to_value(w).unwrap();
            differences(&mut text, "", &workload, &value);
        }
    }
    text
}
