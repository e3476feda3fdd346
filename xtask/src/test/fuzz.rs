//! The step `fuzz`: each fuzz target for some seconds, built by the pinned compiler and without a sanitizer.
//!
//! Only when it is asked for: what libFuzzer finds differs from run to run, and a test does not.

use super::tally::Tally;
use crate::shell;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// How long each target runs.
const SECONDS: u32 = 20;

/// What shows libFuzzer which code a seed reached. A sanitizer would need a nightly compiler.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1 \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Builds and runs all targets, or says why not.
pub(super) fn run(asked: bool) -> Result<Tally> {
    if !asked {
        let reason = format!("{SECONDS} s a target; give --only fuzz");
        return Ok(Tally::skipped_step("fuzz", reason));
    }
    if ["c++", "g++", "clang++"].map(shell::find_program) == [None, None, None] {
        let reason = "libFuzzer needs a C++ compiler".to_owned();
        return Ok(Tally::skipped_step("fuzz", reason));
    }
    let host = host()?;
    if !shell::passes(&mut build(&host))? {
        return Ok(Tally::step("fuzz: build", false));
    }
    let directory = shell::target_dir().join("fuzz");
    let seeds = shell::root().join("fuzz/seeds");
    let mut tally = Tally::default();
    for target in targets(&shell::root())? {
        let corpus = directory.join("corpus").join(&target);
        std::fs::create_dir_all(&corpus)
            .with_context(|| format!("cannot create {}", corpus.display()))?;
        let mut command = Command::new(directory.join(&host).join("release").join(&target));
        command
            .current_dir(&directory)
            .arg(format!("-max_total_time={SECONDS}"))
            .args([
                "-timeout=10",
                "-rss_limit_mb=4096",
                "-verbosity=0",
                "-print_funcs=0",
            ])
            .arg(format!("-artifact_prefix={target}-"))
            .args([corpus, seeds.join(&target)]);
        println!("{target}: {SECONDS} s");
        tally.add(Tally::step(
            &format!("fuzz: {target}"),
            shell::passes(&mut command)?,
        ));
    }
    Ok(tally)
}

/// With a target named, flags reach no build script and no macro of the compiler's own.
fn build(host: &str) -> Command {
    let mut command = shell::cargo(&["build", "--release", "--manifest-path", "fuzz/Cargo.toml"]);
    command
        .args(["--target", host, "--target-dir"])
        .arg(shell::target_dir().join("fuzz"))
        .env("RUSTFLAGS", COVERAGE)
        .env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true")
        .env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true");
    command
}

/// The compiler's name for this machine.
fn host() -> Result<String> {
    let said = shell::stdout_of(Command::new("rustc").arg("-vV").current_dir(shell::root()))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}

/// Names of the targets, by their files.
fn targets(root: &Path) -> Result<Vec<String>> {
    let directory = root.join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory)
        .with_context(|| format!("cannot read {}", directory.display()))?
    {
        let path = entry?.path();
        names.extend(
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned()),
        );
    }
    names.sort();
    Ok(names)
}
