//! A comparison, and limits that were asserted: as text, Markdown, JUnit XML and JSON.
//!
//! Belongs here: words, columns and their order. Must never: compare or judge anything.

mod answer;
pub mod json;
pub mod junit;
pub mod markdown;
mod table;
pub mod text;

pub use answer::{asserted_line, check_line, sentences};

#[cfg(test)]
mod tests;
