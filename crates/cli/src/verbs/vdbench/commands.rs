//! The user's own commands, on this machine: mount=, startcmd= and endcmd= around a run, and that of data_errors=.
//!
//! Belongs here: running them, and where their output goes. Must never: run anything else.

use super::Pages;
use crate::out;
use crate::session::Reins;
use leadline_dialect::vdbench::{Command, CommandOutput, StageCommands};
use leadline_model::plan::Plan;
use std::cell::RefCell;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

/// What runs around the stages of a plan.
pub(super) struct Around<'a> {
    pub(super) plan: &'a Plan,
    /// For each stage of the plan.
    pub(super) commands: &'a [StageCommands],
    pub(super) pages: &'a RefCell<Pages>,
    pub(super) reins: &'a Reins,
}

impl Around<'_> {
    /// Runs what stands before a stage.
    pub(super) fn before(&mut self, stage: Option<usize>) {
        let mount = stage.and_then(|n| self.commands.get(n)?.mount.as_ref());
        if let Some(line) = mount
            && let Err(why) = mount_once(line, self.pages)
        {
            self.reins.fail(&why);
            return;
        }
        self.run(stage, |c| c.start.as_ref());
    }

    /// Runs what stands behind a stage.
    pub(super) fn behind(&mut self, stage: Option<usize>) {
        self.run(stage, |c| c.end.as_ref());
    }

    fn run(&mut self, stage: Option<usize>, which: fn(&StageCommands) -> Option<&Command>) {
        let Some(number) = stage else { return };
        let Some(command) = self.commands.get(number).and_then(which) else {
            return;
        };
        for line in &command.lines {
            let directory = self.pages.borrow().directory.path().display().to_string();
            let line = line.replace("$output", &directory);
            let (text, failed) = shell(&line);
            show(self.pages, command.output, &format!("{line}\n{text}"));
            if failed && command.abort {
                let name = self.plan.stages.get(number).map_or("", |s| s.name.as_str());
                self.reins
                    .fail(&format!("a command of rd={name} failed: {line}"));
            }
        }
    }
}

/// Runs a command that mounts, unless something is mounted already at the directory that is its last word;
/// a directory that is missing is made. What fails to be mounted is not measured: the files would be made
/// on what lies below.
pub(super) fn mount_once(line: &str, pages: &RefCell<Pages>) -> Result<(), String> {
    let target = line.split_whitespace().next_back().map(Path::new);
    if let Some(target) = target.filter(|t| t.is_absolute()) {
        if mounted(target) {
            let text = format!("{}: something is mounted already\n", target.display());
            show(pages, CommandOutput::Console, &text);
            return Ok(());
        }
        std::fs::create_dir_all(target)
            .map_err(|error| format!("the directory to mount at, {}: {error}", target.display()))?;
    }
    let (text, failed) = shell(line);
    show(pages, CommandOutput::Console, &format!("{line}\n{text}"));
    if failed {
        return Err(format!("mount= failed: {line}"));
    }
    Ok(())
}

/// Whether a file system of its own lies at a directory.
fn mounted(target: &Path) -> bool {
    let device = |path: &Path| std::fs::metadata(path).map(|m| m.dev()).ok();
    let above = target.parent().and_then(device);
    matches!((device(target), above), (Some(own), Some(above)) if own != above)
}

/// Writes what a command said where it belongs.
pub(super) fn show(pages: &RefCell<Pages>, output: CommandOutput, text: &str) {
    let safe = text.replace('&', "&amp;").replace('<', "&lt;");
    let directory = &mut pages.borrow_mut().directory;
    match output {
        CommandOutput::Summary => directory.append("summary.html", &safe),
        CommandOutput::Log => directory.append("logfile.html", &safe),
        CommandOutput::Console => {
            out::data(text);
            directory.append("logfile.html", &safe);
        }
    }
}

/// Runs a line in a shell; what it wrote, and whether it failed.
pub(super) fn shell(line: &str) -> (String, bool) {
    let done = std::process::Command::new("sh")
        .args(["-c", line])
        .stdin(Stdio::null())
        .output();
    match done {
        Ok(done) => {
            let mut text = String::from_utf8_lossy(&done.stdout).into_owned();
            text.push_str(&String::from_utf8_lossy(&done.stderr));
            (text, !done.status.success())
        }
        Err(error) => (format!("{error}\n"), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_of_its_own_is_seen() {
        assert!(mounted(Path::new("/proc")));
        let place = tempfile::tempdir().unwrap();
        assert!(!mounted(place.path()));
        assert!(!mounted(&place.path().join("missing")));
    }
}
