//! What a result was asked for, by the input that DISKSPD repeats in it: a profile, or a command line.
//!
//! Belongs here: that input as the front end reads it. Must never: look at figures.

use leadline_dialect::host::{Host, NoHost, OneText};
use leadline_results::compare::{Properties, Property, Subject};
use leadline_results::work::{in_common, of_plan};

/// What all targets of each time span have in common, in their order; empty where the front end does not read the profile
/// of this result.
pub(super) fn of_results(text: &str) -> Vec<Properties> {
    spans(&["-Xresult.xml".to_owned()], &OneText(text))
}

/// The same of a line `Command Line: diskspd.exe -b4K ...`.
pub(super) fn of_command_line(text: &str) -> Vec<Properties> {
    let mut lines = text.lines().take(16);
    let Some(words) = lines.find_map(|line| line.trim().strip_prefix("Command Line:")) else {
        return Vec::new();
    };
    let mut words = words.split_whitespace();
    let program = words
        .next()
        .and_then(|path| path.rsplit(['/', '\\']).next());
    // A result that is written from a run of another front end has that one's.
    if !program.is_some_and(|name| name.to_ascii_lowercase().starts_with("diskspd")) {
        return Vec::new();
    }
    let args: Vec<String> = words.map(str::to_owned).collect();
    spans(&args, &NoHost)
}

fn spans(args: &[String], host: &dyn Host) -> Vec<Properties> {
    let plan = crate::parsed::parse(args, host).plan;
    let stages = plan.into_iter().flat_map(|plan| plan.stages);
    let work = |stage: leadline_model::plan::Stage| {
        let mut all = in_common(stage.workloads.iter().map(of_plan).collect());
        // That of leadline: a result does not say by which calls DISKSPD did its I/O.
        all.remove(&Property::Engine);
        all
    };
    stages.map(work).collect()
}

/// Puts the work of the time spans into their rows, in place of what was read from single lines, where the front end
/// reads the same number of spans.
pub(super) fn put(subject: &mut Subject, spans: &[Properties]) {
    let mut stages: Vec<String> = subject.rows.iter().map(|row| row.stage.clone()).collect();
    stages.dedup();
    if stages.len() != spans.len() {
        return;
    }
    let is_work = |key: &Property| key.must_be_equal();
    subject.properties.retain(|key, _| !is_work(key));
    for row in &mut subject.rows {
        let Some(at) = stages.iter().position(|stage| *stage == row.stage) else {
            continue;
        };
        row.properties.retain(|key, _| !is_work(key));
        row.properties.extend(spans[at].clone());
    }
}
