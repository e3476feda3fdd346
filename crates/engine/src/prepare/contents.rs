//! What targets hold: a few blocks of each that a stage has read, looked at when it has ended.
//!
//! Belongs here: which blocks, and what is counted of them. Must never: write, take longer than [`BUDGET`] beyond the read
//! that is under way, or be called while I/O is measured or after a stage in which I/Os failed (a failing disk answers late).

use crate::buffer::{Arena, Layout};
use crate::clock::{Clock, HostClock};
use crate::extent::Extent;
use crate::os::errno;
use crate::os::file::{Handle, Open, read_at};
use crate::program::Program;
use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::plan::engine::Memory;
use leadline_model::seed::SplitMix;
use leadline_model::units::{Nanos, Percent};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Blocks of a target.
const BLOCKS: u64 = 64;
/// Bytes of one: what storage compresses and deduplicates by, and what O_DIRECT can read of nearly every device.
const SIZE: u64 = 4096;
/// Targets of a stage.
const TARGETS: usize = 8;
/// How long all of them may take.
const BUDGET: Nanos = Nanos::from_millis(100);

/// What a target holds, by its sampled blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Contents {
    /// Blocks that were read.
    sampled: u64,
    /// Of them, those of zeros.
    zeros: u64,
    /// Those of other bytes that are the same as another one.
    repeated: u64,
}

/// What targets hold that these programs read, of those that are not in `seen` yet; they are added to it. A target that could
/// not be read has 0 blocks.
pub(crate) fn sample(programs: &[&Program], seen: &mut BTreeSet<PathBuf>) -> Vec<Fact> {
    let mut parts: BTreeMap<&Path, BTreeSet<(u64, u64)>> = BTreeMap::new();
    for program in programs
        .iter()
        .filter(|p| p.workload.blocks().mix.has_reads())
    {
        for file in program.files.iter().filter(|file| file.extent.len >= SIZE) {
            let Extent { start, len } = file.extent;
            parts.entry(&file.path).or_default().insert((start, len));
        }
    }
    parts.retain(|path, _| !seen.contains(*path));
    let until = in_future(BUDGET);
    let left = parts.into_iter().take(TARGETS).enumerate();
    let facts = left.flat_map(|(number, (path, parts))| {
        seen.insert(path.to_owned());
        let parts: Vec<Extent> = parts
            .into_iter()
            .map(|(start, len)| Extent { start, len })
            .collect();
        let found = contents(path, &places(&parts, number as u64), until).unwrap_or_default();
        facts(path, found)
    });
    facts.collect()
}

/// The tick of the clock that comes so long from now.
fn in_future(length: Nanos) -> u64 {
    let clock = HostClock::get();
    clock.ticks().saturating_add(clock.span(length.0))
}

/// Offsets of blocks, evenly over all parts: one in each of as many stretches, in an order in which the first of them are spread
/// as well.
fn places(parts: &[Extent], seed: u64) -> Vec<u64> {
    /// A prime above [`BLOCKS`]: its multiples come to each of them.
    const STEP: u64 = 67;
    let of = |part: &Extent| part.len / SIZE;
    let all: u64 = parts.iter().map(of).sum();
    let count = all.min(BLOCKS);
    let mut random = SplitMix::new(seed);
    let wide = |n: u64| u128::from(n) * u128::from(all) / u128::from(count.max(1));
    let edge = |n: u64| u64::try_from(wide(n)).unwrap_or(u64::MAX);
    let place = |number: u64| {
        let stretch = number * STEP % count;
        let (from, to) = (edge(stretch), edge(stretch + 1));
        let mut block = from + random.bits() % (to - from).max(1);
        let part = parts.iter().find(|part| {
            let here = block < of(part);
            block -= if here { 0 } else { of(part) };
            here
        })?;
        Some(part.start + block * SIZE)
    };
    (0..count).filter_map(place).collect()
}

/// Reads these blocks past the page cache where the file system can, until the time is up.
fn contents(path: &Path, places: &[u64], until: u64) -> io::Result<Contents> {
    let (file, whole) = opened(path)?;
    let layout = Layout {
        slots: 1,
        size: SIZE,
        align: 0,
        memory: Memory::Anonymous,
        both: false,
    };
    let mut arena = Arena::new(&layout).map_err(io::Error::other)?;
    let mut blocks: BTreeMap<u64, u64> = BTreeMap::new();
    let mut found = Contents::default();
    for place in places {
        if HostClock::get().ticks() >= until {
            break;
        }
        let block = arena.slot_mut(0);
        let at = if whole { place / SIZE * SIZE } else { *place };
        if read_at(&file, block, at)? < block.len() {
            continue;
        }
        found.sampled += 1;
        if block.iter().all(|byte| *byte == 0) {
            found.zeros += 1;
            continue;
        }
        let mut hasher = DefaultHasher::new();
        block.hash(&mut hasher);
        *blocks.entry(hasher.finish()).or_default() += 1;
    }
    found.repeated = blocks.into_values().filter(|count| *count > 1).sum();
    Ok(found)
}

/// The target, open for reading; with O_DIRECT, which reads whole blocks at their own places, or without it where the file
/// system has none.
fn opened(path: &Path) -> io::Result<(Handle, bool)> {
    let plain = Open::READ | Open::NO_WAIT;
    match (plain | Open::DIRECT).at(path) {
        Ok(file) => Ok((file, true)),
        Err(error) if error.raw_os_error() == Some(errno::EINVAL) => Ok((plain.at(path)?, false)),
        Err(error) => Err(error),
    }
}

fn facts(path: &Path, found: Contents) -> Vec<Fact> {
    let path = path.display().to_string();
    let share = |part: u64| Percent::nearest(part as f64 * 100.0 / found.sampled.max(1) as f64);
    let mut facts = vec![Fact::new(
        FactKey::SAMPLED,
        &path,
        FactValue::Count(found.sampled),
    )];
    if found.sampled > 0 {
        facts.push(Fact::new(FactKey::ZEROS, &path, share(found.zeros)));
        facts.push(Fact::new(FactKey::REPEATED, &path, share(found.repeated)));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn found(bytes: &[u8]) -> Contents {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let whole = Extent {
            start: 0,
            len: bytes.len() as u64,
        };
        let until = in_future(Nanos::from_secs(60));
        contents(file.path(), &places(&[whole], 1), until).unwrap()
    }

    fn noise(bytes: usize) -> Vec<u8> {
        let mut random = SplitMix::new(5);
        (0..bytes / 8)
            .flat_map(|_| random.bits().to_le_bytes())
            .collect()
    }

    #[test]
    fn zeros_and_repeats_are_counted_and_data_is_neither() {
        let of = |sampled, zeros, repeated| Contents {
            sampled,
            zeros,
            repeated,
        };
        assert_eq!(found(&noise(MIB)), of(64, 0, 0));
        assert_eq!(found(&vec![0; MIB]), of(64, 64, 0));
        assert_eq!(found(&noise(4096).repeat(256)), of(64, 0, 64));
        // Of sixteen blocks each is looked at; the first half is zeros, and one of the others is twice there.
        let mut few = [vec![0; 8 * 4096], noise(8 * 4096)].concat();
        few.copy_within(14 * 4096..15 * 4096, 15 * 4096);
        assert_eq!(found(&few), of(16, 8, 2));
        assert_eq!(found(&few[..4095]), of(0, 0, 0));
    }

    #[test]
    fn blocks_are_spread_over_all_parts_and_in_them() {
        let parts = [(4096, 64 * 4096), (1 << 30, 192 * 4096 + 7)];
        let parts = parts.map(|(start, len)| Extent { start, len });
        let places = places(&parts, 3);
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), 64);
        let first = places.iter().filter(|at| (4096..65 * 4096).contains(*at));
        assert_eq!(first.count(), 16);
        let last = 1 << 30..(1 << 30) + 192 * 4096;
        assert_eq!(places.iter().filter(|at| last.contains(*at)).count(), 48);
        // Of the first eight, some are of either.
        assert!(places[..8].iter().any(|at| *at < 1 << 20));
        assert!(super::places(&[], 1).is_empty());
    }

    #[test]
    fn nothing_is_read_when_the_time_is_up_or_the_target_is_gone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), noise(MIB)).unwrap();
        let none = contents(file.path(), &[0, 4096], 0).unwrap();
        assert_eq!(none, Contents::default());
        assert!(contents(Path::new("/nowhere/at/all"), &[0], 0).is_err());
        let facts = facts(Path::new("x"), none);
        assert_eq!(
            facts,
            [Fact::new(FactKey::SAMPLED, "x", FactValue::Count(0))]
        );
    }
}
