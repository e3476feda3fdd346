//! Rates that change: a time of its own, which runs faster or slower than the clock.
//!
//! Belongs here: the way between the clock's time and the time in which the rate is what the plan says.
//! Must never: know what is done at that rate.
//!
//! Intended starts are laid out in the plan's time, in which nothing changes, and carried over to the
//! clock's: so equal distances stay free of drift, and independent arrivals stay independent.

use leadline_model::units::Nanos;

/// A stretch in which the rate stays.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RateStep {
    /// Ticks of the clock from the worker's start.
    begins: f64,
    /// The plan's time at that moment.
    reached: f64,
    /// How fast the plan's time runs.
    share: f64,
}

/// How fast the plan's time runs, and when. Empty: always as the clock.
#[derive(Clone, Debug, Default)]
pub(super) struct RateSchedule {
    stretches: Vec<RateStep>,
    /// (ticks from the start of the stage, share), in order of time.
    turns: Vec<(f64, f64)>,
}

impl RateSchedule {
    /// The plan's rate schedule, counted from the start of the stage.
    pub(super) fn new(schedule: &[(Nanos, f64)], ticks_per_second: f64) -> Self {
        let turn = |&(at, share): &(Nanos, f64)| (at.as_secs_f64() * ticks_per_second, share);
        Self {
            stretches: Vec::with_capacity(schedule.len() + 1),
            turns: schedule.iter().map(turn).collect(),
        }
    }

    /// The worker starts this many ticks after its stage.
    pub(super) fn start(&mut self, after_stage: f64) {
        self.stretches.clear();
        if self.turns.is_empty() {
            return;
        }
        let mut last = RateStep {
            begins: 0.0,
            reached: 0.0,
            share: 1.0,
        };
        for &(at, share) in &self.turns {
            let begins = (at - after_stage).max(0.0);
            let reached = last.reached + (begins - last.begins) * last.share;
            self.stretches.push(last);
            last = RateStep {
                begins,
                reached,
                share,
            };
        }
        self.stretches.push(last);
    }

    /// Ticks of the clock, from the worker's start, at which the plan's time is there. Where the rate is
    /// nothing from then on: never.
    #[inline]
    pub(super) fn clock(&self, time: f64) -> f64 {
        if self.stretches.is_empty() {
            return time;
        }
        self.clock_by_stretches(time)
    }

    fn clock_by_stretches(&self, time: f64) -> f64 {
        // The last stretch that begins then: times at which nothing runs are ignored.
        let after = self.stretches.partition_point(|s| s.reached <= time);
        let Some(stretch) = self.stretches.get(after.saturating_sub(1)) else {
            return time;
        };
        let within = time - stretch.reached;
        if stretch.share <= 0.0 {
            return super::NEVER;
        }
        (stretch.begins + within / stretch.share).min(super::NEVER)
    }

    /// The plan's time after this many ticks from the worker's start.
    pub(super) fn time(&self, clock: f64) -> f64 {
        let after = self.stretches.partition_point(|s| s.begins <= clock);
        match self.stretches.get(after.saturating_sub(1)) {
            Some(stretch) => stretch.reached + (clock - stretch.begins) * stretch.share,
            None => clock,
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers below 2^53")]
mod tests {
    use super::*;

    fn schedule(turns: &[(u64, f64)], after: f64) -> RateSchedule {
        let turns: Vec<(Nanos, f64)> = turns
            .iter()
            .map(|&(at, share)| (Nanos::from_secs(at), share))
            .collect();
        let mut schedule = RateSchedule::new(&turns, 1000.0);
        schedule.start(after);
        schedule
    }

    #[test]
    fn without_turns_the_two_times_are_one() {
        let schedule = schedule(&[], 77.0);
        assert_eq!((schedule.clock(5.0), schedule.time(5.0)), (5.0, 5.0));
    }

    #[test]
    fn both_ways_agree_and_pauses_are_passed_over() {
        // Twice as fast from 2 s, nothing from 3 to 5 s, half as fast then.
        let schedule = schedule(&[(2, 2.0), (3, 0.0), (5, 0.5)], 0.0);
        let pairs = [
            (0.0, 0.0),
            (1999.0, 1999.0),
            (2500.0, 3000.0),
            (6000.0, 4500.0),
        ];
        for (clock, time) in pairs {
            assert_eq!((schedule.time(clock), schedule.clock(time)), (time, clock));
        }
        assert_eq!(schedule.time(4000.0), 4000.0);
        assert_eq!(schedule.clock(4000.0), 5000.0, "when it goes on");
    }

    #[test]
    fn it_counts_from_the_start_of_the_stage() {
        let schedule = schedule(&[(2, 2.0), (3, 4.0)], 2500.0);
        assert_eq!(
            (schedule.time(500.0), schedule.time(600.0)),
            (1000.0, 1400.0)
        );
        assert_eq!(schedule.clock(1400.0), 600.0);
    }

    #[test]
    fn at_the_end_nothing_is_never() {
        let schedule = schedule(&[(2, 0.0)], 0.0);
        assert_eq!(schedule.clock(1999.0), 1999.0);
        assert_eq!(schedule.clock(2000.0), super::super::NEVER);
        assert_eq!(schedule.time(99_000.0), 2000.0);
    }
}
