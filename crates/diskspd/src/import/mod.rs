//! Results of DISKSPD as something that can be compared: its XML (`-Rxml`) and its text.
//!
//! Belongs here: DISKSPD's elements, tables and units. Must never: compute what DISKSPD does not say, or read a file.
//!
//! Percentiles are of a time span, over all targets; so are its rows. Times are milliseconds with three decimals.

mod text;
mod work;
mod xml;

use leadline_dialect::diagnostic::{Diagnostic, SourceId, Sources, Span};
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;
use leadline_results::compare::{LatencyFrom, Property, Subject, SubjectFigure, SubjectRow};

/// Whether a text begins as a result of DISKSPD.
#[must_use]
pub fn is_result(text: &str) -> bool {
    let head: String = text.chars().take(65_536).collect();
    let words = head.trim_start_matches('\u{feff}').trim_start();
    xml::is_xml(words)
        || words.starts_with("Command Line:")
        || head.contains("Results for timespan")
        || head.contains("Results for job")
}

/// Reads a result; `name` is its path.
///
/// # Errors
/// All that keeps it from being read, with its line.
pub fn read(name: &str, text: &str, sources: &mut Sources) -> Result<Subject, Vec<Diagnostic>> {
    let text = text.trim_start_matches('\u{feff}');
    let source = sources.add(name, text);
    let (mut subject, asked) = if xml::is_xml(text.trim_start()) {
        (xml::read(text, source)?, work::of_results(text))
    } else {
        let starts: Vec<usize> = text.match_indices("Command Line:").map(|at| at.0).collect();
        let start = starts.last().copied().unwrap_or(0);
        let mut subject = text::read(text, start, source)?;
        if starts.len() > 1 {
            let several = "it has the results of several runs: the last is read";
            subject.doubts.push(several.to_owned());
        }
        (subject, work::of_command_line(&text[start..]))
    };
    work::put(&mut subject, &asked);
    for row in &mut subject.rows {
        if row.properties.contains_key(&Property::Rate) && row.latency_from == LatencyFrom::Start {
            // DISKSPD counts from when it issued an I/O, however late that was.
            row.latency_from = LatencyFrom::Issued;
        }
    }
    name.clone_into(&mut subject.name);
    name.clone_into(&mut subject.source);
    Ok(subject)
}

/// Something wrong at a place of the text.
fn wrong(
    code: &'static str,
    message: impl Into<String>,
    (source, from, to): (SourceId, usize, usize),
    hint: &str,
) -> Vec<Diagnostic> {
    let said = Diagnostic::error(code, message).at(Span::new(source, from, to), "");
    vec![said.hint(hint)]
}

/// Latencies are milliseconds with three decimals.
const STEP: f64 = 1e3;

/// Which of three columns: reads, writes, all.
const SIDES: [Option<Op>; 3] = [Some(Op::Read), Some(Op::Write), None];

/// What is known of one side of a time span.
#[derive(Clone, Debug, Default)]
struct SideFigures {
    ios: f64,
    iops: f64,
    bytes_per_s: f64,
    /// Mean, then percentiles in percent, then the largest: nanoseconds.
    mean: Option<f64>,
    percentiles: Vec<(f64, f64)>,
    max: Option<f64>,
}

/// The rows of a time span: one for each operation with I/O, and one of both together before them.
fn rows(stage: &str, sides: &[SideFigures; 3]) -> Vec<SubjectRow> {
    let mixed = sides[0].ios > 0.0 && sides[1].ios > 0.0;
    let shown = SIDES.iter().zip(sides).filter(|(op, side)| {
        let is_all = op.is_none();
        side.ios > 0.0 && (!is_all || mixed)
    });
    let mut rows: Vec<SubjectRow> = shown.map(|(op, side)| row(stage, *op, side)).collect();
    rows.sort_by_key(|row| row.op.is_some());
    rows
}

fn row(stage: &str, op: Option<Op>, side: &SideFigures) -> SubjectRow {
    let mut figures = vec![
        SubjectFigure::plain(FigureKind::Iops, side.iops),
        SubjectFigure::plain(FigureKind::BytesPerS, side.bytes_per_s),
    ];
    let mut add = |kind: FigureKind, value: f64| {
        if figures.iter().all(|figure| figure.kind != kind) {
            figures.push(SubjectFigure::plain(kind, value));
        }
    };
    side.mean
        .into_iter()
        .for_each(|ns| add(FigureKind::Mean, ns));
    for (percent, ns) in &side.percentiles {
        add(FigureKind::percentile(*percent), *ns);
    }
    side.max.into_iter().for_each(|ns| add(FigureKind::Max, ns));
    let has_latency = figures.len() > 2;
    SubjectRow {
        latency_step: STEP,
        stage: stage.to_owned(),
        op,
        latency_from: match has_latency {
            true => LatencyFrom::Start,
            false => LatencyFrom::Unknown,
        },
        figures,
        ..SubjectRow::default()
    }
}

#[cfg(test)]
mod tests;
