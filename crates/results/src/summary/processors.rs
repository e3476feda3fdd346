//! Where the processors' time of a host went while a stage was measured: to the run's own workers, to
//! others, or idle.

use crate::run::StageRun;
use leadline_model::event::{CpuInterval, CpuTime};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;
use std::ops::Range;

/// Shares of all processor time of one host over the measured window, each 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessorLoad {
    /// The host, by its place in the plan's list; 0 without one.
    pub host: u32,
    /// All processor time used by anyone, without what workers spent polling the clock.
    pub busy: f64,
    /// The part of the run's own workers, in user mode and in the kernel.
    pub own: f64,
}

impl ProcessorLoad {
    /// The part of others: other programs and kernel threads, some of them for this run's I/Os.
    #[must_use]
    pub const fn others(&self) -> f64 {
        (self.busy - self.own).max(0.0)
    }
}

/// Share of busy time from which on a host is full: an I/O that ends waits for a processor to notice it.
pub(crate) const FULL: f64 = 0.85;

/// The kernel counts in steps of 10 ms for each processor: shorter windows are meaningless.
const SHORTEST: Nanos = Nanos::from_millis(200);

/// The load of each host whose processors were counted for long enough, in the order of the counts.
#[must_use]
pub fn loads(stage: &StageRun) -> Vec<ProcessorLoad> {
    hosts(stage)
        .into_iter()
        .filter_map(|host| load(stage, host))
        .collect()
}

/// The hosts whose processors were counted, in the order of the counts.
#[must_use]
pub fn hosts(stage: &StageRun) -> Vec<u32> {
    let mut hosts: Vec<u32> = stage.cpus.iter().map(|c| c.host).collect();
    hosts.dedup();
    hosts
}

fn load(stage: &StageRun, host: u32) -> Option<ProcessorLoad> {
    let cpus = || stage.cpus.iter().filter(|c| c.host == host);
    if cpus().map(|c| c.span).max()? < SHORTEST {
        return None;
    }
    let all: u64 = cpus().map(whole).sum();
    let busy: u64 = cpus().map(|c| c.user.0 + c.kernel.0).sum();
    let workers = || stage.workers.iter().filter(|w| w.host == host);
    let waited: u64 = workers().map(|w| w.cpu.waiting.0).sum();
    let own: u64 = workers()
        .map(|w| (w.cpu.user.0 + w.cpu.system.0).saturating_sub(w.cpu.waiting.0))
        .sum();
    let share = |time: u64| time as f64 / (all as f64).max(1.0);
    let busy = share(busy.saturating_sub(waited));
    Some(ProcessorLoad {
        host,
        busy,
        own: share(own).min(busy),
    })
}

/// The share of some intervals in which the processors of the busiest of `hosts` hosts were busy, 0 to 1; `None` where they were
/// not counted. `counts` are of all intervals until now, and only the last ones are looked at.
pub(crate) fn busiest(counts: &[CpuInterval], of: Range<u64>, hosts: usize) -> Option<f64> {
    /// How many intervals a host may be behind another.
    const LATE: usize = 8;
    let each = usize::try_from(of.end - of.start).unwrap_or(0) + LATE;
    let recent = counts.iter().rev().take(each * hosts.max(1));
    let mut shares: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for own in recent.filter(|own| of.contains(&own.interval)) {
        let (busy, all) = shares.entry(own.host).or_default();
        let worked = own.user.0 + own.kernel.0;
        *busy += worked;
        *all += worked + own.idle.0 + own.wait.0 + own.steal.0;
    }
    let counted = shares.values().filter(|(_, all)| *all > 0);
    let shares = counted.map(|(busy, all)| *busy as f64 / *all as f64);
    shares.max_by(f64::total_cmp)
}

/// All time of a processor.
#[must_use]
pub const fn whole(cpu: &CpuTime) -> u64 {
    cpu.user.0 + cpu.kernel.0 + cpu.idle.0 + cpu.wait.0 + cpu.steal.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_hosts_time_is_workers_others_or_idle() {
        let mut run = fixture::run();
        let stage = &mut run.stages[0];
        for worker in &mut stage.workers {
            (worker.cpu.user, worker.cpu.system) = (Nanos::ZERO, Nanos::ZERO);
        }
        let all: u64 = stage.cpus.iter().map(whole).sum();
        let worker = &mut stage.workers[0].cpu;
        worker.user = Nanos(all / 4);
        worker.system = Nanos(all / 4);
        worker.waiting = Nanos(all / 8);
        let [load] = loads(stage)[..] else {
            panic!("one host")
        };
        // The fixture's two processors are busy for 1250 of 2000 ms each second.
        assert!((load.busy - 0.5).abs() < 1e-6, "{load:?}");
        assert!((load.own - 0.375).abs() < 1e-6, "{load:?}");
        assert!((load.others() - 0.125).abs() < 1e-6, "{load:?}");
        for cpu in &mut stage.cpus {
            cpu.span = Nanos::from_millis(100);
        }
        assert_eq!(loads(stage), []);
    }
}
