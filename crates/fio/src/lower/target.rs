//! What the I/O goes to, which part of it, and how it is prepared.

use super::Lowering;
use crate::table::key;
use crate::value::Value;
use leadline_dialect::diagnostic::Diagnostic;
use leadline_dialect::sim;
use leadline_dialect::windows;
use leadline_model::plan::target::Advise;
use leadline_model::plan::{
    Amount, EngineKind, Fallocate, FileSet, MediumKind, OpenMode, Plan, Prepare, Region, SimTarget,
    SyncMode, Target,
};

impl Lowering<'_> {
    /// The name results show: `name=` in a section goes before the section's own name. One in [global] names
    /// nothing, as in fio.
    pub(super) fn name(&self) -> &str {
        let own = self.job.get(&key::NAME).is_some_and(|s| !s.inherited);
        let given = self.job.text(&key::NAME).filter(|_| own);
        given.unwrap_or(&self.job.section)
    }

    /// Bytes named by `size`, or by `filesize` and `nrfiles`; 0 when neither says.
    pub(super) fn target_size(&self) -> u64 {
        match (self.job.amount(&key::SIZE), self.file_size()) {
            (Some(Amount::Bytes(n)), _) if n > 0 => n,
            (_, Some((_, high))) => high.saturating_mul(self.job.natural(&key::NRFILES)),
            _ => 0,
        }
    }

    fn file_size(&self) -> Option<(u64, u64)> {
        self.job.given(&key::FILESIZE)
    }

    pub(super) fn target(&mut self, kind: EngineKind, size: u64) -> Target {
        match kind.powers().medium {
            MediumKind::Null => {
                if size == 0 {
                    let message = "an engine without files needs a size in bytes";
                    let error = Diagnostic::error("size-missing", message);
                    self.sink.push(
                        error
                            .at(self.job.span_of(&key::SIZE), "")
                            .expected("`size=` with a number of bytes"),
                    );
                }
                Target::Null {
                    size: self.pretended(size),
                }
            }
            MediumKind::Simulated => Target::Simulated(Box::new(self.simulated(size))),
            MediumKind::Files => self.files(),
        }
    }

    /// Bytes of a target that is not there: `size` is counted from the offset of the last clone, as for
    /// files that are made.
    fn pretended(&self, size: u64) -> u64 {
        let bytes = |amount: Option<Amount>| match amount {
            Some(Amount::Bytes(n)) => n,
            _ => 0,
        };
        let last = self.job.natural::<u64>(&key::NUMJOBS).max(1) - 1;
        size.saturating_add(bytes(self.job.amount(&key::OFFSET)))
            .saturating_add(bytes(self.job.amount(&key::OFFSET_INCREMENT)).saturating_mul(last))
    }

    fn simulated(&mut self, size: u64) -> SimTarget {
        let text = self.job.list(&key::SIM).cloned().unwrap_or_default();
        match sim::parse(text.as_str()) {
            Ok(law) => SimTarget {
                size: (!law.has_size && size > 0).then_some(size),
                law: law.text,
                ..law.volume.into()
            },
            Err(problems) => {
                for problem in problems {
                    let span = text.span(problem.at.start, problem.at.end);
                    self.sink.push(
                        Diagnostic::error("bad-simulated-device", problem.message)
                            .at(span, "")
                            .expected(problem.expected),
                    );
                }
                SimTarget::default()
            }
        }
    }

    /// A path of Windows is a plain name here: the files would lie in the current directory.
    fn paths_of_windows(&mut self) {
        for option in [&key::DIRECTORY, &key::FILENAME] {
            let names = self.job.text(option).map(split_names).unwrap_or_default();
            let Some(name) = names.iter().find(|name| windows::is_path(name)) else {
                continue;
            };
            let message =
                format!("`{name}` is a Windows path; here it is a name in the current directory");
            self.sink.push(
                Diagnostic::warning("path-of-windows", message)
                    .at(self.job.span_of(option), "")
                    .hint("name a path of this system, such as /mnt/volume"),
            );
        }
    }

    fn files(&mut self) -> Target {
        self.paths_of_windows();
        let directories = self
            .job
            .text(&key::DIRECTORY)
            .map(split_names)
            .unwrap_or_default();
        let Some(names) = self.job.text(&key::FILENAME).map(split_names) else {
            return Target::Files(FileSet {
                directories,
                pattern: self.pattern(),
                count: self.job.natural::<u32>(&key::NRFILES).max(1),
                name_may_be_device: self.job.natural::<u32>(&key::NRFILES) == 1,
            });
        };
        if names.iter().any(|n| n == "-") {
            self.refuse(
                &key::FILENAME,
                "-",
                "standard input and output cannot be targets",
            );
        }
        if self
            .job
            .get(&key::NRFILES)
            .is_some_and(|s| s.value != Value::Number(1))
        {
            let message = "`filename` names the files, so `nrfiles` has no effect";
            self.note("no-effect", message, &key::NRFILES);
        }
        match (directories.as_slice(), names.as_slice()) {
            ([], _) => Target::Paths(names),
            ([directory], _) => {
                Target::Paths(names.iter().map(|n| format!("{directory}/{n}")).collect())
            }
            (_, [name]) => Target::Files(FileSet {
                pattern: name.clone(),
                directories,
                count: 1,
                name_may_be_device: false,
            }),
            _ => {
                let message = "several directories together with several file names";
                self.error(
                    "not-supported",
                    format!("{message} are not supported"),
                    &key::DIRECTORY,
                );
                Target::Paths(names)
            }
        }
    }

    /// The pattern of generated names with the section's name filled in where it is not the
    /// workload's, and keywords in one spelling.
    fn pattern(&mut self) -> String {
        let given = self.job.text(&key::FILENAME_FORMAT).unwrap_or("");
        let pattern = if given.is_empty() {
            "$jobname.$jobnum.$filenum"
        } else {
            given
        };
        let mut text = pattern.to_owned();
        for keyword in ["$jobname", "$jobnum", "$filenum", "$clientuid"] {
            text = same_spelling(&text, keyword);
        }
        if text.contains("$clientuid") {
            self.note(
                "no-effect",
                "`$clientuid` is empty: it only matters to fio's server mode",
                &key::FILENAME_FORMAT,
            );
            text = text.replace("$clientuid", "");
        }
        if self.name() == self.job.section {
            text
        } else {
            text.replace("$jobname", &self.job.section)
        }
    }

    pub(super) fn region(&mut self) -> Region {
        let some = |amount: Option<Amount>| amount.filter(|a| *a != Amount::Bytes(0));
        let align = self.job.natural::<u64>(&key::OFFSET_ALIGN);
        Region {
            beyond_end: None,
            end: None,
            wrap: None,
            offset: self.job.amount(&key::OFFSET).unwrap_or_default(),
            offset_step: self.job.amount(&key::OFFSET_INCREMENT).unwrap_or_default(),
            size: some(self.job.amount(&key::SIZE)),
            file_size: self.file_size(),
            offset_align: (align > 0).then_some(align),
            until_full: self.job.flag(&key::FILL_DEVICE),
        }
    }

    pub(super) fn prepare(&mut self) -> Prepare {
        let job = self.job;
        let open_files = job.natural::<u32>(&key::OPENFILES);
        Prepare {
            create: job.flag(&key::ALLOW_FILE_CREATE),
            create_only: job.flag(&key::CREATE_ONLY),
            create_on_open: job.flag(&key::CREATE_ON_OPEN),
            one_by_one: job.flag(&key::CREATE_SERIALIZE),
            fsync: job.flag(&key::CREATE_FSYNC),
            fallocate: match job.word(&key::FALLOCATE) {
                "none" | "0" => Fallocate::None,
                "posix" | "1" => Fallocate::Posix,
                "keep" => Fallocate::Keep,
                "truncate" => Fallocate::Truncate,
                _ => Fallocate::Native,
            },
            overwrite: job.flag(&key::OVERWRITE),
            drop_cache: job.flag(&key::INVALIDATE) && !job.flag(&key::PRE_READ),
            pre_read: job.flag(&key::PRE_READ),
            advise: match job.word(&key::FADVISE_HINT) {
                "0" | "noreuse" => Advise::Nothing,
                "random" => Advise::Random,
                "sequential" => Advise::Sequential,
                _ => Advise::ByOrder,
            },
            unlink: job.flag(&key::UNLINK),
            unlink_each_loop: job.flag(&key::UNLINK_EACH_LOOP),
            open_files: (open_files > 0).then_some(open_files),
            recreate: None,
            own: None,
        }
    }

    pub(super) fn open_mode(&mut self) -> OpenMode {
        let atomic = self.job.flag(&key::ATOMIC);
        if atomic && !self.job.flag(&key::DIRECT) {
            self.note(
                "atomic-is-direct",
                "`atomic` implies `direct`",
                &key::ATOMIC,
            );
        }
        OpenMode {
            direct: self.job.flag(&key::DIRECT) || atomic,
            sync: match self.job.word(&key::SYNC) {
                "sync" | "1" => SyncMode::Sync,
                "dsync" => SyncMode::Dsync,
                _ => SyncMode::None,
            },
            atomic,
        }
    }
}

/// The directories that `directory` names anywhere in a plan, each once: fio looks for them when it reads a job.
#[must_use]
pub fn directories(plan: &Plan) -> Vec<String> {
    let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    let given = plan.given.iter().chain(workloads.flat_map(|w| &w.given));
    let named = given.filter(|given| given.name == key::DIRECTORY.name);
    let mut all: Vec<String> = named.flat_map(|given| split_names(&given.value)).collect();
    all.sort();
    all.dedup();
    all
}

/// Names with `:` between them; `\:` is a colon.
fn split_names(text: &str) -> Vec<String> {
    if text.starts_with("sim:") {
        // A simulated volume: its law has colons of its own.
        return vec![text.trim().to_owned()];
    }
    let mut names = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, names.last_mut()) {
            ('\\', Some(name)) if chars.peek() == Some(&':') => {
                chars.next();
                name.push(':');
            }
            (':', _) => names.push(String::new()),
            (c, Some(name)) => name.push(c),
            _ => {}
        }
    }
    names.retain(|n| !n.trim().is_empty());
    names.iter().map(|n| n.trim().to_owned()).collect()
}

/// Replaces a keyword in any case by the one in lower case.
fn same_spelling(text: &str, keyword: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::new();
    let mut from = 0;
    while let Some(at) = lower[from..].find(keyword).map(|n| n + from) {
        out.push_str(&text[from..at]);
        out.push_str(keyword);
        from = at + keyword.len();
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_at_bare_colons() {
        assert_eq!(split_names(r"/a\:b:/c"), ["/a:b", "/c"]);
        assert_eq!(split_names("a::b"), ["a", "b"]);
        assert_eq!(
            same_spelling("x$JobName$FILENUM", "$jobname"),
            "x$jobname$FILENUM"
        );
    }
}
