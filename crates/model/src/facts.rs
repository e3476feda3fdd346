//! What is known of a host and its targets.
//!
//! Belongs here: the form of a fact, the types its value can have, and the names of facts that more than one
//! place knows. Must never: gather one.

use crate::units::{Bytes, Nanos, Percent};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One fact of the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The host it is of, by its place in the plan's list; 0 without one.
    pub host: u32,
    /// Where it belongs: `host`, `cpu`, `memory`, `kernel`, `target`, `device`, `mount`, `floor`,
    /// `leadline`.
    pub section: String,
    /// What it is of: a path, a device, or empty.
    pub subject: String,
    /// Name, in lower case words.
    pub name: String,
    /// Value.
    pub value: FactValue,
}

/// The value of a fact. Its `Display` is the text that people read, with its unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactValue {
    /// A name, a path, a setting as the system writes it, or several of these.
    Text(String),
    /// A size.
    Bytes(Bytes),
    /// A number of things.
    Count(u64),
    /// A time.
    Nanos(Nanos),
    /// A time so short that tenths of a nanosecond count, in picoseconds.
    Picos(u64),
    /// A share of a whole.
    Percent(Percent),
}

impl FactValue {
    /// What the value is a number of, for formats that programs read; `text` if it is none.
    #[must_use]
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
            Self::Count(_) => "count",
            Self::Nanos(_) => "ns",
            Self::Picos(_) => "ps",
            Self::Percent(_) => "percent",
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The size, if it is one.
    #[must_use]
    pub const fn bytes(&self) -> Option<Bytes> {
        match self {
            Self::Bytes(bytes) => Some(*bytes),
            _ => None,
        }
    }

    /// The number of things, if it is one.
    #[must_use]
    pub const fn count(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// The time in nanoseconds, with its fraction, if it is one.
    #[must_use]
    pub fn nanos(&self) -> Option<f64> {
        match self {
            Self::Nanos(nanos) => Some(nanos.0 as f64),
            Self::Picos(picos) => Some(*picos as f64 / 1e3),
            _ => None,
        }
    }

    /// The share, if it is one.
    #[must_use]
    pub const fn percent(&self) -> Option<Percent> {
        match self {
            Self::Percent(percent) => Some(*percent),
            _ => None,
        }
    }

    /// A time of this many nanoseconds, to the nearest picosecond; of less than none, none.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates, which is what is meant"
    )]
    pub fn from_nanos(nanos: f64) -> Self {
        Self::Picos((nanos * 1e3).round() as u64)
    }
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::Count(count) => count.fmt(f),
            Self::Nanos(nanos) => nanos.fmt(f),
            Self::Picos(picos) => write!(f, "{:.1} ns", *picos as f64 / 1e3),
            Self::Percent(percent) => write!(f, "{:.1} %", percent.of_100()),
        }
    }
}

impl From<&str> for FactValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for FactValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Bytes> for FactValue {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Nanos> for FactValue {
    fn from(nanos: Nanos) -> Self {
        Self::Nanos(nanos)
    }
}

impl From<Percent> for FactValue {
    fn from(percent: Percent) -> Self {
        Self::Percent(percent)
    }
}

/// Section and name of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactKey<'a> {
    /// [`Fact::section`].
    pub section: &'a str,
    /// [`Fact::name`].
    pub name: &'a str,
}

impl<'a> From<(&'a str, &'a str)> for FactKey<'a> {
    fn from((section, name): (&'a str, &'a str)) -> Self {
        Self::new(section, name)
    }
}

impl<'a> FactKey<'a> {
    /// What the host calls itself.
    pub const HOST_NAME: Self = Self::new("host", "name");
    /// Number of processors that threads of this process may run on: a count.
    pub const CPU_COUNT: Self = Self::new("cpu", "count");
    /// Numbers of the processors that are online (`0-3,8`).
    pub const CPU_ONLINE: Self = Self::new("cpu", "online");
    /// Which processors share a socket (`0: 0-3; 1: 4-7`).
    pub const CPU_SOCKETS: Self = Self::new("cpu", "sockets");
    /// Which processors share a NUMA node (`0: 0-3; 1: 4-7`).
    pub const NUMA_NODES: Self = Self::new("cpu", "NUMA nodes");
    /// Which processors share a core (`0,4; 1,5`).
    pub const CPU_CORES: Self = Self::new("cpu", "cores");
    /// Numbers of the faster processors, where there are two kinds.
    pub const FAST_CORES: Self = Self::new("cpu", "performance cores");
    /// How the frequency of the processors is governed.
    pub const GOVERNOR: Self = Self::new("cpu", "governor");
    /// Memory of the host: a size.
    pub const MEMORY: Self = Self::new("memory", "total");
    /// Version of leadline.
    pub const VERSION: Self = Self::new("leadline", "version");
    /// Size of a target that is a file, before the run: a size.
    pub const TARGET_SIZE: Self = Self::new("target", "size");
    /// The mount point of the file system that holds a target.
    pub const MOUNTED_ON: Self = Self::new("target", "mounted on");
    /// The kind of the file system at a mount point.
    pub const FILE_SYSTEM: Self = Self::new("mount", "file system");
    /// The share of a target that was in the page cache when a stage began, though the cache had been dropped
    /// (mapped by another program, no privilege). Absent where the kernel does not say.
    pub const CACHED_AT_START: Self = Self::new("target", "cached at the start");
    /// The way from a target to memory of the host that keeps all of its bytes (`overlay on tmpfs`, `zram0`).
    /// Absent where there is none, or where it cannot be seen from there.
    pub const KEPT_IN_MEMORY: Self = Self::new("target", "kept in memory");
    /// The way from a target to a loop device that reads and writes its file through the page cache.
    pub const LOOP_CACHED: Self = Self::new("target", "loop device through the page cache");
    /// What leadline takes for an I/O for which nothing is done: a time.
    pub const FLOOR: Self = Self::new("floor", "one I/O without a target");

    /// The name of a fact of a section.
    #[must_use]
    pub const fn new(section: &'a str, name: &'a str) -> Self {
        Self { section, name }
    }
}

impl Fact {
    /// A fact.
    #[must_use]
    pub fn new<'a>(
        key: impl Into<FactKey<'a>>,
        subject: &str,
        value: impl Into<FactValue>,
    ) -> Self {
        let key = key.into();
        Self {
            host: 0,
            section: key.section.to_owned(),
            subject: subject.to_owned(),
            name: key.name.to_owned(),
            value: value.into(),
        }
    }

    /// Section and name.
    #[must_use]
    pub fn key(&self) -> FactKey<'_> {
        FactKey::new(&self.section, &self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_what_it_is_and_shown_with_its_unit() {
        let memory = FactValue::from(Bytes(24 << 30));
        assert_eq!(memory.to_string(), "24 GiB");
        assert_eq!(memory.bytes(), Some(Bytes(24 << 30)));
        assert_eq!((memory.text(), memory.count()), (None, None));
        let floor = FactValue::from_nanos(7.449);
        assert_eq!(floor.to_string(), "7.4 ns");
        assert_eq!(floor.nanos(), Some(7.449));
        assert_eq!(FactValue::from_nanos(f64::NAN), FactValue::Picos(0));
        let expires = FactValue::from(Nanos(30_000_000_000));
        assert_eq!(
            (expires.to_string().as_str(), expires.unit()),
            ("30.0 s", "ns")
        );
        assert_eq!(expires.nanos(), Some(30e9));
        let share = FactValue::from(Percent::nearest(12.34));
        assert_eq!(share.to_string(), "12.3 %");
        assert_eq!(share.percent(), Some(Percent::nearest(12.34)));
        assert_eq!(FactValue::Count(96).to_string(), "96");
        assert_eq!(FactValue::from("none").text(), Some("none"));
    }
}
