//! A comparison, and limits, as Markdown: for the summary of a CI job, or a comment on a change.
//!
//! Belongs here: headings and tables of Markdown. Must never: compute.

use super::answer::{asserted_line, check_line, sentences};
use super::junit::GradeCase;
use super::table::cells;
use crate::compare::{AssertState, Asserted, Comparison, ConditionCheck, ConditionState};
use leadline_text::markup::cell;
use std::fmt::Write as _;

/// How they begin: a remark by which they are known to be leadline's.
const MARK: &str = "<!-- made by leadline -->\n\n";

/// A comparison with its conditions.
#[must_use]
pub fn comparison(of: &Comparison, checks: &[ConditionCheck]) -> String {
    let [a, b] = &of.sides;
    let mut out = format!("{MARK}## {} against {}\n\n", line(&b.name), line(&a.name));
    for (place, sentence) in sentences(of).iter().enumerate() {
        let said = line(sentence);
        let _ = match place {
            0 => writeln!(out, "**{said}**\n"),
            _ => writeln!(out, "- {said}"),
        };
    }
    out.push_str(
        "\n| row | figure | A | B | change (95 %) | verdict |\n|---|---|---:|---:|---|---|\n",
    );
    for row in &of.rows {
        let mut cells = cells(row, &of.rows).into_iter();
        let title = cells.next().map(|[title, ..]| title).unwrap_or_default();
        for each in cells {
            let words: Vec<String> = each.iter().map(|text| line(text.trim())).collect();
            let _ = writeln!(out, "| {} | {} |", line(&title), words.join(" | "));
        }
    }
    if !checks.is_empty() {
        out.push_str("\n| condition | |\n|---|---|\n");
        for check in checks {
            let mark = if check.state == ConditionState::NotMet {
                ""
            } else {
                "**"
            };
            let _ = writeln!(
                out,
                "| `{}` | {mark}{}{mark} |",
                cell(&check.text),
                line(&check_line(check))
            );
        }
    }
    out
}

/// Limits that were asserted of a result, and its grade where that may make the run a failure.
#[must_use]
pub fn asserted(title: &str, all: &[Asserted], grade: Option<&GradeCase>) -> String {
    let kept = |a: &&Asserted| matches!(a.state, AssertState::Kept | AssertState::KeptByValue);
    let count = all.iter().filter(kept).count();
    let mut out = format!("{MARK}## {}\n\n", line(title));
    if !all.is_empty() {
        let _ = writeln!(out, "**{count} of {} limits are kept.**\n", all.len());
    }
    if let Some(grade) = grade {
        let (mark, failed) = match grade.fails {
            true => ("**", ": a failure"),
            false => ("", ""),
        };
        let _ = writeln!(out, "{mark}{}{failed}{mark}\n", line(&grade.said));
    }
    if all.is_empty() {
        return out;
    }
    out.push_str("| limit | |\n|---|---|\n");
    for one in all {
        let mark = if kept(&one) { "" } else { "**" };
        let said = line(&asserted_line(one));
        let _ = writeln!(
            out,
            "| `{}` | {mark}{said}{mark} |",
            cell(&one.condition.text)
        );
    }
    out
}

/// Text in one line of a table, without what would be markup.
fn line(text: &str) -> String {
    let plain = leadline_text::markup::content(text).replace(['\n', '\r'], " ");
    let mut out = String::with_capacity(plain.len());
    for c in cell(&plain).chars() {
        if matches!(c, '*' | '_' | '`' | '[' | ']') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
