//! Whether the rate stayed on one level.

use super::{Case, cure_of_late};
use crate::stats::level_shifts;
use crate::words::about;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Pace;
use leadline_model::sample::Sample;
use leadline_model::units::Nanos;

/// Two levels that differ by less than this share of the higher one are not reported.
const APART: f64 = 0.1;
/// Noise below this share of the mean is not looked for: clocks and the edges of intervals make as much.
const QUIET: f64 = 0.02;
/// A level lasts at least one of so many parts of a short series.
const SHARE: usize = 5;
/// A level lasts at least this long, in a series that is four times as long.
const LASTS: Nanos = Nanos::from_secs(10);

/// Code `level-shift` (warn): the rate of a workload changed its level within the measured window, by a tenth or
/// more. Of workloads that run as fast as they can; the changes are those of PELT over the intervals.
pub(super) fn shift(case: &Case<'_>) -> Option<Finding> {
    if !matches!(case.plan.pace, Pace::Closed) {
        return None;
    }
    let interval = case.run.plan.as_ref()?.interval.0.max(1);
    let whole = |s: &&&Sample| !s.warmup && s.length.0 * 10 >= interval * 9;
    let samples: Vec<&&Sample> = case.samples.iter().filter(whole).collect();
    let rate = |s: &&&Sample| s.counts.data().ios as f64 / s.length.as_secs_f64();
    let rates: Vec<f64> = samples.iter().map(rate).collect();
    let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let span = samples.first()?.length.as_secs_f64();
    // That of counts which arrive at random.
    let counting = (mean * span).sqrt() / span;
    let lasting = usize::try_from(LASTS.0 / interval).unwrap_or(usize::MAX);
    let least = match rates.len() / 4 >= lasting {
        true => lasting.max(2),
        false => (rates.len() / SHARE).max(2),
    };
    let starts = level_shifts(&rates, least, counting.max(QUIET * mean));
    let levels = levels(&rates, &starts);
    let (at, before, after) = largest(&starts, &levels)?;
    let more = match starts.len() {
        1 => String::new(),
        n => format!(" ({n} changes in all)"),
    };
    Some(case.finding(
        "level-shift",
        Severity::Warn,
        format!(
            "The rate changed its level {} into the stage, from {} to {} IOPS{more}. The mean over \
             both is a rate that the target never had.",
            samples[at].start,
            about(before),
            about(after)
        ),
        cure_of_late(
            case.paused,
            "Report both levels. A fall that comes again after a rest is a burst credit: measure \
             beyond it for the sustained rate. A rise is often a cache that fills: add a longer \
             warm-up.",
        ),
    ))
}

/// Medians of the segments that begin at 0 and at each of `starts`: a stall of some intervals is no level.
fn levels(rates: &[f64], starts: &[usize]) -> Vec<f64> {
    let ends = starts.iter().copied().chain([rates.len()]);
    let mut from = 0;
    ends.map(|end| {
        let mut part = rates[from..end].to_vec();
        from = end;
        part.sort_by(f64::total_cmp);
        part.get(part.len() / 2).copied().unwrap_or_default()
    })
    .collect()
}

/// The largest change that is reported: where, and the levels before and after it.
fn largest(starts: &[usize], levels: &[f64]) -> Option<(usize, f64, f64)> {
    let share = |a: f64, b: f64| (a - b).abs() / a.max(b).max(1e-9);
    starts
        .iter()
        .zip(levels.windows(2))
        .map(|(&at, pair)| (at, pair[0], pair[1]))
        .filter(|&(_, a, b)| share(a, b) >= APART)
        .max_by(|x, y| share(x.1, x.2).total_cmp(&share(y.1, y.2)))
}
