//! fio's job files: sections, `key=value` lines, comments, includes, variables.
//!
//! Belongs here: the grammar of lines. Must never appear here: what options mean; the file system.

use crate::arithmetic;
use crate::job::Job;
use crate::reader::Reader;
use crate::table::{self, OptionSpec, key};
use leadline_dialect::diagnostic::{Diagnostic, Severity, SourceId, Span};
use leadline_dialect::text::Text;

/// Includes nest no deeper; fio has no limit and runs out of stack.
const MAX_DEPTH: u32 = 16;

/// An option of a section, waiting for the end of the section.
struct Item {
    spec: &'static OptionSpec,
    value: Option<Text>,
    span: Span,
}

/// What the lines at hand belong to.
enum LineOwner {
    /// None yet.
    Outside,
    /// The template.
    Global,
    /// A job.
    Job { name: String, span: Span },
    /// A job that `--section` leaves out.
    LeftOut,
}

/// Most jobs of a file, as in fio.
const MOST_JOBS: usize = 4096;

/// Longest line in bytes: what an option holds is far shorter, and each of its bytes is kept with its place.
const LONGEST_LINE: usize = 1 << 20;

struct File {
    /// An include of this section that was not found: fio reads no more options of the section, and fails when
    /// there are any.
    broken: Option<Diagnostic>,
    section: LineOwner,
    items: Vec<Item>,
    jobs_seen: usize,
}

/// Reads a job file; `name` is how the command line calls it, `-` for standard input.
pub(crate) fn read(reader: &mut Reader<'_>, name: &Text) {
    let path = name.as_str();
    let text = match reader.host.read_file(path) {
        Ok(text) => text,
        Err(why) => {
            let message = format!("job file `{path}` cannot be read: {why}");
            reader.say(Diagnostic::error("file-unreadable", message).at(name.whole(), ""));
            return;
        }
    };
    let shown = if path == "-" { "standard input" } else { path };
    let source = reader.sources.add(shown, text.clone());
    let mut file = File {
        broken: None,
        section: LineOwner::Outside,
        items: Vec::new(),
        jobs_seen: 0,
    };
    file.lines(reader, path, source, &text, 0);
    file.finish(reader);
}

impl File {
    fn lines(
        &mut self,
        reader: &mut Reader<'_>,
        path: &str,
        source: SourceId,
        text: &str,
        depth: u32,
    ) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let at = start;
            start += line.len();
            if line.len() > LONGEST_LINE {
                let message = format!("this line is longer than {} KiB", LONGEST_LINE >> 10);
                let span = Span::new(source, at, at + 1);
                reader.say(Diagnostic::error("line-too-long", message).at(span, ""));
                continue;
            }
            if let Some(line) = uncommented(reader, source, at, line) {
                self.line(reader, path, &line, depth);
            }
        }
    }

    fn line(&mut self, reader: &mut Reader<'_>, path: &str, line: &Text, depth: u32) {
        if line.as_str().starts_with('[') {
            if depth > 0 {
                let message = "an included file may not contain sections";
                reader.say(Diagnostic::error("section-in-include", message).at(line.whole(), ""));
                return;
            }
            self.finish(reader);
            self.open(reader, line);
            return;
        }
        if line.as_str().starts_with("include") {
            self.include(reader, path, line, depth);
            return;
        }
        match self.section {
            LineOwner::Outside => {
                let message = format!("`{}` comes before the first section", line.as_str());
                reader.say(
                    Diagnostic::error("option-outside-section", message)
                        .at(line.whole(), "")
                        .expected("a section header such as `[global]` above it"),
                );
            }
            LineOwner::LeftOut => {}
            LineOwner::Global | LineOwner::Job { .. } => self.option(reader, line),
        }
    }

    /// A section's name is everything but the brackets; fio takes whatever is last for the second.
    fn open(&mut self, reader: &mut Reader<'_>, line: &Text) {
        let text = line.as_str();
        let mut end = text.len() - text.chars().next_back().map_or(0, char::len_utf8);
        if !text.ends_with(']') || text.len() < 2 {
            end = end.max(1);
            let message = "this section is not closed; fio drops its last character";
            reader.say(
                Diagnostic::warning("section-unclosed", message)
                    .at(line.whole(), "")
                    .expected("a `]` at the end"),
            );
        }
        let name = &text[1..end];
        if name.starts_with("global") {
            if name != "global" {
                let message = format!("fio reads `[{name}]` as a global section, not as a job");
                reader.say(
                    Diagnostic::warning("section-is-global", message)
                        .at(line.whole(), "")
                        .hint("a job's name may not start with `global`"),
                );
            }
            if self.jobs_seen > 0 {
                let message = "this global section does not affect the jobs above it";
                reader.say(
                    Diagnostic::warning("late-global", message)
                        .at(line.whole(), "")
                        .hint("move it above the first job if it is meant for all jobs"),
                );
            }
            self.section = LineOwner::Global;
            return;
        }
        reader.seen_sections.push(name.to_owned());
        if reader.wants(name) && self.jobs_seen == MOST_JOBS {
            let message = format!("more than {MOST_JOBS} jobs, the maximum in fio");
            reader.say(Diagnostic::error("too-many-jobs", message).at(line.whole(), ""));
            self.jobs_seen += 1;
        }
        if self.jobs_seen > MOST_JOBS {
            self.section = LineOwner::LeftOut;
        } else if reader.wants(name) {
            self.jobs_seen += 1;
            self.section = LineOwner::Job {
                name: name.to_owned(),
                span: line.whole(),
            };
        } else {
            self.section = LineOwner::LeftOut;
        }
    }

    /// Applies what was gathered for the section, units first and file names last.
    fn finish(&mut self, reader: &mut Reader<'_>) {
        if let Some(missing) = self.broken.take() {
            reader.say(missing);
        }
        let mut items = std::mem::take(&mut self.items);
        items.sort_by_key(|item| item.spec.priority());
        match std::mem::replace(&mut self.section, LineOwner::LeftOut) {
            LineOwner::Global => apply(&mut reader.template, items, &mut reader.diagnostics),
            LineOwner::Job { name, span } => {
                let mut job = reader.start_job(&name, span);
                apply(&mut job, items, &mut reader.diagnostics);
                reader.keep(job);
            }
            LineOwner::Outside | LineOwner::LeftOut => {}
        }
    }

    fn include(&mut self, reader: &mut Reader<'_>, path: &str, line: &Text, depth: u32) {
        let name = line.slice("include".len(), line.len()).trimmed();
        if matches!(self.section, LineOwner::Outside) {
            let message = "a file can only be included within a section";
            reader.say(Diagnostic::error("option-outside-section", message).at(line.whole(), ""));
            return;
        }
        if matches!(self.section, LineOwner::LeftOut) {
            return;
        }
        if depth >= MAX_DEPTH {
            let message = format!("files are included more than {MAX_DEPTH} deep");
            reader.say(Diagnostic::error("include-too-deep", message).at(line.whole(), ""));
            return;
        }
        let given = name.as_str();
        let beside = match path.rfind('/') {
            Some(slash) if !given.starts_with('/') => format!("{}/{given}", &path[..slash]),
            _ => given.to_owned(),
        };
        let found = match reader.host.read_file(given) {
            Ok(text) => Ok((given.to_owned(), text)),
            Err(_) => reader.host.read_file(&beside).map(|text| (beside, text)),
        };
        match found {
            Ok((path, text)) => {
                let source = reader.sources.add(path.clone(), text.clone());
                self.lines(reader, &path, source, &text, depth + 1);
            }
            Err(why) => {
                let message = format!("`{given}` cannot be included: {why}");
                let missing = Diagnostic::warning("file-unreadable", message).at(line.whole(), "");
                let more = "fio continues without it if it is the last line of its section";
                self.broken.get_or_insert(missing.hint(more));
            }
        }
    }

    fn option(&mut self, reader: &mut Reader<'_>, line: &Text) {
        if let Some(missing) = self.broken.take() {
            reader.say(Diagnostic {
                severity: Severity::Error,
                ..missing
            });
        }
        let line = expand(reader, line);
        let text = line.as_str();
        let equals = text.find('=');
        let name = line.slice(0, equals.unwrap_or(text.len())).trimmed();
        let Some(spec) = table::find(name.as_str()) else {
            reader.unknown_option(&name, false);
            return;
        };
        let value = equals.map(|at| line.slice(at + 1, text.len()));
        if let Some(value) = &value {
            reader.blank_before_value(value, spec, line.whole());
        }
        self.items.push(Item {
            spec,
            value: value.map(|v| v.trimmed()),
            span: line.whole(),
        });
    }
}

fn apply(job: &mut Job, items: Vec<Item>, sink: &mut Vec<Diagnostic>) {
    for item in items {
        job.apply(item.spec, item.value.as_ref(), item.span, sink);
    }
}

/// A line without blanks and comments; nothing when nothing is left.
fn uncommented(
    reader: &mut Reader<'_>,
    source: SourceId,
    start: usize,
    line: &str,
) -> Option<Text> {
    let whole = Text::new(source, start, line).trimmed();
    let text = whole.as_str();
    if text.is_empty() || text.starts_with([';', '#']) {
        return None;
    }
    // Anywhere, without quoting: first the first `;`, then the first `#` of what is left.
    let cut = text.find([';', '#']).unwrap_or(text.len());
    if cut < text.len() {
        let sign = &text[cut..=cut];
        let value_before = text[..cut].contains('=');
        let glued = !text[..cut].ends_with(char::is_whitespace);
        let free_text = table::find(text.split('=').next().unwrap_or("").trim())
            .is_some_and(|spec| spec.is(&key::DESCRIPTION));
        if value_before && (glued || free_text) {
            let message =
                format!("fio treats the rest of the line, from the `{sign}` on, as a comment");
            let diagnostic = if glued {
                Diagnostic::warning("comment-cuts-value", message)
            } else {
                Diagnostic::note("comment-cuts-value", message)
            };
            reader.say(
                diagnostic
                    .at(whole.span(cut, text.len()), "ignored")
                    .hint("it cannot be quoted or escaped"),
            );
        }
    }
    let kept = whole.slice(0, cut).trimmed();
    (!kept.is_empty()).then_some(kept)
}

/// Replaces `${VARIABLE}`, then `$pagesize`, `$mb_memory` and `$ncpus`; only with one of the latter
/// does fio calculate.
fn expand(reader: &mut Reader<'_>, line: &Text) -> Text {
    let mut line = line.clone();
    let mut from = 0;
    while let Some(start) = line.as_str()[from..].find("${").map(|n| n + from) {
        let Some(end) = line.as_str()[start..].find('}').map(|n| n + start) else {
            break;
        };
        let name = line.as_str()[start + 2..end].to_owned();
        let value = match reader.host.env(&name) {
            Some(value) => {
                let one = (name, value.clone());
                if !reader.environment.contains(&one) {
                    reader.environment.push(one);
                }
                value
            }
            None => {
                let message =
                    format!("the variable `{name}` is not set; fio reads an empty string instead");
                let place = line.span(start, end + 1);
                reader.say(Diagnostic::warning("unset-variable", message).at(place, ""));
                String::new()
            }
        };
        line = line.replaced(start, end + 1, &value);
        from = start + value.len();
    }
    let keywords = [
        ("$pagesize", reader.host.page_size()),
        ("$mb_memory", reader.host.memory_mb()),
        ("$ncpus", u64::from(reader.host.cpus())),
    ];
    let mut found = false;
    for (keyword, value) in keywords {
        let value = value.to_string();
        while let Some(at) = line.as_str().find(keyword) {
            found = true;
            line = line.replaced(at, at + keyword.len(), &value);
        }
    }
    if found {
        calculated(reader, line)
    } else {
        line
    }
}

/// The value of a line with a keyword, calculated when there is something to calculate.
fn calculated(reader: &mut Reader<'_>, line: Text) -> Text {
    let text = line.as_str();
    let Some(equals) = text.find('=') else {
        return line;
    };
    let value = text[equals + 1..].trim();
    if !value.contains(['+', '-', '*', '/']) || value.starts_with('(') {
        return line;
    }
    match arithmetic::evaluate(value, &|_| None) {
        Ok(number) => line.replaced(equals + 1, text.len(), &number.to_string()),
        Err(why) => {
            let message = format!("`{value}` cannot be calculated: {why}");
            reader.say(
                Diagnostic::error("bad-expression", message)
                    .at(line.span(equals + 1, text.len()), ""),
            );
            line
        }
    }
}
