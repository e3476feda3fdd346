//! Every field of a plan by name, with the place that checks it: a field that is added does not compile before it has
//! been put to one.
//!
//! Belongs here: names. Must never: check anything.

use leadline_model::plan::access::Sizes;
use leadline_model::plan::{
    Access, Admission, BlockSizes, Blocks, BorrowableDepth, Distribution, Engine, FileChoice,
    FilePart, FileSet, Fill, Hits, Mount, Narrow, OnError, OpenMode, Order, Pace, Payload,
    Placement, Plan, Prepare, Region, SimTarget, Stage, StageRate, Start, Stop, SyncCadence,
    Target, Think, Until, Work, Workload, Wrap, Zone,
};

/// Names the fields of a plan, a stage and a workload, and of all that they are made of.
pub(super) fn named(plan: &Plan, stage: &Stage, w: &Workload) {
    of_plan(plan);
    of_stage(stage);
    let Work::Blocks(blocks) = of_workload(w);
    of_blocks(blocks);
    of_access(&blocks.access);
    of_files(&blocks.region, &blocks.prepare, blocks.open);
    of_data(&blocks.sizes, blocks.sync, &blocks.payload);
    blocks.parts.iter().for_each(of_part);
    of_envelope(w);
    of_choices(stage, w);
    of_targets(&blocks.target);
    of_offsets(blocks);
}

/// Names the fields of each choice of a stage and a workload.
fn of_choices(stage: &Stage, w: &Workload) {
    match stage.asked {
        StageRate::PerWorkload
        | StageRate::MaxForCurve
        // Rates are resolved before a stage comes here.
        | StageRate::PercentOfMax { percent: _, stop_at: _ }
        | StageRate::PercentOfPrevious(_) => {}
    }
    // Any value can be carried out.
    let (None
    | Some(Narrow {
        half_ppm: _,
        least: _,
    })) = stage.until.narrow;
    for mount in &stage.mounts {
        // A shell says what is wrong with a line.
        let Mount {
            hosts: _,
            line: _,
            once: _,
        } = mount;
    }
    match &w.pace {
        Pace::Closed => {}
        Pace::Open {
            // `check`.
            rates: _,
            together: _,
            schedule: _,
            // Any value can be carried out.
            arrival: _,
        } => {}
    }
    // `coupled`.
    match w.admission {
        Admission::OwnDepth | Admission::Priority { group: _, rank: _ } => {}
        Admission::Shares {
            group: _,
            borrowable,
        }
        | Admission::CommonQueue {
            group: _,
            max_lead: _,
            borrowable,
        } => {
            let (None | Some(BorrowableDepth { pool: _, own: _ })) = borrowable;
        }
    }
}

/// Names the fields of each kind of target.
fn of_targets(target: &Target) {
    match target {
        // By its medium.
        Target::Paths(_) | Target::Null { size: _ } => {}
        Target::Files(FileSet {
            directories: _,
            pattern: _,
            count: _,
            name_may_be_device: _,
        }) => {}
        Target::Simulated(target) => {
            let SimTarget {
                // Checked when its law was read.
                volume: _,
                law: _,
                // Any value can be carried out.
                files: _,
                own_files: _,
                size: _,
            } = &**target;
        }
    }
}

/// Names the fields of each choice of offsets, sizes and data.
fn of_offsets(blocks: &Blocks) {
    // `region`.
    let (None | Some(Wrap { start: _, end: _ })) = blocks.region.wrap;
    let access = &blocks.access;
    match access.order {
        // `offsets`, and by its medium.
        Order::Sequential { skip: _ } => {}
        Order::Random {
            every: _,
            identical: _,
        } => {}
    }
    // Any value can be carried out.
    let (None
    | Some(Hits {
        area: _,
        read_percent: _,
        write_percent: _,
    })) = access.hits;
    match access.file_choice {
        FileChoice::RoundRobin { ios: _ }
        | FileChoice::Sequential
        | FileChoice::Random { ios: _ }
        | FileChoice::Zipf { theta: _ }
        | FileChoice::Pareto { h: _ }
        | FileChoice::Normal { deviation: _ }
        // `check`.
        | FileChoice::EachSlot => {}
    }
    let of_one = |distribution: &Distribution| match distribution {
        // `offsets`.
        Distribution::Uniform
        | Distribution::Zipf {
            theta: _,
            center: _,
        }
        | Distribution::Pareto { h: _, center: _ }
        | Distribution::Normal {
            deviation: _,
            center: _,
        }
        | Distribution::LowEnd(_)
        | Distribution::HotBand { low: _, high: _ } => {}
        Distribution::Zoned(zones) => zones.iter().for_each(|zone| {
            let Zone {
                access_percent: _,
                extent: _,
            } = zone;
        }),
    };
    let (of, sizes) = (&access.distribution, &blocks.sizes.by_op);
    [&of.read, &of.write, &of.trim].into_iter().for_each(of_one);
    // `check`.
    let of_size = |sizes: &Sizes| match sizes {
        Sizes::Fixed(_) | Sizes::Split(_) => {}
        Sizes::Range {
            min: _,
            max: _,
            unaligned: _,
        } => {}
    };
    [&sizes.read, &sizes.write, &sizes.trim]
        .into_iter()
        .for_each(of_size);
    match blocks.payload.fill {
        Fill::Random | Fill::Zero | Fill::Pattern(_) => {}
        // `on_host`, and `means`.
        Fill::Source { size: _, file: _ } => {}
    }
}

const fn of_plan(plan: &Plan) {
    let Plan {
        // `check`.
        read_only: _,
        // `ahead`, and the guard of what a device carries.
        destroy: _,
        stages: _,
        // Checked by the controller, which assigns stages to hosts.
        hosts: _,
        // Any value can be carried out.
        title: _,
        source: _,
        given: _,
        original: _,
        interval: _,
        slices: _,
        partial_totals_every: _,
        study: _,
    } = plan;
}

const fn of_stage(stage: &Stage) {
    let Stage {
        workloads: _,
        until,
        // Any value can be carried out; rates are resolved before a stage comes here.
        name: _,
        pause: _,
        original: _,
        asked: _,
        rate: _,
        series: _,
        shares: _,
        mounts: _,
        point: _,
        // A label.
        server_cache: _,
    } = stage;
    // Any value can be carried out.
    let Until {
        moved: _,
        read: _,
        written: _,
        errors: _,
        // Statistics are its caller's, who ends the stage.
        narrow: _,
    } = until;
}

const fn of_workload(w: &Workload) -> &Work {
    let Workload {
        // `check`.
        clones: _,
        depth: _,
        pace: _,
        admission: _,
        share: _,
        stop: _,
        start: _,
        // `powers`.
        engine: _,
        // `check` and `on_host`.
        placement: _,
        // Checked by the controller, which assigns stages to hosts.
        hosts: _,
        // Here.
        work,
        think: _,
        on_error: _,
        // Any value can be carried out.
        report: _,
        name: _,
        description: _,
        given: _,
        original: _,
        definition: _,
        target_name: _,
        group: _,
        merge_group: _,
        percentiles: _,
    } = w;
    work
}

const fn of_blocks(blocks: &Blocks) {
    let Blocks {
        // By its medium.
        target: _,
        // `region`.
        region: _,
        // `check`, `room` and `ahead`.
        prepare: _,
        // `powers`, and by its medium.
        open: _,
        mix: _,
        // `check`, and by its medium.
        sizes: _,
        // `offsets`.
        access: _,
        // Any value can be carried out.
        sync: _,
        // `on_host`.
        payload: _,
        // Each as a workload on that file.
        parts: _,
    } = blocks;
}

const fn of_access(access: &Access) {
    let Access {
        // `offsets`.
        order: _,
        random_percent: _,
        distribution: _,
        position: _,
        begin: _,
        grid: _,
        stride: _,
        draws: _,
        file_weights: _,
        // `check`.
        file_choice: _,
        // Any value can be carried out.
        coverage: _,
        seed: _,
        at_end: _,
        hits: _,
        first_worker: _,
        counters: _,
    } = access;
}

const fn of_files(region: &Region, prepare: &Prepare, open: OpenMode) {
    let Region {
        // `check` and `region`.
        offset: _,
        offset_step: _,
        size: _,
        file_size: _,
        // `region`.
        offset_align: _,
        until_full: _,
        beyond_end: _,
        end: _,
        wrap: _,
    } = region;
    let Prepare {
        // By its medium.
        create: _,
        create_on_open: _,
        own: _,
        // `room` and `ahead`.
        fallocate: _,
        overwrite: _,
        recreate: _,
        create_only: _,
        unlink: _,
        // `check`.
        unlink_each_loop: _,
        // Any value can be carried out.
        one_by_one: _,
        fsync: _,
        drop_cache: _,
        pre_read: _,
        advise: _,
        open_files: _,
    } = prepare;
    let OpenMode {
        // By its medium, and `powers`.
        direct: _,
        sync: _,
        atomic: _,
    } = open;
}

const fn of_data(sizes: &BlockSizes, sync: SyncCadence, payload: &Payload) {
    let BlockSizes {
        // `check`.
        by_op: _,
        align: _,
        by_order: _,
    } = sizes;
    // Any value can be carried out: the first two by the source of I/Os, the others when a worker's files are closed.
    let SyncCadence {
        fsync_every: _,
        fdatasync_every: _,
        at_end: _,
        on_close: _,
    } = sync;
    let Payload {
        // `on_host`.
        fill: _,
        // Any value can be carried out.
        refresh: _,
        compress_percent: _,
        compress_chunk: _,
        dedupe_percent: _,
    } = payload;
}

const fn of_part(part: &FilePart) {
    let FilePart {
        // `check`.
        slots: _,
        // As those of a workload.
        region: _,
        prepare: _,
        open: _,
        mix: _,
        sizes: _,
        access: _,
        payload: _,
    } = part;
}

fn of_envelope(w: &Workload) {
    let Stop {
        // `check`.
        runtime: _,
        time_based: _,
        io_bytes: _,
        ios: _,
        loops: _,
        cooldown: _,
        // Any value can be carried out.
        warmup: _,
        ends_others: _,
    } = &w.stop;
    let Start {
        // `check`.
        after: _,
        // Any value can be carried out.
        delay: _,
        from_run: _,
    } = &w.start;
    // Any value can be carried out.
    let OnError {
        go_on: _,
        ignore: _,
        end_all: _,
        removes: _,
        max_latency: _,
    } = &w.on_error;
    if let Some(think) = &w.think {
        // Any value can be carried out.
        let Think {
            pause: _,
            spin: _,
            every: _,
            on_submit: _,
            after_busy: _,
        } = think;
    }
    // `powers`.
    let Engine {
        kind: _,
        poll_completions: _,
        poll_submissions: _,
        poll_cpu: _,
        batch_submit: _,
        batch_wait: _,
        low_depth: _,
        serialize_overlap: _,
        nowait: _,
        uncached: _,
        force_async: _,
        map_flush: _,
        file_priorities: _,
    } = &w.engine;
    let Placement {
        // `check`.
        no_cpu: _,
        // `on_host`.
        nice: _,
        io_priority: _,
        // `means`.
        lock_memory: _,
        // When the worker is made.
        cpus: _,
        split_cpus: _,
        memory: _,
        buffer_align: _,
    } = &w.placement;
}
