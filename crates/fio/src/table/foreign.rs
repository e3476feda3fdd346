//! Table: engines and their options, with those of engines that need another storage system.

use super::row::*;
use leadline_model::plan::EngineKind;

const URING_CMD: &[&str] = &["io_uring_cmd"];
const WHY_PRIO: &str =
    "priorities of single I/Os are not supported yet; use prio and prioclass for the whole job";
const WHY_CMD: &str =
    "passthrough commands (io_uring_cmd) are not supported; use io_uring on the block device";
const WHY_CPU: &str =
    "an engine that only uses CPU time does no I/O; run stress-ng or similar at the same time";
const WHY_NET: &str = "network engines do no storage I/O; use iperf3 or the like";
const WHY_RBD: &str = "needs another storage system's engine (Ceph); map the image with `rbd map` and use io_uring \
                   on /dev/rbdN";
const WHY_HTTP: &str =
    "needs another storage system's engine (object storage over HTTP); use warp or the like";
const WHY_SPDK: &str = "needs another storage system's engine (SPDK); rebind the device to the \
                        kernel driver and use io_uring";
const WHY_XNVME: &str = "needs another storage system's engine (xNVMe); use io_uring";
const WHY_BLKIO: &str = "needs another storage system's engine (libblkio); use io_uring";
const WHY_GPU: &str = "needs another storage system's engine (GPU direct storage); use io_uring";
const WHY_GLUSTER: &str =
    "needs another storage system's engine (Gluster); mount the volume and use io_uring";
const WHY_OTHER: &str = "needs another storage system's engine; use io_uring";
const WHY_RDMA: &str =
    "needs another storage system's engine (RDMA); use perftest, or io_uring on a mount";
const WHY_DEFRAG: &str =
    "the e4defrag engine moves extents and does no I/O of its own; use io_uring";
const WHY_SG: &str = "SCSI passthrough is not supported; use io_uring on the block device";

const _: () = {
    let mut at = 0;
    while at < FOREIGN.len() {
        assert!(
            EngineKind::named(FOREIGN[at].name).is_none(),
            "a name of leadline's own, which comes first"
        );
        at += 1;
    }
};

/// The engines that something stands for: leadline's own, and of fio's those that are not refused.
const RUNS: &[&str] = &{
    let mut names = [""; EngineKind::ALL.len() + FOREIGN_THAT_RUN];
    let (mut at, mut own, mut other) = (0, 0, 0);
    while at < names.len() {
        if own < EngineKind::ALL.len() {
            names[at] = EngineKind::ALL[own].name();
            own += 1;
            at += 1;
            continue;
        }
        if !FOREIGN[other].is_refused() {
            names[at] = FOREIGN[other].name;
            at += 1;
        }
        other += 1;
    }
    names
};

const FOREIGN_THAT_RUN: usize = {
    let (mut count, mut at) = (0, 0);
    while at < FOREIGN.len() {
        count += !FOREIGN[at].is_refused() as usize;
        at += 1;
    }
    count
};

options! { "Engines",
    IOENGINE: Text = opt("ioengine", "How the I/O is done.").or("psync")
        .only(RUNS, "the others are refused with the reason (see `ioengine` below)")
        .case("ioengine=io_uring", "engine.kind: io_uring");
    SIM: List = opt("sim", "The simulated device of ioengine=sim: `size=1g,service=100us,parallel=32`.")
        .of(&["sim"]).case("ioengine=sim sim=size=2g", "size:2147483648");
    HIPRI: Flag = opt("hipri", "Polls for completions.")
        .of(&["io_uring", "pvsync2", "sg", "io_uring_cmd", "xnvme"])
        .case("ioengine=io_uring direct=1 hipri", "engine.poll_completions: true");
    HIPRI_PERCENTAGE: Number = opt("hipri_percentage", "Share of I/Os that are polled for.").or("100")
        .within(0, 100).of(&["pvsync2"])
        .only(&["100"], "polling for a share of the I/Os is not supported; use hipri");
    FIXEDBUFS: Flag = opt("fixedbufs", "Registers the I/O buffers; leadline always does if \
                                        possible.")
        .of(&["io_uring", "io_uring_cmd"]).case("ioengine=io_uring fixedbufs", "");
    REGISTERFILES: Flag = opt("registerfiles", "Registers the files; leadline always does if \
                                                possible.")
        .of(&["io_uring", "io_uring_cmd"]).case("ioengine=io_uring registerfiles", "");
    SQTHREAD_POLL: Flag = opt("sqthread_poll", "A kernel thread polls for submissions.")
        .of(&["io_uring", "io_uring_cmd"])
        .case("ioengine=io_uring sqthread_poll", "engine.poll_submissions: true");
    SQTHREAD_POLL_CPU: Number = opt("sqthread_poll_cpu", "CPU of the submission thread.").within(0, 65_535)
        .of(&["io_uring", "io_uring_cmd"]).case("ioengine=io_uring sqthread_poll_cpu=1", "engine.poll_cpu: 1");
    NONVECTORED: Number = opt("nonvectored",
        "Uses READ and WRITE rather than READV and WRITEV; leadline always does.")
        .or("-1").within(-1, 1).of(&["io_uring", "io_uring_cmd"]).case("ioengine=io_uring nonvectored=1", "");
    UNCACHED: Number = opt("uncached", "Drops the pages an I/O brought into the cache \
                                        (RWF_DONTCACHE).").within(0, 1)
        .of(&["io_uring", "pvsync2", "io_uring_cmd"])
        .case("ioengine=io_uring uncached=1", "engine.uncached: true");
    NOWAIT: Bool = opt("nowait", "I/Os that would block fail with EAGAIN (RWF_NOWAIT).")
        .of(&["io_uring", "libaio", "pvsync2", "io_uring_cmd"])
        .case("ioengine=io_uring nowait=1", "engine.nowait: true");
    FORCE_ASYNC: Number = opt("force_async", "Every n-th I/O goes to a kernel worker.")
        .within(0, u32::MAX as i64).of(&["io_uring", "io_uring_cmd"])
        .case("ioengine=io_uring force_async=4", "engine.force_async: 4");
    USERSPACE_REAP: Flag = opt("userspace_reap", "Reads completions from user space; leadline always does.")
        .of(&["libaio"]).case("ioengine=libaio userspace_reap", "");
    LIBAIO_VECTORED: Bool = opt("libaio_vectored", "Uses vectored requests.").of(&["libaio"])
        .idle("one buffer per I/O makes no difference to the device");
    CMDPRIO_PERCENTAGE: PerOp = opt("cmdprio_percentage", "Share of I/Os with a priority.").within(0, 100)
        .of(&["io_uring", "libaio", "io_uring_cmd"]).no(WHY_PRIO);
    CMDPRIO_CLASS: PerOp = opt("cmdprio_class", "Priority class of those I/Os.").within(1, 3)
        .of(&["io_uring", "libaio", "io_uring_cmd"]).no(WHY_PRIO);
    CMDPRIO_HINT: PerOp = opt("cmdprio_hint", "Hint of those I/Os.").within(0, 1023)
        .of(&["io_uring", "libaio", "io_uring_cmd"]).no(WHY_PRIO);
    CMDPRIO: PerOp = opt("cmdprio", "Priority of those I/Os.").within(0, 7)
        .of(&["io_uring", "libaio", "io_uring_cmd"]).no(WHY_PRIO);
    CMDPRIO_BSSPLIT: Text = opt("cmdprio_bssplit", "Priorities by block size.")
        .of(&["io_uring", "libaio", "io_uring_cmd"]).no(WHY_PRIO);
    THP: Number = opt("thp", "Asks for huge pages under the mapping.").of(&["mmap"])
        .idle("the kernel's own choice is kept");
    READFUA: Bool = opt("readfua", "Reads with forced unit access.").or("0")
        .of(&["io_uring", "io_uring_cmd", "sg"]).no(WHY_CMD);
    WRITEFUA: Bool = opt("writefua", "Writes with forced unit access.").or("0")
        .of(&["io_uring", "io_uring_cmd", "sg"]).no(WHY_CMD);
    WRITE_MODE: Text = opt("write_mode", "Which command a write is.").or("write").of(URING_CMD).no(WHY_CMD);
    VERIFY_MODE: Text = opt("verify_mode", "Which command a verification is.").or("read").of(URING_CMD).no(WHY_CMD);
    READ_MODE: Text = opt("read_mode", "Which command a read is.").or("read").of(URING_CMD).no(WHY_CMD);
    CMD_TYPE: Choice = choice("cmd_type", &["nvme", "bsg"], "Kind of passthrough command.").or("nvme")
        .of(URING_CMD).no(WHY_CMD);
    CDB_LEN: Text = opt("cdb_len", "Length of the SCSI command.").or("0").of(URING_CMD).no(WHY_CMD);
    VERIFY_BYTCHK: Text = opt("verify_bytchk", "What a SCSI verify compares.").or("0").of(URING_CMD).no(WHY_CMD);
    MD_PER_IO_SIZE: Number = opt("md_per_io_size", "Bytes of separate metadata.").or("0")
        .of(&["io_uring", "io_uring_cmd"]).no(WHY_CMD);
    PI_ACT: Bool = opt("pi_act", "Who generates protection information.").or("1").of(URING_CMD).no(WHY_CMD);
    PI_CHK: Text = opt("pi_chk", "Which protection information is checked.").of(URING_CMD).no(WHY_CMD);
    APPTAG: Number = opt("apptag", "Application tag.").or("0x1234").of(URING_CMD).no(WHY_CMD);
    APPTAG_MASK: Number = opt("apptag_mask", "Mask of the application tag.").or("0xffff").of(URING_CMD).no(WHY_CMD);
    DEAC: Bool = opt("deac", "Deallocates on write zeroes.").or("0").of(&["io_uring", "io_uring_cmd"]).no(WHY_CMD);
    CPULOAD: Number = opt("cpuload", "Share of a CPU to use up.").within(0, 100).of(&["cpuio"]).no(WHY_CPU);
    CPUMODE: Text = opt("cpumode", "How CPU time is used up.").or("noop").of(&["cpuio"]).no(WHY_CPU);
    CPUCHUNKS: Number = opt("cpuchunks", "Cycles of one unit of load.").or("50000").under("cpuload")
        .of(&["cpuio"]).no(WHY_CPU);
    EXIT_ON_IO_DONE: Bool = opt("exit_on_io_done", "Ends with the last I/O job.").or("0").of(&["cpuio"]).no(WHY_CPU);
    HOSTNAME: Text = opt("hostname", "Peer of a network engine.").of(&["net", "netsplice", "rdma"]).no(WHY_NET);
    PORT: Number = opt("port", "Port of a network engine.").within(1, 65_535).of(&["net", "netsplice", "rdma"])
        .no(WHY_NET);
    PROTOCOL: Text = opt("protocol", "Protocol of a network engine.").alias(&["proto"])
        .of(&["net", "netsplice"]).no(WHY_NET);
    NODELAY: Bool = opt("nodelay", "Sets TCP_NODELAY.").of(&["net", "netsplice"]).no(WHY_NET);
    LISTEN: Flag = opt("listen", "Waits for a connection.").of(&["net", "netsplice"]).no(WHY_NET);
    PINGPONG: Flag = opt("pingpong", "Answers each message.").of(&["net", "netsplice"]).no(WHY_NET);
    INTERFACE: Text = opt("interface", "Network interface.").of(&["net", "netsplice"]).no(WHY_NET);
    TTL: Number = opt("ttl", "Time to live of packets.").or("1").of(&["net", "netsplice"]).no(WHY_NET);
    WINDOW_SIZE: Number = opt("window_size", "TCP window.").of(&["net", "netsplice"]).no(WHY_NET);
    MSS: Number = opt("mss", "TCP segment size.").of(&["net", "netsplice"]).no(WHY_NET);
    STAT_TYPE: Text = opt("stat_type", "Which stat call to time.").or("stat").of(&["filestat", "dirstat"])
        .no("engines that time metadata calls are not supported yet");
    PROGRAM: Text = opt("program", "Program to run.").of(&["exec"]).no("jobs do not start commands");
    ARGUMENTS: Text = opt("arguments", "Arguments of the program.").of(&["exec"])
        .no("jobs do not start commands");
    GRACE_TIME: Number = opt("grace_time", "Time allowed for the program to end.").or("1").of(&["exec"])
        .no("jobs do not start commands");
    STD_REDIRECT: Bool = opt("std_redirect", "Redirects the program's output.").or("1").of(&["exec"])
        .no("jobs do not start commands");
    NFS_URL: Text = opt("nfs_url", "Address of an NFS export, without a mount.").of(&["nfs"])
        .no("NFS without a mount is not supported yet; mount the export and use io_uring");
    DONORNAME: Text = opt("donorname", "File that donates its extents.").of(&["e4defrag"]).no(WHY_DEFRAG);
    INPLACE: Number = opt("inplace", "Defragments in place.").within(0, 1).of(&["e4defrag"]).no(WHY_DEFRAG);
    SKIP_BAD: Bool = opt("skip_bad", "Skips bad flash blocks.").or("0").of(&["mtd"])
        .no("raw flash (mtd) is not supported");
    SG_WRITE_MODE: Text = opt("sg_write_mode", "Which SCSI command a write is.").or("write").of(&["sg"]).no(WHY_SG);
    STREAM_ID: Number = opt("stream_id", "SCSI stream of a write.").or("0").of(&["sg"]).no(WHY_SG);
    CLUSTERNAME: Text = opt("clustername", "Cluster of the Ceph engines.").of(&["rbd", "rados"]).no(WHY_RBD);
    RBDNAME: Text = opt("rbdname", "Image of the rbd engine.").of(&["rbd"]).no(WHY_RBD);
    POOL: Text = opt("pool", "Pool of the Ceph engines.").of(&["rbd", "rados"]).no(WHY_RBD);
    CLIENTNAME: Text = opt("clientname", "User of the Ceph engines.").of(&["rbd", "rados"]).no(WHY_RBD);
    CONF: Text = opt("conf", "Ceph configuration file.").of(&["rados"]).no(WHY_RBD);
    BUSY_POLL: Bool = opt("busy_poll", "Polls for Ceph completions.").of(&["rbd", "rados"]).no(WHY_RBD);
    TOUCH_OBJECTS: Bool = opt("touch_objects", "Creates the objects first.").of(&["rados"]).no(WHY_RBD);
    HTTPS: Text = opt("https", "Whether the http engine uses TLS.").of(&["http"]).no(WHY_HTTP);
    HTTP_HOST: Text = opt("http_host", "Peer of the http engine.").of(&["http"]).no(WHY_HTTP);
    HTTP_USER: Text = opt("http_user", "User of the http engine.").of(&["http"]).no(WHY_HTTP);
    HTTP_PASS: Text = opt("http_pass", "Password of the http engine.").of(&["http"]).no(WHY_HTTP);
    HTTP_MODE: Text = opt("http_mode", "Protocol of the http engine.").of(&["http"]).no(WHY_HTTP);
    HTTP_VERBOSE: Number = opt("http_verbose", "Tracing of the http engine.").of(&["http"]).no(WHY_HTTP);
    HTTP_S3_KEY: Text = opt("http_s3_key", "S3 secret key.").of(&["http"]).no(WHY_HTTP);
    HTTP_S3_KEYID: Text = opt("http_s3_keyid", "Name of the S3 key.").of(&["http"]).no(WHY_HTTP);
    HTTP_S3_REGION: Text = opt("http_s3_region", "Region of the S3 store.").of(&["http"]).no(WHY_HTTP);
    HTTP_S3_SSE_CUSTOMER_KEY: Text = opt("http_s3_sse_customer_key", "S3 encryption key.").of(&["http"])
        .no(WHY_HTTP);
    HTTP_S3_SSE_CUSTOMER_ALGORITHM: Text = opt("http_s3_sse_customer_algorithm", "S3 encryption algorithm.")
        .of(&["http"]).no(WHY_HTTP);
    HTTP_S3_STORAGE_CLASS: Text = opt("http_s3_storage_class", "S3 storage class.").of(&["http"]).no(WHY_HTTP);
    HTTP_SWIFT_AUTH_TOKEN: Text = opt("http_swift_auth_token", "Swift token.").of(&["http"]).no(WHY_HTTP);
    SPDK_CONF: Text = opt("spdk_conf", "SPDK configuration.").of(&["spdk_bdev"]).no(WHY_SPDK);
    SPDK_JSON_CONF: Text = opt("spdk_json_conf", "SPDK configuration.").of(&["spdk_bdev"]).no(WHY_SPDK);
    SPDK_MEM: Text = opt("spdk_mem", "Memory of SPDK.").of(&["spdk_bdev"]).no(WHY_SPDK);
    SPDK_SINGLE_SEG: Text = opt("spdk_single_seg", "Memory of SPDK.").of(&["spdk_bdev"]).no(WHY_SPDK);
    XNVME_ASYNC: Text = opt("xnvme_async", "Asynchronous interface of xNVMe.").of(&["xnvme"]).no(WHY_XNVME);
    XNVME_BE: Text = opt("xnvme_be", "Back end of xNVMe.").of(&["xnvme"]).no(WHY_XNVME);
    XNVME_SYNC: Text = opt("xnvme_sync", "Synchronous interface of xNVMe.").of(&["xnvme"]).no(WHY_XNVME);
    XNVME_DEV_NSID: Text = opt("xnvme_dev_nsid", "Namespace of xNVMe.").of(&["xnvme"]).no(WHY_XNVME);
    LIBBLKIO_DRIVER: Text = opt("libblkio_driver", "Driver of libblkio.").of(&["libblkio"]).no(WHY_BLKIO);
    LIBBLKIO_PATH: Text = opt("libblkio_path", "Device of libblkio.").of(&["libblkio"]).no(WHY_BLKIO);
    GPU_DEV_IDS: Text = opt("gpu_dev_ids", "GPUs of libcufile and the like.").of(&["libcufile"]).no(WHY_GPU);
    GPU_DEV_ID: Text = opt("gpu_dev_id", "GPU of librpma and the like.").of(&["libcufile"]).no(WHY_GPU);
    CUDA_IO: Text = opt("cuda_io", "Interface of libcufile.").of(&["libcufile"]).no(WHY_GPU);
    ROCM_IO: Text = opt("rocm_io", "Interface of libhipfile.").of(&["libhipfile"]).no(WHY_GPU);
    VERB: Text = opt("verb", "Operation of the rdma engine.").of(&["rdma"]).no(WHY_RDMA);
    VOLUME: Text = opt("volume", "Gluster volume.").of(&["gfapi"]).no(WHY_GLUSTER);
    BRICK: Text = opt("brick", "Gluster brick.").of(&["gfapi"]).no(WHY_GLUSTER);
    URI: Text = opt("uri", "Address of the nbd engine.").of(&["nbd"])
        .no("needs another storage system's engine (NBD); attach it with nbd-client and use io_uring");
    CONT: Text = opt("cont", "DAOS container.").of(&["dfs"]).no(WHY_OTHER);
    SVCL: Text = opt("svcl", "DAOS servers.").of(&["dfs"]).no(WHY_OTHER);
    CHUNK_SIZE: Text = opt("chunk_size", "Chunk size of HDFS or DAOS files.").of(&["dfs", "libhdfs"]).no(WHY_OTHER);
    NAMENODE: Text = opt("namenode", "HDFS name node.").of(&["libhdfs"]).no(WHY_OTHER);
    HDFSDIRECTORY: Text = opt("hdfsdirectory", "HDFS directory.").of(&["libhdfs"]).no(WHY_OTHER);
}

/// An engine as fio names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineSpec {
    /// Name.
    pub name: &'static str,
    /// What stands in for it.
    pub stand_in: StandIn,
}

impl EngineSpec {
    /// Whether nothing stands in for it.
    pub(crate) const fn is_refused(&self) -> bool {
        matches!(self.stand_in, StandIn::Refused(_))
    }
}

/// What leadline does for an engine of fio.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StandIn {
    /// The same by this back end.
    Same(EngineKind),
    /// This back end does what a user would want; the reason is reported.
    Instead(EngineKind, &'static str),
    /// Refused, for this reason.
    Refused(&'static str),
}

/// One of the model's table, which has to be in it.
const fn own(name: &'static str) -> EngineKind {
    match EngineKind::named(name) {
        Some(kind) => kind,
        None => panic!("the table of powers has no such back end"),
    }
}

/// fio's name for a back end of ours.
const fn same(name: &'static str, ours: &'static str) -> EngineSpec {
    EngineSpec {
        name,
        stand_in: StandIn::Same(own(ours)),
    }
}

const fn none(name: &'static str, reason: &'static str) -> EngineSpec {
    EngineSpec {
        name,
        stand_in: StandIn::Refused(reason),
    }
}

const WHY_METADATA: &str = "engines that time metadata calls are not supported yet";

/// Every engine of a job: leadline's own by the names they have everywhere, then fio's.
pub(crate) fn engines() -> impl Iterator<Item = EngineSpec> {
    let own = EngineKind::ALL.into_iter().map(|kind| EngineSpec {
        name: kind.name(),
        stand_in: StandIn::Same(kind),
    });
    own.chain(FOREIGN.iter().copied())
}

/// Engines that fio has by other names than leadline, or that leadline lacks.
const FOREIGN: &[EngineSpec] = &[
    same("sync", "psync"),
    same("vsync", "pvsync2"),
    same("pvsync", "pvsync2"),
    same("aio", "libaio"),
    same("linuxaio", "libaio"),
    EngineSpec {
        name: "posixaio",
        stand_in: StandIn::Instead(
            own("libaio"),
            "glibc's POSIX AIO is a pool of threads; the kernel's own AIO (libaio) is used, which \
                 measures the storage rather than the pool",
        ),
    },
    none("io_uring_cmd", WHY_CMD),
    none(
        "splice",
        "the splice engine is not supported; use psync or io_uring",
    ),
    none("netsplice", WHY_NET),
    none("net", WHY_NET),
    none("sg", WHY_SG),
    none("cpuio", WHY_CPU),
    none("e4defrag", WHY_DEFRAG),
    none("falloc", WHY_METADATA),
    none("ftruncate", WHY_METADATA),
    none("filecreate", WHY_METADATA),
    none("filestat", WHY_METADATA),
    none("filedelete", WHY_METADATA),
    none("dircreate", WHY_METADATA),
    none("dirstat", WHY_METADATA),
    none("dirdelete", WHY_METADATA),
    none("exec", "jobs do not start commands"),
    none("mtd", "raw flash (mtd) is not supported"),
    none(
        "external",
        "engines in shared objects need fio's own binary interface",
    ),
    none(
        "nbd",
        "needs another storage system's engine (NBD); attach it with nbd-client and use io_uring",
    ),
    none(
        "nfs",
        "NFS without a mount is not supported yet; mount the export and use io_uring",
    ),
    none("rbd", WHY_RBD),
    none("rados", WHY_RBD),
    none("libcephfs", WHY_RBD),
    none("http", WHY_HTTP),
    none("spdk", WHY_SPDK),
    none("spdk_bdev", WHY_SPDK),
    none("xnvme", WHY_XNVME),
    none("libblkio", WHY_BLKIO),
    none("libcufile", WHY_GPU),
    none("libhipfile", WHY_GPU),
    none("gfapi", WHY_GLUSTER),
    none("gfapi_async", WHY_GLUSTER),
    none("rdma", WHY_RDMA),
    none("librpma_apm_client", WHY_RDMA),
    none("librpma_apm_server", WHY_RDMA),
    none("librpma_gpspm_client", WHY_RDMA),
    none("librpma_gpspm_server", WHY_RDMA),
    none("libhdfs", WHY_OTHER),
    none("libiscsi", WHY_OTHER),
    none("dfs", WHY_OTHER),
    none("ime_psync", WHY_OTHER),
    none("ime_psyncv", WHY_OTHER),
    none("ime_aio", WHY_OTHER),
    none(
        "libpmem",
        "persistent memory engines are not supported; use mmap on a DAX mount",
    ),
    none(
        "pmemblk",
        "persistent memory engines are not supported; use mmap on a DAX mount",
    ),
    none(
        "libpmemblk",
        "persistent memory engines are not supported; use mmap on a DAX mount",
    ),
    none(
        "dev-dax",
        "persistent memory engines are not supported; use mmap on a DAX mount",
    ),
    none(
        "windowsaio",
        "this engine is of another operating system; use io_uring",
    ),
    none(
        "solarisaio",
        "this engine is of another operating system; use io_uring",
    ),
    none(
        "guasi",
        "this engine is no longer part of fio; use io_uring",
    ),
];
