//! startcmd= and endcmd=: the user's own commands before and after a run, on this machine.
//!
//! Belongs here: running them, and where their output goes. Must never: run anything else.

use super::Pages;
use crate::out;
use crate::session::Reins;
use leadline_dialect::vdbench::{Command, CommandOutput, StageCommands};
use leadline_model::plan::Plan;
use std::cell::RefCell;
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
            self.show(command.output, &format!("{line}\n{text}"));
            if failed && command.abort {
                let name = self.plan.stages.get(number).map_or("", |s| s.name.as_str());
                self.reins
                    .fail(&format!("a command of rd={name} failed: {line}"));
            }
        }
    }

    fn show(&self, output: CommandOutput, text: &str) {
        let safe = text.replace('&', "&amp;").replace('<', "&lt;");
        let directory = &mut self.pages.borrow_mut().directory;
        match output {
            CommandOutput::Summary => directory.append("summary.html", &safe),
            CommandOutput::Log => directory.append("logfile.html", &safe),
            CommandOutput::Console => {
                out::data(text);
                directory.append("logfile.html", &safe);
            }
        }
    }
}

/// Runs a line in a shell; what it wrote, and whether it failed.
fn shell(line: &str) -> (String, bool) {
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
