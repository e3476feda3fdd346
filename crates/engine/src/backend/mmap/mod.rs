//! Memory-mapped files: each I/O is a copy between the mapping and the slot, in the calling thread.
//!
//! It always goes through the page cache. A file never grows: what is beyond the end that it had at
//! the start is a short read or write. A page that is lost while the run continues is EIO.
//!
//! Must never: touch a mapping but through `guard`.

#![expect(unsafe_code, reason = "mappings and slots are raw memory")]

mod guard;
mod lines;
mod window;

use super::setup::{Buffers, Done};
use super::{Backend, Request, Setup, SetupError, trim};
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::plan::MapFlush;
use leadline_model::units::Nanos;
use lines::Lines;
use rustix::io::Errno;
use std::io;
use std::os::fd::RawFd;
use window::Window;

/// Mapped files.
#[derive(Debug)]
pub struct Mmap {
    fds: Box<[RawFd]>,
    windows: Box<[Window]>,
    buffers: Buffers,
    queued: Vec<Request>,
    done: Done,
    down: Down,
    last: u32,
}

/// What brings a write down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Down {
    /// The kernel, in its own time.
    Nothing,
    Sync,
    /// With the last waited for, or not.
    Lines(Lines, bool),
}

impl Down {
    /// By what the plan asks and the processor can, and what is to be said of it.
    fn new(asked: MapFlush, can: Option<Lines>) -> (Self, Option<&'static str>) {
        let drain = match asked {
            MapFlush::Nothing => return (Self::Nothing, None),
            MapFlush::Sync => return (Self::Sync, None),
            MapFlush::Lines => true,
            MapFlush::LinesNoDrain => false,
        };
        match can {
            Some(lines) => (
                Self::Lines(lines, drain),
                Some(
                    "mmap: cache lines are flushed after each write, which makes the data \
                     durable on persistent memory only, not on other devices",
                ),
            ),
            None => (
                Self::Sync,
                Some(
                    "mmap: this processor has no instruction to flush a cache line; msync is \
                     called after each write instead",
                ),
            ),
        }
    }
}

impl Mmap {
    /// Maps the files.
    ///
    /// # Safety
    /// The promises of [`Setup`].
    ///
    /// # Errors
    /// [`SetupError`] names what is missing and the cure.
    pub unsafe fn new(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
        guard::install().map_err(|error| {
            SetupError::os(
                ErrorCode::System,
                "mmap: cannot install a SIGBUS handler",
                ("use an engine that does not map files", [Knob::NotMapped]),
                error,
            )
        })?;
        let mut notes = Vec::new();
        let mut windows = Vec::with_capacity(setup.handles.fds().len());
        for (&fd, &size) in setup.handles.fds().iter().zip(setup.handles.sizes()) {
            // SAFETY: the descriptor is open for as long as the back end lives (promise of `Setup`).
            let window = unsafe { Window::new(fd, size) }.map_err(refusal)?;
            if window.direct() && notes.is_empty() {
                notes.push(
                    "mmap: I/O goes through the page cache although direct I/O was requested"
                        .into(),
                );
            }
            windows.push(window);
        }
        let (down, note) = Down::new(setup.engine.map_flush, Lines::of_this_processor());
        notes.extend(note.map(str::to_owned));
        let this = Self {
            down,
            fds: setup.handles.fds().into(),
            windows: windows.into(),
            buffers: setup.buffers.clone(),
            queued: Vec::with_capacity(setup.depth as usize),
            done: Done::new(setup.depth),
            last: 0,
        };
        Ok((this, notes))
    }
}

/// Why a file cannot be mapped, in the user's terms.
fn refusal(error: Errno) -> SetupError {
    let cure: Cure = match error {
        Errno::ACCESS => "open the files for reading too: a mapping cannot be write-only".into(),
        Errno::NOMEM => "raise vm.max_map_count or `ulimit -v`, or use fewer files".into(),
        _ => (
            "use an engine that does not map files: this file system cannot",
            [Knob::NotMapped],
        )
            .into(),
    };
    SetupError::os(
        ErrorCode::HostLacks,
        "mmap: cannot map a file",
        cure,
        error.into(),
    )
}

/// One read or write. Bytes copied or the negative error number.
#[inline]
fn copy(window: &mut Window, buffers: &Buffers, request: &Request, down: Down) -> i32 {
    let write = request.op == Op::Write;
    if write && !window.writable() {
        return -libc::EBADF;
    }
    let slot = buffers.address(request.op, request.slot, request.len);
    let len = window.within(request.offset, request.len);
    if len == 0 {
        return 0;
    }
    let mapped = match window.at(request.offset, len) {
        Ok(address) => address,
        Err(error) => return -error.raw_os_error(),
    };
    let (from, to) = if write {
        (slot.cast_const(), mapped)
    } else {
        (mapped.cast_const(), slot)
    };
    // SAFETY: `len` bytes at `mapped` lie in the window, `len` bytes at `slot` in the slot; the mapping
    // is this back end's own, which one thread uses. Others may change the file meanwhile, as with
    // any read: bytes are copied without looking at them.
    let whole = unsafe { guard::copy(from, to, len, window.mapping()) };
    if !whole {
        window.renew();
        return -libc::EIO;
    }
    if write && (window.through() || down != Down::Nothing) {
        let flushed = bring_down(window, mapped, len, down);
        if flushed < 0 {
            return flushed;
        }
    }
    // Windows hold no more than that.
    i32::try_from(len).unwrap_or(i32::MAX)
}

/// What follows a write. 0 or the negative error number.
fn bring_down(window: &mut Window, mapped: *mut u8, len: usize, down: Down) -> i32 {
    if let (Down::Lines(lines, drain), false) = (down, window.through()) {
        // SAFETY: `len` bytes at `mapped` lie in the window; a page that is gone is replaced.
        let whole = guard::watch(window.mapping(), || unsafe {
            lines.flush(mapped, len, drain);
        });
        if !whole {
            window.renew();
            return -libc::EIO;
        }
        return 0;
    }
    window.flush(mapped, len)
}

impl Backend for Mmap {
    #[inline]
    fn queue(&mut self, request: &Request) {
        self.queued.push(*request);
    }

    #[inline]
    fn submit_and_wait(&mut self, _want: u32, _timeout: Option<Nanos>) -> io::Result<()> {
        self.last = 0;
        for request in &self.queued {
            let file = request.file as usize;
            let result = match request.op {
                Op::Read | Op::Write => {
                    copy(&mut self.windows[file], &self.buffers, request, self.down)
                }
                Op::Trim => {
                    let len = u64::from(request.len);
                    trim::discard(self.fds[file], request.offset, len)
                }
                // fsync(2) writes pages that were changed through a mapping, too.
                Op::Sync => trim::flush(self.fds[file], request.data_only),
            };
            self.done.push(request.slot, result);
            self.last += 1;
        }
        self.queued.clear();
        Ok(())
    }

    #[inline]
    fn reap(&mut self, each: impl FnMut(u16, i32)) -> u32 {
        self.done.reap(each)
    }

    fn last_submitted(&self) -> u32 {
        self.last
    }
}
