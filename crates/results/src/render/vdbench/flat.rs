//! The flat file: one line an interval, one word a column, for spreadsheets and scripts.

use super::row::{Cpu, Figures};
use super::said;
use super::stage::Current;
use crate::study::words::trim_to;
use std::collections::BTreeMap;

/// The columns and what they say. The header line has their names.
const COLUMNS: [(&str, &str); 35] = [
    ("tod", "time of day"),
    ("timestamp", "date, time and zone"),
    ("Run", "name of the run"),
    (
        "Interval",
        "number of the interval, or avg_ and the intervals it is about",
    ),
    (
        "reqrate",
        "rate asked for; 9999988 = as fast as it goes, 9999977 = the same before a curve",
    ),
    ("rate", "I/Os a second"),
    ("MB/sec", "MiB (1024*1024 bytes) a second"),
    ("bytes/io", "mean size of an I/O"),
    ("read%", "share of reads"),
    ("resp", "mean service time, ms"),
    ("read_resp", "the same of reads"),
    ("write_resp", "the same of writes"),
    ("resp_max", "longest service time, ms"),
    ("read_max", "the same of reads"),
    ("write_max", "the same of writes"),
    ("resp_std", "standard deviation of the service time, ms"),
    ("read_std", "the same of reads"),
    ("write_std", "the same of writes"),
    ("xfersize", "size asked for"),
    ("threads", "I/Os in flight asked for, of each SD"),
    ("rdpct", "share of reads asked for"),
    ("rhpct", "share of read hits asked for"),
    ("whpct", "share of write hits asked for"),
    ("seekpct", "share of random I/Os asked for"),
    ("lunsize", "all storage in GiB"),
    ("version", "not in use"),
    ("compratio", "compression asked for"),
    ("dedupratio", "dedup asked for"),
    ("queue_depth", "mean number of I/Os in flight"),
    (
        "cpu_used",
        "processors at work, % of all; of several hosts, the mean",
    ),
    ("cpu_user", "the same in user mode"),
    ("cpu_kernel", "the same in the kernel"),
    ("cpu_wait", "processors waiting for I/O, %"),
    ("cpu_idle", "processors idle, %"),
    ("n/a", "not known, or not the same for all of the run"),
];

/// What stands above the rows.
pub(super) fn beginning() -> String {
    let mut out = String::from("*\n* One line an interval: the first line names the columns.\n*\n");
    for (name, what) in COLUMNS.iter().skip(2) {
        out.push_str(&format!("* {name:<15} : {what}\n"));
    }
    out.push_str("*\n         tod               timestamp ");
    for (name, _) in COLUMNS.iter().skip(2).take(COLUMNS.len() - 3) {
        out.push_str(name);
        out.push(' ');
    }
    out.push('\n');
    out
}

/// A row.
pub(super) fn line(
    current: &Current,
    (time, stamp): (&str, &str),
    label: &str,
    f: &Figures,
    cpu: Option<Cpu>,
) -> String {
    let number = |x: f64| trim_to(x, 4);
    // An average's label has a blank more before it.
    let gap = if label.starts_with("avg") { " " } else { "" };
    let mut words = vec![
        time.to_owned(),
        stamp.to_owned(),
        current.name().to_owned(),
        format!("{gap}{label}"),
        said(&current.stage.given, "reqrate")
            .unwrap_or("9999988")
            .to_owned(),
    ];
    let measured = [f.rate, f.mib, f.bytes, f.read_percent];
    let times = f.resp.iter().chain(&f.max).chain(&f.stddev);
    words.extend(measured.iter().chain(times).map(|x| number(*x)));
    for name in ["xfersize", "threads", "rdpct", "rhpct", "whpct", "seekpct"] {
        words.push(alike(current, name, "n/a"));
    }
    words.push(storage(current));
    words.push("n/a".to_owned());
    words.push(alike(current, "compratio", "1"));
    words.push(alike(current, "dedupratio", "n/a"));
    words.push(number(f.depth));
    let unknown = || "n/a".to_owned();
    let used = cpu.map(|c| [c.user + c.system, c.user, c.system]);
    words.extend(used.map_or_else(|| [unknown(), unknown(), unknown()], |c| c.map(number)));
    let rest = cpu.and_then(|c| c.rest);
    words.extend(rest.map_or_else(|| [unknown(), unknown()], |r| [r.0, r.1].map(number)));
    words.join(" ") + " \n"
}

/// An option that all workloads of the run have alike; `n/a` where they differ.
fn alike(current: &Current, name: &str, missing: &str) -> String {
    let mut values = current.stage.workloads.iter().map(|w| said(&w.given, name));
    let first = values.next().flatten();
    if values.any(|v| v != first) {
        return "n/a".to_owned();
    }
    first.unwrap_or(missing).replace(' ', "")
}

/// GiB of all storage of the run.
fn storage(current: &Current) -> String {
    let mut sizes = BTreeMap::new();
    for workload in &current.stage.workloads {
        let size = said(&workload.given, "size").and_then(|s| s.parse::<f64>().ok());
        let Some(size) = size else {
            return "n/a".to_owned();
        };
        sizes.insert(crate::summary::target_name(workload), size);
    }
    trim_to(sizes.values().sum::<f64>() / f64::from(1 << 30), 4)
}
