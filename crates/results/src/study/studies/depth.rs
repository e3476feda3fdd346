//! Rate and latency over queue depth: the latency at depth 1, useful concurrency, the knee.
//!
//! Belongs here: which steps of depth are sure, and which points are measured again. Must never: what sets the limit.

use super::alone;
use super::answer::{Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerTable, AnswerUnit, Column};
use super::combinations::{coordinates, loads, point};
use super::done::Measured;
use super::group::{PointGroup, chart, kind_words, latencies, lines, table};
use super::spec::{Spec, StudyLoad};
use crate::stats::Interval;
use crate::words::{iops_within, span_within, trim_to};
use leadline_model::plan::study::{Axis, Coordinate, Study};

/// A step that gains less than this share is no gain.
const GAIN: f64 = 0.05;
/// Most measurements of one point.
const MOST_TRIES: u32 = 6;

/// Whether a step of depth gains, as far as its intervals say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gain {
    Gains,
    GainsNothing,
    Unsure,
}

/// Throughput over depth, all else equal.
struct DepthLine<'g, 'a> {
    label: String,
    points: Vec<&'g PointGroup<'a>>,
    rates: Vec<Interval>,
}

impl<'g, 'a> DepthLine<'g, 'a> {
    fn all(groups: &'g [PointGroup<'a>]) -> Vec<Self> {
        let lines = lines(groups, Axis::Depth).into_iter();
        lines
            .map(|(label, points)| Self {
                rates: points.iter().map(|p| p.iops()).collect(),
                label,
                points,
            })
            .collect()
    }

    /// The highest rate up to a point, and where it is.
    fn best_before(&self, at: usize) -> (usize, Interval) {
        let before = self.rates[..at].iter().copied().enumerate();
        before
            .max_by(|a, b| a.1.value.total_cmp(&b.1.value))
            .unwrap_or((0, self.rates[0]))
    }

    /// Whether the point at `at` gains a twentieth over the best before it.
    fn step(&self, at: usize) -> Gain {
        let (_, best) = self.best_before(at);
        let here = self.rates[at];
        if here.low >= best.high * (1.0 + GAIN) {
            Gain::Gains
        } else if here.high < best.low * (1.0 + GAIN) {
            Gain::GainsNothing
        } else {
            Gain::Unsure
        }
    }

    /// Places of the first and the last point that may be the knee: the last that gains for sure, and the last that may.
    fn knee(&self) -> (usize, usize) {
        let steps = || (1..self.points.len()).rev();
        let sure = steps()
            .find(|at| self.step(*at) == Gain::Gains)
            .unwrap_or(0);
        let may = steps()
            .find(|at| self.step(*at) != Gain::GainsNothing)
            .unwrap_or(0);
        (sure, may.max(sure))
    }

    /// Whether the throughput has stopped rising: a deeper point gained nothing.
    fn is_flat(&self) -> bool {
        self.knee().1 + 1 < self.points.len()
    }

    /// Whether the rate never rose: what is below the smallest depth that was measured is not known, unless that is one.
    fn is_flat_from_the_first(&self, at: usize) -> bool {
        self.is_flat() && at == 0 && self.in_flight(0) > 1.0
    }

    /// The highest rate: where the best point was measured once more, that of this run, since another that is higher than it is
    /// so by chance.
    fn best(&self) -> Interval {
        let confirmed = self.points.iter().position(|p| p.is_confirmed());
        let highest = || self.best_before(self.rates.len()).1;
        confirmed.map_or_else(highest, |at| self.rates[at])
    }

    /// N* = X R0 of this latency of one alone; no more than what was in flight where the rate was first reached.
    fn useful(&self, alone: Interval) -> Interval {
        /// Practically all of it.
        const ALL: f64 = 0.99;
        let best = self.best();
        let reached = self.rates.iter().position(|r| r.value >= ALL * best.value);
        let most = reached.map_or(f64::INFINITY, |at| self.in_flight(at));
        product(best, alone).at_most(most)
    }

    /// I/Os in flight at a place, at most.
    fn in_flight(&self, at: usize) -> f64 {
        self.points[at].first().summary.depth_asked as f64
    }
}

/// The point that is measured again because its step is not sure: the deepest of those that may be the knee, or the best
/// before it, whichever was measured less often.
pub(super) fn again(study: &Study, done: &[&Measured]) -> Option<Spec> {
    let groups = PointGroup::all(&on_curves(study, &steady(done)));
    for curve in DepthLine::all(&groups) {
        let (sure, may) = curve.knee();
        if sure == may {
            continue;
        }
        let (best, _) = curve.best_before(may);
        let of = |at: usize| (curve.points[at].points.len(), at);
        let (tries, at) = of(may).min(of(best));
        let tries = u32::try_from(tries).unwrap_or(u32::MAX);
        if tries < MOST_TRIES {
            return Some(tried(study, curve.points[at], tries + 1));
        }
    }
    None
}

/// The most points that [`again`] and [`paused`] add.
pub(super) fn most_added(study: &Study) -> usize {
    let all = loads(study);
    let first = all.first().map(|load| load.depth);
    let curves = all.iter().filter(|load| Some(load.depth) == first).count();
    all.len() * (MOST_TRIES as usize - 1) + curves
}

/// Depth 1 with a pause before each I/O, where depth 1 without pauses reaches more than half of the highest rate of its
/// curve: a rate limit may be most of what paces it.
pub(super) fn paused(study: &Study, done: &[&Measured]) -> Option<Spec> {
    let steady = steady(done);
    let all = PointGroup::all(&steady);
    let groups = PointGroup::all(&on_curves(study, &steady));
    DepthLine::all(&groups).iter().find_map(|curve| {
        let [alone, paused] = of_one(curve, &all);
        let alone = alone.filter(|_| curve.is_flat() && paused.is_none())?;
        let rate = alone.iops().value;
        let may_be_paced = 2.0 * rate > curve.best().value;
        may_be_paced.then(|| alone::paused(&load_of(study, curve.points[0]), study, rate))
    })
}

/// A point once more.
fn tried(study: &Study, group: &PointGroup<'_>, number: u32) -> Spec {
    let load = load_of(study, group);
    let mut spec = point(load.clone(), study);
    spec.at = coordinates(&load);
    spec.at
        .insert(Axis::Try, Coordinate::Number(f64::from(number)));
    spec
}

/// The load of a point.
fn load_of(study: &Study, group: &PointGroup<'_>) -> StudyLoad {
    let of = |axis: Axis| crate::words::whole(group.number(axis).unwrap_or(1.0));
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    StudyLoad {
        reads: u8::try_from(of(Axis::Reads)).unwrap_or(100),
        block: of(Axis::Block),
        random: group.first().text(Axis::Order) == Some("random"),
        depth: small(of(Axis::Depth)),
        jobs: small(of(Axis::Jobs)),
        ..StudyLoad::on(&study.scope)
    }
}

/// The points whose window was long enough for their latency.
fn steady<'a>(done: &[&'a Measured]) -> Vec<&'a Measured> {
    let is_steady = |m: &&&Measured| !m.summary.figures.is_longer_than_window();
    done.iter().filter(is_steady).copied().collect()
}

/// The points of the depths that were asked for, without the point at depth 1 that was measured beside them.
fn on_curves<'a>(study: &Study, done: &[&'a Measured]) -> Vec<&'a Measured> {
    let is_on = |m: &&&Measured| !alone::is_beside(study, m);
    done.iter().filter(is_on).copied().collect()
}

/// Each curve: latency alone, highest rate, useful concurrency, knee.
pub(super) fn answer(study: &Study, done: &[&Measured]) -> Answer {
    let steady = steady(done);
    let all = PointGroup::all(&steady);
    let groups = PointGroup::all(&on_curves(study, &steady));
    let curves = DepthLine::all(&groups);
    let mut answer = Answer::default();
    let left = done.len() - steady.len();
    let mut rows = Vec::new();
    for curve in &curves {
        let one = OneAlone::of(curve, &all);
        let alone = one.map(|one| one.mean);
        let useful = alone.map(|alone| curve.useful(alone));
        answer.say(words(curve, one, useful));
        let (sure, may) = curve.knee();
        let knee = |at: usize| match curve.is_flat() {
            _ if curve.points.len() < 2 => AnswerCell::None,
            true if curve.is_flat_from_the_first(at) => AnswerCell::AtMost(curve.in_flight(at)),
            true => AnswerCell::Number(curve.in_flight(at)),
            false => AnswerCell::AtLeast(curve.in_flight(at)),
        };
        if curves.len() == 1 {
            answer.value(
                "highest",
                AnswerCell::Within(curve.best()),
                AnswerUnit::Iops,
            );
            answer.value(
                "alone",
                alone.map_or(AnswerCell::None, AnswerCell::Within),
                AnswerUnit::Nanos,
            );
            answer.value(
                "useful_concurrency",
                useful.map_or(AnswerCell::None, AnswerCell::Within),
                AnswerUnit::Number,
            );
            answer.value("knee_first", knee(sure), AnswerUnit::Count);
            answer.value("knee_last", knee(may), AnswerUnit::Count);
        }
        rows.push(vec![
            AnswerCell::text(label(curve)),
            alone.map_or(AnswerCell::None, AnswerCell::Within),
            AnswerCell::Within(curve.best()),
            useful.map_or(AnswerCell::None, AnswerCell::Within),
            knee(sure),
            knee(may),
        ]);
    }
    answer.tables.push(overview(rows));
    if left > 0 {
        answer.say(format!(
            "Excluded: {left} of {} points, whose I/Os took too long for the measured window.",
            done.len()
        ));
    }
    answer.tables.push(table("Depths", &PointGroup::all(done)));
    let mut drawn = charts(&groups);
    if let ([curve], Some(first)) = (curves.as_slice(), drawn.first_mut()) {
        first.marks = marks(curve, OneAlone::of(curve, &all).map(|one| one.mean));
    }
    answer.charts.extend(drawn);
    answer
}

/// What each curve says.
fn overview(rows: Vec<Vec<AnswerCell>>) -> AnswerTable {
    AnswerTable {
        title: "Curves".to_owned(),
        columns: vec![
            Column::new("curve", AnswerUnit::Text),
            Column::concluded("mean at depth 1", AnswerUnit::Nanos),
            Column::concluded("highest", AnswerUnit::Iops),
            Column::concluded("N*", AnswerUnit::Number),
            Column::concluded("knee from", AnswerUnit::Count),
            Column::concluded("to", AnswerUnit::Count),
        ],
        rows,
    }
}

/// The knee and N* of a curve, as depths of each job.
fn marks(curve: &DepthLine<'_, '_>, alone: Option<Interval>) -> Vec<(f64, String)> {
    let depth = |at: usize| curve.points[at].number(Axis::Depth);
    let mut marks = Vec::new();
    let (sure, may) = curve.knee();
    if curve.is_flat() && !curve.is_flat_from_the_first(may) {
        let words = match sure == may {
            true => "knee",
            false => "knee, at most",
        };
        marks.extend(depth(may).map(|depth| (depth, words.to_owned())));
    }
    let jobs = curve.points.first().and_then(|g| g.number(Axis::Jobs));
    let deepest = depth(curve.points.len() - 1).unwrap_or(1.0);
    if let Some(n) = alone.map(|alone| curve.useful(alone).value) {
        let each = n / jobs.unwrap_or(1.0).max(1.0);
        if (1.0..=deepest).contains(&each) {
            marks.push((each, format!("N* = {}", trim_to(n, 1))));
        }
    }
    marks
}

/// IOPS, throughput and latency over depth.
fn charts(groups: &[PointGroup<'_>]) -> Vec<AnswerChart> {
    let depth = || AnswerAxis::logarithmic("depth of each job", AnswerUnit::Count);
    let iops = chart(
        "IOPS over depth",
        groups,
        (Axis::Depth, depth()),
        (AnswerAxis::linear("IOPS", AnswerUnit::Iops), |g| {
            AnswerCell::Within(g.iops())
        }),
    );
    let bytes = chart(
        "Throughput over depth",
        groups,
        (Axis::Depth, depth()),
        (
            AnswerAxis::linear("throughput", AnswerUnit::BytesPerS),
            |g| AnswerCell::Within(g.bytes()),
        ),
    );
    let rates = [iops, bytes].into_iter().flatten();
    rates
        .chain(latencies(groups, (Axis::Depth, depth()), "depth"))
        .collect()
}

fn label(curve: &DepthLine<'_, '_>) -> String {
    match curve.label.as_str() {
        "" => kind_words(curve.points[0]),
        label => label.to_owned(),
    }
}

/// One I/O alone in flight of the same kind: one after the other, and with a pause before each.
fn of_one<'g, 'a>(
    curve: &DepthLine<'_, '_>,
    groups: &'g [PointGroup<'a>],
) -> [Option<&'g PointGroup<'a>>; 2] {
    let kind = kind_words(curve.points[0]);
    let find = |is_paused: bool| {
        groups.iter().find(|g| {
            let is_rated = g.number(Axis::Rate).is_some();
            alone::is_one(g.first()) && kind_words(g) == kind && is_rated == is_paused
        })
    };
    [find(false), find(true)]
}

/// The latency at depth 1 for a curve, in nanoseconds.
#[derive(Clone, Copy)]
struct OneAlone {
    mean: Interval,
    /// Where that is with a pause before each, since one after the other takes longer: that.
    in_turn: Option<Interval>,
}

impl OneAlone {
    fn of(curve: &DepthLine<'_, '_>, groups: &[PointGroup<'_>]) -> Option<Self> {
        let [in_turn, paused] = of_one(curve, groups).map(|group| group.map(PointGroup::mean));
        let in_turn = in_turn?;
        let quicker = paused.filter(|paused| alone::is_quicker(paused, &in_turn));
        Some(Self {
            mean: quicker.unwrap_or(in_turn),
            in_turn: quicker.map(|_| in_turn),
        })
    }

    /// How long it takes, and what that needs in flight.
    fn words(&self, useful: &Interval) -> String {
        /// Said with one digit, an end from here on is 1.
        const ONE: f64 = 0.95;
        let range = format!("{} to {}", trim_to(useful.low, 1), trim_to(useful.high, 1));
        let needed = match self.in_turn {
            Some(_) if useful.high < ONE => {
                "that rate needs less than one in flight on average".to_owned()
            }
            Some(_) if useful.value < 1.05 => {
                "that rate needs about one in flight on average".to_owned()
            }
            None if useful.value < 1.05 => {
                "at least about one in flight is needed for that rate".to_owned()
            }
            _ => format!(
                "at least {} in flight are needed for that rate",
                trim_to(useful.value, 1)
            ),
        };
        let mean = span_within(&self.mean);
        match &self.in_turn {
            Some(in_turn) => format!(
                " Mean latency at depth 1 is {mean} with a pause before each I/O and {} without, which a rate limit would \
                 explain: {needed} (Little's law: {range}).",
                span_within(in_turn),
            ),
            None => {
                format!(" Mean latency at depth 1 is {mean}, so {needed} (Little's law: {range}).")
            }
        }
    }
}

/// N* = X R0, whose relative errors add as squares.
pub(super) fn product(rate: Interval, latency_ns: Interval) -> Interval {
    rate.times(&latency_ns.scaled(1e-9))
}

fn words(curve: &DepthLine<'_, '_>, alone: Option<OneAlone>, useful: Option<Interval>) -> String {
    let (sure, may) = curve.knee();
    let at = |place: usize| trim_to(curve.in_flight(place), 0);
    let each = |place: usize| curve.points[place].latency_words();
    let best = iops_within(&curve.best());
    let knee = match (curve.is_flat(), sure == may) {
        _ if curve.points.len() < 2 => format!(
            "with {} in flight ({}); one depth shows no knee",
            at(0),
            each(0)
        ),
        (true, _) if curve.is_flat_from_the_first(sure) => format!(
            "it stops rising at or below {} in flight ({}){}",
            at(may),
            each(may),
            match may {
                0 => ", the smallest depth measured: smaller ones would show where",
                _ => "; noise prevents a tighter bound",
            }
        ),
        (false, false) => format!(
            "it stops rising at {} in flight ({}) or more; noise prevents a tighter bound",
            at(sure),
            each(sure)
        ),
        (false, true) => format!(
            "the rate still rises at the deepest point, {} in flight ({})",
            at(curve.points.len() - 1),
            each(curve.points.len() - 1)
        ),
        (true, true) => format!("it stops rising at {} in flight ({})", at(sure), each(sure)),
        (true, false) => format!(
            "it stops rising between {} ({}) and {} in flight ({}); noise prevents a tighter bound",
            at(sure),
            each(sure),
            at(may),
            each(may)
        ),
    };
    let needed = match (alone, useful) {
        (Some(alone), Some(useful)) => alone.words(&useful),
        _ => " Depth 1 was not measured, so N* (useful concurrency) is not known.".to_owned(),
    };
    let joint = if curve.points.len() < 2 { "" } else { ";" };
    format!("{}: {best}{joint} {knee}.{needed}", label(curve))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(low: f64, value: f64, high: f64) -> Interval {
        Interval {
            value,
            low,
            high,
            settled: true,
        }
    }

    /// A limit delays single I/Os also where their mean is above its interval: service times that vary, 300 us on average
    /// at 5,000 a second, need 1.5 in flight.
    #[test]
    fn what_a_paused_latency_needs_in_flight_is_what_its_range_says() {
        let one = OneAlone {
            mean: within(278e3, 308e3, 338e3),
            in_turn: Some(within(339e3, 350e3, 361e3)),
        };
        let said = |low, value, high| one.words(&within(low, value, high));
        for (words, needed) in [
            (
                said(0.3, 0.4, 0.5),
                "that rate needs less than one in flight on average (Little's law: 0.3 to 0.5)",
            ),
            (
                said(0.8, 0.94, 1.0),
                "that rate needs about one in flight on average (Little's law: 0.8 to 1)",
            ),
            (
                said(1.39, 1.54, 1.69),
                "at least 1.5 in flight are needed for that rate (Little's law: 1.4 to 1.7)",
            ),
        ] {
            let whole = format!("which a rate limit would explain: {needed}.");
            assert!(words.ends_with(&whole), "{words}");
        }
    }
}
