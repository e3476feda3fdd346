//! What the DISKSPD targets share: what must hold of every parse.

use leadline_dialect::diagnostic::{Severity, render};
use leadline_dialect::diskspd;
use leadline_dialect::host::Host;

/// A plan comes exactly without an error, is usable, and everything said can be shown.
pub fn check(args: &[String], host: &dyn Host) {
    let parsed = diskspd::parse(args, host);
    let errors = parsed
        .diagnostics
        .iter()
        .any(|d| d.severity == Severity::Error);
    assert!(!(errors && parsed.plan.is_some()));
    let few = &parsed.diagnostics[..parsed.diagnostics.len().min(20)];
    let shown = render(few, &parsed.sources, false, 100);
    assert_eq!(shown.is_empty(), few.is_empty());
    if let Some(profile) = &parsed.profile {
        assert!(diskspd::read_profile(&diskspd::profile_xml(profile)).is_ok());
        assert!(!diskspd::profile_text(profile, "").is_empty());
    }
    let Some(plan) = parsed.plan else { return };
    for w in plan.stages.iter().flat_map(|s| &s.workloads) {
        assert!(w.depth >= 1 && w.clones >= 1 && w.sizes.min() >= 1);
    }
}
