//! The effect of more hosts: total rate, rate per host, efficiency, and the universal scalability law.
//!
//! Belongs here: the points, one for each number of hosts, and their answer. Must never: fit a law (`stats`).

use super::alone;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::{coordinates, first_open, loads};
use super::done::Measured;
use super::group::{PointGroup, kind_words, lines};
use super::own_depth::{Few, OwnDepth};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use super::{Search, label, missing};
use crate::stats::Interval;
use crate::stats::usl::{Scalability, ScalabilityCertainty, scalability};
use crate::words::{counted, iops_within, percent_within, span, trim_to};
use leadline_model::plan::HostSet;
use leadline_model::plan::study::{Axis, Coordinate, Role, Study};

/// The points of one repeat.
pub(super) struct ScaleOutSearch<'a> {
    pub(super) study: &'a Study,
    pub(super) counts: &'a [u32],
}

impl ScaleOutSearch<'_> {
    /// One I/O alone of each load, then each load with each number of hosts.
    fn all(&self) -> Vec<Spec> {
        let lone = loads(self.study).into_iter().map(|load| StudyLoad {
            // That of one host has its part of the set of the fewest.
            shared_by: self.counts.iter().copied().min().unwrap_or(1),
            ..load
        });
        let mut all = alone::beside(self.study, lone);
        for load in loads(self.study) {
            for &count in self.counts {
                let hosts = HostSet::only(0..count).unwrap_or(HostSet::ALL);
                let load = StudyLoad {
                    hosts: (hosts, count),
                    shared_by: count,
                    ..load.clone()
                };
                let mut at = coordinates(&load);
                at.insert(Axis::Hosts, Coordinate::Number(f64::from(count)));
                all.push(Spec::of(Role::Point, at, load, self.study));
            }
        }
        all
    }
}

impl ScaleOutSearch<'_> {
    /// The points without the point at depth 1 that was measured beside them.
    fn of_hosts<'m>(&self, done: &[&'m Measured]) -> Vec<&'m Measured> {
        let is_of = |m: &&&Measured| !alone::is_beside(self.study, m);
        done.iter().filter(is_of).copied().collect()
    }
}

impl Search for ScaleOutSearch<'_> {
    fn next(&self, done: &[&Measured], _room: Room) -> Option<Spec> {
        first_open(self.all(), done)
    }

    fn outlook(&self) -> Vec<Spec> {
        self.all()
    }

    fn own_depths(&self, done: &[&Measured]) -> Vec<OwnDepth> {
        let groups = PointGroup::all(&self.of_hosts(done));
        let all = lines(&groups, Axis::Hosts).into_iter();
        all.filter_map(|(_, line)| own_depth(&line, one_alone(&line, done)?))
            .collect()
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let groups = PointGroup::all(&self.of_hosts(done));
        let mut answer = Answer::default();
        let all = lines(&groups, Axis::Hosts);
        for (name, line) in &all {
            let elsewhere = Elsewhere::of(line, &all);
            let totals: Vec<(f64, Interval)> = line
                .iter()
                .filter_map(|g| Some((g.number(Axis::Hosts)?, g.iops())))
                .collect();
            let points: Vec<(f64, f64)> = totals.iter().map(|p| (p.0, p.1.value)).collect();
            let law = scalability(&points);
            let said = words(&totals, law, elsewhere.as_ref());
            answer.say(format!("{}{said}", label(name)));
            if let Some(alone) = one_alone(line, done) {
                let of_latency = match own_depth(line, alone) {
                    Some(own) => Some(own.sentences()),
                    None => each_at_its_limit(line, alone),
                };
                let of_latency = of_latency.map(|said| format!("{}{said}", label(name)));
                answer.sentences.extend(of_latency);
            }
            answer.tables.push(table(name, line));
            answer.charts.push(picture(name, line, law));
            if let (Some(law), 1) = (law, all.len()) {
                let sure = law.certainty(&points);
                let cell = |value: f64, of: fn(&ScalabilityCertainty) -> Interval| {
                    let within = sure.as_ref().map(of);
                    within.map_or(AnswerCell::Number(value), AnswerCell::Within)
                };
                answer.value("lambda", cell(law.lambda, |c| c.lambda), AnswerUnit::Iops);
                // A total that stays at a shared limit has neither contention nor coherency.
                let constant = |cell: AnswerCell| match HardLimit::of(&points) {
                    Some(hard) if hard.points > 1 => AnswerCell::None,
                    _ => cell,
                };
                let sigma = constant(cell(law.sigma, |c| c.sigma));
                let kappa = constant(cell(law.kappa, |c| c.kappa));
                answer.value("sigma", sigma, AnswerUnit::Number);
                answer.value("kappa", kappa, AnswerUnit::Number);
                answer.value(
                    "law_error",
                    AnswerCell::Number(law.error),
                    AnswerUnit::Share,
                );
                let ends = totals.first().zip(totals.last());
                let each = ends.map(|(first, last)| efficiency(*last, *first));
                let each = each.map_or(AnswerCell::None, AnswerCell::Within);
                answer.value("efficiency", each, AnswerUnit::Share);
                let peak = peak_inside(&points, law).map(|peak| {
                    let within = sure.and_then(|c| c.peak);
                    within.map_or(AnswerCell::Number(peak), AnswerCell::Within)
                });
                let peak = peak.unwrap_or(AnswerCell::None);
                answer.value("peak_hosts", peak, AnswerUnit::Number);
            }
        }
        answer
    }
}

/// Depth 1 of the kind of load of a line.
fn one_alone(line: &[&PointGroup<'_>], done: &[&Measured]) -> Option<Few> {
    let kind = kind_words(line.first()?);
    let is_it = |m: &&&Measured| {
        let group = PointGroup { points: vec![**m] };
        alone::is_one(m) && kind_words(&group) == kind
    };
    let one = done.iter().find(is_it)?;
    Some(Few::of(&one.summary.figures))
}

/// Where the largest number of hosts had the latency of depth 1: their total is limited by their own depth and says
/// nothing about the volume.
fn own_depth(line: &[&PointGroup<'_>], alone: Few) -> Option<OwnDepth> {
    OwnDepth::of(line.last()?.first(), alone)
}

/// A mean latency below this share of that with fewer hosts is of another state.
const QUICKER: f64 = 0.75;

/// Where I/Os wait as long with the most hosts as with the fewest, and longer than one alone: each host has a limit of
/// its own, and what all share is not at its limit.
fn each_at_its_limit(line: &[&PointGroup<'_>], alone: Few) -> Option<String> {
    let mean = |group: &PointGroup<'_>| group.first().summary.figures.data.service.mean();
    let (first, last) = (line.first()?, line.last()?);
    let (few, many) = (Few::of(&first.first().summary.figures), mean(last));
    let is_more = last.number(Axis::Hosts) > first.number(Axis::Hosts);
    if is_more && many < QUICKER * few.mean {
        return Some(format!(
            "Mean latency was {} with {} and {} with {}: more hosts do not make a volume quicker. It changed between \
             these points, or the smaller part of the set that each host has is cached better; nothing is known \
             about a shared limit.",
            span(few.mean),
            hosts_of(first),
            span(many),
            hosts_of(last)
        ));
    }
    (is_more && few.is_as_quick(many) && !alone.is_as_quick(many)).then(|| {
        format!(
            "Mean latency was {} with {} and {} with {}, against {} at depth 1: each host is at a limit of its own, \
             and no shared limit was reached.",
            span(mean(first)),
            hosts_of(first),
            span(many),
            hosts_of(last),
            span(alone.mean)
        )
    })
}

fn hosts_of(group: &PointGroup<'_>) -> String {
    counted(
        &trim_to(group.number(Axis::Hosts).unwrap_or(1.0), 0),
        "host",
    )
}

/// A law that is off by more than this share says nothing by its constants.
const MISFIT: f64 = 0.1;
/// Totals as near to each other as this are the same.
const SAME: f64 = 0.02;

/// The number of hosts with the highest total, where the points go beyond it and fall: the law also has a peak for a total
/// that reaches a cap and stays there.
fn peak_inside(points: &[(f64, f64)], law: Scalability) -> Option<f64> {
    let last = points.last()?;
    let highest = points.iter().map(|p| p.1).fold(0.0, f64::max);
    let falls = last.1 < highest * (1.0 - SAME);
    law.peak().filter(|peak| falls && *peak < last.0)
}

/// The number of hosts from which on the total stays as high as it gets, where more were measured.
fn stays_from(points: &[(f64, f64)]) -> Option<f64> {
    let highest = points.iter().map(|p| p.1).fold(0.0, f64::max);
    let below = |p: &&(f64, f64)| p.1 < highest * (1.0 - SAME);
    let flat = points.iter().rev().take_while(|p| !below(p)).count();
    let first = points.len().checked_sub(flat)?;
    (flat > 1).then(|| points[first].0)
}

/// Hosts that reach as much each as one, until a limit that all share.
struct HardLimit {
    /// Of each host below it, I/Os a second.
    each: f64,
    /// The shared limit, I/Os a second.
    shared: f64,
    /// Points at it, at least 1.
    points: usize,
    /// The point that is farthest off, as a share.
    error: f64,
}

impl HardLimit {
    /// Where that gives every total of three or more within [`SAME`], the first below the limit and the last at it.
    fn of(points: &[(f64, f64)]) -> Option<Self> {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let at = |below: usize| {
            let (rising, flat) = points.split_at(below);
            let each: Vec<f64> = rising.iter().map(|p| p.1 / p.0).collect();
            let totals: Vec<f64> = flat.iter().map(|p| p.1).collect();
            let (each, shared) = (mean(&each), mean(&totals));
            let off = |p: &(f64, f64)| ((each * p.0).min(shared) / p.1.max(1e-9) - 1.0).abs();
            let error = points.iter().map(off).fold(0.0, f64::max);
            let is_short = points
                .last()
                .is_some_and(|p| p.1 < each * p.0 * (1.0 - SAME));
            let points = flat.len();
            (is_short && error <= SAME).then_some(Self {
                each,
                shared,
                points,
                error,
            })
        };
        if points.len() < 3 {
            return None;
        }
        let all = (1..points.len()).filter_map(at);
        all.min_by(|a, b| a.error.total_cmp(&b.error))
    }

    /// Whether N hosts, the fewest there are, reach the shared limit by themselves.
    fn is_reached_by(&self, hosts: f64) -> bool {
        self.points > 1 && self.each * hosts >= self.shared * (1.0 - SAME)
    }

    /// What they are up to, in the words that `limit` has for it.
    fn words(&self, limit: &str) -> String {
        // Within a tenth of a percent of a figure: it has the digits of one that is known as well.
        let known = |value| Interval {
            settled: true,
            ..Interval::only(value)
        };
        let each = |value| iops_within(&known(value)).replace(" +-<0.1 %", "");
        format!(
            "all totals are within {} % of {} per host up to {limit} of {}",
            trim_to((self.error * 100.0).max(0.1), 1),
            each(self.each),
            each(self.shared)
        )
    }
}

/// A higher total of the same kind of load at another depth or with other jobs: the limit of a line below it is none of the volume.
struct Elsewhere {
    /// Its depth and jobs, as its line has them.
    name: String,
    /// The highest total of it, I/Os a second.
    most: Interval,
}

impl Elsewhere {
    /// The highest total of the other lines of this kind; `None` where this line has as much.
    fn of(line: &[&PointGroup<'_>], all: &[(String, Vec<&PointGroup<'_>>)]) -> Option<Self> {
        let most = |line: &[&PointGroup<'_>]| {
            let best = PointGroup::best(line.iter().copied(), Measured::iops_within);
            best.map(PointGroup::iops)
        };
        let kind = kind_words(line.first()?);
        let own = most(line)?;
        let of_kind = all.iter().filter(|(_, other)| {
            let first = other.first();
            first.is_some_and(|group| kind_words(group) == kind)
        });
        let each = of_kind.filter_map(|(name, other)| {
            Some(Self {
                name: name.clone(),
                most: most(other)?,
            })
        });
        let highest = each.max_by(|a, b| a.most.value.total_cmp(&b.most.value));
        highest.filter(|other| own.value < other.most.value * (1.0 - SAME))
    }
}

/// What each host does, as a share of what each did where the fewest were.
fn efficiency(total: (f64, Interval), fewest: (f64, Interval)) -> Interval {
    let each = |of: (f64, Interval)| of.1.scaled(1.0 / of.0.max(1.0));
    each(total).over(&each(fewest))
}

fn words(
    totals: &[(f64, Interval)],
    law: Option<Scalability>,
    elsewhere: Option<&Elsewhere>,
) -> String {
    let (Some(first), Some(last)) = (totals.first(), totals.last()) else {
        return "Nothing was measured.".to_owned();
    };
    let points: Vec<(f64, f64)> = totals.iter().map(|p| (p.0, p.1.value)).collect();
    let each = efficiency(*last, *first);
    let hosts = match first.0 {
        one if one < 1.5 => "1 host reaches".to_owned(),
        several => format!("{} hosts together reach", trim_to(several, 0)),
    };
    if points.len() == 1 {
        return format!(
            "{hosts} {}. A second host count is needed to show how the rate scales.",
            iops_within(&first.1)
        );
    }
    let total = format!(
        "{hosts} {}, {} together {}: efficiency per host is {}",
        iops_within(&first.1),
        counted(&trim_to(last.0, 0), "host"),
        iops_within(&last.1),
        percent_within(&each)
    );
    let Some(law) = law else {
        return format!(
            "{total}. At least three host counts are needed to fit the scalability law."
        );
    };
    let hard_limit = HardLimit::of(&points);
    let is_named = hard_limit
        .as_ref()
        .is_some_and(|hard| hard.points > 1 && !hard.is_reached_by(first.0));
    let limit = match elsewhere {
        Some(_) => "a limit",
        None => "a shared limit",
    };
    let peak = peak_words(&points, law, (is_named, elsewhere));
    let law = nearest_law(&points, law);
    match hard_limit {
        // One host is at the limit of all: what it would do without that is not seen.
        Some(hard) if hard.is_reached_by(first.0) && elsewhere.is_none() => format!(
            "{total}; {peak}. What {} reached may also be what a host can do, if that equals the shared limit: the \
             same work on a volume that allows more would show which.",
            counted(&trim_to(first.0, 0), "host")
        ),
        Some(hard) if hard.is_reached_by(first.0) => format!("{total}; {peak}."),
        Some(hard) if hard.points > 1 => format!(
            "{total}; {}, with no loss to contention or to keeping hosts coherent; {peak}.",
            hard.words(limit)
        ),
        // One point beyond the bend is met by both laws.
        Some(hard) => format!(
            "{total}. {law}; {peak}. It may be another law: {}, with no loss to contention or to keeping hosts \
             coherent; more hosts would show which.",
            hard.words(limit)
        ),
        None => format!("{total}. {law}; {peak}."),
    }
}

/// The law, or how far the nearest is off. One that bends does not follow a total that reaches a cap and stays there.
fn nearest_law(points: &[(f64, f64)], law: Scalability) -> String {
    match (is_off(points, law), above(points, law)) {
        (true, _) => format!(
            "No universal scalability law fits (the nearest is off by {} %)",
            trim_to(law.error * 100.0, 1)
        ),
        (false, Some(above)) => format!(
            "No universal scalability law fits (the nearest rises {} % above the highest total)",
            trim_to(above * 100.0, 1)
        ),
        (false, None) => law_words(law, points.len()),
    }
}

/// Whether the law says nothing by its constants.
fn is_off(points: &[(f64, f64)], law: Scalability) -> bool {
    points.len() > 3 && law.error > MISFIT
}

/// By which share the law rises above the highest total within the measured range, where the totals stay the same at the end; `None`
/// where they do not, or the law stays as low.
fn above(points: &[(f64, f64)], law: Scalability) -> Option<f64> {
    stays_from(points)?;
    let highest = points.iter().map(|p| p.1).fold(0.0, f64::max);
    let most = range(points.last()?.0)
        .map(|n| law.at(n))
        .fold(0.0, f64::max);
    let share = most / highest.max(1e-9) - 1.0;
    (share > SAME).then_some(share)
}

/// Numbers of hosts at which a law is drawn, from 1 on.
fn range(most: f64) -> impl Iterator<Item = f64> {
    /// Pieces of the curve.
    const PIECES: u32 = 40;
    let piece = (most - 1.0) / f64::from(PIECES);
    (0..=PIECES).map(move |n| 1.0 + piece * f64::from(n))
}

/// The law as it is drawn: what is said to fit, or nothing.
fn drawn(points: &[(f64, f64)], law: Scalability) -> Option<Vec<AnswerPoint>> {
    let most = points.iter().map(|p| p.0).fold(1.0, f64::max);
    let curve =
        |of: &dyn Fn(f64) -> f64| range(most).map(|n| AnswerPoint::plain(n, of(n))).collect();
    if let Some(hard) = HardLimit::of(points).filter(|hard| hard.points > 1) {
        return Some(curve(&|n| (hard.each * n).min(hard.shared)));
    }
    (!is_off(points, law) && above(points, law).is_none()).then(|| curve(&|n| law.at(n)))
}

/// Where the total is highest, or from where on it stays the same, of a shared limit that `is_named` before; what is reached
/// elsewhere is above that limit.
fn peak_words(
    points: &[(f64, f64)],
    law: Scalability,
    (is_named, elsewhere): (bool, Option<&Elsewhere>),
) -> String {
    match (peak_inside(points, law), stays_from(points)) {
        // Hosts are whole.
        (Some(peak), _) => {
            let within = law.certainty(points).and_then(|sure| sure.peak);
            let within = within.map_or_else(String::new, |peak| {
                let (low, high) = (trim_to(peak.low, 0), trim_to(peak.high, 0));
                format!(" (95 %: {low} to {high})")
            });
            format!(
                "the total is highest at about {}{within}",
                counted(&trim_to(peak, 0), "host")
            )
        }
        (None, Some(hosts)) => format!(
            "the total stays the same from {} on{}",
            counted(&trim_to(hosts, 0), "host"),
            match (elsewhere, is_named) {
                (Some(other), _) => format!(
                    ", but that is not a limit of the volume: {} were reached at {}",
                    iops_within(&other.most),
                    other.name
                ),
                (None, true) => String::new(),
                (None, false) => ": a shared limit".to_owned(),
            }
        ),
        (None, None) => {
            "there is no peak within the measured range, and none is claimed beyond it".to_owned()
        }
    }
}

/// The constants of the law, and how well it fits: a law of three constants meets three points whatever they are.
fn law_words(law: Scalability, points: usize) -> String {
    let constant = |value: f64| match value {
        // Those of kappa may be tiny.
        v if v > 0.0 && v < 1e-3 => format!("{v:.2e}"),
        v => trim_to(v, 4),
    };
    let fits = match points {
        0..=3 => "three points cannot test its three constants".to_owned(),
        _ => format!("fits within {} %", trim_to(law.error * 100.0, 1)),
    };
    let (contention, coherency) = (constant(law.sigma), constant(law.kappa));
    format!("Universal scalability law: contention {contention}, coherency {coherency} ({fits})")
}

fn table(name: &str, line: &[&PointGroup<'_>]) -> AnswerTable {
    let first = line.first();
    let fewest = first.and_then(|g| Some((g.number(Axis::Hosts)?, g.iops())));
    let row = |group: &&PointGroup<'_>| {
        let hosts = group.number(Axis::Hosts).unwrap_or(1.0);
        let iops = group.iops();
        let efficiency = fewest.map(|fewest| efficiency((hosts, iops), fewest));
        vec![
            AnswerCell::Number(hosts),
            AnswerCell::Within(iops),
            AnswerCell::Within(group.bytes()),
            AnswerCell::Within(iops.scaled(1.0 / hosts)),
            efficiency.map_or(AnswerCell::None, AnswerCell::Within),
            group.mean_cell(),
            group.response_at(99.0),
        ]
    };
    let table = AnswerTable {
        title: super::title_with("Hosts", name),
        columns: vec![
            Column::new("hosts", AnswerUnit::Count),
            Column::new("total", AnswerUnit::Iops),
            Column::new("throughput", AnswerUnit::BytesPerS),
            Column::new("each", AnswerUnit::Iops),
            Column::concluded("efficiency", AnswerUnit::Share),
            Column::new("mean", AnswerUnit::Nanos),
            Column::new("p99", AnswerUnit::Nanos),
        ],
        rows: line.iter().map(row).collect(),
    };
    let points: Vec<Vec<&Measured>> = line.iter().map(|group| group.points.clone()).collect();
    missing::marked(table, &points)
}

fn picture(name: &str, line: &[&PointGroup<'_>], law: Option<Scalability>) -> AnswerChart {
    let hosts = |g: &PointGroup<'_>| g.number(Axis::Hosts).unwrap_or(1.0);
    let series = |label: &str, each: bool| AnswerSeries {
        label: label.to_owned(),
        model: false,
        points: line
            .iter()
            .map(|g| {
                let by = if each { 1.0 / hosts(g) } else { 1.0 };
                AnswerPoint::within(hosts(g), g.iops().scaled(by))
            })
            .collect(),
    };
    let mut all = vec![series("total", false), series("each host", true)];
    let points: Vec<(f64, f64)> = line.iter().map(|g| (hosts(g), g.iops().value)).collect();
    if let Some(points) = law.and_then(|law| drawn(&points, law)) {
        all.push(AnswerSeries {
            label: "law".to_owned(),
            model: true,
            points,
        });
    }
    AnswerChart {
        title: super::title_with("IOPS over hosts", name),
        x: AnswerAxis::linear("hosts", AnswerUnit::Count),
        y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
        series: all,
        marks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_one_host_reaches_alone_is_not_said_to_be_that_of_a_host() {
        let totals = |each: [f64; 3]| {
            let known = [1.0, 2.0, 4.0].into_iter().zip(each);
            known
                .map(|(hosts, iops)| (hosts, Interval::only(iops)))
                .collect::<Vec<_>>()
        };
        let said = |each: [f64; 3]| {
            let totals = totals(each);
            let points: Vec<(f64, f64)> = totals.iter().map(|p| (p.0, p.1.value)).collect();
            words(&totals, scalability(&points), None)
        };
        let both = said([39_936.0, 39_996.0, 39_999.0]);
        assert!(both.contains("may also be what a host can do"), "{both}");
        assert!(
            !both.contains("per host up to") && both.contains("from 1 host on: a shared limit"),
            "{both}"
        );
        let own = said([25_000.0, 40_000.0, 40_000.0]);
        assert!(
            own.contains("per host up to a shared limit of 40,000 IOPS")
                && !own.contains("may also be"),
            "{own}"
        );
    }

    #[test]
    fn three_points_do_not_test_a_law_of_three_constants() {
        let law = Scalability {
            lambda: 8000.0,
            sigma: 0.08,
            kappa: 0.0,
            error: 0.0,
        };
        let three = law_words(law, 3);
        assert!(
            three.contains("coherency 0 (three points cannot test"),
            "{three}"
        );
        let five = law_words(
            Scalability {
                kappa: 2e-4,
                error: 0.012,
                ..law
            },
            5,
        );
        assert!(
            five.contains("coherency 2.00e-4 (fits within 1.2 %)"),
            "{five}"
        );
    }

    /// What is flat at one depth and more at another is no limit of the volume.
    #[test]
    fn a_total_that_another_depth_exceeds_is_no_shared_limit() {
        let totals: Vec<(f64, Interval)> = [
            (1.0, 7420.0),
            (2.0, 14_840.0),
            (4.0, 14_840.0),
            (8.0, 14_840.0),
        ]
        .map(|p| (p.0, Interval::only(p.1)))
        .to_vec();
        let points: Vec<(f64, f64)> = totals.iter().map(|p| (p.0, p.1.value)).collect();
        let law = scalability(&points);
        let alone = words(&totals, law, None);
        assert!(
            alone.contains("up to a shared limit of 14,840 IOPS"),
            "{alone}"
        );
        let other = Elsewhere {
            name: "depth 32".to_owned(),
            most: Interval::only(20_000.0),
        };
        let beside = words(&totals, law, Some(&other));
        assert!(
            !beside.contains("shared limit")
                && beside
                    .contains("not a limit of the volume: 20,000 IOPS were reached at depth 32"),
            "{beside}"
        );
    }

    /// The drawn law never rises above a plain cap.
    #[test]
    fn no_law_is_drawn_above_a_cap() {
        let highest = |points: &[AnswerPoint]| points.iter().map(|p| p.y).fold(0.0, f64::max);
        // Hosts that reach as much each until there.
        let plain = [
            (1.0, 15e3),
            (2.0, 30e3),
            (3.0, 45e3),
            (4.0, 50e3),
            (6.0, 50e3),
        ];
        let curve = drawn(&plain, scalability(&plain).unwrap()).unwrap();
        assert!(highest(&curve) <= 50e3, "{curve:?}");
        // With queueing before the cap, no law of the two fits.
        let queued = [
            (1.0, 7840.0),
            (2.0, 15_070.0),
            (4.0, 20_000.0),
            (6.0, 20_000.0),
            (8.0, 20_000.0),
        ];
        let law = scalability(&queued).unwrap();
        let most = range(8.0).map(|n| law.at(n)).fold(0.0, f64::max);
        assert!(most > 20_400.0, "{most}");
        assert!(drawn(&queued, law).is_none());
        assert!(
            said(&queued).contains("No universal scalability law fits"),
            "{}",
            said(&queued)
        );
        // One that bends is drawn.
        let bent = [(1.0, 10.0), (2.0, 18.0), (4.0, 28.0), (8.0, 36.0)];
        assert!(drawn(&bent, scalability(&bent).unwrap()).is_some());
    }

    fn said(points: &[(f64, f64)]) -> String {
        let known = |p: &(f64, f64)| (p.0, Interval::only(p.1));
        let totals: Vec<(f64, Interval)> = points.iter().map(known).collect();
        words(&totals, scalability(points), None)
    }

    /// The law bends down after a cap that the totals reach and keep; only totals that fall have a peak.
    #[test]
    fn a_cap_is_no_peak() {
        let cap = [
            (1.0, 15e3),
            (2.0, 30e3),
            (3.0, 45e3),
            (4.0, 50e3),
            (6.0, 50e3),
        ];
        let flat = said(&cap);
        assert!(flat.starts_with("1 host reaches 15,000 IOPS"), "{flat}");
        assert!(flat.contains("stays the same from 4 hosts on"), "{flat}");
        assert!(!flat.contains("highest"), "{flat}");
        // Nor is it contention: each host does as much as one until there.
        let hard = "all totals are within 0.1 % of 15,000 IOPS per host up to a shared limit of 50,000 IOPS";
        assert!(
            flat.contains(hard)
                && flat.contains("with no loss to contention or to keeping hosts coherent")
                && !flat.contains("scalability law"),
            "{flat}"
        );
        let once = said(&cap[..4]);
        assert!(
            once.contains("coherency") && once.contains("another law: all totals are"),
            "{once}"
        );
        // Totals that bend from the first have no such limit.
        let bent = said(&[(1.0, 10.0), (2.0, 18.0), (4.0, 28.0), (8.0, 36.0)]);
        assert!(
            bent.contains("coherency") && !bent.contains("shared limit"),
            "{bent}"
        );
        // SPEC SDM91 falls from 72 on; of its first three points the law has a peak too, and nothing is known of one.
        let spec = [
            (1.0, 64.9),
            (18.0, 995.9),
            (36.0, 1652.4),
            (72.0, 1853.2),
            (108.0, 1828.9),
            (144.0, 1775.0),
            (216.0, 1702.2),
        ];
        let fall = said(&spec);
        assert!(fall.contains("the total is highest at about 9"), "{fall}");
        let first = said(&spec[..3]);
        assert!(
            first.contains("no peak within the measured range"),
            "{first}"
        );
        assert!(!first.contains("highest"), "{first}");
        let rising = said(&[(2.0, 20.0), (4.0, 39.0), (8.0, 70.0)]);
        assert!(rising.starts_with("2 hosts together reach"), "{rising}");
        assert!(
            rising.contains("no peak within the measured range"),
            "{rising}"
        );
    }
}
