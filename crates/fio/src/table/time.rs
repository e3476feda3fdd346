//! Table: how long, how fast, with which pauses.

use super::row::*;

const WHY_TARGET: &str =
    "searching for the depth that meets a latency is not supported yet; run the depths one by one";
const WHY_TOO_SLOW: &str = "ending a job below a minimum rate is not supported yet";
const WHY_STEADY: &str =
    "waiting for a steady state is not supported yet; use ramp_time and runtime";

options! { "Time and rate",
    RUNTIME: Seconds = opt("runtime", "Ends the job after this time at the latest.").alias(&["timeout"]).or("0")
        .case("runtime=30", "stop.runtime: 30000000000");
    TIME_BASED: Flag = opt("time_based", "Repeats the region until runtime is up.")
        .case("runtime=30 time_based", "stop.time_based: true");
    LOOPS: Number = opt("loops", "How many times the whole is done.").or("1").within(0, u32::MAX as i64)
        .case("loops=3", "stop.loops: 3");
    RAMP_TIME: Seconds = opt("ramp_time", "Warm-up: I/O runs and is not counted.").or("0")
        .case("ramp_time=5", "stop.warmup: 5000000000");
    RAMP_SIZE: Number = opt("ramp_size", "Warm-up by bytes.").within(1, i64::MAX)
        .no("a warm-up by bytes is not supported yet; use ramp_time");
    STARTDELAY: TimePair = opt("startdelay", "Delay before the start; from a range, a random one.").or("0")
        .case("startdelay=2-4", "start.delay: [2000000000,4000000000]");
    RATE: PerOp = opt("rate", "Bytes a second for each kind of operation.").within(0, i64::MAX)
        .case("rate=1m", "read:{Bytes:1048576}");
    RATE_IOPS: PerOp = opt("rate_iops", "I/Os a second for each kind of operation.").within(0, u32::MAX as i64)
        .case("rate_iops=500", "read:{Iops:500.0}");
    RATE_MIN: PerOp = opt("rate_min", "Ends with an error when slower.").alias(&["ratemin"]).under("rate")
        .only(&["0"], WHY_TOO_SLOW);
    RATE_IOPS_MIN: PerOp = opt("rate_iops_min", "Ends with an error when slower.").under("rate_iops")
        .only(&["0"], WHY_TOO_SLOW);
    RATE_PROCESS: Choice = choice("rate_process", &["linear", "poisson"],
        "Arrival process at a rate: equal intervals, or independent arrivals.")
        .or("linear").under("rate").case("rate_iops=500 rate_process=poisson", "arrival:Poisson");
    RATE_CYCLE: Millis = opt("rate_cycle", "Window over which rate_min is judged.").alias(&["ratecycle"])
        .or("1000").under("rate").idle("it only refines rate_min");
    RATE_IGNORE_THINKTIME: Bool = opt("rate_ignore_thinktime", "Does not catch up for think time.")
        .or("0").under("rate")
        .only_beside(&["0"], &THINKTIME,
            "a rate always catches up here; think time cannot be excluded");
    THINKTIME: Micros = opt("thinktime", "Pause after thinktime_blocks I/Os.").or("0")
        .case("thinktime=50", "pause:50000");
    THINKTIME_SPIN: Micros = opt("thinktime_spin", "How much of the pause the CPU is kept busy.").or("0")
        .under("thinktime").case("thinktime=50 thinktime_spin=20", "spin:20000");
    THINKCYCLES: Number = opt("thinkcycles", "CPU cycles to use up in a pause.").or("0").under("thinktime")
        .only(&["0"], "spinning for a number of cycles is not supported; use thinktime_spin");
    THINKTIME_BLOCKS: Number = opt("thinktime_blocks", "I/Os between pauses.").or("1")
        .within(0, u32::MAX as i64).under("thinktime").case("thinktime=50 thinktime_blocks=4", "every:4");
    THINKTIME_BLOCKS_TYPE: Choice = choice("thinktime_blocks_type", &["complete", "issue"],
        "Whether I/Os count when completed or when issued.")
        .or("complete").under("thinktime").case("thinktime=50 thinktime_blocks_type=issue", "on_submit:true");
    THINKTIME_IOTIME: Seconds = opt("thinktime_iotime", "Pauses only after this much time of I/O.").or("0")
        .under("thinktime").case("thinktime=50 thinktime_iotime=2", "after_busy:2000000000");
    LATENCY_TARGET: Micros = opt("latency_target", "Finds the depth at which this latency holds.").no(WHY_TARGET);
    LATENCY_WINDOW: Micros = opt("latency_window", "Window of latency_target.").no(WHY_TARGET);
    LATENCY_PERCENTILE: Floats = opt("latency_percentile", "Share of I/Os latency_target holds for.").or("100")
        .idle("it only refines latency_target");
    LATENCY_RUN: Bool = opt("latency_run", "Keeps searching until the end of the run.").or("0")
        .idle("it only refines latency_target");
    STEADYSTATE: List = opt("steadystate", "Ends when the figures no longer change.").alias(&["ss"])
        .or("iops_slope:0.01%").no(WHY_STEADY);
    STEADYSTATE_DURATION: Seconds = opt("steadystate_duration", "How long the figures must hold.")
        .alias(&["ss_dur"]).or("0").under("steadystate").no(WHY_STEADY);
    STEADYSTATE_RAMP_TIME: Seconds = opt("steadystate_ramp_time", "Time before the figures are watched.")
        .alias(&["ss_ramp"]).or("0").under("steadystate").no(WHY_STEADY);
    STEADYSTATE_CHECK_INTERVAL: Seconds = opt("steadystate_check_interval",
        "How often the figures are watched.")
        .alias(&["ss_interval"]).or("1").under("steadystate").no(WHY_STEADY);
}
