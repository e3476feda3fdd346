//! Whether the same targets lie alike on all hosts. Pure.
//!
//! Belongs here: which targets are the same, what of a place is compared, and the words for a difference. A folder of
//! one name is the same on all hosts whatever files a host has in it; hosts whose targets have other paths are not
//! compared. Of a place the type of the file system counts, the folder at which it is mounted, whether all of it is
//! mounted there or a folder of it (of the root disk, say), and, where it is on a server, which server and what of it;
//! never the names of a host's own devices, which differ on machines that are alike.

use crate::message::{FailureKind, HostFailure};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::failure::Failure;
use leadline_model::place::Place;
use leadline_model::plan::target::Target;
use leadline_model::plan::{FileSet, Stage};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What to do about it.
const CURE: (&str, [Knob; 1]) = (
    "mount what the other hosts have (findmnt -T DIRECTORY shows what is mounted), or accept the \
     difference if the hosts are meant to differ",
    [Knob::UnlikeHosts],
);

/// File systems on servers whose sources do not look like one: `USER@FSID.NAME=/` of Ceph, `SERVER:VOLUME` of Gluster.
const FAR: [&str; 11] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "ceph",
    "glusterfs",
    "lustre",
    "gpfs",
    "virtiofs",
    "9p",
    "orangefs",
];

/// Most targets and hosts that are listed.
const MOST: (usize, usize) = (10, 30);

/// Something to be asked of a host: a file, device or folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TargetQuery {
    /// Where, by the host's own names.
    pub(crate) path: String,
    /// It is a folder in which files are.
    folder: bool,
}

impl TargetQuery {
    /// The folder by which it is compared.
    fn folder(&self) -> &str {
        if self.folder {
            return &self.path;
        }
        match self.path.rsplit_once('/') {
            Some(("", _)) => "/",
            Some((folder, _)) => folder,
            None => ".",
        }
    }
}

/// The targets of a stage as a host has it, each once.
pub(crate) fn of_stage(stage: &Stage) -> BTreeSet<TargetQuery> {
    let targets = stage
        .workloads
        .iter()
        .map(|workload| &workload.blocks().target);
    targets.flat_map(of_target).collect()
}

fn of_target(target: &Target) -> Vec<TargetQuery> {
    let asked = |path: &str, folder| TargetQuery {
        path: path.to_owned(),
        folder,
    };
    match target {
        Target::Paths(paths) => paths.iter().map(|path| asked(path, false)).collect(),
        Target::Files(files) => folders(files)
            .iter()
            .map(|path| asked(path, true))
            .collect(),
        Target::Null { .. } | Target::Simulated(_) => Vec::new(),
    }
}

/// The folders of a file set, with those in the names of its files.
fn folders(files: &FileSet) -> Vec<String> {
    let FileSet {
        directories,
        pattern,
        // Not where they are; a device is one path.
        count: _,
        name_may_be_device: _,
    } = files;
    let here = [String::new()];
    let given = match directories.as_slice() {
        [] => &here,
        given => given,
    };
    let below = pattern.rsplit_once('/').map_or("", |(folder, _)| folder);
    // A name that is put in later says nothing yet.
    let below = below.find('$').map_or(below, |at| {
        let known = below[..at].rsplit_once('/');
        known.map_or("", |(folder, _)| folder)
    });
    let joined = |folder: &String| match (folder.trim_end_matches('/'), below) {
        _ if pattern.starts_with('/') => format!("/{}", below.trim_start_matches('/')),
        ("", "") if folder.is_empty() => ".".to_owned(),
        ("", below) => format!("{}{below}", if folder.is_empty() { "" } else { "/" }),
        (folder, "") => folder.to_owned(),
        (folder, below) => format!("{folder}/{below}"),
    };
    given.iter().map(joined).collect()
}

/// Where targets lie on a host.
pub(crate) type Seen = BTreeMap<TargetQuery, Place>;

/// What of a place is compared, in words.
fn words(place: &Place) -> Option<String> {
    if place.mounted_at.is_empty() {
        // What is not known is like all.
        return None;
    }
    let source = if is_far(place) {
        format!(" {}", place.source.trim_end_matches('/'))
    } else {
        String::new()
    };
    let part = if place.part { "a directory of " } else { "" };
    Some(match place.mounted_at.as_str() {
        "/" => format!("the root file system ({}{source})", place.file_system),
        at => format!("{part}{}{source} mounted at {at}", place.file_system),
    })
}

/// Whether the source names something that is the same whatever host says it: a server, a cluster, a bucket.
fn is_far(place: &Place) -> bool {
    let (kind, source) = (place.file_system.as_str(), place.source.as_str());
    source.starts_with("//")
        || source.contains(":/")
        || FAR.contains(&kind)
        // What a program in user space serves has the name that this gives it; a path is a device or folder of the
        // host.
        || (kind.starts_with("fuse") && !source.starts_with('/'))
}

/// What hosts have, and which hosts.
type Groups<'a> = BTreeMap<BTreeSet<String>, BTreeSet<&'a str>>;

/// What hosts have of each target, by its name.
fn groups<'a>(hosts: &'a [(String, Seen)]) -> BTreeMap<&'a str, Groups<'a>> {
    let mut found: BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    let devices: BTreeSet<&str> = hosts
        .iter()
        .flat_map(|(_, seen)| seen.iter().filter(|(_, place)| place.block))
        .map(|(asked, _)| asked.path.as_str())
        .collect();
    for (label, seen) in hosts {
        for (asked, place) in seen {
            let (name, what) = if devices.contains(asked.path.as_str()) {
                let file = || words(place).map(|on| format!("no device, but {on}"));
                let device = || "a block device".to_owned();
                (
                    asked.path.as_str(),
                    if place.block { Some(device()) } else { file() },
                )
            } else {
                (asked.folder(), words(place))
            };
            if let Some(what) = what {
                let of_host = found.entry(name).or_default().entry(label).or_default();
                of_host.insert(what);
            }
        }
    }
    let by_what = |hosts: BTreeMap<&'a str, BTreeSet<String>>| {
        let mut groups = Groups::new();
        for (label, what) in hosts {
            groups.entry(what).or_default().insert(label);
        }
        groups
    };
    found
        .into_iter()
        .map(|(name, hosts)| (name, by_what(hosts)))
        .collect()
}

/// Why hosts whose targets are on such storage may not run one plan together, unless the user accepts it.
pub(crate) fn unlike(hosts: &[(String, Seen)]) -> Option<HostFailure> {
    let all = groups(hosts);
    let unlike: Vec<_> = all.iter().filter(|(_, groups)| groups.len() > 1).collect();
    if unlike.is_empty() {
        return None;
    }
    let mut text = String::from("the same path is not on the same storage on all hosts: ");
    for (number, (name, groups)) in unlike.iter().take(MOST.0).enumerate() {
        let gap = if number == 0 { "" } else { "; " };
        let _ = write!(text, "{gap}{name} is {}", each(groups));
    }
    if let Some(more @ 1..) = unlike.len().checked_sub(MOST.0) {
        let _ = write!(text, "; and {more} more targets differ");
    }
    Some(HostFailure {
        kind: FailureKind::Refused,
        reasons: vec![Failure::new(ErrorCode::HostsUnlike, text, CURE)],
    })
}

/// What there is and on whom; the smallest group first, which is most likely the one that is wrong.
fn each(groups: &Groups<'_>) -> String {
    let mut groups: Vec<_> = groups.iter().collect();
    groups.sort_by_key(|(_, hosts)| hosts.len());
    let each = groups.into_iter().map(|(what, hosts)| {
        let what: Vec<&str> = what.iter().map(String::as_str).collect();
        let mut names: Vec<String> = hosts.iter().take(MOST.1).map(|h| (*h).to_owned()).collect();
        if let Some(more @ 1..) = hosts.len().checked_sub(MOST.1) {
            names.push(format!("{more} more"));
        }
        format!("{} on {}", what.join(" and "), listed(&names))
    });
    each.collect::<Vec<_>>().join(", and ")
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::Workload;

    fn place(file_system: &str, mounted_at: &str, source: &str) -> Place {
        Place {
            block: false,
            file_system: file_system.to_owned(),
            mounted_at: mounted_at.to_owned(),
            source: source.to_owned(),
            part: false,
        }
    }

    fn device() -> Place {
        Place {
            block: true,
            ..Place::default()
        }
    }

    /// A host with files at these places.
    fn host(label: &str, files: &[(&str, Place)]) -> (String, Seen) {
        let files = files.iter().map(|(path, place)| {
            let asked = TargetQuery {
                path: (*path).to_owned(),
                folder: false,
            };
            (asked, place.clone())
        });
        (label.to_owned(), files.collect())
    }

    fn reported(hosts: &[(String, Seen)]) -> Option<String> {
        unlike(hosts).map(|failure| failure.what())
    }

    #[test]
    fn a_folder_that_is_not_mounted_on_one_host_is_reported_whatever_the_file_names() {
        let there = |n: u32| {
            host(
                &format!("vm{n}"),
                &[
                    (
                        &format!("/mnt/vdb3/file-{n}-1"),
                        place("nfs4", "/mnt/vdb3", "10.0.0.4:/vol3"),
                    ),
                    (
                        &format!("/mnt/vdb4/file-{n}-1"),
                        place("nfs4", "/mnt/vdb4", "10.0.0.4:/vol4"),
                    ),
                ],
            )
        };
        assert_eq!(reported(&[there(1), there(2)]), None);
        let bare = host(
            "vm3",
            &[("/mnt/vdb3/file-3-1", place("ext4", "/", "/dev/sda1"))],
        );
        assert_eq!(
            reported(&[there(1), bare, there(2)]).unwrap(),
            "the same path is not on the same storage on all hosts: /mnt/vdb3 is the root file \
             system (ext4) on vm3, and nfs4 10.0.0.4:/vol3 mounted at /mnt/vdb3 on vm1 and vm2"
        );
    }

    #[test]
    fn type_mount_point_and_server_count_and_names_of_own_devices_do_not() {
        let pair = |a: Place, b: Place| {
            reported(&[host("a", &[("/x/f", a)]), host("b", &[("/x/f", b)])]).is_some()
        };
        let own = |name: &str| place("ext4", "/x", name);
        assert!(!pair(own("/dev/sda1"), own("/dev/vda1")));
        assert!(pair(own("/dev/sda1"), place("xfs", "/x", "/dev/sda1")));
        assert!(pair(own("/dev/sda1"), place("ext4", "/", "/dev/sda1")));
        let far = |name: &str| place("nfs4", "/x", name);
        assert!(pair(far("s1:/e"), far("s2:/e")));
        assert!(pair(far("s1:/e"), far("s1:/f")));
        assert!(pair(far("s1:/"), far("s2:/")));
        assert!(!pair(far("s1:/e"), far("s1:/e/")));
        let share = |name: &str| place("cifs", "/x", name);
        assert!(pair(share("//s1/e"), share("//s2/e")));
        let ceph = |name: &str| place("ceph", "/x", name);
        assert!(pair(ceph("u@1.fs=/a"), ceph("u@1.fs=/b")));
        let fuse = |name: &str| place("fuse.glusterfs", "/x", name);
        assert!(pair(fuse("s1:vol1"), fuse("s1:vol2")));
        assert!(!pair(
            place("fuseblk", "/x", "/dev/sda1"),
            place("fuseblk", "/x", "/dev/sdb1")
        ));
        // What is not known is not held against anybody.
        assert!(!pair(Place::default(), far("s1:/e")));
    }

    #[test]
    fn a_folder_of_another_file_system_is_unlike_a_file_system_of_its_own() {
        let own = place("ext4", "/mnt/vdb3", "/dev/vdb");
        let bound = Place {
            source: "/dev/vda1".to_owned(),
            part: true,
            ..own.clone()
        };
        let on = |label: &str, place: &Place| host(label, &[("/mnt/vdb3/f", place.clone())]);
        assert_eq!(reported(&[on("a", &bound), on("b", &bound)]), None);
        assert_eq!(
            reported(&[on("a", &own), on("b", &own), on("c", &bound)]).unwrap(),
            "the same path is not on the same storage on all hosts: /mnt/vdb3 is a directory of \
             ext4 mounted at /mnt/vdb3 on c, and ext4 mounted at /mnt/vdb3 on a and b"
        );
    }

    #[test]
    fn a_device_is_like_any_device_and_unlike_a_file() {
        let dev = |label: &str, place| host(label, &[("/dev/nvme0n1", place)]);
        assert_eq!(reported(&[dev("a", device()), dev("b", device())]), None);
        let file = place("devtmpfs", "/dev", "udev");
        assert_eq!(
            reported(&[dev("a", device()), dev("b", file)]).unwrap(),
            "the same path is not on the same storage on all hosts: /dev/nvme0n1 is a block \
             device on a, and no device, but devtmpfs mounted at /dev on b"
        );
    }

    #[test]
    fn other_paths_are_other_targets() {
        let a = host("a", &[("/data/a/f", place("xfs", "/data/a", "/dev/sda"))]);
        let b = host("b", &[("/data/b/f", place("ext4", "/", "/dev/sda"))]);
        assert_eq!(reported(&[a, b]), None);
    }

    #[test]
    fn targets_are_files_and_folders_with_keywords_replaced() {
        let files = |directories: &[&str], pattern: &str| {
            Target::Files(FileSet {
                directories: directories.iter().map(|d| (*d).to_owned()).collect(),
                pattern: pattern.to_owned(),
                count: 1,
                name_may_be_device: false,
            })
        };
        let paths = |target| {
            let stage = Stage {
                workloads: vec![Workload::new("w", target)],
                ..Stage::default()
            };
            let asked = of_stage(&stage).into_iter();
            asked
                .map(|a| (a.path.clone(), a.folder().to_owned()))
                .collect::<Vec<_>>()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(paths(files(&[], "$jobname.0")), [pair(".", ".")]);
        assert_eq!(paths(files(&["/d"], "sub/f")), [pair("/d/sub", "/d/sub")]);
        assert_eq!(
            paths(files(&["/d"], "a/x$jobnum/f")),
            [pair("/d/a", "/d/a")]
        );
        assert_eq!(paths(files(&["/d/"], "x$jobnum/f")), [pair("/d", "/d")]);
        assert_eq!(paths(files(&["/"], "f")), [pair("/", "/")]);
        assert_eq!(paths(files(&[], "/abs/f")), [pair("/abs", "/abs")]);
        let each = Target::Paths(vec!["/a".into(), "b".into(), "/c/d".into()]);
        let found = [pair("/a", "/"), pair("/c/d", "/c"), pair("b", ".")];
        assert_eq!(paths(each), found);
        assert_eq!(paths(Target::Null { size: 1 }), []);
    }
}
