//! Arguments of the verbs that show results beside each other: `compare`, `plot`.
//!
//! Belongs here: their names, values and help. Must never: do anything with them.

use crate::switches::GivenToCompare;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `compare`.
#[derive(Args, Debug)]
#[command(
    after_help = "Changes are of B relative to A. A firm verdict (improved, regressed) takes four repeats of each \
                  side, or six rounds of --interleave; with fewer, a change is called likely at most. Repeats inside \
                  of one run (study --repeat 5) count as one run: they show how much the target varies within it, not \
                  how much another run would differ. For a firm verdict run the study four times on each side and name \
                  two folders.\n\n--interleave takes two jobs in the place of results and runs them in turns, so that \
                  drift of the target or other load affects both alike; rounds are compared in pairs. Both need the \
                  target at the same time and host."
)]
pub(crate) struct Compare {
    /// A and B: run files, or folders with the run files of repeats; a single run with several arms is compared
    /// with itself. With --baseline only B, with --interleave two jobs
    #[arg(required = true, num_args = 1..=2, value_name = "RESULT")]
    pub(crate) results: Vec<PathBuf>,
    /// A is the newest finished run with this tag (`leadline tag`), in the current directory or leadline's own
    #[arg(long, value_name = "TAG", conflicts_with = "interleave")]
    pub(crate) baseline: Option<String>,
    /// Exit with 99 if the whole 95 % interval of a change is beyond a limit: iops<-3%,randread.p99>+10% (repeatable).
    /// The figures named are among those that decide
    #[arg(long, value_name = "LIST")]
    pub(crate) fail_on: Vec<String>,
    /// Compare although these differ, comma-separated: mix, bs, order, size, fill, direct, depth, jobs, host-count,
    /// rate, arrivals, sync, think
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) across: Vec<String>,
    /// Run two jobs (fio, Vdbench or DISKSPD files) in alternating rounds ABBA and BAAB, and compare them in pairs
    #[arg(long)]
    pub(crate) interleave: bool,
    /// Rounds of --interleave
    #[arg(long, value_name = "N", requires = "interleave", default_value_t = 6, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) rounds: u32,
    /// Name of the run file of --interleave, without extension [default: compare-DATE-TIME]; NAME-2, NAME-3 and so on
    /// if it exists
    #[arg(long, value_name = "NAME", requires = "interleave")]
    pub(crate) out: Option<PathBuf>,
    /// The comparison as JSON; `leadline schema compare` describes every key
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to this file instead of standard output
    #[arg(long, short)]
    pub(crate) output: Option<PathBuf>,
    /// Replace files that are not leadline's
    #[arg(long)]
    pub(crate) force: bool,
    /// Where --interleave runs, and outputs for CI
    #[command(flatten)]
    pub(crate) on: GivenToCompare,
}

/// Arguments of `plot`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "AXIS is depth, jobs, hosts, in-flight, block, reads, order, op, fsync, think, loop, rate, percent, \
                  read-rate, write-rate, files, part, dataset, theta, direct, engine, nconnect, arm, group, kind, round, \
                  repeat, stage, workload or run; along x also time, percentile and any figure. \
                  FIGURE is iops, mibps, mbps, mean, p50, p99 or any other percentile, max or queue; with --x \
                  percentile, latency. Points that differ in anything but x are on different lines."
)]
pub(crate) struct Plot {
    /// Run files, or `last` for the latest
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// What is along x
    #[arg(long, value_name = "AXIS")]
    pub(crate) x: String,
    /// What is shown; several, comma-separated, are charts one below the other
    #[arg(long, value_name = "FIGURE")]
    pub(crate) y: String,
    /// What the colours stand for [default: the first axis in which the lines differ]
    #[arg(long, value_name = "AXIS")]
    pub(crate) by: Option<String>,
    /// Only points with this value: block=4k, op=read, reads=100, run=NAME (repeatable)
    #[arg(long, value_name = "AXIS=VALUE")]
    pub(crate) only: Vec<String>,
    /// Draw these published figures with the runs; an unknown name lists all
    #[arg(long, value_name = "NAME")]
    pub(crate) published: Option<String>,
    /// Label of a run, once for each, in order [default: what distinguishes them]
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Vec<String>,
    /// Write to this file, NAME.svg or NAME.png, instead of standard output
    #[arg(long, short, visible_alias = "out")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite a file that leadline plot did not write
    #[arg(long)]
    pub(crate) force: bool,
}
