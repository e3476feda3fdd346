//! What the I/Os reached: how much of the data set, how many files, and whether their size can show a throughput.

use super::data::working_set;
use super::{Case, is_native, percent};
use crate::summary::labels::{file_systems, is_remote};
use crate::words::{LARGE, both_per_s};
use leadline_model::cure::Knob;
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::PerOp;
use leadline_model::plan::study::Question;
use leadline_model::plan::{Coverage, Distribution, Pace, Target};
use leadline_model::units::Bytes;

/// Less than this share of the blocks was touched.
const LITTLE: f64 = 0.2;

/// Code `coverage` (info): random I/Os touched less than 20 % of the blocks of their data set. Of independent draws, k for
/// each block on average, `1 - e^-k` of the blocks; of draws that touch each block once in a pass, k. Both are most where all
/// blocks are as likely: of another distribution (zipf, zones) they are an upper bound, since `1 - e^-k` is concave in k.
pub(super) fn coverage(case: &Case<'_>) -> Option<Finding> {
    let blocks = case.plan.blocks();
    let uniform = blocks.access.distribution == PerOp::splat(Distribution::Uniform);
    let survey = is_native(case.run);
    let set = working_set(case).filter(|set| *set > 0)?;
    let figures = &case.summary.figures;
    if !blocks.access.order.is_random() || survey || !case.is_real() || figures.data.ios == 0 {
        return None;
    }
    let done = figures.data.bytes as f64 + figures.warmup_ios as f64 * blocks.mean_size();
    let draws = done / set as f64;
    let share = match blocks.access.coverage {
        Coverage::OncePerPass => draws.min(1.0),
        Coverage::WithRepeats => 1.0 - (-draws).exp(),
    };
    (share < LITTLE).then(|| {
        case.finding(
            "coverage",
            Severity::Info,
            format!(
                "{}{} of the blocks of {} were touched: a cache saw a data set of {}{}.",
                if uniform { "" } else { "At most " },
                percent(share),
                Bytes(set),
                if uniform { "" } else { "no more than " },
                Bytes(leadline_model::units::whole(share * set as f64))
            ),
            (
                "State how much of the data set was accessed, or measure for longer.",
                [Knob::RunTime, Knob::Size],
            ),
        )
    })
}

/// Code `single-file` (warn): several workers on a network file system share fewer files than there are workers, and
/// fewer than four.
pub(super) fn single_file(case: &Case<'_>) -> Option<Finding> {
    let jobs = u64::from(case.plan.clones);
    let files = match &case.plan.blocks().target {
        Target::Paths(paths) => paths.len() as u64,
        Target::Files(set) => jobs * u64::from(set.count),
        _ => return None,
    };
    let kinds = file_systems(case.plan, &case.run.facts);
    let remote = is_remote(case.plan, &case.run.facts);
    let survey = is_native(case.run);
    if jobs < 2 || files >= jobs.min(4) || !remote || survey || case.summary.figures.data.ios == 0 {
        return None;
    }
    let of = if files == 1 {
        "one file".to_owned()
    } else {
        format!("{files} files")
    };
    Some(case.finding(
        "single-file",
        Severity::Warn,
        format!(
            "{jobs} workers share {of} on {}: the locks of one file, and its place on the server, can be a \
             limit where several files would have none.",
            kinds[0]
        ),
        ("Give each worker a file of its own.", [Knob::FileCount]),
    ))
}

/// Whether a workload reads or writes a real target sequentially with O_DIRECT, as fast as possible, and did.
fn shows_throughput(case: &Case<'_>) -> bool {
    let blocks = case.plan.blocks();
    let plain = case.plan.pace == Pace::Closed && case.plan.think.is_none();
    let sequential = !blocks.access.order.is_random() && blocks.open.direct;
    sequential && plain && case.summary.figures.data.ios > 0 && case.is_real()
}

/// Code `small-blocks` (warn): sequential direct I/O in blocks below 64 KiB, as fast as possible, with several in flight.
pub(super) fn small_blocks(case: &Case<'_>) -> Option<Finding> {
    let blocks = case.plan.blocks();
    let size = blocks.largest();
    let several = case.summary.depth_asked > 1;
    (several && size < LARGE && shows_throughput(case)).then(|| {
        case.finding(
            "small-blocks",
            Severity::Warn,
            format!(
                "{} were reached in sequential blocks of {}{}: below 64 KiB, a limit on IOPS is reached before one \
                 on throughput.",
                both_per_s(case.summary.figures.data.bytes_per_s),
                if blocks.only_size().is_some() { "" } else { "at most " },
                Bytes(size)
            ),
            (
                "Measure throughput with blocks of 64 KiB or more.",
                [Knob::BlockSize],
            ),
        )
    })
}

/// Code `one-in-flight` (info): one worker of a stage reads or writes sequentially with O_DIRECT, as fast as possible, one
/// I/O at a time. Of a study only where that is its throughput.
pub(super) fn one_in_flight(case: &Case<'_>) -> Option<Finding> {
    let study = case.run.plan.as_ref().and_then(|p| p.study.as_deref());
    let of_throughput = match study {
        Some(study) => study.question == Question::Throughput,
        None => !is_native(case.run),
    };
    let alone = case.summary.depth_asked == 1 && !case.is_beside_others();
    let data = &case.summary.figures.data;
    let blocks = case.plan.blocks();
    let (what, size) = match blocks.only_size().filter(|_| blocks.parts.is_empty()) {
        Some(size) => ("", size),
        None => ("mean ", data.bytes / data.ios.max(1)),
    };
    (alone && of_throughput && shows_throughput(case)).then(|| {
        case.finding(
            "one-in-flight",
            Severity::Info,
            format!(
                "{} is the {what}block size of {} divided by the latency of one I/O: whether more in flight would give \
                 more was not measured.",
                both_per_s(data.bytes_per_s),
                Bytes(size),
            ),
            (
                "For the throughput of the target, measure with more in flight: add depth or workers until it rises no \
                 further.",
                [Knob::QueueDepth, Knob::Workers],
            ),
        )
    })
}
