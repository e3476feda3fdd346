//! What a point can be put over, or distinguished by: the axes of a chart, their names and the words of their values.
//!
//! Belongs here: the table of axes. Must never: look at a run.

use crate::compare::called::{of_axis, of_kind};
use crate::render::svg::{ScaleKind, Unit};
use crate::words::{rate_asked, thousands, trim_to, whole};
use leadline_model::plan::study::{Axis as StudyAxis, Coordinate};
use leadline_model::units::Bytes;

/// Axes whose values a chart calls as a row of a comparison does.
const AS_A_ROW: [StudyAxis; 8] = [
    StudyAxis::Percent,
    StudyAxis::Hosts,
    StudyAxis::Files,
    StudyAxis::Skew,
    StudyAxis::Dataset,
    StudyAxis::Flush,
    StudyAxis::Direct,
    StudyAxis::Think,
];

/// An axis of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlotAxis {
    /// Which of the runs.
    Run,
    /// State of the system, by name.
    Arm,
    /// Connections to the server of a network mount.
    Nconnect,
    /// Group of hosts, by name.
    Group,
    /// Class of I/O, or what a cache held, by name.
    Kind,
    /// Read, write, or all together.
    Op,
    /// Share of reads, in percent.
    Reads,
    /// Block size in bytes.
    Block,
    /// `random` or `sequential`.
    Order,
    /// Whether the client's page cache is bypassed.
    Direct,
    /// I/Os in flight of each worker, at most.
    Depth,
    /// Workers of each host.
    Jobs,
    /// Hosts that the figures are of.
    Hosts,
    /// I/Os in flight over all workers and hosts, at most.
    InFlight,
    /// How I/Os start: at a rate whatever ends, or when others end.
    Loop,
    /// I/Os a second that were asked for.
    Rate,
    /// Percent of the highest rate.
    Percent,
    /// Reads a second that were asked for.
    ReadRate,
    /// Writes a second that were asked for.
    WriteRate,
    /// Files of each host.
    Files,
    /// Exponent of Zipf's law by which blocks are chosen; 0 = all alike.
    Skew,
    /// Back end, by name.
    Engine,
    /// Bytes of the whole set.
    Dataset,
    /// Part of each worker's target, in words.
    Part,
    /// Writes between two flushes; 0 = none is flushed.
    Flush,
    /// Pause of each worker after each I/O, in nanoseconds.
    Think,
    /// Round of a study, from 1.
    Round,
    /// Which repeat, from 1.
    Repeat,
    /// Stage of the run, by name.
    Stage,
    /// Workload, by name.
    Workload,
}

/// What is known of an axis: its name on a command line, the text below a chart, how its values spread, and of what
/// unit they are.
type AxisRow = (PlotAxis, &'static str, &'static str, ScaleKind, Unit);

const fn row(
    axis: PlotAxis,
    name: &'static str,
    label: &'static str,
    scale: ScaleKind,
    unit: Unit,
) -> AxisRow {
    (axis, name, label, scale, unit)
}

use PlotAxis as A;
use ScaleKind::{Counted, Linear, Log2};

const ROWS: [AxisRow; 30] = [
    row(A::Run, "run", "run", Linear, Unit::Whole),
    row(A::Arm, "arm", "state of the system", Linear, Unit::Whole),
    row(
        A::Nconnect,
        "nconnect",
        "connections of a mount (nconnect)",
        Log2,
        Unit::Whole,
    ),
    row(A::Group, "group", "group of hosts", Linear, Unit::Whole),
    row(A::Kind, "kind", "kind", Linear, Unit::Whole),
    row(A::Op, "op", "operation", Linear, Unit::Whole),
    row(A::Reads, "reads", "share of reads", Linear, Unit::Percent),
    row(A::Block, "block", "block size", Log2, Unit::Bytes),
    row(A::Order, "order", "order of offsets", Linear, Unit::Whole),
    row(
        A::Direct,
        "direct",
        "page cache of the client",
        Linear,
        Unit::Whole,
    ),
    row(
        A::Depth,
        "depth",
        "queue depth of each worker",
        Log2,
        Unit::Whole,
    ),
    row(A::Jobs, "jobs", "workers of each host", Log2, Unit::Whole),
    row(A::Hosts, "hosts", "hosts", Counted, Unit::Whole),
    row(
        A::InFlight,
        "in-flight",
        "I/Os in flight, at most",
        Log2,
        Unit::Whole,
    ),
    row(A::Loop, "loop", "open or closed loop", Linear, Unit::Whole),
    row(A::Rate, "rate", "IOPS requested", Linear, Unit::Count),
    row(
        A::Percent,
        "percent",
        "share of the highest rate",
        Linear,
        Unit::Percent,
    ),
    row(
        A::ReadRate,
        "read-rate",
        "read IOPS requested",
        Linear,
        Unit::Count,
    ),
    row(
        A::WriteRate,
        "write-rate",
        "write IOPS requested",
        Linear,
        Unit::Count,
    ),
    row(A::Files, "files", "files of each host", Log2, Unit::Whole),
    row(
        A::Skew,
        "theta",
        "skew of the offsets (Zipf's exponent)",
        Linear,
        Unit::Number,
    ),
    row(A::Engine, "engine", "back end", Linear, Unit::Whole),
    row(A::Dataset, "dataset", "size of the set", Log2, Unit::Bytes),
    row(
        A::Part,
        "part",
        "part of each worker's target",
        Linear,
        Unit::Whole,
    ),
    row(
        A::Flush,
        "fsync",
        "writes between flushes",
        Linear,
        Unit::Whole,
    ),
    row(
        A::Think,
        "think",
        "pause after each I/O",
        Linear,
        Unit::Nanos,
    ),
    row(A::Round, "round", "round", Counted, Unit::Whole),
    row(A::Repeat, "repeat", "repeat", Counted, Unit::Whole),
    row(A::Stage, "stage", "stage", Linear, Unit::Whole),
    row(A::Workload, "workload", "workload", Linear, Unit::Whole),
];

impl PlotAxis {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.0)
    }

    fn row(self) -> &'static AxisRow {
        let own = ROWS.iter().find(|row| row.0 == self);
        own.unwrap_or(&ROWS[0])
    }

    /// Its name on a command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The axis of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let row = ROWS.iter().find(|row| row.1 == name);
        row.map(|row| row.0)
    }

    /// The text below a chart.
    pub(super) fn label(self) -> &'static str {
        self.row().2
    }

    /// How its values spread, and of what unit they are.
    pub(super) fn scale(self) -> (ScaleKind, Unit) {
        let row = self.row();
        (row.3, row.4)
    }

    /// That of a study.
    pub(crate) const fn of_study(axis: StudyAxis) -> Self {
        match axis {
            StudyAxis::Arm => Self::Arm,
            StudyAxis::Repeat | StudyAxis::Try => Self::Repeat,
            StudyAxis::Group => Self::Group,
            StudyAxis::Hosts => Self::Hosts,
            StudyAxis::Kind => Self::Kind,
            StudyAxis::Order => Self::Order,
            StudyAxis::Reads => Self::Reads,
            StudyAxis::Block => Self::Block,
            StudyAxis::Depth => Self::Depth,
            StudyAxis::Jobs => Self::Jobs,
            StudyAxis::Percent => Self::Percent,
            StudyAxis::Rate => Self::Rate,
            StudyAxis::ReadRate => Self::ReadRate,
            StudyAxis::WriteRate => Self::WriteRate,
            StudyAxis::Round => Self::Round,
            StudyAxis::Direct => Self::Direct,
            StudyAxis::Files => Self::Files,
            StudyAxis::Skew => Self::Skew,
            StudyAxis::Engine => Self::Engine,
            StudyAxis::Dataset => Self::Dataset,
            StudyAxis::Flush => Self::Flush,
            StudyAxis::Think => Self::Think,
        }
    }

    /// A value of it in words that name it: `depth 8`, `4 KiB`, `70 % reads`.
    #[must_use]
    pub fn words(self, value: &Coordinate) -> String {
        let n = match value {
            Coordinate::Text(text) if self == Self::Kind => return of_kind(text).to_owned(),
            Coordinate::Text(text) => return text.clone(),
            Coordinate::Number(n) => *n,
        };
        let count = |one: &str, several: &str| match whole(n) {
            1 => format!("1 {one}"),
            n => format!("{} {several}", thousands(n)),
        };
        let of_point = AS_A_ROW.iter().find(|axis| Self::of_study(**axis) == self);
        match self {
            Self::Block => Bytes(whole(n)).to_string(),
            Self::Reads if n >= 100.0 => "reads".to_owned(),
            Self::Reads if n <= 0.0 => "writes".to_owned(),
            Self::Reads => format!("{} % reads", trim_to(n, 2)),
            Self::Jobs => count("job", "jobs"),
            Self::Nconnect => count("connection", "connections"),
            Self::InFlight => format!("{} in flight", thousands(whole(n))),
            Self::Rate => format!("{} IOPS requested", rate_asked(n)),
            Self::ReadRate => format!("{} reads/s requested", rate_asked(n)),
            Self::WriteRate => format!("{} writes/s requested", rate_asked(n)),
            _ => of_point
                .and_then(|axis| of_axis(*axis, value))
                .unwrap_or_else(|| format!("{} {}", self.name(), trim_to(n, 3))),
        }
    }

    /// Whether a value is what a user means by `text`: a number with a unit of bytes, a name, or the words of it.
    #[must_use]
    pub fn is(self, value: &Coordinate, text: &str) -> bool {
        let is_text = |own: &str| own.eq_ignore_ascii_case(text);
        let same_words = is_text(&self.words(value)) || value.text().is_some_and(is_text);
        let as_number = value.number().is_some_and(|n| {
            let asked = match self {
                Self::Block | Self::Dataset => bytes(text),
                _ => text.trim_end_matches('%').trim().parse().ok(),
            };
            asked.is_some_and(|asked: f64| (asked - n).abs() < 1e-6)
        });
        same_words || as_number
    }
}

/// `4k`, `4 KiB`, `1m` or `4096` in bytes.
fn bytes(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let times = match unit.trim() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1_048_576.0,
        "g" | "gib" => 1_073_741_824.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_axis_has_a_row_and_a_name_of_its_own() {
        for (at, axis) in PlotAxis::all().enumerate() {
            assert_eq!(PlotAxis::named(axis.name()), Some(axis));
            assert_eq!(ROWS[at].0, axis);
        }
        assert_eq!(PlotAxis::named("nocnnect"), None);
    }

    #[test]
    fn values_are_known_by_number_unit_and_words() {
        let number = Coordinate::Number;
        for (axis, value, text) in [
            (A::Block, number(4096.0), "4k"),
            (A::Block, number(65_536.0), "64 KiB"),
            (A::Depth, number(8.0), "8"),
            (A::Reads, number(75.0), "75%"),
            (A::Reads, number(100.0), "reads"),
            (A::Arm, Coordinate::Text("after".into()), "after"),
            // The code of a study, and its words on a chart.
            (A::Kind, Coordinate::Text("free".into()), "free"),
            (
                A::Kind,
                Coordinate::Text("free".into()),
                "unthrottled alone",
            ),
        ] {
            assert!(axis.is(&value, text), "{axis:?} {text}");
            assert!(!axis.is(&value, "7"), "{axis:?}");
        }
        assert!(!A::Block.is(&number(4096.0), "4q"));
        assert_eq!(A::Jobs.words(&number(1.0)), "1 job");
        assert_eq!(A::Reads.words(&number(30.0)), "30 % reads");
    }
}
