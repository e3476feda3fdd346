//! What the targets share: a host made of the fuzzer's bytes, and what must hold of every parse.

use leadline_dialect::diagnostic::{Severity, render};
use leadline_dialect::fio;
use leadline_dialect::host::Host;

/// Every file is this text, and so is every variable's value in part.
pub struct OneText<'a>(pub &'a str);

impl Host for OneText<'_> {
    fn read_file(&self, path: &str) -> Result<String, String> {
        if path != "job" && path.len() % 7 == 3 {
            return Err("not there".to_owned());
        }
        // An include of itself would double the text at each level.
        Ok(if path == "job" { self.0 } else { "bs=4k" }.to_owned())
    }

    fn env(&self, name: &str) -> Option<String> {
        (name.len() % 3 != 0).then(|| self.0.chars().take(8).collect())
    }

    fn cpus(&self) -> u32 {
        4
    }

    fn page_size(&self) -> u64 {
        4096
    }

    fn memory_mb(&self) -> u64 {
        1 << 20
    }
}

/// A plan comes exactly without an error, is usable, and everything said can be shown.
pub fn check(args: &[String], host: &OneText<'_>) {
    let parsed = fio::parse(args, host);
    let errors = parsed
        .diagnostics
        .iter()
        .any(|d| d.severity == Severity::Error);
    assert!(!(errors && parsed.plan.is_some()));
    let few = &parsed.diagnostics[..parsed.diagnostics.len().min(20)];
    let shown = render(few, &parsed.sources, false, 100);
    assert_eq!(shown.is_empty(), few.is_empty());
    let Some(plan) = parsed.plan else { return };
    for w in plan.stages.iter().flat_map(|s| &s.workloads) {
        assert!(w.depth >= 1 && w.clones >= 1 && w.stop.loops >= 1);
        assert!(w.sizes.min() >= 1);
        assert!(w.percentiles.iter().all(|p| *p > 0.0 && *p <= 100.0));
    }
    // What is shown as a command line can be read again.
    let words = fio::show_command(&plan);
    let again = fio::parse(&words[1..], host);
    assert!(again.sources.iter().count() >= 1);
}
