//! Space: what making files, laying out, claiming and writing takes of each file system, over all stages.
//!
//! Belongs here: counting. Must never: ask for anything but what is free.

use super::written;
use crate::blocks::needs_data;
use crate::extent::Extent;
use crate::host_facts::{Cached, Number, PathKind};
use crate::problem::Problems;
use crate::problem::SHORTER;
use crate::program::{FilePlan, Program};
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{EndsOthers, Fallocate, Stage, Workload};
use leadline_model::units::Bytes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The space of the file systems, as stages take it and give it back.
#[derive(Default)]
pub(super) struct Room {
    systems: BTreeMap<Vec<u8>, System>,
    /// Bytes at each place of which the stages so far have taken some: at most as many as it has by then.
    there: BTreeMap<PathBuf, u64>,
    /// A stage may end all that would come after it.
    may_be_over: bool,
}

/// One file system.
struct System {
    bytes: Amount,
    files: Amount,
    /// Some of it is claimed without being certain to be written.
    claimed: bool,
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

/// What preparing and writing one file takes.
struct Need<'a> {
    workload: &'a str,
    path: &'a Path,
    kind: &'a PathKind,
    /// Up to where it is filled or claimed.
    end: u64,
    /// What is certain to be written of it.
    written: Vec<Extent>,
}

impl Need<'_> {
    /// Bytes that it takes beyond those that are there, and of these what is written for certain; `there` of them at
    /// most, which may be more than its size.
    fn more(&mut self, there: u64) -> (u64, u64) {
        let claimed = self.end.saturating_sub(there);
        let written = if there > size(self.kind) {
            written::bytes_from(0, &mut self.written).saturating_sub(there)
        } else {
            written::bytes_from(there, &mut self.written)
        };
        (claimed.max(written), written)
    }
}

impl Room {
    /// Takes what a stage makes, lays out, claims or is certain to write.
    pub(super) fn take(&mut self, stage: &Stage, programs: &[Program], cached: &mut Cached<'_>) {
        let mut needs: BTreeMap<PathBuf, Need<'_>> = BTreeMap::new();
        for program in programs {
            let written = match self.may_be_over {
                true => Vec::new(),
                false => written::certain(program, stage),
            };
            for (index, file) in program.files.iter().enumerate() {
                let w = program.workload.of_file(index);
                let end = taken(&w, file);
                let missing = file.kind == PathKind::Missing;
                let range = written.get(index).filter(|range| grows(range, file));
                let range = range
                    .filter(|_| written::cannot_shrink(&w) || cached.host.keeps_all(&file.path));
                if end.is_none() && range.is_none() && !missing {
                    continue;
                }
                let place = cached.place(&file.path);
                let need = needs.entry(place).or_insert_with(|| Need {
                    workload: &program.workload.name,
                    path: &file.path,
                    kind: &file.kind,
                    end: 0,
                    written: Vec::new(),
                });
                need.end = need.end.max(end.unwrap_or(0));
                need.written.extend(range);
            }
        }
        for (place, need) in needs {
            self.fill(place, need, cached);
        }
        let ends_all = |w: &Workload| w.stop.ends_others == EndsOthers::All;
        self.may_be_over |= stage.workloads.iter().any(ends_all);
    }

    /// Takes what one file needs.
    fn fill(&mut self, place: PathBuf, mut need: Need<'_>, cached: &mut Cached<'_>) {
        let kept = match need.kind {
            PathKind::File { size } => cached.host.allocated(need.path).unwrap_or(0).max(*size),
            _ => 0,
        };
        let there = self.there.get(&place).copied().unwrap_or(0).max(kept);
        let (more, written) = need.more(there);
        let missing = *need.kind == PathKind::Missing;
        let system = self.of(need.path, missing, cached);
        system.claimed |= more > written;
        if missing {
            system.files.take(1, need.workload, need.path);
        }
        if more > 0 {
            system.bytes.take(more, need.workload, need.path);
            self.there.insert(place, there.saturating_add(more));
        }
    }

    /// Gives back what a file that is deleted had, as far as its size shows.
    pub(super) fn give_back(&mut self, path: &Path, bytes: u64, cached: &mut Cached<'_>) {
        let bytes = self.there.remove(path).unwrap_or(0).max(bytes);
        let system = self.of(path, false, cached);
        system.bytes.taken -= i128::from(bytes);
        system.files.taken -= 1;
    }

    /// Reports what does not fit.
    pub(super) fn report(self, problems: &mut Problems) {
        for system in self.systems.into_values() {
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
                    less(system.claimed),
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

    fn of(&mut self, path: &Path, missing: bool, cached: &mut Cached<'_>) -> &mut System {
        let number = cached.number(path, missing, Number::FileSystem);
        let key = number.map_or_else(
            || {
                let parent = path.parent().unwrap_or(Path::new(""));
                parent.as_os_str().as_encoded_bytes().to_vec()
            },
            |id| id.to_be_bytes().to_vec(),
        );
        self.systems.entry(key).or_insert_with(|| System {
            bytes: Amount::of(cached.host.free_bytes(path)),
            files: Amount::of(cached.host.free_files(path)),
            claimed: false,
        })
    }
}

/// What to do where there is too little space, some of it perhaps `claimed` only.
fn less(claimed: bool) -> Cure {
    let knobs = [Knob::Size, Knob::FewerFiles, Knob::Remove];
    if !claimed {
        return (
            "free some space, use less, or delete files after use",
            knobs,
        )
            .into();
    }
    let text = "free some space, use less, delete files after use, or do not preallocate files that are only written";
    let mut cure = Cure::from((text, knobs));
    cure.knobs.push(Knob::NoReserve);
    cure
}

/// Whether a write to this part of a file makes it longer.
fn grows(part: &Extent, file: &FilePlan) -> bool {
    let end = part.start.saturating_add(part.len);
    !matches!(file.kind, PathKind::Block { .. }) && end > size(&file.kind)
}

/// Reports files that are to be made longer than they can be.
pub(super) fn too_long(programs: &[Program], cached: &mut Cached<'_>, problems: &mut Problems) {
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
            let missing = file.kind == PathKind::Missing;
            let longest = cached.number(&file.path, missing, Number::LongestFile);
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
