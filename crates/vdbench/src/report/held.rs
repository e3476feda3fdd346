//! What a fleet adds to the pages. Rows after the loss of a host are marked. The run that fills files, where only
//! other hosts know whether there is something to fill, is reported once it does I/O, and not at all when it does
//! none.
//!
//! Belongs here: that. Must never: hold back any other run.

use super::Output;
use super::layout::{FORMAT, run_name};
use leadline_model::event::Event;
use leadline_model::plan::Stage;
use leadline_model::sample::{Counts, WorkerTotals};
use leadline_results::run::StageRun;
use leadline_text::markup::content;

/// Events of a run that may end without I/O; `None` = nothing is held back.
pub(super) type Held = Option<Vec<Event>>;

impl Output {
    /// Holds an event back, or gives out what is held; whether the event is dealt with.
    pub(super) fn hold(&mut self, event: &Event) -> bool {
        if let Event::StageStarted { stage, .. } = event {
            let stage = self.stages.get(*stage as usize);
            if self.layout.has_hosts() && stage.is_some_and(fills) {
                self.held = Some(vec![event.clone()]);
                return true;
            }
        }
        let Some(held) = &mut self.held else {
            return false;
        };
        match event {
            Event::Host(_) | Event::Facts(_) | Event::Finding(_) | Event::StageAdded(_) => false,
            Event::StageEnded { .. } => {
                self.held = None;
                true
            }
            event if is_work(event) || matches!(event, Event::RunEnded { .. }) => {
                let held = std::mem::take(held);
                self.held = None;
                held.iter().for_each(|event| self.take_at_once(event));
                false
            }
            event => {
                held.push(event.clone());
                true
            }
        }
    }

    /// The number by which links name a run, from 1; 0 for the one that fills files, which has no link.
    pub(super) fn anchor_of(&self, stage: u32) -> u32 {
        let unlinked = self.layout.has_hosts() && self.stages.first().is_some_and(fills);
        stage + u32::from(!unlinked)
    }

    /// The rows from now on are without it.
    pub(super) fn note_lost(&mut self, host: String) {
        if !self.lost.contains(&host) {
            self.lost.push(host);
        }
    }

    /// The row above is of the other hosts.
    pub(super) fn mark_lost(&mut self, time: &str) {
        if self.lost.is_empty() {
            return;
        }
        let lost = self.lost.join(", ");
        let text = format!("{time} * without host={lost}, which was lost\n");
        self.console.push_str(&text);
        for page in ["summary.html", "totals.html"] {
            self.sheets.of(page).push_str(&content(&text));
        }
    }

    /// Whether a run that is over is one of those that are not reported.
    pub(super) fn came_to_nothing(&self, run: &StageRun) -> bool {
        let stage = self.stages.get(run.stage as usize);
        let worked = run.workers.iter().any(has_worked);
        self.layout.has_hosts() && stage.is_some_and(fills) && run.end.is_some() && !worked
    }
}

fn fills(stage: &Stage) -> bool {
    run_name(stage) == FORMAT
}

fn is_work(event: &Event) -> bool {
    match event {
        Event::Interval(sample) => did(&sample.counts),
        Event::WorkerEnded(totals) => has_worked(totals),
        _ => false,
    }
}

fn has_worked(totals: &WorkerTotals) -> bool {
    did(&totals.counts) || totals.warmup_ios > 0 || !totals.errors.is_empty()
}

fn did(counts: &Counts) -> bool {
    counts.ops.values().any(|c| c.ios + c.errors > 0)
}
