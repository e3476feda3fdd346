//! The keys of figures: of a stage, a workload, a worker, a host or a target.

use crate::stats::Interval;
use crate::summary::{Basis, Figures, LatencyIntervals, OpFigures, Trust};
use leadline_model::histogram::{lower_bound, upper_bound};
use leadline_model::latency::Latency;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct FiguresView {
    workers: u32,
    basis: &'static str,
    span_ns: u64,
    window: WindowView,
    data: OpView,
    ops: BTreeMap<&'static str, OpView>,
    depth_reached: f64,
    depths: DepthsView,
    lag: Option<LatencyView>,
    late: u64,
    unissued: u64,
    warmup_ios: u64,
    cpu: CpuView,
}

#[derive(Serialize)]
struct WindowView {
    first_ns: u64,
    last_ns: u64,
    common_start_ns: u64,
    common_end_ns: u64,
    start_skew_ns: u64,
    stop_skew_ns: u64,
}

#[derive(Serialize)]
struct DepthsView {
    level: [u64; 7],
    submit: [u64; 7],
    complete: [u64; 7],
}

#[derive(Serialize)]
struct CpuView {
    user_ns: u64,
    system_ns: u64,
    waiting_ns: u64,
    per_io_ns: Option<u64>,
    busiest: f64,
}

#[derive(Serialize)]
struct OpView {
    ios: u64,
    bytes: u64,
    short: u64,
    errors: u64,
    iops: f64,
    iops_interval: Option<IntervalView>,
    bytes_per_s: f64,
    bytes_per_s_interval: Option<IntervalView>,
    service: LatencyView,
    response: Option<LatencyView>,
}

#[derive(Serialize)]
struct IntervalView {
    low: f64,
    high: f64,
    settled: bool,
}

impl IntervalView {
    /// That of `value`, which is in it.
    fn of(value: f64, interval: Interval) -> Self {
        let (low, high) = interval.ends(value);
        Self {
            low,
            high,
            settled: interval.settled,
        }
    }
}

#[derive(Serialize)]
struct LatencyView {
    count: u64,
    unfinished: u64,
    min_ns: Option<u64>,
    max_ns: Option<u64>,
    mean_ns: f64,
    mean_ns_interval: Option<IntervalView>,
    stddev_ns: f64,
    percentiles: Vec<PercentileView>,
    buckets: Vec<[u64; 3]>,
}

#[derive(Serialize)]
struct PercentileView {
    percent: f64,
    ns: Option<u64>,
    low_ns: Option<u64>,
    high_ns: Option<u64>,
    settled: Option<bool>,
    beyond: f64,
    trust: &'static str,
    at_least: bool,
}

pub(super) fn figures(figures: &Figures, percents: &[f64]) -> FiguresView {
    let window = &figures.window;
    let ops = figures.ops.iter().map(|(op, of)| (op.name(), of));
    let unknown = LatencyIntervals::default();
    FiguresView {
        workers: figures.workers,
        basis: match figures.basis {
            Basis::Window => "window",
            Basis::Common => "common",
            Basis::Union => "union",
            Basis::Intervals => "intervals",
        },
        span_ns: figures.span.0,
        window: WindowView {
            first_ns: window.first.0,
            last_ns: window.last.0,
            common_start_ns: window.common_start.0,
            common_end_ns: window.common_end.0,
            start_skew_ns: window.start_skew.0,
            stop_skew_ns: window.stop_skew.0,
        },
        data: op(&figures.data, percents),
        ops: ops.map(|(name, of)| (name, op(of, percents))).collect(),
        depth_reached: figures.depth_reached,
        depths: DepthsView {
            level: figures.depths.level,
            submit: figures.depths.submit,
            complete: figures.depths.complete,
        },
        lag: figures.lag.as_ref().map(|l| latency(l, &unknown, percents)),
        late: figures.late,
        unissued: figures.unissued,
        warmup_ios: figures.warmup_ios,
        cpu: CpuView {
            user_ns: figures.cpu.sum.user.0,
            system_ns: figures.cpu.sum.system.0,
            waiting_ns: figures.cpu.sum.waiting.0,
            per_io_ns: figures.cpu.per_io.map(|t| t.0),
            busiest: figures.cpu.busiest,
        },
    }
}

fn within(value: f64, interval: Option<Interval>) -> Option<IntervalView> {
    interval.map(|interval| IntervalView::of(value, interval))
}

fn op(op: &OpFigures, percents: &[f64]) -> OpView {
    let response = op.response.as_ref();
    OpView {
        ios: op.ios,
        bytes: op.bytes,
        short: op.short,
        errors: op.errors,
        iops: op.iops,
        iops_interval: within(op.iops, op.certainty.iops),
        bytes_per_s: op.bytes_per_s,
        bytes_per_s_interval: within(op.bytes_per_s, op.certainty.bytes_per_s),
        service: latency(&op.service, &op.certainty.service, percents),
        response: response.map(|r| latency(r, &op.certainty.response, percents)),
    }
}

fn latency(latency: &Latency, known: &LatencyIntervals, percents: &[f64]) -> LatencyView {
    let some = |value: u64| (!latency.is_empty()).then_some(value);
    let percentiles = percents
        .iter()
        .filter_map(|&p| known.percentile(latency, p));
    let buckets = latency.histogram.nonzero();
    LatencyView {
        count: latency.count(),
        unfinished: latency.unfinished(),
        min_ns: some(latency.min),
        max_ns: some(latency.max),
        mean_ns: latency.mean(),
        mean_ns_interval: within(latency.mean(), known.mean),
        stddev_ns: latency.stddev(),
        percentiles: percentiles
            .map(|p| PercentileView {
                percent: p.percent,
                ns: p.shown().map(|v| v.0),
                low_ns: p.shown().and_then(|v| Some(p.low?.min(v).0)),
                high_ns: p.shown().and_then(|v| Some(p.high?.max(v).0)),
                settled: p.shown().and(p.settled),
                beyond: p.beyond,
                trust: match p.trust {
                    Trust::TooFew => "too few",
                    Trust::Doubtful => "doubtful",
                    Trust::Sure => "sure",
                },
                at_least: p.at_least,
            })
            .collect(),
        buckets: buckets
            .map(|(i, n)| [lower_bound(i), upper_bound(i), n])
            .collect(),
    }
}
