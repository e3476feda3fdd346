//! The pipeline step of the guide, run as a pipeline runs it: on simulated volumes, one of which becomes slower.

use crate::support::{Done, LEADLINE, Place, finish};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder in which `leadline` is found by name.
fn named(place: &Place) -> PathBuf {
    let folder = place.join("bin");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(LEADLINE, folder.join("leadline")).unwrap();
    folder
}

/// One run of the pipeline: its results are in the folder `name`.
fn pipeline(place: &Place, name: &str, law: &str, limits: &[(&str, &str)]) -> Done {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/regression.sh");
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command
        .arg(script)
        .args(["job.fio", "baseline", name])
        .arg(format!("--map=*=sim:{law}"))
        .current_dir(place.path())
        .env("PATH", format!("{}:{path}", place.join("bin").display()))
        .env("XDG_STATE_HOME", place.join("state"))
        .env("NO_COLOR", "1")
        .envs(limits.iter().copied());
    finish(&mut command)
}

fn text(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_pipeline_keeps_a_baseline_and_fails_on_a_regression_and_on_a_limit() {
    let place = Place::new();
    named(&place);
    let job = "[randread]\nrw=randread\nbs=4k\nsize=64m\niodepth=8\nioengine=libaio\ntime_based\nruntime=10\n\
               filename=/sim/a\n";
    std::fs::write(place.join("job.fio"), job).unwrap();

    let first = pipeline(&place, "first", "service=exp:1ms", &[]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stdout.contains("no baseline yet"), "{first:?}");
    assert!(place.join("baseline/5.leadline").exists());
    assert!(text(&place, "first/limits-5.xml").contains("tests=\"1\" failures=\"0\" errors=\"0\""));

    // One in a hundred slower: within what is let through.
    let same = pipeline(&place, "same", "service=exp:1010us", &[]);
    assert_eq!(same.code, Some(0), "{same:?}");
    assert!(text(&place, "same/compare.xml").contains("failures=\"0\" errors=\"0\""));

    let slower = pipeline(&place, "slower", "service=exp:1080us", &[]);
    assert_eq!(slower.code, Some(99), "{slower:?}");
    assert!(text(&place, "slower/compare.xml").contains("failures=\"1\""));
    assert!(text(&place, "slower/compare.md").contains("**B is worse: "));
    assert!(slower.stderr.contains("failed: iops<-3%"), "{slower:?}");

    // Runs of an earlier pipeline are not counted with those of this one.
    let again = pipeline(&place, "same", "service=exp:1500us", &[]);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(
        again.stderr.contains("same/runs holds an earlier run"),
        "{again:?}"
    );
    let slower = pipeline(&place, "new", "service=exp:1500us", &[]);
    assert_eq!(slower.code, Some(99), "{slower:?}");

    // A limit that is broken ends it at the first repeat, before anything is compared.
    let broken = pipeline(
        &place,
        "broken",
        "service=exp:1ms",
        &[("ASSERT", "p99<1ms")],
    );
    assert_eq!(broken.code, Some(99), "{broken:?}");
    assert!(text(&place, "broken/limits-1.xml").contains("failures=\"1\""));
    assert!(!place.join("broken/compare.xml").exists());

    // What could not be measured is an error and no regression.
    let lost = pipeline(&place, "lost", "service=exp:1ms", &[("ASSERT", "p99<1")]);
    assert!(!matches!(lost.code, Some(0 | 99)), "{lost:?}");
}
