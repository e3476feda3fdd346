//! Percentiles that say how far they can be trusted (law 9): made from merged histograms only, never
//! from other percentiles.

use crate::stats::{Bracket, Interval};
use leadline_model::latency::Latency;
use leadline_model::units::Nanos;

/// How many samples a percentile is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// Fewer than 10 samples beyond it: not to be printed as a figure.
    TooFew,
    /// 10 to 99 samples beyond it: to be printed with a mark of doubt.
    Doubtful,
    /// 100 samples or more beyond it.
    Sure,
}

impl Trust {
    /// Trust in a figure with this many samples above it.
    #[must_use]
    pub fn of(beyond: f64) -> Self {
        // A thousandth of a sample is rounding: 0.1 % of 10,000 samples are 10, not 9.999...
        match beyond + 1e-3 {
            n if n < 10.0 => Self::TooFew,
            n if n < 100.0 => Self::Doubtful,
            _ => Self::Sure,
        }
    }
}

/// One percentile, and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// Which, 0 to 100.
    pub percent: f64,
    /// Its value regardless of trust; use [`Percentile::shown`] for people.
    pub value: Nanos,
    /// Samples beyond it: above it for the upper half, below it for the lower half. Where the time series shows how far
    /// they depend on each other, as many independent ones as say the same.
    pub beyond: f64,
    /// What that means.
    pub trust: Trust,
    /// Whether it falls among I/Os that had not ended: then it is at least the value.
    pub at_least: bool,
    /// Lower end of its 95 % interval; `None` where it has none.
    pub low: Option<Nanos>,
    /// Upper end; `None` where it has none, and also where the samples are too few for an upper end.
    pub high: Option<Nanos>,
    /// Whether the time series was long enough for the interval; `None` where there is none.
    pub settled: Option<bool>,
}

impl Percentile {
    /// The value, unless it is based on too few samples.
    #[must_use]
    pub fn shown(&self) -> Option<Nanos> {
        (self.trust != Trust::TooFew).then_some(self.value)
    }

    /// Its 95 % interval, in nanoseconds; `None` where one of the ends is not known.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        let found = Interval {
            value: self.value.0 as f64,
            low: self.low?.0 as f64,
            high: self.high?.0 as f64,
            settled: self.settled?,
        };
        Some(found.of_nanos())
    }

    /// The lower end of the interval of one that is shown, where the samples are too few for an upper end.
    #[must_use]
    pub fn least(&self) -> Option<Nanos> {
        let is_open = self.high.is_none() && !self.at_least && self.trust != Trust::TooFew;
        self.low.filter(|low| is_open && low.0 > 0)
    }

    /// What is known of it besides its value.
    #[must_use]
    pub fn bracket(&self) -> Bracket {
        match (self.at_least, self.low, self.high) {
            (true, ..) => Bracket::AtLeast,
            (false, Some(low), Some(high)) => Bracket::Within(low.0 as f64, high.0 as f64),
            (false, ..) => Bracket::Unknown,
        }
    }

    /// Text for people: the value with its unit, with `>=` in front where it is at least that, with a `~`
    /// when in doubt, `-` when there are too few samples.
    #[must_use]
    pub fn text(&self) -> String {
        match self.trust {
            Trust::TooFew => "-".to_owned(),
            _ if self.at_least => format!(">= {}", self.value),
            Trust::Doubtful => format!("~{}", self.value),
            Trust::Sure => self.value.to_string(),
        }
    }
}

/// Whether mean and maximum are at least what they are: where more than a thousandth of the I/Os had not completed.
pub(crate) fn is_bound(latency: &Latency) -> bool {
    latency.unfinished() * 1000 > latency.count()
}

/// `>= ` before a mean or a maximum that is at least that.
pub(crate) fn bound(latency: &Latency) -> &'static str {
    if is_bound(latency) { ">= " } else { "" }
}

/// The mean for people, marked where it is at least that.
#[must_use]
pub fn mean_text(latency: &Latency) -> String {
    let mean = crate::words::span(latency.mean());
    format!("{}{mean}", bound(latency))
}

/// The largest value for people, marked where it is at least that.
#[must_use]
pub fn longest_text(latency: &Latency) -> String {
    format!("{}{}", bound(latency), Nanos(latency.max))
}

/// The value of `latency` at `percent` (0 to 100) with its trust; `None` when there is no sample.
#[must_use]
pub fn percentile(latency: &Latency, percent: f64) -> Option<Percentile> {
    let value = Nanos(latency.percentile(percent)?);
    let beyond = latency.samples_beyond(percent.max(100.0 - percent));
    Some(Percentile {
        percent,
        value,
        beyond,
        trust: Trust::of(beyond),
        at_least: latency.is_at_least(percent),
        low: None,
        high: None,
        settled: None,
    })
}

/// Points of the percentile curve: x = 1/(1-p), from 1 % on, twelve to a decade, as far as ten samples reach. A single
/// fastest I/O says nothing, and would be where the curve begins.
pub(crate) fn nines(latency: &Latency) -> Vec<(f64, f64)> {
    let first = 100.0 / 99.0;
    let others = (1_u32..100).map(|i| 10_f64.powf(f64::from(i) / 12.0));
    std::iter::once(first)
        .chain(others)
        .take_while(|x| latency.count() as f64 / x >= 10.0 - 1e-6)
        .filter_map(|x| Some((x, latency.percentile(100.0 - 100.0 / x)? as f64)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: u64, percent: f64) -> Trust {
        let mut latency = Latency::default();
        (0..count).for_each(|v| latency.record(1000 + v));
        percentile(&latency, percent).unwrap().trust
    }

    #[test]
    fn trust_follows_the_number_of_samples_beyond() {
        assert_eq!(of(999, 99.0), Trust::TooFew);
        assert_eq!(of(1000, 99.0), Trust::Doubtful);
        assert_eq!(of(10_000, 99.0), Trust::Sure);
        assert_eq!(of(10_000, 99.9), Trust::Doubtful);
        assert_eq!(of(100_000, 99.99), Trust::Doubtful);
        assert_eq!(of(20, 50.0), Trust::Doubtful);
        assert_eq!(of(100, 1.0), Trust::TooFew);
        assert!(percentile(&Latency::default(), 50.0).is_none());
    }

    #[test]
    fn the_curve_of_percentiles_begins_with_what_one_of_a_hundred_takes() {
        let mut latency = Latency::default();
        latency.record(10);
        (0..999).for_each(|_| latency.record(250));
        let first = nines(&latency)[0];
        assert!((first.1 - 250.0).abs() < 3.0, "{first:?}");
    }

    #[test]
    fn text_marks_doubt() {
        let mut latency = Latency::default();
        (0..1000).for_each(|_| latency.record(250));
        let text = |p| percentile(&latency, p).unwrap().text();
        assert_eq!(
            (text(50.0), text(99.0), text(99.9)),
            ("250 ns".into(), "~250 ns".into(), "-".into())
        );
    }

    /// A stall at half time that lasts until the end: a hundred a second of 1 ms, then none is done.
    #[test]
    fn what_falls_among_unfinished_ios_is_a_bound() {
        let mut latency = Latency::default();
        (0..10_000).for_each(|_| latency.record(1_000_000));
        (0..10_000).for_each(|k| latency.record_unfinished(10_000_000 * k, 1));
        let at = |p| percentile(&latency, p).unwrap();
        assert_eq!(
            (at(50.0).text(), at(50.0).at_least),
            ("1.00 ms".into(), false)
        );
        assert!(at(75.0).text().starts_with(">= 50."), "{}", at(75.0).text());
        assert!(at(99.0).text().starts_with(">= 98."), "{}", at(99.0).text());
        assert!(mean_text(&latency).starts_with(">= 25."));
        assert_eq!(longest_text(&latency), ">= 100 s");
        // One that fell due at the very end says nothing of the mean.
        let mut latency = Latency::default();
        (0..10_000).for_each(|_| latency.record(1_001_000));
        latency.record_unfinished(5, 1);
        assert_eq!(mean_text(&latency), "1.00 ms");
    }
}
