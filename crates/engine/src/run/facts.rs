//! What is known of the host and of targets, as events of a run.
//!
//! Belongs here: when facts are asked for, and once for which targets. Must never: measure, or decide what a fact means.

use super::{Session, floor, targets};
use crate::program::Program;
use crate::{medium, os};
use leadline_model::event::Event;
use std::path::PathBuf;

/// Most targets whose facts are kept: a run over 100,000 files says enough with the first of them.
const MAX_TARGET_FACTS: usize = 64;

impl Session {
    /// Sends what the targets hold that this stage has read, and what it has written, once for each.
    pub(super) fn send_contents(
        &mut self,
        stage: u32,
        programs: &[Program],
        sink: &mut dyn FnMut(Event),
    ) {
        self.seen.stage = stage;
        let held = medium::contents(programs, &mut self.seen);
        if !held.is_empty() {
            sink(Event::Facts(held));
        }
    }

    /// Sends what is known of the host, once, and of the targets, when they are new.
    pub(super) fn send_facts(&mut self, programs: &[Program], sink: &mut dyn FnMut(Event)) {
        let fresh: Vec<PathBuf> = targets(programs)
            .into_iter()
            .filter(|path| !self.known_targets.contains(path))
            .take(MAX_TARGET_FACTS)
            .collect();
        if self.facts_sent && fresh.is_empty() {
            return;
        }
        let mut facts = if self.facts_sent {
            Vec::new()
        } else {
            let mut facts = floor::measure(self.clock);
            facts.extend(os::facts::host());
            facts.extend((self.more_facts)());
            facts
        };
        facts.extend(medium::facts(&fresh));
        self.known_targets.extend(fresh);
        self.facts_sent = true;
        sink(Event::Facts(facts));
    }
}
