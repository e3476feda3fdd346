//! Tests of the language of limits: figures that providers publish, files, verdicts.

mod figures;
mod profiles;
mod rows;
mod shown;
mod verdicts;

use leadline_limits::{Limit, Metric, Parsed, Scope, limits, parse};

/// The words of a command line as options.
fn ask(words: &str) -> Parsed {
    const NAMES: [&str; 16] = [
        "large", "service", "quota", "assigned", "pool", "disk", "vm", "nfs", "nconnect", "bs",
        "read", "latency", "inflight", "flows", "demand", "measured",
    ];
    let words: Vec<&str> = words.split_whitespace().collect();
    let given: Vec<(&'static str, String)> = words
        .chunks(2)
        .map(|pair| {
            let name = pair[0].trim_start_matches("--");
            let name = NAMES.into_iter().find(|known| *known == name);
            (name.expect("an option"), pair[1].to_owned())
        })
        .collect();
    parse(&given, &[])
}

/// The limits of a set-up that is right.
fn of(words: &str) -> Vec<Limit> {
    let parsed = ask(words);
    assert!(parsed.is_right(), "{words}: {:?}", parsed.diagnostics);
    limits(&parsed.setup, &parsed.book)
}

/// The values of a scope and a measure, without bursts.
fn values(limits: &[Limit], scope: Scope, metric: Metric) -> Vec<f64> {
    limits
        .iter()
        .filter(|limit| limit.scope == scope && limit.metric == metric && limit.burst.is_none())
        .map(|limit| limit.value)
        .collect()
}

/// The same as MiB/s, with two decimals.
fn mib(limits: &[Limit], scope: Scope) -> Vec<String> {
    let of = values(limits, scope, Metric::Bytes);
    of.into_iter()
        .map(|bytes| format!("{:.2}", bytes / 1_048_576.0))
        .collect()
}

/// The same as MB/s.
fn mb(limits: &[Limit], scope: Scope) -> Vec<String> {
    let of = values(limits, scope, Metric::Bytes);
    of.into_iter()
        .map(|bytes| format!("{:.0}", bytes / 1e6))
        .collect()
}

/// The same as IOPS or I/Os in flight.
fn numbers(limits: &[Limit], scope: Scope, metric: Metric) -> Vec<String> {
    let of = values(limits, scope, metric);
    of.into_iter()
        .map(|number| format!("{number:.0}"))
        .collect()
}
