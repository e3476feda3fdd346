//! What is shown and written down of a run.

use super::{Kind, OptionSpec, opt};

const LOGS: &str = "fio's log files are not supported yet; the run file keeps every interval with its \
                    histograms, and `leadline report --csv` prints them";
const LOG: &str = "it only refines fio's log files, which are not supported yet";
const HONEST: &str = "every statistic costs less than fio's reduced set here, so all are kept and this \
                      only hides it from the output";

pub(super) const OPTIONS: &[OptionSpec] = &[
    opt(
        "clat_percentiles",
        Kind::Bool,
        "Shows percentiles of completion latency.",
    )
    .or("1"),
    opt(
        "lat_percentiles",
        Kind::Bool,
        "Shows percentiles of the whole latency.",
    )
    .or("0"),
    opt(
        "slat_percentiles",
        Kind::Bool,
        "Shows percentiles of submission latency.",
    )
    .or("0"),
    opt(
        "percentile_list",
        Kind::Floats,
        "Which percentiles to show, `:` between them.",
    )
    .or("1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99")
    .within(0, 100),
    opt(
        "significant_figures",
        Kind::Number,
        "Significant digits of figures.",
    )
    .or("4")
    .within(1, 10),
    opt(
        "disk_util",
        Kind::Bool,
        "Shows the counters of the disks underneath.",
    )
    .or("1"),
    opt("gtod_reduce", Kind::Bool, HONEST).or("0"),
    opt("disable_lat", Kind::Bool, "Hides the whole latency.")
        .or("0")
        .under("gtod_reduce"),
    opt("disable_clat", Kind::Bool, "Hides completion latency.")
        .or("0")
        .under("gtod_reduce"),
    opt("disable_slat", Kind::Bool, "Hides submission latency.")
        .or("0")
        .under("gtod_reduce"),
    opt(
        "disable_bw_measurement",
        Kind::Bool,
        "Hides the series of throughput samples.",
    )
    .alias(&["disable_bw"])
    .or("0")
    .under("gtod_reduce"),
    opt(
        "unified_rw_reporting",
        Kind::Choice(&["none", "mixed", "both", "0", "1", "2"]),
        "Sums the kinds of operation up to one.",
    )
    .or("none"),
    opt(
        "kb_base",
        Kind::Choice(&["1024", "1000"]),
        "Bytes in a k, when reading numbers and showing them.",
    )
    .or("1024"),
    opt(
        "unit_base",
        Kind::Choice(&["0", "8", "1"]),
        "Shows rates in bytes (8) or bits (1).",
    )
    .or("0"),
    opt(
        "clocksource",
        Kind::Choice(&["gettimeofday", "clock_gettime", "cpu"]),
        "Which clock is read.",
    )
    .idle("leadline picks the cheapest clock that is right on this machine and says which"),
    opt(
        "gtod_cpu",
        Kind::Number,
        "A CPU for a thread that only reads the clock.",
    )
    .idle("reading the clock is cheap enough for each worker to do it"),
    opt(
        "job_start_clock_id",
        Kind::Number,
        "Clock of the start time in the output.",
    )
    .idle("the start is shown on the wall clock"),
    opt(
        "stats",
        Kind::Bool,
        "Whether this job is part of the output.",
    )
    .or("1")
    .only(&["1"], "every job is part of the output"),
    opt(
        "block_error_percentiles",
        Kind::Bool,
        "Shows when blocks went bad.",
    )
    .or("0")
    .idle("errors are counted by number and shown with the result"),
    opt("bwavgtime", Kind::Millis, "Length of a throughput sample.").or("500"),
    opt("iopsavgtime", Kind::Millis, "Length of an IOPS sample.").or("500"),
    opt("write_bw_log", Kind::List, "Writes a log of throughput.").no(LOGS),
    opt("write_lat_log", Kind::List, "Writes logs of latency.").no(LOGS),
    opt("write_iops_log", Kind::List, "Writes a log of IOPS.").no(LOGS),
    opt(
        "write_hist_log",
        Kind::List,
        "Writes a log of latency histograms.",
    )
    .no(LOGS),
    opt("per_job_logs", Kind::Bool, "One log for each worker.")
        .or("1")
        .idle(LOG),
    opt(
        "log_entries",
        Kind::Number,
        "Entries of a log held in memory.",
    )
    .or("1024")
    .within(1024, 1_048_576)
    .idle(LOG),
    opt(
        "log_avg_msec",
        Kind::Millis,
        "Averages log entries over this time.",
    )
    .or("0")
    .idle(LOG),
    opt(
        "log_hist_msec",
        Kind::Millis,
        "Distance of histograms in the log.",
    )
    .or("0")
    .idle(LOG),
    opt(
        "log_hist_coarseness",
        Kind::Number,
        "Halves the number of histogram bins N times.",
    )
    .or("0")
    .within(0, 6)
    .idle(LOG),
    opt(
        "log_window_value",
        Kind::Choice(&["avg", "max", "both", "0", "1"]),
        "What a log entry holds of its window.",
    )
    .alias(&["log_max_value"])
    .or("avg")
    .idle(LOG),
    opt("log_offset", Kind::Bool, "Logs offsets too.")
        .or("0")
        .idle(LOG),
    opt("log_prio", Kind::Bool, "Logs priorities too.")
        .or("0")
        .idle(LOG),
    opt("log_issue_time", Kind::Bool, "Logs the time of issue too.")
        .or("0")
        .idle(LOG),
    opt(
        "log_compression",
        Kind::Number,
        "Compresses logs in memory.",
    )
    .within(1024, 536_870_912)
    .idle(LOG),
    opt(
        "log_compression_cpus",
        Kind::List,
        "CPUs that compress logs.",
    )
    .under("log_compression")
    .idle(LOG),
    opt(
        "log_store_compressed",
        Kind::Bool,
        "Stores logs compressed.",
    )
    .idle(LOG),
    opt(
        "log_alternate_epoch",
        Kind::Bool,
        "Times in logs count from another epoch.",
    )
    .alias(&["log_unix_epoch"])
    .idle(LOG),
    opt(
        "log_alternate_epoch_clock_id",
        Kind::Number,
        "Which epoch that is.",
    )
    .idle(LOG),
];
