//! Runs fio's spec files: each heading is a case, with the job file or command line, the plan as short
//! text and the diagnostics.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::spec::{Case, check_all};
use crate::common::{FakeHost, short_diagnostics, short_diskspd_plan, short_plan, split_words};
use leadline_dialect::{diskspd, fio};

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

#[test]
fn spec_files_hold() {
    let total = check_all("spec", run);
    assert!(total >= 200, "only {total} cases");
}
