//! The text of a value to a typed value, by the option's kind: the law is fio's, its silent
//! misreadings are reported. Belongs here: one value. Must never appear here: what an option means.

use crate::arithmetic;
use crate::number::TimeUnit;
use crate::number::{self, Bad, Number};
pub(crate) use crate::table::Value;
use crate::table::{Kind, OptionSpec, key};
use leadline_dialect::diagnostic::{Diagnostic, nearest};
use leadline_dialect::text::Text;
use leadline_model::op::PerOp;
use leadline_model::plan::Amount;

/// Reads the value of an option.
pub(crate) fn parse(
    spec: &'static OptionSpec,
    text: &Text,
    kb_base: u64,
    sink: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let mut reader = ValueReader {
        spec,
        text,
        kb_base,
        sink,
    };
    match spec.kind {
        Kind::Flag | Kind::Bool => reader.boolean().map(Value::Flag),
        Kind::Number | Kind::Millis => reader.single().map(|n| Value::Number(n.value)),
        Kind::Time(_) => reader
            .single()
            .and_then(|n| unsigned(n.value))
            .map(Value::Time),
        Kind::Amount => reader.amount(),
        Kind::PerOp | Kind::TimePerOp => reader.per_op(),
        Kind::Pair | Kind::TimePair => reader.pair(),
        Kind::Ranges => reader.ranges(),
        Kind::Choice(words) => reader.choice(words),
        Kind::Floats => reader.floats(),
        Kind::Text | Kind::List => Some(Value::Text(text.as_str().to_owned())),
    }
}

fn unsigned(value: i64) -> Option<u64> {
    u64::try_from(value).ok()
}

struct ValueReader<'a> {
    spec: &'static OptionSpec,
    text: &'a Text,
    kb_base: u64,
    sink: &'a mut Vec<Diagnostic>,
}

impl ValueReader<'_> {
    fn push(&mut self, diagnostic: Diagnostic, from: usize, to: usize) {
        self.sink.push(diagnostic.at(self.text.span(from, to), ""));
    }

    fn wrong(&mut self, code: &'static str, message: String, from: usize, to: usize) {
        let expected = self.expectation();
        self.push(
            Diagnostic::error(code, message).expected(expected),
            from,
            to,
        );
    }

    fn expectation(&self) -> String {
        match (self.spec.kind, self.spec.range) {
            (Kind::Choice(words), _) => format!("one of {}", words.join(", ")),
            (Kind::Flag, _) => "0, 1 or nothing".to_owned(),
            (kind, Some((min, i64::MAX))) => format!("{} of at least {min}", kind.name()),
            (kind, Some((min, max))) => format!("{} from {min} to {max}", kind.name()),
            (Kind::Number | Kind::PerOp, None) => {
                "a number with one of the units k, m, g, t, p or none".to_owned()
            }
            (Kind::Time(_) | Kind::TimePair | Kind::TimePerOp, None) => {
                "a time with one of the units d, h, m, s, ms, us or none".to_owned()
            }
            (kind, None) => kind.name().to_owned(),
        }
    }

    fn boolean(&mut self) -> Option<bool> {
        let text = self.text.as_str();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let value = match text[..digits].parse::<u64>() {
            Ok(0) => false,
            Ok(1) => true,
            _ => {
                let hint = match text.to_ascii_lowercase().as_str() {
                    "yes" | "true" | "on" => Some("write 1"),
                    "no" | "false" | "off" => Some("write 0"),
                    _ => None,
                };
                let message = format!("`{}` takes 0 or 1, not `{text}`", self.spec.name);
                let error = Diagnostic::error("not-a-flag", message).expected("0 or 1");
                let error = error.maybe_hint(hint.map(str::to_owned));
                self.push(error, 0, self.text.len());
                return None;
            }
        };
        if digits < text.len() {
            let message = format!("fio ignores `{}` here", &text[digits..]);
            self.push(
                Diagnostic::warning("trailing-text-ignored", message),
                digits,
                self.text.len(),
            );
        }
        Some(value)
    }

    /// One number out of the text from `from` on, with remarks reported and the range checked.
    fn number(&mut self, from: usize) -> Option<Number> {
        let text = &self.text.as_str()[from..];
        let end = self.text.len();
        let read = if text.trim_start().starts_with('(') {
            self.expression(from)?
        } else {
            match self.spec.kind {
                Kind::Time(unit) => number::time(text, unit),
                Kind::TimePair => number::time(text, TimeUnit::Seconds),
                Kind::TimePerOp => number::time(text, TimeUnit::Micros),
                Kind::Millis => number::millis(text),
                _ => number::bytes(text, self.kb_base),
            }
        };
        let number = match read {
            Ok(number) => number,
            Err(Bad::NotANumber) => {
                self.wrong(
                    "not-a-number",
                    format!("`{text}` is not a number"),
                    from,
                    end,
                );
                return None;
            }
            Err(Bad::TooLarge) => {
                self.wrong(
                    "number-too-large",
                    format!("`{text}` is too large"),
                    from,
                    end,
                );
                return None;
            }
        };
        for remark in &number.remarks {
            let warning = Diagnostic::warning(remark.code, remark.message.clone());
            let warning = warning.hint(remark.hint.clone());
            self.push(warning, from + remark.from, from + remark.to);
        }
        self.within_range(number, from)
    }

    /// An expression in parentheses: times in it count in microseconds.
    fn expression(&mut self, from: usize) -> Option<Result<Number, Bad>> {
        let is_time = matches!(
            self.spec.kind,
            Kind::Time(_) | Kind::TimePair | Kind::TimePerOp
        );
        let kb_base = self.kb_base;
        let unit = |word: &str| {
            let one = format!("1{word}");
            let number = if is_time {
                number::time(&one, TimeUnit::Micros)
            } else {
                number::bytes(&one, kb_base)
            };
            number
                .ok()
                .filter(|n| n.remarks.is_empty() && !n.percent && !n.zones)
                .map(|n| n.value)
        };
        let text = &self.text.as_str()[from..];
        // `(a),(b)`: each part ends with the parenthesis that closes it.
        let end = closing(text).unwrap_or(text.len());
        match arithmetic::evaluate(&text[..end], &unit) {
            Ok(value) => Some(Ok(Number {
                value,
                percent: false,
                zones: false,
                remarks: Vec::new(),
            })),
            Err(why) => {
                let message = format!("`{}` cannot be calculated: {why}", &text[..end]);
                self.wrong("bad-expression", message, from, from + end);
                None
            }
        }
    }

    fn within_range(&mut self, number: Number, from: usize) -> Option<Number> {
        let end = self.text.len();
        let value = number.value;
        if number.percent && self.spec.kind != Kind::Amount {
            if self.spec.range == Some((0, 100)) {
                // fio stores a percentage as a negative number and then reads it as a huge one.
                let message = if self.spec.name.starts_with("rwmix") {
                    "fio misreads a `%` here: all I/O becomes reads, whatever the number is"
                        .to_owned()
                } else {
                    format!(
                        "fio misreads a `%` here: `{}` becomes 100, whatever the number",
                        self.spec.name
                    )
                };
                let warning = Diagnostic::warning("percent-misread", message)
                    .hint(format!("write `{value}` without the `%`"));
                self.push(warning, from, end);
                return Some(Number {
                    value: 100,
                    ..number
                });
            }
            let message = format!("`{}` does not take a percentage", self.spec.name);
            self.wrong("percent-not-taken", message, from, end);
            return None;
        }
        if number.zones && self.spec.kind != Kind::Amount {
            self.wrong(
                "zones-not-taken",
                "a number of zones is not allowed here".into(),
                from,
                end,
            );
            return None;
        }
        let (min, max) = self.spec.range.unwrap_or((0, i64::MAX));
        if value < min || value > max {
            let code = if value < 0 && min >= 0 {
                "negative-number"
            } else {
                "out-of-range"
            };
            let parts = self.parts();
            let own = parts.iter().find(|(start, _)| *start == from);
            let written = &self.text.as_str()[from..own.map_or(end, |(_, end)| *end)];
            let message = format!(
                "{} is out of range for `{}`",
                written.trim(),
                self.spec.name
            );
            self.wrong(code, message, from, end);
            return None;
        }
        Some(number)
    }

    /// Where the values of a list start: after the first `,`, or without one `:`, or without one `-`,
    /// and so on through the rest. The second number is where the value ends.
    fn parts(&self) -> Vec<(usize, usize)> {
        let text = self.text.as_str();
        let mut parts = Vec::new();
        let mut start = 0;
        loop {
            let rest = &text[start..];
            // A parenthesis is ignored whole, and so is a sign in front.
            let skip = if rest.trim_start().starts_with('(') {
                closing(rest).unwrap_or(rest.len())
            } else {
                usize::from(rest.starts_with('-'))
            };
            let cut = [',', ':', '-']
                .iter()
                .find_map(|c| rest[skip..].find(*c))
                .map(|n| start + skip + n);
            let Some(cut) = cut else {
                parts.push((start, text.len()));
                return parts;
            };
            parts.push((start, cut));
            start = cut + 1;
        }
    }

    /// One number; fio reads more, and keeps the first.
    fn single(&mut self) -> Option<Number> {
        let parts = self.parts();
        if let [(_, end), (next, _), ..] = parts[..] {
            let message = format!(
                "`{}` takes one number; fio uses the first and ignores `{}`",
                self.spec.name,
                &self.text.as_str()[next..]
            );
            let warning = Diagnostic::warning("extra-value-ignored", message);
            self.push(warning, end, self.text.len());
        }
        self.number(0)
    }

    fn amount(&mut self) -> Option<Value> {
        let number = self.single()?;
        let end = self.text.len();
        if number.zones {
            let message = "a number of zones is not supported: zonemode is not".to_owned();
            self.wrong("zones-not-supported", message, 0, end);
            return None;
        }
        let value = unsigned(number.value)?;
        if !number.percent {
            return Some(Value::Amount(Amount::Bytes(value)));
        }
        match u32::try_from(value) {
            Ok(percent) if percent <= 100 => Some(Value::Amount(Amount::Percent(percent))),
            _ => {
                self.wrong(
                    "out-of-range",
                    format!("{value} % is more than 100 %"),
                    0,
                    end,
                );
                None
            }
        }
    }

    fn per_op(&mut self) -> Option<Value> {
        let parts = self.parts();
        let text = self.text.as_str();
        if let Some((_, end)) = parts.first().filter(|_| parts.len() > 1) {
            let separator = text.as_bytes().get(*end).copied();
            if matches!(separator, Some(b'-' | b':')) {
                let bs = self.spec.is(&key::BS);
                let message = if text[end + 1..].is_empty() {
                    format!("fio reads `{text}` as a list whose second value is empty")
                } else {
                    format!(
                        "fio does not read `{text}` as a range: the first value is for reads, the \
                         second for writes"
                    )
                };
                let hint = if bs {
                    "write `bsrange=` for a range, or a `,` between the two values"
                } else {
                    "write a `,` between values for reads, writes and trims"
                };
                let warning = Diagnostic::warning("range-is-not-a-range", message).hint(hint);
                self.push(warning, 0, self.text.len());
            }
        }
        let mut slots = [None; 3];
        let last = parts.len() - 1;
        for (i, (start, end)) in parts.into_iter().enumerate() {
            if i >= 3 {
                let warning = Diagnostic::warning(
                    "extra-value-ignored",
                    "fio uses three values here and ignores the rest",
                );
                self.push(warning, start, self.text.len());
                break;
            }
            if self.text.as_str()[start..end].trim().is_empty() {
                continue;
            }
            let value = unsigned(self.number(start)?.value)?;
            let upto = if i == last { 3 } else { i + 1 };
            slots[i..upto].fill(Some(value));
        }
        if slots == [None; 3] {
            self.wrong(
                "not-a-number",
                format!("`{}` contains no number", self.text.as_str()),
                0,
                self.text.len(),
            );
            return None;
        }
        Some(Value::PerOp(PerOp {
            read: slots[0],
            write: slots[1],
            trim: slots[2],
        }))
    }

    fn pair(&mut self) -> Option<Value> {
        let parts = self.parts();
        let low = unsigned(self.number(0)?.value)?;
        let high = match parts.get(1) {
            Some((start, end)) if start < end => unsigned(self.number(*start)?.value)?,
            _ => low,
        };
        Some(Value::Pair(low.min(high), low.max(high)))
    }

    fn ranges(&mut self) -> Option<Value> {
        let mut slots = [None; 3];
        let mut start = 0;
        let text = self.text.as_str().to_owned();
        let pieces: Vec<&str> = text.split(',').collect();
        let last = pieces.len() - 1;
        for (i, piece) in pieces.into_iter().enumerate().take(3) {
            let from = start;
            start += piece.len() + 1;
            if piece.trim().is_empty() {
                continue;
            }
            let Some(cut) = piece.find(['-', ':']) else {
                let message = format!("`{piece}` is not a range");
                let error = Diagnostic::error("not-a-range", message)
                    .expected("the smallest and the largest size, as in `4k-16k`")
                    .hint(format!("write `bs={piece}` for one size"));
                self.push(error, from, from + piece.len());
                return None;
            };
            let low = unsigned(self.number(from)?.value)?;
            let high = unsigned(self.number(from + cut + 1)?.value)?;
            let upto = if i == last { 3 } else { i + 1 };
            slots[i..upto].fill(Some((low.min(high), low.max(high))));
        }
        if slots == [None; 3] {
            self.wrong(
                "not-a-range",
                format!("`{text}` contains no range"),
                0,
                self.text.len(),
            );
            return None;
        }
        Some(Value::Ranges(PerOp {
            read: slots[0],
            write: slots[1],
            trim: slots[2],
        }))
    }

    fn choice(&mut self, words: &'static [&'static str]) -> Option<Value> {
        let text = self.text.as_str();
        let end = text.find([',', ':', '=']).unwrap_or(text.len());
        let Some(word) = words.iter().find(|w| **w == &text[..end]) else {
            let hint = nearest(&text[..end], words.iter().copied())
                .map(|near| format!("did you mean `{near}`?"));
            let message = format!("`{}` does not know `{}`", self.spec.name, &text[..end]);
            let error = Diagnostic::error("unknown-value", message)
                .expected(self.expectation())
                .maybe_hint(hint);
            self.push(error, 0, end);
            return None;
        };
        if end == text.len() {
            return Some(Value::Choice(word, None));
        }
        if !self.spec.suffix || text[end..].starts_with(',') {
            let message = format!("fio ignores `{}` here", &text[end..]);
            let warning = Diagnostic::warning("trailing-text-ignored", message);
            self.push(warning, end, self.text.len());
            return Some(Value::Choice(word, None));
        }
        if text[end..].starts_with('=') {
            let message =
                format!("fio expects a `:` after `{word}`, although its manual shows a `=`");
            let warning = Diagnostic::warning("equals-for-colon", message)
                .hint(format!("write `{word}:{}`", &text[end + 1..]));
            self.push(warning, end, end + 1);
        }
        Some(Value::Choice(
            word,
            Some(self.text.slice(end + 1, self.text.len())),
        ))
    }

    fn floats(&mut self) -> Option<Value> {
        let text = self.text.as_str().to_owned();
        let mut values = Vec::new();
        let mut start = 0;
        for piece in text.split([':', ',']) {
            let from = start;
            start += piece.len() + 1;
            let value = piece.trim().parse::<f64>().ok().filter(|v| v.is_finite());
            let Some(value) = value else {
                self.wrong(
                    "not-a-number",
                    format!("`{piece}` is not a number"),
                    from,
                    from + piece.len(),
                );
                return None;
            };
            let (min, max) = self.spec.range.unwrap_or((i64::MIN, i64::MAX));
            if value < min as f64 || value > max as f64 {
                let message = format!("{} is out of range for `{}`", piece.trim(), self.spec.name);
                self.wrong("out-of-range", message, from, from + piece.len());
                return None;
            }
            values.push(value);
        }
        Some(Value::Floats(values))
    }
}

/// One past the parenthesis that closes the one the text starts with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(i + 1);
                }
            }
            _ => {}
        }
    }
    None
}
