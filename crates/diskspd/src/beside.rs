//! The options that may be beside a profile: what they are worth, and how they change it.
//!
//! Belongs here: values that hold for both kinds of command line. Must never appear here: options of targets
//! (see `options`).

use crate::number;
use crate::profile::ResultFormat;
use crate::reader::{Opt, Reader};
use crate::switches::ShowOnly;
use leadline_dialect::diagnostic::Diagnostic;

/// What may be said beside a profile.
#[derive(Default)]
pub(super) struct Common {
    seed: Option<u32>,
    warmup: Option<u32>,
    duration: Option<u32>,
    cooldown: Option<u32>,
    format: Option<ResultFormat>,
    verbose: bool,
    verbose_stats: bool,
    flags: Option<u32>,
}

/// `-W`.
pub(super) fn warmup(common: &mut Common, reader: &mut Reader<'_>, opt: &Opt) {
    common.warmup = seconds(reader, opt, "warmup time (-W)");
}

/// `-d`.
pub(super) fn duration(common: &mut Common, reader: &mut Reader<'_>, opt: &Opt) {
    common.duration = seconds(reader, opt, "measured duration time (-d)");
}

/// `-C`.
pub(super) fn cooldown(common: &mut Common, reader: &mut Reader<'_>, opt: &Opt) {
    common.cooldown = seconds(reader, opt, "cooldown time (-C)");
}

/// `-v`.
pub(super) fn verbose(common: &mut Common, reader: &mut Reader<'_>, opt: &Opt) {
    match opt.value.as_str() {
        "" => common.verbose = true,
        "s" => common.verbose_stats = true,
        other => {
            let message = format!("invalid verbose mode (-v): '{other}'");
            reader.wrong("bad-value", message, opt);
        }
    }
}

/// `-z`.
pub(super) fn seed(common: &mut Common, reader: &mut Reader<'_>, opt: &Opt) {
    if opt.value.is_empty() {
        common.seed = Some(reader.host.ticks());
        return;
    }
    common.seed = number::seed(&opt.value);
    let Some(seed) = common.seed else {
        let message = format!(
            "invalid random seed value '{}' specified - must be a valid 32 bit integer",
            opt.value
        );
        return reader.wrong("bad-number", message, opt);
    };
    if seed.to_string() != opt.value {
        let message = format!("the seed is {seed}: only 32 bits are used");
        reader.say(Diagnostic::warning("lenient-number", message).at(opt.value_span(), ""));
    }
}

/// `-:`.
pub(super) fn experiments(common: &mut Common, reader: &mut Reader<'_>, opt: &Opt) {
    let number = number::loose(&opt.value);
    common.flags = Some(number.value.unsigned_abs());
    reader.idle("-:<mask>", opt);
}

/// `-R`.
pub(super) fn results(common: &mut Common, reader: &mut Reader<'_>, opt: &Opt) {
    let mut rest = opt.value.as_str();
    if let Some(after) = rest.strip_prefix('p') {
        reader.switches.show = Some(ShowOnly::Profile);
        rest = after;
    } else if let Some(after) = rest.strip_prefix('s') {
        reader.switches.show = Some(ShowOnly::System);
        rest = after;
    }
    match rest {
        "xml" => common.format = Some(ResultFormat::Xml),
        "text" => common.format = Some(ResultFormat::Text),
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

impl Common {
    /// Puts it into the profile. What was not said stays as the profile has it.
    pub(super) fn apply(&self, reader: &mut Reader<'_>) {
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
                .maybe_hint(opt.next.as_ref().map(|next| {
                    format!("write option and value as one word: `{}{next}`", opt.text)
                })),
        );
    } else if number.bent {
        reader.bent(opt, &opt.value, value);
    }
    Some(value)
}
