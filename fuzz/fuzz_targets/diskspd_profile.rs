//! Any text as a DISKSPD profile.
#![no_main]
#![allow(dead_code, reason = "the other dialect's check")]

#[path = "common.rs"]
mod common;
#[path = "diskspd.rs"]
mod diskspd;

libfuzzer_sys::fuzz_target!(|text: &str| {
    diskspd::check(
        &["-Xjob".to_owned(), "a".to_owned(), "b".to_owned()],
        &common::OneText(text),
    );
    diskspd::check(&["-Xjob".to_owned()], &common::OneText(text));
});
