//! What is known of a host and its targets.

use serde::{Deserialize, Serialize};

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
    /// Value with its unit.
    pub value: String,
}

impl Fact {
    /// Name of the share of a target, in percent, that was in the page cache when a stage began, though the cache had
    /// been dropped (mapped by another program, no privilege). Absent where the kernel does not say.
    pub const CACHED_AT_START: &'static str = "cached at the start";

    /// Name of the way from a target to memory of the host that keeps all of its bytes (`overlay on tmpfs`, `zram0`).
    /// Absent where there is none, or where it cannot be seen from there.
    pub const KEPT_IN_MEMORY: &'static str = "kept in memory";
    /// Name of the way from a target to a loop device that reads and writes its file through the page cache.
    pub const LOOP_CACHED: &'static str = "loop device through the page cache";

    /// A fact.
    #[must_use]
    pub fn new(section: &str, subject: &str, name: &str, value: impl Into<String>) -> Self {
        Self {
            host: 0,
            section: section.to_owned(),
            subject: subject.to_owned(),
            name: name.to_owned(),
            value: value.into(),
        }
    }
}
