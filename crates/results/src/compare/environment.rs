//! What is known of the hosts and targets of a run, as properties that can be compared.
//!
//! Belongs here: which facts are which property. Must never: look at a figure, or read anything but the run.

use crate::run::Run;
use crate::work::{Properties, Property, PropertyValue};
use leadline_model::facts::FactKey;
use leadline_model::plan::Target;
use std::collections::BTreeMap;

/// What is known of the hosts and targets of a run.
pub(super) fn environment(run: &Run) -> Properties {
    let mut all = Properties::new();
    let mut add = |key: Property, values: Vec<String>| {
        let mut distinct: Vec<String> = Vec::new();
        for value in values {
            if !value.is_empty() && !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        if !distinct.is_empty() {
            all.insert(key, distinct.join(", ").into());
        }
    };
    let facts = |key: FactKey<'static>| run.facts.iter().filter(move |f| f.key() == key);
    let texts = |key| facts(key).map(|f| f.value.to_string()).collect::<Vec<_>>();
    add(Property::Machine, texts(FactKey::MACHINE_SIZE));
    add(Property::Kernel, texts(FactKey::KERNEL_RELEASE));
    add(Property::System, texts(FactKey::SYSTEM));
    add(Property::Cpu, texts(FactKey::CPU_MODEL));
    add(Property::Hosts, texts(FactKey::HOST_NAME));
    let version = texts(FactKey::VERSION).into_iter();
    add(
        Property::Tool,
        version.map(|v| format!("leadline {v}")).collect(),
    );
    add(Property::Mount, mounts(run));
    let devices = facts(FactKey::DEVICE_KIND).chain(facts(FactKey::DEVICE_MODEL));
    add(
        Property::Device,
        devices.map(|f| f.value.to_string()).collect(),
    );
    add(Property::Target, targets(run));
    let number = |key| facts(key).next();
    let cpus = number(FactKey::CPU_COUNT).and_then(|f| f.value.count());
    all.extend(cpus.map(|n| (Property::CpuCount, PropertyValue::Count(n))));
    let memory = number(FactKey::MEMORY).and_then(|f| f.value.bytes());
    all.extend(memory.map(|m| (Property::Memory, PropertyValue::Bytes(m))));
    let settings = settings(run);
    if !settings.is_empty() {
        all.insert(Property::Settings, PropertyValue::Named(settings));
    }
    all
}

/// Settings of the hosts by name that change storage results: tunables of the kernel, huge pages, the governor of the
/// processors, sizes of packets. Hosts that differ have all their values.
fn settings(run: &Run) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for fact in &run.facts {
        let name = match (fact.section.as_str(), fact.name.as_str()) {
            ("kernel", name) if name.contains('.') => name.to_owned(),
            ("memory", name @ "transparent huge pages") => name.to_owned(),
            ("network", "MTU") => format!("MTU of {}", fact.subject),
            ("cpu", "governor") => "CPU governor".to_owned(),
            _ => continue,
        };
        let (values, value) = (all.entry(name).or_default(), fact.value.to_string());
        if !value.is_empty() && !values.contains(&value) {
            values.push(value);
        }
    }
    all.retain(|_, values| !values.is_empty());
    let joined = |(name, mut values): (String, Vec<String>)| {
        values.sort();
        (name, values.join(" or "))
    };
    all.into_iter().map(joined).collect()
}

/// Kind and options of the file systems that hold targets.
fn mounts(run: &Run) -> Vec<String> {
    let kinds = run.facts.iter().filter(|f| f.key() == FactKey::FILE_SYSTEM);
    let of = |subject: &str, key: FactKey<'_>| {
        let mut found = run
            .facts
            .iter()
            .filter(|f| f.subject == subject && f.key() == key);
        found
            .next()
            .map(|f| format!(" {}", f.value))
            .unwrap_or_default()
    };
    let all = kinds.map(|kind| {
        let options = of(&kind.subject, FactKey::MOUNT_OPTIONS);
        let own = of(&kind.subject, FactKey::FILE_SYSTEM_OPTIONS);
        format!("{}{options}{own}", kind.value)
    });
    all.collect()
}

fn targets(run: &Run) -> Vec<String> {
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    let workloads = stages.flat_map(|stage| &stage.workloads);
    workloads
        .flat_map(|w| match &w.blocks().target {
            Target::Paths(paths) => paths.clone(),
            Target::Files(set) => set.directories.clone(),
            Target::Null { .. } => vec!["nothing".to_owned()],
            Target::Simulated(_) => vec!["a simulated volume".to_owned()],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use leadline_model::facts::Fact;

    /// Of dozens of settings those alone are shown that differ; one that a run did not record is no difference.
    #[test]
    fn settings_that_differ_are_named() {
        let with = |facts: &[(&'static str, &'static str, &str, &str)]| {
            let mut run = fixture::run();
            let facts = facts.iter();
            let facts = facts.map(|(section, name, subject, value)| {
                Fact::new((*section, *name), subject, *value)
            });
            run.facts.extend(facts);
            environment(&run)
        };
        let a = with(&[
            ("kernel", "vm.dirty_ratio", "", "20"),
            ("kernel", "net.ipv4.tcp_rmem", "", "1 2 3"),
            ("memory", "transparent huge pages", "", "madvise"),
            ("network", "MTU", "eth0", "1500"),
            ("cpu", "governor", "", "performance"),
            ("host", "system", "", "Debian GNU/Linux 12 (bookworm)"),
        ]);
        let b = with(&[
            ("kernel", "vm.dirty_ratio", "", "20"),
            ("memory", "transparent huge pages", "", "always"),
            ("network", "MTU", "eth0", "9000"),
            ("network", "MTU", "eth1", "1500"),
            ("cpu", "governor", "", "performance"),
        ]);
        let system = a.get(&Property::System).map(ToString::to_string);
        assert_eq!(system.as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        let of = |all: &Properties| all.get(&Property::Settings).cloned().unwrap();
        assert!(of(&a).is_same_as(&of(&a)) && !of(&a).is_same_as(&of(&b)));
        let words = of(&a).unlike(&[of(&b)]).to_string();
        assert_eq!(
            words,
            "MTU of eth0 = 1500, transparent huge pages = madvise"
        );
        let words = of(&b).unlike(&[of(&a)]).to_string();
        assert_eq!(words, "MTU of eth0 = 9000, transparent huge pages = always");
    }
}
