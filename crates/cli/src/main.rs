//! The leadline command: verbs, exit codes, live view, wiring. Every other crate meets here and only
//! here.
//!
//! Belongs here: what talks to the terminal and to the process's surroundings. Must never: measure,
//! compute a statistic, or decide what a job means.
#![forbid(unsafe_code)]

mod args;
mod exit;
mod fleet;
mod host;
mod live;
mod mount;
mod out;
mod own_files;
mod place;
mod session;
mod time;
mod verbs;

use args::{Cli, Verb};
use clap::Parser;
use exit::Exit;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    run(args).into()
}

/// The name the program was called by picks the front end (`ln -s leadline fio`).
fn run(args: Vec<OsString>) -> Exit {
    let called = args
        .first()
        .map(Path::new)
        .and_then(Path::file_stem)
        .unwrap_or_default();
    if called == "fio" {
        return verbs::fio::run(&words(&args[1..]));
    }
    if called == "diskspd" {
        return verbs::diskspd::run(&words(&args[1..]));
    }
    if called == "vdbench" {
        return verbs::vdbench::run(&words(&args[1..]));
    }
    match Cli::try_parse_from(args) {
        Ok(cli) => verb(cli.verb),
        Err(error) => {
            // Help and version go to standard output and are no failure.
            let _ = error.print();
            if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Fine
            }
        }
    }
}

fn verb(verb: Verb) -> Exit {
    match verb {
        Verb::Measure(args) => verbs::measure::run(&args),
        Verb::Fio { args } => verbs::fio::run(&words(&args)),
        Verb::Diskspd { args } => verbs::diskspd::run(&words(&args)),
        Verb::Vdbench { args } => verbs::vdbench::run(&words(&args)),
        Verb::Plan(args) => verbs::plan::run(&args),
        Verb::Report(args) => verbs::report::run(&args),
        Verb::Show { run } => verbs::report::show(&run),
        Verb::List { directory } => verbs::list::run(directory.as_deref()),
        Verb::Agent(args) => verbs::agent::run(&args),
        Verb::GenerateAssets { directory } => verbs::assets::run(&directory),
    }
}

/// Arguments as text; what is not UTF-8 is shown with the replacement character, and then refused by
/// the dialect as a name that does not exist.
fn words(args: &[OsString]) -> Vec<String> {
    args.iter()
        .map(|a| a.to_string_lossy().into_owned())
        .collect()
}
