//! This host's answers to the questions a schedule asks.
//!
//! Belongs here: who answers what. Must never: change anything.

use super::look;
use crate::host_facts::{Bar, HostFacts, Intent, PathKind};
use crate::os::{host, priority};
use leadline_model::plan::Placement;
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
        host::free_bytes(path)
    }

    fn file_system(&self, path: &Path) -> Option<u64> {
        host::file_system(path)
    }

    fn longest_file(&self, path: &Path) -> Option<u64> {
        host::longest_file(path)
    }

    fn among_devices(&self, path: &Path) -> bool {
        host::among_devices(path)
    }

    fn polls(&self, path: &Path) -> Option<bool> {
        host::polls(path)
    }

    fn priority_refused(&self, placement: &Placement) -> Option<String> {
        priority::refused(placement)
    }

    fn direct_align(&self, path: &Path) -> Option<u32> {
        host::direct_align(path)
    }

    fn place(&self, path: &Path) -> PathBuf {
        host::place(path)
    }

    fn bars(&self, targets: &[Intent], destroy: &[String]) -> Vec<(usize, Bar)> {
        look::bars(targets, destroy, self.run)
    }
}
