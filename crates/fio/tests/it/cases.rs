//! The case of each row of the option table: what the option changes in a plan.

use crate::common::{FakeHost, is_changed, short_diagnostics, short_plan};
use leadline_fio::{self as fio, OptionSpec, Support};

/// The short form of the plan that these words of a command line make.
fn plan<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words = words.map(|word| format!("--{word}"));
    let args: Vec<String> = std::iter::once("--name=w".to_owned())
        .chain(words)
        .collect();
    let parsed = fio::parse(&args, &FakeHost::default());
    let says = short_diagnostics(&parsed.diagnostics, &parsed.sources);
    let plan = parsed.plan.unwrap_or_else(|| panic!("{args:?}: {says}"));
    short_plan(&plan)
}

/// Whether an option can change a plan: it is done, at more than the one value that stands for nothing.
fn can_change(spec: &OptionSpec) -> bool {
    spec.support == Support::Full && spec.only.is_none_or(|only| only.values.len() != 1)
}

#[test]
fn every_option_that_is_done_changes_what_its_case_says() {
    let mut seen = 0;
    for spec in fio::options() {
        let Some(case) = spec.case else {
            assert!(!can_change(spec), "{} has no case", spec.name);
            continue;
        };
        let is_own = |word: &&str| {
            spec.names()
                .any(|name| word.split('=').next() == Some(name))
        };
        assert!(
            case.words.split(' ').any(|word| is_own(&word)),
            "{}",
            spec.name
        );
        let without = plan(case.words.split(' ').filter(|word| !is_own(word)));
        let with = plan(case.words.split(' '));
        let right = match case.changes {
            "" => with == without,
            changes => is_changed(&with, &without, changes),
        };
        assert!(right, "{}: {case:?}\n{without}---\n{with}", spec.name);
        seen += 1;
    }
    assert!(seen >= 120, "only {seen} cases");
}
