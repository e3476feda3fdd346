//! The case of each row of the switches' table: what the switch changes, or why it is not done.

use crate::common::{FakeHost, is_changed, new_lines, short_diagnostics, short_vdbench_plan};
use leadline_dialect::spec::Takes;
use leadline_vdbench::{self as vdbench, Parsed, SWITCHES, Support, SwitchSpec};

const FILE: &str = "formatsds=no\nsd=sd1,lun=/tmp/x,size=1g\nwd=w1,sd=sd1\n\
                    rd=r1,wd=w1,iorate=max\nrd=r2,wd=w1,iorate=max\n";

fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Parsed {
    let mut host = FakeHost::default();
    host.files.insert("p.vdb".into(), FILE.into());
    let words: Vec<String> = words.map(str::to_owned).collect();
    vdbench::parse(&words, &host)
}

/// The plan's short form and what is asked beside it, a field in a line, without quotes.
fn outcome<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let parsed = parse(words);
    let plan = parsed.plan.as_ref().map(short_vdbench_plan);
    let run = format!("{:?}", parsed.run).replace(", ", "\n");
    format!("{}{run}", plan.unwrap_or_default()).replace('"', "")
}

/// The row of a word.
fn spec_of(word: &str) -> Option<&'static SwitchSpec> {
    SWITCHES
        .iter()
        .find(|s| word == s.name || (s.takes != Takes::Nothing && word.starts_with(s.name)))
}

#[test]
fn every_switch_that_is_done_changes_what_its_case_says() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for spec in SWITCHES {
        let Some(case) = spec.case else {
            assert_ne!(spec.support, Support::Full, "{} has no case", spec.name);
            continue;
        };
        let own = |word: &&str| spec_of(word).is_some_and(|of| of.name == spec.name);
        assert!(case.words.split(' ').any(|w| own(&w)), "{}", spec.name);
        let without = outcome(case.words.split(' ').filter(|word| !own(word)));
        let with = outcome(case.words.split(' '));
        if !is_changed(&with, &without, case.changes) {
            let new = new_lines(&with, &without);
            wrong.push(format!("{}: {case:?}\n{new:?}", spec.name));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 15, "only {seen} cases");
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
            Takes::Value => format!("{}2", spec.name),
            Takes::Nothing | Takes::Optional => spec.name.to_owned(),
        };
        let parsed = parse(["-fp.vdb", word.as_str()].into_iter());
        let said = short_diagnostics(&parsed.diagnostics, &parsed.sources);
        let is_reason = |line: &str| line.starts_with(code) && line.contains(reason);
        assert!(said.lines().any(is_reason), "{word}\n{said}");
        let is_refused = matches!(spec.support, Support::Refused(_));
        assert_eq!(parsed.plan.is_none(), is_refused, "{word}\n{said}");
        seen += 1;
    }
    assert!(seen >= 8, "only {seen}");
}

#[test]
fn the_help_says_which_switches_have_no_effect() {
    let usage = vdbench::usage();
    for idle in ["Port.", "Shows Solaris statistics.", "JVMs for each host."] {
        let said = format!("{idle} (no effect here)\n");
        assert!(usage.contains(&said), "{usage}");
    }
    assert!(usage.contains("Starts with this run.\n"), "{usage}");
    assert!(!usage.contains("Keeps journals."), "{usage}");
}
