//! What of its kinds and sizes a workload of blocks uses.
//!
//! Belongs here: questions to a workload alone. Must never: check one, or ask the host.

use leadline_model::op::Op;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{Fill, OpMix, Workload};
use leadline_model::units::Percent;

/// The operations on blocks that occur in the workload.
pub(crate) fn active_ops(mix: OpMix) -> impl Iterator<Item = Op> {
    Op::BLOCK.into_iter().filter(move |op| mix.has(*op))
}

/// Whether the files must hold real data before the start: what is read must not be a hole, and what
/// is to be overwritten must have been written.
#[must_use]
pub(crate) fn needs_data(workload: &Workload) -> bool {
    workload.blocks().mix.has_reads() || (workload.writes() && workload.blocks().prepare.overwrite)
}

/// The sizes that occur: (kind in words, sizes, alignment).
pub(crate) fn active_sizes(workload: &Workload) -> Vec<(&'static str, &Sizes, Option<u64>)> {
    let sizes = &workload.blocks().sizes;
    if sizes.by_order {
        let random = workload.blocks().access.order.is_random();
        let percent = workload.blocks().access.random_percent;
        let all_random =
            active_ops(workload.blocks().mix).all(|op| *percent.get(op) == Percent::ALL);
        let mut out = Vec::new();
        if !(random && all_random) {
            out.push(("sequential", &sizes.by_op.read, sizes.align.read));
        }
        if random {
            out.push(("random", &sizes.by_op.write, sizes.align.write));
        }
        return out;
    }
    active_ops(workload.blocks().mix)
        .map(|op| (op.name(), sizes.by_op.get(op), *sizes.align.get(op)))
        .collect()
}

/// Bytes of the buffers that the writes of all workers take parts of: one for all files, or one for each where these
/// are not written alike.
pub(crate) fn sources(workload: &Workload) -> u64 {
    let parts = &workload.blocks().parts;
    let apart = parts.iter().any(|part| part.payload.is_some());
    let files = if apart { parts.len() } else { 1 };
    let size = |file| match workload.of_file(file) {
        own if !own.writes() => 0,
        own => match own.blocks().payload.fill {
            Fill::Source { size, .. } => size,
            _ => 0,
        },
    };
    (0..files).map(size).fold(0, u64::saturating_add)
}

/// Smallest size that occurs, at least 1.
pub(crate) fn smallest(workload: &Workload) -> u64 {
    active_sizes(workload)
        .iter()
        .map(|(_, sizes, _)| sizes.min())
        .min()
        .unwrap_or(1)
        .max(1)
}

/// The only size that occurs, when there is only one.
pub(crate) fn only_size(workload: &Workload) -> Option<u64> {
    let all = active_sizes(workload);
    let first = all.first().map(|(_, sizes, _)| sizes.min())?;
    let same = all
        .iter()
        .all(|(_, sizes, _)| sizes.min() == first && sizes.max() == first);
    (same && first > 0).then_some(first)
}
