//! A run of Vdbench as something that can be compared: its flat file (`flatfile.html`), which has all figures with four
//! decimals, by the names of its columns.
//!
//! Belongs here: Vdbench's columns and units: milliseconds, MB of 2^20 bytes. Must never: compute what Vdbench does not
//! say, or read a file.
//!
//! There are no percentiles: the buckets of `histogram.html` are as wide as their own value, so that none could be
//! compared.

mod files;
mod work;

pub use work::{PARAMETER_FILE, SUMMARY_FILE, add_end, add_hosts, add_parameters};

use leadline_dialect::diagnostic::{Diagnostic, SourceId, Sources, Span};
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, Percent, whole};
use leadline_results::compare::{
    LatencyFrom, Properties, Property, PropertyValue, SeriesPart, Subject, SubjectFigure,
    SubjectRow,
};
use leadline_results::work::unsaid;
use std::rc::Rc;

/// The file of a run's folder that is read.
pub const FLAT_FILE: &str = "flatfile.html";

/// Bytes of what Vdbench calls a megabyte.
const MIB: f64 = 1_048_576.0;

/// Rate, throughput and response time of work on storage.
const HEADS: [&str; 3] = ["rate", "MB/sec", "resp"];

/// Whether a text begins as a flat file.
#[must_use]
pub fn is_flat_file(text: &str) -> bool {
    let head: String = text.chars().take(8192).collect();
    head.contains("tod") && head.lines().any(|line| heads(line).is_some())
        || head.contains("flatfile.html") && head.contains("Interval")
}

/// The names of the columns, if a line has these: of work on storage, or on files.
fn heads(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let of_storage = ["Run", "Interval", "rate", "MB/sec", "resp"];
    let of_files = ["Run", "Interval", "Rate", "MB/sec", "Read_rate"];
    let has = |all: &[&str]| all.iter().all(|name| words.contains(name));
    (has(&of_storage) || has(&of_files)).then_some(words)
}

/// Whether a run is the writing of the files that others work on.
fn is_format(run: &str) -> bool {
    run == "SD_format" || run.starts_with("format_for_")
}

/// Whether an average is of no interval (`avg_2-1`), which has no figures, or of a format, which is no result.
fn is_no_result(run: &str, label: &str) -> bool {
    let empty = averaged(label).is_some_and(|(first, last)| last < first);
    is_format(run) || empty
}

/// The first and the last interval that an average is of: 3 and 6 of `avg_3-6`.
fn averaged(label: &str) -> Option<(u64, u64)> {
    let (first, last) = label.strip_prefix("avg_")?.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// Reads the flat file of a run's folder; `name` is that of the folder.
///
/// # Errors
/// All that keeps it from being read, with its line.
pub fn read(name: &str, text: &str, sources: &mut Sources) -> Result<Subject, Vec<Diagnostic>> {
    let source = sources.add(format!("{name}/{FLAT_FILE}"), text);
    let mut subject = Subject {
        name: name.to_owned(),
        source: name.to_owned(),
        ..Subject::default()
    };
    let mut names: Option<Rc<[&str]>> = None;
    let mut intervals: Vec<FlatLine<'_>> = Vec::new();
    let mut faults = Vec::new();
    let mut formats = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let from = at;
        at += line.len();
        if line.starts_with('*') || line.trim().is_empty() || line.contains('<') {
            continue;
        }
        if let Some(found) = heads(line) {
            names = Some(found.into());
            continue;
        }
        let Some(names) = &names else { continue };
        let place = (source, from, from + line.trim_end().len());
        let Some(line) = FlatLine::of(names, line) else {
            faults.extend(wrong("columns", "fewer values than columns", place));
            continue;
        };
        match line.word("Interval") {
            Some(label) if label.starts_with("avg_") => {
                let series = std::mem::take(&mut intervals);
                let run = line.word("Run").unwrap_or_default();
                formats += usize::from(is_format(run));
                if is_no_result(run, label) {
                    continue;
                }
                let rows = match line.word("Read_rate") {
                    Some(_) => files::rows(&line, label, &series),
                    None => line.rows(label, &series),
                };
                match rows {
                    Some(rows) => subject.rows.extend(rows),
                    None => faults.extend(wrong("no-figures", "no rate, MB/sec or resp", place)),
                }
            }
            Some(_) => intervals.push(line),
            None => {}
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    // Of a run that has begun and has no average there is nothing.
    if let Some(run) = intervals.last().and_then(|line| line.word("Run")) {
        subject
            .doubts
            .push(format!("{run} did not come to its end"));
        subject.is_unfinished = true;
    }
    if subject.rows.is_empty() {
        let why = match names {
            None => "there is no line with the names of columns",
            Some(_) if formats > 0 => "there is a format alone, which is no result",
            Some(_) => "there is no line `avg_`: no run came to its end",
        };
        return Err(wrong("no-averages", why, (source, 0, 1)));
    }
    subject.properties.insert(Property::Tool, "Vdbench".into());
    Ok(subject)
}

fn wrong(
    code: &'static str,
    message: &str,
    (source, from, to): (SourceId, usize, usize),
) -> Vec<Diagnostic> {
    let said = Diagnostic::error(code, message).at(Span::new(source, from, to), "");
    vec![said.hint("was Vdbench ended before its end? run it again; leadline reads flatfile.html of its output folder")]
}

/// A line of values by the names of their columns.
struct FlatLine<'a> {
    names: Rc<[&'a str]>,
    words: Vec<&'a str>,
}

impl<'a> FlatLine<'a> {
    fn of(names: &Rc<[&'a str]>, line: &'a str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words.len() >= names.len()).then(|| Self {
            names: Rc::clone(names),
            words,
        })
    }

    fn word(&self, name: &str) -> Option<&'a str> {
        let at = self.names.iter().position(|n| *n == name)?;
        self.words.get(at).copied()
    }

    /// A number of 0 or more; `None` for `n/a` and `NaN`.
    fn number(&self, name: &str) -> Option<f64> {
        let value: f64 = self.word(name)?.parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    }

    /// All I/Os of a run together; where these are reads and writes, what is known of each.
    fn rows(&self, label: &str, intervals: &[Self]) -> Option<Vec<SubjectRow>> {
        let (rate, mib, resp) = (
            self.number("rate")?,
            self.number("MB/sec")?,
            self.number("resp")?,
        );
        let read = self.number("read%").unwrap_or(100.0);
        let milli = |kind, name: &str| {
            self.number(name)
                .map(|ms| SubjectFigure::plain(kind, ms * 1e6))
        };
        let mut figures = vec![
            SubjectFigure::plain(FigureKind::Iops, rate),
            SubjectFigure::plain(FigureKind::BytesPerS, mib * MIB),
            SubjectFigure::plain(FigureKind::Mean, resp * 1e6),
        ];
        figures.extend(milli(FigureKind::Max, "resp_max"));
        let properties = self.properties();
        let row = |op, figures, series| SubjectRow {
            stage: self.word("Run").unwrap_or_default().to_owned(),
            op,
            latency_from: latency_from(&properties),
            properties: properties.clone(),
            figures,
            series,
            ..SubjectRow::default()
        };
        let only = match read {
            r if r >= 100.0 => Some(Op::Read),
            r if r <= 0.0 => Some(Op::Write),
            _ => None,
        };
        let mut rows = vec![row(only, figures, series(label, intervals, HEADS))];
        if only.is_none() {
            for (op, mean, max) in [
                (Op::Read, "read_resp", "read_max"),
                (Op::Write, "write_resp", "write_max"),
            ] {
                // Their rates would follow from a share that is rounded to whole percents.
                let known = [milli(FigureKind::Mean, mean), milli(FigureKind::Max, max)];
                let mut one = row(Some(op), known.into_iter().flatten().collect(), Vec::new());
                // The mean size is that of all I/Os.
                let size = one.properties.get(&Property::BlockSize);
                if size.is_some_and(PropertyValue::is_vague) {
                    one.properties.remove(&Property::BlockSize);
                }
                rows.push(one);
            }
        }
        Some(rows)
    }

    /// What was asked for; `n/a` where workloads differ.
    fn properties(&self) -> Properties {
        let mut all = Properties::new();
        let percent = |name| self.number(name).filter(|p| *p <= 100.0);
        all.extend(
            percent("rdpct").map(|p| (Property::Mix, PropertyValue::Percent(Percent::nearest(p)))),
        );
        let bytes = self
            .number("xfersize")
            .map(|n| PropertyValue::Bytes(Bytes(whole(n))));
        all.extend(bytes.map(|b| (Property::BlockSize, b)));
        let order = match self.number("seekpct") {
            Some(p) if p >= 100.0 => Some("random"),
            Some(p) if p <= 0.0 => Some("sequential"),
            _ => None,
        };
        // Of hits and strides the flat file says nothing.
        let order = order.map(|order| PropertyValue::AtLeast(order.to_owned()));
        all.extend(order.map(|order| (Property::Order, order)));
        let moved = self.number("bytes/io").filter(|bytes| *bytes > 0.0);
        if let Some(mean) = moved {
            let size = PropertyValue::BytesAbout(mean);
            all.entry(Property::BlockSize).or_insert(size);
        }
        let threads = self.number("threads").filter(|n| *n >= 1.0);
        all.extend(threads.map(|n| (Property::Depth, PropertyValue::Count(whole(n)))));
        // From this rate on it means as fast as possible.
        let rate = self
            .number("reqrate")
            .filter(|rate| *rate > 0.0 && *rate < 9_999_900.0);
        all.extend(rate.map(|rate| (Property::Rate, PropertyValue::Iops(rate))));
        // A folder that is written from a run of another front end does not say what that asked for.
        if self.word("reqrate") == Some("n/a") {
            all.extend(unsaid());
        }
        all
    }
}

/// What response times count from: Vdbench takes them from when it issued an I/O, however late that was.
fn latency_from(work: &Properties) -> LatencyFrom {
    match work.contains_key(&Property::Rate) {
        true => LatencyFrom::Issued,
        false => LatencyFrom::Start,
    }
}

/// The intervals that the average of `avg_3-6` is of; one second each where the times of day do not say more.
fn series(label: &str, intervals: &[FlatLine<'_>], heads: [&str; 3]) -> Vec<SeriesPart> {
    let [rate, mib, resp] = heads;
    let Some((first, last)) = averaged(label) else {
        return Vec::new();
    };
    let seconds = interval(intervals).unwrap_or(1.0);
    let within = intervals.iter().filter(|line| {
        let at = line.word("Interval").and_then(|word| word.parse().ok());
        at.is_some_and(|at| (first..=last).contains(&at))
    });
    let parts = within.map(|line| {
        let (rate, mib, resp) = (line.number(rate)?, line.number(mib)?, line.number(resp)?);
        Some(SeriesPart {
            seconds,
            ios: rate * seconds,
            bytes: mib * MIB * seconds,
            latency_sum: Some(resp * 1e6 * rate * seconds),
        })
    });
    parts.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The length of an interval: the median distance of their times of day, in whole seconds.
fn interval(lines: &[FlatLine<'_>]) -> Option<f64> {
    let time = |line: &FlatLine<'_>| {
        let parts: Vec<f64> = line
            .word("tod")?
            .split(':')
            .filter_map(|p| p.parse().ok())
            .collect();
        match parts.as_slice() {
            [h, m, s] => Some(h * 3600.0 + m * 60.0 + s),
            _ => None,
        }
    };
    let times: Vec<f64> = lines.iter().filter_map(time).collect();
    let mut steps: Vec<f64> = times
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|s| *s > 0.0)
        .collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).map(|step| step.round().max(1.0))
}

#[cfg(test)]
mod tests;
