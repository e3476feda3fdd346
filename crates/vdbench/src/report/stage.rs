//! The run that continues: which rows are complete, and what they hold.

use super::cpu::{CpuTimes, Shares};
use super::layout::{Layout, PageKind};
use super::row::Cell;
use crate::original::{StageOriginal, WorkloadOriginal};
use leadline_model::event::{CpuInterval, CpuTime};
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::plan::{Stage, Workload};
use leadline_model::sample::WorkerTotals;
use leadline_model::units::Nanos;
use leadline_results::run::HostPoint;
use leadline_results::summary::window::own;
use std::collections::BTreeMap;

/// A stage that was started.
#[derive(Debug)]
pub(super) struct Current {
    /// How many were started with it.
    pub(super) number: usize,
    pub(super) stage: Stage,
    /// What its front end kept of it.
    pub(super) original: StageOriginal,
    /// The same of its workloads, in their order.
    pub(super) workloads: Vec<Option<WorkloadOriginal>>,
    wall_ms: u64,
    interval: Nanos,
    /// Pages with rows of this stage.
    used: Vec<bool>,
    /// The pages on which a workload of a host is counted.
    places: BTreeMap<(u32, u32), Vec<usize>>,
    pending: BTreeMap<u64, Slot>,
    units: BTreeMap<(u32, u32), HostWorkload>,
    /// Units that may still add to the next row.
    missing: usize,
    /// The next row.
    next: u64,
    /// The first row that counts, from 0.
    first: u64,
    /// How many rows there are to be; `None` = until the work is done.
    most: Option<u64>,
    measured: Sum,
    whole: Sum,
    latencies: Vec<[Latency; 2]>,
    cpu: Shares,
    /// What processors did in rows to come.
    times: BTreeMap<u64, CpuTimes>,
    /// Rows of the warm-up that was asked for.
    warmup: u64,
    warm_said: bool,
    ended: bool,
}

/// What all units counted in one row.
#[derive(Debug)]
struct Slot {
    cells: Vec<Cell>,
    start: Nanos,
    end: Nanos,
}

/// One workload on one host.
#[derive(Debug)]
struct HostWorkload {
    /// It adds to no row below this one.
    through: u64,
    /// Workers still at work.
    workers: u32,
}

#[derive(Debug)]
struct Sum {
    cells: Vec<Cell>,
    span: Nanos,
}

/// A complete row.
#[derive(Debug)]
pub(super) struct Row {
    /// From 0.
    pub(super) number: u64,
    /// By page.
    pub(super) cells: Vec<Cell>,
    pub(super) span: Nanos,
    /// Of the hosts' processors.
    pub(super) cpu: Shares,
    /// Wall clock at its end.
    pub(super) wall_ms: u64,
}

impl Current {
    pub(super) fn new(
        layout: &Layout,
        stage: Stage,
        interval: Nanos,
        wall_ms: u64,
        number: usize,
    ) -> Self {
        let pages = layout.pages.len();
        let sum = || Sum {
            cells: vec![Cell::default(); pages],
            span: Nanos::ZERO,
        };
        let mut empty = Latency::default();
        empty.pack();
        let mut current = Self {
            number,
            wall_ms,
            interval,
            used: vec![false; pages],
            places: BTreeMap::new(),
            pending: BTreeMap::new(),
            units: BTreeMap::new(),
            missing: 0,
            next: 0,
            first: 1,
            most: None,
            measured: sum(),
            whole: sum(),
            latencies: vec![[empty.clone(), empty]; pages],
            cpu: Shares::default(),
            times: BTreeMap::new(),
            warmup: 0,
            warm_said: false,
            ended: false,
            original: StageOriginal::of(&stage),
            workloads: stage.workloads.iter().map(WorkloadOriginal::of).collect(),
            stage,
        };
        current.find_rows();
        current.find_units(layout);
        current
    }

    /// Which rows count, and how many there are to be: as asked, or as the plan has it.
    fn find_rows(&mut self) {
        let rows = |s: f64| leadline_results::words::whole(s * 1e9 / self.interval.0 as f64);
        let planned = |of: fn(&leadline_model::plan::Stop) -> Option<Nanos>| {
            let all = self.stage.workloads.iter().filter_map(|w| of(&w.stop));
            all.max().map(Nanos::as_secs_f64)
        };
        let kept = !self.stage.original.is_empty();
        let warmup = kept.then_some(self.original.warmup as f64);
        let warmup = warmup.or_else(|| planned(|s| Some(s.warmup)));
        let elapsed = self.original.elapsed.map(|s| s as f64);
        let elapsed = elapsed.or_else(|| planned(|s| s.runtime));
        let warmup = rows(warmup.unwrap_or(0.0));
        self.most = elapsed.map(|e| (warmup + rows(e)).max(1));
        self.first = warmup.max(1);
        self.warmup = warmup;
    }

    fn find_units(&mut self, layout: &Layout) {
        let hosts = layout.pages.iter().filter(|p| p.kind == PageKind::Host);
        let hosts = u32::try_from(hosts.count()).unwrap_or(u32::MAX);
        self.used[0] = true;
        for (number, workload) in (0_u32..).zip(&self.stage.workloads) {
            let on: Vec<u32> = if workload.hosts.is_all() && !layout.has_hosts() {
                vec![0]
            } else {
                workload.hosts.among(hosts).collect()
            };
            for host in on {
                let unit = HostWorkload {
                    through: 0,
                    workers: workload.clones.max(1),
                };
                self.units.insert((number, host), unit);
                let places = layout.places(workload, host);
                for page in &places {
                    self.used[*page] = true;
                }
                self.places.insert((number, host), places);
            }
        }
        self.count_missing();
    }

    fn count_missing(&mut self) {
        let late = self.units.values().filter(|u| u.through <= self.next);
        self.missing = late.count();
    }

    /// Whether a page has rows of this stage.
    pub(super) fn uses(&self, place: usize) -> bool {
        self.used[place]
    }

    /// The name of the run.
    pub(super) fn name(&self) -> &str {
        &self.original.run
    }

    /// The line that says that it starts.
    pub(super) fn head(&self) -> String {
        let rate = self.original.rate_line(&self.stage);
        let planned = self.stage.workloads.iter().filter_map(|w| w.stop.runtime);
        let planned = planned.max().map(|t| format!("{}", t.as_secs_f64()));
        let elapsed = self.original.elapsed.map(|s| s.to_string()).or(planned);
        let warmup = match self.original.warmup {
            0 => String::new(),
            warmup => format!(" warmup={warmup}"),
        };
        format!(
            "Starting RD={}; I/O rate: {rate}; elapsed={}{warmup}; For loops: {}",
            self.name(),
            elapsed.as_deref().unwrap_or("(none)"),
            self.original.loops()
        )
    }

    /// How the status names it.
    pub(super) fn words(&self) -> String {
        format!("rd={}\tFor loops: {}", self.name(), self.original.loops())
    }

    /// Wall clock at the end of a row.
    pub(super) fn end_of(&self, row: u64) -> u64 {
        let rows = (row + 1).min(self.most.unwrap_or(u64::MAX));
        self.wall_ms + rows.saturating_mul(self.interval.0) / 1_000_000
    }

    /// Wall clock so long after the start.
    pub(super) const fn wall_of(&self, at: Nanos) -> u64 {
        self.wall_ms + at.0 / 1_000_000
    }

    /// A workload as it was asked for.
    pub(super) fn planned(&self, workload: u32) -> Option<&Workload> {
        self.stage.workloads.get(workload as usize)
    }

    /// Where a workload's I/Os go, in words.
    pub(super) fn place_of(&self, layout: &Layout, workload: u32, host: u32) -> String {
        let Some(planned) = self.stage.workloads.get(workload as usize) else {
            return String::new();
        };
        let page = layout.host(planned, host);
        let host = page.map_or("", |p| layout.pages[p].name.as_str());
        format!(
            "host={host},sd={},wd={},lun={}",
            leadline_results::summary::target_name(planned),
            planned.definition(),
            WorkloadOriginal::of(planned).map_or_else(String::new, |w| w.lun)
        )
    }

    /// Takes what one workload did on one host in one interval.
    pub(super) fn point(&mut self, layout: &Layout, point: &HostPoint) {
        let Some(places) = self.places.get(&(point.workload, point.host)) else {
            return;
        };
        let last = self.most.map_or(u64::MAX, |most| most - 1);
        // What ends after the last whole interval belongs to it; what comes too late, to the next row.
        let row = point.interval.min(last).max(self.next);
        let pages = layout.pages.len();
        let end = Nanos(point.start.0 + point.length.0);
        let slot = self.pending.entry(row).or_insert_with(|| Slot {
            cells: vec![Cell::default(); pages],
            start: point.start,
            end,
        });
        slot.start = slot.start.min(point.start);
        slot.end = slot.end.max(end);
        for page in places {
            slot.cells[*page].add(point);
        }
        // The interval that the end of the warm-up cuts comes in two parts.
        let cut = point.warmup && point.interval + 1 > self.first;
        let through = point.interval + u64::from(!cut);
        let through = if through > last { last } else { through };
        self.pass((point.workload, point.host), through);
    }

    fn pass(&mut self, unit: (u32, u32), through: u64) {
        if let Some(unit) = self.units.get_mut(&unit) {
            let before = unit.through;
            unit.through = before.max(through);
            if before <= self.next && unit.through > self.next {
                self.missing -= 1;
            }
        }
    }

    /// Takes the end of a worker; `cpus` = processors of its host.
    pub(super) fn worker(&mut self, layout: &Layout, totals: &WorkerTotals, cpus: Option<f64>) {
        let Some(planned) = self.stage.workloads.get(totals.workload as usize) else {
            return;
        };
        let key = (totals.workload, totals.host);
        let places = self.places.get(&key).into_iter().flatten().copied();
        for page in places.filter(|p| layout.pages[*p].kind.has_histogram()) {
            for (op, into) in [Op::Read, Op::Write]
                .into_iter()
                .zip(&mut self.latencies[page])
            {
                if let Some(counts) = totals.counts.op(op) {
                    let mut service = counts.service.clone();
                    service.pack();
                    into.merge(&service);
                }
            }
        }
        let (start, end) = own(totals);
        let span = end.since(start).0 as f64;
        if let (Some(cpus), Some(page)) = (cpus, layout.host(planned, totals.host)) {
            let share = |time: Nanos| time.0 as f64 * 100.0 / span.max(1.0) / cpus.max(1.0);
            let (user, system) = (share(totals.cpu.user), share(totals.cpu.system));
            self.cpu.workers(page, user, system);
        }
        let left = self.units.get_mut(&key).map(|unit| {
            unit.workers = unit.workers.saturating_sub(1);
            unit.workers
        });
        if left == Some(0) {
            self.pass(key, u64::MAX);
        }
    }

    /// What the processors of the hosts did over the measured time, all processes together: better than
    /// the workers' own time, where it is known.
    pub(super) fn processors(&mut self, layout: &Layout, all: &[CpuTime]) {
        let mut times = CpuTimes::default();
        all.iter().for_each(|cpu| times.processor(layout, cpu));
        self.cpu.replace(times.shares());
    }

    /// What the processors of a host did in an interval.
    pub(super) fn processors_in(&mut self, layout: &Layout, own: &CpuInterval) {
        let last = self.most.map_or(u64::MAX, |most| most - 1);
        let row = own.interval.min(last);
        // A row that is written stays as it is.
        if row >= self.next {
            self.times.entry(row).or_default().interval(layout, own);
        }
    }

    /// Nothing more comes from this host.
    pub(super) fn lose(&mut self, host: u32) {
        let keys: Vec<_> = self.units.keys().filter(|k| k.1 == host).copied().collect();
        keys.into_iter().for_each(|key| self.pass(key, u64::MAX));
    }

    /// Nothing more comes at all.
    pub(super) fn end_all(&mut self) {
        self.ended = true;
        self.missing = 0;
    }

    /// The next row, if it is complete.
    pub(super) fn next_row(&mut self) -> Option<Row> {
        if self.missing > 0 {
            return None;
        }
        let last = self.pending.keys().next_back().copied()?;
        let number = self.next;
        if number > last {
            return None;
        }
        let slot = self.pending.remove(&number);
        let times = self.times.remove(&number).unwrap_or_default();
        let nominal = self.end_of(number);
        let (cells, span, wall_ms) = match slot {
            Some(slot) => {
                let end = self.wall_ms + slot.end.0.div_ceil(1_000_000);
                (slot.cells, slot.end.since(slot.start), nominal.min(end))
            }
            None => (
                vec![Cell::default(); self.used.len()],
                self.interval,
                nominal,
            ),
        };
        let counts = number >= self.first;
        for sum in [Some(&mut self.whole), counts.then_some(&mut self.measured)] {
            let Some(sum) = sum else { continue };
            sum.span = Nanos(sum.span.0 + span.0);
            sum.cells
                .iter_mut()
                .zip(&cells)
                .for_each(|(a, b)| a.merge(b));
        }
        self.next += 1;
        if !self.ended {
            self.count_missing();
        }
        Some(Row {
            number,
            cells,
            span,
            cpu: times.shares(),
            wall_ms,
        })
    }

    /// How many rows there were.
    pub(super) const fn rows(&self) -> u64 {
        self.next
    }

    /// Whether the warm-up is over and that was not said.
    pub(super) fn is_warm(&mut self) -> bool {
        let now = self.warmup > 0 && !self.warm_said && self.next >= self.first;
        self.warm_said |= now;
        now
    }

    /// Wall clock at the end of the warm-up.
    pub(super) fn warm_at(&self) -> u64 {
        self.end_of(self.first.saturating_sub(1))
    }

    /// Whether the averages are of all that was done, because nothing is after the warm-up.
    pub(super) const fn is_whole(&self) -> bool {
        self.next <= self.first
    }

    /// Label, sums by page, and the time they are about.
    pub(super) fn averages(&self) -> (String, &[Cell], Nanos) {
        let (first, sum) = if self.is_whole() {
            (1, &self.whole)
        } else {
            (self.first + 1, &self.measured)
        };
        (
            format!("avg_{first}-{}", self.next.max(1)),
            &sum.cells,
            sum.span,
        )
    }

    /// Latencies of reads and writes in the measured time.
    pub(super) fn latencies(&self, place: usize) -> &[Latency; 2] {
        &self.latencies[place]
    }

    /// Shares of the hosts' processors over the measured time.
    pub(super) const fn cpu(&self) -> &Shares {
        &self.cpu
    }
}
