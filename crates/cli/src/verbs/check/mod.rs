//! `leadline check`: what an application asks of storage, by published limits. Profiles and the comparison are
//! `leadline_limits`' matter, the work is a fio job; here it is wired to the engine and the terminal.
//!
//! Must never: judge, or write a file that was there before.

mod shown;

pub(crate) use shown::SCHEMA;

use crate::args::Check;
use crate::exit::Exit;
use crate::fleet::HostsRequest;
use crate::host::ThisHost;
use crate::knobs::Language;
use crate::live::Live;
use crate::session::{self, Listeners};
use crate::simulated::is_simulated;
use crate::verbs::{Refusal, explain, say_diagnostics, say_found};
use crate::{out, place};
use leadline_fio as fio;
use leadline_limits::{
    Judgement, Latency, Profile, ProfileTest, Profiles, Requirement, Sampled, profiles,
};
use leadline_model::event::Outcome;
use leadline_model::finding::Severity;
use leadline_model::plan::{Dialect, Plan};
use leadline_model::units::Nanos;
use leadline_results::run::Run;
use leadline_results::stats::Interval;
use leadline_results::summary::{StageSummary, summarize};
use leadline_results::trust::grade::Grades;
use std::path::Path;

/// Short, so that a test of a second has an interval too.
const SLICE: Nanos = Nanos::from_millis(20);

/// Words of a job that are for the command to say.
const NOT_OF_A_PROFILE: [&str; 8] = [
    "name",
    "directory",
    "filename",
    "filename_format",
    "opendir",
    "output",
    "unlink",
    "stonewall",
];

/// One test with what came out.
struct Judged<'a> {
    test: &'a ProfileTest,
    sampled: Sampled,
    /// How many operations the figure is of.
    count: u64,
    /// Operations that failed: then nothing is decided.
    errors: u64,
    judgement: Judgement,
}

/// A profile with what came out of all its tests.
struct Checked<'a> {
    profile: &'a Profile,
    target: &'a str,
    judgement: Judgement,
    grade: char,
    /// What the grade rests on.
    grade_says: String,
    run_file: Option<String>,
    tests: Vec<Judged<'a>>,
}

pub(crate) fn run(args: &Check) -> Exit {
    let file = match args.profiles.as_deref().map(read).transpose() {
        Ok(file) => file,
        Err(why) => {
            out::say(&why);
            return Exit::Usage;
        }
    };
    let known = profiles(file.as_ref().map(|(name, text)| (&**name, &**text)));
    if !say_diagnostics(&known.diagnostics, &known.sources) {
        return Exit::Usage;
    }
    let (Some(name), Some(target)) = (&args.profile, &args.target) else {
        return list(args, &known);
    };
    let Some(profile) = known.named(name) else {
        let names: Vec<&str> = known.profiles.iter().map(|p| p.name.as_str()).collect();
        out::say(&format!("error: unknown profile {name}"));
        out::say(&format!("  hint: known are {}", names.join(", ")));
        return Exit::Usage;
    };
    check(args, profile, target).unwrap_or_else(|(text, exit)| {
        out::say(&text);
        exit
    })
}

fn read(path: &Path) -> Result<(String, String), String> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("error: {}: {error}", path.display()))?;
    Ok((path.display().to_string(), text))
}

/// Without a profile, those that there are; one without a target lacks it.
fn list(args: &Check, known: &Profiles) -> Exit {
    if let Some(name) = &args.profile {
        out::say(&format!("error: check {name}: no directory given"));
        out::say(&format!("  hint: leadline check {name} DIRECTORY"));
        return Exit::Usage;
    }
    out::data(&match args.json {
        true => shown::profiles_json(&known.profiles),
        false => shown::profiles(&known.profiles),
    });
    Exit::Fine
}

fn check(args: &Check, profile: &Profile, target: &str) -> Result<Exit, Refusal> {
    let (asked, plan) = plan(profile, target)?;
    let live = Live::new(!args.json || out::err_is_terminal()).without_findings();
    let mut listeners = Listeners::new(live.every(Nanos::SECOND));
    listeners.keep_in(&place::runs(), &format!("check-{}", profile.name));
    let result = session::run_plan(&plan, asked.accept, session::interrupt(), &mut listeners);
    let kept = listeners.close();
    let run = listeners.into_run();
    if let Err(error) = &result {
        let exit = explain(error, Language::Of(Dialect::Fio));
        say_found(&run, Severity::Fail);
        return Ok(exit);
    }
    let checked = judged(profile, target, &run, kept.as_deref());
    out::data(&if args.json {
        shown::json(&checked)
    } else {
        shown::text(&checked)
    });
    Ok(match (&run.outcome, checked.judgement) {
        (Some(Outcome::CutShort), _) => Exit::Interrupted,
        (Some(Outcome::Complete), _) if errors(&run) > 0 => Exit::IoErrors,
        (Some(Outcome::Complete), Judgement::Pass) => Exit::Fine,
        (Some(Outcome::Complete), _) => Exit::Limit,
        _ => Exit::Environment,
    })
}

fn errors(run: &Run) -> u64 {
    let stages = summarize(run).stages;
    stages.iter().map(|stage| stage.figures.errors()).sum()
}

/// The tests as stages, one after the other, on files of their own in the target.
fn plan(profile: &Profile, target: &str) -> Result<(HostsRequest, Plan), Refusal> {
    let wrong = |text: String| (text, Exit::Usage);
    let mut words = vec!["--unlink=1".to_owned()];
    match is_simulated(target) {
        true => words.push(format!("--map=*={target}")),
        false => words.push(format!("--directory={target}")),
    }
    for test in &profile.tests {
        let name = format!("leadline-check-{}-{}", profile.name, test.name);
        if !is_simulated(target) {
            is_free(Path::new(target), &name)?;
        }
        words.extend([format!("--name={name}"), "--stonewall".to_owned()]);
        for word in test.job.split_whitespace() {
            let key = word.split('=').next().unwrap_or(word);
            if NOT_OF_A_PROFILE.contains(&key) || key.starts_with('-') {
                let test = &test.name;
                let text = format!(
                    "error: profile {}, test {test}: `{word}` is not allowed in a profile",
                    profile.name
                );
                return Err(wrong(text));
            }
            words.push(format!("--{word}"));
        }
    }
    let (asked, words) = HostsRequest::take_from(&words);
    let asked = asked.ok_or_else(|| wrong("error: the target is not accepted".to_owned()))?;
    let parsed = fio::parse(&words, &ThisHost::with(Some(&asked.targets)));
    let right = say_diagnostics(&parsed.diagnostics, &parsed.sources);
    let unread = || {
        wrong(format!(
            "error: the job of profile {} is not accepted",
            profile.name
        ))
    };
    let mut plan = parsed.plan.filter(|_| right).ok_or_else(unread)?;
    if plan.stages.len() != profile.tests.len() || !asked.settle(&mut plan) {
        return Err(unread());
    }
    plan.interval = SLICE;
    plan.title = format!("check {} on {target}", profile.name);
    Ok((asked, plan))
}

/// Refuses to write over files that are there.
fn is_free(directory: &Path, name: &str) -> Result<(), Refusal> {
    let shown = directory.display();
    let entries = std::fs::read_dir(directory).map_err(|error| {
        let text = format!("error: {shown}: {error}\n  hint: name a directory that exists");
        (text, Exit::Usage)
    })?;
    let is_taken = |entry: &std::fs::DirEntry| {
        let file = entry.file_name();
        file.to_string_lossy().starts_with(name)
    };
    match entries.flatten().find(is_taken) {
        None => Ok(()),
        Some(entry) => {
            let text = format!(
                "error: {} exists, and a check overwrites nothing\n  hint: remove it if an interrupted check left it",
                entry.path().display()
            );
            Err((text, Exit::Refused))
        }
    }
}

fn judged<'a>(
    profile: &'a Profile,
    target: &'a str,
    run: &Run,
    kept: Option<&Path>,
) -> Checked<'a> {
    let summary = summarize(run);
    let stage = |at: usize| {
        let number = u32::try_from(at).ok();
        summary.stages.iter().find(|s| Some(s.stage) == number)
    };
    let tests = profile.tests.iter().enumerate();
    let tests: Vec<Judged<'a>> = tests
        .map(|(at, test)| {
            let (sampled, count) = stage(at).map_or_else(Default::default, |s| measured(test, s));
            let errors = stage(at).map_or(0, |s| s.figures.errors());
            let judgement = match (stage(at), errors) {
                (Some(_), 0) => test.requirement.judge(&sampled),
                _ => Judgement::Undecided,
            };
            Judged {
                test,
                sampled,
                count,
                errors,
                judgement,
            }
        })
        .collect();
    let worst = tests.iter().map(|test| test.judgement).max();
    let whole = run.outcome == Some(Outcome::Complete);
    let grade = Grades::of_run(run).run;
    let usable = grade.letter != 'F';
    Checked {
        profile,
        target,
        judgement: match worst {
            // What may not be used decides nothing, neither way.
            Some(_) if !usable => Judgement::Undecided,
            Some(Judgement::Pass) if !whole => Judgement::Undecided,
            worst => worst.unwrap_or(Judgement::Undecided),
        },
        grade_says: grade.sentence(),
        grade: grade.letter,
        run_file: kept.map(|path| path.display().to_string()),
        tests,
    }
}

/// The figure that a test asks about, and of how many operations.
fn measured(test: &ProfileTest, stage: &StageSummary) -> (Sampled, u64) {
    let Some(of) = stage.figures.op(test.op) else {
        return Default::default();
    };
    let within = |value: f64, interval: Option<Interval>| Sampled {
        value: Some(value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
    };
    let sampled = match test.requirement {
        Requirement::Iops(_) => within(of.iops, of.certainty.iops),
        Requirement::Bytes(_) => within(of.bytes_per_s, of.certainty.bytes_per_s),
        Requirement::Below(Latency::Mean, _) => {
            within(of.service.mean(), of.certainty.service.mean)
        }
        Requirement::Below(Latency::Percentile(percent), _) => {
            let found = of.service_at(percent);
            Sampled {
                value: found.and_then(|p| p.shown()).map(|Nanos(ns)| ns as f64),
                low: found.and_then(|p| p.low).map(|Nanos(ns)| ns as f64),
                high: found.and_then(|p| p.high).map(|Nanos(ns)| ns as f64),
            }
        }
    };
    (sampled, of.service.count())
}
