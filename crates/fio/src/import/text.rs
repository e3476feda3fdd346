//! fio's normal text, of fio 3: figures as it rounded them.

use super::latency_lines::{PercentileUnit, latency, scaled};
use super::work::{engine_of, only_op, share_of_reads};
use super::{one_a_name, wrong};
use leadline_dialect::diagnostic::{Diagnostic, SourceId};
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, Nanos, Percent, whole};
use leadline_results::compare::{
    LatencyFrom, Properties, Property, PropertyValue, Subject, SubjectFigure, SubjectRow,
};
use leadline_results::work::{in_common, unsaid};

/// What fio's client calls the sum of its hosts.
const ALL_CLIENTS: &str = "All clients";

const CURE: &str = "use fio --output-format=json, which has all figures unrounded";

/// Reads what stands below the heads of groups, in the last report: with `--status-interval` fio writes one every few
/// seconds, each of all since the start.
pub(super) fn read(name: &str, text: &str, source: SourceId) -> Result<Subject, Vec<Diagnostic>> {
    let mut reader = TextReader::default();
    let mut at = 0;
    // A line that does not end may be cut in a number.
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    reader.is_cut = !text[whole..].trim().is_empty();
    for line in text[..whole].split_inclusive('\n') {
        let from = at;
        at += line.len();
        if let Err(why) = reader.line(without_client(line.trim_end())) {
            let place = (source, from, from + line.len());
            let fault = wrong("not-understood", why, place, CURE);
            reader.report.faults.extend(fault);
        }
    }
    let mut subject = reader.subject()?;
    if subject.rows.is_empty() {
        let why = "no line `read: IOPS=...` below the head of a job";
        return Err(wrong("no-figures", why, (source, 0, 1), CURE));
    }
    name.clone_into(&mut subject.name);
    name.clone_into(&mut subject.source);
    Ok(subject)
}

/// A line without the name of the host that fio's client puts before it: `<host> read: IOPS=...`.
fn without_client(line: &str) -> &str {
    let rest = line
        .strip_prefix('<')
        .and_then(|rest| rest.split_once("> "));
    rest.map_or(line, |(_, rest)| rest)
}

/// A job by its name and group.
type TextJob = (String, Option<u64>);
/// A row with the group of its job.
type TextEntry = (Option<u64>, SubjectRow);

/// One report: what stands below the heads until `Run status group`.
#[derive(Default)]
struct TextReport {
    entries: Vec<TextEntry>,
    doubts: Vec<String>,
    /// Jobs that it is of.
    jobs: u64,
    /// `Run status group` was there.
    has_end: bool,
    faults: Vec<Diagnostic>,
}

#[derive(Default)]
struct TextReader {
    version: Option<String>,
    /// What each job was, by the lines before the figures.
    asked: Vec<(TextJob, Properties)>,
    /// Threads and processes that were started.
    started: u64,
    /// The job that the lines are of.
    job: Option<TextJob>,
    percentiles: Option<PercentileUnit>,
    report: TextReport,
    /// Names of the jobs of the hosts so far.
    names: Vec<String>,
    /// The report is the sum that fio's client ends with.
    is_of_all: bool,
    /// The last report that has its end, before this one.
    whole: Option<TextReport>,
    runs: usize,
    /// The text ends in the middle of a line.
    is_cut: bool,
}

impl TextReader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(version) = line.strip_prefix("fio-") {
            self.version = Some(format!("fio-{version}"));
        }
        if let Some((head, work)) = line.split_once(": (g=") {
            self.asked_for(head, work);
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("Starting ") {
            let words = rest
                .split_whitespace()
                .filter_map(|word| word.parse::<u64>().ok());
            self.started += words.sum::<u64>();
            return Ok(());
        }
        if let Some((head, rest)) = line.split_once(": (groupid=") {
            self.head(head, rest);
            return Ok(());
        }
        if line.starts_with("Run status group") {
            self.report.has_end = true;
            self.job = None;
            return Ok(());
        }
        let Some(job) = &self.job else { return Ok(()) };
        match direction(line, &job.0).transpose()? {
            Some(mut row) => {
                let own = self.asked.iter().filter(|(of, _)| of == job);
                let known = in_common(own.map(|(_, known)| known.clone()).collect());
                row.properties.extend(known);
                row.op = row.op.or_else(|| only_op(&row.properties));
                // The text does not say whether a rate was asked for, or pauses.
                row.properties.extend(unsaid());
                self.report.entries.push((job.1, row));
            }
            None => below(line, job, &mut self.report.entries, &mut self.percentiles),
        }
        Ok(())
    }

    /// A line of what a job is to do: the first one after figures begins another run.
    fn asked_for(&mut self, head: &str, work: &str) {
        if self.runs == 0 || !self.report.entries.is_empty() {
            self.runs += 1;
            self.next_report();
            self.asked.clear();
            self.names.clear();
            self.is_of_all = false;
            self.started = 0;
        }
        let job = (head.to_owned(), group_of(work));
        self.asked.push((job, properties(work)));
    }

    /// The head of a job's figures: the first one after the end of a report begins another.
    fn head(&mut self, head: &str, rest: &str) {
        if self.report.has_end {
            self.next_report();
        }
        if head == ALL_CLIENTS {
            // All hosts together is what a run on one host is compared with: in place of what each of them did.
            self.next_report();
            self.is_of_all = true;
            let name = match self.names.as_slice() {
                [one] => one,
                _ => ALL_CLIENTS,
            };
            self.job = Some((name.to_owned(), group_of(rest)));
            return;
        }
        if !self.names.iter().any(|name| name == head) {
            self.names.push(head.to_owned());
        }
        self.job = Some((head.to_owned(), group_of(rest)));
        let jobs = rest.split("jobs=").nth(1).and_then(|r| r.split(')').next());
        self.report.jobs += jobs.and_then(|jobs| jobs.parse::<u64>().ok()).unwrap_or(1);
        if let Some(error) = rest.split("err=").nth(1).map(str::trim_start)
            && !error.starts_with("0:")
        {
            let doubt = format!("job {head} ended with error {error}");
            self.report.doubts.push(doubt);
        }
    }

    fn next_report(&mut self) {
        let mut report = std::mem::take(&mut self.report);
        report.entries = without_sums(report.entries);
        if report.has_end {
            self.whole = Some(report);
        }
        self.job = None;
    }

    fn subject(self) -> Result<Subject, Vec<Diagnostic>> {
        let last_is_cut = !self.report.has_end && !self.is_of_all;
        let (report, cut) = match self.whole {
            Some(whole) if last_is_cut => (
                whole,
                Some("its last report is cut: the figures are those of the one before it"),
            ),
            _ if last_is_cut && self.report.jobs < self.started => (
                self.report,
                Some("its end is missing: of some jobs there are no figures"),
            ),
            _ if last_is_cut || self.is_cut => (
                self.report,
                Some("its end (`Run status group`) is missing: so may be figures"),
            ),
            _ => (self.report, None),
        };
        if !report.faults.is_empty() {
            return Err(report.faults);
        }
        let mut entries = without_sums(report.entries);
        forget_one_section(&self.asked, &mut entries);
        let mut doubts = report.doubts;
        doubts.extend(cut.map(str::to_owned));
        if self.runs > 1 {
            doubts.push(format!(
                "it has the results of {} runs: the last is read",
                self.runs
            ));
        }
        let version = self
            .version
            .map(|version| (Property::Tool, version.as_str().into()));
        Ok(Subject {
            properties: version.into_iter().collect(),
            rows: one_a_name(entries),
            doubts,
            is_unfinished: cut.is_some(),
            ..Subject::default()
        })
    }
}

/// Entries without the sums that `unified_rw_reporting=both` puts beside directions: of one direction that is the same once
/// more, and of several the text has 0 in it.
fn without_sums(entries: Vec<TextEntry>) -> Vec<TextEntry> {
    let of = |entry: &TextEntry| (entry.0, entry.1.workload.clone());
    let apart = entries.iter().filter(|(_, row)| row.op.is_some());
    let apart: Vec<_> = apart.map(of).collect();
    let is_own = |entry: &TextEntry| entry.1.op.is_some() || !apart.contains(&of(entry));
    entries.into_iter().filter(is_own).collect()
}

/// Of a group that is reported as one under the name of its first section (`group_reporting`) nothing is known but what all
/// of its sections have alike.
fn forget_one_section(asked: &[(TextJob, Properties)], entries: &mut [TextEntry]) {
    let names: Vec<(Option<u64>, String)> = entries
        .iter()
        .map(|(group, row)| (*group, row.workload.clone()))
        .collect();
    for (group, row) in entries {
        let own = || asked.iter().filter(|((_, of), _)| of == group);
        let is_shown = |name: &String| names.iter().any(|(g, n)| g == group && n == name);
        if group.is_none() || own().all(|((name, _), _)| is_shown(name)) {
            continue;
        }
        let common = in_common(own().map(|(_, known)| known.clone()).collect());
        let said = own().flat_map(|(_, known)| known.keys());
        let unlike: Vec<Property> = said
            .filter(|key| !common.contains_key(key))
            .copied()
            .collect();
        // What was counted of all is true of all.
        for key in unlike.into_iter().filter(|key| *key != Property::Mix) {
            row.properties.remove(&key);
        }
    }
}

/// `0, jobs=1): err= 0`, `0): rw=randread`: the number of a group.
fn group_of(rest: &str) -> Option<u64> {
    rest.split([',', ')']).next()?.trim().parse().ok()
}

/// A line below the figures of a direction: a latency, or at the end how many I/Os each direction was.
fn below(
    line: &str,
    job: &(String, Option<u64>),
    entries: &mut [(Option<u64>, SubjectRow)],
    percentiles: &mut Option<PercentileUnit>,
) {
    if let Some(totals) = line.trim_start().strip_prefix("issued rwts: total=") {
        let ops = [Op::Read, Op::Write, Op::Trim].into_iter();
        let counts: Vec<u64> = totals
            .split([',', ' '])
            .map_while(|total| total.parse().ok())
            .collect();
        // Where all directions are reported as one, fio counts all as reads.
        let is_one = |row: &SubjectRow| row.workload == job.0 && row.op.is_none();
        let is_unified = entries.last().is_some_and(|(_, row)| is_one(row));
        let mix = match counts.as_slice() {
            [reads, writes, ..] if !is_unified => share_of_reads(*reads, *writes).map(about_asked),
            _ => None,
        };
        let all = (None, counts.iter().sum::<u64>());
        let each = ops.zip(counts).map(|(op, total)| (Some(op), total));
        for (op, total) in each.chain([all]) {
            let is_own = |row: &&mut SubjectRow| row.workload == job.0 && row.op == op;
            let mut own = entries.iter_mut().rev().map(|(_, row)| row);
            if let Some(row) = own.find(is_own) {
                unrounded(row, total as f64);
                let known = mix.clone().map(|mix| (Property::Mix, mix));
                // `rw=` said it of a job with one direction.
                known.into_iter().for_each(|(key, mix)| {
                    row.properties.entry(key).or_insert(mix);
                });
            }
        }
        return;
    }
    if let Some((_, row)) = entries.last_mut().filter(|(_, row)| row.workload == job.0) {
        latency(line, row, percentiles);
    }
}

/// The share that was asked for, by what was done of it: jobs that end with their files do not reach it.
fn about_asked(share: PropertyValue) -> PropertyValue {
    /// Percent.
    const LEAST: f64 = 5.0;
    match share {
        PropertyValue::PercentAbout(share, error) => {
            PropertyValue::PercentAbout(share, error.max(LEAST))
        }
        other => other,
    }
}

/// A shorter run has the rate that is printed.
const SHORT: Nanos = Nanos(5_000_000_000);

/// Rates from the number of I/Os and the run time, where they are what was printed but for its rounding.
fn unrounded(row: &mut SubjectRow, ios: f64) {
    let Some(PropertyValue::Nanos(time)) = row.properties.get(&Property::RunTime) else {
        return;
    };
    // The run time is rounded too, to milliseconds: of a short run that may be more than the one I/O by which the rate is.
    let printed = row.figure(FigureKind::Iops).map(|figure| figure.value);
    let is_rough = printed.is_some_and(|iops| iops < 1e3 * time.as_secs_f64());
    if *time < SHORT && !is_rough {
        return;
    }
    let iops = ios / time.as_secs_f64();
    let block = match row.properties.get(&Property::BlockSize) {
        Some(PropertyValue::Bytes(bytes)) => Some(bytes.0 as f64),
        _ => None,
    };
    for figure in &mut row.figures {
        let exact = match figure.kind {
            FigureKind::Iops => Some(iops),
            FigureKind::BytesPerS => block.map(|block| iops * block),
            _ => None,
        };
        // Three digits of bytes, and of IOPS whole numbers or four digits.
        let is_near = |exact: &f64| (exact - figure.value).abs() <= (figure.value * 0.006).max(1.0);
        if let Some(exact) = exact.filter(is_near) {
            figure.value = exact;
        }
    }
}

/// `0): rw=randread, bs=(R) 4096B-4096B, (W) ..., (T) ..., ioengine=libaio, iodepth=4`: what a job was.
fn properties(work: &str) -> Properties {
    let of = |key: &str| {
        let (_, rest) = work.split_once(key)?;
        rest.split([',', ' '])
            .next()
            .filter(|word| !word.is_empty())
    };
    let mut all = Properties::new();
    if let Some(rw) = of(" rw=") {
        let order = match rw.starts_with("rand") {
            true => "random",
            false => "sequential",
        };
        // How it is distributed fio's text does not say.
        let order = PropertyValue::AtLeast(order.to_owned());
        all.insert(Property::Order, order);
        let reads = match rw.trim_start_matches("rand") {
            "read" => Some(Percent::ALL),
            "write" => Some(Percent::NONE),
            _ => None,
        };
        all.extend(reads.map(|reads| (Property::Mix, PropertyValue::Percent(reads))));
    }
    let both = of(" rw=").map(|rw| (rw.contains("read") || rw.contains("rw"), rw.contains("w")));
    let (reads, writes) = both.unwrap_or((true, true));
    let sizes = [("(R) ", reads), ("(W) ", writes)];
    let sizes = sizes.into_iter().filter(|(_, used)| *used);
    let sizes: Vec<(Bytes, Bytes)> = sizes.filter_map(|(key, _)| sizes_of(of(key)?)).collect();
    let least = sizes.iter().map(|size| size.0).min();
    let most = sizes.iter().map(|size| size.1).max();
    if let (Some(least), Some(most)) = (least, most) {
        let value = match least == most {
            true => PropertyValue::Bytes(least),
            false => PropertyValue::Sizes(least, most, None),
        };
        all.insert(Property::BlockSize, value);
    }
    let engine = of("ioengine=");
    all.extend(engine.map(|name| (Property::Engine, engine_of(name))));
    let depth = of("iodepth=").and_then(|depth| depth.parse().ok());
    // These have one I/O in flight whatever is asked for.
    let depth = match engine {
        Some("sync" | "psync" | "vsync" | "pvsync" | "pvsync2" | "mmap") => Some(1),
        _ => depth,
    };
    all.extend(depth.map(|depth| (Property::Depth, PropertyValue::Count(depth))));
    all
}

/// `4096B-4096B`, from 64 KiB on `64.0KiB` or `1024KiB`: the least and the largest size.
fn sizes_of(text: &str) -> Option<(Bytes, Bytes)> {
    let bytes = |text: &str| {
        let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("B", 0)];
        let (number, power) = units
            .iter()
            .find_map(|(unit, power)| Some((text.strip_suffix(unit)?, *power)))?;
        let number: f64 = number.parse().ok().filter(|n: &f64| *n >= 0.0)?;
        Some(Bytes(whole(number * f64::from(1_u32 << power))))
    };
    let (least, most) = text.split_once('-')?;
    Some((bytes(least)?, bytes(most)?))
}

/// `read: IOPS=8048, BW=31.4MiB/s (33.0MB/s)(...)`.
fn direction(line: &str, job: &str) -> Option<Result<SubjectRow, String>> {
    let (name, rest) = line.trim_start().split_once(':')?;
    // All directions are one with `unified_rw_reporting`.
    let ops = [Op::Read, Op::Write, Op::Trim].map(|op| (op.name(), Some(op)));
    let (_, op) = ops
        .into_iter()
        .chain([("mixed", None)])
        .find(|(known, _)| *known == name.trim_end())?;
    let rest = rest.trim_start();
    if rest.starts_with("io=") {
        return Some(Err("this is a text of fio 2".to_owned()));
    }
    let iops = rest.strip_prefix("IOPS=")?.split(',').next()?;
    let Some(rate) = scaled(iops) else {
        return Some(Err(format!("`{iops}` is no rate")));
    };
    // In units of 1024 and of 1000; which of them is in brackets is asked for (`kb_base`), and so are bits (`unit_base`).
    let brackets = rest.split('(').nth(1).and_then(|r| r.split(')').next());
    let plain = rest.split("BW=").nth(1).and_then(|r| r.split(' ').next());
    let both = [brackets, plain].into_iter().flatten();
    let is_decimal = |text: &&str| !text.contains("iB") && !text.contains("ib");
    let Some(bytes) = both.clone().find(is_decimal).and_then(bytes_per_s) else {
        return Some(Err("there is no throughput in units of 1000".to_owned()));
    };
    // `(70.3MiB/10000msec)`: what was moved, and in which time.
    let time = rest
        .split("msec)")
        .next()
        .and_then(|r| r.rsplit('/').next());
    let time = time
        .and_then(|ms| ms.parse::<u64>().ok())
        .filter(|ms| *ms > 0);
    let time = time.map(|ms| {
        (
            Property::RunTime,
            PropertyValue::Nanos(Nanos(ms * 1_000_000)),
        )
    });
    Some(Ok(SubjectRow {
        properties: time.into_iter().collect(),
        workload: job.to_owned(),
        op,
        latency_from: LatencyFrom::Unknown,
        figures: vec![
            SubjectFigure::plain(FigureKind::Iops, rate),
            SubjectFigure::plain(FigureKind::BytesPerS, bytes),
        ],
        ..SubjectRow::default()
    }))
}

/// `33.0MB/s`, `512kB/s`, `90B/s`.
fn bytes_per_s(text: &str) -> Option<f64> {
    match text {
        "0" => Some(0.0),
        // Of all clients fio leaves the unit out: `(129M)`.
        some => match some.strip_suffix("bit/s") {
            Some(bits) => scaled(bits).map(|bits| bits / 8.0),
            None => scaled(some.strip_suffix("B/s").unwrap_or(some)),
        },
    }
}
