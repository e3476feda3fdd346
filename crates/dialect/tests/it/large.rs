//! Texts that no user writes: refused early, and not after minutes or gigabytes.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::FakeHost;
use leadline_dialect::diagnostic::Diagnostic;
use leadline_dialect::{diskspd, fio};
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

fn said_of_profile(text: &str) -> Vec<Diagnostic> {
    diskspd::read_profile(text).unwrap_err()
}

#[test]
fn an_element_with_thousands_of_attributes_is_refused() {
    let mut text = "<Profile><!-- a = b = c --><TimeSpans".to_owned();
    for number in 0..60_000 {
        let _ = write!(text, " a{number}=\"1\"");
    }
    text.push_str("/></Profile>");
    let said = said_of_profile(&text);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].code, "too-large");
    // Text with as many signs is not an element.
    let fine = format!("<Profile><!--{}--><Nothing/></Profile>", "a=".repeat(1000));
    assert!(said_of_profile(&fine).iter().all(|d| d.code != "too-large"));
}
