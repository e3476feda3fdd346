//! Caps of control groups that are in force for this process: the reason for many a flat line.

use super::{Facts, read};
use crate::sys::mount::Mount;
use std::path::{Path, PathBuf};

/// Files of version 2 that hold a cap, and their text when there is none.
const V2: [(&str, &str); 4] = [
    ("cpu.max", "max 100000"),
    ("io.max", ""),
    ("memory.max", "max"),
    ("memory.high", "max"),
];

/// Files of version 1: (controller, file, text or beginning of it when there is no cap).
const V1: [(&str, &str, &str); 6] = [
    ("cpu", "cpu.cfs_quota_us", "-1"),
    ("blkio", "blkio.throttle.read_bps_device", ""),
    ("blkio", "blkio.throttle.write_bps_device", ""),
    ("blkio", "blkio.throttle.read_iops_device", ""),
    ("blkio", "blkio.throttle.write_iops_device", ""),
    ("memory", "memory.limit_in_bytes", "9223372036854"),
];

/// Notes every cap of this process's groups and of those above them.
pub(super) fn caps(mounts: &str, facts: &mut Facts) {
    let own = read("/proc/self/cgroup").unwrap_or_default();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else {
            continue;
        };
        let controllers: Vec<&str> = controllers.split(',').filter(|c| !c.is_empty()).collect();
        let Some(root) = mount_of(mounts, &controllers) else {
            continue;
        };
        if controllers.is_empty() {
            for (file, none) in V2 {
                upward(&root, group, file, none, facts);
            }
        }
        for (controller, file, none) in V1 {
            if controllers.contains(&controller) {
                upward(&root, group, file, none, facts);
            }
        }
    }
}

/// Where the hierarchy with these controllers is mounted; none = version 2.
fn mount_of(mounts: &str, controllers: &[&str]) -> Option<PathBuf> {
    let found = mounts.lines().filter_map(Mount::parse).find(|m| {
        if controllers.is_empty() {
            m.kind == "cgroup2"
        } else {
            m.kind == "cgroup"
                && controllers
                    .iter()
                    .all(|c| m.super_options.split(',').any(|o| o == *c))
        }
    })?;
    Some(PathBuf::from(found.point))
}

/// Notes a cap of a group and of each above it. The root has none.
fn upward(root: &Path, group: &str, file: &str, none: &str, facts: &mut Facts) {
    for part in Path::new(group).ancestors() {
        let Some(name) = part.to_str().map(|n| n.trim_start_matches('/')) else {
            return;
        };
        if name.is_empty() {
            return;
        }
        if let Some(text) = read(root.join(name).join(file))
            && !text.is_empty()
            && (none.is_empty() || !text.starts_with(none))
        {
            let one_line = text.lines().collect::<Vec<_>>().join("; ");
            facts.add("kernel", &format!("cgroup {name}"), file, one_line);
        }
    }
}
