//! Percentiles that say how far they can be trusted (law 9): made from merged histograms only, never
//! from other percentiles.

use leadline_model::latency::Latency;
use leadline_model::units::Nanos;

/// How many samples stand behind a percentile.
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
    /// Trust in a figure with so many samples beyond it.
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

/// One percentile with the trust it deserves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// Which, 0 to 100.
    pub percent: f64,
    /// Its value, whatever the trust; read it through [`Percentile::shown`] where people read.
    pub value: Nanos,
    /// Samples beyond it: above it for the upper half, below it for the lower half.
    pub beyond: f64,
    /// What that means.
    pub trust: Trust,
}

impl Percentile {
    /// The value, unless too few samples stand behind it.
    #[must_use]
    pub fn shown(&self) -> Option<Nanos> {
        (self.trust != Trust::TooFew).then_some(self.value)
    }

    /// Text for people: the value with its unit, with a `~` in front when in doubt, `-` when there
    /// are too few samples.
    #[must_use]
    pub fn text(&self) -> String {
        match self.trust {
            Trust::TooFew => "-".to_owned(),
            Trust::Doubtful => format!("~{}", self.value),
            Trust::Sure => self.value.to_string(),
        }
    }
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
    })
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
    fn text_marks_doubt() {
        let mut latency = Latency::default();
        (0..1000).for_each(|_| latency.record(250));
        let text = |p| percentile(&latency, p).unwrap().text();
        assert_eq!(
            (text(50.0), text(99.0), text(99.9)),
            ("250 ns".into(), "~250 ns".into(), "-".into())
        );
    }
}
