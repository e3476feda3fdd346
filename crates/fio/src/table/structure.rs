//! Jobs, groups, order, placement, errors.

use super::{Kind, OptionSpec, opt};

const PROFILE: &str = "built-in profiles of fio are not part of leadline";
/// What fio 3.33 does with `block=8192`, `numruns`, `dir` and `threads` in a job without a profile: it takes
/// them, and the block size stays 4096.
const NO_PROFILE: &str = "it belongs to a built-in profile of fio; without one fio takes it and does nothing \
     (the block size of a job is bs, its directory is directory, its number of workers is numjobs)";
const CGROUP: &str = "leadline does not move itself between control groups; start it inside one, \
                      for example with systemd-run";
const NUMA: &str = "binding to memory nodes is not supported yet; use numactl, or cpus_allowed";

pub(super) const OPTIONS: &[OptionSpec] = &[
    opt(
        "name",
        Kind::Text,
        "Name of the job, in its own section; on the command line it also starts a new job.",
    ),
    opt(
        "description",
        Kind::Text,
        "A sentence about the job, repeated in the output.",
    ),
    opt(
        "numjobs",
        Kind::Number,
        "Number of equal workers that follow the job.",
    )
    .or("1")
    .within(1, 4096),
    opt(
        "thread",
        Kind::Flag,
        "Workers are threads; in leadline they always are.",
    ),
    opt(
        "stonewall",
        Kind::Flag,
        "Starts when all jobs before it have ended, in a group of its own.",
    )
    .alias(&["wait_for_previous"]),
    opt(
        "wait_for",
        Kind::Text,
        "Starts when the job of this name has ended.",
    ),
    opt(
        "new_group",
        Kind::Flag,
        "Opens a new report group without waiting.",
    ),
    opt(
        "group_reporting",
        Kind::Flag,
        "Shows the jobs of a group as one record.",
    ),
    opt(
        "exitall",
        Kind::Flag,
        "The end of this job ends others; exit_what says which.",
    ),
    opt(
        "exit_what",
        Kind::Choice(&["group", "stonewall", "all"]),
        "Which jobs exitall ends.",
    )
    .or("group"),
    opt(
        "exitall_on_error",
        Kind::Flag,
        "An error in this job ends all jobs.",
    ),
    opt(
        "cpus_allowed",
        Kind::List,
        "CPUs the workers may run on, as numbers and ranges: `0,2-3`.",
    ),
    opt(
        "cpus_allowed_policy",
        Kind::Choice(&["shared", "split"]),
        "Whether each worker may use all of cpus_allowed, or gets one CPU of it in turn.",
    )
    .or("shared")
    .under("cpus_allowed"),
    opt(
        "cpumask",
        Kind::Number,
        "CPUs the workers may run on, as a mask of bits.",
    ),
    opt(
        "numa_cpu_nodes",
        Kind::Text,
        "Memory nodes whose CPUs the workers may run on.",
    )
    .no(NUMA),
    opt(
        "numa_mem_policy",
        Kind::Text,
        "Memory nodes buffers come from.",
    )
    .no(NUMA),
    opt("nice", Kind::Number, "Nice value of the workers.")
        .or("0")
        .within(-20, 19),
    opt(
        "prio",
        Kind::Number,
        "I/O priority within its class; 0 is the highest.",
    )
    .within(0, 7),
    opt(
        "prioclass",
        Kind::Number,
        "I/O priority class: 1 real time, 2 best effort, 3 idle.",
    )
    .within(0, 3),
    opt(
        "priohint",
        Kind::Number,
        "Hint sent along with the I/O priority.",
    )
    .within(0, 1023)
    .no("I/O hints beside the priority are not supported yet"),
    opt(
        "comm",
        Kind::Text,
        "Name of the worker as the process list shows it.",
    )
    .idle("workers are named by leadline"),
    opt(
        "mem",
        Kind::Choice(&[
            "malloc",
            "shm",
            "shmhuge",
            "mmap",
            "mmapshared",
            "mmaphuge",
            "cudamalloc",
        ]),
        "What the I/O buffers are made of.",
    )
    .alias(&["iomem"])
    .or("malloc")
    .only(
        &["malloc", "shm", "shmhuge", "mmap", "mmapshared", "mmaphuge"],
        "memory of a GPU and buffers in a file (`mmap:FILE`) are not supported",
    ),
    opt(
        "iomem_align",
        Kind::Number,
        "Extra alignment of the I/O buffers in bytes.",
    )
    .alias(&["mem_align"])
    .or("0")
    .within(0, 1 << 30)
    .under("mem"),
    opt("hugepage-size", Kind::Number, "Size of a huge page.")
        .or("2097152")
        .idle("the kernel's default size of huge pages is used"),
    opt(
        "lockmem",
        Kind::Number,
        "Bytes of memory to lock, so that less is left for the cache.",
    )
    .or("0"),
    opt("uid", Kind::Number, "User to run as.")
        .no("leadline does not change users; start it as that user"),
    opt("gid", Kind::Number, "Group to run as.")
        .no("leadline does not change groups; start it in that group"),
    opt(
        "exec_prerun",
        Kind::Text,
        "A command to run before the job.",
    )
    .no("jobs do not start commands; run it before leadline"),
    opt(
        "exec_postrun",
        Kind::Text,
        "A command to run after the job.",
    )
    .no("jobs do not start commands; run it after leadline"),
    opt(
        "ioscheduler",
        Kind::Text,
        "I/O scheduler to set on the device.",
    )
    .no("leadline does not change the system; write it to /sys/block/DEV/queue/scheduler"),
    opt("cgroup", Kind::Text, "Control group to run in.").no(CGROUP),
    opt(
        "cgroup_nodelete",
        Kind::Bool,
        "Keeps the control group at the end.",
    )
    .or("0")
    .under("cgroup")
    .no(CGROUP),
    opt(
        "cgroup_weight",
        Kind::Number,
        "Weight of the control group.",
    )
    .within(100, 1000)
    .under("cgroup")
    .no(CGROUP),
    opt(
        "continue_on_error",
        Kind::Choice(&["none", "read", "write", "io", "verify", "all", "0", "1"]),
        "Counts I/O errors (EIO and EILSEQ) of these kinds and goes on.",
    )
    .or("none"),
    opt(
        "ignore_error",
        Kind::List,
        "Error names or numbers not to count: lists with `:`, for read,write,verify.",
    ),
    opt(
        "error_dump",
        Kind::Bool,
        "Prints each error that is passed over.",
    )
    .or("0")
    .idle("errors are counted by number and shown with the result"),
    opt(
        "max_latency",
        Kind::TimePerOp,
        "One I/O slower than this ends the job with an error.",
    ),
    opt(
        "profile",
        Kind::Choice(&["tiobench", "act"]),
        "A built-in workload of fio.",
    )
    .no(PROFILE),
    opt("block", Kind::Number, "Block size of the tiobench profile.")
        .or("4096")
        .idle(NO_PROFILE),
    opt(
        "numruns",
        Kind::Number,
        "Number of runs of the tiobench profile.",
    )
    .idle(NO_PROFILE),
    opt("dir", Kind::Text, "Directory of the tiobench profile.").idle(NO_PROFILE),
    opt(
        "threads",
        Kind::Number,
        "Number of threads of the tiobench profile.",
    )
    .idle(NO_PROFILE),
    opt("device-names", Kind::Text, "Devices of the act profile.").no(PROFILE),
    opt("load", Kind::Number, "Load of the act profile.")
        .or("1")
        .no(PROFILE),
    opt("test-duration", Kind::Text, "Duration of the act profile.")
        .or("24h")
        .no(PROFILE),
    opt(
        "threads-per-queue",
        Kind::Number,
        "Threads of the act profile.",
    )
    .or("8")
    .no(PROFILE),
    opt(
        "read-req-num-512-blocks",
        Kind::Number,
        "Read size of the act profile.",
    )
    .or("3")
    .no(PROFILE),
    opt(
        "large-block-op-kbytes",
        Kind::Number,
        "Large block size of the act profile.",
    )
    .or("131072")
    .no(PROFILE),
    opt("prep", Kind::Flag, "Preparation run of the act profile.").no(PROFILE),
    opt(
        "flow",
        Kind::Number,
        "Share of this job's I/O against the other jobs of its flow.",
    )
    .or("0")
    .within(-1000, 1000)
    .under("flow_id")
    .but("a negative share beside other jobs of the flow is not supported"),
    opt("flow_id", Kind::Number, "Which flow the job belongs to.").or("0"),
    opt("flow_watermark", Kind::Number, "No longer used by fio.").idle("fio itself ignores it"),
    opt(
        "flow_sleep",
        Kind::Number,
        "Pause of a job that is ahead of its flow.",
    )
    .or("0")
    .under("flow_id")
    .idle("a job that is ahead of its flow waits as long as it must"),
];
