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
