//! Whether the set of data and the order of its blocks were such that caches did not help.

use super::Case;
use crate::run::Run;
use crate::summary::labels::{ClientCache, Offsets};
use leadline_model::cure::Knob;
use leadline_model::facts::FactKey;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Amount, Grid, Target, Workload};
use leadline_model::units::Bytes;

/// Code `tail-untouched` (info): the region is not a multiple of the largest I/O, and what is left at its
/// end was never read or written (Vdbench's law of offsets).
pub(super) fn untouched_tail(case: &Case<'_>) -> Option<Finding> {
    let (Grid::Own, Some(Amount::Bytes(size))) = (
        case.plan.blocks().access.grid,
        case.plan.blocks().region.size,
    ) else {
        return None;
    };
    let largest = case.plan.blocks().largest();
    let tail = size.checked_rem(largest).filter(|&tail| tail > 0)?;
    Some(case.finding(
        "tail-untouched",
        Severity::Info,
        format!(
            "The last {} of {} were never accessed: {} is not a multiple of {}.",
            Bytes(tail),
            crate::summary::target_name(case.plan),
            Bytes(size),
            Bytes(largest)
        ),
        "Use a size that is a multiple of the largest block size.",
    ))
}

/// Code `kept-in-memory` (fail with O_DIRECT to a file, else warn): the bytes of a target are in this host's memory
/// (tmpfs, an overlay on it, zram, a loop device over them). tmpfs takes O_DIRECT and has nothing to bypass.
pub(super) fn kept_in_memory(case: &Case<'_>) -> Option<Finding> {
    if !case.is_real() || case.summary.labels.client != ClientCache::InMemory {
        return None;
    }
    let mut kept = case
        .run
        .facts
        .iter()
        .filter(|f| f.key() == FactKey::KEPT_IN_MEMORY);
    let mine = |f: &&leadline_model::facts::Fact| match &case.plan.blocks().target {
        Target::Paths(paths) => paths.contains(&f.subject),
        _ => true,
    };
    let fact = kept.clone().find(mine).or_else(|| kept.next())?;
    let way = fact.value.text()?;
    let masked = case.plan.blocks().open.direct && way.contains("tmpfs");
    let (severity, direct) = match masked {
        true => (
            Severity::Fail,
            "; it accepts O_DIRECT without having a device",
        ),
        false => (Severity::Warn, ""),
    };
    Some(case.finding(
        "kept-in-memory",
        severity,
        format!(
            "{} is in this host's memory ({way}){direct}: the figures are those of memory and of the \
             kernel, not of storage.",
            fact.subject
        ),
        "Use a target on the storage that is to be measured.",
    ))
}

/// Code `fits-memory` (warn): buffered, and the set of data is smaller than twice the memory.
pub(super) fn fits_memory(case: &Case<'_>) -> Option<Finding> {
    let buffered = case.summary.labels.client.is_buffered();
    let set = working_set(case)?;
    let memory = memory(case)?;
    (buffered && set <= memory.0.saturating_mul(2)).then(|| {
        case.finding(
            "fits-memory",
            Severity::Warn,
            format!(
                "Buffered I/O on {} with {} of memory: this host's page cache can serve what was read or written once, \
                 in place of the target.",
                Bytes(set),
                memory
            ),
            (
                "Use a data set of at least twice the memory, or O_DIRECT.",
                [Knob::Direct],
            ),
        )
    })
}

/// Bytes all workers touch, as far as the plan and the sizes of its targets say so.
pub(super) fn working_set(case: &Case<'_>) -> Option<u64> {
    set_of(case.run, case.plan)
}

/// Bytes all workers of a workload touch: as the plan has it, or, where that names no size or a share of the target, by
/// the sizes that paths had before the run.
pub(super) fn set_of(run: &Run, plan: &Workload) -> Option<u64> {
    let region = &plan.blocks().region;
    let (each, within) = match (region.size, region.file_size, &plan.blocks().target) {
        (Some(Amount::Bytes(bytes)), ..) => (bytes, None),
        (Some(share @ Amount::Percent(_)), _, Target::Paths(paths)) => {
            let all = size_of_paths(run, plan, paths, Amount::default())?;
            (share.of(all), Some(all))
        }
        (None, Some((_, largest)), Target::Files(set)) => {
            (largest.saturating_mul(set.count.into()), None)
        }
        (None, Some((_, largest)), Target::Paths(paths)) => {
            let paths = paths.len().try_into().ok()?;
            (largest.saturating_mul(paths), None)
        }
        (None, None, Target::Paths(paths)) => {
            let all = size_of_paths(run, plan, paths, region.offset)?;
            (all, Some(all))
        }
        _ => return None,
    };
    // Workers on paths share them, unless each has its own part.
    let shared = matches!(plan.blocks().target, Target::Paths(_))
        && plan.blocks().region.offset_step == Amount::default();
    let workers = if shared { 1 } else { u64::from(plan.clones) };
    let all = each.saturating_mul(workers);
    Some(within.map_or(all, |within| all.min(within)))
}

/// What paths held before the run from this offset of each on, as the first host has them; `None` where one of them was
/// empty, or its size is not known.
fn size_of_paths(run: &Run, plan: &Workload, paths: &[String], offset: Amount) -> Option<u64> {
    let region = &plan.blocks().region;
    if region.until_full || region.beyond_end.is_some() {
        return None;
    }
    let of = |path: &String| {
        let size = size_of_path(run, path).filter(|size| *size > 0)?;
        let end = region.end.map_or(size, |end| end.min(size));
        Some(end.saturating_sub(offset.of(size)))
    };
    let sizes = paths.iter().map(of).collect::<Option<Vec<u64>>>()?;
    Some(sizes.into_iter().fold(0, u64::saturating_add)).filter(|all| *all > 0)
}

/// The size of a file or device before the run.
fn size_of_path(run: &Run, path: &str) -> Option<u64> {
    let size = |key: FactKey<'_>, subject: &str| {
        let mut facts = run.facts.iter();
        let fact = facts.find(|f| f.key() == key && f.subject == subject)?;
        fact.value.bytes().map(|bytes| bytes.0)
    };
    // Devices are known by the kernel's name, which is the last part of the path that links to them resolve to.
    let device = || {
        let mut facts = run.facts.iter();
        let real = facts.find(|f| f.key() == FactKey::RESOLVES_TO && f.subject == path);
        let real = real.and_then(|fact| fact.value.text()).unwrap_or(path);
        let name = real.strip_prefix("/dev/")?;
        size(FactKey::DEVICE_SIZE, name)
    };
    size(FactKey::TARGET_SIZE, path).or_else(device)
}

/// Memory of the host.
pub(super) fn memory(case: &Case<'_>) -> Option<Bytes> {
    let mut facts = case.run.facts.iter();
    facts.find(|f| f.key() == FactKey::MEMORY)?.value.bytes()
}

/// Code `repeated-offsets` (warn): random reads whose seed the plan fixes, so that each run of it asks
/// for the same blocks in the same order.
pub(super) fn repeated_offsets(case: &Case<'_>) -> Option<Finding> {
    let repeated = case.summary.labels.offsets == Offsets::RepeatedSeed;
    (case.is_real() && repeated && case.plan.blocks().mix.has_reads()).then(|| {
        case.finding(
            "repeated-offsets",
            Severity::Warn,
            format!(
                "The plan fixes the seed ({}): each run reads the same blocks in the same order, \
                 and a server or device cache may still hold them from the previous run.",
                case.plan.blocks().access.seed.unwrap_or_default()
            ),
            (
                "For a cold-cache result, use a fresh seed.",
                [Knob::FreshSeed],
            ),
        )
    })
}
