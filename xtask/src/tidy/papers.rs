//! Rules for the papers of the house: ARCHITECTURE.md names every dependency, README.md the two
//! commands that a newcomer needs.

use super::Fault;
use super::arrows::Crate;
use std::collections::BTreeSet;

/// Papers that may still be missing. Once one is in the tree it is checked; a paper that was taken
/// off this list may not disappear.
const PENDING: &[&str] = &[];

/// The commands the README has to give.
const COMMANDS: &[&str] = &["cargo run --release -- measure demo", "cargo xtask test"];

/// Every crate from outside is named in ARCHITECTURE.md, as `` `name` ``, with its reason.
pub(super) fn architecture(text: Option<&str>, crates: &[Crate], faults: &mut Vec<Fault>) {
    let Some(text) = present("ARCHITECTURE.md", text, faults) else {
        return;
    };
    let names: BTreeSet<&str> = crates.iter().flat_map(Crate::outside).collect();
    for name in names {
        if !text.contains(&format!("`{name}`")) {
            let message = format!("does not say why the dependency `{name}` is there");
            faults.push(Fault::new("ARCHITECTURE.md", 0, message));
        }
    }
}

/// The README gives both commands, each as it is typed.
pub(super) fn readme(text: Option<&str>, faults: &mut Vec<Fault>) {
    let Some(text) = present("README.md", text, faults) else {
        return;
    };
    for command in COMMANDS {
        if !text.contains(command) {
            let message = format!("does not give the command `{command}`");
            faults.push(Fault::new("README.md", 0, message));
        }
    }
}

fn present<'a>(path: &str, text: Option<&'a str>, faults: &mut Vec<Fault>) -> Option<&'a str> {
    if text.is_none() && !PENDING.contains(&path) {
        faults.push(Fault::new(path, 0, "is missing"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::arrows::tests::metadata;
    use super::*;

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let crates = metadata(
            "leadline",
            &[("clap", false, ""), ("tempfile", false, "dev")],
        );
        let mut faults = Vec::new();
        architecture(Some("- `clap`: the command line"), &crates, &mut faults);
        assert_eq!(faults.len(), 1);
        assert!(faults[0].message.contains("`tempfile`"));
    }

    #[test]
    fn a_readme_without_a_command_is_found() {
        let mut faults = Vec::new();
        readme(
            Some("Run `cargo run --release -- measure demo`."),
            &mut faults,
        );
        assert_eq!(faults.len(), 1);
        assert!(faults[0].message.contains("cargo xtask test"));
    }

    #[test]
    fn a_paper_that_is_not_pending_may_not_be_missing() {
        let mut faults = Vec::new();
        assert_eq!(present("LICENSE-MIT", None, &mut faults), None);
        assert_eq!(faults.len(), 1);
    }
}
