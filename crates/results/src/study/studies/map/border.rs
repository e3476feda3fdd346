//! The border of a map: which pairs of rates the volume reaches.
//!
//! Belongs here: the border's sentence, chart and table. Must never: choose what is measured.

use super::{FoundMap, Pair};
use crate::study::studies::answer::{
    AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable, AnswerUnit, Column,
};
use crate::words::{about, whole};

/// The border of a map at one rate of reads: between the rates of writes that were measured, and so no nearer than these are to
/// each other.
#[derive(Clone, Copy, Debug)]
struct BorderPoint {
    /// Reads a second that were asked for.
    reads: f64,
    /// The highest rate of writes that was reached beside them, where one was.
    reached: Option<f64>,
    /// The lowest rate above that which was not, where one is known.
    missed: Option<f64>,
    /// A rate of writes is known to be too high.
    ends: bool,
}

impl FoundMap<'_> {
    /// For each rate of reads the highest rate of writes that was reached and the lowest above it that was not.
    fn border(&self) -> Vec<BorderPoint> {
        let mut reads: Vec<u64> = self.spots.iter().map(|s| whole(s.pair.0)).collect();
        reads.dedup();
        let of = |reads: u64| {
            let row = || self.spots.iter().filter(|s| whole(s.pair.0) == reads);
            let reached = row().filter(|s| !s.saturated).map(|s| s.pair.1);
            let reached = reached.reduce(f64::max);
            // A rate of writes that was not reached with as many reads or fewer is too high here as well.
            let full = self.full.iter().filter(|full| full.0 <= reads as f64 + 0.5);
            let above = full
                .clone()
                .map(|full| full.1)
                .filter(|rate| Some(*rate) > reached);
            BorderPoint {
                reads: reads as f64,
                reached,
                missed: above.reduce(f64::min),
                ends: full.count() > 0,
            }
        };
        reads.into_iter().map(of).collect()
    }

    /// Where the border begins and ends, in words: the writes that were reached beside the fewest reads and the most, and the
    /// next rate that was measured and not reached. It lies between the two.
    pub(super) fn border_words(&self) -> Option<String> {
        let rows: Vec<BorderPoint> = self
            .border()
            .into_iter()
            .filter(|p| p.reached.is_some())
            .collect();
        let (first, last) = (rows.first()?, rows.last()?);
        let beside = |point: &BorderPoint| {
            let writes = about(point.reached.unwrap_or_default());
            let writes = match (point.missed, point.ends) {
                (Some(missed), _) => format!("between {writes} and {}", about(missed)),
                (None, true) => writes,
                (None, false) => format!("{writes} or more"),
            };
            format!(
                "{writes} writes a second at {} reads a second",
                about(point.reads)
            )
        };
        let both = match rows.len() {
            1 => beside(first),
            _ => format!("{}, {}", beside(first), beside(last)),
        };
        Some(format!(
            "{}: border: {both}; the table has all of its points.",
            self.name
        ))
    }

    /// The highest rate of writes beside each rate of reads, as the table of the border has it.
    pub(super) fn border_chart(&self) -> Option<AnswerChart> {
        let table = self.border_table();
        let point = |row: &Vec<AnswerCell>| {
            // Neither what was not reached, nor what was and beyond which nothing was tried.
            let is_reached = matches!(row.get(1), Some(AnswerCell::Number(_)));
            AnswerPoint::of(row.first()?.number()?, row.get(1)?).filter(|_| is_reached)
        };
        let points: Vec<AnswerPoint> = table.rows.iter().filter_map(point).collect();
        (points.len() > 1).then(|| AnswerChart {
            title: table.title,
            x: AnswerAxis::linear("reads a second", AnswerUnit::Iops),
            y: AnswerAxis::linear("writes a second that were reached", AnswerUnit::Iops),
            series: vec![AnswerSeries {
                label: "writes".to_owned(),
                model: false,
                points,
            }],
            marks: Vec::new(),
        })
    }

    pub(super) fn border_table(&self) -> AnswerTable {
        // The lowest rate of writes that was not reached beside these reads.
        let lowest = |reads: f64| {
            let is_its = |pair: &&Pair| whole(pair.0) == whole(reads);
            let full = self.full.iter().filter(is_its).map(|pair| pair.1);
            full.reduce(f64::min)
        };
        let row = |point: BorderPoint| {
            let reached = match (point.reached, point.ends) {
                (None, _) => lowest(point.reads).map_or(AnswerCell::None, AnswerCell::AtMost),
                (Some(writes), true) => AnswerCell::Number(writes),
                (Some(writes), false) => AnswerCell::AtLeast(writes),
            };
            let missed = point.missed.map_or(AnswerCell::None, AnswerCell::Number);
            vec![AnswerCell::Number(point.reads), reached, missed]
        };
        AnswerTable {
            title: format!("Border: {}", self.name),
            columns: vec![
                Column::concluded("reads", AnswerUnit::Iops),
                Column::concluded("writes reached", AnswerUnit::Iops),
                Column::concluded("writes missed at", AnswerUnit::Iops),
            ],
            rows: self.border().into_iter().map(row).collect(),
        }
    }
}
