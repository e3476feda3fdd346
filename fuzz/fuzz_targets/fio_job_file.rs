//! Any text as a job file.
#![no_main]

#[path = "common.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|text: &str| {
    common::check(&["job".to_owned()], &common::OneText(text));
});
