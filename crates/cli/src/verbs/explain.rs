//! `leadline explain`: what a finding's code means.

use crate::exit::Exit;
use crate::out;
use leadline_dialect::diagnostic::nearest;
use leadline_model::finding::{FindingKind, KINDS, Subject};
use std::fmt::Write as _;

/// Prints what is known of a code, or the list of all.
pub(crate) fn run(code: Option<&str>) -> Exit {
    let Some(code) = code else {
        out::data(&list());
        return Exit::Fine;
    };
    let Some(kind) = FindingKind::named(code) else {
        out::say(&format!("error: no finding has code {code}"));
        let near = nearest(code, KINDS.iter().map(|kind| kind.code));
        let near = near.map(|near| format!("did you mean {near}? "));
        out::say(&format!(
            "  hint: {}`leadline explain` lists all codes; errors in command lines and files have no page, their \
             messages say what to do",
            near.unwrap_or_default()
        ));
        return Exit::Usage;
    };
    let width = out::out_style().width;
    let text: String = kind
        .to_string()
        .lines()
        .map(|line| leadline_results::render::text::wrapped(line, "", "", width))
        .collect();
    out::data(&text);
    Exit::Fine
}

/// All codes by subject, with their titles.
fn list() -> String {
    let widest = KINDS.iter().map(|kind| kind.code.len()).max().unwrap_or(0);
    let mut text = String::new();
    for subject in Subject::ALL {
        let kinds = KINDS.iter().filter(|kind| kind.subject == subject);
        let lines: String = kinds
            .map(|kind| format!("  {:widest$}  {}\n", kind.code, kind.title))
            .collect();
        if !lines.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = write!(text, "{gap}{}\n{lines}", subject.title());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_each_code_once() {
        let list = list();
        for kind in KINDS {
            let line = format!("  {} ", kind.code);
            assert_eq!(list.matches(&line).count(), 1, "{}", kind.code);
        }
    }
}
