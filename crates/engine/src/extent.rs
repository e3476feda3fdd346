//! The part of a file that a worker uses.
//!
//! Belongs here: such parts and how they wrap around. Must never: know of files or workers.

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub start: u64,
    /// Number of bytes.
    pub len: u64,
}

/// The offset at which a region wraps around, and where it continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrapPoint {
    /// Bytes from here on lie elsewhere.
    pub at: u64,
    /// Where they lie, the first of them first.
    pub to: u64,
}
