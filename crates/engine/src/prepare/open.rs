//! Opening: each worker gets descriptors of its own, with the flags its workload asks for.

use super::{Holds, PrepareError};
use crate::host_facts::PathKind;
use crate::os::errno;
use crate::os::file::{self, Advice, Handle, Open, Type};
use crate::os::host;
use crate::program::Program;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::access::Order;
use leadline_model::plan::target::Advise;
use leadline_model::plan::{SyncMode, Workload};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A block device.
    Block,
}

/// One open target of one worker.
#[derive(Debug)]
pub struct OpenFile {
    /// The open file, of this worker alone.
    pub handle: Handle,
    /// Where.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
    /// Size in bytes when it was opened.
    pub size: u64,
    /// Whether it was opened with O_DIRECT.
    pub direct: bool,
    /// What offsets, sizes and buffers of direct I/O must be multiples of, in bytes; at least 1.
    pub logical_block: u32,
}

/// Opens the files of all programs, in their order; none where the stage does no I/O.
///
/// # Errors
/// The first file that cannot be opened, with its cure.
pub(super) fn open_all(
    programs: &[&Program],
    holds: &Holds,
) -> Result<Vec<Vec<OpenFile>>, PrepareError> {
    if programs
        .iter()
        .all(|p| p.workload.blocks().prepare.create_only)
    {
        return Ok(programs.iter().map(|_| Vec::new()).collect());
    }
    let mut aligns: BTreeMap<&Path, (FileKind, u32)> = BTreeMap::new();
    let mut all = Vec::with_capacity(programs.len());
    for program in programs {
        let mut mine = Vec::with_capacity(program.files.len());
        for (index, file) in program.files.iter().enumerate() {
            let (kind, logical_block) =
                *aligns
                    .entry(&file.path)
                    .or_insert_with(|| match host::path_kind(&file.path) {
                        PathKind::Block { logical_block, .. } => (FileKind::Block, logical_block),
                        _ => (
                            FileKind::Regular,
                            host::direct_align(&file.path).unwrap_or(512),
                        ),
                    });
            let workload = program.workload.of_file(index);
            let opened = open_one(&workload, &file.path, kind, logical_block)?;
            if workload.writes() {
                still_held(&opened, holds)?;
            }
            if workload.blocks().prepare.own.is_some() {
                still_own(&opened, holds)?;
            }
            mine.push(opened);
        }
        all.push(mine);
    }
    Ok(all)
}

/// A device that was opened for writing is one of those that are held, whatever its path meant before.
fn still_held(file: &OpenFile, holds: &Holds) -> Result<(), PrepareError> {
    let meta =
        file::look(&file.handle).map_err(|e| PrepareError::of("looking at", &file.path, &e))?;
    if meta.what != Type::Block || holds.has(meta.device) {
        return Ok(());
    }
    Err(changed(file))
}

/// A file that is to be leadline's own is the one that was marked and locked.
fn still_own(file: &OpenFile, holds: &Holds) -> Result<(), PrepareError> {
    match file::look(&file.handle) {
        Ok(meta) if holds.owns_this(&meta) => Ok(()),
        Ok(_) => Err(changed(file)),
        Err(e) => Err(PrepareError::of("looking at", &file.path, &e)),
    }
}

fn changed(file: &OpenFile) -> PrepareError {
    PrepareError::Refused {
        code: ErrorCode::TargetChanged,
        text: format!("{} was replaced after it was checked", file.path.display()),
        cure: "find out what is changing the target, and start again".into(),
    }
}

fn flags(w: &Workload) -> Open {
    let mut flags = if w.writes() {
        Open::READ_WRITE
    } else {
        Open::READ
    };
    if w.blocks().open.direct {
        flags = flags | Open::DIRECT;
    }
    match w.blocks().open.sync {
        SyncMode::None => flags,
        SyncMode::Sync => flags | Open::SYNC,
        SyncMode::Dsync => flags | Open::DSYNC,
    }
}

fn open_one(
    w: &Workload,
    path: &Path,
    kind: FileKind,
    logical_block: u32,
) -> Result<OpenFile, PrepareError> {
    let wanted = flags(w);
    // Access times are noise that costs writes; only the owner may leave them out.
    let mut opened = (wanted | Open::NO_ACCESS_TIME).at(path);
    if matches!(&opened, Err(e) if e.raw_os_error() == Some(errno::EPERM)) {
        opened = wanted.at(path);
    }
    let handle = opened.map_err(|e| cannot_open(path, w.blocks().open.direct, &e))?;
    let size = match kind {
        FileKind::Block => file::device_size(&handle),
        FileKind::Regular => file::look(&handle).map(|meta| meta.size),
    }
    .map_err(|e| PrepareError::of("looking at", path, &e))?;
    let advice = match (w.blocks().prepare.advise, w.blocks().access.order) {
        (Advise::Nothing, _) => None,
        (Advise::Random, _) | (Advise::ByOrder, Order::Random { .. }) => Some(Advice::Random),
        (Advise::Sequential, _) | (Advise::ByOrder, Order::Sequential { .. }) => {
            Some(Advice::Sequential)
        }
    };
    if let Some(advice) = advice {
        file::advise(&handle, advice);
    }
    Ok(OpenFile {
        handle,
        path: path.to_path_buf(),
        kind,
        size,
        direct: w.blocks().open.direct,
        logical_block: logical_block.max(1),
    })
}

/// Why a target cannot be opened.
pub(super) fn cannot_open(path: &Path, direct: bool, error: &io::Error) -> PrepareError {
    if error.raw_os_error() == Some(errno::EINVAL) && direct {
        return PrepareError::Environment {
            code: ErrorCode::HostLacks,
            text: format!(
                "opening {}: its file system does not support direct I/O (O_DIRECT)",
                path.display()
            ),
            cure: (
                "use buffered I/O, or a file system with direct I/O, such as ext4, xfs or nfs",
                [Knob::Buffered],
            )
                .into(),
            errno: Some(errno::EINVAL),
        };
    }
    PrepareError::of("opening", path, error)
}
