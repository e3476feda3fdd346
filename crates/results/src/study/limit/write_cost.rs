//! What a write takes of a bucket beside a read.
//!
//! Must never: say when a bucket was empty (`super::credits` does).

use super::family_of;
use crate::study::levels::shift_within;
use crate::study::series::DepthCurve;
use crate::summary::measured::{Passed, PointResult};
use leadline_model::op::Op;
use leadline_model::units::Percent;

/// Rates within this share of each other are one.
const ALIKE: f64 = 0.05;
/// In a mix whose reads alone take more than this share of the rate, nothing is known of the writes.
const MOSTLY: f64 = 0.9;

/// How much of a bucket an I/O takes that is not of a curve's kind, where one of that kind takes 1: a write beside a curve of
/// reads, or a read beside one of writes. Between both ends, which are the same where the run shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindCost {
    /// Which I/Os these are: reads or writes.
    pub other: Op,
    /// At the least.
    pub least: f64,
    /// At the most: what takes more would be slower than what was measured.
    pub most: f64,
    /// Half the 95 % interval of what the run shows, as a share of it; 0 where it is 1, and where it is not shown.
    pub error: f64,
}

impl KindCost {
    /// All take the same.
    pub(super) const ONE: Self = Self::of_writes(1.0);

    pub(super) const fn of_writes(cost: f64) -> Self {
        Self {
            other: Op::Write,
            least: cost,
            most: cost,
            error: 0.0,
        }
    }

    /// Of a bucket with these rates of a curve's I/Os: with credits, and when it is empty.
    ///
    /// Where the curve's `r` a second and others `w` share a bucket, `r + c w` is its rate, and no more where something else
    /// limits the others: each point whose state of the bucket is known gives an upper bound of their cost `c`. The least of
    /// them is shown where a second one agrees with it, and one of both is a mix or the two are of different states: a cap of
    /// writes alone gives another `c` then. A mix whose state is not known gives an upper bound with the rate of credits, and agrees
    /// where it gives that `c` with either rate: with the other than its own it gives one that is off by the difference of the
    /// rates over its writes.
    pub(super) fn of(points: &[PointResult], curve: &DepthCurve, rates: BucketRates) -> Self {
        let (own, other) = match curve.setting.read_percent {
            Some(Percent::ALL) => (Op::Read, Op::Write),
            Some(Percent::NONE) => (Op::Write, Op::Read),
            _ => return Self::ONE,
        };
        let (mut bounds, hints) = CostBounds { curve, own, other }.all(points, rates);
        bounds.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let Some((first, others)) = bounds.split_first() else {
            return Self::ONE;
        };
        let agrees = |other: &&CostBound| {
            let differ = first.is_mix || other.is_mix || first.is_low != other.is_low;
            differ && other.cost <= first.cost * (1.0 + ALIKE)
        };
        let is_hint = |hint: &&CostBound| agrees(hint) && hint.cost >= first.cost * (1.0 - ALIKE);
        let shown = others.iter().find(agrees);
        let shown = shown.or_else(|| hints.iter().find(is_hint));
        let shown = shown.map(|second| match (first.is_mix, second.is_mix) {
            // How many reads and writes a mix has is chance.
            (false, true) => (first.cost, first.error),
            (true, false) => (second.cost, second.error),
            _ => {
                let apart = (second.cost - first.cost) / (second.cost + first.cost);
                (
                    f64::midpoint(first.cost, second.cost),
                    apart.max(first.error),
                )
            }
        });
        let (least, most, error) = match (shown, other) {
            _ if (first.cost - 1.0).abs() <= ALIKE => (1.0, 1.0, 0.0),
            (Some((cost, error)), _) => (cost, cost, error),
            // No write takes less than a read.
            (None, Op::Write) => (1.0, first.cost, 0.0),
            (None, _) => (0.0, first.cost, 0.0),
        };
        Self {
            other,
            least,
            most,
            error,
        }
    }

    /// Whether the run shows it.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.most <= self.least
    }

    /// How many times as much as a read a write takes; `None` where that was not shown.
    #[must_use]
    pub fn of_a_write(&self) -> Option<f64> {
        let cost = match self.other {
            Op::Write => self.least,
            _ => 1.0 / self.least.max(1e-9),
        };
        self.is_shown().then_some(cost)
    }

    /// With which the state of a bucket is looked for.
    pub(super) fn likely(&self) -> Self {
        let cost = match self.other {
            Op::Write => self.least,
            _ => self.most,
        };
        Self {
            least: cost,
            most: cost,
            ..*self
        }
    }

    /// The same at one of its ends.
    pub(super) const fn at(self, cost: f64) -> Self {
        Self {
            least: cost,
            most: cost,
            ..self
        }
    }

    /// What the I/O takes that takes most.
    pub(super) fn largest(&self) -> f64 {
        match self.other {
            Op::Write => self.least.max(1.0),
            _ => 1.0,
        }
    }

    /// What `ios` I/Os take, of which `writes` are writes.
    fn weighed(&self, ios: f64, writes: f64) -> f64 {
        match self.other {
            Op::Write => ios + (self.least - 1.0) * writes,
            _ => writes + self.least * (ios - writes),
        }
    }

    /// What a point takes a second.
    pub(super) fn rate_of(&self, point: &PointResult) -> f64 {
        self.weighed(point.iops(), point.iops_of(Op::Write))
    }
}

/// I/Os a second of a curve's kind, with credits and without.
#[derive(Clone, Copy, Debug)]
pub(super) struct BucketRates {
    pub(super) high: f64,
    pub(super) low: f64,
}

/// An upper bound of what an I/O of the other kind costs.
struct CostBound {
    cost: f64,
    /// Half its 95 % interval, as a share, by that of the point's rate.
    error: f64,
    /// It is of reads and writes together.
    is_mix: bool,
    /// The bucket was empty.
    is_low: bool,
}

/// What is looked for: the other kind beside a curve's own.
struct CostBounds<'a> {
    curve: &'a DepthCurve,
    own: Op,
    other: Op,
}

impl CostBounds<'_> {
    /// What the points show whose state of the bucket is known: those before one of the curve's kind at the high rate, while
    /// none was at the low one; and those after one at the low rate, until a pause. Of mixes in between, until the first pause,
    /// what they show with credits, and as hints what they show without.
    fn all(&self, points: &[PointResult], rates: BucketRates) -> (Vec<CostBound>, Vec<CostBound>) {
        let is_own = |p: &&PointResult| p.setting.read_percent == self.curve.setting.read_percent;
        let own = || points.iter().filter(is_own);
        let first_low = own().find(|p| self.is_at(p, p.iops(), rates.low));
        let first_low = first_low.map_or(u32::MAX, |p| p.stage);
        let began = |p: &PointResult| p.rates.first().copied().unwrap_or_else(|| p.iops());
        let is_high = |p: &&PointResult| {
            let block = p.setting.block == self.curve.setting.block;
            p.stage < first_low && block && self.is_at(p, began(p), rates.high)
        };
        let last_high = own().rfind(is_high).map_or(0, |p| p.stage);
        let mut low: Option<&PointResult> = None;
        let mut is_paused = false;
        let (mut found, mut hints) = (Vec::new(), Vec::new());
        for point in points.iter().filter(|p| p.figures.data.ios > 0) {
            let pauses = point.setting.think.is_some() || point.setting.paced;
            if pauses || family_of(&point.name).0 == "rest" {
                (low, is_paused) = (None, true);
            } else if is_own(&point) {
                let is_low = self.is_at(point, point.iops(), rates.low);
                low = Some(point).filter(|_| is_low).or(low);
            } else if point.stage < last_high {
                let is_one = point.setting.block == self.curve.setting.block;
                found.extend(self.bound(point, (rates.high, false)).filter(|_| is_one));
            } else if let Some(own) = low {
                let is_like = own.setting.block == point.setting.block
                    && own.setting.random == point.setting.random;
                let rate = if is_like { own.iops() } else { rates.low };
                let is_one = is_like || point.setting.block == self.curve.setting.block;
                found.extend(self.bound(point, (rate, true)).filter(|_| is_one));
            } else if !is_paused && self.is_whole_mix(point) {
                found.extend(self.bound(point, (rates.high, false)));
                hints.extend(self.bound(point, (rates.low, true)));
            }
        }
        (found, hints)
    }

    /// Whether a point is of reads and writes of the curve's block size, and of one state.
    fn is_whole_mix(&self, point: &PointResult) -> bool {
        let is_mix = point.iops_of(self.own) > 0.0 && point.iops_of(self.other) > 0.0;
        let is_like = point.setting.block == self.curve.setting.block && point.setting.random;
        is_mix && is_like && shift_within(point).is_none()
    }

    /// What a point shows where the bucket lets `rate` I/Os of the curve's kind and of its block size pass a second.
    fn bound(&self, point: &PointResult, (rate, is_low): (f64, bool)) -> Option<CostBound> {
        // Less is of another state.
        let least = if self.other == Op::Write {
            1.0 - ALIKE
        } else {
            ALIKE
        };
        let (own, others) = (point.iops_of(self.own), point.iops_of(self.other));
        let cost = (rate - own) / others.max(1e-9);
        let is_one = others > 0.0 && own < MOSTLY * rate && cost >= least;
        // What the rate of all is off by, the others of it are: their share is known.
        let error = point.working_known().relative() * point.iops() / others.max(1e-9);
        (is_one && !point.is_held_up()).then_some(CostBound {
            cost,
            error,
            is_mix: own > 0.0,
            is_low,
        })
    }

    /// Whether I/Os a second of a point are such a rate, in I/Os or, at another block size, in bytes.
    fn is_at(&self, point: &PointResult, iops: f64, rate: f64) -> bool {
        let as_fast = !point.setting.paced && point.setting.think.is_none();
        let near = |own: f64| (own / rate - 1.0).abs() <= ALIKE;
        let scale = point.setting.block as f64 / self.curve.setting.block.max(1) as f64;
        as_fast && (near(iops) || near(iops * scale))
    }
}

/// What is counted of a bucket: I/Os or bytes, and of each kind as much as it costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens {
    /// Bytes instead of I/Os.
    pub(super) of_bytes: bool,
    /// What the other kind takes: at its least.
    pub(super) cost: KindCost,
}

impl Tokens {
    /// What was taken in an interval.
    pub(super) fn of(&self, passed: &Passed) -> f64 {
        let ios = passed.ios as f64;
        let weighed = self.cost.weighed(ios, passed.writes as f64);
        match self.of_bytes {
            true => passed.bytes as f64 * weighed / ios.max(1.0),
            false => weighed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::study::series::depth_curves;
    use leadline_model::plan::OpMix;

    /// What is shown by points of 4 KiB at depth 32 of N reads and writes a second, after a curve of reads at 3,600.
    fn cost(each: &[(u64, u64)]) -> KindCost {
        let curve = [(1, 3600), (2, 3600), (4, 3600)].map(|(depth, reads)| (depth, reads, 0));
        let all = curve
            .into_iter()
            .chain(each.iter().map(|(r, w)| (32, *r, *w)));
        let all: Vec<(u32, u64, u64)> = all.collect();
        let stage = |&(depth, reads, writes): &(u32, u64, u64)| {
            let share = u8::try_from(100 * reads / (reads + writes)).unwrap();
            let mix = OpMix::ReadWrite {
                read_percent: Percent::whole(share),
            };
            ("p", vec![fixture::workload("w", mix, 4096, depth, 10)])
        };
        let load = |&(_, reads, writes): &(u32, u64, u64)| {
            let mut load = Load::simple(Op::Read, reads, 4096, 100_000, 10);
            let own = load.ops[0];
            load.ops.push(fixture::OpLoad {
                op: Op::Write,
                ios: writes,
                ..own
            });
            load.ops.retain(|op| op.ios > 0);
            vec![load]
        };
        let plan = fixture::plan(all.iter().map(stage).collect());
        let loads: Vec<_> = all.iter().map(load).collect();
        let points = PointResult::all(&fixture::run_of(&fixture::events_of(plan, &loads)));
        let curve = depth_curves(&points).remove(0);
        let (high, low) = (3600.0, 1200.0);
        KindCost::of(&points, &curve, BucketRates { high, low })
    }

    #[test]
    fn a_write_costs_what_mixes_and_writes_of_one_state_agree_on() {
        // Reads at 1,200 show that the bucket is empty: 588 + 3 x 204 = 300 + 3 x 300 = 3 x 400.
        let three = cost(&[(1200, 0), (588, 204), (300, 300), (0, 400)]);
        assert!(
            three.is_shown() && (three.least - 3.0).abs() < 0.01,
            "{three:?}"
        );
        // At the high rate and at the low one.
        let both = cost(&[(0, 1200), (3600, 0), (1200, 0), (0, 400)]);
        assert!(
            both.is_shown() && (both.least - 3.0).abs() < 0.01,
            "{both:?}"
        );
        // A cap of writes alone, as a mix shows.
        assert_eq!(
            cost(&[(1200, 0), (900, 300), (600, 600), (0, 700)]),
            KindCost::ONE
        );
        // Writes of one state alone may have a cap of their own.
        let open = cost(&[(0, 1200), (3600, 0)]);
        assert_eq!((open.least, open.of_a_write()), (1.0, None));
        assert!((open.most - 3.0).abs() < 0.01, "{open:?}");
        assert_eq!(cost(&[(1200, 0)]), KindCost::ONE);
    }

    #[test]
    fn a_read_beside_a_curve_of_writes_takes_less() {
        let cost = KindCost {
            other: Op::Read,
            least: 0.25,
            most: 0.25,
            error: 0.0,
        };
        assert_eq!(cost.of_a_write(), Some(4.0));
        let passed = Passed {
            start: leadline_model::units::Nanos::ZERO,
            length: leadline_model::units::Nanos::SECOND,
            warmup: false,
            ios: 500,
            bytes: 500 * 4096,
            writes: 100,
            taken_ns: 0.0,
        };
        let tokens = |of_bytes| Tokens { of_bytes, cost };
        let of = |of_bytes: bool| tokens(of_bytes).of(&passed);
        let is_near = |of_bytes: bool, expected: f64| (of(of_bytes) / expected - 1.0).abs() < 1e-9;
        assert!(is_near(false, 200.0) && is_near(true, 200.0 * 4096.0));
    }
}
