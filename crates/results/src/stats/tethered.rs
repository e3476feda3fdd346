//! Series whose sums stay near a straight line: quotas that are given out in slices of time.
//!
//! Belongs here: how well the mean of such a series is known. Must never: make an interval wider than another method does.

/// Fewest values: sums of fewer are near a line by chance.
const LEAST: usize = 16;
/// A range of the sums, over the standard deviation of the values times the root of their number, that is seldom chance: of
/// 200,000 series of 16 to 640 independent values (normal, exponential, of two values) at most one in 5,000 is below it,
/// and of values that depend on each other positively none.
const NEAR: f64 = 0.45;
/// Half the width of the interval of the sum, in ranges: of 64 independent values it holds in 95 % of cases, of more in up to
/// 97 %, of a quota always.
const RANGES: f64 = 2.0;

/// Half the width of a 95 % interval of the mean, where the sums of the values stay near a straight line; `None` where they
/// wander as those of independent values do, or farther, and of fewer than 16 values.
///
/// The range of the sums less their line, the adjusted range of Hurst ("Long-term storage capacity of reservoirs", 1951;
/// its distribution: Feller, "The asymptotic distribution of the range of sums of independent random variables", 1951),
/// is `1.25 s sqrt(n)` on average for independent values. Neighbouring slices of a quota make up for each other: one has a part
/// more, the next one a part less, and the sum is never farther from its line than one part. So what the mean may be off
/// is of the order of that range over `n`, as an interval of a standardised time series has it (Schruben, "Confidence
/// interval estimation using standardized time series", 1983): the range is independent of the mean, and both grow alike
/// with the dependence of the values.
pub(super) fn half(series: &[f64]) -> Option<f64> {
    if series.len() < LEAST {
        return None;
    }
    let count = series.len() as f64;
    let mean = series.iter().sum::<f64>() / count;
    let (mut sum, mut squares, mut least, mut most) = (0.0, 0.0, 0.0_f64, 0.0_f64);
    for value in series {
        let part = value - mean;
        sum += part;
        squares += part * part;
        least = least.min(sum);
        most = most.max(sum);
    }
    let range = most - least;
    let is_near = range < NEAR * squares.sqrt();
    is_near.then_some(RANGES * range / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;

    /// By hand: the sums of 1 and -1 in turns are 1 and 0, a range of 1 where chance makes 1.25 x 4.
    #[test]
    fn values_that_make_up_for_each_other_leave_the_mean_well_known() {
        let turns = [11.0, 9.0].repeat(8);
        assert_eq!(half(&turns), Some(2.0 / 16.0));
        assert_eq!(half(&turns[..14]), None);
        // The sums of a rise, and of a change of level, leave their line.
        let rise: Vec<f64> = (0..64).map(f64::from).collect();
        assert_eq!(half(&rise), None);
        let step = [[1.0; 32], [2.0; 32]].concat();
        assert_eq!(half(&step), None);
        // What never changes is known, and has no part in this.
        assert_eq!(half(&[5.0; 64]), None);
    }

    #[test]
    fn independent_values_and_values_that_wander_are_left_alone() {
        let mut draws = Draws::new(5);
        for (r, count) in [(0.0, 16), (0.0, 64), (0.0, 640), (0.8, 64)] {
            let taken = (0..2000).filter(|_| half(&draws.wander(r, count)).is_some());
            let taken = taken.count();
            assert!(taken <= 2, "{taken} of 2,000 series of {count} at {r}");
        }
    }
}
