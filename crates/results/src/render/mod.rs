//! A run as text and pictures. One module a format; none of them computes a figure of its own. All are
//! pure functions to text; writing it is the caller's.

pub(crate) mod answer;
pub mod compare;
pub mod csv;
pub mod hdr;
pub mod html;
pub(crate) mod hues;
pub mod json;
pub mod once;
pub mod plot;
pub(crate) mod spread;
pub mod svg;
pub mod text;
