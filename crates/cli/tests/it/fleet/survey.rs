//! The survey over several hosts.

use crate::support::{Place, finish};

#[test]
fn a_file_that_is_not_the_surveys_own_is_not_written_over_on_any_host() {
    let place = Place::new();
    let data = place.join("d");
    std::fs::create_dir(&data).unwrap();
    let precious = |host: &str| {
        let path = data.join(format!("{host}.leadline-survey.0.0"));
        std::fs::write(&path, "precious").unwrap();
        path
    };
    let target = data.display().to_string();
    let words = [
        "measure",
        "--hosts=local:a,local:b",
        "--quick",
        "--size=4m",
        "--time=300ms",
        "--engine=psync",
        "--out=out",
        &target,
    ];
    // One host refuses: nothing is made on the other.
    let own = precious("b");
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(4), "{done:?}");
    let said = format!("{} would be written, but it is not marked", own.display());
    assert!(done.stderr.contains(&said), "{done:?}");
    assert_eq!(done.stderr.matches("was lost").count(), 0, "{done:?}");
    let there = || std::fs::read_dir(&data).unwrap().count();
    assert_eq!(there(), 1, "{done:?}");
    assert!(!place.join("out.leadline").exists(), "{done:?}");
    // A lost host is accepted; the other continues.
    let mut accepting = words.to_vec();
    accepting.insert(1, "--accept-lost-hosts");
    let done = finish(&mut place.leadline(&accepting));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains(&said), "{done:?}");
    assert!(done.stderr.contains("b was lost"), "{done:?}");
    assert_eq!(std::fs::read_to_string(&own).unwrap(), "precious");
    assert!(done.stdout.contains("throughput/64k-read-qd32"), "{done:?}");
    assert!(
        !done.stdout.contains("none"),
        "each point was measured: {done:?}"
    );
    // Both refuse: nothing is measured, and no file is left.
    let other = precious("a");
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(4), "{done:?}");
    for path in [&own, &other] {
        assert_eq!(std::fs::read_to_string(path).unwrap(), "precious");
    }
    let left: Vec<_> = std::fs::read_dir(&data).unwrap().flatten().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn points_on_hosts_end_when_their_figures_are_known() {
    let place = Place::new();
    let data = place.join("d");
    let target = data.display().to_string();
    let words = [
        "study",
        "iops",
        "--hosts=local:a,local:b",
        "--dataset=8m",
        "--time=4s",
        "--warmup=0",
        "--depths=1,2",
        // As wide as it gets: what a busy machine does to a rate is within it at some look, or never.
        "--until-interval=50%",
        "--engine=psync",
        "--buffered",
        "--json",
        "--out=out",
        &target,
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let run: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let stages = run["stages"].as_array().unwrap();
    let seconds = |stage: &serde_json::Value| stage["figures"]["span_ns"].as_f64().unwrap() / 1e9;
    let shortest = stages.iter().skip(1).map(seconds).fold(99.0, f64::min);
    assert!((1.2..4.0).contains(&shortest), "{shortest} s");
    assert!(stages.len() >= 2, "{run}");
}
