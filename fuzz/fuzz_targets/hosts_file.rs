//! Any text as a list of hosts, and as a file of them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leadline_fuzzed::run("hosts_file", bytes));
