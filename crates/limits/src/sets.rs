//! Sets of disks of one kind that meet a demand, the machine for them, and what they cost.
//!
//! Belongs here: from a demand to disks, a machine and their price. Must never appear here: service levels, which `sizing` has.

use crate::book::Book;
use crate::disks::{disk_rates, most_of_machine};
use crate::limit::{Limit, Metric, Scope};
use crate::mixed::{self, MixedDisks, PricedDisk};
use crate::row::{GIB, Row, Source, sources_of};
use crate::setup::Setup;
use crate::value::{Cache, Class, DiskSet, Rate};
use leadline_model::units::whole;
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
    /// Whether a row says what is the least that can be bought.
    pub least_known: bool,
    /// Where the rows are from that it rests on.
    pub sources: Vec<Source>,
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
    /// Where the rows are from that it rests on.
    pub sources: Vec<Source>,
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
    /// Disks of several kinds that do it together, where they are cheaper than one kind.
    pub mixed: Option<MixedDisks>,
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
    machine((book, own), wanted, sets, &priced(setup, book, wanted))
}

/// Disks of a kind that meet a demand, each as small as will do: the fewest, and where rows have prices more of them as
/// long as they are cheaper, since each comes with IOPS and throughput of its own. Fewest first.
fn smallest(setup: &Setup, book: &Book, rows: &[&Row], wanted: Wanted) -> Vec<DiskSize> {
    let mut found: Vec<DiskSize> = Vec::new();
    if rows.is_empty() || !fits_a_machine(setup, rows, wanted) {
        return found;
    }
    for count in 1..=MOST_DISKS {
        let Some(size) = of_count(setup, book, rows, (count, wanted.each(count))) else {
            continue;
        };
        let cheaper = found
            .last()
            .is_none_or(|known| known.month.zip(size.month).is_some_and(|(a, b)| b < a));
        if cheaper {
            found.push(size);
        }
    }
    found
}

/// This many disks of a kind; `None` where they do not meet what is wanted of each.
fn of_count(
    setup: &Setup,
    book: &Book,
    rows: &[&Row],
    (count, each): (u32, Wanted),
) -> Option<DiskSize> {
    let fixed = rows.iter().find_map(|row| row.number("gib"));
    let (gib, set) = match fixed {
        Some(gib) => (gib, disk(setup, rows, None, each)?),
        None => of_any_size(setup, book, rows, each)?,
    };
    let number = f64::from(count);
    let name = rows.first()?.text("name");
    let of_size = rows.iter().copied();
    let of_size = of_size.filter(|row| fixed.is_some() || row.is_of_size(Some(gib)));
    let beside = book.least(name).chain(book.named("price", name));
    Some(DiskSize {
        name: name.to_owned(),
        provider: rows[0].text("provider").to_owned(),
        count: u64::from(count),
        least_known: fixed.is_some() || least_of(book, rows).is_some(),
        sources: sources_of(of_size.chain(beside)),
        gib: gib * number,
        month: price(book, rows, gib, &set).map(|one| one * number),
        iops: set.iops,
        rate: set.rate,
        is_fixed: fixed.is_some(),
    })
}

/// The cheapest or, without prices, the first of each kind.
fn one_of_each(sets: impl Iterator<Item = DiskSize>) -> Vec<DiskSize> {
    let mut all: Vec<DiskSize> = Vec::new();
    for set in sets {
        if all.iter().all(|known| known.name != set.name) {
            all.push(set);
        }
    }
    all
}

/// As how many I/Os one counts, and which share of the I/O, by a row of a disk.
fn counted(setup: &Setup, row: &Row) -> (f64, f64) {
    let limit = Limit::of_row(row, Scope::Disk, Metric::Iops, 1.0, 1.0);
    let ios = setup.block.map_or(1.0, |block| limit.ios_of(block));
    let share = limit.share(setup.reads.filter(|_| limit.counts[0].1 != Class::All));
    (ios, share)
}

/// Whether disks of a kind reach a demand on one machine, however many there are.
fn fits_a_machine(setup: &Setup, rows: &[&Row], wanted: Wanted) -> bool {
    rows.iter().all(|row| {
        let (ios, share) = counted(setup, row);
        let within = |wanted: Option<f64>, metric| {
            wanted.is_none_or(|wanted| wanted * share <= most_of_machine(row, metric))
        };
        within(wanted.iops.map(|iops| iops * ios), Metric::Iops)
            && within(wanted.bytes, Metric::Bytes)
    })
}

/// GiB of the smallest disk of a kind that can be bought; `None` where no row says so.
fn least_of(book: &Book, rows: &[&Row]) -> Option<f64> {
    let own = rows.iter().filter_map(|row| row.number("gib_least"));
    let own = own.reduce(f64::min);
    let apart = book.least(rows.first()?.text("name"));
    own.into_iter()
        .chain(apart.filter_map(|row| row.number("gib")))
        .reduce(f64::max)
}

/// The smallest size in whole GiB of which one disk meets a demand.
fn of_any_size(setup: &Setup, book: &Book, rows: &[&Row], each: Wanted) -> Option<(f64, DiskSet)> {
    let bound = |key| rows.iter().filter_map(move |row| row.number(key));
    let least = least_of(book, rows).unwrap_or(1.0);
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
    let counted = |row: &Row| counted(setup, row);
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

/// Disks of a fixed size and a price, each with what it does of a demand, and whose they are.
fn priced<'a>(setup: &Setup, book: &'a Book, wanted: Wanted) -> Vec<(&'a str, PricedDisk)> {
    let mut all = Vec::new();
    for name in book.names("disk") {
        let rows: Vec<&Row> = book.named("disk", name).collect();
        let Some(gib) = rows.iter().find_map(|row| row.number("gib")) else {
            continue;
        };
        let set = DiskSet {
            count: 1,
            name: name.to_owned(),
            cache: Cache::None,
            bytes: None,
            iops: None,
            rate: None,
        };
        let does = |at: usize, is_wanted: bool| {
            let of_row = |row: &&Row| {
                let (ios, share) = counted(setup, row);
                let each = if at == 0 { ios * share } else { share };
                Some(disk_rates(row, &set)[at]? / each)
            };
            match is_wanted {
                true => rows.iter().filter_map(of_row).reduce(f64::min),
                false => Some(f64::INFINITY),
            }
        };
        let whole = does(0, wanted.iops.is_some()).zip(does(1, wanted.bytes.is_some()));
        let month = price(book, &rows, gib, &set).filter(|month| *month > 0.0);
        if let (Some((iops, bytes)), Some(month)) = (whole, month) {
            let name = name.to_owned();
            let disk = PricedDisk {
                name,
                gib,
                iops,
                bytes,
                month,
            };
            all.push((rows[0].text("provider"), disk));
        }
    }
    all
}

/// A machine with what its disks cost, and which of several kinds these are, where they are the cheapest.
struct Candidate<'a> {
    row: &'a Row,
    /// Of machine and disks a month; infinite where no row says so.
    month: f64,
    mixed: Option<MixedDisks>,
}

/// The machine for a demand, with the sets of disks that it takes: the cheapest together where rows have prices, else the
/// smallest.
fn machine(
    (book, own): (&Book, Option<&str>),
    wanted: Wanted,
    sets: Vec<DiskSize>,
    priced: &[(&str, PricedDisk)],
) -> DiskSets {
    let rows = || {
        let all = book
            .of("machine")
            .filter(|row| row.text("path") == "uncached");
        all.filter(|row| own.is_none_or(|own| own == row.text("provider")))
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
    let need = (wanted.iops.unwrap_or(0.0), wanted.bytes.unwrap_or(0.0));
    let candidate = |row| {
        let set = sets.iter().find(|set| fits(row, set));
        let provider = row.text("provider");
        let own = priced.iter().filter(|(of, _)| *of == provider);
        let kinds: Vec<PricedDisk> = own.map(|(_, disk)| disk.clone()).collect();
        let most = takes(row).unwrap_or(1.0).min(f64::from(MOST_DISKS));
        let mixed = mixed::cheapest(&kinds, need, u32::try_from(whole(most)).unwrap_or(1));
        let of_one = set.and_then(|set| set.month).unwrap_or(f64::INFINITY);
        let mixed = with_sources(mixed.filter(|mixed| mixed.month < of_one), book);
        let disks = mixed.as_ref().map_or(of_one, |mixed| mixed.month);
        (set.is_some() || mixed.is_some()).then(|| Candidate {
            row,
            month: month(row).map_or(f64::INFINITY, |machine| machine + disks),
            mixed,
        })
    };
    let all = rows().filter(|row| {
        enough(wanted.iops, row.number("iops")) && enough(wanted.bytes, row.rate(""))
    });
    // First by the price of both, then by processors.
    let key = |one: &Candidate<'_>| (one.month, one.row.number("vcpus").unwrap_or(f64::INFINITY));
    let best = all.filter_map(candidate).reduce(
        |best, one| {
            if key(&one) < key(&best) { one } else { best }
        },
    );
    if let Some(Candidate { row, mixed, .. }) = best {
        let others = |set: &DiskSize| set.provider != row.text("provider");
        let disks = sets.into_iter();
        return DiskSets {
            disks: one_of_each(disks.filter(|set| others(set) || fits(row, set))),
            mixed,
            machine: Some(MachineSize {
                name: row.text("name").to_owned(),
                provider: row.text("provider").to_owned(),
                vcpus: row.number("vcpus"),
                disks: takes(row),
                month: month(row),
                sources: of_machine(book, row),
            }),
            no_machine: None,
        };
    }
    DiskSets {
        disks: one_of_each(sets.into_iter()),
        mixed: None,
        machine: None,
        no_machine: most_of_any(&mut rows(), wanted),
    }
}

/// Where the rows are from that a set of several kinds rests on.
fn with_sources(mixed: Option<MixedDisks>, book: &Book) -> Option<MixedDisks> {
    let mut mixed = mixed?;
    let rows = mixed.disks.iter().flat_map(|(_, name)| {
        let disks = book.named("disk", name);
        disks.chain(book.named("price", name))
    });
    mixed.sources = sources_of(rows);
    Some(mixed)
}

/// Where the rows are from that say what a machine does to disks past the host's cache, how many it takes, and its price.
fn of_machine(book: &Book, row: &Row) -> Vec<Source> {
    let name = row.text("name");
    let takes = book.named("machine", name);
    let takes = takes.filter(|row| row.number("disks_most").is_some());
    sources_of(
        [row]
            .into_iter()
            .chain(takes)
            .chain(book.named("price", name)),
    )
}

/// The most that a machine does of what is wanted and none meets.
fn most_of_any(rows: &mut dyn Iterator<Item = &Row>, wanted: Wanted) -> Option<Rate> {
    let rows: Vec<&Row> = rows.collect();
    let most_iops = rows
        .iter()
        .filter_map(|row| row.number("iops"))
        .reduce(f64::max);
    let most_bytes = rows.iter().filter_map(|row| row.rate("")).reduce(f64::max);
    let short = most_iops.filter(|most| wanted.iops.is_some_and(|iops| iops > *most));
    let by_bytes = most_bytes.filter(|_| wanted.bytes.is_some());
    short.map(Rate::Iops).or(by_bytes.map(Rate::Bytes))
}
