//! Which rows apply to a set-up, and the limits that they make.
//!
//! Belongs here: from rows and a set-up to limits, least first. Must never appear here: what a figure says about them, or
//! the limits of disks (`disks`).

use crate::book::Book;
use crate::disks::{burst, of_disks};
use crate::limit::{Limit, Metric, Scope};
use crate::number::{grouped, sized};
use crate::row::{MIB, Row, TIB};
use crate::setup::Setup;
use crate::value::{Cache, Class, Path};
use std::cmp::Ordering;

/// All limits of a set-up, least first: by the rate at which each is reached, where the block size says it for all;
/// otherwise throughputs, IOPS and I/Os in flight apart. Published results, which are no limits, come after them, and
/// last what counts none of the I/O.
#[must_use]
pub fn limits(setup: &Setup, book: &Book) -> Vec<Limit> {
    let mut limits = Vec::new();
    of_service(setup, book, &mut limits);
    of_disks(setup, book, &mut limits);
    of_machine(setup, book, &mut limits);
    both_ways(setup, &mut limits);
    of_network(setup, book, &mut limits);
    let order = |limit: &Limit| {
        let counts = limit.share(setup.reads) > 0.0;
        let (group, value) = match limit.in_iops(setup).filter(|_| setup.block.is_some()) {
            Some(iops) => (Metric::Bytes, iops),
            None => (limit.metric, limit.value),
        };
        (!counts, limit.measured, group, value)
    };
    limits.sort_by(|a, b| {
        let ((no_a, seen_a, group_a, a), (no_b, seen_b, group_b, b)) = (order(a), order(b));
        let groups = (no_a, seen_a, group_a).cmp(&(no_b, seen_b, group_b));
        groups.then(a.partial_cmp(&b).unwrap_or(Ordering::Equal))
    });
    limits
}

/// What a volume or pool is allowed for its size, and what any volume is.
fn of_service(setup: &Setup, book: &Book, limits: &mut Vec<Limit>) {
    let Some(service) = &setup.service else {
        return;
    };
    for row in book.named("level", service) {
        let quota_tib = setup.quota.map(|bytes| bytes / TIB);
        let named = |limit: Limit, size: Option<f64>| Limit {
            what: match size {
                Some(bytes) => format!("{}, {}", limit.what, sized(bytes)),
                None => limit.what.clone(),
            },
            ..limit
        };
        if let Some(most) = bytes_of(row, setup, quota_tib) {
            let limit = Limit::of_row(row, Scope::Volume, Metric::Bytes, most, 1.0);
            limits.push(named(
                limit,
                setup.quota.filter(|_| setup.assigned.is_none()),
            ));
        }
        if let Some(most) = iops_of(row, setup, quota_tib) {
            let limit = Limit::of_row(row, Scope::Volume, Metric::Iops, most, 1.0);
            limits.push(named(limit, setup.quota));
        }
        if let Some(pool) = setup.pool {
            let tib = pool / TIB;
            let whole = row.number("pool_mib_per_tib").or(row.number("mib_per_tib"));
            if let Some(whole) = whole {
                let mut limit =
                    Limit::of_row(row, Scope::Pool, Metric::Bytes, whole * tib * MIB, 1.0);
                limit.from = row.number("pool_mib_least").map(|least| least * MIB);
                limits.push(named(limit, Some(pool)));
            }
        }
        let kind = if setup.large { "large" } else { "regular" };
        let volumes = book.of("volume").filter(|volume| {
            volume.text("family") == row.text("family") && volume.text("name") == kind
        });
        for volume in volumes {
            let most = volume.number("mib_max").unwrap_or_default() * MIB;
            let mut limit = Limit::of_row(volume, Scope::VolumeMost, Metric::Bytes, most, 1.0);
            limit.what = format!("{kind} {} volume", volume.text("family"));
            limits.push(limit);
        }
    }
}

/// Bytes per second of a level.
fn bytes_of(row: &Row, setup: &Setup, quota_tib: Option<f64>) -> Option<f64> {
    let for_size = row.number("mib_per_tib").zip(quota_tib);
    let for_size = for_size.map(|(mib, tib)| mib * tib * MIB);
    let included = row.number("mib_included").map(|mib| mib * MIB);
    let most = row.rate("_max").unwrap_or(f64::INFINITY);
    setup
        .assigned
        .or(for_size)
        .or(included)
        .map(|bytes| bytes.min(most))
}

/// IOPS of a level.
fn iops_of(row: &Row, setup: &Setup, quota_tib: Option<f64>) -> Option<f64> {
    let included = row.number("iops_included").map(|iops| {
        let added = match (
            setup.assigned,
            row.number("mib_included"),
            row.number("iops_per_mib"),
        ) {
            (Some(bytes), Some(mib), Some(per)) => {
                let bytes = bytes.min(row.rate("_max").unwrap_or(f64::INFINITY));
                (bytes / MIB - mib).max(0.0) * per
            }
            _ => 0.0,
        };
        iops + added
    });
    let for_size = row.number("iops_per_tib").zip(quota_tib);
    let most = row.number("iops_max").unwrap_or(f64::INFINITY);
    let iops = included.or(for_size.map(|(iops, tib)| iops * tib))?;
    Some(iops.min(most))
}

fn of_machine(setup: &Setup, book: &Book, limits: &mut Vec<Limit>) {
    let Some((name, machines)) = &setup.machine else {
        return;
    };
    let mounted = setup.service.is_some() || setup.nfs.is_some();
    let neither = !mounted && setup.disks.is_empty();
    let (network, disks) = (neither || mounted, neither || !setup.disks.is_empty());
    let has = |cached: bool| {
        let mut sets = setup.disks.iter();
        neither || sets.any(|set| (set.cache != Cache::None) == cached)
    };
    for row in book.named("machine", name) {
        let (scope, counts) = match row.text("path") {
            "network" if network => (Scope::Egress, vec![(Path::Any, Class::Writes)]),
            "uncached" if disks && has(true) => {
                // What is written through the cache goes on to the disk.
                let own = has(false).then_some((Path::Uncached, Class::All));
                let through = (Path::Cached, Class::Writes);
                (Scope::Uncached, own.into_iter().chain([through]).collect())
            }
            "uncached" if disks => (Scope::Uncached, vec![(Path::Uncached, Class::All)]),
            "cached" if has(true) => (Scope::Cached, vec![(Path::Cached, Class::All)]),
            _ => continue,
        };
        let rates = [
            (Metric::Iops, row.number("iops")),
            (Metric::Bytes, row.rate("")),
        ];
        for (metric, each) in rates {
            let Some(each) = each else { continue };
            let mut limit = Limit::of_row(row, scope, metric, each, f64::from(*machines));
            limit.counts.clone_from(&counts);
            if let (Scope::Cached, Some(gib)) = (scope, row.number("cache_gib")) {
                let cache = format!("the host's cache has {gib:.0} GiB");
                limit.note = match limit.note.as_str() {
                    "" => cache,
                    note => format!("{note}; {cache}"),
                };
            }
            let burst = burst((row, None), metric, each, f64::from(*machines), &limit);
            limits.push(limit);
            limits.extend(burst);
        }
    }
}

/// The limit of both ways to disks together: each has the machine's limit, or that of the disks where it is lower.
fn both_ways(setup: &Setup, limits: &mut Vec<Limit>) {
    for metric in [Metric::Iops, Metric::Bytes] {
        let of = |scope: Scope| {
            let of = limits.iter().filter(move |limit| {
                let base = limit.burst.is_none() && !limit.disputed;
                limit.scope == scope && limit.metric == metric && base
            });
            of.filter(|limit| limit.counts[0].1 == Class::All)
                .map(|limit| limit.value)
        };
        let least = |scope: Scope| of(scope).reduce(f64::min);
        let (Some(uncached), Some(cached)) = (least(Scope::Uncached), least(Scope::Cached)) else {
            continue;
        };
        // Disks behind the host's cache count writes only, and are not here: reads are not limited by them.
        let (uncached, held_by) = match of(Scope::Disk).reduce(|a, b| a + b) {
            Some(disks) if disks < uncached => (disks, "the disks"),
            _ => (uncached, "the machine"),
        };
        let note = format!(
            "uncached {} ({held_by}) + cached {}",
            metric.noted(uncached),
            metric.noted(cached)
        );
        let sum = Limit::computed(Scope::BothPaths, metric, uncached + cached, note);
        limits.push(Limit {
            each: Some(sum.value / setup.machines()),
            what: "both ways at once".to_owned(),
            ..sum
        });
    }
}

/// Slots of NFS, connections, and what the I/Os in flight can do.
fn of_network(setup: &Setup, book: &Book, limits: &mut Vec<Limit>) {
    let connections = f64::from(setup.nconnect.unwrap_or(1));
    if let Some(version) = &setup.nfs {
        for row in book.named("slots", version) {
            let each = row.number("each").unwrap_or_default() * connections;
            let each = each.min(row.number("most").unwrap_or(f64::INFINITY));
            let mut limit =
                Limit::of_row(row, Scope::Slots, Metric::InFlight, each, setup.machines());
            let several = if setup.nconnect.unwrap_or(1) == 1 {
                ""
            } else {
                "s"
            };
            limit.what = format!("NFS {version}, {connections:.0} connection{several}");
            if !row.text("of").is_empty() {
                limit.what = format!("{}, slots {}", limit.what, row.text("of"));
            }
            limits.push(limit);
        }
    }
    let provider = setup.network(book);
    let by_nfs = setup.nfs.as_ref().map(|_| connections * setup.machines());
    let flows = setup.flows.map(f64::from).or(by_nfs);
    if let (Some(provider), Some(flows)) = (provider, flows) {
        for row in book.named("flow", provider) {
            let one = row.rate("").unwrap_or_default();
            let mut limit = Limit::of_row(row, Scope::Flow, Metric::Bytes, one * flows, 1.0);
            limit.each = None;
            limit.what = format!("{flows:.0} connections of {}", limit.what);
            limits.push(limit);
        }
    }
    if let (Some(in_flight), Some(latency)) = (setup.in_flight, setup.latency) {
        let iops = f64::from(in_flight) / latency;
        let note = format!("{in_flight} in flight, {} ms each", grouped(latency * 1e3));
        limits.push(Limit::computed(
            Scope::Concurrency,
            Metric::Iops,
            iops,
            note,
        ));
    }
}
