//! leadline-dialect: text in, a [`Plan`](leadline_model::plan::Plan) and spanned
//! [`Diagnostic`](diagnostic::Diagnostic)s out.
//!
//! Belongs here: the languages leadline reads, each with its own meaning of every value, its silent
//! misreadings named, and its lowering to the one plan.
//! Must never appear here: a file opened, a variable of the environment read, a device looked at, a
//! clock, a print. What a language needs to know of the system it asks of a [`host::Host`].
#![forbid(unsafe_code)]

pub mod condition;
pub mod diagnostic;
pub mod errno;
pub mod host;
pub mod hosts;
pub mod manual;
pub mod quantity;
pub mod ranges;
pub mod sim;
pub mod spec;
pub mod text;
pub mod windows;
