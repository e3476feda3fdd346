//! What a back end is made from, and why making one may be refused.
//!
//! Must never: do I/O, or decide which back end to take.

#![expect(
    unsafe_code,
    reason = "addresses inside the caller's buffer region are computed here"
)]

use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::plan::Engine;
use std::any::Any;
use std::fmt;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;

/// The I/O buffers of one worker: a region cut into equal slots, by slot number.
///
/// A back end holds raw addresses into it, which is why making one is `unsafe`: see
/// [`Setup`] for what the caller promises.
#[derive(Clone)]
pub struct Buffers {
    /// Where the first slot's data of reads goes. Aligned as the target needs it.
    pub base: *mut u8,
    /// Bytes from one slot to the next, which is also the longest read or write.
    pub slot_stride: usize,
    /// Number of slots, at least the depth.
    pub slots: u16,
    /// Where the first slot's data of writes comes from; the same as `base` when both share.
    pub write_base: *mut u8,
    /// Keeps the memory alive. A back end whose I/O does not end within [`DRAIN_LIMIT_SECS`] when it
    /// is dropped leaks it on purpose, since the kernel may still write there. With `None` it waits
    /// for as long as it takes.
    pub owner: Option<Arc<dyn Any + Send + Sync>>,
}

/// How long a back end that is dropped waits for its outstanding I/O before it leaks the buffers.
pub const DRAIN_LIMIT_SECS: u64 = 10;

impl Buffers {
    /// Length of the region in bytes.
    #[must_use]
    pub fn region_len(&self) -> usize {
        self.slot_stride * usize::from(self.slots)
    }

    /// Whether writes have a region of their own.
    #[must_use]
    pub fn writes_apart(&self) -> bool {
        self.write_base != self.base
    }

    /// Where the data of a read or write of `len` bytes in `slot` lives.
    ///
    /// # Panics
    /// When the slot or the length is not within the region: the kernel would write elsewhere.
    #[inline]
    pub(crate) fn address(&self, op: Op, slot: u16, len: u32) -> *mut u8 {
        assert!(
            slot < self.slots && len as usize <= self.slot_stride,
            "request outside the buffers"
        );
        let base = if op == Op::Write {
            self.write_base
        } else {
            self.base
        };
        // SAFETY: the slot was just checked to lie within the region, which the caller of the back
        // end's constructor promised to be `slots * slot_stride` bytes of one allocation.
        unsafe { base.add(usize::from(slot) * self.slot_stride) }
    }
}

impl fmt::Debug for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffers")
            .field("slot_stride", &self.slot_stride)
            .field("slots", &self.slots)
            .field("writes_apart", &self.writes_apart())
            .finish_non_exhaustive()
    }
}

/// The open targets of a worker, as the back ends of their medium take them.
#[derive(Clone, Copy, Debug)]
pub enum Handles<'a> {
    /// Files and devices of this host.
    Files {
        /// Open for what the workload does.
        fds: &'a [RawFd],
        /// The size of each in bytes.
        sizes: &'a [u64],
    },
    /// There is no target.
    Nothing,
}

impl<'a> Handles<'a> {
    /// The open files; none where the targets are not files.
    #[must_use]
    pub const fn fds(self) -> &'a [RawFd] {
        match self {
            Self::Files { fds, .. } => fds,
            Self::Nothing => &[],
        }
    }

    /// The size of each open file in bytes.
    #[must_use]
    pub const fn sizes(self) -> &'a [u64] {
        match self {
            Self::Files { sizes, .. } => sizes,
            Self::Nothing => &[],
        }
    }
}

/// What every back end is made from.
///
/// Each back end has `unsafe fn new(&Setup) -> Result<(Self, Vec<String>), SetupError>`. The strings are
/// notes for the report: what was asked for and had to be done in another way. Its caller promises:
/// - `buffers` describes readable and writable memory that nothing else touches while a request of its
///   slot is outstanding, and that outlives the back end or is kept alive by `owner`;
/// - the `handles` stay open until the back end is dropped, and have a size for each file;
/// - the back end is made, used and dropped on one thread.
///
/// Results of all back ends: bytes moved for reads and writes; 0 for a trim or sync that went well;
/// otherwise the negative error number. Short reads and writes are reported as they are.
#[derive(Debug)]
pub struct Setup<'a> {
    /// What I/O is done to.
    pub handles: Handles<'a>,
    /// Where the data is.
    pub buffers: Buffers,
    /// Most requests outstanding at a time, 1 to 32768.
    pub depth: u32,
    /// Writes must not be torn (RWF_ATOMIC).
    pub atomic: bool,
    /// The back end's powers.
    pub engine: &'a Engine,
}

/// Why a back end cannot be made here: the feature that is missing and the cure.
#[derive(Debug, thiserror::Error)]
#[error("{missing}{}", .source.as_ref().map(|e| format!(": {e}")).unwrap_or_default())]
pub struct SetupError {
    /// What kind of thing is missing.
    pub code: ErrorCode,
    /// The feature, by name, and what stands against it.
    pub missing: String,
    /// What to do about it.
    pub cure: Cure,
    /// What the kernel said.
    pub source: Option<io::Error>,
}

impl SetupError {
    /// One with the kernel's answer.
    pub(crate) fn os(
        code: ErrorCode,
        missing: impl Into<String>,
        cure: impl Into<Cure>,
        source: io::Error,
    ) -> Self {
        Self {
            code,
            missing: missing.into(),
            cure: cure.into(),
            source: Some(source),
        }
    }

    /// One found by looking, without an answer of the kernel.
    pub(crate) fn named(
        code: ErrorCode,
        missing: impl Into<String>,
        cure: impl Into<Cure>,
    ) -> Self {
        Self {
            code,
            missing: missing.into(),
            cure: cure.into(),
            source: None,
        }
    }
}

/// Results that wait to be reaped, for back ends that complete inside the call. Never grows after
/// it was made for the depth.
#[derive(Debug)]
pub(crate) struct Done(Vec<(u16, i32)>);

impl Done {
    /// Room for `depth` results.
    pub(crate) fn new(depth: u32) -> Self {
        Self(Vec::with_capacity(depth as usize))
    }

    /// Notes a result.
    #[inline]
    pub(crate) fn push(&mut self, slot: u16, result: i32) {
        self.0.push((slot, result));
    }

    /// How many wait.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        // The depth is a u32, so the number of results is too.
        #[expect(clippy::cast_possible_truncation, reason = "at most the depth, a u32")]
        let len = self.0.len() as u32;
        len
    }

    /// The result at place `at`, in the order they were noted.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<(u16, i32)> {
        self.0.get(at).copied()
    }

    /// Forgets all of them; how many there were.
    #[inline]
    pub(crate) fn clear(&mut self) -> u32 {
        let count = self.len();
        self.0.clear();
        count
    }

    /// Hands over all of them, in order.
    #[inline]
    pub(crate) fn reap(&mut self, mut each: impl FnMut(u16, i32)) -> u32 {
        let count = self.len();
        for &(slot, result) in &self.0 {
            each(slot, result);
        }
        self.0.clear();
        count
    }
}
