//! fio's JSON.
//!
//! Units by version: since fio 3 latencies are `clat_ns` and so on in nanoseconds and `bw_bytes` is bytes a second;
//! fio 2 has `clat` in microseconds and only `bw`, in units of 1024 bytes a second.

use super::{JsonMap, one_a_name, work, wrong};
use leadline_dialect::diagnostic::{Diagnostic, SourceId};
use leadline_model::condition::FigureKind;
use leadline_model::histogram::Histogram;
use leadline_model::op::Op;
use leadline_results::compare::{
    LatencyFrom, Property, PropertyValue, Subject, SubjectFigure, SubjectRow, summed,
};
use serde_json::Value;

/// Where the object begins: after lines that are fio's remarks.
pub(super) fn start(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start();
        if words.starts_with('{') {
            return Some(at);
        }
        let is_remark = words.is_empty()
            || words.starts_with("fio:")
            || words.starts_with("note:")
            || words.starts_with('<')
            || words.starts_with("hostname=");
        if !is_remark {
            return None;
        }
        at += line.len();
    }
    None
}

/// Where a result begins that fio wrote together with its text (`--output-format=normal,json`): below the heads of jobs.
pub(super) fn inside(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let rest = &text[at + line.len()..];
        if line.trim_end() == "{" && rest.trim_start().starts_with("\"fio version\"") {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Reads the last result that begins at `at` or after: with `--status-interval` fio writes one every few seconds, each of
/// all since the start.
pub(super) fn read(
    name: &str,
    text: &str,
    at: usize,
    source: SourceId,
) -> Result<Subject, Vec<Diagnostic>> {
    let found = documents(text, at, source)?;
    let Some(top) = found.last else {
        return Err(no_jobs((source, at, at + 1)));
    };
    let mut subject = subject(name, &top);
    subject.doubts.extend(found.doubts);
    subject.is_unfinished |= found.is_cut;
    if subject.rows.is_empty() {
        let idle = "no job of it did any I/O; look at fio's own messages";
        return Err(wrong(
            "no-io",
            "nothing was measured",
            (source, at, at + 1),
            idle,
        ));
    }
    Ok(subject)
}

/// The results in a text.
#[derive(Default)]
struct JsonDocuments {
    /// The last one with jobs.
    last: Option<JsonMap>,
    doubts: Vec<String>,
    /// After it another one begins and does not end.
    is_cut: bool,
}

/// # Errors
/// The first is no JSON.
fn documents(text: &str, at: usize, source: SourceId) -> Result<JsonDocuments, Vec<Diagnostic>> {
    let mut found = JsonDocuments::default();
    let mut starts: Vec<Option<u64>> = Vec::new();
    let mut from = at;
    loop {
        let mut values = serde_json::Deserializer::from_str(&text[from..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(top))) if !jobs(&top).is_empty() => {
                starts.push(started(&top));
                found.last = Some(top);
            }
            Some(Err(error)) if found.last.is_none() => {
                let from = place(&text[from..], error.line(), error.column()) + from;
                let message = format!("this is no JSON: {error}");
                let cut = "was fio ended before it had written its result? run it again";
                return Err(wrong("not-json", message, (source, from, from + 1), cut));
            }
            Some(Err(_)) => {
                found.is_cut = true;
                let cut = "its last result is cut: the figures are those of the one before it";
                found.doubts.push(cut.to_owned());
                break;
            }
            _ => {}
        }
        from += values.byte_offset();
        // fio may print text after a result, and another result after that.
        match next_object(&text[from..]) {
            Some(next) => from += next,
            None => break,
        }
    }
    starts.dedup();
    if starts.len() > 1 {
        let runs = format!(
            "it has the results of {} runs: the last is read",
            starts.len()
        );
        found.doubts.push(runs);
    }
    Ok(found)
}

/// Where the next object begins: at once, or with a line, whatever is before it on that line that is no word.
fn next_object(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if words.starts_with('{') {
            return Some(at + line.len() - words.len());
        }
        at += line.len();
    }
    None
}

/// Its jobs; of fio's clients those of each, not what fio sums up over them.
fn jobs(top: &JsonMap) -> Vec<&JsonMap> {
    let own = |key: &str| top.get(key).and_then(Value::as_array);
    let jobs = own("jobs").into_iter().flatten();
    let clients = own("client_stats").into_iter().flatten();
    let each = clients.filter(|job| job["jobname"] != "All clients");
    jobs.chain(each).filter_map(Value::as_object).collect()
}

/// When its first job began, in milliseconds since 1970.
fn started(top: &JsonMap) -> Option<u64> {
    let starts = jobs(top)
        .into_iter()
        .filter_map(|job| job.get("job_start")?.as_u64());
    starts.min()
}

fn subject(name: &str, top: &JsonMap) -> Subject {
    let empty = JsonMap::new();
    let global = top.get("global options").and_then(Value::as_object);
    let mut subject = Subject {
        name: name.to_owned(),
        source: name.to_owned(),
        wall_ms: started(top),
        ..Subject::default()
    };
    if let Some(version) = top.get("fio version").and_then(Value::as_str) {
        subject.properties.insert(Property::Tool, version.into());
    }
    let mut entries = Vec::new();
    for job in jobs(top) {
        let error = job.get("error").and_then(Value::as_i64).unwrap_or(0);
        if error != 0 {
            let doubt = format!("job {} ended with error {error}", job_name(job));
            subject.doubts.push(doubt);
            subject.is_unfinished = true;
        }
        let group = job.get("groupid").and_then(Value::as_u64);
        let rows = rows(job, global.unwrap_or(&empty));
        entries.extend(rows.into_iter().map(|row| (group, row)));
    }
    subject.rows = one_a_name(entries);
    let sums = of_all_hosts(&subject.rows);
    subject.rows.splice(0..0, sums);
    subject
}

/// What the hosts of fio's client did together: one row for each job and operation that several of them had.
fn of_all_hosts(rows: &[SubjectRow]) -> Vec<SubjectRow> {
    let mut all: Vec<Vec<SubjectRow>> = Vec::new();
    for row in rows.iter().filter(|row| !row.stage.is_empty()) {
        let is_one = |of: &&mut Vec<SubjectRow>| {
            let one = &of[0];
            (&one.workload, one.op) == (&row.workload, row.op)
        };
        match all.iter_mut().find(is_one) {
            Some(of) => of.push(row.clone()),
            None => all.push(vec![row.clone()]),
        }
    }
    all.retain(|of| of.len() > 1);
    let sum = |of: Vec<SubjectRow>| {
        let hosts = of.len() as u64;
        let jobs = of[0].properties.get(&Property::Jobs).cloned();
        let mut sum = summed(of)?;
        sum.stage.clear();
        sum.properties.remove(&Property::Jobs);
        sum.properties
            .extend(jobs.map(|jobs| (Property::Jobs, jobs)));
        let hosts = PropertyValue::Count(hosts);
        sum.properties.insert(Property::HostCount, hosts);
        Some(sum)
    };
    all.into_iter().filter_map(sum).collect()
}

fn no_jobs(at: (SourceId, usize, usize)) -> Vec<Diagnostic> {
    let cure = "write it with fio --output-format=json (or json+) --output=FILE";
    wrong("no-jobs", "there are no `jobs` in it", at, cure)
}

/// The byte at a line and column, both from 1.
fn place(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n');
    let before: usize = lines.take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn job_name(job: &JsonMap) -> &str {
    job.get("jobname").and_then(Value::as_str).unwrap_or("")
}

/// A row for each direction with I/O, or of all together (`unified_rw_reporting`).
fn rows(job: &JsonMap, global: &JsonMap) -> Vec<SubjectRow> {
    let host = job.get("hostname").and_then(Value::as_str);
    let errors = job.get("total_err").and_then(Value::as_u64).unwrap_or(0);
    let own = job.get("job options").and_then(Value::as_object);
    let ops = [Op::Read, Op::Write, Op::Trim].map(|op| (op.name(), Some(op)));
    let each = ops.into_iter().chain([("mixed", None)]);
    let mut sides: Vec<(Option<Op>, &JsonMap)> = each
        .filter_map(|(key, op)| Some((op, job.get(key)?.as_object()?)))
        .filter(|(_, side)| has_io(side))
        .collect();
    // `unified_rw_reporting=both` has the sum beside the directions: of one direction it is that once more.
    if sides.len() == 2 {
        sides.retain(|(op, _)| op.is_some());
    }
    let mut properties = work::properties(own, global);
    work::jobs_by_time(job, &sides, &mut properties);
    work::forget_one_section(&sides, &mut properties);
    work::counted(&sides, &mut properties);
    let may_be_paced = properties.contains_key(&Property::Rate);
    let is_alone = sides.len() == 1 && !work::is_mixed(own, global);
    // fio counts from when it issued an I/O, however late that was.
    let of_work = |from| match from {
        LatencyFrom::Start if may_be_paced => LatencyFrom::Issued,
        from => from,
    };
    let row = |(op, side): &(Option<Op>, &JsonMap)| {
        let (latency, mean) = (latency(side), mean_latency(side));
        let from = |of: &Latencies<'_>| {
            if of.key == OWN {
                of.from
            } else {
                of_work(of.from)
            }
        };
        SubjectRow {
            stage: host.unwrap_or_default().to_owned(),
            workload: job_name(job).to_owned(),
            // All together is one direction, where the job has no other.
            op: op.or_else(|| work::only_op(&properties).filter(|_| is_alone)),
            properties: properties.clone(),
            latency_from: latency.as_ref().map_or(LatencyFrom::Unknown, from),
            mean_from: mean.as_ref().map(from),
            latency_step: gap(latency.as_ref(), mean.as_ref()),
            figures: figures(side, latency.as_ref(), mean.as_ref()),
            series: Vec::new(),
            histogram: latency.as_ref().and_then(histogram),
            errors,
            ..SubjectRow::default()
        }
    };
    sides.iter().map(row).collect()
}

fn has_io(side: &JsonMap) -> bool {
    let some = |key: &str| number(side, key).is_some_and(|n| n > 0.0);
    some("total_ios") || some("io_bytes") || some("iops")
}

/// A number of 0 or more.
fn number(of: &JsonMap, key: &str) -> Option<f64> {
    let found = of.get(key)?.as_f64()?;
    (found.is_finite() && found >= 0.0).then_some(found)
}

/// The latency that leadline adds to fio's: from when the I/O was to start.
const OWN: &str = "response_ns";

/// The latency with percentiles, or else with a mean.
struct Latencies<'a> {
    key: &'static str,
    from: LatencyFrom,
    /// Nanoseconds in its unit.
    unit: f64,
    of: &'a JsonMap,
}

/// All latencies of a direction, those that begin earliest first.
fn latencies(side: &JsonMap) -> Vec<Latencies<'_>> {
    let get = |key: &str| side.get(key).and_then(Value::as_object);
    let counted = |of: &JsonMap| number(of, "N").is_none_or(|n| n > 0.0);
    let unit_of = |key: &str| if key.ends_with("_ns") { 1.0 } else { 1000.0 };
    // Where nothing is handed over apart, completion is counted from the start of the I/O.
    let apart = ["slat_ns", "slat"].into_iter().filter_map(get);
    let apart = apart.into_iter().any(|slat| {
        let some = |key: &str| number(slat, key).is_some_and(|n| n > 0.0);
        some("N") || !slat.contains_key("N") && some("max")
    });
    let clat = if apart {
        LatencyFrom::Submitted
    } else {
        LatencyFrom::Start
    };
    let all = [
        (OWN, LatencyFrom::Start),
        ("lat_ns", LatencyFrom::Start),
        ("clat_ns", clat),
        ("lat", LatencyFrom::Start),
        ("clat", clat),
    ];
    let there = all.into_iter().filter_map(|(key, from)| {
        let of = get(key).filter(|of| counted(of))?;
        let unit = unit_of(key);
        Some(Latencies {
            key,
            from,
            unit,
            of,
        })
    });
    there.collect()
}

/// The one with percentiles, or else the first.
fn latency(side: &JsonMap) -> Option<Latencies<'_>> {
    let mut all = latencies(side);
    let has_percentiles = |l: &Latencies<'_>| l.of.contains_key("percentile");
    let place = all.iter().position(has_percentiles).unwrap_or(0);
    (place < all.len()).then(|| all.swap_remove(place))
}

/// The first one with a mean: fio has that of whole latencies also where percentiles lack the time of submitting.
fn mean_latency(side: &JsonMap) -> Option<Latencies<'_>> {
    let mut all = latencies(side).into_iter();
    all.find(|l| number(l.of, "mean").is_some_and(|mean| mean > 0.0))
}

/// By how much percentiles may be short, in nanoseconds: engines that submit nothing apart count completion from just
/// before the call, and the whole latency from a little earlier. Only the means of both are known.
fn gap(percentiles: Option<&Latencies<'_>>, mean: Option<&Latencies<'_>>) -> f64 {
    let value = |of: &Latencies<'_>| number(of.of, "mean").map(|mean| mean * of.unit);
    let is_of_call =
        |of: &&Latencies<'_>| of.from == LatencyFrom::Start && of.key.starts_with("clat");
    let both = percentiles.filter(is_of_call).zip(mean);
    let both = both.and_then(|(of_call, whole)| Some((value(of_call)?, value(whole)?)));
    both.map_or(0.0, |(of_call, whole)| (whole - of_call).max(0.0))
}

fn figures(
    side: &JsonMap,
    latency: Option<&Latencies<'_>>,
    mean: Option<&Latencies<'_>>,
) -> Vec<SubjectFigure> {
    let mut all = Vec::new();
    let mut add = |kind, value: Option<f64>| {
        all.extend(value.map(|value| SubjectFigure::plain(kind, value)));
    };
    let kib = || number(side, "bw").map(|kib| kib * 1024.0);
    add(FigureKind::Iops, number(side, "iops"));
    add(FigureKind::BytesPerS, number(side, "bw_bytes").or_else(kib));
    if let Some(Latencies { unit, of, .. }) = mean {
        add(FigureKind::Mean, number(of, "mean").map(|n| n * unit));
    }
    if let Some(Latencies { unit, of, .. }) = latency {
        for (percent, value) in percentiles(of) {
            add(FigureKind::percentile(percent), Some(value * unit));
        }
    }
    if let Some(Latencies { unit, of, .. }) = mean {
        add(FigureKind::Max, number(of, "max").map(|n| n * unit));
    }
    let mut seen = Vec::new();
    all.retain(|figure| {
        let is_new = !seen.contains(&figure.kind);
        seen.push(figure.kind);
        is_new
    });
    all
}

/// Percentiles in order, in the unit of the latency; without those that cannot be: below a lower one, or far above the
/// longest latency, as fio prints of very few I/Os.
fn percentiles(of: &JsonMap) -> Vec<(f64, f64)> {
    /// A bin of fio may end above the longest latency in it.
    const BIN: f64 = 1.05;
    let longest = number(of, "max").map_or(f64::INFINITY, |max| max * BIN);
    let all = of.get("percentile").and_then(Value::as_object);
    let each = all.into_iter().flatten();
    let each = each.filter_map(|(key, value)| Some((key.parse().ok()?, value.as_f64()?)));
    let mut each: Vec<(f64, f64)> = each
        .filter(|(percent, value)| (0.0..=100.0).contains(percent) && value.is_finite())
        .collect();
    each.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = 0.0;
    each.retain(|(_, value)| {
        let can_be = *value >= least && *value <= longest;
        least = if can_be { *value } else { least };
        can_be
    });
    each
}

/// The bins of `json+`: each key is a latency in nanoseconds.
fn histogram(latency: &Latencies<'_>) -> Option<Histogram> {
    let bins = latency.of.get("bins").and_then(Value::as_object)?;
    let mut histogram = Histogram::new();
    for (value, count) in bins {
        // A bin of fio is one of ours or several: its middle says which.
        histogram.record_many(value.parse().ok()?, count.as_u64()?);
    }
    (latency.unit <= 1.0 && histogram.total() > 0).then_some(histogram)
}
