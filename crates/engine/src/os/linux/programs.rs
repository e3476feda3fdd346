//! Programs that run on this host, and programs that are to be started.
//!
//! Belongs here: what identifies a program, and how one is started apart from this one. Must never: start or end one.

use super::kinds::{FileId, identity};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

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
