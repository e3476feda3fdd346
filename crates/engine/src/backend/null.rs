//! The back end that does nothing: every request succeeds in full at once, in order.
//!
//! It shows what the generator itself costs. Must never: touch a file or a buffer.

use super::{Backend, Request, Setup, SetupError};
use leadline_model::op::Op;
use leadline_model::units::Nanos;
use std::io;

/// Completes at once.
#[derive(Debug)]
pub struct Null {
    /// Slot and result of each request that is queued or done, in order.
    entries: Box<[(u16, i32)]>,
    /// How many of `entries` are in use.
    used: usize,
    /// How many of those were handed over.
    submitted: usize,
    last: u32,
    #[cfg(debug_assertions)]
    broken: Broken,
}

/// A defect on command, for tests of what becomes of a worker that breaks: `LEADLINE_TEST_PANIC=worker-1:500`
/// breaks the thread of that name at its 500th I/O, `worker-1:0` before its first; with `:abort` appended
/// the process ends there, as that of a release does. Only in builds for development.
#[cfg(debug_assertions)]
#[derive(Debug)]
struct Broken {
    /// I/Os until it breaks.
    left: Option<u64>,
    abort: bool,
}

#[cfg(debug_assertions)]
impl Broken {
    fn by_order() -> Self {
        let order = std::env::var("LEADLINE_TEST_PANIC").unwrap_or_default();
        let mut words = order.split(':');
        let mine = words.next() == std::thread::current().name();
        let left = words.next().and_then(|n| n.parse().ok()).filter(|_| mine);
        let broken = Self {
            left,
            abort: words.next() == Some("abort"),
        };
        broken.look();
        broken
    }

    fn look(&self) {
        if self.left == Some(0) {
            if self.abort {
                std::process::abort();
            }
            panic!("broken on command");
        }
    }

    fn count(&mut self) {
        if let Some(left) = &mut self.left {
            *left -= 1;
            self.look();
        }
    }
}

impl Null {
    /// Makes one; needs nothing of the host.
    ///
    /// # Errors
    /// None; the signature is that of all back ends.
    pub fn new(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
        let entries = vec![(0, 0); setup.depth as usize].into_boxed_slice();
        Ok((
            Self {
                entries,
                used: 0,
                submitted: 0,
                last: 0,
                #[cfg(debug_assertions)]
                broken: Broken::by_order(),
            },
            Vec::new(),
        ))
    }
}

impl Backend for Null {
    #[inline]
    fn queue(&mut self, request: &Request) {
        #[cfg(debug_assertions)]
        self.broken.count();
        let moved = match request.op {
            // Below 2 GiB, as all reads and writes.
            Op::Read | Op::Write => request.len.cast_signed(),
            Op::Trim | Op::Sync => 0,
        };
        self.entries[self.used] = (request.slot, moved);
        self.used += 1;
    }

    #[inline]
    fn submit_and_wait(&mut self, _want: u32, _timeout: Option<Nanos>) -> io::Result<()> {
        #[expect(clippy::cast_possible_truncation, reason = "at most the depth, a u32")]
        let handed_over = (self.used - self.submitted) as u32;
        self.last = handed_over;
        self.submitted = self.used;
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u16, i32)) -> u32 {
        let done = self.submitted;
        for &(slot, result) in &self.entries[..done] {
            each(slot, result);
        }
        // Requests queued after the last submit stay queued.
        if self.used > done {
            self.entries.copy_within(done..self.used, 0);
        }
        self.used -= done;
        self.submitted = 0;
        #[expect(clippy::cast_possible_truncation, reason = "at most the depth, a u32")]
        let count = done as u32;
        count
    }

    fn last_submitted(&self) -> u32 {
        self.last
    }
}
