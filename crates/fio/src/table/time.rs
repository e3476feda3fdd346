//! How long, how fast, with which pauses.

use super::{Kind, OptionSpec, TimeUnit, opt};

const SEC: Kind = Kind::Time(TimeUnit::Seconds);
const USEC: Kind = Kind::Time(TimeUnit::Micros);
const TARGET: &str =
    "searching the depth for a latency is not supported yet; give depths one by one";
const TOO_SLOW: &str = "ending a job that is too slow is not supported yet";
const STEADY: &str = "waiting for a steady state is not supported yet; use ramp_time and runtime";

pub(super) const OPTIONS: &[OptionSpec] = &[
    opt(
        "runtime",
        SEC,
        "Ends the job after this time at the latest.",
    )
    .alias(&["timeout"])
    .or("0"),
    opt(
        "time_based",
        Kind::Flag,
        "Starts over at the end of the region until runtime is up.",
    ),
    opt("loops", Kind::Number, "How many times the whole is done.")
        .or("1")
        .within(0, u32::MAX as i64),
    opt("ramp_time", SEC, "Warm-up: I/O runs and is not counted.").or("0"),
    opt("ramp_size", Kind::Number, "Warm-up by bytes.")
        .within(1, i64::MAX)
        .no("a warm-up by bytes is not supported yet; use ramp_time"),
    opt(
        "startdelay",
        Kind::TimePair,
        "Starts so much later; a range is drawn from.",
    )
    .or("0"),
    opt(
        "rate",
        Kind::PerOp,
        "Bytes a second for each kind of operation.",
    )
    .within(0, i64::MAX),
    opt(
        "rate_iops",
        Kind::PerOp,
        "I/Os a second for each kind of operation.",
    )
    .within(0, u32::MAX as i64),
    opt("rate_min", Kind::PerOp, "Ends with an error when slower.")
        .alias(&["ratemin"])
        .under("rate")
        .only(&["0"], TOO_SLOW),
    opt(
        "rate_iops_min",
        Kind::PerOp,
        "Ends with an error when slower.",
    )
    .under("rate_iops")
    .only(&["0"], TOO_SLOW),
    opt(
        "rate_process",
        Kind::Choice(&["linear", "poisson"]),
        "How intended starts spread: equal distances, or independent arrivals.",
    )
    .or("linear")
    .under("rate"),
    opt(
        "rate_cycle",
        Kind::Millis,
        "Window over which rate_min is judged.",
    )
    .alias(&["ratecycle"])
    .or("1000")
    .under("rate")
    .idle("it only refines rate_min"),
    opt(
        "rate_ignore_thinktime",
        Kind::Bool,
        "Does not catch up for the time spent thinking.",
    )
    .or("0")
    .under("rate")
    .only_beside(
        &["0"],
        "thinktime",
        "a rate always catches up here; it cannot leave out the time spent thinking",
    ),
    opt("thinktime", USEC, "Pause after thinktime_blocks I/Os.").or("0"),
    opt(
        "thinktime_spin",
        USEC,
        "How much of the pause is spent computing.",
    )
    .or("0")
    .under("thinktime"),
    opt("thinkcycles", Kind::Number, "Cycles to burn at a pause.")
        .or("0")
        .under("thinktime")
        .only(
            &["0"],
            "burning cycles is not supported; use thinktime_spin",
        ),
    opt("thinktime_blocks", Kind::Number, "I/Os between pauses.")
        .or("1")
        .within(0, u32::MAX as i64)
        .under("thinktime"),
    opt(
        "thinktime_blocks_type",
        Kind::Choice(&["complete", "issue"]),
        "Whether I/Os count when completed or when issued.",
    )
    .or("complete")
    .under("thinktime"),
    opt(
        "thinktime_iotime",
        SEC,
        "Pause only after this much time of I/O.",
    )
    .or("0")
    .under("thinktime"),
    opt(
        "latency_target",
        USEC,
        "Finds the depth at which this latency holds.",
    )
    .no(TARGET),
    opt("latency_window", USEC, "Window of latency_target.").no(TARGET),
    opt(
        "latency_percentile",
        Kind::Floats,
        "Share of I/Os latency_target holds for.",
    )
    .or("100")
    .idle("it only refines latency_target"),
    opt(
        "latency_run",
        Kind::Bool,
        "Goes on searching to the end of the run.",
    )
    .or("0")
    .idle("it only refines latency_target"),
    opt(
        "steadystate",
        Kind::List,
        "Ends when the figures no longer change.",
    )
    .alias(&["ss"])
    .or("iops_slope:0.01%")
    .no(STEADY),
    opt(
        "steadystate_duration",
        SEC,
        "How long the figures must hold.",
    )
    .alias(&["ss_dur"])
    .or("0")
    .under("steadystate")
    .no(STEADY),
    opt(
        "steadystate_ramp_time",
        SEC,
        "Time before the figures are watched.",
    )
    .alias(&["ss_ramp"])
    .or("0")
    .under("steadystate")
    .no(STEADY),
    opt(
        "steadystate_check_interval",
        SEC,
        "How often the figures are watched.",
    )
    .alias(&["ss_interval"])
    .or("1")
    .under("steadystate")
    .no(STEADY),
];
