//! The figures of a point over time.
//!
//! Belongs here: intervals as points of a line. Must never: draw.

use super::figure::PlotFigure;
use super::observed::Observed;
use super::spot::PlotSpot;
use crate::run::Run;
use crate::stats::Bracket;
use crate::summary::series::{coarser, points_for, series};
use leadline_model::sample::Sample;
use leadline_model::units::Nanos;

/// Most points of a line.
const MOST_POINTS: usize = 480;

/// A figure over time.
#[derive(Default)]
pub(super) struct FigureOverTime {
    /// Its points, over seconds from the start of the stage.
    pub(super) spots: Vec<PlotSpot>,
    /// End of the warm-up in seconds; 0 = there is none.
    pub(super) warmup_s: f64,
    /// Whether intervals were merged, as single ones have too few I/Os for the percentile.
    pub(super) is_merged: bool,
}

/// The figure in each interval. A rate is drawn at the start of its interval, a latency in the middle.
pub(super) fn figure_over_time(run: &Run, of: &Observed<'_>, figure: PlotFigure) -> FigureOverTime {
    let Some(stage) = run.stages.get(of.stage) else {
        return FigureOverTime::default();
    };
    let own = stage.samples.iter();
    let mut own: Vec<&Sample> = own
        .filter(|s| of.workload.is_none_or(|w| w == s.workload))
        .collect();
    // Samples of several workloads are merged by interval before any is joined with its neighbours.
    own.sort_by_key(|s| (s.interval, !s.warmup));
    let points = series(&coarser(&own, MOST_POINTS).0, None);
    let all = points.len();
    let points = match figure {
        PlotFigure::Tail(percent) => {
            let most = points_for(of.figures.response().count(), percent, MOST_POINTS);
            series(&coarser(&own, most).0, None)
        }
        _ => points,
    };
    let is_merged = points.len() < all;
    let end = |start: Nanos, length: Nanos| Nanos(start.0 + length.0).as_secs_f64();
    let warmup_s = points.iter().filter(|p| p.warmup);
    let warmup_s = warmup_s.map(|p| end(p.start, p.length)).fold(0.0, f64::max);
    let value = |p: &crate::summary::Point| {
        let of = match of.op {
            None => Some(&p.data),
            Some(op) => p.op(op),
        };
        let value = of.and_then(|of| figure.over_time(of));
        let none = if figure.is_latency() { f64::NAN } else { 0.0 };
        value.map_or((none, Bracket::Unknown), |known| {
            (known.value, known.bracket)
        })
    };
    let spot = |x: f64, (y, bracket): (f64, Bracket)| PlotSpot {
        x,
        y,
        bracket,
        count: 1,
        failed: of.failed,
        tag: String::new(),
    };
    let mut spots: Vec<PlotSpot> = points
        .iter()
        .map(|p| match figure.is_latency() {
            true => spot(p.middle_s(), value(p)),
            false => spot(p.start.as_secs_f64(), value(p)),
        })
        .collect();
    if let Some(last) = points.last() {
        // The line of a latency ends in the middle of its last interval, and the chart where that ends.
        let y = if figure.is_latency() {
            (f64::NAN, Bracket::Unknown)
        } else {
            value(last)
        };
        spots.push(spot(end(last.start, last.length), y));
    }
    FigureOverTime {
        spots,
        warmup_s,
        is_merged,
    }
}

/// Whether a line has intervals without a value between its first point and the end of the last interval, which is none.
pub(super) fn has_gaps(spots: &[PlotSpot]) -> bool {
    let points = spots.split_last().map_or(spots, |(_, points)| points);
    let is_known = |spot: &PlotSpot| spot.y.is_finite();
    points.iter().any(is_known) && !points.iter().all(is_known)
}
