//! The case of each row of the keyword table: what the keyword changes in a plan, or why it is refused or changes
//! nothing.

use crate::common::{FakeHost, is_changed, row_file, short_diagnostics, short_vdbench_plan};
use leadline_vdbench::{self as vdbench, KeywordSpec, Kind, Object, Support};

/// What a file means, in lines: the plan's short form, what its reports keep, what is asked beside it, and what
/// is said.
fn outcome(file: String) -> String {
    let mut host = FakeHost::default();
    host.files.insert("more.vdb".into(), "compratio=4\n".into());
    host.files.insert("p.vdb".into(), file);
    let parsed = vdbench::parse(&["-f".into(), "p.vdb".into()], &host);
    let plan = parsed.plan.as_ref();
    let original = plan.map(|plan| serde_json::to_string(&plan.original));
    let run = &parsed.run;
    format!(
        "{}original {original:?}\ncommands: {:?}\nmounts: {:?}\nmonitor: {:?}\nrepeat: {:?}\nskew_limit: {:?}\n{}",
        plan.map_or_else(String::new, short_vdbench_plan),
        run.commands,
        run.mounts,
        run.monitor,
        run.repeat,
        run.skew_limit,
        short_diagnostics(&parsed.diagnostics, &parsed.sources)
    )
}

#[test]
fn every_keyword_that_is_done_changes_what_its_case_says() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for spec in vdbench::keywords() {
        let Some(case) = spec.case else {
            assert_ne!(spec.support, Support::Full, "{} has no case", spec.name);
            continue;
        };
        let own = format!("{}=", spec.name);
        assert!(
            case.words.split(' ').any(|word| word.starts_with(&own)),
            "{}: its case is of others",
            spec.name
        );
        let without = case.words.split(' ').filter(|w| !w.starts_with(&own));
        let without = outcome(row_file(spec.object, without));
        let with = outcome(row_file(spec.object, case.words.split(' ')));
        if !is_changed(&with, &without, case.changes) {
            wrong.push(format!(
                "{:?} {}: {case:?}\n{without}--- with\n{with}",
                spec.object, spec.name
            ));
        }
        seen += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} of {seen}\n{}",
        wrong.len(),
        wrong.join("\n=====\n")
    );
    assert!(seen >= 80, "only {seen} cases");
}

/// A value that any keyword of the kind takes.
fn value_of(kind: Kind) -> &'static str {
    match kind {
        Kind::YesNo => "yes",
        Kind::Count | Kind::Blocks => "512",
        Kind::Series => "(1,2)",
        Kind::Flags => "o_direct",
        _ => "50",
    }
}

#[test]
fn every_keyword_that_is_not_done_says_why() {
    let mut seen = 0;
    for spec in vdbench::keywords() {
        let word = format!("{}={}", spec.name, value_of(spec.kind));
        let (code, reason) = match spec.support {
            Support::Full => continue,
            Support::NoEffect(reason) => ("note[no-effect]", reason),
            Support::Refused(reason) if is_moved(spec) => ("error[keyword-moved]", reason),
            Support::Refused(reason) => ("error[not-supported]", reason),
        };
        let without = outcome(row_file(spec.object, std::iter::empty()));
        let with = outcome(row_file(spec.object, std::iter::once(word.as_str())));
        let said = |line: &&str| line.starts_with(code) && line.contains(reason);
        assert!(with.lines().any(|l| said(&l)), "{word}\n{with}");
        if code == "note[no-effect]" {
            let rest = with.lines().filter(|line| !said(line));
            assert!(rest.eq(without.lines()), "{word}\n{without}---\n{with}");
        }
        seen += 1;
    }
    assert!(seen >= 70, "only {seen}");
}

fn is_moved(spec: &KeywordSpec) -> bool {
    (spec.object, spec.name) == (Object::Sd, "streams")
}

#[test]
fn every_refused_word_says_why() {
    let mut seen = 0;
    for spec in vdbench::keywords() {
        for (word, reason) in spec.refused {
            let text = format!("{}={word}", spec.name);
            let said = outcome(row_file(spec.object, std::iter::once(text.as_str())));
            let expected = format!("`{text}` is not supported: {reason}");
            assert!(said.contains(&expected), "{text}\n{said}");
            seen += 1;
        }
    }
    assert!(seen > 0);
}
