//! What options do to the run itself, seen from outside: where threads run, what is written.

use super::command;
use crate::support::{Place, Running, finish, skip, sleep_ms};
use std::fs;

/// The process that runs there.
fn process_in(place: &Place) -> Option<u32> {
    let there = fs::canonicalize(place.path()).ok()?;
    fs::read_dir("/proc").ok()?.find_map(|entry| {
        let entry = entry.ok()?;
        let number = entry.file_name().to_str()?.parse().ok()?;
        (fs::read_link(entry.path().join("cwd")).ok()? == there).then_some(number)
    })
}

/// The single processors that threads of a process are bound to, in order.
fn bound(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let allowed = |thread: std::io::Result<fs::DirEntry>| -> Option<u32> {
        let status = fs::read_to_string(thread.ok()?.path().join("status")).ok()?;
        let line = status
            .lines()
            .find_map(|l| l.strip_prefix("Cpus_allowed_list:"))?;
        line.trim().parse().ok()
    };
    let mut all: Vec<u32> = threads.filter_map(allowed).collect();
    all.sort_unstable();
    all
}

#[test]
fn threads_run_on_the_cpus_they_are_given() {
    let allowed = std::thread::available_parallelism().unwrap().get();
    if allowed < 2 {
        return skip("threads_run_on_the_cpus_they_are_given", "one processor");
    }
    for (words, expected) in [
        (&["-t2"][..], &[0, 1][..]),
        (&["-t2", "-a1"], &[1, 1]),
        (&["-t2", "-a1,0"], &[0, 1]),
        (&["-F2", "-a0"], &[0, 0]),
        (&["-t2", "-n"], &[]),
    ] {
        let place = Place::new();
        place.file("a", 1 << 20);
        let rest = ["-W0", "-d30", "-g100i", "a"];
        let running = Running::start(&mut command(&place, &[words, &rest].concat()));
        running.wait_for(&place.run_file());
        let mut came = Vec::new();
        for _ in 0..50 {
            sleep_ms(50);
            came = process_in(&place).map_or_else(Vec::new, bound);
            // The thread that collects stays off a processor that all others have.
            if words.contains(&"-a1") || words.contains(&"-a0") {
                let mine = expected[0];
                came.retain(|cpu| *cpu == mine);
            }
            if came == expected && !expected.is_empty() {
                break;
            }
        }
        assert_eq!(came, expected, "{words:?}");
        running.signal(rustix::process::Signal::INT);
        running.finish();
    }
}

#[test]
fn random_data_are_new_with_each_write() {
    for (words, new) in [(&["-Zr"][..], true), (&[], false), (&["-Z"], false)] {
        let place = Place::new();
        fs::write(place.join("a"), vec![0x55; 4 << 20]).unwrap();
        let load = ["-w100", "-b4K", "-o4", "-d1", "-W0", "a"];
        let done = finish(&mut command(&place, &[words, &load].concat()));
        assert_eq!(done.code, Some(0), "{done:?}");
        let data = fs::read(place.join("a")).unwrap();
        let blocks: Vec<_> = data
            .chunks(4096)
            .filter(|b| b.iter().any(|b| *b != 0x55))
            .collect();
        assert!(blocks.len() > 32, "{} blocks", blocks.len());
        let mut unlike = blocks.clone();
        unlike.sort_unstable();
        unlike.dedup();
        assert_eq!(unlike.len() == blocks.len(), new, "{words:?}");
        let zeros = blocks.concat().iter().filter(|b| **b == 0).count();
        let expected = match words {
            ["-Z"] => 4096 * blocks.len(),
            // One of 256 bytes, by chance or in the pattern.
            _ => 16 * blocks.len(),
        };
        assert!(
            zeros.abs_diff(expected) <= expected / 4,
            "{words:?}: {zeros}"
        );
    }
}
