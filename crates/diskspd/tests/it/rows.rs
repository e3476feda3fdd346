//! The case of each row of the option table: what the option changes, or why it changes nothing.

use crate::common::{FakeHost, is_changed, new_lines, short_diagnostics, short_diskspd_plan};
use crate::fields::fields;
use leadline_diskspd::{self as diskspd, OptionSpec, Support};
use leadline_model::plan::Original;

/// What a command line means, in lines: the profile, the switches, the plan, and what is said.
fn outcome<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.chain(["t"]).map(str::to_owned).collect();
    let parsed = diskspd::parse(&words, &FakeHost::default());
    let profile = parsed.profile.as_ref().map(fields).unwrap_or_default();
    let plan = parsed.plan.as_ref().map(short_diskspd_plan);
    format!(
        "{}\n{:#?}\n{}{}",
        profile.replace("; ", "\n"),
        parsed.run,
        plan.unwrap_or_default(),
        short_diagnostics(&parsed.diagnostics, &parsed.sources)
    )
}

/// Whether a word is of this form, as far as the form spells it.
fn is_of(spec: &OptionSpec, word: &str) -> bool {
    spec.form
        .split(", ")
        .filter_map(|form| form.split(['<', '[', '=']).next())
        .any(|literal| word.starts_with(literal))
}

#[test]
fn every_option_changes_what_its_case_says() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for spec in diskspd::options() {
        let Some(case) = spec.case else {
            let is_idle = matches!(spec.support, Support::NoEffect(_));
            assert!(is_idle, "{} has no case", spec.form);
            continue;
        };
        let own = |word: &&str| is_of(&spec, word);
        assert!(
            case.words.split(' ').any(|word| own(&word)),
            "{}",
            spec.form
        );
        let without = outcome(case.words.split(' ').filter(|word| !own(word)));
        let with = outcome(case.words.split(' '));
        if !is_changed(&with, &without, case.changes) {
            let new = new_lines(&with, &without).join("\n");
            wrong.push(format!("{} {case:?}\n{new}", spec.form));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n=====\n"));
    assert!(seen >= 55, "only {seen} cases");
}

#[test]
fn every_option_without_effect_says_why_and_changes_no_plan() {
    let mut seen = 0;
    for spec in diskspd::options() {
        let (Some(case), Support::NoEffect(reason)) = (spec.case, spec.support) else {
            continue;
        };
        let plan = |words: Vec<&str>| {
            let words: Vec<String> = words.into_iter().chain(["t"]).map(str::to_owned).collect();
            let parsed = diskspd::parse(&words, &FakeHost::default());
            let said = short_diagnostics(&parsed.diagnostics, &parsed.sources);
            let mut plan = parsed.plan.unwrap_or_else(|| panic!("{words:?}: {said}"));
            plan.original = Original::default();
            plan.source.args.clear();
            (plan, said)
        };
        let (with, said) = plan(case.words.split(' ').collect());
        let (without, _) = plan(case.words.split(' ').filter(|w| !is_of(&spec, w)).collect());
        assert!(said.contains(reason), "{}: {said}", spec.form);
        assert_eq!(with, without, "{}", spec.form);
        seen += 1;
    }
    assert!(seen >= 12, "only {seen} forms without effect");
}
