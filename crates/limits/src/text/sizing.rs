//! What a demand needs, in words.
//!
//! Belongs here: words and tables of a sizing. Must never appear here: what is enough.

use super::{address, amount, columns, number_of};
use crate::answer::Answer;
use crate::limit::Metric;
use crate::number::{grouped, sized_up};
use crate::row::{MIB, Source};
use crate::sets::{DiskSize, MachineSize};
use crate::sizing::{LevelSize, Sizing};
use crate::value::Rate;
use std::fmt::Write as _;

/// Sets of disks of a fixed size that are shown of a provider.
const MOST_SETS: usize = 6;

/// A demand, or what a machine does.
fn wanted(rate: Rate) -> String {
    match rate {
        Rate::Bytes(bytes) => amount(Metric::Bytes, bytes),
        Rate::Iops(iops) => amount(Metric::Iops, iops),
    }
}

/// Where what is said is from, by numbers; those of the limits come first.
struct Places<'a>(Vec<&'a Source>);

impl<'a> Places<'a> {
    /// The numbers of sources, and whether their rows were read there: `[1], [4], verified`.
    fn marks(&mut self, sources: &'a [Source]) -> String {
        let mut numbered: Vec<(usize, bool)> = Vec::new();
        for source in sources {
            numbered.push((number_of(source, &mut self.0), source.verified));
        }
        numbered.sort_unstable();
        let one_kind = numbered.windows(2).all(|two| two[0].1 == two[1].1);
        let marks = numbered.iter().enumerate().map(|(at, (number, verified))| {
            let word = match verified {
                true => "verified",
                false => "not verified",
            };
            match one_kind && at + 1 < numbered.len() {
                true => format!("[{number}]"),
                false => format!("[{number}], {word}"),
            }
        });
        let marks: Vec<String> = marks.collect();
        marks.join(", ")
    }
}

/// What a demand needs; `known` are the sources that the limits have numbers of.
pub(super) fn sizing<'a>(
    answer: &'a Answer,
    sizing: &'a Sizing,
    known: Vec<&'a Source>,
    out: &mut String,
) {
    let first = known.len();
    let mut places = Places(known);
    let wanted = answer.setup.demand.map_or(String::new(), wanted);
    let _ = writeln!(out, "For {wanted}:");
    let mut rows = Vec::new();
    for level in &sizing.levels {
        rows.push(vec![
            format!("  {}", level.level),
            level.of.clone(),
            enough(level),
            places.marks(&level.sources),
        ]);
    }
    columns(&rows, &[0, 1, 2, 3], out);
    if let Some(without) = &sizing.missing {
        let what = match without.unchecked {
            Metric::Bytes => "throughput",
            _ => "IOPS",
        };
        let levels = match without.levels.is_empty() {
            true => String::new(),
            false => format!("; no answer for {}", without.levels.join(", ")),
        };
        let _ = writeln!(
            out,
            "  without --bs, limits in {what} are not considered{levels}"
        );
    }
    if !sizing.unbounded.is_empty() {
        let _ = writeln!(
            out,
            "  no row has the maximum size of a volume of {}",
            sizing.unbounded.join(", ")
        );
    }
    disks(sizing, &mut places, out);
    without_least(sizing, out);
    needs(answer, sizing, out);
    for (at, source) in places.0.iter().enumerate().skip(first) {
        let _ = writeln!(out, "{}", address((at, source)));
    }
}

/// Of which suggestions no row says how small they can be bought.
fn without_least(sizing: &Sizing, out: &mut String) {
    let mut names: Vec<&str> = Vec::new();
    let levels = sizing.levels.iter().filter(|level| !level.least_known);
    let disks = sizing.sets.disks.iter().filter(|set| !set.least_known);
    let all = levels.map(|level| level.level.as_str());
    for name in all.chain(disks.map(|set| set.name.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        let _ = writeln!(
            out,
            "  the smallest size that can be bought is not in the table: {}",
            names.join(", ")
        );
    }
}

/// What is enough of a level, or that it cannot be had.
fn enough(level: &LevelSize) -> String {
    let amount = match (level.quota, level.set) {
        (Some(quota), Some(set)) => {
            format!("{}, {} MiB/s set", sized_up(quota), grouped(set / MIB))
        }
        (Some(quota), None) => sized_up(quota),
        (None, Some(set)) => format!("{} MiB/s set", grouped(set / MIB)),
        (None, None) => String::new(),
    };
    let amount = match level.pool {
        Some(pool) => format!("{amount}, in a pool of at least {}", sized_up(pool)),
        None => amount,
    };
    match &level.unreachable {
        Some(why) => format!("unreachable: {amount} needed, but {why}"),
        None => amount,
    }
}

fn disks<'a>(sizing: &'a Sizing, places: &mut Places<'a>, out: &mut String) {
    let first = sizing.sets.machine.as_ref().and_then(|machine| {
        let own = |set: &&DiskSize| set.provider == machine.provider;
        sizing.sets.disks.iter().find(own)
    });
    several_kinds(sizing, places, out);
    match (&sizing.sets.machine, first) {
        (Some(machine), Some(first)) => on_machine(sizing, (machine, first), places, out),
        (Some(_), None) if sizing.sets.mixed.is_some() => {}
        (_, _) => {
            let most = sizing.sets.no_machine;
            let most = most
                .map(|most| format!("; the maximum is {} without the host's cache", wanted(most)));
            let _ = writeln!(
                out,
                "  no machine in the table is enough{}",
                most.unwrap_or_default()
            );
        }
    }
    of_one_kind(sizing, places, out);
}

/// The first set of one kind, on its machine. Sets of several kinds are looked at where rows have prices only.
fn on_machine<'a>(
    sizing: &Sizing,
    (machine, first): (&'a MachineSize, &'a DiskSize),
    places: &mut Places<'a>,
    out: &mut String,
) {
    let takes = machine.disks;
    let takes = takes.map(|disks| format!(", takes {disks:.0} disks"));
    let vcpus = machine.vcpus;
    let vcpus = vcpus.map(|vcpus| format!(" ({vcpus:.0} vCPUs{})", takes.unwrap_or_default()));
    let (what, price) = match machine.month.zip(first.month) {
        Some((machine, disks)) => {
            let month = grouped(machine + disks);
            let what = match sizing.sets.mixed {
                Some(_) => "cheapest set of one kind",
                None => "cheapest set",
            };
            (what, format!("{month} a month at the table's prices"))
        }
        None => {
            let of = match first.is_fixed {
                true => "smallest set of one kind, of a fixed size",
                false => "smallest set of one kind",
            };
            (of, "no prices for both in the table".to_owned())
        }
    };
    let _ = writeln!(
        out,
        "  {what}: {} {} on {}{} {}; {price}",
        set(first),
        places.marks(&first.sources),
        machine.name,
        vcpus.unwrap_or_default(),
        places.marks(&machine.sources)
    );
}

/// Disks of several kinds, where they are the cheapest.
fn several_kinds<'a>(sizing: &'a Sizing, places: &mut Places<'a>, out: &mut String) {
    if let (Some(machine), Some(mixed)) = (&sizing.sets.machine, &sizing.sets.mixed) {
        let kinds = mixed.disks.iter();
        let kinds: Vec<String> = kinds.map(|(n, name)| format!("{n} x {name}")).collect();
        let price = match machine.month {
            Some(month) => format!(
                "{} a month at the table's prices",
                grouped(month + mixed.month)
            ),
            None => "no price for the machine in the table".to_owned(),
        };
        let _ = writeln!(
            out,
            "  cheapest set, of several kinds: {} ({} GiB, {} a month) {} on {} {}; {price}\n  it needs I/O spread \
             in proportion to their speed: a stripe runs at the speed of the slowest",
            kinds.join(" + "),
            grouped(mixed.gib),
            grouped(mixed.month),
            places.marks(&mixed.sources),
            machine.name,
            places.marks(&machine.sources)
        );
    }
}

/// Sets of one kind, by provider.
fn of_one_kind<'a>(sizing: &'a Sizing, places: &mut Places<'a>, out: &mut String) {
    let mut providers: Vec<&str> = Vec::new();
    for set in &sizing.sets.disks {
        if !providers.contains(&set.provider.as_str()) {
            providers.push(&set.provider);
        }
    }
    for provider in &providers {
        let own = |fixed: bool| {
            let of = move |set: &&DiskSize| set.provider == *provider && set.is_fixed == fixed;
            sizing.sets.disks.iter().filter(of)
        };
        let shown = own(true).take(MOST_SETS).chain(own(false));
        let shown = shown.map(|one| format!("{} {}", set(one), places.marks(&one.sources)));
        let sets: Vec<String> = shown.collect();
        let _ = writeln!(out, "  sets of one kind, {provider}: {}", sets.join("; "));
    }
    if providers.is_empty() {
        let _ = writeln!(
            out,
            "  sets of one kind: all have more disks than any machine takes"
        );
    }
}

/// A set of disks: `3 x P30 (3,072 GiB)`, `1 x gp3 (13 GiB, 6,000 IOPS, 250 MiB/s set)`.
fn set(set: &DiskSize) -> String {
    let each = if set.count > 1 { " each" } else { "" };
    let size = match set.is_fixed {
        true => format!("{} GiB", grouped(set.gib)),
        false => format!("{} GiB{each}", grouped(set.gib / set.count as f64)),
    };
    let iops = set.iops.map(|iops| format!("{} IOPS", grouped(iops)));
    let rate = set.rate.map(|rate| {
        // What is set has to be enough.
        format!("{} MiB/s", grouped((rate / MIB * 100.0).ceil() / 100.0))
    });
    let chosen: Vec<String> = iops.into_iter().chain(rate).collect();
    let chosen = match chosen.is_empty() {
        true => String::new(),
        false => format!(", {} set{each}", chosen.join(" and ")),
    };
    let month = set
        .month
        .map(|month| format!(", {} a month", grouped(month)));
    format!(
        "{} x {} ({size}{chosen}{})",
        set.count,
        set.name,
        month.unwrap_or_default()
    )
}

fn needs(answer: &Answer, sizing: &Sizing, out: &mut String) {
    let needs = &sizing.needs;
    if let (Some(in_flight), Some(threads)) = (needs.in_flight, needs.threads()) {
        let _ = writeln!(
            out,
            "  in flight: latency x rate = {}, so {} I/Os or threads",
            grouped(in_flight),
            grouped(threads)
        );
    }
    if let (Some(seconds), Some(in_flight)) = (needs.response, answer.setup.in_flight) {
        let _ = writeln!(
            out,
            "  with {in_flight} in flight an I/O takes {} ms on average: the excess waits in a queue",
            grouped(seconds * 1e3)
        );
    }
    if let Some(window) = needs.window {
        let _ = writeln!(
            out,
            "  TCP windows of all connections together: {} bytes, if the latency is the round trip",
            grouped(window.round())
        );
    }
}
