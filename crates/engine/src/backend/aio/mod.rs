//! Linux native AIO ("libaio", without that library): one io_submit for all that is queued;
//! completions are read from the ring the kernel shares, with a call only to sleep.
//!
//! Must never: allocate or make another system call than io_submit and io_getevents for reads and
//! writes.

#![expect(
    unsafe_code,
    reason = "control blocks carry raw addresses to the kernel"
)]

mod ext;

use super::INSTEAD_OF_AIO;
use super::pvsync2::rw_flags;
use super::setup::{Buffers, DRAIN_LIMIT_SECS};
use super::trim::Aside;
use super::{Backend, Request, Setup, SetupError};
use ext::{AioContext, ControlBlock, Event};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::units::Nanos;
use std::cell::Cell;
use std::io;
use std::os::fd::RawFd;

/// Blocks of one call where the target answers later: for more than two the kernel holds the I/Os back
/// until it has taken all of them (`AIO_PLUG_THRESHOLD` in the kernel's fs/aio.c), and a device that has
/// just ended all it had would stand idle meanwhile.
const PART: usize = 2;

/// Why this many I/Os cannot be in flight together, where the host has room for `left`.
pub(super) fn no_room(ios: u64, left: u64) -> SetupError {
    /// What other programs may want.
    const OTHERS: u64 = 1 << 16;
    let most = ios.saturating_add(OTHERS).max(1 << 20);
    SetupError::named(
        ErrorCode::Limit,
        format!(
            "libaio: {ios} I/Os would be in flight together, and the system limit fs.aio-max-nr leaves room for {left}"
        ),
        (
            format!(
                "run `sysctl -w fs.aio-max-nr={most}` as root, or use fewer workers or a smaller queue depth"
            ),
            [Knob::Workers, Knob::QueueDepth],
        ),
    )
}

/// Whether this host has native AIO at all. How much of it there is left is counted elsewhere, for all workers
/// together ([`super::room`]).
///
/// # Errors
/// [`SetupError`] names what is missing and the cure.
pub(super) fn probe() -> Result<(), SetupError> {
    match AioContext::new(1) {
        Ok(mut context) => context.destroy(),
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => {}
        Err(error) => return Err(refusal(1, error)),
    }
    Ok(())
}

/// A context and what is in it.
#[derive(Debug)]
pub struct Aio {
    context: AioContext,
    /// One for each slot.
    blocks: Box<[Cell<ControlBlock>]>,
    /// Blocks to hand over, in order; the first `pending` count.
    queue: Box<[*const ControlBlock]>,
    pending: usize,
    /// Handed over, not yet reaped.
    in_kernel: usize,
    /// Events that a wait brought; the first `brought` count.
    events: Box<[Event]>,
    brought: usize,
    fds: Box<[RawFd]>,
    buffers: Buffers,
    read_flags: i32,
    write_flags: i32,
    last: u32,
    /// The target ends I/Os within the call that hands them over (the page cache): then one call for
    /// the whole batch costs least. Found out by watching.
    inline: bool,
    aside: Aside,
}

impl Aio {
    /// Makes a context.
    ///
    /// # Safety
    /// The promises of [`Setup`].
    ///
    /// # Errors
    /// [`SetupError`] names what is missing and the cure.
    pub unsafe fn new(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
        super::pvsync2::probe_flags(setup, false)?;
        let context = AioContext::new(setup.depth).map_err(|error| refusal(setup.depth, error))?;
        let depth = setup.depth as usize;
        let blocks = vec![Cell::new(ControlBlock::default()); usize::from(setup.buffers.slots)];
        let (read_flags, write_flags) = rw_flags(setup, false);
        let this = Self {
            context,
            queue: vec![std::ptr::null(); depth].into(),
            blocks: blocks.into(),
            pending: 0,
            in_kernel: 0,
            events: vec![Event::default(); depth].into(),
            brought: 0,
            fds: setup.handles.fds().into(),
            buffers: setup.buffers.clone(),
            read_flags,
            write_flags,
            last: 0,
            inline: false,
            aside: Aside::new(setup),
        };
        Ok((this, Vec::new()))
    }

    /// Hands over what is pending, in as many calls as the kernel needs; a large batch in small parts, so
    /// that the device works on the first while the rest is taken.
    fn submit(&mut self) -> io::Result<()> {
        let batch = self.pending;
        let before = self.context.waiting() as usize;
        let (mut from, mut part) = (0, if self.inline { batch } else { PART });
        while from < self.pending {
            let until = self.pending.min(from + part);
            // SAFETY: each pointer leads to the block of a slot, whose buffer outlives the request.
            let answer = unsafe { self.context.submit(&self.queue[from..until]) };
            match answer {
                Ok(taken) => {
                    self.in_kernel += taken;
                    from += taken;
                    self.inline = self.context.waiting() as usize >= before + from;
                    part = if self.inline { batch } else { PART };
                }
                Err(error) => match error.raw_os_error() {
                    Some(libc::EINTR) => {}
                    // The kernel has no room until something ends.
                    Some(libc::EAGAIN) if self.in_kernel > 0 => {
                        if self.brought == self.in_kernel {
                            break;
                        }
                        self.wait(1, None)?;
                    }
                    // Anything else is about the first block alone.
                    Some(code) => {
                        self.refused(self.queue[from], code);
                        from += 1;
                    }
                    None => return Err(error),
                },
            }
        }
        self.last = u32::try_from(from).unwrap_or(u32::MAX);
        self.queue.copy_within(from..self.pending, 0);
        self.pending -= from;
        Ok(())
    }

    /// A block that the kernel did not take: its error is the result. A sync that this file system
    /// cannot do asynchronously is done here.
    #[cold]
    fn refused(&mut self, block: *const ControlBlock, code: i32) {
        // SAFETY: the pointer leads to a cell of `self.blocks`; nothing writes to it meanwhile.
        let block = unsafe { *block };
        let sync = matches!(block.opcode, ext::CMD_FSYNC | ext::CMD_FDSYNC);
        let result = if sync && code == libc::EINVAL {
            super::trim::flush(block.fd.cast_signed(), block.opcode == ext::CMD_FDSYNC)
        } else {
            -code
        };
        self.aside.done.push(slot_of(block.data), result);
    }

    /// Waits for `want` more events and keeps them.
    fn wait(&mut self, want: usize, timeout: Option<Nanos>) -> io::Result<()> {
        let room = &mut self.events[self.brought..];
        match self
            .context
            .events(want.min(room.len()), room, timeout.map(|t| t.0))
        {
            Ok(count) => self.brought += count,
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Waits until nothing is in the kernel, for at most `seconds`. Whether nothing is left.
    fn drain(&mut self, seconds: u64) -> bool {
        for _ in 0..seconds {
            self.reap(|_, _| {});
            if self.in_kernel == 0 {
                return true;
            }
            if self.wait(1, Some(Nanos::SECOND)).is_err() {
                return false;
            }
        }
        self.reap(|_, _| {});
        self.in_kernel == 0
    }
}

/// Why io_setup(2) failed, in the user's terms.
fn refusal(depth: u32, error: io::Error) -> SetupError {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => SetupError::os(
            ErrorCode::Limit,
            format!("libaio: the system limit fs.aio-max-nr leaves no room for {depth} more"),
            (
                "run `sysctl -w fs.aio-max-nr=1048576` as root, or use fewer workers or a \
                 smaller queue depth",
                [Knob::Workers, Knob::QueueDepth],
            ),
            error,
        ),
        Some(libc::ENOSYS | libc::EPERM) => SetupError::os(
            ErrorCode::HostLacks,
            "libaio: this kernel has no native AIO, or a seccomp filter blocks it",
            ("use a kernel with CONFIG_AIO", INSTEAD_OF_AIO),
            error,
        ),
        _ => SetupError::os(
            ErrorCode::HostLacks,
            format!("libaio: cannot create a context for a queue depth of {depth}"),
            (
                "use a smaller queue depth",
                [Knob::QueueDepth, INSTEAD_OF_AIO[0], INSTEAD_OF_AIO[1]],
            ),
            error,
        ),
    }
}

/// The slot in an event's or block's data.
#[inline]
fn slot_of(data: u64) -> u16 {
    #[expect(clippy::cast_possible_truncation, reason = "data is a slot, a u16")]
    let slot = data as u16;
    slot
}

/// An event's result as a back end reports it.
#[inline]
fn result_of(event: &Event) -> i32 {
    // One read or write moves at most 2^31 - 4096 bytes.
    i32::try_from(event.result).unwrap_or(i32::MAX)
}

impl Backend for Aio {
    #[inline]
    fn queue(&mut self, request: &Request) {
        let slot = usize::from(request.slot);
        let fd = self.fds[request.file as usize].cast_unsigned();
        let data = u64::from(request.slot);
        let block = match request.op {
            Op::Trim => return self.aside.queue(request),
            Op::Sync => ControlBlock {
                data,
                opcode: if request.data_only {
                    ext::CMD_FDSYNC
                } else {
                    ext::CMD_FSYNC
                },
                fd,
                ..ControlBlock::default()
            },
            Op::Read | Op::Write => {
                let buffer = self.buffers.address(request.op, request.slot, request.len);
                let (opcode, rw_flags) = if request.op == Op::Write {
                    (ext::CMD_PWRITE, self.write_flags)
                } else {
                    (ext::CMD_PREAD, self.read_flags)
                };
                ControlBlock {
                    data,
                    rw_flags,
                    opcode,
                    fd,
                    buffer: buffer.expose_provenance() as u64,
                    len: u64::from(request.len),
                    offset: request.offset.cast_signed(),
                    ..ControlBlock::default()
                }
            }
        };
        self.blocks[slot].set(block);
        self.queue[self.pending] = self.blocks[slot].as_ptr();
        self.pending += 1;
    }

    #[inline]
    fn submit_and_wait(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()> {
        self.last = 0;
        if self.pending > 0 {
            self.submit()?;
        }
        self.last += self.aside.run();
        let ended = self.aside.done.len() + self.context.waiting();
        let want = (want.saturating_sub(ended) as usize).saturating_sub(self.brought);
        let outstanding = self.in_kernel - self.brought - self.context.waiting() as usize;
        match want.min(outstanding) {
            0 => Ok(()),
            // The call takes what waits in the ring first.
            more => self.wait(more + self.context.waiting() as usize, timeout),
        }
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u16, i32)) -> u32 {
        let mut count = std::mem::take(&mut self.brought);
        for event in &self.events[..count] {
            each(slot_of(event.data), result_of(event));
        }
        count += self
            .context
            .take(|event| each(slot_of(event.data), result_of(event))) as usize;
        self.in_kernel -= count;
        #[expect(clippy::cast_possible_truncation, reason = "at most the depth, a u32")]
        let count = count as u32;
        count + self.aside.done.reap(each)
    }

    fn last_submitted(&self) -> u32 {
        self.last
    }
}

impl Drop for Aio {
    /// The kernel may write into the buffers until each I/O has ended: waits for that, within a bound
    /// when there is an owner to leak.
    fn drop(&mut self) {
        let drained = match &self.buffers.owner {
            Some(_) => self.drain(DRAIN_LIMIT_SECS),
            None => self.drain(u64::MAX),
        };
        if drained {
            self.context.destroy();
        } else {
            // Deliberate: an I/O that cannot be ended still owns its buffer.
            std::mem::forget(self.buffers.owner.clone());
        }
    }
}
