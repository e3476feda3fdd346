//! The nearest known word, for hints.

/// The candidate that needs the fewest edits (insert, delete, replace, swap two neighbours) to become
/// `word`, when that is at most half of the word's length. Ties go to the earlier candidate.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST).collect();
    let limit = (word.len() / 2).max(1);
    candidates
        .into_iter()
        // Each character too many is an edit.
        .filter(|candidate| candidate.chars().count().abs_diff(word.len()) <= limit)
        .map(|candidate| (distance(&word, candidate), candidate))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// Characters beyond this are not looked at.
const LONGEST: usize = 48;

fn distance(a: &[char], b: &str) -> usize {
    type Row = [usize; LONGEST + 1];
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    let mut before_last: Row = [0; LONGEST + 1];
    let mut last: Row = std::array::from_fn(|i| i);
    for i in 0..a.len() {
        let mut row: Row = [0; LONGEST + 1];
        row[0] = i + 1;
        for j in 0..b.len() {
            let same = a[i].eq_ignore_ascii_case(&b[j]);
            let mut best = (last[j + 1] + 1)
                .min(row[j] + 1)
                .min(last[j] + usize::from(!same));
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before_last[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
}

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
    }
}
