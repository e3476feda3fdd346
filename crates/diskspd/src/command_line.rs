//! DISKSPD's command line: options of one word each, then targets. What each option is worth is decided
//! in two passes, as DISKSPD does: the block size and what may be beside a profile come first.
//!
//! Belongs here: the grammar of words and their order. Must never appear here: what options mean.

use crate::beside::Common;
use crate::options;
use crate::reader::{Opt, Reader, Word};
use crate::switches::ShowOnly;
use crate::table::{self, Reading};
use crate::xml;
use leadline_dialect::diagnostic::{Diagnostic, Span, nearest};

/// Whether the command line is about a profile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsProfile {
    Unknown,
    Yes,
    No,
}

/// Reads all words.
pub(super) fn read(reader: &mut Reader<'_>, args: &[String]) {
    let words = words(reader, args);
    if words.is_empty() {
        reader.switches.show = Some(ShowOnly::Usage { asked: false });
        return;
    }
    let (opts, targets) = split(reader, &words);
    if opts
        .iter()
        .any(|opt| opt.letter == '?' || opt.text == "--help")
    {
        reader.switches.show = Some(ShowOnly::Usage { asked: true });
        reader.diagnostics.clear();
        return;
    }
    let (common, profile) = first_pass(reader, &opts);
    system_only(reader, &opts, &targets);
    if let Some(opt) = profile {
        if !reader.has_errors() {
            xml::read(reader, &opt, &targets);
        }
        common.apply(reader);
        return;
    }
    for opt in &opts {
        if let Some(Reading::Target(read)) = table::reading(opt) {
            read(reader, opt);
        }
    }
    let nothing_runs = matches!(reader.switches.show, Some(ShowOnly::System))
        || !reader.switches.events.set.is_empty();
    if targets.is_empty() && !nothing_runs {
        let end = words.last().map_or(Span::default(), |w| w.span);
        reader.say(
            Diagnostic::error("no-target", "need to provide at least one filename")
                .at(Span::new(end.source, end.end, end.end), "")
                .expected("the path of a file or a block device after the options"),
        );
    }
    options::finish(reader, &targets);
    common.apply(reader);
}

/// The words with their places in one line.
fn words(reader: &mut Reader<'_>, args: &[String]) -> Vec<Word> {
    let mut line = String::new();
    let mut starts = Vec::with_capacity(args.len());
    for arg in args {
        if !line.is_empty() {
            line.push(' ');
        }
        starts.push(line.len());
        line.push_str(arg);
    }
    let source = reader.sources.add("command line", line);
    let word = |(arg, start): (&String, usize)| Word {
        text: arg.clone(),
        span: Span::new(source, start, start + arg.len()),
    };
    args.iter().zip(starts).map(word).collect()
}

/// Options apart from targets. An option after a target is an error.
fn split(reader: &mut Reader<'_>, words: &[Word]) -> (Vec<Opt>, Vec<Word>) {
    let (mut opts, mut targets) = (Vec::new(), Vec::new());
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        if let Some(dash) = pasted_dash(&word.text) {
            let bare = &word.text[dash.len_utf8()..];
            let message = format!(
                "`{}` begins with `{dash}`, which is not a hyphen",
                word.text
            );
            reader.say(
                Diagnostic::error("pasted-dash", message)
                    .at(word.span, "")
                    .expected("an option, or a path")
                    .hint(format!(
                        "write `-{bare}`; a file of that name is `./{}`",
                        word.text
                    )),
            );
        } else if !is_switch(reader, &word.text) {
            if word.text.is_empty() {
                reader.say(
                    Diagnostic::error("empty-target", "a target without a name").at(word.span, ""),
                );
            }
            targets.push(word.clone());
        } else if !targets.is_empty() {
            let message = format!(
                "parameters ({}) must come before targets on the command line",
                word.text
            );
            reader.say(
                Diagnostic::error("target-first", message)
                    .at(word.span, "")
                    .hint(format!("a file of that name is `./{}`", word.text)),
            );
        } else if let Some(reading) = table::own(own_name(&word.text)) {
            own(reader, word, reading, &mut rest);
        } else {
            let mut chars = word.text.chars().skip(1);
            let letter = chars.next().unwrap_or('\0');
            let value = chars.collect();
            let next = rest.peek().filter(|w| !is_switch(reader, &w.text));
            opts.push(Opt {
                text: word.text.clone(),
                value,
                letter,
                span: word.span,
                next: next.map(|w| w.text.clone()),
            });
        }
    }
    (opts, targets)
}

/// The dash a word processor made of a hyphen.
fn pasted_dash(text: &str) -> Option<char> {
    let dash = text.chars().next()?;
    ('\u{2010}'..='\u{2015}')
        .contains(&dash)
        .then_some(dash)
        .or((dash == '\u{2212}').then_some(dash))
}

/// `-` begins an option, and so does `/` unless the word is a path here.
fn is_switch(reader: &Reader<'_>, text: &str) -> bool {
    match text.strip_prefix('/') {
        Some(rest) => !rest.contains('/') && !reader.host.exists(text),
        None => text.starts_with('-'),
    }
}

/// The name of one of leadline's own options, as far as `=`.
fn own_name(text: &str) -> &str {
    text.split('=').next().unwrap_or("")
}

/// Reads one of leadline's own options: its value is after `=`, or the next word.
fn own<'a>(
    reader: &mut Reader<'_>,
    word: &Word,
    reading: Reading,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a Word>>,
) {
    let name = own_name(&word.text);
    let value = word.text.split_once('=').map(|(_, value)| value.to_owned());
    match (reading, value) {
        (Reading::Flag(set), None) => set(&mut reader.switches),
        (Reading::Flag(_), Some(_)) => {
            let message = format!("`{name}` takes no value");
            reader.say(Diagnostic::error("value-not-taken", message).at(word.span, ""));
        }
        (Reading::Value(set), value) => {
            match value.or_else(|| rest.next().map(|w| w.text.clone())) {
                Some(value) if !value.is_empty() => set(&mut reader.switches, value),
                _ => {
                    let message = format!("`{name}` needs a value");
                    reader.say(
                        Diagnostic::error("value-missing", message)
                            .at(word.span, "")
                            .expected(format!("`{name}=...`")),
                    );
                }
            }
        }
        _ => {}
    }
}

/// What is common to both kinds of command line, the block size, and the profile if there is one.
fn first_pass(reader: &mut Reader<'_>, opts: &[Opt]) -> (Common, Option<Opt>) {
    let mut common = Common::default();
    let mut xml = IsProfile::Unknown;
    let mut profile = None;
    let mut other = None;
    for opt in opts {
        reader.places.insert(opt.letter, opt.span);
        let separation = opt.letter == 'b' && opt.value.starts_with('s');
        match opt.letter {
            'X' if xml == IsProfile::Unknown => {
                xml = IsProfile::Yes;
                profile = Some(opt.clone());
            }
            'X' => {
                let mut d =
                    Diagnostic::error("several-profiles", "multiple XML profiles specified (-X)")
                        .at(opt.span, "");
                if let (None, Some(span)) = (&profile, other) {
                    d = d.at(span, "only -v -z -R -W -d -C may accompany a profile");
                }
                reader.say(d);
            }
            'b' if xml == IsProfile::Yes && !separation => reader.wrong(
                "not-with-profile",
                "-b is not compatible with -X XML profile specification",
                opt,
            ),
            letter if !table::is_letter(letter) => not_an_option(reader, opt),
            letter if !table::composes(letter) && xml == IsProfile::Yes => {
                let message = format!(
                    "invalid XML profile specification; parameter {} not compatible with -X",
                    opt.text
                );
                reader.wrong("not-with-profile", message, opt);
            }
            letter if !table::composes(letter) => {
                xml = IsProfile::No;
                other = other.or(Some(opt.span));
                if let Some(Reading::First(read)) = table::reading(opt) {
                    read(reader, opt);
                }
            }
            _ => {
                if let Some(Reading::Beside(read)) = table::reading(opt) {
                    read(&mut common, reader, opt);
                }
            }
        }
    }
    (common, profile)
}

fn not_an_option(reader: &mut Reader<'_>, opt: &Opt) {
    let message = format!("invalid option: '{}'", opt.text);
    let hint = if opt.text.starts_with("--") {
        let own = table::options().filter(|spec| spec.since == table::Since::Own);
        let names: Vec<&str> = own.filter_map(|s| s.form.split('=').next()).collect();
        nearest(
            opt.text.split('=').next().unwrap_or(""),
            names.iter().copied(),
        )
        .map(|near| format!("did you mean `{near}`?"))
    } else if opt.text.starts_with('/') {
        Some(format!("a file of that name is `/{}`", opt.text))
    } else {
        let other = if opt.letter.is_ascii_uppercase() {
            opt.letter.to_ascii_lowercase()
        } else {
            opt.letter.to_ascii_uppercase()
        };
        table::is_letter(other).then(|| format!("did you mean `-{other}{}`?", opt.value))
    };
    reader.say(
        Diagnostic::error("not-an-option", message)
            .at(opt.span, "")
            .maybe_hint(hint),
    );
}

fn system_only(reader: &mut Reader<'_>, opts: &[Opt], targets: &[Word]) {
    if reader.switches.show != Some(ShowOnly::System) {
        return;
    }
    if opts.len() > 1 || !targets.is_empty() {
        let span = reader.places.get(&'R').copied().unwrap_or_default();
        reader.say(Diagnostic::error("not-alone", "-Rs must be the only parameter").at(span, ""));
    }
}
