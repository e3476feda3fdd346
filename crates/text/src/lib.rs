//! Forms of text that front ends and reports share: one writer and one escape for each format.
//!
//! Belongs here: what turns values into text of a known format.
//! Must never appear here: a plan, a run, a figure, a file, a terminal.
//! May depend on: serde and serde_json, and no crate of the workspace.
#![forbid(unsafe_code)]

pub mod json;
pub mod markup;
pub mod shell;
pub mod xml;
