//! Buffers that writes take random parts of: filled once before the start, shared by all workers of a
//! workload, never changed after.
//!
//! Belongs here: filling them. Must never: change a target.

use super::PrepareError;
use crate::os::errno;
use crate::payload::Payload;
use crate::program::Program;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Fill, Payload as Plan, Refresh, Workload};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The buffers of a workload: of each file, or one for all.
pub(crate) type Sources = Vec<Option<Arc<[u8]>>>;

/// The buffers of all workloads that write from one, by the workload's number: for each file where these are
/// not written alike, else one for all.
///
/// # Errors
/// A file that cannot be read, or a buffer that does not fit in memory.
pub fn sources(programs: &[Program]) -> Result<BTreeMap<u32, Sources>, PrepareError> {
    let mut made = BTreeMap::new();
    for program in programs.iter().filter(|p| p.workload.writes()) {
        if made.contains_key(&program.workload_index) {
            continue;
        }
        let workload = &program.workload;
        let apart = workload.blocks().parts.iter().any(|p| p.payload.is_some());
        let files = if apart {
            workload.blocks().parts.len()
        } else {
            1
        };
        let buffers: Result<_, _> = (0..files)
            .map(|file| source_of(&workload.of_file(file), program.seed))
            .collect();
        made.insert(program.workload_index, buffers?);
    }
    Ok(made)
}

/// The buffer of a workload on one of its files, when it writes from one.
///
/// # Errors
/// As of `sources`.
pub(super) fn source_of(workload: &Workload, seed: u64) -> Result<Option<Arc<[u8]>>, PrepareError> {
    let Fill::Source { size, file } = &workload.blocks().payload.fill else {
        return Ok(None);
    };
    if !workload.writes() {
        return Ok(None);
    }
    let mut buffer = room(*size)?;
    match file {
        Some(path) => from_file(&mut buffer, Path::new(path))?,
        None => random(&mut buffer, seed),
    }
    Ok(Some(buffer.into()))
}

/// Zeros of this size.
fn room(size: u64) -> Result<Vec<u8>, PrepareError> {
    let mut buffer = Vec::new();
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if buffer.try_reserve_exact(size).is_err() {
        return Err(PrepareError::Environment {
            code: ErrorCode::NoMemory,
            text: format!("a source buffer of {size} bytes does not fit in memory"),
            cure: ("use a smaller one", [Knob::DataSource]).into(),
            errno: Some(errno::ENOMEM),
        });
    }
    buffer.resize(size, 0);
    Ok(buffer)
}

fn random(buffer: &mut [u8], seed: u64) {
    let plan = Plan {
        fill: Fill::Random,
        refresh: Refresh::Each,
        ..Plan::default()
    };
    Payload::new(&plan, seed).before_write(buffer, 0);
}

/// The file's bytes, over and over when it is shorter than the buffer.
fn from_file(buffer: &mut [u8], path: &Path) -> Result<(), PrepareError> {
    let fail = |error: std::io::Error| PrepareError::of("reading", path, &error);
    let mut file = File::open(path).map_err(fail)?;
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..]).map_err(fail)? {
            0 => break,
            n => read += n,
        }
    }
    if read == 0 {
        return Err(PrepareError::Environment {
            code: ErrorCode::TargetSize,
            text: format!("{} is empty: it has no data to write", path.display()),
            cure: "name a file with data in it".into(),
            errno: None,
        });
    }
    for at in read..buffer.len() {
        buffer[at] = buffer[at - read];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_file_fills_the_buffer_over_and_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, b"abc").unwrap();
        let mut buffer = vec![0; 8];
        from_file(&mut buffer, &path).unwrap();
        assert_eq!(buffer, b"abcabcab");
        std::fs::write(&path, b"").unwrap();
        assert!(from_file(&mut buffer, &path).is_err());
        assert!(from_file(&mut buffer, &dir.path().join("none")).is_err());
    }

    #[test]
    fn random_buffers_are_random_and_too_large_ones_are_refused() {
        let mut buffer = room(4096).unwrap();
        random(&mut buffer, 1);
        let zeros = buffer.iter().filter(|byte| **byte == 0).count();
        assert!(zeros < 64, "{zeros}");
        assert!(room(u64::MAX / 2).is_err());
    }
}
