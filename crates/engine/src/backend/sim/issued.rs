//! For tests: what was asked of simulated devices, I/O for I/O.

use crate::backend::Request;
use std::cell::RefCell;

/// An I/O as a device was asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Issued {
    /// Nanoseconds from the start of the stage.
    pub(crate) at: u64,
    /// Worker, where all have one device.
    pub(crate) worker: usize,
    pub(crate) request: Request,
}

thread_local! {
    /// A simulated stage runs on the thread of its test.
    static LOG: RefCell<Vec<Issued>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn note(at: u64, worker: usize, request: Request) {
    LOG.with_borrow_mut(|log| {
        log.push(Issued {
            at,
            worker,
            request,
        });
    });
}

/// What was noted since the last call.
pub(super) fn take() -> Vec<Issued> {
    LOG.take()
}
