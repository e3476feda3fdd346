//! Neutral words: what engine, fleet, model and results say reaches the users of every front end, so it names no front end
//! and no option of one or of leadline's own verbs: nothing with two dashes before it. Cures name a `Knob` instead, and the
//! command adds the option of the front end that was used.
//!
//! Belongs here: words looked up in string literals. Must never: judge a sentence, or look into comments and tests.

use super::code::{is_word, line_at, product, string_literals};
use super::files::is_test;
use super::unused::test_modules;
use super::{Fault, File};

/// The crates whose sentences all front ends show.
const NEUTRAL: &[&str] = &[
    "crates/engine/src/",
    "crates/fleet/src/",
    "crates/model/src/",
    "crates/results/src/",
];

/// Front ends, in any case.
const FRONT_ENDS: &[&str] = &["fio", "vdbench", "diskspd"];

/// Spellings without two dashes that only options have, as they are written.
const OPTIONS: &[&str] = &[
    // fio
    "blockalign",
    "cpus_allowed",
    "hipri",
    "io_size",
    "iodepth",
    "ioengine=",
    "numjobs",
    "offset_increment",
    "sqthread_poll",
    "stonewall",
    "thinktime",
    "time_based",
    // Vdbench
    "forrate",
    "forthreads",
    "forxx",
    "iorate",
    "openflags",
    "rdpct",
    "seekpct",
    "xfersize",
    // DISKSPD
    "-Sh",
    "-Su",
    "-Suw",
];

/// Words that may be in a file, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "crates/engine/src/backend/uring/open.rs",
        "--security-opt",
        "an option of Docker",
    ),
    (
        "crates/engine/src/prepare/look.rs",
        "--setrw",
        "an option of blockdev",
    ),
    (
        "crates/fleet/src/launch/words.rs",
        "--quiet",
        "an option of srun",
    ),
    (
        "crates/fleet/src/launch/words.rs",
        "--unbuffered",
        "an option of srun",
    ),
    (
        "crates/fleet/src/launch/words.rs",
        "--nodes",
        "an option of srun",
    ),
    (
        "crates/fleet/src/launch/words.rs",
        "--ntasks",
        "an option of srun",
    ),
    (
        "crates/fleet/src/launch/words.rs",
        "--nodelist",
        "an option of srun",
    ),
    (
        "crates/fleet/src/launch/words.rs",
        "--overlap",
        "an option of srun",
    ),
    (
        "crates/fleet/src/launch/words.rs",
        "--build",
        "what a host runs, which is shown to nobody",
    ),
    (
        "crates/results/src/render/html/requested.rs",
        "--out",
        "a word of the run's command line that is left out",
    ),
    (
        "crates/results/src/render/html/tables.rs",
        "--json",
        "a whole command that shows what a page has no room for",
    ),
    (
        "crates/engine/src/schedule/check.rs",
        "diskspd",
        "the name of an access pattern, whoever asks for it",
    ),
    (
        "crates/engine/src/schedule/offsets.rs",
        "diskspd",
        "the name of an access pattern, whoever asks for it",
    ),
    (
        "crates/results/src/render/html/tables.rs",
        "fio",
        "the name of the front end that was used",
    ),
    (
        "crates/results/src/render/html/tables.rs",
        "vdbench",
        "the name of the front end that was used",
    ),
    (
        "crates/results/src/render/html/tables.rs",
        "diskspd",
        "the name of the front end that was used",
    ),
];

/// Checks the string literals of these crates.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    let tested = test_modules(files);
    for file in files {
        let neutral = NEUTRAL.iter().any(|folder| file.path.starts_with(folder))
            && !tested.iter().any(|start| file.path.starts_with(start));
        let Some(text) = file.text.as_deref().filter(|_| neutral) else {
            continue;
        };
        if !file.path.ends_with(".rs") || is_test(&file.path) {
            continue;
        }
        let mut needed = Vec::new();
        for (at, literal) in string_literals(product(text)) {
            for word in named(literal) {
                if allowed(&file.path).any(|known| known == word) {
                    needed.push(word);
                    continue;
                }
                let message = format!(
                    "says `{word}`, a word of one front end or of the command line: use leadline's own word, or a \
                     `Knob` in the cure"
                );
                faults.push(Fault::new(&file.path, line_at(text, at), message));
            }
        }
        for word in allowed(&file.path).filter(|word| !needed.contains(word)) {
            let message = format!("no longer says `{word}`: remove it from `ALLOWED` in tidy");
            faults.push(Fault::new(&file.path, 0, message));
        }
    }
}

fn allowed(path: &str) -> impl Iterator<Item = &'static str> {
    let of_file = ALLOWED.iter().filter(move |(file, ..)| *file == path);
    of_file.map(|(_, word, _)| *word)
}

/// Front ends and options that a literal names.
fn named(literal: &str) -> impl Iterator<Item = &str> {
    let lower = literal.to_lowercase();
    let front_ends = FRONT_ENDS
        .iter()
        .filter(move |word| stands_in(&lower, word));
    let options = OPTIONS.iter().filter(|word| stands_in(literal, word));
    front_ends.chain(options).copied().chain(dashed(literal))
}

/// The options with two dashes in a text.
fn dashed(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("--").filter_map(|(at, dashes)| {
        let before = text[..at].chars().next_back();
        let name = &text[at + dashes.len()..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let end = at + dashes.len() + end.unwrap_or(name.len());
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
        let apart = !before.is_some_and(|c| is_word(c) || c == '-');
        (begins && apart).then(|| &text[at..end])
    })
}

/// Whether `word` is in `text` with no character of a word beside it.
fn stands_in(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let open_end = word.ends_with('=');
        !before.is_some_and(|c| is_word(c) || c == '-') && (open_end || !after.is_some_and(is_word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let file = File {
            path: path.to_owned(),
            len: 0,
            text: Some(text.to_owned()),
        };
        let mut faults = Vec::new();
        check(&[file], &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_of_one_front_end_are_refused_in_neutral_literals() {
        let path = "crates/engine/src/a.rs";
        for word in [
            "fio",
            "Vdbench",
            "as DISKSPD's",
            "iodepth=4",
            "--readonly",
            "use -Sh",
            "(hipri)",
            "--destroy",
            "--accept-unlike-hosts",
            "a larger --size",
            "(`--setup`)",
            "more than --loss 0.1 allows",
            "show it, --bs 4k",
        ] {
            let text = format!("//! A.\nconst A: &str = \"{word}\";\n");
            let found = faults(path, &text);
            assert_eq!(found.len(), 1, "{word}: {found:?}");
            assert!(
                found[0].starts_with("crates/engine/src/a.rs:2: says"),
                "{found:?}"
            );
            assert_eq!(faults("crates/model/src/a.rs", &text).len(), 1);
            assert_eq!(faults("crates/fleet/src/a.rs", &text).len(), 1);
            assert_eq!(faults("crates/results/src/a.rs", &text).len(), 1);
            assert!(faults("crates/fio/src/a.rs", &text).is_empty());
        }
    }

    #[test]
    fn comments_tests_and_other_words_are_free() {
        for text in [
            "//! As in fio, iodepth=1.\nconst A: &str = \"queue depth\";\n",
            "//! A.\nconst A: &str = \"RWF_HIPRI, fiord, portfolio, x-Sh, blockalignment\";\n",
            "//! A.\nconst A: &str = \"<!-- a -->, a--b, ----, -- and --4\";\n",
            "//! A.\n\n#[cfg(test)]\nmod tests {\n    const A: &str = \"fio\";\n}\n",
        ] {
            assert!(faults("crates/engine/src/a.rs", text).is_empty(), "{text}");
        }
        let said = "const A: &str = \"fio\";";
        assert!(faults("crates/engine/src/a/tests.rs", said).is_empty());
    }

    #[test]
    fn an_allowed_word_has_to_be_there() {
        let only = ALLOWED.iter().find(|(_, word, _)| *word == "diskspd");
        let (path, word, _) = only.unwrap();
        let text = format!("const A: &str = \"the {} pattern\";", word.to_uppercase());
        assert!(faults(path, &text).is_empty());
        let found = faults(path, "const A: &str = \"a pattern\";");
        assert!(found[0].contains("no longer says"), "{found:?}");
    }
}
