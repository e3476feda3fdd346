//! Running other programs: with a heading and a time, with captured output, or quietly.
//!
//! The only place of xtask that starts a process or reads a clock.

use anyhow::{Context, Result, bail};
use leadline_text::shell;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Cargo as it was used to start xtask, in the root of the workspace.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).current_dir(root());
    command
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The same command, ended with all it started when it takes longer than `limit`, as timeout(1) reads
/// it. Not for use at a terminal: Ctrl-C does not reach it.
pub(crate) fn limited(command: &Command, limit: &str) -> Command {
    let mut limited = Command::new("timeout");
    limited
        .args(["--kill-after=30s", limit])
        .arg(command.get_program());
    limited.args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        limited.current_dir(dir);
    }
    limited
}

/// Now, for timing what xtask runs.
#[expect(
    clippy::disallowed_methods,
    reason = "xtask times its steps; nothing here is simulated"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The first file called `program` on the search path, if any.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let extra = [PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")];
    std::env::split_paths(&path)
        .chain(extra)
        .map(|dir| dir.join(program))
        .find(|p| p.is_file())
}

/// The command as one would type it, for reports.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    shell::line(words.iter().map(AsRef::as_ref))
}

/// Runs a command with its output passed through; whether it succeeded.
pub(crate) fn passes(command: &mut Command) -> Result<bool> {
    let status = command
        .status()
        .with_context(|| format!("cannot run `{}`", shown(command)))?;
    Ok(status.success())
}

/// What a captured command did.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Whether it exited with 0.
    pub(crate) success: bool,
    /// Its stdout.
    pub(crate) stdout: String,
    /// Its stderr.
    pub(crate) stderr: String,
}

/// Runs a command to its end and keeps what it said.
pub(crate) fn capture(command: &mut Command) -> Result<Outcome> {
    command.stdin(Stdio::null());
    let output = command
        .output()
        .with_context(|| format!("cannot run `{}`", shown(command)))?;
    Ok(Outcome {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// The stdout of a command that has to succeed.
pub(crate) fn stdout_of(command: &mut Command) -> Result<String> {
    let outcome = capture(command)?;
    if !outcome.success {
        bail!(
            "`{}` failed:\n{}",
            shown(command),
            outcome.stderr.trim_end()
        );
    }
    Ok(outcome.stdout)
}

/// Runs a command, shows its stdout as it comes and keeps it too; stderr is passed through.
pub(crate) fn tee(command: &mut Command) -> Result<(bool, String)> {
    let named = shown(command);
    command.stdout(Stdio::piped());
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot run `{named}`"))?;
    let mut kept = String::new();
    if let Some(pipe) = child.stdout.take() {
        for line in BufReader::new(pipe).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            kept.push_str(&line);
            kept.push('\n');
        }
    }
    let status = child
        .wait()
        .with_context(|| format!("cannot wait for `{named}`"))?;
    Ok((status.success(), kept))
}

/// leadline as this tree has it, built for development.
pub(crate) fn built_leadline() -> Result<PathBuf> {
    if !passes(&mut cargo(&["build", "-p", "leadline"]))? {
        bail!("leadline does not build");
    }
    Ok(target_dir().join("debug/leadline"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("fio");
        command.args(["--name=a b", "--rw=randread", ""]);
        assert_eq!(shown(&command), "fio '--name=a b' --rw=randread ''");
    }

    #[test]
    fn a_command_that_hangs_is_ended_and_has_failed() {
        let mut command = Command::new("sleep");
        command.arg("60");
        let start = now();
        assert!(!passes(&mut limited(&command, "0.1s")).unwrap());
        assert!(start.elapsed().as_secs() < 30);
    }

    #[test]
    fn failure_carries_what_the_program_said() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo why >&2; exit 3"]);
        let error = stdout_of(&mut command).unwrap_err().to_string();
        assert!(error.ends_with("why"), "{error}");
    }

    #[test]
    fn tee_keeps_stdout_and_the_verdict() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two; exit 1"]);
        assert_eq!(tee(&mut command).unwrap(), (false, "one\ntwo\n".to_owned()));
    }
}
