//! What DISKSPD does not report: queue depths, response latencies, doubts.
//!
//! Belongs here: sentences. Must never: hold a `|`, by which scripts cut tables.

use super::number::ms;
use super::span::{Kind, Side, Span};
use leadline_model::finding::Severity;
use leadline_model::latency::Latency;
use leadline_model::units::Nanos;
use leadline_results::render::once::once;
use leadline_results::run::Run;

/// Samples beyond a percentile below which it is marked.
pub(super) const FEW: f64 = 10.0;

/// Whether a percentile has too few samples beyond it to be sure. The extremes are what they are.
pub(super) fn thin(latency: &Latency, percent: f64) -> bool {
    percent < 100.0 && !latency.is_empty() && latency.samples_beyond(percent) < FEW
}

/// The mean queue depth of a span by thread and target, and the response latency at a rate.
pub(super) fn of_span(span: &Span<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if !span.rows.is_empty() {
        lines.push("Average queue depth (I/Os in flight, by Little's law)".to_owned());
        for row in &span.rows {
            lines.push(format!(
                "  thread {}, {}: {:.2} of {}",
                row.thread,
                plain(&row.path),
                row.queue,
                row.depth
            ));
        }
        let all: f64 = span.rows.iter().map(|row| row.queue).sum();
        lines.push(format!("  all: {all:.2} of {}", span.depth));
    }
    let response: Vec<String> = [("read", Kind::Read), ("write", Kind::Write)]
        .into_iter()
        .filter_map(|(name, kind)| {
            let side = Side::of(&span.total, kind);
            let response = side.response.filter(|r| !r.is_empty())?;
            let at = |p| {
                let value = ms(response.percentile(p).unwrap_or(0) as f64);
                let bound = if response.is_at_least(p) { ">= " } else { "" };
                format!("{bound}{value}")
            };
            Some(format!(
                "  {name}: mean {}, 50th {}, 99th {}, max {}",
                ms(response.mean()),
                at(50.0),
                at(99.0),
                ms(response.max as f64)
            ))
        })
        .collect();
    if !response.is_empty() {
        lines
            .push("Response latency from the intended start at the requested rate (ms)".to_owned());
        lines.extend(response);
    }
    lines.extend(of_time(span));
    lines
}

fn of_time(span: &Span<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if (span.whole - span.seconds).abs() > 0.01 * span.whole {
        lines.push(format!(
            "Threads did not all run at the same time: rates cover {:.2}s of {:.2}s",
            span.seconds, span.whole
        ));
    }
    if span.stage.cpus.is_empty() {
        lines.push("Processor time was not measured".to_owned());
    }
    let stolen: u64 = span.stage.cpus.iter().map(|c| c.steal.0).sum();
    if stolen > 0 {
        lines.push(format!(
            "The hypervisor took {} of processor time, which the CPU table does not include",
            Nanos(stolen)
        ));
    }
    if span.verbose_stats && span.waits.iter().any(|w| !w.known) {
        lines.push("Waits of threads for their rate or pause were not counted: N/A".to_owned());
    }
    if span.deviations && span.rows.iter().any(|row| row.series.is_none()) {
        lines.push(
            "I/Os per interval were not kept per thread: IopsStdDev is N/A for each thread"
                .to_owned(),
        );
    }
    lines
}

/// What holds for the whole run: every kind of finding once.
pub(super) fn of_run(run: &Run) -> Vec<String> {
    let found = once(run, Severity::Info);
    found.iter().map(|one| plain(&one.line())).collect()
}

/// A word for it.
pub(super) const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warn => "WARNING",
        Severity::Fail => "FAIL",
    }
}

/// One line without what scripts cut by.
fn plain(text: &str) -> String {
    text.replace('|', "/").replace(['\n', '\r'], " ")
}
