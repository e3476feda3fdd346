//! Checks: everything about a workload that can be known to fail before anything is created, each
//! with its cure. Must never repair silently.

use super::facts::{Cached, HostFacts, PathKind};
use super::problems::Problems;
use super::region::active_sizes;
use super::{FilePlan, MAX_DEPTH, Program, offsets, powers};
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{
    Amount, Blocks, Draws, FileChoice, FileSet, Fill, MediumKind, Order, Pace, Plan, Rate, Stage,
    Target, Work, Workload,
};
use leadline_model::units::{Bytes, Nanos};
use std::path::Path;

/// Most bytes of one trim.
const LONGEST_TRIM: u64 = u32::MAX as u64;

/// Every field of a workload, checked here or not: one that is added does not compile before it is put to either.
const fn all_fields(w: &Workload) {
    let Workload {
        // Checked here.
        clones: _,
        depth: _,
        work: Work::Blocks(blocks),
        pace: _,
        admission: _,
        share: _,
        stop: _,
        start: _,
        engine: _,
        placement: _,
        host: _,
        // Checked with the target, or any value can be carried out.
        think: _,
        on_error: _,
        report: _,
        name: _,
        description: _,
        given: _,
        group: _,
        merge_group: _,
        percentiles: _,
    } = w;
    let Blocks {
        // Checked here.
        target: _,
        region: _,
        prepare: _,
        open: _,
        mix: _,
        sizes: _,
        access: _,
        sync: _,
        parts: _,
        // Checked with the target.
        payload: _,
    } = blocks;
}

/// By time, the first loop goes on to the end; and writers write over what fio's would write anew.
fn reads_what_each_loop_deletes(w: &Workload) -> bool {
    let again = w.stop.loops > 1 && !w.stop.time_based;
    w.blocks().prepare.unlink_each_loop && again && w.blocks().mix.has_reads()
}

/// Checks that need no host.
pub(super) fn workload(w: &Workload, stage: &Stage, plan: &Plan, problems: &mut Problems) {
    all_fields(w);
    let name = w.name.as_str();
    if w.clones == 0 {
        problems.add(
            name,
            "it has no workers",
            "give it one at least (fio: numjobs; DISKSPD: -t or -F; Vdbench: threads)",
        );
    }
    if w.depth == 0 || w.depth > MAX_DEPTH {
        problems.add(
            name,
            format!("queue depth {}; 1 to {MAX_DEPTH} are possible", w.depth),
            "change it (fio: iodepth; DISKSPD: -o or -O; Vdbench: threads)",
        );
    }
    if plan.read_only && w.writes() {
        problems.add(
            name,
            "it writes or trims, and the run is read only",
            "leave the workload out, or run without --readonly",
        );
    }
    if w.stop.time_based && w.stop.runtime.is_none() {
        problems.add(
            name,
            "it runs by time, and no run time is given",
            "give a run time (fio: runtime=, or no time_based; DISKSPD: -d; Vdbench: elapsed)",
        );
    }
    if w.stop.loops == 0 {
        problems.add(name, "it runs 0 loops", "give one at least (fio: loops)");
    }
    if let Some(before) = &w.start.after
        && !stage.workloads.iter().any(|o| &o.name == before)
    {
        problems.add(
            name,
            format!("it waits for {before}, which is not in its stage"),
            "name a workload that runs together with it",
        );
    }
    if reads_what_each_loop_deletes(w) {
        problems.add(
            name,
            "files are not deleted between loops: what follows would find them empty, since nothing fills them \
             again (fio's readers fail there)",
            "leave it out, or make each loop a job of its own that waits for the one before and deletes its \
             files at its end (fio: stonewall, unlink=1)",
        );
    }
    powers::check(w, problems);
    if w.placement.no_cpu {
        problems.add(
            name,
            "its mask of CPUs names none",
            "name one at least (fio: cpumask, cpus_allowed)",
        );
    }
    around(w, problems);
    shared_out(w, problems);
    offsets::check(w, problems);
    amounts(w, problems);
    sizes(w, problems);
    rates(w, problems);
}

/// A queue that is shared out to files.
fn shared_out(w: &Workload, problems: &mut Problems) {
    let files = match &w.blocks().target {
        Target::Paths(paths) => u32::try_from(paths.len()).unwrap_or(u32::MAX),
        Target::Files(set) => set.count,
        Target::Null { .. } | Target::Simulated(_) => 1,
    };
    if w.blocks().access.file_choice != FileChoice::EachSlot {
        return;
    }
    if w.blocks().access.draws != Draws::Diskspd {
        problems.add(
            &w.name,
            "its queue is shared out to its files, which goes with DISKSPD's numbers only",
            "choose the next file otherwise",
        );
    }
    let slots: u32 = w.blocks().parts.iter().map(|p| p.slots).sum();
    if !w.blocks().parts.is_empty() && slots != w.depth {
        problems.add(
            &w.name,
            format!("its files have {slots} slots of a queue of {}", w.depth),
            "give a depth that is the sum of the files' slots",
        );
    } else if w.blocks().parts.is_empty() && !w.depth.is_multiple_of(files.max(1)) {
        problems.add(
            &w.name,
            format!(
                "a queue of {} cannot be shared out evenly to {files} files",
                w.depth
            ),
            "give a depth that is a multiple of the number of files",
        );
    }
}

/// What a workload does behind its window, and beside others.
fn around(w: &Workload, problems: &mut Problems) {
    let name = w.name.as_str();
    if w.stop.cooldown > Nanos::ZERO && w.stop.runtime.is_none() {
        problems.add(
            name,
            "its I/O goes on after its window, and the window has no length",
            "give a run time, or drop the cool-down",
        );
    }
    if w.admission.group().is_some() && w.share.is_some_and(|s| !(s.is_finite() && s > 0.0)) {
        problems.add(
            name,
            "it is coupled with others, and its share is not above 0",
            "give a share above 0",
        );
    }
    if w.admission.rank().is_some() && w.clones != 1 {
        problems.add(
            name,
            "it has a priority, which only a workload of one worker can have",
            "give it one worker, or drop its priority",
        );
    }
}

/// Percentages and ranges of the region.
fn amounts(w: &Workload, problems: &mut Problems) {
    let all = [
        ("offset", Some(w.blocks().region.offset)),
        ("offset_increment", Some(w.blocks().region.offset_step)),
        ("size", w.blocks().region.size),
        ("io_size", w.stop.io_bytes),
    ];
    for (what, amount) in all {
        if let Some(Amount::Percent(p @ 101..)) = amount {
            problems.add(
                &w.name,
                format!("{what} is {p} % of the target"),
                "at most 100 % are there",
            );
        }
    }
    if let Some((low, high)) = w.blocks().region.file_size
        && (low == 0 || low > high)
    {
        problems.add(
            &w.name,
            format!("the file size ranges from {low} to {high} bytes"),
            "give a lower end above 0 and not above the upper one (fio: filesize=LOW-HIGH; Vdbench: size)",
        );
    }
    if matches!(w.stop.io_bytes, Some(Amount::Bytes(0) | Amount::Percent(0))) {
        problems.add(
            &w.name,
            "it moves 0 bytes",
            "give more than that (fio: io_size)",
        );
    }
    if w.stop.ios == Some(0) {
        problems.add(
            &w.name,
            "it does 0 I/Os",
            "give a number of I/Os of at least 1",
        );
    }
}

/// Block sizes that no back end can do.
fn sizes(w: &Workload, problems: &mut Problems) {
    for (what, sizes, align) in active_sizes(w) {
        let (min, max) = (sizes.min(), sizes.max());
        if min == 0 || max < min {
            problems.add(
                &w.name,
                format!("{what} block sizes from {min} to {max} bytes"),
                "block sizes start at 1 byte and rise",
            );
        }
        if what == "trim" && max > LONGEST_TRIM {
            problems.add(
                &w.name,
                format!(
                    "{what} block size {}; one trims at most {}",
                    Bytes(max),
                    Bytes(LONGEST_TRIM)
                ),
                "use a smaller block size and more I/Os",
            );
        }
        if align == Some(0) {
            problems.add(
                &w.name,
                format!("{what} offsets are multiples of 0"),
                "give 1 byte at least (fio: blockalign; DISKSPD: -r<align>; Vdbench: align)",
            );
        }
        if let Sizes::Split(parts) = sizes
            && parts.iter().all(|p| p.1 == 0)
        {
            problems.add(
                &w.name,
                format!("no {what} block size has a share"),
                "give at least one of the sizes a share above 0",
            );
        }
    }
}

/// Rates that can never be met.
fn rates(w: &Workload, problems: &mut Problems) {
    let Pace::Open {
        rates,
        together,
        course,
        ..
    } = &w.pace
    else {
        return;
    };
    let in_order = course.is_sorted_by_key(|turn| turn.0);
    if !in_order || course.iter().any(|&(_, s)| !(s.is_finite() && s >= 0.0)) {
        problems.add(
            &w.name,
            "a rate that changes without order, or to less than nothing",
            "give the changes in order of time, each with a share of 0 or more",
        );
    }
    let all = [rates.read, rates.write, rates.trim, *together];
    for rate in all.into_iter().flatten() {
        let bad = match rate {
            Rate::Iops(r) => !(r.is_finite() && r > 0.0),
            Rate::Bytes(b) => b == 0,
        };
        if bad {
            problems.add(
                &w.name,
                "a rate that is not above 0",
                "give a rate above 0, or none",
            );
        }
    }
}

/// What to do about a device that is missing.
pub(super) const CHECK_ITS_NAME: &str =
    "check its name (lsblk): a file made here would be in memory, not on a disk";

/// The directories of a file set exist; those for files of leadline's own can be made.
pub(super) fn directories(
    name: &str,
    (set, own): (&FileSet, bool),
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) {
    for directory in &set.directories {
        let shown = if directory.is_empty() {
            "."
        } else {
            directory.as_str()
        };
        match cached.kind(Path::new(shown)) {
            PathKind::Missing if cached.host.among_devices(Path::new(shown)) => {
                problems.add(name, format!("there is no device {shown}"), CHECK_ITS_NAME)
            }
            PathKind::Missing if own => {}
            PathKind::Missing => problems.add(
                name,
                format!("the directory {shown} does not exist"),
                format!("mkdir -p {shown}"),
            ),
            PathKind::File { .. } | PathKind::Block { .. } => problems.add(
                name,
                format!("{shown} is not a directory"),
                "give a directory that exists",
            ),
            PathKind::Other(what) if !what.contains("directory") => problems.add(
                name,
                format!("{shown} is {what}, not a directory"),
                "give a directory that exists",
            ),
            PathKind::Unreachable(_) | PathKind::Other(_) => {}
        }
    }
    if set.count == 0 {
        problems.add(
            name,
            "it has 0 files",
            "give it one at least (fio: nrfiles; Vdbench: files)",
        );
    }
}

/// Block sizes and offsets against each file.
pub(super) fn files(
    w: &Workload,
    files: &[FilePlan],
    pretended: bool,
    host: &dyn HostFacts,
    problems: &mut Problems,
) {
    for (index, file) in files.iter().enumerate() {
        let w = &*w.of_file(index);
        let shown = if pretended {
            "the target".to_owned()
        } else {
            file.path.display().to_string()
        };
        for (what, sizes, _) in active_sizes(w) {
            // Behind the end of a file there may be nothing left to do.
            let nothing = file.extent.len == 0 && w.blocks().region.beyond_end.is_some();
            let used = file.walked().len.min(file.extent.len);
            if sizes.min() > used && !nothing {
                problems.add(
                    &w.name,
                    format!(
                        "{shown}: the {what} block size {} is larger than the part used, {}",
                        Bytes(sizes.min()),
                        Bytes(used)
                    ),
                    "use a larger part, or smaller blocks (fio: size, bs; DISKSPD: -c, -f or -B, -b; Vdbench: size, xfersize)",
                );
            }
        }
    }
    if !pretended {
        fixed(w, files, host, problems);
    }
}

/// Whether the workers may have their priorities, whatever they do I/O to.
pub(super) fn priority(w: &Workload, host: &dyn HostFacts, problems: &mut Problems) {
    if let Some(refused) = host.priority_refused(&w.placement) {
        problems.note(
            &w.name,
            refused,
            "run as a user who may (CAP_SYS_NICE), or ask for less (fio: nice, prioclass)",
            true,
        );
    }
}

/// Whether the files are there from which writes take their data.
pub(super) fn sources(w: &Workload, cached: &mut Cached<'_>, problems: &mut Problems) {
    if !cached.host.is_known() || !w.writes() {
        return;
    }
    let own = w.blocks().parts.iter().filter_map(|p| p.payload.as_ref());
    for payload in own.chain([&w.blocks().payload]) {
        let Fill::Source {
            file: Some(path), ..
        } = &payload.fill
        else {
            continue;
        };
        let text = match cached.kind(Path::new(path)) {
            PathKind::Missing => format!("there is no file {path} to write from"),
            PathKind::File { size: 0 } => {
                format!("{path} is empty: there is nothing to write from it")
            }
            _ => continue,
        };
        problems.note(
            &w.name,
            text,
            "name a file with data in it (DISKSPD: -Z)",
            true,
        );
    }
}

/// What the place of each file asks for, whatever lies there.
pub(super) fn fixed(
    w: &Workload,
    files: &[FilePlan],
    host: &dyn HostFacts,
    problems: &mut Problems,
) {
    for (index, file) in files.iter().enumerate() {
        let w = &*w.of_file(index);
        let shown = file.path.display().to_string();
        alignment(w, file, &shown, host, problems);
        polling(w, file, &shown, host, problems);
    }
}

/// A device is polled by queues of their own.
fn polling(
    w: &Workload,
    file: &FilePlan,
    shown: &str,
    host: &dyn HostFacts,
    problems: &mut Problems,
) {
    if powers::polls_queue(w) && w.blocks().open.direct && host.polls(&file.path) == Some(false) {
        problems.note(
            &w.name,
            format!("{shown}: its device has no queues to poll for completions (hipri)"),
            "leave hipri out; it needs a driver with poll queues (nvme.poll_queues=N or \
             virtio_blk.num_poll_queues=N at boot)",
            true,
        );
    }
}

/// O_DIRECT and trims work in whole logical blocks.
fn alignment(
    w: &Workload,
    file: &FilePlan,
    shown: &str,
    host: &dyn HostFacts,
    problems: &mut Problems,
) {
    let block = match file.kind {
        PathKind::Block { logical_block, .. } => logical_block,
        _ if w.blocks().open.direct => host.direct_align(&file.path).unwrap_or(512),
        _ => 1,
    };
    let unit = u64::from(block.max(1));
    let is_block = matches!(file.kind, PathKind::Block { .. });
    let mut found: Vec<String> = Vec::new();
    for (what, sizes, align) in active_sizes(w) {
        if !(w.blocks().open.direct || is_block && what == "trim") {
            continue;
        }
        for size in unaligned(sizes, unit) {
            found.push(format!("{what} block size {size}"));
        }
        if let Some(a) = align
            && a % unit != 0
        {
            found.push(format!("{what} blockalign {a}"));
        }
    }
    let starts = [
        Some(file.walked().start),
        file.turn.map(|turn| turn.fold.to),
    ];
    for start in starts.into_iter().flatten() {
        if w.blocks().open.direct && !start.is_multiple_of(unit) {
            found.push(format!("offset {start}"));
        }
    }
    if w.blocks().open.direct {
        found.extend(offsets::unaligned(w, unit));
    }
    if let Order::Sequential { skip } = w.blocks().access.order
        && w.blocks().open.direct
        && skip.unsigned_abs() % unit != 0
    {
        found.push(format!("skip {skip}"));
    }
    if !found.is_empty() {
        problems.add(
            &w.name,
            format!(
                "{shown}: {} is not a multiple of its logical block of {unit} bytes",
                found.join(", ")
            ),
            format!("use multiples of {unit}, or buffered I/O (fio: direct=0; DISKSPD: -Sb; Vdbench: no openflags=o_direct)"),
        );
    }
}

/// The sizes of a set that are no multiple of `unit`.
fn unaligned(sizes: &Sizes, unit: u64) -> Vec<u64> {
    let all: Vec<u64> = match sizes {
        Sizes::Fixed(n) => vec![*n],
        Sizes::Range {
            min,
            max,
            unaligned,
        } if *unaligned => vec![min + 1, *max],
        Sizes::Range { min, max, .. } => vec![*min, *max],
        Sizes::Split(parts) => parts.iter().filter(|p| p.1 > 0).map(|p| p.0).collect(),
    };
    all.into_iter().filter(|n| n % unit != 0).collect()
}

/// Simulated and real workloads do not share a clock.
pub(super) fn clocks(stage: &Stage, problems: &mut Problems) {
    let simulated = |w: &&Workload| w.engine.kind.powers().medium == MediumKind::Simulated;
    let count = stage.workloads.iter().filter(simulated).count();
    if let Some(first) = stage.workloads.iter().find(simulated)
        && count < stage.workloads.len()
    {
        problems.add(
            &first.name,
            "it is simulated, and others that run together with it are not: they do not share a clock",
            "let them run one after the other (fio: stonewall)",
        );
    }
}

/// A read-only run creates and extends nothing.
pub(super) fn read_only_layout(programs: &[Program], plan: &Plan, problems: &mut Problems) {
    if !plan.read_only {
        return;
    }
    for program in programs {
        for file in program.files.iter().filter(|f| f.make_size.is_some()) {
            problems.add(
                &program.workload.name,
                format!(
                    "{} would have to be made or extended to {}, and the run is read only",
                    file.path.display(),
                    Bytes(file.end())
                ),
                "lay the file out first, or run without --readonly",
            );
        }
    }
}
