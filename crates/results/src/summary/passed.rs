//! What was done in one interval.
//!
//! Must never: say what follows from it.

use super::Point;
use leadline_model::op::Op;
use leadline_model::units::Nanos;

/// What was done in one interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passed {
    /// Its start, from the start of the run.
    pub start: Nanos,
    /// Its length.
    pub length: Nanos,
    /// Whether it is in the warm-up.
    pub warmup: bool,
    /// I/Os that ended in it.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// How many of the I/Os were writes.
    pub writes: u64,
    /// What they took together, in nanoseconds.
    pub taken_ns: f64,
}

impl Passed {
    /// I/Os a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.ios as f64 / self.length.as_secs_f64().max(1e-9)
    }

    /// That of a point of a stage that began at this time of the run.
    pub(crate) fn of(began: Nanos, point: &Point) -> Self {
        Self {
            start: Nanos(began.0 + point.start.0),
            length: point.length,
            warmup: point.warmup,
            ios: point.data.ios,
            bytes: point.data.bytes,
            writes: point.op(Op::Write).map_or(0, |op| op.ios),
            taken_ns: point.data.mean_ns * point.data.ios as f64,
        }
    }
}
