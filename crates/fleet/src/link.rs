//! A controller's line to one agent: a thread that reads, a thread that writes, and a way to cut it.
//!
//! Belongs here: streams on one side, messages on the other. Must never: keep the controller waiting for
//! a host: what is sent is queued, and what comes is bounded by the inbox that all hosts share.

use crate::frame::{self, AGENT_LIMIT, CONTROLLER_LIMIT};
use crate::message::{FromAgent, ToAgent};
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};

/// Messages of all hosts that may wait for the controller: beyond that the hosts wait, each with a full
/// pipe.
pub const INBOX: usize = 64;

/// Something that came from a host.
#[derive(Debug)]
pub struct Incoming {
    /// Place of the host in the plan's list.
    pub host: u32,
    /// When it came, by the controller's clock.
    pub at: u64,
    /// What.
    pub what: Arrival,
}

/// What can come from a host.
#[derive(Debug)]
pub enum Arrival {
    /// Something of its start that the user should know.
    Word(String),
    /// It is being started, and that continues.
    Progress,
    /// A message.
    Message(Box<FromAgent>),
    /// The line has ended, with the reason.
    Gone(String),
}

/// A line to an agent, as the controller holds it.
#[derive(Clone)]
pub struct Link {
    to: Sender<ToAgent>,
    cut: Arc<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Link")
    }
}

impl Link {
    /// A line whose messages go to the receiver; `cut` ends it by force.
    #[must_use]
    pub fn new(cut: Arc<dyn Fn() + Send + Sync>) -> (Self, Receiver<ToAgent>) {
        let (to, from) = mpsc::channel();
        (Self { to, cut }, from)
    }

    /// Sends a message; one to a host that is gone is dropped.
    pub fn send(&self, message: ToAgent) {
        let _ = self.to.send(message);
    }

    /// Ends the line whatever the host does.
    pub fn cut(&self) {
        (self.cut)();
    }
}

/// How the reading and the writing side report what happens.
#[derive(Clone)]
pub struct Inbox {
    /// Place of the host in the plan's list.
    pub host: u32,
    /// Where it goes.
    pub to: SyncSender<Incoming>,
    /// The controller's clock.
    pub now: fn() -> u64,
}

impl Inbox {
    /// Sends it to the controller; false when there is none any more.
    pub fn send(&self, what: Arrival) -> bool {
        self.send_at((self.now)(), what)
    }

    fn send_at(&self, at: u64, what: Arrival) -> bool {
        let host = self.host;
        self.to.send(Incoming { host, at, what }).is_ok()
    }
}

/// Reads frames until the stream ends or says what cannot be understood; the reason.
pub fn listen(from: &mut dyn Read, inbox: &Inbox) -> String {
    loop {
        let bytes = match frame::read_bytes(from, AGENT_LIMIT) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return "the connection ended".to_owned(),
            Err(error) => return error.to_string(),
        };
        // Before decoding: the time of a pong counts.
        let at = (inbox.now)();
        match frame::decode(&bytes) {
            Ok(message) => {
                if !inbox.send_at(at, Arrival::Message(Box::new(message))) {
                    return "the run is over".to_owned();
                }
            }
            Err(error) => return error.to_string(),
        }
    }
}

/// Writes messages until there are no more or the stream fails.
pub fn talk(to: &mut dyn Write, messages: &Receiver<ToAgent>, now: fn() -> u64) {
    for mut message in messages {
        if let ToAgent::Ping { sent } = &mut message {
            *sent = now();
        }
        if frame::write(to, &message, CONTROLLER_LIMIT).is_err() {
            return;
        }
    }
}
