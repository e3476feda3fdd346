//! The course of a point in time.
//!
//! Belongs here: intervals as points of a line. Must never: draw.

use super::figure::PlotFigure;
use super::observed::Observed;
use super::spot::PlotSpot;
use crate::run::Run;
use crate::stats::Bracket;
use crate::summary::series::{coarser, series};
use leadline_model::sample::Sample;
use leadline_model::units::Nanos;

/// Most points of a line.
const MOST_POINTS: usize = 480;

/// The figure in each interval, over seconds from the start of the stage, and the end of the warm-up in seconds; 0 = there
/// is none. A rate is drawn at the start of its interval, a latency in the middle.
pub(super) fn course(run: &Run, of: &Observed<'_>, figure: PlotFigure) -> (Vec<PlotSpot>, f64) {
    let Some(stage) = run.stages.get(of.stage) else {
        return (Vec::new(), 0.0);
    };
    let own = stage.samples.iter();
    let own: Vec<&Sample> = own
        .filter(|s| of.workload.is_none_or(|w| w == s.workload))
        .collect();
    // Samples of several workloads are merged by interval before any is joined with its neighbours.
    let points = match of.workload.is_some() || stage.samples.iter().all(|s| s.workload == 0) {
        true => series(&coarser(&own, MOST_POINTS).0, None),
        false => series(&stage.samples, None),
    };
    let end = |start: Nanos, length: Nanos| Nanos(start.0 + length.0).as_secs_f64();
    let warm = points.iter().filter(|p| p.warmup);
    let warm = warm.map(|p| end(p.start, p.length)).fold(0.0, f64::max);
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
    (spots, warm)
}

/// Whether a line has intervals without a value between its first point and the end of the last interval, which is none.
pub(super) fn has_gaps(spots: &[PlotSpot]) -> bool {
    let points = spots.split_last().map_or(spots, |(_, points)| points);
    let is_known = |spot: &PlotSpot| spot.y.is_finite();
    points.iter().any(is_known) && !points.iter().all(is_known)
}
