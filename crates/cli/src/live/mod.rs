//! What is shown during a run, on standard error: on a terminal a block of lines that is drawn again in its place,
//! without one a line now and then. Only listens; the engine runs the same with and without it.

mod hosts;
mod lines;
mod screen;
mod second;

use crate::mount;
use crate::out;
use hosts::HostRates;
use leadline_model::event::{Event, HostState, Tick};
use leadline_model::finding::Severity;
use leadline_model::plan::{Plan, Stage};
use leadline_model::units::whole;
use leadline_model::units::{Bytes, Nanos};
use leadline_results::render::once;
use leadline_results::render::text::{self, LiveBlock, PointsOfAll, Style};
use leadline_results::run::Run;
use leadline_results::study::studies::StageCount;
use leadline_results::summary::names::stage_name;
use leadline_results::summary::progress::StageProgress;
use lines::LinesOfStage;
use screen::Screen;
use second::LastSecond;
use std::collections::{BTreeMap, BTreeSet};

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// Nothing.
    Nothing,
    /// A block or a line, drawn again in its place.
    Screen,
    /// A line now and then.
    Lines,
    /// A line for each interval, as the caller asks.
    EachInterval,
}

/// How long a run continues after the stage that is running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeAfter {
    /// As far as that is known.
    pub(crate) time: Nanos,
    /// Whether it may be longer: a search decides by what is measured whether more is.
    pub(crate) at_least: bool,
}

impl From<Nanos> for TimeAfter {
    fn from(time: Nanos) -> Self {
        Self {
            time,
            at_least: false,
        }
    }
}

/// The live view.
pub(crate) struct Live {
    show: Show,
    screen: Screen,
    lines: LinesOfStage,
    style: Style,
    stage: String,
    /// Number of the running stage, from 0.
    number: usize,
    /// How many stages there are, and whether that is an estimate; when the caller knows.
    stages: Option<(StageCount, bool)>,
    /// Time left after the running stage, when the caller knows, and whether that is the least.
    after_stage: Option<TimeAfter>,
    /// Findings at least this severe are printed at the end. Without a live view too: a figure that
    /// must not be used as it stands is not left to whoever opens the run file.
    least: Option<Severity>,
    /// A line is shown no more often than this, and at each interval's end at most.
    every: Nanos,
    /// When it was last shown, from the start of the stage.
    shown: Option<Nanos>,
    hosts: HostRates,
    /// The intervals of the running stage, where a block may be shown.
    progress: StageProgress,
    /// The latest of them, where it may be one line.
    second: LastSecond,
    /// Nothing is printed for a run that succeeds.
    quiet: bool,
    /// Codes of what was printed during the run.
    printed: BTreeSet<String>,
}

impl Live {
    /// A view for standard error as it is.
    pub(crate) fn new(wanted: bool) -> Self {
        let show = match (wanted, out::err_is_terminal()) {
            (false, _) => Show::Nothing,
            (true, true) => Show::Screen,
            (true, false) => Show::Lines,
        };
        Self {
            show,
            screen: Screen::new(),
            lines: LinesOfStage::default(),
            style: out::err_style(),
            stage: String::new(),
            number: 0,
            stages: None,
            after_stage: None,
            least: Some(if wanted {
                Severity::Warn
            } else {
                Severity::Fail
            }),
            every: Nanos::ZERO,
            shown: None,
            hosts: HostRates::default(),
            progress: StageProgress::default(),
            second: LastSecond::default(),
            quiet: false,
            printed: BTreeSet::new(),
        }
    }

    /// The view of a front end: on a terminal like any other, else as silent as its original. Its users' programs
    /// treat any output on standard error as a failure; notes and findings are in the output itself.
    pub(crate) fn of_front_end() -> Self {
        if out::err_is_terminal() {
            return Self::new(true);
        }
        let mut live = Self::new(false).without_findings();
        live.quiet = true;
        live
    }

    /// A line is shown no more often than this.
    pub(crate) fn every(mut self, least: Nanos) -> Self {
        self.every = least;
        self
    }

    /// Without a terminal a line for each interval, all the same.
    pub(crate) fn with_lines(mut self) -> Self {
        if self.show != Show::Screen {
            self.show = Show::EachInterval;
        }
        self
    }

    /// No progress is shown; the caller does that, or it is not wanted.
    pub(crate) fn without_progress(mut self) -> Self {
        self.show = Show::Nothing;
        self
    }

    /// Findings are not printed: the caller shows them all at the end.
    pub(crate) fn without_findings(mut self) -> Self {
        self.least = None;
        self
    }

    /// How many stages there are; `estimated` where that depends on what is measured.
    pub(crate) fn set_stages(&mut self, all: StageCount, estimated: bool) {
        self.stages = Some((all, estimated));
    }

    /// How long the run continues after the current stage.
    pub(crate) fn set_time_after_stage(&mut self, left: TimeAfter) {
        self.after_stage = Some(left);
    }

    /// Takes an event; `run` has already taken it.
    pub(crate) fn take(&mut self, event: &Event, run: &Run) {
        match event {
            Event::StageStarted { stage, .. } => self.begin_stage(*stage, run),
            Event::Interval(sample) => {
                self.hosts.take(sample);
                match self.show {
                    Show::Screen => {
                        self.progress.take(sample);
                        self.second.take(sample);
                    }
                    Show::Lines => self.lines.take(sample),
                    Show::Nothing | Show::EachInterval => {}
                }
            }
            Event::Host(news) if matches!(news.what, HostState::Lost { .. }) => {
                self.hosts.lose(news.host);
                self.progress.lose(news.host);
            }
            Event::Preparing {
                what, done, total, ..
            } => self.preparing(what, *done, *total),
            Event::Tick(tick) => self.tick(tick, run),
            Event::StageEnded { .. } => {
                if let Some(line) = self.lines.end() {
                    let line = self.in_a_line(&line.tick, Some(&line.hosts), run);
                    self.line(&line);
                }
            }
            // That a program is copied takes time that the user spends waiting; a command of his own was to say
            // something to him.
            Event::Finding(finding)
                if !self.quiet
                    && matches!(finding.code.as_str(), "program-copied" | mount::MOUNTED) =>
            {
                self.word(&finding.text);
            }
            // Nor is it left to the end that a host is missing.
            Event::Finding(finding)
                if run.outcome.is_none()
                    && matches!(finding.code.as_str(), "host-lost" | "host-failed") =>
            {
                self.printed.insert(finding.code.clone());
                self.word(&folded(&format!("warning: {}", finding.text)));
            }
            Event::RunEnded { .. } => self.screen.wipe(),
            _ => {}
        }
    }

    /// A line that stays.
    pub(crate) fn word(&mut self, text: &str) {
        self.screen.wipe();
        out::progress(&format!("{text}\n"));
    }

    /// Leaves the terminal clean, and says what was found, each kind once.
    pub(crate) fn close(&mut self, run: &Run) {
        self.screen.wipe();
        let Some(least) = self.least.take() else {
            return;
        };
        for found in once::once(run, least) {
            // The caller that ends the run prints why it failed.
            if found.code != "run-failed" && !self.printed.contains(&found.code) {
                out::say(&found.line());
            }
        }
    }

    fn begin_stage(&mut self, stage: u32, run: &Run) {
        let number = stage as usize;
        let planned = run.plan.as_ref().and_then(|p| p.stages.get(number));
        self.stage = planned.map_or_else(String::new, stage_name);
        self.number = number;
        self.shown = None;
        self.hosts = HostRates::default();
        self.progress = StageProgress::default();
        self.second = LastSecond::default();
        self.lines = LinesOfStage::default();
        self.screen.begin_stage();
    }

    fn preparing(&mut self, what: &str, done: u64, total: u64) {
        let share = if total > 0 {
            format!(" {:3.0} %", done as f64 / total as f64 * 100.0)
        } else {
            String::new()
        };
        self.line(&format!(
            "{what}: {} of {}{share}",
            Bytes(done),
            Bytes(total)
        ));
    }

    /// Shows where the stage is, if it is time for that.
    fn tick(&mut self, tick: &Tick, run: &Run) {
        if self.show == Show::Screen
            && let Some(size) = Screen::block_size()
        {
            if self.screen.is_due(tick.at, size) {
                self.block(tick, run, size);
            }
            return;
        }
        let line = match self.show {
            Show::Nothing => None,
            Show::Lines => {
                let due = self.lines.due(tick);
                due.map(|line| self.in_a_line(&line.tick, Some(&line.hosts), run))
            }
            Show::Screen => {
                let complete = self.progress.complete(tick.at, tick.span);
                let second = self.second.of(tick, complete);
                let second = second.filter(|_| self.is_due(tick.at));
                second.map(|line| self.in_a_line(&line.tick, Some(&line.hosts), run))
            }
            Show::EachInterval => {
                let due = self.is_due(tick.at);
                due.then(|| self.in_a_line(tick, None, run))
            }
        };
        if let Some(line) = line {
            self.line(&line);
        }
    }

    /// Whether a line is to be shown at `at`; half an interval's grace, as ticks come when they can.
    fn is_due(&mut self, at: Nanos) -> bool {
        let due = self
            .shown
            .is_none_or(|last| at.since(last).0 + 250_000_000 >= self.every.0);
        if due {
            self.shown = Some(at);
        }
        due
    }

    fn block(&mut self, tick: &Tick, run: &Run, (width, height): (usize, usize)) {
        let view = LiveBlock {
            run,
            progress: &self.progress,
            tick,
            stage: &self.stage,
            point: self.point(),
            left: left_of_stage(tick),
            after: self.after(run).map(|after| after.time),
            at_least: self.after(run).is_some_and(|after| after.at_least),
        };
        let style = Style {
            width,
            ..self.style
        };
        self.screen.block(&text::live_block(&view, height, &style));
    }

    /// A moment in one line; `ios` are those of each host in the time that its counts are of, where that is no interval.
    fn in_a_line(&self, tick: &Tick, ios: Option<&BTreeMap<u32, u64>>, run: &Run) -> String {
        let width = match self.show {
            Show::Screen => out::err_width(),
            // A log has lines of any length.
            _ => 160,
        };
        let planned = run.plan.as_ref().map_or(&[][..], |plan| &plan.hosts);
        let hosts = self.hosts.in_words((ios, tick.span), planned, width);
        let style = Style {
            width: width.saturating_sub(1 + hosts.len()),
            ..self.style
        };
        let after = self.after(run).unwrap_or_default();
        let left = left_of_stage(tick);
        let left = left.map(|left| (Nanos(left.0.saturating_add(after.time.0)), after.at_least));
        let line = text::live((&self.stage, self.point()), tick, left, &style);
        format!("{line}{hosts}")
    }

    /// Which point of how many is running, where there are several.
    fn point(&self) -> Option<PointsOfAll> {
        let (of, estimated) = self.stages?;
        (of.known > 1).then_some(PointsOfAll {
            number: self.number + 1,
            all: of.known,
            most: of.most,
            estimated,
        })
    }

    /// Time left after the running stage, when it is known.
    fn after(&self, run: &Run) -> Option<TimeAfter> {
        let planned = || Some(planned_after(run.plan.as_ref()?, self.number)?.into());
        self.after_stage.or_else(planned)
    }

    fn line(&mut self, text: &str) {
        match self.show {
            Show::Nothing => {}
            Show::Lines | Show::EachInterval => out::progress(&format!("{text}\n")),
            Show::Screen => self.screen.line(text),
        }
    }
}

/// Text in lines of whole words on a terminal, which would break it within one; a log has lines of any length.
fn folded(text: &str) -> String {
    if !out::err_is_terminal() {
        return text.to_owned();
    }
    let width = out::err_width().saturating_sub(1);
    text::wrapped(text, "", "  ", width).trim_end().to_owned()
}

impl Drop for Live {
    fn drop(&mut self) {
        self.screen.wipe();
    }
}

/// Time left of the running stage: by its length, else by the share that is done.
fn left_of_stage(tick: &Tick) -> Option<Nanos> {
    match (tick.expected, tick.done) {
        (Some(expected), _) => Some(expected.since(tick.at)),
        (None, Some(done)) if done > 0.01 => {
            Some(Nanos(whole(tick.at.0 as f64 * (1.0 - done) / done)))
        }
        _ => None,
    }
}

/// How long the stages after that of this number take, where each of their workloads has a time.
fn planned_after(plan: &Plan, number: usize) -> Option<Nanos> {
    let mut after = plan.stages.get(number + 1..)?.iter().map(Stage::length);
    after.try_fold(Nanos::ZERO, |sum, length| {
        Some(Nanos(sum.0.saturating_add(length?.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::{Target, Workload};

    #[test]
    fn the_time_of_all_is_known_where_each_stage_that_follows_has_one() {
        let stage = |seconds: Option<u64>| {
            let mut workload = Workload::new("w", Target::Null { size: 1 });
            workload.stop.runtime = seconds.map(Nanos::from_secs);
            workload.stop.warmup = Nanos::SECOND;
            Stage {
                workloads: vec![workload],
                ..Stage::default()
            }
        };
        let mut plan = leadline_testkit::plan(Vec::new());
        plan.stages = vec![stage(None), stage(Some(10)), stage(Some(20))];
        assert_eq!(planned_after(&plan, 0), Some(Nanos::from_secs(32)));
        assert_eq!(planned_after(&plan, 2), Some(Nanos::ZERO));
        assert_eq!(planned_after(&plan, 3), None);
        // With the pause before it, and what waits for another.
        plan.stages[2].pause = Nanos::from_secs(5);
        let mut last = plan.stages[2].workloads[0].clone();
        (last.name, last.start.after) = ("last".to_owned(), Some("w".to_owned()));
        plan.stages[2].workloads.push(last);
        assert_eq!(planned_after(&plan, 1), Some(Nanos::from_secs(47)));
        plan.stages[2] = stage(None);
        assert_eq!(planned_after(&plan, 0), None);
    }
}
