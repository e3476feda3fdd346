//! Signals as flags.

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGXFSZ};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit code of a run that a second signal ends at once.
const ENDED: i32 = 130;

/// Has Ctrl-C, SIGTERM, SIGQUIT and SIGHUP (the terminal or the ssh session is gone) raise this flag; a second one
/// ends the process at once, but for SIGHUP, which shells and the kernel both send.
pub fn interrupts(raised: &Arc<AtomicBool>) {
    let ignored = ignored();
    for signal in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] {
        // nohup and shells that start something in the background want these two to change nothing.
        if matches!(signal, SIGQUIT | SIGHUP) && ignored >> (signal - 1) & 1 == 1 {
            continue;
        }
        // Registered in this order: the first signal finds the flag down, and only raises it.
        if signal != SIGHUP {
            let _ = flag::register_conditional_shutdown(signal, ENDED, Arc::clone(raised));
        }
        let _ = flag::register(signal, Arc::clone(raised));
    }
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
