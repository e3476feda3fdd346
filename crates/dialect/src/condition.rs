//! The language of conditions on figures: `randread.p99<2ms, iops>100k` of a result, `iops<-3%,p99>+10%` of a change.
//!
//! A condition is `[ROW.]FIGURE`, one of `<`, `<=`, `>`, `>=`, and a limit; a comma or the end of a line parts several. ROW is
//! the name of a stage, workload or operation, with `*` for any characters, in quotes where it has a comma or one of the
//! signs. Belongs here: this grammar and its errors. Must never appear here: what a row or its figure is in a result.

use crate::diagnostic::{Diagnostic, Sources, Span, nearest};
use crate::quantity;
use leadline_model::condition::{Condition, ConditionLimit, FigureKind, Relation};

/// Most conditions of one option.
const MOST: usize = 1000;

/// Names of figures; percentiles are p and a number.
const FIGURES: [(&str, FigureKind); 5] = [
    ("iops", FigureKind::Iops),
    ("bw", FigureKind::BytesPerS),
    ("mean", FigureKind::Mean),
    ("avg", FigureKind::Mean),
    ("max", FigureKind::Max),
];

/// What limits are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitsIn {
    /// The unit of the figure: IOPS, bytes a second, a time.
    Units,
    /// Percent of change.
    Percent,
}

/// What a text of conditions came to.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// In their order; empty with an error.
    pub conditions: Vec<Condition>,
    /// What is wrong, all of it.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts it is about.
    pub sources: Sources,
}

/// What is wrong with a condition: where in its text, what, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongCondition {
    start: usize,
    end: usize,
    message: String,
    expected: String,
    hint: Option<String>,
}

impl WrongCondition {
    /// In a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{}; expected {}", self.message, self.expected)
    }
}

/// Reads the values of an option, each a list of conditions; `option` is its name as it was given.
#[must_use]
pub fn parse(option: &str, values: &[String], limits: LimitsIn) -> Conditions {
    let mut all = Conditions::default();
    for value in values {
        let source = all.sources.add(option, value.as_str());
        let parts = items(value);
        if all.conditions.len() + parts.len() > MOST {
            let span = Span::new(source, 0, value.len());
            let many = Diagnostic::error("conditions", format!("more than {MOST} conditions"));
            all.diagnostics.push(many.at(span, ""));
            break;
        }
        for (start, part) in parts {
            match read(part, limits) {
                Ok(condition) => all.conditions.push(condition),
                Err(wrong) => {
                    let span = Span::new(source, start + wrong.start, start + wrong.end);
                    let said = Diagnostic::error("condition", wrong.message);
                    let said = said.at(span, "").expected(wrong.expected);
                    all.diagnostics.push(said.maybe_hint(wrong.hint));
                }
            }
        }
    }
    if !all.diagnostics.is_empty() {
        all.conditions.clear();
    }
    all
}

/// Reads one condition with a limit in the unit of its figure.
///
/// # Errors
/// What is wrong with it.
pub fn absolute(text: &str) -> Result<Condition, WrongCondition> {
    read(text, LimitsIn::Units)
}

/// The parts of a list with their places, without the blanks around them; commas in quotes are no ends.
fn items(list: &str) -> Vec<(usize, &str)> {
    let (mut items, mut start, mut quote) = (Vec::new(), 0, None);
    let mut push = |from: usize, to: usize| {
        let part = &list[from..to];
        let lead = part.len() - part.trim_start().len();
        items.push((from + lead, part.trim()));
    };
    for (at, c) in list.char_indices() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            (',' | '\n', None) => {
                push(start, at);
                start = at + 1;
            }
            _ => {}
        }
    }
    push(start, list.len());
    items
}

fn read(text: &str, limits: LimitsIn) -> Result<Condition, WrongCondition> {
    let wrong = |range: (usize, usize), message: String, expected: &str| WrongCondition {
        start: range.0,
        end: range.1,
        message,
        expected: expected.to_owned(),
        hint: None,
    };
    let form = match limits {
        LimitsIn::Units => "a figure and its limit, such as p99<2ms or randread.iops>100k",
        LimitsIn::Percent => "a figure and its change, such as iops<-3% or randread.p99>+10%",
    };
    let whole = (0, text.len());
    let Some((at, relation, length)) = sign(text) else {
        let said = match text {
            "" => "there is no condition here".to_owned(),
            text => format!("`{text}` has no < or >"),
        };
        return Err(wrong(whole, said, form));
    };
    let left = text[..at].trim_end();
    let (row, figure) = subject(left, form)?;
    let rest = text[at + length..].trim_start();
    let from = text.len() - rest.len();
    let limit = match limits {
        LimitsIn::Units => in_units(figure, rest),
        LimitsIn::Percent => change(rest),
    };
    let limit = limit.map_err(|why| {
        let end = text.len().max(from);
        let from = if from == end { at } else { from };
        wrong((from, end), why, form)
    })?;
    Ok(Condition {
        row,
        figure,
        relation,
        limit,
        text: text.to_owned(),
    })
}

/// The first sign outside of quotes: where, which, and how long it is.
fn sign(text: &str) -> Option<(usize, Relation, usize)> {
    let mut quote = None;
    let mut at = None;
    for (place, c) in text.char_indices() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            ('<' | '>', None) => {
                at = Some((place, c));
                break;
            }
            _ => {}
        }
    }
    let (place, c) = at?;
    let or_equal = text[place + 1..].starts_with('=');
    Some(match (c, or_equal) {
        ('<', false) => (place, Relation::Below, 1),
        ('<', true) => (place, Relation::AtMost, 2),
        (_, false) => (place, Relation::Above, 1),
        (_, true) => (place, Relation::AtLeast, 2),
    })
}

/// Rows and figure: the row is what comes before the first dot after which a figure is left.
fn subject(left: &str, form: &str) -> Result<(String, FigureKind), WrongCondition> {
    let unknown = |from: usize, name: &str| WrongCondition {
        start: from,
        end: left.len().max(from + 1),
        message: match name {
            "" => "the figure is missing".to_owned(),
            name => format!("{name} is not a figure"),
        },
        expected:
            "iops, bw, mean, max, or a percentile above 0 and below 100, such as p99 or p99.9"
                .to_owned(),
        hint: nearest(name, FIGURES.iter().map(|f| f.0))
            .map(|near| format!("did you mean `{near}`?")),
    };
    if let Some(open) = left.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let Some((row, rest)) = left[1..].split_once(open) else {
            return Err(WrongCondition {
                start: 0,
                end: left.len(),
                message: "the quote is not closed".to_owned(),
                expected: form.to_owned(),
                hint: None,
            });
        };
        let name = rest.strip_prefix('.').unwrap_or(rest).trim();
        let kind = figure(name).ok_or_else(|| unknown(left.len() - name.len(), name))?;
        return Ok((row.to_owned(), kind));
    }
    if let Some(kind) = figure(left.trim()) {
        return Ok((String::new(), kind));
    }
    for (at, _) in left.match_indices('.') {
        if let Some(kind) = figure(left[at + 1..].trim()) {
            let row = left[..at].trim();
            // `randread..p99` and `.p99`: a slip, and no name of a row.
            if row.is_empty() || row.ends_with('.') {
                return Err(WrongCondition {
                    start: 0,
                    end: at + 1,
                    message: format!("`{}` is no name of a row", &left[..=at]),
                    expected: form.to_owned(),
                    hint: Some("put a name that ends in a dot in quotes".to_owned()),
                });
            }
            return Ok((row.to_owned(), kind));
        }
    }
    let from = left.rfind('.').map_or(0, |at| at + 1);
    Err(unknown(from, left[from..].trim()))
}

/// The figure of a name.
fn figure(name: &str) -> Option<FigureKind> {
    let name = name.to_ascii_lowercase();
    if let Some((_, kind)) = FIGURES.iter().find(|(known, _)| *known == name) {
        return Some(*kind);
    }
    if name == "median" {
        return Some(FigureKind::percentile(50.0));
    }
    let digits = name.strip_prefix('p')?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let percent: f64 = digits.parse().ok().filter(|_| plain)?;
    let kind = FigureKind::percentile(percent);
    let inside = kind > FigureKind::percentile(0.0) && kind < FigureKind::percentile(100.0);
    inside.then_some(kind)
}

fn in_units(figure: FigureKind, text: &str) -> Result<ConditionLimit, String> {
    if text.ends_with('%') {
        return Err(format!("{text} is a change, which a single result has not"));
    }
    match figure {
        FigureKind::Iops => quantity::iops(text).map(ConditionLimit::Iops),
        FigureKind::BytesPerS => quantity::bytes_per_s(text).map(ConditionLimit::BytesPerS),
        FigureKind::Mean | FigureKind::Percentile(_) | FigureKind::Max => {
            quantity::time(text, 0).map(ConditionLimit::Time)
        }
    }
}

/// A change in percent, with or without a plus.
fn change(text: &str) -> Result<ConditionLimit, String> {
    let Some(digits) = text.strip_suffix('%') else {
        return Err(format!("`{text}` is not a change in percent"));
    };
    let number: Option<f64> = digits.trim().parse().ok();
    match number.filter(|n| n.is_finite() && *n > -100.0 && *n <= 1e6) {
        Some(percent) => Ok(ConditionLimit::Change(percent)),
        None => Err(format!(
            "`{text}` is not a change above -100 %, such as -3% or +10%"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::units::Nanos;

    fn of(text: &str, limits: LimitsIn) -> Vec<(String, String, String, f64)> {
        let parsed = parse("--assert", &[text.to_owned()], limits);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let parts = |c: &Condition| {
            let (figure, relation) = (c.figure.to_string(), c.relation.to_string());
            (c.row.clone(), figure, relation, c.limit.value())
        };
        parsed.conditions.iter().map(parts).collect()
    }

    fn row(row: &str, figure: &str, relation: &str, limit: f64) -> (String, String, String, f64) {
        (row.into(), figure.into(), relation.into(), limit)
    }

    #[test]
    fn conditions_of_a_result_are_in_units() {
        assert_eq!(
            of("randread.p99<2ms, iops >= 100k ,bw>1GiB/s", LimitsIn::Units),
            [
                row("randread", "p99", "<", 2e6),
                row("", "iops", ">=", 1e5),
                row("", "bw", ">", 1_073_741_824.0),
            ]
        );
        // The row is all before the first dot that leaves a figure.
        assert_eq!(
            of(
                "a.b.p99.9<=500us,mixed.read.mean<1ms,*.max<1s",
                LimitsIn::Units
            ),
            [
                row("a.b", "p99.9", "<=", 5e5),
                row("mixed.read", "mean", "<", 1e6),
                row("*", "max", "<", 1e9),
            ]
        );
        assert_eq!(
            of("'a, b<c'.median<1ms,\"x\".P50<2ms", LimitsIn::Units),
            [row("a, b<c", "p50", "<", 1e6), row("x", "p50", "<", 2e6)]
        );
        let condition = absolute("latency/4k-randread-qd1.p99<2ms").unwrap();
        assert_eq!(condition.row, "latency/4k-randread-qd1");
        assert_eq!(condition.limit, ConditionLimit::Time(Nanos(2_000_000)));
    }

    #[test]
    fn conditions_of_a_comparison_are_changes() {
        assert_eq!(
            of("iops<-3%,p99>+10%,bw<=-2.5 %", LimitsIn::Percent),
            [
                row("", "iops", "<", -3.0),
                row("", "p99", ">", 10.0),
                row("", "bw", "<=", -2.5),
            ]
        );
    }

    #[test]
    fn a_row_is_no_slip_of_dots() {
        for (text, row) in [("randread..p99<2ms", "`randread..`"), (".p99<2ms", "`.`")] {
            let wrong = absolute(text).unwrap_err();
            assert!(wrong.words().starts_with(row), "{}", wrong.words());
        }
        assert_eq!(absolute("'a.'.p99<2ms").unwrap().row, "a.");
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once_with_its_place() {
        let value = "p99<2,iopss>3k,,p99,x.p100<1ms,bw>5,p99<-3%".to_owned();
        let parsed = parse("--assert", &[value], LimitsIn::Units);
        assert!(parsed.conditions.is_empty());
        let said: Vec<(String, &str)> = parsed
            .diagnostics
            .iter()
            .map(|d| (d.message.clone(), parsed.sources.slice(d.labels[0].span)))
            .collect();
        let expected = [
            ("the unit is missing; use us, ms or s", "2"),
            ("iopss is not a figure", "iopss"),
            ("there is no condition here", ""),
            ("`p99` has no < or >", "p99"),
            ("p100 is not a figure", "p100"),
            (
                "the unit is missing; use MiB/s (2^20) or MB/s (10^6), GiB/s or GB/s",
                "5",
            ),
            ("-3% is a change, which a single result has not", "-3%"),
        ];
        assert_eq!(said, expected.map(|(text, place)| (text.to_owned(), place)));
        assert_eq!(
            parsed.diagnostics[1].hint.as_deref(),
            Some("did you mean `iops`?")
        );
        let changes = ["iops<-3", "iops<-100%", "iops<nan%", "'a.iops<-3%", "<-3%"];
        for text in changes {
            let parsed = parse("--fail-on", &[text.to_owned()], LimitsIn::Percent);
            assert_eq!(parsed.diagnostics.len(), 1, "{text}: {parsed:?}");
        }
    }
}
