//! Lines of words in a picture. Must never: choose words.

use crate::render::svg::{WordRoom, shortened};
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// Width of a picture in units, as charts have it.
pub(super) const WIDTH: f64 = 440.0;
/// Letters of a line of remarks.
pub(super) const ACROSS: usize = 70;

/// Words in a place.
pub(super) fn text(out: &mut String, (x, y): (f64, f64), class: &str, words: &str) {
    let words = attribute(words);
    let _ = write!(
        out,
        "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{words}</text>"
    );
}

/// Words on lines of this many letters; a longer word is shortened in the middle.
pub(super) fn wrapped(words: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let room = WordRoom::Letters(letters);
    for word in words.split(' ').map(|word| shortened(word, room)) {
        let last = lines.last().map_or(0, |l| l.chars().count());
        if last > 0 && last + word.chars().count() >= letters {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
    }
    lines
}
