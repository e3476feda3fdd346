//! The client's page cache before the start: dropped, or filled.
#![expect(
    unsafe_code,
    reason = "sync_file_range, cachestat and BLKFLSBUF have no safe wrapper"
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
/// Number of cachestat(2) (asm-generic/unistd.h; the same on all architectures Rust's libc names it for).
const CACHESTAT: libc::c_long = 451;
/// Bytes of one read while filling the cache.
const CHUNK: usize = 1 << 20;

/// Drops the cache of a path, then reads it into the cache, as asked. Gives the share of it, 0 to 1, that is in
/// the cache all the same after it was dropped, where the kernel says.
///
/// # Errors
/// When the path cannot be read though it is to be read into the cache.
pub(super) fn ready(job: &Job<'_>, progress: &Progress<'_>) -> Result<Option<f64>, PrepareError> {
    if !(job.drop_cache || job.pre_read) {
        return Ok(None);
    }
    let file = match File::open(job.path) {
        Ok(file) => file,
        // Files that are only written may be unreadable for this user; there is no cache to drop.
        Err(_) if !job.pre_read => return Ok(None),
        Err(e) => return Err(PrepareError::of("opening", job.path, &e)),
    };
    if job.drop_cache {
        drop_cache(&file, job.is_block());
    }
    if job.pre_read {
        pre_read(&file, job, progress)?;
        return Ok(None);
    }
    let size = job.make_size.unwrap_or(0).max(job.there());
    Ok(cached_pages(&file).map(|pages| share_of(pages, size)))
}

/// Pages of a file in the page cache, as cachestat(2) of Linux 6.5 counts them; `None` where the kernel does not
/// have it, or does not say it to this user.
fn cached_pages(file: &File) -> Option<u64> {
    // First byte and length; a length of 0 is to the end.
    let range = [0u64; 2];
    // Pages cached, dirty, under writeback, evicted, recently evicted.
    let mut pages = [0u64; 5];
    // SAFETY: the kernel reads two and writes five numbers of 64 bits, which live until it returns.
    let done = unsafe {
        libc::syscall(
            CACHESTAT,
            file.as_raw_fd(),
            range.as_ptr(),
            pages.as_mut_ptr(),
            0,
        )
    };
    (done == 0).then_some(pages[0])
}

/// The share that `pages` are of so many bytes, 0 to 1.
fn share_of(pages: u64, bytes: u64) -> f64 {
    let all = bytes.div_ceil(rustix::param::page_size() as u64).max(1);
    pages.min(all) as f64 / all as f64
}

/// Writes dirty pages back and drops all. What cannot be dropped (mapped elsewhere, no privilege) stays, and is
/// counted by [`cached_pages`].
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
