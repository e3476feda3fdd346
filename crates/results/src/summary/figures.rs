//! The figures of a set of workers: totals, rates over the time they share, merged latency, depth
//! reached, processor time.
//!
//! Rates of several workers are those of their common window (law 4): when windows differ, interval
//! samples at its edges count by the share of each worker's active time that is inside.

use super::op_intervals::OpIntervals;
use super::window::{Window, drained, overlap, timed};
use crate::run::HostPoint;
use leadline_model::latency::Latency;
use leadline_model::op::{Op, OpMap};
use leadline_model::sample::{Counts, CpuUse, Depths, OpCounts, Sample, WorkerTotals};
use leadline_model::units::Nanos;
use std::collections::HashMap;

/// Which time the rates are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// Each worker's own window; they differ by less than 1 %.
    #[default]
    Window,
    /// The window all workers share.
    Common,
    /// From the first start to the last end: there was no time at which all workers ran.
    Union,
    /// The measured intervals that are known: the run did not finish.
    Intervals,
}

/// Figures of one operation, or of several together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpFigures {
    /// I/Os that ended without error in the workers' measured windows.
    pub ios: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// I/Os that transferred fewer bytes than requested.
    pub short: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// I/Os a second over the span of [`Figures::span`].
    pub iops: f64,
    /// Bytes a second over the same span.
    pub bytes_per_s: f64,
    /// Latency from just before the submitting call to completion.
    pub service: Latency,
    /// Latency from the intended start; `None` in a closed loop, where it equals `service`.
    pub response: Option<Latency>,
    /// Intervals of these figures, where the time series is long enough: of stages and workloads.
    pub certainty: OpIntervals,
}

impl OpFigures {
    /// Latency from the intended start, in closed and open loops.
    #[must_use]
    pub fn response(&self) -> &Latency {
        self.response.as_ref().unwrap_or(&self.service)
    }

    /// The counts on which the figures are based.
    pub(crate) fn into_counts(self) -> OpCounts {
        OpCounts {
            ios: self.ios,
            bytes: self.bytes,
            short: self.short,
            errors: self.errors,
            service: self.service,
            response: self.response,
            parts: None,
        }
    }

    fn new(counts: OpCounts, rate: (f64, f64)) -> Self {
        Self {
            ios: counts.ios,
            bytes: counts.bytes,
            short: counts.short,
            errors: counts.errors,
            iops: rate.0,
            bytes_per_s: rate.1,
            service: counts.service,
            response: counts.response,
            certainty: OpIntervals::default(),
        }
    }
}

/// Processor time of a set of workers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuFigures {
    /// Sum over the workers.
    pub sum: CpuUse,
    /// User and kernel time per I/O that carries data, without the time spent waiting for the next one
    /// to be due; `None` without I/O.
    pub per_io: Option<Nanos>,
    /// Share of one core that the busiest worker used, likewise, 0 to 1; 0 where no window began.
    pub busiest: f64,
}

/// The figures of a set of workers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// How many workers ended; 0 when only intervals are known.
    pub workers: u32,
    /// Their windows.
    pub window: Window,
    /// Which time the rates are about.
    pub basis: Basis,
    /// Length of that time.
    pub span: Nanos,
    /// By operation, those that occur.
    pub ops: OpMap<OpFigures>,
    /// All that is part of IOPS together.
    pub data: OpFigures,
    /// How late I/Os were submitted after their intended start; `None` in a closed loop.
    pub lag: Option<Latency>,
    /// I/Os submitted more than 1 ms after their intended start.
    pub late: u64,
    /// I/Os due by the end of the window that were never submitted.
    pub unissued: u64,
    /// I/Os done in the warm-up, not part of any figure.
    pub warmup_ios: u64,
    /// In-flight depth and batch sizes, by class.
    pub depths: Depths,
    /// Mean number of I/Os in flight over the window: the time that I/Os were in flight in it / its length.
    /// With [`Basis::Intervals`] an estimate, since I/Os in flight at its edges count whole or not at all.
    pub depth_reached: f64,
    /// Processor time.
    pub cpu: CpuFigures,
}

impl Figures {
    /// Figures of one operation, if it occurs.
    #[must_use]
    pub fn op(&self, op: Op) -> Option<&OpFigures> {
        self.ops.get(op)
    }

    /// I/Os that failed, of any kind.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.ops.values().map(|op| op.errors).sum()
    }

    /// Share of reads among reads and writes, 0 to 1; `None` without either.
    #[must_use]
    pub fn read_share(&self) -> Option<f64> {
        let ios = |op| self.op(op).map_or(0, |o| o.ios) as f64;
        let both = ios(Op::Read) + ios(Op::Write);
        (both > 0.0).then(|| ios(Op::Read) / both)
    }
}

/// I/Os and bytes a second by operation.
type Rates = OpMap<(f64, f64)>;

/// The time series of a set of workers.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeSeries<'a> {
    /// Interval samples of their workloads.
    pub samples: &'a [&'a Sample],
    /// What each of their hosts did, where the plan names hosts.
    pub points: &'a [&'a HostPoint],
}

/// Figures of these workers. When `complete` is false (workers are missing because the run was broken
/// off), the intervals alone are used.
#[must_use]
pub fn figures(workers: &[&WorkerTotals], series: &TimeSeries<'_>, complete: bool) -> Figures {
    if !complete || workers.is_empty() {
        return if series.samples.is_empty() {
            of_points(series.points)
        } else {
            of_intervals(series.samples)
        };
    }
    let window = Window::of(workers.iter().copied());
    let mut counts = Counts::default();
    workers.iter().for_each(|w| counts.merge(&w.counts));
    let (basis, span, rates) = rates_of(workers, series, &window, &counts);
    let mut figures = assemble(counts, &rates);
    figures.workers = u32::try_from(workers.len()).unwrap_or(u32::MAX);
    figures.unissued = workers.iter().map(|w| w.unissued).sum();
    figures.warmup_ios = workers.iter().map(|w| w.warmup_ios).sum();
    figures.depth_reached = workers.iter().map(|w| in_flight(w)).sum();
    figures.cpu = cpu(workers, figures.data.ios);
    Figures {
        window,
        basis,
        span,
        ..figures
    }
}

/// Figures of one worker alone.
#[must_use]
pub fn of_worker(worker: &WorkerTotals) -> Figures {
    figures(&[worker], &TimeSeries::default(), true)
}

fn assemble(counts: Counts, rates: &Rates) -> Figures {
    let sum = |sum: (f64, f64), rate: &(f64, f64)| (sum.0 + rate.0, sum.1 + rate.1);
    let all = rates.data().fold((0.0, 0.0), sum);
    let data = OpFigures::new(counts.data(), all);
    let of = |(op, counts)| {
        let rate = rates.get(op).copied().unwrap_or_default();
        (op, OpFigures::new(counts, rate))
    };
    Figures {
        ops: counts.ops.into_iter().map(of).collect(),
        data,
        lag: counts.lag,
        late: counts.late,
        depths: counts.depths,
        ..Figures::default()
    }
}

/// `count` in `span`, a second; 0 for an empty span.
#[must_use]
pub fn per_second(count: f64, span: Nanos) -> f64 {
    if span == Nanos::ZERO {
        0.0
    } else {
        count / span.as_secs_f64()
    }
}

fn rates_of(
    workers: &[&WorkerTotals],
    series: &TimeSeries<'_>,
    window: &Window,
    counts: &Counts,
) -> (Basis, Nanos, Rates) {
    let (common, whole) = (window.common(), window.whole());
    let even = common.0 as f64 >= 0.99 * whole.0 as f64;
    if even || (series.samples.is_empty() && series.points.is_empty()) {
        let mut rates = Rates::default();
        for worker in workers {
            add_own_rates(&mut rates, worker);
        }
        return (Basis::Window, common, rates);
    }
    if common == Nanos::ZERO {
        let mut rates = Rates::default();
        add_rates(&mut rates, counts, whole);
        return (Basis::Union, whole, rates);
    }
    (Basis::Common, common, prorated(workers, series, window))
}

/// The rates of a worker over its own window.
fn add_own_rates(rates: &mut Rates, worker: &WorkerTotals) {
    let (start, end) = timed(worker);
    let span = end.since(start);
    let drain = drained(worker);
    for (op, counts) in worker.counts.ops.iter() {
        let after = drain.and_then(|drain| drain.done.iter().find(|done| done.0 == op));
        let (ios, bytes) = after.map_or((0, 0), |done| (done.1, done.2));
        let rate = rates.entry(op);
        rate.0 += per_second(counts.ios.saturating_sub(ios) as f64, span);
        rate.1 += per_second(counts.bytes.saturating_sub(bytes) as f64, span);
    }
}

fn add_rates(rates: &mut Rates, counts: &Counts, span: Nanos) {
    for (op, counts) in counts.ops.iter() {
        let rate = rates.entry(op);
        rate.0 += per_second(counts.ios as f64, span);
        rate.1 += per_second(counts.bytes as f64, span);
    }
}

/// One host's part of one interval of a workload, as far as it can be computed.
struct HostInterval<'a> {
    key: (u32, u32),
    interval: (Nanos, Nanos),
    ops: OpMap<(u64, u64)>,
    workers: &'a [(u64, u64)],
}

impl<'a> HostInterval<'a> {
    fn of_sample(sample: &'a Sample) -> Self {
        Self {
            key: (sample.host, sample.workload),
            interval: (sample.start, Nanos(sample.start.0 + sample.length.0)),
            ops: sample.counts.ops.map(|_, op| (op.ios, op.bytes)),
            workers: &sample.workers,
        }
    }

    fn of_point(point: &'a HostPoint) -> Self {
        Self {
            key: (point.host, point.workload),
            interval: (point.start, Nanos(point.start.0 + point.length.0)),
            ops: point.ops.map(|_, op| (op.ios, op.bytes)),
            workers: &point.workers,
        }
    }
}

/// When each worker was at work, by (host, workload) and worker.
type Spans = HashMap<(u32, u32), HashMap<u32, (Nanos, Nanos)>>;

/// Rates over the common window from intervals. One that crosses its edge counts in part: each
/// worker's I/Os by the share of the worker's active time in the interval that is inside.
fn prorated(workers: &[&WorkerTotals], series: &TimeSeries<'_>, window: &Window) -> Rates {
    let mut spans = Spans::new();
    for worker in workers {
        let of = spans.entry((worker.host, worker.workload)).or_default();
        of.insert(worker.worker, timed(worker));
    }
    let samples = series.samples.iter().filter(|s| !s.warmup);
    let points = series.points.iter().filter(|p| !p.warmup);
    // With hosts, the samples are merged and cannot be separated: their points can.
    let slices: Vec<HostInterval<'_>> = if series.points.is_empty() {
        samples.map(|s| HostInterval::of_sample(s)).collect()
    } else {
        points.map(|p| HostInterval::of_point(p)).collect()
    };
    let common = (window.common_start, window.common_end);
    let mut sums = Rates::default();
    for slice in &slices {
        let share = inside_share(slice, common, &spans);
        for (op, &(ios, bytes)) in slice.ops.iter() {
            let sum = sums.entry(op);
            sum.0 += share.0 * ios as f64;
            sum.1 += share.1 * bytes as f64;
        }
    }
    sums.map(|_, &(ios, bytes)| {
        let span = window.common();
        (per_second(ios, span), per_second(bytes, span))
    })
}

/// The shares of an interval's I/Os and bytes that belong to the common window.
fn inside_share(slice: &HostInterval<'_>, common: (Nanos, Nanos), spans: &Spans) -> (f64, f64) {
    let interval = slice.interval;
    let inside = overlap(interval, common);
    if inside == interval.1.since(interval.0) {
        return (1.0, 1.0);
    }
    let spans = spans.get(&slice.key);
    let (mut part, mut whole) = ((0.0, 0.0), (0.0, 0.0));
    for (worker, &(ios, bytes)) in (0_u32..).zip(slice.workers) {
        let span = spans.and_then(|s| s.get(&worker).copied());
        let active = overlap(interval, span.unwrap_or(interval));
        let share = if active == Nanos::ZERO {
            0.0
        } else {
            (inside.0 as f64 / active.0 as f64).min(1.0)
        };
        part = (part.0 + share * ios as f64, part.1 + share * bytes as f64);
        whole = (whole.0 + ios as f64, whole.1 + bytes as f64);
    }
    let flat = inside.0 as f64 / (interval.1.since(interval.0).0 as f64).max(1.0);
    let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { flat };
    (ratio(part.0, whole.0), ratio(part.1, whole.1))
}

/// Figures of what a lost host had reported: its latencies have no histogram.
fn of_points(points: &[&HostPoint]) -> Figures {
    let mut counts = Counts::default();
    let (mut first, mut last, mut warm) = (Nanos(u64::MAX), Nanos::ZERO, 0);
    for point in points {
        if point.warmup {
            warm += point.data().ios;
            continue;
        }
        first = first.min(point.start);
        last = last.max(Nanos(point.start.0 + point.length.0));
        for (op, done) in point.ops.iter() {
            let into = counts.op_mut(op);
            into.ios += done.ios;
            into.bytes += done.bytes;
            into.errors += done.errors;
            into.service.sum += done.service.sum;
            into.service.sum_squares += done.service.squares;
            into.service.max = into.service.max.max(done.service.max);
        }
    }
    of_counts(counts, last.since(first), warm)
}

fn of_intervals(samples: &[&Sample]) -> Figures {
    let mut counts = Counts::default();
    let (mut first, mut last) = (Nanos(u64::MAX), Nanos::ZERO);
    for sample in samples.iter().filter(|s| !s.warmup) {
        counts.merge(&sample.counts);
        first = first.min(sample.start);
        last = last.max(Nanos(sample.start.0 + sample.length.0));
    }
    let warm = samples.iter().filter(|s| s.warmup);
    let warm = warm.map(|s| s.counts.data_ios()).sum();
    of_counts(counts, last.since(first), warm)
}

fn of_counts(counts: Counts, span: Nanos, warmup_ios: u64) -> Figures {
    let service: u64 = counts.ops.values().map(|op| op.service.sum).sum();
    let mut rates = Rates::default();
    add_rates(&mut rates, &counts, span);
    Figures {
        basis: Basis::Intervals,
        span,
        warmup_ios,
        depth_reached: service as f64 / (span.0 as f64).max(1.0),
        ..assemble(counts, &rates)
    }
}

/// Figures of two parts that ran one after the other: totals add up, rates are over both spans.
pub(crate) fn in_sequence(a: Figures, b: Figures) -> Figures {
    let span = Nanos(a.span.0 + b.span.0);
    let share = |f: &Figures| f.span.0 as f64 / (span.0 as f64).max(1.0);
    let (first, second) = (share(&a), share(&b));
    let join = |x: OpFigures, y: OpFigures| {
        let rate = |x: f64, y: f64| x * first + y * second;
        let (iops, bytes_per_s) = (rate(x.iops, y.iops), rate(x.bytes_per_s, y.bytes_per_s));
        let mut counts = x.into_counts();
        counts.merge(&y.into_counts());
        OpFigures::new(counts, (iops, bytes_per_s))
    };
    let mut ops = OpMap::default();
    for op in Op::ALL {
        if let (Some(_), _) | (_, Some(_)) = (a.op(op), b.op(op)) {
            let of = |f: &Figures| f.op(op).cloned().unwrap_or_default();
            ops.insert(op, join(of(&a), of(&b)));
        }
    }
    let mut lag = a.lag;
    if let Some(theirs) = &b.lag {
        lag.get_or_insert_default().merge(theirs);
    }
    let mut depths = a.depths;
    depths.merge(&b.depths);
    let data = join(a.data, b.data);
    let mut cpu = a.cpu.sum;
    cpu.merge(&b.cpu.sum);
    Figures {
        workers: a.workers + b.workers,
        basis: Basis::Union,
        span,
        lag,
        late: a.late + b.late,
        unissued: a.unissued + b.unissued,
        warmup_ios: a.warmup_ios + b.warmup_ios,
        depth_reached: a.depth_reached * first + b.depth_reached * second,
        cpu: CpuFigures {
            per_io: worked(&cpu).checked_div(data.ios).map(Nanos),
            sum: cpu,
            busiest: a.cpu.busiest.max(b.cpu.busiest),
        },
        window: a.window,
        depths,
        ops,
        data,
    }
}

/// Processor time that went into I/O: what was spent looking at the clock would be there for more.
fn worked(cpu: &CpuUse) -> u64 {
    (cpu.user.0 + cpu.system.0).saturating_sub(cpu.waiting.0)
}

/// Mean number of I/Os a worker had in flight in its window, syncs included.
fn in_flight(worker: &WorkerTotals) -> f64 {
    let (start, end) = timed(worker);
    let ops = worker.counts.ops.values();
    let service: u64 = ops.map(|op| op.service.sum).sum();
    if end == start {
        return 0.0;
    }
    let later = drained(worker).map_or(0, |drain| drain.in_flight);
    (service as f64 + worker.edge as f64 - later as f64).max(0.0) / end.since(start).0 as f64
}

fn cpu(workers: &[&WorkerTotals], ios: u64) -> CpuFigures {
    let mut sum = CpuUse::default();
    let mut busiest = 0.0_f64;
    for worker in workers {
        sum.merge(&worker.cpu);
        let span = worker.window_end.since(worker.window_start);
        let used = worked(&worker.cpu) as f64;
        // A window that never began has no share of a core: what was used belongs to the warm-up.
        if span > Nanos::ZERO {
            busiest = busiest.max(used / span.0 as f64);
        }
    }
    CpuFigures {
        sum,
        per_io: worked(&sum).checked_div(ios).map(Nanos),
        busiest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Load, run, stage_run};
    use crate::run::StageRun;
    use leadline_model::sample::Drain;

    fn stage(loads: &[Load]) -> StageRun {
        stage_run(loads).stages.remove(0)
    }

    fn all(stage: &StageRun) -> Figures {
        let workers: Vec<_> = stage.workers.iter().collect();
        let samples: Vec<_> = stage.samples.iter().collect();
        let series = TimeSeries {
            samples: &samples,
            points: &[],
        };
        figures(&workers, &series, true)
    }

    #[test]
    fn one_worker_has_its_own_totals_and_rates() {
        let run = run();
        let figures = of_worker(&run.stages[0].workers[0]);
        let read = figures.op(Op::Read).unwrap();
        // 8 intervals, one of them warm-up, one without I/O.
        assert_eq!(read.ios, 6 * 2500);
        assert_eq!(figures.warmup_ios, 2500);
        assert!((read.iops - 15_000.0 / 7.0).abs() < 1e-6);
        assert!((read.bytes_per_s - 4096.0 * read.iops).abs() < 1e-3);
        assert_eq!(figures.basis, Basis::Window);
        // 20 of the 600 ms were spent looking at the clock.
        assert_eq!(figures.cpu.per_io, Some(Nanos(580_000_000 / 15_000)));
    }

    #[test]
    fn time_spent_looking_at_the_clock_is_no_work_of_parts_in_sequence_either() {
        let part = |waiting: u64| {
            let load = Load::simple(Op::Read, 1000, 4096, 1000, 10);
            let mut stage = stage(&[load]);
            for worker in &mut stage.workers {
                worker.cpu = CpuUse {
                    user: Nanos::from_millis(300),
                    system: Nanos::from_millis(200),
                    waiting: Nanos::from_millis(waiting),
                    ..CpuUse::default()
                };
            }
            all(&stage)
        };
        // 2 x 10,000 I/Os in 500 ms each, of which 400 ms and 100 ms went into looking at the clock.
        let (first, second) = (part(400), part(100));
        assert_eq!(first.cpu.per_io, Some(Nanos(10_000)));
        assert_eq!(second.cpu.per_io, Some(Nanos(40_000)));
        let both = in_sequence(first, second);
        assert_eq!(both.data.ios, 20_000);
        assert_eq!(both.cpu.per_io, Some(Nanos(25_000)));
        assert_eq!(both.cpu.sum.waiting, Nanos::from_millis(500));
    }

    #[test]
    fn depth_reached_is_service_time_over_the_window() {
        let figures = all(&stage(&[Load::simple(Op::Read, 1000, 4096, 2_000_000, 4)]));
        // 1000 I/Os a second of about 2 ms each: about 2 in flight.
        assert!((figures.depth_reached - 2.0).abs() < 0.1);
        let by_little = figures.data.iops * figures.data.service.mean() / 1e9;
        assert!((figures.depth_reached / by_little - 1.0).abs() < 1e-6);
    }

    /// What ended after the end that was asked for is in the latencies, and in no rate.
    #[test]
    fn a_drain_is_no_part_of_a_rate() {
        let mut stage = stage(&[Load::simple(Op::Read, 1000, 4096, 1000, 10)]);
        let drained = |from: u64, ios: u64| Drain {
            from: Nanos::from_secs(from),
            done: vec![(Op::Read, ios, ios * 4096)],
            in_flight: 0,
        };
        let start = stage.workers[0].first_submit.unwrap();
        stage.workers[0].drain = Some(drained(9, 1000));
        let figures = all(&stage);
        let span = Nanos::from_secs(9).since(start).as_secs_f64();
        assert!((figures.data.iops - 9000.0 / span).abs() < 1e-6);
        assert!((figures.data.bytes_per_s - 4096.0 * figures.data.iops).abs() < 1e-3);
        assert_eq!(
            (figures.data.ios, figures.window.last),
            (10_000, Nanos::from_secs(9))
        );
        assert_eq!(figures.data.service.count(), 10_000);
        stage.workers[0].drain = Some(drained(5, 9000));
        assert_eq!(all(&stage).window.last, Nanos::from_secs(5));
        // With all of it, the window was too short to have a rate.
        stage.workers[0].drain = Some(drained(5, 10_000));
        assert_eq!(all(&stage).window.last, Nanos::from_secs(10));
    }

    #[test]
    fn skewed_workers_are_counted_in_their_common_window_only() {
        // Two workers of 1000 a second each; the second starts 4 s later and runs 6 s.
        let mut load = Load::simple(Op::Read, 1000, 4096, 1000, 10);
        load.starts = vec![Nanos::ZERO, Nanos::from_secs(4)];
        let figures = all(&stage(&[load]));
        assert_eq!(figures.basis, Basis::Common);
        assert!(
            (figures.data.iops - 2000.0).abs() < 1.0,
            "{}",
            figures.data.iops
        );
        assert_eq!(figures.data.ios, 16_000);
    }

    #[test]
    fn an_interval_cut_by_the_common_window_counts_by_active_time() {
        let mut load = Load::simple(Op::Read, 1000, 4096, 1000, 4);
        load.starts = vec![Nanos::ZERO, Nanos::ZERO];
        // The second worker really began in the middle of the first interval: 2000 a second.
        load.adjust = |w| {
            if w.worker == 1 {
                w.first_submit = Some(Nanos::from_millis(500));
            }
        };
        let figures = all(&stage(&[load]));
        assert_eq!(figures.basis, Basis::Common);
        // Common window 3.5 s: 0.5 s of 1000/s and 2000/s, then 3 s of 1000/s each.
        let expected = (500.0 + 1000.0 + 3.0 * 2000.0) / 3.5;
        assert!((figures.data.iops - expected).abs() < 0.01);
    }

    #[test]
    fn workers_that_never_met_are_counted_over_the_union() {
        let mut load = Load::simple(Op::Read, 1000, 4096, 1000, 10);
        load.starts = vec![Nanos::ZERO, Nanos::from_secs(6)];
        load.adjust = |w| {
            if w.worker == 0 {
                w.window_end = Nanos::from_secs(5);
            }
        };
        assert_eq!(all(&stage(&[load])).basis, Basis::Union);
    }

    #[test]
    fn a_broken_off_run_has_the_figures_of_its_intervals() {
        let stage = stage(&[Load::simple(Op::Write, 100, 8192, 1000, 5)]);
        let samples: Vec<_> = stage.samples.iter().collect();
        let series = TimeSeries {
            samples: &samples,
            points: &[],
        };
        let figures = figures(&[], &series, false);
        assert_eq!(figures.basis, Basis::Intervals);
        assert!((figures.data.iops - 100.0).abs() < 1e-9);
        assert_eq!(figures.read_share(), Some(0.0));
    }

    #[test]
    fn nothing_measured_is_zero_and_not_a_panic() {
        let figures = figures(&[], &TimeSeries::default(), true);
        assert_eq!((figures.data.ios, figures.cpu.per_io), (0, None));
        assert_eq!(figures.read_share(), None);
    }
}
