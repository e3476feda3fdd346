//! A result of another tool against limits: what its rows say of rate, block size and mix, and no more.
//!
//! Belongs here: from rows to measured figures. Must never: guess what a row does not say.

use super::of_run::{highest, line, table_of};
use leadline_limits::{Answer, Class, Figure, Path as Way, Setup, Standing};
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;
use leadline_results::compare::{Subject, SubjectRow};
use leadline_results::words::{both_per_s, rate};
use leadline_results::work::{Property, PropertyValue};

/// The stage in which Vdbench fills its files.
const FORMAT: &str = "SD_format";

/// Rows that were measured at once, with what they are called.
struct RowsAtOnce<'a> {
    label: String,
    rows: Vec<&'a SubjectRow>,
}

/// Compares a result with limits: the answer for the part of it that comes nearest to one, what is said of each in its
/// remarks; `None` where no row has a rate of reads or writes.
pub(crate) fn compared(
    subject: &Subject,
    setup: &Setup,
    answer: &dyn Fn(Setup) -> Answer,
) -> Option<Answer> {
    let mut lines = Vec::new();
    let mut nearest: Option<(f64, Answer, String)> = None;
    for part in parts(subject) {
        let Some(own) = measured(&part.rows, setup) else {
            continue;
        };
        let sum = |of: fn(&Figure) -> Option<f64>| own.measured.iter().map(of).sum();
        let (iops, bytes): (Option<f64>, Option<f64>) = (sum(|f| f.iops), sum(|f| f.bytes));
        let iops = iops.map(|iops| format!("{} IOPS", rate(iops)));
        let rates: Vec<String> = iops.into_iter().chain(bytes.map(both_per_s)).collect();
        let of_part = answer(own);
        lines.push(line(&part.label, &rates, &of_part));
        let u = highest(&of_part);
        if nearest.as_ref().is_none_or(|(best, ..)| u > *best) {
            nearest = Some((u, of_part, part.label));
        }
    }
    let (_, nearest, label) = nearest?;
    if lines.len() > 1 {
        lines.push(table_of(&label));
    }
    lines.extend(may_be_paced(subject, &nearest).then(|| UNKNOWN_RATE.to_owned()));
    Some(Answer {
        remarks: lines,
        ..nearest
    })
}

/// What is said of such a result.
const UNKNOWN_RATE: &str = "this result does not say whether a rate was asked for: a figure at a limit may be at that rate";

/// Whether a figure is at a limit of which the rate that was asked for may be the reason.
fn may_be_paced(subject: &Subject, answer: &Answer) -> bool {
    let unknown =
        |row: &SubjectRow| row.properties.get(&Property::Rate) == Some(&PropertyValue::Unknown);
    let compared = answer.verdict.iter().flat_map(|v| &v.compared);
    let is_at = compared.into_iter().any(|c| c.standing == Standing::At);
    is_at && subject.rows.iter().any(unknown)
}

/// Each workload of each stage, and where a stage has several, all of them together: whether they ran at once is not
/// said by every tool.
fn parts(subject: &Subject) -> Vec<RowsAtOnce<'_>> {
    let names: Vec<_> = subject.rows.iter().map(SubjectRow::name).collect();
    let is_sum = |row: &SubjectRow| names.iter().any(|part| row.name().is_sum_with(part));
    let is_own = |row: &&SubjectRow| row.stage != FORMAT && !is_sum(row);
    let rows: Vec<&SubjectRow> = subject.rows.iter().filter(is_own).collect();
    let mut stages: Vec<(&str, Vec<RowsAtOnce<'_>>)> = Vec::new();
    for row in rows {
        let at = stages.iter().position(|(name, _)| *name == row.stage);
        let at = at.unwrap_or_else(|| {
            stages.push((&row.stage, Vec::new()));
            stages.len() - 1
        });
        let label = match row.name().place() {
            place if place.is_empty() => subject.name.clone(),
            place => place,
        };
        let own = &mut stages[at].1;
        match own.iter_mut().find(|part| part.label == label) {
            Some(part) => part.rows.push(row),
            None => own.push(RowsAtOnce {
                label,
                rows: vec![row],
            }),
        }
    }
    let with_all = stages.into_iter().flat_map(|(stage, own)| {
        let place = if stage.is_empty() { "" } else { ": " };
        let all = (own.len() > 1).then(|| RowsAtOnce {
            label: format!("{stage}{place}all jobs together, if they ran at once"),
            rows: own.iter().flat_map(|part| part.rows.clone()).collect(),
        });
        own.into_iter().chain(all).collect::<Vec<_>>()
    });
    with_all.collect()
}

/// The set-up with what rows say; `None` where they have no rate of reads or writes. What the user said of block size and
/// mix stays.
fn measured(rows: &[&SubjectRow], setup: &Setup) -> Option<Setup> {
    let figures = figures(rows);
    if figures.is_empty() {
        return None;
    }
    let sum = |of: fn(&Figure) -> Option<f64>, class: Option<Class>| -> Option<f64> {
        let own = figures.iter();
        let own = own.filter(|figure| class.is_none_or(|class| figure.class == class));
        own.map(of).sum()
    };
    let all = sum(|f| f.iops, None).filter(|iops| *iops > 0.0);
    let mean = sum(|f| f.bytes, None)
        .zip(all)
        .map(|(bytes, iops)| bytes / iops);
    let mean = mean.filter(|bytes| *bytes > 0.0);
    let is_split = figures.iter().all(|figure| figure.class != Class::All);
    let reads = match is_split {
        true => sum(|f| f.iops, Some(Class::Reads))
            .zip(all)
            .map(|(reads, all)| reads / all),
        false => alike(rows, Property::Mix).and_then(|mix| match mix {
            PropertyValue::Percent(percent) => Some(percent.of_one()),
            _ => None,
        }),
    };
    let asked = alike(rows, Property::BlockSize).and_then(|size| match size {
        PropertyValue::Bytes(bytes) => Some(bytes.0 as f64),
        _ => None,
    });
    Some(Setup {
        block: setup.block.or(mean).or(asked),
        reads: setup.reads.or(reads),
        measured: figures,
        ..setup.clone()
    })
}

/// What all rows say of a property alike.
fn alike<'a>(rows: &[&'a SubjectRow], property: Property) -> Option<&'a PropertyValue> {
    let mut each = rows.iter().map(|row| row.properties.get(&property));
    let first = each.next().flatten()?;
    each.all(|other| other == Some(first)).then_some(first)
}

/// Reads and writes of each workload, or all I/O together where that is all that has a rate.
fn figures(rows: &[&SubjectRow]) -> Vec<Figure> {
    let has_rate = |row: &SubjectRow| {
        let rates = [FigureKind::Iops, FigureKind::BytesPerS];
        rates.into_iter().any(|kind| row.figure(kind).is_some())
    };
    let known = || rows.iter().filter(|row| has_rate(row));
    let apart =
        |row: &SubjectRow| known().any(|one| one.op.is_some() && one.name().is_of(&row.name()));
    let of = |row: &&&SubjectRow| {
        let class = match row.op {
            Some(Op::Read) => Class::Reads,
            Some(Op::Write) => Class::Writes,
            None if !apart(row) => Class::All,
            _ => return None,
        };
        let value = |kind| row.figure(kind).map(|figure| figure.value);
        Some(Figure {
            class,
            path: Way::Any,
            bytes: value(FigureKind::BytesPerS),
            iops: value(FigureKind::Iops),
            own: own_rate(row),
        })
    };
    known().filter_map(|row| of(&row)).collect()
}

/// The IOPS that a row was held to, where that is said of it alone.
fn own_rate(row: &SubjectRow) -> Option<f64> {
    match row.properties.get(&Property::Rate)? {
        PropertyValue::Iops(iops) => match (row.op, row.properties.get(&Property::Mix)) {
            (Some(op), Some(PropertyValue::Percent(mix))) => {
                let reads = mix.of_one();
                Some(iops * if op == Op::Read { reads } else { 1.0 - reads })
            }
            (None, _) => Some(*iops),
            _ => None,
        },
        PropertyValue::Each(each) => {
            let own = each
                .iter()
                .find(|(op, _)| row.op.is_some_and(|own| own.name() == *op));
            match own? {
                (_, PropertyValue::Iops(iops)) => Some(*iops),
                _ => None,
            }
        }
        _ => None,
    }
}
