//! Which runs are points of one list of rates.

use crate::common::FakeHost;

#[test]
fn runs_that_differ_in_their_rate_only_are_one_series() {
    let mut host = FakeHost::default();
    let text = "formatsds=no\nsd=sd1,lun=/tmp/x,size=1g\nwd=w1,sd=sd1\n\
                rd=r1,wd=w1,iorate=(100,200),forthreads=(2,4)\nrd=r2,wd=w1,iorate=max\n";
    host.files.insert("p".into(), text.into());
    let plan = leadline_vdbench::parse(&["-f".into(), "p".into()], &host)
        .plan
        .unwrap();
    let found: Vec<_> = plan
        .stages
        .iter()
        .map(|stage| {
            let series = stage.series.as_ref().unwrap();
            (series.name.as_str(), series.varied.as_str(), stage.rate)
        })
        .collect();
    for (rate, varied) in [
        (100.0, "threads=2"),
        (200.0, "threads=2"),
        (100.0, "threads=4"),
        (200.0, "threads=4"),
    ] {
        assert!(found.contains(&("r1", varied, Some(rate))), "{found:?}");
    }
    assert_eq!(found.len(), 5);
    assert_eq!(found.iter().find(|f| f.0 == "r2"), Some(&("r2", "", None)));
}
