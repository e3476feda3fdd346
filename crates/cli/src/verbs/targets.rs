//! What a survey or a study works on: a directory for files of its own, or what the user gave up by name.
//!
//! Belongs here: the checks of targets before anything is made. Must never: make or open one.

use crate::exit::Exit;
use crate::simulated::is_simulated;
use crate::verbs::Refusal;
use leadline_dialect::sim;
use leadline_engine::os::host::path_kind;
use leadline_engine::os::kinds;
use leadline_engine::schedule::PathKind;
use leadline_model::plan::Target;
use leadline_model::plan::study::StudyPlace;
use std::path::Path;

/// What is asked of targets.
pub(super) struct Targets<'a> {
    /// As they were named, at least one.
    pub(super) named: &'a [String],
    /// Those that may be overwritten.
    pub(super) destroy: &'a [String],
    /// They are on other hosts.
    pub(super) elsewhere: bool,
    /// What writes: `the survey`.
    pub(super) writer: &'a str,
}

/// Why a directory is refused that is not there: a name with a mistake, or a mount that is missing, would be measured as if
/// it were meant. `None` = it is there.
pub(super) fn no_such_directory(name: &str) -> Option<Refusal> {
    let text = format!(
        "error: {name}: there is no such directory, file or device\n  hint: create the directory, or mount the \
         storage to be measured there"
    );
    (!Path::new(name).exists()).then_some((text, Exit::Usage))
}

/// Bytes that a target has room for, where that is known: on block devices of this host (`is_here`), and on a simulated volume
/// that says how large it is.
pub(super) fn room_on(target: &Target, is_here: bool) -> Option<u64> {
    match target {
        Target::Simulated(simulated) => {
            let law = sim::parse(&simulated.law).ok()?;
            law.has_size.then_some(law.volume.size)
        }
        Target::Paths(paths) if is_here => {
            let size = |path: &String| match path_kind(Path::new(path)) {
                PathKind::Block { size, .. } => Some(size),
                _ => None,
            };
            paths.iter().map(size).sum()
        }
        _ => None,
    }
}

/// A size that an option takes, this one or up to a sixteenth less: `64m`, `95m`, `512`.
pub(super) fn at_most(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1 << 40, "t"),
        (1 << 30, "g"),
        (1 << 20, "m"),
        (1 << 10, "k"),
    ];
    let fits = |unit: &&(u64, &str)| {
        bytes >= 16 * unit.0 || (bytes >= unit.0 && bytes.is_multiple_of(unit.0))
    };
    match UNITS.iter().find(fits) {
        Some((unit, name)) => format!("{}{name}", bytes / unit),
        None => bytes.to_string(),
    }
}

impl Targets<'_> {
    /// A directory of our own files, or paths whose content the user gave up by naming them; or why neither.
    pub(super) fn place(&self) -> Result<StudyPlace, Refusal> {
        if self.named.iter().any(|target| is_simulated(target)) {
            return Ok(StudyPlace::Paths(self.named.to_vec()));
        }
        if self.elsewhere {
            return self.place_elsewhere();
        }
        if let [only] = self.named
            && (Path::new(only).is_dir() || !Path::new(only).exists())
        {
            return Ok(StudyPlace::Directory(only.clone()));
        }
        self.named
            .iter()
            .try_for_each(|target| self.check(target))?;
        Ok(StudyPlace::Paths(self.named.to_vec()))
    }

    /// A file or a device that may be overwritten.
    fn check(&self, target: &str) -> Result<(), Refusal> {
        let path = Path::new(target);
        if path.is_dir() || !path.exists() {
            let text =
                format!("error: {target}: give one directory, or files and devices that exist");
            return Err((text, Exit::Usage));
        }
        if !(path.is_file() || kinds::is_block_device_at(path)) {
            let text = format!(
                "error: {target}: neither a directory, a file nor a block device\n  hint: give a directory, or a \
                 file or block device whose content is no longer needed"
            );
            return Err((text, Exit::Usage));
        }
        if !self.destroy.iter().any(|named| named == target) {
            let writer = self.writer;
            let text = format!(
                "refused: {writer} writes, and {target} is not one of its own files\n  hint: name a directory instead, \
                 or add --destroy {target} if its content is no longer needed"
            );
            return Err((text, Exit::Refused));
        }
        Ok(())
    }

    /// The same on other hosts, where nothing can be checked from here: a path is a directory that is there, unless its
    /// content was given up.
    fn place_elsewhere(&self) -> Result<StudyPlace, Refusal> {
        match self.named {
            all if all.iter().all(|t| self.destroy.contains(t)) => {
                Ok(StudyPlace::Paths(all.to_vec()))
            }
            [only] => Ok(StudyPlace::Directory(only.clone())),
            _ => {
                let text =
                    "error: give one directory, or name each file and device in --destroy too";
                Err((text.to_owned(), Exit::Usage))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::at_most;

    #[test]
    fn sizes_are_those_of_options_and_never_more() {
        let sizes = [64 << 20, 100_000_000, 3 << 30, (3 << 30) - 1, 512, 5000, 0];
        let each = sizes.map(at_most);
        assert_eq!(each, ["64m", "95m", "3g", "3071m", "512", "5000", "0"]);
    }
}
