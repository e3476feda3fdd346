//! The survey knows its own files by their mark and lock, and writes over no others.

use crate::support::{FileSystem, Mount, Place, finish, now, or_skip, sleep_ms};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

const QUICKER: [&str; 6] = [
    "--quick",
    "--size=16m",
    "--time=50ms",
    "--engine=psync",
    "--buffered",
    "--depth=1",
];
const FIRST: &str = "leadline-survey.0.0";

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn survey(place: &Place, directory: &Path, more: &[&str]) -> crate::support::Done {
    std::fs::create_dir_all(directory).unwrap();
    let at = directory.display().to_string();
    finish(&mut place.leadline([&["measure", &at], &QUICKER[..], more].concat()))
}

/// A survey that works on its points, with its files laid out.
fn begun(place: &Place, directory: &Path, more: &[&str]) -> Child {
    std::fs::create_dir_all(directory).unwrap();
    let at = directory.display().to_string();
    let long = ["measure", &at, "--size=32m", "--time=20s", "--buffered"];
    let mut command = place.leadline([&long[..], more].concat());
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = now() + Duration::from_secs(30);
    let full = || std::fs::metadata(directory.join(FIRST)).is_ok_and(|m| m.len() == 32 << 20);
    while !full() && now() < until {
        sleep_ms(10);
    }
    assert!(full(), "{:?}", names(directory));
    child
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn hard_links_and_symbolic_links_are_not_written() {
    let place = Place::new();
    let d = place.join("d");
    std::fs::create_dir(&d).unwrap();
    let precious = place.file("precious", 16 << 20);
    let before = std::fs::read(&precious).unwrap();
    let same = || assert!(std::fs::read(&precious).unwrap() == before);
    std::fs::hard_link(&precious, d.join(FIRST)).unwrap();
    let done = survey(&place, &d, &[]);
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(done.stderr.contains("2 names (hard links)"), "{done:?}");
    same();
    std::fs::remove_file(d.join(FIRST)).unwrap();
    std::os::unix::fs::symlink(&precious, d.join(FIRST)).unwrap();
    let done = survey(&place, &d, &[]);
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(done.stderr.contains("symbolic link"), "{done:?}");
    same();
    // Its own with a second name is not its own alone.
    std::fs::remove_file(d.join(FIRST)).unwrap();
    assert_eq!(survey(&place, &d, &["--keep"]).code, Some(0));
    std::fs::hard_link(d.join(FIRST), place.join("second")).unwrap();
    let done = survey(&place, &d, &[]);
    assert_eq!(done.code, Some(4), "{done:?}");
}

#[test]
fn a_second_survey_in_a_folder_is_refused() {
    let place = Place::new();
    let d = place.join("d");
    let first = begun(&place, &d, &["--out=first"]);
    // As a block is found that is half written: whose the file is cannot be seen by what it holds.
    let torn = OpenOptions::new().write(true).open(d.join(FIRST)).unwrap();
    torn.write_all_at(&[7; 4096], 0).unwrap();
    let done = survey(&place, &d, &[]);
    kill(first);
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(
        done.stderr.contains("another survey is running in"),
        "{done:?}"
    );
}

fn left_by_a_killed_survey_is_used_and_removed(place: &Place, d: &Path) {
    kill(begun(place, d, &["--jobs=2", "--out=killed"]));
    assert!(names(d).iter().any(|name| name == FIRST), "{:?}", names(d));
    let done = survey(place, d, &["--out=next"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    // Those that are used and those that are not.
    let left: Vec<PathBuf> = std::fs::read_dir(d)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_a_killed_survey_left_is_used_and_removed_by_the_next() {
    let place = Place::new();
    left_by_a_killed_survey_is_used_and_removed(&place, &place.join("d"));
}

#[test]
fn where_files_have_no_attributes_a_note_beside_them_says_whose_they_are() {
    let place = Place::new();
    let mount = Mount::start(&[]);
    let Some(mount) = or_skip("honesty::survey_notes", mount) else {
        return;
    };
    let d = mount.path("");
    kill(begun(&place, &d, &["--out=noted"]));
    let note = format!("{FIRST}.own");
    assert_eq!(names(&d), [FIRST, &note]);
    // A note of another file says nothing of this one.
    let text = std::fs::read_to_string(d.join(&note)).unwrap();
    std::fs::write(d.join(&note), text.replace("inode ", "inode 9")).unwrap();
    let done = survey(&place, &d, &[]);
    assert_eq!(done.code, Some(4), "{done:?}");
    std::fs::write(d.join(&note), text).unwrap();
    left_by_a_killed_survey_is_used_and_removed(&place, &d);
}

#[test]
fn a_survey_without_room_takes_nothing_away() {
    let place = Place::new();
    let Some(small) = or_skip("honesty::survey_own_room", FileSystem::of("24m")) else {
        return;
    };
    assert_eq!(survey(&place, small.path(), &["--keep"]).code, Some(0));
    assert_eq!(names(small.path())[0], FIRST);
    // What is there of its own counts as there.
    let done = survey(&place, small.path(), &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(names(small.path()), [""; 0]);
}

#[test]
fn a_survey_file_that_was_copied_over_is_no_longer_the_surveys() {
    let place = Place::new();
    let mine = place.file("mine", 16 << 20);
    let before = std::fs::read(&mine).unwrap();
    for (number, is_killed) in [true, false].into_iter().enumerate() {
        let d = place.join(&format!("d{number}"));
        if is_killed {
            kill(begun(&place, &d, &["--out=killed"]));
        } else {
            assert_eq!(survey(&place, &d, &["--keep"]).code, Some(0));
        }
        std::fs::copy(&mine, d.join(FIRST)).unwrap();
        let done = survey(&place, &d, &[]);
        assert_eq!(done.code, Some(4), "{done:?}");
        assert!(done.stderr.contains("changed after the survey"), "{done:?}");
        assert!(std::fs::read(d.join(FIRST)).unwrap() == before);
        // Nor is it swept away as one that is not used.
        std::fs::rename(d.join(FIRST), d.join("leadline-survey.7.0")).unwrap();
        let done = survey(&place, &d, &[]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(names(&d), ["leadline-survey.7.0"]);
    }
}
