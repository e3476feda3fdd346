//! The histograms of a run as an `HdrHistogram` V2 interval log, for `HistogramLogAnalyzer` and its like.
//!
//! Belongs here: lines of the log, their tags and times. Must never: merge two buckets of ours, or
//! intervals.

use crate::run::Run;
use hdrhistogram::CreationError;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use leadline_model::histogram::{self, BUCKETS, Histogram};
use leadline_model::latency::Latency;
use leadline_model::sample::Sample;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::time::{Duration, SystemTime};

/// With two significant digits its buckets are ours, so that each of ours has one of its own there. Three
/// would cut each into ten, of which nine stay empty.
const DIGITS: u8 = 2;

/// A log with one line for each interval, workload, operation and kind of latency in which an I/O ended.
///
/// A tag is `workload/operation` for service latency, with `/response` after it for latency from the
/// intended start (open loops), then with `/warmup` after that in the warm-up; the stage's name is in
/// front where the run has several. Values are in nanoseconds; the maxima in the lines, which only people
/// read, in milliseconds, as is usual.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn log(run: &Run) -> Result<String, Box<dyn Error>> {
    let start = SystemTime::UNIX_EPOCH + Duration::from_millis(run.wall_ms);
    let mut out = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut log = IntervalLogWriterBuilder::new()
        .add_comment("[leadline: latency in nanoseconds, tags are WORKLOAD/OPERATION]")
        .add_comment("[Histogram log format version 1.3]")
        .with_start_time(start)
        .with_base_time(start)
        .with_max_value_divisor(1e6)
        .begin_log_with(&mut out, &mut serializer)?;
    let names = names(run);
    for stage in &run.stages {
        let mut samples: Vec<&Sample> = stage.samples.iter().collect();
        samples.sort_by_key(|s| (s.start, s.workload));
        for sample in samples {
            let at = Duration::from_nanos(stage.start.0.saturating_add(sample.start.0));
            let length = Duration::from_nanos(sample.length.0);
            let name = names.get(&(stage.stage, sample.workload));
            let name = name.map_or("", String::as_str);
            for (kind, latency) in latencies(sample) {
                let tag = format!("{name}/{kind}");
                log.write_histogram(&as_hdr(&latency.histogram)?, at, length, Tag::new(&tag))?;
            }
        }
    }
    Ok(String::from_utf8(out)?)
}

/// Latencies of a sample that are not empty, with the end of their tags.
fn latencies(sample: &Sample) -> impl Iterator<Item = (String, &Latency)> {
    let warmup = if sample.warmup { "/warmup" } else { "" };
    sample.counts.ops.iter().flat_map(move |(op, counts)| {
        let service = (format!("{}{warmup}", op.name()), &counts.service);
        let response = counts.response.as_ref();
        let response = response.map(|r| (format!("{}/response{warmup}", op.name()), r));
        let both = std::iter::once(service).chain(response);
        both.filter(|(_, latency)| !latency.is_empty())
    })
}

/// The same counts, each at the largest value of its bucket, which readers of such logs show as its value.
fn as_hdr(histogram: &Histogram) -> Result<hdrhistogram::Histogram<u64>, CreationError> {
    let largest = histogram::upper_bound(BUCKETS - 1);
    let mut hdr = hdrhistogram::Histogram::new_with_bounds(1, largest, DIGITS)?;
    for (bucket, count) in histogram.nonzero() {
        // Within the bounds: nothing is cut.
        hdr.saturating_record_n(histogram::upper_bound(bucket), count);
    }
    Ok(hdr)
}

/// A name for each (stage, workload), no two alike, of characters that a tag may have.
fn names(run: &Run) -> BTreeMap<(u32, u32), String> {
    let mut names = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    for (number, stage) in (0..).zip(stages) {
        for (workload, one) in (0..).zip(&stage.workloads) {
            let mut name = plain(&one.name);
            if run.stages.len() > 1 {
                name = format!("{}/{name}", plain(&stage.name));
            }
            if !taken.insert(name.clone()) {
                name = format!("{name}#{number}.{workload}");
                taken.insert(name.clone());
            }
            names.insert((number, workload), name);
        }
    }
    names
}

fn plain(name: &str) -> String {
    name.replace(
        |c: char| c == ',' || c == '/' || c.is_whitespace() || c.is_control(),
        "_",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use base64::Engine as _;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    type Line = (String, Duration, hdrhistogram::Histogram<u64>);

    /// The lines of a log as `hdrhistogram` reads them.
    fn read(log: &str) -> Vec<Line> {
        let entries = IntervalLogIterator::new(log.as_bytes()).map(Result::unwrap);
        let base64 = base64::engine::general_purpose::STANDARD;
        let lines = entries.filter_map(|entry| match entry {
            LogEntry::Interval(line) => {
                let bytes = base64.decode(line.encoded_histogram()).unwrap();
                let histogram = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
                let tag = line.tag().unwrap().as_str().to_owned();
                Some((tag, line.start_timestamp(), histogram))
            }
            _ => None,
        });
        lines.collect()
    }

    /// Counts by the largest value of their bucket.
    fn counts(histogram: &Histogram) -> Vec<(u64, u64)> {
        let filled = histogram.nonzero();
        filled
            .map(|(bucket, n)| (histogram::upper_bound(bucket), n))
            .collect()
    }

    #[test]
    fn every_count_of_the_run_is_in_the_log() {
        let run = fixture::run();
        let mut lines = read(&log(&run).unwrap()).into_iter();
        let names = names(&run);
        let mut found = 0;
        for stage in &run.stages {
            let mut samples: Vec<_> = stage.samples.iter().collect();
            samples.sort_by_key(|s| (s.start, s.workload));
            for sample in samples {
                let name = &names[&(stage.stage, sample.workload)];
                for (kind, latency) in latencies(sample) {
                    let (tag, at, hdr) = lines.next().unwrap();
                    assert_eq!(tag, format!("{name}/{kind}"));
                    let exact = Duration::from_nanos(stage.start.0 + sample.start.0);
                    assert!(at.abs_diff(exact) < Duration::from_millis(1), "{at:?}");
                    let theirs = hdr.iter_recorded();
                    let theirs: Vec<_> = theirs
                        .map(|v| (v.value_iterated_to(), v.count_at_value()))
                        .collect();
                    assert_eq!(theirs, counts(&latency.histogram));
                    assert_eq!(hdr.len(), latency.count());
                    found += hdr.len();
                }
            }
        }
        assert!(lines.next().is_none());
        assert!(found > 10_000, "{found}");
    }

    #[test]
    fn no_two_buckets_are_merged() {
        let mut all = Histogram::new();
        (0..BUCKETS).for_each(|bucket| all.add_bucket(bucket, bucket as u64 + 1));
        let hdr = as_hdr(&all).unwrap();
        let theirs: Vec<_> = hdr.iter_recorded().map(|v| v.count_at_value()).collect();
        let ours: Vec<_> = all.nonzero().map(|(_, count)| count).collect();
        assert_eq!(theirs, ours);
    }

    #[test]
    fn names_fit_into_tags_and_differ() {
        let mut run = fixture::run();
        let plan = run.plan.as_mut().unwrap();
        for stage in &mut plan.stages {
            stage.name = "a, b".to_owned();
            for workload in &mut stage.workloads {
                workload.name = "c/d\n".to_owned();
            }
        }
        let workloads: usize = plan.stages.iter().map(|s| s.workloads.len()).sum();
        let names: BTreeSet<String> = names(&run).into_values().collect();
        assert_eq!(names.len(), workloads);
        assert!(names.iter().all(|name| Tag::new(name).is_some()));
        assert!(names.contains("a__b/c_d_"), "{names:?}");
        let log = log(&run).unwrap();
        assert!(
            log.lines()
                .filter(|l| l.starts_with("Tag=a__b/c_d_"))
                .count()
                > 1
        );
    }
}
