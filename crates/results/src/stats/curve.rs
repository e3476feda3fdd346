//! Knees and evenness.

use super::interval::Interval;

/// N* = largest rate x latency at depth 1: beyond this depth, more depth can only wait (asymptotic
/// bounds; Lazowska et al., "Quantitative System Performance" (1984), chapter 5). Rate a second,
/// latency in seconds. With both errors; the value alone where one of them is not known.
#[must_use]
pub fn useful_concurrency(largest_rate: &Interval, latency_alone_s: &Interval) -> Interval {
    match largest_rate.is_known() && latency_alone_s.is_known() {
        true => largest_rate.times(latency_alone_s),
        false => Interval::only(largest_rate.value * latency_alone_s.value),
    }
}

/// Position in `points` (x rising) of the knee of a curve that rises ever more steeply (latency over
/// load), with sensitivity 1: Satopaa, Albrecht, Irwin, Raghavan,
/// "Finding a Kneedle in a Haystack" (2011). A knee is a definition; show it beside N*. Needs three
/// points that rise; `None` when the curve has no knee.
#[must_use]
pub fn kneedle(points: &[(f64, f64)]) -> Option<usize> {
    let (first, last) = (points.first()?, points.last()?);
    let low = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    let (width, height) = (last.0 - first.0, high - low);
    if points.len() < 3 || width <= 0.0 || height <= 0.0 {
        return None;
    }
    // Distance of the normalised curve from the diagonal, on the side to which it bends, but for a constant: only by
    // how much distances differ counts.
    let distance: Vec<f64> = points.iter().map(|(x, y)| x / width - y / height).collect();
    let step = 1.0 / (points.len() - 1) as f64;
    let peaks = (1..points.len() - 1)
        .filter(|&i| distance[i] > distance[i - 1] && distance[i] >= distance[i + 1]);
    let mut knee = None;
    for peak in peaks {
        let threshold = distance[peak] - step;
        // The curve must come down from the peak by more than a step before it rises above it again.
        let comes_down = distance[peak..]
            .iter()
            .take_while(|&&d| d <= distance[peak])
            .any(|&d| d < threshold);
        let higher = knee.is_none_or(|k: usize| distance[peak] > distance[k]);
        if comes_down && higher {
            knee = Some(peak);
        }
    }
    knee
}

/// Evenness of shares: 1 = all alike, 1/n = one has all. Jain, Chiu, Hawe, "A Quantitative Measure of
/// Fairness and Discrimination" (1984). `None` without values or when all are 0.
#[must_use]
pub fn jain(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|v| v * v).sum();
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    #[test]
    fn concurrency_beyond_which_only_queues_grow() {
        // 10,000 a second of a device that takes 1 ms alone: 10 at once.
        let rate = Interval {
            value: 10_000.0,
            low: 9_900.0,
            high: 10_100.0,
            settled: true,
        };
        let alone = rate.scaled(1e-7);
        let found = useful_concurrency(&rate, &alone);
        close(found.value, 10.0);
        close(found.reach(), 0.01 * 2.0_f64.sqrt());
        // Of one error nothing is known: of the product neither.
        let found = useful_concurrency(&rate, &Interval::only(0.001));
        assert_eq!(found, Interval::only(10.0));
    }

    #[test]
    fn the_knee_of_the_example_of_the_paper() {
        // y = -1 / (x + 0.1) + 5 on ten points from 0 to 1: the knee is at 0.22.
        let points: Vec<(f64, f64)> = (0..10)
            .map(|i| f64::from(i) / 9.0)
            .map(|x| (x, -1.0 / (x + 0.1) + 5.0))
            .collect();
        // The paper's curve flattens; turned round, it steepens, and its third point is the last but two.
        let turned: Vec<(f64, f64)> = points.iter().rev().map(|(x, y)| (1.0 - x, -y)).collect();
        assert_eq!(kneedle(&turned), Some(7));
        // Where it lies and in which units is of no matter.
        let moved: Vec<(f64, f64)> = turned
            .iter()
            .map(|(x, y)| (3.0 + 2.0 * x, 500.0 + 7.0 * y))
            .collect();
        assert_eq!(kneedle(&moved), Some(7));
    }

    #[test]
    fn a_straight_line_and_too_few_points_have_no_knee() {
        let straight: Vec<(f64, f64)> = (0..8).map(|i| (f64::from(i), f64::from(3 * i))).collect();
        assert_eq!(kneedle(&straight), None);
        assert_eq!(kneedle(&straight[..2]), None);
        assert_eq!(kneedle(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), None);
    }

    #[test]
    fn of_two_knees_the_one_further_from_the_straight_line_counts() {
        // Latency stays, rises, stays for a while and rises again.
        let heights = [0, 0, 0, 6, 6, 6, 10, 10, 10];
        let curve = |heights: &[i32]| -> Vec<(f64, f64)> {
            (0..)
                .zip(heights)
                .map(|(x, &y)| (f64::from(x), f64::from(y)))
                .collect()
        };
        assert_eq!(kneedle(&curve(&heights)), Some(2));
        // Of two that are as far, the first.
        assert_eq!(kneedle(&curve(&[0, 0, 0, 2, 4, 4, 4, 6, 8])), Some(2));
        // A bend from which the curve does not come down by a step is none.
        assert_eq!(kneedle(&curve(&[0, 2, 3, 5, 8, 10, 12, 14, 16])), None);
    }

    #[test]
    fn a_curve_comes_down_from_its_knee_by_more_than_a_step() {
        // Of three points a step is a half. Distances: 0, that of the middle, 0.
        for (middle, knee) in [(9.0, Some(1)), (5.0, None), (4.0, None)] {
            let points = [(0.0, 0.0), (middle, 0.0), (10.0, 1.0)];
            assert_eq!(kneedle(&points), knee, "{middle}");
        }
        // Distances: 0, a half, a half, 0. It may stay before it comes down.
        let stays = [(0.0, 0.0), (2.0, 0.0), (3.0, 1.0), (4.0, 4.0)];
        assert_eq!(kneedle(&stays), Some(1));
    }

    #[test]
    fn evenness() {
        close(jain(&[5.0, 5.0, 5.0]).unwrap(), 1.0);
        close(jain(&[1.0, 0.0, 0.0, 0.0]).unwrap(), 0.25);
        close(jain(&[1.0, 2.0, 3.0]).unwrap(), 36.0 / 42.0);
        assert_eq!(jain(&[]), None);
    }

    /// Its bend is to the other side of the straight line, at the start of which it runs along.
    #[test]
    fn a_curve_that_rises_ever_less_has_no_knee() {
        assert_eq!(
            kneedle(&[(0.0, 0.0), (1.0, 1.0), (2.0, 8.0), (10.0, 10.0)]),
            None
        );
        let root: Vec<(f64, f64)> = (0..20)
            .map(|i| (f64::from(i), f64::from(i).sqrt()))
            .collect();
        assert_eq!(kneedle(&root), None);
    }

    #[test]
    fn evenness_is_of_shares_and_not_of_amounts() {
        let shares = [3.0, 1.0, 4.0, 1.0, 5.0];
        let times = shares.map(|share| share * 1e6);
        close(jain(&shares).unwrap(), jain(&times).unwrap());
        assert_eq!(jain(&[0.0, 0.0]), None);
    }
}
