//! The universal scalability law, fitted in throughput.

use super::interval::{Interval, student};

/// A number of clients, above 0, and the throughput that they reached together.
pub type ScalePoint = (f64, f64);

/// `X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalability {
    /// Throughput of one client.
    pub lambda: f64,
    /// Contention, 0 to 1: what the clients wait for each other.
    pub sigma: f64,
    /// Coherency, at least 0: what they cost each other.
    pub kappa: f64,
    /// Root of the mean squared relative error at the points.
    pub error: f64,
}

impl Scalability {
    /// The throughput of N clients.
    #[must_use]
    pub fn at(&self, clients: f64) -> f64 {
        self.lambda * shape(clients, self.sigma, self.kappa)
    }

    /// The number of clients beyond which the throughput falls; `None` where it never does.
    #[must_use]
    pub fn peak(&self) -> Option<f64> {
        (self.kappa > 0.0 && self.sigma < 1.0).then(|| ((1.0 - self.sigma) / self.kappa).sqrt())
    }
}

/// 95 % intervals of the numbers of a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalabilityCertainty {
    /// Throughput of one client.
    pub lambda: Interval,
    /// Contention.
    pub sigma: Interval,
    /// Coherency.
    pub kappa: Interval,
    /// Clients at the peak; `None` where the law has none.
    pub peak: Option<Interval>,
}

impl Scalability {
    /// How far its numbers may be off, by how far the points are from it; `None` with three points, which it meets whatever
    /// they are, and where they do not distinguish the three constants.
    ///
    /// Standard errors of nonlinear least squares (Bates and Watts, "Nonlinear Regression Analysis", 1988, 2.3) and
    /// Student's t, as in R's `nls`; the peak by the delta method of its logarithm. Ends are not below 0.
    #[must_use]
    pub fn certainty(&self, points: &[ScalePoint]) -> Option<ScalabilityCertainty> {
        let degrees = points.len().checked_sub(3).filter(|d| *d > 0)?;
        let slopes: Vec<[f64; 3]> = points.iter().map(|(n, _)| self.slopes(*n)).collect();
        let errors = points.iter().map(|(n, x)| (x - self.at(*n)).powi(2));
        let variance = errors.sum::<f64>() / degrees as f64;
        let inverse = inverse_of_squares(&slopes)?;
        let times = student(degrees);
        let within = |value: f64, row: usize| {
            let half = times * (variance * inverse[row][row]).max(0.0).sqrt();
            Interval {
                value,
                low: (value - half).max(0.0),
                high: value + half,
                settled: true,
            }
        };
        let peak = self.peak().map(|value| {
            // The slopes of the logarithm of the peak by sigma and kappa.
            let by = [0.0, -0.5 / (1.0 - self.sigma), -0.5 / self.kappa];
            let sum = |row: usize| (0..3).map(|c| inverse[row][c] * by[c]).sum::<f64>();
            let square: f64 = (0..3).map(|row| by[row] * sum(row)).sum();
            let half = times * (variance * square).max(0.0).sqrt();
            Interval {
                value,
                low: value * (-half).exp(),
                high: value * half.exp(),
                settled: true,
            }
        });
        Some(ScalabilityCertainty {
            lambda: within(self.lambda, 0),
            sigma: within(self.sigma, 1),
            kappa: within(self.kappa, 2),
            peak,
        })
    }

    /// How the throughput of `n` clients changes with `lambda`, `sigma` and `kappa`.
    fn slopes(&self, n: f64) -> [f64; 3] {
        let below = n / shape(n, self.sigma, self.kappa);
        let by_below = -self.lambda * n / (below * below);
        [n / below, by_below * (n - 1.0), by_below * n * (n - 1.0)]
    }
}

/// The inverse of the sums of products of columns; `None` where columns are multiples of each other.
fn inverse_of_squares(rows: &[[f64; 3]]) -> Option<[[f64; 3]; 3]> {
    let product = |a: usize, b: usize| rows.iter().map(|row| row[a] * row[b]).sum::<f64>();
    let norms = [0, 1, 2].map(|c| product(c, c).sqrt());
    if norms.iter().any(|norm| *norm <= 0.0) {
        return None;
    }
    // Columns of length 1: their sizes are many powers of ten apart.
    let unit = [0, 1, 2].map(|a| [0, 1, 2].map(|b| product(a, b) / norms[a] / norms[b]));
    let minor = |a: usize, b: usize| {
        let (r, c) = ([(a + 1) % 3, (a + 2) % 3], [(b + 1) % 3, (b + 2) % 3]);
        unit[r[0]][c[0]] * unit[r[1]][c[1]] - unit[r[0]][c[1]] * unit[r[1]][c[0]]
    };
    let determinant: f64 = (0..3).map(|c| unit[0][c] * minor(0, c)).sum();
    let is_determined = determinant > 1e-12;
    is_determined.then(|| {
        [0, 1, 2].map(|a| [0, 1, 2].map(|b| minor(b, a) / determinant / norms[a] / norms[b]))
    })
}

/// The throughput of N clients, as a multiple of that of one.
fn shape(n: f64, sigma: f64, kappa: f64) -> f64 {
    n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
}

/// The law that fits best by least squares in the throughput itself, with `sigma` from 0 to 1 and `kappa` at least 0;
/// `None` with fewer than three points.
///
/// Gunther, "Guerrilla capacity planning" (2007), chapter 5, fits a parabola to `N / X`, which weighs the points of few
/// clients too much. Here the squares of the errors of `X` are as small as they get: `lambda` follows from the other
/// two, for which each of them is searched on ever finer steps.
#[must_use]
pub fn scalability(points: &[ScalePoint]) -> Option<Scalability> {
    if points.len() < 3 {
        return None;
    }
    let most = points.iter().map(|p| p.0).fold(1.0, f64::max);
    let cost = |sigma: f64, kappa: f64| squares(points, sigma, kappa);
    let (mut sigma, mut kappa) = (0.0, 0.0);
    let mut step = (0.25, 0.25 / most);
    let mut best = cost(sigma, kappa);
    while step.0 > 1e-9 {
        let moves = [-1.0, 0.0, 1.0];
        let around = moves
            .iter()
            .flat_map(|s| moves.iter().map(move |k| (*s, *k)));
        let tried = around.map(|(s, k)| {
            let at = (
                f64::clamp(sigma + s * step.0, 0.0, 1.0),
                f64::max(kappa + k * step.1, 0.0),
            );
            (cost(at.0, at.1), at)
        });
        let least = tried.min_by(|a, b| a.0.total_cmp(&b.0))?;
        if least.0 < best {
            (best, (sigma, kappa)) = least;
        } else {
            step = (step.0 / 2.0, step.1 / 2.0);
        }
    }
    let lambda = lambda(points, sigma, kappa);
    let fit = Scalability {
        lambda,
        sigma,
        kappa,
        error: 0.0,
    };
    let relative = points.iter().map(|(n, x)| (fit.at(*n) / x - 1.0).powi(2));
    let error = (relative.sum::<f64>() / points.len() as f64).sqrt();
    Some(Scalability { error, ..fit })
}

/// The throughput of one client that fits best.
fn lambda(points: &[ScalePoint], sigma: f64, kappa: f64) -> f64 {
    let each = points.iter().map(|(n, x)| (shape(*n, sigma, kappa), *x));
    let (products, squares) = each.fold((0.0, 0.0), |sum, (g, x)| (sum.0 + g * x, sum.1 + g * g));
    products / f64::max(squares, 1e-300)
}

fn squares(points: &[ScalePoint], sigma: f64, kappa: f64) -> f64 {
    let lambda = lambda(points, sigma, kappa);
    let errors = points
        .iter()
        .map(|(n, x)| lambda * shape(*n, sigma, kappa) - x);
    errors.map(|e| e * e).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SPEC SDM91 on one machine, as Gunther's package for R has it.
    const SPEC: [ScalePoint; 7] = [
        (1.0, 64.9),
        (18.0, 995.9),
        (36.0, 1652.4),
        (72.0, 1853.2),
        (108.0, 1828.9),
        (144.0, 1775.0),
        (216.0, 1702.2),
    ];

    #[test]
    fn published_figures_come_out() {
        let fit = scalability(&SPEC).unwrap();
        assert!((fit.lambda - 90.0).abs() < 0.1, "{fit:?}");
        assert!((fit.sigma - 0.0277).abs() < 0.0001, "{fit:?}");
        assert!((fit.kappa - 0.000_104).abs() < 0.000_001, "{fit:?}");
        assert!((fit.peak().unwrap() - 96.5).abs() < 0.3, "{:?}", fit.peak());
    }

    /// R's package `usl` prints standard errors of 14.2134894, 0.0091217 and 0.0000199 with 4 degrees of freedom.
    #[test]
    fn intervals_are_those_of_r() {
        let fit = scalability(&SPEC).unwrap();
        let found = fit.certainty(&SPEC).unwrap();
        let half = |of: Interval| (of.high - of.value) / 2.7764;
        assert!((half(found.lambda) - 14.213_489).abs() < 0.001, "{found:?}");
        assert!(
            (half(found.sigma) - 0.009_121_7).abs() < 0.000_001,
            "{found:?}"
        );
        assert!(
            (half(found.kappa) - 0.000_019_88).abs() < 0.000_000_01,
            "{found:?}"
        );
        // A coherency of half or twice as much would move the peak by its root.
        let peak = found.peak.unwrap();
        assert!(
            peak.low > 60.0 && peak.low < 96.5 && peak.high > 96.5 && peak.high < 160.0,
            "{peak:?}"
        );
        assert_eq!(fit.certainty(&SPEC[..3]), None);
    }

    /// Of 400 draws with errors of 20 a second the true numbers are within their intervals in 19 of 20.
    #[test]
    fn intervals_hold_the_truth() {
        let law = Scalability {
            lambda: 100.0,
            sigma: 0.1,
            kappa: 0.002,
            error: 0.0,
        };
        let mut noise = leadline_model::seed::SplitMix::new(7);
        let mut share = || noise.unit();
        // The sum of twelve is near enough to a normal distribution of deviation 1.
        let mut normal = || (0..12).map(|_| share()).sum::<f64>() - 6.0;
        let mut held = [0_u32; 4];
        for _ in 0..400 {
            let points = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(|n| {
                // The same error everywhere, as least squares take it.
                (n, law.at(n) + 20.0 * normal())
            });
            let found = scalability(&points).and_then(|fit| fit.certainty(&points));
            let Some(found) = found else { continue };
            let holds = |of: Interval, truth: f64| of.low <= truth && truth <= of.high;
            held[0] += u32::from(holds(found.lambda, law.lambda));
            held[1] += u32::from(holds(found.sigma, law.sigma));
            held[2] += u32::from(holds(found.kappa, law.kappa));
            let peak = law.peak().unwrap();
            held[3] += u32::from(found.peak.is_some_and(|of| holds(of, peak)));
        }
        assert!(held.iter().all(|n| (368..=396).contains(n)), "{held:?}");
    }

    #[test]
    fn what_only_scales_has_no_peak() {
        let fit = scalability(&[(1.0, 10.0), (2.0, 20.0), (4.0, 40.0)]).unwrap();
        assert_eq!((fit.sigma, fit.kappa, fit.peak()), (0.0, 0.0, None));
        assert_eq!(scalability(&SPEC[..2]), None);
    }

    #[test]
    fn points_of_the_law_give_its_numbers_back() {
        let law = |n: f64| 100.0 * n / (1.0 + 0.1 * (n - 1.0) + 0.002 * n * (n - 1.0));
        let points = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(|n| (n, law(n)));
        let fit = scalability(&points).unwrap();
        assert!((fit.lambda - 100.0).abs() < 1e-3, "{fit:?}");
        assert!((fit.sigma - 0.1).abs() < 1e-5 && (fit.kappa - 0.002).abs() < 1e-6);
        assert!(fit.error < 1e-5, "{fit:?}");
        // 1,000 over 1 + 0.9 + 0.18; the peak at the root of 0.9 / 0.002.
        assert!((fit.at(10.0) - 1000.0 / 2.08).abs() < 0.01);
        assert!((fit.peak().unwrap() - 450.0_f64.sqrt()).abs() < 0.01);
    }

    /// By hand: of 1, 3 and 2 by one client the best is 2, off by 1, -1/3 and 0 of each.
    #[test]
    fn the_error_is_relative_to_each_point() {
        let fit = scalability(&[(1.0, 1.0), (1.0, 3.0), (1.0, 2.0)]).unwrap();
        assert!((fit.lambda - 2.0).abs() < 1e-9);
        assert!(
            (fit.error - (10.0_f64 / 27.0).sqrt()).abs() < 1e-9,
            "{fit:?}"
        );
    }

    #[test]
    fn what_only_contends_has_no_peak() {
        let of = |sigma, kappa| Scalability {
            lambda: 1.0,
            sigma,
            kappa,
            error: 0.0,
        };
        assert_eq!((of(0.5, 0.0).peak(), of(1.0, 0.1).peak()), (None, None));
        assert!((of(0.5, 0.5).peak().unwrap() - 1.0).abs() < 1e-12);
        // Half of it serial: of many clients twice the rate of one.
        assert!((of(0.5, 0.0).at(1e9) - 2.0).abs() < 1e-6);
    }
}
