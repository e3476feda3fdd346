//! Times at which the target of a workload stood still: the one rule, which findings, sentences, tiles, tables and JSON read.
//!
//! Belongs here: whether a target stalled, how often, for how long, and the rate between. Must never: say what follows.

use super::delayed::Delayed;
use super::observed::{WorkloadSeries, groups};
use super::slow::{Slow, slow};
use leadline_model::units::Nanos;
use std::ops::Range;

/// The stalls of a workload's target within its measured window.
#[derive(Clone, Debug, PartialEq)]
pub struct Stalls {
    /// How many: one that goes on in the next interval is one.
    pub times: usize,
    /// When the first began, from the start of the stage, as far as intervals show it.
    pub first: Nanos,
    /// How long the longest took of the window.
    pub longest: Nanos,
    /// How long all took together.
    pub total: Nanos,
    /// Intervals that have a part of one.
    pub hit: usize,
    /// Measured intervals in all.
    pub intervals: usize,
    /// The distance of stalls that come at equal ones.
    pub every: Option<Nanos>,
    /// I/Os a second between them.
    pub iops: f64,
    /// Enough that one more or less does not matter to the mean, or the way in which the target works, as where a quota is
    /// given out in slices: the rate with them is its rate.
    pub often: bool,
    /// The I/Os that met one, where their latency distinguishes them.
    pub delayed: Option<Delayed>,
    /// They may be a few I/Os that are slow by themselves as well, which more than half of the intervals have.
    pub unsure: bool,
}

/// All that are shorter together are not reported.
const SHORTEST: Nanos = Nanos::from_millis(200);
/// Those that take a larger share of the time are.
const SHARE: f64 = 0.02;

impl Stalls {
    /// Those of a workload; `None` where there is none.
    pub(super) fn of(seen: &WorkloadSeries<'_>) -> Option<Self> {
        let still = seen.still();
        let slow = slow(seen).filter(|_| !seen.changes_level(&still));
        let (sure, unsure) = match slow {
            Some(slow) if !slow.sure => (None, Some(slow)),
            slow => (slow, None),
        };
        let found = Self::in_intervals(seen, &still, sure.as_ref()).filter(|found| {
            let window: u64 = seen.samples.iter().map(|s| s.length.0).sum();
            let is_long = found.total >= SHORTEST;
            let is_much = found.share_of(Nanos(window)) >= SHARE && seen.is_no_slow_io();
            sure.is_some() || is_long || is_much
        });
        found.or_else(|| {
            let found = Self::in_intervals(seen, &still, Some(&unsure?))?;
            Some(Self {
                unsure: true,
                ..found
            })
        })
    }

    /// Those in the intervals without an I/O, and in those with one that a stall held; `None` where there is none.
    fn in_intervals(
        seen: &WorkloadSeries<'_>,
        still: &[bool],
        slow: Option<&Slow>,
    ) -> Option<Self> {
        let is_hit = |at: usize| still[at] || slow.is_some_and(|slow| slow.hit[at]);
        let touched: Vec<bool> = (0..still.len()).map(is_hit).collect();
        let between = seen.between(&touched, slow.map(|slow| &slow.found));
        let (groups, lengths) = Self::held(seen, still, slow, &touched, between);
        let first = seen.samples.get(groups.first()?.start)?.start;
        let starts: Vec<Nanos> = groups.iter().map(|g| seen.samples[g.start].start).collect();
        Some(Self {
            times: groups.len(),
            first,
            longest: Nanos(lengths.iter().copied().max()?),
            total: Nanos(lengths.iter().sum()),
            hit: groups.iter().map(ExactSizeIterator::len).sum(),
            intervals: touched.len(),
            every: period(&starts, seen.interval).filter(|_| groups.len() > 2),
            iops: between,
            often: seen.is_often(&groups, still),
            delayed: slow.map(|slow| slow.found),
            unsure: false,
        })
    }

    /// The neighbouring intervals that have a part of a stall, with the nanoseconds that it took. As slow as what a stall held are
    /// also the slowest few of I/Os that take long by themselves: where these alone are in some intervals, and most slow I/Os are in
    /// others, which have a stall, those have none.
    fn held(
        seen: &WorkloadSeries<'_>,
        still: &[bool],
        slow: Option<&Slow>,
        touched: &[bool],
        between: f64,
    ) -> (Vec<Range<usize>>, Vec<u64>) {
        let groups = groups(touched);
        let lengths = seen.lengths(&groups, still, between);
        let Some(slow) = slow.filter(|slow| slow.sure) else {
            return (groups, lengths);
        };
        let spread = seen.spread(slow.found.above);
        let ios = |group: &Range<usize>| -> f64 {
            let each = spread[group.clone()].iter();
            each.map(|each| each.slow).sum()
        };
        let longest = lengths.iter().copied().max().unwrap_or_default();
        let is_stall = |(group, length): &(Range<usize>, u64)| {
            group.clone().any(|at| still[at]) || seen.is_held(ios(group), *length, longest)
        };
        let all: Vec<(Range<usize>, u64)> = groups.into_iter().zip(lengths).collect();
        let held: Vec<(Range<usize>, u64)> =
            all.iter().filter(|one| is_stall(one)).cloned().collect();
        let sum = |of: &[(Range<usize>, u64)]| of.iter().map(|(group, _)| ios(group)).sum::<f64>();
        let are_most = !held.is_empty() && sum(&held) * 2.0 >= sum(&all);
        let kept = if are_most { held } else { all };
        kept.into_iter().unzip()
    }

    /// Whether each of them takes as long as users of the storage notice: what the code `stall` is about.
    #[must_use]
    pub fn are_long(&self) -> bool {
        self.longest >= SHORTEST
    }

    /// The share of the measured window that they take, 0 to 1, of a window of this length.
    #[must_use]
    pub fn share_of(&self, window: Nanos) -> f64 {
        self.total.0 as f64 / window.0.max(1) as f64
    }
}

/// The distance of stalls that come at equal ones, as far as intervals of this length show it.
fn period(starts: &[Nanos], interval: Nanos) -> Option<Nanos> {
    let gaps = starts.windows(2).map(|pair| pair[1].since(pair[0]).0);
    let (least, most) = (gaps.clone().min()?, gaps.max()?);
    let whole = starts.last()?.since(*starts.first()?);
    let mean = whole.0 / (starts.len() as u64 - 1);
    (most - least <= 2 * interval.0).then_some(Nanos(mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::{Op, PerOp};
    use leadline_model::plan::{Arrival, OpMix, Pace, Rate, Think};
    use leadline_model::sample::Counts;

    /// Those of 60 seconds with 2,000 reads of 200 us each, in which these intervals have a part of the I/Os, 0 to 1, and hold eight
    /// of them for N ms.
    fn of(parts: &[(usize, f64, u64)]) -> Option<Stalls> {
        let own = fixture::workload("a", OpMix::reads(), 4096, 8, 60);
        let plan = fixture::plan(vec![("s", vec![own])]);
        let load = Load::simple(Op::Read, 2000, 4096, 200_000, 60);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        for &(at, share, held_ms) in parts {
            let counts = &mut run.stages[0].samples[at].counts;
            let all = counts.data_ios();
            *counts = Counts::default();
            let one = counts.op_mut(Op::Read);
            one.ios = leadline_model::units::whole(all as f64 * share);
            if held_ms > 0 {
                one.service.record_many(held_ms * 1_000_000, 8);
                run.stages[0].workers[0]
                    .counts
                    .op_mut(Op::Read)
                    .service
                    .record_many(held_ms * 1_000_000, 8);
            }
        }
        summarize(&run).stages[0].workloads[0].stalls.clone()
    }

    /// Whether there are stalls in 60 seconds that have one or the other number of reads in turn, of which `still` on end have none.
    fn stands_still((ios, other): (u64, u64), still: usize, rate: Option<f64>) -> bool {
        let mut own = fixture::workload("a", OpMix::reads(), 4096, 32, 60);
        if let Some(rate) = rate {
            own.pace = Pace::Open {
                rates: PerOp::splat(None),
                arrival: Arrival::Even,
                together: Some(Rate::Iops(rate)),
                schedule: Vec::new(),
            };
        }
        let plan = fixture::plan(vec![("s", vec![own])]);
        let mut load = Load::simple(Op::Read, ios, 4096, 200_000, 60);
        load.open = rate.is_some();
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        for sample in run.stages[0].samples.iter_mut().skip(1).step_by(2) {
            sample.counts.op_mut(Op::Read).ios = other;
        }
        for at in 20..20 + still {
            run.stages[0].samples[at].counts = Counts::default();
        }
        summarize(&run).stages[0].workloads[0].stalls.is_some()
    }

    /// One in flight with a pause after each I/O: the one that waited took as long as three intervals, to the bucket.
    #[test]
    fn a_stall_of_whole_intervals_between_pauses_is_one() {
        let found = |every: u32, held_s: u64| {
            let mut own = fixture::workload("a", OpMix::reads(), 4096, every, 60);
            own.think = Some(Think {
                pause: Nanos(500_000),
                spin: Nanos::ZERO,
                every,
                on_submit: false,
                after_busy: Nanos::ZERO,
            });
            let plan = fixture::plan(vec![("s", vec![own])]);
            let load = Load::simple(Op::Read, 900, 4096, 600_000, 60);
            let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
            for at in 20..23 {
                run.stages[0].samples[at].counts = Counts::default();
            }
            let totals = |counts: &mut Counts| {
                let read = counts.op_mut(Op::Read);
                read.service.record_many(held_s * 1_000_000_000, 1);
            };
            totals(&mut run.stages[0].samples[23].counts);
            totals(&mut run.stages[0].workers[0].counts);
            summarize(&run).stages[0].workloads[0].stalls.clone()
        };
        for held_s in [3, 4] {
            let stall = found(1, held_s).unwrap();
            assert_eq!(stall.times, 1, "{stall:?}");
            assert!(stall.are_long(), "{stall:?}");
            assert_eq!(found(8, held_s), None, "the last of a burst took as long");
        }
    }

    /// Ten are expected of an interval, or of all of them at a rate.
    #[test]
    fn intervals_without_an_io_are_a_stall_where_enough_were_due() {
        let even = |ios: u64, still: usize| stands_still((ios, ios), still, None);
        let at_rate = |ios: u32| {
            let each = u64::from(ios);
            stands_still((each, each), 3, Some(f64::from(ios)))
        };
        assert!(even(12, 3) && at_rate(12) && at_rate(4) && !at_rate(3));
        // As fast as it can, three times as many, or more where the numbers vary by more than chance.
        assert!(!even(9, 3) && even(9, 4));
        assert!(even(9, 6) && !stands_still((1, 9), 6, None));
    }

    /// Those of 60 seconds in which 64 of a queue that others share end every other second after 1.92 s, but for the ones that end
    /// after `without` more seconds without one, and took as much longer; from then on all take `later` s.
    fn in_groups(without: usize, later: f64) -> Option<Stalls> {
        let own = fixture::workload("a", OpMix::reads(), 4096, 64, 60);
        let plan = fixture::plan(vec![("s", vec![own])]);
        let load = Load::simple(Op::Read, 0, 4096, 200_000, 60);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        let nanos = |seconds: f64| leadline_model::units::whole(seconds * 1e9);
        let stage = &mut run.stages[0];
        for at in (1..30).chain(30 + without..60).filter(|at| {
            let from = if *at < 30 { 1 } else { without };
            (at - from) % 2 == 0
        }) {
            let took = match at {
                at if at == 30 + without => 1.92 + without as f64,
                at if at > 30 => later,
                _ => 1.92,
            };
            for counts in [&mut stage.samples[at].counts, &mut stage.workers[0].counts] {
                counts.op_mut(Op::Read).ios += 64;
                counts.op_mut(Op::Read).service.record_many(nanos(took), 64);
            }
        }
        summarize(&run).stages[0].workloads[0].stalls.clone()
    }

    /// What waits no longer than always waits for no standstill; what does, waits for as much as it is longer.
    #[test]
    fn groups_of_a_queue_that_others_share_are_no_stalls() {
        assert_eq!(in_groups(0, 1.92), None);
        // Another level is no stall but for its begin.
        let levels = in_groups(0, 3.84);
        assert!(levels.as_ref().is_none_or(|s| s.times == 1), "{levels:?}");
        for without in [2, 4] {
            let found = in_groups(without, 1.92).unwrap();
            assert_eq!(found.times, 1, "{found:?}");
            let longest = found.longest.as_secs_f64();
            assert!((longest - without as f64).abs() < 0.05, "{found:?}");
        }
    }

    /// One I/O of a tail takes as long as those that a stall held, elsewhere: it is none.
    #[test]
    fn the_slowest_of_a_tail_are_no_stalls_beside_one() {
        let own = fixture::workload("a", OpMix::reads(), 4096, 16, 60);
        let plan = fixture::plan(vec![("s", vec![own])]);
        let load = Load::simple(Op::Read, 2000, 4096, 200_000, 60);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        let stage = &mut run.stages[0];
        for (at, held) in [(10, 1), (20, 16), (30, 1), (40, 1)] {
            for counts in [&mut stage.samples[at].counts, &mut stage.workers[0].counts] {
                let took = if held == 1 { 6_000_000 } else { 600_000_000 };
                counts.op_mut(Op::Read).service.record_many(took, held);
            }
        }
        stage.samples[20].counts.op_mut(Op::Read).ios = 800;
        let found = summarize(&run).stages[0].workloads[0].stalls.clone();
        let found = found.unwrap();
        assert_eq!(
            (found.times, found.hit, found.every),
            (1, 1, None),
            "{found:?}"
        );
        assert!(
            !found.often && found.first.as_secs_f64() > 19.0,
            "{found:?}"
        );
        assert!(
            (found.longest.as_secs_f64() - 0.6).abs() < 0.05,
            "{found:?}"
        );
    }

    #[test]
    fn a_stall_takes_as_long_wherever_in_the_intervals_it_falls() {
        assert_eq!(of(&[]), None);
        for parts in [
            // 1.5 s from the middle of an interval on, from a fifth and from its start.
            &[(20, 0.5, 0), (21, 0.0, 0), (22, 1.0, 1500)][..],
            &[(20, 0.2, 0), (21, 0.3, 1500)],
            &[(20, 0.0, 0), (21, 0.5, 1500)],
        ] {
            let found = of(parts).unwrap();
            assert_eq!(found.times, 1, "{parts:?}");
            let longest = found.longest.as_secs_f64();
            assert!((longest - 1.5).abs() < 0.02, "{parts:?}: {found:?}");
            assert!((found.iops / 2000.0 - 1.0).abs() < 0.02, "{found:?}");
            assert!(
                found.are_long() && !found.often && !found.unsure,
                "{found:?}"
            );
        }
    }
}
