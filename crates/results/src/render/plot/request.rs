//! What a chart is to show, and why there is none. Must never: look at a run.

use super::axis::PlotAxis;
use super::figure::PlotFigure;
use thiserror::Error;

/// Most lines of a chart.
pub const MOST_LINES: usize = 48;
/// Up to this many lines are distinguished by colour and dash; more are thin, with numbers.
pub(super) const MOST_DISTINCT: usize = 12;

/// What is along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlotX {
    /// A setting.
    Setting(PlotAxis),
    /// A figure: latency over IOPS.
    Figure(PlotFigure),
    /// Time within the stage.
    Time,
    /// The share of I/Os that are faster.
    Percentile,
}

impl PlotX {
    /// That of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "time" => Some(Self::Time),
            "percentile" => Some(Self::Percentile),
            _ => PlotAxis::named(name)
                .map(Self::Setting)
                .or_else(|| PlotFigure::named(name).map(Self::Figure))
                .filter(|x| *x != Self::Figure(PlotFigure::Latency)),
        }
    }

    /// Its name on a command line.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Setting(axis) => axis.name().to_owned(),
            Self::Figure(figure) => figure.name(),
            Self::Time => "time".to_owned(),
            Self::Percentile => "percentile".to_owned(),
        }
    }

    /// The setting that it is, if it is one.
    pub(super) const fn setting(self) -> Option<PlotAxis> {
        match self {
            Self::Setting(axis) => Some(axis),
            _ => None,
        }
    }

    /// What does not distinguish lines, since it is along x or follows from what is.
    pub(super) fn along(self) -> &'static [PlotAxis] {
        use PlotAxis as A;
        match self {
            Self::Setting(A::Depth | A::Jobs) => &[A::InFlight],
            Self::Setting(A::Hosts) => &[A::InFlight, A::Jobs],
            Self::Setting(A::InFlight) => &[A::Depth, A::Jobs, A::Hosts],
            Self::Setting(A::Percent | A::Rate | A::ReadRate | A::WriteRate) => {
                &[A::InFlight, A::Percent, A::Rate]
            }
            Self::Setting(A::Stage | A::Workload) => {
                const ALL_BUT: &[A] = &[
                    A::Arm,
                    A::Nconnect,
                    A::Group,
                    A::Kind,
                    A::Reads,
                    A::Block,
                    A::Order,
                    A::Direct,
                    A::Depth,
                    A::Jobs,
                    A::Hosts,
                    A::InFlight,
                    A::Loop,
                    A::Rate,
                    A::Percent,
                    A::ReadRate,
                    A::WriteRate,
                    A::Files,
                    A::Skew,
                    A::Engine,
                    A::Dataset,
                    A::Part,
                    A::Flush,
                    A::Think,
                    A::Round,
                    A::Repeat,
                    A::Stage,
                    A::Workload,
                ];
                ALL_BUT
            }
            // Depths and workers too, of closed loops.
            Self::Figure(_) => &[
                A::InFlight,
                A::Rate,
                A::Percent,
                A::ReadRate,
                A::WriteRate,
                A::Round,
            ],
            _ => &[A::InFlight],
        }
    }
}

/// What a chart is to show.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Along x.
    pub x: PlotX,
    /// Figures, each a chart of its own below the one before.
    pub y: Vec<PlotFigure>,
    /// What the colours stand for; `None` = the first thing that lines differ in.
    pub by: Option<PlotAxis>,
    /// Only points with these values.
    pub only: Vec<(PlotAxis, String)>,
    /// A published table to be drawn beside the runs.
    pub published: Option<String>,
}

/// Why there is no chart, with what can be done.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoPlot {
    /// No point has it.
    #[error("no point of these runs has {what}; they have {has}")]
    Nothing {
        /// What is missing.
        what: String,
        /// Axes with several values.
        has: String,
    },
    /// A figure that is not there along this x.
    #[error("{figure} over {x} does not exist: {cure}")]
    NoSuchPair {
        /// The figure.
        figure: String,
        /// Along x.
        x: String,
        /// What to ask for.
        cure: String,
    },
    /// A chart that nobody can read.
    #[error("{lines} lines, at most {MOST_LINES} can be drawn; they differ in {differ}")]
    TooMany {
        /// How many.
        lines: usize,
        /// Axes they differ in, with their values.
        differ: String,
    },
    /// A table that is not there, or does not fit.
    #[error("{0}")]
    Published(String),
}
