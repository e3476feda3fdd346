//! What the kernel says about this host: paths, devices, limits, facts, wall time. Reads /proc, /sys
//! and a few system calls; starts no program, keeps no state, and never writes to a target.

pub mod extents;
pub mod host;
pub mod limits;
pub mod wall;
