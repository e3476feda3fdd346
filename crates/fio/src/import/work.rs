//! What a job was, from the options that fio repeats in its JSON.
//!
//! Belongs here: options as the front end reads them. Must never: guess an option that is not there.

use crate::import::JsonMap;
use leadline_dialect::host::NoHost;
use leadline_results::compare::Properties;
use leadline_results::work::of_plan;

/// Options that say what was done, as far as results are compared by it.
const WORK: [&str; 22] = [
    "rw",
    "readwrite",
    "rwmixread",
    "rwmixwrite",
    "bs",
    "blocksize",
    "bsrange",
    "blocksize_range",
    "size",
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
