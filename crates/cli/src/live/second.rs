//! What the last second was, for one line: an interval may be so short that a slow volume completes nothing in it.
//!
//! Belongs here: counts of whole intervals. Must never: say or draw anything.

use super::lines::LineOfStage;
use leadline_model::event::Tick;
use leadline_model::sample::{Counts, Sample};
use leadline_model::units::{Nanos, whole};
use std::collections::BTreeMap;

/// How many intervals reports may lag behind.
const LAG: u64 = 4;

/// The latest intervals by number: the counts of all hosts and workloads together, and the I/Os of each host.
#[derive(Default)]
pub(super) struct LastSecond(BTreeMap<u64, (Counts, BTreeMap<u32, u64>)>);

impl LastSecond {
    /// Takes an interval.
    pub(super) fn take(&mut self, sample: &Sample) {
        let (counts, hosts) = self.0.entry(sample.interval).or_default();
        counts.merge(&sample.counts);
        *hosts.entry(sample.host).or_default() += sample.counts.data_ios();
        let newest = self.0.keys().next_back().copied().unwrap_or(0);
        let oldest = newest.saturating_sub(in_a_second(sample.length) + LAG);
        self.0 = self.0.split_off(&oldest);
    }

    /// The moment with what was done in the second before the end of `complete` intervals, or in the last interval if that
    /// is longer. `None` where less than a second is over and nothing was done yet: there is nothing to say.
    pub(super) fn of(&self, tick: &Tick, complete: u64) -> Option<LineOfStage> {
        let from = complete.saturating_sub(in_a_second(tick.span));
        let (mut counts, mut hosts) = (Counts::default(), BTreeMap::new());
        for (all, each) in self.0.range(from..complete).map(|(_, one)| one) {
            counts.merge(all);
            for (host, ios) in each {
                *hosts.entry(*host).or_default() += ios;
            }
        }
        let span = Nanos(tick.span.0.saturating_mul(complete - from));
        let is_silent = counts.data().is_empty();
        let tick = || Tick {
            counts,
            span,
            ..tick.clone()
        };
        (span >= Nanos::SECOND || !is_silent).then(|| LineOfStage {
            tick: Box::new(tick()),
            hosts,
        })
    }
}

/// How many intervals of this length are a second or a little more.
fn in_a_second(length: Nanos) -> u64 {
    let times = Nanos::SECOND.0 as f64 / length.0.max(1) as f64;
    whole((times - 1e-6).ceil()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::Op;

    /// An I/O takes 80 ms, an interval is 50 ms: every third has none.
    #[test]
    fn a_slow_volume_that_works_is_never_said_to_have_done_nothing() {
        let mut second = LastSecond::default();
        let length = Nanos::from_millis(50);
        let mut take = |interval: u64, ios: u64| {
            let mut counts = Counts::default();
            counts.op_mut(Op::Read).ios = ios;
            second.take(&Sample {
                length,
                ..leadline_testkit::second(0, interval, counts)
            });
            let tick = Tick {
                span: length,
                ..Tick::default()
            };
            let found = second.of(&tick, interval + 1);
            found.map(|line| {
                assert_eq!(line.hosts[&0], line.tick.counts.data_ios());
                (line.tick.counts.data_ios(), line.tick.span)
            })
        };
        assert_eq!(take(0, 0), None, "nothing yet");
        for interval in 1..200 {
            let ios = (interval + 1) * 50 / 80 - interval * 50 / 80;
            let (ios, span) = take(interval, ios).unwrap();
            let about = span.0 / 80_000_000;
            assert!(ios.abs_diff(about) <= 1 && ios > 0, "{interval}: {ios}");
        }
        let stalled: Vec<_> = (200..221).map(|interval| take(interval, 0)).collect();
        assert!(
            stalled[..19]
                .iter()
                .all(|one| one.is_some_and(|one| one.0 > 0))
        );
        assert_eq!(stalled[20], Some((0, Nanos::SECOND)));
    }
}
