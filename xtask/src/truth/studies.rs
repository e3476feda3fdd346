//! `cargo xtask truth --studies`: studies of volumes that do not change, which are to have an answer, and of the same ones that
//! fall to a fifth of their rate within the study, which are to have none or a warning.
//!
//! Must never: read anything of a run but what its users get.

use super::volumes::Draw;
use anyhow::{Context, Result};
use leadline_model::seed::{Purpose, derive};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Studies and what they need beside a target.
const STUDIES: [(&str, &[&str]); 13] = [
    ("depth", &[]),
    ("mix", &[]),
    ("size", &[]),
    ("iops", &[]),
    ("throughput", &[]),
    ("curve", &[]),
    ("map", &[]),
    ("limit", &["--slo", "p99<20ms"]),
    ("cache", &["--server-cache", "64m"]),
    ("combined", &["--rated", "randwrite:300"]),
    ("screen", &["--factors", "bs=4k,16k;jobs=1,4;rw=read,write"]),
    ("scale-out", &["--hosts", "a,b", "--launcher", "local"]),
    (
        "near-far",
        &[
            "--hosts",
            "a,b",
            "--launcher",
            "local",
            "--groups",
            "near=a far=b",
            "--distance",
            "far=1ms",
        ],
    ),
];

/// Findings that a volume without a change is not to have.
const OF_A_CHANGE: [&str; 5] = [
    "level-shift",
    "latency-shift",
    "repeats-differ",
    "drift",
    "warm-up",
];

/// A study of a volume.
struct StudyCase {
    study: usize,
    law: String,
    /// Where in the study the volume falls, as a share of the time that the study takes after its fill.
    fall: f64,
}

/// How both runs of a case were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Marks {
    /// Without a change there was no answer.
    withheld: bool,
    /// Without a change one was warned of.
    alarm: bool,
    /// With one there was an answer, and nothing warned.
    missed: bool,
}

/// What a run says.
struct Said {
    answers: bool,
    /// Codes of findings that warn or fail.
    warnings: Vec<String>,
    /// The highest rate of a stage, in I/Os a second.
    highest: f64,
    /// Nanoseconds from the start of the run to that of the first stage after a fill, and to the end of the last.
    time: (f64, f64),
}

/// Runs both of each case; true when no study was without an answer, or warned, for no reason.
pub(super) fn run(leadline: &Path, seed: u32, count: u32) -> Result<bool> {
    let cases: Vec<StudyCase> = (0..count).map(|number| drawn(seed, number)).collect();
    let marks = super::each(&cases, |dir, number, case| {
        both(leadline, dir, number, case)
    })?;
    Ok(report(&cases, &marks))
}

/// The case of a number: the studies in turn, each with the laws in turn.
fn drawn(seed: u32, number: u32) -> StudyCase {
    let mut draw = Draw::new(derive(
        u64::from(seed),
        Purpose::VolumeCase,
        u64::from(number),
    ));
    let study = number as usize % STUDIES.len();
    let laws = laws(&mut draw);
    let law = number as usize / STUDIES.len() % laws.len();
    StudyCase {
        study,
        law: format!("size=1g,{}", laws[law]),
        fall: draw.between(0.2, 0.9),
    }
}

/// Volumes that do not change.
fn laws(draw: &mut Draw) -> [String; 14] {
    let iops = draw.between(2000.0, 30_000.0);
    let us = draw.between(100.0, 800.0);
    let at_once = draw.between(4.0, 32.0).round();
    let service = format!("service={us}us,parallel={at_once}");
    let random = format!("service=exp:{us}us,parallel={at_once}");
    [
        format!("iops={iops},service=exp:{us}us"),
        format!("bytes={:.1}m,service=exp:{us}us", draw.between(20.0, 200.0)),
        format!(
            "read_iops={iops},write_iops={},service={us}us",
            (iops / 2.0).round()
        ),
        format!("iops={iops},write_cost=3,service={us}us"),
        service.clone(),
        random.clone(),
        format!("mix=90%:{us}us/10%:4ms,parallel={at_once}"),
        format!("mix=99%:{us}us/1%:40ms,parallel={at_once}"),
        format!("{random},every=5s:300ms"),
        format!("service=lognormal:{us}us:0.8,parallel={at_once}"),
        format!("{service},per_byte=2ns"),
        format!("slots={at_once},service=exp:{us}us"),
        format!("iops={iops},slice=100ms,service={us}us"),
        format!("{random},cache=64m:20us"),
    ]
}

/// The case without its change, and with it.
fn both(leadline: &Path, dir: &Path, number: usize, case: &StudyCase) -> Result<Marks> {
    let sound = ask(leadline, dir, number, (case.study, &case.law))?;
    let (start, end) = sound.time;
    let at = ((start + case.fall * (end - start)) / 1e6).round();
    let fallen = (sound.highest / 5.0).round().max(1.0);
    let law = format!("{},at={at}ms:iops={fallen}", case.law);
    let changed = ask(leadline, dir, number, (case.study, &law))?;
    let is_of_change = |code: &String| OF_A_CHANGE.contains(&code.as_str());
    Ok(Marks {
        withheld: !sound.answers,
        alarm: sound.warnings.iter().any(is_of_change),
        missed: changed.answers && changed.warnings.is_empty(),
    })
}

/// One study of a volume.
fn ask(leadline: &Path, dir: &Path, number: usize, (study, law): (usize, &str)) -> Result<Said> {
    let (name, needs) = STUDIES[study];
    let mut command = Command::new(leadline);
    let seed = number.to_string();
    command
        .current_dir(dir)
        .env("XDG_STATE_HOME", dir)
        .args([
            "study", name, "--quick", "--json", "--force", "--seed", &seed,
        ])
        .args(["--out", &format!("s{number}"), &format!("sim:{law}")])
        .args(needs);
    let done = command.output().context("cannot start leadline")?;
    let text = String::from_utf8_lossy(&done.stdout);
    let read = serde_json::from_str(&text);
    let run = read.with_context(|| {
        let said = String::from_utf8_lossy(&done.stderr);
        format!("no JSON of {name} {law}: {said}")
    })?;
    Ok(said(&run))
}

fn said(run: &Value) -> Said {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let sentences = list(&run["study"]["sentences"]);
    let says = |word: &str| {
        let mut each = sentences.iter().filter_map(Value::as_str);
        each.any(|text| text.starts_with(word))
    };
    let stages = list(&run["stages"]);
    let rate = |stage: &Value| stage["figures"]["data"]["iops"].as_f64();
    let end = stages.iter().filter_map(|stage| stage["end_ns"].as_f64());
    let is_fill = |stage: &&Value| {
        stage["name"]
            .as_str()
            .is_some_and(|name| name.ends_with("fill"))
    };
    let first = stages.iter().find(|stage| !is_fill(stage));
    let start = first.and_then(|stage| stage["start_ns"].as_f64());
    let findings = list(&run["findings"]).into_iter();
    let warns = findings.filter(|finding| finding["severity"] != "info");
    Said {
        answers: !sentences.is_empty() && !says("No answer"),
        warnings: warns
            .filter_map(|finding| finding["code"].as_str().map(str::to_owned))
            .collect(),
        highest: stages.iter().filter_map(rate).fold(0.0, f64::max),
        time: (start.unwrap_or_default(), end.fold(0.0, f64::max)),
    }
}

fn report(cases: &[StudyCase], marks: &[Marks]) -> bool {
    let mut table: BTreeMap<&str, [u32; 4]> = BTreeMap::new();
    let mut all = [0; 4];
    for (number, (case, marks)) in cases.iter().zip(marks).enumerate() {
        let name = STUDIES[case.study].0;
        for (is, what) in [
            (marks.withheld, "no answer"),
            (marks.alarm, "false alarm"),
            (marks.missed, "missed"),
        ] {
            if is {
                let (law, fall) = (&case.law, case.fall);
                println!(
                    "{what}: study {name} sim:{law} --quick --seed {number} (falls at {fall:.3})"
                );
            }
        }
        for counts in [table.entry(name).or_default(), &mut all] {
            let each = [true, marks.withheld, marks.alarm, marks.missed];
            for (count, is) in counts.iter_mut().zip(each) {
                *count += u32::from(is);
            }
        }
    }
    println!(
        "{:12} volumes  no answer  false alarm  missed change",
        "study"
    );
    for (name, [count, withheld, alarms, missed]) in table.into_iter().chain([("all", all)]) {
        println!("{name:12} {count:7} {withheld:10} {alarms:12} {missed:14}");
    }
    all[1] + all[2] == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_a_warning_a_rate_and_a_length_are_read() {
        let run = |sentence: &str| {
            said(&json!({
                "study": { "sentences": [sentence] },
                "findings": [
                    { "code": "level-shift", "severity": "warn" },
                    { "code": "tail-undersampled", "severity": "info" },
                ],
                "stages": [
                    { "name": "depth/fill", "start_ns": 0.0, "end_ns": 1e9 },
                    { "name": "a", "start_ns": 1e9, "end_ns": 2e9, "figures": { "data": { "iops": 500.0 } } },
                    { "name": "b", "start_ns": 2e9, "end_ns": 3e9, "figures": { "data": { "iops": 400.0 } } },
                ],
            }))
        };
        let found = run("Throughput stops rising at depth 4.");
        assert!(found.answers);
        assert_eq!(found.warnings, ["level-shift"]);
        let read = [found.highest, found.time.0, found.time.1];
        let expected = [500.0, 1e9, 3e9];
        assert!(
            read.iter()
                .zip(expected)
                .all(|(read, is)| (read - is).abs() < 1e-9)
        );
        assert!(!run("No answer: the rate fell.").answers);
        assert!(!said(&json!({})).answers);
    }
}
