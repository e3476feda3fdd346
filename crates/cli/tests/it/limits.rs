//! A provider's limits: what the command says about a set-up, a figure and a run.

use crate::support::{Done, Place, finish};

fn run(place: &Place, words: &[&str]) -> Done {
    finish(&mut place.leadline(words))
}

#[test]
fn a_figure_is_at_a_limit_and_json_says_the_same() {
    let place = Place::new();
    let words = [
        "limits",
        "--vm",
        "D8ds_v4",
        "--disk",
        "3xP30:none,P30:ro",
        "--bs",
        "8k",
        "--measured",
        "write:uncached:13052.65",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = "At its limit: VM uncached: D8ds_v4 (u 1.020 of 12,800 IOPS)";
    assert!(done.stdout.contains(said), "{done:?}");
    let json = run(&place, &[&words[..], &["--json"]].concat()).json();
    let conclusion = &json["verdict"]["conclusions"][0];
    assert_eq!(conclusion["kind"], "at", "{json}");
    let at = conclusion["limits"][0].as_u64().unwrap();
    let limit = &json["limits"][usize::try_from(at).unwrap()];
    assert_eq!(limit["scope"], "vm-uncached", "{json}");
    assert_eq!(limit["source"]["verified"], true, "{json}");
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let place = Place::new();
    let file = place.join("mine.toml");
    std::fs::write(&file, "[[disk]]\nname = \"X\"\nprovider = \"me\"\n").unwrap();
    let words = [
        "limits",
        "--quota",
        "1TiB",
        "--disk",
        "P300",
        "--nconnect",
        "8",
        "--limits",
        "mine.toml",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(2), "{done:?}");
    for part in [
        "a row without a source",
        "mine.toml:1:1",
        "--quota needs --service",
        "did you mean `P30`?",
        "--nconnect needs --nfs",
    ] {
        assert!(done.stderr.contains(part), "{part}: {done:?}");
    }
    assert_eq!(run(&place, &["limits"]).code, Some(2));
    assert_eq!(
        run(&place, &["limits", "--run", "none.leadline"]).code,
        Some(2)
    );
}

/// 3,200 IOPS of a volume are those of a small machine with a fast disk; one I/O at a time is held by its latency.
#[test]
fn a_run_is_compared_stage_by_stage() {
    let place = Place::new();
    let words = [
        "study",
        "depth",
        "sim:iops=3200,service=500us",
        "--depths",
        "1,16",
        "--quick",
        "--seed",
        "1",
        "--out",
        "d",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let words = [
        "limits",
        "--vm",
        "D2s_v3",
        "--disk",
        "P30",
        "--run",
        "d.leadline",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let line = |part: &str| {
        let found = done
            .stdout
            .lines()
            .find(|line| line.contains(part) && line.contains("IOPS"));
        found
            .unwrap_or_else(|| panic!("{part}: {done:?}"))
            .to_owned()
    };
    let alone = line("qd1-j1:");
    assert!(
        alone.contains("At its limit: latency x concurrency (u 1.0"),
        "{alone}"
    );
    let deep = line("qd16-j1:");
    assert!(
        deep.contains("At its limit: VM uncached: D2s_v3 (u 1.0"),
        "{deep}"
    );
}

/// Limits of a machine are those of each host; another number of machines than hosts is said.
#[test]
fn a_run_on_several_hosts_has_the_limits_of_as_many_machines() {
    let place = Place::new();
    let words = [
        "study",
        "depth",
        "sim:iops=9600,service=500us",
        "--depths",
        "1,16",
        "--quick",
        "--seed",
        "1",
        "--out",
        "h",
        "--hosts",
        "h[1-3]",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = |vm: &str| {
        let words = ["limits", "--vm", vm, "--disk", "P30", "--run", "h.leadline"];
        let done = run(&place, &words);
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stdout
    };
    let three = said("D2s_v3:3");
    assert!(!three.contains("hosts, and the set-up"), "{three}");
    let of = |part: &str| {
        three
            .lines()
            .find(|line| line.contains(part))
            .unwrap_or("")
            .to_owned()
    };
    assert!(
        of("qd16-j1:").contains("At its limit: VM uncached: D2s_v3 (u 1.0"),
        "{three}"
    );
    assert!(
        of("qd1-j1:").contains("At its limit: latency x concurrency"),
        "{three}"
    );
    let one = said("D2s_v3");
    assert!(
        one.contains("the run has 3 hosts, and the set-up 1 machine: --vm D2s_v3:3?"),
        "{one}"
    );
}

#[test]
fn a_set_up_that_is_described_takes_part_in_the_verdict_of_a_run() {
    let place = Place::new();
    let setup = "--setup=--vm D2s_v3 --disk P30";
    let study = [
        "study",
        "depth",
        "sim:iops=3200,service=500us",
        "--depths=1,16",
        "--out=d",
        setup,
    ];
    let done = finish(&mut place.leadline(study));
    assert_eq!(done.code, Some(0), "{done:?}");
    let said =
        "By the limits of the set-up that was described, depth/4k-randread-qd16-j1: 3,200 IOPS";
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&done.stdout).contains(said), "{done:?}");
    // It is kept, and in every form of the run.
    for form in ["--text", "--json"] {
        let shown = finish(&mut place.leadline(["report", "d.leadline", form]));
        assert!(
            flat(&shown.stdout).contains("At its limit: VM uncached: D2s_v3"),
            "{shown:?}"
        );
    }
    let fio = [
        "fio",
        "--name=r",
        "--rw=randread",
        "--bs=4k",
        "--size=64m",
        "--iodepth=16",
        "--ioengine=libaio",
        "--time_based",
        "--runtime=10",
        "--filename=/sim/a",
        "--map=*=sim:iops=3200,service=500us",
        "--leadline-run=f.leadline",
        setup,
    ];
    let done = finish(&mut place.leadline(fio));
    assert_eq!(done.code, Some(0), "{done:?}");
    let shown = finish(&mut place.leadline(["show", "f.leadline"]));
    assert!(
        flat(&shown.stdout).contains("VM uncached: D2s_v3"),
        "{shown:?}"
    );
    // `leadline limits --run` says the same of the kept run: the fill is no result, and its rate no figure.
    let limits = ["limits", "--vm=D2s_v3", "--disk=P30", "--run=d.leadline"];
    let shown = finish(&mut place.leadline(limits));
    assert!(!shown.stdout.contains("depth/fill"), "{shown:?}");
    let named =
        "The table is of the stage that comes nearest to a limit, depth/4k-randread-qd16-j1.";
    assert!(shown.stdout.contains(named), "{shown:?}");
}

/// The rate falls before the highest one is measured once more, and before the mixes of a survey: what was measured before is
/// at no limit that the volume is at.
#[test]
fn what_another_measurement_replaced_is_at_no_limit() {
    let place = Place::new();
    let law = "sim:size=256m,parallel=64,service=exp:1ms,iops=16000,at=4s:iops=13500";
    let study = [
        "study",
        "iops",
        law,
        "--depths=4,32",
        "--rw=read",
        "--time=2s",
        "--warmup=0",
        "--seed=1",
        "--out=d",
    ];
    let limits = |run: &str| {
        let words = [
            "limits",
            "--disk=gp3:500GiB:16000iops:1000MiB/s",
            "--run",
            run,
        ];
        let done = finish(&mut place.leadline(words));
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stdout
    };
    let done = finish(&mut place.leadline(study));
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = limits("d.leadline");
    let of_best: Vec<&str> = said.lines().filter(|l| l.contains("qd32-j1: ")).collect();
    assert_eq!(of_best.len(), 1, "{said}");
    assert!(of_best[0].contains(": 13,500 IOPS +-"), "{said}");
    assert!(!said.contains("At its limit: disks"), "{said}");
    // The mean of repeats, and not the highest of them.
    let repeats = ["--out=r", "--repeat=2"];
    let study = study.iter().filter(|word| **word != "--out=d");
    let words: Vec<&str> = study.copied().chain(repeats).collect();
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = limits("r.leadline");
    let named = "iops/4k-randread-qd32-j1, mean of 2 repeats: ";
    assert!(said.contains(named), "{said}");
    assert!(!said.contains("-r1") && !said.contains("-r2"), "{said}");
}

/// The latency of one I/O alone is that of after a fall, and the mean of its repeats.
#[test]
fn one_io_alone_is_at_its_own_latency() {
    let place = Place::new();
    let fell =
        "sim:size=1g,iops=20000,service=exp:300us,at=25s:iops=14000,at=25s:service=exp:900us";
    let measure = ["measure", fell, "--quick", "--seed=3", "--out=m"];
    let repeats = [
        "study",
        "depth",
        "sim:size=256m,service=exp:300us,iops=20000",
        "--depths=1,4",
        "--rw=read",
        "--time=1s",
        "--repeat=2",
        "--out=r",
    ];
    for (words, run, one) in [
        (&measure[..], "m.leadline", "latency/4k-randread-qd1"),
        (&repeats, "r.leadline", "qd1-j1, mean of 2 repeats"),
    ] {
        let done = finish(&mut place.leadline(words));
        assert!(matches!(done.code, Some(0 | 99)), "{done:?}");
        let limits = [
            "limits",
            "--disk=gp3:500GiB:30000iops:2000MiB/s",
            "--run",
            run,
        ];
        let said = finish(&mut place.leadline(limits)).stdout;
        let of_one = said
            .lines()
            .find(|l| l.contains(one) && !l.contains("measured before"));
        let of_one = of_one.unwrap_or_else(|| panic!("{said}"));
        assert!(
            of_one.contains("At its limit: latency x concurrency (u 1.0"),
            "{said}"
        );
    }
}

/// Credits end in the middle of a study: it has no answer, and none is concluded from what was measured before.
#[test]
fn a_study_without_an_answer_is_at_no_limit_of_before() {
    let place = Place::new();
    let law = "sim:iops=3000,burst_iops=12000,burst_store=60000,service=exp:300us,size=1g";
    let done = finish(&mut place.leadline(["study", "depth", law, "--seed=1", "--out=d"]));
    assert!(done.stdout.contains("No answer"), "{done:?}");
    let limits = [
        "limits",
        "--disk=gp3:500GiB:6000iops:500MiB/s",
        "--run=d.leadline",
    ];
    let said = finish(&mut place.leadline(limits)).stdout;
    assert!(
        said.lines().next().unwrap_or("").starts_with("No answer"),
        "{said}"
    );
    let table = said
        .lines()
        .find(|l| l.contains("The table is of"))
        .unwrap_or("");
    assert!(!table.is_empty(), "{said}");
    assert!(
        !said.contains("At its limit: disks") || said.contains("u 0.5"),
        "{said}"
    );
    // Another run of it is not compared without a word.
    let other = ["study", "depth", law, "--seed=2", "--out=e"];
    let done = finish(&mut place.leadline(other));
    assert!(done.stdout.contains("No answer"), "{done:?}");
    let compared = finish(&mut place.leadline(["compare", "d.leadline", "e.leadline"])).stdout;
    assert!(compared.contains("its study has no answer"), "{compared}");
    std::fs::remove_file(place.path().join("e.leadline")).unwrap();
    // The list has the rate that was measured once more as well.
    let listed = finish(&mut place.leadline(["list", ".", "--lines"])).stdout;
    assert!(listed.contains("3,000 read IOPS"), "{listed}");
}

#[test]
fn a_set_up_that_describes_nothing_ends_before_anything_is_made() {
    let place = Place::new();
    for (value, why) in [
        ("", "describes nothing"),
        ("--vm", "a value is required"),
        ("--vm 'D2", "--setup --vm 'D2: "),
        (
            "--vm D2s_v3 --table --run last",
            "--setup: --run does not describe a set-up",
        ),
        ("--quota 10TiB", "quota"),
        ("--disk P31", "P3"),
        ("limits", "unexpected argument"),
    ] {
        let words = [
            "study",
            "latency",
            "sim:service=1ms",
            "--out=d",
            "--setup",
            value,
        ];
        let done = finish(&mut place.leadline(words));
        assert_eq!(done.code, Some(2), "{value}: {done:?}");
        assert!(done.stderr.contains(why), "{value}: {}", done.stderr);
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

/// Every option alone and each pair: what names nothing that has limits ends with 2 and says what would.
#[test]
fn what_says_nothing_is_an_error_with_the_cure() {
    let place = Place::new();
    let alone: [&[&str]; 5] = [
        &["--bs", "3"],
        &["--read", "50"],
        &["--latency", "1ms"],
        &["--inflight", "4"],
        &["--flows", "4"],
    ];
    for (at, one) in alone.iter().enumerate() {
        let pairs = alone[at + 1..].iter().map(|other| [*one, *other].concat());
        for words in pairs.chain([one.to_vec()]) {
            let done = run(&place, &[&["limits"], &words[..]].concat());
            let concurrency = words.contains(&"--latency") && words.contains(&"--inflight");
            let code = if concurrency { 0 } else { 2 };
            assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
            let said = done
                .stderr
                .contains("with --service, --vm, --disk or --nfs");
            assert_eq!(said, !concurrency, "{words:?}: {done:?}");
        }
        for useful in [&["--vm", "D8s_v3"][..], &["--demand", "2000"], &["--table"]] {
            let done = run(&place, &[&["limits"], *one, useful].concat());
            assert_eq!(done.code, Some(0), "{one:?} {useful:?}: {done:?}");
        }
        let measured = run(
            &place,
            &[&["limits"], *one, &["--measured", "2000"]].concat(),
        );
        assert_eq!(measured.code, Some(2), "{one:?}: {measured:?}");
    }
}

/// One volume of 3,200 IOPS, measured by each tool: a result of each is at the limit of the same machine.
#[test]
fn results_of_other_tools_are_compared_with_limits() {
    let place = Place::new();
    let map = "--map=*=sim:iops=3200,service=500us";
    let fio = [
        "fio",
        "--name=r",
        "--rw=randread",
        "--bs=4k",
        "--size=64m",
        "--iodepth=16",
        "--ioengine=libaio",
        "--time_based",
        "--runtime=5",
        "--filename=/sim/a",
        map,
        "--output-format=json",
        "--output=f.json",
    ];
    assert_eq!(run(&place, &fio).code, Some(0));
    let job = "sd=s,lun=f,size=8m,threads=16\nwd=w,sd=s,rdpct=70,xfersize=4k,seekpct=100\n\
               rd=r1,wd=w,iorate=max,elapsed=5,interval=1\n";
    std::fs::write(place.join("p"), job).unwrap();
    let vdbench = run(&place, &["vdbench", map, "-f", "p", "-o", "out"]);
    assert_eq!(vdbench.code, Some(0), "{vdbench:?}");
    std::fs::remove_file(place.join("out/run.leadline")).unwrap();
    let words = [
        "diskspd", map, "-b4K", "-r", "-w30", "-o16", "-t1", "-d5", "-L", "-c8M", "-Rxml", "f",
    ];
    std::fs::write(place.join("d.xml"), run(&place, &words).stdout).unwrap();
    // fio's text alone leaves open whether a rate was asked for.
    let text = ["--output-format=normal", "--output=f.txt"];
    assert_eq!(run(&place, &[&fio[..11], &text].concat()).code, Some(0));
    let unknown = "does not say whether a rate was asked for";
    for (result, is_said) in [("f.txt", true), ("f.json", false)] {
        let of = ["limits", "--vm", "D2s_v3", "--disk", "P30", "--run", result];
        let done = run(&place, &of);
        let words: Vec<&str> = done.stdout.split_whitespace().collect();
        let words = words.join(" ");
        assert_eq!(words.contains(unknown), is_said, "{done:?}");
    }
    for (result, label) in [
        ("f.json", "r: "),
        ("out", "r1: "),
        ("d.xml", "timespan 1: "),
    ] {
        let of = ["limits", "--vm", "D2s_v3", "--disk", "P30", "--run", result];
        let done = run(&place, &of);
        assert_eq!(done.code, Some(0), "{done:?}");
        let at = "At its limit: VM uncached: D2s_v3 (u 1.00";
        let first = done.stdout.lines().next().unwrap_or_default();
        assert!(first.starts_with(label) && first.contains(at), "{done:?}");
        let json = run(&place, &[&of[..], &["--json"]].concat()).json();
        assert_eq!(
            json["block_bytes"].as_f64().map(f64::round),
            Some(4096.0),
            "{json}"
        );
        // Without a set-up there is nothing to compare with.
        let done = run(&place, &["limits", "--run", result]);
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(
            done.stderr.contains("error: Nothing could be compared"),
            "{done:?}"
        );
    }
    std::fs::write(place.join("notes"), "no result").unwrap();
    let done = run(&place, &["limits", "--vm", "D2s_v3", "--run", "notes"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(
        done.stderr.contains("not a result of a known form"),
        "{done:?}"
    );
}

#[test]
fn several_files_of_rows_are_read_and_all_that_is_wrong_is_said() {
    let place = Place::new();
    let row = |name: &str, iops: &str| {
        format!(
            "[[disk]]\nname = \"{name}\"\nprovider = \"me\"\ngib = 10\niops = {iops}\nsource = \"https://example.com\"\n\
             date = \"2026\"\n"
        )
    };
    std::fs::write(place.join("a.toml"), row("X", "100")).unwrap();
    std::fs::write(place.join("b.toml"), row("Y", "200")).unwrap();
    let files = ["limits", "--limits", "a.toml", "--limits", "b.toml"];
    let done = run(&place, &[&files[..], &["--disk", "X,Y"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    std::fs::write(place.join("a.toml"), row("X", "1e308")).unwrap();
    std::fs::write(place.join("b.toml"), row("Y", "\"fast\"")).unwrap();
    let wrong = run(
        &place,
        &[&files[..], &["--limits", "none.toml", "--disk", "P30"]].concat(),
    );
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    for part in [
        "a.toml:5",
        "b.toml:5",
        "none.toml: No such file",
        "10^15 at most",
    ] {
        assert!(wrong.stderr.contains(part), "{part}: {wrong:?}");
    }
}
