//! A run for the terminal: verdict, one table, the depth curve, findings; and the line that shows where
//! a running stage is.
//!
//! Belongs here: fitting words into a width. Colour and symbols beyond ASCII only where [`Style`] allows
//! them, and never as the only sign of anything.

mod history;
mod live;
mod subject;
mod table;

pub use history::{When, history};
pub use live::{LiveBlock, PointsOfAll, live, live_block};
pub use subject::subject;

use crate::render::answer;
use crate::render::spread::{self, Spread};
use crate::run::Run;
use crate::states;
use crate::study::Verdict;
use crate::study::curves_of_one_state;
use crate::study::series::DepthCurve;
use crate::study::studies::Answer;
use crate::summary::measured::PointResult;
use crate::summary::{mean_text, summarize};
use crate::trust::grade::Grades;
use crate::words::{legend, rate, rate_half_width, span_half_width, unbroken};
use leadline_model::finding::{Finding, Severity};
use std::fmt::Write as _;
pub(in crate::render) use table::{Align, Table};

/// How text may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours may be used (a terminal, and NO_COLOR is not set).
    pub color: bool,
    /// Symbols beyond ASCII may be used.
    pub unicode: bool,
    /// Columns of the terminal, at least 40.
    pub width: usize,
}

impl Default for Style {
    /// 80 columns, ASCII, no colour.
    fn default() -> Self {
        Self {
            color: false,
            unicode: false,
            width: 80,
        }
    }
}

impl Style {
    /// `text` in bold.
    pub(in crate::render) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// `text` in a quiet colour.
    pub(in crate::render) fn quiet(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(in crate::render) fn paint(self, code: &str, text: &str) -> String {
        if self.color && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    fn cut(self, text: &str, most: usize) -> String {
        let length = text.chars().count();
        if length <= most {
            return text.to_owned();
        }
        let mark = if self.unicode { "\u{2026}" } else { "~" };
        // The end of a name distinguishes more than its middle.
        let tail = most.saturating_sub(1) / 2;
        let head = most.saturating_sub(1) - tail;
        let start: String = text.chars().take(head).collect();
        let end: String = text.chars().skip(length - tail).collect();
        format!("{start}{mark}{end}")
    }
}

/// The whole of a run: title, verdict, table, depth curve, findings.
#[must_use]
pub fn run(run: &Run, style: &Style) -> String {
    let style = Style {
        width: style.width.max(40),
        ..*style
    };
    let summary = summarize(run);
    let points = summary.points(run);
    let answer = states::answer_of(run, &summary);
    let verdict = Verdict::of_run(run, &summary, &points, answer.as_ref());
    let mut out = String::new();
    let title = run.plan.as_ref().map_or("run", |p| p.title.as_str());
    let grades = Grades::of_run(run);
    let trust = format!("grade {}: {}", grades.run.letter, grades.run.sentence());
    let _ = writeln!(out, "{}\n", heading(title, style));
    for sentence in &verdict.sentences {
        out.push_str(&wrapped(&unbroken(sentence), "  ", "  ", style.width));
    }
    if let Some(legend) = legend(&verdict.sentences) {
        out.push_str(&wrapped(legend, "  ", "  ", style.width));
    }
    out.push('\n');
    out.push_str(&wrapped(&trust, "", "  ", style.width));
    out.push('\n');
    match answer {
        Some(answer) => out.push_str(&answer_tables(&answer, style)),
        None => out.push_str(&table::results(&summary, &grades, style)),
    }
    for curve in curves(run, &points) {
        out.push('\n');
        out.push_str(&depth(&curve, style));
    }
    let mut spreads = spread::tables(run, &summary);
    let said = spread::said_of_all(&mut spreads);
    if !said.is_empty() {
        out.push('\n');
        out.push_str(&wrapped(&said, "  ", "  ", style.width));
    }
    for spread in spreads {
        out.push('\n');
        out.push_str(&spread_table(&spread, style));
    }
    if let Some(devices) = spread::devices(run, &summary).filter(|d| d.rows.len() <= MOST_DEVICES) {
        out.push('\n');
        out.push_str(&spread_table(&devices, style));
    }
    if !run.findings.is_empty() {
        out.push('\n');
        out.push_str(&findings(run, &run.findings, &style));
        let more = "`leadline\u{a0}explain\u{a0}CODE` says more about a finding.";
        out.push_str(&wrapped(more, "", "", style.width));
    }
    out
}

/// The depth curves of a run that is no study: a study has tables of its own.
fn curves(run: &Run, points: &[PointResult]) -> Vec<DepthCurve> {
    match run.plan.as_ref().is_some_and(|plan| plan.study.is_some()) {
        true => Vec::new(),
        false => curves_of_one_state(points),
    }
}

/// A heading in lines of whole words: what is in it may be a figure.
fn heading(text: &str, style: Style) -> String {
    style.bold(wrapped(text, "", "  ", style.width).trim_end())
}

/// The tables of a study's answer; one that is wider than the terminal is folded: its other columns follow below, after
/// those that say what each row is of.
fn answer_tables(answer: &Answer, style: Style) -> String {
    let mut out = String::new();
    for (number, shown) in answer.tables.iter().enumerate() {
        let shown = &answer::in_order(shown);
        if number > 0 {
            out.push('\n');
        }
        let _ = writeln!(out, "{}", heading(&shown.title, style));
        let mut table = Table::default();
        table.push(answer::heads(shown));
        for row in &shown.rows {
            table.push(answer::cells(shown, row));
        }
        let is_number = |column: usize| answer::is_number(shown, column);
        out += &folded(&table, answer::settings(shown), style, &is_number);
    }
    if let Some(foot) = answer::foot(&answer.tables) {
        out.push_str(&wrapped(foot, "", "", style.width));
    }
    out
}

/// Findings with their cures, the worst first.
#[must_use]
pub fn findings(run: &Run, findings: &[Finding], style: &Style) -> String {
    let sorted = crate::render::html::sorted(findings);
    let mut out = String::new();
    for (i, finding) in sorted.iter().enumerate() {
        let same = |f: &&&Finding| (&f.code, f.severity) == (&finding.code, finding.severity);
        // One said of many workloads must not hide the others.
        if sorted.iter().take(i).any(|f| same(&f)) {
            continue;
        }
        let more = sorted.iter().filter(same).count() - 1;
        let (word, code) = match finding.severity {
            Severity::Fail => ("failed", "1;31"),
            Severity::Warn => ("warning", "1;33"),
            Severity::Info => ("note", "1"),
        };
        let place = match crate::render::html::place(run, finding) {
            place if place.is_empty() => String::new(),
            place => format!(" in {place}"),
        };
        let text = format!("{word}[{}]{place}: {}", finding.code, finding.text);
        let block = wrapped(&text, "", "  ", style.width);
        out.push_str(&block.replacen(word, &style.paint(code, word), 1));
        if !finding.cure.text.is_empty() {
            let cure = format!("what to do: {}", finding.cure);
            out.push_str(&wrapped(&cure, "  ", "  ", style.width));
        }
        if more > 0 {
            let words = format!("({more} more of this kind in the report)");
            out.push_str(&wrapped(&words, "  ", "  ", style.width));
        }
    }
    out
}

/// Words in lines of at most `width` columns; a word longer than that is alone. A blank that does not break is one.
#[must_use]
pub fn wrapped(text: &str, first: &str, next: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = first.to_owned();
    let mut empty = true;
    let parts = text
        .split([' ', '\n', '\t'])
        .filter(|word| !word.is_empty());
    for word in parts.map(|word| word.replace('\u{a0}', " ")) {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            let _ = writeln!(out, "{line}");
            next.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(&word);
        empty = false;
    }
    let _ = writeln!(out, "{line}");
    out
}

/// A table of devices that is longer is on the page only.
const MOST_DEVICES: usize = 8;

/// Most rows of a table of hosts or targets: the page has them all.
const MOST_ROWS: usize = 32;

/// A table in parts that fit the terminal, each of which begins with the first `keys` columns; its first row is of heads.
fn folded(table: &Table, keys: usize, style: Style, is_number: &dyn Fn(usize) -> bool) -> String {
    let draw = |columns: Vec<usize>| {
        let align = |place: usize| match columns.get(place).is_some_and(|own| is_number(*own)) {
            true => Align::Right,
            false => Align::Left,
        };
        table
            .part(&columns)
            .draw(&align, &|row, _, cell| match row {
                0 => style.quiet(cell),
                _ => cell.to_owned(),
            })
    };
    table
        .folded(keys, style.width)
        .into_iter()
        .map(draw)
        .collect()
}

/// A table of hosts or targets.
fn spread_table(spread: &Spread, style: Style) -> String {
    let mut out = format!("{}\n", style.bold(&spread.title));
    if !spread.said.is_empty() {
        out.push_str(&wrapped(&spread.note(), "  ", "  ", style.width));
    }
    let beside = spread_rows(spread, true, style);
    let table = match beside.width() <= style.width {
        true => beside,
        false => spread_rows(spread, false, style),
    };
    out += &folded(&table, 1, style, &|column| spread.is_number(column));
    if spread.rows.len() > MOST_ROWS {
        let _ = writeln!(
            out,
            "  ({} more in the report)",
            spread.rows.len() - MOST_ROWS
        );
    }
    out
}

/// The rows of a table of hosts or targets, with the intervals of figures beside them or in rows below.
fn spread_rows(spread: &Spread, beside: bool, style: Style) -> Table {
    let mut table = Table::default();
    let last = spread.heads.len();
    table.push(spread.heads.iter().map(|h| (*h).to_owned()).collect());
    for (number, row) in spread.rows.iter().take(MOST_ROWS).enumerate() {
        let within = |column: usize| spread.within(number, column).replace(' ', "");
        let mut row = row.clone();
        for (column, cell) in row.iter_mut().enumerate() {
            // Columns are apart by spaces: a time has none.
            if spread.is_time(column) {
                cell.retain(|letter| letter != ' ');
            }
            if beside && !within(column).is_empty() {
                cell.push_str(&format!("+-{}", within(column)));
            }
        }
        row[0] = style.cut(&row[0], style.width / 3);
        table.push(row);
        let mut below: Vec<String> = (0..last).map(within).collect();
        if !beside && below.iter().any(|cell| !cell.is_empty()) {
            table::BELOW.clone_into(&mut below[0]);
            table.push(below);
        }
    }
    table
}

/// The rows of a depth curve: depths across, what each brought and cost below, with the intervals of these.
fn depth_rows(curve: &DepthCurve) -> Vec<Vec<String>> {
    let knee = curve.plateau().then_some(curve.knee);
    let of = |label: &str, cells: &dyn Fn(&PointResult) -> String| {
        let cells = curve.all_said().into_iter().map(cells);
        std::iter::once(label.to_owned()).chain(cells).collect()
    };
    let tail = |p: &PointResult, percent| table::marked(p.figures.data.response_at(percent));
    let tail_within = |p: &PointResult, percent| table::off(p.figures.data.response_at(percent));
    let iops_within =
        |p: &PointResult| table::share(p.figures.data.certainty.iops, rate_half_width);
    let mean = |p: &PointResult| mean_text(p.figures.data.response()).replace(' ', "");
    let mean_within =
        |p: &PointResult| table::share(p.figures.data.response_mean(), span_half_width);
    let marks = |label: &str, is: &dyn Fn(usize) -> Option<&'static str>| {
        let cells = (0..curve.points.len()).map(|place| is(place).unwrap_or_default().to_owned());
        std::iter::once(label.to_owned()).chain(cells).collect()
    };
    vec![
        of("in flight", &|p| p.in_flight.to_string()),
        of("IOPS", &|p| rate(p.iops())),
        of(table::BELOW, &iops_within),
        of("p50", &|p| tail(p, 50.0)),
        of(table::BELOW, &|p| tail_within(p, 50.0)),
        of("p99", &|p| tail(p, 99.0)),
        of(table::BELOW, &|p| tail_within(p, 99.0)),
        of("mean", &mean),
        of(table::BELOW, &mean_within),
        marks("", &|place| (knee == Some(place)).then_some("knee")),
        marks("credits", &|place| {
            let said = curve.said(&curve.points[place]);
            curve.is_paid_with_credits(said).then_some("yes")
        }),
    ]
}

/// A depth curve as a table.
fn depth(curve: &DepthCurve, style: Style) -> String {
    let rows = depth_rows(curve);
    let is_paid = |row: &Vec<String>| row.iter().any(|cell| cell == "yes");
    let again = match &curve.earlier {
        Some(_) if rows.iter().any(is_paid) => {
            ", measured again after the rate changed (credits: above the rate that lasts)"
        }
        Some(_) => ", measured again after the rate changed",
        None => "",
    };
    let second = curve.said_by_another().map_or_else(String::new, |p| {
        format!("; at {} in flight: the second measurement", p.in_flight)
    });
    let name = "queue depth";
    let mut out = wrapped(&format!("{name}{again}{second}"), "", "  ", style.width).replacen(
        name,
        &style.bold(name),
        1,
    );
    let wide = rows
        .iter()
        .flat_map(|row| row.iter().skip(1))
        .map(|c| c.chars().count())
        .max()
        .unwrap_or(8)
        + 2;
    let each = (style.width.saturating_sub(9) / wide).max(1);
    for start in (1..=curve.points.len()).step_by(each) {
        let end = (start + each).min(curve.points.len() + 1);
        let mut table = Table::default();
        for row in &rows {
            let cells = row.get(start..end).unwrap_or_default();
            if cells.iter().all(String::is_empty) {
                continue;
            }
            let label = row.first().cloned().unwrap_or_default();
            table.push(
                std::iter::once(label)
                    .chain(cells.iter().cloned())
                    .collect(),
            );
        }
        let align = |i: usize| if i == 0 { Align::Left } else { Align::Right };
        out.push_str(&table.draw(&align, &|_, _, cell| cell.to_owned()));
    }
    out
}
