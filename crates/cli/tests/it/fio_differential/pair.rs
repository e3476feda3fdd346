//! Running one job by both tools, each in a directory of its own.

use crate::support::{Done, Place, Running, skip};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Where Debian puts its fio.
const FIO: &str = "/usr/bin/fio";

/// Name of the job file in both directories.
pub(crate) const JOB_FILE: &str = "job.fio";

/// A job: its words on the command line, and the text of [`JOB_FILE`] if there is one.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) words: &'a [&'a str],
    pub(crate) file: Option<&'a str>,
}

impl<'a> Job<'a> {
    /// One that is on the command line alone.
    pub(crate) fn line(words: &'a [&'a str]) -> Self {
        Self { words, file: None }
    }
}

/// What both said.
pub(crate) struct Pair {
    pub(crate) fio: Done,
    pub(crate) ours: Done,
}

/// Whether fio is there; reports `test` as skipped when it is not.
pub(crate) fn has_fio(test: &str) -> bool {
    let there = Path::new(FIO).exists();
    if !there {
        skip(test, &format!("there is no {FIO}"));
    }
    there
}

/// Whether files here can be read past the page cache.
pub(crate) fn has_direct() -> bool {
    use std::os::unix::fs::OpenOptionsExt;
    let place = Place::new();
    let direct = rustix::fs::OFlags::DIRECT.bits().cast_signed();
    std::fs::File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .custom_flags(direct)
        .open(place.join("direct"))
        .is_ok()
}

/// Puts the job file there.
fn put(place: &Place, job: Job<'_>) {
    if let Some(text) = job.file {
        std::fs::write(place.join(JOB_FILE), text).unwrap();
    }
}

/// The job for ours in `place`, which keeps its run in `run.leadline`.
pub(crate) fn ours(place: &Place, job: Job<'_>) -> Command {
    put(place, job);
    let own = ["fio", "--leadline-run=run.leadline"];
    place.leadline(own.iter().chain(job.words))
}

fn fios(place: &Place, job: Job<'_>) -> Command {
    put(place, job);
    let mut command = Command::new(FIO);
    command.args(job.words).current_dir(place.path());
    command
}

/// Runs a job by both, at the same time: no comparison may depend on speed.
pub(crate) fn together(job: Job<'_>) -> Pair {
    let places = [Place::new(), Place::new()];
    let fio = Running::start(&mut fios(&places[0], job));
    let ours = Running::start(&mut ours(&places[1], job));
    Pair {
        fio: fio.finish(),
        ours: ours.finish(),
    }
}

impl Pair {
    /// Both came to a good end; `None` with a skip of `test` when fio itself cannot do this job here.
    pub(crate) fn fine(self, test: &str) -> Option<Self> {
        if self.fio.code != Some(0) {
            skip(test, &format!("fio fails here: {}", self.fio.stderr.trim()));
            return None;
        }
        assert_eq!(self.ours.code, Some(0), "{:?}", self.ours);
        Some(self)
    }

    /// fio's JSON and ours.
    pub(crate) fn values(&self) -> [Value; 2] {
        // fio prints its notes before the JSON; ours must be JSON and nothing else.
        let start = self.fio.stdout.find('{').unwrap();
        [read(&self.fio.stdout[start..]), read(&self.ours.stdout)]
    }
}

/// JSON with its order, and with integers and floats apart.
pub(crate) fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// The jobs of a JSON text.
pub(crate) fn jobs(value: &Value) -> &[Value] {
    match value.get("jobs") {
        Some(Value::Array(jobs)) => jobs,
        other => panic!("no jobs: {other:?}"),
    }
}

/// The value at a path of keys.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(value, |value, key| {
        let inner = value.get(key);
        inner.unwrap_or_else(|| panic!("no {key} of {path:?}"))
    })
}

/// A count.
pub(crate) fn count(value: &Value, path: &[&str]) -> u64 {
    let found = at(value, path);
    let count = found.as_u64();
    count.unwrap_or_else(|| panic!("{path:?} is {found:?}"))
}

/// A figure, whatever its kind.
pub(crate) fn figure(value: &Value, path: &[&str]) -> f64 {
    let found = at(value, path);
    let figure = found.as_f64();
    figure.unwrap_or_else(|| panic!("{path:?} is {found:?}"))
}

/// Keys and values of an object; none when it is absent.
pub(crate) fn pairs<'a>(
    value: &'a Value,
    key: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let object = match value.get(key) {
        Some(Value::Object(object)) => Some(object),
        None => None,
        other => panic!("{key} is {other:?}"),
    };
    object.into_iter().flatten()
}
