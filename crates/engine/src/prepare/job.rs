//! What is to be done to each path, all workers that share it taken together.

use super::{PrepareError, bytes};
use crate::blocks::needs_data;
use crate::host_facts::PathKind;
use crate::os::extents::{self, Coverage};
use crate::os::file::{is_remote, stored};
use crate::program::{FilePlan, Program};
use leadline_model::cure::Knob;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Payload, Workload};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// One path and everything that is to be done to it.
#[derive(Debug)]
pub(super) struct Job<'a> {
    /// Where.
    pub path: &'a Path,
    /// What was there when the schedule was made.
    pub kind: &'a PathKind,
    /// The workload that uses it first; its wishes about claiming and filling count.
    pub workload: &'a Workload,
    /// What that writes to it.
    pub payload: &'a Payload,
    /// Number of that workload.
    pub index: u32,
    /// Size it must have; `None` = as it is.
    pub make_size: Option<u64>,
    /// It must hold real data throughout.
    pub data: bool,
    /// Someone writes or trims it.
    pub writes: bool,
    /// The part that is read, if any: first byte and end.
    pub read: Option<(u64, u64)>,
    /// The part that is written, if any: first byte and end.
    pub written: Option<(u64, u64)>,
    /// Number of a workload that reads it.
    pub reader: u32,
    /// Its cache is dropped.
    pub drop_cache: bool,
    /// It is read into the cache.
    pub pre_read: bool,
    /// Someone reads it through the cache.
    pub cached_reads: bool,
    /// It is deleted afterwards.
    pub goes: bool,
    /// fsync after making it.
    pub fsync: bool,
    /// It is mapped, so it must have its size before it is opened.
    pub mapped: bool,
    /// Seed for what it is filled with.
    pub seed: u64,
    /// It is a file whose bytes go before it is filled, as someone asked for.
    pub recreated: bool,
}

impl Job<'_> {
    /// Whether it is a block device.
    pub(super) fn is_block(&self) -> bool {
        matches!(self.kind, PathKind::Block { .. })
    }

    /// Whether bytes of it change, by writing or by being laid out.
    pub(super) fn changes(&self) -> bool {
        self.writes || self.recreated || self.make_size.is_some_and(|end| end > self.there())
    }

    /// Bytes there were when the schedule was made, without those that go.
    pub(super) fn there(&self) -> u64 {
        match self.kind {
            _ if self.recreated => 0,
            PathKind::File { size } | PathKind::Block { size, .. } => *size,
            _ => 0,
        }
    }

    /// Takes in one worker's use of it.
    fn take(&mut self, program: &Program, (index, file): (usize, &FilePlan)) {
        let w = &*program.workload.of_file(index);
        let recreated = w.blocks().prepare.recreate.filter(|_| !self.is_block());
        self.recreated |= recreated.is_some();
        self.make_size = self.make_size.max(file.make_size).max(recreated);
        self.data |= needs_data(w) || recreated.is_some();
        // A workload that only makes its files does no I/O on them.
        let used = !w.blocks().prepare.create_only;
        self.writes |= used && w.writes();
        self.drop_cache |= w.blocks().prepare.drop_cache;
        self.pre_read |= w.blocks().prepare.pre_read;
        self.cached_reads |= used && w.blocks().mix.has_reads() && !w.blocks().open.direct;
        self.goes |= w.blocks().prepare.unlink;
        self.fsync |= w.blocks().prepare.fsync;
        self.mapped |= w.engine.kind.powers().mapped;
        let start = file.extent.start;
        let end = start.saturating_add(file.extent.len);
        let joined = |part: Option<(u64, u64)>| {
            let (from, to) = part.unwrap_or((start, end));
            Some((from.min(start), to.max(end)))
        };
        if used && w.blocks().mix.writes() {
            self.written = joined(self.written);
        }
        if used && w.blocks().mix.has_reads() {
            self.read = joined(self.read);
            self.reader = program.workload_index;
        }
    }
}

/// What is written to one of a program's files.
fn payload(program: &Program, file: usize) -> &Payload {
    let part = program.workload.blocks().parts.get(file);
    let own = part.and_then(|part| part.payload.as_ref());
    own.unwrap_or(&program.workload.blocks().payload)
}

/// One job for each path, in the order of first use.
pub(super) fn merge<'a>(programs: &[&'a Program]) -> Vec<Job<'a>> {
    let mut jobs: Vec<Job<'a>> = Vec::new();
    let mut places: BTreeMap<&Path, usize> = BTreeMap::new();
    for &program in programs {
        for (index, file) in program.files.iter().enumerate() {
            let place = *places.entry(&file.path).or_insert_with(|| {
                jobs.push(Job {
                    path: &file.path,
                    kind: &file.kind,
                    workload: &program.workload,
                    payload: payload(program, index),
                    index: program.workload_index,
                    make_size: None,
                    data: false,
                    writes: false,
                    read: None,
                    written: None,
                    reader: program.workload_index,
                    drop_cache: false,
                    pre_read: false,
                    cached_reads: false,
                    goes: false,
                    fsync: false,
                    mapped: false,
                    seed: program.seed,
                    recreated: false,
                });
                jobs.len() - 1
            });
            jobs[place].take(program, (index, file));
        }
    }
    jobs
}

/// What is about to be done, in words, and how many bytes it moves.
pub(super) fn describe(jobs: &[Job<'_>]) -> (String, u64) {
    let mut laid_out = (0u64, 0u64);
    let mut read = (0u64, 0u64);
    for job in jobs {
        let end = job.make_size.unwrap_or(0);
        if job.data && end > job.there() {
            laid_out = (laid_out.0 + 1, laid_out.1 + (end - job.there()));
        }
        if job.pre_read {
            read = (read.0 + 1, read.1 + end.max(job.there()));
        }
    }
    let mut parts = Vec::new();
    let files = |n: u64| {
        if n == 1 {
            "1 file".into()
        } else {
            format!("{n} files")
        }
    };
    if laid_out.0 > 0 {
        parts.push(format!(
            "laying out {}, {}",
            files(laid_out.0),
            bytes(laid_out.1)
        ));
    }
    if read.0 > 0 {
        parts.push(format!(
            "reading {}, {} into the cache",
            files(read.0),
            bytes(read.1)
        ));
    }
    if parts.is_empty() {
        let n = u64::try_from(jobs.len()).unwrap_or(u64::MAX);
        parts.push(format!("preparing {}", files(n)));
    }
    (parts.join("; "), laid_out.1.saturating_add(read.1))
}

/// Files that will be read and hold holes or unwritten extents there: one finding for each workload
/// and kind.
pub(super) fn look_for_holes(jobs: &[Job<'_>]) -> Result<Vec<Finding>, PrepareError> {
    let mut found: BTreeMap<u32, (Coverage, u32, &Path)> = BTreeMap::new();
    let mut findings = Vec::new();
    for job in jobs.iter().filter(|j| !j.is_block()) {
        let Some((from, to)) = job.read else {
            continue;
        };
        let file = match fs::File::open(job.path) {
            Ok(f) => f,
            Err(e) => return Err(PrepareError::of("opening", job.path, &e)),
        };
        let Ok(c) = extents::coverage(&file, from, to - from) else {
            continue;
        };
        if c.holes + c.unwritten == 0 {
            findings.extend(thin(&file, job));
        }
        let all = found
            .entry(job.reader)
            .or_insert((Coverage::default(), 0, job.path));
        if c.holes + c.unwritten > 0 {
            if all.1 == 0 {
                all.2 = job.path;
            }
            all.1 += 1;
        }
        all.0.examined += c.examined;
        all.0.holes += c.holes;
        all.0.unwritten += c.unwritten;
    }
    for (workload, (c, files, path)) in found {
        let kinds = [
            (
                "unwritten-extents",
                c.unwritten,
                "allocated but never written",
            ),
            ("holes", c.holes, "a hole"),
        ];
        for (code, part, words) in kinds {
            if part > 0 {
                findings.push(hole_finding(
                    code,
                    words,
                    (part, c.examined),
                    (files, path),
                    workload,
                ));
            }
        }
    }
    Ok(findings)
}

/// The share, 0 to 1, of what will be written of a file that has never been written: holes, allocated extents without
/// data, and what is beyond its end. `None` where nothing of it is known, and of devices.
pub(super) fn never_written(job: &Job<'_>) -> Option<f64> {
    let (from, to) = job.written.filter(|_| !job.is_block())?;
    let file = fs::File::open(job.path).ok()?;
    let known = extents::coverage(&file, from, to.saturating_sub(from)).ok()?;
    let end = file.metadata().ok()?.len();
    let beyond = to.saturating_sub(end.max(from));
    let new = known
        .holes
        .saturating_add(known.unwritten)
        .saturating_add(beyond);
    let all = known.examined.saturating_add(beyond);
    (all > 0).then(|| new as f64 / all as f64)
}

/// A server may not report holes, but does report how much it stores.
fn thin(file: &fs::File, job: &Job<'_>) -> Option<Finding> {
    let meta = file.metadata().ok()?;
    let stored = stored(file).ok()?;
    // A tenth is left for what servers round and compress by the way.
    if !is_remote(file) || stored >= meta.len() - meta.len() / 10 {
        return None;
    }
    Some(Finding {
        code: "sparse-on-server".into(),
        severity: Severity::Warn,
        stage: None,
        workload: Some(job.reader),
        text: format!(
            "{} is {} long, and its server stores {} of it: it is sparse, compressed or deduplicated \
             there",
            job.path.display(),
            bytes(meta.len()),
            bytes(stored)
        ),
        cure: "fill the file with random data first, and check the server's compression settings"
            .into(),
    })
}

fn hole_finding(
    code: &str,
    words: &str,
    (part, whole): (u64, u64),
    (files, path): (u32, &Path),
    workload: u32,
) -> Finding {
    let share = part as f64 * 100.0 / whole.max(1) as f64;
    let others = match files {
        0 | 1 => String::new(),
        n => format!(" and {} more files", n - 1),
    };
    let share_text = if share < 0.1 {
        "under 0.1 %".to_owned()
    } else {
        format!("{share:.1} %")
    };
    Finding {
        code: code.into(),
        severity: if share >= 1.0 {
            Severity::Fail
        } else {
            Severity::Warn
        },
        stage: None,
        workload: Some(workload),
        text: format!(
            "{share_text} of what is read ({} of {}) is {words}, in {}{others}: reading it needs \
             no device I/O",
            bytes(part),
            bytes(whole),
            path.display(),
        ),
        cure: (
            "fill the file with real data first: delete it and let it be laid out \
             again, or write all of it once",
            [Knob::WriteOnce],
        )
            .into(),
    }
}
