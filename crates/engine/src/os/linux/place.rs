//! Where a target is, for hosts to be compared by it.
//!
//! Belongs here: looking. A folder that is mounted on demand is mounted by that, as it would be by the first file in
//! it. Must never: make anything.

use super::host::nearest;
use super::mount::{self, Mount};
use leadline_model::place::Place;
use rustix::fs::{CWD, Mode, OFlags, openat};
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Where the file or device at `path` is, or would be; what cannot be known is left empty.
#[must_use]
pub fn of(path: &Path) -> Place {
    let Some(near) = nearest(path) else {
        return Place::default();
    };
    let about = fs::metadata(&near).ok();
    if about
        .as_ref()
        .is_some_and(|m| m.file_type().is_block_device())
    {
        return Place {
            block: true,
            ..Place::default()
        };
    }
    // The dot after a folder makes it a step of the way, at which a file system is mounted on demand.
    let folder = about.is_some_and(|m| m.is_dir());
    let opened = if folder { near.join(".") } else { near };
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let number = openat(CWD, &opened, flags, Mode::empty())
        .ok()
        .and_then(|fd| {
            let text = fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.as_raw_fd())).ok()?;
            let line = text.lines().find_map(|line| line.strip_prefix("mnt_id:"))?;
            Some(line.trim().to_owned())
        });
    let table = mount::table();
    let found = number.and_then(|number| numbered(&table, &number));
    found.map_or_else(Place::default, as_place)
}

/// What hosts are compared by of a mount.
fn as_place(mount: Mount<'_>) -> Place {
    Place {
        block: false,
        file_system: mount.kind.to_owned(),
        part: mount.root != "/",
        mounted_at: mount.point,
        source: mount.source,
    }
}

/// The mount of this number.
fn numbered<'a>(table: &'a str, number: &str) -> Option<Mount<'a>> {
    let line = table
        .lines()
        .find(|line| line.split(' ').next() == Some(number))?;
    Mount::parse(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_lies_where_the_folder_above_it_does() {
        let dir = tempfile::tempdir().unwrap();
        let there = of(dir.path());
        assert!(!there.file_system.is_empty() && !there.block, "{there:?}");
        assert!(dir.path().starts_with(&there.mounted_at), "{there:?}");
        assert_eq!(of(&dir.path().join("a/b/c")), there);
        assert_eq!(of(Path::new("/proc/self/status")).file_system, "proc");
        assert_eq!(of(Path::new("/proc/none")).mounted_at, "/proc");
    }

    #[test]
    fn the_mount_is_that_of_the_number_and_not_one_that_lies_over_it() {
        let table = "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                     2 21 0:40 / /mnt rw - nfs4 s:/e rw\n\
                     30 2 0:41 / /mnt rw - tmpfs tmpfs rw\n";
        let kind = |number: &str| numbered(table, number).map(|m| m.kind.to_owned());
        assert_eq!(kind("2").as_deref(), Some("nfs4"));
        assert_eq!(kind("30").as_deref(), Some("tmpfs"));
        assert_eq!(kind("3"), None);
    }

    #[test]
    fn a_folder_of_a_file_system_is_distinguished_from_its_root() {
        let table = "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                     30 21 8:1 /srv/a /mnt rw - ext4 /dev/sda1 rw\n";
        let part = |number: &str| as_place(numbered(table, number).unwrap()).part;
        assert!(!part("21"));
        assert!(part("30"));
    }
}
