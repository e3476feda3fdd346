//! Whether what the kernel counted agrees with what the workers counted.
//!
//! Belongs here: checks that set both views of a stage beside each other. Must never: report where the kernel was not
//! asked, or where its counters are about more than the targets of the stage.

use super::contents::NEVER_WRITTEN;
use super::{Finding, Severity, Whole, percent};
use crate::summary::kernel::{self, DeviceIo, HostIo};
use crate::summary::labels::ClientCache;
use leadline_model::cure::Knob;
use leadline_model::facts::FactKey;
use leadline_model::plan::{Order, Target, Workload};
use leadline_model::units::{Bytes, Nanos};

/// Fewer bytes than this say nothing about a share.
const LEAST: u64 = 1 << 20;

/// Stages that are shorter are for the most part their start and their end.
const SHORTEST: Nanos = Nanos::from_millis(500);

/// Code `direct-not-in-force` (fail): workloads asked for O_DIRECT, and it was not in force ([`past_devices`]), or a target
/// is on a mount that takes all I/O through the page cache ([`journalled`]). Silent where holes or unwritten extents
/// explain it.
pub(super) fn direct_not_in_force(whole: &Whole<'_>) -> Option<Finding> {
    if NEVER_WRITTEN.iter().any(|code| whole.has(code)) {
        return None;
    }
    let counted = whole.first(|host| past_devices(whole, host));
    let text = match counted {
        Some((host, (what, [own, devices]))) => format!(
            "O_DIRECT was requested, but of {} that leadline {what}{}, block devices {what} {} ({}): \
             the file system took I/O through the page cache, or needed no device for it.",
            Bytes(own),
            whole.on(host),
            Bytes(devices),
            percent(devices as f64 / own as f64)
        ),
        None => format!(
            "O_DIRECT was requested, but {} is mounted with data=journal: the file system took the I/O through \
             the page cache.",
            journalled(whole)?
        ),
    };
    Some(whole.finding(
        "direct-not-in-force",
        Severity::Fail,
        text,
        "Do not take these figures for those of the device. Journalled data (ext4 data=journal), \
         compression and checksums of written data (btrfs) and inline data turn O_DIRECT off: use a \
         file system or mount options without them, or the device itself.",
    ))
}

/// What a host's workers did with O_DIRECT and block devices did not do for them: `read` or `wrote`, the bytes of the
/// workers, and those of the devices. Reads: block devices read less than 0.99 of it for this process. Writes: less than
/// 0.9 of it went to devices or made clean pages of the page cache dirty (`write_bytes` of /proc/self/io counts a direct
/// write whenever it is submitted, and one to the page cache once until the page is written back); or devices wrote less
/// than 0.99 of it, and the page cache holds a tenth of it that is not written back.
fn past_devices(whole: &Whole<'_>, host: &HostIo) -> Option<(&'static str, [u64; 2])> {
    let own = kernel::own(whole.run, whole.stage, host.host, kernel::is_direct).bytes;
    let is_less = |of: u64, all: u64, share: f64| all >= LEAST && (of as f64) < share * all as f64;
    let read = host.from_devices?;
    if is_less(read, own[0], 0.99) {
        return Some(("read", [own[0], read]));
    }
    let sent = host.to_devices.filter(|_| tops(host).next().is_some());
    if let Some(sent) = sent.filter(|sent| is_less(*sent, own[1], 0.9)) {
        return Some(("wrote", [own[1], sent]));
    }
    let on_devices: u64 = tops(host).map(|d| d.io.bytes[1]).sum();
    let left = unflushed(whole, host.host)?;
    let is_cached = left >= LEAST && left >= own[1] / 10;
    (is_cached && is_less(on_devices, own[1], 0.99)).then_some(("wrote", [own[1], on_devices]))
}

/// The mount of a target of workloads that ask for O_DIRECT whose option data=journal turns it off, as ext4 has it.
fn journalled<'a>(whole: &Whole<'a>) -> Option<&'a str> {
    if !whole.all_direct() || whole.summary.figures.data.ios == 0 {
        return None;
    }
    let facts = || whole.run.facts.iter();
    let mounts = facts().filter(|f| f.key() == FactKey::MOUNTED_ON && is_target(whole, &f.subject));
    mounts.filter_map(|f| f.value.text()).find(|mount| {
        let mut options = facts().filter(|f| f.key() == FactKey::FILE_SYSTEM_OPTIONS);
        options.any(|f| {
            let text = f.value.text().unwrap_or_default();
            f.subject == *mount && text.split(',').any(|option| option == "data=journal")
        })
    })
}

/// Whether a path is one of the targets of a stage, or below a directory that it makes files in.
fn is_target(whole: &Whole<'_>, path: &str) -> bool {
    let mut targets = whole.plan.workloads.iter().map(|w| &w.blocks().target);
    targets.any(|target| match target {
        Target::Paths(paths) => paths.iter().any(|own| own == path),
        Target::Files(set) => set.directories.iter().any(|own| path.starts_with(own)),
        _ => false,
    })
}

/// Code `cache-hits` (warn above 1 %, fail above 5 %): the share of the bytes that a workload read after its page
/// cache was emptied which that cache served.
pub(super) fn cache_hits(whole: &Whole<'_>) -> Option<Finding> {
    let emptied = |client| {
        matches!(
            client,
            ClientCache::BufferedCold
                | ClientCache::BufferedColdAtStart
                | ClientCache::BufferedDropped
                | ClientCache::BufferedReread
        )
    };
    let all = whole.plan.workloads.iter().zip(&whole.summary.workloads);
    let mut readers = all.filter(|(plan, _)| super::is_real(plan) && plan.blocks().mix.has_reads());
    if !readers.all(|(_, figures)| emptied(figures.labels.client)) {
        return None;
    }
    let hits = kernel::page_cache_hits(whole.run, whole.stage).filter(|hits| *hits > 0.01)?;
    let severity = if hits > 0.05 {
        Severity::Fail
    } else {
        Severity::Warn
    };
    Some(whole.finding(
        "cache-hits",
        severity,
        format!(
            "The page cache was emptied before the start, but {} of the bytes read came from it, by \
             the kernel's counters: the target did not serve them, or had served them before.",
            percent(hits)
        ),
        (
            "Use O_DIRECT, or a data set that is read once only.",
            [Knob::Direct, Knob::Size],
        ),
    ))
}

/// Code `unflushed-writes` (fail): buffered writes, and pages of more than 1 % of what was written were not written back
/// when the stage ended (Dirty and Writeback of /proc/meminfo, less what there was at the start).
pub(super) fn unflushed_writes(whole: &Whole<'_>) -> Option<Finding> {
    let left = |host: &HostIo| {
        let buffered = |w: &Workload| super::is_real(w) && !kernel::is_direct(w);
        let written = kernel::own(whole.run, whole.stage, host.host, buffered).bytes[1];
        let left = unflushed(whole, host.host)?.min(written);
        (left >= LEAST && left as f64 > 0.01 * written as f64).then_some((left, written))
    };
    let (host, (left, written)) = whole.first(left)?;
    Some(whole.finding(
        "unflushed-writes",
        Severity::Fail,
        format!(
            "When the stage ended, {} of the {} that were written{} ({}) were still in the page cache \
             only: that part of the rate is the memory's, not the target's.",
            Bytes(left),
            Bytes(written),
            whole.on(host),
            percent(left as f64 / written as f64)
        ),
        (
            "Use O_DIRECT, or sync what was written within the measured time.",
            [Knob::Direct],
        ),
    ))
}

/// Code `neighbours` (warn): more than 5 % of what the only device below the targets did was not for this process, in
/// bytes or in operations. Writes are compared where all are direct, and are so in force.
pub(super) fn neighbours(whole: &Whole<'_>) -> Option<Finding> {
    let of_others = |host: &HostIo| {
        let device = bottom(host, whole)?;
        let own = [host.from_devices?, host.to_devices?];
        let in_force = past_devices(whole, host).is_none() && journalled(whole).is_none();
        let all_direct = whole.all_direct() && in_force;
        // Whose a write through the page cache is cannot be said; it is a part of what the device did all the same.
        let sides = (0..2).filter(|&side| side == 0 || all_direct);
        let all: u64 = device.io.bytes.iter().sum();
        let mut others = 0_u64;
        for side in sides {
            others += device.io.bytes[side].saturating_sub(own[side]);
        }
        let operations = extra_operations(host, device, all_direct).filter(|ops| {
            // Operations without bytes of their own are parts of ours.
            others >= ops.saturating_mul(512) && *ops > 0
        });
        let by_bytes = others as f64 / (all as f64).max(1.0);
        let by_ios = operations.map_or(0.0, |ops| ops as f64 / device.io.all_ios() as f64);
        let share = by_bytes.max(by_ios).min(1.0);
        (share > 0.05 && others >= LEAST).then(|| (device.name.clone(), others, share))
    };
    let (host, (name, others, share)) = whole.first(of_others)?;
    Some(whole.finding(
        "neighbours",
        Severity::Warn,
        format!(
            "{} of what {name}{} did in this stage was not for leadline ({} read or written by others, \
             or by the file system itself): the figures are those of a shared device.",
            percent(share),
            whole.on(host),
            Bytes(others)
        ),
        "Stop what else uses the device, or repeat when it is idle.",
    ))
}

/// Code `requests-split` (warn): the kernel gave the device less than 0.95 or more than 1.05 operations for each I/O, of
/// another size. A note only where I/Os are larger than the device's largest request, which says how they are cut, and
/// where sequential ones are merged.
pub(super) fn requests_split(whole: &Whole<'_>) -> Option<Finding> {
    if !whole.all_direct() {
        return None;
    }
    let ratio = |host: &HostIo| {
        let device = host.only_device()?;
        let (own, io) = (&host.own, &device.io);
        if own.all_ios() < 100 || io.all_ios() == 0 {
            return None;
        }
        let ratio = io.all_ios() as f64 / own.all_ios() as f64;
        let size = |io: &kernel::Io| io.all_bytes() as f64 / io.all_ios() as f64;
        let sizes = size(io) / size(own);
        // The same bytes: otherwise somebody else uses the device, or the target is not all there is on it.
        let same = (0.95..=1.05).contains(&(ratio * sizes));
        let other = !(0.95..=1.05).contains(&ratio);
        (same && other).then(|| (device.name.clone(), ratio, size(io), size(own)))
    };
    let (host, (name, ratio, theirs, ours)) = whole.first(ratio)?;
    let largest = whole.device_fact(host, &name, FactKey::LARGEST_REQUEST);
    let largest = largest.and_then(|fact| fact.value.bytes()).map(|b| b.0);
    let expected = largest.is_some_and(|largest| ours > largest as f64);
    let mut real = whole.plan.workloads.iter().filter(|w| super::is_real(w));
    let sequential = real.all(|w| matches!(w.blocks().access.order, Order::Sequential { .. }));
    let (severity, how) = match ratio > 1.0 {
        true if expected => (Severity::Info, "cut"),
        true => (Severity::Warn, "cut"),
        false if sequential => (Severity::Info, "merged"),
        false => (Severity::Warn, "merged"),
    };
    Some(whole.finding(
        "requests-split",
        severity,
        format!(
            "The kernel {how} I/Os: {name}{} did {ratio:.2} operations of {} for each I/O of {}. A limit \
             of the device in operations applies to its operations, and a latency is that of all \
             parts.",
            whole.on(host),
            Bytes(crate::words::whole(theirs)),
            Bytes(crate::words::whole(ours))
        ),
        (
            "For one operation each, use a block size up to max_sectors_kb of the device, and random \
             offsets.",
            [Knob::BlockSize],
        ),
    ))
}

/// Code `depth-not-on-device` (warn): of direct I/Os in flight, 4 or more on average, less than half were at the only
/// device below the targets.
pub(super) fn depth_not_on_device(whole: &Whole<'_>) -> Option<Finding> {
    if !whole.all_direct() {
        return None;
    }
    let waiting = |host: &HostIo| {
        let device = host.only_device()?;
        let own = host.own.in_flight(host.span);
        let there = device.io.in_flight(host.span);
        let known = host.from_devices.is_some() && device.io.all_ios() > 0;
        let long = host.span >= SHORTEST;
        (known && long && own >= 4.0 && there < 0.5 * own)
            .then(|| (device.name.clone(), own, there))
    };
    let (host, (name, own, there)) = whole.first(waiting)?;
    Some(whole.finding(
        "depth-not-on-device",
        Severity::Warn,
        format!(
            "leadline had {own:.1} I/Os in flight on average{}, but {name} had {there:.1} of them: the \
             others waited above the device, or for a processor.",
            whole.on(host)
        ),
        "Look for a cap of a control group (io.max), a lock or journal of the file system, the \
         device's queue limit (nr_requests), and busy processors: the latency is theirs.",
    ))
}

/// Bytes by which what is not written back grew over the stage.
fn unflushed(whole: &Whole<'_>, host: u32) -> Option<u64> {
    let before = kernel::bytes(whole.stage, host, FactKey::UNFLUSHED_BEFORE)?;
    let after = kernel::bytes(whole.stage, host, FactKey::UNFLUSHED_AFTER)?;
    Some(after.saturating_sub(before))
}

/// Operations of a device, those that were merged included, beyond those of the workers; `None` where the kernel makes
/// other operations of them as a rule.
fn extra_operations(host: &HostIo, device: &DeviceIo, all_direct: bool) -> Option<u64> {
    let did = device.io.all_ios().saturating_add(device.merged);
    all_direct.then(|| did.saturating_sub(host.own.all_ios()))
}

fn tops(host: &HostIo) -> impl Iterator<Item = &DeviceIo> {
    host.devices.iter().filter(|device| device.is_top)
}

/// The device at the bottom of a stack in which each is on one other; what else is on it is seen there.
fn bottom<'a>(host: &'a HostIo, whole: &Whole<'_>) -> Option<&'a DeviceIo> {
    let mut device = host.only_device()?;
    for _ in 0..host.devices.len() {
        let under = |d: &&DeviceIo| {
            let above = whole.device_fact(host.host, &d.name, FactKey::UNDER);
            above.is_some_and(|f| f.value.text() == Some(&device.name))
        };
        let mut below = host.devices.iter().filter(under);
        match (below.next(), below.next()) {
            (Some(next), None) => device = next,
            (None, _) => break,
            // Mirrors and parity: each does a part, or the same again.
            (Some(_), Some(_)) => return None,
        }
    }
    Some(device)
}
