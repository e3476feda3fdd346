//! Progress where there is no terminal: which moments of a stage have a line. A log of hours is read by people: a line
//! every ten seconds, and one where something changes.

use leadline_model::event::Tick;
use leadline_model::sample::{Counts, Sample};
use leadline_model::units::Nanos;
use std::collections::{BTreeMap, BTreeSet};

/// The lines of a stage are that far apart, unless something changes.
const EVERY: Nanos = Nanos::from_secs(10);

/// So long without an I/O is a change.
const STALL: Nanos = Nanos::from_secs(2);

/// A line may come that much early, in nanoseconds.
const GRACE: u64 = 250_000_000;

/// A moment with what was done since the line before.
#[derive(Debug, PartialEq)]
pub(super) struct LineOfStage {
    /// The moment; its counts and their length are of the time since the line before.
    pub(super) tick: Box<Tick>,
    /// I/Os of each host in that time.
    pub(super) hosts: BTreeMap<u32, u64>,
}

/// Which moments of the running stage have a line, and what was done since the line before.
#[derive(Default)]
pub(super) struct LinesOfStage {
    /// When the last was, from the start of the stage.
    last: Option<Nanos>,
    /// The latest moment of a stage that has no line yet.
    unsaid: Option<Box<Tick>>,
    /// What was counted since the last line, and of each host the I/Os.
    counts: Counts,
    hosts: BTreeMap<u32, u64>,
    /// From when on, and up to when, from the start of the stage.
    from: Nanos,
    until: Nanos,
    /// What is still in its warm-up, by host and workload, and when the latest warm-up ended: what was before is no part
    /// of a line after it.
    warm: BTreeSet<(u32, u32)>,
    warmed: Nanos,
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
    /// Takes an interval; the end of a warm-up may have cut it.
    pub(super) fn take(&mut self, sample: &Sample) {
        let ops = || sample.counts.ops.values();
        self.had_io |= ops().any(|op| op.ios > 0);
        self.fails |= ops().any(|op| op.errors > 0);
        let of = (sample.host, sample.workload);
        if sample.warmup {
            self.warm.insert(of);
        } else if self.warm.remove(&of) && sample.start > self.warmed {
            self.counts = Counts::default();
            self.hosts.clear();
            (self.warmed, self.from) = (sample.start, sample.start);
        }
        if sample.start < self.warmed {
            return;
        }
        let end = sample.start.0.saturating_add(sample.length.0);
        self.until = self.until.max(Nanos(end));
        self.counts.merge(&sample.counts);
        let ios = self.hosts.entry(sample.host).or_default();
        *ios += sample.counts.data_ios();
    }

    /// What the line of this moment is about; `None` = it has none.
    pub(super) fn due(&mut self, tick: &Tick) -> Option<LineOfStage> {
        if std::mem::take(&mut self.had_io) {
            self.io = tick.at;
        }
        let stalls = tick.at.since(self.io) >= STALL;
        let is_new = self.fails && !self.said_errors || stalls && !self.said_stall;
        let is_time = match self.last {
            // After a second there is something to say, and a part of one after the warm-up says little.
            None => self.until.since(self.from) >= Nanos::SECOND,
            // Ticks come when they can.
            Some(last) => tick.at.since(last).0 + GRACE >= EVERY.0,
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
    pub(super) fn end(&mut self) -> Option<LineOfStage> {
        let tick = self.unsaid.take()?;
        Some(self.since_last(&tick))
    }

    /// The moment with what was counted since the last line, in place of its last interval.
    fn since_last(&mut self, tick: &Tick) -> LineOfStage {
        let mut tick = Box::new(tick.clone());
        let span = self.until.since(self.from);
        let hosts = std::mem::take(&mut self.hosts);
        if span > Nanos::ZERO {
            (tick.counts, tick.span) = (std::mem::take(&mut self.counts), span);
            self.from = self.until;
        }
        LineOfStage { tick, hosts }
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

    /// The lines of intervals with these numbers of I/Os and errors: at which second, I/Os, and seconds they are of.
    fn lines(intervals: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64, u64)> {
        let mut lines = LinesOfStage::default();
        let mut said = Vec::new();
        for (number, (ios, errors)) in (0..).zip(intervals) {
            lines.take(&sample(number, ios, errors));
            if let Some(line) = lines.due(&tick(1000 * (number + 1) + 20)) {
                let whole = |time: Nanos| time.0 / 1_000_000_000;
                let tick = line.tick;
                said.push((whole(tick.at), tick.counts.data_ios(), whole(tick.span)));
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

    /// N I/Os of a host between two moments, in milliseconds.
    fn part(host: u32, (from, to): (u64, u64), ios: u64, warmup: bool) -> Sample {
        Sample {
            host,
            interval: from / 78,
            start: Nanos::from_millis(from),
            length: Nanos::from_millis(to - from),
            warmup,
            ..sample(0, ios, 0)
        }
    }

    #[test]
    fn a_short_stage_has_a_line_at_its_end() {
        let mut lines = LinesOfStage::default();
        lines.take(&part(0, (0, 300), 3, false));
        assert_eq!(lines.due(&tick(300)), None);
        lines.take(&part(0, (300, 600), 4, false));
        let line = lines.end().unwrap().tick;
        assert_eq!((line.at, line.counts.data_ios()), (tick(300).at, 7));
        assert_eq!(lines.end(), None);
        // Not where it has had one.
        assert_eq!(lines.due(&tick(980)), None);
        lines.take(&part(0, (600, 1600), 4, false));
        assert!(lines.due(&tick(1610)).is_some());
        assert_eq!(lines.end(), None);
    }

    #[test]
    fn the_warm_up_is_no_part_of_a_line_after_it_and_its_end_may_cut_an_interval() {
        let mut lines = LinesOfStage::default();
        lines.take(&part(0, (0, 1000), 9000, true));
        assert!(lines.due(&tick(1010)).is_some(), "warm-up");
        let mut lines = LinesOfStage::default();
        // 1,000 I/Os a second of each of two hosts; their reports do not come in order.
        for host in [0, 1] {
            lines.take(&part(host, (0, 936), 9000, true));
        }
        for host in [0, 1] {
            lines.take(&part(host, (936, 1000), 600, true));
            lines.take(&part(host, (1000, 1014), 14, false));
        }
        assert_eq!(lines.due(&tick(1020)), None);
        for (from, to) in [(1014, 1500), (1500, 2014)] {
            for host in [0, 1] {
                lines.take(&part(host, (from, to), to - from, false));
            }
        }
        let line = lines.due(&tick(2020)).unwrap();
        let span = Nanos::from_millis(1014);
        assert_eq!((line.tick.counts.data_ios(), line.tick.span), (2028, span));
        assert_eq!(line.hosts, [(0, 1014), (1, 1014)].into());
    }
}
