//! Latencies by percentile: the curve of a point, and the band within which it is likely to be.
//!
//! Must never: choose which points are drawn.

use super::observed::Observed;
use super::spot::PlotSpot;
use crate::stats::Bracket;
use crate::summary::certainty::PERCENTS;
use crate::summary::percentile::nines;

/// The latency by percentile, x = 1/(1-p).
pub(super) fn distribution(o: &Observed<'_>) -> (Vec<PlotSpot>, Option<usize>) {
    let latency = o.figures.response();
    let known = intervals(o);
    let spots = nines(latency).into_iter().map(|(x, y)| PlotSpot {
        x,
        y,
        bracket: match latency.is_at_least(100.0 - 100.0 / x) {
            true => Bracket::AtLeast,
            false => within(&known, x, y),
        },
        count: 1,
        failed: o.failed,
        tag: String::new(),
    });
    let spots: Vec<PlotSpot> = spots.collect();
    let thin = spots
        .iter()
        .position(|s| latency.count() as f64 / s.x < 100.0);
    (spots, thin)
}

/// A percentile whose interval is known.
struct KnownAt {
    /// x = 1/(1-p).
    x: f64,
    /// The ends of its interval over its value.
    ends: (f64, f64),
}

/// The percentiles whose intervals are known, in rising order: from the first one on as long as each has one.
fn intervals(o: &Observed<'_>) -> Vec<KnownAt> {
    let mut percents = PERCENTS;
    percents.sort_by(f64::total_cmp);
    let of = |percent: &f64| {
        let found = o.figures.response_at(*percent)?;
        let (low, high) = found.bracket().ends()?;
        let value = found.value.0 as f64;
        (value > 0.0).then_some(KnownAt {
            x: 100.0 / (100.0 - percent),
            ends: (low / value, high / value),
        })
    };
    let known = percents.iter().map(of).skip_while(Option::is_none);
    known.map_while(|known| known).collect()
}

/// The interval at a place between two percentiles whose intervals are known: theirs as shares of the value, between which it
/// goes evenly over the logarithm of x, as a band between two points is drawn.
fn within(known: &[KnownAt], x: f64, y: f64) -> Bracket {
    /// What is the same to the last digits is the percentile itself.
    const SAME: f64 = 1e-9;
    let pair = known.windows(2).find(|pair| {
        let (from, to) = (pair[0].x * (1.0 - SAME), pair[1].x * (1.0 + SAME));
        (from..=to).contains(&x)
    });
    let Some([from, to]) = pair else {
        return Bracket::Unknown;
    };
    let part = ((x / from.x).ln() / (to.x / from.x).ln()).clamp(0.0, 1.0);
    let end = |of: fn(&KnownAt) -> f64| y * (of(from) + (of(to) - of(from)) * part);
    Bracket::Within(end(|at| at.ends.0), end(|at| at.ends.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_percentiles_the_interval_goes_evenly_from_one_to_the_other() {
        let at = |x: f64, low: f64, high: f64| KnownAt {
            x,
            ends: (low, high),
        };
        let known = [at(10.0, 0.9, 1.1), at(1000.0, 0.7, 1.5)];
        let near = |x: f64, low: f64, high: f64| {
            let found = within(&known, x, 200.0).ends().unwrap();
            assert!(
                (found.0 - low).abs() < 1e-6 && (found.1 - high).abs() < 1e-6,
                "{x}: {found:?}"
            );
        };
        near(10.0, 180.0, 220.0);
        // p99 lies halfway from p90 to p99.9.
        near(100.0, 160.0, 260.0);
        near(1000.0, 140.0, 300.0);
        assert_eq!(within(&known, 9.0, 200.0), Bracket::Unknown);
        assert_eq!(within(&known, 1001.0, 200.0), Bracket::Unknown);
        assert_eq!(within(&known[..1], 10.0, 200.0), Bracket::Unknown);
    }
}
