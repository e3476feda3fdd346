//! Workers that did not outlast their warm-up: fio shows what they did in it, without latencies.
//!
//! Belongs here: amounts of such workers. Must never: count a warm-up that was outlasted.

use leadline_model::sample::{Counts, Sample, WorkerTotals};
use leadline_model::units::Nanos;

/// Start and end of a worker that did I/O in its warm-up only; `None` = it was measured, or did nothing.
pub(super) fn span(worker: &WorkerTotals) -> Option<(Nanos, Nanos)> {
    let measured = worker.counts.ops.values().any(|op| !op.is_empty());
    if measured || worker.warmup_ios == 0 {
        return None;
    }
    Some((worker.first_submit?, worker.window_end))
}

/// What it did then: numbers and bytes, no latencies. Of one worker of several its share of each interval, in
/// proportion, as intervals do not separate the directions of each worker.
pub(super) fn counts(worker: &WorkerTotals, samples: &[&Sample]) -> Counts {
    let mut sum = Counts::default();
    for sample in samples.iter().filter(|s| s.warmup && s.host == worker.host) {
        let (all, all_bytes) = sample
            .workers
            .iter()
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let mine = sample.workers.get(worker.worker as usize);
        let (mine, mine_bytes) = mine.copied().unwrap_or_default();
        let share = |n: u64| part(n, mine, all);
        for (op, counts) in sample.counts.ops.iter() {
            let own = sum.op_mut(op);
            own.ios += share(counts.ios);
            own.bytes += part(counts.bytes, mine_bytes, all_bytes);
            own.short += share(counts.short);
        }
        let theirs = &sample.counts.depths;
        let depths = &mut sum.depths;
        for (own, all) in [
            (&mut depths.level, &theirs.level),
            (&mut depths.submit, &theirs.submit),
            (&mut depths.complete, &theirs.complete),
        ] {
            own.iter_mut()
                .zip(all)
                .for_each(|(own, n)| *own += share(*n));
        }
    }
    sum
}

/// `n` times `mine` of `all`, rounded.
fn part(n: u64, mine: u64, all: u64) -> u64 {
    let whole = u128::from(n) * u128::from(mine) + u128::from(all / 2);
    u64::try_from(whole / u128::from(all.max(1))).unwrap_or(u64::MAX)
}
