//! Statistics: pure functions from numbers to numbers, each with its source.
//!
//! Belongs here: moments, rank statistics, tests, intervals, curves. Must never: know what a run is,
//! draw from anything but a given seed, average percentiles.
//!
//! Numbers are expected to be finite. A function whose answer needs more numbers than it was given
//! returns `None`.

mod compare;
mod curve;
mod resample;

pub use compare::{Welch, student_two_sided, welch};
pub use curve::{Bend, Line, jain, kneedle, line, useful_concurrency};
pub use resample::{Interval, bootstrap, effective_size};

/// Arithmetic mean.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Variance of the sample, divisor n - 1; needs two values.
#[must_use]
pub fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() - 1) as f64)
}

/// Standard deviation of the sample, divisor n - 1; needs two values.
#[must_use]
pub fn stddev(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

/// The middle value; the mean of the two middle ones of an even number.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which a share of the values lies (0 to 1), interpolated between neighbours: type 7
/// of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996). For small samples of
/// repeats, never for latencies, which have histograms.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share is clamped to 0..=1, so the position is within the values"
)]
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = share.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let below = sorted.get(position.floor() as usize)?;
    let above = sorted.get(position.ceil() as usize)?;
    Some(below + (above - below) * position.fract())
}

/// Median absolute deviation from the median, not scaled (times 1.4826 it estimates the standard
/// deviation of a normal distribution). Hampel, "The Influence Curve" (1974).
#[must_use]
pub fn mad(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    let distances: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    median(&distances)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two numbers agree to a part in a million, or absolutely below one.
    fn close(a: Option<f64>, b: f64) {
        let a = a.unwrap();
        assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn moments_of_known_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        close(mean(&values), 5.0);
        close(variance(&values), 32.0 / 7.0);
        close(stddev(&values), 2.138_089_9);
        assert_eq!((mean(&[]), stddev(&[1.0])), (None, None));
    }

    #[test]
    fn ranks_of_known_values() {
        close(median(&[3.0, 1.0, 2.0]), 2.0);
        close(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        close(quantile(&[15.0, 20.0, 35.0, 40.0, 50.0], 0.4), 29.0);
        // The textbook example: 1 1 2 2 4 6 9 has median 2 and deviations 1 1 0 0 2 4 7.
        close(mad(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]), 1.0);
        assert_eq!((median(&[]), mad(&[])), (None, None));
    }
}
