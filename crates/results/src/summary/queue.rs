//! Whether the queue of a window was the same all through it.
//!
//! Belongs here: Little's law on figures. Must never: say what follows (that is `trust` and `study`).

use super::figures::{Basis, Figures};

/// Rate times latency and what was in flight differ by no more than this share where the queue was steady.
const SAME: f64 = 0.05;
/// Longer than this share of the window, and hardly any I/O is whole within it.
const LONG: f64 = 0.25;
/// Fewer I/Os say nothing.
const FEW: u64 = 100;

impl Figures {
    /// I/Os in flight by rate times latency.
    #[must_use]
    pub fn by_little(&self) -> f64 {
        self.data.iops * self.data.service.mean() / 1e9
    }

    /// Whether I/Os took too long for their window: those that it counts began in another queue than it had on average, or
    /// hardly any is whole in it. Not known of what broke off.
    #[must_use]
    pub fn is_longer_than_window(&self) -> bool {
        let known =
            self.basis != Basis::Intervals && self.data.ios >= FEW && self.depth_reached > 0.0;
        let off = (self.by_little() / self.depth_reached.max(1e-9) - 1.0).abs();
        let share = self.data.service.mean() / (self.span.0 as f64).max(1.0);
        known && (off > SAME && share > SAME || share > LONG)
    }
}
