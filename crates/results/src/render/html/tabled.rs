//! Charts made of the tables of an answer: percentiles beside means, and something to look at where a study draws nothing.
//!
//! Belongs here: which columns make a chart. Must never: compute a figure.

use super::curves::{HEIGHT, figure, line};
use super::view::Figure;
use crate::render::answer::{self, is_setting};
use crate::render::hues;
use crate::render::svg::{Axis, Chart, MarkerFill, ScaleKind, Series, Shape, Unit};
use crate::stats::Bracket;
use crate::study::studies::Answer;
use crate::study::studies::answer::{AnswerCell, AnswerTable, AnswerUnit, Column};

/// Most names along an axis.
const MOST_NAMES: usize = 12;
/// Most groups of a table that get lines of their own.
const MOST_GROUPS: usize = 8;
/// Percentiles that are drawn.
const PERCENTILES: [&str; 3] = ["p50", "p99", "p99.9"];
/// The column of the states of the system.
const STATE: &str = "state";
/// Colours of several states, since blue and orange are reads and writes.
const CLASSES: [&str; 3] = ["all", "sync", "trim"];
/// Bytes in a MiB.
const MIB: f64 = 1_048_576.0;

/// The charts that an answer's own do not show.
pub(super) fn figures(answer: &Answer) -> Vec<Figure> {
    let drawn = &answer.charts;
    let has_tail = drawn
        .iter()
        .any(|c| c.y.unit == AnswerUnit::Nanos && !c.y.label.starts_with("mean"));
    let mut found = Vec::new();
    if !drawn.is_empty() && !has_tail {
        found.extend(answer.tables.iter().filter_map(along_a_number));
    }
    if drawn.is_empty() {
        found.extend(answer.tables.iter().flat_map(by_name));
    }
    let each = found.into_iter().enumerate();
    each.map(|(n, mut chart)| {
        chart.id = format!("table-{n}");
        figure(&chart, String::new(), false)
    })
    .collect()
}

/// The column of a name and unit.
pub(super) fn column(table: &AnswerTable, name: &str, unit: AnswerUnit) -> Option<usize> {
    let mut all = table.columns.iter();
    all.position(|c| c.name == name && c.unit == unit)
}

/// The percentiles of a table, with their columns.
fn percentiles(table: &AnswerTable) -> Vec<(&'static str, usize)> {
    let known = PERCENTILES.into_iter();
    known
        .filter_map(|name| Some((name, column(table, name, AnswerUnit::Nanos)?)))
        .collect()
}

/// A value and what else is known of it.
type Value = (f64, Bracket);

/// What a percentile of too few samples is drawn as, so that the caption says it.
const NOTHING: Value = (f64::NAN, Bracket::Unknown);

fn value(row: &[AnswerCell], column: usize) -> Option<Value> {
    let cell = row.get(column)?;
    Some((cell.number()?, cell.bracket()))
}

fn text(row: &[AnswerCell], column: usize) -> Option<&str> {
    match row.get(column)? {
        AnswerCell::Text(text) => Some(text),
        _ => None,
    }
}

/// The columns of what was set: those before the first figure.
fn settings(table: &AnswerTable) -> usize {
    let first = table.columns.first();
    match first.is_some_and(|c| is_setting(&c.unit)) {
        true => answer::settings(table),
        false => 0,
    }
}

/// What a row is of but for the column along x: `near`, `depth 64`.
fn group(table: &AnswerTable, row: &[AnswerCell], x: usize) -> String {
    let others = (0..settings(table)).filter(|column| *column != x);
    let words = others.filter_map(|column| match row.get(column)? {
        AnswerCell::Text(text) => Some(text.clone()),
        cell => {
            let number = crate::words::trim_to(cell.number()?, 1);
            Some(format!("{} {number}", table.columns[column].name))
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Percentiles over the number that the rows differ in, a line for each percentile and group; of many groups p99 alone.
fn along_a_number(table: &AnswerTable) -> Option<Chart> {
    let is_number = |unit: AnswerUnit| matches!(unit, AnswerUnit::Count | AnswerUnit::Bytes);
    let x = table.columns.iter().position(|c| is_number(c.unit))?;
    let along = table.columns.get(x).filter(|_| x < settings(table))?;
    let mut groups: Vec<String> = Vec::new();
    for name in table.rows.iter().map(|row| group(table, row, x)) {
        if !groups.contains(&name) {
            groups.push(name);
        }
    }
    let mut tails = percentiles(table);
    tails.truncate(2);
    if groups.len() > MOST_GROUPS / 2 {
        tails.retain(|tail| tail.0 == "p99");
    }
    if groups.len() > MOST_GROUPS {
        return None;
    }
    let names: Vec<&str> = groups.iter().map(String::as_str).collect();
    let classes = match groups.len() {
        0 | 1 => vec!["all".to_owned()],
        _ => hues::of_all(&names),
    };
    let before = |place: usize| {
        let own = classes.get(place);
        classes
            .iter()
            .take(place)
            .filter(|class| Some(*class) == own)
            .count()
    };
    let repeat = (0..groups.len()).any(|place| before(place) > 0);
    let both = tails.len() > 1;
    let each = tails.iter().flat_map(|tail| {
        let each = groups.iter().enumerate();
        each.map(|(place, own)| {
            let label = format!("{own} {}", tail.0);
            let look = match (both, repeat) {
                (true, _) => before(place) * 2 + usize::from(tail.0 != "p50"),
                (false, true) => before(place),
                (false, false) => place % 3,
            };
            let variant = u8::try_from(look).unwrap_or(0);
            let class = classes.get(place).map_or("all", String::as_str);
            let mut one = line(label.trim(), class, variant, Shape::Marked, Vec::new());
            for row in table.rows.iter().filter(|row| group(table, row, x) == *own) {
                if let Some((x, _)) = value(row, x) {
                    let (y, bracket) = value(row, tail.1).unwrap_or(NOTHING);
                    one.points.push((x, y));
                    one.brackets.push(bracket);
                }
            }
            one
        })
        .collect::<Vec<_>>()
    });
    let mut series: Vec<Series> = each.collect();
    // Of single points there is no chart.
    let is_line = |one: &Series| one.points.iter().filter(|p| p.1.is_finite()).count() > 1;
    if !series.iter().any(is_line) {
        series.clear();
    }
    let names: Vec<&str> = tails.iter().map(|tail| tail.0).collect();
    let along_what = match along.name.as_str() {
        "round" => "rounds",
        _ => axis_name(along),
    };
    let what = format!("{} over {along_what}", names.join(" and "));
    (!series.is_empty()).then(|| over(along, series, title_of(&what, table)))
}

/// Whether what is along x is counted from its first value on, by its name.
pub(super) fn is_counted(name: &str) -> bool {
    matches!(name, "round" | "hosts")
}

/// What an axis of a column is called, which a heading has no room for.
fn axis_name(along: &Column) -> &str {
    match along.name.as_str() {
        "block" => "block size",
        name => name,
    }
}

/// How a column spreads along x, as in the charts that a study draws itself.
fn scale_of(along: &Column) -> ScaleKind {
    match along.name.as_str() {
        name if is_counted(name) => ScaleKind::Counted,
        _ => ScaleKind::Log2,
    }
}

/// The chart of percentiles over a column.
fn over(along: &Column, series: Vec<Series>, title: String) -> Chart {
    let unit = match along.unit {
        AnswerUnit::Bytes => Unit::Bytes,
        _ => Unit::Whole,
    };
    Chart {
        title,
        description: described(&series, |x| unit.text(x), |y| Unit::Nanos.text(y)),
        x: Axis::new(axis_name(along), scale_of(along), unit),
        ..chart(
            series,
            ("latency", ScaleKind::Log10, Unit::Nanos),
            Vec::new(),
        )
    }
}

/// What is said of a table: its title without what the table itself is called (`near: Depths: 4 KiB random read`).
pub(super) fn title_of(what: &str, table: &AnswerTable) -> String {
    let parts: Vec<&str> = table.title.split(": ").collect();
    match parts.as_slice() {
        [] | [_] => what.to_owned(),
        [_, of] => format!("{what}: {of}"),
        [state, .., of] => format!("{state}: {what}: {of}"),
    }
}

fn chart(series: Vec<Series>, y: (&str, ScaleKind, Unit), names: Vec<String>) -> Chart {
    Chart {
        id: String::new(),
        title: String::new(),
        description: String::new(),
        x: Axis::of_names("", names),
        y: Axis::new(y.0, y.1, y.2),
        series,
        marks: Vec::new(),
        height: HEIGHT,
    }
}

/// What stands along x, and what is drawn of each: names, and of several states of the system these.
struct NamesAlong {
    names: Vec<String>,
    /// Their names; one without a name where there are no states.
    states: Vec<String>,
}

impl NamesAlong {
    /// Those of a table; `None` where rows have no names, equal ones, or too many.
    fn of(table: &AnswerTable) -> Option<Self> {
        let has_states = table.columns.get(1).is_some_and(|c| c.name == STATE);
        let mut own = Self {
            names: Vec::new(),
            states: Vec::new(),
        };
        let add = |to: &mut Vec<String>, name: &str| {
            if !to.iter().any(|known| known == name) {
                to.push(name.to_owned());
            }
        };
        for row in &table.rows {
            add(&mut own.names, text(row, 0)?);
            add(&mut own.states, if has_states { text(row, 1)? } else { "" });
        }
        let count = own.names.len();
        let is_each = has_states || count == table.rows.len();
        (is_each && (1..=MOST_NAMES).contains(&count)).then_some(own)
    }

    /// A column over the names in each state, the series side by side.
    fn series(
        &self,
        table: &AnswerTable,
        (name, column): (&str, usize),
        times: f64,
    ) -> Vec<Series> {
        let unit = table.columns.get(column).map(|column| column.unit);
        let is_latency = unit == Some(AnswerUnit::Nanos);
        let of = |(state, n): (&String, u8)| {
            let is_own = |row: &&Vec<AnswerCell>| state.is_empty() || text(row, 1) == Some(state);
            let rows = table.rows.iter().filter(is_own);
            let mut one = line(state, "all", n % 3, Shape::Dots, Vec::new());
            if state.is_empty() {
                name.clone_into(&mut one.label);
            } else {
                CLASSES[usize::from(n) % CLASSES.len()].clone_into(&mut one.class);
            }
            for row in rows {
                let x = self
                    .names
                    .iter()
                    .zip(0_u32..)
                    .find(|own| text(row, 0) == Some(own.0));
                let missing = Some(NOTHING).filter(|_| is_latency);
                if let (Some((_, x)), Some((y, bracket))) = (x, value(row, column).or(missing)) {
                    one.points.push((f64::from(x), y * times));
                    one.brackets.push(bracket.scaled(times));
                }
            }
            one
        };
        self.states.iter().zip(0_u8..).map(of).collect()
    }

    /// The chart of a figure, its series side by side.
    fn chart(
        &self,
        title: String,
        y: (&str, ScaleKind, Unit),
        mut series: Vec<Series>,
    ) -> Option<Chart> {
        series.retain(|one| !one.points.is_empty());
        // Those without a value are named in the caption, and take no room.
        let has_value = |one: &Series| one.points.iter().any(|point| point.1.is_finite());
        let (mut series, empty): (Vec<Series>, Vec<Series>) =
            series.into_iter().partition(has_value);
        let count = u8::try_from(series.len()).unwrap_or(u8::MAX);
        let name = |x: f64| {
            let at = usize::try_from(crate::words::whole(x)).ok();
            at.and_then(|at| self.names.get(at).cloned())
                .unwrap_or_default()
        };
        let description = described(&series, name, |value| y.2.text(value));
        for (one, place) in series.iter_mut().zip(0_u8..) {
            // A bar begins at 0, which an axis of ratios has not.
            if y.1 == ScaleKind::Linear {
                one.shape = Shape::Bars(count);
            }
            let shift = Shape::shift(place, count);
            one.points.iter_mut().for_each(|point| point.0 += shift);
        }
        // The axis says what a line alone is.
        if let ([one], []) = (series.as_mut_slice(), empty.as_slice()) {
            one.label.clear();
        }
        series.extend(empty);
        (count > 0).then(|| Chart {
            title,
            description,
            ..chart(series, y, self.names.clone())
        })
    }
}

/// Rates, percentiles and effects by the name of the row.
fn by_name(table: &AnswerTable) -> Vec<Chart> {
    let Some(named) = NamesAlong::of(table) else {
        return Vec::new();
    };
    if let Some(effects) = effects(table, &named) {
        let y = ("times", ScaleKind::Linear, Unit::Number);
        let names = named.names.clone();
        let description = described(&effects, |_| String::new(), |value| y.2.text(value));
        return vec![Chart {
            title: table.title.clone(),
            description,
            ..chart(effects, y, names)
        }];
    }
    let title = |what: &str| match named.states.len() {
        1 => title_of(what, table),
        _ => format!("{what}, all states"),
    };
    let mut found = Vec::new();
    if let Some(column) = column(table, "iops", AnswerUnit::Iops) {
        let y = ("IOPS", ScaleKind::Linear, Unit::Count);
        let series = named.series(table, ("IOPS", column), 1.0);
        found.extend(named.chart(title("IOPS"), y, series));
    }
    if let Some(column) = column(table, "throughput", AnswerUnit::BytesPerS) {
        let y = ("MiB/s", ScaleKind::Linear, Unit::MibPerS);
        let series = named.series(table, ("MiB/s", column), 1.0 / MIB);
        found.extend(named.chart(title("Throughput"), y, series));
    }
    let tails = percentiles(table);
    let what = match tails.as_slice() {
        [one] => format!("Latency {}", one.0),
        _ => "Latency".to_owned(),
    };
    let each = tails.into_iter().zip(0_u8..).flat_map(|(tail, n)| {
        let mut own = named.series(table, tail, 1.0);
        for one in &mut own {
            match named.states.len() {
                1 => one.variant = n % 3,
                _ => one.fill = MarkerFill::of(usize::from(n)),
            }
        }
        own
    });
    let y = ("latency", ScaleKind::Log10, Unit::Nanos);
    found.extend(named.chart(title(&what), y, each.collect()));
    found
}

/// Effects of factors, which have the ends of their intervals in columns of their own.
fn effects(table: &AnswerTable, named: &NamesAlong) -> Option<Vec<Series>> {
    let of = |name: &str| column(table, name, AnswerUnit::Number);
    let (times, from, to) = (of("times")?, of("from")?, of("to")?);
    let mut all = named.series(table, ("", times), 1.0);
    let drawn = table.rows.iter().filter(|row| value(row, times).is_some());
    let ends = drawn.map(|row| match (value(row, from), value(row, to)) {
        (Some(low), Some(high)) => Bracket::Within(low.0, high.0),
        _ => Bracket::Unknown,
    });
    all.first_mut()?.brackets = ends.collect();
    Some(all)
}

/// The figures in words, for those who do not see the picture.
fn described(series: &[Series], x: impl Fn(f64) -> String, y: impl Fn(f64) -> String) -> String {
    let each = series.iter().map(|one| {
        let known = one.points.iter().filter(|p| p.1.is_finite());
        let points = known.map(|p| format!("{}: {}", x(p.0), y(p.1)));
        let points: Vec<String> = points.collect();
        format!("{} {}", one.label, points.join(", "))
            .trim()
            .to_owned()
    });
    each.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;
    use crate::study::studies::answer::{AnswerAxis, AnswerChart};

    fn within(value: f64) -> AnswerCell {
        AnswerCell::Within(Interval {
            value,
            low: value * 0.9,
            high: value * 1.1,
            settled: true,
        })
    }

    fn table(first: &[(&str, AnswerUnit)], rows: Vec<Vec<AnswerCell>>) -> AnswerTable {
        let percentiles = [("p50", AnswerUnit::Nanos), ("p99", AnswerUnit::Nanos)];
        let all = first.iter().chain(&percentiles);
        AnswerTable {
            title: "Points".to_owned(),
            columns: all.map(|(name, unit)| Column::new(name, *unit)).collect(),
            rows,
        }
    }

    #[test]
    fn a_study_that_draws_means_gets_its_percentiles_with_bands() {
        let row = |depth: f64| {
            let depth_cell = AnswerCell::Number(depth);
            vec![depth_cell, within(1e5 * depth), within(4e5 * depth)]
        };
        let mut answer = Answer {
            tables: vec![table(
                &[("depth", AnswerUnit::Count)],
                vec![row(1.0), row(2.0)],
            )],
            charts: vec![AnswerChart {
                title: "m".to_owned(),
                x: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
                y: AnswerAxis::logarithmic("mean latency", AnswerUnit::Nanos),
                series: Vec::new(),
                marks: Vec::new(),
            }],
            ..Answer::default()
        };
        answer.tables[0].title = "near: Depths: 4 KiB random read".to_owned();
        let [one] = &figures(&answer)[..] else {
            panic!()
        };
        assert_eq!(one.title, "near: p50 and p99 over depth: 4 KiB random read");
        assert!(one.svg.contains(">p50</text>") && one.svg.contains(">p99</text>"));
        assert_eq!(one.svg.matches("class=\"within all\"").count(), 2);
        // Of several depths at each block size each has its lines.
        let row = |block: f64, depth: f64| {
            let set = [block, depth].map(AnswerCell::Number).to_vec();
            let percentiles = [within(1e5 * depth), within(4e5 * depth)];
            set.into_iter().chain(percentiles).collect::<Vec<_>>()
        };
        let settings = [("block", AnswerUnit::Bytes), ("depth", AnswerUnit::Count)];
        let sizes = [4096.0, 8192.0];
        let rows = sizes.into_iter().flat_map(|b| [row(b, 1.0), row(b, 64.0)]);
        answer.tables = vec![table(&settings, rows.collect())];
        let [one] = &figures(&answer)[..] else {
            panic!()
        };
        for name in ["depth 1 p50", "depth 64 p99"] {
            assert!(
                one.svg.contains(&format!(">{name}</text>")),
                "{name}: {}",
                one.svg
            );
        }
        answer.charts[0].y = AnswerAxis::logarithmic("p99", AnswerUnit::Nanos);
        assert!(figures(&answer).is_empty());
    }

    /// The answer of a study that draws rates alone, and has this table.
    fn of_rates(table: AnswerTable) -> Answer {
        Answer {
            tables: vec![table],
            charts: vec![AnswerChart {
                title: "m".to_owned(),
                x: AnswerAxis::linear("block", AnswerUnit::Bytes),
                y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
                series: Vec::new(),
                marks: Vec::new(),
            }],
            ..Answer::default()
        }
    }

    #[test]
    fn percentiles_of_reads_and_writes_have_their_colours_and_say_what_lacks() {
        let row = |op: &str, block: f64, p99: AnswerCell| {
            vec![
                AnswerCell::text(op),
                AnswerCell::Number(block),
                within(1e5),
                p99,
            ]
        };
        let settings = [("reads", AnswerUnit::Text), ("block", AnswerUnit::Bytes)];
        let rows = vec![
            row("write", 4096.0, within(4e5)),
            row("read", 4096.0, within(3e5)),
            row("write", 8192.0, AnswerCell::None),
            row("read", 8192.0, within(3e5)),
        ];
        let [one] = &figures(&of_rates(table(&settings, rows)))[..] else {
            panic!()
        };
        assert!(one.title.contains(" over block size"), "{}", one.title);
        assert!(one.svg.contains(">block size<"), "{}", one.svg);
        for (name, class) in [("write p50", "write"), ("read p99", "read")] {
            let (before, _) = one.svg.split_once(&format!(">{name}</text>")).unwrap();
            let text = before.rsplit("<text ").next().unwrap();
            assert!(text.contains(&format!("class=\"name {class}\"")), "{text}");
        }
        let said = "write p99: 1 point has too few samples, or none.";
        assert!(one.caption.contains(said), "{}", one.caption);
        let none = ["write", "read"].map(|op| row(op, 4096.0, within(4e5)));
        assert!(figures(&of_rates(table(&settings, none.to_vec()))).is_empty());
    }

    #[test]
    fn a_study_that_draws_nothing_gets_rates_and_percentiles_by_name_with_whiskers() {
        let row = |name: &str| {
            let first = vec![AnswerCell::text(name), within(5000.0)];
            first
                .into_iter()
                .chain([within(1e5), within(4e5)])
                .collect()
        };
        let first = [("reads", AnswerUnit::Text), ("iops", AnswerUnit::Iops)];
        let answer = Answer {
            tables: vec![table(&first, vec![row("read"), row("write")])],
            ..Answer::default()
        };
        let found = figures(&answer);
        let titles: Vec<&str> = found.iter().map(|f| f.title.as_str()).collect();
        assert_eq!(titles, ["IOPS", "Latency"]);
        assert!(found[0].svg.contains(">write</text>"));
        assert!(found.iter().all(|f| f.svg.contains("class=\"whisker")));
        // A rate is a bar from 0; a latency is not, on an axis of ratios.
        assert_eq!(found[0].svg.matches("class=\"bar side all\"").count(), 2);
        assert!(!found[1].svg.contains("class=\"bar"));
    }

    #[test]
    fn rows_of_several_states_stand_side_by_side_with_a_title_of_their_own() {
        let row = |state: &str, iops: f64| {
            let first = ["4k read", state].map(AnswerCell::text);
            let all = first.into_iter().chain([within(iops), within(1e5)]);
            all.chain([AnswerCell::None]).collect()
        };
        let first = [
            ("point", AnswerUnit::Text),
            (STATE, AnswerUnit::Text),
            ("iops", AnswerUnit::Iops),
        ];
        let mut own = table(&first, vec![row("before", 5000.0), row("after", 9000.0)]);
        own.title = "Difference of IOPS from before".to_owned();
        own.columns.pop();
        let answer = Answer {
            tables: vec![own],
            ..Answer::default()
        };
        let found = figures(&answer);
        let titles: Vec<&str> = found.iter().map(|f| f.title.as_str()).collect();
        assert_eq!(titles, ["IOPS, all states", "Latency p50, all states"]);
        assert_eq!(found[0].svg.matches("class=\"bar side").count(), 2);
        assert_eq!(found[0].svg.matches(">4k read</text>").count(), 1);
        assert!(found[0].svg.contains(">before</text>") && found[0].svg.contains(">after</text>"));
    }

    #[test]
    fn hosts_and_rounds_are_counted_from_their_first() {
        let scale = |name: &str| scale_of(&Column::new(name, AnswerUnit::Count));
        assert_eq!(scale("hosts"), ScaleKind::Counted);
        assert_eq!(scale("round"), ScaleKind::Counted);
        assert_eq!(scale("depth"), ScaleKind::Log2);
    }
}
