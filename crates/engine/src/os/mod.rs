//! All that leadline knows of the operating system: files, devices, memory, threads, programs, signals, the terminal,
//! time, errors, facts about the host. A second operating system is a folder beside `linux/` with the same modules.
//!
//! Belongs here: what any system has, and the choice of one. Only this folder and `backend/` may name the system's
//! interfaces (`cargo xtask tidy` sees to that). Must never: decide what a plan may do.

mod linux;
pub mod signature;
pub mod wall;

pub(crate) use linux::{
    ability, access, cache, errno, file, hold, layers, left, locks, pages, priority, safety, space,
    thread, time,
};
pub use linux::{
    counted, cpu, device, disk, extents, facts, host, kernel_release, kinds, limits, mount, place,
    programs, signals, streams, terminal, this_host,
};
