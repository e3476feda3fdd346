//! Conditions on a comparison: `iops<-3%` is met where the interval of the change shows it.
//!
//! Belongs here: conditions against changes. Must never: compute a change.

use super::selector::{PickedOps, picks};
use super::verdict::NO_CHANGE;
use super::{ComparedFigure, Comparison};
use leadline_model::condition::Condition;

/// What became of a condition on one row.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionState {
    /// The whole interval of the change is beyond the limit.
    Met,
    /// The whole interval is on the other side.
    NotMet,
    /// The interval has the limit inside.
    Open,
    /// It could not be looked at: why, in words.
    Unchecked(String),
}

impl ConditionState {
    /// Its name in data.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::NotMet => "not-met",
            Self::Open => "open",
            Self::Unchecked(_) => "unchecked",
        }
    }
}

/// A condition on one row.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionCheck {
    /// The condition as it was written.
    pub text: String,
    /// The row; empty where none is meant by that name.
    pub row: String,
    /// What became of it.
    pub state: ConditionState,
    /// The change that decided, with its interval, in percent.
    pub change: Option<(f64, f64, f64)>,
    /// How many repeats would decide it, where it is open.
    pub enough: Option<u32>,
}

/// Looks at all conditions, each on every row that it names.
#[must_use]
pub fn check_changes(comparison: &Comparison, conditions: &[Condition]) -> Vec<ConditionCheck> {
    let names: Vec<_> = comparison.rows.iter().map(|row| row.name.clone()).collect();
    let mut all = Vec::new();
    let sides = comparison.sides.iter();
    let unfinished: Vec<&str> = sides
        .flat_map(|side| side.unfinished.iter().map(String::as_str))
        .collect();
    if !unfinished.is_empty() {
        let why = format!("did not run to the end: {}", unfinished.join(", "));
        let each = conditions.iter();
        return each.map(|c| unchecked(c, "", why.clone())).collect();
    }
    for condition in conditions {
        let picked = picks(&condition.row, &names, PickedOps::Each);
        if picked.is_empty() {
            let what = match condition.row.as_str() {
                "" => "A and B have no row in common".to_owned(),
                row => format!("no row is called {row}"),
            };
            all.push(unchecked(condition, "", what));
        }
        for row in picked.into_iter().filter_map(|at| comparison.rows.get(at)) {
            let label = row.name.label();
            let figure = row.figures.iter().find(|f| f.kind == condition.figure);
            all.push(match figure {
                Some(figure) => check_one(condition, &label, figure),
                None => unchecked(
                    condition,
                    &label,
                    format!("there is no {}", condition.figure),
                ),
            });
        }
    }
    all
}

fn unchecked(condition: &Condition, row: &str, why: String) -> ConditionCheck {
    ConditionCheck {
        text: condition.text.clone(),
        row: row.to_owned(),
        state: ConditionState::Unchecked(why),
        change: None,
        enough: None,
    }
}

fn check_one(condition: &Condition, row: &str, figure: &ComparedFigure) -> ConditionCheck {
    if let super::ChangeVerdict::NotComparable(why) = &figure.verdict {
        return unchecked(condition, row, why.clone());
    }
    let Some((value, Some((low, high)))) = figure.change.map(|c| (c.percent, c.within)) else {
        return unchecked(condition, row, "the change has no interval".to_owned());
    };
    let limit = condition.limit.value();
    let is_none =
        figure.verdict == super::ChangeVerdict::NoDifference && value.abs() < 100.0 * NO_CHANGE;
    // Less than a single I/O makes is nothing.
    let holds = |end: f64| {
        let is_nothing = is_none && end.abs() < 100.0 * NO_CHANGE;
        let end = if is_nothing { 0.0 } else { end };
        condition.relation.holds(end, limit)
    };
    let state = match (holds(low), holds(high)) {
        (true, true) => ConditionState::Met,
        (false, false) => ConditionState::NotMet,
        _ => ConditionState::Open,
    };
    let wanted = (1.0 + value / 100.0).ln() - (1.0 + limit / 100.0).ln();
    let enough = (state == ConditionState::Open)
        .then(|| figure.enough_for(wanted))
        .flatten();
    ConditionCheck {
        text: condition.text.clone(),
        row: row.to_owned(),
        state,
        change: Some((value, low, high)),
        enough,
    }
}
