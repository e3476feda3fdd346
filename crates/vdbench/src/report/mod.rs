//! The output directory of Vdbench: the files that its users read and their scripts parse, made from the
//! same events as everything else.
//!
//! Belongs here: columns, labels, file names and number formats as Vdbench 5.04.07 has them; all other
//! words are our own. Must never: compute a figure that the events do not hold (a processor share that
//! was not measured is `NaN` in a row and `n/a` in the flat file), write a file.
//!
//! [`Output`] takes events while a run continues and gives what is to be appended to which file, for people
//! who follow them with `tail -f`; [`files`] gives the same of a run that has ended. `resp` is the service
//! time in milliseconds, as there; the time from the intended start is in leadline's own report.
//!
//! What differs on purpose: a run that ends within its first interval or warm-up shows the figures of all
//! it did, where Vdbench has `NaN`; what comes in after the last whole interval belongs to that one.

mod clock;
mod columns;
mod cpu;
mod flat;
mod held;
mod histogram;
mod layout;
mod row;
mod scan;
mod sheets;
mod skew;
mod stage;
#[cfg(test)]
mod tests;

use crate::original::PlanOriginal;
use clock::Clock;
use cpu::Shares;
use held::Held;
use histogram::Bounds;
use layout::{Layout, Page, PageKind};
use leadline_model::event::{CpuInterval, CpuTime, Event, HostState, Outcome};
use leadline_model::facts::{Fact, FactKey};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Plan, Stage};
use leadline_model::units::Nanos;
use leadline_results::run::{HostPoint, Run};
use leadline_text::markup::content;
use row::Cpu;
use sheets::Sheets;
use stage::Current;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What the files cannot know by themselves.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory they will lie in, as the user named it.
    pub directory: String,
    /// Time zone of the dates shown.
    pub zone: jiff::tz::TimeZone,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            directory: "output".to_owned(),
            zone: jiff::tz::TimeZone::UTC,
        }
    }
}

/// The output directory of a running run.
#[derive(Debug)]
pub struct Output {
    options: Options,
    layout: Layout,
    bounds: Bounds,
    clock: Clock,
    /// Wall clock at the start of the run, milliseconds since 1970 UTC.
    wall_ms: u64,
    interval: Nanos,
    /// The stages as they run: those of the plan, then those that were added.
    stages: Vec<Stage>,
    /// How many were started.
    started: usize,
    /// How many processors each host has.
    cpus: BTreeMap<u32, f64>,
    current: Option<Current>,
    /// Labels of hosts.
    lost: Vec<String>,
    held: Held,
    /// Storage that gets no more I/O.
    removed: BTreeSet<String>,
    /// Lines that come before the first run starts.
    first: Vec<String>,
    sheets: Sheets,
    console: String,
}

/// A file's name.
fn html(name: &str) -> String {
    format!("{name}.html")
}

/// What a page shows of processors: those of its host, else the mean over all hosts.
fn of_page(page: &Page, cpu: &Shares) -> Option<Cpu> {
    match page.host {
        Some(host) => cpu.of(host),
        None => cpu.mean(),
    }
}

/// All files of a run that has ended, or as far as it came: (name, text). `summary.html` is the first.
#[must_use]
pub fn files(run: &Run, options: Options) -> Vec<(String, String)> {
    let run = &*run.in_intervals();
    let Some(plan) = &run.plan else {
        return Vec::new();
    };
    let mut output = Output::new(plan, options);
    output.begin(plan, run.wall_ms);
    output.facts(&run.facts);
    for news in &run.hosts {
        if let HostState::Connected { .. } = news.what {
            output.host(news.at, news.host, &news.what);
        }
    }
    for stage in &run.stages {
        if output.came_to_nothing(stage) {
            continue;
        }
        output.stage_started(stage.stage, stage.start, stage.wall_ms);
        let lost = run.hosts.iter().filter(|n| match &n.what {
            HostState::Lost { stage: at, .. } => at.unwrap_or(0) == stage.stage,
            _ => false,
        });
        lost.for_each(|n| output.host(n.at, n.host, &n.what));
        stage.processors.iter().for_each(|p| output.processors(p));
        if stage.points.is_empty() {
            let samples = stage.samples.iter();
            samples.for_each(|s| output.point(&HostPoint::of(s)));
        } else {
            stage.points.iter().for_each(|p| output.point(p));
        }
        stage.workers.iter().for_each(|w| output.worker(w));
        match stage.end {
            Some(end) => output.stage_over(end, &stage.cpus),
            None => output.stage_ended(None),
        }
    }
    run.findings.iter().for_each(|f| output.finding(f));
    if let Some(outcome) = &run.outcome {
        output.ended(run.length, outcome);
    }
    output.take_files()
}

impl Output {
    /// For a run of this plan: all its stages, also those whose rate is not known yet.
    #[must_use]
    pub fn new(plan: &Plan, options: Options) -> Self {
        Self {
            layout: Layout::of(plan),
            bounds: Bounds::of(&PlanOriginal::of(plan)),
            clock: Clock::new(options.zone.clone()),
            options,
            wall_ms: 0,
            interval: plan.interval.max(Nanos(1)),
            stages: Vec::new(),
            started: 0,
            cpus: BTreeMap::new(),
            current: None,
            lost: Vec::new(),
            held: None,
            first: Vec::new(),
            removed: BTreeSet::new(),
            sheets: Sheets::default(),
            console: String::new(),
        }
    }

    /// Lines for the console and the log before the first run starts.
    pub fn say_first(&mut self, lines: Vec<String>) {
        self.first.extend(lines);
    }

    /// Takes an event.
    pub fn take(&mut self, event: &Event) {
        if !self.hold(event) {
            self.take_at_once(event);
        }
    }

    fn take_at_once(&mut self, event: &Event) {
        match event {
            Event::RunStarted { plan, wall_ms } => self.begin(plan, *wall_ms),
            Event::Facts(facts) => self.facts(facts),
            Event::StageAdded(stage) => self.stages.push((**stage).clone()),
            Event::StageStarted { stage, at, wall_ms } => self.stage_started(*stage, *at, *wall_ms),
            Event::Interval(sample) => self.point(&HostPoint::of(sample)),
            Event::Processors(own) => self.processors(own),
            Event::WorkerEnded(totals) => self.worker(totals),
            Event::StageEnded { at, cpus, .. } => self.stage_over(*at, cpus),
            Event::Host(news) => self.host(news.at, news.host, &news.what),
            Event::Finding(finding) => self.finding(finding),
            Event::RunEnded { at, outcome } => self.ended(*at, outcome),
            _ => {}
        }
    }

    /// Names of the pages that a run of this plan has.
    #[must_use]
    pub fn names(plan: &Plan) -> Vec<String> {
        let mut output = Self::new(plan, Options::default());
        output.begin(plan, 0);
        let files = output.take_files().into_iter();
        files.map(|(name, _)| name).collect()
    }

    /// What is to be appended to which file since the last time; a name that was not there before is a
    /// new file.
    pub fn take_files(&mut self) -> Vec<(String, String)> {
        let texts = self.sheets.texts.iter_mut();
        let filled = texts.filter(|t| !t.1.is_empty());
        filled
            .map(|t| (t.0.clone(), std::mem::take(&mut t.1)))
            .collect()
    }

    /// What is to be printed since the last time.
    pub fn take_console(&mut self) -> String {
        std::mem::take(&mut self.console)
    }

    /// Wall clock of a moment of the run.
    fn wall(&self, at: Nanos) -> u64 {
        self.wall_ms + at.as_millis()
    }

    /// A line on the console and in the log, at a time in milliseconds since 1970 UTC.
    pub fn say(&mut self, wall_ms: u64, text: &str) {
        let line = format!("{} {text}\n", self.clock.time(wall_ms));
        self.console.push_str(&line);
        self.sheets.of("logfile.html").push_str(&content(&line));
    }

    fn status(&mut self, wall_ms: u64, text: &str) {
        let stamp = self.clock.stamp(wall_ms);
        let _ = writeln!(self.sheets.of("status.html"), "{stamp} \t{}", content(text));
    }

    fn begin(&mut self, plan: &Plan, wall_ms: u64) {
        self.wall_ms = wall_ms;
        self.stages.clone_from(&plan.stages);
        let created = self.clock.long(wall_ms);
        let directory = content(&self.options.directory);
        let time = self.clock.time(wall_ms);
        let sheets = self.layout.beginnings(plan, &directory, (&created, &time));
        for (name, text) in sheets {
            let title = format!("<title>leadline {directory}/{name}</title><pre>\n");
            let sheet = self.sheets.of(&name);
            sheet.push_str(&title);
            sheet.push_str(&text);
        }
        let text = format!("Created output directory '{}'", self.options.directory);
        self.say(wall_ms, &text);
        self.status(wall_ms, "Starting slaves");
    }

    fn facts(&mut self, facts: &[Fact]) {
        for fact in facts {
            if fact.key() == FactKey::CPU_COUNT
                && let Some(count) = fact.value.count()
            {
                self.cpus.insert(fact.host, count as f64);
            }
            let host = self.layout.host_label(fact.host).to_owned();
            let line = format!(
                "{host} {} {} {}: {}\n",
                fact.section, fact.subject, fact.name, fact.value
            );
            self.sheets.of("config.html").push_str(&content(&line));
        }
    }

    fn host(&mut self, at: Nanos, host: u32, what: &HostState) {
        let wall = self.wall(at);
        let label = self.layout.host_label(host).to_owned();
        match what {
            HostState::Connected { hostname, .. } => {
                self.status(wall, &format!("Slave {label}-0 ({hostname}) connected"));
            }
            HostState::Started { .. } => {}
            HostState::Lost { why, .. } => {
                let why = why.line();
                self.say(wall, &format!("host={label} is lost: {why}"));
                let line = format!("{} host={label} is lost: {why}\n", self.clock.time(wall));
                self.sheets.of("errorlog.html").push_str(&content(&line));
                if let Some(current) = &mut self.current {
                    current.lose(host);
                }
                self.note_lost(label);
                self.emit();
            }
        }
    }

    /// All hosts are there: the one that the user did not name is not reported otherwise.
    fn connected(&mut self, wall_ms: u64) {
        if !self.layout.has_hosts() {
            let slaves = self
                .layout
                .pages
                .iter()
                .filter(|p| p.kind == PageKind::Slave);
            let lines: Vec<String> = slaves
                .map(|p| format!("Slave {} connected", p.name))
                .collect();
            lines.iter().for_each(|line| self.status(wall_ms, line));
        }
        self.say(wall_ms, "All slaves are now connected");
        for line in std::mem::take(&mut self.first) {
            self.say(wall_ms, &line);
        }
    }

    fn stage_started(&mut self, number: u32, at: Nanos, wall_ms: u64) {
        self.stage_ended(None);
        let Some(stage) = self.stages.get(number as usize).cloned() else {
            return;
        };
        let wall_ms = if wall_ms > 0 { wall_ms } else { self.wall(at) };
        if self.started == 0 {
            self.connected(wall_ms);
            self.status(wall_ms, "Slaves connected");
            self.status(wall_ms, "Query host configuration started");
            self.status(wall_ms, "Query host configuration completed");
        }
        self.started += 1;
        let current = Current::new(&self.layout, stage, self.interval, wall_ms, self.started);
        let head = current.head();
        self.say(wall_ms, &head);
        self.console.push('\n');
        self.console
            .push_str(&row::header(&self.clock.date(wall_ms)));
        let time = self.clock.time(wall_ms);
        let anchor = format!(
            "\n<a name=\"_{}\"></a><i><b>{time} {}</b></i>\n\n",
            self.anchor_of(number),
            content(&head)
        );
        for (place, page) in self.layout.pages.iter().enumerate() {
            if !(current.uses(place) && page.written) {
                continue;
            }
            let sheet = self.sheets.of(&html(&page.file));
            sheet.push_str(&anchor);
            let _ = write!(sheet, "\n{}", row::header(&self.clock.date(wall_ms)));
            if page.kind.has_histogram() {
                self.sheets.of(&page.histogram()).push_str(&anchor);
            }
        }
        self.sheets.of("skew.html").push_str(&anchor);
        let totals = self.sheets.of("totals.html");
        totals.push_str(&anchor);
        if self.started == 1 {
            let _ = write!(totals, "\n{}", row::header(&self.clock.date(wall_ms)));
        }
        let text = format!("Starting\t{}", current.words());
        self.status(wall_ms, &text);
        self.current = Some(current);
    }

    fn point(&mut self, point: &HostPoint) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.point(&self.layout, point);
        let failed = point.data().errors;
        if failed > 0 {
            let line = format!(
                "{} interval {}: {failed} I/Os failed: {}\n",
                self.clock.time(current.end_of(point.interval)),
                point.interval + 1,
                current.place_of(&self.layout, point.workload, point.host)
            );
            self.sheets.of("errorlog.html").push_str(&content(&line));
        }
        self.emit();
    }

    fn processors(&mut self, own: &CpuInterval) {
        if let Some(current) = &mut self.current {
            current.processors_in(&self.layout, own);
        }
    }

    fn worker(&mut self, totals: &leadline_model::sample::WorkerTotals) {
        let Some(current) = &mut self.current else {
            return;
        };
        let cpus = self.cpus.get(&totals.host).copied();
        current.worker(&self.layout, totals, cpus);
        let place = current.place_of(&self.layout, totals.workload, totals.host);
        for (op, number, times) in &totals.errors {
            let what = std::io::Error::from_raw_os_error(*number);
            let line = format!("{place}: {op}: {what}, {times} times\n");
            self.sheets.of("errorlog.html").push_str(&content(&line));
        }
        let planned = current
            .planned(totals.workload)
            .filter(|w| w.on_error.removes.is_some() && !totals.errors.is_empty());
        if let Some(name) = planned.map(leadline_results::summary::target_name)
            && self.removed.insert(name.clone())
        {
            let wall = current.wall_of(totals.window_end);
            self.say_removed(wall, &name);
        }
        self.emit();
    }

    /// A storage gets no more I/O.
    fn say_removed(&mut self, wall_ms: u64, name: &str) {
        let text =
            format!("sd={name}: an I/O failed; the run sends it no more I/O (data_errors=remove)");
        self.say(wall_ms, &text);
        let line = format!("{} {text}\n", self.clock.time(wall_ms));
        self.sheets.of("errorlog.html").push_str(&content(&line));
    }

    /// Writes the rows that are complete.
    fn emit(&mut self) {
        let Some(mut current) = self.current.take() else {
            return;
        };
        while let Some(row) = current.next_row() {
            self.row(&current, &row);
        }
        if current.is_warm() {
            let text = format!("Warmup done\t{}", current.words());
            let wall = current.warm_at();
            self.status(wall, &text);
        }
        self.current = Some(current);
    }

    fn row(&mut self, current: &Current, row: &stage::Row) {
        let wall = row.wall_ms;
        let time = self.clock.time(wall);
        let label = (row.number + 1).to_string();
        let again = (row.number > 0 && row.number.is_multiple_of(30))
            .then(|| format!("\n{}", row::header(&self.clock.date(wall))));
        for (place, page) in self.layout.pages.iter().enumerate() {
            if !(current.uses(place) && page.written) {
                continue;
            }
            let figures = row::Figures::of(&row.cells[place], row.span);
            let cpu = of_page(page, &row.cpu);
            let line = row::line(&time, &label, &figures, cpu);
            let sheet = self.sheets.of(&html(&page.file));
            let mut out = vec![sheet];
            if page.kind == PageKind::Total {
                out.push(&mut self.console);
            }
            for text in out {
                text.push_str(again.as_deref().unwrap_or_default());
                text.push_str(&line);
            }
            if page.kind == PageKind::Total {
                let head = (time.as_str(), self.clock.stamp(wall));
                let line = flat::line(current, (head.0, &head.1), &label, &figures, cpu);
                self.sheets.of("flatfile.html").push_str(&content(&line));
            }
        }
    }

    fn stage_over(&mut self, at: Nanos, cpus: &[CpuTime]) {
        if let Some(current) = &mut self.current {
            current.processors(&self.layout, cpus);
        }
        self.stage_ended(Some(at));
    }

    fn stage_ended(&mut self, at: Option<Nanos>) {
        let Some(mut current) = self.current.take() else {
            return;
        };
        current.end_all();
        while let Some(row) = current.next_row() {
            self.row(&current, &row);
        }
        let wall = at.map_or_else(|| current.end_of(current.rows()), |at| self.wall(at));
        if current.is_warm() {
            let text = format!("Warmup done\t{}", current.words());
            self.status(current.warm_at(), &text);
        }
        self.averages(&current, wall);
        for what in ["Workload done", "Slaves done"] {
            let text = format!("{what}\t{}", current.words());
            self.status(wall, &text);
        }
    }

    fn averages(&mut self, current: &Current, wall: u64) {
        let time = self.clock.time(wall);
        let (label, cells, span) = current.averages();
        if current.is_whole() {
            self.say(
                wall,
                "The run ended within its first interval or its warm-up: what follows covers all \
                 of its I/O.",
            );
        }
        for (place, page) in self.layout.pages.iter().enumerate() {
            if !(current.uses(place) && page.written) {
                continue;
            }
            let figures = row::Figures::of(&cells[place], span);
            let cpu = of_page(page, current.cpu());
            let line = row::line(&time, &label, &figures, cpu);
            self.sheets.of(&html(&page.file)).push_str(&line);
            if page.kind.has_histogram() {
                let text = self.bounds.tables(current.latencies(place));
                self.sheets.of(&page.histogram()).push_str(&text);
            }
            if page.kind == PageKind::Total {
                self.console.push_str(&line);
                self.sheets.of("totals.html").push_str(&line);
                let stamp = self.clock.stamp(wall);
                let line = flat::line(current, (&time, &stamp), &label, &figures, cpu);
                self.sheets.of("flatfile.html").push_str(&content(&line));
            }
        }
        let text = skew::tables(&self.layout, current, &time, current.number == 1);
        self.sheets.of("skew.html").push_str(&content(&text));
        self.mark_lost(&time);
        self.warn_of_processors(current, &time);
    }

    fn warn_of_processors(&mut self, current: &Current, time: &str) {
        for (place, page) in self.layout.pages.iter().enumerate() {
            let busy = current.cpu().of(place).filter(|c| c.user + c.system > 80.0);
            let Some(busy) = busy.filter(|_| page.kind == PageKind::Host) else {
                continue;
            };
            let text = format!(
                "{time} * host={}: {:.1}% of its processor time was used; above 80% the host \
                 rather than the storage may limit the rate.\n",
                page.name,
                busy.user + busy.system
            );
            self.console.push_str(&text);
            self.sheets.of("summary.html").push_str(&content(&text));
        }
    }

    fn finding(&mut self, finding: &Finding) {
        let word = match finding.severity {
            Severity::Fail => "failed",
            Severity::Warn => "warning",
            Severity::Info => "note",
        };
        let text = format!(
            "{word}[{}]: {} {}\n",
            finding.code, finding.text, finding.cure
        );
        self.sheets.of("logfile.html").push_str(&content(&text));
    }

    fn ended(&mut self, at: Nanos, outcome: &Outcome) {
        self.stage_ended(Some(at));
        let wall = self.wall(at);
        self.status(wall, "Shutting down slaves");
        let time = self.clock.time(wall);
        let (words, end) = match outcome {
            // Scripts wait for these very words.
            Outcome::Complete => (
                "Vdbench execution completed successfully".to_owned(),
                "Vdbench complete",
            ),
            Outcome::CutShort => (
                "The run was interrupted by the user".to_owned(),
                "Cut short",
            ),
            Outcome::Failed(failure) => (format!("The run failed: {failure}"), "Failed"),
        };
        self.status(wall, end);
        let sheet = self.sheets.of("summary.html");
        let _ = writeln!(sheet, "{time} {}", content(&words));
        let text = format!("{words}. Output directory: {} ", self.options.directory);
        self.say(wall, &text);
        self.console.push('\n');
    }
}
