//! I/Os that failed or were not issued, against the share of them that may.
//!
//! Belongs here: when that share is exceeded, and when that is sure. Must never: what follows for a rate (`evidence`).

use crate::summary::Figures;
use crate::words::whole;
use leadline_model::plan::study::LatencyTarget;

/// Half a 95 % interval, in standard errors.
const SURE: f64 = 1.96;

/// What was lost of what was to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Loss {
    pub(super) lost: u64,
    pub(super) all: u64,
}

impl Loss {
    /// Of a point at this rate: what failed, and what was not issued by its end but for what may wait then. That is one I/O of
    /// each worker, which falls due as it ends, and as many as come within the target of latency: a queue in which each meets
    /// it is as long (Little's law). Their latency counts with the time that they had waited.
    pub(super) fn of(figures: &Figures, rate: f64, target: LatencyTarget) -> Self {
        let waiting = whole(rate * target.within.as_secs_f64());
        let unissued = figures
            .unissued
            .saturating_sub(waiting.saturating_add(u64::from(figures.workers)));
        let lost = figures.errors() + unissued;
        Self {
            lost,
            all: figures.data.ios + lost,
        }
    }

    /// Both together.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            lost: self.lost + other.lost,
            all: self.all + other.all,
        }
    }

    fn share(self) -> f64 {
        self.lost as f64 / self.all.max(1) as f64
    }

    /// More than may.
    pub(super) fn is_over(self, allowed: f64) -> bool {
        self.share() > allowed
    }

    /// More than may, beyond chance: the whole interval is above (Wilson, "Probable inference", 1927). Where none may, one
    /// is enough; where some may, one failure in a short trial says nothing yet.
    pub(super) fn is_surely_over(self, allowed: f64) -> bool {
        if allowed <= 0.0 {
            return self.lost > 0;
        }
        let (count, share) = (self.all.max(1) as f64, self.share());
        let squares = SURE * SURE / count;
        let half = (share * (1.0 - share) / count + squares / (4.0 * count)).sqrt();
        let low = (share + squares / 2.0 - SURE * half) / (1.0 + squares);
        low > allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::units::Nanos;

    #[test]
    fn what_waits_at_the_end_is_lost_beyond_a_queue_that_meets_the_target() {
        let target = LatencyTarget {
            percentile: Some(99.0),
            within: Nanos::from_millis(50),
        };
        let figures = |unissued| Figures {
            unissued,
            workers: 2,
            ..Figures::default()
        };
        // 150 come within 50 ms at 3,000 a second.
        let lost = |unissued| Loss::of(&figures(unissued), 3000.0, target).lost;
        assert_eq!([0, 152, 153, 1000].map(lost), [0, 0, 1, 848]);
    }

    #[test]
    fn one_failure_is_too_many_only_where_none_may_fail() {
        let one = |all| Loss { lost: 1, all };
        assert!(one(100_000).is_surely_over(0.0));
        assert!(!Loss { lost: 0, all: 10 }.is_surely_over(0.0));
        // 0.2 % of 500, where 0.1 % may: too many, but by chance; with 9,500 more that do not fail it is not.
        assert!(one(500).is_over(0.001) && !one(500).is_surely_over(0.001));
        assert!(
            !one(500)
                .and(Loss {
                    lost: 0,
                    all: 9_500
                })
                .is_over(0.001)
        );
        // 1 % of 5,000 is no chance.
        assert!(
            Loss {
                lost: 50,
                all: 5_000
            }
            .is_surely_over(0.001)
        );
    }
}
