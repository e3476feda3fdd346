//! `leadline measure`: the survey. What is measured next is decided by `leadline_results::study`; here
//! it is wired to the engine, the terminal and the files it leaves.

use crate::args::{self, Cli, Measure, Verb};
use crate::exit::Exit;
use crate::fleet::{Coming, HostsRequest, StageError};
use crate::knobs::Language;
use crate::live::Live;
use crate::result_file::{self, Inputs, Replace, ResultFile};
use crate::session::{self, Listeners};
use crate::simulated::{are_simulated, is_simulated};
use crate::verbs::Refusal;
use crate::verbs::shown::{self, Form};
use crate::verbs::targets::{Targets, at_most, no_such_directory, room_on};
use crate::wrong_words;
use crate::{out, time};
use clap::Parser;
use leadline_engine::os::host;
use leadline_model::event::Outcome;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::study::StudyPlace;
use leadline_model::plan::{Dialect, EngineKind, Plan, Source, Stage, Target};
use leadline_model::sample::EndReason;
use leadline_model::units::{Bytes, Nanos};
use leadline_results::render;
use leadline_results::run::Run;
use leadline_results::study::studies::StageCount;
use leadline_results::study::{PointResult, Scope, Survey, SurveyOptions, SurveyTarget, narrow};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Measure) -> Exit {
    let targets: Vec<_> = args.target.iter().map(|t| t.clone().into()).collect();
    if args::words(&targets).is_none() {
        return Exit::Usage;
    }
    let Some(asked) = HostsRequest::graded(&args.on, args.fail_on_grade) else {
        return Exit::Usage;
    };
    let options = match options(args).and_then(|options| is_there(options, &asked)) {
        Ok(options) => options,
        Err((text, exit)) => {
            out::say(&text);
            return exit;
        }
    };
    let Some((coming, options)) = outlook(options, args.size, &asked) else {
        return Exit::Usage;
    };
    let each = Survey::new(options.clone()).time_before_fill();
    let plan = plan(args, &asked, each);
    let stamp = || format!("leadline-{}", time::stamp()).into();
    let base = args.out.clone().unwrap_or_else(stamp);
    let inputs = Inputs::of(args.target.iter().cloned());
    if !asked.checks.name_what_is_in(&coming, true) || !is_apart(&asked, &base, &inputs) {
        return Exit::Usage;
    }
    let places = match Places::at(&base, args.force, &inputs) {
        Ok(places) => places,
        Err(text) => {
            out::say(&text);
            return Exit::Environment;
        }
    };
    let seed = options.seed.unwrap_or_else(session::fresh_seed);
    let mut survey = Survey::new(options);
    let mut listeners = Listeners::new(
        Live::new(!args.json || out::err_is_terminal())
            .without_findings()
            .every(Nanos::SECOND),
    );
    listeners.compare_with(&asked.checks);
    if let Err(error) = listeners.keep(&places.run_file) {
        out::say(&format!("error: {error}\n  hint: {PLACE_CURE}"));
        return Exit::Environment;
    }
    let interrupt = session::interrupt();
    let study = study(args, &asked, seed, plan, coming);
    let mut points = Points::default();
    let result = session::run_study(study, interrupt, &mut listeners, &mut |run: &Run| {
        let done = points.of(run);
        let stage = survey.next(done)?;
        Some((stage, survey.remaining(done)))
    });
    let exit = end(args.json, &asked, places, &mut listeners, result);
    asked.judged(exit, &listeners.run)
}

/// Whether no file for CI systems is one of the inputs, or of the results of this name; which is, is said.
pub(super) fn is_apart(asked: &HostsRequest, base: &Path, inputs: &Inputs) -> bool {
    let mut others = inputs.clone();
    for ending in ["leadline", "html"] {
        others.add(result_file::beside(base, ending));
    }
    asked.checks.files.are_apart_from(&others)
}

/// Refuses a directory that is not there; what is on other hosts or simulated is not looked for here.
fn is_there(options: SurveyOptions, asked: &HostsRequest) -> Result<SurveyOptions, Refusal> {
    let elsewhere = !asked.hosts.is_empty() || asked.targets.has_maps();
    let missing = match &options.place {
        SurveyTarget::Directory(path) if !elsewhere => no_such_directory(path),
        _ => None,
    };
    missing.map_or(Ok(options), Err)
}

/// Shows what was measured; the exit code.
pub(super) fn end(
    json: bool,
    asked: &HostsRequest,
    places: Places,
    listeners: &mut Listeners<'_>,
    result: Result<Outcome, StageError>,
) -> Exit {
    let kept = listeners.close();
    if let Err(error) = &result {
        let plan = listeners.run.plan.as_ref();
        super::explain(error, plan.map(Language::of).unwrap_or_default());
    }
    if listeners.run.stages.is_empty() {
        // Nothing was measured: no file is left.
        let _ = kept.map(std::fs::remove_file);
        return match &result {
            Err(error) => Exit::from(error),
            Ok(Outcome::CutShort) => Exit::Interrupted,
            Ok(_) => Exit::IoErrors,
        };
    }
    let written = present(json, &listeners.run, places, kept.as_deref());
    match result {
        Err(error) => Exit::from(&error),
        Ok(_) if !written || listeners.has_lost_the_run_file() => Exit::Environment,
        Ok(Outcome::CutShort) => Exit::Interrupted,
        Ok(_) if asked.is_failed_by(&listeners.run) => Exit::Environment,
        Ok(_) if has_errors(&listeners.run) => Exit::IoErrors,
        Ok(_) => Exit::Fine,
    }
}

/// The points of a run that grows, each summarised once.
#[derive(Default)]
pub(super) struct Points {
    done: Vec<PointResult>,
    /// How many stages were looked at.
    seen: usize,
}

impl Points {
    /// Those of all stages that have ended.
    pub(super) fn of(&mut self, run: &Run) -> &[PointResult] {
        let new = run.stages.iter().skip(self.seen);
        self.done
            .extend(new.filter_map(|stage| PointResult::of(run, stage)));
        self.seen = run.stages.len();
        &self.done
    }
}

/// `leadline plan measure`: every stage that the survey may have. Nothing is made.
pub(crate) fn plan_of(words: &[String], form: Form) -> Exit {
    let line = ["leadline", "measure"].into_iter();
    let line = line.chain(words.iter().map(String::as_str));
    let args = match Cli::try_parse_from(line) {
        Ok(Cli {
            verb: Verb::Measure(args),
        }) => args,
        Ok(_) => return Exit::Usage,
        Err(error) if error.use_stderr() => {
            let line = ["leadline", "measure"].map(OsString::from).into_iter();
            wrong_words::say_all(
                error,
                line.chain(words.iter().map(OsString::from)).collect(),
            );
            return Exit::Usage;
        }
        Err(help) => {
            out::say(&help.render().to_string());
            return Exit::Usage;
        }
    };
    let Some(asked) = HostsRequest::graded(&args.on, args.fail_on_grade) else {
        return Exit::Usage;
    };
    match options(&args) {
        Ok(options) => {
            let Some((stages, options)) = outlook(options, args.size, &asked) else {
                return Exit::Usage;
            };
            let each = Survey::new(options).time_before_fill();
            let mut plan = plan(&args, &asked, each);
            if !asked.checks.name_what_is_in(&stages, true) {
                return Exit::Usage;
            }
            plan.stages = stages;
            shown::show(&plan, plan.stages.len(), asked.accept, form)
        }
        Err((text, exit)) => {
            out::say(&text);
            exit
        }
    }
}

/// The survey as a study of which these stages may come.
fn study(
    args: &Measure,
    asked: &HostsRequest,
    seed: u64,
    plan: Plan,
    coming: Vec<Stage>,
) -> session::Study {
    session::Study {
        plan,
        seed,
        count: StageCount::known(coming.len()),
        coming: Coming {
            sure: coming.len(),
            stages: coming,
        },
        accept: asked.accept,
        targets: asked.targets.clone(),
        keep_files: args.keep,
        leave_nothing: true,
        lets_go: false,
        control: session::StudyControl::default(),
    }
}

/// Every stage that a survey may have, and its options as they are there; `None` where a simulated target is wrong, or has
/// no room for the size that was given, which was said.
pub(super) fn outlook(
    mut options: SurveyOptions,
    given: Option<u64>,
    asked: &HostsRequest,
) -> Option<(Vec<Stage>, SurveyOptions)> {
    options.hosts = u32::try_from(asked.hosts.len()).unwrap_or(u32::MAX);
    let resolved = |options: &SurveyOptions| {
        let mut coming = Survey::new(options.clone()).outlook();
        let resolved = asked.targets.resolve(&mut coming);
        resolved.map_err(|wrong| out::say(&wrong)).ok()?;
        Some(coming)
    };
    let coming = resolved(&options)?;
    let whole = coming.first().and_then(|fill| size_of_target(fill, asked));
    if are_simulated(&coming) && options.engine.is_async() {
        // The survey knows its points by their settings again.
        options.engine = EngineKind::SIMULATED;
    }
    options.target_size = whole;
    if let (Some(whole), Some(size)) = (whole, given)
        && size.saturating_mul(u64::from(options.jobs.max(1))) > whole
    {
        out::say(&no_room(size, options.jobs, whole));
        return None;
    }
    if let (Some(whole), true) = (whole, are_simulated(&coming)) {
        // A simulated volume has no more than its law says: a part of the set is one of that.
        let part = whole / u64::from(options.jobs.max(1));
        options.size = options.size.min(part - part % Bytes::MIB).max(Bytes::MIB);
    }
    Some((resolved(&options)?, options))
}

/// That the parts of all workers are more than there is.
fn no_room(size: u64, jobs: u32, whole: u64) -> String {
    let each = match jobs {
        0 | 1 => String::new(),
        jobs => format!(" for each of {jobs} jobs"),
    };
    format!(
        "error[large-dataset]: a data set of {}{each} does not fit on the target, which has {}\n  hint: --size {} or less",
        Bytes(size),
        Bytes(whole),
        at_most(whole / u64::from(jobs.max(1)))
    )
}

/// The size of the one volume or device that a stage is on; `None` where it is on something else, or on other hosts.
fn size_of_target(stage: &Stage, asked: &HostsRequest) -> Option<u64> {
    let target = &stage.workloads.first()?.blocks().target;
    let is_whole = match target {
        Target::Simulated(simulated) => simulated.files.is_empty(),
        Target::Paths(paths) => paths.len() == 1,
        _ => false,
    };
    room_on(target, asked.hosts.is_empty()).filter(|_| is_whole)
}

/// The survey as the arguments want it, or why not.
pub(super) fn options(args: &Measure) -> Result<SurveyOptions, (String, Exit)> {
    let scope = match (args.quick, args.full) {
        (true, _) => Scope::Quick,
        (_, true) => Scope::Full,
        _ => Scope::Standard,
    };
    let place = place(args)?;
    let mut options = SurveyOptions::new(place, scope);
    options.seed = args.seed;
    if args.on.hosts.is_none() {
        options.size = args
            .size
            .unwrap_or_else(|| fitting(options.size, &args.target[0]));
    } else {
        // What is there is each host's to say.
        options.size = args.size.unwrap_or(options.size);
    }
    options.time = args.time.unwrap_or(options.time);
    options.narrow = args.until_interval;
    options.server_cache = args.server_cache.unwrap_or_default();
    options.depth = args.depth.unwrap_or(options.depth);
    options.jobs = args.jobs.unwrap_or(options.jobs);
    options.direct = !args.buffered;
    if let Some(size) = args.bs {
        options.random_blocks = vec![size];
    }
    if args.time.is_some() {
        // An explicit time is kept, however long the whole then takes.
        options.budget = None;
    }
    options.engine = args.engine;
    Ok(options)
}

/// A directory of our own files, or paths whose content the user gave up by naming them.
fn place(args: &Measure) -> Result<SurveyTarget, (String, Exit)> {
    let named = args.target.iter().map(|t| t.display().to_string());
    let targets = Targets {
        named: &named.collect::<Vec<_>>(),
        destroy: &args.destroy,
        elsewhere: args.on.hosts.is_some(),
        writer: "the survey",
    };
    Ok(match targets.place()? {
        StudyPlace::Directory(directory) => SurveyTarget::Directory(directory),
        StudyPlace::Paths(paths) => SurveyTarget::Paths(paths),
    })
}

/// The default size, or a quarter of what is free when that is less; a simulated volume needs no room here.
pub(super) fn fitting(size: u64, target: &Path) -> u64 {
    if target.to_str().is_some_and(is_simulated) {
        return size;
    }
    let free = host::free_bytes(target).unwrap_or(u64::MAX);
    size.min(free / 4).max(16 * Bytes::MIB)
}

fn plan(args: &Measure, asked: &HostsRequest, time: Nanos) -> Plan {
    let targets: Vec<String> = args
        .target
        .iter()
        .map(|t| t.display().to_string())
        .collect();
    Plan {
        slices: 1,
        partial_totals_every: None,
        study: None,
        hosts: asked.hosts.clone(),
        title: format!("survey of {}", targets.join(" ")),
        source: Source {
            dialect: Dialect::Native,
            args: std::env::args_os()
                .skip(1)
                .map(|arg| arg.to_string_lossy().into_owned())
                .collect(),
            own: Vec::new(),
            environment: Vec::new(),
            directory: asked.directory(),
            files: Vec::new(),
        },
        given: Vec::new(),
        original: leadline_model::plan::Original::default(),
        interval: narrow::slice(time, args.until_interval.is_some()),
        stages: Vec::new(),
        read_only: false,
        destroy: args.destroy.clone(),
    }
}

/// What to do where results cannot be written.
pub(super) const PLACE_CURE: &str = "set the path of the report and the run file with --out";

/// Where the results go: two files of one name.
pub(super) struct Places {
    pub(super) run_file: PathBuf,
    page: ResultFile,
    shown: String,
}

impl Places {
    /// Where the run file goes.
    pub(super) fn run_file(&self) -> &Path {
        &self.run_file
    }

    /// The first name of which neither file is there, or the very name with `force`; neither is one of `inputs`. The
    /// report's is made at once: what cannot be written there is known before anything is measured.
    pub(super) fn at(base: &Path, force: bool, inputs: &Inputs) -> Result<Self, String> {
        let named = |number: u32| match number {
            1 => base.to_owned(),
            number => {
                let mut base = base.components().as_path().as_os_str().to_owned();
                base.push(format!("-{number}"));
                base.into()
            }
        };
        let is_free = |base: &PathBuf| {
            let there = |ending| result_file::beside(base, ending).symlink_metadata().is_ok();
            !there("leadline") && !there("html")
        };
        let base = match (1..=9999).map(named).find(is_free) {
            Some(free) if !force => free,
            _ => base.to_owned(),
        };
        let run_file = result_file::beside(&base, "leadline");
        let page = result_file::beside(&base, "html");
        let replace = if force {
            Replace::Any
        } else {
            Replace::OwnReports
        };
        let failed = |text: String| format!("error: {text}\n  hint: {PLACE_CURE}");
        inputs.leave(&run_file).map_err(failed)?;
        let opened = ResultFile::open(&page, replace, inputs).map_err(failed)?;
        if force && run_file.is_file() {
            let removed = std::fs::remove_file(&run_file);
            removed.map_err(|error| failed(format!("{}: {error}", run_file.display())))?;
        }
        Ok(Self {
            run_file,
            page: opened,
            shown: page.display().to_string(),
        })
    }
}

/// Tables and verdict on standard output (or JSON), the report in its file; false when that could not be written.
fn present(json: bool, run: &Run, places: Places, kept: Option<&Path>) -> bool {
    if json {
        match render::json::json(run) {
            Ok(text) => out::data(&text),
            Err(error) => out::say(&format!("error: {error}")),
        }
    } else {
        out::data(&super::report::tables(run));
    }
    let written = places
        .page
        .write_whole(&render::html::page(run, leadline_fio::print::recipe));
    match &written {
        Ok(()) => out::say(&format!("\nreport:   {}", places.shown)),
        Err(why) => out::say(&format!("error: {why}")),
    }
    if let Some(kept) = kept {
        out::say(&format!("run file: {}", kept.display()));
    }
    written.is_ok()
}

/// Whether I/Os of a run failed, but for as many as its plan lets be lost.
pub(crate) fn has_errors(run: &Run) -> bool {
    // As many as a study lets be lost are a note.
    let is_allowed = |stage: u32| {
        let own = |f: &&Finding| f.code == "io-errors" && f.stage == Some(stage);
        let mut own = run.findings.iter().filter(own).peekable();
        own.peek().is_some() && own.all(|f| f.severity == Severity::Info)
    };
    let stages = run.stages.iter().filter(|s| !is_allowed(s.stage));
    let workers = stages.flat_map(|s| &s.workers);
    workers.into_iter().any(|w| {
        !w.errors.is_empty()
            || (matches!(w.end, EndReason::Error { .. }) && run.loss(w.host).is_none())
            || w.counts.ops.values().any(|c| c.errors > 0)
    })
}
