//! Options that are done at some of their values only: the table says which; the others are refused by name.

use super::Lowering;
use crate::job::Setting;
use crate::table::Kind;
use crate::value::Value;

/// Whether a value is one of those that are done.
fn is_done(setting: &Setting, values: &[&str]) -> bool {
    let number = |n: i64| values.iter().any(|v| v.parse() == Ok(n));
    match &setting.value {
        Value::Flag(on) => number(i64::from(*on)),
        Value::Number(n) => number(*n),
        Value::Choice(word, _) => values.contains(word),
        Value::PerOp(each) => [each.read, each.write, each.trim]
            .into_iter()
            .flatten()
            .all(|n| i64::try_from(n).is_ok_and(number)),
        _ => true,
    }
}

impl Lowering<'_> {
    /// Refuses the values that are not done.
    pub(super) fn unsupported_values(&mut self) {
        let job = self.job;
        for setting in job.settings() {
            let spec = setting.spec;
            let Some(only) = spec.only else { continue };
            // Engines, and names of files, are checked where their words are understood.
            if only.values.is_empty() || spec.kind == Kind::Text || is_done(setting, only.values) {
                continue;
            }
            if only.beside.is_some_and(|other| job.micros(other) == 0) {
                continue;
            }
            let text = setting.text.as_str();
            let value = if text.is_empty() { "1" } else { text };
            self.refuse(spec, value, only.reason);
        }
    }
}
