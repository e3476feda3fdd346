//! Hosts that are simulated: all in this process and on one virtual clock, on volumes that they may share. No agent is
//! started.

use leadline_engine::run::{HostPart, RunError, Session, StageEnd};
use leadline_fleet::tailor;
use leadline_model::event::{Event, HostNews, HostState};
use leadline_model::plan::Plan;
use leadline_model::seed;
use leadline_model::units::Nanos;

/// The hosts of a plan whose targets are all simulated.
pub(crate) struct SimulatedHosts {
    session: Session,
    /// Of the run.
    seed: u64,
}

impl SimulatedHosts {
    /// Hosts that `session` runs. `seed` stands in for every seed that the plan leaves open.
    pub(crate) const fn new(session: Session, seed: u64) -> Self {
        Self { session, seed }
    }

    /// What runs them.
    pub(crate) const fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Sends the start of the run, and that all hosts are there.
    pub(crate) fn begin(&mut self, plan: &Plan, sink: &mut dyn FnMut(Event)) {
        self.session.begin(plan, sink);
        for (host, spec) in (0..).zip(&plan.hosts) {
            sink(news(
                host,
                Nanos::ZERO,
                HostState::Connected {
                    hostname: spec.label.clone(),
                    clock_offset: 0,
                    offset_bound: 0,
                },
            ));
        }
    }

    /// Runs a stage of the plan.
    pub(crate) fn stage(
        &mut self,
        plan: &Plan,
        number: usize,
        sink: &mut dyn FnMut(Event),
    ) -> Result<StageEnd, RunError> {
        let stage = &plan.stages[number];
        let each = (0..).zip(&plan.hosts).map(|(host, spec)| {
            let mut part = tailor::part(stage, host, spec);
            for (own, number) in part.stage.workloads.iter_mut().zip(&part.workloads) {
                // Here all hosts are seen together.
                own.stop.ends_others = stage.workloads[*number as usize].stop.ends_others;
            }
            HostPart {
                host,
                stage: part.stage,
                workloads: part.workloads,
                seed: seed::of_stage(seed::of_host(self.seed, host), number as u64),
            }
        });
        let parts: Vec<HostPart> = each.filter(|part| !part.workloads.is_empty()).collect();
        let started = |event: Event, sink: &mut dyn FnMut(Event)| {
            let began = match &event {
                Event::StageStarted { stage, at, .. } => Some((*stage, *at)),
                _ => None,
            };
            sink(event);
            if let Some((stage, at)) = began {
                for part in &parts {
                    sink(news(part.host, at, HostState::Started { stage, late: 0 }));
                }
            }
        };
        self.session
            .stage_of_hosts(plan, number, &parts, &mut |event| started(event, sink))
    }
}

fn news(host: u32, at: Nanos, what: HostState) -> Event {
    Event::Host(Box::new(HostNews { host, at, what }))
}
