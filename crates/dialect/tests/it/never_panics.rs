//! Any text is read to the end: a plan or an error, never a panic, and always renderable.

use crate::common::FakeHost;
use leadline_dialect::diagnostic::{Severity, render};
use leadline_dialect::{fio, sim, vdbench};
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
            assert!(w.blocks().sizes.min() >= 1);
        }
        assert!(plan.interval.as_millis() >= 10);
        assert!(fio::show_command(plan).len() > plan.stages.len());
    }
}

/// Reads a parameter file; a plan comes exactly without an error.
fn read_vdbench(args: &[String], host: &FakeHost) {
    let parsed = vdbench::parse(args, host);
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
            assert!(w.blocks().sizes.min() >= 1);
            assert!(w.host.is_none_or(|h| (h as usize) < plan.hosts.len()));
        }
        assert!(plan.interval.as_millis() >= 1000);
        assert_eq!(parsed.run.commands.len(), plan.stages.len());
        assert!(vdbench::expansion_lines(plan).len() >= 2);
    }
}

fn keyword() -> impl Strategy<Value = String> {
    let names: Vec<String> = vdbench::KEYWORDS
        .iter()
        .flat_map(vdbench::KeywordSpec::names)
        .map(str::to_owned)
        .collect();
    (proptest::sample::select(names), 2usize..20).prop_map(|(name, cut)| {
        let end = cut.min(name.len());
        name[..end].to_owned()
    })
}

fn vdbench_value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,12}[kmgthKMG%]{0,2}",
        "\\([0-9a-z,.*%-]{0,20}\\)",
        "\\PC{0,12}",
        proptest::sample::select(vec![
            "max",
            "curve",
            "eof",
            "seqnz",
            "(poisson,3)",
            "sd*",
            "(sd1-sd3)",
            "default",
            "w1",
            "sd1",
            "(1-64,d)",
            "(4k,50,8k,50)",
            "(90,110)",
            "100%",
            "-1",
            "o_direct",
            "$host",
            "(cmd,log,abort)",
            "(10,20)",
            "single",
            "range",
            "setsof2",
            "yes",
            "no",
            "h1",
            "(e,variable)",
            "(100,2,300,4)",
            "50",
        ])
        .prop_map(str::to_owned),
    ]
}

fn option_name() -> impl Strategy<Value = String> {
    let names: Vec<String> = fio::options()
        .iter()
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

    #[test]
    fn any_parameter_file(text in "(\\PC|\n|\r|\t|=|,|\"|\\(|\\)|-|#|\\$|sd=|wd=|rd=){0,200}") {
        let mut host = FakeHost::default();
        host.files.insert("p".into(), text);
        read_vdbench(&["-f".to_owned(), "p".to_owned()], &host);
    }

    #[test]
    fn any_keywords_in_a_parameter_file(
        objects in prop::collection::vec(
            (0usize..5, prop::collection::vec((keyword(), vdbench_value()), 0..5)), 0..8),
        ordered in any::<bool>(),
        simulate in any::<bool>(),
    ) {
        let begins = ["compratio=2", "hd=h1", "sd=sd1,lun=/tmp/x,size=10m", "wd=w1,sd=sd*",
            "rd=r1,wd=w*,iorate=max"];
        let mut objects = objects;
        if ordered {
            objects.sort_by_key(|o| o.0);
        }
        let mut text = String::new();
        for (at, (kind, entries)) in objects.iter().enumerate() {
            let begin = begins[*kind].replacen('1', &at.to_string(), usize::from(at % 3 == 0));
            text.push_str(&format!("{begin}\n"));
            for (key, value) in entries {
                text.push_str(&format!("{key}={value}\n"));
            }
        }
        let mut host = FakeHost::default();
        host.files.insert("p".into(), text);
        let mut args = vec!["-f".to_owned(), "p".to_owned()];
        if simulate {
            args.push("-s".to_owned());
        }
        read_vdbench(&args, &host);
    }

    #[test]
    fn any_vdbench_command_line(words in prop::collection::vec("(-{0,2}[a-z]{0,3}=?)?\\PC{0,8}", 0..8)) {
        read_vdbench(&words, &FakeHost::default());
    }

    #[test]
    fn any_simulated_device(text in "[a-z_=0-9@:,.-]{0,60}") {
        if let Err(problems) = sim::parse(&text) {
            for problem in problems {
                prop_assert!(text.get(problem.at).is_some());
            }
        }
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
