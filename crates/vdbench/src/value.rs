//! Values by kind: text to what it says, or why it says nothing.
//!
//! Belongs here: the grammar of each kind of value. Must never appear here: which keyword takes which
//! kind (see `table`), and what follows from it (see `lower`).

use crate::fault::{Fault, fault};
use crate::lex::{Dash, Item, Value, word};
pub(crate) use crate::list::{areas, names, numbers, sizes};
use crate::number::{Number, Unit, number, whole};
use serde::{Deserialize, Serialize};

/// Sizes of a workload's I/Os.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Transfer {
    One(u64),
    /// (size, percent), in all 100 percent.
    Shares(Vec<(u64, f64)>),
    /// Multiples of `step` from `min` to `max`.
    Steps {
        min: u64,
        max: u64,
        step: u64,
    },
}

impl Default for Transfer {
    fn default() -> Self {
        Self::One(4096)
    }
}

/// Order of a workload's I/Os.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Seek {
    #[default]
    Random,
    Sequential,
    /// This many percent jump, above 0 and below 100.
    Partly(f64),
    /// Sequential from a random place.
    FromAnywhere,
    /// Sequential, once.
    ToEnd,
    /// Random, dense at the low end.
    LowEnd(f64),
}

impl Seek {
    /// Whether no I/O jumps: one host alone then does the work.
    pub(crate) fn is_sequential(self) -> bool {
        matches!(self, Self::Sequential | Self::FromAnywhere | Self::ToEnd)
    }

    /// A share of random I/Os in percent as a run's list has it; a negative one is eof.
    pub(crate) fn of(n: Number) -> Self {
        match n.value {
            _ if n.percent => Self::ToEnd,
            v if v <= 0.0 => Self::Sequential,
            v if v >= 100.0 => Self::Random,
            v => Self::Partly(v),
        }
    }
}

/// How fast.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RateSpec {
    Max,
    Curve,
    List(Vec<Number>),
}

/// A part of a storage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extent {
    Percent(f64, f64),
    Bytes(u64, u64),
}

/// How a file is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) direct: bool,
    pub(crate) sync: bool,
    pub(crate) dsync: bool,
    pub(crate) fsync: bool,
    /// Words that mean nothing on Linux.
    pub(crate) unknown: Vec<String>,
}

/// A command and where its output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandSpec {
    pub(crate) commands: Vec<String>,
    pub(crate) output: &'static str,
    pub(crate) far: bool,
    pub(crate) abort: bool,
}

/// How often all is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepeatSpec {
    Times(u64),
    Seconds(u64),
}

/// The only item of a value.
pub(crate) fn only(value: &Value) -> Result<&str, Fault> {
    match value.items.as_slice() {
        [item] if item.dash == Dash::None => Ok(item.text.as_str()),
        [item] => fault(
            item.text.whole(),
            "a `-` in parentheses is a range: put the text in quotes",
        ),
        _ => fault(value.span, "one value is expected, not a list"),
    }
}

/// The text of the only item.
pub(crate) fn text(value: &Value) -> Result<String, Fault> {
    only(value).map(str::to_owned)
}

/// One number.
pub(crate) fn single(value: &Value, unit: Unit) -> Result<Number, Fault> {
    let text = only(value)?;
    match number(text, unit) {
        Some(n) => Ok(n),
        None => fault(value.span, format!("`{text}` is not a number")),
    }
}

fn plain(value: &Value, unit: Unit) -> Result<f64, Fault> {
    match single(value, unit)? {
        n if n.percent => fault(value.span, "neither a percentage nor negative"),
        n => Ok(n.value),
    }
}

/// A whole number, at least 1.
pub(crate) fn count(value: &Value) -> Result<u64, Fault> {
    match plain(value, Unit::Binary)? {
        n if n >= 1.0 => Ok(whole(n)),
        _ => fault(value.span, "at least 1"),
    }
}

/// A number of bytes, or 0 = as if it were not given; `(bytes,n)` is the n-th part of them.
pub(crate) fn bytes(value: &Value) -> Result<Option<u64>, Fault> {
    let bytes = if let [size, parts] = value.items.as_slice() {
        let read = |item: &Item| {
            let one = Value {
                items: vec![item.clone()],
                ..value.clone()
            };
            plain(&one, Unit::Binary).map(whole)
        };
        match read(parts)? {
            0 => return fault(parts.text.whole(), "a size has at least one part"),
            parts => read(size)? / parts,
        }
    } else {
        whole(plain(value, Unit::Binary)?)
    };
    Ok((bytes > 0).then_some(bytes))
}

/// A number, 0 or above.
pub(crate) fn limit(value: &Value) -> Result<f64, Fault> {
    plain(value, Unit::Binary)
}

/// A number of streams, and the size of each: 0 = an equal part.
pub(crate) fn streams(value: &Value) -> Result<(u64, Option<u64>), Fault> {
    let all = numbers(value)?;
    let (Some(many), true) = (all.first(), all.len() <= 2) else {
        return fault(value.span, "a number of streams, and the size of one");
    };
    if whole(many.value) < 2 || all.iter().any(|n| n.percent) {
        return fault(value.span, "at least 2 streams");
    }
    let size = all.get(1).map(|n| whole(n.value)).filter(|n| *n > 0);
    Ok((whole(many.value), size))
}

/// A number of bytes, a multiple of 512.
pub(crate) fn blocks(value: &Value) -> Result<u64, Fault> {
    match whole(plain(value, Unit::Binary)?) {
        n if n.is_multiple_of(512) => Ok(n),
        n => fault(value.span, format!("{n} is not a multiple of 512")),
    }
}

/// A number above 0.
pub(crate) fn ratio(value: &Value) -> Result<f64, Fault> {
    match plain(value, Unit::Binary)? {
        n if n > 0.0 => Ok(n),
        _ => fault(value.span, "above 0"),
    }
}

/// Whole seconds.
pub(crate) fn time(value: &Value) -> Result<u64, Fault> {
    Ok(whole(plain(value, Unit::Time)?))
}

/// One of these words.
pub(crate) fn choice(value: &Value, words: &[&'static str]) -> Result<&'static str, Fault> {
    let text = only(value)?;
    word(text, words).map_or_else(
        || {
            fault(
                value.span,
                format!("`{text}` is not one of: {}", words.join(", ")),
            )
        },
        Ok,
    )
}

/// One size, shares of sizes, or sizes in steps.
pub(crate) fn transfer(value: &Value) -> Result<Transfer, Fault> {
    let all = numbers(value)?;
    let sizes: Vec<f64> = all.iter().map(|n| n.value).collect();
    let multiple = |n: f64| whole(n) > 0 && whole(n).is_multiple_of(512);
    match sizes.as_slice() {
        [one] if *one >= 1.0 => Ok(Transfer::One(whole(*one))),
        [min, max, step] => {
            let (min, max, step) = (whole(*min), whole(*max), whole(*step));
            let right = [min, max, step].iter().all(|n| *n > 0 && n % 512 == 0);
            if right && min <= max && min % step == 0 {
                Ok(Transfer::Steps { min, max, step })
            } else {
                fault(
                    value.span,
                    "(smallest,largest,step) must be multiples of 512, and the smallest a \
                     multiple of the step",
                )
            }
        }
        [] | [_] => fault(value.span, "a size must be at least 1"),
        many if many.len() % 2 == 0 => {
            let shares: Vec<(u64, f64)> = many
                .chunks(2)
                .map(|pair| (whole(pair[0]), pair[1]))
                .collect();
            let sum: f64 = shares.iter().map(|s| s.1).sum();
            // Vdbench takes what is 100 when rounded.
            if !(99.5..100.5).contains(&sum) {
                return fault(
                    value.span,
                    format!("the shares add up to {sum}, not to 100"),
                );
            }
            if many.chunks(2).any(|pair| !multiple(pair[0])) {
                return fault(
                    value.span,
                    "each of several sizes must be a multiple of 512",
                );
            }
            Ok(Transfer::Shares(shares))
        }
        _ => fault(value.span, "each size needs its share in percent"),
    }
}

/// Order of I/Os.
pub(crate) fn seek(value: &Value) -> Result<Seek, Fault> {
    let text = value.first();
    if let Some(n) = number(text, Unit::Binary).filter(|_| value.items.len() == 1) {
        return Ok(Seek::of(n));
    }
    match (seek_word(text), value.items.as_slice()) {
        (Some("random"), [_]) => Ok(Seek::Random),
        (Some("seq"), [_]) => Ok(Seek::Sequential),
        (Some("seqnz"), [_]) => Ok(Seek::FromAnywhere),
        (Some("eof"), [_]) => Ok(Seek::ToEnd),
        (Some("poisson"), [_]) => Ok(Seek::LowEnd(3.0)),
        (Some("poisson"), [_, n]) => match number(n.text.as_str(), Unit::Binary) {
            Some(n) if n.value > 0.0 && !n.percent => Ok(Seek::LowEnd(n.value)),
            _ => fault(n.text.whole(), "poisson is followed by a number above 0"),
        },
        _ => fault(value.span, format!("`{text}` is not an order of I/Os")),
    }
}

/// The order that a word means. Vdbench cuts only two of them short, and knows them in small letters.
fn seek_word(text: &str) -> Option<&'static str> {
    match text {
        _ if text.eq_ignore_ascii_case("eof") => Some("eof"),
        "" => None,
        "seqnz" => Some("seqnz"),
        _ if text.starts_with("seq") => Some("seq"),
        _ if "random".starts_with(text) => Some("random"),
        _ if "poisson".starts_with(text) => Some("poisson"),
        _ => None,
    }
}

/// Rates.
pub(crate) fn rate(value: &Value) -> Result<RateSpec, Fault> {
    // `max` among numbers is a rate without an end.
    let is_max = |item: &Item| item.text.as_str().eq_ignore_ascii_case("max");
    match value.items.as_slice() {
        [item] if is_max(item) => return Ok(RateSpec::Max),
        [first, ..] if first.text.as_str() == "curve" => return Ok(RateSpec::Curve),
        _ => {}
    }
    let mut list = Vec::new();
    for items in value.items.chunk_by(|a, b| !is_max(a) && !is_max(b)) {
        if is_max(&items[0]) {
            list.push(Number {
                value: f64::INFINITY,
                percent: false,
            });
            continue;
        }
        list.extend(numbers(&Value {
            items: items.to_vec(),
            ..value.clone()
        })?);
    }
    if list.iter().any(|n| n.value <= 0.0) {
        return fault(value.span, "a rate must be above 0");
    }
    Ok(RateSpec::List(list))
}

fn two(value: &Value) -> Result<(f64, f64), Fault> {
    let [a, b] = value.items.as_slice() else {
        return fault(value.span, "two numbers in parentheses");
    };
    let read = |item: &Item| match number(item.text.as_str(), Unit::Binary) {
        Some(n) if !n.percent && item.dash == Dash::None => Ok(n.value),
        _ => fault(item.text.whole(), "not a number"),
    };
    Ok((read(a)?, read(b)?))
}

/// A part: up to 200 in percent, else in bytes.
pub(crate) fn extent(value: &Value) -> Result<Extent, Fault> {
    match two(value)? {
        (a, b) if a >= b => fault(value.span, "the first must be below the second"),
        (a, b) if b <= 200.0 => Ok(Extent::Percent(a, b)),
        (a, b) => Ok(Extent::Bytes(whole(a), whole(b))),
    }
}

/// Two whole numbers.
pub(crate) fn pair(value: &Value) -> Result<(u64, u64), Fault> {
    let (a, b) = two(value)?;
    Ok((whole(a), whole(b)))
}

/// Flags for opening.
pub(crate) fn flags(value: &Value) -> Result<Flags, Fault> {
    let mut flags = Flags::default();
    for item in &value.items {
        let text = item.text.as_str().to_ascii_lowercase();
        match text.as_str() {
            "o_direct" | "directio" => flags.direct = true,
            "o_sync" | "o_dsync" | "o_rsync" => flags.dsync = true,
            "fsync" => flags.fsync = true,
            _ => match text
                .strip_prefix("0x")
                .map(|hex| u64::from_str_radix(hex, 16))
            {
                Some(Ok(bits)) if bits & !0x10_5000 == 0 => {
                    flags.direct |= bits & 0x4000 != 0;
                    flags.dsync |= bits & 0x1000 != 0;
                    flags.sync |= bits & 0x10_0000 != 0;
                }
                Some(_) => {
                    let text =
                        "only 0x4000 (O_DIRECT), 0x1000 (O_DSYNC) and 0x101000 (O_SYNC) are known";
                    return fault(item.text.whole(), text);
                }
                None => flags.unknown.push(item.text.as_str().to_owned()),
            },
        }
    }
    Ok(flags)
}

/// How I/Os spread in time, and whether the rate varies.
pub(crate) fn distribution(value: &Value) -> Result<(&'static str, bool), Fault> {
    const WORDS: [&str; 5] = [
        "exponential",
        "uniform",
        "deterministic",
        "variable",
        "spike",
    ];
    let mut distribution = "exponential";
    let mut variable = false;
    for item in &value.items {
        match word(item.text.as_str(), &WORDS) {
            Some("variable") => variable = true,
            Some(found) => distribution = found,
            None => {
                let text = format!("`{}` is not a distribution", item.text.as_str());
                return fault(item.text.whole(), text);
            }
        }
    }
    Ok((distribution, variable))
}

/// What failed I/Os lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ErrorSpec {
    /// This many of them end everything.
    pub(crate) limit: u64,
    /// This many seconds after the first one everything ends.
    pub(crate) seconds: Option<u64>,
    /// What runs at the first one, which then ends everything.
    pub(crate) command: Option<String>,
    /// The storage of the first one is left out from then on; nothing ends.
    pub(crate) remove: bool,
}

impl Default for ErrorSpec {
    fn default() -> Self {
        Self {
            limit: 50,
            seconds: None,
            command: None,
            remove: false,
        }
    }
}

/// How many errors end everything: `n`, `(n,seconds)`, or a command for the first one.
pub(crate) fn errors(value: &Value) -> Result<ErrorSpec, Fault> {
    let count = |text: &str| {
        let found = number(text, Unit::Binary).filter(|n| !n.percent);
        found.map(|n| whole(n.value).max(1))
    };
    let texts: Vec<&str> = value.items.iter().map(|i| i.text.as_str()).collect();
    let spec = ErrorSpec::default();
    match texts.as_slice() {
        ["remove" | "remove_device"] => Ok(ErrorSpec {
            limit: u64::MAX,
            remove: true,
            ..spec
        }),
        [one] => Ok(match count(one) {
            Some(limit) => ErrorSpec { limit, ..spec },
            None => ErrorSpec {
                limit: 1,
                command: Some((*one).to_owned()),
                ..spec
            },
        }),
        [one, two] => match (count(one), number(two, Unit::Time)) {
            (Some(limit), Some(n)) if !n.percent => Ok(ErrorSpec {
                limit,
                seconds: Some(whole(n.value)),
                ..spec
            }),
            _ => fault(
                value.span,
                "a number of errors and a number of seconds, or one command",
            ),
        },
        _ => fault(
            value.span,
            "a number of errors, `(errors,seconds)`, or one command",
        ),
    }
}

/// Bounds of a histogram in microseconds, and whether empty rows are left out.
pub(crate) fn bounds(value: &Value) -> Result<(Vec<u64>, bool), Fault> {
    let mut bounds = Vec::new();
    let mut suppress = false;
    for item in &value.items {
        let text = item.text.as_str();
        match (
            word(text, &["default", "suppress"]),
            number(text, Unit::Micros),
        ) {
            (Some("suppress"), _) => suppress = true,
            (Some(_), _) => {}
            (None, Some(n)) if !n.percent => bounds.push(whole(n.value)),
            _ => return fault(item.text.whole(), format!("`{text}` is not a time")),
        }
    }
    if bounds.len() > 64 || !bounds.is_sorted_by(|a, b| a < b) {
        return fault(
            value.span,
            "at most 64 bounds, each larger than the one before",
        );
    }
    Ok((bounds, suppress))
}

/// A command.
pub(crate) fn command(value: &Value) -> Result<CommandSpec, Fault> {
    let mut spec = CommandSpec {
        commands: Vec::new(),
        output: "cons",
        far: false,
        abort: false,
    };
    for item in &value.items {
        match item.text.as_str() {
            "cons" => spec.output = "cons",
            "sum" => spec.output = "sum",
            "log" => spec.output = "log",
            "master" => spec.far = false,
            "slave" => spec.far = true,
            "abort" => spec.abort = true,
            text => spec.commands.push(text.to_owned()),
        }
    }
    if spec.commands.is_empty() {
        return fault(value.span, "the command is missing");
    }
    Ok(spec)
}

/// Pages of results.
pub(crate) fn pages(value: &Value) -> Result<Vec<&'static str>, Fault> {
    const WORDS: [&str; 4] = [
        "host_detail",
        "slave_detail",
        "no_sd_detail",
        "no_fsd_detail",
    ];
    let page = |item: &Item| {
        word(item.text.as_str(), &WORDS).map_or_else(
            || {
                fault(
                    item.text.whole(),
                    format!("`{}` is not a page", item.text.as_str()),
                )
            },
            Ok,
        )
    };
    value.items.iter().map(page).collect()
}

/// How often all is repeated.
pub(crate) fn repeat(value: &Value) -> Result<RepeatSpec, Fault> {
    let text = only(value)?;
    let timed = text.ends_with(|c: char| c.is_ascii_alphabetic());
    match number(text, Unit::Time) {
        Some(n) if !n.percent && n.value >= 1.0 && timed => Ok(RepeatSpec::Seconds(whole(n.value))),
        Some(n) if !n.percent && n.value >= 1.0 => Ok(RepeatSpec::Times(whole(n.value))),
        _ => fault(value.span, "a number of rounds, or a time such as 30m"),
    }
}
