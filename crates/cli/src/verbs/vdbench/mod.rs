//! `leadline vdbench ...`, or leadline called by the name vdbench: Vdbench's command lines and parameter
//! files as they are, with its console, its output directory and its exit codes: 0, and 157 for every
//! failure.
//!
//! Belongs here: the order of things around a run. Must never: decide what a file means, or how a page
//! looks.

pub(crate) mod commands;
mod directory;
mod failures;
mod rounds;

use crate::examples;
use crate::exit::Exit;
use crate::fleet::{Coming, HostsRequest, StageError};
use crate::host::ThisHost;
use crate::knobs::Language;
use crate::live::Live;
use crate::mount;
use crate::out;
use crate::result_file;
use crate::session::{self, Listeners, Study, StudyControl};
use crate::simulated::SimulatedTargets;
use crate::switches::{self, ACCEPT_LOST, Accept};
use directory::{Directory, Taken};
use failures::Failures;
use leadline_engine::os::kinds;
use leadline_engine::os::wall::wall_ms;
use leadline_engine::run::Interrupt;
use leadline_model::event::{Event, Outcome};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Original, Plan};
use leadline_results::render::once::once;
use leadline_results::run::Run;
use leadline_results::study::studies::StageCount;
use leadline_results::study::{CurveEnd, Sequence};
use leadline_vdbench::original::{StageOriginal, WorkloadOriginal};
use leadline_vdbench::report::{Options, Output};
use leadline_vdbench::{self as vdbench, RunFile, Switches};
use rounds::Rounds;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Vdbench's code for every failure.
pub(crate) const FAILED: Exit = Exit::Code(157);

/// The name of the run that fills files.
const FORMAT: &str = "SD_format";

pub(crate) fn run(args: &[String]) -> Exit {
    let (asked, args) = HostsRequest::take_from(args);
    let Some(asked) = asked else { return FAILED };
    let parsed = vdbench::parse_on(&args, &ThisHost::with(Some(&asked.targets)), &asked.hosts);
    let Some(notes) = super::heard(&parsed.diagnostics, &parsed.sources, false) else {
        return FAILED;
    };
    if parsed.run.help {
        out::help(&usage());
        return Exit::Fine;
    }
    let Some(mut plan) = parsed.plan.filter(super::says_whole_names) else {
        return FAILED;
    };
    if !asked.settle_on_its_hosts(&mut plan) || !asked.checks.name_what_is_in(&plan.stages, false) {
        return FAILED;
    }
    if parsed.run.simulate {
        for line in vdbench::expansion_lines(&plan) {
            out::data(&format!("{line}\n"));
        }
        say_on_console(&notes);
        return Exit::Fine;
    }
    say_on_console(&notes);
    let taken = Taken {
        inputs: result_file::inputs(&plan),
        pages: Output::names(&plan),
        force: parsed.run.force,
    };
    let pages = taken.files_of(&parsed.run.output);
    let pages = pages.into_iter().chain(run_file(&parsed.run));
    if !asked.checks.has_own_files(&plan, pages) {
        return FAILED;
    }
    match Directory::make(&parsed.run.output, &taken) {
        Ok(directory) => execute(plan, (&parsed.run, &asked), directory, notes),
        Err(text) => {
            out::say(&format!("error: {text}\n  hint: {OTHER_PLACE}"));
            FAILED
        }
    }
}

/// The run file that is named.
fn run_file(switches: &Switches) -> Option<PathBuf> {
    match &switches.run_file {
        RunFile::Path(path) => Some(path.into()),
        _ => None,
    }
}

/// What to do where pages are not written.
const OTHER_PLACE: &str = "name another directory (-o); --leadline-force overwrites files that \
                           are neither storage nor a parameter file";

/// The help: Vdbench's switches and leadline's own.
pub(crate) fn usage() -> String {
    vdbench::usage() + &switches::help() + "\n" + &examples::end("vdbench")
}

/// Where Vdbench says what it thinks of a file. On a terminal it was said with the place.
fn say_on_console(notes: &[Finding]) {
    if !out::err_is_terminal() {
        let run = Run {
            findings: notes.to_vec(),
            ..Run::default()
        };
        let lines = once(&run, Severity::Info);
        let lines = lines.iter().map(|one| format!("{}\n", one.line()));
        out::data(&lines.collect::<String>());
    }
}

/// Runs the plan; what it does is in the directory.
fn execute(
    mut plan: Plan,
    (switches, asked): (&Switches, &HostsRequest),
    directory: Directory,
    notes: Vec<Finding>,
) -> Exit {
    let pages = RefCell::new(Pages::new(&plan, directory));
    if !mount_all(switches, &pages) {
        return FAILED;
    }
    let mut commands = switches.commands.clone();
    let short = fill_what_is_short(&mut plan, &mut commands);
    report_sizes(&mut plan);
    pages.borrow_mut().begin(&plan, short);
    let interrupt = session::interrupt();
    let control = StudyControl::default();
    let monitor = Monitor::new(switches, &interrupt, &control);
    let failures = Failures::new(&switches.errors, switches.skew_limit, &control, &pages);
    let mut listeners = match listeners(notes, switches, &pages.borrow().directory, &plan) {
        Ok(listeners) => listeners,
        Err(why) => {
            out::say(&format!("error: --leadline-run: {why}"));
            return FAILED;
        }
    };
    listeners.compare_with(&asked.checks);
    listeners.also(|event| {
        pages.borrow_mut().take(event);
        monitor.look(event);
        failures.look(event);
    });
    let mut rounds = Rounds::new(&plan, switches.repeat);
    let mut sequence = Sequence::new(plan.clone());
    let coming = Coming {
        stages: plan.stages.clone(),
        sure: commands::first_sure(&commands),
    };
    let study = study(sequence.head(), coming, &control, asked.accept);
    let result = session::run_study(study, interrupt, &mut listeners, &mut |run: &Run| {
        let mut around = commands::Around {
            plan: &plan,
            commands: &commands,
            pages: &pages,
            control: &control,
        };
        around.after(rounds.last());
        failures.after(run);
        if control.failure().is_some() {
            return None;
        }
        let next = rounds.next(&mut sequence, run);
        say_curve_end(&mut sequence, &pages);
        let mut next = next?;
        failures.limit(&mut next.0);
        around.before(rounds.last(), &next.0);
        (control.failure().is_none()).then_some(next)
    });
    let kept = listeners.close();
    let lost = listeners.has_lost_the_run_file();
    if let Err(error) = &result {
        super::explain(error, Language::Of(leadline_model::plan::Dialect::Vdbench));
    }
    let run = listeners.into_run();
    let written = pages.borrow_mut().report(&run) && !lost;
    say_last(&run, kept.as_deref());
    match ended(&result, &run, &control, asked) {
        Exit::Fine if !written => FAILED,
        exit => asked.judged(exit, &run),
    }
}

/// The runs as a study: it is asked for the next of them.
fn study(plan: Plan, coming: Coming, control: &StudyControl, accept: Accept) -> Study {
    Study {
        plan,
        seed: session::fresh_seed(),
        count: StageCount::known(coming.stages.len()),
        coming,
        targets: SimulatedTargets::default(),
        accept,
        keep_files: true,
        leave_nothing: false,
        lets_go: false,
        control: control.clone(),
    }
}

/// Mounts what the file wants mounted once; false when that failed, which is said.
fn mount_all(switches: &Switches, pages: &RefCell<Pages>) -> bool {
    let mut mounts = switches.mounts.iter();
    match mounts.try_for_each(|line| commands::mount_once(line, pages)) {
        Ok(()) => true,
        Err(why) => {
            out::say(&format!("error: {why}"));
            false
        }
    }
}

/// Doubts about the figures, each kind once, after what Vdbench prints (the log has each of them), and where the
/// run is kept.
fn say_last(run: &Run, kept: Option<&Path>) {
    let doubts = once(run, Severity::Warn);
    let doubts = doubts.iter().filter(|d| d.code != "run-failed");
    let lines: String = doubts.map(|d| format!("{}\n", d.line())).collect();
    out::data(&lines);
    super::say_where_kept(kept);
}

/// Says that a curve went no further, where it did not.
fn say_curve_end(sequence: &mut Sequence, pages: &RefCell<Pages>) {
    if let Some(end) = sequence.take_curve_end() {
        let mut pages = pages.borrow_mut();
        pages.output.say(wall_ms(), &stopped(&end));
        pages.write();
    }
}

/// Why a curve went no further, with the limit as the file has it.
fn stopped(end: &CurveEnd) -> String {
    let kept = end.original.get::<StageOriginal>();
    let asked = kept.and_then(|stage| stage.stop_curve).unwrap_or_default();
    format!(
        "stopcurve={asked}: the mean response time of RD={} was {:.3} ms; this ends all runs, as \
         in Vdbench",
        end.point,
        end.response.as_secs_f64() * 1000.0
    )
}

/// The exit code for how a run ended.
fn ended(
    result: &Result<Outcome, StageError>,
    run: &Run,
    control: &StudyControl,
    asked: &HostsRequest,
) -> Exit {
    if let Some(why) = control.failure() {
        out::say(&format!("error: {why}"));
        super::hint(&why.cure.in_words_of(leadline_vdbench::knobs::words).text);
        return FAILED;
    }
    match result {
        Ok(Outcome::Complete) if asked.is_failed_by(run) => {
            out::say(&format!(
                "error: a host was lost; use --{ACCEPT_LOST} to accept that"
            ));
            FAILED
        }
        Ok(Outcome::Complete) => Exit::Fine,
        Ok(Outcome::CutShort) => Exit::Interrupted,
        Ok(Outcome::Failed(_)) | Err(_) => FAILED,
    }
}

/// What listens to the run, with leadline's own run file: in the output directory unless set otherwise.
fn listeners<'a>(
    notes: Vec<Finding>,
    switches: &Switches,
    directory: &Directory,
    plan: &Plan,
) -> Result<Listeners<'a>, String> {
    let inputs = &result_file::inputs(plan);
    let live = Live::of_front_end().without_progress();
    let mut listeners = Listeners::new(live.without_findings());
    listeners.note(notes);
    match &switches.run_file {
        RunFile::None => {}
        RunFile::Path(path) => listeners.keep_apart(Path::new(path), inputs)?,
        RunFile::Default => {
            listeners.keep_apart(&directory.path().join("run.leadline"), inputs)?;
        }
    }
    Ok(listeners)
}

/// The sizes of files and devices of this machine whose size the file leaves open, for the pages.
fn report_sizes(plan: &mut Plan) {
    if !plan.hosts.is_empty() {
        return;
    }
    let mut known: BTreeMap<String, Option<u64>> = BTreeMap::new();
    for workload in plan.stages.iter_mut().flat_map(|s| &mut s.workloads) {
        let Some(mut original) = WorkloadOriginal::of(workload).filter(|w| w.size.is_none()) else {
            continue;
        };
        let lun = original.lun.as_str();
        let size = known.entry(lun.to_owned()).or_insert_with(|| size_of(lun));
        if size.is_some() {
            original.size = *size;
            workload.original = Original::of(&original);
        }
    }
}

/// The bytes of a file or a device; nothing of what is neither, or not there.
fn size_of(lun: &str) -> Option<u64> {
    use std::io::Seek as _;
    let about = std::fs::metadata(lun).ok()?;
    if !(about.is_file() || kinds::is_block_device(&about)) {
        return None;
    }
    let end = std::fs::File::open(lun)
        .ok()?
        .seek(std::io::SeekFrom::End(0));
    end.ok().filter(|bytes| *bytes > 0)
}

/// Leaves out of the format run what is large enough already, and the run when nothing is left; lines
/// about the rest. On other hosts the engine finds out: there the run is short when there is nothing to do.
fn fill_what_is_short(plan: &mut Plan, commands: &mut Vec<vdbench::StageCommands>) -> Vec<String> {
    let here = plan.hosts.is_empty();
    let first = plan.stages.first_mut();
    let Some(first) = first.filter(|s| here && s.name == FORMAT) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    first.workloads.retain(|w| {
        let Some(original) = WorkloadOriginal::of(w) else {
            return true;
        };
        let (lun, size) = (&original.lun, original.size.unwrap_or(0));
        let short = std::fs::metadata(lun).map_or(true, |m| m.is_file() && m.len() < size);
        if short {
            let host = &original.host;
            lines.push(format!(
                "lun={lun} does not exist or is too small. host={host}"
            ));
        }
        short
    });
    if first.workloads.is_empty() {
        plan.stages.remove(0);
        commands.remove(0);
    }
    lines
}

/// The console and the files of the output directory.
struct Pages {
    output: Output,
    directory: Directory,
}

impl Pages {
    fn new(plan: &Plan, directory: Directory) -> Self {
        Self {
            output: Output::new(plan, Options::default()),
            directory,
        }
    }

    /// The plan is what will be done: what is there already is left out of it, and what is filled is said.
    fn begin(&mut self, plan: &Plan, short: Vec<String>) {
        let options = Options {
            directory: self.directory.path().display().to_string(),
            zone: crate::time::zone(),
        };
        self.output = Output::new(plan, options);
        self.output.say_first(short);
    }

    fn take(&mut self, event: &Event) {
        self.output.take(event);
        // A command of the user's own says here what it has to say; on a terminal it was shown.
        if let Event::Finding(note) = event
            && note.code == mount::MOUNTED
            && !out::err_is_terminal()
        {
            out::data(&format!("{}\n", note.text));
        }
        self.write();
    }

    fn write(&mut self) {
        let console = self.output.take_console();
        if !console.is_empty() {
            out::data(&console);
        }
        for (name, text) in self.output.take_files() {
            self.directory.append(&name, &text);
        }
    }

    /// leadline's own report, beside Vdbench's pages; false when one of all these could not be written.
    fn report(&mut self, run: &Run) -> bool {
        self.write();
        let page = leadline_results::render::html::page(run, leadline_fio::print::recipe);
        self.directory.report(&page);
        !self.directory.has_failed()
    }
}

/// Looks for the user's wish to end early, in the files that Vdbench looks for.
struct Monitor {
    path: Option<PathBuf>,
    interrupt: Interrupt,
    control: StudyControl,
}

impl Monitor {
    fn new(switches: &Switches, interrupt: &Interrupt, control: &StudyControl) -> Self {
        Self {
            path: switches.monitor.as_deref().map(PathBuf::from),
            interrupt: interrupt.clone(),
            control: control.clone(),
        }
    }

    fn look(&self, event: &Event) {
        if !matches!(event, Event::Tick(_)) {
            return;
        }
        let shutdown = format!("/tmp/vdbench.shutdown.{}", std::process::id());
        if std::fs::exists(shutdown).unwrap_or(false) {
            self.interrupt.raise();
        }
        let Some(path) = &self.path else { return };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.contains("end_vdbench") {
            self.interrupt.raise();
        } else if text.contains("end_rd") {
            self.control.end_stage();
        }
    }
}
