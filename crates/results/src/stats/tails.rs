//! Probabilities of distributions: how often a value this large comes by chance.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// How often a standard normal value is at least this far from 0, on both sides (error below 2e-7): Abramowitz and
/// Stegun, "Handbook of Mathematical Functions" (1964), 26.2.17.
pub(super) fn normal(z: f64) -> f64 {
    const P: f64 = 0.231_641_9;
    const B: [f64; 5] = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let x = z.abs();
    let t = 1.0 / (1.0 + P * x);
    let series = B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    let density = (-x * x / 2.0).exp() / PI.sqrt() * FRAC_1_SQRT_2;
    (2.0 * density * series).clamp(0.0, 1.0)
}

/// How often a value of Student's t with `degrees` degrees of freedom, at least 1, is at least this far from 0, on both
/// sides: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4.
pub(super) fn student(t: f64, degrees: usize) -> f64 {
    let angle = (t.abs() / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees % 2 == 1;
    // Each further term is cos^2 times its factor of the one before.
    let (mut term, mut sum) = if odd { (cosine, 0.0) } else { (1.0, 0.0) };
    let mut at = if odd { 3 } else { 2 };
    while at <= degrees {
        sum += term;
        term *= cosine * cosine * (at - 1) as f64 / at as f64;
        at += 2;
    }
    let inside = match odd {
        true => 2.0 / PI * (angle + sine * sum),
        false => sine * sum,
    };
    (1.0 - inside).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_tables() {
        for (z, p) in [
            (0.0, 1.0),
            (1.0, 0.317_310_5),
            (1.959_964, 0.05),
            (3.0, 0.002_699_8),
        ] {
            assert!((normal(z) - p).abs() < 3e-7, "{z}: {}", normal(z));
            assert!((normal(-z) - normal(z)).abs() < 1e-15);
        }
        for (degrees, quantile) in [
            (1, 12.706_205),
            (2, 4.302_653),
            (3, 3.182_446),
            (4, 2.776_445),
            (5, 2.570_582),
            (8, 2.306_004),
            (9, 2.262_157),
            (30, 2.042_272),
        ] {
            let p = student(quantile, degrees);
            assert!((p - 0.05).abs() < 1e-6, "{degrees}: {p}");
        }
        assert!((student(0.0, 4) - 1.0).abs() < 1e-12);
    }

    /// Quantiles of printed tables.
    #[test]
    fn tails_of_student_are_those_of_the_tables() {
        for (t, degrees, p) in [
            (12.706, 1, 0.05),
            (4.303, 2, 0.05),
            (3.182, 3, 0.05),
            (2.776, 4, 0.05),
            (63.657, 1, 0.01),
            (9.925, 2, 0.01),
            (4.587, 10, 0.001),
            (3.646, 30, 0.001),
            (3.373, 120, 0.001),
            (2.042, 30, 0.05),
            (0.0, 7, 1.0),
        ] {
            let found = student(t, degrees);
            assert!((found / p - 1.0).abs() < 2e-3, "{t} {degrees}: {found}");
            assert!((student(-t, degrees) - found).abs() < 1e-15);
        }
        assert!(student(f64::INFINITY, 5) < 1e-12);
    }
}
