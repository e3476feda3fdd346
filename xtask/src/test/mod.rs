//! `cargo xtask test`: what continuous integration runs, and what a contributor runs before landing.
//!
//! Every step runs even when an earlier one failed, so that one run reports everything that is wrong.
//! The last line of stdout is `N passed, N failed, N skipped`, over the steps and cargo test's tests.

mod fuzz;
mod packages;
mod tally;

use crate::args::Args;
use crate::{generate, shell, tidy};
use anyhow::{Context, Result, bail};
use packages::Installed;
use tally::Tally;

/// The variable that names the file to which a test that skips itself appends `NAME: REASON`.
const SKIP_LOG: &str = "LEADLINE_SKIP_LOG";

/// The variable that sets how many tests a test program runs at once.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// Tests at once: most of ours wait for a command, a clock or a host more than they work.
fn at_once() -> usize {
    2 * std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

/// What the user asked for.
struct Options {
    /// Debian packages may be installed (they are only when we are root).
    install_packages: bool,
    /// Cargo tools may be built and installed, which takes minutes: only when asked for.
    install_tools: bool,
    /// The fuzz targets run: only when asked for by name.
    fuzz: bool,
    /// The run is unattended: a test that hangs has to be ended.
    unattended: bool,
}

/// A step: its name for `--only`, its heading, and what it does.
type Step = (&'static str, &'static str, fn(&Options) -> Result<Tally>);

const STEPS: &[Step] = &[
    (
        "packages",
        "what the tests need from Debian's packages",
        install_packages,
    ),
    ("fmt", "formatting", |_| {
        cargo_step("fmt", &["fmt", "--all", "--check"])
    }),
    ("tidy", "tidy", |_| Ok(Tally::step("tidy", tidy::run(&[])?))),
    ("clippy", "lints", |_| {
        cargo_step("clippy", &["clippy", "--workspace", "--all-targets"])
    }),
    ("doc", "documentation without warnings", doc),
    ("generate", "generated files are current", |_| {
        Ok(Tally::step(
            "generate",
            generate::run(&["--check".to_owned()])?,
        ))
    }),
    ("deny", "licences, bans and sources of dependencies", deny),
    (
        "test",
        "unit tests and tests with real components",
        cargo_test,
    ),
    ("fuzz", "each fuzz target for a short time", |options| {
        fuzz::run(options.fuzz)
    }),
];

/// Runs all steps, or those named by `--only`; true when nothing failed.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let only = args.list("--only")?;
    let no_install = args.flag("--no-install");
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let options = Options {
        install_packages: !no_install,
        install_tools: args.flag("--install"),
        fuzz: only.iter().any(|name| name == "fuzz"),
        unattended: ci,
    };
    args.finish()?;
    if let Some(unknown) = only
        .iter()
        .find(|name| STEPS.iter().all(|step| step.0 != *name))
    {
        let names: Vec<&str> = STEPS.iter().map(|step| step.0).collect();
        bail!("no step `{unknown}`; steps are {}", names.join(", "));
    }
    let start = shell::now();
    let mut total = Tally::default();
    for (name, heading, step) in STEPS {
        if !only.is_empty() && !only.iter().any(|wanted| wanted == name) {
            continue;
        }
        println!("\n== {name}: {heading}");
        let begin = shell::now();
        let tally = step(&options).unwrap_or_else(|error| {
            println!("{error:#}");
            Tally::step(name, false)
        });
        println!(
            "== {name}: {} ({:.1} s)",
            tally.summary(),
            begin.elapsed().as_secs_f64()
        );
        total.add(tally);
    }
    report(&total, start.elapsed().as_secs_f64());
    Ok(total.failed == 0)
}

/// Prints what was skipped, what failed, and the line that others read.
fn report(total: &Tally, seconds: f64) {
    println!("\n== result after {seconds:.0} s");
    for (name, reason) in &total.skipped {
        println!("skipped: {name}: {reason}");
    }
    for name in &total.failures {
        println!("failed: {name}");
    }
    println!("{}", total.summary());
}

fn cargo_step(name: &str, words: &[&str]) -> Result<Tally> {
    Ok(Tally::step(name, shell::passes(&mut shell::cargo(words))?))
}

fn install_packages(options: &Options) -> Result<Tally> {
    Ok(match packages::install(options.install_packages)? {
        Installed::Ready => Tally::step("packages", true),
        Installed::Missing(reason) => Tally::skipped_step("packages", reason),
    })
}

fn doc(_: &Options) -> Result<Tally> {
    let mut command = shell::cargo(&["doc", "--workspace", "--no-deps"]);
    Ok(Tally::step(
        "doc",
        shell::passes(command.env("RUSTDOCFLAGS", "-D warnings"))?,
    ))
}

/// Checks dependencies against deny.toml. Advisories need a database from the network and change
/// without a change of ours, so they are no part of a test.
fn deny(options: &Options) -> Result<Tally> {
    if shell::find_program("cargo-deny").is_none() {
        if !options.install_tools {
            let reason = "cargo-deny is not installed; use --install, or `cargo install --locked \
                          cargo-deny`";
            return Ok(Tally::skipped_step("deny", reason.to_owned()));
        }
        // Unoptimised: it builds in a third of the time and runs for a second.
        let words = ["install", "--quiet", "--locked", "--debug", "cargo-deny"];
        if !shell::passes(&mut shell::cargo(&words))? {
            let reason = "cargo-deny could not be installed".to_owned();
            return Ok(Tally::skipped_step("deny", reason));
        }
    }
    cargo_step("deny", &["deny", "check", "licenses", "bans", "sources"])
}

fn cargo_test(options: &Options) -> Result<Tally> {
    let dir = shell::target_dir();
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let log = dir.join("skipped-tests.log");
    std::fs::write(&log, "").with_context(|| format!("cannot write {}", log.display()))?;
    let mut command = shell::cargo(&["test", "--workspace", "--no-fail-fast"]);
    if options.unattended && shell::find_program("timeout").is_some() {
        command = shell::limited(&command, "1h");
    }
    if std::env::var_os(TEST_THREADS).is_none() {
        command.env(TEST_THREADS, at_once().to_string());
    }
    let (succeeded, stdout) = shell::tee(command.env(SKIP_LOG, &log))?;
    let skipped = std::fs::read_to_string(&log)?;
    Ok(tally::of_cargo_test(&stdout, &skipped, succeeded))
}
