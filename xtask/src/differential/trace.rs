//! What a tool did: its I/Os by strace, and what it says of itself in JSON.
//!
//! Must never: judge.

use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;

/// One read or write of a data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Io {
    pub(crate) write: bool,
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

impl Io {
    /// The byte after it.
    pub(crate) const fn end(self) -> u64 {
        self.offset + self.len
    }
}

/// A job of the JSON output.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Job {
    pub(crate) name: String,
    /// I/Os and bytes of reads, writes and trims.
    pub(crate) counts: [(u64, u64); 3],
    pub(crate) millis: f64,
}

/// What came of a case.
#[derive(Debug, Default)]
pub(crate) struct TracedRun {
    pub(crate) code: i32,
    /// Empty where there is no JSON.
    pub(crate) jobs: Vec<Job>,
    /// By file, then by thread: what it did, in order.
    pub(crate) ios: BTreeMap<String, Vec<Vec<Io>>>,
}

impl TracedRun {
    /// I/Os of a file, thread by thread.
    pub(crate) fn of(&self, file: &str) -> Vec<Io> {
        self.ios.get(file).map(|t| t.concat()).unwrap_or_default()
    }
}

/// The I/Os in the traces of `dir`, one file for each thread.
pub(crate) fn read(dir: &Path) -> Result<TracedRun> {
    let mut outcome = TracedRun::default();
    let mut names: Vec<_> = std::fs::read_dir(dir)?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|p| p.file_stem().is_some_and(|stem| stem == "trace"))
        .collect();
    names.sort();
    for name in names {
        let text = String::from_utf8_lossy(&std::fs::read(&name)?).into_owned();
        let mut by_file: BTreeMap<String, Vec<Io>> = BTreeMap::new();
        for (file, io) in text.lines().filter_map(line) {
            by_file.entry(file).or_default().push(io);
        }
        for (file, ios) in by_file {
            outcome.ios.entry(file).or_default().push(ios);
        }
    }
    Ok(outcome)
}

/// `pread64(5</dir/data>, ""..., 4096, 0) = 4096`: a whole I/O of a file whose name begins with `data`.
fn line(text: &str) -> Option<(String, Io)> {
    let write = text.starts_with("pwrite64(");
    if !write && !text.starts_with("pread64(") {
        return None;
    }
    let path = text.split_once('<')?.1.split_once('>')?.0;
    let name = path.rsplit('/').next()?;
    let numbers = text.rsplit_once(')')?.0;
    let mut numbers = numbers.rsplitn(3, ", ");
    let offset = numbers.next()?.parse().ok()?;
    let len = numbers.next()?.parse().ok()?;
    let io = Io { write, offset, len };
    name.starts_with("data").then(|| (name.to_owned(), io))
}

/// The jobs of fio's JSON; notes may stand before it.
pub(crate) fn jobs(stdout: &str) -> Vec<Job> {
    let start = stdout.find('{').unwrap_or(0);
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&stdout[start..]) else {
        return Vec::new();
    };
    let number = |v: &serde_json::Value| v.as_u64().unwrap_or(0);
    let job = |job: &serde_json::Value| {
        let counts = ["read", "write", "trim"]
            .map(|op| (number(&job[op]["total_ios"]), number(&job[op]["io_bytes"])));
        let millis = ["read", "write"].map(|op| job[op]["runtime"].as_f64().unwrap_or(0.0));
        Job {
            name: job["jobname"].as_str().unwrap_or("").to_owned(),
            counts,
            millis: millis[0].max(millis[1]),
        }
    };
    let jobs = value["jobs"].as_array();
    jobs.map(|jobs| jobs.iter().map(job).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_strace_is_read() {
        let text = r#"pwrite64(6</dev/shm/x/data1>, ""..., 65536, 131072) = 65536"#;
        let io = Io {
            write: true,
            offset: 131_072,
            len: 65_536,
        };
        assert_eq!(line(text), Some(("data1".to_owned(), io)));
        let text = r#"pread64(12</x/data>, ""..., 512, 0) = 512"#;
        assert!(line(text).is_some_and(|(_, io)| !io.write && io.len == 512));
        assert_eq!(
            line(r#"pread64(3</lib/libc.so>, ""..., 784, 64) = 784"#),
            None
        );
    }
}
