//! The time series of a stage or workload: one point an interval, intervals without I/O included
//! (law 3).

use super::figures::per_second;
use super::percentile::{Percentile, is_bound, percentile};
use crate::run::{HostPoint, OpPoint};
use crate::stats::Bracket;
use leadline_model::op::{Op, OpMap};
use leadline_model::sample::{Counts, OpCounts, Sample};
use leadline_model::units::Nanos;
use std::borrow::Cow;

/// One operation in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointOp {
    /// I/Os that ended in the interval.
    pub ios: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// Mean service latency in nanoseconds; 0 without I/O.
    pub mean_ns: f64,
    /// Median service latency.
    pub p50: Option<Percentile>,
    /// 99th percentile of the service latency.
    pub p99: Option<Percentile>,
    /// Largest service latency; zero without I/O.
    pub max: Nanos,
    /// Mean response latency in nanoseconds, where it is kept separately.
    pub response_mean_ns: Option<f64>,
    /// Median response latency, where it is kept separately.
    pub response_p50: Option<Percentile>,
    /// 99th percentile of the response latency, where it is kept separately.
    pub response_p99: Option<Percentile>,
    /// Largest response latency, where it is kept separately.
    pub response_max: Option<Nanos>,
    /// Whether mean and largest latency from the intended start are at least that, as I/Os had not ended.
    pub is_bound: bool,
}

impl PointOp {
    fn of(counts: &OpCounts, length: Nanos) -> Self {
        let service = &counts.service;
        let response = counts.response.as_ref();
        Self {
            ios: counts.ios,
            bytes: counts.bytes,
            iops: per_second(counts.ios as f64, length),
            bytes_per_s: per_second(counts.bytes as f64, length),
            mean_ns: service.mean(),
            p50: percentile(service, 50.0),
            p99: percentile(service, 99.0),
            max: Nanos(service.max),
            response_mean_ns: response.map(|r| r.mean()),
            response_p50: response.and_then(|r| percentile(r, 50.0)),
            response_p99: response.and_then(|r| percentile(r, 99.0)),
            response_max: response.map(|r| Nanos(r.max)),
            is_bound: is_bound(counts.response()),
        }
    }

    /// Without percentiles: of these sums there is no histogram.
    fn of_sums(sums: &OpPoint, length: Nanos) -> Self {
        Self {
            ios: sums.ios,
            bytes: sums.bytes,
            iops: per_second(sums.ios as f64, length),
            bytes_per_s: per_second(sums.bytes as f64, length),
            mean_ns: sums.service.mean(),
            max: Nanos(sums.service.max),
            response_mean_ns: sums.response.map(|r| r.mean()),
            response_max: sums.response.map(|r| Nanos(r.max)),
            ..Self::default()
        }
    }

    /// Its latencies from the intended start: those of the response where that is kept apart, else of the service, which
    /// are the same then.
    #[must_use]
    pub fn from_intended(&self) -> PointLatency {
        match (self.response_mean_ns, self.response_max) {
            (Some(mean_ns), Some(max)) => PointLatency {
                mean_ns,
                p50: self.response_p50,
                p99: self.response_p99,
                max,
                is_bound: self.is_bound,
            },
            _ => PointLatency {
                mean_ns: self.mean_ns,
                p50: self.p50,
                p99: self.p99,
                max: self.max,
                is_bound: self.is_bound,
            },
        }
    }
}

/// Latencies of one operation in one interval, all of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointLatency {
    /// Mean in nanoseconds; 0 without I/O.
    pub mean_ns: f64,
    /// Median.
    pub p50: Option<Percentile>,
    /// 99th percentile.
    pub p99: Option<Percentile>,
    /// Largest; zero without I/O.
    pub max: Nanos,
    /// Whether mean and largest are at least that, as I/Os had not ended.
    pub is_bound: bool,
}

impl PointLatency {
    /// What is known of mean and largest besides their values.
    #[must_use]
    pub const fn bracket(&self) -> Bracket {
        match self.is_bound {
            true => Bracket::AtLeast,
            false => Bracket::Unknown,
        }
    }

    /// The largest in nanoseconds, and what is known of it.
    #[must_use]
    pub const fn longest(&self) -> (f64, Bracket) {
        (self.max.0 as f64, self.bracket())
    }
}

/// One interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Number of the interval, from 0.
    pub interval: u64,
    /// Start, from the start of the stage.
    pub start: Nanos,
    /// Length; the last may be short.
    pub length: Nanos,
    /// Whether it is in the warm-up of any workload that it contains.
    pub warmup: bool,
    /// By operation, those that occur.
    pub ops: OpMap<PointOp>,
    /// All that is part of IOPS together.
    pub data: PointOp,
}

impl Point {
    /// What hosts did together in an interval.
    pub(crate) fn of_hosts(sums: &HostPoint) -> Self {
        let of = |op: &OpPoint| PointOp::of_sums(op, sums.length);
        Self {
            interval: sums.interval,
            start: sums.start,
            length: sums.length,
            warmup: sums.warmup,
            ops: sums.ops.map(|_, op| of(op)),
            data: of(&sums.data()),
        }
    }

    /// One operation, if it occurs.
    #[must_use]
    pub fn op(&self, op: Op) -> Option<&PointOp> {
        self.ops.get(op)
    }

    /// The middle of the interval in seconds from the start of the stage: where a chart puts it.
    #[must_use]
    pub fn middle_s(&self) -> f64 {
        self.start.as_secs_f64() + self.length.as_secs_f64() / 2.0
    }
}

/// The time series of one workload of a stage, or of all of them together (`None`). Samples of several
/// workloads are merged by the number of their interval; the warm-up's part of an interval that its
/// end cuts in two is a point of its own.
#[must_use]
pub fn series(samples: &[Sample], workload: Option<u32>) -> Vec<Point> {
    let picked = samples.iter();
    of_samples(
        picked
            .filter(|s| workload.is_none_or(|w| s.workload == w))
            .collect(),
    )
}

/// The time series of all these samples together.
pub(crate) fn of_samples(mut samples: Vec<&Sample>) -> Vec<Point> {
    samples.sort_by_key(|s| (s.interval, !s.warmup));
    let slices = intervals(&samples, slice_of);
    slices.iter().map(|slice| point(slice)).collect()
}

/// The time that a part of a time series covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    /// Number of the interval.
    pub(crate) interval: u64,
    /// Whether it is warm-up.
    pub(crate) warmup: bool,
    /// From and to, from the start of the stage.
    pub(crate) span: (Nanos, Nanos),
}

/// The time that a sample covers.
pub(crate) fn slice_of(sample: &Sample) -> Slice {
    Slice {
        interval: sample.interval,
        warmup: sample.warmup,
        span: (sample.start, Nanos(sample.start.0 + sample.length.0)),
    }
}

/// The parts of a time series by interval, in order of interval and warm-up before the rest, as `sorted` is. The last
/// of the warm-up and the very last are joined to the previous one where they are shorter than half of the longest:
/// a few I/Os in 50 us are not a rate.
pub(crate) fn intervals<'a, T: Copy>(
    sorted: &'a [T],
    of: impl Fn(T) -> Slice,
) -> Vec<Cow<'a, [T]>> {
    let key = |part: T| {
        let slice = of(part);
        (slice.interval, slice.warmup)
    };
    let mut all: Vec<Cow<'a, [T]>> = sorted
        .chunk_by(|&a, &b| key(a) == key(b))
        .map(Cow::Borrowed)
        .collect();
    let length = |parts: &[T]| {
        let from = parts.iter().map(|&p| of(p).span.0).min();
        let to = parts.iter().map(|&p| of(p).span.1).max();
        to.unwrap_or_default().since(from.unwrap_or_default()).0
    };
    for warmup in [true, false] {
        let same = |parts: &Cow<'a, [T]>| parts.first().is_some_and(|&p| of(p).warmup == warmup);
        let Some(last) = all.iter().rposition(same) else {
            continue;
        };
        let Some(before) = all[..last].iter().rposition(same) else {
            continue;
        };
        let longest = all.iter().filter(|p| same(p)).map(|p| length(p)).max();
        if length(&all[last]) * 2 < longest.unwrap_or(0) {
            let rest = all.remove(last);
            all[before].to_mut().extend_from_slice(&rest);
        }
    }
    all
}

fn point(samples: &[&Sample]) -> Point {
    // Most often there is one sample of one kind of operation: with hundreds of workloads and hours of
    // intervals it matters that nothing is merged then.
    if let [sample] = samples {
        return one(
            sample.interval,
            sample.warmup,
            (sample.start, sample.length),
            &sample.counts,
        );
    }
    let mut counts = Counts::default();
    let (mut start, mut end) = (Nanos(u64::MAX), Nanos::ZERO);
    for sample in samples {
        counts.merge(&sample.counts);
        start = start.min(sample.start);
        end = end.max(Nanos(sample.start.0 + sample.length.0));
    }
    let first = samples.first();
    let (interval, warmup) = first.map_or((0, false), |s| (s.interval, s.warmup));
    one(interval, warmup, (start, end.since(start)), &counts)
}

fn one(interval: u64, warmup: bool, (start, length): (Nanos, Nanos), counts: &Counts) -> Point {
    let ops = counts.ops.map(|_, op| PointOp::of(op, length));
    let only = (ops.data().count() == 1).then(|| ops.data().next().copied());
    let data = only.flatten();
    let data = data.unwrap_or_else(|| PointOp::of(&counts.data(), length));
    Point {
        interval,
        start,
        length,
        warmup,
        ops,
        data,
    }
}

/// Nanoseconds that an interval covers, of one workload or of several side by side.
fn length_of(slice: &[&Sample]) -> u64 {
    let from = slice.iter().map(|sample| sample.start).min();
    let to = slice.iter().map(|s| Nanos(s.start.0 + s.length.0)).max();
    to.unwrap_or_default().since(from.unwrap_or_default()).0
}

/// Samples above a percentile of a point that is worth drawing.
const ABOVE: f64 = 20.0;
/// Fewest points that the line of a percentile has, though some may then have too few samples.
const FEWEST: usize = 10;

/// How many points a line of a percentile (above 0, below 100) over time has, of this many I/Os: as many as have enough of
/// them each, but no more than `most`.
pub(crate) fn points_for(ios: u64, percent: f64, most: usize) -> usize {
    let each = ABOVE / (1.0 - percent / 100.0);
    let points = leadline_model::units::whole((ios as f64 / each + 1e-6).floor());
    let points = usize::try_from(points).unwrap_or(most);
    points.clamp(FEWEST.min(most), most)
}

/// What is said where intervals are merged for that.
pub(crate) fn merged_words(percent: f64) -> String {
    let name = crate::words::trim_to(percent, 6);
    format!("p{name}: intervals are merged until a point has enough I/Os for it")
}

/// Merges neighbours until at most `most` are left: counts and histograms are added, so
/// percentiles stay exact. Also returns how many were merged into one.
pub(crate) fn coarser(samples: &[&Sample], most: usize) -> (Vec<Sample>, usize) {
    let slices = intervals(samples, slice_of);
    let every = slices.len().div_ceil(most).max(1);
    let warmup = |slice: &[&Sample]| slice.first().is_some_and(|s| s.warmup);
    let merged = slices
        .chunk_by(|a, b| warmup(a) == warmup(b))
        .flat_map(|same| same.chunks(every))
        .zip(0_u64..)
        .filter_map(|(chunk, number)| {
            let mut all = chunk.iter().flat_map(|slice| slice.iter()).peekable();
            let mut whole = (*all.next()?).clone();
            whole.interval = number;
            if all.peek().is_some() {
                whole.counts.unpack();
            }
            for sample in all {
                whole.counts.merge(&sample.counts);
                whole.start = whole.start.min(sample.start);
            }
            whole.counts.pack();
            whole.length = Nanos(chunk.iter().map(|slice| length_of(slice)).sum());
            Some(whole)
        })
        .collect();
    (merged, every)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn merged_neighbours_keep_every_io_and_every_second() {
        let run = crate::fixture::run();
        let own: Vec<&Sample> = run.stages[0].samples.iter().collect();
        let ios = |s: &[Sample]| s.iter().map(|s| s.counts.data_ios()).sum::<u64>();
        let span = |s: &[Sample]| s.iter().map(|s| s.length.0).sum::<u64>();
        let (all, one) = coarser(&own, 1000);
        let (few, many) = coarser(&own, 2);
        assert_eq!(one, 1);
        assert!(many > 1 && few.len() <= 3);
        assert_eq!((ios(&all), span(&all)), (ios(&few), span(&few)));
    }

    #[test]
    fn intervals_without_io_are_points_of_zero() {
        let run = fixture::run();
        let points = series(&run.stages[0].samples, Some(0));
        assert_eq!(points.len(), 8);
        assert!(points[0].warmup && !points[1].warmup);
        assert_eq!(points[5].data.ios, 0);
        assert_eq!(points[5].op(Op::Read).unwrap().p50, None);
        assert!((points[4].data.iops - 2500.0).abs() < 1e-9);
        assert!((points[4].middle_s() - 4.5).abs() < 1e-9);
    }

    #[test]
    fn workloads_of_a_stage_add_up() {
        let run = fixture::run();
        let stage = &run.stages[1];
        let parts = [
            series(&stage.samples, Some(0)),
            series(&stage.samples, Some(1)),
        ];
        let all = series(&stage.samples, None);
        assert_eq!(all.len(), 5);
        for (index, point) in all.iter().enumerate() {
            assert_eq!(
                point.data.ios,
                parts[0][index].data.ios + parts[1][index].data.ios
            );
        }
        // Only the paced writers keep a response latency apart; merged, the free ones' service counts.
        assert!(all[0].op(Op::Write).unwrap().response_max.is_some());
        assert!(all[0].op(Op::Read).unwrap().response_max.is_none());
    }

    /// The fixture's run with five reads in 49 us after its last interval.
    fn with_a_rest() -> crate::run::Run {
        let mut run = fixture::run();
        let samples = &mut run.stages[0].samples;
        let mut rest = samples.last().unwrap().clone();
        let start = Nanos(rest.start.0 + rest.length.0);
        (rest.interval, rest.start, rest.length) = (rest.interval + 1, start, Nanos(49_000));
        let mut counts = Counts::default();
        let reads = counts.op_mut(Op::Read);
        (reads.ios, reads.bytes) = (5, 5 * 4096);
        (0..5).for_each(|_| reads.service.record(400_000));
        rest.counts = counts;
        samples.push(rest);
        run
    }

    #[test]
    fn the_rest_of_an_interval_is_no_point_of_its_own() {
        let (run, before) = (with_a_rest(), fixture::run());
        let (points, others) = (
            series(&run.stages[0].samples, Some(0)),
            series(&before.stages[0].samples, Some(0)),
        );
        assert_eq!(points.len(), others.len());
        let (last, other) = (points.last().unwrap(), others.last().unwrap());
        assert_eq!(last.data.ios, other.data.ios + 5);
        assert_eq!(last.length.0, other.length.0 + 49_000);
        assert!(last.data.iops < other.data.iops * 1.003);
        // In the table for spreadsheets likewise.
        let csv = crate::render::csv::series(&run).unwrap();
        assert_eq!(
            csv.lines().count(),
            crate::render::csv::series(&before).unwrap().lines().count()
        );
        // More than half of an interval stays what it is.
        let mut run = with_a_rest();
        let rest = run.stages[0].samples.last_mut().unwrap();
        rest.length = Nanos::from_millis(501);
        assert_eq!(
            series(&run.stages[0].samples, Some(0)).len(),
            others.len() + 1
        );
    }
}
