//! A target of latency: `p99<2ms`, `mean<500us`.

use crate::value::any_time;
use leadline_model::plan::study::LatencyTarget;

/// Reads a target.
///
/// # Errors
/// In words, what is wrong with it.
pub fn latency_target(text: &str) -> Result<LatencyTarget, String> {
    let cut = text.split_once("<=").or_else(|| text.split_once('<'));
    let Some((what, within)) = cut else {
        return Err("a target is a percentile, `<` and a time: p99<2ms".to_owned());
    };
    let what = what.trim().to_ascii_lowercase();
    let percentile = match what.as_str() {
        "mean" | "avg" => None,
        "median" => Some(50.0),
        named => {
            let digits = named.strip_prefix('p').unwrap_or("");
            let percentile: f64 = digits.parse().map_err(|_| {
                format!("'{named}' is not mean or a percentile, such as p99 or p99.9")
            })?;
            if !(percentile > 0.0 && percentile < 100.0) {
                return Err(format!("{named}: a percentile is above 0 and below 100"));
            }
            Some(percentile)
        }
    };
    let within = any_time(within, 0)?;
    match within.0 {
        0 => Err("the time must be above 0".to_owned()),
        _ => Ok(LatencyTarget { percentile, within }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::units::Nanos;

    #[test]
    fn targets_are_percentiles_or_the_mean() {
        let of = |percentile, ns| LatencyTarget {
            percentile,
            within: Nanos(ns),
        };
        assert_eq!(latency_target("p99<2ms"), Ok(of(Some(99.0), 2_000_000)));
        assert_eq!(
            latency_target("p99.9 <= 500us"),
            Ok(of(Some(99.9), 500_000))
        );
        assert_eq!(latency_target("mean<0.5ms"), Ok(of(None, 500_000)));
        for (text, why) in [
            ("p99<2", "unit is missing"),
            ("p100<2ms", "below 100"),
            ("x<2ms", "not mean or a percentile"),
            ("p99", "a target is"),
            ("p99<0ms", "above 0"),
            ("pnan<1ms", "below 100"),
        ] {
            let wrong = latency_target(text).unwrap_err();
            assert!(wrong.contains(why), "{text}: {wrong}");
        }
    }
}
