//! A job while it is read: the options in effect, where each came from, and how one more is applied.
//!
//! Belongs here: inheritance, inverse options, slots kept from an earlier value.
//! Must never appear here: what an option does to a plan.

use crate::table::{Kind, OptionSpec, Support, TimeUnit, find, options};
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
        let key = match (setting.spec.name, &mut setting.value) {
            ("buffered", Value::Flag(on)) => {
                *on = !*on;
                "direct"
            }
            // Two ways to say the same; the last one holds.
            ("cpumask", _) => "cpus_allowed",
            ("rwmixwrite", Value::Number(n)) => {
                let percent = setting.text.as_str().contains('%');
                *n = if percent { 100 } else { 100 - *n };
                "rwmixread"
            }
            (name, Value::PerOp(new)) => {
                if let Some(Value::PerOp(old)) = self.settings.get(name).map(|s| &s.value) {
                    new.read = new.read.or(old.read);
                    new.write = new.write.or(old.write);
                    new.trim = new.trim.or(old.trim);
                }
                name
            }
            (name, Value::Ranges(new)) => {
                if let Some(Value::Ranges(old)) = self.settings.get(name).map(|s| &s.value) {
                    new.read = new.read.or(old.read);
                    new.write = new.write.or(old.write);
                    new.trim = new.trim.or(old.trim);
                }
                name
            }
            (name, _) => name,
        };
        self.settings.insert(key, setting);
    }

    fn kb_base(&self) -> u64 {
        if self.word("kb_base") == "1000" {
            1000
        } else {
            1024
        }
    }

    /// The setting of an option, when it was given.
    pub(crate) fn get(&self, name: &str) -> Option<&Setting> {
        debug_assert!(find(name).is_some(), "no option is called {name}");
        self.settings.get(name)
    }

    /// All settings, by name.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.settings.values()
    }

    /// Where an option was given, or the job itself.
    pub(crate) fn span_of(&self, name: &str) -> Span {
        self.get(name).map_or(self.span, |s| s.span)
    }

    /// Value given, or the table's default.
    fn effective(&self, name: &str) -> Option<Value> {
        if let Some(setting) = self.get(name) {
            return Some(setting.value.clone());
        }
        defaults().get(name).cloned()
    }

    /// A flag or a 0-or-1 option.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.effective(name), Some(Value::Flag(true)))
    }

    /// A number; 0 without value and default.
    pub(crate) fn number(&self, name: &str) -> i64 {
        match self.effective(name) {
            Some(Value::Number(n)) => n,
            _ => 0,
        }
    }

    /// A number that is not negative; its range in the table must fit.
    pub(crate) fn natural<T: TryFrom<i64> + Default>(&self, name: &str) -> T {
        T::try_from(self.number(name)).unwrap_or_default()
    }

    /// A number, when it was given.
    pub(crate) fn given_number<T: TryFrom<i64>>(&self, name: &str) -> Option<T> {
        match self.get(name)?.value {
            Value::Number(n) => T::try_from(n).ok(),
            _ => None,
        }
    }

    /// Microseconds; 0 without value and default.
    pub(crate) fn micros(&self, name: &str) -> u64 {
        debug_assert!(matches!(
            find(name).map(|s| s.kind),
            Some(Kind::Time(TimeUnit::Seconds | TimeUnit::Micros))
        ));
        match self.effective(name) {
            Some(Value::Time(us)) => us,
            _ => 0,
        }
    }

    /// Bytes or percent.
    pub(crate) fn amount(&self, name: &str) -> Option<Amount> {
        match self.effective(name) {
            Some(Value::Amount(amount)) => Some(amount),
            _ => None,
        }
    }

    /// The word of a choice; empty without value and default.
    pub(crate) fn word(&self, name: &str) -> &'static str {
        match self.effective(name) {
            Some(Value::Choice(word, _)) => word,
            _ => "",
        }
    }

    /// The text behind a choice's `:`.
    pub(crate) fn suffix(&self, name: &str) -> Option<&Text> {
        match &self.get(name)?.value {
            Value::Choice(_, suffix) => suffix.as_ref(),
            _ => None,
        }
    }

    /// Values for reads, writes and trims, as far as given.
    pub(crate) fn per_op(&self, name: &str) -> PerOp<Option<u64>> {
        match self.get(name).map(|s| &s.value) {
            Some(Value::PerOp(values)) => *values,
            _ => PerOp::default(),
        }
    }

    /// Text of a text option.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match &self.get(name)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a list option with its place.
    pub(crate) fn list(&self, name: &str) -> Option<&Text> {
        self.get(name).map(|s| &s.text)
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
        options().iter().filter_map(value).collect()
    })
}

/// Tells when an option changes nothing, or is not supported.
fn support(spec: &'static OptionSpec, value: &Value, span: Span, sink: &mut Vec<Diagnostic>) {
    // Switched off is what leadline does anyway.
    let off = matches!(
        value,
        Value::Flag(false) | Value::Number(0) | Value::Time(0)
    );
    match spec.support {
        Support::Full => {}
        Support::NoEffect(reason) => {
            let message = format!("`{}` changes nothing: {reason}", spec.name);
            sink.push(Diagnostic::note("no-effect", message).at(span, ""));
        }
        Support::Refused(_) if off => {}
        Support::Refused(reason) => {
            let message = format!("`{}` is not supported: {reason}", spec.name);
            sink.push(Diagnostic::error("not-supported", message).at(span, ""));
        }
    }
}
