//! Any text as a Vdbench parameter file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("vdbench_file", bytes));
