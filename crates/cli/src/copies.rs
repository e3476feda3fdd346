//! The copies of the program that a host keeps: which of them still have a use.
//!
//! Belongs here: what an agent does with the directory that it was started from, when that is one of those
//! that the far script fills ([`leadline_fleet::launch::far_script`]). Must never: touch a file that is not named as a
//! copy is, or remove one that runs.

use leadline_engine::os::kinds::{FileId, identity};
use leadline_engine::os::programs::running;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(86_400);

/// A copy that was not used for this long is removed.
pub(crate) const UNUSED: Duration = Duration::from_secs(30 * 86_400);

/// This many are kept; of more, those go that were used longest ago, and not in the last day.
pub(crate) const KEPT: usize = 8;

/// Notes that the copy at `own` is in use now, and removes those beside it that are no longer used; how many
/// went. Does nothing when `own` is no copy of ours, such as an installed program.
#[must_use]
pub(crate) fn look_after(own: &Path, wall_ms: u64) -> usize {
    let Some(directory) = own.parent().filter(|d| is_cache(d)) else {
        return 0;
    };
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(wall_ms);
    if !own
        .file_name()
        .is_some_and(|n| is_build(&n.to_string_lossy()))
    {
        return 0;
    }
    // Not by the time of the last read, which file systems may not keep. It is allowed to the owner alone;
    // for another's copy there is nothing to look after.
    if File::open(own).and_then(|f| f.set_modified(now)).is_err() {
        return 0;
    }
    let mut gone = useless(directory, own, now);
    if gone.is_empty() {
        return 0;
    }
    let Some(running) = running() else {
        // Who cannot see what runs removes nothing.
        return 0;
    };
    gone.retain(|(_, identity)| !running.contains(identity));
    let removed = gone
        .iter()
        .filter(|(path, _)| fs::remove_file(path).is_ok());
    removed.count()
}

/// The directories of the far script are called so.
fn is_cache(directory: &Path) -> bool {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    name == "leadline" || name.starts_with("leadline-")
}

/// Whether a file is named as a copy is: by the hash of its content.
fn is_build(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether it is named as a copy is while it comes in: the hash, a process and a host.
fn is_half(name: &str) -> bool {
    name.split_once('.').is_some_and(|(hash, rest)| {
        is_build(hash) && rest.bytes().all(|b| b == b'.' || b.is_ascii_digit())
    })
}

/// What was not used for long, apart from `own`.
fn useless(directory: &Path, own: &Path, now: SystemTime) -> Vec<(PathBuf, FileId)> {
    let mut builds = Vec::new();
    let mut gone = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let Ok(about) = entry.metadata() else {
            continue;
        };
        let Ok(used) = about.modified() else { continue };
        // One from the future is of a host whose clock is ahead: used just now.
        let age = now.duration_since(used).unwrap_or_default();
        if !about.is_file() || path == own {
            continue;
        }
        let name = name.to_string_lossy();
        if is_build(&name) {
            builds.push((age, path, identity(&about)));
        } else if is_half(&name) && age >= DAY {
            gone.push((path, identity(&about)));
        }
    }
    builds.sort();
    for (number, (age, path, identity)) in builds.into_iter().enumerate() {
        // Its own is one of those that are kept.
        if age >= UNUSED || number + 1 >= KEPT && age >= DAY {
            gone.push((path, identity));
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 1_800_000_000_000;

    fn name(number: u64) -> String {
        format!("{number:032x}")
    }

    /// A directory of copies; gone when dropped.
    struct Cache(PathBuf);

    impl Cache {
        fn new(tag: &str) -> Self {
            let own = format!("leadline-test-{tag}-{}", std::process::id());
            let directory = std::env::temp_dir().join(own);
            fs::create_dir(&directory).unwrap();
            Self(directory)
        }

        /// A file last used this number of days ago.
        fn file(&self, name: &str, days: u64) -> PathBuf {
            let path = self.0.join(name);
            let file = File::create(&path).unwrap();
            let now = SystemTime::UNIX_EPOCH + Duration::from_millis(NOW_MS);
            file.set_modified(now - DAY * u32::try_from(days).unwrap())
                .unwrap();
            path
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap().flatten();
            let mut names: Vec<String> = entries
                .map(|e| e.file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Cache {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_copy_without_use_for_a_month_goes_and_what_is_not_ours_stays() {
        let cache = Cache::new("month");
        let own = cache.file(&name(1), 400);
        for (file, days) in [
            (name(2), 29),
            (name(3), 31),
            (format!("{}.123.4", name(4)), 0),
            (format!("{}.123.4", name(5)), 2),
            (format!("{}.tar", name(6)), 400),
            ("notes".to_owned(), 400),
            (name(0xabc).to_uppercase(), 400),
        ] {
            cache.file(&file, days);
        }
        fs::create_dir(cache.0.join(name(7))).unwrap();
        assert_eq!(look_after(&own, NOW_MS), 2);
        let mut left = vec![
            name(1),
            name(2),
            format!("{}.123.4", name(4)),
            format!("{}.tar", name(6)),
            "notes".to_owned(),
            name(0xabc).to_uppercase(),
            name(7),
        ];
        left.sort();
        assert_eq!(cache.names(), left);
        let used = fs::metadata(&own).unwrap().modified().unwrap();
        assert_eq!(
            used.duration_since(SystemTime::UNIX_EPOCH).unwrap(),
            Duration::from_millis(NOW_MS),
            "its use is noted"
        );
    }

    #[test]
    fn of_many_copies_the_latest_are_kept_and_those_of_today() {
        let cache = Cache::new("many");
        let own = cache.file(&name(1), 0);
        let days = [0, 0, 0, 1, 2, 3, 4, 5, 6, 7];
        for (number, days) in (2..).zip(days) {
            cache.file(&name(number), days);
        }
        assert_eq!(look_after(&own, NOW_MS), 3);
        assert_eq!(cache.names(), (1..=8).map(name).collect::<Vec<_>>());
        for number in 20..40 {
            cache.file(&name(number), 0);
        }
        assert_eq!(look_after(&own, NOW_MS), 4, "none of today");
    }

    #[test]
    fn what_runs_is_kept_and_an_installed_program_is_left_alone() {
        let cache = Cache::new("runs");
        let own = cache.file(&name(1), 0);
        let sleeper = cache.0.join(name(2));
        fs::copy("/bin/sleep", &sleeper).unwrap();
        let mut child = std::process::Command::new(&sleeper)
            .arg("60")
            .spawn()
            .unwrap();
        let later = NOW_MS + 1_000 * 86_400_000;
        assert_eq!(look_after(&own, later), 0, "it runs");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(look_after(&own, later), 1);
        cache.file(&name(3), 400);
        assert_eq!(look_after(&cache.file("leadline", 0), NOW_MS), 0);
        let elsewhere = cache.0.join("bin");
        fs::create_dir(&elsewhere).unwrap();
        fs::copy(&own, elsewhere.join(name(1))).unwrap();
        assert_eq!(look_after(&elsewhere.join(name(1)), NOW_MS), 0);
        assert_eq!(cache.names().len(), 4);
    }
}
