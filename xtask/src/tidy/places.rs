//! What has one place in the tree, and the files beside it that may name it too.
//!
//! Belongs here: words of code, where they are at home, and why another file has one. Must never: judge what no word
//! stands for, or look into tests.

use super::code::{line_of_word, only_code, product};
use super::files::{is_test, may_name_the_system};
use super::{Fault, File};

/// Words that belong to one place.
struct Rule {
    word: &'static str,
    home: fn(&str) -> bool,
    /// What to do instead.
    instead: &'static str,
    /// Other files, each with the reason.
    also: &'static [(&'static str, &'static str)],
}

const RULES: &[Rule] = &[
    Rule {
        word: "Op::COUNT",
        home: |path| ["crates/engine/src/op_table.rs", "crates/model/src/op.rs"].contains(&path),
        instead: "use an `OpMap`, or `OpTable` in the hot loop",
        also: &[(
            "crates/engine/src/access/mod.rs",
            "the number of lanes, which are not by operation",
        )],
    },
    Rule {
        word: "thread::sleep",
        home: may_name_the_system,
        instead: "wait for what is to come, with an end (a channel, `os::thread`), or add the file and the reason to \
                  `RULES` in tidy",
        also: &[
            (
                "crates/cli/src/mount.rs",
                "a child process that may hang: it is looked at, so that Ctrl-C ends the wait",
            ),
            (
                "crates/cli/src/verbs/agent.rs",
                "looks after copies each hour, and lets a simulated agent's events come when they are due",
            ),
            (
                "crates/cli/src/verbs/diskspd/events.rs",
                "a named pipe or file that others make is looked for: nothing reports it",
            ),
            (
                "crates/engine/src/prepare/own/owned.rs",
                "a file's time of change has to grow older than the clock of the file system is coarse",
            ),
            (
                "crates/engine/src/run/mod.rs",
                "the pause before a stage, in pieces, so that Ctrl-C ends it",
            ),
            (
                "crates/engine/src/worker/sleep_or_spin.rs",
                "`os::thread::sleep`, which says how long it took",
            ),
            (
                "crates/fleet/src/agent.rs",
                "the guard against silence of the controller: what it waits for is that nothing comes",
            ),
            (
                "crates/fleet/src/controller.rs",
                "hosts that said goodbye have a moment to end; without hosts its inbox has no end to wait for",
            ),
            (
                "crates/fleet/src/launch.rs",
                "the end of a launcher, which is looked at for a second and then killed",
            ),
        ],
    },
    Rule {
        word: "Command::new",
        home: may_name_the_system,
        instead: "give the engine's os/ a function, or add the file and the reason to `RULES` in tidy",
        also: &[
            (
                "crates/cli/src/mount.rs",
                "the user's mount and start commands, which are text for a shell",
            ),
            (
                "crates/cli/src/verbs/assets.rs",
                "clap's `Command`, which describes the command line",
            ),
            (
                "crates/fleet/src/launch.rs",
                "the launchers (ssh, srun, kubectl, a user's own), whose words are made beside it",
            ),
        ],
    },
];

/// Files that have an arm for a back end; others ask the table of powers.
const ARMS: [&str; 2] = [
    "crates/engine/src/backend/mod.rs",
    "crates/fio/src/print/mod.rs",
];

/// The line of a match arm for a back end.
fn arm_of_back_end(code: &str) -> Option<usize> {
    let of_line = |line: &str| {
        let arm = line.split_once("=>").map(|(pattern, _)| pattern);
        arm.is_some_and(|pattern| line_of_word(pattern, "EngineKind").is_some())
    };
    code.lines().position(of_line).map(|line| line + 1)
}

/// Checks the code of the crates.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    for file in files {
        let Some(text) = file.text.as_deref() else {
            continue;
        };
        let path = file.path.as_str();
        if !(path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs"))
            || is_test(path)
        {
            continue;
        }
        let code = only_code(product(text));
        if let Some(line) = arm_of_back_end(&code).filter(|_| !ARMS.contains(&path)) {
            let message = "an arm for a back end: ask `EngineKind::powers`, or make it a power";
            faults.push(Fault::new(path, line, message.to_owned()));
        }
        for rule in RULES {
            let line = line_of_word(&code, rule.word);
            let excepted = rule.also.iter().any(|(also, _)| *also == path);
            match line {
                Some(line) if !excepted && !(rule.home)(path) => {
                    let message = format!("`{}` outside its place: {}", rule.word, rule.instead);
                    faults.push(Fault::new(path, line, message));
                }
                None if excepted => {
                    let message = format!(
                        "no longer names `{}`: remove it from `RULES` in tidy",
                        rule.word
                    );
                    faults.push(Fault::new(path, 0, message));
                }
                _ => {}
            }
        }
    }
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
    fn a_word_outside_its_place_is_found() {
        for (path, text) in [
            (
                "crates/engine/src/a.rs",
                "//! A.\nstruct A([u8; Op::COUNT]);\n",
            ),
            (
                "crates/fleet/src/a.rs",
                "//! A.\nstatic A: fn() = || std::thread::sleep(B);\n",
            ),
            (
                "crates/cli/src/a.rs",
                "//! A.\nstatic A: fn() -> Command = || Command::new(\"sh\");\n",
            ),
        ] {
            let found = faults(path, text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].starts_with(&format!("{path}:2: `")), "{found:?}");
            assert!(faults("crates/engine/src/a/tests.rs", text).is_empty());
            assert!(faults("xtask/src/a.rs", text).is_empty());
            let in_tests = format!("//! A.\n\n#[cfg(test)]\nmod tests {{\n{text}}}\n");
            assert!(faults(path, &in_tests).is_empty());
            assert!(faults(path, &text.replace("\n", "\n// ")).is_empty());
        }
        let home = "crates/engine/src/op_table.rs";
        assert!(faults(home, "struct A([u8; Op::COUNT]);").is_empty());
        for home in [
            "crates/engine/src/os/a.rs",
            "crates/engine/src/backend/a.rs",
        ] {
            assert!(faults(home, "fn a() { thread::sleep(b) }").is_empty());
        }
    }

    #[test]
    fn back_ends_have_arms_where_they_are_made_only() {
        let text = "//! A.\nfn a(kind: EngineKind) -> u8 {\n    match kind {\n        EngineKind::Sync(_) => 1,\n        _ => 2,\n    }\n}\n";
        let found = faults("crates/engine/src/a.rs", text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("crates/engine/src/a.rs:4: an arm"),
            "{found:?}"
        );
        ARMS.iter()
            .for_each(|path| assert!(faults(path, text).is_empty()));
        let compared = "//! A.\nconst A: fn(&A) = |a| a.kind == EngineKind::Null;\n";
        assert!(faults("crates/engine/src/a.rs", compared).is_empty());
    }

    #[test]
    fn an_exception_has_to_be_needed() {
        for rule in RULES {
            for (path, reason) in rule.also {
                assert!(!reason.is_empty());
                let found = faults(path, "fn f() {}");
                assert!(!found.is_empty(), "{path}");
                assert!(found[0].contains("no longer names"), "{found:?}");
            }
        }
    }
}
