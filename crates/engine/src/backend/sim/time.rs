//! Times of a simulated volume.
//!
//! Belongs here: what turns a computed time into one of events. Must never: know what takes that time.

/// A non-negative time, far below the range's end.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of f64 saturates, and times are not negative"
)]
pub(super) fn nanos(value: f64) -> u64 {
    value as u64
}
