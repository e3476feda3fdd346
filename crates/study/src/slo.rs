//! A target of latency: `p99<2ms`, `mean<500us`: a condition (`leadline_dialect::condition`) of one form.

use leadline_dialect::condition;
use leadline_model::condition::{ConditionLimit, FigureKind};
use leadline_model::plan::study::LatencyTarget;
use leadline_model::units::Nanos;

/// Reads a target.
///
/// # Errors
/// In words, what is wrong with it.
pub fn latency_target(text: &str) -> Result<LatencyTarget, String> {
    let form = "a target is a percentile, `<` and a time: p99<2ms";
    if text.matches(['<', '>']).count() > 1 {
        return Err(format!(
            "`{text}` is more than one target, and a search is for one: ask for the other in a study of its own; {form}"
        ));
    }
    // What a condition may be beside that is none here.
    let name = text.split(['<', '>']).next().unwrap_or_default().trim();
    if ["iops", "bw", "max"].contains(&name) {
        return Err(format!(
            "{name} is no latency that a rate can keep to; {form}, or mean<500us"
        ));
    }
    let wrong = |wrong: condition::WrongCondition| {
        let words = wrong.words().replace(" or randread.iops>100k", "");
        words.replace("expected iops, bw, mean, max, or", "expected mean, or")
    };
    let condition = condition::absolute(text).map_err(wrong)?;
    let percentile = match condition.figure {
        FigureKind::Mean => None,
        FigureKind::Percentile(percent) => Some(percent.of_100()),
        _ => return Err(form.to_owned()),
    };
    let within = match condition.limit {
        ConditionLimit::Time(within) if condition.relation.is_upper() => within,
        _ => return Err(form.to_owned()),
    };
    if !condition.row.is_empty() {
        return Err(form.to_owned());
    }
    match within {
        Nanos(0) => Err("the time must be above 0".to_owned()),
        _ => Ok(LatencyTarget { percentile, within }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(latency_target("median<1ms"), Ok(of(Some(50.0), 1_000_000)));
        for (text, why) in [
            ("p99<2", "unit is missing"),
            ("p100<2ms", "below 100"),
            ("x<2ms", "x is not a figure"),
            ("p99", "no < or >"),
            ("p99<0ms", "above 0"),
            ("pnan<1ms", "is not a figure"),
            ("p99>1ms", "a target is"),
            ("iops<5ms", "iops is no latency"),
            ("max<5ms", "max is no latency"),
            ("p101<5ms", "expected mean, or a percentile"),
            ("iops<1k", "a target is"),
            ("a.p99<1ms", "a target is"),
            ("p99<2ms,p50<1ms", "more than one target"),
            ("p99<2ms p99.9<9ms", "more than one target"),
        ] {
            let wrong = latency_target(text).unwrap_err();
            assert!(wrong.contains(why), "{text}: {wrong}");
            assert!(!wrong.contains("iops>"), "{text}: {wrong}");
        }
    }
}
