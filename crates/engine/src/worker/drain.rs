//! What ends after the end that was asked for, counted apart.
//!
//! A window that begins with the end of a warm-up begins in mid flow: what ends in it was partly done before. What was in flight
//! at its end is waited for, and its latency counts; a rate over the window that has it as well would be too high by as much as
//! was done before.
//!
//! Belongs here: these counts. Looks at cells when the end comes and when they are handed over, never else.

use super::Worker;
use super::cell::{Cell, CellCounts};
use super::source::Source;
use crate::backend::Backend;
use crate::clock::Clock;
use leadline_model::op::{Op, OpMap};
use leadline_model::sample::Drain;
use leadline_model::units::Nanos;

/// I/Os, bytes, and nanoseconds of service.
type Amounts = [u64; 3];

/// [`Drain`] as it is counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkerDrain {
    /// Tick of the end that was asked for.
    from: u64,
    /// What the cell that is being filled had at that end.
    before: OpMap<Amounts>,
    /// What cells that were handed over have gained since.
    done: OpMap<Amounts>,
    /// Nanoseconds in flight until then that no service latency includes yet.
    in_flight: i64,
}

impl WorkerDrain {
    /// Adds what a cell has gained since the end.
    fn take(&mut self, cell: &Cell) {
        let before = std::mem::take(&mut self.before);
        for (op, amounts) in all_of(cell).iter() {
            let known = before.get(op).copied().unwrap_or_default();
            let sums = self.done.entry(op).iter_mut();
            for (sum, (now, then)) in sums.zip(amounts.iter().zip(known)) {
                *sum += now.saturating_sub(then);
            }
        }
    }

    /// For the collector: with the time of its end, and what else I/Os were in flight in the whole window.
    pub(crate) fn into_drain(self, from: impl Fn(u64) -> Nanos, edge: i64) -> Drain {
        let service: u64 = self.done.values().map(|amounts| amounts[2]).sum();
        let more = edge.saturating_sub(self.in_flight);
        let each = self.done.iter();
        let done: Vec<(Op, u64, u64)> = each
            .map(|(op, [ios, bytes, _])| (op, *ios, *bytes))
            .collect();
        Drain {
            from: from(self.from),
            done,
            in_flight: service.saturating_add_signed(more),
        }
    }
}

/// What a cell has, by operation.
fn all_of(cell: &Cell) -> OpMap<Amounts> {
    let mut all = OpMap::<Amounts>::default();
    let files = cell.files.iter().flat_map(CellCounts::each);
    for (op, counts) in cell.counts.each().chain(files) {
        let sums = all.entry(op);
        sums[0] += counts.ios;
        sums[1] += counts.bytes;
        sums[2] += counts.service.sum;
    }
    all
}

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// The end that was asked for is over at `now`: what is in the cell ended before it. Whether its interval goes on.
    #[cold]
    pub(super) fn begin_drain(&mut self, now: u64) -> bool {
        let from = self.limits.end();
        if now < from || self.drain.is_some() || !self.limits.drains_apart() || self.cell.warmup {
            return false;
        }
        self.drain = Some(Box::new(WorkerDrain {
            from,
            before: all_of(&self.cell),
            done: OpMap::default(),
            in_flight: self.end.edge.saturating_add(self.in_flight_until(from)),
        }));
        let goes_on = self.limits.interval_of(now) == self.cell.interval;
        if goes_on {
            self.cell_end = self.limits.cell_end(now);
        }
        goes_on
    }

    /// A cell is handed over, or the worker has ended.
    pub(super) fn take_into_drain(&mut self) {
        if let Some(drain) = &mut self.drain {
            drain.take(&self.cell);
        }
    }
}
