//! Any text as a result of another tool.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("diskspd_result", bytes));
