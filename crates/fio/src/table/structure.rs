//! Table: jobs, groups, order, placement, errors.

use super::row::*;

const WHY_PROFILE: &str = "built-in profiles of fio are not part of leadline";
/// What fio 3.33 does with `block=8192`, `numruns`, `dir` and `threads` in a job without a profile: it takes
/// them, and the block size stays 4096.
const WHY_NO_PROFILE: &str = "it belongs to a built-in profile of fio; without one fio accepts \
                              and ignores it (use bs for the block size, directory for the \
                              directory, numjobs for the number of workers)";
const WHY_CGROUP: &str = "leadline does not move itself between control groups; start it inside one, \
                      for example with systemd-run";
const WHY_NUMA: &str = "binding to memory nodes is not supported yet; use numactl, or cpus_allowed";

options! { "Jobs and groups",
    NAME: Text = opt("name",
        "Name of the job, in its own section; on the command line it also starts a new job.")
        .case("name=b", "0 b");
    DESCRIPTION: Text = opt("description", "A description of the job, repeated in the output.")
        .case("description=words", "description: words");
    NUMJOBS: Number = opt("numjobs", "Number of equal workers that follow the job.").or("1").within(1, 4096)
        .case("numjobs=3", "clones: 3");
    THREAD: Flag = opt("thread", "Workers are threads; in leadline they always are.")
        .case("thread", "");
    STONEWALL: Flag = opt("stonewall", "Starts when all jobs before it have ended, in a new \
                                        report group.")
        .alias(&["wait_for_previous"]).case("name=y stonewall", "1 y");
    WAIT_FOR: Text = opt("wait_for", "Starts when the job of this name has ended.")
        .case("name=y wait_for=w", "start.after: w");
    NEW_GROUP: Flag = opt("new_group", "Opens a new report group without waiting.")
        .case("name=y new_group", "group: 1");
    GROUP_REPORTING: Flag = opt("group_reporting", "Shows the jobs of a group as one record.")
        .case("group_reporting", "merge_group: true");
    EXITALL: Flag = opt("exitall", "When this job ends, others end too; exit_what says which.")
        .case("exitall", "stop.ends_others: Group");
    EXIT_WHAT: Choice = choice("exit_what", &["group", "stonewall", "all"], "Which jobs exitall ends.")
        .or("group").case("exitall exit_what=all", "stop.ends_others: All");
    EXITALL_ON_ERROR: Flag = opt("exitall_on_error", "An error in this job ends all jobs.")
        .case("exitall_on_error", "on_error.end_all: true");
    CPUS_ALLOWED: List = opt("cpus_allowed", "CPUs the workers may run on, as numbers and ranges: `0,2-3`.")
        .case("cpus_allowed=0,2-3", "placement.cpus: [0,2,3]");
    CPUS_ALLOWED_POLICY: Choice = choice("cpus_allowed_policy", &["shared", "split"],
        "Whether each worker may use all of cpus_allowed, or gets one CPU of it in turn.")
        .or("shared").under("cpus_allowed")
        .case("cpus_allowed=0-1 cpus_allowed_policy=split", "placement.split_cpus: true");
    CPUMASK: Number = opt("cpumask", "CPUs the workers may run on, as a mask of bits.")
        .case("cpumask=0x5", "placement.cpus: [0,2]");
    NUMA_CPU_NODES: Text = opt("numa_cpu_nodes", "Memory nodes whose CPUs the workers may run on.").no(WHY_NUMA);
    NUMA_MEM_POLICY: Text = opt("numa_mem_policy", "Memory nodes buffers come from.").no(WHY_NUMA);
    NICE: Number = opt("nice", "Nice value of the workers.").or("0").within(-20, 19)
        .case("nice=-5", "placement.nice: -5");
    PRIO: Number = opt("prio", "I/O priority within its class; 0 is the highest.").within(0, 7)
        .case("prio=3", "placement.io_priority: [2,3]");
    PRIOCLASS: Number = opt("prioclass", "I/O priority class: 1 real time, 2 best effort, 3 idle.").within(0, 3)
        .case("prioclass=1", "placement.io_priority: [1,0]");
    PRIOHINT: Number = opt("priohint", "Hint sent along with the I/O priority.").within(0, 1023)
        .no("I/O hints with the priority are not supported yet");
    COMM: Text = opt("comm", "Name of the worker as the process list shows it.")
        .idle("workers are named by leadline");
    MEM: Choice = choice("mem", &["malloc", "shm", "shmhuge", "mmap", "mmapshared", "mmaphuge", "cudamalloc"],
        "What the I/O buffers are made of.")
        .alias(&["iomem"]).suffixed().or("malloc")
        .only(&["malloc", "shm", "shmhuge", "mmap", "mmapshared", "mmaphuge"],
            "memory of a GPU and buffers in a file (`mmap:FILE`) are not supported")
        .case("mem=mmaphuge", "placement.memory: Huge");
    IOMEM_ALIGN: Number = opt("iomem_align", "Extra alignment of the I/O buffers in bytes.")
        .alias(&["mem_align"]).or("0").within(0, 1 << 30).under("mem")
        .case("iomem_align=64k", "placement.buffer_align: 65536");
    HUGEPAGE_SIZE: Number = opt("hugepage-size", "Size of a huge page.").or("2097152")
        .idle("the kernel's default size of huge pages is used");
    LOCKMEM: Number = opt("lockmem", "Bytes of memory to lock, to leave less for the page cache.").or("0")
        .case("lockmem=1m", "placement.lock_memory: 1048576");
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
    ], "Counts I/O errors (EIO and EILSEQ) of these operations and continues.")
        .or("none").case("continue_on_error=read", "on_error.go_on.read: true");
    IGNORE_ERROR: List = opt("ignore_error",
        "Error names or numbers not to count: lists with `:`, for read,write,verify.")
        .case("ignore_error=EIO", "on_error.ignore.read: [5]");
    ERROR_DUMP: Bool = opt("error_dump", "Prints each error that is ignored.").or("0")
        .idle("errors are counted by number and shown with the result");
    MAX_LATENCY: TimePerOp = opt("max_latency", "One I/O slower than this ends the job with an error.")
        .case("max_latency=5ms", "on_error.max_latency: 5000000");
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
    FLOW: Number = opt("flow", "This job's share of the I/Os of its flow.").or("0")
        .within(-1000, 1000).under("flow_id")
        .but("a negative share next to other jobs of the flow is not supported").case("flow=3", "share: 3.0");
    FLOW_ID: Number = opt("flow_id", "Which flow the job belongs to.").or("0")
        .case("flow=1 flow_id=7", "admission: {Shares:{borrowable:null,group:7}}");
    FLOW_WATERMARK: Number = opt("flow_watermark", "No longer used by fio.").idle("fio also \
                                                                                   ignores it");
    FLOW_SLEEP: Number = opt("flow_sleep", "Pause of a job that is ahead of its flow.").or("0").under("flow_id")
        .idle("a job that is ahead of its flow waits as long as necessary");
}
