//! What a demand needs: quotas, I/Os in flight, a TCP window; disks and a machine are found in `sets`.
//!
//! Belongs here: from a demand to the smallest that meets it. Must never appear here: prices, which no row has.

use crate::book::Book;
use crate::limit::Metric;
use crate::number::grouped;
use crate::row::{GIB, MIB, Row, Source, TIB, sources_of};
use crate::sets::{self, DiskSets, Wanted};
use crate::setup::Setup;
use crate::value::Rate;
use std::cmp::Ordering;

/// The size at which a level meets a demand.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelSize {
    /// The service level.
    pub level: String,
    /// Of what: `regular volume`, `large volume`, `volume`, `pool, regular volume`, or `setting` for a rate that is set.
    pub of: String,
    /// Bytes of quota or pool that the rate takes, whether it can be had or not.
    pub quota: Option<f64>,
    /// Bytes per second that have to be set.
    pub set: Option<f64>,
    /// Why it cannot be had.
    pub unreachable: Option<String>,
    /// Bytes of the smallest pool, where that is more than is needed of it.
    pub pool: Option<f64>,
    /// Whether a row says what is the least that can be bought.
    pub least_known: bool,
    /// Where the rows are from that it rests on.
    pub sources: Vec<Source>,
}

/// What a demand needs of I/Os in flight and of the network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Needs {
    /// I/Os in flight: latency x rate.
    pub in_flight: Option<f64>,
    /// Seconds that an I/O takes on average when as many are in flight as were said.
    pub response: Option<f64>,
    /// Bytes on the way: throughput x round trip; the TCP windows of all connections together.
    pub window: Option<f64>,
}

/// What the block size would decide, where it was not said.
#[derive(Clone, Debug, PartialEq)]
pub struct WithoutBlock {
    /// The limits that are left out.
    pub unchecked: Metric,
    /// Levels without an answer for that.
    pub levels: Vec<String>,
}

/// What a demand needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizing {
    /// Each service level.
    pub levels: Vec<LevelSize>,
    /// Levels of which no row says how large a volume can be, or how fast.
    pub unbounded: Vec<String>,
    /// What is not considered without the block size.
    pub missing: Option<WithoutBlock>,
    /// Disks and a machine.
    pub sets: DiskSets,
    /// I/Os in flight and the network.
    pub needs: Needs,
}

impl Needs {
    /// Whole I/Os in flight that are enough.
    #[must_use]
    pub fn threads(&self) -> Option<f64> {
        // 342.0000001 I/Os are 342.
        self.in_flight
            .map(|in_flight| (in_flight - 1e-6).ceil().max(1.0))
    }
}

/// What the demand of a set-up needs; `None` where there is none.
#[must_use]
pub fn sizing(setup: &Setup, book: &Book) -> Option<Sizing> {
    let demand = setup.demand?;
    let (iops, bytes) = match demand {
        Rate::Iops(iops) => (Some(iops), setup.block.map(|block| iops * block)),
        Rate::Bytes(bytes) => (setup.block.map(|block| bytes / block), Some(bytes)),
    };
    let mut sizing = Sizing {
        needs: needs(setup, iops, bytes),
        ..Sizing::default()
    };
    let family = setup.service.as_ref().and_then(|service| {
        let mut rows = book.named("level", service);
        rows.next().map(|row| row.text("family"))
    });
    let provider = setup.provider(book);
    let is_own = |row: &&Row| {
        family.is_none_or(|family| family == row.text("family"))
            && provider.is_none_or(|provider| provider == row.text("provider"))
    };
    for row in book.of("level").filter(is_own) {
        let before = sizing.levels.len();
        level(row, book, (iops, bytes), &mut sizing.levels);
        for sized in sizing.levels.iter_mut().skip(before) {
            at_least(sized, row, book);
        }
    }
    let bounded = |level: &LevelSize| level.quota.is_none() || level.of != "volume";
    for level in sizing.levels.iter().filter(|level| !bounded(level)) {
        if !sizing.unbounded.contains(&level.level) {
            sizing.unbounded.push(level.level.clone());
        }
    }
    let mut levels = book.of("level").filter(is_own);
    sizing.missing = missing(demand, (iops, bytes), &mut levels, &sizing.levels);
    sizing.sets = sets::find(setup, book, Wanted { iops, bytes });
    Some(sizing)
}

/// What is left out where the block size is not known.
fn missing(
    demand: Rate,
    (iops, bytes): (Option<f64>, Option<f64>),
    levels: &mut dyn Iterator<Item = &Row>,
    sized: &[LevelSize],
) -> Option<WithoutBlock> {
    if iops.is_some() && bytes.is_some() {
        return None;
    }
    let names = levels.map(|row| row.text("name"));
    let unsized_ones = names.filter(|name| sized.iter().all(|level| level.level != *name));
    Some(WithoutBlock {
        unchecked: match demand {
            Rate::Iops(_) => Metric::Bytes,
            Rate::Bytes(_) => Metric::Iops,
        },
        levels: unsized_ones.map(str::to_owned).collect(),
    })
}

fn needs(setup: &Setup, iops: Option<f64>, bytes: Option<f64>) -> Needs {
    Needs {
        in_flight: iops
            .zip(setup.latency)
            .map(|(iops, latency)| iops * latency),
        response: iops
            .zip(setup.in_flight)
            .map(|(iops, in_flight)| f64::from(in_flight) / iops),
        window: bytes
            .zip(setup.latency)
            .map(|(bytes, latency)| bytes * latency),
    }
}

/// A size of a level that can be bought, and the rows that it rests on.
fn at_least(sized: &mut LevelSize, row: &Row, book: &Book) {
    let name = row.text("name");
    let number = |key: &str| book.least(name).find_map(|row| row.number(key));
    let volume = book.volumes(row).find(|volume| {
        sized
            .of
            .ends_with(&format!("{} volume", volume.text("name")))
    });
    let (own, pool) = (number("gib"), number("pool_gib"));
    let is_pool = sized.of.starts_with("pool");
    let least = if is_pool { pool } else { own };
    sized.quota = sized.quota.map(|quota| {
        let least = least.map_or(0.0, |gib| gib * GIB);
        quota.max(least)
    });
    let needed = sized.quota.unwrap_or(0.0);
    let pool = pool.map(|gib| gib * GIB);
    sized.pool = pool.filter(|least| !is_pool && *least > needed);
    let of_volume = volume.is_some_and(|volume| volume.number("gib_least").is_some());
    sized.least_known = own.is_some() || pool.is_some() || of_volume;
    let rows = [row].into_iter().chain(volume).chain(book.least(name));
    sized.sources = sources_of(rows);
}

fn size(
    (row, of): (&Row, &str),
    quota: Option<f64>,
    set: Option<f64>,
    unreachable: Option<String>,
) -> LevelSize {
    LevelSize {
        level: row.text("name").to_owned(),
        of: of.to_owned(),
        quota,
        set,
        unreachable,
        pool: None,
        least_known: false,
        sources: Vec::new(),
    }
}

/// Pools whose throughput is set, `per` MiB/s a TiB at most, each for a kind of volume.
fn pools(row: &Row, book: &Book, per: f64, mib: f64) -> Vec<LevelSize> {
    // No pool has less set than the least, and none more than goes with its size.
    let set = row.number("pool_mib_least").unwrap_or(0.0).max(mib);
    let volumes = book.volumes(row);
    let of = |volume: &Row| {
        let most = volume.number("mib_max").filter(|most| mib > *most);
        let why = most.map(|most| format!("{} MiB/s at most", grouped(most)));
        let of = format!("pool, {} volume", volume.text("name"));
        let holds = volume.number("gib_least").unwrap_or(0.0) / 1024.0;
        let tib = (set / per).max(holds);
        size((row, &of), Some(tib * TIB), Some(set * MIB), why)
    };
    volumes.map(of).collect()
}

/// A rate that is set, beyond `included` MiB/s with `per` IOPS for each; `None` where nothing is known of the demand.
fn setting(
    row: &Row,
    (included, per): (f64, f64),
    (iops, mib): (Option<f64>, Option<f64>),
) -> Option<LevelSize> {
    let of_iops = iops.map(|iops| {
        let over = iops - row.number("iops_included").unwrap_or(0.0);
        included + (over / per).max(0.0)
    });
    let wanted = of_iops.into_iter().chain(mib).reduce(f64::max)?;
    let set = wanted.max(included).ceil();
    let over = |key: &str, wanted: Option<f64>, unit: &str| {
        let most = row
            .number(key)
            .zip(wanted)
            .filter(|(most, wanted)| wanted > most);
        most.map(|(most, _)| format!("{} {unit} at most", grouped(most)))
    };
    let why = over("mib_max", Some(set), "MiB/s").or(over("iops_max", iops, "IOPS"));
    Some(size((row, "setting"), None, Some(set * MIB), why))
}

/// The sizes at which a level meets a demand.
fn level(
    row: &Row,
    book: &Book,
    (iops, bytes): (Option<f64>, Option<f64>),
    levels: &mut Vec<LevelSize>,
) {
    let size = |of: &str, quota, set, unreachable| size((row, of), quota, set, unreachable);
    let mib = bytes.map(|bytes| bytes / MIB);
    if let (Some(per), Some(mib)) = (row.number("pool_mib_per_tib"), mib) {
        levels.extend(pools(row, book, per, mib));
        return;
    }
    if let (Some(included), Some(per)) = (row.number("mib_included"), row.number("iops_per_mib")) {
        levels.extend(setting(row, (included, per), (iops, mib)));
        return;
    }
    let of_bytes = row
        .number("mib_per_tib")
        .zip(mib)
        .map(|(per, mib)| mib / per);
    let of_iops = row
        .number("iops_per_tib")
        .zip(iops)
        .map(|(per, iops)| iops / per);
    let Some(tib) = of_bytes.into_iter().chain(of_iops).reduce(f64::max) else {
        return;
    };
    let over = |most: Option<f64>, wanted: Option<f64>, unit: &str| {
        let most = most.zip(wanted).filter(|(most, wanted)| wanted > most);
        most.map(|(most, _)| format!("{} {unit} at most", grouped(most)))
    };
    let own =
        over(row.number("mib_max"), mib, "MiB/s").or(over(row.number("iops_max"), iops, "IOPS"));
    let volumes = book.volumes(row);
    let before = levels.len();
    for volume in volumes {
        let most_tib = volume.number("gib_most").map(|gib| gib / 1024.0);
        let least_tib = volume.number("gib_least").unwrap_or(0.0) / 1024.0;
        let why = over(volume.number("mib_max"), mib, "MiB/s")
            .or(over(most_tib, Some(tib), "TiB"))
            .or(own.clone());
        let of = format!("{} volume", volume.text("name"));
        levels.push(size(&of, Some(tib.max(least_tib) * TIB), None, why));
    }
    if levels.len() == before {
        let of = match (of_bytes, bytes) {
            (None, Some(_)) => "volume, for its IOPS",
            _ => "volume",
        };
        levels.push(size(of, Some(tib * TIB), None, own));
    }
}

/// Quotas of the table of quota by level, in TiB.
const QUOTAS: [f64; 12] = [
    1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 50.0, 64.0, 70.3125, 100.0, 200.0, 500.0,
];

/// What each service level gives for each quota.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The levels.
    pub levels: Vec<String>,
    /// Those of which no row says what a volume does at most.
    pub unbounded: Vec<String>,
    /// The quotas in TiB, and for each what each level gives in bytes per second; `None` where no volume has that
    /// quota.
    pub rows: Vec<(f64, Vec<Option<f64>>)>,
}

/// Quota by level, never more than a volume can do.
#[must_use]
pub fn table(setup: &Setup, book: &Book) -> Table {
    let family = setup.service.as_ref().and_then(|service| {
        let mut rows = book.named("level", service);
        rows.next().map(|row| row.text("family"))
    });
    let levels: Vec<&Row> = book
        .of("level")
        .filter(|row| row.number("mib_per_tib").is_some())
        .filter(|row| family.is_none_or(|family| family == row.text("family")))
        .collect();
    let mut quotas = QUOTAS.to_vec();
    quotas.extend(setup.quota.map(|bytes| bytes / TIB));
    quotas.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    quotas.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let value = |row: &Row, tib: f64| {
        let volumes: Vec<&Row> = book.volumes(row).collect();
        let own = row.number("mib_per_tib").unwrap_or_default() * tib;
        let own = own.min(row.number("mib_max").unwrap_or(f64::INFINITY));
        if volumes.is_empty() {
            return Some(own * MIB);
        }
        // The smallest kind of volume that has this quota.
        let fitting = volumes.iter().find(|volume| {
            volume
                .number("gib_most")
                .is_some_and(|most| tib * 1024.0 <= most)
        })?;
        let most = fitting.number("mib_max").unwrap_or(f64::INFINITY);
        Some(own.min(most) * MIB)
    };
    let rows = quotas
        .into_iter()
        .map(|tib| (tib, levels.iter().map(|row| value(row, tib)).collect()))
        .collect();
    let bounded = |row: &&&Row| {
        let mut volumes = book.of("volume");
        volumes.any(|volume| volume.text("family") == row.text("family"))
    };
    let unbounded = levels.iter().filter(|row| !bounded(row));
    Table {
        unbounded: unbounded.map(|row| row.text("name").to_owned()).collect(),
        levels: levels
            .iter()
            .map(|row| row.text("name").to_owned())
            .collect(),
        rows,
    }
}
