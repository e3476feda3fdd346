//! XML profiles: read in any order of elements, written as DISKSPD 2.2 writes them.
//!
//! Belongs here: DISKSPD's elements and attributes. Must never appear here: checks that hold for command
//! lines as well (see `validate`).

mod read;
mod tree;
mod write;

pub use write::profile_xml;

use super::profile::Profile;
use super::reader::{Opt, Reader, Word};
use leadline_dialect::diagnostic::{Diagnostic, SourceId, Span};

/// Reads the profile that `-X` names, and puts the targets of the command line in place of `*1`, `*2`
/// and so on.
pub(super) fn read(reader: &mut Reader<'_>, opt: &Opt, targets: &[Word]) {
    let name = opt.value.clone();
    if name.is_empty() {
        return reader.bad_value(opt, "the path of an XML profile");
    }
    let text = match reader.host.read_file(&name) {
        Ok(text) => text,
        Err(reason) => {
            let message = format!("cannot read the profile `{name}`: {reason}");
            return reader.wrong("profile-unreadable", message, opt);
        }
    };
    let text = text.trim_start_matches('\u{feff}').to_owned();
    let source = reader.sources.add(&name, &text);
    match read::profile(&text, source) {
        Ok(profile) => {
            reader.profile = profile;
            substitute(reader, targets);
        }
        Err(diagnostics) => reader.diagnostics.extend(diagnostics),
    }
    reader.profile_text = Some((name, text));
}

/// Reads a profile from its text; the diagnostics point into the source with number 0.
///
/// # Errors
/// All that is wrong with the text.
pub fn read_profile(text: &str) -> Result<Profile, Vec<Diagnostic>> {
    read::profile(text, SourceId(0))
}

fn substitute(reader: &mut Reader<'_>, targets: &[Word]) {
    let mut used = vec![false; targets.len()];
    let spans = reader.profile.time_spans.iter_mut();
    for target in spans.flat_map(|span| span.targets.iter_mut()) {
        let number = target.path.strip_prefix('*').and_then(|n| n.parse().ok());
        let Some(index) = number.and_then(|n: usize| n.checked_sub(1)) else {
            continue;
        };
        if let (Some(word), Some(used)) = (targets.get(index), used.get_mut(index)) {
            target.path.clone_from(&word.text);
            *used = true;
        }
    }
    for ((word, _), number) in targets.iter().zip(used).zip(1..).filter(|((_, u), _)| !u) {
        let message = format!(
            "unused template target substitution: the profile has no target `*{number}` for `{}`",
            word.text
        );
        let diagnostic = Diagnostic::error("template-unused", message).at(word.span, "");
        reader.say(diagnostic);
    }
}

/// Where a part of an XML text is.
fn place(source: SourceId, range: std::ops::Range<usize>) -> Span {
    Span::new(source, range.start, range.end)
}
