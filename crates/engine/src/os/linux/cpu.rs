//! Where the time of this host's processors goes, for all processes together: differences of /proc/stat,
//! over the measured window of a stage (read once at its start and once at its end) and over each of its
//! intervals.

use leadline_model::event::{CpuInterval, CpuTime};
use leadline_model::units::Nanos;

/// The counters of all processors over one window: idle until the window's start has come, then at
/// work until [`CpuMeter::finish`] or the window's end.
#[derive(Debug, Default)]
pub struct CpuMeter {
    before: Option<(Nanos, Vec<CpuTime>)>,
    done: Option<Vec<CpuTime>>,
}

impl CpuMeter {
    /// Looks whether the window has begun or ended; times count from the start of the stage.
    /// `window` is its start and, where that is known ahead, its end. Returns when to look again.
    pub fn look(&mut self, now: Nanos, window: Option<(Nanos, Option<Nanos>)>) -> Option<Nanos> {
        let (start, end) = window?;
        if self.done.is_some() {
            return None;
        }
        if self.before.is_none() {
            if now < start {
                return Some(start);
            }
            self.before = Some((now, read()));
        }
        if end.is_some_and(|end| now >= end) {
            self.close(now);
            return None;
        }
        end
    }

    /// What the processors did from the start of the window to its end, or to `now` when it has not
    /// come; empty when the window never began.
    pub fn finish(&mut self, now: Nanos) -> Vec<CpuTime> {
        self.close(now);
        self.done.take().unwrap_or_default()
    }

    /// Ends the window at `now`, unless it has ended or never began.
    pub fn close(&mut self, now: Nanos) {
        if let Some((at, before)) = self.before.take() {
            self.done = Some(differences(&before, &read(), now.since(at)));
        }
    }
}

/// Intervals below this have no processor time: the kernel counts in steps of 10 ms.
const SHORTEST: Nanos = Nanos::from_millis(100);

/// The shortest last interval that is reported when it was cut short.
const SHORTEST_LAST: Nanos = Nanos::from_millis(50);

/// How often the counters are read again before the start of a stage.
const BEFORE_START: Nanos = Nanos::from_millis(10);

/// At most this many intervals share what was read too late for the first of them.
const MOST_LATE: u64 = 1000;

/// The counters of all processors by interval.
#[derive(Debug)]
pub struct IntervalMeter {
    interval: u64,
    /// Interval that is being counted.
    number: u64,
    /// Whether the stage has begun.
    begun: bool,
    /// What was read last; `None` = nothing yet.
    before: Option<Vec<CpuTime>>,
}

impl IntervalMeter {
    /// For a stage with intervals of this length; `None` where they are too short to say anything.
    #[must_use]
    pub fn new(interval: Nanos) -> Option<Self> {
        (interval >= SHORTEST).then_some(Self {
            interval: interval.0,
            number: 0,
            begun: false,
            before: None,
        })
    }

    /// When to look next, in time from the start of the stage.
    #[must_use]
    pub fn due(&self) -> Nanos {
        match (&self.before, self.begun) {
            (None, _) => Nanos::ZERO,
            (Some(_), false) => BEFORE_START,
            (Some(_), true) => Nanos(self.end()),
        }
    }

    /// End of the interval that is being counted.
    const fn end(&self) -> u64 {
        (self.number + 1).saturating_mul(self.interval)
    }

    /// What the processors did in the intervals that have ended by `now`, 0 = the stage has not begun. What
    /// was read too late for several intervals is spread over them evenly.
    pub fn look(&mut self, now: Nanos) -> Vec<CpuInterval> {
        self.begun = now > Nanos::ZERO;
        if !self.begun || self.before.is_none() {
            // So that no more than a moment before the start counts as part of the first interval.
            self.number = now.0 / self.interval;
            self.before = Some(read());
            return Vec::new();
        }
        if now.0 < self.end() {
            return Vec::new();
        }
        let ended = now.0 / self.interval - self.number;
        self.take_intervals(ended)
    }

    /// What they did in an interval that `now` cuts short: nothing is known of a very short one.
    pub fn cut(&mut self, now: Nanos) -> Vec<CpuInterval> {
        let begun = self.number.saturating_mul(self.interval);
        if self.before.is_none() || now.0 < begun + SHORTEST_LAST.0 {
            return Vec::new();
        }
        self.take_intervals(1)
    }

    /// What they did since they were read last, for as many intervals.
    fn take_intervals(&mut self, intervals: u64) -> Vec<CpuInterval> {
        let after = read();
        let before = self.before.take().unwrap_or_default();
        let all = differences(&before, &after, Nanos::ZERO);
        self.before = Some(after);
        let first = self.number;
        self.number += intervals;
        let share = intervals.clamp(1, MOST_LATE);
        let sum = |of: fn(&CpuTime) -> Nanos| {
            let sum: u64 = all.iter().map(|cpu| of(cpu).0).sum();
            Nanos(sum / share)
        };
        let one = CpuInterval {
            cpus: u32::try_from(all.len()).unwrap_or(u32::MAX),
            user: sum(|c| c.user),
            kernel: sum(|c| c.kernel),
            idle: sum(|c| c.idle),
            wait: sum(|c| c.wait),
            steal: sum(|c| c.steal),
            ..CpuInterval::default()
        };
        let counted = one.user.0 + one.kernel.0 + one.idle.0 + one.wait.0 + one.steal.0;
        if counted == 0 {
            return Vec::new();
        }
        let numbers = first..first + share;
        let of = |interval| CpuInterval { interval, ..one };
        numbers.map(of).collect()
    }
}

fn read() -> Vec<CpuTime> {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let tick = Nanos::SECOND.0 / rustix::param::clock_ticks_per_second().max(1);
    counters(&text, tick)
}

/// The counters of each processor from the text of /proc/stat, whose unit is `tick` nanoseconds.
fn counters(text: &str, tick: u64) -> Vec<CpuTime> {
    let mut found = Vec::new();
    for line in text.lines().take_while(|l| l.starts_with("cpu")) {
        let mut words = line.split_whitespace();
        let number = words.next().and_then(|w| w[3..].parse().ok());
        let n: Vec<u64> = words.map_while(|w| w.parse().ok()).collect();
        let (Some(cpu), &[user, nice, system, idle, wait, irq, soft, ref rest @ ..]) =
            (number, n.as_slice())
        else {
            continue;
        };
        let time = |ticks: u64| Nanos(ticks.saturating_mul(tick));
        found.push(CpuTime {
            host: 0,
            cpu,
            // Time of guests is in these two already.
            user: time(user + nice),
            kernel: time(system + irq + soft),
            idle: time(idle),
            wait: time(wait),
            steal: time(rest.first().copied().unwrap_or(0)),
            span: Nanos::ZERO,
        });
    }
    found
}

/// Processors that came or went in between are left out. The kernel's idle counters may go back a
/// little: that is no time.
fn differences(before: &[CpuTime], after: &[CpuTime], span: Nanos) -> Vec<CpuTime> {
    let of = |new: &CpuTime| {
        let old = before.iter().find(|old| old.cpu == new.cpu)?;
        Some(CpuTime {
            host: 0,
            cpu: new.cpu,
            user: new.user.since(old.user),
            kernel: new.kernel.since(old.kernel),
            idle: new.idle.since(old.idle),
            wait: new.wait.since(old.wait),
            steal: new.steal.since(old.steal),
            span,
        })
    };
    after.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "cpu  30 3 9 300 30 1 2 4 0 0\n\
                          cpu0 10 1 3 100 10 0 1 1 0 0\n\
                          cpu2 20 2 6 200 20 1 1 3 0 0\n\
                          intr 5 0\n\
                          cpu7 1 1 1 1 1 1 1 1 1 1\n";
    const AFTER: &str = "cpu  1 1\n\
                         cpu0 15 3 13 180 9 1 4 3 0 0\n\
                         cpu1 1 1 1 1 1 1 1 1 0 0\n\
                         cpu2 20 2 6 300 20 1 1 3 0 0\n";

    #[test]
    fn differences_are_exact_and_by_processor() {
        let (old, new) = (counters(BEFORE, 10), counters(AFTER, 10));
        assert_eq!(old.iter().map(|c| c.cpu).collect::<Vec<_>>(), [0, 2]);
        let d = differences(&old, &new, Nanos(1000));
        let zero = CpuTime {
            span: Nanos(1000),
            ..CpuTime::default()
        };
        assert_eq!(
            d,
            [
                CpuTime {
                    cpu: 0,
                    user: Nanos(70),
                    kernel: Nanos(140),
                    idle: Nanos(800),
                    steal: Nanos(20),
                    ..zero
                },
                CpuTime {
                    cpu: 2,
                    idle: Nanos(1000),
                    ..zero
                }
            ]
        );
    }

    #[test]
    fn old_kernels_say_nothing_of_stolen_time() {
        assert_eq!(counters("cpu0 1 2 3 4 5 6 7\n", 1)[0].steal, Nanos::ZERO);
        assert!(counters("cpu0 1 2 3\ncpux 1 2 3 4 5 6 7\n", 1).is_empty());
    }

    #[test]
    fn a_meter_waits_for_its_window_and_closes_at_its_end() {
        let window = Some((Nanos(100), Some(Nanos(200))));
        let mut meter = CpuMeter::default();
        assert_eq!(meter.look(Nanos(5), None), None);
        assert_eq!(meter.look(Nanos(50), window), Some(Nanos(100)));
        assert!(CpuMeter::default().finish(Nanos(50)).is_empty());
        assert_eq!(meter.look(Nanos(110), window), Some(Nanos(200)));
        assert_eq!(meter.look(Nanos(230), window), None);
        assert_eq!(meter.look(Nanos(300), window), None);
        let used = meter.finish(Nanos(400));
        assert!(!used.is_empty());
        assert!(used.iter().all(|cpu| cpu.span == Nanos(120)), "{used:?}");
    }

    #[test]
    fn intervals_follow_each_other_and_a_late_reading_is_shared() {
        assert!(IntervalMeter::new(Nanos::from_millis(99)).is_none());
        let ms = Nanos::from_millis;
        let mut meter = IntervalMeter::new(ms(100)).unwrap();
        let numbers = |all: Vec<CpuInterval>| all.iter().map(|c| c.interval).collect::<Vec<_>>();
        assert_eq!(meter.due(), Nanos::ZERO);
        assert!(meter.look(Nanos::ZERO).is_empty());
        assert_eq!(meter.due(), ms(10));
        assert!(meter.look(ms(10)).is_empty());
        assert_eq!(meter.due(), ms(100));
        // Time must pass for there to be anything to report.
        let wait = || std::thread::sleep(std::time::Duration::from_millis(40));
        wait();
        assert_eq!(numbers(meter.look(ms(101))), [0]);
        assert_eq!(meter.due(), ms(200));
        assert!(meter.look(ms(150)).is_empty());
        wait();
        let late = meter.look(ms(420));
        assert_eq!(numbers(late.clone()), [1, 2, 3]);
        assert_eq!(late[0].user, late[2].user);
        assert!(meter.cut(ms(430)).is_empty());
        wait();
        assert_eq!(numbers(meter.cut(ms(470))), [4]);
    }

    #[test]
    fn a_stage_that_is_looked_at_late_begins_there() {
        let mut meter = IntervalMeter::new(Nanos::SECOND).unwrap();
        assert!(meter.cut(Nanos::from_millis(900)).is_empty());
        assert!(meter.look(Nanos::from_millis(3500)).is_empty());
        assert_eq!(meter.due(), Nanos::from_secs(4));
    }

    #[test]
    fn this_host_counts_time() {
        let before = read();
        let until = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic).tv_sec + 2;
        let mut turns = 0_u64;
        while rustix::time::clock_gettime(rustix::time::ClockId::Monotonic).tv_sec < until {
            turns += 1;
        }
        assert!(turns > 0);
        let used = differences(&before, &read(), Nanos::SECOND);
        let busy: u64 = used.iter().map(|c| c.user.0 + c.kernel.0).sum();
        assert!(busy >= Nanos::from_millis(500).0, "{used:?}");
    }
}
