//! Runs that are kept: which was the latest, and how long those without a path given by the user stay.
//!
//! Belongs here: finding and removing run files. Must never: remove anything outside leadline's own place, a run that
//! has a tag, or a file that is no run file of leadline's.

use crate::place;
use leadline_engine::os::host::make_folders;
use leadline_engine::os::kinds;
use leadline_engine::os::wall::wall_ms;
use leadline_results::store;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The word for the latest run wherever a run file is asked for.
const LAST: &str = "last";

/// How much is kept in leadline's own place: runs without a tag beyond either go, the oldest first.
const MOST: Limits = Limits {
    bytes: 1 << 30,
    age: Duration::from_secs(90 * 24 * 3600),
};

/// One that was written to so recently may still be.
const FRESH: Duration = Duration::from_secs(3600);

struct Limits {
    bytes: u64,
    age: Duration,
}

/// Notes that this run is the latest. Where that cannot be noted, the newest file is.
pub(crate) fn note_latest(run: &Path) {
    let path = std::path::absolute(run).unwrap_or_else(|_| run.to_owned());
    let place = place::runs();
    let _ = make_folders(&place);
    let note = place.join(LAST);
    let _ = std::fs::remove_file(&note);
    let _ = kinds::link(&path, &note);
}

/// The run file that a user names: a path, or `last` where there is no file of that name.
pub(crate) fn named(path: &Path) -> PathBuf {
    if path != Path::new(LAST) || path.exists() {
        return path.to_owned();
    }
    let noted = std::fs::read_link(place::runs().join(LAST));
    let noted = noted.ok().filter(|run| run.is_file());
    noted.or_else(newest).unwrap_or_else(|| path.to_owned())
}

/// The run file that was written last, here or in leadline's own place.
fn newest() -> Option<PathBuf> {
    let mut all = files(&place::runs());
    all.extend(files(Path::new(".")));
    all.into_iter().max_by_key(|f| f.written).map(|f| f.path)
}

struct File {
    path: PathBuf,
    bytes: u64,
    written: SystemTime,
}

/// The regular files with a run file's ending.
fn files(directory: &Path) -> Vec<File> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let runs = paths.filter(|path| path.extension().is_some_and(|e| e == store::EXTENSION));
    let known = runs.filter_map(|path| {
        let about = path.symlink_metadata().ok().filter(|m| m.is_file())?;
        Some(File {
            bytes: about.len(),
            written: about.modified().ok()?,
            path,
        })
    });
    known.collect()
}

/// The latest run files beside `own` and in leadline's own place, the newest first and `own` not among them: a few of those
/// that are read in a moment.
pub(crate) fn latest_small(own: Option<&Path>) -> Vec<PathBuf> {
    const MOST: usize = 12;
    const MOST_BYTES: u64 = 4 << 20;
    let place = place::runs();
    let beside = own.and_then(Path::parent).map(Path::to_owned);
    let mut all = files(&place);
    if let Some(directory) = beside.filter(|directory| *directory != place) {
        let here = directory.as_os_str().is_empty();
        all.extend(files(if here { Path::new(".") } else { &directory }));
    }
    let is_own = |path: &Path| own.is_some_and(|own| own.file_name() == path.file_name());
    all.retain(|file| file.bytes <= MOST_BYTES && !is_own(&file.path));
    all.sort_by_key(|file| std::cmp::Reverse(file.written));
    all.into_iter().take(MOST).map(|file| file.path).collect()
}

/// Makes room in leadline's own place.
pub(crate) fn prune() {
    prune_in(&place::runs(), now(), &MOST);
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(wall_ms())
}

fn prune_in(place: &Path, now: SystemTime, most: &Limits) {
    let mut all = files(place);
    all.sort_by_key(|file| file.written);
    let mut bytes: u64 = all.iter().map(|file| file.bytes).sum();
    for file in all {
        let age = now.duration_since(file.written).unwrap_or_default();
        let due = age > most.age || bytes > most.bytes;
        if !due || age < FRESH || !store::may_go(&file.path) {
            continue;
        }
        if std::fs::remove_file(&file.path).is_ok() {
            bytes -= file.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_results::store::{Writer, set_tag};

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn aged(path: &Path, days: u32) {
        let file = std::fs::File::options().append(true).open(path).unwrap();
        file.set_modified(now() - DAY * days).unwrap();
    }

    #[test]
    fn the_oldest_go_and_nothing_with_a_tag_or_of_others() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        for (name, days) in [("a", 100), ("b", 99), ("c", 5), ("d", 4), ("e", 0)] {
            let path = at(&format!("{name}.leadline"));
            Writer::create(&path).unwrap().finish().unwrap();
            if name == "b" {
                set_tag(&path, Some("baseline")).unwrap();
            }
            aged(&path, days);
        }
        std::fs::write(at("notes.leadline"), "no run file").unwrap();
        aged(&at("notes.leadline"), 400);
        std::fs::write(at("x.html"), "a page").unwrap();
        aged(&at("x.html"), 400);
        let left = || {
            let entries = std::fs::read_dir(place.path()).unwrap().flatten();
            let mut names: Vec<_> = entries
                .map(|e| e.file_name().into_string().unwrap())
                .collect();
            names.sort();
            names.join(" ")
        };
        let most = |bytes| Limits {
            bytes,
            age: DAY * 90,
        };
        prune_in(place.path(), now(), &most(1 << 30));
        let old = "b.leadline c.leadline d.leadline e.leadline notes.leadline x.html";
        assert_eq!(left(), old);
        // No room: all but the tagged, the fresh and what is no run.
        prune_in(place.path(), now(), &most(1));
        assert_eq!(left(), "b.leadline e.leadline notes.leadline x.html");
    }
}
