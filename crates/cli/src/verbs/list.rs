//! `leadline list`: the run files that are there.

use crate::exit::Exit;
use crate::out;
use leadline_model::event::Outcome;
use leadline_results::store;
use std::path::{Path, PathBuf};

pub(crate) fn run(directory: Option<&Path>) -> Exit {
    let places = match directory {
        Some(directory) => vec![directory.to_owned()],
        None => vec![PathBuf::from("."), crate::place::runs()],
    };
    let mut failed = false;
    let mut rows = Vec::new();
    for place in places {
        match store::list(&place) {
            Ok(heads) => rows.extend(heads.iter().map(row)),
            Err(error) if directory.is_some() => {
                out::say(&format!("error: {error}"));
                failed = true;
            }
            // leadline's own place is not there before the first run.
            Err(_) => {}
        }
    }
    if rows.is_empty() && !failed {
        out::say("no run files here; `leadline measure DIRECTORY` creates one");
    }
    out::data(&rows.concat());
    if failed {
        Exit::Environment
    } else {
        Exit::Fine
    }
}

/// `leadline tag`: a run's tag is set, or taken away.
pub(crate) fn tag(run: &Path, tag: Option<&str>) -> Exit {
    match store::set_tag(&crate::kept::named(run), tag) {
        Ok(()) => Exit::Fine,
        Err(error) => {
            out::say(&format!("error: {error}"));
            Exit::from(&error)
        }
    }
}

fn row(head: &store::RunHead) -> String {
    let when = crate::time::shown(head.wall_ms);
    let state = match (&head.problem, &head.outcome) {
        (Some(problem), _) => format!("unreadable: {problem}"),
        (None, None) => "not finished".to_owned(),
        (None, Some(Outcome::Complete)) => "complete".to_owned(),
        (None, Some(Outcome::CutShort)) => "cut short".to_owned(),
        (None, Some(Outcome::Failed(failure))) => format!("failed: {failure}"),
    };
    let grade = Some(head.grade.as_str()).filter(|g| !g.is_empty());
    let tag = head.tag.as_ref().map(|tag| format!("  [{tag}]"));
    format!(
        "{when:19}  {:>8}  {:<12}  {:1}  {:<44}  {}  {}{}\n",
        head.length.to_string(),
        state,
        grade.unwrap_or("-"),
        head.figures,
        head.path.display(),
        head.title,
        tag.unwrap_or_default(),
    )
}
