//! How wide words are in a picture.
//!
//! Belongs here: the widths of letters, and what has room in a width. They are those of DejaVu Sans, the widest of the fonts
//! that the page names, at the size that words have on a phone, where they are largest in the units of a chart. Must never:
//! place a word.

/// Size of the words of charts on a phone and on paper, in units: as in the style sheet.
const SIZE: f64 = 12.7;
/// The first letter of the tables, in the order of ASCII.
const FIRST: usize = 32;
/// Widths of letters in thousandths of their size: as text is written, and bold.
const PLAIN: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];
const BOLD: [u16; 95] = [
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696,
    696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683,
    683, 821, 837, 372, 372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771,
    724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665,
    343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
];
/// That of signs, and of letters of other scripts.
const OTHER: u16 = 1000;

/// How thick letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LetterWeight {
    /// As text is written.
    Plain,
    /// As names of lines and words at rings are.
    Bold,
}

impl LetterWeight {
    /// The width of words in units.
    pub(super) fn width(self, words: &str) -> f64 {
        let of = |letter: char| f64::from(self.of(letter)) / 1000.0;
        words.chars().map(of).sum::<f64>() * SIZE
    }

    fn of(self, letter: char) -> u16 {
        let table = match self {
            Self::Plain => &PLAIN,
            Self::Bold => &BOLD,
        };
        let place = usize::try_from(u32::from(letter)).ok();
        let known = place.and_then(|place| table.get(place.checked_sub(FIRST)?));
        known.copied().unwrap_or(OTHER)
    }
}

/// The room for words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WordRoom {
    /// For this many letters.
    Letters(usize),
    /// For this many units, of letters of a weight.
    Units(f64, LetterWeight),
}

impl WordRoom {
    /// Whether words have room in it.
    pub(crate) fn holds(self, words: &str) -> bool {
        match self {
            Self::Letters(most) => words.chars().count() <= most,
            Self::Units(most, weight) => weight.width(words) <= most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Chromium measures them.
    #[test]
    fn words_are_as_wide_as_a_browser_draws_them() {
        let of = |weight: LetterWeight, words: &str| crate::words::whole(weight.width(words));
        assert_eq!(of(LetterWeight::Plain, "and bytes\u{2026}dom read"), 137);
        assert_eq!(of(LetterWeight::Bold, "and bytes\u{2026}dom read"), 151);
        assert_eq!(of(LetterWeight::Bold, "conf1: stops rising: 2"), 152);
        assert_eq!(of(LetterWeight::Plain, "\u{2265}\u{4e2d}"), 25);
    }

    #[test]
    fn words_have_the_size_that_the_style_sheet_gives_them_on_a_phone() {
        let sheet = include_str!("../../../assets/report.css");
        let words =
            format!("svg text,svg .tick,svg .name,svg .tag,svg .note{{font-size:{SIZE}px}}");
        assert!(sheet.contains(&words), "{words}");
    }

    #[test]
    fn a_room_holds_letters_or_units() {
        assert!(WordRoom::Letters(3).holds("mmm") && !WordRoom::Letters(3).holds("iiii"));
        let room = WordRoom::Units(20.0, LetterWeight::Plain);
        assert!(room.holds("iiii") && !room.holds("mmm"));
    }
}
