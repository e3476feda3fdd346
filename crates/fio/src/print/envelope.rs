//! The rest of a job: who does the work, how errors and ends are taken, and what of the files is not in `super`.
//!
//! Every field of a workload is named here, printed or not: one that is added does not compile before it is put to
//! either. Must never: leave out silently what changes the I/O.

use super::Section;
use crate::original::{Directions, Shown};
use leadline_model::op::PerOp;
use leadline_model::plan::engine::Memory;
use leadline_model::plan::target::Advise;
use leadline_model::plan::{
    Access, Admission, AtEnd, Blocks, DEFAULT_PERCENTILES, Draws, EndsOthers, Engine, Hits,
    MapFlush, OnError, OpMix, OpenMode, Placement, Prepare, Report, ShareWeight, Start, Stop, Work,
    Workload,
};
use leadline_model::units::Nanos;

/// Adds what the other parts of the printer do not say.
pub(super) fn rest(w: &Workload, s: &mut Section) {
    let Workload {
        description,
        percentiles,
        engine,
        placement,
        stop,
        start,
        on_error,
        share,
        admission,
        clones,
        hosts,
        work: Work::Blocks(of_blocks),
        // Printed by the other parts.
        name: _,
        depth: _,
        pace: _,
        think: _,
        merge_group: _,
        report,
        // What the tool shows that the plan came from; fio's own is read by `Shown::of`.
        given: _,
        definition: _,
        target_name: _,
        group: _,
        original: _,
    } = w;
    match description {
        // A job file ends a value at the mark of a comment.
        Some(text) if text.contains([';', '#', '\n']) => {
            s.remarks
                .push("its description, which a job file cannot hold");
        }
        Some(text) => s.set("description", text),
        None => {}
    }
    if *percentiles != DEFAULT_PERCENTILES && !percentiles.is_empty() {
        let list: Vec<String> = percentiles.iter().map(f64::to_string).collect();
        s.set("percentile_list", list.join(":"));
    }
    if !hosts.is_all() {
        s.remarks.push(if hosts.single().is_some() {
            "it runs on one of several hosts"
        } else {
            "it runs on some of several hosts"
        });
    }
    admitted(*admission, *share, *clones, s);
    powers(engine, s);
    placed(placement, s);
    ends(stop, start, s);
    errors(on_error, w.blocks().mix, s);
    blocks(of_blocks, s);
    shown(report, &Shown::of(w), s);
}

fn shown(report: &Report, original: &Shown, s: &mut Section) {
    let usual = Shown::default();
    let Report {
        lat,
        clat,
        // It follows from the engine and from what is shown.
        parts: _,
        // Not fio's.
        worker_series: _,
        by_file: _,
    } = report;
    let Shown {
        clat_percentiles,
        lat_percentiles,
        slat_percentiles,
        slat,
        bandwidth,
        disk_util,
        significant_figures,
        kb_base,
        unit_base,
        directions,
        clone_name: _,
    } = original;
    let mut percentiles = |key, on: bool, usual: bool| s.set_if(on != usual, key, u8::from(on));
    percentiles(
        "clat_percentiles",
        *clat_percentiles,
        usual.clat_percentiles,
    );
    percentiles("lat_percentiles", *lat_percentiles, usual.lat_percentiles);
    percentiles(
        "slat_percentiles",
        *slat_percentiles,
        usual.slat_percentiles,
    );
    s.set_if(!lat, "disable_lat", 1);
    s.set_if(!clat, "disable_clat", 1);
    s.set_if(!slat, "disable_slat", 1);
    s.set_if(!bandwidth, "disable_bw_measurement", 1);
    s.set_if(!disk_util, "disk_util", 0);
    let figures = *significant_figures;
    s.set_if(
        figures != usual.significant_figures,
        "significant_figures",
        figures,
    );
    s.set_if(*kb_base != usual.kb_base, "kb_base", kb_base);
    s.set_if(*unit_base != usual.unit_base, "unit_base", unit_base);
    match directions {
        Directions::Separate => {}
        Directions::Mixed => s.set("unified_rw_reporting", "mixed"),
        Directions::Both => s.set("unified_rw_reporting", "both"),
    }
}

fn admitted(admission: Admission, share: Option<ShareWeight>, clones: u32, s: &mut Section) {
    // What each kind below has of `borrowable`: its depth is the most it can have, with all that others lend it.
    if admission.borrowable().is_some() {
        s.remarks
            .push("several jobs share one queue depth; here each has all of it");
    }
    match (admission, share) {
        (Admission::OwnDepth, _) => {}
        (
            Admission::Shares {
                group,
                borrowable: _,
            },
            Some(share),
        ) => {
            let flow = (share.get() / f64::from(clones.max(1))).round().max(1.0);
            s.set("flow", flow);
            s.set_if(group > 0, "flow_id", group);
        }
        (
            Admission::Shares {
                group: _,
                borrowable: _,
            },
            None,
        ) => s
            .remarks
            .push("its I/Os keep a fixed ratio to those of other jobs"),
        (
            Admission::CommonQueue {
                group: _,
                max_lead: _,
                borrowable: _,
            },
            _,
        ) => s.remarks.push("one queue feeds several jobs"),
        (Admission::Priority { group: _, rank: _ }, _) => s
            .remarks
            .push("several jobs share one queue depth, jobs of higher priority first"),
    }
}

fn powers(engine: &Engine, s: &mut Section) {
    let Engine {
        poll_cpu,
        uncached,
        force_async,
        map_flush,
        file_priorities,
        // Printed by `super`.
        kind: _,
        poll_completions: _,
        poll_submissions: _,
        batch_submit: _,
        batch_wait: _,
        low_depth: _,
        serialize_overlap: _,
        nowait: _,
    } = engine;
    if let Some(cpu) = poll_cpu {
        s.set("sqthread_poll_cpu", cpu);
    }
    s.set_if(*uncached, "uncached", 1);
    s.set_if(*force_async > 0, "force_async", force_async);
    match map_flush {
        MapFlush::Nothing => {}
        MapFlush::Sync | MapFlush::Lines | MapFlush::LinesNoDrain => {
            s.remarks.push("each mapped write is flushed");
        }
    }
    if !file_priorities.is_empty() {
        s.remarks.push("each file has its own I/O priority");
    }
}

fn placed(placement: &Placement, s: &mut Section) {
    let Placement {
        no_cpu,
        nice,
        io_priority,
        memory,
        buffer_align,
        lock_memory,
        // Printed by `super`.
        cpus: _,
        split_cpus: _,
    } = placement;
    s.set_if(*no_cpu, "cpumask", 0);
    if let Some(nice) = nice {
        s.set("nice", nice);
    }
    if let Some((class, level)) = io_priority {
        s.set("prioclass", class);
        s.set("prio", level);
    }
    match memory {
        Memory::Anonymous => {}
        Memory::Huge => s.set("iomem", "mmaphuge"),
        Memory::Shared => s.set("iomem", "mmapshared"),
    }
    s.set_if(*buffer_align > 0, "iomem_align", buffer_align);
    s.set_if(*lock_memory > 0, "lockmem", lock_memory);
}

fn ends(stop: &Stop, start: &Start, s: &mut Section) {
    let Stop {
        ends_others,
        cooldown,
        // Printed by `super`.
        runtime: _,
        time_based: _,
        io_bytes: _,
        ios: _,
        loops: _,
        warmup: _,
    } = stop;
    let Start {
        // Printed by `super`; fio's delays count from the start of the run.
        delay: _,
        after: _,
        from_run: _,
    } = start;
    let what = match ends_others {
        EndsOthers::None => None,
        EndsOthers::Group => Some("group"),
        EndsOthers::Stage => Some("stonewall"),
        EndsOthers::All => Some("all"),
        EndsOthers::StageTogether => {
            s.remarks
                .push("the jobs end together once all the required ones have ended");
            None
        }
    };
    if let Some(what) = what {
        s.set("exitall", "");
        s.set("exit_what", what);
    }
    if *cooldown > Nanos::ZERO {
        s.remarks.push("I/O continues after the measured window");
    }
}

fn errors(on_error: &OnError, mix: OpMix, s: &mut Section) {
    let OnError {
        go_on,
        ignore,
        end_all,
        removes,
        max_latency,
    } = on_error;
    let PerOp { read, write, trim } = *go_on;
    let word = match (read, write) {
        (true, true) => Some("io"),
        (true, false) => Some("read"),
        (false, true) => Some("write"),
        (false, false) => None,
    };
    if let Some(word) = word {
        s.set("continue_on_error", word);
    }
    if mix.trims() && (trim != write || ignore.trim != ignore.write) {
        s.remarks
            .push("errors of trims are not taken as those of writes");
    }
    let PerOp {
        read,
        write,
        // As for writes, or in the remark.
        trim: _,
    } = ignore;
    if !read.is_empty() || !write.is_empty() {
        let list = |numbers: &Vec<i32>| {
            let texts: Vec<String> = numbers.iter().map(i32::to_string).collect();
            texts.join(":")
        };
        s.set("ignore_error", format!("{},{}", list(read), list(write)));
    }
    s.set_if(*end_all, "exitall_on_error", "");
    if removes.is_some() {
        s.remarks.push("the first error excludes the target");
    }
    let us = |limit: Option<Nanos>| limit.map_or(0, |t| t.0 / 1000);
    let each = [max_latency.read, max_latency.write, max_latency.trim].map(us);
    if each != [0; 3] {
        s.set("max_latency", each.map(|n| format!("{n}us")).join(","));
    }
}

fn blocks(of: &Blocks, s: &mut Section) {
    let Blocks {
        open,
        prepare,
        access,
        // Printed by `super`.
        target: _,
        region: _,
        mix: _,
        sizes: _,
        sync: _,
        payload: _,
        parts: _,
    } = of;
    let OpenMode {
        atomic,
        direct: _,
        sync: _,
    } = open;
    s.set_if(*atomic, "atomic", 1);
    files(prepare, s);
    let Access {
        at_end,
        hits,
        stride,
        draws,
        // Printed by `super`.
        order: _,
        random_percent: _,
        coverage: _,
        distribution: _,
        seed: _,
        file_choice: _,
        position: _,
        begin: _,
        grid: _,
        file_weights: _,
        // What they need has a remark: starts that are apart, one position of all threads.
        first_worker: _,
        counters: _,
    } = access;
    match at_end {
        AtEnd::AsStopSays => {}
        AtEnd::Stop => s
            .remarks
            .push("it ends at the end of its region, whatever the run time"),
    }
    if let Some(Hits {
        area: _,
        read_percent: _,
        write_percent: _,
    }) = hits
    {
        s.remarks.push("a hot area gets a share of the I/Os");
    }
    if stride.is_some() {
        s.remarks
            .push("each I/O is a random distance after the previous one");
    }
    match draws {
        Draws::Own => {}
        Draws::Diskspd => s.remarks.push("the random sequence is DISKSPD's"),
    }
}

fn files(prepare: &Prepare, s: &mut Section) {
    let Prepare {
        create,
        create_on_open,
        one_by_one,
        fsync,
        advise,
        unlink_each_loop,
        open_files,
        recreate,
        own: _,
        // Printed by `super`.
        create_only: _,
        fallocate: _,
        overwrite: _,
        drop_cache: _,
        pre_read: _,
        unlink: _,
    } = prepare;
    s.set_if(!create, "allow_file_create", 0);
    s.set_if(*create_on_open, "create_on_open", 1);
    s.set_if(!one_by_one, "create_serialize", 0);
    s.set_if(!fsync, "create_fsync", 0);
    match advise {
        Advise::ByOrder => {}
        Advise::Nothing => s.set("fadvise_hint", 0),
        Advise::Random => s.set("fadvise_hint", "random"),
        Advise::Sequential => s.set("fadvise_hint", "sequential"),
    }
    s.set_if(*unlink_each_loop, "unlink_each_loop", 1);
    if let Some(most) = open_files {
        s.set("openfiles", most);
    }
    if recreate.is_some() {
        s.remarks.push("files are recreated before the run");
    }
}
