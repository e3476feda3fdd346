//! Checks: everything about a workload that can be known to fail before anything is created, each
//! with its cure. Must never repair silently.

use super::{MAX_DEPTH, fields, offsets, powers};
use crate::medium::{self, TimeBase};
use crate::problem::Problems;
use crate::program::Program;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{
    Amount, Draws, FileChoice, Pace, Plan, Rate, Stage, UsedSizes, Workload,
};
use leadline_model::units::{Bytes, Nanos};

/// Largest multiple that random offsets can be of.
const WIDEST_ALIGN: u64 = u32::MAX as u64;

/// Most bytes of one trim.
const LONGEST_TRIM: u64 = u32::MAX as u64;

/// Files stay between loops here, which a reader that asks to delete them would not expect. A time-based workload never
/// ends its first loop; writers overwrite what the loop before left.
fn reads_what_each_loop_deletes(w: &Workload) -> bool {
    let again = w.stop.loops > 1 && !w.stop.time_based;
    w.blocks().prepare.unlink_each_loop && again && w.blocks().mix.has_reads()
}

/// Checks that need no host.
pub(super) fn workload(w: &Workload, stage: &Stage, plan: &Plan, problems: &mut Problems) {
    fields::named(plan, stage, w);
    let name = w.name.as_str();
    if w.clones == 0 {
        problems.add(
            name,
            ErrorCode::PlanValue,
            "it has no workers",
            ("give it at least one", [Knob::Workers]),
        );
    }
    if w.depth == 0 || w.depth > MAX_DEPTH {
        problems.add(
            name,
            ErrorCode::PlanValue,
            format!("queue depth {} is not in 1 to {MAX_DEPTH}", w.depth),
            ("use a depth in this range", [Knob::QueueDepth]),
        );
    }
    if plan.read_only && w.writes() {
        problems.add(
            name,
            ErrorCode::PlanConflict,
            "it writes or trims, but the run is read-only",
            ("remove the workload, or allow writes", [Knob::Writable]),
        );
    }
    if w.stop.time_based && w.stop.runtime.is_none() {
        problems.add(
            name,
            ErrorCode::PlanValue,
            "it is time-based, but no run time is given",
            ("give a run time", [Knob::RunTime]),
        );
    }
    if let Some(before) = &w.start.after
        && !stage.workloads.iter().any(|o| &o.name == before)
    {
        problems.add(
            name,
            ErrorCode::PlanValue,
            format!("it starts after {before}, which is not in its stage"),
            "name a workload that runs together with it",
        );
    }
    loops(w, problems);
    powers::check(w, problems);
    if w.placement.no_cpu {
        problems.add(
            name,
            ErrorCode::PlanValue,
            "its CPU mask is empty",
            ("name at least one", [Knob::Processors]),
        );
    }
    around(w, problems);
    shared_out(w, problems);
    offsets::check(w, problems);
    amounts(w, problems);
    sizes(w, problems);
    rates(w, problems);
}

/// What is done several times.
fn loops(w: &Workload, problems: &mut Problems) {
    let name = w.name.as_str();
    if w.stop.loops == 0 {
        problems.add(
            name,
            ErrorCode::PlanValue,
            "it runs 0 loops",
            ("give at least one", [Knob::Loops]),
        );
    }
    if reads_what_each_loop_deletes(w) {
        problems.add(
            name,
            ErrorCode::PlanConflict,
            "it asks for its files to be deleted after each loop, which is not done here; a second \
             loop of reads would have no files then",
            (
                "keep the files, or make each loop a workload of its own that starts after the \
                 previous one and deletes its files at its end",
                [Knob::Stages, Knob::Remove],
            ),
        );
    }
}

/// A queue that is shared out to files.
fn shared_out(w: &Workload, problems: &mut Problems) {
    let files = u32::try_from(w.blocks().target.files()).unwrap_or(u32::MAX);
    if w.blocks().access.file_choice != FileChoice::EachSlot {
        return;
    }
    if w.blocks().access.draws != Draws::Diskspd {
        problems.add(
            &w.name,
            ErrorCode::PlanConflict,
            "its queue is divided among its files, which only the DISKSPD access pattern supports",
            "choose another order of files",
        );
    }
    let slots: u32 = w.blocks().parts.iter().map(|p| p.slots).sum();
    if !w.blocks().parts.is_empty() && slots != w.depth {
        problems.add(
            &w.name,
            ErrorCode::PlanValue,
            format!(
                "the slots of its files add up to {slots}, not to the queue depth of {}",
                w.depth
            ),
            (
                "use the sum of the files' slots as the depth",
                [Knob::QueueDepth],
            ),
        );
    } else if w.blocks().parts.is_empty() && !w.depth.is_multiple_of(files.max(1)) {
        problems.add(
            &w.name,
            ErrorCode::PlanValue,
            format!(
                "a queue depth of {} cannot be divided evenly among {files} files",
                w.depth
            ),
            (
                "use a depth that is a multiple of the number of files",
                [Knob::QueueDepth],
            ),
        );
    }
}

/// What a workload does after its window, and together with others.
fn around(w: &Workload, problems: &mut Problems) {
    let name = w.name.as_str();
    if w.stop.cooldown > Nanos::ZERO && w.stop.runtime.is_none() {
        problems.add(
            name,
            ErrorCode::PlanValue,
            "it has a cool-down, but no run time",
            ("give a run time, or drop the cool-down", [Knob::RunTime]),
        );
    }
    if w.admission.rank().is_some() && w.clones != 1 {
        problems.add(
            name,
            ErrorCode::PlanConflict,
            "it has a priority and several workers; only a workload of one worker can have a \
             priority",
            ("give it one worker, or drop its priority", [Knob::Workers]),
        );
    }
}

/// Percentages and ranges of the region.
fn amounts(w: &Workload, problems: &mut Problems) {
    let all = [
        ("offset", Knob::Offset, Some(w.blocks().region.offset)),
        (
            "distance between workers",
            Knob::OffsetStep,
            Some(w.blocks().region.offset_step),
        ),
        ("size", Knob::Size, w.blocks().region.size),
        ("amount of I/O", Knob::Amount, w.stop.io_bytes),
    ];
    for (what, knob, amount) in all {
        if let Some(Amount::Percent(p @ 101..)) = amount {
            problems.add(
                &w.name,
                ErrorCode::PlanValue,
                format!("{what} is {p} % of the target"),
                ("use at most 100 %", [knob]),
            );
        }
    }
    if let Some((low, high)) = w.blocks().region.file_size
        && (low == 0 || low > high)
    {
        problems.add(
            &w.name,
            ErrorCode::PlanValue,
            format!("the file size ranges from {low} to {high} bytes"),
            (
                "use a lower bound above 0 and not above the upper bound",
                [Knob::FileSize],
            ),
        );
    }
    if matches!(w.stop.io_bytes, Some(Amount::Bytes(0) | Amount::Percent(0))) {
        problems.add(
            &w.name,
            ErrorCode::PlanValue,
            "it transfers 0 bytes",
            ("give at least 1 byte", [Knob::Amount]),
        );
    }
    if w.stop.ios == Some(0) {
        problems.add(
            &w.name,
            ErrorCode::PlanValue,
            "it does 0 I/Os",
            "give a number of I/Os of at least 1",
        );
    }
}

/// Block sizes that no back end can do.
fn sizes(w: &Workload, problems: &mut Problems) {
    for UsedSizes { what, sizes, align } in w.blocks().used_sizes() {
        let (min, max) = (sizes.min(), sizes.max());
        if min == 0 || max < min {
            problems.add(
                &w.name,
                ErrorCode::PlanValue,
                format!("{what} block sizes from {min} to {max} bytes are not a range"),
                (
                    "start at 1 byte or more and end at or above the start",
                    [Knob::BlockSize],
                ),
            );
        }
        if what == "trim" && max > LONGEST_TRIM {
            problems.add(
                &w.name,
                ErrorCode::PlanValue,
                format!(
                    "{what} block size {}: one trim covers at most {}",
                    Bytes(max),
                    Bytes(LONGEST_TRIM)
                ),
                ("use a smaller block size and more I/Os", [Knob::BlockSize]),
            );
        }
        // In order the alignment counts for nothing.
        let most = match w.blocks().access.order.is_random() {
            true => WIDEST_ALIGN,
            false => u64::MAX,
        };
        if let Some(align) = align.filter(|align| !(1..=most).contains(align)) {
            problems.add(
                &w.name,
                ErrorCode::PlanValue,
                format!("{what} offsets are aligned to {align} bytes"),
                ("use 1 byte to 4 GiB", [Knob::Alignment]),
            );
        }
        if let Sizes::Split(parts) = sizes
            && parts.iter().all(|p| p.1 == 0)
        {
            problems.add(
                &w.name,
                ErrorCode::PlanValue,
                format!("all {what} block sizes have a share of 0"),
                (
                    "give at least one of the sizes a share above 0",
                    [Knob::BlockSize],
                ),
            );
        }
    }
}

/// Rates that can never be met.
fn rates(w: &Workload, problems: &mut Problems) {
    let Pace::Open {
        rates,
        together,
        schedule,
        arrival: _,
    } = &w.pace
    else {
        return;
    };
    let in_order = schedule.is_sorted_by_key(|turn| turn.0);
    if !in_order || schedule.iter().any(|&(_, s)| !(s.is_finite() && s >= 0.0)) {
        problems.add(
            &w.name,
            ErrorCode::PlanValue,
            "its rate changes are out of order or negative",
            "list the changes in order of time, each with a share of 0 or more",
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
                ErrorCode::PlanValue,
                "its rate is not above 0",
                ("give a rate above 0, or none", [Knob::Rate]),
            );
        }
    }
}

/// Simulated and real workloads do not share a clock.
pub(super) fn clocks(stage: &Stage, problems: &mut Problems) {
    let simulated = |w: &&Workload| medium::of(w).time() == TimeBase::Virtual;
    let count = stage.workloads.iter().filter(simulated).count();
    if let Some(first) = stage.workloads.iter().find(simulated)
        && count < stage.workloads.len()
    {
        problems.add(
            &first.name,
            ErrorCode::PlanConflict,
            "it is simulated and others that run at the same time are not: they have no common \
             clock",
            ("run them one after the other", [Knob::Stages]),
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
                ErrorCode::PlanConflict,
                format!(
                    "{} would have to be created or extended to {}, but the run is read-only",
                    file.path.display(),
                    Bytes(file.end())
                ),
                ("lay the file out first, or allow writes", [Knob::Writable]),
            );
        }
    }
}
