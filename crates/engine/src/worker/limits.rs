//! How far a worker goes: time, bytes, I/Os, pauses. Exact at the I/O. All times are ticks.

use super::Worker;
use super::source::{Source, Task};
use crate::backend::Backend;
use crate::clock::Clock;
use crate::program::Program;
use leadline_model::plan::{FileChoice, Position, Think, Workload};
use leadline_model::sample::EndReason;
use leadline_model::units::Nanos;

/// What ends a worker, and where its intervals lie.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// What is left to do; `u64::MAX` at first = not bounded so, and never used up.
    bytes_left: u64,
    ios_left: u64,
    /// As many again once the warm-up is over: what ran in it is not counted.
    ios: u64,
    /// Passes over the region, this one too.
    passes_left: u64,
    warmup: u64,
    runtime: Option<u64>,
    interval: u64,
    /// Tick at which the stage started: intervals are counted from it.
    stage_start: u64,
    warm_end: u64,
    end: u64,
    cooldown: u64,
    /// Tick at which the window ends and I/O continues; `u64::MAX` = it does not.
    cool_from: u64,
}

impl Limits {
    pub(crate) fn new<C: Clock>(
        program: &Program,
        interval: Nanos,
        stage_start: u64,
        clock: &C,
    ) -> Self {
        let stop = &program.workload.stop;
        Self {
            bytes_left: program.total_bytes.unwrap_or(u64::MAX),
            ios_left: program.total_ios.unwrap_or(u64::MAX),
            ios: program.total_ios.unwrap_or(u64::MAX),
            passes_left: match program.passes {
                Some(passes) => passes,
                None if program.total_bytes.is_none() && !stop.time_based => 1,
                None => u64::MAX,
            },
            warmup: clock.span(stop.warmup.0),
            runtime: stop.runtime.map(|r| clock.span(r.0)),
            interval: clock.span(interval.0).max(1),
            stage_start,
            warm_end: 0,
            end: u64::MAX,
            cooldown: clock.span(stop.cooldown.0),
            cool_from: u64::MAX,
        }
    }

    pub(super) fn start_at(&mut self, tick: u64) {
        self.warm_end = tick + self.warmup;
        self.end = self
            .runtime
            .map_or(u64::MAX, |r| self.warm_end.saturating_add(r));
        // Nothing that completes after an empty window was measured in it.
        let uncounted = self.cooldown > 0 || self.runtime == Some(0);
        if uncounted && self.end < u64::MAX {
            self.cool_from = self.end;
            self.end = self.end.saturating_add(self.cooldown);
        }
    }

    /// Whether the window is over and I/O continues, uncounted.
    pub(super) fn cools(&self, tick: u64) -> bool {
        tick >= self.cool_from
    }

    /// Whether what ends after the end is counted apart: it is where the window begins in mid flow, and I/O does not continue.
    pub(super) fn drains_apart(&self) -> bool {
        self.warmup > 0 && self.cool_from == u64::MAX && self.end < u64::MAX
    }

    /// Tick at which no new I/O starts any more.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn stage_start(&self) -> u64 {
        self.stage_start
    }

    pub(super) fn window_start(&self) -> u64 {
        self.warm_end
    }

    pub(super) fn interval_of(&self, tick: u64) -> u64 {
        tick.saturating_sub(self.stage_start) / self.interval
    }

    pub(super) fn in_warmup(&self, tick: u64) -> bool {
        tick < self.warm_end
    }

    /// When to look at the cell that is being filled at `tick`: at the next interval, with the warm-up, with the window, or with
    /// the end that was asked for. What is uncounted never ends.
    pub(super) fn cell_end(&self, tick: u64) -> u64 {
        let edge = self.stage_start + (self.interval_of(tick) + 1) * self.interval;
        if self.in_warmup(tick) {
            edge.min(self.warm_end)
        } else if self.drains_apart() && tick < self.end {
            edge.min(self.end)
        } else if self.cools(tick) {
            u64::MAX
        } else {
            edge.min(self.cool_from)
        }
    }

    /// Whether this many more I/Os and bytes surely reach no limit.
    #[inline]
    pub(super) fn has_room(&self, ios: u64, bytes: u64) -> bool {
        self.ios_left > ios && self.bytes_left > bytes
    }

    /// Whether the work is done after this many more I/Os and bytes, and by which of the two.
    #[inline]
    pub(super) fn spent_after(&self, ios: u64, bytes: u64) -> Option<EndReason> {
        if ios >= self.ios_left {
            return Some(EndReason::Ios);
        }
        (bytes >= self.bytes_left).then_some(EndReason::Size)
    }

    /// This many more I/Os and bytes were taken.
    #[inline]
    pub(super) fn took(&mut self, ios: u64, bytes: u64) {
        self.ios_left = self.ios_left.saturating_sub(ios);
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
    }

    /// The warm-up is over: a limit of I/Os counts those after it, as in fio. Bytes continue to count.
    pub(super) fn leave_warmup(&mut self) {
        self.ios_left = self.ios;
    }

    /// A pass over the region is complete. Whether another one may follow.
    pub(super) fn allow_next_pass(&mut self) -> bool {
        self.passes_left -= u64::from(self.passes_left < u64::MAX);
        self.passes_left > 0
    }
}

/// Whether a workload needs none of the special rules, but perhaps that of a pace, of a coupling or of its source.
pub(super) fn is_regular(workload: &Workload) -> bool {
    let engine = &workload.engine;
    workload.think.is_none()
        && engine.batch_submit.is_none()
        && engine.low_depth.is_none()
        && !engine.serialize_overlap
}

/// Whether slots have positions or files of their own.
pub(super) fn is_by_slot(workload: &Workload) -> bool {
    let access = &workload.blocks().access;
    access.position == Position::EachSlot
        || access.file_choice == FileChoice::EachSlot
        || workload
            .blocks()
            .parts
            .iter()
            .any(|p| p.access.position == Position::EachSlot)
}

/// Whether completions must be checked one by one: they have a longest allowed time, a place that the next I/O may
/// have to wait for, counts of their file, or a turn.
pub(super) fn is_careful(workload: &Workload) -> bool {
    let limit = &workload.on_error.max_latency;
    workload.engine.serialize_overlap
        || workload.counted_files() > 1
        || is_by_slot(workload)
        || limit.read.or(limit.write).or(limit.trim).is_some()
}

/// Where a worker is between its pauses.
#[derive(Clone, Debug)]
pub(super) struct ThinkState {
    think: Think,
    pause: u64,
    busy: u64,
    since_pause: u32,
    busy_since: u64,
    /// A pause is due once nothing is in flight.
    due: bool,
    until: u64,
}

impl ThinkState {
    pub(super) fn new<C: Clock>(think: Think, clock: &C) -> Self {
        Self {
            think,
            pause: clock.span(think.pause.0),
            busy: clock.span(think.after_busy.0),
            since_pause: 0,
            busy_since: 0,
            due: false,
            until: 0,
        }
    }

    pub(super) fn completed(&mut self, count: u32, now: u64) {
        if !self.think.on_submit {
            self.count(count, now);
        }
    }

    fn submitted(&mut self, now: u64) {
        if self.think.on_submit {
            self.count(1, now);
        }
    }

    fn count(&mut self, count: u32, now: u64) {
        self.since_pause += count;
        let busy_enough = self.busy == 0 || now.saturating_sub(self.busy_since) >= self.busy;
        self.due |= self.since_pause >= self.think.every && busy_enough;
    }
}

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// What precedes the ordinary next I/O: a held one, a flush, a pause. `None` = nothing.
    #[cold]
    pub(super) fn out_of_turn(&mut self) -> Option<Result<(Task, u64), Option<u64>>> {
        if let Some(task) = self.source.urgent() {
            return Some(Ok((task, self.now)));
        }
        if let Some((task, intended)) = self.held {
            if self.overlaps(&task) {
                return Some(Err(None));
            }
            self.held = None;
            return Some(Ok((task, intended)));
        }
        let now = self.now;
        let in_flight = self.in_flight() > 0;
        let think = self.think.as_mut()?;
        if think.due {
            if in_flight {
                return Some(Err(None));
            }
            think.due = false;
            think.since_pause = 0;
            think.until = now + think.pause;
            think.busy_since = think.until;
        }
        if now < think.until {
            return Some(Err(Some(think.until)));
        }
        think.submitted(now);
        None
    }

    /// Whether the queue may be filled again after it was full.
    #[cold]
    pub(super) fn may_refill(&mut self) -> bool {
        let low = self.low_depth.unwrap_or(u32::MAX);
        if self.free.is_empty() {
            self.refills = false;
        } else if self.in_flight() <= low {
            self.refills = true;
        }
        self.refills
    }

    /// Whether an I/O in flight touches the same bytes.
    pub(super) fn overlaps(&self, io: &Task) -> bool {
        let end = io.offset + u64::from(io.len);
        self.slots.iter().any(|s| {
            s.busy && s.file == io.file && s.offset < end && io.offset < s.offset + u64::from(s.len)
        })
    }

    /// A window of no length is over when it begins.
    pub(super) fn cool_where_nothing_is_measured(&mut self, start: u64) {
        if self.limits.cools(start) {
            self.cool();
        }
    }

    /// The window is over, and I/O continues: the worker's processor time is what it was until now.
    #[cold]
    pub(super) fn cool(&mut self) {
        self.cooling = true;
        self.drained_at = self.limits.cool_from;
        self.leave_window(self.drained_at);
        self.end.unissued = self.unissued_by(self.drained_at);
        self.note_unfinished(self.drained_at);
        if C::REAL {
            self.end.cpu_end = Some(self.cpu_so_far());
        }
    }
}
