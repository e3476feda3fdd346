//! Where a worker's thread runs: CPUs, priority. What cannot be had is a note, not an end: the figures
//! are right, only elsewhere than asked.

use crate::os::{priority, thread};
use crate::program::Program;
use crate::worker::Processor;
use leadline_model::plan::Placement;
use std::collections::BTreeMap;

/// Whose processor each worker runs on.
pub(super) fn processors(programs: &[Program]) -> Vec<Processor> {
    // Not to be known: as if there were one.
    let all = thread::cpus().unwrap_or_else(|| vec![0]);
    let wanted: Vec<Vec<u32>> = programs
        .iter()
        .map(|program| cpus_of(&program.workload.placement, program.worker, &all))
        .collect();
    let crowded = crowds(&wanted);
    let pinned = programs
        .iter()
        .map(|program| !program.workload.placement.cpus.is_empty());
    let both = pinned.zip(crowded);
    both.map(|(pinned, crowded)| whose(pinned, crowded))
        .collect()
}

/// Whose the processor is: only who was pinned to it, and alone, may take it for its own.
const fn whose(pinned: bool, crowded: bool) -> Processor {
    match (pinned, crowded) {
        (_, true) => Processor::Shared,
        (true, false) => Processor::Own,
        (false, false) => Processor::Enough,
    }
}

/// The CPUs that a worker may run on.
fn cpus_of(placement: &Placement, worker: u32, all: &[u32]) -> Vec<u32> {
    let cpus = &placement.cpus;
    if cpus.is_empty() {
        all.to_vec()
    } else if placement.split_cpus {
        vec![cpus[worker as usize % cpus.len()]]
    } else {
        cpus.clone()
    }
}

/// Which of the workers that want these CPUs have to share.
fn crowds(wanted: &[Vec<u32>]) -> Vec<bool> {
    let mut alike: BTreeMap<&[u32], usize> = BTreeMap::new();
    for cpus in wanted {
        *alike.entry(cpus).or_default() += 1;
    }
    let share = |cpus: &[u32]| {
        let meets = |other: &[u32]| other.iter().any(|cpu| cpus.contains(cpu));
        let workers: usize = alike.iter().filter(|(o, _)| meets(o)).map(|(_, n)| n).sum();
        workers > cpus.len()
    };
    let answers: BTreeMap<&[u32], bool> = alike.keys().map(|&c| (c, share(c))).collect();
    wanted.iter().map(|cpus| answers[cpus.as_slice()]).collect()
}

/// Puts the calling thread, number `worker` of its workload, where the plan wants it. Returns what could
/// not be done.
pub(super) fn apply(placement: &Placement, worker: u32) -> Vec<String> {
    let mut notes = Vec::new();
    if !placement.cpus.is_empty()
        && let Err(error) = thread::pin(cpus_of(placement, worker, &[]))
    {
        notes.push(format!(
            "worker {worker} is not pinned to {:?}: {error}",
            placement.cpus
        ));
    }
    notes.extend(priority::set(placement));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_crowded_where_there_are_fewer_processors_than_they() {
        let both = vec![0, 1];
        assert_eq!(crowds(&[both.clone(), both.clone()]), [false, false]);
        assert_eq!(
            crowds(&[both.clone(), both.clone(), both.clone()]),
            [true; 3]
        );
        // Two on a CPU of their own, and one that may run on either.
        assert_eq!(crowds(&[vec![0], vec![1]]), [false, false]);
        assert_eq!(crowds(&[vec![0], vec![1], both]), [true, true, true]);
        assert_eq!(crowds(&[vec![0], vec![0], vec![1]]), [true, true, false]);
    }

    #[test]
    fn a_processor_is_a_workers_own_where_it_alone_is_pinned_to_it() {
        assert_eq!(whose(true, false), Processor::Own);
        assert_eq!(whose(false, false), Processor::Enough);
        assert_eq!(whose(true, true), Processor::Shared);
        assert_eq!(whose(false, true), Processor::Shared);
    }

    #[test]
    fn split_cpus_wrap_around() {
        let placement = Placement {
            cpus: vec![2, 5],
            split_cpus: true,
            ..Placement::default()
        };
        let of = |worker| cpus_of(&placement, worker, &[0]);
        assert_eq!((of(0), of(1), of(2)), (vec![2], vec![5], vec![2]));
    }
}
