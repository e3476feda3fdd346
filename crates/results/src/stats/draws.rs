//! Random series whose truth is known, for tests.

use leadline_model::latency::Latency;
use leadline_model::seed::SplitMix;

/// A source of random numbers.
pub(crate) struct Draws(SplitMix);

impl Draws {
    /// The sequence of a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// Between 0 and 1, neither included.
    pub(super) fn share(&mut self) -> f64 {
        self.0.unit()
    }

    /// Exponential, mean 1.
    pub(super) fn exponential(&mut self) -> f64 {
        -self.share().ln()
    }

    /// Normal, mean 0, variance 1 (Box and Muller, 1958).
    fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }

    /// Normal noise of mean 0 and variance 1, autoregressive of order 1.
    pub(crate) fn wander(&mut self, r: f64, count: usize) -> Vec<f64> {
        let mut last = self.normal();
        let next = |_| {
            last = r * last + (1.0 - r * r).sqrt() * self.normal();
            last
        };
        (0..count).map(next).collect()
    }

    /// Sojourn times of a queue in balance with exponential arrivals and 1,000 exponential services a second, busy
    /// for this share of the time, in slices of a second by when they end.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are positive and far below 2^63 ns"
    )]
    pub(super) fn queue(&mut self, busy: f64, seconds: usize) -> Vec<Latency> {
        let mut slices = Vec::new();
        let mut slice = Latency::default();
        let mut now = 0.0;
        let mut free = match self.share() < busy {
            true => self.exponential() / (1000.0 * (1.0 - busy)),
            false => 0.0,
        };
        while slices.len() < seconds {
            now += self.exponential() / (1000.0 * busy);
            free = f64::max(now, free) + self.exponential() / 1000.0;
            while free >= (slices.len() + 1) as f64 {
                slices.push(packed(&mut slice));
            }
            slice.record(((free - now) * 1e9) as u64);
        }
        slices.truncate(seconds);
        slices
    }
}

/// What was recorded, packed; it is empty again.
pub(super) fn packed(slice: &mut Latency) -> Latency {
    let mut done = slice.clone();
    done.pack();
    slice.clear();
    done
}
