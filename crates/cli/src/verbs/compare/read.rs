//! The results that a comparison is of: run files or results of other tools, folders of them, a baseline by its tag.
//!
//! Belongs here: from a path to what can be compared. Must never: compare.

use super::distinguished;
use crate::args::Compare as Args;
use crate::exit::Exit;
use crate::subject::{self, Found};
use crate::verbs::Refusal;
use crate::{kept, place};
use leadline_model::event::Outcome;
use leadline_model::facts::FactKey;
use leadline_results::compare::{CompareSide, Property, Subject};
use leadline_results::run::Run;
use leadline_results::store;
use leadline_vdbench::import::FLAT_FILE;
use std::path::{Path, PathBuf};

/// A and B, or why not: everything that is wrong, in lines.
pub(super) fn sides(args: &Args) -> Result<(CompareSide, CompareSide), Refusal> {
    let refused = |text: String| (text, Exit::Usage);
    if let Some(tag) = &args.baseline {
        let newest = baseline(tag, &args.results[0]).map_err(refused)?;
        let mut a = side(&newest).map_err(refused)?;
        tag.clone_into(&mut a.of.name);
        let b = side(&args.results[0]).map_err(refused)?;
        return Ok(of_two(a, b));
    }
    match args.results.as_slice() {
        [a, b] => match (side(a), side(b)) {
            (Ok(a), Ok(b)) => Ok(of_two(a, b)),
            (Err(a), Err(b)) => Err(refused(format!("{a}\n{b}"))),
            (Err(why), _) | (_, Err(why)) => Err(refused(why)),
        },
        [one] => arms(one).map_err(refused),
        _ => Err(refused("error: name A and B".to_owned())),
    }
}

/// A side as it was read.
struct ReadSide {
    of: CompareSide,
    /// Of each of its runs how full the file systems of its targets were, as a share, where that is known.
    full: Vec<f64>,
}

/// From this difference on, in parts of the whole, how full file systems were is worth naming.
const OTHERWISE_FULL: f64 = 0.1;

/// Two sides, distinguished by name, and by how full their file systems were where that differs: a nearly full one may be
/// slower, and what differs is a note beside the mount.
fn of_two(mut a: ReadSide, mut b: ReadSide) -> (CompareSide, CompareSide) {
    let mean = |side: &ReadSide| {
        let known = side.full.len() == side.of.subjects.len() && !side.full.is_empty();
        known.then(|| side.full.iter().sum::<f64>() / side.full.len() as f64)
    };
    if let (Some(of_a), Some(of_b)) = (mean(&a), mean(&b))
        && (of_a - of_b).abs() >= OTHERWISE_FULL
    {
        for (side, full) in [(&mut a, of_a), (&mut b, of_b)] {
            for subject in &mut side.of.subjects {
                let full = format!("{:.0} % full", full * 100.0);
                let mount = subject.properties.get(&Property::Mount);
                let said = mount.map_or(full.clone(), |mount| format!("{mount}, {full}"));
                subject.properties.insert(Property::Mount, said.into());
            }
        }
    }
    distinguished(a.of, b.of)
}

/// How full the file systems of a run's targets were before it, as a share; `None` where that is not known.
fn fullness(run: &Run) -> Option<f64> {
    let bytes = |key: FactKey<'static>| -> f64 {
        let facts = run.facts.iter().filter(|fact| fact.key() == key);
        let each = facts.filter_map(|fact| fact.value.bytes());
        each.map(|bytes| bytes.0 as f64).sum()
    };
    let (used, free) = (bytes(FactKey::MOUNT_USED), bytes(FactKey::MOUNT_FREE));
    (used + free > 0.0).then(|| used / (used + free))
}

/// The two arms of one run.
fn arms(path: &Path) -> Result<(CompareSide, CompareSide), String> {
    let (subject, _) = subject(&kept::named(path))?;
    let mut arms = CompareSide::arms(&subject).into_iter();
    let names: Vec<String> = CompareSide::arms(&subject)
        .into_iter()
        .map(|a| a.name)
        .collect();
    match (arms.next(), arms.next(), arms.next()) {
        (Some(a), Some(b), None) => Ok((a, b)),
        _ => Err(format!(
            "error: {}: to be compared with itself, a result needs two arms, not {}\n  hint: name a second \
             result, or give --baseline",
            path.display(),
            match names.as_slice() {
                [] => "none".to_owned(),
                [one] if one.is_empty() => "none".to_owned(),
                some => format!("{} ({})", some.len(), some.join(", ")),
            }
        )),
    }
}

/// The newest finished run with a tag: here, beside the result that it is compared with, or in leadline's own place.
fn baseline(tag: &str, result: &Path) -> Result<PathBuf, String> {
    let mut places = vec![PathBuf::from("."), place::runs()];
    let result = kept::named(result);
    let beside = match result.is_dir() {
        true => Some(result.as_path()),
        false => result
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty()),
    };
    places.extend(beside.map(Path::to_path_buf));
    let heads = places.iter().filter_map(|place| store::list(place).ok());
    let tagged = heads
        .flatten()
        .filter(|head| head.tag.as_deref() == Some(tag));
    let (itself, mut tagged): (Vec<store::RunHead>, Vec<store::RunHead>) =
        tagged.partition(|head| is_same_file(&head.path, &result));
    let finished = |head: &&store::RunHead| head.outcome == Some(Outcome::Complete);
    tagged.sort_by_key(|head| head.wall_ms);
    let newest = tagged.iter().rev().find(finished);
    newest.map(|head| head.path.clone()).ok_or_else(|| {
        let looked: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
        let unfinished = match tagged.len() {
            0 if !itself.is_empty() => " but the result itself".to_owned(),
            0 => String::new(),
            n => format!(" ({n} with this tag did not finish)"),
        };
        format!(
            "error: --baseline {tag}: no finished run has this tag in {}{unfinished}\n  hint: leadline tag RUN {tag}",
            looked.join(" or ")
        )
    })
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

/// Endings of results that are not run files.
const IMPORTED: [&str; 3] = ["json", "xml", "txt"];

/// One side: a result, or every result of a folder.
fn side(path: &Path) -> Result<ReadSide, String> {
    let path = kept::named(path);
    let name = name_of(&path);
    if !path.is_dir() || is_output_folder(&path) {
        let (subject, full) = subject(&path)?;
        let subjects = vec![subject];
        return Ok(ReadSide {
            of: CompareSide { name, subjects },
            full: full.into_iter().collect(),
        });
    }
    let failed = |error: &dyn std::fmt::Display| format!("error: {}: {error}", path.display());
    let entries = std::fs::read_dir(&path).map_err(|error| failed(&error))?;
    let all: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    let files = repeats(all);
    if files.is_empty() {
        return Err(format!(
            "{}\n  hint: name a result, or a folder with the results of repeats: run files, or files that end in \
             {}, logs of fio and output folders of Vdbench",
            failed(&"it contains no result"),
            IMPORTED.join(", ")
        ));
    }
    let (mut subjects, mut full, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        match subject(&file) {
            Ok((one, of_one)) => {
                subjects.push(one);
                full.extend(of_one);
            }
            Err(why) => wrong.push(why),
        }
    }
    match wrong.is_empty() {
        true => Ok(ReadSide {
            of: CompareSide { name, subjects },
            full,
        }),
        false => Err(wrong.join("\n")),
    }
}

/// The results among the entries of a folder, in the order of their names: its run files, or else what others made.
fn repeats(mut all: Vec<PathBuf>) -> Vec<PathBuf> {
    all.sort();
    let ends = |path: &PathBuf, endings: &[&str]| {
        let ending = path.extension().and_then(|e| e.to_str());
        ending.is_some_and(|ending| endings.contains(&ending)) && path.is_file()
    };
    let runs = all.iter().filter(|path| ends(path, &[store::EXTENSION]));
    let runs: Vec<PathBuf> = runs.cloned().collect();
    if !runs.is_empty() {
        return runs;
    }
    let known = |path: &&PathBuf| ends(path, &IMPORTED) || is_output_folder(path);
    let others: Vec<PathBuf> = all.iter().filter(known).cloned().collect();
    if !others.is_empty() {
        return others;
    }
    // The logs of one run of fio are one result, whichever of them is named.
    let mut prefixes: Vec<String> = Vec::new();
    all.retain(|path| match subject::log_name(path) {
        Some(log) if !prefixes.contains(&log.prefix) => {
            prefixes.push(log.prefix);
            true
        }
        _ => false,
    });
    all
}

/// Whether it is an output folder of Vdbench.
fn is_output_folder(path: &Path) -> bool {
    path.join(FLAT_FILE).is_file()
}

/// What a file holds, or a folder of one result, and how full its file systems were.
fn subject(path: &Path) -> Result<(Subject, Option<f64>), String> {
    let name = name_of(path);
    let found = subject::found(path).map_err(|why| why.words())?;
    Ok(match found {
        Found::Run(run) => {
            let source = kept::named(path).display().to_string();
            let read = Subject::from_run(&name, &source, &run);
            (read, fullness(&run))
        }
        Found::Other(read) => (Subject { name, ..*read }, None),
    })
}

/// A file without its ending, logs of fio by what they begin with, or a folder.
fn name_of(path: &Path) -> String {
    if let Some(log) = subject::log_name(path).filter(|_| path.is_file()) {
        return log.prefix;
    }
    let named = match path.is_dir() {
        true => path.file_name(),
        false => path.file_stem(),
    };
    let named = named.map(|name| name.to_string_lossy().into_owned());
    named.unwrap_or_else(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::facts::Fact;
    use leadline_model::units::Bytes;
    use leadline_results::compare::{CompareOptions, SubjectRow, compare};

    fn filled(used: u64, free: u64) -> Run {
        Run {
            facts: vec![
                Fact::new(FactKey::MOUNT_USED, "/mnt", Bytes(used)),
                Fact::new(FactKey::MOUNT_FREE, "/mnt", Bytes(free)),
            ],
            ..Run::default()
        }
    }

    fn side(name: &str, run: &Run) -> ReadSide {
        let mut subject = Subject {
            name: name.to_owned(),
            rows: vec![SubjectRow {
                workload: "w".to_owned(),
                ..SubjectRow::default()
            }],
            ..Subject::default()
        };
        let mount = "ext4 rw,relatime".to_owned();
        subject.properties.insert(Property::Mount, mount.into());
        ReadSide {
            of: CompareSide {
                name: name.to_owned(),
                subjects: vec![subject],
            },
            full: fullness(run).into_iter().collect(),
        }
    }

    #[test]
    fn file_systems_that_are_otherwise_full_are_named_as_different() {
        let notes = |a: &Run, b: &Run| {
            let (a, b) = of_two(side("a", a), side("b", b));
            let found = compare(&a, &b, &CompareOptions::default());
            let words = found.notes.iter().map(|note| note.words());
            words.collect::<Vec<_>>()
        };
        let (empty, full) = (filled(14, 86), filled(89, 11));
        // Quoted, as what a mount has is a list.
        let said =
            r#"mount "ext4 rw,relatime, 14 % full" in A, "ext4 rw,relatime, 89 % full" in B"#;
        assert_eq!(notes(&empty, &full), [said]);
        assert_eq!(notes(&empty, &filled(20, 80)), [""; 0], "about as full");
        assert_eq!(notes(&empty, &Run::default()), [""; 0], "not known of one");
    }
}
