//! `leadline plan DIALECT ARGS`: what would run, without running. Exit 0 when it is accepted, 2 when
//! not.

use crate::args::{DialectName, Plan as Args};
use crate::exit::Exit;
use crate::host::ThisHost;
use crate::out;
use leadline_dialect::{diskspd, fio, vdbench};
use leadline_model::plan::{Plan, Target, Workload};
use leadline_model::units::Bytes;
use leadline_results::summary::names::stage_name;
use std::fmt::Write as _;

pub(crate) fn run(args: &Args) -> Exit {
    let Some(words) = crate::words(&args.args) else {
        return Exit::Usage;
    };
    let (plan, diagnostics, sources) = match args.dialect {
        DialectName::Fio => {
            let parsed = fio::parse(&words, &ThisHost);
            (parsed.plan, parsed.diagnostics, parsed.sources)
        }
        DialectName::Diskspd => {
            let parsed = diskspd::parse(&words, &ThisHost);
            (parsed.plan, parsed.diagnostics, parsed.sources)
        }
        DialectName::Vdbench => {
            let parsed = vdbench::parse(&words, &ThisHost);
            (parsed.plan, parsed.diagnostics, parsed.sources)
        }
    };
    let accepted = super::say_diagnostics(&diagnostics, &sources)
        && plan.as_ref().is_none_or(super::says_whole_names);
    let Some(plan) = plan.filter(|_| accepted) else {
        return if accepted { Exit::Fine } else { Exit::Usage };
    };
    if args.json {
        match serde_json::to_string_pretty(&plan) {
            Ok(text) => out::data(&format!("{text}\n")),
            Err(error) => out::say(&format!("error: {error}")),
        }
    } else {
        out::data(&text(&plan));
    }
    Exit::Fine
}

/// The plan for people: a line a workload, indented under its stage.
fn text(plan: &Plan) -> String {
    let mut text = String::new();
    for (number, stage) in plan.stages.iter().enumerate() {
        let _ = writeln!(text, "stage {}: {}", number + 1, stage_name(stage));
        for workload in &stage.workloads {
            let _ = writeln!(text, "  {}", line(workload));
        }
    }
    text
}

fn line(w: &Workload) -> String {
    let place = match &w.target {
        Target::Paths(paths) => paths.join(" "),
        Target::Files(set) => {
            let directory = set.directories.first().map_or(".", String::as_str);
            format!("{} files {} in {directory}", set.count, set.pattern)
        }
        Target::Null { .. } => "nothing".to_owned(),
        Target::Simulated(_) => "a simulated device".to_owned(),
    };
    let order = if w.access.order.is_random() {
        "random"
    } else {
        "sequential"
    };
    let until = match w.stop.runtime {
        Some(time) if w.stop.time_based => format!("for {time}"),
        Some(time) => format!("until done, {time} at most"),
        None => "until done".to_owned(),
    };
    format!(
        "{} x{}: {:?} {order} {} at depth {} by {} on {place}, {until}",
        w.name,
        w.clones,
        w.mix,
        Bytes(w.sizes.max()),
        w.depth,
        w.engine.kind.name(),
    )
}
