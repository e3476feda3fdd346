//! Sets of disks of one kind that meet a demand, the machine for them, and what they cost.
//!
//! Belongs here: from a demand to disks, a machine and their price. Must never appear here: service levels, which `sizing` has.

use crate::apply::disk_rates;
use crate::book::Book;
use crate::limit::{Limit, Metric, Scope};
use crate::row::{GIB, Row};
use crate::setup::Setup;
use crate::value::{Cache, Class, DiskSet, Rate};
use std::cmp::Ordering;

/// More disks of a kind than any machine takes.
const MOST_DISKS: u32 = 64;

/// Disks of a kind that meet a demand.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskSize {
    /// The kind.
    pub name: String,
    /// Whose it is.
    pub provider: String,
    /// How many, from 1.
    pub count: u64,
    /// GiB of all of them.
    pub gib: f64,
    /// IOPS to be set for each, where they can be set.
    pub iops: Option<f64>,
    /// Bytes per second to be set for each, where they can be set.
    pub rate: Option<f64>,
    /// What all of them cost a month, in the currency of the rows; `None` where no row has a price.
    pub month: Option<f64>,
    /// Whether each has a size that its name says.
    pub is_fixed: bool,
}

/// A machine that meets a demand.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineSize {
    /// Its size, as its provider writes it.
    pub name: String,
    /// Whose it is.
    pub provider: String,
    /// Processors.
    pub vcpus: Option<f64>,
    /// Disks that it takes; `None` where no row says so.
    pub disks: Option<f64>,
    /// What it costs a month, in the currency of the rows.
    pub month: Option<f64>,
}

/// What is wanted of disks.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) iops: Option<f64>,
    pub(crate) bytes: Option<f64>,
}

impl Wanted {
    fn each(self, count: u32) -> Self {
        let of = |all: f64| all / f64::from(count);
        Self {
            iops: self.iops.map(of),
            bytes: self.bytes.map(of),
        }
    }
}

/// Disks that meet a demand, and the machine for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskSets {
    /// Each kind of disk of which a machine takes enough: cheapest first where rows have prices, then those of a fixed
    /// size, smallest first, then those whose size is chosen.
    pub disks: Vec<DiskSize>,
    /// The machine that does it to disks past the host's cache and takes enough of a kind: the smallest, or with its
    /// disks the cheapest where rows have prices.
    pub machine: Option<MachineSize>,
    /// The most that a machine of the table does, where none meets it.
    pub no_machine: Option<Rate>,
}

/// The disks and the machine for a demand.
pub(crate) fn find(setup: &Setup, book: &Book, wanted: Wanted) -> DiskSets {
    let own = setup.provider(book);
    let mut sets = Vec::new();
    for name in book.names("disk") {
        let rows: Vec<&Row> = book.named("disk", name).collect();
        let of = rows.first().map_or("", |row| row.text("provider"));
        if own.is_none_or(|own| own == of) {
            sets.extend(smallest(setup, book, &rows, wanted));
        }
    }
    let by = |value: f64, other: f64| value.partial_cmp(&other).unwrap_or(Ordering::Equal);
    let unknown = f64::INFINITY;
    sets.sort_by(|a, b| {
        let price = by(a.month.unwrap_or(unknown), b.month.unwrap_or(unknown));
        let fixed = b.is_fixed.cmp(&a.is_fixed);
        price
            .then(fixed)
            .then(by(a.gib, b.gib))
            .then(a.count.cmp(&b.count))
    });
    machine(book, wanted, sets)
}

/// The fewest disks of a kind that meet a demand, each as small as will do.
fn smallest(setup: &Setup, book: &Book, rows: &[&Row], wanted: Wanted) -> Option<DiskSize> {
    let name = rows.first()?.text("name");
    let fixed = rows.iter().find_map(|row| row.number("gib"));
    (1..=MOST_DISKS).find_map(|count| {
        let each = wanted.each(count);
        let (gib, set) = match fixed {
            Some(gib) => (gib, disk(setup, rows, None, each)?),
            None => of_any_size(setup, rows, each)?,
        };
        let number = f64::from(count);
        Some(DiskSize {
            name: name.to_owned(),
            provider: rows[0].text("provider").to_owned(),
            count: u64::from(count),
            gib: gib * number,
            month: price(book, rows, gib, &set).map(|one| one * number),
            iops: set.iops,
            rate: set.rate,
            is_fixed: fixed.is_some(),
        })
    })
}

/// The smallest size in whole GiB of which one disk meets a demand.
fn of_any_size(setup: &Setup, rows: &[&Row], each: Wanted) -> Option<(f64, DiskSet)> {
    let bound = |key| rows.iter().filter_map(move |row| row.number(key));
    let least = bound("gib_least").reduce(f64::min).unwrap_or(1.0);
    let most = bound("gib_most").reduce(f64::max).unwrap_or(65_536.0);
    let (mut low, mut high) = (least.ceil(), most.floor());
    disk(setup, rows, Some(high), each)?;
    while low < high {
        let middle = ((low + high) / 2.0).floor();
        match disk(setup, rows, Some(middle), each) {
            Some(_) => high = middle,
            None => low = middle + 1.0,
        }
    }
    Some((low, disk(setup, rows, Some(low), each)?))
}

/// A disk of a kind and size with what has to be set for it; `None` where it does not meet the demand.
fn disk(setup: &Setup, rows: &[&Row], gib: Option<f64>, each: Wanted) -> Option<DiskSet> {
    let rows: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.is_of_size(gib))
        .collect();
    let mut set = DiskSet {
        count: 1,
        name: rows.first()?.text("name").to_owned(),
        cache: Cache::None,
        bytes: gib.map(|gib| gib * GIB),
        iops: None,
        rate: None,
    };
    let counted = |row: &Row| {
        let limit = Limit::of_row(row, Scope::Disk, Metric::Iops, 1.0, 1.0);
        let ios = setup.block.map_or(1.0, |block| limit.ios_of(block));
        let share = limit.share(setup.reads.filter(|_| limit.counts[0].1 != Class::All));
        (ios, share)
    };
    for row in &rows {
        let per_iops = row.rate("_per_iops");
        if row.number("iops_most").is_some() {
            let own = each.iops.map(|iops| iops * counted(row).0);
            let for_bytes = each.bytes.zip(per_iops).map(|(bytes, per)| bytes / per);
            let least = row.number("iops").unwrap_or(0.0);
            if own.is_none() && for_bytes.is_none() && least <= 0.0 {
                // What has to be set is not known without the size of an I/O.
                return None;
            }
            let iops = own
                .into_iter()
                .chain(for_bytes)
                .fold(least, f64::max)
                .ceil();
            if iops > row.iops_most(gib) {
                return None;
            }
            set.iops = Some(iops);
        }
        if row.rate("_most").is_some() {
            let rate = each.bytes.unwrap_or(0.0).max(row.rate("").unwrap_or(0.0));
            if rate > row.rate_most(set.iops) {
                return None;
            }
            set.rate = Some(rate).filter(|rate| *rate > 0.0);
        }
    }
    let meets = |row: &&Row| {
        let [iops, bytes] = disk_rates(row, &set);
        let (ios, share) = counted(row);
        let enough = |wanted: Option<f64>, has: Option<f64>| {
            !wanted
                .zip(has)
                .is_some_and(|(wanted, has)| wanted > has * (1.0 + 1e-9))
        };
        enough(each.iops.map(|iops| iops * ios * share), iops)
            && enough(each.bytes.map(|bytes| bytes * share), bytes)
    };
    // A limit that no row has is none that is met.
    let says = |at: usize| rows.iter().any(|row| disk_rates(row, &set)[at].is_some());
    let known = (each.iops.is_none() || says(0)) && (each.bytes.is_none() || says(1));
    let known = known && (says(0) || says(1));
    (known && rows.iter().all(meets)).then_some(set)
}

/// What a disk costs a month; `None` where no row says so.
fn price(book: &Book, rows: &[&Row], gib: f64, set: &DiskSet) -> Option<f64> {
    let row = book.named("price", rows.first()?.text("name")).next()?;
    let included = |key: &str| rows.iter().find_map(|row| row.number(key)).unwrap_or(0.0);
    let included_rate = rows.iter().find_map(|row| row.rate("")).unwrap_or(0.0);
    let times = |key: &str, number: f64| row.number(key).unwrap_or(0.0) * number.max(0.0);
    let over = |set: Option<f64>, included: f64| set.map_or(0.0, |set| set - included);
    let mib = over(set.rate, included_rate) / crate::row::MIB;
    Some(
        row.number("month").unwrap_or(0.0)
            + times("gib_month", gib)
            + times("iops_month", over(set.iops, included("iops")))
            + times("mib_month", mib),
    )
}

/// The machine for a demand, with the sets of disks that it takes: the cheapest together where rows have prices, else the
/// smallest.
fn machine(book: &Book, wanted: Wanted, sets: Vec<DiskSize>) -> DiskSets {
    let rows = || {
        book.of("machine")
            .filter(|row| row.text("path") == "uncached")
    };
    let enough = |wanted: Option<f64>, has: Option<f64>| {
        wanted.is_none_or(|wanted| has.is_some_and(|has| has >= wanted))
    };
    let month = |row: &Row| {
        let mut prices = book.named("price", row.text("name"));
        prices.next().and_then(|price| price.number("month"))
    };
    let takes = |row: &Row| {
        let mut rows = book.named("machine", row.text("name"));
        rows.find_map(|row| row.number("disks_most"))
    };
    let fits = |row: &Row, set: &DiskSize| {
        // A machine of which no row says how many it takes, takes one.
        let few = set.count as f64 <= takes(row).unwrap_or(1.0);
        few && set.provider == row.text("provider")
    };
    // First by the price of both, then by processors.
    let mut best: Option<(f64, f64, &Row)> = None;
    for row in rows()
        .filter(|row| enough(wanted.iops, row.number("iops")) && enough(wanted.bytes, row.rate("")))
    {
        let Some(set) = sets.iter().find(|set| fits(row, set)) else {
            continue;
        };
        let both = month(row)
            .zip(set.month)
            .map(|(machine, disks)| machine + disks);
        let key = (
            both.unwrap_or(f64::INFINITY),
            row.number("vcpus").unwrap_or(f64::INFINITY),
        );
        if best.is_none_or(|(price, vcpus, _)| key < (price, vcpus)) {
            best = Some((key.0, key.1, row));
        }
    }
    if let Some((.., row)) = best {
        let others = |set: &DiskSize| set.provider != row.text("provider");
        let disks = sets.into_iter();
        return DiskSets {
            disks: disks.filter(|set| others(set) || fits(row, set)).collect(),
            machine: Some(MachineSize {
                name: row.text("name").to_owned(),
                provider: row.text("provider").to_owned(),
                vcpus: row.number("vcpus"),
                disks: takes(row),
                month: month(row),
            }),
            no_machine: None,
        };
    }
    let most_iops = rows().filter_map(|row| row.number("iops")).reduce(f64::max);
    let most_bytes = rows().filter_map(|row| row.rate("")).reduce(f64::max);
    let short = most_iops.filter(|most| wanted.iops.is_some_and(|iops| iops > *most));
    let by_bytes = most_bytes.filter(|_| wanted.bytes.is_some());
    DiskSets {
        disks: sets,
        machine: None,
        no_machine: short.map(Rate::Iops).or(by_bytes.map(Rate::Bytes)),
    }
}
