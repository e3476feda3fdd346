//! Student's t: how likely a difference of two means is by chance.
//!
//! Belongs here: the test of two groups; the distribution is in `tails`. Must never: decide what is likely enough.

use super::tails;

/// Mean, variance and number of values, of which two can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Their mean.
    pub mean: f64,
    /// Their variance (divisor n).
    pub variance: f64,
    /// How many, at least 1.
    pub count: usize,
}

impl Level {
    /// Of these values; `None` without any.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / (count as f64);
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (count > 0).then_some(Self {
            mean,
            variance: squares / count as f64,
            count,
        })
    }

    /// Of all of them but one, which is `value`; `None` where nothing is left.
    #[must_use]
    pub fn without(&self, value: f64) -> Option<Self> {
        let left = self.count.checked_sub(1).filter(|n| *n > 0)?;
        let (n, m) = (self.count as f64, left as f64);
        let mean = self.mean + (self.mean - value) / m;
        // The sum of squares shrinks by (x - mean)^2 n / (n - 1) (Welford, 1962).
        let squares = self.variance * n - (value - self.mean).powi(2) * n / m;
        Some(Self {
            mean,
            variance: (squares / m).max(0.0),
            count: left,
        })
    }

    /// Their standard deviation (divisor n).
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// How likely two groups of one normal distribution differ in their means as much as these or more, 0 to 1: Student's
    /// test of two groups with one variance, which is pooled. 1 for fewer than three values, or where none differ.
    ///
    /// The variance of a group has its number as divisor here, as in Otava (below), so that `p` is a little smaller than
    /// the textbook's.
    #[must_use]
    pub fn chance(&self, other: &Self) -> f64 {
        let Some(degrees) = (self.count + other.count).checked_sub(2).filter(|d| *d > 0) else {
            return 1.0;
        };
        let (a, b) = (self.count as f64, other.count as f64);
        let pooled = ((a - 1.0) * self.variance + (b - 1.0) * other.variance) / degrees as f64;
        let difference = self.mean - other.mean;
        match (pooled * (1.0 / a + 1.0 / b)).sqrt() {
            _ if difference == 0.0 => 1.0,
            error if error > 0.0 => tails::student(difference / error, degrees),
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_less_is_the_level_of_the_others() {
        let values = [3.0, 8.0, 5.5, 100.0, 4.0];
        let all = Level::of(&values).unwrap();
        for at in 0..values.len() {
            let mut rest = values.to_vec();
            let gone = rest.remove(at);
            let (found, truth) = (all.without(gone).unwrap(), Level::of(&rest).unwrap());
            assert!((found.mean - truth.mean).abs() < 1e-9);
            assert!((found.variance - truth.variance).abs() < 1e-6);
        }
        assert_eq!(Level::of(&[1.0]).unwrap().without(1.0), None);
        assert_eq!(Level::of(&[]), None);
    }

    #[test]
    fn equal_means_differ_by_chance_and_constant_groups_clearly() {
        let level = |values: &[f64]| Level::of(values).unwrap();
        assert!((level(&[1.0, 1.0]).chance(&level(&[1.0])) - 1.0).abs() < 1e-15);
        assert!(level(&[1.0, 1.0]).chance(&level(&[2.0, 2.0])) < 1e-15);
        assert!((level(&[1.0]).chance(&level(&[2.0])) - 1.0).abs() < 1e-15);
    }

    /// By hand: means 2 and 5, variances 2/3 and 1, pooled over 3 degrees of freedom (2 x 2/3 + 1) / 3 = 7/9; t = 3.726,
    /// of which the table has p = 0.0337.
    #[test]
    fn two_groups_of_unlike_size_are_pooled_by_their_size() {
        let (a, b) = (
            Level::of(&[1.0, 2.0, 3.0]).unwrap(),
            Level::of(&[4.0, 6.0]).unwrap(),
        );
        assert!((a.deviation() - (2.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        for p in [a.chance(&b), b.chance(&a)] {
            assert!((p - 0.033_66).abs() < 1e-5, "{p}");
        }
        // One value against two: one degree of freedom, and only the two have a variance.
        let one = Level::of(&[9.0]).unwrap();
        // Pooled 1, error sqrt(3/2), t = 4 / 1.2247: 2 / pi x atan(1 / t).
        let t = 4.0 / 1.5_f64.sqrt();
        let p = 2.0 / std::f64::consts::PI * (1.0 / t).atan();
        assert!((one.chance(&b) - p).abs() < 1e-9, "{}", one.chance(&b));
    }
}
