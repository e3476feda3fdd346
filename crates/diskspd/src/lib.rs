//! The DISKSPD dialect: command lines and XML profiles as DISKSPD 2.2 and 2.3 read them.
//!
//! Belongs here: DISKSPD's grammar, its option table, its leniencies, its profile in both forms, and
//! their meaning in leadline's nouns. Must never appear here: the system (see [`Host`]).
//!
//! The way: `command_line` splits the words into options and targets; the row of each option in `table` names
//! the function that puts it into a [`Profile`], as `xml` does with a file; `validate` checks the whole; `lower`
//! makes a plan of it.

mod affinity;
mod beside;
mod caching;
mod command_line;
mod distribution;
mod help;
pub mod import;
pub mod knobs;
mod lower;
mod manual;
mod number;
mod options;
pub mod original;
pub mod profile;
mod reader;
pub mod report;
mod switches;
mod table;
mod text;
mod validate;
mod xml;

pub use help::{reference_markdown, usage};
pub use leadline_dialect::spec::RunFile;
pub use manual::manual;
pub use profile::Profile;
pub use switches::{Events, ShowOnly, Switches};
pub use table::{Case, OptionSpec, Since, Support, options};
pub use text::{input_parameters, profile_text};
pub use xml::{profile_xml, read_profile};

use leadline_dialect::diagnostic::{Diagnostic, Sources};
use leadline_dialect::host::Host;
use leadline_model::plan::Plan;
use lower::Lowering;
use reader::Reader;
use validate::Validator;

/// What a command line means.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What is to be done; `None` when there is an error, or nothing to do.
    pub plan: Option<Plan>,
    /// The same in DISKSPD's nouns; `None` when there is an error, or nothing to do.
    pub profile: Option<Profile>,
    /// What the command line says beside the profile.
    pub run: Switches,
    /// All that is to be said, in the order of the texts.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts the diagnostics point into.
    pub sources: Sources,
}

/// Reads a DISKSPD command line (without the program's name) and the profile it names.
#[must_use]
pub fn parse(args: &[String], host: &dyn Host) -> Parsed {
    let mut reader = Reader::new(host);
    command_line::read(&mut reader, args);
    table::explain_idle(&mut reader);
    let shows = matches!(
        reader.switches.show,
        Some(ShowOnly::Usage { .. } | ShowOnly::System)
    );
    let idle = shows || !reader.switches.events.set.is_empty();
    if !reader.has_errors() && !idle {
        let mut sink = std::mem::take(&mut reader.diagnostics);
        let from_xml = reader.profile_text.is_some();
        Validator {
            host,
            places: &reader.places,
            single: !from_xml,
            profile_only: reader.switches.profile_only(),
            sink: &mut sink,
        }
        .check(&reader.profile);
        reader.diagnostics = sink;
    }
    let mut plan = None;
    if !reader.has_errors() && !idle && !reader.switches.profile_only() {
        let mut sink = std::mem::take(&mut reader.diagnostics);
        let lowering = Lowering {
            profile: &reader.profile,
            switches: &reader.switches,
            args,
            file: reader.profile_text.clone(),
            host,
            places: &reader.places,
            cpus: host.cpu_list(),
            interval_ms: 0,
            sink: &mut sink,
        };
        plan = Some(lowering.plan());
        reader.diagnostics = sink;
    }
    reader.settle();
    reader.switches.format = reader.profile.result_format;
    let fine = !reader.has_errors();
    let profile = (fine && !idle).then(|| reader.profile.clone());
    Parsed {
        plan: plan.filter(|_| fine),
        profile,
        run: reader.switches,
        diagnostics: reader.diagnostics,
        sources: reader.sources,
    }
}
