//! Which limit holds at which block size: X(b) = min(C, B / b, S / R0(b)).
//!
//! Belongs here: the three terms, and which of them each point is at. Must never: name a cause that two terms predict
//! alike.

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerPoint, AnswerSeries, AnswerTable, AnswerUnit, Column,
};
use super::done::Measured;
use super::group::{PointGroup, block_label, chart, table};
use crate::words::{about, both_per_s, trim_to};
use leadline_model::plan::study::Axis;

/// A point within this share of a term is at it.
const AT: f64 = 0.05;

/// The terms of one kind of I/O.
struct SizeLimits<'g, 'a> {
    kind: String,
    /// The saturated points by rising block size, each with the latency of one alone in seconds where that is known.
    points: Vec<(&'g PointGroup<'a>, f64, Option<f64>)>,
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
                at(g) == at(group) && g.first().summary.depth_asked == 1
            };
            let alone = groups.iter().find(same).map(|g| g.mean().value / 1e9);
            let kind = without_block(group);
            match all.iter_mut().find(|t| t.kind == kind) {
                Some(terms) => terms.points.push((group, block, alone)),
                None => all.push(Self {
                    kind,
                    points: vec![(group, block, alone)],
                }),
            }
        }
        for terms in &mut all {
            terms.points.sort_by(|a, b| a.1.total_cmp(&b.1));
        }
        all
    }

    /// The highest of a figure.
    fn highest(
        &self,
        of: impl Fn(&(&PointGroup<'a>, f64, Option<f64>)) -> Option<f64>,
    ) -> Option<f64> {
        let each = self.points.iter().filter_map(of);
        each.max_by(f64::total_cmp)
    }

    fn iops(&self) -> f64 {
        self.highest(|p| Some(p.0.iops().value)).unwrap_or(0.0)
    }

    fn bytes(&self) -> f64 {
        self.highest(|p| Some(p.0.bytes().value)).unwrap_or(0.0)
    }

    /// The most that were at work at once: X R0.
    fn slots(&self) -> Option<f64> {
        self.highest(|p| Some(p.0.iops().value * p.2?))
    }

    /// The terms that a point is at.
    fn at(&self, point: &(&PointGroup<'a>, f64, Option<f64>)) -> Vec<&'static str> {
        let near = |value: f64, most: f64| value >= most * (1.0 - AT);
        let mut at = Vec::new();
        if near(point.0.iops().value, self.iops()) {
            at.push("IOPS");
        }
        if near(point.0.bytes().value, self.bytes()) {
            at.push("bytes");
        }
        let slots = self.slots().zip(point.2);
        if slots.is_some_and(|(most, alone)| near(point.0.iops().value * alone, most)) {
            at.push("slots");
        }
        at
    }
}

fn without_block(group: &PointGroup<'_>) -> String {
    let at = group.at();
    let words = [Axis::Order, Axis::Reads].into_iter();
    let word = |axis: Axis| at.get(&axis).map(|v| super::group::value_words(axis, v));
    words.filter_map(word).collect::<Vec<_>>().join(" ")
}

/// The term that holds at each block size.
pub(super) fn answer(done: &[&Measured]) -> Answer {
    let groups = PointGroup::all(done);
    let mut answer = Answer::default();
    let all = SizeLimits::all(&groups);
    for terms in &all {
        answer.say(words(terms));
        answer.tables.push(which(terms));
        if all.len() == 1 {
            answer.value("iops", AnswerCell::Number(terms.iops()), AnswerUnit::Iops);
            answer.value(
                "bytes",
                AnswerCell::Number(terms.bytes()),
                AnswerUnit::BytesPerS,
            );
            answer.value(
                "slots",
                terms.slots().map_or(AnswerCell::None, AnswerCell::Number),
                AnswerUnit::Number,
            );
        }
    }
    let drawn = chart(
        "IOPS over block size",
        &groups,
        (
            Axis::Block,
            AnswerAxis::logarithmic("block size", AnswerUnit::Bytes),
        ),
        (AnswerAxis::logarithmic("IOPS", AnswerUnit::Iops), |g| {
            g.iops()
        }),
    );
    if let Some(mut drawn) = drawn {
        drawn.series.extend(all.iter().map(model));
        answer.charts.push(drawn);
    }
    answer.tables.push(table("Block sizes", &groups));
    answer
}

/// Block sizes at which one term holds and no other.
fn alone_at(terms: &SizeLimits<'_, '_>, term: &str) -> Vec<f64> {
    let only = |p: &&(&PointGroup<'_>, f64, Option<f64>)| terms.at(p) == [term];
    terms.points.iter().filter(only).map(|p| p.1).collect()
}

fn words(terms: &SizeLimits<'_, '_>) -> String {
    let sizes = |blocks: &[f64]| match blocks {
        [] => String::new(),
        [one] => block_label(*one),
        all => format!(
            "{} to {}",
            block_label(all[0]),
            block_label(all[all.len() - 1])
        ),
    };
    let constant = |term: &str| {
        let at: Vec<f64> = terms
            .points
            .iter()
            .filter(|p| terms.at(p).contains(&term))
            .map(|p| p.1)
            .collect();
        (at.len() >= 2).then_some(at)
    };
    let mut said = Vec::new();
    if let Some(at) = constant("IOPS") {
        let both = match terms
            .points
            .iter()
            .filter(|p| at.contains(&p.1))
            .all(|p| terms.at(p).contains(&"slots"))
        {
            true => {
                ", which an IOPS cap and a limit on concurrency explain equally well (bursts separate them, as in a survey)"
            }
            false => {
                ": an IOPS cap, because a single I/O takes longer with larger blocks and the rate does not change"
            }
        };
        said.push(format!(
            "from {} the rate stays at {} IOPS{both}",
            sizes(&at),
            about(terms.iops())
        ));
    }
    if let Some(at) = constant("bytes") {
        said.push(format!(
            "from {} the throughput stays at {}: a bandwidth cap",
            sizes(&at),
            both_per_s(terms.bytes())
        ));
    }
    let slots = alone_at(terms, "slots");
    if slots.len() >= 2 {
        let most = trim_to(terms.slots().unwrap_or(0.0), 1);
        said.push(format!(
            "from {} about {most} I/Os are in flight (X R0) at every size: concurrency is limited",
            sizes(&slots)
        ));
    }
    match said.is_empty() {
        true => format!(
            "{}: no single limit (IOPS, bandwidth or concurrency) explains two block sizes; more sizes or a greater depth would show one.",
            terms.kind
        ),
        false => format!("{}: {}.", terms.kind, said.join("; ")),
    }
}

fn which(terms: &SizeLimits<'_, '_>) -> AnswerTable {
    let row = |p: &(&PointGroup<'_>, f64, Option<f64>)| {
        vec![
            AnswerCell::Number(p.1),
            AnswerCell::Within(p.0.iops()),
            AnswerCell::Within(p.0.bytes()),
            p.2.map_or(AnswerCell::None, |alone| AnswerCell::Number(alone * 1e9)),
            p.2.map_or(AnswerCell::None, |alone| {
                AnswerCell::Number(p.0.iops().value * alone)
            }),
            AnswerCell::text(match terms.at(p).as_slice() {
                [] => "none".to_owned(),
                some => some.join(" or "),
            }),
        ]
    };
    AnswerTable {
        title: format!("What holds at which block size: {}", terms.kind),
        columns: vec![
            Column::new("block", AnswerUnit::Bytes),
            Column::new("iops", AnswerUnit::Iops),
            Column::new("throughput", AnswerUnit::BytesPerS),
            Column::new("one alone", AnswerUnit::Nanos),
            Column::new("X R0", AnswerUnit::Number),
            Column::new("at", AnswerUnit::Text),
        ],
        rows: terms.points.iter().map(row).collect(),
    }
}

/// min(C, B / b).
fn model(terms: &SizeLimits<'_, '_>) -> AnswerSeries {
    let at = |p: &(&PointGroup<'_>, f64, Option<f64>)| {
        AnswerPoint::plain(p.1, terms.iops().min(terms.bytes() / p.1))
    };
    AnswerSeries {
        label: format!("min(C, B/b), {}", terms.kind),
        model: true,
        points: terms.points.iter().map(at).collect(),
    }
}
