//! Kept runs and plans: what a list shows of a run, the latest by name, tags; plans in words, help of each verb.

use crate::support::{Place, finish};

#[test]
fn the_latest_run_is_listed_shown_reported_and_tagged() {
    let place = Place::new();
    for name in ["one-10.0", "two"] {
        let name = format!("--name={name}");
        let job = [
            "fio",
            &name,
            "--ioengine=sim",
            "--size=256k",
            "--rw=randread",
        ];
        assert_eq!(finish(&mut place.leadline(job)).code, Some(0));
    }
    let state = place.join("state").join("leadline");
    let listed = |args: &[&str]| finish(&mut place.leadline(args)).stdout;
    let list = listed(&["list"]);
    let rows: Vec<&str> = list.lines().collect();
    assert_eq!(rows.len(), 2, "{list}");
    // The dots of a name stay, and each row has its grade and figures.
    assert!(
        rows.iter().any(|row| row.contains("fio-one-10.0-")),
        "{list}"
    );
    assert!(
        rows.iter()
            .all(|row| row.contains(" read IOPS, ") && row.contains("MiB/s")),
        "{list}"
    );
    let shown = finish(&mut place.leadline(["show", "last"]));
    assert!(shown.stdout.starts_with("two"), "{shown:?}");
    let report = finish(&mut place.leadline(["report", "last"]));
    assert_eq!(report.code, Some(0), "{report:?}");
    let pages = std::fs::read_dir(&state).unwrap().flatten();
    let pages = pages.filter(|e| e.path().extension().is_some_and(|e| e == "html"));
    assert_eq!(pages.count(), 1);
    assert_eq!(
        finish(&mut place.leadline(["tag", "last", "baseline"])).code,
        Some(0)
    );
    assert!(listed(&["list"]).contains("[baseline]"));
    assert_eq!(finish(&mut place.leadline(["tag", "last"])).code, Some(0));
    assert!(!listed(&["list"]).contains("[baseline]"));
    // A run kept elsewhere is the latest as well, and a file of that name goes first.
    let job = [
        "fio",
        "--name=three",
        "--ioengine=sim",
        "--size=64k",
        "--leadline-run=x.leadline",
    ];
    assert_eq!(finish(&mut place.leadline(job)).code, Some(0));
    assert!(
        finish(&mut place.leadline(["show", "last"]))
            .stdout
            .starts_with("three")
    );
    std::fs::write(place.join("last"), "mine").unwrap();
    assert_eq!(finish(&mut place.leadline(["show", "last"])).code, Some(2));
}

/// Ten runs of one job on a simulated volume, the last four of them on a slower one of the same name.
#[test]
fn runs_of_one_target_are_a_history_with_their_change() {
    let place = Place::new();
    for run in 0..10 {
        let law = if run < 6 {
            "service=100us"
        } else {
            "service=150us"
        };
        let map = format!("--map=*=sim:name=v,{law}");
        let kept = format!("--leadline-run=r{run}.leadline");
        let job = [
            "fio",
            "--name=j",
            "--rw=randread",
            "--size=8m",
            "--filename=f",
            &map,
            &kept,
        ];
        assert_eq!(finish(&mut place.leadline(job)).code, Some(0));
    }
    let lines = finish(&mut place.leadline(["list", "."])).stdout;
    assert_eq!(
        lines,
        finish(&mut place.leadline(["list", ".", "--lines"])).stdout
    );
    assert_eq!(lines.lines().count(), 10, "{lines}");
    let text = finish(&mut place.leadline(["list", ".", "--history"]));
    let said =
        "-- from here: IOPS 33.3 % lower (10,000 -> 6,667), p50 50 % longer (100 us -> 150 us)";
    assert!(text.stdout.contains(said), "{}", text.stdout);
    // Names that are longer than any terminal is wide are whole in a pipe.
    let deep = format!("{}/{}", "d".repeat(100), "e".repeat(100));
    std::fs::create_dir_all(place.join(&deep)).unwrap();
    std::fs::copy(
        place.join("r0.leadline"),
        place.join(&format!("{deep}/r.leadline")),
    )
    .unwrap();
    let far = finish(&mut place.leadline(["list", &deep, "--history"])).stdout;
    assert!(far.contains(&format!("{deep}/r.leadline")), "{far}");
    let json = finish(&mut place.leadline(["list", ".", "--json"]));
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let schema = finish(&mut place.leadline(["schema", "list"])).stdout;
    let schema = serde_json::from_str(&schema).unwrap();
    let wrong = leadline_testkit::schema::violations(&schema, &value);
    assert!(wrong.is_empty(), "{wrong:?}");
    let group = &value["groups"][0];
    assert_eq!(group["targets"], "sim:name=v");
    assert_eq!(group["runs"].as_array().unwrap().len(), 10);
    assert_eq!(group["figures"][0]["changes"][0]["run"], 6);
    // Nothing there is an empty history, and a folder that is not there an error.
    assert_eq!(
        finish(&mut place.leadline(["list", "--json", "none"])).code,
        Some(3)
    );
}

#[test]
fn plans_are_said_in_words_and_nothing_is_made() {
    let place = Place::new();
    let survey = ["plan", "measure", "dir", "--quick", "--size", "64m"];
    let plan = finish(&mut place.leadline(survey));
    assert_eq!(plan.code, Some(0), "{plan:?}");
    assert!(!place.join("dir").exists());
    for words in [
        "stage 1: fill",
        "64 MiB",
        "bypassing the cache",
        "warm-up",
        "data written: ",
        "time: ",
    ] {
        assert!(plan.stdout.contains(words), "{words}: {plan:?}");
    }
    let vdb = "sd=s,lun=f,size=1g,threads=4\nwd=w,sd=s,rdpct=70,xfersize=8k\n\
               rd=r,wd=w,iorate=(100,200),elapsed=30,warmup=10,interval=1\n";
    std::fs::write(place.join("j.vdb"), vdb).unwrap();
    let plan = finish(&mut place.leadline(["plan", "vdbench", "-f", "j.vdb"]));
    for words in [
        "70 % reads and 30 % writes of 8 KiB",
        "100 IOPS",
        "200 IOPS",
        "warm-up 10.0 s",
        "for 30.0 s",
    ] {
        assert!(plan.stdout.contains(words), "{words}: {plan:?}");
    }
    for rust in ["ReadWrite", "Only(", "{ ", "$job"] {
        assert!(!plan.stdout.contains(rust), "{rust}: {plan:?}");
    }
}

#[test]
fn a_code_is_explained_and_an_unknown_one_is_an_error_with_a_hint() {
    let place = Place::new();
    let known = finish(&mut place.leadline(["explain", "host-busy"]));
    assert_eq!((known.code, known.stderr.as_str()), (Some(0), ""));
    for part in [
        "host-busy: ",
        "What it saw: ",
        "Why it matters: ",
        "What to do: ",
        "do not use the figures",
    ] {
        assert!(known.stdout.contains(part), "{part}: {known:?}");
    }
    let all = finish(&mut place.leadline(["explain"]));
    assert_eq!(all.code, Some(0));
    assert!(all.stdout.contains("  level-shift "), "{all:?}");
    let typo = finish(&mut place.leadline(["explain", "hostbusy"]));
    assert_eq!((typo.code, typo.stdout.as_str()), (Some(2), ""));
    assert!(typo.stderr.contains("did you mean host-busy?"), "{typo:?}");
}

/// Hits and misses in each point: an exception, and no reason to compare only.
#[test]
fn a_grade_that_is_not_accepted_is_an_exit_code_of_its_own_and_the_results_are_there() {
    let place = Place::new();
    let volume = "sim:mix=90%:200us/10%:4ms";
    let survey = ["measure", volume, "--quick", "--seed", "1", "--out", "m"];
    let done = finish(place.leadline(survey).args(["--fail-on-grade", "b"]));
    assert_eq!(done.code, Some(99), "{done:?}");
    assert!(
        done.stderr
            .contains("error: grade B (use the figures, with the marked"),
        "{done:?}"
    );
    assert!(
        done.stdout.contains("grade B: ") && done.stdout.contains(": mixture"),
        "{done:?}"
    );
    assert!(place.join("m.html").exists());
    let report = |grade: &str| {
        let report = ["report", "m.leadline", "--json", "--fail-on-grade", grade];
        let done = finish(&mut place.leadline(report));
        let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(json["verdict"]["grade"], "B");
        let reason = json["verdict"]["grade_reason"].as_str().unwrap();
        assert!(reason.starts_with("mixture"), "{reason}");
        let point = &json["stages"][1]["workloads"][0];
        assert_eq!(
            (&point["grade"], &point["grade_reason"]),
            (&"B".into(), &"mixture".into())
        );
        done.code
    };
    assert_eq!(
        [report("B"), report("C"), report("F")],
        [Some(99), Some(0), Some(0)]
    );
}

#[test]
fn help_is_complete_for_each_verb() {
    let place = Place::new();
    for verb in [
        "measure", "plan", "report", "show", "list", "tag", "explain", "fio", "vdbench", "diskspd",
    ] {
        let help = finish(&mut place.leadline(["help", verb]));
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""), "{help:?}");
        if ["measure", "fio", "vdbench", "diskspd"].contains(&verb) {
            assert!(help.stdout.contains("--hosts"), "{help:?}");
            assert!(help.stdout.contains("--launcher"), "{help:?}");
        }
    }
    assert!(
        finish(&mut place.leadline(["help"]))
            .stdout
            .contains("measure")
    );
    assert_eq!(
        finish(&mut place.leadline(["help", "nothing"])).code,
        Some(2)
    );
}

/// A survey says all that is wrong with its words, those of hosts and limits among them, and makes no directory.
#[test]
fn what_is_wrong_with_a_survey_is_said_at_once() {
    let place = Place::new();
    let words = [
        "measure",
        "dir",
        "--bogus",
        "--time",
        "1x",
        "--size=3q",
        "--assert",
        "p9",
        "--map",
        "x",
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(2), "{done:?}");
    for part in [
        "--bogus",
        "--time",
        "'q' is not a unit",
        "--assert",
        "--map",
    ] {
        assert!(done.stderr.contains(part), "{part}: {done:?}");
    }
    assert_eq!(done.stderr.matches("Usage:").count(), 1, "{done:?}");
    let missing = finish(&mut place.leadline(["measure", "dir", "--quick"]));
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(
        missing.stderr.contains("there is no such directory"),
        "{missing:?}"
    );
    assert!(!place.join("dir").exists());
}
