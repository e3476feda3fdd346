//! The only place that writes to the terminal: data to standard output, everything else to standard
//! error. A reader that has gone away is no error; data that cannot be written is ([`lost`]).

use leadline_engine::sys::streams;
use leadline_results::render::text::Style;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::PIPE_BUF;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

/// Why data could not be written to standard output: the first reason.
static LOST: OnceLock<String> = OnceLock::new();

/// Data, to standard output.
pub(crate) fn data(text: &str) {
    if text.is_empty() {
        return;
    }
    if streams::stdout_was_closed() {
        LOST.get_or_init(|| "it is closed".to_owned());
        return;
    }
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        // A closed pipe means that the reader has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            LOST.get_or_init(|| error.to_string());
        }
        _ => {}
    }
}

/// Why data is missing from standard output, if it is.
pub(crate) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// A word to the user, to standard error, with a line's end.
pub(crate) fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "{text}");
}

/// Text to standard error as it is.
pub(crate) fn raw(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}

/// Progress, to standard error: a line, dots, what a terminal shows in place. What a reader does not take at
/// once is dropped, so that a run never waits for a full pipe or a stopped terminal.
pub(crate) fn progress(text: &str) {
    let err = std::io::stderr();
    // A pipe that can be written to at all takes so much without waiting (pipe(7): PIPE_BUF).
    for part in text.as_bytes().chunks(PIPE_BUF) {
        let mut asked = [PollFd::new(&err, PollFlags::OUT)];
        let now = Timespec::default();
        let ready = poll(&mut asked, Some(&now)).is_ok_and(|ready| ready > 0);
        if !ready || err.lock().write_all(part).is_err() {
            return;
        }
    }
}

/// Whether standard error is a terminal.
pub(crate) fn err_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Whether standard output is a terminal.
pub(crate) fn out_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether colour is wanted there: a terminal, and nobody said no (<https://no-color.org>).
pub(crate) fn color(terminal: bool) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    terminal && !refused && !dumb
}

/// Columns of the terminal that standard error is: what it says now, unless `$COLUMNS` says otherwise; 80 when
/// there is none.
pub(crate) fn err_width() -> usize {
    width(rustix::termios::tcgetwinsize(std::io::stderr()))
}

/// The same of standard output.
fn out_width() -> usize {
    width(rustix::termios::tcgetwinsize(std::io::stdout()))
}

fn width(asked: rustix::io::Result<rustix::termios::Winsize>) -> usize {
    let set = std::env::var("COLUMNS").ok();
    let set = set.and_then(|c| c.parse().ok()).filter(|&c| c >= 40);
    let told = asked.ok().map(|size| usize::from(size.ws_col));
    set.or(told.filter(|&c| c > 0)).unwrap_or(80)
}

/// How text on standard error may look.
pub(crate) fn err_style() -> Style {
    Style {
        color: color(err_is_terminal()),
        unicode: unicode(),
        width: err_width(),
    }
}

/// How text on standard output may look.
pub(crate) fn out_style() -> Style {
    Style {
        color: color(out_is_terminal()),
        unicode: unicode(),
        width: out_width(),
    }
}

/// Whether the locale is one of UTF-8.
fn unicode() -> bool {
    let named = |name| std::env::var(name).ok().filter(|v| !v.is_empty());
    let locale = named("LC_ALL")
        .or_else(|| named("LC_CTYPE"))
        .or_else(|| named("LANG"));
    locale.is_some_and(|l| l.to_ascii_lowercase().replace('-', "").contains("utf8"))
}
