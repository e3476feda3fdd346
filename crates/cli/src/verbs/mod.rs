//! One file a verb: arguments in, exit code out.

pub(crate) mod agent;
pub(crate) mod assets;
pub(crate) mod diskspd;
pub(crate) mod fio;
pub(crate) mod list;
pub(crate) mod measure;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod vdbench;

use crate::exit::Exit;
use crate::fleet::Trouble;
use crate::out;
use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources, render};
use leadline_engine::run::RunError;
use leadline_model::plan::Dialect;
use leadline_results::trust::in_words_of;

/// Shows what the reader of a text has to say; false when there is an error among it.
fn say_diagnostics(diagnostics: &[Diagnostic], sources: &Sources) -> bool {
    if !diagnostics.is_empty() {
        let color = out::color(out::err_is_terminal());
        out::raw(&render(diagnostics, sources, color, out::width()));
    }
    !diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// Says why a run could not go on, with the cure, and gives the exit code that means it.
fn explain(trouble: &Trouble, dialect: Dialect) -> Exit {
    let hint = |cure: &str| hint(&in_words_of(dialect, cure));
    let error = match trouble {
        Trouble::Here(error) => error,
        Trouble::Fleet(nobody) => {
            for loss in &nobody.0 {
                for (text, cure) in &loss.why.reasons {
                    out::say(&format!("error: {}: {text}", loss.label));
                    hint(cure);
                }
            }
            return Exit::from(trouble);
        }
    };
    match error {
        RunError::Problems(problems) => {
            for problem in problems {
                // DISKSPD's workloads are named by their target, with which the text may begin.
                let behind = problem.text.strip_prefix(&*problem.workload);
                let named = behind.is_some_and(|rest| rest.starts_with([' ', ':']));
                out::say(&match dialect {
                    Dialect::Diskspd if named => format!("error: {}", problem.text),
                    _ => format!("error: {}: {}", problem.workload, problem.text),
                });
                hint(&problem.cure);
            }
        }
        RunError::Prepare(inner) => {
            out::say(&format!("error: {inner}"));
            hint(inner.cure());
        }
        other => out::say(&format!("error: {other}")),
    }
    Exit::from(error)
}

fn hint(cure: &str) {
    if !cure.is_empty() {
        out::say(&format!("  hint: {cure}"));
    }
}
