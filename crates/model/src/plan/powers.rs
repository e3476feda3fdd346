//! The back ends, and what each is and can do: one table. Plans are checked against it before anything is made;
//! front ends, help and docs read it.
//!
//! A new back end is a variant of [`EngineKind`] and its row here. Must never: hold what depends on a host
//! (its kernel, its devices), or spell a front end's options.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The back ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// io_uring.
    #[default]
    IoUring,
    /// Linux native AIO.
    Libaio,
    /// pread(2) and pwrite(2).
    Psync,
    /// pread(2) and pwrite(2) by threads of leadline's own.
    Threads,
    /// preadv2(2) and pwritev2(2).
    Pvsync2,
    /// Memory mapped: each I/O is a copy.
    Mmap,
    /// Completes at once.
    Null,
    /// A simulated device on a virtual clock.
    Sim,
}

/// What is underneath the targets of a back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediumKind {
    /// Files and devices of an operating system.
    Files,
    /// Nothing: each I/O completes at once.
    Null,
    /// A simulated device; time is virtual.
    Simulated,
}

impl MediumKind {
    /// Those that a back end of the table has, each once, in the order of the table.
    pub const ALL: [Self; MEDIA.1] = {
        let mut all = [Self::Files; MEDIA.1];
        let mut at = 0;
        while at < all.len() {
            all[at] = MEDIA.0[at];
            at += 1;
        }
        all
    };
}

/// Something that a plan may ask for and that not every back end can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// Completions are polled for ([`Engine::poll_completions`](super::Engine::poll_completions)).
    PolledCompletions,
    /// A kernel thread takes the submissions ([`Engine::poll_submissions`](super::Engine::poll_submissions)).
    SubmissionThread,
    /// I/Os are forced to a kernel worker ([`Engine::force_async`](super::Engine::force_async)).
    ForceAsync,
    /// I/Os that would wait fail instead ([`Engine::nowait`](super::Engine::nowait)).
    Nowait,
    /// Pages leave the cache after the I/O ([`Engine::uncached`](super::Engine::uncached)).
    Uncached,
    /// Writes are not torn ([`OpenMode::atomic`](super::OpenMode::atomic)).
    AtomicWrites,
    /// Mapped writes are flushed ([`Engine::map_flush`](super::Engine::map_flush)).
    MapFlushes,
    /// I/Os of each file have a priority of their own ([`Engine::file_priorities`](super::Engine::file_priorities)).
    FilePriorities,
}

/// How a back end polls for completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polling {
    /// Its queue is polled as a whole: of direct I/O only, on devices with queues made for it.
    Queue,
    /// Each call asks for it, and kernels may wait for an interrupt all the same.
    Call,
}

/// What a back end is and can do.
#[derive(Debug)]
pub struct Powers {
    /// Whose row it is.
    pub kind: EngineKind,
    /// Name as reports and command lines show it.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What is underneath its targets.
    pub medium: MediumKind,
    /// More than one I/O can be in flight.
    pub is_async: bool,
    /// I/O goes through a mapping: always through the page cache, and a file has its size before it is opened.
    pub mapped: bool,
    /// How it polls, where it can ([`Power::PolledCompletions`]).
    pub polling: Option<Polling>,
    /// Longest read or write in bytes.
    pub longest_io: u64,
    /// What it can do of what not all can.
    pub can: &'static [Power],
}

/// Most bytes the kernel moves in one read or write.
const LONGEST_CALL: u64 = 0x7fff_f000;

/// The defaults of a row: files, one I/O at a time, none of the powers.
const fn row(kind: EngineKind, name: &'static str, about: &'static str) -> Powers {
    Powers {
        kind,
        name,
        about,
        medium: MediumKind::Files,
        is_async: false,
        mapped: false,
        polling: None,
        longest_io: LONGEST_CALL,
        can: &[],
    }
}

/// The table, in the order of [`EngineKind`].
const TABLE: &[Powers] = &[
    Powers {
        is_async: true,
        polling: Some(Polling::Queue),
        can: &[
            Power::PolledCompletions,
            Power::SubmissionThread,
            Power::ForceAsync,
            Power::Nowait,
            Power::Uncached,
            Power::AtomicWrites,
            Power::FilePriorities,
        ],
        ..row(
            EngineKind::IoUring,
            "io_uring",
            "rings shared with the Linux kernel",
        )
    },
    Powers {
        is_async: true,
        can: &[Power::Nowait, Power::Uncached, Power::AtomicWrites],
        ..row(EngineKind::Libaio, "libaio", "Linux native AIO")
    },
    row(EngineKind::Psync, "psync", "pread and pwrite"),
    Powers {
        is_async: true,
        ..row(
            EngineKind::Threads,
            "threads",
            "pread and pwrite in a pool of threads",
        )
    },
    Powers {
        polling: Some(Polling::Call),
        can: &[
            Power::PolledCompletions,
            Power::Nowait,
            Power::Uncached,
            Power::AtomicWrites,
        ],
        ..row(EngineKind::Pvsync2, "pvsync2", "preadv2 and pwritev2")
    },
    Powers {
        mapped: true,
        // Its windows are made to hold one I/O wherever it starts.
        longest_io: 32 << 20,
        can: &[Power::MapFlushes],
        ..row(EngineKind::Mmap, "mmap", "copies to and from mapped files")
    },
    Powers {
        medium: MediumKind::Null,
        is_async: true,
        can: &Power::ALL,
        ..row(EngineKind::Null, "null", "no I/O: completes at once")
    },
    Powers {
        medium: MediumKind::Simulated,
        is_async: true,
        can: &Power::ALL,
        ..row(
            EngineKind::Sim,
            "sim",
            "a simulated device on a virtual clock",
        )
    },
];

const _: () = {
    let mut at = 0;
    while at < TABLE.len() {
        assert!(
            TABLE[at].kind as usize == at,
            "rows in the order of the kinds"
        );
        at += 1;
    }
};

/// The media of the rows, each once, and how many there are.
const MEDIA: ([MediumKind; TABLE.len()], usize) = {
    let mut found = [MediumKind::Files; TABLE.len()];
    let (mut count, mut at) = (0, 0);
    while at < TABLE.len() {
        let medium = TABLE[at].medium;
        let mut before = 0;
        while before < count && found[before] as usize != medium as usize {
            before += 1;
        }
        found[before] = medium;
        if before == count {
            count += 1;
        }
        at += 1;
    }
    (found, count)
};

impl EngineKind {
    /// One I/O at a time by a plain system call.
    pub const PLAIN_CALL: Self = Self::Psync;
    /// Several at a time where the kernel does I/O within the call.
    pub const PLAIN_CALLS: Self = Self::Threads;
    /// Files are mapped.
    pub const MAPPED: Self = Self::Mmap;
    /// Nothing is done.
    pub const NULL: Self = Self::Null;
    /// Devices are simulated.
    pub const SIMULATED: Self = Self::Sim;

    /// All of them, in the order of the table.
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::Null; TABLE.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = TABLE[at].kind;
            at += 1;
        }
        all
    };

    /// The one of this name ([`EngineKind::name`]).
    #[must_use]
    pub const fn named(name: &str) -> Option<Self> {
        let mut at = 0;
        while at < TABLE.len() {
            if same(TABLE[at].name.as_bytes(), name.as_bytes()) {
                return Some(TABLE[at].kind);
            }
            at += 1;
        }
        None
    }

    /// What it is and can do.
    #[must_use]
    pub const fn powers(self) -> &'static Powers {
        &TABLE[self as usize]
    }

    /// Name as reports show it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.powers().name
    }

    /// Whether it can have more than one I/O in flight.
    #[must_use]
    pub const fn is_async(self) -> bool {
        self.powers().is_async
    }
}

/// Equality of bytes that a constant can be made of.
const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

impl Powers {
    /// Whether it can do this.
    #[must_use]
    pub fn has(&self, power: Power) -> bool {
        self.can.contains(&power)
    }

    /// Whether it does real I/O on files, block by block.
    #[must_use]
    pub fn asks_storage(&self) -> bool {
        self.medium == MediumKind::Files && !self.mapped
    }
}

impl Power {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::PolledCompletions,
        Self::SubmissionThread,
        Self::ForceAsync,
        Self::Nowait,
        Self::Uncached,
        Self::AtomicWrites,
        Self::MapFlushes,
        Self::FilePriorities,
    ];

    /// By what it is known.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PolledCompletions => "polled completions",
            Self::SubmissionThread => "submission thread",
            Self::ForceAsync => "force_async",
            Self::Nowait => "nowait",
            Self::Uncached => "uncached I/O",
            Self::AtomicWrites => "atomic writes",
            Self::MapFlushes => "flushes of mapped writes",
            Self::FilePriorities => "I/O priorities for each file",
        }
    }

    /// The back ends that do I/O and can do this.
    pub fn owners(self) -> impl Iterator<Item = &'static Powers> {
        let real = TABLE.iter().filter(|row| row.medium == MediumKind::Files);
        real.filter(move |row| row.has(self))
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Engine, MapFlush, OpenMode};
    use super::*;

    #[test]
    fn what_polls_says_how() {
        for row in EngineKind::ALL.map(EngineKind::powers) {
            let polls = row.medium == MediumKind::Files && row.has(Power::PolledCompletions);
            assert_eq!(row.polling.is_some(), polls, "{}", row.name);
        }
    }

    /// A submission thread or a call that polls has no queue of the device.
    #[test]
    fn only_completions_of_an_engine_with_a_queue_are_polled_for_there() {
        for kind in EngineKind::ALL {
            let mut engine = Engine {
                kind,
                ..Engine::default()
            };
            assert!(!engine.polls_queue(), "{}", kind.name());
            engine.poll_completions = true;
            assert_eq!(
                engine.polls_queue(),
                kind == EngineKind::IoUring,
                "{}",
                kind.name()
            );
        }
    }

    #[test]
    fn every_medium_of_a_row_is_listed_once() {
        use MediumKind::{Files, Null, Simulated};
        assert_eq!(MediumKind::ALL, [Files, Null, Simulated]);
        for row in EngineKind::ALL.map(EngineKind::powers) {
            assert!(MediumKind::ALL.contains(&row.medium), "{}", row.name);
        }
    }

    #[test]
    fn an_engine_is_found_by_the_name_plans_are_stored_with() {
        for kind in EngineKind::ALL {
            let stored = serde_json::to_string(&kind).unwrap();
            assert_eq!(stored, format!("\"{}\"", kind.name()));
            assert_eq!(EngineKind::named(kind.name()), Some(kind));
        }
        assert_eq!(EngineKind::named("io"), None);
        assert_eq!(EngineKind::named(""), None);
    }

    #[test]
    fn only_real_unmapped_engines_ask_storage_per_block() {
        for (kind, asks) in [
            (EngineKind::PLAIN_CALL, true),
            (EngineKind::PLAIN_CALLS, true),
            (EngineKind::IoUring, true),
            (EngineKind::MAPPED, false),
            (EngineKind::NULL, false),
            (EngineKind::SIMULATED, false),
        ] {
            assert_eq!(kind.powers().asks_storage(), asks, "{}", kind.name());
        }
    }

    #[test]
    fn each_power_is_asked_for_by_its_own_setting() {
        let (engine, open) = (Engine::default(), OpenMode::default());
        for power in Power::ALL {
            assert!(!power.is_asked(&engine, &open), "{power}");
            let (mut engine, mut open) = (engine.clone(), open);
            match power {
                Power::PolledCompletions => engine.poll_completions = true,
                Power::SubmissionThread => engine.poll_submissions = true,
                // Each I/O, not one of several.
                Power::ForceAsync => engine.force_async = 1,
                Power::Nowait => engine.nowait = true,
                Power::Uncached => engine.uncached = true,
                Power::AtomicWrites => open.atomic = true,
                Power::MapFlushes => engine.map_flush = MapFlush::Lines,
                Power::FilePriorities => engine.file_priorities = vec![(2, 0)],
            }
            let asked = Power::ALL.map(|other| other.is_asked(&engine, &open));
            assert_eq!(asked, Power::ALL.map(|other| other == power), "{power}");
        }
    }

    #[test]
    fn the_owners_of_a_power_are_what_does_io_and_can_do_it() {
        for power in Power::ALL {
            let owners: Vec<EngineKind> = power.owners().map(|row| row.kind).collect();
            assert!(!owners.is_empty(), "{power}");
            for kind in EngineKind::ALL {
                let row = kind.powers();
                let is_owner = row.medium == MediumKind::Files && row.has(power);
                assert_eq!(owners.contains(&kind), is_owner, "{power}: {}", row.name);
            }
        }
    }

    #[test]
    fn all_kinds_are_those_of_the_rows_each_once() {
        for (kind, row) in EngineKind::ALL.into_iter().zip(TABLE) {
            assert_eq!(kind, row.kind);
            assert_eq!(EngineKind::ALL.iter().filter(|k| **k == kind).count(), 1);
        }
    }
}
