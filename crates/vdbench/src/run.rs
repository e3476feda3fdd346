//! What a run is: the rate, times, loops and workloads of one run of a run definition.
//!
//! Belongs here: values. Must never appear here: how they are made of definitions (see `runs`).

use crate::definition::File;
use crate::number::Number;
use crate::objects::{Storage, WorkloadDef};
use crate::switches::Overrides;
use crate::value::{CommandSpec, Flags};
use leadline_dialect::diagnostic::Span;
use leadline_model::plan::Until;

/// How fast a run goes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rate {
    Max,
    /// I/Os a second.
    Fixed(f64),
    /// Of the run before.
    Percent(u32),
    Curve,
    /// Of the curve's first run.
    Point(u32),
    /// (I/Os a second, for this many seconds), over and over.
    Variable(Vec<(f64, f64)>),
}

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) at: Span,
    pub(crate) rate: Rate,
    /// The rate that a list of runs shows for each of its steps: the first of the list.
    pub(crate) listed: Option<String>,
    /// The first of a list of rates where it is a share of the rate before: all runs of the list are shown by it.
    pub(crate) first_share: Option<u32>,
    /// `threads=2 iorate=100`, or `None`.
    pub(crate) loops: String,
    pub(crate) threads: Option<u64>,
    pub(crate) hitarea: Option<u64>,
    /// Share of the data that compresses away, in percent.
    pub(crate) compress: Option<f64>,
    /// With the loops' values in them.
    pub(crate) workloads: Vec<WorkloadDef>,
    pub(crate) times: Times,
    pub(crate) until: Until,
    /// Multiples of all storage in place of bytes, for what in `until` is set.
    pub(crate) distribution: &'static str,
    pub(crate) flags: Option<Flags>,
    /// In milliseconds, and as it was written.
    pub(crate) stop_curve: Option<(f64, String)>,
    pub(crate) start: Option<CommandSpec>,
    pub(crate) end: Option<CommandSpec>,
    /// What mounts before it.
    pub(crate) mount: Option<String>,
}

impl Run {
    /// Whether workloads go before others: by priorities that differ, or by a rate of their own.
    pub(crate) fn goes_by_priority(&self) -> bool {
        let first = self.workloads.first().and_then(|w| w.priority);
        first.is_some()
            && self
                .workloads
                .iter()
                .any(|w| w.priority != first || w.iorate.is_some())
    }
}

/// Times of a run in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) elapsed: u64,
    pub(crate) interval: u64,
    pub(crate) warmup: u64,
    pub(crate) pause: u64,
}

/// What runs are made of.
pub(crate) struct RunContext<'a> {
    pub(crate) file: &'a File,
    pub(crate) storage: &'a [Storage],
    pub(crate) workloads: &'a [WorkloadDef],
    pub(crate) overrides: Overrides,
    /// Nothing will run: what only fails when it runs is a warning.
    pub(crate) simulate: bool,
}

/// What a list of runs takes for the highest rate: points and shares are computed from it.
pub(crate) const SUPPOSED: f64 = 10_000.0;

/// The rates that a run definition asks for.
pub(crate) enum Rates {
    Max,
    Curve,
    List(Vec<Number>),
    /// A list, and the rate that its runs are shown by.
    Shown(Number, Vec<Number>),
    Variable(Vec<(f64, f64)>),
}
