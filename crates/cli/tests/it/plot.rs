//! `leadline plot` on runs of simulated volumes, whose figures are known.

use crate::support::{Place, finish};

/// A run of depths 1, 4 and 16 on a volume of 1 ms that works on four I/Os at once: 1,000, 4,000 and 4,000 IOPS.
fn swept(place: &Place, name: &str) {
    let mut job = "[global]\nrw=randread\nbs=4k\nioengine=libaio\ntime_based\nruntime=5\nsize=1g\n"
        .to_owned();
    for depth in [1, 4, 16] {
        job += &format!("[d{depth}]\nstonewall\niodepth={depth}\n");
    }
    std::fs::write(place.join("d.fio"), job).unwrap();
    let file = format!("--leadline-run={name}.leadline");
    let words = [
        "fio",
        "d.fio",
        "--map=*=sim:service=1ms,parallel=4",
        &file,
        "--output=fio.txt",
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn a_picture_has_what_the_volume_gave_and_is_written_over_none_that_is_not_one() {
    let place = Place::new();
    swept(&place, "a");
    let words = ["plot", "a.leadline", "--x", "depth", "--y", "iops,p50"];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let expected = "IOPS, line: 1k at 1, 4k at 4, 4k at 16. latency p50, line: 1.00 ms at 1, 1.00 ms at 4, 4.00 ms at 16";
    assert!(done.stdout.contains(expected), "{}", done.stdout);
    let into = |file: &str| {
        let out = [&words[..], &["-o", file]].concat();
        finish(&mut place.leadline(out))
    };
    assert_eq!(into("a.svg").code, Some(0));
    assert_eq!(into("a.svg").code, Some(0), "a picture is replaced");
    assert_eq!(
        std::fs::read_to_string(place.join("a.svg")).unwrap(),
        done.stdout
    );
    std::fs::write(place.join("mine.svg"), "<svg>").unwrap();
    let kept = into("mine.svg");
    assert_eq!(kept.code, Some(3), "{kept:?}");
    assert_eq!(
        std::fs::read_to_string(place.join("mine.svg")).unwrap(),
        "<svg>"
    );
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_what_was_meant() {
    let place = Place::new();
    let words = [
        "plot",
        "none.leadline",
        "--x",
        "dept",
        "--y",
        "ipos",
        "--by",
        "nconect",
        "--only",
        "bock=4k",
        "-o",
        "x.png",
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(2));
    for near in ["depth", "iops", "nconnect", "block"] {
        let hint = format!("did you mean {near}?");
        assert!(done.stderr.contains(&hint), "{hint} in {}", done.stderr);
    }
    assert!(done.stderr.contains("rsvg-convert"), "{}", done.stderr);
    assert!(!place.join("x.png").exists());
}
