//! What hosts send, passed on: checked, given the host's number, and put together where one line is enough.

use super::host::State;
use super::stage::{Known, StageProgress};
use super::{Controller, Sink};
use crate::message::FromAgent;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{CpuInterval, Event};
use leadline_model::finding::{Finding, Severity};
use leadline_model::histogram::Histogram;
use leadline_model::latency::Latency;
use leadline_model::sample::{Counts, CpuUse, EndReason, OpCounts, Parts, Sample, WorkerTotals};
use leadline_model::units::{Nanos, number_of};

/// Facts and findings a host may send in a run.
const MOST_REPORTS: usize = 20_000;

/// How often the progress of preparing is reported.
const PREPARING_EVERY: u64 = 250_000_000;

/// Most I/Os a host can have done in a run, a year at 9 million a second; and most bytes, 256 PiB. Beyond it no
/// count can be true, and sums of several would not fit their numbers.
const MOST_IOS: u64 = 1 << 48;
const MOST_BYTES: u64 = 1 << 58;

/// The number of `EHOSTDOWN`: what ends the workers of a host that is gone.
const HOST_DOWN: i32 = 112;

/// A message's name, for words about it.
pub(super) const fn name(message: &FromAgent) -> &'static str {
    match message {
        FromAgent::Hello { .. } => "a greeting",
        FromAgent::Pong { .. } => "the time",
        FromAgent::Looked { .. } => "a check result",
        FromAgent::Ready { .. } => "a ready message",
        FromAgent::Alive => "a keep-alive message",
        FromAgent::Events(_) => "events",
        FromAgent::StageDone { .. } => "the end of a stage",
        FromAgent::Failed(_) => "the failure of a stage",
        FromAgent::Bye => "goodbye",
    }
}

impl Controller {
    /// An event of a host; what is wrong with it, if anything.
    pub(super) fn event(
        &mut self,
        number: usize,
        event: Event,
        sink: &mut Sink<'_>,
    ) -> Result<(), String> {
        let host = u32::try_from(number).unwrap_or(u32::MAX);
        match event {
            Event::Interval(sample) => self.sample(number, host, *sample, sink),
            Event::WorkerEnded(totals) => self.worker(number, host, *totals, sink),
            Event::Facts(mut facts) => {
                self.hosts[number].count_reports(facts.len())?;
                facts.iter_mut().for_each(|fact| fact.host = host);
                sink(Event::Facts(facts));
                Ok(())
            }
            Event::Finding(finding) => {
                self.hosts[number].count_reports(1)?;
                let finding = self.own_finding(number, finding);
                sink(Event::Finding(finding));
                Ok(())
            }
            Event::Preparing {
                what, done, total, ..
            } => {
                if let Some(running_stage) = &mut self.running_stage {
                    running_stage.preparing.insert(host, (what, done, total));
                    running_stage.preparing_new = true;
                }
                Ok(())
            }
            Event::PartialTotals(mut totals) => {
                if let Some(running_stage) = &self.running_stage {
                    let known =
                        running_stage.own_workload(number, totals.stage, totals.workload)?;
                    if !is_countable(&totals.counts) {
                        return Err("totals so far that are out of range".to_owned());
                    }
                    (totals.host, totals.workload) = (host, known);
                    sink(Event::PartialTotals(totals));
                }
                Ok(())
            }
            Event::Processors(own) => self.processors(number, host, *own, sink),
            ended @ Event::StageEnded { .. } => {
                if let Some(running_stage) = &mut self.running_stage {
                    running_stage.host_ended(host, ended);
                }
                Ok(())
            }
            _ => Err("an event that a host does not send".to_owned()),
        }
    }

    /// A finding of a host, with its label before it.
    fn own_finding(&self, number: usize, mut finding: Finding) -> Finding {
        finding.text = format!("{}: {}", self.hosts[number].label, finding.text);
        let running_stage = self.running_stage.as_ref();
        finding.stage = running_stage.map(|c| c.number).or(finding.stage);
        let part = running_stage.and_then(|c| c.parts.get(number)?.as_ref());
        finding.workload = finding
            .workload
            .and_then(|w| part?.workloads.get(w as usize).copied());
        finding
    }

    fn sample(
        &mut self,
        number: usize,
        host: u32,
        mut sample: Sample,
        sink: &mut Sink<'_>,
    ) -> Result<(), String> {
        let now = (self.tools.now)();
        let running = matches!(self.hosts[number].state, State::Running);
        let Some(running_stage) = self.running_stage.as_mut().filter(|_| running) else {
            return Err("an interval without a stage".to_owned());
        };
        sample.host = host;
        sample.workload = running_stage.own_workload(number, sample.stage, sample.workload)?;
        running_stage.check(&sample, now)?;
        running_stage
            .known
            .entry((host, sample.workload))
            .or_default()
            .add(&sample)?;
        running_stage.pulse.sample(&sample);
        let met = running_stage.rules.sample(&sample);
        sink(Event::Interval(Box::new(sample)));
        if met.is_some() {
            self.halt();
        }
        Ok(())
    }

    /// Processor time of an interval: of intervals that follow each other.
    fn processors(
        &mut self,
        number: usize,
        host: u32,
        mut own: CpuInterval,
        sink: &mut Sink<'_>,
    ) -> Result<(), String> {
        let now = (self.tools.now)();
        let running = matches!(self.hosts[number].state, State::Running);
        let Some(running_stage) = self.running_stage.as_mut().filter(|_| running) else {
            return Err("processor time without a stage".to_owned());
        };
        let latest = running_stage.processors.get(&host);
        let known = own.stage == running_stage.number && latest.is_none_or(|&l| own.interval > l);
        let unit = running_stage.interval;
        if !known || !running_stage.is_possible((own.interval, unit), Nanos::ZERO, now) {
            return Err(format!("processor time of interval {}", own.interval));
        }
        running_stage.processors.insert(host, own.interval);
        own.host = host;
        sink(Event::Processors(Box::new(own)));
        Ok(())
    }

    fn worker(
        &mut self,
        number: usize,
        host: u32,
        mut totals: WorkerTotals,
        sink: &mut Sink<'_>,
    ) -> Result<(), String> {
        // Workers that could not make themselves ready end before the start.
        let at_work = self.hosts[number].state.is_at_work();
        let Some(running_stage) = self.running_stage.as_mut().filter(|_| at_work) else {
            return Err("the end of a worker without a stage".to_owned());
        };
        totals.host = host;
        totals.workload = running_stage.own_workload(number, totals.stage, totals.workload)?;
        let clones = running_stage.clones[totals.workload as usize];
        let files = running_stage.files[totals.workload as usize];
        if totals.files.len() > files {
            return Err(format!("{} files of {files}", totals.files.len()));
        }
        let known = running_stage
            .known
            .entry((host, totals.workload))
            .or_default();
        if totals.worker >= clones || known.gone.contains(&totals.worker) {
            return Err(format!(
                "the end of worker {}, of {clones} workers",
                totals.worker
            ));
        }
        let all = || std::iter::once(&totals.counts).chain(&totals.files);
        let reported = totals.warmup_ios.max(totals.unissued);
        if reported > MOST_IOS || !all().all(is_countable) {
            return Err(format!(
                "numbers of worker {} that are out of range",
                totals.worker
            ));
        }
        known.gone.push(totals.worker);
        known.ended.merge(&totals.counts);
        known.ended.pack();
        if !is_countable(&known.ended) {
            return Err("numbers of its workers that are out of range".to_owned());
        }
        if let (Some(first), Some(part)) = (totals.first_submit, &running_stage.parts[number]) {
            let own = part.workloads.iter().position(|&w| w == totals.workload);
            let start = own.map(|w| &part.stage.workloads[w].start);
            // A worker that is to start later, or after others, does not show the host's start.
            if start.is_some_and(|s| s.after.is_none() && s.delay == (Nanos::ZERO, Nanos::ZERO)) {
                let late = i64::try_from(first.0).unwrap_or(i64::MAX);
                let least = running_stage.first.entry(host).or_insert(late);
                *least = late.min(*least);
            }
        }
        let met = running_stage.rules.ended(&totals);
        if running_stage.start.is_some() {
            let broke_off = running_stage.broke_off(&totals);
            sink(Event::WorkerEnded(Box::new(totals)));
            if let Some(what) = broke_off {
                self.report_broken(number, &what, sink);
            }
        }
        if met.is_some() {
            self.halt();
        }
        Ok(())
    }

    /// An error has ended a worker of a host, the first there: it is named at once, and the others continue.
    fn report_broken(&self, number: usize, what: &str, sink: &mut Sink<'_>) {
        let Some(running_stage) = &self.running_stage else {
            return;
        };
        let start = running_stage
            .start
            .map_or(Nanos::ZERO, |s| self.since_start(s));
        let (taking, whole) = running_stage.taking(|host| self.hosts[host].state.is_lost());
        sink(Event::Finding(Finding {
            code: "host-failed".to_owned(),
            severity: Severity::Fail,
            stage: Some(running_stage.number),
            workload: None,
            text: format!(
                "host {} stopped with an error {} after the start: {what}; the totals of this \
                 stage cover {whole} of {taking} hosts",
                self.hosts[number].label,
                self.now().since(start),
            ),
            cure: "look for the cause on that host; its figures until then are shown separately"
                .into(),
        }));
    }

    /// What the workers of a lost host had done, as far as it was reported: their totals end there.
    pub(super) fn part_lost(&mut self, host: u32, why: &str, sink: &mut Sink<'_>) {
        let Some(running_stage) = &mut self.running_stage else {
            return;
        };
        let met = running_stage.rules.lost(host);
        running_stage.preparing.remove(&host);
        let part = running_stage
            .parts
            .get(host as usize)
            .and_then(Option::as_ref);
        if let (Some(part), Some(_)) = (part, running_stage.start) {
            for &workload in &part.workloads {
                let known = running_stage
                    .known
                    .remove(&(host, workload))
                    .unwrap_or_default();
                let clones = running_stage.clones[workload as usize];
                for totals in known.last_words(host, running_stage.number, workload, clones, why) {
                    sink(Event::WorkerEnded(Box::new(totals)));
                }
            }
        }
        if met.is_some() {
            self.halt();
        }
    }

    /// Reports progress, when it is time.
    pub(super) fn progress(&mut self, now: u64, sink: &mut Sink<'_>) {
        let hosts = &self.hosts;
        let Some(running_stage) = &mut self.running_stage else {
            return;
        };
        if let Some(start) = running_stage.start {
            let running = hosts
                .iter()
                .zip(&running_stage.parts)
                .filter_map(|(host, part)| {
                    let clones = part.as_ref()?.workloads.iter();
                    let clones = clones
                        .map(|&w| running_stage.clones[w as usize])
                        .sum::<u32>();
                    host.state.is_at_work().then_some(clones)
                });
            let at = Nanos(now.saturating_sub(start));
            if let Some(tick) = running_stage.pulse.tick(at, running.sum()) {
                sink(Event::Tick(Box::new(tick)));
            }
            return;
        }
        if running_stage.preparing_new
            && now.saturating_sub(running_stage.preparing_reported) >= PREPARING_EVERY
        {
            (
                running_stage.preparing_reported,
                running_stage.preparing_new,
            ) = (now, false);
            let all = running_stage.preparing.values();
            let (done, total) = all.fold((0_u64, 0_u64), |sum, (_, done, total)| {
                (sum.0.saturating_add(*done), sum.1.saturating_add(*total))
            });
            let count = running_stage.preparing.len();
            let Some((what, _, _)) = running_stage.preparing.values().next() else {
                return;
            };
            let what = format!("{}: {what}", number_of(count as u64, "host"));
            sink(Event::Preparing {
                stage: running_stage.number,
                what,
                done,
                total,
            });
        }
    }
}

impl super::Host {
    /// A host may send facts and findings, but not without limit.
    fn count_reports(&mut self, more: usize) -> Result<(), String> {
        self.reports += more;
        if self.reports > MOST_REPORTS {
            return Err(format!("more than {MOST_REPORTS} facts and findings"));
        }
        Ok(())
    }
}

impl StageProgress {
    /// What ended the worker, when it is the first of its host that an error ended.
    fn broke_off(&mut self, totals: &WorkerTotals) -> Option<String> {
        let EndReason::Error { errno, what, .. } = &totals.end else {
            return None;
        };
        let name = std::io::Error::from_raw_os_error(*errno);
        self.broken
            .insert(totals.host)
            .then(|| format!("{what}: {name}"))
    }

    /// How many hosts take part, and how many of them are still whole.
    fn taking(&self, lost: impl Fn(usize) -> bool) -> (usize, usize) {
        let all = self.parts.iter().enumerate();
        let taking: Vec<usize> = all.filter_map(|(n, p)| p.as_ref().map(|_| n)).collect();
        let broken = |n: usize| u32::try_from(n).is_ok_and(|host| self.broken.contains(&host));
        let whole = taking.iter().filter(|&&n| !lost(n) && !broken(n)).count();
        (taking.len(), whole)
    }

    /// The plan's number of a workload that a host names by its own.
    fn own_workload(&self, host: usize, stage: u32, workload: u32) -> Result<u32, String> {
        let part = self.parts.get(host).and_then(Option::as_ref);
        let number = part.and_then(|p| p.workloads.get(workload as usize).copied());
        match number {
            Some(number) if stage == self.number => Ok(number),
            _ => Err(format!("workload {workload} of stage {stage}")),
        }
    }

    /// Whether an interval can be one of the running stage's.
    fn check(&self, sample: &Sample, now: u64) -> Result<(), String> {
        let clones = self.clones[sample.workload as usize];
        if sample.workers.len() > clones as usize {
            return Err(format!("{} workers of {clones}", sample.workers.len()));
        }
        let rows = (clones as usize).saturating_mul(self.files[sample.workload as usize]);
        if sample.moments.len() > rows {
            return Err(format!("{} series of {rows}", sample.moments.len()));
        }
        let by_worker = |w: &(u64, u64)| w.0 <= MOST_IOS && w.1 <= MOST_BYTES;
        if !is_countable(&sample.counts) || !sample.workers.iter().all(by_worker) {
            return Err(format!(
                "numbers of interval {} that are out of range",
                sample.interval
            ));
        }
        if self.is_possible((sample.interval, self.slice), sample.length, now) {
            return Ok(());
        }
        Err(format!("interval {}", sample.interval))
    }

    /// Whether the interval or slice of this number, of `unit` each, can have begun and have this length.
    fn is_possible(&self, (number, unit): (u64, Nanos), length: Nanos, now: u64) -> bool {
        let began = number.checked_mul(unit.0.max(1));
        // A simulated host is ahead of all clocks: the number is what is bounded, not the time.
        let most = now.saturating_sub(self.start.unwrap_or(now)) + 366 * 86_400_000_000_000;
        began.is_some_and(|began| began <= most && length.0 <= most)
    }
}

/// Whether counts are of a size that I/Os of this world have.
fn is_countable(counts: &Counts) -> bool {
    let by_op = |op: &OpCounts| {
        op.bytes <= MOST_BYTES
            && [op.ios, op.short, op.errors, op.service.count()]
                .iter()
                .chain(op.response.as_ref().map(Latency::count).iter())
                .all(|&n| n <= MOST_IOS)
            && op.parts.as_ref().is_none_or(|parts| {
                [&parts.submission, &parts.completion]
                    .iter()
                    .all(|part| part.count() <= MOST_IOS)
            })
    };
    let depths = &counts.depths;
    let depths = [&depths.level, &depths.submit, &depths.complete];
    counts.ops.values().all(by_op)
        && counts.late <= MOST_IOS
        && counts
            .lag
            .as_ref()
            .is_none_or(|lag| lag.count() <= MOST_IOS)
        && depths.iter().all(|d| d.iter().all(|&n| n <= MOST_IOS))
}

impl Known {
    /// Adds an interval; intervals come in order, and each at most twice (the end of the warm-up cuts it).
    fn add(&mut self, sample: &Sample) -> Result<(), String> {
        let interval = sample.interval;
        self.latest = match self.latest {
            Some((latest, times)) if interval == latest && times < 2 => Some((latest, times + 1)),
            Some((latest, _)) if interval <= latest => {
                return Err(format!("interval {interval} after {latest}"));
            }
            _ => Some((interval, 1)),
        };
        if sample.warmup {
            self.warmup_ios += sample.counts.data_ios();
            if self.warmup_ios > MOST_IOS {
                return Err(format!("{} I/Os of a warm-up", self.warmup_ios));
            }
            return Ok(());
        }
        self.counts.merge(&sample.counts);
        self.counts.pack();
        if !is_countable(&self.counts) {
            return Err(format!(
                "numbers that are out of range by interval {interval}"
            ));
        }
        let end = Nanos(sample.start.0.saturating_add(sample.length.0));
        let (from, to) = self.window.unwrap_or((sample.start, end));
        self.window = Some((from.min(sample.start), to.max(end)));
        Ok(())
    }

    /// Totals for the workers that can no longer give theirs: all of what is known to the first of them,
    /// since intervals do not separate the latencies of workers.
    fn last_words(
        mut self,
        host: u32,
        stage: u32,
        workload: u32,
        clones: u32,
        why: &str,
    ) -> Vec<WorkerTotals> {
        let window = self.window;
        let mut left = Some(less(&self.counts, &self.ended));
        let mut warmup = std::mem::take(&mut self.warmup_ios);
        let silent = (0..clones).filter(|worker| !self.gone.contains(worker));
        let totals = silent.map(|worker| WorkerTotals {
            host,
            stage,
            workload,
            worker,
            thread_id: 0,
            first_submit: window.map(|w| w.0),
            window_start: window.map_or(Nanos::ZERO, |w| w.0),
            window_end: window.map_or(Nanos::ZERO, |w| w.1),
            counts: left.take().unwrap_or_default(),
            warmup_ios: std::mem::take(&mut warmup),
            unissued: 0,
            edge: 0,
            drain: None,
            cpu: CpuUse::default(),
            seed: 0,
            errors: Vec::new(),
            end: EndReason::failed(
                ErrorCode::HostLost,
                HOST_DOWN,
                format!("the host was lost: {why}"),
            ),
            files: Vec::new(),
        });
        totals.collect()
    }
}

/// All counts of `whole` that are not in `part`; extremes are those of the whole.
fn less(whole: &Counts, part: &Counts) -> Counts {
    let mut rest = Counts::default();
    for (op, all) in whole.ops.iter() {
        let none = OpCounts::default();
        let taken = part.op(op).unwrap_or(&none);
        *rest.op_mut(op) = OpCounts {
            ios: all.ios.saturating_sub(taken.ios),
            bytes: all.bytes.saturating_sub(taken.bytes),
            short: all.short.saturating_sub(taken.short),
            errors: all.errors.saturating_sub(taken.errors),
            service: latency_less(&all.service, &taken.service),
            response: all
                .response
                .as_ref()
                .map(|r| latency_less(r, taken.response())),
            parts: all.parts.as_ref().map(|parts| Parts {
                submission: match &taken.parts {
                    Some(taken) => latency_less(&parts.submission, &taken.submission),
                    None => parts.submission.clone(),
                },
                completion: latency_less(&parts.completion, taken.completion()),
            }),
        };
    }
    let nothing = Latency::default();
    rest.lag = whole
        .lag
        .as_ref()
        .map(|lag| latency_less(lag, part.lag.as_ref().unwrap_or(&nothing)));
    rest.late = whole.late.saturating_sub(part.late);
    for (rest, whole, part) in [
        (
            &mut rest.depths.level,
            &whole.depths.level,
            &part.depths.level,
        ),
        (
            &mut rest.depths.submit,
            &whole.depths.submit,
            &part.depths.submit,
        ),
        (
            &mut rest.depths.complete,
            &whole.depths.complete,
            &part.depths.complete,
        ),
    ] {
        for ((rest, whole), part) in rest.iter_mut().zip(whole).zip(part) {
            *rest = whole.saturating_sub(*part);
        }
    }
    rest
}

fn histogram_less(whole: &Histogram, part: &Histogram) -> Histogram {
    let mut taken = part.nonzero().peekable();
    let mut histogram = Histogram::new();
    for (index, count) in whole.nonzero() {
        while taken.next_if(|&(i, _)| i < index).is_some() {}
        let less = taken.next_if(|&(i, _)| i == index).map_or(0, |(_, n)| n);
        if count > less {
            histogram.add_bucket(index, count - less);
        }
    }
    histogram.pack();
    histogram
}

fn latency_less(whole: &Latency, part: &Latency) -> Latency {
    let histogram = histogram_less(&whole.histogram, &part.histogram);
    if histogram.total() == 0 {
        return Latency::default();
    }
    let unfinished = match (&whole.unfinished, &part.unfinished) {
        (Some(whole), Some(part)) => Some(histogram_less(whole, part)),
        (whole, _) => whole.clone(),
    };
    Latency {
        sum: whole.sum.saturating_sub(part.sum),
        sum_squares: (whole.sum_squares - part.sum_squares).max(0.0),
        min: whole.min,
        max: whole.max,
        histogram,
        unfinished: unfinished.filter(|u| u.total() > 0),
    }
}
