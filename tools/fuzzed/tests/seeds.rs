//! Each target with its seeds, and with seeds in which bytes were changed: the same on every machine.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not tests to the lints"
)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "places within a seed, and bytes of a random number"
)]

use leadline_fuzzed::TARGETS;
use leadline_model::plan::Plan;
use leadline_model::seed::SplitMix;
use std::path::{Path, PathBuf};

/// Changed seeds of each target.
const CHANGED: u64 = 300;

fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory.join(target))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect()
}

/// Overwrites, doubles or drops pieces.
fn change(bytes: &mut Vec<u8>, random: &mut SplitMix) {
    for _ in 0..1 + random.bits() % 4 {
        if bytes.is_empty() {
            return;
        }
        let at = (random.bits() % bytes.len() as u64) as usize;
        let length = (random.bits() % 16) as usize;
        let end = (at + length).min(bytes.len());
        match random.bits() % 4 {
            0 => bytes[at] = random.bits() as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes[at] ^= 1 << (random.bits() % 8),
        }
    }
}

#[test]
fn all_targets_hold_on_their_seeds_and_on_changed_ones() {
    for (name, run) in TARGETS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for (_, bytes) in &seeds {
            run(bytes);
        }
        let mut random = SplitMix::new(1);
        for round in 0..CHANGED {
            let mut bytes = seeds[(round % seeds.len() as u64) as usize].1.clone();
            change(&mut bytes, &mut random);
            run(&bytes);
        }
    }
}

/// Seeds of an older format would be refused at once, and reach nothing.
#[test]
fn seeds_of_formats_are_of_this_one() {
    for (path, bytes) in seeds("plan_json") {
        let plan = serde_json::from_slice::<Plan>(&bytes);
        assert!(plan.is_ok(), "{}: {:?}", path.display(), plan.err());
    }
    for (path, _) in seeds("run_file") {
        let run = leadline_results::store::open(&path).unwrap();
        assert!(run.stages.iter().any(|stage| !stage.samples.is_empty()));
    }
}

/// The targets that are linked with libFuzzer are those of the table.
#[test]
fn each_target_is_built() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets");
    let mut built: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    built.sort();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.0).collect();
    assert_eq!(built, names);
}
