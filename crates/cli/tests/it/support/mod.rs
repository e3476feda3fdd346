//! What tests of the command share: running it with an end to every wait, places to run it in, and
//! skipping by name.
//!
//! Must never: wait without a limit, or leave a process, mount or device behind.

mod cgroup;
mod fault;
mod hang;
mod machine;
mod screen;
mod terminal;

pub(crate) use cgroup::{Cap, CappedGroup};
pub(crate) use fault::Mount;
pub(crate) use leadline_testkit::machine::{FileSystem, LoopDevice};
pub(crate) use leadline_testkit::{or_skip, skip};
pub(crate) use machine::{filtered, unprivileged};
pub(crate) use screen::Screen;
pub(crate) use terminal::{Terminal, on_terminal};

use leadline_model::op::Op;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The command under test.
pub(crate) const LEADLINE: &str = env!("CARGO_BIN_EXE_leadline");

/// A command that takes longer than this hangs, unless it works on a machine that is busy with others ([`hang`]).
const LIMIT: Duration = Duration::from_secs(90);

/// Does `each` for all cases, a given number at a time: for those that wait more than they work.
pub(crate) fn side_by_side<T: Sync>(width: usize, cases: &[T], each: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..width {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    each(case);
                }
            });
        }
    });
}

/// Has every target of a command be a simulated volume of this law, on a virtual clock.
pub(crate) fn simulated(mut command: Command, law: &str) -> Command {
    command.arg(format!("--map=*=sim:{law}"));
    command
}

/// The flushes that a run's stages counted.
pub(crate) fn flushes(run_file: &Path) -> u64 {
    let run = leadline_results::store::open(run_file).unwrap();
    let stages = leadline_results::summary::summarize(&run).stages;
    let all = stages.iter().filter_map(|s| s.figures.op(Op::Sync));
    all.map(|figures| figures.ios).sum()
}

#[expect(clippy::disallowed_methods, reason = "these tests measure real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Sleeps that many milliseconds.
pub(crate) fn sleep_ms(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

/// A directory of its own on a real file system, gone at the end, where anybody may look.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(directory.path(), open).unwrap();
        Self(directory)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file of `len` bytes of something that is no zeros, on the device.
    pub(crate) fn file(&self, name: &str, len: usize) -> PathBuf {
        let path = self.join(name);
        fill(&path, len);
        path
    }

    /// `leadline ARGS` in this directory, its runs kept here.
    pub(crate) fn leadline<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(LEADLINE);
        command.args(args);
        self.settle(&mut command);
        command
    }

    /// The same, with `runner` before the command: it ends in leadline's path.
    pub(crate) fn leadline_by(&self, mut runner: Command, args: &[&str]) -> Command {
        runner.args(args);
        self.settle(&mut runner);
        runner
    }

    /// `leadline fio ARGS` with JSON on standard output and the run in `run.leadline`.
    pub(crate) fn fio(&self, args: &[&str]) -> Command {
        self.fio_by(Command::new(LEADLINE), args)
    }

    /// The same, with `runner` before the command: it ends in leadline's path.
    pub(crate) fn fio_by(&self, mut runner: Command, args: &[&str]) -> Command {
        let _ = std::fs::remove_file(self.run_file());
        runner
            .args(["fio", "--output-format=json", "--leadline-run=run.leadline"])
            .args(args);
        self.settle(&mut runner);
        runner
    }

    fn settle(&self, command: &mut Command) {
        command
            .current_dir(self.path())
            .env("XDG_STATE_HOME", self.join("state"))
            .env("NO_COLOR", "1");
    }

    /// Where [`Self::fio`] keeps its run.
    pub(crate) fn run_file(&self) -> PathBuf {
        self.join("run.leadline")
    }

    /// The kept run, from its file alone.
    pub(crate) fn kept(&self) -> leadline_results::run::Run {
        leadline_results::store::open(&self.run_file()).unwrap()
    }

    /// Codes of the kept findings.
    pub(crate) fn findings(&self) -> Vec<String> {
        let run = self.kept();
        run.findings.into_iter().map(|f| f.code).collect()
    }

    /// The interval series of the kept run, as `leadline report --csv` gives it.
    pub(crate) fn series(&self) -> Vec<Interval> {
        let done = finish(&mut self.leadline(["report", "--csv", "run.leadline"]));
        assert_eq!(done.code, Some(0), "{done:?}");
        let mut lines = done.stdout.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = |name: &str| head.iter().position(|h| *h == name).unwrap();
        let (number, ios, length) = (column("interval"), column("ios"), column("length_s"));
        lines
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                Interval {
                    number: cells[number].parse().unwrap(),
                    ios: cells[ios].parse().unwrap(),
                    length_s: cells[length].parse().unwrap(),
                }
            })
            .collect()
    }
}

/// A row of the interval series.
#[derive(Debug)]
pub(crate) struct Interval {
    pub(crate) number: u64,
    pub(crate) ios: u64,
    pub(crate) length_s: f64,
}

/// Writes a file of `len` bytes that are no zeros, and has it on the device.
pub(crate) fn fill(path: &Path, len: usize) {
    // Neither compressible nor repeated, which would be said of a target; no byte is 0.
    let mut now = 1_u64;
    let byte = |_| {
        now = now.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        now.to_be_bytes()[0] | 1
    };
    let block: Vec<u8> = (0..len).map(byte).collect();
    let mut file = std::fs::File::create(path).unwrap();
    file.write_all(&block).unwrap();
    file.sync_all().unwrap();
}

/// A command that has ended.
pub(crate) struct Done {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) wall: Duration,
}

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "exit {:?}, signal {:?}, after {:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.code, self.signal, self.wall, self.stdout, self.stderr
        )
    }
}

impl Done {
    /// Standard output as JSON; it must be nothing but that.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The first job of fio's JSON.
    pub(crate) fn job(&self) -> Value {
        self.json()["jobs"][0].clone()
    }
}

/// A command that runs; killed when this is dropped.
pub(crate) struct Running {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
    start: Instant,
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_with(command, Stdio::piped(), Stdio::piped())
    }

    /// The same with other ends of its streams.
    pub(crate) fn start_with(command: &mut Command, stdout: Stdio, stderr: Stdio) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .unwrap();
        // What the command holds of a terminal would keep it open.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let stdout = child.stdout.take().map(reader);
        let stderr = child.stderr.take().map(reader);
        Self {
            child,
            stdout,
            stderr,
            start: now(),
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Stops it, and waits until it stands still: signals that follow wait for each other.
    pub(crate) fn stop(&self) {
        self.signal(Signal::STOP);
        let status = format!("/proc/{}/stat", self.child.id());
        let until = now() + LIMIT;
        while !std::fs::read_to_string(&status).unwrap().contains(") T ") {
            assert!(now() < until, "it never stopped");
            sleep_ms(2);
        }
    }

    /// Waits until `path` is there and not empty: what the command makes when it begins.
    pub(crate) fn wait_for(&self, path: &Path) {
        let until = now() + LIMIT;
        while std::fs::metadata(path).map_or(0, |m| m.len()) == 0 {
            assert!(now() < until, "{} never came", path.display());
            sleep_ms(2);
        }
    }

    /// Waits until what the run file holds is as `is` wants it; what was measured is written once a second.
    pub(crate) fn wait_until(
        &self,
        run_file: &Path,
        is: impl Fn(&leadline_results::run::Run) -> bool,
    ) {
        let until = now() + LIMIT;
        while !leadline_results::store::open(run_file).is_ok_and(|run| is(&run)) {
            assert!(now() < until, "{} never came to it", run_file.display());
            sleep_ms(50);
        }
    }

    /// Waits until the run file holds this number of intervals with I/O.
    pub(crate) fn wait_for_intervals(&self, run_file: &Path, number: usize) {
        self.wait_until(run_file, |run| {
            let samples = run.stages.iter().flat_map(|s| &s.samples);
            samples.filter(|s| s.counts.data_ios() > 0).count() >= number
        });
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        let status = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(status).unwrap_or_default();
        text.rsplit(')')
            .next()
            .is_none_or(|rest| rest.trim_start().starts_with('Z'))
    }

    /// Waits for its end; one that does not come is killed, and the test fails.
    pub(crate) fn finish(self) -> Done {
        self.finish_within(LIMIT)
    }

    /// The same of one that may take this long.
    pub(crate) fn finish_within(mut self, limit: Duration) -> Done {
        let mut watch = hang::Watch::new(Pid::from_child(&self.child), limit, self.start);
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break Some(status);
            }
            if watch.hangs() {
                self.child.kill().unwrap();
                self.child.wait().unwrap();
                break None;
            }
            sleep_ms(2);
        };
        let wall = self.start.elapsed();
        let text = |handle: Option<JoinHandle<String>>| {
            handle.map_or_else(String::new, |h| h.join().unwrap())
        };
        let done = Done {
            code: status.and_then(|s| s.code()),
            signal: status.and_then(|s| s.signal()),
            stdout: text(self.stdout.take()),
            stderr: text(self.stderr.take()),
            wall,
        };
        assert!(status.is_some(), "hangs: {done:?}");
        let panicked = done.stderr.matches("panicked").count();
        let ordered = done.stderr.matches("\nbroken on command").count();
        assert!(panicked <= ordered, "{done:?}");
        done
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is no error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Done {
    Running::start(command).finish()
}

/// Tries a measurement until it is within reason, at most `rounds` times: a busy machine may spoil one
/// of them, but not lie in all. What must hold in each is asserted in `round` itself.
pub(crate) fn some_round(rounds: u32, mut round: impl FnMut() -> Result<(), String>) {
    let mut failures = Vec::new();
    for _ in 0..rounds {
        match round() {
            Ok(()) => return,
            Err(text) => failures.push(text),
        }
    }
    panic!("not one of {rounds} rounds was right: {failures:?}");
}
