//! Handing over apart from waiting, for runs that tell how long the handing over took (fio's slat).
//!
//! One call hands over all that was queued, one clock read follows it, and only then is waited. An I/O's time of
//! submission is that from the stamp in front of the call to the stamp behind it, shared by all that went with
//! it; the rest of its service time is its time of completion. On back ends that end an I/O within the call (the
//! page cache), the call holds the I/O too: the submission is then nearly all there is.
//!
//! Belongs here: what such runs do otherwise. Must never: cost a run without it anything.

use super::{Slot, Worker};
use crate::backend::Backend;
use crate::clock::Clock;
use leadline_model::sample::{Counts, OpCounts};
use leadline_model::units::Op;
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

/// I/Os of one kind that were handed over and reaped together.
struct Batch {
    submitted: u64,
    issued: u64,
    op: Op,
    ios: u64,
    bytes: u64,
}

impl Batch {
    const fn of(entry: &Slot) -> Self {
        Self {
            submitted: entry.submitted,
            issued: entry.issued,
            op: entry.op,
            ios: 0,
            bytes: 0,
        }
    }

    #[inline]
    fn count_into<C: Clock>(&self, counts: &mut Counts, now: u64, clock: &C) {
        if self.ios == 0 {
            return;
        }
        if let Some(op) = counts.ops[self.op.index()].as_mut() {
            op.ios += self.ios;
            op.bytes += self.bytes;
            let service = clock.nanos(now.saturating_sub(self.submitted));
            op.service.record_many(service, self.ios);
            let submission = clock.nanos(self.issued.saturating_sub(self.submitted));
            count_parts(op, submission, service, self.ios);
        }
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Hands over what was queued since there were `before` free slots, and stamps it behind the call.
    #[inline]
    pub(super) fn hand_over(&mut self, before: usize) -> io::Result<()> {
        if self.free.len() == before {
            return Ok(());
        }
        self.backend.submit_and_wait(0, None)?;
        let issued = self.clock.ticks();
        for &slot in self.free.taken_since(before) {
            self.slots[usize::from(slot)].issued = issued;
        }
        Ok(())
    }

    /// As the plain way of counting what has ended, with the two parts of each latency.
    #[inline]
    pub(super) fn reap_handed_over(&mut self, now: u64) -> u32 {
        let Self {
            backend,
            slots,
            free,
            odd,
            cell,
            clock,
            ..
        } = self;
        let counts = &mut cell.counts;
        let mut batch = Batch::of(&Slot::IDLE);
        let count = backend.reap(|slot, result| {
            let entry = &slots[usize::from(slot)];
            // An I/O is shorter than 2 GiB, so that no error number equals a length.
            if result.cast_unsigned() != entry.len {
                odd.push((slot, result));
                return;
            }
            if entry.submitted != batch.submitted || entry.op != batch.op {
                batch.count_into(counts, now, clock);
                batch = Batch::of(entry);
            }
            batch.ios += 1;
            batch.bytes += u64::from(entry.len);
            free.push(slot);
        });
        batch.count_into(counts, now, clock);
        count
    }
}
