//! Any JSON as a plan.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("plan_json", bytes));
