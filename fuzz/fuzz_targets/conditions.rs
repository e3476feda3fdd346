//! Any text as conditions on figures of a result, and on changes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("conditions", bytes));
