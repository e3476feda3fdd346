//! What the command line says beside the profile: what to do with results, which events to heed.
//!
//! Belongs here: switches as data. Must never appear here: their grammar.

use crate::profile::ResultFormat;
use leadline_dialect::spec::RunFile;

/// What is shown in place of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowOnly {
    /// `-?` or no argument at all.
    Usage {
        /// It was asked for.
        asked: bool,
    },
    /// `-Rp`: the profile, in the result's form.
    Profile,
    /// `-Rs`: facts of the system, in the result's form.
    System,
}

/// Events of `-y`, as paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// `-ys`: set when the measured time begins.
    pub started: Vec<String>,
    /// `-yf`: set when it is over.
    pub finished: Vec<String>,
    /// `-yr`: waited for before anything starts.
    pub wait: Option<String>,
    /// `-yp`: ends the run.
    pub stop: Option<String>,
    /// `-ye`: set at once, and nothing else is done.
    pub set: Vec<String>,
}

/// Everything the command line says that is not the profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Nothing runs; this is shown.
    pub show: Option<ShowOnly>,
    /// Form of what is shown.
    pub format: ResultFormat,
    /// `-y`.
    pub events: Events,
    /// `--reuse`.
    pub reuse: bool,
    /// `--destroy`: block devices that may be overwritten although they carry data.
    pub destroy: Vec<String>,
    /// `--strict`: warnings are errors.
    pub strict: bool,
    /// `--xml`: the XML results go here as well.
    pub xml_file: Option<String>,
    /// `--text`: the text results go here as well.
    pub text_file: Option<String>,
    /// `--leadline-run`.
    pub run_file: RunFile,
    /// `--leadline-force`: results replace any file that is there.
    pub force: bool,
}

impl Switches {
    /// Whether only the profile is asked for.
    #[must_use]
    pub fn profile_only(&self) -> bool {
        self.show == Some(ShowOnly::Profile)
    }
}
