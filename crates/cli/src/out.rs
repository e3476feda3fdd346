//! The only place that writes to the terminal: data to standard output, everything else to standard
//! error. A closed pipe is not an error; data that cannot be written is ([`lost`]).

use crate::fold::{color_at, fold, results, sentences};
use leadline_engine::os::signals;
use leadline_engine::os::streams;
use leadline_engine::os::terminal;
use leadline_results::render::text::Style;
use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, StderrLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

mod block;

use block::ShownBlock;

/// Why data could not be written to standard output: the first reason.
static LOST: OnceLock<String> = OnceLock::new();

/// The block that stays on the terminal until it is drawn again or something else is written.
static BLOCK: Mutex<ShownBlock> = Mutex::new(ShownBlock::NONE);

/// Data, to standard output.
pub(crate) fn data(text: &str) {
    if text.is_empty() {
        return;
    }
    if streams::stdout_was_closed() {
        LOST.get_or_init(|| "it is closed".to_owned());
        return;
    }
    // What a script parses is exact; what a terminal shows does not steer it.
    let shown = if out_is_terminal() {
        remove_block();
        harmless(text)
    } else {
        Cow::Borrowed(text)
    };
    let mut out = std::io::stdout().lock();
    let written = out.write_all(shown.as_bytes()).and_then(|()| out.flush());
    match written {
        // A closed pipe means that the reader has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            LOST.get_or_init(|| error.to_string());
        }
        _ => {}
    }
}

/// Results for people, to standard output: on a terminal in lines of whole words; as they are where a program may read them.
pub(crate) fn text(text: &str) {
    if out_is_terminal() {
        data(&results(text, out_width()));
    } else {
        data(text);
    }
}

/// Help, to standard output: in the width of a terminal, or that of `$COLUMNS`; as it is where there is neither.
pub(crate) fn help(text: &str) {
    if out_is_terminal() || columns_set().is_some() {
        data(&fold(text, out_width()));
    } else {
        data(text);
    }
}

/// Why data is missing from standard output, if it is.
pub(crate) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// Text without what would steer a terminal: names of jobs, titles of run files and words of far hosts come from
/// others. Kept are line ends, tabs, returns to the line's start at the ends of the text (that is how lines are
/// drawn again), and colours.
fn harmless(text: &str) -> Cow<'_, str> {
    let inner = text.trim_matches(['\r', '\n', ' ']);
    if !inner.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let start = inner.as_ptr().addr() - text.as_ptr().addr();
    let mut shown = text[..start].to_owned();
    let mut rest = inner;
    while let Some(first) = rest.chars().next() {
        let length = color_at(rest).unwrap_or(first.len_utf8());
        let (one, after) = rest.split_at(length);
        if length == first.len_utf8() && steers(first) {
            shown.extend(first.escape_unicode());
        } else {
            shown.push_str(one);
        }
        rest = after;
    }
    shown.push_str(&text[start + inner.len()..]);
    Cow::Owned(shown)
}

/// Whether a terminal does something other than show it: control characters, and what turns the direction of
/// writing (Unicode's bidirectional overrides and isolates).
fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() && c != '\n' && c != '\t' || turns
}

/// A word to the user, to standard error, with a line's end; on a terminal in lines of whole words.
pub(crate) fn say(text: &str) {
    remove_block();
    let shown = match err_is_terminal() {
        true => Cow::Owned(sentences(text, err_width())),
        false => Cow::Borrowed(text),
    };
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "{}", harmless(&shown));
}

/// Text to standard error as it is.
pub(crate) fn raw(text: &str) {
    remove_block();
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(harmless(text).as_bytes());
    let _ = err.flush();
}

/// Progress, to standard error: a line, dots, what a terminal shows in place. What a reader does not take at
/// once is dropped, so that a run never waits for a full pipe or a stopped terminal.
pub(crate) fn progress(text: &str) {
    remove_block();
    let mut err = std::io::stderr().lock();
    for part in harmless(text).as_bytes().chunks(terminal::PIPE_BUF) {
        if !write_at_once(&mut err, part) {
            return;
        }
    }
}

fn write_at_once(err: &mut StderrLock<'_>, part: &[u8]) -> bool {
    terminal::stderr_takes_more() && err.write_all(part).is_ok()
}

/// Progress as lines that stay on the terminal until they are drawn again in their place, or anything else is
/// written, which removes them first. What the terminal does not take at once is dropped.
pub(crate) fn block(lines: &[String]) {
    let mut shown = the_block();
    if terminal::stderr_is_another_s() {
        // What stands there now is not ours.
        *shown = ShownBlock::NONE;
        return;
    }
    let lines: Vec<Cow<'_, str>> = lines.iter().map(|line| harmless(line)).collect();
    let mut err = std::io::stderr().lock();
    let back = shown.back(true_width());
    for (number, part) in block::parts(&lines, terminal::PIPE_BUF).iter().enumerate() {
        let back = if number == 0 { back.as_str() } else { "" };
        if !write_at_once(&mut err, format!("{back}{}", part.text).as_bytes()) {
            return;
        }
        if number == 0 {
            *shown = ShownBlock::NONE;
        }
        shown.extend(&part.columns);
    }
}

/// Removes the block from the terminal.
pub(crate) fn remove_block() {
    if BLOCK.lock().is_ok_and(|shown| shown.is_empty()) {
        return;
    }
    let mut shown = the_block();
    if !shown.is_empty() && !terminal::stderr_is_another_s() {
        let text = format!("{}{}", shown.back(true_width()), block::ERASE_BELOW);
        let mut err = std::io::stderr().lock();
        let _ = err.write_all(text.as_bytes());
    }
    *shown = ShownBlock::NONE;
}

/// The block, unless the process was stopped since it was drawn: then the shell has written below it, and it stays.
fn the_block() -> MutexGuard<'static, ShownBlock> {
    static CONTINUED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let mut shown = BLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let continued = CONTINUED.get_or_init(|| {
        let raised = Arc::default();
        signals::continuations(&raised);
        raised
    });
    if continued.swap(false, Ordering::Relaxed) {
        *shown = ShownBlock::NONE;
    }
    shown
}

/// Columns of the terminal itself, if it breaks what it shows into lines of its width again when that changes.
fn true_width() -> Option<usize> {
    // xterm and GNU screen do not.
    let keeps_lines = ["XTERM_VERSION", "STY"].map(|name| std::env::var_os(name).is_some());
    match keeps_lines {
        [false, false] => terminal::stderr_columns(),
        _ => None,
    }
}

/// Columns and rows for a block: those of the terminal, and no more columns than `$COLUMNS` says. `None` = it
/// cannot show one: it has no cursor to move, or does not say how large it is.
pub(crate) fn block_size() -> Option<(usize, usize)> {
    let term = std::env::var_os("TERM").filter(|term| !term.is_empty() && term != "dumb");
    let columns = terminal::stderr_columns().filter(|_| term.is_some())?;
    Some((columns.min(err_width()), terminal::stderr_rows()?))
}

/// Whether standard error is a terminal.
pub(crate) fn err_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Whether standard output is a terminal.
pub(crate) fn out_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether to use colour: on a terminal, unless disabled (<https://no-color.org>).
pub(crate) fn color(terminal: bool) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    terminal && !refused && !dumb
}

/// Columns of the terminal that standard error is: what it says now, unless `$COLUMNS` says otherwise; 80 when
/// there is none.
pub(crate) fn err_width() -> usize {
    columns_set()
        .or_else(terminal::stderr_columns)
        .unwrap_or(80)
}

/// The same of standard output.
fn out_width() -> usize {
    columns_set()
        .or_else(terminal::stdout_columns)
        .unwrap_or(80)
}

/// Columns that the user asks for.
fn columns_set() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok()?;
    set.parse().ok().filter(|&columns| columns >= 40)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown_as_its_number() {
        let title = "\u{1b}]0;pwned\u{7}\u{1b}[2Jx\u{9b}31mb\u{202e}c\rd";
        let shown = "\\u{1b}]0;pwned\\u{7}\\u{1b}[2Jx\\u{9b}31mb\\u{202e}c\\u{d}d";
        assert_eq!(harmless(title), shown);
        assert_eq!(harmless("\u{1b}[1;31"), "\\u{1b}[1;31");
    }

    #[test]
    fn lines_tabs_colours_and_lines_drawn_again_stay() {
        for text in [
            "",
            "a\n\tb \u{e4}\u{1f600}\n",
            "\r50 %  \r",
            "\u{1b}[1;31mfailed\u{1b}[0m\n",
            "Jobs: 1\r\n",
        ] {
            assert_eq!(harmless(text), text);
        }
        assert_eq!(
            harmless("\r\u{1b}[1mrun\u{1b}[0m \u{1b}[5n \r"),
            "\r\u{1b}[1mrun\u{1b}[0m \\u{1b}[5n \r"
        );
    }
}
