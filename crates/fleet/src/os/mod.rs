//! What a fleet asks of the operating system. A second operating system is a file beside `linux.rs` with the same
//! functions.
//!
//! Belongs here: the system's interfaces, and nothing else in this crate may name them (`cargo xtask tidy` sees to
//! that). Must never: decide what is done about an answer.

mod linux;

pub(crate) use linux::{FileId, apart_from_the_terminal, identity, running};
