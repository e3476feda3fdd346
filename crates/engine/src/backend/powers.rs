//! What each engine can do beside plain reads, writes, trims and flushes: one table. Plans are checked
//! against it before anything is made, and the back ends keep to it when they are.
//!
//! Must never: hold what depends on the host (its kernel, its devices).

use super::SetupError;
use EngineKind::{IoUring, Libaio, Mmap, Pvsync2};
use leadline_model::plan::{Engine, EngineKind, MapFlush};

/// Something that not all engines can do.
struct Power {
    /// By what it is known.
    name: &'static str,
    /// Whether it is asked for; the second says that writes must not be torn.
    asked: fn(&Engine, bool) -> bool,
    /// Who has it. What does no I/O (null, sim) is asked for nothing.
    engines: &'static [EngineKind],
    /// What to do without; empty = what is so for most.
    cure: &'static str,
}

const TABLE: [Power; 8] = [
    Power {
        name: "polled completions (hipri)",
        asked: |engine, _| engine.poll_completions,
        engines: &[IoUring, Pvsync2],
        cure: "",
    },
    Power {
        name: "a submission thread (sqthread_poll)",
        asked: |engine, _| engine.poll_submissions,
        engines: &[IoUring],
        cure: "",
    },
    Power {
        name: "force_async",
        asked: |engine, _| engine.force_async > 0,
        engines: &[IoUring],
        cure: "",
    },
    Power {
        name: "nowait",
        asked: |engine, _| engine.nowait,
        engines: &[IoUring, Libaio, Pvsync2],
        cure: "",
    },
    Power {
        name: "uncached I/O",
        asked: |engine, _| engine.uncached,
        engines: &[IoUring, Libaio, Pvsync2],
        cure: "",
    },
    Power {
        name: "atomic writes",
        asked: |_, atomic| atomic,
        engines: &[IoUring, Libaio, Pvsync2],
        cure: "",
    },
    Power {
        name: "flushes of mapped writes",
        asked: |engine, _| engine.map_flush != MapFlush::Nothing,
        engines: &[Mmap],
        cure: "map the file, or leave the flushes out (DISKSPD: -Sm, or no -N)",
    },
    Power {
        name: "I/O priorities for each file",
        asked: |engine, _| !engine.file_priorities.is_empty(),
        engines: &[IoUring],
        cure: "use io_uring, or the same priority for all (DISKSPD: -I)",
    },
];

/// The first power that is asked of an engine without it: what is missing, and what to do.
pub(crate) fn lacking(kind: EngineKind, asked: &Engine, atomic: bool) -> Option<(String, String)> {
    if matches!(kind, EngineKind::Null | EngineKind::Sim) {
        return None;
    }
    let missing = |power: &&Power| (power.asked)(asked, atomic) && !power.engines.contains(&kind);
    let power = TABLE.iter().find(missing)?;
    let cure = match power.cure {
        "" => format!(
            "leave it out (fio: or use ioengine={})",
            listed(power.engines)
        ),
        cure => cure.to_owned(),
    };
    Some((format!("{} has no {}", kind.name(), power.name), cure))
}

/// The same as the refusal of a back end.
pub(crate) fn refuse(kind: EngineKind, asked: &Engine, atomic: bool) -> Result<(), SetupError> {
    lacking(kind, asked, atomic).map_or(Ok(()), |(missing, cure)| {
        Err(SetupError::named(missing, cure))
    })
}

/// `a, b or c`.
fn listed(engines: &[EngineKind]) -> String {
    let names: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
