//! The states of the system that a study is measured in: their commands, on this machine.
//!
//! Belongs here: when a state is made and undone. What was begun is undone, also after an interrupt or half of its
//! making. Must never: run anything but the user's own commands.

use crate::mount::shell;
use crate::out;
use crate::session::StudyControl;
use leadline_engine::os::signals;
use leadline_model::error_code::ErrorCode;
use leadline_model::failure::Failure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Stage;
use leadline_model::plan::study::{Arm, Study};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to do about a --prepare that failed.
const CURE: &str = "run the command by hand as the same user, and correct it or what it needs";

/// The state that the system is in.
pub(super) struct Arms {
    control: StudyControl,
    interrupted: Arc<AtomicBool>,
    /// The state that was begun.
    current: Option<Arm>,
    /// The state in which an earlier run was killed: it may be there still, as may any other.
    left_behind: Option<Arm>,
    failed: Option<Failure>,
    /// An undo has failed.
    stuck: bool,
    /// All states of the study.
    all: Vec<Arm>,
}

/// Whether a command takes a state of the system away again.
pub(super) fn are_undone(study: &Study) -> bool {
    study.arms.iter().any(|arm| !arm.undo.is_empty())
}

/// That the system is left as the last state made it, where that was noticed after the end of the run.
pub(super) fn not_undone(failure: &Failure) -> Finding {
    Finding {
        code: "not-undone".to_owned(),
        severity: Severity::Warn,
        stage: None,
        workload: None,
        text: format!("After the last point, {failure}."),
        cure: "Undo it by hand: until then, further measurements run in this state.".into(),
    }
}

impl Arms {
    /// Before the first state.
    pub(super) fn new(study: &Study, control: StudyControl, interrupted: Arc<AtomicBool>) -> Self {
        Self {
            control,
            interrupted,
            current: None,
            left_behind: None,
            failed: None,
            stuck: false,
            all: study.arms.clone(),
        }
    }

    /// Has the state in which an earlier run was killed undone before the first is made, and that one too.
    pub(super) fn was_killed_in(&mut self, arm: Option<Arm>) {
        self.left_behind = arm;
    }

    /// Undoes what a run that was killed may have left: its state, the one that is to be made, or any other. Where nothing
    /// was left this fails, which is no error.
    fn clear(&mut self, next: &Arm) {
        let Some(left) = self.left_behind.take() else {
            return;
        };
        // A run that took it up may have been killed too, in any other.
        let others = self.all.iter().filter(|arm| **arm != left && *arm != next);
        let mut undone: Vec<&str> = Vec::new();
        for arm in [&left, next].into_iter().chain(others) {
            if arm.undo.is_empty() || undone.contains(&arm.undo.as_str()) {
                continue;
            }
            undone.push(&arm.undo);
            out::say(&format!(
                "{}: {} (the earlier run was killed and may have left this state)",
                arm.name, arm.undo
            ));
            let (said, failed) = shell(&arm.undo, &|| false);
            if failed {
                out::say(&format!(
                    "note: it failed, as expected if there was nothing to undo: {}",
                    shown(&said)
                ));
            }
        }
    }

    /// Undoes the state that the system is in, if another is next; `None` where that failed, which was said.
    pub(super) fn leave_for(&mut self, arm: Option<&Arm>) -> Option<()> {
        if self.all.is_empty() || arm == self.current.as_ref() {
            return Some(());
        }
        self.leave().then_some(())
    }

    /// Brings the system into a state, if it is in none: the run file has the stage `next` in it by now, so that the state is
    /// undone also where this is killed. `None` where it failed, which was said.
    pub(super) fn make(&mut self, arm: Option<&Arm>, next: &Stage) -> Option<()> {
        if self.all.is_empty() || arm == self.current.as_ref() {
            return Some(());
        }
        let arm = arm?;
        self.clear(arm);
        self.current = Some(arm.clone());
        hold_on(arm);
        if arm.prepare.is_empty() {
            return Some(());
        }
        out::say(&format!("{}: {}", arm.name, arm.prepare));
        let interrupted = Arc::clone(&self.interrupted);
        let (said, failed) = shell(&arm.prepare, &|| interrupted.load(Ordering::Relaxed));
        if failed && self.is_interrupted() {
            return None;
        }
        if failed {
            let what = format!(
                "--prepare of {} failed: `{}`: {}",
                arm.name,
                arm.prepare,
                shown(&said)
            );
            self.fail(what);
            return None;
        }
        self.control.look_at(vec![next.clone()]);
        Some(())
    }

    /// Undoes the state that the system is in; false where that failed, which was said.
    pub(super) fn leave(&mut self) -> bool {
        let Some(arm) = self.current.take() else {
            return !self.stuck;
        };
        if arm.undo.is_empty() {
            signals::let_go();
            return true;
        }
        out::say(&format!("{}: {}", arm.name, arm.undo));
        // Not cut short by an interrupt: what was begun is undone.
        let (said, failed) = shell(&arm.undo, &|| false);
        signals::let_go();
        if failed {
            let what = format!(
                "--undo of {} failed, so the system is still as its --prepare left it: {}: {}",
                arm.name,
                arm.undo,
                shown(&said)
            );
            // What failed before it, a --prepare, is the cause and would not be said any more.
            if let Some(earlier) = self.failure() {
                out::say(&format!("error: {earlier}"));
            }
            self.stuck = true;
            out::say(&format!("error: {what}"));
            self.fail(what);
        }
        !failed
    }

    /// A state has no directory to measure: made by us, it would be on the disk below what was to be mounted there.
    pub(super) fn lacks(&mut self, arm: &Arm, directory: &str) {
        let what = format!(
            "after --prepare of {}, there is no directory {directory}",
            arm.name
        );
        self.fail_with(
            what,
            "have the command make or mount it, or correct its name in the command or the target",
        );
    }

    fn fail(&mut self, what: String) {
        self.fail_with(what, CURE);
    }

    fn fail_with(&mut self, what: String, cure: &str) {
        let failure = Failure::new(ErrorCode::Command, what, cure);
        self.control.fail(failure.clone());
        self.failed.get_or_insert(failure);
    }

    /// Deletes the files that were hidden at the end of the run; what is left, as findings.
    pub(super) fn remove_hidden(&self) -> Vec<Finding> {
        self.control.remove_hidden()
    }

    /// Whether the user has ended the study.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// The first failure of a command.
    pub(super) const fn failed(&self) -> Option<&Failure> {
        self.failed.as_ref()
    }

    /// Whether a command has failed.
    pub(super) const fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The first failure that was not said yet.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failed.clone().filter(|_| !self.stuck)
    }
}

/// What a second interrupt and a third say while the system is in a state that has to be undone.
fn hold_on(arm: &Arm) {
    if arm.undo.is_empty() {
        return;
    }
    let (name, undo) = (&arm.name, &arm.undo);
    signals::hold_on(
        &format!(
            "interrupted twice: the state {name} is still being undone ({undo}); a third interrupt ends leadline at once and \
             leaves it as it is"
        ),
        &format!(
            "error: interrupted three times: the state {name} is left as it is\n  hint: undo it by hand: {undo}"
        ),
    );
}

/// Mount options that came with a release of Linux, and which.
const SINCE: [(&str, (u32, u32)); 2] = [("nconnect=", (5, 3)), ("multichannel", (5, 5))];

/// What the commands of the states ask for that this kernel, by its release, is too old for: a distribution may have added
/// it, so it is no refusal.
pub(super) fn too_old_for(arms: &[Arm], release: &str) -> Vec<String> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    let mut next = || {
        numbers
            .next()
            .and_then(|n| n.parse().ok())
            .unwrap_or(u32::MAX)
    };
    let own = (next(), next());
    let asks = |option: &str| arms.iter().find(|arm| arm.prepare.contains(option));
    let missing = SINCE.iter().filter(|(_, since)| own < *since);
    let each = missing.filter_map(|(option, since)| {
        let arm = &asks(option)?.name;
        let (major, minor) = since;
        Some(format!(
            "warning: {arm}: {} came with Linux {major}.{minor} and this is {release}: unless the distribution has added \
             it, the mount fails or has a single connection",
            option.trim_end_matches('=')
        ))
    });
    each.collect()
}

/// What a command said, in one line.
fn shown(said: &str) -> String {
    let lines = said.trim().lines().map(str::trim);
    lines.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_is_too_old_for_a_mount_option_is_named() {
        let arm = |name: &str, prepare: &str| Arm {
            name: name.to_owned(),
            place: None,
            prepare: prepare.to_owned(),
            undo: String::new(),
        };
        let arms = [
            arm("one", "mount /a"),
            arm("eight", "mount -o nconnect=8 /a"),
        ];
        let said = too_old_for(&arms, "4.18.0-147.el8.x86_64");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].contains("eight: nconnect came with Linux 5.3 and this is 4.18.0-147.el8"),
            "{said:?}"
        );
        assert!(too_old_for(&arms, "5.3.0").is_empty());
        assert!(too_old_for(&arms, "6.1.0-47-amd64").is_empty());
        assert!(too_old_for(&arms[..1], "4.4.0").is_empty());
        // Nothing is known of a release without numbers.
        assert!(too_old_for(&arms, "custom").is_empty());
        let smb = [arm("channels", "mount -o multichannel,max_channels=4 //a")];
        assert_eq!(too_old_for(&smb, "5.4.0").len(), 1);
        assert!(too_old_for(&smb, "5.5.0").is_empty());
    }
}
