//! Figures as sentences say them: each latency by its name, percentiles before the mean, and all with their intervals.
//!
//! Belongs here: words of the figures of one measurement. Must never: what they mean.

use super::figures::OpFigures;
use super::measured::PointResult;
use super::percentile::{Percentile, is_bound, mean_text};
use crate::stats::{Bracket, FEWEST_EVENTS, Interval};
use crate::words::{
    about, bytes_within, give_or_take, iops_within, mib_per_s, mib_within, rate_known, rounded_span,
};

impl OpFigures {
    /// I/Os a second with their interval; the value alone where the time series is too short for one.
    #[must_use]
    pub fn iops_known(&self) -> Interval {
        self.certainty.iops.unwrap_or(Interval::only(self.iops))
    }

    /// Bytes a second, likewise.
    #[must_use]
    pub fn bytes_known(&self) -> Interval {
        let known = self.certainty.bytes_per_s;
        known.unwrap_or(Interval::only(self.bytes_per_s))
    }

    /// Mean latency from the intended start in nanoseconds, likewise.
    #[must_use]
    pub fn mean_known(&self) -> Interval {
        let known = self.response_mean();
        known.unwrap_or(Interval::only(self.response().mean()))
    }

    /// What is known of that besides its value.
    #[must_use]
    pub fn mean_bracket(&self) -> Bracket {
        match is_bound(self.response()) {
            true => Bracket::AtLeast,
            false => Bracket::of(&self.mean_known()),
        }
    }

    /// `p50 206 us +-2.3 %, p99 1.38 ms +-4.0 %, mean 297 us +-1.5 %`: from the intended start.
    #[must_use]
    pub fn latency_words(&self) -> String {
        let text = mean_text(self.response());
        let mean = match self.response().count() {
            1 => format!("{text} (of 1 I/O only)"),
            count if count < FEWEST_EVENTS => format!("{text} (of {count} I/Os only)"),
            // A bound has no interval to both sides.
            _ if text.starts_with(">=") => text,
            _ => {
                let mean = self.mean_known();
                give_or_take(&text, rounded_span(mean.value), &mean)
            }
        };
        latency_words([50.0, 99.0].map(|percent| self.response_at(percent)), &mean)
    }
}

impl Percentile {
    /// Its text with its interval, where it has one; of one without an upper end, the lower one: `~26.8 ms (at least 8.00 ms)`.
    #[must_use]
    pub fn words(&self) -> String {
        if let Some(least) = self.least() {
            return format!("{} (at least {least})", self.text());
        }
        let interval = self.interval().unwrap_or(Interval::only(0.0));
        give_or_take(&self.text(), rounded_span(interval.value), &interval)
    }
}

/// Percentiles that can be shown, and the mean in words.
pub(crate) fn latency_words<const N: usize>(tails: [Option<Percentile>; N], mean: &str) -> String {
    let shown = tails.into_iter().flatten();
    let shown = shown.filter(|p| p.shown().is_some());
    let named = shown.map(|p| format!("p{} {}", p.percent, p.words()));
    let all: Vec<String> = named.chain([format!("mean {mean}")]).collect();
    all.join(", ")
}

impl PointResult {
    /// `26,600 IOPS +-0.6 %`. How many stalls fall into a point is chance: of one with some, the rate between them too, which
    /// other points without one have: `14,400 IOPS +-9.9 % (15,000 IOPS +-9.9 % between its stalls)`.
    #[must_use]
    pub fn iops_words(&self) -> String {
        let words = iops_within(&self.figures.data.iops_known());
        match self.iops_between() {
            Some(between) => format!("{words} ({between})"),
            None => words,
        }
    }

    /// `15,000 IOPS +-9.9 % between its stalls`, where that is another rate than the mean.
    #[must_use]
    pub(crate) fn iops_between(&self) -> Option<String> {
        let (all, between) = (about(self.iops()), about(self.working_iops()));
        let is_other = self.working_iops() > self.iops() && all != between;
        is_other.then(|| format!("{} between its stalls", iops_within(&self.working_known())))
    }

    /// `26,600`: the digits of that, where the interval stands elsewhere.
    #[must_use]
    pub(crate) fn iops_digits(&self) -> String {
        rate_known(&self.figures.data.iops_known())
    }

    /// `1,672 MiB/s (1,753 MB/s) +-0.5 %`, with the throughput between stalls likewise.
    #[must_use]
    pub fn bytes_words(&self) -> String {
        let words = bytes_within(&self.figures.data.bytes_known());
        match self.bytes_between() {
            Some(between) => format!("{words} ({between})"),
            None => words,
        }
    }

    /// `1,753 MiB/s +-0.5 % between its stalls`, likewise.
    #[must_use]
    pub(crate) fn bytes_between(&self) -> Option<String> {
        let known = self.figures.data.bytes_known();
        let between = known.scaled(self.working_iops() / self.iops().max(1e-9));
        let [all, other] = [known.value, between.value].map(mib_per_s);
        let is_other = self.working_iops() > self.iops() && all != other;
        is_other.then(|| format!("{} between its stalls", mib_within(&between)))
    }

    /// Its latencies, each by its name.
    #[must_use]
    pub fn latency_words(&self) -> String {
        self.figures.data.latency_words()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::units::Nanos;

    #[test]
    fn every_latency_has_its_name_and_its_interval() {
        let mut figures = OpFigures::default();
        for _ in 0..20_000 {
            figures.service.record(200_000);
        }
        assert_eq!(
            figures.latency_words(),
            "p50 200 us, p99 200 us, mean 200 us"
        );
        let mut few = OpFigures::default();
        for words in [
            "mean 200 us (of 1 I/O only)",
            "mean 200 us (of 2 I/Os only)",
        ] {
            few.service.record(200_000);
            assert_eq!(few.latency_words(), words);
        }
        figures.certainty.service.mean = Some(Interval {
            value: 200_000.0,
            low: 196_000.0,
            high: 204_000.0,
            settled: false,
        });
        assert!(figures.latency_words().ends_with("mean 200 us +-~2.0 %"));
        let found = figures.service_at(99.0).unwrap();
        let within = Percentile {
            low: Some(Nanos(190_000)),
            high: Some(Nanos(210_000)),
            settled: Some(true),
            ..found
        };
        assert_eq!(within.words(), "200 us +-5.0 %");
        // One without a width, of too short a series, is an interval as well: in a sentence as in a table.
        let of_one_value = Percentile {
            low: Some(found.value),
            high: Some(found.value),
            settled: Some(false),
            ..found
        };
        assert_eq!(of_one_value.words(), "200 us +-~<0.1 %");
        // Of too few samples for an upper end.
        let open = Percentile {
            high: None,
            ..within
        };
        assert_eq!(open.words(), "200 us (at least 190 us)");
        figures.service.clear();
        (0..20).for_each(|_| figures.service.record(200_000));
        // Too few for a p99.
        assert!(figures.latency_words().starts_with("p50 ~200 us, mean"));
    }
}
