//! The forms of one comparison of the fixture's run, and of limits on it. Must never: judge a verdict.

use super::*;
use crate::compare::{
    CompareOptions, CompareSide, Comparison, ConditionCheck, LoneRow, Subject, asserted,
    check_changes, compare,
};
use crate::fixture;
use crate::render::text::Style;
use leadline_model::condition::{Condition, ConditionLimit, FigureKind, Relation};
use leadline_model::units::Nanos;

/// Five repeats of the fixture's run against five in which everything takes a tenth longer, of another kernel.
fn comparison() -> (Comparison, Vec<ConditionCheck>) {
    slower_by(1.1)
}

/// The same with everything this many times as long.
fn slower_by(factor: f64) -> (Comparison, Vec<ConditionCheck>) {
    let run = fixture::run();
    let side = |name: &str, slower: f64, kernel: &str| {
        let subjects = (0..5).map(|k| {
            let mut subject = Subject::from_run(name, &format!("{name}-{k}.leadline"), &run);
            subject
                .properties
                .insert(crate::compare::Property::Kernel, kernel.into());
            for figure in subject.rows.iter_mut().flat_map(|row| &mut row.figures) {
                let noise = 1.0 + 0.002 * f64::from(k * 3 % 5 - 2);
                let rate = figure.kind.is_rate();
                figure.value *= noise * if rate { 1.0 / slower } else { slower };
            }
            subject
        });
        CompareSide {
            name: name.into(),
            subjects: subjects.collect(),
        }
    };
    let (a, b) = (side("base", 1.0, "6.18.0"), side("new", factor, "6.19.0"));
    let found = compare(&a, &b, &CompareOptions::default());
    let condition = |row: &str, figure, relation, percent, text: &str| Condition {
        row: row.into(),
        figure,
        relation,
        limit: ConditionLimit::Change(percent),
        text: text.into(),
    };
    let checks = check_changes(
        &found,
        &[
            condition(
                "latency",
                FigureKind::Iops,
                Relation::Below,
                -3.0,
                "latency.iops<-3%",
            ),
            condition(
                "latency",
                FigureKind::percentile(99.0),
                Relation::Above,
                20.0,
                "latency.p99>+20%",
            ),
            condition(
                "latency",
                FigureKind::percentile(99.0),
                Relation::Above,
                10.0,
                "latency.p99>+10%",
            ),
            condition(
                "log|x",
                FigureKind::Mean,
                Relation::Above,
                10.0,
                "'log|x'.mean>+10%",
            ),
        ],
    );
    (found, checks)
}

#[test]
fn beside_other_runs_a_side_goes_by_its_name() {
    let (found, _) = comparison();
    assert!(sentences(&found)[0].starts_with("B is worse in "));
    let named = answer::sentences_beside_differences(&found);
    assert!(named[0].starts_with("new is worse in "), "{named:?}");
}

#[test]
fn the_answer_comes_first_and_each_figure_has_its_row() {
    let (found, checks) = comparison();
    let style = Style {
        width: 100,
        ..Style::default()
    };
    insta::assert_snapshot!(text::comparison(&found, &checks, &style));
}

#[test]
fn where_no_difference_is_shown_it_is_said_how_many_repeats_would_be_enough() {
    let (found, _) = slower_by(1.001);
    let shown = text::comparison(&found, &[], &Style::default());
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "Where no difference is shown, to show one as large as was measured takes, in repeats of each: about ";
    assert!(flat.contains(said), "{shown}");
    let (found, _) = comparison();
    let shown = text::comparison(&found, &[], &Style::default());
    assert!(!shown.contains("takes, in repeats"), "it is shown: {shown}");
}

/// A change in percent that only values without any order would hide says nothing.
#[test]
fn where_not_even_a_doubling_would_be_shown_its_size_is_not_said() {
    let (mut found, _) = slower_by(1.0);
    let said = |found: &Comparison| {
        let text = text::comparison(found, &[], &Style::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(said(&found).contains(" % in "), "{}", said(&found));
    for figure in found.rows.iter_mut().flat_map(|row| &mut row.figures) {
        figure.detectable = figure.detectable.map(|_| 6_042_766.4);
    }
    let said = said(&found);
    assert!(
        said.contains("even a doubling would not have been"),
        "{said}"
    );
    assert!(
        said.contains("(not even a doubling is detectable)"),
        "{said}"
    );
    assert!(!said.contains("6042766"), "{said}");
}

#[test]
fn a_grade_is_a_case_of_its_own() {
    let grade = |fails| GradeCase {
        said: "grade C (compare only)".to_owned(),
        fails,
    };
    let xml = junit::asserted("run", &[], false, Some(&grade(false)));
    assert!(
        xml.contains("failures=\"0\"") && xml.contains("name=\"grade\""),
        "{xml}"
    );
    let xml = junit::asserted("run", &[], false, Some(&grade(true)));
    assert!(xml.contains("<failure message=\"grade C"), "{xml}");
    let page = markdown::asserted("run", &[], Some(&grade(true)));
    assert!(
        page.ends_with("**grade C (compare only): a failure**\n\n"),
        "{page}"
    );
    assert!(!page.contains("limits are kept"), "{page}");
}

#[test]
fn markdown_has_the_same_answer_and_a_table() {
    let (found, checks) = comparison();
    insta::assert_snapshot!(markdown::comparison(&found, &checks));
}

#[test]
fn junit_has_a_case_for_each_condition_that_fails_where_it_is_met() {
    let (found, checks) = comparison();
    let xml = junit::comparison(&found, &checks);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let suite = document
        .descendants()
        .find(|n| n.has_tag_name("testsuite"))
        .unwrap();
    let count = |name| suite.attribute(name).unwrap_or_default().to_owned();
    let counts = ["tests", "failures", "errors", "skipped"].map(count);
    assert_eq!(counts, ["4", "1", "1", "1"]);
    let failed = document
        .descendants()
        .find(|n| n.has_tag_name("failure"))
        .unwrap();
    let case = failed.parent().unwrap();
    assert_eq!(case.attribute("name"), Some("latency.iops<-3%"));
    assert!(
        failed
            .attribute("message")
            .is_some_and(|m| m.starts_with("failed: "))
    );
    // Without conditions each figure is a case, and none fails.
    let xml = junit::comparison(&found, &[]);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let figures: usize = found.rows.iter().map(|row| row.figures.len()).sum();
    let cases = document
        .descendants()
        .filter(|n| n.has_tag_name("testcase"));
    assert_eq!(cases.count(), figures);
    assert!(!xml.contains("<failure") && !xml.contains("<error"));
    // What cannot be compared at all is an error, as for the exit status.
    let mut unlike = found.clone();
    for figure in unlike.rows.iter_mut().flat_map(|row| &mut row.figures) {
        figure.verdict =
            crate::compare::ChangeVerdict::NotComparable("depth 4 in A, 8 in B".to_owned());
    }
    let errors = junit::comparison(&unlike, &[]).matches("<error ").count();
    assert_eq!(errors, figures);
    unlike.rows.clear();
    assert!(junit::comparison(&unlike, &[]).contains("<error "));
}

#[test]
fn json_is_what_its_schema_says() {
    let (found, checks) = comparison();
    let schema: serde_json::Value = serde_json::from_str(json::SCHEMA).unwrap();
    let mut other = found.clone();
    other.rows.truncate(1);
    other.rows[0].other = Some(other.rows[0].name.clone());
    other.only[0] = vec![LoneRow {
        name: other.rows[0].name.clone(),
        words: String::new(),
    }];
    for text in [
        json::comparison(&found, &checks),
        json::comparison(&found, &[]),
        json::comparison(&other, &[]),
    ] {
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            leadline_testkit::schema::violations(&schema, &value),
            Vec::<String>::new()
        );
        assert_eq!(value["rows"][0]["figures"][0]["figure"], "iops");
    }
}

#[test]
fn limits_say_their_interval_and_fail_where_there_is_none() {
    let subject = Subject::from_run("run", "run.leadline", &fixture::run());
    let limit = |row: &str, figure, ns, text: &str| Condition {
        row: row.into(),
        figure,
        relation: Relation::Below,
        limit: ConditionLimit::Time(Nanos(ns)),
        text: text.into(),
    };
    let all = asserted(
        &subject,
        &[
            limit(
                "latency",
                FigureKind::percentile(99.0),
                2_000_000,
                "latency.p99<2ms",
            ),
            limit(
                "latency",
                FigureKind::percentile(99.0),
                100_000,
                "latency.p99<100us",
            ),
            limit(
                "latency",
                FigureKind::percentile(99.99),
                2_000_000,
                "latency.p99.99<2ms",
            ),
            limit("log", FigureKind::Mean, 2_000_000, "log.mean<2ms"),
        ],
    );
    insta::assert_snapshot!(text::asserted(&all, &Style::default()));
    insta::assert_snapshot!(markdown::asserted("run <1>", &all, None));
    let xml = junit::asserted("run", &all, false, None);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let count = |name| {
        document
            .descendants()
            .filter(|n| n.has_tag_name(name))
            .count()
    };
    assert_eq!(
        [count("testcase"), count("failure"), count("error")],
        [4, 1, 2]
    );
    let value = json::asserted(&all);
    assert_eq!(
        (&value[0]["state"], &value[3]["state"]),
        (&"kept-by-value".into(), &"missing".into())
    );
}
