//! What is shown during a run, on standard error: on a terminal one line that is overwritten,
//! without one a line per interval. Only listens; the engine runs the same with and without it.

use crate::mount;
use crate::out;
use leadline_model::event::{Event, HostState, Tick};
use leadline_model::finding::Severity;
use leadline_model::units::whole;
use leadline_model::units::{Bytes, Nanos};
use leadline_results::render::once;
use leadline_results::render::text::{self, Style};
use leadline_results::run::Run;
use leadline_results::summary::names::stage_name;
use std::collections::{BTreeMap, BTreeSet};

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// Nothing.
    Nothing,
    /// One line, written over.
    Line,
    /// A line per interval.
    Lines,
}

/// The live view.
pub(crate) struct Live {
    show: Show,
    /// Columns of the line on the screen that must be wiped before anything else is written.
    dirty: usize,
    /// Width of the terminal in columns, queried for each line, since a window can be resized.
    width: fn() -> usize,
    style: Style,
    stage: String,
    /// Time left after the running stage, when the caller knows.
    after_stage: Option<Nanos>,
    /// Findings at least this severe are printed at the end. Without a live view too: a figure that
    /// must not be used as it stands is not left to whoever opens the run file.
    least: Option<Severity>,
    /// Progress is shown no more often than this, and at each interval's end at most.
    every: Nanos,
    /// When it was last shown, from the start of the stage.
    shown: Option<Nanos>,
    /// By host: its latest interval, and the I/Os in it.
    hosts: BTreeMap<u32, (u64, u64)>,
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
            (true, true) => Show::Line,
            (true, false) => Show::Lines,
        };
        Self {
            show,
            dirty: 0,
            width: match show {
                // A log has lines of any length.
                Show::Lines => || 160,
                _ => out::err_width,
            },
            style: out::err_style(),
            stage: String::new(),
            after_stage: None,
            least: Some(if wanted {
                Severity::Warn
            } else {
                Severity::Fail
            }),
            every: Nanos::ZERO,
            shown: None,
            hosts: BTreeMap::new(),
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

    /// Progress is shown no more often than this.
    pub(crate) fn every(mut self, least: Nanos) -> Self {
        self.every = least;
        self
    }

    /// Without a terminal a line for each interval, all the same.
    pub(crate) fn with_lines(mut self) -> Self {
        if self.show == Show::Nothing {
            self.show = Show::Lines;
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

    /// How long the run continues after the current stage.
    pub(crate) fn set_time_after_stage(&mut self, left: Option<Nanos>) {
        self.after_stage = left;
    }

    /// Takes an event; `run` has already taken it.
    pub(crate) fn take(&mut self, event: &Event, run: &Run) {
        match event {
            Event::StageStarted { stage, .. } => {
                self.stage = self.stage_name(run, *stage);
                self.shown = None;
                self.hosts.clear();
            }
            Event::Interval(sample) => {
                let latest = self.hosts.entry(sample.host).or_default();
                if latest.0 != sample.interval {
                    *latest = (sample.interval, 0);
                }
                let data = sample.counts.ops.data();
                latest.1 += data.map(|counts| counts.ios).sum::<u64>();
            }
            // A lost host is named once, and not waited for.
            Event::Host(news) if matches!(news.what, HostState::Lost { .. }) => {
                self.hosts.remove(&news.host);
            }
            Event::Preparing {
                what, done, total, ..
            } => self.preparing(what, *done, *total),
            Event::Tick(tick) if self.is_due(tick.at) => self.tick(tick, run),
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
                self.word(&format!("warning: {}", finding.text));
            }
            Event::RunEnded { .. } => self.wipe(),
            _ => {}
        }
    }

    /// A line that stays.
    pub(crate) fn word(&mut self, text: &str) {
        self.wipe();
        out::progress(&format!("{text}\n"));
    }

    /// Leaves the terminal clean, and says what was found, each kind once.
    pub(crate) fn close(&mut self, run: &Run) {
        self.wipe();
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

    fn stage_name(&self, run: &Run, stage: u32) -> String {
        let planned = run.plan.as_ref().and_then(|p| p.stages.get(stage as usize));
        planned.map_or_else(String::new, stage_name)
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

    /// Whether progress is to be shown at `at`; half an interval's grace, as ticks come when they can.
    fn is_due(&mut self, at: Nanos) -> bool {
        let due = self
            .shown
            .is_none_or(|last| at.since(last).0 + 250_000_000 >= self.every.0);
        if due {
            self.shown = Some(at);
        }
        due
    }

    /// The line of progress; not made if it is not shown.
    fn tick(&mut self, tick: &Tick, run: &Run) {
        if self.show == Show::Nothing {
            return;
        }
        let hosts = self.hosts_in_words(tick, run);
        let style = Style {
            width: (self.width)().saturating_sub(1 + hosts.len()),
            ..self.style
        };
        let line = text::live(&self.stage, tick, self.left(tick), &style);
        self.line(&format!("{line}{hosts}"));
    }

    /// Of several hosts: what each does, where there is room for it; else the one that does least. One that has
    /// not been heard of for a while is named in any case.
    fn hosts_in_words(&self, tick: &Tick, run: &Run) -> String {
        let hosts = run.plan.as_ref().map_or(&[][..], |p| &p.hosts);
        if hosts.len() < 2 {
            return String::new();
        }
        let name = |host: u32| hosts.get(host as usize).map_or("?", |h| h.label.as_str());
        let rate = |ios: u64| ios as f64 / tick.span.as_secs_f64().max(1e-9);
        let newest = self.hosts.values().map(|v| v.0).max().unwrap_or(0);
        let is_late = |at: u64| at + 2 < newest;
        let each = self.hosts.iter().map(|(&host, &(at, ios))| {
            if is_late(at) {
                format!("{} no news", name(host))
            } else {
                format!("{} {:.0}", name(host), rate(ios))
            }
        });
        let all = each.collect::<Vec<_>>().join(", ");
        if !all.is_empty() && all.chars().count() <= (self.width)() / 3 {
            return format!("  {all}");
        }
        let late = self.hosts.iter().find(|(_, v)| is_late(v.0));
        let least = self.hosts.iter().min_by_key(|(_, v)| v.1);
        let count = self.hosts.len();
        match (late, least) {
            (Some((&host, _)), _) => format!("  {count} hosts, no report from {}", name(host)),
            (None, Some((&host, &(_, ios)))) => {
                format!(
                    "  {count} hosts, least {} {:.0} IOPS",
                    name(host),
                    rate(ios)
                )
            }
            (None, None) => String::new(),
        }
    }

    fn left(&self, tick: &Tick) -> Option<Nanos> {
        let stage = match (tick.expected, tick.done) {
            (Some(expected), _) => expected.since(tick.at),
            (None, Some(done)) if done > 0.01 => {
                Nanos(whole(tick.at.0 as f64 * (1.0 - done) / done))
            }
            _ => return None,
        };
        Some(Nanos(stage.0 + self.after_stage.unwrap_or_default().0))
    }

    fn line(&mut self, text: &str) {
        match self.show {
            Show::Nothing => {}
            Show::Lines => out::progress(&format!("{text}\n")),
            Show::Line => {
                let width = (self.width)();
                let shown: String = text.chars().take(width.saturating_sub(1)).collect();
                let length = shown.chars().count();
                let dirty = self.dirty.min(width.saturating_sub(1));
                let blank = " ".repeat(dirty.saturating_sub(length));
                out::progress(&format!("\r{shown}{blank}"));
                self.dirty = length;
            }
        }
    }

    fn wipe(&mut self) {
        if self.dirty > 0 {
            let dirty = self.dirty.min((self.width)().saturating_sub(1));
            out::progress(&format!("\r{}\r", " ".repeat(dirty)));
            self.dirty = 0;
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.wipe();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::{HostSpec, Plan};
    use leadline_model::sample::Counts;

    fn tick() -> Tick {
        Tick {
            stage: 0,
            at: Nanos::from_secs(9),
            expected: None,
            running: 3,
            done: None,
            warmup: false,
            counts: Counts::default(),
            span: Nanos::from_millis(500),
        }
    }

    fn run(labels: &[&str]) -> Run {
        let plan = Plan {
            interval: Nanos::SECOND,
            hosts: labels.iter().map(|l| HostSpec::local(l)).collect(),
            ..leadline_testkit::plan(Vec::new())
        };
        Run {
            plan: Some(plan),
            ..Run::default()
        }
    }

    #[test]
    fn each_host_is_shown_where_there_is_room_and_lagging_hosts_always() {
        let mut live = Live::new(false);
        live.width = || 90;
        live.hosts = [(0, (8, 32)), (1, (8, 40)), (2, (5, 50))].into();
        let few = run(&["a", "b", "c"]);
        assert_eq!(
            live.hosts_in_words(&tick(), &few),
            "  a 64, b 80, c no news"
        );
        let long = run(&["client-of-the-north", "client-of-the-south", "c"]);
        let words = live.hosts_in_words(&tick(), &long);
        assert_eq!(words, "  3 hosts, no report from c");
        live.hosts.remove(&2);
        let words = live.hosts_in_words(&tick(), &long);
        assert_eq!(words, "  2 hosts, least client-of-the-north 64 IOPS");
        assert_eq!(live.hosts_in_words(&tick(), &run(&["a"])), "");
    }
}
