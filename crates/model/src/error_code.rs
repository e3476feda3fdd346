//! Short names of what can be in the way of a run or end a worker.
//!
//! Belongs here: the one list of these names. Must never: say what to do.

use serde::{Deserialize, Serialize};

/// What kind of thing went wrong. The names are stable: programs may rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// A value of the plan is not possible.
    PlanValue,
    /// Two things of the plan exclude each other.
    PlanConflict,
    /// A target or its directory is not there.
    TargetMissing,
    /// A target is not a kind of thing that I/O can be done to.
    TargetKind,
    /// A target is too small for what is asked of it, or its size is not known.
    TargetSize,
    /// A target is no longer what it was when it was checked.
    TargetChanged,
    /// Sizes or offsets are no multiples of what the target works in.
    Alignment,
    /// A target is used by others.
    InUse,
    /// A target carries data that leadline did not write.
    ForeignData,
    /// There is no space for what is to be written.
    NoSpace,
    /// There is no memory.
    NoMemory,
    /// A limit of the system or of this process is reached.
    Limit,
    /// The user may not do it.
    Permission,
    /// The engine cannot do it, on any host.
    EngineLacks,
    /// The host, its kernel, file system or device cannot do it.
    HostLacks,
    /// The kernel refused it for another reason.
    System,
    /// An I/O failed.
    Io,
    /// I/O did not come back.
    Hanging,
    /// The host was lost.
    HostLost,
    /// A target is not on the same storage on all hosts.
    HostsUnlike,
    /// A workload did not keep its required share of the I/Os.
    ShareMissed,
    /// A command of the user's failed.
    Command,
    /// The user ended it.
    Interrupted,
    /// leadline itself failed.
    Defect,
}
