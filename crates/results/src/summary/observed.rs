//! A workload as it was observed over time: where it did nothing, and what it did beside that.
//!
//! Belongs here: intervals without an I/O, rates and times of parts of the window. Must never: decide whether a target stalled
//! (`stalls` does).

use super::delayed::{Delayed, is_beyond_the_tail, is_of_the_tail};
use super::few_slow::differ_by_few;
use super::figures::Figures;
use super::group_spread::{GroupSpread, end_together};
use super::window::{overlap, own};
use crate::stats::{median_high, rate_shift};
use leadline_model::histogram::{index_of, lower_bound};
use leadline_model::plan::{Pace, Workload};
use leadline_model::sample::{Sample, WorkerTotals};
use leadline_model::units::{Nanos, whole};
use std::ops::Range;

/// What is known of a workload.
pub(super) struct WorkloadSeries<'a> {
    pub(super) plan: &'a Workload,
    /// The measured intervals in which I/Os began.
    pub(super) samples: Vec<&'a Sample>,
    /// Those after the time that was asked for, in which what is left of its I/Os ended.
    pub(super) rest: Vec<&'a Sample>,
    pub(super) workers: &'a [&'a WorkerTotals],
    pub(super) figures: &'a Figures,
    /// I/Os in flight, at most.
    pub(super) depth: u64,
    /// Nominal length of an interval.
    pub(super) interval: Nanos,
    /// Others run beside it, or it did not reach its rate: slow I/Os alone show no stall then.
    pub(super) disturbed: bool,
}

/// One in this many of the I/Os in flight are the slowest of them by chance; a standstill delays them all.
const PART: u64 = 4;

/// Neighbouring intervals that have a part of a stall: one that goes on in the next interval is one.
pub(super) fn groups(touched: &[bool]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for at in (0..touched.len()).filter(|at| touched[*at]) {
        match groups.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// The intervals that are neither among these nor beside one, of which a part may be missing.
fn apart(marked: &[bool]) -> impl Iterator<Item = usize> {
    let is = |at: usize| marked.get(at).copied().unwrap_or(false);
    (0..marked.len()).filter(move |&at| !(is(at) || is(at + 1) || at > 0 && is(at - 1)))
}

/// How long the slowest I/O of an interval took, nanoseconds.
fn longest(sample: &Sample) -> u64 {
    let each = sample.counts.ops.data();
    each.map(|op| op.service.max).max().unwrap_or_default()
}

impl WorkloadSeries<'_> {
    /// Whether the workload runs as fast as it can.
    pub(super) fn runs_freely(&self) -> bool {
        self.plan.pace == Pace::Closed && self.plan.think.is_none()
    }

    /// I/Os a second of an interval.
    fn rate(&self, at: usize) -> f64 {
        let sample = self.samples[at];
        sample.counts.data_ios() as f64 / sample.length.as_secs_f64().max(1e-9)
    }

    /// Which whole intervals passed without an I/O while a worker was at work, where some were to be expected, and not because
    /// of pauses or since the slowest I/Os leave nothing else to end.
    pub(super) fn still(&self) -> Vec<bool> {
        /// One slow I/O of a service with a long tail makes this many times as many miss.
        const BY_SLOW_IOS: f64 = 3.0;
        let all = 0..self.samples.len();
        let busy: Vec<f64> = all
            .clone()
            .map(|at| self.rate(at))
            .filter(|r| *r > 0.0)
            .collect();
        // Of I/Os that come at random, one short interval of many is empty by chance.
        let least = if self.interval < Nanos::SECOND {
            20.0
        } else {
            10.0
        };
        let expected =
            median_high(busy.iter().copied()).unwrap_or_default() * self.interval.as_secs_f64();
        let is_still = |at: usize| {
            let sample = self.samples[at];
            sample.counts.data_ios() == 0 && sample.length.0 * 2 >= self.interval.0
        };
        let empty: Vec<bool> = all.clone().map(is_still).collect();
        let by_pauses = self.idle_by_pauses();
        let dispersion = self.dispersion(&empty);
        let mut found = vec![false; empty.len()];
        let mut longest = 0;
        for run in groups(&empty) {
            let is_of_burst = self.is_last_of_burst(&run);
            // At a rate, the I/Os due in all of them count; in a closed loop, in which a few slow I/Os leave as many intervals
            // empty, several times as many, and as many more as their numbers vary by.
            let all_due = expected * run.len() as f64;
            let due = match self.plan.pace == Pace::Closed {
                true => expected.max(all_due / (BY_SLOW_IOS * dispersion)),
                false => all_due,
            };
            if due < least || run.len() <= by_pauses || is_of_burst || !self.made_wait(&run) {
                continue;
            }
            let at_work = run.filter(|at| self.at_work(self.samples[*at]));
            let count = at_work.map(|at| found[at] = true).count();
            longest = longest.max(count);
        }
        if self.is_idle_by_its_tail(longest.saturating_sub(by_pauses).max(1)) {
            found.fill(false);
        }
        found
    }

    /// Whether what ended first after these intervals without an I/O had waited for them: longer than usual by half of them or
    /// more. A queue that many workloads share gives each its I/Os in groups of its depth, and nothing between them although
    /// it never stands still: then each waits as long as always.
    fn made_wait(&self, run: &Range<usize>) -> bool {
        let held: u64 = self.samples[run.clone()].iter().map(|s| s.length.0).sum();
        let mut after = self.samples[run.end..].iter().chain(&self.rest);
        let after = after.find(|s| s.counts.data_ios() > 0);
        let waited = after.map_or(0, |s| longest(s)).max(held);
        waited >= self.usual(run.start).saturating_add(held / 2)
    }

    /// How long I/Os usually take that end about an interval, nanoseconds: as the one in the middle of all, or as those in flight
    /// before it on average where a change of level made them slower.
    fn usual(&self, at: usize) -> u64 {
        let (mut ios, mut sum) = (0, 0_u64);
        for sample in self.samples[..at].iter().rev() {
            for op in sample.counts.ops.data() {
                ios += op.service.count();
                sum = sum.saturating_add(op.service.sum);
            }
            if ios >= self.depth {
                break;
            }
        }
        let before = sum.checked_div(ios).unwrap_or_default();
        self.middle().max(before)
    }

    /// The latency in the middle of all, nanoseconds.
    fn middle(&self) -> u64 {
        let middle = self.figures.data.service.histogram.ranked(50.0);
        middle.map_or(0, |m| lower_bound(m.bucket))
    }

    /// How far the numbers of I/Os of intervals vary, over what they do where each comes by itself (index of dispersion; Cox and
    /// Lewis, "The Statistical Analysis of Series of Events", 1966): 1 or more, without end where that is not known. Intervals
    /// beside an empty one have a part of what they would have.
    fn dispersion(&self, empty: &[bool]) -> f64 {
        /// From fewer intervals it is not known.
        const FEWEST: usize = 16;
        let kept = apart(empty);
        let counts: Vec<f64> = kept
            .map(|at| self.rate(at) * self.interval.as_secs_f64())
            .collect();
        if counts.len() < FEWEST || !self.runs_freely() {
            return f64::INFINITY;
        }
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let squares: f64 = counts.iter().map(|n| (n - mean).powi(2)).sum();
        (squares / (counts.len() - 1) as f64 / mean.max(1e-9)).max(1.0)
    }

    /// Whole intervals on end that pauses between I/Os leave without any: two pauses, since a burst that takes longer than
    /// one ends in the next; 0 without pauses.
    fn idle_by_pauses(&self) -> usize {
        let pause = self.plan.think.map_or(0, |think| think.pause.0);
        let pauses = pause.saturating_mul(2).div_ceil(self.interval.0.max(1));
        usize::try_from(pauses).unwrap_or(usize::MAX)
    }

    /// Whether the slowest of the I/Os themselves leave an interval without any: with few in flight, or in bursts, none ends while
    /// one or all of these take longer. As many take that long as the tail of the others has, or no more than it has by chance,
    /// and so of the longest of such intervals on end, without those that pauses leave idle. Or all that take as long end one by one.
    fn is_idle_by_its_tail(&self, longest: usize) -> bool {
        let latency = &self.figures.data.service.histogram;
        let (thinks, length) = (self.plan.think.is_some(), self.interval.0);
        let of = |intervals: usize| Nanos(length.saturating_mul(intervals as u64));
        let held = latency.count_above(of(longest).0);
        let are_slowest = thinks && held * PART < self.depth;
        let is_one_tail = is_of_the_tail(latency, of(longest)) || are_slowest;
        let is_tail = (self.has_few() || thinks) && is_of_the_tail(latency, of(1)) && is_one_tail;
        is_tail || self.are_slow_alone(of(longest))
    }

    /// Whether a few were in flight and those that took longer than this ended one by one: by chance, all were slow at once.
    fn are_slow_alone(&self, than: Nanos) -> bool {
        let each = self.spread(than);
        let is_any = each.iter().any(|s| s.slow > 0.0);
        let may_be = self.has_few() && self.runs_freely();
        may_be && is_any && !end_together(&each, self.depth)
    }

    /// Whether so few are in flight that all of them are slow at once by chance.
    const fn has_few(&self) -> bool {
        const FEW: u64 = 8;
        self.depth <= FEW
    }

    /// Whether next to no I/O takes as long as an interval by itself, as far as the tail of all shows it; of more in flight than a
    /// few, others end meanwhile.
    pub(super) fn is_no_slow_io(&self) -> bool {
        !self.has_few() || is_beyond_the_tail(&self.figures.data.service.histogram, self.interval)
    }

    /// Whether no I/O ended in these intervals because the last few of a burst took long, and nothing else was asked for
    /// meanwhile: with pauses between I/Os, the next burst begins when the last one has ended. A standstill delays
    /// all of a burst, and more than a few of it when it comes in the middle.
    fn is_last_of_burst(&self, still: &Range<usize>) -> bool {
        let after = self.samples.get(still.end);
        let (Some(think), Some(after)) = (self.plan.think, after) else {
            return false;
        };
        let length: u64 = self.samples[still.clone()].iter().map(|s| s.length.0).sum();
        // A part of it may be pauses; what took as long is in the bucket of that time.
        let pauses = think.pause.0.saturating_mul(2).min(length / 2);
        let least = lower_bound(index_of(length - pauses)).saturating_sub(1);
        let workers = self.workers.len().max(1) as u64;
        let burst = u64::from(think.every.min(self.plan.depth)) * workers;
        let held = after.counts.data().service.histogram.count_above(least);
        held > 0 && held * PART <= burst
    }

    /// Whether a worker was at work during the whole interval; unknown workers were. After the time that was asked for, what
    /// is left of its I/Os ends, and it begins none.
    fn at_work(&self, sample: &Sample) -> bool {
        let interval = (sample.start, Nanos(sample.start.0 + sample.length.0));
        let asked = self.plan.stop.runtime;
        let is_whole = |w: &&WorkerTotals| {
            let (from, to) = own(w);
            let end = asked.map_or(to, |asked| {
                to.min(Nanos(w.window_start.0.saturating_add(asked.0)))
            });
            overlap(interval, (from, end)) == sample.length
        };
        self.workers.is_empty() || self.workers.iter().any(is_whole)
    }

    /// I/Os a second of the intervals that have no part of a stall and are not beside one; where these are too few, what the
    /// share of all latencies that is not spent in stalls gives, or the interval in the middle.
    pub(super) fn between(&self, touched: &[bool], found: Option<&Delayed>) -> f64 {
        /// Of fewer the rate is not known.
        const FEWEST: usize = 3;
        let mean = self.figures.data.iops;
        let free: Vec<usize> = apart(touched).collect();
        let seconds: f64 = free
            .iter()
            .map(|at| self.samples[*at].length.as_secs_f64())
            .sum();
        let ios: u64 = free
            .iter()
            .map(|at| self.samples[*at].counts.data_ios())
            .sum();
        let rates: Vec<f64> = (0..touched.len()).map(|at| self.rate(at)).collect();
        let value = match (free.len() >= FEWEST, found) {
            (true, _) => ios as f64 / seconds.max(1e-9),
            (false, Some(found)) if self.runs_freely() => mean / (1.0 - found.share).max(1e-9),
            (false, _) => median_high(rates.iter().copied()).unwrap_or_default(),
        };
        value.max(mean)
    }

    /// How long each stall took of the window, nanoseconds. As fast as it can, a workload lacks the I/Os of that time; at a rate it
    /// does them later, and the slowest of them waited for all of it.
    pub(super) fn lengths(
        &self,
        groups: &[Range<usize>],
        still: &[bool],
        between: f64,
    ) -> Vec<u64> {
        let mut used = 0;
        let of = |group: &Range<usize>| {
            // It begins in the interval before those without I/O, or before the one in which what it held ended.
            let from = group.start.saturating_sub(1).max(used);
            let ends_still = still.get(group.end - 1).copied().unwrap_or(false);
            let to = (group.end + usize::from(ends_still)).min(self.samples.len());
            used = to;
            let part = &self.samples[from..to];
            let extent: u64 = part.iter().map(|s| s.length.0).sum();
            let without = group.clone().filter(|at| still[*at]);
            let without: u64 = without.map(|at| self.samples[at].length.0).sum();
            let ios: u64 = part.iter().map(|s| s.counts.data_ios()).sum();
            let slowest = self.slowest(part);
            let took = match self.plan.pace == Pace::Closed {
                true => extent as f64 - 1e9 * ios as f64 / between.max(1e-9),
                false => slowest,
            };
            let took = whole(took.max(0.0)).clamp(without, extent);
            // Where I/Os usually wait for intervals, some of these would have been without any, too.
            let is_shared = self.middle() >= self.interval.0 && ends_still && to > group.end;
            match is_shared && slowest * 2.0 >= without as f64 {
                true => took.min(whole(slowest)),
                false => took,
            }
        };
        groups.iter().map(of).collect()
    }

    /// Whether this many slow I/Os, which took the target this long, were held by a stall, where the longest took `longest`: they
    /// are a quarter of those in flight or more. With few in flight, or at a rate, where it is not known how many are, they may be
    /// fewer where the stall took a twentieth of the longest.
    pub(super) fn is_held(&self, slow: f64, length: u64, longest: u64) -> bool {
        const SHORT: u64 = 20;
        /// Fewer end together by chance.
        const FEWEST: u64 = 3;
        let is_known = self.plan.pace == Pace::Closed && !self.has_few();
        slow >= (self.depth / PART).max(FEWEST) as f64
            || !is_known && length.saturating_mul(SHORT) >= longest
    }

    /// How much longer the slowest I/O of these took than the one in the middle of all, nanoseconds.
    fn slowest(&self, part: &[&Sample]) -> f64 {
        let most = part.iter().map(|s| longest(s)).max().unwrap_or_default();
        most.saturating_sub(self.middle()) as f64
    }

    /// Whether standstills are how the target works and no events: enough that one more or less does not matter to the
    /// mean, most of the time, or between intervals that are no more alike than they are to it. A quota that is given out in
    /// slices (Linux's control groups: every 100 ms) does this: one interval has the I/Os of one slice, the next of two or of
    /// none, and the median of them is that of the lengths of both.
    pub(super) fn is_often(&self, stalls: &[Range<usize>], still: &[bool]) -> bool {
        /// Fewer are events, however short the point.
        const FEW: f64 = 3.0;
        let window: u64 = self.samples.iter().map(|s| s.length.0).sum();
        if stalls.len() as f64 >= Nanos(window).as_secs_f64().max(FEW) {
            return true;
        }
        let idle = still.iter().filter(|still| **still).count() as f64;
        if idle <= 0.0 {
            return false;
        }
        let all = still.len() as f64;
        let rates: Vec<f64> = (0..still.len()).map(|at| self.rate(at)).collect();
        // Each standstill takes a part of the intervals before and after it.
        let working = all - idle - 2.0 * groups(still).len() as f64 - 1.0;
        idle * 2.0 >= all
            || rates.iter().sum::<f64>()
                < working * median_high(rates.iter().copied()).unwrap_or_default()
    }

    /// Whether the rate has more than one level beside what stood still, and not because of a few slow I/Os.
    pub(super) fn changes_level(&self, still: &[bool]) -> bool {
        let is_whole = |at: usize| self.samples[at].length.0 * 10 >= self.interval.0 * 9;
        let kept = apart(still).filter(|at| is_whole(*at));
        let (samples, rates): (Vec<&Sample>, Vec<f64>) =
            kept.map(|at| (self.samples[at], self.rate(at))).unzip();
        let Some(length) = samples.first().map(|s| s.length) else {
            return false;
        };
        let shift = rate_shift(&rates, length).filter(|_| self.runs_freely());
        shift.is_some_and(|shift| {
            let (before, after) = (
                &samples[shift.ends.0..shift.at],
                &samples[shift.at..shift.ends.1],
            );
            !differ_by_few(before, after)
        })
    }

    /// How many I/Os each interval has, and how many of them took longer than `above`.
    pub(super) fn spread(&self, above: Nanos) -> Vec<GroupSpread> {
        let one = |sample: &&Sample| {
            let each = sample.counts.ops.data();
            let slow = each.map(|op| op.service.histogram.count_above(above.0));
            GroupSpread {
                ios: sample.counts.data_ios() as f64,
                slow: slow.sum::<u64>() as f64,
            }
        };
        let mut each: Vec<GroupSpread> = self.samples.iter().map(one).collect();
        if let Some(last) = each.last_mut() {
            for after in self.rest.iter().map(one) {
                last.ios += after.ios;
                last.slow += after.slow;
            }
        }
        each
    }
}
