//! `leadline limits`: a set-up against what providers publish. The language is `leadline_limits`; here it is wired to
//! files, runs and what the machine says of itself.

mod kept_run;
mod metadata;

use crate::args::LimitsArgs;
use crate::cloud;
use crate::exit::Exit;
use crate::kept;
use crate::out;
use crate::verbs::say_diagnostics;
use leadline_limits::{Answer, Asked, Setup, json, parse, text};
use std::path::Path;

pub(crate) fn run(args: &LimitsArgs) -> Exit {
    let file = match args.limits.as_deref().map(read).transpose() {
        Ok(file) => file,
        Err(why) => {
            out::say(&why);
            return Exit::Usage;
        }
    };
    let file = file
        .as_ref()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    let mut asked = options(args);
    let mut remarks = Vec::new();
    let here = args.here.then(|| cloud::found(cloud::SERVICE));
    if let Some(here) = &here {
        remarks.extend(metadata::take(here, &mut asked, file));
    }
    let parsed = parse(&asked, file);
    if !say_diagnostics(&parsed.diagnostics, &parsed.sources) {
        return Exit::Usage;
    }
    if asked.is_empty() && !args.table && args.run.is_none() && !args.here {
        out::say("error: what is asked about is not said");
        out::say(
            "  hint: --service anf-premium --quota 10TiB, --vm D8s_v3 --disk 3xP30, or --table",
        );
        return Exit::Usage;
    }
    let answer = |setup: Setup| Answer::of(setup, &parsed.book, args.table);
    let mut answer = match &args.run {
        None => answer(parsed.setup.clone()),
        Some(path) => match kept_run::compared(&kept::named(path), &parsed.setup, &answer) {
            Ok(answer) => answer,
            Err((why, exit)) => {
                out::say(&why);
                return exit;
            }
        },
    };
    remarks.append(&mut answer.remarks);
    answer.remarks = remarks;
    answer.here = here;
    out::data(&if args.json {
        json(&answer)
    } else {
        text(&answer)
    });
    Exit::Fine
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
