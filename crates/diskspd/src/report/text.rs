//! The text report.

use super::notes;
use super::span::{self, Kind, Span};
use super::table;
use super::topology::{Cpu, Topology};
use super::waits;
use super::{fact, said, utc};
use crate::input_parameters;
use crate::original::PlanOriginal;
use leadline_model::facts::FactKey;
use leadline_model::plan::Dialect;
use leadline_results::run::Run;
use std::fmt::Write;

/// What DISKSPD says of a time span that ended before its measurement.
pub(super) const NOT_BEGUN: &str =
    "The test was interrupted before the measurements began. No results are displayed.";

/// The run as DISKSPD 2.2 would print it, followed by what it would not (see the module).
#[must_use]
pub fn text(run: &Run) -> String {
    let run = &*run.in_intervals();
    let spans = span::all(run);
    let mut out = String::new();
    head(&mut out, run);
    system(&mut out, run);
    for span in &spans {
        results(&mut out, span);
    }
    if spans.len() > 1 {
        table::totals(&mut out, &spans);
    }
    let of_run = notes::of_run(run);
    if !of_run.is_empty() {
        out.push_str("\nleadline says\n-------------\n");
        of_run.iter().for_each(|line| {
            let _ = writeln!(out, "{line}");
        });
    }
    out
}

fn head(out: &mut String, run: &Run) {
    let Some(plan) = &run.plan else { return };
    let original = PlanOriginal::of(plan).unwrap_or_else(|| PlanOriginal {
        words: program(plan.source.dialect)
            .into_iter()
            .map(str::to_owned)
            .chain(plan.source.words().map(str::to_owned))
            .collect(),
        ..PlanOriginal::default()
    });
    let command = original.words.join(" ");
    let _ = write!(out, "\nCommand Line: {command}\n\nInput parameters:\n\n");
    if original.profile.verbose {
        out.push_str("\tusing verbose mode\n");
    }
    for (stage, number) in plan.stages.iter().zip(1..) {
        if let Some(span) = original.span(stage) {
            let block = input_parameters(span, number);
            out.push_str(&block);
            if !block.ends_with('\n') {
                out.push('\n');
            }
            out.push('\n');
        }
    }
}

/// The words before the arguments of a run that was not asked for in DISKSPD's language.
fn program(of: Dialect) -> Vec<&'static str> {
    match of {
        Dialect::Native => vec!["leadline"],
        Dialect::Fio => vec!["leadline", "fio"],
        Dialect::Vdbench => vec!["leadline", "vdbench"],
        Dialect::Diskspd => vec!["diskspd"],
    }
}

/// Number of processors.
pub(super) fn processors(run: &Run) -> String {
    let measured = run.stages.iter().map(|s| s.cpus.len()).max().unwrap_or(0);
    match fact(run, FactKey::CPU_COUNT) {
        Some(count) => count.to_string(),
        None => measured.to_string(),
    }
}

fn system(out: &mut String, run: &Run) {
    let count = processors(run);
    let all = Topology::of(run);
    let _ = write!(
        out,
        "System information:\n\n\tcomputer name: {}\n\tstart time: {}\n\n\tcpu count:\t\t{count}\n\
         \tcore count:\t\t{}\n\tgroup count:\t\t{}\n\tnode count:\t\t{}\n\tsocket count:\t\t{}\n\
         \theterogeneous cores:\t{}\n\n\tactive power scheme:\t{}\n",
        said(run, FactKey::HOST_NAME).unwrap_or("<unknown>"),
        utc(run.wall_ms),
        all.cores().len(),
        all.each(Cpu::group).len(),
        all.each(|c| c.node).len(),
        all.each(|c| c.socket).len(),
        if all.is_mixed() { 'y' } else { 'n' },
        said(run, FactKey::GOVERNOR).unwrap_or("<unknown>"),
    );
}

fn results(out: &mut String, span: &Span<'_>) {
    let _ = write!(
        out,
        "\nResults for timespan {}:\n{}\n",
        span.number,
        "*".repeat(79)
    );
    if !span.began {
        let _ = writeln!(out, "{NOT_BEGUN}");
        return;
    }
    let _ = write!(
        out,
        "\nactual test time:\t{:.2}s\nthread count:\t\t{}\n",
        span.seconds, span.threads
    );
    if span.requests > 0 {
        let _ = writeln!(out, "request count:\t\t{}", span.requests);
    }
    table::cpu(out, &span.stage.cpus, &Topology::of(span.run));
    table::distributions(out, span);
    for kind in Kind::ALL {
        table::section(out, span, kind);
    }
    if span.latency {
        let paths = span.paths();
        for path in paths.iter().filter(|_| paths.len() > 1) {
            let title = format!("Latency distribution: {path}");
            table::percentiles(out, &title, &span.of_path(path));
        }
        table::percentiles(out, "Total latency distribution:", &span.total);
    }
    if span.verbose_stats {
        waits::table(out, &span.waits);
    }
    let lines = notes::of_span(span);
    if !lines.is_empty() {
        out.push('\n');
    }
    for line in lines {
        let _ = writeln!(out, "{line}");
    }
}
