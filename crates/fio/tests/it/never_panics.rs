//! Any text is read to the end: a plan or an error, never a panic, and always renderable.

use crate::common::FakeHost;
use leadline_dialect::diagnostic::{Severity, render};
use leadline_fio as fio;
use proptest::prelude::*;

/// Reads and renders; a plan comes exactly without an error.
fn read(args: &[String], host: &FakeHost) {
    let parsed = fio::parse(args, host);
    let errors = parsed
        .diagnostics
        .iter()
        .any(|d| d.severity == Severity::Error);
    assert!(!(errors && parsed.plan.is_some()));
    let shown = render(&parsed.diagnostics, &parsed.sources, true, 80);
    assert_eq!(shown.is_empty(), parsed.diagnostics.is_empty());
    if let Some(plan) = &parsed.plan {
        for w in plan.stages.iter().flat_map(|s| &s.workloads) {
            assert!(w.depth >= 1 && w.clones >= 1 && w.stop.loops >= 1);
            assert!(w.blocks().sizes.smallest_of_any_op() >= 1);
        }
        assert!(plan.interval.as_millis() >= 10);
        assert!(fio::show_command(plan).len() > plan.stages.len());
    }
}

fn option_name() -> impl Strategy<Value = String> {
    let names: Vec<String> = fio::options()
        .iter()
        .copied()
        .flat_map(fio::OptionSpec::names)
        .map(str::to_owned)
        .collect();
    proptest::sample::select(names)
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,20}[kmgtpiKMGTPIBbs%zu:,/.*+()^-]{0,6}[0-9a-z]{0,4}",
        "[-0-9:,/()a-z+%^.]{0,24}",
        "\\PC{0,12}",
        proptest::sample::select(vec![
            "randrw",
            "read:4k",
            "zipf:1.2",
            "zoned:50/50:50/50",
            "zoned_abs=",
            "sim",
            "null",
            "io_uring",
            "0x",
            "\"a\"0x1-1",
            "4k/50:8k/",
            "(((1+2)k^2))",
            "$ncpus*2",
            "${A}",
            "EIO:5,,",
            "0-3,7",
            "all",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_job_file(text in "(\\PC|\n|\r|\t|\\[|\\]|=|;|#|\\$\\{|\\}){0,200}") {
        let mut host = FakeHost::default();
        host.files.insert("job.fio".into(), text);
        host.variables.insert("A".into(), "4k]=\u{e9}".into());
        read(&["job.fio".to_owned()], &host);
    }

    #[test]
    fn any_options_in_a_job_file(options in prop::collection::vec((option_name(), value()), 0..12), global in any::<bool>()) {
        let mut text = String::from(if global { "[global]\n" } else { "[a]\n" });
        for (i, (name, value)) in options.iter().enumerate() {
            if i == 6 {
                text.push_str("[b]\n");
            }
            text.push_str(&format!("{name}={value}\n"));
        }
        let mut host = FakeHost::default();
        host.files.insert("-".into(), text);
        read(&["-".to_owned()], &host);
    }

    #[test]
    fn any_command_line(words in prop::collection::vec("(-{0,2}[a-z_]{0,8}=?)?\\PC{0,12}", 0..8)) {
        read(&words, &FakeHost::default());
    }

    #[test]
    fn any_options_on_the_command_line(options in prop::collection::vec((option_name(), value(), any::<bool>()), 0..12)) {
        let mut args = vec!["--name=a".to_owned()];
        for (name, value, apart) in options {
            if apart {
                args.push(format!("-{name}"));
                args.push(value);
            } else {
                args.push(format!("--{name}={value}"));
            }
        }
        read(&args, &FakeHost::default());
    }
}

#[test]
fn large_texts_are_read_in_time() {
    let mut host = FakeHost::default();
    let mut text = String::new();
    for i in 0..4096 {
        text.push_str(&format!("[job{i}]\nbs=4k\nrw=randread\nsize={i}m\n"));
    }
    host.files.insert("job.fio".into(), text);
    host.files.insert(
        "long.fio".into(),
        format!("[a]\nfilename={}\n", "x:".repeat(50_000)),
    );
    let plan = fio::parse(&["job.fio".to_owned()], &host).plan.unwrap();
    assert_eq!(plan.stages[0].workloads.len(), 4096);
    assert!(fio::parse(&["long.fio".to_owned()], &host).plan.is_some());
}
