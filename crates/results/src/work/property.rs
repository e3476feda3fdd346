//! What a result was measured with: the work that was asked for, and what it was asked of.
//!
//! Belongs here: the properties that are known, their order, and which must be equal. Must never: compare figures.

use super::values;
use leadline_model::units::{Bytes, Nanos, Percent, whole};
use std::collections::BTreeMap;
use std::fmt;

/// A property that a result depends on, in the order in which differences are named: the work first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// Share of reads; text (`trim`) where it is neither reads nor writes.
    Mix,
    /// Bytes of an I/O; text where there are several.
    BlockSize,
    /// `random`, `sequential` or another order of offsets.
    Order,
    /// Bytes of the target that one worker uses.
    Size,
    /// What is written, or what the files hold.
    Fill,
    /// Whether the client's page cache is bypassed: a flag.
    Direct,
    /// Most I/Os in flight of each worker: a count.
    Depth,
    /// Workers of a host: a count.
    Jobs,
    /// Hosts that do the same: a count.
    HostCount,
    /// The requested rate; absent = unthrottled.
    Rate,
    /// How the starts of a requested rate are distributed in time; absent = no rate.
    Arrivals,
    /// How often data is flushed: text; absent = never.
    Sync,
    /// Pauses between I/Os.
    Think,
    /// Back end (`io_uring`).
    Engine,
    /// All other settings of the plan, by name.
    Options,
    /// Length of the measured time of a row.
    RunTime,
    /// Size of a cloud's machine, as its provider writes it.
    Machine,
    /// Release of the kernel.
    Kernel,
    /// Name and version of the operating system.
    System,
    /// Settings of the operating system that change storage results, by name.
    Settings,
    /// Model of the processors.
    Cpu,
    /// Number of processors.
    CpuCount,
    /// Memory of a host: bytes.
    Memory,
    /// Kind and options of the file system of the target.
    Mount,
    /// Kind and model of the block device.
    Device,
    /// Paths of the targets.
    Target,
    /// Names of the hosts.
    Hosts,
    /// The program that measured it, with its version.
    Tool,
}

impl Property {
    /// All of them, in their order.
    pub const ALL: [Self; 28] = [
        Self::Mix,
        Self::BlockSize,
        Self::Order,
        Self::Size,
        Self::Fill,
        Self::Direct,
        Self::Depth,
        Self::Jobs,
        Self::HostCount,
        Self::Rate,
        Self::Arrivals,
        Self::Sync,
        Self::Think,
        Self::Engine,
        Self::Options,
        Self::RunTime,
        Self::Machine,
        Self::Kernel,
        Self::System,
        Self::Settings,
        Self::Cpu,
        Self::CpuCount,
        Self::Memory,
        Self::Mount,
        Self::Device,
        Self::Target,
        Self::Hosts,
        Self::Tool,
    ];

    /// Its name, as users write and read it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mix => "mix",
            Self::BlockSize => "bs",
            Self::Order => "order",
            Self::Size => "size",
            Self::Fill => "fill",
            Self::Direct => "direct",
            Self::Depth => "depth",
            Self::Jobs => "jobs",
            Self::HostCount => "host-count",
            Self::Rate => "rate",
            Self::Arrivals => "arrivals",
            Self::Sync => "sync",
            Self::Think => "think",
            Self::Engine => "engine",
            Self::Options => "options",
            Self::RunTime => "run-time",
            Self::Machine => "machine-size",
            Self::Kernel => "kernel",
            Self::System => "system",
            Self::Settings => "settings",
            Self::Cpu => "cpu",
            Self::CpuCount => "cpu-count",
            Self::Memory => "memory",
            Self::Mount => "mount",
            Self::Device => "device",
            Self::Target => "target",
            Self::Hosts => "hosts",
            Self::Tool => "tool",
        }
    }

    /// Its name for display.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Mix => "share of reads",
            Self::BlockSize => "block size",
            Self::Size => "bytes of each worker",
            Self::Fill => "written data",
            Self::Direct => "past the page cache (O_DIRECT)",
            Self::HostCount => "hosts at once",
            Self::RunTime => "measured time",
            Self::Options => "other options of the plan",
            Self::Machine => "machine size",
            Self::Cpu => "processor",
            Self::CpuCount => "processors",
            Self::Kernel => "kernel",
            Self::System => "operating system",
            Self::Settings => "system settings",
            other => other.name(),
        }
    }

    /// Whether figures with different values are not of the same work, and so not comparable. The others are what is
    /// often compared: a difference is a note.
    #[must_use]
    pub fn must_be_equal(self) -> bool {
        self <= Self::Think
    }
}

/// A value of a property. Its `Display` is the text that people read, with its unit.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// Words.
    Text(String),
    /// A number of things.
    Count(u64),
    /// A size.
    Bytes(Bytes),
    /// A share of reads.
    Percent(Percent),
    /// A measured share of reads, not a requested one: percent, and its uncertainty.
    PercentAbout(f64, f64),
    /// A measured mean size: of one size or of several.
    BytesAbout(f64),
    /// These words, and perhaps more that the source does not say.
    AtLeast(String),
    /// Several sizes: the least, the largest, and in words how often each is; `None` = that is not known.
    Sizes(Bytes, Bytes, Option<String>),
    /// A time.
    Nanos(Nanos),
    /// I/Os a second.
    Iops(f64),
    /// Bytes a second.
    BytesPerS(f64),
    /// Yes or no.
    Flag(bool),
    /// Of each operation its own.
    Each(Vec<(&'static str, Self)>),
    /// Several things, each by its name.
    Named(BTreeMap<String, String>),
    /// A simulated volume: its law, as it was written, in one line.
    Law(String),
    /// Whether it applies is not said: it is no difference to anything.
    Unknown,
}

impl PropertyValue {
    /// Adds that of another that does its part of the same: jobs and rates. False where this property of both has no
    /// sum.
    pub(crate) fn add(&mut self, of: Property, other: &Self) -> bool {
        match (of, self, other) {
            (Property::Jobs, Self::Count(a), Self::Count(b)) => *a = a.saturating_add(*b),
            (Property::Rate, Self::Iops(a), Self::Iops(b))
            | (Property::Rate, Self::BytesPerS(a), Self::BytesPerS(b)) => *a += b,
            (Property::Rate, Self::Each(a), Self::Each(b)) if alike(a, b) => {
                let mut pairs = a.iter_mut().zip(b);
                return pairs.all(|(a, b)| a.1.add(of, &b.1));
            }
            _ => return false,
        }
        true
    }

    /// Whether it is less than another source may know: what was counted, or a part of the words.
    #[must_use]
    pub const fn is_vague(&self) -> bool {
        matches!(
            self,
            Self::BytesAbout(_) | Self::AtLeast(_) | Self::PercentAbout(..)
        )
    }

    /// Of things by name those in which another differs; of a long law the keys that others do not have; all else whole.
    #[must_use]
    pub(crate) fn unlike(&self, others: &[Self]) -> Self {
        let own = match self {
            Self::Named(own) => own,
            Self::Law(law) => return Self::Law(own_keys(law, others)),
            _ => return self.clone(),
        };
        let differs = |name: &String, value: &String| {
            others.iter().any(|other| match other {
                Self::Named(all) => all.get(name).is_some_and(|other| other != value),
                _ => false,
            })
        };
        let own = own.iter().filter(|(name, value)| differs(name, value));
        Self::Named(
            own.map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// Its text with all digits, where that of people would hide a difference.
    #[must_use]
    pub(crate) fn exact(&self) -> String {
        match self {
            Self::Bytes(bytes) => values::bytes(bytes.0),
            Self::Nanos(nanos) => values::seconds(*nanos),
            Self::Iops(rate) => format!("{rate} IOPS"),
            Self::BytesPerS(rate) => format!("{rate} bytes/s"),
            Self::Each(each) => {
                let words = each.iter().map(|(op, of)| format!("{} {op}", of.exact()));
                words.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        }
    }

    /// Whether it is a share of some, not of none or all.
    pub(crate) fn is_part(&self) -> bool {
        match self {
            Self::Percent(share) => *share != Percent::ALL && *share != Percent::NONE,
            Self::PercentAbout(..) => true,
            _ => false,
        }
    }

    /// Whether it says the same as another: rates to a millionth, counted shares within their error, all else exactly.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::Iops(a), Self::Iops(b)) | (Self::BytesPerS(a), Self::BytesPerS(b)) => {
                near(*a, *b)
            }
            (Self::Each(a), Self::Each(b)) => {
                alike(a, b) && a.iter().zip(b).all(|(a, b)| a.1.is_same_as(&b.1))
            }
            (Self::PercentAbout(a, more), Self::PercentAbout(b, yet)) => {
                (a - b).abs() <= more + yet
            }
            (Self::PercentAbout(a, more), Self::Percent(b))
            | (Self::Percent(b), Self::PercentAbout(a, more)) => (a - b.of_100()).abs() <= *more,
            (Self::AtLeast(a), Self::AtLeast(b)) => a == b,
            // A value that one of them lacks is no difference.
            (Self::Named(a), Self::Named(b)) => a
                .iter()
                .all(|(name, value)| b.get(name).is_none_or(|other| other == value)),
            (Self::AtLeast(start), Self::Text(whole))
            | (Self::Text(whole), Self::AtLeast(start)) => {
                let rest = whole.strip_prefix(start.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
            }
            (Self::BytesAbout(mean), other) | (other, Self::BytesAbout(mean)) => match other {
                Self::BytesAbout(b) => (mean / b - 1.0).abs() <= 0.02,
                Self::Bytes(size) => (mean / size.0 as f64 - 1.0).abs() <= 0.01,
                Self::Sizes(least, most, _) => {
                    (least.0 as f64 * 0.99..=most.0 as f64 * 1.01).contains(mean)
                }
                _ => false,
            },
            (Self::Sizes(least, most, a), Self::Sizes(low, high, b)) => {
                let shares = a.is_none() || b.is_none() || a == b;
                (least, most) == (low, high) && shares
            }
            _ => self == other,
        }
    }
}

/// A longer law is not shown whole.
const LAW: usize = 80;

/// A law without the keys that each of these laws has with the same value, where it is long.
fn own_keys(law: &str, others: &[PropertyValue]) -> String {
    if law.len() <= LAW {
        return law.to_owned();
    }
    let has = |part: &str| {
        others.iter().all(|other| match other {
            PropertyValue::Law(other) => other.split(',').any(|own| own == part),
            _ => false,
        })
    };
    let own: Vec<&str> = law.split(',').filter(|part| !has(part)).collect();
    let words = match own.as_slice() {
        [] => return "... and nothing else".to_owned(),
        own => own.join(","),
    };
    let shown: String = words.chars().take(LAW).collect();
    let more = if shown == words { "" } else { "..." };
    format!("...,{shown}{more}")
}

/// Whether both are of the same operations.
fn alike(a: &[(&'static str, PropertyValue)], b: &[(&'static str, PropertyValue)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0)
}

impl fmt::Display for PropertyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => count.fmt(f),
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::Percent(percent) => write!(f, "{percent} %"),
            Self::PercentAbout(percent, _) => {
                write!(f, "about {} %", crate::words::about(*percent))
            }
            Self::Law(law) if law.is_empty() => f.write_str("simulated volume"),
            Self::Law(law) => write!(f, "simulated volume {law}"),
            Self::BytesAbout(mean) => write!(f, "about {}", Bytes(whole(*mean))),
            Self::AtLeast(words) => f.write_str(words),
            Self::Sizes(least, most, None) => write!(f, "{least} to {most}"),
            Self::Sizes(_, _, Some(shares)) => f.write_str(shares),
            Self::Nanos(nanos) => nanos.fmt(f),
            Self::Iops(rate) => write!(f, "{} IOPS", crate::words::rate_asked(*rate)),
            Self::BytesPerS(rate) => f.write_str(&crate::words::both_per_s(*rate)),
            Self::Flag(flag) => f.write_str(if *flag { "yes" } else { "no" }),
            Self::Unknown => f.write_str("unknown"),
            Self::Named(all) => {
                let words: Vec<String> = all
                    .iter()
                    .map(|(name, of)| format!("{name} = {of}"))
                    .collect();
                f.write_str(&words.join(", "))
            }
            Self::Each(each) => {
                let words: Vec<String> = each.iter().map(|(op, of)| format!("{of} {op}")).collect();
                f.write_str(&words.join(", "))
            }
        }
    }
}

/// What is known: a property that is absent is not known, or does not apply.
pub type Properties = BTreeMap<Property, PropertyValue>;

impl From<&str> for PropertyValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for PropertyValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
