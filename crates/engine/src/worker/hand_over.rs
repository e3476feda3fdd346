//! Submission separate from waiting, for runs that report how long submission took (fio's slat).
//!
//! One call hands over all that was queued, one clock read follows it, and only then is waited. An I/O's time of
//! submission is the time from the stamp before the call to the stamp after it, shared by all that went with
//! it; the rest of its service time is its time of completion. On back ends that end an I/O within the call (the
//! page cache), the call holds the I/O too: the submission is then nearly all there is.
//!
//! Belongs here: what such runs do otherwise. Must never: cost a run without it anything.

use super::source::Source;
use super::{Slot, Worker};
use crate::backend::Backend;
use crate::clock::Clock;
use leadline_model::sample::OpCounts;
use std::io;

/// Counts the two parts of a service latency, which they add up to exactly. All in nanoseconds, `ios` times.
#[inline]
pub(super) fn count_parts(counts: &mut OpCounts, submission: u64, service: u64, ios: u64) {
    if let Some(parts) = &mut counts.parts {
        let submission = submission.min(service);
        parts.submission.record_many(submission, ios);
        parts.completion.record_many(service - submission, ios);
    }
}

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// Submits what was queued since there were `before` free slots, and stamps it after the call: with both its
    /// times where the short way left that to this.
    #[inline]
    pub(super) fn hand_over(&mut self, before: usize) -> io::Result<()> {
        if self.free.len() == before {
            return Ok(());
        }
        self.backend.submit_and_wait(0, None)?;
        let issued = self.clock.ticks();
        let Self {
            slots, free, now, ..
        } = self;
        let (slots, submitted): (&mut [Slot], _) = (slots, *now);
        let handed = free.taken_since(before).iter();
        if self.plain {
            for &slot in handed {
                let entry = &mut slots[usize::from(slot)];
                (entry.submitted, entry.issued) = (submitted, issued);
            }
        } else {
            handed.for_each(|&slot| slots[usize::from(slot)].issued = issued);
        }
        Ok(())
    }
}
