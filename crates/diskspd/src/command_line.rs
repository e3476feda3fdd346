//! DISKSPD's command line: options of one word each, then targets. What each option is worth is decided
//! in two passes, as DISKSPD does: the block size and what may stand beside a profile come first.
//!
//! Belongs here: the grammar of words and their order. Must never appear here: what options mean.

use crate::number;
use crate::options;
use crate::profile::{BufferSeparation, ResultFormat};
use crate::reader::{Opt, Reader, Word};
use crate::switches::ShowOnly;
use crate::table;
use crate::xml;
use leadline_dialect::diagnostic::{Diagnostic, Span, nearest};
use leadline_dialect::spec::RunFile;

/// What may be said beside a profile.
#[derive(Default)]
struct Common {
    seed: Option<u32>,
    warmup: Option<u32>,
    duration: Option<u32>,
    cooldown: Option<u32>,
    format: Option<ResultFormat>,
    verbose: bool,
    verbose_stats: bool,
    flags: Option<u32>,
}

/// Whether the command line is about a profile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Xml {
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
        options::apply(reader, opt);
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

/// Options apart from targets. An option behind a target is an error.
fn split(reader: &mut Reader<'_>, words: &[Word]) -> (Vec<Opt>, Vec<Word>) {
    let (mut opts, mut targets) = (Vec::new(), Vec::new());
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        if let Some(dash) = pasted_dash(&word.text) {
            let bare = &word.text[dash.len_utf8()..];
            let message = format!("`{}` begins with `{dash}`, which is no hyphen", word.text);
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
        } else if own_option(&word.text) {
            let value = own_value(word, &mut rest);
            own(reader, word, value);
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

/// Whether the word is one of leadline's own options.
fn own_option(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or("");
    table::options()
        .any(|spec| spec.since == table::Since::Own && spec.form.split('=').next() == Some(name))
}

/// The value of one of leadline's own options: behind `=`, or the next word when it takes one.
fn own_value<'a>(
    word: &Word,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a Word>>,
) -> Option<String> {
    if let Some((_, value)) = word.text.split_once('=') {
        return Some(value.to_owned());
    }
    let takes = table::options()
        .any(|spec| spec.form.contains('=') && spec.form.split('=').next() == Some(&word.text));
    takes.then(|| rest.next().map(|w| w.text.clone()))?
}

fn own(reader: &mut Reader<'_>, word: &Word, value: Option<String>) {
    let name = word.text.split('=').next().unwrap_or("").to_owned();
    let switches = &mut reader.switches;
    match (name.as_str(), value) {
        ("--reuse", None) => switches.reuse = true,
        ("--strict", None) => switches.strict = true,
        ("--leadline-force", None) => switches.force = true,
        ("--destroy", Some(device)) if !device.is_empty() => switches.destroy.push(device),
        ("--xml", Some(file)) if !file.is_empty() => switches.xml_file = Some(file),
        ("--text", Some(file)) if !file.is_empty() => switches.text_file = Some(file),
        ("--leadline-run", Some(file)) if !file.is_empty() => {
            switches.run_file = RunFile::of(&file)
        }
        ("--reuse" | "--strict" | "--leadline-force", Some(_)) => {
            let message = format!("`{name}` takes no value");
            reader.say(Diagnostic::error("value-not-taken", message).at(word.span, ""));
        }
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

/// What is common to both kinds of command line, the block size, and the profile if there is one.
fn first_pass(reader: &mut Reader<'_>, opts: &[Opt]) -> (Common, Option<Opt>) {
    let mut common = Common::default();
    let mut xml = Xml::Unknown;
    let mut profile = None;
    let mut other = None;
    for opt in opts {
        reader.places.insert(opt.letter, opt.span);
        let separation = opt.letter == 'b' && opt.value.starts_with('s');
        match opt.letter {
            'X' if xml == Xml::Unknown => {
                xml = Xml::Yes;
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
            'b' if xml == Xml::Yes && !separation => reader.wrong(
                "not-with-profile",
                "-b is not compatible with -X XML profile specification",
                opt,
            ),
            letter if !table::is_letter(letter) => not_an_option(reader, opt),
            letter if !table::composes(letter) && xml == Xml::Yes => {
                let message = format!(
                    "invalid XML profile specification; parameter {} not compatible with -X",
                    opt.text
                );
                reader.wrong("not-with-profile", message, opt);
            }
            letter if !table::composes(letter) => {
                xml = Xml::No;
                other = other.or(Some(opt.span));
                if separation {
                    reader.time_span.buffer_separation = buffer_separation(reader, opt);
                } else if letter == 'b' {
                    block_size(reader, opt);
                }
            }
            _ => common.take(reader, opt),
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

fn block_size(reader: &mut Reader<'_>, opt: &Opt) {
    const MESSAGE: &str = "invalid block size passed to -b";
    match number::size(&opt.value, reader.target.block_size).map(u32::try_from) {
        Ok(Ok(0)) => reader.say(
            Diagnostic::error("bad-size", MESSAGE)
                .at(opt.value_span(), "DISKSPD takes 0 and then divides by it")
                .expected("at least 1 byte"),
        ),
        Ok(Ok(size)) if size < u32::MAX => reader.target.block_size = size,
        Ok(_) => reader.bad_size(MESSAGE, "must be below 4 GiB", opt),
        Err(reason) => reader.bad_size(MESSAGE, &reason, opt),
    }
}

fn buffer_separation(reader: &mut Reader<'_>, opt: &Opt) -> Option<BufferSeparation> {
    let flag = opt.tail(1);
    let made = match flag.chars().next() {
        Some('n') => Some(BufferSeparation::SystemDefault),
        Some('p') => Some(BufferSeparation::PdeCacheLine),
        None => {
            reader.wrong("bad-value", "-bs requires a flag character (n or p)", opt);
            None
        }
        Some(c) => {
            let message =
                format!("invalid buffer separation flag '{c}' passed to -bs (expected n or p)");
            reader.wrong("bad-value", message, opt);
            None
        }
    };
    if made.is_some() && flag.len() > 1 {
        let message = format!("unexpected characters after -bs{}", &flag[..1]);
        reader.wrong("bad-value", message, opt);
        return None;
    }
    if made.is_some() {
        reader.idle("-bs<n|p>", opt);
    }
    made
}

impl Common {
    fn take(&mut self, reader: &mut Reader<'_>, opt: &Opt) {
        match opt.letter {
            'W' => self.warmup = seconds(reader, opt, "warmup time (-W)"),
            'd' => self.duration = seconds(reader, opt, "measured duration time (-d)"),
            'C' => self.cooldown = seconds(reader, opt, "cooldown time (-C)"),
            'R' => self.results(reader, opt),
            'v' => match opt.value.as_str() {
                "" => self.verbose = true,
                "s" => self.verbose_stats = true,
                other => {
                    let message = format!("invalid verbose mode (-v): '{other}'");
                    reader.wrong("bad-value", message, opt);
                }
            },
            'z' if opt.value.is_empty() => self.seed = Some(reader.host.ticks()),
            'z' => {
                self.seed = number::seed(&opt.value);
                if self.seed.is_none() {
                    let message = format!(
                        "invalid random seed value '{}' specified - must be a valid 32 bit integer",
                        opt.value
                    );
                    reader.wrong("bad-number", message, opt);
                } else if self.seed.map(|n| n.to_string()).as_ref() != Some(&opt.value) {
                    let value = self.seed.unwrap_or(0);
                    let message = format!("the seed is {value}: it has 32 bits");
                    reader.say(
                        Diagnostic::warning("lenient-number", message).at(opt.value_span(), ""),
                    );
                }
            }
            ':' => {
                let number = number::loose(&opt.value);
                self.flags = Some(number.value.unsigned_abs());
                reader.idle("-:<mask>", opt);
            }
            _ => {}
        }
    }

    /// Puts it into the profile. What was not said stays as the profile has it.
    fn apply(&self, reader: &mut Reader<'_>) {
        let profile = &mut reader.profile;
        profile.result_format = self.format.unwrap_or(profile.result_format);
        profile.verbose |= self.verbose;
        profile.verbose_stats |= self.verbose_stats;
        profile.experiment_flags = self.flags.unwrap_or(profile.experiment_flags);
        for span in &mut profile.time_spans {
            span.rand_seed = self.seed.unwrap_or(span.rand_seed);
            span.warmup = self.warmup.unwrap_or(span.warmup);
            span.duration = self.duration.unwrap_or(span.duration);
            span.cooldown = self.cooldown.unwrap_or(span.cooldown);
        }
    }

    fn results(&mut self, reader: &mut Reader<'_>, opt: &Opt) {
        let mut rest = opt.value.as_str();
        if let Some(behind) = rest.strip_prefix('p') {
            reader.switches.show = Some(ShowOnly::Profile);
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('s') {
            reader.switches.show = Some(ShowOnly::System);
            rest = behind;
        }
        match rest {
            "xml" => self.format = Some(ResultFormat::Xml),
            "text" => self.format = Some(ResultFormat::Text),
            "" if !opt.value.is_empty() => {}
            "" => reader.wrong(
                "bad-value",
                "unspecified results format -R: use [p]<text|xml>",
                opt,
            ),
            other => {
                let message = format!("invalid results format (-R): '{other}'");
                reader.wrong("bad-value", message, opt);
            }
        }
    }
}

fn seconds(reader: &mut Reader<'_>, opt: &Opt, what: &str) -> Option<u32> {
    let number = number::loose(&opt.value);
    let Ok(value) = u32::try_from(number.value) else {
        let message = format!("invalid {what}: '{}'", opt.value);
        reader.wrong("bad-number", message, opt);
        return None;
    };
    if opt.value.is_empty() {
        let message = format!("`{}` without a number means 0 seconds", opt.text);
        reader.say(
            Diagnostic::warning("lenient-number", message)
                .at(opt.span, "")
                .maybe_hint(
                    opt.next.as_ref().map(|next| {
                        format!("a value is written in one word: `{}{next}`", opt.text)
                    }),
                ),
        );
    } else if number.bent {
        reader.bent(opt, &opt.value, value);
    }
    Some(value)
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
