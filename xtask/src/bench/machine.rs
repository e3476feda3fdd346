//! What the figures were measured on.

use crate::shell;
use std::path::Path;
use std::process::Command;

/// The machine and the versions, as rows of a table: name, value.
pub(super) fn describe(dir: &Path) -> Vec<(&'static str, String)> {
    let read = |path: &str| {
        std::fs::read_to_string(path)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let field = |path: &str, name: &str| {
        let text = read(path);
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default()
            .trim_start_matches([' ', '\t', ':'])
            .to_owned()
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let rows = vec![
        ("date", said("date", &["-u", "+%Y-%m-%d %H:%M UTC"])),
        (
            "leadline",
            said("git", &["describe", "--always", "--dirty"]),
        ),
        ("fio", said("fio", &["--version"])),
        ("compiler", said("rustc", &["--version"])),
        (
            "CPU",
            // Clouds give one name to processors of unlike width.
            format!(
                "{}, family {}, model {}, {cores} cores",
                field("/proc/cpuinfo", "model name"),
                field("/proc/cpuinfo", "cpu family"),
                field("/proc/cpuinfo", "model\t"),
            ),
        ),
        ("memory", field("/proc/meminfo", "MemTotal")),
        ("kernel", read("/proc/sys/kernel/osrelease")),
        ("clock source", read(source)),
        ("file system", file_system(&read("/proc/self/mounts"), dir)),
        ("load before", field("/proc/loadavg", "")),
    ];
    rows.into_iter()
        .map(|(name, value)| (name, or_unknown(value)))
        .collect()
}

fn or_unknown(value: String) -> String {
    if value.is_empty() {
        "unknown".to_owned()
    } else {
        value
    }
}

/// First line of what a program prints; empty when it does not run.
fn said(program: &str, words: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(words).current_dir(shell::root());
    shell::stdout_of(&mut command)
        .map(|text| text.lines().next().unwrap_or_default().to_owned())
        .unwrap_or_default()
}

/// Type, device and options of the mount that holds `dir`: the longest mount point above it.
fn file_system(mounts: &str, dir: &Path) -> String {
    mounts
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [device, point, kind, options, ..] = words.as_slice() else {
                return None;
            };
            // A later mount hides an earlier one at the same place.
            dir.starts_with(point)
                .then(|| (point.len(), format!("{kind} on {device} ({options})")))
        })
        .max_by_key(|(length, _)| *length)
        .map(|(_, text)| text)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_is_named() {
        let mounts = "/dev/vda / ext4 rw,relatime 0 0\ntmpfs /tmp tmpfs rw 0 0\n\
                      /dev/vdb /tmp/x xfs ro 0 0\n";
        assert_eq!(
            file_system(mounts, Path::new("/tmp/x/y")),
            "xfs on /dev/vdb (ro)"
        );
        assert_eq!(
            file_system(mounts, Path::new("/tmpx")),
            "ext4 on /dev/vda (rw,relatime)"
        );
        assert_eq!(file_system("", Path::new("/a")), "");
    }

    #[test]
    fn every_row_has_a_value() {
        let rows = describe(&std::env::temp_dir());
        assert!(
            rows.iter()
                .all(|(name, value)| !name.is_empty() && !value.is_empty()),
            "{rows:?}"
        );
        assert!(
            rows.iter()
                .any(|(name, value)| *name == "CPU" && value.contains("cores"))
        );
    }
}
