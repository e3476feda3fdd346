//! What lets a worker start its I/Os: its own free slots alone, or workloads that it shares something with.
//!
//! Belongs here: the one way of filling slots that asks. How the answer is found is in
//! `couple` (shares, a common queue) and `priority`. Must never: cost anything where only the own depth counts.

use super::Worker;
use super::source::Source;
use crate::backend::Backend;
use crate::clock::Clock;
use crate::pace::{PaceDecision, Pacer};

/// How a worker fills its free slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// A closed loop of its own without special rules.
    Plain,
    /// As plain, at one rate.
    Paced,
    /// By pace, pauses, flushes and whatever else the workload asks for.
    ByLaw,
    /// Asks the others first.
    Admitted,
}

impl Filling {
    /// Of a worker that is coupled with others or not, and needs special rules (is not `regular`) or not.
    pub(super) fn of(coupled: bool, regular: bool, pacer: &Pacer) -> Self {
        match (coupled, regular) {
            (true, _) => Self::Admitted,
            (false, true) if !pacer.is_open() => Self::Plain,
            (false, true) if pacer.has_one_rate() => Self::Paced,
            (false, _) => Self::ByLaw,
        }
    }
}

/// What a worker with free slots asks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    /// Slots it can fill.
    pub(super) free: u32,
    /// I/Os of its own in flight.
    pub(super) in_flight: u32,
    /// Now, in nanoseconds of its clock.
    pub(super) now_ns: u64,
    /// Nothing decides over an I/O but its turn: as many as there are free slots can be begun at once.
    pub(super) plain: bool,
    /// What its pace says; `None` = it has none.
    pub(super) pace: Option<Paced>,
}

/// What a pace says of the next I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paced {
    /// It has been due for this many nanoseconds.
    Due(u64),
    /// It is due at this tick.
    Later(u64),
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    /// This many I/Os may begin. `less`: more could, but may not.
    Room { ios: u64, less: bool },
    /// None before this tick.
    Until(u64),
}

/// When to look again.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookAgain {
    /// Nanoseconds from now.
    pub(super) after_ns: u64,
    /// Nothing is due then: it is no matter of microseconds.
    pub(super) held_back: bool,
}

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// Fills the free slots that the others leave it. Returns when to look again, where it would do more.
    #[inline(never)]
    pub(super) fn fill_admitted(&mut self) -> Option<u64> {
        self.held_back = false;
        while !self.free.is_empty() {
            let ask = self.ask();
            let (room, less) = match self.coupled.as_mut()?.admit(&ask) {
                Grant::Room { ios, less } => (ios, less),
                Grant::Until(tick) => return Some(tick),
            };
            let before = self.free.len();
            let later = if self.plain {
                let keep = before.saturating_sub(usize::try_from(room).unwrap_or(usize::MAX));
                self.fill_plain(keep);
                None
            } else {
                self.fill_by_law(room)
            };
            let begun = (before - self.free.len()) as u64;
            let in_flight = self.in_flight();
            // The place was left when this was the end.
            let place = self.coupled.as_mut()?;
            place.began(&ask, begun, room);
            if less {
                let again = place.look_again(in_flight);
                self.held_back = again.held_back;
                return Some(self.now + self.clock.span(again.after_ns));
            }
            if begun < room || room == 0 {
                return later;
            }
        }
        None
    }

    fn ask(&self) -> Ask {
        let nanos_since = |due: u64| self.clock.nanos(self.now.saturating_sub(due));
        let pace = self.open.then(|| match self.pacer.turn(self.now) {
            PaceDecision::Due(_, due) | PaceDecision::AnyDue(due) => Paced::Due(nanos_since(due)),
            PaceDecision::Free | PaceDecision::FreeOf(_) => Paced::Due(0),
            PaceDecision::Later(tick) => Paced::Later(tick),
        });
        Ask {
            free: u32::try_from(self.free.len()).unwrap_or(u32::MAX),
            in_flight: self.in_flight(),
            now_ns: self.clock.nanos(self.now),
            plain: self.plain,
            pace,
        }
    }
}
