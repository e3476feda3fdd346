//! Signs of heat: processors that slowed down, NVMe drives at the temperature they warn of.

use super::text;
use leadline_model::facts::{Fact, FactKey, FactValue};
use std::fs;
use std::path::Path;

/// Drives and processors as they were at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Heat {
    /// How often a core or a package slowed down, all of them together; `None` = this machine does not count it.
    throttled: Option<u64>,
    /// Drive, temperature and that of its warning, in thousandths of a degree Celsius.
    drives: Vec<(String, u64, u64)>,
}

impl Heat {
    /// What the kernel's files below `root` say (Documentation/hwmon/sysfs-interface.rst).
    pub(super) fn below(root: &Path) -> Self {
        let mut heat = Self::default();
        let cpus = entries(&root.join("sys/devices/system/cpu"), "cpu");
        for cpu in cpus {
            for file in ["core_throttle_count", "package_throttle_count"] {
                let count = number(
                    root,
                    &format!("sys/devices/system/cpu/{cpu}/thermal_throttle/{file}"),
                );
                if let Some(count) = count {
                    heat.throttled = Some(heat.throttled.unwrap_or(0).saturating_add(count));
                }
            }
            // Where the first has no such files, none has.
            if heat.throttled.is_none() {
                break;
            }
        }
        for drive in entries(&root.join("sys/class/nvme"), "nvme") {
            let place = format!("sys/class/nvme/{drive}");
            for sensor in entries(&root.join(&place), "hwmon") {
                let of = |file: &str| number(root, &format!("{place}/{sensor}/{file}"));
                if let Some((now, warns)) = of("temp1_input").zip(of("temp1_max")) {
                    heat.drives.push((drive.clone(), now, warns));
                }
            }
        }
        heat
    }

    /// What happened from here to `after`.
    pub(super) fn until(&self, after: &Self) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Some((before, after)) = self.throttled.zip(after.throttled) {
            let times = FactValue::Count(after.saturating_sub(before));
            facts.push(Fact::new(FactKey::THROTTLED, "", times));
        }
        for (drive, now, warns) in &after.drives {
            let degrees = |thousandths: u64| FactValue::Count(thousandths / 1000);
            facts.push(Fact::new(FactKey::TEMPERATURE, drive, degrees(*now)));
            facts.push(Fact::new(FactKey::WARNS_AT, drive, degrees(*warns)));
        }
        facts
    }
}

/// Names of a folder that are this word and a number, in their order.
fn entries(folder: &Path, word: &str) -> Vec<String> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = all.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<String> = names
        .filter(|name| {
            let rest = name.strip_prefix(word);
            rest.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        })
        .collect();
    found.sort();
    found
}

fn number(root: &Path, file: &str) -> Option<u64> {
    text(root, file).trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_temperatures_are_those_of_the_kernel() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert!(
            Heat::below(dir.path())
                .until(&Heat::below(dir.path()))
                .is_empty()
        );
        let cpu = "sys/devices/system/cpu/cpu0/thermal_throttle";
        put(&format!("{cpu}/core_throttle_count"), "3\n");
        put(&format!("{cpu}/package_throttle_count"), "x\n");
        put("sys/devices/system/cpu/cpufreq/y", "1\n");
        put("sys/class/nvme/nvme0/hwmon2/temp1_input", "41850\n");
        put("sys/class/nvme/nvme0/hwmon2/temp1_max", "81850\n");
        put("sys/class/nvme/nvme1/hwmon3/temp1_input", "-1\n");
        let before = Heat::below(dir.path());
        put(&format!("{cpu}/core_throttle_count"), "5\n");
        put("sys/class/nvme/nvme0/hwmon2/temp1_input", "82850\n");
        let facts = before.until(&Heat::below(dir.path()));
        let shown: Vec<_> = facts
            .iter()
            .map(|f| format!("{} {} {}", f.subject, f.name, f.value))
            .collect();
        assert_eq!(
            shown,
            [
                " slowed down for heat 2",
                "nvme0 temperature 82",
                "nvme0 temperature it warns of 81"
            ]
        );
    }
}
