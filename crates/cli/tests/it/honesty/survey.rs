//! The survey as a user has it: one command, a verdict, a report, a run file, and nothing left behind.

#[cfg(debug_assertions)]
use crate::support::simulated;
use crate::support::{FileSystem, LoopDevice, Mount, Place, finish, or_skip};
use std::path::Path;

const QUICK: [&str; 3] = ["--quick", "--size=64m", "--time=100ms"];

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_survey_leaves_a_verdict_and_no_files() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    std::fs::write(place.join("d/other"), "mine").unwrap();
    let args = [&["measure", "d", "--out=result"], &QUICK[..]].concat();
    let done = finish(&mut place.leadline(args));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(names(&place.join("d")), ["other"], "{done:?}");
    assert_eq!(std::fs::read(place.join("d/other")).unwrap(), b"mine");
    assert!(done.stdout.contains("\ngrade "), "{done:?}");
    assert!(done.stdout.contains("4 KiB random read"), "{done:?}");
    for part in ["latency/", "iops/", "throughput/", "mix/"] {
        assert!(done.stdout.contains(part), "no {part}: {done:?}");
    }
    let page = std::fs::read_to_string(place.join("result.html")).unwrap();
    assert!(page.contains("<svg"), "the report has charts");
    let run = leadline_results::store::open(&place.join("result.leadline")).unwrap();
    assert!(run.stages.len() >= 7, "{} stages", run.stages.len());
    let ios = |s: &leadline_results::run::StageRun| {
        let counts = s.samples.iter().map(|s| s.counts.data_ios());
        counts.sum::<u64>()
    };
    assert!(run.stages.iter().all(|stage| ios(stage) > 0));
}

#[test]
fn a_file_with_the_surveys_name_is_not_overwritten() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    let path = place.join("d/leadline-survey.0.0");
    std::fs::write(&path, "mine").unwrap();
    let quicker = ["--quick", "--size=16m", "--time=50ms"];
    let args = [&["measure", "d"], &quicker[..]].concat();
    let done = finish(&mut place.leadline(&args));
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(done.stderr.contains("leadline-survey.0.0"), "{done:?}");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    // Of the size that the survey would make, it is as little its own.
    std::fs::write(&path, vec![7; 16 << 20]).unwrap();
    let done = finish(&mut place.leadline(args));
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(
        done.stderr.contains("not marked as created by a survey"),
        "{done:?}"
    );
    assert!(std::fs::read(&path).unwrap().iter().all(|&byte| byte == 7));
    assert_eq!(names(&place.join("d")), ["leadline-survey.0.0"], "{done:?}");
}

#[cfg(debug_assertions)]
#[test]
fn a_survey_as_json_is_json_alone() {
    let place = Place::new();
    let args = [&["measure", "d", "--json", "--out=result"], &QUICK[..]].concat();
    let done = finish(&mut simulated(place.leadline(args), "service=100us"));
    assert_eq!(done.code, Some(0), "{done:?}");
    let json = done.json();
    let stages = json["stages"].as_array().unwrap();
    assert!(stages.len() >= 7, "{json}");
    // `state` has the note which run is the latest.
    assert_eq!(
        names(place.path()),
        ["result.html", "result.leadline", "state"]
    );
}

#[test]
fn a_survey_of_what_is_not_its_own_is_refused() {
    let place = Place::new();
    let file = place.file("precious", 1 << 20);
    let before = std::fs::read(&file).unwrap();
    let args = [&["measure", "precious"], &QUICK[..]].concat();
    let done = finish(&mut place.leadline(args));
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(done.stderr.contains("--destroy precious"), "{done:?}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(names(place.path()), ["precious"], "nothing was made");
    let disk = LoopDevice::over(&file);
    let Some(disk) = or_skip("honesty::survey_device", disk) else {
        return;
    };
    let args = [&["measure", &disk.path], &QUICK[..]].concat();
    let done = finish(&mut place.leadline(args));
    assert_eq!(done.code, Some(4), "{done:?}");
    drop(disk);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_survey_without_room_is_refused_and_leaves_nothing() {
    let place = Place::new();
    let Some(small) = or_skip("honesty::survey_room", FileSystem::of("4m")) else {
        return;
    };
    let at = small.path().display().to_string();
    let done = finish(&mut place.leadline([&["measure", &at], &QUICK[..]].concat()));
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(done.stderr.contains("4 MiB free"), "{done:?}");
    assert_eq!(names(small.path()), [""; 0]);
}

#[test]
fn a_survey_of_a_failing_device_says_so() {
    let place = Place::new();
    let mount = Mount::start(&["error read EIO every 500"]);
    let Some(mount) = or_skip("honesty::survey_errors", mount) else {
        return;
    };
    let at = mount.path("").display().to_string();
    let args = [
        "measure",
        &at,
        "--quick",
        "--size=16m",
        "--time=50ms",
        "--out=result",
    ];
    let done = finish(&mut place.leadline(args));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains("failed[io-errors]"), "{done:?}");
    let page = std::fs::read_to_string(place.join("result.html")).unwrap();
    assert!(
        page.contains("Input/output error"),
        "the report says it too"
    );
    // What the device did without errors is there.
    let run = leadline_results::store::open(&place.join("result.leadline")).unwrap();
    let ios = |name: &str| -> u64 {
        let plan = run.plan.as_ref().unwrap();
        let of = |stage: &&leadline_results::run::StageRun| {
            plan.stages[stage.stage as usize].name.contains(name)
        };
        let samples = run.stages.iter().filter(of).flat_map(|s| &s.samples);
        samples.map(|s| s.counts.data_ios()).sum()
    };
    assert!(ios("write") > 0 && ios("read") > 0);
}

#[test]
fn what_cannot_be_carried_through_is_refused_before_the_first_byte() {
    let place = Place::new();
    let cases: [(&[&str], i32, &str); 4] = [
        (&["new", "--bs=3"], 2, "is not a multiple of"),
        (&["new", "--bs=3000"], 2, "is not a multiple of"),
        (&["new", "--size=100000t"], 3, "which has"),
        (
            &["/dev/no-such-disk"],
            2,
            "there is no such directory, file or device",
        ),
    ];
    std::fs::create_dir(place.join("new")).unwrap();
    for (words, code, why) in cases {
        let done = finish(&mut place.leadline([&["measure"], words].concat()));
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        assert!(done.stderr.contains(why), "{words:?}: {done:?}");
        assert_eq!(names(place.path()), ["new"], "{words:?}: {done:?}");
        assert_eq!(names(&place.join("new")), [""; 0], "{words:?}: {done:?}");
        assert!(!Path::new(words[0]).exists(), "{words:?}");
    }
}

#[test]
fn a_later_job_that_cannot_work_is_refused_before_the_first_and_by_plan_too() {
    let place = Place::new();
    let first = [
        "--name=a",
        "--filename=made",
        "--rw=write",
        "--size=1m",
        "--bs=4k",
    ];
    let cases: [(&[&str], &str); 4] = [
        (&["--direct=1", "--bs=3000"], "is not a multiple of"),
        (
            &["--ioengine=psync", "--direct=1", "--atomic=1"],
            "psync has no atomic writes",
        ),
        (
            &["--ioengine=psync", "--direct=1", "--atomic=1"],
            "hint: turn it off (remove atomic, or ioengine=io_uring, or ioengine=libaio, or ioengine=pvsync2)",
        ),
        (
            &["--ioengine=io_uring", "--direct=0", "--hipri=1"],
            "polls for completions of direct",
        ),
    ];
    for (words, why) in cases {
        let later = [
            "--name=b",
            "--stonewall",
            "--filename=made",
            "--rw=write",
            "--size=1m",
        ];
        let job = [&first[..], &later[..], words].concat();
        let done = finish(&mut place.leadline([&["fio"], &job[..]].concat()));
        assert_ne!(done.code, Some(0), "{words:?}: {done:?}");
        assert!(!place.join("made").exists(), "{words:?}: {done:?}");
        let said = [done.stdout, done.stderr].concat();
        assert!(said.contains(why), "{words:?}: {said}");
        let planned = finish(&mut place.leadline([&["plan", "fio"], &job[..]].concat()));
        assert_eq!(planned.code, Some(2), "{words:?}: {planned:?}");
        assert!(planned.stderr.contains(why), "{words:?}: {planned:?}");
    }
}

#[test]
fn what_is_no_storage_is_not_surveyed_and_no_switch_is_named() {
    let place = Place::new();
    let done = finish(&mut place.leadline(["measure", "/dev/null"]));
    assert_eq!(done.code, Some(2), "{done:?}");
    let why = "/dev/null: neither a directory, a file nor a block device";
    assert!(done.stderr.contains(why), "{done:?}");
    assert!(!done.stderr.contains("--destroy"), "{done:?}");
}
