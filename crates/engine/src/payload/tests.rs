//! Payloads against what the plan says.

use super::*;
use crate::buffer::Layout;
use leadline_model::plan::engine::Memory;
use leadline_model::units::Percent;
use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

fn arena(slots: u32, size: u64) -> Arena {
    Arena::new(&Layout {
        slots,
        size,
        align: 0,
        memory: Memory::Anonymous,
        both: false,
    })
    .unwrap()
}

fn plan(refresh: Refresh) -> Plan {
    Plan {
        refresh,
        ..Plan::default()
    }
}

/// `count` writes of `size` bytes as they would go out, over four slots.
fn writes(plan: &Plan, size: usize, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut arena = arena(4, size as u64);
    let mut payload = Payload::new(plan, seed);
    payload.fill_all(&mut arena);
    (0..count)
        .map(|i| {
            let buffer = arena.slot_mut(i % 4);
            payload.before_write(buffer, (i * size) as u64);
            buffer.to_vec()
        })
        .collect()
}

fn unlike_blocks<'a>(writes: impl IntoIterator<Item = &'a Vec<u8>>) -> (usize, usize) {
    let blocks: Vec<&[u8]> = writes.into_iter().flat_map(|w| w.chunks(512)).collect();
    (blocks.len(), blocks.iter().collect::<HashSet<_>>().len())
}

#[test]
fn no_two_blocks_are_alike() {
    for refresh in [Refresh::Stamp, Refresh::Each] {
        for fill in [Fill::Random, Fill::Zero, Fill::Pattern(vec![1, 2, 3])] {
            if refresh == Refresh::Each && fill != Fill::Random {
                continue;
            }
            let plan = Plan {
                fill,
                ..plan(refresh)
            };
            let (a, b) = (writes(&plan, 4096, 500, 1), writes(&plan, 4096, 500, 2));
            let (all, unlike) = unlike_blocks(a.iter().chain(&b));
            assert_eq!((all, unlike), (8000, 8000), "{plan:?}");
        }
    }
}

#[test]
fn the_last_short_block_is_stamped_too() {
    let all = writes(&plan(Refresh::Stamp), 600, 300, 1);
    assert_eq!(unlike_blocks(&all), (600, 600));
}

#[test]
fn a_stamp_says_where_a_block_belongs() {
    for (i, write) in writes(&plan(Refresh::Stamp), 2048, 10, 1)
        .iter()
        .enumerate()
    {
        for (k, block) in write.chunks(512).enumerate() {
            let place = u64::from_le_bytes(block[8..16].try_into().unwrap());
            assert_eq!(place, (i * 2048 + k * 512) as u64);
        }
    }
}

#[test]
fn never_means_never() {
    let writes = writes(&plan(Refresh::Never), 4096, 8, 1);
    assert_eq!(writes[..4], writes[4..]);
    assert_eq!(unlike_blocks(&writes), (64, 32));
    let payload = Payload::new(&plan(Refresh::Never), 1);
    assert!(!payload.changes());
}

#[test]
fn zeros_and_patterns_are_what_they_say() {
    let zero = Plan {
        fill: Fill::Zero,
        ..plan(Refresh::Each)
    };
    assert!(
        writes(&zero, 4096, 4, 1)
            .iter()
            .flatten()
            .all(|&byte| byte == 0)
    );
    let bytes = b"leadline!".to_vec();
    let pattern = Plan {
        fill: Fill::Pattern(bytes.clone()),
        ..plan(Refresh::Never)
    };
    let expected: Vec<u8> = bytes.iter().copied().cycle().take(10_000).collect();
    assert_eq!(writes(&pattern, 10_000, 1, 1)[0], expected);
}

/// Bytes that gzip makes of `data`; `None` when this machine has no gzip.
fn gzipped(data: &[u8]) -> Option<usize> {
    let gzip = Command::new("gzip")
        .args(["-1", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut gzip = gzip.ok()?;
    let mut stdin = gzip.stdin.take().unwrap();
    let input = data.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = gzip.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    Some(output.stdout.len())
}

#[test]
fn a_compressor_finds_the_share() {
    for refresh in [Refresh::Never, Refresh::Stamp, Refresh::Each] {
        for fill in [Fill::Random, Fill::Pattern(b"0123456789".to_vec())] {
            for (compress_percent, compress_chunk) in [
                (0, 512),
                (25, 512),
                (50, 4096),
                (50, 0),
                (80, 4096),
                (100, 0),
            ] {
                if compress_percent == 0 && fill != Fill::Random {
                    continue;
                }
                let plan = Plan {
                    fill: fill.clone(),
                    compress_percent: Percent::whole(compress_percent),
                    compress_chunk,
                    ..plan(refresh)
                };
                let data = writes(&plan, 65536, 4, 1).concat();
                let Some(left) = gzipped(&data) else {
                    return leadline_testkit::skip(
                        "engine::payload_compresses",
                        "there is no gzip",
                    );
                };
                let share = 100.0 * (1.0 - left as f64 / data.len() as f64);
                // Stamps and the compressor's own bookkeeping take up to 6 points.
                let wanted = f64::from(compress_percent);
                assert!(
                    (wanted - 6.0..wanted + 1.0).contains(&share),
                    "{plan:?}: {share}"
                );
            }
        }
    }
}

#[test]
fn duplicates_have_their_share() {
    for fill in [Fill::Random, Fill::Zero] {
        for (refresh, dedupe_percent, unique) in [
            (Refresh::Each, 0, 2000.0),
            (Refresh::Each, 30, 1400.0),
            (Refresh::Stamp, 70, 600.0),
        ] {
            if fill == Fill::Zero && refresh == Refresh::Each {
                continue;
            }
            let plan = Plan {
                fill: fill.clone(),
                dedupe_percent: Percent::whole(dedupe_percent),
                ..plan(refresh)
            };
            let writes = writes(&plan, 1024, 2000, 1);
            let unlike = writes.iter().collect::<HashSet<_>>().len() as f64;
            // Five standard deviations of a binomial with n 2000 and p 0.3 are 102.
            assert!(
                (unlike - unique).abs() <= 102.0,
                "{plan:?}: {unlike} of 2000"
            );
        }
    }
}

#[test]
fn shorter_writes_keep_their_shares() {
    let plan = Plan {
        compress_percent: Percent::whole(50),
        compress_chunk: 0,
        ..plan(Refresh::Each)
    };
    let mut arena = arena(1, 65536);
    let mut payload = Payload::new(&plan, 1);
    payload.fill_all(&mut arena);
    for len in [4096, 512, 65536, 8192] {
        let buffer = &mut arena.slot_mut(0)[..len];
        payload.before_write(buffer, 0);
        let zeros = buffer.iter().filter(|&&byte| byte == 0).count();
        assert!(zeros.abs_diff(len / 2) < 10 + len / 128, "{zeros} of {len}");
    }
}

#[test]
fn the_same_seed_writes_the_same() {
    for refresh in [Refresh::Stamp, Refresh::Each] {
        assert_eq!(
            writes(&plan(refresh), 4096, 9, 3),
            writes(&plan(refresh), 4096, 9, 3)
        );
    }
}

#[test]
fn parts_of_a_source_are_whole_and_come_from_all_of_it() {
    let source: Arc<[u8]> = (0..=255).collect();
    let plan = Plan {
        fill: Fill::Source {
            size: 256,
            file: None,
        },
        refresh: Refresh::Each,
        ..Plan::default()
    };
    let mut payload = Payload::with_source(&plan, 1, Some(source));
    assert!(payload.changes());
    let mut starts = std::collections::BTreeSet::new();
    for offset in 0..2000 {
        let mut buffer = [0; 250];
        payload.before_write(&mut buffer, offset);
        starts.insert(buffer[0]);
        assert!(buffer.windows(2).all(|pair| pair[0] + 1 == pair[1]));
    }
    assert_eq!(
        starts.into_iter().collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5, 6]
    );
    let mut long = [0; 600];
    payload.before_write(&mut long, 0);
    assert_eq!(long[256..512], long[..256]);
}
