//! Results in files and on standard output: no file is overwritten unasked, and a failed write shows in the
//! exit code.

use crate::support::{Done, FileSystem, LEADLINE, Place, finish, or_skip};
use std::fs::File;
use std::process::{Command, Stdio};

/// A short run of a simulated device.
const SIM: [&str; 7] = [
    "--name=a",
    "--ioengine=sim",
    "--rw=randread",
    "--bs=4k",
    "--size=1m",
    "--time_based=0",
    "--io_size=64k",
];

const QUICK: [&str; 8] = [
    "measure",
    "dir",
    "--quick",
    "--size",
    "1m",
    "--time",
    "20ms",
    "--buffered",
];

fn fio(more: &[&str]) -> Vec<String> {
    let words = ["fio"].iter().chain(&SIM).chain(more);
    words.map(|&word| word.to_owned()).collect()
}

/// `command` with standard output on a device that is always full.
fn to_full(command: &mut Command) -> Done {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let running = crate::support::Running::start_with(command, Stdio::from(full), Stdio::piped());
    running.finish()
}

/// `leadline ARGS` as a shell starts it with its standard output closed.
fn to_closed(place: &Place, args: &[&str]) -> Done {
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" >&-", "sh", LEADLINE]);
    shell.args(args).current_dir(place.path());
    shell.env("XDG_STATE_HOME", place.join("state"));
    finish(&mut shell)
}

fn kept(place: &Place) {
    let done = finish(&mut place.leadline(fio(&["--leadline-run=r.leadline"])));
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn the_schema_of_an_output_is_printed_as_it_is_in_the_documents() {
    let place = Place::new();
    let done = finish(&mut place.leadline(["schema", "run"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let kept = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/run.schema.json"
    );
    assert_eq!(done.stdout, std::fs::read_to_string(kept).unwrap());
    let done = finish(&mut place.leadline(["schema", "runs"]));
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("run"), "{done:?}");
}

#[test]
fn results_that_standard_output_does_not_take_are_a_failure() {
    let place = Place::new();
    kept(&place);
    let vdb = "sd=s,lun=f,size=1m,openflags=o_direct\nwd=w,sd=s\nrd=r,wd=w,iorate=10,elapsed=2,interval=1,maxdata=4k\n";
    std::fs::write(place.join("j.vdb"), vdb).unwrap();
    let diskspd = ["diskspd", "-c1M", "-W0", "-d0", "-w0", "-b4k", "f"];
    for (args, code) in [
        (vec!["report", "r.leadline", "--json"], 3),
        (vec!["report", "r.leadline", "--text"], 3),
        (vec!["show", "r.leadline"], 3),
        (vec!["list"], 3),
        (vec!["plan", "fio", "--name=a", "--size=1m"], 3),
        (vec!["--help"], 3),
        ([&["fio"], &SIM[..]].concat(), 1),
        ([&["fio", "--output-format=json"], &SIM[..]].concat(), 1),
        (diskspd.to_vec(), 1),
        (vec!["vdbench", "-f", "j.vdb"], 157),
    ] {
        let full = to_full(&mut place.leadline(&args));
        assert_eq!(full.code, Some(code), "{args:?} {full:?}");
        let says = "error: cannot write to standard output: No space left on device";
        assert!(full.stderr.contains(says), "{args:?} {full:?}");
        let closed = to_closed(&place, &args);
        assert_eq!(closed.code, Some(code), "{args:?} {closed:?}");
        assert!(closed.stderr.contains("it is closed"), "{closed:?}");
    }
    // To a file nothing of that matters, and a reader that has seen enough is no error.
    let done = to_full(&mut place.leadline(fio(&["--output=o"])));
    assert_eq!(done.code, Some(0), "{done:?}");
    let pipe = "\"$0\" report r.leadline --json | head -c1; exit ${PIPESTATUS[0]}";
    let mut bash = Command::new("bash");
    bash.args(["-c", pipe, LEADLINE]).current_dir(place.path());
    let done = finish(&mut bash);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "{"));
}

/// A survey of a simulated device.
#[cfg(debug_assertions)]
fn survey(place: &Place, more: &[&str]) -> Command {
    let command = place.leadline(QUICK.iter().chain(more));
    crate::support::simulated(command, "service=100us")
}

#[cfg(debug_assertions)]
#[test]
fn a_survey_that_cannot_be_shown_is_a_failure_and_its_files_are_there() {
    let place = Place::new();
    let done = to_full(&mut survey(&place, &["--json", "--out", "q"]));
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(place.join("q.html").is_file() && place.join("q.leadline").is_file());
}

#[test]
fn reports_replace_reports_and_nothing_else() {
    let place = Place::new();
    kept(&place);
    let run = std::fs::read(place.join("r.leadline")).unwrap();
    let report = |args: &[&str]| finish(&mut place.leadline([&["report"], args].concat()));
    for args in [
        &["r.leadline"][..],
        &["r.leadline", "--json", "-o", "r.json"],
        &["r.leadline", "--csv", "-o", "r.csv"],
    ] {
        // Twice: an earlier report gives way.
        for _ in 0..2 {
            let done = report(args);
            assert_eq!(done.code, Some(0), "{done:?}");
        }
    }
    std::fs::write(place.join("r.html"), "mine").unwrap();
    for args in [
        &["r.leadline"][..],
        &["r.leadline", "--text", "-o", "r.html"],
        &["r.leadline", "--as", "fio-json", "-o", "r.html"],
        &["r.leadline", "--json", "-o", "r.leadline"],
        &["r.leadline", "--json", "-o", "r.leadline", "--force"],
    ] {
        let done = report(args);
        assert_eq!(done.code, Some(3), "{args:?} {done:?}");
        assert!(done.stderr.contains("hint: "), "{done:?}");
    }
    assert_eq!(std::fs::read(place.join("r.html")).unwrap(), b"mine");
    assert_eq!(std::fs::read(place.join("r.leadline")).unwrap(), run);
    assert_eq!(report(&["r.leadline", "--force"]).code, Some(0));
    assert!(
        std::fs::read(place.join("r.html"))
            .unwrap()
            .starts_with(b"<!DOCTYPE html>")
    );
}

#[cfg(debug_assertions)]
#[test]
fn a_run_keeps_the_dots_of_its_name_and_leaves_what_is_there() {
    let place = Place::new();
    std::fs::write(place.join("keepme.html"), "mine").unwrap();
    for (out, made) in [
        ("vol-10.0.0.5", "vol-10.0.0.5"),
        ("vol-10.0.0.5", "vol-10.0.0.5-2"),
        ("keepme", "keepme-2"),
    ] {
        let done = finish(&mut survey(&place, &["--out", out]));
        assert!(matches!(done.code, Some(0)), "{done:?}");
        for ending in ["html", "leadline"] {
            assert!(
                place.join(&format!("{made}.{ending}")).is_file(),
                "{done:?}"
            );
        }
    }
    assert_eq!(std::fs::read(place.join("keepme.html")).unwrap(), b"mine");
    let done = finish(&mut survey(&place, &["--out", "keepme", "--force"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_ne!(std::fs::read(place.join("keepme.html")).unwrap(), b"mine");
    // A page is made of a run file by its whole name.
    let done = finish(&mut place.leadline(["report", "vol-10.0.0.5-2.leadline", "--force"]));
    assert!(
        done.stderr.contains("written: vol-10.0.0.5-2.html"),
        "{done:?}"
    );
}

#[test]
fn a_place_for_results_that_cannot_be_is_said_before_anything_is_measured() {
    let place = Place::new();
    std::fs::write(place.join("notes"), "mine").unwrap();
    std::fs::write(
        place.join("j.fio"),
        "[a]\nioengine=sim\nsize=1m\nruntime=60\ntime_based\n",
    )
    .unwrap();
    std::fs::write(
        place.join("j.vdb"),
        "sd=s,lun=f,size=1m\nwd=w,sd=s\nrd=r,wd=w,elapsed=60\n",
    )
    .unwrap();
    std::fs::create_dir(place.join("out")).unwrap();
    std::fs::copy(place.join("j.vdb"), place.join("out/parmfile.html")).unwrap();
    std::fs::create_dir(place.join("dir")).unwrap();
    for (args, code) in [
        ([&QUICK[..], &["--out", "no/such/x"]].concat(), 3),
        (vec!["fio", "j.fio", "--output=no/such/x"], 1),
        (vec!["fio", "j.fio", "--output=j.fio"], 1),
        (vec!["fio", "j.fio", "--leadline-run=no/such/x"], 1),
        (vec!["diskspd", "-c1M", "-d60", "--xml=no/such/x", "f"], 1),
        (vec!["diskspd", "-c1M", "-d60", "--text=notes", "f"], 1),
        (vec!["vdbench", "-f", "j.vdb", "-o", "notes/x"], 157),
        (vec!["vdbench", "-f", "out/parmfile.html", "-o", "out"], 157),
    ] {
        let done = finish(&mut place.leadline(&args));
        assert_eq!(done.code, Some(code), "{args:?} {done:?}");
        assert!(done.wall.as_secs() < 50, "{args:?} {done:?}");
        assert!(!place.join("f").exists(), "{args:?}");
    }
    assert_eq!(std::fs::read(place.join("notes")).unwrap(), b"mine");
    assert!(
        std::fs::read(place.join("j.fio"))
            .unwrap()
            .starts_with(b"[a]")
    );
    assert!(
        std::fs::read(place.join("out/parmfile.html"))
            .unwrap()
            .starts_with(b"sd=s")
    );
}

#[test]
fn nothing_is_made_below_the_devices() {
    let place = Place::new();
    let parameters = "sd=s,lun=f,size=1m\nwd=w,sd=s\nrd=r,wd=w,iorate=100,elapsed=2,interval=1\n";
    std::fs::write(place.join("j.vdb"), parameters).unwrap();
    let mounts =
        format!("hd=default,mount=\"true /dev/leadline-none\"\nhd=localhost\n{parameters}");
    std::fs::write(place.join("m.vdb"), mounts).unwrap();
    std::os::unix::fs::symlink("/dev/leadline-none", place.join("link")).unwrap();
    std::fs::create_dir(place.join("dir")).unwrap();
    let cases: [&[&str]; 11] = [
        &["vdbench", "-f", "j.vdb", "-o", "/dev/leadline-none/x"],
        &["vdbench", "-f", "j.vdb", "-o", "/dev/leadline-none+"],
        &["vdbench", "-f", "m.vdb", "-o", "out"],
        &["measure", "dir", "--quick", "--out", "/dev/leadline-none"],
        &["measure", "/dev/leadline-none/x", "--quick"],
        &[
            "fio",
            "--name=a",
            "--size=1m",
            "--filename=f",
            "--output=/dev/leadline-none",
        ],
        &[
            "fio",
            "--name=a",
            "--size=1m",
            "--filename=f",
            "--leadline-run=/dev/leadline-none",
        ],
        &[
            "fio",
            "--name=a",
            "--size=1m",
            "--filename=f",
            "--output=link",
        ],
        &[
            "fio",
            "--name=a",
            "--size=1m",
            "--directory=/dev/leadline-none",
        ],
        &["fio", "--name=a", "--size=1m", "--filename=link"],
        &["diskspd", "-c1M", "-d1", "/dev/leadline-none"],
    ];
    for args in cases {
        let done = finish(&mut place.leadline(args));
        assert!(!matches!(done.code, Some(0)), "{args:?} {done:?}");
        for name in [
            "/dev/leadline-none",
            "/dev/leadline-none001",
            "/dev/leadline-none.html",
        ] {
            assert!(!std::path::Path::new(name).exists(), "{args:?} {done:?}");
        }
        assert!(!place.join("f").exists(), "{args:?} {done:?}");
    }
}

#[test]
fn results_replace_results_and_no_other_file() {
    let place = Place::new();
    let read = |name: &str| std::fs::read_to_string(place.join(name)).unwrap();
    let run = |args: &[String]| finish(&mut place.leadline(args));
    for format in ["normal", "json", "json+", "json,normal"] {
        let format = format!("--output-format={format}");
        for _ in 0..2 {
            // A script that runs again replaces its results.
            let done = run(&fio(&["--output=result", &format]));
            assert_eq!(done.code, Some(0), "{format} {done:?}");
        }
    }
    // A run that is refused leaves the result before it.
    let before = read("result");
    for refused in ["--leadline-run=/nonexistent/x", "--leadline-run=result"] {
        let done = run(&fio(&["--output=result", refused]));
        assert_eq!(done.code, Some(1), "{refused} {done:?}");
        assert_eq!(read("result"), before, "{refused}");
    }
    std::fs::write(place.join("notes"), "mine").unwrap();
    let done = run(&fio(&["--output=notes"]));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("--leadline-force"), "{done:?}");
    assert_eq!(read("notes"), "mine");
    let done = run(&fio(&["--output=notes", "--leadline-force"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(read("notes").starts_with("a: (g=0)"), "{done:?}");
    std::fs::write(
        place.join("j.vdb"),
        "sd=s,lun=f,size=1m\nwd=w,sd=s\nrd=r,wd=w,iorate=100,elapsed=2,interval=1\n",
    )
    .unwrap();
    std::fs::create_dir(place.join("out")).unwrap();
    std::fs::write(place.join("out/summary.html"), "mine").unwrap();
    std::fs::write(place.join("out/index.html"), "mine").unwrap();
    let vdbench = |more: &[&str]| {
        let words = ["vdbench", "-f", "j.vdb", "-o", "out"].iter().chain(more);
        run(&words.map(|&word| word.to_owned()).collect::<Vec<_>>())
    };
    let done = vdbench(&[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(!place.join("f").exists(), "{done:?}");
    assert_eq!(read("out/summary.html"), "mine");
    for more in [&["--leadline-force"][..], &[]] {
        let done = vdbench(more);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(read("out/summary.html").starts_with("<title>"), "{done:?}");
    }
    assert_eq!(read("out/index.html"), "mine");
}

#[test]
fn targets_results_and_run_files_are_distinct_or_nothing_begins() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    std::fs::write(place.join("there"), "mine").unwrap();
    std::fs::hard_link(place.join("there"), place.join("second")).unwrap();
    std::os::unix::fs::symlink("x", place.join("link")).unwrap();
    let job = ["fio", "--name=a", "--rw=write", "--size=64k"];
    let cases: [&[&str]; 8] = [
        &["--filename=x", "--output=x"],
        &["--filename=x", "--output=./d/../x"],
        &["--filename=x", "--output=link"],
        &["--filename=link", "--output=x"],
        &["--filename=there", "--output=second", "--leadline-force"],
        &["--directory=d", "--output=d/a.0.0"],
        &[
            "--directory=d",
            "--numjobs=2",
            "--nrfiles=3",
            "--leadline-run=d/a.1.2",
        ],
        &["--filename=x", "--leadline-run=x"],
    ];
    for more in cases {
        let done = finish(&mut place.leadline(job.iter().chain(more)));
        assert_eq!(done.code, Some(1), "{more:?} {done:?}");
        assert!(
            done.stderr.contains("reads, writes or measures"),
            "{done:?}"
        );
        assert!(!place.join("x").exists(), "{more:?}");
        assert_eq!(std::fs::read_dir(place.join("d")).unwrap().count(), 0);
    }
    assert_eq!(std::fs::read(place.join("there")).unwrap(), b"mine");
    let results = ["diskspd", "-c1M", "-d1", "--xml=r", "--text=r", "f"];
    let done = finish(&mut place.leadline(results));
    assert_eq!(done.code, Some(1), "{done:?}");
    let forced = [
        "measure",
        "d.leadline",
        "--destroy",
        "d.leadline",
        "--out=d",
        "--force",
    ];
    std::fs::write(place.join("d.leadline"), vec![7; 1 << 20]).unwrap();
    let done = finish(&mut place.leadline(forced));
    assert_eq!(done.code, Some(3), "{done:?}");
    assert_eq!(
        std::fs::metadata(place.join("d.leadline")).unwrap().len(),
        1 << 20
    );
    assert!(!place.join("f").exists());
}

#[test]
fn what_finds_no_space_leaves_no_file() {
    let place = Place::new();
    kept(&place);
    let Some(small) = or_skip("output::full", FileSystem::of("8k")) else {
        return;
    };
    let at = |name: &str| small.path().join(name).display().to_string();
    let left = || std::fs::read_dir(small.path()).unwrap().count();
    let output = format!("--output={}", at("o"));
    let run_file = format!("--leadline-run={}", at("r.leadline"));
    let cases = [
        (
            vec![
                "report".into(),
                "r.leadline".into(),
                "-o".into(),
                at("x.html"),
            ],
            3,
        ),
        (fio(&[&output, "--output-format=json+,normal"]), 1),
        (fio(&[&run_file]), 1),
    ];
    for (args, code) in cases {
        let done = finish(&mut place.leadline(&args));
        assert_eq!(done.code, Some(code), "{args:?} {done:?}");
        assert_eq!(left(), 0, "{args:?} {done:?}");
    }
}
