//! Shares of the processors of hosts, by the page of each.
//!
//! Belongs here: what a share is of. Must never: give a share above 100 %, or one of nothing.

use super::layout::Layout;
use super::row::Cpu;
use leadline_model::event::{CpuInterval, CpuTime};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

/// Where processor time went: in user mode, in the kernel, waiting for I/O, idle, taken by a hypervisor.
type Parts = [Nanos; 5];

/// Times of the processors of each host, by the place of its page.
#[derive(Clone, Debug, Default)]
pub(super) struct CpuTimes(BTreeMap<usize, [f64; 5]>);

impl CpuTimes {
    /// Adds what the processors did in an interval.
    pub(super) fn interval(&mut self, layout: &Layout, own: &CpuInterval) {
        let parts = [own.user, own.kernel, own.wait, own.idle, own.steal];
        self.add(layout, own.host, parts);
    }

    /// Adds what a processor did.
    pub(super) fn processor(&mut self, layout: &Layout, own: &CpuTime) {
        let parts = [own.user, own.kernel, own.wait, own.idle, own.steal];
        self.add(layout, own.host, parts);
    }

    fn add(&mut self, layout: &Layout, host: u32, parts: Parts) {
        if let Some(page) = layout.page_of(host) {
            let sums = self.0.entry(page).or_default();
            let all = sums.iter_mut().zip(parts);
            all.for_each(|(sum, part)| *sum += part.0 as f64);
        }
    }

    /// Shares of all of that time.
    pub(super) fn shares(&self) -> Shares {
        let of = |(&page, parts): (&usize, &[f64; 5])| {
            let all: f64 = parts.iter().sum();
            let [user, system, wait, idle, _] = parts.map(|p| p * 100.0 / all);
            let rest = Some((wait, idle));
            (all > 0.0).then_some((page, Cpu { user, system, rest }))
        };
        Shares(self.0.iter().filter_map(of).collect())
    }
}

/// What is known of hosts' processors, by the place of a host's page.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares(BTreeMap<usize, Cpu>);

impl Shares {
    /// Those of a host.
    pub(super) fn of(&self, page: usize) -> Option<Cpu> {
        self.0.get(&page).copied()
    }

    /// Adds what the workers of a host took: all there is, where the kernel does not report them.
    pub(super) fn workers(&mut self, page: usize, user: f64, system: f64) {
        let cpu = self.0.entry(page).or_default();
        // Times that end a moment apart: never more than there is.
        cpu.user = (cpu.user + user).min(100.0);
        cpu.system = (cpu.system + system).min(100.0 - cpu.user);
    }

    /// In place of what was known, where there is something better.
    pub(super) fn replace(&mut self, better: Self) {
        self.0.extend(better.0);
    }

    /// The mean over the hosts of which it is known.
    pub(super) fn mean(&self) -> Option<Cpu> {
        let count = self.0.len() as f64;
        let sum = |of: fn(&Cpu) -> f64| self.0.values().map(of).sum::<f64>() / count;
        let known = self.0.values().all(|c| c.rest.is_some());
        let rest = known.then(|| {
            (
                sum(|c| c.rest.unwrap_or_default().0),
                sum(|c| c.rest.unwrap_or_default().1),
            )
        });
        (count > 0.0).then(|| Cpu {
            user: sum(|c| c.user),
            system: sum(|c| c.system),
            rest,
        })
    }
}
