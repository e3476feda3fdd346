//! Which limit holds at which block size: X(b) = min(C, B / b, S / R0(b)).
//!
//! Belongs here: the three terms, and which of them each point is at. Must never: name a cause that two terms predict
//! alike.

use super::alone;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerPoint, AnswerSeries, AnswerTable, AnswerUnit, Column,
};
use super::depth::product;
use super::done::Measured;
use super::group::{PointGroup, chart, table};
use super::own_depth::{DEEPER, Few, OwnDepth};
use crate::stats::Interval;
use crate::words::{bytes_within, give_or_take, iops_within, rounded, span, trim_to, whole};
use leadline_model::plan::study::{Axis, Study};
use leadline_model::units::Bytes;

/// A point within this share of a term is at it.
const AT: f64 = 0.05;
/// Values that differ by more than this share beyond their intervals are not the same.
const EVEN: f64 = 0.01;

/// A number of slots is known to this share at best: I/Os begin and end within a window.
const ROUGH: f64 = 0.02;

/// A term: what it keeps the same at every block size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    Iops,
    Bytes,
    Slots,
}

impl Term {
    const ALL: [Self; 3] = [Self::Iops, Self::Bytes, Self::Slots];

    const fn name(self) -> &'static str {
        match self {
            Self::Iops => "IOPS cap",
            Self::Bytes => "bandwidth cap",
            Self::Slots => "I/Os at once",
        }
    }
}

/// The deepest point of a block size.
struct SizePoint<'g, 'a> {
    group: &'g PointGroup<'a>,
    /// Bytes.
    block: f64,
    /// The latency at depth 1 in nanoseconds, where that is known.
    alone: Option<Interval>,
    /// What of it takes none of the I/Os at once: the round trip, where these are beyond it; in nanoseconds.
    trip: f64,
}

/// The most of what a term keeps the same: of I/Os and bytes that of the point that was confirmed as the best, of I/Os at once
/// that of such a point where it is at the most.
fn most_of<'p, 'g: 'p, 'a: 'p + 'g>(
    points: impl Iterator<Item = &'p SizePoint<'g, 'a>>,
    term: Term,
) -> Option<Interval> {
    match term {
        Term::Iops => {
            let all = points.map(|p| p.group);
            PointGroup::best(all, Measured::iops_within).map(PointGroup::iops)
        }
        Term::Bytes => {
            let all = points.map(|p| p.group);
            PointGroup::best(all, Measured::bytes_within).map(PointGroup::bytes)
        }
        Term::Slots => most_at_once(points).map(|most| most.0),
    }
}

/// The most I/Os at once, and whether that is of a point that was measured once more: the highest of several sizes is high by
/// chance, so that it is the figure of a best point wherever one is near it.
fn most_at_once<'p, 'g: 'p, 'a: 'p + 'g>(
    points: impl Iterator<Item = &'p SizePoint<'g, 'a>>,
) -> Option<(Interval, bool)> {
    let of = |p: &SizePoint<'_, '_>| Some((p.figure(Term::Slots)?, p.group.is_confirmed()));
    let all: Vec<(Interval, bool)> = points.filter_map(of).collect();
    let value = |a: &(Interval, bool), b: &(Interval, bool)| a.0.value.total_cmp(&b.0.value);
    let highest = all.iter().copied().max_by(value)?;
    let is_near = |p: &(Interval, bool)| p.1 && p.0.value >= highest.0.value * (1.0 - AT);
    let confirmed = all.iter().copied().filter(is_near).max_by(value);
    Some(confirmed.unwrap_or(highest))
}

impl SizePoint<'_, '_> {
    /// What a term keeps the same; `None` for I/Os at once (X R0) where the latency at depth 1 is not known.
    fn figure(&self, term: Term) -> Option<Interval> {
        match term {
            Term::Iops => Some(self.group.iops()),
            Term::Bytes => Some(self.group.bytes()),
            Term::Slots => Some(product(self.group.iops(), self.held()?)),
        }
    }

    /// How long an I/O alone takes one of the I/Os at once, in nanoseconds.
    fn held(&self) -> Option<Interval> {
        self.alone.map(|alone| alone.beyond(self.trip))
    }

    /// Where the study's own depth was the limit.
    fn own_depth(&self) -> Option<OwnDepth> {
        let alone = Few::one(self.alone?.value);
        let mut points = self.group.points.iter();
        points.find_map(|point| OwnDepth::of(point, alone))
    }
}

/// The terms of one kind of I/O.
struct SizeLimits<'g, 'a> {
    kind: String,
    /// By rising block size.
    points: Vec<SizePoint<'g, 'a>>,
}

impl<'g, 'a> SizeLimits<'g, 'a> {
    /// Those of each order and mix.
    fn all(groups: &'g [PointGroup<'a>]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let most = groups.iter().map(|g| g.first().summary.depth_asked).max();
        for group in groups
            .iter()
            .filter(|g| Some(g.first().summary.depth_asked) == most)
        {
            let Some(block) = group.number(Axis::Block) else {
                continue;
            };
            let same = |g: &&PointGroup<'_>| {
                let at = |g: &PointGroup<'_>| {
                    (
                        g.number(Axis::Block),
                        g.number(Axis::Reads),
                        g.first().text(Axis::Order).map(str::to_owned),
                    )
                };
                at(g) == at(group) && alone::is_one(g.first())
            };
            let alone = groups.iter().find(same).map(PointGroup::mean);
            let kind = without_block(group);
            let point = SizePoint {
                group,
                block,
                alone,
                trip: 0.0,
            };
            match all.iter_mut().find(|t| t.kind == kind) {
                Some(terms) => terms.points.push(point),
                None => all.push(Self {
                    kind,
                    points: vec![point],
                }),
            }
        }
        for terms in &mut all {
            terms.points.sort_by(|a, b| a.block.total_cmp(&b.block));
            terms.settle_trip();
        }
        all
    }

    /// Leaves the round trip out of what takes one of the I/Os at once, where that makes their number more nearly the
    /// same at all sizes: then they are beyond the network, and not those that a host may have outstanding.
    fn settle_trip(&mut self) {
        let first = self.points.first().and_then(|p| p.group.first().round_trip);
        let Some(trip) = first.filter(|trip| trip.0 > 0) else {
            return;
        };
        let with = self.spread();
        let set = |terms: &mut Self, trip: f64| {
            terms.points.iter_mut().for_each(|p| p.trip = trip);
        };
        set(self, trip.0 as f64);
        // Where sizes do not show it, since all take equally long, it may be either.
        if with <= self.spread() * (1.0 + EVEN) {
            set(self, 0.0);
        }
    }

    /// The most I/Os at once over the fewest, of the points that show a limit, but for those at the most bytes a second.
    fn spread(&self) -> f64 {
        let below = self.sound().filter(|p| !self.is_near(p, Term::Bytes));
        let at_once = below.filter_map(|p| p.figure(Term::Slots));
        let values: Vec<f64> = at_once.map(|figure| figure.value).collect();
        let most = values.iter().copied().fold(0.0, f64::max);
        most / values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The points that show a limit of the volume.
    fn sound(&self) -> impl Iterator<Item = &SizePoint<'g, 'a>> {
        self.points.iter().filter(|p| p.own_depth().is_none())
    }

    /// The most of what a term keeps the same; of all points where none shows a limit.
    fn most(&self, term: Term) -> Option<f64> {
        self.most_within(term).map(|most| most.value)
    }

    /// The same with its interval.
    fn most_within(&self, term: Term) -> Option<Interval> {
        match self.sound().next() {
            Some(_) => most_of(self.sound(), term),
            None => most_of(self.points.iter(), term),
        }
    }

    /// The same for a sentence; nothing where there is none.
    fn most_or_none(&self, term: Term) -> Interval {
        self.most_within(term).unwrap_or(Interval::only(0.0))
    }

    /// The most as a value of the answer.
    fn cell(&self, term: Term) -> AnswerCell {
        match (self.most_within(term), self.sound().next()) {
            (None, _) => AnswerCell::None,
            (Some(most), Some(_)) => AnswerCell::Within(most),
            (Some(most), None) => AnswerCell::AtLeast(most.value),
        }
    }

    /// Whether a point is near the most of a term.
    fn is_near(&self, point: &SizePoint<'_, '_>, term: Term) -> bool {
        let values = point.figure(term).zip(self.most(term));
        let near = values.is_some_and(|(own, most)| own.value >= most * (1.0 - AT));
        near && point.own_depth().is_none()
    }

    /// Whether a point is below the most of a term beyond the intervals of both: of I/Os and bytes, which are measured
    /// alone.
    fn is_below(&self, point: &SizePoint<'_, '_>, term: Term) -> bool {
        let pair = point.figure(term).zip(self.most_within(term));
        let differs = |(own, most): (Interval, Interval)| {
            own.value < most.value && !is_even([own, most].into_iter())
        };
        term != Term::Slots && pair.is_some_and(differs)
    }

    /// The rate or the throughput that stays the same at these block sizes, in words: where it was another when it was measured
    /// once more, also the most that another size has.
    fn most_words(&self, term: Term, blocks: &[f64]) -> String {
        let words = |figure: &Interval| match term {
            Term::Bytes => bytes_within(figure),
            Term::Iops | Term::Slots => iops_within(figure),
        };
        let most = self.most_or_none(term);
        let own = self.points.iter().filter(|p| blocks.contains(&p.block));
        let above = own
            .filter_map(|p| p.figure(term))
            .filter(|figure| figure.value > most.value && !is_even([*figure, most].into_iter()));
        match above.max_by(|a, b| a.value.total_cmp(&b.value)) {
            Some(highest) => format!(
                "{} (measured once more; another size has {})",
                words(&most),
                words(&highest)
            ),
            None => words(&most),
        }
    }

    /// Whether another term is the same at all sizes at which both are near, and this one is not: near is not at. A cap is refuted
    /// by a number at once at sizes alone at which the other cap explains nothing: where that begins, the rate is slightly lower
    /// too, and one I/O at a time waits for the caps, so that `X R0` is 1 at all sizes whatever the limit is.
    fn is_refuted(&self, term: Term, by: Term) -> bool {
        let other_cap = match term {
            Term::Iops => Term::Bytes,
            _ => Term::Iops,
        };
        let is_of_it = |p: &SizePoint<'_, '_>| by == Term::Slots && self.is_near(p, other_cap);
        let is_both =
            |p: &&SizePoint<'_, '_>| self.is_near(p, term) && self.is_near(p, by) && !is_of_it(p);
        let both: Vec<&SizePoint<'_, '_>> = self.sound().filter(is_both).collect();
        let even = |term: Term| is_even(both.iter().filter_map(|p| p.figure(term)));
        both.len() >= 2 && !even(term) && even(by)
    }

    /// The terms that a point is at.
    fn at(&self, point: &SizePoint<'_, '_>) -> Vec<Term> {
        let near = |term: &Term| self.is_near(point, *term);
        let all: Vec<Term> = Term::ALL.into_iter().filter(near).collect();
        let others = |term: Term| all.iter().copied().filter(move |by| *by != term);
        let refuted = |term: Term| others(term).any(|by| self.is_refuted(term, by));
        let left = all.iter().copied().filter(|term| !refuted(*term));
        let left: Vec<Term> = left.collect();
        // Near is not at, where another term is left.
        let exact = left.iter().copied().filter(|t| !self.is_below(point, *t));
        let exact: Vec<Term> = exact.collect();
        let mut at = if exact.is_empty() { left } else { exact };
        if at.contains(&Term::Iops) && !at.contains(&Term::Slots) && self.is_slots_alike() {
            at.push(Term::Slots);
        }
        at
    }

    /// Whether a limit on concurrency explains a constant rate as well, though one alone takes longer with larger blocks:
    /// where the transfer holds none of the slots, the rate is that of the latency without it, and the two are a whole
    /// number. Less than one at once is no concurrency.
    fn is_slots_alike(&self) -> bool {
        let near = |p: &&SizePoint<'_, '_>| self.is_near(p, Term::Iops) && p.held().is_some();
        let points: Vec<&SizePoint<'_, '_>> = self.points.iter().filter(near).collect();
        let Some(first) = points.first() else {
            return false;
        };
        let alone = |p: &SizePoint<'_, '_>| p.held().map_or(0.0, |alone| alone.value);
        let per_byte = points.get(1).map_or(0.0, |second| {
            (alone(second) - alone(first)).max(0.0) / (second.block - first.block).max(1.0)
        });
        let without = (alone(first) - per_byte * first.block).max(0.0);
        let iops = first.group.iops();
        let slots = iops.value * without / 1e9;
        let error = first.alone.map_or(0.0, |alone| alone.relative());
        is_whole(slots, (iops.relative() + error).max(ROUGH))
    }
}

/// Whether a number that is known to this share may be a whole one, 1 or more.
fn is_whole(number: f64, error: f64) -> bool {
    let nearest = number.round();
    nearest >= 1.0 && (number - nearest).abs() <= error * number
}

/// Whether values are the same as far as their intervals say.
fn is_even(values: impl Iterator<Item = Interval>) -> bool {
    let values: Vec<Interval> = values.collect();
    let most = values.iter().map(|v| v.low).fold(0.0, f64::max);
    let least = values.iter().map(|v| v.high).fold(f64::INFINITY, f64::min);
    most <= least * (1.0 + EVEN)
}

fn without_block(group: &PointGroup<'_>) -> String {
    let at = group.at();
    let words = [Axis::Order, Axis::Reads].into_iter();
    let word = |axis: Axis| at.get(&axis).map(|v| super::group::value_words(axis, v));
    words.filter_map(word).collect::<Vec<_>>().join(" ")
}

/// The points of each kind of I/O among which the most I/Os and bytes are looked for: those that show a limit of the volume,
/// all where none does.
pub(super) fn lines<'a>(done: &[&'a Measured]) -> Vec<Vec<&'a Measured>> {
    let groups = PointGroup::all(done);
    let of = |terms: SizeLimits<'_, 'a>| {
        let sound: Vec<&'a Measured> = terms.sound().map(|p| p.group.first()).collect();
        match sound.is_empty() {
            true => terms.points.iter().map(|p| p.group.first()).collect(),
            false => sound,
        }
    };
    SizeLimits::all(&groups).into_iter().map(of).collect()
}

/// The points of a study whose own depth was the limit.
pub(super) fn own_depths(done: &[&Measured]) -> Vec<OwnDepth> {
    let groups = PointGroup::all(done);
    let all = SizeLimits::all(&groups);
    let points = all.iter().flat_map(|terms| &terms.points);
    points.filter_map(SizePoint::own_depth).collect()
}

/// The term that holds at each block size.
pub(super) fn answer(study: &Study, done: &[&Measured]) -> Answer {
    let groups = PointGroup::all(done);
    let mut answer = Answer::default();
    let all = SizeLimits::all(&groups);
    for terms in &all {
        answer.say(words(terms));
        answer.tables.push(which(terms));
        if all.len() == 1 {
            answer.value("iops", terms.cell(Term::Iops), AnswerUnit::Iops);
            answer.value("bytes", terms.cell(Term::Bytes), AnswerUnit::BytesPerS);
            answer.value("slots", terms.cell(Term::Slots), AnswerUnit::Number);
        }
    }
    let (lone, asked): (Vec<PointGroup<'_>>, Vec<PointGroup<'_>>) = groups
        .iter()
        .cloned()
        .partition(|group| alone::is_beside(study, group.first()));
    let drawn = chart(
        "IOPS over block size",
        &asked,
        (
            Axis::Block,
            AnswerAxis::logarithmic("block size", AnswerUnit::Bytes),
        ),
        (AnswerAxis::logarithmic("IOPS", AnswerUnit::Iops), |g| {
            AnswerCell::Within(g.iops())
        }),
    );
    if let Some(mut drawn) = drawn {
        let known = all.iter().filter(|terms| terms.sound().next().is_some());
        drawn.series.extend(known.map(model));
        answer.charts.push(drawn);
    }
    answer.tables.push(table("Block sizes", &asked));
    if !lone.is_empty() {
        answer.tables.push(table("Depth 1", &lone));
    }
    answer
}

/// The first of these block sizes to the last.
fn sizes(blocks: &[f64]) -> String {
    let size = |block: f64| Bytes(whole(block));
    match blocks {
        [] => String::new(),
        [one] => format!("at {}", size(*one)),
        [first, .., last] => format!("from {} to {}", size(*first), size(*last)),
    }
}

/// Block sizes of the points of which something is true.
fn blocks<'g, 'a>(terms: &SizeLimits<'g, 'a>, is: impl Fn(&SizePoint<'g, 'a>) -> bool) -> Vec<f64> {
    let those = terms.points.iter().filter(|p| is(p));
    those.map(|p| p.block).collect()
}

fn words(terms: &SizeLimits<'_, '_>) -> String {
    let mut said: Vec<String> = Vec::new();
    said.extend(of_iops(terms));
    let at = blocks(terms, |p| terms.at(p).contains(&Term::Bytes));
    if at.len() >= 2 {
        said.push(format!(
            "{} the throughput stays at {}: a bandwidth cap{}",
            sizes(&at),
            terms.most_words(Term::Bytes, &at),
            or_counted_in_units(terms, &at)
        ));
    }
    said.extend(apart_from_bytes(terms, &at));
    let slots = blocks(terms, |p| terms.at(p) == [Term::Slots]);
    if slots.len() >= 2 {
        let most = terms.most_or_none(Term::Slots);
        let number = format!("{} I/Os", trim_to(most.value, 1));
        said.push(format!(
            "{} about {} are in flight ({}) at every size: concurrency is limited",
            sizes(&slots),
            give_or_take(&number, rounded(most.value, 1), &most),
            at_once_words(terms)
        ));
    }
    let own: Vec<OwnDepth> = terms
        .points
        .iter()
        .filter_map(SizePoint::own_depth)
        .collect();
    if let Some(one) = own.first() {
        let at = blocks(terms, |p| p.own_depth().is_some());
        said.push(format!("{}, {}. {DEEPER}", sizes(&at), one.words()));
    }
    match said.is_empty() {
        true => format!(
            "{}: no single limit (IOPS, bandwidth or concurrency) explains two block sizes; more sizes or a greater depth would show one.",
            terms.kind
        ),
        false => format!("{}: {}.", terms.kind, said.join("; ")),
    }
}

/// What else explains a throughput that begins exactly where a rate ends: a volume that counts a large I/O as several.
fn or_counted_in_units(terms: &SizeLimits<'_, '_>, at_bytes: &[f64]) -> String {
    let at_iops = blocks(terms, |p| terms.at(p).contains(&Term::Iops));
    match (at_iops.as_slice(), at_bytes) {
        ([_, .., last], [first, ..]) if last.to_bits() == first.to_bits() => format!(
            ", or the same limit on IOPS, which counts each {} of a larger I/O as one I/O",
            Bytes(whole(*last))
        ),
        _ => String::new(),
    }
}

/// What the number of I/Os at once is made of.
fn at_once_words(terms: &SizeLimits<'_, '_>) -> String {
    let less = match terms.points.first().map_or(0.0, |p| p.trip) {
        trip if trip > 0.0 => format!(" less the network round trip of {}", span(trip)),
        _ => String::new(),
    };
    let is_confirmed = most_at_once(terms.sound()).is_some_and(|most| most.1);
    let chance = match is_confirmed {
        true => String::new(),
        false => format!(
            "; the highest of {} sizes, not measured once more",
            terms.sound().count()
        ),
    };
    format!("the rate times the latency at depth 1{less}{chance}")
}

/// The one block size below those of a bandwidth cap, whose throughput is lower though one size alone shows no law.
fn apart_from_bytes(terms: &SizeLimits<'_, '_>, at_bytes: &[f64]) -> Option<String> {
    let first = *at_bytes.first().filter(|_| at_bytes.len() >= 2)?;
    let below: Vec<&SizePoint<'_, '_>> = terms.sound().filter(|p| p.block < first).collect();
    let [one] = below.as_slice() else {
        return None;
    };
    Some(format!(
        "at {} it is lower, {} at {}: another limit applies there, on IOPS or on concurrency",
        Bytes(whole(one.block)),
        bytes_within(&one.group.bytes()),
        one.group.iops_words(),
    ))
}

/// A rate that stays the same, and what that may be.
fn of_iops(terms: &SizeLimits<'_, '_>) -> Option<String> {
    let at = blocks(terms, |p| terms.at(p).contains(&Term::Iops));
    if at.len() < 2 {
        return None;
    }
    let mut own = terms.points.iter().filter(|p| at.contains(&p.block));
    let what = match own.all(|p| terms.at(p).contains(&Term::Slots)) {
        true => {
            ", which an IOPS cap and a limit on concurrency explain equally well (`leadline measure` distinguishes \
             them)"
        }
        false => {
            ": an IOPS cap, because a single I/O takes longer with larger blocks and the rate does not change"
        }
    };
    let most = terms.most_words(Term::Iops, &at);
    Some(format!("{} the rate stays at {most}{what}", sizes(&at)))
}

fn which(terms: &SizeLimits<'_, '_>) -> AnswerTable {
    let row = |p: &SizePoint<'_, '_>| {
        let names: Vec<&str> = terms.at(p).into_iter().map(Term::name).collect();
        vec![
            AnswerCell::Number(p.block),
            AnswerCell::Within(p.group.iops()),
            AnswerCell::Within(p.group.bytes()),
            p.alone.map_or(AnswerCell::None, AnswerCell::Within),
            p.figure(Term::Slots)
                .map_or(AnswerCell::None, AnswerCell::Within),
            AnswerCell::text(match (names.as_slice(), p.own_depth()) {
                (_, Some(_)) => "own depth".to_owned(),
                ([], None) => "none".to_owned(),
                (some, None) => some.join(" or "),
            }),
        ]
    };
    AnswerTable {
        title: format!("What holds at which block size: {}", terms.kind),
        columns: vec![
            Column::concluded("block", AnswerUnit::Bytes),
            Column::concluded("iops", AnswerUnit::Iops),
            Column::concluded("throughput", AnswerUnit::BytesPerS),
            Column::concluded("mean at depth 1", AnswerUnit::Nanos),
            Column::concluded("in flight", AnswerUnit::Number),
            Column::concluded("limit", AnswerUnit::Text),
        ],
        rows: terms.points.iter().map(row).collect(),
    }
}

/// min(C, B / b).
fn model(terms: &SizeLimits<'_, '_>) -> AnswerSeries {
    let [iops, bytes] = [Term::Iops, Term::Bytes].map(|term| terms.most(term).unwrap_or(0.0));
    let at = |p: &SizePoint<'_, '_>| AnswerPoint::plain(p.block, iops.min(bytes / p.block));
    AnswerSeries {
        label: format!("caps of IOPS and bytes, {}", terms.kind),
        model: true,
        points: terms.points.iter().map(at).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::StudyPoint;
    use leadline_model::plan::access::OpMix;
    use leadline_model::plan::study::{Coordinate, Coordinates, Role};

    /// Points of 512 B, of 4 KiB, and of 512 B as the best once more, with these I/Os a second.
    fn of_two_sizes(rates: [u64; 3]) -> Vec<Measured> {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let names = ["a", "b", "again"].map(|name| (name, vec![workload.clone()]));
        let mut plan = fixture::plan(names.into());
        for (stage, (block, number)) in
            plan.stages
                .iter_mut()
                .zip([(512.0, 1.0), (4096.0, 1.0), (512.0, 2.0)])
        {
            let mut at = Coordinates::from([(Axis::Block, Coordinate::Number(block))]);
            if number > 1.0 {
                at.insert(Axis::Try, Coordinate::Number(number));
            }
            let role = if number > 1.0 {
                Role::Confirmation
            } else {
                Role::Point
            };
            stage.point = Some(StudyPoint { role, at });
        }
        let loads = rates.map(|ios| vec![Load::simple(Op::Read, ios, 4096, 1_000_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        Measured::all(&run, &summarize(&run))
    }

    #[test]
    fn ios_at_once_are_those_of_a_best_point_where_one_is_near_the_most() {
        let done = of_two_sizes([400, 385, 390]);
        let done: Vec<&Measured> = done.iter().collect();
        let groups = PointGroup::all(&done);
        let most = |alone_ms: [f64; 2]| {
            let point = |(group, ms): (_, f64)| SizePoint {
                group,
                block: 512.0,
                alone: Some(Interval::only(ms * 1e6)),
                trip: 0.0,
            };
            let points: Vec<SizePoint<'_, '_>> = groups.iter().zip(alone_ms).map(point).collect();
            let (most, is_confirmed) = most_at_once(points.iter()).unwrap();
            (trim_to(most.value, 2), is_confirmed)
        };
        // 3.9 and, by chance, 4.08; then 4.62, which is beyond chance.
        assert_eq!(most([10.0, 10.6]), ("3.9".to_owned(), true));
        assert_eq!(most([10.0, 12.0]), ("4.62".to_owned(), false));
    }

    #[test]
    fn a_constant_rate_that_did_not_repeat_is_said_beside_that_of_other_sizes() {
        let said = |rates: [u64; 3]| {
            let done = of_two_sizes(rates);
            let done: Vec<&Measured> = done.iter().collect();
            let groups = PointGroup::all(&done);
            words(&SizeLimits::all(&groups)[0])
        };
        let same = said([400, 398, 399]);
        assert!(
            same.contains("from 512 B to 4 KiB the rate stays at"),
            "{same}"
        );
        assert!(!same.contains("another size"), "{same}");
        let other = said([400, 398, 340]);
        assert!(
            other.contains("from 512 B to 4 KiB the rate stays at"),
            "{other}"
        );
        assert!(
            other.contains("(measured once more; another size has "),
            "{other}"
        );
    }

    #[test]
    fn block_sizes_are_said_with_their_unit() {
        assert_eq!(sizes(&[512.0, 4096.0, 32_768.0]), "from 512 B to 32 KiB");
        assert_eq!(sizes(&[1_048_576.0]), "at 1 MiB");
    }

    /// 8 at once of 200 us are 40,000 a second; 10,000 a second of 537 us each are 5.37.
    #[test]
    fn a_whole_number_of_ios_in_flight_may_be_slots() {
        assert!(is_whole(40_000.0 * 200e-6, 0.02));
        assert!(is_whole(8.1, 0.02) && is_whole(1.01, 0.02));
        assert!(!is_whole(10_000.0 * 537e-6, 0.02));
        // Less than one at once is a rate that something else sets.
        assert!(!is_whole(0.7, 0.02) && !is_whole(0.4, 0.9));
    }

    /// 16 at once of 300 us and 3 ns a byte: 512 bytes take 301.5 us, 4 KiB 312.3 us, so 53,060 and 51,233 a second.
    #[test]
    fn a_fall_beyond_the_intervals_is_no_constant_rate() {
        let rate = |block: f64| {
            let value = 16.0 / (300e-6 + 3e-9 * block);
            Interval {
                value,
                low: value * 0.9995,
                high: value * 1.0005,
                settled: true,
            }
        };
        assert!(!is_even([512.0, 4096.0].map(rate).into_iter()));
        let at_once = |block: f64| {
            let alone = Interval {
                value: 300e3 + 3.0 * block,
                low: 300e3 + 3.0 * block,
                high: 300e3 + 3.0 * block,
                settled: true,
            };
            product(rate(block), alone)
        };
        assert!(is_even([512.0, 4096.0].map(at_once).into_iter()));
        // Within what each is sure to, they are the same.
        let rough = |block: f64| Interval {
            low: rate(block).value * 0.97,
            high: rate(block).value * 1.03,
            ..rate(block)
        };
        assert!(is_even([512.0, 4096.0].map(rough).into_iter()));
    }
}
