//! A comparison, and limits that were asserted: as text, Markdown, JUnit XML and JSON.
//!
//! Belongs here: words, columns and their order. Must never: compare or judge anything.

mod answer;
pub mod json;
pub mod junit;
pub mod markdown;
mod table;
pub mod text;

pub(crate) use answer::sentences_beside_differences;
pub use answer::{asserted_line, check_line, sentences};
pub use junit::GradeCase;
pub(crate) use table::{
    change_parts, in_order, title_of, value as value_of, verdict as verdict_of,
};

#[cfg(test)]
mod tests;
