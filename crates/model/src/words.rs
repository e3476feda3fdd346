//! Cures in the words of the front end that was used.
//!
//! Belongs here: the form in which a cure names each front end's own words, and the choice among them. Must
//! never: know what the words mean.

use crate::plan::Dialect;

/// A cure as a user of `dialect` reads it: of a group `(fio: these words; DISKSPD: those)` only that front end's
/// words are left, and the group goes where it has none for it.
#[must_use]
pub fn in_words_of(dialect: Dialect, cure: &str) -> String {
    let name = match dialect {
        Dialect::Native => "leadline",
        Dialect::Fio => "fio",
        Dialect::Vdbench => "Vdbench",
        Dialect::Diskspd => "DISKSPD",
    };
    let mut said = String::new();
    let mut rest = cure;
    while let Some((before, behind)) = rest.split_once(" (") {
        said.push_str(before);
        let (group, after) = behind.split_once(')').unwrap_or((behind, ""));
        let parts: Option<Vec<(&str, &str)>> =
            group.split("; ").map(|p| p.split_once(": ")).collect();
        let known = |who: &str| matches!(who, "leadline" | "fio" | "Vdbench" | "DISKSPD");
        match parts.filter(|parts| parts.iter().all(|(who, _)| known(who))) {
            Some(parts) => {
                if let Some((_, words)) = parts.iter().find(|(who, _)| *who == name) {
                    said = format!("{said} ({words})");
                }
                rest = after;
            }
            None => {
                said.push_str(" (");
                rest = behind;
            }
        }
    }
    said + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_group_of_words_those_of_the_front_end_are_left() {
        let cure = "Let it go (to 3) round (fio: time_based; DISKSPD: -d), or wait (fio: x).";
        for (dialect, expected) in [
            (
                Dialect::Fio,
                "Let it go (to 3) round (time_based), or wait (x).",
            ),
            (Dialect::Diskspd, "Let it go (to 3) round (-d), or wait."),
            (Dialect::Vdbench, "Let it go (to 3) round, or wait."),
            (Dialect::Native, "Let it go (to 3) round, or wait."),
        ] {
            assert_eq!(in_words_of(dialect, cure), expected);
        }
        assert_eq!(in_words_of(Dialect::Fio, "an open (end"), "an open (end");
    }
}
