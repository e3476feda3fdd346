//! Who does how much at once: the threads of each storage shared out over workloads and hosts.
//!
//! Belongs here: depths. Must never appear here: regions, rates.

use super::Scene;
use super::pace;
use crate::number::{small, whole};
use crate::run::Run;
use leadline_dialect::diagnostic::Diagnostic;
use std::collections::BTreeMap;

/// One workload on one storage (or on all of its storage, concatenated) on one host.
pub(crate) struct Generator {
    /// In the run.
    pub(crate) workload: usize,
    /// One, or several that are concatenated.
    pub(crate) storage: Vec<usize>,
    pub(crate) host: usize,
    /// I/Os in flight, at least 1.
    pub(crate) depth: u32,
    /// The queue of the storage on the host, when several workloads of the run are fed by it.
    pub(crate) queue: Option<Queue>,
    /// I/Os in flight on the storage, all hosts and workloads together, as asked for.
    pub(crate) threads: u64,
}

/// What several workloads on one storage have between them on a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Queue {
    /// Each has its own.
    pub(crate) number: u32,
    /// Threads of the storage.
    pub(crate) threads: u32,
    /// There are more threads than workloads: some can be sharing.
    pub(crate) lends: bool,
}

/// The generators of a run in the order of workload, storage, host.
pub(crate) fn generators(
    scene: &Scene<'_>,
    run: &Run,
    says: &mut Vec<Diagnostic>,
) -> Vec<Generator> {
    let mut out = Vec::new();
    for (at, workload) in run.workloads.iter().enumerate() {
        let Some(storage) = &workload.storage else {
            continue;
        };
        let sets: Vec<Vec<usize>> = if scene.concatenated {
            vec![storage.clone()]
        } else {
            storage.iter().map(|s| vec![*s]).collect()
        };
        for set in sets {
            let mut hosts = owners(scene, &set, workload.hosts.as_deref());
            if hosts.is_empty() {
                let message = format!(
                    "workload `{}` has no host with access to `{}`",
                    workload.name,
                    set.iter()
                        .map(|s| scene.storage[*s].name.as_str())
                        .collect::<Vec<_>>()
                        .join(", ")
                );
                says.push(Diagnostic::error("no-host", message).at(workload.at, ""));
            }
            if workload.seek.is_sequential() && hosts.len() > 1 {
                hosts.truncate(1);
                says.push(one_host(scene, run, at, hosts[0]));
            }
            if scene.errors.remove && hosts.len() > 1 {
                hosts.truncate(1);
                says.push(one_remover(scene, &set, hosts[0]));
            }
            let (threads, own) = threads(scene, run, at, &set, says);
            for (host, depth) in round_robin(own, &hosts) {
                out.push(Generator {
                    workload: at,
                    storage: set.clone(),
                    host,
                    depth: small_depth(depth),
                    queue: None,
                    threads,
                });
            }
        }
    }
    if !scene.concatenated {
        find_queues(&mut out, run.goes_by_priority());
    }
    out
}

/// Which generators are fed by the queue of one storage on one host. `whole`: each has all of its threads.
fn find_queues(all: &mut [Generator], whole: bool) {
    let mut queues: BTreeMap<(usize, usize), (u32, u32)> = BTreeMap::new();
    for one in all.iter() {
        let sums = queues.entry((one.storage[0], one.host)).or_default();
        let threads = if whole {
            sums.1.max(one.depth)
        } else {
            sums.1.saturating_add(one.depth)
        };
        *sums = (sums.0 + 1, threads);
    }
    let numbers: BTreeMap<(usize, usize), u32> = queues.keys().copied().zip(0..).collect();
    for one in all {
        let key = (one.storage[0], one.host);
        let (users, threads) = queues[&key];
        one.queue = (users > 1).then_some(Queue {
            number: numbers[&key],
            threads,
            lends: threads > users,
        });
    }
}

fn small_depth(depth: u64) -> u32 {
    u32::try_from(depth).unwrap_or(u32::MAX)
}

fn one_host(scene: &Scene<'_>, run: &Run, at: usize, host: usize) -> Diagnostic {
    let workload = &run.workloads[at];
    let message = format!(
        "`{}` is fully sequential: only `{}` runs it, as in Vdbench",
        workload.name, scene.hosts[host].label
    );
    Diagnostic::note("sequential-on-one-host", message).at(workload.at, "")
}

fn one_remover(scene: &Scene<'_>, set: &[usize], host: usize) -> Diagnostic {
    let storage = &scene.storage[set[0]];
    let message = format!(
        "`{}` can be removed after an error: only `{}` uses it, as in Vdbench",
        storage.name, scene.hosts[host].label
    );
    Diagnostic::note("removable-on-one-host", message).at(storage.at, "")
}

/// Hosts that reach all of the storage and may run the workload.
fn owners(scene: &Scene<'_>, set: &[usize], allowed: Option<&[usize]>) -> Vec<usize> {
    let reaches = |host: &usize| {
        set.iter()
            .all(|s| scene.storage[*s].luns.iter().any(|(h, _)| h == host))
    };
    let may = |host: &usize| allowed.is_none_or(|a| a.contains(host));
    (0..scene.hosts.len())
        .filter(|h| reaches(h) && may(h))
        .collect()
}

/// Threads of the storage, and those of them that are this workload's.
fn threads(
    scene: &Scene<'_>,
    run: &Run,
    at: usize,
    set: &[usize],
    says: &mut Vec<Diagnostic>,
) -> (u64, u64) {
    let workload = &run.workloads[at];
    if scene.concatenated {
        let own = run.threads.unwrap_or(workload.threads);
        return (own, own);
    }
    let all = run
        .threads
        .unwrap_or_else(|| set.iter().map(|s| scene.storage[*s].threads).sum());
    let users: Vec<usize> = (0..run.workloads.len())
        .filter(|i| {
            run.workloads[*i]
                .storage
                .as_ref()
                .is_some_and(|s| s.contains(&set[0]))
        })
        .collect();
    if users.len() <= 1 || run.goes_by_priority() {
        return (all, all);
    }
    let shares = pace::shares(run);
    let weights: Vec<f64> = users.iter().map(|i| shares[*i].max(1e-9)).collect();
    let parts = apportion(all, &weights);
    if users.first() == Some(&at) {
        let storage = &scene.storage[set[0]];
        let message = divided(&storage.name, all, &parts);
        says.push(Diagnostic::note("threads-shared-out", message).at(storage.at, ""));
    }
    let own = users.iter().position(|i| *i == at).map_or(1, |i| parts[i]);
    (all, own)
}

/// How the threads of a storage are divided among its workloads, in words.
fn divided(storage: &str, all: u64, parts: &[u64]) -> String {
    let (users, sum) = (parts.len(), parts.iter().sum::<u64>());
    let sharing = match sum > users as u64 {
        true => "; a workload with idle threads lets the others use them",
        false => "",
    };
    if sum > all {
        let s = if all == 1 { "" } else { "s" };
        return format!(
            "`{storage}` has {all} thread{s} for {users} workloads: each gets at least one, which is {sum} in \
             all{sharing}"
        );
    }
    format!(
        "the {all} threads of `{storage}` are divided among {users} workloads before the run, by their shares{sharing}"
    )
}

/// Whole parts of `all` by weight, at least 1 each, the largest remainders rounded up.
fn apportion(all: u64, weights: &[f64]) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    let exact: Vec<f64> = weights.iter().map(|w| all as f64 * w / sum).collect();
    let mut parts: Vec<u64> = exact.iter().map(|e| whole(*e).max(1)).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    for i in order {
        if parts.iter().sum::<u64>() < all {
            parts[i] += 1;
        }
    }
    parts
}

/// One thread after the other given to the hosts in turn; hosts that get none are left out.
fn round_robin(threads: u64, hosts: &[usize]) -> Vec<(usize, u64)> {
    let count = u64::from(small(hosts.len() as f64)).max(1);
    let share = |i: usize| threads / count + u64::from((i as u64) < threads % count);
    hosts
        .iter()
        .enumerate()
        .map(|(i, host)| (*host, share(i)))
        .filter(|(_, share)| *share > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_dealt_to_hosts_in_turn() {
        assert_eq!(round_robin(5, &[3, 7]), [(3, 3), (7, 2)]);
        assert_eq!(round_robin(1, &[3, 7]), [(3, 1)]);
        assert_eq!(round_robin(8, &[2]), [(2, 8)]);
        assert!(round_robin(8, &[]).is_empty());
    }

    #[test]
    fn fewer_threads_than_workloads_are_said_to_become_more() {
        assert_eq!(
            divided("sd1", 1, &apportion(1, &[1.0, 1.0])),
            "`sd1` has 1 thread for 2 workloads: each gets at least one, which is 2 in all"
        );
        assert_eq!(
            divided("sd1", 3, &apportion(3, &[98.0, 1.0, 1.0])),
            "`sd1` has 3 threads for 3 workloads: each gets at least one, which is 4 in all; a workload with idle \
             threads lets the others use them"
        );
        assert_eq!(
            divided("sd1", 2, &apportion(2, &[1.0, 1.0])),
            "the 2 threads of `sd1` are divided among 2 workloads before the run, by their shares"
        );
    }

    #[test]
    fn parts_sum_to_the_whole_and_none_is_empty() {
        assert_eq!(apportion(8, &[60.0, 20.0, 20.0]), [5, 2, 1]);
        assert_eq!(apportion(2, &[1.0, 1.0]), [1, 1]);
        assert_eq!(apportion(1, &[1.0, 1.0]), [1, 1], "more than there are");
        assert_eq!(apportion(10, &[1.0, 1.0, 1.0]), [4, 3, 3]);
    }
}
