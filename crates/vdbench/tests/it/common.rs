//! What the tests of this crate share: plans of Vdbench as short text.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_model::plan::Plan;
pub(crate) use leadline_testkit::reading::{
    FakeHost, differences, is_changed, new_lines, short_diagnostics, split_words,
};
use leadline_vdbench::Object;
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

/// The file of a row's case: these words, each of the row's object or, with `sd.` and the like before it, of
/// another, over what a file needs at least. `wd2.` is a second workload's.
pub(crate) fn row_file<'a>(object: Object, words: impl Iterator<Item = &'a str>) -> String {
    let mut lines: Vec<(&str, Vec<&str>)> = vec![
        ("general", vec!["formatsds=no"]),
        ("hd", vec!["hd=h1"]),
        ("sd", vec!["sd=sd1", "lun=/tmp/x", "size=1g"]),
        ("fsd", vec!["fsd=f1"]),
        ("wd", vec!["wd=w1", "sd=sd1"]),
        ("wd2", vec!["wd=w2", "sd=sd1"]),
        ("fwd", vec!["fwd=f1"]),
        ("rd", vec!["rd=r1", "wd=w1", "iorate=max"]),
    ];
    // What all cases have; storage and file systems exclude each other.
    let mut used = match object {
        Object::Fsd | Object::Fwd => vec!["general", object.word(), "rd"],
        _ => vec!["general", "sd", "wd", "rd", object.word()],
    };
    for word in words {
        let key = word.split('=').next().unwrap();
        let (of, word) = match key.split_once('.') {
            Some((of, _)) => (of, &word[of.len() + 1..]),
            None => (object.word(), word),
        };
        let (of, line) = lines.iter_mut().find(|(o, _)| *o == of).unwrap();
        let name = &word[..=word.find('=').unwrap()];
        match line.iter_mut().find(|w| w.starts_with(name)) {
            Some(usual) => *usual = word,
            None => line.push(word),
        }
        used.push(of);
    }
    let mut text = String::new();
    for (of, line) in lines.iter().filter(|(of, _)| used.contains(of)) {
        let between = if *of == "general" { "\n" } else { "," };
        let _ = writeln!(text, "{}", line.join(between));
    }
    text
}
