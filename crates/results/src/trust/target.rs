//! Whether the target itself was in a state that its figures describe.
//!
//! Belongs here: checks of facts about file systems and devices below the targets. Must never: report on facts that are
//! not there.

use super::whole::Whole;
use super::{Case, Finding, Severity, percent};
use crate::run::Run;
use crate::summary::labels::ClientCache;
use leadline_model::cure::Knob;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::op::Op;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{Amount, Order, Target};
use leadline_model::units::{Bytes, Percent};

/// Code `volume-full` (warn): more than 85 % of what this user can have of a file system that holds a target was used
/// before the run.
pub(super) fn volume_full(run: &Run) -> Option<Finding> {
    const FULL: f64 = 0.85;
    let facts = || run.facts.iter();
    let used = facts().filter(|f| f.key() == FactKey::MOUNT_USED);
    let shares = used.filter_map(|used| {
        let same = |f: &&Fact| f.host == used.host && f.subject == used.subject;
        let mut free = facts()
            .filter(same)
            .filter(|f| f.key() == FactKey::MOUNT_FREE);
        let free = free.next()?.value.bytes()?.0;
        let all = used.value.bytes()?.0.saturating_add(free);
        let share = 1.0 - free as f64 / (all as f64).max(1.0);
        (all > 0).then_some((share, used, all))
    });
    let fullest = shares.max_by(|a, b| a.0.total_cmp(&b.0));
    let (share, at, all) = fullest.filter(|found| found.0 > FULL)?;
    let on = match run.host_label(at.host) {
        "" => String::new(),
        label => format!(" on {label}"),
    };
    Some(Finding {
        code: "volume-full".to_owned(),
        severity: Severity::Warn,
        stage: None,
        workload: None,
        text: format!(
            "{} of {}{on} ({}) were used before the run: allocation, garbage collection and snapshots \
             slow a file system or drive that is nearly full.",
            percent(share),
            at.subject,
            Bytes(all)
        ),
        cure: "Free space below 85 %, or say with the figures how full it was.".into(),
    })
}

/// Code `unaligned` (warn): direct I/Os whose size or offset is no multiple of the smallest physical block of the devices
/// below: any of their sizes, the first offset, the distance between workers, and what a sequential order skips.
pub(super) fn unaligned(case: &Case<'_>) -> Option<Finding> {
    let blocks = case.plan.blocks();
    if !case.is_real() || !blocks.open.direct {
        return None;
    }
    let facts = case.run.facts.iter();
    let physical = facts.filter(|f| f.key() == FactKey::PHYSICAL_BLOCK);
    let block = physical
        .filter_map(|f| f.value.bytes())
        .map(|b| b.0)
        .min()?;
    let mut all = Vec::new();
    for op in [Op::Read, Op::Write] {
        for used in blocks.used_sizes_of(op) {
            all.extend(sizes_of(used.sizes));
            all.extend(used.align);
        }
    }
    let bytes = |amount| match amount {
        Amount::Bytes(bytes) => bytes,
        // Percentages are rounded to block sizes.
        Amount::Percent(_) => 0,
    };
    all.push(bytes(blocks.region.offset));
    if case.plan.clones > 1 {
        all.push(bytes(blocks.region.offset_step));
    }
    if let Order::Sequential { skip } = blocks.access.order {
        all.push(skip.unsigned_abs());
    }
    let mut all = all.into_iter();
    let odd = all.find(|bytes| block > 0 && !bytes.is_multiple_of(block))?;
    Some(case.finding(
        "unaligned",
        Severity::Warn,
        format!(
            "Sizes or offsets of {} do not fit the device's physical blocks of {}: the device reads a {}, and may \
             touch two where one would do.",
            Bytes(odd),
            Bytes(block),
            match blocks.mix.writes() {
                true => "block before it writes a part of it",
                false => "whole block for each part",
            }
        ),
        (
            "Use sizes and offsets that are multiples of the physical block.",
            [Knob::BlockSize, Knob::Alignment, Knob::Offset],
        ),
    ))
}

/// Sizes that I/Os have, those included that are the first to fit no block.
fn sizes_of(sizes: &Sizes) -> Vec<u64> {
    match sizes {
        Sizes::Fixed(size) => vec![*size],
        // Multiples of the smallest.
        Sizes::Range { min, unaligned, .. } => match unaligned {
            true => vec![*min, min.saturating_add(1)],
            false => vec![*min],
        },
        Sizes::Split(parts) => parts.iter().map(|part| part.0).collect(),
    }
}

/// Code `resident-at-start` (warn): buffered reads, and more than 1 % of a target was in the page cache when its stage
/// began, by cachestat(2); where leadline read it into the cache on request it is what was asked for.
pub(super) fn resident_at_start(case: &Case<'_>) -> Option<Finding> {
    let blocks = case.plan.blocks();
    let in_memory = case.summary.labels.client == ClientCache::InMemory;
    let cached = case.is_real() && blocks.mix.has_reads() && !blocks.open.direct && !in_memory;
    if !cached || blocks.prepare.pre_read {
        return None;
    }
    let key = match blocks.prepare.drop_cache {
        true => FactKey::CACHED_AT_START,
        false => FactKey::LEFT_IN_CACHE,
    };
    let mine = |f: &&Fact| match &blocks.target {
        Target::Paths(paths) => paths.contains(&f.subject),
        _ => true,
    };
    let facts = case
        .run
        .facts
        .iter()
        .filter(|f| f.key() == key)
        .filter(mine);
    let shares = facts.filter_map(|f| Some((f.value.percent()?, f)));
    let (share, fact) = shares.max_by_key(|s| s.0)?;
    (share > Percent::whole(1)).then(|| {
        case.finding(
            "resident-at-start",
            Severity::Warn,
            format!(
                "{:.1} % of {} were in this host's page cache when the stage began: reading them does \
                 not involve the target.",
                share.of_100(),
                fact.subject
            ),
            (
                "Use O_DIRECT, or drop the cache before the start.",
                [Knob::Direct],
            ),
        )
    })
}

/// First writes among the writes of a workload: at most N bytes, and bytes of all; `None` where the plan does not say
/// how much it covers. `share` of that had never been written before the stage. Sequential writes have reached in the
/// warm-up what they wrote there; random ones may reach a block of theirs at any time.
fn first_writes(case: &Case<'_>, share: Percent) -> Option<(u64, u64)> {
    let set = super::data::working_set(case)?;
    let new = crate::words::whole(set as f64 * share.of_100() / 100.0);
    let bytes = |warmup: bool| -> u64 {
        let own = case.samples.iter().filter(|sample| sample.warmup == warmup);
        own.map(|sample| sample.counts.op(Op::Write).map_or(0, |op| op.bytes))
            .sum()
    };
    let (before, measured) = (bytes(true), bytes(false));
    let (new, written) = match case.plan.blocks().access.order.is_random() {
        true => (new, before.saturating_add(measured)),
        false => (new.saturating_sub(before), measured),
    };
    (written > 0).then(|| (new.min(written), written))
}

/// Which share, 0 to 1, of the blocks of this workload's target the stages before it have not written: what is known of a
/// file is from before the first of them. Sequential writes reach block after block; random ones of as many bytes as there
/// are leave 1 in e of the blocks.
fn left_by_earlier_stages(case: &Case<'_>) -> f64 {
    let target = &case.plan.blocks().target;
    let is_same = |other: &Target| match (target, other) {
        (Target::Paths(own), Target::Paths(others)) => own.iter().all(|path| others.contains(path)),
        (own, other) => own == other,
    };
    let earlier = case.run.stages.iter().take_while(|s| s.stage != case.stage);
    let passes = earlier.flat_map(|stage| {
        let plan = crate::summary::planned(case.run, stage.stage);
        let workloads = plan.map_or(&[][..], |plan| &plan.workloads[..]);
        (0_u32..)
            .zip(workloads)
            .filter_map(move |(number, workload)| {
                let set = super::data::set_of(case.run, workload)?;
                let own = stage.samples.iter().filter(|s| s.workload == number);
                let bytes: u64 = own
                    .filter_map(|s| Some(s.counts.op(Op::Write)?.bytes))
                    .sum();
                let pass = bytes as f64 / (set as f64).max(1.0);
                let blocks = workload.blocks();
                let counts = is_same(&blocks.target) && blocks.mix.writes();
                counts.then_some((blocks.access.order.is_random(), pass))
            })
    });
    passes
        .map(|(random, pass)| match random {
            true => (-pass).exp(),
            false => (1.0 - pass).max(0.0),
        })
        .product()
}

/// Code `first-write` (warn): more than 1 % of what a workload wrote may have been first writes, as that of its blocks had
/// never been written before its stage; silent where it then wrote the same blocks so often that they were fewer.
pub(super) fn first_write(case: &Case<'_>) -> Option<Finding> {
    if !case.is_real() || !case.plan.blocks().mix.writes() {
        return None;
    }
    let mine = |f: &&Fact| match &case.plan.blocks().target {
        Target::Paths(paths) => paths.contains(&f.subject),
        _ => true,
    };
    let facts = case.run.facts.iter().filter(mine);
    let new = facts.filter(|f| f.key() == FactKey::NEVER_WRITTEN);
    let shares = new.filter_map(|f| Some((f.value.percent()?, f)));
    let (share, fact) = shares.max_by_key(|s| s.0)?;
    let share = Percent::nearest(share.of_100() * left_by_earlier_stages(case));
    if share <= Percent::whole(1) {
        return None;
    }
    let what = match first_writes(case, share) {
        Some((first, written)) if first as f64 <= 0.01 * written as f64 => return None,
        Some((first, written)) if first < written => format!(
            "Up to {} of the {} written ({}) were first writes to {} ({:.1} % of it had never been written before)",
            Bytes(first),
            Bytes(written),
            percent(first as f64 / written as f64),
            fact.subject,
            share.of_100(),
        ),
        _ => format!(
            "{:.1} % of the written range of {} had never been written before",
            share.of_100(),
            fact.subject
        ),
    };
    Some(case.finding(
        "first-write",
            Severity::Warn,
            format!(
                "{what}: a first write also allocates and changes metadata, later ones of the same blocks do not."
            ),
            (
                "Write all of it once before measuring overwrites, or say that first writes are meant.",
                [Knob::WriteOnce],
            ),
        ))
}

/// Code `not-preconditioned` (warn): writes to a local solid-state drive that has taken less than twice its own size
/// since the kernel knows it, this stage included. In a virtual machine only models that are known to be local.
pub(super) fn not_preconditioned(whole: &Whole<'_>) -> Option<Finding> {
    const LOCAL: [&str; 3] = ["Instance Storage", "NVMe Direct Disk", "nvme_card0"];
    let (host, (name, written, size)) = whole.first(|host| {
        let virtual_machine = whole.host_fact(host.host, FactKey::VIRTUAL).is_some();
        let of = |device: &str, key| whole.device_fact(host.host, device, key).map(|f| &f.value);
        host.devices.iter().find_map(|device| {
            let text = |key| of(&device.name, key).and_then(|value| value.text());
            let bytes = |key| Some(of(&device.name, key)?.bytes()?.0);
            let drive = matches!(text(FactKey::DEVICE_KIND)?, "NVMe" | "ATA" | "SCSI");
            let model = text(FactKey::DEVICE_MODEL).unwrap_or_default();
            let local = !virtual_machine || LOCAL.iter().any(|known| model.contains(known));
            let solid = of(&device.name, FactKey::ROTATIONAL)?.count()? == 0;
            let size = bytes(FactKey::DEVICE_SIZE)?;
            let written = bytes(FactKey::WRITTEN_SINCE_BOOT)?.saturating_add(host.own.bytes[1]);
            let wrote = host.own.bytes[1] > 0;
            (drive && local && solid && wrote && written < size.saturating_mul(2))
                .then(|| (device.name.clone(), written, size))
        })
    })?;
    Some(whole.finding(
        "not-preconditioned",
        Severity::Warn,
        format!(
            "{name}{} of {} has taken {} of writes since this host started: a solid-state drive writes \
             faster until its spare blocks are used up.",
            whole.on(host),
            Bytes(size),
            Bytes(written)
        ),
        "Write twice its size first (SNIA's preconditioning), then measure until the rate is steady.",
    ))
}

/// Code `cache-not-warmed` (info): in a virtual machine, direct reads of a device that has read less than its targets hold
/// since the host started: a cache of the hypervisor or the storage on the way cannot have been warm.
pub(super) fn cache_not_warmed(whole: &Whole<'_>) -> Option<Finding> {
    if !whole.all_direct() {
        return None;
    }
    let (host, (name, read, set)) = whole.first(|host| {
        whole.host_fact(host.host, FactKey::VIRTUAL)?;
        let device = host.only_device().filter(|_| host.own.ios[0] > 0)?;
        let read = whole.device_fact(host.host, &device.name, FactKey::READ_SINCE_BOOT)?;
        let read = read.value.bytes()?.0;
        let sizes = whole.run.facts.iter().filter(|f| f.host == host.host);
        let sizes = sizes.filter(|f| f.key() == FactKey::TARGET_SIZE);
        let set: u64 = sizes.filter_map(|f| f.value.bytes()).map(|b| b.0).sum();
        (read < set).then(|| (device.name.clone(), read, set))
    })?;
    let up = whole.host_fact(host, FactKey::UP);
    let up = up.map_or_else(String::new, |fact| format!(" {} ago", fact.value));
    Some(whole.finding(
        "cache-not-warmed",
        Severity::Info,
        format!(
            "Since this host{} started{up}, {name} has read {} of the {} that the targets hold: a cache \
             on the way (of the hypervisor, for one) was cold.",
            whole.on(host),
            Bytes(read),
            Bytes(set)
        ),
        "For the figures of a warm cache, read the targets first, for as long as it takes.",
    ))
}

/// Code `host-cache` (info): in a cloud whose hosts have a read cache for disks, that of this kind of machine can hold what
/// was read, which is more than the memory; or it holds a part of it only.
pub(super) fn host_cache(whole: &Whole<'_>) -> Option<Finding> {
    if !whole.all_direct() {
        return None;
    }
    let (host, (cache, memory, set)) = whole.first(|host| {
        let bytes = |key| whole.host_fact(host.host, key)?.value.bytes().map(|b| b.0);
        let disks = whole.host_fact(host.host, FactKey::CLOUD_DISKS)?;
        let disks = disks.value.text()?;
        let cached = [":ro", ":rw"].iter().any(|way| disks.contains(way));
        let cache = bytes(FactKey::HOST_CACHE).filter(|_| cached && host.own.ios[0] > 0)?;
        let memory = bytes(FactKey::MEMORY)?;
        let sets = whole.plan.workloads.iter().filter(|w| super::is_real(w));
        let sets = sets.filter_map(|w| super::data::set_of(whole.run, w));
        let set: u64 = sets.sum();
        (set > memory).then_some((cache, memory, set))
    })?;
    let [cache, memory, set] = [cache, memory, set].map(Bytes);
    let on = whole.on(host);
    let (text, cure) = match set <= cache {
        true => (
            format!(
                "The data set of {set}{on} is larger than the memory ({memory}) but fits in the cache that the cloud's \
                 host has for its disks ({cache}): once it was read, that cache serves further reads of a disk that \
                 uses it."
            ),
            "Report the figures as those of the host's cache; to measure the disk, use a data set several times as \
             large as the cache.",
        ),
        false => (
            format!(
                "The data set of {set}{on} is larger than the cache that the cloud's host has for its disks ({cache}): \
                 reads of a disk with that cache are a mixture of cache hits and reads from the disk."
            ),
            "To measure one of the two alone, use a data set that fits in the cache, or one several times as large.",
        ),
    };
    Some(whole.finding("host-cache", Severity::Info, text, (cure, [Knob::Size])))
}
