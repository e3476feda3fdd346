//! The look before anything is made: every host says whether it could run what is to come and where its targets lie,
//! and only when all have said so does any of them begin.
//!
//! Belongs here: what each host is asked, the answers, and the verdict over all hosts. Must never: wait for a host
//! without an end, or have anything made.

use super::host::State;
use super::{Controller, Loss, NotRun, Sink};
use crate::message::{HostFailure, MOST_TARGETS, Question, ToAgent};
use crate::places::{self, Seen, TargetQuery};
use crate::tailor;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Event;
use leadline_model::failure::Failure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::place::Place;
use leadline_model::plan::{Plan, Stage};
use leadline_model::units::Nanos;
use std::collections::VecDeque;

/// Questions a host may have before it has answered the first: enough for a long way, and few for all hosts together.
const AHEAD: usize = 8;

/// A look under way.
pub(super) struct Look {
    /// By host; none has more stages ahead than all.
    hosts: Vec<OfHost>,
}

/// What a host was asked, and what it said.
#[derive(Default)]
struct OfHost {
    /// The stage to ask about next.
    next: usize,
    /// Targets of a stage that did not fit beside it.
    rest: VecDeque<TargetQuery>,
    /// Questions without an answer: the stage, and the targets.
    open: VecDeque<(u32, Vec<TargetQuery>)>,
    /// Where its targets lie, once known.
    seen: Seen,
    refusal: Option<HostFailure>,
    /// When it was asked first or said something last.
    since: u64,
    /// It mounts first.
    mounts: bool,
    /// It has something to do in these stages.
    any: bool,
    /// It was asked for its verdict.
    asked: bool,
}

impl OfHost {
    /// Has asked for a target already.
    fn knows(&self, asked: &TargetQuery) -> bool {
        let open = || self.open.iter().any(|(_, targets)| targets.contains(asked));
        self.seen.contains_key(asked) || open()
    }
}

impl Controller {
    /// Has all hosts look at the stages that are to come, before anything is made. Where commands change the hosts
    /// between stages (`unsettled`), each stage is checked when it comes instead.
    ///
    /// # Errors
    /// When a host refuses one of them and the others are not to continue without it, and when their targets do not lie
    /// alike.
    pub fn look(
        &mut self,
        plan: &Plan,
        coming: &[Stage],
        unsettled: bool,
        sink: &mut Sink<'_>,
    ) -> Result<(), NotRun> {
        self.unsettled = unsettled || coming.iter().any(|stage| !stage.mounts.is_empty());
        if self.unsettled {
            return Ok(());
        }
        self.look_at(plan, (0, coming), sink)
    }

    /// Has all hosts look at these stages, of which the first has this number.
    pub(super) fn look_at(
        &mut self,
        plan: &Plan,
        (first, stages): (usize, &[Stage]),
        sink: &mut Sink<'_>,
    ) -> Result<(), NotRun> {
        let now = (self.tools.now)();
        let of_host = || OfHost {
            since: now,
            ..OfHost::default()
        };
        self.look = Some(Look {
            hosts: self.hosts.iter().map(|_| of_host()).collect(),
        });
        for host in &mut self.hosts {
            if matches!(host.state, State::Idle) {
                host.state = State::Looking;
            }
        }
        loop {
            for number in 0..self.hosts.len() {
                self.ask(plan, number, (first, stages));
            }
            let looking = |h: &super::Host| matches!(h.state, State::Looking);
            if !self.hosts.iter().any(looking) || self.interrupted() {
                break;
            }
            self.turn(sink);
            self.look_for_hanging(sink);
        }
        let look = self.look.take();
        match look {
            Some(look) if !self.interrupted() => self.judge(look, sink),
            _ => Ok(()),
        }
    }

    /// Asks a host what it was not asked yet, as far as it keeps up; one that has answered all is done.
    fn ask(&mut self, plan: &Plan, number: usize, (first, stages): (usize, &[Stage])) {
        let host = &mut self.hosts[number];
        let Some(own) = self.look.as_mut().and_then(|l| l.hosts.get_mut(number)) else {
            return;
        };
        let Some(spec) = plan.hosts.get(number) else {
            return;
        };
        if !matches!(host.state, State::Looking) {
            return;
        }
        while own.open.len() < AHEAD && (own.next < stages.len() || !own.rest.is_empty()) {
            let mut stage = Stage::default();
            if own.rest.is_empty() {
                let index = u32::try_from(number).unwrap_or(u32::MAX);
                stage = tailor::part(&stages[own.next], index, spec).stage;
                own.next += 1;
                if stage.workloads.is_empty() {
                    continue;
                }
                let targets = places::of_stage(&stage);
                let fresh: Vec<TargetQuery> =
                    targets.into_iter().filter(|t| !own.knows(t)).collect();
                own.rest.extend(fresh);
                own.mounts |= !stage.mounts.is_empty();
                own.any = true;
            }
            let some = own.rest.len().min(MOST_TARGETS);
            let targets: Vec<TargetQuery> = own.rest.drain(..some).collect();
            let place = first + own.next - 1;
            let in_run = u32::try_from(place).unwrap_or(u32::MAX);
            host.link.send(ToAgent::Look(Box::new(Question {
                number: in_run,
                stage,
                last: false,
                targets: targets.iter().map(|t| t.path.clone()).collect(),
            })));
            own.open.push_back((in_run, targets));
        }
        let rest = own.next < stages.len() || !own.rest.is_empty();
        if !rest && !own.asked && own.any {
            own.asked = true;
            let in_run = u32::try_from(first + stages.len() - 1).unwrap_or(u32::MAX);
            host.link.send(ToAgent::Look(Box::new(Question {
                number: in_run,
                stage: Stage::default(),
                last: true,
                targets: Vec::new(),
            })));
            own.open.push_back((in_run, Vec::new()));
        }
        if own.open.is_empty() {
            host.state = State::Idle;
        }
    }

    /// An answer of a host; what is wrong with it, if anything.
    pub(super) fn looked(
        &mut self,
        number: usize,
        stage: u32,
        refusal: Option<HostFailure>,
        places: Vec<Place>,
    ) -> Result<(), String> {
        let own = self.look.as_mut().and_then(|l| l.hosts.get_mut(number));
        let own = own.ok_or("a check result that was not requested")?;
        let (asked, targets) = own.open.pop_front().ok_or("an answer without a question")?;
        if asked != stage || targets.len() != places.len() {
            return Err("an answer to another question".to_owned());
        }
        own.since = (self.tools.now)();
        own.seen.extend(targets.into_iter().zip(places));
        own.refusal = match (own.refusal.take(), refusal) {
            (Some(before), Some(new)) => Some(before.and(new)),
            (before, new) => before.or(new),
        };
        Ok(())
    }

    /// Loses hosts that are there and do not say what they see: a file system may hang.
    fn look_for_hanging(&mut self, sink: &mut Sink<'_>) {
        let now = (self.tools.now)();
        for number in 0..self.hosts.len() {
            let own = self.look.as_ref().and_then(|l| l.hosts.get(number));
            let Some(own) = own.filter(|_| matches!(self.hosts[number].state, State::Looking))
            else {
                continue;
            };
            let patience = self.terms.patience.look.0;
            let limit = Nanos(if own.mounts { 10 * patience } else { patience });
            if now.saturating_sub(own.since) > limit.0 {
                let why = format!("it did not report within {limit} whether it can run the plan");
                let cure = "check on that host that the file systems of its targets respond";
                let why = HostFailure::environment(ErrorCode::Hanging, why, cure);
                self.lose(number, why, sink);
            }
        }
    }

    /// The verdict over all hosts.
    fn judge(&mut self, mut look: Look, sink: &mut Sink<'_>) -> Result<(), NotRun> {
        let mut refused = Vec::new();
        for (number, own) in look.hosts.iter_mut().enumerate() {
            let there = !self.hosts[number].state.is_lost();
            if let Some(why) = own.refusal.take().filter(|_| there) {
                refused.push((number, why));
            }
        }
        if !refused.is_empty() && !self.terms.accept_lost {
            let loss = |(number, why): (usize, HostFailure)| Loss {
                label: self.hosts[number].label.clone(),
                why,
            };
            let by: Vec<Loss> = refused.into_iter().map(loss).collect();
            let there = self.hosts.iter().filter(|host| !host.state.is_lost());
            let others = there.count() > by.len();
            return Err(NotRun::Refused { by, others });
        }
        for (number, why) in refused {
            self.hosts[number].link.send(ToAgent::Bye { remove: true });
            self.lose_softly(number, why, sink);
        }
        if self.hosts.iter().all(|host| host.state.is_lost()) {
            return Err(NotRun::AllHostsLost(self.losses()));
        }
        let left = self.hosts.iter().zip(look.hosts);
        let left = left.filter(|(host, _)| !host.state.is_lost());
        let seen: Vec<_> = left.map(|(h, own)| (h.label.clone(), own.seen)).collect();
        let Some(why) = places::unlike(&seen) else {
            return Ok(());
        };
        if !self.terms.accept_unlike {
            return Err(NotRun::Unlike(why));
        }
        for Failure { what: text, .. } in why.reasons {
            sink(Event::Finding(Finding {
                code: "hosts-unlike".to_owned(),
                severity: Severity::Warn,
                stage: None,
                workload: None,
                text,
                cure: "look at each host's figures separately".into(),
            }));
        }
        Ok(())
    }
}
