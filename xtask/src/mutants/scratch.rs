//! A copy of the tree with a target directory of its own, in which one file at a time is another.
//!
//! Belongs here: files and cargo. Must never: write outside of the target directory.

use super::points::Point;
use crate::shell;
use crate::tidy;
use anyhow::{Context, Result, bail};
use std::cell::Cell;
use std::fmt;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A build that takes longer has met a defect of the compiler, or a constant without an end.
const BUILD: &str = "900s";
/// Tests may take this many times as long as without a change.
const TIMES: u32 = 5;
/// And always as long as this.
const LEAST: Duration = Duration::from_secs(20);

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// A test failed.
    Caught,
    /// The tests took far longer.
    Hung,
    /// Nothing noticed.
    Survived,
    /// It did not compile.
    Broken,
}

impl Verdict {
    /// All of them.
    pub(super) const ALL: [Self; 4] = [Self::Caught, Self::Hung, Self::Survived, Self::Broken];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Caught => "caught",
            Self::Hung => "caught by time",
            Self::Survived => "survived",
            Self::Broken => "does not compile",
        })
    }
}

/// The copy.
pub(super) struct Scratch {
    /// The source files of the tree that hold product code.
    files: Vec<String>,
    /// All files of the tree.
    all: Vec<String>,
    /// Where the copy is.
    at: PathBuf,
    /// How long the tests of the crate at hand may take.
    limit: Cell<Duration>,
}

impl Scratch {
    /// Where the copy will be; nothing is written yet.
    pub(super) fn new() -> Result<Self> {
        let (all, files) = tidy::sources(&shell::root())?;
        Ok(Self {
            files,
            all,
            at: shell::target_dir().join("mutants"),
            limit: Cell::new(LEAST),
        })
    }

    /// The files in which changes may be made.
    pub(super) fn files(&self) -> &[String] {
        &self.files
    }

    /// A file's text as it is in the tree.
    pub(super) fn text(&self, path: &str) -> Result<String> {
        read(&shell::root().join(path))
    }

    fn copy(&self) -> PathBuf {
        self.at.join("tree")
    }

    /// Keeps other runs from the copy as long as what it returns exists: two at once would test each other's changes.
    /// The system gives it back however a run ends, and what a run that was killed left changed is as in the tree
    /// again after [`Scratch::fill`].
    pub(super) fn lock(&self) -> Result<File> {
        let path = self.at.join("lock");
        let shown = || format!("cannot lock {}", path.display());
        std::fs::create_dir_all(&self.at).with_context(shown)?;
        let file = File::create(&path).with_context(shown)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => bail!(
                "another run of `cargo xtask mutants` works in {}: wait until it has ended",
                self.at.display()
            ),
            Err(TryLockError::Error(error)) => Err(error).with_context(shown),
        }
    }

    /// Makes the copy the same as the tree; what is the same stays as it is, so that it is not built again.
    pub(super) fn fill(&self) -> Result<()> {
        for path in &self.all {
            let from = shell::root().join(path);
            let bytes = std::fs::read(&from).with_context(|| format!("cannot read {path}"))?;
            put(&self.copy().join(path), &bytes)?;
        }
        Ok(())
    }

    /// Builds and runs the tests of a crate as it is, and takes the time; whether they pass.
    pub(super) fn settle(&self, name: &str) -> Result<bool> {
        if !shell::capture(&mut self.cargo(name, BUILD, Some("--no-run")))?.success {
            bail!("the tests of {name} do not build");
        }
        let start = shell::now();
        let passes = shell::capture(&mut self.cargo(name, BUILD, None))?.success;
        let took = start.elapsed();
        let limit = Duration::from_secs((took * TIMES).as_secs());
        self.limit.set(limit.max(LEAST));
        println!("the tests of {name} take {:.1} s", took.as_secs_f64());
        Ok(passes)
    }

    /// Makes a change, runs the tests of its crate, and takes it back.
    pub(super) fn judge(&self, name: &str, point: &Point) -> Result<Verdict> {
        // Of the copy: the tree may be worked on meanwhile.
        let file = self.copy().join(&point.path);
        let text = read(&file)?;
        put(&file, point.changed(&text).as_bytes())?;
        let verdict = self.tests(name, &point.path);
        put(&file, text.as_bytes())?;
        verdict
    }

    fn tests(&self, name: &str, path: &str) -> Result<Verdict> {
        if !shell::capture(&mut self.cargo(name, BUILD, Some("--no-run")))?.success {
            return Ok(Verdict::Broken);
        }
        let limit = self.limit.get();
        let seconds = format!("{}s", limit.as_secs());
        // Most changes are noticed by the tests of their own file or module, which take less time than all of them.
        let (own, module) = modules(path);
        for filter in [Some(own.as_str()), Some(module), None] {
            let start = shell::now();
            if !shell::capture(&mut self.cargo(name, &seconds, filter))?.success {
                let hung = start.elapsed() >= limit;
                return Ok(if hung { Verdict::Hung } else { Verdict::Caught });
            }
        }
        Ok(Verdict::Survived)
    }

    /// The unit tests of a crate: those whose names have this word in them, or built only.
    fn cargo(&self, name: &str, limit: &str, word: Option<&str>) -> Command {
        let mut words = vec!["test", "--offline", "--quiet", "--lib", "-p", name];
        words.extend(word);
        let mut command = shell::limited(shell::cargo(&words).current_dir(self.copy()), limit);
        command
            .env("CARGO_TARGET_DIR", self.at.join("built"))
            // A change is built far more often than it is run.
            .env("CARGO_INCREMENTAL", "1")
            .env("CARGO_PROFILE_DEV_DEBUG", "false");
        command
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The module of a file, and the top-level module that it is in.
fn modules(path: &str) -> (String, &str) {
    let inside = path.split_once("/src/").map_or(path, |(_, inside)| inside);
    let own = inside.trim_end_matches(".rs").trim_end_matches("/mod");
    let top = inside.split(['/', '.']).next().unwrap_or_default();
    (own.replace('/', "::"), top)
}

/// Writes a file unless it holds these bytes.
fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, bytes))
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy in a folder of its own, which has to be removed.
    fn in_a_folder(name: &str, all: &[&str]) -> Scratch {
        let name = format!("xtask-mutants-{name}-{}", std::process::id());
        Scratch {
            files: Vec::new(),
            all: all.iter().map(|&path| path.to_owned()).collect(),
            at: std::env::temp_dir().join(name),
            limit: Cell::new(LEAST),
        }
    }

    #[test]
    fn a_file_is_a_module_with_those_that_it_is_in() {
        let of = |path| modules(path);
        let own = |own: &str, top| (own.to_owned(), top);
        assert_eq!(
            of("crates/a/src/stats/shift.rs"),
            own("stats::shift", "stats")
        );
        assert_eq!(of("crates/a/src/stats/mod.rs"), own("stats", "stats"));
        assert_eq!(of("crates/a/src/seed.rs"), own("seed", "seed"));
    }

    #[test]
    fn a_second_run_is_refused_until_the_first_has_ended() {
        let scratch = in_a_folder("lock", &[]);
        let first = scratch.lock().unwrap();
        let refused = scratch.lock().unwrap_err().to_string();
        assert!(refused.contains("another run"), "{refused}");
        drop(first);
        scratch.lock().unwrap();
        std::fs::remove_dir_all(&scratch.at).unwrap();
    }

    #[test]
    fn what_a_run_that_was_killed_left_is_undone_by_the_next() {
        let scratch = in_a_folder("killed", &["Cargo.toml"]);
        let copy = scratch.copy().join("Cargo.toml");
        put(&copy, b"half of a change").unwrap();
        scratch.fill().unwrap();
        let tree = std::fs::read(shell::root().join("Cargo.toml")).unwrap();
        assert_eq!(std::fs::read(copy).unwrap(), tree);
        std::fs::remove_dir_all(&scratch.at).unwrap();
    }
}
