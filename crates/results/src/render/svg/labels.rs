//! Names that have to fit: what distinguishes them stays, and none is cut where it ends.
//!
//! Belongs here: words to shorter words. Must never: draw.

/// Where a name may be broken.
const BREAKS: [char; 6] = [' ', '-', '_', '/', ',', ':'];

/// Names without what the long ones of them have in common at their beginning, so that what differs has room: of
/// `sim:parallel=8,rtt=1ms` and `sim:parallel=8` that is `rtt=1ms`.
pub(super) fn distinguished(names: &[&str], letters: usize) -> Vec<String> {
    let long = |name: &&&str| name.chars().count() > letters;
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
pub(crate) fn apart(names: &[&str], letters: usize) -> Vec<String> {
    if !names.iter().any(|name| name.chars().count() > letters) {
        return names.iter().map(|name| (*name).to_owned()).collect();
    }
    let back = |name: &&str| name.chars().rev().collect::<String>();
    let first: Vec<String> = distinguished(names, 0);
    let first: Vec<&str> = first
        .iter()
        .map(|name| name.trim_start_matches('\u{2026}'))
        .collect();
    let turned: Vec<String> = first.iter().map(back).collect();
    let turned: Vec<&str> = turned.iter().map(String::as_str).collect();
    let both = distinguished(&turned, 0);
    let both = both
        .iter()
        .map(|name| back(&name.trim_start_matches('\u{2026}')));
    both.collect()
}

/// A name shortened in the middle: what comes last distinguishes as often as what comes first.
pub(crate) fn shortened(name: &str, letters: usize) -> String {
    let count = name.chars().count();
    if count <= letters {
        return name.to_owned();
    }
    let kept = letters.saturating_sub(1);
    let (first, last) = (kept.div_ceil(2), kept / 2);
    let begin: String = name.chars().take(first).collect();
    let end: String = name.chars().skip(count - last).collect();
    format!("{}\u{2026}{}", begin.trim_end(), end.trim_start())
}

/// A name on two lines of this many letters.
pub(super) fn folded(name: &str, letters: usize) -> (String, String) {
    if name.chars().count() <= letters {
        return (name.to_owned(), String::new());
    }
    let ends = name.rmatch_indices(BREAKS);
    let mut ends = ends.map(|(at, mark)| at + mark.len());
    let fits = |at: &usize| name[..*at].trim_end().chars().count() <= letters;
    match ends.find(fits) {
        Some(at) => (
            name[..at].trim_end().to_owned(),
            shortened(name[at..].trim_start(), letters),
        ),
        None => (shortened(name, letters), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_show_what_distinguishes_them() {
        let far = "sim:service=exp:300us,parallel=8,rtt=1ms, mean";
        let near = "sim:service=exp:300us,parallel=8, mean";
        assert_eq!(
            distinguished(&[near, far], 36),
            ["\u{2026} mean", "\u{2026}rtt=1ms, mean"]
        );
        // Short ones stay as they are, and so does one alone.
        assert_eq!(
            distinguished(&["read p50", "read p99"], 36),
            ["read p50", "read p99"]
        );
        assert_eq!(distinguished(&[far], 36), [far]);
    }

    #[test]
    fn names_that_differ_in_the_middle_stay_apart() {
        let names = [
            "cache/4k-randread-direct-qd32-j1",
            "cache/4k-randread-direct, same offsets-qd32-j1",
            "cache/4k-randread-direct, warmed up-qd32-j1",
        ];
        assert_eq!(
            apart(&names, 13),
            ["direct", "direct, same offsets", "direct, warmed up"]
        );
        assert_eq!(apart(&names, 60), names);
        assert_eq!(apart(&["seq-read", "seq-write"], 4), ["read", "write"]);
        assert_eq!(apart(&["a-long-name-alone"], 4), ["a-long-name-alone"]);
    }

    #[test]
    fn a_name_is_shortened_in_the_middle() {
        assert_eq!(shortened("client-of-the-north", 11), "clien\u{2026}north");
        assert_eq!(shortened("short", 11), "short");
        assert_eq!(
            folded("near, together and far apart, p99", 18),
            ("near, together and".to_owned(), "far apart, p99".to_owned())
        );
    }
}
