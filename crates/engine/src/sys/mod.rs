//! What the kernel says about this host: paths, devices, limits, facts, wall time. Reads /proc, /sys
//! and a few system calls; starts no program, keeps no state, and never writes to a target.

pub mod device;
pub mod disk;
pub mod extents;
pub mod facts;
pub mod host;
pub mod limits;
pub mod mount;
pub mod safety;
pub mod signature;
pub mod wall;
