//! `leadline diskspd ...`, or leadline called by the name diskspd: DISKSPD's command lines as they are.
//!
//! DISKSPD's own exit codes: 0 fine, 3 for what could not be read, 1 for a run that failed.

mod dots;
mod events;
mod spoken;

use crate::examples;
use crate::exit::Exit;
use crate::fleet::{self, HostsRequest, StageError};
use crate::host::ThisHost;
use crate::knobs::Language;
use crate::live::Live;
use crate::result_file::{self, Inputs, Replace, ResultFile};
use crate::session::{self, Listeners};
use crate::{out, place, switches};
use dots::Dots;
use events::{Waited, Watch};
use leadline_diskspd::profile::ResultFormat;
use leadline_diskspd::report as shape;
use leadline_diskspd::{self as diskspd, Parsed, RunFile, ShowOnly, Switches};
use leadline_engine::os;
use leadline_model::event::{Event, Outcome};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Plan;
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_results::run::Run;
use std::path::{Path, PathBuf};

/// DISKSPD's code for a command line it does not accept.
pub(crate) const REJECTED: Exit = Exit::Code(3);

/// DISKSPD's code for a run that failed.
pub(crate) const FAILED: Exit = Exit::Code(1);

/// Dots of an interval: more are no longer looked at one by one.
const MOST_DOTS: usize = 1 << 20;

pub(crate) fn run(args: &[String]) -> Exit {
    let (asked, args) = HostsRequest::take_from(args);
    let this = ThisHost::with(asked.as_ref().map(|asked| &asked.targets));
    let mut parsed = diskspd::parse(&args, &this);
    if let Some(ShowOnly::Usage { asked }) = parsed.run.show {
        out::help(&usage());
        return if asked { Exit::Fine } else { REJECTED };
    }
    let aloud = matches!(parsed.run.show, Some(ShowOnly::Profile));
    let Some(notes) = super::heard(&parsed.diagnostics, &parsed.sources, aloud) else {
        return REJECTED;
    };
    let Some(asked) = asked else { return REJECTED };
    let named = |plan: &Plan| asked.checks.name_what_is_in(&plan.stages, false);
    if let Some(plan) = &mut parsed.plan
        && !(asked.settle(plan) && named(plan))
    {
        return REJECTED;
    }
    if !parsed.run.events.set.is_empty() {
        return set_and_exit(&parsed.run.events.set);
    }
    match parsed.run.show {
        Some(ShowOnly::System) => show_system(parsed.run.format),
        Some(ShowOnly::Profile) => show_profile(&parsed, &args),
        _ => match &parsed.plan {
            Some(plan)
                if super::says_whole_names(plan)
                    && asked.checks.has_own_files(plan, results(&parsed.run)) =>
            {
                execute(plan, &parsed.run, &asked, notes)
            }
            _ => REJECTED,
        },
    }
}

/// The help: DISKSPD's options and leadline's own.
pub(crate) fn usage() -> String {
    diskspd::usage() + &switches::help() + "\n" + &examples::end("diskspd")
}

/// `-ye`: DISKSPD exits with 1 even when all went well.
fn set_and_exit(paths: &[String]) -> Exit {
    for path in paths {
        match events::set(path) {
            Ok(()) => out::data(&format!("Successfully set event: '{path}'\n")),
            Err(error) => {
                out::say(&format!("error: the event cannot be set: {error}"));
                return FAILED;
            }
        }
    }
    out::data("Now exiting...\n");
    FAILED
}

fn show_profile(parsed: &Parsed, args: &[String]) -> Exit {
    let Some(profile) = &parsed.profile else {
        return REJECTED;
    };
    out::data(&match parsed.run.format {
        ResultFormat::Xml => diskspd::profile_xml(profile),
        ResultFormat::Text => {
            diskspd::profile_text(profile, &format!("diskspd {}", args.join(" ")))
        }
    });
    Exit::Fine
}

/// `-Rs`: what is known of this host, in the shape of a result without a run.
fn show_system(format: ResultFormat) -> Exit {
    let mut run = Run::default();
    run.apply(&Event::Facts(os::facts::host()));
    run.wall_ms = os::wall::wall_ms();
    out::data(&render(&run, format));
    Exit::Fine
}

fn render(run: &Run, format: ResultFormat) -> String {
    match format {
        ResultFormat::Xml => shape::xml(run),
        ResultFormat::Text => shape::text(run),
    }
}

fn execute(plan: &Plan, switches: &Switches, asked: &HostsRequest, notes: Vec<Finding>) -> Exit {
    let inputs = result_file::inputs(plan);
    let (xml_file, text_file) = match further(switches, &inputs) {
        Ok(files) => files,
        Err(why) => {
            out::say(&format!("error: {why}\n  hint: {OTHER_PLACE}"));
            return FAILED;
        }
    };
    let interrupt = session::interrupt();
    if let Some(event) = &switches.events.wait {
        if out::err_is_terminal() {
            out::say(&format!("waiting for the event {event}"));
        }
        if !Waited::new(event).wait(&interrupt) {
            out::say("interrupted while waiting for the event: nothing was run");
            return FAILED;
        }
    }
    let mut dots = Dots::of(plan);
    let live = Live::of_front_end();
    let mut listeners = Listeners::new(match dots {
        Some(_) => live.without_progress(),
        None => live,
    });
    listeners.note(notes);
    listeners.compare_with(&asked.checks);
    match &switches.run_file {
        RunFile::None => {}
        RunFile::Path(path) => {
            let results = switches.xml_file.iter().chain(&switches.text_file);
            let mut taken = inputs;
            results.for_each(|result| taken.add(result.into()));
            if let Err(why) = listeners.keep_apart(Path::new(path), &taken) {
                out::say(&format!("error: --leadline-run: {why}"));
                return FAILED;
            }
        }
        RunFile::Default => listeners.keep_in(&place::runs(), &format!("diskspd-{}", plan.title)),
    }
    let watch = Watch::start(&switches.events, plan, &interrupt);
    let planned = (plan, asked.accept);
    let result = session::run_plan_beside(planned, interrupt, &mut listeners, &mut |event| {
        if let Some(dots) = &mut dots {
            show(dots, event);
        }
        watch.take(event);
    });
    watch.finish();
    let kept = listeners.close();
    let lost = listeners.has_lost_the_run_file();
    let run = listeners.into_run();
    match switches.format {
        ResultFormat::Xml => out::data(&render(&run, switches.format)),
        ResultFormat::Text => out::text(&render(&run, switches.format)),
    }
    super::say_where_kept(kept.as_deref());
    let written = write(xml_file, &shape::xml, &run) & write(text_file, &shape::text, &run);
    let verdict = verdict(&run, &result);
    let exit = match verdict {
        _ if !written || lost => FAILED,
        Exit::Fine if asked.is_failed_by(&run) => FAILED,
        verdict => verdict,
    };
    if !exit.is_fine() || fleet::misses_a_host(&run) {
        super::say_found(&run, Severity::Fail);
    }
    asked.judged(exit, &run)
}

/// The files of results that are named.
fn results(switches: &Switches) -> impl Iterator<Item = PathBuf> {
    let run_file = match &switches.run_file {
        RunFile::Path(path) => Some(path),
        _ => None,
    };
    let results = switches.xml_file.iter().chain(&switches.text_file);
    results.chain(run_file).map(PathBuf::from)
}

/// Dots for what an interval brings; they end before anything else is said.
fn show(dots: &mut Dots, event: &Event) {
    match event {
        Event::Interval(sample) => {
            let count = usize::try_from(dots.of_interval(sample)).unwrap_or(usize::MAX);
            out::progress(&".".repeat(count.min(MOST_DOTS)));
        }
        Event::RunEnded { .. } => out::progress("\n"),
        _ => {}
    }
}

/// How results begin: only such a file is written over.
const XML_BEGINS: &str = "<Results>";
const TEXT_BEGINS: &str = "\nCommand Line: ";

/// What to do where results are not written over what is there.
const OTHER_PLACE: &str = "name another file; --leadline-force overwrites one that is neither a \
                           target nor another result";

/// The further files for results, XML and text, made before anything runs.
fn further(
    switches: &Switches,
    inputs: &Inputs,
) -> Result<(Option<ResultFile>, Option<ResultFile>), String> {
    let open = |path: &Option<String>, begins, inputs: &Inputs| {
        let replace = Replace::Begins(begins).or_any(switches.force);
        let open = |path| ResultFile::open(Path::new(path), replace, inputs);
        path.as_ref().map(open).transpose()
    };
    let xml = open(&switches.xml_file, XML_BEGINS, inputs)?;
    let mut taken = inputs.clone();
    switches.xml_file.iter().for_each(|f| taken.add(f.into()));
    let text = open(&switches.text_file, TEXT_BEGINS, &taken)?;
    Ok((xml, text))
}

/// Writes results to a further file; false when that failed.
fn write(file: Option<ResultFile>, shape: &dyn Fn(&Run) -> String, run: &Run) -> bool {
    let written = file.map_or(Ok(()), |file| file.write_whole(&shape(run)));
    written
        .map_err(|why| out::say(&format!("error: {why}")))
        .is_ok()
}

/// The exit code, with DISKSPD's words where a run failed.
fn verdict(run: &Run, result: &Result<Outcome, StageError>) -> Exit {
    if let Err(error) = result {
        super::explain(error, Language::Of(leadline_model::plan::Dialect::Diskspd));
        out::say("Error generating I/O requests");
        return FAILED;
    }
    let mut workers = run.stages.iter().flat_map(|stage| &stage.workers);
    let has_failed = |worker: &WorkerTotals| {
        !worker.errors.is_empty()
            || (matches!(worker.end, EndReason::Error { .. }) && run.loss(worker.host).is_none())
    };
    if workers.any(has_failed) {
        out::say("There has been an error during threads execution");
        out::say("Error generating I/O requests");
        return FAILED;
    }
    let measured = run
        .stages
        .iter()
        .flat_map(|stage| &stage.samples)
        .any(|sample| !sample.warmup);
    if matches!(result, Ok(Outcome::CutShort)) && !measured {
        out::say("The test was interrupted before the measurements began.");
        return FAILED;
    }
    Exit::Fine
}
