//! The client's page cache before the start: dropped, or filled.
#![expect(
    unsafe_code,
    reason = "sync_file_range and BLKFLSBUF have no safe wrapper"
)]

use super::PrepareError;
use super::job::Job;
use super::progress::Progress;
use rustix::fs::Advice;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// Drops a block device's buffers (linux/fs.h).
const BLKFLSBUF: libc::Ioctl = 0x1261;
/// Bytes of one read while filling the cache.
const CHUNK: usize = 1 << 20;

/// Drops the cache of a path, then reads it into the cache, as asked.
///
/// # Errors
/// When the path cannot be read though it is to be read into the cache.
pub(super) fn ready(job: &Job<'_>, progress: &Progress<'_>) -> Result<(), PrepareError> {
    if !(job.drop_cache || job.pre_read) {
        return Ok(());
    }
    let file = match File::open(job.path) {
        Ok(file) => file,
        // Files that are only written may be unreadable for this user; there is no cache to drop.
        Err(_) if !job.pre_read => return Ok(()),
        Err(e) => return Err(PrepareError::of("opening", job.path, &e)),
    };
    if job.drop_cache {
        drop_cache(&file, job.is_block());
    }
    if job.pre_read {
        pre_read(&file, job, progress)?;
    }
    Ok(())
}

/// Writes dirty pages back and drops all. What cannot be dropped (mapped elsewhere, no privilege)
/// stays; how much of a run came from the cache is checked from its figures, not from this.
fn drop_cache(file: &File, block: bool) {
    let whole = 0;
    if block {
        // SAFETY: BLKFLSBUF takes no argument; the descriptor lives as long as `file`.
        unsafe { libc::ioctl(file.as_raw_fd(), BLKFLSBUF, 0) };
    } else if remote(file) {
        let _ = file.sync_data();
    } else {
        let flags = libc::SYNC_FILE_RANGE_WAIT_BEFORE
            | libc::SYNC_FILE_RANGE_WRITE
            | libc::SYNC_FILE_RANGE_WAIT_AFTER;
        // Pages clean is all that dropping needs; an fsync would flush the device's cache as well.
        // SAFETY: plain numbers; the descriptor lives as long as `file`.
        unsafe { libc::sync_file_range(file.as_raw_fd(), whole, 0, flags) };
    }
    let _ = rustix::fs::fadvise(file, 0, None, Advice::DontNeed);
}

/// Whether pages stay in the cache until the server has committed them, or the file system decides.
fn remote(file: &File) -> bool {
    const LOCAL: [i64; 4] = [
        0xef53,      // ext2, ext3, ext4
        0x5846_5342, // xfs
        0x9123_683e, // btrfs
        0x0102_1994, // tmpfs
    ];
    rustix::fs::fstatfs(file).map_or(true, |s| !LOCAL.contains(&s.f_type))
}

fn pre_read(file: &File, job: &Job<'_>, progress: &Progress<'_>) -> Result<(), PrepareError> {
    let end = job.make_size.unwrap_or(0).max(job.there());
    let mut buffer = vec![0u8; CHUNK];
    let mut at = 0;
    while at < end {
        match file.read_at(&mut buffer, at) {
            Ok(0) => break,
            Ok(n) => {
                let n = u64::try_from(n).unwrap_or(0);
                at += n;
                progress.add(n)?;
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(PrepareError::of("reading", job.path, &e)),
        }
    }
    Ok(())
}
