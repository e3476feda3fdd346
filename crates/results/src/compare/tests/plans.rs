//! Runs of plans that differ in one value, whichever that is: a comparison names it.
//!
//! Belongs here: values of plans, each with others that are legal. Must never: leave a choice of a plan out.

use super::*;
use crate::fixture;
use crate::work::{of_plan, rest};
use leadline_model::plan::{OpMix, Plan, Stage, Workload};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A run of a plan of one workload, without its figures.
fn side(whole: &Plan, stage: &Stage, workload: &Workload, at: u64) -> CompareSide {
    let mut properties = of_plan(workload);
    let options = rest(whole, stage, workload);
    properties.insert(Property::Options, PropertyValue::Named(options));
    let row = SubjectRow {
        stage: "s".into(),
        workload: "w".into(),
        op: Some(Op::Read),
        properties,
        ..SubjectRow::default()
    };
    CompareSide {
        name: "side".into(),
        subjects: vec![Subject {
            wall_ms: Some(at),
            rows: vec![row],
            ..Subject::default()
        }],
    }
}

/// What a comparison names as different between two workloads.
fn named(a: &Workload, b: &Workload) -> Vec<String> {
    let (whole, stage) = (fixture::plan(Vec::new()), Stage::default());
    let sides = [(a, 1), (b, 2)].map(|(workload, at)| side(&whole, &stage, workload, at));
    let found = plain(&sides[0], &sides[1]);
    let unlike = found.rows.iter().flat_map(|row| &row.unlike);
    let all = unlike.chain(&found.notes).map(PropertyDifference::words);
    all.collect()
}

/// Every place of a plan that holds one value.
fn leaves(of: &Value, at: &str, found: &mut Vec<String>) {
    let mut each: Vec<(String, &Value)> = Vec::new();
    match of {
        Value::Object(all) => each.extend(all.iter().map(|(key, of)| (key.clone(), of))),
        Value::Array(all) => {
            each.extend(all.iter().enumerate().map(|(n, of)| (n.to_string(), of)));
        }
        _ => {}
    }
    if each.is_empty() {
        found.push(at.to_owned());
    }
    for (key, of) in each {
        leaves(of, &format!("{at}/{key}"), found);
    }
}

/// The workload of a plan with this value at this place.
fn with(plan: &Value, at: &str, value: &Value) -> Option<Workload> {
    let mut other = plan.clone();
    *other.pointer_mut(at)? = value.clone();
    other["work"] = json!({ "Blocks": other["blocks"].take() });
    serde_json::from_value(other).ok()
}

/// Places that hold no work: names and texts, and what only a run knows.
const NO_WORK: [&str; 15] = [
    "/name",
    "/description",
    "/given",
    "/original",
    "/definition",
    "/target_name",
    "/group",
    "/merge_group",
    "/percentiles",
    "/report",
    "/hosts",
    // Repeats of one measurement have seeds of their own.
    "/blocks/access/seed",
    // Where the files are is a property of the run; whose they are, and what they were opened as, is found out in it.
    "/blocks/prepare/own",
    "/blocks/target/Files/directories/0",
    "/blocks/target/Files/name_may_be_device",
];

/// Values of each choice of a plan, as JSON: all of a place are distinguished, and from what the plan has there.
const CHOICES: &[(&str, &str)] = &[
    (
        "/pace",
        r#"[{"Open": {"rates": {"read": {"Iops": 100.0}, "write": null, "trim": null}, "arrival": "Constant", "together": null, "schedule": []}},
          {"Open": {"rates": {"read": {"Bytes": 4096}, "write": null, "trim": null}, "arrival": "Constant", "together": null, "schedule": []}},
          {"Open": {"rates": {"read": {"Iops": 100.0}, "write": null, "trim": null}, "arrival": "Constant", "together": {"Iops": 50.0}, "schedule": []}},
          {"Open": {"rates": {"read": {"Iops": 100.0}, "write": null, "trim": null}, "arrival": "Poisson", "together": null, "schedule": []}},
          {"Open": {"rates": {"read": {"Iops": 100.0}, "write": null, "trim": null}, "arrival": "Even", "together": null, "schedule": []}},
          {"Open": {"rates": {"read": {"Iops": 100.0}, "write": null, "trim": null}, "arrival": "Constant", "together": null, "schedule": [[1000000000, 0.5]]}},
          {"Open": {"rates": {"read": {"Iops": 100.0}, "write": null, "trim": null}, "arrival": "Constant", "together": null, "schedule": [[2000000000, 0.5]]}}]"#,
    ),
    (
        "/think",
        r#"[{"pause": 1000, "spin": 0, "every": 1, "on_submit": false, "after_busy": 0},
          {"pause": 1001, "spin": 0, "every": 1, "on_submit": false, "after_busy": 0},
          {"pause": 1000, "spin": 500, "every": 1, "on_submit": false, "after_busy": 0},
          {"pause": 1000, "spin": 0, "every": 2, "on_submit": false, "after_busy": 0},
          {"pause": 1000, "spin": 0, "every": 1, "on_submit": true, "after_busy": 0},
          {"pause": 1000, "spin": 0, "every": 1, "on_submit": false, "after_busy": 7}]"#,
    ),
    (
        "/admission",
        r#"[{"Shares": {"group": 1, "borrowable": null}}, {"Shares": {"group": 2, "borrowable": null}},
          {"Shares": {"group": 1, "borrowable": {"pool": 5, "own": 2}}},
          {"CommonQueue": {"group": 1, "max_lead": 9, "borrowable": null}},
          {"CommonQueue": {"group": 1, "max_lead": 8, "borrowable": null}},
          {"CommonQueue": {"group": 1, "max_lead": 9, "borrowable": {"pool": 5, "own": 2}}},
          {"Priority": {"group": 1, "rank": 4}}, {"Priority": {"group": 1, "rank": 5}}]"#,
    ),
    (
        "/stop/ends_others",
        r#"["Group", "Stage", "StageTogether", "All"]"#,
    ),
    ("/stop/io_bytes", r#"[{"Bytes": 8192}, {"Percent": 50}]"#),
    (
        "/engine/kind",
        r#"["libaio", "psync", "threads", "pvsync2", "mmap", "null", "sim"]"#,
    ),
    ("/engine/map_flush", r#"["Sync", "Lines", "LinesNoDrain"]"#),
    (
        "/engine/file_priorities",
        r#"[[[2, 0]], [[2, 1]], [[3, 0]]]"#,
    ),
    ("/placement/memory", r#"["Huge", "Shared"]"#),
    ("/placement/cpus", r#"[[1], [1, 2]]"#),
    ("/placement/io_priority", r#"[[2, 4], [1, 4]]"#),
    ("/on_error/ignore/read", r#"[[5], [84]]"#),
    ("/start/after", r#"["first", "second"]"#),
    (
        "/blocks/mix",
        r#"[{"Only": "read"}, {"Only": "write"}, {"Only": "trim"}, {"ReadWrite": {"read_percent": 30.0}}, "TrimWrite"]"#,
    ),
    (
        "/blocks/access/order",
        r#"[{"Sequential": {"skip": 0}}, {"Sequential": {"skip": 4096}}, {"Sequential": {"skip": -4096}},
          {"Random": {"every": 4, "identical": false}}, {"Random": {"every": 4, "identical": true}}]"#,
    ),
    ("/blocks/access/coverage", r#"["WithRepeats"]"#),
    (
        "/blocks/access/distribution/read",
        r#"[{"Zipf": {"theta": 1.2, "center": null}}, {"Zipf": {"theta": 1.2, "center": 0.5}},
          {"Pareto": {"h": 0.2, "center": null}}, {"Normal": {"deviation": 20.0, "center": null}},
          {"Zoned": [{"access_percent": 100.0, "extent": {"Percent": 50}}]},
          {"Zoned": [{"access_percent": 100.0, "extent": {"Bytes": 50}}]}, {"LowEnd": 3.0},
          {"HotBand": {"low": {"Percent": 10}, "high": {"Percent": 20}}},
          {"HotBand": {"low": {"Percent": 10}, "high": {"Percent": 30}}}]"#,
    ),
    (
        "/blocks/access/file_choice",
        r#"[{"RoundRobin": {"ios": 4}}, "Sequential", {"Random": {"ios": 1}}, {"Random": {"ios": 4}},
          {"Zipf": {"theta": 1.2}}, {"Pareto": {"h": 0.2}}, {"Normal": {"deviation": 20.0}}, "EachSlot"]"#,
    ),
    (
        "/blocks/access/position",
        r#"["EachFile", "EachSlot", "Workload"]"#,
    ),
    (
        "/blocks/access/begin",
        r#"["Random", {"Apart": 4096}, {"Apart": 8192}]"#,
    ),
    ("/blocks/access/at_end", r#"["Stop"]"#),
    (
        "/blocks/access/grid",
        r#"["Own", {"Bytes": 4096}, {"Bytes": 8192}]"#,
    ),
    (
        "/blocks/access/hits",
        r#"[{"area": 4096, "read_percent": 50.0, "write_percent": 50.0},
          {"area": 4096, "read_percent": 50.0, "write_percent": 60.0}]"#,
    ),
    ("/blocks/access/stride", r#"[[1, 2], [1, 3]]"#),
    ("/blocks/access/draws", r#"["Diskspd"]"#),
    ("/blocks/access/file_weights", r#"[[1, 2], [2, 1]]"#),
    ("/blocks/access/counters", r#"[[0], [1]]"#),
    (
        "/blocks/sizes/by_op/read",
        r#"[{"Range": {"min": 4096, "max": 8192, "unaligned": false}},
          {"Range": {"min": 4096, "max": 8192, "unaligned": true}}, {"Split": [[4096, 25], [8192, 75]]},
          {"Split": [[4096, 75], [8192, 25]]}]"#,
    ),
    (
        "/blocks/payload/fill",
        r#"["Zero", {"Pattern": [222, 173]}, {"Pattern": [222, 174]}, {"Source": {"size": 4096, "file": null}},
          {"Source": {"size": 4096, "file": "/f"}}]"#,
    ),
    ("/blocks/payload/refresh", r#"["Never", "Each"]"#),
    ("/blocks/open/sync", r#"["Sync", "Dsync"]"#),
    (
        "/blocks/prepare/fallocate",
        r#"["None", "Posix", "Keep", "Truncate"]"#,
    ),
    (
        "/blocks/prepare/advise",
        r#"["Nothing", "Random", "Sequential"]"#,
    ),
    (
        "/blocks/region/size",
        r#"[{"Bytes": 8192}, {"Percent": 50}]"#,
    ),
    (
        "/blocks/region/offset",
        r#"[{"Bytes": 8192}, {"Percent": 50}]"#,
    ),
    (
        "/blocks/region/offset_step",
        r#"[{"Bytes": 8192}, {"Percent": 50}]"#,
    ),
    ("/blocks/region/file_size", r#"[[1, 2], [2, 2]]"#),
    (
        "/blocks/region/wrap",
        r#"[{"start": 0, "end": {"Percent": 50}}, {"start": 0, "end": {"Bytes": 50}}]"#,
    ),
];

fn choices() -> BTreeMap<&'static str, Vec<Value>> {
    let each = CHOICES.iter();
    let each = each.map(|(at, values)| (*at, serde_json::from_str(values).unwrap()));
    each.collect()
}

/// A workload, and the same as JSON with what its blocks are beside its envelope.
fn workload() -> (Workload, Value) {
    let workload = fixture::workload("w", OpMix::mixed(70), 4096, 8, 5);
    let mut plan = serde_json::to_value(&workload).unwrap();
    let blocks = plan["work"]["Blocks"].take();
    plan["blocks"] = blocks;
    plan.as_object_mut().unwrap().remove("work");
    (workload, plan)
}

/// Whichever choice of a plan is another one, a comparison names that.
#[test]
fn every_choice_of_a_plan_that_differs_is_named() {
    let (workload, plan) = workload();
    let mut pairs = 0;
    for (at, values) in choices() {
        let other = |value: &Value| {
            with(&plan, at, value).unwrap_or_else(|| panic!("{at} is never {value}"))
        };
        let mut all: Vec<Workload> = values.iter().map(other).collect();
        all.push(workload.clone());
        for (number, a) in all.iter().enumerate() {
            for b in &all[number + 1..] {
                assert_ne!(a, b, "{at}");
                let found = named(a, b);
                assert!(!found.is_empty(), "{at}: {a:?}\n{b:?}");
                pairs += 1;
            }
        }
    }
    assert!(pairs > 300, "{pairs}");
}

/// Whichever number or flag of a plan is another one, a comparison names that; the choices have values of their own.
#[test]
fn every_number_of_a_plan_that_differs_is_named() {
    let (workload, plan) = workload();
    let mut places = Vec::new();
    leaves(&plan, "", &mut places);
    let choices = choices();
    let (mut tried, mut left) = (0, Vec::new());
    for at in &places {
        let is_no_work = NO_WORK.iter().any(|no| at.starts_with(no));
        let is_choice = choices.keys().any(|choice| at.starts_with(choice));
        if is_no_work || is_choice {
            continue;
        }
        let others = match plan.pointer(at) {
            Some(Value::Bool(flag)) => vec![json!(!flag)],
            Some(Value::Number(n)) => {
                let n = n.as_u64().unwrap_or_default();
                vec![json!(n + 3), json!(n / 2)]
            }
            _ => vec![json!(7), json!([3, 3]), json!([3]), json!("x")],
        };
        let other = others.iter().find_map(|value| with(&plan, at, value));
        match other.filter(|other| *other != workload) {
            Some(other) => {
                assert!(!named(&workload, &other).is_empty(), "{at}");
                tried += 1;
            }
            None => left.push(at.as_str()),
        }
    }
    // Reads, writes and trims have the same choices, of which the first are varied; files with settings of their own
    // have a test in `work`.
    let known = [
        "/blocks/access/distribution/write",
        "/blocks/access/distribution/trim",
        "/blocks/parts",
    ];
    assert_eq!(left, known);
    assert!(tried > 60, "{tried} of {}", places.len());
}
