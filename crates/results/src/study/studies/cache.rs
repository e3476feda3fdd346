//! What the client's and the server's caches add: the same offsets again, other offsets, after what was read elsewhere,
//! and through the client's page cache, cold and warm.
//!
//! Belongs here: the points in their order, and what two of them together say. Must never: know what a server has.

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::{coordinates, loads};
use super::done::Measured;
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use super::{Search, label, missing};
use crate::stats::Interval;
use crate::stats::mixture::mixture;
use crate::words::{about, give_or_take, iops_within, span, trim_to};
use leadline_model::plan::study::{Axis, Coordinate, Role, Study};
use leadline_model::plan::{ServerCache, Target};
use leadline_model::units::Nanos;

/// Another rate by more than this share is another rate.
const APART: f64 = 0.1;
/// More hits than this share, after other data was read, are of what was left.
const LEFT: f64 = 0.05;

/// The points of one repeat.
pub(super) struct CacheSearch<'a> {
    pub(super) study: &'a Study,
    /// Bytes read elsewhere to empty the server's cache.
    pub(super) displace: Option<u64>,
}

/// A step: its name, its offsets, whether it bypasses the client's page cache, whether that is emptied before.
type CacheStep = (&'static str, &'static str, bool, bool);

const FIRST: CacheStep = ("direct", "a", true, false);
const AGAIN: CacheStep = ("direct, same offsets", "a", true, false);
const OTHER: CacheStep = ("direct, other offsets", "b", true, false);
const DISPLACED: CacheStep = ("direct, after other data", "a", true, false);
const COLD: CacheStep = ("buffered, cold", "c", false, true);
const WARM: CacheStep = ("buffered, warm", "c", false, false);
/// Random offsets of their own in each round, until the rate stands; then the same, measured.
const WARM_UP: CacheStep = ("warm-up", "", true, false);
const WARMED: CacheStep = ("direct, warmed up", "", true, false);

impl CacheSearch<'_> {
    fn steps(&self) -> Vec<CacheStep> {
        let displaced = self.displace.map(|_| DISPLACED);
        let first = [FIRST, AGAIN, OTHER].into_iter();
        first.chain(displaced).chain([COLD, WARM]).collect()
    }

    fn point(&self, load: &StudyLoad, step: CacheStep) -> Spec {
        let (name, offsets, direct, drop_cache) = step;
        let load = StudyLoad {
            offsets,
            direct: Some(direct),
            drop_cache,
            ..load.clone()
        };
        let mut at = coordinates(&load);
        at.insert(Axis::Kind, Coordinate::Text(name.to_owned()));
        let server_cache = match step {
            // As far as it is large enough: these were just read.
            AGAIN | WARM_UP | WARMED => Some(ServerCache::Warmed),
            DISPLACED => Some(ServerCache::Displaced),
            _ => None,
        };
        Spec {
            server_cache,
            // Warming up would be part of what is asked.
            warmup: Nanos::ZERO,
            ..Spec::of(Role::Point, at, load, self.study)
        }
    }

    /// What is written, and then read, beside the set.
    fn elsewhere(&self, bytes: u64, reads: u8) -> Spec {
        let mut spec = Spec::fill(self.study);
        spec.role = Role::Condition;
        let word = if reads == 0 {
            "write-other"
        } else {
            "read-other"
        };
        spec.at
            .insert(Axis::Kind, Coordinate::Text(word.to_owned()));
        for load in &mut spec.loads {
            load.elsewhere = Some(bytes);
            load.reads = reads;
        }
        spec
    }

    fn all(&self) -> Vec<Spec> {
        let mut all = Vec::new();
        for load in loads(self.study) {
            for step in self.steps() {
                if let (Some(bytes), true) = (self.displace, step == DISPLACED) {
                    all.push(self.elsewhere(bytes, 0));
                    all.push(self.elsewhere(bytes, 100));
                }
                all.push(self.point(&load, step));
            }
        }
        all
    }
}

impl CacheSearch<'_> {
    /// A round of the warm-up, from 1.
    fn round(&self, load: &StudyLoad, number: usize) -> Spec {
        let mut spec = self.point(load, WARM_UP);
        spec.role = Role::Condition;
        let number = Coordinate::Number(number as f64);
        spec.at.insert(Axis::Round, number);
        spec
    }

    /// The next round of a load's warm-up, or the point after the last; `None` after that one, and for what draws no blocks
    /// at random.
    fn warm(&self, load: &StudyLoad, done: &[&Measured], room: Room) -> Option<Spec> {
        let other = of_step(load, OTHER, done)?;
        if !load.random {
            return None;
        }
        let warming = Warming::of(self.study, load, other, done);
        let warmed = of_step(load, WARMED, done);
        let last = || warmed.is_none().then(|| self.point(load, WARMED));
        if warming.end().is_some() || warmed.is_some() {
            return last();
        }
        let round = self.round(load, warming.rates.len() + 1);
        let is_planned = warming.rates.len() < ROUNDS;
        Some(round)
            .filter(|round| is_planned || room.holds(round))
            .or_else(last)
    }
}

/// The point of a step of a load.
fn of_step<'m>(load: &StudyLoad, step: CacheStep, done: &[&'m Measured]) -> Option<&'m Measured> {
    let at = coordinates(load);
    let is_it = |m: &&&Measured| {
        let own = |(axis, value)| m.point.at.get(axis) == Some(value);
        m.text(Axis::Kind) == Some(step.0) && at.iter().all(own)
    };
    done.iter().find(is_it).copied()
}

impl Search for CacheSearch<'_> {
    fn next(&self, done: &[&Measured], room: Room) -> Option<Spec> {
        let steps = super::combinations::first_open(self.all(), done);
        let warm = || {
            loads(self.study)
                .iter()
                .find_map(|load| self.warm(load, done, room))
        };
        steps.or_else(warm)
    }

    fn outlook(&self) -> Vec<Spec> {
        let mut all = self.all();
        for load in loads(self.study).iter().filter(|load| load.random) {
            // Where no cache is seen; how many rounds one needs is not known before its rates are.
            all.extend((1..=ROUNDS).map(|number| self.round(load, number)));
            all.push(self.point(load, WARMED));
        }
        all
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let all = loads(self.study);
        for load in &all {
            let name = if all.len() > 1 {
                load.words()
            } else {
                String::new()
            };
            let of = |step: CacheStep| of_step(load, step, done);
            let mut said = Vec::new();
            let blocks = self.study.scope.dataset as f64 / load.block as f64;
            said.extend(server(of(AGAIN), of(OTHER), of(DISPLACED)));
            said.extend(displaced(of(AGAIN), of(DISPLACED), blocks));
            said.extend(client(of(COLD), of(WARM)));
            said.extend(warm_up(of(AGAIN), of(OTHER), of(DISPLACED), blocks));
            let warming = of(OTHER)
                .filter(|_| load.random)
                .map(|other| Warming::of(self.study, load, other, done));
            let warming = warming.filter(|warming| !warming.rates.is_empty());
            said.extend(warming.as_ref().map(|w| w.words(of(WARMED))));
            let labelled = |text| format!("{}{text}", label(&name));
            answer.sentences.extend(said.into_iter().map(labelled));
            if all.len() == 1 {
                values(of(AGAIN), of(OTHER), of(DISPLACED), &mut answer);
            }
            if let Some(warming) = warming {
                if all.len() == 1 {
                    warming.values(&mut answer);
                }
                answer.charts.push(warming.picture(&name));
            }
            let measured = self.steps().into_iter().chain([WARMED]).filter_map(of);
            let measured: Vec<&Measured> = measured.filter(|m| has_page_cache(m)).collect();
            answer.tables.push(table(&name, &measured));
        }
        answer
    }
}

/// Rounds among which a rate stands.
const ROUNDS: usize = 4;
/// It stands when they differ by no more than this share of their mean.
const STANDS: f64 = 0.05;
/// Before this share of the set was touched, a cache that holds it would hardly show.
const TOUCHED: f64 = 0.5;
/// Three draws for each block touch 95 % of them: what is not there then never will be.
const DRAWS: f64 = 3.0;
/// Most rounds, whatever the budget.
const MOST_ROUNDS: usize = 60;

/// How a warm-up ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WarmEnd {
    /// The rate stands.
    Stands,
    /// As much was read as the computation says, and then as many rounds as would stand.
    Done,
    /// As many rounds were made as may be.
    OutOfRounds,
}

/// The warm-up of a load, as far as it has come.
struct Warming {
    /// I/Os a second of each round.
    rates: Vec<f64>,
    /// Seconds of each round.
    length: f64,
    /// I/Os of all rounds, and of those before the last [`ROUNDS`].
    ios: f64,
    before: f64,
    blocks: f64,
}

impl Warming {
    fn of(study: &Study, load: &StudyLoad, other: &Measured, done: &[&Measured]) -> Self {
        let at = coordinates(load);
        let is_round = |m: &&&Measured| {
            let own = |(axis, value)| m.point.at.get(axis) == Some(value);
            m.text(Axis::Kind) == Some(WARM_UP.0) && at.iter().all(own)
        };
        let rounds: Vec<&&Measured> = done.iter().filter(is_round).collect();
        let ios = rounds.iter().map(|m| m.summary.figures.data.ios as f64);
        let ios: Vec<f64> = ios.collect();
        let length = other.summary.figures.span.as_secs_f64().max(1e-3);
        Self {
            rates: rounds.iter().map(|m| m.iops()).collect(),
            ios: ios.iter().sum(),
            before: ios.iter().rev().skip(ROUNDS).sum(),
            blocks: study.scope.dataset as f64 / load.block as f64,
            length,
        }
    }

    /// Whether it has ended, and how; `None` = another round follows.
    fn end(&self) -> Option<WarmEnd> {
        let last = self
            .rates
            .len()
            .checked_sub(ROUNDS)
            .map(|from| &self.rates[from..]);
        let stands = last.is_some_and(|last| {
            let mean = last.iter().sum::<f64>() / ROUNDS as f64;
            let high = last.iter().copied().fold(0.0, f64::max);
            let low = last.iter().copied().fold(f64::INFINITY, f64::min);
            high - low <= STANDS * mean
        });
        if stands && touched(self.ios, self.blocks) >= TOUCHED {
            Some(WarmEnd::Stands)
        } else if self.before >= DRAWS * self.blocks {
            Some(WarmEnd::Done)
        } else if self.rates.len() >= MOST_ROUNDS {
            Some(WarmEnd::OutOfRounds)
        } else {
            None
        }
    }

    fn seconds(&self) -> f64 {
        self.rates.len() as f64 * self.length
    }

    fn words(&self, warmed: Option<&Measured>) -> String {
        let percent = |share: f64| trim_to(share * 100.0, 0);
        let first = self.rates.first().copied().unwrap_or_default();
        let last = self.rates.last().copied().unwrap_or_default();
        let read = format!(
            "{} of random offsets touched {} % of the set, at {} IOPS in the beginning and {} in the end",
            span(self.seconds() * 1e9),
            percent(touched(self.ios, self.blocks)),
            about(first),
            about(last),
        );
        let after = warmed.map_or(String::new(), |m| {
            format!(
                " Warmed up, random offsets reach {}.",
                iops_within(&m.iops_within())
            )
        });
        match self.end() {
            Some(WarmEnd::Stands) => format!("Warm-up, measured: {read}: the rate stands.{after}"),
            Some(WarmEnd::Done) => format!(
                "Warm-up, measured: {read}. The rate still varies, and what the cache takes of the set is in it.{after}"
            ),
            _ => format!(
                "Warm-up, not finished: {read}. Half of the set, before which a rate says nothing, takes {} at the last rate; \
                 a longer budget would hold it.{after}",
                span(2.0_f64.ln() * self.blocks / last.max(1e-9) * 1e9)
            ),
        }
    }

    fn values(&self, answer: &mut Answer) {
        let number = AnswerCell::Number;
        answer.value("warm_up", number(self.seconds()), AnswerUnit::Seconds);
        let share = touched(self.ios, self.blocks);
        answer.value("warm_up_touched", number(share), AnswerUnit::Share);
        let stands = self.end() == Some(WarmEnd::Stands);
        let stands = AnswerCell::text(if stands { "yes" } else { "no" });
        answer.value("warm_up_stands", stands, AnswerUnit::Text);
    }

    /// The rate over time.
    fn picture(&self, name: &str) -> AnswerChart {
        let middle = |round: usize| (round as f64 + 0.5) * self.length;
        let points = self.rates.iter().enumerate();
        AnswerChart {
            title: format!("{}IOPS while warming up", label(name)),
            x: AnswerAxis::linear("time", AnswerUnit::Seconds),
            y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
            series: vec![AnswerSeries {
                label: WARM_UP.0.to_owned(),
                model: false,
                points: points
                    .map(|(round, rate)| AnswerPoint::plain(middle(round), *rate))
                    .collect(),
            }],
        }
    }
}

/// The share of hits that the latencies of a point show, where they are of two kinds.
fn hits(m: &Measured) -> Option<f64> {
    let latencies = m.summary.figures.data.response();
    let found = mixture(&latencies.histogram)?;
    Some(found.share_of_low(&latencies.histogram))
}

fn values(
    again: Option<&Measured>,
    other: Option<&Measured>,
    displaced: Option<&Measured>,
    answer: &mut Answer,
) {
    if let (Some(again), Some(other)) = (again, other) {
        let seen = AnswerCell::text(seen(again, other, displaced));
        answer.value("cache_seen", seen, AnswerUnit::Text);
        let ratio = again.iops() / other.iops().max(1e-9);
        answer.value(
            "same_over_other",
            AnswerCell::Number(ratio),
            AnswerUnit::Number,
        );
    }
    let share = again.and_then(hits);
    answer.value(
        "hit_share",
        share.map_or(AnswerCell::None, AnswerCell::Number),
        AnswerUnit::Share,
    );
}

/// Whether reading other data made the same offsets slower: something beyond this host had kept them.
fn is_slower(again: &Measured, displaced: &Measured) -> bool {
    displaced.iops() < (1.0 - APART) * again.iops()
}

/// Whether a point goes the way that its name says: no page cache is before a simulated volume.
fn has_page_cache(m: &Measured) -> bool {
    let buffered = m
        .text(Axis::Kind)
        .is_some_and(|kind| kind == COLD.0 || kind == WARM.0);
    !(buffered && matches!(m.workload.blocks().target, Target::Simulated(_)))
}

/// The same offsets against others: what a server, or a host below, has kept.
fn server(
    again: Option<&Measured>,
    other: Option<&Measured>,
    displaced: Option<&Measured>,
) -> Option<String> {
    let (again, other) = (again?, other?);
    let quicker = again.iops_within().over(&other.iops_within());
    let ratio = quicker.value;
    let rates = [again, other].map(|m| iops_within(&m.iops_within()));
    let share = hits(again).map_or(String::new(), |share| {
        format!(
            ", and {} % of its I/Os were hits",
            trim_to(share * 100.0, 0)
        )
    });
    let slower = displaced.is_some_and(|displaced| is_slower(again, displaced));
    Some(match (ratio > 1.0 + APART, slower) {
        (true, _) => format!(
            "Reading the same offsets again reaches {} the IOPS of new offsets ({} against {}){share}: a cache beyond \
             this host holds what was read before. Figures of repeated offsets are of that cache.",
            times(&quicker),
            rates[0],
            rates[1]
        ),
        (false, true) => format!(
            "The same offsets again and new offsets perform alike ({} and {}){share}: a cache beyond this host holds \
             both, since reading other data made them slower. Both figures are of that cache.",
            rates[0], rates[1]
        ),
        // What was read elsewhere would have displaced it: `displaced` says how far that goes.
        (false, false) if displaced.is_some() => format!(
            "The same offsets again and new offsets perform alike ({} and {}): no cache beyond this host is visible.",
            rates[0], rates[1]
        ),
        (false, false) => format!(
            "The same offsets again and new offsets perform alike ({} and {}): there is no cache beyond this host, or it \
             holds the whole set, which was written just before. Which of the two cannot be told from this: the size of the \
             server's cache, where it is given (as many bytes are read elsewhere first), a data set larger than any cache, or \
             a cold start of the server would decide.",
            rates[0], rates[1]
        ),
    })
}

/// `3.12 times +-1.4 %`.
fn times(ratio: &Interval) -> String {
    give_or_take(&format!("{} times", trim_to(ratio.value, 2)), ratio)
}

/// Whether a cache beyond this host was seen, in a word.
fn seen(again: &Measured, other: &Measured, displaced: Option<&Measured>) -> &'static str {
    let is_quicker = again.iops() > (1.0 + APART) * other.iops();
    match displaced {
        _ if is_quicker => "yes",
        Some(displaced) if is_slower(again, displaced) => "yes",
        Some(_) => "no",
        None => "unknown",
    }
}

/// What reading other data did; the set has so many blocks.
fn displaced(
    again: Option<&Measured>,
    displaced: Option<&Measured>,
    blocks: f64,
) -> Option<String> {
    let (again, displaced) = (again?, displaced?);
    let iops = iops_within(&displaced.iops_within());
    if !is_slower(again, displaced) {
        return Some(format!(
            "After other data was read, these offsets still reach {iops}: there is no such cache, it is larger than \
             what was read, or it is so much smaller than the set that it does not show.",
        ));
    }
    let left = hits(displaced).map(|share| share - by_itself(displaced, blocks));
    Some(match left.filter(|left| *left > LEFT) {
        Some(_) => format!(
            "After other data was read, these offsets reach {iops}: it displaced a part of them from the cache, and {} % \
             of the I/Os were still hits. A larger amount of other data would show the rate without them.",
            trim_to(hits(displaced).unwrap_or_default() * 100.0, 0)
        ),
        None => format!(
            "After other data was read, these offsets reach {iops}: it displaced them from the cache."
        ),
    })
}

/// The share of the I/Os of a point that are hits of what it read itself: those after each block was read once.
fn by_itself(m: &Measured, blocks: f64) -> f64 {
    let ios = m.summary.figures.data.ios as f64;
    (1.0 - blocks / ios.max(1.0)).max(0.0)
}

fn client(cold: Option<&Measured>, warm: Option<&Measured>) -> Option<String> {
    let (cold, warm) = (cold.filter(|m| has_page_cache(m))?, warm?);
    Some(format!(
        "Through this host's page cache: {} cold and {} warm, {} as many.",
        iops_within(&cold.iops_within()),
        iops_within(&warm.iops_within()),
        times(&warm.iops_within().over(&cold.iops_within()))
    ))
}

/// The share of its blocks that a reader touches who draws each at random, with repeats.
fn touched(ios: f64, blocks: f64) -> f64 {
    1.0 - (-ios / blocks.max(1.0)).exp()
}

/// How long a cache takes to hold the set of so many blocks: it fills at the rate of misses, where one is seen.
fn warm_up(
    again: Option<&Measured>,
    other: Option<&Measured>,
    displaced: Option<&Measured>,
    blocks: f64,
) -> Option<String> {
    let (again, other) = (again?, other?);
    let slower = displaced.filter(|displaced| is_slower(again, displaced));
    let lowest = slower.map_or(other.iops(), |m| m.iops().min(other.iops()));
    let misses = lowest < (1.0 - APART) * again.iops();
    let rate = match misses {
        true => format!("at the lowest of these rates, {} IOPS,", about(lowest)),
        false => "at this rate".to_owned(),
    };
    let once = blocks / lowest.max(1e-9);
    // 95 % are touched after three times as many draws as there are blocks.
    Some(format!(
        "Warm-up: {rate} each block of the set is read once in {}; a tool that draws blocks at random has touched {} % by \
         then, and 95 % after {}.",
        span(once * 1e9),
        trim_to(touched(blocks, blocks) * 100.0, 0),
        span(once * 3e9)
    ))
}

fn table(name: &str, measured: &[&Measured]) -> AnswerTable {
    let row = |m: &&Measured| {
        vec![
            AnswerCell::text(m.text(Axis::Kind).unwrap_or_default()),
            AnswerCell::Within(m.iops_within()),
            AnswerCell::Within(m.bytes_within()),
            AnswerCell::Within(m.mean_within()),
            AnswerCell::percentile(m.response_at(50.0)),
            AnswerCell::percentile(m.response_at(99.0)),
            hits(m).map_or(AnswerCell::None, AnswerCell::Number),
        ]
    };
    let table = AnswerTable {
        title: format!("{}Caches", label(name)),
        columns: vec![
            Column::new("read", AnswerUnit::Text),
            Column::new("iops", AnswerUnit::Iops),
            Column::new("throughput", AnswerUnit::BytesPerS),
            Column::new("mean", AnswerUnit::Nanos),
            Column::new("p50", AnswerUnit::Nanos),
            Column::new("p99", AnswerUnit::Nanos),
            Column::new("fast kind", AnswerUnit::Share),
        ],
        rows: measured.iter().map(row).collect(),
    };
    let points: Vec<Vec<&Measured>> = measured.iter().map(|m| vec![*m]).collect();
    missing::marked(table, &points)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 GiB of random 4 KiB at 5,000 IOPS: two hours touch half.
    #[test]
    fn two_hours_of_a_large_set_touch_half() {
        let blocks = 200.0 * 1024.0 * 1024.0 / 4.0;
        let share = touched(5_000.0 * 7_200.0, blocks);
        assert!((share - 0.497).abs() < 0.001, "{share}");
    }
}
