//! io_uring: all that is queued goes to the kernel together with the wait, in one call.
//!
//! One ring for each worker, with files, buffers and the ring itself registered. Entries are written
//! where the kernel reads them; user data is the slot number. What the ring cannot do (discards of
//! devices; syncs and holes on a polled ring) is done in the calling thread.
//!
//! Must never: allocate or make another system call than io_uring_enter for reads and writes.

#![expect(unsafe_code, reason = "entries carry raw addresses to the kernel")]

mod ext;
mod open;

use super::pvsync2::rw_flags;
use super::setup::{Buffers, DRAIN_LIMIT_SECS};
use super::trim::Aside;
use super::{Backend, Request, Setup, SetupError};
use crate::op_table::OpTable;
use ext::{RawEntry, RingHandle};
use io_uring::squeue::Entry;
use io_uring::types::CancelBuilder;
use io_uring::{IoUring, opcode};
use leadline_model::op::Op;
use leadline_model::plan::Engine;
use leadline_model::units::Nanos;
use open::{Level, OpenRing, Registered};
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd as _;

/// How long the submission thread is watched for completions before the worker sleeps: turns of
/// the waiting loop, some ten nanoseconds each.
const SPINS: u32 = 4096;

/// Entries of a large batch that are handed over ahead of the rest, where the target answers later: a
/// device that has just ended all it had would else stand idle until the whole batch is made and taken.
const AHEAD: u32 = 4;

/// Whether this host gives a ring for an engine and a depth; it is gone at once.
///
/// # Errors
/// [`SetupError`] names what is missing and the cure.
pub(super) fn probe(engine: &Engine, depth: u32) -> Result<(), SetupError> {
    open::bare(engine, depth, Level::NoArray, &mut Vec::new()).map(drop)
}

/// A ring and what is in it.
pub struct Uring {
    ring: ManuallyDrop<IoUring>,
    handle: RingHandle,
    /// What does not change from I/O to I/O.
    shapes: OpTable<EntryTemplate>,
    buffers: Buffers,
    /// Per file: what goes into an entry, and the I/O priority there; 0 = that of the thread.
    files: Box<[(i32, u16)]>,
    /// In the ring, not yet handed over.
    pending: u32,
    /// Handed over, not yet reaped.
    in_kernel: u32,
    /// Handed over in the last call.
    last: u32,
    /// Every n-th entry is forced to a kernel worker; 0 = none.
    force_async: u32,
    /// Entries since the last one that was forced.
    since_forced: u32,
    polled: bool,
    submit_thread: bool,
    /// The target ends I/Os within the call that hands them over (the page cache): then one call for
    /// the whole batch costs least. Found out by watching.
    inline: bool,
    /// Entries kept back from the submission thread until they are to be handed over: it would take
    /// them out of the ring at once.
    staged: Vec<Entry>,
    signals_work: bool,
    aside: Aside,
}

impl Uring {
    /// Makes a ring, with what this kernel offers.
    ///
    /// # Safety
    /// The promises of [`Setup`].
    ///
    /// # Errors
    /// [`SetupError`] names what is missing and the cure.
    pub unsafe fn new(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
        // SAFETY: the caller's promise.
        unsafe { Self::from_level(setup, Level::NoArray) }
    }

    /// As [`Uring::new`], with no more of the newer set-up flags than `best` has.
    ///
    /// # Safety
    /// As [`Uring::new`].
    unsafe fn from_level(
        setup: &Setup<'_>,
        best: Level,
    ) -> Result<(Self, Vec<String>), SetupError> {
        let OpenRing {
            ring,
            handle,
            buffers,
            files,
            files_registered,
            signals_work,
            notes,
        } = open::open(setup, best)?;
        let engine = setup.engine;
        let flags = if files_registered {
            ext::SQE_FIXED_FILE
        } else {
            0
        };
        let this = Self {
            ring: ManuallyDrop::new(ring),
            handle,
            shapes: shapes(setup, buffers, flags),
            buffers: setup.buffers.clone(),
            files: files.iter().copied().zip(priorities(setup)).collect(),
            pending: 0,
            in_kernel: 0,
            last: 0,
            force_async: engine.force_async,
            since_forced: 0,
            polled: engine.poll_completions,
            submit_thread: engine.poll_submissions,
            inline: false,
            staged: Vec::with_capacity(if engine.poll_submissions {
                setup.depth as usize
            } else {
                0
            }),
            signals_work,
            aside: Aside::new(setup),
        };
        Ok((this, notes))
    }

    /// The flag of the n-th entry that is forced to a kernel worker.
    #[inline]
    fn forced(&mut self) -> u8 {
        if self.force_async == 0 {
            return 0;
        }
        self.since_forced += 1;
        if self.since_forced < self.force_async {
            return 0;
        }
        self.since_forced = 0;
        ext::SQE_ASYNC
    }

    /// Takes what is no data: into the ring a sync, beside it the rest, of which it can do nothing.
    #[cold]
    fn queue_other(&mut self, request: &Request) {
        let file = request.file as usize;
        if self.polled || request.op != Op::Sync {
            return self.aside.queue(request);
        }
        let shape = self.shapes[request.op];
        let mut entry = RawEntry {
            opcode: shape.opcode,
            flags: shape.flags | self.forced(),
            fd: self.files[file].0,
            user_data: u64::from(request.slot),
            ..RawEntry::default()
        };
        if request.data_only {
            entry.op_flags = ext::FSYNC_DATASYNC;
        }
        self.push(entry);
    }

    /// Puts an entry into the ring, which takes effect when it is entered.
    #[inline(always)]
    fn push(&mut self, entry: RawEntry) {
        self.pending += 1;
        if self.submit_thread {
            return self.stage(entry);
        }
        // SAFETY: the address in the entry is within the buffers, which outlive the request.
        let pushed = unsafe { self.ring.submission().push(entry.entry()) };
        assert!(pushed.is_ok(), "more requests than the depth");
    }

    /// Keeps an entry until the submit call, as the submission thread would take it at once.
    #[cold]
    fn stage(&mut self, entry: RawEntry) {
        self.staged.push(entry.entry().clone());
    }

    /// Hands over what is pending and waits for `want` completions.
    #[inline]
    fn enter(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()> {
        loop {
            let answer = match timeout {
                Some(limit) if want > 0 => self.handle.enter_for(self.pending, want, 0, limit.0),
                _ => self.handle.enter(self.pending, want, ext::ENTER_GETEVENTS),
            };
            match answer {
                Ok(taken) => {
                    self.took(taken);
                    if self.pending == 0 || taken == 0 {
                        return Ok(());
                    }
                }
                Err(error) => return self.unready(error),
            }
        }
    }

    /// Hands over a large batch in growing parts but for the last one, so that the device works on the
    /// first while the rest is taken. Stops when it turns out that the first part has ended already.
    #[cold]
    fn hand_ahead(&mut self) -> io::Result<()> {
        let mut part = AHEAD;
        while self.pending > part {
            match self.handle.enter(part, 0, 0) {
                Ok(0) => return Ok(()),
                Ok(taken) => self.took(taken),
                Err(error) => return self.unready(error),
            }
            if self.ended() >= part {
                self.inline = true;
                return Ok(());
            }
            part *= 2;
        }
        Ok(())
    }

    /// Completions that can be reaped without a call.
    #[inline]
    fn ended(&mut self) -> u32 {
        u32::try_from(self.ring.completion().len()).unwrap_or(u32::MAX)
    }

    /// The kernel took `count` entries.
    #[inline]
    fn took(&mut self, count: u32) {
        self.pending -= count;
        self.in_kernel += count;
        self.last += count;
    }

    /// An answer that is no entry taken: the time is over, a signal, or the kernel cannot take more
    /// until something ends.
    #[cold]
    fn unready(&mut self, error: io::Error) -> io::Result<()> {
        match error.raw_os_error() {
            Some(libc::ETIME | libc::EINTR) => Ok(()),
            Some(libc::EAGAIN | libc::EBUSY) if self.in_kernel > 0 => {
                match self.handle.enter(0, 1, ext::ENTER_GETEVENTS) {
                    Err(error) if error.raw_os_error() != Some(libc::EINTR) => Err(error),
                    _ => Ok(()),
                }
            }
            _ => Err(error),
        }
    }

    /// As [`Uring::enter`] on a polled ring: the kernel looks for completions only inside the call, may
    /// come back with fewer than were wanted, and knows no timeout there.
    fn enter_polling(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()> {
        let start = monotonic();
        loop {
            let wait = if timeout.is_some() { 0 } else { want };
            match self.handle.enter(self.pending, wait, ext::ENTER_GETEVENTS) {
                Ok(taken) => self.took(taken),
                Err(error) => return self.unready(error),
            }
            let over = timeout.is_some_and(|limit| monotonic().since(start) >= limit);
            if self.completed() >= want || over {
                return Ok(());
            }
        }
    }

    /// Whether a call is needed although nothing is to be handed over or waited for: deferred work
    /// runs only inside one.
    fn work_waits(&mut self) -> bool {
        self.in_kernel > 0 && (!self.signals_work || self.ring.submission().taskrun())
    }

    /// As [`Uring::enter`] where a kernel thread takes the entries: a call only to wake or to sleep.
    fn enter_beside_thread(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()> {
        let pending = self.pending;
        // The thread gives entries back only after it has worked on all it found, which may be later
        // than their completions.
        // SAFETY: as in `push`.
        while unsafe { self.ring.submission().push_multiple(&self.staged) }.is_err() {
            std::thread::yield_now();
        }
        self.staged.clear();
        self.took(pending);
        if self.ring.submission().need_wakeup() {
            self.handle
                .enter(pending, 0, ext::ENTER_SQ_WAKEUP)
                .map(drop)
                .or_else(interrupted)?;
        }
        for _ in 0..SPINS {
            if self.completed() >= want {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        match timeout {
            Some(limit) => self.handle.enter_for(0, want, 0, limit.0),
            None => self.handle.enter(0, want, ext::ENTER_GETEVENTS),
        }
        .map(drop)
        .or_else(interrupted)
    }

    /// Completions that wait in the ring.
    fn completed(&mut self) -> u32 {
        // A ring has at most 65536 completions.
        u32::try_from(self.ring.completion().len()).unwrap_or(u32::MAX)
    }

    /// Waits until nothing is in the kernel, for at most `seconds`; asks it to give up after the first.
    /// Whether nothing is left.
    fn drain(&mut self, seconds: u64) -> bool {
        for second in 0..seconds {
            self.in_kernel -= self.discard_completions();
            if self.in_kernel == 0 {
                return true;
            }
            if second == 1 {
                // Reads and writes that have reached a device cannot be cancelled; others can.
                let _ = self
                    .ring
                    .submitter()
                    .register_sync_cancel(None, CancelBuilder::any());
            }
            let answer = self.handle.enter_for(0, 1, 0, Nanos::SECOND.0);
            if answer.map(drop).or_else(interrupted).is_err() {
                return false;
            }
        }
        self.in_kernel -= self.discard_completions();
        self.in_kernel == 0
    }

    /// Takes completions out of the ring without looking at them.
    fn discard_completions(&mut self) -> u32 {
        u32::try_from(self.ring.completion().count()).unwrap_or(u32::MAX)
    }
}

/// CLOCK_MONOTONIC, for timeouts that the kernel does not keep.
fn monotonic() -> Nanos {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    Nanos(Nanos::from_secs(seconds).0 + u64::try_from(now.tv_nsec).unwrap_or(0))
}

/// The time is over or a signal came: no error.
fn interrupted(error: io::Error) -> io::Result<()> {
    match error.raw_os_error() {
        Some(libc::ETIME | libc::EINTR) => Ok(()),
        _ => Err(error),
    }
}

/// What all entries of one kind of operation share.
#[derive(Clone, Copy, Debug)]
struct EntryTemplate {
    opcode: u8,
    flags: u8,
    buf_index: u16,
    op_flags: u32,
}

/// The shapes.
fn shapes(setup: &Setup<'_>, buffers: Registered, flags: u8) -> OpTable<EntryTemplate> {
    // A polled ring polls for all; the flag of single I/Os is not for rings.
    let (read_flags, write_flags) = rw_flags(setup, false);
    let (read, write) = if buffers == Registered::No {
        (opcode::Read::CODE, opcode::Write::CODE)
    } else {
        (opcode::ReadFixed::CODE, opcode::WriteFixed::CODE)
    };
    let shape = |opcode, buf_index, op_flags: i32| EntryTemplate {
        opcode,
        flags,
        buf_index,
        op_flags: op_flags.cast_unsigned(),
    };
    OpTable::from_fn(|op| match op {
        Op::Read => shape(read, 0, read_flags),
        Op::Write => shape(write, u16::from(buffers == Registered::Two), write_flags),
        // A trim is done beside the ring.
        Op::Trim => shape(opcode::Nop::CODE, 0, 0),
        Op::Sync => shape(opcode::Fsync::CODE, 0, 0),
    })
}

/// The I/O priority of each file's entries.
fn priorities<'a>(setup: &'a Setup<'_>) -> impl Iterator<Item = u16> + 'a {
    let own = &setup.engine.file_priorities;
    let of = move |file| {
        own.get(file).map_or(0, |&(class, level)| {
            u16::from(class) << 13 | u16::from(level)
        })
    };
    (0..setup.handles.fds().len()).map(of)
}

impl Backend for Uring {
    // Always: with the call go the spills around it, a tenth of all instructions of an I/O.
    #[inline(always)]
    fn queue(&mut self, request: &Request) {
        if !matches!(request.op, Op::Read | Op::Write) {
            return self.queue_other(request);
        }
        let shape = self.shapes[request.op];
        let data = self.buffers.address(request.op, request.slot, request.len);
        let (fd, ioprio) = self.files[request.file as usize];
        let entry = RawEntry {
            opcode: shape.opcode,
            flags: shape.flags | self.forced(),
            ioprio,
            fd,
            off: request.offset,
            addr: data.expose_provenance() as u64,
            len: request.len,
            op_flags: shape.op_flags,
            user_data: u64::from(request.slot),
            buf_index: shape.buf_index,
            ..RawEntry::default()
        };
        self.push(entry);
    }

    #[inline]
    fn submit_and_wait(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()> {
        self.last = self.aside.run();
        let want = want
            .saturating_sub(self.aside.done.len())
            .min(self.pending + self.in_kernel);
        if self.submit_thread {
            return self.enter_beside_thread(want, timeout);
        }
        if self.pending == 0 && want == 0 && !self.work_waits() {
            return Ok(());
        }
        if self.polled {
            return self.enter_polling(want, timeout);
        }
        if self.pending > AHEAD && !self.inline {
            self.hand_ahead()?;
        }
        let handed = self.pending;
        self.enter(want, timeout)?;
        if self.inline && self.ended() < handed {
            self.inline = false;
        }
        Ok(())
    }

    #[inline]
    fn wait(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()> {
        if self.ended() + self.aside.done.len() >= want {
            return Ok(());
        }
        self.submit_and_wait(want, timeout)
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u16, i32)) -> u32 {
        // One place that calls `each`, so that it becomes part of the loop.
        let mut count = 0;
        let mut aside = 0;
        let mut ring = self.ring.completion();
        loop {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "user data is a slot, a u16"
            )]
            let (slot, result) = match ring.next() {
                Some(completion) => (completion.user_data() as u16, completion.result()),
                None => match self.aside.done.get(aside) {
                    Some(done) => {
                        aside += 1;
                        done
                    }
                    None => break,
                },
            };
            each(slot, result);
            count += 1;
        }
        drop(ring);
        let from_aside = self.aside.done.clear();
        self.in_kernel -= count - from_aside;
        count
    }

    fn last_submitted(&self) -> u32 {
        self.last
    }
}

impl Drop for Uring {
    /// The kernel may write into the buffers until each I/O has ended: waits for that, within a bound
    /// when there is an owner to leak.
    fn drop(&mut self) {
        let drained = match &self.buffers.owner {
            Some(_) => self.drain(DRAIN_LIMIT_SECS),
            None => self.drain(u64::MAX),
        };
        if self.handle.flags & ext::ENTER_REGISTERED_RING != 0 {
            ext::unregister_ring(self.ring.as_raw_fd(), self.handle.fd);
        }
        if drained {
            // The kernel lets go of registered files some time after a ring is closed, and until then a file system
            // that they are in cannot be unmounted. It fails only where none are registered.
            let _ = self.ring.submitter().unregister_files();
            // SAFETY: the ring is not used after this.
            unsafe { ManuallyDrop::drop(&mut self.ring) };
        } else {
            // Deliberate: an I/O that cannot be ended still owns its buffer.
            std::mem::forget(self.buffers.owner.clone());
        }
    }
}

#[cfg(test)]
mod tests;
