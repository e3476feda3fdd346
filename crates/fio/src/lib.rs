//! The fio dialect: command lines and job files as fio 3 reads them.
//!
//! Belongs here: fio's grammar, its option table, its values with all their misreadings, and their
//! meaning in leadline's nouns. Must never appear here: the system (see [`Host`](leadline_dialect::host::Host)).
//!
//! The way: `command_line` and `job_file` cut text into options, `value` gives each a typed value by
//! its kind in the `table`, `job` keeps what is in effect, `lower` makes workloads and stages of it.

mod arithmetic;
mod clients;
mod command_line;
mod help;
pub mod import;
mod job;
mod job_file;
pub mod knobs;
mod lower;
mod manual;
mod number;
mod original;
mod parsed;
pub mod print;
mod reader;
pub mod report;
mod switches;
mod table;
mod value;

pub use help::{
    command_help, command_line, engine_help, engine_names, reference_markdown, show_command, usage,
};
pub use leadline_dialect::spec::{RunFile, Takes};
pub use lower::directories;
pub use manual::manual;
pub use number::TimeUnit;
pub use parsed::{Far, Parsed, parse};
pub use switches::{Eta, Help, OutputFormat, RunSwitches, SWITCHES, SwitchSpec};
pub use table::{Case, Kind, Only, OptionSpec, Support, find, options};
