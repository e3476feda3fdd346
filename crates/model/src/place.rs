//! Which storage a target is on, as far as hosts of one run are compared by it.
//!
//! Belongs here: what was found. Must never: decide what is alike.

use serde::{Deserialize, Serialize};

/// Which storage a target is on, or would be on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// It is a block device, not a file on a file system.
    pub block: bool,
    /// Type of the file system that holds it, or the nearest folder above that is there; empty = unknown.
    pub file_system: String,
    /// The folder at which that is mounted; empty = unknown.
    pub mounted_at: String,
    /// What is mounted: a device, `SERVER:/EXPORT`, or a name without meaning; empty = unknown.
    pub source: String,
    /// Not all of the file system is mounted there, but a folder of it (a bind mount, a subvolume).
    pub part: bool,
}
