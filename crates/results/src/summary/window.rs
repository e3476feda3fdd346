//! The time that figures are about: each worker's own window, the window all of them share, and how
//! far apart they started and stopped.

use leadline_model::sample::{Drain, WorkerTotals};
use leadline_model::units::Nanos;

/// The windows of a set of workers, counted from the start of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// First start of any window.
    pub first: Nanos,
    /// Last end of any window.
    pub last: Nanos,
    /// Start of the common window: the last worker's first submission (or end of its warm-up).
    pub common_start: Nanos,
    /// End of the common window: the first worker's end. Not after `common_start` when the workers
    /// never ran all at once.
    pub common_end: Nanos,
    /// Length of the shortest window.
    pub shortest: Nanos,
    /// Length of the longest window.
    pub longest: Nanos,
    /// Last first submission minus first one.
    pub start_skew: Nanos,
    /// Last end minus first end.
    pub stop_skew: Nanos,
}

impl Window {
    /// From the windows of workers that did I/O; all zero when none did.
    #[must_use]
    pub fn of<'a>(workers: impl Iterator<Item = &'a WorkerTotals>) -> Self {
        let mut all = workers.filter_map(|w| Some((w, w.first_submit?)));
        let Some((first, submit)) = all.next() else {
            return Self::default();
        };
        let (begin, end) = timed(first);
        let mut window = Self {
            first: begin,
            last: end,
            common_start: begin,
            common_end: end,
            shortest: end.since(begin),
            longest: end.since(begin),
            ..Self::default()
        };
        let (mut earliest, mut latest) = (submit, submit);
        for (worker, submit) in all {
            let (begin, end) = timed(worker);
            window.first = window.first.min(begin);
            window.last = window.last.max(end);
            window.common_start = window.common_start.max(begin);
            window.common_end = window.common_end.min(end);
            window.shortest = window.shortest.min(end.since(begin));
            window.longest = window.longest.max(end.since(begin));
            earliest = earliest.min(submit);
            latest = latest.max(submit);
        }
        window.start_skew = latest.since(earliest);
        window.stop_skew = window.last.since(window.common_end);
        window
    }

    /// Length of the window all workers share; zero when they never ran all at once.
    #[must_use]
    pub const fn common(&self) -> Nanos {
        self.common_end.since(self.common_start)
    }

    /// From the first start to the last end.
    #[must_use]
    pub const fn whole(&self) -> Nanos {
        self.last.since(self.first)
    }

    /// The share of the shortest window that is common to all, 0 to 1; 1 when there is no window.
    #[must_use]
    pub fn common_share(&self) -> f64 {
        if self.shortest == Nanos::ZERO {
            return 1.0;
        }
        self.common().0 as f64 / self.shortest.0 as f64
    }
}

/// The window in which a worker did measured I/O: from its first submission or the end of its
/// warm-up, whichever is later.
#[must_use]
pub fn own(worker: &WorkerTotals) -> (Nanos, Nanos) {
    let submit = worker.first_submit.unwrap_or(worker.window_end);
    (submit.max(worker.window_start), worker.window_end)
}

/// What a worker's rates leave out, since it ended after the end that was asked for. Where nothing ended before it, the window was
/// too short for any of what was in flight, and nothing is left out.
#[must_use]
pub fn drained(worker: &WorkerTotals) -> Option<&Drain> {
    let is_part = |drain: &&Drain| {
        let drained: u64 = drain.done.iter().map(|done| done.1).sum();
        let all: u64 = worker.counts.ops.values().map(|op| op.ios).sum();
        drained < all && drain.from > own(worker).0
    };
    worker.drain.as_ref().filter(is_part)
}

/// The time that a worker's rates are about: its own window, without what they leave out.
#[must_use]
pub fn timed(worker: &WorkerTotals) -> (Nanos, Nanos) {
    let (start, end) = own(worker);
    (start, drained(worker).map_or(end, |drain| drain.from))
}

/// Nanoseconds that two spans share.
#[must_use]
pub fn overlap(a: (Nanos, Nanos), b: (Nanos, Nanos)) -> Nanos {
    a.1.min(b.1).since(a.0.max(b.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Load, run_of, workload_events};
    use leadline_model::event::Event;
    use leadline_model::op::Op;

    fn windows(starts: &[u64]) -> Window {
        let mut load = Load::simple(Op::Read, 10, 4096, 1000, 10);
        load.starts = starts.iter().map(|&s| Nanos::from_secs(s)).collect();
        let mut events = vec![Event::StageStarted {
            stage: 0,
            at: Nanos::ZERO,
            wall_ms: 0,
        }];
        events.extend(workload_events(0, 0, &load));
        Window::of(run_of(&events).stages[0].workers.iter())
    }

    #[test]
    fn the_common_window_starts_with_the_last_and_ends_with_the_first() {
        let window = windows(&[0, 4]);
        assert_eq!(window.start_skew, Nanos::from_secs(4));
        assert_eq!(window.common(), Nanos(6_000_000_000 - 1000));
        assert_eq!(window.whole(), Nanos(10_000_000_000 - 1000));
        assert!((window.common_share() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn no_worker_has_no_window() {
        let window = Window::of([].iter());
        assert_eq!(
            (window.common(), window.whole()),
            (Nanos::ZERO, Nanos::ZERO)
        );
        assert!((window.common_share() - 1.0).abs() < f64::EPSILON);
    }
}
