//! fio's line of progress, made of the events of a run:
//! `Jobs: 1 (f=1): [r(1)][50.0%][r=400KiB/s][r=100 IOPS][eta 00m:05s]` and a carriage return.
//!
//! Belongs here: that line, and when it is due. Must never: print, or look at a clock: time is that of the events.

use super::number::{Prefix, Style, short};
use crate::original::Shown;
use leadline_model::event::{Event, Tick};
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{OpMix, Pace, Plan, Rate, Stage, Workload};
use leadline_model::sample::EndReason;
use leadline_model::units::Nanos;
use leadline_model::units::whole;

/// What a worker is doing, as fio's letters say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its stage has not started: `P`.
    Waiting,
    /// In its warm-up: `/`.
    WarmingUp,
    /// At work: the letter of its pattern.
    Running,
    /// It has ended: `_`, or `X` with an error.
    Ended(char),
}

/// A worker of the plan.
struct Worker {
    stage: u32,
    workload: u32,
    number: u32,
    state: State,
}

/// The line, from the events so far.
pub struct StatusLine {
    plan: Plan,
    workers: Vec<Worker>,
    /// Time between two lines, and between two line ends; zero = none.
    every: Nanos,
    newline: Nanos,
    /// Start of the running stage, from the start of the run.
    stage_start: Nanos,
    shown: Option<Nanos>,
    last_newline: Nanos,
    /// Columns of the line before.
    width: usize,
    /// What was counted since that line, and how long it took: I/Os and bytes.
    since: PerOp<(u64, u64)>,
    span: Nanos,
}

/// Ticks are not exact: one this much earlier still counts as due.
const GRACE: Nanos = Nanos(250_000_000);

impl StatusLine {
    /// A line every `every`, and a new one below it every `newline`; zero = it is always written over.
    #[must_use]
    pub fn new(plan: &Plan, every: Nanos, newline: Nanos) -> Self {
        let mut workers = Vec::new();
        for (stage, s) in (0..).zip(&plan.stages) {
            for (workload, w) in (0..).zip(&s.workloads) {
                workers.extend((0..w.clones).map(|number| Worker {
                    stage,
                    workload,
                    number,
                    state: State::Waiting,
                }));
            }
        }
        Self {
            plan: plan.clone(),
            workers,
            every,
            newline,
            stage_start: Nanos::ZERO,
            shown: None,
            last_newline: Nanos::ZERO,
            width: 0,
            since: PerOp::default(),
            span: Nanos::ZERO,
        }
    }

    /// Takes an event. What is to be printed now, if anything.
    pub fn hear(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::StageStarted { stage, at, .. } => {
                self.stage_start = *at;
                let of_stage = self.workers.iter_mut().filter(|w| w.stage == *stage);
                of_stage.for_each(|w| w.state = State::WarmingUp);
                None
            }
            Event::WorkerEnded(totals) => {
                let failed = matches!(totals.end, EndReason::Error { .. });
                let same = |w: &&mut Worker| {
                    (w.stage, w.workload, w.number)
                        == (totals.stage, totals.workload, totals.worker)
                };
                let letter = if failed { 'X' } else { '_' };
                self.workers
                    .iter_mut()
                    .filter(same)
                    .for_each(|w| w.state = State::Ended(letter));
                None
            }
            Event::Tick(tick) => self.tick(tick),
            _ => None,
        }
    }

    fn tick(&mut self, tick: &Tick) -> Option<String> {
        for worker in self.workers.iter_mut().filter(|w| w.stage == tick.stage) {
            let plan = workload(&self.plan, worker.stage, worker.workload);
            let warm = plan.is_some_and(|w| tick.at < w.stop.warmup);
            if worker.state == State::WarmingUp && !warm {
                worker.state = State::Running;
            }
        }
        for (op, sum) in self.since.iter_mut() {
            if let Some(counts) = tick.counts.op(op) {
                *sum = (sum.0 + counts.ios, sum.1 + counts.bytes);
            }
        }
        self.span.0 += tick.span.0;
        let now = Nanos(self.stage_start.0 + tick.at.0);
        let due = |last: Nanos, every: Nanos| now.since(last).0 + GRACE.0 >= every.0;
        if self.shown.is_some_and(|last| !due(last, self.every)) {
            return None;
        }
        self.shown = Some(now);
        let line = self.line(tick, now);
        let blanks = " ".repeat(self.width.saturating_sub(line.len()));
        self.width = line.len();
        (self.since, self.span) = (PerOp::default(), Nanos::ZERO);
        let mut end = "\r";
        if self.newline > Nanos::ZERO && due(self.last_newline, self.newline) {
            (self.last_newline, self.width) = (now, 0);
            end = "\r\n";
        }
        Some(format!("{line}{blanks}{end}"))
    }

    fn line(&self, tick: &Tick, now: Nanos) -> String {
        let active = || {
            let active = |w: &&Worker| matches!(w.state, State::Running | State::WarmingUp);
            let workers = self.workers.iter().filter(active);
            workers.filter_map(|w| workload(&self.plan, w.stage, w.workload))
        };
        let files: u64 = active().map(|w| w.blocks().target.files() as u64).sum();
        let left = self.left(tick);
        let share = left.map_or_else(
            || "-.-%".to_owned(),
            |left| {
                let all = (now.0 + left.0) as f64;
                format!("{:.1}%", now.0 as f64 * 100.0 / all.max(1.0))
            },
        );
        format!(
            "Jobs: {} (f={files}){}: [{}][{share}]{}[eta {}]",
            active().count(),
            limits(active(), self.style()),
            self.letters(),
            self.rates(),
            duration(left)
        )
    }

    /// Numbers as the first job wants them.
    fn style(&self) -> Style {
        let first = self.plan.stages.iter().flat_map(|s| &s.workloads).next();
        Style::of(&first.map(Shown::of).unwrap_or_default())
    }

    /// Time until the run is over; `None` = unknown.
    fn left(&self, tick: &Tick) -> Option<Nanos> {
        let stage = match (tick.expected, tick.done) {
            (Some(expected), _) => expected.since(tick.at),
            (None, Some(done)) if done > 0.01 => {
                Nanos(whole(tick.at.0 as f64 * (1.0 - done) / done))
            }
            _ => return None,
        };
        let later = self.plan.stages.iter().skip(tick.stage as usize + 1);
        let later: Option<u64> = later.map(|s| longest(s).map(|n| n.0)).sum();
        Some(Nanos(stage.0 + later?))
    }

    /// The workers' letters, each with how many in a row have it.
    fn letters(&self) -> String {
        let mut runs: Vec<(char, u32)> = Vec::new();
        for worker in &self.workers {
            let letter = match worker.state {
                State::Waiting => 'P',
                State::WarmingUp => '/',
                State::Ended(letter) => letter,
                State::Running => {
                    workload(&self.plan, worker.stage, worker.workload).map_or('?', letter)
                }
            };
            match runs.last_mut() {
                Some((last, count)) if *last == letter => *count += 1,
                _ => runs.push((letter, 1)),
            }
        }
        let runs: Vec<String> = runs.iter().map(|(c, n)| format!("{c}({n})")).collect();
        runs.join(",")
    }

    /// Bytes and I/Os a second since the line before, of the kinds that did any.
    fn rates(&self) -> String {
        let seconds = self.span.as_secs_f64().max(1e-9);
        let style = self.style();
        let each = |show: &dyn Fn((u64, u64)) -> String| {
            let kinds = Op::BLOCK
                .map(|op| *self.since.get(op))
                .into_iter()
                .zip(['r', 'w', 't']);
            let done = kinds.filter(|(since, _)| since.0 > 0);
            let shown = done.map(|(since, name)| format!("{name}={}", show(since)));
            shown.collect::<Vec<_>>().join(",")
        };
        let bytes = each(&|n| style.rate(n.1 as f64 / seconds, style.prefixes()[0]));
        let ios = each(&|n| short(whole(n.0 as f64 / seconds), 4, Prefix::Thousands));
        if ios.is_empty() {
            return String::new();
        }
        format!("[{bytes}][{ios} IOPS]")
    }
}

fn workload(plan: &Plan, stage: u32, workload: u32) -> Option<&Workload> {
    plan.stages
        .get(stage as usize)?
        .workloads
        .get(workload as usize)
}

/// fio's letter of a pattern.
const fn letter(plan: &Workload) -> char {
    let letters = match plan.blocks().mix {
        OpMix::Only(Op::Read) => ('R', 'r'),
        OpMix::Only(Op::Write) => ('W', 'w'),
        OpMix::Only(_) | OpMix::TrimWrite => ('D', 'd'),
        OpMix::ReadWrite { .. } => ('M', 'm'),
    };
    if plan.blocks().access.order.is_random() {
        letters.1
    } else {
        letters.0
    }
}

/// How long a stage takes that runs by time; `None` = it runs by something else.
fn longest(stage: &Stage) -> Option<Nanos> {
    let each = stage.workloads.iter();
    let times = each.map(|w| Some(w.stop.runtime?.0 + w.stop.warmup.0));
    let longest = times.collect::<Option<Vec<_>>>()?.into_iter().max();
    Some(Nanos(longest.unwrap_or(0)))
}

/// The rates that were asked for, all workers together.
fn limits<'a>(active: impl Iterator<Item = &'a Workload>, style: Style) -> String {
    let (mut bytes, mut ios) = (0, 0.0);
    for plan in active {
        let Pace::Open { rates, .. } = &plan.pace else {
            continue;
        };
        for op in Op::BLOCK {
            match rates.get(op) {
                Some(Rate::Bytes(n)) if plan.blocks().mix.has(op) => bytes += n,
                Some(Rate::Iops(n)) if plan.blocks().mix.has(op) => ios += n,
                _ => {}
            }
        }
    }
    if bytes > 0 {
        let rate = |n: u64| style.rate(n as f64, style.prefixes()[0]);
        return format!(", {}-{}", rate(0), rate(bytes));
    }
    if ios > 0.0 {
        return format!(", 0-{} IOPS", whole(ios));
    }
    String::new()
}

/// `05m:04s`, with hours and days where there are any.
fn duration(left: Option<Nanos>) -> String {
    let Some(left) = left else {
        return "--".to_owned();
    };
    let seconds = left.0.div_ceil(1_000_000_000);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let mut text = String::new();
    if hours >= 24 {
        text += &format!("{:02}d:", hours / 24);
    }
    if hours > 0 {
        text += &format!("{:02}h:", hours % 24);
    }
    text + &format!("{:02}m:{:02}s", minutes % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::PerOp;
    use leadline_model::plan::Arrival;
    use leadline_model::plan::Target;
    use leadline_model::sample::Counts;

    /// A random read at 100 IOPS for 6 s after a warm-up of 1 s, beside a free sequential write.
    fn plan() -> Plan {
        let mut read = Workload::new("a", Target::Null { size: 1 << 20 });
        read.stop.runtime = Some(Nanos::from_secs(6));
        read.stop.warmup = Nanos::SECOND;
        read.blocks_mut().access.order = leadline_model::plan::Order::Random {
            every: 1,
            identical: false,
        };
        read.pace = Pace::Open {
            rates: PerOp {
                read: Some(Rate::Iops(100.0)),
                write: Some(Rate::Iops(7.0)),
                trim: None,
            },
            together: None,
            arrival: Arrival::Constant,
            schedule: Vec::new(),
        };
        let mut write = Workload::new("b", Target::Null { size: 1 << 20 });
        write.blocks_mut().mix = OpMix::Only(Op::Write);
        write.stop.runtime = Some(Nanos::from_secs(6));
        write.clones = 2;
        let stage = |workloads: Vec<Workload>| Stage {
            workloads,
            ..Stage::default()
        };
        Plan {
            stages: vec![stage(vec![read, write.clone()]), stage(vec![write])],
            ..leadline_results::fixture::run().plan.unwrap()
        }
    }

    fn tick(at_ms: u64, reads: u64) -> Event {
        let mut counts = Counts::default();
        let op = counts.op_mut(Op::Read);
        (op.ios, op.bytes) = (reads, reads * 4096);
        Event::Tick(Box::new(Tick {
            at: Nanos::from_millis(at_ms),
            expected: Some(Nanos::from_secs(7)),
            span: Nanos::from_millis(500),
            counts,
            ..Tick::default()
        }))
    }

    #[test]
    fn the_line_is_that_of_fio() {
        let mut status = StatusLine::new(&plan(), Nanos::SECOND, Nanos::ZERO);
        let start = Event::StageStarted {
            stage: 0,
            at: Nanos::ZERO,
            wall_ms: 0,
        };
        assert_eq!(status.hear(&start), None);
        let first = status.hear(&tick(500, 50)).unwrap();
        assert_eq!(
            first,
            "Jobs: 3 (f=3), 0-100 IOPS: [/(1),W(2),P(2)][3.8%][r=400KiB/s][r=100 IOPS][eta 00m:13s]\r"
        );
        assert_eq!(status.hear(&tick(1000, 50)), None, "not due yet");
        let second = status.hear(&tick(1500, 40)).unwrap();
        assert_eq!(
            second,
            "Jobs: 3 (f=3), 0-100 IOPS: [r(1),W(2),P(2)][11.5%][r=360KiB/s][r=90 IOPS][eta 00m:12s]\r"
        );
        let third = status.hear(&tick(2500, 0)).unwrap();
        assert!(
            third.trim_end().ends_with("[19.2%][eta 00m:11s]"),
            "{third:?}"
        );
        assert_eq!(
            third.len(),
            second.len(),
            "what is left of the line before is wiped"
        );
    }

    #[test]
    fn lines_end_as_often_as_asked() {
        let mut status = StatusLine::new(&plan(), Nanos::SECOND, Nanos::from_secs(2));
        let ends = [1000, 2000, 3000, 4000].map(|at| {
            let line = status.hear(&tick(at, 1)).unwrap();
            line.ends_with("\r\n")
        });
        assert_eq!(ends, [false, true, false, true]);
    }

    #[test]
    fn times_are_written_as_fio_writes_them() {
        assert_eq!(duration(None), "--");
        assert_eq!(duration(Some(Nanos::from_secs(4))), "00m:04s");
        assert_eq!(duration(Some(Nanos::from_secs(3723))), "01h:02m:03s");
        assert_eq!(duration(Some(Nanos::from_secs(90_061))), "01d:01h:01m:01s");
    }
}
