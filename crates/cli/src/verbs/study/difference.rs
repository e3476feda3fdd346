//! Where two studies differ, setting by setting, in the words of their options.
//!
//! Belongs here: the settings of a study as they are written. Must never: decide what follows from a difference.

use leadline_model::plan::Rate;
use leadline_model::plan::study::{
    Axis, Class, Coordinate, Factor, HostGroup, LatencyTarget, Question, Study,
};
use leadline_model::units::{Bytes, Nanos};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The place of the study's name.
const QUESTION: &str = "question";

/// That of the names of its arms, and the beginning of those of their commands.
const ARMS: &str = "arms";

/// The places of settings that are options of many studies.
const LISTS: &str = "lists";
const TIMES: &str = "times";

/// Settings that differ beyond these are counted.
const MOST_DIFFERENCES: usize = 8;

/// Where two studies differ: a line for each setting that does.
pub(super) fn difference(old: &Study, new: &Study) -> Option<String> {
    let (old, new) = (settings(old), settings(new));
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let same_arms = old.get(ARMS) == new.get(ARMS);
    let mut differ: Vec<&String> = keys
        .into_iter()
        .filter(|key| old.get(*key) != new.get(*key))
        // Of an arm that only one has, the name says enough.
        .filter(|key| same_arms || *key == ARMS || !key.starts_with(ARMS))
        .collect();
    // Another study has other settings because it is another.
    differ.sort_by_key(|key| *key != QUESTION);
    let mut lines: Vec<String> = differ
        .into_iter()
        .map(|key| {
            let [was, is] = [&old, &new].map(|all| shown(key, all.get(key)));
            format!("  {}: {was} there, {is} now", in_words(key))
        })
        .collect();
    let more = lines.len().saturating_sub(MOST_DIFFERENCES);
    lines.truncate(MOST_DIFFERENCES);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The place of a setting as its option is called.
fn in_words(place: &str) -> String {
    let parts: Vec<&str> = place.split(", ").collect();
    match parts.as_slice() {
        ["scope", "place", ..] => "target".to_owned(),
        [QUESTION] => "study".to_owned(),
        ["repeats"] => "--repeat".to_owned(),
        [ARMS] => "--arm".to_owned(),
        [ARMS, name, "place", ..] => format!("--target of {name}"),
        [ARMS, name, command] => format!("--{command} of {name}"),
        ["scope", "direct"] => "--buffered".to_owned(),
        ["scope", "server_cache", ..] => "--server-cache".to_owned(),
        [LISTS, "blocks"] => "--bs".to_owned(),
        [LISTS, "reads"] => "--rw, in percent of reads".to_owned(),
        [LISTS, "random"] => "--order".to_owned(),
        [TIMES, "narrow"] => "--until-interval, in parts per million".to_owned(),
        [LISTS | TIMES, own] => format!("--{own}"),
        ["scope", own @ ("dataset" | "files" | "engine")] => format!("--{own}"),
        // Of a question its kind is known, of lists and times not what they are of.
        [QUESTION, _, own @ ..] | ["scope", own @ ..] if !own.is_empty() => own.join(", "),
        _ => place.to_owned(),
    }
    .replace('_', "-")
}

/// A value as an option has it, as far as that is one of numbers or times.
fn shown(place: &str, value: Option<&Value>) -> String {
    let is = |end: &str| place.ends_with(end);
    let one = |value: &Value| match value {
        Value::Bool(random) if is("random") => {
            ["sequential", "random"][usize::from(*random)].into()
        }
        // The option says the opposite of what is stored.
        Value::Bool(direct) if is("direct") => ["given", "not given"][usize::from(*direct)].into(),
        Value::String(text) if is("server_cache") => match text.as_str() {
            "unknown" => "not given".to_owned(),
            "absent" => "none".to_owned(),
            "read-only" => "ro".to_owned(),
            other => other.to_owned(),
        },
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(n) if place.starts_with(TIMES) && !is("narrow") => n
            .as_u64()
            .map_or_else(|| n.to_string(), |n| Nanos(n).to_string()),
        Value::Number(n) if is("blocks") || is("dataset") || place.contains("server_cache") => n
            .as_u64()
            .map_or_else(|| n.to_string(), |n| Bytes(n).to_string()),
        other => other.to_string(),
    };
    match value {
        None => "none".to_owned(),
        Some(Value::Array(all)) if all.is_empty() => "none".to_owned(),
        Some(Value::Array(all)) => all.iter().map(one).collect::<Vec<_>>().join(","),
        Some(value) => one(value),
    }
}

/// All settings of a study by their place in it, as they are stored.
fn settings(study: &Study) -> BTreeMap<String, Value> {
    let Study {
        question,
        scope,
        axes,
        timing,
        repeats,
        arms,
        // That of the first run is taken up.
        seed: _,
        seeded: _,
    } = study;
    let mut all = BTreeMap::new();
    let parts = [
        (QUESTION, serde_json::to_value(question)),
        ("scope", serde_json::to_value(scope)),
        (LISTS, serde_json::to_value(axes)),
        (TIMES, serde_json::to_value(timing)),
        ("repeats", serde_json::to_value(repeats)),
    ];
    for (name, part) in parts {
        flatten(name, part.unwrap_or_default(), &mut all);
    }
    for (option, fields, words) in in_own_words(question) {
        let is_of = |place: &str| {
            let own = place.strip_prefix(QUESTION).unwrap_or_default();
            let own = own.trim_start_matches(", ").split_once(", ");
            own.is_some_and(|(_, own)| fields.iter().any(|field| own.starts_with(field)))
        };
        all.retain(|place, _| !is_of(place));
        all.insert(option.to_owned(), Value::String(words));
    }
    // With hosts, these are what it is measured on.
    all.remove("scope, maps");
    let names = arms.iter().map(|arm| arm.name.clone());
    all.insert(ARMS.to_owned(), names.collect());
    for arm in arms {
        let place = format!("{ARMS}, {}", arm.name);
        flatten(
            &place,
            serde_json::to_value(arm).unwrap_or_default(),
            &mut all,
        );
    }
    all
}

/// Settings of a question that are stored otherwise than they are written: the option, the stored fields that it stands for,
/// and its value as it is written.
fn in_own_words(question: &Question) -> Vec<(&'static str, &'static [&'static str], String)> {
    match question {
        Question::Limit {
            target,
            loss,
            arrival,
        } => {
            let LatencyTarget { percentile, within } = target;
            let figure = match percentile {
                Some(percentile) => format!("p{percentile}"),
                None => "mean".to_owned(),
            };
            let arrival = format!("{arrival:?}").to_lowercase();
            vec![
                ("--slo", &["target"], format!("{figure}<{within}")),
                ("--loss", &["loss"], loss.to_string()),
                ("--arrivals", &["arrival"], arrival),
            ]
        }
        Question::Curve {
            arrival,
            percents: _,
        } => {
            let arrival = format!("{arrival:?}").to_lowercase();
            vec![("--arrivals", &["arrival"], arrival)]
        }
        Question::NearFar { groups } => groups_in_words(groups),
        Question::Screen { factors } => {
            let factors = factors.iter().map(factor).collect::<Vec<_>>().join(";");
            vec![("--factors", &["factors"], factors)]
        }
        Question::Combined { rated, free: _ } => {
            let Class {
                rate,
                // As they are stored.
                reads: _,
                random: _,
                place: _,
            } = rated;
            let rate = match *rate {
                Some(Rate::Iops(iops)) => format!("{} IOPS", leadline_results::words::rate(iops)),
                Some(Rate::Bytes(bytes)) => format!("{bytes} bytes/s"),
                None => "none".to_owned(),
            };
            vec![("rate of --rated", &["rated, rate"], rate)]
        }
        // As they are stored.
        Question::Latency
        | Question::Iops
        | Question::Throughput
        | Question::Mix
        | Question::Depth
        | Question::Size
        | Question::Burst { rest: _ }
        | Question::Cache { displace: _ }
        | Question::ScaleOut { counts: _ }
        | Question::Map { grid: _, refine: _ }
        | Question::Steady {
            metric: _,
            precondition: _,
        } => Vec::new(),
    }
}

/// Groups of hosts, and how far some of them are.
fn groups_in_words(groups: &[HostGroup]) -> Vec<(&'static str, &'static [&'static str], String)> {
    let hosts = |group: &HostGroup| {
        let HostGroup {
            name,
            hosts,
            // Below.
            distance: _,
            // Those of the hosts in the plan.
            numbers: _,
        } = group;
        format!("{name}={}", hosts.join(","))
    };
    let far = groups.iter().filter(|g| g.distance > Nanos::ZERO);
    let far = far.map(|g| format!("{}={}", g.name, g.distance));
    let distance = Some(far.collect::<Vec<_>>().join(" ")).filter(|d| !d.is_empty());
    let all = groups.iter().map(hosts);
    let none = || "none".to_owned();
    vec![
        ("--groups", &["groups"], all.collect::<Vec<_>>().join(" ")),
        ("--distance", &[], distance.unwrap_or_else(none)),
    ]
}

/// A count of bytes or nanoseconds, which coordinates hold as whole numbers from 0 on.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it was a whole number before"
)]
const fn whole(n: f64) -> u64 {
    n as u64
}

/// A factor as it is written.
fn factor(factor: &Factor) -> String {
    let Factor { axis, values } = factor;
    let value = |value: &Coordinate| match value {
        Coordinate::Number(n) if matches!(axis, Axis::Block | Axis::Dataset) => {
            Bytes(whole(*n)).to_string()
        }
        Coordinate::Number(n) if *axis == Axis::Think => Nanos(whole(*n)).to_string(),
        Coordinate::Number(n) if *axis == Axis::Direct => {
            ["no", "yes"][usize::from(*n > 0.0)].to_owned()
        }
        Coordinate::Number(n) => n.to_string(),
        Coordinate::Text(text) => text.clone(),
    };
    let [low, high] = values.each_ref().map(value);
    let name = match axis {
        Axis::Block => "bs",
        Axis::Reads => "rw",
        axis => axis.name(),
    };
    format!("{name}={low},{high}")
}

fn flatten(place: &str, value: Value, all: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(parts) => {
            for (key, part) in parts {
                flatten(&format!("{place}, {key}"), part, all);
            }
        }
        other => {
            all.insert(place.to_owned(), other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(words: &str) -> Study {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let no_file = |name: &str| Err(format!("no {name}"));
        leadline_study::parse(&words, &[], &no_file)
            .request
            .unwrap_or_else(|| panic!("{words:?}"))
            .study
    }

    #[test]
    fn settings_differ_in_the_words_of_their_options() {
        let cases = [
            (
                "limit sim:x --slo p99<20ms",
                "limit sim:x --slo mean<30ms --loss 1% --arrivals even",
                "  --arrivals: poisson there, even now\n  --loss: 0 there, 0.01 now\n  --slo: p99<20.0 ms there, mean<30.0 ms now",
            ),
            (
                "near-far sim:x --groups a=h,i b=k --distance b=1ms",
                "near-far sim:x --groups a=h b=k --distance b=2ms",
                "  --distance: b=1.00 ms there, b=2.00 ms now\n  --groups: a=h,i b=k there, a=h b=k now",
            ),
            (
                "screen sim:x --factors bs=4k,64k;jobs=1,8",
                "screen sim:x --factors bs=4k,32k;jobs=1,8",
                "  --factors: bs=4 KiB,64 KiB;jobs=1,8 there, bs=4 KiB,32 KiB;jobs=1,8 now",
            ),
            (
                "combined sim:x --free randread --rated randwrite:800",
                "combined sim:x --free randread --rated randwrite:100MB/s",
                "  rate of --rated: 800 IOPS there, 100000000 bytes/s now",
            ),
            (
                "curve sim:x --arrivals even",
                "curve sim:x --arrivals poisson",
                "  --arrivals: even there, poisson now",
            ),
        ];
        for (old, new, said) in cases {
            let found = difference(&study(old), &study(new));
            assert_eq!(found.as_deref(), Some(said), "{new}");
            assert_eq!(difference(&study(old), &study(old)), None, "{old}");
        }
    }
}
