//! Any lines as the words of a fio command line.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("fio_command_line", bytes));
