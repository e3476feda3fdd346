//! Names of files: patterns with keywords, directories in turn. Text only; never looks at the system.

use leadline_model::plan::{FileSet, Target, Workload};
use std::path::PathBuf;

/// What a keyword of a pattern stands for, for one file of one worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Naming<'a> {
    /// The workload's name.
    pub job: &'a str,
    /// Worker within the workload.
    pub worker: u32,
    /// File within the worker.
    pub file: u32,
}

/// The pattern with its keywords (`$jobname`, `$jobnum`, `$filenum`, in any case) replaced; other
/// text, `$` among it, stays. `$clientuid` has no meaning on one host and becomes `localhost`.
pub(crate) fn expand(pattern: &str, naming: Naming<'_>) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known: [(&str, String); 4] = [
            ("$jobname", naming.job.to_owned()),
            ("$jobnum", naming.worker.to_string()),
            ("$filenum", naming.file.to_string()),
            ("$clientuid", "localhost".to_owned()),
        ];
        let hit = known.iter().find(|(key, _)| {
            rest.get(..key.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(key))
        });
        if let Some((key, value)) = hit {
            out.push_str(value);
            rest = &rest[key.len()..];
        } else {
            out.push('$');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

/// Path of one file of one worker: the directory by worker in turn, then the expanded pattern.
pub(crate) fn path(set: &FileSet, naming: Naming<'_>) -> PathBuf {
    let name = expand(&set.pattern, naming);
    let count = u32::try_from(set.directories.len()).unwrap_or(u32::MAX);
    match naming.worker.checked_rem(count) {
        Some(turn) => PathBuf::from(&set.directories[turn as usize]).join(name),
        None => PathBuf::from(name),
    }
}

/// Every file and device that the workers of a workload use, as they name it.
pub fn targets(workload: &Workload) -> Box<dyn Iterator<Item = PathBuf> + '_> {
    match &workload.blocks().target {
        Target::Paths(paths) => Box::new(paths.iter().map(PathBuf::from)),
        Target::Files(set) => {
            let job = workload.name.as_str();
            // The job's own name, where that may be a device.
            let named = set.name_may_be_device.then(|| PathBuf::from(job));
            let each = (0..workload.clones).flat_map(move |worker| {
                (0..set.count).map(move |file| path(set, Naming { job, worker, file }))
            });
            Box::new(named.into_iter().chain(each))
        }
        Target::Null { .. } | Target::Simulated(_) => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keywords_and_dollars_stay() {
        let naming = Naming {
            job: "j",
            worker: 3,
            file: 4,
        };
        assert_eq!(expand("a$$jobnumb$x$", naming), "a$3b$x$");
        assert_eq!(expand("é$filenumé", naming), "é4é");
    }
}
