//! How fast: the rate of a run shared out over workloads and generators.
//!
//! Belongs here: shares, paces. Must never appear here: depths.

use crate::number::whole;
use crate::objects::WorkloadDef;
use crate::run::{Rate, Run};
use leadline_model::op::PerOp;
use leadline_model::plan::{self, Arrival, Pace};
use leadline_model::units::Nanos;

/// Each workload's share of the rate in percent: its skew, or an equal part of what is left. One with a rate of its
/// own has no part in it.
pub(crate) fn shares(run: &Run) -> Vec<f64> {
    let sharing = || run.workloads.iter().filter(|w| w.iorate.is_none());
    let given: f64 = sharing().filter_map(|w| w.skew).sum();
    let open = sharing().filter(|w| w.skew.is_none()).count();
    let left = (100.0 - given).max(0.0) / open.max(1) as f64;
    let share = |w: &WorkloadDef| match w.iorate {
        Some(_) => 0.0,
        None => w.skew.unwrap_or(left),
    };
    run.workloads.iter().map(share).collect()
}

/// What workloads with rates of their own leave of a run's rate.
fn left_of(run: &Run, rate: f64) -> f64 {
    let own: f64 = run.workloads.iter().filter_map(|w| w.iorate).sum();
    (rate - own).max(LEAST)
}

/// The rate of one that is to do nothing: an I/O in twelve days.
const LEAST: f64 = 1e-6;

/// Whether workloads keep their proportions even when the rate is open.
pub(crate) fn controlled(run: &Run) -> bool {
    run.workloads
        .iter()
        .any(|w| w.skew.is_some() || w.priority.is_some() || w.iorate.is_some())
}

/// The pace of one of `workers` equal workers that have `share` percent of the rate together.
pub(crate) fn pace(run: &Run, own: Option<f64>, share: f64, workers: u64) -> Pace {
    let arrival = match run.distribution {
        "uniform" => Arrival::Even,
        "deterministic" => Arrival::Constant,
        _ => Arrival::Poisson,
    };
    let workers = workers.max(1) as f64;
    let open = |rate: Option<f64>, schedule| Pace::Open {
        rates: PerOp::splat(None),
        arrival,
        together: rate.map(|r| plan::Rate::Iops(r.max(LEAST))),
        schedule,
    };
    if let Some(own) = own {
        return open(Some(own / workers), Vec::new());
    }
    let part = |rate: f64| Some(left_of(run, rate) * share / 100.0 / workers);
    match &run.rate {
        Rate::Max | Rate::Curve => Pace::Closed,
        Rate::Fixed(rate) => open(part(*rate), Vec::new()),
        Rate::Percent(_) | Rate::Point(_) => open(None, Vec::new()),
        Rate::Variable(pairs) => {
            let first = pairs.first().map_or(1.0, |p| p.0);
            open(part(first), schedule(run, pairs))
        }
    }
}

/// Most changes of a rate within a run.
const MOST_CHANGES: usize = 100_000;

/// When the rate changes to which share of the first, over and over until the run ends.
fn schedule(run: &Run, pairs: &[(f64, f64)]) -> Vec<(Nanos, f64)> {
    let end = (run.times.warmup + run.times.elapsed) as f64;
    let first = left_of(run, pairs.first().map_or(1.0, |p| p.0));
    let mut out = Vec::new();
    let mut at = pairs.first().map_or(end, |p| p.1);
    for (rate, seconds) in pairs.iter().cycle().skip(1) {
        if at >= end || out.len() >= MOST_CHANGES {
            break;
        }
        out.push((Nanos(whole(at * 1e9)), left_of(run, *rate) / first));
        at += seconds;
    }
    out
}
