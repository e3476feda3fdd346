//! What the kernel says about this host: paths, devices, limits, facts, wall time. Reads /proc, /sys
//! and a few system calls; starts no program, keeps no state, and never writes to a target.

pub mod cpu;
pub mod device;
pub mod disk;
pub mod extents;
pub mod facts;
pub(crate) mod hold;
pub mod host;
pub(crate) mod layers;
pub mod limits;
pub(crate) mod locks;
mod memory;
pub mod mount;
pub mod place;
pub(crate) mod priority;
pub(crate) mod safety;
pub mod signature;
pub mod streams;
pub(crate) mod thread;
mod twin;
pub mod wall;

/// The kernel's release as it tells it (`6.1.0-47-amd64`).
#[must_use]
pub fn kernel_release() -> String {
    let names = rustix::system::uname();
    names.release().to_string_lossy().into_owned()
}
