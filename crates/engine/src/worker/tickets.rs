//! Who may take the next I/O, where several sides keep a proportion: counted in tickets, which are whole numbers.
//!
//! Tickets are numbered from 1, one for each I/O of all sides together, and a rule that knows nothing but the
//! weights says whose each one is: the `k`-th I/O of a side has the first ticket at which `k` I/Os are due to it. What
//! is shared is one counter, of how many tickets are out; up to there each side takes what is its own without looking
//! at anybody. A side that has taken all of it looks how far the others are, and puts out more: as far as the window
//! allows beyond the side at work that is furthest behind.
//!
//! That side itself may always take its next I/O, so that one side always continues. A side that has ended, or has
//! not begun, is not waited for: its tickets are ignored.
//!
//! Belongs here: counting. Must never: lock, wait, or count in anything but whole numbers. Counters may be read late:
//! then a side is some I/Os further ahead than the window, and waits for longer afterwards. Nothing but
//! counts is read through them, so relaxed order is enough.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// All weights together: a share of one whole, in parts of this.
const WHOLE: u32 = 32;
/// The window is this part of the tickets so far: so the shares are right within less than one percentage point
/// from the start on.
const PART: u64 = 128;
/// Least and most tickets: the most is what a thread does while it waits for its processor.
const LEAST: u64 = 4;
const MOST: u64 = 2048;

/// A worker that takes more than it begins at once takes no more at a time than this part of its side's I/Os so far:
/// what it holds is in the counts of its side, and so no more than a fifth of a percentage point in the shares.
const HELD_PART: u64 = 512;

/// The counter of a number of sides.
#[derive(Debug)]
pub(super) struct Tickets {
    sides: Box<[Turns]>,
    /// Tickets that are out.
    out: Line<AtomicU64>,
    /// Tickets between the first and the last; `None` = a part of those so far.
    window: Option<u64>,
}

/// What is in a line of memory of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line<T>(T);

/// One side.
#[derive(Debug)]
#[repr(align(64))]
struct Turns {
    /// Of the tickets, in parts of 2^`WHOLE`.
    weight: u64,
    /// I/Os taken.
    taken: AtomicU64,
    /// Workers at work.
    live: AtomicU32,
}

impl Turns {
    /// I/Os that are due when this many tickets are out.
    fn due(&self, tickets: u64) -> u64 {
        let due = (u128::from(tickets) * u128::from(self.weight)) >> WHOLE;
        u64::try_from(due).unwrap_or(u64::MAX)
    }

    /// The ticket of an I/O, counted from 1.
    fn ticket(&self, io: u64) -> u64 {
        let ticket = (u128::from(io) << WHOLE).div_ceil(u128::from(self.weight));
        u64::try_from(ticket).unwrap_or(u64::MAX)
    }

    /// The ticket of the next I/O.
    fn next(&self) -> u64 {
        self.ticket(self.taken.load(Relaxed).saturating_add(1))
    }

    fn is_live(&self) -> bool {
        self.live.load(Relaxed) > 0
    }
}

impl Tickets {
    /// Sides by their shares, each above 0. `ahead`: none gets further ahead of another than about this many I/Os;
    /// `None` = than a part of those so far.
    pub(super) fn new(shares: &[f64], ahead: Option<u32>) -> Self {
        let side = |weight| Turns {
            weight,
            taken: AtomicU64::new(0),
            live: AtomicU32::new(0),
        };
        Self {
            window: ahead.map(|ahead| u64::from(ahead.max(1)) * shares.len() as u64),
            sides: weights(shares).map(side).collect(),
            out: Line::default(),
        }
    }

    /// A worker of a side begins. The first of them begins where the others at work are: at the one that is furthest
    /// behind.
    pub(super) fn join(&self, side: usize) {
        let own = &self.sides[side];
        if own.live.fetch_add(1, Relaxed) == 0 {
            let begin = self.floor(side).map(|next| next - 1);
            let begin = begin.unwrap_or_else(|| self.out.0.load(Relaxed));
            own.taken.fetch_max(own.due(begin), Relaxed);
        }
    }

    /// A worker of a side ends. Whether it was the last one.
    pub(super) fn leave(&self, side: usize) -> bool {
        self.sides[side].live.fetch_sub(1, Relaxed) == 1
    }

    /// Whether a side has workers at work.
    pub(super) fn is_live(&self, side: usize) -> bool {
        self.sides[side].is_live()
    }

    /// Takes up to `want` of a side's next I/Os, and says how many.
    #[inline]
    pub(super) fn take(&self, side: usize, want: u64) -> u64 {
        let own = &self.sides[side];
        let taken = own.taken.load(Relaxed);
        let mut due = own.due(self.out.0.load(Relaxed));
        if due < taken.saturating_add(want) {
            due = self.put_out(side);
        }
        let mut got = 0;
        // Fails where there is none left, and is tried again where another worker of the side took some meanwhile.
        let _ = own.taken.fetch_update(Relaxed, Relaxed, |taken| {
            got = want.min(due.saturating_sub(taken));
            (got > 0).then(|| taken + got)
        });
        got
    }

    /// As [`Tickets::take`], for a worker that would take `more` at a time where less is wanted. It gets no more at a
    /// time than a part of what its side has taken.
    pub(super) fn take_more(&self, side: usize, want: u64, more: u64) -> u64 {
        let own = &self.sides[side];
        let workers = u64::from(own.live.load(Relaxed).max(1));
        let most = own.taken.load(Relaxed) / (HELD_PART * workers);
        self.take(side, more.min(most).max(want))
    }

    /// Puts out as many tickets as there may be. Returns how many I/Os are due to the side by now.
    #[cold]
    fn put_out(&self, side: usize) -> u64 {
        let Some(floor) = self.floor(side) else {
            // No other side is at work.
            return u64::MAX;
        };
        let own = &self.sides[side];
        let floor = floor.min(own.next());
        let window = self
            .window
            .unwrap_or_else(|| (floor / PART).clamp(LEAST, MOST));
        let out = floor.saturating_add(window);
        own.due(self.out.0.fetch_max(out, Relaxed).max(out))
    }

    /// The next ticket of the active side that lags most.
    fn floor(&self, side: usize) -> Option<u64> {
        let others = self.sides.iter().enumerate();
        let others = others.filter(|&(i, other)| i != side && other.is_live());
        others.map(|(_, other)| other.next()).min()
    }

    /// I/Os that were taken and are not to be done.
    pub(super) fn give_back(&self, side: usize, ios: u64) {
        if ios > 0 {
            self.sides[side].taken.fetch_sub(ios, Relaxed);
        }
    }

    /// A side did this many I/Os without asking.
    pub(super) fn did(&self, side: usize, ios: u64) {
        self.sides[side].taken.fetch_add(ios, Relaxed);
    }

    /// I/Os that a side has taken.
    pub(super) fn taken(&self, side: usize) -> u64 {
        self.sides[side].taken.load(Relaxed)
    }

    /// The ticket of the I/O after `more` further ones of a side: how far it is, to compare with others.
    pub(super) fn place(&self, side: usize, more: u64) -> u64 {
        let own = &self.sides[side];
        own.ticket(own.taken.load(Relaxed).saturating_add(more + 1))
    }

    /// Whether another active side lags more: then this one waits for it.
    pub(super) fn waits_for_another(&self, side: usize) -> bool {
        let own = self.sides[side].next();
        self.floor(side).is_some_and(|floor| floor < own)
    }
}

/// Shares as parts of 2^`WHOLE`, rounded, none of them nothing.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is between 0 and the sum of all"
)]
fn weights(shares: &[f64]) -> impl Iterator<Item = u64> {
    let sum: f64 = shares.iter().sum();
    let whole = (1_u64 << WHOLE) as f64;
    shares
        .iter()
        .map(move |share| ((share / sum * whole).round() as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares in percent of what was taken, by sides that ask in a given order; each asks as often
    /// as `asks` says, and one that gets nothing is passed over.
    fn shares_after(
        weights: &[f64],
        ios: u64,
        holds: bool,
        mut asks: impl FnMut(u64) -> (usize, u64),
    ) -> Vec<f64> {
        let tickets = Tickets::new(weights, None);
        (0..weights.len()).for_each(|side| tickets.join(side));
        let mut done = vec![0; weights.len()];
        let mut held = vec![0; weights.len()];
        let (mut refused, mut turn) = (0, 0);
        while done.iter().sum::<u64>() < ios {
            let (side, want) = asks(turn);
            turn += 1;
            if holds && held[side] < want {
                held[side] += tickets.take_more(side, want - held[side], 1000);
            }
            let got = if holds {
                want.min(held[side])
            } else {
                tickets.take(side, want)
            };
            held[side] = held[side].saturating_sub(got);
            done[side] += got;
            refused = if got == 0 { refused + 1 } else { 0 };
            assert!(refused < 10_000, "no side continues: {weights:?} {done:?}");
        }
        let sum = done.iter().sum::<u64>() as f64;
        done.iter().map(|n| 100.0 * *n as f64 / sum).collect()
    }

    #[test]
    fn shares_are_right_within_one_point_after_a_thousand_whoever_is_quick() {
        let shares_of: [&[f64]; 7] = [
            &[50.0, 50.0],
            &[10.0, 35.0, 35.0, 5.0, 15.0],
            &[49.0, 49.0],
            &[25.0, 25.0, 25.0, 25.0],
            &[8.0, 1.0],
            &[33.3, 33.3, 33.4],
            &[99.9, 0.1],
        ];
        for asked in shares_of {
            let sides = asked.len() as u64;
            let sum: f64 = asked.iter().sum();
            let side = |n: u64| usize::try_from(n).unwrap();
            // In turn; the first a hundred times as often; the last; four at a time.
            let orders: [&dyn Fn(u64) -> (usize, u64); 4] = [
                &|turn| (side(turn % sides), 1),
                &|turn| {
                    (
                        side(if turn % 100 == 0 {
                            turn / 100 % sides
                        } else {
                            0
                        }),
                        1,
                    )
                },
                &|turn| {
                    (
                        side(if turn % 100 == 0 {
                            turn / 100 % sides
                        } else {
                            sides - 1
                        }),
                        1,
                    )
                },
                &|turn| (side(turn % sides), 4),
            ];
            for (number, order) in orders.iter().enumerate() {
                for (ios, holds) in [1000, 2000, 10_000, 50_000]
                    .into_iter()
                    .flat_map(|ios| [(ios, false), (ios, true)])
                {
                    let shares = shares_after(asked, ios, holds, order);
                    for (share, due) in shares.iter().zip(asked) {
                        let off = (share - 100.0 * due / sum).abs();
                        assert!(
                            off < 1.0,
                            "{asked:?}, order {number}, {ios}, {holds}: {shares:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_one_that_is_furthest_behind_may_always_continue() {
        // However far along, also where a count of the one is no whole part of the other's.
        for shares in [[29.0, 71.0], [1.0, 1.0], [0.1, 99.9], [1e-6, 1.0]] {
            let tickets = Tickets::new(&shares, None);
            (0..2).for_each(|side| tickets.join(side));
            for _ in 0..20_000 {
                let side = usize::from(tickets.place(1, 0) < tickets.place(0, 0));
                assert!(!tickets.waits_for_another(side));
                assert!(tickets.take(side, 1) == 1, "{shares:?} {tickets:?}");
            }
        }
    }

    #[test]
    fn a_side_that_has_ended_or_not_begun_holds_back_no_other() {
        let tickets = Tickets::new(&[50.0, 30.0, 20.0], None);
        tickets.join(0);
        assert_eq!(
            tickets.take(0, 1_000_000),
            1_000_000,
            "no other side is there"
        );
        // It begins where the first is, and is waited for from there on.
        tickets.join(1);
        let ahead = tickets.take(0, 1_000_000);
        assert!(ahead < 2 * MOST, "{ahead}");
        assert!(tickets.waits_for_another(0) && !tickets.waits_for_another(1));
        let behind = tickets.take(1, 1_000_000);
        assert!(behind > 0 && behind < 2 * MOST, "{behind}");
        // Two workers of it: it has ended when both have.
        tickets.join(1);
        assert!(!tickets.leave(1));
        while tickets.take(0, 1) > 0 {}
        assert!(tickets.leave(1));
        assert_eq!(tickets.take(0, 1_000_000), 1_000_000);
        // One that begins when all have ended has no start on those that come after it.
        assert!(tickets.leave(0));
        tickets.join(2);
        tickets.join(1);
        let (mut last, mut other) = (0, 0);
        for _ in 0..1000 {
            last += tickets.take(2, 10);
            other += tickets.take(1, 1);
        }
        assert!(other == 1000 && last < 667 + MOST, "{last} {other}");
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let tickets = Tickets::new(&[1.0, 1.0], None);
        (0..2).for_each(|side| tickets.join(side));
        let got = tickets.take(0, 100);
        assert!(got > 0 && got < 100 && tickets.take(0, 1) == 0);
        tickets.give_back(0, got);
        assert_eq!(tickets.take(0, 100), got);
    }

    #[test]
    fn no_taker_gets_more_at_a_time_than_a_part_of_what_its_side_has() {
        let tickets = Tickets::new(&[1.0, 1.0], None);
        (0..2).for_each(|side| tickets.join(side));
        tickets.join(0);
        let mut most = 0;
        for _ in 0..100_000 {
            for side in 0..2 {
                let before = tickets.taken(side);
                let got = tickets.take_more(side, 1, 1000);
                let workers = if side == 0 { 2 } else { 1 };
                assert!(
                    got <= (before / (HELD_PART * workers)).max(1),
                    "{before} {got}"
                );
                most = most.max(got);
            }
        }
        assert!(most > 100, "{most}");
    }

    #[test]
    fn threads_that_all_want_everything_get_their_shares() {
        let shares = [10.0, 35.0, 35.0, 5.0, 15.0];
        let tickets = Tickets::new(&shares, None);
        (0..5).for_each(|side| tickets.join(side));
        let done: Vec<u64> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..5)
                .map(|side| {
                    let tickets = &tickets;
                    scope.spawn(move || {
                        let mut own = 0;
                        while tickets.out.0.load(Relaxed) < 200_000 {
                            match tickets.take(side, 1) {
                                0 => std::thread::yield_now(),
                                got => own += got,
                            }
                        }
                        own
                    })
                })
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let sum = done.iter().sum::<u64>() as f64;
        for (ios, share) in done.iter().zip(shares) {
            let got = 100.0 * *ios as f64 / sum;
            assert!((got - share).abs() < 1.0 && sum > 190_000.0, "{done:?}");
        }
    }
}
