//! What fio's command line says beside the plan: where output goes, in which form, how progress is
//! shown. One table, and the values read from it.
//!
//! Belongs here: switches and their values. Must never appear here: options of jobs (see `table`).

use crate::clients;
use leadline_dialect::diagnostic::{Diagnostic, Span, nearest};
use leadline_dialect::spec::{RunFile, Support, Takes};
use leadline_dialect::text::Text;

/// A form of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// fio's text for people.
    Normal,
    /// fio's semicolon-separated line; also `minimal` and `csv`.
    Terse,
    /// fio's JSON.
    Json,
    /// fio's JSON with the histograms' bins.
    JsonPlus,
}

/// When the line of progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eta {
    /// On a terminal.
    #[default]
    Auto,
    /// Even without a terminal.
    Always,
    /// Not at all.
    Never,
}

/// Help that was asked for in place of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Help {
    /// `--help`.
    Usage,
    /// `--version`.
    Version,
    /// `--cmdhelp`, of one option or of all.
    Command(Option<String>),
    /// `--enghelp`, of one engine (and one of its options) or of all.
    Engine(Option<String>),
}

/// Everything the command line says that is not the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSwitches {
    /// `--output`: results go to this file rather than to standard output.
    pub output: Option<String>,
    /// `--output-format`: the forms asked for, in order, none twice; never empty.
    pub formats: Vec<OutputFormat>,
    /// `--append-terse` was given.
    pub append_terse: bool,
    /// `--terse-version`, 2 to 5.
    pub terse_version: u8,
    /// `--eta`.
    pub eta: Eta,
    /// `--eta-interval` in milliseconds, at least 250.
    pub eta_interval_ms: u64,
    /// `--eta-newline` in milliseconds; 0 = never.
    pub eta_newline_ms: u64,
    /// `--status-interval` in milliseconds; 0 = never.
    pub status_interval_ms: u64,
    /// `--parse-only`: nothing runs.
    pub parse_only: bool,
    /// `--showcmd`: the jobs are shown as a command line, and nothing runs.
    pub showcmd: bool,
    /// `--section`: only these sections run; empty = all.
    pub sections: Vec<String>,
    /// `--readonly`: a job that writes is an error.
    pub readonly: bool,
    /// `--help`, `--version`, `--cmdhelp` or `--enghelp`: the last one given.
    pub help: Option<Help>,
    /// `--max-jobs`; leadline has no such limit.
    pub max_jobs: Option<u64>,
    /// `--warnings-fatal` or `--strict`: warnings are errors.
    pub strict: bool,
    /// `--aux-path`: where files made by a run go.
    pub aux_path: Option<String>,
    /// `--client`: hosts to run the jobs on, or a file of them.
    pub clients: Vec<String>,
    /// `--leadline-run`.
    pub run_file: RunFile,
    /// `--leadline-force`: results replace any file that is there.
    pub force: bool,
    /// `--destroy`: block devices that may be overwritten although they carry data.
    pub destroy: Vec<String>,
}

impl Default for RunSwitches {
    fn default() -> Self {
        Self {
            output: None,
            formats: vec![OutputFormat::Normal],
            append_terse: false,
            terse_version: 3,
            eta: Eta::Auto,
            eta_interval_ms: 1000,
            eta_newline_ms: 0,
            status_interval_ms: 0,
            parse_only: false,
            showcmd: false,
            sections: Vec::new(),
            readonly: false,
            help: None,
            max_jobs: None,
            strict: false,
            aux_path: None,
            clients: Vec::new(),
            run_file: RunFile::Default,
            force: false,
            destroy: Vec::new(),
        }
    }
}

/// A switch of the command line.
#[derive(Clone, Copy, Debug)]
pub struct SwitchSpec {
    /// Name without the dashes.
    pub name: &'static str,
    /// Whether it takes a value.
    pub takes: Takes,
    /// How far leadline goes with it.
    pub support: Support,
    /// leadline's own: not reachable by a prefix, so that prefixes mean what they mean to fio.
    pub own: bool,
    /// What it does, in one sentence.
    pub help: &'static str,
}

const fn switch(name: &'static str, takes: Takes, help: &'static str) -> SwitchSpec {
    SwitchSpec {
        name,
        takes,
        support: Support::Full,
        own: false,
        help,
    }
}

const fn no(name: &'static str, takes: Takes, help: &'static str, why: &'static str) -> SwitchSpec {
    SwitchSpec {
        name,
        takes,
        support: Support::Refused(why),
        own: false,
        help,
    }
}

const fn idle(
    name: &'static str,
    takes: Takes,
    help: &'static str,
    why: &'static str,
) -> SwitchSpec {
    SwitchSpec {
        name,
        takes,
        support: Support::NoEffect(why),
        own: false,
        help,
    }
}

const fn own(name: &'static str, takes: Takes, help: &'static str) -> SwitchSpec {
    SwitchSpec {
        name,
        takes,
        support: Support::Full,
        own: true,
        help,
    }
}

const REMOTE: &str = "fio's client and server protocol is not supported";
const TERSE: &str = "terse output is not supported yet; use --output-format=json";
const TRIGGER: &str = "triggers are not supported yet";
const SELF_TEST: &str = "it tests fio itself";

/// All switches.
pub const SWITCHES: &[SwitchSpec] = {
    use Takes::{Nothing, Optional, Value};
    &[
        switch("output", Value, "Writes the results to this file."),
        switch(
            "output-format",
            Value,
            "Forms of the results: normal, json, json+; several with `,`.",
        ),
        no("minimal", Nothing, "Terse output.", TERSE),
        no(
            "append-terse",
            Nothing,
            "Adds terse output to the normal one.",
            TERSE,
        ),
        switch("terse-version", Value, "Version of terse output, 2 to 5."),
        switch("version", Nothing, "Shows the version."),
        switch("help", Nothing, "Shows this help."),
        switch("cmdhelp", Optional, "Shows help for an option, or for all."),
        switch("enghelp", Optional, "Shows help for an engine, or for all."),
        switch(
            "showcmd",
            Nothing,
            "Shows the jobs as a command line and ends.",
        ),
        switch("parse-only", Nothing, "Reads the jobs and ends."),
        switch("readonly", Nothing, "Refuses jobs that write."),
        switch(
            "section",
            Value,
            "Runs only this section; may be given several times.",
        ),
        switch("eta", Value, "Shows progress: always, never or auto."),
        switch(
            "eta-interval",
            Value,
            "Time between lines of progress, at least 250 ms.",
        ),
        switch(
            "eta-newline",
            Value,
            "Starts a new line of progress so often.",
        ),
        switch(
            "status-interval",
            Value,
            "Shows the results so far, in full, so often during the run.",
        ),
        idle(
            "max-jobs",
            Value,
            "Most jobs of a run.",
            "leadline needs no limit in advance",
        ),
        switch("warnings-fatal", Nothing, "Treats warnings as errors."),
        idle(
            "aux-path",
            Value,
            "Where files made by a run go.",
            "a run makes no files but its targets and its run file",
        ),
        idle(
            "alloc-size",
            Value,
            "Memory for fio's own use.",
            "leadline needs no such memory",
        ),
        no(
            "bandwidth-log",
            Optional,
            "Writes logs of throughput.",
            "fio's log files are not supported yet",
        ),
        no(
            "debug",
            Value,
            "Shows fio's inner working.",
            "it shows the inner working of fio; use `leadline plan`",
        ),
        no(
            "profile",
            Value,
            "A built-in workload of fio.",
            "built-in profiles of fio are not part of leadline",
        ),
        no("server", Optional, "Waits for clients.", REMOTE),
        switch(
            "client",
            Value,
            "Runs the jobs on this host too: a name, or a file with a name a line; by OpenSSH, without a \
             fio server.",
        ),
        no("remote-config", Value, "Job files on the server.", REMOTE),
        no(
            "daemonize",
            Value,
            "Runs the server in the background.",
            REMOTE,
        ),
        no(
            "idle-prof",
            Value,
            "Measures how idle the CPUs are.",
            "leadline always records the CPU's share; the option is not supported",
        ),
        no(
            "inflate-log",
            Value,
            "Unpacks a compressed log.",
            "fio's log files are not supported yet",
        ),
        no(
            "merge-blktrace-only",
            Nothing,
            "Merges traces and ends.",
            "replay of recorded I/O is not supported yet",
        ),
        no(
            "trigger-file",
            Value,
            "File that fires the trigger.",
            TRIGGER,
        ),
        no(
            "trigger-timeout",
            Value,
            "Time that fires the trigger.",
            TRIGGER,
        ),
        no("trigger", Value, "Command the trigger starts.", TRIGGER),
        no(
            "trigger-remote",
            Value,
            "Command the trigger starts on a server.",
            TRIGGER,
        ),
        no("crctest", Optional, "Measures checksums.", SELF_TEST),
        no("memcpytest", Optional, "Measures copies.", SELF_TEST),
        no(
            "dedupe-test",
            Optional,
            "Measures deduplication.",
            SELF_TEST,
        ),
        no(
            "cpuclock-test",
            Nothing,
            "Tests the CPU's clock.",
            SELF_TEST,
        ),
        own(
            "leadline-run",
            Value,
            "Where leadline's run file goes; `none` for nowhere.",
        ),
        own(
            "leadline-force",
            Nothing,
            "Writes the results over a file that neither fio nor leadline made.",
        ),
        own("strict", Nothing, "Treats warnings as errors."),
        own(
            "destroy",
            Value,
            "Allows writing to this block device although it carries data.",
        ),
    ]
};

impl RunSwitches {
    /// Takes a switch into account; what is wrong with it is told.
    pub(crate) fn apply(
        &mut self,
        spec: &'static SwitchSpec,
        value: Option<&Text>,
        span: Span,
        sink: &mut Vec<Diagnostic>,
    ) {
        match spec.support {
            Support::Full => {}
            Support::NoEffect(reason) => {
                let message = format!("`--{}` changes nothing: {reason}", spec.name);
                sink.push(Diagnostic::note("no-effect", message).at(span, ""));
            }
            Support::Refused(reason) => {
                let message = format!("`--{}` is not supported: {reason}", spec.name);
                sink.push(Diagnostic::error("not-supported", message).at(span, ""));
            }
        }
        let text = value.map_or("", Text::as_str);
        let owned = || text.to_owned();
        match spec.name {
            "output" => self.output = Some(owned()),
            "output-format" => self.set_formats(text, span, sink),
            "minimal" => self.formats = vec![OutputFormat::Terse],
            "append-terse" => self.append_terse = true,
            "terse-version" => match text.trim().parse() {
                Ok(version @ 2..=5) => self.terse_version = version,
                _ => wrong(span, "a version from 2 to 5", sink),
            },
            "version" => self.help = Some(Help::Version),
            "help" => self.help = Some(Help::Usage),
            "cmdhelp" => self.help = Some(Help::Command(value.map(|_| owned()))),
            "enghelp" => self.help = Some(Help::Engine(value.map(|_| owned()))),
            "showcmd" => self.showcmd = true,
            "parse-only" => self.parse_only = true,
            "readonly" => self.readonly = true,
            "section" => self.sections.push(owned()),
            "eta" => self.set_eta(text, span, sink),
            "eta-interval" => {
                self.eta_interval_ms = millis(text, span, sink).unwrap_or(1000);
                if self.eta_interval_ms < 250 {
                    wrong(span, "a time of at least 250 ms", sink);
                }
            }
            "eta-newline" => self.eta_newline_ms = millis(text, span, sink).unwrap_or(0),
            "status-interval" => {
                self.status_interval_ms = match millis(text, span, sink) {
                    Some(0) => {
                        wrong(span, "a time above 0", sink);
                        0
                    }
                    other => other.unwrap_or(0),
                };
            }
            "max-jobs" => self.max_jobs = text.trim().parse().ok(),
            "warnings-fatal" | "strict" => self.strict = true,
            "aux-path" => self.aux_path = Some(owned()),
            "client" => self.clients.extend(clients::host_of(text, span, sink)),
            "leadline-run" => self.run_file = RunFile::of(text),
            "leadline-force" => self.force = true,
            "destroy" => self.destroy.push(owned()),
            _ => {}
        }
    }

    fn set_formats(&mut self, text: &str, span: Span, sink: &mut Vec<Diagnostic>) {
        const KNOWN: [&str; 6] = ["normal", "terse", "minimal", "csv", "json", "json+"];
        self.formats.clear();
        for word in text.split(',') {
            let format = match word.trim() {
                "normal" => OutputFormat::Normal,
                "json" => OutputFormat::Json,
                "json+" => OutputFormat::JsonPlus,
                "terse" | "minimal" | "csv" => {
                    let message = format!("`--output-format={word}` is not supported: {TERSE}");
                    sink.push(Diagnostic::error("not-supported", message).at(span, ""));
                    OutputFormat::Terse
                }
                other => {
                    let hint = nearest(other, KNOWN).map(|n| format!("did you mean `{n}`?"));
                    sink.push(
                        Diagnostic::error(
                            "unknown-value",
                            format!("no output format is called `{other}`"),
                        )
                        .at(span, "")
                        .expected("normal, json or json+")
                        .maybe_hint(hint),
                    );
                    continue;
                }
            };
            if !self.formats.contains(&format) {
                self.formats.push(format);
            }
        }
        if self.formats.is_empty() {
            self.formats.push(OutputFormat::Normal);
        }
    }

    fn set_eta(&mut self, text: &str, span: Span, sink: &mut Vec<Diagnostic>) {
        self.eta = match text {
            "always" => Eta::Always,
            "never" => Eta::Never,
            "auto" => Eta::Auto,
            _ => {
                let message = format!("fio passes over `--eta={text}`: it stays as it was");
                sink.push(
                    Diagnostic::warning("unknown-value-ignored", message)
                        .at(span, "")
                        .expected("always, never or auto"),
                );
                self.eta
            }
        };
    }
}

fn wrong(span: Span, expected: &str, sink: &mut Vec<Diagnostic>) {
    sink.push(
        Diagnostic::error("bad-switch-value", "the value of this switch is not usable")
            .at(span, "")
            .expected(expected),
    );
}

/// A time in milliseconds; a bare number counts seconds.
fn millis(text: &str, span: Span, sink: &mut Vec<Diagnostic>) -> Option<u64> {
    let Ok(number) = crate::number::time(text, crate::number::TimeUnit::Seconds) else {
        wrong(
            span,
            "a time with one of the units h, m, s, ms, us or none",
            sink,
        );
        return None;
    };
    for remark in &number.remarks {
        sink.push(
            Diagnostic::warning(remark.code, remark.message.clone())
                .at(span, "")
                .hint(remark.hint.clone()),
        );
    }
    u64::try_from(number.value / 1000).ok()
}

/// The switch of this name.
pub(crate) fn find(name: &str) -> Option<&'static SwitchSpec> {
    SWITCHES.iter().find(|s| s.name == name)
}
