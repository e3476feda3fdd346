//! `leadline fio ...`, or leadline called by the name fio: fio's command lines as they are.
//!
//! fio's own exit codes: 0 fine, 1 for anything that could not be read, the number of jobs that failed or could not
//! be set up (255 at most, where fio wraps round to 0), 128 when interrupted.

use crate::examples;
use crate::exit::Exit;
use crate::fleet::{self, HostsRequest, StageError};
use crate::host::ThisHost;
use crate::knobs::Language;
use crate::live::Live;
use crate::result_file::{self, Replace, ResultFile};
use crate::session::{self, Listeners};
use crate::simulated::are_simulated;
use crate::{out, place, switches};
use leadline_engine::prepare::PrepareError;
use leadline_engine::run::{RunError, out_of_reach};
use leadline_fio::report as shape;
use leadline_fio::{self as fio, Eta, Help, OutputFormat, RunFile, RunSwitches};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Amount, Plan};
use leadline_model::units::{Bytes, Nanos};
use leadline_results::run::Run;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// fio's code for whatever could not be read or started.
pub(crate) const FAILED: Exit = Exit::Code(1);

pub(crate) fn run(args: &[String]) -> Exit {
    let (asked, args) = HostsRequest::take_from(args);
    let elsewhere = asked.as_ref().is_some_and(|asked| !asked.hosts.is_empty());
    let this = ThisHost::with(asked.as_ref().map(|asked| &asked.targets));
    let mut parsed = if elsewhere {
        fio::parse(&args, &fio::Far(&this))
    } else {
        fio::parse(&args, &this)
    };
    let Some(notes) = super::heard(&parsed.diagnostics, &parsed.sources, false) else {
        return FAILED;
    };
    let asked = match asked {
        Some(asked) if asked.hosts.is_empty() && !parsed.run.clients.is_empty() => {
            HostsRequest::read(Some(&parsed.run.clients.join(",")), None, asked.accept).map(
                |read| HostsRequest {
                    targets: asked.targets,
                    fail_on_grade: asked.fail_on_grade,
                    checks: asked.checks,
                    own: asked.own,
                    ..read
                },
            )
        }
        other => other,
    };
    let Some(asked) = asked else { return FAILED };
    let named = |plan: &Plan| asked.checks.name_what_is_in(&plan.stages, false);
    if let Some(plan) = &mut parsed.plan
        && !(asked.settle(plan) && named(plan))
    {
        return FAILED;
    }
    let switches = &parsed.run;
    if let Some(help) = &switches.help {
        return show_help(help);
    }
    let Some(plan) = &parsed.plan else {
        return if switches.parse_only || switches.showcmd {
            Exit::Fine
        } else {
            FAILED
        };
    };
    if !super::says_whole_names(plan) {
        return FAILED;
    }
    if switches.showcmd {
        out::data(&format!("{}\n", fio::command_line(plan)));
        return Exit::Fine;
    }
    if switches.parse_only {
        return Exit::Fine;
    }
    if !asked.checks.has_own_files(plan, results(switches)) {
        return FAILED;
    }
    execute(plan, switches, &asked, notes)
}

/// The help: fio's options and leadline's own.
pub(crate) fn usage() -> String {
    fio::usage() + &switches::help() + "\n" + &examples::end("fio")
}

fn show_help(help: &Help) -> Exit {
    let text = match help {
        Help::Usage => Ok(usage()),
        Help::Version => Ok(format!("{}\n", shape::FIO_VERSION)),
        Help::Command(name) => fio::command_help(name.as_deref()),
        Help::Engine(name) => fio::engine_help(name.as_deref()),
    };
    match text {
        Ok(text) => {
            out::help(&text);
            Exit::Fine
        }
        Err(text) => {
            out::say(&text);
            // As in fio.
            match help {
                Help::Command(_) => Exit::Fine,
                _ => FAILED,
            }
        }
    }
}

/// fio refuses a job whose `directory` is none when it reads it, whatever its files are; says which.
fn lacks_a_directory(plan: &Plan) -> bool {
    if are_simulated(&plan.stages) {
        return false;
    }
    let named = fio::directories(plan);
    let lacking = named.iter().find(|name| !Path::new(name).is_dir());
    if let Some(name) = lacking {
        if Path::new(name).exists() {
            out::say(&format!("error: {name} is not a directory"));
            out::say("  hint: give a directory that exists");
        } else {
            out::say(&format!("error: the directory {name} does not exist"));
            out::say(&format!("  hint: mkdir -p {name}"));
        }
    }
    lacking.is_some()
}

/// fio refuses a `size` below the smallest block when it reads it, however long the file is, and counts the blocks of
/// operations that do not occur; says which.
fn has_no_room(plan: &Plan) -> bool {
    let mut jobs = plan.stages.iter().flat_map(|stage| &stage.workloads);
    let small = jobs.find_map(|job| match job.blocks().region.size {
        Some(Amount::Bytes(size)) if size > 0 && size < job.blocks().sizes.smallest_of_any_op() => {
            Some((job, size))
        }
        _ => None,
    });
    if let Some((job, size)) = small {
        let (size, block) = (Bytes(size), Bytes(job.blocks().sizes.smallest_of_any_op()));
        out::say(&format!(
            "error: {}: the size {size} is smaller than a block of {block}",
            job.name
        ));
        out::say("  hint: use a larger size, or smaller blocks (size, bs)");
    }
    small.is_some()
}

/// Says the notes on a text of which nothing can run: they may say why (a path of Windows, for one).
fn without_a_run(notes: Vec<Finding>) -> Exit {
    let run = Run {
        findings: notes,
        ..Run::default()
    };
    super::say_found(&run, Severity::Info);
    FAILED
}

fn execute(plan: &Plan, switches: &RunSwitches, asked: &HostsRequest, notes: Vec<Finding>) -> Exit {
    if plan.hosts.is_empty() && lacks_a_directory(plan) || has_no_room(plan) {
        return without_a_run(notes);
    }
    let mut output = match Output::open(plan, switches) {
        Ok(output) => output,
        Err(text) => {
            out::say(&text);
            return FAILED;
        }
    };
    let normal = switches.formats.contains(&OutputFormat::Normal);
    if normal {
        output.begin(shape::header(plan));
    }
    let output = RefCell::new(output);
    let mut listeners = Listeners::new(live(plan, switches));
    listeners.note(notes);
    listeners.compare_with(&asked.checks);
    if switches.eta == Eta::Always && plan.hosts.len() < 2 {
        let every = Nanos::from_millis(switches.eta_interval_ms);
        let newline = Nanos::from_millis(switches.eta_newline_ms);
        let mut status = shape::StatusLine::new(plan, every, newline);
        listeners.also(move |event| status.hear(event).iter().for_each(|text| out::data(text)));
    }
    listeners.show_so_far(|run| write_all(&output, run, &switches.formats, None));
    match &switches.run_file {
        RunFile::None => {}
        RunFile::Path(path) => {
            if let Err(why) = keep(&mut listeners, path, plan, switches) {
                out::say(&format!("error: --leadline-run: {why}"));
                return FAILED;
            }
        }
        RunFile::Default => listeners.keep_in(&place::runs(), &format!("fio-{}", plan.title)),
    }
    let result = session::run_plan(plan, asked.accept, session::interrupt(), &mut listeners);
    let kept = listeners.close();
    let lost = listeners.has_lost_the_run_file();
    if let Err(error) = &result {
        super::explain(error, Language::Of(leadline_model::plan::Dialect::Fio));
    }
    let run = listeners.into_run();
    let failed = result.as_ref().err().map(|error| not_set_up(plan, error));
    if let Some(failed) = failed.filter(|_| run.stages.is_empty()) {
        // The notes on the text may say why.
        super::say_found(&run, Severity::Info);
        return failed;
    }
    let shown = kept.as_ref().map(|path| path.display().to_string());
    write_all(&output, &run, &switches.formats, shown);
    super::say_where_kept(kept.as_deref());
    let exit = match output.into_inner().close() {
        Err(text) => {
            out::say(&text);
            FAILED
        }
        Ok(()) if failed.is_some() => failed.unwrap_or(FAILED),
        Ok(()) if lost => FAILED,
        Ok(()) => match shape::exit_status(&run) {
            0 if asked.is_failed_by(&run) => FAILED,
            status => Exit::Code(status),
        },
    };
    if !exit.is_fine() || fleet::misses_a_host(&run) {
        super::say_found(&run, Severity::Fail);
    }
    asked.judged(exit, &run)
}

/// The files of results that are named.
fn results(switches: &RunSwitches) -> impl Iterator<Item = PathBuf> {
    let run_file = match &switches.run_file {
        RunFile::Path(path) => Some(path),
        _ => None,
    };
    switches.output.iter().chain(run_file).map(PathBuf::from)
}

/// What to do where results are not written over what is there.
const OTHER_PLACE: &str =
    "name another file; --leadline-force overwrites one that is neither a target nor a job file";

/// Keeps the run at a place that is none of its targets, job files and results.
fn keep(
    listeners: &mut Listeners<'_>,
    path: &str,
    plan: &Plan,
    switches: &RunSwitches,
) -> Result<(), String> {
    let mut inputs = result_file::inputs(plan);
    switches.output.iter().for_each(|o| inputs.add(o.into()));
    listeners.keep_apart(Path::new(path), &inputs)
}

/// What is shown while it continues.
fn live(plan: &Plan, switches: &RunSwitches) -> Live {
    let live = Live::of_front_end();
    let live = match switches.eta {
        Eta::Never => live.without_progress(),
        // fio's line has no form for several hosts.
        Eta::Always if plan.hosts.len() > 1 => live.with_lines(),
        // fio's own line goes where fio puts it: to standard output.
        Eta::Always => live.without_progress(),
        Eta::Auto => live,
    };
    live.every(Nanos::from_millis(match switches.eta_newline_ms {
        0 => switches.eta_interval_ms,
        newline => newline,
    }))
}

/// fio's code where jobs could not be set up: how many, each worker being one. Of a plan that cannot run nothing
/// is started, so that where none stands out all have failed.
fn not_set_up(plan: &Plan, error: &StageError) -> Exit {
    let StageError::Here(error) = error else {
        return FAILED;
    };
    if matches!(error, RunError::Prepare(PrepareError::Interrupted)) {
        return Exit::Code(128);
    }
    let jobs = || plan.stages.iter().flat_map(|s| &s.workloads);
    let named: u32 = match error {
        RunError::Problems(problems) => jobs()
            .filter(|w| problems.iter().any(|p| p.workload == w.name))
            .map(|w| w.clones)
            .sum(),
        _ => 0,
    };
    let all: u32 = jobs().map(|w| w.clones).sum();
    let failed = match error {
        RunError::Problems(_) | RunError::Prepare(_) => out_of_reach(plan).max(named),
        _ => 0,
    };
    let failed = if failed == 0 { all } else { failed };
    Exit::Code(u8::try_from(failed.max(1)).unwrap_or(u8::MAX))
}

/// Writes the results of `run` in all `formats`.
fn write_all(
    output: &RefCell<Output>,
    run: &Run,
    formats: &[OutputFormat],
    run_file: Option<String>,
) {
    let options = |bins| shape::Options {
        bins,
        run_file: run_file.clone(),
        zone: crate::time::zone(),
    };
    // fio prints JSON before its text, in whichever order they were asked for.
    let mut formats = formats.to_vec();
    formats.sort_by_key(|format| *format == OutputFormat::Normal);
    for format in &formats {
        let text = match format {
            OutputFormat::Normal => shape::text(run, &options(false)),
            OutputFormat::Json => shape::json(run, &options(false)),
            OutputFormat::JsonPlus => shape::json(run, &options(true)),
            // Refused by name while reading the command line.
            OutputFormat::Terse => String::new(),
        };
        let say: fn(&str) = match format {
            OutputFormat::Normal => out::text,
            _ => out::data,
        };
        output.borrow_mut().write(&text, say);
    }
}

/// Where results go: standard output, or the file of `--output`.
struct Output {
    file: Option<ResultFile>,
    /// What goes before the first result in a file.
    head: String,
    failure: Option<String>,
}

impl Output {
    /// As in fio, an output file that is there is replaced, but only where fio or leadline made it, and only when there is
    /// something to replace it with: a run that is refused leaves the result before it.
    fn open(plan: &Plan, switches: &RunSwitches) -> Result<Self, String> {
        let mut output = Self {
            file: None,
            head: String::new(),
            failure: None,
        };
        if let Some(path) = &switches.output {
            let inputs = result_file::inputs(plan);
            let replace = Replace::OfFio.or_any(switches.force);
            let file = ResultFile::open(Path::new(path), replace, &inputs)
                .map_err(|why| format!("error: --output: {why}\n  hint: {OTHER_PLACE}"))?;
            output.file = Some(file);
        }
        Ok(output)
    }

    /// The head of all results: on a terminal before the run, in a file with the first of them.
    fn begin(&mut self, text: String) {
        match self.file {
            None => out::text(&text),
            Some(_) => self.head = text,
        }
    }

    fn write(&mut self, text: &str, say: fn(&str)) {
        match &mut self.file {
            None => say(text),
            Some(file) => {
                let head = std::mem::take(&mut self.head);
                if let Err(why) = file.write(&(head + text)) {
                    self.failure.get_or_insert(format!("error: {why}"));
                }
            }
        }
    }

    fn close(self) -> Result<(), String> {
        let finished = self.file.map_or(Ok(()), ResultFile::finish);
        let finished = finished.map_err(|why| format!("error: {why}"));
        self.failure.map_or(finished, Err)
    }
}
