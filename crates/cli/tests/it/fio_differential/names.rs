//! Other ways to the same thing: leadline by the name of fio, the plan without the run, the report
//! after the run.

use super::pair::{JOB_FILE, Job, at, has_fio, jobs, ours, read, together};
use crate::support::{Done, LEADLINE, Place, finish};
use leadline_testkit::json_shape as shape;
use std::os::unix::fs::symlink;
use std::process::Command;

const WORDS: [&str; 5] = [
    "--output-format=json",
    "--name=a",
    "--rw=randrw",
    "--size=1m",
    "--fsync=16",
];

fn good(done: Done) -> Done {
    assert_eq!(done.code, Some(0), "{done:?}");
    done
}

#[test]
fn leadline_called_fio_is_fio() {
    let place = Place::new();
    symlink(LEADLINE, place.join("fio")).unwrap();
    let called = |words: &[&str]| {
        let mut command = Command::new(place.join("fio"));
        command.args(words).current_dir(place.path());
        finish(command.env("XDG_STATE_HOME", place.join("state")))
    };
    assert!(good(called(&["--version"])).stdout.starts_with("fio-"));
    let by_name = good(called(&[&WORDS[..], &["--leadline-run=none"]].concat()));
    let words = [&WORDS[..], &["--leadline-run=none"]].concat();
    let by_verb = good(finish(&mut place.leadline([&["fio"], &words[..]].concat())));
    assert_eq!(shape(&read(&by_name.stdout)), shape(&read(&by_verb.stdout)));
    // fio's own code for what it cannot read, not that of leadline's verbs.
    assert_eq!(called(&["--name=a", "--rw=sideways"]).code, Some(1));
    assert_eq!(
        called(&["measure", "demo"]).code,
        Some(1),
        "verbs are no job files"
    );
}

/// A section's own `name` is that of its first job; the others, and the files, go by the section.
#[test]
fn clones_are_called_as_by_fio() {
    let test = "fio_differential::names::clones";
    if !has_fio(test) {
        return;
    }
    for file in [
        "[section]\nname=own\nnumjobs=3\nsize=64k\n",
        "[global]\nname=of-all\n[section]\nnumjobs=2\nsize=64k\n",
        "[one]\nname=own\nsize=64k\n[two]\nname=own\nnumjobs=2\nsize=64k\n",
        "[section]\nname=own\nnumjobs=2\ngroup_reporting\nsize=64k\n",
        "[section]\nname=own\nnumjobs=2\ncreate_only=1\nsize=64k\n",
        "[section]\nname=own\nnumjobs=2\nfilename_format=$jobname.$jobnum\nsize=64k\n",
    ] {
        let pair = together(Job {
            words: &[JOB_FILE, "--output-format=json"],
            file: Some(file),
        });
        let [fio, ours] = pair.values().map(|value| {
            let name = |job| format!("{:?}", at(job, &["jobname"]));
            jobs(&value).iter().map(name).collect::<Vec<_>>()
        });
        assert_eq!(fio, ours, "{file}");
    }
}

#[test]
fn the_plan_of_a_job_is_shown_without_running_it() {
    let place = Place::new();
    let plan =
        |words: &[&str]| finish(&mut place.leadline([&["plan", "--json", "fio"], words].concat()));
    let shown = good(plan(&WORDS)).json();
    assert_eq!(shown["stages"][0]["workloads"][0]["name"], "a", "{shown}");
    assert!(!place.join("a.0.0").exists(), "nothing is created");
    let refused = plan(&["--name=a", "--rw=sideways"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(refused.stdout, "");
    assert!(refused.stderr.contains("sideways"), "{refused:?}");
}

#[test]
fn the_kept_run_gives_what_was_printed() {
    for (format, shape) in [
        ("json", "fio-json"),
        ("json+", "fio-json-plus"),
        ("normal", "fio"),
    ] {
        let place = Place::new();
        let format = format!("--output-format={format}");
        let words = [&[&format[..]], &WORDS[1..]].concat();
        let printed = good(finish(&mut ours(&place, Job::line(&words))));
        let report = place.leadline(["report", "run.leadline", "--as", shape]);
        let shown = good(finish(&mut { report }));
        assert_eq!(shown.stdout, printed.stdout);
    }
}
