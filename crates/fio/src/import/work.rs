//! What a job was, from the options that fio repeats in its JSON.
//!
//! Belongs here: options as the front end reads them. Must never: guess an option that is not there.

use crate::import::JsonMap;
use leadline_dialect::host::NoHost;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, Percent, whole};
use leadline_results::compare::{Properties, Property, PropertyValue};
use leadline_results::work::{of_plan, unsaid};
use serde_json::Value;

/// Options that say what was done, as far as results are compared by it.
const WORK: [&str; 33] = [
    "rw",
    "readwrite",
    "rwmixread",
    "rwmixwrite",
    "bs",
    "blocksize",
    "bsrange",
    "bssplit",
    "bs_unaligned",
    "blocksize_unaligned",
    "blocksize_range",
    "size",
    "filesize",
    "nrfiles",
    "iodepth",
    "numjobs",
    "direct",
    "buffered",
    "ioengine",
    "rate",
    "rate_iops",
    "thinktime",
    "thinktime_blocks",
    "fsync",
    "fdatasync",
    "random_distribution",
    "percentage_random",
    "rw_sequencer",
    "sync",
    "rate_process",
    "zonesize",
    "zonerange",
    "zoneskip",
];

/// What one entry of a result was: all clones of a job where the group is one entry, else one of them.
pub(super) fn properties(own: Option<&JsonMap>, global: &JsonMap) -> Properties {
    // Without any options nothing is known: a result of fio's clients has none, nor one that is written from a run of
    // another front end.
    if own.is_none_or(JsonMap::is_empty) && global.is_empty() {
        return unsaid();
    }
    let empty = JsonMap::new();
    let own = own.unwrap_or(&empty);
    let is_there = |key: &str| own.contains_key(key) || global.contains_key(key);
    let whole = is_there("group_reporting");
    let words = |map: &JsonMap| {
        let each = WORK.iter().filter(|key| whole || **key != "numjobs");
        let each = each.filter_map(|key| Some((*key, map.get(*key)?.as_str()?.to_owned())));
        each.map(|(key, value)| match value.as_str() {
            "" => format!("--{key}"),
            value => format!("--{key}={value}"),
        })
        .collect::<Vec<_>>()
    };
    let mut args = vec!["--name=job".to_owned()];
    args.extend(words(global));
    args.extend(words(own));
    let plan = crate::parsed::parse(&args, &NoHost).plan;
    let stages = plan.iter().flat_map(|plan| &plan.stages);
    let mut workloads = stages.flat_map(|stage| &stage.workloads);
    workloads.next().map(of_plan).unwrap_or_default()
}

/// The back end that an engine of fio is here, as options say it too; of one that is none its own name.
pub(super) fn engine_of(name: &str) -> PropertyValue {
    let own = JsonMap::from_iter([("ioengine".to_owned(), Value::from(name))]);
    let engine = properties(Some(&own), &JsonMap::new()).remove(&Property::Engine);
    engine.unwrap_or_else(|| name.into())
}

/// Whether options ask for reads and writes, in whatever shares: `rw=randrw`. All together are then not called by one of
/// them, though it may be all that was done.
pub(super) fn is_mixed(own: Option<&JsonMap>, global: &JsonMap) -> bool {
    let of = |map: &JsonMap| {
        let words = ["rw", "readwrite"]
            .into_iter()
            .find_map(|key| map.get(key)?.as_str());
        words.map(|words| {
            words.starts_with("rw") || words.starts_with("randrw") || words.starts_with("readwrite")
        })
    };
    own.and_then(of).or_else(|| of(global)).unwrap_or(false)
}

/// Puts the number of jobs that an entry is of in place of that of its options, which are of one section: the time that all
/// ran over the time of the entry.
pub(super) fn jobs_by_time(job: &JsonMap, sides: &[(Option<Op>, &JsonMap)], all: &mut Properties) {
    /// Jobs do not start and end at the same millisecond.
    const NEAR: f64 = 0.03;
    let of = |map: &JsonMap, key: &str| map.get(key).and_then(Value::as_f64);
    let longest = sides.iter().filter_map(|(_, side)| of(side, "runtime"));
    let longest = longest.fold(0.0, f64::max);
    let Some(times) = of(job, "job_runtime").map(|sum| sum / longest) else {
        return;
    };
    let is_known = times.is_finite() && (times / times.round() - 1.0).abs() <= NEAR;
    let jobs = match is_known {
        true => PropertyValue::Count(whole(times.round())),
        false => PropertyValue::Unknown,
    };
    all.insert(Property::Jobs, jobs);
}

/// Whether what was counted is not what the options say: fio repeats those of one section for a group of several
/// (`group_reporting`). Then of all that sections may differ in nothing is known.
pub(super) fn forget_one_section(sides: &[(Option<Op>, &JsonMap)], all: &mut Properties) {
    /// Fewer I/Os contradict no block size.
    const FEW: u64 = 64;
    let sum = |key: &str| -> u64 {
        let each = sides.iter().filter_map(|(_, side)| side.get(key)?.as_u64());
        each.sum()
    };
    let (ios, bytes) = (sum("total_ios"), sum("io_bytes"));
    let mut found = Properties::new();
    counted(sides, &mut found);
    let size = all
        .get(&Property::BlockSize)
        .zip(found.get(&Property::BlockSize));
    let other_size = ios >= FEW
        && size.is_some_and(|(said, found)| !said.is_same_as(found))
        && !is_but_for_those_under_way((ios, bytes), all);
    let only = only_op(all);
    let other_op =
        only.is_some_and(|only| sides.iter().any(|(op, _)| op.is_some_and(|op| op != only)));
    if !other_size && !other_op {
        return;
    }
    all.retain(|key, _| matches!(key, Property::Direct | Property::Jobs | Property::Engine));
    all.extend(unsaid());
}

/// Whether the bytes of a job of one block size are those of its I/Os but for as many as are under way at once: at the end
/// of a ramp fio starts to count I/Os that it does not count the bytes of, or the other way round.
fn is_but_for_those_under_way((ios, bytes): (u64, u64), all: &Properties) -> bool {
    let count = |key| match all.get(&key) {
        Some(PropertyValue::Count(count)) => *count,
        _ => 1,
    };
    let Some(PropertyValue::Bytes(size)) = all.get(&Property::BlockSize) else {
        return false;
    };
    let most = count(Property::Depth).saturating_mul(count(Property::Jobs));
    let whole = size.0.saturating_mul(ios);
    bytes.is_multiple_of(size.0.max(1)) && bytes.abs_diff(whole) <= most.saturating_mul(size.0)
}

/// Adds what follows from the I/Os that were counted, where no option says it: the size of blocks of one size, and the
/// share of reads within the error of the count.
pub(super) fn counted(sides: &[(Option<Op>, &JsonMap)], all: &mut Properties) {
    let of = |side: &JsonMap, key: &str| side.get(key).and_then(Value::as_u64);
    let ios = |op: Op| {
        let own = sides.iter().filter(|(of, _)| *of == Some(op));
        own.filter_map(|(_, side)| of(side, "total_ios"))
            .sum::<u64>()
    };
    let known = sides.iter().all(|(op, _)| op.is_some());
    if known && let Some(mix) = share_of_reads(ios(Op::Read), ios(Op::Write)) {
        all.entry(Property::Mix).or_insert(mix);
    }
    let sum = |key: &str| {
        let each = sides.iter().filter_map(|(_, side)| of(side, key));
        each.sum::<u64>()
    };
    let bytes = sum("io_bytes");
    // Bytes of blocks of one size are a multiple of the I/Os that they are of.
    let timed = completed(sides).filter(|ios| bytes.is_multiple_of(*ios));
    let ios = timed.unwrap_or(sum("total_ios"));
    if bytes > 0 && ios > 0 {
        all.entry(Property::BlockSize)
            .or_insert_with(|| mean_size(bytes, ios));
    }
}

/// I/Os that had ended, of which the bytes are: `total_ios` has those under way too (`--status-interval`), or lacks those of
/// the end of a ramp. By the number of latencies, where fio took one of each.
fn completed(sides: &[(Option<Op>, &JsonMap)]) -> Option<u64> {
    /// More are not under way at once.
    const MOST: u64 = 1 << 16;
    let of = |side: &JsonMap| {
        let issued = side.get("total_ios").and_then(Value::as_u64)?;
        let timed = side
            .get("clat_ns")
            .or(side.get("clat"))?
            .get("N")?
            .as_u64()?;
        (timed > 0 && issued.abs_diff(timed) <= MOST).then_some(timed)
    };
    sides.iter().map(|(_, side)| of(side)).sum()
}

/// The size of blocks by what this many I/Os moved: of several sizes the mean.
pub(super) fn mean_size(bytes: u64, ios: u64) -> PropertyValue {
    match (bytes % ios, bytes / ios) {
        (0, size) if size.is_power_of_two() => PropertyValue::Bytes(Bytes(size)),
        _ => PropertyValue::BytesAbout(bytes as f64 / ios as f64),
    }
}

/// The share of reads of this many I/Os, as far as their number shows it; `None` of none.
pub(super) fn share_of_reads(reads: u64, writes: u64) -> Option<PropertyValue> {
    match (reads, writes) {
        (0, 0) => None,
        (_, 0) => Some(PropertyValue::Percent(Percent::ALL)),
        (0, _) => Some(PropertyValue::Percent(Percent::NONE)),
        (reads, writes) => {
            let sum = reads as f64 + writes as f64;
            let share = reads as f64 / sum;
            // Four standard errors, and I/Os that were under way at the end.
            let error = 4.0 * (share * (1.0 - share) / sum).sqrt() + 256.0 / sum;
            Some(PropertyValue::PercentAbout(100.0 * share, 100.0 * error))
        }
    }
}

/// The operation of a job that has only one.
pub(super) fn only_op(work: &Properties) -> Option<Op> {
    match work.get(&Property::Mix)? {
        PropertyValue::Percent(share) if *share == Percent::ALL => Some(Op::Read),
        PropertyValue::Percent(share) if *share == Percent::NONE => Some(Op::Write),
        _ => None,
    }
}
