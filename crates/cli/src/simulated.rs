//! Simulated volumes in place of a plan's files and devices: a target `sim:LAW` or `sim:@FILE`, or one that `--map`
//! replaces by such. What I/O comes to is then known exactly, and takes no time.
//!
//! Belongs here: which targets are simulated, and the exchange. Must never: decide what a simulated volume does.

mod hosts;

pub(crate) use hosts::SimulatedHosts;
use leadline_dialect::sim;
use leadline_fleet::tailor;
use leadline_model::plan::{
    Amount, EngineKind, FileSet, SimDevice, SimTarget, Stage, Target, Workload,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How a simulated target begins.
const MARK: &str = "sim:";

/// What stands for all targets in `--map`.
const ALL: &str = "*";

/// What a command line says of simulated volumes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulatedTargets {
    /// Beginnings of paths, and the volumes that stand in for what is below them.
    maps: Vec<(String, String)>,
    /// The volume that stands in for every other path.
    all: Option<String>,
    /// The laws that were read, by their targets: a file is read once, so that a run has one law from start to end.
    laws: Rc<RefCell<BTreeMap<String, sim::Law>>>,
    /// Each stage begins with new volumes.
    pub(crate) fresh: bool,
}

/// A place that is simulated.
#[derive(Clone, Debug, PartialEq)]
struct SimPlace {
    law: sim::Law,
    /// The file on the volume; empty = the volume itself.
    file: String,
}

/// Whether a target is a simulated volume by its own words.
pub(crate) fn is_simulated(target: &str) -> bool {
    target.starts_with(MARK)
}

/// Whether all workloads of these stages are simulated; false without any.
pub(crate) fn are_simulated(stages: &[Stage]) -> bool {
    let mut all = stages.iter().flat_map(|stage| &stage.workloads).peekable();
    let is = |w: &Workload| matches!(w.blocks().target, Target::Simulated(_));
    all.peek().is_some() && all.all(is)
}

impl SimulatedTargets {
    /// Takes a value of `--map`: `PATH=sim:LAW`, `*` for all targets.
    pub(crate) fn map(&mut self, value: &str) -> Result<(), String> {
        match value.split_once('=') {
            Some((from, to)) if !from.is_empty() && is_simulated(to) => {
                self.law(to)?;
                if from == ALL {
                    self.all = Some(to.to_owned());
                } else {
                    self.maps.push((from.to_owned(), to.to_owned()));
                }
                Ok(())
            }
            _ => Err(format!(
                "error: --map {value}: expected PATH=sim:LAW or PATH=sim:@FILE; `*` stands for \
                 every target"
            )),
        }
    }

    /// Gives workloads whose targets are simulated their volumes.
    pub(crate) fn resolve(&self, stages: &mut [Stage]) -> Result<(), String> {
        for workload in stages.iter_mut().flat_map(|stage| &mut stage.workloads) {
            let target = match &workload.blocks().target {
                Target::Paths(paths) => self.paths(paths)?,
                Target::Files(files) => self.files(files)?,
                _ => None,
            };
            if let Some((law, files)) = target {
                self.put(workload, law, files);
            }
        }
        Ok(())
    }

    /// The volume and the files on it that stand in for these paths; `None` = none of them is simulated.
    fn paths(&self, paths: &[String]) -> Result<Option<(sim::Law, Files)>, String> {
        let Some((law, names)) = self.one_volume(paths)? else {
            return Ok(None);
        };
        let whole = names.len() == 1 && names[0].is_empty();
        let names = if whole { Vec::new() } else { names };
        Ok(Some((law, Files { names, own: false })))
    }

    /// The same for files named by a pattern.
    fn files(&self, set: &FileSet) -> Result<Option<(sim::Law, Files)>, String> {
        let here = [String::new()];
        let directories = match set.directories.is_empty() {
            true => &here[..],
            false => &set.directories,
        };
        let Some((law, places)) = self.one_volume(directories)? else {
            return Ok(None);
        };
        let name = |number: u32| {
            let name = set.pattern.replace("$filenum", &number.to_string());
            format!("{}/{name}", places[0])
        };
        let names = (0..set.count.max(1)).map(name).collect();
        Ok(Some((law, Files { names, own: true })))
    }

    fn one_volume(&self, paths: &[String]) -> Result<Option<(sim::Law, Vec<String>)>, String> {
        let places: Result<Vec<_>, String> = paths.iter().map(|path| self.place(path)).collect();
        let places = places?;
        let Some(first) = places.iter().flatten().next() else {
            return Ok(None);
        };
        let law = first.law.clone();
        let names: Vec<String> = places
            .iter()
            .flatten()
            .filter(|place| place.law == law)
            .map(|place| place.file.clone())
            .collect();
        if names.len() < paths.len() {
            return Err(format!(
                "error: {}: a workload has all its targets on one simulated volume, or on none",
                paths.join(", ")
            ));
        }
        Ok(Some((law, names)))
    }

    /// Where a path lies, if that is simulated: as hosts replace paths.
    fn place(&self, path: &str) -> Result<Option<SimPlace>, String> {
        let everywhere = || Some((self.all.as_deref()?, path));
        let found = match is_simulated(path) {
            true => Some((path, "")),
            false => tailor::replacement(path, &self.maps).or_else(everywhere),
        };
        let Some((target, rest)) = found else {
            return Ok(None);
        };
        let (law, file) = (self.law(target)?, rest.to_owned());
        Ok(Some(SimPlace { law, file }))
    }

    /// The law of a target.
    fn law(&self, target: &str) -> Result<sim::Law, String> {
        if let Some(known) = self.laws.borrow().get(target) {
            return Ok(known.clone());
        }
        let law = read(target)?;
        let mut laws = self.laws.borrow_mut();
        laws.insert(target.to_owned(), law.clone());
        Ok(law)
    }

    /// Puts a volume in a workload's place of I/O. What it uses is as large as the workload says, unless the law does.
    fn put(&self, workload: &mut Workload, law: sim::Law, files: Files) {
        let size = used(workload).filter(|_| !law.has_size);
        let volume = SimDevice {
            fresh: law.volume.fresh || self.fresh,
            ..law.volume
        };
        if !workload.engine.kind.is_async() {
            // As with the engine that it names.
            workload.depth = 1;
        }
        workload.engine.kind = EngineKind::SIMULATED;
        let blocks = workload.blocks_mut();
        // It begins empty.
        blocks.region.beyond_end = None;
        blocks.target = Target::Simulated(Box::new(SimTarget {
            volume,
            files: files.names,
            own_files: files.own,
            size,
        }));
    }
}

/// The files of a workload on a volume.
struct Files {
    names: Vec<String>,
    /// Each host has its own of these names.
    own: bool,
}

/// Reads `sim:LAW` or `sim:@FILE`, after which further keys may follow.
fn read(target: &str) -> Result<sim::Law, String> {
    let text = target.strip_prefix(MARK).unwrap_or(target);
    let law = match text.strip_prefix('@') {
        None => text.to_owned(),
        Some(rest) => {
            let (path, more) = rest.split_once(',').unwrap_or((rest, ""));
            let text = std::fs::read_to_string(path)
                .map_err(|why| format!("error: {target}: cannot read {path}: {why}"))?;
            let lines = text
                .lines()
                .map(|line| line.split('#').next().unwrap_or(""));
            lines.chain([more]).collect::<Vec<_>>().join(",")
        }
    };
    sim::parse(&law).map_err(|problems| {
        let lines = problems.iter().map(|problem| {
            format!(
                "error: {target}: {}; expected {}",
                problem.message, problem.expected
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// How much of its target a workload uses, where it says so in bytes.
fn used(workload: &Workload) -> Option<u64> {
    let region = &workload.blocks().region;
    match (region.file_size, region.size, region.offset) {
        (Some((_, high)), _, _) => Some(high),
        (None, Some(Amount::Bytes(size)), Amount::Bytes(offset)) => Some(offset + size),
        _ => None,
    }
}
