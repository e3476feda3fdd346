//! Any text as the logs of a run of fio.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("fio_logs", bytes));
