//! Space: what laying out and claiming takes of each file system, over all stages.
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
    /// Bytes that were free before the first stage.
    free: u64,
    /// Bytes that were taken since, less those that were given back.
    taken: i128,
    /// The most that was taken at a time.
    most: i128,
    /// Who first takes something, or too much, and where.
    first: (String, PathBuf),
}

impl System {
    fn is_full(&self) -> bool {
        self.most > i128::from(self.free)
    }
}

/// Space that preparing one file takes.
struct Need {
    workload: String,
    path: PathBuf,
    there: u64,
    end: u64,
}

impl Room {
    /// Takes what a stage lays out or claims.
    pub(super) fn take(&mut self, programs: &[Program], facts: &dyn HostFacts) {
        let mut needs: BTreeMap<PathBuf, Need> = BTreeMap::new();
        for program in programs {
            for (index, file) in program.files.iter().enumerate() {
                let Some(end) = taken(&program.workload.of_file(index), file) else {
                    continue;
                };
                let place = facts.place(&file.path);
                let need = needs.entry(place).or_insert_with(|| Need {
                    workload: program.workload.name.clone(),
                    path: file.path.clone(),
                    there: size(&file.kind),
                    end: 0,
                });
                need.end = need.end.max(end);
            }
        }
        for need in needs.into_values() {
            let more = need.end.saturating_sub(need.there);
            let Some(system) = self.of(&need.path, facts).filter(|_| more > 0) else {
                continue;
            };
            let full = system.is_full();
            system.taken += i128::from(more);
            system.most = system.most.max(system.taken);
            if system.first.0.is_empty() || (system.is_full() && !full) {
                system.first = (need.workload, need.path);
            }
        }
    }

    /// Gives back what a file that is deleted had, as far as its size tells.
    pub(super) fn give_back(&mut self, path: &Path, bytes: u64, facts: &dyn HostFacts) {
        if let Some(system) = self.of(path, facts) {
            system.taken -= i128::from(bytes);
        }
    }

    /// Tells what does not fit.
    pub(super) fn tell(self, problems: &mut Problems) {
        for system in self.0.into_values().filter(System::is_full) {
            problems.note(
                &system.first.0,
                ErrorCode::NoSpace,
                format!(
                    "{} more are to be filled in the file system of {}, which has {} free",
                    Bytes(u64::try_from(system.most).unwrap_or(u64::MAX)),
                    system.first.1.display(),
                    Bytes(system.free)
                ),
                (
                    "free space, ask for less, delete files that are needed no more, or \
                     take no space for files that are only written",
                    [Knob::Size, Knob::FewerFiles, Knob::Remove, Knob::NoReserve],
                ),
                true,
            );
        }
    }

    fn of(&mut self, path: &Path, facts: &dyn HostFacts) -> Option<&mut System> {
        let key = facts.file_system(path).map_or_else(
            || {
                let parent = path.parent().unwrap_or(Path::new(""));
                parent.as_os_str().as_encoded_bytes().to_vec()
            },
            |id| id.to_be_bytes().to_vec(),
        );
        if !self.0.contains_key(&key) {
            let system = System {
                free: facts.free_bytes(path)?,
                taken: 0,
                most: 0,
                first: (String::new(), PathBuf::new()),
            };
            self.0.insert(key.clone(), system);
        }
        self.0.get_mut(&key)
    }
}

/// Tells of files that are to be made longer than they can be.
pub(super) fn too_long(programs: &[Program], facts: &dyn HostFacts, problems: &mut Problems) {
    for program in programs {
        for (index, file) in program.files.iter().enumerate() {
            let w = program.workload.of_file(index);
            let truncates = w.blocks().prepare.fallocate == Fallocate::Truncate;
            let truncates = truncates && w.writes() && !w.blocks().prepare.create_on_open;
            let made = file
                .make_size
                .filter(|_| truncates && !w.blocks().region.until_full);
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
                    "{} would have {}, and a file there can have {} at most",
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
    ) && !w.blocks().prepare.create_on_open;
    let fills = needs_data(w) || (claims && w.writes());
    (fills && file.make_size.is_some()).then(|| file.end())
}

/// Bytes of a file that is there.
pub(super) fn size(kind: &PathKind) -> u64 {
    match kind {
        PathKind::File { size } => *size,
        _ => 0,
    }
}
