//! A running stage from its start until now, for live views.
//!
//! Belongs here: adding up intervals as they come, in memory that does not grow with the length of the stage. Must
//! never: judge, format for people, average percentiles.

use crate::words::whole;
use leadline_model::latency::Latency;
use leadline_model::op::OpMap;
use leadline_model::sample::{OpCounts, Sample};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

/// This number of intervals is kept one by one, so that a late sample of them finds its place.
const RECENT: u64 = 64;

/// Most bins that older intervals are joined to.
const OLDER: u64 = 512;

/// What all workers together did in a sequence of intervals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeBin {
    /// How many intervals.
    pub intervals: u64,
    /// By operation, those that are part of IOPS: I/Os and bytes.
    pub ops: OpMap<(u64, u64)>,
    /// I/Os that failed.
    pub errors: u64,
    /// Latency from the intended start; `None` = no I/O ended.
    pub latency: Option<Latency>,
    /// Sum of the service latencies, nanoseconds.
    service: u64,
}

impl TimeBin {
    /// I/Os that ended.
    #[must_use]
    pub fn ios(&self) -> u64 {
        self.ops.values().map(|op| op.0).sum()
    }

    /// Bytes they transferred.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.ops.values().map(|op| op.1).sum()
    }

    /// I/Os in flight on average, as far as they ended in it (Little's law); intervals are `span` long.
    #[must_use]
    pub fn depth(&self, span: Nanos) -> f64 {
        self.service as f64 / (self.intervals as f64 * span.0 as f64).max(1.0)
    }

    fn add(&mut self, counts: &OpCounts) {
        self.errors = self.errors.saturating_add(counts.errors);
        self.service = self.service.saturating_add(counts.service.sum);
        self.add_latency(counts.response());
    }

    fn add_latency(&mut self, latency: &Latency) {
        match &mut self.latency {
            Some(mine) => mine.merge(latency),
            None if !latency.is_empty() => self.latency = Some(latency.clone()),
            None => {}
        }
    }

    /// Adds all of `other` but its length.
    fn merge(&mut self, other: &Self) {
        for (op, &(ios, bytes)) in other.ops.iter() {
            let mine = self.ops.entry(op);
            mine.0 = mine.0.saturating_add(ios);
            mine.1 = mine.1.saturating_add(bytes);
        }
        self.errors = self.errors.saturating_add(other.errors);
        self.service = self.service.saturating_add(other.service);
        other.latency.iter().for_each(|l| self.add_latency(l));
    }
}

/// One of the newest intervals.
#[derive(Clone, Debug, Default)]
struct RecentInterval {
    all: TimeBin,
    /// I/Os by host.
    hosts: BTreeMap<u32, u64>,
}

/// The intervals of a running stage. What is asked of it is about those that are complete: that all hosts which
/// report have reported ([`StageProgress::complete`]).
#[derive(Clone, Debug)]
pub struct StageProgress {
    recent: BTreeMap<u64, RecentInterval>,
    /// Those before: `each` intervals in one, from the start of the stage.
    older: Vec<TimeBin>,
    each: u64,
    /// The first interval that is not among the older ones.
    first_recent: u64,
    /// By host: how many intervals it has reported.
    reported: BTreeMap<u32, u64>,
    /// I/Os that failed in the whole stage.
    errors: u64,
}

impl Default for StageProgress {
    fn default() -> Self {
        Self {
            recent: BTreeMap::new(),
            older: Vec::new(),
            each: 1,
            first_recent: 0,
            reported: BTreeMap::new(),
            errors: 0,
        }
    }
}

impl StageProgress {
    /// Takes an interval of one workload on one host.
    pub fn take(&mut self, sample: &Sample) {
        let reported = self.reported.entry(sample.host).or_default();
        *reported = (*reported).max(sample.interval.saturating_add(1));
        let mut new = TimeBin::default();
        for (op, counts) in sample.counts.ops.iter() {
            self.errors = self.errors.saturating_add(counts.errors);
            if op.is_data() {
                new.ops.insert(op, (counts.ios, counts.bytes));
            }
        }
        let target = if sample.interval < self.first_recent {
            self.older_at(sample.interval)
        } else {
            let recent = self.recent.entry(sample.interval).or_default();
            *recent.hosts.entry(sample.host).or_default() += new.ios();
            &mut recent.all
        };
        target.merge(&new);
        for counts in sample.counts.ops.data() {
            target.add(counts);
        }
        self.join_old();
    }

    /// A host is lost: do not wait for it.
    pub fn lose(&mut self, host: u32) {
        self.reported.remove(&host);
    }

    /// Moves intervals that are no longer recent to the older ones.
    fn join_old(&mut self) {
        let newest = self.recent.keys().next_back().copied().unwrap_or(0);
        while let Some(oldest) = self.recent.first_entry()
            && newest - *oldest.key() >= RECENT
        {
            let (number, interval) = oldest.remove_entry();
            self.first_recent = number + 1;
            let older = self.older_at(number);
            older.merge(&interval.all);
            older.latency.iter_mut().for_each(Latency::pack);
        }
    }

    /// The bin of an older interval.
    fn older_at(&mut self, number: u64) -> &mut TimeBin {
        while number / self.each >= OLDER {
            self.each *= 2;
            self.older = self
                .older
                .chunks(2)
                .map(|pair| {
                    let mut joined = TimeBin::default();
                    pair.iter().for_each(|one| joined.merge(one));
                    joined
                })
                .collect();
        }
        let place = usize::try_from(number / self.each).unwrap_or(0);
        if place >= self.older.len() {
            self.older.resize_with(place + 1, TimeBin::default);
        }
        &mut self.older[place]
    }

    /// I/Os that failed in the whole stage.
    #[must_use]
    pub const fn errors(&self) -> u64 {
        self.errors
    }

    /// How many intervals from the start all hosts have reported at time `at` after it; intervals are `span` long.
    /// A host that was silent for two intervals is not waited for: nothing ended there.
    #[must_use]
    pub fn complete(&self, at: Nanos, span: Nanos) -> u64 {
        let over = at.0 / span.0.max(1);
        let waited_for = over.saturating_sub(2);
        let all = self.reported.values().copied();
        all.map(|reported| reported.max(waited_for))
            .min()
            .unwrap_or(waited_for)
            .min(over)
    }

    /// How long a host has been silent at time `at` after the start, if that is longer than a report takes;
    /// `None` = it reports.
    #[must_use]
    pub fn silent(&self, host: u32, at: Nanos, span: Nanos) -> Option<Nanos> {
        let last = Nanos(self.reported(host).saturating_mul(span.0));
        let silent = at.since(last);
        (silent.0 >= span.0.saturating_mul(3)).then_some(silent)
    }

    /// How many intervals a host has reported; 0 = it is not known.
    #[must_use]
    pub fn reported(&self, host: u32) -> u64 {
        self.reported.get(&host).copied().unwrap_or(0)
    }

    /// How many intervals are about a second, and still there one by one.
    fn a_second(span: Nanos) -> u64 {
        whole(1e9 / span.0.max(1) as f64).clamp(1, RECENT - 4)
    }

    /// The last second before the end of `complete` intervals, or the last interval if that is longer.
    #[must_use]
    pub fn now(&self, complete: u64, span: Nanos) -> TimeBin {
        let from = complete.saturating_sub(Self::a_second(span));
        let mut now = TimeBin {
            intervals: complete - from,
            ..TimeBin::default()
        };
        let recent = self.recent.range(from..complete);
        recent.for_each(|(_, interval)| now.merge(&interval.all));
        now
    }

    /// I/Os of a host in that second.
    #[must_use]
    pub fn now_of(&self, host: u32, complete: u64, span: Nanos) -> u64 {
        let from = complete.saturating_sub(Self::a_second(span));
        let recent = self.recent.range(from..complete);
        recent.filter_map(|(_, i)| i.hosts.get(&host)).sum()
    }

    /// How many of `complete` intervals at the end had no I/O, as far as intervals are there one by one.
    #[must_use]
    pub fn idle(&self, complete: u64) -> u64 {
        let recent = self.recent.range(..complete).rev();
        let last = recent
            .filter(|(_, interval)| interval.all.ios() > 0)
            .map(|(number, _)| number + 1)
            .next();
        complete - last.unwrap_or(self.first_recent).min(complete)
    }

    /// All of `complete` intervals in at most `most` bins of equal length, from the start of the stage; only
    /// the last may be shorter.
    #[must_use]
    pub fn bins(&self, complete: u64, most: usize) -> Vec<TimeBin> {
        let times = complete.div_ceil(self.each).div_ceil((most as u64).max(1));
        let each = self.each * times.max(1);
        let length = |place: u64| each.min(complete - place * each);
        let mut all: Vec<TimeBin> = (0..complete.div_ceil(each))
            .map(|place| TimeBin {
                intervals: length(place),
                ..TimeBin::default()
            })
            .collect();
        let older = self.older.iter().enumerate();
        let older = older.map(|(place, one)| (place as u64 * self.each, one));
        let recent = self.recent.iter().map(|(&number, i)| (number, &i.all));
        for (number, one) in older.chain(recent) {
            let place = usize::try_from(number / each).unwrap_or(usize::MAX);
            if number < complete
                && let Some(bin) = all.get_mut(place)
            {
                bin.merge(one);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::Op;
    use leadline_model::sample::Counts;

    fn sample(host: u32, interval: u64, ios: u64, latency: u64) -> Sample {
        let mut counts = Counts::default();
        let op = counts.op_mut(Op::Read);
        op.ios = ios;
        op.bytes = ios * 4096;
        op.service.record_many(latency, ios);
        leadline_testkit::second(host, interval, counts)
    }

    #[test]
    fn an_interval_is_complete_when_all_hosts_have_reported_it_or_one_is_silent() {
        let mut progress = StageProgress::default();
        let at = |ms| Nanos::from_millis(ms);
        assert_eq!(progress.complete(at(900), Nanos::SECOND), 0);
        (0..5).for_each(|i| progress.take(&sample(0, i, 10, 100)));
        (0..4).for_each(|i| progress.take(&sample(1, i, 20, 100)));
        assert_eq!(progress.complete(at(5100), Nanos::SECOND), 4);
        assert_eq!(progress.now(4, Nanos::SECOND).ios(), 30);
        assert_eq!(progress.now_of(1, 4, Nanos::SECOND), 20);
        assert_eq!(progress.silent(1, at(5100), Nanos::SECOND), None);
        (5..9).for_each(|i| progress.take(&sample(0, i, 10, 100)));
        assert_eq!(progress.complete(at(9100), Nanos::SECOND), 7);
        assert_eq!(progress.silent(1, at(9100), Nanos::SECOND), Some(at(5100)));
        progress.lose(1);
        assert_eq!(progress.complete(at(9100), Nanos::SECOND), 9);
        assert_eq!(progress.idle(9), 0);
        // Nothing comes for three seconds.
        assert_eq!(progress.complete(at(12_100), Nanos::SECOND), 10);
        assert_eq!(progress.idle(10), 1);
    }

    #[test]
    fn a_long_stage_is_kept_whole_in_a_bounded_number_of_bins() {
        let mut progress = StageProgress::default();
        for interval in 0..5000 {
            progress.take(&sample(0, interval, 10, 1000 + interval));
        }
        progress.take(&sample(0, 7, 1, 5));
        assert!(progress.older.len() <= 512 && progress.recent.len() <= 64);
        let all = progress.bins(5000, 80);
        // Older ones are joined by 16; four of these in one.
        assert_eq!(all.len(), 5000_usize.div_ceil(64));
        assert_eq!(all.iter().map(|s| s.intervals).sum::<u64>(), 5000);
        assert_eq!(all.iter().map(TimeBin::ios).sum::<u64>(), 50_001);
        assert_eq!(all[0].ios(), 641);
        let first = all[0].latency.as_ref().unwrap();
        assert_eq!((first.count(), first.min, first.max), (641, 5, 1063));
        assert!(all.iter().skip(1).take(77).all(|s| s.ios() == 640));
        // Any number of them.
        let wider = progress.bins(5000, 110);
        assert_eq!(
            (wider.len(), wider[3].ios()),
            (5000_usize.div_ceil(48), 480)
        );
        // As many as there are, where they fit.
        assert_eq!(StageProgress::default().bins(0, 80), []);
        let mut short = StageProgress::default();
        (0..9).for_each(|i| short.take(&sample(0, i, i, 100)));
        let shown: Vec<u64> = short.bins(8, 80).iter().map(TimeBin::ios).collect();
        assert_eq!(shown, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn a_number_beyond_all_takes_no_memory() {
        let mut progress = StageProgress::default();
        progress.take(&sample(0, 3, 10, 100));
        progress.take(&sample(0, u64::MAX, 10, 100));
        progress.take(&sample(0, 4, 10, 100));
        assert!(progress.older.len() <= 512);
        assert_eq!(progress.complete(Nanos::from_secs(6), Nanos::SECOND), 6);
        assert_eq!(progress.bins(6, 80).len(), 6);
    }
}
