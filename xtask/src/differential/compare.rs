//! What differs between two outcomes of a case.
//!
//! Must never: know which tool is which, but by name in its words.

use super::jobs::{Case, Order};
use super::trace::{Io, Job, Outcome};
use std::collections::BTreeMap;

/// Each difference as a line; none where both did the same.
pub(crate) fn differences(case: &Case, fio: &Outcome, ours: &Outcome) -> Vec<String> {
    let mut found = Vec::new();
    let mut differs = |what: &str, fio: String, ours: String| {
        if fio != ours {
            found.push(format!("{what}: fio {fio}, leadline {ours}"));
        }
    };
    differs("exit code", fio.code.to_string(), ours.code.to_string());
    let names = |o: &Outcome| o.jobs.iter().map(|j| j.name.clone()).collect::<Vec<_>>();
    differs(
        "names",
        format!("{:?}", names(fio)),
        format!("{:?}", names(ours)),
    );
    if fio.code != 0 {
        return found;
    }
    for (a, b) in fio.jobs.iter().zip(&ours.jobs) {
        counts(case, a, b, &mut found);
    }
    for (file, order) in &case.data {
        let (a, b) = (data(case, fio, file), data(case, ours, file));
        if let Some(line) = offsets(*order, &a, &b) {
            found.push(format!("{file}: {line}"));
        }
    }
    found
}

/// The I/Os of a file without those of a layout: a job that only reads writes nothing else.
fn data(case: &Case, outcome: &Outcome, file: &str) -> Vec<Io> {
    let reads = !case.text.contains("write") && !case.text.contains("rw=rw") && !case.mixed;
    let mut ios = outcome.of(file);
    ios.retain(|io| !reads || !io.write);
    ios
}

/// Numbers of I/Os and bytes, and the time of a paced job.
fn counts(case: &Case, fio: &Job, ours: &Job, found: &mut Vec<String>) {
    let sum = |job: &Job| {
        job.counts
            .iter()
            .fold((0, 0), |s, c| (s.0 + c.0, s.1 + c.1))
    };
    let same = if case.drawn {
        let (a, b) = (sum(fio), sum(ours));
        // Sizes of a small region vary by chance; by a size that ends the job at most one I/O.
        let ios = a.0.abs_diff(b.0) * 4 <= a.0.max(b.0) + 40;
        ios && (a.1.abs_diff(b.1) <= 65_536 || case.text.contains("number_ios"))
    } else if case.mixed {
        sum(fio).0.abs_diff(sum(ours).0) <= 1
    } else {
        fio.counts == ours.counts
    };
    if !same {
        found.push(format!(
            "I/Os and bytes of {}: fio {:?}, leadline {:?}",
            fio.name, fio.counts, ours.counts
        ));
    }
    let late = (fio.millis - ours.millis).abs();
    // Only where all that runs is paced: a job beside one that is not has a pace of its own.
    if case.paced && case.data.len() == 1 && late > 60.0 + fio.millis * 0.15 {
        found.push(format!(
            "time of {}: fio {} ms, leadline {} ms",
            fio.name, fio.millis, ours.millis
        ));
    }
}

/// What differs in the I/Os of a file.
fn offsets(order: Order, fio: &[Io], ours: &[Io]) -> Option<String> {
    match order {
        Order::Free => None,
        Order::Exact => {
            let at = fio.iter().zip(ours).position(|(a, b)| a != b);
            let at = at.or((fio.len() != ours.len()).then_some(fio.len().min(ours.len())))?;
            Some(format!(
                "I/O {at}: fio {:?}, leadline {:?}",
                fio.get(at),
                ours.get(at)
            ))
        }
        Order::EachKind => [false, true].into_iter().find_map(|write| {
            let of = |ios: &[Io]| {
                ios.iter()
                    .copied()
                    .filter(|io| io.write == write)
                    .collect::<Vec<_>>()
            };
            let (a, b) = (of(fio), of(ours));
            let both = a.len().min(b.len());
            offsets(Order::Exact, &a[..both], &b[..both])
        }),
        Order::Set => {
            let (a, b) = (times(fio, 1), times(ours, 1));
            let most = |t: &BTreeMap<u64, u32>| t.values().copied().max().unwrap_or(0);
            let cut = fio.len() < 2 || a.len() != b.len() || most(&a) != most(&b);
            // A whole pass has the same places in both; a part of one as many.
            let whole = a.keys().ne(b.keys()) && most(&a) > 1 && a.values().all(|n| *n == most(&a));
            ((cut && a != b) || whole).then(|| {
                format!(
                    "places: fio {} at most {} times, leadline {} at most {} times",
                    a.len(),
                    most(&a),
                    b.len(),
                    most(&b)
                )
            })
        }
        Order::Coverage => {
            let (a, b) = (blocks(fio), blocks(ours));
            let most = |t: &BTreeMap<u64, u32>| t.values().copied().max().unwrap_or(0);
            let near = a.len().abs_diff(b.len()) * 4 <= a.len().max(b.len());
            (most(&a) != most(&b) || !near).then(|| {
                format!(
                    "4 KiB blocks: fio {} at most {} times, leadline {} at most {} times",
                    a.len(),
                    most(&a),
                    b.len(),
                    most(&b)
                )
            })
        }
    }
}

/// How often each offset was met.
fn times(ios: &[Io], grain: u64) -> BTreeMap<u64, u32> {
    let mut times = BTreeMap::new();
    for io in ios {
        *times.entry(io.offset / grain).or_default() += 1;
    }
    times
}

/// How often each block of 4 KiB, counted from the first offset, was covered.
fn blocks(ios: &[Io]) -> BTreeMap<u64, u32> {
    let rest = ios.first().map_or(0, |io| io.offset % 4096);
    let mut times = BTreeMap::new();
    for io in ios {
        let first = (io.offset - rest.min(io.offset)) / 4096;
        for block in first..first + io.len.div_ceil(4096) {
            *times.entry(block).or_default() += 1;
        }
    }
    times
}
