//! The file systems and block devices under the targets, and what a network one depends on.

use super::machine::chosen;
use super::{Facts, Unit, read};
use crate::os::linux::device::{self, BlockDevice};
use crate::os::linux::host::nearest;
use crate::os::linux::memory::{self, Memory};
use crate::os::linux::mount::{self, Mount};
use leadline_model::facts::{FactKey, FactValue};
use leadline_model::units::Bytes;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Targets looked at one by one; more are of the same kind, as a rule.
const MOST_TARGETS: usize = 64;

/// File, name of the fact, what it is a number of. All below a device's directory in sysfs.
const QUEUE: [(&str, &str, Unit); 13] = [
    ("queue/rotational", "rotational", Unit::Count),
    ("queue/nr_requests", "nr_requests", Unit::Count),
    ("queue/read_ahead_kb", "read_ahead_kb", Unit::KIB),
    ("queue/logical_block_size", "logical block", Unit::Bytes(1)),
    (
        "queue/physical_block_size",
        "physical block",
        Unit::Bytes(1),
    ),
    ("queue/max_sectors_kb", "max_sectors_kb", Unit::KIB),
    ("queue/write_cache", "write cache", Unit::Text),
    ("queue/nomerges", "nomerges", Unit::Count),
    ("queue/wbt_lat_usec", "wbt_lat_usec", Unit::MICROS),
    (
        "queue/discard_granularity",
        "discard granularity",
        Unit::Bytes(1),
    ),
    ("device/queue_depth", "queue depth", Unit::Count),
    ("device/vendor", "vendor", Unit::Text),
    ("device/numa_node", "NUMA node", Unit::Text),
];

/// Facts of each target's file system and of the devices below, each once.
pub(super) fn targets(root: &Path, targets: &[PathBuf], mounts: &str, facts: &mut Facts) {
    let mut seen_mounts = BTreeSet::new();
    let mut seen_devices = BTreeSet::new();
    for target in targets.iter().take(MOST_TARGETS) {
        let Some(near) = nearest(target).and_then(|p| fs::canonicalize(p).ok()) else {
            continue;
        };
        let subject = target.display().to_string();
        if near != std::path::absolute(target).unwrap_or_default() && target.exists() {
            facts.add(FactKey::RESOLVES_TO, &subject, near.display().to_string());
        }
        let about = fs::metadata(&near).ok();
        if let Some(file) = about.as_ref().filter(|m| m.is_file()) {
            facts.put(FactKey::TARGET_SIZE, &subject, Bytes(file.len()));
        }
        let block = about.is_some_and(|m| m.file_type().is_block_device());
        if block {
            facts.add(("target", "kind"), &subject, "block device");
        } else if let Some(mount) = mount::holding(mounts, &near) {
            facts.add(FactKey::MOUNTED_ON, &subject, &mount.point);
            if seen_mounts.insert(mount.point.clone()) {
                file_system(root, &mount, facts);
            }
        }
        match memory::below(&near, mounts) {
            Some(Memory::Kept(way)) => facts.add(FactKey::KEPT_IN_MEMORY, &subject, way),
            Some(Memory::Cached(way)) => facts.add(FactKey::LOOP_CACHED, &subject, way),
            None => {}
        }
        for device in device::stack(target, mounts) {
            if seen_devices.insert(device.name.clone()) {
                block_device(&device, facts);
            }
        }
    }
    if targets.len() > MOST_TARGETS {
        let number = u64::try_from(targets.len()).unwrap_or(u64::MAX);
        facts.put(("target", "number"), "", FactValue::Count(number));
    }
}

fn file_system(root: &Path, mount: &Mount<'_>, facts: &mut Facts) {
    let at = mount.point.as_str();
    facts.add(FactKey::FILE_SYSTEM, at, mount.kind);
    facts.add(("mount", "source"), at, &mount.source);
    facts.add(FactKey::MOUNT_OPTIONS, at, mount.options);
    facts.add(FactKey::FILE_SYSTEM_OPTIONS, at, mount.super_options);
    if mount.kind.starts_with("nfs") {
        let flows = mount
            .super_options
            .split(',')
            .find_map(|o| o.strip_prefix("nconnect="))
            .unwrap_or("1");
        facts.put(("mount", "nconnect"), at, Unit::Count.value(flows));
        let ahead = root.join(format!("sys/class/bdi/{}/read_ahead_kb", mount.dev));
        facts.file_of(Unit::KIB, FactKey::READ_AHEAD, at, ahead);
    }
    if let Ok(s) = rustix::fs::statvfs(at) {
        let size = Bytes(s.f_blocks.saturating_mul(s.f_frsize));
        let free = Bytes(s.f_bavail.saturating_mul(s.f_frsize));
        let used = s.f_blocks.saturating_sub(s.f_bfree);
        facts.put(("mount", "size"), at, size);
        let used = Bytes(used.saturating_mul(s.f_frsize));
        facts.put(FactKey::MOUNT_USED, at, used);
        facts.put(FactKey::MOUNT_FREE, at, free);
    }
}

pub(super) fn block_device(device: &BlockDevice, facts: &mut Facts) {
    let (name, directory) = (device.name.as_str(), &device.directory);
    facts.add(FactKey::DEVICE_KIND, name, kind(device));
    if let Some(above) = &device.under {
        facts.add(FactKey::UNDER, name, above);
    }
    let model = read(directory.join("device/model"));
    facts.add(FactKey::DEVICE_MODEL, name, model.unwrap_or_default());
    if let Some(sectors) = read(directory.join("size")).and_then(|t| t.parse::<u64>().ok()) {
        let size = Bytes(sectors.saturating_mul(512));
        facts.put(FactKey::DEVICE_SIZE, name, size);
    }
    // Documentation/block/stat.rst: sectors of 512 bytes are the third and the seventh number.
    let stat = read(directory.join("stat")).unwrap_or_default();
    for (key, place) in [
        (FactKey::READ_SINCE_BOOT, 2),
        (FactKey::WRITTEN_SINCE_BOOT, 6),
    ] {
        let sectors = stat.split_whitespace().nth(place);
        if let Some(sectors) = sectors.and_then(|n| n.parse::<u64>().ok()) {
            facts.put(key, name, Bytes(sectors.saturating_mul(512)));
        }
    }
    let scheduler = read(directory.join("queue/scheduler")).unwrap_or_default();
    facts.add(("device", "scheduler"), name, chosen(&scheduler));
    for (file, label, unit) in QUEUE {
        // virtio's vendor is a number of the bus, and a node of -1 is none.
        match read(directory.join(file)) {
            Some(t)
                if !t.is_empty() && t != "-1" && !(label == "vendor" && t.starts_with("0x")) =>
            {
                facts.put(("device", label), name, unit.value(&t));
            }
            _ => {}
        }
    }
    facts.file(("device", "dm name"), name, directory.join("dm/name"));
    facts.file(("device", "RAID level"), name, directory.join("md/level"));
    facts.file(
        ("device", "backing file"),
        name,
        directory.join("loop/backing_file"),
    );
    facts.file(
        ("device", "loop direct I/O"),
        name,
        directory.join("loop/dio"),
    );
}

/// What kind of device it is, by its place in sysfs.
fn kind(device: &BlockDevice) -> &'static str {
    let path = device.directory.to_string_lossy();
    let name = device.name.as_str();
    if path.contains("/nvme") || name.starts_with("nvme") {
        "NVMe"
    } else if path.contains("/virtio") {
        "virtio"
    } else if path.contains("/vmbus") || path.contains("/VMBUS") {
        "Hyper-V"
    } else if path.contains("/vbd-") {
        "Xen"
    } else if name.starts_with("dm-") {
        "device mapper"
    } else if name.starts_with("md") {
        "Linux RAID"
    } else if name.starts_with("loop") {
        "loop"
    } else if name.starts_with("zram") {
        "compressed memory"
    } else if name.starts_with("nbd") || name.starts_with("rbd") || name.starts_with("drbd") {
        "network"
    } else if path.contains("/usb") {
        "USB"
    } else if path.contains("/session") {
        "iSCSI"
    } else if path.contains("/ata") {
        "ATA"
    } else if name.starts_with("sd") {
        "SCSI"
    } else {
        "other"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_known_by_their_place() {
        let at = |name: &str, path: &str| {
            kind(&BlockDevice {
                name: name.into(),
                directory: path.into(),
                under: None,
            })
        };
        assert_eq!(at("vda", "/sys/devices/pci0/virtio1/block/vda"), "virtio");
        assert_eq!(
            at("nvme0n1", "/sys/devices/pci0/nvme/nvme0/nvme0n1"),
            "NVMe"
        );
        assert_eq!(
            at("dm-0", "/sys/devices/virtual/block/dm-0"),
            "device mapper"
        );
        assert_eq!(at("sda", "/sys/devices/pci0/ata1/host0/block/sda"), "ATA");
        assert_eq!(at("loop0", "/sys/devices/virtual/block/loop0"), "loop");
    }

    #[test]
    fn nfs_without_nconnect_has_one_flow() {
        let line = "1 0 0:50 / /n rw - nfs4 srv:/e rw,vers=4.1,rsize=262144,nconnect=4";
        let value = |line: &str| {
            let mut facts = Facts::default();
            file_system(Path::new("/"), &Mount::parse(line).unwrap(), &mut facts);
            facts
                .0
                .iter()
                .find(|f| f.name == "nconnect")
                .map(|f| f.value.to_string())
        };
        assert_eq!(value(line).as_deref(), Some("4"));
        assert_eq!(
            value(&line.replace(",nconnect=4", "")).as_deref(),
            Some("1")
        );
        assert_eq!(value("1 0 8:1 / /n rw - ext4 /dev/a rw"), None);
    }
}
