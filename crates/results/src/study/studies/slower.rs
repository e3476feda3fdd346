//! A volume whose latency changed during a study: its points belong to several states, though each reached its rate.
//!
//! Belongs here: where the latencies of points contradict each other. Must never: compare rates (`fell` does).
//!
//! At a constant volume the latency of an open loop does not fall as the rate rises, and at a low rate most I/Os find no other and
//! take what one takes that waits for none. Medians are compared: stalls and slow I/Os of a tail do not move them.

use super::done::Measured;
use super::open::is_saturated;
use crate::stats::{Interval, level_of_spans, rate_shift};
use crate::words::{about, level_within, span_within};
use leadline_model::histogram::{Histogram, lower_bound, upper_bound};
use leadline_model::plan::Pace;
use leadline_model::plan::study::{Axis, Coordinates};

/// One latency over another at the least, beyond chance.
const TIMES: f64 = 1.5;
/// Standard errors that chance does not explain.
const ERRORS: f64 = 4.0;
/// Up to this share of the highest rate a latency is compared with that of a closed loop, and with itself over time: above it a
/// queue makes as much of a little.
const LOW: f64 = 0.5;
/// Fewer I/Os have no median.
const FEWEST: u64 = 50;
/// This many I/Os were due in a time without any: the target stood still.
const STOOD: f64 = 10.0;

/// Along which points of one load differ in their rate, or not at all.
pub(super) const OF_A_RATE: [Axis; 5] = [
    Axis::Rate,
    Axis::Percent,
    Axis::Round,
    Axis::Repeat,
    Axis::Try,
];

/// Two latencies of what should be one volume.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LatencyChange {
    /// The median of one state in nanoseconds, and where it was.
    slow: (Interval, String),
    /// The same of the other.
    quick: (Interval, String),
    /// Why both are not of one.
    why: &'static str,
}

/// A point with its median.
#[derive(Clone, Copy)]
struct MedianPoint<'a> {
    m: &'a Measured,
    /// I/Os a second.
    rate: f64,
    /// Of the service time, in nanoseconds.
    median: Interval,
    /// The rate as a share of the highest of its load.
    load: f64,
}

impl<'a> MedianPoint<'a> {
    fn of(m: &'a Measured, highest: f64) -> Option<Self> {
        let data = &m.summary.figures.data;
        let median = data.service_at(50.0)?;
        // Where it changed within the point, it has no interval, and is not compared with others.
        let unknown = Interval {
            value: median.value.0 as f64,
            low: f64::MIN_POSITIVE,
            high: f64::INFINITY,
            settled: false,
        };
        let median = median.interval().unwrap_or(unknown);
        (data.ios >= FEWEST && median.low > 0.0).then(|| Self {
            m,
            rate: m.iops(),
            median,
            load: m.iops() / highest.max(1e-9),
        })
    }

    /// What a queue adds to the logarithm of its latency by chance, beyond what an interval from within the point shows: the
    /// error of the mean of one server with a queue (M/M/1) of N I/Os.
    fn by_chance(&self, ios: f64) -> f64 {
        match self.load < 1.0 {
            true => ERRORS * self.load / (1.0 - self.load) * 2.0 / ios.max(1.0).sqrt(),
            false => f64::INFINITY,
        }
    }

    /// Half its interval, as a logarithm.
    fn half(&self) -> f64 {
        (self.median.high / self.median.low).ln() / 2.0
    }

    /// Whether its latency is clearly above another at which a queue is at least as long.
    fn is_above(&self, quick: &Self) -> bool {
        let ios = self.m.summary.figures.data.ios as f64;
        let chance = self.half().hypot(quick.half()) * ERRORS / 2.0;
        let allowed = TIMES.ln() + chance.hypot(self.by_chance(ios));
        (self.median.value / quick.median.value).ln() > allowed
    }

    /// Whether a pause before each I/O may be what it takes longer for than another: what sleeps in a pause (a processor, a link,
    /// a disk) wakes in less time than that, and an interrupt that waits for more of them does not wait for long.
    fn may_be_asleep(&self, quick: f64) -> bool {
        /// Nanoseconds for which interrupts are held back at the most.
        const HELD: f64 = 300_000.0;
        let workers = f64::from(self.m.summary.figures.workers.max(1));
        let pause = workers * 1e9 / self.rate.max(1e-9);
        self.median.value - quick <= pause.max(HELD)
    }

    /// What most I/Os take at most in an open loop at this rate, by a closed one of the same I/Os, in nanoseconds: the time in which
    /// half of the closed one's time passes, as an I/O that comes at random does, longer by what others wait that come with it.
    fn most(&self, closed: &Measured, highest: f64) -> Option<f64> {
        let typical = half_of_the_time(&closed.summary.figures.data.service.histogram)?;
        Some((typical + 1e9 / highest.max(1e-9)) / (1.0 - self.load))
    }
}

/// The median of a closed loop with its interval, in nanoseconds.
fn median_of(m: &Measured) -> Option<Interval> {
    let median = m.response_at(50.0)?;
    let alone = Interval::only(median.value.0 as f64);
    Some(median.interval().unwrap_or(alone))
}

/// The latency up to which I/Os are at work for half of the time.
fn half_of_the_time(histogram: &Histogram) -> Option<f64> {
    let middle =
        |bucket: usize| f64::midpoint(lower_bound(bucket) as f64, upper_bound(bucket) as f64);
    let each = || {
        histogram
            .nonzero()
            .map(|(bucket, count)| middle(bucket) * count as f64)
    };
    let all: f64 = each().sum();
    let mut passed = 0.0;
    let found = histogram.nonzero().zip(each()).find(|(_, time)| {
        passed += time;
        passed >= all / 2.0
    });
    found.map(|((bucket, _), _)| upper_bound(bucket) as f64)
}

impl LatencyChange {
    /// Among points that are results of one question.
    pub(super) fn of(done: &[Measured]) -> Option<Self> {
        let points: Vec<&Measured> = done.iter().filter(|m| !m.role().prepares()).collect();
        points.iter().find_map(|m| {
            let is_like = |other: &&&Measured| load(other) == load(m) && is_of_hosts(other, m);
            let alike = points.iter().filter(is_like).copied();
            let alike: Vec<&Measured> = alike.collect();
            // Once for each load.
            alike.first().filter(|first| std::ptr::eq(**first, *m))?;
            Self::among(&alike)
        })
    }

    /// Among those of one load.
    fn among(points: &[&Measured]) -> Option<Self> {
        let highest = points.iter().map(|m| m.iops()).fold(0.0, f64::max);
        let is_steady = |m: &&&Measured| is_open(m) && !is_saturated(m) && !stood_still(m);
        let open = points.iter().filter(is_steady);
        let open: Vec<MedianPoint<'_>> = open.filter_map(|m| MedianPoint::of(m, highest)).collect();
        let within = || open.iter().filter(|p| p.load <= LOW).find_map(Self::within);
        let closed = points.iter().copied().filter(|m| !is_open(m));
        let closed: Vec<&Measured> = closed.collect();
        Self::between(&open)
            .or_else(|| Self::beside(&open, &closed, highest))
            .or_else(within)
    }

    /// Between two rates: the lower has the higher latency.
    fn between(open: &[MedianPoint<'_>]) -> Option<Self> {
        let is_alike = |a: &MedianPoint<'_>, b: &MedianPoint<'_>| depth(a.m) == depth(b.m);
        let pairs = open.iter().flat_map(|slow| {
            let quick = open.iter().filter(move |quick| slow.rate < quick.rate);
            quick.map(move |quick| (slow, quick))
        });
        let contradict = |(slow, quick): &(&MedianPoint<'_>, &MedianPoint<'_>)| {
            // At a lower rate a pause is longer.
            let mut lower = open
                .iter()
                .filter(|other| other.rate < slow.rate && is_alike(other, slow));
            let mut is_alone = || lower.any(|other| slow.is_above(other));
            is_alike(slow, quick)
                && slow.is_above(quick)
                && (!slow.may_be_asleep(quick.median.value) || is_alone())
        };
        let mut found = pairs.filter(contradict);
        found.next().map(|(slow, quick)| Self {
            slow: (slow.median, at_rate(slow.m)),
            quick: (quick.median, at_rate(quick.m)),
            why: "the latency of an unchanged volume does not fall as the rate rises",
        })
    }

    /// Between a low rate and a closed loop of the same.
    fn beside(open: &[MedianPoint<'_>], closed: &[&Measured], highest: f64) -> Option<Self> {
        open.iter()
            .filter(|slow| slow.load <= LOW)
            .find_map(|slow| {
                let mut closed = closed.iter();
                let contradicts = |m: &&&Measured| {
                    let quick = slow.most(m, highest);
                    let times =
                        TIMES * slow.by_chance(slow.m.summary.figures.data.ios as f64).exp();
                    let is_slower = |quick: f64| slow.median.low > times * quick;
                    quick.is_some_and(|quick| is_slower(quick) && !slow.may_be_asleep(quick))
                };
                let quick = closed.find(contradicts)?;
                Some(Self {
                    slow: (slow.median, at_rate(slow.m)),
                    quick: (median_of(quick)?, quick.name.clone()),
                    why: "at such a low rate most I/Os do not queue",
                })
            })
    }

    /// Within a point, whose rate is low.
    fn within(point: &MedianPoint<'_>) -> Option<Self> {
        let series = point.m.summary.series.iter().filter(|p| !p.warmup);
        let known = series.filter_map(|p| Some((p, p.data.p50?.value.0)));
        let known: Vec<_> = known.filter(|(_, median)| *median > 0).collect();
        // One I/O at a time would have this rate; the last may be short or hold the rest of another.
        let whole = known.split_last()?.1;
        let speeds: Vec<f64> = whole
            .iter()
            .map(|(_, median)| 1e9 / *median as f64)
            .collect();
        let shift = rate_shift(&speeds, whole.first()?.0.length)?;
        let ios = |from: usize, to: usize| -> u64 {
            whole[from..to].iter().map(|(p, _)| p.data.ios).sum()
        };
        let fewer = ios(shift.ends.0, shift.at).min(ios(shift.at, shift.ends.1));
        let times = shift.before.max(shift.after) / shift.before.min(shift.after);
        let mut levels = [
            level_of_spans(shift.before, &speeds[shift.ends.0..shift.at]),
            level_of_spans(shift.after, &speeds[shift.at..shift.ends.1]),
        ];
        levels.sort_by(|one, other| one.value.total_cmp(&other.value));
        let [quick, slow] = levels;
        (times.ln() > TIMES.ln() + point.by_chance(fewer as f64)).then(|| Self {
            slow: (slow, at_rate(point.m)),
            quick: (quick, "another part of that point".to_owned()),
            why: "the rate was the same throughout",
        })
    }

    /// Both latencies and where they were.
    pub(super) fn words(&self) -> String {
        format!(
            "median latency was {} in {}, but {} in {}, and {}",
            level_within(&self.slow.0, span_within),
            self.slow.1,
            level_within(&self.quick.0, span_within),
            self.quick.1,
            self.why
        )
    }
}

/// A point and its rate, in words.
fn at_rate(m: &Measured) -> String {
    format!("{} at {} IOPS", m.name, about(m.iops()))
}

/// Whether a point has a rate.
fn is_open(m: &Measured) -> bool {
    m.workload.pace != Pace::Closed
}

/// What is asked of the volume, whatever is in flight.
fn load(m: &Measured) -> Coordinates {
    let in_flight = [Axis::Depth, Axis::Jobs, Axis::Hosts];
    m.at_without(&[&OF_A_RATE[..], &in_flight].concat())
}

fn depth(m: &Measured) -> [Option<f64>; 2] {
    [Axis::Depth, Axis::Jobs].map(|axis| m.number(axis))
}

/// Whether two points are of the same hosts: others may be farther away.
fn is_of_hosts(one: &Measured, other: &Measured) -> bool {
    one.workload.hosts == other.workload.hosts
        && one.summary.workloads.len() == other.summary.workloads.len()
}

/// Whether a point at a rate has a time without an I/O in which several were due: what had to wait makes its latency.
pub(super) fn stood_still(m: &Measured) -> bool {
    let series = &m.summary.series;
    let due = |still: &[crate::summary::Point]| {
        let time: f64 = still.iter().map(|p| p.length.as_secs_f64()).sum();
        still[0].data.ios == 0 && time * m.iops() >= STOOD
    };
    let mut runs = series.chunk_by(|a, b| (a.data.ios == 0) == (b.data.ios == 0));
    runs.any(due)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::{Op, PerOp};
    use leadline_model::plan::access::OpMix;
    use leadline_model::plan::study::{Coordinate, Coordinates, Role};
    use leadline_model::plan::{Arrival, Rate, StudyPoint};

    /// What contradicts among trials of reads with N a second and this latency in microseconds, beside a closed loop of one
    /// at a time of 200 us and the highest rate, with 5,000 and 20,000 a second.
    fn change(trials: &[(u64, u64)]) -> Option<LatencyChange> {
        let closed = [(5000, 200, 1.0), (20_000, 1600, 32.0)];
        let open = trials.iter().map(|(rate, us)| (*rate, *us, 32.0));
        let each: Vec<(u64, u64, f64)> = closed.into_iter().chain(open).collect();
        let stages = each.iter().map(|_| {
            let workload = fixture::workload("w", OpMix::reads(), 4096, 32, 10);
            ("point", vec![workload])
        });
        let mut plan = fixture::plan(stages.collect());
        let points = plan.stages.iter_mut().zip(&each).enumerate();
        for (number, (stage, (rate, _, depth))) in points {
            let mut at = Coordinates::from([(Axis::Depth, Coordinate::Number(*depth))]);
            if number >= closed.len() {
                at.insert(Axis::Rate, Coordinate::Number(*rate as f64));
                stage.workloads[0].pace = Pace::Open {
                    rates: PerOp::splat(None),
                    arrival: Arrival::Poisson,
                    together: Some(Rate::Iops(*rate as f64)),
                    schedule: Vec::new(),
                };
            }
            let role = Role::Trial;
            stage.point = Some(StudyPoint { role, at });
        }
        let loads = each.iter().enumerate().map(|(number, (rate, us, _))| {
            let mut load = Load::simple(Op::Read, *rate, 4096, us * 1000, 10);
            load.open = number >= closed.len();
            vec![load]
        });
        let loads: Vec<_> = loads.collect();
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        LatencyChange::of(&Measured::all(&run, &summarize(&run)))
    }

    /// An I/O of 1.2 ms at a lower rate than others of 200 us; at the lowest, 500 a second, that may be what wakes up. Where it took
    /// 200 us at 300, it is not.
    #[test]
    fn a_latency_that_falls_as_the_rate_rises_is_of_two_states() {
        assert!(change(&[(2000, 1200), (4000, 200)]).is_some());
        assert_eq!(change(&[(2000, 250), (4000, 200)]), None);
        assert_eq!(change(&[(2000, 200), (4000, 250), (18_000, 1200)]), None);
        assert_eq!(change(&[(500, 1200), (4000, 200)]), None);
        assert!(change(&[(300, 200), (500, 1200), (4000, 200)]).is_some());
    }

    /// 3 ms at a tenth of the highest rate is not what one alone takes, 200 us; near the highest a queue makes it.
    #[test]
    fn a_latency_at_a_low_rate_is_that_of_one_alone() {
        assert!(change(&[(2000, 3000)]).is_some());
        assert_eq!(change(&[(2000, 400)]), None);
        assert_eq!(change(&[(100, 3000)]), None);
        assert_eq!(change(&[(18_000, 3000)]), None);
    }

    #[test]
    fn half_of_the_time_is_that_of_the_slow_ones() {
        let mut latencies = Histogram::new();
        latencies.record_many(1000, 900);
        latencies.record_many(1_000_000, 2);
        let half = half_of_the_time(&latencies).unwrap();
        assert!((half / 1e6 - 1.0).abs() < 0.02, "{half}");
        assert_eq!(half_of_the_time(&Histogram::new()), None);
    }
}
