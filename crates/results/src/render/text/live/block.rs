//! The block of lines that shows a running stage.

use super::sparkline::{room, sparklines};
use super::strip::strip;
use super::{bar, clock, left_words};
use crate::render::text::Style;
use crate::run::Run;
use crate::summary::processors::{FULL, busiest};
use crate::summary::progress::{StageProgress, TimeBin};
use crate::words::{compact, mib_per_s, rate, thousands, trim_to};
use leadline_model::event::{HostState, Tick};
use leadline_model::plan::HostSpec;
use leadline_model::units::{Bytes, Nanos, number_of};

/// What is shown of a running stage.
#[derive(Clone, Copy, Debug)]
pub struct LiveBlock<'a> {
    /// The run until now: its hosts.
    pub run: &'a Run,
    /// The intervals of the stage.
    pub progress: &'a StageProgress,
    /// Where the stage is.
    pub tick: &'a Tick,
    /// Its name.
    pub stage: &'a str,
    /// Which point of how many it is, when that is known and there are several.
    pub point: Option<PointsOfAll>,
    /// Time left of the stage, when it is known.
    pub left: Option<Nanos>,
    /// Time left after it, when it is known.
    pub after: Option<Nanos>,
    /// Whether that is the least: what is measured next depends on what is measured.
    pub at_least: bool,
}

/// The running point of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointsOfAll {
    /// Its number, from 1.
    pub number: usize,
    /// How many there are; where more may be added, those that are known.
    pub all: usize,
    /// No more than these, where a search may add some.
    pub most: Option<usize>,
    /// Whether that is an estimate: what is measured next depends on what was measured.
    pub estimated: bool,
}

impl PointsOfAll {
    /// `point 3 of 24`, `point 3 of about 24`, or `point 3 of 7 to 27` where a search may add some; beyond those that are known
    /// `point 8 of up to 27`, or without a bound `point 25 of at least 25`.
    #[must_use]
    pub fn words(self) -> String {
        let Self {
            number, all, most, ..
        } = self;
        let most = most.filter(|most| *most >= number);
        let of = match (number > all, most) {
            (false, Some(most)) => format!("{all} to {most}"),
            (false, None) if self.estimated => format!("about {all}"),
            (false, None) => all.to_string(),
            (true, Some(most)) => format!("up to {most}"),
            (true, None) => format!("at least {number}"),
        };
        format!("point {number} of {of}")
    }

    /// The same in little room: `4/24`, of those that it may be at the most.
    #[must_use]
    pub fn numbers(self) -> String {
        let all = self.most.unwrap_or(self.all);
        match self.number > all {
            true => self.number.to_string(),
            false => format!("{}/{all}", self.number),
        }
    }
}

/// Lines of fewer than `style.width` columns, fewer than `height` of them: what is measured and how far it is, what
/// the last second was, rate and latency over the stage, and a heat strip where there is room.
#[must_use]
pub fn live_block(view: &LiveBlock<'_>, height: usize, style: &Style) -> Vec<String> {
    let style = *style;
    // The last column stays free: a terminal may go to the next line after it.
    let width = style.width.saturating_sub(1);
    let (tick, progress) = (view.tick, view.progress);
    let complete = progress.complete(tick.at, tick.span);
    let now = progress.now(complete, tick.span);
    let bins = progress.bins(complete, room(width));
    let bytes = bins.iter().map(TimeBin::bytes).sum();
    let mut lines = vec![title(view, width, style), times(view, bytes, width, style)];
    lines.push(operations(view, complete, &now, width, style));
    lines.extend(hosts(view, complete, width, style));
    lines.extend(sparklines(&now, &bins, tick.span, width, style));
    let room = height.saturating_sub(lines.len() + 1);
    lines.extend(strip(&bins, tick.span, room, style));
    lines.truncate(height.saturating_sub(1));
    let cut = |line: &String| cut(line.trim_end(), width);
    lines.iter().map(cut).collect()
}

/// The stage, and which of how many it is.
fn title(view: &LiveBlock<'_>, width: usize, style: Style) -> String {
    let mut after = String::new();
    if let Some(point) = view.point {
        after = format!("   {}", point.words());
    }
    let name = style.cut(&plain(view.stage), width.saturating_sub(after.len()));
    format!("{}{after}", style.bold(&name))
}

/// How long it has been running, what is left, and how many bytes were read and written.
fn times(view: &LiveBlock<'_>, bytes: u64, width: usize, style: Style) -> String {
    let tick = view.tick;
    let passed = clock(Nanos(tick.at.0 / 1_000_000_000 * 1_000_000_000));
    let mut parts = match tick.expected {
        Some(all) => vec![format!("{passed} of {}", clock(all))],
        None => vec![passed],
    };
    match (view.left, view.after) {
        (Some(left), Some(after)) if after > Nanos::ZERO || view.at_least => {
            let all = Nanos(left.0.saturating_add(after.0));
            let all = left_words(all, view.at_least);
            parts.push(format!("{} left, {all} in all", clock(left)));
        }
        (left, _) => parts.extend(left.map(|left| format!("{} left", clock(left)))),
    }
    let parts = parts.join(", ");
    // Without a share to show, the bar would be the time again.
    let bars = match tick.done.is_some() || tick.expected.is_some() {
        true => vec![bar::<20>(tick, style), bar::<6>(tick, style)],
        false => Vec::new(),
    };
    let done = match bytes {
        0 => String::new(),
        bytes => format!("   {} so far", Bytes(bytes)),
    };
    let lines = bars.iter().map(|bar| format!("{bar} {parts}"));
    let all = lines.clone().take(1).map(|line| line + &done);
    first_that_fits(all.chain(lines).chain([parts.clone()]), width)
}

/// The first of these lines that has at most `width` columns, else the last.
fn first_that_fits(lines: impl Iterator<Item = String>, width: usize) -> String {
    let mut last = String::new();
    for line in lines {
        if line.chars().count() <= width {
            return line;
        }
        last = line;
    }
    last
}

/// What was done in the last second, by operation.
fn operations(
    view: &LiveBlock<'_>,
    complete: u64,
    now: &TimeBin,
    width: usize,
    style: Style,
) -> String {
    let span = view.tick.span;
    let seconds = now.intervals as f64 * span.as_secs_f64();
    let mut line = String::new();
    let errors = view.progress.errors();
    if errors > 0 {
        let word = if errors == 1 { "error" } else { "errors" };
        let text = format!("{} {word}", thousands(errors));
        line = style.paint("1;31", &text) + "   ";
    }
    if now.ios() == 0 || seconds <= 0.0 {
        let idle = view.progress.idle(complete).saturating_mul(span.0);
        line.push_str(&match Nanos(idle) {
            _ if complete.saturating_mul(span.0) < Nanos::SECOND.0 => "no figures yet".to_owned(),
            idle if idle > Nanos::SECOND => {
                style.paint("1;33", &format!("no I/O completed for {}", clock(idle)))
            }
            _ => "no I/O completed".to_owned(),
        });
        return line;
    }
    let ops = || now.ops.iter().filter(|(_, done)| done.0 > 0);
    let whole = ops().map(|(op, &(ios, bytes))| {
        let (ios, bytes) = (ios as f64 / seconds, bytes as f64 / seconds);
        format!("{op} {} IOPS, {} MiB/s   ", rate(ios), mib_per_s(bytes))
    });
    let short =
        ops().map(|(op, &(ios, _))| format!("{op} {} IOPS   ", compact(ios as f64 / seconds)));
    let depth = format!("queue depth {}", trim_to(now.depth(span), 1));
    let (whole, short) = (whole.collect::<String>(), short.collect::<String>());
    let busy = busy(view, complete, now);
    let load = busy.map_or_else(String::new, |busy| {
        format!("   processors {:.0} %", busy * 100.0)
    });
    let lines = [
        format!("{whole}{depth}{load}"),
        format!("{short}{depth}{load}"),
        format!("{short}{depth}"),
    ];
    let room = width.saturating_sub(if errors > 0 { 16 } else { 0 });
    let shown = first_that_fits(lines.into_iter(), room);
    match busy {
        Some(busy) if busy >= FULL => {
            let load = load.trim_start();
            line + &shown.replace(load, &style.paint("1;33", load))
        }
        _ => line + &shown,
    }
}

/// The share of the last second in which the processors were busy, of several hosts that of the busiest; `None` where they
/// were not counted.
fn busy(view: &LiveBlock<'_>, complete: u64, now: &TimeBin) -> Option<f64> {
    let stage = view.run.stages.last()?;
    let hosts = view.run.plan.as_ref().map_or(1, |plan| plan.hosts.len());
    let from = complete - now.intervals.min(complete);
    busiest(&stage.processors, from..complete, hosts)
}

/// The hosts of the stage that is running, with their numbers: a study may leave some of the run's without work.
fn at_stage<'a>(view: &LiveBlock<'a>) -> Vec<(u32, &'a HostSpec)> {
    let Some(plan) = &view.run.plan else {
        return Vec::new();
    };
    let stage = plan.stages.iter().rfind(|stage| stage.name == view.stage);
    let is_there = |number: u32| {
        stage.is_none_or(|stage| stage.workloads.iter().any(|w| w.hosts.contains(number)))
    };
    let all = (0_u32..).zip(&plan.hosts);
    all.filter(|(number, _)| is_there(*number)).collect()
}

/// Of several hosts: how many report, which are lost or silent, and which does least; then each, as far as there is
/// room, and how many more there are.
fn hosts(view: &LiveBlock<'_>, complete: u64, width: usize, style: Style) -> Option<String> {
    let (tick, progress) = (view.tick, view.progress);
    let planned = at_stage(view);
    if planned.len() < 2 {
        return None;
    }
    let lost = |host: u32| {
        let mut news = view.run.hosts.iter().filter(|news| news.host == host);
        news.any(|news| matches!(news.what, HostState::Lost { .. }))
    };
    let (mut gone, mut silent, mut at_work) = (Vec::new(), Vec::new(), Vec::new());
    let seconds = progress.now(complete, tick.span).intervals as f64 * tick.span.as_secs_f64();
    for (number, host) in &planned {
        let (number, name) = (*number, plain(&host.label));
        if lost(number) {
            gone.push(name);
        } else if let Some(time) = progress.silent(number, tick.at, tick.span) {
            silent.push(format!("{name} for {}", clock(time)));
        } else if progress.reported(number) > 0 {
            let ios = progress.now_of(number, complete, tick.span) as f64;
            at_work.push((ios / seconds.max(1e-9), name));
        }
    }
    let mut parts = vec![format!(
        "{} of {} {}",
        at_work.len(),
        number_of(planned.len() as u64, "host"),
        if at_work.len() == 1 {
            "reports"
        } else {
            "report"
        }
    )];
    if !gone.is_empty() {
        parts.push(style.paint("1;31", &format!("lost: {}", gone.join(", "))));
    }
    if !silent.is_empty() {
        let text = format!("no report: {}", silent.join(", "));
        parts.push(style.paint("1;33", &text));
    }
    at_work.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let [slowest, others @ ..] = at_work.as_slice() {
        let one = |(ios, name): &(f64, String)| format!("{name} {}", compact(*ios));
        let news = parts.join("   ");
        parts.push(format!("slowest {} IOPS", one(slowest)));
        let others: Vec<String> = others.iter().map(one).collect();
        let before = parts.join("   ");
        let lines = (0..=others.len()).rev().map(|shown| {
            let each = others[..shown].join(", ");
            match (shown, others.len() - shown) {
                (0, _) => before.clone(),
                (_, 0) => format!("{before}   {each}"),
                (_, more) => format!("{before}   {each} and {more} more"),
            }
        });
        let mut fits = lines.filter(|line| bare(line).len() <= width);
        return Some(fits.next().unwrap_or(news));
    }
    Some(parts.join("   "))
}

/// What a line shows: its characters without the codes of colours.
fn bare(line: &str) -> Vec<char> {
    let mut rest = line.chars();
    let mut shown = Vec::with_capacity(line.len());
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => drop(rest.by_ref().find(|&c| c == 'm')),
            c => shown.push(c),
        }
    }
    shown
}

/// How many of `width` columns a line is cut to, so that no word with a digit is cut in two.
fn whole_words(line: &str, width: usize) -> usize {
    let shown = bare(line);
    if shown.get(width).is_none_or(|&next| next == ' ') {
        return width;
    }
    let word = shown[..width]
        .iter()
        .rposition(|&c| c == ' ')
        .map_or(0, |blank| blank + 1);
    match shown[word..width].iter().any(char::is_ascii_digit) {
        true => shown[..word]
            .iter()
            .rposition(|&c| c != ' ')
            .map_or(0, |last| last + 1),
        false => width,
    }
}

/// A name in one line, without what is not shown as itself.
fn plain(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for c in name.chars() {
        match c.is_control() {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    shown
}

/// At most `width` columns of a line; colours take none, and end with it. Of a figure it has all digits or none.
fn cut(line: &str, width: usize) -> String {
    let width = whole_words(line, width);
    let (mut shown, mut columns, mut in_color) = (String::with_capacity(line.len()), 0, false);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            let codes: String = rest.by_ref().take_while(|&c| c != 'm').collect();
            in_color = codes != "[0";
            shown.push_str(&format!("{c}{codes}m"));
            continue;
        }
        if columns == width {
            break;
        }
        columns += 1;
        shown.push(c);
    }
    if in_color {
        shown.push_str("\u{1b}[0m");
    }
    shown
}

#[cfg(test)]
mod tests;
