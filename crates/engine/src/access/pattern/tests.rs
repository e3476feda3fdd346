//! The rule against its own description, and against a map of done blocks.

use super::*;
use leadline_model::plan::access::Sizes;
use leadline_model::units::Percent;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn split(parts: &[(u64, u32)]) -> SizeDraw {
    SizeDraw::new(&Sizes::Split(parts.to_vec()))
}

fn range(min: u64, max: u64) -> SizeDraw {
    SizeDraw::new(&Sizes::Range {
        min,
        max,
        unaligned: false,
    })
}

fn kinds(number: usize) -> Vec<Kind> {
    match number {
        0 => vec![(
            split(&[(4096, 10), (65_536, 50), (32_768, 40)]),
            Percent::whole(100),
        )],
        1 => vec![(range(4096, 16_384), Percent::whole(100))],
        2 => vec![(range(4096, 262_144), Percent::whole(100))],
        _ => vec![
            (split(&[(4096, 1)]), Percent::whole(70)),
            (split(&[(4096, 1), (65_536, 3)]), Percent::whole(30)),
        ],
    }
}

proptest! {
    /// The cuts of all numbers are the row, without a gap, and none twice.
    #[test]
    fn numbers_and_places_are_one_to_one(
        which in 0usize..4,
        units in 1u64..3_000,
        stretches in 1u64..20,
        seed: u64,
        key: u64,
    ) {
        let pattern = Pattern::new(&kinds(which), 4096, units, seed);
        let row = Row { stretches, key };
        let mut done = vec![false; usize::try_from(units * stretches).unwrap()];
        for kind in 0..2 {
            for number in 0..pattern.numbers(kind, row) {
                let cut = pattern.cut(kind, number, row);
                for unit in cut.unit..cut.unit + u64::from(cut.len) / 4096 {
                    let done = &mut done[usize::try_from(unit).unwrap()];
                    prop_assert!(!std::mem::replace(done, true));
                }
            }
        }
        prop_assert!(done.iter().all(|&done| done));
    }
}

/// What a map of done blocks yields: lengths in the order of time.
fn with_a_map(draw: &SizeDraw, units: usize, seed: u64) -> Vec<u32> {
    let mut random = Stream::new(seed);
    // The next free block, or one nearer to it; the last entry is the end.
    let mut next: Vec<usize> = (0..=units).collect();
    let find = |next: &mut [usize], from: usize| {
        let mut free = from;
        while next[free] != free {
            free = next[free];
        }
        let mut at = from;
        while next[at] != free {
            at = std::mem::replace(&mut next[at], free);
        }
        free
    };
    let mut left = units;
    let mut lens = Vec::new();
    while left > 0 {
        let wish = usize::try_from(random.below(units as u64)).unwrap();
        let mut at = find(&mut next, wish);
        if at == units {
            at = find(&mut next, 0);
        }
        let wanted = usize::try_from(draw.draw(&mut random) / 4096).unwrap();
        let mut room = 0;
        while room < wanted && at + room < units && next[at + room] == at + room {
            next[at + room] = at + room + 1;
            room += 1;
        }
        left -= room;
        lens.push(u32::try_from(room * 4096).unwrap());
    }
    lens
}

/// Percent of I/Os by length.
fn shares(lens: &[u32]) -> BTreeMap<u32, f64> {
    let mut shares = BTreeMap::new();
    for len in lens {
        *shares.entry(*len).or_default() += 100.0 / lens.len() as f64;
    }
    shares
}

/// In the whole pass and in each quarter of it, for any seed, each length has within a point the share that a
/// map gives it.
#[test]
fn shares_are_those_of_a_map() {
    for (which, units) in [(0, 1 << 20), (1, 1 << 18)] {
        let kinds = kinds(which);
        let mapped = with_a_map(&kinds[0].0, units, 1);
        for seed in 0..10 {
            let most = stretch(&kinds, 4096);
            let stretches = (units as u64).div_ceil(most);
            let length = (units as u64).div_ceil(stretches);
            let pattern = Pattern::new(&kinds, 4096, length, mix(seed));
            let row = Row {
                stretches,
                key: mix(seed),
            };
            let numbers = 0..pattern.numbers(0, row);
            let cuts: Vec<u32> = numbers.map(|n| pattern.cut(0, n, row).len).collect();
            let by = cuts.len().abs_diff(mapped.len());
            assert!(by * 70 < mapped.len(), "{} {}", cuts.len(), mapped.len());
            assert_near(&cuts, &mapped, 1.0, &format!("{which}, seed {seed}"));
            // A quarter has fewer I/Os, and so more chance in it.
            for (ours, maps) in cuts
                .chunks(cuts.len() / 4)
                .zip(mapped.chunks(mapped.len() / 4))
                .take(4)
            {
                assert_near(
                    ours,
                    maps,
                    2.0,
                    &format!("a quarter of {which}, seed {seed}"),
                );
            }
        }
    }
}

fn assert_near(ours: &[u32], maps: &[u32], points: f64, what: &str) {
    let (ours, maps) = (shares(ours), shares(maps));
    for len in ours.keys().chain(maps.keys()) {
        let share = |of: &BTreeMap<u32, f64>| of.get(len).copied().unwrap_or(0.0);
        let by = (share(&ours) - share(&maps)).abs();
        assert!(
            by < points,
            "{what}: {len} bytes: {} {}",
            share(&ours),
            share(&maps)
        );
    }
}

/// Neighbours in time are no neighbours in space.
#[test]
fn successive_ios_are_unrelated() {
    let kinds = kinds(1);
    let pattern = Pattern::new(&kinds, 4096, stretch(&kinds, 4096), 3);
    let row = Row {
        stretches: 64,
        key: 7,
    };
    let all = pattern.units() * row.stretches;
    let numbers = pattern.numbers(0, row);
    let cell = |n: u64| usize::try_from(pattern.cut(0, n, row).unit * 16 / all).unwrap();
    let mut counts = [0f64; 256];
    for n in 1..numbers {
        counts[cell(n - 1) * 16 + cell(n)] += 1.0;
    }
    let expected = (numbers - 1) as f64 / 256.0;
    let squares = counts.iter().map(|c| (c - expected).powi(2) / expected);
    let chi: f64 = squares.sum();
    assert!(chi < 255.0 + 6.0 * 510f64.sqrt(), "chi square {chi}");
}

#[test]
fn a_stretch_has_room_for_the_longest_however_seldom_it_is() {
    // Of 100,000 I/Os of 4 KiB one of 1 GiB, which is 262,144 units.
    let seldom = [(split(&[(4096, 99_999), (1 << 30, 1)]), Percent::whole(100))];
    assert_eq!(stretch(&seldom, 4096), 16 * 262_144);
    // Where all are of one unit, half as many as there are twice the I/Os.
    let alike = [(split(&[(4096, 1)]), Percent::whole(100))];
    assert_eq!(stretch(&alike, 4096), STRETCH / 2);
}
