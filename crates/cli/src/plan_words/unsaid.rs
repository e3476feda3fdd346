//! Parts of a plan without words of their own: rarely asked for, and shown by `leadline plan --json`.
//!
//! Belongs here: each such part taken apart, so that a field that is added to one does not compile before it is said or
//! known to need no word. Must never: say anything.

use leadline_model::plan::{
    Blocks, FilePart, Mount, OnError, Payload, Placement, Prepare, Stage, Start, SyncCadence,
    Think, Until, Workload,
};

/// Parts of a stage.
pub(super) fn stage(stage: &Stage) {
    let Until {
        moved: _,
        read: _,
        written: _,
        errors: _,
        narrow: _,
    } = &stage.until;
    let ([]
    | [
        Mount {
            hosts: _,
            line: _,
            once: _,
        },
        ..,
    ]) = stage.mounts.as_slice();
}

/// Parts of a workload.
pub(super) fn workload(w: &Workload) {
    let (None
    | Some(Think {
        pause: _,
        spin: _,
        every: _,
        on_submit: _,
        after_busy: _,
    })) = &w.think;
    let Start {
        // Counted in the totals.
        delay: _,
        after: _,
        from_run: _,
    } = &w.start;
    let OnError {
        go_on: _,
        ignore: _,
        end_all: _,
        removes: _,
        max_latency: _,
    } = &w.on_error;
    let Placement {
        cpus: _,
        no_cpu: _,
        split_cpus: _,
        nice: _,
        io_priority: _,
        memory: _,
        buffer_align: _,
        lock_memory: _,
    } = &w.placement;
    let SyncCadence {
        fsync_every: _,
        fdatasync_every: _,
        at_end: _,
        on_close: _,
    } = &w.blocks().sync;
    blocks(w.blocks());
}

/// As [`workload`], of files and their data.
fn blocks(blocks: &Blocks) {
    let Prepare {
        create: _,
        create_only: _,
        create_on_open: _,
        one_by_one: _,
        fsync: _,
        fallocate: _,
        overwrite: _,
        drop_cache: _,
        pre_read: _,
        advise: _,
        unlink: _,
        unlink_each_loop: _,
        open_files: _,
        recreate: _,
        own: _,
    } = &blocks.prepare;
    let Payload {
        fill: _,
        refresh: _,
        compress_percent: _,
        compress_chunk: _,
        dedupe_percent: _,
    } = &blocks.payload;
    let ([]
    | [
        FilePart {
            region: _,
            prepare: _,
            open: _,
            mix: _,
            sizes: _,
            access: _,
            slots: _,
            payload: _,
        },
        ..,
    ]) = blocks.parts.as_slice();
}
