//! Whether standard output was open when the program was started. Rust's runtime opens /dev/null in place of a
//! closed stream before `main`, so that results written to it would vanish without an error.
//!
//! Belongs here: that one look. Must never: open, close or write anything.

#![expect(
    unsafe_code,
    reason = "the look has to come before Rust's runtime starts"
)]

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

extern "C" fn look() {
    // SAFETY: F_GETFD takes no argument and changes nothing; of a closed descriptor it is an error.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags < 0, Ordering::Relaxed);
}

/// The C library calls what is in this section before `main`.
// SAFETY: the section holds pointers to functions without a result, whose arguments may be left unread; this one
// calls fcntl and stores a flag, which needs nothing of the runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Whether this process was started with its standard output closed.
#[must_use]
#[inline(never)]
pub fn stdout_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
