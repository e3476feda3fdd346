//! `-F`: threads that drive all targets; with `-O` they keep this many I/Os in flight over all of them.
//!
//! Belongs here: which thread drives which targets, with which weights. Must never appear here: the rest
//! of a workload.

use super::{Lowering, Part, load, pattern, workload_original};
use crate::profile::{Target, TimeSpan};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_model::plan::engine::Memory;
use leadline_model::plan::{
    Access, BlockSizes, FileChoice, FilePart, OpMix, Target as Place, Workload,
};

/// Most threads of a pool whose threads have targets of their own.
const MOST_APART: u32 = 4096;

/// Most I/Os in flight of one thread here.
pub(super) const MOST_IN_FLIGHT: u32 = 32_768;

/// Threads that drive the same targets with the same weights.
struct Crew<'a> {
    first: u32,
    threads: u32,
    /// Targets with their weights for these threads.
    targets: Vec<(&'a Target, u32)>,
}

impl Lowering<'_> {
    /// The workloads of `-F`: one for each crew where its threads can drive all its targets, else one for
    /// each of them.
    pub(super) fn pool(&mut self, part: &Part<'_>) -> Vec<Workload> {
        let span = part.span;
        let crews = self.crews(span);
        let drawn = span.is_pool();
        let together = crews.iter().all(|crew| {
            carried(&crew.targets, drawn) && (drawn || shared_out(&crew.targets).is_some())
        });
        if !together {
            self.say_why_apart(&crews, drawn);
        }
        let mut workloads = Vec::new();
        for crew in &crews {
            if together {
                workloads.push(self.together(part, crew));
            } else {
                let all: u64 = crew.targets.iter().map(|t| u64::from(t.1)).sum();
                for (target, weight) in &crew.targets {
                    let share = u64::from(span.request_count) * u64::from(*weight);
                    let depth = match drawn {
                        true => u32::try_from(share / all.max(1)).unwrap_or(u32::MAX),
                        false => target.request_count,
                    };
                    let one = [(*target, *weight)];
                    workloads.push(self.crew(part, crew, &one, depth.max(1)));
                }
            }
        }
        workloads
    }

    /// Says what keeps the targets of a pool from being driven by the same threads.
    fn say_why_apart(&mut self, crews: &[Crew<'_>], drawn: bool) {
        let carried = crews.iter().all(|crew| carried(&crew.targets, drawn));
        if drawn {
            self.warn(
                "pool-shared-out",
                "some targets of the thread pool are memory mapped and others are not, or they \
                 differ in flush mode or priority: a thread here uses one way to do I/O, so its \
                 outstanding I/Os are divided among its targets by weight and stay there",
                "give all targets of a pool the same MemoryMappedIo, FlushType, WriteThrough and \
                 IOPriority",
                'X',
            );
        } else if !carried {
            self.warn(
                "pool-apart",
                "some targets of the thread pool are memory mapped and others are not, or they \
                 differ in flush mode or priority: a thread here uses one way to do I/O, so each \
                 target has its own threads",
                "give all targets of a pool the same MemoryMappedIo, FlushType, WriteThrough and \
                 IOPriority",
                'X',
            );
        }
    }

    /// One workload of a crew over all its targets.
    fn together(&mut self, part: &Part<'_>, crew: &Crew<'_>) -> Workload {
        let drawn = part.span.is_pool();
        let depth = match shared_out(&crew.targets) {
            Some(depth) if !drawn => depth,
            _ => part.span.request_count.max(1),
        };
        let mut workload = self.crew(part, crew, &crew.targets, depth);
        if crew.targets.len() == 1 {
            return workload;
        }
        for (target, _) in crew.targets.iter().skip(1) {
            // What is to be said of each of them; how they are prepared is the same.
            self.prepare(part, target);
        }
        workload.name = "thread pool".to_owned();
        workload.report.by_file = true;
        let each = crew.targets.first().map_or(1, |t| t.0.request_count.max(1));
        let mapped = crew.targets.iter().any(|t| t.0.memory_mapped);
        workload.blocks_mut().access.file_choice = match (drawn, mapped) {
            (true, _) => FileChoice::Random { ios: 1 },
            // Mapped I/Os are done one after the other: all of a target, then all of the next.
            (false, true) => FileChoice::RoundRobin { ios: each },
            (false, false) => FileChoice::EachSlot,
        };
        let weights: Vec<u32> = crew.targets.iter().map(|t| t.1).collect();
        if drawn && weights.windows(2).any(|pair| pair[0] != pair[1]) {
            workload.blocks_mut().access.file_weights = weights;
        }
        self.parts(part, crew, &mut workload);
        workload
    }

    /// What a crew does on each of its targets, where that differs, and what they do together.
    fn parts(&mut self, part: &Part<'_>, crew: &Crew<'_>, workload: &mut Workload) {
        let targets = || crew.targets.iter().map(|t| t.0);
        let sizes: Vec<_> = targets().map(|t| self.created(part, t)).collect();
        if alike(&crew.targets) && sizes.windows(2).all(|pair| pair[0] == pair[1]) {
            return;
        }
        let payloads: Vec<_> = targets().map(|t| pattern::payload(part.span, t)).collect();
        let unlike = payloads.windows(2).any(|pair| pair[0] != pair[1]);
        for (target, _) in &crew.targets {
            let mut access = pattern::access(part.span, target, crew.first);
            self.numbered(part.span, crew, &[(*target, 1)], &mut access);
            // The counter of the target, wherever it is in the workload.
            let counter = access.counters.first().copied();
            access.counters = counter.map_or_else(Vec::new, |n| vec![n; crew.targets.len()]);
            let payload = pattern::payload(part.span, target);
            workload.blocks_mut().parts.push(FilePart {
                payload: unlike.then_some(payload),
                region: self.region(part, target),
                prepare: self.made_ready(part, target),
                open: load::open_mode(target),
                mix: pattern::mix(target),
                sizes: pattern::sizes(target),
                access,
                slots: target.request_count.max(1),
            });
        }
        self.of_thread(crew, workload);
        let largest = targets().map(|t| u64::from(t.block_size)).max();
        workload.blocks_mut().sizes = BlockSizes::fixed(largest.unwrap_or(4096));
        workload.blocks_mut().region.file_size = None;
        let writes: Vec<u32> = targets().map(|t| t.write_percent.min(100)).collect();
        if writes.windows(2).any(|pair| pair[0] != pair[1]) {
            let count = u32::try_from(writes.len()).unwrap_or(u32::MAX).max(1);
            let mean = (writes.iter().sum::<u32>() / count).clamp(1, 99);
            workload.blocks_mut().mix = OpMix::mixed(100 - u8::try_from(mean).unwrap_or(50));
        }
    }

    /// What a thread has once where its targets differ in it: priorities go with each I/O then, and its buffers
    /// are of large pages when those of one target are to be.
    fn of_thread(&mut self, crew: &Crew<'_>, workload: &mut Workload) {
        let priorities: Vec<_> = crew.targets.iter().map(|t| load::priority(t.0)).collect();
        let mapped = crew.targets.iter().any(|t| t.0.memory_mapped);
        if priorities.windows(2).any(|pair| pair[0] != pair[1]) && !mapped {
            workload.placement.io_priority = None;
            let own = priorities.into_iter().map(Option::unwrap_or_default);
            workload.engine.file_priorities = own.collect();
        }
        let large = crew.targets.iter().filter(|t| t.0.large_pages).count();
        if large > 0 && large < crew.targets.len() {
            workload.placement.memory = Memory::Huge;
            self.note(
                "large-pages-for-all",
                "a thread's buffers are one block of memory: large pages (-l) for one of its \
                 targets apply to all",
                'X',
            );
        }
    }

    /// The numbers of a crew's threads, from which places begin apart (`-T`), and of the counters that all
    /// threads of the time span share (`-si`).
    fn numbered(
        &self,
        span: &TimeSpan,
        crew: &Crew<'_>,
        targets: &[(&Target, u32)],
        access: &mut Access,
    ) {
        access.first_worker = crew.first;
        // A crew of all threads has its counters for itself.
        if crew.threads < span.thread_count && targets.iter().any(|t| t.0.interlocked) {
            let place = |t: &Target| span.targets.iter().position(|known| std::ptr::eq(known, t));
            let number = |t: &(&Target, u32)| u32::try_from(place(t.0).unwrap_or(0)).unwrap_or(0);
            access.counters = targets.iter().map(number).collect();
        }
    }

    fn crew(
        &mut self,
        part: &Part<'_>,
        crew: &Crew<'_>,
        of: &[(&Target, u32)],
        depth: u32,
    ) -> Workload {
        let targets: Vec<Target> = of.iter().map(|t| t.0.clone()).collect();
        let first = targets.first().cloned().unwrap_or_else(|| Target::new(""));
        let mut workload = self.workload(part, &first, crew.first);
        workload.clones = crew.threads;
        workload.placement = self.placement(part.span, crew.threads, &first, crew.first);
        workload.blocks_mut().target =
            Place::Paths(targets.iter().map(|t| t.path.clone()).collect());
        if !first.memory_mapped {
            workload.depth = depth;
        }
        let queue = part.span.queue_of(crew.targets.iter().map(|t| t.0));
        workload.engine = load::engine(part.span, &first, queue, workload.depth);
        self.numbered(part.span, crew, of, &mut workload.blocks_mut().access);
        workload.original = workload_original(&targets, crew.first);
        workload
    }

    /// Threads by what they drive. Without `ThreadTargets` all of them drive all targets.
    fn crews<'a>(&mut self, span: &'a TimeSpan) -> Vec<Crew<'a>> {
        let apart = span.targets.iter().any(|t| !t.thread_targets.is_empty());
        if !apart {
            return vec![Crew {
                first: 0,
                threads: span.thread_count,
                targets: span.targets.iter().map(|t| (t, t.weight)).collect(),
            }];
        }
        if span.thread_count > MOST_APART {
            let message = format!(
                "a pool of {} threads with ThreadTargets; the maximum is {MOST_APART}",
                span.thread_count
            );
            self.say(Diagnostic::error("too-many-threads", message), 'X');
            return Vec::new();
        }
        let mut crews = Vec::new();
        for thread in 0..span.thread_count {
            let targets: Vec<_> = span
                .targets
                .iter()
                .filter_map(|target| Some((target, weight(target, thread)?)))
                .collect();
            if !targets.is_empty() {
                crews.push(Crew {
                    first: thread,
                    threads: 1,
                    targets,
                });
            }
        }
        crews
    }
}

/// The depth over all of these targets, where one thread can keep each one's own in flight: a rate and
/// pauses are of a target by itself, and there is a most.
fn shared_out(targets: &[(&Target, u32)]) -> Option<u32> {
    let mut sum = 0_u32;
    for (target, _) in targets {
        let by_itself = target.throughput.is_some() || target.think_ms.unwrap_or(0) > 0;
        if by_itself && targets.len() > 1 {
            return None;
        }
        sum = sum.checked_add(target.request_count.max(1))?;
    }
    (sum <= MOST_IN_FLIGHT || targets.len() == 1).then_some(sum)
}

/// The weight of a target for a thread; `None` = it does not drive it.
fn weight(target: &Target, thread: u32) -> Option<u32> {
    if target.thread_targets.is_empty() {
        return Some(target.weight);
    }
    let own = target.thread_targets.iter().find(|t| t.thread == thread)?;
    Some(if own.weight == 0 {
        target.weight
    } else {
        own.weight
    })
}

/// Whether they differ in path, weight and threads at most.
fn alike(targets: &[(&Target, u32)]) -> bool {
    let Some((first, _)) = targets.first() else {
        return true;
    };
    targets.iter().all(|(target, _)| {
        **target
            == Target {
                path: target.path.clone(),
                weight: target.weight,
                thread_targets: target.thread_targets.clone(),
                ..(*first).clone()
            }
    })
}

/// Whether one workload can drive all of them: what is a thread's as a whole is the same for all. Its back end
/// is one: mapped memory and the queue of the others are two, and so are two ways to bring mapped writes down.
/// Mapped I/Os are done in turn, as many of each target, where they are not drawn.
fn carried(targets: &[(&Target, u32)], drawn: bool) -> bool {
    let Some((first, _)) = targets.first() else {
        return true;
    };
    let back_end = |t: &Target| {
        let flushed = t.memory_mapped && t.write_through;
        (t.memory_mapped, t.flush, flushed, t.io_priority)
    };
    let same = |t: &(&Target, u32)| {
        (!first.memory_mapped && !t.0.memory_mapped)
            || back_end(t.0) == back_end(first)
                && (drawn || t.0.request_count == first.request_count)
    };
    alike(targets) || targets.iter().all(same)
}
