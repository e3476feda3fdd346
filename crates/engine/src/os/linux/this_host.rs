//! Facts about this process and this host that front ends and hosts of a fleet ask for, from /proc (proc(5)).

use std::fs::read_to_string;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// This program itself: the link stays right when the file was replaced meanwhile.
pub fn own_program() -> &'static Path {
    Path::new("/proc/self/exe")
}

/// Number of the user this process belongs to; 0 when that is not known.
pub fn user() -> u32 {
    std::fs::metadata("/proc/self").map_or(0, |own| own.uid())
}

/// What this host calls itself; empty when that is not known.
pub fn hostname() -> String {
    let name = read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// What the firmware says of the machine by this name in /sys/class/dmi/id (`sys_vendor`); empty when it does not.
pub fn firmware(name: &str) -> String {
    let text = read_to_string(Path::new("/sys/class/dmi/id").join(name)).unwrap_or_default();
    text.trim().to_owned()
}

/// CPUs that this process may use; empty when that is not known.
pub fn allowed_cpus() -> Vec<u32> {
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    allowed.map(numbers).unwrap_or_default()
}

/// Number of the last CPU that the host has; `None` = that is not known.
pub fn last_cpu() -> Option<u32> {
    let present = read_to_string("/sys/devices/system/cpu/present").ok()?;
    numbers(present.trim()).pop()
}

/// Milliseconds since the start of the host, in hundredths of a second.
pub fn uptime_ms() -> u64 {
    let uptime = read_to_string("/proc/uptime").unwrap_or_default();
    let seconds = uptime.split_whitespace().next().unwrap_or("0");
    let hundredths: String = seconds.chars().filter(char::is_ascii_digit).collect();
    hundredths.parse::<u64>().unwrap_or(0).wrapping_mul(10)
}

/// Bytes of a page of memory; 4096 when that is not known.
pub fn page_size() -> u64 {
    kib_of("/proc/self/smaps", "KernelPageSize:").map_or(4096, |kib| kib * 1024)
}

/// Memory of this host in bytes; 0 when that is not known.
pub fn memory() -> u64 {
    kib_of("/proc/meminfo", "MemTotal:").map_or(0, |kib| kib * 1024)
}

/// The KiB in the first line of a file that begins with this word.
fn kib_of(file: &str, word: &str) -> Option<u64> {
    let text = read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
}

/// The numbers of a list such as `0-3,8`.
fn numbers(list: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_cpus_is_read() {
        assert_eq!(numbers("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(numbers(""), [0_u32; 0]);
    }

    #[test]
    fn this_host_is_known() {
        assert!(!allowed_cpus().is_empty());
        assert!(page_size().is_power_of_two());
        assert!(memory() > 1 << 20 && uptime_ms() > 0);
        assert!(own_program().exists());
    }
}
