//! From a profile to a plan: what each of DISKSPD's fields means, in leadline's nouns.
//!
//! Belongs here: meaning, and notes where leadline's way differs. Must never appear here: grammar; facts
//! of the host but its CPUs.
//!
//! Decided:
//! - A time span is a stage. A target is a workload with a worker for each of its threads. With `-F` one
//!   workload drives all targets, a worker being a thread: each target has its `-o` I/Os in flight, or all
//!   together have `-O`, and I/Os are counted by target. Targets that are not alike are parts of
//!   the workload. Only where they have a rate or pauses, or some are mapped memory and others not, does a
//!   worker stand for a thread and a target.
//! - Worker k of a workload is thread `FirstThread` + k, and its random numbers are those of that thread:
//!   the workload's seed is `-z` plus `FirstThread`.
//! - CPU n of group g is CPU 64 g + n.

mod files;
mod load;
mod pattern;
mod pool;

use super::profile::{Profile, Target, TimeSpan};
use super::switches::Switches;
use crate::original::{PlanOriginal, StageOriginal, WorkloadOriginal};
use leadline_dialect::diagnostic::{Diagnostic, Span};
use leadline_dialect::host::Host;
use leadline_model::plan::{Dialect, Original, Plan, Source, Stage, Target as Place, Workload};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

/// Percentiles of DISKSPD's table.
const PERCENTILES: [f64; 13] = [
    25.0,
    50.0,
    75.0,
    90.0,
    95.0,
    99.0,
    99.9,
    99.99,
    99.999,
    99.9999,
    99.99999,
    99.999_999,
    99.999_999_9,
];

/// Shortest interval there is, in milliseconds.
const SHORTEST_MS: u64 = 10;

/// Most workers of a stage.
const MOST_WORKERS: u64 = 4096;

/// Everything a plan is made of.
pub(super) struct Lowering<'a> {
    pub(super) profile: &'a Profile,
    pub(super) switches: &'a Switches,
    pub(super) args: &'a [String],
    /// The profile that was read: (name, text).
    pub(super) file: Option<(String, String)>,
    pub(super) host: &'a dyn Host,
    /// Where each option was said last.
    pub(super) places: &'a BTreeMap<char, Span>,
    /// CPUs that may be used.
    pub(super) cpus: Vec<u32>,
    /// Length of an interval, known once the lowering is under way.
    pub(super) interval_ms: u64,
    pub(super) sink: &'a mut Vec<Diagnostic>,
}

/// A time span on its way to a stage.
struct Part<'a> {
    span: &'a TimeSpan,
    /// Files that are recreated before this stage, with their size; `None` = as each target says.
    precreated: Option<BTreeMap<&'a str, u64>>,
    group: u32,
}

impl Lowering<'_> {
    /// The plan.
    pub(super) fn plan(mut self) -> Plan {
        let interval = self.interval();
        self.interval_ms = interval.as_millis();
        let mut precreated = files::precreated(self.profile);
        let mut stages = Vec::new();
        for (place, span) in self.profile.time_spans.iter().enumerate() {
            let mut stage = self.stage(&Part {
                span,
                // All files are made before the first time span, and none before the others.
                precreated: precreated.as_mut().map(std::mem::take),
                group: u32::try_from(place).unwrap_or(u32::MAX),
            });
            stage.original = Original::of(&StageOriginal { span: place });
            stages.push(stage);
        }
        self.bounds(&stages);
        Plan {
            title: title(self.profile),
            source: Source {
                dialect: Dialect::Diskspd,
                args: self.args.to_vec(),
                own: Vec::new(),
                directory: String::new(),
                environment: Vec::new(),
                files: self.file.take().into_iter().collect(),
            },
            given: Vec::new(),
            original: Original::of(&self.original()),
            interval,
            stages,
            read_only: false,
            destroy: self.switches.destroy.clone(),
            hosts: Vec::new(),
            slices: 1,
            partial_totals_every: None,
            study: None,
        }
    }

    /// Says something of an option, where it was given on the command line.
    fn say(&mut self, diagnostic: Diagnostic, letter: char) {
        let place = self.places.get(&letter);
        self.sink.push(
            place
                .into_iter()
                .fold(diagnostic, |d, span| d.at(*span, "")),
        );
    }

    fn note(&mut self, code: &'static str, message: impl Into<String>, letter: char) {
        self.say(Diagnostic::note(code, message), letter);
    }

    fn warn(&mut self, code: &'static str, message: impl Into<String>, hint: &str, letter: char) {
        self.say(Diagnostic::warning(code, message).hint(hint), letter);
    }

    /// An interval of which all buckets of `-D` and the warm-ups before them are multiples, so that buckets
    /// begin with the measured time; 10 ms at least. Where there is none: the shortest bucket, and warm-ups
    /// are made a multiple of it.
    fn interval(&mut self) -> Nanos {
        let all = self.profile.time_spans.iter().map(|span| span.bucket_ms);
        let shortest = u64::from(all.clone().min().unwrap_or(1000));
        if shortest < SHORTEST_MS {
            self.note(
                "interval-too-short",
                "intervals must be at least 10 ms long: 10 ms is used",
                'D',
            );
        }
        let shortest = shortest.max(SHORTEST_MS);
        let mut common = shortest;
        for span in self.profile.time_spans.iter().filter(|s| s.iops_std_dev) {
            common = divisor(common, u64::from(span.bucket_ms).max(SHORTEST_MS));
            common = divisor(common, u64::from(span.warmup) * 1000);
        }
        if common >= SHORTEST_MS {
            return Nanos::from_millis(common);
        }
        if all
            .clone()
            .any(|ms| !u64::from(ms).is_multiple_of(shortest))
        {
            let message = format!(
                "intervals are {shortest} ms long in all time spans, the shortest of the \
                 requested lengths"
            );
            self.note("one-interval", message, 'D');
        }
        self.interval_ms = shortest;
        let longer = self.profile.time_spans.iter().find_map(|span| {
            let length = self.warmup(span).as_millis();
            (length > u64::from(span.warmup) * 1000).then_some(length)
        });
        if let Some(ms) = longer {
            let message = format!(
                "the warm-up is {ms} ms long, so that intervals of {shortest} ms begin with the measured time"
            );
            self.note("warm-up-lengthened", message, 'D');
        }
        Nanos::from_millis(shortest)
    }

    /// The warm-up of a time span: as asked for, or up to an interval more, so that intervals begin with the
    /// measured time.
    fn warmup(&self, span: &TimeSpan) -> Nanos {
        let asked = u64::from(span.warmup) * 1000;
        let step = if span.iops_std_dev {
            self.interval_ms.max(1)
        } else {
            1
        };
        Nanos::from_millis(asked.next_multiple_of(step))
    }

    /// More than leadline can have in flight, or at work, is refused before anything is made.
    fn bounds(&mut self, stages: &[Stage]) {
        let letter = |known: &[char], places: &BTreeMap<char, Span>| {
            let found = known.iter().find(|c| places.contains_key(c));
            found.copied().unwrap_or('X')
        };
        for (span, stage) in self.profile.time_spans.iter().zip(stages) {
            let deepest = stage.workloads.iter().max_by_key(|w| w.depth);
            if let Some(w) = deepest.filter(|w| w.depth > pool::MOST_IN_FLIGHT) {
                let message = format!(
                    "a queue depth of {}: a thread can have at most {} I/Os in flight",
                    w.depth,
                    pool::MOST_IN_FLIGHT
                );
                let hint = "use more threads: -t2 with half of -o has as many in flight";
                let option = if span.is_pool() {
                    ['O', 'o']
                } else {
                    ['o', 'O']
                };
                let letter = letter(&option, self.places);
                self.say(Diagnostic::error("too-deep", message).hint(hint), letter);
            }
            let workers: u64 = stage.workloads.iter().map(|w| u64::from(w.clones)).sum();
            if workers > MOST_WORKERS {
                let message = format!("{workers} threads: at most {MOST_WORKERS} can run at once");
                let hint = "use fewer threads with more I/Os in flight each (-o)";
                let letter = letter(&['F', 't'], self.places);
                self.say(
                    Diagnostic::error("too-many-threads", message).hint(hint),
                    letter,
                );
            }
        }
    }

    fn original(&self) -> PlanOriginal {
        let words = ["diskspd".to_owned()].into_iter();
        PlanOriginal {
            profile: self.profile.clone(),
            words: words.chain(self.args.to_vec()).collect(),
        }
    }

    fn stage(&mut self, span: &Part<'_>) -> Stage {
        let targets = &span.span.targets;
        let workloads = if span.span.thread_count > 0 {
            self.pool(span)
        } else {
            let mut first_thread = 0;
            let mut workloads = Vec::new();
            for target in targets {
                let workload = self.workload(span, target, first_thread);
                first_thread += workload.clones;
                workloads.push(workload);
            }
            workloads
        };
        Stage {
            name: format!("timespan {}", u64::from(span.group) + 1),
            workloads,
            ..Stage::default()
        }
    }

    fn workload(&mut self, span: &Part<'_>, target: &Target, first_thread: u32) -> Workload {
        let place = Place::Paths(vec![target.path.clone()]);
        let mut w = Workload::new(&target.path, place);
        let spans = span.span;
        w.group = span.group;
        w.clones = spans.threads_of(target).max(1);
        w.blocks_mut().region = self.region(span, target);
        w.blocks_mut().prepare = self.prepare(span, target);
        w.blocks_mut().open = load::open_mode(target);
        w.blocks_mut().mix = pattern::mix(target);
        w.blocks_mut().sizes = pattern::sizes(target);
        w.blocks_mut().access = pattern::access(spans, target, first_thread);
        w.pace = load::pace(target);
        w.think = load::think(spans, target);
        w.depth = match target.memory_mapped {
            // Each mapped I/O is a copy, one after the other.
            true => 1,
            false => target.request_count.max(1),
        };
        w.blocks_mut().payload = pattern::payload(spans, target);
        w.stop = load::stop(spans, self.warmup(spans));
        w.engine = load::engine(spans, target, spans.queue_of([target]), w.depth);
        w.placement = self.placement(spans, w.clones, target, first_thread);
        w.percentiles = PERCENTILES.to_vec();
        w.report.worker_series = spans.iops_std_dev;
        // Any error ends a run of DISKSPD.
        w.on_error.end_all = true;
        w.original = workload_original(std::slice::from_ref(target), first_thread);
        w
    }
}

/// Greatest common divisor; of a number and 0 it is the number.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

fn workload_original(targets: &[Target], first_thread: u32) -> Original {
    Original::of(&WorkloadOriginal {
        first_thread,
        file_size: targets.first().and_then(|t| t.file_size),
    })
}

fn title(profile: &Profile) -> String {
    let mut paths: Vec<&str> = Vec::new();
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        if !paths.contains(&target.path.as_str()) {
            paths.push(&target.path);
        }
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or("").to_owned();
    match paths.as_slice() {
        [] => String::new(),
        [only] => name(only),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
    }
}
