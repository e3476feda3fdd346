//! Profiles: those built in with their published limits, what is wrong with one, the comparison.

use leadline_dialect::diagnostic::render;
use leadline_limits::{Judgement, Latency, Requirement, Sampled, profiles};
use leadline_model::op::Op;

#[test]
fn each_built_in_profile_has_work_and_limit_with_their_sources() {
    let read = profiles(None);
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    assert!(read.profiles.len() >= 5);
    for profile in &read.profiles {
        assert!(!profile.about.is_empty(), "{}", profile.name);
        for test in &profile.tests {
            let name = format!("{} {}", profile.name, test.name);
            assert!(test.source.address.starts_with("https://"), "{name}");
            assert!(test.job_source.starts_with("https://"), "{name}");
            assert!(
                test.source.date.len() >= 4 && test.source.verified,
                "{name}"
            );
        }
    }
}

/// What the pages say: 10 ms at p99 for etcd, 20 ms, 50 and 500 writes a second for that of OpenShift; 250 MB/s for SAP
/// HANA's log, 400 and 250 MB/s for reads and writes of its data.
#[test]
fn the_limits_are_the_published_ones() {
    let read = profiles(None);
    let of = |name: &str| -> Vec<(Op, Requirement)> {
        let tests = read.named(name).map_or(&[][..], |profile| &profile.tests);
        tests.iter().map(|t| (t.op, t.requirement)).collect()
    };
    let p99 = |ms: f64| Requirement::Below(Latency::Percentile(99.0), ms * 1e6);
    assert_eq!(of("etcd"), [(Op::Sync, p99(10.0))]);
    let least = (Op::Write, Requirement::Iops(50.0));
    assert_eq!(of("openshift-etcd"), [(Op::Sync, p99(20.0)), least]);
    assert_eq!(
        of("openshift-etcd-heavy"),
        [(Op::Write, Requirement::Iops(500.0))]
    );
    let (log, data) = (of("sap-hana-log"), of("sap-hana-data"));
    assert!(log.iter().all(|(_, r)| *r == Requirement::Bytes(250e6)) && log.len() == 2);
    for (op, requirement) in data {
        let mb = if op == Op::Read { 400e6 } else { 250e6 };
        assert_eq!(requirement, Requirement::Bytes(mb));
    }
}

/// What is said of a file, as people see it; nothing of it loads.
fn said(text: &str) -> String {
    let read = profiles(Some(("mine.toml", text)));
    assert!(read.profiles.is_empty(), "{text}");
    render(&read.diagnostics, &read.sources, false, 100)
}

const RIGHT: &str = "[[profile]]\nname = \"a\"\ntest = \"t\"\njob = \"rw=write\"\n\
     job_source = \"https://example.com/job\"\nop = \"write\"\niops_least = 5\n";
const SOURCE: &str = "source = \"https://example.com\"\ndate = \"2026\"\n";

#[test]
fn a_row_without_a_source_does_not_load() {
    let with = format!("{RIGHT}{SOURCE}");
    let read = profiles(Some(("mine.toml", &with)));
    assert_eq!(read.profiles.len(), 1, "{:?}", read.diagnostics);
    let said = said(RIGHT);
    assert!(said.contains("without a source"), "{said}");
    assert!(said.contains("mine.toml:1"), "{said}");
    let no_date = self::said(&format!("{RIGHT}source = \"https://example.com\"\n"));
    assert!(no_date.contains("without `date`"), "{no_date}");
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_its_line() {
    let right = format!("{RIGHT}{SOURCE}");
    let changed = |from: &str, to: &str| right.replace(from, to);
    let mut all = [
        changed("iops_least = 5", "iops_least = 5\nmb_least = 1"),
        changed("iops_least = 5", "below_ms = 1"),
        changed("iops_least = 5", "of = \"p99\"\niops_least = 5"),
        changed("iops_least = 5\n", ""),
        changed("\"t\"", "\"../t\""),
        changed("https://example.com/job", "the internet"),
        right.clone(),
        right.clone(),
    ];
    for (number, row) in all.iter_mut().enumerate().take(6) {
        *row = row.replace("\"t\"", &format!("\"t{number}\""));
    }
    let said = said(&all.concat());
    for part in [
        "a test has one limit, this one has 2",
        "`below_ms` without `of`",
        "`of` without `below_ms`",
        "a test has one limit, this one has 0",
        "`test` is used in file names",
        "`job_source` is not an address",
        "a has two tests `t`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn an_interval_decides_and_what_lies_across_the_limit_does_not() {
    let sampled = |low: f64, high: f64| Sampled {
        value: Some(f64::midpoint(low, high)),
        low: Some(low),
        high: Some(high),
    };
    let below = Requirement::Below(Latency::Mean, 10.0);
    assert_eq!(below.judge(&sampled(8.0, 9.9)), Judgement::Pass);
    assert_eq!(below.judge(&sampled(8.0, 10.0)), Judgement::Undecided);
    assert_eq!(below.judge(&sampled(10.0, 12.0)), Judgement::Fail);
    for least in [Requirement::Iops(10.0), Requirement::Bytes(10.0)] {
        assert_eq!(least.judge(&sampled(10.0, 12.0)), Judgement::Pass);
        assert_eq!(least.judge(&sampled(9.0, 12.0)), Judgement::Undecided);
        assert_eq!(least.judge(&sampled(8.0, 9.9)), Judgement::Fail);
    }
    let unknown = Sampled {
        value: Some(1.0),
        ..Sampled::default()
    };
    assert_eq!(below.judge(&unknown), Judgement::Undecided);
}
