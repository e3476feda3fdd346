//! Which law the rate follows over the share of reads.

use super::Interval;
use super::interval::student;

/// One point of a mix: the share of reads, 0 to 1, and the total rate, above 0.
pub type MixPoint = (f64, f64);

/// How reads and writes share what there is. `r` and `w` are the rates of reads and of writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// One resource that both use: `r/R + w/W = 1`.
    OneResource,
    /// A cap of each: `r <= R`, `w <= W`.
    SeparateCaps,
    /// A cap of both together and one of writes: `r + w <= T`, `w <= W`.
    TotalAndWrites,
    /// A cap of both together and one of each: `r + w <= T`, `r <= R`, `w <= W`.
    TotalAndEach,
}

/// A rate that a law has, and at how many points of the mix it sets the total.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The rate.
    pub rate: f64,
    /// Points that it sets; at one, it is a bound and not confirmed by a second.
    pub points: usize,
    /// Its 95 % interval, where [`with_intervals`] gave it one.
    pub within: Option<(f64, f64)>,
}

impl Bound {
    /// The rate with its interval; alone where it has none.
    #[must_use]
    pub fn known(&self) -> Interval {
        self.within
            .map_or(Interval::only(self.rate), |(low, high)| Interval {
                value: self.rate,
                low,
                high,
                settled: true,
            })
    }
}

/// A law with its rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Which law.
    pub law: Law,
    /// Reads alone; `None` where the law has none.
    pub reads: Option<Bound>,
    /// Writes alone.
    pub writes: Option<Bound>,
    /// Both together; `None` where the law has none.
    pub total: Option<Bound>,
    /// Root of the mean squared relative error with which each inner point is predicted from the others.
    pub error: f64,
}

const LAWS: [Law; 4] = [
    Law::OneResource,
    Law::SeparateCaps,
    Law::TotalAndWrites,
    Law::TotalAndEach,
];

/// Every law that can be fitted to the points, the one that predicts best first; of those that predict alike, within half
/// a percent, the one with fewer rates first. Points are of different shares; fewer than five give none.
///
/// Each inner point is left out in turn and predicted from the others (leave-one-out cross-validation: Stone 1974): a
/// law with more rates than the data support predicts worse and is not preferred.
#[must_use]
pub fn mix_laws(points: &[MixPoint]) -> Vec<Fit> {
    /// Errors within one such step are alike.
    const ALIKE: f64 = 0.005;
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    if points.len() < 5 {
        return Vec::new();
    }
    let of = |law| {
        let fit = fitted(law, &points)?;
        let error = left_out(law, &points)?;
        Some(Fit { error, ..fit })
    };
    let mut fits: Vec<Fit> = LAWS.into_iter().filter_map(of).collect();
    let best = fits
        .iter()
        .map(|fit| fit.error)
        .fold(f64::INFINITY, f64::min);
    // Stable: those that are alike keep the order of their rates.
    fits.sort_by(|a, b| {
        let rank = |fit: &Fit| {
            if fit.error <= best + ALIKE {
                0.0
            } else {
                fit.error
            }
        };
        rank(a).total_cmp(&rank(b))
    });
    fits
}

/// The total rate that a fit predicts at a share of reads.
#[must_use]
pub fn predicted(fit: &Fit, share: f64) -> f64 {
    let (reads, writes) = (fit.reads.map(|b| b.rate), fit.writes.map(|b| b.rate));
    if fit.law == Law::OneResource {
        let cost = share / reads.unwrap_or(f64::INFINITY)
            + (1.0 - share) / writes.unwrap_or(f64::INFINITY);
        return 1.0 / cost;
    }
    // A rate over a share of nothing is no bound: infinite.
    let of = |rate: Option<f64>, share: f64| rate.map_or(f64::INFINITY, |rate| rate / share);
    of(reads, share)
        .min(of(writes, 1.0 - share))
        .min(fit.total.map_or(f64::INFINITY, |b| b.rate))
}

/// A law with the intervals of its rates, given half of that of each point as a share of its rate: each point is moved by
/// its half in turn, the law is fitted again, and what the rates move adds as squares (propagation of independent errors,
/// by differences).
///
/// The half of a point has what the law misses the points by, too: the root of the sum of the squared relative residuals
/// over the degrees of freedom, which are the points less the rates, times the 97.5 % quantile of Student's t (Draper and
/// Smith, "Applied Regression Analysis", 1998, chapter 1). A point may be as exact as it likes, and the law not hold there.
#[must_use]
pub fn with_intervals(fit: &Fit, points: &[(MixPoint, f64)]) -> Fit {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.0.total_cmp(&b.0.0));
    let plain: Vec<MixPoint> = sorted.iter().map(|p| p.0).collect();
    let misfit = misfit(fit, &plain);
    let moved: Option<Vec<Fit>> = (0..sorted.len())
        .map(|at| {
            let mut points = plain.clone();
            points[at].1 *= 1.0 + sorted[at].1.hypot(misfit);
            fitted(fit.law, &points)
        })
        .collect();
    let Some(moved) = moved else {
        return *fit;
    };
    let of = |pick: fn(&Fit) -> Option<Bound>| {
        let bound = pick(fit)?;
        let shifts = moved
            .iter()
            .filter_map(|other| Some(pick(other)?.rate - bound.rate));
        let half = shifts.map(|shift| shift.powi(2)).sum::<f64>().sqrt();
        let within = (half > 0.0).then_some(((bound.rate - half).max(0.0), bound.rate + half));
        Some(Bound { within, ..bound })
    };
    Fit {
        reads: of(|fit| fit.reads),
        writes: of(|fit| fit.writes),
        total: of(|fit| fit.total),
        ..*fit
    }
}

/// Half of the 95 % interval of a point around the law by its residuals, as a share of its rate; 0 where the law has as many
/// rates as there are points.
fn misfit(fit: &Fit, points: &[MixPoint]) -> f64 {
    let rates = [fit.reads, fit.writes, fit.total].iter().flatten().count();
    match points.len().checked_sub(rates) {
        None | Some(0) => 0.0,
        Some(degrees) => student(degrees) * (squared(fit, points) / degrees as f64).sqrt(),
    }
}

/// Root mean square of the relative errors of inner points, each predicted by a fit to the others.
fn left_out(law: Law, points: &[MixPoint]) -> Option<f64> {
    let inner = 1..points.len() - 1;
    let count = inner.len() as f64;
    let squares: Option<f64> = inner
        .map(|left| {
            let mut others = points.to_vec();
            let (share, rate) = others.remove(left);
            let fit = fitted(law, &others)?;
            Some((predicted(&fit, share) / rate - 1.0).powi(2))
        })
        .sum();
    Some((squares? / count).sqrt())
}

/// The rates with the smallest squared relative errors; points by rising share of reads. `None` where the points allow
/// none.
fn fitted(law: Law, points: &[MixPoint]) -> Option<Fit> {
    if law == Law::OneResource {
        return one_resource(points);
    }
    // Writes set the total where there are many of them, reads where there are many of those, and the cap of both in
    // between: all ways to cut the points so. Every law has a cap of writes.
    let n = points.len();
    let cuts = (1..=n).flat_map(|w| (w..=n).map(move |r| (w, r)));
    let fits = cuts.filter_map(|(w, r)| capped(law, points, w, r));
    fits.min_by(|a, b| squared(a, points).total_cmp(&squared(b, points)))
}

/// The fit in which the first `w` points, at least one, are set by the cap of writes, those from `r` on by that of reads, and the others
/// by that of both.
fn capped(law: Law, points: &[MixPoint], w: usize, r: usize) -> Option<Fit> {
    let (writes, middle, reads) = (&points[..w], &points[w..r], &points[r..]);
    let allowed = match law {
        Law::OneResource => false,
        Law::SeparateCaps => middle.is_empty() && !reads.is_empty(),
        Law::TotalAndWrites => reads.is_empty() && !middle.is_empty(),
        Law::TotalAndEach => !(reads.is_empty() || middle.is_empty()),
    };
    let bound = |points: &[MixPoint], part: fn(f64) -> f64| {
        let rates = points.iter().map(|&(share, rate)| rate * part(share));
        let sum: f64 = rates.sum();
        (!points.is_empty()).then(|| Bound {
            rate: sum / points.len() as f64,
            points: points.len(),
            within: None,
        })
    };
    allowed.then(|| Fit {
        law,
        reads: bound(reads, |share| share),
        writes: bound(writes, |share| 1.0 - share),
        total: bound(middle, |_| 1.0),
        error: 0.0,
    })
}

/// `1/X = p/R + (1 - p)/W` is linear in `1/R` and `1/W`; weighted by X², so that relative errors count.
fn one_resource(points: &[MixPoint]) -> Option<Fit> {
    let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(share, rate) in points {
        let (a, b) = (share * rate, (1.0 - share) * rate);
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ay += a;
        by += b;
    }
    let determinant = aa * bb - ab * ab;
    let (of_read, of_write) = (
        (ay * bb - by * ab) / determinant,
        (by * aa - ay * ab) / determinant,
    );
    let bound = |cost: f64| Bound {
        rate: 1.0 / cost,
        points: points.len(),
        within: None,
    };
    let is_one = determinant > 0.0 && of_read > 0.0 && of_write > 0.0;
    is_one.then(|| Fit {
        law: Law::OneResource,
        reads: Some(bound(of_read)),
        writes: Some(bound(of_write)),
        total: None,
        error: 0.0,
    })
}

fn squared(fit: &Fit, points: &[MixPoint]) -> f64 {
    let error = |&(share, rate): &MixPoint| (predicted(fit, share) / rate - 1.0).powi(2);
    points.iter().map(error).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points at equal steps of the share of reads, from all to none.
    fn stepped(rates: &[f64]) -> Vec<MixPoint> {
        let last = (rates.len() - 1) as f64;
        let shares = (0..rates.len()).map(|i| 1.0 - i as f64 / last);
        shares.zip(rates.iter().copied()).collect()
    }

    /// The best law, after checking that the second is far worse where the best is to be named alone.
    fn best(rates: &[f64]) -> Fit {
        let fits = mix_laws(&stepped(rates));
        assert!(fits[0].error < 0.02, "{fits:?}");
        fits[0]
    }

    fn is_near(bound: Option<Bound>, rate: f64) {
        let found = bound.map_or(0.0, |bound| bound.rate);
        assert!((found / rate - 1.0).abs() < 0.02, "{found} is not {rate}");
    }

    #[test]
    fn published_mixes_of_one_resource() {
        let by_tenth = [
            460_000.0, 366_871.0, 305_102.0, 261_135.0, 228_244.0, 202_712.0, 182_317.0, 165_651.0,
            151_777.0, 140_047.0, 130_000.0,
        ];
        let by_quarter = [460_000.0, 281_412.0, 202_712.0, 158_410.0, 130_000.0];
        for rates in [&by_tenth[..], &by_quarter[..]] {
            let fit = best(rates);
            assert_eq!(fit.law, Law::OneResource);
            is_near(fit.reads, 460_000.0);
            is_near(fit.writes, 130_000.0);
        }
        for (reads, inner, writes) in [
            (388_000.0, [248_984.0, 183_307.0, 145_047.0], 120_000.0),
            (293_000.0, [207_815.0, 161_005.0, 131_406.0], 111_000.0),
        ] {
            let fit = best(&[reads, inner[0], inner[1], inner[2], writes]);
            assert_eq!(fit.law, Law::OneResource);
        }
    }

    #[test]
    fn published_mixes_with_caps() {
        let fit = best(&[3600.0, 3600.0, 3600.0, 3200.0, 2400.0]);
        assert_eq!(fit.law, Law::TotalAndWrites);
        is_near(fit.total, 3600.0);
        is_near(fit.writes, 2400.0);
        let fit = best(&[3500.0, 4500.0, 4500.0, 3333.0, 2500.0]);
        assert_eq!(fit.law, Law::TotalAndEach);
        is_near(fit.total, 4500.0);
        is_near(fit.reads, 3500.0);
        is_near(fit.writes, 2500.0);
        assert_eq!(fit.reads.map(|bound| bound.points), Some(1));
    }

    /// A cap of three points, each within 3 %: 3 % over the root of three. One of a single point: as the point.
    #[test]
    fn a_cap_is_as_exact_as_the_points_that_it_sets() {
        let points = stepped(&[3600.0, 3600.0, 3600.0, 3200.0, 2400.0]);
        let fit = mix_laws(&points)[0];
        let known: Vec<(MixPoint, f64)> = points.iter().map(|p| (*p, 0.03)).collect();
        let found = with_intervals(&fit, &known);
        let share = |bound: Option<Bound>| bound.unwrap().known().relative();
        assert!(
            (share(found.total) - 0.03 / 3_f64.sqrt()).abs() < 0.001,
            "{found:?}"
        );
        assert!(
            (share(found.writes) - 0.03 / 2_f64.sqrt()).abs() < 0.001,
            "{found:?}"
        );
        // Without errors, none is known.
        let exact: Vec<(MixPoint, f64)> = points.iter().map(|p| (*p, 0.0)).collect();
        assert_eq!(with_intervals(&fit, &exact).total.unwrap().within, None);
        // The points of reads are 1 % apart: exact as each is, their cap is no more exact than that.
        let apart = stepped(&[3000.0, 4030.0, 5940.0, 2667.0, 2000.0]);
        let exact: Vec<(MixPoint, f64)> = apart.iter().map(|p| (*p, 0.0)).collect();
        let fits = mix_laws(&apart);
        let fit = fits.iter().find(|fit| fit.law == Law::SeparateCaps);
        let reads = with_intervals(fit.unwrap(), &exact).reads.unwrap().known();
        assert!(reads.low < 2970.0 && reads.high > 3023.0, "{reads:?}");
        // One resource: both rates have the errors of all.
        let one = stepped(&[460_000.0, 281_412.0, 202_712.0, 158_410.0, 130_000.0]);
        let known: Vec<(MixPoint, f64)> = one.iter().map(|p| (*p, 0.01)).collect();
        let found = with_intervals(&mix_laws(&one)[0], &known);
        assert!((0.004..0.02).contains(&share(found.reads)), "{found:?}");
    }

    #[test]
    fn caps_of_their_own() {
        // Reads 3,000 and writes 2,000: a fifth more together than either where they are mixed.
        let of = |share: f64| (3000.0 / share).min(2000.0 / (1.0 - share));
        let rates: Vec<f64> = (0..11).map(|i| of(1.0 - f64::from(i) / 10.0)).collect();
        let fit = best(&rates);
        assert_eq!(fit.law, Law::SeparateCaps);
        is_near(fit.reads, 3000.0);
        is_near(fit.writes, 2000.0);
    }

    #[test]
    fn what_no_law_predicts_has_a_large_error_and_few_points_none() {
        let fits = mix_laws(&stepped(&[100.0, 400.0, 90.0, 300.0, 80.0]));
        assert!(fits.iter().all(|fit| fit.error > 0.1), "{fits:?}");
        assert_eq!(mix_laws(&stepped(&[100.0, 90.0, 80.0])), []);
    }

    #[test]
    fn each_inner_point_is_predicted_from_the_others() {
        let rates = [4000.0, 3300.0, 2900.0, 2300.0, 2150.0, 1800.0, 1500.0];
        let points = stepped(&rates);
        let by_share = {
            let mut sorted = points.clone();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            sorted
        };
        let fits = mix_laws(&points);
        assert!(fits.len() >= 3, "{fits:?}");
        for fit in fits {
            let squares: f64 = (1..6)
                .map(|left| {
                    let mut others = by_share.clone();
                    let (share, rate) = others.remove(left);
                    let of_others = mix_laws(&others);
                    let same = of_others.iter().find(|other| other.law == fit.law).unwrap();
                    (predicted(same, share) / rate - 1.0).powi(2)
                })
                .sum();
            assert!((fit.error - (squares / 5.0).sqrt()).abs() < 1e-9, "{fit:?}");
        }
    }

    #[test]
    fn a_law_is_the_same_in_any_unit() {
        let rates = [3500.0, 4480.0, 4530.0, 3350.0, 2490.0];
        let (one, thousand) = (
            mix_laws(&stepped(&rates)),
            mix_laws(&stepped(&rates.map(|r| 1e3 * r))),
        );
        for (a, b) in one.iter().zip(&thousand) {
            assert!(a.law == b.law && (a.error - b.error).abs() < 1e-9);
            for (a, b) in [(a.reads, b.reads), (a.writes, b.writes), (a.total, b.total)] {
                let (a, b) = (a.map_or(0.0, |b| b.rate), b.map_or(0.0, |b| b.rate));
                assert!((1e3 * a - b).abs() < 1e-3, "{a} {b}");
            }
        }
    }

    /// Writes of 2,400 set the last two points, 3,600 together the first three.
    #[test]
    fn a_bound_has_the_points_that_it_sets() {
        let fit = best(&[3600.0, 3600.0, 3600.0, 3200.0, 2400.0]);
        let points = [fit.reads, fit.total, fit.writes].map(|b| b.map_or(0, |b| b.points));
        assert_eq!(points, [0, 3, 2]);
        // Each point of one resource says something of both rates.
        let fit = best(&[460_000.0, 281_412.0, 202_712.0, 158_410.0, 130_000.0]);
        let points = [fit.reads, fit.total, fit.writes].map(|b| b.map_or(0, |b| b.points));
        assert_eq!(points, [5, 0, 5]);
    }

    /// Of writes that set the first two of five points, by the share of reads, and 3,600 together for the others, of which
    /// the last has 10 less: one rate more predicts it better, by less than half a percent. With 100 less it is more.
    #[test]
    fn of_laws_that_predict_alike_the_one_with_fewer_rates_is_first() {
        let law = |last: f64| best(&[last, 3600.0, 3600.0, 3200.0, 2400.0]);
        assert_eq!(law(3590.0).law, Law::TotalAndWrites);
        assert!(law(3590.0).error > 1e-4);
        assert_eq!(law(3500.0).law, Law::TotalAndEach);
    }

    /// Points that two caps explain without an error: the law of three has its third all the same.
    #[test]
    fn a_law_has_all_of_its_rates_and_no_other() {
        for rates in [
            [2400.0, 3200.0, 4800.0, 4000.0, 3000.0],
            [3000.0, 4000.0, 4800.0, 3200.0, 2400.0],
            [2400.0, 3200.0, 3600.0, 3600.0, 3600.0],
            [3600.0, 3600.0, 3600.0, 3200.0, 2400.0],
        ] {
            let fits = mix_laws(&stepped(&rates));
            assert_eq!(fits.len(), 4, "{fits:?}");
            for fit in fits {
                let has = [fit.reads, fit.writes, fit.total].map(|bound| bound.is_some());
                let truth = match fit.law {
                    Law::OneResource | Law::SeparateCaps => [true, true, false],
                    Law::TotalAndWrites => [false, true, true],
                    Law::TotalAndEach => [true; 3],
                };
                assert_eq!(has, truth, "{fit:?}");
            }
        }
    }

    /// One resource gives a mix less than the faster of both alone. By hand, the costs that fit best differ only in their sign
    /// where half of reads is so much faster: (1000 + 600 - 900 - 2000) over a sum of squares is that of a read.
    #[test]
    fn what_is_faster_mixed_than_either_alone_is_not_one_resource() {
        for rates in [
            [1000.0, 1200.0, 1e6, 1800.0, 2000.0],
            [2000.0, 1800.0, 1e6, 1200.0, 1000.0],
            // Of these, one of both would cost nothing at all.
            [12.0, 8.0, 8.0, 48.0, 4.0],
            [4.0, 48.0, 8.0, 8.0, 12.0],
        ] {
            let fits = mix_laws(&stepped(&rates));
            assert!(fits.iter().all(|f| f.law != Law::OneResource), "{fits:?}");
        }
    }
}
