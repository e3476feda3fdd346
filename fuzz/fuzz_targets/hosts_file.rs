//! Any text as a list of hosts, and as a file of them.
#![no_main]

#[allow(dead_code, reason = "each target uses its part")]
#[path = "common.rs"]
mod common;

use leadline_dialect::diagnostic::{Severity, render};
use leadline_dialect::hosts::parse;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let list = format!("{text},z");
    for (given, launcher) in [(list.as_str(), None), ("job", Some("slurm")), ("job", None)] {
        let read = parse(given, launcher, &common::OneText(text));
        let errors = read.diagnostics.iter().any(|d| d.severity == Severity::Error);
        assert!(errors || !read.hosts.is_empty());
        let mut labels: Vec<_> = read.hosts.iter().map(|h| &h.label).collect();
        labels.sort();
        labels.dedup();
        assert!(errors || labels.len() == read.hosts.len());
        let few = &read.diagnostics[..read.diagnostics.len().min(20)];
        assert_eq!(render(few, &read.sources, false, 100).is_empty(), few.is_empty());
    }
});
