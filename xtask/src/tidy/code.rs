//! Rust source seen as code and not-code: enough of a lexer to blank out comments and literals.
//!
//! Must never: try to understand the code beyond that.

/// A source file without the tests at its end; `mod tests;` names another file, and what follows it is product code.
pub(crate) fn product(source: &str) -> &str {
    const ATTRIBUTE: &str = "\n#[cfg(test)]\n";
    let begins = |at: &usize| {
        let next = source[at + ATTRIBUTE.len()..].lines().next();
        next.is_some_and(|line| line.contains("mod tests {"))
    };
    let mut found = source.match_indices(ATTRIBUTE).map(|(at, _)| at);
    found.find(begins).map_or(source, |at| &source[..at + 1])
}

/// `source` with the content of comments, strings and character literals replaced by spaces.
/// Line breaks stay, and a space stands for each byte, so that lines and places stay the same.
pub(crate) fn only_code(source: &str) -> String {
    let mut rest = source;
    let mut code = String::with_capacity(source.len());
    while let Some(first) = rest.chars().next() {
        let len = not_code(rest);
        if len == 0 {
            // A word is taken whole, so that the `r` of `for"` or `'a` is not read as a prefix.
            let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let step = word.max(first.len_utf8());
            code.push_str(&rest[..step]);
            rest = &rest[step..];
        } else {
            code.extend(
                rest[..len]
                    .bytes()
                    .map(|b| if b == b'\n' { '\n' } else { ' ' }),
            );
            rest = &rest[len..];
        }
    }
    code
}

/// The string literals of `source` as written, quotes included, each with its place.
pub(super) fn string_literals(source: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let len = not_code(rest);
        if len == 0 {
            let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            at += word.max(first.len_utf8());
            continue;
        }
        if rest[..len].ends_with(['"', '#']) && !rest.starts_with('/') {
            found.push((at, &rest[..len]));
        }
        at += len;
    }
    found
}

/// Whether `word` is in `text` with no letter, digit or underscore beside it; its line from 1.
pub(super) fn line_of_word(text: &str, word: &str) -> Option<usize> {
    text.match_indices(word).find_map(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[at + word.len()..].chars().next().is_some_and(is_word);
        (!before && !after).then(|| line_at(text, at))
    })
}

/// The line, from 1, of the byte at `at`.
pub(crate) fn line_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Whether a word of code may have this character.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length in bytes of the comment or literal at the start of `rest`; 0 when there is none.
fn not_code(rest: &str) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    let prefix = ["br", "cr", "r", "b", "c", ""]
        .into_iter()
        .find(|prefix| rest.strip_prefix(prefix).is_some_and(opens_literal));
    let Some(prefix) = prefix else { return 0 };
    let body = &rest[prefix.len()..];
    let len = match body.as_bytes().first() {
        Some(b'\'') => character(body),
        Some(b'"') if !prefix.contains('r') => escaped(body, '"'),
        Some(b'"' | b'#') if prefix.contains('r') => raw(body),
        _ => 0,
    };
    if len == 0 { 0 } else { prefix.len() + len }
}

fn opens_literal(rest: &str) -> bool {
    rest.trim_start_matches('#').starts_with('"') || rest.starts_with('\'')
}

/// Rust's block comments nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// A literal that ends at the first `end` that is not escaped.
fn escaped(body: &str, end: char) -> usize {
    let mut chars = body.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == end {
            return at + 1;
        }
    }
    body.len()
}

/// `"..."`, `#"..."#`, `##"..."##` after the `r`.
fn raw(body: &str) -> usize {
    let hashes = body.len() - body.trim_start_matches('#').len();
    let close = format!("\"{}", "#".repeat(hashes));
    let inside = hashes + 1;
    match body.get(inside..).and_then(|text| text.find(&close)) {
        Some(at) => inside + at + close.len(),
        None => body.len(),
    }
}

/// A character literal, or 0 for a lifetime.
fn character(body: &str) -> usize {
    let mut chars = body.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => escaped(body, '\''),
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 0,
        },
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let source =
            "let a = \"x \\\" y\"; // y\n/* y /* y */ y */ b('y', '\\'', r#\"y\"y\"#, b\"y\")";
        let code = only_code(source);
        assert!(!code.contains('y'), "{code}");
        assert!(code.contains("let a =") && code.contains("b("), "{code}");
        assert_eq!(code.lines().count(), 2);
        assert_eq!(only_code("\"\u{e9}\" + a").find('a'), Some(7));
    }

    #[test]
    fn string_literals_are_found_and_nothing_else() {
        let source = "// \"no\"\nf('\"', \"a \\\" b\", r#\"c\"#, b\"d\"); /* \"no\" */";
        let found: Vec<&str> = string_literals(source).iter().map(|l| l.1).collect();
        assert_eq!(found, ["\"a \\\" b\"", "r#\"c\"#", "b\"d\""]);
        assert_eq!(line_at(source, string_literals(source)[0].0), 2);
    }

    #[test]
    fn lifetimes_and_words_stay() {
        let source = "fn f<'a>(r: &'a str) -> &'a str { for_r(r) } // x";
        assert_eq!(
            only_code(source).trim_end(),
            source.trim_end_matches("// x").trim_end()
        );
    }

    #[test]
    fn raw_strings_do_not_swallow_what_follows() {
        assert_eq!(only_code("r\"\\\" x"), "     x");
        assert_eq!(only_code("r##\"a\"#b\"## x").trim(), "x");
    }

    #[test]
    fn tests_at_the_end_are_no_product() {
        for tests in ["mod tests {", "pub(crate) mod tests {"] {
            let source = format!("a\n#[cfg(test)]\nmod tests;\nb\n#[cfg(test)]\n{tests}\nc\n");
            assert_eq!(product(&source), "a\n#[cfg(test)]\nmod tests;\nb\n");
        }
    }

    #[test]
    fn only_whole_words_count() {
        assert_eq!(line_of_word("a\nforbid(unsafe_code)", "unsafe"), None);
        assert_eq!(line_of_word("a\nunsafe { b }", "unsafe"), Some(2));
    }
}
