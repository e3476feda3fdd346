//! faultfs: a FUSE file system in memory with delay and faults, for tests that need a known truth.
//!
//! `faultfs DIRECTORY [--stdin] [--serial] [COMMAND]...` mounts at DIRECTORY, prints `ready` on stdout when it can
//! be used, and unmounts at SIGTERM, SIGINT, or with `--stdin` at the end of stdin. Each COMMAND is one
//! line of the control file `.faultfs` in the mount (see [`command`]); reading that file gives counters.
//!
//! Needs /dev/fuse, and root or fusermount3. Must never: be needed by leadline at run time.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test tool: `ready` and the usage go to stdout, errors to stderr"
)]

mod command;
mod faults;
mod pages;
mod serve;
mod timer;
mod tree;

use anyhow::{Context, Result, bail};
use faults::Faults;
use fuser::{BackgroundSession, Config, MountOption, Session};
use rustix::mount::UnmountFlags;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::time::Duration;

const USAGE: &str = "\
usage: faultfs DIRECTORY [--stdin] [--serial] [COMMAND]...

Mounts a file system in memory at DIRECTORY, prints `ready`, and serves until SIGTERM, SIGINT, or
with --stdin the end of stdin. Each COMMAND is one argument; the same lines can be written to
DIRECTORY/.faultfs while it is mounted, and reading that file gives counters.

--serial takes each I/O as it comes, past the page cache, one write of a file at a time. Only so does
a short direct write come back short; otherwise the kernel finishes it from its cache or makes it EIO.

";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}{}", command::HELP);
        return ExitCode::SUCCESS;
    }
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("faultfs: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// What the command line asked for.
struct Options {
    mountpoint: PathBuf,
    until_stdin_ends: bool,
    serial: bool,
}

fn options(words: &[String], faults: &Faults) -> Result<Options> {
    let mut mountpoint = None;
    let (mut until_stdin_ends, mut serial) = (false, false);
    for word in words {
        match word.as_str() {
            "--stdin" => until_stdin_ends = true,
            "--serial" => serial = true,
            _ if mountpoint.is_none() => mountpoint = Some(PathBuf::from(word)),
            line => {
                let command = command::parse(line).map_err(anyhow::Error::msg)?;
                faults.apply(&command, timer::now());
            }
        }
    }
    let Some(mountpoint) = mountpoint else {
        bail!("a directory is needed\n\n{USAGE}")
    };
    Ok(Options {
        mountpoint,
        until_stdin_ends,
        serial,
    })
}

fn run(words: &[String]) -> Result<()> {
    let faults = Arc::new(Faults::new());
    let options = options(words, &faults)?;
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::FSName("faultfs".to_owned()),
        MountOption::Subtype("faultfs".to_owned()),
        MountOption::DefaultPermissions,
        MountOption::NoAtime,
    ];
    config.n_threads = Some(2);
    let shown = options.mountpoint.display();
    let server = serve::Server::new(faults, options.serial);
    let session = Session::new(server, &options.mountpoint, &config)
        .with_context(|| format!("cannot mount at {shown}"))?;
    let session = session.spawn().context("cannot start the file system")?;
    let ends = ends(options.until_stdin_ends)?;
    std::fs::metadata(&options.mountpoint)
        .with_context(|| format!("cannot use the mount at {shown}"))?;
    println!("ready");
    // The session also ends when another process unmounts it.
    while !session.guard.is_finished() {
        if ends.recv_timeout(Duration::from_millis(100)) != Err(mpsc::RecvTimeoutError::Timeout) {
            return unmount(session, &options.mountpoint);
        }
    }
    session.join().context("the file system ended")
}

/// Takes the mount away at once, even when files in it are open: when this process ends, which is
/// next, whatever is left of them fails with ENOTCONN and whoever waits for an answer is freed.
fn unmount(session: BackgroundSession, mountpoint: &Path) -> Result<()> {
    match rustix::mount::unmount(mountpoint, UnmountFlags::DETACH) {
        Ok(()) => {
            // Its own unmounting would now find nothing, or another's mount.
            std::mem::forget(session);
            Ok(())
        }
        // Not root: dropping the session asks fusermount3, which detaches as well.
        Err(rustix::io::Errno::PERM) => {
            drop(session);
            Ok(())
        }
        Err(error) => {
            Err(error).with_context(|| format!("cannot unmount {}", mountpoint.display()))
        }
    }
}

/// A channel that speaks when the mount shall end.
fn ends(until_stdin_ends: bool) -> Result<mpsc::Receiver<()>> {
    let (sender, receiver) = mpsc::channel();
    let signals = [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT];
    let mut signals = signal_hook::iterator::Signals::new(signals).context("cannot set signals")?;
    let from_signals = sender.clone();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if from_signals.send(()).is_err() {
                break;
            }
        }
    });
    if until_stdin_ends {
        std::thread::spawn(move || {
            let mut ignored = Vec::new();
            // An error of stdin is its end too.
            std::io::stdin().read_to_end(&mut ignored).ok();
            sender.send(()).ok();
        });
    }
    Ok(receiver)
}
