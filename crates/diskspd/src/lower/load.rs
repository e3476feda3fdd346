//! How fast, how long, by which means, on which CPUs.
//!
//! Belongs here: `-g`, `-i`, `-j`, `-d`, `-W`, `-C`, `-S`, `-u`, `-a`, `-n`, `-I`, `-l`. Must never appear
//! here: which I/O.

use super::Lowering;
use crate::profile::{Cache, Flush, Target, Throughput, TimeSpan};
use leadline_model::op::PerOp;
use leadline_model::plan::engine::Memory;
use leadline_model::plan::{
    Arrival, Engine, EngineKind, MapFlush, OpenMode, Pace, Placement, Rate, Stop, SyncMode, Think,
};
use leadline_model::units::Nanos;

pub(super) fn open_mode(target: &Target) -> OpenMode {
    OpenMode {
        direct: target.cache == Cache::DisableOs,
        // A mapped write is brought down by itself, not by how the file was opened.
        sync: if target.write_through && !target.memory_mapped {
            SyncMode::Dsync
        } else {
            SyncMode::None
        },
        atomic: false,
    }
}

pub(super) fn pace(target: &Target) -> Pace {
    let rate = match target.throughput {
        None => return Pace::Closed,
        Some(Throughput::Iops(n)) => Rate::Iops(f64::from(n)),
        Some(Throughput::BytesPerMs(n)) => Rate::Bytes(u64::from(n) * 1000),
    };
    Pace::Open {
        rates: PerOp::splat(None),
        arrival: Arrival::Constant,
        together: Some(rate),
        schedule: Vec::new(),
    }
}

/// A burst is shared out to the threads of a target. With a rate, DISKSPD does not pause.
pub(super) fn think(span: &TimeSpan, target: &Target) -> Option<Think> {
    let (burst, pause) = target.burst.zip(target.think_ms)?;
    if target.throughput.is_some() || pause == 0 {
        return None;
    }
    // Targets with threads of their own (ThreadTargets) have no pauses.
    let threads = span.threads_of(target);
    Some(Think {
        pause: Nanos::from_millis(pause.into()),
        spin: Nanos::ZERO,
        every: (burst / threads.max(1)).max(1),
        on_submit: true,
        after_busy: Nanos::ZERO,
    })
}

/// Very low is the idle class, low the last of the others.
pub(super) fn priority(target: &Target) -> Option<(u8, u8)> {
    match target.io_priority {
        1 => Some((3, 0)),
        2 => Some((2, 7)),
        _ => None,
    }
}

pub(super) fn stop(span: &TimeSpan, warmup: Nanos) -> Stop {
    Stop {
        runtime: Some(Nanos::from_secs(span.duration.into())),
        time_based: true,
        warmup,
        cooldown: Nanos::from_secs(span.cooldown.into()),
        ..Stop::default()
    }
}

/// The back end of a workload of `depth` on one target, or several that are alike in this, whose threads have `queue`
/// I/Os in flight.
pub(super) fn engine(span: &TimeSpan, target: &Target, queue: u32, depth: u32) -> Engine {
    let mapped = target.memory_mapped;
    let batch = span
        .io_ring
        .map(|ring| ring.batch.of(queue).min(depth.max(1)));
    Engine {
        kind: if mapped {
            EngineKind::MAPPED
        } else {
            EngineKind::default()
        },
        batch_wait: batch.filter(|_| !mapped),
        map_flush: match target.flush {
            // Written through: each write is brought down at once.
            None if mapped && target.write_through => MapFlush::Sync,
            None => MapFlush::Nothing,
            Some(Flush::ViewOfFile) => MapFlush::Sync,
            Some(Flush::NonVolatile) => MapFlush::Lines,
            Some(Flush::NonVolatileNoDrain) => MapFlush::LinesNoDrain,
        },
        ..Engine::default()
    }
}

impl Lowering<'_> {
    /// Threads take the CPUs in turn, each one, by their numbers over all targets.
    pub(super) fn placement(
        &mut self,
        span: &TimeSpan,
        threads: u32,
        target: &Target,
        first_thread: u32,
    ) -> Placement {
        let named: Vec<u32> = self.named(span);
        let all = if named.is_empty() { &self.cpus } else { &named };
        let mut cpus = Vec::new();
        if !span.disable_affinity && !all.is_empty() {
            let skip = usize::try_from(first_thread).unwrap_or(0) % all.len();
            let threads = usize::try_from(threads).unwrap_or(usize::MAX);
            let take = threads.min(all.len());
            cpus = all.iter().cycle().skip(skip).take(take).copied().collect();
        }
        Placement {
            split_cpus: !cpus.is_empty(),
            cpus,
            io_priority: priority(target),
            memory: if target.large_pages {
                Memory::Huge
            } else {
                Memory::Anonymous
            },
            ..Placement::default()
        }
    }

    /// The CPUs of `-a`, in its order.
    fn named(&self, span: &TimeSpan) -> Vec<u32> {
        let mut named = Vec::new();
        for (group, cpu) in &span.affinity.assignments {
            let first = u32::from(*group) * 64;
            match cpu {
                Some(cpu) => named.push(first + u32::from(*cpu)),
                None => {
                    let group = first..first + 64;
                    named.extend(self.cpus.iter().filter(|n| group.contains(n)));
                }
            }
        }
        named
    }
}
