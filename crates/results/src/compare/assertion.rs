//! Whether a result keeps its limits: `randread.p99<2ms`.
//!
//! Belongs here: conditions against the figures of one result. Must never: let a condition pass that nothing was
//! measured for.

use super::selector::{PickedOps, picks};
use super::subject::{RowName, Subject, SubjectFigure, SubjectRow};
use leadline_model::condition::Condition;

/// What became of a limit on one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssertState {
    /// Kept, by the whole interval.
    Kept,
    /// Kept by the value, which has no interval.
    KeptByValue,
    /// Broken, by the whole interval.
    Broken,
    /// Broken by the value, which has no interval.
    BrokenByValue,
    /// The interval has the limit inside.
    Open,
    /// There is nothing to look at: why, in words.
    Missing(String),
}

impl AssertState {
    /// Whether it fails the command; an open one does where that is asked for.
    #[must_use]
    pub const fn fails(&self, strict: bool) -> bool {
        match self {
            Self::Kept | Self::KeptByValue => false,
            Self::Broken | Self::BrokenByValue | Self::Missing(_) => true,
            Self::Open => strict,
        }
    }

    /// Its name in data.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::KeptByValue => "kept-by-value",
            Self::Broken => "broken",
            Self::BrokenByValue => "broken-by-value",
            Self::Open => "open",
            Self::Missing(_) => "missing",
        }
    }
}

/// A limit on one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Asserted {
    /// The condition.
    pub condition: Condition,
    /// The row; empty where none is called so.
    pub row: String,
    /// The figure, if there is one.
    pub figure: Option<SubjectFigure>,
    /// What became of it.
    pub state: AssertState,
}

/// Looks at all conditions, each on every row that it names.
#[must_use]
pub fn asserted(subject: &Subject, conditions: &[Condition]) -> Vec<Asserted> {
    let names: Vec<RowName> = subject.rows.iter().map(SubjectRow::name).collect();
    let mut all = Vec::new();
    for condition in conditions {
        // A rate that is asked for is that of all operations together; a latency must be kept by each.
        let ops = match condition.figure.is_rate() {
            true => PickedOps::Together,
            false => PickedOps::Each,
        };
        let picked = picks(&condition.row, &names, ops);
        if picked.is_empty() {
            let why = match condition.row.as_str() {
                "" => "nothing was measured".to_owned(),
                row => format!("no row is called {row}"),
            };
            all.push(Asserted {
                condition: condition.clone(),
                row: String::new(),
                figure: None,
                state: AssertState::Missing(why),
            });
        }
        let rows = picked.into_iter().filter_map(|at| subject.rows.get(at));
        all.extend(rows.map(|row| of_row(condition, row)));
    }
    all
}

fn of_row(condition: &Condition, row: &SubjectRow) -> Asserted {
    let figure = row.figure_of(condition.figure);
    let state = match &figure {
        Some(figure) => state(condition, figure),
        None => AssertState::Missing(format!(
            "there is no {}: too few I/Os, or none",
            condition.figure
        )),
    };
    Asserted {
        condition: condition.clone(),
        row: row.name().label(),
        figure,
        state,
    }
}

fn state(condition: &Condition, figure: &SubjectFigure) -> AssertState {
    let limit = condition.limit.value();
    let holds = |x: f64| condition.relation.holds(x, limit);
    let upper = condition.relation.is_upper();
    if figure.at_least {
        // The truth is the value or more.
        return match (holds(figure.value), upper) {
            (true, false) => AssertState::Kept,
            (false, true) => AssertState::Broken,
            _ => AssertState::Open,
        };
    }
    match (figure.low, figure.high) {
        (None, None) if holds(figure.value) => AssertState::KeptByValue,
        (None, None) => AssertState::BrokenByValue,
        (low, high) => {
            // An end that is not known is beyond any limit.
            let (worst, best) = if upper { (high, low) } else { (low, high) };
            let broken = best.is_some_and(|x| !holds(x));
            match worst.is_some_and(holds) {
                true => AssertState::Kept,
                false if broken => AssertState::Broken,
                false => AssertState::Open,
            }
        }
    }
}
