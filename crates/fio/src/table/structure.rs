//! Table: jobs, groups, order, placement, errors.

use super::kind::*;
use super::{choice, opt};

const WHY_PROFILE: &str = "built-in profiles of fio are not part of leadline";
/// What fio 3.33 does with `block=8192`, `numruns`, `dir` and `threads` in a job without a profile: it takes
/// them, and the block size stays 4096.
const WHY_NO_PROFILE: &str = "it belongs to a built-in profile of fio; without one fio takes it and does nothing \
     (the block size of a job is bs, its directory is directory, its number of workers is numjobs)";
const WHY_CGROUP: &str = "leadline does not move itself between control groups; start it inside one, \
                      for example with systemd-run";
const WHY_NUMA: &str = "binding to memory nodes is not supported yet; use numactl, or cpus_allowed";

options! { "Jobs and groups",
    NAME: Text = opt("name",
        "Name of the job, in its own section; on the command line it also starts a new job.");
    DESCRIPTION: Text = opt("description", "A sentence about the job, repeated in the output.");
    NUMJOBS: Number = opt("numjobs", "Number of equal workers that follow the job.").or("1").within(1, 4096);
    THREAD: Flag = opt("thread", "Workers are threads; in leadline they always are.");
    STONEWALL: Flag = opt("stonewall", "Starts when all jobs before it have ended, in a group of its own.")
        .alias(&["wait_for_previous"]);
    WAIT_FOR: Text = opt("wait_for", "Starts when the job of this name has ended.");
    NEW_GROUP: Flag = opt("new_group", "Opens a new report group without waiting.");
    GROUP_REPORTING: Flag = opt("group_reporting", "Shows the jobs of a group as one record.");
    EXITALL: Flag = opt("exitall", "The end of this job ends others; exit_what says which.");
    EXIT_WHAT: Choice = choice("exit_what", &["group", "stonewall", "all"], "Which jobs exitall ends.")
        .or("group");
    EXITALL_ON_ERROR: Flag = opt("exitall_on_error", "An error in this job ends all jobs.");
    CPUS_ALLOWED: List = opt("cpus_allowed", "CPUs the workers may run on, as numbers and ranges: `0,2-3`.");
    CPUS_ALLOWED_POLICY: Choice = choice("cpus_allowed_policy", &["shared", "split"],
        "Whether each worker may use all of cpus_allowed, or gets one CPU of it in turn.")
        .or("shared").under("cpus_allowed");
    CPUMASK: Number = opt("cpumask", "CPUs the workers may run on, as a mask of bits.");
    NUMA_CPU_NODES: Text = opt("numa_cpu_nodes", "Memory nodes whose CPUs the workers may run on.").no(WHY_NUMA);
    NUMA_MEM_POLICY: Text = opt("numa_mem_policy", "Memory nodes buffers come from.").no(WHY_NUMA);
    NICE: Number = opt("nice", "Nice value of the workers.").or("0").within(-20, 19);
    PRIO: Number = opt("prio", "I/O priority within its class; 0 is the highest.").within(0, 7);
    PRIOCLASS: Number = opt("prioclass", "I/O priority class: 1 real time, 2 best effort, 3 idle.").within(0, 3);
    PRIOHINT: Number = opt("priohint", "Hint sent along with the I/O priority.").within(0, 1023)
        .no("I/O hints beside the priority are not supported yet");
    COMM: Text = opt("comm", "Name of the worker as the process list shows it.")
        .idle("workers are named by leadline");
    MEM: Choice = choice("mem", &["malloc", "shm", "shmhuge", "mmap", "mmapshared", "mmaphuge", "cudamalloc"],
        "What the I/O buffers are made of.")
        .alias(&["iomem"]).suffixed().or("malloc")
        .only(&["malloc", "shm", "shmhuge", "mmap", "mmapshared", "mmaphuge"],
            "memory of a GPU and buffers in a file (`mmap:FILE`) are not supported");
    IOMEM_ALIGN: Number = opt("iomem_align", "Extra alignment of the I/O buffers in bytes.")
        .alias(&["mem_align"]).or("0").within(0, 1 << 30).under("mem");
    HUGEPAGE_SIZE: Number = opt("hugepage-size", "Size of a huge page.").or("2097152")
        .idle("the kernel's default size of huge pages is used");
    LOCKMEM: Number = opt("lockmem", "Bytes of memory to lock, so that less is left for the cache.").or("0");
    UID: Number = opt("uid", "User to run as.").no("leadline does not change users; start it as that user");
    GID: Number = opt("gid", "Group to run as.").no("leadline does not change groups; start it in that group");
    EXEC_PRERUN: Text = opt("exec_prerun", "A command to run before the job.")
        .no("jobs do not start commands; run it before leadline");
    EXEC_POSTRUN: Text = opt("exec_postrun", "A command to run after the job.")
        .no("jobs do not start commands; run it after leadline");
    IOSCHEDULER: Text = opt("ioscheduler", "I/O scheduler to set on the device.")
        .no("leadline does not change the system; write it to /sys/block/DEV/queue/scheduler");
    CGROUP: Text = opt("cgroup", "Control group to run in.").no(WHY_CGROUP);
    CGROUP_NODELETE: Bool = opt("cgroup_nodelete", "Keeps the control group at the end.").or("0")
        .under("cgroup").no(WHY_CGROUP);
    CGROUP_WEIGHT: Number = opt("cgroup_weight", "Weight of the control group.").within(100, 1000)
        .under("cgroup").no(WHY_CGROUP);
    CONTINUE_ON_ERROR: Choice = choice("continue_on_error", &[
        "none", "read", "write", "io", "verify", "all", "0", "1"
    ], "Counts I/O errors (EIO and EILSEQ) of these kinds and goes on.")
        .or("none");
    IGNORE_ERROR: List = opt("ignore_error",
        "Error names or numbers not to count: lists with `:`, for read,write,verify.");
    ERROR_DUMP: Bool = opt("error_dump", "Prints each error that is passed over.").or("0")
        .idle("errors are counted by number and shown with the result");
    MAX_LATENCY: TimePerOp = opt("max_latency", "One I/O slower than this ends the job with an error.");
    PROFILE: Choice = choice("profile", &["tiobench", "act"], "A built-in workload of fio.").no(WHY_PROFILE);
    BLOCK: Number = opt("block", "Block size of the tiobench profile.").or("4096").idle(WHY_NO_PROFILE);
    NUMRUNS: Number = opt("numruns", "Number of runs of the tiobench profile.").idle(WHY_NO_PROFILE);
    DIR: Text = opt("dir", "Directory of the tiobench profile.").idle(WHY_NO_PROFILE);
    THREADS: Number = opt("threads", "Number of threads of the tiobench profile.").idle(WHY_NO_PROFILE);
    DEVICE_NAMES: Text = opt("device-names", "Devices of the act profile.").no(WHY_PROFILE);
    LOAD: Number = opt("load", "Load of the act profile.").or("1").no(WHY_PROFILE);
    TEST_DURATION: Text = opt("test-duration", "Duration of the act profile.").or("24h").no(WHY_PROFILE);
    THREADS_PER_QUEUE: Number = opt("threads-per-queue", "Threads of the act profile.").or("8").no(WHY_PROFILE);
    READ_REQ_NUM_512_BLOCKS: Number = opt("read-req-num-512-blocks", "Read size of the act profile.").or("3")
        .no(WHY_PROFILE);
    LARGE_BLOCK_OP_KBYTES: Number = opt("large-block-op-kbytes", "Large block size of the act profile.")
        .or("131072").no(WHY_PROFILE);
    PREP: Flag = opt("prep", "Preparation run of the act profile.").no(WHY_PROFILE);
    FLOW: Number = opt("flow", "Share of this job's I/O against the other jobs of its flow.").or("0")
        .within(-1000, 1000).under("flow_id")
        .but("a negative share beside other jobs of the flow is not supported");
    FLOW_ID: Number = opt("flow_id", "Which flow the job belongs to.").or("0");
    FLOW_WATERMARK: Number = opt("flow_watermark", "No longer used by fio.").idle("fio itself ignores it");
    FLOW_SLEEP: Number = opt("flow_sleep", "Pause of a job that is ahead of its flow.").or("0").under("flow_id")
        .idle("a job that is ahead of its flow waits as long as it must");
}
