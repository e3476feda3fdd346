//! Names that have to fit: what distinguishes them stays, and none is cut where it ends.
//!
//! Belongs here: words to shorter words. Must never: draw.

use super::letters::WordRoom;

/// Where a name may be broken.
const BREAKS: [char; 6] = [' ', '-', '_', '/', ',', ':'];

/// Names without what the long ones of them have in common at their beginning, so that what differs has room: of
/// `sim:parallel=8,rtt=1ms` and `sim:parallel=8` that is `rtt=1ms`.
pub(super) fn distinguished(names: &[&str], room: WordRoom) -> Vec<String> {
    let long = |name: &&&str| !room.holds(name);
    let own = || names.iter().map(|name| (*name).to_owned()).collect();
    let Some(first) = names.iter().find(long) else {
        return own();
    };
    let others = || names.iter().filter(|name| **name != *first);
    // Up to the last break that all have at the same place.
    let common = first
        .char_indices()
        .filter(|(_, c)| BREAKS.contains(c))
        .map(|(at, c)| at + c.len_utf8())
        .take_while(|end| others().all(|name| name.starts_with(&first[..*end])))
        .last();
    let Some(common) = common.filter(|_| others().next().is_some()) else {
        return own();
    };
    let each = names.iter().map(|name| match &name[common..] {
        "" => (*name).to_owned(),
        rest => format!("\u{2026}{rest}"),
    });
    each.collect()
}

/// Names of which some are too long for one line, without what all have in common at either end.
pub(crate) fn apart(names: &[&str], room: WordRoom) -> Vec<String> {
    const NONE: WordRoom = WordRoom::Letters(0);
    if names.iter().all(|name| room.holds(name)) {
        return names.iter().map(|name| (*name).to_owned()).collect();
    }
    let back = |name: &&str| name.chars().rev().collect::<String>();
    let first: Vec<String> = distinguished(names, NONE);
    let first: Vec<&str> = first
        .iter()
        .map(|name| name.trim_start_matches('\u{2026}'))
        .collect();
    let turned: Vec<String> = first.iter().map(back).collect();
    let turned: Vec<&str> = turned.iter().map(String::as_str).collect();
    let both = distinguished(&turned, NONE);
    let both = both
        .iter()
        .map(|name| back(&name.trim_start_matches('\u{2026}')));
    both.collect()
}

/// Each work without what all have in common at either end, and without a bracket whose other one went with that.
pub(crate) fn short_works(works: &[String]) -> Vec<String> {
    let mut each: Vec<&str> = works.iter().map(String::as_str).collect();
    each.retain(|work| !work.is_empty());
    each.sort_unstable();
    each.dedup();
    let short = apart(&each, WordRoom::Letters(0));
    let is_even = |words: &str| words.matches('(').count() == words.matches(')').count();
    // `jobs 1` and `jobs 4` have the name in common, without which the number says nothing.
    let whole_bracket = |work: &str, words: &str| {
        let begins = work.rfind(words).and_then(|at| work[..at].rfind('('));
        let bracket = begins.map(|at| work[at..].trim_end());
        bracket
            .filter(|bracket| is_even(bracket))
            .map(str::to_owned)
    };
    let of = |work: &String| {
        let place = each.iter().position(|one| one == work);
        let words = place.map_or("", |at| short[at].as_str());
        match is_even(words) {
            true => words.to_owned(),
            false => whole_bracket(work, words)
                .unwrap_or_else(|| words.trim_matches(['(', ')']).to_owned()),
        }
    };
    works.iter().map(of).collect()
}

/// A name shortened in the middle: what comes last distinguishes as often as what comes first.
pub(crate) fn shortened(name: &str, room: WordRoom) -> String {
    if room.holds(name) {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    let of = |kept: usize| {
        let (first, last) = (kept.div_ceil(2), kept / 2);
        let begin: String = letters.iter().take(first).collect();
        let end: String = letters.iter().skip(letters.len() - last).collect();
        format!("{}\u{2026}{}", begin.trim_end(), end.trim_start())
    };
    let mut each = (1..letters.len()).rev().map(of);
    let fits = |words: &String| room.holds(words);
    each.find(fits).unwrap_or_else(|| of(1))
}

/// A name on lines with this room, no more than `most`: only of the last one words are left out.
pub(super) fn folded(name: &str, room: WordRoom, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = name;
    while lines.len() + 1 < most && !room.holds(rest) {
        let mut ends = rest
            .rmatch_indices(BREAKS)
            .map(|(at, mark)| at + mark.len());
        let fits = |at: &usize| room.holds(rest[..*at].trim_end());
        let Some(at) = ends.find(fits) else {
            break;
        };
        lines.push(rest[..at].trim_end().to_owned());
        rest = rest[at..].trim_start();
    }
    lines.push(shortened(rest, room));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::letters::LetterWeight;

    #[test]
    fn long_names_show_what_distinguishes_them() {
        let far = "sim:service=exp:300us,parallel=8,rtt=1ms, mean";
        let near = "sim:service=exp:300us,parallel=8, mean";
        assert_eq!(
            distinguished(&[near, far], WordRoom::Letters(36)),
            ["\u{2026} mean", "\u{2026}rtt=1ms, mean"]
        );
        // Short ones stay as they are, and so does one alone.
        assert_eq!(
            distinguished(&["read p50", "read p99"], WordRoom::Letters(36)),
            ["read p50", "read p99"]
        );
        assert_eq!(distinguished(&[far], WordRoom::Letters(36)), [far]);
    }

    #[test]
    fn names_that_differ_in_the_middle_stay_apart() {
        let names = [
            "cache/4k-randread-direct-qd32-j1",
            "cache/4k-randread-direct, same offsets-qd32-j1",
            "cache/4k-randread-direct, warmed up-qd32-j1",
        ];
        assert_eq!(
            apart(&names, WordRoom::Letters(13)),
            ["direct", "direct, same offsets", "direct, warmed up"]
        );
        assert_eq!(apart(&names, WordRoom::Letters(60)), names);
        assert_eq!(
            apart(&["seq-read", "seq-write"], WordRoom::Letters(4)),
            ["read", "write"]
        );
        assert_eq!(
            apart(&["a-long-name-alone"], WordRoom::Letters(4)),
            ["a-long-name-alone"]
        );
    }

    #[test]
    fn names_at_lines_keep_what_works_differ_in() {
        let of = |works: &[&str]| {
            let works: Vec<String> = works.iter().map(|work| (*work).to_owned()).collect();
            short_works(&works)
        };
        assert_eq!(
            of(&["4 KiB random read (one)", "4 KiB random read (two)", ""]),
            ["(one)", "(two)", ""]
        );
        assert_eq!(
            of(&["4 KiB random read (job 1)", "4 KiB random read (job 2)"]),
            ["(job 1)", "(job 2)"]
        );
        assert_eq!(of(&["4 KiB random read"]), ["4 KiB random read"]);
    }

    #[test]
    fn a_name_is_shortened_in_the_middle() {
        assert_eq!(
            shortened("client-of-the-north", WordRoom::Letters(11)),
            "clien\u{2026}north"
        );
        assert_eq!(shortened("short", WordRoom::Letters(11)), "short");
    }

    #[test]
    fn a_name_is_on_as_many_lines_as_it_needs() {
        let of = |name: &str, most: usize| folded(name, WordRoom::Letters(18), most);
        let name = "near, together and far apart, p99";
        assert_eq!(of(name, 3), ["near, together and", "far apart, p99"]);
        assert_eq!(of(name, 1), ["near, tog\u{2026}art, p99"]);
        assert_eq!(of("read", 3), ["read"]);
        let long = "limit of rate and bytes, fitted, random read";
        assert_eq!(
            of(long, 3),
            ["limit of rate and", "bytes, fitted,", "random read"]
        );
        assert_eq!(
            of(long, 2),
            ["limit of rate and", "bytes, fi\u{2026}dom read"]
        );
        // Without a place to break it.
        assert_eq!(
            of("abcdefghijklmnopqrstuvw", 2),
            ["abcdefghi\u{2026}pqrstuvw"]
        );
    }

    #[test]
    fn a_name_keeps_what_has_room_in_units() {
        let room = WordRoom::Units(60.0, LetterWeight::Bold);
        for name in ["mmmmmmmmmmmmmmmm", "iiiiiiiiiiiiiiii", "W", "limit of rate"] {
            assert!(room.holds(&shortened(name, room)), "{name}");
        }
        assert!(shortened("iiiiiiiiiiiiiiii", room).len() > shortened("mmmmmmmmm", room).len());
    }
}
