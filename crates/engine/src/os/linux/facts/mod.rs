//! Facts of the environment, stored beside every result: what one would ask first when two results
//! differ. Few and small files, no program started: under 3 ms, so that it may be done before every
//! run. What is not there is left out, never guessed. No serial numbers, no addresses.

mod cgroup;
mod machine;
mod settings;
mod storage;

use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::units::{Bytes, Nanos, Percent};
use std::path::{Path, PathBuf};

/// Everything known of this host, whatever the targets.
#[must_use]
pub fn host() -> Vec<Fact> {
    let mut facts = Facts::default();
    machine::host(&mut facts);
    facts.0.extend(machine(Path::new("/")));
    machine::kernel(&mut facts);
    machine::limits(&mut facts);
    facts.0.extend(settings(Path::new("/")));
    cgroup::caps(&super::mount::table(), &mut facts);
    facts.0
}

/// Settings of a kernel whose files are below `root` (`/`, or a folder with copies of them): what hosts that are to be
/// compared should have in common.
#[must_use]
pub fn settings(root: &Path) -> Vec<Fact> {
    let mut facts = Facts::default();
    settings::sysctls(root, &mut facts);
    settings::interfaces(root, &mut facts);
    settings::idle(root, &mut facts);
    facts.0
}

/// Processors and memory, by the kernel's files below `root` (`/`, or a folder with copies of them).
#[must_use]
pub fn machine(root: &Path) -> Vec<Fact> {
    let mut facts = Facts::default();
    machine::cpu(root, &mut facts);
    machine::memory(root, &mut facts);
    facts.0
}

/// What is known of the file systems and devices under these paths, which need not exist yet.
#[must_use]
pub fn targets(paths: &[PathBuf]) -> Vec<Fact> {
    targets_below(Path::new("/"), paths)
}

/// The same by the kernel's files below `root` (`/`, or a folder with copies of them).
#[must_use]
pub fn targets_below(root: &Path, paths: &[PathBuf]) -> Vec<Fact> {
    let mounts = std::fs::read_to_string(root.join("proc/self/mountinfo")).unwrap_or_default();
    let mut facts = Facts::default();
    storage::targets(root, paths, &mounts, &mut facts);
    facts.0
}

/// What is known of a block device whose directory in sysfs, or a copy of it, is at this path.
#[must_use]
pub fn device(name: &str, directory: &Path) -> Vec<Fact> {
    let mut facts = Facts::default();
    let device = super::device::BlockDevice {
        name: name.to_owned(),
        directory: directory.to_owned(),
        under: None,
    };
    storage::block_device(&device, &mut facts);
    facts.0
}

/// Facts gathered so far.
#[derive(Default)]
struct Facts(Vec<Fact>);

impl Facts {
    /// Notes a fact.
    fn put<'a>(&mut self, key: impl Into<FactKey<'a>>, subject: &str, value: impl Into<FactValue>) {
        self.0.push(Fact::new(key, subject, value));
    }

    /// Notes a fact that is a text, unless it is empty.
    fn add<'a>(&mut self, key: impl Into<FactKey<'a>>, subject: &str, text: impl AsRef<str>) {
        let text = text.as_ref().trim();
        if !text.is_empty() {
            self.put(key, subject, text);
        }
    }

    /// Notes the content of a small file, when there is one.
    fn file<'a>(&mut self, key: impl Into<FactKey<'a>>, subject: &str, path: impl AsRef<Path>) {
        self.file_of(Unit::Text, key, subject, path);
    }

    /// Notes the number in a small file, when there is one.
    fn file_of<'a>(
        &mut self,
        unit: Unit,
        key: impl Into<FactKey<'a>>,
        subject: &str,
        path: impl AsRef<Path>,
    ) {
        if let Some(text) = read(path).filter(|text| !text.is_empty()) {
            self.put(key, subject, unit.value(&text));
        }
    }
}

/// What the number in a small file is a number of. A file that holds no whole number of 0 or more (`max`, `-1`) is
/// noted as the text it holds.
#[derive(Clone, Copy)]
enum Unit {
    /// Things, or the number of a mode: 0 = off.
    Count,
    /// This many bytes each.
    Bytes(u64),
    /// This many nanoseconds each.
    Nanos(u64),
    /// Hundredths of a whole.
    Percent,
    /// None: a name, a number that only identifies something, or several numbers.
    Text,
}

impl Unit {
    const KIB: Self = Self::Bytes(1024);
    const MICROS: Self = Self::Nanos(1000);
    const CENTISECONDS: Self = Self::Nanos(10_000_000);

    /// The value of a file with this content.
    fn value(self, text: &str) -> FactValue {
        let Ok(number) = text.parse::<u64>() else {
            return text.into();
        };
        match self {
            Self::Count => FactValue::Count(number),
            Self::Bytes(each) => Bytes(number.saturating_mul(each)).into(),
            Self::Nanos(each) => Nanos(number.saturating_mul(each)).into(),
            Self::Percent => Percent::nearest(number as f64).into(),
            Self::Text => text.into(),
        }
    }
}

/// A small file's content, trimmed; `None` when it cannot be read.
fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_questions_are_answered() {
        let dir = tempfile::tempdir().unwrap();
        let mut facts = host();
        facts.extend(targets(&[dir.path().join("file")]));
        let get = |section: &str, name: &str| {
            facts
                .iter()
                .find(|f| f.section == section && f.name == name)
                .map(|f| f.value.clone())
        };
        for (section, name) in [
            ("host", "name"),
            ("kernel", "release"),
            ("cpu", "count"),
            ("memory", "total"),
            ("mount", "file system"),
            ("kernel", "open files limit"),
        ] {
            assert!(
                get(section, name).is_some(),
                "{section} {name} in {facts:#?}"
            );
        }
        assert!(
            facts
                .iter()
                .filter_map(|f| f.value.text())
                .all(|text| !text.is_empty() && text == text.trim())
        );
        let memory = get("memory", "total").unwrap();
        assert!(memory.bytes().unwrap().0 > 16 << 20, "{memory}");
        assert!(get("cpu", "count").unwrap().count().unwrap() >= 1);
        assert!(!facts.iter().any(|f| f.name.contains("serial")));
    }

    #[test]
    fn a_number_has_its_unit_and_what_is_none_stays_text() {
        for (unit, text, want) in [
            (Unit::Count, "1024", FactValue::Count(1024)),
            (Unit::KIB, "128", Bytes(131_072).into()),
            (Unit::MICROS, "75000", Nanos(75_000_000).into()),
            (Unit::CENTISECONDS, "3000", Nanos(30_000_000_000).into()),
            (Unit::Percent, "20", Percent::nearest(20.0).into()),
            (Unit::Text, "1", "1".into()),
            (Unit::Bytes(1), "max", "max".into()),
            (Unit::MICROS, "-1", "-1".into()),
            (Unit::Count, "4096 131072", "4096 131072".into()),
        ] {
            assert_eq!(unit.value(text), want, "{text}");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("read_ahead_kb");
        let mut facts = Facts::default();
        facts.file_of(Unit::KIB, ("device", "read_ahead_kb"), "sda", &path);
        std::fs::write(&path, "\n").unwrap();
        facts.file_of(Unit::KIB, ("device", "read_ahead_kb"), "sda", &path);
        assert_eq!(facts.0, [], "no file, and an empty one");
        std::fs::write(&path, "128\n").unwrap();
        facts.file_of(Unit::KIB, ("device", "read_ahead_kb"), "sda", &path);
        assert_eq!(facts.0[0].value.bytes(), Some(Bytes(131_072)));
    }

    #[test]
    fn settings_of_the_kernel_are_numbers_with_their_units() {
        let facts = host();
        let unit = |name: &str| {
            let fact = facts.iter().find(|f| f.name == name);
            fact.map(|f| f.value.unit())
        };
        for (name, want) in [
            ("vm.dirty_ratio", "percent"),
            ("vm.dirty_background_bytes", "bytes"),
            ("vm.dirty_expire_centisecs", "ns"),
            ("vm.swappiness", "count"),
            ("fs.file-max", "count"),
            ("kernel.io_uring_disabled", "count"),
            ("net.ipv4.tcp_window_scaling", "count"),
            ("net.ipv4.tcp_moderate_rcvbuf", "count"),
            ("clock source", "text"),
        ] {
            // A sandbox may hide one of them.
            assert!(unit(name).is_none_or(|found| found == want), "{name}");
        }
        assert!(unit("vm.dirty_ratio").or(unit("fs.file-max")).is_some());
    }
}
