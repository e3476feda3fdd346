//! The leadline command: verbs, exit codes, live view, wiring. Every other crate meets here and only
//! here.
//!
//! Belongs here: what talks to the terminal and to the process's surroundings. Must never: measure,
//! compute a statistic, or decide what a job means.
#![forbid(unsafe_code)]

mod args;
mod checks;
mod cloud;
mod copies;
mod diagnostics;
mod examples;
mod exit;
mod fleet;
mod fold;
mod host;
mod kept;
mod knobs;
mod live;
mod mount;
mod out;
mod picture;
mod place;
mod plan_words;
mod published;
mod result_file;
mod session;
mod simulated;
mod statuses;
mod subject;
mod switches;
mod time;
mod verbs;
mod wrong_words;

use args::{Cli, Verb, words};
use clap::FromArgMatches;
use exit::Exit;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    leadline_engine::os::signals::survive_the_file_size_limit();
    let (exit, failed) = run(args);
    let Some(why) = out::lost() else {
        return exit.into();
    };
    out::say(&format!("error: cannot write to standard output: {why}"));
    if exit.is_fine() { failed } else { exit }.into()
}

/// The name the program was called by picks the front end (`ln -s leadline fio`). With the exit code comes the one
/// for results that could not be written.
fn run(args: Vec<OsString>) -> (Exit, Exit) {
    let called = args
        .first()
        .map(Path::new)
        .and_then(Path::file_stem)
        .unwrap_or_default();
    if called == "fio" {
        return fio(&args[1..]);
    }
    if called == "diskspd" {
        return diskspd(&args[1..]);
    }
    if called == "vdbench" {
        return vdbench(&args[1..]);
    }
    let read = examples::shown().try_get_matches_from(&args);
    match read.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => verb(cli.verb),
        Err(error) if error.use_stderr() => {
            wrong_words::say_all(error, args);
            (Exit::Usage, Exit::Environment)
        }
        Err(help) => {
            let shown = help.render();
            if out::color(out::out_is_terminal()) {
                out::help(&shown.ansi().to_string());
            } else {
                out::help(&shown.to_string());
            }
            (Exit::Fine, Exit::Environment)
        }
    }
}

fn fio(args: &[OsString]) -> (Exit, Exit) {
    let failed = verbs::fio::FAILED;
    (words(args).map_or(failed, |a| verbs::fio::run(&a)), failed)
}

fn diskspd(args: &[OsString]) -> (Exit, Exit) {
    use verbs::diskspd::{FAILED, REJECTED, run};
    (words(args).map_or(REJECTED, |args| run(&args)), FAILED)
}

fn vdbench(args: &[OsString]) -> (Exit, Exit) {
    use verbs::vdbench::{FAILED, run};
    (words(args).map_or(FAILED, |args| run(&args)), FAILED)
}

fn verb(verb: Verb) -> (Exit, Exit) {
    let exit = match verb {
        Verb::Fio { args } => return fio(&args),
        Verb::Diskspd { args } => return diskspd(&args),
        Verb::Vdbench { args } => return vdbench(&args),
        Verb::Measure(args) => verbs::measure::run(&args),
        Verb::Study { args } => words(&args).map_or(Exit::Usage, |args| verbs::study::run(&args)),
        Verb::Confirm(args) => verbs::confirm::run(&args),
        Verb::Plan(args) => verbs::plan::run(&args),
        Verb::Report(args) => verbs::report::run(&args),
        Verb::Compare(args) => verbs::compare::run(&args),
        Verb::Plot(args) => verbs::plot::run(&args),
        Verb::Schema { name } => verbs::schema::run(name),
        Verb::Show { run } => verbs::report::show(&run),
        Verb::Tag { run, tag } => verbs::list::tag(&run, tag.as_deref()),
        Verb::Explain { code } => verbs::explain::run(code.as_deref()),
        Verb::Help { verb } => {
            let asked = verb.map(OsString::from);
            let words = ["leadline".into()].into_iter().chain(asked);
            return run(words.chain(["--help".into()]).collect());
        }
        Verb::Limits(args) => verbs::limits::run(&args),
        Verb::Check(args) => verbs::check::run(&args),
        Verb::List(args) => verbs::list::run(&args),
        Verb::Agent(args) => verbs::agent::run(&args),
        Verb::GenerateAssets { directory } => verbs::assets::run(&directory),
    };
    (exit, Exit::Environment)
}
