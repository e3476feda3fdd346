//! The XML report.

use super::notes::{self, thin};
use super::number::{ms, rate};
use super::span::{self, Bucket, Kind, Row, Side, Span};
use super::table::{mean_shares, shares, spread};
use super::text::{NOT_BEGUN, processors};
use super::topology::{Cpu, Topology};
use super::waits::Waits;
use super::{said, utc};
use crate::original::PlanOriginal;
use crate::profile_xml;
use leadline_model::event::CpuTime;
use leadline_model::facts::FactKey;
use leadline_model::sample::{Counts, Moments};
use leadline_results::run::Run;
use leadline_text::xml::Writer;

/// The run as DISKSPD 2.2 would write it with `-Rxml`, escaped, and as its last element what it would
/// not say (see the module).
#[must_use]
pub fn xml(run: &Run) -> String {
    let run = &*run.in_intervals();
    let mut xml = Writer::default();
    xml.open("Results");
    system(&mut xml, run);
    let original = run.plan.as_ref().and_then(PlanOriginal::of);
    let profile = original.map(|original| profile_xml(&original.profile));
    xml.document(profile.as_deref().unwrap_or("<Profile/>"));
    let spans = span::all(run);
    for span in &spans {
        time_span(&mut xml, span);
    }
    leadline(&mut xml, run, &spans);
    xml.close("Results");
    xml.finish()
}

fn system(xml: &mut Writer, run: &Run) {
    xml.open("System");
    xml.value(
        "ComputerName",
        said(run, FactKey::HOST_NAME).unwrap_or("<unknown>"),
    );
    xml.open("Tool");
    // The version of the shape; the program that wrote it is in the last element.
    xml.value("Version", "2.2.0");
    xml.value("VersionDate", "2024/6/3");
    xml.close("Tool");
    xml.value("RunTime", utc(run.wall_ms));
    let scheme = said(run, FactKey::GOVERNOR).unwrap_or("<unknown>");
    xml.empty("PowerScheme", &[("Name", &scheme), ("Guid", &"")]);
    topology(xml, run);
    xml.close("System");
}

fn topology(xml: &mut Writer, run: &Run) {
    let all = Topology::of(run);
    let mixed = all.is_mixed();
    xml.open_with("ProcessorTopology", &[("Heterogeneous", &mixed)]);
    for (group, mask) in all.masks(|_| true) {
        let count = mask.count_ones();
        xml.empty(
            "Group",
            &[
                ("Group", &group),
                ("MaximumProcessors", &count),
                ("ActiveProcessors", &count),
                ("ActiveProcessorMask", &format_args!("{mask:#x}")),
            ],
        );
    }
    let parts = |xml: &mut Writer, masks: Vec<(u32, u64)>| {
        for (group, mask) in masks {
            let mask = format!("{mask:#x}");
            xml.empty("Group", &[("Group", &group), ("Mask", &mask)]);
        }
    };
    for node in all.each(|c| c.node) {
        xml.open_with("Node", &[("Node", &node)]);
        parts(xml, all.masks(|c| c.node == node));
        xml.close("Node");
    }
    for socket in all.each(|c| c.socket) {
        xml.open_with("Socket", &[("Socket", &socket)]);
        parts(xml, all.masks(|c| c.socket == socket));
        xml.close("Socket");
    }
    for (group, core) in all.cores() {
        let mine = |c: &Cpu| (c.group(), c.core) == (group, core);
        let class = all.cpus.iter().find(|c| mine(c)).map_or(0, |c| c.class);
        for (_, mask) in all.masks(mine) {
            xml.empty(
                "Core",
                &[
                    ("Group", &group),
                    ("Core", &core),
                    ("Mask", &format_args!("{mask:#x}")),
                    ("EfficiencyClass", &class),
                ],
            );
        }
    }
    xml.close("ProcessorTopology");
}

fn time_span(xml: &mut Writer, span: &Span<'_>) {
    xml.open("TimeSpan");
    if !span.began {
        xml.value("Error", NOT_BEGUN);
        xml.close("TimeSpan");
        return;
    }
    xml.value("TestTimeSeconds", format!("{:.2}", span.seconds));
    xml.value("ThreadCount", span.threads);
    xml.value("RequestCount", span.requests);
    xml.value("ProcCount", processors(span.run));
    processor_time(xml, &span.stage.cpus, &Topology::of(span.run));
    if span.latency {
        latency(xml, &span.total);
    }
    if span.deviations {
        iops(xml, span, &span.series);
    }
    let mut rows = span.rows.iter().peekable();
    while let Some(first) = rows.next() {
        xml.open("Thread");
        xml.value("Id", first.thread);
        target(xml, span, first);
        while let Some(row) = rows.next_if(|row| row.thread == first.thread) {
            target(xml, span, row);
        }
        let waits = span.waits.iter().find(|w| w.thread == first.thread);
        if let Some(waits) = waits.filter(|_| span.verbose_stats) {
            wait_statistics(xml, waits);
        }
        xml.close("Thread");
    }
    xml.close("TimeSpan");
}

fn wait_statistics(xml: &mut Writer, waits: &Waits) {
    xml.open("WaitStatistics");
    xml.value("CompletionWait", waits.counted.completions);
    let names = [
        "ThrottleWait",
        "ThrottleSleep",
        "Lookaside",
        "LookasideCompletion",
    ];
    for (name, value) in names
        .into_iter()
        .zip(waits.beside_completions().into_iter().flatten())
    {
        xml.value(name, value);
    }
    xml.close("WaitStatistics");
}

fn processor_time(xml: &mut Writer, cpus: &[CpuTime], topology: &Topology) {
    let percents = |xml: &mut Writer, values: [f64; 4]| {
        let names = [
            "UsagePercent",
            "UserPercent",
            "KernelPercent",
            "IdlePercent",
        ];
        for (name, value) in names.into_iter().zip(values) {
            xml.value(name, format!("{value:.2}"));
        }
    };
    xml.open("CpuUtilization");
    for cpu in cpus {
        xml.open("CPU");
        let place = topology.cpu(cpu.cpu);
        for (name, value) in [
            ("Socket", place.socket),
            ("Node", place.node),
            ("Group", place.group()),
            ("Core", place.core),
            ("EfficiencyClass", place.class),
            ("Id", place.in_group()),
        ] {
            xml.value(name, value);
        }
        percents(xml, shares(cpu));
        xml.close("CPU");
    }
    if !cpus.is_empty() {
        xml.open("Average");
        percents(xml, mean_shares(cpus));
        xml.close("Average");
    }
    xml.close("CpuUtilization");
}

/// The percentiles in the places where scripts look for them: 0 to 99 by their number, then nines, then
/// 100.
fn percentiles() -> Vec<(String, f64)> {
    let whole = (0..100_u32).map(|p| (p.to_string(), f64::from(p)));
    let nines = (1..=7).map(|n| {
        let text = format!("99.{}", "9".repeat(n));
        let value = text.parse().unwrap_or(100.0);
        (text, value)
    });
    whole
        .chain(nines)
        .chain([("100".to_owned(), 100.0)])
        .collect()
}

fn latency(xml: &mut Writer, counts: &Counts) {
    let sides = [Kind::Read, Kind::Write, Kind::Total].map(|kind| Side::of(counts, kind));
    let buckets = |side: &Side| side.latency.histogram.nonzero().count();
    xml.open_with(
        "Latency",
        &[
            ("ReadHistoBuckets", &buckets(&sides[0])),
            ("WriteHistoBuckets", &buckets(&sides[1])),
            ("TotalHistoBuckets", &buckets(&sides[2])),
        ],
    );
    let names = [
        ("AverageReadMilliseconds", "ReadLatencyStdev"),
        ("AverageWriteMilliseconds", "WriteLatencyStdev"),
        ("AverageTotalMilliseconds", "LatencyStdev"),
    ];
    averages(xml, &sides, names);
    let names = ["ReadMilliseconds", "WriteMilliseconds", "TotalMilliseconds"];
    for (text, percent) in percentiles() {
        let few: Vec<&str> = ["read", "write", "total"]
            .into_iter()
            .zip(&sides)
            .filter(|(_, side)| thin(&side.latency, percent))
            .map(|(name, _)| name)
            .collect();
        if few.is_empty() {
            xml.open("Bucket");
        } else {
            xml.open_with("Bucket", &[("Thin", &few.join(" "))]);
        }
        xml.value("Percentile", text);
        for (name, side) in names.into_iter().zip(&sides) {
            let value = if percent > 0.0 {
                side.latency.percentile(percent)
            } else {
                (!side.latency.is_empty()).then_some(side.latency.min)
            };
            if let Some(ns) = value {
                xml.value(name, ms(ns as f64));
            }
        }
        xml.close("Bucket");
    }
    xml.close("Latency");
}

/// Mean and deviation of each kind that has any.
fn averages(xml: &mut Writer, sides: &[Side; 3], names: [(&str, &str); 3]) {
    for ((mean_name, deviation_name), side) in names.into_iter().zip(sides) {
        if !side.latency.is_empty() {
            let (mean, deviation) = side.spread();
            xml.value(mean_name, ms(mean));
            xml.value(deviation_name, ms(deviation));
        }
    }
}

fn iops(xml: &mut Writer, span: &Span<'_>, series: &[Bucket]) {
    xml.open("Iops");
    for (name, kind) in [
        ("ReadIopsStdDev", Kind::Read),
        ("WriteIopsStdDev", Kind::Write),
        ("IopsStdDev", Kind::Total),
    ] {
        xml.value(name, format!("{:.3}", span.deviation(series, kind)));
    }
    for (number, bucket) in (1_u64..).zip(series) {
        let [read, write] = [in_ms(&bucket.read), in_ms(&bucket.write)];
        xml.empty(
            "Bucket",
            &[
                ("SampleMillisecond", &(number * span.bucket.as_millis())),
                ("Read", &bucket.read.ios),
                ("Write", &bucket.write.ios),
                ("Total", &(bucket.read.ios + bucket.write.ios)),
                ("ReadMinLatencyMilliseconds", &read[0]),
                ("ReadMaxLatencyMilliseconds", &read[1]),
                ("ReadAvgLatencyMilliseconds", &read[2]),
                ("ReadLatencyStdDev", &read[3]),
                ("WriteMinLatencyMilliseconds", &write[0]),
                ("WriteMaxLatencyMilliseconds", &write[1]),
                ("WriteAvgLatencyMilliseconds", &write[2]),
                ("WriteLatencyStdDev", &write[3]),
            ],
        );
    }
    xml.close("Iops");
}

/// Shortest, longest and mean latency and its deviation, in milliseconds.
fn in_ms(moments: &Moments) -> [String; 4] {
    let least = if moments.ios == 0 { 0 } else { moments.min };
    let (mean, deviation) = spread(moments);
    [least as f64, moments.max as f64, mean, deviation].map(ms)
}

fn target(xml: &mut Writer, span: &Span<'_>, row: &Row) {
    let [total, read, write] = Kind::ALL.map(|kind| Side::of(&row.counts, kind));
    xml.open("Target");
    xml.value("Path", &row.path);
    for (name, value) in [
        ("BytesCount", total.bytes),
        ("FileSize", row.size.unwrap_or(0)),
        ("IOCount", total.ios),
        ("ReadBytes", read.bytes),
        ("ReadCount", read.ios),
        ("WriteBytes", write.bytes),
        ("WriteCount", write.ios),
    ] {
        xml.value(name, value);
    }
    let parts = span.parts_of(row);
    if !parts.is_empty() {
        xml.open("Distribution");
        xml.open("Absolute");
        for (percent, from, to) in parts {
            let percent = format!("{percent:.0}");
            xml.value_with("Range", &[("IO", &percent)], to.saturating_sub(from));
        }
        xml.close("Absolute");
        xml.close("Distribution");
    }
    if span.latency {
        let names = [
            ("AverageReadLatencyMilliseconds", "ReadLatencyStdev"),
            ("AverageWriteLatencyMilliseconds", "WriteLatencyStdev"),
            ("AverageLatencyMilliseconds", "LatencyStdev"),
        ];
        averages(xml, &[read, write, total], names);
    }
    if let Some(series) = row.series.as_ref().filter(|_| span.deviations) {
        iops(xml, span, series);
    }
    xml.close("Target");
}

fn leadline(xml: &mut Writer, run: &Run, spans: &[Span<'_>]) {
    xml.open("Leadline");
    let version = said(run, FactKey::VERSION).unwrap_or(env!("CARGO_PKG_VERSION"));
    xml.value("Version", version);
    for span in spans {
        xml.open_with("TimeSpan", &[("Number", &span.number)]);
        for row in &span.rows {
            let ios = Side::of(&row.counts, Kind::Total).ios as f64;
            xml.empty(
                "Target",
                &[
                    ("Thread", &row.thread),
                    ("Path", &row.path),
                    ("MeanQueueDepth", &format_args!("{:.2}", row.queue)),
                    ("QueueDepth", &row.depth),
                    ("Iops", &format_args!("{:.2}", rate(ios, span.seconds))),
                ],
            );
        }
        for (name, kind) in [("Read", Kind::Read), ("Write", Kind::Write)] {
            let side = Side::of(&span.total, kind);
            if let Some(response) = side.response.filter(|r| !r.is_empty()) {
                let at = |p| ms(response.percentile(p).unwrap_or(0) as f64);
                xml.empty(
                    "Response",
                    &[
                        ("Kind", &name),
                        ("AverageMilliseconds", &ms(response.mean())),
                        ("P50Milliseconds", &at(50.0)),
                        ("P99Milliseconds", &at(99.0)),
                        ("MaxMilliseconds", &ms(response.max as f64)),
                        ("Unfinished", &response.unfinished()),
                        ("P99AtLeast", &response.is_at_least(99.0)),
                    ],
                );
            }
        }
        xml.close("TimeSpan");
    }
    for finding in &run.findings {
        let severity = notes::severity(finding.severity).to_ascii_lowercase();
        xml.open_with(
            "Finding",
            &[("Code", &finding.code), ("Severity", &severity)],
        );
        xml.value("Text", &finding.text);
        xml.value("Cure", &finding.cure.text);
        xml.close("Finding");
    }
    xml.close("Leadline");
}
