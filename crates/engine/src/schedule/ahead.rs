//! What is known to be wrong with any stage of a plan before the first begins, so that nothing is written
//! for a plan that cannot be carried through.
//!
//! Belongs here: going through the stages in their order, with the files each leaves, as far as that is
//! certain. Must never: report what an earlier stage may yet make or change.
//!
//! Not known before, and reported when the stage begins: what others take meanwhile, and quotas; limits of addresses,
//! of mappings and of a user's processes (`ulimit -v`, vm.max_map_count, `ulimit -u`), and of locked memory on
//! kernels that count rings there; how files can be opened, and which marks they take, that are to be made where
//! there are none without a name (NFS, most in user space); whether completions can be polled for where the kernel
//! does not say; errors of storage.
//!
//! Known and not refused: trims of a regular file. They fail one by one, as with fio, whose jobs may ask that these
//! errors are ignored.

use super::compile::{all, too_many};
use super::room::{self, Room};
use super::{check, coupled, means, on_host};
use crate::blocks::needs_data;
use crate::host_facts::{Cached, Coming, HostFacts, Intent, PathKind};
use crate::medium;
use crate::problem::{Problem, Problems};
use crate::program::{FilePlan, Program};
use leadline_model::plan::{Fallocate, Plan, Stage, Workload};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Looks through all stages; each problem is reported once, for the first workload that has it.
#[must_use]
pub fn ahead(plan: &Plan, facts: &dyn HostFacts) -> Vec<Problem> {
    let mut problems = Problems::default();
    let mut look = StagesSoFar {
        cached: Cached::of(facts),
        room: Room::default(),
        intents: BTreeMap::new(),
    };
    for stage in &plan.stages {
        for workload in &stage.workloads {
            check::workload(workload, stage, plan, &mut problems);
        }
        check::clocks(stage, &mut problems);
        coupled::groups(stage, &mut problems);
        let too_many = too_many(stage, &mut problems)
            || means::too_many_open(stage, &mut look.cached, &mut problems);
        if !too_many {
            look.stage(stage, plan, &mut problems);
        }
    }
    look.room.report(&mut problems);
    let (names, intents): (Vec<String>, Vec<Intent>) = look.intents.into_values().unzip();
    for (index, bar) in facts.bars(&intents, &plan.destroy) {
        problems.push(Problem {
            workload: names.get(index).cloned().unwrap_or_default(),
            text: bar.text,
            code: bar.code,
            cure: bar.cure,
            host: !bar.refused,
            refused: bar.refused,
        });
    }
    let mut distinct: Vec<Problem> = Vec::new();
    for problem in problems.0 {
        if !distinct.iter().any(|t| t.text == problem.text) {
            distinct.push(problem);
        }
    }
    distinct
}

/// What was seen of the stages so far.
struct StagesSoFar<'a> {
    cached: Cached<'a>,
    room: Room,
    /// What is to be done with each path, and by which workload.
    intents: BTreeMap<PathBuf, (String, Intent)>,
}

impl StagesSoFar<'_> {
    fn stage(&mut self, stage: &Stage, plan: &Plan, problems: &mut Problems) {
        let facts = self.cached.host;
        let mut programs = Vec::new();
        let mut number = 0;
        for (index, workload) in stage.workloads.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let alone = Stage {
                workloads: vec![workload.clone()],
                ..Stage::default()
            };
            let mut found = Problems::default();
            self.cached.unsure = false;
            let mut of_this = all(&alone, number, 0, &mut self.cached, &mut found);
            of_this.iter_mut().for_each(|p| p.workload_index = index);
            number += u64::from(workload.clones);
            if facts.is_known() && !self.cached.unsure {
                check::read_only_layout(&of_this, plan, &mut found);
                found.0.into_iter().for_each(|p| problems.push(p));
            } else {
                on_host::priority(workload, facts, problems);
                for program in &of_this {
                    let workload = &program.workload;
                    let cached = &mut self.cached;
                    medium::of(workload).check(workload, &program.files, cached, problems);
                }
            }
            programs.extend(of_this);
        }
        if !facts.is_known() {
            return;
        }
        means::check(stage, &programs, &mut self.cached, problems);
        self.room.take(stage, &programs, &mut self.cached);
        room::too_long(&programs, &mut self.cached, problems);
        for workload in &stage.workloads {
            on_host::source_files(workload)
                .for_each(|path| self.read_from(workload, path.as_ref()));
        }
        for program in &programs {
            for (index, file) in program.files.iter().enumerate() {
                self.intend(program, index, file);
            }
        }
        self.leave(&programs);
    }

    /// Notes a file that writes take their data from.
    fn read_from(&mut self, workload: &Workload, path: &Path) {
        let facts = self.cached.host;
        if is_there(facts, path) {
            let place = self.cached.place(path);
            let entry = self.intents.entry(place);
            entry.or_insert_with(|| (workload.name.clone(), Intent::of(path, false)));
        }
    }

    /// Notes what is to be done with a file.
    fn intend(&mut self, program: &Program, index: usize, file: &FilePlan) {
        let facts = self.cached.host;
        let w = &*program.workload.of_file(index);
        let makes = file.kind == PathKind::Missing;
        let place = self.cached.place(&file.path);
        let as_it_is = file.make_size.is_none() && w.blocks().prepare.recreate.is_none();
        if w.blocks().prepare.create_only && as_it_is {
            // It is there already: no worker opens it.
            return;
        }
        // What an earlier stage makes, or deletes, was checked there.
        let from_before = if makes {
            self.intents.contains_key(&place)
        } else {
            !is_there(facts, &file.path)
        };
        if from_before {
            return;
        }
        let first = || Intent::of(&file.path, makes);
        let entry = self.intents.entry(place);
        let (_, intent) = entry.or_insert_with(|| (program.workload.name.clone(), first()));
        intent.changes |=
            w.writes() || file.make_size.is_some() || w.blocks().prepare.recreate.is_some();
        intent.goes |= w.blocks().prepare.unlink;
        intent.direct |= w.blocks().open.direct;
        intent.own = intent.own.take().or_else(|| w.blocks().prepare.own.clone());
    }

    /// The files the stage leaves.
    fn leave(&mut self, programs: &[Program]) {
        let mut left: BTreeMap<PathBuf, Coming> = BTreeMap::new();
        let mut gone: BTreeSet<PathBuf> = BTreeSet::new();
        for program in programs {
            for (index, file) in program.files.iter().enumerate() {
                let (size, unsure) = size_after(&program.workload.of_file(index), file);
                let unlink = program.workload.blocks().prepare.unlink;
                let as_it_was = file.kind == PathKind::File { size } && !unsure && !unlink;
                if as_it_was || matches!(file.kind, PathKind::Block { .. }) {
                    continue;
                }
                let place = self.cached.place(&file.path);
                if unlink {
                    gone.insert(place.clone());
                }
                let coming = left.entry(place).or_insert(Coming {
                    kind: PathKind::File { size: 0 },
                    unsure: false,
                });
                let size = size.max(room::size(&coming.kind));
                coming.kind = PathKind::File { size };
                coming.unsure |= unsure;
            }
        }
        for (place, coming) in left {
            if gone.contains(&place) {
                self.room
                    .give_back(&place, room::size(&coming.kind), &mut self.cached);
                let nothing = Coming {
                    kind: PathKind::Missing,
                    unsure: false,
                };
                self.cached.becomes(place, nothing);
            } else {
                self.cached.becomes(place, coming);
            }
        }
    }
}

/// Whether there is something at a path before the first stage.
fn is_there(facts: &dyn HostFacts, path: &Path) -> bool {
    facts.path_kind(path) != PathKind::Missing
}

/// The size of a file after the stage, and whether what the workers write decides it.
fn size_after(w: &Workload, file: &FilePlan) -> (u64, bool) {
    let there = room::size(&file.kind);
    if let Some(size) = w.blocks().prepare.recreate {
        return (size.max(file.make_size.unwrap_or_default()), false);
    }
    let Some(end) = file.make_size else {
        // What is made by being opened is not laid out: it grows as it is written.
        let grows = w.blocks().prepare.create_on_open && w.writes() && file.end() > there;
        return (there, grows || w.blocks().region.until_full);
    };
    let drawn = w
        .blocks()
        .region
        .file_size
        .is_some_and(|(low, high)| low < high)
        && w.blocks().access.seed.is_none();
    let mapped = w.engine.kind.powers().mapped;
    let laid_out = needs_data(w) || mapped;
    let as_written = matches!(
        w.blocks().prepare.fallocate,
        Fallocate::None | Fallocate::Keep
    ) || w.blocks().region.until_full;
    (end.max(there), drawn || (!laid_out && as_written))
}

/// A host of which nothing is known: what would be wrong on any.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyHost;

impl HostFacts for AnyHost {
    fn path_kind(&self, _: &Path) -> PathKind {
        PathKind::Missing
    }

    fn free_bytes(&self, _: &Path) -> Option<u64> {
        None
    }

    fn direct_align(&self, _: &Path) -> Option<u32> {
        Some(1)
    }

    fn among_devices(&self, _: &Path, _: &Path) -> bool {
        false
    }

    fn is_known(&self) -> bool {
        false
    }
}
