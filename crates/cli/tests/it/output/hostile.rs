//! Names and texts from others: what they may not do to a terminal, to pages and to memory.

use crate::support::{Place, Terminal, finish};

/// Sets a window's title, clears the screen, and turns the direction of writing.
const STEERING: &str = "a\u{1b}]0;pwned\u{7}\u{1b}[2J\u{202e}b";

#[test]
fn no_name_steers_a_terminal() {
    let place = Place::new();
    let name = format!("--name={STEERING}");
    let args = [
        "fio",
        &name,
        "--ioengine=null",
        "--size=64k",
        "--filename=a",
    ];
    let kept = ["--leadline-run=k.leadline"];
    let (terminal, run) = Terminal::start(place.leadline([&args[..], &kept].concat()), 80, true);
    let done = run.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let mut screens = vec![terminal.shown()];
    // The last two are no verb and no option: what is said of them repeats them.
    let option = format!("--{STEERING}");
    for verb in [
        ["show", "k.leadline"].as_slice(),
        &["list"],
        &[STEERING],
        &["measure", &option],
    ] {
        let (terminal, run) = Terminal::start(place.leadline(verb), 80, true);
        run.finish();
        screens.push(terminal.shown());
    }
    assert!(
        screens.iter().all(|screen| screen.contains("\\u{202e}b")),
        "{screens:?}"
    );
    for screen in &screens {
        for steering in ["\u{1b}]", "\u{1b}[2J", "\u{7}", "\u{202e}"] {
            assert!(!screen.contains(steering), "{screen:?}");
        }
    }
    // A script gets the name as it is.
    let json = finish(&mut place.leadline(["report", "k.leadline", "--json"]));
    assert!(
        json.json().to_string().contains("\\u001b]0;pwned"),
        "{json:?}"
    );
}

#[test]
fn a_job_file_without_an_end_is_refused_early() {
    let place = Place::new();
    for args in [
        ["plan", "fio", "/dev/zero"].as_slice(),
        &["plan", "diskspd", "-X/dev/zero"],
        &["plan", "vdbench", "-f", "/dev/zero"],
    ] {
        let done = finish(&mut place.leadline(args));
        assert_ne!(done.code, Some(0), "{done:?}");
        assert!(
            done.stderr.contains("larger than 16 MiB"),
            "{args:?}: {done:?}"
        );
    }
}
