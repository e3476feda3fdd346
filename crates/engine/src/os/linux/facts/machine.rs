//! The machine itself: name, processor, memory, kernel, limits of this process.

use super::{Facts, read};
use leadline_model::facts::{FactKey, FactValue};
use leadline_model::units::{Bytes, Nanos};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

/// Name, and whether the machine is a virtual one or a container.
pub(super) fn host(facts: &mut Facts) {
    let names = rustix::system::uname();
    facts.add(FactKey::HOST_NAME, "", names.nodename().to_string_lossy());
    facts.file(("host", "vendor"), "", "/sys/class/dmi/id/sys_vendor");
    facts.file(("host", "product"), "", "/sys/class/dmi/id/product_name");
    facts.file(("host", "hypervisor"), "", "/sys/hypervisor/type");
    let container = if Path::new("/run/.containerenv").exists() {
        "podman"
    } else if Path::new("/.dockerenv").exists() {
        "docker"
    } else if std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() {
        "kubernetes"
    } else {
        ""
    };
    facts.add(("host", "container"), "", container);
}

/// Model, counts, frequency policy, by the kernel's files below `root`; the count is this machine's.
pub(super) fn cpu(root: &Path, facts: &mut Facts) {
    let info = beginning(&root.join("proc/cpuinfo"));
    let field = |key: &str| {
        info.lines()
            .find(|l| l.starts_with(key))
            .and_then(|l| l.split_once(':'))
            .map(|(_, v)| v.trim().to_owned())
    };
    let model = field("model name").or_else(|| field("Processor"));
    facts.add(FactKey::CPU_MODEL, "", model.unwrap_or_default());
    facts.add(("cpu", "architecture"), "", std::env::consts::ARCH);
    if field("flags").is_some_and(|f| f.split(' ').any(|w| w == "hypervisor")) {
        facts.add(FactKey::VIRTUAL, "", "yes");
    }
    if let Ok(count) = std::thread::available_parallelism() {
        let count = u64::try_from(count.get()).unwrap_or(u64::MAX);
        facts.put(FactKey::CPU_COUNT, "", FactValue::Count(count));
    }
    let base = root.join("sys/devices/system/cpu");
    facts.file(FactKey::CPU_ONLINE, "", base.join("online"));
    let smt = match read(base.join("smt/active")).as_deref() {
        Some("1") => "on",
        Some("0") => "off",
        _ => "",
    };
    facts.add(("cpu", "hyper-threading"), "", smt);
    let policy = base.join("cpu0/cpufreq");
    facts.file(FactKey::GOVERNOR, "", policy.join("scaling_governor"));
    let driver = policy.join("scaling_driver");
    facts.file(("cpu", "frequency driver"), "", driver);
    let highest = read(policy.join("cpuinfo_max_freq"));
    if let Some(khz) = highest.and_then(|t| t.parse::<u64>().ok()) {
        facts.add(
            ("cpu", "highest frequency"),
            "",
            format!("{} MHz", khz / 1000),
        );
    }
    facts.file(
        ("cpu", "NUMA nodes online"),
        "",
        root.join("sys/devices/system/node/online"),
    );
    topology(&root.join("sys/devices"), facts);
}

/// Which processors share a socket, a node, a core: `0: 0-3; 1: 4-7`, cores without a number (`0,4; 1,5`).
/// One file for each of them, not for each processor.
pub(super) fn topology(devices: &Path, facts: &mut Facts) {
    let cpus = devices.join("system/cpu");
    let nodes = devices.join("system/node");
    let online = read(cpus.join("online")).map_or_else(Vec::new, |text| numbers(&text));
    // Files that list the processors of a whole, by their present and their former names.
    let wholes = |present: &str, former: &str| {
        let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
        for &cpu in &online {
            if seen.contains(&cpu) {
                continue;
            }
            let own = cpus.join(format!("cpu{cpu}/topology"));
            let Some(list) = read(own.join(present)).or_else(|| read(own.join(former))) else {
                continue;
            };
            seen.extend(numbers(&list));
            let number = read(own.join("physical_package_id")).unwrap_or_default();
            all.push((number, list));
        }
        all
    };
    let numbered = |all: Vec<(String, String)>| {
        let parts = all.iter().filter(|part| part.0.parse::<u32>().is_ok());
        let parts: Vec<String> = parts.map(|(n, list)| format!("{n}: {list}")).collect();
        parts.join("; ")
    };
    let sockets = wholes("package_cpus_list", "core_siblings_list");
    facts.add(FactKey::CPU_SOCKETS, "", numbered(sockets));
    let known = read(nodes.join("online")).map_or_else(Vec::new, |text| numbers(&text));
    let list = |node: u32| {
        Some((
            node.to_string(),
            read(nodes.join(format!("node{node}/cpulist")))?,
        ))
    };
    facts.add(
        FactKey::NUMA_NODES,
        "",
        numbered(known.into_iter().filter_map(list).collect()),
    );
    let cores = wholes("core_cpus_list", "thread_siblings_list");
    let cores: Vec<String> = cores.into_iter().map(|core| core.1).collect();
    facts.add(FactKey::CPU_CORES, "", cores.join("; "));
    // Processors with two kinds of core have a counter unit for each.
    if devices.join("cpu_atom").exists() {
        facts.file(FactKey::FAST_CORES, "", devices.join("cpu_core/cpus"));
    }
}

/// The numbers of a list as `0-3,8`.
fn numbers(text: &str) -> Vec<u32> {
    let of = |part: &str| -> Option<std::ops::RangeInclusive<u32>> {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.trim().parse().ok()?..=to.trim().parse().ok()?)
    };
    text.split(',').filter_map(of).flatten().collect()
}

/// The first 4 KiB: the first processor. The whole takes long where there are hundreds.
fn beginning(path: &Path) -> String {
    let mut buffer = vec![0u8; 4096];
    let n = std::fs::File::open(path)
        .and_then(|mut f| f.read(&mut buffer))
        .unwrap_or(0);
    String::from_utf8_lossy(&buffer[..n]).into_owned()
}

/// Sizes of memory, swap and huge pages, by the kernel's files below `root`.
pub(super) fn memory(root: &Path, facts: &mut Facts) {
    let info = read(root.join("proc/meminfo")).unwrap_or_default();
    let field = |key: &str| -> Option<u64> {
        let line = info.lines().find(|l| l.split(':').next() == Some(key))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    for (key, name) in [
        ("MemTotal", FactKey::MEMORY),
        ("MemAvailable", FactKey::new("memory", "available")),
        ("SwapTotal", FactKey::new("memory", "swap")),
    ] {
        if let Some(kib) = field(key) {
            facts.put(name, "", Bytes(kib.saturating_mul(1024)));
        }
    }
    if let (Some(n @ 1..), Some(kib)) = (field("HugePages_Total"), field("Hugepagesize")) {
        facts.put(("memory", "huge pages"), "", FactValue::Count(n));
        let size = Bytes(kib.saturating_mul(1024));
        facts.put(("memory", "huge page size"), "", size);
    }
    let thp = read(root.join("sys/kernel/mm/transparent_hugepage/enabled")).unwrap_or_default();
    facts.add(("memory", "transparent huge pages"), "", chosen(&thp));
}

/// The word in brackets of a line like `always [madvise] never`, or the line when there are none.
pub(super) fn chosen(text: &str) -> &str {
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(text, |(word, _)| word)
}

/// Release, clock source, and since when it has been running.
pub(super) fn kernel(facts: &mut Facts) {
    let names = rustix::system::uname();
    facts.add(
        FactKey::KERNEL_RELEASE,
        "",
        names.release().to_string_lossy(),
    );
    facts.add(("kernel", "version"), "", names.version().to_string_lossy());
    let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    facts.file(("kernel", "clock source"), "", clock);
    facts.file(FactKey::BOOT, "", "/proc/sys/kernel/random/boot_id");
    let up = read("/proc/uptime").unwrap_or_default();
    let seconds = up.split('.').next().and_then(|s| s.parse::<u64>().ok());
    if let Some(seconds) = seconds {
        facts.put(FactKey::UP, "", Nanos::from_secs(seconds));
    }
}

/// What this process may take.
pub(super) fn limits(facts: &mut Facts) {
    let none = || FactValue::from("none");
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let most = files.maximum.map_or_else(none, FactValue::Count);
    facts.put(("kernel", "open files limit"), "", most);
    let lock = crate::os::linux::limits::lockable_bytes();
    let lock = lock.map_or_else(none, |n| Bytes(n).into());
    facts.put(("kernel", "locked memory limit"), "", lock);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_word_is_found() {
        assert_eq!(chosen("always [madvise] never"), "madvise");
        assert_eq!(chosen("[none] mq-deadline"), "none");
        assert_eq!(chosen("none"), "none");
    }

    #[test]
    fn sockets_nodes_and_cores_are_those_of_the_kernel() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: String, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("system/cpu/online".into(), "0-5,7\n");
        put("system/node/online".into(), "0,2\n");
        put("system/node/node0/cpulist".into(), "0-3\n");
        put("system/node/node2/cpulist".into(), "4-7\n");
        for cpu in [0, 1, 2, 3, 4, 5, 7] {
            let at = |name: &str| format!("system/cpu/cpu{cpu}/topology/{name}");
            let second = cpu >= 4;
            put(
                at("physical_package_id"),
                if second { "1\n" } else { "0\n" },
            );
            put(
                at("package_cpus_list"),
                if second { "4-5,7\n" } else { "0-3\n" },
            );
            let pair = ["0,2", "1,3", "0,2", "1,3", "4-5", "4-5", "", "7"][cpu];
            // Kernels before 5.1 have this name.
            put(at("thread_siblings_list"), &format!("{pair}\n"));
        }
        let mut facts = Facts::default();
        topology(dir.path(), &mut facts);
        let of = |name: &str| {
            let fact = facts.0.iter().find(|f| f.name == name);
            fact.map_or_else(String::new, |f| f.value.to_string())
        };
        assert_eq!(of("sockets"), "0: 0-3; 1: 4-5,7");
        assert_eq!(of("NUMA nodes"), "0: 0-3; 2: 4-7");
        assert_eq!(of("cores"), "0,2; 1,3; 4-5; 7");
        assert_eq!(of("performance cores"), "");
        put("cpu_atom/cpus".into(), "4-7\n");
        put("cpu_core/cpus".into(), "0-3\n");
        topology(dir.path(), &mut facts);
        let fast = facts.0.iter().find(|f| f.name == "performance cores");
        assert_eq!(fast.unwrap().value.text(), Some("0-3"));
    }
}
