//! Space: what making files, laying out and claiming takes of each file system, over all stages.
//!
//! Belongs here: counting. Must never: ask for anything but what is free.

use crate::blocks::needs_data;
use crate::host_facts::{HostFacts, PathKind};
use crate::problem::Problems;
use crate::problem::SHORTER;
use crate::program::{FilePlan, Program};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Fallocate, Workload};
use leadline_model::units::Bytes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The space of the file systems, as stages take it and give it back.
#[derive(Default)]
pub(super) struct Room(BTreeMap<Vec<u8>, System>);

/// One file system.
struct System {
    bytes: Amount,
    files: Amount,
}

/// Bytes or files.
#[derive(Default)]
struct Amount {
    /// What was free before the first stage; `None` = unknown.
    free: Option<u64>,
    /// What was taken since, less what was given back.
    taken: i128,
    /// The most that was taken at a time.
    most: i128,
    /// Who first takes something, or too much, and where.
    first: (String, PathBuf),
}

impl Amount {
    fn of(free: Option<u64>) -> Self {
        Self {
            free,
            ..Self::default()
        }
    }

    fn is_exceeded(&self) -> bool {
        self.free.is_some_and(|free| self.most > i128::from(free))
    }

    fn take(&mut self, amount: u64, workload: &str, path: &Path) {
        let before = self.is_exceeded();
        self.taken += i128::from(amount);
        self.most = self.most.max(self.taken);
        if self.first.0.is_empty() || (self.is_exceeded() && !before) {
            self.first = (workload.to_owned(), path.to_path_buf());
        }
    }

    /// Whose, where, the most that was taken, and what was free, where that was less.
    fn excess(&self) -> Option<(&str, &Path, u64, u64)> {
        let most = u64::try_from(self.most).unwrap_or(u64::MAX);
        let free = self.free.filter(|_| self.is_exceeded())?;
        Some((&self.first.0, &self.first.1, most, free))
    }
}

/// What preparing one file takes.
struct Need<'a> {
    workload: &'a str,
    path: &'a Path,
    missing: bool,
    there: u64,
    end: u64,
}

impl Room {
    /// Takes what a stage makes, lays out or claims.
    pub(super) fn take(&mut self, programs: &[Program], facts: &dyn HostFacts) {
        let mut needs: BTreeMap<PathBuf, Need<'_>> = BTreeMap::new();
        for program in programs {
            for (index, file) in program.files.iter().enumerate() {
                let end = taken(&program.workload.of_file(index), file);
                let missing = file.kind == PathKind::Missing;
                if end.is_none() && !missing {
                    continue;
                }
                let place = facts.place(&file.path);
                let need = needs.entry(place).or_insert_with(|| Need {
                    workload: &program.workload.name,
                    path: &file.path,
                    missing,
                    there: size(&file.kind),
                    end: 0,
                });
                need.end = need.end.max(end.unwrap_or(0));
            }
        }
        for need in needs.into_values() {
            let more = need.end.saturating_sub(need.there);
            let system = self.of(need.path, facts);
            if more > 0 {
                system.bytes.take(more, need.workload, need.path);
            }
            if need.missing {
                system.files.take(1, need.workload, need.path);
            }
        }
    }

    /// Gives back what a file that is deleted had, as far as its size shows.
    pub(super) fn give_back(&mut self, path: &Path, bytes: u64, facts: &dyn HostFacts) {
        let system = self.of(path, facts);
        system.bytes.taken -= i128::from(bytes);
        system.files.taken -= 1;
    }

    /// Reports what does not fit.
    pub(super) fn report(self, problems: &mut Problems) {
        for system in self.0.into_values() {
            if let Some((name, path, most, free)) = system.bytes.excess() {
                problems.note(
                    name,
                    ErrorCode::NoSpace,
                    format!(
                        "{} more would be written to the file system of {}, which has {} free",
                        Bytes(most),
                        path.display(),
                        Bytes(free)
                    ),
                    (
                        "free some space, use less, delete files after use, or do not preallocate \
                         files that are only written",
                        [Knob::Size, Knob::FewerFiles, Knob::Remove, Knob::NoReserve],
                    ),
                    true,
                );
            }
            if let Some((name, path, most, free)) = system.files.excess() {
                problems.note(
                    name,
                    ErrorCode::NoSpace,
                    format!(
                        "{most} more files would be made in the file system of {}, which has room for {free} \
                         (inodes)",
                        path.display()
                    ),
                    (
                        "use fewer files, delete files after use, or use another file system",
                        [Knob::FewerFiles, Knob::Remove],
                    ),
                    true,
                );
            }
        }
    }

    fn of(&mut self, path: &Path, facts: &dyn HostFacts) -> &mut System {
        let key = facts.file_system(path).map_or_else(
            || {
                let parent = path.parent().unwrap_or(Path::new(""));
                parent.as_os_str().as_encoded_bytes().to_vec()
            },
            |id| id.to_be_bytes().to_vec(),
        );
        self.0.entry(key).or_insert_with(|| System {
            bytes: Amount::of(facts.free_bytes(path)),
            files: Amount::of(facts.free_files(path)),
        })
    }
}

/// Reports files that are to be made longer than they can be.
pub(super) fn too_long(programs: &[Program], facts: &dyn HostFacts, problems: &mut Problems) {
    for program in programs {
        for (index, file) in program.files.iter().enumerate() {
            let w = program.workload.of_file(index);
            let truncates = w.blocks().prepare.fallocate == Fallocate::Truncate;
            let sets = truncates || w.engine.kind.powers().mapped;
            let made = file
                .make_size
                .filter(|_| sets && !w.blocks().region.until_full);
            let Some(end) = taken(&w, file).max(made) else {
                continue;
            };
            let longest = facts.longest_file(&file.path);
            let Some(longest) = longest.filter(|&longest| end > longest.max(size(&file.kind)))
            else {
                continue;
            };
            problems.note(
                &program.workload.name,
                ErrorCode::Limit,
                format!(
                    "{} would be {} long, but a file there can be at most {}",
                    file.path.display(),
                    Bytes(end),
                    Bytes(longest)
                ),
                SHORTER,
                true,
            );
        }
    }
}

/// Up to which byte a workload has this file filled or claimed; `None` = it has not.
fn taken(w: &Workload, file: &FilePlan) -> Option<u64> {
    if matches!(file.kind, PathKind::Block { .. }) || w.blocks().region.until_full {
        return None;
    }
    if let Some(size) = w.blocks().prepare.recreate {
        return Some(size.max(file.end()));
    }
    let claims = matches!(
        w.blocks().prepare.fallocate,
        Fallocate::Native | Fallocate::Posix | Fallocate::Keep
    );
    let takes = needs_data(w) || claims;
    file.make_size.filter(|_| takes)
}

/// Bytes of a file that is there.
pub(super) fn size(kind: &PathKind) -> u64 {
    match kind {
        PathKind::File { size } => *size,
        _ => 0,
    }
}
