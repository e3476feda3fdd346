//! Programs that run on this host, and programs that are to be started.
//!
//! Belongs here: what identifies a program, how one is started apart from this one, and how all that it began is ended.
//! Must never: end what was not started so.

use super::kinds::{FileId, identity};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

/// The programs of all processes that can be seen; `None` = nothing can be seen, not even ourselves.
pub fn running() -> Option<BTreeSet<FileId>> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    // Through the link, which leads to the file itself wherever its process sees it.
    let programs = processes.filter_map(|p| fs::metadata(p.path().join("exe")).ok());
    let running: BTreeSet<FileId> = programs.map(|about| identity(&about)).collect();
    (!running.is_empty()).then_some(running)
}

/// Keeps signals of the terminal, such as Ctrl-C, from a program that is to be started.
pub fn apart_from_the_terminal(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// The number of the signal that ended a program; `None` where it ended by itself.
#[must_use]
pub fn ended_by_signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// The group of a program that was started with [`apart_from_the_terminal`]: it, and all that it began.
#[derive(Clone, Copy, Debug)]
pub struct ProcessGroup(Pid);

impl ProcessGroup {
    /// That of a child process of this one, by its number; `None` where that is no number of a process.
    #[must_use]
    pub fn of(child: u32) -> Option<Self> {
        i32::try_from(child).ok().and_then(Pid::from_raw).map(Self)
    }

    /// Asks all of it to end, or ends it at once.
    pub fn end(self, at_once: bool) {
        // One that has stopped sees the request only when it goes on.
        let signals = match at_once {
            true => &[Signal::KILL][..],
            false => &[Signal::TERM, Signal::CONT],
        };
        for signal in signals {
            // It may have ended by itself.
            let _ = kill_process_group(self.0, *signal);
        }
    }

    /// Whether a process of it is left.
    #[must_use]
    pub fn is_left(self) -> bool {
        test_kill_process_group(self.0).is_ok()
    }

    /// Whether the program has stopped: it asked for the terminal, which it does not have.
    #[must_use]
    pub fn has_stopped(self) -> bool {
        let stopped = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        waitid(WaitId::Pid(self.0), stopped).is_ok_and(|status| status.is_some())
    }
}
