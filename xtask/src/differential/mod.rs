//! `cargo xtask differential`: random fio jobs, run by fio and by leadline, and compared.
//!
//! Belongs here: running both under strace and telling what came of it. Must never: excuse a difference that
//! docs/reference/fio-differences.md does not give the reason of.

mod compare;
mod jobs;
mod trace;

use crate::args::Args;
use crate::shell;
use anyhow::{Context, Result, bail};
use jobs::Case;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use trace::Outcome;

/// Where differences stand that are known, with their reasons.
const KNOWN: &str = "docs/reference/fio-differences.md";

/// Cases unless asked otherwise.
const CASES: u32 = 2000;

/// Runs the cases; true when all that differs is known.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let count = args.number("--cases")?.unwrap_or(CASES);
    let seed = args.number("--seed")?.unwrap_or(1);
    let only = args.number("--only")?;
    let given = args.value("--leadline")?.map(PathBuf::from);
    let dir = args.value("--dir")?.map(PathBuf::from);
    args.finish()?;
    for program in ["fio", "strace"] {
        if shell::find_program(program).is_none() {
            println!("skipped: xtask::differential: {program} is not installed");
            return Ok(true);
        }
    }
    let leadline = match given {
        Some(path) => path.canonicalize().context("--leadline")?,
        None => built()?,
    };
    let known = std::fs::read_to_string(shell::root().join(KNOWN)).context(KNOWN)?;
    let dir = dir.unwrap_or_else(place);
    let mut tally: BTreeMap<&str, u32> = BTreeMap::new();
    let mut failed = 0;
    let numbers = only.map_or(0..count, |n| n..n + 1);
    for number in numbers.clone() {
        let case = jobs::case(seed.into(), number);
        let fio = both(&case, Path::new("fio"), &[], &dir)?;
        let ours = both(&case, &leadline, &["fio"], &dir)?;
        let found = compare::differences(&case, &fio, &ours);
        if only.is_some() {
            println!("{}fio:  {fio:?}\nours: {ours:?}", case.text);
        }
        match (found.as_slice(), case.known()) {
            ([], _) => {}
            (_, Some(name)) if known.contains(&format!("`{name}`")) => {
                *tally.entry(name).or_default() += 1;
            }
            _ => {
                failed += 1;
                println!("differs: case {number} of seed {seed}\n{}", case.text);
                for line in found {
                    println!("  {line}");
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
    for (name, count) in &tally {
        println!("known: {name}: {count}");
    }
    let known: u32 = tally.values().sum();
    let same = numbers.end - numbers.start - known - failed;
    println!("{same} the same, {known} known to differ, {failed} differ");
    Ok(failed == 0)
}

/// leadline as the workspace builds it.
fn built() -> Result<PathBuf> {
    if !shell::passes(&mut shell::cargo(&["build", "-p", "leadline"]))? {
        bail!("leadline does not build");
    }
    Ok(shell::target_dir().join("debug/leadline"))
}

/// In memory, where there is such a place.
fn place() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    base.join(format!("leadline-differential-{}", std::process::id()))
}

/// What one of the tools makes of a case, in a fresh directory.
fn both(case: &Case, tool: &Path, verb: &[&str], dir: &Path) -> Result<Outcome> {
    let _ = std::fs::remove_dir_all(dir);
    let work = dir.join("work");
    std::fs::create_dir_all(&work)?;
    std::fs::write(work.join("job.fio"), &case.text)?;
    for (name, bytes) in &case.files {
        std::fs::write(work.join(name), vec![0x5a_u8; usize::try_from(*bytes)?])?;
    }
    let mut command = Command::new("timeout");
    command.args([
        "--kill-after=5s",
        "60s",
        "strace",
        "-ff",
        "-y",
        "-s0",
        "-qq",
    ]);
    command.args(["-e", "trace=pread64,pwrite64", "-o"]);
    command.arg(dir.join("trace")).arg(tool).args(verb);
    command.args(["job.fio", "--output-format=json"]);
    command
        .current_dir(&work)
        .env("XDG_DATA_HOME", dir.join("data"))
        .env("XDG_STATE_HOME", dir.join("state"));
    let output = command.output().context("strace")?;
    let mut outcome = trace::read(dir)?;
    outcome.code = output.status.code().unwrap_or(-1);
    outcome.jobs = trace::jobs(&String::from_utf8_lossy(&output.stdout));
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_known_difference_has_its_reason() {
        let page = std::fs::read_to_string(shell::root().join(KNOWN)).unwrap();
        for name in jobs::KNOWN {
            assert!(page.contains(&format!("| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_cases() {
        assert_eq!(jobs::case(3, 17).text, jobs::case(3, 17).text);
        assert_ne!(jobs::case(3, 17).text, jobs::case(4, 17).text);
    }
}
