//! Any lines as the words of a command line.
#![no_main]

#[path = "common.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let words: Vec<String> = text.split('\n').map(str::to_owned).collect();
    common::check(&words, &common::OneText(text));
});
