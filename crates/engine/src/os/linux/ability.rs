//! What the kernel takes of I/Os on a target: found out without reading or writing any of its bytes.
//!
//! Must never: leave anything behind. Where there is no file yet, a file without a name in its folder is asked, which
//! no other process sees and which is gone when it is closed.

use super::file::{self, Handle, Open};
use super::{host, pages};
use leadline_model::plan::Power;
use rustix::fs::{AtFlags, StatxFlags};
use rustix::io::{Errno, ReadWriteFlags};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

/// Past the end of every file, where a read touches nothing, not even its time of access.
const PAST_END: u64 = i64::MAX as u64 - 8191;

/// STATX_ATTR_WRITE_ATOMIC, since Linux 6.11.
const WRITE_ATOMIC: u64 = 0x0040_0000;

/// Whether the administrator has io_uring disabled.
pub(crate) fn is_uring_disabled() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled")
        .is_ok_and(|text| text.trim() != "0")
}

/// Whether an open file takes I/Os with this power; `None` = not known.
pub(crate) fn takes(file: impl AsFd, power: Power) -> Option<bool> {
    let mark = match power {
        Power::Nowait => libc::RWF_NOWAIT,
        Power::Uncached => libc::RWF_DONTCACHE,
        Power::AtomicWrites => return Some(is_written_atomically(file)),
        _ => return None,
    };
    let mark = ReadWriteFlags::from_bits_retain(mark.cast_unsigned());
    let mut byte = [0];
    match rustix::io::preadv2(file, &mut [IoSliceMut::new(&mut byte)], PAST_END, mark) {
        Ok(_) | Err(Errno::AGAIN) => Some(true),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Some(false),
        // Other errors are not about the mark.
        Err(_) => None,
    }
}

/// Whether buffered writes to what is or would be at a path can be asked not to wait; `None` = not known. A file system
/// may take that of reads alone. A file without a name in the same folder is written, never the one at the path.
pub(crate) fn takes_buffered_nowait_writes_at(path: &Path) -> Option<bool> {
    let folder = match std::fs::metadata(path) {
        // The kernel takes it of direct writes only, whatever the device.
        Ok(meta) if meta.file_type().is_block_device() => return Some(false),
        Ok(meta) if meta.is_file() => std::fs::canonicalize(path).ok()?,
        Ok(_) => return None,
        Err(_) => host::place(path),
    };
    let folder = host::nearest(folder.parent()?)?;
    let file = (Open::READ_WRITE | Open::NAMELESS).at(&folder).ok()?;
    let mark = ReadWriteFlags::from_bits_retain(libc::RWF_NOWAIT.cast_unsigned());
    match rustix::io::pwritev2(file, &[IoSlice::new(&[0])], 0, mark) {
        Ok(_) | Err(Errno::AGAIN) => Some(true),
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Some(false),
        Err(_) => None,
    }
}

fn is_written_atomically(file: impl AsFd) -> bool {
    let mask = StatxFlags::from_bits_retain(libc::STATX_WRITE_ATOMIC);
    let known = rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, mask);
    known.is_ok_and(|facts| facts.stx_attributes.bits() & WRITE_ATOMIC != 0)
}

/// The same of what is or would be at a path.
pub(crate) fn takes_at(path: &Path, power: Power) -> Option<bool> {
    takes(sample(path)?, power)
}

/// Whether what is or would be at a path can be mapped; `None` = not known.
pub(crate) fn maps_at(path: &Path) -> Option<bool> {
    match pages::map_and_unmap(sample(path)?) {
        Ok(()) => Some(true),
        Err(Errno::NODEV) => Some(false),
        Err(_) => None,
    }
}

/// What is at a path, or a file without a name where it would be.
fn sample(path: &Path) -> Option<Handle> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => None,
        Ok(_) => {
            let read = Open::READ | Open::NO_WAIT;
            let quiet = (read | Open::NO_ACCESS_TIME).at(path);
            let opened = quiet.or_else(|_| read.at(path)).ok()?;
            let what = file::look(&opened).ok()?.what;
            (what != file::Type::Other).then_some(opened)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = host::nearest(host::place(path).parent()?)?;
            (Open::READ_WRITE | Open::NAMELESS).at(&folder).ok()
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn asking_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, [7; 5000]).unwrap();
        let state = || {
            let of = |path: &Path| {
                let meta = fs::metadata(path).unwrap();
                let times = [meta.atime_nsec(), meta.mtime_nsec(), meta.ctime_nsec()];
                (times, meta.len(), meta.nlink())
            };
            let names = fs::read_dir(dir.path()).unwrap().count();
            (of(&path), of(dir.path()).0[1..].to_vec(), names)
        };
        let before = state();
        for path in [&path, &dir.path().join("new"), &dir.path().join("a/b/new")] {
            for power in Power::ALL {
                takes_at(path, power);
            }
            takes_buffered_nowait_writes_at(path);
            assert_eq!(maps_at(path), Some(true), "{}", path.display());
        }
        assert_eq!(state(), before);
        assert_eq!(fs::read(&path).unwrap(), [7; 5000]);
    }

    #[test]
    fn what_is_said_of_writes_is_what_a_write_meets() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let said = takes_buffered_nowait_writes_at(&path);
        fs::write(&path, [7; 4096]).unwrap();
        assert_eq!(takes_buffered_nowait_writes_at(&path), said, "there or not");
        let file = fs::File::options().write(true).open(&path).unwrap();
        let mark = ReadWriteFlags::from_bits_retain(libc::RWF_NOWAIT.cast_unsigned());
        let met = rustix::io::pwritev2(file, &[IoSlice::new(&[8])], 0, mark);
        let Some(said) = said else {
            return leadline_testkit::skip("engine::nowait_writes", "no files without a name");
        };
        assert_eq!(met.is_ok() || met == Err(Errno::AGAIN), said, "{met:?}");
        assert_eq!(
            takes_buffered_nowait_writes_at(Path::new("/dev/null")),
            None
        );
    }

    #[test]
    fn what_is_no_file_is_not_asked() {
        for path in ["/", "/dev/null", "/dev/null/x"] {
            assert_eq!(takes_at(Path::new(path), Power::Nowait), None, "{path}");
        }
        let made_up = Path::new("/sys/devices/system/cpu/online");
        assert_eq!(maps_at(made_up), Some(false));
    }
}
