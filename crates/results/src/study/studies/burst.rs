//! Burst and baseline rate of a volume with credits, the size of the bucket, and its refill rate.
//!
//! A token bucket lets I/Os pass at the higher rate while it holds tokens, and gains tokens at the lower rate. So what
//! was done beyond the lower rate until the fall is what it held; and what it holds after a pause is what came back in it
//! (Uta and others, "Is big data performance reproducible in modern cloud networks?", NSDI 2020, section 4).
//!
//! Belongs here: the points (until the fall, and again after a pause), and what they say of the bucket. Must never: find
//! a fall (`stats`).

use super::alone::lone;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::charged::LoadFall;
use super::combinations::{coordinates, loads};
use super::done::Measured;
use super::fall::{Fall, LateFall};
use super::own_depth::{DEEPER, Few, OwnDepth};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use super::{Search, charged, label, lone_fall, missing};
use crate::stats::Interval;
use crate::summary::Point;
use crate::words::{about, give_or_take, iops_within, span, span_within, thousands, whole};
use leadline_model::plan::study::{Axis, Coordinate, Role, Study};
use leadline_model::units::Nanos;

/// The first point of a load, the one after the pause, and one I/O alone, which may empty a small bucket and so is last.
const KINDS: [&str; 3] = [DRAIN, "after-rest", "alone"];
/// The kind of the points that spend the credits.
pub(crate) const DRAIN: &str = "drain";
/// The same in a chart.
const KIND_WORDS: [&str; 3] = ["spending the credits", "after the rest", "one at a time"];
/// A bucket of which more than this share was spent before was not full.
const SPENT: f64 = 0.05;
/// One I/O alone is observed for so long at the most; after a fall, where it uses what comes back, for so long.
const ALONE: Nanos = Nanos::from_secs(5);
const ALONE_AFTER: Nanos = Nanos::from_secs(1);
/// Over what comes back in it by what was measured, the pause before it is longer by this factor.
const MORE: f64 = 1.5;

/// The points of one repeat.
pub(super) struct BurstSearch<'a> {
    pub(super) study: &'a Study,
    /// The pause in which credits come back.
    pub(super) rest: Nanos,
}

impl BurstSearch<'_> {
    fn point(&self, load: &StudyLoad, kind: usize) -> Spec {
        let mut at = coordinates(load);
        at.insert(Axis::Kind, Coordinate::Text(KINDS[kind].to_owned()));
        Spec {
            warmup: Nanos::ZERO,
            // What the fill or the point before it has spent comes back.
            pause: self.rest,
            ..Spec::of(Role::Point, at, load.clone(), self.study)
        }
    }

    /// One I/O of a load alone, at a rate that credits pay for: after a fall, when what it takes has come back. After a
    /// point without a fall no credit was spent that would have to.
    fn alone(&self, load: &StudyLoad, done: &[&Measured]) -> Spec {
        let spec = self.point(&lone(load), 2);
        let (pause, most) = match Self::fall(load, done) {
            Some(fall) => self.of_refill(&fall, Self::measured(load, 1, done)),
            None if Self::fell(load, done) => (self.rest, ALONE_AFTER),
            None => (Nanos::ZERO, ALONE),
        };
        Spec {
            pause,
            time: spec.time.map(|time| time.min(most)),
            ..spec
        }
    }

    /// How long a pause brings back what one I/O alone uses, and for how long that lasts: no more than half of the bucket.
    fn of_refill(&self, fall: &Fall, after: Option<&Measured>) -> (Nanos, Nanos) {
        let time = ALONE_AFTER.as_secs_f64().min(fall.after / 2.0);
        let back = after.and_then(Fall::of).map(|back| back.store());
        let refill = back.map_or(fall.low, |back| back / self.rest.as_secs_f64());
        let pause = MORE * fall.high * time / refill.max(1e-9);
        let pause = pause.min(self.rest.as_secs_f64());
        let nanos = |seconds: f64| Nanos(whole(seconds * 1e9));
        (nanos(pause), nanos(time))
    }

    /// Whether the rate of a load's first point fell, or seems to at its end.
    fn fell(load: &StudyLoad, done: &[&Measured]) -> bool {
        let drain = Self::measured(load, 0, done);
        drain.is_some_and(|drain| Fall::of(drain).is_some() || LateFall::of(drain).is_some())
    }

    /// Whether a point was one of the study's own depth: without a fall as a whole, else until then. What the volume gives
    /// beyond it, and without a fall so whether it has credits, is not known.
    fn own_depth(load: &StudyLoad, done: &[&Measured]) -> Option<OwnDepth> {
        let drain = Self::measured(load, 0, done)?;
        let alone = Self::measured(&lone(load), 2, done)?;
        let few = Few::of(&alone.summary.figures);
        match Self::fall(load, done) {
            None => OwnDepth::of(drain, few),
            Some(fall) => OwnDepth::at_rate(drain, fall.high, few),
        }
    }

    /// The fall of a load's first point; of one that is too late to see how low it is, with what the point after the pause
    /// says of that.
    fn fall(load: &StudyLoad, done: &[&Measured]) -> Option<Fall> {
        let drain = Self::measured(load, 0, done)?;
        let late = || {
            let again = Self::measured(load, 1, done).and_then(Fall::of)?;
            Fall::late(drain, &again)
        };
        Fall::of(drain).or_else(late)
    }

    fn measured<'m>(load: &StudyLoad, kind: usize, done: &[&'m Measured]) -> Option<&'m Measured> {
        let at = coordinates(load);
        let is_it = |m: &&&Measured| {
            m.text(Axis::Kind) == Some(KINDS[kind])
                && at
                    .iter()
                    .all(|(axis, value)| m.point.at.get(axis) == Some(value))
        };
        done.iter().find(is_it).copied()
    }
}

impl Search for BurstSearch<'_> {
    fn next(&self, done: &[&Measured], _room: Room) -> Option<Spec> {
        loads(self.study).iter().find_map(|load| {
            if Self::measured(load, 0, done).is_none() {
                return Some(self.point(load, 0));
            }
            let is_open = |load: &StudyLoad, kind| Self::measured(load, kind, done).is_none();
            let after = Self::fell(load, done) && is_open(load, 1);
            let after = after.then(|| self.point(load, 1));
            after.or_else(|| is_open(&lone(load), 2).then(|| self.alone(load, done)))
        })
    }

    fn outlook(&self) -> Vec<Spec> {
        let loads = loads(self.study).into_iter();
        loads
            .flat_map(|load| {
                let alone = self.point(&lone(&load), 2);
                let alone = Spec {
                    time: alone.time.map(|time| time.min(ALONE_AFTER)),
                    ..alone
                };
                [self.point(&load, 0), self.point(&load, 1), alone]
            })
            .collect()
    }

    fn own_depths(&self, done: &[&Measured]) -> Vec<OwnDepth> {
        let loads = loads(self.study);
        loads
            .iter()
            .filter_map(|load| Self::own_depth(load, done))
            .collect()
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let loads = loads(self.study);
        let (mut rows, mut points) = (Vec::new(), Vec::new());
        let mut falls: Vec<LoadFall> = Vec::new();
        for load in &loads {
            let Some(found) = self.drained(load, loads.len() == 1, done, &mut answer) else {
                continue;
            };
            rows.push(found.row);
            points.push(found.points);
            falls.extend(found.credit.map(|fall| LoadFall {
                block: load.block,
                reads: load.reads,
                fall,
            }));
        }
        let blocks: Vec<u64> = loads.iter().map(|load| load.block).collect();
        charged::say(&falls, &blocks, &mut answer);
        answer.tables.push(missing::marked(table_of(rows), &points));
        answer
    }
}

/// The table of credits, a row for each load whose rate fell.
fn table_of(rows: Vec<Vec<AnswerCell>>) -> AnswerTable {
    AnswerTable {
        title: "Credits".to_owned(),
        columns: vec![
            Column::new("load", AnswerUnit::Text),
            Column::new("block", AnswerUnit::Bytes),
            Column::new("high", AnswerUnit::Iops),
            Column::new("low", AnswerUnit::Iops),
            Column::new("low", AnswerUnit::BytesPerS),
            Column::new("fell after", AnswerUnit::Seconds),
            Column::concluded("bucket", AnswerUnit::Count),
            Column::concluded("bucket bytes", AnswerUnit::Bytes),
            Column::concluded("refill", AnswerUnit::Iops),
        ],
        rows,
    }
}

impl BurstSearch<'_> {
    /// The credits that points show, a row for each load whose rate fell.
    pub(super) fn credits(&self, done: &[&Measured]) -> AnswerTable {
        let loads = loads(self.study);
        let each = loads
            .iter()
            .filter_map(|load| self.drained(load, false, done, &mut Answer::default()));
        table_of(each.map(|found| found.row).collect())
    }
}

/// A load whose rate fell: its row in the table with the points it is from, and the fall where it is one of credits.
struct Drained<'m> {
    row: Vec<AnswerCell>,
    points: Vec<&'m Measured>,
    credit: Option<Fall>,
}

impl BurstSearch<'_> {
    /// What the points of a load say; `None` where none was measured or its rate did not fall.
    fn drained<'m>(
        &self,
        load: &StudyLoad,
        is_only: bool,
        done: &[&'m Measured],
        answer: &mut Answer,
    ) -> Option<Drained<'m>> {
        let name = if is_only { String::new() } else { load.words() };
        let drain = Self::measured(load, 0, done)?;
        answer.charts.push(picture(&name, load, done));
        let own = Self::own_depth(load, done);
        let Some(mut fall) = Self::fall(load, done) else {
            answer.say(format!("{}{}", label(&name), without_fall(drain, own)));
            let alone = Self::measured(&lone(load), 2, done);
            let later = alone.and_then(|alone| lone_fall::words(alone, drain));
            let later = later.map(|words| format!("{}{words}", label(&name)));
            answer.sentences.extend(later);
            return None;
        };
        let after = Self::measured(load, 1, done);
        let again = after.and_then(Fall::of);
        let back = again.as_ref().map(Fall::store);
        let is_rest = back.is_some_and(|back| self.is_rest_alone(&fall, back));
        let is_spent = !back.is_some_and(|back| self.is_surely_full(&fall, back))
            && self.spent_before(drain, &fall, load, done) > SPENT;
        fall.is_part = is_rest || is_spent;
        let is_credit = back.is_some() || !fall.is_for_good(after);
        if is_credit {
            answer.charts.push(tokens(&name, load, &fall, done));
        }
        let refill = again.map_or(AnswerCell::None, |again| self.refill(&fall, &again));
        let said = match is_credit {
            true if is_spent && !is_rest => self.of_spent(&fall, back),
            true => self.words(&fall, back, (after, &refill)),
            false => self.for_good(&fall, after),
        };
        answer.say(format!("{}{said}", label(&name)));
        let late = LateFall::of(drain).filter(|_| Fall::of(drain).is_none());
        answer
            .sentences
            .extend(late.map(|late| late.of_lower_rate(&name)));
        let of_own = own.map(|own| format!("{}{}", label(&name), of_higher_rate(&own)));
        answer.sentences.extend(of_own);
        let high = match own {
            Some(_) => AnswerCell::AtLeast(fall.high),
            None => AnswerCell::Within(fall.levels[0]),
        };
        if is_only {
            fall.values(high.clone(), is_credit, refill.clone(), answer);
        }
        let row = vec![
            AnswerCell::Text(load.words()),
            AnswerCell::Number(load.block as f64),
            high,
            AnswerCell::Within(fall.levels[1]),
            AnswerCell::Within(fall.levels[1].scaled(load.block as f64)),
            AnswerCell::Within(fall.after_within()),
            match is_credit {
                true => fall.store_cell(1.0),
                false => AnswerCell::None,
            },
            match is_credit {
                true => fall.store_cell(load.block as f64),
                false => AnswerCell::None,
            },
            refill,
        ];
        Some(Drained {
            row,
            points: [Some(drain), after].into_iter().flatten().collect(),
            credit: is_credit.then_some(fall),
        })
    }
}

impl BurstSearch<'_> {
    /// How fast credits come back, by what the pause brought back.
    fn refill(&self, fall: &Fall, again: &Fall) -> AnswerCell {
        let each = 1.0 / self.rest.as_secs_f64();
        match (fall.is_all(again.store()), again.store_within()) {
            (true, _) => AnswerCell::AtLeast(again.store() * each),
            (false, Some(back)) => AnswerCell::Within(back.scaled(each)),
            (false, None) => AnswerCell::Number(again.store() * each),
        }
    }

    /// Whether the bucket held no more than a rest brings, at the lower rate, to an empty one: the fill, or the
    /// point before, may have emptied it.
    fn is_rest_alone(&self, fall: &Fall, back: f64) -> bool {
        let rest = fall.low * self.rest.as_secs_f64();
        fall.is_all(back) && rest < 1.1 * fall.store()
    }

    /// The share of a bucket that earlier points have spent of what is charged for; of whichever is more where that is not
    /// known.
    fn spent_before(
        &self,
        drain: &Measured,
        fall: &Fall,
        load: &StudyLoad,
        done: &[&Measured],
    ) -> f64 {
        let falls: Vec<LoadFall> = loads(self.study)
            .iter()
            .filter_map(|load| {
                Some(LoadFall {
                    block: load.block,
                    reads: load.reads,
                    fall: Self::fall(load, done)?,
                })
            })
            .collect();
        let [ios, bytes] = spent_before(drain, fall, load.block, done);
        match charged::is_per_byte(&falls, (load.block, load.reads)) {
            Some(true) => bytes,
            Some(false) => ios,
            None => ios.max(bytes),
        }
    }

    /// Whether all had come back though less than the rest can bring: then the bucket was full before it was drained too.
    fn is_surely_full(&self, fall: &Fall, back: f64) -> bool {
        fall.is_all(back) && !self.is_rest_alone(fall, back)
    }

    /// What a fall says about a bucket from which earlier points spent more than pauses brought back.
    fn of_spent(&self, fall: &Fall, back: Option<f64>) -> String {
        let rest = self.rest;
        let back = back.map_or_else(String::new, |back| {
            let each = about(back / rest.as_secs_f64());
            format!(
                "; {} had returned after {rest} of rest, {each} a second",
                thousands(whole(back))
            )
        });
        format!(
            "{} for {}, then {}: burst credit for about {} I/Os{back}. Earlier writes and points may have spent more \
             than {rest} of rest brought back: a full bucket may hold more, which a longer rest would show.",
            iops_within(&fall.levels[0]),
            fell_after(fall),
            iops_within(&fall.levels[1]),
            thousands(whole(fall.store()))
        )
    }

    /// What a fall says after which a pause brought nothing back.
    fn for_good(&self, fall: &Fall, after: Option<&Measured>) -> String {
        format!(
            "{} for {}, then {}, and after {} of rest {}: the higher rate did not come back, so this is a lasting \
             change, not shown to be spent credit. A longer rest would show credit that comes back slowly.",
            iops_within(&fall.levels[0]),
            fell_after(fall),
            iops_within(&fall.levels[1]),
            self.rest,
            iops_within(&after.map_or(Interval::only(0.0), Measured::iops_within)),
        )
    }

    /// What a fall says, with the credits that the pause brought back, where the point after it fell as well.
    fn words(
        &self,
        fall: &Fall,
        back: Option<f64>,
        (after, refill): (Option<&Measured>, &AnswerCell),
    ) -> String {
        let first = format!(
            "{} for {}, then {}: burst credit for {} {} I/Os",
            iops_within(&fall.levels[0]),
            fell_after(fall),
            iops_within(&fall.levels[1]),
            if fall.is_part { "at least" } else { "about" },
            store_words(fall)
        );
        let rest = self.rest;
        if fall.is_part {
            return format!(
                "{first}; as much had returned after {rest} of rest, which is what the lower rate refills in that \
                 time. Earlier writes may have emptied the bucket, which then holds more: a longer rest would show \
                 it."
            );
        }
        let then = match (back, after) {
            (Some(back), _) if fall.is_all(back) => {
                format!(
                    "; all of it had returned after {rest}, so the refill is at least that fast"
                )
            }
            (Some(back), _) => format!(
                "; {} had returned after {rest} of rest, {} a second: a full refill takes {}",
                thousands(whole(back)),
                about(back / rest.as_secs_f64()),
                refill_words(fall, back / rest.as_secs_f64(), refill)
            ),
            (None, Some(after)) => format!(
                "; after {rest} of rest the rate was {} throughout",
                iops_within(&after.iops_within())
            ),
            (None, None) => "; recovery after a rest was not measured".to_owned(),
        };
        format!("{first}{then}. This assumes a full bucket at the start.")
    }
}

/// How long the higher rate was kept, with its interval.
fn fell_after(fall: &Fall) -> String {
    span_within(&fall.after_within().scaled(1e9))
}

/// What a bucket held, with an interval if that is all of it.
fn store_words(fall: &Fall) -> String {
    let store = thousands(whole(fall.store()));
    match fall.store_within().filter(|_| !fall.is_part) {
        Some(within) => give_or_take(&store, within.value.round(), &within),
        None => store,
    }
}

/// How long a full refill takes at this rate, with its interval where both have one.
fn refill_words(fall: &Fall, rate: f64, refill: &AnswerCell) -> String {
    match (fall.store_within(), refill) {
        (Some(store), AnswerCell::Within(rate)) => span_within(&store.over(rate).scaled(1e9)),
        _ => span(fall.store() / rate.max(1e-9) * 1e9),
    }
}

/// The share of a bucket that earlier points have spent and no pause has brought back by the start of a point: in I/Os, and
/// in bytes.
fn spent_before(drain: &Measured, fall: &Fall, block: u64, done: &[&Measured]) -> [f64; 2] {
    let before = done.iter().take_while(|m| m.name != drain.name);
    let before: Vec<&Measured> = before.copied().collect();
    let spent = |each: &dyn Fn(&Measured) -> f64, low: f64| {
        let after = |debt: f64, m: &&Measured| {
            let begins = (debt - low * m.pause.as_secs_f64()).max(0.0);
            (begins + each(m) - low * m.took.as_secs_f64()).max(0.0)
        };
        let debt = before.iter().fold(0.0, after);
        (debt - low * drain.pause.as_secs_f64()).max(0.0)
    };
    let ios = spent(&|m| m.summary.figures.data.ios as f64, fall.low);
    let bytes = spent(
        &|m| m.summary.figures.data.bytes as f64,
        fall.low * block as f64,
    );
    let store = fall.store().max(1.0);
    [ios / store, bytes / (store * block as f64)]
}

/// A sentence that the higher rate is limited by the study's depth, not by the volume.
fn of_higher_rate(own: &OwnDepth) -> String {
    format!(
        "The higher rate is limited by this study: until the fall, {}. {DEEPER}; the lower rate and the bucket are \
         the volume's.",
        own.words()
    )
}

impl LateFall {
    /// A sentence on which point the lower rate is from.
    fn of_lower_rate(&self, name: &str) -> String {
        format!(
            "{}The fall came {} before the point ended: the lower rate is taken from the point after the rest.",
            label(name),
            span(self.seconds * 1e9)
        )
    }
}

/// What a point without a fall says; of one of the study's own depth, nothing of the volume.
fn without_fall(drain: &Measured, own: Option<OwnDepth>) -> String {
    let looked = drain.summary.figures.span;
    if let (None, Some(late)) = (own, LateFall::of(drain)) {
        return format!(
            "{} IOPS, and lower in the last {} of {looked} ({}), which is too short to distinguish a fall from a \
             stall: neither the lower rate nor the size of the bucket follows from it. A longer point would show \
             them.",
            about(late.high),
            span(late.seconds * 1e9),
            about(late.last)
        );
    }
    match own {
        Some(own) => format!(
            "No fall in {looked}, which says nothing about credits: {}. {DEEPER}, and whether its rate falls.",
            own.words()
        ),
        None => format!(
            "No fall of a tenth or more in {looked} at {}: credits that last longer cannot be excluded; a longer \
             point would show them.",
            iops_within(&drain.iops_within()),
        ),
    }
}

/// Credit in the bucket over time: it gains the lower rate and loses one per I/O.
fn tokens(name: &str, load: &StudyLoad, fall: &Fall, done: &[&Measured]) -> AnswerChart {
    let title = format!("{}Credit in the bucket over time", label(name));
    let y = AnswerAxis::linear("I/Os", AnswerUnit::Count);
    over_time(title, y, load, done, |m, start| {
        let series = &m.summary.series;
        let spent = |p: &Point| (p.data.iops - fall.low) * p.length.as_secs_f64();
        let before = series.iter().scan(0.0, |sum, p| {
            *sum += spent(p);
            Some(*sum)
        });
        // All that the point took from it was there at its start.
        let held = before.fold(0.0, f64::max);
        let mut left = held;
        let ends = series.iter().map(|p| {
            left = (left - spent(p)).clamp(0.0, held);
            let end = p.start.since(start).as_secs_f64() + p.length.as_secs_f64();
            AnswerPoint::plain(end, left)
        });
        std::iter::once(AnswerPoint::plain(0.0, held))
            .chain(ends)
            .collect()
    })
}

/// The rate over time.
fn picture(name: &str, load: &StudyLoad, done: &[&Measured]) -> AnswerChart {
    let title = format!("{}IOPS over time", label(name));
    let y = AnswerAxis::linear("IOPS", AnswerUnit::Iops);
    over_time(title, y, load, done, |m, start| {
        let each = m.summary.series.iter();
        each.map(|p| AnswerPoint::plain(p.start.since(start).as_secs_f64(), p.data.iops))
            .collect()
    })
}

/// A line for the first point of a load and one for that after the pause, each from its start.
fn over_time(
    title: String,
    y: AnswerAxis,
    load: &StudyLoad,
    done: &[&Measured],
    points: impl Fn(&Measured, Nanos) -> Vec<AnswerPoint>,
) -> AnswerChart {
    let series = |kind: usize| {
        let m = BurstSearch::measured(load, kind, done)?;
        let start = m.summary.series.first()?.start;
        Some(AnswerSeries {
            label: KIND_WORDS[kind].to_owned(),
            model: false,
            points: points(m, start),
        })
    };
    AnswerChart {
        title,
        x: AnswerAxis::linear("time", AnswerUnit::Seconds),
        y,
        series: (0..2).filter_map(series).collect(),
        marks: Vec::new(),
    }
}
