//! What the knees of a curve of rates are, in words that say first what was measured, then how far the truth may be from it; the
//! table that has the same.
//!
//! Must never: look for a knee.

use super::answer::{AnswerCell, AnswerTable, AnswerUnit, Column};
use crate::words::about;

/// Where rate over mean latency is largest: the point or points, and between which rates it may be.
pub(super) fn ratio(at: &str, between: Option<(f64, f64)>) -> String {
    let best = format!("the best ratio of IOPS to mean latency was at {at}");
    match between {
        Some(ends) => format!("{best}; the true optimum may lie {}", rates(ends)),
        None => best,
    }
}

/// Up to where the mean latency is at most twice the lowest: the last such point, and between which rates it reaches that.
pub(super) fn twice(at: &str, between: Option<(f64, f64)>) -> String {
    let last = format!("mean latency was at most twice its lowest up to {at}");
    match between {
        Some(ends) => format!(
            "{last}; the true rate at which it exceeds that may lie {}",
            rates(ends)
        ),
        None => last,
    }
}

/// The knees of curves: each at the point that was measured, with the rates of the points between which that of the curve may be.
pub(super) fn table(rows: Vec<Vec<AnswerCell>>) -> AnswerTable {
    AnswerTable {
        title: "Knees".to_owned(),
        columns: vec![
            Column::new("load", AnswerUnit::Text),
            Column::concluded("knee", AnswerUnit::Text),
            Column::concluded("measured at", AnswerUnit::Iops),
            Column::concluded("may lie from", AnswerUnit::Iops),
            Column::concluded("to", AnswerUnit::Iops),
        ],
        rows,
    }
}

/// The rate of a later point may be the lower one, where a point did not keep its rate.
fn rates((one, other): (f64, f64)) -> String {
    let (low, high) = (one.min(other), one.max(other));
    match (about(low), about(high)) {
        (low, high) if low == high => format!("near {low} IOPS"),
        (low, high) => format!("between {low} and {high} IOPS"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_is_said_before_what_may_be() {
        assert_eq!(
            ratio("58,100 IOPS (mean 580 us)", Some((44_900.0, 61_000.0))),
            "the best ratio of IOPS to mean latency was at 58,100 IOPS (mean 580 us); the true optimum may lie \
             between 44,900 and 61,000 IOPS"
        );
        assert_eq!(
            twice("62,700 IOPS", Some((62_700.0, 63_400.0))),
            "mean latency was at most twice its lowest up to 62,700 IOPS; the true rate at which it exceeds that may lie \
             between 62,700 and 63,400 IOPS"
        );
        let backwards = twice("3,410 IOPS", Some((3410.0, 3100.0)));
        assert!(
            backwards.ends_with("between 3,100 and 3,410 IOPS"),
            "{backwards}"
        );
        assert!(twice("62,700 IOPS", None).ends_with("up to 62,700 IOPS"));
    }
}
