//! The Vdbench dialect: parameter files and command lines as Vdbench 5.04.07 reads them.
//!
//! Belongs here: its grammar, its keyword table, its order of objects, the expansion of its runs, and
//! their meaning in leadline's nouns. Must never appear here: the system (see [`Host`](leadline_dialect::host::Host)).
//!
//! The way: `switches` reads the command line, `reader` files, includes and variables, `lex` cuts
//! lines into `keyword=value`, `parse` makes definitions of them by the `table`, `objects` and `runs`
//! give them types and expand them, `lower` makes stages and workloads.

mod definition;
mod expansion;
mod fault;
mod help;
pub mod import;
mod java;
mod keyword;
pub mod knobs;
mod lex;
mod list;
mod lower;
mod manual;
mod number;
mod objects;
pub mod original;
mod parse;
mod parsed;
mod print;
mod priorities;
mod reader;
pub mod report;
mod run;
mod runs;
mod sets;
mod switches;
mod table;
mod together;
mod value;

pub use expansion::expansion_lines;
pub use help::{reference_markdown, usage};
pub use leadline_dialect::spec::RunFile;
pub use manual::manual;
pub use parsed::{Parsed, parse, parse_on};
pub use switches::{
    Command, CommandOutput, Naming, OnErrors, OutputDirectory, Repeat, SWITCHES, StageCommands,
    SwitchSpec, Switches,
};
pub use table::{Case, KeywordSpec, Kind, Object, Support, Varied, keywords};
