//! Whether a rate that was asked for was reached.
//!
//! Belongs here: the one rule for all who ask. Must never: say what follows from it.

use leadline_model::plan::{Arrival, Pace, Workload};

/// A rate of which less than this share was done was not reached.
const REACHED: f64 = 0.98;

/// How the intended starts of a workload spread; evenly where it has none.
pub(crate) const fn arrival_of(workload: &Workload) -> Arrival {
    match workload.pace {
        Pace::Open { arrival, .. } => arrival,
        Pace::Closed => Arrival::Constant,
    }
}

/// How those of several workloads spread together: as the first whose are drawn, if there is one.
pub(crate) fn arrival_of_all(workloads: &[Workload]) -> Arrival {
    let each = workloads.iter().map(arrival_of);
    let mut drawn = each.filter(|arrival| *arrival != Arrival::Constant);
    drawn.next().unwrap_or(Arrival::Constant)
}

/// I/Os that may be missing though all that were due were done: two, and where the intended starts are drawn
/// (Vdbench, fio's rate_process=poisson) four times the standard deviation of their number.
fn missing_by_chance(arrival: Arrival, due: f64) -> f64 {
    match arrival {
        Arrival::Constant => 2.0,
        // Distances drawn evenly spread less than these.
        Arrival::Poisson | Arrival::Even => (4.0 * due.sqrt()).max(2.0),
    }
}

/// Whether less than 0.98 of a rate was reached, by more I/Os than chance explains: I/Os a second asked and reached in
/// this many seconds.
pub(crate) fn is_missed(arrival: Arrival, asked: f64, reached: f64, seconds: f64) -> bool {
    let missing = (asked - reached) * seconds;
    reached < REACHED * asked && missing >= missing_by_chance(arrival, asked * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_arrivals_may_be_fewer_than_requested() {
        // 1,000 a second for 5 s: 5,000 are due, give or take 71.
        let missed = |arrival, reached| is_missed(arrival, 1000.0, reached, 5.0);
        assert!(!missed(Arrival::Poisson, 970.0) && missed(Arrival::Poisson, 940.0));
        assert!(missed(Arrival::Constant, 970.0) && !missed(Arrival::Constant, 985.0));
        // 500 s of them: 2 % are no chance.
        assert!(is_missed(Arrival::Poisson, 1000.0, 979.0, 500.0));
        // A single one that did not end is no shortfall of a short point.
        assert!(!is_missed(Arrival::Constant, 10.0, 9.0, 1.0));
    }
}
