//! A value that is not accepted.
//!
//! Belongs here: where it stands and why. Must never: know a keyword.

use leadline_dialect::diagnostic::Span;

/// Why a value is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) text: String,
}

pub(crate) fn fault<T>(span: Span, text: impl Into<String>) -> Result<T, Fault> {
    Err(Fault {
        span,
        text: text.into(),
    })
}
