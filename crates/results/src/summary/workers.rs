//! The workers of a workload, and the files that they counted apart, with how far their figures may be off.
//!
//! Belongs here: what of a time series is one worker's, or one file's. Must never: compute an interval (that is `certainty`).

use super::certainty::{copy, give_points, give_share};
use super::figures::{Figures, of_worker};
use super::series::slice_of;
use super::slices::{SliceShare, run_of, slice_of_point};
use super::{Part, WorkloadSummary};
use crate::run::HostPoint;
use leadline_model::op::{Op, OpMap};
use leadline_model::sample::{Moments, Sample, WorkerTotals};
use std::collections::BTreeMap;

/// The figures of each worker of a workload, in the order of `part`. The time series has I/Os and bytes of each, so that
/// their rates have intervals; latencies have them where a worker is alone on its host, and means where the plan keeps
/// latencies by worker.
#[must_use]
pub fn workers(part: &Part<'_>, of_all: &WorkloadSummary) -> Vec<Figures> {
    let mut points = part.points.clone();
    points.sort_by_key(|p| (p.host, p.interval));
    let one = |worker: &&WorkerTotals| {
        let mut figures = of_worker(worker);
        if part.workers.len() == 1 && figures.data.ios == of_all.figures.data.ios {
            // The same I/Os.
            copy(&of_all.figures, &mut figures);
            return figures;
        }
        let own = run_of(&points, worker.host, |p| p.host);
        if !own.is_empty() && own.iter().all(|p| p.workers.len() == 1) {
            give_points(&mut figures, own.iter().copied());
            return figures;
        }
        let number = worker.worker as usize;
        let shares = match points.is_empty() {
            true => part
                .samples
                .iter()
                .filter_map(|s| of_sample(s, number))
                .collect(),
            false => own.iter().filter_map(|p| of_point(p, number)).collect(),
        };
        give_share(&mut figures, shares);
        figures
    };
    part.workers.iter().map(one).collect()
}

fn of_point(point: &HostPoint, worker: usize) -> Option<SliceShare> {
    let &(ios, bytes) = point.workers.get(worker)?;
    Some(SliceShare {
        slice: slice_of_point(point),
        ios,
        bytes: Some(bytes),
        ops: OpMap::default(),
    })
}

fn of_sample(sample: &Sample, worker: usize) -> Option<SliceShare> {
    let &(ios, bytes) = sample.workers.get(worker)?;
    let files = sample.moments.len() / sample.workers.len();
    let own = sample.moments.iter().skip(worker * files).take(files);
    Some(SliceShare {
        slice: slice_of(sample),
        ios,
        bytes: Some(bytes),
        ops: together(own),
    })
}

/// I/Os and their nanoseconds by operation.
fn together<'a>(rows: impl Iterator<Item = &'a OpMap<Moments>>) -> OpMap<(u64, u64)> {
    let mut all = OpMap::<(u64, u64)>::default();
    for (op, moments) in rows.flat_map(OpMap::iter) {
        let sum = all.entry(op);
        *sum = (sum.0 + moments.ios, sum.1.saturating_add(moments.sum));
    }
    all
}

/// What all workers did to one of their files, by slice, in order: of these samples and files of their workload. Empty
/// where the plan does not keep that.
pub(super) fn of_files<'a>(samples: impl Iterator<Item = (&'a Sample, usize)>) -> Vec<SliceShare> {
    let mut all: BTreeMap<(u64, bool), SliceShare> = BTreeMap::new();
    for (sample, file) in samples {
        let files = sample.moments.len() / sample.workers.len().max(1);
        if file >= files {
            return Vec::new();
        }
        let rows = sample.moments.iter().skip(file).step_by(files);
        let own = together(rows);
        let slice = slice_of(sample);
        let place = (slice.interval, !slice.warmup);
        let share = all.entry(place).or_insert_with(|| SliceShare {
            slice,
            ios: 0,
            bytes: None,
            ops: OpMap::default(),
        });
        for (op, (ios, sum)) in own {
            let of_op = share.ops.entry(op);
            *of_op = (of_op.0 + ios, of_op.1 + sum);
            share.ios += if Op::is_data(op) { ios } else { 0 };
        }
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Counted, counted_run};
    use crate::run::Run;
    use crate::stats::Interval;
    use crate::summary::{StageSummary, by_workload, summarize};
    use leadline_model::plan::{HostSet, OpMix, Target, Workload};

    /// Independent of each other as they stand: mean 5, squares 18.
    const UNEVEN: [u64; 8] = [4, 6, 3, 7, 5, 3, 5, 7];
    const EVEN: [u64; 8] = [5; 8];

    /// Half of the interval of a mean of [`UNEVEN`]: Student's t with seven degrees of freedom.
    fn half() -> f64 {
        2.3646 * (18.0_f64 / 7.0 / 8.0).sqrt()
    }

    fn workload(name: &str, workers: u32) -> Workload {
        let mut own = fixture::workload(name, OpMix::reads(), 4096, 1, 8);
        own.blocks_mut().target = Target::Paths(vec![format!("/data/{name}")]);
        own.clones = workers;
        own
    }

    fn stage(run: &Run) -> StageSummary {
        summarize(run).stages.swap_remove(0)
    }

    fn times(ios: &[u64], times: u64) -> Vec<u64> {
        ios.iter().map(|n| n * times).collect()
    }

    /// Its ends are so far from 5, in the unit of the figure.
    fn is_wide(of: Option<Interval>, half: f64, unit: f64) -> bool {
        let of = of.unwrap();
        let is = |end: f64, truth: f64| (end / unit - truth).abs() < 2e-3;
        is(of.value, 5.0) && is(of.low, 5.0 - half) && is(of.high, 5.0 + half) && of.settled
    }

    /// On one host the rate is even and the latency uneven, on the other the other way round.
    #[test]
    fn hosts_of_unlike_spread_have_unlike_intervals() {
        let mut steady = Counted::ios(0, 0, &times(&EVEN, 100));
        let latencies = steady.seconds.iter_mut().zip(UNEVEN);
        latencies.for_each(|(second, ms)| second.1 = ms * 1_000_000);
        let rows = [steady, Counted::ios(1, 0, &times(&UNEVEN, 100))];
        let run = counted_run(&["a", "b"], vec![workload("w", 1)], &rows);
        let stage = stage(&run);
        let [a, b] = [0, 1].map(|host| &stage.hosts[host].figures.data);
        assert!(is_wide(a.certainty.iops, 0.0, 100.0), "{:?}", a.certainty);
        assert!(
            is_wide(b.certainty.iops, half(), 100.0),
            "{:?}",
            b.certainty
        );
        assert!(is_wide(b.certainty.bytes_per_s, half(), 409_600.0));
        assert!(is_wide(a.certainty.service.mean, half(), 1e6));
        assert_eq!(b.certainty.service.mean.map(|i| i.high - i.low), Some(0.0));
        // Each has one worker, which is all of it.
        let parts = by_workload(&run.stages[0], 1);
        let own = workers(&parts[0], &stage.workloads[0]);
        assert_eq!(own[0].data.certainty, a.certainty);
        assert_eq!(own[1].data.certainty, b.certainty);
        assert_eq!(
            own[1].ops.values().next().map(|o| &o.certainty),
            Some(&b.certainty)
        );
    }

    #[test]
    fn of_few_or_rising_slices_nothing_is_certain() {
        let of = |ios: &[u64]| {
            let rows = [Counted::ios(0, 0, ios), Counted::ios(1, 0, ios)];
            stage(&counted_run(&["a", "b"], vec![workload("w", 1)], &rows))
        };
        let short = of(&[5; 7]);
        assert!(
            short
                .hosts
                .iter()
                .all(|h| h.figures.data.certainty.iops.is_none())
        );
        assert!(short.targets[0].figures.data.certainty.iops.is_none());
        let rising = of(&(0..64).map(|k| 100 + k).collect::<Vec<_>>());
        let each = rising.hosts.iter().map(|h| &h.figures);
        for figures in each.chain(rising.targets.iter().map(|t| &t.figures)) {
            assert!(figures.data.certainty.iops.is_some_and(|i| !i.settled));
        }
    }

    #[test]
    fn targets_of_unlike_spread_have_unlike_intervals_and_one_alone_has_that_of_all() {
        let workloads = || vec![workload("x", 1), workload("y", 1)];
        let rows = [
            Counted::ios(0, 0, &times(&EVEN, 100)),
            Counted::ios(0, 1, &times(&UNEVEN, 100)),
        ];
        let own = stage(&counted_run(&[], workloads(), &rows));
        let [x, y] = [0, 1].map(|n| &own.targets[n].figures.data);
        assert!(is_wide(x.certainty.iops, 0.0, 100.0));
        assert!(is_wide(y.certainty.iops, half(), 100.0));
        assert_eq!(y.certainty, own.workloads[1].figures.data.certainty);
        let mut same = workloads();
        same[1].blocks_mut().target = same[0].blocks().target.clone();
        let one = stage(&counted_run(&[], same, &rows));
        assert_eq!(one.targets.len(), 1);
        let data = &one.targets[0].figures.data;
        assert_eq!(data.certainty, one.figures.data.certainty);
        // Both together vary as the second does: 10 of 5 and 5.
        let iops = data.certainty.iops.unwrap();
        assert!((iops.high / 100.0 - 10.0 - half()).abs() < 2e-3, "{iops:?}");
        assert!(data.service_at(50.0).unwrap().low.is_some());
    }

    #[test]
    fn workers_of_unlike_spread_have_unlike_intervals() {
        let rows = [
            Counted::ios(0, 0, &times(&EVEN, 100)),
            Counted::ios(0, 0, &times(&UNEVEN, 100)),
        ];
        for hosts in [&[][..], &["a"]] {
            let run = counted_run(hosts, vec![workload("w", 2)], &rows);
            let stage = stage(&run);
            let parts = by_workload(&run.stages[0], 1);
            let own = workers(&parts[0], &stage.workloads[0]);
            let [first, second] = [0, 1].map(|n| &own[n].data.certainty);
            assert!(is_wide(first.iops, 0.0, 100.0), "{first:?}");
            assert!(is_wide(second.iops, half(), 100.0), "{second:?}");
            assert!(is_wide(second.bytes_per_s, half(), 409_600.0));
            assert_eq!(own[1].ops.values().next().unwrap().certainty, *second);
            // Latencies are kept by worker without hosts.
            assert_eq!(second.service.mean.is_some(), hosts.is_empty());
            assert!(second.service.percentiles.is_empty());
        }
    }

    #[test]
    fn what_a_worker_did_before_it_began_is_no_part_of_its_series() {
        let late: Vec<u64> = [0; 8].into_iter().chain(times(&EVEN, 100)).collect();
        let rows = [
            Counted::ios(0, 0, &times(&[5; 16], 100)),
            Counted::ios(0, 0, &late),
        ];
        let mut run = counted_run(&[], vec![workload("w", 2)], &rows);
        run.stages[0].workers[1].first_submit = Some(leadline_model::units::Nanos::from_secs(8));
        let parts = by_workload(&run.stages[0], 1);
        let own = workers(&parts[0], &stage(&run).workloads[0]);
        assert!(
            is_wide(own[1].data.certainty.iops, 0.0, 100.0),
            "{:?}",
            own[1].data.certainty
        );
    }

    #[test]
    fn a_host_with_workloads_of_its_own_has_intervals_of_percentiles() {
        let mut own = [workload("x", 1), workload("y", 1)];
        own[0].hosts = HostSet::one(0);
        own[1].hosts = HostSet::one(1);
        let of = |host, ios: &[u64]| Counted::ios(host, host, &times(ios, 1000));
        let rows = [of(0, &EVEN), of(1, &UNEVEN)];
        let run = counted_run(&["a", "b"], own.to_vec(), &rows);
        let stage = stage(&run);
        let parts = by_workload(&run.stages[0], 2);
        for (host, part) in stage.hosts.iter().zip(&parts) {
            let of_workload = &stage.workloads[host.host as usize];
            let data = &host.figures.data;
            assert!(data.service_at(99.0).unwrap().low.is_some(), "{data:?}");
            let rate = |data: &crate::summary::OpFigures| data.certainty.iops;
            assert_eq!(rate(data), rate(&of_workload.figures.data));
            // Its only worker did the same.
            let worker = &workers(part, of_workload)[0].data;
            assert_eq!(worker.certainty, of_workload.figures.data.certainty);
        }
        assert!(is_wide(
            stage.hosts[1].figures.data.certainty.iops,
            half(),
            1000.0
        ));
    }

    /// Both files are read by two workers, and the second by one of them unevenly.
    #[test]
    fn files_that_are_counted_apart_have_intervals_where_their_series_is_kept() {
        let rows = [
            Counted::ios(0, 0, &times(&EVEN, 100)),
            Counted::ios(0, 0, &times(&UNEVEN, 100)),
        ];
        let mut own = workload("w", 2);
        own.blocks_mut().target = Target::Paths(vec!["/data/x".into(), "/data/y".into()]);
        own.report.by_file = true;
        let mut run = counted_run(&[], vec![own], &rows);
        let stage_run = &mut run.stages[0];
        // The first worker reads the first file, the second the other.
        for worker in &mut stage_run.workers {
            worker.files = vec![Default::default(); 2];
            worker.files[worker.worker as usize] = worker.counts.clone();
        }
        for sample in &mut stage_run.samples {
            let (first, second) = (sample.moments[0].clone(), sample.moments[1].clone());
            sample.moments = vec![first, OpMap::default(), OpMap::default(), second];
        }
        let with = stage(&run);
        let certain = [0, 1].map(|n| &with.targets[n].figures.data.certainty);
        assert!(is_wide(certain[0].iops, 0.0, 100.0), "{:?}", certain[0]);
        assert!(is_wide(certain[1].iops, half(), 100.0), "{:?}", certain[1]);
        assert!(certain[1].service.mean.is_some() && certain[1].bytes_per_s.is_none());
        run.stages[0]
            .samples
            .iter_mut()
            .for_each(|s| s.moments.clear());
        let without = stage(&run);
        assert!(
            without
                .targets
                .iter()
                .all(|t| t.figures.data.certainty.iops.is_none())
        );
    }
}
