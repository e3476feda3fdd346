//! fio's normal text, of fio 3: figures as it rounded them.

use super::wrong;
use leadline_dialect::diagnostic::{Diagnostic, SourceId};
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, Percent, whole};
use leadline_results::compare::{
    LatencyFrom, Properties, Property, PropertyValue, Subject, SubjectFigure, SubjectRow,
};

const CURE: &str = "use fio --output-format=json, which has all figures unrounded";

/// Reads what stands below the heads of groups.
pub(super) fn read(name: &str, text: &str, source: SourceId) -> Result<Subject, Vec<Diagnostic>> {
    let mut subject = Subject {
        name: name.to_owned(),
        source: name.to_owned(),
        ..Subject::default()
    };
    let mut job = None;
    let mut percentiles = None;
    let mut at = 0;
    let mut faults = Vec::new();
    // What each job was, by the lines before the figures.
    let mut asked: Vec<(String, Properties)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let from = at;
        at += line.len();
        let line = line.trim_end();
        if let Some(version) = line.strip_prefix("fio-") {
            let version = format!("fio-{version}");
            subject
                .properties
                .insert(Property::Tool, version.as_str().into());
        }
        if let Some((head, work)) = line.split_once(": (g=") {
            asked.push((head.to_owned(), properties(work)));
            continue;
        }
        if let Some((head, rest)) = line.split_once(": (groupid=") {
            job = Some(head.to_owned());
            if let Some(error) = rest.split("err=").nth(1).map(str::trim_start)
                && !error.starts_with("0:")
            {
                let doubt = format!("job {head} ended with error {error}");
                subject.doubts.push(doubt);
            }
            continue;
        }
        let Some(job) = &job else { continue };
        match direction(line, job) {
            Some(Ok(mut row)) => {
                let own = asked.iter().find(|(name, _)| name == job);
                row.properties = own.map(|(_, known)| known.clone()).unwrap_or_default();
                subject.rows.push(row);
            }
            Some(Err(why)) => {
                faults.extend(wrong(
                    "not-understood",
                    why,
                    (source, from, from + line.len()),
                    CURE,
                ));
            }
            None => {
                if let Some(row) = subject.rows.last_mut().filter(|row| &row.workload == job) {
                    latency(line, row, &mut percentiles);
                }
            }
        }
    }
    if subject.rows.is_empty() && faults.is_empty() {
        let why = "no line `read: IOPS=...` below the head of a job";
        return Err(wrong("no-figures", why, (source, 0, 1), CURE));
    }
    match faults.is_empty() {
        true => Ok(subject),
        false => Err(faults),
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
        all.insert(Property::Order, order.into());
        let reads = match rw.trim_start_matches("rand") {
            "read" => Some(Percent::ALL),
            "write" => Some(Percent::NONE),
            _ => None,
        };
        all.extend(reads.map(|reads| (Property::Mix, PropertyValue::Percent(reads))));
    }
    // Of reads; the sizes of writes where it only writes.
    let only_writes = of(" rw=").is_some_and(|rw| rw.ends_with("write") && !rw.starts_with("rw"));
    let sizes = match only_writes {
        true => of("(W) "),
        false => of("(R) "),
    };
    all.extend(sizes.map(|sizes| {
        // `4096B`, from 64 KiB on `64.0KiB` or `1024KiB`.
        let bytes = |text: &str| {
            let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("B", 0)];
            let (number, power) = units
                .iter()
                .find_map(|(unit, power)| Some((text.strip_suffix(unit)?, *power)))?;
            let number: f64 = number.parse().ok().filter(|n: &f64| *n >= 0.0)?;
            Some(Bytes(whole(number * f64::from(1_u32 << power))))
        };
        let one = sizes.split_once('-').and_then(|(least, most)| {
            let (least, most): (Bytes, Bytes) = (bytes(least)?, bytes(most)?);
            (least == most).then_some(least)
        });
        let value = one.map_or_else(|| sizes.into(), PropertyValue::Bytes);
        (Property::BlockSize, value)
    }));
    all.extend(of("ioengine=").map(|engine| (Property::Engine, engine.into())));
    let depth = of("iodepth=").and_then(|depth| depth.parse().ok());
    all.extend(depth.map(|depth| (Property::Depth, PropertyValue::Count(depth))));
    all
}

/// `read: IOPS=8048, BW=31.4MiB/s (33.0MB/s)(...)`.
fn direction(line: &str, job: &str) -> Option<Result<SubjectRow, String>> {
    let (name, rest) = line.trim_start().split_once(':')?;
    let op = [Op::Read, Op::Write, Op::Trim]
        .into_iter()
        .find(|op| op.name() == name.trim_end())?;
    let rest = rest.trim_start();
    if rest.starts_with("io=") {
        return Some(Err("this is a text of fio 2".to_owned()));
    }
    let iops = rest.strip_prefix("IOPS=")?.split(',').next()?;
    let Some(rate) = scaled(iops) else {
        return Some(Err(format!("`{iops}` is no rate")));
    };
    // The second figure is of units of 1000: `(33.0MB/s)`.
    let decimal = rest.split('(').nth(1).and_then(|r| r.split(')').next());
    let Some(bytes) = decimal.and_then(bytes_per_s) else {
        return Some(Err("there is no throughput in units of 1000".to_owned()));
    };
    Some(Ok(SubjectRow {
        workload: job.to_owned(),
        op: Some(op),
        latency_from: LatencyFrom::Unknown,
        figures: vec![
            SubjectFigure::plain(FigureKind::Iops, rate),
            SubjectFigure::plain(FigureKind::BytesPerS, bytes),
        ],
        ..SubjectRow::default()
    }))
}

/// `8048`, `12.3k`, `1.2M`.
fn scaled(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, factor) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], 1e3),
        b'M' => (&text[..text.len() - 1], 1e6),
        b'G' => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    let value: f64 = digits.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value * factor)
}

/// `33.0MB/s`, `512kB/s`, `90B/s`.
fn bytes_per_s(text: &str) -> Option<f64> {
    scaled(text.strip_suffix("B/s")?)
}

/// Lines below a direction: the latency with its unit, its percentiles.
fn latency(line: &str, row: &mut SubjectRow, percentiles: &mut Option<(LatencyFrom, f64)>) {
    let line = line.trim_start();
    if let Some(list) = line.strip_prefix('|') {
        if let Some((from, unit)) = *percentiles {
            row.latency_from = from;
            for part in list.split(',') {
                // A line that is there twice, as in two results in one file, adds nothing.
                let new = percentile(part, unit).filter(|f| row.figure(f.kind).is_none());
                row.figures.extend(new);
            }
        }
        return;
    }
    *percentiles = None;
    let Some((kind, rest)) = line
        .split_once(" (")
        .map(|(kind, rest)| (kind.trim(), rest))
    else {
        return;
    };
    let Some((unit, values)) = rest.split_once("):") else {
        return;
    };
    let unit = match unit {
        "nsec" => 1.0,
        "usec" => 1e3,
        "msec" => 1e6,
        _ => return,
    };
    // Without `slat` completion is counted from the start of the I/O, which the line of `lat` shows.
    match kind {
        "slat" => row.latency_from = LatencyFrom::Submitted,
        "clat percentiles" => {
            let from = match row.latency_from {
                LatencyFrom::Submitted => LatencyFrom::Submitted,
                _ => LatencyFrom::Start,
            };
            *percentiles = Some((from, unit));
        }
        "lat percentiles" => {
            row.figures
                .retain(|f| !matches!(f.kind, FigureKind::Percentile(_)));
            *percentiles = Some((LatencyFrom::Start, unit));
        }
        "clat" => mean_and_max(values, unit, row),
        _ => {}
    }
}

fn mean_and_max(values: &str, unit: f64, row: &mut SubjectRow) {
    for part in values.split(',') {
        let Some((name, value)) = part.trim().split_once('=') else {
            continue;
        };
        let kind = match name {
            "avg" => FigureKind::Mean,
            "max" => FigureKind::Max,
            _ => continue,
        };
        if let Some(value) = scaled(value).filter(|_| row.figure(kind).is_none()) {
            row.figures.push(SubjectFigure::plain(kind, value * unit));
        }
    }
}

/// ` 99.00th=[  273]`.
fn percentile(part: &str, unit: f64) -> Option<SubjectFigure> {
    let (percent, rest) = part.trim().split_once("th=[")?;
    let value = rest.split(']').next()?.trim().parse::<f64>().ok()?;
    let percent: f64 = percent.parse().ok()?;
    let is_one = (0.0..=100.0).contains(&percent) && value.is_finite() && value >= 0.0;
    is_one.then(|| SubjectFigure::plain(FigureKind::percentile(percent), value * unit))
}
