//! What can be compared: one result, whoever measured it, in the form that all comparisons use.
//!
//! Belongs here: its shape. What a source does not say is absent: a percentile that it does not have, an interval, the
//! series. Must never: guess any of them, or know the format of a source.

use crate::work::{self, Properties, Property, PropertyValue};
use leadline_model::condition::FigureKind;
use leadline_model::histogram::Histogram;
use leadline_model::op::Op;
use leadline_model::units::Nanos;
use std::collections::{BTreeMap, BTreeSet};

/// One result. A repeat of the same measurement is another one, or other rows of the same name in this one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// What it is called among others.
    pub name: String,
    /// Where it is from: a path.
    pub source: String,
    /// Wall clock at its start, milliseconds since 1970 UTC; `None` where the source does not say.
    pub wall_ms: Option<u64>,
    /// What all its rows have in common: hosts, kernel, target. What a row says itself comes before it.
    pub properties: Properties,
    /// Its figures.
    pub rows: Vec<SubjectRow>,
    /// What a reader of a comparison must know of it, in sentences: it was cut short, I/Os failed, it is not to be
    /// used. Empty when all is well.
    pub doubts: Vec<String>,
    /// It did not run to its end: its figures are those until then.
    pub is_unfinished: bool,
    /// Its grade says that its figures are not to be used: what is shown by them is likely at most.
    pub is_unfit: bool,
}

/// The figures of one operation of one workload, or group of workloads, in one stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubjectRow {
    /// Name of the stage; empty where the source has none.
    pub stage: String,
    /// Which stage of its source it is of, in whatever order: rows of one stage have one number.
    pub stage_number: u32,
    /// Name of the workload or of the group.
    pub workload: String,
    /// The operation; `None` = all that carry data together, of a workload that has several of these.
    pub op: Option<Op>,
    /// What was measured, in the words of a report (`4 KiB random read, depth 8`); empty where the names say it.
    pub words: String,
    /// The state of the system that it was measured in, where a run has several; else empty.
    pub arm: String,
    /// Which round of a run it is of, from 1, where that went through its work several times; rows of one round were
    /// measured next to each other. `None` = there are no rounds.
    pub round: Option<u32>,
    /// What was set for it.
    pub properties: Properties,
    /// What its latencies are counted from.
    pub latency_from: LatencyFrom,
    /// The same of the mean and the largest, where that is something else: fio's percentiles may lack the time that
    /// submitting took, and its mean has it.
    pub mean_from: Option<LatencyFrom>,
    /// Percentiles and the longest latency are printed in steps of this many nanoseconds; 0 = as they were measured.
    pub latency_step: f64,
    /// What is known, each kind at most once.
    pub figures: Vec<SubjectFigure>,
    /// The measured intervals in order, warm-up left out; empty where the source has none.
    pub series: Vec<SeriesPart>,
    /// Latencies in nanoseconds, of the kind of `latency_from`.
    pub histogram: Option<Histogram>,
    /// The time that its rates are of: that in which all of its jobs ran, where some of them ran longer; `None` = all of it.
    pub overlap: Option<Nanos>,
    /// The time from the first start to the last end, where its jobs did not all run at any one time: its rates are of that, pauses
    /// included; `None` = some time was common to all.
    pub apart: Option<Nanos>,
    /// I/Os that failed.
    pub errors: u64,
    /// Its figures are those of a second measurement: the first one chose the point as the best of several, so it is likely
    /// to be a lucky one.
    pub is_confirmation: bool,
}

/// What latencies are counted from. Those of different kinds are not comparable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatencyFrom {
    /// From when the I/O was to start, or, in a closed loop, from just before it was submitted.
    #[default]
    Start,
    /// From when the I/O was issued, however late that was: where a rate is asked for, what a busy volume delays is not
    /// counted.
    Issued,
    /// From when the submitting call returned (`clat`).
    Submitted,
    /// The source does not say, or has no latencies.
    Unknown,
}

impl LatencyFrom {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Start => "from when the I/O was to start",
            Self::Issued => "from when the I/O was issued, however late",
            Self::Submitted => "from when the I/O had been submitted",
            Self::Unknown => "of an unknown kind",
        }
    }
}

/// One figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubjectFigure {
    /// Which one.
    pub kind: FigureKind,
    /// Its value: I/Os or bytes a second, or nanoseconds.
    pub value: f64,
    /// Lower end of its 95 % interval; `None` where it has none.
    pub low: Option<f64>,
    /// Upper end; `None` where it has none, or where the samples are too few for one.
    pub high: Option<f64>,
    /// Whether the truth is this or more, since I/Os had not ended.
    pub at_least: bool,
}

impl SubjectFigure {
    /// A figure of which only the value is known.
    #[must_use]
    pub const fn plain(kind: FigureKind, value: f64) -> Self {
        Self {
            kind,
            value,
            low: None,
            high: None,
            at_least: false,
        }
    }
}

/// What was done in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeriesPart {
    /// Length in seconds, above 0.
    pub seconds: f64,
    /// I/Os that ended in it.
    pub ios: f64,
    /// Bytes that they moved.
    pub bytes: f64,
    /// Sum of their latencies in nanoseconds; `None` where the source does not say.
    pub latency_sum: Option<f64>,
}

impl Subject {
    /// With the rows of one name that did different work distinguished by what differs: points of a loop whose stages have
    /// one name, as Vdbench's `forthreads`, are no repeats of each other. All that makes a subject ends with it, so that
    /// a row has one name wherever it is shown, asserted or compared.
    #[must_use]
    pub fn distinguished(mut self) -> Self {
        let whole = &self.properties;
        let rates = self.rates_of_stages();
        let place = |row: &SubjectRow| (row.stage.clone(), row.workload.clone(), row.arm.clone());
        let mut places: Vec<_> = self.rows.iter().map(place).collect();
        places.sort();
        places.dedup();
        for one in places {
            let mut own: Vec<&mut SubjectRow> = self
                .rows
                .iter_mut()
                .filter(|row| place(row) == one)
                .collect();
            let works: Vec<(Option<Op>, Properties)> = own
                .iter()
                .map(|row| {
                    let each = whole.iter().chain(&row.properties);
                    let mut work: Properties = each.map(owned).collect();
                    // A stage is called by what all of it was asked for, not by the share of a workload.
                    let rate = rates.get(&(row.stage.clone(), row.stage_number));
                    work.extend(rate.map(|rate| (Property::Rate, rate.clone())));
                    (row.op, work)
                })
                .collect();
            let works: Vec<_> = works.iter().map(|(op, work)| (*op, work)).collect();
            for (row, words) in own.iter_mut().zip(work::distinctions(&works)) {
                if words.is_empty() {
                    continue;
                }
                // Where stages have no names, workloads have; where both have one, both keep one.
                if row.stage.is_empty() || row.workload == row.stage {
                    row.workload = format!("{}, {words}", row.workload);
                }
                if !row.stage.is_empty() {
                    row.stage = format!("{}, {words}", row.stage);
                }
            }
        }
        self
    }

    /// The requested rate of all workloads of a stage together, by its name and number, where it has several.
    fn rates_of_stages(&self) -> BTreeMap<(String, u32), PropertyValue> {
        let named = self.rows.iter().filter(|row| !row.workload.is_empty());
        let named: BTreeSet<(&String, u32)> =
            named.map(|row| (&row.stage, row.stage_number)).collect();
        let sums = self.rows.iter().filter(|row| {
            row.workload.is_empty() && named.contains(&(&row.stage, row.stage_number))
        });
        let rate = |row: &SubjectRow| {
            let rate = row.properties.get(&Property::Rate)?;
            Some(((row.stage.clone(), row.stage_number), rate.clone()))
        };
        sums.filter_map(rate).collect()
    }

    /// With a doubt where another tool's latencies are all zero, or where it gives rates and no latencies: the findings
    /// `latency-zero` and `latencies-hidden` of a result that is no run of leadline's.
    #[must_use]
    pub fn with_latencies_judged(mut self) -> Self {
        let rows = self.rows.iter().filter(|row| row.rate_is_known());
        let [zero, none] =
            [SubjectRow::has_zero_latencies, SubjectRow::lacks_latencies].map(|is| {
                let names = rows
                    .clone()
                    .filter(|row| is(row))
                    .map(|row| row.name().label());
                names.collect::<Vec<_>>().join(", ")
            });
        if !zero.is_empty() {
            self.doubts.push(format!(
                "{zero}: every I/O took 0 ns [latency-zero]: the clock did not advance, or latencies were not measured; do not \
                 compare rates without latencies"
            ));
        }
        if !none.is_empty() {
            self.doubts.push(format!(
                "{none}: there are no latencies [latencies-hidden]: measure again with them, and quote rates together with \
                 their latency and depth"
            ));
        }
        self
    }

    /// With the state of the system in the names of its rows, where they are of several states: the same work in two of
    /// them is no repeat.
    pub(super) fn with_states_apart(mut self) -> Self {
        let first = self.rows.first().map(|row| row.arm.clone());
        if self.rows.iter().all(|row| Some(&row.arm) == first.as_ref()) {
            return self;
        }
        for row in self.rows.iter_mut().filter(|row| !row.arm.is_empty()) {
            let arm = std::mem::take(&mut row.arm);
            if row.workload == row.stage || row.stage.is_empty() {
                row.workload = format!("{}, {arm}", row.workload);
            }
            if !row.stage.is_empty() {
                row.stage = format!("{}, {arm}", row.stage);
            }
            if !row.words.is_empty() {
                row.words = format!("{}, {arm}", row.words);
            }
        }
        self
    }

    /// Whether it is the same result, whatever its name and place: all figures and the start are the same.
    #[must_use]
    pub fn is_copy_of(&self, other: &Self) -> bool {
        self.wall_ms == other.wall_ms && !self.rows.is_empty() && self.rows == other.rows
    }
}

impl SubjectRow {
    /// One of its figures, if it has it.
    #[must_use]
    pub fn figure(&self, kind: FigureKind) -> Option<&SubjectFigure> {
        self.figures.iter().find(|f| f.kind == kind)
    }

    /// The same; a percentile that is not among its figures comes from the histogram, without an interval, where at
    /// least ten samples are beyond it.
    #[must_use]
    pub fn figure_of(&self, kind: FigureKind) -> Option<SubjectFigure> {
        if let Some(known) = self.figure(kind) {
            return Some(*known);
        }
        let FigureKind::Percentile(percent) = kind else {
            return None;
        };
        let histogram = self.histogram.as_ref()?;
        let percent = percent.of_100();
        let beyond = histogram.total() as f64 * (1.0 - percent / 100.0);
        let ranked = histogram.ranked(percent).filter(|_| beyond >= 10.0)?;
        let value = ranked.value(0, u64::MAX) as f64;
        Some(SubjectFigure::plain(kind, value))
    }

    /// Whether it has a rate above zero.
    fn rate_is_known(&self) -> bool {
        self.figure(FigureKind::Iops).is_some_and(|f| f.value > 0.0)
    }

    /// Its latencies, other than the longest.
    fn latencies(&self) -> impl Iterator<Item = f64> {
        let is_latency = |kind| matches!(kind, FigureKind::Mean | FigureKind::Percentile(_));
        let own = self.figures.iter().filter(move |f| is_latency(f.kind));
        own.map(|f| f.value)
    }

    /// Whether it has latencies, and all of them are zero.
    fn has_zero_latencies(&self) -> bool {
        !self.lacks_latencies()
            && self.histogram.is_none()
            && self.latencies().all(|value| value <= 0.0)
    }

    /// Whether it says nothing of latencies.
    fn lacks_latencies(&self) -> bool {
        self.latencies().next().is_none() && self.histogram.is_none()
    }

    /// What a latency of it is counted from.
    #[must_use]
    pub fn counts_from(&self, kind: FigureKind) -> LatencyFrom {
        match kind {
            FigureKind::Mean | FigureKind::Max => self.mean_from.unwrap_or(self.latency_from),
            _ => self.latency_from,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> RowName {
        RowName {
            stage: self.stage.clone(),
            workload: self.workload.clone(),
            op: self.op,
        }
    }
}

/// What a row is called: repeats of one measurement are called alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowName {
    /// Name of the stage.
    pub stage: String,
    /// Name of the workload or of the group.
    pub workload: String,
    /// The operation; `None` = all together.
    pub op: Option<Op>,
}

impl RowName {
    /// Stage and workload, `latency / 4k`; the workload alone where the stage has its name, or that of the first job of a group.
    #[must_use]
    pub fn place(&self) -> String {
        let names_more_than = |stage| {
            let rest = self.workload.strip_prefix(stage);
            rest.is_some_and(|rest| rest.starts_with(", "))
        };
        match (self.stage.as_str(), self.workload.as_str()) {
            ("", one) | (one, "") => one.to_owned(),
            (stage, workload) if stage == workload || names_more_than(stage) => workload.to_owned(),
            (stage, workload) => format!("{stage} / {workload}"),
        }
    }

    /// Whether both are of the same work, whatever the operation.
    #[must_use]
    pub fn is_of(&self, other: &Self) -> bool {
        self.stage == other.stage && self.workload == other.workload
    }

    /// Whether this is what all workloads of a stage did together, and the other is of one of these.
    #[must_use]
    pub fn is_sum_with(&self, part: &Self) -> bool {
        // The whole of a stage that has the name of one job has those of all.
        let rest = self.stage.strip_prefix(&part.stage);
        let same_stage =
            rest.is_some_and(|r| r.is_empty() || r.starts_with(", ") || r.starts_with("; "));
        self.workload.is_empty() && !part.workload.is_empty() && same_stage
    }

    /// With the operation: `latency / 4k read`.
    #[must_use]
    pub fn label(&self) -> String {
        let op = self.op.map_or("all", Op::name);
        match self.place().as_str() {
            "" => op.to_owned(),
            place => format!("{place} {op}"),
        }
    }
}

fn owned((key, value): (&Property, &PropertyValue)) -> (Property, PropertyValue) {
    (*key, value.clone())
}
