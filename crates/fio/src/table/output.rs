//! Table: what is shown and written down of a run.

use super::row::*;

const WHY_LOGS: &str = "fio's log files are not supported yet; the run file keeps every interval with its \
                    histograms, and `leadline report --csv` prints them";
const WHY_LOG: &str = "it only refines fio's log files, which are not supported yet";
const WHY_HONEST: &str = "all statistics here cost less than fio's reduced set, so all are kept \
                          and this only hides some in the output";

options! { "Output and logs",
    CLAT_PERCENTILES: Bool = opt("clat_percentiles", "Shows percentiles of completion latency.").or("1")
        .case("clat_percentiles=0", "shown.clat_percentiles: false");
    LAT_PERCENTILES: Bool = opt("lat_percentiles", "Shows percentiles of the whole latency.").or("0")
        .case("lat_percentiles=1", "shown.lat_percentiles: true");
    SLAT_PERCENTILES: Bool = opt("slat_percentiles", "Shows percentiles of submission latency.").or("0")
        .case("slat_percentiles=1", "shown.slat_percentiles: true");
    PERCENTILE_LIST: Floats = opt("percentile_list", "Percentiles to show, separated by `:`.")
        .or("1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99").within(0, 100)
        .case("percentile_list=99:50", "percentiles: [50.0,99.0]");
    SIGNIFICANT_FIGURES: Number = opt("significant_figures", "Significant digits of figures.").or("4")
        .within(1, 10).case("significant_figures=6", "shown.significant_figures: 6");
    DISK_UTIL: Bool = opt("disk_util", "Shows the counters of the disks underneath.").or("1")
        .case("disk_util=0", "shown.disk_util: false");
    GTOD_REDUCE: Bool = opt("gtod_reduce", WHY_HONEST).or("0")
        .case("gtod_reduce=1", "report.clat: false");
    DISABLE_LAT: Bool = opt("disable_lat", "Hides the whole latency.").or("0").under("gtod_reduce")
        .case("disable_lat=1", "report.lat: false");
    DISABLE_CLAT: Bool = opt("disable_clat", "Hides completion latency.").or("0").under("gtod_reduce")
        .case("disable_clat=1", "report.clat: false");
    DISABLE_SLAT: Bool = opt("disable_slat", "Hides submission latency.").or("0").under("gtod_reduce")
        .case("disable_slat=1", "shown.slat: false");
    DISABLE_BW_MEASUREMENT: Bool = opt("disable_bw_measurement", "Hides the series of throughput samples.")
        .alias(&["disable_bw"]).or("0").under("gtod_reduce")
        .case("disable_bw_measurement=1", "shown.bandwidth: false");
    UNIFIED_RW_REPORTING: Choice = choice("unified_rw_reporting", &["none", "mixed", "both", "0", "1", "2"],
        "Reports reads, writes and trims as one.")
        .or("none").case("unified_rw_reporting=mixed", "shown.directions: Mixed");
    KB_BASE: Choice = choice("kb_base", &["1024", "1000"],
        "Bytes in a k, in values read and in figures shown.")
        .or("1024").case("kb_base=1000", "shown.kb_base: 1000");
    UNIT_BASE: Choice = choice("unit_base", &["0", "8", "1"], "Shows rates in bytes (8) or bits (1).").or("0")
        .case("unit_base=8", "shown.unit_base: 8");
    CLOCKSOURCE: Choice = choice("clocksource", &["gettimeofday", "clock_gettime", "cpu"],
        "Which clock is read.")
        .idle("leadline picks the cheapest clock that is correct on this machine and reports \
               which");
    GTOD_CPU: Number = opt("gtod_cpu", "A CPU for a thread that only reads the clock.")
        .idle("reading the clock is cheap enough for each worker to do it");
    JOB_START_CLOCK_ID: Number = opt("job_start_clock_id", "Clock of the start time in the output.")
        .idle("the start is shown on the wall clock");
    STATS: Bool = opt("stats", "Whether the output includes this job.").or("1")
        .only(&["1"], "the output includes every job");
    BLOCK_ERROR_PERCENTILES: Bool = opt("block_error_percentiles", "Shows when blocks failed.").or("0")
        .idle("errors are counted by number and shown with the result");
    BWAVGTIME: Millis = opt("bwavgtime", "Length of a throughput sample.").or("500")
        .case("bwavgtime=200", "interval: 200 ms");
    IOPSAVGTIME: Millis = opt("iopsavgtime", "Length of an IOPS sample.").or("500")
        .case("iopsavgtime=200", "interval: 200 ms");
    WRITE_BW_LOG: List = opt("write_bw_log", "Writes a log of throughput.").no(WHY_LOGS);
    WRITE_LAT_LOG: List = opt("write_lat_log", "Writes logs of latency.").no(WHY_LOGS);
    WRITE_IOPS_LOG: List = opt("write_iops_log", "Writes a log of IOPS.").no(WHY_LOGS);
    WRITE_HIST_LOG: List = opt("write_hist_log", "Writes a log of latency histograms.").no(WHY_LOGS);
    PER_JOB_LOGS: Bool = opt("per_job_logs", "One log for each worker.").or("1").idle(WHY_LOG);
    LOG_ENTRIES: Number = opt("log_entries", "Entries of a log held in memory.").or("1024")
        .within(1024, 1_048_576).idle(WHY_LOG);
    LOG_AVG_MSEC: Millis = opt("log_avg_msec", "Averages log entries over this time.").or("0").idle(WHY_LOG);
    LOG_HIST_MSEC: Millis = opt("log_hist_msec", "Interval of histograms in the log.").or("0").idle(WHY_LOG);
    LOG_HIST_COARSENESS: Number = opt("log_hist_coarseness", "Halves the number of histogram bins N times.")
        .or("0").within(0, 6).idle(WHY_LOG);
    LOG_WINDOW_VALUE: Choice = choice("log_window_value", &["avg", "max", "both", "0", "1"],
        "What a log entry records of its window.")
        .alias(&["log_max_value"]).or("avg").idle(WHY_LOG);
    LOG_OFFSET: Bool = opt("log_offset", "Logs offsets too.").or("0").idle(WHY_LOG);
    LOG_PRIO: Bool = opt("log_prio", "Logs priorities too.").or("0").idle(WHY_LOG);
    LOG_ISSUE_TIME: Bool = opt("log_issue_time", "Logs the time of issue too.").or("0").idle(WHY_LOG);
    LOG_COMPRESSION: Number = opt("log_compression", "Compresses logs in memory.").within(1024, 536_870_912)
        .idle(WHY_LOG);
    LOG_COMPRESSION_CPUS: List = opt("log_compression_cpus", "CPUs that compress logs.")
        .under("log_compression").idle(WHY_LOG);
    LOG_STORE_COMPRESSED: Bool = opt("log_store_compressed", "Stores logs compressed.").idle(WHY_LOG);
    LOG_ALTERNATE_EPOCH: Bool = opt("log_alternate_epoch", "Times in logs count from another epoch.")
        .alias(&["log_unix_epoch"]).idle(WHY_LOG);
    LOG_ALTERNATE_EPOCH_CLOCK_ID: Number = opt("log_alternate_epoch_clock_id", "Which epoch that is.").idle(WHY_LOG);
}
