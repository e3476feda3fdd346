//! Tables with columns as wide as their content; columns that matter least are left out when the
//! terminal is narrow.

use super::Style;
use crate::stats::Interval;
use crate::summary::{
    OpFigures, Percentile, Summary, WorkloadSummary, longest_text, mean_text, percentile,
};
use crate::trust::grade::Grades;
use crate::words::{
    bytes_half_width, distance, mib_per_s, rate, rate_half_width, span_half_width, thousands, whole,
};
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::units::Nanos;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

/// Where a cell's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::render) enum Align {
    /// At the left.
    Left,
    /// At the right.
    Right,
}

/// Rows of equal length.
#[derive(Clone, Debug, Default)]
pub(in crate::render) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(in crate::render) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        (0..columns)
            .map(|c| {
                self.rows
                    .iter()
                    .filter_map(|r| r.get(c))
                    .map(|t| t.chars().count())
                    .max()
            })
            .map(Option::unwrap_or_default)
            .collect()
    }

    pub(super) fn width(&self) -> usize {
        let widths = self.widths();
        widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
    }

    /// Its columns in parts that are no wider than that, each with the first `keys` of them, so that none is left out; a
    /// column that is wider alone is a part of its own.
    pub(super) fn folded(&self, keys: usize, width: usize) -> Vec<Vec<usize>> {
        let widths = self.widths();
        let before: Vec<usize> = (0..keys.min(widths.len())).collect();
        let mut parts = vec![before.clone()];
        for column in keys..widths.len() {
            let last = parts.last().map_or(&before, |last| last);
            let wide: usize = last.iter().map(|c| widths[*c] + 2).sum();
            let is_full = wide + widths[column] > width && last.len() > keys;
            if is_full {
                parts.push(before.clone());
            }
            if let Some(part) = parts.last_mut() {
                part.push(column);
            }
        }
        parts
    }

    /// These of its columns; without rows of intervals that have none of these.
    pub(super) fn part(&self, columns: &[usize]) -> Self {
        let row = |row: &Vec<String>| -> Vec<String> {
            let cells = columns.iter().filter_map(|c| row.get(*c));
            cells.cloned().collect()
        };
        let is_bare = |row: &Vec<String>| {
            row.first().is_some_and(|cell| cell == BELOW) && row[1..].iter().all(String::is_empty)
        };
        let rows = self.rows.iter().map(row);
        Self {
            rows: rows.filter(|row| !is_bare(row)).collect(),
        }
    }

    fn without(&mut self, column: usize) {
        for row in &mut self.rows {
            if column < row.len() {
                row.remove(column);
            }
        }
    }

    /// The lines; `paint` gets row, column and the padded cell.
    pub(in crate::render) fn draw(
        &self,
        align: &dyn Fn(usize) -> Align,
        paint: &dyn Fn(usize, usize, &str) -> String,
    ) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for (r, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            let last = row.iter().rposition(|t| !t.is_empty()).unwrap_or(0);
            for (c, (text, width)) in row.iter().zip(&widths).enumerate().take(last + 1) {
                let gap = " ".repeat(width - text.chars().count());
                let cell = match align(c) {
                    Align::Left if c == last => text.clone(),
                    Align::Left => format!("{text}{gap}"),
                    Align::Right => format!("{gap}{text}"),
                };
                line.push_str(if c == 0 { "" } else { "  " });
                line.push_str(&paint(r, c, &cell));
            }
            let _ = writeln!(out, "{line}");
        }
        out
    }
}

const HEADS: [&str; 13] = [
    "workload", "op", "IOPS", WITHIN, "MiB/s", "p50", "p99", "p99.9", "mean", "max", "errors",
    "grade", "timeline",
];
/// How far the rate may be off (95 %).
const WITHIN: &str = "+-95%";
/// The same as the first cell of a row below that of a host or a target.
pub(super) const BELOW: &str = "  +-95%";
const ERRORS: usize = 10;
const GRADE: usize = 11;
/// Columns left out when it is too wide, the least important first.
const DISPENSABLE: [&str; 5] = ["timeline", "mean", "p99.9", "max", WITHIN];
/// A name is not cut below this.
const NAME_LEAST: usize = 12;

/// Where the intervals of figures stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IntervalPlace {
    /// Beside them, those of rates in a column of their own.
    Beside,
    /// In a row below.
    Below,
}

/// The table of results; with the grades of points where they differ from that of the run, and with the intervals of
/// figures beside them where there is room for all of it, else below.
pub(super) fn results(summary: &Summary, grades: &Grades, style: Style) -> String {
    let wide = full(summary, grades, (style, IntervalPlace::Beside));
    let mut table = match wide.width() <= style.width {
        true => wide,
        false => full(summary, grades, (style, IntervalPlace::Below)),
    };
    let each = || summary.stages.iter().flat_map(|stage| &stage.workloads);
    let failed = each().any(|workload| workload.figures.errors() > 0);
    if table.rows.len() == 1 {
        return "no workload was started\n".to_owned();
    }
    let mut heads: Vec<&str> = HEADS.to_vec();
    // From the right: the places of those before stay.
    if !grades.are_mixed() {
        table.without(GRADE);
        heads.remove(GRADE);
    }
    if !failed {
        table.without(ERRORS);
        heads.remove(ERRORS);
    }
    let within = heads.iter().position(|h| *h == WITHIN).unwrap_or(0);
    let known = |row: &Vec<String>| row.get(within).is_some_and(|cell| !cell.is_empty());
    if !table.rows.iter().skip(1).any(known) {
        table.without(within);
        heads.remove(within);
    }
    fit(&mut table, &mut heads, style);
    let left = |c: usize| match heads.get(c) {
        Some(&("workload" | "op" | "timeline")) => Align::Left,
        _ => Align::Right,
    };
    let errors = heads.iter().position(|h| *h == "errors");
    let is_quiet = |r: usize| r == 0 || table.rows.get(r).is_some_and(|row| is_below(row));
    table.draw(&left, &|r, c, cell| match r {
        r if is_quiet(r) => style.quiet(cell),
        _ if Some(c) == errors && cell.trim() != "0" => style.paint("1;31", cell),
        _ => cell.to_owned(),
    })
}

/// Whether a row has the intervals of the one above.
fn is_below(row: &[String]) -> bool {
    row.get(1).is_some_and(|cell| cell == WITHIN)
}

/// All columns.
fn full(summary: &Summary, grades: &Grades, (style, place): (Style, IntervalPlace)) -> Table {
    let mut table = Table::default();
    table.push(HEADS.map(str::to_owned).to_vec());
    for stage in &summary.stages {
        for workload in &stage.workloads {
            let mut rows = rows(&workload.label, workload, (style, place));
            let grade = grades.point(stage.stage, workload.workload);
            rows[0][GRADE] = grade.map_or_else(String::new, |grade| grade.letter.to_string());
            rows.into_iter().for_each(|row| table.push(row));
        }
    }
    table
}

/// Leaves out columns and cuts names until the table fits.
fn fit(table: &mut Table, heads: &mut Vec<&str>, style: Style) {
    for name in DISPENSABLE {
        let rest = table.width() - table.widths().first().copied().unwrap_or(0);
        if rest + NAME_LEAST.max(24) <= style.width || table.width() <= style.width {
            break;
        }
        if let Some(column) = heads.iter().position(|h| *h == name) {
            table.without(column);
            heads.remove(column);
        }
    }
    let rest = table.width() - table.widths().first().copied().unwrap_or(0);
    let room = style.width.saturating_sub(rest).max(NAME_LEAST);
    shorten_names(&mut table.rows, room, style);
}

/// Cuts names that are longer than their column. Those that would not be distinguished any more, or would lose a part of
/// a number, are not cut but continue in the rows below, whose names are empty.
fn shorten_names(rows: &mut Vec<Vec<String>>, room: usize, style: Style) {
    let mut whole: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in rows.iter().filter_map(|row| row.first()) {
        let of_cut = whole.entry(style.cut(name, room)).or_default();
        of_cut.insert(name.clone());
    }
    let columns = rows.first().map_or(0, Vec::len);
    let mut rest = VecDeque::new();
    let mut done = Vec::with_capacity(rows.len());
    for mut row in std::mem::take(rows) {
        let name = row.first().cloned().unwrap_or_default();
        if !name.is_empty() {
            done.extend(rest.drain(..).map(|part| named(part, columns)));
            let cut = style.cut(&name, room);
            let is_same = whole.get(&cut).is_some_and(|names| names.len() > 1);
            if is_same || cuts_a_number(&name, &cut) {
                rest = parts(&name, room);
            } else {
                rest.push_back(cut);
            }
        }
        if let (Some(cell), Some(part)) = (row.first_mut(), rest.pop_front()) {
            *cell = part;
        }
        done.push(row);
    }
    done.extend(rest.drain(..).map(|part| named(part, columns)));
    *rows = done;
}

/// Whether a cut takes a number away that is a word of its own: a rate that was asked for is a figure, wherever it stands.
fn cuts_a_number(name: &str, cut: &str) -> bool {
    let is_number = |word: &&str| {
        let of_number = |c: char| c.is_ascii_digit() || ",.".contains(c);
        word.chars().all(of_number) && word.contains(|c: char| c.is_ascii_digit())
    };
    let mut numbers = name.split(' ').filter(is_number);
    numbers.any(|number| !cut.split(' ').any(|word| word == number))
}

/// A row of a name and nothing else.
fn named(name: String, columns: usize) -> Vec<String> {
    let mut row = vec![String::new(); columns];
    if let Some(cell) = row.first_mut() {
        *cell = name;
    }
    row
}

/// A name in parts of at most this many characters, at its blanks where it has some.
fn parts(name: &str, most: usize) -> VecDeque<String> {
    let most = most.max(1);
    let mut parts = VecDeque::new();
    let mut rest: Vec<char> = name.chars().collect();
    while rest.len() > most {
        let blank = rest.iter().take(most + 1).rposition(|c| *c == ' ');
        let at = blank.filter(|at| *at > 0).unwrap_or(most);
        let after = rest.split_off(at);
        parts.push_back(rest.into_iter().collect::<String>());
        rest = after.into_iter().skip_while(|c| *c == ' ').collect();
    }
    parts.push_back(rest.into_iter().collect());
    parts
}

fn rows(
    name: &str,
    workload: &WorkloadSummary,
    (style, place): (Style, IntervalPlace),
) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let done = workload.figures.ops.iter();
    for (op, figures) in done.filter(|(_, f)| f.ios + f.errors > 0) {
        let first = if rows.is_empty() { name } else { "" };
        let timeline = timeline(workload, op, style);
        let at = |percent| figures.response_at(percent);
        let latencies = Latencies {
            of: figures.response(),
            mean: figures.response_mean(),
            at: &at,
            place,
        };
        rows.push(row(first, Some(op), figures, &latencies, timeline));
        rows.extend(below(Some(figures), &latencies));
        if figures.response.is_some() {
            let at = |percent| figures.service_at(percent);
            let latencies = Latencies {
                of: &figures.service,
                mean: figures.certainty.service.mean,
                at: &at,
                place,
            };
            let mut service = row("", None, figures, &latencies, String::new());
            service.iter_mut().skip(2).take(3).for_each(String::clear);
            if let Some(errors) = service.get_mut(ERRORS) {
                errors.clear();
            }
            rows.push(service);
            rows.extend(below(None, &latencies));
        }
    }
    if rows.is_empty() {
        let mut row = vec![String::new(); HEADS.len()];
        name.clone_into(&mut row[0]);
        row[1] = "none".to_owned();
        row[2] = "0".to_owned();
        row[ERRORS] = "0".to_owned();
        rows.push(row);
    }
    rows
}

/// The latencies of a row.
struct Latencies<'a> {
    of: &'a Latency,
    /// The interval of their mean.
    mean: Option<Interval>,
    /// Their percentiles.
    at: &'a dyn Fn(f64) -> Option<Percentile>,
    place: IntervalPlace,
}

impl Latencies<'_> {
    /// A percentile, with its interval where that is shown beside it.
    fn at(&self, percent: f64) -> String {
        let found = (self.at)(percent);
        let is_open = found.is_some_and(|p| p.least().is_some());
        let beside = match off(found) {
            within if within.is_empty() || self.place != IntervalPlace::Beside => String::new(),
            least if is_open => format!("({least})"),
            share => format!("+-{share}"),
        };
        marked(found) + &beside
    }

    /// `+-1.2%`, of what has an interval, where that is shown beside the figure.
    fn beside(&self, interval: Option<Interval>, half_width: HalfWidth) -> String {
        match interval.filter(|_| self.place == IntervalPlace::Beside) {
            Some(interval) => format!("+-{}", share(Some(interval), half_width)),
            None => String::new(),
        }
    }
}

/// The uncertainty of a figure as its column shows it.
pub(super) type HalfWidth = fn(&Interval) -> String;

/// `1.2%`, of what has an interval.
pub(super) fn share(interval: Option<Interval>, half_width: HalfWidth) -> String {
    interval.map_or_else(String::new, |i| half_width(&i).replace(' ', ""))
}

/// The row of intervals below another, where they stand there; `None` = no figure has one, or they do not. Without `rates`,
/// those of latencies alone.
fn below(rates: Option<&OpFigures>, latencies: &Latencies<'_>) -> Option<Vec<String>> {
    let of = |pick: fn(&OpFigures) -> Option<Interval>, half_width| {
        share(rates.and_then(pick), half_width)
    };
    let tail = |percent| off((latencies.at)(percent));
    let mean = latencies.mean.filter(|_| !latencies.of.is_empty());
    let mut row = vec![String::new(); HEADS.len()];
    let cells = [
        (2, of(|f| f.certainty.iops, rate_half_width)),
        (4, of(|f| f.certainty.bytes_per_s, bytes_half_width)),
        (5, tail(50.0)),
        (6, tail(99.0)),
        (7, tail(99.9)),
        (8, share(mean, span_half_width)),
    ];
    let any = cells.iter().any(|(_, cell)| !cell.is_empty());
    for (place, cell) in cells {
        row[place] = cell;
    }
    WITHIN.clone_into(&mut row[1]);
    (any && latencies.place == IntervalPlace::Below).then_some(row)
}

/// The interval of the bytes a second, where it is another than that of the I/Os: blocks are of several sizes.
fn own_bytes(figures: &OpFigures) -> Option<Interval> {
    let bytes = figures.certainty.bytes_per_s?;
    let of = |known: Interval| distance(known.value, &known);
    let is_same = figures.certainty.iops.map(of) == Some(of(bytes));
    (!is_same).then_some(bytes)
}

/// `op`: `None` = the service latency below a row with response latencies.
fn row(
    name: &str,
    op: Option<Op>,
    f: &OpFigures,
    latencies: &Latencies<'_>,
    timeline: String,
) -> Vec<String> {
    let latency = latencies.of;
    let known = |text: String| {
        if latency.is_empty() {
            "-".to_owned()
        } else {
            text
        }
    };
    vec![
        name.to_owned(),
        op.map_or("service", Op::name).to_owned(),
        rate(f.iops),
        share(
            f.certainty
                .iops
                .filter(|_| latencies.place == IntervalPlace::Beside),
            rate_half_width,
        ),
        if op.is_none_or(Op::is_data) {
            mib_per_s(f.bytes_per_s) + &latencies.beside(own_bytes(f), bytes_half_width)
        } else {
            "-".to_owned()
        },
        latencies.at(50.0),
        latencies.at(99.0),
        latencies.at(99.9),
        known(
            mean_text(latency).replace(' ', "")
                + &latencies.beside(latencies.mean, span_half_width),
        ),
        known(longest_text(latency).replace(' ', "")),
        thousands(f.errors),
        String::new(),
        timeline,
    ]
}

/// A span without the blank: `214us`.
pub(super) fn span(ns: f64) -> String {
    Nanos(whole(ns)).to_string().replace(' ', "")
}

/// A percentile; `~` when in doubt, `-` when too few samples support it.
pub(super) fn percentile_text(latency: &Latency, percent: f64) -> String {
    marked(percentile(latency, percent))
}

/// How far a percentile that is shown may be off: `1.2%`, or, of one without an upper end, the lower one: `>8.00ms`.
pub(super) fn off(percentile: Option<Percentile>) -> String {
    let found = percentile.filter(|p| p.shown().is_some());
    match found.and_then(|p| p.least()) {
        Some(least) => format!(">{least}").replace(' ', ""),
        None => share(found.and_then(|p| p.interval()), span_half_width),
    }
}

/// A percentile of figures, as their row in the table has it.
pub(super) fn marked(percentile: Option<Percentile>) -> String {
    percentile.map_or("-".to_owned(), |p| p.text().replace(' ', ""))
}

/// A rate over time in eight columns, from 0 to the highest interval.
fn timeline(workload: &WorkloadSummary, op: Op, style: Style) -> String {
    let rates: Vec<f64> = workload
        .series
        .iter()
        .filter(|p| !p.warmup)
        .map(|p| p.op(op).map_or(0.0, |o| o.iops))
        .collect();
    if rates.len() < 2 {
        return String::new();
    }
    let every = rates.len().div_ceil(8);
    let means: Vec<f64> = rates
        .chunks(every)
        .map(|c| c.iter().sum::<f64>() / c.len() as f64)
        .collect();
    spark(&means, style)
}

/// Bars of rising height.
pub(super) const fn bars(style: Style) -> [char; 8] {
    if style.unicode {
        [
            '\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}',
            '\u{2588}',
        ]
    } else {
        ['_', '.', ',', '-', '=', '+', '*', '#']
    }
}

/// Bars from 0 to the largest value, one character each.
pub(super) fn spark(values: &[f64], style: Style) -> String {
    let steps = bars(style);
    let most = values.iter().copied().fold(0.0, f64::max);
    values
        .iter()
        .map(|v| {
            let share = if most > 0.0 { v / most } else { 0.0 };
            let step = usize::try_from(whole(share * 7.0)).unwrap_or(0).min(7);
            steps[step]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Counted, counted_run};
    use crate::summary::{Trust, summarize};
    use leadline_model::plan::OpMix;

    #[test]
    fn sparkline_spans_zero_to_max() {
        let style = Style::default();
        assert_eq!(spark(&[0.0, 5.0, 10.0], style), "_=#");
        assert_eq!(spark(&[0.0, 0.0], style), "__");
    }

    /// Of too few samples for an upper end the lower one is known: that is not nothing.
    #[test]
    fn a_percentile_without_an_upper_end_has_its_lower_one() {
        let open = Percentile {
            percent: 99.0,
            value: Nanos(26_800_000),
            beyond: 20.0,
            trust: Trust::Doubtful,
            at_least: false,
            low: Some(Nanos(8_000_000)),
            high: None,
            settled: None,
        };
        assert_eq!(off(Some(open)), ">8.00ms");
        let none = Percentile { low: None, ..open };
        assert_eq!(off(Some(none)), "");
        let few = Percentile {
            trust: Trust::TooFew,
            ..open
        };
        assert_eq!(off(Some(few)), "");
    }

    #[test]
    fn names_are_cut_in_the_middle() {
        let style = Style::default();
        assert_eq!(style.cut("latency/4k-randwrite-qd1", 12), "latenc~e-qd1");
        assert_eq!(style.cut("short", 12), "short");
    }

    #[test]
    fn names_that_cutting_would_make_equal_are_not_cut() {
        let row = |name: &str, op: &str| vec![name.to_owned(), op.to_owned()];
        let mut rows = vec![
            row("workload", "op"),
            row("run1_(50%), 664,000 IOPS requested / wd1", "read"),
            row("", "service"),
            row("run1_(50%), 203,000 IOPS requested / wd1", "read"),
            row("latency/4k-randwrite-qd1", "write"),
        ];
        shorten_names(&mut rows, 14, Style::default());
        let expected = [
            ("workload", "op"),
            ("run1_(50%),", "read"),
            ("664,000 IOPS", "service"),
            ("requested /", ""),
            ("wd1", ""),
            ("run1_(50%),", "read"),
            ("203,000 IOPS", ""),
            ("requested /", ""),
            ("wd1", ""),
            ("latency~te-qd1", "write"),
        ];
        assert_eq!(rows, expected.map(|(name, op)| row(name, op)));
        assert_eq!(parts("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    }

    #[test]
    fn a_number_in_a_name_is_never_cut() {
        let row = |name: &str| vec![name.to_owned()];
        let mut rows = vec![
            row("workload"),
            row("r_(10%) / wd1, 200 IOPS requested"),
            row("a-long-name-without-any-number"),
        ];
        shorten_names(&mut rows, 20, Style::default());
        assert_eq!(
            rows,
            [
                row("workload"),
                row("r_(10%) / wd1, 200"),
                row("IOPS requested"),
                row("a-long-nam~ny-number")
            ]
        );
    }

    #[test]
    fn a_wide_table_is_folded_and_keeps_all_columns() {
        let mut table = Table::default();
        table.push(
            ["depth", "total", "IOPS", "p50", "p99"]
                .map(str::to_owned)
                .to_vec(),
        );
        table.push(
            ["1", "10", "3,331 +-1.7%", "209 us +-2.3%", "1.4 ms"]
                .map(str::to_owned)
                .to_vec(),
        );
        assert_eq!(table.folded(1, 80), [vec![0, 1, 2, 3, 4]]);
        assert_eq!(table.folded(1, 30), [vec![0, 1, 2], vec![0, 3, 4]]);
        assert_eq!(
            table.folded(1, 10),
            [vec![0, 1], vec![0, 2], vec![0, 3], vec![0, 4]]
        );
        let drawn = table
            .part(&[0, 3])
            .draw(&|_| Align::Right, &|_, _, cell| cell.to_owned());
        assert_eq!(drawn, "depth            p50\n    1  209 us +-2.3%\n");
    }

    /// Rates of 500 +-134, which are 27 %; all of the I/Os take 1 ms.
    fn uneven() -> String {
        let ios = [4, 6, 3, 7, 5, 3, 5, 7].map(|n| 100 * n);
        let name = "a-name-of-more-than-twenty-letters";
        let own = fixture::workload(name, OpMix::reads(), 4096, 1, 8);
        let run = counted_run(&[], vec![own], &[Counted::ios(0, 0, &ios)]);
        let style = |width| Style {
            width,
            ..Style::default()
        };
        let table = |width| {
            let grades = Grades::of_run(&run);
            results(&summarize(&run), &grades, style(width))
        };
        [80, 200].map(table).concat()
    }

    #[test]
    fn every_figure_has_its_interval_whatever_the_width() {
        let text = uneven();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        let [heads, figures, below, _, wide] = &lines[..] else {
            panic!("{text}")
        };
        assert_eq!(heads[2..6], ["IOPS", "MiB/s", "p50", "p99"], "{text}");
        assert_eq!(figures[2..6], ["500", "1.95", "1.00ms", "~1.00ms"]);
        assert_eq!(below[..], ["+-95%", "27%", "27%", "<0.1%", "<0.1%"]);
        assert!(text.lines().take(3).all(|line| line.len() <= 80), "{text}");
        assert_eq!(wide[2..6], ["500", "27%", "1.95", "1.00ms+-<0.1%"]);
    }
}
