//! From a command line to its plan.
//!
//! Belongs here: the order of the steps, and what concerns the command line as a whole. Must never: read an option's value, or
//! make a workload.

use crate::clients;
use crate::command_line;
use crate::job::Job;
use crate::lower;
use crate::reader::Reader;
use crate::switches::RunSwitches;
use crate::table::key;
use leadline_dialect::diagnostic::{Diagnostic, Sources};
use leadline_dialect::host::Host;
use leadline_model::plan::{Dialect, Original, Plan, Source};
use leadline_model::units::Nanos;

/// What a command line means.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What is to be done; `None` when there is an error, or nothing to do.
    pub plan: Option<Plan>,
    /// What the command line says beside the plan.
    pub run: RunSwitches,
    /// All that is to be said, in the order of the texts.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts the diagnostics point into.
    pub sources: Sources,
}

/// Reads a fio command line (without the program's name) and the job files it names.
#[must_use]
pub fn parse(args: &[String], host: &dyn Host) -> Parsed {
    let mut reader = Reader::new(host);
    let jobs = clients::one_set_of_jobs(args);
    command_line::read(&mut reader, jobs.as_deref().unwrap_or(args));
    if jobs.is_none() {
        reader.say(
            Diagnostic::error("jobs-differ", "the hosts of `--client` have different jobs")
                .expected("use the same jobs for each host, or a separate run for each"),
        );
    }
    unknown_sections(&mut reader);
    let jobs = std::mem::take(&mut reader.jobs);
    let mut sink = std::mem::take(&mut reader.diagnostics);
    let far = Far(host);
    let seen_from: &dyn Host = if reader.switches.clients.is_empty() {
        host
    } else {
        &far
    };
    let stages = lower::stages(&jobs, seen_from, &mut sink);
    reader.diagnostics = sink;
    read_only(&mut reader, &jobs, &stages);
    let run = &reader.switches;
    let asks_nothing = run.parse_only || run.showcmd || run.help.is_some();
    if jobs.is_empty() && !asks_nothing && !reader.has_errors() {
        reader.say(
            Diagnostic::error("no-jobs", "no job is defined")
                .expected("a job file, or `--name=` and the job's options"),
        );
    }
    reader.settle();
    let plan = (!reader.has_errors() && !jobs.is_empty()).then(|| Plan {
        title: title(&jobs),
        source: Source {
            dialect: Dialect::Fio,
            args: args.to_vec(),
            own: Vec::new(),
            directory: String::new(),
            environment: reader.environment.clone(),
            // The command line is the first text.
            files: reader
                .sources
                .iter()
                .skip(1)
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .collect(),
        },
        given: reader.first_globals.clone().unwrap_or_default(),
        original: Original::default(),
        interval: interval(&jobs),
        stages,
        read_only: reader.switches.readonly,
        destroy: reader.switches.destroy.clone(),
        study: None,
        slices: 1,
        partial_totals_every: (reader.switches.status_interval_ms > 0)
            .then(|| Nanos::from_millis(reader.switches.status_interval_ms)),
        hosts: Vec::new(),
    });
    Parsed {
        plan,
        run: reader.switches,
        diagnostics: reader.diagnostics,
        sources: reader.sources,
    }
}

/// The machine a job is read on, for jobs that run on others: those may have any number of CPUs.
pub struct Far<'a>(pub &'a dyn Host);

impl Host for Far<'_> {
    fn read_file(&self, path: &str) -> Result<String, String> {
        self.0.read_file(path)
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.read_bytes(path)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.0.env(name)
    }

    fn cpus(&self) -> u32 {
        self.0.cpus()
    }

    fn all_cpus(&self) -> u32 {
        u32::MAX
    }

    fn page_size(&self) -> u64 {
        self.0.page_size()
    }

    fn memory_mb(&self) -> u64 {
        self.0.memory_mb()
    }

    fn exists(&self, path: &str) -> bool {
        self.0.exists(path)
    }

    fn cpu_list(&self) -> Vec<u32> {
        self.0.cpu_list()
    }

    fn ticks(&self) -> u32 {
        self.0.ticks()
    }
}

fn title(jobs: &[Job]) -> String {
    match jobs {
        [] => String::new(),
        [only] => only.section.clone(),
        [first, rest @ ..] => format!("{} and {} more", first.section, rest.len()),
    }
}

/// fio samples throughput every 500 ms unless `bwavgtime` or `iopsavgtime` says otherwise; the
/// shortest of all jobs holds.
fn interval(jobs: &[Job]) -> Nanos {
    let millis = jobs
        .iter()
        .flat_map(|j| {
            [
                j.natural::<u64>(&key::BWAVGTIME),
                j.natural(&key::IOPSAVGTIME),
            ]
        })
        .filter(|ms| *ms > 0)
        .min()
        .unwrap_or(500);
    Nanos::from_millis(millis.max(10))
}

/// A section asked for by name that is not there is most likely misspelt.
fn unknown_sections(reader: &mut Reader<'_>) {
    for wanted in reader.switches.sections.clone() {
        if !reader.seen_sections.contains(&wanted) {
            let near = leadline_dialect::diagnostic::nearest(
                &wanted,
                reader.seen_sections.iter().map(String::as_str),
            );
            let hint = near.map(|n| format!("did you mean `{n}`?"));
            reader.say(
                Diagnostic::warning("unknown-section", format!("there is no section `{wanted}`"))
                    .maybe_hint(hint),
            );
        }
    }
}

fn read_only(reader: &mut Reader<'_>, jobs: &[Job], stages: &[leadline_model::plan::Stage]) {
    if !reader.switches.readonly {
        return;
    }
    for (job, w) in jobs.iter().zip(stages.iter().flat_map(|s| &s.workloads)) {
        if w.blocks().mix.writes() || w.blocks().mix.trims() {
            let message = format!("job `{}` writes, and `--readonly` was given", job.section);
            reader.say(
                Diagnostic::error("writes-although-readonly", message)
                    .at(job.span_of(&key::RW), "")
                    .expected("read or randread"),
            );
        }
    }
}
