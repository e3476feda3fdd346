//! Products of a series with itself at a distance, which autocorrelations are made of.
//!
//! Belongs here: the sums, also of series of hours. Must never: say what they mean.

use std::f64::consts::TAU;

/// Up to this number of products they are summed one by one.
const FEW: usize = 1 << 24;

/// For each distance of 0 to `most` values: the sum of the products of the values that are so far apart.
///
/// Of a long series by the spectrum, whose squares are that of these sums (Wiener, "Generalized harmonic analysis", 1930):
/// `n log n` steps instead of `n²`.
pub(super) fn products(series: &[f64], most: usize) -> Vec<f64> {
    let at = |lag: usize| {
        let pairs = series.iter().zip(series.iter().skip(lag));
        pairs.map(|(a, b)| a * b).sum::<f64>()
    };
    match series.len().saturating_mul(most) <= FEW {
        true => (0..=most).map(at).collect(),
        false => by_spectrum(series, most),
    }
}

fn by_spectrum(series: &[f64], most: usize) -> Vec<f64> {
    // Zeros in between, so that the end does not meet the start.
    let size = (series.len() + most + 1).next_power_of_two();
    let mut real = series.to_vec();
    real.resize(size, 0.0);
    let mut imaginary = vec![0.0; size];
    transform(&mut real, &mut imaginary);
    for (real, imaginary) in real.iter_mut().zip(&mut imaginary) {
        *real = real.powi(2) + imaginary.powi(2);
        *imaginary = 0.0;
    }
    // What is real and even has the same transform in both directions.
    transform(&mut real, &mut imaginary);
    real.truncate(most + 1);
    real.iter().map(|sum| sum / size as f64).collect()
}

/// The discrete Fourier transform, in place (Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier
/// series", 1965). Both parts have the same length, a power of two above 1.
fn transform(real: &mut [f64], imaginary: &mut [f64]) {
    let size = real.len();
    let unused = usize::BITS - size.trailing_zeros();
    for place in 0..size {
        let other = place.reverse_bits() >> unused;
        if place < other {
            real.swap(place, other);
            imaginary.swap(place, other);
        }
    }
    let mut half = 1;
    while half < size {
        for offset in 0..half {
            let (sin, cos) = (-TAU * offset as f64 / (2 * half) as f64).sin_cos();
            for low in (offset..size).step_by(2 * half) {
                let high = low + half;
                let turned = (
                    real[high] * cos - imaginary[high] * sin,
                    real[high] * sin + imaginary[high] * cos,
                );
                (real[high], imaginary[high]) = (real[low] - turned.0, imaginary[low] - turned.1);
                (real[low], imaginary[low]) = (real[low] + turned.0, imaginary[low] + turned.1);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spectrum_gives_the_sums() {
        assert_eq!(products(&[1.0, 2.0, 3.0], 2), [14.0, 8.0, 3.0]);
        let series: Vec<f64> = (0..1000)
            .map(|n| f64::from(n * 7919 % 1013) - 500.0)
            .collect();
        let (one_by_one, at_once) = (products(&series, 900), by_spectrum(&series, 900));
        for (a, b) in one_by_one.iter().zip(&at_once) {
            assert!((a - b).abs() < 1e-9 * one_by_one[0], "{a} {b}");
        }
        assert_eq!(at_once.len(), 901);
    }
}
