//! Any text as a Vdbench parameter file.
#![no_main]

#[allow(dead_code, reason = "each target uses its part")]
#[path = "common.rs"]
mod common;

use leadline_dialect::diagnostic::{Severity, render};
use leadline_dialect::vdbench::{expansion_lines, parse};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let args = ["-f", "job", "a=1", "sd=x"].map(str::to_owned);
    let parsed = parse(&args, &common::OneText(text));
    let errors = parsed
        .diagnostics
        .iter()
        .any(|d| d.severity == Severity::Error);
    assert!(!(errors && parsed.plan.is_some()));
    let few = &parsed.diagnostics[..parsed.diagnostics.len().min(20)];
    let shown = render(few, &parsed.sources, false, 100);
    assert_eq!(shown.is_empty(), few.is_empty());
    let Some(plan) = parsed.plan else { return };
    assert_eq!(parsed.run.commands.len(), plan.stages.len());
    for w in plan.stages.iter().flat_map(|s| &s.workloads) {
        assert!(w.depth >= 1 && w.clones >= 1 && w.sizes.min() >= 1);
    }
    assert!(!expansion_lines(&plan).is_empty());
});
