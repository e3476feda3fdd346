//! A run as tables for spreadsheets and scripts: totals, and time series.
//!
//! Belongs here: columns and their order. Must never: format numbers for people (no units, no thousands
//! separators, a dot for the decimals), print a percentile of too few samples (the cell is
//! empty).

use crate::run::Run;
use crate::stats::Interval;
use crate::summary::{Figures, OpFigures, Percentile, PointOp, percentile, summarize};
use leadline_model::op::Op;
use leadline_model::units::Nanos;

/// Columns of [`totals`].
pub const TOTALS: [&str; 47] = [
    "stage",
    "stage_name",
    "workload",
    "workload_name",
    "workers",
    "op",
    "ios",
    "bytes",
    "short",
    "errors",
    "iops",
    "mib_per_s",
    "mb_per_s",
    "span_s",
    "service_min_ns",
    "service_mean_ns",
    "service_p50_ns",
    "service_p99_ns",
    "service_p999_ns",
    "service_max_ns",
    "response_p50_ns",
    "response_p99_ns",
    "response_max_ns",
    "response_p50_at_least",
    "response_p99_at_least",
    "iops_low",
    "iops_high",
    "iops_settled",
    "service_mean_low_ns",
    "service_mean_high_ns",
    "service_p99_low_ns",
    "service_p99_high_ns",
    "response_p99_low_ns",
    "response_p99_high_ns",
    "mib_per_s_low",
    "mib_per_s_high",
    "mib_per_s_settled",
    "service_p50_low_ns",
    "service_p50_high_ns",
    "service_p999_low_ns",
    "service_p999_high_ns",
    "response_p50_low_ns",
    "response_p50_high_ns",
    "response_p999_ns",
    "response_p999_at_least",
    "response_p999_low_ns",
    "response_p999_high_ns",
];

/// Columns of [`series`].
pub const SERIES: [&str; 19] = [
    "stage",
    "stage_name",
    "workload",
    "workload_name",
    "interval",
    "start_s",
    "length_s",
    "warmup",
    "op",
    "ios",
    "iops",
    "mib_per_s",
    "service_mean_ns",
    "service_p50_ns",
    "service_p99_ns",
    "service_max_ns",
    "response_p99_ns",
    "response_max_ns",
    "response_p99_at_least",
];

/// One row for each operation of each workload of each stage that was started; `all` in place of the
/// workload's name, with an empty number, for the stage as a whole.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn totals(run: &Run) -> Result<String, csv::Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(TOTALS)?;
    for stage in summarize(run).stages {
        let head = [stage.stage.to_string(), name(&stage.name)];
        for w in &stage.workloads {
            let workload = [w.workload.to_string(), name(&w.name)];
            figures(&mut table, &[&head[..], &workload[..]].concat(), &w.figures)?;
        }
        let all = [String::new(), "all".to_owned()];
        figures(&mut table, &[&head[..], &all[..]].concat(), &stage.figures)?;
    }
    text(table)
}

/// Columns of [`parts`].
pub const PARTS: [&str; 30] = [
    "stage",
    "stage_name",
    "kind",
    "name",
    "covered",
    "ios",
    "bytes",
    "errors",
    "iops",
    "mib_per_s",
    "service_mean_ns",
    "service_p99_ns",
    "service_max_ns",
    "response_mean_ns",
    "start_late_ns",
    "iops_low",
    "iops_high",
    "iops_settled",
    "mib_per_s_low",
    "mib_per_s_high",
    "mib_per_s_settled",
    "service_mean_low_ns",
    "service_mean_high_ns",
    "service_p99_low_ns",
    "service_p99_high_ns",
    "response_mean_low_ns",
    "response_mean_high_ns",
    "response_p99_ns",
    "response_p99_low_ns",
    "response_p99_high_ns",
];

/// One row for each host (`host`) and each target (`target`) of each stage, reads, writes and trims
/// together. `covered` is 0 for a host that the totals exclude.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn parts(run: &Run) -> Result<String, csv::Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(PARTS)?;
    for stage in summarize(run).stages {
        let mut row = |kind: &str, of: &str, covered: bool, f: &Figures, late: Option<i64>| {
            let mut cells = vec![stage.stage.to_string(), name(&stage.name)];
            cells.extend([kind.to_owned(), name(of)]);
            cells.push(u8::from(covered).to_string());
            cells.extend(part(f));
            cells.push(late.map_or_else(String::new, |ns| ns.to_string()));
            cells.extend(intervals_of_part(&f.data));
            table.write_record(cells)
        };
        for host in &stage.hosts {
            row("host", &host.label, host.covered, &host.figures, host.late)?;
        }
        for target in &stage.targets {
            row("target", &target.name, true, &target.figures, None)?;
        }
    }
    text(table)
}

fn part(figures: &Figures) -> [String; 9] {
    let data = &figures.data;
    let mean = |latency: &leadline_model::latency::Latency| {
        let values = data.ios + latency.unfinished();
        format!("{:.1}", latency.sum as f64 / (values as f64).max(1.0))
    };
    [
        data.ios.to_string(),
        data.bytes.to_string(),
        figures.errors().to_string(),
        format!("{:.3}", data.iops),
        format!("{:.3}", data.bytes_per_s / 1_048_576.0),
        mean(&data.service),
        cell(data.service_at(99.0)),
        data.service.max.to_string(),
        mean(data.response()),
    ]
}

type CsvTable = csv::Writer<Vec<u8>>;

/// A name in a cell. A spreadsheet takes what begins with one of `=+-@` for a formula and runs it; the quote in
/// front of it says that it is text. Control characters are shown as what they are not.
fn name(text: &str) -> String {
    let quote = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        "'"
    } else {
        ""
    };
    let shown = text.replace(|c: char| c.is_control(), "\u{fffd}");
    format!("{quote}{shown}")
}

fn text(table: CsvTable) -> Result<String, csv::Error> {
    let bytes = table
        .into_inner()
        .map_err(|e| csv::Error::from(std::io::Error::other(e.to_string())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn figures(table: &mut CsvTable, head: &[String], figures: &Figures) -> Result<(), csv::Error> {
    let mut ops = figures.ops.iter();
    ops.try_for_each(|of_op| row(table, head, figures, of_op))
}

fn row(
    table: &mut CsvTable,
    head: &[String],
    figures: &Figures,
    (op, of_op): (Op, &OpFigures),
) -> Result<(), csv::Error> {
    let service = &of_op.service;
    let response = of_op.response.as_ref();
    let known = |value: u64| {
        if service.is_empty() {
            String::new()
        } else {
            value.to_string()
        }
    };
    let mut row = head.to_vec();
    row.extend([
        figures.workers.to_string(),
        op.name().to_owned(),
        of_op.ios.to_string(),
        of_op.bytes.to_string(),
        of_op.short.to_string(),
        of_op.errors.to_string(),
        format!("{:.3}", of_op.iops),
        format!("{:.3}", of_op.bytes_per_s / 1_048_576.0),
        format!("{:.3}", of_op.bytes_per_s / 1e6),
        format!("{:.6}", figures.span.as_secs_f64()),
        known(service.min),
        format!("{:.1}", service.mean()),
        cell(of_op.service_at(50.0)),
        cell(of_op.service_at(99.0)),
        cell(of_op.service_at(99.9)),
        known(service.max),
        cell(response.and_then(|_| of_op.response_at(50.0))),
        cell(response.and_then(|_| of_op.response_at(99.0))),
        response.map_or_else(String::new, |r| r.max.to_string()),
        at_least(response.and_then(|r| percentile(r, 50.0))),
        at_least(response.and_then(|r| percentile(r, 99.0))),
    ]);
    row.extend(intervals(of_op));
    table.write_record(row)
}

/// The 95 % intervals of the figures of a host or a target; empty where there is none.
fn intervals_of_part(of: &OpFigures) -> [String; 15] {
    let mib = mib_interval(of);
    let [low, high] = ends(of.certainty.iops);
    let [mib_low, mib_high] = ends(mib);
    let [mean_low, mean_high] = ends(of.certainty.service.mean);
    let [p99_low, p99_high] = ends_of_rank(of.service_at(99.0));
    let [response_low, response_high] = ends(of.response_mean());
    let response = of.response_at(99.0);
    let [response_p99_low, response_p99_high] = ends_of_rank(response);
    [
        low,
        high,
        settled(of.certainty.iops),
        mib_low,
        mib_high,
        settled(mib),
        mean_low,
        mean_high,
        p99_low,
        p99_high,
        response_low,
        response_high,
        cell(response),
        response_p99_low,
        response_p99_high,
    ]
}

fn ends(interval: Option<Interval>) -> [String; 2] {
    let end = |value: f64| format!("{value:.3}");
    interval.map_or_else(Default::default, |i| [end(i.low), end(i.high)])
}

fn ends_of_rank(percentile: Option<Percentile>) -> [String; 2] {
    let shown = percentile.filter(|p| p.shown().is_some());
    let end = |pick: fn(&Percentile) -> Option<Nanos>| {
        let value = shown.as_ref().and_then(pick);
        value.map_or_else(String::new, |ns| ns.0.to_string())
    };
    [end(|p| p.low), end(|p| p.high)]
}

fn settled(of: Option<Interval>) -> String {
    let settled = of.map(|i| u8::from(i.settled).to_string());
    settled.unwrap_or_default()
}

fn mib_interval(of: &OpFigures) -> Option<Interval> {
    let bytes = of.certainty.bytes_per_s;
    bytes.map(|i| i.scaled(1.0 / 1_048_576.0))
}

/// The 95 % intervals of rates, mean and percentiles; empty where there is none. Columns that were added later stand
/// after those whose places scripts know.
fn intervals(of: &OpFigures) -> [String; 22] {
    let [low, high] = ends(of.certainty.iops);
    let mib = mib_interval(of);
    let [mib_low, mib_high] = ends(mib);
    let [mean_low, mean_high] = ends(of.certainty.service.mean);
    let service = |percent| ends_of_rank(of.service_at(percent));
    let response_at = |percent| {
        let response = of.response.as_ref();
        response.and_then(|_| of.response_at(percent))
    };
    let response = |percent| ends_of_rank(response_at(percent));
    let [service_low, service_high] = service(99.0);
    let [response_low, response_high] = response(99.0);
    let [service_p50_low, service_p50_high] = service(50.0);
    let [service_p999_low, service_p999_high] = service(99.9);
    let [response_p50_low, response_p50_high] = response(50.0);
    let [response_p999_low, response_p999_high] = response(99.9);
    [
        low,
        high,
        settled(of.certainty.iops),
        mean_low,
        mean_high,
        service_low,
        service_high,
        response_low,
        response_high,
        mib_low,
        mib_high,
        settled(mib),
        service_p50_low,
        service_p50_high,
        service_p999_low,
        service_p999_high,
        response_p50_low,
        response_p50_high,
        cell(response_at(99.9)),
        at_least(response_at(99.9)),
        response_p999_low,
        response_p999_high,
    ]
}

/// A percentile's nanoseconds; empty when there is none, or too few samples support it.
fn cell(percentile: Option<Percentile>) -> String {
    let shown = percentile.and_then(|p| p.shown());
    shown.map_or_else(String::new, |value| value.0.to_string())
}

/// 1 where a percentile falls among I/Os that had not ended, and is at least that long; else 0.
fn at_least(percentile: Option<Percentile>) -> String {
    let shown = percentile.filter(|p| p.shown().is_some());
    shown.map_or_else(String::new, |p| u8::from(p.at_least).to_string())
}

/// One row for each operation of each workload in each interval, those without I/O included.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn series(run: &Run) -> Result<String, csv::Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(SERIES)?;
    for stage in summarize(run).stages {
        for workload in &stage.workloads {
            for point in &workload.series {
                let head = [
                    stage.stage.to_string(),
                    name(&stage.name),
                    workload.workload.to_string(),
                    name(&workload.name),
                    point.interval.to_string(),
                    format!("{:.6}", point.start.as_secs_f64()),
                    format!("{:.6}", point.length.as_secs_f64()),
                    u8::from(point.warmup).to_string(),
                ];
                // An interval may lack an operation the others have: it had none of it.
                for (op, _) in workload.figures.ops.iter() {
                    let cells = point_cells(op, &point.op(op).copied().unwrap_or_default());
                    table.write_record(head.iter().chain(&cells))?;
                }
            }
        }
    }
    text(table)
}

fn point_cells(op: Op, point: &PointOp) -> [String; 11] {
    let response_max = point.response_max.map(|max| max.0.to_string());
    [
        op.name().to_owned(),
        point.ios.to_string(),
        format!("{:.3}", point.iops),
        format!("{:.3}", point.bytes_per_s / 1_048_576.0),
        format!("{:.1}", point.mean_ns),
        cell(point.p50),
        cell(point.p99),
        point.max.0.to_string(),
        cell(point.response_p99),
        response_max.unwrap_or_default(),
        at_least(point.response_p99),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn totals_have_a_row_for_each_operation() {
        insta::assert_snapshot!(totals(&fixture::run()).unwrap());
    }

    #[test]
    fn no_name_is_a_formula_or_steers_a_terminal() {
        let mut events = fixture::events();
        for event in &mut events {
            if let leadline_model::event::Event::RunStarted { plan, .. } = event {
                plan.stages[0].name = "=HYPERLINK(\"http://x\",\"y\")".to_owned();
                plan.stages[0].workloads[0].name = "a\u{1b}[2J\nb".to_owned();
            }
        }
        let run = fixture::run_of(&events);
        for text in [totals(&run), series(&run), parts(&run)] {
            let text = text.unwrap();
            assert!(text.contains("\"'=HYPERLINK("), "{text}");
            assert!(!text.contains("\u{1b}") && !text.contains(",="), "{text}");
            assert!(
                text.lines()
                    .skip(1)
                    .all(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            );
        }
        assert!(totals(&run).unwrap().contains("a\u{fffd}[2J\u{fffd}b"));
    }

    #[test]
    fn hosts_and_targets_have_rows() {
        let text = parts(&fixture::hosts_run()).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], PARTS.join(","));
        assert_eq!(lines.len(), 1 + 3 + 1 + 3 + 3);
        assert!(
            lines[2].starts_with("0,shared,host,b,1,2000,8192000,0,400."),
            "{}",
            lines[2]
        );
        assert!(
            lines[8].starts_with("1,own,target,/data/wa,1,1200,"),
            "{}",
            lines[8]
        );
        assert!(lines.iter().all(|l| l.split(',').count() == PARTS.len()));
    }

    #[test]
    fn the_series_has_intervals_without_io() {
        let text = series(&fixture::run()).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], SERIES.join(","));
        assert_eq!(lines.len(), 1 + 8 + 5 + 3 * 5);
        assert_eq!(
            lines[6],
            "0,latency,0,latency,5,5.000000,1.000000,0,read,0,0.000,0.000,0.0,,,0,,,"
        );
        assert!(lines[1].contains(",1,read,2500,"), "{}", lines[1]);
        assert!(lines.iter().all(|l| l.split(',').count() == SERIES.len()));
    }
}
