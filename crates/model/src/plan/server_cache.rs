//! What is known of the caches beyond a mount or a device.
//!
//! Belongs here: what a user, or a study that made it so, says of them. Must never: guess it from figures.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// Caches of a storage server, a device or a host below, when a stage begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerCache {
    /// Nothing is known.
    #[default]
    Unknown,
    /// There is none.
    Absent,
    /// It keeps what was read; writes go through it.
    ReadOnly,
    /// It holds what will be read, as far as it is large enough.
    Warmed,
    /// Other data have taken its place.
    Displaced,
    /// It is of this size; what it holds is not known.
    Size(Bytes),
}

impl std::fmt::Display for ServerCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unknown => "unknown",
            Self::Absent => "none",
            Self::ReadOnly => "read only",
            Self::Warmed => "warmed",
            Self::Displaced => "displaced",
            Self::Size(size) => return write!(f, "of {size}"),
        })
    }
}
