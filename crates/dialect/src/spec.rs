//! What the tables of all languages say in the same words: how far leadline goes with a thing, whether a
//! switch takes a value, where the run file goes.
//!
//! Belongs here: words that two front ends need. Must never appear here: what a language means by them.

/// How far leadline goes with an option, a keyword or a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Done as in the original; single values may still be refused by name.
    Full,
    /// Accepted, and changes nothing, for this reason.
    NoEffect(&'static str),
    /// Refused by name, for this reason.
    Refused(&'static str),
}

/// Whether a switch takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// None.
    Nothing,
    /// One.
    Value,
    /// One or none.
    Optional,
}

impl Takes {
    /// The value as help shows it after a switch; `sign` is between the two.
    #[must_use]
    pub fn shown(self, sign: char) -> String {
        match (self, sign) {
            (Self::Nothing, _) => String::new(),
            (Self::Value, sign) => format!("{sign}VALUE"),
            (Self::Optional, ' ') => " [VALUE]".to_owned(),
            (Self::Optional, sign) => format!("[{sign}VALUE]"),
        }
    }
}

/// Where leadline's own run file goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunFile {
    /// Where leadline puts run files unless set otherwise.
    #[default]
    Default,
    /// Nowhere.
    None,
    /// Here.
    Path(String),
}

impl RunFile {
    /// The value of `--leadline-run`: `none`, or a path.
    #[must_use]
    pub fn of(text: &str) -> Self {
        match text {
            "none" => Self::None,
            path => Self::Path(path.to_owned()),
        }
    }
}
