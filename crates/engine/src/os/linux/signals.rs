//! Signals as flags.

#![expect(
    unsafe_code,
    reason = "what a second signal says is written where only a signal handler runs"
)]

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGXFSZ};
use signal_hook::{flag, low_level};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Exit code of a run that a second signal ends at once.
const ENDED: i32 = 130;

/// Has Ctrl-C, SIGTERM, SIGQUIT and SIGHUP (the terminal or the ssh session is gone) raise this flag; a second one
/// ends the process at once, but for SIGHUP, which shells and the kernel both send.
pub fn interrupts(raised: &Arc<AtomicBool>) {
    for signal in heard() {
        // Registered in this order: the first signal finds the flag down, and only raises it.
        if signal != SIGHUP {
            let _ = flag::register_conditional_shutdown(signal, ENDED, Arc::clone(raised));
        }
        let _ = flag::register(signal, Arc::clone(raised));
    }
}

/// The signals that end a run: nohup and shells that start something in the background want two of them to change nothing.
fn heard() -> impl Iterator<Item = i32> {
    let ignored = ignored();
    let all = [SIGINT, SIGTERM, SIGQUIT, SIGHUP].into_iter();
    all.filter(move |signal| {
        !matches!(*signal, SIGQUIT | SIGHUP) || ignored >> (signal - 1) & 1 == 0
    })
}

/// What is said where a run that leaves something to be undone is to end at once.
struct Words {
    /// At the second signal, after which all goes on: what is still done.
    second: Vec<u8>,
    /// At the third, which ends the process: what was left.
    third: Vec<u8>,
}

static WORDS: AtomicPtr<Words> = AtomicPtr::new(ptr::null_mut());

/// From now on something has to be undone: at a second signal only `second` is said, and the third says `third` and ends
/// the process.
pub fn hold_on(second: &str, third: &str) {
    let bytes = |text: &str| format!("\n{text}\n").into_bytes();
    let words = Words {
        second: bytes(second),
        third: bytes(third),
    };
    // A handler may be reading the words that were there before: they are never freed.
    WORDS.store(Box::into_raw(Box::new(words)), Ordering::SeqCst);
}

/// Nothing has to be undone any longer: a second signal ends the process.
pub fn let_go() {
    WORDS.store(ptr::null_mut(), Ordering::SeqCst);
}

/// As [`interrupts`], of a run that may have to undo something ([`hold_on`]).
pub fn interrupts_of_what_is_undone(raised: &Arc<AtomicBool>) {
    let count = Arc::new(AtomicUsize::new(0));
    for signal in heard() {
        let (raised, count) = (Arc::clone(raised), Arc::clone(&count));
        let handler = move || {
            raised.store(true, Ordering::SeqCst);
            if signal != SIGHUP {
                again(count.fetch_add(1, Ordering::SeqCst));
            }
        };
        // SAFETY: the handler only stores to atomics, writes bytes that are never freed, and ends the process without
        // running anything else: all of it may be done in a signal handler.
        let _ = unsafe { low_level::register(signal, handler) };
    }
}

/// A signal came after this many others.
fn again(before: usize) {
    if before == 0 {
        return;
    }
    // SAFETY: what was stored is null or leaked on purpose.
    match (unsafe { WORDS.load(Ordering::SeqCst).as_ref() }, before) {
        (Some(words), 1) => write(&words.second),
        (words, _) => {
            words.iter().for_each(|words| write(&words.third));
            low_level::exit(ENDED);
        }
    }
}

/// Writes to standard error, as a signal handler may.
fn write(bytes: &[u8]) {
    // SAFETY: the range is that of the bytes; a failed write has no one to be reported to.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
}

/// Has SIGUSR1, by which users of fio ask for the status, raise this flag. It ends no run of any front end.
pub fn status_requests(raised: &Arc<AtomicBool>) {
    let _ = flag::register(SIGUSR1, Arc::clone(raised));
}

/// Has the process raise this flag when it goes on after it was stopped: what is on the terminal may be the shell's.
pub fn continuations(raised: &Arc<AtomicBool>) {
    let _ = flag::register(SIGCONT, Arc::clone(raised));
}

/// Has a write beyond the limit of file sizes (`ulimit -f`) fail with an error rather than end the process.
pub fn survive_the_file_size_limit() {
    // A handler rather than ignoring it: programs that are started from here do not inherit that.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// The signals that this process was started to ignore, signal 1 as the lowest bit; none when that is not known.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
