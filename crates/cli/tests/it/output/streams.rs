//! A front end whose standard error is no terminal is as silent there as its original is for fear of its
//! users' programs; on a terminal everything is said.

use crate::support::{Done, Place, Screen, Terminal, finish, on_terminal, sleep_ms};
use rustix::process::Signal;
use std::fs::File;
use std::process::Command;

/// A job with a note on its text (a range of sizes given as two of them) and a doubt (a file of holes).
const DOUBTFUL: [&str; 7] = [
    "fio",
    "--name=a",
    "--filename=sparse",
    "--rw=randread",
    "--bs=4k-16k",
    "--io_size=64k",
    "--ioengine=psync",
];

fn sparse() -> Place {
    let place = Place::new();
    let file = File::create(place.join("sparse")).unwrap();
    file.set_len(1 << 20).unwrap();
    place
}

/// The codes of leadline's own part of fio's JSON.
fn codes(json: &serde_json::Value) -> Vec<String> {
    let found = json["leadline"]["findings"].as_array().unwrap();
    let code = |f: &serde_json::Value| f["code"].as_str().unwrap().to_owned();
    found.iter().map(code).collect()
}

fn has_both(codes: &[String]) {
    for code in ["range-is-not-a-range", "holes"] {
        assert!(codes.iter().any(|c| c == code), "no {code}: {codes:?}");
    }
}

fn in_text(text: &str) {
    let (results, said) = text.split_once("\nleadline says:\n").unwrap();
    assert!(results.contains("Run status group 0"), "{text}");
    assert!(said.contains("note[range-is-not-a-range]: "), "{text}");
    assert!(said.contains("failed[holes]: "), "{text}");
}

#[test]
fn fio_says_nothing_beside_its_output_where_there_is_no_terminal() {
    let place = sparse();
    let text = finish(&mut place.leadline(DOUBTFUL));
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""), "{text:?}");
    in_text(&text.stdout);
    let kept = ["--leadline-run=kept.leadline", "--output-format=json"];
    let json = finish(&mut place.leadline([&DOUBTFUL[..], &kept].concat()));
    assert_eq!((json.code, json.stderr.as_str()), (Some(0), ""), "{json:?}");
    has_both(&codes(&json.json()));
    let run = leadline_results::store::open(&place.join("kept.leadline")).unwrap();
    has_both(&run.findings.into_iter().map(|f| f.code).collect::<Vec<_>>());
    // In the file where the output is a file.
    for format in ["normal", "json"] {
        let to = ["--output=o", &format!("--output-format={format}")];
        let done = finish(&mut place.leadline([&DOUBTFUL[..], &to].concat()));
        assert_eq!(
            (done.code, done.stderr.as_str(), done.stdout.as_str()),
            (Some(0), "", "")
        );
        let text = std::fs::read_to_string(place.join("o")).unwrap();
        if format == "normal" {
            in_text(&text);
        } else {
            has_both(&codes(&serde_json::from_str(&text).unwrap()));
        }
    }
}

/// What reads a job and says of it, in each form: notes on its text stay off standard error.
#[test]
fn whatever_fio_is_asked_and_does_it_says_nothing_beside_its_output() {
    let place = sparse();
    std::fs::write(
        place.join("noted.fio"),
        "[a]\nfilename=sparse\nruntime=5\nbs=4k-16k\nio_size=64k\nioengine=psync\n",
    )
    .unwrap();
    for line in [
        "--parse-only noted.fio",
        "--parse-only --max-jobs=4 noted.fio",
        "--parse-only --section=b noted.fio",
        "--showcmd noted.fio",
        "--showcmd --output-format=json noted.fio",
        "--version",
        "--help",
        "--cmdhelp",
        "--cmdhelp=bs",
        "--enghelp",
        "--enghelp=libaio",
        "noted.fio",
        "noted.fio --output-format=json",
        "noted.fio --output-format=json+",
        "noted.fio --output-format=normal,json",
        "noted.fio --eta=always --max-jobs=4",
        "noted.fio --status-interval=1 --output=out",
    ] {
        let words: Vec<&str> = ["fio"].into_iter().chain(line.split(' ')).collect();
        silent(&finish(&mut place.leadline(words)));
    }
    let done = finish(&mut place.leadline(["fio", "--showcmd", "noted.fio"]));
    assert!(done.stdout.starts_with("fio --name=a "), "{done:?}");
    // On a terminal it is shown.
    let shown = on_terminal(place.leadline(["fio", "--parse-only", "noted.fio"]), 80);
    assert!(shown.stderr.contains("bs=4k-16k"), "{shown:?}");
}

#[test]
fn help_is_as_wide_as_the_terminal() {
    let place = Place::new();
    for verb in [
        "fio", "diskspd", "vdbench", "measure", "plan", "report", "show", "tag", "list", "agent",
    ] {
        let whole = finish(&mut place.leadline([verb, "--help"])).stdout;
        let mut narrow = place.leadline([verb, "--help"]);
        let narrow = finish(narrow.env("COLUMNS", "60"));
        assert_eq!(narrow.code, Some(0), "{narrow:?}");
        let fits = |line: &str, columns| {
            let line = line.trim_end();
            line.chars().count() <= columns || !line.trim_start().contains(' ')
        };
        for line in narrow.stdout.lines() {
            assert!(fits(line, 60), "{verb}: {line}");
        }
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&narrow.stdout), words(&whole), "{verb}");
        let (terminal, running) = Terminal::start(place.leadline([verb, "--help"]), 44, true);
        assert_eq!(running.finish().code, Some(0));
        let shown = terminal.shown();
        for line in shown.lines() {
            assert!(fits(line, 44), "{verb}: {line}");
        }
    }
}

#[test]
fn on_a_terminal_notes_doubts_and_the_run_file_are_said() {
    let place = sparse();
    let done = on_terminal(place.leadline(DOUBTFUL), 80);
    assert_eq!(done.code, Some(0), "{done:?}");
    in_text(&done.stdout);
    // Lines end between words.
    let said: Vec<&str> = done.stderr.split_whitespace().collect();
    let said = said.join(" ");
    for word in [
        "bs=4k-16k",
        "failed[holes]: ",
        "run file: ",
        "leadline report ",
    ] {
        assert!(said.contains(word), "no '{word}': {done:?}");
    }
}

#[test]
fn what_is_said_on_a_terminal_breaks_between_words() {
    let place = sparse();
    for columns in [44, 80] {
        let done = on_terminal(place.leadline(DOUBTFUL), columns);
        let findings = done.stderr.find("failed[holes]");
        let findings = &done.stderr[findings.unwrap_or_else(|| panic!("{done:?}"))..];
        for line in findings.lines() {
            let length = line.trim_end().chars().count();
            let is_one_word = !line.trim().contains(' ');
            // A command stays in one piece, in a line of its own where it is longer.
            let is_command = line.trim().starts_with('`') || line.trim().starts_with("leadline ");
            let is_whole = is_one_word || is_command;
            assert!(length <= usize::from(columns) || is_whole, "{line}");
        }
    }
}

#[test]
fn an_error_is_said_on_standard_error_all_the_same() {
    let place = sparse();
    let done = finish(&mut place.leadline(["fio", "--name=a", "--rw=sideways", "--size=1m"]));
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("sideways"), "{done:?}");
}

fn silent(done: &Done) {
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
}

#[test]
fn diskspd_and_vdbench_are_as_silent_and_say_it_in_their_own_places() {
    let place = sparse();
    // A time with a unit, which DISKSPD reads to its first letter; a device too small for a tail.
    let done = finish(&mut place.leadline(["diskspd", "-d1s", "-W0", "-r", "-g100i", "sparse"]));
    silent(&done);
    let (_, said) = done.stdout.split_once("\nleadline says\n").unwrap();
    assert!(
        said.contains("note[") && said.contains("[holes]"),
        "{done:?}"
    );
    std::fs::write(
        place.join("p.vdb"),
        "sd=sd1,lun=sparse\nwd=w,sd=sd1,rdpct=120,xfersize=4k\n\
         rd=r,wd=w,iorate=100,elapsed=2,interval=1\n",
    )
    .unwrap();
    let done = finish(&mut place.leadline(["vdbench", "-f", "p.vdb"]));
    silent(&done);
    assert!(done.stdout.contains("note[percent-over-100]"), "{done:?}");
    let log = std::fs::read_to_string(place.join("output/logfile.html")).unwrap();
    assert!(
        log.contains("percent-over-100") && log.contains("holes"),
        "{log}"
    );
    assert!(done.stdout.contains("failed[holes]"), "{done:?}");
}

/// What was shown as lines that were written over, without the blanks that wipe them.
fn lines(shown: &str) -> Vec<&str> {
    let lines = shown.split(['\r', '\n']).map(str::trim_end);
    lines.filter(|line| line.starts_with('[')).collect()
}

/// A job of this many seconds whose name needs as many columns as there are.
fn long_named(place: &Place, seconds: u32) -> Command {
    let time = format!("--runtime={seconds}");
    let mut job = place.leadline([
        "fio",
        "--name=a-job-whose-name-needs-as-many-columns-as-there-are-at-all",
        "--ioengine=null",
        "--size=1g",
        "--rw=randrw",
        "--rate_iops=2k",
        &time,
        "--time_based",
    ]);
    job.env("LC_ALL", "C").env("NO_COLOR", "1");
    job
}

#[test]
fn where_there_is_no_room_for_a_block_the_line_is_as_wide_as_the_terminal_and_follows_it() {
    let place = Place::new();
    let job = long_named(&place, 4);
    let (terminal, running) = Terminal::start_sized(job, (60, 11), false);
    sleep_ms(2000);
    terminal.resize(150);
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let shown = terminal.shown();
    assert!(!shown.contains("\u{1b}["), "{shown:?}");
    let lines = lines(&shown);
    let widths: Vec<usize> = lines.iter().map(|l| l.chars().count()).collect();
    assert!(widths[0] < 60, "{shown}");
    let last = widths[widths.len() - 1];
    assert!((80..150).contains(&last), "{shown}");
    let whole = lines[lines.len() - 1];
    assert!(whole.contains("columns-as-there-are-at-all  "), "{whole}");
}

/// What stands on a terminal each time a block was drawn completely, and at the end.
fn frames(shown: &str, columns: usize) -> Vec<Vec<String>> {
    let mut screen = Screen::new(columns, 24);
    let mut frames = Vec::new();
    for part in shown.split_inclusive("\u{1b}[J\u{1b}[?7h") {
        screen.show(part);
        frames.push(screen.lines());
    }
    frames
}

/// A simulated volume: its time flies, and what it shows of it is not much.
#[test]
fn a_block_is_drawn_in_its_place_and_leaves_nothing() {
    let place = Place::new();
    let study = place.leadline([
        "study",
        "depth",
        "sim:service=exp:1ms,parallel=8",
        "--depths=1,4,16,64",
        "--time=20s",
        "--out=depths",
    ]);
    let (terminal, running) = Terminal::start(study, 90, false);
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let frames = frames(&terminal.shown(), 90);
    let (end, drawn) = frames.split_last().unwrap();
    assert!(drawn.len() > 1, "{frames:?}");
    for frame in drawn {
        let count = |word| frame.iter().filter(|l| l.starts_with(word)).count();
        assert_eq!((count("IOPS"), count("p99.9")), (1, 1), "{frame:#?}");
        // The best point once more is none of the points that were counted.
        let is_named = |line: &String| line.contains("point ") || line.contains("/confirm-");
        assert!(frame.iter().any(is_named), "{frame:#?}");
        assert!(frame.iter().all(|l| l.chars().count() < 90), "{frame:#?}");
    }
    assert!(end.iter().all(|line| !line.starts_with("p99")), "{end:#?}");
}

#[test]
fn a_block_follows_the_width_of_the_terminal() {
    let place = Place::new();
    let (terminal, running) = Terminal::start(long_named(&place, 4), 80, false);
    sleep_ms(2000);
    terminal.resize(140);
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let shown = terminal.shown();
    let widest = |shown: &str| {
        let lines = shown.split(['\r', '\n']);
        lines
            .filter(|l| l.contains(" to "))
            .map(|l| l.chars().count())
            .max()
    };
    let (before, after) = shown.split_once("\u{1b}[J\u{1b}[?7h").unwrap();
    // With the sequences at the ends of a line.
    assert!(widest(before).is_none_or(|w| w < 110), "{shown:?}");
    assert!(widest(after).is_some_and(|w| w > 120), "{shown:?}");
}

/// Where a process was stopped, a shell has written below what it drew.
#[test]
fn a_block_stays_where_the_process_was_stopped() {
    let place = Place::new();
    let (terminal, running) = Terminal::start(long_named(&place, 8), 80, false);
    sleep_ms(4000);
    running.stop();
    running.signal(Signal::CONT);
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let frames = frames(&terminal.shown(), 80);
    let blocks = |frame: &Vec<String>| frame.iter().filter(|l| l.starts_with("p99.9")).count();
    let counts: Vec<usize> = frames.iter().map(blocks).collect();
    assert_eq!(
        (counts[0], counts.iter().max()),
        (1, Some(&2)),
        "{frames:#?}"
    );
    // That of before stays, the last one goes.
    assert_eq!(counts.last(), Some(&1), "{frames:#?}");
}

/// A wrapper that reads standard output to its end before it looks at standard error: what a long warm-up says
/// there fills the pipe, and the run continued only when it was read.
#[test]
fn progress_without_a_reader_holds_up_no_run() {
    let place = Place::new();
    let (unread, full) = std::io::pipe().unwrap();
    let mut run = place.leadline([
        "diskspd", "-P1", "-v", "-b4K", "-c1M", "-d2", "-W0", "-r", "a",
    ]);
    // More dots than a pipe holds.
    rustix::pipe::fcntl_setpipe_size(&full, 4096).unwrap();
    let mut run = run
        .stderr(full)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..600 {
        if let Some(status) = run.try_wait().unwrap() {
            assert_eq!(status.code(), Some(0));
            return drop(unread);
        }
        sleep_ms(100);
    }
    run.kill().unwrap();
    panic!("the run still waits for a reader after 60 s");
}

/// What `plan --json` prints obeys `leadline schema plan`, which describes every key down to those of a workload; `--json`
/// after the name of a study or of `measure` means the plan too.
#[test]
fn plans_as_json_obey_their_schema() {
    let place = Place::new();
    let schema = finish(&mut place.leadline(["schema", "plan"])).json();
    let cases: [&[&str]; 5] = [
        &["--json", "fio", "--name=a", "--filename=a", "--size=1m"],
        &["--json", "diskspd", "-b4K", "-c1M", "a"],
        &["measure", "sim:iops=1000", "--json", "--quick"],
        &["study", "depth", "sim:iops=1000", "--json"],
        &["study", "--json", "curve", "sim:iops=1000", "--hosts=a,b"],
    ];
    for args in cases {
        let done = finish(&mut place.leadline([&["plan"][..], args].concat()));
        assert_eq!(done.code, Some(0), "{args:?}: {done:?}");
        let plan = done.json();
        let wrong = leadline_testkit::schema::violations(&schema, &plan);
        assert_eq!(wrong, [""; 0], "{args:?}");
        let stage = &schema["properties"]["stages"]["items"];
        let workload = &stage["properties"]["workloads"]["items"];
        let first = &plan["stages"][0];
        for (described, value) in [
            (&schema, &plan),
            (stage, first),
            (workload, &first["workloads"][0]),
        ] {
            for key in value.as_object().unwrap().keys() {
                let what = &described["properties"][key]["description"];
                assert!(what.is_string(), "{args:?}: {key} is not described");
            }
        }
    }
}

/// What a terminal shows of results ends its lines between words; what a program reads has the lines as they are.
#[test]
fn results_of_fio_are_not_broken_within_words_on_a_terminal() {
    let place = Place::new();
    let job = || {
        place.leadline([
            "fio",
            "--name=a",
            "--size=1g",
            "--rw=randread",
            "--runtime=2",
            "--time_based",
            "--map=*=sim:service=200us",
        ])
    };
    let (terminal, running) = Terminal::start(job(), 64, true);
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let shown = terminal.shown();
    let (_, results) = shown.split_once("a: (groupid=0").unwrap();
    let wide = results.lines().filter(|line| line.chars().count() > 64);
    // A path alone may be longer.
    let wide: Vec<&str> = wide.filter(|line| !line.contains(".leadline")).collect();
    assert!(wide.is_empty(), "{wide:?}");
    assert!(results.contains("\r\nleadline says:\r\n"), "{results}");
    let plain = finish(&mut job());
    let long = plain.stdout.lines().any(|line| line.chars().count() > 80);
    assert!(long, "{}", plain.stdout);
}
