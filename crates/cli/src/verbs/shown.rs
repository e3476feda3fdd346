//! A plan that was accepted, shown instead of run.
//!
//! Must never: read a front end's words, or run anything but the questions to hosts.

use crate::exit::Exit;
use crate::fleet::{Coming, StageError};
use crate::knobs::Language;
use crate::switches::Accept;
use crate::{out, plan_words, session};
use leadline_engine::run::RunError;
use leadline_model::plan::Plan;

/// What a plan is shown as.
pub(crate) enum Form {
    /// For people.
    Words,
    /// JSON.
    Json,
    /// A fio job file.
    FioJob,
    /// This text.
    Text(String),
}

/// Shows a plan that was accepted, or why it cannot be carried through: its hosts are asked too. Before all but the
/// first `sure` stages the user's own commands run.
pub(crate) fn show(plan: &Plan, sure: usize, accept: Accept, form: Form) -> Exit {
    let coming = Coming {
        stages: plan.stages.clone(),
        sure,
    };
    let wrong = session::wrong_ahead(plan, &coming);
    let refused = |trouble: &StageError| super::explain(trouble, Language::of(plan));
    if !wrong.is_empty() {
        return refused(&StageError::Here(RunError::Problems(wrong)));
    }
    if let Err(trouble) = session::ask_hosts(plan, &coming, accept) {
        // What it would write, and for how long, does not depend on hosts that cannot be asked.
        if matches!(form, Form::Words) {
            out::data(&plan_words::text(plan));
        }
        return refused(&trouble);
    }
    if sure < plan.stages.len() && plan.hosts.is_empty() {
        let name = &plan.stages[sure].name;
        let commands = match Language::of(plan) {
            Language::Study => "--prepare, --undo",
            Language::Of(_) => "mount=, startcmd=, endcmd=",
        };
        out::say(&format!(
            "note: from {name} on, targets are checked after the commands before it ({commands}) \
             have run: existence, alignment, space and queues are not known yet"
        ));
    }
    match form {
        Form::Json => match serde_json::to_string_pretty(plan) {
            Ok(text) => out::data(&format!("{text}\n")),
            Err(error) => {
                out::say(&format!("error: {error}"));
                return Exit::Environment;
            }
        },
        Form::Words => out::data(&plan_words::text(plan)),
        Form::FioJob => out::data(&leadline_fio::print::fio_job(plan)),
        Form::Text(text) => out::data(&text),
    }
    Exit::Fine
}
