//! Files that the survey makes are its own: what bears such a name and was not made by it is not written
//! over, here or on another host.

use leadline_model::plan::{Amount, Stage, Target};
use leadline_model::units::Bytes;
use leadline_results::study::survey::FILE_PATTERN;
use std::path::{Path, PathBuf};

/// A file that bears the name of one of the survey's and is not one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    path: PathBuf,
    /// Size of the survey's own.
    size: u64,
}

impl Foreign {
    /// What is wrong, in words.
    pub(crate) fn words(&self) -> String {
        format!(
            "the survey would write over {}, which is not one of its files of {}",
            self.path.display(),
            Bytes(self.size)
        )
    }

    /// What to do about it.
    pub(crate) const CURE: &str = "move it away, or name another directory";

    /// Both, as the command says it.
    pub(crate) fn refusal(&self) -> String {
        format!("refused: {}\n  hint: {}", self.words(), Self::CURE)
    }
}

/// What the names of files of this pattern begin with.
pub(crate) fn stem(pattern: &str) -> String {
    pattern.split('$').next().unwrap_or(pattern).to_owned()
}

/// Files whose names begin with `stem` have to be what an earlier survey left: of just the size it would
/// make. Anything else is somebody's.
pub(crate) fn only_ours(directory: &Path, stem: &str, size: u64) -> Result<(), Foreign> {
    // What is no directory, or cannot be read, is another's to say.
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(stem);
        let other = |m: std::fs::Metadata| m.len() != size || !m.is_file();
        if ours && entry.metadata().is_ok_and(other) {
            let path = entry.path();
            return Err(Foreign { path, size });
        }
    }
    Ok(())
}

/// The same for a stage as a host gets it: the survey's workloads are those whose files are named so.
pub(crate) fn only_ours_in(stage: &Stage) -> Result<(), Foreign> {
    let survey = stem(FILE_PATTERN);
    for workload in &stage.workloads {
        if let (Target::Files(files), Some(Amount::Bytes(size))) =
            (&workload.target, workload.region.size)
        {
            let own = stem(&files.pattern);
            // The host's label stands before it.
            if own.ends_with(&survey) {
                for directory in &files.directories {
                    only_ours(Path::new(directory), &own, size)?;
                }
            }
        }
    }
    Ok(())
}
