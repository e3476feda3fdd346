//! Which parts of a file hold data. Reading a hole or an extent that was claimed but never written
//! asks no device for anything, so a figure from it is worth nothing: this finds them.
#![expect(unsafe_code, reason = "FIEMAP has no safe wrapper")]

use rustix::fs::SeekFrom;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// Extents asked for in one call.
const BATCH: usize = 256;
/// Extents looked at before the rest is taken to be alike: 64 calls, some milliseconds.
const MOST: usize = 64 * BATCH;
const FS_IOC_FIEMAP: libc::Ioctl = 0xC020_660B_u32 as libc::Ioctl;
const FLAG_SYNC: u32 = 1;
const EXTENT_LAST: u32 = 1;
const EXTENT_UNWRITTEN: u32 = 0x800;

/// One extent as the kernel returns it (linux/fiemap.h).
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct FiemapExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// A request with room for the answer (linux/fiemap.h).
#[repr(C)]
struct Fiemap {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    extents: [FiemapExtent; BATCH],
}

/// How much of a range holds data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Bytes looked at.
    pub examined: u64,
    /// Bytes without an extent.
    pub holes: u64,
    /// Bytes claimed but never written.
    pub unwritten: u64,
}

/// Looks at `len` bytes from `start` of a regular file. File systems that report holes neither by FIEMAP nor by
/// SEEK_HOLE seem to hold data throughout. Of a file in very many pieces only the first part is
/// examined.
///
/// # Errors
/// Only when the file itself cannot be asked.
pub fn coverage(file: impl AsFd, start: u64, len: u64) -> io::Result<Coverage> {
    let fd = file.as_fd();
    let size = rustix::fs::fstat(fd)?.st_size;
    let size = u64::try_from(size).unwrap_or(0);
    let end = start.saturating_add(len).min(size);
    if start >= end {
        return Ok(Coverage::default());
    }
    match by_fiemap(fd, start, end, 0) {
        // Data still in the cache only shows as unwritten: once more with it written back.
        Ok(c) if c.unwritten > 0 => by_fiemap(fd, start, end, FLAG_SYNC),
        Ok(c) => Ok(c),
        Err(_) => by_seek(fd, start, end),
    }
}

fn by_fiemap(fd: BorrowedFd<'_>, start: u64, end: u64, flags: u32) -> io::Result<Coverage> {
    let mut map = Box::new(Fiemap {
        start,
        length: end - start,
        flags,
        mapped: 0,
        count: u32::try_from(BATCH).unwrap_or(0),
        reserved: 0,
        extents: [FiemapExtent::default(); BATCH],
    });
    let mut found = Coverage::default();
    let mut at = start;
    let mut seen = 0;
    loop {
        map.start = at;
        map.length = end - at;
        map.mapped = 0;
        // SAFETY: the request is FS_IOC_FIEMAP, `map` is its repr(C) struct with room for `count`
        // extents, and it lives until the call returns.
        let rc = unsafe { libc::ioctl(fd.as_raw_fd(), FS_IOC_FIEMAP, &raw mut *map) };
        if rc != 0 {
            return Err(io::Error::last_os_error());
        }
        let mapped = usize::try_from(map.mapped).unwrap_or(0).min(BATCH);
        let mut last = mapped == 0;
        for extent in &map.extents[..mapped] {
            let from = extent.logical.max(at);
            let to = extent.logical.saturating_add(extent.length).min(end);
            found.holes += from.min(end).saturating_sub(at);
            if extent.flags & EXTENT_UNWRITTEN != 0 {
                found.unwritten += to.saturating_sub(from);
            }
            at = at.max(to);
            last |= extent.flags & EXTENT_LAST != 0 || at >= end;
        }
        seen += mapped;
        if last {
            found.holes += end - at.min(end);
            at = end;
        }
        if last || seen >= MOST {
            found.examined = at - start;
            return Ok(found);
        }
    }
}

fn by_seek(fd: BorrowedFd<'_>, start: u64, end: u64) -> io::Result<Coverage> {
    let mut found = Coverage {
        examined: end - start,
        ..Coverage::default()
    };
    let mut at = start;
    for _ in 0..MOST {
        let data = match rustix::fs::seek(fd, SeekFrom::Data(at)) {
            Ok(n) => n.min(end),
            Err(rustix::io::Errno::NXIO) => end,
            Err(_) => return Ok(found),
        };
        found.holes += data - at;
        if data >= end {
            return Ok(found);
        }
        at = match rustix::fs::seek(fd, SeekFrom::Hole(data)) {
            Ok(n) => n,
            Err(_) => return Ok(found),
        };
        if at >= end {
            return Ok(found);
        }
    }
    found.examined = at - start;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn holes_unwritten_and_data_are_distinguished() {
        let file = tempfile::tempfile().unwrap();
        const MIB: u64 = 1 << 20;
        file.set_len(4 * MIB).unwrap();
        let c = coverage(&file, 0, 4 * MIB).unwrap();
        assert_eq!((c.examined, c.holes, c.unwritten), (4 * MIB, 4 * MIB, 0));
        file.write_all_at(&vec![7; 1 << 20], MIB).unwrap();
        let c = coverage(&file, 0, 4 * MIB).unwrap();
        assert_eq!((c.holes, c.unwritten), (3 * MIB, 0));
        let c = coverage(&file, MIB, MIB).unwrap();
        assert_eq!(c.holes, 0);
        let flags = rustix::fs::FallocateFlags::empty();
        if rustix::fs::fallocate(&file, flags, 2 * MIB, MIB).is_ok() {
            let c = coverage(&file, 0, 4 * MIB).unwrap();
            if c.unwritten == 0 {
                leadline_testkit::skip(
                    "engine::os::unwritten_extents",
                    "this file system does not report them",
                );
                return;
            }
            assert_eq!((c.holes, c.unwritten), (2 * MIB, MIB));
            file.write_all_at(&vec![7; 1 << 20], 2 * MIB).unwrap();
            let c = coverage(&file, 0, 4 * MIB).unwrap();
            assert_eq!((c.holes, c.unwritten), (2 * MIB, 0), "dirty data is data");
        }
    }

    #[test]
    fn past_the_end_there_are_no_extents() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(coverage(&file, 0, 100).unwrap(), Coverage::default());
    }
}
