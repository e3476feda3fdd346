//! Texts that no user writes: refused early, and not after minutes or gigabytes.

use crate::common::FakeHost;
use leadline_fio as fio;
use std::fmt::Write;

/// What is said of a job file, by code.
fn said_of_job_file(text: String) -> Vec<&'static str> {
    let mut host = FakeHost::default();
    host.files.insert("job.fio".to_owned(), text);
    let parsed = fio::parse(&["job.fio".to_owned()], &host);
    assert!(parsed.plan.is_none());
    parsed.diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn no_more_jobs_are_read_than_fio_takes() {
    let mut text = "[global]\nioengine=null\nsize=1m\n".to_owned();
    for number in 0..200_000 {
        let _ = writeln!(text, "[job{number}]\nno_such_option=1");
    }
    let said = said_of_job_file(text);
    let of = |code| said.iter().filter(|c| **c == code).count();
    assert_eq!(of("too-many-jobs"), 1);
    // The others were not looked into.
    assert_eq!(of("unknown-option"), 4096, "{:?}", said.first());
}

#[test]
fn a_line_of_megabytes_is_refused() {
    let text = format!("[a]\nsize=1m\ndescription={}\n", "x".repeat(8 << 20));
    assert_eq!(said_of_job_file(text), ["line-too-long"]);
}
