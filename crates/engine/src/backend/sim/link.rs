//! A link of a simulated volume: it sends one I/O after the other.

use super::job::{Transit, moved};
use super::time::nanos;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A link, or what waits for it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct NetworkLink {
    waiting: VecDeque<Transit>,
    /// What is being sent.
    sending: Option<Transit>,
    /// When it is free, with the fraction of a nanosecond that events do not have.
    free: f64,
}

impl NetworkLink {
    /// Takes an I/O and gives it back where nothing limits it; otherwise it waits behind those before it.
    pub(super) fn offer(&mut self, transit: Transit, rate: Option<u64>) -> Option<Transit> {
        if rate.is_none() && self.sending.is_none() && self.waiting.is_empty() {
            return Some(transit);
        }
        self.waiting.push_back(transit);
        None
    }

    /// Begins to send the next at `now`, where nothing is being sent: when that will have been sent.
    pub(super) fn begin(&mut self, now: u64, rate: Option<u64>) -> Option<u64> {
        if self.sending.is_some() {
            return None;
        }
        let next = self.waiting.pop_front()?;
        let bytes = f64::from(moved(&next.request));
        let takes = rate.map_or(0.0, |rate| bytes * 1e9 / rate.max(1) as f64);
        self.free = self.free.max(now as f64) + takes;
        self.sending = Some(next);
        Some(nanos(self.free).max(now))
    }

    /// What was being sent has been.
    pub(super) fn sent(&mut self) -> Option<Transit> {
        self.sending.take()
    }
}
