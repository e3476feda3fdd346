//! One host as the controller knows it.

use crate::link::Link;
use crate::message::{Ending, HostFailure, ToAgent};
use crate::offset::{Offset, Rounds};
use leadline_model::plan::{HostSpec, Launcher};
use leadline_model::units::Nanos;
use std::fmt;

/// How long a clock that was compared is believed before it is compared again.
const TIME_KEEPS: Nanos = Nanos::from_secs(30);

/// A host.
pub(super) struct Host {
    pub(super) label: String,
    pub(super) hostname: String,
    pub(super) link: Link,
    pub(super) state: State,
    /// When something was last heard of it, by our clock.
    pub(super) heard: u64,
    /// How long its start may take, when longer than others'.
    pub(super) slow_start: Option<Nanos>,
    pub(super) offset: Offset,
    /// When the offset was measured.
    pub(super) timed: u64,
    /// Round trips under way; `None` = the offset is known.
    rounds: Option<Rounds>,
    /// How long its events had to wait in the stage that ended.
    pub(super) waited: Nanos,
    /// Facts and findings it has sent.
    pub(super) reports: usize,
}

/// What a host is doing.
#[derive(Debug)]
pub(super) enum State {
    /// It was called.
    Calling,
    /// It answered, and its clock is being compared.
    Greeted,
    /// It waits for a stage.
    Idle,
    /// It looks at what is to come.
    Looking,
    /// It makes a stage ready.
    Preparing,
    /// It waits for the start.
    Ready,
    /// It does I/O.
    Running,
    /// Its part of the stage is over.
    Done(Ending),
    /// It was sent that the run is over.
    Leaving,
    /// It is gone, as it should.
    Left,
    /// It failed or disconnected.
    Lost(HostFailure),
}

impl State {
    pub(super) const fn is_calling(&self) -> bool {
        matches!(self, Self::Calling | Self::Greeted)
    }

    pub(super) const fn is_lost(&self) -> bool {
        matches!(self, Self::Lost(_))
    }

    /// Whether it is there to be talked to.
    pub(super) const fn is_talking(&self) -> bool {
        !matches!(self, Self::Calling | Self::Left | Self::Lost(_))
    }

    /// Whether a stage keeps it busy.
    pub(super) const fn is_at_work(&self) -> bool {
        matches!(self, Self::Preparing | Self::Ready | Self::Running)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Calling => "it is being connected",
            Self::Greeted => "its clock offset is being measured",
            Self::Idle => "it is waiting for a stage",
            Self::Looking => "it is checking the plan",
            Self::Preparing => "it is preparing a stage",
            Self::Ready => "it is waiting for the start",
            Self::Running => "it is doing I/O",
            Self::Done(_) => "it has finished",
            Self::Leaving | Self::Left => "it is leaving",
            Self::Lost(_) => "it is lost",
        })
    }
}

impl Host {
    pub(super) fn new(spec: &HostSpec, link: Link, now: u64) -> Self {
        Self {
            label: spec.label.clone(),
            hostname: String::new(),
            link,
            state: State::Calling,
            heard: now,
            // A scheduler may have to find room first.
            slow_start: matches!(spec.launcher, Launcher::Slurm).then_some(Nanos::from_secs(60)),
            offset: Offset::default(),
            timed: 0,
            rounds: None,
            waited: Nanos::ZERO,
            reports: 0,
        }
    }

    /// Begins to compare its clock with ours.
    pub(super) fn ask_time(&mut self) {
        self.rounds = Some(Rounds::default());
        // The writer puts in when it was really sent.
        self.link.send(ToAgent::Ping { sent: 0 });
    }

    /// Compares its clock again when that was long ago.
    pub(super) fn refresh_time(&mut self, now: u64) {
        if now.saturating_sub(self.timed) > TIME_KEEPS.0 {
            self.ask_time();
        }
    }

    /// Whether its clock is being compared.
    pub(super) fn is_asked(&self) -> bool {
        self.rounds.is_some()
    }

    /// Takes an answer; whether enough was asked now.
    pub(super) fn take_time(
        &mut self,
        sent: u64,
        theirs: u64,
        received: u64,
    ) -> Result<bool, String> {
        let Some(rounds) = &mut self.rounds else {
            return Err("an answer without a question".to_owned());
        };
        rounds.take(sent, theirs, received);
        if !rounds.is_done() {
            self.link.send(ToAgent::Ping { sent: 0 });
            return Ok(false);
        }
        let best = rounds
            .best()
            .ok_or("answers that predate their questions")?;
        (self.offset, self.timed, self.rounds) = (best, received, None);
        Ok(true)
    }
}
