//! The table of mounts.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};

/// The whole table as text; empty when /proc is not there.
#[must_use]
pub fn table() -> String {
    std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
}

/// The mount that holds an absolute, canonical path: the last one with the longest mount point.
#[must_use]
pub fn holding<'a>(table: &'a str, path: &Path) -> Option<Mount<'a>> {
    of(table.lines().filter_map(Mount::parse), path)
}

/// The mounts of a table.
pub(crate) fn all(table: &str) -> Vec<Mount<'_>> {
    table.lines().filter_map(Mount::parse).collect()
}

/// Which of these mounts holds a path.
fn of<'a, M: Borrow<Mount<'a>>>(mounts: impl Iterator<Item = M>, path: &Path) -> Option<M> {
    mounts
        .filter(|m| path.starts_with(&m.borrow().point))
        .max_by_key(|m| m.borrow().point.len())
}

/// File systems whose files are interfaces of the kernel, and hold no data.
const INTERFACES: [&str; 15] = [
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "securityfs",
    "configfs",
    "bpf",
    "pstore",
    "efivarfs",
    "devpts",
    "fusectl",
    "selinuxfs",
    "binfmt_misc",
];

/// The kind of file system at a canonical path, where its files are interfaces of the kernel.
#[must_use]
pub(crate) fn interface<'a>(mounts: &[Mount<'a>], path: &Path) -> Option<&'a str> {
    let kind = of(mounts.iter(), path)?.kind;
    INTERFACES.contains(&kind).then_some(kind)
}

/// A group of a process, and where it is mounted.
pub(super) struct Membership<'a> {
    /// Its controllers with commas between; empty = version 2.
    pub(super) controllers: &'a str,
    /// Its path below the mount.
    pub(super) group: &'a str,
    /// The mount.
    pub(super) root: PathBuf,
}

/// The groups in the text of a process's cgroup file that are mounted by this table.
pub(super) fn memberships<'a>(own: &'a str, table: &str) -> impl Iterator<Item = Membership<'a>> {
    own.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?);
        Some(Membership {
            controllers,
            group,
            root: of_groups(table, controllers)?,
        })
    })
}

/// Where the control groups with these controllers (`cpu,cpuacct`) are mounted; none = version 2.
fn of_groups(table: &str, controllers: &str) -> Option<PathBuf> {
    let controllers: Vec<&str> = controllers.split(',').filter(|c| !c.is_empty()).collect();
    let found = table.lines().filter_map(Mount::parse).find(|m| {
        if controllers.is_empty() {
            m.kind == "cgroup2"
        } else {
            m.kind == "cgroup"
                && controllers
                    .iter()
                    .all(|c| m.super_options.split(',').any(|o| o == *c))
        }
    })?;
    Some(PathBuf::from(found.point))
}

/// A line of /proc/self/mountinfo.
#[derive(Clone, Debug)]
pub struct Mount<'a> {
    /// Device number, `8:1`.
    pub dev: &'a str,
    /// The folder of the file system that is mounted; `/` is all of it.
    pub root: &'a str,
    /// Where.
    pub point: String,
    /// Options of the mount.
    pub options: &'a str,
    /// Type of the file system.
    pub kind: &'a str,
    /// Device or server.
    pub source: String,
    /// Options of the file system.
    pub super_options: &'a str,
}

impl<'a> Mount<'a> {
    /// Reads a line; `None` when it is not one.
    pub fn parse(line: &'a str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(2);
        let dev = fields.next()?;
        let root = fields.next()?;
        let point = unescape(fields.next()?);
        let options = fields.next()?;
        let mut fields = system.split(' ');
        Some(Self {
            dev,
            root,
            point,
            options,
            kind: fields.next()?,
            source: unescape(fields.next()?),
            super_options: fields.next().unwrap_or(""),
        })
    }
}

/// Blanks and the like stand as three octal digits.
pub(super) fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        let code = text
            .get(i + 1..i + 4)
            .filter(|_| bytes[i] == b'\\')
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        out.push(code.unwrap_or(bytes[i]));
        i += if code.is_some() { 4 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_lines_are_read() {
        let line =
            r"36 35 98:0 /mnt1 /mnt\040two rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
        let m = Mount::parse(line).unwrap();
        assert_eq!((m.dev, m.root), ("98:0", "/mnt1"));
        assert_eq!(m.point, "/mnt two");
        assert_eq!((m.kind, m.source.as_str()), ("ext3", "/dev/root"));
        assert_eq!(
            (m.options, m.super_options),
            ("rw,noatime", "rw,errors=continue")
        );
        // A tmpfs may be mounted without a name.
        let m = Mount::parse("880 845 0:93 / / ro - tmpfs  ro,size=0k").unwrap();
        assert_eq!((m.source.as_str(), m.super_options), ("", "ro,size=0k"));
        assert!(Mount::parse("").is_none());
        assert_eq!(unescape(r"a\134b\x\04"), r"a\b\x\04");
    }

    #[test]
    fn the_longest_and_then_the_last_mount_holds_a_path() {
        let table = "1 0 1:1 / / rw - ext4 /dev/a rw\n\
                     2 1 1:2 / /x rw - xfs /dev/b rw\n\
                     3 1 1:3 / /x rw - nfs4 s:/e rw\n\
                     4 1 1:4 / /xy rw - xfs /dev/c rw\n";
        let kind = |p: &str| holding(table, Path::new(p)).unwrap().kind.to_owned();
        assert_eq!(kind("/a"), "ext4");
        assert_eq!(kind("/x/f"), "nfs4");
        assert_eq!(holding(table, Path::new("/xyz")).unwrap().point, "/");
    }
}
