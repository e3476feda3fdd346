//! What is asked of a back end that it does not have, by the table of powers.
//!
//! Belongs here: the questions to the table, and the words for what is missing. Must never: hold powers itself,
//! or ask the host.

use super::problems::Problems;
use super::region::active_sizes;
use leadline_model::plan::{Polling, Power, SyncMode, Workload};
use leadline_model::units::Bytes;

/// All that a workload, as it is on its files, asks of a back end in vain.
pub(super) fn check(w: &Workload, problems: &mut Problems) {
    for file in 0..w.blocks().parts.len().max(1) {
        let own = &*w.of_file(file);
        lacking(own, problems);
        direct_only(own, problems);
        mapped(own, problems);
        longest(own, problems);
    }
}

/// Powers that are asked for and not there.
fn lacking(w: &Workload, problems: &mut Problems) {
    let powers = w.engine.kind.powers();
    let asked = |power: &Power| power.is_asked(&w.engine, &w.blocks().open);
    for power in Power::ALL.into_iter().filter(asked) {
        if powers.has(power) {
            continue;
        }
        problems.add(
            &w.name,
            format!("{} has no {power}", powers.name),
            match power {
                Power::MapFlushes => {
                    "map the file, or leave the flushes out (DISKSPD: -Sm, or no -N)".to_owned()
                }
                Power::FilePriorities => {
                    "use io_uring, or the same priority for all (DISKSPD: -I)".to_owned()
                }
                _ => format!("leave it out (fio: or use ioengine={})", owners(power)),
            },
        );
    }
}

/// `a, b or c`: who can do it.
fn owners(power: Power) -> String {
    let names: Vec<&str> = power.owners().map(|powers| powers.name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Whether its completions are polled for by the queue.
pub(super) fn polls_queue(w: &Workload) -> bool {
    w.engine.poll_completions && w.engine.kind.powers().polling == Some(Polling::Queue)
}

/// What only goes past the page cache.
fn direct_only(w: &Workload, problems: &mut Problems) {
    let open = &w.blocks().open;
    if open.direct {
        return;
    }
    if polls_queue(w) {
        problems.add(
            &w.name,
            format!(
                "{} polls for completions (hipri) only of direct I/O",
                w.engine.kind.name()
            ),
            "open the files with O_DIRECT, or do not poll (fio: direct=1, or no hipri)",
        );
    }
    if open.atomic && w.writes() && w.engine.kind.powers().asks_storage() {
        problems.add(
            &w.name,
            "only direct writes can be atomic",
            "open the files with O_DIRECT, or leave it out (fio: atomic)",
        );
    }
}

/// What a mapping cannot have.
fn mapped(w: &Workload, problems: &mut Problems) {
    let powers = w.engine.kind.powers();
    if !powers.mapped {
        return;
    }
    let open = &w.blocks().open;
    if open.direct || open.sync != SyncMode::None {
        problems.add(
            &w.name,
            format!(
                "mapped memory always goes through the page cache: {} cannot be direct or sync",
                powers.name
            ),
            "leave the mapping out, or what passes the cache by (fio: ioengine=mmap, or direct and sync; DISKSPD: -Sm, or -Su and -Sw)",
        );
    }
    if w.blocks().region.until_full {
        problems.add(
            &w.name,
            "a mapped file needs its size before the start, so it cannot be filled until it is full",
            "give a size, or leave the mapping out (fio: size=, or ioengine=io_uring; DISKSPD: -c<size>, or no -Sm)",
        );
    }
}

/// Reads and writes longer than one can be.
fn longest(w: &Workload, problems: &mut Problems) {
    let powers = w.engine.kind.powers();
    for (what, sizes, _) in active_sizes(w) {
        let max = sizes.max();
        if what == "trim" || max <= powers.longest_io {
            continue;
        }
        problems.add(
            &w.name,
            format!(
                "{what} block size {}; one I/O of {} moves at most {}",
                Bytes(max),
                powers.name,
                Bytes(powers.longest_io)
            ),
            if powers.mapped {
                "use a smaller block size, or leave the mapping out (fio: bs, or ioengine=io_uring; DISKSPD: -b, or no -Sm)"
            } else {
                "use a smaller block size and more I/Os"
            },
        );
    }
}
