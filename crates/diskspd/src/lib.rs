//! The DISKSPD dialect: command lines and XML profiles as DISKSPD 2.2 and 2.3 read them.
//!
//! Belongs here: DISKSPD's grammar, its option table, its leniencies, its profile in both forms, and
//! their meaning in leadline's nouns. Must never appear here: the system (see [`Host`](leadline_dialect::host::Host)).
//!
//! The way: `command_line` splits the words into options and targets; the row of each option in `table` names
//! the function that puts it into a [`Profile`], as `xml` does with a file; `validate` checks the whole; `lower`
//! makes a plan of it.

mod affinity;
mod beside;
mod caching;
mod command_line;
mod distribution;
mod help;
pub mod import;
pub mod knobs;
mod lower;
mod manual;
mod number;
mod options;
pub mod original;
mod parsed;
pub mod profile;
mod reader;
pub mod report;
mod switches;
mod table;
mod text;
mod validate;
mod xml;

pub use help::{reference_markdown, usage};
pub use leadline_dialect::spec::RunFile;
pub use manual::manual;
pub use parsed::{Parsed, parse};
pub use profile::Profile;
pub use switches::{Events, ShowOnly, Switches};
pub use table::{Case, OptionSpec, Since, Support, options};
pub use text::{input_parameters, profile_text};
pub use xml::{profile_xml, read_profile};
