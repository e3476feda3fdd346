//! When the next I/O may start, and when it was meant to.
//!
//! A closed loop is always ready. An open loop keeps, for each kind of operation that has a rate, the
//! intended start of its next I/O; when the worker is late, the intended start is in the past and
//! stays there: nothing is skipped, so a stall shows in the response latency of every I/O it delayed.
//! Pure arithmetic on ticks: the caller brings the time.

mod rate_schedule;

use leadline_model::op::Op;
use leadline_model::plan::{Arrival, OpMix, Pace, Rate};
use leadline_model::units::Percent;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rate_schedule::RateSchedule;

/// What may be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PaceDecision {
    /// Any operation, intended for this moment.
    Free,
    /// An operation of a kind that has no rate, while others have one.
    FreeOf(Op),
    /// This operation, intended for this tick.
    Due(Op, u64),
    /// Any operation, intended for this tick.
    AnyDue(u64),
    /// Nothing before this tick.
    Later(u64),
}

/// Up to this many I/Os are reported one by one, of each kind.
const MOST_REPORTS: u64 = 1 << 16;

/// Ticks from the start that no run lives to see.
const NEVER: f64 = 9e15;

/// Intended starts of one kind of operation.
#[derive(Clone, Debug)]
struct PacedOp {
    /// `None` = of all kinds together.
    op: Option<Op>,
    /// Ticks that one unit (an I/O, or a byte) stands for.
    ticks_per_unit: f64,
    counts_bytes: bool,
    /// Ticks from the start to the intended start of the next I/O, in the time of the schedule. Below 2^53,
    /// so whole ticks are exact.
    offset: f64,
    /// Units issued so far, for a constant rate: the offset is their product, without drift.
    units: f64,
}

/// The pace of one worker.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    streams: Vec<PacedOp>,
    /// Kinds that run free beside the paced ones.
    free: Option<Op>,
    start: u64,
    /// The distribution of intervals that are drawn, and its numbers; `None` = they are equal.
    spread: Option<(IntervalDistribution, Xoshiro256PlusPlus)>,
    schedule: RateSchedule,
    mix: OpMix,
}

/// How distances are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IntervalDistribution {
    Exponential,
    /// Evenly up to twice the mean.
    Even,
}

impl IntervalDistribution {
    /// A distance in means, out of 53 random bits that are never all 0.
    fn draw(self, random: &mut Xoshiro256PlusPlus) -> f64 {
        let uniform = ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        match self {
            Self::Exponential => -uniform.ln(),
            Self::Even => 2.0 * uniform,
        }
    }
}

impl PacedOp {
    fn new(op: Option<Op>, rate: Rate, ticks_per_second: f64) -> Self {
        let (per_second, counts_bytes) = match rate {
            Rate::Iops(n) => (n, false),
            Rate::Bytes(n) => (n as f64, true),
        };
        Self {
            op,
            ticks_per_unit: ticks_per_second / per_second,
            counts_bytes,
            offset: 0.0,
            units: 0.0,
        }
    }

    /// An I/O of `len` bytes was taken: moves on.
    #[inline]
    fn take(&mut self, len: u32, spread: &mut Option<(IntervalDistribution, Xoshiro256PlusPlus)>) {
        let units = if self.counts_bytes {
            f64::from(len)
        } else {
            1.0
        };
        match spread {
            None => {
                self.units += units;
                self.offset = self.units * self.ticks_per_unit;
            }
            Some((spread, random)) => {
                self.offset += spread.draw(random) * units * self.ticks_per_unit;
            }
        }
    }

    /// Average ticks between two I/Os, where one has `typical_len` bytes.
    fn distance(&self, typical_len: u32) -> f64 {
        let units = if self.counts_bytes {
            f64::from(typical_len.max(1))
        } else {
            1.0
        };
        units * self.ticks_per_unit
    }
}

/// What [`Pacer::lend`] gives.
pub(crate) struct LentRate<'a> {
    stream: PacedOp,
    home: &'a mut PacedOp,
    start: u64,
    schedule: &'a RateSchedule,
    spread: &'a mut Option<(IntervalDistribution, Xoshiro256PlusPlus)>,
}

impl LentRate<'_> {
    /// As [`Pacer::due`].
    #[inline(always)]
    pub(crate) fn due(&self) -> u64 {
        self.start + ticks(self.schedule.clock(self.stream.offset))
    }

    /// As [`Pacer::took_one`].
    #[inline(always)]
    pub(crate) fn took(&mut self, len: u32) {
        self.stream.take(len, self.spread);
    }

    /// The pacer continues from where this was brought to.
    #[inline]
    pub(crate) fn give_back(self) {
        *self.home = self.stream;
    }
}

impl Pacer {
    /// The pace of a worker whose operations are `mix`. `ticks_per_second` is the clock's rate.
    pub(crate) fn new(pace: &Pace, mix: OpMix, ticks_per_second: f64, seed: u64) -> Self {
        let mut pacer = Self {
            streams: Vec::new(),
            free: None,
            start: 0,
            spread: None,
            schedule: RateSchedule::default(),
            mix,
        };
        let Pace::Open {
            rates,
            arrival,
            together,
            schedule,
        } = pace
        else {
            return pacer;
        };
        pacer.schedule = RateSchedule::new(schedule, ticks_per_second);
        let random = || Xoshiro256PlusPlus::seed_from_u64(seed);
        pacer.spread = match arrival {
            Arrival::Constant => None,
            Arrival::Poisson => Some((IntervalDistribution::Exponential, random())),
            Arrival::Even => Some((IntervalDistribution::Even, random())),
        };
        if let Some(rate) = together {
            pacer
                .streams
                .push(PacedOp::new(None, *rate, ticks_per_second));
            return pacer;
        }
        for op in Op::BLOCK.into_iter().filter(|op| mix.has(*op)) {
            match rates.get(op) {
                None => pacer.free = Some(op),
                Some(rate) => {
                    pacer
                        .streams
                        .push(PacedOp::new(Some(op), *rate, ticks_per_second));
                }
            }
        }
        pacer
    }

    /// Whether there is a rate to keep.
    pub(crate) fn is_open(&self) -> bool {
        !self.streams.is_empty()
    }

    /// The clock starts: the first I/O of each stream is intended for `tick`. The stage began at
    /// `stage_start`.
    pub(crate) fn start_at(&mut self, tick: u64, stage_start: u64) {
        self.start = tick;
        self.schedule.start(tick.saturating_sub(stage_start) as f64);
    }

    /// Whether one rate is all there is to keep.
    pub(crate) const fn has_one_rate(&self) -> bool {
        self.streams.len() == 1 && self.free.is_none()
    }

    /// The kind of all I/Os of the one rate, where it is for one.
    #[inline]
    pub(crate) fn only_op(&self) -> Option<Op> {
        self.streams.first()?.op
    }

    /// The intended start of the next I/O, where there is one rate.
    #[inline]
    pub(crate) fn due(&self) -> u64 {
        let first = self.streams.first();
        first.map_or(u64::MAX, |s| {
            self.start + ticks(self.schedule.clock(s.offset))
        })
    }

    /// An I/O of `len` bytes was taken, where there is one rate.
    #[inline]
    pub(crate) fn took_one(&mut self, len: u32) {
        if let Some(stream) = self.streams.first_mut() {
            stream.take(len, &mut self.spread);
        }
    }

    /// The state of the one rate, so little that a loop can keep it in registers. To be given back before anything
    /// else is asked of the pacer.
    #[inline]
    pub(crate) fn lend(&mut self) -> Option<LentRate<'_>> {
        let home = self.streams.first_mut()?;
        Some(LentRate {
            stream: home.clone(),
            home,
            start: self.start,
            schedule: &self.schedule,
            spread: &mut self.spread,
        })
    }

    /// What may be done at `now`.
    #[inline]
    pub(crate) fn turn(&self, now: u64) -> PaceDecision {
        if self.streams.is_empty() {
            return PaceDecision::Free;
        }
        self.open_turn(now)
    }

    fn open_turn(&self, now: u64) -> PaceDecision {
        let mut first = (u64::MAX, None);
        for stream in &self.streams {
            let due = self.start + ticks(self.schedule.clock(stream.offset));
            if due < first.0 {
                first = (due, stream.op);
            }
        }
        match (first, self.free) {
            ((due, Some(op)), _) if due <= now => PaceDecision::Due(op, due),
            ((due, None), _) if due <= now => PaceDecision::AnyDue(due),
            (_, Some(op)) => PaceDecision::FreeOf(op),
            ((due, _), None) => PaceDecision::Later(due),
        }
    }

    /// An I/O of `len` bytes was taken: moves its stream on.
    #[inline]
    pub(crate) fn took(&mut self, op: Op, len: u32) {
        let mine = |s: &&mut PacedOp| s.op.is_none_or(|own| own == op);
        let Some(stream) = self.streams.iter_mut().find(mine) else {
            return;
        };
        stream.take(len, &mut self.spread);
    }

    /// How many I/Os were intended before `end` and not taken. `typical_len` stands for the size of an
    /// I/O where the rate is in bytes; where distances are drawn, their mean counts.
    pub(crate) fn missed(&self, end: u64, typical_len: u32) -> u64 {
        let of = |s: &PacedOp| self.missed_of(s, end, s.distance(typical_len));
        self.streams.iter().map(of).sum()
    }

    fn missed_of(&self, stream: &PacedOp, end: u64, distance: f64) -> u64 {
        let span = self.schedule.time(end.saturating_sub(self.start) as f64);
        ticks(((span - stream.offset) / distance).ceil().max(0.0))
    }

    /// Reports the same I/Os one by one: kind, ticks from the intended start to `end`, how many. Where they are
    /// very many, of several together, with the time of the last.
    pub(crate) fn each_missed(
        &self,
        end: u64,
        typical_len: u32,
        mut report: impl FnMut(Op, u64, u64),
    ) {
        for stream in &self.streams {
            let distance = stream.distance(typical_len);
            let count = self.missed_of(stream, end, distance);
            let together = count.div_ceil(MOST_REPORTS).max(1);
            // Parts of reads that are due, where the kinds of the mix share a rate.
            let whole = u64::from(Percent::PARTS);
            let mut due = whole / 2;
            let mut done = 0;
            while done < count {
                let ios = together.min(count - done);
                done += ios;
                let offset = stream.offset + (done - 1) as f64 * distance;
                let waits = end.saturating_sub(self.start + ticks(self.schedule.clock(offset)));
                match (stream.op, self.mix) {
                    (Some(op), _) | (None, OpMix::Only(op)) => report(op, waits, ios),
                    (None, OpMix::TrimWrite) => {
                        report(Op::Trim, waits, ios.div_ceil(2));
                        report(Op::Write, waits, ios / 2);
                    }
                    (None, OpMix::ReadWrite { read_percent }) => {
                        due += ios * u64::from(read_percent.parts());
                        let reads = (due / whole).min(ios);
                        due -= whole * reads;
                        report(Op::Read, waits, reads);
                        report(Op::Write, waits, ios - reads);
                    }
                }
            }
        }
    }
}

/// A non-negative number of ticks below 2^63.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "offsets are non-negative and below 2^53"
)]
fn ticks(value: f64) -> u64 {
    // By way of i64: the conversion is then one instruction and two checks.
    (value as i64).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::PerOp;
    use leadline_model::units::Nanos;

    fn open(rate: Rate, arrival: Arrival) -> Pacer {
        let rates = PerOp {
            read: Some(rate),
            write: None,
            trim: None,
        };
        let mut pacer = Pacer::new(
            &Pace::Open {
                together: None,
                rates,
                arrival,
                schedule: Vec::new(),
            },
            OpMix::reads(),
            1e9,
            7,
        );
        pacer.start_at(1000, 1000);
        pacer
    }

    #[test]
    fn what_is_lent_continues_like_the_pacer_itself() {
        let schedule = vec![(Nanos::from_secs(2), 3.0)];
        for (rate, arrival) in [
            (Rate::Iops(1000.0 / 3.0), Arrival::Constant),
            (Rate::Bytes(1_000_000), Arrival::Constant),
            (Rate::Iops(1000.0), Arrival::Poisson),
        ] {
            let mut lends = mixed(rate, arrival, schedule.clone());
            let mut keeps = lends.clone();
            assert!(lends.has_one_rate() && lends.only_op().is_none());
            for batch in 0..100 {
                assert_eq!(lends.turn(u64::MAX), PaceDecision::AnyDue(lends.due()));
                let mut lent = lends.lend().unwrap();
                for io in 0..batch % 7 {
                    assert_eq!(keeps.turn(u64::MAX), PaceDecision::AnyDue(lent.due()));
                    lent.took(512 << io);
                    keeps.took(Op::Read, 512 << io);
                }
                lent.give_back();
                lends.took_one(77);
                keeps.took(Op::Write, 77);
            }
        }
    }

    #[test]
    fn a_closed_loop_is_always_ready() {
        let pacer = Pacer::new(&Pace::Closed, OpMix::reads(), 1e9, 1);
        assert_eq!(pacer.turn(0), PaceDecision::Free);
        assert!(!pacer.is_open());
    }

    #[test]
    fn a_constant_rate_never_drifts_and_keeps_late_starts() {
        let mut pacer = open(Rate::Iops(3.0), Arrival::Constant);
        for k in 0..3_000_000_u64 {
            let due = 1000 + k * 1_000_000_000 / 3;
            let PaceDecision::Due(Op::Read, at) = pacer.turn(u64::MAX) else {
                panic!("not due")
            };
            assert!(at.abs_diff(due) <= 1, "I/O {k} due at {at}, expected {due}");
            pacer.took(Op::Read, 4096);
        }
        assert_eq!(
            pacer.turn(0),
            PaceDecision::Later(1000 + 1_000_000 * 1_000_000_000)
        );
    }

    #[test]
    fn a_byte_rate_counts_what_was_taken() {
        let mut pacer = open(Rate::Bytes(1_000_000), Arrival::Constant);
        pacer.took(Op::Read, 500_000);
        assert_eq!(pacer.turn(0), PaceDecision::Later(1000 + 500_000_000));
    }

    #[test]
    fn poisson_arrivals_have_the_asked_mean_and_its_spread() {
        let mut pacer = open(Rate::Iops(1000.0), Arrival::Poisson);
        let (mut last, mut gaps) = (1000, Vec::new());
        for _ in 0..100_000 {
            let PaceDecision::Due(_, at) = pacer.turn(u64::MAX) else {
                panic!("not due")
            };
            gaps.push((at - last) as f64);
            last = at;
            pacer.took(Op::Read, 1);
        }
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let deviation =
            (gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
        assert!((mean / 1e6 - 1.0).abs() < 0.02, "mean gap {mean} ns");
        assert!(
            (deviation / mean - 1.0).abs() < 0.02,
            "an exponential law spreads as its mean"
        );
    }

    #[test]
    fn a_kind_without_a_rate_runs_free_beside_the_paced_one() {
        let rates = PerOp {
            read: None,
            write: Some(Rate::Iops(10.0)),
            trim: None,
        };
        let mix = OpMix::mixed(50);
        let mut pacer = Pacer::new(
            &Pace::Open {
                together: None,
                schedule: Vec::new(),
                rates,
                arrival: Arrival::Constant,
            },
            mix,
            1e9,
            1,
        );
        pacer.start_at(0, 0);
        assert_eq!(pacer.turn(0), PaceDecision::Due(Op::Write, 0));
        pacer.took(Op::Write, 1);
        assert_eq!(pacer.turn(1), PaceDecision::FreeOf(Op::Read));
        pacer.took(Op::Read, 1);
        assert_eq!(
            pacer.turn(100_000_000),
            PaceDecision::Due(Op::Write, 100_000_000)
        );
    }

    #[test]
    fn what_was_due_and_not_taken_is_counted() {
        let mut pacer = open(Rate::Iops(1000.0), Arrival::Constant);
        (0..10).for_each(|_| pacer.took(Op::Read, 1));
        assert_eq!(pacer.missed(1000 + 15_000_000, 1), 5);
        assert_eq!(pacer.missed(1000, 1), 0);
        let mut reported = Vec::new();
        pacer.each_missed(1000 + 15_000_000, 1, |op, waits, ios| {
            reported.push((op, waits, ios))
        });
        let expected: Vec<_> = (1..=5)
            .rev()
            .map(|k| (Op::Read, k * 1_000_000, 1))
            .collect();
        assert_eq!(reported, expected);
    }

    #[test]
    fn many_missed_ios_are_reported_together_in_the_proportion_of_the_mix() {
        for (seconds, most) in [(1, 1000), (1_000_000, 2 * MOST_REPORTS + 2)] {
            let pacer = mixed(Rate::Iops(1000.0), Arrival::Constant, Vec::new());
            let end = 500 + seconds * 1_000_000_000;
            let (mut sums, mut reported, mut waited) = ([0; 4], 0, 0.0);
            pacer.each_missed(end, 1, |op, waits, ios| {
                sums[op.index()] += ios;
                reported += u64::from(ios > 0);
                waited += waits as f64 * ios as f64;
            });
            let all = pacer.missed(end, 1);
            assert_eq!(sums[0] + sums[1], all);
            assert!(sums[0].abs_diff(sums[1]) <= 1, "{sums:?}");
            assert!(reported <= most, "{reported}");
            // Half of the time on average, and no more than that.
            let share = waited / all as f64 / (seconds as f64 * 1e9);
            assert!((0.4999..=0.5006).contains(&share), "{share}");
        }
    }

    fn mixed(together: Rate, arrival: Arrival, schedule: Vec<(Nanos, f64)>) -> Pacer {
        let pace = Pace::Open {
            together: Some(together),
            rates: PerOp::splat(None),
            arrival,
            schedule,
        };
        let mix = OpMix::mixed(50);
        let mut pacer = Pacer::new(&pace, mix, 1e9, 7);
        pacer.start_at(500, 500);
        pacer
    }

    #[test]
    fn one_rate_serves_all_kinds() {
        let mut pacer = mixed(Rate::Iops(1000.0), Arrival::Constant, Vec::new());
        for k in 0..1000 {
            assert_eq!(
                pacer.turn(u64::MAX),
                PaceDecision::AnyDue(500 + k * 1_000_000)
            );
            pacer.took(if k % 3 == 0 { Op::Write } else { Op::Read }, 4096);
        }
        assert!(pacer.is_open());
        assert_eq!(pacer.missed(500 + 1_500_000_000, 1), 500);
        let mut pacer = mixed(Rate::Bytes(4096), Arrival::Constant, Vec::new());
        pacer.took(Op::Write, 8192);
        assert_eq!(pacer.turn(0), PaceDecision::Later(500 + 2_000_000_000));
    }

    #[test]
    fn even_arrivals_fill_the_span_to_twice_the_mean() {
        let mut pacer = mixed(Rate::Iops(1000.0), Arrival::Even, Vec::new());
        let (mut last, mut classes, mut sum) = (500, [0_u32; 10], 0);
        for _ in 0..100_000 {
            pacer.took(Op::Read, 1);
            let PaceDecision::AnyDue(at) = pacer.turn(u64::MAX) else {
                panic!("not due")
            };
            let gap = at - last;
            classes[usize::try_from(gap / 200_000).unwrap()] += 1;
            (last, sum) = (at, sum + gap);
        }
        assert!(
            classes.iter().all(|n| n.abs_diff(10_000) < 600),
            "{classes:?}"
        );
        assert!((sum as f64 / 1e11 - 1.0).abs() < 0.01);
    }

    #[test]
    fn a_rate_that_changes_never_drifts() {
        let schedule = vec![
            (Nanos::from_secs(2), 3.0),
            (Nanos::from_secs(4), 0.0),
            (Nanos::from_secs(5), 0.5),
        ];
        let mut pacer = mixed(Rate::Iops(1000.0), Arrival::Constant, schedule);
        let mut seconds = [0_u32; 8];
        for _ in 0..9000 {
            let PaceDecision::AnyDue(at) = pacer.turn(u64::MAX) else {
                panic!("not due")
            };
            seconds[usize::try_from((at - 500) / 1_000_000_000).unwrap()] += 1;
            pacer.took(Op::Read, 1);
        }
        assert_eq!(seconds, [1000, 1000, 3000, 3000, 0, 500, 500, 0]);
        assert_eq!(pacer.turn(0), PaceDecision::Later(500 + 7_000_000_000));
        assert_eq!(pacer.missed(500 + 8_000_000_000, 1), 500);
    }
}
