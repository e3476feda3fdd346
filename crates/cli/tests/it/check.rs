//! Checks of applications' limits, on simulated volumes in virtual time and in a directory.

use crate::support::{Done, Place, finish};
use leadline_testkit::schema::violations;
use serde_json::Value;

fn check(place: &Place, profile: &str, target: &str) -> (Done, Value) {
    let done = finish(&mut place.leadline(["check", profile, target, "--json"]));
    let value: Value = serde_json::from_str(&done.stdout).unwrap_or(Value::Null);
    (done, value)
}

/// A volume that meets each profile, and one that misses it: the law says by how much.
#[test]
fn each_profile_passes_on_a_volume_that_meets_it_and_fails_on_one_that_does_not() {
    let place = Place::new();
    let schema = finish(&mut place.leadline(["schema", "check"])).stdout;
    let schema = serde_json::from_str(&schema).unwrap();
    for (profile, meets, misses) in [
        // fdatasync within 10 ms at p99.
        ("etcd", "fsync=9ms", "fsync=11ms"),
        // Within 20 ms, and 50 writes a second with theirs.
        ("openshift-etcd", "fsync=18ms", "fsync=21ms"),
        // 500 a second: 2 ms for both.
        (
            "openshift-etcd-heavy",
            "service=100us,fsync=1800us",
            "service=100us,fsync=2ms",
        ),
        ("sap-hana-log", "size=16g,bytes=300m", "size=16g,bytes=200m"),
        (
            "sap-hana-data",
            "size=16g,bytes=500m",
            "size=16g,bytes=300m",
        ),
    ] {
        for (law, verdict, code) in [(meets, "pass", 0), (misses, "fail", 99)] {
            let (done, value) = check(&place, profile, &format!("sim:{law}"));
            assert_eq!(done.code, Some(code), "{profile} {law}: {done:?}");
            assert_eq!(value["verdict"], verdict, "{profile} {law}: {value:#}");
            let wrong = violations(&schema, &value);
            assert!(wrong.is_empty(), "{wrong:?}");
            for test in value["tests"].as_array().unwrap() {
                let (low, high) = (
                    test["low"].as_f64().unwrap(),
                    test["high"].as_f64().unwrap(),
                );
                let of = test["value"].as_f64().unwrap();
                assert!(low <= of && of <= high, "{test:#}");
            }
        }
    }
}

/// Without a profile those that there are, in JSON as in text.
#[test]
fn the_list_of_profiles_is_json_where_that_is_asked_for() {
    let place = Place::new();
    let done = finish(&mut place.leadline(["check", "--json"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let value = done.json();
    let schema = finish(&mut place.leadline(["schema", "check"])).stdout;
    let wrong = violations(&serde_json::from_str(&schema).unwrap(), &value);
    assert!(wrong.is_empty(), "{wrong:?}");
    let profiles = value["profiles"].as_array().unwrap();
    let etcd = profiles.iter().find(|p| p["profile"] == "etcd");
    let test = &etcd.unwrap_or_else(|| panic!("{value:#}"))["tests"][0];
    assert_eq!(test["limit"], 10_000_000.0, "{test:#}");
    assert_eq!(test["must_be"], "below", "{test:#}");
}

/// 1 % of the writes take 20 ms, so that p99 is on either side of them.
#[test]
fn what_lies_across_the_limit_is_undecided_and_no_pass() {
    let place = Place::new();
    // The law is of writes, not of flushes: those meet the limit.
    let (done, value) = check(&place, "etcd", "sim:mix=98%:100us/2%:20ms,fsync=100us");
    assert_eq!(
        (done.code, &value["verdict"]),
        (Some(0), &"pass".into()),
        "{done:?}"
    );
    let mine = "[[profile]]\nname = \"mine\"\ntest = \"t\"\njob = \"rw=randwrite bs=4k size=8m\"\n\
                job_source = \"https://example.com\"\nop = \"write\"\nof = \"p99\"\nbelow_ms = 10\n\
                source = \"https://example.com\"\ndate = \"2026\"\n";
    std::fs::write(place.join("mine.toml"), mine).unwrap();
    let law = "sim:mix=99%:100us/1%:20ms";
    let words = ["check", "mine", law, "--profiles", "mine.toml"];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(99), "{done:?}");
    assert!(
        done.stdout.starts_with("undecided: mine on sim:"),
        "{done:?}"
    );
    // Where the target is for the profile to say, or a row has no source, nothing runs.
    for (from, to, said) in [
        (
            "rw=randwrite",
            "filename=/dev/sda rw=randwrite",
            "is not allowed in a profile",
        ),
        ("\nsource = \"https://example.com\"", "", "without a source"),
    ] {
        std::fs::write(place.join("mine.toml"), mine.replace(from, to)).unwrap();
        let done = finish(&mut place.leadline(words));
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
        assert!(done.stderr.contains(said), "{done:?}");
    }
}

#[test]
fn a_check_in_a_directory_leaves_nothing_and_overwrites_nothing() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    let mine = "[[profile]]\nname = \"mine\"\ntest = \"t\"\n\
                job = \"rw=write ioengine=sync fdatasync=1 bs=4k size=400k\"\n\
                job_source = \"https://example.com\"\nop = \"write\"\niops_least = 0.001\n\
                source = \"https://example.com\"\ndate = \"2026\"\n";
    std::fs::write(place.join("mine.toml"), mine).unwrap();
    let words = ["check", "mine", "d", "--profiles", "mine.toml"];
    let done = finish(&mut place.leadline(words));
    // A pass, or undecided on a machine that is done before there is an interval.
    assert!([Some(0), Some(99)].contains(&done.code), "{done:?}");
    assert!(done.stdout.contains("mine on d\n"), "{done:?}");
    let required = ", required: at least 0.00 writes a second\n";
    assert!(done.stdout.contains(required), "{done:?}");
    assert_eq!(std::fs::read_dir(place.join("d")).unwrap().count(), 0);
    let there = place.join("d").join("leadline-check-mine-t.0.0");
    std::fs::write(&there, "mine").unwrap();
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(done.stderr.contains("overwrites nothing"), "{done:?}");
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "mine");
    // What is not there, or not known, is said.
    for words in [
        &["check", "etcd", "none"][..],
        &["check", "etdc", "d"],
        &["check", "etcd"],
    ] {
        let done = finish(&mut place.leadline(words));
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
    }
    let all = finish(&mut place.leadline(["check"]));
    assert!(
        all.stdout.contains("p99 sync latency below 10.0 ms"),
        "{all:?}"
    );
    assert!(
        all.stdout.contains("https://etcd.io/docs/v3.5/faq/"),
        "{all:?}"
    );
}

/// A flush that fails decides nothing, and it is that which is said.
#[test]
fn what_failed_decides_nothing_and_is_said() {
    let place = Place::new();
    let target = "sim:service=1ms,fsync=15ms,error=EIO@19000";
    let done = finish(&mut place.leadline(["check", "etcd", target]));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stdout.contains("Failed I/Os: 1.")
            && !done.stdout.contains("within a figure's interval"),
        "{done:?}"
    );
    let (_, value) = check(&place, "etcd", target);
    assert_eq!(value["tests"][0]["errors"], 1, "{value:#}");
    assert_eq!(value["verdict"], "undecided");
}
