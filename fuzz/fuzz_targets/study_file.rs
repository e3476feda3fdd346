//! Any text as a study file, and as the words of a study.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("study_file", bytes));
