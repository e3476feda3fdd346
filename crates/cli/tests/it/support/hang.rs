//! Whether a command hangs: by what it does, and not by the clock alone, which a busy machine stretches.

use super::{now, sleep_ms};
use rustix::process::Pid;
use std::time::{Duration, Instant};

/// A command that still works is looked at this often.
const LOOK: Duration = Duration::from_secs(30);

/// What works has at least this much of a processor from one look to the next, also beside many others.
const WORKED: Duration = Duration::from_millis(300);

/// What is known of a command that is waited for.
pub(super) struct Watch {
    pid: Pid,
    limit: Duration,
    start: Instant,
    /// When it was looked at, and its time on processors then.
    looked: Option<(Instant, Duration)>,
}

impl Watch {
    /// Of a command that may take this long where it has the machine for itself.
    pub(super) fn new(pid: Pid, limit: Duration, start: Instant) -> Self {
        Self {
            pid,
            limit,
            start,
            looked: None,
        }
    }

    /// Whether it has taken longer, and either had the whole limit on processors or does nothing any more.
    pub(super) fn hangs(&mut self) -> bool {
        if self.start.elapsed() <= self.limit {
            return false;
        }
        let used = time_on_processors(self.pid);
        let Some((last, before)) = self.looked else {
            self.looked = Some((now(), used));
            return used > self.limit;
        };
        if last.elapsed() >= LOOK {
            self.looked = Some((now(), used));
            return used < before + WORKED;
        }
        used > self.limit
    }
}

/// Of all its threads; zero of one that has ended.
fn time_on_processors(pid: Pid) -> Duration {
    // Of Linux for all programs, whatever the kernel counts in itself.
    const TICKS_PER_S: u64 = 100;
    let path = format!("/proc/{}/stat", pid.as_raw_nonzero());
    let text = std::fs::read_to_string(path).unwrap_or_default();
    // After the name, which may have spaces and brackets: fields 14 and 15 are user and system time.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / TICKS_PER_S)
}

/// One that sleeps hangs, one that works does not before it has had its limit on processors.
#[test]
fn what_works_does_not_hang_and_what_sleeps_does() {
    use std::process::Command;
    // Less than any machine that built this has been up.
    let late = now().checked_sub(Duration::from_secs(90)).unwrap();
    let looks = |script: &str, limit: Duration| {
        let mut child = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let mut watch = Watch::new(Pid::from_child(&child), limit, late);
        // As it was one look ago.
        let first = watch.hangs();
        let (looked, _) = watch.looked.as_mut().unwrap();
        *looked = late;
        while script.contains("while") && time_on_processors(watch.pid) < 2 * WORKED {
            sleep_ms(5);
        }
        let second = watch.hangs();
        child.kill().unwrap();
        child.wait().unwrap();
        (first, second)
    };
    let long = Duration::from_secs(60);
    assert_eq!(looks("exec sleep 600", long), (false, true));
    assert_eq!(looks("while :; do :; done", long), (false, false));
    // It had ended: no time on processors any more.
    assert!(looks("exit 0", long).1);
}
