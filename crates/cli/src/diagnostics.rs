//! What the reader of a text has to say, on the terminal.
//!
//! Belongs here: showing diagnostics, and whether there is an error among them. Must never: read a text.

use crate::fold::sentences;
use crate::out;
use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources, render};

/// Most that is shown of what is wrong with a text: more are not read, and each shows its line.
const MOST_SHOWN: usize = 100;

/// Shows what the reader of a text has to say; false when there is an error among it.
pub(crate) fn say_diagnostics(diagnostics: &[Diagnostic], sources: &Sources) -> bool {
    if !diagnostics.is_empty() {
        let color = out::color(out::err_is_terminal());
        let shown = &diagnostics[..diagnostics.len().min(MOST_SHOWN)];
        let width = out::err_width();
        let text = render(shown, sources, color, width);
        match out::err_is_terminal() {
            true => out::raw(&sentences(&text, width)),
            false => out::raw(&text),
        }
        if diagnostics.len() > MOST_SHOWN {
            out::say(&format!(
                "and {} more like this",
                diagnostics.len() - MOST_SHOWN
            ));
        }
    }
    !diagnostics.iter().any(|d| d.severity == Severity::Error)
}
