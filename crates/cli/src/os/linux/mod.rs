//! Linux.

pub(crate) mod facts;
pub(crate) mod files;
pub(crate) mod signals;
pub(crate) mod terminal;
