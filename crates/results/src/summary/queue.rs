//! Whether the queue of a window was the same all through it.
//!
//! Belongs here: Little's law on figures. Must never: say what follows (that is `trust` and `study`).

use super::figures::{Basis, Figures};

/// Rate times latency differs from the average queue depth by no more than this share if the queue was steady.
const SAME: f64 = 0.05;
/// If I/Os take longer than this share of the window, hardly any is completely inside it.
const LONG: f64 = 0.25;
/// Fewer I/Os are not enough to compare rate times latency with the depth.
const FEW: u64 = 100;

impl Figures {
    /// Average queue depth by rate times latency.
    #[must_use]
    pub fn by_little(&self) -> f64 {
        self.data.iops * self.data.service.mean() / 1e9
    }

    /// So far rate times latency is off from what was in flight by chance, as a share: by what the I/Os in flight at
    /// either end of the window wait beyond it. In a queue of N whose service times vary as much as they are long, each
    /// of these sums has a variance of N cubed / 3 squared service times (each time counts for all I/Os queued after
    /// it); both together, over the sum of all latencies, make sqrt(2 N / 3) / I/Os, and about sqrt(N) / I/Os with the
    /// error of how many ended.
    fn off_by_chance(&self) -> f64 {
        /// Standard errors: one in sixteen thousand is further off.
        const ERRORS: f64 = 4.0;
        let ios = self.data.iops * self.span.as_secs_f64();
        ERRORS * self.depth_reached.sqrt() / ios.max(1.0)
    }

    /// Whether I/Os took too long for their window: those that it counts began in another queue than it had on average, or
    /// hardly any is whole in it. Not known of what broke off.
    #[must_use]
    pub fn is_longer_than_window(&self) -> bool {
        let known = self.basis != Basis::Intervals && self.data.ios > 0 && self.depth_reached > 0.0;
        let is_enough = self.data.ios >= FEW;
        let off = (self.by_little() / self.depth_reached.max(1e-9) - 1.0).abs();
        let share = self.data.service.mean() / (self.span.0 as f64).max(1.0);
        known && (is_enough && off > SAME.max(self.off_by_chance()) && share > SAME || share > LONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::units::Nanos;

    /// A window of 2 s with N I/Os of this mean latency, and 32 in flight.
    fn is_long(ios: u64, latency: Nanos) -> bool {
        let mut figures = Figures {
            depth_reached: 32.0,
            span: Nanos::from_secs(2),
            ..Figures::default()
        };
        figures.data.ios = ios;
        figures.data.iops = ios as f64 / 2.0;
        figures.data.service.record_many(latency.0, ios);
        figures.is_longer_than_window()
    }

    #[test]
    fn few_ios_are_off_by_chance() {
        // 33.8 and 37.5 of 32: of 268 I/Os chance makes 8.4 %.
        assert!(!is_long(268, Nanos::from_millis(252)));
        assert!(is_long(268, Nanos::from_millis(280)));
        // The same of more I/Os is no chance, and what takes a quarter of the window none either.
        assert!(!is_long(600, Nanos::from_millis(110)));
        assert!(is_long(600, Nanos::from_millis(114)));
        assert!(is_long(120, Nanos::from_millis(530)));
    }
}
