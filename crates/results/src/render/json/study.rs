//! The answer of a study in the JSON form.

use crate::run::Run;
use crate::states::answer_of;
use crate::study::studies::Answer;
use crate::study::studies::answer::{AnswerCell, AnswerTable, AnswerUnit};
use crate::summary::Summary;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a study answers.
#[derive(Serialize)]
pub(super) struct StudyView {
    name: &'static str,
    sentences: Vec<String>,
    values: BTreeMap<&'static str, StudyValueView>,
    tables: Vec<TableView>,
}

/// A value: a number with its unit and what is known of how exact it is, or a text.
#[derive(Serialize)]
struct StudyValueView {
    unit: &'static str,
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settled: Option<bool>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    at_least: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    at_most: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    few_samples: bool,
}

impl StudyValueView {
    fn of(cell: &AnswerCell, unit: AnswerUnit) -> Self {
        let within = match cell {
            AnswerCell::Within(interval) | AnswerCell::Doubtful(interval) => {
                Some(interval).filter(|i| i.is_known())
            }
            _ => None,
        };
        let value = cell.number();
        let ends = within.map(|i| i.ends(value.unwrap_or(i.value)));
        Self {
            unit: unit.name(),
            value,
            text: match cell {
                AnswerCell::Text(text) => Some(text.clone()),
                _ => None,
            },
            low: ends.map(|ends| ends.0),
            high: ends.map(|ends| ends.1),
            settled: within.map(|i| i.settled),
            at_least: matches!(cell, AnswerCell::AtLeast(_)),
            at_most: matches!(cell, AnswerCell::AtMost(_)),
            few_samples: matches!(cell, AnswerCell::Doubtful(_)),
        }
    }
}

#[derive(Serialize)]
struct TableView {
    title: String,
    rows: Vec<BTreeMap<String, StudyValueView>>,
}

impl TableView {
    fn of(table: AnswerTable) -> Self {
        let row = |row: &Vec<AnswerCell>| {
            let cells = table.columns.iter().zip(row);
            let named = cells.map(|(c, cell)| (c.name.clone(), StudyValueView::of(cell, c.unit)));
            named.collect()
        };
        Self {
            rows: table.rows.iter().map(row).collect(),
            title: table.title,
        }
    }
}

/// The answer of a run, whose summary is given; `None` where it is no study.
pub(super) fn of(run: &Run, summary: &Summary) -> Option<StudyView> {
    let study = run.plan.as_ref()?.study.as_deref()?;
    let Answer {
        sentences,
        values,
        tables,
        charts: _,
    } = answer_of(run, summary)?;
    let value = |(name, cell, unit): (&'static str, AnswerCell, AnswerUnit)| {
        (name, StudyValueView::of(&cell, unit))
    };
    Some(StudyView {
        name: study.question.name(),
        sentences,
        values: values.into_iter().map(value).collect(),
        tables: tables.into_iter().map(TableView::of).collect(),
    })
}
