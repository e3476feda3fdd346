//! What disks are allowed: of one kind, and together on one way past or through the host's cache.
//!
//! Belongs here: from rows and sets of disks to their limits. Must never appear here: what the machine allows.

use crate::book::Book;
use crate::limit::{Burst, Limit, Metric, Scope};
use crate::number::sized;
use crate::row::{MIB, Row, TIB};
use crate::setup::Setup;
use crate::value::{Cache, Class, DiskSet, Path};

/// The ways on which the I/O of a set of disks goes as far as the disks.
fn way_of(set: &DiskSet, row: Class) -> (Path, Class) {
    match set.cache {
        Cache::None => (Path::Uncached, row),
        // Reads that hit the cache do not reach the disk; writes do, at once or in the end.
        Cache::Reads | Cache::ReadsAndWrites => (Path::Cached, Class::Writes),
    }
}

/// A limit of a set of disks, that of its burst, and what all such disks reach on one machine.
#[derive(Clone)]
struct SetLimit {
    /// Number of the set.
    set: usize,
    limit: Limit,
    burst: Option<Limit>,
    most: f64,
}

/// The limits of all disks: those on one way together, since the I/O of a volume is spread over them.
pub(crate) fn of_disks(setup: &Setup, book: &Book, limits: &mut Vec<Limit>) {
    let mut ways: Vec<Vec<SetLimit>> = Vec::new();
    let known = in_both_measures(of_sets(setup, book), setup);
    for one in by_class(&known) {
        // Two rows about one set say the same of it, or contradict each other: they are no sum.
        let alike = |way: &&mut Vec<SetLimit>| {
            way[0].limit.metric == one.limit.metric
                && way[0].limit.counts == one.limit.counts
                && way.iter().all(|other| other.set != one.set)
        };
        match ways.iter_mut().find(alike) {
            Some(way) => way.push(one),
            None => ways.push(vec![one]),
        }
    }
    for way in with_the_others(ways) {
        let (limit, burst) = together(way, setup.machines());
        limits.push(limit);
        limits.extend(burst);
    }
}

/// The limits of each set alone.
fn of_sets(setup: &Setup, book: &Book) -> Vec<SetLimit> {
    let sets = setup.disks.iter().enumerate();
    let all = sets.flat_map(|(number, set)| {
        let rows = book.disk(&set.name, set.gib());
        let each = rows.flat_map(|row| of_row(row, set, setup.machines()));
        each.map(move |limit| SetLimit {
            set: number,
            ..limit
        })
    });
    all.collect()
}

/// Which measure of the disks on one way is left out, because one of them is limited in the other alone and without a
/// block size nothing follows from that.
pub(crate) fn left_out(setup: &Setup, book: &Book) -> Option<String> {
    if setup.block.is_some() {
        return None;
    }
    let all = of_sets(setup, book);
    let path = |one: &SetLimit| one.limit.counts[0].0;
    let lacks = |one: &SetLimit, metric: Metric| {
        let mut own = all.iter().filter(|other| other.set == one.set);
        !own.any(|other| path(other) == path(one) && other.limit.metric == metric)
    };
    for (metric, name) in [(Metric::Iops, "IOPS"), (Metric::Bytes, "bytes a second")] {
        for one in all.iter().filter(|one| one.limit.metric == metric) {
            let other = all
                .iter()
                .find(|other| path(other) == path(one) && lacks(other, metric));
            if let Some(other) = other {
                return Some(format!(
                    "the limit of {} in {name} is left out: {} has none in {name}, and what both have together depends on the \
                     block size (--bs)",
                    one.limit.what, other.limit.what
                ));
            }
        }
    }
    None
}

/// Sums of the second row about a set with the first ones of the other sets.
fn with_the_others(mut ways: Vec<Vec<SetLimit>>) -> Vec<Vec<SetLimit>> {
    for at in 1..ways.len() {
        let (before, rest) = ways.split_at_mut(at);
        let way = &mut rest[0];
        let alike = |first: &&Vec<SetLimit>| {
            first[0].limit.metric == way[0].limit.metric
                && first[0].limit.counts == way[0].limit.counts
        };
        let Some(first) = before.iter().find(alike) else {
            continue;
        };
        let own: Vec<usize> = way.iter().map(|one| one.set).collect();
        way.extend(first.iter().filter(|one| !own.contains(&one.set)).cloned());
    }
    ways
}

/// The same, and of a set that has a limit of one measure only the other one too, for the block size, where another set on
/// its way has it: what both do together follows from that.
fn in_both_measures(mut limits: Vec<SetLimit>, setup: &Setup) -> Vec<SetLimit> {
    let Some(block) = setup.block else {
        return limits;
    };
    let path = |one: &SetLimit| one.limit.counts[0].0;
    let has = |limits: &[SetLimit], of: &SetLimit, metric: Metric, own: bool| {
        limits.iter().any(|other| {
            path(other) == path(of) && other.limit.metric == metric && (other.set == of.set) == own
        })
    };
    let mut more = Vec::new();
    for one in &limits {
        let (metric, times) = match one.limit.metric {
            Metric::Bytes => (Metric::Iops, 1.0 / block),
            _ => (Metric::Bytes, block / one.limit.ios_of(block)),
        };
        if !has(&limits, one, metric, true) && has(&limits, one, metric, false) {
            let of = |limit: &Limit| Limit {
                metric,
                value: limit.value * times,
                each: limit.each.map(|each| each * times),
                burst: limit.burst.map(|burst| Burst {
                    base: burst.base * times,
                    bucket: burst.bucket * times,
                }),
                io_bytes: None,
                ..limit.clone()
            };
            more.push(SetLimit {
                set: one.set,
                limit: of(&one.limit),
                burst: one.burst.as_ref().map(of),
                most: f64::INFINITY,
            });
        }
    }
    limits.extend(more);
    limits
}

/// The same, where sets on one way count apart what others count together: those of all I/O as one of reads and one of
/// writes. Where a set on a way has no limit of a measure and class, all of the way together have none.
fn by_class(limits: &[SetLimit]) -> Vec<SetLimit> {
    let (path, class) = (
        |one: &SetLimit| one.limit.counts[0].0,
        |one: &SetLimit| one.limit.counts[0].1,
    );
    let mut all = Vec::new();
    for one in limits {
        let on_way = |other: &&SetLimit| path(other) == path(one);
        let alike = |other: &&SetLimit| on_way(other) && other.limit.metric == one.limit.metric;
        let apart = |other: &SetLimit| class(other) != Class::All;
        let mixed = limits.iter().filter(alike).any(apart);
        let classes = match class(one) {
            Class::All if mixed => vec![Class::Reads, Class::Writes],
            own => vec![own],
        };
        for own in classes {
            let counts = |other: &SetLimit| class(other) == Class::All || class(other) == own;
            let limited = |set: usize| {
                limits
                    .iter()
                    .filter(alike)
                    .any(|l| l.set == set && counts(l))
            };
            if limits.iter().filter(on_way).all(|l| limited(l.set)) {
                let of = |limit: &Limit| Limit {
                    counts: vec![(path(one), own)],
                    ..limit.clone()
                };
                all.push(SetLimit {
                    limit: of(&one.limit),
                    burst: one.burst.as_ref().map(of),
                    ..one.clone()
                });
            }
        }
    }
    all
}

/// What a row allows a set of disks.
fn of_row(row: &Row, set: &DiskSet, machines: f64) -> Vec<SetLimit> {
    let [iops, bytes] = disk_rates(row, set);
    let count = f64::from(set.count);
    let mut all = Vec::new();
    for (metric, one) in [(Metric::Iops, iops), (Metric::Bytes, bytes)] {
        let Some(one) = one else { continue };
        let each = (one * count).min(most_of_machine(row, metric));
        let mut limit = Limit::of_row(row, Scope::Disk, metric, each, machines);
        limit.counts = vec![way_of(set, limit.counts[0].1)];
        limit.what = match set.count {
            1 => limit.what,
            count => format!("{count} x {}", limit.what),
        };
        if let Some(bytes) = set.bytes {
            limit.what = format!("{}, {}", limit.what, sized(bytes));
        }
        if set.cache != Cache::None {
            limit.note = "writes, and reads that miss the host's cache".to_owned();
        }
        let burst = burst((row, set.gib()), metric, one, count * machines, &limit);
        let most = most_of_machine(row, metric);
        all.push(SetLimit {
            set: 0,
            limit,
            burst,
            most,
        });
    }
    all
}

/// What disks of a kind reach on one machine, however many there are; infinite where each has its own.
pub(crate) fn most_of_machine(row: &Row, metric: Metric) -> f64 {
    let most = match metric {
        Metric::Bytes => row.number("mib_max").map(|mib| mib * MIB),
        _ => row.number("iops_max"),
    };
    most.filter(|_| row.is("max_of_machine"))
        .unwrap_or(f64::INFINITY)
}

/// The limits of several sets of disks on one way as one: their sum, as far as a machine lets such disks go.
fn together(mut way: Vec<SetLimit>, machines: f64) -> (Limit, Option<Limit>) {
    if way.len() == 1 {
        let one = way.remove(0);
        return (one.limit, one.burst);
    }
    let first = &way[0].limit;
    let most = way.iter().map(|one| one.most).fold(0.0, f64::max);
    let sum = |of: &dyn Fn(&SetLimit) -> f64| way.iter().map(of).sum::<f64>();
    let value = sum(&|one| one.limit.value).min(most * machines);
    let same_source = way.iter().all(|one| one.limit.source == first.source);
    let same_size = way.iter().all(|one| one.limit.io_bytes == first.io_bytes);
    let names: Vec<&str> = way.iter().map(|one| one.limit.what.as_str()).collect();
    let part = |one: &SetLimit| {
        let value = one.limit.metric.noted(one.limit.value);
        format!("{value} of {}", one.limit.what)
    };
    let parts: Vec<String> = way.iter().map(part).collect();
    let whole = Limit {
        what: names.join(" + "),
        value,
        each: Some(value / machines),
        io_bytes: first.io_bytes.filter(|_| same_size),
        source: first.source.clone().filter(|_| same_source),
        note: format!(
            "{}; a stripe gives each disk the same, and the slowest sets the rate of all",
            parts.join(" + ")
        ),
        ..first.clone()
    };
    let credits = |one: &SetLimit| one.burst.as_ref().and_then(|burst| burst.burst);
    let of_burst = |one: &SetLimit| one.burst.as_ref().map_or(one.limit.value, |b| b.value);
    let bursts = way.iter().any(|one| one.burst.is_some()).then(|| Limit {
        value: sum(&of_burst),
        each: Some(sum(&of_burst) / machines),
        burst: Some(Burst {
            base: value,
            bucket: sum(&|one| credits(one).map_or(0.0, |credits| credits.bucket)),
        }),
        note: "as long as burst credits last".to_owned(),
        ..whole.clone()
    });
    (whole, bursts)
}

/// IOPS and bytes per second of one disk.
pub(crate) fn disk_rates(row: &Row, set: &DiskSet) -> [Option<f64>; 2] {
    let gib = set.gib().or(row.number("gib"));
    let for_size = |base: &str, slope: Option<f64>| {
        let slope = slope.zip(gib).map(|(slope, gib)| slope * gib)?;
        Some(slope + row.number(base).unwrap_or(0.0))
    };
    let iops = match set.iops {
        Some(iops) => Some(iops.min(row.iops_most(gib))),
        None => row.number("iops").or_else(|| {
            let iops = for_size("iops_base", row.number("iops_per_gib"))?;
            let least = row.number("iops_least").unwrap_or(0.0);
            Some(
                iops.max(least)
                    .min(row.number("iops_max").unwrap_or(f64::INFINITY)),
            )
        }),
    };
    let per_iops = row
        .rate("_per_iops")
        .zip(iops)
        .map(|(bytes, iops)| bytes * iops);
    let most = row.rate_most(iops);
    let bytes = match set.rate {
        Some(rate) => Some(rate.min(most)),
        None => row.rate("").or_else(|| {
            let per_gib = row.number("mib_per_tib").map(|mib| mib / 1024.0);
            let mib = for_size("mib_base", per_gib)?;
            Some(mib.min(row.number("mib_max").unwrap_or(f64::INFINITY)) * MIB)
        }),
    };
    let most = row
        .number("mib_max")
        .map_or(most, |mib| most.min(mib * MIB));
    [iops, bytes.or(per_iops.map(|bytes| bytes.min(most)))]
}

/// Bytes per second of a burst that no size changes.
fn burst_bytes(row: &Row) -> Option<f64> {
    let mb = row.number("burst_mb").map(|mb| mb * 1e6);
    mb.or_else(|| row.number("burst_mib").map(|mib| mib * MIB))
}

/// The rate of a burst beside a base of `one`, of a disk of that size in GiB or a machine; `None` where there is no
/// higher one.
pub(crate) fn burst(
    (row, gib): (&Row, Option<f64>),
    metric: Metric,
    one: f64,
    times: f64,
    of: &Limit,
) -> Option<Limit> {
    let for_size = |key: &str| Some(row.number(key)? * gib? / 1024.0);
    let rate = match metric {
        Metric::Iops => row.number("burst_iops"),
        _ => burst_bytes(row).or_else(|| {
            let most = row.number("burst_mib_max").unwrap_or(f64::INFINITY);
            Some(for_size("burst_mib_per_tib")?.min(most) * MIB)
        }),
    };
    let rate = rate.filter(|rate| *rate > one)?;
    let held = match metric {
        Metric::Iops => row.number("burst_ios"),
        // Credits for I/Os of the largest size that counts as one.
        _ => for_size("burst_tib_per_tib")
            .map(|tib| tib * TIB)
            .or_else(|| Some(row.number("burst_ios")? * row.number("io_kib")? * 1024.0)),
    };
    let lasting = row.number("burst_s").map(|seconds| (rate - one) * seconds);
    Some(Limit {
        value: rate * times,
        each: of.each.map(|each| each / one * rate),
        burst: Some(Burst {
            base: of.value,
            bucket: held.or(lasting)? * times,
        }),
        note: "as long as burst credits last".to_owned(),
        ..of.clone()
    })
}
