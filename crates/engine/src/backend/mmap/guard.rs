//! Copies to and from a mapping that may break: a page that is gone (the file was cut short, the device
//! failed, the file system is full) raises SIGBUS, which becomes an error here.
//!
//! While a thread copies, it names the mapping in a cell of its own. The handler, when the address is
//! in there, puts a page of zeros in the place of the missing one and notes the fault, so that the copy
//! runs to its end and the caller sees the note. Any other SIGBUS goes to the handler that was there
//! before.
//!
//! Must never: allocate, lock or panic in the handler.

#![expect(
    unsafe_code,
    reason = "signal handlers and copies between raw addresses"
)]

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering, compiler_fence};

/// Size of a page, in bytes.
static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// What a thread is copying. Atomic since the handler interrupts the thread that owns it.
struct CopyGuard {
    start: AtomicUsize,
    end: AtomicUsize,
    faults: AtomicU32,
}

impl CopyGuard {
    /// Watches from `start` to `end`; nothing when they are the same.
    #[inline]
    fn set(&self, start: usize, end: usize) {
        self.start.store(start, Ordering::Relaxed);
        self.end.store(end, Ordering::Relaxed);
        self.faults.store(0, Ordering::Relaxed);
    }

    /// Whether `at` is watched.
    fn holds(&self, at: usize) -> bool {
        at >= self.start.load(Ordering::Relaxed) && at < self.end.load(Ordering::Relaxed)
    }
}

thread_local! {
    // Constant and without a destructor: reading it in the handler neither allocates nor locks.
    static WATCH: CopyGuard = const {
        CopyGuard { start: AtomicUsize::new(0), end: AtomicUsize::new(0), faults: AtomicU32::new(0) }
    };
}

/// The action that SIGBUS had before, and whether installing ours went well.
static PREVIOUS: OnceLock<Result<libc::sigaction, i32>> = OnceLock::new();

/// Installs the handler, once in a process.
pub(super) fn install() -> io::Result<()> {
    let previous = PREVIOUS.get_or_init(|| {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        PAGE.store(usize::try_from(page).unwrap_or(4096), Ordering::Relaxed);
        // SAFETY: all zeros is a valid `sigaction`.
        let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = on_bus_error;
        action.sa_sigaction = handler as libc::sighandler_t;
        // The stack of its own is where Rust's handler of stack overflows runs, too.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let mut previous = MaybeUninit::uninit();
        // SAFETY: the handler keeps to what may be done in one; both pointers are valid.
        if unsafe { libc::sigaction(libc::SIGBUS, &raw const action, previous.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EINVAL));
        }
        // SAFETY: written by the call that went well.
        Ok(unsafe { previous.assume_init() })
    });
    match previous {
        Ok(_) => Ok(()),
        Err(code) => Err(io::Error::from_raw_os_error(*code)),
    }
}

/// Copies `len` bytes. False when a page of the watched mapping was missing: then what was copied
/// is not the file's content, and the mapping has to be remade.
///
/// # Safety
/// `from` and `to` are valid for `len` bytes and do not overlap, except that pages of
/// `watched` may be missing; `watched` is a shared mapping of a file that only this thread uses.
#[inline]
pub(super) unsafe fn copy(
    from: *const u8,
    to: *mut u8,
    len: usize,
    watched: (*mut u8, usize),
) -> bool {
    // SAFETY: the caller's promise; a missing page is replaced by the handler.
    watch(watched, || unsafe {
        ptr::copy_nonoverlapping(from, to, len);
    })
}

/// Does what touches the mapping `watched`. False when a page of it was missing.
pub(super) fn watch(watched: (*mut u8, usize), touch: impl FnOnce()) -> bool {
    WATCH.with(|watch| {
        let start = watched.0.addr();
        watch.set(start, start + watched.1);
        compiler_fence(Ordering::SeqCst);
        touch();
        compiler_fence(Ordering::SeqCst);
        let faults = watch.faults.load(Ordering::Relaxed);
        watch.set(0, 0);
        faults == 0
    })
}

/// The handler of SIGBUS.
extern "C" fn on_bus_error(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid description of the signal.
    let (at, fault) = unsafe { ((*info).si_addr().addr(), (*info).si_code > 0) };
    // Without the cell the thread is ending, and copies nothing.
    let replaced = WATCH.try_with(|watch| {
        // One that a process sent has no address.
        let mine = fault && watch.holds(at) && replace_page(at);
        if mine {
            watch.faults.fetch_add(1, Ordering::Relaxed);
        }
        mine
    });
    if replaced != Ok(true) {
        pass_on(signal, info, context, fault);
    }
}

/// Puts a page of zeros where `at` is.
fn replace_page(at: usize) -> bool {
    let size = PAGE.load(Ordering::Relaxed);
    let page = ptr::without_provenance_mut(at & !(size - 1));
    // SAFETY: the address is within a mapping that belongs to this thread's copy, so only
    // that one is replaced.
    let mapped = unsafe {
        libc::mmap(
            page,
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    mapped == page
}

/// Does what would have been done without this handler.
fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void, fault: bool) {
    let Some(Ok(previous)) = PREVIOUS.get() else {
        return;
    };
    if previous.sa_sigaction == libc::SIG_DFL || previous.sa_sigaction == libc::SIG_IGN {
        // SAFETY: puts the default back; an access that failed is made again on return and ends the
        // process, a signal that was sent is sent again.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            if !fault {
                libc::raise(signal);
            }
        }
    } else if previous.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: a handler with SA_SIGINFO has this type.
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
            unsafe { std::mem::transmute(previous.sa_sigaction) };
        handler(signal, info, context);
    } else {
        // SAFETY: a handler without SA_SIGINFO has this type.
        let handler: extern "C" fn(i32) = unsafe { std::mem::transmute(previous.sa_sigaction) };
        handler(signal);
    }
}
