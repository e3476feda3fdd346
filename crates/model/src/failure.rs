//! Why something did not finish.
//!
//! Belongs here: the one form of a reason. Must never: say where it happened or who must know.

use crate::cure::{Cure, Knob};
use crate::error_code::ErrorCode;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a run, a stage or a host's part of it failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of reason.
    pub code: ErrorCode,
    /// What failed, with path and figures; no full stop at its end.
    pub what: String,
    /// What to do about it; empty when there is nothing to do.
    pub cure: Cure,
}

impl Failure {
    /// A reason with its cure.
    #[must_use]
    pub fn new(code: ErrorCode, what: impl Into<String>, cure: impl Into<Cure>) -> Self {
        Self {
            code,
            what: what.into(),
            cure: cure.into(),
        }
    }

    /// What failed and what to do about it, in one line.
    #[must_use]
    pub fn line(&self) -> String {
        match self.cure.text.as_str() {
            "" => self.what.clone(),
            cure => format!("{} ({cure})", self.what),
        }
    }

    /// Several reasons as one, in these words: the kind of the first of them, and each of their cures once. Without a
    /// reason it is a defect.
    #[must_use]
    pub fn of_all<'a>(what: impl Into<String>, each: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut code = None;
        let mut texts: Vec<&str> = Vec::new();
        let mut knobs: Vec<Knob> = Vec::new();
        for failure in each {
            code.get_or_insert(failure.code);
            let text = failure.cure.text.as_str();
            if !text.is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
            for &knob in &failure.cure.knobs {
                if !knobs.contains(&knob) {
                    knobs.push(knob);
                }
            }
        }
        Self {
            code: code.unwrap_or(ErrorCode::Defect),
            what: what.into(),
            cure: Cure {
                text: texts.join("; "),
                knobs,
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_reasons_are_one_with_each_cure_once() {
        let knobs = [Knob::Size, Knob::Workers];
        let space = Failure::new(ErrorCode::NoSpace, "no space", ("free some", knobs));
        let again = Failure::new(
            ErrorCode::Limit,
            "no thread",
            ("use fewer", [Knob::Workers]),
        );
        let other = Failure::new(ErrorCode::Limit, "no file", "");
        let all = Failure::of_all("two things", [&space, &again, &other, &space]);
        let cure = ("free some; use fewer", knobs);
        assert_eq!(all, Failure::new(ErrorCode::NoSpace, "two things", cure));
        assert_eq!(all.to_string(), "two things");
        assert_eq!(all.line(), "two things (free some; use fewer)");
        assert_eq!(other.line(), "no file");
        let none = Failure::of_all("nothing", []);
        assert_eq!(none, Failure::new(ErrorCode::Defect, "nothing", ""));
    }
}
