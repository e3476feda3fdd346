//! Whether two samples differ by more than chance.

use super::{mean, variance};

/// Outcome of Welch's test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// Test statistic; positive when the first sample is larger.
    pub t: f64,
    /// Degrees of freedom by Welch and Satterthwaite.
    pub freedom: f64,
    /// Probability of a difference at least as large by chance alone, two-sided.
    pub p: f64,
}

/// Welch's t-test of the means of two samples of unequal variance. Welch, "The Generalization of
/// Student's Problem when Several Different Population Variances are Involved" (1947). Needs two values
/// on each side and some variance.
#[must_use]
pub fn welch(first: &[f64], second: &[f64]) -> Option<Welch> {
    let (n1, n2) = (first.len() as f64, second.len() as f64);
    let (v1, v2) = (variance(first)? / n1, variance(second)? / n2);
    let sum = v1 + v2;
    if sum <= 0.0 {
        return None;
    }
    let t = (mean(first)? - mean(second)?) / sum.sqrt();
    let freedom = sum * sum / (v1 * v1 / (n1 - 1.0) + v2 * v2 / (n2 - 1.0));
    let p = student_two_sided(t, freedom);
    Some(Welch { t, freedom, p })
}

/// Probability that Student's t with so many degrees of freedom lies beyond `t` on either side:
/// I(v / (v + t^2); v / 2, 1 / 2). Abramowitz and Stegun 26.7.1.
#[must_use]
pub fn student_two_sided(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// Regularised incomplete beta function by its continued fraction (Abramowitz and Stegun 26.5.8),
/// evaluated from the front by Lentz's method; on the side where it converges quickly.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    front.exp() * fraction(x, a, b) / a
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let away_from_zero = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let mut numerator = 1.0;
    let mut denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = denominator;
    for step in 1..500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            denominator = 1.0 / away_from_zero(1.0 + term * denominator);
            numerator = away_from_zero(1.0 + term / numerator);
            change = denominator * numerator;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-14 {
            break;
        }
    }
    value
}

/// Natural logarithm of the gamma function for positive arguments: Stirling's series (Abramowitz and
/// Stegun 6.1.41) after shifting the argument above 10; error below 1e-13.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - inverse
            * (1.0 / 360.0
                - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, error: f64) {
        assert!((a - b).abs() <= error, "{a} is not {b}");
    }

    #[test]
    fn student_has_the_values_of_the_tables() {
        // Two-sided 5 % and 1 % points, from the usual table of critical values.
        for (t, freedom, p) in [
            (12.706, 1.0, 0.05),
            (2.228, 10.0, 0.05),
            (3.169, 10.0, 0.01),
            (2.042, 30.0, 0.05),
            (1.980, 120.0, 0.05),
        ] {
            close(student_two_sided(t, freedom), p, 3e-5);
        }
        close(student_two_sided(0.0, 7.0), 1.0, 1e-12);
        // One degree of freedom is Cauchy's distribution: exactly one half beyond 1.
        close(student_two_sided(1.0, 1.0), 0.5, 1e-12);
    }

    #[test]
    fn gamma_has_its_known_values() {
        close(ln_gamma(5.0), 24.0_f64.ln(), 1e-12);
        close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln(), 1e-12);
    }

    #[test]
    fn welch_of_a_sample_worked_by_hand() {
        // Means 3 and 6, variances 2.5 and 10, n 5: t = -3 / sqrt(2.5), freedom = 2.5^2 / (0.25/4 + 4/4).
        let welch = welch(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 4.0, 6.0, 8.0, 10.0]).unwrap();
        close(welch.t, -3.0 / 2.5_f64.sqrt(), 1e-12);
        close(welch.freedom, 6.25 / 1.0625, 1e-12);
        close(welch.p, 0.107_5, 5e-4);
        assert_eq!(super::welch(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(super::welch(&[1.0, 1.0], &[2.0, 2.0]), None);
    }
}
