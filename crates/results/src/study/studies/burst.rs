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
use super::{Search, label, missing};
use crate::stats::{Interval, Shift, rate_shift, ratio};
use crate::words::{about, bytes_within, iops_within, span, thousands, whole};
use leadline_model::plan::study::{Axis, Coordinate, Role, Study};
use leadline_model::units::{Bytes, Nanos};

/// The first point of a load, the one after the pause, and one I/O alone: after a fall between these two.
const KINDS: [&str; 3] = ["drain", "after-rest", "alone"];
/// One I/O alone is looked at for so long at the most; after a fall, where it uses what the pause brought back, for so long.
const ALONE: Nanos = Nanos::from_secs(5);
const ALONE_BETWEEN: Nanos = Nanos::from_secs(1);

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

/// The middle one of some rates.
fn middle(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// A level with the interval of the mean of its rates, as a share of it: the level alone where they are too few.
fn level(value: f64, rates: &[f64]) -> Interval {
    let slices: Vec<(f64, f64)> = rates.iter().map(|rate| (*rate, 1.0)).collect();
    let found = ratio(&slices).filter(|i| i.value > 0.0);
    found.map_or(Interval::only(value), |i| i.scaled(value / i.value))
}

/// A fall of the rate within a point.
struct Fall {
    high: f64,
    low: f64,
    /// Both with their intervals.
    levels: [Interval; 2],
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
        let shift = rate_shift(&rates, length).filter(|shift| shift.before > shift.after);
        let low = shift.map_or_else(|| middle(&rates[rates.len() / 2..]), |shift| shift.after);
        let early = Self::early(&rates, low, length);
        early.or_else(|| Self::at_shift(shift?, &rates, length))
    }

    /// A fall that the beginning of a point shows, from rates that stay above what the rest stays below: also one of
    /// credits that are gone after less than a level has to last.
    fn early(rates: &[f64], low: f64, length: Nanos) -> Option<Self> {
        /// Intervals of the rest that may be above, as a share.
        const STRAY: f64 = 0.05;
        /// The higher rate over the lower one at the least.
        const TIMES: f64 = 1.25;
        let border = f64::midpoint(middle(rates.get(..3)?), low);
        let count = rates.iter().take_while(|rate| **rate > border).count();
        let (before, rest) = rates.split_at(count);
        let above = rest.iter().skip(1).filter(|rate| **rate > border).count();
        let stays = above as f64 <= STRAY * rest.len() as f64 && rest.len() >= 3;
        let high = middle(before);
        let is_fall = count >= 2 && stays && low > 0.0 && high >= TIMES * low;
        is_fall.then(|| {
            // All that was done beyond the lower rate, also in the intervals at the change.
            let more = rates[..=count].iter().map(|rate| (rate - low).max(0.0));
            Self {
                high,
                low,
                levels: [level(high, before), level(low, &rest[1..])],
                after: more.sum::<f64>() / (high - low) * length.as_secs_f64(),
            }
        })
    }

    fn at_shift(shift: Shift, rates: &[f64], length: Nanos) -> Option<Self> {
        let (high, low) = (shift.before, shift.after);
        if low <= 0.0 {
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
            levels: [
                level(high, &rates[..shift.at.saturating_sub(1)]),
                level(low, rates.get(shift.at + 1..).unwrap_or_default()),
            ],
            after: (whole_before + part.sum::<f64>()) * length.as_secs_f64(),
        })
    }

    /// As single values.
    fn values(&self, high: AnswerCell, is_credit: bool, refill: AnswerCell, answer: &mut Answer) {
        answer.value("high", high, AnswerUnit::Iops);
        let low = AnswerCell::Within(self.levels[1]);
        answer.value("low", low, AnswerUnit::Iops);
        let after = AnswerCell::Number(self.after);
        answer.value("fell_after", after, AnswerUnit::Seconds);
        let store = match is_credit {
            true => AnswerCell::Number(self.store()),
            false => AnswerCell::None,
        };
        answer.value("store", store, AnswerUnit::Count);
        answer.value("refill", refill, AnswerUnit::Iops);
    }

    /// Whether a pause brought nothing back: then it is a change, and no store of credits was seen. One I/O alone that was
    /// quicker than the lower rate right after the pause used what there was.
    fn is_for_good(&self, after: Option<&Measured>, alone: Option<&Measured>) -> bool {
        /// Rates within this share of each other are the same.
        const SAME: f64 = 0.1;
        let is_low = |m: Option<&Measured>| m.is_some_and(|m| m.iops() < self.low * (1.0 + SAME));
        is_low(after) && (alone.is_none() || is_low(alone))
    }

    /// What was done beyond the lower rate.
    fn store(&self) -> f64 {
        (self.high - self.low) * self.after
    }

    /// Whether so many I/Os are all that was in the store: then they may have come back sooner.
    fn is_all(&self, back: f64) -> bool {
        /// As good as all of it.
        const ALL: f64 = 0.95;
        back >= ALL * self.store()
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

    /// One I/O of a load alone. After a point without a fall no credit was spent that would have to come back.
    fn alone(&self, load: &StudyLoad, fell: bool) -> Spec {
        let spec = self.point(&lone(load), 2);
        let (pause, most) = match fell {
            true => (self.rest, ALONE_BETWEEN),
            false => (Nanos::ZERO, ALONE),
        };
        Spec {
            pause,
            time: spec.time.map(|time| time.min(most)),
            ..spec
        }
    }

    /// The point after the pause, which came before the one I/O alone where that `was_between`.
    fn after_rest(&self, load: &StudyLoad, was_between: bool) -> Spec {
        let spec = self.point(load, 1);
        Spec {
            pause: if was_between { Nanos::ZERO } else { spec.pause },
            ..spec
        }
    }

    /// The one I/O alone that was measured after the pause of a load; loads that differ in depth alone share one.
    fn between<'m>(load: &StudyLoad, done: &[&'m Measured]) -> Option<&'m Measured> {
        let drain = Self::measured(load, 0, done)?;
        let later = done.iter().position(|m| m.name == drain.name)?;
        Self::measured(&lone(load), 2, &done[later..])
    }

    /// Whether a point was one of the study's own depth: without a fall as a whole, else until then. What the volume gives
    /// beyond it, and without a fall so whether it has credits, is not known.
    fn own_depth(load: &StudyLoad, done: &[&Measured]) -> Option<OwnDepth> {
        let drain = Self::measured(load, 0, done)?;
        let alone = Self::measured(&lone(load), 2, done)?;
        let few = Few::of(&alone.summary.figures);
        match Fall::of(drain) {
            None => OwnDepth::of(drain, few),
            Some(fall) => OwnDepth::at_rate(drain, fall.high, few),
        }
    }

    /// What the one I/O alone after the pause used of what that brought back.
    fn used_alone(load: &StudyLoad, fall: &Fall, done: &[&Measured]) -> f64 {
        Self::between(load, done).map_or(0.0, |alone| {
            let seconds = alone.summary.figures.span.as_secs_f64();
            (alone.iops() - fall.low).max(0.0) * seconds
        })
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
            let fell = Fall::of(drain).is_some();
            let alone = is_open(&lone(load), 2).then(|| self.alone(load, fell));
            let between = Self::between(load, done).is_some();
            let after = || (fell && is_open(load, 1)).then(|| self.after_rest(load, between));
            alone.or_else(after)
        })
    }

    fn outlook(&self) -> Vec<Spec> {
        let loads = loads(self.study).into_iter();
        loads
            .flat_map(|load| {
                let (drain, alone) = (self.point(&load, 0), self.alone(&load, true));
                [drain, alone, self.after_rest(&load, true)]
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
        let mut falls: Vec<(u64, Fall)> = Vec::new();
        for load in &loads {
            let Some(found) = self.drained(load, loads.len() == 1, done, &mut answer) else {
                continue;
            };
            rows.push(found.row);
            points.push(found.points);
            falls.extend(found.credit.map(|fall| (load.block, fall)));
        }
        let blocks: Vec<u64> = loads.iter().map(|load| load.block).collect();
        if let Some((charged, sentence)) = of_what(&falls, &blocks) {
            answer.say(sentence);
            answer.value("charged", AnswerCell::text(charged), AnswerUnit::Text);
        }
        let table = AnswerTable {
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
        };
        answer.tables.push(missing::marked(table, &points));
        answer
    }
}

/// A load whose rate fell: its row in the table with the points behind it, and the fall where it is one of credits.
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
        let Some(fall) = Fall::of(drain) else {
            answer.say(format!("{}{}", label(&name), without_fall(drain, own)));
            return None;
        };
        let after = Self::measured(load, 1, done);
        let back = after.and_then(Fall::of);
        let back = back.map(|back| back.store() + Self::used_alone(load, &fall, done));
        let alone = Self::between(load, done);
        let is_credit = back.is_some() || !fall.is_for_good(after, alone);
        let said = match is_credit {
            true => self.words(&fall, back, after),
            false => self.for_good(&fall, after),
        };
        answer.say(format!("{}{said}", label(&name)));
        let of_own = own.map(|own| format!("{}{}", label(&name), of_higher_rate(&own)));
        answer.sentences.extend(of_own);
        let refill = back.map_or(AnswerCell::None, |back| {
            let rate = back / self.rest.as_secs_f64();
            match fall.is_all(back) {
                true => AnswerCell::AtLeast(rate),
                false => AnswerCell::Number(rate),
            }
        });
        let high = match own {
            Some(_) => AnswerCell::AtLeast(fall.high),
            None => AnswerCell::Within(fall.levels[0]),
        };
        if is_only {
            fall.values(high.clone(), is_credit, refill.clone(), answer);
        }
        let row = vec![
            AnswerCell::Number(load.block as f64),
            high,
            AnswerCell::Within(fall.levels[1]),
            AnswerCell::Within(fall.levels[1].scaled(load.block as f64)),
            AnswerCell::Number(fall.after),
            match is_credit {
                true => AnswerCell::Number(fall.store()),
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
    /// What a fall says after which a pause brought nothing back.
    fn for_good(&self, fall: &Fall, after: Option<&Measured>) -> String {
        format!(
            "{} for {}, then {}, and after {} of rest {}: the higher rate did not come back, so this is a change that \
             lasts, and not shown to be a credit. A longer rest would show one that comes back slowly.",
            iops_within(&fall.levels[0]),
            span(fall.after * 1e9),
            iops_within(&fall.levels[1]),
            self.rest,
            iops_within(&after.map_or(Interval::only(0.0), Measured::iops_within)),
        )
    }

    /// What a fall says, with the store that the pause brought back, where the point after it fell as well.
    fn words(&self, fall: &Fall, back: Option<f64>, after: Option<&Measured>) -> String {
        let first = format!(
            "{} for {}, then {}: there was burst credit for about {} I/Os",
            iops_within(&fall.levels[0]),
            span(fall.after * 1e9),
            iops_within(&fall.levels[1]),
            thousands(whole(fall.store()))
        );
        let rest = self.rest;
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
                span(fall.store() / (back / rest.as_secs_f64()).max(1e-9) * 1e9)
            ),
            (None, Some(after)) => format!(
                "; after {rest} of rest the rate was {} throughout",
                iops_within(&after.iops_within())
            ),
            (None, None) => "; recovery after a rest was not measured".to_owned(),
        };
        format!("{first}{then}. This assumes that credits were full at the start.")
    }
}

/// That the higher rate is not the volume's but the study's.
fn of_higher_rate(own: &OwnDepth) -> String {
    format!(
        "The higher rate is that of this study: until the fall {}. {DEEPER}; the lower rate and the store are the volume's.",
        own.words()
    )
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
            "No fall in {looked} at {}: credits that last longer cannot be excluded; a longer point would show them.",
            iops_within(&drain.iops_within()),
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
        let rate = iops_within(&small.1.levels[1]);
        let sentence =
            format!("The lower rate is {rate} at both block sizes: credits are charged per I/O.");
        ("ios", sentence)
    } else if near(bytes(small), bytes(large)) {
        let rate = bytes_within(&small.1.levels[1].scaled(small.0 as f64));
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
