//! Limits of a run and the files for CI systems in every verb that runs I/O: what is wrong is known before the first I/O.

use crate::support::{Done, Place, finish};

const MAP: &str = "--map=*=sim:service=1ms";

fn run(place: &Place, words: &[&str]) -> Done {
    finish(&mut place.leadline(words))
}

/// The verbs that run I/O, each with a row that it has, and how each says that its words are wrong.
fn verbs() -> [(&'static str, i32, Vec<&'static str>); 5] {
    let fio = vec![
        "fio",
        "--name=randread",
        "--rw=randread",
        "--bs=4k",
        "--size=8m",
        "--time_based",
        "--runtime=5",
        "--filename=/sim/a",
        MAP,
    ];
    let diskspd = vec![
        "diskspd", MAP, "-b4K", "-r", "-o1", "-t1", "-d2", "-L", "-c8M", "f",
    ];
    [
        ("randread", 1, fio),
        ("r1", 157, vec!["vdbench", MAP, "-f", "p", "-o", "out"]),
        ("read", 3, diskspd),
        (
            "randread",
            2,
            vec!["measure", "sim:service=1ms", "--quick", "--out=m"],
        ),
        (
            "qd2",
            2,
            vec![
                "study",
                "depth",
                "sim:service=1ms",
                "--depths=1,2",
                "--quick",
                "--out=s",
            ],
        ),
    ]
}

fn with_job() -> Place {
    let place = Place::new();
    let job = "sd=s,lun=f,size=8m,threads=1\nwd=w,sd=s,rdpct=100,xfersize=4k,seekpct=100\n\
               rd=r1,wd=w,iorate=max,elapsed=5,interval=1\n";
    std::fs::write(place.join("p"), job).unwrap();
    place
}

/// What is there beside the parameter file.
fn made(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "p").collect()
}

#[test]
fn a_limit_on_a_name_that_nothing_has_is_said_before_anything_runs() {
    let place = with_job();
    for (row, code, words) in verbs() {
        let wrong = "--assert=nosuch.p99<1s";
        let done = run(&place, &[&words[..], &[wrong]].concat());
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        let said = "nothing that is measured is called nosuch";
        assert!(done.stderr.contains(said), "{words:?}: {done:?}");
        assert_eq!(made(&place), [""; 0], "{words:?}");
        let planned = run(&place, &[&["plan"], &words[..], &[wrong]].concat());
        assert_eq!(planned.code, Some(2), "{words:?}: {planned:?}");
        assert!(planned.stderr.contains(said), "{words:?}: {planned:?}");
        let right = format!("--assert={row}.p50<1s");
        let planned = run(&place, &[&["plan"], &words[..], &[&right]].concat());
        assert_eq!(planned.code, Some(0), "{words:?}: {planned:?}");
    }
    let near = run(
        &place,
        &[
            "fio",
            "--name=randread",
            "--rw=read",
            "--size=8m",
            MAP,
            "--assert=randred.p99<1s",
        ],
    );
    assert!(near.stderr.contains("did you mean `randread`?"), "{near:?}");
}

/// A search names its points by what it measures: no such name is refused.
#[test]
fn a_name_that_only_the_run_can_know_is_accepted() {
    let place = Place::new();
    let words = [
        "study",
        "depth",
        "sim:service=1ms",
        "--quick",
        "--out=s",
        "--depths=1,2",
        "--assert=qd16.p99<1s",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(99), "it ran: {done:?}");
    assert!(
        done.stderr
            .contains("not checked: qd16.p99<1s: no row is called qd16"),
        "{done:?}"
    );
}

#[test]
fn files_for_ci_are_no_input_and_no_other_output() {
    let place = with_job();
    let out = |at: usize| {
        [
            "f.leadline",
            "out/summary.html",
            "g.leadline",
            "m.html",
            "s.leadline",
        ][at]
    };
    let own = [
        "--leadline-run=f.leadline",
        "--leadline-force",
        "--leadline-run=g.leadline",
        "--time=2s",
        "--time=2s",
    ];
    std::fs::create_dir(place.join("out")).unwrap();
    for (at, (_, code, words)) in verbs().into_iter().enumerate() {
        let done = run(
            &place,
            &[
                &words[..],
                &["--assert=p99<1s", "--junit=x", "--markdown=./x"],
            ]
            .concat(),
        );
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        assert!(done.stderr.contains("are one file"), "{words:?}: {done:?}");
        let junit = format!("--junit=./{}", out(at));
        // DISKSPD wants its options before the target.
        let (verb, rest) = words.split_at(1);
        let words = [verb, &[own[at]], rest, &["--assert=p99<1s", &junit]].concat();
        let done = run(&place, &words);
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        let said = format!("error: --junit: ./{} is ", out(at));
        assert!(done.stderr.contains(&said), "{words:?}: {done:?}");
        assert_eq!(made(&place), ["out"], "{words:?}");
    }
    // A parameter file is no page of leadline's, and is refused for that already.
    let input = run(
        &place,
        &[
            "vdbench",
            MAP,
            "-f",
            "p",
            "-o",
            "out",
            "--assert=p99<1s",
            "--junit=p",
        ],
    );
    assert_eq!(input.code, Some(157), "{input:?}");
}

#[test]
fn a_grade_alone_has_its_case() {
    let place = with_job();
    for (_, _, words) in verbs() {
        let files = ["--fail-on-grade=F", "--junit=j.xml", "--markdown=m.md"];
        let done = run(&place, &[&words[..], &files].concat());
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
        let xml = std::fs::read_to_string(place.join("j.xml")).unwrap();
        let case = "tests=\"1\" failures=\"0\" errors=\"0\"";
        assert!(
            xml.contains(case) && xml.contains("name=\"grade\""),
            "{words:?}: {xml}"
        );
        let page = std::fs::read_to_string(place.join("m.md")).unwrap();
        assert!(
            page.contains("grade ") && !page.contains("limits are kept"),
            "{page}"
        );
    }
    // A volume that stands still for seconds: the grade is no A, and the case fails with it.
    let stalls = "--map=*=sim:service=1ms,stall=3s@4s";
    let words = [
        "fio",
        "--name=a",
        "--rw=randread",
        "--size=8m",
        "--time_based",
        "--runtime=10",
        "--filename=/sim/a",
        stalls,
        "--fail-on-grade=B",
        "--junit=j.xml",
    ];
    let done = run(&place, &words);
    assert_eq!(done.code, Some(99), "{done:?}");
    let xml = std::fs::read_to_string(place.join("j.xml")).unwrap();
    assert!(
        xml.contains("failures=\"1\"") && xml.contains("<failure message=\"grade "),
        "{xml}"
    );
}
