//! How much memory the samples of a run take.
//!
//! Belongs here: counting bytes. Must never: free any.

use leadline_model::latency::Latency;
use leadline_model::op::OpMap;
use leadline_model::sample::{Counts, OpCounts, Sample};

/// What the samples of a run hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Held {
    pub(crate) bytes: usize,
    /// Checked again when it holds more than this; 0 = what `coarse` says.
    pub(crate) limit: usize,
    /// Every interval is kept, however many there are.
    pub(crate) whole: bool,
}

/// Bytes that a sample holds.
pub(crate) fn bytes_of(sample: &Sample) -> usize {
    size_of::<Sample>()
        + bytes_of_counts(&sample.counts)
        + size_of_val(sample.workers.as_slice())
        + size_of_val(sample.moments.as_slice())
        + sample.moments.iter().map(OpMap::heap_bytes).sum::<usize>()
}

fn bytes_of_counts(counts: &Counts) -> usize {
    let of = |latency: &Latency| latency.histogram.heap_bytes();
    let of_op = |op: &OpCounts| {
        let parts = op.parts.as_ref();
        of(&op.service)
            + op.response.as_ref().map_or(0, of)
            + parts.map_or(0, |p| of(&p.submission) + of(&p.completion))
    };
    let ops: usize = counts.ops.values().map(of_op).sum();
    counts.ops.heap_bytes() + ops + counts.lag.as_ref().map_or(0, of)
}
