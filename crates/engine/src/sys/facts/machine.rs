//! The machine itself: name, processor, memory, kernel, limits of this process.

use super::{Facts, read};
use leadline_model::units::Bytes;
use std::io::Read;
use std::path::Path;

/// Name, and whether the machine is a virtual one or a container.
pub(super) fn host(facts: &mut Facts) {
    let names = rustix::system::uname();
    facts.add("host", "", "name", names.nodename().to_string_lossy());
    facts.file("host", "", "vendor", "/sys/class/dmi/id/sys_vendor");
    facts.file("host", "", "product", "/sys/class/dmi/id/product_name");
    facts.file("host", "", "hypervisor", "/sys/hypervisor/type");
    let container = if Path::new("/run/.containerenv").exists() {
        "podman"
    } else if Path::new("/.dockerenv").exists() {
        "docker"
    } else if std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() {
        "kubernetes"
    } else {
        ""
    };
    facts.add("host", "", "container", container);
}

/// Model, counts, frequency policy.
pub(super) fn cpu(facts: &mut Facts) {
    let info = beginning("/proc/cpuinfo");
    let field = |key: &str| {
        info.lines()
            .find(|l| l.starts_with(key))
            .and_then(|l| l.split_once(':'))
            .map(|(_, v)| v.trim().to_owned())
    };
    let model = field("model name").or_else(|| field("Processor"));
    facts.add("cpu", "", "model", model.unwrap_or_default());
    facts.add("cpu", "", "architecture", std::env::consts::ARCH);
    if field("flags").is_some_and(|f| f.split(' ').any(|w| w == "hypervisor")) {
        facts.add("host", "", "virtual machine", "yes");
    }
    if let Ok(count) = std::thread::available_parallelism() {
        facts.add("cpu", "", "count", count.to_string());
    }
    let base = "/sys/devices/system/cpu";
    facts.file("cpu", "", "online", format!("{base}/online"));
    let smt = match read(format!("{base}/smt/active")).as_deref() {
        Some("1") => "on",
        Some("0") => "off",
        _ => "",
    };
    facts.add("cpu", "", "hyper-threading", smt);
    let policy = format!("{base}/cpu0/cpufreq");
    facts.file("cpu", "", "governor", format!("{policy}/scaling_governor"));
    facts.file(
        "cpu",
        "",
        "frequency driver",
        format!("{policy}/scaling_driver"),
    );
    if let Some(khz) =
        read(format!("{policy}/cpuinfo_max_freq")).and_then(|t| t.parse::<u64>().ok())
    {
        facts.add(
            "cpu",
            "",
            "highest frequency",
            format!("{} MHz", khz / 1000),
        );
    }
    facts.file(
        "cpu",
        "",
        "NUMA nodes online",
        "/sys/devices/system/node/online",
    );
}

/// The first 4 KiB: the first processor. The whole takes long where there are hundreds.
fn beginning(path: &str) -> String {
    let mut buffer = vec![0u8; 4096];
    let n = std::fs::File::open(path)
        .and_then(|mut f| f.read(&mut buffer))
        .unwrap_or(0);
    String::from_utf8_lossy(&buffer[..n]).into_owned()
}

/// Sizes of memory, swap and huge pages.
pub(super) fn memory(facts: &mut Facts) {
    let info = read("/proc/meminfo").unwrap_or_default();
    let field = |key: &str| -> Option<u64> {
        let line = info.lines().find(|l| l.split(':').next() == Some(key))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    for (key, name) in [
        ("MemTotal", "total"),
        ("MemAvailable", "available"),
        ("SwapTotal", "swap"),
    ] {
        if let Some(kib) = field(key) {
            facts.add(
                "memory",
                "",
                name,
                Bytes(kib.saturating_mul(1024)).to_string(),
            );
        }
    }
    if let (Some(n @ 1..), Some(kib)) = (field("HugePages_Total"), field("Hugepagesize")) {
        let size = Bytes(kib.saturating_mul(1024));
        facts.add("memory", "", "huge pages", format!("{n} of {size}"));
    }
    let thp = read("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    facts.add("memory", "", "transparent huge pages", chosen(&thp));
}

/// The word in brackets of a line like `always [madvise] never`, or the line when there are none.
pub(super) fn chosen(text: &str) -> &str {
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(text, |(word, _)| word)
}

/// Release, clock source, and the settings that change storage results.
pub(super) fn kernel(facts: &mut Facts) {
    let names = rustix::system::uname();
    facts.add("kernel", "", "release", names.release().to_string_lossy());
    facts.add("kernel", "", "version", names.version().to_string_lossy());
    let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    facts.file("kernel", "", "clock source", clock);
    for name in [
        "vm.dirty_ratio",
        "vm.dirty_background_ratio",
        "vm.dirty_bytes",
        "vm.dirty_background_bytes",
        "vm.dirty_expire_centisecs",
        "vm.dirty_writeback_centisecs",
        "vm.swappiness",
        "fs.aio-max-nr",
        "fs.file-max",
        "kernel.io_uring_disabled",
    ] {
        facts.file("kernel", "", name, sysctl(name));
    }
}

/// Path of a setting.
pub(super) fn sysctl(name: &str) -> String {
    format!("/proc/sys/{}", name.replace('.', "/"))
}

/// What this process may take.
pub(super) fn limits(facts: &mut Facts) {
    let shown = |limit: Option<u64>| limit.map_or("none".to_owned(), |n| n.to_string());
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    facts.add("kernel", "", "open files limit", shown(files.maximum));
    let lock = crate::sys::limits::lockable_bytes();
    let lock = lock.map_or("none".to_owned(), |n| Bytes(n).to_string());
    facts.add("kernel", "", "locked memory limit", lock);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_word_is_found() {
        assert_eq!(chosen("always [madvise] never"), "madvise");
        assert_eq!(chosen("[none] mq-deadline"), "none");
        assert_eq!(chosen("none"), "none");
        assert_eq!(sysctl("fs.aio-max-nr"), "/proc/sys/fs/aio-max-nr");
    }
}
