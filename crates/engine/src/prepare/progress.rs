//! Long work on another thread, watched from the calling one, the only one that may report it.

use super::PrepareError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How often the watcher reports progress; the promise is every 250 ms.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// Bytes done, and whether to continue.
pub(super) struct Progress<'a> {
    done: AtomicU64,
    total: u64,
    cancel: &'a AtomicBool,
}

impl<'a> Progress<'a> {
    /// Nothing done of `total`.
    pub(super) const fn new(total: u64, cancel: &'a AtomicBool) -> Self {
        Self {
            done: AtomicU64::new(0),
            total,
            cancel,
        }
    }

    /// Adds to what is done.
    ///
    /// # Errors
    /// [`PrepareError::Interrupted`] when the user has ended it.
    pub(super) fn add(&self, bytes: u64) -> Result<(), PrepareError> {
        self.done.fetch_add(bytes, Ordering::Relaxed);
        if self.cancel.load(Ordering::Relaxed) {
            return Err(PrepareError::Interrupted);
        }
        Ok(())
    }

    fn now(&self) -> u64 {
        self.done.load(Ordering::Relaxed).min(self.total)
    }
}

/// Runs `work` on a thread of its own and calls `report` with the bytes done: at once, every 200 ms,
/// and at the end. Without bytes to move, only what takes long is reported.
///
/// # Errors
/// Those of `work`, and that there is no thread for it.
pub(super) fn watched<T: Send>(
    progress: &Progress<'_>,
    work: impl FnOnce() -> Result<T, PrepareError> + Send,
    report: &mut dyn FnMut(u64),
) -> Result<T, PrepareError> {
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<()>();
        let worker = std::thread::Builder::new().spawn_scoped(scope, move || {
            let result = work();
            drop(sender);
            result
        });
        let worker = worker.map_err(|error| PrepareError::no_thread(&error))?;
        if progress.total > 0 {
            report(0);
        }
        while receiver.recv_timeout(TELL_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
            report(progress.now());
        }
        let result = worker
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if progress.total > 0 {
            report(progress.now());
        }
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_work_is_reported_every_quarter_second_even_without_progress() {
        let cancel = AtomicBool::new(false);
        let progress = Progress::new(10, &cancel);
        let mut reported = Vec::new();
        watched(
            &progress,
            || {
                progress.add(4).unwrap();
                std::thread::sleep(Duration::from_millis(900));
                progress.add(6)
            },
            &mut |done| reported.push(done),
        )
        .unwrap();
        assert!(reported.len() >= 5, "{reported:?}");
        assert_eq!((reported[0], *reported.last().unwrap()), (0, 10));
    }

    #[test]
    fn cancel_ends_it() {
        let cancel = AtomicBool::new(true);
        let progress = Progress::new(10, &cancel);
        assert!(matches!(progress.add(1), Err(PrepareError::Interrupted)));
    }
}
