//! When a simulated volume does not answer.

use leadline_model::plan::SimDevice;
use leadline_model::units::Nanos;
use serde::{Deserialize, Serialize};

/// The spans of time in which it does nothing, and ends nothing.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Stalls {
    /// (from, how long).
    once: Vec<(Nanos, Nanos)>,
    /// At each whole multiple of the first but 0, for the second.
    every: Option<(Nanos, Nanos)>,
}

impl Stalls {
    pub(super) fn new(law: &SimDevice) -> Self {
        Self {
            once: law.stalls.clone(),
            every: law.every.filter(|(period, length)| period > length),
        }
    }

    /// When something ends that begins at `start` and takes `time` in which the volume answers. What it is in the
    /// middle of at a stall continues after it.
    pub(super) fn end_of(&self, start: u64, time: u64) -> u64 {
        let (mut at, mut left) = (start, time);
        if self.once.is_empty() && self.every.is_none() {
            return at.saturating_add(left);
        }
        loop {
            if let Some(over) = self.over(at) {
                at = over;
                continue;
            }
            match self.next(at) {
                Some(from) if from < at.saturating_add(left) => {
                    left -= from - at;
                    at = from;
                }
                _ => return at.saturating_add(left),
            }
        }
    }

    /// The end of a stall that `at` is in; another may begin there.
    fn over(&self, at: u64) -> Option<u64> {
        let once = self.once.iter().map(|&(from, length)| (from.0, length.0));
        let periodic = self.every.and_then(|(period, length)| {
            let from = at / period.0 * period.0;
            (from > 0).then_some((from, length.0))
        });
        once.chain(periodic)
            .filter(|(from, _)| *from <= at)
            .map(|(from, length)| from.saturating_add(length))
            .filter(|over| *over > at)
            .max()
    }

    /// When the next stall after `at` begins.
    fn next(&self, at: u64) -> Option<u64> {
        let once = self.once.iter().filter(|stall| stall.1 > Nanos::ZERO);
        let once = once.map(|&(from, _)| from.0);
        let periodic = self
            .every
            .map(|(period, _)| (at / period.0 + 1).saturating_mul(period.0));
        once.chain(periodic).filter(|from| *from > at).min()
    }
}
