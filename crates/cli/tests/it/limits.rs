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
        "--quota without --service",
        "did you mean `P30`?",
        "--nconnect without --nfs",
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
        one.contains("the run has 3 hosts, and the set-up 1 machines: --vm D2s_v3:3?"),
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
        "By the limits of the set-up that was described, depth/4k-randread-qd16-j1: 3200 IOPS";
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

#[test]
fn a_set_up_that_describes_nothing_ends_before_anything_is_made() {
    let place = Place::new();
    for (value, why) in [
        ("", "describes nothing"),
        ("--vm", "a value is required"),
        ("--vm 'D2", "--setup --vm 'D2: "),
        (
            "--vm D2s_v3 --table --run last",
            "--setup: --run describes no set-up",
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
