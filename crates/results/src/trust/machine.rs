//! Whether the machines themselves were fit, and alike.
//!
//! Belongs here: checks of facts about processors, heat and settings of hosts. Must never: report on
//! facts that are not there.

use super::whole::Whole;
use super::{Finding, Severity, is_real, percent};
use crate::run::Run;
use crate::summary::kernel::{self, HostIo};
use crate::summary::labels::is_remote;
use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::units::{Nanos, number_of};
use std::collections::BTreeMap;

/// Code `slowed-for-heat` (warn): processors of a host slowed down for heat while a stage ran, or an NVMe drive was at the
/// temperature that it warns of.
pub(super) fn slowed_for_heat(whole: &Whole<'_>) -> Option<Finding> {
    let (host, what) = whole.first(|host| {
        let count = |key: FactKey<'static>| {
            let mut of = kernel::of_key(whole.stage, host.host, key);
            of.find_map(|f| f.value.count())
        };
        if let Some(times @ 1..) = count(FactKey::THROTTLED) {
            let often = number_of(times, "time");
            return Some(format!("processors slowed down for heat {often}"));
        }
        kernel::of_key(whole.stage, host.host, FactKey::TEMPERATURE).find_map(|now| {
            let mut limits = kernel::of_key(whole.stage, host.host, FactKey::WARNS_AT);
            let limit = limits.find(|f| f.subject == now.subject)?.value.count()?;
            let degrees = now.value.count()?;
            (degrees >= limit).then(|| {
                format!(
                    "{} had {degrees} degrees C and warns of {limit}",
                    now.subject
                )
            })
        })
    })?;
    Some(whole.finding(
        "slowed-for-heat",
        Severity::Warn,
        format!(
            "In this stage {what}{}: part of the figures are those of a slower machine.",
            whole.on(host)
        ),
        "Improve the cooling, or pause between stages.",
    ))
}

/// Code `power-saving` (warn): one I/O in flight for each worker, of less than 1 ms on average, on processors whose
/// frequency is not governed for performance, or that may enter idle states from which waking takes over 50 us.
pub(super) fn power_saving(whole: &Whole<'_>) -> Option<Finding> {
    const DEEP: f64 = 50_000.0;
    let short = whole.summary.workloads.iter().zip(&whole.plan.workloads);
    let mut short = short.filter(|(figures, plan)| {
        let mean = figures.figures.data.service.mean();
        let workers = u64::from(figures.figures.workers.max(plan.clones));
        let single = figures.depth_asked <= workers;
        super::is_real(plan) && figures.figures.data.ios > 0 && mean < 1e6 && single
    });
    let (figures, _) = short.next()?;
    let mean = figures.figures.data.service.mean();
    let (_, what) = whole.first(|host| {
        let fact = |key: FactKey<'_>| {
            let mut facts = whole.run.facts.iter();
            facts.find(|f| f.host == host.host && f.key() == key)
        };
        let exit = fact(FactKey::IDLE_EXIT).and_then(|f| f.value.nanos());
        if let Some(exit) = exit.filter(|exit| *exit > DEEP) {
            return Some(format!(
                "processors{} may enter idle states between two I/Os, and waking from these takes {}, which is part of \
                 the latency",
                whole.on(host.host),
                Nanos(crate::words::whole(exit))
            ));
        }
        let governor = fact(FactKey::GOVERNOR)?.value.text()?;
        (governor != "performance").then(|| {
            format!(
                "the governor of processors{} is '{governor}', which may run them at a lower clock: that is part of the \
                 latency",
                whole.on(host.host)
            )
        })
    })?;
    Some(whole.finding(
        "power-saving",
        Severity::Warn,
        format!(
            "With one I/O in flight for each worker and {} on average, {what}.",
            Nanos(crate::words::whole(mean))
        ),
        "For the latency of the target alone, use the governor 'performance' and limit idle states \
         (/dev/cpu_dma_latency), or compare at a higher depth.",
    ))
}

/// Less of the processor time than this on other memory nodes is not said.
const FAR: f64 = 0.2;

/// Code `far-processors` (warn): the only device below the targets, or of targets on a network the interfaces that are up, are
/// at one memory node (NUMA), and more than 0.2 of the processors that the workers may use, or of the time that processors were busy where they may use all, were at others.
pub(super) fn far_processors(whole: &Whole<'_>) -> Option<Finding> {
    let far = |host: &HostIo| {
        let (name, near) = node_of_device(whole, host).or_else(|| node_of_network(whole, host))?;
        let nodes = whole.host_fact(host.host, FactKey::NUMA_NODES)?;
        let nodes = nodes_of(nodes.value.text()?);
        let known = nodes.len() > 1 && nodes.iter().any(|(node, _)| *node == near);
        let is_far = |cpu: u32| {
            let mut own = nodes.iter().filter(|(_, cpus)| cpus.contains(&cpu));
            own.next().is_some_and(|(node, _)| *node != near)
        };
        let share = share_of(&processors(whole, host.host), is_far);
        (known && share > FAR).then_some((name, near, share))
    };
    let (host, (device, near, share)) = whole.first(far)?;
    Some(whole.finding(
        "far-processors",
        Severity::Warn,
        format!(
            "{device}{} is at memory node {near}, and {} of the processors' work was done at others: each I/O \
             crossed from one to the other.",
            whole.on(host),
            percent(share)
        ),
        "Pin the workers to the processors of the device's node, or compare only with runs that had \
         the same placement.",
    ))
}

/// The only device below the targets of a host, and the memory node that it is at.
fn node_of_device(whole: &Whole<'_>, host: &HostIo) -> Option<(String, u32)> {
    let device = host.only_device()?;
    let near = whole.device_fact(host.host, &device.name, FactKey::DEVICE_NODE)?;
    Some((device.name.clone(), near.value.text()?.trim().parse().ok()?))
}

/// Of targets that are all on a network: the first interface of the host that is up (a link has a speed), and the memory node
/// of all that are.
fn node_of_network(whole: &Whole<'_>, host: &HostIo) -> Option<(String, u32)> {
    let mut real = whole.plan.workloads.iter().filter(|w| is_real(w));
    let is_on_network = real.all(|w| is_remote(w, &whole.run.facts));
    let facts = || whole.run.facts.iter().filter(|f| f.host == host.host);
    let up = facts().filter(|f| f.key() == FactKey::LINK_SPEED);
    let node = |name: &str| {
        let mut facts = facts().filter(|f| f.key() == FactKey::NETWORK_NODE);
        let fact = facts.find(|f| f.subject == name)?;
        fact.value.text()?.trim().parse().ok()
    };
    let nodes = up.map(|f| Some((&f.subject, node(&f.subject)?)));
    let nodes: Vec<(&String, u32)> = nodes.collect::<Option<_>>()?;
    let (name, near) = nodes.first().filter(|_| is_on_network)?;
    let is_one = nodes.iter().all(|(_, node)| node == near);
    is_one.then(|| ((*name).clone(), *near))
}

/// Numbers of processors that work for a stage on a host, with their weights.
fn processors(whole: &Whole<'_>, host: u32) -> Vec<(u32, f64)> {
    let pinned = whole.plan.workloads.iter().map(|w| &w.placement.cpus);
    let pinned: Vec<u32> = pinned.flatten().copied().collect();
    if !pinned.is_empty() {
        return pinned.into_iter().map(|cpu| (cpu, 1.0)).collect();
    }
    let busy = whole.stage.cpus.iter().filter(|cpu| cpu.host == host);
    busy.map(|cpu| (cpu.cpu, (cpu.user.0 + cpu.kernel.0) as f64))
        .collect()
}

/// The weight of those that are `chosen`, as a share of all; 0 of none.
fn share_of(all: &[(u32, f64)], chosen: impl Fn(u32) -> bool) -> f64 {
    let sum: f64 = all.iter().map(|one| one.1).sum();
    let own = all.iter().filter(|one| chosen(one.0));
    own.map(|one| one.1).sum::<f64>() / sum.max(1e-9)
}

/// The memory nodes and their processors in `0: 0-3,8; 1: 4-7`.
fn nodes_of(text: &str) -> Vec<(u32, Vec<u32>)> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.trim().parse::<u32>().ok()?..=to.trim().parse().ok()?)
    };
    let node = |part: &str| {
        let (node, cpus) = part.split_once(':')?;
        let cpus = cpus.split(',').filter_map(range).flatten().collect();
        Some((node.trim().parse().ok()?, cpus))
    };
    text.split(';').filter_map(node).collect()
}

/// What hosts that are to be compared should have in common: facts, and how they are called.
const ALIKE: [(FactKey<'static>, &str); 5] = [
    (FactKey::CPU_MODEL, "processor"),
    (FactKey::CPU_COUNT, "number of processors"),
    (FactKey::KERNEL_RELEASE, "kernel"),
    (FactKey::MOUNT_OPTIONS, "mount options"),
    (FactKey::FILE_SYSTEM_OPTIONS, "file system options"),
];

/// Options of a mount that differ between hosts of the same kind.
const OF_A_HOST: [&str; 4] = ["addr=", "clientaddr=", "mountaddr=", "fsid="];

/// Code `clients-unlike` (warn): hosts of a run differ in processor, kernel, settings of the kernel, mount options or
/// network interfaces.
pub(super) fn clients_unlike(run: &Run) -> Option<Finding> {
    let hosts = run.plan.as_ref()?.hosts.len();
    if hosts < 2 {
        return None;
    }
    let mut found: Vec<String> = Vec::new();
    for (key, what) in ALIKE {
        found.extend(differ(run, what, |f| f.key() == key));
    }
    let mut settings: Vec<&str> = run
        .facts
        .iter()
        .filter(|f| is_setting(f))
        .map(|f| f.name.as_str())
        .collect();
    settings.sort_unstable();
    settings.dedup();
    for name in settings {
        found.extend(differ(run, name, |f| is_setting(f) && f.name == name));
    }
    for name in ["driver", "speed", "MTU"] {
        let key = FactKey::new("network", name);
        found.extend(differ(run, &format!("network interface's {name}"), |f| {
            f.key() == key
        }));
    }
    if found.is_empty() {
        return None;
    }
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    Some(Finding {
        code: "clients-unlike".to_owned(),
        severity: Severity::Warn,
        stage: None,
        workload: None,
        text: format!("The hosts are not alike: {}{more}.", found.join("; ")),
        cure: "Look at each host's figures separately, or use hosts that are alike: totals and \
               balance mix their differences with the target's."
            .into(),
    })
}

/// Most differences that are named.
const MOST: usize = 6;

/// A setting of the kernel, not a limit or a version.
fn is_setting(fact: &Fact) -> bool {
    fact.section == "kernel"
        && ["vm.", "net.", "sunrpc.", "nfs.", "fs."]
            .iter()
            .any(|start| fact.name.starts_with(start))
}

/// `kernel: 6.1 on a, b; 5.15 on c` where not all hosts that say something of it say the same.
fn differ(run: &Run, what: &str, of: impl Fn(&Fact) -> bool) -> Option<String> {
    let mut by_host: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for fact in run.facts.iter().filter(|f| of(f)) {
        by_host
            .entry(fact.host)
            .or_default()
            .push(comparable(&fact.value));
    }
    let mut by_value: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (host, mut values) in by_host {
        values.sort();
        let label = run.host_label(host);
        by_value.entry(values.join(" | ")).or_default().push(label);
    }
    if by_value.len() < 2 {
        return None;
    }
    // The rarest last: it is the one to look for.
    let mut all: Vec<_> = by_value.into_iter().collect();
    all.sort_by_key(|(_, hosts)| std::cmp::Reverse(hosts.len()));
    let one = |(value, hosts): &(String, Vec<&str>)| match hosts.as_slice() {
        [a] => format!("{value} on {a}"),
        [a, b] => format!("{value} on {a} and {b}"),
        [a, rest @ ..] => format!("{value} on {a} and {} more", rest.len()),
        [] => String::new(),
    };
    let all: Vec<String> = all.iter().take(3).map(one).collect();
    Some(format!("{what} {}", all.join(", ")))
}

/// A value without what is each host's own.
fn comparable(value: &FactValue) -> String {
    let text = value.to_string();
    let own = |option: &&str| !OF_A_HOST.iter().any(|own| option.starts_with(own));
    let mut words: Vec<&str> = text.split(',').filter(own).collect();
    words.sort_unstable();
    if text.contains('=') {
        words.join(",")
    } else {
        text
    }
}
