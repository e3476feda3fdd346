//! Any lines as the words of a DISKSPD command line.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("diskspd_command_line", bytes));
