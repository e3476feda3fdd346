//! A job while it is read: the options in effect, where each came from, and how one more is applied.
//!
//! Belongs here: inheritance, inverse options, slots kept from an earlier value.
//! Must never appear here: what an option does to a plan.

use crate::table::{self, Choice, Kind, List, Opt, OptionSpec, Support, Time, Typed, key, options};
use crate::value::{self, Value};
use leadline_dialect::diagnostic::{Diagnostic, SourceId, Span};
use leadline_dialect::text::Text;
use leadline_model::op::PerOp;
use leadline_model::plan::{Amount, Given};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// An option in effect.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) spec: &'static OptionSpec,
    pub(crate) value: Value,
    /// The value as it was written.
    pub(crate) text: Text,
    /// Name and value.
    pub(crate) span: Span,
    /// It came from a global section.
    pub(crate) inherited: bool,
}

/// A job, or the template of jobs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    /// Section name; generated file names are made of it.
    pub(crate) section: String,
    pub(crate) span: Span,
    settings: BTreeMap<&'static str, Setting>,
    /// Options given for this job itself, in order.
    pub(crate) given: Vec<Given>,
    /// The job opens a new stage although it does not say so: the first of a further job file.
    pub(crate) opens_stage: bool,
}

impl Job {
    /// A job that starts from this template.
    pub(crate) fn derive(&self, section: &str, span: Span) -> Self {
        let mut settings = self.settings.clone();
        for setting in settings.values_mut() {
            setting.inherited = true;
        }
        Self {
            section: section.to_owned(),
            span,
            settings,
            given: Vec::new(),
            opens_stage: false,
        }
    }

    /// Applies an option to this job.
    pub(crate) fn apply(
        &mut self,
        spec: &'static OptionSpec,
        text: Option<&Text>,
        span: Span,
        sink: &mut Vec<Diagnostic>,
    ) {
        let value = match text {
            None if spec.kind == Kind::Flag => Some(Value::Flag(true)),
            None if spec.kind == Kind::List && spec.name.starts_with("write_") => {
                Some(Value::Text(String::new()))
            }
            None => {
                let message = format!("`{}` needs a value", spec.name);
                sink.push(
                    Diagnostic::error("value-missing", message)
                        .at(span, "")
                        .expected(spec.kind.name())
                        .maybe_hint(spec.default.map(|d| format!("the default is `{d}`"))),
                );
                return;
            }
            Some(text) if text.is_empty() => {
                let message = format!("`{}` has an empty value", spec.name);
                sink.push(
                    Diagnostic::error("value-missing", message)
                        .at(span, "")
                        .expected(spec.kind.name()),
                );
                return;
            }
            Some(text) => {
                let before = sink.len();
                let value = value::parse(spec, text, self.kb_base(), sink);
                if matches!(spec.support, Support::Refused(_)) && value.is_none() {
                    // The refusal says enough.
                    sink.truncate(before);
                    Some(Value::Text(text.as_str().to_owned()))
                } else {
                    value
                }
            }
        };
        let Some(value) = value else { return };
        let text = text.cloned().unwrap_or_default();
        self.given.push(Given {
            name: spec.name.to_owned(),
            value: text.as_str().to_owned(),
        });
        support(spec, &value, span, sink);
        self.put(Setting {
            spec,
            value,
            text,
            span,
            inherited: false,
        });
    }

    /// Stores a setting, under the name of the option it is the inverse of, with slots it leaves
    /// open kept from before.
    fn put(&mut self, mut setting: Setting) {
        let spec = setting.spec;
        let name = if spec.is(&key::BUFFERED) {
            key::DIRECT.name
        } else if spec.is(&key::CPUMASK) {
            // Two ways to say the same; the last one holds.
            key::CPUS_ALLOWED.name
        } else if spec.is(&key::RWMIXWRITE) {
            key::RWMIXREAD.name
        } else {
            spec.name
        };
        let old = self.settings.get(name).map(|s| &s.value);
        match (&mut setting.value, old) {
            (Value::Flag(on), _) if spec.is(&key::BUFFERED) => *on = !*on,
            (Value::Number(n), _) if spec.is(&key::RWMIXWRITE) => {
                let percent = setting.text.as_str().contains('%');
                *n = if percent { 100 } else { 100 - *n };
            }
            (Value::PerOp(new), Some(Value::PerOp(old))) => {
                new.read = new.read.or(old.read);
                new.write = new.write.or(old.write);
                new.trim = new.trim.or(old.trim);
            }
            (Value::Ranges(new), Some(Value::Ranges(old))) => {
                new.read = new.read.or(old.read);
                new.write = new.write.or(old.write);
                new.trim = new.trim.or(old.trim);
            }
            _ => {}
        }
        self.settings.insert(name, setting);
    }

    fn kb_base(&self) -> u64 {
        if self.word(&key::KB_BASE) == "1000" {
            1000
        } else {
            1024
        }
    }

    /// The setting of an option, when it was given.
    pub(crate) fn get(&self, option: &OptionSpec) -> Option<&Setting> {
        self.settings.get(option.name)
    }

    /// All settings, by name.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.settings.values()
    }

    /// Where an option was given, or the job itself.
    pub(crate) fn span_of(&self, option: &OptionSpec) -> Span {
        self.get(option).map_or(self.span, |s| s.span)
    }

    /// The value, when it was given.
    pub(crate) fn given<K: Typed>(&self, option: &Opt<K>) -> Option<K::Value> {
        K::of(&self.get(option)?.value)
    }

    /// Value given, or the table's default.
    fn effective<K: Typed>(&self, option: &Opt<K>) -> Option<K::Value> {
        match self.get(option) {
            Some(setting) => K::of(&setting.value),
            None => K::of(defaults().get(option.name)?),
        }
    }

    /// A flag or a 0-or-1 option.
    pub(crate) fn flag(&self, option: &Opt<impl Typed<Value = bool>>) -> bool {
        self.effective(option).unwrap_or_default()
    }

    /// A number; 0 without value and default.
    pub(crate) fn number(&self, option: &Opt<impl Typed<Value = i64>>) -> i64 {
        self.effective(option).unwrap_or_default()
    }

    /// A number that is not negative; its range in the table must fit.
    pub(crate) fn natural<T: TryFrom<i64> + Default>(
        &self,
        option: &Opt<impl Typed<Value = i64>>,
    ) -> T {
        T::try_from(self.number(option)).unwrap_or_default()
    }

    /// A number, when it was given.
    pub(crate) fn given_number<T: TryFrom<i64>>(
        &self,
        option: &Opt<impl Typed<Value = i64>>,
    ) -> Option<T> {
        T::try_from(self.given(option)?).ok()
    }

    /// Microseconds; 0 without value and default.
    pub(crate) fn micros(&self, option: &Opt<impl Typed<Value = Time>>) -> u64 {
        self.effective(option).map_or(0, |Time(us)| us)
    }

    /// Bytes or percent.
    pub(crate) fn amount(&self, option: &Opt<impl Typed<Value = Amount>>) -> Option<Amount> {
        self.effective(option)
    }

    /// The word of a choice; empty without value and default.
    pub(crate) fn word(&self, option: &Opt<Choice>) -> &'static str {
        self.effective(option).unwrap_or_default()
    }

    /// The text after a choice's `:`.
    pub(crate) fn suffix(&self, option: &Opt<Choice>) -> Option<&Text> {
        match &self.get(option)?.value {
            Value::Choice(_, suffix) => suffix.as_ref(),
            _ => None,
        }
    }

    /// Values for reads, writes and trims, as far as given.
    pub(crate) fn per_op(
        &self,
        option: &Opt<impl Typed<Value = PerOp<Option<u64>>>>,
    ) -> PerOp<Option<u64>> {
        self.given(option).unwrap_or_default()
    }

    /// Text of a text option.
    pub(crate) fn text(&self, option: &Opt<table::Text>) -> Option<&str> {
        match &self.get(option)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a list option with its place.
    pub(crate) fn list(&self, option: &Opt<List>) -> Option<&Text> {
        self.get(option).map(|s| &s.text)
    }
}

/// The defaults of the table as values, by name.
fn defaults() -> &'static BTreeMap<&'static str, Value> {
    static DEFAULTS: OnceLock<BTreeMap<&'static str, Value>> = OnceLock::new();
    DEFAULTS.get_or_init(|| {
        let value = |spec: &'static OptionSpec| {
            let text = Text::new(SourceId(0), 0, spec.default?);
            let value = value::parse(spec, &text, 1024, &mut Vec::new())?;
            Some((spec.name, value))
        };
        options().iter().copied().filter_map(value).collect()
    })
}

/// Reports an option that changes nothing, or is not supported.
fn support(spec: &'static OptionSpec, value: &Value, span: Span, sink: &mut Vec<Diagnostic>) {
    // Switched off is what leadline does anyway.
    let off = matches!(
        value,
        Value::Flag(false) | Value::Number(0) | Value::Time(0)
    );
    match spec.support {
        Support::Full => {}
        Support::NoEffect(reason) => {
            let message = format!("`{}` has no effect: {reason}", spec.name);
            sink.push(Diagnostic::note("no-effect", message).at(span, ""));
        }
        Support::Refused(_) if off => {}
        Support::Refused(reason) => {
            let message = format!("`{}` is not supported: {reason}", spec.name);
            sink.push(Diagnostic::error("not-supported", message).at(span, ""));
        }
    }
}
