//! The case of each row of the switches' table: what the switch changes beside the plan, or why it is not done.

use crate::common::{FakeHost, is_changed, new_lines, short_diagnostics};
use leadline_dialect::spec::Takes;
use leadline_fio::{self as fio, Parsed, SWITCHES, Support, SwitchSpec};

fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Parsed {
    let words: Vec<String> = words.chain(["--name=w"]).map(str::to_owned).collect();
    fio::parse(&words, &FakeHost::default())
}

/// What is asked beside the plan, a field in a line, without quotes.
fn asked<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let run = format!("{:?}", parse(words).run);
    run.replace(", ", "\n").replace('"', "")
}

fn is_of(spec: &SwitchSpec, word: &str) -> bool {
    let name = word.strip_prefix("--").and_then(|w| w.split('=').next());
    name == Some(spec.name)
}

#[test]
fn every_switch_that_is_done_changes_what_its_case_says() {
    let mut seen = 0;
    for spec in SWITCHES {
        let Some(case) = spec.case else {
            assert_ne!(spec.support, Support::Full, "{} has no case", spec.name);
            continue;
        };
        let own = |word: &&str| is_of(spec, word);
        assert!(case.words.split(' ').any(|w| own(&w)), "{}", spec.name);
        let without = asked(case.words.split(' ').filter(|word| !own(word)));
        let with = asked(case.words.split(' '));
        assert!(
            is_changed(&with, &without, case.changes),
            "{}: {case:?}\n{:?}",
            spec.name,
            new_lines(&with, &without)
        );
        seen += 1;
    }
    assert!(seen >= 25, "only {seen} cases");
}

#[test]
fn every_switch_that_is_not_done_says_why() {
    let mut seen = 0;
    for spec in SWITCHES {
        let (code, reason) = match spec.support {
            Support::Full => continue,
            Support::NoEffect(reason) => ("note[no-effect]", reason),
            Support::Refused(reason) => ("error[not-supported]", reason),
        };
        let word = match spec.takes {
            // A version of terse output, too.
            Takes::Value => format!("--{}=4", spec.name),
            Takes::Nothing | Takes::Optional => format!("--{}", spec.name),
        };
        let parsed = parse(std::iter::once(word.as_str()));
        let said = short_diagnostics(&parsed.diagnostics, &parsed.sources);
        let is_reason = |line: &str| line.starts_with(code) && line.contains(reason);
        assert!(said.lines().any(is_reason), "{word}\n{said}");
        let is_refused = matches!(spec.support, Support::Refused(_));
        assert_eq!(parsed.plan.is_none(), is_refused, "{word}\n{said}");
        seen += 1;
    }
    assert!(seen >= 20, "only {seen}");
}
