//! Verdicts and run lists measured on Vdbench 5.04.07: `cases.md`.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::FakeHost;
use leadline_dialect::diagnostic::{Severity, render};
use leadline_vdbench::{expansion_lines, parse};
use std::collections::BTreeMap;

struct Case {
    name: String,
    verdict: String,
    blocks: BTreeMap<String, String>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        if let Some(kind) = &open {
            if line == "```" {
                open = None;
            } else {
                let case = cases.last_mut().unwrap();
                let block = case.blocks.entry(kind.clone()).or_default();
                block.push_str(&line.replace("\\r", "\r"));
                block.push('\n');
            }
        } else if let Some(name) = line.strip_prefix("## ") {
            cases.push(Case {
                name: name.to_owned(),
                verdict: String::new(),
                blocks: BTreeMap::new(),
            });
        } else if let Some(kind) = line.strip_prefix("```") {
            open = Some(kind.to_owned());
        } else if let Some(case) = cases.last_mut()
            && case.verdict.is_empty()
        {
            case.verdict = line.to_owned();
        }
    }
    cases
}

/// The verdict, the runs and all that was said.
fn run(case: &Case) -> (&'static str, String, String) {
    let mut host = FakeHost::default();
    let file = case.blocks["vdbench"].clone();
    host.files.insert("p.vdb".into(), file);
    host.files
        .insert("inc1.vdb".into(), "include=inc2.vdb\n".into());
    host.files
        .insert("inc2.vdb".into(), "sd=sd2,lun=/tmp/y,size=1m\n".into());
    let mut args: Vec<String> = ["-f", "p.vdb", "-s"].map(str::to_owned).to_vec();
    let more = case.blocks.get("args").map_or("", String::as_str);
    args.extend(more.split_whitespace().map(str::to_owned));
    let parsed = parse(&args, &host);
    let said = render(&parsed.diagnostics, &parsed.sources, false, 100);
    let errors: Vec<&str> = parsed
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| d.code)
        .collect();
    assert_eq!(
        parsed.plan.is_some(),
        errors.is_empty(),
        "{}: {said}",
        case.name
    );
    let verdict = match errors.as_slice() {
        [] => "accepted",
        all if all.iter().all(|code| *code == "not-supported") => "unsupported",
        _ => "rejected",
    };
    let lines = parsed
        .plan
        .as_ref()
        .map(expansion_lines)
        .unwrap_or_default();
    let runs = lines
        .iter()
        .filter_map(|line| line.strip_prefix("Simulating "))
        .map(|run| format!("{run}\n"))
        .collect();
    (verdict, runs, said)
}

#[test]
fn verdicts_and_runs_are_those_measured() {
    let all = cases(include_str!("cases.md"));
    assert!(all.len() >= 120, "only {} cases", all.len());
    let mut wrong = Vec::new();
    for case in &all {
        let (verdict, runs, said) = run(case);
        let expected = case.blocks.get("runs").cloned().unwrap_or_default();
        if verdict != case.verdict || runs != expected {
            wrong.push(format!(
                "{}: expected {}, came {verdict}\n--- expected\n{expected}--- came\n{runs}--- said\n{said}",
                case.name, case.verdict
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
