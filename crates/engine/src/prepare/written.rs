//! What workloads wrote: a few blocks of each, looked at when its stage has ended.
//!
//! Belongs here: which writes, and what is counted of them. Must never: touch a target, or be called while I/O is measured:
//! the first writes of a worker are made once more, by the maker and from the seed that it had.

use super::estimate::{BLOCK, Estimate};
use super::source::source_of;
use crate::access::rng::{Purpose, derive};
use crate::buffer::{Arena, Layout};
use crate::clock::{Clock, HostClock};
use crate::payload::Payloads;
use crate::program::Program;
use leadline_model::facts::{Fact, FactKey, placed};
use leadline_model::op::Op;
use leadline_model::plan::Fill;
use leadline_model::plan::engine::Memory;
use leadline_model::seed::SplitMix;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Writes of a workload, at most.
const WRITES: u64 = 64;
/// Blocks of each, spread over it.
const BLOCKS: u64 = 4;
/// Bytes of all of them, and of a buffer that parts are taken of.
const MOST_BYTES: u64 = 16 << 20;

/// What was looked at before: by the workload's name, what its data are made of.
pub(crate) type SeenPayloads = BTreeMap<String, u64>;

/// What the workloads of a stage wrote, of those whose data are not in `seen` yet; they are added to it. The facts have the
/// name of the workload; where an earlier one of that name has other data, its place in the plan as well ([`placed`]). Ends
/// at the tick `until` of the clock.
pub(crate) fn sample(
    stage: u32,
    programs: &[&Program],
    seen: &mut SeenPayloads,
    until: u64,
) -> Vec<Fact> {
    let mut last = None;
    let mut facts = Vec::new();
    for program in programs.iter().filter(|p| p.workload.writes()) {
        let workload = &program.workload;
        if last.replace(program.workload_index) == Some(program.workload_index) {
            continue;
        }
        let made = made_of(program);
        let subject = match seen.get(&workload.name) {
            Some(known) if *known == made => continue,
            Some(_) => placed(&workload.name, stage, program.workload_index),
            None => workload.name.clone(),
        };
        let mut random = SplitMix::new(program.seed);
        let mut estimate = Estimate::default();
        let looked_at = first_writes(program, until, &mut |write| {
            some_blocks(write, &mut random, &mut estimate);
        });
        if looked_at.is_none() {
            continue;
        }
        seen.entry(workload.name.clone()).or_insert(made);
        let keys = [
            FactKey::WRITES_SAMPLED,
            FactKey::WRITES_ZEROS,
            FactKey::WRITES_REPEATED,
            FactKey::WRITES_COMPRESSIBLE,
        ];
        facts.extend(estimate.facts(keys, estimate.copies(), &subject));
    }
    facts
}

/// What decides of the data of a workload.
fn made_of(program: &Program) -> u64 {
    let blocks = program.workload.blocks();
    let parts: Vec<_> = blocks.parts.iter().map(|part| &part.payload).collect();
    let mut hasher = DefaultHasher::new();
    format!("{:?}", (&blocks.payload, parts, &blocks.sizes)).hash(&mut hasher);
    hasher.finish()
}

/// Gives `each` the first writes of a worker, the first of them whatever the time; `None` where they need too much memory,
/// or a source that cannot be read any more.
pub(super) fn first_writes(
    program: &Program,
    until: u64,
    each: &mut dyn FnMut(&[u8]),
) -> Option<()> {
    let (workload, size) = (&program.workload, program.buffer.0.max(1));
    let files = workload.blocks().parts.len().max(1);
    let fits = |file: usize| match workload.of_file(file).blocks().payload.fill {
        Fill::Source { size, .. } => size <= MOST_BYTES,
        _ => true,
    };
    if size > MOST_BYTES || !(0..files).all(fits) {
        return None;
    }
    let sources: Option<Vec<_>> = (0..files)
        .map(|file| source_of(&workload.of_file(file), program.seed).ok())
        .collect();
    let writes = (MOST_BYTES / size).clamp(1, WRITES);
    let slots = u64::from(program.depth()).min(writes);
    let mut arena = Arena::new(&Layout {
        slots: slots.try_into().ok()?,
        size,
        align: 0,
        memory: Memory::Anonymous,
        both: false,
    })
    .ok()?;
    let seed = derive(program.seed, Purpose::Payload, 0);
    let mut payload = Payloads::new(workload, seed, &sources?);
    payload.fill_all(&mut arena);
    let len = workload.blocks().largest_of(Op::Write).clamp(1, size);
    for number in 0..writes {
        if number > 0 && HostClock::get().ticks() >= until {
            break;
        }
        let slot = u16::try_from(number % slots).ok()?;
        let file = u32::try_from(number % files as u64).ok()?;
        let buffer = &mut arena.slot_mut(slot.into())[..usize::try_from(len).ok()?];
        payload.before_write(slot, file, buffer, number * len);
        each(buffer);
    }
    Some(())
}

/// Counts some blocks of a write: all of a short one, else one of each quarter.
fn some_blocks(write: &[u8], random: &mut SplitMix, estimate: &mut Estimate) {
    let size = write.len().clamp(1, BLOCK);
    let all = (write.len() / size) as u64;
    let count = all.min(BLOCKS);
    for number in 0..count {
        let (from, to) = (number * all / count, (number + 1) * all / count);
        let block = from + random.bits() % (to - from);
        let block = usize::try_from(block).unwrap_or(0);
        estimate.add(&write[block * size..][..size]);
    }
}
