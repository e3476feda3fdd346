//! Files get their size: by claiming space for what will only be written, by real data for what will
//! be read. What was there stays as it is, unless the plan says that a file is recreated: data goes
//! beyond the old end.

use super::job::Job;
use super::progress::Progress;
use super::{MadeFiles, PrepareError, bytes};
use crate::host_facts::PathKind;
use crate::os::file::FileExt;
use crate::os::host;
use crate::os::{errno, space, wall};
use crate::payload::Payload;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Fallocate, Fill, Refresh};
use leadline_model::units::Percent;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of one write.
const CHUNK: usize = 1 << 20;
/// Bytes after which writing back is started, so that the last fsync is short.
const WINDOW: u64 = 64 << 20;
/// Most threads that lay out at once.
const MOST_THREADS: usize = 8;

/// Gives all files their size.
///
/// # Errors
/// The first file that could not be made.
pub(super) fn all(
    jobs: &[Job<'_>],
    progress: &Progress<'_>,
    made: &Mutex<MadeFiles>,
) -> Result<(), PrepareError> {
    let todo: Vec<&Job<'_>> = jobs
        .iter()
        .filter(|j| !j.is_block() && (j.make_size.is_some() || *j.kind == PathKind::Missing))
        .collect();
    let serial = todo.iter().all(|j| j.workload.blocks().prepare.one_by_one);
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if serial {
        1
    } else {
        cpus.min(MOST_THREADS).min(todo.len())
    };
    if threads <= 1 {
        let mut filler = None;
        return todo
            .iter()
            .try_for_each(|j| one(j, progress, made, &mut filler));
    }
    let next = AtomicUsize::new(0);
    let crew = || {
        let mut filler = None;
        while let Some(job) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
            one(job, progress, made, &mut filler)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        // This thread is one of them: with no other the work is done all the same.
        let others = (1..threads)
            .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, crew).ok())
            .collect::<Vec<_>>();
        let own = crew();
        let joined = others.into_iter().try_for_each(|c| {
            c.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        own.and(joined)
    })
}

/// Gives one file its size.
fn one(
    job: &Job<'_>,
    progress: &Progress<'_>,
    made: &Mutex<MadeFiles>,
    filler: &mut Option<Filler>,
) -> Result<(), PrepareError> {
    let path = job.path;
    let (file, fresh) = open(path, made)?;
    if job.recreated && !fresh {
        // The one way to lose what was there, and only for what the plan names (`Prepare::recreate`).
        file.set_len(0)
            .map_err(|e| PrepareError::of("emptying", path, &e))?;
    }
    let there = file
        .metadata()
        .map_err(|e| PrepareError::of("looking at", path, &e))?
        .len();
    let Some(end) = job.make_size.filter(|end| *end > there) else {
        return Ok(());
    };
    let result = if job.data {
        fill(&file, job, there, end, progress, filler)
    } else {
        claim(&file, job, there, end)
    };
    if let Err(e) = &result {
        undo(&file, path, (there, fresh), e, made);
    }
    result
}

/// Gives space back after a failure. Where it ran out, all is as it was before; otherwise what was
/// filled stays, so that the next run continues from there, and only the space allocated after it is released.
fn undo(
    file: &File,
    path: &Path,
    (there, fresh): (u64, bool),
    error: &PrepareError,
    made: &Mutex<MadeFiles>,
) {
    let full = matches!(error, PrepareError::Environment { errno, .. }
        if matches!(errno, Some(errno::ENOSPC | errno::EDQUOT | errno::EFBIG)));
    if full && fresh {
        if fs::remove_file(path).is_ok() {
            lock(made).forget(path);
        }
        return;
    }
    let now = file.metadata().map_or(there, |m| m.len());
    // Only bytes this call has put beyond the old end are cut off. When even this fails, the error at
    // hand says enough.
    let _ = file.set_len(if full { there } else { now });
}

/// Opens for writing, creating file and directories as needed; says whether it was created.
fn open(path: &Path, made: &Mutex<MadeFiles>) -> Result<(File, bool), PrepareError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    let create = |o: &OpenOptions| o.clone().create_new(true).open(path);
    let mut result = create(&options);
    if matches!(&result, Err(e) if e.kind() == io::ErrorKind::NotFound)
        && let Some(parent) = path.parent()
        && !parent.as_os_str().is_empty()
    {
        directories(parent, &mut |directory| lock(made).directory(directory))?;
        result = create(&options);
    }
    match result {
        Ok(file) => {
            lock(made).file(path);
            Ok((file, true))
        }
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => options
            // A link that points nowhere yet is followed: its end is created.
            .create(true)
            .open(path)
            .map(|f| (f, false))
            .map_err(|e| PrepareError::of("opening", path, &e)),
        Err(e) => Err(PrepareError::of("creating", path, &e)),
    }
}

/// Creates a directory and those above it; each that was missing is reported.
pub(super) fn directories(path: &Path, made: &mut dyn FnMut(&Path)) -> Result<(), PrepareError> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|p| !p.as_os_str().is_empty() && !p.exists())
        .collect();
    if let Some(last) = missing.first()
        && host::among_devices(last)
    {
        return Err(PrepareError::Refused {
            code: ErrorCode::TargetMissing,
            text: format!("there is no device {}", path.display()),
            cure: "check its name (lsblk): directories are not created under /dev".into(),
        });
    }
    for directory in missing.into_iter().rev() {
        match fs::create_dir(directory) {
            Ok(()) => made(directory),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(PrepareError::of("creating the directory", directory, &e)),
        }
    }
    Ok(())
}

fn lock(made: &Mutex<MadeFiles>) -> std::sync::MutexGuard<'_, MadeFiles> {
    made.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Claims space for a file that will only be written.
fn claim(file: &File, job: &Job<'_>, there: u64, end: u64) -> Result<(), PrepareError> {
    let prepare = &job.workload.blocks().prepare;
    let fail = |e: io::Error| PrepareError::of("allocating space for", job.path, &e);
    if job.workload.blocks().region.until_full || (prepare.create_on_open && !job.mapped) {
        return Ok(());
    }
    match prepare.fallocate {
        Fallocate::None => {}
        Fallocate::Native => match space::claim(file, false, there, end) {
            Ok(true) => {}
            Ok(false) => file.set_len(end).map_err(fail)?,
            Err(e) => return Err(fail(e)),
        },
        Fallocate::Keep => {
            space::claim(file, true, there, end).map_err(fail)?;
        }
        Fallocate::Posix => space::claim_or_write(file, there, end).map_err(fail)?,
        Fallocate::Truncate => file.set_len(end).map_err(fail)?,
    }
    if job.mapped {
        let now = file.metadata().map_err(fail)?.len();
        if now < end {
            file.set_len(end).map_err(fail)?;
        }
    }
    if job.fsync {
        file.sync_all().map_err(fail)?;
    }
    Ok(())
}

/// Writes real data from the old end to the new one.
fn fill(
    file: &File,
    job: &Job<'_>,
    there: u64,
    end: u64,
    progress: &Progress<'_>,
    filler: &mut Option<Filler>,
) -> Result<(), PrepareError> {
    let path = job.path;
    // One piece on disk, and a full file system shows now rather than after minutes. The size stays
    // that of what is written, so that a run cut short leaves no file that looks whole.
    if !matches!(
        job.workload.blocks().prepare.fallocate,
        Fallocate::None | Fallocate::Truncate
    ) && let Err(e) = space::claim(file, true, there, end)
    {
        return Err(full(path, &e, 0, end - there));
    }
    let filler = filler.get_or_insert_with(Filler::new);
    filler.start(job, seed(job));
    let mut at = there;
    let mut synced = there;
    while at < end {
        let chunk = u64::try_from(CHUNK).unwrap_or(u64::MAX).min(end - at);
        let data = filler.chunk(usize::try_from(chunk).unwrap_or(CHUNK), at);
        file.write_all_at(data, at)
            .map_err(|e| full(path, &e, at - there, end - there))?;
        at += chunk;
        if at - synced >= WINDOW {
            space::write_back(file, synced.saturating_sub(WINDOW), synced, at);
            synced = at;
        }
        progress.add(chunk)?;
    }
    if job.fsync {
        file.sync_all()
            .map_err(|e| full(path, &e, end - there, end - there))?;
    }
    Ok(())
}

/// An error while filling, with how far it came.
fn full(path: &Path, error: &io::Error, done: u64, total: u64) -> PrepareError {
    let what = format!("laying out ({} of {} done)", bytes(done), bytes(total));
    PrepareError::of(&what, path, error)
}

/// Differs by file, worker and moment: data laid out twice is not the same data.
fn seed(job: &Job<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (job.path, job.seed, wall::wall_ms()).hash(&mut hasher);
    hasher.finish()
}

/// Makes the data that files are filled with: what the workload itself would write (its compressible
/// share, its duplicates, its pattern), but never nothing but zeros: those would let a device answer
/// without its media.
struct Filler {
    buffer: Vec<u8>,
    /// Makes each block; `None` = the buffer stays as it is.
    maker: Option<Payload>,
    /// Bytes of what may repeat as a whole.
    block: usize,
}

impl Filler {
    fn new() -> Self {
        Self {
            buffer: vec![0; CHUNK],
            maker: None,
            block: CHUNK,
        }
    }

    /// Readies it for this file.
    fn start(&mut self, job: &Job<'_>, seed: u64) {
        let mut wanted = job.payload.clone();
        wanted.refresh = Refresh::Each;
        match &wanted.fill {
            Fill::Pattern(pattern)
                if !pattern.is_empty() && wanted.compress_percent == Percent::NONE =>
            {
                self.maker = None;
                for (byte, p) in self.buffer.iter_mut().zip(pattern.iter().cycle()) {
                    *byte = *p;
                }
                return;
            }
            Fill::Pattern(pattern) if !pattern.is_empty() => {}
            _ => wanted.fill = Fill::Random,
        }
        if wanted.compress_percent == Percent::ALL {
            wanted.compress_percent = Percent::NONE;
        }
        self.block = if wanted.dedupe_percent > Percent::NONE {
            usize::try_from(job.workload.blocks().largest())
                .unwrap_or(CHUNK)
                .clamp(512, CHUNK)
        } else {
            CHUNK
        };
        self.maker = Some(Payload::new(&wanted, seed));
    }

    /// The next `len` bytes, which go to `offset`.
    fn chunk(&mut self, len: usize, offset: u64) -> &[u8] {
        let data = &mut self.buffer[..len];
        if let Some(maker) = &mut self.maker {
            for block in data.chunks_mut(self.block) {
                maker.before_write(block, offset);
            }
        }
        data
    }
}
