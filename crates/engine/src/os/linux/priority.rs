//! Priorities of a thread: for processors (nice) and for I/O.
#![expect(unsafe_code, reason = "scheduling calls that have no safe wrapper")]

use leadline_model::plan::Placement;
use std::io;

/// Gives the calling thread the priorities of a plan. Returns what was refused, in words.
pub(crate) fn set(placement: &Placement) -> Vec<String> {
    let mut refused = Vec::new();
    if let Some(nice) = placement.nice {
        // SAFETY: setpriority takes numbers only; 0 is the calling thread.
        if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) } != 0 {
            let error = io::Error::last_os_error();
            refused.push(format!("nice {nice} refused: {error}"));
        }
    }
    if let Some((class, level)) = placement.io_priority {
        const WHO_PROCESS: i32 = 1;
        let value = (i32::from(class) << 13) | i32::from(level);
        // SAFETY: ioprio_set takes numbers only; 0 is the calling thread.
        if unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, value) } != 0 {
            let error = io::Error::last_os_error();
            refused.push(format!("I/O priority {class}/{level} refused: {error}"));
        }
    }
    refused
}

/// What of these priorities a thread of this process would be refused, tried on one that ends with it.
pub(crate) fn refused(placement: &Placement) -> Option<String> {
    if placement.nice.is_none() && placement.io_priority.is_none() {
        return None;
    }
    let placement = placement.clone();
    let tried = std::thread::spawn(move || set(&placement)).join().ok()?;
    tried.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever runs this may be less nice or not; to be nicer is always granted, and a class that is none never.
    #[test]
    fn what_is_granted_and_refused_is_tried_and_leaves_no_trace() {
        let before = rustix::process::getpriority_process(None).unwrap();
        let mut placement = Placement {
            nice: Some(19),
            ..Placement::default()
        };
        assert_eq!(refused(&placement), None);
        placement.io_priority = Some((7, 0));
        let words = refused(&placement).unwrap();
        assert!(words.contains("I/O priority 7/0 refused"), "{words}");
        assert_eq!(rustix::process::getpriority_process(None).unwrap(), before);
    }
}
