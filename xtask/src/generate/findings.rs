//! The page of the findings, of the model's table of their kinds.
//!
//! Must never: state a kind itself.

use leadline_model::finding::{FindingKind, KINDS, Subject};
use std::fmt::Write as _;

/// `docs/reference/findings.md`.
pub(super) fn reference() -> String {
    let mut text = String::from(
        "# Findings\n\nGenerated from the table of findings; do not edit. Everything that leadline may \
         have to say about a result, by the code that stands beside it in each output. `leadline \
         explain CODE` prints the same. What a finding is made of is in \
         [figures.md](figures.md#findings).\n",
    );
    for subject in Subject::ALL {
        let kinds: Vec<_> = KINDS.iter().filter(|k| k.subject == subject).collect();
        if kinds.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {}\n", subject.title());
        kinds.into_iter().for_each(|kind| section(&mut text, kind));
    }
    text
}

fn section(text: &mut String, kind: &FindingKind) {
    let _ = write!(
        text,
        "\n### {}\n\n{}. {}\n\n",
        kind.code,
        capital(kind.title),
        kind.saw
    );
    let parts = [
        ("Why it matters", kind.why),
        ("What to do", kind.cure),
        ("What it means for the figures", &kind.effect_words()),
        ("Source", kind.source),
    ];
    for (head, words) in parts.iter().filter(|part| !part.1.is_empty()) {
        let _ = writeln!(text, "- **{head}**: {words}");
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader who has a finding looks for its code.
    #[test]
    fn the_page_of_what_to_do_names_each_finding() {
        let page = include_str!("../../../docs/guide/troubleshooting.md");
        let leads = |code: &str| {
            let link = format!("[{code}]: ../reference/findings.md#{code}");
            page.lines().any(|line| line == link)
        };
        let said = |code: &str| leads(code) && page.matches(&format!("[{code}]")).count() > 1;
        let missing: Vec<&str> = KINDS
            .iter()
            .map(|kind| kind.code)
            .filter(|code| !said(code))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
