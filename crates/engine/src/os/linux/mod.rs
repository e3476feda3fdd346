//! Linux: its system calls, /proc and /sys. Starts no program and keeps no state.
//!
//! Belongs here: calls to the kernel, in types of `std` and the model or of this folder. Must never: hold
//! a rule about plans, or words for a user beyond what the kernel says.

pub(crate) mod ability;
pub(crate) mod access;
pub(crate) mod cache;
pub mod counted;
pub mod cpu;
pub mod device;
pub mod disk;
pub(crate) mod errno;
pub mod extents;
pub mod facts;
pub(crate) mod file;
pub(crate) mod hold;
pub mod host;
pub mod kinds;
pub(crate) mod layers;
pub(crate) mod left;
pub mod limits;
pub(crate) mod locks;
mod memory;
pub mod mount;
pub(crate) mod pages;
pub mod place;
pub(crate) mod priority;
pub mod programs;
pub(crate) mod safety;
pub mod signals;
pub(crate) mod space;
pub mod streams;
pub mod terminal;
pub mod this_host;
pub(crate) mod thread;
pub(crate) mod time;
mod twin;

/// The kernel's release as it reports it (`6.1.0-47-amd64`).
#[must_use]
pub fn kernel_release() -> String {
    let names = rustix::system::uname();
    names.release().to_string_lossy().into_owned()
}
