//! The state of reading: texts, what is to be said about them, the template and the jobs so far.
//!
//! Belongs here: what the command line and job files share. Must never appear here: their grammars.

use crate::job::Job;
use crate::switches::{self, RunSwitches};
use crate::table::{self, Kind, OptionSpec, key};
use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources, Span, nearest};
use leadline_dialect::host::Host;
use leadline_dialect::text::Text;
use leadline_model::plan::Given;
use std::collections::BTreeSet;

pub(crate) struct Reader<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) sources: Sources,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) switches: RunSwitches,
    /// What a new job starts from.
    pub(crate) template: Job,
    pub(crate) jobs: Vec<Job>,
    /// Global options in effect for the first job.
    pub(crate) first_globals: Option<Vec<Given>>,
    /// Sections that were there, whether or not they run.
    pub(crate) seen_sections: Vec<String>,
    /// The variables of the environment that were put into lines, with their values, each once.
    pub(crate) environment: Vec<(String, String)>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(host: &'a dyn Host) -> Self {
        Self {
            host,
            sources: Sources::default(),
            diagnostics: Vec::new(),
            switches: RunSwitches::default(),
            template: Job::default(),
            jobs: Vec::new(),
            first_globals: None,
            seen_sections: Vec::new(),
            environment: Vec::new(),
        }
    }

    pub(crate) fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// A new job that starts from the template.
    pub(crate) fn start_job(&mut self, section: &str, span: Span) -> Job {
        self.first_globals
            .get_or_insert_with(|| self.template.given.clone());
        let mut job = self.template.derive(section, span);
        // Globals that came after the first job are this job's own, as results show them.
        let shared = self.first_globals.as_ref().map_or(0, Vec::len);
        job.given = self
            .template
            .given
            .get(shared..)
            .unwrap_or_default()
            .to_vec();
        job
    }

    /// Keeps a finished job, unless `--section` leaves it out.
    pub(crate) fn keep(&mut self, job: Job) {
        if self.wants(&job.section) {
            self.jobs.push(job);
        }
    }

    /// Whether a section runs.
    pub(crate) fn wants(&self, section: &str) -> bool {
        let wanted = &self.switches.sections;
        wanted.is_empty() || wanted.iter().any(|s| s == section)
    }

    /// Says that no option has this name, and which one may be meant.
    pub(crate) fn unknown_option(&mut self, name: &Text, command_line: bool) {
        let text = name.as_str();
        let mut known: BTreeSet<&str> = table::options()
            .iter()
            .copied()
            .flat_map(OptionSpec::names)
            .collect();
        let switch = switches::find(text);
        if command_line {
            known.extend(switches::SWITCHES.iter().map(|s| s.name));
        }
        let hint = if let Some(switch) = switch.filter(|_| !command_line) {
            Some(format!("`--{}` belongs on the command line", switch.name))
        } else if let Some(bare) = text.strip_prefix('-') {
            let bare = bare.trim_start_matches('-');
            table::find(bare).map(|spec| format!("write `{}` without the dashes", spec.name))
        } else {
            nearest(text, known).map(|near| format!("did you mean `{near}`?"))
        };
        self.say(
            Diagnostic::error("unknown-option", format!("there is no option `{text}`"))
                .at(name.whole(), "")
                .expected("the name of an option")
                .maybe_hint(hint),
        );
    }

    /// Reports a blank in front of a value: fio fails on words, and some of its builds pass over
    /// the unit of numbers. Both are read here as they were meant.
    pub(crate) fn blank_before_value(&mut self, value: &Text, spec: &OptionSpec, span: Span) {
        let text = value.as_str();
        if !text.starts_with(char::is_whitespace) || text.trim().is_empty() {
            return;
        }
        let word = matches!(spec.kind, Kind::Choice(_)) || spec.is(&key::IOENGINE);
        let unit = !matches!(spec.kind, Kind::Text | Kind::List | Kind::Floats)
            && text.contains(|c: char| c.is_ascii_alphabetic());
        let diagnostic = if word {
            let message = format!(
                "fio rejects the value of `{}` with a leading blank; here the blank is ignored",
                spec.name
            );
            Diagnostic::warning("space-before-value", message)
        } else if unit {
            let message = format!(
                "some builds of fio ignore the unit of `{}` after a leading blank",
                spec.name
            );
            Diagnostic::note("space-before-value", message)
        } else {
            return;
        };
        self.say(
            diagnostic
                .at(span, "")
                .hint(format!("write `{}={}`", spec.name, text.trim())),
        );
    }

    /// Ends the reading: in the order of the texts, warnings become errors when they are to, and notes
    /// are said once.
    pub(crate) fn settle(&mut self) {
        self.diagnostics.sort_by_key(|d| {
            let place = d.labels.first().map(|label| label.span);
            (place.is_none(), place.map(|span| (span.source, span.start)))
        });
        let mut seen = BTreeSet::new();
        self.diagnostics
            .retain(|d| d.severity != Severity::Note || seen.insert((d.code, d.message.clone())));
        if self.switches.strict {
            for diagnostic in &mut self.diagnostics {
                if diagnostic.severity == Severity::Warning {
                    diagnostic.severity = Severity::Error;
                }
            }
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}
