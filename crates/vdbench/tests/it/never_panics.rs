//! Any text is read to the end: a plan or an error, never a panic, and always renderable.

use crate::common::FakeHost;
use leadline_dialect::diagnostic::{Severity, render};
use leadline_vdbench as vdbench;
use proptest::prelude::*;

/// Reads a parameter file; a plan comes exactly without an error.
fn read(args: &[String], host: &FakeHost) {
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
            assert!(w.blocks().sizes.smallest_of_any_op() >= 1);
            assert!(w.hosts.among(0).all(|h| (h as usize) < plan.hosts.len()));
        }
        assert!(plan.interval.as_millis() >= 1000);
        assert_eq!(parsed.run.commands.len(), plan.stages.len());
        assert!(vdbench::expansion_lines(plan).len() >= 2);
    }
}

fn keyword() -> impl Strategy<Value = String> {
    let names: Vec<String> = vdbench::keywords()
        .iter()
        .flat_map(|spec| spec.names())
        .map(str::to_owned)
        .collect();
    (proptest::sample::select(names), 2usize..20).prop_map(|(name, cut)| {
        let end = cut.min(name.len());
        name[..end].to_owned()
    })
}

fn value() -> impl Strategy<Value = String> {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_parameter_file(text in "(\\PC|\n|\r|\t|=|,|\"|\\(|\\)|-|#|\\$|sd=|wd=|rd=){0,200}") {
        let mut host = FakeHost::default();
        host.files.insert("p".into(), text);
        read(&["-f".to_owned(), "p".to_owned()], &host);
    }

    #[test]
    fn any_keywords_in_a_parameter_file(
        objects in prop::collection::vec(
            (0usize..5, prop::collection::vec((keyword(), value()), 0..5)), 0..8),
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
        read(&args, &host);
    }

    #[test]
    fn any_command_line(words in prop::collection::vec("(-{0,2}[a-z]{0,3}=?)?\\PC{0,8}", 0..8)) {
        read(&words, &FakeHost::default());
    }
}
