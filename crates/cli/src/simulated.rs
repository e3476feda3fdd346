//! Simulated volumes in place of a plan's files and devices: a target `sim:LAW` or `sim:@FILE`, or one that `--map`
//! replaces by such. The result of all I/O is then known exactly, and takes no time.
//!
//! Belongs here: which targets are simulated, and the exchange. Must never: decide what a simulated volume does.

mod hosts;
mod paths;

pub(crate) use hosts::SimulatedHosts;
use leadline_dialect::sim;
use leadline_model::plan::{
    Amount, EngineKind, FileSet, SimDevice, SimTarget, Stage, Target, Workload,
};
use leadline_model::units::Nanos;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

/// How a simulated target begins.
const MARK: &str = "sim:";

/// What stands for every other path in `--map`.
const ALL: &str = "*";

/// How many targets a message names.
const NAMED: usize = 8;

/// What a command line says of simulated volumes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulatedTargets {
    /// In the order of the command line.
    maps: Vec<Map>,
    /// The laws that were read, by their targets: a file is read once, so that a run has one law from start to end.
    laws: Rc<RefCell<BTreeMap<String, sim::Law>>>,
    /// Places in `maps` of those that a target has matched.
    matched: RefCell<BTreeSet<usize>>,
    /// Each stage begins with new volumes.
    pub(crate) fresh: bool,
    /// Round trips that hosts have beside those of the laws: (number of the host, how much more).
    pub(crate) distances: Vec<(u32, Nanos)>,
    /// How many hosts divide a set among them: each works in a part of its own of a volume that they share. 0 or 1 = all
    /// of it.
    pub(crate) parts: u32,
}

/// A volume that stands in for a path and all below it, or for every other path.
#[derive(Clone, Debug)]
struct Map {
    /// As it was written: the path, [`ALL`] for every other.
    from: String,
    /// The path as it is compared; `None` = every other.
    path: Option<String>,
    /// The target in its place.
    to: String,
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

/// What is wrong with the law of a target that is a simulated volume, in words.
pub(crate) fn wrong_law(target: &str) -> Option<String> {
    read(target).err()
}

/// Whether all workloads of these stages are simulated; false without any.
pub(crate) fn are_simulated(stages: &[Stage]) -> bool {
    let mut all = stages.iter().flat_map(|stage| &stage.workloads).peekable();
    let is = |w: &Workload| matches!(w.blocks().target, Target::Simulated(_));
    all.peek().is_some() && all.all(is)
}

impl SimulatedTargets {
    /// Takes a value of `--map`: `PATH=sim:LAW`, `*` for every other path.
    pub(crate) fn map(&mut self, value: &str) -> Result<(), String> {
        // A path may contain `=`, and so does a law.
        let place = value.rfind("=sim:").filter(|place| *place > 0);
        let Some(place) = place else {
            return Err(format!(
                "error: --map {value}: expected PATH=sim:LAW or PATH=sim:@FILE; `*` stands for \
                 every path that has no --map of its own"
            ));
        };
        let (from, to) = (&value[..place], &value[place + 1..]);
        self.law(to)?;
        let path = (from != ALL).then(|| paths::normal(from, &here()));
        if let Some(other) = self.maps.iter().find(|map| map.path == path) {
            return Err(format!(
                "error: --map {value}: this path already has --map {}={}",
                other.from, other.to
            ));
        }
        self.maps.push(Map {
            from: from.to_owned(),
            path,
            to: to.to_owned(),
        });
        Ok(())
    }

    /// Whether `--map` was given.
    pub(crate) const fn has_maps(&self) -> bool {
        !self.maps.is_empty()
    }

    /// The values of `--map`, in their order.
    pub(crate) fn maps_in_words(&self) -> Vec<String> {
        let words = |map: &Map| format!("{}={}", map.from, map.to);
        self.maps.iter().map(words).collect()
    }

    /// Gives all workloads of a run whose targets are simulated their volumes.
    ///
    /// # Errors
    /// When a target or a `--map` is wrong, also one that matches no target: what it was meant for would be written.
    pub(crate) fn resolve(&self, stages: &mut [Stage]) -> Result<(), String> {
        self.matched.borrow_mut().clear();
        let mut names = BTreeSet::new();
        for workload in stages.iter().flat_map(|stage| &stage.workloads) {
            match &workload.blocks().target {
                Target::Paths(paths) => names.extend(paths.iter().cloned()),
                Target::Files(set) => names.extend(directories(set).iter().map(|d| match &**d {
                    "" => set.pattern.clone(),
                    d => format!("{d}/{}", set.pattern),
                })),
                Target::Null { .. } | Target::Simulated(_) => {}
            }
        }
        self.resolve_part(stages)?;
        let matched = self.matched.borrow();
        let idle = (0..).zip(&self.maps).find(|(at, _)| !matched.contains(at));
        match idle {
            Some((_, map)) => Err(map.matches_none_of(&names)),
            None => Ok(()),
        }
    }

    /// The same of stages that are decided later; those that may come were resolved before.
    pub(crate) fn resolve_part(&self, stages: &mut [Stage]) -> Result<(), String> {
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
        let directories = directories(set);
        let name = |number: u32| set.pattern.replace("$filenum", &number.to_string());
        let numbers = 0..set.count.max(1);
        if let Some((law, places)) = self.one_volume(&directories)? {
            let names = numbers.map(|number| format!("{}/{}", places[0], name(number)));
            let names = names.collect();
            return Ok(Some((law, Files { names, own: true })));
        }
        // The files themselves may be named.
        let each = directories.iter().flat_map(|directory| {
            let numbers = numbers.clone();
            numbers.map(move |number| format!("{directory}/{}", name(number)))
        });
        let below = |directory: &String| {
            let directory = paths::normal(directory, &here());
            let mut named = self.maps.iter().filter_map(|map| map.path.as_deref());
            named.any(|path| paths::below(path, &directory).is_some())
        };
        if !directories.iter().any(below) {
            return Ok(None);
        }
        let found = self.one_volume(&each.collect::<Vec<_>>())?;
        Ok(found.map(|(law, names)| (law, Files { names, own: true })))
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
            .filter(|place| place.law.volume == law.volume)
            .map(|place| place.file.clone())
            .collect();
        if names.len() < paths.len() {
            return Err(format!(
                "error: {}: all targets of a workload must be on the same simulated volume, or none of them",
                paths.join(", ")
            ));
        }
        Ok(Some((law, names)))
    }

    /// Whether a simulated volume stands for this path.
    pub(crate) fn replaces(&self, path: &str) -> bool {
        self.place(path).is_ok_and(|place| place.is_some())
    }

    /// Where a path lies, if that is simulated: the longest path of a `--map` that it is below counts.
    fn place(&self, path: &str) -> Result<Option<SimPlace>, String> {
        if is_simulated(path) {
            let (law, file) = (self.law(path)?, String::new());
            return Ok(Some(SimPlace { law, file }));
        }
        if self.maps.is_empty() {
            return Ok(None);
        }
        let path = paths::normal(path, &here());
        let mut found: Option<(usize, &Map, &str)> = None;
        for (number, map) in self.maps.iter().enumerate() {
            let (length, rest) = match &map.path {
                None => (0, Some(path.as_str())),
                Some(from) => (from.len(), paths::below(&path, from)),
            };
            let Some(rest) = rest else { continue };
            self.matched.borrow_mut().insert(number);
            if found.is_none_or(|(longest, ..)| length > longest) {
                found = Some((length, map, rest));
            }
        }
        let Some((_, map, rest)) = found else {
            return Ok(None);
        };
        let (law, file) = (self.law(&map.to)?, rest.to_owned());
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
    fn put(&self, workload: &mut Workload, law: sim::Law, mut files: Files) {
        let mut size = used(workload).filter(|_| !law.has_size);
        if self.parts > 1 && files.names.is_empty() && !law.volume.local {
            files = Files::part();
            let own = law.volume.size / u64::from(self.parts);
            size = size.or(Some(own));
            // It is of the host that has it, also where a point is of one host.
            let prepare = &mut workload.blocks_mut().prepare;
            prepare.own = prepare.own.take().or_else(|| Some(PART.to_owned()));
        }
        let mut volume = SimDevice {
            fresh: law.volume.fresh || self.fresh,
            ..law.volume
        };
        for (_, later) in &mut volume.changes {
            later.distances.clone_from(&self.distances);
        }
        volume.distances.clone_from(&self.distances);
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
            law: law.text,
        }));
    }
}

impl Map {
    /// That none of these targets is below it.
    fn matches_none_of(&self, names: &BTreeSet<String>) -> String {
        let mut text = format!("error: --map {}={}: ", self.from, self.to);
        let _ = match self.path {
            Some(_) => write!(text, "no target is {} or below it; ", self.from),
            None => write!(
                text,
                "`*` matches no target: every target has a --map of its own; "
            ),
        };
        if names.is_empty() {
            text.push_str("no target is a path");
            return text;
        }
        let first: Vec<&str> = names.iter().map(String::as_str).take(NAMED).collect();
        let _ = write!(text, "the targets are {}", first.join(", "));
        if names.len() > NAMED {
            let _ = write!(text, " and {} more", names.len() - NAMED);
        }
        text
    }
}

/// Where relative paths begin; empty = that is not known.
fn here() -> String {
    let here = std::env::current_dir().unwrap_or_default();
    here.to_string_lossy().into_owned()
}

/// The directories that a set of files is in; the empty name is the working directory.
fn directories(set: &FileSet) -> Vec<String> {
    match set.directories.is_empty() {
        true => vec![String::new()],
        false => set.directories.clone(),
    }
}

/// The files of a workload on a volume.
struct Files {
    names: Vec<String>,
    /// Each host has its own of these names.
    own: bool,
}

/// What the part of a host is called.
const PART: &str = "part";

impl Files {
    /// The part of a volume that each host has of its own.
    fn part() -> Self {
        Self {
            names: vec![PART.to_owned()],
            own: true,
        }
    }
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
            // A byte-order mark.
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            let lines = text
                .lines()
                .map(|line| line.split('#').next().unwrap_or(""));
            let parts = lines.chain([more]).map(str::trim);
            parts
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(",")
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
        (None, Some(Amount::Bytes(size)), Amount::Bytes(offset)) => {
            // Of the last worker.
            let before = match region.offset_step {
                Amount::Bytes(step) => step.saturating_mul(u64::from(workload.clones.max(1) - 1)),
                Amount::Percent(_) => 0,
            };
            Some(offset.saturating_add(before).saturating_add(size))
        }
        _ => None,
    }
}
