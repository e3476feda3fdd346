//! Linux.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// A file, wherever it is seen from.
pub(crate) type FileId = (u64, u64);

/// The identity of a file.
pub(crate) fn identity(of: &Metadata) -> FileId {
    (of.dev(), of.ino())
}

/// The programs of all processes that can be seen; `None` = nothing can be seen, not even ourselves.
pub(crate) fn running() -> Option<BTreeSet<FileId>> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    // Through the link, which leads to the file itself wherever its process sees it.
    let programs = processes.filter_map(|p| fs::metadata(p.path().join("exe")).ok());
    let running: BTreeSet<FileId> = programs.map(|about| identity(&about)).collect();
    (!running.is_empty()).then_some(running)
}

/// Keeps signals of the terminal, such as Ctrl-C, from a program that is to be started.
pub(crate) fn apart_from_the_terminal(command: &mut Command) -> &mut Command {
    command.process_group(0)
}
