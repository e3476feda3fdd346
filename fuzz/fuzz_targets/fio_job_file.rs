//! Any text as a fio job file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("fio_job_file", bytes));
