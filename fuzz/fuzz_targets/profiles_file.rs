//! Any text as a file of profiles.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("profiles_file", bytes));
