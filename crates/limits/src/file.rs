//! A limits file: TOML to rows.
//!
//! Belongs here: the form of a file, and what is wrong with it, all at once. Must never appear here: what a row means.

use crate::row::{Row, Source, Value};
use crate::sections::{Key, Kind, SOURCE, Section};
use leadline_dialect::diagnostic::{Diagnostic, SourceId, Sources, Span, nearest};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Values of a row with their places.
type Values = Vec<(&'static str, Value, Span)>;

/// The rows of a file of these sections, those that are wrong left out.
pub(crate) fn read(
    (name, text): (&str, &str),
    sections: &'static [Section],
    sources: &mut Sources,
    says: &mut Vec<Diagnostic>,
) -> Vec<Row> {
    let source = sources.add(name, text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reading = Reading {
        source,
        says,
        named: Vec::new(),
    };
    for error in &errors {
        let at = reading.span(error.span().unwrap_or(0..0));
        let message = error.message().lines().next().unwrap_or("").to_owned();
        reading.error("not-toml", message, at);
    }
    let mut keys: Vec<_> = table.get_ref().iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in &keys {
        if key.get_ref() == "source" {
            reading.sources(value);
        }
    }
    let mut rows = Vec::new();
    for (key, value) in &keys {
        let at = reading.span(key.span());
        let named = sections.iter().find(|s| s.name == key.get_ref());
        match (key.get_ref().as_ref(), named) {
            ("source", _) => {}
            (_, Some(section)) => reading.rows(section, at, value, &mut rows),
            (other, None) => {
                let known = sections.iter().map(|section| section.name);
                reading.unknown("the file", "section", other, known.chain(["source"]), at);
            }
        }
    }
    rows
}

struct Reading<'a> {
    source: SourceId,
    says: &'a mut Vec<Diagnostic>,
    /// The sources that the file has, and whether nothing is wrong with each.
    named: Vec<(String, Source, bool)>,
}

impl Reading<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range.start, range.end)
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, at: Span) {
        self.says.push(Diagnostic::error(code, message).at(at, ""));
    }

    fn unknown<'n>(
        &mut self,
        whose: &str,
        what: &str,
        word: &str,
        known: impl Iterator<Item = &'n str>,
        at: Span,
    ) {
        let meant = nearest(word, known).map(|near| format!("did you mean `{near}`?"));
        self.says.push(
            Diagnostic::error("no-such-key", format!("{whose} has no {what} `{word}`"))
                .at(at, "")
                .maybe_hint(meant),
        );
    }

    /// `[source.NAME]`.
    fn sources(&mut self, value: &Spanned<DeValue<'_>>) {
        let at = self.span(value.span());
        let Some(table) = value.get_ref().as_table() else {
            self.error("bad-value", "source: a value of another kind", at);
            return;
        };
        for (name, one) in table {
            let at = self.span(name.span());
            let name = name.get_ref().to_string();
            let Some(one) = one.get_ref().as_table() else {
                self.error("bad-value", "a source is a table: [source.NAME]", at);
                continue;
            };
            let keys = || SOURCE.iter();
            let (values, right) = self.values("a source", keys, one);
            let right = self.is_complete("a source", SOURCE, &values, one, at) && right;
            let text = |key| match value_of(&values, key) {
                Some(Value::Text(text)) => text.clone(),
                _ => String::new(),
            };
            // A source with a mistake is known all the same: rows that name it are not wrong for that.
            let source = Source {
                address: text("address"),
                date: text("date"),
                verified: value_of(&values, "verified") == Some(&Value::Flag(true)),
            };
            self.named.push((name, source, right));
        }
    }

    /// The rows of a section: `[[NAME]]`, or a list of inline tables.
    fn rows(
        &mut self,
        section: &'static Section,
        at: Span,
        value: &Spanned<DeValue<'_>>,
        rows: &mut Vec<Row>,
    ) {
        let Some(list) = value.get_ref().as_array() else {
            let message = format!("{} is a list of rows: [[{}]]", section.name, section.name);
            self.error("bad-value", message, at);
            return;
        };
        for one in list.iter() {
            let at = self.span(one.span());
            let Some(table) = one.get_ref().as_table() else {
                let message = format!("a {} is a table with its keys", section.name);
                self.error("bad-value", message, at);
                continue;
            };
            let whose = format!("a {}", section.name);
            let (values, right) = self.values(&whose, || section.all_keys(), table);
            let whole = self.is_complete(&whose, section.keys, &values, table, at);
            let source = match table.contains_key("source") && value_of(&values, "source").is_none()
            {
                // It has one that is wrong, which was said.
                true => None,
                false => self.source_of(&values, table.contains_key("date"), at),
            };
            if let (true, Some(source)) = (right && whole, source) {
                let values = values.into_iter().map(|(name, value, _)| (name, value));
                rows.push(Row {
                    section,
                    source,
                    at,
                    values: values.collect(),
                });
            }
        }
    }

    /// Where a row is from: the source that it names, or an address, with its own date and word on it.
    fn source_of(&mut self, values: &Values, says_date: bool, row: Span) -> Option<Source> {
        let Some((_, Value::Text(named), at)) = values.iter().find(|(key, ..)| *key == "source")
        else {
            self.says.push(
                Diagnostic::error("no-source", "a row without a source")
                    .at(row, "")
                    .expected("the name of a [source.NAME], or an address")
                    .hint("a limit without a source cannot be checked: give its source"),
            );
            return None;
        };
        let known = self.named.iter().find(|(name, ..)| name == named);
        let sound = known.is_none_or(|(.., right)| *right);
        let mut source = match known {
            Some((_, source, _)) => source.clone(),
            None if named.contains("://") => Source {
                address: named.clone(),
                date: String::new(),
                verified: false,
            },
            None => {
                let names: Vec<String> = self.named.iter().map(|(name, ..)| name.clone()).collect();
                let names = names.iter().map(String::as_str);
                self.unknown("the file", "source", named, names, *at);
                return None;
            }
        };
        for (key, value, _) in values {
            match (*key, value) {
                ("date", Value::Text(date)) => source.date.clone_from(date),
                ("verified", Value::Flag(verified)) => source.verified = *verified,
                _ => {}
            }
        }
        if source.date.is_empty() && !says_date && sound {
            self.error("no-date", "an address without `date`", *at);
            return None;
        }
        let whole = !source.address.is_empty() && !source.date.is_empty();
        (sound && whole).then_some(source)
    }

    /// The values of a table that are right, and whether all are; of the others it was said.
    fn values<K: Iterator<Item = &'static Key>>(
        &mut self,
        whose: &str,
        keys: impl Fn() -> K,
        table: &DeTable<'_>,
    ) -> (Values, bool) {
        let mut values = Vec::new();
        let mut right = true;
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let at = self.span(name.span());
            let Some(key) = keys().find(|key| key.name == name.get_ref()) else {
                let known = keys().map(|key| key.name);
                self.unknown(whose, "key", name.get_ref(), known, at);
                right = false;
                continue;
            };
            let place = self.span(value.span());
            match one(key.kind, value.get_ref()) {
                Some(value) => values.push((key.name, value, place)),
                None => {
                    self.says.push(
                        Diagnostic::error("bad-value", format!("`{}` has a wrong value", key.name))
                            .at(place, "")
                            .expected(expected(key.kind)),
                    );
                    right = false;
                }
            }
        }
        (values, right)
    }

    /// Whether no key is missing. One that has a wrong value is there: that was said.
    fn is_complete(
        &mut self,
        whose: &str,
        keys: &[Key],
        values: &Values,
        table: &DeTable<'_>,
        at: Span,
    ) -> bool {
        let missing = |key: &&Key| {
            key.needed && value_of(values, key.name).is_none() && !table.contains_key(key.name)
        };
        let missing: Vec<&str> = keys.iter().filter(missing).map(|key| key.name).collect();
        if !missing.is_empty() {
            let message = format!("{whose} needs {}", missing.join(", "));
            self.error("key-missing", message, at);
        }
        missing.is_empty()
    }
}

fn value_of<'v>(values: &'v Values, key: &str) -> Option<&'v Value> {
    let found = values.iter().find(|(name, ..)| *name == key);
    found.map(|(_, value, _)| value)
}

/// A value of a kind; `None` where it is of another.
fn one(kind: Kind, value: &DeValue<'_>) -> Option<Value> {
    Some(match (kind, value) {
        (Kind::Number, DeValue::Integer(number)) => Value::Number(above_zero(number.as_str())?),
        (Kind::Number, DeValue::Float(number)) => Value::Number(above_zero(number.as_str())?),
        (Kind::Flag, DeValue::Boolean(flag)) => Value::Flag(*flag),
        (Kind::Text, DeValue::String(text)) if !text.trim().is_empty() => {
            Value::Text(text.to_string())
        }
        (Kind::Word(words), DeValue::String(text)) if words.contains(&text.as_ref()) => {
            Value::Text(text.to_string())
        }
        (Kind::Date, DeValue::String(text)) if is_date(text) => Value::Text(text.to_string()),
        _ => return None,
    })
}

/// A number of 10^-9 to 10^15: far beyond any rate on both sides.
fn above_zero(text: &str) -> Option<f64> {
    let number: f64 = text.replace('_', "").parse().ok()?;
    (1e-9..=1e15).contains(&number).then_some(number)
}

/// `2026`, `2026-08` or `2026-08-11`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_shaped = parts.iter().all(digits) && matches!(lengths[..], [4] | [4, 2] | [4, 2, 2]);
    let mut numbers = parts.iter().map(|part| part.parse::<u32>().unwrap_or(0));
    let (year, month) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(1));
    let day = numbers.next().unwrap_or(1);
    is_shaped && (1..=days_in(year, month)).contains(&day)
}

/// Days of a month of the Gregorian calendar; 0 for a month that is none.
const fn days_in(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

fn expected(kind: Kind) -> String {
    match kind {
        Kind::Text => "a text".to_owned(),
        Kind::Number => "a number above 0, 10^15 at most".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Word(words) => words.join(" or "),
        Kind::Date => "a date as \"2026-08-11\", \"2026-08\" or \"2026\"".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn a_date_is_one_of_the_calendar() {
        for date in ["2026", "2026-08", "2026-08-11", "2028-02-29"] {
            assert!(is_date(date), "{date}");
        }
        for none in [
            "26",
            "2026-13",
            "2026-00",
            "2026-02-30",
            "2026-02-29",
            "2026-04-31",
            "2026-8-1",
        ] {
            assert!(!is_date(none), "{none}");
        }
    }
}
