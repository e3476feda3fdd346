//! From lines to `keyword=value` tokens.
//!
//! Belongs here: comments, quotes, commas, parentheses. Must never appear here: which keywords there
//! are, and what they mean.

use leadline_dialect::diagnostic::{Diagnostic, SourceId, Span};
use leadline_dialect::text::Text;

/// A line with its comment cut off.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: Text,
    /// It ends with a comma.
    pub(crate) continues: bool,
}

/// An unquoted `-` within parentheses, which always means a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dash {
    None,
    /// The only one, at this byte of the item.
    One(usize),
    Many,
}

/// One value of a list, or the only one.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Without quotes.
    pub(crate) text: Text,
    pub(crate) dash: Dash,
}

/// What stands after `keyword=`.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// At least one.
    pub(crate) items: Vec<Item>,
    /// Within parentheses.
    pub(crate) list: bool,
    pub(crate) span: Span,
}

impl Value {
    /// The first item's text; the only one of what is no list.
    pub(crate) fn first(&self) -> &str {
        self.items.first().map_or("", |item| item.text.as_str())
    }

    /// As it may be written again.
    pub(crate) fn shown(&self) -> String {
        let items: Vec<&str> = self.items.iter().map(|i| i.text.as_str()).collect();
        if self.list {
            format!("({})", items.join(","))
        } else {
            items.join(",")
        }
    }
}

/// `keyword=value`.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) key: Text,
    pub(crate) value: Value,
}

/// The lines of a file that are neither empty nor comments, up to a line that begins with `eof`, each
/// trimmed and as it stands.
pub(crate) fn lines(source: SourceId, text: &str) -> Vec<Text> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let whole = Text::new(source, start, line).trimmed();
        start += line.len();
        let first = whole.as_str();
        if first
            .get(..3)
            .is_some_and(|s| s.eq_ignore_ascii_case("eof"))
        {
            break;
        }
        if !first.is_empty() && !first.starts_with(['*', '#', '/']) {
            lines.push(whole);
        }
    }
    lines
}

/// Cuts off what stands after the first blank outside quotes.
pub(crate) fn cut(line: &Text, says: &mut Vec<Diagnostic>) -> Line {
    let text = line.as_str();
    let mut quoted = None;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        match c {
            '"' if quoted.is_some() => quoted = None,
            '"' => quoted = Some(at),
            _ if c.is_whitespace() && quoted.is_none() => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    if let Some(at) = quoted {
        says.push(
            Diagnostic::warning("quote-not-closed", "the quote is not closed")
                .at(
                    line.span(at, text.len()),
                    "the value is the rest of the line",
                )
                .hint("close it: the rest of the line is not read as parameters"),
        );
    }
    let rest = line.slice(end, text.len()).trimmed();
    if rest.as_str().contains('=') {
        says.push(
            Diagnostic::warning("text-after-blank", "everything after a blank is a comment")
                .at(rest.whole(), "not read")
                .hint("write parameters without blanks between them"),
        );
    }
    let text = line.slice(0, end);
    Line {
        continues: text.as_str().ends_with(','),
        text,
    }
}

/// The bytes at which `text` is to be cut: unquoted commas outside parentheses.
struct Scan {
    quoted: bool,
    depth: u32,
}

impl Scan {
    /// Takes a character; whether it is one of `wanted`, outside quotes and parentheses.
    fn top(&mut self, c: char, wanted: char) -> bool {
        let top = !self.quoted && self.depth == 0;
        match c {
            '"' => self.quoted = !self.quoted,
            '(' if !self.quoted => self.depth += 1,
            ')' if !self.quoted => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        top && c == wanted
    }
}

/// A list that continues on the next line.
struct Open {
    key: Text,
    items: Vec<Item>,
    span: Span,
}

/// The tokens of lines that belong together.
pub(crate) fn tokens(lines: &[Text], says: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut out = Vec::new();
    let mut open: Option<Open> = None;
    for line in lines {
        let mut from = 0;
        if let Some(list) = open.take() {
            match continue_list(list, line, says) {
                ListEnd::Open(list) => {
                    open = Some(list);
                    continue;
                }
                ListEnd::Closed(token, at) => {
                    out.push(token);
                    from = at;
                }
                ListEnd::Invalid => {}
            }
        }
        let rest = line.slice(from, line.len());
        let pieces = pieces(&rest);
        let last = pieces.len() - 1;
        for (number, piece) in pieces.iter().enumerate() {
            if piece.is_empty() {
                // A comma may end the line, and continues after a list that was closed.
                if number < last && (number > 0 || from == 0) {
                    says.push(nothing(&rest));
                }
                continue;
            }
            match token(piece, says) {
                Read::Token(token) => out.push(token),
                Read::Open(list) => open = Some(list),
                Read::Invalid => {}
            }
        }
    }
    if let Some(list) = open {
        says.push(not_closed(&list));
    }
    out
}

fn nothing(line: &Text) -> Diagnostic {
    let message = "there is nothing before the comma";
    Diagnostic::error("keyword-expected", message)
        .at(line.whole(), "")
        .expected("`keyword=value`, one comma, and the next")
}

/// A line cut at its commas.
fn pieces(line: &Text) -> Vec<Text> {
    let mut scan = Scan {
        quoted: false,
        depth: 0,
    };
    let mut out = Vec::new();
    let mut from = 0;
    for (at, c) in line.as_str().char_indices() {
        if scan.top(c, ',') {
            out.push(line.slice(from, at));
            from = at + 1;
        }
    }
    out.push(line.slice(from, line.len()));
    out
}

fn not_closed(list: &Open) -> Diagnostic {
    Diagnostic::error("list-not-closed", "the parenthesis is not closed")
        .at(list.span, "")
        .hint("a blank ends the line: write the list without blanks, or end the line with a comma")
}

enum ListEnd {
    Open(Open),
    /// Closed; the line continues at this byte.
    Closed(Token, usize),
    Invalid,
}

/// ListEnd on with a list that the line before left open.
fn continue_list(mut list: Open, line: &Text, says: &mut Vec<Diagnostic>) -> ListEnd {
    let text = line.as_str();
    let mut quoted = false;
    let mut close = None;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '=' if !quoted => break,
            ')' if !quoted => {
                close = Some(at);
                break;
            }
            _ => {}
        }
    }
    let Some(close) = close else {
        if text.contains('=') {
            says.push(not_closed(&list));
            return ListEnd::Invalid;
        }
        list.items.extend(items(line));
        return ListEnd::Open(list);
    };
    list.items.extend(items(&line.slice(0, close)));
    let value = Value {
        items: list.items,
        list: true,
        span: list.span,
    };
    let key = list.key;
    ListEnd::Closed(Token { key, value }, close + 1)
}

enum Read {
    Token(Token),
    Open(Open),
    Invalid,
}

/// Reads one piece: `keyword=value`, `keyword=(a,b)` or `keyword=(a,b,` at the end of a line.
fn token(piece: &Text, says: &mut Vec<Diagnostic>) -> Read {
    let text = piece.as_str();
    let mut scan = Scan {
        quoted: false,
        depth: 0,
    };
    let equals = text
        .char_indices()
        .find_map(|(at, c)| scan.top(c, '=').then_some(at));
    let Some(equals) = equals.filter(|at| *at > 0) else {
        says.push(no_keyword(piece));
        return Read::Invalid;
    };
    let key = piece.slice(0, equals);
    let after = piece.slice(equals + 1, piece.len());
    let Some(inner) = after.as_str().strip_prefix('(') else {
        return plain(key, &after, says);
    };
    let mut scan = Scan {
        quoted: false,
        depth: 0,
    };
    let close = inner
        .char_indices()
        .find_map(|(at, c)| scan.top(c, ')').then_some(at));
    let Some(close) = close else {
        let items = items(&after.slice(1, after.len()));
        let span = after.whole();
        return Read::Open(Open { key, items, span });
    };
    if close + 1 < inner.len() {
        says.push(
            Diagnostic::error("text-after-list", "nothing may follow the parenthesis")
                .at(after.span(close + 2, after.len()), "")
                .expected("a comma, or the end of the line"),
        );
        return Read::Invalid;
    }
    let items = items(&after.slice(1, close + 1));
    if items.is_empty() {
        says.push(empty(&key, &after));
        return Read::Invalid;
    }
    let value = Value {
        items,
        list: true,
        span: after.whole(),
    };
    Read::Token(Token { key, value })
}

fn plain(key: Text, after: &Text, says: &mut Vec<Diagnostic>) -> Read {
    let text = after.without('"');
    if after.is_empty() {
        says.push(empty(&key, after));
        return Read::Invalid;
    }
    let item = Item {
        text,
        dash: Dash::None,
    };
    let value = Value {
        items: vec![item],
        list: false,
        span: after.whole(),
    };
    Read::Token(Token { key, value })
}

fn empty(key: &Text, at: &Text) -> Diagnostic {
    let message = format!("`{}` has no value", key.as_str());
    Diagnostic::error("value-missing", message)
        .at(key.whole(), "")
        .at(at.whole(), "")
        .hint("a blank ends the line: write `keyword=value` without blanks")
}

fn no_keyword(piece: &Text) -> Diagnostic {
    let text = piece.as_str();
    let hint = match text {
        "-" | "\\" => "no continuation character is needed: omit it",
        _ if text.starts_with('=') => "write `keyword=value` without blanks around the `=`",
        _ => {
            "write `keyword=value` without blanks; put several values in parentheses: \
             `keyword=(a,b)`"
        }
    };
    Diagnostic::error(
        "keyword-expected",
        format!("`{text}` is not `keyword=value`"),
    )
    .at(piece.whole(), "")
    .expected("`keyword=value`")
    .hint(hint)
}

/// The items of a list; empty ones are left out.
fn items(list: &Text) -> Vec<Item> {
    pieces(list)
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .map(|piece| item(&piece))
        .collect()
}

fn item(piece: &Text) -> Item {
    let mut quoted = false;
    let mut quotes = 0;
    let mut dash = Dash::None;
    for (at, c) in piece.as_str().char_indices() {
        match c {
            '"' => {
                quoted = !quoted;
                quotes += 1;
            }
            '-' if !quoted => {
                dash = match dash {
                    Dash::None => Dash::One(at - quotes),
                    _ => Dash::Many,
                };
            }
            _ => {}
        }
    }
    Item {
        text: piece.without('"'),
        dash,
    }
}

/// The first of `words` that `text` is a beginning of, in any case.
pub(crate) fn word<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    let text = text.to_ascii_lowercase();
    words
        .iter()
        .copied()
        .find(|w| !text.is_empty() && w.starts_with(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<&'static str>) {
        let mut says = Vec::new();
        let cut: Vec<Line> = lines(SourceId(0), text)
            .iter()
            .map(|line| cut(line, &mut says))
            .collect();
        let texts: Vec<Text> = cut.into_iter().map(|l| l.text).collect();
        let tokens = tokens(&texts, &mut says);
        let shown = tokens
            .iter()
            .map(|t| format!("{}={}", t.key.as_str(), t.value.shown()))
            .collect();
        (shown, says.iter().map(|d| d.code).collect())
    }

    #[test]
    fn a_newline_is_a_comma() {
        let (tokens, says) = read("sd=a,\n\n* no\n  lun=/x comment\r\n\tsize=1m,b=2\neof\nc=3");
        assert_eq!(tokens, ["sd=a", "lun=/x", "size=1m", "b=2"]);
        assert!(says.is_empty());
    }

    #[test]
    fn quotes_protect_and_parentheses_hold_together() {
        let (tokens, says) = read("a=(\"x,y\",z),b=\"p q=r\",\nc=(1,\n2,3),d=4");
        assert_eq!(tokens, ["a=(x,y,z)", "b=p q=r", "c=(1,2,3)", "d=4"]);
        assert!(says.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("a=1,-", "keyword-expected"),
            ("a = 1", "keyword-expected"),
            ("a=", "value-missing"),
            ("a=(1,2", "list-not-closed"),
            ("a=(1, 2)\nb=3", "list-not-closed"),
            ("a=(1)2", "text-after-list"),
            ("a=\"1,b=2", "quote-not-closed"),
            ("a=1 , b=2", "text-after-blank"),
            ("a=1,,b=2", "keyword-expected"),
            ("a=1,,", "keyword-expected"),
            (",a=1", "keyword-expected"),
        ];
        for (text, code) in cases {
            assert!(read(text).1.contains(&code), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn a_dash_in_parentheses_is_a_range_unless_quoted() {
        let mut says = Vec::new();
        let text = Text::new(SourceId(0), 0, "a=(sd1-sd3,\"sd-1-1\",x-y-z,7)");
        let tokens = tokens(&[text], &mut says);
        let dashes: Vec<Dash> = tokens[0].value.items.iter().map(|i| i.dash).collect();
        assert_eq!(dashes, [Dash::One(3), Dash::None, Dash::Many, Dash::None]);
    }
}
