//! The parameter files as they were read, and the words they hold.

use leadline_model::plan::Plan;
use leadline_text::markup::content;
use std::fmt::Write as _;

/// The texts of all parameter files, and the command line.
pub(super) fn parmfile(plan: &Plan) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "* leadline vdbench {}\n",
        content(&plan.source.words().collect::<Vec<_>>().join(" "))
    );
    for (name, text) in &plan.source.files {
        let text = substituted(plan, text);
        let _ = writeln!(out, "* {}\n{}", content(name), content(&text));
    }
    out
}

/// The text with the values of the command line's variables: `$name` and `!name`, the longest name first.
fn substituted(plan: &Plan, text: &str) -> String {
    let words = plan.source.args.iter().filter(|a| !a.starts_with('-'));
    let mut variables: Vec<(&str, &str)> = words.filter_map(|a| a.split_once('=')).collect();
    variables.retain(|v| !v.0.is_empty());
    variables.sort_by_key(|v| std::cmp::Reverse(v.0.len()));
    let mut out = text.to_owned();
    for (name, value) in variables {
        for sign in ['$', '!'] {
            out = out.replace(&format!("{sign}{name}"), value);
        }
    }
    out
}

/// Each line, each keyword in it, each value of it; every line begins with the time.
pub(super) fn parmscan(plan: &Plan, time: &str) -> String {
    let mut out = String::new();
    let files = plan.source.files.iter();
    let texts: Vec<String> = files.map(|(_, text)| substituted(plan, text)).collect();
    for line in texts.iter().flat_map(|t| t.lines()).map(str::trim) {
        let comment = line.starts_with(['*', '#', '/']);
        if line.is_empty() || comment {
            continue;
        }
        let _ = writeln!(out, "{time} line: {}", content(line));
        for word in split(line, ',') {
            let _ = writeln!(out, "{time} keyw: {}", content(word));
            let value = word.split_once('=').map_or("", |w| w.1);
            let inner = value.trim_start_matches('(').trim_end_matches(')');
            for value in split(inner, ',') {
                let _ = writeln!(out, "{time} parm: {}", content(value.trim_matches('"')));
            }
        }
    }
    out
}

/// Cut at `mark` outside of parentheses and quotes, up to the first blank; empty parts left out.
fn split(text: &str, mark: char) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0_i32, false, 0);
    let mut parts = Vec::new();
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            c if c.is_whitespace() => {
                end = at;
                break;
            }
            c if c == mark && depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text.get(start..end).unwrap_or_default());
    parts.retain(|p| !p.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::{parmscan, split};

    #[test]
    fn variables_of_the_command_line_have_their_values() {
        let mut plan = leadline_results::fixture::plan(vec![]);
        plan.source.args = ["-f", "p", "io=5", "iox=10"].map(str::to_owned).to_vec();
        plan.source.files = vec![("p".into(), "rd=r,iorate=$iox,elapsed=!io\n".into())];
        let lines = "t line: rd=r,iorate=10,elapsed=5\n";
        assert!(parmscan(&plan, "t").starts_with(lines));
    }

    #[test]
    fn words_end_at_commas_outside_of_parentheses_and_quotes() {
        let line = "wd=w1,sd=(\"a,b\",c),xfersize=(4k,50,8k,50), the rest, is a comment";
        assert_eq!(
            split(line, ','),
            ["wd=w1", "sd=(\"a,b\",c)", "xfersize=(4k,50,8k,50)"]
        );
        assert_eq!(split("", ','), [""; 0]);
        assert_eq!(split(")(,\"", ','), [")(", "\""]);
    }
}
