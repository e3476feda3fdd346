//! leadline-limits: the language of limits. Rows that providers publish and a set-up in; which limits apply, what a
//! demand needs, and which limit a figure is at, out.
//!
//! Belongs here: the rows with their sources, the form of a limits file, options of a set-up, their arithmetic. Must
//! never appear here: the system, the network, or how a figure was measured.
//!
//! The way: `file` reads rows into a `Book`, `setup` reads options; `apply` makes `Limit`s of both, least first;
//! `verdict` compares measured figures with them and `sizing` asks what a demand needs; `text` and `json` show it.
#![forbid(unsafe_code)]

mod answer;
mod apply;
mod book;
mod disks;
mod file;
mod here;
mod json;
mod limit;
mod mixed;
mod number;
mod profile;
mod reference;
mod row;
mod sections;
mod sets;
mod setup;
mod sizing;
mod text;
mod value;
mod verdict;

pub use answer::Answer;
pub use apply::limits;
pub use book::Book;
pub use here::{Cloud, Here, aws, azure, gcp, interfaces, os_name};
pub use json::{SCHEMA, json};
pub use limit::{Burst, Limit, Metric, Scope};
pub use mixed::MixedDisks;
pub use profile::{
    Judgement, Latency, Profile, ProfileTest, Profiles, Requirement, Sampled, profiles,
};
pub use reference::reference_markdown;
pub use row::{Row, Source};
pub use sections::{Key, Kind, PROFILES, SECTIONS, SHARED, SOURCE, Section};
pub use sets::{DiskSets, DiskSize, MachineSize};
pub use setup::{Asked, Parsed, Setup, parse};
pub use sizing::{LevelSize, Needs, Sizing, Table, WithoutBlock, sizing, table};
pub use text::{conclusion, missing, text};
pub use value::{Cache, Class, DiskSet, Figure, Path, Rate};
pub use verdict::{Compared, Conclusion, Standing, Verdict, verdict};
