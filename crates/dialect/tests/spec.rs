//! Runs the spec files: each heading is a case, with the job file or command line, the plan as short
//! text and the diagnostics. `UPDATE_SPEC=1` writes what came out into the files; read the difference
//! before you keep it.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

mod common;

use common::{FakeHost, short_diagnostics, short_diskspd_plan, short_plan, split_words};
use leadline_dialect::{diskspd, fio};
use std::fmt::Write;

/// A fenced block: what stands behind the fence, and its lines.
struct Block {
    kind: String,
    text: String,
}

struct Case {
    title: String,
    /// Lines that are in no block, above the blocks.
    prose: String,
    blocks: Vec<Block>,
}

fn cases(text: &str) -> (String, Vec<Case>) {
    let mut preamble = String::new();
    let mut cases: Vec<Case> = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        if let Some(block) = &mut open {
            if line == "```" {
                cases.last_mut().unwrap().blocks.push(open.take().unwrap());
            } else {
                block.text.push_str(line);
                block.text.push('\n');
            }
        } else if let Some(title) = line.strip_prefix("## ") {
            cases.push(Case {
                title: title.to_owned(),
                prose: String::new(),
                blocks: Vec::new(),
            });
        } else if let Some(kind) = line.strip_prefix("```") {
            open = Some(Block {
                kind: kind.to_owned(),
                text: String::new(),
            });
        } else if let Some(case) = cases.last_mut() {
            case.prose.push_str(line);
            case.prose.push('\n');
        } else {
            preamble.push_str(line);
            preamble.push('\n');
        }
    }
    (preamble, cases)
}

/// What came out of a case: the plan and the diagnostics as short text.
fn run(case: &Case) -> (String, String) {
    let mut host = FakeHost::default();
    let mut args = vec!["job.fio".to_owned()];
    let mut of_diskspd = false;
    for block in &case.blocks {
        match block.kind.split_once(' ').unwrap_or((&block.kind, "")) {
            ("sh", _) => {
                let mut words = split_words(block.text.trim_end());
                of_diskspd = words.remove(0) == "diskspd";
                args = words;
            }
            ("xml", name) => {
                host.files.insert(name.to_owned(), block.text.clone());
            }
            ("fio", name) => {
                let name = if name.is_empty() { "job.fio" } else { name };
                host.files.insert(name.to_owned(), block.text.clone());
            }
            ("env", _) => {
                for line in block.text.lines() {
                    let (name, value) = line.split_once('=').unwrap();
                    host.variables.insert(name.to_owned(), value.to_owned());
                }
            }
            ("plan" | "says", _) => {}
            (other, _) => panic!("{}: unknown block {other}", case.title),
        }
    }
    if of_diskspd {
        let parsed = diskspd::parse(&args, &host);
        let plan = parsed.plan.as_ref();
        return (
            plan.map_or("none\n".into(), short_diskspd_plan),
            short_diagnostics(&parsed.diagnostics, &parsed.sources),
        );
    }
    let parsed = fio::parse(&args, &host);
    (
        parsed.plan.as_ref().map_or("none\n".into(), short_plan),
        short_diagnostics(&parsed.diagnostics, &parsed.sources),
    )
}

fn check(name: &str) -> usize {
    let path = format!("{}/tests/spec/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let (preamble, cases) = cases(&text);
    let mut wrong = Vec::new();
    let mut updated = preamble;
    for case in &cases {
        let (plan, says) = run(case);
        let expected = |kind: &str| {
            let block = case.blocks.iter().find(|b| b.kind == kind);
            block.map_or("", |b| &b.text).to_owned()
        };
        for (kind, came) in [("plan", &plan), ("says", &says)] {
            if expected(kind) != *came {
                wrong.push(format!(
                    "{name}: {}: {kind}\n--- expected\n{}--- came\n{came}",
                    case.title,
                    expected(kind)
                ));
            }
        }
        let prose = case.prose.trim();
        let _ = write!(updated, "## {}\n\n", case.title);
        if !prose.is_empty() {
            let _ = write!(updated, "{prose}\n\n");
        }
        let given = case
            .blocks
            .iter()
            .filter(|b| b.kind != "plan" && b.kind != "says");
        for block in given {
            let _ = write!(updated, "```{}\n{}```\n", block.kind, block.text);
        }
        let _ = write!(updated, "```plan\n{plan}```\n");
        if !says.is_empty() {
            let _ = write!(updated, "```says\n{says}```\n");
        }
        updated.push('\n');
    }
    if std::env::var_os("UPDATE_SPEC").is_some() {
        std::fs::write(&path, updated.trim_end().to_owned() + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    cases.len()
}

#[test]
fn spec_files_hold() {
    let folder = format!("{}/tests/spec", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    let total: usize = names.iter().map(|name| check(name)).sum();
    assert!(total >= 200, "only {total} cases");
}
