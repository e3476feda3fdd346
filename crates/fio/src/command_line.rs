//! fio's command line: `--name=value`, `--name value`, `-name value`, prefixes that mean one option
//! only, job files anywhere between.
//!
//! Belongs here: the grammar of words. Must never appear here: what options mean.

use crate::job::Job;
use crate::job_file;
use crate::reader::Reader;
use crate::switches::{self, SwitchSpec};
use crate::table::{self, Kind, OptionSpec, key};
use leadline_dialect::diagnostic::{Diagnostic, SourceId, Span, nearest};
use leadline_dialect::spec::Takes;
use leadline_dialect::text::Text;

/// What a word with dashes names.
#[derive(Clone, Copy)]
enum Named {
    Switch(&'static SwitchSpec),
    Option(&'static OptionSpec),
}

impl Named {
    fn takes(self) -> Takes {
        match self {
            Self::Switch(spec) => spec.takes,
            Self::Option(spec) if spec.kind == Kind::Flag => Takes::Optional,
            Self::Option(_) => Takes::Value,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Switch(spec) => spec.name,
            Self::Option(spec) => spec.name,
        }
    }
}

/// A word with dashes and its value.
struct Word {
    named: Named,
    value: Option<Text>,
    span: Span,
}

/// Reads the command line and the job files it names.
pub(crate) fn read(reader: &mut Reader<'_>, args: &[String]) {
    let mut starts = Vec::with_capacity(args.len());
    let mut line = String::new();
    for arg in args {
        if !line.is_empty() {
            line.push(' ');
        }
        starts.push(line.len());
        line.push_str(arg);
    }
    let source = reader.sources.add("command line", line);
    let texts: Vec<Text> = args
        .iter()
        .zip(starts)
        .map(|(arg, start)| Text::new(source, start, arg))
        .collect();
    let (words, files) = split(reader, &texts);
    // Switches first: which sections run must be known before the first job.
    for word in &words {
        if let Named::Switch(spec) = word.named {
            let mut sink = std::mem::take(&mut reader.diagnostics);
            reader
                .switches
                .apply(spec, word.value.as_ref(), word.span, &mut sink);
            reader.diagnostics = sink;
        }
    }
    jobs(reader, &words);
    read_files(reader, &files, source);
}

fn split(reader: &mut Reader<'_>, texts: &[Text]) -> (Vec<Word>, Vec<Text>) {
    let mut words = Vec::new();
    let mut files = Vec::new();
    let mut rest = texts.iter();
    while let Some(text) = rest.next() {
        let word = text.as_str();
        if word == "--" {
            files.extend(rest.by_ref().cloned());
        } else if word == "-" || !word.starts_with('-') {
            files.push(text.clone());
        } else {
            let dashes = if word.starts_with("--") { 2 } else { 1 };
            let end = word.find('=').unwrap_or(word.len());
            let name = text.slice(dashes, end.max(dashes));
            let mut value = (end < word.len()).then(|| text.slice(end + 1, text.len()));
            let Some(named) = lookup(reader, &name) else {
                continue;
            };
            if named.takes() == Takes::Nothing && value.is_some() {
                let message = format!("`--{}` takes no value", named.name());
                reader.say(Diagnostic::error("value-not-taken", message).at(text.whole(), ""));
                continue;
            }
            let mut span = text.whole();
            if named.takes() == Takes::Value && value.is_none() {
                value = rest.next().cloned();
                match &value {
                    Some(value) => span.end = value.whole().end,
                    None => {
                        let message = format!("`--{}` needs a value", named.name());
                        reader.say(Diagnostic::error("value-missing", message).at(span, ""));
                        continue;
                    }
                }
            }
            words.push(Word { named, value, span });
        }
    }
    (words, files)
}

/// The option or switch of a name, or of a prefix that only one has.
fn lookup(reader: &mut Reader<'_>, name: &Text) -> Option<Named> {
    let text = name.as_str();
    // fio's `--profile` and `--version` are switches although `profile` is an option too.
    if let Some(spec) = switches::find(text) {
        return Some(Named::Switch(spec));
    }
    if let Some(spec) = table::find(text) {
        return Some(Named::Option(spec));
    }
    match text {
        "v" => return switches::find("version").map(Named::Switch),
        "h" => return switches::find("help").map(Named::Switch),
        _ => {}
    }
    let switches = switches::SWITCHES
        .iter()
        .filter(|s| !s.own)
        .map(|s| (s.name, Named::Switch(s)));
    let options = table::options()
        .iter()
        .flat_map(|s| s.names().map(move |n| (n, Named::Option(s))));
    let found: Vec<(&str, Named)> = switches
        .chain(options)
        .filter(|(n, _)| n.starts_with(text) && !text.is_empty())
        .collect();
    match found.as_slice() {
        [] => {
            reader.unknown_option(name, true);
            None
        }
        [(_, first), others @ ..] if others.iter().all(|(_, o)| o.name() == first.name()) => {
            Some(*first)
        }
        several => {
            let names: Vec<&str> = several.iter().map(|(n, _)| *n).take(12).collect();
            let hint = nearest(text, names.iter().copied())
                .map(|near| format!("did you mean `--{near}`?"));
            let message = format!("`{text}` is short for more than one option");
            reader.say(
                Diagnostic::error("ambiguous-option", message)
                    .at(name.whole(), "")
                    .expected(format!("one of {}", names.join(", ")))
                    .maybe_hint(hint),
            );
            None
        }
    }
}

/// Jobs of the command line: options before the first `--name` are global.
fn jobs(reader: &mut Reader<'_>, words: &[Word]) {
    let mut current: Option<Job> = None;
    for word in words {
        let Named::Option(spec) = word.named else {
            continue;
        };
        let trimmed = word.value.as_ref().map(Text::trimmed);
        if spec.is(&key::NAME) {
            if let Some(done) = current.take() {
                reader.keep(done);
            }
            let name = trimmed.as_ref().map_or("", Text::as_str);
            if name.starts_with("global") {
                continue;
            }
            reader.seen_sections.push(name.to_owned());
            let mut job = reader.start_job(name, word.span);
            job.apply(spec, trimmed.as_ref(), word.span, &mut reader.diagnostics);
            current = Some(job);
            continue;
        }
        if let Some(value) = &word.value {
            reader.blank_before_value(value, spec, word.span);
        }
        let job = current.as_mut().unwrap_or(&mut reader.template);
        job.apply(spec, trimmed.as_ref(), word.span, &mut reader.diagnostics);
    }
    if let Some(done) = current {
        reader.keep(done);
    }
}

fn read_files(reader: &mut Reader<'_>, files: &[Text], source: SourceId) {
    for (i, file) in files.iter().enumerate() {
        if i > 0 {
            if i == 1
                && !reader.template.given.is_empty()
                && reader.has_command_line_globals(source)
            {
                let message = "options before the first job apply to the first job file only";
                reader.say(
                    Diagnostic::warning("globals-for-first-file-only", message)
                        .at(file.whole(), "they do not apply to this file")
                        .hint("repeat them in its [global] section"),
                );
            }
            reader.template = Job::default();
        }
        let start = reader.jobs.len();
        job_file::read(reader, file);
        if i > 0
            && let Some(first) = reader.jobs.get_mut(start)
        {
            first.opens_stage = true;
        }
    }
}

impl Reader<'_> {
    fn has_command_line_globals(&self, source: SourceId) -> bool {
        self.template.settings().any(|s| s.span.source == source)
    }
}
