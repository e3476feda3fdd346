//! Help in the width of the terminal: tables of options whose descriptions are folded under themselves.
//!
//! Must never: change a word, or a line that fits.

/// Narrower than this a column holds no description: it goes below what it describes.
const NARROWEST: usize = 24;

/// Indent of a description that goes below.
const BELOW: usize = 8;

/// `text` in lines of `width` columns, but for words that are longer.
pub(crate) fn fold(text: &str, width: usize) -> String {
    let mut folded = String::with_capacity(text.len() + text.len() / 4);
    for line in joined(text) {
        if columns(&line) <= width {
            folded.push_str(&line);
        } else {
            one(&line, width, &mut folded);
        }
        folded.push('\n');
    }
    if !text.ends_with('\n') {
        folded.pop();
    }
    folded
}

/// Sentences in lines of `width` columns, what continues two columns further in. Lines that are no sentences (the place
/// of a mistake in a text, tables) stay as they are; a command is never broken, so that it can be copied.
pub(crate) fn sentences(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let word = &words[color_at(words).unwrap_or(0)..];
        let begins = word.starts_with(|first: char| first.is_alphabetic());
        if columns(line) <= width || !begins || indent > 2 || words.contains("  ") {
            lines.push(line.to_owned());
            continue;
        }
        let mut shown = " ".repeat(indent);
        for word in whole(words) {
            let is_first = shown.trim_start().is_empty();
            if !is_first && columns(&shown) + 1 + columns(word) > width {
                lines.push(std::mem::replace(&mut shown, " ".repeat(indent + 2)));
            } else if !is_first {
                shown.push(' ');
            }
            shown.push_str(word);
        }
        lines.push(shown);
    }
    lines.join("\n")
}

/// Results in lines of `width` columns: sentences as elsewhere; the parts of a longer line below each other, after the name
/// that the line begins with.
pub(crate) fn results(text: &str, width: usize) -> String {
    let shown = sentences(text, width);
    let lines = shown.split('\n').map(|line| {
        let is_command = line.trim_start().starts_with('`') || line.contains(COMMAND);
        if columns(line) <= width || is_command {
            return line.to_owned();
        }
        let indent = columns(line) - columns(line.trim_start());
        let name = line.find(": ").map(|at| columns(&line[..at + 2]));
        let under = name.filter(|under| *under < width / 2);
        let mut folded = String::new();
        words(line, 0, under.unwrap_or(indent + 2), width, &mut folded);
        folded
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// How a command begins that stands after a colon, at the end of its line.
const COMMAND: &str = "leadline ";

/// The words of a line. A command is one: what is in backquotes, and what follows a colon as a call of leadline.
fn whole(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut begin, mut is_quoted) = (0, false);
    for (at, c) in line.char_indices() {
        is_quoted ^= c == '`';
        if c != ' ' || is_quoted && line[at..].contains('`') {
            continue;
        }
        words.push(&line[begin..at]);
        begin = at + 1;
        if line[..at].ends_with(':') && line[begin..].starts_with(COMMAND) {
            break;
        }
    }
    words.push(&line[begin..]);
    words
}

/// Length of the sequence for a colour that the text begins with.
pub(crate) fn color_at(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("\u{1b}[")?;
    let codes = rest.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    rest[codes..].starts_with('m').then_some(codes + 3)
}

/// The lines, with what was folded already put back after what it continues.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let column = indent(line);
        let hangs = match lines.as_slice() {
            [.., name, last] if is_name(name) && indent(last) > indent(name) => Some(indent(last)),
            [.., last] => hang(last),
            [] => None,
        };
        match lines.last_mut() {
            Some(last) if column > BELOW && hangs == Some(column) => {
                last.push(' ');
                last.push_str(line.trim_start());
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Columns of blanks that a line begins with.
fn indent(line: &str) -> usize {
    columns(line) - columns(line.trim_start())
}

/// Whether a line is an option that is too wide for a text beside it: one word.
fn is_name(line: &str) -> bool {
    let word = line.trim_start();
    word.starts_with('-') && !word.contains(' ')
}

/// Where the description of a row begins: after the first blanks, two at least, that follow a word.
fn hang(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start().len();
    let gap = start + line[start..].find("  ")?;
    let text = gap + line[gap..].find(|c| c != ' ')?;
    Some(columns(&line[..text]))
}

/// Folds a line that is too long.
fn one(line: &str, width: usize, folded: &mut String) {
    let indent = columns(line) - columns(line.trim_start());
    let (mut at, mut rest) = (0, line);
    let mut under = hang(line).unwrap_or(indent);
    if under + NARROWEST > width {
        under = under.min(BELOW);
        // The row's name by itself, and its description below.
        if let Some(column) = hang(line) {
            let cut = byte_of(line, column);
            folded.push_str(line[..cut].trim_end());
            rest = &line[cut..];
            folded.push('\n');
            folded.push_str(&" ".repeat(BELOW));
            at = BELOW;
        }
    }
    words(rest, at, under, width, folded);
}

/// The words of a line from a column on; what does not fit goes below, that far in.
fn words(rest: &str, mut at: usize, under: usize, width: usize, folded: &mut String) {
    let lead = rest.len() - rest.trim_start().len();
    folded.push_str(&rest[..lead]);
    at += lead;
    let mut first = true;
    // Blanks within the row's name stay as they are.
    for word in rest[lead..].split(' ') {
        let wide = columns(word);
        if !first && at + 1 + wide > width && !word.is_empty() {
            folded.push('\n');
            folded.push_str(&" ".repeat(under));
            at = under;
        } else if !first {
            folded.push(' ');
            at += 1;
        }
        folded.push_str(word);
        at += wide;
        first = false;
    }
}

/// Columns that a text takes: colours take none.
pub(crate) fn columns(text: &str) -> usize {
    let mut rest = text;
    let mut count = 0;
    while let Some(first) = rest.chars().next() {
        let color = color_at(rest);
        count += usize::from(color.is_none());
        rest = &rest[color.unwrap_or(first.len_utf8())..];
    }
    count
}

/// The byte at which a column begins.
fn byte_of(text: &str, column: usize) -> usize {
    let ends = text.char_indices().map(|(at, _)| at);
    let mut ends = ends.chain([text.len()]);
    ends.find(|&at| columns(&text[..at]) >= column)
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "\
fio [switches]

  --hosts=LIST|FILE          Runs on these hosts at once: a list a,b,c or a file.
  --launcher=TEXT            What gives a process on a host: local, ssh, slurm; ssh
                             unless set otherwise.
  -h                         Help.
";

    #[test]
    fn sentences_are_folded_and_places_are_not() {
        let text = "error: a file is not there\n --> job.fio:1:1 and more of it\n1 | a long line of a job\n  hint: make it first";
        let shown = "error: a file\n  is not there\n --> job.fio:1:1 and more of it\n1 | a long line of a job\n  \
                     hint: make\n    it first";
        assert_eq!(sentences(text, 14), shown);
        assert_eq!(sentences(text, 80), text);
        assert_eq!(
            sentences("kept as /a/very/long/path\n", 10),
            "kept as\n  /a/very/long/path\n"
        );
    }

    #[test]
    fn results_are_folded_after_their_names() {
        let text = "\nRun status:\n   READ: bw=39.1MiB/s (41.0MB/s), io=195MiB (205MB)\n  depths    : 1=0.0%, 2=0.0%, \
                    4=0.0%\n  note[holes]: half of the file is a hole\n";
        let shown = "\nRun status:\n   READ: bw=39.1MiB/s\n         (41.0MB/s),\n         io=195MiB (205MB)\n  \
                     depths    : 1=0.0%, 2=0.0%,\n    4=0.0%\n  note[holes]: half of the\n    file is a hole\n";
        assert_eq!(results(text, 29), shown);
        assert_eq!(results(text, 80), text);
        // Blanks within a line that fits in part stay.
        let deep = "  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%";
        let below = "  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%,\n                 32=0.0%, >=64=0.0%";
        assert_eq!(results(deep, 60), below);
    }

    #[test]
    fn a_command_is_never_broken() {
        let text = "HTML report: leadline report long-name-of-a-run.leadline";
        let shown = "HTML report:\n  leadline report long-name-of-a-run.leadline";
        assert_eq!(sentences(text, 30), shown);
        let text = "hint: `leadline compare A B` shows what changed; that is all";
        let shown = "hint:\n  `leadline compare A B`\n  shows what changed;\n  that is all";
        assert_eq!(sentences(text, 24), shown);
        // A single backquote begins no command.
        assert_eq!(
            sentences("hint: a ` alone is a word", 14),
            "hint: a `\n  alone is a\n  word"
        );
    }

    #[test]
    fn descriptions_are_folded_under_themselves() {
        let shown = "\
fio [switches]

  --hosts=LIST|FILE          Runs on these hosts at
                             once: a list a,b,c or a
                             file.
  --launcher=TEXT            What gives a process on a
                             host: local, ssh, slurm;
                             ssh unless set otherwise.
  -h                         Help.
";
        assert_eq!(fold(ROWS, 55), shown);
    }

    #[test]
    fn the_description_of_a_wide_name_is_folded_below_it() {
        let blanks = " ".repeat(29);
        let text = format!(
            "  --server-cache=SIZE|none|ro|warmed\n{blanks}What is known about the cache of\n\
             {blanks}the server.\n  -h  Help.\n"
        );
        assert_eq!(fold(&text, 64), text);
        let wide = format!(
            "  --server-cache=SIZE|none|ro|warmed\n{blanks}What is known about the cache of the \
             server.\n  -h  Help.\n"
        );
        assert_eq!(fold(&text, 120), wide);
        assert_eq!(fold(&wide, 64), text);
    }

    #[test]
    fn where_there_is_no_room_they_go_below() {
        let shown = fold(ROWS, 40);
        assert!(shown.contains("  --hosts=LIST|FILE\n        Runs on these hosts at once: a\n"));
        assert!(shown.lines().all(|line| line.len() <= 40), "{shown}");
    }

    #[test]
    fn what_fits_stays_and_colours_take_no_room() {
        let row = "  \u{1b}[1m--all\u{1b}[0m  All of it";
        assert_eq!(fold(row, 18), row);
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&fold(ROWS, 30)), words(ROWS));
        assert_eq!(fold("one two three", 8), "one two\nthree");
    }
}
