//! Runs DISKSPD's spec file: each heading is a case, with a command line and profiles, the plan as short
//! text and the diagnostics.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::{FakeHost, short_diagnostics, short_diskspd_plan, split_words};
use leadline_testkit::spec::{Case, check_all};

/// What came out of a case: the plan and the diagnostics as short text.
fn run(case: &Case) -> (String, String) {
    let mut host = FakeHost::default();
    let mut args = Vec::new();
    for block in &case.blocks {
        match block.kind.split_once(' ').unwrap_or((&block.kind, "")) {
            ("sh", _) => {
                args = split_words(block.text.trim_end().strip_prefix("diskspd").unwrap());
            }
            ("xml", name) => {
                host.files.insert(name.to_owned(), block.text.clone());
            }
            ("plan" | "says", _) => {}
            (other, _) => panic!("{}: unknown block {other}", case.title),
        }
    }
    let parsed = leadline_diskspd::parse(&args, &host);
    let plan = parsed.plan.as_ref();
    (
        plan.map_or("none\n".into(), short_diskspd_plan),
        short_diagnostics(&parsed.diagnostics, &parsed.sources),
    )
}

#[test]
fn spec_files_hold() {
    let total = check_all(env!("CARGO_MANIFEST_DIR"), "spec", run);
    assert!(total >= 45, "only {total} cases");
}
