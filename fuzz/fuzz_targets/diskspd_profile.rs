//! Any text as a DISKSPD profile.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("diskspd_profile", bytes));
