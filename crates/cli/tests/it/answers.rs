//! What a survey answers about simulated volumes whose limit is known.

use crate::support::{Place, finish};
use serde_json::Value;

/// The JSON form of a survey of a volume.
fn surveyed(law: &str) -> Value {
    surveyed_with(law, &[])
}

/// The same with more options; what is printed obeys its schema, whatever the answer has.
fn surveyed_with(law: &str, more: &[&str]) -> Value {
    let place = Place::new();
    let target = format!("sim:{law}");
    let mut words = vec!["measure", "--json", "--out", "m", &target];
    if !more.contains(&"--seed") {
        words.extend(["--seed", "1"]);
    }
    let done = finish(&mut place.leadline([&words[..], more].concat()));
    assert_eq!(done.code, Some(0), "{law}: {done:?}");
    let run = done.json();
    let schema: Value = serde_json::from_str(leadline_results::render::json::SCHEMA).unwrap();
    let wrong = leadline_testkit::schema::violations(&schema, &run);
    assert_eq!(wrong, [""; 0], "{law}");
    run
}

/// The limit that is named for a volume, and the codes of its warnings.
fn limit(law: &str) -> (Value, Vec<String>) {
    let run = surveyed(law);
    let findings = run["findings"].as_array().unwrap().iter();
    let warnings = findings.filter(|finding| finding["severity"] != "info");
    let codes = warnings.map(|finding| finding["code"].as_str().unwrap().to_owned());
    (run["verdict"]["limit"].clone(), codes.collect())
}

/// The cause is shown, its rate is within 2 %, and nothing is warned of.
fn shows(law: &str, kind: &str, iops: f64) {
    let (limit, warnings) = limit(law);
    assert_eq!(limit["kind"], kind, "{law}: {limit}");
    assert_eq!(limit["certainty"], "shown", "{law}: {limit}");
    let rate = limit["iops"].as_f64().unwrap();
    assert!((rate / iops - 1.0).abs() < 0.02, "{law}: {rate}");
    assert!(warnings.is_empty(), "{law}: {warnings:?}");
}

/// A cap is likely, and one stage that takes as long for each I/O stays possible: no experiment distinguishes them.
fn shows_a_cap_or_one_stage(law: &str, iops: f64) {
    let (limit, warnings) = limit(law);
    let is = (&limit["kind"], &limit["certainty"]);
    assert_eq!(is, (&"iops-cap".into(), &"likely".into()), "{law}: {limit}");
    let both = serde_json::json!(["iops-cap", "parallelism"]);
    assert_eq!(limit["possible"], both, "{law}: {limit}");
    let rate = limit["iops"].as_f64().unwrap();
    assert!((rate / iops - 1.0).abs() < 0.02, "{law}: {rate}");
    assert!(warnings.is_empty(), "{law}: {warnings:?}");
}

/// A cap of 3,333 with a service time of 1 ms, and one stage of 300 us after a delay of 700 us, are one law.
#[test]
fn one_stage_is_no_more_and_no_less_than_a_cap() {
    shows_a_cap_or_one_stage("service=300us,parallel=1,rtt=700us", 3333.3);
    shows_a_cap_or_one_stage("service=1ms,parallel=64,iops=3333", 3333.0);
    for law in [
        "service=exp:1ms,parallel=1",
        "service=lognormal:400us:0.8,parallel=1",
        // Two at once, some of which take long: without these it would be less than one.
        "mix=95%:200us/5%:6ms,parallel=2",
    ] {
        let (limit, _) = limit(law);
        assert_eq!(limit["kind"], "unknown", "{law}: {limit}");
        let all = serde_json::json!(["iops-cap", "parallelism", "slots"]);
        assert_eq!(limit["possible"], all, "{law}: {limit}");
    }
}

/// Reads and writes have a curve each in a full survey: it answers for reads, as others do, and has the rate of writes beside.
#[test]
fn a_full_survey_answers_for_reads() {
    let law = "service=200us,parallel=64,read_iops=20000,write_iops=5000";
    let full = surveyed_with(law, &["--full"]);
    let limit = &full["verdict"]["limit"];
    assert_eq!(limit["kind"], "iops-cap", "{limit}");
    let rate = limit["iops"].as_f64().unwrap();
    assert!((rate / 20_000.0 - 1.0).abs() < 0.02, "{limit}");
    let said = full["verdict"]["sentences"].to_string();
    assert!(
        said.contains("4 KiB random writes reach 5,000 IOPS"),
        "{said}"
    );
}

/// A rate that is uneven because some I/Os take thirty times as long is not paid with credits.
#[test]
fn slow_ios_among_the_others_are_no_credits() {
    for seed in ["2", "3"] {
        let law = "mix=98%:1ms/2%:30ms,parallel=3";
        let run = surveyed_with(law, &["--quick", "--seed", seed]);
        let limit = &run["verdict"]["limit"];
        assert!(limit["change"].is_null(), "{seed}: {limit}");
        assert_ne!(limit["certainty"], "shown", "{seed}: {limit}");
    }
}

/// Where the experiments contradict one another, all causes remain and are listed.
#[test]
fn what_contradicts_itself_leaves_all_causes() {
    let law = "iops=2500,service=200us,parallel=64,slice=100ms";
    let limit = surveyed_with(law, &["--quick"])["verdict"]["limit"].clone();
    let possible = limit["possible"].as_array().unwrap();
    assert!(possible.contains(&"iops-cap".into()), "{limit}");
}

/// A quota of bytes that is given out in slices of 100 ms, as Linux's control groups do: standstills of a part of an interval
/// make no rate of it that it does not have.
#[test]
fn a_cap_of_bytes_in_slices_is_named_with_its_rate() {
    for bytes in [20_000_000.0, 45_000_000.0] {
        let law =
            format!("size=64m,service=lognormal:90us:0.3,parallel=8,bytes={bytes},slice=100ms");
        let (limit, warnings) = limit(&law);
        let is = (&limit["kind"], &limit["certainty"]);
        assert_eq!(is, (&"byte-cap".into(), &"likely".into()), "{limit}");
        let rate = limit["iops"].as_f64().unwrap();
        assert!((rate * 4096.0 / bytes - 1.0).abs() < 0.02, "{limit}");
        // It does stand still.
        assert!(
            warnings.iter().all(|code| code == "short-stalls"),
            "{warnings:?}"
        );
    }
}

/// One server with exponential times, of which short points and three short bursts looked like a cap by chance: rates and
/// latencies are off by 10 % each.
#[test]
fn what_short_points_show_by_chance_excludes_no_server() {
    for seed in ["107", "1"] {
        let more = ["--quick", "--seed", seed];
        let limit =
            surveyed_with("service=exp:8000us,parallel=1", &more)["verdict"]["limit"].clone();
        assert_ne!(limit["certainty"], "shown", "{seed}: {limit}");
        let possible = limit["possible"].as_array().unwrap();
        assert!(possible.contains(&"parallelism".into()), "{seed}: {limit}");
    }
}

/// A quota in slices of a target whose own parallelism gives little more: a burst waits for that, since what gathered while it was
/// idle passes at once, and every interval of a loaded point has a part of a slice.
#[test]
fn a_quota_in_slices_over_a_target_that_does_two_at_once_is_the_cap() {
    for law in [
        "service=70us,parallel=2,iops=20000,slice=100ms,size=64m",
        "service=lognormal:70us:0.2,parallel=2,iops=20000,slice=100ms,size=64m",
    ] {
        let limit = surveyed_with(law, &["--quick"])["verdict"]["limit"].clone();
        assert_eq!(limit["kind"], "iops-cap", "{law}: {limit}");
        let rate = limit["iops"].as_f64().unwrap();
        assert!((rate / 20_000.0 - 1.0).abs() < 0.02, "{law}: {limit}");
    }
    // What stands still by itself does so at every depth.
    let law = "service=70us,parallel=2,every=100ms:30ms,size=64m";
    let limit = surveyed_with(law, &["--quick"])["verdict"]["limit"].clone();
    assert_ne!(limit["kind"], "iops-cap", "{law}: {limit}");
}

/// Where one I/O at a time is as fast as a quota in slices, its rate follows its latency: a deeper queue confirms the quota.
#[test]
fn a_cap_that_one_io_at_a_time_reaches_is_confirmed_at_a_deeper_queue() {
    let run = surveyed_with(
        "service=49us,parallel=4,iops=20000,slice=100ms,size=64m",
        &["--quick"],
    );
    let evidence = run["verdict"]["limit"]["evidence"].to_string();
    assert!(evidence.contains("confirm/4k-randread-qd2"), "{evidence}");
}

/// One part of 50 of a quota more or less is 2 % of a point of 5 s, and half a percent of 20 s.
#[test]
fn the_rate_of_a_quota_in_slices_is_known_as_well_as_its_parts_allow() {
    for iops in [500.0, 2000.0] {
        let law = format!("size=64m,service=lognormal:90us:0.3,parallel=8,iops={iops},slice=100ms");
        let run = surveyed(&law);
        let off = |of: &Value, low: &str, high: &str| {
            let [low, high] = [low, high].map(|end| of[end].as_f64().unwrap() / iops - 1.0);
            assert!(low < 0.0 && high > 0.0, "{of}");
            high.max(-low)
        };
        let points = run["stages"].as_array().unwrap().iter();
        let point = |stage: &&Value| stage["figures"]["span_ns"] == 5_000_000_000_u64;
        for stage in points.filter(point) {
            let interval = &stage["figures"]["data"]["iops_interval"];
            let off = off(interval, "low", "high");
            assert!((0.02..0.08).contains(&off), "{}: {interval}", stage["name"]);
            assert_eq!(interval["settled"], true, "{}", stage["name"]);
        }
        let limit = &run["verdict"]["limit"];
        assert!(
            (0.005..0.02).contains(&off(limit, "low", "high")),
            "{limit}"
        );
    }
}

/// A depth of the curve that failed before its window leaves a curve that ends too early.
#[test]
fn the_limit_is_withheld_where_a_depth_of_the_curve_failed() {
    let law = "size=64g,service=500us,parallel=32,error=EIO@20000,error=EIO@30000";
    let (place, target) = (Place::new(), format!("sim:{law}"));
    let words = ["measure", "--json", "--quick", "--seed", "2", "--out", "m"];
    let done = finish(&mut place.leadline([&words[..], &[target.as_str()]].concat()));
    // I/Os failed.
    assert_eq!(done.code, Some(1), "{law}: {done:?}");
    let run: Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(run["verdict"]["limit"].is_null(), "{}", run["verdict"]);
    let words = run["verdict"]["sentences"].to_string();
    assert!(words.contains("Bottleneck unknown"), "{words}");
}

#[test]
fn a_cap_is_named_by_what_it_counts() {
    shows_a_cap_or_one_stage("size=64g,service=500us,parallel=128,iops=20000", 20_000.0);
    // One I/O at a time is held up by it already.
    shows(
        "size=64g,service=200us,parallel=32,iops=2000",
        "iops-cap",
        2000.0,
    );
    shows(
        "size=64g,service=500us,parallel=128,bytes=100m",
        "byte-cap",
        25_600.0,
    );
    // Both, of which the one of I/Os binds at 4 KiB.
    let both = "size=64g,service=500us,parallel=128,iops=10000,bytes=60m";
    shows_a_cap_or_one_stage(both, 10_000.0);
    let far = "size=64g,service=100us,parallel=64,rtt=5ms,iops=10000";
    shows_a_cap_or_one_stage(far, 10_000.0);
}

/// The higher rate is the highest that the credits gave, and not that of the depth at which they ran out.
#[test]
fn credits_that_run_out_at_a_low_depth_are_those_of_the_highest_rate() {
    let law = "service=581us-1355us,parallel=47,iops=2758,burst_iops=15121,burst_store=121659";
    let run = surveyed(&format!("size=64g,{law}"));
    let (limit, depth) = (&run["verdict"]["limit"], &run["verdict"]["depth"]);
    let number = |value: &Value| value.as_f64().unwrap();
    let credits = &limit["credits"];
    assert!(
        (number(&credits["high_iops"]) / 15_121.0 - 1.0).abs() < 0.02,
        "{limit}"
    );
    assert!(
        (number(&credits["low_iops"]) / 2758.0 - 1.0).abs() < 0.02,
        "{limit}"
    );
    assert!(
        (number(&credits["lasts_s"]) / 9.84 - 1.0).abs() < 0.1,
        "{limit}"
    );
    for of in ["to_use", "knee"] {
        assert!(number(&depth[of]["share"]) <= 1.0, "{depth}");
        assert!(number(&depth[of]["iops"]) < 2900.0, "{depth}");
    }
    let text = run["verdict"]["sentences"].to_string();
    assert!(!text.contains("148 %") && !text.contains("4,1"), "{text}");
}

/// A cap of bytes that holds from the next block size on, up to a tenth above the one of I/Os at 4 KiB, is not that of 4 KiB.
#[test]
fn a_cap_of_bytes_just_above_one_of_ios_is_distinguished() {
    for (law, iops, bytes) in [
        (
            "service=404us,parallel=8,iops=19200,bytes=84400k",
            19_200.0,
            84_400.0,
        ),
        (
            "service=404us,parallel=64,iops=19200,bytes=84400k",
            19_200.0,
            84_400.0,
        ),
        (
            "service=515us,parallel=4,iops=7687,bytes=33763k",
            7687.0,
            33_763.0,
        ),
        (
            "service=500us,parallel=64,iops=20000,bytes=82m",
            20_000.0,
            83_968.0,
        ),
    ] {
        let law = format!("size=64g,{law}");
        let (limit, _) = limit(&law);
        assert_eq!(limit["kind"], "iops-cap", "{law}: {limit}");
        assert!((limit["iops"].as_f64().unwrap() / iops - 1.0).abs() < 0.02);
        let beyond = limit["beyond"]["bytes_per_s"].as_f64().unwrap();
        assert!((beyond / (bytes * 1024.0) - 1.0).abs() < 0.02, "{limit}");
        assert_eq!(limit["beyond"]["block"], 8192, "{limit}");
    }
    let (bytes, _) = limit("size=64g,service=404us,parallel=64,iops=21150,bytes=84400k");
    assert_eq!(bytes["kind"], "byte-cap", "{bytes}");
    assert!(bytes["beyond"].is_null(), "{bytes}");
}

#[test]
fn a_number_at_once_is_no_cap() {
    shows(
        "size=64g,service=100us,parallel=32",
        "parallelism",
        320_000.0,
    );
    shows(
        "size=64g,service=exp:1ms,parallel=16",
        "parallelism",
        16_000.0,
    );
    shows(
        "size=64g,service=200us,parallel=4096,slots=128,rtt=1800us",
        "parallelism",
        64_000.0,
    );
    // Larger blocks take longer: neither I/Os nor bytes a second stay.
    shows(
        "size=64g,service=100us,per_byte=10ns,parallel=8",
        "parallelism",
        56_754.0,
    );
    shows(
        "size=64g,service=4ms,parallel=8192",
        "concurrency",
        256_000.0,
    );
    // One at once and a cap are the same law.
    let (one, _) = limit("size=64g,service=100us,parallel=1");
    assert_eq!(one["kind"], "unknown");
    let both = ["iops-cap", "parallelism", "slots"];
    assert_eq!(one["possible"], serde_json::json!(both));
}

/// Stalls that are shorter than an interval are found, and what is needed at least is not that of the stalls.
#[test]
fn short_stalls_do_not_make_one_io_slower() {
    for (law, at_once) in [
        ("service=150us,parallel=8,every=600ms:50ms", 8.0),
        ("service=200us,parallel=16,every=1s:50ms", 16.0),
        ("service=229us,parallel=16,every=400ms:60ms", 16.0),
    ] {
        let run = surveyed(&format!("size=64g,{law}"));
        let needed = run["verdict"]["useful_concurrency"].as_f64().unwrap();
        assert!(
            needed <= at_once && needed > at_once / 2.0,
            "{law}: {needed}"
        );
        let findings = run["findings"].as_array().unwrap();
        let found = |f: &Value| f["code"] == "short-stalls";
        assert!(findings.iter().any(found), "{law}: {findings:?}");
        assert_ne!(run["verdict"]["grade"], "A", "{law}");
    }
}

/// A volume that stands still for a quarter of the time, at one point five times and at the next one four, has rates whose
/// intervals overlap: data that was not read before is no slower, and no cache is named.
#[test]
fn a_volume_that_stands_still_now_and_then_has_no_cache() {
    for law in [
        "service=886us,parallel=13,every=1110ms:248ms",
        "service=700us,parallel=8,every=1050ms:250ms",
    ] {
        let (limit, _) = limit(&format!("size=64g,{law}"));
        let possible = limit["possible"].to_string();
        assert!(!possible.contains("cache"), "{law}: {limit}");
    }
}

/// Which of the two gives the rate is a matter of a few per cent: neither is shown.
#[test]
fn a_number_at_once_just_below_a_cap_is_not_called_the_cap() {
    for law in [
        "service=1ms,parallel=16,iops=17000",
        "service=1ms,parallel=8,iops=8400",
        "service=1ms,parallel=32,iops=34000",
        // Nearly all of those in flight are on the way.
        "service=100us,parallel=8,rtt=1ms",
    ] {
        let (limit, _) = limit(&format!("size=64g,{law}"));
        assert_eq!(limit["certainty"], "unknown", "{law}: {limit}");
        let both = serde_json::json!(["iops-cap", "parallelism", "slots"]);
        assert_eq!(limit["possible"], both, "{law}: {limit}");
    }
    // Of service times that differ, the steadiness of the rate tells.
    shows(
        "size=64g,service=exp:2ms,parallel=64,iops=5000",
        "iops-cap",
        5000.0,
    );
}

/// Others that use a volume make its bursts uneven.
#[test]
fn nothing_is_shown_of_a_cap_that_is_shared() {
    let (one, _) = limit("size=64g,service=312us,parallel=5,iops=4690,neighbour=1670:4k");
    assert_ne!(one["certainty"], "shown", "{one}");
    let (several, _) = limit("size=64g,service=300us,parallel=64,iops=20000,neighbour=8000:4k");
    assert_eq!(
        (&several["kind"], &several["certainty"]),
        (&"iops-cap".into(), &"likely".into()),
        "{several}"
    );
}

/// How many stalls fall into a point is chance, and no cause.
#[test]
fn nothing_is_shown_where_the_target_stood_still() {
    for (law, iops) in [
        ("service=326us,parallel=15,every=4270ms:914ms", 36_163.0),
        ("service=364us,parallel=8,every=1790ms:480ms", 16_085.0),
    ] {
        let (limit, warnings) = limit(&format!("size=64g,{law}"));
        assert_eq!(
            (&limit["kind"], &limit["certainty"]),
            (&"parallelism".into(), &"likely".into()),
            "{law}: {limit}"
        );
        let rate = limit["iops"].as_f64().unwrap();
        assert!((rate / iops - 1.0).abs() < 0.05, "{law}: {limit}");
        assert!(warnings.contains(&"stall".to_owned()), "{law}");
        let credits = warnings.contains(&"burst-credits".to_owned());
        assert!(!credits, "{law}: {warnings:?}");
    }
}

/// What two hosts have in flight together stands beside what they need together.
#[test]
fn depths_of_several_hosts_are_those_of_all() {
    let law = "size=64g,service=1ms,parallel=512,iops=32000";
    let more = ["--quick", "--hosts", "a,b", "--launcher", "local"];
    let verdict = surveyed_with(law, &more)["verdict"].clone();
    let depth = &verdict["depth"];
    let least = depth["least"].as_f64().unwrap();
    assert!((least - 32.0).abs() < 0.1, "{depth}");
    assert_eq!(
        (&depth["to_use"]["in_flight"], &depth["knee"]["in_flight"]),
        (&32.into(), &32.into()),
        "{depth}"
    );
    let words = verdict["sentences"].to_string();
    assert!(
        words.contains("At least 32 +-<0.1 % in flight are needed"),
        "{words}"
    );
    assert!(
        words.contains("Use 32 in flight (depth 16 of each worker)"),
        "{words}"
    );
    assert!(!words.contains("Use depth 16"), "{words}");
}

/// The limit of a volume that three hosts use.
fn of_three_hosts(law: &str) -> (Value, String) {
    let law = format!("size=64g,{law}");
    let more = ["--quick", "--hosts", "a,b,c", "--launcher", "local"];
    let verdict = surveyed_with(&law, &more)["verdict"].clone();
    (verdict["limit"].clone(), verdict["sentences"].to_string())
}

/// What each host has for itself is no limit of the volume.
#[test]
fn one_host_alone_is_at_the_limit_that_each_has() {
    let own = |law: &str, of_each: &[&str]| {
        let law = format!("service=2ms,parallel=64,{law}");
        let (limit, words) = of_three_hosts(&law);
        assert_eq!(limit["kind"], "client", "{law}: {limit}");
        assert_ne!(limit["certainty"], "unknown", "{law}: {limit}");
        let [all, one] = [&limit["iops"], &limit["one_host"]["iops"]].map(|v| v.as_f64().unwrap());
        assert!((all / (3.0 * 1280.0) - 1.0).abs() < 0.02, "{law}: {limit}");
        assert!((one / 1280.0 - 1.0).abs() < 0.02, "{law}: {limit}");
        assert_eq!(
            limit["one_host"]["of_each"],
            serde_json::json!(of_each),
            "{law}: {limit}"
        );
        // More hosts than were there is a guess: the third law has nothing left for them.
        assert!(
            words.contains("The limits of up to 3 hosts add up"),
            "{words}"
        );
        assert!(words.contains("More hosts may reach more"), "{words}");
        assert!(!words.contains("would reach more"), "{words}");
        assert!(!words.contains("was not reached"), "{words}");
    };
    own("host_bytes=5m", &["byte-cap"]);
    own("host_bytes=5m,rtt=5ms", &["byte-cap"]);
    own("host_bytes=5m,bytes=15m", &["byte-cap"]);
}

#[test]
fn one_host_alone_reaches_the_limit_that_all_share() {
    let shared = |law: &str, kind: &str, iops: f64| {
        let (limit, words) = of_three_hosts(law);
        assert_eq!(limit["kind"], kind, "{law}: {limit}");
        assert_ne!(limit["certainty"], "unknown", "{law}: {limit}");
        let rate = limit["iops"].as_f64().unwrap();
        assert!((rate / iops - 1.0).abs() < 0.02, "{law}: {limit}");
        let one = limit["one_host"]["iops"].as_f64().unwrap();
        assert!((one / iops - 1.0).abs() < 0.05, "{law}: {limit}");
        assert!(
            words.contains("the limit is shared, not per host"),
            "{words}"
        );
    };
    shared("service=2ms,parallel=64,bytes=15m", "byte-cap", 3840.0);
    shared("service=2ms,parallel=64,iops=3750", "iops-cap", 3750.0);
    shared("service=exp:2ms,parallel=8", "parallelism", 4000.0);
}

#[test]
fn one_host_alone_in_between_is_said() {
    // Together they are held up by the volume; one alone by its own limit.
    let (both, words) = of_three_hosts("service=2ms,parallel=64,bytes=15m,host_bytes=10m");
    assert_eq!(both["kind"], "byte-cap", "{both}");
    assert!(
        words.contains("at a shared limit, and one alone is at its own"),
        "{words}"
    );
    // Also where its own limit is a tenth above its part.
    let (both, _) = of_three_hosts("service=2ms,parallel=64,bytes=15m,host_bytes=5632k");
    assert_eq!(both["possible"], serde_json::json!(["byte-cap"]), "{both}");
    // A few percent above its part: either, and a longer look would find the same.
    let (either, words) = of_three_hosts("service=2ms,parallel=64,bytes=15m,host_bytes=5248k");
    let possible = serde_json::json!(["byte-cap", "client"]);
    assert_eq!(either["possible"], possible, "{either}");
    assert!(either["decides"].is_null(), "{either}");
    assert!(
        words.contains("one of the 3 hosts alone reaches"),
        "{words}"
    );
}

#[test]
fn more_connections_show_the_cap_of_each() {
    let law = "size=64g,service=1ms,parallel=4096,connection=190m,bytes=4500m";
    shows(law, "flow", 48_640.0);
}

/// Connections that all workers share, as on a network mount: more workers are no more connections.
#[test]
fn a_limit_of_shared_connections_is_not_called_a_cap_of_the_target() {
    for law in [
        "connections=1,connection=190m,bytes=4500m",
        "connections=1,connection=380m,bytes=190m",
    ] {
        let law = format!("size=64g,service=1ms,parallel=4096,{law}");
        let (limit, _) = limit(&law);
        let is = (&limit["kind"], &limit["certainty"], &limit["decides"]);
        let both = (&"unknown".into(), &"unknown".into(), &"nconnect".into());
        assert_eq!(is, both, "{law}: {limit}");
        let causes = serde_json::json!(["byte-cap", "flow"]);
        assert_eq!(limit["possible"], causes, "{law}: {limit}");
    }
    // The second worker has the second connection.
    let law = "size=64g,service=1ms,parallel=4096,connections=2,connection=190m,bytes=4500m";
    shows(law, "flow", 48_640.0);
}

/// Twice the workers reach 5 or 10 % more: the cap of a connection with another limit little above it, which is not the one
/// that holds here.
#[test]
fn a_cap_of_a_connection_just_below_another_is_not_called_the_other() {
    for above in [
        "host_bytes=22m",
        "host_bytes=21m",
        "bytes=21m",
        "host_bytes=20600k",
        "bytes=20300k",
    ] {
        let law = format!("connection=20000k,{above}");
        let limit = &surveyed_with(&law, &["--quick"])["verdict"]["limit"];
        let possible = serde_json::json!(["byte-cap", "flow"]);
        assert_eq!(limit["possible"], possible, "{law}: {limit}");
    }
}

/// What all hosts share, and what each has just above its part of that: neither is excluded.
#[test]
fn a_cap_of_each_host_just_above_its_part_is_not_excluded() {
    let law = "size=64g,service=exp:200us,parallel=512,bytes=120000000,host_bytes=40400000";
    let run = surveyed_with(law, &["--quick", "--hosts", "h1,h2,h3"]);
    let limit = &run["verdict"]["limit"];
    let possible = serde_json::json!(["byte-cap", "client"]);
    assert_eq!(limit["possible"], possible, "{limit}");
}

/// Each I/O takes longer by its bytes, so that throughput nears a bound that no cap makes: larger blocks still reach more.
#[test]
fn time_per_byte_is_no_cap_of_bytes() {
    for law in [
        "per_byte=100ns,service=100us,parallel=2",
        "per_byte=20ns,service=20us,parallel=1",
    ] {
        let limit = &surveyed_with(law, &["--quick"])["verdict"]["limit"];
        assert_eq!(limit["kind"], "parallelism", "{law}: {limit}");
        assert!(limit["beyond"].is_null(), "{law}: {limit}");
    }
}

/// Rates of so few slices of a quota that two means of it differ by chance are no change.
#[test]
fn means_that_differ_within_their_intervals_are_no_change() {
    let run = surveyed_with("bytes=8m,slice=500ms,service=300us", &["--quick"]);
    let limit = &run["verdict"]["limit"];
    assert_eq!(limit["kind"], "byte-cap", "{limit}");
    assert!(limit["change"].is_null(), "{limit}");
}

/// The rate changes during the survey, to a cap of 1,000 I/Os a second, and a pause brings the higher one back or not.
fn shows_a_change(law: &str, returned: bool) {
    let (limit, warnings) = limit(law);
    assert_eq!(
        (&limit["kind"], &limit["certainty"]),
        (&"iops-cap".into(), &"shown".into()),
        "{law}: {limit}"
    );
    let rate = limit["iops"].as_f64().unwrap();
    assert!((rate / 1000.0 - 1.0).abs() < 0.02, "{law}: {limit}");
    assert_eq!(limit["change"]["returned"], returned, "{law}: {limit}");
    let warned = warnings.contains(&"repeats-differ".to_owned());
    assert!(warned, "{law}: {warnings:?}");
    // Only what comes back is paid with credits.
    let credits = warnings.contains(&"burst-credits".to_owned());
    assert_eq!(credits, returned, "{law}: {warnings:?}");
}

#[test]
fn a_rate_that_does_not_stay_is_said() {
    let volume = "size=64g,service=500us,parallel=128";
    shows_a_change(
        &format!("{volume},iops=1000,burst_iops=5000,burst_store=120000"),
        true,
    );
    // Measured as it is at the end.
    shows_a_change(&format!("{volume},iops=5000,at=40s:iops=1000"), false);
}

/// Half of the rate for 45 s, in some points and in none of the best depth: it is no fall from 2,000 to 2,000, and no credits.
#[test]
fn a_rate_that_was_lower_for_a_time_has_not_fallen() {
    let law = "iops=2000,at=30s:iops=1000,at=75s:iops=2000";
    let run = surveyed_with(law, &["--seed", "77"]);
    let limit = &run["verdict"]["limit"];
    assert!(limit["change"].is_null(), "{limit}");
    assert!(limit["credits"].is_null(), "{limit}");
    let findings = run["findings"].as_array().unwrap();
    let is_code = |code: &str| findings.iter().any(|finding| finding["code"] == code);
    assert!(!is_code("burst-credits"), "{findings:?}");
    // The points that were half as fast are not passed over.
    assert!(is_code("repeats-differ"), "{findings:?}");
}

/// Credits that end within a point of two seconds: its mean is of both levels, and not the volume's rate. The answer has the
/// lower one, and each point of two levels is marked, unless its mean is within 5 % of one of them.
#[test]
fn the_mean_of_two_levels_is_no_answer() {
    for store in [2000, 4000, 9000, 50_000] {
        let law = format!(
            "size=64g,service=500us,parallel=128,iops=1000,burst_iops=5000,burst_store={store}"
        );
        let run = surveyed_with(&law, &["--quick"]);
        let limit = &run["verdict"]["limit"];
        assert_eq!(limit["kind"], "iops-cap", "{law}: {limit}");
        let rate = limit["iops"].as_f64().unwrap();
        assert!((rate / 1000.0 - 1.0).abs() < 0.02, "{law}: {rate}");
        let findings = run["findings"].as_array().unwrap();
        let marks = ["level-shift", "warm-up", "drift"];
        let is_marked = |stage: &Value| {
            let mut own = findings.iter().filter(|f| f["stage"] == *stage);
            own.any(|f| marks.contains(&f["code"].as_str().unwrap()))
        };
        let mut mixed = 0;
        for stage in &run["stages"].as_array().unwrap()[1..] {
            let series = stage["series"].as_array().unwrap().iter();
            let rates: Vec<f64> = series
                .filter(|slice| slice["warmup"] == false)
                .map(|slice| {
                    let ops = slice["ops"].as_object().unwrap().values();
                    ops.map(|op| op["iops"].as_f64().unwrap()).sum()
                })
                .collect();
            let name = stage["name"].as_str().unwrap();
            let [first, .., last, _] = rates[..] else {
                continue;
            };
            if last <= 0.0 || first < 1.1 * last || name.ends_with("paused") {
                continue;
            }
            mixed += 1;
            let mean = stage["figures"]["data"]["iops"].as_f64().unwrap();
            let is_near = [first, last]
                .iter()
                .any(|rate| (mean / rate - 1.0).abs() < 0.05);
            assert!(
                is_near || is_marked(&stage["stage"]),
                "{law}: {name} {mean}"
            );
        }
        assert!(mixed > 0, "{law}: no point in which the credits ended");
    }
}

/// The limit of a volume with burst credits whose points are measured for so long, and the verdict's words.
fn measured_for(time: &str, law: &str) -> (Value, String) {
    let law = format!("size=64g,parallel=128,{law}");
    let verdict = &surveyed_with(&law, &["--quick", "--time", time])["verdict"];
    let limit = verdict["limit"].clone();
    assert_eq!(limit["kind"], "iops-cap", "{law}: {limit}");
    let sentences = verdict["sentences"].as_array().unwrap().iter();
    let words: Vec<&str> = sentences.map(|s| s.as_str().unwrap()).collect();
    (limit, words.join(" "))
}

/// Whether the interval of a figure of credits holds this value.
fn holds(credits: &Value, key: &str, value: f64) {
    let [low, high] = ["low", "high"].map(|end| credits[format!("{key}_{end}")].as_f64());
    let is_within = low.is_some_and(|low| low <= value) && high.is_some_and(|high| high >= value);
    assert!(is_within, "{value} as {key}: {credits}");
}

/// Credits that last only while one I/O at a time is measured: that rate is the least of the higher one, and said to be.
#[test]
fn a_higher_rate_that_only_one_in_flight_had_is_a_lower_bound() {
    let law = "size=64g,service=500us,parallel=128,iops=1000,burst_iops=5000,burst_store=12000";
    let run = surveyed(law);
    let credits = &run["verdict"]["limit"]["credits"];
    assert_eq!(credits["high_iops_at_least"], true, "{credits}");
    assert!(credits["high_iops_high"].is_null(), "{credits}");
    holds(credits, "store_ios", 12_000.0);
    let words = said(&run);
    assert!(
        words.contains("Burst credits: at least 2,000 IOPS")
            && words.contains("More I/Os in flight may reach more while there are credits"),
        "{words}"
    );
    let deep = surveyed("iops=1000,burst_iops=4000,burst_store=60000,service=100us");
    let credits = &deep["verdict"]["limit"]["credits"];
    assert_eq!(credits["high_iops_at_least"], false, "{credits}");
    for (key, value) in [
        ("store_ios", 60_000.0),
        ("lasts_s", 20.0),
        ("refill_s", 60.0),
        ("fell_at_s", 20.0),
    ] {
        holds(credits, key, value);
    }
}

#[test]
fn credits_are_measured_where_points_are_long_enough() {
    let near = |limit: &Value, key: &str, value: f64, within: f64| {
        let got = limit["credits"][key].as_f64().unwrap();
        assert!((got - value).abs() <= within, "{key} {got}: {limit}");
    };
    // A volume of 128 GiB whose store lasts for half an hour.
    let volume = "service=1ms,iops=500,burst_iops=3500";
    let (limit, words) = measured_for("60s", &format!("{volume},burst_store=5400000"));
    assert!(limit["credits"].is_null(), "{limit}");
    assert!(
        words.contains("sustained for 60.0 s without a fall"),
        "{words}"
    );
    assert!(words.contains("longer cannot be excluded"), "{words}");
    assert_eq!(
        (&limit["sustained"], &limit["credits_possible"]),
        (&true.into(), &true.into()),
        "{limit}"
    );
    let (limit, words) = measured_for("2s", &format!("{volume},burst_store=5400000"));
    assert_eq!(
        (&limit["sustained"], &limit["credits_possible"]),
        (&false.into(), &true.into()),
        "{limit}"
    );
    assert!(
        words.contains("a cap of 3,500 IOPS +-") && words.contains("(observed for 2.00 s)"),
        "{words}"
    );
    // A tenth of it, seen to its end.
    let (limit, words) = measured_for("12m", &format!("{volume},burst_store=540000"));
    near(&limit, "high_iops", 3500.0, 70.0);
    near(&limit, "low_iops", 500.0, 10.0);
    near(&limit, "store_ios", 540_000.0, 27_000.0);
    near(&limit, "fell_at_s", 180.0, 1.0);
    near(&limit, "lasts_s", 180.0, 1.0);
    near(&limit, "refill_s", 1080.0, 54.0);
    assert_eq!(limit["credits_possible"], false, "{limit}");
    assert!(
        words.contains("then 500 IOPS") && words.contains(", sustained for 720 s"),
        "{words}"
    );
    assert!(
        words.contains("Credits came back during a pause"),
        "{words}"
    );
    assert!(!words.contains("bursts after an idle moment"), "{words}");
    let short = "service=500us,iops=1000,burst_iops=5000,burst_store=120000";
    let (limit, _) = measured_for("60s", short);
    near(&limit, "high_iops", 5000.0, 100.0);
    near(&limit, "low_iops", 1000.0, 20.0);
    near(&limit, "store_ios", 120_000.0, 6000.0);
    near(&limit, "fell_at_s", 30.0, 1.0);
    // With points of two seconds nothing is called sustained.
    let (_, words) = measured_for("2s", short);
    assert!(!words.contains("sustained"), "{words}");
}

/// A volume of 128 GiB for two hours: its store of 5,400,000 I/Os is empty after half an hour.
#[test]
#[ignore = "a tool: it takes minutes"]
fn credits_of_half_an_hour_are_measured_in_two() {
    let law = "service=1ms,iops=500,burst_iops=3500,burst_store=5400000";
    let (limit, words) = measured_for("2h", law);
    let of = |key: &str| limit["credits"][key].as_f64().unwrap();
    assert!(
        (limit["iops"].as_f64().unwrap() / 500.0 - 1.0).abs() < 0.02,
        "{limit}"
    );
    assert!(
        (of("store_ios") / 5_400_000.0 - 1.0).abs() < 0.05,
        "{limit}"
    );
    assert!((of("fell_at_s") - 1800.0).abs() <= 1.0, "{limit}");
    assert!(
        words.contains("then 500 IOPS") && words.contains(", sustained for 7200 s"),
        "{words}"
    );
}

#[test]
fn a_cache_is_not_the_volume() {
    let (limit, warnings) = limit("size=1g,service=1ms,parallel=64,cache=512m:50us");
    assert_eq!(
        (&limit["kind"], &limit["certainty"]),
        (&"cache".into(), &"likely".into()),
        "{limit}"
    );
    // That of hits and misses together, and how many were hits: of the misses alone nothing was measured.
    let rate = limit["iops"].as_f64().unwrap();
    let misses = rate * (1.0 - limit["mixture"]["hit_share"].as_f64().unwrap());
    assert!(rate > 1.05 * misses, "{limit}");
    assert!((misses / 64_000.0 - 1.0).abs() < 0.05, "{limit}");
    assert!(warnings.contains(&"mixture".to_owned()), "{warnings:?}");
}

/// On a volume that is smaller than the survey's set, or where hits come in groups, no cap is shown in the place of a cache.
#[test]
fn a_small_volume_with_a_cache_shows_no_cap() {
    for law in [
        "size=64m,service=1ms,parallel=64,cache=32m:50us",
        "size=64m,service=2545us,parallel=48,cache=44m:223us",
    ] {
        let (limit, warnings) = limit(law);
        assert!(
            ["cache", "unknown"].contains(&limit["kind"].as_str().unwrap()),
            "{law}: {limit}"
        );
        let possible = limit["possible"].as_array().unwrap();
        assert!(possible.contains(&"cache".into()), "{law}: {limit}");
        assert!(warnings.contains(&"mixture".to_owned()), "{warnings:?}");
    }
}

/// What the survey has in flight is done many times over in its own window, however slow the volume is.
#[test]
fn a_slow_volume_is_looked_at_for_long_enough() {
    for law in [
        "service=1ms,parallel=64,bytes=10m",
        "service=1ms,parallel=64,bytes=20m",
    ] {
        let (_, warnings) = limit(&format!("size=64g,{law}"));
        assert!(warnings.is_empty(), "{law}: {warnings:?}");
    }
}

/// Two kinds of latency that a smaller set has too are no hits and misses, and the text says what the JSON form says.
#[test]
fn two_kinds_of_reads_are_not_yet_a_cache() {
    let run = surveyed("size=64g,mix=90%:200us/10%:4ms,parallel=32");
    let limit = &run["verdict"]["limit"];
    let rate = limit["iops"].as_f64().unwrap();
    assert!((rate / 55_172.0 - 1.0).abs() < 0.02, "{limit}");
    let possible = limit["possible"].as_array().unwrap();
    assert!(!possible.contains(&"cache".into()), "{limit}");
    let says_unknown = run["verdict"]["sentences"].to_string();
    let says_unknown = says_unknown.contains("Bottleneck unknown");
    assert_eq!(limit["kind"] == "unknown", says_unknown, "{limit}");
}

#[test]
fn caps_of_reads_and_of_writes_are_no_cache() {
    let (_, warnings) = limit("size=64g,service=137us,parallel=4,read_iops=2340,write_iops=1090");
    assert!(warnings.is_empty(), "{warnings:?}");
}

/// A set that a cache holds as a whole is read from it alone.
#[test]
fn a_device_and_a_cache_are_distinguished_by_what_was_not_read_before() {
    let cached = "service=8ms,parallel=16,cache=2g:2ms";
    let quick = |law: &str| surveyed_with(law, &["--quick"])["verdict"]["limit"].clone();
    let held = quick(&format!("size=256m,{cached}"));
    assert_eq!(
        (&held["kind"], &held["certainty"]),
        (&"unknown".into(), &"unknown".into()),
        "{held}"
    );
    let possible = serde_json::json!(["concurrency", "cache"]);
    assert_eq!(held["possible"], possible, "{held}");
    let larger = quick(&format!("size=8g,{cached}"));
    assert_eq!(larger["kind"], "cache", "{larger}");
    let rate = larger["iops"].as_f64().unwrap();
    assert!((rate / 2000.0 - 1.0).abs() < 0.02, "{larger}");
    // Nothing else to read, and nothing that shows a cache.
    let alone = quick("size=256m,service=2ms,parallel=32");
    assert_eq!(
        (&alone["kind"], &alone["certainty"]),
        (&"parallelism".into(), &"likely".into()),
        "{alone}"
    );
}

#[test]
fn the_law_of_a_mix_is_named() {
    let law = |law: &str| surveyed(law)["verdict"]["mix"]["law"].clone();
    // A write costs 3.5 tokens.
    assert_eq!(
        law("size=64g,service=500us,parallel=128,iops=20000,write_cost=3.5"),
        "one-resource"
    );
    assert_eq!(
        law("size=64g,service=100us,parallel=64,read_iops=36000,write_iops=24000"),
        "separate-caps"
    );
    assert_eq!(
        law("size=64g,service=100us,parallel=64,iops=36000,write_iops=24000"),
        "total-and-writes"
    );
    assert_eq!(
        law("size=64g,service=100us,parallel=64,iops=45000,read_iops=35000,write_iops=25000"),
        "total-and-each"
    );
    // With room for more at the depth of the other points.
    for (reads, cost) in [(460_000, 3.5385), (388_000, 3.2333)] {
        let deep = format!("size=64g,service=200us,parallel=512,iops={reads},write_cost={cost}");
        assert_eq!(law(&deep), "one-resource", "{deep}");
    }
}

/// How long each measured stage took in the window, by its name, in seconds.
fn windows(run: &Value) -> Vec<(String, f64)> {
    let stages = run["stages"].as_array().unwrap().iter();
    let each = stages.map(|stage| {
        let seconds = stage["figures"]["span_ns"].as_f64().unwrap() / 1e9;
        (stage["name"].as_str().unwrap().to_owned(), seconds)
    });
    each.filter(|(name, _)| !name.starts_with("fill")).collect()
}

/// Half the interval of the rate of each measured stage, as a share of the rate.
fn widths(run: &Value) -> Vec<f64> {
    let stages = run["stages"].as_array().unwrap().iter().skip(1);
    let each = stages.map(|stage| {
        let data = &stage["figures"]["data"];
        let of = |key: &str| data["iops_interval"][key].as_f64().unwrap();
        (of("high") - of("low")) / 2.0 / data["iops"].as_f64().unwrap()
    });
    each.collect()
}

/// Whether a stage is a point for its figures only, and no experiment.
fn is_plain(name: &str) -> bool {
    let families = ["latency", "iops", "throughput", "depth", "mix"];
    families.iter().any(|family| name.starts_with(family))
}

#[test]
fn a_point_ends_when_its_interval_is_narrow_enough() {
    let law = "size=64g,service=exp:1ms,parallel=1";
    let run = surveyed_with(law, &["--time", "20s", "--until-interval", "2%"]);
    // A queue of exponential service: n I/Os are known within 1.96 / sqrt(n), so 2 % take 9,604 of them, 9.6 s; it is looked
    // at after 5, 6.25, 7.8, 9.8, 12.2, 15.3 and 19.1 s.
    let windows = windows(&run);
    for ((name, seconds), width) in windows.iter().zip(widths(&run)) {
        match is_plain(name) {
            true => assert!(
                (7.5..24.0).contains(seconds) && width < 0.0205,
                "{name}: {seconds} s, {width}"
            ),
            // Experiments look for more than a rate.
            false => assert!((19.9..20.1).contains(seconds), "{name}: {seconds} s"),
        }
    }
    assert!(
        windows.iter().filter(|(name, _)| is_plain(name)).count() >= 10,
        "{windows:?}"
    );
}

#[test]
fn points_that_end_early_leave_their_time_to_others() {
    // Always the same: after a quarter of the time, or 64 slices of 20 ms.
    let flat = windows(&surveyed_with(
        "size=64g,service=1ms,parallel=4",
        &["--until-interval", "1%"],
    ));
    for (name, seconds) in flat.iter().filter(|(name, _)| name.starts_with("latency")) {
        assert!((1.27..1.4).contains(seconds), "{name}: {seconds} s");
    }
    // 1 % takes 38 s: none gets more than what was left.
    let noisy = surveyed_with(
        "size=64g,service=exp:1ms,parallel=1",
        &["--until-interval", "1%"],
    );
    for (name, seconds) in windows(&noisy).iter().filter(|(name, _)| is_plain(name)) {
        assert!(*seconds < 5.1, "{name}: {seconds} s");
    }
    let found = noisy["findings"].as_array().unwrap().iter();
    let missed = found.filter(|f| f["code"] == "interval-not-reached");
    assert!(missed.count() >= 5);
}

#[test]
fn a_share_of_an_interval_is_a_percentage() {
    let place = Place::new();
    for share in ["2", "0%", "60%", "x%", "%"] {
        let words = ["measure", "sim:size=1g", "--until-interval", share];
        let done = finish(&mut place.leadline(words));
        assert_eq!(done.code, Some(2), "{share}: {done:?}");
        assert!(done.stderr.contains("until-interval"), "{share}: {done:?}");
    }
}

/// Reads that wait for what the stage before left to be written: one of 32.8 s at depth 1, and all 32 of the next point at once.
#[test]
fn what_rests_on_one_io_or_one_moment_has_no_interval() {
    let place = Place::new();
    let law = "sim:size=1g,cache=64m:10us:writes=back,service=4ms,parallel=2";
    for more in [&[][..], &["--quick"]] {
        let words = ["measure", "--json", "--out", "m", "--seed", "1", law];
        let done = finish(&mut place.leadline([&words[..], more].concat()));
        assert_eq!(done.code, Some(0), "{done:?}");
        let run = done.json();
        for (name, count) in [
            ("latency/4k-randread-qd1", 1),
            ("throughput/64k-read-qd32", 32),
        ] {
            let stages = run["stages"].as_array().unwrap();
            let point = stages.iter().find(|stage| stage["name"] == name).unwrap();
            let data = &point["figures"]["data"];
            assert_eq!(data["ios"], count, "{name}: {data}");
            assert!(data["iops_interval"].is_null(), "{name}: {data}");
            assert!(data["bytes_per_s_interval"].is_null(), "{name}: {data}");
            let service = &data["service"];
            assert!(service["mean_ns_interval"].is_null(), "{name}: {service}");
            for percentile in service["percentiles"].as_array().unwrap() {
                let ends = ["low_ns", "high_ns", "settled"].map(|key| percentile[key].is_null());
                assert_eq!(ends, [true; 3], "{name}: {percentile}");
            }
            let findings = run["findings"].as_array().unwrap();
            let about = |code: &str| {
                let of = |f: &&Value| f["code"] == code && f["stage"] == point["stage"];
                findings.iter().filter(of).count()
            };
            assert_eq!(about("latency-long"), 1, "{name}");
            assert_eq!(about("few-ios"), usize::from(count == 1), "{name}");
        }
        let words = run["verdict"]["sentences"].to_string();
        assert!(words.contains("mean 32.8 s (of 1 I/O only)"), "{words}");
        assert!(run["verdict"]["useful_concurrency"].is_null(), "{words}");
        assert!(!words.contains("Little's law)"), "{words}");
        let csv = finish(&mut place.leadline(["report", "m.leadline", "--csv-totals"]));
        let rows: Vec<Vec<&str>> = csv.stdout.lines().map(|l| l.split(',').collect()).collect();
        let row = rows
            .iter()
            .find(|row| row.contains(&"latency/4k-randread-qd1"))
            .unwrap();
        let known = rows[0].iter().zip(row).filter(|(head, cell)| {
            let is_end = ["_low", "_high", "_settled"]
                .iter()
                .any(|end| head.ends_with(end));
            is_end && !cell.is_empty()
        });
        assert_eq!(known.count(), 0, "{row:?}");
        for kind in ["leadline", "html"] {
            std::fs::remove_file(place.join(&format!("m.{kind}"))).unwrap();
        }
    }
}

/// Little's law holds of the mean: not of the median, and not of a mean with a pause before each I/O that is no shorter.
#[test]
fn what_is_needed_in_flight_is_made_of_a_mean() {
    for (law, needed) in [
        ("service=exp:4ms,parallel=16,iops=700,slice=100ms", 2.8),
        ("service=lognormal:120us:2,parallel=8,iops=9999", 7.6),
        ("service=exp:1ms,parallel=32,iops=9000", 9.0),
    ] {
        let run = surveyed(law);
        let found = run["verdict"]["useful_concurrency"].as_f64().unwrap();
        assert!((found / needed - 1.0).abs() < 0.15, "{law}: {found}");
        let depth = &run["verdict"]["depth"];
        let alone = depth["least_latency_ns"].as_f64().unwrap();
        let stages = run["stages"].as_array().unwrap();
        let first = stages
            .iter()
            .find(|stage| stage["name"] == "latency/4k-randread-qd1");
        let mean = &first.unwrap()["figures"]["data"]["service"]["mean_ns"];
        let ratio = alone / mean.as_f64().unwrap();
        assert!((ratio - 1.0).abs() < 0.02, "{law}: {alone} {mean}");
    }
}

/// Of a cap that one I/O at a time reaches, without a point that waits before each: the law needs half an I/O in flight.
#[test]
fn a_latency_that_may_be_a_wait_for_the_cap_is_no_lower_bound() {
    let law = "service=500us,parallel=128,iops=1000,burst_iops=5000,burst_store=120000";
    let run = surveyed_with(law, &["--quick", "--time", "60s", "--seed", "11"]);
    let verdict = &run["verdict"];
    let [value, low] =
        ["useful_concurrency", "useful_concurrency_low"].map(|key| verdict[key].as_f64().unwrap());
    assert!((value - 1.0).abs() < 0.01 && low < 0.01, "{value} {low}");
    let words = said(&run);
    assert!(
        words.contains("One I/O in flight reaches 1,000 IOPS")
            && words.contains("fewer on average may suffice"),
        "{words}"
    );
    // Of two hosts each has one.
    let options = ["--quick", "--time", "60s", "--seed", "11", "--hosts", "a,b"];
    let words = said(&surveyed_with(law, &options));
    assert!(
        words.contains("2 I/Os in flight, one on each host, reach 1,000 IOPS"),
        "{words}"
    );
}

/// The credits that a rest brought back last to the deepest point of the curve that is measured again: what stays is the rate of
/// the run after it, on one host as on two.
#[test]
fn a_second_curve_that_credits_paid_for_to_its_end_has_the_rate_that_lasts() {
    let law = "iops=6000,burst_iops=12000,burst_store=120000,service=exp:300us,parallel=64";
    for hosts in [&[][..], &["--hosts", "a,b"]] {
        let run = surveyed_with(law, &[&["--quick", "--seed", "5"][..], hosts].concat());
        let (depth, words) = (&run["verdict"]["depth"], said(&run));
        let knee = depth["knee"]["iops"].as_f64().unwrap();
        assert!((knee / 6000.0 - 1.0).abs() < 0.05, "{depth}");
        assert_eq!(depth["knee"]["in_flight"], 2, "{depth}");
        let least = depth["least"].as_f64().unwrap();
        assert!((1.7..2.01).contains(&least), "{depth}");
        // One at a time was measured while the volume did twice as much: it waited for no limit.
        assert!(
            words.contains("in flight are needed for 6,000 IOPS"),
            "{words}"
        );
        assert!(words.contains("a cap of 6,000 IOPS"), "{words}");
    }
}

/// The sentences of a survey of three hosts.
fn said_of_three_hosts(law: &str) -> String {
    let run = surveyed_with(law, &["--quick", "--hosts", "h1,h2,h3"]);
    run["verdict"]["sentences"].to_string()
}

/// Three hosts have three in flight where each has one, which wait for one another: 600 us, and 200 us of one alone.
#[test]
fn of_several_hosts_the_latency_says_how_many_are_in_flight() {
    let words = said_of_three_hosts("service=200us,parallel=1");
    assert!(
        words.contains("At queue depth 1 on each host (3 in flight in all), a 4 KiB random read takes p50 600 us"),
        "{words}"
    );
    assert!(
        words.contains("mean latency 200 us +-<0.1 % of an I/O after a pause"),
        "{words}"
    );
    let words = said_of_three_hosts("service=200us,parallel=12");
    assert!(
        words.contains("200 us +-<0.1 % with 3 in flight, one on each host"),
        "{words}"
    );
    // What is needed at least is no number that is enough: one I/O reaches one volume of three.
    let words = said_of_three_hosts("service=300us,parallel=4,iops=1000,local=yes");
    assert!(
        words.contains("The minimum number of I/Os in flight for 3,000 IOPS"),
        "{words}"
    );
    assert!(!words.contains("enough"), "{words}");
}

/// Seven at once of 300 us give 23,333 a second, four of 325 us 12,308: a cap that is 1 % higher shapes the bursts, and not the
/// rate.
#[test]
fn two_limits_within_two_percent_are_both_named() {
    for law in [
        "service=300us,parallel=7,iops=23500",
        "service=lognormal:300us:0.4,parallel=4,iops=12500",
    ] {
        let run = surveyed(law);
        let limit = &run["verdict"]["limit"];
        let both = serde_json::json!(["iops-cap", "parallelism", "slots"]);
        assert_eq!(limit["possible"], both, "{law}: {limit}");
        assert!(limit["decides"].is_null(), "{law}: {limit}");
        let words = run["verdict"]["sentences"].to_string();
        assert!(words.contains("two limits"), "{law}: {words}");
    }
    // Eight at once of 1 ms are no limit of a volume that has 64, with a cap of the same rate.
    shows_a_cap_or_one_stage("service=1ms,parallel=64,iops=8000", 8000.0);
}

/// Where one host alone excludes limits of each host, a cap and a number at once remain: that is no stage that serves one I/O
/// after another unless bursts showed it.
#[test]
fn a_cap_is_not_likely_only_because_two_causes_remain() {
    let law = "service=exp:4ms,parallel=16,rtt=1ms";
    for seed in ["3", "4"] {
        let run = surveyed_with(law, &["--quick", "--hosts", "h1,h2,h3", "--seed", seed]);
        let limit = &run["verdict"]["limit"];
        assert_ne!(limit["kind"], "iops-cap", "{seed}: {limit}");
        let possible = limit["possible"].as_array().unwrap();
        assert!(possible.contains(&"parallelism".into()), "{seed}: {limit}");
    }
}

/// A cache that holds all that a survey of 256 MiB wrote: every point that reads it is marked, and a volume that is as fast is
/// not.
#[test]
fn reads_of_a_set_in_a_cache_are_marked() {
    let law = "size=2g,service=600us,parallel=8,cache=1g:30us";
    let run = surveyed_with(law, &["--quick"]);
    let marked = |run: &Value| {
        let findings = run["findings"].as_array().unwrap().iter();
        let of = findings.filter(|finding| finding["code"] == "cached-set");
        of.map(|finding| finding["stage"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    let stages = marked(&run);
    let named = |stage: &u64| {
        let all = run["stages"].as_array().unwrap().iter();
        let mut of = all.filter(|one| one["stage"] == *stage);
        of.next().unwrap()["name"].as_str().unwrap().to_owned()
    };
    let names: Vec<String> = stages.iter().map(named).collect();
    for name in [
        "latency/4k-randread-qd1",
        "iops/4k-randread-qd32",
        "throughput/64k-read-qd32",
    ] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
    let others = ["fill", "cold", "write"];
    let is_other = |name: &String| others.iter().any(|part| name.contains(part));
    assert!(!names.iter().any(is_other), "{names:?}");
    assert_ne!(run["verdict"]["grade"], "A");
    for law in [
        "size=2g,service=30us,parallel=128",
        "size=2g,service=600us,parallel=8",
    ] {
        let run = surveyed_with(law, &["--quick"]);
        assert_eq!(marked(&run), Vec::<u64>::new(), "{law}");
        assert_eq!(run["verdict"]["grade"], "A", "{law}");
    }
}

/// 60 MiB/s are 15,360 reads of 4 KiB a second: points of a mix that a number at once holds below them leave the cap less
/// certain than each of them is.
#[test]
fn rates_of_a_mix_have_the_misfit_of_their_law() {
    let run = surveyed("service=exp:150us,parallel=8,read_bytes=60m,write_bytes=20m");
    let words = run["verdict"]["sentences"].to_string();
    let reads = &run["verdict"]["mix"]["fits"][0];
    let end = |key: &str| reads[key].as_f64().unwrap();
    assert!(
        end("read_iops_low") <= 15_360.0 && end("read_iops_high") >= 15_360.0,
        "{reads} {words}"
    );
}

/// What larger blocks do is said of those that were measured: I/Os of 64 KiB are four of this volume.
#[test]
fn the_block_size_that_was_tried_is_named() {
    let run = surveyed_with(
        "service=200us,parallel=64,split=16k,iops=9000",
        &["--quick"],
    );
    let words = run["verdict"]["sentences"].to_string();
    assert!(
        words.contains("Blocks of 16 KiB reach the same rate."),
        "{words}"
    );
    // Whether a cache held all that was read is said where writes are slower, and else that it was not looked for.
    let of = |law: &str| surveyed_with(law, &["--quick"])["verdict"]["sentences"].to_string();
    let alike = of("size=256m,service=1ms,parallel=8");
    assert!(
        alike.contains("a cache that holds all of it is not excluded"),
        "{alike}"
    );
    assert!(!alike.contains("It may be the limit of a cache"), "{alike}");
    let slower = of("size=256m,service=1ms,parallel=8,write_iops=3000");
    assert!(
        slower.contains("It may be the limit of a cache"),
        "{slower}"
    );
}

/// The sentences of a survey's verdict, as one text.
fn said(run: &Value) -> String {
    run["verdict"]["sentences"].to_string()
}

/// Every point begins with what a cache still holds, with a pause before it and without: no credits come back.
#[test]
fn hits_that_each_point_begins_with_are_no_credits() {
    let run = surveyed("cache=200m:200us,service=exp:250us,parallel=16");
    let limit = &run["verdict"]["limit"];
    assert!(limit["credits"].is_null(), "{limit}");
    assert!(limit["change"].is_null(), "{limit}");
    assert_eq!(limit["kind"], "parallelism", "{limit}");
}

/// Hits of one I/O at a time that the highest rate has none of are not what sets it.
#[test]
fn a_rate_without_hits_is_not_of_a_cache() {
    let law = "cache=150m:100us,service=500us,parallel=16";
    let run = surveyed_with(law, &["--seed", "4"]);
    let limit = &run["verdict"]["limit"];
    assert_ne!(limit["kind"], "cache", "{limit}");
    assert!(limit["mixture"].is_null(), "{limit}");
    let possible = limit["possible"].as_array().unwrap();
    assert!(possible.contains(&"parallelism".into()), "{limit}");
    assert!(!said(&run).contains("\"Bottleneck: probably a cache"));
}

/// Where another limit is within a percent, what was measured fits both: the one that the experiments point to is likely,
/// and the others are possible.
#[test]
fn a_limit_with_another_close_to_it_is_not_shown() {
    let close = |law: &str, kind: &str, other: &str| {
        let run = surveyed(law);
        let limit = &run["verdict"]["limit"];
        assert_eq!(limit["kind"], kind, "{law}: {limit}");
        assert_eq!(limit["certainty"], "likely", "{law}: {limit}");
        let possible = limit["possible"].as_array().unwrap();
        for cause in [kind, other] {
            assert!(possible.contains(&cause.into()), "{law}: {limit}");
        }
    };
    // A cap of I/Os is 0.8 % below what the cap of bytes allows.
    close(
        "bytes=100m,iops=25400,service=200us",
        "byte-cap",
        "iops-cap",
    );
    // Four at once give 25,478 a second, and the bytes 25,600.
    close(
        "bytes=100m,parallel=4,service=157us",
        "byte-cap",
        "parallelism",
    );
    // Four at once give 20,202 a second.
    close(
        "iops=20000,parallel=4,service=exp:198us",
        "iops-cap",
        "parallelism",
    );
}

/// A rate that fell while it was confirmed was not held, and one without an interval is not said bare.
#[test]
fn a_rate_that_fell_while_it_was_confirmed_was_not_held() {
    let run = surveyed("cache=512m:20us:writes=back,service=1ms,parallel=16,size=1g");
    let words = said(&run);
    assert!(!words.contains("without a fall"), "{words}");
    assert!(
        words.contains("did not stay the same (see drift)"),
        "{words}"
    );
    assert!(words.contains("(no interval: "), "{words}");
    // One that stayed was.
    let words = said(&surveyed_with("iops=2000,service=200us", &["--quick"]));
    assert!(words.contains("without a fall"), "{words}");
}

/// Credits that end in the run that confirms a rate: its mean is of both rates, and so uneven that it agrees with the one before. A
/// pause shows that these are credits, and no rate is said to have been confirmed without a fall.
#[test]
fn credits_that_end_while_a_rate_is_confirmed_are_named() {
    for (store, more) in [
        ("126000", &["--quick", "--seed", "9"][..]),
        ("372000", &["--seed", "1"]),
    ] {
        let law =
            format!("iops=6000,burst_iops=12000,burst_store={store},service=exp:300us,parallel=64");
        let run = surveyed_with(&law, more);
        let limit = &run["verdict"]["limit"];
        assert_eq!(limit["kind"], "iops-cap", "{law}: {limit}");
        let rate = limit["iops"].as_f64().unwrap();
        assert!((rate / 6000.0 - 1.0).abs() < 0.02, "{law}: {limit}");
        // Points before it spent some and brought some back: its bounds are what is known of the store.
        let ends = ["store_ios_low", "store_ios_high"].map(|key| limit["credits"][key].as_f64());
        let [low, high] = ends.map(Option::unwrap_or_default);
        let store: f64 = store.parse().unwrap();
        assert!((low..=high).contains(&store), "{law}: {limit}");
        let words = said(&run);
        assert!(
            words.contains("Credits came back during a pause") && !words.contains("without a fall"),
            "{words}"
        );
    }
}

/// A rate that fell between two experiments: the curve of what stays is measured again, and its limit is looked for on that curve
/// alone, in rounds of its own. Two rates at two depths are not said to be of one setting.
#[test]
fn a_rate_that_fell_between_experiments_has_its_limit_on_the_second_curve() {
    let run = surveyed_with(
        "size=1g,iops=20000,service=200us,at=30s:service=exp:3ms",
        &["--quick"],
    );
    let limit = &run["verdict"]["limit"];
    // 32 at once of 3 ms each.
    assert_eq!(limit["kind"], "parallelism", "{limit}");
    let rate = limit["iops"].as_f64().unwrap();
    assert!((rate / 10_667.0 - 1.0).abs() < 0.02, "{limit}");
    let change = &limit["change"];
    let [before, after] =
        ["before_in_flight", "after_in_flight"].map(|key| change[key].as_u64().unwrap());
    assert!(before < after, "{change}");
    let words = said(&run);
    let rates = format!("with {before} in flight to ");
    assert!(
        words.contains(&rates) && !words.contains("at the same setting"),
        "{words}"
    );
    assert!(words.contains("did not bring it back"), "{words}");
}

/// Jobs that differ in their volume, their flushes or their offsets are no two measurements of one thing: neither a curve nor a
/// change of the rate is made of them. Two of the same are, whatever their files are called.
#[test]
fn jobs_of_other_volumes_or_other_work_are_not_compared() {
    let place = Place::new();
    let of = |jobs: &str, maps: &[&str]| {
        let global = "[global]\nrw=randwrite\nbs=4k\nioengine=io_uring\ndirect=1\nsize=64m\nruntime=5\n\
                      time_based\niodepth=8\n";
        std::fs::write(place.path().join("jobs.fio"), format!("{global}{jobs}")).unwrap();
        let maps = maps.iter().map(|map| format!("--map={map}"));
        let mut words = vec![
            "fio".to_owned(),
            "jobs.fio".to_owned(),
            "--leadline-run=m.leadline".to_owned(),
        ];
        words.extend(maps);
        let ran = finish(&mut place.leadline(&words));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let shown = finish(&mut place.leadline(["report", "m.leadline", "--json"])).json();
        std::fs::remove_file(place.path().join("m.leadline")).unwrap();
        let findings = shown["findings"].as_array().unwrap().iter();
        let differs = findings.filter(|f| f["code"] == "repeats-differ").count() > 0;
        (differs, shown["verdict"].clone())
    };
    let one = "/dev/v=sim:iops=20000,fsync=500us,service=100us,size=1g";
    let fast = "/dev/a=sim:iops=20000,service=100us,size=1g";
    let slow = "/dev/b=sim:iops=3000,service=100us,size=1g";
    let two = "[x]\nfilename=/dev/a\n[y]\nstonewall\nfilename=/dev/b\n";
    assert!(!of(two, &[fast, slow]).0);
    let flushed = "[x]\nfilename=/dev/v\n[y]\nstonewall\nfsync=1\nfilename=/dev/v\n";
    assert!(!of(flushed, &[one]).0);
    let curve = "[a1]\nfilename=/dev/a\niodepth=1\n[a4]\nstonewall\nfilename=/dev/a\niodepth=4\n\
                 [b16]\nstonewall\nfilename=/dev/b\niodepth=16\n[b64]\nstonewall\nfilename=/dev/b\niodepth=64\n";
    let (differs, verdict) = of(curve, &[fast, slow]);
    assert!(!differs && verdict["knee_depth"].is_null(), "{verdict}");
    // The same on one volume: of two files the second finds no credits.
    let spent = "/mnt/v=sim:iops=1000,burst_iops=5000,burst_store=20000,service=100us";
    let files = "[x]\nfilename=/mnt/v/a\n[y]\nstonewall\nfilename=/mnt/v/b\n";
    assert!(of(files, &[spent]).0);
    let (_, verdict) = of(&curve.replace("/dev/b", "/dev/a"), &[fast]);
    assert!(verdict["knee_depth"].is_number(), "{verdict}");
}

/// Of a survey with two curves the highest rate of each is measured once more; one that did not repeat is not said alone.
#[test]
fn the_highest_rate_of_writes_is_measured_once_more() {
    let law = "size=8g,iops=20000,service=exp:300us";
    let full = |law: &str| {
        let place = Place::new();
        let words = ["measure", "--full", "--seed", "1", "--out", "m"];
        let target = format!("sim:{law}");
        let done = finish(&mut place.leadline([&words[..], &[&target]].concat()));
        assert_eq!(done.code, Some(0), "{law}: {done:?}");
        let page = std::fs::read_to_string(place.path().join("m.html")).unwrap();
        (done.stdout, page)
    };
    let contradiction = "Measured once more, depth 32 had 4,000 IOPS";
    let (text, page) = full(law);
    assert!(text.contains("confirm/4k-randwrite-qd32"), "{text}");
    assert!(!page.contains("Measured once more"));
    let (text, page) = full(&format!("{law},at=1040s:iops=4000"));
    assert!(text.contains("confirm/4k-randwrite-qd32"), "{text}");
    assert!(page.contains(contradiction), "{text}");
}

/// Writes that are slower for good are seen though no setting was measured twice: by a deeper queue, and by the mixes.
#[test]
fn writes_that_became_slow_between_two_points_are_no_grade_a() {
    for (law, more) in [
        ("wear=12g:5,service=200us", &[][..]),
        ("wear=3g:3,service=200us,parallel=16", &[]),
        ("wear=2g:5", &["--quick"]),
    ] {
        let run = surveyed_with(law, more);
        assert_ne!(run["verdict"]["grade"], "A", "{law}");
        let mut findings = run["findings"].as_array().unwrap().iter();
        let found = findings.find(|f| f["code"] == "repeats-differ");
        let text = found
            .map(|f| f["text"].as_str().unwrap())
            .unwrap_or_default();
        assert!(
            text.contains("the rate of writes fell in between"),
            "{law}: {text}"
        );
        // Of writes that fell within a point, that is said; else what shows it is.
        let words = said(&run);
        let is_said = [
            "the rate of writes fell in between",
            "The rate fell in iops/4k-randwrite-qd32",
        ];
        assert!(
            is_said.iter().any(|text| words.contains(text)),
            "{law}: {words}"
        );
    }
}

/// Credits of bytes that were spent in the fill, or in the point of the curve that is its best: a throughput that one block size had and
/// a larger number of I/Os had not is no limit's, and the mean of a point that fell is no rate of it.
#[test]
fn credits_of_bytes_are_named_where_one_point_alone_shows_them() {
    let mib = 1024.0 * 1024.0;
    for (seed, law, store) in [
        (
            "8",
            "bytes=20m,burst_bytes=60m,burst_bytes_store=500m",
            500.0,
        ),
        (
            "22",
            "bytes=40m,burst_bytes=120m,burst_bytes_store=800m",
            800.0,
        ),
    ] {
        let run = surveyed_with(law, &["--seed", seed]);
        let credits = &run["verdict"]["limit"]["credits"];
        let found = credits["store_bytes"].as_f64().unwrap_or_default() / mib;
        assert!((found / store - 1.0).abs() < 0.02, "{law}: {credits}");
        assert_ne!(run["verdict"]["grade"], "A", "{law}");
    }
}

/// A figure of a point in which the rate changed is of both levels, and a mix of before the credits were spent is said to be.
#[test]
fn figures_of_two_levels_are_said_as_two() {
    let moved = "iops=2000,parallel=8,at=15s:iops=1000,at=35s:iops=2000";
    let words = said(&surveyed_with(moved, &["--seed", "5"]));
    // Each with its interval, and not as the median of intervals, which is off by up to an I/O: 998.
    for part in [
        "random reads at depth 32 reach 2,000 IOPS +-",
        " until 15.0 s into the run and 1,000 IOPS +-",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let spent = "iops=800,burst_iops=2400,burst_store=100000,write_cost=1.5";
    let words = said(&surveyed_with(spent, &["--seed", "4"]));
    assert!(
        words.contains("Before the credits were spent: The lowest mixed total is 1,920 IOPS"),
        "{words}"
    );
}

/// A bucket is empty for the first time in a point of writes; the curve of reads sees it again a minute later.
#[test]
fn credits_are_spent_when_they_first_were() {
    let run = surveyed("iops=1000,burst_iops=4000,burst_store=60000,service=100us");
    let credits = &run["verdict"]["limit"]["credits"];
    let number = |key: &str| credits[key].as_f64().unwrap();
    // Nothing but a fill of 256 ms is before the first point: 4,000 a second for 20 s.
    assert!((number("fell_at_s") / 20.0 - 1.0).abs() < 0.1, "{credits}");
    assert!(
        (number("store_ios") / 60_000.0 - 1.0).abs() < 0.02,
        "{credits}"
    );
    let words = said(&run);
    let early =
        "Measured before the credits were spent: latency/4k-randwrite-qd1, latency/4k-randread-qd1";
    assert!(words.contains(early), "{words}");
}

/// Credits that are first spent in a warm-up, in a point of reads and writes or between two points are spent then: the points
/// after it are not listed as before it, and what came back in a pause is no second bucket.
#[test]
fn credits_are_spent_in_whichever_part_of_a_run_they_are() {
    let of = |law: &str, more: &[&str]| {
        let run = surveyed_with(law, more);
        let credits = run["verdict"]["limit"]["credits"].clone();
        assert!(credits.is_object(), "{law}: {}", run["verdict"]["limit"]);
        (credits, said(&run))
    };
    let near = |credits: &Value, key: &str, value: f64, within: f64| {
        let got = credits[key].as_f64().unwrap();
        assert!((got - value).abs() <= within, "{key} {got}: {credits}");
    };
    // In the first tenth of a second of the warm-up of a mix, 66 s into the run; again after a pause.
    let law = "iops=1500,burst_iops=6000,burst_store=250000,service=400us";
    let (credits, words) = of(law, &["--seed", "8"]);
    near(&credits, "fell_at_s", 66.2, 0.3);
    near(&credits, "store_ios", 250_000.0, 2500.0);
    assert!(words.contains("mix/4k-randrw75-qd32."), "{words}");
    assert!(!words.contains("mix/4k-randrw50-qd32"), "{words}");
    // One I/O at a time reaches what is left, and waits for it: before, it took 400 us.
    assert!(
        words.contains("less than one on average (mean latency 400 us"),
        "{words}"
    );
    // Of bytes, in a mix.
    let law = "bytes=100m,burst_bytes=300m,burst_bytes_store=8g";
    let (credits, words) = of(law, &["--seed", "11"]);
    near(&credits, "store_bytes", 8.0 * 1024.0 * 1024.0 * 1024.0, 1e8);
    assert!(
        words.contains("were spent during mix/4k-randrw75-qd32: the figures there mix both"),
        "{words}"
    );
    assert!(
        words.contains("The mixed total is the same at 25 and 50 % reads: 25,600 IOPS"),
        "{words}"
    );
    // In the last interval of a point.
    let law = "iops=1000,burst_iops=5000,burst_store=70000,service=200us";
    let (credits, words) = of(law, &["--seed", "11", "--quick"]);
    near(&credits, "store_ios", 70_000.0, 1400.0);
    assert!(!words.contains("mix/4k-randrw50-qd32"), "{words}");
    assert!(!words.contains("At least one I/O in flight"), "{words}");
}

/// Credits that were gone before the first point of the curve, in the fill or in writes, are named: nothing on the curve shows
/// a fall, and what bursts and other block sizes show after idle moments is paid for with credits that came back. A rate that
/// fell for good in the fill has none.
#[test]
fn credits_that_no_point_of_the_curve_saw_are_named() {
    let mib = 1024.0 * 1024.0;
    for (law, more, store, kind) in [
        (
            "bytes=20m,burst_bytes=60m,burst_bytes_store=700m",
            "64k",
            700.0 * mib,
            "byte-cap",
        ),
        (
            "bytes=30m,burst_bytes=90m,burst_bytes_store=1500m",
            "64k",
            1500.0 * mib,
            "byte-cap",
        ),
        (
            "iops=1500,burst_iops=4500,burst_store=8000",
            "4k",
            8000.0,
            "iops-cap",
        ),
    ] {
        let run = surveyed_with(law, &["--seed", "77", "--bs", more]);
        let limit = &run["verdict"]["limit"];
        assert_eq!(limit["kind"], kind, "{law}: {limit}");
        let key = if kind == "byte-cap" {
            "store_bytes"
        } else {
            "store_ios"
        };
        let found = limit["credits"][key].as_f64().unwrap();
        assert!((found / store - 1.0).abs() < 0.02, "{law}: {found}");
        assert_ne!(run["verdict"]["grade"], "A", "{law}");
    }
    let run = surveyed_with(
        "bytes=60m,at=5s:bytes=20m",
        &["--seed", "77", "--bs", "64k"],
    );
    let limit = &run["verdict"]["limit"];
    assert!(limit["credits"].is_null(), "{limit}");
    assert_eq!(limit["kind"], "byte-cap", "{limit}");
}

/// A cap that one I/O in flight reaches: what came back in the pause shows at the depth that had spent it.
#[test]
fn credits_show_after_a_pause_at_the_depth_that_spent_them() {
    let law = "service=1ms,parallel=64,iops=1000,burst_iops=5000,burst_store=120000";
    let run = surveyed_with(law, &["--time", "60s", "--seed", "5"]);
    let limit = &run["verdict"]["limit"];
    assert_eq!(limit["kind"], "iops-cap", "{limit}");
    assert_eq!(limit["change"]["returned"], true, "{limit}");
    holds(&limit["credits"], "store_ios", 120_000.0);
}

/// Where a write takes more of a bucket than a read, it counts as much as the rates of both show: the store is that of the law,
/// and it is empty when it is. Where writes may as well have a cap of their own, and no mix shows it, what it held is not known.
#[test]
fn a_write_counts_as_much_of_a_bucket_as_it_takes() {
    let near = |credits: &Value, key: &str, value: f64, within: f64| {
        let got = credits[key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key}: {credits}"));
        assert!((got - value).abs() <= within, "{key} {got}: {credits}");
    };
    let of = |law: &str, more: &[&str]| {
        let run = surveyed_with(law, &[&["--seed", "77"], more].concat());
        (run["verdict"]["limit"]["credits"].clone(), said(&run))
    };
    let three = "iops=1200,burst_iops=3600,burst_store=60000,write_cost=3";
    let four = "iops=1500,write_cost=4,burst_iops=4500";
    for (law, more, store, fell, cost) in [
        (three.to_owned(), &[][..], 60_000.0, 25.0, 3.0),
        (three.to_owned(), &["--quick"], 60_000.0, 25.0, 3.0),
        // At the end of the first writes.
        (
            format!("{four},burst_store=20000"),
            &[],
            20_000.0,
            6.67,
            4.0,
        ),
        // Writes come first and empty the bucket, and the answer is of reads.
        (
            format!("{four},burst_store=60000"),
            &["--full", "--time", "6s"],
            60_000.0,
            20.0,
            4.0,
        ),
        (
            "iops=1000,burst_iops=4000,burst_store=60000,service=100us,write_iops=700".to_owned(),
            &[],
            60_000.0,
            40.8,
            1.0,
        ),
    ] {
        let (credits, words) = of(&law, more);
        near(&credits, "store_ios", store, 0.02 * store);
        holds(&credits, "store_ios", store);
        near(&credits, "fell_at_s", fell, 0.1);
        near(&credits, "write_cost", cost, 0.02 * cost);
        assert_eq!(
            words.contains("times as much as a read)"),
            cost > 1.0,
            "{words}"
        );
    }
    let law = "iops=1000,burst_iops=4000,burst_store=52000,service=100us,write_iops=700";
    let (credits, words) = of(law, &["--quick"]);
    for key in ["store_ios", "write_cost", "lasts_s", "refill_s"] {
        assert!(
            credits.is_object() && credits[key].is_null(),
            "{key}: {credits}"
        );
    }
    let ends = ["store_ios_low", "store_ios_high"].map(|key| credits[key].as_f64().unwrap());
    assert!(ends[0] < 53_000.0 && ends[1] > 60_000.0, "{credits}");
    assert!(
        words.contains("What the bucket held at the start is not known"),
        "{words}"
    );
}

/// A bucket of bytes from which larger I/Os drew as well: of I/Os it would hold fewer, and where neither was shown both are said.
#[test]
fn a_bucket_that_may_hold_ios_or_bytes_is_said_in_both() {
    let law = "bytes=100m,burst_bytes=150m,burst_bytes_store=2g,write_cost=2";
    let run = surveyed_with(law, &["--seed", "1"]);
    let limit = &run["verdict"]["limit"];
    assert_eq!(limit["kind"], "unknown", "{limit}");
    let credits = &limit["credits"];
    let held = credits["store_bytes"].as_f64().unwrap();
    assert!((held / 2_147_483_648.0 - 1.0).abs() < 0.005, "{credits}");
    for key in ["lasts_s", "refill_s"] {
        assert!(credits.is_object() && credits[key].is_null(), "{credits}");
    }
    // That of the run which confirms it: too few intervals follow the fall.
    assert!(credits["low_iops_low"].is_number(), "{credits}");
    let words = said(&run);
    assert!(
        words.contains("was not shown: at the start it held about 210,000 I/Os +-")
            && words.contains(" in the first case and 2.00 GiB +-")
            && words.contains(" in the second (a write"),
        "{words}"
    );
}

/// A rate that fell and rose again: the points of the lower level are named, the mix is of that level alone, and no law is made
/// of both. What one I/O at a time reaches by its latency is no level.
#[test]
fn the_points_of_a_level_that_went_are_named() {
    let of = |law: &str| surveyed_with(law, &["--seed", "77"]);
    let text = |run: &Value| {
        let mut found = run["findings"].as_array().unwrap().iter();
        let found = found.find(|f| f["code"] == "repeats-differ");
        found.map_or(String::new(), |f| f["text"].as_str().unwrap().to_owned())
    };
    let run = of("iops=2000,at=25s:iops=1200,at=70s:iops=2000");
    let found = text(&run);
    let lower = "Measured at 1,200 IOPS: depth/4k-randread-qd2, depth/4k-randread-qd4, mix/4k-randrw75-qd32, \
                 mix/4k-randrw50-qd32, mix/4k-randrw25-qd32; at both: confirm/4k-randread-qd1; ";
    assert!(
        found.contains("2,000 IOPS from 70.0 s. ") && found.contains(lower),
        "{found}"
    );
    let words = said(&run);
    assert!(
        words.contains("While the rate was 1,200 IOPS: The mixed total is the same"),
        "{words}"
    );
    assert!(!words.contains("are capped at"), "{words}");
    // The mixes are of both: there is no lowest of them.
    let run = of("iops=2000,at=20s:iops=1000,at=60s:iops=2000");
    let found = text(&run);
    assert!(
        found.contains(" IOPS: throughput/64k-read-qd32, throughput/64k-write-qd32, depth/"),
        "{found}"
    );
    let words = said(&run);
    assert!(
        words.contains("Mix of reads and writes unknown: its points were measured while"),
        "{words}"
    );
    for law in [
        "service=1ms,iops=2000,at=44s:iops=1000",
        "iops=2000",
        "iops=2000,write_iops=1000",
    ] {
        let found = text(&of(law));
        assert!(!found.contains("went back"), "{law}: {found}");
    }
}

/// What is needed in flight is rate times mean latency of one alone, both with the slow I/Os of the target's own, or both
/// without a few stalls: 32 are at work at once.
#[test]
fn slow_ios_are_in_both_factors_of_what_is_needed_or_in_none() {
    for (law, within) in [
        ("mix=99.5%:1ms/0.5%:30ms,parallel=32", 0.06),
        ("every=1s:40ms,service=1ms,parallel=32", 0.005),
    ] {
        let run = surveyed_with(law, &["--seed", "5"]);
        let needed = run["verdict"]["useful_concurrency"].as_f64().unwrap();
        assert!((needed / 32.0 - 1.0).abs() <= within, "{law}: {needed}");
        let depth = &run["verdict"]["depth"];
        let of = |key: &str| depth[key].as_f64().unwrap();
        assert!(
            of("least_low") <= 32.001 && of("least_high") >= 31.99,
            "{law}: {depth}"
        );
        // No mean is below the smallest of what it is of.
        assert!(of("least_latency_low_ns") >= 990_000.0, "{law}: {depth}");
    }
}

/// A stall every 7 s falls into some points of 5 s and not into others: a rate of those with one says what it is between them,
/// which is the rate of all.
#[test]
fn rates_with_a_stall_say_what_they_are_between_their_stalls() {
    let law = "every=7s:200ms,service=exp:5ms,parallel=16,iops=1500,size=1g";
    let run = surveyed_with(law, &["--seed", "77"]);
    let words = said(&run);
    let with: Vec<_> = words.match_indices("1,440 IOPS").collect();
    assert!(!with.is_empty(), "{words}");
    for (at, _) in with {
        let rest: String = words[at..].chars().take(90).collect();
        assert!(
            rest.contains(" between its stalls)") && rest.contains("(1,500 IOPS +-"),
            "{rest} in {words}"
        );
    }
}

/// Where in a point a stall falls is chance: each is called one, takes as long, and leaves the rate between, at each depth; and what
/// is said to be needed in flight is of the time between.
#[test]
fn a_stall_is_the_same_wherever_in_a_point_it_falls() {
    for seed in ["1", "2", "3"] {
        let law = "iops=5000,service=500us,every=5s:300ms";
        let run = surveyed_with(law, &["--quick", "--seed", seed]);
        let mut whole = 0;
        for stage in run["stages"].as_array().unwrap() {
            let own = &stage["workloads"][0]["stalls"];
            let (Some(longest), Some(1)) = (own["longest_ns"].as_f64(), own["times"].as_u64())
            else {
                continue;
            };
            // One that the window cuts takes less of it.
            let is_whole = longest >= 290e6;
            assert!(longest <= 310e6, "{seed}: {stage}");
            let number = stage["stage"].as_u64();
            let findings = run["findings"].as_array().unwrap().iter();
            let mut codes = findings.filter(|f| f["stage"].as_u64() == number);
            let code = if longest >= 200e6 {
                "stall"
            } else {
                "short-stalls"
            };
            assert!(codes.any(|f| f["code"] == code), "{seed}: {code} {own}");
            whole += u32::from(is_whole);
        }
        assert!(whole >= 4, "{seed}: {whole}");
        let depth = &run["verdict"]["depth"];
        let least = depth["least"].as_f64().unwrap();
        assert!((least - 2.5).abs() < 0.06, "{seed}: {depth}");
        let used = &depth["to_use"];
        let between = used["iops_between_stalls"].as_f64();
        let rate = between.or(used["iops"].as_f64()).unwrap();
        assert!((rate / 5000.0 - 1.0).abs() < 0.01, "{seed}: {depth}");
    }
}

/// One I/O of a thousand takes 400 ms by itself: of several in flight the others go on, and no more than reached the rate are needed.
#[test]
fn slow_ios_that_end_one_by_one_are_no_stall() {
    let place = Place::new();
    let law = "sim:mix=99.9%:300us/0.1%:400ms";
    let words = [
        "study", "depth", "--depths", "1,2,4", "--seed", "1", "--json", "--out", "m", law,
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let run: Value = serde_json::from_str(&done.stdout).unwrap();
    let stages = run["stages"].as_array().unwrap().iter();
    let stalled = stages.filter(|stage| stage["workloads"][0]["stalls"].is_object());
    let names: Vec<_> = stalled.map(|stage| stage["name"].to_string()).collect();
    assert!(
        !names.is_empty() && names.iter().all(|name| name.contains("qd1-")),
        "{names:?}"
    );
    let needed = &run["study"]["values"]["useful_concurrency"];
    assert!(needed["high"].as_f64().unwrap() <= 4.0, "{needed}");
}

/// A volume that does less in a slice than would be missed there stalls as a quick one does, and without stalls it has none.
#[test]
fn a_slow_volume_has_its_stalls_too() {
    let found = |law: &str, more: &[&str]| {
        let run = surveyed_with(law, more);
        let stages = run["stages"].as_array().unwrap().iter();
        let longest = |stage: &Value| stage["workloads"][0]["stalls"]["longest_ns"].as_f64();
        let mut found: Vec<f64> = stages.filter_map(longest).collect();
        found.sort_by(f64::total_cmp);
        found
    };
    for (law, more, longest) in [
        (
            "iops=200,service=1ms,every=7s:500ms",
            ["--seed", "6"].as_slice(),
            500e6,
        ),
        (
            "iops=500,service=200us,every=5s:300ms",
            &["--quick", "--seed", "5"],
            300e6,
        ),
    ] {
        let stalls = found(law, more);
        let whole = stalls
            .iter()
            .filter(|held| (**held / longest - 1.0).abs() < 0.05)
            .count();
        assert!(whole >= 4, "{law}: {stalls:?}");
        assert!(
            *stalls.last().unwrap() < 1.05 * longest,
            "{law}: {stalls:?}"
        );
    }
    for law in ["iops=200,service=1ms", "service=exp:10ms,parallel=2"] {
        assert_eq!(found(law, &["--seed", "6"]), [0.0; 0], "{law}");
    }
}

/// The slowest of exponential I/Os take as long as those that a stall held: with them there were six stalls in 5 s instead of one,
/// and the depth that has all of the rate between stalls was said to have 94 % of it.
#[test]
fn a_tail_beside_a_stall_leaves_the_share_of_the_rate_between_stalls() {
    let law = "service=exp:500us,parallel=16,every=5s:300ms";
    for seed in ["1", "2"] {
        let run = surveyed_with(law, &["--seed", seed]);
        let used = &run["verdict"]["depth"]["to_use"];
        let of = |key: &str| used[key].as_f64().unwrap_or_default();
        assert!((of("in_flight") - 16.0).abs() < 0.1, "{seed}: {used}");
        assert!(of("share") >= 0.97, "{seed}: {used}");
        if used["iops_between_stalls"].is_number() {
            let between = of("iops_between_stalls");
            assert!((between / 32_000.0 - 1.0).abs() < 0.02, "{seed}: {used}");
            let ends = ["iops_between_stalls_low", "iops_between_stalls_high"].map(of);
            assert!(ends[0] <= between && between <= ends[1], "{seed}: {used}");
        }
    }
}

/// Of a stall at the end of each point the rates say so too: the depth that has all of the rate between stalls is not said to
/// have the share of it that it has with its stall.
#[test]
fn a_stall_at_the_end_of_points_is_one_as_well() {
    let law = "every=6s:300ms,service=exp:5ms,parallel=64,iops=3000,size=1g";
    let run = surveyed_with(law, &["--seed", "1"]);
    let words = said(&run);
    assert!(
        words.contains("depth 32 reaches 100 % of that rate"),
        "{words}"
    );
    // The sentence on its confirmation says that it is with its stalls.
    let rates = ["2,820 IOPS", "2,830 IOPS", "2,840 IOPS"];
    let with = rates.iter().flat_map(|rate| words.match_indices(rate));
    let with: Vec<usize> = with
        .map(|found| found.0)
        .filter(|at| !words[..*at].ends_with("This rate, "))
        .collect();
    assert!(with.len() > 3, "{words}");
    for at in &with {
        let rest: String = words[*at..].chars().take(90).collect();
        assert!(rest.contains(" between its stalls)"), "{rest} in {words}");
    }
    // The grade counts at least as many points as the sentences name.
    let findings = run["findings"].as_array().unwrap().iter();
    let stalls = findings.filter(|f| f["code"] == "stall" || f["code"] == "short-stalls");
    assert!(stalls.count() >= with.len(), "{run}");
}

/// A stall that takes one interval of the statistics is reported, and the rate is not said to be without it; a long tail is none.
#[test]
fn a_stall_of_one_interval_is_reported_and_a_long_tail_is_none() {
    let run = surveyed_with("every=2s:100ms,service=1ms,parallel=16", &["--seed", "5"]);
    let found = run["findings"].as_array().unwrap();
    assert!(
        found.iter().any(|f| f["code"] == "short-stalls"),
        "{found:?}"
    );
    assert_ne!(run["verdict"]["grade"], "A");
    let words = said(&run);
    assert!(words.contains("stalled at times"), "{words}");
    assert!(
        words.contains("including its stalls, without a fall to another level"),
        "{words}"
    );
    // Of parallelism and slots a larger set decides nothing.
    assert!(
        words.contains("would decide whether a cache sets this limit"),
        "{words}"
    );
    let run = surveyed_with("service=lognormal:300us:1.5,parallel=8", &["--seed", "7"]);
    let words = said(&run);
    assert!(!words.contains("stalled"), "{words}");
    // With pauses the next burst begins when the slowest of the last one has ended.
    let bursts = surveyed_with("service=lognormal:1ms:1.8,parallel=16", &["--seed", "3"]);
    assert!(!said(&bursts).contains("stall"), "{}", said(&bursts));
    // Depth 16 was 1.4 % faster by chance: the run that confirms it is no faster than depth 8.
    assert!(
        words.contains("more depth only adds latency: at depth 32"),
        "{words}"
    );
}

/// Of two states it is said where one ends, where that is known.
#[test]
fn a_change_within_a_point_says_which_points_are_of_which_state() {
    let text = |law: &str| {
        let run = surveyed_with(law, &["--quick"]);
        let mut found = run["findings"].as_array().unwrap().iter();
        let found = found.find(|f| f["code"] == "repeats-differ");
        found.unwrap()["text"].as_str().unwrap().to_owned()
    };
    let moved = text("at=21s:iops=1000,service=200us,parallel=16");
    assert!(moved.contains("The rate changed within "), "{moved}");
    let spent = text("iops=1000,burst_iops=5000,burst_store=70000,service=200us");
    assert!(
        spent.contains("Burst credits were spent 17.5 s into the run"),
        "{spent}"
    );
}

/// The table of depths says that it is of after the fall, and which of its rates do not last.
#[test]
fn a_curve_that_was_measured_again_says_so() {
    let place = Place::new();
    let law = "sim:bytes=100m,burst_bytes=300m,burst_bytes_store=8g";
    let words = ["measure", "--seed", "11", "--out", "m", law];
    let done = finish(&mut place.leadline(words));
    let at = done.stdout.find("queue depth, measured again").unwrap();
    let table = &done.stdout[at..];
    let line = |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap();
    // 40,000 at a depth of 4, of which 25,600 last.
    let end = |name: &str, cell: &str| line(name).find(cell).map(|at| at + cell.len());
    assert_eq!(line("credits").matches("yes").count(), 1, "{table}");
    let rate = end("IOPS", "40,000").unwrap();
    assert_eq!(end("credits", "yes"), Some(rate), "{table}");
    // A constant rate is known exactly, and the second measurement of the highest one is shown.
    assert!(line("  +-95%").contains("<0.1%"), "{table}");
    let heading = table.split("\nin flight ").next().unwrap();
    let heading: Vec<&str> = heading.split_whitespace().collect();
    let said = heading.join(" ");
    assert!(
        said.ends_with("; at 16 in flight: the second measurement"),
        "{said}"
    );
}

/// One I/O alone before the volume changed says nothing of how many the rate after it needs, and what was measured before is
/// named.
#[test]
fn figures_of_two_levels_are_not_put_together() {
    let run = surveyed("at=10s:service=700us");
    let verdict = &run["verdict"];
    assert!(verdict["useful_concurrency"].is_null(), "{verdict}");
    let words = said(&run);
    assert!(
        words.contains("one I/O at a time was measured while the volume had another rate"),
        "{words}"
    );
    assert!(
        words.contains("Measured before that: latency/4k-randwrite-qd1."),
        "{words}"
    );
    let run = surveyed("at=40s:iops=1000");
    let words = said(&run);
    let early = "Measured before that: latency/4k-randwrite-qd1, latency/4k-randread-qd1, iops/4k-randread-qd32";
    assert!(words.contains(early), "{words}");
}

/// A seed; the higher and the lower rate, the store and what a write takes of it; the last point before it is empty; the reads in
/// percent of the mix in which that is.
const SPENT_IN_MIXES: [(&str, [f64; 4], &str, Option<&str>); 4] = [
    (
        "1",
        [1800.0, 600.0, 64_000.0, 2.5],
        "throughput/64k-write-qd32.",
        Some("75"),
    ),
    (
        "12",
        [1800.0, 600.0, 70_000.0, 2.5],
        "mix/4k-randrw75-qd32.",
        Some("50"),
    ),
    (
        "1",
        [1800.0, 600.0, 62_000.0, 4.0],
        "throughput/64k-write-qd32.",
        Some("75"),
    ),
    (
        "1",
        [3000.0, 1000.0, 110_000.0, 2.0],
        "mix/4k-randrw75-qd32.",
        None,
    ),
];

/// Credits that are spent while mixes are measured are spent then, whatever a write takes of them: the mixes after that are no part
/// of what was before, and the one in which it was is named. The rates of reads alone and of writes alone, with which each mix
/// agrees, show what a write takes.
#[test]
fn credits_spent_in_a_mix_are_spent_when_that_shows_it() {
    for (seed, [high, low, store, cost], before, within) in SPENT_IN_MIXES {
        let law = format!(
            "iops={low},burst_iops={high},burst_store={store},write_cost={cost},parallel=64"
        );
        let run = surveyed_with(&law, &["--seed", seed]);
        let credits = &run["verdict"]["limit"]["credits"];
        let number = |key: &str| {
            credits[key]
                .as_f64()
                .unwrap_or_else(|| panic!("{law}: {credits}"))
        };
        assert!(
            (number("fell_at_s") - store / (high - low)).abs() < 0.2,
            "{law}: {credits}"
        );
        assert!(
            (number("store_ios") / store - 1.0).abs() < 0.02,
            "{law}: {credits}"
        );
        assert!(
            (number("write_cost") / cost - 1.0).abs() < 0.02,
            "{law}: {credits}"
        );
        let words = said(&run);
        let (_, early) = words
            .split_once("Measured before the credits were spent: ")
            .unwrap();
        let end = early
            .find(before)
            .unwrap_or_else(|| panic!("{law}: {words}"));
        assert!(!early[..end].contains('.'), "{law}: {words}");
        let of_both =
            within.map(|reads| format!("The credits were spent during mix/4k-randrw{reads}-qd32"));
        assert!(
            of_both.is_none_or(|text| words.contains(&text)),
            "{law}: {words}"
        );
    }
    // Writes with a cap of their own: nothing shows that they take more.
    let law = "iops=600,burst_iops=1800,burst_store=64000,write_iops=720,parallel=64";
    let credits = surveyed_with(law, &[])["verdict"]["limit"]["credits"].clone();
    let cost = credits["write_cost"].as_f64();
    assert!(
        cost.is_none_or(|cost| (cost - 1.0).abs() < 0.02),
        "{credits}"
    );
}

/// One I/O at a time that was measured at the level which came back is of that level, and experiments between which the level
/// changed do not contradict one another.
#[test]
fn what_was_measured_at_the_level_that_came_back_is_of_it() {
    let law = "iops=2000,parallel=8,at=25s:iops=1200,at=70s:iops=2000";
    let words = said(&surveyed_with(law, &["--seed", "3"]));
    assert!(
        !words.contains("measured while the volume had another rate"),
        "{words}"
    );
    assert!(!words.contains("contradict"), "{words}");
    assert!(
        words.contains("the rate changed between the experiments"),
        "{words}"
    );
}

/// A point of mixed I/O with a change of its own, by the factor of the levels, is of both; those before it are of the lower one.
#[test]
fn a_mix_with_a_change_of_its_own_is_of_both_levels() {
    let place = Place::new();
    let law = "sim:iops=2000,write_cost=2,at=25s:iops=1200,at=60s:iops=2000";
    let words = [
        "study", "mix", "--step", "25", "--seed", "3", "--time", "10s", "--json", "--out", "m", law,
    ];
    let done = finish(&mut place.leadline(words));
    let run: Value = serde_json::from_str(&done.stdout).unwrap();
    let mut found = run["findings"].as_array().unwrap().iter();
    let found = found.find(|f| f["code"] == "repeats-differ").unwrap();
    let text = found["text"].as_str().unwrap();
    let expected = "2,000 IOPS from 60.0 s. Measured at 1,200 IOPS: mix/4k-randrw75-qd32-j1, mix/4k-randrw50-qd32-j1; at both: \
                    mix/4k-randread-qd32-j1, mix/4k-randrw25-qd32-j1.";
    assert!(text.contains(expected), "{text}");
}

/// Of service times with a long tail rates are uneven: one that is lower for a while, or nothing that ends while a few I/Os take
/// seconds, is no level, no trend and no credit.
#[test]
fn a_long_tail_is_no_credit_and_no_trend() {
    for (sigma, seed) in [("3", "2"), ("2.5", "3"), ("2", "1"), ("2", "2")] {
        let law = format!("service=lognormal:1ms:{sigma},parallel=4");
        let run = surveyed_with(&law, &["--seed", seed]);
        let limit = &run["verdict"]["limit"];
        assert!(limit["credits"].is_null(), "{law} {seed}: {limit}");
        let found = run["findings"].as_array().unwrap();
        let has = |code: &str| found.iter().any(|f| f["code"] == code);
        assert!(
            !has("burst-credits") && !has("drift"),
            "{law} {seed}: {found:?}"
        );
        let words = said(&run);
        assert!(
            !words.contains("burst credits, and the lower rate"),
            "{words}"
        );
        if sigma == "2" {
            assert!(!has("repeats-differ"), "{law} {seed}: {found:?}");
        }
    }
}

/// Credits of bytes that only large I/Os spend: both levels of the sequential reads are said with the word, and small I/Os, which
/// had the same rate before and after, are not said to be of before.
#[test]
fn a_fall_that_only_large_ios_have_is_said_to_look_like_credits() {
    // Of 700 MiB the lower level lasts for too few slices.
    for (store, after) in [
        ("300m", "+-"),
        ("500m", "+-"),
        ("700m", "(no interval: too short)"),
    ] {
        let law = format!("iops=3000,bytes=20m,burst_bytes=60m,burst_bytes_store={store}");
        let words = said(&surveyed(&law));
        for part in [
            "64 KiB reads 60.0 MiB/s (62.9 MB/s) +-",
            "from 60.0 MiB/s (62.9 MB/s) +-",
            &format!(" to 20.0 MiB/s (21.0 MB/s) {after}"),
            ", while that of 4 KiB random reads was the same before and after",
            "Spent burst credits of a throughput quota look like this",
        ] {
            assert!(words.contains(part), "{store}: {words}");
        }
        assert!(!words.contains("Measured before that"), "{store}: {words}");
    }
}

/// A cap that falls while large I/Os are measured is no quota of bytes: one I/O at a time is below both caps, and says nothing. What
/// was measured before the fall is named.
#[test]
fn a_cap_that_falls_while_large_ios_are_measured_is_no_quota_of_bytes() {
    for (seed, service) in [("3", "exp:1ms"), ("4", "1ms")] {
        let law = format!("iops=8000,service={service},parallel=64,at=12s:iops=3000");
        let words = said(&surveyed_with(&law, &["--quick", "--seed", seed]));
        assert!(
            !words.contains("the same before and after")
                && !words.contains("credits of a throughput quota"),
            "{law}: {words}"
        );
        let early = "The rate fell in throughput/64k-read-qd32, 12.0 s into the run. Measured before that: \
                     latency/4k-randwrite-qd1, latency/4k-randread-qd1, iops/4k-randread-qd32, iops/4k-randwrite-qd32.";
        assert!(words.contains(early), "{law}: {words}");
    }
}

/// Credits that end in the last few intervals of a point of writes, before points of larger blocks that are at the lower rate
/// throughout: they are spent before these, not when the first point of the curve after them shows it.
#[test]
fn credits_are_spent_before_all_points_at_the_lower_rate() {
    for (seed, store) in [("3", 30_000.0), ("4", 30_150.0)] {
        let law =
            format!("iops=1000,burst_iops=4000,burst_store={store},service=200us,parallel=64");
        let run = surveyed_with(&law, &["--quick", "--seed", seed]);
        let credits = &run["verdict"]["limit"]["credits"];
        let fell = credits["fell_at_s"].as_f64().unwrap_or_default();
        assert!((fell - store / 3000.0).abs() < 0.1, "{law}: {credits}");
        holds(credits, "fell_at_s", store / 3000.0);
        let found = credits["store_ios"].as_f64().unwrap_or_default();
        assert!((found / store - 1.0).abs() < 0.01, "{law}: {credits}");
        let words = said(&run);
        for part in [
            "Measured before the credits were spent: latency/4k-randwrite-qd1, latency/4k-randread-qd1, \
             iops/4k-randread-qd32.",
            "The credits were spent during iops/4k-randwrite-qd32: the figures there mix both rates.",
        ] {
            assert!(words.contains(part), "{law}: {words}");
        }
    }
}

/// A rate to which it fell for good was observed as long as any other, and may be paid with credits as well: both are said.
#[test]
fn a_rate_after_a_fall_is_said_to_be_held() {
    let law = "iops=800,service=exp:1ms,parallel=8,at=300s:iops=400";
    let run = surveyed_with(law, &["--quick", "--time", "61s", "--seed", "3"]);
    let limit = &run["verdict"]["limit"];
    let is = (&limit["sustained"], &limit["credits_possible"]);
    assert_eq!(is, (&true.into(), &true.into()), "{limit}");
    let words = said(&run);
    for part in [
        "an idle pause did not bring it back",
        "sustained for 61.0 s without another fall. Burst credits that last longer cannot be excluded",
    ] {
        assert!(words.contains(part), "{words}");
    }
}

/// Writes that become slow leave the figures of reads as they are: these are not said to be of before it.
#[test]
fn reads_that_stayed_are_not_of_before_writes_became_slow() {
    let law = "wear=600m:4,service=exp:400us,parallel=16";
    let words = said(&surveyed_with(
        law,
        &["--quick", "--depth", "64", "--seed", "5"],
    ));
    for part in [
        "The rate fell in iops/4k-randwrite-qd64, ",
        " into the run, while that of 4 KiB random reads was the same before and after. Measured before that: \
         latency/4k-randwrite-qd1.",
    ] {
        assert!(words.contains(part), "{words}");
    }
}
