//! Any bytes as a run file, and sound run files whose tables were tampered with.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("run_file", bytes));
