//! Whether the target itself was in a state in which its figures stand for it.
//!
//! Belongs here: checks of facts about file systems and devices below the targets. Must never: report on facts that are
//! not there.

use super::whole::Whole;
use super::{Case, Finding, Severity, percent};
use crate::summary::labels::ClientCache;
use leadline_model::cure::Knob;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::plan::{Amount, Target};
use leadline_model::units::{Bytes, Percent};

/// Code `volume-full` (warn): more than 85 % of a file system that holds a target was used before the run.
pub(super) fn volume_full(whole: &Whole<'_>) -> Option<Finding> {
    const FULL: f64 = 0.85;
    let facts = || whole.run.facts.iter();
    let sizes = facts().filter(|f| f.key() == FactKey::MOUNT_SIZE);
    let used = sizes.filter_map(|size| {
        let same = |f: &&Fact| f.host == size.host && f.subject == size.subject;
        let free = facts()
            .filter(same)
            .find(|f| f.key() == FactKey::MOUNT_FREE)?;
        let (all, free) = (size.value.bytes()?.0, free.value.bytes()?.0);
        let used = 1.0 - free as f64 / (all as f64).max(1.0);
        (all > 0).then_some((used, size, all))
    });
    let (used, at, all) = used
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|u| u.0 > FULL)?;
    Some(whole.finding(
        "volume-full",
        Severity::Warn,
        format!(
            "{} of {}{} ({}) were used before the run: allocation, garbage collection and snapshots \
             slow a file system or drive that is nearly full.",
            percent(used),
            at.subject,
            whole.on(at.host),
            Bytes(all)
        ),
        "Free space below 85 %, or say with the figures how full it was.",
    ))
}

/// Code `unaligned` (warn): direct I/Os whose size or offset is no multiple of the smallest physical block of the devices
/// below.
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
    let mut parts = Vec::new();
    if blocks.mix.has_reads() {
        parts.push((blocks.sizes.by_op.read.min(), blocks.sizes.align.read));
    }
    if blocks.mix.writes() {
        parts.push((blocks.sizes.by_op.write.min(), blocks.sizes.align.write));
    }
    let offset = match blocks.region.offset {
        Amount::Bytes(offset) => offset,
        _ => 0,
    };
    let all = parts
        .into_iter()
        .flat_map(|(size, align)| [Some(size), align]);
    let mut all = all.flatten().chain([offset]);
    let odd = all.find(|bytes| block > 0 && !bytes.is_multiple_of(block))?;
    Some(case.finding(
        "unaligned",
        Severity::Warn,
        format!(
            "Sizes or offsets of {} do not fit the device's physical blocks of {}: it reads a block \
             before it writes a part of it, and may touch two where one would do.",
            Bytes(odd),
            Bytes(block)
        ),
        (
            "Use sizes and offsets that are multiples of the physical block.",
            [Knob::BlockSize, Knob::Alignment, Knob::Offset],
        ),
    ))
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
                "{:.1} % of {} were in this host's page cache when the stage began: reading them asks \
                 nothing of the target.",
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
