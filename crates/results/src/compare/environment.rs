//! What is known of the hosts and targets of a run, as properties that can be compared.
//!
//! Belongs here: which facts are which property. Must never: look at a figure, or read anything but the run.

use crate::run::Run;
use crate::work::{Properties, Property, PropertyValue};
use leadline_model::facts::FactKey;
use leadline_model::plan::{FileSet, SimTarget, Target};
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
    let targets = targets(run);
    all.extend(targets.map(|targets| (Property::Target, targets)));
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

/// What all workloads work on, each once: paths, or the law of the simulated volume in their place.
fn targets(run: &Run) -> Option<PropertyValue> {
    let mut all: Vec<PropertyValue> = Vec::new();
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    for workload in stages.flat_map(|stage| &stage.workloads) {
        let text = |text: &String| PropertyValue::from(text.as_str());
        let own: Vec<PropertyValue> = match &workload.blocks().target {
            Target::Paths(paths) => paths.iter().map(text).collect(),
            Target::Files(FileSet {
                directories,
                // Options.
                pattern: _,
                count: _,
                name_may_be_device: _,
            }) => directories.iter().map(text).collect(),
            // An option.
            Target::Null { size: _ } => vec!["nothing".into()],
            Target::Simulated(target) => {
                let SimTarget {
                    law,
                    // What the law says, and where the host is.
                    volume: _,
                    // `size`, and options.
                    size: _,
                    files: _,
                    own_files: _,
                } = &**target;
                vec![PropertyValue::Law(in_one_line(law))]
            }
        };
        for value in own {
            if !value.to_string().is_empty() && !all.contains(&value) {
                all.push(value);
            }
        }
    }
    match all.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => {
            let words: Vec<String> = several.iter().map(ToString::to_string).collect();
            Some(words.join(", ").into())
        }
    }
}

/// A law without the blanks and ends of lines between its keys.
fn in_one_line(law: &str) -> String {
    let keys = law.split([',', '\n']).map(str::trim);
    let keys: Vec<&str> = keys.filter(|key| !key.is_empty()).collect();
    keys.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use leadline_model::facts::Fact;

    /// Two laws are two volumes, and of long ones the keys are said that differ.
    #[test]
    fn two_laws_of_a_simulated_volume_are_two_targets() {
        let of = |law: &str| {
            let mut run = fixture::run();
            let plan = run.plan.as_mut().unwrap();
            let workloads = plan
                .stages
                .iter_mut()
                .flat_map(|stage| &mut stage.workloads);
            workloads.for_each(|workload| {
                workload.blocks_mut().target = Target::Simulated(Box::new(SimTarget {
                    law: law.to_owned(),
                    ..SimTarget::default()
                }));
            });
            environment(&run).remove(&Property::Target).unwrap()
        };
        let (slow, fast) = (of("iops=1000,size=1g"), of("iops=2000,\nsize=1g"));
        assert_eq!(slow.to_string(), "simulated volume iops=1000,size=1g");
        assert_eq!(fast.to_string(), "simulated volume iops=2000,size=1g");
        assert!(slow.is_same_as(&slow) && !slow.is_same_as(&fast));
        let (long, more) = ("k=v,".repeat(30), "burst_iops=7000,burst_store=100000");
        let (plain, bursts) = (of(&format!("{long}iops=5")), of(&format!("{long}{more}")));
        let said = |own: &PropertyValue, other: &PropertyValue| {
            own.unlike(std::slice::from_ref(other)).to_string()
        };
        assert_eq!(said(&plain, &bursts), "simulated volume ...,iops=5");
        assert_eq!(
            said(&bursts, &plain),
            "simulated volume ...,burst_iops=7000,burst_store=100000"
        );
        assert_eq!(of("").to_string(), "simulated volume");
    }

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
