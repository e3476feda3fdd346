//! How long a stage takes, as far as its plan says it.
//!
//! Belongs here: the one sum of all times of a stage. Must never: guess how fast a target is.

use super::{Stage, Start, Stop, Workload};
use crate::units::Nanos;
use std::collections::BTreeMap;

impl Stage {
    /// The longest it takes with the pause before it; `None` = one of its workloads has no time that ends it. Of a range
    /// of delays the upper end counts; whatever else ends a workload early does not.
    #[must_use]
    pub fn length(&self) -> Option<Nanos> {
        let is_timed = |w: &Workload| w.stop.runtime.is_some();
        let all = self.workloads.iter().all(is_timed);
        let running = all.then(|| self.running(Nanos::ZERO))?;
        Some(Nanos(self.pause().0.saturating_add(running.0)))
    }

    /// As [`Stage::length`], from its start on: without the pause before it. A workload that no time ends measures for
    /// `untimed`.
    #[must_use]
    pub fn running(&self, untimed: Nanos) -> Nanos {
        let each = || self.workloads.iter().map(|w| (w, own(w, untimed)));
        let mut longest = each().map(|(_, own)| own.time.0).max().unwrap_or(0);
        if each().all(|(_, own)| own.after.is_none()) {
            return Nanos(longest);
        }
        // When the last workload of each name ends: each pass adds those that wait for one that is known by now.
        let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
        for _ in &self.workloads {
            let mut next: BTreeMap<&str, u64> = BTreeMap::new();
            for (w, own) in each() {
                let from = own.after.and_then(|name| ends.get(name)).copied();
                let end = next.entry(w.name.as_str()).or_default();
                *end = (*end).max(from.unwrap_or(0).saturating_add(own.time.0));
                longest = longest.max(*end);
            }
            if next == ends {
                break;
            }
            ends = next;
        }
        Nanos(longest)
    }

    /// The pause before it. Every field of a stage is named here: one that is added does not compile before it is part
    /// of the length or known not to be.
    fn pause(&self) -> Nanos {
        let Self {
            pause,
            // Counted by `running`.
            workloads: _,
            // What ends it early.
            until: _,
            // Not of time.
            name: _,
            original: _,
            asked: _,
            rate: _,
            series: _,
            shares: _,
            mounts: _,
            point: _,
            server_cache: _,
        } = self;
        *pause
    }
}

/// What a workload has of its stage's time.
struct Own<'a> {
    /// Whom it waits for.
    after: Option<&'a str>,
    /// How long it takes from then on.
    time: Nanos,
}

fn own(w: &Workload, untimed: Nanos) -> Own<'_> {
    let Start {
        delay: (_, delay),
        after,
        // What the stages before took comes off the delay.
        from_run: _,
    } = &w.start;
    let Stop {
        runtime,
        warmup,
        cooldown,
        // What ends it early.
        time_based: _,
        io_bytes: _,
        ios: _,
        loops: _,
        ends_others: _,
    } = &w.stop;
    let parts = [*delay, *warmup, runtime.unwrap_or(untimed), *cooldown];
    let all = parts
        .iter()
        .fold(0, |sum: u64, part| sum.saturating_add(part.0));
    Own {
        after: after.as_deref(),
        time: Nanos(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Target;

    const S: fn(u64) -> Nanos = Nanos::from_secs;

    fn workload(name: &str, seconds: Option<u64>, after: Option<&str>) -> Workload {
        let mut w = Workload::new(name, Target::Null { size: 1 });
        w.stop.runtime = seconds.map(Nanos::from_secs);
        w.start.after = after.map(str::to_owned);
        w
    }

    fn stage(workloads: Vec<Workload>) -> Stage {
        Stage {
            workloads,
            pause: S(3),
            ..Stage::default()
        }
    }

    #[test]
    fn delay_warm_up_time_and_cool_down_of_the_longest_workload_count() {
        let mut long = workload("long", Some(10), None);
        long.start.delay = (S(1), S(4));
        (long.stop.warmup, long.stop.cooldown) = (S(20), S(100));
        let both = stage(vec![workload("short", Some(60), None), long]);
        assert_eq!(both.running(Nanos::ZERO), S(134));
        assert_eq!(both.length(), Some(S(137)));
        assert_eq!(stage(Vec::new()).length(), Some(S(3)));
    }

    #[test]
    fn what_no_time_ends_has_no_length() {
        let mut open = workload("open", None, None);
        open.stop.warmup = S(2);
        let stage = stage(vec![workload("a", Some(10), None), open]);
        assert_eq!(stage.length(), None);
        assert_eq!(stage.running(Nanos::ZERO), S(10));
        assert_eq!(stage.running(S(60)), S(62));
    }

    #[test]
    fn those_that_wait_for_others_come_after_them() {
        // In any order, and after the last of those that have the name.
        let mut last = workload("c", Some(5), Some("b"));
        last.start.delay = (S(1), S(1));
        let chain = stage(vec![
            last,
            workload("b", Some(5), Some("a")),
            workload("a", Some(5), None),
            workload("a", Some(7), None),
        ]);
        assert_eq!(chain.running(Nanos::ZERO), S(18));
        // What could never run ends all the same here.
        let circle = stage(vec![
            workload("a", Some(5), Some("b")),
            workload("b", Some(5), Some("a")),
        ]);
        assert_eq!(circle.running(Nanos::ZERO), S(10));
        let alone = stage(vec![workload("a", Some(5), Some("nobody"))]);
        assert_eq!(alone.running(Nanos::ZERO), S(5));
    }

    #[test]
    fn the_longest_times_there_are_do_not_overflow() {
        let mut w = workload("w", Some(u64::MAX), None);
        w.start.delay = (Nanos::ZERO, Nanos(u64::MAX));
        assert_eq!(stage(vec![w]).length(), Some(Nanos(u64::MAX)));
    }
}
