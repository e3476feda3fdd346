//! When the next I/O may start, and when it was meant to.
//!
//! A closed loop is always ready. An open loop keeps, for each kind of operation that has a rate, the
//! intended start of its next I/O; when the worker is behind, the intended start lies in the past and
//! stays there: nothing is skipped, so a stall shows in the response latency of every I/O it delayed.
//! Pure arithmetic on ticks: the caller brings the time.

use leadline_model::plan::{Arrival, OpMix, Pace, Rate};
use leadline_model::units::Op;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What may be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Any operation, intended for this moment.
    Free,
    /// An operation of a kind that has no rate, while others have one.
    FreeOf(Op),
    /// This operation, intended for this tick.
    Due(Op, u64),
    /// Nothing before this tick.
    Later(u64),
}

/// Intended starts of one kind of operation.
#[derive(Clone, Debug)]
struct Stream {
    op: Op,
    /// Ticks that one unit (an I/O, or a byte) stands for.
    ticks_per_unit: f64,
    counts_bytes: bool,
    /// Ticks from the start to the intended start of the next I/O. Below 2^53, so whole ticks are exact.
    offset: f64,
    /// Units issued so far, for a constant rate: the offset is their product, without drift.
    units: f64,
}

/// The pace of one worker.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    streams: Vec<Stream>,
    /// Kinds that run free beside the paced ones.
    free: Option<Op>,
    start: u64,
    poisson: Option<Xoshiro256PlusPlus>,
}

impl Pacer {
    /// The pace of a worker whose operations are `mix`. `ticks_per_second` is the clock's rate.
    pub(crate) fn new(pace: &Pace, mix: OpMix, ticks_per_second: f64, seed: u64) -> Self {
        let mut pacer = Self {
            streams: Vec::new(),
            free: None,
            start: 0,
            poisson: None,
        };
        let Pace::Open { rates, arrival, .. } = pace else {
            return pacer;
        };
        let kinds = [
            (Op::Read, mix.has_reads()),
            (Op::Write, mix.writes()),
            (Op::Trim, mix.trims()),
        ];
        for (op, _) in kinds.into_iter().filter(|&(_, present)| present) {
            match rates.get(op) {
                None => pacer.free = Some(op),
                Some(rate) => {
                    let (per_second, counts_bytes) = match *rate {
                        Rate::Iops(n) => (n, false),
                        Rate::Bytes(n) => (n as f64, true),
                    };
                    pacer.streams.push(Stream {
                        op,
                        ticks_per_unit: ticks_per_second / per_second,
                        counts_bytes,
                        offset: 0.0,
                        units: 0.0,
                    });
                }
            }
        }
        if *arrival == Arrival::Poisson {
            pacer.poisson = Some(Xoshiro256PlusPlus::seed_from_u64(seed));
        }
        pacer
    }

    /// Whether there is a rate to keep.
    pub(crate) fn is_open(&self) -> bool {
        !self.streams.is_empty()
    }

    /// The clock starts: the first I/O of each stream is intended for `tick`.
    pub(crate) fn start_at(&mut self, tick: u64) {
        self.start = tick;
    }

    /// What may be done at `now`.
    #[inline]
    pub(crate) fn turn(&self, now: u64) -> Turn {
        if self.streams.is_empty() {
            return Turn::Free;
        }
        self.open_turn(now)
    }

    fn open_turn(&self, now: u64) -> Turn {
        let mut first = (u64::MAX, Op::Read);
        for stream in &self.streams {
            let due = self.start + ticks(stream.offset);
            if due < first.0 {
                first = (due, stream.op);
            }
        }
        match (first, self.free) {
            ((due, op), _) if due <= now => Turn::Due(op, due),
            (_, Some(op)) => Turn::FreeOf(op),
            ((due, _), None) => Turn::Later(due),
        }
    }

    /// An I/O of `len` bytes was taken: moves its stream on.
    #[inline]
    pub(crate) fn took(&mut self, op: Op, len: u32) {
        let Some(stream) = self.streams.iter_mut().find(|s| s.op == op) else {
            return;
        };
        let units = if stream.counts_bytes {
            f64::from(len)
        } else {
            1.0
        };
        match &mut self.poisson {
            None => {
                stream.units += units;
                stream.offset = stream.units * stream.ticks_per_unit;
            }
            Some(random) => {
                // Exponential distance; 53 random bits, never 0, so the logarithm is finite.
                let uniform = ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
                stream.offset += -uniform.ln() * units * stream.ticks_per_unit;
            }
        }
    }

    /// How many I/Os were intended before `end` and not taken. `typical_len` stands for the size of an
    /// I/O where the rate is in bytes; Poisson streams count their mean.
    pub(crate) fn missed(&self, end: u64, typical_len: u32) -> u64 {
        let span = end.saturating_sub(self.start) as f64;
        self.streams
            .iter()
            .map(|s| {
                let units = if s.counts_bytes {
                    f64::from(typical_len.max(1))
                } else {
                    1.0
                };
                ticks(
                    ((span - s.offset) / (units * s.ticks_per_unit))
                        .ceil()
                        .max(0.0),
                )
            })
            .sum()
    }
}

/// A non-negative number of ticks below 2^63.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "offsets are non-negative and below 2^53"
)]
fn ticks(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::units::PerOp;

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
                course: Vec::new(),
            },
            OpMix::reads(),
            1e9,
            7,
        );
        pacer.start_at(1000);
        pacer
    }

    #[test]
    fn a_closed_loop_is_always_ready() {
        let pacer = Pacer::new(&Pace::Closed, OpMix::reads(), 1e9, 1);
        assert_eq!(pacer.turn(0), Turn::Free);
        assert!(!pacer.is_open());
    }

    #[test]
    fn a_constant_rate_never_drifts_and_keeps_late_starts() {
        let mut pacer = open(Rate::Iops(3.0), Arrival::Constant);
        for k in 0..3_000_000_u64 {
            let due = 1000 + k * 1_000_000_000 / 3;
            let Turn::Due(Op::Read, at) = pacer.turn(u64::MAX) else {
                panic!("not due")
            };
            assert!(at.abs_diff(due) <= 1, "I/O {k} due at {at}, expected {due}");
            pacer.took(Op::Read, 4096);
        }
        assert_eq!(pacer.turn(0), Turn::Later(1000 + 1_000_000 * 1_000_000_000));
    }

    #[test]
    fn a_byte_rate_counts_what_was_taken() {
        let mut pacer = open(Rate::Bytes(1_000_000), Arrival::Constant);
        pacer.took(Op::Read, 500_000);
        assert_eq!(pacer.turn(0), Turn::Later(1000 + 500_000_000));
    }

    #[test]
    fn poisson_arrivals_have_the_asked_mean_and_its_spread() {
        let mut pacer = open(Rate::Iops(1000.0), Arrival::Poisson);
        let (mut last, mut gaps) = (1000, Vec::new());
        for _ in 0..100_000 {
            let Turn::Due(_, at) = pacer.turn(u64::MAX) else {
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
        let mix = OpMix::ReadWrite { read_percent: 50 };
        let mut pacer = Pacer::new(
            &Pace::Open {
                together: None,
                course: Vec::new(),
                rates,
                arrival: Arrival::Constant,
            },
            mix,
            1e9,
            1,
        );
        pacer.start_at(0);
        assert_eq!(pacer.turn(0), Turn::Due(Op::Write, 0));
        pacer.took(Op::Write, 1);
        assert_eq!(pacer.turn(1), Turn::FreeOf(Op::Read));
        pacer.took(Op::Read, 1);
        assert_eq!(pacer.turn(100_000_000), Turn::Due(Op::Write, 100_000_000));
    }

    #[test]
    fn what_was_due_and_not_taken_is_counted() {
        let mut pacer = open(Rate::Iops(1000.0), Arrival::Constant);
        (0..10).for_each(|_| pacer.took(Op::Read, 1));
        assert_eq!(pacer.missed(1000 + 15_000_000, 1), 5);
        assert_eq!(pacer.missed(1000, 1), 0);
    }
}
