//! A run that takes up an earlier one: a new file that begins with what the old one holds.
//!
//! Belongs here: what is kept of the earlier run, and later events as those of the whole. Must never: measure.

use super::Listeners;
use crate::fleet::Conductor;
use leadline_model::event::{Event, HostState};
use leadline_model::facts::Fact;
use leadline_model::units::Nanos;
use leadline_results::run::Run;
use leadline_results::store::{self, StoreError};
use std::path::Path;

impl Listeners<'_> {
    /// Takes up an earlier run: a new file at `path` begins with all that is in the run file `old`, and what is heard
    /// from now on follows it.
    pub(crate) fn take_up(&mut self, old: &Path, path: &Path) -> Result<(), StoreError> {
        self.keep(path)?;
        let (writer, mut failed) = (&mut self.writer, None);
        let run = store::replay(old, &mut |event| {
            let over = matches!(event, Event::RunEnded { .. });
            if let Some(writer) = writer.as_mut().filter(|_| !over && failed.is_none()) {
                failed = writer.event(event).err();
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        let ends = run.stages.iter().filter_map(|stage| stage.end);
        self.taken_up = Some(ends.max().unwrap_or_default().max(run.length));
        self.run = Run {
            outcome: None,
            ..run
        };
        Ok(())
    }

    /// The same with only the first `stages` stages of the earlier run; none of it where these are none.
    pub(crate) fn take_up_first(
        &mut self,
        old: &Path,
        path: &Path,
        stages: usize,
    ) -> Result<(), StoreError> {
        self.keep(path)?;
        if stages == 0 {
            return Ok(());
        }
        let (mut run, mut events) = (Run::default(), Vec::new());
        store::replay(old, &mut |event| {
            if let Some(kept) = among_first(event, stages) {
                run.apply(&kept);
                events.push(kept);
            }
        })?;
        for event in &events {
            if let Some(writer) = self.writer.as_mut() {
                writer.event(event)?;
            }
        }
        self.taken_up = Some(
            run.stages
                .iter()
                .filter_map(|s| s.end)
                .max()
                .unwrap_or_default(),
        );
        self.run = run;
        Ok(())
    }
}

/// A run file keeps volumes of up to this many bytes.
const MOST_KEPT: usize = 64 << 20;

impl Listeners<'_> {
    /// Keeps a study's simulated volumes as they are after stage `number` of the plan, so that it can be taken up.
    pub(super) fn keep_volumes(&mut self, number: usize, conductor: &mut Conductor) {
        let is_study = self.run.plan.as_ref().is_some_and(|p| p.study.is_some());
        let session = conductor.session().filter(|_| is_study);
        let Some(volumes) = session.and_then(|session| session.stored_volumes()) else {
            return;
        };
        if let Ok(text) = serde_json::to_string(&volumes) {
            self.keep_volumes_as(number, &text);
        }
    }

    /// The same of volumes that were kept before.
    pub(crate) fn keep_volumes_as(&mut self, number: usize, volumes: &str) {
        if volumes.len() > MOST_KEPT {
            return;
        }
        if let Some(writer) = &mut self.writer
            && let Err(error) = writer.volumes(number, volumes)
        {
            self.lose(&error.to_string());
        }
    }

    /// What is heard from now on has times of the whole run already: its clock goes on.
    pub(crate) fn same_clock(&mut self) {
        self.taken_up = Some(Nanos::ZERO);
    }
}

/// An event as it is of the first `stages` stages of its run; `None` where it is of a later one, or of the run's end.
fn among_first(event: &Event, stages: usize) -> Option<Event> {
    let is_among = |stage: u32| (stage as usize) < stages;
    let stage = match event {
        Event::RunStarted { plan, wall_ms } => {
            let mut plan = plan.clone();
            plan.stages.truncate(stages);
            return Some(Event::RunStarted {
                plan,
                wall_ms: *wall_ms,
            });
        }
        Event::RunEnded { .. } | Event::StageAdded(_) => return None,
        // What is kept is from before the loss of any host.
        Event::Host(news) if matches!(news.what, HostState::Lost { .. }) => return None,
        Event::Finding(finding) if finding.code == "host-lost" => return None,
        Event::StageStarted { stage, .. } | Event::StageEnded { stage, .. } => Some(*stage),
        Event::Interval(sample) => Some(sample.stage),
        Event::Processors(own) => Some(own.stage),
        Event::WorkerEnded(totals) => Some(totals.stage),
        Event::Finding(finding) => finding.stage,
        _ => None,
    };
    stage.is_none_or(is_among).then(|| event.clone())
}

/// An event of a run that takes up another of this length, as one of the whole; what is known already is left out.
pub(super) fn later(event: &Event, length: Nanos, known: &[Fact]) -> Event {
    let mut event = event.clone();
    match &mut event {
        Event::StageStarted { at, .. }
        | Event::StageEnded { at, .. }
        | Event::RunEnded { at, .. } => at.0 += length.0,
        Event::Host(news) => news.at.0 += length.0,
        Event::Facts(facts) => facts.retain(|fact| !known.contains(fact)),
        _ => {}
    }
    event
}
