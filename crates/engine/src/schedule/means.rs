//! What the workers of a stage need of the host beside their targets: engines, memory, open files, threads.
//!
//! Belongs here: needs of all workers that run together against what the host has, each with its cure. Must never: ask
//! for anything that a target decides.

use super::MAX_DEPTH;
use crate::host_facts::{Bar, Cached, HostFacts};
use crate::problem::{self, Problems};
use crate::program::{self, Program};
use crate::{blocks, medium};
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::engine::Memory;
use leadline_model::plan::{EngineKind, MediumKind, Stage, Workload};
use leadline_model::units::Bytes;
use std::collections::BTreeMap;

/// Threads of a run beside its workers.
const OTHER_THREADS: u64 = 4;

/// All of it. A stage that only makes its files has no workers.
pub(super) fn check(
    stage: &Stage,
    programs: &[Program],
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) {
    let makes_files_only = |w: &Workload| w.blocks().prepare.create_only;
    if stage.workloads.iter().all(makes_files_only) {
        return;
    }
    for workload in &stage.workloads {
        engine(workload, cached, problems);
    }
    in_flight(programs, cached.host, problems);
    memory(programs, cached.host, problems);
    threads(programs, cached.host, problems);
}

/// Whether the host has the engine, whatever it does I/O to.
fn engine(w: &Workload, cached: &mut Cached<'_>, problems: &mut Problems) {
    let powers = w.engine.kind.powers();
    let depth = if powers.is_async { w.depth } else { 1 };
    if powers.medium != MediumKind::Files || !(1..=MAX_DEPTH).contains(&depth) {
        return;
    }
    if let Some(bar) = cached.engine_lacks(&w.engine, depth) {
        note(&w.name, bar, problems);
    }
}

/// Whether the engines of each kind have room for all that is in flight.
fn in_flight(programs: &[Program], host: &dyn HostFacts, problems: &mut Problems) {
    let kind = |p: &Program| p.workload.engine.kind;
    for of in EngineKind::ALL {
        let mut sum = Sum::default();
        for program in programs.iter().filter(|p| kind(p) == of) {
            sum.of(program, program.depth().into());
        }
        let lack = sum.most().zip(host.in_flight_lacks(of, sum.all));
        if let Some((name, bar)) = lack {
            note(name, bar, problems);
        }
    }
}

/// Whether there is memory for the buffers of all workers, and for what writes are taken from.
fn memory(programs: &[Program], host: &dyn HostFacts, problems: &mut Problems) {
    let (mut ordinary, mut huge, mut locked) = (Sum::default(), Sum::default(), Sum::default());
    let mut sources = None;
    for program in programs {
        let name = &program.workload.name;
        let buffers = program.buffers();
        match buffers.bytes() {
            Ok(bytes) if buffers.memory == Memory::Huge => huge.of(program, bytes),
            Ok(bytes) => ordinary.of(program, bytes),
            Err(error) => {
                problems.add(name, ErrorCode::NoMemory, error.to_string(), error.cure());
            }
        }
        locked.of(program, program.workload.placement.lock_memory);
        ordinary.of(program, program.workload.placement.lock_memory);
        // The workers of a workload share them.
        if sources.replace(program.workload_index) != Some(program.workload_index) {
            ordinary.of(program, blocks::sources(&program.workload));
        }
    }
    if let (Some(name), Some(left)) = (ordinary.most(), host.memory())
        && ordinary.all > left
    {
        problems.note(
            name,
            ErrorCode::NoMemory,
            format!(
                "the buffers of all workers take {} of memory, and {} is available",
                Bytes(ordinary.all),
                Bytes(left)
            ),
            problem::LESS_MEMORY,
            true,
        );
    }
    if let (Some(name), Some(left)) = (locked.most(), host.lockable())
        && locked.all > left
    {
        problems.note(
            name,
            ErrorCode::Limit,
            format!(
                "all workers are to lock {} of memory, and this process may lock {}",
                Bytes(locked.all),
                Bytes(left)
            ),
            problem::LOCK_LESS,
            true,
        );
    }
    if let (Some(name), Some(left)) = (huge.most(), host.huge_pages())
        && huge.all > left
    {
        problems.note(
            name,
            ErrorCode::NoMemory,
            format!(
                "the buffers of all workers take {} of huge pages, and {} is free",
                Bytes(huge.all),
                Bytes(left)
            ),
            problem::more_huge_pages(huge.all),
            true,
        );
    }
}

/// Notes where not all files of all workers can be open at once; found before any of them is looked at.
pub(super) fn too_many_open(
    stage: &Stage,
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) -> bool {
    let (mut sum, mut workers) = (Sum::default(), 0);
    for (index, w) in (0..).zip(&stage.workloads) {
        if let Some(each) = medium::of(w).open_files(w, cached) {
            workers += u64::from(w.clones);
            sum.add(index, &w.name, each.saturating_mul(w.clones.into()));
        }
    }
    let wanted = program::descriptors_of(sum.all, workers);
    let Some(limit) = cached.host.open_files().filter(|&limit| wanted > limit) else {
        return false;
    };
    if let Some(name) = sum.most() {
        let (text, cure) = problem::too_many_open(sum.all, wanted, limit);
        problems.note(name, ErrorCode::Limit, text, cure, true);
    }
    sum.all > 0
}

/// Whether each worker can have a thread.
fn threads(programs: &[Program], host: &dyn HostFacts, problems: &mut Problems) {
    let mut sum = Sum::default();
    programs.iter().for_each(|program| sum.of(program, 1));
    let wanted = sum.all.saturating_add(OTHER_THREADS);
    if let (Some(name), Some(left)) = (sum.most(), host.threads())
        && wanted > left
    {
        problems.note(
            name,
            ErrorCode::Limit,
            format!("{wanted} threads are needed at once, and this process may start {left}"),
            problem::MORE_THREADS,
            true,
        );
    }
}

fn note(workload: &str, bar: Bar, problems: &mut Problems) {
    problems.note(workload, bar.code, bar.text, bar.cure, true);
}

/// What all workers need together.
#[derive(Default)]
struct Sum<'a> {
    all: u64,
    by_workload: BTreeMap<u32, (u64, &'a str)>,
}

impl<'a> Sum<'a> {
    fn of(&mut self, program: &'a Program, amount: u64) {
        self.add(program.workload_index, &program.workload.name, amount);
    }

    fn add(&mut self, workload: u32, name: &'a str, amount: u64) {
        self.all = self.all.saturating_add(amount);
        let of = self.by_workload.entry(workload).or_insert((0, name));
        of.0 = of.0.saturating_add(amount);
    }

    /// The workload that needs the most of it, the first of those; `None` = none needs any.
    fn most(&self) -> Option<&'a str> {
        let all = self.by_workload.values().rev().filter(|of| of.0 > 0);
        all.max_by_key(|of| of.0).map(|of| of.1)
    }
}
