//! This host's answers to the questions a schedule asks.
//!
//! Belongs here: who answers what. Must never: change anything.

use super::look;
use crate::backend::{self, SetupError};
use crate::host_facts::{Bar, HostFacts, Intent, PathKind};
use crate::os::{ability, host, left, limits, priority};
use leadline_model::plan::{Engine, EngineKind, Placement, Power};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The running host, as a run sees it that may hold devices by now: these are no use by others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host {
    /// The run's number; 0 = it holds none.
    pub run: u64,
}

impl HostFacts for Host {
    fn path_kind(&self, path: &Path) -> PathKind {
        host::path_kind(path)
    }

    fn free_bytes(&self, path: &Path) -> Option<u64> {
        host::bytes_left(path)
    }

    fn free_files(&self, path: &Path) -> Option<u64> {
        host::free_files(path)
    }

    fn file_system(&self, path: &Path) -> Option<u64> {
        host::file_system(path)
    }

    fn allocated(&self, path: &Path) -> Option<u64> {
        host::allocated(path)
    }

    fn keeps_all(&self, path: &Path) -> bool {
        host::keeps_all(path)
    }

    fn longest_file(&self, path: &Path) -> Option<u64> {
        host::longest_file(path)
    }

    fn polls(&self, path: &Path) -> Option<bool> {
        host::polls(path)
    }

    fn takes(&self, path: &Path, power: Power) -> Option<bool> {
        ability::takes_at(path, power)
    }

    fn takes_buffered_nowait_writes(&self, path: &Path) -> Option<bool> {
        ability::takes_buffered_nowait_writes_at(path)
    }

    fn maps(&self, path: &Path) -> Option<bool> {
        ability::maps_at(path)
    }

    fn priority_refused(&self, placement: &Placement) -> Option<String> {
        priority::refused(placement)
    }

    fn engine_lacks(&self, engine: &Engine, depth: u32) -> Option<Bar> {
        backend::probe(engine, depth).err().map(bar)
    }

    fn in_flight_lacks(&self, kind: EngineKind, ios: u64) -> Option<Bar> {
        backend::room(kind, ios).err().map(bar)
    }

    fn memory(&self) -> Option<u64> {
        left::memory()
    }

    fn lockable(&self) -> Option<u64> {
        left::lockable()
    }

    fn huge_pages(&self) -> Option<u64> {
        left::huge_pages()
    }

    fn open_files(&self) -> Option<u64> {
        limits::raise_open_files()
    }

    fn threads(&self) -> Option<u64> {
        left::threads()
    }

    fn direct_align(&self, path: &Path) -> Option<u32> {
        host::direct_align(path)
    }

    fn place(&self, path: &Path) -> PathBuf {
        host::place(path)
    }

    fn place_in(&self, path: &Path, folders: &mut BTreeMap<PathBuf, PathBuf>) -> PathBuf {
        host::place_in(path, folders)
    }

    fn bars(&self, targets: &[Intent], destroy: &[String]) -> Vec<(usize, Bar)> {
        look::bars(targets, destroy, self.run)
    }
}

/// What stands against a back end.
fn bar(lack: SetupError) -> Bar {
    Bar {
        text: lack.to_string(),
        code: lack.code,
        cure: lack.cure,
        refused: false,
    }
}
