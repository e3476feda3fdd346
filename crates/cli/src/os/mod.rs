//! What the command asks of the operating system beside the engine's `os`: signals, the terminal, facts about this
//! process and host, kinds of files. A second operating system is a folder beside `linux/` with the same modules.
//!
//! Belongs here: the system's interfaces, and nothing else in this crate may name them (`cargo xtask tidy` sees to
//! that). Must never: decide what is done about an answer.

mod linux;

pub(crate) use linux::{facts, files, signals, terminal};
