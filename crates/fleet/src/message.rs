//! What controller and agents say to each other.
//!
//! Belongs here: the messages and their bounds. Both ends are of the same build, so the forms may change
//! with it; only the greeting ([`crate::frame`]) has to be read by other versions.

use crate::frame::FrameError;
use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Event;
use leadline_model::failure::Failure;
use leadline_model::place::Place;
use leadline_model::plan::{Plan, Stage};
use leadline_model::units::Nanos;
use serde::{Deserialize, Serialize};

/// What a controller says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToAgent {
    /// Asks for the time there.
    Ping {
        /// When it was sent, by the controller's clock; comes back as it is.
        sent: u64,
    },
    /// What the run is about; once.
    Plan(Box<Orders>),
    /// A stage to be checked, without anything being made; answered by [`FromAgent::Looked`], in the order of
    /// these questions.
    Look(Box<Question>),
    /// To be prepared; then [`FromAgent::Ready`], and a [`ToAgent::Start`] is waited for.
    Stage {
        /// Number in the run.
        number: u32,
        /// What this host does in it.
        stage: Box<Stage>,
    },
    /// When the prepared stage starts, by the agent's own clock; `None` = not at all.
    Start {
        /// Stage.
        number: u32,
        /// In nanoseconds.
        at: Option<u64>,
    },
    /// The running stage ends now; the run continues.
    Halt {
        /// Stage.
        number: u32,
    },
    /// The run ends now.
    Stop,
    /// Nothing but that the controller is there.
    Alive,
    /// The run is over.
    Bye {
        /// Whether the files it made are to go.
        remove: bool,
    },
}

/// What the run is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// The plan, without its stages, its hosts and its texts.
    pub plan: Plan,
    /// Stands in for every seed the stages leave open.
    pub seed: u64,
    /// The run's number, the same for all hosts: agents of one run that find themselves on one machine share
    /// the devices they hold.
    pub run: u64,
    /// Whether files made here stay when the controller goes away.
    pub keep_if_orphaned: bool,
}

/// What an agent is to look at before anything is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Number of the stage in the run.
    pub number: u32,
    /// What this host does in it.
    pub stage: Stage,
    /// It was the last of those to be checked together: whether they can be run, in their order, is said now.
    pub last: bool,
    /// Paths whose storage it has to report; at most [`MOST_TARGETS`].
    pub targets: Vec<String>,
}

/// Most targets in one question.
pub const MOST_TARGETS: usize = 1000;

/// What an agent says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromAgent {
    /// The first message.
    Hello {
        /// What the host calls itself.
        hostname: String,
    },
    /// Answers a ping.
    Pong {
        /// As it came.
        sent: u64,
        /// The agent's clock.
        at: u64,
    },
    /// What came of a look at a stage.
    Looked {
        /// Stage.
        number: u32,
        /// What would keep it from running here.
        refusal: Option<HostFailure>,
        /// Where the targets lie that were asked for, in their order.
        places: Vec<Place>,
    },
    /// A stage is prepared and its workers are ready.
    Ready {
        /// Stage.
        number: u32,
    },
    /// Nothing but that the agent is there.
    Alive,
    /// What happened: of all workloads of the host, one of these an interval.
    Events(Batch),
    /// A stage has ended; its events came before.
    StageDone {
        /// Stage.
        number: u32,
        /// How.
        end: Ending,
        /// How long its events had to wait because the way to the controller was full.
        waited: Nanos,
    },
    /// A stage did not run.
    Failed(HostFailure),
    /// Everything is said.
    Bye,
}

/// How a stage ended, when it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The next may follow.
    GoOn,
    /// The plan asked that nothing follows.
    EndAll,
    /// It was ended from outside.
    Interrupted,
}

/// Why a stage did not run on a host, or why a host was lost: all reasons at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFailure {
    /// What kind of reasons they are.
    pub kind: FailureKind,
    /// The reasons.
    pub reasons: Vec<Failure>,
}

/// Kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// The plan cannot run anywhere.
    Usage,
    /// The host is in the way.
    Environment,
    /// Something would have been destroyed.
    Refused,
    /// It was ended from outside.
    Interrupted,
}

impl HostFailure {
    /// A reason of the host's, with its cure.
    #[must_use]
    pub fn environment(code: ErrorCode, what: impl Into<String>, cure: impl Into<Cure>) -> Self {
        Self {
            kind: FailureKind::Environment,
            reasons: vec![Failure::new(code, what, cure)],
        }
    }

    /// This and another, each reason once; of two kinds it is the surroundings.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        if self.kind != other.kind {
            self.kind = FailureKind::Environment;
        }
        for reason in other.reasons {
            if !self.reasons.contains(&reason) {
                self.reasons.push(reason);
            }
        }
        self.short()
    }

    /// Enough of it to be shown, whatever it was.
    #[must_use]
    pub fn short(mut self) -> Self {
        /// Most reasons, and most bytes of each half of one.
        const MOST: (usize, usize) = (100, 4000);
        let more = self.reasons.len() > MOST.0;
        self.reasons.truncate(MOST.0);
        for Failure { what, cure, .. } in &mut self.reasons {
            cut(what, MOST.1);
            cut(&mut cure.text, MOST.1);
            cure.knobs.truncate(MOST.0);
        }
        if let Some(last) = self.reasons.last().filter(|_| more) {
            let what = "and more problems like these";
            self.reasons.push(Failure::new(last.code, what, ""));
        }
        self
    }

    /// What failed, without what to do about it, in one line.
    #[must_use]
    pub fn what(&self) -> String {
        let each: Vec<&str> = self.reasons.iter().map(|f| f.what.as_str()).collect();
        each.join("; ")
    }

    /// All of it in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let each: Vec<String> = self.reasons.iter().map(Failure::line).collect();
        each.join("; ")
    }

    /// All of it as one reason.
    #[must_use]
    pub fn failure(&self) -> Failure {
        Failure::of_all(self.what(), &self.reasons)
    }
}

/// Cuts a text to this many bytes.
pub(crate) fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        let end = (0..=most).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
    }
}

/// Bytes of events after which a frame is sent without waiting for the interval's end.
pub const BATCH_BYTES: usize = 1 << 20;

/// Events as bytes: they are read back one by one, so that a reader never holds more than one of them
/// because of what it received.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    bytes: Vec<u8>,
}

impl Batch {
    /// Adds an event.
    ///
    /// # Errors
    /// When it has no byte form, which no event of ours is without.
    pub fn push(&mut self, event: &Event) -> Result<(), FrameError> {
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(event, bytes)
            .map_err(|error| FrameError::Garbage(error.to_string()))?;
        Ok(())
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether it is large enough to be sent.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= BATCH_BYTES
    }

    /// The events, up to the first that cannot be read.
    pub fn events(&self) -> impl Iterator<Item = Result<Event, FrameError>> + '_ {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            match postcard::take_from_bytes(rest) {
                Ok((event, left)) => {
                    rest = left;
                    Some(Ok(event))
                }
                Err(error) => {
                    rest = &[];
                    Some(Err(FrameError::Garbage(error.to_string())))
                }
            }
        })
    }
}
