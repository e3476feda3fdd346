//! Times in which leadline itself did not run: stopped by a signal, a suspended machine, no processor for it. The
//! collecting thread sees them: it comes back from a wait long after it asked to.
//!
//! Belongs here: noticing and naming them. Must never: count on a clock that stands still meanwhile.

use leadline_model::finding::{Finding, Severity};
use leadline_model::units::Nanos;

/// A wait that lasts this much longer than asked, in nanoseconds, is not the scheduler's everyday.
const LEAST_NS: u64 = 500_000_000;

/// What was noticed in a stage.
#[derive(Debug, Default)]
pub(super) struct Standstill {
    /// When the first began, from the start of the stage.
    first: Option<Nanos>,
    times: u32,
    sum: u64,
}

impl Standstill {
    /// A wait that began at `at` and was to last `asked` nanoseconds at most took `took`.
    pub(super) fn waited(&mut self, at: Nanos, asked: u64, took: u64) {
        let more = took.saturating_sub(asked);
        if more >= LEAST_NS {
            self.first.get_or_insert(at);
            self.times += 1;
            self.sum += more;
        }
    }

    /// What is to be said of it. Code `stood-still` (warn).
    pub(super) fn finding(&self, stage: u32) -> Option<Finding> {
        let first = self.first?;
        let times = match self.times {
            1 => String::new(),
            n => format!(" in total, in {n} pauses"),
        };
        Some(Finding {
            code: "stood-still".to_owned(),
            severity: Severity::Warn,
            stage: Some(stage),
            workload: None,
            text: format!(
                "leadline itself did not run for {}{times}, from about {first} into the stage: \
                 it was stopped (SIGSTOP), the machine was suspended, or no processor was \
                 available. I/Os that were late or missing then are not the target's fault.",
                Nanos(self.sum)
            ),
            cure: "Repeat the run without interruption.".into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_much_longer_than_asked_is_a_standstill_and_others_are_not() {
        let mut still = Standstill::default();
        still.waited(Nanos::from_secs(1), 100_000_000, 100_900_000);
        still.waited(Nanos::from_secs(2), 0, 400_000_000);
        assert!(still.finding(3).is_none());
        still.waited(Nanos::from_secs(5), 100_000_000, 30_100_000_000);
        let text = still.finding(3).unwrap().text;
        assert!(
            text.starts_with("leadline itself did not run for 30.0 s, from about 5.00 s"),
            "{text}"
        );
        still.waited(Nanos::from_secs(50), 0, 2_000_000_000);
        let found = still.finding(3).unwrap();
        assert!(
            found.text.contains("32.0 s in total, in 2 pauses"),
            "{}",
            found.text
        );
        assert_eq!((found.stage, found.severity), (Some(3), Severity::Warn));
    }
}
