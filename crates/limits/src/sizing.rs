//! What a demand needs: quotas, disks, a machine, I/Os in flight, a TCP window.
//!
//! Belongs here: from a demand to the smallest that meets it. Must never appear here: prices, which no row has.

use crate::book::Book;
use crate::limit::{Limit, Metric, Scope};
use crate::row::{MIB, Row, TIB};
use crate::setup::Setup;
use crate::value::Rate;
use std::cmp::Ordering;

/// The size at which a level meets a demand.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelSize {
    /// The service level.
    pub level: String,
    /// Of what: `regular volume`, `large volume`, `volume`, `pool`, or `setting` for a rate that is set.
    pub of: String,
    /// Bytes of quota or pool that the rate takes, whether it can be had or not.
    pub quota: Option<f64>,
    /// Bytes per second that have to be set.
    pub set: Option<f64>,
    /// Why it cannot be had.
    pub unreachable: Option<String>,
}

/// How many disks of a kind meet a demand.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskSize {
    /// The kind.
    pub name: String,
    /// How many, from 1.
    pub count: u64,
    /// GiB of all of them.
    pub gib: f64,
}

/// A machine that meets a demand.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineSize {
    /// Its size, as its provider writes it.
    pub name: String,
    /// Processors.
    pub vcpus: Option<f64>,
    /// Disks that it takes; `None` where no row says so.
    pub disks: Option<f64>,
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

/// What a demand needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizing {
    /// Each service level.
    pub levels: Vec<LevelSize>,
    /// Each kind of disk with a fixed size of which the machine, or where none does it any, takes enough, smallest set
    /// first.
    pub disks: Vec<DiskSize>,
    /// The smallest machine that does it to disks past the host's cache and takes enough of a kind.
    pub machine: Option<MachineSize>,
    /// The most that a machine of the table does, where none meets it.
    pub no_machine: Option<Rate>,
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
    for row in book.of("level") {
        if family.is_none_or(|family| family == row.text("family")) {
            level(row, book, (iops, bytes), &mut sizing.levels);
        }
    }
    let disks = disks(setup, book, (iops, bytes));
    machine(book, (iops, bytes), disks, &mut sizing);
    Some(sizing)
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

/// The sizes at which a level meets a demand.
fn level(
    row: &Row,
    book: &Book,
    (iops, bytes): (Option<f64>, Option<f64>),
    levels: &mut Vec<LevelSize>,
) {
    let size = |of: &str, quota, set, unreachable| LevelSize {
        level: row.text("name").to_owned(),
        of: of.to_owned(),
        quota,
        set,
        unreachable,
    };
    let mib = bytes.map(|bytes| bytes / MIB);
    if let (Some(per), Some(mib)) = (row.number("pool_mib_per_tib"), mib) {
        let least = row.number("pool_mib_least").unwrap_or(0.0).max(mib);
        levels.push(size("pool", Some(mib / per * TIB), Some(least * MIB), None));
        return;
    }
    if let (Some(included), Some(per)) = (row.number("mib_included"), row.number("iops_per_mib")) {
        let of_iops = iops.map(|iops| {
            let over = iops - row.number("iops_included").unwrap_or(0.0);
            included + (over / per).max(0.0)
        });
        let Some(wanted) = of_iops.into_iter().chain(mib).reduce(f64::max) else {
            return;
        };
        let set = wanted.max(included).ceil();
        let over = |key: &str, wanted: Option<f64>, unit: &str| {
            let most = row
                .number(key)
                .zip(wanted)
                .filter(|(most, wanted)| wanted > most);
            most.map(|(most, _)| format!("{most:.0} {unit} at most"))
        };
        let why = over("mib_max", Some(set), "MiB/s").or(over("iops_max", iops, "IOPS"));
        levels.push(size("setting", None, Some(set * MIB), why));
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
        most.map(|(most, _)| format!("{most:.0} {unit} at most"))
    };
    let own =
        over(row.number("mib_max"), mib, "MiB/s").or(over(row.number("iops_max"), iops, "IOPS"));
    let volumes = book.of("volume").filter(|volume| {
        volume.text("family") == row.text("family") && volume.number("gib_most").is_some()
    });
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

/// How many disks of each kind meet a demand, smallest set first: by size, then by their number.
fn disks(setup: &Setup, book: &Book, (iops, bytes): (Option<f64>, Option<f64>)) -> Vec<DiskSize> {
    let mut sizes = Vec::new();
    for row in book.of("disk") {
        let Some(gib) = row.number("gib") else {
            continue;
        };
        let block_ios = {
            let limit = Limit::of_row(row, Scope::Disk, Metric::Iops, 1.0, 1.0);
            setup.block.map_or(1.0, |block| limit.ios_of(block))
        };
        let of = |wanted: Option<f64>, one: Option<f64>| {
            wanted
                .zip(one)
                .map(|(wanted, one)| (wanted / one - 1e-9).ceil())
        };
        let by_iops = of(iops.map(|iops| iops * block_ios), row.number("iops"));
        let by_bytes = of(bytes, row.rate(""));
        let Some(count) = by_iops.into_iter().chain(by_bytes).reduce(f64::max) else {
            continue;
        };
        let count = leadline_model::units::whole(count).max(1);
        sizes.push(DiskSize {
            name: row.text("name").to_owned(),
            count,
            gib: gib * count as f64,
        });
    }
    sizes.sort_by(|a, b| {
        let by_size = a.gib.partial_cmp(&b.gib).unwrap_or(Ordering::Equal);
        by_size.then(a.count.cmp(&b.count))
    });
    sizes
}

/// The smallest machine whose limits past the host's cache meet a demand, with the sets of disks that it takes.
fn machine(
    book: &Book,
    (iops, bytes): (Option<f64>, Option<f64>),
    sets: Vec<DiskSize>,
    sizing: &mut Sizing,
) {
    let rows = || {
        book.of("machine")
            .filter(|row| row.text("path") == "uncached")
    };
    let enough = |wanted: Option<f64>, has: Option<f64>| {
        wanted.is_none_or(|wanted| has.is_some_and(|has| has >= wanted))
    };
    let vcpus = |row: &Row| row.number("vcpus").unwrap_or(f64::INFINITY);
    let mut meeting: Vec<&Row> = rows()
        .filter(|row| enough(iops, row.number("iops")) && enough(bytes, row.rate("")))
        .collect();
    meeting.sort_by(|a, b| vcpus(a).partial_cmp(&vcpus(b)).unwrap_or(Ordering::Equal));
    for row in meeting {
        let name = row.text("name");
        let most = book
            .named("machine", name)
            .find_map(|row| row.number("disks_most"));
        let fits = |set: &&DiskSize| most.is_none_or(|most| set.count as f64 <= most);
        let disks: Vec<DiskSize> = sets.iter().filter(fits).cloned().collect();
        if !disks.is_empty() {
            sizing.disks = disks;
            sizing.machine = Some(MachineSize {
                name: name.to_owned(),
                vcpus: row.number("vcpus"),
                disks: most,
            });
            return;
        }
    }
    // More disks than any machine takes help nobody.
    let takes = book
        .of("machine")
        .filter_map(|row| row.number("disks_most"));
    let takes = takes.reduce(f64::max).unwrap_or(f64::INFINITY);
    let few = |set: &DiskSize| set.count as f64 <= takes;
    sizing.disks = sets.into_iter().filter(few).collect();
    let most_iops = rows().filter_map(|row| row.number("iops")).reduce(f64::max);
    let most_bytes = rows().filter_map(|row| row.rate("")).reduce(f64::max);
    let short = most_iops.filter(|most| iops.is_some_and(|iops| iops > *most));
    let by_bytes = most_bytes.filter(|_| bytes.is_some()).map(Rate::Bytes);
    sizing.no_machine = short.map(Rate::Iops).or(by_bytes);
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
        let volumes: Vec<&Row> = book
            .of("volume")
            .filter(|volume| volume.text("family") == row.text("family"))
            .filter(|volume| volume.number("gib_most").is_some())
            .collect();
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
