//! fio's JSON output.

use super::dist::{BATCHES, CLASSES, LEVELS, latency_shares, shares};
use super::record::{Record, Side, issued, of_windows, records, whole_ms};
use super::value::Object;
use super::{Groups, Options, calendar, hosts};
use leadline_model::event::DiskUse;
use leadline_model::finding::{Finding, Severity};
use leadline_model::histogram::fio_bin_value;
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::plan::Given;
use leadline_model::sample::OpCounts;
use leadline_model::units::whole;
use leadline_results::run::Run;
use serde_json::Value;

/// The JSON object of a run, as `fio --output-format=json` prints it.
#[must_use]
pub fn value(run: &Run, options: &Options) -> Value {
    let run = &*run.in_intervals();
    let records = records(run);
    let end_ms = run.wall_ms + run.length.as_millis();
    let mut top = Object::default();
    top.put("fio version", super::FIO_VERSION)
        .put("timestamp", end_ms / 1000)
        .put("timestamp_ms", end_ms)
        .put("time", calendar(end_ms, &options.zone));
    if let Some(global) = run.plan.as_ref().and_then(|p| given(&p.given)) {
        top.put("global options", global);
    }
    let groups = Groups::of(&records);
    if run.has_hosts() {
        clients(&mut top, run, options);
    } else {
        let jobs = records.iter().map(|r| job(r, &groups, options).done());
        top.put("jobs", Value::Array(jobs.collect()));
        let disks = super::disks(run, &records);
        if !disks.is_empty() {
            let disks = disks.iter().map(|d| disk(d).done());
            top.put("disk_util", Value::Array(disks.collect()));
        }
    }
    let mut own = Object::default();
    own.put("version", env!("CARGO_PKG_VERSION"));
    if let Some(file) = &options.run_file {
        own.put("run_file", file.as_str());
    }
    let found = run.findings.iter().map(|f| finding(f).done());
    own.put("findings", Value::Array(found.collect()));
    top.put("leadline", own.done());
    top.done()
}

/// What is to be known beside the figures: notes on the options, doubts.
fn finding(finding: &Finding) -> Object {
    let mut object = Object::default();
    let severity = match finding.severity {
        Severity::Info => "info",
        Severity::Warn => "warn",
        Severity::Fail => "fail",
    };
    object
        .put("code", finding.code.as_str())
        .put("severity", severity);
    if let Some(stage) = finding.stage {
        object.put("stage", u64::from(stage));
    }
    if let Some(workload) = finding.workload {
        object.put("workload", u64::from(workload));
    }
    object
        .put("text", finding.text.as_str())
        .put("cure", finding.cure.text.as_str());
    object
}

/// Where fio's client puts the jobs of its servers.
fn clients(top: &mut Object, run: &Run, options: &Options) {
    let mut stats = Vec::new();
    let mut disks = Vec::new();
    let mut last = String::new();
    for share in hosts::shares(run) {
        let records = records(&share.run);
        let groups = Groups::of(&records);
        for record in &records {
            stats.push(on(job(record, &groups, options), &share.host));
        }
        let used = super::disks(&share.run, &records);
        disks.extend(used.iter().map(|d| on(disk(d), &share.host)));
        last = share.host;
    }
    let plan = hosts::plan_of_all(run);
    let all = plan.as_ref().and_then(|plan| hosts::all(run, plan));
    if let Some(all) = all {
        let groups = Groups::of(std::slice::from_ref(&all));
        stats.push(on(job(&all, &groups, options), &last));
    }
    top.put("client_stats", Value::Array(stats));
    top.put("disk_util", Value::Array(disks));
}

/// Names the host; there is no port.
fn on(mut object: Object, host: &str) -> Value {
    object.put("hostname", host).put("port", 0_u64);
    object.done()
}

fn given(given: &[Given]) -> Option<Object> {
    let mut object = Object::default();
    for option in given {
        object.put(&option.name, option.value.as_str());
    }
    (!given.is_empty()).then_some(object)
}

fn job(record: &Record<'_>, groups: &Groups, options: &Options) -> Object {
    let mut job = Object::default();
    job.put("jobname", record.name())
        .put("groupid", record.plan.group)
        .put("job_start", record.start_ms)
        .put("error", record.error)
        .put("eta", i32::MAX)
        .put("elapsed", record.elapsed.0.div_ceil(1_000_000_000).max(1));
    if let Some(given) = given(record.given()) {
        job.put("job options", given);
    }
    // fio puts the sum after the syncs; where only the sum is asked, syncs are left out, too.
    let (sum, separate): (Vec<Side>, Vec<Side>) =
        record.sides().iter().partition(|s| **s == Side::Mixed);
    for side in &separate {
        job.put(side.name(), direction(record, *side, groups, options));
    }
    if !separate.is_empty() {
        job.put("sync", sync(record, options));
    }
    for side in sum {
        job.put(side.name(), direction(record, side, groups, options));
    }
    job.put("job_runtime", whole_ms(record.windows))
        .put("usr_cpu", of_windows(record, record.cpu.user))
        .put("sys_cpu", of_windows(record, record.cpu.system))
        .put("ctx", record.cpu.voluntary + record.cpu.involuntary)
        .put("majf", record.cpu.major_faults)
        .put("minf", record.cpu.minor_faults);
    distributions(&mut job, record);
    if super::goes_on(record.plan) {
        job.put("total_err", record.passed_over.0)
            .put("first_error", record.passed_over.1);
    }
    job.put("latency_depth", record.plan.depth)
        .put("latency_target", 0_u64)
        .put("latency_target_ns", 0_u64)
        .put("latency_percentile", 100.0)
        .put("latency_window", 0_u64)
        .put("latency_window_us", 0_u64);
    if let Some(description) = &record.plan.description {
        job.put("desc", description.as_str());
    }
    additions(&mut job, record, options);
    job
}

/// What fio does not have: after its own keys, so that its readers are not disturbed.
fn additions(job: &mut Object, record: &Record<'_>, options: &Options) {
    if let Some(lag) = &record.counts.lag {
        job.put(
            "lag_ns",
            own(lag, Some(&record.plan.percentiles), options).done(),
        )
        .put("late_ios", record.counts.late);
    }
    job.put("unissued_ios", record.unissued)
        .put("start_skew_ns", record.start_skew.0);
}

fn direction(record: &Record<'_>, side: Side, groups: &Groups, options: &Options) -> Value {
    let counts = record.side(side);
    let bytes_per_s = record.bytes_per_s(side);
    let percentiles = Some(record.plan.percentiles.as_slice());
    let mut object = Object::default();
    object
        .put("io_bytes", counts.bytes)
        .put("io_kbytes", counts.bytes >> 10)
        .put("bw_bytes", whole(bytes_per_s))
        .put("bw", whole(bytes_per_s / 1024.0))
        .put("iops", record.iops(side))
        .put("runtime", record.runtime_ms(side))
        .put("total_ios", issued(&counts))
        .put("short_ios", counts.short)
        .put("drop_ios", 0_u64)
        .put("slat_ns", submission(&counts, record, options))
        .put(
            "clat_ns",
            latency(counts.completion(), percentiles, options),
        )
        .put("lat_ns", latency(&counts.service, percentiles, options));
    let spread = &record.spreads[side.index()];
    object
        .put("bw_min", whole(spread.bw.min))
        .put("bw_max", whole(spread.bw.max))
        .put("bw_agg", super::share_of_group(record, side, groups))
        .put("bw_mean", spread.bw.mean)
        .put("bw_dev", spread.bw.deviation)
        .put("bw_samples", spread.samples)
        .put("iops_min", whole(spread.iops.min))
        .put("iops_max", whole(spread.iops.max))
        .put("iops_mean", spread.iops.mean)
        .put("iops_stddev", spread.iops.deviation)
        .put("iops_samples", spread.samples)
        .put(
            "response_ns",
            response(counts.response(), percentiles, options),
        );
    object.done()
}

/// What handing over took; no samples where it is not measured.
fn submission(counts: &OpCounts, record: &Record<'_>, options: &Options) -> Value {
    let percentiles = record.shown.slat_percentiles;
    let percentiles = percentiles.then_some(record.plan.percentiles.as_slice());
    match &counts.parts {
        Some(parts) => latency(&parts.submission, percentiles, options),
        None => latency(&Latency::default(), None, options),
    }
}

fn sync(record: &Record<'_>, options: &Options) -> Value {
    let none = OpCounts::default();
    let counts = record.counts.op(Op::Sync).unwrap_or(&none);
    let percentiles = Some(record.plan.percentiles.as_slice());
    let mut object = Object::default();
    object
        .put("total_ios", counts.ios)
        .put("lat_ns", latency(&counts.service, percentiles, options));
    object.done()
}

/// A latency in the shape of fio's, and in keys of our own which of its figures are bounds: `unfinished` counts
/// the I/Os that were due and had not ended, `at_least` names the percentiles that fall among them.
fn response(of: &Latency, percentiles: Option<&[f64]>, options: &Options) -> Value {
    let mut object = own(of, percentiles, options);
    if of.unfinished() > 0 {
        let percents = percentiles.unwrap_or_default().iter();
        let bounds = percents.filter(|&&p| of.is_at_least(p));
        let names = bounds.map(|p| Value::from(format!("{p:.6}")));
        let names = Value::Array(names.collect());
        object
            .put("unfinished", of.unfinished())
            .put("at_least", names);
    }
    object.done()
}

fn latency(latency: &Latency, percentiles: Option<&[f64]>, options: &Options) -> Value {
    latency_object(latency, percentiles, Latency::fio_percentile, options).done()
}

/// A latency that fio does not have: its percentiles are interpolated, as in leadline's own reports.
fn own(latency: &Latency, percentiles: Option<&[f64]>, options: &Options) -> Object {
    latency_object(latency, percentiles, Latency::percentile, options)
}

/// A latency object; percentiles and bins only where there are samples.
fn latency_object(
    latency: &Latency,
    percentiles: Option<&[f64]>,
    value: fn(&Latency, f64) -> Option<u64>,
    options: &Options,
) -> Object {
    let mut object = Object::default();
    let min = if latency.is_empty() { 0 } else { latency.min };
    object
        .put("min", min)
        .put("max", latency.max)
        .put("mean", latency.mean())
        .put("stddev", latency.stddev())
        .put("N", latency.count());
    if latency.is_empty() {
        return object;
    }
    if let Some(percents) = percentiles {
        let mut values = Object::default();
        for &percent in percents {
            values.put(
                &format!("{percent:.6}"),
                value(latency, percent).unwrap_or(0),
            );
        }
        object.put("percentile", values);
    }
    if options.bins {
        let mut bins = Object::default();
        for (bin, count) in latency.histogram.to_fio_bins().into_iter().enumerate() {
            if count > 0 {
                bins.put(&fio_bin_value(bin).to_string(), count);
            }
        }
        object.put("bins", bins);
    }
    object
}

fn distributions(job: &mut Object, record: &Record<'_>) {
    let depths = &record.counts.depths;
    for (key, names, classes) in [
        ("iodepth_level", LEVELS, depths.level),
        ("iodepth_submit", BATCHES, depths.submit),
        ("iodepth_complete", BATCHES, depths.complete),
    ] {
        let mut object = Object::default();
        for (name, share) in names.iter().zip(shares(classes)) {
            object.put(name, share);
        }
        job.put(key, object);
    }
    let by_latency = latency_shares(&record.counts);
    let names: Vec<String> = CLASSES.iter().map(u64::to_string).collect();
    let mut long = names.clone();
    long.extend(["2000".to_owned(), ">=2000".to_owned()]);
    for (key, names, shares) in [
        ("latency_ns", &names, &by_latency.ns[..]),
        ("latency_us", &names, &by_latency.us[..]),
        ("latency_ms", &long, &by_latency.ms[..]),
    ] {
        let mut object = Object::default();
        for (name, &share) in names.iter().zip(shares) {
            object.put(name, share);
        }
        job.put(key, object);
    }
}

fn disk(disk: &DiskUse) -> Object {
    let mut object = Object::default();
    object
        .put("name", disk.name.as_str())
        .put("read_ios", disk.ios[0])
        .put("write_ios", disk.ios[1])
        .put("read_sectors", disk.sectors[0])
        .put("write_sectors", disk.sectors[1])
        .put("read_merges", disk.merges[0])
        .put("write_merges", disk.merges[1])
        .put("read_ticks", disk.ticks_ms[0])
        .put("write_ticks", disk.ticks_ms[1])
        .put("in_queue", disk.queue_ms)
        .put("util", super::utilisation(disk));
    object
}
