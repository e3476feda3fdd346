//! Lines that are drawn again in their place: what is written to a terminal for that.
//!
//! Belongs here: the cursor, which is below the last line in the first column, and what a terminal makes of a
//! line when its width changes. Must never: write.

use crate::fold::columns;

/// Erases all below the cursor and right of it.
pub(super) const ERASE_BELOW: &str = "\u{1b}[J";

/// Erases what is right of the cursor.
const ERASE_RIGHT: &str = "\u{1b}[K";

/// What is too long for the line is cut, not continued in the next; and the opposite. A terminal shows some symbols
/// in two columns.
const CUT: &str = "\u{1b}[?7l";
const CONTINUE: &str = "\u{1b}[?7h";

/// Lines on the terminal by their length in columns, the cursor below the last.
pub(super) struct ShownBlock(Vec<usize>);

impl ShownBlock {
    /// No lines.
    pub(super) const NONE: Self = Self(Vec::new());

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lines were written below those that are there.
    pub(super) fn extend(&mut self, lines: &[usize]) {
        self.0.extend(lines);
    }

    /// Leads the cursor back to the start of the first line. A terminal of `width` columns has broken longer lines in
    /// several; `None` = it has not. What it broke is erased as a whole, or it would be put together again later.
    pub(super) fn back(&self, width: Option<usize>) -> String {
        let rows = |&columns: &usize| match width {
            Some(width) => columns.div_ceil(width.max(1)).max(1),
            None => 1,
        };
        let all: usize = self.0.iter().map(rows).sum();
        match all {
            0 => String::new(),
            _ if all == self.0.len() => format!("\r\u{1b}[{all}A"),
            _ => format!("\r\u{1b}[{all}A{ERASE_BELOW}"),
        }
    }
}

/// What is written at once.
#[derive(Debug, PartialEq)]
pub(super) struct Part {
    pub(super) text: String,
    /// The length of its lines in columns.
    pub(super) columns: Vec<usize>,
}

/// Lines in parts of at most `most` bytes (but a line is not cut), the cursor being at the start of the first line.
pub(super) fn parts<T: AsRef<str>>(lines: &[T], most: usize) -> Vec<Part> {
    let most = most.saturating_sub(64);
    let mut parts: Vec<Part> = Vec::new();
    for line in lines.iter().map(AsRef::as_ref) {
        let new = format!("{line}{ERASE_RIGHT}\n");
        match parts.last_mut() {
            Some(part) if part.text.len() + new.len() <= most => {
                part.text.push_str(&new);
                part.columns.push(columns(line));
            }
            _ => parts.push(Part {
                text: format!("{CUT}{new}"),
                columns: vec![columns(line)],
            }),
        }
    }
    let count = parts.len();
    for (number, part) in parts.iter_mut().enumerate() {
        if number + 1 == count {
            part.text.push_str(ERASE_BELOW);
        }
        part.text.push_str(CONTINUE);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_counts_lines_that_the_terminal_broke() {
        let mut shown = ShownBlock::NONE;
        assert_eq!(shown.back(Some(80)), "");
        shown.extend(&[79, 0, 40, 41]);
        assert_eq!(shown.back(Some(120)), "\r\u{1b}[4A");
        assert_eq!(shown.back(Some(40)), "\r\u{1b}[6A\u{1b}[J");
        assert_eq!(shown.back(None), "\r\u{1b}[4A");
    }

    #[test]
    fn parts_are_whole_lines_and_the_last_erases_what_was_below() {
        let parts = parts(&["\u{1b}[1mab\u{1b}[0m", "c", "ddddddddd"], 64 + 23);
        let text = |part: &str, last: &str| format!("\u{1b}[?7l{part}{last}\u{1b}[?7h");
        let first = text("\u{1b}[1mab\u{1b}[0m\u{1b}[K\n", "");
        let second = text("c\u{1b}[K\nddddddddd\u{1b}[K\n", "\u{1b}[J");
        let expected = [(first, vec![2]), (second, vec![1, 9])];
        assert_eq!(
            parts,
            expected.map(|(text, columns)| Part { text, columns })
        );
    }
}
