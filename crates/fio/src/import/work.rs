//! What a job was, from the options that fio repeats in its JSON.
//!
//! Belongs here: options as the front end reads them. Must never: guess an option that is not there.

use crate::import::JsonMap;
use leadline_dialect::host::NoHost;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, Percent};
use leadline_results::compare::{Properties, Property, PropertyValue};
use leadline_results::work::of_plan;
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
    // Without any options nothing is known: a result of fio's clients has none.
    if own.is_none_or(JsonMap::is_empty) && global.is_empty() {
        return Properties::new();
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
    let plan = crate::parse(&args, &NoHost).plan;
    let stages = plan.iter().flat_map(|plan| &plan.stages);
    let mut workloads = stages.flat_map(|stage| &stage.workloads);
    workloads.next().map(of_plan).unwrap_or_default()
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
    let (bytes, ios) = (sum("io_bytes"), sum("total_ios"));
    if bytes > 0 && ios > 0 {
        all.entry(Property::BlockSize)
            .or_insert_with(|| mean_size(bytes, ios));
    }
}

/// The size of blocks by what so many I/Os moved: of several sizes the mean.
pub(super) fn mean_size(bytes: u64, ios: u64) -> PropertyValue {
    match (bytes % ios, bytes / ios) {
        (0, size) if size.is_power_of_two() => PropertyValue::Bytes(Bytes(size)),
        _ => PropertyValue::BytesAbout(bytes as f64 / ios as f64),
    }
}

/// The share of reads of so many I/Os, as far as their number says it; `None` of none.
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
