//! What a study answers, as data: sentences, tables, charts and values. Text, JSON and the page are made of it.
//!
//! Belongs here: the shape of an answer. Must never: what any study means, or how a table is drawn.

use crate::stats::{Bracket, Interval};
use crate::summary::{OpFigures, Percentile, Trust};

/// The answer of a study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Sentences, the most important first.
    pub sentences: Vec<String>,
    /// Single values by name.
    pub values: Vec<(&'static str, AnswerCell, AnswerUnit)>,
    /// Tables.
    pub tables: Vec<AnswerTable>,
    /// Charts.
    pub charts: Vec<AnswerChart>,
}

impl Answer {
    /// Adds a sentence.
    pub fn say(&mut self, sentence: impl Into<String>) {
        self.sentences.push(sentence.into());
    }

    /// Adds a value.
    pub fn value(&mut self, name: &'static str, value: AnswerCell, unit: AnswerUnit) {
        self.values.push((name, value, unit));
    }

    /// What was measured alone, for a study from whose points nothing follows: no value, no mark, no computed line but one that
    /// was `asked` for, and no column of conclusions. A table in which names are all that is left goes, and its chart with it.
    #[must_use]
    pub(super) fn of_measured_alone(self, asked: bool) -> Self {
        let mut gone = Vec::new();
        let tables = self.tables.into_iter().filter_map(|table| {
            let title = table.title.clone();
            let left = table.of_measured_alone();
            gone.extend(left.is_none().then_some(title));
            left
        });
        let tables = tables.collect();
        let charts = self.charts.into_iter();
        let charts = charts.filter(|chart| !gone.contains(&chart.title));
        Self {
            sentences: Vec::new(),
            values: Vec::new(),
            tables,
            charts: charts.map(|chart| chart.of_measured_alone(asked)).collect(),
        }
    }

    /// Adds what another answer has, its sentences, tables and charts with a label before them.
    pub fn join(&mut self, label: &str, other: Self) {
        let labelled = |text: String| match label {
            "" => text,
            label => format!("{label}: {text}"),
        };
        self.sentences
            .extend(other.sentences.into_iter().map(labelled));
        if label.is_empty() {
            self.values.extend(other.values);
        }
        self.tables
            .extend(other.tables.into_iter().map(|table| AnswerTable {
                title: labelled(table.title),
                ..table
            }));
        self.charts
            .extend(other.charts.into_iter().map(|chart| AnswerChart {
                title: labelled(chart.title),
                ..chart
            }));
    }
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerTable {
    /// What it shows.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for each column.
    pub rows: Vec<Vec<AnswerCell>>,
}

impl AnswerTable {
    /// Without the columns that follow from all points together; `None` where names are all that would be left.
    fn of_measured_alone(self) -> Option<Self> {
        let is_left: Vec<bool> = self.columns.iter().map(|c| !c.is_concluded).collect();
        if is_left.iter().all(|left| *left) {
            return Some(self);
        }
        let kept = |row: Vec<AnswerCell>| {
            let cells = row.into_iter().zip(&is_left);
            cells
                .filter_map(|(cell, left)| left.then_some(cell))
                .collect()
        };
        let rows = self.rows.into_iter().map(kept).collect();
        let columns = self.columns.into_iter().filter(|c| !c.is_concluded);
        let columns: Vec<Column> = columns.collect();
        let has_figures = columns.iter().any(|c| c.unit != AnswerUnit::Text);
        has_figures.then_some(Self {
            title: self.title,
            columns,
            rows,
        })
    }
}

impl AnswerChart {
    /// Without marks, and without computed lines but those that were `asked` for.
    fn of_measured_alone(mut self, asked: bool) -> Self {
        self.marks.clear();
        self.series.retain(|series| asked || !series.model);
        self
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name: short, in lower case.
    pub name: String,
    /// What its values are.
    pub unit: AnswerUnit,
    /// Whether they follow from all points together: a study without an answer has none of them.
    pub is_concluded: bool,
}

impl Column {
    /// A column of names, settings, or what was measured.
    #[must_use]
    pub fn new(name: &str, unit: AnswerUnit) -> Self {
        Self {
            name: name.to_owned(),
            unit,
            is_concluded: false,
        }
    }

    /// A column of what follows from all points together.
    #[must_use]
    pub fn concluded(name: &str, unit: AnswerUnit) -> Self {
        Self {
            is_concluded: true,
            ..Self::new(name, unit)
        }
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerUnit {
    /// Words.
    Text,
    /// A number of things.
    Count,
    /// I/Os a second.
    Iops,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerS,
    /// Nanoseconds.
    Nanos,
    /// Seconds.
    Seconds,
    /// A share, 1 = all.
    Share,
    /// A number without a unit.
    Number,
}

impl AnswerUnit {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "count",
            Self::Iops => "iops",
            Self::Bytes => "bytes",
            Self::BytesPerS => "bytes_per_s",
            Self::Nanos => "ns",
            Self::Seconds => "s",
            Self::Share => "share",
            Self::Number => "number",
        }
    }
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum AnswerCell {
    /// There is none.
    #[default]
    None,
    /// Words.
    Text(String),
    /// A number.
    Number(f64),
    /// A number with its 95 % interval.
    Within(Interval),
    /// At least this number.
    AtLeast(f64),
    /// At most this number.
    AtMost(f64),
    /// A number that rests on few samples, with its 95 % interval where there is one.
    Doubtful(Interval),
}

impl AnswerCell {
    /// Words.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A percentile in nanoseconds, as far as it can be trusted.
    #[must_use]
    pub fn percentile(percentile: Option<Percentile>) -> Self {
        let Some(p) = percentile else {
            return Self::None;
        };
        let value = p.value.0 as f64;
        let within = p.interval().unwrap_or(Interval::only(value));
        match (p.trust, p.at_least) {
            (Trust::TooFew, _) => Self::None,
            (_, true) => Self::AtLeast(value),
            (Trust::Doubtful, _) => Self::Doubtful(within),
            (Trust::Sure, _) if within.is_known() => Self::Within(within),
            (Trust::Sure, _) => Self::Number(value),
        }
    }

    /// The mean latency from the intended start, in nanoseconds.
    #[must_use]
    pub fn mean(figures: &OpFigures) -> Self {
        let mean = figures.mean_known();
        match figures.mean_bracket() {
            Bracket::AtLeast => Self::AtLeast(mean.value),
            Bracket::Within(..) | Bracket::Unknown => Self::Within(mean),
        }
    }

    /// What is known of its number besides the value.
    #[must_use]
    pub fn bracket(&self) -> Bracket {
        match self {
            Self::Within(interval) | Self::Doubtful(interval) => Bracket::of(interval),
            Self::AtLeast(_) => Bracket::AtLeast,
            _ => Bracket::Unknown,
        }
    }

    /// The number; `None` for words and for nothing.
    #[must_use]
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::None | Self::Text(_) => None,
            Self::Number(n) | Self::AtLeast(n) | Self::AtMost(n) => Some(*n),
            Self::Within(interval) | Self::Doubtful(interval) => Some(interval.value),
        }
    }
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerChart {
    /// What it shows.
    pub title: String,
    /// Across.
    pub x: AnswerAxis,
    /// Up.
    pub y: AnswerAxis,
    /// What is drawn.
    pub series: Vec<AnswerSeries>,
    /// Places along x that have a name, such as a knee.
    pub marks: Vec<(f64, String)>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerAxis {
    /// What it shows.
    pub label: String,
    /// What its values are.
    pub unit: AnswerUnit,
    /// Equal factors have equal length.
    pub logarithmic: bool,
    /// Values are close to each other and far from zero: their range alone is shown, and each is a point of its own.
    pub near: bool,
}

impl AnswerAxis {
    /// An axis on which equal steps have equal length.
    #[must_use]
    pub fn linear(label: &str, unit: AnswerUnit) -> Self {
        Self {
            label: label.to_owned(),
            unit,
            logarithmic: false,
            near: false,
        }
    }

    /// The same of values that are close to each other and far from zero.
    #[must_use]
    pub fn near(label: &str, unit: AnswerUnit) -> Self {
        Self {
            near: true,
            ..Self::linear(label, unit)
        }
    }

    /// An axis on which equal factors have equal length.
    #[must_use]
    pub fn logarithmic(label: &str, unit: AnswerUnit) -> Self {
        Self {
            label: label.to_owned(),
            unit,
            logarithmic: true,
            near: false,
        }
    }
}

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerSeries {
    /// Its name.
    pub label: String,
    /// Not measured but computed: drawn as a plain line.
    pub model: bool,
    /// Its points.
    pub points: Vec<AnswerPoint>,
}

/// A point of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnswerPoint {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// What is known of its height.
    pub bracket: Bracket,
}

impl AnswerPoint {
    /// A point whose height has an interval.
    #[must_use]
    pub fn within(x: f64, y: Interval) -> Self {
        Self {
            x,
            y: y.value,
            bracket: Bracket::of(&y),
        }
    }

    /// A point as high as a cell of a table says, and as sure; `None` where that has no number.
    #[must_use]
    pub fn of(x: f64, y: &AnswerCell) -> Option<Self> {
        Some(Self {
            x,
            y: y.number()?,
            bracket: y.bracket(),
        })
    }

    /// The same, and a gap where the cell has no number, so that the chart says that one lacks.
    #[must_use]
    pub fn or_gap(x: f64, y: &AnswerCell) -> Self {
        Self::of(x, y).unwrap_or(Self::plain(x, f64::NAN))
    }

    /// A point without an interval.
    #[must_use]
    pub const fn plain(x: f64, y: f64) -> Self {
        Self {
            x,
            y,
            bracket: Bracket::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(title: &str, columns: Vec<Column>) -> AnswerTable {
        AnswerTable {
            title: title.to_owned(),
            rows: vec![
                (0_u32..)
                    .map(f64::from)
                    .map(AnswerCell::Number)
                    .take(columns.len())
                    .collect(),
            ],
            columns,
        }
    }

    fn chart(title: &str) -> AnswerChart {
        let line = |model| AnswerSeries {
            model,
            points: vec![AnswerPoint::plain(1.0, 2.0)],
            ..AnswerSeries::default()
        };
        AnswerChart {
            title: title.to_owned(),
            x: AnswerAxis::linear("x", AnswerUnit::Count),
            y: AnswerAxis::linear("y", AnswerUnit::Iops),
            series: vec![line(false), line(true)],
            marks: vec![(1.0, "knee".to_owned())],
        }
    }

    /// All I/Os took the same, in a series that is too short to be sure.
    #[test]
    fn a_percentile_whose_interval_has_no_width_has_one() {
        let mut latency = leadline_model::latency::Latency::default();
        (0..20_000).for_each(|_| latency.record(200_000));
        let bare = crate::summary::percentile::percentile(&latency, 50.0).unwrap();
        let value = AnswerCell::percentile(Some(bare));
        assert_eq!(value.bracket().ends(), None);
        let within = AnswerCell::percentile(Some(Percentile {
            low: Some(bare.value),
            high: Some(bare.value),
            settled: Some(false),
            ..bare
        }));
        let (low, high) = within.bracket().ends().expect("an interval");
        assert!(low <= high && high - low < 2.0, "{within:?}");
    }

    #[test]
    fn what_follows_from_all_points_goes_and_what_was_measured_stays() {
        let name = || Column::new("load", AnswerUnit::Text);
        let rate = || Column::new("iops", AnswerUnit::Iops);
        let knee = || Column::concluded("knee", AnswerUnit::Count);
        let answer = || Answer {
            sentences: vec!["The knee is at 4.".to_owned()],
            values: vec![("knee", AnswerCell::Number(4.0), AnswerUnit::Count)],
            tables: vec![
                table("Points", vec![name(), rate()]),
                table("Both", vec![name(), knee(), rate()]),
                table("Knees", vec![name(), knee()]),
            ],
            charts: vec![chart("Points"), chart("Knees")],
        };
        let left = answer().of_measured_alone(false);
        assert!(left.sentences.is_empty() && left.values.is_empty());
        assert_eq!(left.tables[0], answer().tables[0]);
        let cells = [0.0, 2.0].map(AnswerCell::Number).to_vec();
        assert_eq!(left.tables[1].columns, [name(), rate()]);
        assert_eq!(left.tables[1].rows, [cells]);
        assert_eq!(left.tables.len(), 2);
        let [drawn] = left.charts.as_slice() else {
            panic!("{left:?}");
        };
        assert!(drawn.marks.is_empty());
        assert!(drawn.series.len() == 1 && !drawn.series[0].model);
        // A line that was asked for is no conclusion.
        assert_eq!(answer().of_measured_alone(true).charts[0].series.len(), 2);
    }
}
