//! A plan as a fio job file, so that others can reproduce it with the tool they have.
//!
//! Belongs here: our meaning in fio's options. What fio cannot do is said in a comment, never left out
//! silently.

mod data;
mod envelope;
mod pace;
mod sizes;
mod stage;

use leadline_model::op::{Op, PerOp};
use leadline_model::plan::access::{
    Begin, BlockSizes, Coverage, Distribution, FileChoice, OpMix, Order, Position, Zone,
};
use leadline_model::plan::target::{Amount, Fallocate, FileSet, Region, Target};
use leadline_model::plan::{EngineKind, MediumKind, Plan, SyncMode, Workload};
use leadline_model::units::{Nanos, Percent};
use leadline_results::render::html::Recipe;
use std::borrow::Cow;
use std::fmt::Write as _;

/// One section: its name, whether it waits for those before it or begins a report group without that, its options and
/// remarks.
struct Section {
    name: String,
    waits: bool,
    begins_group: bool,
    options: Vec<(&'static str, String)>,
    remarks: Vec<&'static str>,
}

/// The plan as a job file for reports, with how to run it.
#[must_use]
pub fn recipe(plan: &Plan) -> Recipe {
    let all = || plan.stages.iter().flat_map(|stage| &stage.workloads);
    let is_simulated = |w: &Workload| matches!(w.blocks().target, Target::Simulated(_));
    Recipe {
        title: "The same workload as a fio job file",
        note: match all().any(is_simulated) {
            true => {
                "fio cannot run a simulated volume: this job does the same I/O to a real one. Replace TARGET by the path of a \
                 file or device (what is on it may be overwritten), save it as job.fio and run: fio job.fio"
            }
            false => "Save it as job.fio and run: fio job.fio",
        },
        body: fio_job(plan),
    }
}

/// The plan as a fio job file. Options that all jobs share are in `[global]`.
#[must_use]
pub fn fio_job(plan: &Plan) -> String {
    let mut sections = Vec::new();
    let mut group = 0;
    for (number, stage) in plan.stages.iter().enumerate() {
        for (index, workload) in stage.workloads.iter().enumerate() {
            for (place, apart) in apart(workload).iter().enumerate() {
                let mut one = section(apart, number > 0 && index == 0 && place == 0);
                one.remarks.extend(blended(workload));
                if index == 0 && place == 0 {
                    let whole = stage::of_plan(plan).into_iter().filter(|_| number == 0);
                    one.remarks.extend(whole.chain(stage::remarks(stage)));
                }
                one.begins_group = workload.group != group && !one.waits;
                group = workload.group;
                sections.push(one);
            }
        }
    }
    let shared: Vec<(&str, String)> = sections
        .first()
        .map(|first| {
            let all = |o: &&(&str, String)| sections.iter().all(|s| s.options.contains(o));
            first.options.iter().filter(all).cloned().collect()
        })
        .unwrap_or_default();
    let mut out = String::new();
    if !shared.is_empty() {
        out.push_str("[global]\n");
        shared.iter().for_each(|o| option(&mut out, o));
    }
    for section in &sections {
        let _ = writeln!(out, "\n[{}]", section.name);
        for remark in &section.remarks {
            let _ = writeln!(out, "; not in fio: {remark}");
        }
        if section.waits {
            out.push_str("stonewall\n");
        }
        if section.begins_group {
            out.push_str("new_group\n");
        }
        let own = section.options.iter().filter(|o| !shared.contains(o));
        own.for_each(|o| option(&mut out, o));
    }
    out.trim_start().to_owned()
}

/// A workload, or one for each of its files where these are not alike: fio has one pattern for all files of a
/// job.
fn apart(w: &Workload) -> Vec<Cow<'_, Workload>> {
    let Target::Paths(paths) = &w.blocks().target else {
        return vec![Cow::Borrowed(w)];
    };
    if w.blocks().parts.len() != paths.len() || w.blocks().parts.is_empty() {
        return vec![Cow::Borrowed(w)];
    }
    let drawn = matches!(w.blocks().access.file_choice, FileChoice::Random { ios: _ });
    let weight = |file: usize| {
        u64::from(
            w.blocks()
                .access
                .file_weights
                .get(file)
                .copied()
                .unwrap_or(1),
        )
    };
    let all: u64 = (0..paths.len()).map(weight).sum();
    let one = |(file, path): (usize, &String)| {
        let mut own = w.of_file(file).into_owned();
        own.name = format!("{} {path}", w.name);
        own.blocks_mut().target = Target::Paths(vec![path.clone()]);
        let share = u64::from(w.depth) * weight(file) / all.max(1);
        own.depth = match w.blocks().parts.get(file) {
            Some(part) if !drawn => part.slots,
            _ => u32::try_from(share).unwrap_or(w.depth).max(1),
        };
        own.blocks_mut().access.file_choice = FileChoice::RoundRobin { ios: 1 };
        own.blocks_mut().access.file_weights = Vec::new();
        Cow::Owned(own)
    };
    paths.iter().enumerate().map(one).collect()
}

/// What a job for each target does not say of threads that drive several.
fn blended(w: &Workload) -> Option<&'static str> {
    match w.blocks().access.file_choice {
        FileChoice::EachSlot if w.blocks().parts.is_empty() => {
            Some("each target has its own share of the queue; here all targets share it")
        }
        _ if w.blocks().parts.is_empty() => (!w.blocks().access.file_weights.is_empty())
            .then_some("targets are chosen by weight; here all have the same weight"),
        FileChoice::Random { ios: _ } => Some(
            "the target of each I/O is chosen at random by threads that drive all targets; here \
             each target has its own threads and its share of the queue",
        ),
        FileChoice::RoundRobin { ios: _ }
        | FileChoice::Sequential
        | FileChoice::Zipf { theta: _ }
        | FileChoice::Pareto { h: _ }
        | FileChoice::Normal { deviation: _ }
        | FileChoice::EachSlot => {
            Some("threads drive all targets; here each target has its own threads")
        }
    }
}

fn option(out: &mut String, (key, value): &(&str, String)) {
    let _ = match value.as_str() {
        "" => writeln!(out, "{key}"),
        value => writeln!(out, "{key}={value}"),
    };
}

fn section(w: &Workload, waits: bool) -> Section {
    let mut s = Section {
        name: job_name(&w.name),
        waits,
        begins_group: false,
        options: Vec::new(),
        remarks: Vec::new(),
    };
    engine(w, &mut s);
    target(w, &mut s);
    access(w, &mut s);
    pace::pace(w, &mut s);
    stop(w, &mut s);
    data::data(w, &mut s);
    envelope::rest(w, &mut s);
    s
}

/// A name that fio takes as one: no brackets, no path, not a global section.
fn job_name(name: &str) -> String {
    let clean: String = name
        .chars()
        .map(|c| match c {
            '/' | '[' | ']' | ';' | '#' => '-',
            c if c.is_control() => '-',
            c => c,
        })
        .collect();
    if clean.starts_with("global") || clean.is_empty() {
        return format!("job-{clean}");
    }
    clean
}

impl Section {
    /// The last value of a key holds.
    fn set(&mut self, key: &'static str, value: impl ToString) {
        self.options.retain(|option| option.0 != key);
        self.options.push((key, value.to_string()));
    }

    fn set_if(&mut self, condition: bool, key: &'static str, value: impl ToString) {
        if condition {
            self.set(key, value);
        }
    }
}

/// Stands for the path of a real volume where the plan has a simulated one.
const TARGET: &str = "TARGET";

fn engine(w: &Workload, s: &mut Section) {
    let kind = match w.engine.kind {
        // No file is named.
        _ if matches!(w.blocks().target, Target::Null { size: _ }) => EngineKind::NULL,
        kind if kind.powers().medium == MediumKind::Simulated => {
            s.remarks
                .push("a simulated volume; here libaio on TARGET: put the path of a real one in its place");
            EngineKind::Libaio
        }
        // fio has no threads of its own below one job; its jobs are threads.
        EngineKind::PLAIN_CALLS => {
            s.remarks
                .push("a thread with system calls for each I/O in flight; here libaio");
            EngineKind::Libaio
        }
        kind => kind,
    };
    s.set("ioengine", kind.name());
    s.set("iodepth", w.depth);
    s.set_if(w.clones > 1, "numjobs", w.clones);
    s.set_if(w.merge_group, "group_reporting", "");
    s.set("direct", u8::from(w.blocks().open.direct));
    match w.blocks().open.sync {
        SyncMode::None => {}
        SyncMode::Sync => s.set("sync", "sync"),
        SyncMode::Dsync => s.set("sync", "dsync"),
    }
    s.set_if(w.engine.poll_completions, "hipri", "");
    s.set_if(w.engine.poll_submissions, "sqthread_poll", "");
    if let Some(n) = w.engine.batch_submit {
        s.set("iodepth_batch", n);
    }
    if let Some(n) = w.engine.batch_wait {
        s.set("iodepth_batch_complete_min", n);
    }
    if let Some(n) = w.engine.low_depth {
        s.set("iodepth_low", n);
    }
    s.set_if(w.engine.serialize_overlap, "serialize_overlap", 1);
    s.set_if(w.engine.nowait, "nowait", 1);
    if !w.placement.cpus.is_empty() {
        let list: Vec<String> = w.placement.cpus.iter().map(u32::to_string).collect();
        s.set("cpus_allowed", list.join(","));
    }
    // Also without a list, where it changes nothing: what is printed reads back as the same plan.
    s.set_if(w.placement.split_cpus, "cpus_allowed_policy", "split");
}

fn target(w: &Workload, s: &mut Section) {
    match &w.blocks().target {
        Target::Paths(paths) => {
            let escaped: Vec<String> = paths.iter().map(|p| p.replace(':', "\\:")).collect();
            s.set("filename", escaped.join(":"));
        }
        Target::Files(FileSet {
            directories,
            pattern,
            count,
            // fio looks for a device of the job's name by itself.
            name_may_be_device: _,
        }) => {
            let dirs: Vec<String> = directories.iter().map(|d| d.replace(':', "\\:")).collect();
            s.set_if(!dirs.is_empty(), "directory", dirs.join(":"));
            s.set("filename_format", pattern);
            s.set_if(*count > 1, "nrfiles", count);
        }
        Target::Null { size } => s.set("size", size),
        // Without a size fio takes the whole of a device, and refuses a file that is not there: nothing is created by
        // mistake.
        Target::Simulated(_) => s.set("filename", TARGET),
    }
    region(w, s);
    let claim = w.blocks().prepare.fallocate;
    let fallocate = match claim {
        Fallocate::None => "none",
        Fallocate::Native => "native",
        Fallocate::Posix => "posix",
        Fallocate::Keep => "keep",
        Fallocate::Truncate => "truncate",
    };
    s.set_if(
        claim != Fallocate::default() || w.writes() && w.blocks().prepare.create,
        "fallocate",
        fallocate,
    );
    s.set_if(w.blocks().prepare.overwrite, "overwrite", 1);
    s.set_if(!w.blocks().prepare.drop_cache, "invalidate", 0);
    s.set_if(w.blocks().prepare.pre_read, "pre_read", 1);
    s.set_if(w.blocks().prepare.unlink, "unlink", 1);
    s.set_if(w.blocks().prepare.create_only, "create_only", 1);
}

/// Which part of the target.
fn region(w: &Workload, s: &mut Section) {
    let Region {
        offset,
        offset_step,
        size,
        file_size,
        offset_align,
        until_full,
        beyond_end,
        end,
        wrap,
    } = &w.blocks().region;
    match (size, end, offset) {
        (Some(size), None, _) => s.set("size", amount(*size)),
        (None, Some(end), Amount::Bytes(from)) => s.set("size", end.saturating_sub(*from)),
        (Some(Amount::Bytes(size)), Some(end), Amount::Bytes(from)) => {
            s.set("size", (*size).min(end.saturating_sub(*from)));
        }
        (size, Some(_), _) => {
            if let Some(size) = size {
                s.set("size", amount(*size));
            }
            s.remarks
                .push("nothing at or beyond a byte of the target is used");
        }
        (None, None, _) => {}
    }
    let none = Amount::Bytes(0);
    s.set_if(*offset != none, "offset", amount(*offset));
    if wrap.is_some() {
        s.remarks
            .push("the region wraps around from the end of the target to its start");
    }
    if beyond_end.is_some() {
        s.remarks.push("only the missing part of a file is written");
    }
    s.set_if(
        *offset_step != none,
        "offset_increment",
        amount(*offset_step),
    );
    if let Some((low, high)) = file_size {
        let text = if low == high {
            low.to_string()
        } else {
            format!("{low}-{high}")
        };
        s.set("filesize", text);
    }
    s.set_if(*until_full, "fill_device", 1);
    if let Some(align) = offset_align {
        s.set("offset_align", align);
    }
}

fn access(w: &Workload, s: &mut Section) {
    let random = w.blocks().access.order.is_random();
    let base = match (w.blocks().mix, random) {
        (OpMix::Only(op), false) => op.name().to_owned(),
        (OpMix::Only(op), true) => format!("rand{op}"),
        (OpMix::ReadWrite { .. }, false) => "rw".to_owned(),
        (OpMix::ReadWrite { .. }, true) => "randrw".to_owned(),
        (OpMix::TrimWrite, false) => "trimwrite".to_owned(),
        (OpMix::TrimWrite, true) => "randtrimwrite".to_owned(),
    };
    let (rw, identical) = match w.blocks().access.order {
        Order::Sequential { skip: 0 } => (base, false),
        Order::Sequential { skip } => (format!("{base}:{skip}"), false),
        Order::Random { every, identical } if every > 1 => (format!("{base}:{every}"), identical),
        Order::Random {
            every: _,
            identical,
        } => (base, identical),
    };
    s.set("rw", rw);
    s.set_if(identical, "rw_sequencer", "identical");
    if let OpMix::ReadWrite { read_percent } = w.blocks().mix {
        s.set("rwmixread", read_percent);
    }
    sizes::sizes(w, s);
    if random {
        match w.blocks().access.coverage {
            Coverage::WithRepeats => s.set("norandommap", ""),
            Coverage::OncePerPass => s.set_if(!may_map(w), "random_generator", "lfsr"),
        }
        let percent = w.blocks().access.random_percent;
        s.set_if(
            percent != PerOp::splat(Percent::ALL),
            "percentage_random",
            triple(&percent),
        );
        distributions(&w.blocks().access.distribution, s);
    }
    match w.blocks().access.seed {
        Some(seed) => s.set("randseed", seed),
        None => s.set("randrepeat", 0),
    }
    match w.blocks().access.position {
        Position::Workload => s.remarks.push("all threads share one file position"),
        Position::EachSlot => s.remarks.push("each I/O in flight has its own position"),
        Position::EachFile if !random && !matches!(w.blocks().mix, OpMix::Only(_)) => s
            .remarks
            .push("all kinds of I/O continue from one position"),
        // With one kind of I/O, or at random, it is as in fio.
        Position::EachKind | Position::EachFile => {}
    }
    match w.blocks().access.begin {
        Begin::Start => {}
        Begin::Random if random => {}
        Begin::Random => s.remarks.push("it starts at a random block"),
        Begin::Apart(_) => s
            .remarks
            .push("each thread starts further into the target and wraps around"),
    }
    match w.blocks().access.file_choice {
        // That a queue is shared out is said by `blended`.
        FileChoice::RoundRobin { ios: 1 } | FileChoice::EachSlot => {}
        FileChoice::RoundRobin { ios } => s.set("file_service_type", format!("roundrobin:{ios}")),
        FileChoice::Sequential => s.set("file_service_type", "sequential"),
        FileChoice::Random { ios: 1 } => s.set("file_service_type", "random"),
        FileChoice::Random { ios } => s.set("file_service_type", format!("random:{ios}")),
        FileChoice::Zipf { theta } => s.set("file_service_type", format!("zipf:{theta}")),
        FileChoice::Pareto { h } => s.set("file_service_type", format!("pareto:{h}")),
        FileChoice::Normal { deviation } => {
            s.set("file_service_type", format!("gauss:{deviation}"));
        }
    }
}

/// Whether fio covers each block once with its map of blocks; else only its generator does that.
fn may_map(w: &Workload) -> bool {
    let BlockSizes {
        by_op,
        align,
        // Which of the sizes counts; each has its alignment.
        by_order: _,
    } = &w.blocks().sizes;
    let aligned = |op: &Op| {
        let align = align.get(*op);
        align.is_none_or(|align| align == by_op.get(*op).min())
    };
    w.blocks().access.distribution == PerOp::default() && Op::BLOCK.iter().all(aligned)
}

/// One distribution, or zones for each operation.
fn distributions(each: &PerOp<Distribution>, s: &mut Section) {
    let PerOp { read, write, trim } = each;
    if read == write && write == trim {
        match distribution(read) {
            Some(text) => s.set("random_distribution", text),
            None if *read == Distribution::Uniform => {}
            None => s.remarks.push("a distribution of offsets that fio lacks"),
        }
        return;
    }
    let texts = [read, write, trim].map(|d| match d {
        Distribution::Zoned(_) => distribution(d),
        _ => None,
    });
    let kind = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
    match texts {
        [Some(r), Some(w), Some(t)] if kind(&r) == kind(&w) && kind(&w) == kind(&t) => {
            let zones = |text: &str| {
                text.split_once(':')
                    .map_or("", |(_, zones)| zones)
                    .to_owned()
            };
            let text = format!("{}:{},{},{}", kind(&r), zones(&r), zones(&w), zones(&t));
            s.set("random_distribution", text);
        }
        _ => s
            .remarks
            .push("reads and writes each have a distribution of offsets"),
    }
}

fn distribution(d: &Distribution) -> Option<String> {
    let centred = |text: String, center: Option<f64>| match center {
        Some(c) => format!("{text}:{c}"),
        None => text,
    };
    match d {
        Distribution::Uniform => None,
        Distribution::Zipf { theta, center } => Some(centred(format!("zipf:{theta}"), *center)),
        Distribution::Pareto { h, center } => Some(centred(format!("pareto:{h}"), *center)),
        Distribution::Normal { deviation, center } => {
            Some(centred(format!("normal:{deviation}"), *center))
        }
        Distribution::Zoned(zones) => {
            let part = |zone: &Zone| {
                let Zone {
                    access_percent,
                    extent,
                } = zone;
                match extent {
                    Amount::Percent(p) => ("zoned", format!("{access_percent}/{p}")),
                    Amount::Bytes(n) => ("zoned_abs", format!("{access_percent}/{n}")),
                }
            };
            let (kinds, parts): (Vec<_>, Vec<_>) = zones.iter().map(part).unzip();
            let kind = kinds.first()?;
            let is_one = kinds.iter().all(|other| other == kind);
            is_one.then(|| format!("{kind}:{}", parts.join(":")))
        }
        // fio has nothing like them.
        Distribution::LowEnd(_) | Distribution::HotBand { low: _, high: _ } => None,
    }
}

fn stop(w: &Workload, s: &mut Section) {
    if let Some(runtime) = w.stop.runtime {
        s.set("runtime", span(runtime));
    }
    s.set_if(w.stop.time_based, "time_based", "");
    s.set_if(w.stop.warmup.0 > 0, "ramp_time", span(w.stop.warmup));
    if let Some(bytes) = w.stop.io_bytes {
        s.set("io_size", amount(bytes));
    }
    if let Some(ios) = w.stop.ios {
        s.set("number_ios", ios);
    }
    s.set_if(w.stop.loops > 1, "loops", w.stop.loops);
    let (low, high) = w.start.delay;
    if high.0 > 0 {
        let text = if low == high {
            span(low)
        } else {
            // A range with units has another meaning in fio: its first number is taken for microseconds.
            if !(low.0 % 1_000_000_000 == 0 && high.0 % 1_000_000_000 == 0) {
                s.remarks.push("a delay in fractions of a second");
            }
            let seconds = |n: Nanos| n.0.div_ceil(1_000_000_000);
            format!("{}-{}", seconds(low), seconds(high))
        };
        s.set("startdelay", text);
    }
    if let Some(name) = &w.start.after {
        s.set("wait_for", job_name(name));
    }
}

fn amount(a: Amount) -> String {
    match a {
        Amount::Bytes(n) => n.to_string(),
        Amount::Percent(p) => format!("{p}%"),
    }
}

fn span(n: Nanos) -> String {
    if n.0.is_multiple_of(1_000_000_000) {
        format!("{}s", n.0 / 1_000_000_000)
    } else {
        format!("{}ms", n.0.div_ceil(1_000_000))
    }
}

fn triple<T: ToString>(v: &PerOp<T>) -> String {
    [v.read.to_string(), v.write.to_string(), v.trim.to_string()].join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_results::fixture;

    #[test]
    fn a_plan_reads_as_a_fio_job_file() {
        insta::assert_snapshot!(fio_job(&fixture::run().plan.unwrap()));
    }

    #[test]
    fn the_size_of_a_target_without_files_stands_once() {
        let mut plan = fixture::run().plan.unwrap();
        for workload in plan.stages.iter_mut().flat_map(|s| &mut s.workloads) {
            let blocks = workload.blocks_mut();
            blocks.target = Target::Null { size: 1 << 30 };
            blocks.region.size = Some(Amount::Bytes(1 << 20));
        }
        let text = fio_job(&plan);
        assert!(text.contains("\nsize=1048576\n"), "{text}");
        for section in text.split("\n[") {
            assert!(section.matches("\nsize=").count() < 2, "{section}");
        }
    }

    #[test]
    fn names_cannot_break_out_of_their_section() {
        assert_eq!(job_name("a/b]\n[x"), "a-b---x");
        assert_eq!(job_name("globals"), "job-globals");
        assert_eq!(job_name(""), "job-");
    }
}
