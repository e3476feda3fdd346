//! From a command line to its plan.
//!
//! Belongs here: the order of the steps. Must never: read an option's value, or make a workload.

use crate::command_line;
use crate::lower::Lowering;
use crate::profile::Profile;
use crate::reader::Reader;
use crate::switches::{ShowOnly, Switches};
use crate::table;
use crate::validate::Validator;
use leadline_dialect::diagnostic::{Diagnostic, Sources};
use leadline_dialect::host::Host;
use leadline_model::plan::Plan;

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
