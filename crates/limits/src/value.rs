//! Values: rates, sizes, times, shares, sets of disks, measured figures.
//!
//! Belongs here: a text to a value, or in words why not. Must never appear here: which rows there are.

use crate::row::{GIB, MIB};

/// A rate, in one of two measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Bytes per second.
    Bytes(f64),
    /// I/Os per second.
    Iops(f64),
}

/// What the host does with a disk's data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// Nothing.
    #[default]
    None,
    /// Keeps what was read.
    Reads,
    /// Keeps what was read and what is to be written.
    ReadsAndWrites,
}

/// Disks of a kind, of each machine.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskSet {
    /// How many, from 1.
    pub count: u32,
    /// The name of the kind.
    pub name: String,
    /// What the host keeps.
    pub cache: Cache,
    /// Bytes of each, where said.
    pub bytes: Option<f64>,
    /// IOPS that are set for each.
    pub iops: Option<f64>,
    /// Bytes per second that are set for each.
    pub rate: Option<f64>,
}

impl DiskSet {
    /// GiB of each, where said.
    pub(crate) fn gib(&self) -> Option<f64> {
        self.bytes.map(|bytes| bytes / GIB)
    }
}

/// Which I/O of a measured figure, or of a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// All.
    #[default]
    All,
    /// Reads.
    Reads,
    /// Writes.
    Writes,
}

/// Which way to disks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Path {
    /// Any, or no disk of the machine's.
    #[default]
    Any,
    /// Past the host's cache.
    Uncached,
    /// Through the host's cache.
    Cached,
}

/// A figure that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Which I/O.
    pub class: Class,
    /// Which way.
    pub path: Path,
    /// In bytes per second, in IOPS, or both.
    pub bytes: Option<f64>,
    /// I/Os per second.
    pub iops: Option<f64>,
    /// IOPS that its generator was held to.
    pub own: Option<f64>,
}

/// The number at the start of a text and the unit after it, in lower case. Bits, which are written with a small b, are
/// `bit`.
fn split(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/');
    let unit = &text[digits.len()..];
    let of_bits = |unit: &str| matches!(unit, "kb" | "Mb" | "Gb" | "Kb");
    let unit = match unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps")) {
        Some(bits) if of_bits(bits) => format!("{}it/s", bits.to_ascii_lowercase()),
        _ => unit.to_ascii_lowercase(),
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let number: f64 = digits.parse().ok().filter(|_| plain)?;
    // Far beyond any set-up on both sides, and far within what a number can hold.
    (1e-9..=1e15).contains(&number).then_some((number, unit))
}

/// `2000MiB/s`, `192MB/s`, `78.3k` (IOPS).
pub(crate) fn rate(text: &str) -> Result<Rate, String> {
    let wrong = || format!("'{text}' is not a rate, such as 2000MiB/s, 192MB/s or 12800 (IOPS)");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let unit = unit.strip_suffix("/s").unwrap_or(&unit);
    Ok(match unit {
        "" | "iops" => Rate::Iops(number),
        "k" | "kiops" => Rate::Iops(number * 1e3),
        "kib" => Rate::Bytes(number * 1024.0),
        "mib" => Rate::Bytes(number * MIB),
        "gib" => Rate::Bytes(number * GIB),
        "kb" => Rate::Bytes(number * 1e3),
        "mb" => Rate::Bytes(number * 1e6),
        "gb" => Rate::Bytes(number * 1e9),
        "kbit" => Rate::Bytes(number * 1e3 / 8.0),
        "mbit" => Rate::Bytes(number * 1e6 / 8.0),
        "gbit" => Rate::Bytes(number * 1e9 / 8.0),
        _ => return Err(wrong()),
    })
}

/// The same, of bytes only: bytes per second.
pub(crate) fn throughput(text: &str) -> Result<f64, String> {
    match rate(text)? {
        Rate::Bytes(bytes) => Ok(bytes),
        Rate::Iops(_) => Err(format!(
            "'{text}' has no unit of throughput, such as 2000MiB/s"
        )),
    }
}

/// `70.31TiB`, `100GiB`, `10t`: bytes. `TB` is refused: providers that write it mean TiB, standards 10^12, and of a quota
/// that is a tenth.
pub(crate) fn size(text: &str) -> Result<f64, String> {
    let wrong = || format!("'{text}' is not a size, such as 100GiB or 70.31TiB");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let power = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" if !unit.contains('i') => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return Err(wrong()),
    };
    let binary = 1024_f64.powi(power);
    match unit.as_bytes() {
        [_, b'b'] => {
            let prefix = unit.trim_end_matches('b').to_ascii_uppercase();
            let decimal = number * 1000_f64.powi(power) / binary;
            let decimal = format!("{decimal:.4}");
            let decimal = decimal.trim_end_matches('0').trim_end_matches('.');
            Err(format!(
                "'{text}' may mean {number}{prefix}iB or 10^{} bytes ({decimal}{prefix}iB): write it with iB",
                power * 3
            ))
        }
        [_] | [] | [_, b'i', b'b'] => Ok(number * binary),
        _ => Err(wrong()),
    }
}

/// `1.14ms`, `500us`: seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || format!("'{text}' is not a time with its unit, such as 1.14ms or 500us");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    // One division rounds once: 1.14 ms are the number of seconds that is nearest to them.
    match unit.as_str() {
        "ns" => Ok(number / 1e9),
        "us" => Ok(number / 1e6),
        "ms" => Ok(number / 1e3),
        "s" => Ok(number),
        _ => Err(wrong()),
    }
}

/// `70` or `70%`: a share of 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let digits = text.trim().trim_end_matches('%');
    match digits.parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err(format!("'{text}' is not a share of 0 to 100 percent")),
    }
}

/// A whole number from 1.
pub(crate) fn count(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(number) if (1..=1_000_000).contains(&number) => Ok(number),
        _ => Err(format!(
            "'{text}' is not a whole number from 1 to 1,000,000"
        )),
    }
}

/// `D8s_v3`, `Standard_D8s_v3:12`: a size of machine and how many there are.
pub(crate) fn machine(text: &str) -> Result<(String, u32), String> {
    let (name, number) = match text.rsplit_once(':') {
        Some((name, number)) => (name, count(number)?),
        None => (text, 1),
    };
    let name = name.trim();
    let name = name.strip_prefix("Standard_").unwrap_or(name);
    if name.is_empty() {
        return Err("a machine needs a name".to_owned());
    }
    Ok((name.to_owned(), number))
}

/// Adds `3xP30:none,P30:ro` to disks: how many, of which kind, and what is set for it, each once. Those that are right are
/// added where others are wrong, so that all that is wrong is said.
pub(crate) fn disks(known: &mut Vec<DiskSet>, text: &str) -> Result<(), String> {
    let mut wrong = Vec::new();
    for one in text.split(',') {
        match disk(one.trim()) {
            Ok(set) => add(known, vec![set]),
            Err(why) => wrong.push(why),
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("; ")),
    }
}

/// Adds disks to others; those that are alike are one set, as `3xP30` is.
pub(crate) fn add(disks: &mut Vec<DiskSet>, more: Vec<DiskSet>) {
    for set in more {
        let alike = |known: &&mut DiskSet| {
            let count = known.count;
            **known
                == DiskSet {
                    count,
                    ..set.clone()
                }
        };
        match disks.iter_mut().find(alike) {
            Some(known) => known.count = known.count.saturating_add(set.count),
            None => disks.push(set),
        }
    }
}

fn disk(text: &str) -> Result<DiskSet, String> {
    let mut parts = text.split(':');
    let first = parts.next().unwrap_or("");
    let (count, name) = match first.split_once('x') {
        Some((number, name))
            if number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty() =>
        {
            (self::count(number)?, name)
        }
        _ => (1, first),
    };
    if name.is_empty() {
        return Err(format!("'{text}' does not name a disk"));
    }
    let mut set = DiskSet {
        count,
        name: name.to_owned(),
        cache: Cache::None,
        bytes: None,
        iops: None,
        rate: None,
    };
    let mut cached = false;
    for part in parts {
        let again = match part {
            "none" | "ro" | "rw" => {
                set.cache = match part {
                    "none" => Cache::None,
                    "ro" => Cache::Reads,
                    _ => Cache::ReadsAndWrites,
                };
                std::mem::replace(&mut cached, true)
            }
            _ => set_of(&mut set, part)?,
        };
        if again {
            return Err(format!(
                "'{text}' has a second value of the same kind, '{part}'; a disk has one"
            ));
        }
    }
    Ok(set)
}

/// A size, IOPS or throughput of a disk; whether it had one before.
fn set_of(set: &mut DiskSet, part: &str) -> Result<bool, String> {
    let lower = part.to_ascii_lowercase();
    if lower.ends_with("/s") {
        return Ok(set.rate.replace(throughput(part)?).is_some());
    }
    if lower.ends_with("iops") {
        let Rate::Iops(iops) = rate(part)? else {
            return Err(format!("'{part}' is not a number of IOPS"));
        };
        return Ok(set.iops.replace(iops).is_some());
    }
    let bytes = size(part).map_err(|_| {
        format!("'{part}' is not none, ro or rw (the host's cache), a size (100GiB), 6000iops or 250MiB/s")
    })?;
    Ok(set.bytes.replace(bytes).is_some())
}

/// `4500MiB/s`, `read:cached:78300,write:uncached:12600@12800`: what was measured, each class and way of its own, and
/// after `@` the IOPS that its generator was held to.
pub(crate) fn figures(text: &str) -> Result<Vec<Figure>, String> {
    text.split(',').map(|one| figure(one.trim())).collect()
}

fn figure(text: &str) -> Result<Figure, String> {
    let mut figure = Figure {
        class: Class::All,
        path: Path::Any,
        bytes: None,
        iops: None,
        own: None,
    };
    let (words, value) = match text.rsplit_once(':') {
        Some((words, value)) => (words, value),
        None => ("", text),
    };
    for word in words.split(':').filter(|word| !word.is_empty()) {
        match word {
            "read" | "reads" => figure.class = Class::Reads,
            "write" | "writes" => figure.class = Class::Writes,
            "cached" => figure.path = Path::Cached,
            "uncached" => figure.path = Path::Uncached,
            _ => return Err(format!("'{word}' is not read, write, cached or uncached")),
        }
    }
    let (value, own) = match value.split_once('@') {
        Some((value, own)) => (value, Some(own)),
        None => (value, None),
    };
    match rate(value)? {
        Rate::Bytes(bytes) => figure.bytes = Some(bytes),
        Rate::Iops(iops) => figure.iops = Some(iops),
    }
    if let Some(own) = own {
        match rate(own)? {
            Rate::Iops(iops) => figure.own = Some(iops),
            Rate::Bytes(_) => return Err(format!("'{own}' after @ is a number of IOPS")),
        }
    }
    Ok(figure)
}
