//! `leadline compare`, and limits that a run has to keep: on simulated volumes, whose difference is known.

use crate::support::{Done, Place, finish};
use leadline_results::compare::{
    ChangeVerdict, CompareOptions, CompareSide, Comparison, Subject, compare,
};
use leadline_results::store;
use serde_json::Value;

fn run(place: &Place, words: &[&str]) -> Done {
    finish(&mut place.leadline(words))
}

/// A run of 10 s at depth 8 on a volume with this law, kept under a name.
fn measured(place: &Place, name: &str, law: &str, more: &[&str]) -> Done {
    let map = format!("--map=*=sim:{law}");
    let file = format!("--leadline-run={name}.leadline");
    let job = [
        "fio",
        "--name=randread",
        "--rw=randread",
        "--bs=4k",
        "--size=64m",
        "--iodepth=8",
        "--ioengine=libaio",
        "--time_based",
        "--runtime=10",
        "--filename=/sim/a",
        &map,
        &file,
    ];
    run(place, &[&job[..], more].concat())
}

/// Five repeats in each of the folders `a` and `b`, of volumes of 1 ms and of 1.1 ms an I/O on average, which differ from
/// repeat to repeat by up to half a per cent: simulated volumes of one law repeat themselves.
fn repeats(place: &Place) {
    for (side, mean) in [("a", 1000), ("b", 1100)] {
        std::fs::create_dir(place.join(side)).unwrap();
        for (k, off) in [0, 3, -2, 5, -4].into_iter().enumerate() {
            let law = format!("service=exp:{}us", mean + off);
            let done = measured(place, &format!("{side}/{k}"), &law, &[]);
            assert_eq!(done.code, Some(0), "{done:?}");
        }
    }
}

fn json(done: &Done) -> Value {
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

#[test]
fn folders_of_repeats_have_a_verdict_an_exit_status_and_files_for_ci() {
    let place = Place::new();
    repeats(&place);
    let done = run(&place, &["compare", "a", "b"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    // The largest change first.
    let first = "B is worse: p99 of randread read +";
    assert!(done.stdout.starts_with(first), "{}", done.stdout);
    assert!(
        done.stdout.contains("IOPS of randread read"),
        "{}",
        done.stdout
    );
    let words = [
        "compare",
        "a",
        "b",
        "--json",
        "--fail-on",
        "iops<-3%,p99>+30%",
        "--junit",
        "j.xml",
        "--markdown",
        "m.md",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(99), "{done:?}");
    assert!(
        done.stderr
            .contains("error: failed: iops<-3% of randread read: -"),
        "{}",
        done.stderr
    );
    assert!(!done.stderr.contains("p99>+30%"), "{}", done.stderr);
    let value = json(&done);
    let schema = run(&place, &["schema", "compare"]);
    let violations = leadline_testkit::schema::violations(&json(&schema), &value);
    assert_eq!(violations, Vec::<String>::new());
    let iops = &value["rows"][0]["figures"][0];
    // 8 I/Os over 32 servers: 8,000 a second and 7,273, which is 9.1 % less.
    let [low, high] = ["low_percent", "high_percent"].map(|key| iops[key].as_f64().unwrap());
    assert!(low < -9.09 && -9.09 < high && high - low < 2.0, "{iops}");
    assert_eq!(
        (&iops["verdict"], &iops["basis"]),
        (&"regressed".into(), &"repeats".into())
    );
    let xml = std::fs::read_to_string(place.join("j.xml")).unwrap();
    assert!(
        xml.contains("<testsuite name=\"b against a\" tests=\"2\" failures=\"1\""),
        "{xml}"
    );
    let page = std::fs::read_to_string(place.join("m.md")).unwrap();
    assert!(
        page.contains("**B is worse: ") && page.contains("| regressed |"),
        "{page}"
    );
    // Its own files are replaced, others are not, and no input is.
    assert_eq!(run(&place, &words).code, Some(99));
    std::fs::write(place.join("m.md"), "# notes\n").unwrap();
    let done = run(&place, &words);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert_eq!(
        std::fs::read_to_string(place.join("m.md")).unwrap(),
        "# notes\n"
    );
    let done = run(
        &place,
        &["compare", "a", "b", "--force", "-o", "a/0.leadline"],
    );
    assert_eq!(done.code, Some(3), "{done:?}");
}

#[test]
fn a_baseline_is_found_beside_the_result_and_is_never_the_result_itself() {
    let place = Place::new();
    for name in ["old", "base", "new"] {
        let done = measured(&place, name, "service=exp:1ms", &["--iodepth=8"]);
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    for name in ["old.leadline", "base.leadline"] {
        assert_eq!(run(&place, &["tag", name, "base"]).code, Some(0));
    }
    let elsewhere = Place::new();
    for (result, baseline) in [
        ("new.leadline", "base.leadline"),
        ("base.leadline", "old.leadline"),
    ] {
        let beside = place.join(result).display().to_string();
        let words = ["compare", "--baseline", "base", &beside, "--json"];
        let done = run(&elsewhere, &words);
        let sources = json(&done)["a"]["sources"].to_string();
        assert!(sources.contains(baseline), "{done:?}");
    }
    assert_eq!(run(&place, &["tag", "new.leadline", "own"]).code, Some(0));
    let done = run(&place, &["compare", "--baseline", "own", "new.leadline"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("but the result itself"), "{done:?}");
}

#[test]
fn a_baseline_is_the_newest_finished_run_of_its_tag_and_other_work_is_not_compared() {
    let place = Place::new();
    let none = run(&place, &["compare", "--baseline", "base", "new.leadline"]);
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr.contains("no finished run has this tag"),
        "{none:?}"
    );
    for name in ["old", "base", "new"] {
        let depth = if name == "old" {
            "--iodepth=4"
        } else {
            "--iodepth=8"
        };
        let done = measured(&place, name, "service=exp:1ms", &[depth]);
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    for name in ["old.leadline", "base.leadline"] {
        assert_eq!(run(&place, &["tag", name, "base"]).code, Some(0));
    }
    let done = run(
        &place,
        &["compare", "--baseline", "base", "new.leadline", "--json"],
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    let value = json(&done);
    assert_eq!(
        (&value["a"]["name"], &value["b"]["name"]),
        (&"base".into(), &"new".into())
    );
    assert_eq!(value["rows"][0]["figures"][0]["basis"], "single-runs");
    let unlike = [
        "compare",
        "old.leadline",
        "new.leadline",
        "--fail-on",
        "iops<-3%",
    ];
    let done = run(&place, &unlike);
    assert_eq!(
        done.code,
        Some(99),
        "what cannot be checked does not pass: {done:?}"
    );
    assert!(
        done.stdout
            .starts_with("A and B are not comparable: depth 4 in A, 8 in B.")
    );
    assert!(done.stderr.contains("hint: --across depth"), "{done:?}");
    let done = run(&place, &[&unlike[..], &["--across=depth"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.stdout.starts_with("B is likely better"),
        "{}",
        done.stdout
    );
}

#[test]
fn other_work_is_not_compared_and_that_is_no_success() {
    let place = Place::new();
    let done = measured(&place, "new", "service=exp:1ms", &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let done = measured(
        &place,
        "zipf",
        "service=exp:1ms",
        &["--random_distribution=zipf:1.2"],
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    let done = run(&place, &["compare", "new.leadline", "zipf.leadline"]);
    assert_eq!(done.code, Some(2), "nothing was compared: {done:?}");
    let why =
        "error: A and B have nothing comparable: order random in A, \"random, zipf 1.2\" in B";
    assert!(done.stderr.contains(why), "{done:?}");
    let data = run(
        &place,
        &["compare", "new.leadline", "zipf.leadline", "--json"],
    );
    assert_eq!(data.code, Some(2), "{data:?}");
    assert!(
        data.stderr.contains(why) && json(&data)["rows"].is_array(),
        "{data:?}"
    );
    let said = "A and B are not comparable: order random in A, \"random, zipf 1.2\" in B.";
    assert!(done.stdout.starts_with(said), "{done:?}");
}

#[test]
fn everything_that_is_wrong_is_said_before_anything_is_read_or_run() {
    let place = Place::new();
    let words = [
        "compare",
        "x",
        "--across=kernel",
        "--fail-on=iops<3,p99",
        "--assert=p99<1ms",
        "--map=a=sim:iops=1",
        "--markdown=none/m.md",
        "--junit=/",
        "--output=/",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(2), "{done:?}");
    for said in [
        "`3` is not a change in percent",
        "`p99` has no < or >",
        "--across kernel: expected one of mix, bs",
        "--assert is a limit of one run",
        "hint: --fail-on 'iops<-3%' fails on a change",
        "need --interleave",
        "none/m.md: there is no such folder",
        "error: --junit: / is a folder: name a file in it",
        "error: / is a folder: name a file in it",
    ] {
        assert!(done.stderr.contains(said), "{said}: {}", done.stderr);
    }
    for words in [
        &[
            "fio",
            "--name=a",
            "--rw=read",
            "--size=1m",
            "--assert=p99<1",
        ][..],
        &["measure", "t", "--quick", "--assert=p99<1"][..],
        &["study", "latency", "t", "--assert=p99<1"][..],
        &["fio", "--name=a", "--rw=read", "--size=1m", "--junit=j.xml"][..],
    ] {
        let done = run(&place, words);
        assert!(matches!(done.code, Some(1 | 2)), "{done:?}");
        assert!(
            done.stderr.contains("unit is missing") || done.stderr.contains("needs --assert"),
            "{done:?}"
        );
    }
    assert_eq!(
        std::fs::read_dir(place.path()).unwrap().count(),
        0,
        "nothing was made"
    );
}

#[test]
fn a_limit_that_is_broken_or_was_not_measured_fails_every_front_end() {
    let place = Place::new();
    let of = |limits: &str| {
        let junit = place.join("j.xml");
        let words = [
            format!("--assert={limits}"),
            format!("--junit={}", junit.display()),
        ];
        measured(
            &place,
            "r",
            "service=exp:1ms",
            &words.each_ref().map(String::as_str),
        )
    };
    let kept = of("randread.iops>7k,p99<20ms");
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert!(
        !kept.stderr.contains("kept"),
        "programs take any word for a failure: {kept:?}"
    );
    let broken = of("randread.iops>7k,p99<1ms");
    assert_eq!(broken.code, Some(99), "{broken:?}");
    assert!(
        broken
            .stderr
            .contains("error: broken: p99<1ms of randread read: 4."),
        "{broken:?}"
    );
    let xml = std::fs::read_to_string(place.join("j.xml")).unwrap();
    assert!(
        xml.contains("tests=\"2\" failures=\"1\" errors=\"0\""),
        "{xml}"
    );
    let missing = of("p99.999<1s");
    assert_eq!(missing.code, Some(99), "{missing:?}");
    assert!(
        missing
            .stderr
            .contains("not checked: p99.999<1s of randread read: there is no p99.999"),
        "{missing:?}"
    );
    // 8,000 I/Os a second are within the interval: not decided, and a failure where that is asked for.
    let open = of("iops>8000");
    assert_eq!(open.code, Some(0), "{open:?}");
    assert!(open.stderr.contains("undecided: iops>8000"), "{open:?}");
    let strict = measured(
        &place,
        "r",
        "service=exp:1ms",
        &["--assert=iops>8000", "--assert-strict"],
    );
    assert_eq!(strict.code, Some(99), "{strict:?}");
}

/// A survey whose rate falls in the middle, beside one whose rate does not.
#[test]
fn what_was_measured_before_a_change_is_doubted() {
    let place = Place::new();
    let steady = "sim:size=1g,iops=20000,service=exp:300us,name=v";
    let fell = format!("{steady},at=25s:iops=14000");
    for (law, out) in [(steady, "--out=a"), (&fell, "--out=b")] {
        let done = finish(&mut place.leadline(["measure", law, "--quick", "--seed=3", out]));
        assert!(matches!(done.code, Some(0 | 99)), "{done:?}");
    }
    let done = finish(&mut place.leadline(["compare", "a.leadline", "b.leadline"]));
    let flat: Vec<&str> = done.stdout.split_whitespace().collect();
    let flat = flat.join(" ");
    assert!(flat.contains("before the rate changed"), "{flat}");
    assert!(!flat.contains("Only in b: confirm"), "{flat}");
}

#[test]
fn a_limit_fails_a_survey_and_a_study_too() {
    let place = Place::new();
    let survey = run(
        &place,
        &[
            "measure",
            "sim:service=1ms",
            "--quick",
            "--json",
            "--assert=randread.mean<500us",
            "--markdown=m.md",
        ],
    );
    assert_eq!(survey.code, Some(99), "{survey:?}");
    assert!(
        std::fs::read_to_string(place.join("m.md"))
            .unwrap()
            .contains("limits are kept")
    );
    let study = run(
        &place,
        &[
            "study",
            "latency",
            "sim:service=1ms",
            "--time=2s",
            "--assert=mean>2s",
        ],
    );
    assert_eq!(study.code, Some(99), "{study:?}");
    // It has depth 1 alone, whatever comes of it.
    let study = [
        "study",
        "latency",
        "sim:service=1ms",
        "--assert=qd4.p99<2ms",
    ];
    let study = run(&place, &study);
    assert_eq!(study.code, Some(2), "{study:?}");
    assert!(
        study
            .stderr
            .contains("nothing that is measured is called qd4"),
        "{study:?}"
    );
}

/// A volume that becomes slower all the time, by a fifth over two minutes.
fn drifting() -> String {
    let steps = (1..24).map(|k| format!(",at={}s:service=exp:{}us", 5 * k, 1000 + 9 * k));
    format!("service=exp:1ms{}", steps.collect::<String>())
}

#[test]
fn two_jobs_in_rounds_are_compared_in_pairs_in_spite_of_a_drift() {
    let place = Place::new();
    let job = |name: &str, depth: u32| {
        let text = format!(
            "[randread]\nrw=randread\nbs=4k\nsize=64m\niodepth={depth}\nioengine=libaio\ntime_based\nruntime=5\n\
             filename=/sim/a\n"
        );
        std::fs::write(place.join(name), text).unwrap();
    };
    job("one.fio", 8);
    job("two-b.fio", 8);
    let map = format!("--map=*=sim:{}", drifting());
    let words = [
        "compare",
        "--interleave",
        "one.fio",
        "two-b.fio",
        &map,
        "--out=c",
        "--json",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let value = json(&done);
    let iops = &value["rows"][0]["figures"][0];
    assert_eq!(
        (&iops["verdict"], &iops["basis"]),
        (&"no difference shown".into(), &"rounds".into())
    );
    let width = iops["high_percent"].as_f64().unwrap() - iops["low_percent"].as_f64().unwrap();
    assert!(width < 3.0, "{iops}");
    // The run file is compared with itself.
    let again = run(&place, &["compare", "c.leadline", "--json"]);
    assert_eq!(json(&again)["rows"], value["rows"]);
    job("two-b.fio", 9);
    let refused = run(&place, &[&words[..5], &["--out=refused"]].concat());
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("depth 8 in A, 9 in B"),
        "{refused:?}"
    );
    assert!(!place.join("refused.leadline").exists(), "nothing was run");
    let done = run(
        &place,
        &[
            &words[..5],
            &[
                "--across=depth",
                "--fail-on=iops>5%",
                "--rounds=8",
                "--junit=j.xml",
            ],
        ]
        .concat(),
    );
    assert_eq!(done.code, Some(99), "{done:?}");
    let xml = std::fs::read_to_string(place.join("j.xml")).unwrap();
    assert!(xml.contains("failures=\"1\""), "{xml}");
    assert!(
        done.stdout
            .starts_with("B is better: IOPS of randread read +1"),
        "{}",
        done.stdout
    );
}

/// 10 s of each of this many jobs on volumes of one law, one after the other.
fn many(place: &Place, file: &str, jobs: usize, law: &str) -> Vec<Subject> {
    let section = |k: usize| format!("[j{k}]\nstonewall\n");
    let sections: String = (0..jobs).map(section).collect();
    let text = format!(
        "[global]\nrw=randread\nbs=4k\nsize=64m\niodepth=2\nioengine=libaio\ntime_based\nruntime=10\n\
         filename=/sim/a\n{sections}"
    );
    std::fs::write(place.join("many.fio"), text).unwrap();
    // The volume lives for the whole run: no two of its stages have the same draws.
    let map = format!("--map=*=sim:{law}");
    let kept = format!("--leadline-run={file}.leadline");
    let done = run(place, &["fio", "many.fio", &map, &kept]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let run = store::open(&place.join(&format!("{file}.leadline"))).unwrap();
    let whole = Subject::from_run("s", file, &run);
    let each = whole.rows.iter().map(|row| {
        let mut row = row.clone();
        row.stage = "randread".into();
        row.workload = "randread".into();
        Subject {
            rows: vec![row],
            ..whole.clone()
        }
    });
    each.collect()
}

fn side(subjects: &[Subject]) -> CompareSide {
    CompareSide {
        name: "s".into(),
        subjects: subjects.to_vec(),
    }
}

fn differs(found: &Comparison) -> bool {
    let mut figures = found.rows.iter().flat_map(|row| &row.figures);
    figures.any(|figure| {
        matches!(
            figure.verdict,
            ChangeVerdict::Improved(_) | ChangeVerdict::Regressed(_)
        )
    })
}

/// Of these runs, pairs that are called different, and of their fives: how many, of how many.
fn called(runs: &[Subject]) -> [(usize, usize); 2] {
    [1, 5].map(|n| {
        let pairs = runs.chunks_exact(2 * n);
        let count = pairs.len();
        let different = pairs.filter(|pair| {
            let (a, b) = pair.split_at(n);
            differs(&compare(&side(a), &side(b), &CompareOptions::default()))
        });
        (different.count(), count)
    })
}

#[test]
fn equal_volumes_are_seldom_called_different() {
    let place = Place::new();
    let runs = many(&place, "equal", 100, "service=exp:1ms");
    let [single, fives] = called(&runs);
    // 5 % of 50 are 2.5: 7 or more come in one of 70 tries.
    assert!(single.0 <= 6 && fives.0 <= 3, "{single:?} {fives:?}");
    assert_ne!(runs[0].rows[0].figures, runs[1].rows[0].figures);
    let slower = many(&place, "slower", 10, "service=exp:1050us");
    let found = compare(
        &side(&runs[..5]),
        &side(&slower[..5]),
        &CompareOptions::default(),
    );
    let verdict = &found.rows[0].figures[0].verdict;
    assert!(
        matches!(verdict, ChangeVerdict::Regressed(_)),
        "{verdict:?}"
    );
}

/// `cargo test -p leadline a_thousand_equal_pairs -- --ignored --nocapture`: takes minutes.
#[test]
#[ignore = "a tool: it takes minutes"]
fn a_thousand_equal_pairs() {
    let place = Place::new();
    let mut runs = Vec::new();
    for k in 0..20 {
        // Volumes of one law have the same draws: a service time of its own for each.
        let law = format!("service=exp:{}us", 1000 + k);
        runs.push(many(&place, &format!("r{k}"), 100, &law));
    }
    let sum = |at: usize| {
        let each = runs.iter().map(|runs| called(runs)[at]);
        each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let (single, fives) = (sum(0), sum(1));
    println!(
        "single runs: {} of {}; five and five: {} of {}",
        single.0, single.1, fives.0, fives.1
    );
    assert!(single.0 * 20 <= single.1 && fives.0 * 20 <= fives.1 + 40);
}

#[test]
fn results_that_other_tools_write_are_compared() {
    let place = Place::new();
    std::fs::create_dir_all(place.join("a")).unwrap();
    std::fs::create_dir_all(place.join("b")).unwrap();
    for (side, mean) in [("a", 1000), ("b", 1100)] {
        for (k, off) in [0, 3, -2, 5, -4].into_iter().enumerate() {
            let law = format!("service=exp:{}us", mean + off);
            let output = format!(
                "--output={}",
                place.join(&format!("{side}/{k}.json")).display()
            );
            let done = measured(&place, "r", &law, &["--output-format=json", &output]);
            assert_eq!(done.code, Some(0), "{done:?}");
        }
    }
    // Folders of fio's JSON have a verdict as folders of run files have.
    let done = run(&place, &["compare", "a", "b", "--fail-on", "iops<-5%"]);
    assert_eq!(done.code, Some(99), "{done:?}");
    assert!(done.stdout.contains("regressed"), "{done:?}");
    // One of fio against one of DISKSPD: 8 at a time of 1 ms each are 8,000 a second.
    let diskspd = [
        "diskspd",
        "-d5",
        "-W0",
        "-r",
        "-b4K",
        "-o8",
        "-L",
        "sim:service=exp:1ms",
    ];
    std::fs::write(place.join("d.txt"), run(&place, &diskspd).stdout).unwrap();
    let done = run(&place, &["compare", "a/0.json", "d.txt", "--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("\"iops\""), "{done:?}");
    std::fs::write(place.join("other.txt"), "no result").unwrap();
    let done = run(&place, &["compare", "a/0.json", "other.txt"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(
        done.stderr.contains("it is not a result of a known form"),
        "{done:?}"
    );
}

#[test]
fn sweeps_at_other_depths_cross_and_results_without_a_common_row_are_refused() {
    let place = Place::new();
    let sweep = |name: &str, law: &str, depths: &str| {
        let words = ["study", "depth", law, "--bs", "4k", "--depths", depths];
        let done = run(&place, &[&words[..], &["--out", name]].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
    };
    // 8 at a time at 1 ms are 8,000 IOPS; 2 ms reach them at depth 16.
    sweep("a", "sim:service=1ms,parallel=8", "1,2,4,8,64");
    sweep("b", "sim:service=2ms,parallel=32", "3,6,12,24,48");
    let done = run(&place, &["compare", "a.leadline", "b.leadline", "--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let crossing = &json(&done)["crossings"][0];
    assert_eq!(crossing["interpolated"], true, "{crossing}");
    let at = crossing["at"].as_f64().expect("a depth");
    assert!((at - 16.0).abs() < 0.1, "{crossing}");
    // One I/O alone of both is a row in common; of reads and writes there is none.
    let few = [
        "study",
        "depth",
        "sim:service=2ms,parallel=32",
        "--rw",
        "write",
        "--depths",
        "3,6",
    ];
    let done = run(&place, &[&few[..], &["--out", "few"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    let done = run(&place, &["compare", "a.leadline", "few.leadline"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    let first = "A and B have no row in common.\n";
    assert!(done.stdout.starts_with(first), "{done:?}");
    assert!(
        done.stderr
            .contains("A and B have nothing comparable: A has 4 KiB random read, depth 1;"),
        "{done:?}"
    );
    assert!(!done.stdout.contains("verdict"), "{done:?}");
}

#[test]
fn what_is_of_the_run_of_two_jobs_says_so_and_what_is_of_one_run_is_not_in_the_help() {
    let place = Place::new();
    let help = run(&place, &["compare", "--help"]).stdout;
    for hidden in ["--assert ", "--assert-strict", "--setup"] {
        assert!(!help.contains(hidden), "{hidden}: {help}");
    }
    for (option, said) in [
        (
            "--hosts <LIST|FILE>",
            "With --interleave: Run on these hosts",
        ),
        ("--map <PATH=sim:LAW>", "With --interleave: Replace PATH"),
        (
            "--junit <FILE>",
            "Results of the limits, or of the comparison",
        ),
    ] {
        assert!(
            help.contains(option) && help.contains(said),
            "{said}: {help}"
        );
    }
    std::fs::write(place.join("a.fio"), "[a]\nrw=randread\nsize=8m\n").unwrap();
    let words = [
        "compare",
        "--interleave",
        "a.fio",
        "a.fio",
        "--assert=p99<1s",
        "--fail-on=iops<-3%",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(
        done.stderr
            .contains("one with --interleave too, is judged by what changed"),
        "{done:?}"
    );
    // What neither job has is known before one of them runs.
    let unknown = [
        "--map=*=sim:service=1ms",
        "--fail-on=nope.p99>+1%",
        "--out=c",
    ];
    let done = run(&place, &[&words[..4], &unknown].concat());
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(
        done.stderr
            .contains("nothing that is measured is called nope"),
        "{done:?}"
    );
    assert!(!place.join("c.leadline").exists());
}

/// A pipe has no end to wait for.
#[test]
fn a_pipe_is_no_result() {
    let place = Place::new();
    let pipe = place.join("pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let done = run(&place, &["compare", "pipe.json", "pipe.json"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("not a regular file"), "{done:?}");
}

#[test]
fn files_for_ci_are_no_result_that_is_compared() {
    let place = Place::new();
    for name in ["a", "b"] {
        let json = format!("--output={name}.json");
        let done = measured(
            &place,
            name,
            "service=exp:1ms",
            &["--output-format=json", &json],
        );
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let pair = ["compare", "a.json", "b.json"];
    for (more, said) in [
        (&["--junit=./a.json"][..], "./a.json is a.json"),
        (
            &["--output=o.txt", "--markdown=./o.txt"],
            "./o.txt is o.txt",
        ),
        (&["--junit=o", "--markdown=./o"], "are one file"),
        (
            &["-o", "x.html"],
            "leadline report RUN.leadline -o x.html makes one of a run file",
        ),
    ] {
        let done = run(&place, &[&pair[..], more].concat());
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(
            done.stderr.contains(said) && done.stdout.is_empty(),
            "{done:?}"
        );
    }
    std::fs::create_dir(place.join("d")).unwrap();
    std::fs::copy(place.join("a.leadline"), place.join("d/1.leadline")).unwrap();
    for (of, said) in [
        (
            ["a.leadline", "b.leadline"],
            "leadline report a.leadline b.leadline -o x.html makes one",
        ),
        (
            ["a.leadline", "d"],
            "leadline report a.leadline d/*.leadline -o x.html makes one",
        ),
    ] {
        let done = run(&place, &["compare", of[0], of[1], "-o", "x.html"]);
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.stderr.contains(said), "{done:?}");
    }
    std::fs::remove_file(place.join("d/1.leadline")).unwrap();
    std::fs::copy(place.join("a.json"), place.join("d/1.json")).unwrap();
    let done = run(
        &place,
        &["compare", "d", "b.json", "--force", "--junit=d/1.json"],
    );
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("d/1.json is d/1.json"), "{done:?}");
}

/// Files that Vdbench fills first: that is done once for each job, and is none of what is compared.
#[test]
fn a_fill_between_two_jobs_is_no_result() {
    let place = Place::new();
    let lun = place.join("f").display().to_string();
    let job = format!(
        "sd=s,lun={lun},size=1m,threads=2\nwd=w,sd=s,rdpct=100,xfersize=4k,seekpct=100\n\
         rd=r1,wd=w,iorate=200,elapsed=2,interval=1\n"
    );
    std::fs::write(place.join("a"), &job).unwrap();
    std::fs::write(place.join("b"), &job).unwrap();
    let done = run(
        &place,
        &[
            "compare",
            "--interleave",
            "a",
            "b",
            "--rounds=2",
            "--out=c",
            "--json",
        ],
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    let value = json(&done);
    assert!(!value.to_string().contains("SD_format"), "{value}");
    let run = store::open(&place.join("c.leadline")).unwrap();
    let plan = run.plan.expect("a plan");
    let fills = plan
        .stages
        .iter()
        .filter(|stage| stage.name.contains("SD_format"));
    assert!(fills.count() <= 2, "once for each job");
}

/// A stage that an error ended is no round: the command fails, and so does every condition.
#[test]
fn rounds_that_errors_ended_pass_no_gate() {
    let place = Place::new();
    let job = "[j]\nfilename=v\nrw=randread\nsize=64m\nruntime=1\ntime_based=1\n";
    std::fs::write(place.join("a.fio"), job).unwrap();
    let words = ["compare", "--interleave", "a.fio", "a.fio", "--out", "c"];
    let map = "--map=*=sim:service=exp:1ms,error=EIO@3000";
    let gate = ["--fail-on", "iops<-50%"];
    let done = finish(place.leadline(words).arg(map).args(gate));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stdout.contains("not checked: iops<-50%")
            && done.stdout.contains("errors ended 1 stage"),
        "{done:?}"
    );
    let done = finish(place.leadline(["compare", "c.leadline"]).args(gate));
    assert_eq!(done.code, Some(99), "{done:?}");
}

#[test]
fn a_tag_is_a_word() {
    let place = Place::new();
    for (tag, cure) in [
        (" ", "removes the run's tag"),
        ("a b", "leadline tag r.leadline a-b\n"),
        (" a", "leadline tag r.leadline a\n"),
        ("a\nb\tc", "leadline tag r.leadline a-b-c\n"),
    ] {
        let done = finish(&mut place.leadline(["tag", "r.leadline", tag]));
        assert_eq!(done.code, Some(2), "{done:?}");
        let said = &done.stderr;
        assert!(
            said.contains("a tag must be one word") && said.contains(cure),
            "{done:?}"
        );
    }
}

/// Two jobs that read for 12 s and for 6 s of these, and one that writes for the 6 s.
fn overlapping(place: &Place, name: &str, service: &str) {
    let job = "[global]\nioengine=libaio\ndirect=1\nbs=4k\nsize=64m\ntime_based\niodepth=4\n\
               [long]\nrw=randread\nfilename=/sim/a\nruntime=12\n\
               [short]\nrw=randread\nfilename=/sim/b\nstartdelay=4\nruntime=6\n\
               [writer]\nrw=randwrite\nfilename=/sim/c\nstartdelay=4\nruntime=6\n";
    std::fs::write(place.join("o.fio"), job).unwrap();
    let map = format!("--map=*=sim:service=exp:{service},parallel=32");
    let file = format!("--leadline-run={name}.leadline");
    let done = run(place, &["fio", &map, &file, "o.fio"]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn totals_of_jobs_that_overlap_in_part_say_of_which_time_they_are() {
    let place = Place::new();
    overlapping(&place, "a", "1ms");
    overlapping(&place, "b", "2ms");
    let done = run(&place, &["compare", "a.leadline", "b.leadline", "--json"]);
    let found = json(&done);
    let row = |workload: &str, op: &str| {
        let mut rows = found["rows"].as_array().unwrap().iter();
        let own = rows.find(|r| r["workload"] == workload && r["op"] == op);
        own.unwrap_or_else(|| panic!("{workload} {op}: {done:?}"))
            .clone()
    };
    let total = row("", "read");
    for side in ["overlap_a_ns", "overlap_b_ns"] {
        let span = total[side].as_f64().unwrap();
        assert!((span - 6e9).abs() < 5e7, "{total}");
        assert!(row("long", "read")[side].is_null());
    }
    // Twice the latency halves the rate of the time in which both read, as that of each of them.
    let figures = total["figures"].as_array().unwrap();
    let iops = figures.iter().find(|f| f["figure"] == "iops").unwrap();
    let [low, high] = ["low_percent", "high_percent"].map(|key| iops[key].as_f64().unwrap());
    assert!(
        -55.0 < low && low < -50.0 && -50.0 < high && high < -45.0,
        "{iops}"
    );
    // Slower only before the others begin: the mean is of all I/Os, and so is its change.
    overlapping(&place, "c", "2ms,at=4s:service=exp:1ms");
    let changed = json(&run(
        &place,
        &["compare", "a.leadline", "c.leadline", "--json"],
    ));
    let mut rows = changed["rows"].as_array().unwrap().iter();
    let total = rows
        .find(|r| r["workload"] == "" && r["op"] == "read")
        .unwrap();
    let mut figures = total["figures"].as_array().unwrap().iter();
    let mean = figures.find(|f| f["figure"] == "mean").unwrap();
    let [a, b, change] = ["a", "b", "change_percent"].map(|key| mean[key].as_f64().unwrap());
    assert!(
        b > 1.1 * a && (100.0 * (b / a - 1.0) - change).abs() < 0.5,
        "{mean}"
    );
    let said = run(&place, &["compare", "a.leadline", "b.leadline"]).stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "cover the time in which all of their jobs ran (6.00 s), their latencies all I/Os.";
    assert!(said.contains(words), "{said}");

    // The sentence of a report says so of the reads of two jobs, and has the figures of the one that writes.
    let of = store::open(&place.join("a.leadline")).unwrap();
    let summary = leadline_results::summary::summarize(&of);
    let sentence = &leadline_results::study::general::stages(&summary, &|_| false)[0];
    let (reads, writes) = sentence.split_once("; ").unwrap();
    assert!(
        reads.ends_with("(rates over the 6.00 s in which all ran)"),
        "{sentence}"
    );
    let writer = &summary.stages[0].workloads[2].figures;
    let own = writer.op(leadline_model::op::Op::Write).unwrap();
    assert!(
        writes.contains(&own.latency_words()) && !writes.contains("all ran"),
        "{sentence}"
    );
}

/// Two jobs one after the other: what their rates cover is said as it is, and their total changes as it does.
#[test]
fn jobs_that_never_ran_at_the_same_time_say_what_their_rates_cover() {
    let place = Place::new();
    for (name, delay) in [("a", 12), ("b", 16)] {
        let job = format!(
            "[global]\nioengine=libaio\ndirect=1\nbs=4k\nsize=64m\ntime_based\nruntime=10\niodepth=4\nrw=randread\n\
             [first]\nfilename=/sim/a\n[second]\nfilename=/sim/b\nstartdelay={delay}\n"
        );
        std::fs::write(place.join("o.fio"), job).unwrap();
        let file = format!("--leadline-run={name}.leadline");
        let done = run(
            &place,
            &["fio", "--map=*=sim:service=exp:1ms", &file, "o.fio"],
        );
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = flat(&run(&place, &["show", "a.leadline"]).stdout);
    for words in [
        "(rates over the 22.0 s from the first start to the last end: not all ran at the same time)",
        "Rates of all workloads together cover the 22.0 s from the first start to the last end; those of each cover \
         its own time.",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains("common time"), "{shown}");
    let words = ["compare", "a.leadline", "b.leadline"];
    let said = flat(&run(&place, &words).stdout);
    let covers = "Not all jobs of first, second read ran at the same time: rates cover the time from the first start \
                  to the last end (22.0 s of a, 26.0 s of b).";
    let by_letter = covers.replace("of a,", "of A,").replace("of b)", "of B)");
    assert!(said.contains(covers) || said.contains(&by_letter), "{said}");
    let found = json(&run(&place, &[&words[..], &["--json"]].concat()));
    let mut rows = found["rows"].as_array().unwrap().iter();
    let total = rows.find(|r| r["workload"] == "").unwrap();
    let mut figures = total["figures"].as_array().unwrap().iter();
    let iops = figures.find(|f| f["figure"] == "iops").unwrap();
    // As many I/Os in 26 s as in 22 s: 15 % fewer.
    let change = iops["change_percent"].as_f64();
    assert!(
        change.is_some_and(|change| (change + 15.4).abs() < 1.5),
        "{iops}"
    );
}

/// The total of fio's report group has the names of its jobs, and not that of the first.
#[test]
fn a_report_group_is_called_by_its_jobs() {
    let place = Place::new();
    let job = "[global]\nioengine=libaio\ndirect=1\nbs=4k\nsize=64m\ntime_based\nruntime=3\niodepth=4\nrw=randread\n\
               group_reporting\n[j1]\nfilename=/sim/a\n[j2]\nfilename=/sim/b\n[j3,4]\nfilename=/sim/c\n";
    std::fs::write(place.join("g.fio"), job).unwrap();
    for name in ["a", "b"] {
        let file = format!("--leadline-run={name}.leadline");
        let words = ["fio", "--map=*=sim:service=exp:1ms", &file, "g.fio"];
        assert_eq!(run(&place, &words).code, Some(0));
    }
    let said = run(&place, &["compare", "a.leadline", "b.leadline"]).stdout;
    // A name with a comma is not taken for two.
    assert!(said.contains("\nj1; j2; j3,4 read\n"), "{said}");
    assert!(!said.contains("\nj1 read\n"), "{said}");
}
