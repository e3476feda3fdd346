//! One round of experiments: what was measured, what is next, and which causes remain possible.

use super::bursts::{self, Seen};
use super::cached;
use super::causes::{
    Beyond, Cause, Limit, OneHost, capacity, is_at_once, is_of_each, is_of_the_host,
};
use super::credits::{self, Credits};
use super::hosts;
use super::rates::{
    EVEN, LARGE, NEAR, RateRatio, first_block, interval_noise, is_one_rate, near, rises_to, times,
};
use super::rest::rest;
use super::{Deciding, EXPERIMENTS, Experiment, Means, family_of, first_round};
use crate::study::levels::last_iops;
use crate::study::series::DepthCurve;
use crate::summary::measured::PointResult;

/// A difference of this share may be of another limit, even within the intervals.
const NOTICED: f64 = 0.03;
/// A throughput that is above another by this factor is of another limit.
const BEYOND: f64 = 1.25;
/// A rate after a pause that is above the one before it by this factor was paid with credits.
const RETURNED: f64 = 1.1;
/// Nor is one that single intervals of that rate reach, within this number of standard deviations.
const ERRORS: f64 = 4.0;
/// Twice the workers that bring this much more were held up by their connections; less than the second, not, unless they
/// bring anything beyond the 95 % intervals: then a limit that is little higher took over.
const MORE: [f64; 2] = [1.5, 1.15];

/// A round among the others.
pub(super) struct Step<'a> {
    pub(super) number: u32,
    /// The rate before it.
    pub(super) before: &'a PointResult,
    pub(super) round: Round<'a>,
    /// The rate after it, once that is measured.
    pub(super) after: Option<&'a PointResult>,
}

/// The rounds of experiments on a curve, in order, to the first that has not ended.
pub(super) fn rounds<'a>(
    points: &'a [PointResult],
    curve: &'a DepthCurve,
) -> impl Iterator<Item = Step<'a>> {
    let step = move |number, before| {
        let round = Round::of(points, curve, number);
        let after = Round::of(points, curve, number + 1).confirmed;
        let step = Step {
            number,
            before,
            round,
            after,
        };
        Some(step)
    };
    let first = step(first_round(curve), curve.best_point());
    std::iter::successors(first, move |last| {
        last.after?;
        step(last.number + 1, last.round.confirmed?)
    })
}

/// What was measured in a round, and the rate that it begins with.
pub(super) struct Round<'a> {
    pub(super) points: Vec<&'a PointResult>,
    curve: &'a DepthCurve,
    alone: Option<&'a PointResult>,
    pub(super) confirmed: Option<&'a PointResult>,
    /// A rest, of this round or an earlier one, has shown credits.
    pub(super) credits: bool,
    /// A fall within a point before it, to the rate that it confirms.
    pub(super) fall: Option<Credits>,
    /// Points begin faster than they go on without a pause before them.
    begins_fast: bool,
}

impl<'a> Round<'a> {
    pub(super) fn of(points: &'a [PointResult], curve: &'a DepthCurve, number: u32) -> Self {
        let mut round = Self::alone_of(points, curve, number);
        round.credits = (1..=number).any(|number| {
            let returned = Self::alone_of(points, curve, number).returned();
            returned == Some(true)
        });
        let confirmed = round.confirmed;
        let credits = round.credits;
        round.fall =
            confirmed.and_then(|confirmed| credits::fall(points, curve, confirmed, credits));
        round
    }

    /// The round without what earlier ones have shown.
    fn alone_of(points: &'a [PointResult], curve: &'a DepthCurve, number: u32) -> Self {
        let of_the_round = |p: &&PointResult| {
            let (family, round) = family_of(&p.name);
            let is_one = EXPERIMENTS.contains(&family);
            let asks = p.setting.read_percent == curve.setting.read_percent;
            is_one && round == number && asks && p.figures.data.ios > 0
        };
        let mut round = Self {
            points: points.iter().filter(of_the_round).collect(),
            curve,
            alone: curve.alone_point(points),
            confirmed: None,
            credits: false,
            fall: None,
            begins_fast: false,
        };
        round.confirmed = round.find("confirm", |_| true);
        let low = round.confirmed.map(PointResult::typical_iops);
        round.begins_fast = low.is_some_and(|low| credits::begins_fast(points, curve, low));
        round
    }

    fn find(&self, family: &str, is: impl Fn(&PointResult) -> bool) -> Option<&'a PointResult> {
        let of = |p: &&&PointResult| family_of(&p.name).0 == family && is(p);
        self.points.iter().find(of).copied()
    }

    /// The next experiment on a curve among `points`, where the rate before the round was that of `before`.
    pub(super) fn next(
        &self,
        points: &[PointResult],
        before: &PointResult,
        means: Means,
    ) -> Option<Experiment> {
        let confirmed = self.confirmed?;
        // Once the curve was measured again for credits, what differs is what is left of them.
        let is_known = self.credits && self.curve.earlier.is_some();
        if !is_one_rate(before, confirmed) && !is_known {
            match self.returned() {
                None => return Some(rest(points, self.curve)),
                Some(_) if self.curve.earlier.is_none() => return Some(Experiment::Curve),
                Some(_) => {}
            }
        }
        let fell = || {
            let before = || credits::fell_before(points, self.curve, confirmed);
            self.fall.is_some() || self.bytes_fell() || before()
        };
        if !self.credits && self.returned().is_none() && fell() {
            return Some(rest(points, self.curve));
        }
        if self.has_credits_left() && self.curve.earlier.is_none() {
            return Some(Experiment::Curve);
        }
        self.next_host(means)
            .or_else(|| self.next_burst())
            .or_else(|| self.next_block())
            .or_else(|| self.next_connection())
            .or_else(|| {
                cached::next(
                    self.points.iter().copied(),
                    self.curve,
                    &self.possible(),
                    means,
                )
            })
    }

    /// The next experiment of one kind.
    pub(super) fn next_of(&self, deciding: Deciding, means: Means) -> Option<Experiment> {
        match deciding {
            // The bursts are of the host that was alone.
            Deciding::Bursts => self.next_host(means).or_else(|| self.next_burst()),
            Deciding::OneHost => self.next_host(means),
            Deciding::Sizes => self.next_block(),
            Deciding::Connections => self.next_connection(),
            Deciding::LargerSet | Deciding::MoreOfMount | Deciding::All => None,
        }
    }

    /// Whether the first of two larger blocks had more throughput than any limit allows that the second shows, which was measured
    /// later: that of no larger block is above a throughput that does not rise with the block.
    fn bytes_fell(&self) -> bool {
        let (first, second) = (self.first_block(), self.second_block());
        let both = self.throughputs(first).zip(self.throughputs(second));
        self.factor(second) > 1.0
            && both.is_some_and(|(first, second)| {
                near(second.value, 1.0) && first.low > BEYOND * second.high
            })
    }

    /// Whether a rest brought back a higher rate, by more than single intervals differ: those without a pause never reach it.
    pub(super) fn returned(&self) -> Option<bool> {
        let (rest, confirmed) = (self.find("rest", |_| true)?, self.confirmed?);
        let first = rest.rates.first().copied().unwrap_or_else(|| rest.iops());
        let noise = ERRORS * interval_noise(confirmed, rest);
        let is_higher = first > last_iops(confirmed) * RETURNED.max(1.0 + noise);
        Some(!self.begins_fast && is_higher && !rises_to(confirmed, first / RETURNED))
    }

    /// Whether a rest brought credits back, and the point after it did not spend them all.
    fn has_credits_left(&self) -> bool {
        let ends = self.find("rest", |_| true).zip(self.confirmed);
        let left = ends.is_some_and(|(rest, low)| credits::has_credits_left(rest, last_iops(low)));
        left && self.returned() == Some(true)
    }

    /// One host alone, where there are others.
    fn next_host(&self, means: Means) -> Option<Experiment> {
        let by_host = &self.confirmed?.by_host;
        if means.hosts < 2 || self.one_host().is_some() {
            return None;
        }
        let best = self.curve.to_confirm().setting.depth;
        let (host, depth) = hosts::asked(by_host, best)?;
        Some(Experiment::OneHost { host, depth })
    }

    fn one_host(&self) -> Option<&'a PointResult> {
        self.find("hosts", |_| true)
    }

    /// What one host alone leaves possible; `None` where that was not measured, or its processors were full.
    fn by_hosts(&self) -> Option<hosts::Whose> {
        let one = self.one_host().filter(|one| !is_of_the_host(one))?;
        hosts::judge(one, self.confirmed?)
    }

    /// The point at whose limit the bursts are, and the host that makes them: that which was alone, so that bursts of
    /// several do not meet. `None` where it was at another limit than all are.
    fn pressed(&self) -> Option<(&'a PointResult, Option<u32>)> {
        let Some(one) = self.one_host() else {
            return Some((self.confirmed?, None));
        };
        let seen = self.by_hosts()?;
        let is_one_limit = seen.as_all || !seen.shared;
        is_one_limit.then(|| (one, one.setting.hosts.single()))
    }

    /// Bursts after one another; none where credits are known to be spent, which a pause would bring back.
    fn next_burst(&self) -> Option<Experiment> {
        if self.credits {
            return None;
        }
        let (pressed, host) = self.pressed()?;
        let (iops, times) = (pressed.working_iops(), times(pressed));
        let alone = |p: &PointResult| bursts::typical(p).0;
        let first = self.alone.map_or(0.001, alone);
        let Some(one) = self.burst(1) else {
            let every = bursts::every(1, iops, first);
            return Some(Experiment::Burst {
                size: 1,
                every,
                times,
                host,
            });
        };
        let sizes = bursts::sizes(iops, alone(one));
        let size = sizes.into_iter().find(|&size| self.burst(size).is_none())?;
        let every = bursts::every(size, iops, alone(one));
        Some(Experiment::Burst {
            size,
            every,
            times,
            host,
        })
    }

    fn burst(&self, size: u32) -> Option<&'a PointResult> {
        self.find("burst", |p| p.setting.depth == size)
    }

    /// What the bursts leave possible; `None` before they are made.
    fn bursts(&self) -> Option<Seen> {
        let ((pressed, _), one) = (self.pressed()?, self.burst(1)?);
        let [small, large] = bursts::sizes(pressed.working_iops(), bursts::typical(one).0);
        let (small, large) = (self.burst(small)?, self.burst(large)?);
        Some(bursts::judge([one, small, large], pressed))
    }

    fn first_block(&self) -> u64 {
        first_block(self.curve.setting.block)
    }

    /// The one between it and the curve's.
    fn second_block(&self) -> u64 {
        match self.curve.setting.block {
            block if block >= LARGE => block / 2,
            block => block * 2,
        }
    }

    fn at_block(&self, block: u64) -> Option<&'a PointResult> {
        let full = |p: &PointResult| p.setting.block == block && p.setting.in_flight > 1;
        self.find("size", full)
    }

    /// The rate at another block size over that at the curve's.
    fn ratio(&self, block: u64) -> Option<f64> {
        Some(self.rates(block)?.value)
    }

    /// A block size at which a cause of the two kinds gives the same rate, or the same throughput, and was found to.
    fn other_block(&self, cause: Cause) -> Option<u64> {
        let is_like = |block: &u64| {
            let ratio = match cause {
                Cause::IopsCap | Cause::Parallelism => self.rates(*block),
                Cause::ByteCap | Cause::Flow => self.throughputs(*block),
                _ => None,
            };
            ratio.is_some_and(|ratio| near(ratio.value, 1.0))
        };
        let tried = [self.first_block(), self.second_block()];
        tried.into_iter().find(is_like)
    }

    /// The same with what the intervals of both leave; over the rate to which it fell, where it fell in the confirming run.
    fn rates(&self, block: u64) -> Option<RateRatio> {
        let confirmed = self.confirmed?;
        let fell = confirmed.working_iops() / last_iops(confirmed).max(1e-9);
        Some(RateRatio::of(self.at_block(block)?, confirmed).scaled(fell))
    }

    /// The throughput at the block size `block` over that at the curve's, which a cap of bytes makes 1.
    fn throughputs(&self, block: u64) -> Option<RateRatio> {
        Some(self.rates(block)?.scaled(self.factor(block)))
    }

    /// Latency of one I/O of the first other block size over that at the curve's, and its standard error.
    fn growth(&self) -> Option<(f64, f64)> {
        let lone = |p: &PointResult| p.setting.in_flight == 1;
        let (other, other_error) = bursts::typical(self.find("size", lone)?);
        // One after another as the other size, not after idle moments.
        let (own, own_error) = bursts::typical(self.alone.or_else(|| self.burst(1))?);
        let growth = other / own.max(1e-9);
        let error = (other_error / other.max(1e-9)).hypot(own_error / own.max(1e-9));
        Some((growth, growth * error))
    }

    fn next_block(&self) -> Option<Experiment> {
        let (block, between) = (self.first_block(), self.second_block());
        let Some(ratio) = self.ratio(block) else {
            return Some(Experiment::Block(block));
        };
        let bytes = ratio * self.factor(block);
        // A throughput that is higher with the larger block may be of a cap that does not hold with the smaller.
        let alike = near(bytes, 1.0) && !(self.factor(block) > 1.0 && bytes > 1.0 + EVEN);
        let settled = near(ratio, 1.0) || alike;
        if !settled && self.ratio(between).is_none() {
            return Some(Experiment::Block(between));
        }
        if self.credits {
            // One at a time would let credits gather.
            return None;
        }
        let open = !near(ratio, 1.0) || self.bursts().is_none_or(|seen| !seen.exact);
        (open && self.growth().is_none()).then_some(Experiment::BlockAlone(block))
    }

    /// Another block size over the curve's.
    fn factor(&self, block: u64) -> f64 {
        block as f64 / self.curve.setting.block.max(1) as f64
    }

    fn next_connection(&self) -> Option<Experiment> {
        let bytes = self.possible().contains(&Cause::Flow) && !self.shares_connections();
        let done = self.find("connections", |_| true).is_some();
        (bytes && !done).then_some(Experiment::Connections)
    }

    /// The causes that nothing of this round contradicts.
    pub(super) fn possible(&self) -> Vec<Cause> {
        let against = self.against().into_iter();
        against.filter(|(_, n)| *n == 0).map(|(c, _)| c).collect()
    }

    /// Whether a cap and a limit on concurrency were distinguished even where both give nearly the same rate.
    pub(super) fn is_exact(&self) -> bool {
        let of_one_kind = |fits: Vec<Cause>| {
            let at_once = fits.iter().filter(|cause| is_at_once(**cause)).count();
            at_once == 0 || at_once == fits.len()
        };
        self.credits
            || self.bursts().is_some_and(|seen| seen.exact)
            || self.by_size().is_some_and(of_one_kind)
    }

    /// Other causes that would give what this round measured as nearly as that of a limit does: of a cap of bytes what binds a
    /// little earlier at the smaller block, where larger ones have slightly more throughput; of a cap of I/Os bytes likewise,
    /// and a whole number at once. `None` where no cause is named, or no other block size was measured.
    pub(super) fn beside(&self, limit: &Limit) -> Option<Vec<Cause>> {
        let cause = limit.cause().filter(|_| self.by_size().is_some())?;
        let (larger, block) = (self.factor(self.first_block()) > 1.0, self.first_block());
        let whole = self.bursts().is_some_and(|s| s.beside_whole || s.close);
        let is_above = |of: Option<RateRatio>| of.is_some_and(RateRatio::is_slightly_above_one);
        let at_once = [Cause::Parallelism, Cause::Slots];
        Some(match cause {
            Cause::ByteCap | Cause::Flow if larger && is_above(self.throughputs(block)) => {
                let mut others = vec![Cause::IopsCap];
                others.extend(at_once.iter().filter(|_| self.may_be_whole()));
                others
            }
            Cause::IopsCap if !larger && is_above(self.rates(block)) => vec![Cause::ByteCap],
            Cause::IopsCap if whole && !self.credits => at_once.to_vec(),
            _ => Vec::new(),
        })
    }

    /// Whether N* is a whole number as far as it is known, so that this number at once gives the rate.
    fn may_be_whole(&self) -> bool {
        let one = self.burst(1).zip(self.pressed());
        one.is_some_and(|(one, (pressed, _))| bursts::may_be_at_once(one, pressed))
    }

    /// How many kinds of experiment contradict each cause.
    fn against(&self) -> Vec<(Cause, usize)> {
        let Some(seen) = self.by_hosts() else {
            return self.against_kinds();
        };
        let mut each = self.against_kinds();
        each.push((Cause::Client, usize::from(self.is_of_connections())));
        for (cause, against) in &mut each {
            let is_left = match is_of_each(*cause) {
                true => seen.own,
                false => seen.shared,
            };
            *against += usize::from(!is_left);
        }
        each
    }

    /// Twice the workers brought what only a limit of each connection does.
    fn is_of_connections(&self) -> bool {
        self.more().is_some_and(|ratio| ratio.value > MORE[0])
    }

    /// Whether this round leaves a limit of each host possible, where one showed it.
    pub(super) fn may_be_of_each_host(&self) -> bool {
        self.by_hosts().is_none_or(|seen| seen.own) && !self.is_of_connections()
    }

    /// The same of all experiments that are no matter of who has the limit.
    fn against_kinds(&self) -> Vec<(Cause, usize)> {
        let in_slices = self.curve.is_in_slices();
        // What gathers in a slice is done at once, whatever gives it out.
        let bursts = self.bursts().filter(|_| !in_slices);
        let (fits, more) = (self.by_size(), self.more());
        let [flow, other] = MORE;
        let of = |cause: Cause| {
            [
                // Credits are a cap's, and so are slices.
                (self.credits || in_slices) && is_at_once(cause),
                self.credits && cause == Cause::Flow,
                bursts.is_some_and(|seen| match cause {
                    Cause::Parallelism => !seen.at_once && !seen.singly,
                    Cause::Slots => !seen.at_once,
                    _ => !seen.cap,
                }),
                fits.as_ref().is_some_and(|fits| !fits.contains(&cause)),
                more.is_some_and(|ratio| match cause {
                    // What they bring beyond that, though little, is of a limit just above that of a connection.
                    Cause::Flow => ratio.value < other && !ratio.is_slightly_above_one(),
                    _ => ratio.value > flow,
                }),
            ]
        };
        let count = |cause| of(cause).into_iter().filter(|is| *is).count();
        let each = capacity().into_iter();
        each.map(|cause| (cause, count(cause))).collect()
    }

    /// What one host alone reaches, and what a limit of each may be.
    pub(super) fn of_one_host(&self) -> Option<OneHost> {
        let (one, seen) = (self.one_host()?, self.by_hosts()?);
        let kinds = self.against_kinds().into_iter();
        Some(OneHost {
            hosts: self.confirmed?.by_host.len() as u64,
            iops: one.working_known(),
            is_less: !seen.as_all,
            is_wide: seen.is_wide,
            of_each: kinds.filter(|(_, n)| *n == 0).map(|(c, _)| c).collect(),
        })
    }

    /// The cause that is nearest among those that this round contradicts.
    fn second(&self) -> Option<Cause> {
        let block = self.first_block();
        let (ratio, factor) = (self.ratio(block)?, self.factor(block));
        let growth = self.growth().map_or(1.0, |(growth, _)| growth);
        let off = |cause: Cause| {
            let predicted = match cause {
                Cause::ByteCap | Cause::Flow => 1.0 / factor,
                Cause::Parallelism | Cause::Slots => 1.0 / growth,
                _ => 1.0,
            };
            (ratio / predicted).ln().abs()
        };
        let against = self.against().into_iter().filter(|(_, n)| *n > 0);
        let nearest = against.min_by(|(a, m), (b, n)| m.cmp(n).then(off(*a).total_cmp(&off(*b))));
        nearest.map(|(cause, _)| cause)
    }

    /// Whether more workers would use the same connections.
    fn shares_connections(&self) -> bool {
        self.confirmed.is_some_and(|point| point.shares_connections)
    }

    /// The rate of twice the workers over that of one, where they have twice the connections.
    fn more(&self) -> Option<RateRatio> {
        let more = self
            .find("connections", |_| true)
            .filter(|_| !self.shares_connections())?;
        Some(RateRatio::of(more, self.confirmed?))
    }

    /// The causes that the block sizes leave: X(b) = min(C, B/b, S/R0(b)).
    ///
    /// With a cap of I/Os and one of bytes, the smaller block is held by the first from where the larger one is still held
    /// by the second: a throughput that is higher with the larger block, or a rate that is with the smaller, is of both.
    pub(super) fn by_size(&self) -> Option<Vec<Cause>> {
        let block = self.first_block();
        let (rates, bytes) = (self.rates(block)?, self.throughputs(block)?);
        let larger = self.factor(block) > 1.0;
        let mut fits = Vec::new();
        let counts_here = larger && (self.counts_between() || self.bytes_beyond());
        if (near(rates.value, 1.0) && (larger || !rates.is_above_one())) || counts_here {
            fits.push(Cause::IopsCap);
        } else if larger && near(bytes.value, 1.0) && bytes.value > 1.0 + NOTICED {
            // Either: bytes at both, or bytes at the larger alone.
            fits.push(Cause::IopsCap);
        }
        let bytes_between = self
            .throughputs(self.second_block())
            .is_some_and(|r| near(r.value, 1.0) && !r.is_above_one());
        let as_bytes = near(bytes.value, 1.0) && !(larger && bytes.is_above_one());
        let bytes_here = !larger && near(rates.value, 1.0) && rates.value > 1.0 + NOTICED;
        if as_bytes || bytes_between || bytes_here {
            fits.extend([Cause::ByteCap, Cause::Flow]);
        }
        // What the device needs longer for, it does less of at once; a cap of bytes beyond it may bind earlier. Rates and
        // latencies of short points are off by chance, both.
        let (growth, error) = self.growth().unwrap_or((1.0, 0.0));
        let allowed = NEAR + 3.0 * (error / growth).hypot(rates.error());
        if (rates.value * growth - 1.0).abs() <= allowed || counts_here {
            fits.extend([Cause::Parallelism, Cause::Slots]);
        }
        Some(fits)
    }

    /// Whether the block size between is done as often as the curve's.
    fn counts_between(&self) -> bool {
        let between = self.ratio(self.second_block());
        between.is_some_and(|r| near(r, 1.0))
    }

    /// Whether the two larger block sizes have one throughput, and the curve's a lower one: bytes bind there, and
    /// something else here.
    fn bytes_beyond(&self) -> bool {
        let [first, second] =
            [self.first_block(), self.second_block()].map(|b| self.throughputs(b));
        let is_same = self.between_larger().is_some_and(|r| !r.is_above_one());
        first.zip(second).is_some_and(|(first, second)| {
            let is_above = second.is_above_one() || !near(second.value, 1.0);
            near(first.value / second.value, 1.0) && is_same && first.is_above_one() && is_above
        })
    }

    /// The throughput of the largest block over that of the one between.
    fn between_larger(&self) -> Option<RateRatio> {
        let [first, second] = [self.first_block(), self.second_block()];
        let of = RateRatio::of(self.at_block(first)?, self.at_block(second)?);
        Some(of.scaled(first as f64 / second as f64))
    }

    /// What bursts and block sizes of this round show beside the causes.
    pub(super) fn adds_to(&self, limit: &mut Limit) {
        if let Some(seen) = self.bursts() {
            limit.one_by_one |= !seen.at_once && seen.singly;
            limit.close = seen.close;
        }
        let kind = match (limit.cause(), &limit.one_host) {
            (Some(Cause::Client), Some(one)) => one.of_each.first().copied(),
            (cause, _) => cause,
        };
        let other = kind.and_then(|cause| self.other_block(cause));
        limit.other_block = other.or(limit.other_block);
        limit.second = self.second().or(limit.second);
        limit.beyond = self.beyond().or(limit.beyond);
    }

    /// The cap of bytes that holds from a block size beyond the curve's on, where two sizes show it.
    fn beyond(&self) -> Option<Beyond> {
        let point = self.at_block(self.second_block())?;
        self.bytes_beyond().then(|| Beyond {
            block: point.setting.block,
            bytes_per_s: point.working_known().scaled(point.setting.mean_block),
        })
    }
}
