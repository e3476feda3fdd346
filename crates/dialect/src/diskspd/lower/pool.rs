//! `-F` with `-O`: threads that keep so many I/Os in flight over all their targets.
//!
//! Belongs here: which thread drives which targets, with which weights. Must never appear here: the rest
//! of a workload.

use super::{Lowering, Part, load, workload_given};
use crate::diagnostic::Diagnostic;
use crate::diskspd::profile::{Target, TimeSpan};
use leadline_model::plan::{FileChoice, Target as Place, Workload};

/// Most threads of a pool whose threads have targets of their own.
const MOST_APART: u32 = 4096;

/// Threads that drive the same targets with the same weights.
struct Crew<'a> {
    first: u32,
    threads: u32,
    /// Targets with their weights for these threads.
    targets: Vec<(&'a Target, u32)>,
}

impl Lowering<'_> {
    /// The workloads of a pool: one for each crew where its targets are alike, else one for each of them.
    pub(super) fn pool(&mut self, part: &Part<'_>) -> Vec<Workload> {
        let crews = self.crews(part.span);
        let alike = crews.iter().all(|crew| alike(&crew.targets));
        if !alike {
            self.warn(
                "pool-shared-out",
                "the targets of the thread pool are not alike: each thread's outstanding I/Os are shared \
                 out to its targets by their weights, and stay there",
                "give all targets of a pool the same parameters",
                'X',
            );
        }
        let mut workloads = Vec::new();
        for crew in &crews {
            if alike {
                workloads.push(self.together(part, crew));
            } else {
                let all: u64 = crew.targets.iter().map(|t| u64::from(t.1)).sum();
                for (target, weight) in &crew.targets {
                    let share = u64::from(part.span.request_count) * u64::from(*weight);
                    let depth = u32::try_from(share / all.max(1)).unwrap_or(u32::MAX);
                    let one = [(*target, *weight)];
                    workloads.push(self.crew(part, crew, &one, depth.max(1)));
                }
            }
        }
        workloads
    }

    /// One workload of a crew over all its targets.
    fn together(&mut self, part: &Part<'_>, crew: &Crew<'_>) -> Workload {
        let depth = part.span.request_count.max(1);
        let mut workload = self.crew(part, crew, &crew.targets, depth);
        workload.name = "thread pool".to_owned();
        workload.access.file_choice = FileChoice::Random { ios: 1 };
        let weights: Vec<u32> = crew.targets.iter().map(|t| t.1).collect();
        if weights.windows(2).any(|pair| pair[0] != pair[1]) {
            workload.access.file_weights = weights;
        }
        workload
    }

    fn crew(
        &mut self,
        part: &Part<'_>,
        crew: &Crew<'_>,
        targets: &[(&Target, u32)],
        depth: u32,
    ) -> Workload {
        let targets: Vec<Target> = targets.iter().map(|t| t.0.clone()).collect();
        let first = targets.first().cloned().unwrap_or_else(|| Target::new(""));
        let mut workload = self.workload(part, &first, crew.first);
        workload.clones = crew.threads;
        workload.placement = self.placement(part.span, crew.threads, &first, crew.first);
        workload.target = Place::Paths(targets.iter().map(|t| t.path.clone()).collect());
        if !first.memory_mapped {
            workload.depth = depth;
        }
        workload.engine = load::engine(part.span, &first, workload.depth);
        workload.given = workload_given(&workload, &targets, crew.first);
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
                "a pool of {} threads with ThreadTargets: {MOST_APART} at most",
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

/// Whether one workload can drive all of them: they differ in path, weight and threads at most.
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
