//! Slices of time in which something was counted, whoever counted it: workloads by sample, hosts by point, workers and
//! files by their numbers alone.
//!
//! Belongs here: which slices figures are about, and what of an operation is in each. Must never: compute an interval (that
//! is `certainty`).

use super::figures::{Basis, Figures};
use super::series::{Slice, intervals, slice_of};
use crate::run::HostPoint;
use leadline_model::latency::Latency;
use leadline_model::op::{Op, OpMap};
use leadline_model::sample::{OpCounts, Sample};
use leadline_model::units::Nanos;
use std::borrow::Cow;

/// One operation, or all that is part of IOPS together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpChoice {
    One(Op),
    Data,
}

impl OpChoice {
    pub(super) fn has(self, op: Op) -> bool {
        match self {
            Self::One(only) => only == op,
            Self::Data => op.is_data(),
        }
    }
}

/// Service or response latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Service,
    Response,
}

impl Which {
    fn of(self, counts: &OpCounts) -> &Latency {
        match self {
            Self::Service => &counts.service,
            Self::Response => counts.response(),
        }
    }
}

/// What was counted in a slice. Latencies are a sum of nanoseconds and a number of I/Os: none where they are not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) seconds: f64,
    pub(super) ios: f64,
    pub(super) bytes: f64,
    pub(super) service: (f64, f64),
    pub(super) response: (f64, f64),
}

/// Slices of time, all of the measured window.
pub(super) trait Slices {
    /// How many.
    fn count(&self) -> usize;
    /// What is in each.
    fn sums(&self, picked: OpChoice) -> Vec<Sums>;
    /// The latencies of each, with their histograms; `None` where there are none of these operations.
    fn latencies(&self, picked: OpChoice, which: Which) -> Option<Vec<Vec<&Latency>>>;
}

/// Whether a slice of time is one of those that figures are about.
pub(super) fn is_of(figures: &Figures, slice: &Slice) -> bool {
    /// A slice may begin this share of its length before the window: less is lost than its noise.
    const BEFORE: u64 = 10;
    let window = &figures.window;
    let ((from, to), (start, end)) = (
        slice.span,
        match figures.basis {
            Basis::Common => (window.common_start, window.common_end),
            // What ends after the end that was asked for is not in the rate.
            Basis::Window => {
                let slack = slice.span.1.since(slice.span.0).0 / BEFORE;
                (Nanos(window.first.0.saturating_sub(slack)), window.last)
            }
            Basis::Union | Basis::Intervals => (Nanos::ZERO, Nanos(u64::MAX)),
        },
    );
    !slice.warmup && start <= from && to <= end
}

/// Slices by the samples of one or more workloads.
pub(super) struct OfSamples<'a> {
    slices: Vec<Cow<'a, [&'a Sample]>>,
    /// Whether their histograms are of use.
    tails: bool,
}

impl<'a> OfSamples<'a> {
    /// Those of these samples that figures are about, put in order here.
    pub(super) fn of(figures: &Figures, samples: &'a mut Vec<&'a Sample>, tails: bool) -> Self {
        samples.retain(|s| is_of(figures, &slice_of(s)));
        samples.sort_by_key(|s| s.interval);
        Self {
            slices: intervals(samples, slice_of),
            tails,
        }
    }
}

/// What the samples of a slice have of these operations.
fn counts<'a>(samples: &[&'a Sample], picked: OpChoice) -> impl Iterator<Item = &'a OpCounts> {
    let all = samples.iter().flat_map(|s| s.counts.ops.iter());
    all.filter(move |(op, _)| picked.has(*op))
        .map(|(_, counts)| counts)
}

/// From the first start to the last end.
fn seconds(spans: impl Iterator<Item = (Nanos, Nanos)>) -> f64 {
    let whole = |all: (Nanos, Nanos), one: (Nanos, Nanos)| (all.0.min(one.0), all.1.max(one.1));
    let (from, to) = spans.fold((Nanos(u64::MAX), Nanos::ZERO), whole);
    to.since(from).as_secs_f64()
}

impl<'a> Slices for OfSamples<'a> {
    fn count(&self) -> usize {
        self.slices.len()
    }

    fn sums(&self, picked: OpChoice) -> Vec<Sums> {
        let of = |samples: &Cow<'_, [&Sample]>| {
            let mut sums = Sums {
                seconds: seconds(samples.iter().map(|s| slice_of(s).span)),
                ..Sums::default()
            };
            for counts in counts(samples, picked) {
                let add = |sum: &mut (f64, f64), l: &Latency| {
                    *sum = (sum.0 + l.sum as f64, sum.1 + l.count() as f64);
                };
                sums.ios += counts.ios as f64;
                sums.bytes += counts.bytes as f64;
                add(&mut sums.service, &counts.service);
                add(&mut sums.response, counts.response());
            }
            sums
        };
        self.slices.iter().map(of).collect()
    }

    fn latencies(&self, picked: OpChoice, which: Which) -> Option<Vec<Vec<&Latency>>> {
        let of = |samples: &Cow<'a, [&'a Sample]>| {
            let each = counts(samples, picked);
            each.map(|c| which.of(c)).collect()
        };
        self.tails.then(|| self.slices.iter().map(of).collect())
    }
}

/// Slices by the points of a host, one for each interval.
pub(super) struct OfPoints<'a> {
    points: Vec<&'a HostPoint>,
}

/// The time that a point covers.
pub(super) fn slice_of_point(point: &HostPoint) -> Slice {
    Slice {
        interval: point.interval,
        warmup: point.warmup,
        span: (point.start, Nanos(point.start.0 + point.length.0)),
    }
}

impl<'a> OfPoints<'a> {
    /// Those of these points, which are in order, that figures are about.
    pub(super) fn of(figures: &Figures, points: impl Iterator<Item = &'a HostPoint>) -> Self {
        let own = points.filter(|p| is_of(figures, &slice_of_point(p)));
        Self {
            points: own.collect(),
        }
    }
}

impl Slices for OfPoints<'_> {
    fn count(&self) -> usize {
        self.points.len()
    }

    fn sums(&self, picked: OpChoice) -> Vec<Sums> {
        let of = |point: &&HostPoint| {
            let mut sums = Sums {
                seconds: point.length.as_secs_f64(),
                ..Sums::default()
            };
            for (_, op) in point.ops.iter().filter(|(op, _)| picked.has(*op)) {
                let response = op.response();
                sums.ios += op.ios as f64;
                sums.bytes += op.bytes as f64;
                sums.service.0 += op.service.sum as f64;
                sums.service.1 += op.service.count as f64;
                sums.response.0 += response.sum as f64;
                sums.response.1 += response.count as f64;
            }
            sums
        };
        self.points.iter().map(of).collect()
    }

    fn latencies(&self, _: OpChoice, _: Which) -> Option<Vec<Vec<&Latency>>> {
        None
    }
}

/// The part of a slice, sorted by host, that belongs to one.
pub(super) fn run_of<T>(sorted: &[T], host: u32, of: impl Fn(&T) -> u32) -> &[T] {
    let start = sorted.partition_point(|t| of(t) < host);
    let end = sorted.partition_point(|t| of(t) <= host);
    &sorted[start..end]
}

/// What a worker or a file did in a slice, as far as it was counted: I/Os and bytes of all that is part of IOPS, and by
/// operation I/Os and the sum of their service latencies in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct SliceShare {
    pub(super) slice: Slice,
    pub(super) ios: u64,
    /// `None` = not known.
    pub(super) bytes: Option<u64>,
    /// Empty where latencies were not kept.
    pub(super) ops: OpMap<(u64, u64)>,
}

/// Slices by what a worker or a file did.
pub(super) struct OfShares {
    shares: Vec<SliceShare>,
    /// Of which operation all of it is, where it is of one.
    only: Option<Op>,
}

impl OfShares {
    /// Those of these shares that figures are about.
    pub(super) fn of(figures: &Figures, mut shares: Vec<SliceShare>) -> Self {
        shares.retain(|share| is_of(figures, &share.slice));
        shares.sort_by_key(|share| share.slice.interval);
        let mut ops = figures.ops.iter().filter(|(op, _)| op.is_data());
        Self {
            shares,
            only: match (ops.next(), ops.next()) {
                (Some((op, _)), None) => Some(op),
                _ => None,
            },
        }
    }
}

impl Slices for OfShares {
    fn count(&self) -> usize {
        self.shares.len()
    }

    fn sums(&self, picked: OpChoice) -> Vec<Sums> {
        let is_all = match picked {
            OpChoice::Data => true,
            OpChoice::One(op) => self.only == Some(op),
        };
        let of = |share: &SliceShare| {
            let own = share.ops.iter().filter(|(op, _)| picked.has(*op));
            let service = own.fold((0.0, 0.0), |sum, (_, of)| {
                (sum.0 + of.1 as f64, sum.1 + of.0 as f64)
            });
            Sums {
                seconds: share.slice.span.1.since(share.slice.span.0).as_secs_f64(),
                ios: if is_all { share.ios as f64 } else { service.1 },
                bytes: share.bytes.filter(|_| is_all).map_or(0.0, |b| b as f64),
                service,
                response: (0.0, 0.0),
            }
        };
        self.shares.iter().map(of).collect()
    }

    fn latencies(&self, _: OpChoice, _: Which) -> Option<Vec<Vec<&Latency>>> {
        None
    }
}
