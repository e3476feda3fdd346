//! Hosts that fail in their own ways: a disk that fills, descriptors that run out, a program that hangs.

use super::processes::{agents_of, at_work, ios, job, words};
use crate::support::{Done, FileSystem, Place, Running, finish, or_skip};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Three hosts, the second with these words.
fn hosts(place: &Place, second: &str) -> String {
    let text = format!("a here launcher=local\nb here {second}\nc here launcher=local\n");
    std::fs::write(place.join("hosts"), text).unwrap();
    "--hosts=./hosts".to_owned()
}

/// A job of four seconds in a few files of `size`, with intervals of a minute: what is
/// wrong must be reported at once all the same.
fn job_with_long_intervals(place: &Place, hosts: &str, size: &str, rw: &str) -> Vec<String> {
    let directory = place.join("d");
    std::fs::create_dir_all(&directory).unwrap();
    let mut job = job(hosts, &directory, "4");
    job.retain(|w| {
        !["--size", "--rw", "--rate_iops", "--bwavgtime"]
            .iter()
            .any(|o| w.starts_with(o))
    });
    let own = [
        &format!("--size={size}"),
        &format!("--rw={rw}"),
        "--rate_iops=1000",
        "--fallocate=none",
        "--bwavgtime=60000",
    ];
    job.extend(own.map(str::to_owned));
    job
}

/// Runs it with and without `--accept-lost-hosts`; without, the exit code is 1, with it as given.
fn both_ways(place: &Place, job: &[String], code: i32, check: &dyn Fn(&Done)) {
    for (accepted, code) in [(None, 1), (Some("--accept-lost-hosts"), code)] {
        let mut words = words(job);
        words.extend(accepted);
        let done = finish(&mut place.fio(&words));
        assert_eq!(done.code, Some(code), "{done:?}");
        check(&done);
    }
}

/// What the report says of the hosts.
fn report_text(place: &Place) -> String {
    let done = finish(&mut place.leadline(["report", "--text", "run.leadline"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    // Lines are cut to the width: sentences are read as words.
    done.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Seconds in `text` after `before`.
fn seconds_after(text: &str, before: &str) -> f64 {
    let rest = text
        .split_once(before)
        .unwrap_or_else(|| panic!("no {before:?} in {text}"))
        .1;
    let mut words = rest.split_whitespace();
    let number: f64 = words.next().unwrap().parse().unwrap();
    match words.next().unwrap().trim_end_matches([':', '.', ';']) {
        "s" => number,
        "ms" => number / 1000.0,
        other => panic!("{other}: {rest}"),
    }
}

/// What a hosts file says of a host whose targets are on a file system of its own.
fn targets_on(place: &Place, own: &FileSystem) -> String {
    format!(
        "launcher=local path={}:{}",
        place.join("d").display(),
        own.path().display()
    )
}

#[test]
fn a_host_whose_disk_fills_is_named_at_once_and_not_counted() {
    let place = Place::new();
    let Some(small) = or_skip("fleet::disk_fills", FileSystem::of("6m")) else {
        return;
    };
    let hosts = hosts(&place, &targets_on(&place, &small));
    // Room for a second and a half; by its time it could end before, and so it is not refused.
    let mut job = job_with_long_intervals(&place, &hosts, "64m", "write");
    job.push("--runtime=60".to_owned());
    both_ways(&place, &job, 1, &|done| {
        let said = "host b stopped with an error ";
        let at = seconds_after(&done.stderr, said);
        assert!((1.0..4.5).contains(&at), "{at}: {done:?}");
        assert!(done.stderr.contains("No space left on device"), "{done:?}");
        assert!(done.stderr.contains("cover 2 of 3 hosts"), "{done:?}");
        assert!(place.findings().contains(&"host-failed".to_owned()));
        let each = ios(&place.kept(), 3);
        assert!(
            each[0] >= 2500 && each[2] >= 2500,
            "the rest finished: {each:?}"
        );
        assert_eq!(each[1], 1536, "what it wrote stands");
        let report = report_text(&place);
        assert!(report.contains("The totals cover 2 of 3 hosts"), "{report}");
        assert!(report.contains("stopped at"), "{report}");
        assert!(
            seconds_after(&report, "figures cover the ") > 3.0,
            "{report}"
        );
        std::fs::remove_file(small.path().join("b.a.0.0")).unwrap();
    });
}

/// Runs it without `--accept-lost-hosts`, where nothing is begun on any host, and with it, where the others run.
fn refused_or_without(place: &Place, job: &[String], check: &dyn Fn(&Done)) {
    let made = || std::fs::read_dir(place.join("d")).unwrap().count();
    let mut words = words(job);
    let done = finish(&mut place.fio(&words));
    assert_eq!(done.code, Some(1), "{done:?}");
    check(&done);
    assert!(
        done.stderr.contains("nothing was started on any host"),
        "{done:?}"
    );
    assert_eq!(made(), 0, "{done:?}");
    words.push("--accept-lost-hosts");
    let done = finish(&mut place.fio(&words));
    assert_eq!(done.code, Some(0), "{done:?}");
    check(&done);
    assert!(
        seconds_after(&done.stderr, "b was lost after ") < 10.0,
        "{done:?}"
    );
    assert!(report_text(place).contains("The totals cover 2 of 3 hosts"));
}

#[test]
fn a_host_whose_disk_is_too_small_to_begin_with_is_refused_before_anything_is_made() {
    let place = Place::new();
    let Some(small) = or_skip("fleet::disk_small", FileSystem::of("2m")) else {
        return;
    };
    let hosts = hosts(&place, &targets_on(&place, &small));
    let job = job_with_long_intervals(&place, &hosts, "4m", "randread");
    refused_or_without(&place, &job, &|done| {
        assert!(done.stderr.contains("which has 2 MiB free"), "{done:?}");
        let left = std::fs::read_dir(small.path()).unwrap().count();
        assert_eq!(left, 0, "nothing is left on it");
    });
    let each = ios(&place.kept(), 3);
    assert!(
        each[0] >= 2500 && each[1] == 0 && each[2] >= 2500,
        "{each:?}"
    );
}

/// A launcher that allows so few descriptors.
fn few_descriptors(path: &Path, number: u32) {
    let script = format!("#!/bin/sh\nshift\nulimit -n {number}\nexec \"$@\"\n");
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_host_that_runs_out_of_descriptors_is_named_and_the_rest_runs() {
    let place = Place::new();
    let launcher = place.join("few");
    let hosts = hosts(
        &place,
        &format!("launcher=\"{} {{host}}\"", launcher.display()),
    );
    let mut job = job_with_long_intervals(&place, &hosts, "4m", "randread");
    job.extend(["--nrfiles=16".to_owned(), "--runtime=1".to_owned()]);
    // Too few for the files: it says so before anything is made.
    few_descriptors(&launcher, 24);
    refused_or_without(&place, &job, &|done| {
        assert!(done.stderr.contains("this process may open 24"), "{done:?}");
    });
    // Too few for the agent itself, which is lost whatever the plan.
    few_descriptors(&launcher, 4);
    let words = words(&job);
    let mut command = place.fio(&words);
    let done = finish(command.env("XDG_CACHE_HOME", place.join("cache")));
    assert_eq!(done.code, Some(1), "{done:?}");
    let at = seconds_after(&done.stderr, "b was lost after ");
    assert!(at < 10.0, "{done:?}");
    let each = ios(&place.kept(), 3);
    assert!(each[0] >= 500 && each[1] == 0 && each[2] >= 500, "{each:?}");
    assert!(report_text(&place).contains("The totals cover 2 of 3 hosts"));
}

#[test]
fn a_host_that_hangs_is_lost_within_ten_seconds_and_not_counted() {
    let place = Place::new();
    let job = job("--hosts=local:a,local:b,local:c", place.path(), "13");
    let running = Running::start(&mut place.fio(&words(&job)));
    at_work(&running, &place, 3);
    let agents = agents_of(&place);
    assert_eq!(agents.len(), 3);
    let victim = Pid::from_raw(i32::try_from(agents[1]).unwrap()).unwrap();
    kill_process(victim, Signal::STOP).unwrap();
    let done = running.finish();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stderr.contains("no message from it for 9.00 s"),
        "{done:?}"
    );
    let at = seconds_after(&done.stderr, "was lost after ");
    // The others do not wait for it: it was stopped in the first seconds.
    assert!((9.0..20.0).contains(&at), "{at}: {done:?}");
    let report = report_text(&place);
    assert!(report.contains("The totals cover 2 of 3 hosts"), "{report}");
    let each = ios(&place.kept(), 3);
    let whole = each.iter().filter(|&&n| n > 18_000).count();
    assert_eq!(whole, 2, "{each:?}");
    // The agent was killed with the line to it.
    assert!(!super::processes::is_there(agents[1]));
}
