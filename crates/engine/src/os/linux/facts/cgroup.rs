//! Caps of control groups that are in force for this process: the reason for many a flat line.

use super::{Facts, Unit, read};
use crate::os::linux::mount;
use std::path::Path;

/// A file that holds a cap.
#[derive(Clone, Copy)]
struct Cap {
    file: &'static str,
    /// The text, or its beginning, when there is no cap.
    none: &'static str,
    unit: Unit,
}

const fn cap(file: &'static str, none: &'static str, unit: Unit) -> Cap {
    Cap { file, none, unit }
}

/// Files of version 2.
const V2: [Cap; 4] = [
    cap("cpu.max", "max 100000", Unit::Text),
    cap("io.max", "", Unit::Text),
    cap("memory.max", "max", Unit::Bytes(1)),
    cap("memory.high", "max", Unit::Bytes(1)),
];

/// Files of version 1, each with its controller.
const V1: [(&str, Cap); 6] = [
    ("cpu", cap("cpu.cfs_quota_us", "-1", Unit::MICROS)),
    (
        "blkio",
        cap("blkio.throttle.read_bps_device", "", Unit::Text),
    ),
    (
        "blkio",
        cap("blkio.throttle.write_bps_device", "", Unit::Text),
    ),
    (
        "blkio",
        cap("blkio.throttle.read_iops_device", "", Unit::Text),
    ),
    (
        "blkio",
        cap("blkio.throttle.write_iops_device", "", Unit::Text),
    ),
    (
        "memory",
        cap("memory.limit_in_bytes", "9223372036854", Unit::Bytes(1)),
    ),
];

/// Notes every cap of this process's groups and of those above them.
pub(super) fn caps(mounts: &str, facts: &mut Facts) {
    caps_of(
        &read("/proc/self/cgroup").unwrap_or_default(),
        mounts,
        facts,
    );
}

/// The same for the groups in the text of a process's cgroup file.
fn caps_of(own: &str, mounts: &str, facts: &mut Facts) {
    for mount::Membership {
        controllers,
        group,
        root,
    } in mount::memberships(own, mounts)
    {
        let controllers: Vec<&str> = controllers.split(',').filter(|c| !c.is_empty()).collect();
        if controllers.is_empty() {
            for cap in V2 {
                upward(&root, group, cap, facts);
            }
        }
        for (controller, cap) in V1 {
            if controllers.contains(&controller) {
                upward(&root, group, cap, facts);
            }
        }
    }
}

/// Notes a cap of a group and of each above it. The root has none.
fn upward(root: &Path, group: &str, cap: Cap, facts: &mut Facts) {
    let Cap { file, none, unit } = cap;
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
            let value = unit.value(&one_line);
            facts.put(("kernel", file), &format!("cgroup {name}"), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn caps_of_a_group_and_of_its_parents_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let (v2, blkio) = (dir.path().join("v2"), dir.path().join("blkio"));
        fs::create_dir_all(v2.join("a/b")).unwrap();
        fs::create_dir_all(blkio.join("x")).unwrap();
        fs::write(v2.join("a/cpu.max"), "50000 100000\n").unwrap();
        fs::write(v2.join("a/b/cpu.max"), "max 100000\n").unwrap();
        fs::write(v2.join("a/b/io.max"), "8:0 riops=2000\n8:16 wbps=1\n").unwrap();
        fs::write(v2.join("a/b/memory.max"), "max\n").unwrap();
        fs::write(v2.join("a/memory.max"), "1073741824\n").unwrap();
        let throttle = blkio.join("x/blkio.throttle.read_iops_device");
        fs::write(throttle, "7:0 2000\n").unwrap();
        let mounts = format!(
            "1 0 0:1 / {} rw - cgroup2 none rw\n2 0 0:2 / {} rw - cgroup none rw,blkio\n",
            v2.display(),
            blkio.display()
        );
        let mut facts = Facts::default();
        caps_of(
            "5:blkio:/x\n3:cpu,cpuacct:/y\n0::/a/b\n",
            &mounts,
            &mut facts,
        );
        let shown: Vec<String> = facts
            .0
            .iter()
            .map(|f| format!("{} {}={}", f.subject, f.name, f.value))
            .collect();
        assert_eq!(
            shown,
            [
                "cgroup x blkio.throttle.read_iops_device=7:0 2000",
                "cgroup a cpu.max=50000 100000",
                "cgroup a/b io.max=8:0 riops=2000; 8:16 wbps=1",
                "cgroup a memory.max=1 GiB",
            ]
        );
    }
}
