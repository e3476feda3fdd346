//! Histories made by hand: what is compared with what, and what is said of it.

use super::*;
use leadline_model::units::Nanos;

/// A run of this number whose point has this rate.
fn head(number: u64, title: &str, points: Vec<KeptPoint>) -> RunHead {
    RunHead {
        path: format!("{title}-{number}.leadline").into(),
        title: title.to_owned(),
        wall_ms: 1_767_323_045_678 + number * 86_400_000,
        outcome: Some(Outcome::Complete),
        length: Nanos::from_secs(30),
        stages: 1,
        writer: "0.1.0".to_owned(),
        grade: "A".to_owned(),
        figures: String::new(),
        points: KeptPoints {
            hosts: "pelican".to_owned(),
            points,
        },
        tag: None,
        problem: None,
    }
}

fn point(stage: &str, iops: f64) -> KeptPoint {
    KeptPoint {
        stage: stage.to_owned(),
        work: "4 KiB random read, depth 32".to_owned(),
        targets: "/vol".to_owned(),
        settings: 1,
        iops,
        bytes_per_s: 4096.0 * iops,
        p50_ns: Some(crate::words::whole(32e9 / iops)),
        p99_ns: None,
    }
}

/// 12 runs at 48,000 IOPS, 8 at 41,000, one of them a failure of 9,000.
pub(crate) fn changed() -> Vec<RunHead> {
    (0..20_u64)
        .map(|n| {
            let wobble = 100.0 * (n % 5) as f64;
            let iops = if n < 12 { 48_000.0 } else { 41_000.0 } + wobble;
            let iops = if n == 6 { 9_000.0 } else { iops };
            head(
                n,
                "survey of /vol",
                vec![point("iops", iops), point("qd1", 900.0)],
            )
        })
        .collect()
}

#[test]
fn runs_of_one_target_are_one_group_with_its_change() {
    let history = History::of(changed());
    assert_eq!((history.groups.len(), history.others.len()), (1, 0));
    let group = &history.groups[0];
    assert_eq!((group.stage.as_str(), group.runs.len()), ("iops", 20));
    let iops = &group.metrics[0];
    let at: Vec<usize> = iops.changes.iter().map(|c| c.at).collect();
    assert_eq!((at, &iops.alone), (vec![12], &vec![6]));
    // By hand: 48,000 + 100 * mean of (0 1 2 3 4 0 2 3 4 0 1) for 11 runs; 41,000 + 100 * mean(2 3 4 0 1 2 3 4).
    let change = &iops.changes[0];
    assert!((change.before.mean - 48_181.8).abs() < 0.1, "{change:?}");
    assert!((change.after.mean - 41_237.5).abs() < 0.1, "{change:?}");
    assert_eq!(iops.level, Some(change.after));
    assert_eq!(iops.drift, None);
    // The median is longer from there on; p99 is not known, and nothing is said of it.
    assert_eq!(group.metrics[1].changes[0].at, 12);
    assert!(group.metrics[1].changes[0].change() > 0.15);
    assert_eq!(
        (&group.metrics[2].changes[..], group.metrics[2].level),
        (&[][..], None)
    );
}

#[test]
fn what_is_not_alike_is_not_compared() {
    let mut runs = changed();
    runs.truncate(3);
    // Another title, another host, other work, a run without figures.
    runs.push(head(3, "survey of /other", vec![point("iops", 1.0)]));
    let mut elsewhere = head(4, "survey of /vol", vec![point("iops", 48_000.0)]);
    elsewhere.points.hosts = "heron".to_owned();
    runs.push(elsewhere);
    let mut deeper = point("iops", 48_000.0);
    deeper.work = "4 KiB random read, depth 64".to_owned();
    runs.push(head(5, "survey of /vol", vec![deeper]));
    runs.push(head(6, "survey of /vol", Vec::new()));
    let history = History::of(runs);
    let sizes: Vec<usize> = history.groups.iter().map(|g| g.runs.len()).collect();
    assert_eq!((sizes, history.others.len()), (vec![3, 1, 1, 1], 1));
    assert!(history.groups[1].metrics.is_empty());
    // The latest is last.
    assert_eq!(history.groups[3].work, "4 KiB random read, depth 64");
}

#[test]
fn runs_that_failed_or_mean_nothing_are_shown_and_not_compared() {
    let mut runs = changed();
    runs[13].outcome = Some(Outcome::CutShort);
    runs[14].grade = "F".to_owned();
    for head in &mut runs[13..15] {
        head.points.points[0].iops = 1.0;
    }
    let history = History::of(runs);
    let group = &history.groups[0];
    assert_eq!(group.runs.len(), 20);
    assert!(!group.runs[13].counts() && !group.runs[14].counts());
    let at: Vec<usize> = group.metrics[0].changes.iter().map(|c| c.at).collect();
    assert_eq!(at, [12]);
    // An index is one of all runs.
    let mut early = changed();
    early[2].outcome = None;
    let at = History::of(early).groups[0].metrics[0].changes[0].at;
    assert_eq!(at, 12);
}

#[test]
fn a_level_that_moves_all_the_time_drifts() {
    let runs = (0..30_u64).map(|n| {
        let iops = 1000.0 - 2.0 * n as f64 + (n * 7 % 5) as f64;
        head(n, "t", vec![point("s", iops)])
    });
    let history = History::of(runs.collect());
    let iops = &history.groups[0].metrics[0];
    // However it is cut, the last level still falls, or the cuts say that it fell.
    let falls = iops.drift.is_some_and(|d| d < 0.0);
    let fell = iops.changes.iter().all(|c| c.change() < 0.0);
    assert!(falls || fell && !iops.changes.is_empty(), "{iops:?}");
    let slow = (0..12_u64).map(|n| head(n, "t", vec![point("s", 1000.0 - 3.0 * n as f64)]));
    let slow = &History::of(slow.collect()).groups[0].metrics[0];
    if slow.changes.is_empty() {
        // By hand: 33 of a mean of 983.5.
        assert!(
            (slow.drift.unwrap() + 33.0 / 983.5).abs() < 1e-6,
            "{slow:?}"
        );
    }
}

/// Runs that differ in a setting that their description does not have are two histories, and each says so.
#[test]
fn runs_of_other_settings_are_another_history() {
    let mut runs = changed();
    assert!(!History::of(runs.clone()).groups[0].has_other_settings);
    let later = runs.iter_mut().skip(12);
    later.for_each(|run| run.points.points.iter_mut().for_each(|p| p.settings = 2));
    let history = History::of(runs);
    let counts: Vec<usize> = history.groups.iter().map(|g| g.runs.len()).collect();
    assert_eq!(counts, [12, 8]);
    for group in &history.groups {
        assert!(group.has_other_settings);
        assert!(group.metrics.iter().all(|m| m.changes.is_empty()));
    }
}

#[test]
fn the_json_form_obeys_its_schema() {
    use leadline_testkit::schema::violations;
    let schema = serde_json::from_str(json::SCHEMA).unwrap();
    let mut runs = changed();
    runs[3].tag = Some("baseline".to_owned());
    let mut broken = head(30, "x", Vec::new());
    broken.problem = Some("it is not an SQLite file".to_owned());
    runs.push(broken);
    for runs in [runs, Vec::new()] {
        let value: serde_json::Value =
            serde_json::from_str(&json::json(&History::of(runs))).unwrap();
        let wrong = violations(&schema, &value);
        assert!(wrong.is_empty(), "{wrong:?}");
    }
    let mut value: serde_json::Value =
        serde_json::from_str(&json::json(&History::of(changed()))).unwrap();
    assert_eq!(value["groups"][0]["figures"][0]["changes"][0]["run"], 12);
    assert_eq!(
        value["groups"][0]["figures"][0]["changes"][0]["better"],
        false
    );
    value["groups"][0]["runs"][0]["iopss"] = 1.into();
    assert_eq!(violations(&schema, &value).len(), 1);
}
