//! What a workload was set to do: the properties of its plan, in words, and in which of them several workloads differ.
//!
//! Belongs here: properties of a plan; what distinguishes workloads. Must never: look at what was measured.

mod blocks;
mod property;
mod rest;
mod settings;
mod values;

pub use property::{Properties, Property, PropertyValue};
pub(crate) use rest::{INTERVAL, PAUSE, RUN_TIME, WARM_UP, rest, without_what_follows};
pub use values::{TRIM_WRITE, block_sizes};

use leadline_model::op::Op;
use leadline_model::plan::access::{Begin, Distribution, Grid, Position};
use leadline_model::plan::{
    Amount, Arrival, OpMix, Order, Pace, Rate, SyncCadence, SyncMode, Target, Think, UsedSizes,
    Workload,
};
use leadline_model::units::{Bytes, Percent};

/// The work of a workload according to its plan; rates and hosts are those of a run.
pub(crate) fn planned_work(plan: &Workload) -> Properties {
    let blocks = plan.blocks();
    let count = |n: u32| PropertyValue::Count(u64::from(n));
    let mut all = Properties::from([
        (Property::Mix, mix(blocks.mix)),
        (Property::BlockSize, block_size(plan)),
        (Property::Order, order(plan).into()),
        (Property::Direct, PropertyValue::Flag(blocks.open.direct)),
        (Property::Depth, count(depth(plan))),
        (Property::Jobs, count(plan.clones)),
        (Property::Engine, plan.engine.kind.name().into()),
    ]);
    let own = [
        (Property::Size, size(plan)),
        (Property::Sync, flushes(plan)),
        (Property::Think, pauses(plan)),
        (Property::Arrivals, arrivals(plan)),
    ];
    let own = own.into_iter();
    all.extend(own.filter_map(|(key, value)| Some((key, value?))));
    all
}

/// What a plan says of the work of a workload on one host, its rates too.
#[must_use]
pub fn of_plan(plan: &Workload) -> Properties {
    let mut all = planned_work(plan);
    let Pace::Open {
        rates,
        together,
        // `arrivals`.
        arrival: _,
        schedule: _,
    } = &plan.pace
    else {
        return all;
    };
    let of = |rate: Rate| match rate {
        Rate::Iops(iops) => Rate::Iops(iops * f64::from(plan.clones)),
        Rate::Bytes(bytes) => Rate::Bytes(bytes * u64::from(plan.clones)),
    };
    let used = plan.blocks().mix.ops();
    let each = used.filter_map(|op| Some((op.name(), of((*rates.get(op))?))));
    let each: Vec<_> = each.chain(together.map(|rate| ("all", of(rate)))).collect();
    all.extend(rates_of(&each).map(|rate| (Property::Rate, rate)));
    all
}

/// What a source that says nothing of it leaves open: whether a rate, pauses and flushes were asked for.
#[must_use]
pub fn unsaid() -> Properties {
    let keys = [Property::Rate, Property::Think, Property::Sync];
    keys.map(|key| (key, PropertyValue::Unknown)).into()
}

/// How the starts of an open loop are distributed.
fn arrivals(plan: &Workload) -> Option<PropertyValue> {
    let Pace::Open {
        arrival,
        schedule,
        // `rate`.
        rates: _,
        together: _,
    } = &plan.pace
    else {
        return None;
    };
    let words = match arrival {
        Arrival::Constant => "at equal intervals",
        Arrival::Poisson => "Poisson",
        Arrival::Even => "at intervals from zero to twice the mean",
    };
    Some(match schedule.is_empty() {
        true => words.into(),
        false => format!("{words}, at a rate that changes").into(),
    })
}

/// Requested rates by operation; `None` = none is.
pub(crate) fn rates_of(each: &[(&'static str, Rate)]) -> Option<PropertyValue> {
    let of = |rate: &Rate| match rate {
        Rate::Iops(iops) => PropertyValue::Iops(*iops),
        Rate::Bytes(bytes) => PropertyValue::BytesPerS(*bytes as f64),
    };
    match each {
        [] => None,
        [(_, one)] => Some(of(one)),
        several => {
            let each = several.iter().map(|(op, rate)| (*op, of(rate)));
            Some(PropertyValue::Each(each.collect()))
        }
    }
}

/// What several workloads that are one row have in common: jobs and rates are added up, what differs is left out.
#[must_use]
pub fn in_common(each: Vec<Properties>) -> Properties {
    let mut each = each.into_iter();
    let Some(first) = each.next() else {
        return Properties::new();
    };
    each.fold(first, |mut all, own| {
        all.retain(|key, value| match own.get(key) {
            Some(other) => value.add(*key, other) || value.is_same_as(other),
            None => false,
        });
        all
    })
}

fn mix(mix: OpMix) -> PropertyValue {
    match mix {
        OpMix::Only(Op::Read) => PropertyValue::Percent(Percent::ALL),
        OpMix::Only(Op::Write) => PropertyValue::Percent(Percent::NONE),
        OpMix::ReadWrite { read_percent } => PropertyValue::Percent(read_percent),
        OpMix::Only(op) => op.name().into(),
        OpMix::TrimWrite => TRIM_WRITE.into(),
    }
}

fn block_size(plan: &Workload) -> PropertyValue {
    let blocks = plan.blocks();
    if let Some(size) = blocks.only_size() {
        return PropertyValue::Bytes(Bytes(size));
    }
    let used = blocks.used_sizes();
    let alike = used.windows(2).all(|pair| pair[0].sizes == pair[1].sizes);
    let words = |used: &UsedSizes<'_>| match alike {
        true => values::sizes(used.sizes),
        false => format!("{} {}", used.what, values::sizes(used.sizes)),
    };
    let mut words: Vec<String> = used.iter().map(words).collect();
    words.dedup();
    let (least, most) = (Bytes(blocks.smallest()), Bytes(blocks.largest()));
    PropertyValue::Sizes(least, most, Some(words.join(", ")))
}

/// A distribution of offsets that is not uniform, in short: the option of that name has the rest.
fn distribution(of: &Distribution) -> Option<String> {
    match of {
        Distribution::Uniform => None,
        Distribution::Zipf { theta, center: _ } => Some(format!("zipf {theta}")),
        Distribution::Pareto { h, center: _ } => Some(format!("pareto {h}")),
        Distribution::Normal {
            deviation,
            center: _,
        } => Some(format!("normal {deviation} %")),
        Distribution::Zoned(zones) => Some(format!("{} zones", zones.len())),
        Distribution::LowEnd(_) | Distribution::HotBand { low: _, high: _ } => {
            Some(values::distribution(of))
        }
    }
}

fn order(plan: &Workload) -> String {
    let access = &plan.blocks().access;
    match access.order {
        Order::Sequential { skip: _ } => {
            let words = [values::order(access.order)].into_iter();
            let words: Vec<String> = words.chain(start_words(plan)).collect();
            words.join(", ")
        }
        Order::Random {
            every: _,
            identical: _,
        } => {
            let used = plan.blocks().mix.ops();
            let mut all: Vec<String> = used
                .filter_map(|op| distribution(access.distribution.get(op)))
                .collect();
            all.dedup();
            all.extend(not_everywhere(plan));
            all.extend(alignment(plan));
            all.insert(0, values::order(access.order));
            all.join(", ")
        }
    }
}

/// Where sequential I/O of several workers begins and whose position it continues from, where that is not the start of
/// the region and the worker's own.
fn start_words(plan: &Workload) -> Vec<String> {
    let access = &plan.blocks().access;
    let several = plan.clones > 1 || !access.counters.is_empty();
    let position = match access.position {
        Position::EachSlot => Some("each I/O in flight at a position of its own"),
        Position::Workload if several => Some("all workers from one position"),
        Position::EachKind | Position::EachFile | Position::Workload => None,
    };
    let begin = match access.begin {
        Begin::Apart(bytes) if several && bytes > 0 => {
            Some(format!("workers {} apart", values::bytes(bytes)))
        }
        Begin::Random => Some("from a random block on".to_owned()),
        Begin::Start | Begin::Apart(_) => None,
    };
    position
        .map(str::to_owned)
        .into_iter()
        .chain(begin)
        .collect()
}

/// What random offsets are multiples of, where that is not the size of the smallest I/O.
fn alignment(plan: &Workload) -> Option<String> {
    let used = plan.blocks().used_sizes();
    let bytes = match plan.blocks().access.grid {
        Grid::Own => None,
        Grid::Bytes(bytes) => Some(bytes),
        Grid::Sizes => used.iter().find_map(|used| used.align),
    }?;
    let is_own = used.iter().all(|used| used.sizes.min() == bytes);
    (!is_own).then(|| format!("aligned to {}", values::bytes(bytes)))
}

/// Restrictions of a random order that is not uniform over the whole region.
fn not_everywhere(plan: &Workload) -> Vec<String> {
    let access = &plan.blocks().access;
    let mut used = plan.blocks().mix.ops();
    let jumps =
        used.find_map(|op| Some(*access.random_percent.get(op)).filter(|p| *p != Percent::ALL));
    let jumps = jumps.map(|share| format!("only {share} % of the I/Os"));
    let hits = access
        .hits
        .map(|hits| format!("hit area of {}", values::hits(hits)));
    let stride = access.stride.map(|(from, to)| {
        let (from, to) = (values::bytes(from), values::bytes(to));
        format!("each {from} to {to} after the previous one")
    });
    jumps.into_iter().chain(hits).chain(stride).collect()
}

/// I/Os in flight of a worker.
pub(crate) fn depth(plan: &Workload) -> u32 {
    if plan.engine.kind.is_async() {
        plan.depth
    } else {
        1
    }
}

fn size(plan: &Workload) -> Option<PropertyValue> {
    let region = &plan.blocks().region;
    let files = plan.blocks().target.files() as u64;
    // Bytes beyond a configured end are not used.
    let used = |size: u64| region.end.map_or(size, |end| size.min(end));
    let bytes = match (region.size, region.file_size, region.end) {
        (Some(Amount::Percent(percent)), ..) => {
            return Some(format!("{percent} % of the target").into());
        }
        (Some(Amount::Bytes(bytes)), ..) => used(bytes),
        (None, Some((least, most)), _) if least == most => used(least) * files,
        (None, None, Some(end)) => end,
        (None, None, None) => return of_target(plan),
        _ => return None,
    };
    Some(PropertyValue::Bytes(Bytes(bytes)))
}

/// What there is of a simulated target from the first byte that is used.
fn of_target(plan: &Workload) -> Option<PropertyValue> {
    let Target::Simulated(target) = &plan.blocks().target else {
        return None;
    };
    whole_target(plan, target.bytes() * plan.blocks().target.files() as u64)
}

/// What a workload that names no size uses of targets of N bytes in all.
pub(crate) fn whole_target(plan: &Workload, bytes: u64) -> Option<PropertyValue> {
    match plan.blocks().region.offset {
        Amount::Bytes(offset) => Some(PropertyValue::Bytes(Bytes(bytes.saturating_sub(offset)))),
        Amount::Percent(percent) => Some(format!("from {percent} % of the target on").into()),
    }
}

fn flushes(plan: &Workload) -> Option<PropertyValue> {
    let SyncCadence {
        fsync_every,
        fdatasync_every,
        // Options.
        at_end: _,
        on_close: _,
    } = plan.blocks().sync;
    let each = [("fsync", fsync_every), ("fdatasync", fdatasync_every)];
    let each = each.into_iter().filter(|(_, every)| *every > 0);
    let through = match plan.blocks().open.sync {
        SyncMode::None => None,
        other @ (SyncMode::Sync | SyncMode::Dsync) => Some(values::write_through(other)),
    };
    let through = through.filter(|_| plan.blocks().mix.has(Op::Write));
    let words: Vec<String> = each
        .map(|(what, every)| format!("{what} {}", after_each(every, "write")))
        .chain(through)
        .collect();
    (!words.is_empty()).then(|| words.join(", ").into())
}

/// `after each write`, `after every 8 writes`.
fn after_each(every: u32, what: &str) -> String {
    match every {
        0 | 1 => format!("after each {what}"),
        n => format!("after every {n} {what}s"),
    }
}

fn pauses(plan: &Workload) -> Option<PropertyValue> {
    let Think {
        pause,
        every,
        // Options.
        spin: _,
        on_submit: _,
        after_busy: _,
    } = plan.think?;
    let (pause, after) = (values::seconds(pause), after_each(every, "I/O"));
    Some(format!("{pause} {after}").into())
}

/// What distinguishes each of these from the others, in words (`depth 4, bs 8 KiB`), empty where nothing does. Those of one
/// class are compared with each other; a property in which any class differs is said of all.
pub(crate) fn distinctions<C: PartialEq>(all: &[(C, &Properties)]) -> Vec<String> {
    let mut words = vec![Vec::new(); all.len()];
    for property in Property::ALL.into_iter().filter(|p| p.must_be_equal()) {
        let value = |of: &Properties| of.get(&property).cloned();
        let is_same = |a: &Properties, b: &Properties| match (value(a), value(b)) {
            (Some(a), Some(b)) => a.is_same_as(&b),
            // One without a rate has no arrivals, and its rate says so.
            (a, b) => a.is_none() && b.is_none() || property == Property::Arrivals,
        };
        let differs = all.iter().any(|(class, own)| {
            let mut others = all.iter().filter(|(other, _)| other == class);
            others.any(|(_, other)| !is_same(own, other))
        });
        if differs {
            for (words, (_, own)) in words.iter_mut().zip(all) {
                words.extend(value(own).map(|value| format!("{} {value}", property.name())));
            }
        }
    }
    words.into_iter().map(|words| words.join(", ")).collect()
}
