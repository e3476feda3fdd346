//! What targets hold: a few blocks of each that a stage has read, looked at when it has ended.
//!
//! Belongs here: which blocks. Must never: write, take longer than its caller allows beyond the read that is under way, or be
//! called while I/O is measured or after a stage in which I/Os failed (a failing disk answers late).

use super::estimate::{Estimate, SIZE};
use crate::buffer::{Arena, Layout};
use crate::clock::{Clock, HostClock};
use crate::extent::Extent;
use crate::os::errno;
use crate::os::file::{Handle, Open, read_at};
use crate::program::Program;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::plan::engine::Memory;
use leadline_model::seed::SplitMix;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// Blocks of a target.
const BLOCKS: u64 = 64;
/// Targets of a stage.
const TARGETS: usize = 8;

/// What targets hold that these programs read, of those that are not in `seen` yet; they are added to it. A target that could
/// not be read has 0 blocks. Ends at the tick `until` of the clock.
pub(crate) fn sample(programs: &[&Program], seen: &mut BTreeSet<PathBuf>, until: u64) -> Vec<Fact> {
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
    let left = parts.into_iter().take(TARGETS).enumerate();
    let facts = left.flat_map(|(number, (path, parts))| {
        seen.insert(path.to_owned());
        let parts: Vec<Extent> = parts
            .into_iter()
            .map(|(start, len)| Extent { start, len })
            .collect();
        let found = contents(path, &places(&parts, number as u64), until).unwrap_or_default();
        let keys = [
            FactKey::SAMPLED,
            FactKey::ZEROS,
            FactKey::REPEATED,
            FactKey::COMPRESSIBLE,
        ];
        found.facts(keys, found.repeated(), &path.display().to_string())
    });
    facts.collect()
}

/// Offsets of blocks. Of more than [`BLOCKS`] they are pairs: their first blocks evenly over all parts, one in each of as many
/// ranges, in an order in which the first of them are spread as well; their second ones as far away as [`distances`] says.
fn places(parts: &[Extent], seed: u64) -> Vec<u64> {
    /// A prime above [`BLOCKS`]: its multiples visit each range once.
    const STEP: u64 = 67;
    let of = |part: &Extent| part.len / SIZE;
    let all: u64 = parts.iter().map(of).sum();
    let place = |mut block: u64| {
        let part = parts.iter().find(|part| {
            let here = block < of(part);
            block -= if here { 0 } else { of(part) };
            here
        })?;
        Some(part.start + block * SIZE)
    };
    if all <= BLOCKS {
        return (0..all)
            .filter_map(|block| place(block * STEP % all))
            .collect();
    }
    let count = BLOCKS / 2;
    let mut random = SplitMix::new(seed);
    let wide = |n: u64| u128::from(n) * u128::from(all) / u128::from(count);
    let edge = |n: u64| u64::try_from(wide(n)).unwrap_or(u64::MAX);
    let mut taken = BTreeSet::new();
    let mut places = Vec::new();
    for (number, distance) in (0..count).zip(distances(all).into_iter().cycle()) {
        let range = number * STEP % count;
        let (from, to) = (edge(range), edge(range + 1));
        let (first, length) = (random.bits(), (to - from).max(1));
        let other = |block: u64| match block + distance < all {
            true => block + distance,
            false => block - distance,
        };
        // A block that was looked at for another pair would be its own like.
        let mut pairs = (0..length)
            .map(|step| from + first.wrapping_add(step) % length)
            .map(|block| [block, other(block)]);
        if let Some(pair) = pairs.find(|pair| pair.iter().all(|block| !taken.contains(block))) {
            taken.extend(pair);
            places.extend(pair.into_iter().filter_map(place));
        }
    }
    places
}

/// How many blocks the two of a pair are apart, in turn, where there are `all` of them: no more than half. Contents with a
/// period are the same at each of its multiples, so the longest power of two finds any shorter one, and the longest of 15
/// (3 times 5) times a power of two finds periods such as 3 MiB or 10 MiB.
fn distances(all: u64) -> [u64; 2] {
    let longest = |unit: u64| {
        let times = (all / 2) / unit;
        times.checked_ilog2().map_or(unit, |log| unit << log)
    };
    [longest(1), longest(15)]
}

/// Reads these blocks past the page cache where the file system can, until the time is up.
fn contents(path: &Path, places: &[u64], until: u64) -> io::Result<Estimate> {
    let (file, whole) = opened(path)?;
    let layout = Layout {
        slots: 1,
        size: SIZE,
        align: 0,
        memory: Memory::Anonymous,
        both: false,
    };
    let mut arena = Arena::new(&layout).map_err(io::Error::other)?;
    let mut found = Estimate::default();
    for place in places {
        if HostClock::get().ticks() >= until {
            break;
        }
        let block = arena.slot_mut(0);
        let at = if whole { place / SIZE * SIZE } else { *place };
        if read_at(&file, block, at)? < block.len() {
            continue;
        }
        found.add(block);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::facts::FactValue;
    use leadline_model::units::Percent;

    const MIB: usize = 1 << 20;

    fn found(bytes: &[u8]) -> Estimate {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let whole = Extent {
            start: 0,
            len: bytes.len() as u64,
        };
        contents(file.path(), &places(&[whole], 1), u64::MAX).unwrap()
    }

    /// Blocks, those of zeros, and repeated ones.
    fn counts(bytes: &[u8]) -> (u64, u64, u64) {
        let found = found(bytes);
        (found.sampled, found.zeros, found.repeated())
    }

    fn noise(bytes: usize) -> Vec<u8> {
        let mut random = SplitMix::new(5);
        (0..bytes / 8)
            .flat_map(|_| random.bits().to_le_bytes())
            .collect()
    }

    #[test]
    fn zeros_and_repeats_are_counted_and_data_is_neither() {
        assert_eq!(counts(&noise(MIB)), (64, 0, 0));
        assert_eq!(counts(&vec![0; MIB]), (64, 64, 0));
        assert_eq!(counts(&noise(4096).repeat(256)), (64, 0, 64));
        // Of sixteen blocks each is looked at; the first half is zeros, and one of the others is twice there.
        let mut few = [vec![0; 8 * 4096], noise(8 * 4096)].concat();
        few.copy_within(14 * 4096..15 * 4096, 15 * 4096);
        assert_eq!(counts(&few), (16, 8, 2));
        assert_eq!(counts(&few[..4095]), (0, 0, 0));
    }

    /// A period of 256 blocks is longer than the sample: blocks at random places would hardly meet their like.
    #[test]
    fn contents_that_repeat_after_many_blocks_are_found() {
        for (period, times) in [
            (MIB, 5),
            (MIB, 64),
            (3 * MIB, 20),
            (4096 * 12, 50),
            (5 * MIB, 21),
        ] {
            let (sampled, _, repeated) = counts(&noise(period).repeat(times));
            assert!(
                repeated * 4 >= sampled,
                "{period} {times}: {repeated} of {sampled}"
            );
        }
        let (sampled, _, repeated) = counts(&noise(MIB).repeat(16));
        assert!((32..=64).contains(&repeated) && sampled == 64, "{repeated}");
        assert_eq!(counts(&noise(16 * MIB)), (64, 0, 0));
    }

    /// A block of which nine tenths are spaces: neither zeros nor repeated.
    #[test]
    fn contents_that_compress_are_found() {
        let text: Vec<u8> = noise(MIB)
            .chunks(41)
            .flat_map(|part| [part.to_vec(), vec![b' '; 369]].concat())
            .collect();
        let found = found(&text[..MIB]);
        assert_eq!((found.zeros, found.repeated()), (0, 0));
        assert!(found.compressible() > Percent::whole(85), "{found:?}");
        assert!(self::found(&noise(MIB)).compressible() < Percent::whole(3));
    }

    #[test]
    fn blocks_are_spread_over_all_parts_and_in_them() {
        let parts = [(4096, 64 * 4096), (1 << 30, 192 * 4096 + 7)];
        let parts = parts.map(|(start, len)| Extent { start, len });
        let places = places(&parts, 3);
        assert_eq!(places.len(), 64);
        // The first of each pair, by the size of their part.
        let firsts: BTreeSet<&u64> = places.iter().step_by(2).collect();
        let first = firsts.iter().filter(|at| (4096..65 * 4096).contains(**at));
        assert_eq!((firsts.len(), first.count()), (32, 8));
        let last = 1 << 30..(1 << 30) + 192 * 4096;
        let within = |at: &&u64| (4096..65 * 4096).contains(*at) || last.contains(*at);
        assert_eq!(places.iter().filter(within).count(), 64);
        // Of the first eight, some are of either.
        assert!(places[..8].iter().any(|at| *at < 1 << 20));
        assert!(super::places(&[], 1).is_empty());
    }

    #[test]
    fn nothing_is_read_when_the_time_is_up_or_the_target_is_gone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), noise(MIB)).unwrap();
        let none = contents(file.path(), &[0, 4096], 0).unwrap();
        assert_eq!(none, Estimate::default());
        assert!(contents(Path::new("/nowhere/at/all"), &[0], 0).is_err());
        let keys = [
            FactKey::SAMPLED,
            FactKey::ZEROS,
            FactKey::REPEATED,
            FactKey::COMPRESSIBLE,
        ];
        let facts = none.facts(keys, 0, "x");
        assert_eq!(
            facts,
            [Fact::new(FactKey::SAMPLED, "x", FactValue::Count(0))]
        );
    }
}
