//! The streams of this process as a terminal.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::getpgrp;
use rustix::termios::{tcgetpgrp, tcgetwinsize};

/// Most bytes that a pipe which can be written to at all takes without waiting (pipe(7)).
pub const PIPE_BUF: usize = rustix::pipe::PIPE_BUF;

/// Columns of the terminal that standard error is; `None` = it is none, or does not say.
pub fn stderr_columns() -> Option<usize> {
    columns(tcgetwinsize(std::io::stderr()))
}

/// Rows of the terminal that standard error is; `None` = it is none, or does not say.
pub fn stderr_rows() -> Option<usize> {
    let size = tcgetwinsize(std::io::stderr()).ok()?;
    Some(usize::from(size.ws_row)).filter(|rows| *rows > 0)
}

/// Whether the terminal that standard error is waits for another program: this one is in the background.
pub fn stderr_is_another_s() -> bool {
    // An error: it is no terminal of this session, which nothing else has in the foreground.
    tcgetpgrp(std::io::stderr()).is_ok_and(|foreground| foreground != getpgrp())
}

/// The same as [`stderr_columns`] of standard output.
pub fn stdout_columns() -> Option<usize> {
    columns(tcgetwinsize(std::io::stdout()))
}

fn columns(asked: rustix::io::Result<rustix::termios::Winsize>) -> Option<usize> {
    let columns = asked.ok().map(|size| usize::from(size.ws_col));
    columns.filter(|columns| *columns > 0)
}

/// Whether standard error takes [`PIPE_BUF`] bytes now without waiting.
pub fn stderr_takes_more() -> bool {
    let err = std::io::stderr();
    let mut asked = [PollFd::new(&err, PollFlags::OUT)];
    poll(&mut asked, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}
