//! From files to groups of lines: includes and variables.
//!
//! Belongs here: what is between the command line and the grammar. Must never appear here: what a
//! keyword means.

use crate::lex::{self, Line};
use leadline_dialect::diagnostic::{Diagnostic, Sources, Span};
use leadline_dialect::host::Host;
use leadline_dialect::text::Text;

/// A value for `$name` and `!name`.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) at: Span,
    pub(crate) used: bool,
}

/// What is read so far.
pub(crate) struct Reader<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) sources: Sources,
    pub(crate) says: Vec<Diagnostic>,
    pub(crate) variables: Vec<Variable>,
    /// Lines that belong together because each but the last ends with a comma.
    pub(crate) groups: Vec<Vec<Text>>,
}

/// Names that stand for something else than a variable.
const TAKEN: [&str; 3] = ["host", "hosts", "output"];

impl<'a> Reader<'a> {
    pub(crate) fn new(host: &'a dyn Host) -> Self {
        Self {
            host,
            sources: Sources::default(),
            says: Vec::new(),
            variables: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Reads a parameter file.
    pub(crate) fn file(&mut self, path: &Text) {
        match self.host.read_file(path.as_str()) {
            Ok(text) => self.text(path.as_str(), text, true),
            Err(why) => {
                let message = format!(
                    "the parameter file `{}` cannot be read: {why}",
                    path.as_str()
                );
                self.says
                    .push(Diagnostic::error("file-unreadable", message).at(path.whole(), ""));
            }
        }
    }

    /// Reads a text under a name; `includes` says whether it may include others.
    pub(crate) fn text(&mut self, name: &str, text: String, includes: bool) {
        let source = self.sources.add(name, text.clone());
        let mut continues = false;
        for line in lex::lines(source, &text) {
            let line = self.substituted(line);
            let Line {
                text,
                continues: on,
            } = lex::cut(&line, &mut self.says);
            if keyword_of(&text).eq_ignore_ascii_case("include") {
                self.include(name, &text, includes);
                continues = false;
                continue;
            }
            match self.groups.last_mut().filter(|_| continues) {
                Some(group) => group.push(text),
                None => self.groups.push(vec![text]),
            }
            continues = on;
        }
    }

    fn include(&mut self, from: &str, line: &Text, allowed: bool) {
        let value = line.slice("include=".len(), line.len());
        if value.as_str().contains(',') {
            self.says.push(
                Diagnostic::error("include-not-alone", "`include=` must be alone on its line")
                    .at(line.whole(), ""),
            );
            return;
        }
        if !allowed {
            self.says.push(
                Diagnostic::error(
                    "include-within-include",
                    "an included file cannot include others",
                )
                .at(line.whole(), "")
                .hint("include both files from the first one"),
            );
            return;
        }
        let path = value.without('"');
        let mut why = String::new();
        for (at, candidate) in candidates(from, path.as_str()).into_iter().enumerate() {
            match self.host.read_file(&candidate) {
                Ok(text) => {
                    if at == 0 && candidate != path.as_str() {
                        self.says.push(found_beside(&value, &candidate));
                    }
                    self.text(&candidate, text, false);
                    return;
                }
                Err(error) if why.is_empty() => why = error,
                Err(_) => {}
            }
        }
        let message = format!("`{}` cannot be read: {why}", path.as_str());
        self.says.push(
            Diagnostic::error("file-unreadable", message)
                .at(value.whole(), "")
                .expected(
                    "a file in the directory of this one, in the current directory, or in the \
                     parent directory",
                ),
        );
    }

    /// The line with its variables replaced; the longest name that fits is used.
    fn substituted(&mut self, mut line: Text) -> Text {
        let mut at = 0;
        while let Some(found) = line.as_str()[at..].find(['$', '!']) {
            let sign = at + found;
            at = sign + 1;
            let rest = &line.as_str()[at..];
            let longest = self
                .variables
                .iter_mut()
                .filter(|v| rest.starts_with(&v.name))
                .max_by_key(|v| v.name.len());
            let reserved = TAKEN
                .iter()
                .filter(|t| rest.starts_with(**t))
                .max_by_key(|t| t.len());
            let length = longest.as_ref().map_or(0, |v| v.name.len());
            if let Some(variable) = longest.filter(|_| reserved.is_none_or(|t| t.len() < length)) {
                variable.used = true;
                line = line.replaced(sign, at + length, &variable.value);
                at = sign + variable.value.len();
            } else if reserved.is_none() && line.as_str()[..sign].ends_with('=') {
                let name: String = rest
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if !name.is_empty() {
                    self.says.push(unknown(&line, sign, &name));
                }
            }
        }
        line
    }

    /// Says which variables no text asks for.
    pub(crate) fn unused(&mut self) {
        for variable in self.variables.iter().filter(|v| !v.used) {
            let message = format!("nothing uses `{}=`", variable.name);
            self.says.push(
                Diagnostic::error("variable-unused", message)
                    .at(variable.at, "")
                    .expected(format!("`${}` in a parameter file", variable.name)),
            );
        }
    }
}

fn keyword_of(line: &Text) -> &str {
    line.as_str().split_once('=').map_or("", |(key, _)| key)
}

fn unknown(line: &Text, sign: usize, name: &str) -> Diagnostic {
    let end = sign + 1 + name.len();
    Diagnostic::error("variable-unknown", format!("`{name}` has no value"))
        .at(line.span(sign, end), "")
        .hint(format!("add `{name}=value` to the command line"))
}

fn found_beside(value: &Text, candidate: &str) -> Diagnostic {
    let message = format!("`{candidate}` is used: it is in the directory of the including file");
    Diagnostic::note("include-with-others", message)
        .at(value.whole(), "")
        .hint("Vdbench searches the parent directory, then the current one")
}

/// Where an included file may lie, in the order of the search: beside the file that includes it, in
/// the current directory, in the directory above.
fn candidates(from: &str, path: &str) -> Vec<String> {
    if path.starts_with('/') {
        return vec![path.to_owned()];
    }
    match from.rsplit_once('/') {
        Some((directory, _)) => vec![
            format!("{directory}/{path}"),
            path.to_owned(),
            format!("{directory}/../{path}"),
        ],
        None => vec![path.to_owned(), format!("../{path}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_included_file_is_looked_for_beside_then_here_then_above() {
        assert_eq!(candidates("f", "x"), ["x", "../x"]);
        assert_eq!(candidates("a/f", "x"), ["a/x", "x", "a/../x"]);
        assert_eq!(candidates("a/f", "/x"), ["/x"]);
    }
}
