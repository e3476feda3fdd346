//! The value in the middle of some numbers.
//!
//! Belongs here: the medians, once for all. Must never: average percentiles.

/// The median: the value in the middle, between two the mean of both; `None` without values. They need no order.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let lower = values.get(values.len().checked_sub(1)? / 2)?;
    let upper = values.get(values.len() / 2)?;
    Some(f64::midpoint(*lower, *upper))
}

/// The upper of the values in the middle, which is one of them: half of a series at 1,000 and half at 2,000 has a level of
/// 2,000, and 1,500 is a rate that it never had. `None` without values.
pub fn median_high(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_value_or_between_two() {
        let is = |values: &[f64], middle: f64| {
            (median(values.iter().copied()).unwrap() - middle).abs() < 1e-12
        };
        assert!(is(&[7.0], 7.0));
        assert!(is(&[3.0, 1.0, 8.0], 3.0));
        assert!(is(&[4.0, 1.0, 3.0, 2.0], 2.5));
        assert!(is(&[9.0, 1.0, 3.0, 2.0, 5.0], 3.0));
        assert!(is(&[8.0, 1.0, 5.0, 2.0, 9.0, 3.0], 4.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn the_upper_median_is_one_of_the_values() {
        assert_eq!(median_high([2.0, 1.0, 2.0, 1.0]), Some(2.0));
        assert_eq!(median_high([3.0, 1.0, 8.0]), Some(3.0));
        assert_eq!(median_high([]), None);
    }
}
