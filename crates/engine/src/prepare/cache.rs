//! The client's page cache before the start: dropped, or filled.
use super::PrepareError;
use super::job::Job;
use super::progress::Progress;
use crate::os::cache;
use crate::os::file::FileExt;
use std::fs::File;

/// Bytes of one read while filling the cache.
const CHUNK: usize = 1 << 20;

/// Drops the cache of a path, then reads it into the cache, as asked. Gives the share of it, 0 to 1, that is in
/// the cache all the same after it was dropped, or was left in it, where the kernel says.
///
/// # Errors
/// When the path cannot be read though it is to be read into the cache.
pub(super) fn ready(job: &Job<'_>, progress: &Progress<'_>) -> Result<Option<f64>, PrepareError> {
    if !(job.drop_cache || job.pre_read || job.cached_reads) {
        return Ok(None);
    }
    let file = match File::open(job.path) {
        Ok(file) => file,
        // Files that are only written may be unreadable for this user; there is no cache to drop.
        Err(_) if !job.pre_read => return Ok(None),
        Err(e) => return Err(PrepareError::of("opening", job.path, &e)),
    };
    if job.drop_cache {
        cache::drop_all(&file, job.is_block());
    }
    if job.pre_read {
        pre_read(&file, job, progress)?;
        return Ok(None);
    }
    let size = job.make_size.unwrap_or(0).max(job.there());
    Ok(cache::share(&file, size))
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
