//! An answer for people.
//!
//! Belongs here: words and tables. Must never appear here: a figure that the answer does not have.

mod sizing;

use crate::answer::Answer;
use crate::limit::{Limit, Metric};
use crate::number::{grouped, sized};
use crate::row::{MIB, Source};
use crate::setup::Setup;
use crate::sizing::Table;
use crate::value::{Class, Figure, Path};
use crate::verdict::{Compared, Conclusion, Standing, Verdict};
use std::fmt::Write as _;

/// All of it.
#[must_use]
pub fn text(answer: &Answer) -> String {
    let mut out = String::new();
    for remark in &answer.remarks {
        let _ = writeln!(out, "{remark}");
    }
    if !answer.limits.is_empty() {
        gap(&mut out);
        limits(answer, &mut out);
    }
    match &answer.verdict {
        Some(verdict) => {
            gap(&mut out);
            self::verdict(answer, verdict, &mut out);
        }
        None => least(answer, &mut out),
    }
    bursts(answer, &mut out);
    if let Some(sizing) = &answer.sizing {
        gap(&mut out);
        sizing::sizing(answer, sizing, sources(&answer.limits), &mut out);
    }
    if let Some(table) = &answer.table {
        gap(&mut out);
        quotas(table, &mut out);
    }
    out
}

/// What is missing, and what to do about it, where an answer says nothing of what was asked; `None` where it does.
#[must_use]
pub fn missing(answer: &Answer) -> Option<(String, String)> {
    let hint = match (&answer.setup.service, answer.limits.is_empty()) {
        (Some(_), true) => "give its size with --quota, --pool or --assigned",
        (None, true) => {
            "name what has limits with --service, --vm, --disk or --nfs; --latency with --inflight is a limit of \
             its own; --demand is the required rate"
        }
        _ => "give the missing options",
    };
    if let Some(verdict) = &answer.verdict {
        let nothing = verdict.compared.is_empty();
        return nothing.then(|| (none_reached(answer, verdict), hint.to_owned()));
    }
    let says = !answer.limits.is_empty()
        || answer.sizing.is_some()
        || answer.table.is_some()
        || answer.here.is_some();
    (!says).then(|| {
        (
            "No limit applies to these options.".to_owned(),
            hint.to_owned(),
        )
    })
}

fn gap(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

/// Rows below each other, the first of them as headings; all but the first column and `left` to the right.
fn columns(rows: &[Vec<String>], left: &[usize], out: &mut String) {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let space = " ".repeat(width - cell.chars().count());
            let gap = if at == 0 { "" } else { "  " };
            let _ = match left.contains(&at) {
                true => write!(line, "{gap}{cell}{space}"),
                false => write!(line, "{gap}{space}{cell}"),
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// A rate or number of a limit: `4,499.84 MiB/s (4,718.43 MB/s)`, `12,800 IOPS`, `64 in flight`.
fn amount(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Bytes => format!(
            "{} MiB/s ({} MB/s)",
            grouped(value / MIB),
            grouped(value / 1e6)
        ),
        Metric::Iops => format!("{} IOPS", grouped(value)),
        Metric::InFlight => format!("{} in flight", grouped(value)),
    }
}

/// Whose limit it is, and what exactly.
fn name(limit: &Limit) -> String {
    let what = match limit.what.as_str() {
        "" => String::new(),
        what => format!(": {what}"),
    };
    let burst = if limit.burst.is_some() { ", burst" } else { "" };
    format!("{}{what}{burst}", limit.scope.title())
}

/// Addresses that limits are from, in the order of the limits.
fn sources(limits: &[Limit]) -> Vec<&Source> {
    let mut all: Vec<&Source> = Vec::new();
    for source in limits.iter().filter_map(|limit| limit.source.as_ref()) {
        number_of(source, &mut all);
    }
    all
}

/// The number of a source among all, from 1; a new one is added.
fn number_of<'a>(source: &'a Source, all: &mut Vec<&'a Source>) -> usize {
    let same = |known: &&Source| known.is_place_of(source);
    match all.iter().position(same) {
        Some(at) => at + 1,
        None => {
            all.push(source);
            all.len()
        }
    }
}

/// The line that says where a number leads to.
fn address((at, source): (usize, &Source)) -> String {
    format!("[{}] {}, {}", at + 1, source.address, source.date)
}

/// Which I/O counts, where it is not all.
fn counts(limit: &Limit) -> &'static str {
    let of = |path: Path, class: Class| limit.counts.contains(&(path, class));
    match () {
        () if of(Path::Any, Class::Writes)
            || of(Path::Cached, Class::Writes) && limit.counts.len() == 1 =>
        {
            "writes"
        }
        () if of(Path::Any, Class::Reads) || of(Path::Uncached, Class::Reads) => "reads",
        () if of(Path::Uncached, Class::Writes) => "writes",
        () => "all",
    }
}

fn limits(answer: &Answer, out: &mut String) {
    let setup = &answer.setup;
    let all = sources(&answer.limits);
    let (machines, block) = (setup.machines() > 1.0, setup.block);
    let mut heads = vec![
        "limit".to_owned(),
        "counts".to_owned(),
        "in total".to_owned(),
    ];
    heads.extend(machines.then(|| "each machine".to_owned()));
    heads.extend(block.map(|block| format!("IOPS at {}", sizes(block))));
    heads.extend(setup.demand.map(|_| "headroom".to_owned()));
    heads.extend(answer.verdict.as_ref().map(|_| "measured".to_owned()));
    heads.push("source".to_owned());
    let last = heads.len() - 1;
    let mut rows = vec![heads];
    for (at, limit) in answer.limits.iter().enumerate() {
        let total = match limit.from {
            Some(from) => format!(
                "{} to {}",
                grouped(from / MIB),
                amount(limit.metric, limit.value)
            ),
            None => amount(limit.metric, limit.value),
        };
        let mut row = vec![name(limit), counts(limit).to_owned(), total];
        if machines {
            row.push(
                limit
                    .each
                    .map_or("shared".to_owned(), |each| amount(limit.metric, each)),
            );
        }
        if block.is_some() {
            row.push(
                limit
                    .in_iops(setup)
                    .map_or("-".to_owned(), |iops| grouped((iops + 1e-6).floor())),
            );
        }
        if let Some(demand) = setup.demand {
            let headroom = limit.headroom(demand, setup);
            row.push(headroom.map_or("-".to_owned(), |room| format!("{:+.0} %", room * 100.0)));
        }
        if let Some(verdict) = &answer.verdict {
            row.push(
                verdict
                    .of(at)
                    .map_or("-".to_owned(), |one| format!("u {:.3}", one.u)),
            );
        }
        row.push(source(limit, &all));
        rows.push(row);
    }
    columns(&rows, &[0, 1, last], out);
    gap(out);
    for (at, source) in all.iter().enumerate() {
        let _ = writeln!(out, "{}", address((at, source)));
    }
    notes(&answer.limits, out);
}

/// The number of the source with what is to be known of the row.
fn source(limit: &Limit, all: &[&Source]) -> String {
    let Some(source) = &limit.source else {
        return "computed".to_owned();
    };
    let at = number_of(source, &mut all.to_vec());
    let mut said = format!("[{at}]");
    for (is, word) in [
        (source.verified, "verified"),
        (!source.verified, "not verified"),
        (limit.disputed, "disputed"),
    ] {
        if is {
            let _ = write!(said, ", {word}");
        }
    }
    if limit.measured {
        said.push_str(" (a measured result, not a limit)");
    }
    said
}

fn notes(limits: &[Limit], out: &mut String) {
    let mut seen: Vec<String> = Vec::new();
    for limit in limits
        .iter()
        .filter(|limit| !limit.note.is_empty() && limit.burst.is_none())
    {
        let note = format!("{}: {}", name(limit), limit.note);
        if !seen.contains(&note) {
            let _ = writeln!(out, "{note}");
            seen.push(note);
        }
    }
}

/// A block size.
fn sizes(bytes: f64) -> String {
    leadline_model::units::Bytes(leadline_model::units::whole(bytes)).to_string()
}

/// The least limit, where nothing was measured: of disks on both ways that of each way, and without a block size, which
/// says what is reached first, that of each measure.
fn least(answer: &Answer, out: &mut String) {
    let setup = &answer.setup;
    let first = |path: Option<Path>, metric: Option<Metric>| {
        answer.limits.iter().find(|limit| {
            limit.share(setup.reads) > 0.0
                && !limit.measured
                && metric.is_none_or(|metric| limit.metric == metric)
                && path.is_none_or(|path| limit.counts.contains(&(path, Class::All)))
        })
    };
    let of_ways = [
        (Some(Path::Uncached), " past the host's cache"),
        (Some(Path::Cached), " of reads that hit the cache"),
    ];
    let ways = match of_ways.iter().all(|(path, _)| first(*path, None).is_some()) {
        true => &of_ways[..],
        false => &[(None, "")],
    };
    let of_measures = [
        (Some(Metric::Bytes), "Least throughput"),
        (Some(Metric::Iops), "Least IOPS"),
        (Some(Metric::InFlight), "Least in flight"),
    ];
    let known = |(metric, _): &&(Option<Metric>, _)| first(None, *metric).is_some();
    let several = setup.block.is_none() && of_measures.iter().filter(known).count() > 1;
    let measures = match several {
        true => &of_measures[..],
        false => &[(None, "Least")],
    };
    let mut named = Vec::new();
    for (path, way) in ways {
        for (metric, what) in measures {
            let found = first(*path, *metric);
            named.extend(found.map(|limit| (format!("{what}{way}"), limit)));
        }
    }
    if !named.is_empty() {
        gap(out);
    }
    for (what, limit) in named {
        named_least(&what, limit, setup, out);
    }
    if several {
        let _ = writeln!(out, "Give --bs to see which of them is reached first.");
    }
}

fn named_least(what: &str, limit: &Limit, setup: &Setup, out: &mut String) {
    let at_block = limit.in_iops(setup).zip(setup.block).map(|(iops, block)| {
        let rate = format!("{} MiB/s at {}", grouped(iops * block / MIB), sizes(block));
        // A limit of IOPS, each I/O counted once, is that many.
        match limit.metric == Metric::Iops && (iops - limit.value).abs() < 0.5 {
            true => format!(", {rate}"),
            false => format!(", {} IOPS or {rate}", grouped(iops)),
        }
    });
    let _ = writeln!(
        out,
        "{what}: {}: {}{}",
        name(limit),
        amount(limit.metric, limit.value),
        at_block.unwrap_or_default()
    );
}

/// What figures are at.
fn verdict(answer: &Answer, verdict: &Verdict, out: &mut String) {
    let with_u = |at: usize| {
        let limit = &answer.limits[at];
        let u = verdict.of(at).map_or(0.0, |one| one.u);
        let disputed = if limit.disputed { ", disputed" } else { "" };
        format!(
            "{} (u {u:.3} of {}{disputed})",
            name(limit),
            amount(limit.metric, limit.value)
        )
    };
    let all = |limits: &[usize]| {
        let named: Vec<String> = limits.iter().map(|at| with_u(*at)).collect();
        named.join("; ")
    };
    for conclusion in &verdict.conclusions {
        let _ = match conclusion {
            Conclusion::At(limits) if limits.iter().all(|at| answer.limits[*at].measured) => {
                writeln!(out, "At the highest published result: {}", all(limits))
            }
            Conclusion::At(limits) => writeln!(out, "At its limit: {}", all(limits)),
            Conclusion::NotSeparated {
                limits,
                machines_decide,
            } => {
                let decide = match machines_decide {
                    true => {
                        "\nA run on two machines would decide: a limit per machine doubles, a limit of the volume stays."
                    }
                    false => "",
                };
                writeln!(out, "Not separated: {}{decide}", all(limits))
            }
            Conclusion::Above(limits) => writeln!(
                out,
                "Above a limit: {}\nA burst, a cache, or a set-up that is not this one.",
                all(limits)
            ),
            Conclusion::None => writeln!(out, "{}", none_reached(answer, verdict)),
        };
    }
    let on_credits = |one: &&Compared| is_on_credits(answer, one);
    for one in verdict.compared.iter().filter(on_credits) {
        let _ = writeln!(
            out,
            "On burst credits, above the limit without them: {}",
            with_u(one.limit)
        );
    }
    for one in verdict
        .compared
        .iter()
        .filter(|one| one.standing == Standing::OwnRate)
    {
        let _ = writeln!(
            out,
            "Not reached: {}: the load generator was rate-limited",
            with_u(one.limit)
        );
    }
    if let Some(second) = verdict.second() {
        let _ = writeln!(out, "Next: {}", with_u(second.limit));
    }
}

/// Whether a figure is above a limit that burst credits lift for a time.
fn is_on_credits(answer: &Answer, one: &Compared) -> bool {
    let limit = &answer.limits[one.limit];
    one.standing == Standing::Passed && !limit.measured && !limit.disputed
}

/// That no limit is reached, and which could not be compared: what is not known of them may be what holds the figure.
fn none_reached(answer: &Answer, verdict: &Verdict) -> String {
    let left_out = (0..answer.limits.len()).filter(|at| {
        let limit = &answer.limits[*at];
        verdict.of(*at).is_none() && limit.share(answer.setup.reads) > 0.0
    });
    let mut missing: Vec<&str> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for at in left_out {
        let limit = &answer.limits[at];
        if let Some(needs) = missing_for(limit, &answer.setup) {
            names.push(name(limit));
            if !missing.contains(&needs) {
                missing.push(needs);
            }
        }
    }
    let on_credits = verdict
        .compared
        .iter()
        .any(|one| is_on_credits(answer, one));
    let reached = match (verdict.compared.is_empty(), on_credits) {
        (true, _) => "Nothing could be compared",
        (false, true) => "No documented limit is reached while burst credits last",
        (false, false) => "No documented limit is reached",
    };
    match names.is_empty() {
        true => format!("{reached}."),
        false => format!(
            "{reached}. Not compared without {}: {}",
            missing.join(" and "),
            names.join("; ")
        ),
    }
}

/// What a set-up lacks for a comparison with a limit.
fn missing_for(limit: &Limit, setup: &Setup) -> Option<&'static str> {
    let no_block = setup.block.is_none();
    let all_of = |is: fn(&(Path, Class)) -> bool| limit.counts.iter().all(is);
    let lacks = |figure: &Figure| match limit.metric {
        Metric::InFlight if setup.latency.is_none() => Some("--latency"),
        Metric::Bytes if figure.bytes.is_none() && no_block => Some("--bs"),
        Metric::Iops | Metric::InFlight if figure.iops.is_none() && no_block => Some("--bs"),
        _ if figure.path == Path::Any && all_of(|counts| counts.0 != Path::Any) => {
            Some("cached: or uncached: in --measured")
        }
        _ if figure.class == Class::All
            && setup.reads.is_none()
            && limit.counted(figure, setup.reads).is_none() =>
        {
            Some("--read")
        }
        _ => None,
    };
    setup.measured.iter().find_map(lacks)
}

/// The first of what figures are at, in a line.
#[must_use]
pub fn conclusion(answer: &Answer) -> String {
    let mut out = String::new();
    if let Some(verdict) = &answer.verdict {
        self::verdict(answer, verdict, &mut out);
    }
    out.lines().next().unwrap_or("").to_owned()
}

/// Credits of bursts, and how long they last.
fn bursts(answer: &Answer, out: &mut String) {
    let mut first = true;
    for (at, limit) in answer.limits.iter().enumerate() {
        let Some(burst) = limit.burst else { continue };
        if std::mem::take(&mut first) {
            gap(out);
        }
        let held = match limit.metric {
            Metric::Bytes => format!("{} GB", grouped(burst.bucket / 1e9)),
            _ => format!("{} I/Os", grouped(burst.bucket)),
        };
        let used = answer.used(at);
        let rate = used.map_or(limit.value, |used| used.min(limit.value));
        let lasts = match limit.empty_after(rate) {
            Some(seconds) => format!(
                "they last {} s at {}",
                grouped(seconds.round()),
                amount(limit.metric, rate)
            ),
            None => format!("{} spend none", amount(limit.metric, rate)),
        };
        let _ = writeln!(out, "{}: full credits hold {held}; {lasts}", name(limit));
    }
}

fn quotas(table: &Table, out: &mut String) {
    let _ = writeln!(
        out,
        "MiB/s for each quota: the level's MiB/s per TiB x quota in TiB, up to the volume's maximum"
    );
    let mut heads = vec!["TiB".to_owned()];
    heads.extend(table.levels.iter().cloned());
    let mut rows = vec![heads];
    for (tib, values) in &table.rows {
        let mut row = vec![
            sized(*tib * 1024.0 * 1024.0 * MIB)
                .trim_end_matches(" TiB")
                .to_owned(),
        ];
        let shown =
            |value: &Option<f64>| value.map_or("-".to_owned(), |value| grouped(value / MIB));
        row.extend(values.iter().map(shown));
        rows.push(row);
    }
    columns(&rows, &[], out);
    if !table.unbounded.is_empty() {
        let _ = writeln!(
            out,
            "No row has the maximum of a volume: {}",
            table.unbounded.join(", ")
        );
    }
}
