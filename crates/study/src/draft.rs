//! A study while its options are read: what was given, and where.
//!
//! Belongs here: a field for each option. Must never appear here: defaults for what was not given.

use crate::request::Beside;
use crate::studies::StudySpec;
use leadline_dialect::diagnostic::Span;
use leadline_model::plan::Arrival;
use leadline_model::plan::study::{Arm, Class, Factor, HostGroup, LatencyTarget, Metric};
use leadline_model::plan::{EngineKind, ServerCache};
use leadline_model::units::Nanos;

/// What was given.
#[derive(Default)]
pub(crate) struct Draft {
    /// The study, where a file or `--study` names it.
    pub(crate) study: Option<&'static StudySpec>,
    /// Which study is measured in several states.
    pub(crate) inner: Option<&'static StudySpec>,
    pub(crate) targets: Vec<String>,
    pub(crate) blocks: Option<Vec<u64>>,
    pub(crate) reads: Option<Vec<u8>>,
    /// The order that words such as `randread` say.
    pub(crate) kind_order: Option<bool>,
    pub(crate) random: Option<Vec<bool>>,
    pub(crate) depths: Option<Vec<u32>>,
    pub(crate) jobs: Option<Vec<u32>>,
    pub(crate) dataset: Option<u64>,
    pub(crate) files: Option<u32>,
    pub(crate) buffered: bool,
    pub(crate) engine: Option<EngineKind>,
    pub(crate) time: Option<Nanos>,
    pub(crate) warmup: Option<Nanos>,
    pub(crate) budget: Option<Nanos>,
    pub(crate) narrow: Option<u32>,
    pub(crate) repeats: Option<u32>,
    pub(crate) seed: Option<u64>,
    pub(crate) quick: bool,
    pub(crate) step: Option<u8>,
    pub(crate) points: Option<Vec<u32>>,
    pub(crate) arrival: Option<Arrival>,
    pub(crate) slo: Option<LatencyTarget>,
    pub(crate) loss: Option<f64>,
    pub(crate) rest: Option<Nanos>,
    pub(crate) server_cache: Option<ServerCache>,
    pub(crate) counts: Option<Vec<u32>>,
    pub(crate) groups: Vec<HostGroup>,
    /// Distances of groups, by their names.
    pub(crate) distances: Vec<(String, Nanos)>,
    pub(crate) free: Option<Class>,
    pub(crate) rated: Option<Class>,
    pub(crate) rated_target: Option<String>,
    pub(crate) grid: Option<u32>,
    pub(crate) refine: Option<u32>,
    pub(crate) metric: Option<Metric>,
    pub(crate) precondition: Option<f64>,
    pub(crate) factors: Option<Vec<Factor>>,
    pub(crate) arms: Vec<Arm>,
    pub(crate) beside: Beside,
    /// Options of which a value is wrong, which was said.
    pub(crate) wrong: Vec<&'static str>,
    /// Where each option was given, by name.
    pub(crate) places: Vec<(&'static str, Span)>,
}

impl Draft {
    /// Where an option was given.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        let places = self.places.iter().rev();
        places.clone().find(|p| p.0 == name).map(|p| p.1)
    }
}
