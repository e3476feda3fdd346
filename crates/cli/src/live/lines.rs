//! Progress where there is no terminal: which moments of a stage have a line. A log of hours is read by people: a line
//! every ten seconds, and one where something changes.

use leadline_model::event::Tick;
use leadline_model::sample::{Counts, Sample};
use leadline_model::units::Nanos;

/// The lines of a stage are that far apart, unless something changes.
const EVERY: Nanos = Nanos::from_secs(10);

/// So long without an I/O is a change.
const STALL: Nanos = Nanos::from_secs(2);

/// Which moments of the running stage have a line, and what was done since the line before.
#[derive(Default)]
pub(super) struct LinesOfStage {
    /// When the last was, from the start of the stage.
    last: Option<Nanos>,
    /// The latest moment of a stage that has no line yet.
    unsaid: Option<Box<Tick>>,
    /// What was counted since the last line, from which interval on, and up to which.
    counts: Counts,
    from: u64,
    until: u64,
    /// It was counted in the warm-up.
    warmup: bool,
    /// Whether there was I/O since the latest tick, and when that was.
    had_io: bool,
    io: Nanos,
    /// Whether I/Os have failed.
    fails: bool,
    /// What is no news any more.
    said_errors: bool,
    said_stall: bool,
}

impl LinesOfStage {
    /// Takes an interval.
    pub(super) fn take(&mut self, sample: &Sample) {
        if self.warmup && !sample.warmup {
            self.counts = Counts::default();
            self.from = sample.interval;
        }
        self.warmup = sample.warmup;
        self.until = self.until.max(sample.interval.saturating_add(1));
        self.counts.merge(&sample.counts);
        let ops = || sample.counts.ops.values();
        self.had_io |= ops().any(|op| op.ios > 0);
        self.fails |= ops().any(|op| op.errors > 0);
    }

    /// What the line of this moment is about; `None` = it has none.
    pub(super) fn due(&mut self, tick: &Tick) -> Option<Box<Tick>> {
        if std::mem::take(&mut self.had_io) {
            self.io = tick.at;
        }
        let stalls = tick.at.since(self.io) >= STALL;
        let is_new = self.fails && !self.said_errors || stalls && !self.said_stall;
        let is_time = match self.last {
            // After a second there is something to say.
            None => tick.at >= Nanos::SECOND,
            // Half an interval's grace, as ticks come when they can.
            Some(last) => tick.at.since(last).0 + 250_000_000 >= EVERY.0,
        };
        (self.said_errors, self.said_stall) =
            (self.said_errors | self.fails, self.said_stall | stalls);
        if is_new || is_time {
            self.last = Some(tick.at);
            self.unsaid = None;
            return Some(self.since_last(tick));
        }
        if self.last.is_none() {
            self.unsaid = Some(Box::new(tick.clone()));
        }
        None
    }

    /// The stage has ended: what is left to say of it.
    pub(super) fn end(&mut self) -> Option<Box<Tick>> {
        let tick = self.unsaid.take()?;
        Some(self.since_last(&tick))
    }

    /// The moment with what was counted since the last line, in place of its last interval.
    fn since_last(&mut self, tick: &Tick) -> Box<Tick> {
        let mut shown = Box::new(tick.clone());
        let intervals = self.until.saturating_sub(self.from);
        if intervals > 0 {
            shown.counts = std::mem::take(&mut self.counts);
            shown.span = Nanos(tick.span.0.saturating_mul(intervals));
            self.from = self.until;
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::Op;

    fn tick(ms: u64) -> Tick {
        Tick {
            at: Nanos::from_millis(ms),
            span: Nanos::SECOND,
            ..Tick::default()
        }
    }

    fn sample(interval: u64, ios: u64, errors: u64) -> Sample {
        let mut counts = Counts::default();
        let read = counts.op_mut(Op::Read);
        (read.ios, read.errors) = (ios, errors);
        leadline_testkit::second(0, interval, counts)
    }

    /// The lines of intervals with so many I/Os and errors: at which second, I/Os, and seconds they are of.
    fn lines(intervals: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64, u64)> {
        let mut lines = LinesOfStage::default();
        let mut said = Vec::new();
        for (number, (ios, errors)) in (0..).zip(intervals) {
            lines.take(&sample(number, ios, errors));
            if let Some(line) = lines.due(&tick(1000 * (number + 1) + 20)) {
                let whole = |time: Nanos| time.0 / 1_000_000_000;
                said.push((whole(line.at), line.counts.data().ios, whole(line.span)));
            }
        }
        said
    }

    #[test]
    fn a_line_every_ten_seconds_and_where_something_changes() {
        let steady = lines((0..32).map(|_| (10, 0)));
        assert_eq!(
            steady,
            [(1, 10, 1), (11, 100, 10), (21, 100, 10), (31, 100, 10)]
        );
        let failing = lines((1..20).map(|s| (10, u64::from(s > 4))));
        assert_eq!(failing, [(1, 10, 1), (5, 40, 4), (15, 100, 10)]);
        let stalling = lines((1..20).map(|s| (u64::from(s < 5 || s % 6 == 0), 0)));
        assert_eq!(stalling, [(1, 1, 1), (8, 4, 7), (18, 2, 10)]);
    }

    #[test]
    fn a_short_stage_has_a_line_at_its_end() {
        let mut lines = LinesOfStage::default();
        lines.take(&sample(0, 3, 0));
        assert_eq!(lines.due(&tick(900)), None);
        lines.take(&sample(1, 4, 0));
        let line = lines.end().unwrap();
        assert_eq!((line.at, line.counts.data().ios), (tick(900).at, 7));
        assert_eq!(lines.end(), None);
        // Not where it has had one.
        assert_eq!(lines.due(&tick(980)), None);
        assert!(lines.due(&tick(1010)).is_some());
        assert_eq!(lines.end(), None);
    }

    #[test]
    fn the_warm_up_is_no_part_of_a_line_after_it() {
        let mut lines = LinesOfStage::default();
        let mut warm = sample(0, 100, 0);
        warm.warmup = true;
        lines.take(&warm);
        lines.take(&sample(1, 5, 0));
        let line = lines.due(&tick(2020)).unwrap();
        assert_eq!((line.counts.data().ios, line.span), (5, Nanos::SECOND));
    }
}
