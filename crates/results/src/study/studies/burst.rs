//! Two rates of a volume with credits, how many there are, and how fast they come back.
//!
//! A token bucket lets I/Os pass at the higher rate while it holds tokens, and gains tokens at the lower rate. So what
//! was done beyond the lower rate until the fall is what it held; and what it holds after a pause is what came back in it
//! (Uta and others, "Is big data performance reproducible in modern cloud networks?", NSDI 2020, section 4).
//!
//! Belongs here: the points (until the fall, and again after a pause), and what they say of the bucket. Must never: find
//! a fall (`stats`).

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::{coordinates, loads};
use super::done::Measured;
use super::own_depth::{DEEPER, Few, OwnDepth};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad, short_bytes};
use super::{Search, label};
use crate::stats::rate_shift;
use crate::words::{about, both_per_s, span, thousands, whole};
use leadline_model::plan::study::{Axis, Coordinate, Role, Study};
use leadline_model::units::{Bytes, Nanos};

/// The first point of a load, the one after the pause, and one I/O alone where the first did not fall.
const KINDS: [&str; 3] = ["drain", "after-rest", "alone"];
/// One I/O alone is looked at for so long at the most.
const ALONE: Nanos = Nanos::from_secs(5);

/// Block sizes that are far enough apart to tell I/Os from bytes.
const NEAR: u64 = 4 * Bytes::KIB;
const FAR: u64 = 64 * Bytes::KIB;

/// The points of one repeat.
pub(super) struct BurstSearch<'a> {
    pub(super) study: &'a Study,
    /// The pause in which credits come back.
    pub(super) rest: Nanos,
}

/// The same load with one I/O in flight.
fn lone(load: &StudyLoad) -> StudyLoad {
    StudyLoad {
        depth: 1,
        jobs: 1,
        ..load.clone()
    }
}

/// A fall of the rate within a point.
struct Fall {
    high: f64,
    low: f64,
    /// From the point's start.
    after: f64,
}

impl Fall {
    /// The first fall of a point, if there is one.
    fn of(m: &Measured) -> Option<Self> {
        let series = &m.summary.series;
        // The last may be short or hold the rest of another.
        let whole = series.split_last()?.1;
        let rates: Vec<f64> = whole.iter().map(|p| p.data.iops).collect();
        let length = whole.first()?.length;
        let shift = rate_shift(&rates, length)?;
        let (high, low) = (shift.before, shift.after);
        if high <= low || low <= 0.0 {
            return None;
        }
        // The rate fell within one of the two intervals at the change.
        let edge = rates.get(shift.at.saturating_sub(1)..=shift.at)?;
        let part = edge
            .iter()
            .map(|r| ((r - low) / (high - low)).clamp(0.0, 1.0));
        let whole_before = shift.at.saturating_sub(1) as f64;
        Some(Self {
            high,
            low,
            after: (whole_before + part.sum::<f64>()) * length.as_secs_f64(),
        })
    }

    /// As single values.
    fn values(&self, is_credit: bool, refill: Option<f64>, answer: &mut Answer) {
        answer.value("high", AnswerCell::Number(self.high), AnswerUnit::Iops);
        answer.value("low", AnswerCell::Number(self.low), AnswerUnit::Iops);
        let after = AnswerCell::Number(self.after);
        answer.value("fell_after", after, AnswerUnit::Seconds);
        let store = match is_credit {
            true => AnswerCell::Number(self.store()),
            false => AnswerCell::None,
        };
        answer.value("store", store, AnswerUnit::Count);
        let refill = refill.map_or(AnswerCell::None, AnswerCell::Number);
        answer.value("refill", refill, AnswerUnit::Iops);
    }

    /// Whether a pause brought nothing back: then it is a change, and no store of credits was seen.
    fn is_for_good(&self, back: Option<&Self>, after: Option<&Measured>) -> bool {
        /// Rates within this share of each other are the same.
        const SAME: f64 = 0.1;
        back.is_none() && after.is_some_and(|after| after.iops() < self.low * (1.0 + SAME))
    }

    /// What was done beyond the lower rate.
    fn store(&self) -> f64 {
        (self.high - self.low) * self.after
    }
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

    /// One I/O of a load alone, after a point without a fall: no credit was spent that would have to come back.
    fn alone(&self, load: &StudyLoad) -> Spec {
        let spec = self.point(&lone(load), 2);
        Spec {
            pause: Nanos::ZERO,
            time: spec.time.map(|time| time.min(ALONE)),
            ..spec
        }
    }

    /// Whether a point without a fall was one of the study's own depth: what the volume gives beyond it, and so whether it
    /// has credits, is not known.
    fn own_depth(load: &StudyLoad, done: &[&Measured]) -> Option<OwnDepth> {
        let drain = Self::measured(load, 0, done).filter(|drain| Fall::of(drain).is_none())?;
        let alone = Self::measured(&lone(load), 2, done)?;
        OwnDepth::of(drain, Few::of(&alone.summary.figures))
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
            let Some(drain) = Self::measured(load, 0, done) else {
                return Some(self.point(load, 0));
            };
            let is_open = |load: &StudyLoad, kind| Self::measured(load, kind, done).is_none();
            match Fall::of(drain) {
                Some(_) => is_open(load, 1).then(|| self.point(load, 1)),
                None => is_open(&lone(load), 2).then(|| self.alone(load)),
            }
        })
    }

    fn outlook(&self) -> Vec<Spec> {
        let loads = loads(self.study).into_iter();
        loads
            .flat_map(|load| [self.point(&load, 0), self.point(&load, 1)])
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
        let mut rows = Vec::new();
        let mut falls: Vec<(u64, Fall)> = Vec::new();
        for load in &loads {
            let name = if loads.len() > 1 {
                load.words()
            } else {
                String::new()
            };
            let Some(drain) = Self::measured(load, 0, done) else {
                continue;
            };
            answer.charts.push(picture(&name, load, done));
            let Some(fall) = Fall::of(drain) else {
                let said = without_fall(drain, Self::own_depth(load, done));
                answer.say(format!("{}{said}", label(&name)));
                continue;
            };
            let after = Self::measured(load, 1, done);
            let back = after.and_then(Fall::of);
            answer.say(format!(
                "{}{}",
                label(&name),
                self.words(&fall, back.as_ref(), after)
            ));
            let is_credit = !fall.is_for_good(back.as_ref(), after);
            let returned = back.as_ref().map(Fall::store);
            let refill = returned.map(|store| store / self.rest.as_secs_f64());
            if loads.len() == 1 {
                fall.values(is_credit, refill, &mut answer);
            }
            rows.push(vec![
                AnswerCell::Number(load.block as f64),
                AnswerCell::Number(fall.high),
                AnswerCell::Number(fall.low),
                AnswerCell::Number(fall.low * load.block as f64),
                AnswerCell::Number(fall.after),
                match is_credit {
                    true => AnswerCell::Number(fall.store()),
                    false => AnswerCell::None,
                },
                refill.map_or(AnswerCell::None, AnswerCell::Number),
            ]);
            if is_credit {
                falls.push((load.block, fall));
            }
        }
        let blocks: Vec<u64> = loads.iter().map(|load| load.block).collect();
        if let Some((charged, sentence)) = of_what(&falls, &blocks) {
            answer.say(sentence);
            answer.value("charged", AnswerCell::text(charged), AnswerUnit::Text);
        }
        answer.tables.push(AnswerTable {
            title: "Credits".to_owned(),
            columns: vec![
                Column::new("block", AnswerUnit::Bytes),
                Column::new("high", AnswerUnit::Iops),
                Column::new("low", AnswerUnit::Iops),
                Column::new("low", AnswerUnit::BytesPerS),
                Column::new("fell after", AnswerUnit::Seconds),
                Column::new("store", AnswerUnit::Count),
                Column::new("refill", AnswerUnit::Iops),
            ],
            rows,
        });
        answer
    }
}

impl BurstSearch<'_> {
    fn words(&self, fall: &Fall, back: Option<&Fall>, after: Option<&Measured>) -> String {
        if fall.is_for_good(back, after) {
            return format!(
                "{} IOPS for {}, then {}, and after {} of rest {} IOPS: the higher rate did not come back, so this is a \
                 change that lasts, and not shown to be a credit. A longer rest would show one that comes back slowly.",
                about(fall.high),
                span(fall.after * 1e9),
                about(fall.low),
                self.rest,
                about(after.map_or(0.0, Measured::iops)),
            );
        }
        let first = format!(
            "{} IOPS for {}, then {}: there was burst credit for about {} I/Os",
            about(fall.high),
            span(fall.after * 1e9),
            about(fall.low),
            thousands(whole(fall.store()))
        );
        let rest = self.rest;
        let then = match (back, after) {
            (Some(back), _) if back.store() >= 0.95 * fall.store() => {
                format!(
                    "; all of it had returned after {rest}, so the refill is at least that fast"
                )
            }
            (Some(back), _) => format!(
                "; {} had returned after {rest} of rest, {} a second: a full refill takes {}",
                thousands(whole(back.store())),
                about(back.store() / rest.as_secs_f64()),
                span(fall.store() / (back.store() / rest.as_secs_f64()).max(1e-9) * 1e9)
            ),
            (None, Some(after)) => format!(
                "; after {rest} of rest the rate was {} IOPS throughout",
                about(after.iops())
            ),
            (None, None) => "; recovery after a rest was not measured".to_owned(),
        };
        format!("{first}{then}. This assumes that credits were full at the start.")
    }
}

/// What a point without a fall says; of one of the study's own depth, nothing of the volume.
fn without_fall(drain: &Measured, own: Option<OwnDepth>) -> String {
    let looked = drain.summary.figures.span;
    match own {
        Some(own) => format!(
            "No fall in {looked}, which says nothing of credits: {}. {DEEPER}, and whether its rate falls.",
            own.words()
        ),
        None => format!(
            "No fall in {looked} at {} IOPS: credits that last longer cannot be excluded; a longer point would show them.",
            about(drain.iops()),
        ),
    }
}

/// Whether I/Os or bytes are counted, in a word and a sentence: two block sizes that were drained decide. `None` where
/// nothing fell.
fn of_what(falls: &[(u64, Fall)], blocks: &[u64]) -> Option<(&'static str, String)> {
    let (small, large) = (falls.first()?, falls.last()?);
    if small.0 == large.0 {
        return Some(("unknown", undecided(small, blocks)));
    }
    let near = |a: f64, b: f64| (a / b.max(1e-9) - 1.0).abs() < 0.1;
    let bytes = |fall: &(u64, Fall)| fall.1.low * fall.0 as f64;
    Some(if near(small.1.low, large.1.low) {
        let rate = about(small.1.low);
        let sentence = format!(
            "The lower rate is {rate} IOPS at both block sizes: credits are charged per I/O."
        );
        ("ios", sentence)
    } else if near(bytes(small), bytes(large)) {
        let rate = both_per_s(bytes(small));
        let sentence =
            format!("The lower rate is {rate} at both block sizes: credits are charged per byte.");
        ("bytes", sentence)
    } else {
        let sentence = "The lower rates match neither in I/Os nor in bytes: separate IOPS and bandwidth credits would \
                        explain that.";
        ("unknown", sentence.to_owned())
    })
}

/// What would decide where only one block size was drained.
fn undecided(fall: &(u64, Fall), blocks: &[u64]) -> String {
    let (block, fall) = fall;
    let either = format!(
        "{} I/Os or {}",
        thousands(whole(fall.store())),
        Bytes(whole(fall.store() * *block as f64))
    );
    if blocks.iter().any(|other| other != block) {
        return format!(
            "Whether credits are charged per I/O or per byte ({either}) is not known: the rate fell at {} alone. A longer \
             point would show whether it falls at other block sizes.",
            Bytes(*block)
        );
    }
    let other = if *block < FAR { FAR } else { NEAR };
    let both = [(*block).min(other), (*block).max(other)].map(short_bytes);
    format!(
        "Whether credits are charged per I/O or per byte ({either}) is not known from one block size: a second one decides, \
         --bs {}.",
        both.join(",")
    )
}

/// The rate over time, from the start of each point.
fn picture(name: &str, load: &StudyLoad, done: &[&Measured]) -> AnswerChart {
    let series = |kind: usize| {
        let m = BurstSearch::measured(load, kind, done)?;
        let start = m.summary.series.first()?.start;
        let points = m
            .summary
            .series
            .iter()
            .map(|p| AnswerPoint::plain(p.start.since(start).as_secs_f64(), p.data.iops));
        Some(AnswerSeries {
            label: KINDS[kind].to_owned(),
            model: false,
            points: points.collect(),
        })
    };
    AnswerChart {
        title: format!("{}IOPS over time", label(name)),
        x: AnswerAxis::linear("time", AnswerUnit::Seconds),
        y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
        series: (0..2).filter_map(series).collect(),
    }
}
