//! The universal scalability law, fitted in throughput.

/// A number of clients, above 0, and the throughput that they reached together.
pub type ScalePoint = (f64, f64);

/// `X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalability {
    /// Throughput of one alone.
    pub lambda: f64,
    /// Contention, 0 to 1: what the clients wait for each other.
    pub sigma: f64,
    /// Coherency, at least 0: what they cost each other.
    pub kappa: f64,
    /// Root of the mean squared relative error at the points.
    pub error: f64,
}

impl Scalability {
    /// The throughput of so many clients.
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

/// The throughput of so many clients, as a multiple of that of one.
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

/// The throughput of one alone that fits best.
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
