//! Facts of the environment, stored beside every result: what one would ask first when two results
//! differ. Few and small files, no program started: under 3 ms, so that it may be done before every
//! run. What is not there is left out, never guessed. No serial numbers, no addresses.

mod cgroup;
mod machine;
mod storage;

use leadline_model::facts::{Fact, FactKey, FactValue};
use std::path::{Path, PathBuf};

/// Everything known of this host, whatever the targets.
#[must_use]
pub fn host() -> Vec<Fact> {
    let mut facts = Facts::default();
    machine::host(&mut facts);
    machine::cpu(&mut facts);
    machine::memory(&mut facts);
    machine::kernel(&mut facts);
    machine::limits(&mut facts);
    cgroup::caps(&super::mount::table(), &mut facts);
    facts.0
}

/// What is known of the file systems and devices under these paths, which need not exist yet.
#[must_use]
pub fn targets(paths: &[PathBuf]) -> Vec<Fact> {
    let mut facts = Facts::default();
    storage::targets(paths, &super::mount::table(), &mut facts);
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
        if let Some(text) = read(path) {
            self.add(key, subject, text);
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
    use rustix::time::{ClockId, clock_gettime};

    fn micros() -> i64 {
        let t = clock_gettime(ClockId::Monotonic);
        t.tv_sec * 1_000_000 + t.tv_nsec / 1000
    }

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
    fn it_is_quick() {
        let dir = tempfile::tempdir().unwrap();
        let paths = [dir.path().join("file")];
        let best = (0..20)
            .map(|_| {
                let start = micros();
                let facts = (host(), targets(&paths));
                assert!(facts.0.len() > 10 && !facts.1.is_empty());
                micros() - start
            })
            .min()
            .unwrap();
        assert!(best < 3_000, "{best} us");
        eprintln!("facts: {best} us");
    }
}
