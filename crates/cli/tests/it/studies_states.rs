//! States of the system that a study is measured in: what their commands make, and what is left of them.

use crate::support::{Done, FileSystem, LoopDevice, Place, Running, finish, or_skip, sleep_ms};
use rustix::process::Signal;
use serde_json::Value;
use std::path::Path;

/// A short study of reads of 16 MiB in a directory that a link leads to; the states and what else is asked.
fn study(place: &Place, target: &str, more: &[&str]) -> Done {
    let usual = ["study", "arms", target, "--study", "iops", "--rw", "read"];
    let times = [
        "--time",
        "300ms",
        "--warmup",
        "0",
        "--dataset",
        "16m",
        "--out",
        "o",
        "--force",
        "--json",
    ];
    finish(&mut place.leadline([&usual[..], &times, &["--buffered"], more].concat()))
}

fn files_in(directory: &Path) -> usize {
    std::fs::read_dir(directory).unwrap().count()
}

/// Makes `one`, `two` and a link `now` to the first; what puts the link on each.
fn linked(place: &Place) -> [String; 2] {
    ["one", "two"].map(|name| {
        std::fs::create_dir(place.join(name)).unwrap();
        format!(
            "ln -sfn {} {}",
            place.join(name).display(),
            place.join("now").display()
        )
    })
}

/// What runs before a point is named by the options of a study.
#[test]
fn a_plan_names_the_commands_of_states() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    let study = ["plan", "study", "arms", "d", "--study", "iops"];
    let arms = ["--arm", "a", "--prepare", "true", "--undo", "true"];
    let more = ["--arm", "b", "--prepare", "true", "--dataset", "16m"];
    let done = finish(&mut place.leadline([&study[..], &arms, &more].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = "targets are checked after the commands before it (--prepare, --undo) have run";
    assert!(done.stderr.contains(said), "{done:?}");
    assert!(!done.stderr.contains("startcmd="), "{done:?}");
}

/// What a state has hidden is deleted when its undo has brought it back.
#[test]
fn files_that_a_state_hides_are_deleted_after_its_undo() {
    let place = Place::new();
    let [one, two] = linked(&place);
    std::os::unix::fs::symlink(place.join("one"), place.join("now")).unwrap();
    let arms = [
        "--arm",
        "as-it-is",
        "--arm",
        "linked",
        "--prepare",
        &two,
        "--undo",
        &one,
    ];
    let done = study(&place, "now", &arms);
    assert_eq!(done.code, Some(0), "{done:?}");
    let left = ["one", "two"].map(|name| files_in(&place.join(name)));
    assert_eq!(left, [0, 0], "{done:?}");
    assert!(!done.stdout.contains("file-not-deleted"), "{done:?}");
}

/// What cannot be reached any more is named; so it is where a later state is never made.
#[test]
fn a_file_that_no_state_brings_back_is_named() {
    let place = Place::new();
    let [one, two] = linked(&place);
    let undo = format!("rm {}", place.join("now").display());
    for second in [two.as_str(), "false"] {
        let arms = [
            "--arm",
            "a",
            "--prepare",
            &one,
            "--undo",
            &undo,
            "--arm",
            "b",
            "--prepare",
            second,
            "--undo",
            &undo,
        ];
        let done = study(&place, "now", &arms);
        let failed = second == "false";
        assert_eq!(done.code, Some(if failed { 3 } else { 0 }), "{done:?}");
        let result: Value = serde_json::from_str(&done.stdout).unwrap();
        let findings = result["findings"].as_array().unwrap();
        let named = findings
            .iter()
            .find(|finding| finding["code"] == "file-not-deleted")
            .unwrap_or_else(|| panic!("{result}"));
        let text = named["text"].as_str().unwrap();
        assert!(text.contains("now/leadline-study.0"), "{text}");
        assert_eq!(files_in(&place.join("one")), 1);
        assert_eq!(files_in(&place.join("two")), 0);
    }
    // Measured there again it is taken up, and deleted.
    let words = [
        "study",
        "iops",
        "one",
        "--quick",
        "--rw",
        "read",
        "--dataset",
        "16m",
        "--buffered",
        "--out",
        "again",
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(files_in(&place.join("one")), 0);
}

/// A directory that a prepare was to make or mount, and did not: measured would be the disk below.
#[test]
fn a_state_without_its_directory_is_not_measured() {
    let place = Place::new();
    let undone = place.join("undone").display().to_string();
    let undo = format!("touch {undone}");
    let arms = [
        "--arm",
        "a",
        "--prepare",
        "true",
        "--undo",
        &undo,
        "--arm",
        "b",
    ];
    let b = ["--target", "."];
    let done = study(&place, "nowhere/deep", &[&arms[..], &b].concat());
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(
        done.stderr
            .contains("after --prepare of a, there is no directory nowhere/deep"),
        "{done:?}"
    );
    assert!(place.join("undone").exists(), "{done:?}");
    assert!(!place.join("nowhere").exists(), "it was made");
    // A state that no command makes is refused before anything is run.
    let arms = ["--arm", "a", "--arm", "b", "--prepare", &undo];
    std::fs::remove_file(&undone).unwrap();
    let done = study(&place, "nowhere", &arms);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(
        done.stderr.contains("nowhere: there is no such"),
        "{done:?}"
    );
    assert!(!place.join("undone").exists(), "a command was run");
}

/// The state of a run that took up another may be there when that one is taken up again: every state is undone.
#[test]
fn all_states_are_undone_before_a_killed_study_goes_on() {
    let place = Place::new();
    let log = place.join("log");
    let say = |what: &str| format!("echo {what} >> {}", log.display());
    let said = || std::fs::read_to_string(&log).unwrap_or_default();
    let states: Vec<[String; 2]> = (0..4)
        .map(|n| [say(&format!("make-{n}")), say(&format!("undo-{n}"))])
        .collect();
    let mut words = vec![
        "study",
        "arms",
        ".",
        "--study",
        "iops",
        "--rw",
        "read",
        "--time",
        "1s",
        "--warmup",
        "0",
        "--dataset",
        "8m",
        "--depths",
        "1",
        "--buffered",
        "--seed",
        "1",
    ];
    for (name, [make, undo]) in ["a", "b", "c", "d"].iter().zip(&states) {
        words.extend(["--arm", *name, "--prepare", make, "--undo", undo]);
    }
    let first = [&words[..], &["--out", "first"]].concat();
    let running = Running::start(&mut place.leadline(first));
    while !running.has_ended() && said().is_empty() {
        sleep_ms(5);
    }
    running.signal(Signal::KILL);
    running.finish();
    let before = said();
    let again = [
        &words[..],
        &["--resume", "first.leadline", "--out", "again"],
    ]
    .concat();
    let done = finish(&mut place.leadline(again));
    assert_eq!(done.code, Some(0), "{done:?}");
    let after = said();
    let (cleared, _) = after
        .strip_prefix(&before)
        .unwrap()
        .split_once("make-")
        .unwrap();
    let undone = (0..4).filter(|n| cleared.contains(&format!("undo-{n}")));
    assert_eq!(undone.count(), 4, "{after}");
}

/// Two volumes with credits: rates and stores are compared, and what did not fall is said.
#[test]
fn states_of_a_burst_are_compared_by_rates_and_store() {
    let law = |iops: u32, store: u32| {
        format!("sim:size=64m,iops={iops},burst_iops=6000,burst_store={store},parallel=64")
    };
    let of = |first: &str, second: &str| {
        let place = Place::new();
        let words = [
            "study",
            "arms",
            "--study",
            "burst",
            "--rw",
            "read",
            "--time",
            "30s",
            "--rest",
            "60s",
            "--dataset",
            "64m",
            "--seed",
            "3",
            "--json",
            "--out",
            "o",
            "--arm",
            "one",
            "--target",
            first,
            "--arm",
            "two",
            "--target",
            second,
        ];
        let done = finish(&mut place.leadline(words));
        assert_eq!(done.code, Some(0), "{done:?}");
        let result: Value = serde_json::from_str(&done.stdout).unwrap();
        result["study"].clone()
    };
    let found = of(&law(1000, 50_000), &law(2000, 50_000));
    let said = found["sentences"][0].as_str().unwrap();
    assert!(
        said.starts_with("two against one: the higher rate is 6,000"),
        "{said}"
    );
    assert!(
        said.contains("the higher rate is 6,000 IOPS against 6,000: no difference shown"),
        "{said}"
    );
    assert!(
        said.contains("the lower rate is 2,000 IOPS against 1,000: higher (+100 %)"),
        "{said}"
    );
    assert!(said.contains("the bucket is"), "{said}");
    let table = &found["tables"][0];
    assert_eq!(table["title"], "Credits in each state", "{found}");
    assert_eq!(table["rows"].as_array().unwrap().len(), 2, "{table}");
    let steady = of(&law(1000, 50_000), "sim:size=64m,iops=6000,parallel=64");
    let said = steady["sentences"][0].as_str().unwrap();
    assert_eq!(
        said,
        "two against one: the rate did not fall, unlike in one."
    );
}

/// Two new file systems give the files that are made in them the same number: those of the first are named all the same.
#[test]
fn files_with_one_inode_number_in_two_file_systems_are_distinguished() {
    let device = || LoopDevice::of_size(64 << 20, &["mkfs.ext4", "-q"]);
    let both = device().and_then(|one| device().map(|two| [one, two]));
    let Some(devices) = or_skip("studies_states::two_file_systems", both) else {
        return;
    };
    let place = Place::new();
    let there = place.join("m");
    std::fs::create_dir(&there).unwrap();
    let at = there.display().to_string();
    let [one, two] = devices
        .each_ref()
        .map(|device| format!("mount {} {at}", device.path));
    let undo = format!("umount {at}");
    let arms = [
        "--arm",
        "a",
        "--prepare",
        &one,
        "--undo",
        &undo,
        "--arm",
        "b",
        "--prepare",
        &two,
        "--undo",
        &undo,
    ];
    let done = study(&place, "m", &arms);
    assert_eq!(done.code, Some(0), "{done:?}");
    let left = devices.each_ref().map(|device| {
        let inside = FileSystem::device(&device.path).unwrap();
        inside.path().join("leadline-study.0").exists()
    });
    assert_eq!(left, [true, false], "{done:?}");
    assert!(done.stdout.contains("file-not-deleted"), "{done:?}");
}
