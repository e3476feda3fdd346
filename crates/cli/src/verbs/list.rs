//! `leadline list`: the run files that are there, as lines or as a history.

use crate::args::List;
use crate::exit::Exit;
use crate::out;
use leadline_model::event::Outcome;
use leadline_results::history::{self, History};
use leadline_results::render::text;
use leadline_results::store;
use std::path::PathBuf;

pub(crate) fn run(args: &List) -> Exit {
    let places = match &args.directory {
        Some(directory) => vec![directory.to_owned()],
        None => vec![PathBuf::from("."), crate::place::runs()],
    };
    let mut failed = false;
    let mut heads = Vec::new();
    for place in places {
        match store::list(&place) {
            Ok(found) => heads.extend(found),
            Err(error) if args.directory.is_some() => {
                out::say(&format!("error: {error}"));
                failed = true;
            }
            // leadline's own place is not there before the first run.
            Err(_) => {}
        }
    }
    if heads.is_empty() && !failed {
        out::say("no run files here; `leadline measure DIRECTORY` creates one");
    }
    if args.json {
        if !failed {
            out::data(&history::json::json(&History::of(heads)));
        }
    } else if args.history || !args.lines && out::out_is_terminal() {
        let mut style = out::out_style();
        if !out::out_is_terminal() {
            // No line is too long for a file or a pipe, and a name that is cut names no run.
            style.width = usize::MAX;
        }
        let when = |wall_ms| crate::time::shown(wall_ms);
        out::data(&text::history(&History::of(heads), &style, &when));
    } else {
        out::data(&heads.iter().map(row).collect::<String>());
    }
    if failed {
        Exit::Environment
    } else {
        Exit::Fine
    }
}

/// `leadline tag`: a run's tag is set, or taken away.
pub(crate) fn tag(run: &std::path::Path, tag: Option<&str>) -> Exit {
    if let Some(words) = tag.and_then(not_one_word) {
        out::say("error: a tag must be one word");
        out::say(&match words.as_slice() {
            [] => "  hint: without a tag, the command removes the run's tag".to_owned(),
            some => format!("  hint: leadline tag {} {}", run.display(), some.join("-")),
        });
        return Exit::Usage;
    }
    match store::set_tag(&crate::kept::named(run), tag) {
        Ok(()) => Exit::Fine,
        Err(error) => {
            out::say(&format!("error: {error}"));
            Exit::from(&error)
        }
    }
}

/// The words of a tag that is not one word.
fn not_one_word(tag: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = tag.split_whitespace().collect();
    (words != [tag]).then_some(words)
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
