//! How far the figures of an operation can be from the truth: 95 % intervals from the time series, and how many
//! independent samples its percentiles rest on.
//!
//! Belongs here: which method of `stats` is for which figure. Must never: compute a figure itself, or an interval (that is
//! `stats`); choose slices (that is `slices`).

use super::figures::{Figures, OpFigures};
use super::op_intervals::{LatencyIntervals, OpIntervals};
use super::percentile::Percentile;
use super::slices::{OfPoints, OfSamples, OfShares, OpChoice, SliceShare, Slices, Sums, Which};
use crate::run::HostPoint;
use crate::stats::{Interval, enough_events, ranks, ratio};
use leadline_model::latency::Latency;
use leadline_model::op::OpMap;
use leadline_model::sample::Sample;
use leadline_model::seed::{Purpose, derive};

/// Percentiles whose intervals are computed, 0 to 100: those that the front ends print, and quarters. Each draws from its
/// own seed, by its place here.
pub(crate) const PERCENTS: [f64; 19] = [
    50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 1.0, 5.0, 10.0, 20.0, 25.0,
    30.0, 40.0, 75.0,
];

/// A rate that differs from that of its slices by more than this share includes I/Os outside of them.
const EDGE: f64 = 0.001;

impl OpFigures {
    /// The service latency at `percent` (0 to 100); `None` when there is no sample.
    #[must_use]
    pub fn service_at(&self, percent: f64) -> Option<Percentile> {
        self.certainty.service.percentile(&self.service, percent)
    }

    /// The latency from the intended start at `percent` (0 to 100), whatever the loop; `None` when there is no sample.
    #[must_use]
    pub fn response_at(&self, percent: f64) -> Option<Percentile> {
        match &self.response {
            Some(response) => self.certainty.response.percentile(response, percent),
            None => self.service_at(percent),
        }
    }

    /// The interval of the mean of [`OpFigures::response`].
    #[must_use]
    pub fn response_mean(&self) -> Option<Interval> {
        match &self.response {
            Some(_) => self.certainty.response.mean,
            None => self.certainty.service.mean,
        }
    }
}

/// Gives the figures their intervals, from the samples that they are about. `number` distinguishes sets of figures of one
/// run: the same run gives the same intervals each time. Percentiles have theirs where `tails` says so.
pub(crate) fn give(figures: &mut Figures, samples: &[&Sample], number: u64, tails: bool) {
    let mut samples = samples.to_vec();
    let certain = all_of(
        figures,
        &OfSamples::of(figures, &mut samples, tails),
        number,
    );
    certain.put(figures);
}

/// Gives figures of a host their intervals, from its points in order: rates and means, as points have no histogram.
pub(super) fn give_points<'a>(figures: &mut Figures, points: impl Iterator<Item = &'a HostPoint>) {
    all_of(figures, &OfPoints::of(figures, points), 0).put(figures);
}

/// Gives the figures of a worker or a file their intervals, from what is known of its slices.
pub(super) fn give_share(figures: &mut Figures, shares: Vec<SliceShare>) {
    all_of(figures, &OfShares::of(figures, shares), 0).put(figures);
}

/// Gives figures the intervals of others that are of the same I/Os.
pub(super) fn copy(from: &Figures, to: &mut Figures) {
    for (op, of) in from.ops.iter() {
        if let Some(own) = to.ops.get_mut(op) {
            own.certainty = of.certainty.clone();
        }
    }
    to.data.certainty = from.data.certainty.clone();
}

/// The intervals of a set of figures.
#[derive(Default)]
struct Certain {
    ops: OpMap<OpIntervals>,
    data: OpIntervals,
}

impl Certain {
    fn put(self, figures: &mut Figures) {
        for (op, intervals) in self.ops {
            figures.ops.entry(op).certainty = intervals;
        }
        figures.data.certainty = self.data;
    }
}

fn all_of(figures: &Figures, slices: &dyn Slices, number: u64) -> Certain {
    if slices.count() < 8 {
        return Certain::default();
    }
    let seed = derive(0, Purpose::Resampling, number);
    let one = |op, of: &OpFigures| certainty(of, slices, OpChoice::One(op), seed);
    let ops = figures.ops.map(one);
    let only = ops.data().next().filter(|_| ops.data().count() == 1);
    let data = only.cloned();
    let data = data.unwrap_or_else(|| certainty(&figures.data, slices, OpChoice::Data, seed));
    Certain { ops, data }
}

fn certainty(of: &OpFigures, slices: &dyn Slices, picked: OpChoice, seed: u64) -> OpIntervals {
    let sums = slices.sums(picked);
    let rate = |value: f64, amount: &dyn Fn(&Sums) -> f64| {
        let parts: Vec<_> = sums.iter().map(|s| (amount(s), s.seconds)).collect();
        covering(resting_on(sums.iter().map(|s| s.ios), ratio(&parts)), value)
    };
    let latency = |whole: &Latency, which: Which| {
        let sum = |s: &Sums| match which {
            Which::Service => s.service,
            Which::Response => s.response,
        };
        let mut parts: Vec<_> = sums.iter().map(sum).collect();
        parts.extend(rest(whole, &parts));
        let each = slices.latencies(picked, which);
        let known = each.and_then(|each| ranks(whole, &each, &PERCENTS, seed));
        LatencyIntervals {
            // Of a lost host the sums are known, but not of how many I/Os.
            mean: covering(
                resting_on(parts.iter().map(|p| p.1), ratio(&parts)),
                whole.mean(),
            )
            .filter(|_| !whole.is_empty())
            // A mean is between the smallest and the largest of what it is of.
            .map(|mean| Interval {
                low: mean.low.max(whole.min as f64).min(mean.value),
                high: mean.high.min(whole.max as f64).max(mean.value),
                ..mean
            })
            .map(Interval::of_nanos),
            percentiles: known.unwrap_or_default(),
        }
    };
    let (mut iops, mut bytes_per_s) = (
        rate(of.iops, &|s| s.ios),
        rate(of.bytes_per_s, &|s| s.bytes),
    );
    let mut service = latency(&of.service, Which::Service);
    let response = match &of.response {
        Some(response) => latency(response, Which::Response),
        None => {
            agree([&mut iops, &mut bytes_per_s, &mut service.mean]);
            LatencyIntervals::default()
        }
    };
    OpIntervals {
        iops,
        bytes_per_s,
        service,
        response,
    }
}

/// What `whole` has besides these slices, as one more slice: the I/Os that a stall held until after the last of them, which took
/// several times as long as the others. `None` where they are too small a share of the sum to matter, or there are none.
fn rest(whole: &Latency, slices: &[(f64, f64)]) -> Option<(f64, f64)> {
    let (sum, count) = slices
        .iter()
        .fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
    let rest = (whole.sum as f64 - sum, whole.count() as f64 - count);
    let counts = rest.0 > EDGE * whole.sum as f64 && rest.1 > 0.0;
    (counts && rest.0 * count > HELD * sum * rest.1).then_some(rest)
}

/// How many times the mean of the others those that were held took at the least.
const HELD: f64 = 4.0;

/// In a closed loop, rate times mean latency is the depth: of those that are not narrow ([`Interval::is_narrow`]), none is settled
/// where one is not.
fn agree(figures: [&mut Option<Interval>; 3]) {
    let mut wide: Vec<&mut Interval> = figures.into_iter().filter_map(Option::as_mut).collect();
    wide.retain(|interval| !interval.is_narrow());
    let settled = wide.iter().all(|interval| interval.settled);
    wide.into_iter()
        .for_each(|interval| interval.settled &= settled);
}

/// The interval of what rests on this many I/Os in each slice: none of too few, not settled where most are in a few slices.
fn resting_on(ios: impl Iterator<Item = f64>, interval: Option<Interval>) -> Option<Interval> {
    let are_spread = enough_events(ios)?;
    interval.map(|interval| Interval {
        settled: interval.settled && are_spread,
        ..interval
    })
}

/// An interval of the slices as one of the figure, which may count what is beside them at the edges of the window.
fn about(interval: Option<Interval>, value: f64) -> Option<Interval> {
    let interval = interval.filter(|i| i.value > 0.0)?;
    Some(interval.scaled(value / interval.value))
}

/// The same of a rate, as wide as both: of long queues, what is counted beside the slices is not what is right there.
fn covering(interval: Option<Interval>, value: f64) -> Option<Interval> {
    let slices = interval?;
    let own = about(interval, value)?;
    if (value / slices.value - 1.0).abs() <= EDGE {
        return Some(own);
    }
    Some(Interval {
        low: own.low.min(slices.low),
        high: own.high.max(slices.high),
        ..own
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Load, stage_run};
    use crate::summary::Basis;
    use crate::summary::percentile::Trust;
    use crate::summary::summarize_stage;
    use leadline_model::op::Op;
    use leadline_model::units::Nanos;

    /// The figures of all workloads of a stage.
    fn of(loads: &[Load]) -> Figures {
        let run = stage_run(loads);
        summarize_stage(&run, &run.stages[0]).figures
    }

    fn reads(intervals: u64) -> Load {
        Load::simple(Op::Read, 100, 4096, 1_000_000, intervals)
    }

    #[test]
    fn the_interval_of_a_rate_holds_that_of_its_slices() {
        let slices = Interval {
            value: 20_000.0,
            low: 19_990.0,
            high: 20_010.0,
            settled: true,
        };
        let found = covering(Some(slices), 20_085.0).unwrap();
        assert!((found.value - 20_085.0).abs() < 1e-9);
        assert!(found.low <= 19_990.0 && found.high >= 20_085.0, "{found:?}");
    }

    #[test]
    fn each_figure_has_an_interval_around_it_and_the_same_each_time() {
        let mut load = reads(84);
        load.open = true;
        // In the warm-up nothing is done, and an eighth of the time nothing either.
        load.warmup = 4;
        load.quiet = (0..84).filter(|k| *k < 4 || k * 7 % 8 == 0).collect();
        let figures = of(&[load.clone()]);
        assert_eq!(figures, of(&[load]));
        let data = &figures.data;
        let iops = data.certainty.iops.unwrap();
        assert!((iops.value - data.iops).abs() < 1e-9 && iops.settled);
        assert!((iops.low..=iops.high).contains(&data.iops));
        // Ten of 80 intervals at even distances: twice the 7/8 of an interval that the sum leaves its line by.
        assert!((0.02..0.03).contains(&iops.relative()), "{iops:?}");
        let bytes = data.certainty.bytes_per_s.unwrap();
        assert!((bytes.low / iops.low / 4096.0 - 1.0).abs() < 1e-9);
        let mean = data.certainty.service.mean.unwrap();
        assert!(mean.low < data.service.mean() && data.service.mean() < mean.high);
        assert_eq!(data.certainty, figures.op(Op::Read).unwrap().certainty);
        for found in [data.service_at(99.0), data.response_at(99.0)] {
            let found = found.unwrap();
            let (low, high) = (found.low.unwrap(), found.high.unwrap());
            assert!(low < found.value && found.value < high, "{found:?}");
            assert_eq!((found.settled, found.trust), (Some(true), Trust::Doubtful));
            assert_eq!(data.service_at(99.99).unwrap().trust, Trust::TooFew);
            // 7,000 I/Os.
            assert!((30.0..70.1).contains(&found.beyond), "{found:?}");
        }
        let response = data.response.as_ref().unwrap();
        assert!((data.response_mean().unwrap().value - response.mean()).abs() < 1e-6);
        // One that is not in the list has none.
        assert_eq!(data.service_at(98.0).unwrap().low, None);
    }

    /// A tenth of the samples, all in one interval: as much as one sample, and yet it was so.
    #[test]
    fn one_stall_is_a_tail_in_doubt_and_not_one_that_is_hidden() {
        let of = |count: u64, ns: u64| {
            let mut latency = Latency::default();
            latency.record_many(ns, count);
            latency
        };
        let slices: Vec<Latency> = (0..100)
            .map(|k| of(1000, if k == 50 { 3_000_000_000 } else { 1_000_000 }))
            .collect();
        let mut whole = Latency::default();
        slices.iter().for_each(|s| whole.merge(s));
        let each: Vec<_> = slices.iter().map(|s| vec![s]).collect();
        let known = LatencyIntervals {
            mean: None,
            percentiles: ranks(&whole, &each, &PERCENTS, 1).unwrap(),
        };
        let found = known.percentile(&whole, 99.5).unwrap();
        assert!(found.value > Nanos(2_970_000_000), "{found:?}");
        assert_eq!(found.trust, Trust::Doubtful);
        assert!(found.beyond < 10.0 && found.high.is_none(), "{found:?}");
    }

    /// 300 us, and in each fourth slice a fifth of 800 us. The bucket of the former goes on to 301 us.
    #[test]
    fn a_percentile_without_an_interval_is_not_above_a_higher_one() {
        let slice = |number: u64| {
            let mut latency = Latency::default();
            let slow = 20 * u64::from(number.is_multiple_of(4));
            latency.record_many(300_000, 100 - slow);
            (0..slow).for_each(|_| latency.record(800_000));
            latency
        };
        let slices: Vec<Latency> = (0..64).map(slice).collect();
        let mut whole = Latency::default();
        slices.iter().for_each(|s| whole.merge(s));
        // Their sums have an I/O more, so that where in its bucket the rest is follows from the slices alone.
        whole.record(300_500);
        let each: Vec<_> = slices.iter().map(|s| vec![s]).collect();
        let known = LatencyIntervals {
            mean: None,
            percentiles: ranks(&whole, &each, &PERCENTS, 1).unwrap(),
        };
        let at = |percent| known.percentile(&whole, percent).unwrap().value;
        // By itself it is above: the bucket alone has it further up.
        let alone = crate::summary::percentile(&whole, 40.0).unwrap().value;
        assert!(alone > at(50.0), "{alone}");
        let rising = [5.0, 20.0, 40.0, 50.0, 55.0, 80.0, 93.0, 97.0, 99.0];
        assert!(rising.is_sorted_by_key(|p| at(*p)), "{:?}", rising.map(at));
    }

    /// A stall at the end has almost the whole sum: no slice is below the smallest I/O all the same.
    #[test]
    fn a_mean_is_not_below_its_smallest() {
        let mut load = Load::simple(Op::Read, 10, 4096, 1_000_000, 64);
        load.quiet = (20..60).collect();
        let run = stage_run(&[load]);
        let mut figures = summarize_stage(&run, &run.stages[0]).figures;
        let slow = &mut figures.ops.entry(Op::Read).service;
        (0..4).for_each(|_| slow.record(30_000_000_000));
        let least = slow.min as f64;
        let samples: Vec<&Sample> = run.stages[0].samples.iter().collect();
        give(&mut figures, &samples, 0, false);
        let mean = figures
            .op(Op::Read)
            .unwrap()
            .certainty
            .service
            .mean
            .unwrap();
        assert!(mean.low >= least, "{mean:?} {least}");
        assert!(mean.high > 2.0 * mean.value, "{mean:?}");
        let most = figures.op(Op::Read).unwrap().service.max as f64;
        assert!(mean.high <= most, "{mean:?} {most}");
    }

    /// One read of 32.8 s, 32 that all end in one slice, and nine in nine slices.
    #[test]
    fn what_rests_on_a_few_ios_has_no_interval() {
        for (each, quiet) in [
            (1, (0..64).filter(|k| *k != 63).collect::<Vec<u64>>()),
            (32, (0..64).filter(|k| *k != 63).collect()),
            (1, (0..64).filter(|k| k % 7 != 0 || *k > 60).collect()),
        ] {
            let mut load = Load::simple(Op::Read, each, 4096, 32_000_000, 64);
            load.quiet = quiet;
            let figures = of(&[load]);
            let data = &figures.data;
            assert!(data.ios > 0 && data.ios <= 32, "{}", data.ios);
            assert_eq!(data.certainty, OpIntervals::default(), "{}", data.ios);
            let p50 = data.service_at(50.0).unwrap();
            assert_eq!((p50.low, p50.high, p50.settled), (None, None, None));
            assert!(!data.mean_known().is_known() && !data.iops_known().is_known());
        }
        // Of ten in ten there is one.
        let mut load = Load::simple(Op::Read, 1, 4096, 32_000_000, 64);
        load.quiet = (0..64).filter(|k| k % 7 != 0).collect();
        let figures = of(&[load]);
        assert_eq!(figures.data.ios, 10);
        assert!(figures.data.certainty.service.mean.is_some());
        assert!(figures.data.certainty.iops.is_some());
    }

    /// 32 reads at a time of 1 ms, until a stall holds 32 that end after the last slice.
    #[test]
    fn a_mean_that_a_stall_made_is_not_said_to_be_known() {
        let mut service = Latency::default();
        service.record_many(1_000_000, 64_000);
        let slices: Vec<(f64, f64)> = vec![(1e9, 1000.0); 64];
        assert_eq!(rest(&service, &slices), None);
        service.record_many(2_000_000_000, 32);
        let after = rest(&service, &slices).unwrap();
        assert!((after.0 - 64e9).abs() < 1e-3 && (after.1 - 32.0).abs() < 1e-9);
        let mut interval = ratio(&[slices, vec![after]].concat());
        assert!(
            interval.is_some_and(|i| !i.settled && i.relative() > 0.5),
            "{interval:?}"
        );
        let of = |low, high| Interval {
            value: 5.0,
            low,
            high,
            settled: true,
        };
        let (mut iops, mut bytes) = (Some(of(2.0, 8.0)), Some(of(5.0, 5.0)));
        agree([&mut iops, &mut bytes, &mut interval]);
        assert!(iops.is_some_and(|i| !i.settled) && bytes == Some(of(5.0, 5.0)));
        let mut alone = Some(of(2.0, 8.0));
        agree([&mut alone, &mut bytes, &mut None]);
        assert_eq!(alone, Some(of(2.0, 8.0)));
    }

    #[test]
    fn only_the_time_counts_that_the_figures_are_about() {
        let mut load = reads(40);
        load.starts = vec![Nanos::ZERO, Nanos::from_secs(20)];
        let figures = of(&[load]);
        assert_eq!(figures.basis, Basis::Common);
        let iops = figures.data.certainty.iops.unwrap();
        assert!(
            iops.relative() < 1e-9 && (iops.value - 200.0).abs() < 0.1,
            "{iops:?}"
        );
    }

    #[test]
    fn a_short_series_has_none_and_operations_have_their_own() {
        let short = of(&[reads(7)]);
        assert_eq!(short.data.certainty, OpIntervals::default());
        assert_eq!(short.data.service_at(50.0).unwrap().settled, None);
        let writes = Load::simple(Op::Write, 300, 8192, 5_000_000, 16);
        let both = of(&[reads(16), writes]);
        let value = |op: &OpFigures| op.certainty.service.mean.unwrap().value;
        let (read, write) = (both.op(Op::Read).unwrap(), both.op(Op::Write).unwrap());
        assert!(value(read) < value(&both.data) && value(&both.data) < value(write));
    }
}
