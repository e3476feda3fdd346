//! Any text as a limits file, as options of a set-up, and as what a metadata service answers.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("profiles_file", bytes));
