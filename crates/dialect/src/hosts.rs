//! Lists of hosts: `a,b,c` on a command line, or a file with a host a line.
//!
//! An item of a list is `[LABEL=][LAUNCHER:][USER@]ADDRESS`. A line of a file is a label, then words: `[USER@]ADDRESS`,
//! `launcher=WORD` (or `launcher="COMMAND WITH {host}"`), `path=FROM:TO`, the last as often as needed; `#` begins a remark.
//! In labels and addresses `[1-24]` and `{1..24}` are ranges. Belongs here: that form and its errors. Must never: resolve
//! a name.

use crate::diagnostic::{Diagnostic, Severity, SourceId, Sources, Span, nearest};
use crate::host::Host;
use crate::ranges;
use leadline_model::plan::{HostSpec, Launcher};
use leadline_model::units::number_of;

/// The hosts of a text, or what is wrong with it.
#[derive(Debug, Default)]
pub struct Hosts {
    /// The hosts; empty when there is an error.
    pub hosts: Vec<HostSpec>,
    /// What is to be said.
    pub diagnostics: Vec<Diagnostic>,
    /// What it is said about.
    pub sources: Sources,
}

/// Most hosts of a run.
pub const MOST: usize = 10_000;

/// Launchers by name.
const LAUNCHERS: [&str; 3] = ["local", "ssh", "slurm"];

/// Reads the value of `--hosts`: the name of a file when there is one of that name, else a list. `launcher` is
/// for hosts that name none.
pub fn parse(given: &str, launcher: Option<&str>, host: &dyn Host) -> Hosts {
    let mut reader = Reader {
        out: Hosts::default(),
        launcher: Launcher::Ssh,
    };
    if let Some(name) = launcher {
        let source = reader.out.sources.add("--launcher", name);
        let span = Span::new(source, 0, name.len());
        reader.launcher = reader.launcher_of(name, span).unwrap_or_default();
    }
    let is_range = ranges::names(given).is_ok_and(|names| names.len() > 1);
    let is_list = given.contains(',') || given.starts_with("ssh://") || is_range;
    match if is_list {
        None
    } else {
        Some(host.read_file(given))
    } {
        Some(Ok(text)) => reader.file(given, &text),
        Some(Err(why)) if given.contains('/') => {
            let source = reader.out.sources.add("--hosts", given);
            let span = Span::new(source, 0, given.len());
            let message = format!("the hosts file cannot be read: {why}");
            reader.error(
                "hosts-file",
                message,
                span,
                "a list such as a,b,c, or a readable file",
            );
        }
        _ => reader.list(given),
    }
    reader.finish()
}

/// An item with ranges as the items that it stands for; its label and its address have as many names.
fn in_full(item: &str) -> Result<Vec<String>, String> {
    let Some((label, rest)) = item.split_once('=') else {
        return ranges::names(item);
    };
    let (labels, rests) = (ranges::names(label)?, ranges::names(rest)?);
    if labels.len() != rests.len() {
        return Err(format!(
            "{label} names {}, but {rest} names {}",
            number_of(labels.len() as u64, "host"),
            rests.len()
        ));
    }
    let both = labels.iter().zip(&rests);
    Ok(both
        .map(|(label, rest)| format!("{label}={rest}"))
        .collect())
}

/// A word of a text and where it is.
struct Word {
    text: String,
    span: Span,
}

struct Reader {
    out: Hosts,
    launcher: Launcher,
}

impl Reader {
    fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        expected: &str,
    ) {
        let error = Diagnostic::error(code, message)
            .at(span, "")
            .expected(expected);
        self.out.diagnostics.push(error);
    }

    fn list(&mut self, given: &str) {
        let source = self.out.sources.add("--hosts", given);
        for (at, item) in ranges::items(given) {
            let span = Span::new(source, at, at + item.len());
            match in_full(item) {
                Ok(all) => all.iter().for_each(|item| self.item(item, span)),
                Err(why) => self.error("hosts-range", why, span, "a range such as vm[1-24]"),
            }
        }
    }

    fn item(&mut self, item: &str, span: Span) {
        let (label, rest) = match item.split_once('=') {
            Some((label, rest)) => (Some(label), rest),
            None => (None, item),
        };
        let known = rest
            .split_once(':')
            .filter(|(name, _)| LAUNCHERS.contains(name));
        let (launcher, address) = match known {
            Some((name, address)) => (self.launcher_of(name, span).unwrap_or_default(), address),
            None => (self.launcher.clone(), rest),
        };
        let (user, address) = user_of(address);
        let spec = HostSpec {
            label: label.unwrap_or(address).to_owned(),
            address: address.to_owned(),
            user,
            launcher,
            paths: Vec::new(),
        };
        self.add(spec, span);
    }

    fn file(&mut self, name: &str, text: &str) {
        let source = self.out.sources.add(name, text);
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let words = self.words(line, source, at);
            at += line.len();
            for words in self.lines_of(&words) {
                if let Some((label, rest)) = words.split_first() {
                    self.line(label, rest);
                }
            }
        }
    }

    /// The lines that one with ranges stands for; its label and its address have as many names.
    fn lines_of(&mut self, words: &[Word]) -> Vec<Vec<Word>> {
        let mut all: Vec<Vec<String>> = Vec::new();
        for word in words {
            // A setting is the same for all.
            let is_setting = word.text.contains('=');
            let names = match is_setting {
                true => Ok(vec![word.text.clone()]),
                false => ranges::names(&word.text),
            };
            match names {
                Ok(names) => all.push(names),
                Err(why) => {
                    self.error("hosts-range", why, word.span, "a range such as vm[1-24]");
                    return Vec::new();
                }
            }
        }
        let count = all.iter().map(Vec::len).max().unwrap_or(0);
        let odd = all
            .iter()
            .position(|names| names.len() != 1 && names.len() != count);
        let alone = |at: usize| !words[at].text.contains('=') && all[at].len() == 1 && count > 1;
        if let Some(at) = odd.or_else(|| (0..words.len()).find(|at| alone(*at))) {
            let message = format!(
                "{} stands for {} of the line's {count} hosts",
                words[at].text,
                all[at].len()
            );
            self.error(
                "hosts-range",
                message,
                words[at].span,
                "as many names in label and address",
            );
            return Vec::new();
        }
        let line = |n: usize| {
            let texts = all.iter().map(|names| names.get(n).or(names.first()));
            let words = texts.zip(words).map(|(text, word)| Word {
                text: text.cloned().unwrap_or_default(),
                span: word.span,
            });
            words.collect()
        };
        (0..count).map(line).collect()
    }

    fn line(&mut self, label: &Word, rest: &[Word]) {
        let mut spec = HostSpec {
            label: label.text.clone(),
            address: String::new(),
            user: None,
            launcher: self.launcher.clone(),
            paths: Vec::new(),
        };
        for word in rest {
            match word.text.split_once('=') {
                Some(("launcher", value)) => {
                    if let Some(launcher) = self.launcher_of(value, word.span) {
                        spec.launcher = launcher;
                    }
                }
                Some(("path", value)) => match value.split_once(':') {
                    Some((from, to)) if !from.is_empty() && !to.is_empty() => {
                        spec.paths.push((from.to_owned(), to.to_owned()));
                    }
                    _ => self.error(
                        "hosts-path",
                        format!("'{value}' does not map one path to another"),
                        word.span,
                        "path=FROM:TO, such as path=/mnt/vol:/data",
                    ),
                },
                Some((key, _)) if !word.text.contains("://") => {
                    let near = nearest(key, ["launcher", "path"]);
                    let error = Diagnostic::error(
                        "hosts-word",
                        format!("'{key}' is not a setting of a host"),
                    )
                    .at(word.span, "")
                    .expected("launcher= or path=")
                    .maybe_hint(near.map(|near| format!("did you mean {near}=?")));
                    self.out.diagnostics.push(error);
                }
                _ if spec.address.is_empty() => {
                    let (user, address) = user_of(&word.text);
                    (spec.user, spec.address) = (user, address.to_owned());
                }
                _ => self.error(
                    "hosts-word",
                    format!("'{}' is a second address for the host", word.text),
                    word.span,
                    "one address per host",
                ),
            }
        }
        self.add(spec, label.span);
    }

    /// The words of a line, without its remark.
    fn words(&mut self, line: &str, source: SourceId, base: usize) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        let mut open: Option<Word> = None;
        let mut quote = None;
        for (at, c) in line.char_indices() {
            let place = Span::new(source, base + at, base + at + c.len_utf8());
            match (quote, c) {
                (Some(q), c) if c == q => quote = None,
                (None, '#') if open.is_none() => break,
                (None, c) if c.is_whitespace() => words.extend(open.take()),
                (quoted, c) => {
                    let word = open.get_or_insert(Word {
                        text: String::new(),
                        span: place,
                    });
                    word.span.end = place.end;
                    if quoted.is_none() && matches!(c, '"' | '\'') {
                        quote = Some(c);
                    } else {
                        word.text.push(c);
                    }
                }
            }
        }
        words.extend(open);
        if quote.is_some()
            && let Some(word) = words.last()
        {
            let span = word.span;
            self.error(
                "hosts-quote",
                "a quote is not closed",
                span,
                "close it with the same quote",
            );
        }
        words
    }

    fn launcher_of(&mut self, name: &str, span: Span) -> Option<Launcher> {
        match name {
            "local" => Some(Launcher::Local),
            "ssh" => Some(Launcher::Ssh),
            "slurm" => Some(Launcher::Slurm),
            other if other.contains(char::is_whitespace) || other.contains("{host}") => {
                Some(Launcher::Template(other.to_owned()))
            }
            other => {
                let near = nearest(other, LAUNCHERS);
                let error =
                    Diagnostic::error("hosts-launcher", format!("'{other}' is not a launcher"))
                        .at(span, "")
                        .expected("local, ssh, slurm, or a command with {host} in it")
                        .maybe_hint(near.map(|near| format!("did you mean {near}?")));
                self.out.diagnostics.push(error);
                None
            }
        }
    }

    fn add(&mut self, spec: HostSpec, span: Span) {
        if spec.label.is_empty() || spec.address().starts_with('-') {
            return self.error(
                "hosts-name",
                format!("'{}' is not a host name", spec.label),
                span,
                "a name or an address",
            );
        }
        if self.out.hosts.iter().any(|h| h.label == spec.label) {
            let error = Diagnostic::error(
                "hosts-twice",
                format!("two hosts have the label '{}'", spec.label),
            )
            .at(span, "")
            .expected("a different label for each host")
            .hint("LABEL=ADDRESS gives a host another label");
            return self.out.diagnostics.push(error);
        }
        self.out.hosts.push(spec);
    }

    fn finish(mut self) -> Hosts {
        let wrong = self
            .out
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error);
        let span = Span::default();
        if !wrong && self.out.hosts.is_empty() {
            self.error(
                "hosts-none",
                "it contains no host",
                span,
                "at least one host",
            );
        } else if self.out.hosts.len() > MOST {
            let message = format!("there are too many hosts: {}", self.out.hosts.len());
            self.error("hosts-many", message, span, "at most 10000");
        } else if !wrong {
            return self.out;
        }
        self.out.hosts.clear();
        self.out
    }
}

/// The user before an address, if any.
fn user_of(address: &str) -> (Option<String>, &str) {
    match address.split_once('@') {
        Some((user, rest)) if !address.contains("://") => (Some(user.to_owned()), rest),
        _ => (None, address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct OneFile(&'static str);

    impl Host for OneFile {
        fn read_file(&self, path: &str) -> Result<String, String> {
            if path == "hosts" {
                Ok(self.0.to_owned())
            } else {
                Err("not there".to_owned())
            }
        }

        fn env(&self, _name: &str) -> Option<String> {
            None
        }

        fn cpus(&self) -> u32 {
            1
        }

        fn page_size(&self) -> u64 {
            4096
        }

        fn memory_mb(&self) -> u64 {
            1
        }
    }

    #[test]
    fn a_list_has_labels_users_and_launchers() {
        let read = parse("a,root@10.0.0.2,x=slurm:n7,local:me", None, &OneFile(""));
        assert_eq!(read.diagnostics, []);
        let short = |h: &HostSpec| {
            let user = h.user.clone().unwrap_or_default();
            (
                h.label.clone(),
                user,
                h.address().to_owned(),
                h.launcher.clone(),
            )
        };
        let all: Vec<_> = read.hosts.iter().map(short).collect();
        let host = |label: &str, user: &str, address: &str, launcher| {
            (
                label.to_owned(),
                user.to_owned(),
                address.to_owned(),
                launcher,
            )
        };
        assert_eq!(
            all,
            [
                host("a", "", "a", Launcher::Ssh),
                host("10.0.0.2", "root", "10.0.0.2", Launcher::Ssh),
                host("x", "", "n7", Launcher::Slurm),
                host("me", "", "me", Launcher::Local),
            ]
        );
        let local = parse("a,b", Some("local"), &OneFile(""));
        assert!(local.hosts.iter().all(|h| h.launcher == Launcher::Local));
    }

    #[test]
    fn a_file_has_a_host_a_line() {
        let text = "# near\nh1 root@10.0.0.1 path=/mnt:/data path=/x:/y\n\n\
                    h2 launcher=\"kubectl exec -i {host} --\" # far\nh3\n";
        let read = parse("hosts", None, &OneFile(text));
        assert_eq!(read.diagnostics, []);
        assert_eq!(read.hosts.len(), 3);
        assert_eq!(read.hosts[0].user.as_deref(), Some("root"));
        assert_eq!(read.hosts[0].paths.len(), 2);
        let words = "kubectl exec -i {host} --".to_owned();
        assert_eq!(read.hosts[1].launcher, Launcher::Template(words));
        assert_eq!(read.hosts[2].address(), "h3");
    }

    #[test]
    fn lines_of_a_file_may_have_ranges() {
        let text =
            "vm{1..3} root@10.0.0.[11-13] launcher=\"x {host}\" path=/mnt:/data\nb[08-09]\nc\n";
        let read = parse("hosts", None, &OneFile(text));
        assert_eq!(read.diagnostics, []);
        let each = read
            .hosts
            .iter()
            .map(|h| (h.label.as_str(), h.address(), h.paths.len()));
        let each: Vec<_> = each.collect();
        let of_vm = [
            ("vm1", "10.0.0.11", 1),
            ("vm2", "10.0.0.12", 1),
            ("vm3", "10.0.0.13", 1),
        ];
        let others = [("b08", "b08", 0), ("b09", "b09", 0), ("c", "c", 0)];
        assert_eq!(each, [&of_vm[..], &others].concat());
        for wrong in [
            "vm{1..3} a[1-2]\n",
            "vm{1..3} a\n",
            "vm a[1-2]\n",
            "vm{3..1}\n",
        ] {
            let read = parse("hosts", None, &OneFile(Box::leak(wrong.into())));
            assert_eq!(read.diagnostics.len(), 1, "{wrong}");
            assert_eq!(read.diagnostics[0].code, "hosts-range", "{wrong}");
        }
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once_with_its_line() {
        let text =
            "a lanucher=ssh\na\nb launcher=sssh\nc path=/x\nd one two\ne launcher=\"x {host}\n-f\n";
        let read = parse("hosts", None, &OneFile(text));
        assert!(read.hosts.is_empty());
        let said: Vec<(usize, &str)> = read
            .diagnostics
            .iter()
            .map(|d| (read.sources.position(d.labels[0].span).0, d.code))
            .collect();
        assert_eq!(
            said,
            [
                (1, "hosts-word"),
                (2, "hosts-twice"),
                (3, "hosts-launcher"),
                (4, "hosts-path"),
                (5, "hosts-word"),
                (6, "hosts-quote"),
                (7, "hosts-name"),
            ]
        );
        assert!(read.diagnostics.iter().all(|d| d.expected.is_some()));
        for nothing in ["", ",", "a,,b", "/not/there", "-o x,b"] {
            let read = parse(nothing, None, &OneFile(""));
            assert!(
                read.hosts.is_empty() && !read.diagnostics.is_empty(),
                "{nothing}"
            );
        }
        assert!(parse("a,b", Some("rsh"), &OneFile("")).hosts.is_empty());
    }
}
