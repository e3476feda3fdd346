//! Engines and their options, with those of engines that need another storage system.

use super::{Kind, OptionSpec, opt};
use leadline_model::plan::EngineKind;

const URING_CMD: &[&str] = &["io_uring_cmd"];
const PRIO: &str =
    "priorities of single I/Os are not supported yet; use prio and prioclass for the whole job";
const CMD: &str =
    "passthrough commands (io_uring_cmd) are not supported; use io_uring on the block device";
const CPU: &str =
    "an engine that only burns CPU does no I/O; run stress-ng or the like beside leadline";
const NET: &str = "network engines do no storage I/O; use iperf3 or the like";
const RBD: &str = "needs another storage system's engine (Ceph); map the image with `rbd map` and use io_uring \
                   on /dev/rbdN";
const HTTP: &str =
    "needs another storage system's engine (object storage over HTTP); use warp or the like";
const SPDK: &str = "needs another storage system's engine (SPDK); give the device back to the kernel and use io_uring";
const XNVME: &str = "needs another storage system's engine (xNVMe); use io_uring";
const BLKIO: &str = "needs another storage system's engine (libblkio); use io_uring";
const GPU: &str = "needs another storage system's engine (GPU direct storage); use io_uring";
const GLUSTER: &str =
    "needs another storage system's engine (Gluster); mount the volume and use io_uring";
const OTHER: &str = "needs another storage system's engine; use io_uring";
const RDMA: &str =
    "needs another storage system's engine (RDMA); use perftest, or io_uring on a mount";
const DEFRAG: &str = "the e4defrag engine moves extents and does no I/O of its own; use io_uring";
const SG: &str = "SCSI passthrough is not supported; use io_uring on the block device";

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

pub(super) const OPTIONS: &[OptionSpec] = &[
    opt("ioengine", Kind::Text, "How the I/O is done.").or("psync")
        .only(RUNS, "the others are refused, each with its reason (see `ioengine` below)"),
    opt("sim", Kind::List, "The simulated device of ioengine=sim: `size=1g,service=100us,parallel=32`.").of(&["sim"]),
    opt("hipri", Kind::Flag, "Polls for completions.").of(&["io_uring", "pvsync2", "sg", "io_uring_cmd", "xnvme"]),
    opt("hipri_percentage", Kind::Number, "Share of I/Os that are polled for.")
        .or("100").within(0, 100).of(&["pvsync2"])
        .only(&["100"], "polling for a share of the I/Os is not supported; use hipri"),
    opt("fixedbufs", Kind::Flag, "Registers the I/O buffers; leadline always does where it can.").of(&["io_uring", "io_uring_cmd"]),
    opt("registerfiles", Kind::Flag, "Registers the files; leadline always does where it can.").of(&["io_uring", "io_uring_cmd"]),
    opt("sqthread_poll", Kind::Flag, "A kernel thread takes the submissions.").of(&["io_uring", "io_uring_cmd"]),
    opt("sqthread_poll_cpu", Kind::Number, "CPU of that thread.").within(0, 65_535).of(&["io_uring", "io_uring_cmd"]),
    opt("nonvectored", Kind::Number, "Uses READ and WRITE rather than READV and WRITEV; leadline always does.")
        .or("-1").within(-1, 1).of(&["io_uring", "io_uring_cmd"]),
    opt("uncached", Kind::Number, "Drops what an I/O brought into the cache (RWF_DONTCACHE).")
        .within(0, 1).of(&["io_uring", "pvsync2", "io_uring_cmd"]),
    opt("nowait", Kind::Bool, "I/Os that would block fail with EAGAIN (RWF_NOWAIT).")
        .of(&["io_uring", "libaio", "pvsync2", "io_uring_cmd"]),
    opt("force_async", Kind::Number, "Every n-th I/O goes to a kernel worker.").within(0, u32::MAX as i64)
        .of(&["io_uring", "io_uring_cmd"]),
    opt("userspace_reap", Kind::Flag, "Reads completions from user space; leadline always does.").of(&["libaio"]),
    opt("libaio_vectored", Kind::Bool, "Uses vectored requests.").of(&["libaio"])
        .idle("one buffer for each I/O is the same to the device"),
    opt("cmdprio_percentage", Kind::PerOp, "Share of I/Os with a priority.").within(0, 100).of(&["io_uring", "libaio", "io_uring_cmd"]).no(PRIO),
    opt("cmdprio_class", Kind::PerOp, "Priority class of those I/Os.").within(1, 3).of(&["io_uring", "libaio", "io_uring_cmd"]).no(PRIO),
    opt("cmdprio_hint", Kind::PerOp, "Hint of those I/Os.").within(0, 1023).of(&["io_uring", "libaio", "io_uring_cmd"]).no(PRIO),
    opt("cmdprio", Kind::PerOp, "Priority of those I/Os.").within(0, 7).of(&["io_uring", "libaio", "io_uring_cmd"]).no(PRIO),
    opt("cmdprio_bssplit", Kind::Text, "Priorities by block size.").of(&["io_uring", "libaio", "io_uring_cmd"]).no(PRIO),
    opt("thp", Kind::Number, "Asks for huge pages under the mapping.").of(&["mmap"])
        .idle("the kernel's own choice is kept"),
    opt("readfua", Kind::Bool, "Reads with forced unit access.").or("0").of(&["io_uring", "io_uring_cmd", "sg"]).no(CMD),
    opt("writefua", Kind::Bool, "Writes with forced unit access.").or("0").of(&["io_uring", "io_uring_cmd", "sg"]).no(CMD),
    opt("write_mode", Kind::Text, "Which command a write is.").or("write").of(URING_CMD).no(CMD),
    opt("verify_mode", Kind::Text, "Which command a verification is.").or("read").of(URING_CMD).no(CMD),
    opt("read_mode", Kind::Text, "Which command a read is.").or("read").of(URING_CMD).no(CMD),
    opt("cmd_type", Kind::Choice(&["nvme", "bsg"]), "Kind of passthrough command.").or("nvme").of(URING_CMD).no(CMD),
    opt("cdb_len", Kind::Text, "Length of a SCSI command.").or("0").of(URING_CMD).no(CMD),
    opt("verify_bytchk", Kind::Text, "What a SCSI verify compares.").or("0").of(URING_CMD).no(CMD),
    opt("md_per_io_size", Kind::Number, "Bytes of separate metadata.").or("0").of(&["io_uring", "io_uring_cmd"]).no(CMD),
    opt("pi_act", Kind::Bool, "Who makes protection information.").or("1").of(URING_CMD).no(CMD),
    opt("pi_chk", Kind::Text, "Which protection information is checked.").of(URING_CMD).no(CMD),
    opt("apptag", Kind::Number, "Application tag.").or("0x1234").of(URING_CMD).no(CMD),
    opt("apptag_mask", Kind::Number, "Mask of the application tag.").or("0xffff").of(URING_CMD).no(CMD),
    opt("deac", Kind::Bool, "Deallocates on write zeroes.").or("0").of(&["io_uring", "io_uring_cmd"]).no(CMD),
    opt("cpuload", Kind::Number, "Share of a CPU to burn.").within(0, 100).of(&["cpuio"]).no(CPU),
    opt("cpumode", Kind::Text, "How the CPU is burnt.").or("noop").of(&["cpuio"]).no(CPU),
    opt("cpuchunks", Kind::Number, "Cycles of one unit of load.").or("50000").under("cpuload").of(&["cpuio"]).no(CPU),
    opt("exit_on_io_done", Kind::Bool, "Ends with the last I/O job.").or("0").of(&["cpuio"]).no(CPU),
    opt("hostname", Kind::Text, "Peer of a network engine.").of(&["net", "netsplice", "rdma"]).no(NET),
    opt("port", Kind::Number, "Port of a network engine.").within(1, 65_535).of(&["net", "netsplice", "rdma"]).no(NET),
    opt("protocol", Kind::Text, "Protocol of a network engine.").alias(&["proto"]).of(&["net", "netsplice"]).no(NET),
    opt("nodelay", Kind::Bool, "Sets TCP_NODELAY.").of(&["net", "netsplice"]).no(NET),
    opt("listen", Kind::Flag, "Waits for a connection.").of(&["net", "netsplice"]).no(NET),
    opt("pingpong", Kind::Flag, "Answers each message.").of(&["net", "netsplice"]).no(NET),
    opt("interface", Kind::Text, "Network interface.").of(&["net", "netsplice"]).no(NET),
    opt("ttl", Kind::Number, "Time to live of packets.").or("1").of(&["net", "netsplice"]).no(NET),
    opt("window_size", Kind::Number, "TCP window.").of(&["net", "netsplice"]).no(NET),
    opt("mss", Kind::Number, "TCP segment size.").of(&["net", "netsplice"]).no(NET),
    opt("stat_type", Kind::Text, "Which stat call to time.").or("stat").of(&["filestat", "dirstat"])
        .no("engines that time metadata calls are not supported yet"),
    opt("program", Kind::Text, "Program to run.").of(&["exec"]).no("jobs do not start commands"),
    opt("arguments", Kind::Text, "Arguments of the program.").of(&["exec"]).no("jobs do not start commands"),
    opt("grace_time", Kind::Number, "Time the program has to end.").or("1").of(&["exec"]).no("jobs do not start commands"),
    opt("std_redirect", Kind::Bool, "Redirects the program's output.").or("1").of(&["exec"]).no("jobs do not start commands"),
    opt("nfs_url", Kind::Text, "Address of an NFS export, without a mount.").of(&["nfs"])
        .no("NFS without a mount is not supported yet; mount the export and use io_uring"),
    opt("donorname", Kind::Text, "File that lends its extents.").of(&["e4defrag"]).no(DEFRAG),
    opt("inplace", Kind::Number, "Defragments in place.").within(0, 1).of(&["e4defrag"]).no(DEFRAG),
    opt("skip_bad", Kind::Bool, "Skips bad flash blocks.").or("0").of(&["mtd"]).no("raw flash (mtd) is not supported"),
    opt("sg_write_mode", Kind::Text, "Which SCSI command a write is.").or("write").of(&["sg"]).no(SG),
    opt("stream_id", Kind::Number, "SCSI stream of a write.").or("0").of(&["sg"]).no(SG),
    opt("clustername", Kind::Text, "Cluster of the Ceph engines.").of(&["rbd", "rados"]).no(RBD),
    opt("rbdname", Kind::Text, "Image of the rbd engine.").of(&["rbd"]).no(RBD),
    opt("pool", Kind::Text, "Pool of the Ceph engines.").of(&["rbd", "rados"]).no(RBD),
    opt("clientname", Kind::Text, "User of the Ceph engines.").of(&["rbd", "rados"]).no(RBD),
    opt("conf", Kind::Text, "Ceph configuration file.").of(&["rados"]).no(RBD),
    opt("busy_poll", Kind::Bool, "Polls for Ceph completions.").of(&["rbd", "rados"]).no(RBD),
    opt("touch_objects", Kind::Bool, "Creates the objects first.").of(&["rados"]).no(RBD),
    opt("https", Kind::Text, "Whether the http engine uses TLS.").of(&["http"]).no(HTTP),
    opt("http_host", Kind::Text, "Peer of the http engine.").of(&["http"]).no(HTTP),
    opt("http_user", Kind::Text, "User of the http engine.").of(&["http"]).no(HTTP),
    opt("http_pass", Kind::Text, "Password of the http engine.").of(&["http"]).no(HTTP),
    opt("http_mode", Kind::Text, "Protocol of the http engine.").of(&["http"]).no(HTTP),
    opt("http_verbose", Kind::Number, "Tracing of the http engine.").of(&["http"]).no(HTTP),
    opt("http_s3_key", Kind::Text, "S3 secret key.").of(&["http"]).no(HTTP),
    opt("http_s3_keyid", Kind::Text, "Name of the S3 key.").of(&["http"]).no(HTTP),
    opt("http_s3_region", Kind::Text, "Region of the S3 store.").of(&["http"]).no(HTTP),
    opt("http_s3_sse_customer_key", Kind::Text, "S3 encryption key.").of(&["http"]).no(HTTP),
    opt("http_s3_sse_customer_algorithm", Kind::Text, "S3 encryption algorithm.").of(&["http"]).no(HTTP),
    opt("http_s3_storage_class", Kind::Text, "S3 storage class.").of(&["http"]).no(HTTP),
    opt("http_swift_auth_token", Kind::Text, "Swift token.").of(&["http"]).no(HTTP),
    opt("spdk_conf", Kind::Text, "SPDK configuration.").of(&["spdk_bdev"]).no(SPDK),
    opt("spdk_json_conf", Kind::Text, "SPDK configuration.").of(&["spdk_bdev"]).no(SPDK),
    opt("spdk_mem", Kind::Text, "Memory of SPDK.").of(&["spdk_bdev"]).no(SPDK),
    opt("spdk_single_seg", Kind::Text, "Memory of SPDK.").of(&["spdk_bdev"]).no(SPDK),
    opt("xnvme_async", Kind::Text, "Asynchronous interface of xNVMe.").of(&["xnvme"]).no(XNVME),
    opt("xnvme_be", Kind::Text, "Back end of xNVMe.").of(&["xnvme"]).no(XNVME),
    opt("xnvme_sync", Kind::Text, "Synchronous interface of xNVMe.").of(&["xnvme"]).no(XNVME),
    opt("xnvme_dev_nsid", Kind::Text, "Namespace of xNVMe.").of(&["xnvme"]).no(XNVME),
    opt("libblkio_driver", Kind::Text, "Driver of libblkio.").of(&["libblkio"]).no(BLKIO),
    opt("libblkio_path", Kind::Text, "Device of libblkio.").of(&["libblkio"]).no(BLKIO),
    opt("gpu_dev_ids", Kind::Text, "GPUs of libcufile and the like.").of(&["libcufile"]).no(GPU),
    opt("gpu_dev_id", Kind::Text, "GPU of librpma and the like.").of(&["libcufile"]).no(GPU),
    opt("cuda_io", Kind::Text, "Interface of libcufile.").of(&["libcufile"]).no(GPU),
    opt("rocm_io", Kind::Text, "Interface of libhipfile.").of(&["libhipfile"]).no(GPU),
    opt("verb", Kind::Text, "Operation of the rdma engine.").of(&["rdma"]).no(RDMA),
    opt("volume", Kind::Text, "Gluster volume.").of(&["gfapi"]).no(GLUSTER),
    opt("brick", Kind::Text, "Gluster brick.").of(&["gfapi"]).no(GLUSTER),
    opt("uri", Kind::Text, "Address of the nbd engine.").of(&["nbd"])
        .no("needs another storage system's engine (NBD); attach it with nbd-client and use io_uring"),
    opt("cont", Kind::Text, "DAOS container.").of(&["dfs"]).no(OTHER),
    opt("svcl", Kind::Text, "DAOS servers.").of(&["dfs"]).no(OTHER),
    opt("chunk_size", Kind::Text, "Chunk size of HDFS or DAOS files.").of(&["dfs", "libhdfs"]).no(OTHER),
    opt("namenode", Kind::Text, "HDFS name node.").of(&["libhdfs"]).no(OTHER),
    opt("hdfsdirectory", Kind::Text, "HDFS directory.").of(&["libhdfs"]).no(OTHER),
];

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
    /// This back end does what a user would want; the reason is told.
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

const METADATA: &str = "engines that time metadata calls are not supported yet";

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
    none("io_uring_cmd", CMD),
    none(
        "splice",
        "the splice engine is not supported; use psync or io_uring",
    ),
    none("netsplice", NET),
    none("net", NET),
    none("sg", SG),
    none("cpuio", CPU),
    none("e4defrag", DEFRAG),
    none("falloc", METADATA),
    none("ftruncate", METADATA),
    none("filecreate", METADATA),
    none("filestat", METADATA),
    none("filedelete", METADATA),
    none("dircreate", METADATA),
    none("dirstat", METADATA),
    none("dirdelete", METADATA),
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
    none("rbd", RBD),
    none("rados", RBD),
    none("libcephfs", RBD),
    none("http", HTTP),
    none("spdk", SPDK),
    none("spdk_bdev", SPDK),
    none("xnvme", XNVME),
    none("libblkio", BLKIO),
    none("libcufile", GPU),
    none("libhipfile", GPU),
    none("gfapi", GLUSTER),
    none("gfapi_async", GLUSTER),
    none("rdma", RDMA),
    none("librpma_apm_client", RDMA),
    none("librpma_apm_server", RDMA),
    none("librpma_gpspm_client", RDMA),
    none("librpma_gpspm_server", RDMA),
    none("libhdfs", OTHER),
    none("libiscsi", OTHER),
    none("dfs", OTHER),
    none("ime_psync", OTHER),
    none("ime_psyncv", OTHER),
    none("ime_aio", OTHER),
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
