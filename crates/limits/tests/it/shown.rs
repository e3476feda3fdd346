//! Answers as people and scripts see them.

use crate::ask;
use leadline_limits::{Answer, Here, SCHEMA, gcp, json, text};
use leadline_testkit::schema::violations;
use serde_json::Value;

fn answer(words: &str) -> Answer {
    let parsed = ask(words);
    assert!(parsed.is_right(), "{words}: {:?}", parsed.diagnostics);
    Answer::of(parsed.setup, &parsed.book, true)
}

/// Everything of a value that the schema does not allow; each object has all that the schema knows of it.
fn check(schema: &Value, value: &Value) -> Vec<String> {
    all_required(schema, "$");
    violations(schema, value)
}

fn all_required(schema: &Value, at: &str) {
    if let Some(known) = schema.get("properties").and_then(Value::as_object) {
        let required = schema["required"].as_array().expect("a list");
        assert_eq!(required.len(), known.len(), "{at}");
        assert_eq!(schema["additionalProperties"], false, "{at}");
        for (key, one) in known {
            all_required(one, &format!("{at}.{key}"));
        }
    }
    if let Some(items) = schema.get("items") {
        all_required(items, &format!("{at}[]"));
    }
}

#[test]
fn the_json_form_obeys_its_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    for words in [
        "",
        "--service anf-flexible --pool 4TiB --demand 4500MiB/s --latency 1.14ms --inflight 3600 --bs 64k",
        "--service gcnv-flex --demand 20000 --bs 4k --nfs 4.1 --nconnect 8",
        "--service anf-ultra --quota 100TiB --vm D32s_v3 --read 0 --bs 64k --measured 1500MiB/s",
        "--vm D8ds_v4:2 --disk 3xP10:none,P30:ro --bs 4k --measured read:cached:78.3k,write:uncached:12.6k@12800",
        "--service fsx-ontap --quota 10TiB --nfs 3 --demand 900000 --bs 4k",
    ] {
        let value: Value = serde_json::from_str(&json(&answer(words))).expect("JSON");
        let wrong = check(&schema, &value);
        assert_eq!(wrong, [""; 0], "{words}");
    }
    let mut asked = answer("");
    let here = |cloud| {
        Some(Here {
            cloud,
            ..Here::default()
        })
    };
    for cloud in [
        None,
        gcp("machineTypes/n2-standard-32", "zones/europe-west3-a", ""),
    ] {
        asked.here = here(cloud);
        let value: Value = serde_json::from_str(&json(&asked)).expect("JSON");
        let wrong = check(&schema, &value);
        assert_eq!(wrong, [""; 0]);
    }
}

/// Whether each part is in the text for a set-up.
fn shows(words: &str, parts: &[&str]) {
    let shown = text(&answer(words));
    for part in parts {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    assert!(shown.lines().all(|line| line == line.trim_end()), "{shown}");
}

#[test]
fn limits_are_shown_least_first_with_their_source() {
    shows(
        "--service anf-premium --quota 70.31TiB --vm D32s_v3:12 --bs 64k --read 0 --demand 4000MiB/s",
        &[
            "volume: anf-premium, 70.31 TiB",
            "4,499.84 MiB/s (4,718.42 MB/s)",
            "22,888.18 MiB/s (24,000 MB/s)",
            "1,907.35 MiB/s (2,000 MB/s)",
            "shared",
            "+12 %",
            "[1], verified",
            "[3], verified (a measured result, not a limit)",
            "azure-netapp-files-service-levels, 2026-11",
            "Least: volume: anf-premium, 70.31 TiB: 4,499.84 MiB/s",
        ],
    );
}

#[test]
fn each_way_to_disks_has_its_least() {
    shows(
        "--vm D8ds_v4 --disk 3xP30:none,P30:ro --bs 64k --read 50",
        &[
            "Least past the host's cache: VM uncached: D8ds_v4: 183.11 MiB/s (192 MB/s)",
            "Least of reads that hit the cache: VM cached: D8ds_v4: 462.53 MiB/s (485 MB/s)",
        ],
    );
    shows(
        "--service gcnv-extreme --quota 4TiB --bs 128k --latency 0.5ms --inflight 1",
        &["Least: latency x concurrency: 2,000 IOPS, 250 MiB/s at 128 KiB"],
    );
}

/// 500 IOPS are 95 MiB/s at 195 KiB: below it the IOPS are reached first, above it the bytes.
#[test]
fn without_a_block_size_each_measure_has_its_least() {
    shows(
        "--disk P10",
        &[
            "Least throughput: disks: P10: 95.37 MiB/s (100 MB/s)\nLeast IOPS: disks: P10: 500 IOPS\n",
            "Give --bs to see which of them is reached first.",
        ],
    );
    shows("--disk P10 --bs 4k", &["Least: disks: P10: 500 IOPS"]);
    shows(
        "--vm D8s_v3",
        &[
            "Least throughput past the host's cache: VM uncached: D8s_v3: 183.11 MiB/s",
            "Least IOPS of reads that hit the cache: VM cached: D8s_v3: 16,000 IOPS",
        ],
    );
}

#[test]
fn what_may_be_at_its_limit_is_named_with_what_is_missing() {
    shows(
        "--vm D8s_v3 --disk 3xP30:none,2xP30:ro --bs 4k --measured uncached:9000,cached:9872",
        &["Not compared without --read: ", "VM uncached: D8s_v3"],
    );
}

/// 5.4 M credits: 1,500 IOPS above the base of 500 spend them in 3,600 s, at 3,500 IOPS they last 1,800 s.
#[test]
fn credits_last_as_long_as_what_is_wanted_or_was_measured_lets_them() {
    shows("--disk P10 --bs 4k", &["they last 1,800 s at 3,500 IOPS"]);
    for words in ["--demand 2000iops", "--measured 2000"] {
        let words = format!("--disk P10 --bs 4k {words}");
        shows(&words, &["they last 3,600 s at 2,000 IOPS"]);
        let value: Value = serde_json::from_str(&json(&answer(&words))).expect("JSON");
        let limits = value["limits"].as_array().expect("limits");
        let lasts = |limit: &Value| limit["burst"]["lasts_s"].as_f64();
        let lasts: Vec<f64> = limits.iter().filter_map(lasts).collect();
        assert!((lasts[0] - 3600.0).abs() < 1e-6, "{lasts:?}");
    }
}

#[test]
fn verdicts_are_sentences() {
    shows(
        "--vm D8ds_v4 --disk 3xP30:none,P30:ro --bs 8k --measured write:uncached:13052.65",
        &[
            "At its limit: VM uncached: D8ds_v4 (u 1.020 of 12,800 IOPS)",
            "Next: disks: 3 x P30 (u 0.870",
        ],
    );
    shows(
        "--service anf-ultra --quota 100TiB --vm D32s_v3 --read 0 --bs 64k --measured 1500MiB/s",
        &[
            "Not separated: VM egress: D32s_v3 (u 1.000 of 1,500 MiB/s",
            "disputed",
            "A run on two machines would decide",
        ],
    );
    shows(
        "--service anf-ultra --quota 16TiB --bs 8k --measured 200000",
        &["No documented limit is reached."],
    );
    shows(
        "--disk P4 --bs 4k --measured 3200",
        &[
            "No documented limit is reached while burst credits last.",
            "On burst credits, above the limit without them: disks: P4 (u 26.667 of 120 IOPS)",
        ],
    );
    shows(
        "--vm D8ds_v4 --disk 3xP30:none,P30:ro --bs 4k --measured write:uncached:12.6k@12800",
        &["Not reached: VM uncached: D8ds_v4 (u 0.984"],
    );
    shows(
        "--service anf-ultra --quota 100TiB --read 0 --bs 64k --measured 1600MiB/s",
        &["At the highest published result: volume maximum: regular anf volume (u 1.000"],
    );
}

/// "No limit is reached" is said of limits that were looked at, not of those that could not be.
#[test]
fn what_a_comparison_lacks_is_named() {
    shows(
        "--service anf-premium --quota 10TiB --measured 10000",
        &["Nothing could be compared. Not compared without --bs: "],
    );
    shows(
        "--nfs 3 --nconnect 1 --measured 128000",
        &["Not compared without --latency: "],
    );
    shows(
        "--vm D8ds_v4 --disk 3xP30:none,P30:ro --read 0 --bs 8k --measured 13052.65",
        &[
            " Not compared without cached: or uncached: in --measured: ",
            "VM uncached: D8ds_v4",
        ],
    );
    shows(
        "--service anf-ultra --quota 100TiB --vm D32s_v3 --bs 64k --measured 1500MiB/s",
        &[" Not compared without --read: VM egress: D32s_v3"],
    );
    shows(
        "--disk P10 --bs 4k --measured 2000",
        &["On burst credits, above the limit without them: disks: P10 (u 4.000"],
    );
}

#[test]
fn a_demand_is_sized_and_what_cannot_be_had_is_named() {
    shows(
        "--demand 4500MiB/s --latency 1.14ms --bs 64k",
        &[
            "For 4,500 MiB/s (4,718.59 MB/s):",
            "unreachable: 281.25 TiB needed, but 100 TiB at most",
            "35.1563 TiB",
            "7.0313 TiB, 4,500 MiB/s set",
            "5,379,195 bytes",
            "no machine in the table is enough",
        ],
    );
    shows(
        "--disk P10 --demand 2000",
        &["full credits hold 5,400,000 I/Os; they last 3,600 s at 2,000 IOPS"],
    );
    shows(
        "",
        &[
            "TiB  anf-standard  anf-premium  anf-ultra",
            "70.3125         1,125        4,500      4,500",
        ],
    );
}

#[test]
fn each_suggestion_says_what_it_rests_on_and_what_is_not_known() {
    shows(
        "--demand 100MiB/s --bs 64k --service anf-premium",
        &[
            // 1.5625 TiB of a volume are more than the smallest pool, 800 GiB are less.
            "anf-premium   regular volume        1.5625 TiB  ",
            "800 GiB, in a pool of at least 1 TiB  [1], [3], verified",
            "azure-netapp-files-resource-limits, 2025-06-10",
            "smallest set of one kind, of a fixed size: ",
            "the smallest size that can be bought is not in the table: PremiumV2\n",
        ],
    );
    shows(
        "--demand 3000 --bs 4k --vm n2-standard-32",
        &[
            "the smallest size that can be bought is not in the table: gcnv-standard, gcnv-flex, gcnv-flex-file\n",
        ],
    );
    shows(
        "--demand 10 --bs 4k --vm n2-standard-32",
        &["1 x pd-ssd (10 GiB)", ", not verified"],
    );
}

/// What is no answer is distinguished from one: of every option alone, and of each pair.
#[test]
fn what_no_row_is_about_is_no_answer() {
    use leadline_limits::missing;
    let alone = [
        "--bs 4k",
        "--read 50",
        "--latency 1ms",
        "--inflight 4",
        "--flows 4",
    ];
    let of = |words: &str| {
        let parsed = ask(words);
        assert!(parsed.is_right(), "{words}: {:?}", parsed.diagnostics);
        missing(&Answer::of(parsed.setup, &parsed.book, false))
    };
    for one in alone {
        for other in alone {
            let words = if one == other {
                one.to_owned()
            } else {
                format!("{one} {other}")
            };
            let concurrency = words.contains("latency") && words.contains("inflight");
            assert_eq!(of(&words).is_none(), concurrency, "{words}");
        }
        assert!(of(&format!("{one} --measured 2000")).is_some(), "{one}");
        for answered in [
            "--vm D8s_v3",
            "--disk P30",
            "--nfs 3",
            "--demand 2000",
            "--service anf-ultra",
        ] {
            assert_eq!(of(&format!("{one} {answered}")), None, "{one} {answered}");
        }
    }
    let (what, hint) = of("--service gcnv-standard").expect("no size");
    assert!(
        what.contains("No limit applies") && hint.contains("--quota"),
        "{what} {hint}"
    );
    let (what, _) = of("--disk P30 --measured 100MiB/s").unwrap_or_default();
    assert_eq!(what, "", "throughput is compared with throughput");
    let (what, _) = of("--nfs 3 --measured 2000").expect("no latency");
    assert!(what.contains("Not compared without --latency"), "{what}");
}

#[test]
fn connections_that_no_row_is_about_are_named() {
    shows(
        "--vm D8s_v3 --flows 8",
        &["--flows 8 is not considered: there is no row for the limit of a connection at azure"],
    );
    shows(
        "--disk gp3:500GiB --flows 8",
        &["--flows 8 is not considered: disks are not reached over TCP"],
    );
    shows(
        "--nfs 3 --flows 8",
        &["give the provider with --vm or --service"],
    );
    shows(
        "--service fsx-ontap --quota 1TiB --flows 8",
        &["8 connections of aws"],
    );
}

#[test]
fn a_demand_of_a_machine_is_sized_for_its_provider() {
    let mut answer = answer("--vm D8s_v3 --demand 5000 --bs 4k");
    answer.table = None;
    let shown = text(&answer);
    assert!(shown.contains("anf-ultra"), "{shown}");
    for other in ["gcnv", "fsx", "gp3", "hyperdisk"] {
        assert!(!shown.contains(other), "{other}: {shown}");
    }
}

#[test]
fn a_throughput_that_has_to_be_set_is_asked_for() {
    let said = "throughput is set for the pool, whatever the quota";
    shows("--service anf-flexible --quota 1TiB", &[said]);
    for words in [
        "--service anf-flexible --pool 4TiB",
        "--service anf-flexible --quota 1TiB --assigned 500MiB/s",
        "--service anf-ultra --quota 1TiB",
    ] {
        let shown = text(&answer(words));
        assert!(!shown.contains(said), "{shown}");
    }
}

/// Without a block size what st1 and gp3 do together in IOPS is not known, which is said.
#[test]
fn a_measure_that_is_left_out_is_named() {
    shows(
        "--disk st1:500GiB,gp3:100GiB",
        &["the limit of gp3, 100 GiB in IOPS is left out: st1, 500 GiB has none in IOPS"],
    );
    for words in ["--disk st1:500GiB,gp3:100GiB --bs 64k", "--disk P30,P10"] {
        assert!(!text(&answer(words)).contains("left out"), "{words}");
    }
}

/// One set-up in several forms has the same limits, whatever the order and the grouping of its disks.
#[test]
fn a_set_up_has_the_same_limits_in_whatever_form_it_is_given() {
    let of = |words: &str| {
        let mut all: Vec<String> = answer(words)
            .limits
            .iter()
            .map(|limit| {
                let burst = limit.burst.map(|b| (b.base.round(), b.bucket.round()));
                format!(
                    "{:?} {:?} {:?} {:.3} {burst:?}",
                    limit.scope, limit.metric, limit.counts, limit.value
                )
            })
            .collect();
        all.sort();
        all
    };
    for forms in [
        &[
            "3xP30:ro",
            "P30:ro,P30:ro,P30:ro",
            "P30:ro,2xP30:ro",
            "1xP30:ro,P30:ro,1xP30:ro",
        ][..],
        &[
            "3xP30:none,P30:ro",
            "P30:ro,3xP30:none",
            "P30,P30,P30,P30:ro",
            "P30,P30:ro,2xP30",
        ],
        &["st1:500GiB,gp3:100GiB", "gp3:100GiB,st1:500GiB"],
        &[
            "2xpd-standard:1000GiB,pd-ssd:100GiB",
            "pd-ssd:100GiB,pd-standard:1000GiB,pd-standard:1000GiB",
        ],
        &["gp2:100GiB,gp2:100GiB", "2xgp2:100GiB"],
        &["P10,P20,P30:rw", "P30:rw,P20,P10", "P20,P30:rw,P10"],
    ] {
        for more in ["", "--bs 4k", "--bs 64k --read 50", "--bs 1m --read 0"] {
            let first = of(&format!("--disk {} {more}", forms[0]));
            for form in forms {
                assert_eq!(of(&format!("--disk {form} {more}")), first, "{form} {more}");
            }
        }
    }
}

/// 36,300 writes that are 30 % of the I/Os are 121,000, not one less.
#[test]
fn whole_rates_stay_whole() {
    let shown = text(&answer(
        "--disk 2xP20:ro,P30:none,P40:rw --vm D16s_v3:3 --read 70 --bs 16k",
    ));
    for rate in ["121,000", "145,000"] {
        assert!(shown.contains(rate), "{rate}: {shown}");
    }
}
