//! `cargo xtask truth`: what leadline answers about volumes whose limit is known.
//!
//! Belongs here: running the survey on simulated volumes, and the score. Must never: read anything of a run but what
//! its users get.

mod studies;
mod volumes;

use crate::args::Args;
use crate::shell;
use anyhow::{Context, Result, bail};
use leadline_model::seed::{Purpose, derive};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use volumes::{Draw, FAMILIES, Volume, named};

/// Volumes unless asked otherwise.
const COUNT: u32 = 200;

/// A value within this share of the truth is right.
const WITHIN: f64 = 0.05;

/// How an answer stands to the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// A cause that is the true one, and the rate.
    Right,
    /// No cause, or one of several; or a wrong answer beside a warning.
    Unsure,
    /// A wrong cause or a wrong rate, and nothing warns.
    Wrong,
}

/// What leadline answered.
#[derive(Clone, Debug, Default, PartialEq)]
struct Answer {
    kind: String,
    is_sure: bool,
    possible: Vec<String>,
    iops: f64,
    /// The share of `iops` that it says was served by a cache.
    hits: f64,
    grade: String,
    /// Codes of findings that warn or fail.
    warnings: Vec<String>,
}

/// Runs the survey on each volume; true when no answer is wrong without a warning.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let count = args.number("--count")?;
    let seed = args.number("--seed")?.unwrap_or(1);
    let only = args.value("--family")?;
    let all_named = args.flag("--named");
    let of_studies = args.flag("--studies");
    let given = args.value("--leadline")?.map(PathBuf::from);
    args.finish()?;
    let leadline = match given {
        Some(path) => path.canonicalize().context("--leadline")?,
        None => shell::built_leadline()?,
    };
    if of_studies {
        return studies::run(&leadline, seed, count.unwrap_or(COUNT));
    }
    let volumes = if all_named {
        named()
    } else {
        drawn(seed, count.unwrap_or(COUNT), only.as_deref())?
    };
    let answers = each(&volumes, |dir, number, volume| {
        ask(&leadline, dir, number, volume)
    })?;
    Ok(report(&volumes, &answers))
}

/// Volumes of the families in turn.
fn drawn(seed: u32, count: u32, only: Option<&str>) -> Result<Vec<Volume>> {
    let families: Vec<_> = FAMILIES
        .into_iter()
        .filter(|(name, _)| only.is_none_or(|only| only == *name))
        .collect();
    if families.is_empty() {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.0).collect();
        bail!("--family: expected one of {}", names.join(", "));
    }
    let one = |number: u32| {
        let (_, draw) = families[number as usize % families.len()];
        draw(&mut Draw::new(derive(
            u64::from(seed),
            Purpose::VolumeCase,
            u64::from(number),
        )))
    };
    Ok((0..count).map(one).collect())
}

/// Does this for each with its number in a directory that is removed afterwards, on all processors.
fn each<T: Sync, R: Send>(
    all: &[T],
    of: impl Fn(&Path, usize, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let dir = std::env::temp_dir().join(format!("leadline-truth-{}", std::process::id()));
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    let Some(one) = all.get(number) else {
                        break;
                    };
                    let answer = of(&dir, number, one);
                    if let Ok(mut answers) = answers.lock() {
                        answers.insert(number, answer);
                    }
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&dir);
    let answers = answers.into_inner().unwrap_or_default();
    answers.into_values().collect()
}

/// One survey of a volume.
fn ask(leadline: &Path, dir: &Path, number: usize, volume: &Volume) -> Result<Answer> {
    let mut command = Command::new(leadline);
    command
        .current_dir(dir)
        .env("XDG_STATE_HOME", dir)
        .args(["measure", "--json", "--seed", "1", "--out"])
        .arg(format!("v{number}"))
        .arg(format!("sim:{}", volume.law));
    if volume.hosts > 1 {
        let hosts: Vec<String> = (1..=volume.hosts).map(|n| format!("h{n}")).collect();
        command.arg("--hosts").arg(hosts.join(","));
    }
    let done = command.output().context("cannot start leadline")?;
    let text = String::from_utf8_lossy(&done.stdout);
    let read = serde_json::from_str(&text);
    let run: Value = read.with_context(|| {
        let said = String::from_utf8_lossy(&done.stderr);
        format!("no JSON for {}: {said}", volume.law)
    })?;
    for ending in ["leadline", "html"] {
        let _ = std::fs::remove_file(dir.join(format!("v{number}.{ending}")));
    }
    Ok(answer_of(&run))
}

fn answer_of(run: &Value) -> Answer {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let limit = &run["verdict"]["limit"];
    let warns = |finding: &&Value| finding["severity"] != "info";
    Answer {
        kind: text(&limit["kind"]),
        is_sure: !matches!(limit["certainty"].as_str(), None | Some("unknown")),
        possible: list(&limit["possible"]).iter().map(text).collect(),
        iops: limit["iops"].as_f64().unwrap_or_default(),
        hits: match limit["kind"].as_str() {
            Some("cache") => limit["mixture"]["hit_share"].as_f64().unwrap_or_default(),
            _ => 0.0,
        },
        grade: text(&run["verdict"]["grade"]),
        warnings: list(&run["findings"])
            .iter()
            .filter(warns)
            .map(|finding| text(&finding["code"]))
            .collect(),
    }
}

/// How an answer stands to the truth.
fn judge(volume: &Volume, answer: &Answer) -> Mark {
    let named = |cause: &volumes::Cause| answer.possible.iter().any(|p| p == cause.name());
    // Of a cache it says how many of its I/Os were hits: the others are the volume's.
    let said = answer.iops * (1.0 - answer.hits);
    let is_near = |iops: f64| (said / iops - 1.0).abs() <= WITHIN;
    // No answer claims a rate for longer than it looked: while credits last, theirs is right.
    let value = is_near(volume.iops) || volume.burst_iops.is_some_and(is_near);
    let cause = volume.causes.iter().any(named);
    // Of about one I/O at once, a stage that takes one after another and a cap are the same law.
    let is_one_at_once = volume.in_flight().is_some_and(|n| (0.95..1.2).contains(&n));
    let is_either = is_one_at_once && answer.possible == ["iops-cap", "parallelism", "slots"];
    // More workers use the connections that there are: a cap of these and one of the target are one law to a host.
    let is_shared = volume.law.contains("connections=1");
    let is_either = is_either || is_shared && answer.possible == ["byte-cap", "flow"];
    let is_both = answer.possible.len() == 2 && volume.beside.as_ref().is_some_and(named);
    let is_either = is_either || is_both;
    match (answer.is_sure || is_either, cause && value) {
        (true, true) => Mark::Right,
        (false, true) => Mark::Unsure,
        _ if !answer.warnings.is_empty() || answer.kind.is_empty() => Mark::Unsure,
        // It says that a cache may have served it: then the rate is that of the cache.
        (false, _) if cause && named(&volumes::Cause::Cache) => Mark::Unsure,
        // It says that no cause fits.
        (false, _) if value && answer.possible.is_empty() => Mark::Unsure,
        _ => Mark::Wrong,
    }
}

/// Whether a volume with which nothing is wrong was warned of, other than by what is true of it.
fn is_false_alarm(volume: &Volume, answer: &Answer) -> bool {
    let is_true = |code: &String| volume.expected.contains(&code.as_str());
    volume.clean && !answer.warnings.iter().all(is_true)
}

fn report(volumes: &[Volume], answers: &[Answer]) -> bool {
    let mut table: BTreeMap<&str, [u32; 4]> = BTreeMap::new();
    let mut all = [0; 4];
    for (volume, answer) in volumes.iter().zip(answers) {
        let mark = judge(volume, answer);
        let alarm = is_false_alarm(volume, answer);
        for counts in [table.entry(volume.family).or_default(), &mut all] {
            counts[mark as usize] += 1;
            counts[3] += u32::from(alarm);
        }
        if mark != Mark::Right || alarm {
            let hosts = match volume.hosts {
                1 => String::new(),
                n => format!(" (hosts {n})"),
            };
            println!(
                "{}: {}{hosts}: {} ({}) at {:.0} IOPS, grade {}, {}; the truth is {:?} at {:.0}",
                match (alarm, mark) {
                    (true, _) => "false alarm",
                    (_, Mark::Wrong) => "wrong",
                    _ => "unsure",
                },
                volume.law,
                answer.possible.join("+"),
                if answer.is_sure { "sure" } else { "not sure" },
                answer.iops,
                answer.grade,
                match answer.warnings.as_slice() {
                    [] => "no warning".to_owned(),
                    codes => codes.join(" "),
                },
                volume.causes,
                volume.iops
            );
        }
    }
    println!("{:24} right unsure wrong  false alarm", "family");
    for (family, counts) in table.into_iter().chain([("all", all)]) {
        let [right, unsure, wrong, alarms] = counts;
        println!("{family:24} {right:5} {unsure:6} {wrong:5} {alarms:12}");
    }
    all[Mark::Wrong as usize] == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(certainty: &str, possible: &[&str], iops: f64, severity: &str) -> Answer {
        answer_of(&json!({
            "verdict": {
                "grade": "A",
                "limit": { "kind": "x", "certainty": certainty, "possible": possible, "iops": iops }
            },
            "findings": [{ "code": "c", "severity": severity }]
        }))
    }

    #[test]
    fn an_answer_is_marked_by_its_cause_its_rate_and_its_doubts() {
        let volume = &named()[1];
        let mark = |certainty, possible: &[&str], iops, severity| {
            judge(volume, &answer(certainty, possible, iops, severity))
        };
        assert_eq!(mark("shown", &["iops-cap"], 20_500.0, "info"), Mark::Right);
        assert_eq!(mark("likely", &["iops-cap"], 19_100.0, "warn"), Mark::Right);
        assert_eq!(
            mark("unknown", &["flow", "iops-cap"], 20_000.0, "info"),
            Mark::Unsure
        );
        assert_eq!(
            mark("shown", &["parallelism"], 20_000.0, "warn"),
            Mark::Unsure
        );
        assert_eq!(
            mark("shown", &["parallelism"], 20_000.0, "info"),
            Mark::Wrong
        );
        assert_eq!(
            mark("unknown", &["iops-cap"], 25_000.0, "info"),
            Mark::Wrong
        );
        assert_eq!(
            mark("unknown", &["iops-cap", "cache"], 90_000.0, "info"),
            Mark::Unsure
        );
        assert_eq!(
            mark("unknown", &["concurrency", "cache"], 90_000.0, "info"),
            Mark::Wrong
        );
        let mark_flow = |law, possible: &[&str]| {
            let flow = Volume {
                law: String::from(law),
                causes: vec![volumes::Cause::Flow],
                ..volume.clone()
            };
            judge(&flow, &answer("unknown", possible, volume.iops, "info"))
        };
        let both = ["byte-cap", "flow"];
        assert_eq!(mark_flow("connections=1", &both), Mark::Right);
        assert_eq!(mark_flow("connections=1", &both[..1]), Mark::Wrong);
        assert_eq!(mark_flow("connection=2", &both), Mark::Unsure);
        assert_eq!(judge(volume, &answer_of(&json!({}))), Mark::Unsure);
        assert!(is_false_alarm(volume, &answer("shown", &[], 1.0, "warn")));
        assert!(!is_false_alarm(volume, &answer("shown", &[], 1.0, "info")));
        assert!(!is_false_alarm(
            &named()[6],
            &answer("shown", &[], 1.0, "fail")
        ));
    }
}
