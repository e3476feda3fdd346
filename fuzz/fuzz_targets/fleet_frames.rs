//! Any bytes as what an agent or a controller says.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("fleet_frames", bytes));
