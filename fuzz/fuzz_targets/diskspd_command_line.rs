//! Any lines as the words of a DISKSPD command line.
#![no_main]
#![allow(dead_code, reason = "the other dialect's check")]

#[path = "common.rs"]
mod common;
#[path = "diskspd.rs"]
mod diskspd;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let words: Vec<String> = text.split('\n').map(str::to_owned).collect();
    diskspd::check(&words, &common::OneText(text));
});
