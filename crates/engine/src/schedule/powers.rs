//! What is asked of a back end that it does not have, by the table of powers.
//!
//! Belongs here: the questions to the table, and the words for what is missing. Must never: hold powers itself,
//! or ask the host.

use crate::problem::Problems;
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Power, SyncMode, UsedSizes, Workload};
use leadline_model::units::Bytes;

/// All features that a workload needs on one of its files and its back end lacks.
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
            ErrorCode::EngineLacks,
            format!("{} has no {power}", powers.name),
            without(power),
        );
    }
}

/// What to do where it is not there.
fn without(power: Power) -> Cure {
    let off = match power {
        Power::MapFlushes => {
            let text = "map the file, or turn the flushes off";
            return (text, [Knob::Mapped, Knob::NoMapFlush]).into();
        }
        Power::FilePriorities => {
            let text = "use io_uring, or the same priority for all";
            return (text, [Knob::IoPriority]).into();
        }
        Power::PolledCompletions => Some(Knob::NoPolling),
        Power::Nowait => Some(Knob::MayWait),
        Power::Uncached => Some(Knob::KeepCached),
        Power::AtomicWrites => Some(Knob::NotAtomic),
        // No front end has them for an engine that lacks them.
        Power::SubmissionThread | Power::ForceAsync => None,
    };
    let engines = power.owners().map(|own| Knob::Engine(own.kind));
    Cure {
        text: "turn it off".to_owned(),
        knobs: off.into_iter().chain(engines).collect(),
    }
}

/// What only goes bypassing the page cache.
fn direct_only(w: &Workload, problems: &mut Problems) {
    let open = &w.blocks().open;
    if open.direct {
        return;
    }
    if w.engine.polls_queue() {
        problems.add(
            &w.name,
            ErrorCode::PlanConflict,
            format!(
                "{} polls for completions of direct I/O only",
                w.engine.kind.name()
            ),
            (
                "open the files with O_DIRECT, or turn polling off",
                [Knob::Direct, Knob::NoPolling],
            ),
        );
    }
    if open.atomic && w.writes() && w.engine.kind.powers().asks_storage() {
        problems.add(
            &w.name,
            ErrorCode::PlanConflict,
            "only direct writes can be atomic",
            (
                "open the files with O_DIRECT, or turn it off",
                [Knob::Direct, Knob::NotAtomic],
            ),
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
            ErrorCode::PlanConflict,
            format!(
                "mapped files always go through the page cache: {} cannot do direct or \
                 synchronous I/O",
                powers.name
            ),
            (
                "use an engine that does not map files, or buffered I/O",
                [Knob::NotMapped, Knob::Buffered, Knob::NotSynchronous],
            ),
        );
    }
    if w.blocks().region.until_full {
        problems.add(
            &w.name,
            ErrorCode::PlanConflict,
            "a mapped file needs its size before the start, so it cannot be written until the \
             file system is full",
            (
                "give a size, or use an engine that does not map files",
                [Knob::Size, Knob::NotMapped],
            ),
        );
    }
}

/// Reads and writes longer than one can be.
fn longest(w: &Workload, problems: &mut Problems) {
    let powers = w.engine.kind.powers();
    for UsedSizes {
        what,
        sizes,
        align: _,
    } in w.blocks().used_sizes()
    {
        let max = sizes.max();
        if what == "trim" || max <= powers.longest_io {
            continue;
        }
        problems.add(
            &w.name,
            ErrorCode::PlanValue,
            format!(
                "{what} block size {}: one I/O of {} transfers at most {}",
                Bytes(max),
                powers.name,
                Bytes(powers.longest_io)
            ),
            if powers.mapped {
                Cure::from((
                    "use a smaller block size, or an engine that does not map files",
                    [Knob::BlockSize, Knob::NotMapped],
                ))
            } else {
                ("use a smaller block size and more I/Os", [Knob::BlockSize]).into()
            },
        );
    }
}
