//! The network file systems that hold targets: what the NFS client counted, and the connections to their servers.
//!
//! Belongs here: which mounts those are, and where their servers listen. Must never: say an address.

use super::super::host::nearest;
use super::super::mount::{self, unescape};
use super::flows::{self, Flows};
use super::{nfs, text};
use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::units::Nanos;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// The mounts as they were at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    mounts: Vec<Remote>,
    nfs: Vec<nfs::NfsMount>,
}

/// A mount from a server.
#[derive(Clone, Debug)]
struct Remote {
    point: String,
    /// Its kind and its options.
    in_force: String,
    /// Connections that it was to have; `None` = not known.
    asked: Option<u64>,
    server: Option<SocketAddr>,
    flows: Option<Flows>,
}

impl Network {
    /// Those that hold these targets, in the kernel's files below `root`.
    pub(super) fn below(root: &Path, paths: &[PathBuf], table: &str) -> Self {
        let mut mounts: Vec<Remote> = Vec::new();
        for path in paths.iter().take(super::MOST_TARGETS) {
            let near = nearest(path).and_then(|near| fs::canonicalize(near).ok());
            let Some(held) = near.and_then(|near| mount::holding(table, &near)) else {
                continue;
            };
            let Some(port) = port(&held) else { continue };
            if mounts.iter().any(|m| m.point == held.point) {
                continue;
            }
            let option = |name: &str| option(held.super_options, name);
            let server = option("addr").and_then(|a| a.parse::<IpAddr>().ok());
            let server = server.map(|ip| SocketAddr::new(ip, port));
            mounts.push(Remote {
                asked: asked(&text(root, "etc/fstab"), &held.point)
                    .or_else(|| option("nconnect")?.parse().ok()),
                flows: server.and_then(flows::to),
                server,
                in_force: in_force(&held),
                point: held.point,
            });
        }
        Self {
            nfs: match mounts.is_empty() {
                true => Vec::new(),
                false => nfs::parse(&text(root, "proc/self/mountstats")),
            },
            mounts,
        }
    }

    /// What was added until now.
    pub(super) fn until_now(&self, root: &Path) -> Vec<Fact> {
        let mut facts = Vec::new();
        if self.mounts.is_empty() {
            return facts;
        }
        let now = nfs::parse(&text(root, "proc/self/mountstats"));
        for remote in &self.mounts {
            let of = |all: &[nfs::NfsMount]| {
                // Of mounts over one another the last one is seen.
                all.iter().rfind(|m| m.point == remote.point).cloned()
            };
            if let Some((before, after)) = of(&self.nfs).zip(of(&now)) {
                facts.extend(before.until(&after));
            }
            let mut put = |key, value| facts.push(Fact::new(key, &remote.point, value));
            put(
                FactKey::MOUNT_IN_FORCE,
                FactValue::Text(remote.in_force.clone()),
            );
            if let Some(asked) = remote.asked {
                put(FactKey::NFS_CONNECTIONS_ASKED, FactValue::Count(asked));
            }
            let now = remote.server.and_then(flows::to);
            if let Some(after) = now.filter(|now| now.number > 0) {
                put(FactKey::CONNECTIONS, FactValue::Count(after.number));
            }
            if let Some((before, after)) = remote.flows.zip(now).filter(|f| f.1.number > 0) {
                if after.round_trip_us > 0 {
                    let nanos = Nanos(after.round_trip_us.saturating_mul(1000));
                    put(FactKey::ROUND_TRIP, nanos.into());
                }
                let sent = after.sent.saturating_sub(before.sent);
                let again = after.again.saturating_sub(before.again);
                put(FactKey::SEGMENTS_SENT, FactValue::Count(sent));
                put(FactKey::SEGMENTS_AGAIN, FactValue::Count(again));
            }
        }
        facts
    }
}

/// Where a mount's server listens; `None` = it is not from a server.
fn port(mount: &mount::Mount<'_>) -> Option<u16> {
    let usual = match mount.kind {
        "nfs" | "nfs4" => 2049,
        "cifs" | "smb3" => 445,
        _ => return None,
    };
    let said = option(mount.super_options, "port").and_then(|port| port.parse().ok());
    Some(said.filter(|port| *port > 0).unwrap_or(usual))
}

/// The kind of a mount and its options, those that say who or where left out.
fn in_force(mount: &mount::Mount<'_>) -> String {
    /// Addresses and names.
    const OTHERS: [&str; 10] = [
        "addr",
        "clientaddr",
        "mountaddr",
        "mounthost",
        "srcaddr",
        "username",
        "user",
        "domain",
        "uid",
        "gid",
    ];
    let each = mount
        .super_options
        .split(',')
        .chain(mount.options.split(','));
    let mut kept: Vec<&str> = Vec::new();
    for option in each {
        let name = option.split('=').next().unwrap_or(option);
        if !option.is_empty() && !OTHERS.contains(&name) && !kept.contains(&option) {
            kept.push(option);
        }
    }
    format!("{} {}", mount.kind, kept.join(","))
}

fn option<'a>(options: &'a str, name: &str) -> Option<&'a str> {
    let mut all = options.split(',').filter_map(|o| o.split_once('='));
    all.find(|(n, _)| *n == name).map(|(_, value)| value)
}

/// The `nconnect` of a mount point in the text of /etc/fstab.
fn asked(fstab: &str, point: &str) -> Option<u64> {
    let lines = fstab
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let fields = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut options = fields.filter_map(|fields| match fields.as_slice() {
        [_, at, kind, options, ..] if kind.starts_with("nfs") && unescape(at) == point => {
            Some((*options).to_owned())
        }
        _ => None,
    });
    option(&options.next()?, "nconnect")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_mount_was_to_have_is_in_its_options_or_in_fstab() {
        let fstab = "# srv:/e /mnt nfs nconnect=2 0 0\n\
                     srv:/e /mnt nfs4 rw,nconnect=8 0 0\n\
                     srv:/o /mnt\\040two nfs rw 0 0\n/dev/sda /x ext4 nconnect=3 0 0\n";
        assert_eq!(asked(fstab, "/mnt"), Some(8));
        assert_eq!(asked(fstab, "/mnt two"), None);
        assert_eq!(asked(fstab, "/x"), None);
        let of = |line: &str| mount::Mount::parse(line).and_then(|m| port(&m));
        assert_eq!(
            of("1 0 0:50 / /n rw - nfs4 srv:/e rw,addr=10.0.0.1"),
            Some(2049)
        );
        assert_eq!(of("1 0 0:50 / /n rw - nfs4 srv:/e rw,port=0"), Some(2049));
        assert_eq!(
            of("1 0 0:50 / /n rw - nfs srv:/e rw,port=13049"),
            Some(13049)
        );
        assert_eq!(of("1 0 0:50 / /n rw - cifs //srv/e rw"), Some(445));
        assert_eq!(of("1 0 8:1 / /n rw - ext4 /dev/a rw"), None);
        let line = "1 0 0:50 / /n rw,noatime - nfs4 srv:/e rw,vers=4.1,nconnect=8,clientaddr=10.0.0.2,addr=10.0.0.1";
        let held = mount::Mount::parse(line).unwrap();
        assert_eq!(in_force(&held), "nfs4 rw,vers=4.1,nconnect=8,noatime");
    }
}
