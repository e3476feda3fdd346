//! A back end on a virtual clock: a volume that exists in numbers only. What it does is known exactly,
//! so pacing, omission, stop rules and every check can be tested against the truth.

mod cache;
mod caps;
mod device;
#[cfg(test)]
mod issued;
mod job;
#[cfg(test)]
mod laws;
mod link;
#[cfg(test)]
mod queues;
mod recent;
mod servers;
mod stalls;
mod stored;
#[cfg(test)]
mod tests;
mod time;

pub(crate) use device::DeviceModel;

use super::{Backend, Request};
use crate::clock::{Clock, SimClock};
use leadline_model::units::Nanos;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::rc::Rc;

/// One worker's way to a simulated volume.
pub(crate) struct SimBackend {
    /// The stage's clock.
    clock: SimClock,
    /// The volume's time at the start of the stage.
    base: u64,
    device: Rc<RefCell<DeviceModel>>,
    client: usize,
    queued: Vec<Request>,
    /// Those whose end is known: (completion, order of submission, slot, result), the earliest first.
    under_way: BinaryHeap<Reverse<(u64, u64, u16, i32)>>,
    /// Submitted and not reaped.
    in_flight: u32,
    sequence: u64,
    submitted: u32,
}

/// When the requests that a worker waits for will have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    /// At this moment of the stage.
    At(u64),
    /// That depends on what happens on the volume until then.
    Later,
    /// Never: fewer are in flight.
    Never,
}

impl SimBackend {
    /// The way of client `client` to `device`, which has the time `base` when the stage starts.
    pub(crate) fn new(
        clock: SimClock,
        base: u64,
        device: Rc<RefCell<DeviceModel>>,
        client: usize,
    ) -> Self {
        Self {
            clock,
            base,
            device,
            client,
            queued: Vec::new(),
            under_way: BinaryHeap::new(),
            in_flight: 0,
            sequence: 0,
            submitted: 0,
        }
    }

    /// When `want` of the requests under way will have ended.
    pub(crate) fn ready_at(&mut self, want: u32) -> Ready {
        self.collect();
        if self.in_flight < want.max(1) {
            return Ready::Never;
        }
        if want <= 1 {
            let first = self.under_way.peek();
            return first.map_or(Ready::Later, |first| Ready::At(first.0.0));
        }
        let mut times: Vec<u64> = self.under_way.iter().map(|entry| entry.0.0).collect();
        let place = want as usize - 1;
        if times.len() <= place {
            return Ready::Later;
        }
        Ready::At(*times.select_nth_unstable(place).1)
    }

    /// Takes the ends that the volume has found out.
    fn collect(&mut self) {
        for end in self.device.borrow_mut().take_ended(self.client) {
            let at = end.at - self.base;
            self.under_way
                .push(Reverse((at, self.sequence, end.slot, end.result)));
            self.sequence += 1;
        }
    }
}

impl Backend for SimBackend {
    fn queue(&mut self, request: &Request) {
        self.queued.push(*request);
    }

    /// Hands the queued requests to the volume. Never waits: the simulation moves the clock.
    fn submit_and_wait(&mut self, _want: u32, _timeout: Option<Nanos>) -> io::Result<()> {
        let now = self.base + self.clock.ticks();
        self.submitted = u32::try_from(self.queued.len()).unwrap_or(u32::MAX);
        self.in_flight += self.submitted;
        let mut device = self.device.borrow_mut();
        for request in self.queued.drain(..) {
            device.submit(now, self.client, request);
        }
        drop(device);
        self.collect();
        Ok(())
    }

    fn reap(&mut self, mut each: impl FnMut(u16, i32)) -> u32 {
        let now = self.clock.ticks();
        let mut count = 0;
        while let Some(&Reverse((at, _, slot, result))) = self.under_way.peek() {
            if at > now {
                break;
            }
            self.under_way.pop();
            each(slot, result);
            count += 1;
        }
        self.in_flight -= count;
        count
    }

    fn last_submitted(&self) -> u32 {
        self.submitted
    }
}
