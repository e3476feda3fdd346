//! `-v`: what a run is at, with the time of day, on standard error.
//!
//! Belongs here: when each part of a time span begins, and its line. Must never: end or delay anything.

use crate::out;
use leadline_diskspd::original::PlanOriginal;
use leadline_engine::clock::monotonic;
use leadline_engine::os::wall;
use leadline_model::plan::{Plan, Stage};
use leadline_model::units::Nanos;

/// The lines that are still to come.
pub(super) struct Spoken {
    /// Of each stage: how long after its start, and what.
    stages: Vec<Vec<(u64, String)>>,
    /// The present stage, when it began, and how many of its lines were said.
    stage: u64,
    begun: u64,
    said: usize,
}

impl Spoken {
    /// `None` = not requested.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let verbose = PlanOriginal::of(plan).is_some_and(|original| original.profile.verbose);
        verbose.then(|| Self {
            stages: plan.stages.iter().zip(1..).map(lines).collect(),
            stage: 0,
            begun: 0,
            said: 0,
        })
    }

    /// Says what is due in stage number `stage`, which has run since the tick `begun`.
    pub(super) fn say_what_is_due(&mut self, stage: u64, begun: u64, over: bool) {
        if stage != self.stage {
            // The one before is over, or there would be no next.
            self.due_lines(true);
            (self.stage, self.begun, self.said) = (stage, begun, 0);
        }
        self.due_lines(over);
    }

    fn due_lines(&mut self, over: bool) {
        let index = usize::try_from(self.stage).unwrap_or(0).checked_sub(1);
        let Some(lines) = index.and_then(|index| self.stages.get(index)) else {
            return;
        };
        while let Some((after, line)) = lines.get(self.said) {
            if !due(self.begun, *after) {
                break;
            }
            say(line);
            self.said += 1;
        }
        if over && self.said < lines.len() {
            say("ended early");
            self.said = lines.len();
        }
    }
}

/// The lines of a stage. The start that all workers agree on is a little after the event that reports it.
fn lines((stage, number): (&Stage, u32)) -> Vec<(u64, String)> {
    let Some(stop) = stage.workloads.first().map(|w| &w.stop) else {
        return Vec::new();
    };
    let mut at = 0_u64;
    let mut all = Vec::new();
    let parts = [
        (stop.warmup, "starting warm up"),
        (stop.runtime.unwrap_or(Nanos::ZERO), "starting measurements"),
        (stop.cooldown, "starting cool down"),
    ];
    for (length, what) in parts {
        if length > Nanos::ZERO {
            all.push((at, format!("timespan {number}: {what} ({length})")));
        }
        at = at.saturating_add(length.0);
    }
    all.push((at, format!("timespan {number}: finished")));
    all
}

fn say(what: &str) {
    let time = jiff::Timestamp::from_millisecond(i64::try_from(wall::wall_ms()).unwrap_or(0))
        .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
        .strftime("%Y/%m/%d %H:%M:%S%.3f UTC");
    if out::err_is_terminal() {
        // The line of progress is drawn again at its next turn.
        let width = out::err_width().saturating_sub(1);
        return out::progress(&format!("\r{:width$}\r{time} {what}\n", ""));
    }
    out::progress(&format!("{time} {what}\n"));
}

/// Whether this much time has passed since; 0 = it has not begun.
pub(super) fn due(since: u64, length: u64) -> bool {
    since > 0 && monotonic().saturating_sub(since) >= length
}
