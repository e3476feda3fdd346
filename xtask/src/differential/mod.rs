//! `cargo xtask differential`: random fio jobs, run by fio and by leadline, and compared.
//!
//! Belongs here: running both under strace and reporting the outcome. Must never: judge a case.

mod compare;
mod jobs;
mod known;
mod setups;
mod trace;

use crate::args::Args;
use crate::shell;
use anyhow::{Context, Result, bail};
use compare::{Difference, What};
use jobs::JobCase;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use trace::TracedRun;

/// Where differences stand that are known, with their reasons.
#[cfg(test)]
const KNOWN: &str = "docs/reference/fio-differences.md";

/// Cases unless asked otherwise.
const CASES: u32 = 2000;

/// Set-ups that fail unless asked otherwise.
const SETUPS: u32 = 500;

/// How often a case is run again whose time differs.
const RETRIES: u32 = 2;

/// Runs the cases; true when all that differs is known.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let count = args.number("--cases")?.unwrap_or(CASES);
    let seed = args.number("--seed")?.unwrap_or(1);
    let only = args.number("--only")?;
    let setups = args.number("--setups")?;
    let setups = setups.unwrap_or(if only.is_some() { 0 } else { SETUPS });
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
        None => shell::built_leadline()?,
    };
    let dir = dir.unwrap_or_else(place);
    let numbers = only.map_or(0..count, |n| n..n + 1);
    let run = Run {
        next: AtomicU32::new(numbers.start),
        end: numbers.end,
        seed,
        loud: only.is_some(),
        leadline,
        dir,
        tally: Mutex::default(),
    };
    // Half of the time of a case is waiting for fio to end.
    let threads = std::thread::available_parallelism().map_or(1, |n| 2 * n.get());
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || run.cases(thread)))
            .collect();
        let mut ends = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        ends.try_for_each(|end| end.unwrap_or_else(|_| bail!("a thread failed")))
    })?;
    let alike = fail_alike(&run, setups);
    let _ = std::fs::remove_dir_all(&run.dir);
    let tally = run.tally.into_inner();
    Ok(tally.unwrap_or_else(PoisonError::into_inner).print() & alike?)
}

/// The exit codes of jobs most of which cannot be set up; true when none differs.
fn fail_alike(run: &Run, count: u32) -> Result<bool> {
    let has_nobody = setups::has_nobody();
    std::fs::create_dir_all(&run.dir)?;
    // Where another user may call it from.
    let leadline = run.dir.join("leadline");
    std::fs::copy(&run.leadline, &leadline)?;
    let (mut done, mut failed, mut differ) = (0, 0, 0);
    for number in 0..count {
        let setup = setups::setup(run.seed.into(), number);
        if setup.nobody && !has_nobody {
            continue;
        }
        let dir = run.dir.join("setup");
        let [fio, ours] = setups::codes(&setup, &leadline, &dir)?;
        setups::clear(&dir);
        done += 1;
        failed += u32::from(fio.0 != 0);
        if fio.0 != ours.0 {
            differ += 1;
            let who = if setup.nobody { " as nobody" } else { "" };
            println!("differs: set-up {number}{who}: {}", setup.words.join(" "));
            println!(
                "  fio {} ({}), leadline {} ({})",
                fio.0, fio.1, ours.0, ours.1
            );
        }
    }
    println!("{done} set-ups, {failed} of which fail with fio: {differ} exit codes differ");
    Ok(differ == 0)
}

/// A run of cases by several threads.
struct Run {
    next: AtomicU32,
    end: u32,
    seed: u32,
    /// Prints what both did.
    loud: bool,
    leadline: PathBuf,
    dir: PathBuf,
    tally: Mutex<Disagreements>,
}

impl Run {
    /// One case after the other, until none is left.
    fn cases(&self, thread: usize) -> Result<()> {
        let dir = self.dir.join(thread.to_string());
        loop {
            let number = self.next.fetch_add(1, Relaxed);
            if number >= self.end {
                return Ok(());
            }
            let case = jobs::case(self.seed.into(), number);
            let mut found = self.found(&case, &dir)?;
            // A time that a busy machine made longer is not that long again.
            for _ in 0..RETRIES {
                if found.iter().any(|d| d.what == What::Time) {
                    found = self.found(&case, &dir)?;
                }
            }
            let title = format!("case {number} of seed {}", self.seed);
            let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
            tally.add(&title, &case, &found);
        }
    }

    /// What differs between both tools in a case.
    fn found(&self, case: &JobCase, dir: &Path) -> Result<Vec<Difference>> {
        let fio = both(case, Path::new("fio"), &[], dir)?;
        let ours = both(case, &self.leadline, &["fio"], dir)?;
        if self.loud {
            println!("{}fio:  {fio:?}\nours: {ours:?}", case.text);
        }
        Ok(compare::differences(case, &fio, &ours))
    }
}

/// What came of the cases.
#[derive(Default)]
struct Disagreements {
    same: u32,
    known: u32,
    failed: u32,
    /// Cases by the names of their known differences; a case may have several.
    names: BTreeMap<&'static str, u32>,
}

impl Disagreements {
    /// Counts a case and prints what is not known of it.
    fn add(&mut self, title: &str, case: &JobCase, found: &[Difference]) {
        let names: Vec<_> = found.iter().map(|d| (d, known::name(case, d))).collect();
        let unknown: Vec<_> = names.iter().filter(|n| n.1.is_none()).collect();
        if found.is_empty() {
            self.same += 1;
        } else if unknown.is_empty() {
            self.known += 1;
            let names: BTreeSet<_> = names.into_iter().filter_map(|n| n.1).collect();
            for name in names {
                *self.names.entry(name).or_default() += 1;
            }
        } else {
            self.failed += 1;
            println!("differs: {title}\n{}", case.text);
            for (difference, _) in unknown {
                println!("  {}", difference.text);
            }
        }
    }

    /// Prints the sums; true when all that differs is known.
    fn print(&self) -> bool {
        for (name, count) in &self.names {
            println!("known: {name}: {count}");
        }
        println!(
            "{} cases: {} the same, {} known to differ, {} differ",
            self.same + self.known + self.failed,
            self.same,
            self.known,
            self.failed
        );
        self.failed == 0
    }
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
fn both(case: &JobCase, tool: &Path, verb: &[&str], dir: &Path) -> Result<TracedRun> {
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
        "--seccomp-bpf",
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
        for name in known::NAMES {
            assert!(page.contains(&format!("| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_cases() {
        assert_eq!(jobs::case(3, 17).text, jobs::case(3, 17).text);
        assert_ne!(jobs::case(3, 17).text, jobs::case(4, 17).text);
    }
}
