//! `cargo xtask mutants`: small changes of the product, one at a time, and whether the tests of its crate notice.
//!
//! Belongs here: running the tests on a copy of the tree, and the score. Must never: change the tree itself.

mod points;
mod scratch;

use crate::args::Args;
use anyhow::{Result, bail};
use leadline_model::seed::SplitMix;
use points::Point;
use scratch::{Scratch, Verdict};
use std::collections::BTreeMap;

/// Changes that are tried unless asked otherwise.
const COUNT: u32 = 100;

/// Where changes are made, and the crate whose tests have to notice.
const FOLDERS: [(&str, &str); 4] = [
    ("crates/engine/src/access/", "leadline-engine"),
    ("crates/engine/src/schedule/", "leadline-engine"),
    ("crates/model/src/", "leadline-model"),
    ("crates/results/src/stats/", "leadline-results"),
];

/// Tries changes that a seed draws; false when the tests fail without one.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let seed = args.number("--seed")?.unwrap_or(1);
    let count = args.number("--count")?.unwrap_or(COUNT);
    let only = args.value("--only")?.unwrap_or_default();
    let skip = args.number("--skip")?.unwrap_or(0);
    let list = args.flag("--list");
    args.finish()?;
    let scratch = Scratch::new()?;
    let all: Vec<Point> = scratch
        .files()
        .iter()
        .filter(|path| path.starts_with(&only))
        .filter(|path| crate_of(path).is_some())
        .map(|path| Ok(points::of(path, &scratch.text(path)?)))
        .collect::<Result<Vec<_>>>()?
        .concat();
    if all.is_empty() {
        bail!("--only {only}: nothing to change there");
    }
    let mut drawn = draw(&all, seed, count);
    // Those that an earlier run, which was ended, has judged.
    drawn.drain(..drawn.len().min(usize::try_from(skip)?));
    if list {
        drawn.iter().for_each(|point| println!("{point}"));
        return Ok(true);
    }
    let _alone = scratch.lock()?;
    println!("seed {seed}: {} of {} places", drawn.len(), all.len());
    scratch.fill()?;
    let mut score = BTreeMap::new();
    let mut known = "";
    for point in drawn {
        let name = crate_of(&point.path).unwrap_or_default();
        if name != known {
            // What fails without a change proves nothing, and how long it takes is the measure for the rest.
            if !scratch.settle(name)? {
                println!("the tests of {name} fail without a change");
                return Ok(false);
            }
            known = name;
        }
        let verdict = scratch.judge(name, point)?;
        println!("{verdict}: {point}");
        score.entry(verdict).or_insert_with(Vec::new).push(point);
    }
    report(&score);
    Ok(true)
}

/// The crate whose tests a change of this file has to fail.
fn crate_of(path: &str) -> Option<&'static str> {
    let mut folders = FOLDERS.iter();
    folders
        .find(|(folder, _)| path.starts_with(folder))
        .map(|(_, name)| *name)
}

/// This many of all, each at most once, by crate.
fn draw(all: &[Point], seed: u32, count: u32) -> Vec<&Point> {
    let mut random = SplitMix::new(seed.into());
    let mut left: Vec<&Point> = all.iter().collect();
    let mut drawn = Vec::new();
    for _ in 0..count {
        let Some(at) = (random.bits() >> 32).checked_rem(left.len() as u64) else {
            break;
        };
        drawn.push(left.swap_remove(usize::try_from(at).unwrap_or_default()));
    }
    // The tests of one crate after the other; within it in the order drawn, so that a run that is ended has judged a sample.
    drawn.sort_by_key(|point| crate_of(&point.path));
    drawn
}

fn report(score: &BTreeMap<Verdict, Vec<&Point>>) {
    let of = |verdict| score.get(&verdict).map_or(&[][..], Vec::as_slice);
    let [caught, hung, survived, broken] = Verdict::ALL.map(|verdict| of(verdict).len());
    let compiled = caught + hung + survived;
    let share = 100.0 * (caught + hung) as f64 / (compiled as f64).max(1.0);
    println!("\n{compiled} compiled, {broken} did not");
    println!("{caught} caught, {hung} caught by time, {survived} survived: {share:.1} % caught");
    for point in of(Verdict::Survived) {
        println!("survived: {point}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_and_none_twice() {
        let text = "fn f(a: u64) -> bool {\n    a < 3 && a > 1 || a == 9\n}\n";
        let all = points::of("crates/model/src/a.rs", text);
        assert!(all.len() > 6, "{all:?}");
        let some = draw(&all, 7, 4);
        assert_eq!(some, draw(&all, 7, 4));
        assert_ne!(some, draw(&all, 8, 4));
        let mut every = draw(&all, 7, 1000);
        assert_eq!(every.len(), all.len());
        every.dedup();
        assert_eq!(every.len(), all.len());
    }
}
