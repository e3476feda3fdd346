//! A plan in words: what runs on what, how fast, how long, and how much will be written.
//!
//! Belongs here: sentences. Must never: look at a target, or say as certain what depends on how fast it is.

mod depth;
mod parts;
mod totals;
mod unsaid;
mod written;

use leadline_model::op::Op;
use leadline_model::plan::{
    Access, Amount, Blocks, Engine, FileSet, HostSpec, OpMix, OpenMode, Pace, Plan, Power, Rate,
    Region, SimTarget, Stage, StageRate, Stop, Target, Work, Workload,
};
use leadline_model::units::{Bytes, Nanos};
use leadline_results::summary::names::stage_name;
use leadline_results::work;
use std::fmt::Write as _;
use written::written;

/// The plan for people: a line a workload, indented under its stage, and the totals.
pub(crate) fn text(plan: &Plan) -> String {
    let mut text = String::new();
    // A field that is added to any part of a plan does not compile before it is said here or known to need no word.
    let Plan {
        stages,
        // Not of what runs, or shown by `leadline plan --json`.
        title: _,
        source: _,
        given: _,
        original: _,
        interval: _,
        read_only: _,
        destroy: _,
        slices: _,
        partial_totals_every: _,
        study: _,
        hosts,
    } = plan;
    for (number, stage) in stages.iter().enumerate() {
        let _ = writeln!(text, "stage {}: {}", number + 1, heading(stage));
        for workload in &stage.workloads {
            let pace = match is_undecided(workload) {
                true => ", at a rate that earlier points decide".to_owned(),
                false => pace(workload),
            };
            let _ = writeln!(text, "  {}", line(workload, stage, &pace, hosts));
            text += &parts::lines(workload);
        }
    }
    text + &totals::total(plan)
}

/// Whether the rate of a point of a study follows from points before it.
fn is_undecided(workload: &Workload) -> bool {
    match &workload.pace {
        Pace::Open {
            together,
            // Each rate that is decided is said.
            rates: _,
            arrival: _,
            schedule: _,
        } => together.is_some_and(Rate::is_undecided),
        Pace::Closed => false,
    }
}

fn heading(stage: &Stage) -> String {
    let Stage {
        pause,
        asked,
        // Said by `stage_name` and `line`.
        name: _,
        workloads: _,
        // Shown by `leadline plan --json`.
        original: _,
        rate: _,
        series: _,
        shares: _,
        // Taken apart by `unsaid`.
        until: _,
        mounts: _,
        point: _,
        server_cache: _,
    } = stage;
    unsaid::stage(stage);
    let asked = match asked {
        StageRate::PerWorkload => String::new(),
        StageRate::MaxForCurve => ", as fast as possible".to_owned(),
        StageRate::PercentOfMax { percent, stop_at } => {
            let end = stop_at.map_or_else(String::new, |limit| {
                format!(
                    " (the next points are skipped once the mean response time reaches {limit})"
                )
            });
            format!(", at {percent} % of the maximum rate{end}")
        }
        StageRate::PercentOfPrevious(percent) => {
            format!(", at {percent} % of the rate of the previous stage")
        }
    };
    let pause = after(*pause, "after a pause of");
    format!("{}{asked}{pause}", stage_name(stage))
}

/// `, WHAT TIME`, or nothing.
fn after(time: Nanos, what: &str) -> String {
    if time == Nanos::ZERO {
        String::new()
    } else {
        format!(", {what} {time}")
    }
}

/// What is said of a workload that only prepares.
const CREATES_ONLY: &str = "creates its files and does no I/O";

fn line(w: &Workload, stage: &Stage, pace: &str, hosts: &[HostSpec]) -> String {
    let Workload {
        name,
        clones,
        engine,
        stop,
        // Said by the functions below.
        work: Work::Blocks(blocks),
        pace: _,
        depth: _,
        admission: _,
        // Taken apart by `unsaid`.
        think: _,
        start: _,
        on_error: _,
        placement: _,
        // Rarely asked for, and shown by `leadline plan --json`.
        description: _,
        given: _,
        original: _,
        definition: _,
        target_name: _,
        group: _,
        merge_group: _,
        percentiles: _,
        report: _,
        hosts: _,
        share: _,
    } = w;
    let Blocks {
        // Said by the functions below.
        access: _,
        open: _,
        mix: _,
        sizes: _,
        target: _,
        region: _,
        // Taken apart by `unsaid`.
        prepare: _,
        sync: _,
        payload: _,
        // Said by `parts`.
        parts,
    } = blocks;
    unsaid::workload(w);
    if blocks.prepare.create_only {
        let (place, hosts) = (place(w), on_hosts(w, hosts));
        return format!("{name}: {CREATES_ONLY}, on {place}{hosts}");
    }
    let workers = match *clones {
        1 => "1 worker".to_owned(),
        n => format!("{n} workers, each"),
    };
    let (work, cache, place) = of_all(w, parts.len());
    format!(
        "{}: {workers}{work} {} by {}{}{cache}, on {place}{}{}{}, {}; writes {}",
        name,
        depth::depth(w, &stage.workloads),
        back_end(engine),
        powers(w),
        on_hosts(w, hosts),
        pace,
        after(stop.warmup, "warm-up"),
        until(stop),
        written(w, hosts),
    )
}

/// What a workload does, what caches it, and where: of targets that differ none does what is said of all, and `parts` says
/// what each does.
fn of_all(w: &Workload, unlike_targets: usize) -> (String, &'static str, String) {
    let blocks = w.blocks();
    match unlike_targets {
        0 => (
            format!(" {} {}", order(&blocks.access), ios(blocks)),
            cache(&blocks.open),
            place(w),
        ),
        several => (String::new(), "", format!("the {several} targets below")),
    }
}

/// More names of hosts are not said.
const MOST_NAMES: usize = 4;

/// How many hosts a workload runs on, at least 1.
fn count_of(w: &Workload, hosts: &[HostSpec]) -> usize {
    let all = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
    w.hosts.among(all).count().max(1)
}

/// `, on 2 hosts (a, b)`; nothing where it is this one.
fn on_hosts(w: &Workload, hosts: &[HostSpec]) -> String {
    let all = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
    let named = |number: u32| {
        let HostSpec {
            label,
            // How it is reached: shown by `leadline plan --json`.
            address: _,
            user: _,
            launcher: _,
            paths: _,
        } = hosts.get(usize::try_from(number).ok()?)?;
        Some(label.as_str())
    };
    let labels: Vec<&str> = w.hosts.among(all).filter_map(named).collect();
    match labels.as_slice() {
        [] => String::new(),
        [one] => format!(", on host {one}"),
        some if some.len() <= MOST_NAMES => {
            format!(", on {} hosts ({})", some.len(), some.join(", "))
        }
        many => format!(
            ", on {} hosts ({}, ...)",
            many.len(),
            many[..MOST_NAMES].join(", ")
        ),
    }
}

fn order(access: &Access) -> &'static str {
    let Access {
        order,
        // Shown by `leadline plan --json`.
        random_percent: _,
        coverage: _,
        distribution: _,
        seed: _,
        file_choice: _,
        position: _,
        begin: _,
        at_end: _,
        grid: _,
        hits: _,
        stride: _,
        draws: _,
        file_weights: _,
        first_worker: _,
        counters: _,
    } = access;
    if order.is_random() {
        "random"
    } else {
        "sequential"
    }
}

fn back_end(engine: &Engine) -> &'static str {
    let Engine {
        kind,
        // Said by `powers`.
        poll_completions: _,
        poll_submissions: _,
        nowait: _,
        uncached: _,
        force_async: _,
        map_flush: _,
        file_priorities: _,
        // Shown by `leadline plan --json`.
        poll_cpu: _,
        batch_submit: _,
        batch_wait: _,
        low_depth: _,
        serialize_overlap: _,
    } = engine;
    kind.name()
}

fn cache(open: &OpenMode) -> &'static str {
    let OpenMode {
        direct,
        // Said by `powers`.
        atomic: _,
        // Shown by `leadline plan --json`.
        sync: _,
    } = open;
    if *direct { " bypassing the cache" } else { "" }
}

/// What is asked of the back end that not all have: ` with this and that`.
fn powers(w: &Workload) -> String {
    let open = &w.blocks().open;
    let asked = Power::ALL
        .into_iter()
        .filter(|p| p.is_asked(&w.engine, open));
    let names: Vec<&str> = asked.map(Power::name).collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => format!(" with {last}"),
        Some((last, others)) => format!(" with {} and {last}", others.join(", ")),
    }
}

/// `reads of 4 KiB`.
fn ios(blocks: &Blocks) -> String {
    format!("{} of {}", kinds(blocks.mix), work::block_sizes(blocks))
}

fn kinds(mix: OpMix) -> String {
    match mix {
        OpMix::Only(Op::Read) => "reads".to_owned(),
        OpMix::Only(Op::Write) => "writes".to_owned(),
        OpMix::Only(Op::Trim) => "trims".to_owned(),
        OpMix::Only(Op::Sync) => "flushes".to_owned(),
        OpMix::ReadWrite { read_percent } => {
            format!(
                "{read_percent} % reads and {} % writes",
                read_percent.rest()
            )
        }
        OpMix::TrimWrite => work::TRIM_WRITE.to_owned(),
    }
}

fn place(w: &Workload) -> String {
    let Region {
        size,
        // Where it begins and ends is in the run file and the printed job.
        offset: _,
        offset_step: _,
        file_size: _,
        offset_align: _,
        until_full: _,
        beyond_end: _,
        end: _,
        wrap: _,
    } = &w.blocks().region;
    used_of(w, *size, whole_place(w))
}

/// A place, or what is used of it.
fn used_of(w: &Workload, size: Option<Amount>, place: String) -> String {
    match size {
        Some(Amount::Bytes(n)) if n > 0 && !is_whole(w, n) => format!("{} of {place}", Bytes(n)),
        Some(Amount::Percent(p)) if p < 100 => format!("{p} % of {place}"),
        _ => place,
    }
}

fn whole_place(w: &Workload) -> String {
    match &w.blocks().target {
        Target::Paths(paths) => match paths.as_slice() {
            [] => "nothing".to_owned(),
            [only] => only.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        },
        Target::Files(FileSet {
            directories,
            count,
            // Shown by `leadline plan --json`.
            pattern: _,
            name_may_be_device: _,
        }) => {
            let directory = directories.first().map_or(".", String::as_str);
            let directory = if directory.is_empty() { "." } else { directory };
            match count {
                1 => format!("its own file in {directory}"),
                n => format!("{n} own files in {directory}"),
            }
        }
        // What it pretends to have is nowhere.
        Target::Null { size: _ } => "nothing (no I/O is done)".to_owned(),
        Target::Simulated(target) => simulated(target),
    }
}

/// Whether `bytes` are all of a workload's simulated volume, or more, of which there is no more.
fn is_whole(w: &Workload, bytes: u64) -> bool {
    matches!(&w.blocks().target, Target::Simulated(target) if bytes >= target.bytes())
}

/// A simulated volume: its size, and its law as far as that is known.
fn simulated(target: &SimTarget) -> String {
    let SimTarget {
        own_files,
        law,
        // What is written of them in the law.
        volume: _,
        size: _,
        // Shown by `leadline plan --json`.
        files: _,
    } = target;
    let size = Bytes(target.bytes());
    let volume = match own_files {
        true => format!("{size} of its own on a simulated volume"),
        false => format!("a simulated volume of {size}"),
    };
    match law.as_str() {
        "" => volume,
        law => format!("{volume} ({law})"),
    }
}

fn pace(w: &Workload) -> String {
    let Pace::Open {
        rates,
        together,
        // Shown by `leadline plan --json`.
        arrival: _,
        schedule: _,
    } = &w.pace
    else {
        return String::new();
    };
    if let Some(rate) = together {
        return format!(", at {}", words(*rate));
    }
    // A front end may give a rate to operations that the workload does not have.
    let of_mix = [
        (Op::Read, "reads", rates.read),
        (Op::Write, "writes", rates.write),
        (Op::Trim, "trims", rates.trim),
    ]
    .into_iter()
    .filter(|(op, ..)| w.blocks().mix.has(*op));
    let each = of_mix.filter_map(|(_, kind, rate)| Some(format!("{kind} at {}", words(rate?))));
    let each = each.collect::<Vec<_>>().join(", ");
    if each.is_empty() {
        each
    } else {
        format!(", {each}")
    }
}

fn words(rate: Rate) -> String {
    match rate {
        Rate::Iops(iops) => format!("{} IOPS", leadline_results::words::rate(iops)),
        Rate::Bytes(bytes) => format!("{} a second", Bytes(bytes)),
    }
}

fn until(stop: &Stop) -> String {
    let Stop {
        runtime,
        time_based,
        // Said by `line`.
        warmup: _,
        // Counted in the totals.
        io_bytes: _,
        loops: _,
        cooldown: _,
        // Shown by `leadline plan --json`.
        ios: _,
        ends_others: _,
    } = stop;
    match runtime {
        Some(time) if *time_based => format!("for {time}"),
        Some(time) => format!("until all is done, at most {time}"),
        None => "until all is done".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::PerOp;
    use leadline_model::plan::BlockSizes;
    use leadline_model::plan::access::Sizes;

    fn plan(workload: Workload) -> Plan {
        let stage = Stage {
            name: "s".into(),
            workloads: vec![workload],
            ..Stage::default()
        };
        leadline_testkit::plan(vec![stage])
    }

    #[test]
    fn the_time_of_a_long_fill_is_said_at_a_known_rate() {
        assert_eq!(totals::at_a_gib_per_s(63.0 * Bytes::GIB as f64), "");
        assert_eq!(
            totals::at_a_gib_per_s(90.0 * Bytes::GIB as f64),
            " (1 min 30 s at 1 GiB/s)"
        );
        // 97.45 TiB, of 144 files of 693 GiB.
        let all = 144.0 * 693.0 * Bytes::GIB as f64;
        assert_eq!(totals::at_a_gib_per_s(all), " (27 h 43 min at 1 GiB/s)");
    }

    #[test]
    fn a_workload_is_said_with_sizes_rate_time_and_bytes() {
        let mut w = Workload::new("w", Target::Paths(vec!["/dev/x".into()]));
        w.blocks_mut().mix = OpMix::mixed(70);
        w.clones = 2;
        w.depth = 8;
        w.blocks_mut().open.direct = true;
        w.stop.warmup = Nanos::from_secs(10);
        w.stop.runtime = Some(Nanos::from_secs(90));
        w.stop.time_based = true;
        w.blocks_mut().region.size = Some(Amount::Bytes(1 << 30));
        w.pace = Pace::Open {
            rates: PerOp::splat(None),
            arrival: leadline_model::plan::Arrival::default(),
            together: Some(Rate::Iops(1000.0)),
            schedule: Vec::new(),
        };
        // 2 workers, 1000 a second, 100 s, 30 % of them writes of 4 KiB.
        assert_eq!(
            text(&plan(w.clone())),
            "stage 1: s\n  w: 2 workers, each sequential 70 % reads and 30 % writes of 4 KiB at \
             depth 8 by io_uring bypassing the cache, on 1 GiB of /dev/x, at 1,000 IOPS, warm-up \
             10.0 s, for 90.0 s; writes about 234.38 MiB\ntotal: 1 stage; time: 1 min 40 s at \
             most, plus the time to create files; data written: about 234.38 MiB, plus files \
             that are missing or too short\n"
        );
        // Where a stage before writes the whole file, nothing else does.
        let mut fill = Workload::new("fill", w.blocks().target.clone());
        fill.blocks_mut().mix = OpMix::Only(Op::Write);
        fill.blocks_mut().region.size = Some(Amount::Bytes(2 << 30));
        let total_of = |fill: Workload| {
            let mut all = plan(fill);
            all.stages.extend(plan(w.clone()).stages);
            text(&all)
        };
        let filled = total_of(fill.clone());
        assert!(
            filled.contains("1 stage until it is done; data written: about 2.23 GiB\n"),
            "{filled}"
        );
        fill.blocks_mut().region.size = Some(Amount::Bytes(1 << 29));
        let part = total_of(fill);
        assert!(part.contains("plus the time to create files"), "{part}");
        w.pace = Pace::Closed;
        assert!(text(&plan(w.clone())).contains("writes as fast as the target takes them"));
        w.blocks_mut().mix = OpMix::reads();
        assert!(text(&plan(w)).contains("; writes nothing\n"));
    }

    #[test]
    fn the_time_of_all_has_what_waits_for_others_in_it() {
        let target = Target::Paths(vec!["/dev/x".into()]);
        let mut first = Workload::new("a", target);
        (first.stop.runtime, first.stop.time_based) = (Some(Nanos::from_secs(5)), true);
        let mut second = first.clone();
        (second.name, second.start.after) = ("b".into(), Some("a".into()));
        let mut both = plan(first);
        both.stages[0].workloads.push(second);
        let said = text(&both);
        assert!(said.contains("; time: 10.0 s at most"), "{said}");
    }

    #[test]
    fn what_is_written_while_nothing_is_counted_is_said_too() {
        let mut w = Workload::new("w", Target::Paths(vec!["/dev/x".into()]));
        w.blocks_mut().mix = OpMix::Only(Op::Write);
        w.blocks_mut().sizes = BlockSizes::fixed(64 << 10);
        (w.stop.runtime, w.stop.time_based) = (Some(Nanos::from_secs(2)), true);
        (w.stop.warmup, w.stop.cooldown) = (Nanos::from_secs(1), Nanos::from_secs(5));
        w.pace = Pace::Open {
            rates: PerOp::splat(Some(Rate::Iops(100.0))),
            arrival: leadline_model::plan::Arrival::default(),
            together: None,
            schedule: Vec::new(),
        };
        // 8 s, 100 a second, 64 KiB each.
        let said = text(&plan(w));
        assert!(said.contains("data written: 50 MiB at most"), "{said}");
    }

    /// `bs=64k,4k bs_is_seq_rand=1 rw=write`: the writes are the sequential I/Os, of 64 KiB.
    #[test]
    fn what_is_written_at_most_is_of_the_largest_write_that_occurs() {
        let mut w = Workload::new("w", Target::Paths(vec!["/dev/x".into()]));
        w.blocks_mut().mix = OpMix::Only(Op::Write);
        w.blocks_mut().sizes.by_op.read = Sizes::Fixed(64 << 10);
        (w.stop.runtime, w.stop.time_based) = (Some(Nanos::from_secs(2)), true);
        w.pace = Pace::Open {
            rates: PerOp::splat(Some(Rate::Iops(100.0))),
            arrival: leadline_model::plan::Arrival::default(),
            together: None,
            schedule: Vec::new(),
        };
        let written = |by_order| {
            let mut own = w.clone();
            own.blocks_mut().sizes.by_order = by_order;
            text(&plan(own))
        };
        // 2 s, 100 a second.
        let by_op = written(false);
        assert!(by_op.contains("writes of 4 KiB at depth"), "{by_op}");
        assert!(by_op.contains("; writes 800 KiB at most\n"), "{by_op}");
        let by_order = written(true);
        assert!(by_order.contains("writes of 64 KiB at depth"), "{by_order}");
        assert!(
            by_order.contains("; writes 12.50 MiB at most\n"),
            "{by_order}"
        );
    }

    #[test]
    fn a_job_that_only_creates_its_files_does_no_io() {
        let mut w = Workload::new("w", Target::Paths(vec!["/mnt/x".into()]));
        w.blocks_mut().mix = OpMix::Only(Op::Write);
        w.blocks_mut().region.size = Some(Amount::Bytes(32 << 20));
        w.blocks_mut().prepare.create_only = true;
        let said = text(&plan(w));
        assert!(
            said.contains("  w: creates its files and does no I/O, on 32 MiB of /mnt/x\n"),
            "{said}"
        );
        let total = "data written: nothing, plus files that are missing or too short\n";
        assert!(said.ends_with(total), "{said}");
    }

    #[test]
    fn a_job_that_overwrites_its_files_may_write_them_twice() {
        let mut w = Workload::new("w", Target::Paths(vec!["/mnt/x".into()]));
        w.blocks_mut().mix = OpMix::Only(Op::Write);
        w.blocks_mut().region.size = Some(Amount::Bytes(32 << 20));
        let total = |w: &Workload| {
            let said = text(&plan(w.clone()));
            said.lines().last().unwrap_or_default().to_owned()
        };
        assert!(total(&w).ends_with("data written: 32 MiB at most"));
        w.blocks_mut().prepare.overwrite = true;
        let twice = "data written: 32 MiB at most, plus files that are missing or too short";
        assert!(total(&w).ends_with(twice), "{}", total(&w));
    }

    /// What is done to files before a stage is said where it may happen.
    #[test]
    fn files_that_are_recreated_are_counted_and_those_that_stay_are_not() {
        let mut w = Workload::new("w", Target::Paths(vec!["/mnt/x".into()]));
        (w.stop.runtime, w.stop.time_based) = (Some(Nanos::from_secs(2)), true);
        let total = |workloads: &[&Workload]| {
            let mut all = plan(workloads[0].clone());
            all.stages[0].workloads = workloads.iter().copied().cloned().collect();
            let said = text(&all);
            said.lines().last().unwrap_or_default().to_owned()
        };
        let (more_time, more) = (
            ", plus the time to create files",
            ", plus files that are missing or too short",
        );
        let written = |data: &str| format!("total: 1 stage; time: 2.00 s at most{data}");
        let completes = written(&format!("{more_time}; data written: nothing{more}"));
        assert_eq!(total(&[&w]), completes);
        // Two workloads on one file: it is filled once.
        let mut again = w.clone();
        again.blocks_mut().prepare.recreate = Some(256 << 20);
        let recreates = written(&format!("{more_time}; data written: 256 MiB at most"));
        assert_eq!(total(&[&again, &again]), recreates);
        let mut stays = w.clone();
        stays.blocks_mut().prepare.create = false;
        let nothing = written("; data written: nothing");
        assert_eq!(total(&[&stays]), nothing);
        // What no job of fio's asks for is made as large as it has to be.
        stays.blocks_mut().access.position = leadline_model::plan::Position::EachFile;
        assert_eq!(total(&[&stays]), nothing);
        stays.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
        assert_eq!(total(&[&stays]), completes);
        let volume = leadline_model::plan::SimDevice::default();
        for target in [Target::Null { size: 1 << 20 }, Target::from(volume)] {
            w.blocks_mut().target = target;
            assert_eq!(total(&[&w]), nothing);
        }
    }

    /// Of a curve the point from which on the others are skipped, of a range whether it has steps.
    #[test]
    fn the_end_of_a_curve_and_the_steps_of_a_range_are_said() {
        let mut w = Workload::new("w", Target::Paths(vec!["/dev/x".into()]));
        let of = |unaligned| Sizes::Range {
            min: 4096,
            max: 65_536,
            unaligned,
        };
        w.blocks_mut().sizes.by_op = PerOp::splat(of(false));
        let said = |w: &Workload, stop_at| {
            let mut plan = plan(w.clone());
            plan.stages[0].asked = StageRate::PercentOfMax {
                percent: 50,
                stop_at,
            };
            text(&plan)
        };
        let plain = said(&w, None);
        assert!(plain.contains("at 50 % of the maximum rate\n"), "{plain}");
        assert!(plain.contains("of 4 KiB to 64 KiB at depth"), "{plain}");
        w.blocks_mut().sizes.by_op = PerOp::splat(of(true));
        let other = said(&w, Some(Nanos::from_millis(5)));
        assert!(
            other.contains(
                "(the next points are skipped once the mean response time reaches 5.00 ms)"
            ),
            "{other}"
        );
        assert!(
            other.contains("4 KiB to 64 KiB in steps of a byte"),
            "{other}"
        );
    }

    #[test]
    fn a_rate_is_said_of_the_operations_that_there_are() {
        let said = |mix| {
            let mut w = Workload::new("w", Target::Paths(vec!["/dev/x".into()]));
            w.blocks_mut().mix = mix;
            w.pace = Pace::Open {
                rates: PerOp::splat(Some(Rate::Iops(100.0))),
                arrival: leadline_model::plan::Arrival::default(),
                together: None,
                schedule: Vec::new(),
            };
            pace(&w)
        };
        assert_eq!(said(OpMix::reads()), ", reads at 100 IOPS");
        assert_eq!(said(OpMix::Only(Op::Trim)), ", trims at 100 IOPS");
        let both = ", reads at 100 IOPS, writes at 100 IOPS";
        assert_eq!(said(OpMix::mixed(70)), both);
        let trims = ", writes at 100 IOPS, trims at 100 IOPS";
        assert_eq!(said(OpMix::TrimWrite), trims);
    }
}
