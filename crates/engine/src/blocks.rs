//! What a workload of blocks needs before its first I/O.
//!
//! Belongs here: questions to a workload alone. Must never: check one, or ask the host.

use leadline_model::plan::{Fill, Workload};

/// Whether the files must hold real data before the start: what is read must not be a hole, and what
/// is to be overwritten must have been written.
#[must_use]
pub(crate) fn needs_data(workload: &Workload) -> bool {
    workload.blocks().mix.has_reads() || (workload.writes() && workload.blocks().prepare.overwrite)
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
