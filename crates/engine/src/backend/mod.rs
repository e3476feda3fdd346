//! Back ends: the ways to ask a kernel (or nothing, or a simulation) for I/O.
//!
//! A back end knows nothing of time, statistics, pace or offsets. It gets requests, slot by slot,
//! and says which slots are done. One file for each; all obey [`Backend`], and `make` makes the one that a
//! plan names. What each can do is in [`leadline_model::plan::powers`], which plans were checked against.

#![expect(
    unsafe_code,
    reason = "making a back end promises that the buffers outlive it"
)]

pub mod aio;
pub mod mmap;
pub mod null;
pub mod psync;
pub mod pvsync2;
mod setup;
pub(crate) mod sim;
pub mod threads;
mod trim;
pub mod uring;

pub use setup::{Buffers, DRAIN_LIMIT_SECS, Handles, Setup, SetupError};

use crate::os::left;
use leadline_model::cure::Knob;
use leadline_model::op::Op;
use leadline_model::plan::{Engine, EngineKind};
use leadline_model::units::Nanos;
use serde::{Deserialize, Serialize};
use std::io;

/// What to use on a host where io_uring is disabled.
pub(crate) const INSTEAD_OF_URING: [Knob; 2] = [
    Knob::Engine(EngineKind::Libaio),
    Knob::Engine(EngineKind::Psync),
];

/// What to use on a host where native AIO is disabled.
pub(crate) const INSTEAD_OF_AIO: [Knob; 2] = [
    Knob::Engine(EngineKind::IoUring),
    Knob::Engine(EngineKind::Psync),
];

/// One operation as a back end gets it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Request {
    /// Which slot it occupies until it is reaped; also which buffer it uses. Below the depth.
    pub slot: u16,
    /// What to do.
    pub op: Op,
    /// For [`Op::Sync`]: data only (fdatasync).
    pub data_only: bool,
    /// Index into the worker's open files.
    pub file: u32,
    /// First byte.
    pub offset: u64,
    /// Number of bytes, at most the buffer's size. Trims may be longer.
    pub len: u32,
}

/// A way to do I/O. One instance belongs to one worker thread and never leaves it.
pub trait Backend {
    /// Takes a request. Back ends that batch only note it; none waits here. The caller never has more
    /// requests outstanding than the depth the back end was made for, and no two with one slot.
    fn queue(&mut self, request: &Request);

    /// Hands all queued requests to the kernel and waits until at least `want` of those outstanding
    /// have ended, or `timeout` has passed. `want` = 0 does not wait. A signal (EINTR) ends the wait
    /// early without an error.
    ///
    /// # Errors
    /// Only when the back end itself is broken; the failure of a single I/O is its result.
    fn submit_and_wait(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()>;

    /// As [`Backend::submit_and_wait`] where all that was queued has been handed over: no call where `want`
    /// have ended already.
    ///
    /// # Errors
    /// As there.
    #[inline]
    fn wait(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()> {
        self.submit_and_wait(want, timeout)
    }

    /// Calls `each` with the slot and result of every request that has ended and was not yet reaped:
    /// bytes moved, or the negative error number. Returns how many.
    fn reap(&mut self, each: impl FnMut(u16, i32)) -> u32;

    /// How many requests were handed over in the last call of [`Backend::submit_and_wait`].
    fn last_submitted(&self) -> u32;
}

/// Whether this host gives a back end for such an engine and depth, asked without a target; nothing is kept.
///
/// # Errors
/// [`SetupError`] names what is missing and the cure.
pub(crate) fn probe(engine: &Engine, depth: u32) -> Result<(), SetupError> {
    match engine.kind {
        EngineKind::IoUring => uring::probe(engine, depth),
        EngineKind::Libaio => aio::probe(),
        EngineKind::Psync
        | EngineKind::Threads
        | EngineKind::Pvsync2
        | EngineKind::Mmap
        | EngineKind::Null
        | EngineKind::Sim => Ok(()),
    }
}

/// Whether this host has room for this many I/Os in flight together, of all back ends of a kind; nothing is taken.
///
/// # Errors
/// [`SetupError`] names what there is too little of, and the cure.
pub(crate) fn room(kind: EngineKind, ios: u64) -> Result<(), SetupError> {
    match (kind, left::aio()) {
        (EngineKind::Libaio, Some(left)) if ios > left => Err(aio::no_room(ios, left)),
        _ => Ok(()),
    }
}

/// A back end and its notes for the report, or why there is none here.
pub type Made<B> = Result<(B, Vec<String>), SetupError>;

/// Who uses a back end, whichever it is.
pub(crate) trait User {
    /// Uses it for as long as it lives.
    fn run<B: Backend>(self, made: Made<B>);
}

/// Makes the back end that the plan names, and has it used.
///
/// # Safety
/// The promises of [`Setup`].
pub(crate) unsafe fn make(setup: &Setup<'_>, user: impl User) {
    match setup.engine.kind {
        // SAFETY: as the caller promises.
        EngineKind::IoUring => user.run(unsafe { uring::Uring::new(setup) }),
        // SAFETY: as the caller promises.
        EngineKind::Libaio => user.run(unsafe { aio::Aio::new(setup) }),
        // SAFETY: as the caller promises.
        EngineKind::Psync => user.run(unsafe { psync::Psync::new(setup) }),
        // SAFETY: as the caller promises.
        EngineKind::Threads => user.run(unsafe { threads::Threads::new(setup) }),
        // SAFETY: as the caller promises.
        EngineKind::Pvsync2 => user.run(unsafe { pvsync2::Pvsync2::new(setup) }),
        // SAFETY: as the caller promises.
        EngineKind::Mmap => user.run(unsafe { mmap::Mmap::new(setup) }),
        // Simulated stages are run apart, by `run::simulate`.
        EngineKind::Null | EngineKind::Sim => user.run(null::Null::new(setup)),
    }
}
