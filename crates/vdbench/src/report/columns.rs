//! What stands above the rows of the flat file.
//!
//! Belongs here: names and meaning of its columns. Must never: know of runs.

/// The columns and what they say. The header line has their names.
const COLUMNS: [(&str, &str); 35] = [
    ("tod", "time of day"),
    ("timestamp", "date, time and zone"),
    ("Run", "name of the run"),
    (
        "Interval",
        "number of the interval, or avg_ and the intervals it covers",
    ),
    (
        "reqrate",
        "requested rate; 9999988 = unlimited, 9999977 = unlimited, to find the maximum for a \
         curve",
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
    ("xfersize", "requested size"),
    ("threads", "requested I/Os in flight for each SD"),
    ("rdpct", "requested share of reads"),
    ("rhpct", "requested share of read hits"),
    ("whpct", "requested share of write hits"),
    ("seekpct", "requested share of random I/Os"),
    ("lunsize", "all storage in GiB"),
    ("version", "not in use"),
    ("compratio", "requested compression"),
    ("dedupratio", "requested dedup"),
    ("queue_depth", "mean number of I/Os in flight"),
    (
        "cpu_used",
        "busy processors, % of all; for several hosts, the mean",
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
