//! What a schedule asks the host.
//!
//! Belongs here: the questions, the answers, and a memory of them. Must never: ask the host itself.

use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Engine, EngineKind, Placement, Power};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a path is on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing there yet; the directory that would hold it may be missing too.
    Missing,
    /// A regular file of this size.
    File {
        /// In bytes.
        size: u64,
    },
    /// A block device.
    Block {
        /// In bytes.
        size: u64,
        /// Smallest unit it can address, in bytes.
        logical_block: u32,
    },
    /// It is not accessible, in the kernel's words.
    Unreachable(String),
    /// Anything else, in words (`a directory`, `a character device`).
    Other(String),
}

/// Questions a schedule asks about the host. Tests answer from a table.
pub trait HostFacts {
    /// What is at `path`, symlinks followed.
    fn path_kind(&self, path: &Path) -> PathKind;
    /// Bytes free to this user in the file system that holds or would hold `path`.
    fn free_bytes(&self, path: &Path) -> Option<u64>;
    /// Files that can still be made in the file system that holds or would hold `path`; `None` = unknown, or no limit.
    fn free_files(&self, path: &Path) -> Option<u64> {
        let _ = path;
        None
    }
    /// A number that is the same for all paths in one file system; `None` = unknown.
    fn file_system(&self, path: &Path) -> Option<u64> {
        let _ = path;
        None
    }
    /// Bytes that the file at `path` has been given by its file system, which may be more than its size; `None` =
    /// unknown.
    fn allocated(&self, path: &Path) -> Option<u64> {
        let _ = path;
        None
    }
    /// Whether the file system that holds or would hold `path` stores data as they are written: it neither compresses
    /// them nor stores equal blocks once.
    fn keeps_all(&self, path: &Path) -> bool {
        let _ = path;
        false
    }
    /// Bytes that a file at `path` can have at most; `None` = unknown, or no limit.
    fn longest_file(&self, path: &Path) -> Option<u64> {
        let _ = path;
        None
    }
    /// Whether a file created at `path`, of which `place` is the one name, would be in the memory that holds the device
    /// nodes.
    fn among_devices(&self, path: &Path, place: &Path) -> bool {
        is_among_devices(place) || is_among_devices(path)
    }
    /// Whether the device below `path` can be polled for completions; `None` = unknown.
    fn polls(&self, path: &Path) -> Option<bool> {
        let _ = path;
        None
    }
    /// Whether I/Os with this power can be done on what is or would be at `path`; `None` = unknown.
    fn takes(&self, path: &Path, power: Power) -> Option<bool> {
        let _ = (path, power);
        None
    }
    /// Whether writes through the page cache that may not wait ([`Power::Nowait`]) can be done on what is or would be
    /// at `path`; `None` = unknown.
    fn takes_buffered_nowait_writes(&self, path: &Path) -> Option<bool> {
        let _ = path;
        None
    }
    /// Whether what is or would be at `path` can be mapped; `None` = unknown.
    fn maps(&self, path: &Path) -> Option<bool> {
        let _ = path;
        None
    }
    /// What of a worker's priorities this process is refused, in words.
    fn priority_refused(&self, placement: &Placement) -> Option<String> {
        let _ = placement;
        None
    }
    /// What this host lacks of an engine for a queue of `depth`, whatever its targets are.
    fn engine_lacks(&self, engine: &Engine, depth: u32) -> Option<Bar> {
        let _ = (engine, depth);
        None
    }
    /// What this host lacks for this many I/Os in flight together, of all engines of a kind.
    fn in_flight_lacks(&self, kind: EngineKind, ios: u64) -> Option<Bar> {
        let _ = (kind, ios);
        None
    }
    /// Bytes of memory that can be had; `None` = unknown.
    fn memory(&self) -> Option<u64> {
        None
    }
    /// Bytes of memory that this process may lock; `None` = unknown, or no limit.
    fn lockable(&self) -> Option<u64> {
        None
    }
    /// Bytes of huge pages that can be had; `None` = unknown.
    fn huge_pages(&self) -> Option<u64> {
        None
    }
    /// Files that this process can have open; `None` = unknown, or no limit.
    fn open_files(&self) -> Option<u64> {
        None
    }
    /// Threads that can be started; `None` = unknown, or no limit.
    fn threads(&self) -> Option<u64> {
        None
    }
    /// Bytes that offsets and sizes must be multiples of for O_DIRECT on the regular file that is or
    /// would be at `path`; `None` = unknown, and 512 is assumed.
    fn direct_align(&self, path: &Path) -> Option<u32> {
        let _ = path;
        None
    }
    /// The one name of what is or would be at `path`: every spelling of it, and every symlink to it, gives the
    /// same.
    fn place(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
    /// As [`HostFacts::place`]. `folders` are folders that were asked about, each with its place: of many files in one
    /// folder that is looked for once.
    fn place_in(&self, path: &Path, folders: &mut BTreeMap<PathBuf, PathBuf>) -> PathBuf {
        let _ = folders;
        self.place(path)
    }
    /// Why targets that exist or would be created may not or cannot be used as intended: the index
    /// of the target among `targets`, and why. `destroy` are devices that may be overwritten.
    fn bars(&self, targets: &[Intent], destroy: &[String]) -> Vec<(usize, Bar)> {
        let _ = (targets, destroy);
        Vec::new()
    }
    /// Whether the answers are about a host; otherwise only what is true on any host is checked.
    fn is_known(&self) -> bool {
        true
    }
}

/// What a plan means to do with a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Where.
    pub path: PathBuf,
    /// It is to be made: there is nothing yet, or an earlier stage deletes what is there.
    pub makes: bool,
    /// Its bytes change: it is written, trimmed, extended or filled.
    pub changes: bool,
    /// It is deleted afterwards (`Prepare::unlink`).
    pub goes: bool,
    /// It is opened with O_DIRECT.
    pub direct: bool,
    /// It is to be one of leadline's own files, with this word in its name.
    pub own: Option<String>,
}

impl Intent {
    /// To use what exists, or to create it.
    pub(crate) fn of(path: &Path, makes: bool) -> Self {
        Self {
            path: path.to_path_buf(),
            makes,
            changes: false,
            goes: false,
            direct: false,
            own: None,
        }
    }
}

/// Why a target is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// What kind of obstacle.
    pub code: ErrorCode,
    /// What was found, with the path.
    pub text: String,
    /// What to do about it.
    pub cure: Cure,
    /// See [`crate::problem::Problem::refused`].
    pub refused: bool,
}

/// Whether a file created at this absolute path would be in the memory that holds the device nodes.
pub(crate) fn is_among_devices(path: &Path) -> bool {
    path.starts_with("/dev") && !path.starts_with("/dev/shm")
}

/// Answers of the host, each queried once, and what earlier stages have changed.
pub(crate) struct Cached<'a> {
    pub(crate) host: &'a dyn HostFacts,
    kinds: BTreeMap<PathBuf, PathKind>,
    engines: Vec<((Engine, u32), Option<Bar>)>,
    /// By path; of files that are to be made, by their folder.
    takes: BTreeMap<(PathBuf, u8), Option<bool>>,
    /// Likewise.
    numbers: BTreeMap<(PathBuf, Number), Option<u64>>,
    /// Folders with their places.
    folders: BTreeMap<PathBuf, PathBuf>,
    /// What is at a place after the stages before.
    coming: BTreeMap<PathBuf, Coming>,
    /// A path was queried for which that is not known for sure.
    pub(crate) unsure: bool,
}

/// What a file system says of files in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Number {
    /// See [`HostFacts::file_system`].
    FileSystem,
    /// See [`HostFacts::longest_file`].
    LongestFile,
    /// See [`HostFacts::direct_align`].
    DirectAlign,
}

/// What is at a place after a stage.
#[derive(Clone, Debug)]
pub(crate) struct Coming {
    pub(crate) kind: PathKind,
    /// That is not certain: what the workers write decides.
    pub(crate) unsure: bool,
}

/// The key of all that have the same answer.
fn alike(path: &Path, missing: bool) -> PathBuf {
    let folder = path.parent().filter(|_| missing);
    folder.unwrap_or(path).to_path_buf()
}

impl<'a> Cached<'a> {
    pub(crate) fn of(host: &'a dyn HostFacts) -> Self {
        Self {
            host,
            kinds: BTreeMap::new(),
            engines: Vec::new(),
            takes: BTreeMap::new(),
            numbers: BTreeMap::new(),
            folders: BTreeMap::new(),
            coming: BTreeMap::new(),
            unsure: false,
        }
    }

    /// What is at `path`.
    pub(crate) fn kind(&mut self, path: &Path) -> PathKind {
        if !self.coming.is_empty() {
            let place = self.place(path);
            if let Some(coming) = self.coming.get(&place) {
                self.unsure |= coming.unsure;
                return coming.kind.clone();
            }
            let made = |above: &Path| self.coming.get(above).map(|coming| &coming.kind);
            let mut above = place.ancestors().skip(1);
            if above.any(|above| matches!(made(above), Some(PathKind::File { .. }))) {
                return PathKind::Unreachable("part of its path is a file".into());
            }
        }
        if let Some(kind) = self.kinds.get(path) {
            return kind.clone();
        }
        let kind = self.host.path_kind(path);
        self.kinds.insert(path.to_path_buf(), kind.clone());
        kind
    }

    /// See [`HostFacts::place`].
    pub(crate) fn place(&mut self, path: &Path) -> PathBuf {
        self.host.place_in(path, &mut self.folders)
    }

    /// See [`HostFacts::among_devices`].
    pub(crate) fn among_devices(&mut self, path: &Path) -> bool {
        let place = self.place(path);
        self.host.among_devices(path, &place)
    }

    /// A number of what is or would be at `path`; files that are `missing` from one folder are alike.
    pub(crate) fn number(&mut self, path: &Path, missing: bool, number: Number) -> Option<u64> {
        let host = self.host;
        let answer = self.numbers.entry((alike(path, missing), number));
        *answer.or_insert_with(|| match number {
            Number::FileSystem => host.file_system(path),
            Number::LongestFile => host.longest_file(path),
            Number::DirectAlign => host.direct_align(path).map(u64::from),
        })
    }

    /// What the host lacks of an engine.
    pub(crate) fn engine_lacks(&mut self, engine: &Engine, depth: u32) -> Option<Bar> {
        let asked = |known: &&((Engine, u32), _)| (&known.0.0, known.0.1) == (engine, depth);
        if let Some(known) = self.engines.iter().find(asked) {
            return known.1.clone();
        }
        let bar = self.host.engine_lacks(engine, depth);
        self.engines.push(((engine.clone(), depth), bar.clone()));
        bar
    }

    /// See [`HostFacts::takes`]; files that are `missing` from one folder are alike.
    pub(crate) fn takes(&mut self, path: &Path, missing: bool, power: Power) -> Option<bool> {
        let host = self.host;
        let answer = self.takes.entry((alike(path, missing), power as u8));
        *answer.or_insert_with(|| host.takes(path, power))
    }

    /// See [`HostFacts::takes_buffered_nowait_writes`].
    pub(crate) fn takes_buffered_nowait_writes(
        &mut self,
        path: &Path,
        missing: bool,
    ) -> Option<bool> {
        let host = self.host;
        let answer = self.takes.entry((alike(path, missing), u8::MAX - 1));
        *answer.or_insert_with(|| host.takes_buffered_nowait_writes(path))
    }

    /// See [`HostFacts::maps`].
    pub(crate) fn maps(&mut self, path: &Path, missing: bool) -> Option<bool> {
        let host = self.host;
        let answer = self.takes.entry((alike(path, missing), u8::MAX));
        *answer.or_insert_with(|| host.maps(path))
    }

    /// From now on this is at `place`; folders above it that were missing are there.
    pub(crate) fn becomes(&mut self, place: PathBuf, coming: Coming) {
        let folders: Vec<PathBuf> = match coming.kind {
            PathKind::Missing => Vec::new(),
            _ => place.ancestors().skip(1).map(Path::to_path_buf).collect(),
        };
        for folder in folders {
            if folder.as_os_str().is_empty() || self.kind(&folder) != PathKind::Missing {
                break;
            }
            let made = Coming {
                kind: PathKind::Other("a directory".into()),
                unsure: false,
            };
            self.coming.insert(folder, made);
        }
        self.coming.insert(place, coming);
    }
}
