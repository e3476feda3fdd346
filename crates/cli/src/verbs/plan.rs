//! `leadline plan DIALECT ARGS`: what would run, without running. Exit 0 when it is accepted, 2 when
//! not, 3 when this host is in the way.

use crate::args::{DialectName, Plan as Args};
use crate::exit::Exit;
use crate::fleet::Trouble;
use crate::host::ThisHost;
use crate::verbs::vdbench::commands as vdbench_commands;
use crate::{out, plan_words, session};
use leadline_dialect::{diskspd, fio, vdbench};
use leadline_engine::run::RunError;
use leadline_model::plan::Plan;

pub(crate) fn run(args: &Args) -> Exit {
    let Some(words) = crate::words(&args.args) else {
        return Exit::Usage;
    };
    let (mut mounts, mut commands) = (false, Vec::new());
    let (plan, diagnostics, sources) = match args.dialect {
        DialectName::Measure => return super::measure::plan_of(&words, args.json),
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
            mounts = !parsed.run.mounts.is_empty();
            commands = parsed.run.commands;
            (parsed.plan, parsed.diagnostics, parsed.sources)
        }
    };
    let accepted = super::say_diagnostics(&diagnostics, &sources)
        && plan.as_ref().is_none_or(super::says_whole_names);
    let Some(plan) = plan.filter(|_| accepted) else {
        return if accepted { Exit::Fine } else { Exit::Usage };
    };
    let sure = match args.dialect {
        DialectName::Vdbench if mounts => 0,
        DialectName::Vdbench => vdbench_commands::first_sure(&commands),
        _ => plan.stages.len(),
    };
    show(&plan, sure, args.json)
}

/// Shows a plan that was accepted, or why it cannot be carried through; before all but the first `sure` stages the
/// user's own commands run.
pub(crate) fn show(plan: &Plan, sure: usize, json: bool) -> Exit {
    let wrong = session::wrong_ahead(plan, &plan.stages, sure);
    if !wrong.is_empty() {
        let trouble = Trouble::Here(RunError::Problems(wrong));
        return super::explain(&trouble, plan.source.dialect);
    }
    if sure < plan.stages.len() && plan.hosts.is_empty() {
        let name = &plan.stages[sure].name;
        out::say(&format!(
            "note: from {name} on, targets are looked at when the commands before it (mount=, startcmd=, endcmd=) have \
             run: what is there, alignment, space and queues are not known yet"
        ));
    }
    if json {
        match serde_json::to_string_pretty(plan) {
            Ok(text) => out::data(&format!("{text}\n")),
            Err(error) => out::say(&format!("error: {error}")),
        }
    } else {
        out::data(&plan_words::text(plan));
    }
    Exit::Fine
}
