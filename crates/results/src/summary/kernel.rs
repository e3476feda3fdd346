//! What the kernel counted while a stage ran, beside what its workers counted over the same time, warm-up included.
//!
//! Belongs here: putting both on one scale. Must never: judge the difference (that is `trust`).

use crate::run::{Run, StageRun};
use crate::summary::planned;
use leadline_model::event::DiskUse;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::op::Op;
use leadline_model::plan::{Target, Workload};
use leadline_model::units::{Bytes, Nanos};

/// Reads and writes over the length of a stage, by whoever is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Io {
    /// Operations: reads and writes.
    pub ios: [u64; 2],
    /// Bytes of reads and of writes.
    pub bytes: [u64; 2],
    /// Sum of the times they took.
    pub time: Nanos,
}

impl Io {
    /// Operations of both kinds.
    #[must_use]
    pub const fn all_ios(&self) -> u64 {
        self.ios[0].saturating_add(self.ios[1])
    }

    /// Bytes of both kinds.
    #[must_use]
    pub const fn all_bytes(&self) -> u64 {
        self.bytes[0].saturating_add(self.bytes[1])
    }

    fn add(&mut self, direction: usize, (ios, bytes, time): (u64, u64, u64)) {
        self.ios[direction] = self.ios[direction].saturating_add(ios);
        self.bytes[direction] = self.bytes[direction].saturating_add(bytes);
        self.time = Nanos(self.time.0.saturating_add(time));
    }

    /// Mean number in flight over this time.
    #[must_use]
    pub fn in_flight(&self, span: Nanos) -> f64 {
        self.time.0 as f64 / (span.0 as f64).max(1.0)
    }
}

/// A block device below a stage's targets.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceIo {
    /// The kernel's name (`vda`).
    pub name: String,
    /// Whether a target is directly on it, and not on a device that is stacked on it.
    pub is_top: bool,
    /// Its I/O, whoever requested it.
    pub io: Io,
    /// Operations that were merged into others before they reached it.
    pub merged: u64,
    /// Share of the time in which it had any I/O in flight, 0 to 1.
    pub busy: f64,
}

/// Both views of one host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostIo {
    /// Its place in the plan's list; 0 without one.
    pub host: u32,
    /// Length of the stage: as the devices' counters have it, where there are any.
    pub span: Nanos,
    /// What the workers on files and devices of this host counted.
    pub own: Io,
    /// The devices below their targets.
    pub devices: Vec<DeviceIo>,
    /// Bytes that devices read for this process; `None` where that is not known ([`FactKey::READ_FROM_DEVICES`]).
    pub from_devices: Option<u64>,
    /// Bytes that it wrote to devices or to the page cache above them.
    pub to_devices: Option<u64>,
}

impl HostIo {
    /// The only device that a target is on.
    #[must_use]
    pub fn only_device(&self) -> Option<&DeviceIo> {
        let mut tops = self.devices.iter().filter(|device| device.is_top);
        tops.next().filter(|_| tops.next().is_none())
    }
}

/// Both views of a stage, by host; empty where the kernel was not asked (a simulation).
#[must_use]
pub fn hosts(run: &Run, stage: &StageRun) -> Vec<HostIo> {
    let mut numbers: Vec<u32> = stage.disks.iter().map(|d| d.host).collect();
    numbers.extend(stage.counted.iter().map(|f| f.host));
    numbers.sort_unstable();
    numbers.dedup();
    let of = |host| of_host(run, stage, host);
    numbers.into_iter().map(of).collect()
}

fn of_host(run: &Run, stage: &StageRun, host: u32) -> HostIo {
    let disks: Vec<&DiskUse> = stage.disks.iter().filter(|d| d.host == host).collect();
    let counted = disks.iter().map(|d| Nanos::from_millis(d.span_ms)).max();
    let whole = stage.end.unwrap_or(stage.start).since(stage.start);
    let is_below = |name: &str| {
        let mut facts = run.facts.iter().filter(|f| f.host == host);
        facts.any(|f| f.key() == FactKey::UNDER && f.subject == name)
    };
    HostIo {
        host,
        span: counted.unwrap_or(whole),
        own: own(run, stage, host, is_real),
        devices: disks
            .iter()
            .map(|d| device(d, !is_below(&d.name)))
            .collect(),
        from_devices: bytes(stage, host, FactKey::READ_FROM_DEVICES),
        to_devices: bytes(stage, host, FactKey::WRITTEN_TO_DEVICES),
    }
}

/// What was counted of a host, as a size.
#[must_use]
pub fn bytes(stage: &StageRun, host: u32, key: FactKey<'_>) -> Option<u64> {
    let mut of = of_key(stage, host, key);
    of.find_map(|fact| fact.value.bytes()).map(|Bytes(n)| n)
}

/// All that was counted of a host under this name.
pub fn of_key<'a>(
    stage: &'a StageRun,
    host: u32,
    key: FactKey<'a>,
) -> impl Iterator<Item = &'a Fact> {
    let of = move |fact: &&Fact| fact.host == host && fact.key() == key;
    stage.counted.iter().filter(of)
}

/// What the workers of a host counted from the start to the end of a stage, of workloads that `which` takes.
#[must_use]
pub fn own(run: &Run, stage: &StageRun, host: u32, which: impl Fn(&Workload) -> bool) -> Io {
    let plan = planned(run, stage.stage);
    let takes: Vec<bool> = plan.map_or_else(Vec::new, |p| p.workloads.iter().map(which).collect());
    let takes = |workload: u32| takes.get(workload as usize).copied().unwrap_or(false);
    let mut all = Io::default();
    let mut add = |op: Op, of: (u64, u64, u64)| match op {
        Op::Read => all.add(0, of),
        Op::Write => all.add(1, of),
        _ => {}
    };
    // With hosts, the samples are merged and cannot be distinguished: their points can.
    for point in stage
        .points
        .iter()
        .filter(|p| p.host == host && takes(p.workload))
    {
        for (op, of) in point.ops.iter() {
            add(op, (of.ios, of.bytes, of.service.sum));
        }
    }
    if stage.points.is_empty() {
        for sample in stage.samples.iter().filter(|s| takes(s.workload)) {
            for (op, of) in sample.counts.ops.iter() {
                add(op, (of.ios, of.bytes, of.service.sum));
            }
        }
    }
    all
}

fn device(disk: &DiskUse, is_top: bool) -> DeviceIo {
    let bytes = |sectors: u64| sectors.saturating_mul(512);
    DeviceIo {
        name: disk.name.clone(),
        is_top,
        io: Io {
            ios: disk.ios,
            bytes: disk.sectors.map(bytes),
            time: Nanos::from_millis(disk.queue_ms),
        },
        merged: disk.merges[0].saturating_add(disk.merges[1]),
        busy: (disk.busy_ms as f64 / (disk.span_ms as f64).max(1.0)).min(1.0),
    }
}

/// Share of the bytes read through the page cache that came from it, over all hosts, 0 to 1: a lower bound, since what
/// the kernel reads ahead in vain counts against it. `None` where no workload reads through the page cache,
/// where another one bypasses it, or where the kernel does not say.
#[must_use]
pub fn page_cache_hits(run: &Run, stage: &StageRun) -> Option<f64> {
    let (mut asked, mut fetched) = (0_u64, 0_u64);
    for host in hosts(run, stage) {
        let through = own(run, stage, host.host, reads_through_cache);
        if through.bytes[0] == 0 || through.bytes[0] != host.own.bytes[0] {
            continue;
        }
        let of_nfs = |key| {
            let facts = of_key(stage, host.host, key).filter_map(|f| f.value.bytes());
            facts
                .map(|bytes| bytes.0)
                .reduce(|a, b| a.saturating_add(b))
        };
        // Bytes that programs read there, and bytes of them that were requested from the server; other programs are
        // included.
        let (all, from) = match of_nfs(FactKey::NFS_READ_CACHED) {
            Some(cached) => (cached, of_nfs(FactKey::NFS_READ_SERVER)?),
            None => (through.bytes[0], host.from_devices?),
        };
        asked += all;
        fetched += from.min(all);
    }
    (asked > 0).then(|| 1.0 - fetched as f64 / asked as f64)
}

/// Whether a workload asks for O_DIRECT on none of its files.
fn reads_through_cache(workload: &Workload) -> bool {
    on_all_files(workload, |direct| !direct)
}

/// Whether a workload asks for O_DIRECT on all of its files.
#[must_use]
pub fn is_direct(workload: &Workload) -> bool {
    on_all_files(workload, |direct| direct)
}

fn on_all_files(workload: &Workload, of: impl Fn(bool) -> bool) -> bool {
    let files = workload.blocks().parts.len().max(1);
    is_real(workload) && (0..files).all(|file| of(workload.of_file(file).blocks().open.direct))
}

/// Whether a workload does I/O on files or devices.
const fn is_real(workload: &Workload) -> bool {
    matches!(
        workload.blocks().target,
        Target::Paths(_) | Target::Files(_)
    )
}
