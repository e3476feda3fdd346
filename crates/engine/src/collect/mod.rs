//! What workers hand over becomes events: interval samples that are final and exact, ticks for live
//! views, totals at the end. Runs on the thread that started the stage, at its own pace; a slow sink
//! delays events and never the workers.

mod group;
mod until;

use crate::clock::Clock;
use crate::program::Program;
use crate::worker::cell::Cell;
use crate::worker::link::{Message, Returns, WorkerEnd};
use group::Group;
use leadline_model::event::{Event, Tick};
use leadline_model::plan::{EndsOthers, Plan, Until};
use leadline_model::sample::{Counts, CpuUse, EndReason, Sample, WorkerTotals};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

/// Where ticks become times: nanoseconds from the start of the stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<C> {
    pub(crate) clock: C,
    pub(crate) tick: u64,
}

impl<C: Clock> Origin<C> {
    pub(crate) fn time(&self, tick: u64) -> Nanos {
        Nanos(self.clock.nanos(tick.saturating_sub(self.tick)))
    }
}

/// A worker as the collector knows it.
struct Member {
    workload: usize,
    number: u32,
    seed: u64,
    returns: Returns,
    /// All slices below this one are complete.
    through: u64,
    /// Start of its time, once known.
    start: Option<Nanos>,
    totals: Counts,
    /// What belongs to them of an interval, its number beside it, until it is surely over; only where totals so far are
    /// shown.
    newest: (u64, Counts),
    /// Of them by file, where that is counted.
    files: Vec<Counts>,
    warmup_ios: u64,
    ended: bool,
}

impl Member {
    /// The interval that was the newest is over.
    fn add_newest(&mut self) {
        let newest = std::mem::take(&mut self.newest.1);
        self.totals.merge(&newest);
    }
}

/// Collects one stage.
pub(crate) struct Collector<'a> {
    stage: u32,
    /// Nanoseconds of a slice, which cells and samples are of.
    slice: u64,
    /// How many of them are an interval, which ticks are of.
    cuts: u64,
    members: Vec<Member>,
    groups: Vec<Group>,
    /// What all workers counted in each recent interval, for live views.
    live: BTreeMap<u64, Counts>,
    /// How often totals are reported before their time, and when next.
    until: until::Sums,
    so_far: Option<(Nanos, Nanos)>,
    /// They were requested, and are reported at the next tick.
    asked: bool,
    sink: &'a mut dyn FnMut(Event),
}

/// What the end of a worker asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Consequence {
    /// Nothing.
    None,
    /// These members must end.
    Stop(Vec<usize>),
    /// Everything must end, later stages too.
    StopAll,
}

impl<'a> Collector<'a> {
    pub(crate) fn new<'p>(
        stage: u32,
        plan: &Plan,
        programs: impl IntoIterator<Item = &'p Program>,
        returns: Vec<Returns>,
        sink: &'a mut dyn FnMut(Event),
    ) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let mut members = Vec::with_capacity(returns.len());
        for (program, returns) in programs.into_iter().zip(returns) {
            let place = (program.host, program.workload_index);
            let known = groups.iter().rposition(|g| (g.host, g.number) == place);
            let index = known.unwrap_or(groups.len());
            if known.is_none() {
                groups.push(Group::of(program));
            }
            groups[index].add(program);
            members.push(Member {
                workload: index,
                number: program.worker,
                seed: program.seed,
                returns,
                through: 0,
                start: None,
                totals: Counts::default(),
                newest: (0, Counts::default()),
                files: Vec::new(),
                warmup_ios: 0,
                ended: false,
            });
        }
        Self {
            stage,
            slice: plan.slice().0,
            cuts: plan.cuts(),
            members,
            groups,
            live: BTreeMap::new(),
            so_far: None,
            asked: false,
            until: until::Sums::default(),
            sink,
        }
    }

    /// Reports what each worker has counted until then, this often.
    pub(crate) fn report_partial_totals(&mut self, every: Option<Nanos>) {
        self.so_far = every.map(|every| (every, every));
    }

    /// Reports the same once, with the next tick.
    pub(crate) fn report_partial_totals_once(&mut self) {
        self.asked = true;
    }

    /// Ends the stage when so much was counted.
    pub(crate) fn end_at(&mut self, limits: Until) {
        self.until = until::Sums::new(limits);
    }

    /// Passes an event on.
    pub(crate) fn send(&mut self, event: Event) {
        (self.sink)(event);
    }

    /// A worker's time has started.
    pub(crate) fn started(&mut self, worker: usize, at: Nanos) {
        let interval = at.0 / self.slice;
        let member = &mut self.members[worker];
        member.start = Some(at);
        member.through = interval;
        let group = &mut self.groups[member.workload];
        group.next = Some(group.next.map_or(interval, |n| n.min(interval)));
        // Found out when it is first needed.
        (group.bound, group.at_bound) = (u64::MAX, 0);
    }

    /// Whether a worker is still at work.
    pub(crate) fn is_running(&self, worker: usize) -> bool {
        !self.members[worker].ended
    }

    /// Whether a worker's time has begun.
    pub(crate) fn has_started(&self, worker: usize) -> bool {
        self.members[worker].start.is_some()
    }

    /// How many workers are still at work.
    pub(crate) fn running(&self) -> usize {
        self.groups.iter().map(|g| g.running as usize).sum()
    }

    /// Whether all workers of a host's workloads of this name have ended.
    pub(crate) fn has_ended(&self, host: u32, name: &str) -> bool {
        self.groups
            .iter()
            .filter(|g| g.host == host && g.name == name)
            .all(|g| g.running == 0)
    }

    /// When a worker stops by itself, if it runs by time and has started.
    pub(crate) fn expected_end(&self, worker: usize) -> Option<Nanos> {
        let member = &self.members[worker];
        let group = &self.groups[member.workload];
        Some(Nanos(member.start?.0 + group.warmup.0 + group.runtime?.0))
    }

    /// When a worker takes no more I/O: after its window, where I/O continues uncounted.
    pub(crate) fn expected_stop(&self, worker: usize) -> Option<Nanos> {
        let group = &self.groups[self.members[worker].workload];
        Some(Nanos(self.expected_end(worker)?.0 + group.cooldown.0))
    }

    /// The measured window of the stage as far as it is known ahead: from the first worker's to the end
    /// of the last one's; `None` in place of an end = it is not a matter of time. `None` before any worker
    /// has started.
    pub(crate) fn expected_window(&self) -> Option<(Nanos, Option<Nanos>)> {
        let mut window: Option<(Nanos, Option<Nanos>)> = None;
        for (worker, member) in self.members.iter().enumerate() {
            let Some(start) = member.start else { continue };
            let from = Nanos(start.0 + self.groups[member.workload].warmup.0);
            let to = self.expected_end(worker);
            let (first, last) = window.unwrap_or((from, to));
            window = Some((first.min(from), last.zip(to).map(|(last, to)| last.max(to))));
        }
        window
    }

    /// Takes a message of a worker.
    pub(crate) fn take<C: Clock>(&mut self, message: Message, origin: &Origin<C>) -> Consequence {
        match message {
            Message::Cell { worker, mut cell } => {
                cell.sum_up();
                self.take_cell(worker, &cell);
                // Where the last cell's interval ends is known with the worker's end.
                let through = match cell.warmup || cell.last {
                    true => cell.interval,
                    false => cell.next.max(cell.interval + 1),
                };
                let looks = cell.last || self.is_over(self.members[worker].through, through);
                cell.clear();
                // A worker that has gone needs no cell any more.
                let _ = self.members[worker].returns.try_send(cell);
                self.advance(worker, through);
                if looks && self.until.is_reached() {
                    let all = (0..self.members.len()).filter(|&i| !self.members[i].ended);
                    return Consequence::Stop(all.collect());
                }
                Consequence::None
            }
            Message::Ended { worker, end } => self.take_end(worker, *end, origin),
        }
    }

    /// Whether an interval is over when all slices below `through` are, as those below `before` were.
    fn is_over(&self, before: u64, through: u64) -> bool {
        self.cuts == 1 || through / self.cuts > before / self.cuts
    }

    fn take_cell(&mut self, worker: usize, cell: &Cell) {
        let member = &mut self.members[worker];
        if cell.is_empty() {
            return;
        }
        let (ios, bytes) = cell.counts.data();
        if cell.warmup {
            member.warmup_ios += ios;
        } else {
            if self.so_far.is_some() && self.cuts > 1 {
                let interval = cell.interval / self.cuts;
                if interval > member.newest.0 {
                    member.add_newest();
                    member.newest.0 = interval;
                }
                cell.counts.add_to(&mut member.newest.1);
            } else {
                cell.counts.add_to(&mut member.totals);
            }
            member.files.resize(cell.files.len(), Counts::default());
            member
                .files
                .iter_mut()
                .zip(&cell.files)
                .for_each(|(all, own)| own.add_to(all));
            self.until.add(&cell.counts);
        }
        let group = &mut self.groups[member.workload];
        group.bytes += bytes;
        let part = group.part(cell.interval, !cell.warmup);
        cell.counts.add_to(&mut part.counts);
        if let Some(own) = part.workers.get_mut(member.number as usize) {
            own.0 += ios;
            own.1 += bytes;
        }
        let whole = std::slice::from_ref(&cell.counts);
        let parts = if cell.files.is_empty() {
            whole
        } else {
            &cell.files
        };
        let first = member.number as usize * parts.len();
        for (own, counts) in part.moments.iter_mut().skip(first).zip(parts) {
            for (op, counts) in counts.each().filter(|(op, _)| op.is_data()) {
                own.entry(op).add(counts);
            }
        }
        let interval = cell.interval / self.cuts;
        cell.counts.add_to(self.live.entry(interval).or_default());
        while self.live.len() > 3 {
            self.live.pop_first();
        }
    }

    /// A worker can no longer add to intervals below `through` (`u64::MAX` = to any): sends those that no
    /// other worker of its workload can add to either. Looks at all workers only when the last of those
    /// that were furthest behind has moved, so that thousands of workers cost no more than their sum.
    fn advance(&mut self, worker: usize, through: u64) {
        let member = &mut self.members[worker];
        let before = std::mem::replace(&mut member.through, through);
        let workload = member.workload;
        let group = &mut self.groups[workload];
        if before > group.bound || through == before {
            return;
        }
        group.at_bound = group.at_bound.saturating_sub(1);
        if group.at_bound == 0 {
            self.find_bound(workload);
            self.emit_complete(workload);
        }
    }

    /// Who is furthest behind.
    fn find_bound(&mut self, workload: usize) {
        let (mut bound, mut count) = (u64::MAX, 0);
        for member in self.members.iter().filter(|m| m.workload == workload) {
            if member.through < bound {
                (bound, count) = (member.through, 0);
            }
            count += usize::from(member.through == bound);
        }
        let group = &mut self.groups[workload];
        (group.bound, group.at_bound) = (bound, count);
    }

    /// Sends the intervals of a workload that no worker can add to any more.
    fn emit_complete(&mut self, workload: usize) {
        let group = &self.groups[workload];
        let Some(first) = group.next else { return };
        // With all workers gone, what is left ends where the last of them did.
        let over = group.bound == u64::MAX;
        let last = if over {
            group.last_interval(self.slice)
        } else {
            group.bound
        };
        for interval in first..last {
            self.emit_interval(workload, interval, over);
        }
        self.groups[workload].next = Some(first.max(last));
    }

    fn emit_interval(&mut self, workload: usize, interval: u64, over: bool) {
        let mine = self.members.iter().filter(|m| m.workload == workload);
        let start = mine.filter_map(|m| m.start).min().unwrap_or_default();
        let group = &mut self.groups[workload];
        let lo = (interval * self.slice).max(start.0);
        let hi = (interval + 1) * self.slice;
        let hi = if over {
            hi.min(group.last_end.0).max(lo)
        } else {
            hi
        };
        // The warm-up's end may cut the interval in two.
        let cut = (start.0 + group.warmup.0).clamp(lo, hi);
        for (from, to, measured) in [(lo, cut, false), (cut, hi, true)] {
            let part = group.pending.remove(&(interval, measured));
            if from >= to && part.is_none() {
                continue;
            }
            let part = part.unwrap_or_else(|| group.zero());
            (self.sink)(Event::Interval(Box::new(Sample {
                host: group.host,
                stage: self.stage,
                workload: group.number,
                interval,
                start: Nanos(from),
                length: Nanos(to - from),
                warmup: !measured,
                counts: part.counts,
                workers: part.workers,
                moments: part.moments,
            })));
        }
    }

    fn take_end<C: Clock>(
        &mut self,
        worker: usize,
        end: WorkerEnd,
        origin: &Origin<C>,
    ) -> Consequence {
        let member = &mut self.members[worker];
        if member.ended {
            return Consequence::None;
        }
        member.ended = true;
        member.add_newest();
        let workload = member.workload;
        let reason = end.reason.unwrap_or(EndReason::Other);
        let totals = WorkerTotals {
            host: self.groups[workload].host,
            stage: self.stage,
            workload: self.groups[workload].number,
            worker: member.number,
            thread_id: end.thread_id,
            first_submit: end.first_submit.map(|t| origin.time(t)),
            window_start: origin.time(end.window_start),
            window_end: origin.time(end.window_end),
            counts: std::mem::take(&mut member.totals),
            warmup_ios: member.warmup_ios,
            unissued: end.unissued,
            edge: end.edge,
            drain: end
                .drain
                .map(|drain| drain.into_drain(|tick| origin.time(tick), end.edge)),
            cpu: end.cpu,
            seed: member.seed,
            errors: end.errors,
            end: reason.clone(),
            files: std::mem::take(&mut member.files),
        };
        let failed = !totals.errors.is_empty();
        let group = &mut self.groups[workload];
        group.running -= 1;
        group.last_end = group.last_end.max(totals.window_end);
        self.advance(worker, u64::MAX);
        self.send(Event::WorkerEnded(Box::new(totals)));
        self.consequence(worker, &reason, failed)
    }

    fn consequence(&self, worker: usize, reason: &EndReason, failed: bool) -> Consequence {
        let group = &self.groups[self.members[worker].workload];
        if matches!(reason, EndReason::Error { .. }) && group.end_all_on_error {
            return Consequence::StopAll;
        }
        let others = |same: &dyn Fn(&Group) -> bool| {
            let hit = |m: &Member| !m.ended && same(&self.groups[m.workload]);
            Consequence::Stop(
                (0..self.members.len())
                    .filter(|&i| hit(&self.members[i]))
                    .collect(),
            )
        };
        let marked = |m: &Member| {
            !m.ended && self.groups[m.workload].ends_others == EndsOthers::StageTogether
        };
        // Hosts end their own; what is said of all together is so of all hosts.
        let here = |g: &Group| g.host == group.host;
        if failed && group.removes.is_some() {
            let stays = |m: &Member| self.groups[m.workload].removes != group.removes;
            let last = group.ends_others == EndsOthers::StageTogether
                && !self.members.iter().any(|m| marked(m) && stays(m));
            return others(&|g| last || here(g) && g.removes == group.removes);
        }
        if matches!(reason, EndReason::Other | EndReason::Interrupted) {
            return Consequence::None;
        }
        match group.ends_others {
            EndsOthers::None => Consequence::None,
            EndsOthers::Group => others(&|g| here(g) && g.report_group == group.report_group),
            EndsOthers::Stage => others(&here),
            EndsOthers::StageTogether => {
                if self.members.iter().any(marked) {
                    Consequence::None
                } else {
                    others(&|_| true)
                }
            }
            EndsOthers::All => Consequence::StopAll,
        }
    }

    /// Reports to live views where the stage is; `at` is shortly after an interval's end.
    pub(crate) fn tick(&mut self, at: Nanos) {
        let mut due = std::mem::take(&mut self.asked);
        if let Some((every, next)) = self.so_far
            && at >= next
        {
            let passed = at.0 / every.0.max(1);
            self.so_far = Some((every, Nanos((passed + 1) * every.0)));
            due = true;
        }
        if due {
            self.send_so_far(at);
        }
        let length = self.slice * self.cuts;
        let interval = (at.0 / length).saturating_sub(1);
        let counts = self.live.get(&interval).cloned().unwrap_or_default();
        let expected = (0..self.members.len())
            .filter_map(|i| self.expected_stop(i))
            .max();
        let done = match expected {
            Some(length) => Some((at.as_secs_f64() / length.as_secs_f64().max(1e-9)).min(1.0)),
            None => self.share_of_bytes(),
        };
        let in_warmup = |m: &Member| {
            m.start
                .is_none_or(|s| at.0 < s.0 + self.groups[m.workload].warmup.0)
        };
        let tick = Tick {
            stage: self.stage,
            at,
            expected,
            running: u32::try_from(self.running()).unwrap_or(u32::MAX),
            done,
            warmup: self.running() > 0 && self.members.iter().filter(|m| !m.ended).all(in_warmup),
            counts,
            span: Nanos(length),
        };
        self.send(Event::Tick(Box::new(tick)));
    }

    /// What those that are at work have counted in their windows, as far as they have handed it over: to the end of the
    /// interval before `at`, where that is known apart.
    fn send_so_far(&mut self, at: Nanos) {
        let (length, apart) = (
            self.slice * self.cuts,
            self.so_far.is_some() && self.cuts > 1,
        );
        let over = at.0 / length;
        for worker in 0..self.members.len() {
            let member = &self.members[worker];
            let (Some(start), false) = (member.start, member.ended) else {
                continue;
            };
            let group = &self.groups[member.workload];
            let window_start = Nanos(start.0 + group.warmup.0);
            let through = member.through.saturating_mul(self.slice);
            let through = Nanos(if apart {
                through.min(over * length)
            } else {
                through
            });
            let mut counts = member.totals.clone();
            if member.newest.0 < over {
                counts.merge(&member.newest.1);
            }
            let totals = WorkerTotals {
                host: group.host,
                stage: self.stage,
                workload: group.number,
                worker: member.number,
                thread_id: 0,
                first_submit: Some(start),
                window_start,
                window_end: through.max(window_start),
                counts,
                warmup_ios: member.warmup_ios,
                unissued: 0,
                edge: 0,
                drain: None,
                cpu: CpuUse::default(),
                seed: member.seed,
                errors: Vec::new(),
                end: EndReason::Other,
                files: member.files.clone(),
            };
            self.send(Event::PartialTotals(Box::new(totals)));
        }
    }

    fn share_of_bytes(&self) -> Option<f64> {
        let mut sums = (0_u64, 0_u64);
        for group in &self.groups {
            sums = (
                sums.0 + group.bytes,
                sums.1.saturating_add(group.total_bytes?),
            );
        }
        (sums.1 > 0).then(|| (sums.0 as f64 / sums.1 as f64).min(1.0))
    }
}
