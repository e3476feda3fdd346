//! A terminal of our own: a pair of pseudo-terminals, of which a command gets one end and the test the other.

use super::{Done, Running};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

/// A terminal of the given size that shows what a command writes to standard error.
pub(crate) struct Terminal {
    own: File,
    rows: u16,
    screen: JoinHandle<String>,
}

impl Terminal {
    /// Gives `command` a terminal for its standard error (and for its standard output, `both`), and starts it.
    pub(crate) fn start(command: Command, columns: u16, both: bool) -> (Self, Running) {
        Self::start_sized(command, (columns, 24), both)
    }

    /// The same with a number of columns and rows.
    pub(crate) fn start_sized(
        mut command: Command,
        (columns, rows): (u16, u16),
        both: bool,
    ) -> (Self, Running) {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&own).unwrap();
        unlockpt(&own).unwrap();
        let name = ptsname(&own, Vec::new()).unwrap();
        let far = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let own = File::from(own);
        size(&own, columns, rows);
        command.env_remove("COLUMNS").env("TERM", "xterm");
        let stdout = match both {
            true => Stdio::from(far.try_clone().unwrap()),
            false => Stdio::piped(),
        };
        let running = Running::start_with(&mut command, stdout, Stdio::from(far));
        let mut reader = own.try_clone().unwrap();
        let screen = std::thread::spawn(move || {
            let (mut all, mut chunk) = (Vec::new(), [0; 4096]);
            // The end of a terminal whose other end is closed is an error.
            while let Ok(count @ 1..) = reader.read(&mut chunk) {
                all.extend_from_slice(&chunk[..count]);
            }
            String::from_utf8_lossy(&all).into_owned()
        });
        (Self { own, rows, screen }, running)
    }

    /// Makes its window as wide as that.
    pub(crate) fn resize(&self, columns: u16) {
        size(&self.own, columns, self.rows);
    }

    /// What was shown until the command ended.
    pub(crate) fn shown(self) -> String {
        self.screen.join().unwrap()
    }
}

/// Runs a command whose standard error is a terminal; what was shown there is `stderr`.
pub(crate) fn on_terminal(command: Command, columns: u16) -> Done {
    let (terminal, running) = Terminal::start(command, columns, false);
    let mut done = running.finish();
    done.stderr = terminal.shown();
    done
}

fn size(terminal: &File, columns: u16, rows: u16) {
    let size = Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(terminal, size).unwrap();
}
