//! The nearest known word, for hints.

/// The candidate that needs the fewest edits (insert, delete, replace, swap two neighbours) to become
/// `word`, when that is at most half of the word's length. Ties go to the earlier candidate.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let comparable = |text: &str| -> String {
        let start = text.chars().take(LONGEST);
        start.map(|c| c.to_ascii_lowercase()).collect()
    };
    let word = comparable(word);
    let length = word.chars().count();
    let limit = (length / 2).max(1);
    candidates
        .into_iter()
        // Each character too many is an edit.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| {
            let distance = strsim::osa_distance(&word, &comparable(candidate));
            // Of two as near, that of the same length: `P30` for `P31`, not `P1`.
            (
                distance,
                candidate.chars().count().abs_diff(length),
                candidate,
            )
        })
        .filter(|(distance, ..)| *distance <= limit)
        .min_by_key(|(distance, longer, _)| (*distance, *longer))
        .map(|(.., candidate)| candidate)
}

/// Characters beyond this are not looked at.
const LONGEST: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_or_nothing() {
        let names = ["iodepth", "ioengine", "rw", "runtime"];
        assert_eq!(nearest("ioengin", names), Some("ioengine"));
        assert_eq!(nearest("iodetph", names), Some("iodepth"));
        assert_eq!(nearest("wr", names), Some("rw"));
        assert_eq!(nearest("quux", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("IODetph", names), Some("iodepth"));
        assert_eq!(nearest("P31", ["P1", "P3", "P30"]), Some("P30"));
    }
}
