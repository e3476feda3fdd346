//! The user's own commands, on this machine: mount=, startcmd= and endcmd= around a run, and that of data_errors=.
//!
//! Belongs here: running them, and where their output goes. Must never: run anything else.

use super::Pages;
use crate::mount::{self, shell};
use crate::out;
use crate::session::StudyControl;
use leadline_model::error_code::ErrorCode;
use leadline_model::failure::Failure;
use leadline_model::plan::{Plan, Stage};
use leadline_vdbench::{Command, CommandOutput, StageCommands};
use std::cell::RefCell;

/// What runs around the stages of a plan.
pub(super) struct Around<'a> {
    pub(super) plan: &'a Plan,
    /// For each stage of the plan.
    pub(super) commands: &'a [StageCommands],
    pub(super) pages: &'a RefCell<Pages>,
    pub(super) control: &'a StudyControl,
}

/// What to do about a mount= that failed.
const MOUNT_CURE: &str = "run the command by hand as the same user, and correct mount= or what it needs (the server, \
                          the export, the permission to mount)";

/// What to do about a startcmd= or endcmd= that failed.
const COMMAND_CURE: &str =
    "correct the command, whose output is shown above, or leave out `abort` to go on when it fails";

/// How many stages from the first on come before any command runs.
pub(crate) fn first_sure(commands: &[StageCommands]) -> usize {
    match commands.first() {
        Some(first) if first.mount.is_some() || first.start.is_some() => 0,
        _ => known_after(commands, 0),
    }
}

/// The first stage after that at `place` before which a command runs.
fn known_after(commands: &[StageCommands], place: usize) -> usize {
    let pairs = commands.windows(2).enumerate().skip(place);
    let mut changes = pairs.filter(|(_, pair)| {
        pair[0].end.is_some() || pair[1].mount.is_some() || pair[1].start.is_some()
    });
    changes.next().map_or(commands.len(), |(at, _)| at + 1)
}

impl Around<'_> {
    /// Runs what comes before a stage, and has the stages looked at that this was for: `next`, and those after
    /// it up to the next command.
    pub(super) fn before(&mut self, stage: Option<usize>, next: &Stage) {
        let mount = stage.and_then(|n| self.commands.get(n)?.mount.as_ref());
        if let Some(line) = mount
            && let Err(why) = mount_once(line, self.pages)
        {
            self.control
                .fail(Failure::new(ErrorCode::Command, why, MOUNT_CURE));
            return;
        }
        self.run(stage, |c| c.start.as_ref());
        let Some(place) = stage.filter(|n| self.has_changed(*n)) else {
            return;
        };
        let following = place + 1..known_after(self.commands, place);
        let following = self.plan.stages.get(following).unwrap_or_default();
        let stages = std::iter::once(next).chain(following);
        self.control.look_at(stages.cloned().collect());
    }

    /// Whether commands ran between this stage and the one before.
    fn has_changed(&self, stage: usize) -> bool {
        let own = self.commands.get(stage);
        let before = stage.checked_sub(1).and_then(|n| self.commands.get(n));
        own.is_some_and(|c| c.mount.is_some() || c.start.is_some())
            || before.is_some_and(|c| c.end.is_some())
    }

    /// Runs what stands after a stage.
    pub(super) fn after(&mut self, stage: Option<usize>) {
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
            let (text, failed) = shell(&line, &|| false);
            show(self.pages, command.output, &format!("{line}\n{text}"));
            if failed && command.abort {
                let name = self.plan.stages.get(number).map_or("", |s| s.name.as_str());
                let what = format!("a command of rd={name} failed: {line}");
                self.control
                    .fail(Failure::new(ErrorCode::Command, what, COMMAND_CURE));
            }
        }
    }
}

/// Runs a command that mounts, and shows what it said.
pub(super) fn mount_once(line: &str, pages: &RefCell<Pages>) -> Result<(), String> {
    let text = mount::once(line, &|| false)?;
    show(pages, CommandOutput::Console, &text);
    Ok(())
}

/// Writes what a command said where it belongs.
pub(super) fn show(pages: &RefCell<Pages>, output: CommandOutput, text: &str) {
    let safe = leadline_text::markup::content(text);
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
