//! leadline-study: the language of studies. Arguments or a TOML file in, a [`Request`] and diagnostics out.
//!
//! Belongs here: the table of options, the table of studies, the grammar of values. Both forms have the same options:
//! `--depths 1..64` and `depths = "1..64"`. Must never appear here: the system, or which point a study measures next.
//!
//! The way: `words` or `file` splits a text into options; the row of each in `table` puts its value into a `Draft`;
//! `build` makes the study of it, with what the row of the study in `studies` has for what was not given.
#![forbid(unsafe_code)]

mod build;
mod draft;
mod file;
mod help;
mod manual;
mod option;
mod reading;
mod request;
mod schema;
mod slo;
mod studies;
mod table;
mod take;
mod value;
mod words;

pub use help::{reference_markdown, usage};
pub use manual::manual;
pub use option::OptionSpec;
pub use request::{Beside, CallerSwitch, Request};
pub use schema::schema;
pub use slo::latency_target;
pub use studies::{STUDIES, StudySpec};
pub use table::OPTIONS;
pub use value::{bytes, numbers, server_cache, share_ppm, time};

use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources};

/// What the words of a study mean together.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What is to be done; `None` with an error, or where only help is asked for.
    pub request: Option<Request>,
    /// What was read where something is wrong, for checks of the rest; `None` where there is a request, or too little.
    pub refused: Option<Request>,
    /// Help is asked for: of all studies, or of one.
    pub help: Option<Option<&'static StudySpec>>,
    /// The caller's switches as words of a command line, also where there is no request.
    pub switches: Vec<String>,
    /// The targets as they were named, also where there is no request.
    pub targets: Vec<String>,
    /// All that is to be said.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts the diagnostics point into.
    pub sources: Sources,
}

/// Reads the words after `study`: the name of a study, or of a file that `read` gives the text of.
#[must_use]
pub fn parse(
    words: &[String],
    callers: &[CallerSwitch],
    read: &dyn Fn(&str) -> Result<String, String>,
) -> Parsed {
    let mut reading = reading::Reading::new(words, callers);
    let help = reading.take_help();
    if let Some(help) = help {
        return Parsed {
            request: None,
            refused: None,
            help: Some(help),
            switches: Vec::new(),
            targets: Vec::new(),
            diagnostics: Vec::new(),
            sources: reading.sources,
        };
    }
    reading.read(read);
    let switches = reading.switches.clone();
    let targets = reading.draft.targets.clone();
    let request = build::request(&mut reading);
    let has_errors = reading
        .diagnostics
        .iter()
        .any(|d| d.severity == Severity::Error);
    let (request, refused) = match has_errors {
        true => (None, request),
        false => (request, None),
    };
    Parsed {
        request,
        refused,
        help: None,
        switches,
        targets,
        diagnostics: reading.diagnostics,
        sources: reading.sources,
    }
}
