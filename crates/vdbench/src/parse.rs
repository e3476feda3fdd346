//! From groups of lines to definitions: which keyword belongs to which object, in which order, from
//! which defaults.
//!
//! Belongs here: the structure of a parameter file. Must never appear here: what a value means beyond
//! being one of its kind.

use crate::definition::{self, Definition, Entry, File};
use crate::keyword;
use crate::lex::{self, Token};
use crate::reader::Reader;
use crate::table::{KeywordSpec, Kind, Object, Support, Varied, row};
use crate::value;
use leadline_dialect::diagnostic::{Diagnostic, Span, nearest};
use leadline_dialect::text::Text;
use leadline_model::plan::HostSpec;

/// The state of reading.
struct Parser {
    phase: Object,
    /// The object that keywords belong to now, and whether it is `default`.
    current: Definition,
    templates: Vec<Definition>,
    file: File,
    says: Vec<Diagnostic>,
    /// Labels of the hosts of the command line.
    given: Vec<String>,
}

/// Makes definitions of all that was read.
pub(crate) fn definitions(reader: &mut Reader<'_>, given: &[HostSpec]) -> File {
    let nowhere = Span::default();
    let empty = || Definition::new(Object::General, "general", nowhere);
    let mut parser = Parser {
        phase: Object::General,
        current: empty(),
        templates: Vec::new(),
        file: File {
            general: empty(),
            hosts: Vec::new(),
            storage: Vec::new(),
            workloads: Vec::new(),
            runs: Vec::new(),
            file_systems: false,
        },
        says: Vec::new(),
        given: given.iter().map(|h| h.label.clone()).collect(),
    };
    for group in std::mem::take(&mut reader.groups) {
        parser.group(&group);
    }
    parser.finish();
    reader.says.append(&mut parser.says);
    parser.file
}

impl Parser {
    /// A group that names `$host` is there once for each host.
    fn group(&mut self, group: &[Text]) {
        let wants = |t: &Text| {
            ["$host", "!host", "#host"]
                .iter()
                .any(|w| t.as_str().contains(w))
        };
        if !group.iter().any(wants) {
            return self.tokens(group);
        }
        let mut labels = self.host_labels();
        if labels.is_empty() {
            labels.clone_from(&self.given);
        }
        if labels.is_empty() {
            labels.push("localhost".to_owned());
        }
        let count = labels.len().to_string();
        for (at, label) in labels.iter().enumerate() {
            let number = (at + 1).to_string();
            let words = [
                ("#hosts", &count),
                ("$host", label),
                ("!host", label),
                ("#host", &number),
            ];
            let lines: Vec<Text> = group
                .iter()
                .map(|line| {
                    words
                        .iter()
                        .fold(line.clone(), |l, (from, to)| replace(l, from, to))
                })
                .collect();
            self.tokens(&lines);
        }
    }

    /// Labels of all hosts so far, the one being defined among them.
    fn host_labels(&self) -> Vec<String> {
        let current =
            (self.phase == Object::Hd && self.current.name != "default").then_some(&self.current);
        let all = self.file.hosts.iter().chain(current);
        all.flat_map(definition::labels).collect()
    }

    fn tokens(&mut self, lines: &[Text]) {
        for token in lex::tokens(lines, &mut self.says) {
            self.token(token);
        }
    }

    fn token(&mut self, token: Token) {
        let word = token.key.as_str().to_ascii_lowercase();
        if let Some(object) = self.begins(&word) {
            return self.begin(object, &token);
        }
        if word.len() < 2 {
            self.says.push(
                Diagnostic::error(
                    "keyword-too-short",
                    format!("`{}` is too short for a keyword", token.key.as_str()),
                )
                .at(token.key.whole(), "")
                .expected("at least two characters of a keyword"),
            );
            return;
        }
        match keyword::find(self.phase, &word) {
            Some(spec) => self.entry(spec, token),
            None => self.unknown(&token.key, &word),
        }
    }

    /// The object that this word begins where the file is now.
    fn begins(&self, word: &str) -> Option<Object> {
        let word = if word == "host" && self.phase <= Object::Hd {
            "hd"
        } else {
            word
        };
        let object = Object::begun_by(word)?;
        let may = match self.phase {
            Object::General => true,
            Object::Hd => object >= Object::Hd,
            Object::Sd => matches!(object, Object::Sd | Object::Wd | Object::Rd),
            Object::Fsd => matches!(object, Object::Fsd | Object::Fwd | Object::Rd),
            Object::Wd => matches!(object, Object::Wd | Object::Rd),
            Object::Fwd => matches!(object, Object::Fwd | Object::Rd),
            Object::Rd => object == Object::Rd,
        };
        may.then_some(object)
    }

    fn begin(&mut self, object: Object, token: &Token) {
        self.finish();
        self.phase = object;
        let at = token.value.span;
        let name = match value::only(&token.value) {
            Ok(name) => name,
            Err(fault) => {
                let error =
                    Diagnostic::error("value-not-understood", fault.text).at(fault.span, "");
                self.says.push(error.expected(Kind::Name.name()));
                "?"
            }
        };
        if matches!(object, Object::Fsd | Object::Fwd) && !self.file.file_systems {
            self.file.file_systems = true;
            self.refuse(keyword::find(object, object.word()), token.key.whole());
        }
        let template = self.templates.iter().find(|t| t.object == object);
        self.current = match template {
            Some(template) => Definition {
                name: name.to_owned(),
                at,
                ..template.clone()
            },
            None => Definition::new(object, name, at),
        };
    }

    /// Puts away the object that was being defined.
    fn finish(&mut self) {
        let empty = Definition::new(Object::General, "general", Span::default());
        let done = std::mem::replace(&mut self.current, empty);
        match done.object {
            Object::General => self.file.general = done,
            _ if done.name == "default" => {
                self.templates.retain(|t| t.object != done.object);
                self.templates.push(done);
            }
            Object::Hd => self.file.hosts.push(done),
            Object::Sd => self.file.storage.push(done),
            Object::Wd => self.file.workloads.push(done),
            Object::Rd => self.file.runs.push(done),
            Object::Fsd | Object::Fwd => {}
        }
    }

    fn entry(&mut self, spec: &'static KeywordSpec, token: Token) {
        let key = token.key.whole();
        let none = token.value.first().eq_ignore_ascii_case("no") && spec.default == Some("no");
        match spec.support {
            Support::Refused(_) if none => return,
            Support::Refused(_) => {
                let files = matches!(self.phase, Object::Fsd | Object::Fwd);
                let run = self.file.file_systems && self.phase == Object::Rd;
                if !(files || run) {
                    self.refuse(Some(spec), key);
                }
                return;
            }
            Support::NoEffect(reason) => {
                let message = format!("`{}` has no effect here: {reason}", spec.name);
                self.says
                    .push(Diagnostic::note("no-effect", message).at(key, ""));
            }
            Support::Full => {}
        }
        for (word, reason) in spec.refused_in(&token.value) {
            let message = format!("`{}={word}` is not supported: {reason}", spec.name);
            let error = Diagnostic::error("not-supported", message);
            self.says.push(error.at(token.value.span, ""));
        }
        if let Err(fault) = spec.kind.check(&token.value) {
            let message = format!("`{}`: {}", spec.name, fault.text);
            self.says.push(
                Diagnostic::error("value-not-understood", message)
                    .at(fault.span, "")
                    .expected(spec.kind.name()),
            );
            // It is there: what is wrong with it is said once.
        }
        self.warn_of_percent(spec, &token);
        if self.current.name == "default" && spec.is(&row::sd::LUN) {
            self.says.push(
                Diagnostic::error("lun-in-default", "defaults of storage have no lun").at(key, ""),
            );
            return;
        }
        if spec.is(&row::rd::WD) && self.given_here(spec) {
            self.says.push(
                Diagnostic::error("workloads-twice", "a run has one `wd=`")
                    .at(key, "")
                    .hint(
                        "write several workloads as `wd=(w1,w2)`; workload definitions come \
                         before all runs",
                    ),
            );
            return;
        }
        self.current.set(Entry {
            spec,
            value: token.value,
            key,
        });
    }

    /// Whether the present object, its defaults apart, has this entry.
    fn given_here(&self, spec: &KeywordSpec) -> bool {
        let place = |d: &Definition| d.get(spec).map(|e| e.key);
        let template = self
            .templates
            .iter()
            .find(|t| t.object == self.current.object);
        place(&self.current).is_some_and(|key| template.and_then(place) != Some(key))
    }

    fn warn_of_percent(&mut self, spec: &KeywordSpec, token: &Token) {
        let percent = spec.kind == Kind::Percent || spec.varies.is_some_and(Varied::is_percent);
        let over =
            value::numbers(&token.value).is_ok_and(|all| all.iter().any(|n| n.value > 100.0));
        if over && percent {
            let message = format!("`{}` is over 100; it counts as 100", spec.name);
            self.says.push(
                Diagnostic::warning("percent-over-100", message)
                    .at(token.value.span, "")
                    .expected("0 to 100"),
            );
        }
    }

    fn refuse(&mut self, spec: Option<&KeywordSpec>, at: Span) {
        let Some(spec) = spec else { return };
        if let Support::Refused(reason) = spec.support {
            let (code, message) = if spec.is(&row::sd::STREAMS) {
                ("keyword-moved", reason.to_owned())
            } else {
                let message = format!("`{}` is not supported: {reason}", spec.name);
                ("not-supported", message)
            };
            self.says.push(Diagnostic::error(code, message).at(at, ""));
        }
    }

    fn unknown(&mut self, key: &Text, word: &str) {
        if word == "rg" {
            let message = "`rg` is not supported: replaying a trace is not supported yet";
            self.says
                .push(Diagnostic::error("not-supported", message).at(key.whole(), ""));
            return;
        }
        let elsewhere = [
            Object::General,
            Object::Hd,
            Object::Sd,
            Object::Wd,
            Object::Rd,
        ]
        .into_iter()
        .find(|o| *o != self.phase && keyword::find(*o, word).is_some());
        let near = nearest(word, keyword::of(self.phase).flat_map(KeywordSpec::names));
        let is_of_law =
            self.phase == Object::Sd && leadline_dialect::sim::keys().any(|key| key.name == word);
        let hint = match (elsewhere, near) {
            _ if is_of_law => Some(
                "the law of a simulated volume has its commas in quotes: \
                 lun=\"sim:iops=2000,service=500us\""
                    .to_owned(),
            ),
            (_, Some(near)) if elsewhere.is_none() => Some(format!("did you mean `{near}`?")),
            (Some(Object::General), _) => Some(format!(
                "`{word}` is a general parameter: these come before the first definition"
            )),
            (Some(object), _) => Some(format!(
                "`{word}` belongs to a {}; definitions come in the order hd, sd, wd, rd",
                object.name()
            )),
            (None, _) => None,
        };
        let message = format!("a {} has no keyword `{}`", self.phase.name(), key.as_str());
        self.says.push(
            Diagnostic::error("unknown-keyword", message)
                .at(key.whole(), "")
                .maybe_hint(hint),
        );
    }
}

fn replace(mut line: Text, from: &str, to: &str) -> Text {
    let mut at = 0;
    while let Some(found) = line.as_str()[at..].find(from) {
        let start = at + found;
        line = line.replaced(start, start + from.len(), to);
        at = start + to.len();
    }
    line
}
