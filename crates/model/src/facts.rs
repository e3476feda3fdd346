//! What is known of a host and its targets.
//!
//! Belongs here: the form of a fact, the types its value can have, and the names of facts that more than one
//! place knows. Must never: gather one.

use crate::units::{Bytes, Nanos, Percent};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One fact of the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The host it is of, by its place in the plan's list; 0 without one.
    pub host: u32,
    /// Where it belongs: `host`, `cpu`, `memory`, `kernel`, `target`, `device`, `mount`, `cloud`,
    /// `floor`, `leadline`, `workload`.
    pub section: String,
    /// What it is of: a path, a device, or empty.
    pub subject: String,
    /// Name, in lower case words.
    pub name: String,
    /// Value.
    pub value: FactValue,
}

/// The subject of a fact of a workload whose name alone would not say which it is: with its stage and its number in it, both
/// from 0.
#[must_use]
pub fn placed(name: &str, stage: u32, workload: u32) -> String {
    format!("{name} (stage {stage}, workload {workload})")
}

/// The value of a fact. Its `Display` is the text that people read, with its unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactValue {
    /// A name, a path, a setting that is no number, or several of these.
    Text(String),
    /// A size.
    Bytes(Bytes),
    /// A number of things, or of a mode that the system counts (0 = off).
    Count(u64),
    /// A time.
    Nanos(Nanos),
    /// A time so short that tenths of a nanosecond count, in picoseconds.
    Picos(u64),
    /// A share of a whole.
    Percent(Percent),
}

impl FactValue {
    /// What the value is a number of, for formats that programs read; `text` if it is none.
    #[must_use]
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
            Self::Count(_) => "count",
            Self::Nanos(_) => "ns",
            Self::Picos(_) => "ps",
            Self::Percent(_) => "percent",
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The size, if it is one.
    #[must_use]
    pub const fn bytes(&self) -> Option<Bytes> {
        match self {
            Self::Bytes(bytes) => Some(*bytes),
            _ => None,
        }
    }

    /// The number of things, if it is one.
    #[must_use]
    pub const fn count(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// The time in nanoseconds, with its fraction, if it is one.
    #[must_use]
    pub fn nanos(&self) -> Option<f64> {
        match self {
            Self::Nanos(nanos) => Some(nanos.0 as f64),
            Self::Picos(picos) => Some(*picos as f64 / 1e3),
            _ => None,
        }
    }

    /// The share, if it is one.
    #[must_use]
    pub const fn percent(&self) -> Option<Percent> {
        match self {
            Self::Percent(percent) => Some(*percent),
            _ => None,
        }
    }

    /// A time of this many nanoseconds, to the nearest picosecond; of less than none, none.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates, which is what is meant"
    )]
    pub fn from_nanos(nanos: f64) -> Self {
        Self::Picos((nanos * 1e3).round() as u64)
    }
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::Count(count) => count.fmt(f),
            Self::Nanos(nanos) => nanos.fmt(f),
            Self::Picos(picos) => write!(f, "{:.1} ns", *picos as f64 / 1e3),
            Self::Percent(percent) => write!(f, "{:.1} %", percent.of_100()),
        }
    }
}

impl From<&str> for FactValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for FactValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Bytes> for FactValue {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Nanos> for FactValue {
    fn from(nanos: Nanos) -> Self {
        Self::Nanos(nanos)
    }
}

impl From<Percent> for FactValue {
    fn from(percent: Percent) -> Self {
        Self::Percent(percent)
    }
}

/// Section and name of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactKey<'a> {
    /// [`Fact::section`].
    pub section: &'a str,
    /// [`Fact::name`].
    pub name: &'a str,
}

impl<'a> From<(&'a str, &'a str)> for FactKey<'a> {
    fn from((section, name): (&'a str, &'a str)) -> Self {
        Self::new(section, name)
    }
}

impl<'a> FactKey<'a> {
    /// What the host calls itself.
    pub const HOST_NAME: Self = Self::new("host", "name");
    /// Number of processors that threads of this process may run on: a count.
    pub const CPU_COUNT: Self = Self::new("cpu", "count");
    /// Numbers of the processors that are online (`0-3,8`).
    pub const CPU_ONLINE: Self = Self::new("cpu", "online");
    /// Which processors share a socket (`0: 0-3; 1: 4-7`).
    pub const CPU_SOCKETS: Self = Self::new("cpu", "sockets");
    /// Which processors share a NUMA node (`0: 0-3; 1: 4-7`).
    pub const NUMA_NODES: Self = Self::new("cpu", "NUMA nodes");
    /// Which processors share a core (`0,4; 1,5`).
    pub const CPU_CORES: Self = Self::new("cpu", "cores");
    /// Numbers of the faster processors, where there are two kinds.
    pub const FAST_CORES: Self = Self::new("cpu", "performance cores");
    /// What the processors are called.
    pub const CPU_MODEL: Self = Self::new("cpu", "model");
    /// The kernel's release (`6.1.0-47-amd64`).
    pub const KERNEL_RELEASE: Self = Self::new("kernel", "release");
    /// What the kernel calls the time since it started: another text after each start.
    pub const BOOT: Self = Self::new("kernel", "boot id");
    /// How long the kernel has been running: a time.
    pub const UP: Self = Self::new("kernel", "running for");
    /// Whether the host is a virtual machine (`yes`).
    pub const VIRTUAL: Self = Self::new("host", "virtual machine");
    /// The name of the host's system by its os-release (`Debian GNU/Linux 12 (bookworm)`).
    pub const SYSTEM: Self = Self::new("host", "system");
    /// Whose cloud the host is a machine of (`azure`, `gcp`, `aws`).
    pub const CLOUD: Self = Self::new("cloud", "provider");
    /// The size of the machine as its provider writes it (`D8ds_v4`).
    pub const MACHINE_SIZE: Self = Self::new("cloud", "machine size");
    /// The region of the machine.
    pub const REGION: Self = Self::new("cloud", "region");
    /// The zone of the machine in its region.
    pub const ZONE: Self = Self::new("cloud", "zone");
    /// Disks of the machine with their host cache (`P30:ro, P30:none`), where its provider reports them.
    pub const CLOUD_DISKS: Self = Self::new("cloud", "disks");
    /// Size of the read cache that the host of such a machine has for its disks, as its provider publishes it.
    pub const HOST_CACHE: Self = Self::new("cloud", "host cache");
    /// Network interfaces of the machine, as its provider reports them (`2 interfaces, MTU 1460`).
    pub const CLOUD_NETWORK: Self = Self::new("cloud", "network");
    /// What kind of device it is (`NVMe`, `virtio`).
    pub const DEVICE_KIND: Self = Self::new("device", "kind");
    /// What its maker calls a device.
    pub const DEVICE_MODEL: Self = Self::new("device", "model");
    /// Bytes of a device.
    pub const DEVICE_SIZE: Self = Self::new("device", "size");
    /// Whether a device has parts that turn (`1`) or none (`0`).
    pub const ROTATIONAL: Self = Self::new("device", "rotational");
    /// Bytes that a device has read since the kernel knows it, before the run.
    pub const READ_SINCE_BOOT: Self = Self::new("device", "read since boot");
    /// The same of bytes written.
    pub const WRITTEN_SINCE_BOOT: Self = Self::new("device", "written since boot");
    /// The share of what is to be written of a target that had never been written when the stage began: holes,
    /// allocated extents without data, what is beyond the end.
    pub const NEVER_WRITTEN: Self = Self::new("target", "never written before");
    /// How many blocks of a target were read and looked at when a stage that reads it had ended: a count, 0 where it could not
    /// be read.
    pub const SAMPLED: Self = Self::new("target", "contents, blocks sampled");
    /// The share of them that hold nothing but zeros.
    pub const ZEROS: Self = Self::new("target", "contents, zeros");
    /// The share of them that hold other bytes, which are those of another one.
    pub const REPEATED: Self = Self::new("target", "contents, repeated");
    /// The share of their bytes that compressing each block by itself would save, as estimated.
    pub const COMPRESSIBLE: Self = Self::new("target", "contents, compressible");
    /// How many blocks of a workload's first writes were looked at when its stage had ended: a count. The subject is the
    /// workload's name, or what [`placed`] makes of it.
    pub const WRITES_SAMPLED: Self = Self::new("workload", "written data, blocks sampled");
    /// The share of them that hold nothing but zeros.
    pub const WRITES_ZEROS: Self = Self::new("workload", "written data, zeros");
    /// The share of them that hold other bytes, which are those of an earlier one of them.
    pub const WRITES_REPEATED: Self = Self::new("workload", "written data, repeated");
    /// The share of their bytes that compressing each block by itself would save, as estimated.
    pub const WRITES_COMPRESSIBLE: Self = Self::new("workload", "written data, compressible");
    /// How long processors take to wake from the deepest sleep that is allowed: a time.
    pub const IDLE_EXIT: Self = Self::new("cpu", "longest wake-up");
    /// How the frequency of the processors is governed.
    pub const GOVERNOR: Self = Self::new("cpu", "governor");
    /// Memory of the host: a size.
    pub const MEMORY: Self = Self::new("memory", "total");
    /// Version of leadline.
    pub const VERSION: Self = Self::new("leadline", "version");
    /// Size of a target that is a file, before the run: a size.
    pub const TARGET_SIZE: Self = Self::new("target", "size");
    /// What the path of a target resolves to, where links lead elsewhere.
    pub const RESOLVES_TO: Self = Self::new("target", "resolves to");
    /// The mount point of the file system that holds a target.
    pub const MOUNTED_ON: Self = Self::new("target", "mounted on");
    /// The kind of the file system at a mount point.
    pub const FILE_SYSTEM: Self = Self::new("mount", "file system");
    /// Options of a mount.
    pub const MOUNT_OPTIONS: Self = Self::new("mount", "options");
    /// Options of the file system at a mount point.
    pub const FILE_SYSTEM_OPTIONS: Self = Self::new("mount", "file system options");
    /// What the kernel reads ahead of a sequential reader of a network mount: a size.
    pub const READ_AHEAD: Self = Self::new("mount", "read_ahead_kb");
    /// Least, initial and largest size of what a TCP socket keeps that was received.
    pub const TCP_RMEM: Self = Self::new("kernel", "net.ipv4.tcp_rmem");
    /// The same of what it keeps to be sent.
    pub const TCP_WMEM: Self = Self::new("kernel", "net.ipv4.tcp_wmem");
    /// What is used of a file system, before the run: a size.
    pub const MOUNT_USED: Self = Self::new("mount", "used");
    /// Room of a file system that is free to this user, before the run: a size.
    pub const MOUNT_FREE: Self = Self::new("mount", "free");
    /// What a device writes at once without reading first: a size.
    pub const PHYSICAL_BLOCK: Self = Self::new("device", "physical block");
    /// The share of a target that was in the page cache when a stage began, though the cache had been dropped
    /// (mapped by another program, no privilege). Absent where the kernel does not say.
    pub const CACHED_AT_START: Self = Self::new("target", "cached at the start");
    /// The share of a target that is read through the page cache and was in it when a stage began, where the plan asks
    /// for the cache to be neither dropped nor filled. Absent where the kernel does not say.
    pub const LEFT_IN_CACHE: Self = Self::new("target", "left in the cache at the start");
    /// The way from a target to memory of the host that keeps all of its bytes (`overlay on tmpfs`, `zram0`).
    /// Absent where there is none, or where it cannot be seen from there.
    pub const KEPT_IN_MEMORY: Self = Self::new("target", "kept in memory");
    /// The way from a target to a loop device that reads and writes its file through the page cache.
    pub const LOOP_CACHED: Self = Self::new("target", "loop device through the page cache");
    /// The device that is stacked on this one.
    pub const UNDER: Self = Self::new("device", "under");
    /// The largest I/O that the kernel gives to a device at once; larger ones are split: a size.
    pub const LARGEST_REQUEST: Self = Self::new("device", "max_sectors_kb");
    /// Bytes that block devices read for this process while a stage ran (`read_bytes` of /proc/self/io). Absent where
    /// a target is on none, or behind a program or a server that reads for it.
    pub const READ_FROM_DEVICES: Self = Self::new("process", "read from devices");
    /// Bytes that this process wrote to block devices or to the page cache above them while a stage ran
    /// (`write_bytes` less `cancelled_write_bytes`). Absent as [`Self::READ_FROM_DEVICES`] is.
    pub const WRITTEN_TO_DEVICES: Self = Self::new("process", "written to devices");
    /// Bytes of the host's page cache that were not yet written back, or just being, when a stage began.
    pub const UNFLUSHED_BEFORE: Self = Self::new("memory", "not written back at the start");
    /// The same when it had ended.
    pub const UNFLUSHED_AFTER: Self = Self::new("memory", "not written back at the end");
    /// Bytes that programs read through the page cache of an NFS mount while a stage ran.
    pub const NFS_READ_CACHED: Self = Self::new("nfs", "read through the page cache");
    /// Bytes that they wrote through it.
    pub const NFS_WRITTEN_CACHED: Self = Self::new("nfs", "written through the page cache");
    /// Bytes that they read with O_DIRECT.
    pub const NFS_READ_DIRECT: Self = Self::new("nfs", "read with O_DIRECT");
    /// Bytes that they wrote with it.
    pub const NFS_WRITTEN_DIRECT: Self = Self::new("nfs", "written with O_DIRECT");
    /// Bytes that were read from the server.
    pub const NFS_READ_SERVER: Self = Self::new("nfs", "read from the server");
    /// Bytes that were written to it.
    pub const NFS_WRITTEN_SERVER: Self = Self::new("nfs", "written to the server");
    /// READ calls to the server: a count.
    pub const NFS_READS: Self = Self::new("nfs", "READ calls");
    /// WRITE calls to it: a count.
    pub const NFS_WRITES: Self = Self::new("nfs", "WRITE calls");
    /// Sum of the times of both from when they were made until they had ended, those waiting for a slot included.
    pub const NFS_TIME: Self = Self::new("nfs", "time of READ and WRITE");
    /// Sum of the times of both from sending to the answer.
    pub const NFS_ROUND_TRIPS: Self = Self::new("nfs", "round trips of READ and WRITE");
    /// Calls of any kind: a count.
    pub const NFS_CALLS: Self = Self::new("nfs", "calls");
    /// Calls that were sent once more: a count.
    pub const NFS_SENT_AGAIN: Self = Self::new("nfs", "calls sent again");
    /// Calls without an answer in time: a count.
    pub const NFS_TIMEOUTS: Self = Self::new("nfs", "calls timed out");
    /// Connections to the server that a mount has: a count.
    pub const NFS_CONNECTIONS: Self = Self::new("nfs", "connections");
    /// Connections that /etc/fstab or the mount's options ask for: a count.
    pub const NFS_CONNECTIONS_ASKED: Self = Self::new("nfs", "connections asked for");
    /// Which memory node a block device is nearest to.
    pub const DEVICE_NODE: Self = Self::new("device", "NUMA node");
    /// What a network interface can carry in each direction (`25000 Mb/s`, of 10^6 bits).
    pub const LINK_SPEED: Self = Self::new("network", "speed");
    /// The memory node (NUMA) that a network interface is at.
    pub const NETWORK_NODE: Self = Self::new("network", "NUMA node");
    /// Most calls of a connection that wait for their answers, of NFS 3 and 4.0.
    pub const TCP_SLOTS: Self = Self::new("kernel", "sunrpc.tcp_max_slot_table_entries");
    /// Most calls of a session that wait for their answers, of NFS 4.1 and later, however many connections it has.
    pub const SESSION_SLOTS: Self = Self::new("kernel", "nfs.max_session_slots");
    /// The kind of a mount from a server and its options, as they were when a stage began, without addresses and names of
    /// users (`nfs4 rw,vers=4.1,nconnect=8`).
    pub const MOUNT_IN_FORCE: Self = Self::new("network", "mount in force");
    /// TCP connections of the host to a mount's server: a count.
    pub const CONNECTIONS: Self = Self::new("network", "connections to the server");
    /// The shortest round trip that TCP saw on the connections to a mount's server.
    pub const ROUND_TRIP: Self = Self::new("network", "shortest round trip");
    /// TCP segments sent to that server: a count.
    pub const SEGMENTS_SENT: Self = Self::new("network", "segments sent");
    /// Those of them that were sent again: a count.
    pub const SEGMENTS_AGAIN: Self = Self::new("network", "segments sent again");
    /// How often processors slowed down for their heat: a count.
    pub const THROTTLED: Self = Self::new("cpu", "slowed down for heat");
    /// The highest temperature of an NVMe drive at the end of a stage, in degrees Celsius: a count.
    pub const TEMPERATURE: Self = Self::new("device", "temperature");
    /// The temperature of which it warns, in degrees Celsius: a count.
    pub const WARNS_AT: Self = Self::new("device", "temperature it warns of");
    /// What leadline takes for an I/O for which nothing is done: a time.
    pub const FLOOR: Self = Self::new("floor", "one I/O without a target");

    /// The name of a fact of a section.
    #[must_use]
    pub const fn new(section: &'a str, name: &'a str) -> Self {
        Self { section, name }
    }
}

impl Fact {
    /// A fact.
    #[must_use]
    pub fn new<'a>(
        key: impl Into<FactKey<'a>>,
        subject: &str,
        value: impl Into<FactValue>,
    ) -> Self {
        let key = key.into();
        Self {
            host: 0,
            section: key.section.to_owned(),
            subject: subject.to_owned(),
            name: key.name.to_owned(),
            value: value.into(),
        }
    }

    /// Section and name.
    #[must_use]
    pub fn key(&self) -> FactKey<'_> {
        FactKey::new(&self.section, &self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_what_it_is_and_shown_with_its_unit() {
        let memory = FactValue::from(Bytes(24 << 30));
        assert_eq!(memory.to_string(), "24 GiB");
        assert_eq!(memory.bytes(), Some(Bytes(24 << 30)));
        assert_eq!((memory.text(), memory.count()), (None, None));
        let floor = FactValue::from_nanos(7.449);
        assert_eq!(floor.to_string(), "7.4 ns");
        assert_eq!(floor.nanos(), Some(7.449));
        assert_eq!(FactValue::from_nanos(f64::NAN), FactValue::Picos(0));
        let expires = FactValue::from(Nanos(30_000_000_000));
        assert_eq!(
            (expires.to_string().as_str(), expires.unit()),
            ("30.0 s", "ns")
        );
        assert_eq!(expires.nanos(), Some(30e9));
        let share = FactValue::from(Percent::nearest(12.34));
        assert_eq!(share.to_string(), "12.3 %");
        assert_eq!(share.percent(), Some(Percent::nearest(12.34)));
        assert_eq!(FactValue::Count(96).to_string(), "96");
        assert_eq!(FactValue::from("none").text(), Some("none"));
    }
}
