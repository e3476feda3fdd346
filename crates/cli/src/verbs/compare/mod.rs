//! `leadline compare`: two results, or two jobs that are run in turns, and what changed.
//!
//! Belongs here: which results are meant, and where the comparison goes. Must never: compare (that is
//! `leadline_results::compare`).

mod interleave;
mod read;

use crate::args::Compare as Args;
use crate::checks::CiFiles;
use crate::diagnostics::say_diagnostics;
use crate::exit::Exit;
use crate::kept;
use crate::out;
use crate::result_file::{self, Inputs, Replace, ResultFile};
use crate::verbs::Refusal;
use leadline_dialect::condition::{LimitsIn, parse};
use leadline_dialect::diagnostic::nearest;
use leadline_model::condition::Condition;
use leadline_results::compare::{
    ChangeVerdict, CompareOptions, CompareSide, ComparedRow, Comparison, ConditionCheck,
    ConditionState, LoneRow, Property, PropertyDifference, check_changes, compare,
};
use leadline_results::render::compare::{check_line, json, junit, markdown, text};
use leadline_results::store;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Args) -> Exit {
    let Some(asked) = CompareRequest::of(args) else {
        return Exit::Usage;
    };
    match compared(args, &asked) {
        Ok(exit) => exit,
        Err((text, exit)) => {
            if !text.is_empty() {
                out::say(&text);
            }
            exit
        }
    }
}

/// What is asked of a comparison.
struct CompareRequest {
    options: CompareOptions,
    conditions: Vec<Condition>,
    files: CiFiles,
}

impl CompareRequest {
    /// What the arguments say; what is wrong with them is said, all of it.
    fn of(args: &Args) -> Option<Self> {
        let read = parse("--fail-on", &args.fail_on, LimitsIn::Percent);
        let mut fine = say_diagnostics(&read.diagnostics, &read.sources);
        let mut across = Vec::new();
        for word in &args.across {
            match property(word.trim()) {
                Ok(property) => across.push(property),
                Err(why) => {
                    out::say(&why);
                    fine = false;
                }
            }
        }
        let wrong = wrong_together(args);
        wrong.iter().for_each(|why| out::say(why));
        let files = CiFiles::of(&args.on.0.limits);
        let others = args.results.iter().chain(&args.output).cloned();
        let apart = files.are_apart_from(&Inputs::of(others));
        fine &= wrong.is_empty() & files.are_free(args.force) & apart & output_is_free(args);
        let figures = read.conditions.iter().map(|c| c.figure).collect();
        fine.then_some(Self {
            options: CompareOptions { across, figures },
            conditions: read.conditions,
            files,
        })
    }
}

/// Whether the file of --output may be written, before anything is run for it; if not, that is said.
fn output_is_free(args: &Args) -> bool {
    let is_page = |path: &&PathBuf| {
        path.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("html"))
    };
    if let Some(page) = args.output.as_ref().filter(is_page) {
        out::say(&format!(
            "error: {} would not be a page: compare writes the text of the terminal, or JSON with --json\n  hint: {}",
            page.display(),
            page_of(args, page)
        ));
        return false;
    }
    let replace = Replace::OwnReports.or_any(args.force);
    let check = |path: &PathBuf| result_file::check(path, replace).err();
    let why = args.output.as_ref().and_then(check);
    why.iter().for_each(|why| not_written(why));
    why.is_none()
}

/// The command that makes a page of what is to be compared: report takes run files, and no folders.
fn page_of(args: &Args, page: &Path) -> String {
    let is_run = |path: &Path| path.extension().is_some_and(|e| e == store::EXTENSION);
    let holds_runs = |folder: &Path| {
        let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.any(|entry| is_run(&entry.path()))
    };
    let runs = |result: &PathBuf| match kept::named(result) {
        file if file.is_file() && is_run(&file) => Some(result.display().to_string()),
        folder if holds_runs(&folder) => {
            let all = folder.join("*").with_extension(store::EXTENSION);
            Some(all.display().to_string())
        }
        _ => None,
    };
    let page = page.display();
    match args.results.iter().map(runs).collect::<Option<Vec<_>>>() {
        Some(all) => format!("leadline report {} -o {page} makes one", all.join(" ")),
        None => format!("leadline report RUN.leadline -o {page} makes one of a run file"),
    }
}

fn not_written(why: &str) {
    out::say(&format!(
        "error: {why}\n  hint: name another file with --output; --force replaces one that is not an input"
    ));
}

/// What does not go together.
fn wrong_together(args: &Args) -> Vec<String> {
    let mut wrong = Vec::new();
    let on = &args.on.0;
    if !on.limits.asserts.is_empty() || on.limits.strict {
        wrong.push(
            "error: --assert is a limit of one run, and a comparison, one with --interleave too, is judged by what changed\n  \
             hint: --fail-on 'iops<-3%' fails on a change; --assert goes to the run itself: leadline fio, measure or study"
                .to_owned(),
        );
    }
    if on.limits.setup.is_some() {
        wrong.push(
            "error: --setup is for the limits of one run; a comparison is of two, also with --interleave\n  \
             hint: leadline limits --run RESULT compares a result with limits"
                .to_owned(),
        );
    }
    let runs = on.hosts.is_some() || on.launcher.is_some() || !on.maps.is_empty() || on.fresh;
    if runs && !args.interleave {
        wrong.push(
            "error: --hosts, --launcher, --map and --fresh-device need --interleave: without it nothing is run"
                .to_owned(),
        );
    }
    match (args.results.len(), args.interleave, &args.baseline) {
        (1, true, _) => wrong.push("error: --interleave needs two jobs, A and B".to_owned()),
        (2, _, Some(_)) => {
            wrong.push("error: with --baseline give one RESULT, B".to_owned());
        }
        _ => {}
    }
    wrong
}

fn property(word: &str) -> Result<Property, String> {
    let known = || Property::ALL.into_iter().filter(|p| p.must_be_equal());
    if let Some(found) = known().find(|p| p.name() == word) {
        return Ok(found);
    }
    let names: Vec<&str> = known().map(Property::name).collect();
    let near = nearest(word, names.iter().copied());
    let hint = near.map_or_else(String::new, |near| {
        format!("\n  hint: did you mean {near}?")
    });
    Err(format!(
        "error: --across {word}: expected one of {}{hint}",
        names.join(", ")
    ))
}

fn compared(args: &Args, asked: &CompareRequest) -> Result<Exit, Refusal> {
    let (a, b, ended) = if args.interleave {
        interleave::run(args, &asked.options, &asked.conditions, &asked.files)?
    } else {
        let (a, b) = read::sides(args)?;
        let each = [&a, &b].into_iter().flat_map(|side| &side.subjects);
        let read = each.map(|subject| PathBuf::from(&subject.source));
        if !asked.files.are_apart_from(&Inputs::of(read)) {
            return Err((String::new(), Exit::Usage));
        }
        (a, b, Exit::Fine)
    };
    let found = compare(&a, &b, &asked.options);
    let checks = check_changes(&found, &asked.conditions);
    let written = write(args, asked, &found, &checks);
    hint_of_unlike(&found);
    let exit = match nothing_compared(&found) {
        // Conditions of rows that both have fail where they could not be checked.
        Some(why) if found.rows.is_empty() || checks.is_empty() => {
            out::say(&format!("error: A and B have nothing comparable: {why}"));
            Exit::Usage
        }
        _ => verdict(&checks),
    };
    Ok(match ended {
        Exit::Fine if !written => Exit::Environment,
        Exit::Fine => exit,
        other => other,
    })
}

/// Shows the comparison; false where a file of it could not be written.
fn write(
    args: &Args,
    asked: &CompareRequest,
    found: &Comparison,
    checks: &[ConditionCheck],
) -> bool {
    let shown = match args.json {
        true => json::comparison(found, checks),
        false => text::comparison(found, checks, &out::out_style()),
    };
    let inputs = Inputs::of(args.results.iter().cloned().chain(sources(found)));
    let mut written = true;
    match &args.output {
        None => out::data(&shown),
        Some(path) => {
            let replace = Replace::OwnReports.or_any(args.force);
            let file = ResultFile::open(path, replace, &inputs);
            match file.and_then(|file| file.write_whole(&shown)) {
                Ok(()) => out::say(&format!("written: {}", path.display())),
                Err(why) => {
                    not_written(&why);
                    written = false;
                }
            }
        }
    }
    let junit = || junit::comparison(found, checks);
    let markdown = || markdown::comparison(found, checks);
    written & asked.files.write((&junit, &markdown), &inputs, args.force)
}

fn sources(found: &Comparison) -> impl Iterator<Item = PathBuf> {
    let each = found.sides.iter().flat_map(|side| &side.sources);
    each.map(PathBuf::from)
}

/// Why no figure of the two was compared; `None` where one was.
fn nothing_compared(found: &Comparison) -> Option<String> {
    let mut figures = found.rows.iter().flat_map(|row| &row.figures);
    if figures.any(|figure| figure.change.is_some()) || !found.crossings.is_empty() {
        return None;
    }
    let whys = each_once(found.rows.iter().map(reasons));
    let labels = |rows: &[LoneRow]| match rows {
        [] => "nothing".to_owned(),
        some => {
            let named: Vec<String> = some.iter().take(3).map(LoneRow::called).collect();
            let more = if some.len() > 3 { " and others" } else { "" };
            format!("{}{more}", named.join("; "))
        }
    };
    Some(match (found.rows.is_empty(), whys.is_empty()) {
        (true, _) => {
            let [a, b] = found.only.each_ref().map(|only| labels(only));
            format!("A has {a}, and B {b}")
        }
        (false, true) => "the rows in common have no figure in common".to_owned(),
        (false, false) => whys.join("; "),
    })
}

/// Why a row cannot be compared: each difference of its work, else what its figures lack.
fn reasons(row: &ComparedRow) -> Vec<String> {
    if !row.unlike.is_empty() {
        return row.unlike.iter().map(PropertyDifference::words).collect();
    }
    let verdicts = row.figures.iter().map(|figure| &figure.verdict);
    let each = verdicts.filter_map(|verdict| match verdict {
        ChangeVerdict::NotComparable(why) => Some(why.clone()),
        _ => None,
    });
    each.collect()
}

/// Each reason once, in the order in which they come, with the number of rows where it is that of several.
fn each_once(rows: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut found: Vec<(String, Vec<usize>)> = Vec::new();
    let each = rows
        .enumerate()
        .flat_map(|(row, whys)| whys.into_iter().map(move |why| (row, why)));
    for (row, why) in each {
        match found.iter_mut().find(|(known, _)| *known == why) {
            Some((_, rows)) if rows.contains(&row) => {}
            Some((_, rows)) => rows.push(row),
            None => found.push((why, vec![row])),
        }
    }
    let words = found.into_iter().map(|(why, rows)| match rows.len() {
        1 => why,
        several => format!("{why} ({several} rows)"),
    });
    words.collect()
}

/// Which option compares all the same.
fn hint_of_unlike(found: &Comparison) {
    let mut names: Vec<&str> = Vec::new();
    for difference in found.rows.iter().flat_map(|row| &row.unlike) {
        let name = difference.property.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        let names = names.join(",");
        out::say(&format!(
            "hint: --across {names} compares although these differ"
        ));
    }
}

/// 99 where a condition is met, or could not be looked at.
fn verdict(checks: &[ConditionCheck]) -> Exit {
    let fails = |check: &&ConditionCheck| {
        matches!(
            check.state,
            ConditionState::Met | ConditionState::Unchecked(_)
        )
    };
    let mut failed = checks.iter().filter(fails).peekable();
    if failed.peek().is_none() {
        return Exit::Fine;
    }
    failed.for_each(|check| out::say(&format!("error: {}", check_line(check))));
    Exit::Limit
}

/// A job file without its ending.
fn name_of_job(path: &std::path::Path) -> String {
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| path.display().to_string())
}

/// Sides of one name are distinguished by where they are from.
fn distinguished(mut a: CompareSide, mut b: CompareSide) -> (CompareSide, CompareSide) {
    if a.name == b.name {
        for side in [&mut a, &mut b] {
            if let Some(first) = side.subjects.first() {
                side.name.clone_from(&first.source);
            }
        }
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::each_once;

    #[test]
    fn a_reason_of_several_rows_is_said_once_with_their_number() {
        let rows = [
            vec!["order random in A, zipf in B", "depth 1 in A, 2 in B"],
            vec!["order random in A, zipf in B", "depth 4 in A, 8 in B"],
            vec!["B has no p99", "B has no p99"],
        ];
        let rows = rows.map(|whys| whys.into_iter().map(str::to_owned).collect::<Vec<String>>());
        assert_eq!(
            each_once(rows.into_iter()),
            [
                "order random in A, zipf in B (2 rows)",
                "depth 1 in A, 2 in B",
                "depth 4 in A, 8 in B",
                "B has no p99",
            ]
        );
        assert!(each_once(std::iter::empty()).is_empty());
    }
}
