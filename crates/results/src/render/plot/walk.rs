//! Where the points of a line are, and in which order they are joined.
//!
//! Belongs here: from points to their places. Must never: join points between which nothing was swept.

use super::axis::PlotAxis;
use super::figure::PlotFigure;
use super::observed::{OPEN, Observed};
use super::pooled::pooled;
use super::request::PlotX;
use super::spot::PlotSpot;
use leadline_model::plan::study::Coordinate;
use std::cmp::Ordering;

/// What is along x, with its names where values are no numbers.
pub(super) type Along<'a> = (PlotX, &'a [String]);

/// Whether two settings of these points go one way: in the order of the first the second never falls, or what one gets the
/// other gives. Then the points have an order; of a grid, and of a row with a column, they have none.
pub(super) fn goes_one_way(pairs: &[(f64, f64)]) -> bool {
    let mut pairs = pairs.to_vec();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    pairs.dedup();
    let rises = pairs.windows(2).all(|two| two[0].1 <= two[1].1);
    let is_exchanged = |two: &[(f64, f64)]| two[0].0 < two[1].0 && two[0].1 > two[1].1;
    rises || pairs.windows(2).all(is_exchanged)
}

/// Whether the points of a line over a figure have an order: closed loops that of their depths, open ones that of their
/// rates, unless reads and writes had rates of their own and all pairs of these were tried.
pub(super) fn have_order(points: &[Observed<'_>]) -> bool {
    let pairs = points
        .iter()
        .filter(|o| is_open(o))
        .map(|o| {
            (
                number(o, PlotAxis::ReadRate),
                number(o, PlotAxis::WriteRate),
            )
        })
        .map(|(reads, writes)| (reads.unwrap_or(0.0), writes.unwrap_or(0.0)));
    goes_one_way(&pairs.collect::<Vec<_>>())
}

/// Whether the I/Os of a point start at a rate.
pub(super) fn is_open(o: &Observed<'_>) -> bool {
    matches!(o.at.get(&PlotAxis::Loop), Some(Coordinate::Text(text)) if text == OPEN)
}

/// Where a point is on an axis of numbers.
pub(super) fn number(o: &Observed<'_>, axis: PlotAxis) -> Option<f64> {
    o.at.get(&axis).and_then(Coordinate::number)
}

/// A point of a line before those at one place are one.
#[derive(Clone, Copy)]
struct Located<'a> {
    x: f64,
    of: &'a Observed<'a>,
    /// I/Os in flight; rates of reads and of writes, and the rate of all: the most where none was asked for.
    load: [f64; 4],
}

impl<'a> Located<'a> {
    fn of(o: &'a Observed<'a>, figure: PlotFigure, along: Along<'_>) -> Option<Self> {
        figure.of(o.figures, o.queue)?;
        let x = match along.0 {
            PlotX::Setting(axis) => place(o, axis, along.1),
            PlotX::Figure(of) => of.of(o.figures, o.queue).map(|known| known.value),
            PlotX::Time | PlotX::Percentile => None,
        };
        Some(Self {
            x: x?,
            of: o,
            load: [
                number(o, PlotAxis::InFlight).unwrap_or(0.0),
                number(o, PlotAxis::ReadRate).unwrap_or(0.0),
                number(o, PlotAxis::WriteRate).unwrap_or(0.0),
                number(o, PlotAxis::Rate).unwrap_or(f64::INFINITY),
            ],
        })
    }

    /// By the load.
    fn order(a: &Self, b: &Self) -> Ordering {
        let pairs = a.load.iter().zip(&b.load);
        let each = pairs.map(|(a, b)| a.total_cmp(b));
        each.fold(Ordering::Equal, Ordering::then)
    }
}

/// The points of a line that have the figure, and how many have not.
pub(super) fn spots(
    points: &[Observed<'_>],
    figure: PlotFigure,
    along: Along<'_>,
) -> (Vec<PlotSpot>, usize) {
    let found = points.iter().filter_map(|o| Located::of(o, figure, along));
    let mut found: Vec<Located<'_>> = found.collect();
    let few = points.len() - found.len();
    if let PlotX::Figure(x) = along.0 {
        return (curve(found, x, figure), few);
    }
    found.sort_by(|a, b| a.x.total_cmp(&b.x));
    let same = |a: &Located<'_>, b: &Located<'_>| (a.x - b.x).abs() <= 1e-9 * a.x.abs();
    let each = found.chunk_by(same);
    let spots = each.filter_map(|same| spot(same[0].x, same, figure));
    (spots.collect(), few)
}

/// The point of a line that the measurements at one place make.
fn spot(x: f64, same: &[Located<'_>], figure: PlotFigure) -> Option<PlotSpot> {
    let own: Vec<&Observed<'_>> = same.iter().map(|one| one.of).collect();
    let y = pooled(&own, figure)?;
    Some(PlotSpot {
        x,
        y: y.value,
        bracket: y.bracket,
        count: same.len(),
        failed: same.iter().any(|one| one.of.failed),
        tag: String::new(),
    })
}

/// Points over a figure, in the order of their load: a curve may bend back. Each has its I/Os in flight for a word, where
/// these differ.
fn curve(mut found: Vec<Located<'_>>, x: PlotFigure, y: PlotFigure) -> Vec<PlotSpot> {
    found.sort_by(Located::order);
    let differ = found.windows(2).any(|two| two[0].load[0] < two[1].load[0]);
    let each = found.chunk_by(|a, b| Located::order(a, b).is_eq());
    each.filter_map(|same| {
        let own: Vec<&Observed<'_>> = same.iter().map(|one| one.of).collect();
        let tag = match differ {
            true => crate::words::trim_to(same[0].load[0], 0),
            false => String::new(),
        };
        let one = spot(pooled(&own, x)?.value, same, y)?;
        Some(PlotSpot { tag, ..one })
    })
    .collect()
}

fn place(o: &Observed<'_>, axis: PlotAxis, names: &[String]) -> Option<f64> {
    let value = o.at.get(&axis)?;
    if names.is_empty() {
        return value.number();
    }
    let name = axis.words(value);
    let at = names.iter().position(|n| *n == name)?;
    Some(at as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_no_grid() {
        let up = [(1.0, 1.0), (2.0, 1.0), (4.0, 8.0)];
        let exchange = [(0.0, 9.0), (3.0, 6.0), (9.0, 0.0)];
        let alone = [(5.0, 1.0), (5.0, 3.0), (5.0, 2.0)];
        let grid = [(1.0, 1.0), (1.0, 2.0), (2.0, 1.0), (2.0, 2.0)];
        let corner = [(1.0, 1.0), (1.0, 2.0), (2.0, 1.0)];
        assert!(goes_one_way(&up) && goes_one_way(&exchange) && goes_one_way(&alone));
        assert!(!goes_one_way(&grid) && !goes_one_way(&corner));
        assert!(goes_one_way(&[]));
    }
}
