//! Conditions and limits as JUnit XML, which CI systems read: a test case each.
//!
//! Belongs here: the form. There is no standard of it: elements and attributes are those of Ant's task, which all
//! readers know. Must never: decide what fails.

use super::answer::{asserted_line, check_line};
use super::table::{change, verdict};
use crate::compare::{
    AssertState, Asserted, ChangeVerdict, Comparison, ConditionCheck, ConditionState,
};
use leadline_text::xml::Writer;

/// What a test case came to.
enum CaseEnd {
    Passed,
    Failed,
    /// It could not be looked at.
    Errored,
    /// Nothing was decided.
    Skipped,
}

/// The grade of a run as a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradeCase {
    /// The grade, in words.
    pub said: String,
    /// Whether it makes the run a failure.
    pub fails: bool,
}

/// A test case.
struct TestCase {
    class: String,
    name: String,
    end: CaseEnd,
    said: String,
}

/// The conditions of a comparison, each failed where it is met; without any, a case for each figure, which does not
/// fail. Where nothing can be compared all is an error, as it is of the command.
#[must_use]
pub fn comparison(of: &Comparison, checks: &[ConditionCheck]) -> String {
    let of_check = |check: &ConditionCheck| TestCase {
        class: check.row.clone(),
        name: check.text.clone(),
        end: match check.state {
            ConditionState::Met => CaseEnd::Failed,
            ConditionState::NotMet => CaseEnd::Passed,
            ConditionState::Open => CaseEnd::Skipped,
            ConditionState::Unchecked(_) => CaseEnd::Errored,
        },
        said: check_line(check),
    };
    let mut cases: Vec<TestCase> = checks.iter().map(of_check).collect();
    if checks.is_empty() {
        let verdicts = || of.rows.iter().flat_map(|row| &row.figures);
        let is_none = |verdict: &ChangeVerdict| matches!(verdict, ChangeVerdict::NotComparable(_));
        let nothing = of.crossings.is_empty() && verdicts().all(|figure| is_none(&figure.verdict));
        let figures = of.rows.iter().flat_map(|row| {
            let label = row.name.label();
            row.figures
                .iter()
                .map(move |figure| (label.clone(), figure))
        });
        cases.extend(figures.map(|(class, figure)| TestCase {
            class,
            name: figure.kind.to_string(),
            end: match figure.verdict {
                _ if nothing => CaseEnd::Errored,
                ChangeVerdict::NotComparable(_) | ChangeVerdict::Undecided => CaseEnd::Skipped,
                _ => CaseEnd::Passed,
            },
            said: format!("{} {}", verdict(figure), change(figure)),
        }));
        if cases.is_empty() {
            cases.push(TestCase {
                class: String::new(),
                name: "comparison".to_owned(),
                end: CaseEnd::Errored,
                said: "there is no figure that both have".to_owned(),
            });
        }
    }
    let [a, b] = &of.sides;
    suite(&format!("{} against {}", b.name, a.name), &cases)
}

/// Limits that were asserted of a result; those that are undecided are skipped, or failed where `strict`. The grade is a
/// case of its own where it may make the run a failure.
#[must_use]
pub fn asserted(title: &str, all: &[Asserted], strict: bool, grade: Option<&GradeCase>) -> String {
    let of = |one: &Asserted| TestCase {
        class: one.row.clone(),
        name: one.condition.text.clone(),
        end: match &one.state {
            AssertState::Missing(_) => CaseEnd::Errored,
            state if state.fails(strict) => CaseEnd::Failed,
            AssertState::Open => CaseEnd::Skipped,
            _ => CaseEnd::Passed,
        },
        said: asserted_line(one),
    };
    let grade = grade.map(|grade| TestCase {
        class: String::new(),
        name: "grade".to_owned(),
        end: match grade.fails {
            true => CaseEnd::Failed,
            false => CaseEnd::Passed,
        },
        said: grade.said.clone(),
    });
    suite(title, &all.iter().map(of).chain(grade).collect::<Vec<_>>())
}

fn suite(name: &str, cases: &[TestCase]) -> String {
    let count = |is: fn(&CaseEnd) -> bool| cases.iter().filter(|c| is(&c.end)).count();
    let failures = count(|end| matches!(end, CaseEnd::Failed));
    let errors = count(|end| matches!(end, CaseEnd::Errored));
    let skipped = count(|end| matches!(end, CaseEnd::Skipped));
    let mut xml = Writer::default();
    xml.open_with(
        "testsuites",
        &[
            ("tests", &cases.len()),
            ("failures", &failures),
            ("errors", &errors),
        ],
    );
    xml.open_with(
        "testsuite",
        &[
            ("name", &name),
            ("tests", &cases.len()),
            ("failures", &failures),
            ("errors", &errors),
            ("skipped", &skipped),
        ],
    );
    for case in cases {
        let class = match case.class.as_str() {
            "" => "leadline",
            class => class,
        };
        xml.open_with("testcase", &[("classname", &class), ("name", &case.name)]);
        match case.end {
            CaseEnd::Failed => xml.empty("failure", &[("message", &case.said)]),
            CaseEnd::Errored => xml.empty("error", &[("message", &case.said)]),
            CaseEnd::Skipped => xml.empty("skipped", &[("message", &case.said)]),
            CaseEnd::Passed => xml.value("system-out", &case.said),
        }
        xml.close("testcase");
    }
    xml.close("testsuite");
    xml.close("testsuites");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- made by leadline -->\n{}",
        xml.finish()
    )
}
