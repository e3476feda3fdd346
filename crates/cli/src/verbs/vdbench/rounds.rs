//! Which run is next: the plan once, so often, or for so long.
//!
//! Belongs here: rounds. Must never: run anything.

use super::FORMAT;
use leadline_engine::os::wall::wall_ms;
use leadline_model::plan::{Plan, Stage};
use leadline_model::units::Nanos;
use leadline_results::run::Run;
use leadline_results::study::Sequence;
use leadline_vdbench::Repeat;

/// The rounds of a plan.
pub(super) struct Rounds {
    names: Vec<String>,
    repeat: Option<Repeat>,
    done: u64,
    began_ms: u64,
    /// The stage of the plan that was given out last.
    last: Option<usize>,
}

impl Rounds {
    pub(super) fn new(plan: &Plan, repeat: Option<Repeat>) -> Self {
        Self {
            names: plan.stages.iter().map(|s| s.name.clone()).collect(),
            repeat,
            done: 0,
            began_ms: wall_ms(),
            last: None,
        }
    }

    /// The stage of the plan that was given out last.
    pub(super) const fn last(&self) -> Option<usize> {
        self.last
    }

    /// The next stage, and how long the others of its round will take.
    pub(super) fn next(&mut self, sequence: &mut Sequence, run: &Run) -> Option<(Stage, Nanos)> {
        loop {
            if let Some(next) = sequence.next(run) {
                if self.done > 0 && next.0.name == FORMAT {
                    continue;
                }
                self.last = Some(self.place(&next.0.name));
                return Some(next);
            }
            self.done += 1;
            if sequence.has_stopped() || !self.goes_on() {
                return None;
            }
            sequence.again();
        }
    }

    /// The place of the next stage of this name after the last one; names need not be unique.
    fn place(&self, name: &str) -> usize {
        let from = self.last.map_or(0, |last| last + 1);
        let later = self.names.iter().skip(from).position(|n| n == name);
        let first = || self.names.iter().position(|n| n == name);
        later.map_or_else(|| first().unwrap_or(0), |place| place + from)
    }

    fn goes_on(&self) -> bool {
        match self.repeat {
            None => false,
            Some(Repeat::Forever) => true,
            Some(Repeat::Times(times)) => self.done < times,
            Some(Repeat::For(time)) => wall_ms().saturating_sub(self.began_ms) < time.as_millis(),
        }
    }
}
