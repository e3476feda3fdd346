//! `cargo xtask VERB`: the checks, the tests, the generated files and the benches of the workspace.
//!
//! Belongs here: anything a contributor or continuous integration runs that is not the product.
//! Must never: be needed at run time by leadline, or hold a rule that a lint already holds.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's command: its report goes to stdout and its progress to stderr"
)]

mod args;
mod bench;
mod differential;
mod dist;
mod gallery;
mod generate;
mod mutants;
mod shell;
mod test;
mod tidy;
mod truth;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask VERB

  test [--no-install | --install] [--only STEP,...]
        install what the tests need from Debian's packages when that is allowed, then run every
        check and every test; ends with `N passed, N failed, N skipped`
  tidy  the checks of the tree that no lint knows
  generate [--check]
        write the generated docs, completions and man pages; --check compares and writes nothing
  bench [--only NAME,...] [--pairs N] [--seconds N] [--dir DIR] [--out FILE]
        [--leadline PROGRAM] [--list]
        leadline beside Debian's fio, in alternating rounds; writes docs/benchmarks.md
  bench --fleet [--hosts N] [--seconds N] [--leadline PROGRAM]
        what 10 to 1000 simulated hosts cost one controller; renews its section there
  differential [--cases N] [--setups N] [--seed N] [--only NUMBER] [--leadline PROGRAM] [--dir DIR]
        random fio jobs by fio and by leadline, compared; fails on a difference that is not known
  truth [--seed N] [--count N] [--family NAME] [--named] [--studies] [--leadline PROGRAM]
        surveys of simulated volumes whose limit is known, drawn or the twenty named ones; prints how
        many answers are right, unsure, wrong and false alarms; fails on a wrong one; with --studies how
        many studies of sound volumes have no answer, and how many changes within a study are missed
  mutants [--seed N] [--count N] [--skip N] [--only PATH] [--list]
        small changes of model, statistics, schedule and access, one at a time in a copy of the tree: how
        many the unit tests of the crate catch, and which not; fails when they fail without a change
  gallery [--out DIR] [--leadline PROGRAM] [--pictures DIR]
        published charts beside those that leadline draws of simulated runs: one page, in target/gallery
  dist  one static program that runs on any Linux of this architecture, wherever it is copied
";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let verb = words.next().unwrap_or_default();
    let rest: Vec<String> = words.collect();
    match dispatch(&verb, &rest) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask {verb}: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs one verb; `Ok(false)` means it ran and found something wrong.
fn dispatch(verb: &str, rest: &[String]) -> Result<bool> {
    match verb {
        "test" => test::run(rest),
        "tidy" => tidy::run(rest),
        "generate" => generate::run(rest),
        "bench" => bench::run(rest),
        "differential" => differential::run(rest),
        "truth" => truth::run(rest),
        "mutants" => mutants::run(rest),
        "dist" => dist::run(rest),
        "gallery" => gallery::run(rest),
        "spin" => bench::spin::run(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(true)
        }
        "" => bail!("a verb is needed\n\n{USAGE}"),
        other => bail!("no verb `{other}`\n\n{USAGE}"),
    }
}
