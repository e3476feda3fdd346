//! The XML report.

use super::notes::{self, thin};
use super::number::{ms, rate};
use super::span::{self, Bucket, Kind, Row, Side, Span};
use super::table::{mean_shares, shares, spread};
use super::text::{NOT_BEGUN, processors};
use super::topology::{Cpu, Topology};
use super::waits::Waits;
use super::{fact, given, utc};
use crate::run::Run;
use leadline_model::event::CpuTime;
use leadline_model::sample::Counts;
use std::fmt::{Display, Write};

/// The run as DISKSPD 2.2 would write it with `-Rxml`, escaped, and as its last element what it would
/// not say (see the module).
#[must_use]
pub fn xml(run: &Run) -> String {
    let mut xml = Xml::default();
    xml.open("Results");
    system(&mut xml, run);
    let profile = run
        .plan
        .as_ref()
        .and_then(|plan| given(&plan.given, "profile-xml"));
    for line in profile.unwrap_or("<Profile/>").trim().lines() {
        xml.line(line);
    }
    let spans = span::all(run);
    for span in &spans {
        time_span(&mut xml, span);
    }
    leadline(&mut xml, run, &spans);
    xml.close("Results");
    xml.text
}

/// Text under construction.
#[derive(Default)]
struct Xml {
    text: String,
    level: usize,
}

impl Xml {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", self.level * 2);
    }

    fn open(&mut self, name: &str) {
        self.line(&format!("<{name}>"));
        self.level += 1;
    }

    /// With attributes, their values already escaped.
    fn open_with(&mut self, name: &str, attributes: &str) {
        self.line(&format!("<{name} {attributes}>"));
        self.level += 1;
    }

    fn close(&mut self, name: &str) {
        self.level = self.level.saturating_sub(1);
        self.line(&format!("</{name}>"));
    }

    fn value(&mut self, name: &str, value: impl Display) {
        let value = escaped(&value.to_string());
        self.line(&format!("<{name}>{value}</{name}>"));
    }
}

/// Text as it stands in an element or an attribute. What XML cannot hold at all becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn system(xml: &mut Xml, run: &Run) {
    xml.open("System");
    xml.value(
        "ComputerName",
        fact(run, "host", "name").unwrap_or("<unknown>"),
    );
    xml.open("Tool");
    // The version of the shape; what wrote it is told in the last element.
    xml.value("Version", "2.2.0");
    xml.value("VersionDate", "2024/6/3");
    xml.close("Tool");
    xml.value("RunTime", utc(run.wall_ms));
    let scheme = escaped(fact(run, "cpu", "governor").unwrap_or("<unknown>"));
    xml.line(&format!("<PowerScheme Name=\"{scheme}\" Guid=\"\"/>"));
    topology(xml, run);
    xml.close("System");
}

fn topology(xml: &mut Xml, run: &Run) {
    let all = Topology::of(run);
    let mixed = all.is_mixed();
    xml.open_with("ProcessorTopology", &format!("Heterogeneous=\"{mixed}\""));
    for (group, mask) in all.masks(|_| true) {
        let count = mask.count_ones();
        xml.line(&format!(
            "<Group Group=\"{group}\" MaximumProcessors=\"{count}\" ActiveProcessors=\"{count}\" \
             ActiveProcessorMask=\"{mask:#x}\"/>"
        ));
    }
    let parts = |xml: &mut Xml, masks: Vec<(u32, u64)>| {
        for (group, mask) in masks {
            xml.line(&format!("<Group Group=\"{group}\" Mask=\"{mask:#x}\"/>"));
        }
    };
    for node in all.each(|c| c.node) {
        xml.open_with("Node", &format!("Node=\"{node}\""));
        parts(xml, all.masks(|c| c.node == node));
        xml.close("Node");
    }
    for socket in all.each(|c| c.socket) {
        xml.open_with("Socket", &format!("Socket=\"{socket}\""));
        parts(xml, all.masks(|c| c.socket == socket));
        xml.close("Socket");
    }
    for (group, core) in all.cores() {
        let mine = |c: &Cpu| (c.group(), c.core) == (group, core);
        let class = all.cpus.iter().find(|c| mine(c)).map_or(0, |c| c.class);
        for (_, mask) in all.masks(mine) {
            xml.line(&format!(
                "<Core Group=\"{group}\" Core=\"{core}\" Mask=\"{mask:#x}\" \
                 EfficiencyClass=\"{class}\"/>"
            ));
        }
    }
    xml.close("ProcessorTopology");
}

fn time_span(xml: &mut Xml, span: &Span<'_>) {
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

fn wait_statistics(xml: &mut Xml, waits: &Waits) {
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

fn processor_time(xml: &mut Xml, cpus: &[CpuTime], topology: &Topology) {
    let percents = |xml: &mut Xml, values: [f64; 4]| {
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

fn latency(xml: &mut Xml, counts: &Counts) {
    let sides = [Kind::Read, Kind::Write, Kind::Total].map(|kind| Side::of(counts, kind));
    let buckets = |side: &Side| side.latency.histogram.nonzero().count();
    xml.open_with(
        "Latency",
        &format!(
            "ReadHistoBuckets=\"{}\" WriteHistoBuckets=\"{}\" TotalHistoBuckets=\"{}\"",
            buckets(&sides[0]),
            buckets(&sides[1]),
            buckets(&sides[2])
        ),
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
            xml.open_with("Bucket", &format!("Thin=\"{}\"", few.join(" ")));
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
fn averages(xml: &mut Xml, sides: &[Side; 3], names: [(&str, &str); 3]) {
    for ((mean_name, deviation_name), side) in names.into_iter().zip(sides) {
        if !side.latency.is_empty() {
            let (mean, deviation) = side.spread();
            xml.value(mean_name, ms(mean));
            xml.value(deviation_name, ms(deviation));
        }
    }
}

fn iops(xml: &mut Xml, span: &Span<'_>, series: &[Bucket]) {
    xml.open("Iops");
    for (name, kind) in [
        ("ReadIopsStdDev", Kind::Read),
        ("WriteIopsStdDev", Kind::Write),
        ("IopsStdDev", Kind::Total),
    ] {
        xml.value(name, format!("{:.3}", span.deviation(series, kind)));
    }
    for (number, bucket) in (1_u64..).zip(series) {
        let mut line = format!(
            "<Bucket SampleMillisecond=\"{}\" Read=\"{}\" Write=\"{}\" Total=\"{}\"",
            number * span.bucket.as_millis(),
            bucket[0].ios,
            bucket[1].ios,
            bucket[0].ios + bucket[1].ios
        );
        for (name, moments) in ["Read", "Write"].into_iter().zip(bucket) {
            let least = if moments.ios == 0 { 0 } else { moments.min };
            let (mean, deviation) = spread(moments);
            let _ = write!(
                line,
                " {name}MinLatencyMilliseconds=\"{}\" {name}MaxLatencyMilliseconds=\"{}\" \
                 {name}AvgLatencyMilliseconds=\"{}\" {name}LatencyStdDev=\"{}\"",
                ms(least as f64),
                ms(moments.max as f64),
                ms(mean),
                ms(deviation)
            );
        }
        xml.line(&(line + "/>"));
    }
    xml.close("Iops");
}

fn target(xml: &mut Xml, span: &Span<'_>, row: &Row) {
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
            xml.line(&format!(
                "<Range IO=\"{percent:.0}\">{}</Range>",
                to.saturating_sub(from)
            ));
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

fn leadline(xml: &mut Xml, run: &Run, spans: &[Span<'_>]) {
    xml.open("Leadline");
    let version = fact(run, "leadline", "version").unwrap_or(env!("CARGO_PKG_VERSION"));
    xml.value("Version", version);
    for span in spans {
        xml.open_with("TimeSpan", &format!("Number=\"{}\"", span.number));
        for row in &span.rows {
            xml.line(&format!(
                "<Target Thread=\"{}\" Path=\"{}\" MeanQueueDepth=\"{:.2}\" QueueDepth=\"{}\" \
                 Iops=\"{:.2}\"/>",
                row.thread,
                escaped(&row.path),
                row.queue,
                row.depth,
                rate(Side::of(&row.counts, Kind::Total).ios as f64, span.seconds)
            ));
        }
        for (name, kind) in [("Read", Kind::Read), ("Write", Kind::Write)] {
            let side = Side::of(&span.total, kind);
            if let Some(response) = side.response.filter(|r| !r.is_empty()) {
                let at = |p| ms(response.percentile(p).unwrap_or(0) as f64);
                xml.line(&format!(
                    "<Response Kind=\"{name}\" AverageMilliseconds=\"{}\" P50Milliseconds=\"{}\" \
                     P99Milliseconds=\"{}\" MaxMilliseconds=\"{}\" Unfinished=\"{}\" \
                     P99AtLeast=\"{}\"/>",
                    ms(response.mean()),
                    at(50.0),
                    at(99.0),
                    ms(response.max as f64),
                    response.unfinished(),
                    response.is_at_least(99.0)
                ));
            }
        }
        xml.close("TimeSpan");
    }
    for finding in &run.findings {
        xml.open_with(
            "Finding",
            &format!(
                "Code=\"{}\" Severity=\"{}\"",
                escaped(&finding.code),
                notes::severity(finding.severity).to_ascii_lowercase()
            ),
        );
        xml.value("Text", &finding.text);
        xml.value("Cure", &finding.cure);
        xml.close("Finding");
    }
    xml.close("Leadline");
}
