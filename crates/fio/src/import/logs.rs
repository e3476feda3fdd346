//! Logs of fio (`write_bw_log`, `write_iops_log`, `write_lat_log`, `write_hist_log`): all of one prefix are one result.
//!
//! Belongs here: the results that the lines of logs make. Must never: make up what no log says, or read a line (`log_lines`).
//!
//! A line is `time in ms, value, direction, block size, ...`. Without `log_avg_msec` it is of one I/O and has its block size;
//! with it, of a window that ends then, and has 0 there; windows without an I/O have no line. Values are KiB/s, IOPS and
//! nanoseconds (fio 3). A line of a histogram log has the counts of its own window in place of the value. Logs do not say
//! which jobs ran at the same time: each job has rows of its own, and the sum of all is said to be one.

use super::log_lines::{LogKind, LogLine, LogName, LogReader, OPS, OfOne};
use super::{work, wrong};
use leadline_dialect::diagnostic::{Diagnostic, Sources};
use leadline_model::condition::FigureKind;
use leadline_model::histogram::Histogram;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, whole};
use leadline_results::compare::{
    LatencyFrom, Properties, Property, PropertyValue, SeriesPart, Subject, SubjectFigure,
    SubjectRow, summed,
};
use leadline_results::work::unsaid;
use std::collections::BTreeMap;

/// Percentiles that a result has where its histogram holds ten samples beyond them.
const PERCENTS: [f64; 6] = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99];

/// Times from here on count from 1970 (`log_unix_epoch`): a run of three years is none.
const SINCE_1970: f64 = 1e11;
/// Reads the logs of one prefix; `name` is that prefix with its folder.
///
/// # Errors
/// All that keeps them from being read, with its line.
pub fn read_logs(
    name: &str,
    files: &[(LogName, String, String)],
    sources: &mut Sources,
) -> Result<Subject, Vec<Diagnostic>> {
    let mut reader = LogReader::default();
    for (log, path, text) in files {
        let source = sources.add(path.as_str(), text.as_str());
        reader.file(log, path, text, source);
    }
    let LogReader {
        mut all,
        faults,
        cut,
        doubts,
    } = reader;
    if !faults.is_empty() {
        return Err(faults);
    }
    all.values_mut().for_each(from_start);
    let mut subject = Subject {
        name: name.to_owned(),
        source: name.to_owned(),
        rows: rows_of_jobs(&all),
        is_unfinished: !cut.is_empty(),
        doubts: [cut, doubts, without_rate(&all), fewer_rates(&all)].concat(),
        ..Subject::default()
    };
    let sums = of_all_jobs(&subject.rows);
    if !sums.is_empty() {
        let doubt = "logs do not say which jobs ran at once: rows without a job are the sums of all, as if they all had";
        subject.doubts.push(doubt.to_owned());
    }
    subject.rows.splice(0..0, sums);
    if subject.rows.is_empty() {
        let source = sources.add(name, "");
        let (why, cure) = match all.is_empty() {
            true => ("no log of it has a line", RATES),
            false => (
                "latencies that were averaged (log_avg_msec), without the IOPS of each window: how many I/Os a mean is of \
                 is not known",
                "log IOPS too (write_iops_log), or each I/O (without log_avg_msec)",
            ),
        };
        return Err(wrong("no-io", why, (source, 0, 0), cure));
    }
    Ok(subject)
}

/// Jobs with latencies and without a rate, while others have one: no sum includes them.
fn without_rate(all: &BTreeMap<(u32, usize), OfOne>) -> Vec<String> {
    let is_lacking = |logs: &OfOne| {
        let has = |kinds: [LogKind; 2]| kinds.iter().any(|kind| logs.lines.contains_key(kind));
        let of_ios = logs.lines.values().flatten().any(|line| line.block > 0.0);
        has([LogKind::Lat, LogKind::Clat]) && !has([LogKind::Iops, LogKind::Bw]) && !of_ios
    };
    let lacking = all.iter().filter(|(_, logs)| is_lacking(logs));
    let mut jobs: Vec<u32> = lacking.map(|((job, _), _)| *job).collect();
    jobs.dedup();
    let some_have = all.values().any(|logs| !is_lacking(logs));
    let words = |job: u32| format!("job {job} has latencies and no rates: it is left out");
    jobs.into_iter().filter(|_| some_have).map(words).collect()
}

/// That windows of rates are missing: fio does not always write those of all jobs to a log that they share.
fn fewer_rates(all: &BTreeMap<(u32, usize), OfOne>) -> Vec<String> {
    let windows = |kind: LogKind| {
        let lines = all.values().filter_map(|logs| logs.lines.get(&kind));
        let own = lines.flatten().filter(|line| line.block <= 0.0);
        own.count()
    };
    let (rates, latencies) = (windows(LogKind::Iops), windows(LogKind::Lat));
    // The last window of a job may be in one of them alone.
    let is_few = rates > 0 && latencies > rates + 1 && 5 * latencies > 6 * rates;
    let words = format!(
        "IOPS are logged for {rates} windows and latencies for {latencies}: rates may be of some jobs alone"
    );
    is_few.then_some(words).into_iter().collect()
}

/// Logs of which rates can be had.
const RATES: &str = "write_bw_log, write_iops_log and write_lat_log have what can be compared";

/// The rows of each job, by operation, and where a job has several, of all of them together before.
fn rows_of_jobs(all: &BTreeMap<(u32, usize), OfOne>) -> Vec<SubjectRow> {
    let mut jobs: Vec<u32> = all.keys().map(|(job, _)| *job).collect();
    jobs.dedup();
    let several = jobs.len() > 1;
    let mut found = Vec::new();
    for job in jobs {
        let own = || all.range((job, 0)..=(job, OPS.len()));
        // A direction that ended before the others was measured as long as they were.
        let times = own().flat_map(|(_, logs)| logs.lines.values().flatten());
        let end = times.map(|line| line.at).fold(1.0, f64::max) / 1e3;
        let mut rows: Vec<SubjectRow> = own()
            .filter_map(|((_, op), logs)| row(*op, logs, end))
            .collect();
        let mut known = work_of(own().map(|((_, op), logs)| (*op, logs)));
        of_rates(&rows, &mut known);
        rows.iter_mut()
            .for_each(|row| row.properties.clone_from(&known));
        if rows.len() > 1 {
            rows.splice(0..0, as_one(rows.clone(), None));
        }
        let workload = if several {
            format!("job {job}")
        } else {
            String::new()
        };
        found.extend(rows.into_iter().map(|row| SubjectRow {
            workload: workload.clone(),
            ..row
        }));
    }
    found
}

/// The sums of all jobs: one row for each operation that several have.
fn of_all_jobs(rows: &[SubjectRow]) -> Vec<SubjectRow> {
    let each = [None].into_iter().chain(OPS.map(Some));
    let sum = |op: Option<Op>| {
        let own = rows.iter().filter(|row| row.op == op).cloned();
        let own: Vec<SubjectRow> = own.collect();
        let sum = (own.len() > 1).then(|| as_one(own, op)).flatten()?;
        Some(SubjectRow {
            workload: String::new(),
            ..sum
        })
    };
    each.filter_map(sum).collect()
}

/// What these did together, with the percentiles of their histograms.
fn as_one(rows: Vec<SubjectRow>, op: Option<Op>) -> Option<SubjectRow> {
    let sum = summed(rows)?;
    Some(with_percentiles(SubjectRow { op, ..sum }))
}

/// What a job did, as its lines say: that a rate was asked for they do not.
fn work_of<'a>(ops: impl Iterator<Item = (usize, &'a OfOne)>) -> Properties {
    let mut all = unsaid();
    let mut counts = [0_u64; 3];
    let (mut least, mut most) = (u64::MAX, 0);
    let mut each_io = true;
    for (op, logs) in ops {
        // Logs of one kind have all I/Os: of several the one with the most lines.
        let lines = logs.lines.values().max_by_key(|lines| lines.len());
        for line in lines.into_iter().flatten() {
            counts[op] += 1;
            each_io &= line.block > 0.0;
            least = least.min(whole(line.block));
            most = most.max(whole(line.block));
        }
    }
    if !each_io {
        // Windows do not say how many I/Os they are of.
        let only = counts.iter().filter(|count| **count > 0).count() == 1;
        let mix = work::share_of_reads(counts[0], counts[1]).filter(|_| only);
        all.extend(mix.map(|mix| (Property::Mix, mix)));
        return all;
    }
    all.extend(work::share_of_reads(counts[0], counts[1]).map(|mix| (Property::Mix, mix)));
    let size = (least <= most).then_some(match least == most {
        true => PropertyValue::Bytes(Bytes(least)),
        false => PropertyValue::Sizes(Bytes(least), Bytes(most), None),
    });
    all.extend(size.map(|size| (Property::BlockSize, size)));
    all
}

/// Adds what follows from rates where lines are of windows: the share of reads within what rounding and the ends of
/// windows make, and the mean size of blocks.
fn of_rates(rows: &[SubjectRow], all: &mut Properties) {
    /// Percent.
    const NEAR: f64 = 2.0;
    /// IOPS from which on rounding is less than the percent by which a mean size may be off.
    const ROUND: f64 = 200.0;
    let rate = |row: &SubjectRow, kind| row.figure(kind).map_or(0.0, |figure| figure.value);
    let sum = |op: Option<Op>, kind| {
        let own = rows.iter().filter(|row| op.is_none() || row.op == op);
        own.map(|row| rate(row, kind)).sum::<f64>()
    };
    let (reads, writes) = (
        sum(Some(Op::Read), FigureKind::Iops),
        sum(Some(Op::Write), FigureKind::Iops),
    );
    if reads > 0.0 && writes > 0.0 {
        let share = PropertyValue::PercentAbout(100.0 * reads / (reads + writes), NEAR);
        all.entry(Property::Mix).or_insert(share);
    }
    let (ios, bytes) = (
        sum(None, FigureKind::Iops),
        sum(None, FigureKind::BytesPerS),
    );
    // IOPS are whole numbers, and KiB/s too: of a few their ratio says nothing of sizes.
    if ios >= ROUND && bytes > 0.0 {
        let size = PropertyValue::BytesAbout(bytes / ios);
        all.entry(Property::BlockSize).or_insert(size);
    }
}

/// Makes times since 1970 such since the first line.
fn from_start(of: &mut OfOne) {
    let times = of.lines.values().flatten().map(|line| line.at);
    let first = times.fold(f64::INFINITY, f64::min);
    if first.is_finite() && first >= SINCE_1970 {
        let lines = of.lines.values_mut().flatten();
        lines.for_each(|line| line.at -= first);
    }
}

/// The result of the logs of an operation, in a job of `end` seconds; `None` where they say neither rate nor latency.
fn row(op: usize, logs: &OfOne, end: f64) -> Option<SubjectRow> {
    let each = |kind: LogKind| {
        let lines = logs.lines.get(&kind).map(Vec::as_slice).unwrap_or_default();
        (!lines.is_empty()).then_some(lines)
    };
    let of_ios = |kind| each(kind).filter(|lines| lines.iter().all(|line| line.block > 0.0));
    let slat = each(LogKind::Slat).is_some_and(|lines| lines.iter().any(|line| line.value > 0.0));
    let clat_from = if slat {
        LatencyFrom::Submitted
    } else {
        LatencyFrom::Issued
    };
    let kinds = [
        (LogKind::Lat, LatencyFrom::Issued),
        (LogKind::Clat, clat_from),
    ];
    let mut row = kinds
        .iter()
        .find_map(|(kind, from)| Some(of_each_io(of_ios(*kind)?, *from, end)))
        .or_else(|| windows(&each, clat_from, logs.histogram.as_ref()))?;
    row.op = OPS.get(op).copied();
    Some(row)
}

/// Figures of a latency log that has a line for each I/O, of a job of `end` seconds.
fn of_each_io(lines: &[LogLine], from: LatencyFrom, end: f64) -> SubjectRow {
    let mut histogram = Histogram::new();
    lines
        .iter()
        .for_each(|line| histogram.record(whole(line.value)));
    let series = seconds(lines, end);
    let sum = |of: fn(&LogLine) -> f64| lines.iter().map(of).sum::<f64>();
    let count = lines.len() as f64;
    let mut figures = vec![
        SubjectFigure::plain(FigureKind::Iops, count / end),
        SubjectFigure::plain(FigureKind::BytesPerS, sum(|line| line.block) / end),
        SubjectFigure::plain(FigureKind::Mean, sum(|line| line.value) / count),
    ];
    let most = lines.iter().map(|line| line.value).fold(0.0, f64::max);
    figures.push(SubjectFigure::plain(FigureKind::Max, most));
    with_percentiles(SubjectRow {
        latency_from: from,
        figures,
        series,
        histogram: Some(histogram),
        ..SubjectRow::default()
    })
}

/// How many parts a time series has; none where the time is far longer than the lines let expect, and so is no time.
fn parts(count: f64, lines: usize) -> usize {
    let count = usize::try_from(whole(count)).unwrap_or(usize::MAX);
    match count <= 1000 * lines + 100_000 {
        true => count,
        false => 0,
    }
}

/// The I/Os of each second.
fn seconds(lines: &[LogLine], end: f64) -> Vec<SeriesPart> {
    let mut series = vec![SeriesPart::default(); parts(end.ceil(), lines.len())];
    let last = series.len().saturating_sub(1);
    for line in lines {
        let second = usize::try_from(whole((line.at / 1e3).floor())).unwrap_or(last);
        let Some(part) = series.get_mut(second.min(last)) else {
            return Vec::new();
        };
        part.ios += 1.0;
        part.bytes += line.block;
        part.latency_sum = Some(part.latency_sum.unwrap_or(0.0) + line.value);
    }
    for (second, part) in series.iter_mut().enumerate() {
        part.seconds = (end - second as f64).min(1.0);
        part.latency_sum = part.latency_sum.or(Some(0.0));
    }
    // A last part of a few milliseconds says nothing of a rate.
    series.retain(|part| part.seconds >= 0.5);
    series
}

/// The percentiles of the histogram, each where there are ten samples beyond it.
fn with_percentiles(mut row: SubjectRow) -> SubjectRow {
    for percent in PERCENTS {
        let figure = row.figure_of(FigureKind::percentile(percent));
        row.figures.extend(figure);
    }
    row
}

/// Figures of logs that have a line for each window.
fn windows<'a>(
    each: &dyn Fn(LogKind) -> Option<&'a [LogLine]>,
    clat_from: LatencyFrom,
    histogram: Option<&Histogram>,
) -> Option<SubjectRow> {
    let (iops, bw) = (each(LogKind::Iops), each(LogKind::Bw));
    let mut figures = Vec::new();
    let rate = |kind, lines: Option<&[LogLine]>, unit: f64| {
        let mean = mean_rate(lines?)?;
        Some(SubjectFigure::plain(kind, mean * unit))
    };
    figures.extend(rate(FigureKind::Iops, iops, 1.0));
    figures.extend(rate(FigureKind::BytesPerS, bw, 1024.0));
    let series = iops.map(|iops| series(iops, bw)).unwrap_or_default();
    // A histogram is of completion latencies; with it goes their mean, and else that of whole latencies.
    let (lines, latency_from) = match (histogram, each(LogKind::Lat), each(LogKind::Clat)) {
        (None, Some(lat), _) => (Some(lat), LatencyFrom::Issued),
        (_, _, clat) => (clat, clat_from),
    };
    let mean = lines.zip(iops).and_then(|(lines, iops)| mean(lines, iops));
    figures.extend(mean.map(|ns| SubjectFigure::plain(FigureKind::Mean, ns)));
    if figures.is_empty() && histogram.is_none() {
        return None;
    }
    let has_latency = mean.is_some() || histogram.is_some();
    Some(with_percentiles(SubjectRow {
        latency_from: match has_latency {
            true => latency_from,
            false => LatencyFrom::Unknown,
        },
        figures,
        series,
        histogram: histogram.cloned(),
        ..SubjectRow::default()
    }))
}

/// Milliseconds of a window: the median distance of lines.
fn window(lines: &[LogLine]) -> Option<f64> {
    // The first line is counted from the start of the job, which may be earlier than its I/O: only where there are too few
    // others to go by.
    let start = (lines.len() <= 2).then_some(0.0);
    let times: Vec<f64> = start
        .into_iter()
        .chain(lines.iter().map(|line| line.at))
        .collect();
    let steps = times.windows(2).map(|two| two[1] - two[0]);
    let mut steps: Vec<f64> = steps.filter(|step| *step > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied()
}

/// Each line with the part of a second that it is of. fio looks late on a busy machine, and the line is then of all the time
/// since the one before it; after a longer time the windows in between had no I/O and no line. (It ends with a line for what
/// came after the last window, often at the same millisecond.)
fn weighed(lines: &[LogLine], window: f64) -> impl Iterator<Item = (&LogLine, f64)> {
    /// Milliseconds by which a busy machine looks late.
    const LATE: f64 = 100.0;
    let mut last = start(lines, window);
    lines.iter().map(move |line| {
        let step = (line.at - std::mem::replace(&mut last, line.at)).max(0.0);
        let is_late = step <= window + LATE.max(window / 2.0);
        (line, if is_late { step } else { window } / 1e3)
    })
}

/// When the first window began: a job may have started its I/O well after its clock.
fn start(lines: &[LogLine], window: f64) -> f64 {
    lines
        .first()
        .map_or(0.0, |first| (first.at - window).max(0.0))
}

/// The mean rate over the whole time: a window without a line had no I/O.
fn mean_rate(lines: &[LogLine]) -> Option<f64> {
    let window = window(lines)?;
    let end = lines.iter().map(|line| line.at).fold(0.0, f64::max);
    let seconds = (end - start(lines, window)) / 1e3;
    let done: f64 = weighed(lines, window)
        .map(|(line, seconds)| line.value * seconds)
        .sum();
    (seconds > 0.0).then(|| done / seconds)
}

/// The windows of IOPS in order, those without a line as ones without I/O; bytes where the other log has that window.
fn series(iops: &[LogLine], bw: Option<&[LogLine]>) -> Vec<SeriesPart> {
    let Some(window) = window(iops) else {
        return Vec::new();
    };
    let end = iops.iter().map(|line| line.at).fold(0.0, f64::max);
    let one = SeriesPart {
        seconds: window / 1e3,
        ..SeriesPart::default()
    };
    let mut series = vec![one; parts((end / window).round().max(1.0), iops.len())];
    let mut add = |line: &LogLine, put: &dyn Fn(&mut SeriesPart)| {
        let number = usize::try_from(whole((line.at / window).round().max(1.0) - 1.0));
        let part = number.ok().and_then(|number| series.get_mut(number));
        part.into_iter().for_each(put);
    };
    for (line, seconds) in weighed(iops, window) {
        add(line, &|part| part.ios += line.value * seconds);
    }
    for (line, seconds) in weighed(bw.unwrap_or_default(), window) {
        add(line, &|part| part.bytes += line.value * 1024.0 * seconds);
    }
    series
}

/// The mean latency: that of each window by the I/Os in it; `None` where the logs have not the same windows.
fn mean(latency: &[LogLine], iops: &[LogLine]) -> Option<f64> {
    let window = window(iops)?;
    let number = |line: &LogLine| whole((line.at / window).round());
    let mut of: BTreeMap<u64, f64> = BTreeMap::new();
    for (line, seconds) in weighed(iops, window) {
        *of.entry(number(line)).or_default() += line.value * seconds;
    }
    let (mut ios, mut sum) = (0.0, 0.0);
    for (line, seconds) in weighed(latency, window) {
        let own = of.get(&number(line))? * (seconds * 1e3 / window);
        ios += own;
        sum += line.value * own;
    }
    (ios > 0.0).then(|| sum / ios)
}
