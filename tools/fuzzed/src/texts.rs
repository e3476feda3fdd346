//! Any text in each of the languages, on a host made of it, and what must hold of every parse.

use leadline_dialect::condition::{self, LimitsIn};
use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources, render};
use leadline_dialect::host::Host;
use leadline_dialect::hosts;
use leadline_diskspd as diskspd;
use leadline_fio as fio;
use leadline_model::plan::Plan;
use leadline_vdbench as vdbench;
use std::collections::BTreeSet;

/// Every file is this text, and so is every variable's value in part.
struct OneText<'a>(&'a str);

impl Host for OneText<'_> {
    fn read_file(&self, path: &str) -> Result<String, String> {
        if path != "job" && path.len() % 7 == 3 {
            return Err("not there".to_owned());
        }
        // An include of itself would double the text at each level.
        Ok(if path == "job" { self.0 } else { "bs=4k" }.to_owned())
    }

    fn env(&self, name: &str) -> Option<String> {
        (!name.len().is_multiple_of(3)).then(|| self.0.chars().take(8).collect())
    }

    fn cpus(&self) -> u32 {
        4
    }

    fn page_size(&self) -> u64 {
        4096
    }

    fn memory_mb(&self) -> u64 {
        1 << 20
    }
}

/// Any text as a job file.
pub(crate) fn fio_job_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    fio(&["job".to_owned()], &OneText(&text));
}

/// Any lines as the words of fio's command line.
pub(crate) fn fio_command_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    fio(&words(&text), &OneText(&text));
}

/// Any lines as the words of DISKSPD's command line.
pub(crate) fn diskspd_command_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    diskspd(&words(&text), &OneText(&text));
}

/// Any text as a profile of DISKSPD's.
pub(crate) fn diskspd_profile(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for args in [["-Xjob", "a", "b"].as_slice(), &["-Xjob"]] {
        let args: Vec<String> = args.iter().map(|&word| word.to_owned()).collect();
        diskspd(&args, &OneText(&text));
    }
}

/// Any text as a parameter file of Vdbench's.
pub(crate) fn vdbench_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let args = ["-f", "job", "a=1", "sd=x"].map(str::to_owned);
    let parsed = vdbench::parse(&args, &OneText(&text));
    sound(&parsed.diagnostics, &parsed.sources, parsed.plan.as_ref());
    let Some(plan) = parsed.plan else { return };
    assert_eq!(parsed.run.commands.len(), plan.stages.len());
    assert!(!vdbench::expansion_lines(&plan).is_empty());
}

/// Any text as a list of hosts, and as a file of them.
pub(crate) fn hosts_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let list = format!("{text},z");
    for (given, launcher) in [(list.as_str(), None), ("job", Some("slurm")), ("job", None)] {
        let read = hosts::parse(given, launcher, &OneText(&text));
        let errors = shown(&read.diagnostics, &read.sources);
        assert!(errors || !read.hosts.is_empty());
        let labels: BTreeSet<_> = read.hosts.iter().map(|host| &host.label).collect();
        assert!(errors || labels.len() == read.hosts.len());
    }
}

/// Any text as conditions: each has a figure and a limit of its unit, and is the same when it is read again.
pub(crate) fn conditions(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    for limits in [LimitsIn::Units, LimitsIn::Percent] {
        let read = condition::parse("--assert", std::slice::from_ref(&text), limits);
        let errors = shown(&read.diagnostics, &read.sources);
        assert_ne!(errors, !read.conditions.is_empty());
        for one in read.conditions {
            assert!(one.limit.value().is_finite());
            let again = condition::parse("--assert", std::slice::from_ref(&one.text), limits);
            assert_eq!(again.conditions, [one]);
        }
    }
}

/// Any text as a study file, and as the words of a study's command line.
pub(crate) fn study_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let callers = [leadline_study::CallerSwitch {
        name: "hosts",
        takes_value: true,
        help: "",
    }];
    let file = |_: &str| Ok(text.clone().into_owned());
    let of_file = leadline_study::parse(&["s.toml".to_owned()], &callers, &file);
    let of_words = leadline_study::parse(&words(&text), &callers, &|_| Err("none".to_owned()));
    for parsed in [of_file, of_words] {
        let errors = shown(&parsed.diagnostics, &parsed.sources);
        assert!(errors || parsed.request.is_some() || parsed.help.is_some());
        let axes = parsed.request.map(|request| request.study.axes);
        assert!(axes.is_none_or(|axes| !axes.blocks.is_empty() && !axes.depths.is_empty()));
    }
    let _ = leadline_study::latency_target(&text);
}

fn words(text: &str) -> Vec<String> {
    text.split('\n').map(str::to_owned).collect()
}

fn fio(args: &[String], host: &OneText<'_>) {
    let parsed = fio::parse(args, host);
    sound(&parsed.diagnostics, &parsed.sources, parsed.plan.as_ref());
    let Some(plan) = parsed.plan else { return };
    for w in plan.stages.iter().flat_map(|s| &s.workloads) {
        assert!(w.stop.loops >= 1);
        assert!(w.percentiles.iter().all(|p| *p > 0.0 && *p <= 100.0));
    }
    // What is shown as a command line can be read again.
    let words = fio::show_command(&plan);
    let again = fio::parse(&words[1..], host);
    assert!(again.sources.iter().count() >= 1);
}

fn diskspd(args: &[String], host: &OneText<'_>) {
    let parsed = diskspd::parse(args, host);
    sound(&parsed.diagnostics, &parsed.sources, parsed.plan.as_ref());
    if let Some(profile) = &parsed.profile {
        assert!(diskspd::read_profile(&diskspd::profile_xml(profile)).is_ok());
        assert!(!diskspd::profile_text(profile, "").is_empty());
    }
}

/// A plan comes exactly without an error, is usable, and everything said can be shown.
fn sound(diagnostics: &[Diagnostic], sources: &Sources, plan: Option<&Plan>) {
    let errors = shown(diagnostics, sources);
    assert!(!(errors && plan.is_some()));
    for w in plan
        .into_iter()
        .flat_map(|p| &p.stages)
        .flat_map(|s| &s.workloads)
    {
        assert!(w.depth >= 1 && w.clones >= 1 && w.blocks().sizes.smallest_of_any_op() >= 1);
    }
}

/// Shows what was said; true when an error is among it.
fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> bool {
    let few = &diagnostics[..diagnostics.len().min(20)];
    assert_eq!(render(few, sources, false, 100).is_empty(), few.is_empty());
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
