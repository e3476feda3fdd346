//! Settings of the kernel that change storage results: its tunables, network interfaces, how deep processors may sleep.

use super::{Facts, Unit, read};
use leadline_model::facts::{FactKey, FactValue};
use leadline_model::units::{Bytes, Nanos};
use std::fs;
use std::path::Path;

/// More interfaces are not looked at.
const MOST_INTERFACES: usize = 32;

/// Tunables, each with what it is a number of.
const SYSCTLS: [(&str, Unit); 21] = [
    ("vm.dirty_ratio", Unit::Percent),
    ("vm.dirty_background_ratio", Unit::Percent),
    ("vm.dirty_bytes", Unit::Bytes(1)),
    ("vm.dirty_background_bytes", Unit::Bytes(1)),
    ("vm.dirty_expire_centisecs", Unit::CENTISECONDS),
    ("vm.dirty_writeback_centisecs", Unit::CENTISECONDS),
    ("vm.swappiness", Unit::Count),
    ("fs.aio-max-nr", Unit::Count),
    ("fs.file-max", Unit::Count),
    ("kernel.io_uring_disabled", Unit::Count),
    ("net.core.rmem_max", Unit::Bytes(1)),
    ("net.core.rmem_default", Unit::Bytes(1)),
    ("net.core.wmem_max", Unit::Bytes(1)),
    ("net.core.wmem_default", Unit::Bytes(1)),
    ("net.ipv4.tcp_rmem", Unit::Text),
    ("net.ipv4.tcp_wmem", Unit::Text),
    ("net.ipv4.tcp_congestion_control", Unit::Text),
    ("net.ipv4.tcp_window_scaling", Unit::Count),
    ("net.ipv4.tcp_moderate_rcvbuf", Unit::Count),
    ("sunrpc.tcp_slot_table_entries", Unit::Count),
    ("sunrpc.tcp_max_slot_table_entries", Unit::Count),
];

pub(super) fn sysctls(root: &Path, facts: &mut Facts) {
    for (name, unit) in SYSCTLS {
        let file = root.join("proc/sys").join(name.replace('.', "/"));
        facts.file_of(unit, ("kernel", name), "", file);
    }
    let slots = root.join("sys/module/nfs/parameters/max_session_slots");
    facts.file_of(Unit::Count, FactKey::SESSION_SLOTS, "", slots);
}

/// Network interfaces that are devices, not tunnels or bridges: driver, speed, size of a packet, memory node.
pub(super) fn interfaces(root: &Path, facts: &mut Facts) {
    let folder = root.join("sys/class/net");
    let all = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = all
        .filter(|entry| entry.path().join("device").exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    for name in names.iter().take(MOST_INTERFACES) {
        let of = |file: &str| folder.join(name).join(file);
        let driver = fs::read_link(of("device/driver")).ok();
        let driver = driver.as_deref().and_then(Path::file_name);
        let driver = driver.map(|n| n.to_string_lossy().into_owned());
        facts.add(("network", "driver"), name, driver.unwrap_or_default());
        // Of a virtual one it is -1, or cannot be read.
        if let Some(speed) = read(of("speed")).and_then(|t| t.parse::<u64>().ok()) {
            facts.put(("network", "speed"), name, format!("{speed} Mb/s"));
        }
        if let Some(size) = read(of("mtu")).and_then(|t| t.parse::<u64>().ok()) {
            facts.put(("network", "MTU"), name, Bytes(size));
        }
        if let Some(node) = read(of("device/numa_node")).filter(|t| t != "-1") {
            facts.add(FactKey::NETWORK_NODE, name, node);
        }
    }
}

/// How long the first processor takes to wake from the deepest idle state that is not disabled.
pub(super) fn idle(root: &Path, facts: &mut Facts) {
    let folder = root.join("sys/devices/system/cpu/cpu0/cpuidle");
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    let allowed = all.filter(|state| read(state.path().join("disable")).as_deref() != Some("1"));
    let exits = allowed.filter_map(|state| read(state.path().join("latency"))?.parse().ok());
    if let Some(micros) = exits.max() {
        let exit: u64 = micros;
        let value: FactValue = Nanos(exit.saturating_mul(1000)).into();
        facts.put(FactKey::IDLE_EXIT, "", value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_those_of_the_kernels_files() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(super::super::settings(dir.path()), []);
        put("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
        put("proc/sys/net/core/rmem_default", "212992\n");
        put("sys/class/net/eth0/mtu", "9000\n");
        put("sys/class/net/eth0/speed", "-1\n");
        put("sys/class/net/eth0/device/numa_node", "1\n");
        put("sys/class/net/lo/mtu", "65536\n");
        let idle = "sys/devices/system/cpu/cpu0/cpuidle";
        for (state, latency, disable) in [("0", "0", "0"), ("1", "133", "0"), ("2", "600", "1")] {
            put(&format!("{idle}/state{state}/latency"), latency);
            put(&format!("{idle}/state{state}/disable"), disable);
        }
        let facts = super::super::settings(dir.path());
        let shown: Vec<_> = facts
            .iter()
            .map(|f| format!("{} {} {}: {}", f.section, f.subject, f.name, f.value))
            .collect();
        assert_eq!(
            shown,
            [
                "kernel  net.core.rmem_default: 208 KiB",
                "kernel  net.ipv4.tcp_rmem: 4096\t131072\t6291456",
                "network eth0 MTU: 8.79 KiB",
                "network eth0 NUMA node: 1",
                "cpu  longest wake-up: 133 us",
            ]
        );
    }
}
