//! How far another host's clock is from ours, and how sure that is.

/// How often the time is asked for.
pub const ROUNDS: usize = 32;

/// What is known of another clock: of all round trips the shortest counts, for in it the answer had the
/// least time to be delayed on one of the ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset {
    /// Their clock less ours, in nanoseconds.
    pub offset: i64,
    /// How far that may be off: half of the round trip.
    pub bound: u64,
}

/// Round trips to one host.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    best: Option<Offset>,
    done: usize,
}

impl Rounds {
    /// Takes an answer: sent and received by our clock, `at` by theirs. An answer from before its question
    /// is none.
    pub fn take(&mut self, sent: u64, at: u64, received: u64) {
        self.done += 1;
        let Some(trip) = received.checked_sub(sent) else {
            return;
        };
        let middle = sent + trip / 2;
        let round = Offset {
            offset: difference(at, middle),
            bound: trip.div_ceil(2),
        };
        if self.best.is_none_or(|best| round.bound < best.bound) {
            self.best = Some(round);
        }
    }

    /// Whether enough was asked.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.done >= ROUNDS
    }

    /// What is known so far.
    #[must_use]
    pub const fn best(&self) -> Option<Offset> {
        self.best
    }
}

/// `a - b`, as far as it can be said.
fn difference(a: u64, b: u64) -> i64 {
    i64::try_from(i128::from(a) - i128::from(b)).unwrap_or(if a > b { i64::MAX } else { i64::MIN })
}

impl Offset {
    /// A moment of ours by their clock.
    #[must_use]
    pub fn theirs(self, ours: u64) -> u64 {
        ours.saturating_add_signed(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_truth_is_within_the_bound(
            offset in -1_000_000_000_000_i64..1_000_000_000_000,
            ways in prop::collection::vec((0_u64..5_000_000, 0_u64..5_000_000), 1..40),
        ) {
            let mut rounds = Rounds::default();
            let mut now = 10_000_000_000_000_u64;
            for &(there, back) in &ways {
                let at = (now + there).saturating_add_signed(offset);
                rounds.take(now, at, now + there + back);
                now += 7_000_000;
            }
            let best = rounds.best().unwrap();
            prop_assert!(best.offset.abs_diff(offset) <= best.bound);
            let theirs = now.saturating_add_signed(offset);
            prop_assert!(best.theirs(now).abs_diff(theirs) <= best.bound);
            let shortest = ways.iter().map(|(a, b)| a + b).min().unwrap();
            prop_assert_eq!(best.bound, shortest.div_ceil(2));
            prop_assert_eq!(rounds.is_done(), ways.len() >= ROUNDS);
        }
    }

    #[test]
    fn answers_from_the_future_and_wild_clocks_break_nothing() {
        let mut rounds = Rounds::default();
        rounds.take(100, 5, 50);
        assert_eq!(rounds.best(), None);
        rounds.take(0, u64::MAX, 10);
        let best = rounds.best().unwrap();
        assert_eq!((best.offset, best.bound), (i64::MAX, 5));
        assert_eq!(
            Offset {
                offset: -5,
                bound: 0
            }
            .theirs(3),
            0
        );
    }
}
