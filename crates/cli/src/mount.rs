//! The user's own commands in a shell, and those that mount: on this machine, and as an agent on another.
//!
//! Belongs here: running them once, and what they said. Must never: run what no user wrote.

use leadline_engine::os::host::make_folders;
use leadline_engine::os::kinds;
use leadline_engine::os::programs::{ProcessGroup, apart_from_the_terminal, ended_by_signal};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Most that is kept of what a command says.
const MOST_TEXT: u64 = 1 << 20;
/// How often it is looked whether a command has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Code of the finding with the output of a mount command on another host.
pub(crate) const MOUNTED: &str = "mounted";
/// Most characters of it.
const MOST_NOTE: usize = 2000;

/// What [`once`] gave, in one line.
pub(crate) fn note(said: &str) -> String {
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut line = format!("mount=: {}", lines.collect::<Vec<_>>().join("; "));
    if let Some((at, _)) = line.char_indices().nth(MOST_NOTE) {
        line.truncate(at);
        line.push_str("...");
    }
    line
}

/// Runs a command that mounts, unless something is mounted already at the directory that is its last word;
/// a directory that is missing is made. Gives what is to be shown. What fails to be mounted is not measured: the
/// files would be made on what is below.
pub(crate) fn once(line: &str, stopped: &dyn Fn() -> bool) -> Result<String, String> {
    let target = line.split_whitespace().next_back().map(Path::new);
    if let Some(target) = target.filter(|t| t.is_absolute()) {
        if mounted(target) {
            return Ok(format!("{}: already mounted\n", target.display()));
        }
        make_folders(target)
            .map_err(|error| format!("mount point {}: {error}", target.display()))?;
    }
    let (text, failed) = shell(line, stopped);
    if failed {
        return Err(format!("mount= failed: {line}: {}", text.trim()));
    }
    Ok(format!("{line}\n{text}"))
}

/// Whether a file system of its own is at a directory.
fn mounted(target: &Path) -> bool {
    let above = target.parent().and_then(kinds::file_system);
    matches!((kinds::file_system(target), above), (Some(own), Some(above)) if own != above)
}

/// How long a command that is to end has for it, before it and all that it began is killed.
const END_WITHIN: Duration = Duration::from_secs(3);

/// Runs a line in a shell; what it wrote, and whether it failed. It gets no signal of the terminal; when `stopped` says
/// so, it is ended with all that it began.
pub(crate) fn shell(line: &str, stopped: &dyn Fn() -> bool) -> (String, bool) {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("exec 2>&1\n{line}")])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let started = apart_from_the_terminal(&mut command).spawn();
    match started.and_then(|child| wait(child, stopped)) {
        Ok(done) => done,
        Err(error) => (format!("{error}\n"), true),
    }
}

fn wait(mut child: Child, stopped: &dyn Fn() -> bool) -> std::io::Result<(String, bool)> {
    let output = child.stdout.take();
    let reader = std::thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut output) = output {
            let _ = output.by_ref().take(MOST_TEXT).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut output, &mut std::io::sink());
        }
        bytes
    });
    let reader = match reader {
        Ok(reader) => reader,
        Err(error) => {
            child.kill()?;
            child.wait()?;
            return Err(error);
        }
    };
    let group = ProcessGroup::of(child.id());
    loop {
        if let Some(status) = child.try_wait()? {
            // A child process that outlives it may hold the stream open: its output is then not waited for.
            std::thread::sleep(LOOK_EVERY);
            let bytes = if reader.is_finished() {
                reader.join().unwrap_or_default()
            } else {
                Vec::new()
            };
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            text.push_str(&how_it_ended(status, &text));
            return Ok((text, !status.success()));
        }
        if group.is_some_and(ProcessGroup::has_stopped) {
            end(&mut child, group)?;
            return Ok((WANTS_THE_TERMINAL.to_owned(), true));
        }
        if stopped() {
            return Ok((end(&mut child, group)?, true));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// What is said beside the text of a command that failed: the signal that ended it, or its exit code where it wrote nothing.
fn how_it_ended(status: ExitStatus, text: &str) -> String {
    let begin = match text.is_empty() || text.ends_with('\n') {
        true => "",
        false => "\n",
    };
    match (ended_by_signal(status), status.code()) {
        (Some(signal), _) => format!("{begin}it was killed by signal {signal}\n"),
        (None, Some(code)) if code != 0 && text.trim().is_empty() => {
            format!("it ended with exit code {code} and printed nothing\n")
        }
        _ => String::new(),
    }
}

const WANTS_THE_TERMINAL: &str = "it asked for the terminal, which it does not have; for a password: sudo -n, or leadline itself as root\n";

/// Ends a command and all that it began; what is said of that.
fn end(child: &mut Child, group: Option<ProcessGroup>) -> std::io::Result<String> {
    let Some(group) = group else {
        child.kill()?;
        child.wait()?;
        return Ok("it was killed\n".to_owned());
    };
    for (at_once, said) in [(false, "it was ended\n"), (true, "it was killed\n")] {
        group.end(at_once);
        let mut waited = Duration::ZERO;
        while waited < END_WITHIN {
            if child.try_wait()?.is_some() && !group.is_left() {
                return Ok(said.to_owned());
            }
            std::thread::sleep(LOOK_EVERY);
            waited += LOOK_EVERY;
        }
    }
    Ok(format!(
        "it could not be killed: process {} is left\n",
        child.id()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_of_its_own_is_seen() {
        assert!(mounted(Path::new("/proc")));
        let place = tempfile::tempdir().unwrap();
        assert!(!mounted(place.path()));
        assert!(!mounted(&place.path().join("missing")));
    }

    #[test]
    fn what_was_said_is_one_line_of_bounded_length() {
        assert_eq!(
            note("mount /m\n one \n\n two\n"),
            "mount=: mount /m; one; two"
        );
        let long = note(&"\u{e4}\n".repeat(5000));
        assert!(long.chars().count() == MOST_NOTE + 3 && long.ends_with("..."));
    }

    #[test]
    fn a_command_says_why_it_failed_and_can_be_ended() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("made");
        let line = |command: &str| format!("{command} {}", target.display());
        let shown = once(&line("ls -d"), &|| false).unwrap();
        assert_eq!(shown.lines().count(), 2, "{shown}");
        assert!(target.is_dir());
        let why = once("true /dev/leadline-none/below", &|| false).unwrap_err();
        assert!(why.ends_with("none is created under /dev"), "{why}");
        assert!(!Path::new("/dev/leadline-none").exists());
        let why = once(&line("echo broken; false"), &|| false).unwrap_err();
        assert!(why.ends_with(": broken"), "{why}");
        assert_eq!(shell("sleep 60", &|| true), ("it was ended\n".into(), true));
    }

    #[test]
    fn how_a_command_ended_is_said_where_it_does_not_say_it() {
        let cases = [
            ("exit 5", "it ended with exit code 5 and printed nothing\n"),
            ("kill -9 $$", "it was killed by signal 9\n"),
            ("printf a; kill -9 $$", "a\nit was killed by signal 9\n"),
            ("echo why; exit 5", "why\n"),
        ];
        for (line, said) in cases {
            assert_eq!(shell(line, &|| false), (said.to_owned(), true), "{line}");
        }
        assert_eq!(shell("true", &|| false), (String::new(), false));
    }

    #[test]
    fn all_that_a_command_began_ends_with_it() {
        let place = tempfile::tempdir().unwrap();
        let late = place.path().join("late");
        let begun = place.path().join("begun");
        let inner = format!(
            "touch {}; sleep 1; touch {}",
            begun.display(),
            late.display()
        );
        let line = format!("sh -c '{inner}'; true");
        let (said, failed) = shell(&line, &|| begun.exists());
        assert_eq!((said.as_str(), failed), ("it was ended\n", true));
        std::thread::sleep(Duration::from_millis(1500));
        assert!(!late.exists(), "a process was left behind");
        // What does not listen to a request is killed.
        std::fs::remove_file(&begun).unwrap();
        let deaf = format!(
            "trap '' TERM; touch {}; while :; do sleep 1; done",
            begun.display()
        );
        let (said, _) = shell(&deaf, &|| begun.exists());
        assert_eq!(said, "it was killed\n");
    }

    #[test]
    fn a_command_that_asks_for_the_terminal_ends_and_says_so() {
        // As reading a password from the terminal in the background does.
        let (said, failed) = shell("kill -TTIN 0; sleep 60", &|| false);
        assert!(failed && said.contains("sudo -n"), "{said}");
    }
}
