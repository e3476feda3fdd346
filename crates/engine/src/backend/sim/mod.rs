//! A back end on a virtual clock: a device that exists in numbers only. What it does is known exactly,
//! so pacing, omission, stop rules and every check can be tested against the truth.

mod device;
#[cfg(test)]
pub(crate) mod issued;
#[cfg(test)]
mod tests;

pub(crate) use device::DeviceModel;

use super::{Backend, Request};
use crate::clock::{Clock, SimClock};
use leadline_model::units::Nanos;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::rc::Rc;

/// One worker's connection to a simulated device.
pub(crate) struct SimBackend {
    clock: SimClock,
    device: Rc<RefCell<DeviceModel>>,
    connection: usize,
    queued: Vec<Request>,
    /// (completion, order of submission, slot, result), the earliest first.
    under_way: BinaryHeap<Reverse<(u64, u64, u16, i32)>>,
    sequence: u64,
    submitted: u32,
}

impl SimBackend {
    /// A connection of its own to `device`.
    pub(crate) fn new(clock: SimClock, device: Rc<RefCell<DeviceModel>>) -> Self {
        let connection = device.borrow_mut().connect();
        Self {
            clock,
            device,
            connection,
            queued: Vec::new(),
            under_way: BinaryHeap::new(),
            sequence: 0,
            submitted: 0,
        }
    }

    /// When `want` of the requests under way will have ended; `None` = there are not so many.
    pub(crate) fn ready_at(&self, want: u32) -> Option<u64> {
        if want <= 1 {
            return self.under_way.peek().map(|first| first.0.0);
        }
        let mut times: Vec<u64> = self.under_way.iter().map(|entry| entry.0.0).collect();
        times.sort_unstable();
        times.get(want as usize - 1).copied()
    }
}

impl Backend for SimBackend {
    fn queue(&mut self, request: &Request) {
        self.queued.push(*request);
    }

    /// Hands the queued requests to the device. Never waits: the simulation moves the clock.
    fn submit_and_wait(&mut self, _want: u32, _timeout: Option<Nanos>) -> io::Result<()> {
        let now = self.clock.ticks();
        let mut device = self.device.borrow_mut();
        self.submitted = u32::try_from(self.queued.len()).unwrap_or(u32::MAX);
        for request in self.queued.drain(..) {
            let (at, result) = device.serve(now, self.connection, &request);
            self.under_way
                .push(Reverse((at, self.sequence, request.slot, result)));
            self.sequence += 1;
        }
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
        count
    }

    fn last_submitted(&self) -> u32 {
        self.submitted
    }
}
