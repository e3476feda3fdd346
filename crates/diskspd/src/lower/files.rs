//! What part of a target is used, and how it is prepared.
//!
//! Belongs here: `-c`, `-B`, `-f` and their kin. Must never appear here: what is at a path.

use super::{Lowering, Part};
use crate::profile::{Cache, Precreate, Profile, Target};
use leadline_dialect::windows;
use leadline_model::plan::target::Advise;
use leadline_model::plan::{Amount, Prepare, Region};
use std::collections::{BTreeMap, BTreeSet};

/// Files that are made before the first time span, with their sizes; `None` when each time span makes
/// its own.
pub(super) fn precreated(profile: &Profile) -> Option<BTreeMap<&str, u64>> {
    let kind = profile.precreate?;
    let mut sizes: BTreeMap<&str, BTreeSet<Option<u64>>> = BTreeMap::new();
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        let size = target.file_size.filter(|size| *size > 0);
        sizes.entry(&target.path).or_default().insert(size);
    }
    let mut made = BTreeMap::new();
    for (path, sizes) in sizes {
        let constant = sizes.iter().flatten().count() == 1;
        let creates = match kind {
            Precreate::UseMaxSize => true,
            Precreate::ConstantSizes => constant && sizes.len() == 1,
            Precreate::ConstantOrZeroSizes => constant,
        };
        if let (true, Some(size)) = (creates, sizes.into_iter().flatten().max()) {
            made.insert(path, size);
        }
    }
    Some(made)
}

/// Device nodes are not created, as disks are not on Windows.
fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm/")
}

impl Lowering<'_> {
    /// The size a target is created with in this time span.
    pub(super) fn created(&self, span: &Part<'_>, target: &Target) -> Option<u64> {
        let size = match &span.precreated {
            Some(made) => made.get(target.path.as_str()).copied(),
            None => target.file_size,
        };
        let file = !windows::is_disk(&target.path) && !is_device(&target.path);
        size.filter(|size| *size > 0 && file)
    }

    pub(super) fn region(&mut self, span: &Part<'_>, target: &Target) -> Region {
        Region {
            offset: Amount::Bytes(target.base),
            file_size: self.created(span, target).map(|size| (size, size)),
            end: (target.max > 0).then_some(target.max),
            ..Region::default()
        }
    }

    pub(super) fn prepare(&mut self, span: &Part<'_>, target: &Target) -> Prepare {
        if windows::is_disk(&target.path) {
            let message = format!(
                "`{}` names a Windows disk; there is no such device here",
                target.path
            );
            self.warn(
                "disk-of-windows",
                message,
                "name the block device, such as /dev/sdb (lsblk lists them)",
                'X',
            );
        }
        if windows::is_path(&target.path) {
            self.warn(
                "path-of-windows",
                format!(
                    "`{}` is a Windows path; here it is a name in the current directory",
                    target.path
                ),
                "name a path of this system, such as /mnt/volume/file",
                'X',
            );
        }
        let created = self.created(span, target);
        let reuse = self.switches.reuse;
        if created.is_some() && !reuse && self.host.exists(&target.path) {
            self.warn(
                "recreates",
                format!(
                    "-c recreates `{}`: its present content is lost",
                    target.path
                ),
                "--reuse keeps a file that is large enough",
                'c',
            );
        }
        if target.file_size.is_some() && is_device(&target.path) {
            let message = format!("-c creates nothing on the device `{}`", target.path);
            self.note("creates-nothing", message, 'c');
        }
        if target.file_size == Some(0) {
            self.note("creates-nothing", "-c0 creates nothing, as in DISKSPD", 'c');
        }
        self.made_ready(span, target)
    }

    /// How a target is prepared, with nothing said of it.
    pub(super) fn made_ready(&self, span: &Part<'_>, target: &Target) -> Prepare {
        let created = self.created(span, target);
        let reuse = self.switches.reuse;
        Prepare {
            create: created.is_some(),
            overwrite: created.is_some(),
            recreate: created.filter(|_| !reuse),
            // As NO_BUFFERING does on Windows; a buffered run begins with what is cached.
            drop_cache: target.cache == Cache::DisableOs,
            advise: match (target.random_access, target.sequential_scan) {
                (true, _) => Advise::Random,
                (false, true) => Advise::Sequential,
                (false, false) => Advise::Nothing,
            },
            ..Prepare::default()
        }
    }
}
