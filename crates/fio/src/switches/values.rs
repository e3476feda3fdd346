//! What the values of switches mean.
//!
//! Belongs here: meanings too long for a row. Must never appear here: names of switches that a row has.

use super::{Eta, Given, OutputFormat, RunSwitches};
use crate::clients;
use crate::number::{TimeUnit, time};
use leadline_dialect::diagnostic::{Diagnostic, nearest};
use leadline_dialect::text::Text;

/// Why terse output is refused, as a switch and as a format.
pub(super) const TERSE: &str = "terse output is not supported yet; use --output-format=json";

impl<'a> Given<'a> {
    /// The value; empty when there is none.
    pub(super) fn text(&self) -> &'a str {
        self.value.map_or("", Text::as_str)
    }

    /// The same as a text of its own.
    pub(super) fn owned(&self) -> String {
        self.text().to_owned()
    }

    /// What help is asked for; `None` = all.
    pub(super) fn asked(&self) -> Option<String> {
        self.value.map(|text| text.as_str().to_owned())
    }

    fn wrong(&mut self, expected: &str) {
        self.sink.push(
            Diagnostic::error("bad-switch-value", "the value of this switch is not valid")
                .at(self.span, "")
                .expected(expected),
        );
    }

    /// A time in milliseconds; a bare number counts seconds.
    pub(super) fn millis(&mut self) -> Option<u64> {
        let Ok(number) = time(self.text(), TimeUnit::Seconds) else {
            self.wrong("a time with one of the units h, m, s, ms, us or none");
            return None;
        };
        for remark in &number.remarks {
            self.sink.push(
                Diagnostic::warning(remark.code, remark.message.clone())
                    .at(self.span, "")
                    .hint(remark.hint.clone()),
            );
        }
        u64::try_from(number.value / 1000).ok()
    }
}

/// Of a switch that is not done.
pub(super) fn none(_: &mut RunSwitches, _: &mut Given<'_>) {}

pub(super) fn terse_version(run: &mut RunSwitches, given: &mut Given<'_>) {
    match given.text().trim().parse() {
        Ok(version @ 2..=5) => run.terse_version = version,
        _ => given.wrong("a version from 2 to 5"),
    }
}

pub(super) fn eta_interval(run: &mut RunSwitches, given: &mut Given<'_>) {
    run.eta_interval_ms = given.millis().unwrap_or(1000);
    if run.eta_interval_ms < 250 {
        given.wrong("a time of at least 250 ms");
    }
}

pub(super) fn status_interval(run: &mut RunSwitches, given: &mut Given<'_>) {
    let every = given.millis();
    if every == Some(0) {
        given.wrong("a time above 0");
    }
    run.status_interval_ms = every.unwrap_or(0);
}

pub(super) fn client(run: &mut RunSwitches, given: &mut Given<'_>) {
    let host = clients::host_of(given.text(), given.span, given.sink);
    run.clients.extend(host);
}

pub(super) fn formats(run: &mut RunSwitches, given: &mut Given<'_>) {
    const KNOWN: [&str; 6] = ["normal", "terse", "minimal", "csv", "json", "json+"];
    run.formats.clear();
    for word in given.text().split(',') {
        let format = match word.trim() {
            "normal" => OutputFormat::Normal,
            "json" => OutputFormat::Json,
            "json+" => OutputFormat::JsonPlus,
            "terse" | "minimal" | "csv" => {
                let message = format!("`--output-format={word}` is not supported: {TERSE}");
                given
                    .sink
                    .push(Diagnostic::error("not-supported", message).at(given.span, ""));
                OutputFormat::Terse
            }
            other => {
                let hint = nearest(other, KNOWN).map(|n| format!("did you mean `{n}`?"));
                given.sink.push(
                    Diagnostic::error(
                        "unknown-value",
                        format!("there is no output format `{other}`"),
                    )
                    .at(given.span, "")
                    .expected("normal, json or json+")
                    .maybe_hint(hint),
                );
                continue;
            }
        };
        if !run.formats.contains(&format) {
            run.formats.push(format);
        }
    }
    if run.formats.is_empty() {
        run.formats.push(OutputFormat::Normal);
    }
}

pub(super) fn eta(run: &mut RunSwitches, given: &mut Given<'_>) {
    run.eta = match given.text() {
        "always" => Eta::Always,
        "never" => Eta::Never,
        "auto" => Eta::Auto,
        other => {
            let message = format!("fio ignores `--eta={other}`: the setting does not change");
            given.sink.push(
                Diagnostic::warning("unknown-value-ignored", message)
                    .at(given.span, "")
                    .expected("always, never or auto"),
            );
            run.eta
        }
    };
}
