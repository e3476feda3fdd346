//! Profiles that no user writes: refused early, and not after minutes or gigabytes.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_dialect::diagnostic::Diagnostic;
use leadline_diskspd as diskspd;
use std::fmt::Write;

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
