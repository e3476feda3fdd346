//! The option table against what users write: every option of fio is known, the most used ones work
//! or are refused by name for a reason.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::{FakeHost, short_diagnostics};
use leadline_dialect::diagnostic::Severity;
use leadline_fio::{self as fio, Kind, SWITCHES, Support};
use leadline_model::plan::Plan;

/// Reasons for which one of the most used options may be refused.
const DEEPER: [&str; 9] = [
    "another storage system's engine",
    "fio's log files",
    "client and server protocol",
    "e4defrag",
    "network engines",
    "verification of data",
    "replay of recorded I/O",
    "searching for the depth",
    "steady state",
];

struct Use {
    count: u32,
    name: String,
    /// A value that must be accepted; `None` when the option is refused.
    example: Option<String>,
}

fn uses() -> Vec<Use> {
    include_str!("data/option-uses.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut fields = line.splitn(3, ' ');
            let count = fields.next().unwrap().parse().unwrap();
            let name = fields.next().unwrap().to_owned();
            let example = fields.next().unwrap_or("").to_owned();
            Use {
                count,
                name,
                example: (example != "!").then_some(example),
            }
        })
        .collect()
}

fn support(name: &str) -> Support {
    match name.strip_prefix("--") {
        Some(switch) => SWITCHES
            .iter()
            .find(|s| s.name == switch)
            .map(|s| s.support),
        None => fio::find(name).map(|o| o.support),
    }
    .unwrap_or_else(|| panic!("{name} is not known"))
}

#[test]
fn every_option_of_fio_is_known_by_each_of_its_names() {
    let unknown: Vec<&str> = include_str!("data/fio-option-names.txt")
        .lines()
        .filter(|name| fio::find(name).is_none())
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn the_most_used_options_work_or_say_why_not() {
    for (rank, used) in uses().iter().filter(|u| u.count > 0).enumerate() {
        match (support(&used.name), &used.example) {
            (Support::Refused(reason), None) => assert!(
                rank >= 114 || DEEPER.iter().any(|deeper| reason.contains(deeper)),
                "{} is among the most used and refused: {reason}",
                used.name
            ),
            (Support::Refused(reason), Some(_)) => panic!("{} is refused: {reason}", used.name),
            (_, None) => panic!("{} works and has no example", used.name),
            (_, Some(_)) => {}
        }
    }
}

#[test]
fn an_example_of_each_used_option_is_accepted() {
    let mut seen = 0;
    for used in uses() {
        let Some(example) = used.example else {
            continue;
        };
        let dashes = if used.name.starts_with("--") {
            ""
        } else {
            "--"
        };
        let word = if example.is_empty() {
            format!("{dashes}{}", used.name)
        } else {
            format!("{dashes}{}={example}", used.name)
        };
        let engine = if used.name == "hipri" {
            "io_uring"
        } else {
            "libaio"
        };
        let args = [
            word,
            "--name=x".to_owned(),
            "--name=y".to_owned(),
            format!("--ioengine={engine}"),
            "--iodepth=32".to_owned(),
        ];
        let parsed = fio::parse(&args, &FakeHost::default());
        let errors = parsed
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error);
        assert!(
            !errors && parsed.plan.is_some(),
            "{}",
            short_diagnostics(&parsed.diagnostics, &parsed.sources)
        );
        seen += 1;
    }
    assert!(seen >= 100, "only {seen}");
}

/// A command line in which an option matters: what it refines is there.
fn surroundings(name: &str) -> Vec<String> {
    const NEEDED: [&str; 7] = [
        "iodepth=32",
        "runtime=9",
        "thinktime=9",
        "rate=9",
        "exitall",
        "nrfiles=2",
        "cpus_allowed=0-3",
    ];
    const OTHERS: [(&str, &str); 8] = [
        ("rwmixread", "--rw=rw"),
        ("rwmixwrite", "--rw=rw"),
        ("percentage_random", "--rw=randread"),
        ("norandommap", "--rw=randread"),
        ("bs_unaligned", "--bsrange=4k-16k"),
        ("random_generator", "--norandommap"),
        ("stonewall", "--name=y"),
        ("new_group", "--name=y"),
    ];
    let engine = match name {
        "hipri" => "io_uring",
        "ioengine" => "psync",
        _ => "libaio",
    };
    let mut args = vec!["--name=x".to_owned(), format!("--ioengine={engine}")];
    for needed in NEEDED {
        let itself = needed.split('=').next() == Some(name);
        let clashes = matches!(
            (name, needed),
            ("rate_iops", "rate=9") | ("filename", "nrfiles=2")
        );
        if !itself && !clashes {
            args.push(format!("--{needed}"));
        }
    }
    args.extend(
        OTHERS
            .iter()
            .filter(|(o, _)| *o == name)
            .map(|(_, a)| (*a).to_owned()),
    );
    args
}

/// The plan without the text it was made of.
fn bare(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.source.args.clear();
    plan.given.clear();
    for w in plan.stages.iter_mut().flat_map(|s| &mut s.workloads) {
        w.given.clear();
    }
    plan
}

#[test]
fn an_option_in_use_changes_the_plan_or_says_that_it_does_not() {
    // The example is the default, or what leadline does anyway.
    const SAME: [&str; 6] = [
        "verify",
        "lockfile",
        "invalidate",
        "sync",
        "thread",
        "rw_sequencer",
    ];
    let mut idle = Vec::new();
    for used in uses() {
        let (Some(spec), Some(example)) = (fio::find(&used.name), used.example) else {
            continue;
        };
        if spec.support != Support::Full || SAME.contains(&spec.name) {
            continue;
        }
        let mut args = surroundings(&used.name);
        let without = fio::parse(&args, &FakeHost::default());
        args.push(if example.is_empty() {
            format!("--{}", used.name)
        } else {
            format!("--{}={example}", used.name)
        });
        let with = fio::parse(&args, &FakeHost::default());
        let noted = with.diagnostics.len() > without.diagnostics.len();
        let plans = without.plan.as_ref().map(bare) != with.plan.as_ref().map(bare);
        if !noted && !plans {
            idle.push(used.name);
        }
    }
    assert!(
        idle.is_empty(),
        "these change nothing and no message says so: {idle:?}"
    );
}

#[test]
fn the_reference_names_every_option_once() {
    let text = fio::reference_markdown();
    for spec in fio::options() {
        let row = format!("\n| `{}`", spec.name);
        assert!(
            text.matches(&format!("{row},")).count() + text.matches(&format!("{row} |")).count()
                >= 1,
            "{}",
            spec.name
        );
    }
    for line in text.lines().filter(|l| l.starts_with('|')) {
        assert!(line.ends_with('|'), "{line}");
    }
}

#[test]
fn help_is_made_of_the_table() {
    assert!(fio::command_help(None).unwrap().lines().count() >= fio::options().len());
    assert!(fio::command_help(Some("bs")).unwrap().contains("blocksize"));
    assert!(fio::command_help(Some("nonsnse_option")).is_err());
    assert!(fio::engine_help(None).unwrap().contains("io_uring"));
    assert!(
        fio::engine_help(Some("io_uring"))
            .unwrap()
            .contains("sqthread_poll")
    );
    assert!(
        fio::engine_help(Some("libaio,userspace_reap"))
            .unwrap()
            .contains("user space")
    );
    assert!(fio::engine_help(Some("rbd")).is_err());
    let usage = fio::usage();
    assert!(usage.contains("--output-format"));
    for idle in ["Most jobs of a run.", "Version of terse output, 2 to 5."] {
        let said = format!("{idle} (no effect here)\n");
        assert!(usage.contains(&said), "{usage}");
    }
    assert!(usage.contains("Refuses jobs that write.\n"), "{usage}");
}

#[test]
fn a_shown_command_line_gives_the_same_plan_again() {
    let mut host = FakeHost::default();
    let text = "[global]\nbs=8k\nrw=randrw\nrandrepeat=0\n[a b]\nsize=1g\nzero_buffers\n[c]\nstonewall\n\
                iodepth=4\nioengine=io_uring\n[global]\nnumjobs=2\n[d]\ndescription=some words\n";
    host.files.insert("one".into(), text.into());
    host.files.insert("two".into(), "[e]\nbs=4k\n[f]\n".into());
    for files in [vec!["one"], vec!["two", "one"]] {
        let files: Vec<String> = files.into_iter().map(str::to_owned).collect();
        let plan = fio::parse(&files, &host).plan.unwrap();
        let words = fio::show_command(&plan);
        assert_eq!(words[0], "fio");
        assert_eq!(crate::common::split_words(&fio::command_line(&plan)), words);
        let again = fio::parse(&words[1..], &host).plan.unwrap();
        assert_eq!(bare(&plan).stages, bare(&again).stages, "{words:?}");
    }
}

/// Values to try on an option: all there are of a few, examples of the others.
fn values_to_try(spec: &fio::OptionSpec) -> Vec<String> {
    let numbers = |them: &[i64]| {
        let (low, high) = spec.range.unwrap_or((0, i64::MAX));
        let fit = them.iter().filter(|n| (low..=high).contains(*n));
        fit.map(i64::to_string).collect()
    };
    match spec.kind {
        Kind::Flag | Kind::Bool => vec!["0".into(), "1".into()],
        Kind::Choice(words) => words.iter().map(|w| (*w).to_owned()).collect(),
        Kind::Number | Kind::PerOp => numbers(&[-1, 0, 1, 2, 50, 100, 4096]),
        Kind::Pair | Kind::Amount | Kind::Millis => numbers(&[1, 4096]),
        Kind::Time(_) | Kind::TimePair | Kind::TimePerOp => numbers(&[0, 1]),
        Kind::Ranges => vec!["4k-8k".into()],
        Kind::Floats => vec!["50:99".into()],
        Kind::Text | Kind::List => match spec.name {
            "ioengine" => fio::engine_names().map(str::to_owned).collect(),
            name => {
                let used = uses().into_iter().find(|u| u.name == name);
                let example = used.and_then(|u| u.example).filter(|e| !e.is_empty());
                vec![example.unwrap_or_else(|| spec.default.unwrap_or("x").to_owned())]
            }
        },
    }
}

/// Whether an option with this value is refused as not supported, in any job in which it could matter.
fn is_refused(spec: &fio::OptionSpec, value: &str) -> bool {
    let engines = if spec.engines.is_empty() {
        vec!["psync", "libaio"]
    } else {
        spec.engines.to_vec()
    };
    let word = format!("--{}={value}", spec.name);
    engines.into_iter().any(|engine| {
        let mut args = vec!["--name=x".to_owned()];
        if spec.name != "ioengine" {
            args.push(format!("--ioengine={engine}"));
        }
        if spec.name != "thinktime" {
            args.push("--thinktime=9".into());
        }
        args.push(word.clone());
        let parsed = fio::parse(&args, &FakeHost::default());
        let refused = parsed
            .diagnostics
            .iter()
            .filter(|d| d.code == "not-supported");
        refused.into_iter().any(|d| d.message.contains(spec.name))
    })
}

/// The reference's word for an option is that of the parser: where it says `full` no value is refused, where it
/// lists values those are done and the others are not, where it says `refused` they all are.
#[test]
fn the_reference_says_of_each_option_what_the_parser_does() {
    let mut wrong = Vec::new();
    for spec in fio::options() {
        let word = spec.support_word();
        for value in values_to_try(spec) {
            let listed = spec
                .only
                .is_some_and(|only| only.values.contains(&value.as_str()));
            let expected = match (spec.support, spec.only) {
                (Support::NoEffect(_), _) => false,
                // Switched off is what leadline does anyway, of most.
                (Support::Refused(_), _) if value == "0" => continue,
                (Support::Refused(_), _) => true,
                (Support::Full, None) => false,
                (Support::Full, Some(only)) => !only.values.is_empty() && !listed,
            };
            let refused = is_refused(spec, &value);
            // Of an engine that is refused the word is said of the engine.
            let engine_itself = spec
                .engines
                .iter()
                .all(|e| fio::engine_help(Some(e)).is_err());
            let of_this_engine = engine_itself && !spec.engines.is_empty();
            if refused != expected && !of_this_engine {
                wrong.push(format!(
                    "{}={value}: refused is {refused}, the reference: {word}",
                    spec.name
                ));
            }
        }
        let starts = match spec.support {
            Support::NoEffect(_) => "no effect: ",
            Support::Refused(_) => "refused: ",
            Support::Full if spec.only.is_some_and(|o| !o.values.is_empty()) => "only ",
            Support::Full => "full",
        };
        assert!(word.starts_with(starts), "{}: {word}", spec.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// fio reports submission latencies of engines that hand over and wait apart; of null where it has a depth.
#[test]
fn latencies_are_measured_in_parts_where_fio_reports_submissions() {
    let parts = |words: &str| {
        let words = format!("{words} --size=1m");
        let args: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let plan = fio::parse(&args, &FakeHost::default()).plan.unwrap();
        plan.stages[0].workloads[0].report.parts
    };
    for (words, expected) in [
        ("--name=a", false),
        ("--name=a --ioengine=mmap --iodepth=8", false),
        ("--name=a --ioengine=libaio", true),
        ("--name=a --ioengine=aio", true),
        ("--name=a --ioengine=io_uring", true),
        ("--name=a --ioengine=null", false),
        ("--name=a --ioengine=null --iodepth=4", true),
        ("--name=a --ioengine=libaio --disable_slat=1", true),
        (
            "--name=a --ioengine=libaio --disable_slat=1 --disable_clat=1",
            false,
        ),
        ("--name=a --ioengine=libaio --gtod_reduce=1", false),
    ] {
        assert_eq!(parts(words), expected, "{words}");
    }
}
