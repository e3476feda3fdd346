//! A survey that is taken up for the experiment that would decide.

use crate::support::{Done, Place, finish};
use leadline_results::store;
use serde_json::Value;

fn run(place: &Place, words: &[&str]) -> Done {
    finish(&mut place.leadline(words))
}

fn surveyed(place: &Place, law: &str) -> Done {
    let target = format!("sim:{law}");
    let words = [
        "measure", "--quick", "--seed", "1", "--json", "--out", "m", &target,
    ];
    let done = run(place, &words);
    assert_eq!(done.code, Some(0), "{law}: {done:?}");
    done
}

/// A survey that left open whether a cache holds the set, taken up: the larger set shows the cache.
fn the_cache_is_shown(place: &Place, before: &Value) -> Value {
    let limit = &before["verdict"]["limit"];
    assert_eq!(limit["certainty"], "unknown", "{limit}");
    assert_eq!(limit["decides"], "larger-set", "{limit}");
    let done = run(place, &["confirm", "m.leadline", "--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let after = done.json();
    let limit = &after["verdict"]["limit"];
    assert_eq!(limit["kind"], "cache", "{limit}");
    assert!(limit["decides"].is_null(), "{limit}");
    after
}

/// A set that a cache may hold as a whole: one four times as large shows it, beside all that was measured before.
#[test]
fn a_larger_set_shows_the_cache_that_the_survey_left_possible() {
    let place = Place::new();
    let before = surveyed(&place, "service=8ms,parallel=16,cache=512m:2ms").json();
    let after = the_cache_is_shown(&place, &before);
    let limit = &after["verdict"]["limit"];
    let evidence = limit["evidence"].as_array().unwrap();
    let named = |part: &str| {
        evidence
            .iter()
            .any(|e| e.as_str().unwrap().starts_with(part))
    };
    assert!(named("depth/") && named("larger"), "{limit}");
    // The old run is in the new one as it was, and what is new follows it in time.
    let old = store::open(&place.join("m.leadline")).unwrap();
    let new = store::open(&place.join("m-confirmed.leadline")).unwrap();
    let count = old.stages.len();
    assert_eq!(new.stages[..count], old.stages[..]);
    assert_eq!(new.stages.len(), count + 2);
    assert!(new.stages[count].start >= old.length);
    assert!(
        new.findings
            .iter()
            .any(|f| f.code == "device-starts-afresh")
    );
    assert!(place.join("m-confirmed.html").exists());
}

/// A number at once without a cache: the larger set reads as fast, which is what is said of it, and nothing is left to decide.
#[test]
fn a_larger_set_that_reads_as_fast_leaves_no_experiment() {
    let place = Place::new();
    let before = surveyed(&place, "service=1ms,parallel=6").json();
    let limit = &before["verdict"]["limit"];
    assert_eq!(limit["decides"], "larger-set", "{limit}");
    let done = run(&place, &["confirm", "m.leadline", "--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let after = done.json();
    let limit = &after["verdict"]["limit"];
    assert_eq!(limit["kind"], "parallelism", "{limit}");
    assert!(limit["decides"].is_null(), "{limit}");
    let words = after["verdict"]["sentences"].to_string();
    assert!(words.contains("not read before is read as fast"), "{words}");
    assert!(!words.contains("even faster"), "{words}");
}

/// Of three hosts, all take part in what decides, and the survey of before is beside it as it was.
#[test]
fn several_hosts_take_their_survey_up_together() {
    let place = Place::new();
    let law = "sim:service=8ms,parallel=16,cache=512m:2ms";
    let words = [
        "measure", "--quick", "--seed", "1", "--json", "--out", "m", "--hosts", "h1,h2,h3", law,
    ];
    let before = run(&place, &words);
    assert_eq!(before.code, Some(0), "{before:?}");
    let after = the_cache_is_shown(&place, &before.json());
    let stages = after["stages"].as_array().unwrap();
    let larger = stages.last().unwrap();
    assert!(
        larger["name"].as_str().unwrap().starts_with("larger"),
        "{larger}"
    );
    for stage in stages {
        let ios = |host: &serde_json::Value| host["figures"]["data"]["ios"].as_u64().unwrap();
        let of_hosts: Vec<u64> = stage["hosts"].as_array().unwrap().iter().map(ios).collect();
        assert!(
            of_hosts.len() == 3 && of_hosts.iter().all(|ios| *ios > 0),
            "{}: {of_hosts:?}",
            stage["name"]
        );
    }
    let old = store::open(&place.join("m.leadline")).unwrap();
    let new = store::open(&place.join("m-confirmed.leadline")).unwrap();
    assert_eq!(new.stages[..old.stages.len()], old.stages[..]);
}

/// What confirm measures again is one host alone: what the survey's block sizes excluded of its limit stays so.
#[test]
fn confirm_leaves_no_cause_possible_that_the_survey_excluded() {
    let place = Place::new();
    let law = "sim:size=64g,service=lognormal:2ms:1,parallel=64,bytes=15m,host_bytes=5200k";
    let words = [
        "measure", "--quick", "--seed", "1", "--json", "--out", "m", "--hosts", "a,b,c", law,
    ];
    let before = run(&place, &words);
    assert_eq!(before.code, Some(0), "{before:?}");
    let before = before.json()["verdict"]["limit"].clone();
    assert_eq!(before["decides"], "one-host", "{before}");
    let after = run(&place, &["confirm", "m.leadline", "--json"]);
    assert_eq!(after.code, Some(0), "{after:?}");
    let after = after.json()["verdict"]["limit"].clone();
    let causes = |limit: &Value| {
        [&limit["possible"], &limit["one_host"]["of_each"]]
            .map(|list| list.as_array().unwrap().clone())
    };
    for (before, after) in causes(&before).iter().zip(causes(&after)) {
        assert!(
            after.iter().all(|cause| before.contains(cause)),
            "{before:?} {after:?}"
        );
    }
    assert_eq!(
        after["one_host"]["of_each"],
        serde_json::json!(["byte-cap"]),
        "{after}"
    );
}

#[test]
fn what_cannot_be_taken_up_is_refused_in_words() {
    let place = Place::new();
    surveyed(&place, "size=64g,service=500us,parallel=128,iops=20000");
    let refused = |words: &[&str], code: i32, part: &str| {
        let done = run(&place, words);
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        assert!(done.stderr.contains(part), "{words:?}: {done:?}");
        assert!(!place.join("m-confirmed.leadline").exists());
    };
    refused(
        &["confirm", "m.leadline"],
        2,
        "nothing left to decide. Bottleneck: probably a cap of 20,000",
    );
    // What one host cannot separate is not decided.
    let other = Place::new();
    surveyed(&other, "size=64g,service=500us,iops=2000");
    let done = run(&other, &["confirm", "m.leadline"]);
    let words = "no experiment from this host would decide. Bottleneck unknown";
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains(words), "{done:?}");
    let job = [
        "fio",
        "--leadline-run=f.leadline",
        "--name=j",
        "--filename=sim:iops=100",
        "--rw=randread",
        "--size=1m",
        "--bs=4k",
        "--io_size=64k",
    ];
    assert_eq!(run(&place, &job).code, Some(0));
    refused(&["confirm", "f.leadline"], 2, "not a survey");
    refused(&["confirm", "absent.leadline"], 2, "absent.leadline");
    // In a directory that was mounted somewhere, and is not any more.
    std::fs::create_dir_all(place.join("mnt/volume/d")).unwrap();
    let words = [
        "measure",
        "mnt/volume/d",
        "--quick",
        "--size=16m",
        "--time=50ms",
        "--out=d",
    ];
    assert_eq!(run(&place, &words).code, Some(0));
    std::fs::remove_dir_all(place.join("mnt/volume")).unwrap();
    refused(
        &["confirm", "d.leadline"],
        2,
        "its target is gone: there is no mnt/volume/d",
    );
}

/// A volume of 777 MiB has no room for a set four times as large: none is promised, and what would decide is said.
#[test]
fn no_experiment_is_promised_that_has_no_room() {
    let place = Place::new();
    let law = "sim:size=777m,service=1100us,parallel=5,cache=300m:80us";
    let words = ["measure", "--seed", "1", "--json", "--out", "m", law];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let verdict = &done.json()["verdict"];
    assert!(verdict["limit"]["decides"].is_null(), "{verdict}");
    let words = verdict["sentences"].to_string();
    assert!(words.contains("this volume has no room for it"), "{words}");
    assert!(!words.contains("leadline confirm"), "{words}");
    let done = run(&place, &["confirm", "m.leadline"]);
    assert_eq!(done.code, Some(2), "{done:?}");
}
