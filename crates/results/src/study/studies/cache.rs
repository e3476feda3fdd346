//! The effect of the client's and the server's caches: the same offsets again, other offsets, after other data was
//! read, and through the client's page cache, cold and warm.
//!
//! Belongs here: the points in their order, and what two of them together say. Must never: know what a server has.

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::{coordinates, loads};
use super::done::Measured;
use super::kept::{Kept, hits, times};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use super::warming::{MOST_ROUNDS, ROUNDS, WARM_UP, WARMED_UP, Warming, round_time};
use super::{Search, label, missing};
use crate::words::{iops_within, span, whole};
use leadline_model::plan::study::{Axis, Coordinate, Role, Study, StudyPlace};
use leadline_model::plan::{ServerCache, Target};
use leadline_model::units::{Bytes, Nanos};

/// The offsets that are read again are no more than this share of the set, and of the server's cache where its size is
/// given: more than a cache holds, read in the same order, finds nothing of it.
const OF_SET: f64 = 0.125;
const OF_CACHE: f64 = 0.5;

/// The points of one repeat.
pub(super) struct CacheSearch<'a> {
    pub(super) study: &'a Study,
    /// Bytes read elsewhere to empty the server's cache.
    pub(super) displace: Option<u64>,
}

/// The kind of the first points, whose offsets are read for the first time.
pub(super) const FIRST_OFFSETS: &str = "direct";
/// The kind of the points whose offsets no cache has seen before.
pub(crate) const NEW_OFFSETS: &str = "direct, other offsets";

/// A step: its name, its offsets, whether it bypasses the client's page cache, whether that is emptied before.
type CacheStep = (&'static str, &'static str, bool, bool);

const FIRST: CacheStep = (FIRST_OFFSETS, "a", true, false);
const AGAIN: CacheStep = ("direct, same offsets", "a", true, false);
const OTHER: CacheStep = (NEW_OFFSETS, "b", true, false);
const DISPLACED: CacheStep = ("direct, after other data", "a", true, false);
const COLD: CacheStep = ("buffered, cold", "c", false, true);
const WARM: CacheStep = ("buffered, warm", "c", false, false);
/// Random offsets of their own in each round until the rate is stable; then the same, measured.
const ROUND: CacheStep = (WARM_UP, "", true, false);
const WARMED: CacheStep = (WARMED_UP, "", true, false);

impl CacheSearch<'_> {
    fn steps(&self) -> Vec<CacheStep> {
        let displaced = self.displace.map(|_| DISPLACED);
        let first = [FIRST, AGAIN, OTHER].into_iter();
        // No page cache is before a simulated volume.
        let buffered = [COLD, WARM].into_iter().filter(|_| !self.is_simulated());
        first.chain(displaced).chain(buffered).collect()
    }

    fn is_simulated(&self) -> bool {
        let is_one = |path: &String| path.starts_with("sim:");
        matches!(&self.study.scope.place, StudyPlace::Paths(paths) if paths.iter().any(is_one))
    }

    /// The point of a step, given those that were measured: which of them it repeats, and how far that went.
    fn point(&self, load: &StudyLoad, step: CacheStep, done: &[&Measured]) -> Spec {
        let (name, offsets, direct, drop_cache) = step;
        let load = StudyLoad {
            offsets,
            direct: Some(direct),
            drop_cache,
            ios: self.ios(load, step, done),
            // As the computation of what was touched has it: a pass without repeats finds less of what is held.
            repeats: matches!(step, ROUND | WARMED),
            ..load.clone()
        };
        let mut at = coordinates(&load);
        at.insert(Axis::Kind, Coordinate::Text(name.to_owned()));
        let server_cache = match step {
            // As far as it is large enough: these were just read.
            AGAIN | ROUND | WARMED => Some(ServerCache::Warmed),
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

    /// I/Os of each worker after which a step ends, if not by its time: where it repeats another, that one's, since the
    /// offsets beyond them are new.
    fn ios(&self, load: &StudyLoad, step: CacheStep, done: &[&Measured]) -> Option<u64> {
        let repeated = match step {
            AGAIN | DISPLACED => Some(FIRST),
            WARM => Some(COLD),
            _ => None,
        };
        if let Some(repeated) = repeated {
            return of_step(load, repeated, done).map(|m| m.fewest_ios.max(1));
        }
        let of_set = OF_SET * self.study.scope.dataset as f64;
        let of_cache = self.displace.map(|bytes| OF_CACHE * bytes as f64);
        let bytes = of_cache.map_or(of_set, |of_cache| of_cache.min(of_set));
        let each = bytes / load.block as f64 / load.workers().max(1) as f64;
        matches!(step, FIRST).then(|| whole(each).max(1))
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

    fn all(&self, done: &[&Measured]) -> Vec<Spec> {
        let mut all = Vec::new();
        for load in loads(self.study) {
            for step in self.steps() {
                if let (Some(bytes), true) = (self.displace, step == DISPLACED) {
                    all.push(self.elsewhere(bytes, 0));
                    all.push(self.elsewhere(bytes, 100));
                }
                all.push(self.point(&load, step, done));
            }
        }
        all
    }
}

impl CacheSearch<'_> {
    /// A round of the warm-up, from 1.
    fn round(&self, load: &StudyLoad, number: usize) -> Spec {
        let mut spec = self.point(load, ROUND, &[]);
        spec.role = Role::Condition;
        spec.time = Some(round_time(self.study));
        let number = Coordinate::Number(number as f64);
        spec.at.insert(Axis::Round, number);
        spec
    }

    /// The next round of a load's warm-up, or the point after the last; `None` after that one, and for what draws no blocks
    /// at random.
    fn warm(&self, load: &StudyLoad, done: &[&Measured], room: Room) -> Option<Spec> {
        if !load.random || of_step(load, OTHER, done).is_none() {
            return None;
        }
        let warming = Warming::of(self.study, load, done);
        let warmed = of_step(load, WARMED, done);
        let last = || warmed.is_none().then(|| self.point(load, WARMED, &[]));
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
        let steps = super::combinations::first_open(self.all(done), done);
        let warm = || {
            loads(self.study)
                .iter()
                .find_map(|load| self.warm(load, done, room))
        };
        steps.or_else(warm)
    }

    fn outlook(&self) -> Vec<Spec> {
        let mut all = self.all(&[]);
        for load in loads(self.study).iter().filter(|load| load.random) {
            // Where no cache is seen; how many rounds one needs is not known before its rates are.
            all.extend((1..=ROUNDS).map(|number| self.round(load, number)));
            all.push(self.point(load, WARMED, &[]));
        }
        all
    }

    fn most(&self) -> Option<usize> {
        let all = loads(self.study);
        let warmed = all.iter().filter(|load| load.random).count();
        Some(self.outlook().len() + warmed * (MOST_ROUNDS - ROUNDS))
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
            let warming = load.random.then(|| Warming::of(self.study, load, done));
            let warming = warming.filter(|warming| !warming.rates.is_empty());
            let kept = self.kept(load, warming.as_ref(), done);
            if let Some(kept) = &kept {
                said.push(kept.server());
                said.extend(self.not_as_stated(kept));
                said.extend(kept.displaced_words());
            }
            said.extend(client(of(COLD), of(WARM)));
            said.extend(kept.as_ref().map(Kept::warm_up));
            said.extend(warming.as_ref().map(|w| w.words(of(WARMED))));
            let named = self.steps().into_iter().chain([WARMED]).filter_map(of);
            said.extend(too_short(&named.collect::<Vec<_>>()));
            let labelled = |text| format!("{}{text}", label(&name));
            answer.sentences.extend(said.into_iter().map(labelled));
            if all.len() == 1 {
                values(kept.as_ref(), &mut answer);
            }
            if let Some(warming) = warming {
                if all.len() == 1 {
                    warming.values(&mut answer);
                }
                answer.charts.push(warming.picture(&name));
            }
            let measured = self.steps().into_iter().chain([WARMED]).filter_map(of);
            let measured: Vec<&Measured> = measured.filter(|m| has_page_cache(m)).collect();
            let share = kept.as_ref().and_then(Kept::hit_share);
            answer.tables.push(table(&name, &measured, share));
        }
        answer.charts.extend(self.over_reads(&all, done));
        answer
    }
}

impl CacheSearch<'_> {
    /// The points of a load that show a cache, once its repeated and new offsets were measured.
    fn kept<'m>(
        &self,
        load: &StudyLoad,
        warming: Option<&Warming>,
        done: &[&'m Measured],
    ) -> Option<Kept<'m>> {
        let again = of_step(load, AGAIN, done)?;
        let other = of_step(load, OTHER, done)?;
        let displaced = of_step(load, DISPLACED, done);
        Some(Kept {
            again,
            other,
            displaced,
            reads: load.reads,
            blocks: self.study.scope.dataset as f64 / load.block as f64,
            rose: warming.and_then(Warming::rose),
            remedy: self.remedy(again, other, displaced),
        })
    }

    /// What would make rates better known that are known too little.
    fn remedy(
        &self,
        again: &Measured,
        other: &Measured,
        displaced: Option<&Measured>,
    ) -> &'static str {
        /// A point that took less than this share of its time has ended with its offsets.
        const WHOLE: f64 = 0.9;
        let reach = |m: &Measured| m.iops_within().reach();
        let of_repeated = displaced.map_or(0.0, reach).max(reach(again));
        let took = again.summary.figures.span.0 as f64;
        let ended_early = took < WHOLE * self.study.timing.time.0 as f64;
        let of_set = OF_SET * self.study.scope.dataset as f64;
        match self.displace {
            _ if !ended_early || reach(other) > of_repeated => "Longer points would show it.",
            Some(bytes) if OF_CACHE * (bytes as f64) < of_set => {
                "The repeated offsets are half of the server's cache: if a larger one is stated, there are more of \
                 them, and their rate is better known."
            }
            _ => {
                "The repeated offsets are an eighth of the data set: of a larger one there are more, and their rate \
                 is better known."
            }
        }
    }

    /// A sentence that there is a cache although none was stated.
    fn not_as_stated(&self, kept: &Kept<'_>) -> Option<String> {
        let stated = self.study.scope.server_cache == ServerCache::Absent;
        (stated && kept.seen() == "yes").then(|| {
            "These figures show a cache beyond this host, although none was stated (server cache: none).".to_owned()
        })
    }

    /// What each step reaches over the share of reads, with and without caches: in I/Os of random loads, and in bytes of
    /// sequential ones. None of loads that read alike.
    fn over_reads(&self, all: &[StudyLoad], done: &[&Measured]) -> Vec<AnswerChart> {
        let kind = |load: &StudyLoad| StudyLoad {
            reads: 100,
            ..load.clone()
        };
        let mut kinds: Vec<StudyLoad> = Vec::new();
        for load in all.iter().map(kind) {
            if !kinds.contains(&load) {
                kinds.push(load);
            }
        }
        let of = |own: &StudyLoad| all.iter().filter(|load| kind(load) == *own).collect();
        let each = kinds.iter().map(|own| (own, of(own)));
        let drawn = each.filter(|(_, loads): &(_, Vec<&StudyLoad>)| loads.len() > 1);
        drawn
            .map(|(own, loads)| AnswerChart {
                title: match kinds.len() {
                    1 => "With and without caches".to_owned(),
                    _ => format!(
                        "{} {}: with and without caches",
                        Bytes(own.block),
                        order(own)
                    ),
                },
                x: AnswerAxis::linear("share of reads", AnswerUnit::Share),
                y: match own.random {
                    true => AnswerAxis::linear("IOPS", AnswerUnit::Iops),
                    false => AnswerAxis::linear("throughput", AnswerUnit::BytesPerS),
                },
                series: self.lines(&loads, done),
                marks: Vec::new(),
            })
            .collect()
    }

    /// A line for each step that was measured.
    fn lines(&self, loads: &[&StudyLoad], done: &[&Measured]) -> Vec<AnswerSeries> {
        let line = |step: CacheStep| {
            let points = loads.iter().filter_map(|load| {
                let m = of_step(load, step, done).filter(|m| has_page_cache(m))?;
                let rate = match load.random {
                    true => m.iops_within(),
                    false => m.bytes_within(),
                };
                Some(AnswerPoint::within(f64::from(load.reads) / 100.0, rate))
            });
            AnswerSeries {
                label: step.0.to_owned(),
                model: false,
                points: points.collect(),
            }
        };
        let steps = self.steps().into_iter().chain([WARMED]);
        let lines = steps.map(line);
        lines.filter(|line| !line.points.is_empty()).collect()
    }
}

/// How the offsets of a load follow each other.
const fn order(load: &StudyLoad) -> &'static str {
    if load.random { "random" } else { "sequential" }
}

fn values(kept: Option<&Kept<'_>>, answer: &mut Answer) {
    if let Some(kept) = kept {
        let seen = AnswerCell::text(kept.seen());
        answer.value("cache_seen", seen, AnswerUnit::Text);
        let ratio = AnswerCell::Within(kept.ratio());
        answer.value("same_over_other", ratio, AnswerUnit::Number);
    }
    let share = kept.and_then(Kept::hit_share);
    answer.value(
        "hit_share",
        share.map_or(AnswerCell::None, AnswerCell::Number),
        AnswerUnit::Share,
    );
}

/// Whether a point goes the way that its name says: no page cache is before a simulated volume.
fn has_page_cache(m: &Measured) -> bool {
    let buffered = m
        .text(Axis::Kind)
        .is_some_and(|kind| kind == COLD.0 || kind == WARM.0);
    !(buffered && matches!(m.workload.blocks().target, Target::Simulated(_)))
}

/// A sentence that rates which were named have no interval, since their points read all that they were to within a moment.
fn too_short(steps: &[&Measured]) -> Option<String> {
    let bare = steps.iter().filter(|m| {
        let is_bare = m.summary.figures.data.certainty.iops.is_none();
        is_bare && has_page_cache(m)
    });
    let words = bare.map(|m| {
        let took = m.summary.figures.span.0 as f64;
        format!(
            "{} ({})",
            m.text(Axis::Kind).unwrap_or_default(),
            span(took)
        )
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| {
        format!(
            "Too short for an interval of the rate: {}.",
            words.join("; ")
        )
    })
}

fn client(cold: Option<&Measured>, warm: Option<&Measured>) -> Option<String> {
    let (cold, warm) = (cold.filter(|m| has_page_cache(m))?, warm?);
    Some(format!(
        "Through this host's page cache: {} cold and {} warm, {} the cold rate.",
        iops_within(&cold.iops_within()),
        iops_within(&warm.iops_within()),
        times(&warm.iops_within().over(&cold.iops_within()))
    ))
}

/// The figures of all steps. `of_again` is the share of hits of the offsets that come again, as the sentence has it.
fn table(name: &str, measured: &[&Measured], of_again: Option<f64>) -> AnswerTable {
    let row = |m: &&Measured| {
        let is_again = m.text(Axis::Kind) == Some(AGAIN.0);
        let share = hits(m).or(of_again.filter(|_| is_again));
        vec![
            AnswerCell::text(m.text(Axis::Kind).unwrap_or_default()),
            AnswerCell::Within(m.iops_within()),
            AnswerCell::Within(m.bytes_within()),
            m.mean_cell(),
            AnswerCell::percentile(m.response_at(50.0)),
            AnswerCell::percentile(m.response_at(99.0)),
            share.map_or(AnswerCell::None, AnswerCell::Number),
        ]
    };
    let table = AnswerTable {
        title: super::title_with("Caches", name),
        columns: vec![
            Column::new("read", AnswerUnit::Text),
            Column::new("iops", AnswerUnit::Iops),
            Column::new("throughput", AnswerUnit::BytesPerS),
            Column::new("mean", AnswerUnit::Nanos),
            Column::new("p50", AnswerUnit::Nanos),
            Column::new("p99", AnswerUnit::Nanos),
            Column::new("fast I/Os", AnswerUnit::Share),
        ],
        rows: measured.iter().map(row).collect(),
    };
    let points: Vec<Vec<&Measured>> = measured.iter().map(|m| vec![*m]).collect();
    missing::marked(table, &points)
}
