//! Into how many slices an interval is cut, so that statistics have enough of them whatever interval is shown.
//!
//! Belongs here: the number for a plan, and what follows from it. Must never: change what a front end prints by interval.

use super::{Plan, Stage, Workload};
use crate::units::Nanos;

/// A window is cut into this many slices at the least: twice as many as statistics of series need, so that what is given
/// out every 100 ms is seen in a run of 10 s.
const LEAST: u64 = 128;
/// The shortest slice: a collector that waits for a processor is not behind by several of them.
const SHORTEST: Nanos = Nanos::from_millis(20);
/// What an interval may be cut into.
const CUTS: [u32; 8] = [1, 2, 4, 5, 10, 20, 50, 100];
/// Where the length of a window is not known ahead: more than one, and few enough for windows of hours.
const OF_UNKNOWN: u32 = 5;
/// So much time there is of a slice for each of the counts that are handed over at its end: by all workers of a host, of
/// each file that they count apart, and as samples of all workloads of all hosts. At some 50 us each, they take a tenth of
/// one processor at the most.
const FOR_EACH_COUNT: Nanos = Nanos::from_micros(500);
/// A run has no more samples than this because of slices: one with a window of hours beside a short one has whole intervals.
const MOST: u64 = 100_000;

impl Plan {
    /// Into how many slices an interval is cut, 1 or more.
    #[must_use]
    pub fn cuts(&self) -> u64 {
        u64::from(self.slices).max(1)
    }

    /// Length of a slice, which is that of a sample: above 0.
    #[must_use]
    pub fn slice(&self) -> Nanos {
        Nanos((self.interval.0 / self.cuts()).max(1))
    }

    /// The fewest slices of an interval with which each window of `stages` is cut into 128 or more, as far as slices of
    /// 20 ms do that and not too much is handed over, at once or over the whole run.
    #[must_use]
    pub fn slices_for(&self, stages: &[Stage]) -> u32 {
        let wanted = stages.iter().flat_map(|stage| &stage.workloads);
        let wanted = wanted.map(|workload| wanted_by(workload, self.interval));
        let wanted = wanted.max().unwrap_or(1);
        let counts = self.most_at_once(stages);
        let longest = self.time_of_all(stages);
        let fits = |&cuts: &u32| {
            let slice = self.interval.0 / u64::from(cuts);
            let is_even = self.interval.0.is_multiple_of(u64::from(cuts));
            let is_enough = slice >= SHORTEST.0 && slice / FOR_EACH_COUNT.0 >= counts;
            cuts == 1 || is_even && is_enough && longest / slice.max(1) <= MOST
        };
        let all = || CUTS.into_iter().filter(fits);
        all()
            .find(|&cuts| cuts >= wanted)
            .or(all().next_back())
            .unwrap_or(1)
    }

    /// Nanoseconds that all workloads take on all hosts, as far as that is known ahead.
    fn time_of_all(&self, stages: &[Stage]) -> u64 {
        let workloads = stages.iter().flat_map(|stage| &stage.workloads);
        let times = workloads.map(|workload| {
            let time = workload.stop.runtime.unwrap_or_default().0;
            time.saturating_mul(self.hosts_of(workload))
        });
        times.fold(0, u64::saturating_add)
    }

    /// How many hosts take part in a workload.
    fn hosts_of(&self, workload: &Workload) -> u64 {
        let count = u32::try_from(self.hosts.len()).unwrap_or(u32::MAX).max(1);
        workload.hosts.among(count).count() as u64
    }

    /// How many counts are handed over at the end of a slice, of any of `stages`.
    fn most_at_once(&self, stages: &[Stage]) -> u64 {
        let of = |stage: &Stage| {
            let of_workers =
                |w: &Workload| u64::from(w.clones).saturating_mul(w.counted_files().max(1) as u64);
            let workers = stage
                .workloads
                .iter()
                .map(of_workers)
                .fold(0, u64::saturating_add);
            let samples = stage.workloads.iter().map(|w| self.hosts_of(w));
            workers.max(samples.sum())
        };
        stages.iter().map(of).max().unwrap_or(0)
    }
}

/// The fewest slices of an interval that give this workload's window enough of them.
fn wanted_by(workload: &Workload, interval: Nanos) -> u32 {
    let stop = &workload.stop;
    let of_time = |time: Nanos| {
        let enough = LEAST.saturating_mul(interval.0).div_ceil(time.0.max(1));
        u32::try_from(enough).unwrap_or(u32::MAX).max(1)
    };
    match stop.runtime {
        Some(time) if stop.time_based => of_time(time),
        // It may end before.
        Some(time) => of_time(time).max(OF_UNKNOWN),
        None => OF_UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{HostSpec, Original, Source, Target};

    fn plan(interval: Nanos, runtime: Option<Nanos>, workloads: usize, clones: u32) -> Plan {
        let mut one = Workload::new("w", Target::Null { size: 1 << 20 });
        (one.stop.runtime, one.stop.time_based, one.clones) = (runtime, runtime.is_some(), clones);
        Plan {
            title: String::new(),
            source: Source::default(),
            given: Vec::new(),
            original: Original::default(),
            interval,
            slices: 1,
            stages: vec![Stage {
                workloads: vec![one; workloads],
                ..Stage::default()
            }],
            read_only: false,
            destroy: Vec::new(),
            partial_totals_every: None,
            hosts: Vec::new(),
            study: None,
        }
    }

    fn cuts(interval_ms: u64, runtime_ms: Option<u64>, workloads: usize, clones: u32) -> u32 {
        let runtime = runtime_ms.map(Nanos::from_millis);
        let plan = plan(Nanos::from_millis(interval_ms), runtime, workloads, clones);
        plan.slices_for(&plan.stages)
    }

    #[test]
    fn windows_have_128_slices_of_20_ms_or_more() {
        // Intervals of fio, and of Vdbench and DISKSPD.
        assert_eq!(cuts(500, Some(10_000), 1, 1), 10);
        assert_eq!(cuts(1000, Some(10_000), 1, 1), 20);
        assert_eq!(cuts(500, Some(3200), 1, 1), 20);
        // As far as 20 ms allow.
        assert_eq!(cuts(1000, Some(1000), 1, 1), 50);
        assert_eq!(cuts(500, Some(1000), 1, 1), 20);
        assert_eq!(cuts(30, Some(300), 1, 1), 1);
        // What is long enough stays whole.
        assert_eq!(cuts(500, Some(64_000), 1, 1), 1);
        assert_eq!(cuts(500, Some(63_999), 1, 1), 2);
        assert_eq!(cuts(1000, Some(36_000_000), 1, 1), 1);
        // A time that is not known.
        assert_eq!(cuts(500, None, 1, 1), 5);
        // Slices of whole nanoseconds.
        let odd = plan(Nanos(999_999_937), Some(Nanos::SECOND), 1, 1);
        assert_eq!(odd.slices_for(&odd.stages), 1);
    }

    #[test]
    fn the_shortest_window_decides() {
        let mut plan = plan(Nanos::SECOND, Some(Nanos::from_secs(600)), 2, 1);
        plan.stages[0].workloads[1].stop.runtime = Some(Nanos::from_secs(40));
        assert_eq!(plan.slices_for(&plan.stages), 4);
        // One that a size may end first.
        plan.stages[0].workloads[1].stop.time_based = false;
        assert_eq!(plan.slices_for(&plan.stages), 5);
    }

    #[test]
    fn many_workers_or_hosts_have_coarser_slices() {
        assert_eq!(cuts(1000, Some(10_000), 1, 100), 20);
        assert_eq!(cuts(1000, Some(10_000), 1, 200), 10);
        assert_eq!(cuts(1000, Some(10_000), 1, 400), 5);
        assert_eq!(cuts(1000, Some(10_000), 100, 100), 1);
        let mut plan = plan(Nanos::SECOND, Some(Nanos::from_secs(10)), 10, 1);
        assert_eq!(plan.slices_for(&plan.stages), 20);
        plan.hosts = vec![HostSpec::local("h"); 100];
        assert_eq!(plan.slices_for(&plan.stages), 2);
    }

    #[test]
    fn windows_of_hours_stay_whole_beside_short_ones() {
        let hours = Nanos::from_secs(36_000);
        let mut plan = plan(Nanos::SECOND, Some(hours), 2, 1);
        plan.stages[0].workloads[1].stop.runtime = Some(Nanos::from_secs(10));
        assert_eq!(plan.slices_for(&plan.stages), 2);
        let another = plan.stages[0].workloads[0].clone();
        plan.stages[0].workloads.push(another);
        assert_eq!(plan.slices_for(&plan.stages), 1);
        // A cap on a time that is not known.
        let mut capped = self::plan(Nanos::SECOND, Some(hours), 1, 1);
        capped.stages[0].workloads[0].stop.time_based = false;
        assert_eq!(capped.slices_for(&capped.stages), 2);
    }

    #[test]
    fn slices_of_any_text_have_a_length() {
        let mut plan = plan(Nanos::SECOND, None, 1, 1);
        for (slices, length) in [
            (0, 1_000_000_000),
            (1, 1_000_000_000),
            (4, 250_000_000),
            (u32::MAX, 1),
        ] {
            plan.slices = slices;
            assert_eq!(plan.slice(), Nanos(length));
        }
    }
}
