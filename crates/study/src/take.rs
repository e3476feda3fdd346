//! Values that only one option has, put into the draft.
//!
//! Belongs here: a text to a value of several parts, or in words why not. Must never appear here: an option's name in help.

use crate::draft::Draft;
use crate::value;
use leadline_dialect::ranges;
use leadline_model::plan::study::{Axis, Class, Coordinate, Factor, HostGroup};
use leadline_model::units::Nanos;

pub(crate) fn number(text: &str, least: u32, most: u32) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        Ok(_) => Err(format!("'{text}' is not {least} to {most}")),
        Err(_) => Err(format!("'{text}' is not a whole number")),
    }
}

pub(crate) fn small(text: &str, most: u32) -> Result<Vec<u32>, String> {
    let list = value::numbers(text)?.into_iter();
    let one = |n: u64| match u32::try_from(n) {
        Ok(n) if n <= most => Ok(n),
        _ => Err(format!("{n} is above {most}")),
    };
    value::all(list.map(one))
}

/// A share from 0 to below 1, or the same in percent: `0.05`, `5%`.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = match text.trim().strip_suffix('%') {
        Some(percent) => percent
            .trim_end()
            .parse()
            .map(|percent: f64| percent / 100.0),
        None => text.trim().parse(),
    };
    match share {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => Err(format!(
            "'{text}' is not a share from 0 to below 1, such as 0.05 or 5%"
        )),
    }
}

pub(crate) fn kinds(draft: &mut Draft, text: &str) -> Result<(), String> {
    let mut reads = Vec::new();
    let mut order = None;
    value::all(text.split(',').map(|word| {
        let (shares, said) = match word.contains("..") {
            true => (value::shares(word)?, None),
            false => value::kind(word).map(|(share, said)| (vec![share], said))?,
        };
        if shares.iter().any(|share| reads.contains(share)) {
            return Err(format!("{} is there twice", word.trim()));
        }
        reads.extend(shares);
        order = order.or(said);
        Ok(())
    }))?;
    draft.reads = Some(reads);
    draft.kind_order = order;
    Ok(())
}

pub(crate) fn orders(draft: &mut Draft, text: &str) -> Result<(), String> {
    let one = |word: &str| match word.trim() {
        "random" => Ok(true),
        "sequential" => Ok(false),
        other => Err(format!("'{other}' is not random or sequential")),
    };
    let orders: Vec<bool> = value::all(text.split(',').map(one))?;
    if orders.len() > 2 || (orders.len() == 2 && orders[0] == orders[1]) {
        return Err("each order is given once".to_owned());
    }
    draft.random = Some(orders);
    Ok(())
}

pub(crate) fn groups(draft: &mut Draft, text: &str) -> Result<(), String> {
    let each = text.split_whitespace().map(|word| group(draft, word));
    value::all(each).map(|_| ())
}

fn group(draft: &mut Draft, word: &str) -> Result<(), String> {
    let (name, hosts) = word
        .split_once('=')
        .ok_or_else(|| format!("'{word}' is not a name, = and hosts: near=a,b"))?;
    let mut all: Vec<String> = Vec::new();
    for (_, item) in ranges::items(hosts) {
        all.extend(ranges::names(item)?);
    }
    let hosts = all;
    if name.is_empty() || hosts.iter().any(String::is_empty) {
        return Err(format!("'{word}' lacks a name or a host"));
    }
    if draft.groups.iter().any(|group| group.name == name) {
        return Err(format!("the group {name} exists already"));
    }
    let has = |group: &&HostGroup| group.hosts.iter().any(|host| hosts.contains(host));
    if let Some(other) = draft.groups.iter().find(has) {
        return Err(format!(
            "{name} and {} have a host in common: each host is in one group",
            other.name
        ));
    }
    draft.groups.push(HostGroup {
        name: name.to_owned(),
        hosts,
        numbers: Vec::new(),
        distance: Nanos::ZERO,
    });
    Ok(())
}

/// `far=500us`, of a group that was given.
pub(crate) fn distance(draft: &mut Draft, text: &str) -> Result<(), String> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    let each = words.map(|word| {
        let (name, time) = word
            .split_once('=')
            .ok_or_else(|| format!("'{word}' is not a group, = and a time: far=500us"))?;
        let time = leadline_dialect::quantity::time(time, 1_000_000_000)?;
        if time > Nanos::from_secs(3600) {
            return Err(format!("{name}: at most 60m"));
        }
        if draft.distances.iter().any(|(known, _)| known == name) {
            return Err(format!("{name} is given twice"));
        }
        draft.distances.push((name.to_owned(), time));
        Ok(())
    });
    value::all(each).map(|_| ())
}

pub(crate) fn class(text: &str, rated: bool) -> Result<Class, String> {
    let (kind, rate) = match text.split_once(':') {
        Some((kind, rate)) => (kind, Some(rate)),
        None => (text, None),
    };
    let (reads, order) = value::kind(kind)?;
    let rate = match (rated, rate) {
        (false, Some(_)) => return Err("this workload takes no rate".to_owned()),
        (true, None) => return Err("a rate is missing: randwrite:12800".to_owned()),
        (false, None) => None,
        (true, Some(rate)) => Some(value::rate(rate)?),
    };
    Ok(Class {
        reads,
        random: order.unwrap_or(false),
        rate,
        place: None,
    })
}

/// What can be a factor, in words.
const FACTORS: &str =
    "bs, jobs, depths, rw, order, files, direct, engine, theta, dataset, fsync and think";

pub(crate) fn factors(draft: &mut Draft, text: &str) -> Result<(), String> {
    let mut factors: Vec<Factor> = Vec::new();
    let words = text.split(';').map(str::trim).filter(|w| !w.is_empty());
    value::all(words.map(|word| {
        let (name, values) = word
            .split_once('=')
            .ok_or_else(|| format!("'{word}' is not a name, = and two values: bs=4k,64k"))?;
        let factor = factor(name.trim(), values)?;
        if factors.iter().any(|known| known.axis == factor.axis) {
            return Err(format!("{name} is given twice"));
        }
        factors.push(factor);
        Ok(())
    }))?;
    if !(2..=11).contains(&factors.len()) {
        return Err(format!(
            "a screening has 2 to 11 factors, not {}: of {FACTORS}",
            factors.len()
        ));
    }
    draft.factors = Some(factors);
    Ok(())
}

pub(crate) fn factor(name: &str, values: &str) -> Result<Factor, String> {
    let two: Vec<&str> = values.split(',').map(str::trim).collect();
    let [low, high] = two.as_slice() else {
        let there = two.len();
        return Err(format!("'{values}': {name} needs two values, not {there}"));
    };
    let count = |most: u32| move |text: &str| Ok(f64::from(number(text, 1, most)?));
    let of = |axis: Axis, one: &dyn Fn(&str) -> Result<f64, String>| {
        let values = [
            Coordinate::Number(one(low)?),
            Coordinate::Number(one(high)?),
        ];
        Ok::<_, String>(Factor { axis, values })
    };
    let text = |axis: Axis, one: fn(&str) -> Result<Coordinate, String>| {
        let values = [one(low)?, one(high)?];
        Ok::<_, String>(Factor { axis, values })
    };
    let factor = match name {
        "bs" => of(Axis::Block, &|text| Ok(value::bytes(text)? as f64))?,
        "jobs" => of(Axis::Jobs, &count(4_096))?,
        "depths" | "depth" => of(Axis::Depth, &count(32_768))?,
        "files" => of(Axis::Files, &count(100_000))?,
        "rw" => of(Axis::Reads, &|text| Ok(f64::from(value::kind(text)?.0)))?,
        "order" => text(Axis::Order, order)?,
        "direct" => text(Axis::Direct, direct)?,
        "engine" => text(Axis::Engine, engine)?,
        "theta" => of(Axis::Skew, &theta)?,
        "dataset" => of(Axis::Dataset, &|text| Ok(value::bytes(text)? as f64))?,
        "fsync" => of(Axis::Flush, &|text| {
            Ok(f64::from(number(text, 0, 1_000_000)?))
        })?,
        "think" => of(Axis::Think, &pause)?,
        other => return Err(format!("'{other}' is not a factor; {FACTORS} are")),
    };
    match factor.values[0] == factor.values[1] {
        true => Err(format!("the two values of {name} are the same")),
        false => Ok(factor),
    }
}

pub(crate) fn order(text: &str) -> Result<Coordinate, String> {
    match text {
        "random" | "sequential" => Ok(Coordinate::Text(text.to_owned())),
        other => Err(format!("'{other}' is not random or sequential")),
    }
}

/// Whether the client's page cache is bypassed.
fn direct(text: &str) -> Result<Coordinate, String> {
    match text {
        "yes" => Ok(Coordinate::Number(1.0)),
        "no" => Ok(Coordinate::Number(0.0)),
        other => Err(format!("'{other}' is not yes or no")),
    }
}

fn engine(text: &str) -> Result<Coordinate, String> {
    value::engine(text).map(|engine| Coordinate::Text(engine.name().to_owned()))
}

/// Zipf's exponent; 0 = all blocks are alike.
fn theta(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(theta) if (0.0..=5.0).contains(&theta) && (theta - 1.0).abs() > 1e-9 => Ok(theta),
        _ => Err(format!(
            "'{text}' is no exponent: 0 (all blocks alike) to 5, but 1 itself is not possible"
        )),
    }
}

/// A pause in nanoseconds; 0 = none.
fn pause(text: &str) -> Result<f64, String> {
    let pause = leadline_dialect::quantity::time(text, 1_000_000_000)?;
    Ok(pause.0 as f64)
}
