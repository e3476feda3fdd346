//! The processors of the host as DISKSPD sees them: groups of 64, nodes, sockets, cores.
//!
//! Belongs here: which processor belongs to what, by the facts of the run. Must never: guess more than that
//! a processor of which nothing is known is a core by itself, on the first socket and node.

use super::{fact, said};
use leadline_model::facts::{FactKey, FactValue};
use leadline_results::run::Run;
use std::collections::BTreeMap;

/// Processors of a group.
const GROUP: u32 = 64;

/// A processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cpu {
    /// As the kernel numbers it.
    pub(super) number: u32,
    pub(super) socket: u32,
    pub(super) node: u32,
    /// Within its group, from 0.
    pub(super) core: u32,
    /// 0, or 1 for the faster ones where there are two kinds.
    pub(super) class: u32,
}

impl Cpu {
    pub(super) const fn group(&self) -> u32 {
        self.number / GROUP
    }

    /// Its number within its group.
    pub(super) const fn in_group(&self) -> u32 {
        self.number % GROUP
    }
}

/// All processors that are online.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Topology {
    pub(super) cpus: Vec<Cpu>,
}

impl Topology {
    pub(super) fn of(run: &Run) -> Self {
        let mut numbers = said(run, FactKey::CPU_ONLINE).map_or_else(Vec::new, list);
        if numbers.is_empty() {
            // What was measured, or counted, gives their number.
            let measured = run.stages.iter().map(|s| s.cpus.len()).max().unwrap_or(0);
            let count = fact(run, FactKey::CPU_COUNT)
                .and_then(FactValue::count)
                .and_then(|n| n.try_into().ok());
            let count = count.unwrap_or(u32::try_from(measured).unwrap_or(0));
            numbers = (0..count).collect();
        }
        let sockets = said(run, FactKey::CPU_SOCKETS).map_or_else(BTreeMap::new, owners);
        let nodes = said(run, FactKey::NUMA_NODES).map_or_else(BTreeMap::new, owners);
        let fast = said(run, FactKey::FAST_CORES).map_or_else(Vec::new, list);
        let siblings: Vec<Vec<u32>> = said(run, FactKey::CPU_CORES)
            .map_or_else(Vec::new, |text| text.split(';').map(list).collect());
        let first_of = |cpu: u32| {
            let own = siblings.iter().find(|core| core.contains(&cpu));
            own.and_then(|core| core.iter().min().copied())
                .unwrap_or(cpu)
        };
        let mut cores: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut cpus = Vec::with_capacity(numbers.len());
        for number in numbers {
            let known = cores.entry(number / GROUP).or_default();
            let first = first_of(number);
            let core = known.iter().position(|c| *c == first).unwrap_or_else(|| {
                known.push(first);
                known.len() - 1
            });
            cpus.push(Cpu {
                number,
                socket: sockets.get(&number).copied().unwrap_or(0),
                node: nodes.get(&number).copied().unwrap_or(0),
                core: u32::try_from(core).unwrap_or(u32::MAX),
                class: u32::from(fast.contains(&number)),
            });
        }
        Self { cpus }
    }

    /// The processor of this number; one of which nothing is known is a core by itself.
    pub(super) fn cpu(&self, number: u32) -> Cpu {
        let known = self.cpus.iter().find(|c| c.number == number);
        known.copied().unwrap_or(Cpu {
            number,
            socket: 0,
            node: 0,
            core: number % GROUP,
            class: 0,
        })
    }

    /// The numbers that `of` gives, each once, in order; one at least.
    pub(super) fn each(&self, of: impl Fn(&Cpu) -> u32) -> Vec<u32> {
        let mut all: Vec<u32> = self.cpus.iter().map(of).collect();
        all.sort_unstable();
        all.dedup();
        if all.is_empty() { vec![0] } else { all }
    }

    /// Cores, as (group, number).
    pub(super) fn cores(&self) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = self.cpus.iter().map(|c| (c.group(), c.core)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether cores have several processors.
    pub(super) fn is_threaded(&self) -> bool {
        self.cores().len() < self.cpus.len()
    }

    /// Whether there are two kinds of core.
    pub(super) fn is_mixed(&self) -> bool {
        self.each(|c| c.class).len() > 1
    }

    /// The processors that `which` takes, as a mask for each group that has any.
    pub(super) fn masks(&self, which: impl Fn(&Cpu) -> bool) -> Vec<(u32, u64)> {
        let mut masks: BTreeMap<u32, u64> = BTreeMap::new();
        for cpu in self.cpus.iter().filter(|c| which(c)) {
            *masks.entry(cpu.group()).or_default() |= 1 << cpu.in_group();
        }
        masks.into_iter().collect()
    }
}

/// The numbers of a list as `0-3,8`.
fn list(text: &str) -> Vec<u32> {
    let of = |part: &str| -> Option<std::ops::RangeInclusive<u32>> {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        // The kernel knows 8192 at most.
        (to < 65_536).then_some(from..=to)
    };
    text.split(',').filter_map(of).flatten().collect()
}

/// What each processor belongs to, by a text as `0: 0-3; 1: 4-7`.
fn owners(text: &str) -> BTreeMap<u32, u32> {
    let mut all = BTreeMap::new();
    for part in text.split(';') {
        let Some((owner, cpus)) = part.split_once(':') else {
            continue;
        };
        if let Ok(owner) = owner.trim().parse() {
            all.extend(list(cpus).into_iter().map(|cpu| (cpu, owner)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::event::Event;
    use leadline_model::facts::Fact;

    fn of(facts: &[(&str, &str)]) -> Topology {
        let mut run = Run::default();
        let facts = facts
            .iter()
            .map(|(name, value)| Fact::new(("cpu", *name), "", *value));
        run.apply(&Event::Facts(facts.collect()));
        Topology::of(&run)
    }

    #[test]
    fn processors_belong_to_sockets_nodes_cores_and_groups_of_64() {
        let two = of(&[
            ("online", "0-7"),
            ("sockets", "0: 0-1,4-5; 1: 2-3,6-7"),
            ("NUMA nodes", "0: 0-1,4-5; 1: 2-3,6-7"),
            ("cores", "0,4; 1,5; 2,6; 3,7"),
        ]);
        assert_eq!(two.cores().len(), 4);
        assert!(two.is_threaded() && !two.is_mixed());
        assert_eq!(two.each(|c| c.socket), [0, 1]);
        assert_eq!(two.masks(|c| c.socket == 1), [(0, 0xcc)]);
        assert_eq!(two.masks(|c| c.core == 3), [(0, 0x88)]);
        assert_eq!((two.cpu(6).core, two.cpu(6).node), (2, 1));
        let large = of(&[("online", "0-69"), ("performance cores", "0-3")]);
        assert_eq!(large.each(Cpu::group), [0, 1]);
        assert_eq!(large.masks(|_| true), [(0, u64::MAX), (1, 0x3f)]);
        assert_eq!((large.cpu(65).in_group(), large.cpu(65).core), (1, 1));
        assert!(large.is_mixed() && !large.is_threaded());
    }

    #[test]
    fn of_what_is_not_known_nothing_is_guessed() {
        let mut counted = Run::default();
        let count = Fact::new(FactKey::CPU_COUNT, "", FactValue::Count(2));
        counted.apply(&Event::Facts(vec![count]));
        let plain = Topology::of(&counted);
        assert_eq!(plain.masks(|_| true), [(0, 3)]);
        assert_eq!((plain.cores().len(), plain.each(|c| c.node).len()), (2, 1));
        assert_eq!(of(&[("online", "nonsense-9,99999999")]).cpus, []);
        assert_eq!(Topology::default().each(|c| c.socket), [0]);
    }
}
