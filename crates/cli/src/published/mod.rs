//! Limits that providers publish, of a set-up that the user describes, and a run against them.
//!
//! Belongs here: from the options of `leadline limits`, wherever they are given, to what a run is at. Must never: do the
//! arithmetic (`leadline_limits`), or print.

mod metadata;
pub(crate) mod of_result;
pub(crate) mod of_run;

use crate::args::{Cli, LimitsArgs, Verb};
use crate::cloud;
use crate::diagnostics::say_diagnostics;
use crate::out;
use clap::Parser;
use leadline_limits::{Answer, Asked, Here, Parsed, Setup, parse};
use leadline_model::cure::Cure;
use leadline_model::finding::{Finding, Severity};
use leadline_results::run::Run;
use std::path::Path;

/// Code: which limit of a described set-up the run comes nearest to.
const CODE: &str = "published-limit";

/// A set-up that was described, with the rows that may be about it.
#[derive(Debug)]
pub(crate) struct Described {
    parsed: Parsed,
    asked: Vec<Asked>,
    /// What this machine says of itself, where that was asked for.
    pub(crate) here: Option<Here>,
    /// What is to be said of that.
    pub(crate) remarks: Vec<String>,
}

impl Described {
    /// The set-up of these options; what is wrong is said, and `None` comes back.
    pub(crate) fn of(args: &LimitsArgs) -> Option<Self> {
        let read = args.limits.iter().map(|path| read(path));
        // All that cannot be read is said, and what is wrong with the others too.
        let read: Vec<_> = read.map(|one| one.map_err(|why| out::say(&why))).collect();
        let texts = read.iter().flatten();
        let files: Vec<(&str, &str)> = texts
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let mut asked = options(args);
        let mut remarks = Vec::new();
        let here = args.here.then(|| cloud::found(cloud::SERVICE));
        if let Some(here) = &here {
            remarks.extend(metadata::take(here, &mut asked, &files));
        }
        let parsed = parse(&asked, &files);
        let right = say_diagnostics(&parsed.diagnostics, &parsed.sources);
        (right && read.iter().all(Result::is_ok)).then_some(Self {
            parsed,
            asked,
            here,
            remarks,
        })
    }

    /// The set-up in the value of `--setup`: options of `leadline limits` in one text.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let words = shell_words::split(text).map_err(|error| error.to_string());
        let cli = words.and_then(|words| {
            let line = ["leadline", "limits"].map(str::to_owned).into_iter();
            Cli::try_parse_from(line.chain(words)).map_err(|error| error.render().to_string())
        });
        let args = match cli {
            Ok(Cli {
                verb: Verb::Limits(args),
            }) => args,
            Ok(_) => return None,
            Err(why) => {
                out::say(&format!("error: --setup {text}: {}", why.trim_end()));
                return None;
            }
        };
        let of_a_question = [
            ("--run", args.run.is_some()),
            ("--measured", !args.measured.is_empty()),
            ("--demand", args.demand.is_some()),
            ("--table", args.table),
            ("--json", args.json),
        ];
        let mut fine = true;
        for (option, _) in of_a_question.iter().filter(|(_, given)| *given) {
            out::say(&format!(
                "error: --setup: {option} does not describe a set-up"
            ));
            fine = false;
        }
        let described = Self::of(&args).filter(|_| fine)?;
        if described.is_empty() {
            out::say("error: --setup describes nothing");
            out::say(
                "  hint: --setup '--vm D8s_v3 --disk 3xP30' or '--service anf-premium --quota 10TiB'",
            );
            return None;
        }
        Some(described)
    }

    /// Whether no option describes anything.
    pub(crate) const fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// The set-up.
    pub(crate) fn setup(&self) -> Setup {
        self.parsed.setup.clone()
    }

    /// What comes out for a set-up.
    pub(crate) fn answer(&self, setup: Setup, table: bool) -> Answer {
        Answer::of(setup, &self.parsed.book, table)
    }

    /// Which limit a run comes nearest to, as a finding; none where it has neither reads nor writes.
    pub(crate) fn finding(&self, run: &Run) -> Option<Finding> {
        let answer = |setup| self.answer(setup, false);
        let of_run = of_run::compared(run, &self.setup(), &answer)?;
        Some(Finding {
            code: CODE.to_owned(),
            severity: Severity::Info,
            stage: Some(of_run.stage),
            workload: None,
            text: format!(
                "By the limits of the set-up that was described, {}.",
                of_run.line.trim_end_matches('.')
            ),
            cure: Cure::none(),
        })
    }
}

/// A file's name and text, or why it cannot be read.
fn read(path: &Path) -> Result<(String, String), String> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("error: {}: {error}", path.display()))?;
    Ok((path.display().to_string(), text))
}

/// The options that were set, as the language has them.
fn options(args: &LimitsArgs) -> Vec<Asked> {
    let one = [
        ("service", &args.service),
        ("quota", &args.quota),
        ("assigned", &args.assigned),
        ("pool", &args.pool),
        ("vm", &args.vm),
        ("nfs", &args.nfs),
        ("nconnect", &args.nconnect),
        ("bs", &args.bs),
        ("read", &args.read),
        ("latency", &args.latency),
        ("inflight", &args.inflight),
        ("flows", &args.flows),
        ("demand", &args.demand),
    ];
    let one = one
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.clone()?)));
    let disks = args.disk.iter().map(|value| ("disk", value.clone()));
    let measured = args
        .measured
        .iter()
        .map(|value| ("measured", value.clone()));
    let large = args.large.then(|| ("large", String::new()));
    one.chain(large).chain(disks).chain(measured).collect()
}
