//! A stage as one host of several gets it. Pure.
//!
//! Belongs here: which workloads are whose, the host's own paths and file names and seeds, and taking out
//! what only the controller can see (rules about all hosts together).

use leadline_model::plan::target::Target;
use leadline_model::plan::{
    EndsOthers, HostSet, HostSpec, Mount, Original, Plan, Stage, Until, Workload,
};
use leadline_model::seed;
use leadline_model::units::Nanos;

/// What one host does in a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The stage as the host gets it.
    pub stage: Stage,
    /// Number in the plan's stage of each of its workloads.
    pub workloads: Vec<u32>,
}

/// The part of host number `host` in a stage; without workloads when it has nothing to do in it.
#[must_use]
pub fn part(stage: &Stage, host: u32, spec: &HostSpec) -> Part {
    let mut workloads = Vec::new();
    let mut mine = Vec::new();
    for (number, workload) in (0_u32..).zip(&stage.workloads) {
        if workload.hosts.contains(host) {
            workloads.push(number);
            mine.push(own(workload, host, spec));
        }
    }
    let stage = Stage {
        name: stage.name.clone(),
        // The controller waits for all of them.
        pause: Nanos::ZERO,
        workloads: mine,
        original: Original::default(),
        asked: stage.asked,
        rate: stage.rate,
        series: None,
        shares: stage.shares,
        until: Until::default(),
        mounts: mounts(stage, host),
        point: None,
        server_cache: stage.server_cache,
    };
    Part { stage, workloads }
}

/// What a host mounts before a stage.
fn mounts(stage: &Stage, host: u32) -> Vec<Mount> {
    let mine = stage.mounts.iter();
    let mine = mine.filter(|m| m.hosts.contains(host));
    mine.map(|m| Mount {
        hosts: HostSet::ALL,
        ..m.clone()
    })
    .collect()
}

/// The plan as a host gets it: what it needs beside the stages.
#[must_use]
pub fn plan(plan: &Plan, spec: &HostSpec) -> Plan {
    let mut own = Plan {
        title: plan.title.clone(),
        source: leadline_model::plan::Source {
            dialect: plan.source.dialect,
            ..Default::default()
        },
        given: Vec::new(),
        original: Original::default(),
        interval: plan.interval,
        stages: Vec::new(),
        read_only: plan.read_only,
        destroy: plan.destroy.clone(),
        hosts: Vec::new(),
        slices: plan.slices,
        partial_totals_every: plan.partial_totals_every,
        study: None,
    };
    let there: Vec<String> = own.destroy.iter().map(|p| mapped(p, spec)).collect();
    own.destroy = there;
    own
}

/// A workload as it is on one host.
fn own(workload: &Workload, host: u32, spec: &HostSpec) -> Workload {
    let mut own = workload.clone();
    own.hosts = HostSet::ALL;
    own.original = Original::default();
    if own.stop.ends_others == EndsOthers::StageTogether {
        own.stop.ends_others = EndsOthers::None;
    }
    // Where hosts share a file system, each has its own files all the same; those of a study have one name, on however
    // many hosts a point runs.
    let is_shared = workload.hosts.single().is_none();
    let named = is_shared || workload.blocks().prepare.own.is_some();
    match &mut own.blocks_mut().target {
        Target::Paths(paths) => paths.iter_mut().for_each(|p| *p = mapped(p, spec)),
        Target::Files(files) => {
            files
                .directories
                .iter_mut()
                .for_each(|d| *d = mapped(d, spec));
            if named {
                files.pattern = in_name(&files.pattern, &spec.label);
            }
        }
        Target::Simulated(target) if target.own_files && named => {
            let names = target.files.iter_mut();
            names.for_each(|name| *name = in_name(name, &spec.label));
        }
        Target::Null { .. } | Target::Simulated(_) => {}
    }
    if is_shared && let Some(seed) = own.blocks().access.seed {
        own.blocks_mut().access.seed = Some(seed::of_host(seed, host));
    }
    own
}

/// The pattern of file names with the host's label before the name, which may be in a directory.
fn in_name(pattern: &str, label: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') {
            c
        } else {
            '_'
        }
    };
    let label: String = label.chars().map(plain).collect();
    match pattern.rsplit_once('/') {
        Some((directory, name)) => format!("{directory}/{label}.{name}"),
        None => format!("{label}.{pattern}"),
    }
}

/// A path as it is on a host: the longest replacement that matches the beginning of it, at the border of
/// a name, counts.
#[must_use]
pub fn mapped(path: &str, spec: &HostSpec) -> String {
    match replacement(path, &spec.paths) {
        Some((to, rest)) => format!("{to}{rest}"),
        None => path.to_owned(),
    }
}

/// What stands in for the beginning of a path, by pairs of a beginning and its replacement, and the rest of the path:
/// the longest beginning that matches at the border of a name counts. `None` = none matches.
fn replacement<'a>(path: &'a str, pairs: &'a [(String, String)]) -> Option<(&'a str, &'a str)> {
    let matching = pairs.iter().filter_map(|(from, to)| {
        let rest = path.strip_prefix(from.as_str())?;
        let at_border = rest.is_empty() || rest.starts_with('/') || from.ends_with('/');
        at_border.then_some((from.len(), to.as_str(), rest))
    });
    let (_, to, rest) = matching.max_by_key(|(len, _, _)| *len)?;
    Some((to, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::FileSet;

    fn spec(label: &str, paths: &[(&str, &str)]) -> HostSpec {
        let paths = paths
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        HostSpec {
            paths: paths.collect(),
            ..HostSpec::local(label)
        }
    }

    #[test]
    fn the_longest_mapping_that_ends_with_a_name_counts() {
        let spec = spec(
            "a",
            &[("/mnt", "/data"), ("/mnt/fast", "/nvme"), ("/x/", "/y/")],
        );
        for (from, to) in [
            ("/mnt/fast/f", "/nvme/f"),
            ("/mnt/fastest/f", "/data/fastest/f"),
            ("/mnt", "/data"),
            ("/mntal/f", "/mntal/f"),
            ("/x/f", "/y/f"),
            ("f", "f"),
        ] {
            assert_eq!(mapped(from, &spec), to);
        }
    }

    #[test]
    fn a_host_gets_its_workloads_its_names_and_its_seeds() {
        let files = |pattern: &str| {
            Target::Files(FileSet {
                directories: vec!["/mnt/d".into()],
                pattern: pattern.into(),
                count: 1,
                name_may_be_device: false,
            })
        };
        let mut stage = Stage::default();
        stage
            .workloads
            .push(Workload::new("each", files("$jobname.$filenum")));
        stage
            .workloads
            .push(Workload::new("first", Target::Paths(vec!["/mnt/p".into()])));
        stage
            .workloads
            .push(Workload::new("second", files("sub/f")));
        stage.workloads[0].blocks_mut().access.seed = Some(7);
        stage.workloads[0].stop.ends_others = EndsOthers::StageTogether;
        stage.workloads[1].hosts = HostSet::one(0);
        stage.workloads[2].hosts = HostSet::one(1);
        stage.workloads[2].blocks_mut().access.seed = Some(7);
        stage.pause = Nanos::SECOND;
        stage.until.moved = Some(1);
        let second = part(&stage, 1, &spec("h 2", &[("/mnt", "/data")]));
        assert_eq!(second.workloads, [0, 2]);
        assert_eq!((second.stage.pause, second.stage.until), Default::default());
        let [each, own] = second.stage.workloads.as_slice() else {
            panic!("{second:?}");
        };
        let pattern = |w: &Workload| match &w.blocks().target {
            Target::Files(f) => (f.directories[0].clone(), f.pattern.clone()),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            pattern(each),
            ("/data/d".into(), "h_2.$jobname.$filenum".into())
        );
        assert_eq!(pattern(own), ("/data/d".into(), "sub/f".into()));
        assert_eq!(each.stop.ends_others, EndsOthers::None);
        assert_ne!(each.blocks().access.seed, Some(7));
        assert_eq!(own.blocks().access.seed, Some(7));
        // The files of a study have one name, whether one host runs a point or several.
        stage.workloads[2].blocks_mut().prepare.own = Some("study".into());
        let alone = part(&stage, 1, &spec("h2", &[]));
        assert_eq!(pattern(&alone.stage.workloads[1]).1, "sub/h2.f");
        let first = part(&stage, 0, &spec("h1", &[]));
        assert_eq!(first.workloads, [0, 1]);
        assert_eq!(first.stage.workloads[0].blocks().access.seed, Some(7));
        assert_eq!(in_name("a/b", "x"), "a/x.b");
    }

    #[test]
    fn some_hosts_have_files_and_seeds_of_their_own_and_the_others_nothing() {
        let files = FileSet {
            directories: vec!["/d".into()],
            pattern: "f".into(),
            count: 1,
            name_may_be_device: false,
        };
        let mut workload = Workload::new("some", Target::Files(files));
        workload.blocks_mut().access.seed = Some(7);
        workload.hosts = HostSet::only([0, 2]).unwrap();
        let mount = |hosts, line: &str| Mount {
            hosts,
            line: line.into(),
            once: true,
        };
        let stage = Stage {
            workloads: vec![workload],
            mounts: vec![
                mount(HostSet::ALL, "all"),
                mount(HostSet::only([1, 2]).unwrap(), "two"),
            ],
            ..Stage::default()
        };
        let own = |host| {
            let part = part(&stage, host, &spec(&format!("h{host}"), &[]));
            let lines: Vec<String> = part.stage.mounts.into_iter().map(|m| m.line).collect();
            let mine = part.stage.workloads.into_iter().next().map(|w| {
                assert!(w.hosts.is_all());
                let Target::Files(files) = &w.blocks().target else {
                    panic!("{w:?}");
                };
                (files.pattern.clone(), w.blocks().access.seed)
            });
            (lines, mine)
        };
        let (first, second, third) = (own(0), own(1), own(2));
        assert_eq!(first.0, ["all"]);
        assert_eq!(
            (second.0, second.1),
            (vec!["all".into(), "two".into()], None)
        );
        assert_eq!(third.0, ["all", "two"]);
        let seed = |host| Some(seed::of_host(7, host));
        assert_eq!(first.1, Some(("h0.f".into(), seed(0))));
        assert_eq!(third.1, Some(("h2.f".into(), seed(2))));
    }
}
