//! Whether the rate was steady: a warm-up inside the window, a trend, a period.
//!
//! All are of workloads that run as fast as they can, without pauses; a change of level is said first
//! ([`super::level`]), and nothing else then.

use super::level::{self, RateSeries};
use super::{Case, cure_of_late};
use crate::stats::{self, Period, Trend, dependence, period, trend, warm_up_end};
use crate::summary::few_slow::differ_by_few;
use crate::words::{about, iops_within, level_within, percent_within, trim_to};
use leadline_model::cure::Knob;
use leadline_model::finding::{Finding, Severity};
use leadline_model::histogram::lower_bound;
use leadline_model::units::Nanos;

/// A change that is smaller than this share of the rate is not said.
const APART: f64 = 0.05;
/// A warm-up that moves the mean by less than this share of it is not said.
const MOVES: f64 = 0.01;
/// One that leaves no steady part, and moves the mean by this share of it, leaves no figure to use.
const FAR: f64 = 0.1;
/// Levels are apart by this share of the higher one.
const LEVELS: f64 = 0.1;
/// Standard errors from which on a change is no chance: one in sixteen thousand. A survey has twenty points and more, each of
/// which is looked at.
const SURE: f64 = 4.0;
/// The same where the place of the change was looked for, over up to half of a hundred intervals and beginning with the fifth:
/// as many have a change as large somewhere by chance. R. Miller and D. Siegmund, "Maximally selected chi square statistics",
/// 1982: (c - 1/c) f(c) ln(t2 (1 - t1) / t1 (1 - t2)) + 4 f(c) / c between the shares t1 and t2, f the density of the normal
/// distribution; with 3.5 it is one in 130.
const SURE_OF_SEARCHED: f64 = 4.8;
/// The shortest period that is looked for: shorter ones are the target's everyday.
const SHORTEST: Nanos = Nanos::from_secs(3);

/// Codes `warm-up` (warn; fail where more than half of the window would be left out, and the mean is a tenth off), `drift` and
/// `level-shift` (warn).
pub(super) fn unsteady(case: &Case<'_>) -> Option<Finding> {
    let rates = one_level(case, level::moving(case))?;
    let length = rates.samples.first()?.length.as_secs_f64();
    let cut = warm_up_end(&rates.values, 1.0 / length.max(1e-9))?;
    let late = cut * 2 > rates.values.len();
    let warm_up = || warm_up(case, &rates, cut);
    match late {
        // What changes to the end is a trend, and no warm-up.
        true => drift(case, &rates).or_else(warm_up),
        false => warm_up().or_else(|| drift(case, &rates)),
    }
}

/// The rates of a workload that has one level, and no pauses.
fn one_level<'a>(case: &Case<'_>, rates: Option<RateSeries<'a>>) -> Option<RateSeries<'a>> {
    let has_one = case.plan.think.is_none() && !level::has_several(case);
    rates.filter(|_| has_one)
}

/// The window begins with values that differ from the rest by 5 % and by more than chance, and move the mean by 1 %. A rate that
/// falls from them, and stays down, is a level of its own (code `level-shift`): a cache that is full, credits or erased blocks
/// that are used up.
fn warm_up(case: &Case<'_>, rates: &RateSeries<'_>, cut: usize) -> Option<Finding> {
    let (early, rest) = rates.values.split_at_checked(cut).filter(|_| cut > 0)?;
    let (before, after, all) = (mean(early), mean(rest), mean(&rates.values));
    let share = |a: f64| (a - after).abs() / after.max(1e-9);
    // Slices of a second have more in common than seconds.
    let left: Vec<f64> = early
        .iter()
        .map(|r| r - before)
        .chain(rest.iter().map(|r| r - after))
        .collect();
    let spread = rest.iter().map(|r| (r - after).powi(2)).sum::<f64>() / rest.len() as f64;
    let few = 1.0 / early.len() as f64 + 1.0 / rest.len() as f64;
    let error = (spread * few * dependence(&left)).sqrt();
    let is_chance = (before - after).abs() <= SURE_OF_SEARCHED * error;
    let is_dip = early.len() <= 2 || share(without_dip(early, after)) < APART;
    if is_chance || is_dip || share(before) < APART || share(all) < MOVES {
        return None;
    }
    let levels = [
        rates.level(before, 0..cut),
        rates.level(after, cut..rates.values.len()),
    ];
    let (first, others) = rates.samples.split_at(cut);
    if differ_by_few(first, others) {
        return None;
    }
    let late = cut * 2 > rates.values.len();
    // Its own end is a trend: then all of it is one.
    if !late && trend(rest).is_some_and(|line| is_trend(line, after)) {
        return None;
    }
    if before > after {
        if after <= 0.0 || before - after < LEVELS * before {
            return None;
        }
        let at = others.first().map_or(Nanos::ZERO, |sample| sample.start);
        return Some(level::changed(case, at, levels, 1));
    }
    let length = Nanos(rates.samples[..cut].iter().map(|s| s.length.0).sum());
    let [early, steady] = levels.map(|level| level_within(&level, iops_within));
    let severity = match late && share(all) >= FAR {
        true => Severity::Fail,
        false => Severity::Warn,
    };
    let end = match late {
        true => ": more than half of the window, so there is no steady part to go by",
        false => "",
    };
    Some(case.finding(
        "warm-up",
        severity,
        format!(
            "The first {length} of the window were still a warm-up, with {early} where the rest has \
             {steady}{end}. The mean over both is {}.",
            moved(all, after)
        ),
        cure_of_late(
            case.held,
            (
                "Make the warm-up longer by this time.",
                [Knob::WarmUp, Knob::RunTime],
            ),
        ),
    ))
}

/// How far the mean of all is from that of the rest: `2.1 % off`, or from twice on `105 times that of the rest`.
fn moved(all: f64, rest: f64) -> String {
    let times = all / rest.max(1e-9);
    match times >= 2.0 {
        true => format!("{} times that of the rest", about(times)),
        false => format!("{} % off", trim_to((times - 1.0).abs() * 100.0, 1)),
    }
}

/// The mean of the early values without the two that are furthest from the others' mean: one or two intervals that
/// differ are a dip, as a short standstill makes it, and no warm-up.
fn without_dip(early: &[f64], after: f64) -> f64 {
    let mut values = early.to_vec();
    values.sort_by(|a, b| (a - after).abs().total_cmp(&(b - after).abs()));
    mean(&values[..values.len().saturating_sub(2)])
}

/// Whether a line is more than noise and more than 5 %, and above nothing at both ends, as each rate is.
fn is_trend(line: Trend, mean: f64) -> bool {
    let change = line.change.abs();
    change > SURE * line.error && change > APART * mean && change < 2.0 * mean
}

/// The rate rises or falls over the whole window, by 5 % or more and by more than chance.
fn drift(case: &Case<'_>, rates: &RateSeries<'_>) -> Option<Finding> {
    let mean = mean(&rates.values);
    let line = trend(&rates.values).filter(|line| is_trend(*line, mean))?;
    let (first, second) = rates.samples.split_at(rates.samples.len() / 2);
    if differ_by_few(first, second) {
        return None;
    }
    let verb = match line.change < 0.0 {
        true => "fell",
        false => "rose",
    };
    let [from, to] = line.ends(mean);
    let share = line.size().scaled(1.0 / from.value.max(mean * 0.01));
    Some(case.finding(
        "drift",
        Severity::Warn,
        format!(
            "The rate {verb} steadily over the window of {}, by {} from {} to {}: a longer run gives another mean.",
            Nanos(rates.samples.iter().map(|s| s.length.0).sum()),
            percent_within(&share),
            iops_within(&from),
            iops_within(&to)
        ),
        cure_of_late(
            case.held,
            (
                "Measure for longer, until the rate no longer changes; new media may need to be \
                 written twice over before they are steady.",
                [Knob::RunTime, Knob::WarmUp],
            ),
        ),
    ))
}

/// Code `period` (warn): the rate changes with a period of 3 s or more that comes at least three times in the window, by
/// 2 % or more.
pub(super) fn periodic(case: &Case<'_>) -> Option<Finding> {
    let (rates, found, interval) = period_in(case)?;
    let phases = Phases::of(&rates.values, found.lag)?;
    let to = match phases.rises {
        true => "up to",
        false => "down to",
    };
    Some(case.finding(
        "period",
        Severity::Warn,
        format!(
            "The rate changes with a period of {} (autocorrelation {}): {to} {}, typically {}.",
            Nanos(interval.saturating_mul(found.lag as u64)),
            trim_to(found.correlation, 2),
            level_of(&phases.away),
            level_of(&phases.typical)
        ),
        cure_of_late(
            case.held,
            (
                "Look for something that happens as often (a flush, a checkpoint, a snapshot, a quota's window), and \
                 measure for many of its periods: the share of a short window that it takes is chance.",
                [Knob::RunTime],
            ),
        ),
    ))
}

/// The rates of a series with a period, without the intervals in which it goes from one phase to the other.
#[derive(Debug, PartialEq)]
struct Phases {
    /// Whether the rates away from the typical ones are higher.
    rises: bool,
    away: Vec<f64>,
    typical: Vec<f64>,
}

impl Phases {
    /// The phases of a series that repeats after as many values as `lag` says; `None` where its cycles have no rate in common.
    fn of(values: &[f64], lag: usize) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let cycles = (sorted.len() / lag.max(1)).max(1);
        // Each cycle has its lowest and its highest value: the middle of as many as there are cycles.
        let [low, middle, high] = [
            cycles / 2,
            sorted.len() / 2,
            sorted.len().saturating_sub(1 + cycles / 2),
        ]
        .map(|at| sorted.get(at).copied().unwrap_or_default());
        let rises = high - middle > 2.0 * (middle - low);
        let far = if rises { high } else { low };
        // From 0 for the typical rate to 1 for the one furthest from it.
        let is_beyond = |rate: f64, share: f64| (rate - middle) / (far - middle) > share;
        let known = |part: Vec<f64>| (part.len() >= cycles).then_some(part);
        let inner_typical = known(inner(values, |rate| !is_beyond(rate, 0.5)));
        let typical = values.iter().copied().filter(|x| !is_beyond(*x, 0.5));
        // A phase of one or two intervals may have only a part of one.
        let away = values.iter().copied().filter(|x| is_beyond(*x, 0.75));
        let inner_away = known(inner(values, |rate| is_beyond(rate, 0.5)));
        ((far - middle).abs() > 0.0).then(|| Self {
            rises,
            away: inner_away.unwrap_or_else(|| away.collect()),
            typical: inner_typical.unwrap_or_else(|| typical.collect()),
        })
    }
}

/// The values of this kind whose neighbours are of it as well.
fn inner(values: &[f64], is: impl Fn(f64) -> bool) -> Vec<f64> {
    let near = |at: usize| &values[at.saturating_sub(1)..values.len().min(at + 2)];
    let of_kind = |at: &usize| near(*at).iter().all(|rate| is(*rate));
    (0..values.len())
        .filter(of_kind)
        .map(|at| values[at])
        .collect()
}

/// The rate of these intervals with its interval, in words; a standstill has none.
fn level_of(rates: &[f64]) -> String {
    let rate = stats::median_high(rates.iter().copied()).unwrap_or_default();
    if rate <= 0.0 {
        return String::from("0 IOPS");
    }
    let slices: Vec<(f64, f64)> = rates.iter().map(|rate| (*rate, 1.0)).collect();
    level_within(&stats::level(rate, &slices), iops_within)
}

/// The period with which the rate of a workload changes.
pub(super) fn period_of(case: &Case<'_>) -> Option<Nanos> {
    let (_, found, interval) = period_in(case)?;
    Some(Nanos(interval.saturating_mul(found.lag as u64)))
}

/// The rates of a workload that change with a period, the period, and the length of an interval in nanoseconds.
fn period_in<'a>(case: &'a Case<'_>) -> Option<(RateSeries<'a>, Period, u64)> {
    // A standstill may be what comes again.
    let rates = one_level(case, level::rates(case))?;
    let interval = case.run.unit(case.stage)?.0;
    let least = usize::try_from(SHORTEST.0.div_ceil(interval)).unwrap_or(usize::MAX);
    let found = period(&rates.values, least)?;
    let is_one = found.spread >= rates.noise() && !is_by_groups(case, &rates);
    is_one.then_some((rates, found, interval))
}

/// Whether the intervals differ by no more than two groups of I/Os and none waited longer than usual for it: by half of the time
/// that a target takes for as many. A queue that many workloads share gives each its I/Os in groups of its depth.
fn is_by_groups(case: &Case<'_>, rates: &RateSeries<'_>) -> bool {
    let service = &case.summary.figures.data.service;
    let (Some(first), Some(middle)) = (rates.samples.first(), service.histogram.ranked(50.0))
    else {
        return false;
    };
    let length = first.length.as_secs_f64();
    let most = rates.values.iter().copied().fold(0.0, f64::max);
    let least = rates.values.iter().copied().fold(most, f64::min);
    let waited = service.max.saturating_sub(lower_bound(middle.bucket));
    let apart = (most - least) / most.max(1e-9) * length;
    // An interval may have the end of one group and the begin of the next.
    let is_group = (most - least) * length <= 2.0 * case.summary.depth_asked as f64;
    is_group && Nanos(waited).as_secs_f64() < apart / 2.0
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{Phases, level_of, moved};

    #[test]
    fn a_mean_far_from_the_rest_is_said_as_a_multiple() {
        assert_eq!(moved(97.9, 100.0), "2.1 % off");
        assert_eq!(moved(199.0, 100.0), "99 % off");
        assert_eq!(moved(10_522.0, 100.0), "105 times that of the rest");
    }

    /// Both levels are those of the volume: not the lowest values of one, nor values that are partly of the other.
    #[test]
    fn the_phases_of_a_period_have_the_rates_that_the_volume_had() {
        // Of ten values three are lower, with noise of 4 in 4,700, and one on each side is of both.
        let noise = |at: usize| (at * 7 % 9) as f64 - 4.0;
        let each = |rates: [f64; 10]| -> Vec<f64> {
            (0..120).map(|at| rates[at % 10] + noise(at)).collect()
        };
        let (high, low) = (5000.0, 4700.0);
        let dips = [high, high, high, 4900.0, low, low, low, low, 4780.0, high];
        let found = Phases::of(&each(dips), 10).unwrap();
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        assert!(!found.rises, "{found:?}");
        assert!((mean(&found.away) - low).abs() < 1.5, "{found:?}");
        assert!((mean(&found.typical) - high).abs() < 1.5, "{found:?}");
        // Higher for a short part of it: the lower rate is the typical one.
        let peaks = [low, low, low, low, 4800.0, high, high, high, 4900.0, low];
        let found = Phases::of(&each(peaks), 10).unwrap();
        assert!(found.rises, "{found:?}");
        assert!((mean(&found.away) - high).abs() < 1.5, "{found:?}");
        assert!((mean(&found.typical) - low).abs() < 1.5, "{found:?}");
        assert_eq!(Phases::of(&[low; 120], 10), None);
    }

    #[test]
    fn a_standstill_is_said_without_an_interval() {
        assert_eq!(level_of(&[0.0; 4]), "0 IOPS");
    }
}
