//! Latency at rates up to the highest: the points of a curve, infill, and what it says.
//!
//! Belongs here: which rate is next, and the answer. Must never: what a knee is (that is `study::knees`).

use super::Search;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::loads;
use super::done::{Measured, known};
use super::gaps::{CurveGap, DIFFERS, named};
use super::group::{PointGroup, name_in};
use super::knee_words;
use super::missing;
use super::open::{asked, by_repeat, is_saturated, of_kind, point, share_of, with_role};
use super::own_depth::{DEEPER, Few, OwnDepth};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use crate::stats::Interval;
use crate::study::knees::{self, RatePoint};
use crate::words::{about, rate_within, span_within, trim_to};
use leadline_model::plan::Arrival;
use leadline_model::plan::study::{Axis, Question, Role, Study};
use std::collections::BTreeSet;

/// Points between others at the most where no budget says how many.
const MOST_BETWEEN: usize = 40;

/// From this percent of the highest rate on, an open loop has no steady latency.
const HIGHEST: f64 = 99.5;

/// The points of one repeat.
pub(super) struct Curve<'a> {
    study: &'a Study,
    percents: &'a [u32],
    arrival: Arrival,
}

impl<'a> Curve<'a> {
    /// The search of a study that asks for a curve.
    pub(super) fn new(study: &'a Study) -> Option<Self> {
        match &study.question {
            Question::Curve { percents, arrival } => Some(Self {
                study,
                percents,
                arrival: *arrival,
            }),
            _ => None,
        }
    }

    /// The point at a percentage of the highest rate, in I/Os a second; `None` = that is not known yet.
    fn at(&self, kind: &StudyLoad, percent: f64, highest: Option<f64>) -> Spec {
        let rate = share_of(percent, highest);
        let more = [(Axis::Percent, percent)];
        point(
            self.study,
            Role::Point,
            kind,
            &more,
            Some((rate, self.arrival)),
        )
    }

    fn next_of(&self, kind: &StudyLoad, done: &[&Measured], room: Room) -> Option<Spec> {
        let own = of_kind(done, kind);
        let Some(highest) = with_role(&own, Role::Maximum) else {
            return Some(point(self.study, Role::Maximum, kind, &[], None));
        };
        let has = |percent: f64| {
            own.iter()
                .filter_map(|m| m.number(Axis::Percent))
                .any(|p| (p - percent).abs() < 1e-6)
        };
        let at = |percent: f64| self.at(kind, percent, Some(highest.iops()));
        let mut given = self.percents.iter().map(|p| f64::from(*p));
        if let Some(percent) = given.find(|p| !has(*p)) {
            return Some(at(percent));
        }
        // One that missed its rate leaves its gap as it was: it is not measured again.
        let between = self.between(&own, &has)?;
        Some(at(between)).filter(|spec| room.holds(spec))
    }

    /// The curve of each kind of load.
    fn lines<'m>(&self, done: &[&'m Measured]) -> Vec<RateLine<'m>> {
        let kinds = loads(self.study);
        let line = |kind| RateLine::of(self, &of_kind(done, kind));
        kinds.iter().filter_map(line).collect()
    }

    /// Whether no more points between others may follow: those of a repeat, where no budget says how many there are.
    fn is_full(&self, own: &[&Measured]) -> bool {
        let rated = own.iter().filter(|m| m.number(Axis::Percent).is_some());
        let between = rated.count().saturating_sub(self.percents.len());
        self.study.timing.budget.is_none() && between >= MOST_BETWEEN
    }

    /// The percent between the neighbours whose p99 differs most, of those that have no point between them yet.
    fn between(&self, own: &[&Measured], has: &dyn Fn(f64) -> bool) -> Option<f64> {
        if self.is_full(own) {
            return None;
        }
        let mut gaps = CurveGap::all(own);
        gaps.retain(CurveGap::may_close);
        gaps.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        gaps.iter().map(CurveGap::middle).find(|p| !has(*p))
    }
}

impl Search for Curve<'_> {
    fn next(&self, done: &[&Measured], room: Room) -> Option<Spec> {
        loads(self.study)
            .iter()
            .find_map(|kind| self.next_of(kind, done, room))
    }

    fn outlook(&self) -> Vec<Spec> {
        let mut all = Vec::new();
        for kind in loads(self.study) {
            all.push(point(self.study, Role::Maximum, &kind, &[], None));
            let points = self.percents.iter();
            all.extend(points.map(|p| self.at(&kind, f64::from(*p), None)));
        }
        all
    }

    fn most(&self) -> Option<usize> {
        let more = loads(self.study).len() * MOST_BETWEEN;
        // A budget is the only bound of points between others.
        let is_bound = self.study.timing.budget.is_none();
        is_bound.then(|| self.outlook().len() + more)
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let lines = self.lines(done);
        for line in &lines {
            answer.sentences.extend(line.words());
            answer.sentences.extend(line.gap_words());
            if lines.len() == 1 {
                line.values(&mut answer);
            }
        }
        let knees = lines.iter().flat_map(RateLine::knee_rows);
        let knees = knee_words::table(knees.collect());
        answer.tables.extend([overview(&lines), knees]);
        for line in &lines {
            answer.tables.push(line.table());
            answer.charts.push(line.chart());
        }
        answer
    }

    fn own_depths(&self, done: &[&Measured]) -> Vec<OwnDepth> {
        let lines = self.lines(done).into_iter();
        lines.filter_map(|line| line.own).collect()
    }
}

/// A curve that was measured.
struct RateLine<'a> {
    name: String,
    highest: PointGroup<'a>,
    /// From the lowest rate to the highest.
    groups: Vec<PointGroup<'a>>,
    points: Vec<RatePoint>,
    /// Where the study's own depth was the limit: then what is near it says nothing about the volume.
    own: Option<OwnDepth>,
    /// What the points leave open, and why.
    gaps: Vec<CurveGap>,
    why: String,
}

impl<'a> RateLine<'a> {
    fn of(curve: &Curve<'_>, own: &[&'a Measured]) -> Option<Self> {
        let maxima: Vec<&Measured> = own
            .iter()
            .copied()
            .filter(|m| m.role() == Role::Maximum || m.is_once_more())
            .collect();
        let rated: Vec<&Measured> = own
            .iter()
            .copied()
            .filter(|m| m.number(Axis::Percent).is_some())
            .collect();
        let highest = PointGroup {
            points: (!maxima.is_empty()).then_some(maxima)?,
        };
        let mut groups = PointGroup::all(&rated);
        let percent = |g: &PointGroup<'_>| g.number(Axis::Percent).unwrap_or_default();
        groups.sort_by(|a, b| percent(a).total_cmp(&percent(b)));
        let point = |g: &PointGroup<'_>| RatePoint {
            iops: g.iops().value,
            mean: g.mean().value.max(1.0),
            within: (g.mean().low, g.mean().high),
            settled: g.mean().settled,
            saturated: g.points.iter().any(|m| is_saturated(m)),
        };
        // At the lowest rate almost nothing waits.
        let lowest = rated.iter().min_by(|a, b| a.iops().total_cmp(&b.iops()));
        let few = lowest.map(|m| Few::of(&m.summary.figures));
        let mut maxima = highest.points.iter();
        Some(Self {
            own: maxima.find_map(|m| OwnDepth::of(m, few?)),
            gaps: CurveGap::all(&rated),
            why: match curve.study.timing.budget {
                Some(budget) => format!("the budget of {budget} had no time for more"),
                None if by_repeat(own).iter().any(|own| curve.is_full(own)) => {
                    format!("without a budget, at most {MOST_BETWEEN} points are measured between")
                }
                None => "the points between did not reach their rate".to_owned(),
            },
            name: name_in(&highest, curve.study),
            points: groups.iter().map(point).collect(),
            highest,
            groups,
        })
    }

    /// What the curve says: the highest rate, then each knee in a sentence of its own.
    fn words(&self) -> Vec<String> {
        let highest = self.highest.iops_words();
        if let Some(own) = &self.own {
            return vec![format!(
                "{}: at least {highest}; {}. {DEEPER}. Close to that rate I/Os queue within this study, so it gives \
                 no knee and no overall response time.",
                self.name,
                own.words()
            )];
        }
        // A point that is named twice has its latencies once.
        let mut named = BTreeSet::new();
        let mut at = |place: usize| {
            let group = &self.groups[place];
            let rate = format!("{} IOPS", about(group.iops().value));
            match named.insert(place) {
                true => format!("{rate} ({})", group.latency_words()),
                false => rate,
            }
        };
        let mut first = format!("maximum rate {highest} ({})", self.highest.latency_words());
        if let Some(overall) = self.overall() {
            let below = match self.stable().len() < self.points.len() {
                true => ", excluding the highest rate, at which latency does not settle",
                false => "",
            };
            first += &format!(
                "; overall response time (from mean latencies) {}{below}",
                span_within(&overall)
            );
        }
        let mut said = vec![first];
        said.extend(self.turn().map(|(low, high)| {
            format!(
                "mean latency starts to rise sharply between {} and {} IOPS",
                rate_within(&low),
                rate_within(&high)
            )
        }));
        said.extend(knees::power(&self.points).map(|(first, last)| {
            let best = match first == last {
                true => at(last),
                false => format!("{} and {}", at(first), at(last)),
            };
            let within = self.rates(knees::power_within(&self.points));
            knee_words::ratio(&best, within)
        }));
        said.extend(knees::within_twice(&self.points).map(|k| {
            let within = self.rates(knees::twice_within(&self.points));
            knee_words::twice(&at(k), within)
        }));
        let missed = self.points.iter().filter(|p| p.saturated).count();
        if missed > 0 {
            said.push(format!(
                "{missed} of {} points did not reach their rate",
                self.points.len()
            ));
        }
        // Each with the name of the curve, as several may be on one page.
        let each = said.iter();
        each.map(|words| format!("{}: {words}.", self.name))
            .collect()
    }

    fn highest_cell(&self) -> AnswerCell {
        let highest = self.highest.iops();
        match self.own {
            Some(_) => AnswerCell::AtLeast(highest.value),
            None => AnswerCell::Within(highest),
        }
    }

    /// The rates of two points.
    fn rates(&self, ends: Option<(usize, usize)>) -> Option<(f64, f64)> {
        let rate = |place: usize| self.points[place].iops;
        ends.map(|(low, high)| (rate(low), rate(high)))
    }

    /// The points below the highest rate: at that itself an open loop has no steady latency, however much of it was
    /// reached.
    fn stable(&self) -> Vec<RatePoint> {
        let percent = |g: &PointGroup<'_>| g.number(Axis::Percent).unwrap_or_default();
        let each = self.groups.iter().zip(&self.points);
        let below = each.filter(|(group, _)| percent(group) < HIGHEST);
        below.map(|(_, point)| *point).collect()
    }

    fn overall(&self) -> Option<Interval> {
        knees::overall(&self.stable()).filter(|_| self.own.is_none())
    }

    /// The rates between which latency starts to rise sharply.
    fn turn(&self) -> Option<(Interval, Interval)> {
        self.ends(knees::knee_within(&self.points))
    }

    /// The rates of two points, the lower one first; none where the study's own depth was the limit.
    fn ends(&self, ends: Option<(usize, usize)>) -> Option<(Interval, Interval)> {
        let (low, high) = ends.filter(|_| self.own.is_none())?;
        let iops = |place: usize| self.groups.get(place).map(PointGroup::iops);
        let (low, high) = (iops(low)?, iops(high)?);
        // The rate of a later point may be the lower one, where a point did not keep its rate.
        Some(match low.value <= high.value {
            true => (low, high),
            false => (high, low),
        })
    }

    /// The neighbours between which the curve is not known, in words: those that differ, and those of which even that
    /// is not known.
    fn gap_words(&self) -> Vec<String> {
        let of = |sure: bool| self.gaps.iter().filter(move |gap| gap.is_sure == sure);
        let share = trim_to(DIFFERS * 100.0, 0);
        let sure = named(of(true)).map(|gaps| {
            let may_close = of(true).any(CurveGap::may_close);
            let why = match may_close {
                true => self.why.as_str(),
                false => "points of a curve are measured no closer",
            };
            format!(
                "{}: p99 still differs by {share} % or more between neighbouring points ({gaps} of the highest \
                 rate), and the curve between them is not known: {why}.",
                self.name
            )
        });
        let unsure = named(of(false)).map(|gaps| {
            format!(
                "{}: p99 seems to differ by {share} % or more between neighbouring points ({gaps} of the highest \
                 rate), but is too uncertain there: longer points would show it.",
                self.name
            )
        });
        sure.into_iter().chain(unsure).collect()
    }

    fn overall_cell(&self) -> AnswerCell {
        let overall = self.overall();
        overall.map_or(AnswerCell::None, AnswerCell::Within)
    }

    /// The rate at a place, where there is one and the study's own depth was not the limit.
    fn rate_cell(&self, place: Option<usize>) -> AnswerCell {
        let place = place.filter(|_| self.own.is_none());
        place.map_or(AnswerCell::None, |place| {
            AnswerCell::Number(self.points[place].iops)
        })
    }

    /// A row for each knee: the point that was measured, and the points between which that of the curve may be. These are no ends of
    /// a 95 % interval.
    fn knee_rows(&self) -> Vec<Vec<AnswerCell>> {
        let points = &self.points;
        let power = knees::power(points);
        let (first, last) = (power.map(|p| p.0), power.map(|p| p.1));
        let between = knees::power_within(points);
        let all = [
            (
                "sharp rise",
                knees::knee(points),
                knees::knee_within(points),
            ),
            ("best rate / latency", first, between),
            (
                "best rate / latency",
                last.filter(|_| last != first),
                between,
            ),
            (
                "twice the lowest",
                knees::within_twice(points),
                knees::twice_within(points),
            ),
        ];
        let known = all
            .into_iter()
            .filter(|knee| knee.1.is_some() && self.own.is_none());
        let row = |(name, place, between): (&str, Option<usize>, Option<(usize, usize)>)| {
            let ends = self.ends(between);
            let end = |end: Option<Interval>| {
                end.map_or(AnswerCell::None, |end| AnswerCell::Number(end.value))
            };
            vec![
                AnswerCell::text(&self.name),
                AnswerCell::text(name),
                self.rate_cell(place),
                end(ends.map(|ends| ends.0)),
                end(ends.map(|ends| ends.1)),
            ]
        };
        known.map(row).collect()
    }

    fn values(&self, answer: &mut Answer) {
        answer.value("highest", self.highest_cell(), AnswerUnit::Iops);
        answer.value(
            "overall_response_time",
            self.overall_cell(),
            AnswerUnit::Nanos,
        );
        let points = &self.points;
        let power = knees::power(points);
        let turns = self.rate_cell(knees::knee(points));
        answer.value("knee_turns", turns, AnswerUnit::Iops);
        let mut between = |[low, high]: [&'static str; 2], ends: Option<(usize, usize)>| {
            let ends = self.ends(ends);
            let end = |end: Option<Interval>| end.map_or(AnswerCell::None, AnswerCell::Within);
            answer.value(low, end(ends.map(|ends| ends.0)), AnswerUnit::Iops);
            answer.value(high, end(ends.map(|ends| ends.1)), AnswerUnit::Iops);
        };
        between(
            ["knee_turns_low", "knee_turns_high"],
            knees::knee_within(points),
        );
        between(
            ["knee_power_low", "knee_power_high"],
            knees::power_within(points),
        );
        between(
            ["knee_twice_low", "knee_twice_high"],
            knees::twice_within(points),
        );
        let first = self.rate_cell(power.map(|p| p.0));
        answer.value("knee_power_first", first, AnswerUnit::Iops);
        let last = self.rate_cell(power.map(|p| p.1));
        answer.value("knee_power_last", last, AnswerUnit::Iops);
        let twice = self.rate_cell(knees::within_twice(points));
        answer.value("knee_twice", twice, AnswerUnit::Iops);
        let gaps = self.gaps.len() as f64;
        answer.value("gaps", AnswerCell::Number(gaps), AnswerUnit::Count);
        let unsure = self.gaps.iter().filter(|gap| !gap.is_sure).count() as f64;
        let unsure = AnswerCell::Number(unsure);
        answer.value("gaps_uncertain", unsure, AnswerUnit::Count);
    }

    fn table(&self) -> AnswerTable {
        let rows = self.groups.iter().zip(&self.points).map(|(group, at)| {
            let rates = group.points.iter().filter_map(|m| asked(m));
            let rate = rates.sum::<f64>() / group.points.len() as f64;
            let mut row = vec![
                AnswerCell::Number(group.number(Axis::Percent).unwrap_or_default() / 100.0),
                AnswerCell::Number(rate),
                AnswerCell::Within(group.iops()),
                group.mean_cell(),
            ];
            row.extend([50.0, 95.0, 99.0, 99.9].map(|p| group.response_at(p)));
            row.push(AnswerCell::Within(service_mean(group)));
            row.push(AnswerCell::percentile(group.service_percentile(99.0)));
            row.push(AnswerCell::text(if at.saturated {
                "saturated"
            } else {
                ""
            }));
            row
        });
        let mut columns = vec![
            Column::new("of highest", AnswerUnit::Share),
            Column::new("requested", AnswerUnit::Iops),
            Column::new("reached", AnswerUnit::Iops),
        ];
        columns.extend(
            [
                "mean",
                "p50",
                "p95",
                "p99",
                "p99.9",
                "service mean",
                "service p99",
            ]
            .map(|name| Column::new(name, AnswerUnit::Nanos)),
        );
        columns.push(Column::new("state", AnswerUnit::Text));
        let table = AnswerTable {
            title: format!("Latency over rate: {}", self.name),
            rows: rows.collect(),
            columns,
        };
        let points: Vec<Vec<&Measured>> = self.groups.iter().map(|g| g.points.clone()).collect();
        missing::marked(table, &points)
    }

    /// Where the curve has a knee, by each of its definitions.
    fn marks(&self) -> Vec<(f64, String)> {
        if self.own.is_some() {
            return Vec::new();
        }
        let knees = [
            (knees::knee(&self.points), "sharp rise"),
            (
                knees::power(&self.points).map(|power| power.1),
                "best rate / latency",
            ),
            (knees::within_twice(&self.points), "twice the lowest"),
        ];
        let mut marks: Vec<(usize, String)> = Vec::new();
        for (place, name) in knees {
            let Some(place) = place else { continue };
            match marks.iter_mut().find(|mark| mark.0 == place) {
                Some(mark) => mark.1 = format!("{}, {name}", mark.1),
                None => marks.push((place, name.to_owned())),
            }
        }
        let at = |(place, name): (usize, String)| {
            let group = self.groups.get(place)?;
            Some((group.iops().value, name))
        };
        marks.into_iter().filter_map(at).collect()
    }

    fn chart(&self) -> AnswerChart {
        let series =
            |label: &str, figure: &dyn Fn(&PointGroup<'_>) -> Option<AnswerPoint>| AnswerSeries {
                label: label.to_owned(),
                model: false,
                points: self.groups.iter().filter_map(figure).collect(),
            };
        let at = |g: &PointGroup<'_>, y: AnswerCell| {
            let point = AnswerPoint::of(g.iops().value, &y);
            point.filter(|p| p.y > 0.0)
        };
        let percentile = |g: &PointGroup<'_>, percent: f64| {
            AnswerPoint::or_gap(g.iops().value, &g.response_at(percent))
        };
        AnswerChart {
            title: format!("Latency over IOPS: {}", self.name),
            x: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
            y: AnswerAxis::logarithmic("response and service time", AnswerUnit::Nanos),
            series: vec![
                series("response p50", &|g| Some(percentile(g, 50.0))),
                series("response p99", &|g| Some(percentile(g, 99.0))),
                series("response mean", &|g| at(g, g.mean_cell())),
                series("service p99", &|g| {
                    at(g, AnswerCell::percentile(g.service_percentile(99.0)))
                }),
                series("service mean", &|g| {
                    at(g, AnswerCell::Within(service_mean(g)))
                }),
            ],
            marks: self.marks(),
        }
    }
}

fn service_mean(group: &PointGroup<'_>) -> Interval {
    group.over(|m| {
        let data = &m.summary.figures.data;
        let mean = data.certainty.service.mean;
        mean.unwrap_or(known(data.service.mean()))
    })
}

fn overview(lines: &[RateLine<'_>]) -> AnswerTable {
    let row = |line: &RateLine<'_>| {
        vec![
            AnswerCell::text(&line.name),
            line.highest_cell(),
            line.overall_cell(),
            AnswerCell::text(trim_to(line.groups.len() as f64, 0)),
        ]
    };
    AnswerTable {
        title: "Curves".to_owned(),
        columns: vec![
            Column::new("load", AnswerUnit::Text),
            Column::concluded("highest", AnswerUnit::Iops),
            Column::concluded("overall response time", AnswerUnit::Nanos),
            Column::new("points", AnswerUnit::Text),
        ],
        rows: lines.iter().map(row).collect(),
    }
}
