//! Stages of a run in virtual time, and how real and virtual stages follow each other.

use super::simulate::{self, HostPart, StoredVolumes};
use super::{RunError, Session, StageEnd, build};
use crate::clock::Clock;
use crate::prepare::Host;
use crate::schedule::{self, Problem};
use leadline_model::event::Event;
use leadline_model::plan::Plan;
use leadline_model::units::Nanos;

impl Session {
    /// Runs stage `number` of the plan, of which each host has its part, on simulated volumes: all hosts in this process
    /// and on one virtual clock.
    ///
    /// # Errors
    /// When it cannot start.
    pub fn stage_of_hosts(
        &mut self,
        plan: &Plan,
        number: usize,
        parts: &[HostPart],
        sink: &mut dyn FnMut(Event),
    ) -> Result<StageEnd, RunError> {
        self.halt.lower();
        let mut planned = Vec::new();
        let mut problems = Vec::new();
        for part in parts {
            match schedule::compile(&part.stage, plan, &Host::default(), part.seed) {
                Ok(mut programs) => {
                    build::count_delays_from_run(&mut programs, self.volumes.time);
                    planned.extend(simulate::planned(part, programs));
                }
                Err(wrong) => {
                    let is_new = |p: &Problem| !problems.iter().any(|q: &Problem| q.text == p.text);
                    let new: Vec<Problem> = wrong.into_iter().filter(is_new).collect();
                    problems.extend(new);
                }
            }
        }
        if !problems.is_empty() {
            return Err(RunError::Problems(problems));
        }
        Ok(self.simulated(plan, number, planned, sink))
    }

    /// Runs a stage in virtual time, after its pause.
    pub(super) fn simulated(
        &mut self,
        plan: &Plan,
        number: usize,
        planned: Vec<simulate::Planned>,
        sink: &mut dyn FnMut(Event),
    ) -> StageEnd {
        let real = if self.was_real {
            self.now()
        } else {
            Nanos::ZERO
        };
        let before = self.volumes.now.unwrap_or(real);
        let pause = plan.stages[number].pause.0;
        let at = Nanos(before.0.saturating_add(pause));
        self.volumes.time.0 = self.volumes.time.0.saturating_add(pause);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let outside = (&self.interrupt, &self.halt);
        let volumes = &mut self.volumes;
        simulate::stage((plan, number), planned, volumes, at, outside, sink)
    }

    /// The simulated volumes between two stages, to be stored; `None` where there are none, or where they hold too much.
    #[must_use]
    pub fn stored_volumes(&self) -> Option<StoredVolumes> {
        self.volumes.stored()
    }

    /// Goes on with volumes that were stored, and from their time on. After the start of the run, before its first stage.
    pub fn restore_volumes(&mut self, stored: StoredVolumes) {
        self.volumes = simulate::Volumes::restored(stored);
    }

    /// The run continues in real time from where simulated stages have taken it.
    pub(super) fn leave_virtual_time(&mut self) {
        self.was_real = true;
        if let Some(now) = self.volumes.now.take() {
            self.start = self.clock.ticks().wrapping_sub(self.clock.span(now.0));
        }
    }
}
