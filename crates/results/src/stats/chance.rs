//! Which changes of level are more than chance.
//!
//! Belongs here: the best place of a change between its neighbours, the test of it, and which of many changes stay. Must
//! never: look for changes.

use super::tails;
use leadline_model::units::whole;

/// How often a series without a change of level may have one: a survey looks at about 25 points, so that one of 4,000 surveys
/// has one. Noise with a longer tail than the normal distribution has more: see [`sure`].
const CHANCE: f64 = 1e-5;

/// Of these changes of level, the first index of each new segment, those that are no chance; `least` values have to be on each
/// side, `floor` is the smallest standard deviation that counts as noise.
///
/// Each change is tested by Student's t between its neighbours, at the place where it separates the values best, and the least
/// sure one is given up until all that are left are sure. As the place was looked for, a change has to be less likely than
/// [`CHANCE`] by the number of values (Bonferroni), which is above the number of places; as neighbouring values depend on each
/// other, the variance of the means is that of independent values times `(1 + r) / (1 - r)`, and as many fewer values count.
///
/// Measured in series of 20 to 120 intervals: none in 48,000 with 2 to 30 I/Os each that end at random, where PELT alone has a
/// change in 5 to 115 of 10,000; one in 48,000 of autoregressive noise of a fifth of the rate with `r` of 0.3 to 0.8 (PELT: 300
/// to 2,000 of 10,000); 12 in 16,000 with ten I/Os each, one at a time, whose times are log-normal with a sigma of 1 (PELT: 120
/// to 170 of 10,000).
pub(super) fn sure(series: &[f64], mut starts: Vec<usize>, least: usize, floor: f64) -> Vec<usize> {
    let looks = series.len() as f64;
    loop {
        let places = placed(series, &starts, least);
        let chances = (0..places.len()).map(|number| {
            let (from, to) = neighbours(series, &places, number);
            chance_of(&series[from..to], places[number] - from, floor)
        });
        let worst = chances.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        match worst {
            Some((number, chance)) if chance * looks > CHANCE => starts.remove(number),
            _ => return starts,
        };
    }
}

/// The ends of the two segments at a change.
fn neighbours(series: &[f64], starts: &[usize], number: usize) -> (usize, usize) {
    let from = number.checked_sub(1).map_or(0, |before| starts[before]);
    let to = starts.get(number + 1).copied().unwrap_or(series.len());
    (from, to)
}

/// Each change at its best place between its neighbours, which are moved as well: a segment that is shorter than PELT's were to
/// be holds values of another level until both of its ends are.
fn placed(series: &[f64], starts: &[usize], least: usize) -> Vec<usize> {
    /// As often as that each is moved.
    const TIMES: usize = 2;
    let mut places = starts.to_vec();
    for number in (0..TIMES).flat_map(|_| 0..starts.len()) {
        let (from, to) = neighbours(series, &places, number);
        if let Some(place) = best_place(&series[from..to], least) {
            places[number] = from + place;
        }
    }
    places
}

/// How often noise has means before and after `at` that are as far apart.
///
/// The variance of `floor` is known and of independent values; what there is beyond it is estimated. The degrees of freedom of
/// their sum are Satterthwaite's ("An approximate distribution of estimates of variance components", 1946).
fn chance_of(part: &[f64], at: usize, floor: f64) -> f64 {
    /// As good as infinitely many.
    const MANY: f64 = 10_000.0;
    let (before, after) = part.split_at(at);
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let (first, second) = (mean(before), mean(after));
    let left = before.iter().map(|x| x - first);
    let left: Vec<f64> = left.chain(after.iter().map(|x| x - second)).collect();
    let (n, squares) = (part.len() as f64, left.iter().map(|x| x * x).sum::<f64>());
    let (known, dependence) = (floor * floor, dependence(&left, squares));
    let beyond = (squares / (n - 2.0).max(1.0) - known).max(0.0) * dependence;
    let variance = known + beyond;
    let few = 1.0 / before.len().max(1) as f64 + 1.0 / after.len().max(1) as f64;
    let own = (n / dependence - 2.0).max(1.0);
    let degrees = (own * (variance / beyond).powi(2)).min(MANY);
    let distance = (first - second) / (variance * few).sqrt();
    tails::student(distance, usize::try_from(whole(degrees)).unwrap_or(1))
}

/// How many times the variance of a mean is that of independent values, for what is left of two segments and the sum of its
/// squares.
///
/// The autocorrelation of few values about their own mean is too low by about `(1 + 4 r) / n` (Marriott and Pope, "Bias in the
/// estimation of autocorrelations", 1954): here twice that, for two means, and more by `2 / n` for a place that was looked for.
/// Added to that is its standard error, `sqrt((1 - r²) / n)`; 0.95 is the most.
fn dependence(left: &[f64], squares: f64) -> f64 {
    let products: f64 = left.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let n = left.len() as f64;
    let found = if squares > 0.0 {
        products / squares
    } else {
        0.0
    };
    let r = ((found + 4.0 / n) / (1.0 - 6.0 / n).max(0.1)).clamp(0.0, 0.9);
    let r = (r + ((1.0 - r * r) / n).sqrt()).min(0.95);
    (1.0 + r) / (1.0 - r)
}

/// The place that separates these values best, with `least` values on each side; `None` of fewer than twice as many.
pub(super) fn best_place(part: &[f64], least: usize) -> Option<usize> {
    let places = least..(part.len() + 1).saturating_sub(least);
    let apart = apart(part);
    places.min_by(|a, b| apart[*a].total_cmp(&apart[*b]))
}

/// For each place: the squares of the distances from the means of the values before it and from it on.
fn apart(part: &[f64]) -> Vec<f64> {
    // Of one side, for each number of its values.
    let of_first = |values: &mut dyn Iterator<Item = &f64>| {
        let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
        let mut all = vec![0.0];
        for value in values {
            // Welford, "Note on a method for calculating corrected sums of squares and products", 1962.
            count += 1.0;
            let off = value - mean;
            mean += off / count;
            squares += off * (value - mean);
            all.push(squares);
        }
        all
    };
    let (before, after) = (of_first(&mut part.iter()), of_first(&mut part.iter().rev()));
    let sides = before.iter().zip(after.iter().rev());
    sides.map(|(before, after)| before + after).collect()
}

#[cfg(test)]
mod tests {
    use crate::stats::draws::Draws;
    use crate::stats::{level_shifts, rate_shift};
    use leadline_model::units::Nanos;

    /// An interval of a point of a survey: 64 of them are 5 s.
    const INTERVAL: Nanos = Nanos(78_125_000);

    /// Rates of intervals in which I/Os end at random, this many in each on average.
    fn at_random(draws: &mut Draws, parts: &[(usize, f64)]) -> Vec<f64> {
        let mut rates = Vec::new();
        for &(count, each) in parts {
            let (mut counts, mut now) = (vec![0.0; count], 0.0);
            loop {
                now += draws.exponential() / each;
                match counts.get_mut(usize::try_from(super::whole(now)).unwrap()) {
                    Some(count) => *count += 1.0 / INTERVAL.as_secs_f64(),
                    None => break,
                }
            }
            rates.extend(counts);
        }
        rates
    }

    fn wanders(seed: u64, r: f64, count: usize) -> Vec<f64> {
        let noise = Draws::new(seed).wander(r, count).into_iter();
        noise.map(|x| (1e6 * (1.0 + 0.2 * x)).max(0.0)).collect()
    }

    fn alarms(seeds: u64, series: impl Fn(u64) -> Vec<f64>) -> usize {
        let shift = |seed: &u64| rate_shift(&series(*seed), INTERVAL).is_some();
        (0..seeds).filter(shift).count()
    }

    /// PELT alone finds changes in these; I/Os that end at random, and rates that wander, have none.
    #[test]
    fn a_slow_noisy_target_has_one_level() {
        let mut cut = 0;
        for (each, count) in [(2.0, 64), (10.0, 64), (30.0, 64), (10.0, 20)] {
            let series = |seed| at_random(&mut Draws::new(seed), &[(count, each)]);
            assert_eq!(alarms(300, series), 0, "{each} in each of {count}");
            let cuts = |seed: &u64| !level_shifts(&series(*seed), count / 5, 1e-9).is_empty();
            cut += (0..300).filter(cuts).count();
        }
        for (r, count) in [
            (0.0, 64),
            (0.3, 64),
            (0.5, 64),
            (0.8, 64),
            (0.8, 20),
            (0.5, 120),
        ] {
            let found = alarms(300, |seed| wanders(seed, r, count));
            assert_eq!(found, 0, "{r} of {count}");
            let cuts =
                |seed: &u64| !level_shifts(&wanders(*seed, r, count), count / 5, 2e4).is_empty();
            cut += (0..300).filter(cuts).count();
        }
        assert!(
            cut > 150,
            "{cut}: too few of these series could raise an alarm"
        );
    }

    /// From a cap of 5,000 to one of 1,000, and by a fifth, at their interval; also among I/Os that end at random.
    #[test]
    fn a_real_change_is_found_at_its_place() {
        let still = |parts: &[(usize, f64)]| -> Vec<f64> {
            let each = parts.iter();
            each.flat_map(|&(count, rate)| vec![rate; count]).collect()
        };
        for (count, last) in [(64, 1e3), (64, 4e3), (20, 1e3), (20, 4e3), (120, 4e3)] {
            for at in [count / 4, count / 2, count - count / 4] {
                let found = rate_shift(&still(&[(at, 5e3), (count - at, last)]), INTERVAL).unwrap();
                assert_eq!((found.at, found.before, found.after), (at, 5e3, last));
            }
        }
        let mut found = [0; 3];
        for seed in 0..100 {
            for (number, (before, after)) in [(400.0, 80.0), (300.0, 240.0), (100.0, 50.0)]
                .into_iter()
                .enumerate()
            {
                let rates = at_random(&mut Draws::new(seed), &[(24, before), (40, after)]);
                let shift = rate_shift(&rates, INTERVAL);
                found[number] += usize::from(shift.is_some_and(|shift| shift.at.abs_diff(24) <= 2));
            }
        }
        assert!(found.iter().all(|found| *found >= 85), "{found:?} of 100");
    }

    /// Of four places, one is a change.
    #[test]
    fn a_change_that_is_less_than_chance_is_given_up_and_the_others_stay() {
        let noise = Draws::new(3).wander(0.0, 120);
        let level = |at: usize| if at < 60 { 1000.0 } else { 500.0 };
        let series: Vec<f64> = (0..120).map(|at| level(at) + 20.0 * noise[at]).collect();
        assert_eq!(super::sure(&series, vec![20, 40, 60, 90], 5, 1.0), [60]);
        assert_eq!(super::sure(&series[..60], vec![20, 40], 5, 1.0), [0; 0]);
        assert_eq!(super::sure(&[], Vec::new(), 5, 1.0), [0; 0]);
    }
}
