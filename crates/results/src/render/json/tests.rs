//! The JSON form against its schema.

use super::*;
use crate::fixture;
use crate::fixture::device::{Device, survey_run};
use crate::study::{Scope, SurveyOptions, SurveyTarget};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{Event, Outcome};
use leadline_model::failure::Failure;
use leadline_model::op::Op;
use leadline_model::plan::EngineKind;
use leadline_model::sample::EndReason;
use leadline_model::units::Nanos;
use serde_json::{Value, json};

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn problems(value: &Value) -> Vec<String> {
    leadline_testkit::schema::violations(&schema(), value)
}

fn value(run: &crate::run::Run) -> Value {
    serde_json::from_str(&json(run).unwrap()).unwrap()
}

#[test]
fn a_run_obeys_the_schema() {
    assert_eq!(problems(&value(&fixture::run())), [""; 0]);
    assert_eq!(problems(&value(&fixture::hosts_run())), [""; 0]);
}

#[test]
fn hosts_and_targets_have_their_figures() {
    let value = value(&fixture::hosts_run());
    assert_eq!(value["hosts"][1]["label"], "b");
    assert_eq!(value["hosts"][1]["clock_offset_ns"], -1500);
    assert!(value["hosts"][1]["lost"].is_null());
    let stage = &value["stages"][0];
    assert_eq!(stage["hosts"][2]["figures"]["data"]["ios"], 2000);
    assert_eq!(stage["hosts"][2]["series"][4]["ios"], 400);
    assert_eq!(stage["workloads"][0]["workers"][2]["host"], 2);
    assert!(stage["balance"]["jain"].as_f64().unwrap() > 0.999);
    assert_eq!(value["stages"][1]["targets"][0]["target"], "/data/wa");
    let by_file = self::value(&fixture::files_run());
    assert_eq!(problems(&by_file), [""; 0]);
    let target = &by_file["stages"][1]["targets"][2];
    assert_eq!(
        (&target["target"], &target["workloads"]),
        (&json!("/data/y"), &json!([1]))
    );
    assert_eq!(target["figures"]["data"]["errors"], 1);
}

#[test]
fn an_unfinished_and_an_empty_run_obey_it_too() {
    let mut run = fixture::run();
    run.stages[1].workers.clear();
    run.stages[1].end = None;
    run.outcome = None;
    assert_eq!(problems(&value(&run)), [""; 0]);
    assert_eq!(problems(&value(&crate::run::Run::default())), [""; 0]);
}

#[test]
fn what_failed_has_a_code_and_a_cure() {
    let mut run = fixture::run();
    let why = Failure::new(
        ErrorCode::NoSpace,
        "no space",
        ("free some", [Knob::Size, Knob::Engine(EngineKind::Libaio)]),
    );
    run.outcome = Some(Outcome::Failed(why));
    run.stages[0].workers[0].end = EndReason::failed(ErrorCode::Io, 5, "read of f");
    let value = value(&run);
    assert_eq!(problems(&value), [""; 0]);
    assert_eq!(value["outcome"], "failed");
    let knobs = json!(["size", { "engine": "libaio" }]);
    let cure = json!({ "text": "free some", "knobs": knobs });
    let expected = json!({ "code": "no-space", "what": "no space", "cure": cure });
    assert_eq!(value["failure"], expected);
    let worker = &value["stages"][0]["workloads"][0]["workers"][0];
    assert_eq!(worker["end"], "error");
    assert_eq!(worker["failure"]["code"], "io");
    assert_eq!(worker["failure"]["what"], "read of f");
    // Each name is in the schema, and no other.
    let names = schema()["$defs"]["failure"]["properties"]["code"]["enum"].clone();
    let names: Vec<ErrorCode> = serde_json::from_value(names).unwrap();
    let last = names.iter().max().unwrap();
    assert_eq!(names.len(), *last as usize + 1);
    let fine = self::value(&fixture::run());
    assert!(fine["failure"].is_null());
}

#[test]
fn the_schema_is_able_to_refuse() {
    let mut wrong = value(&fixture::run());
    wrong["length_ns"] = json!("long");
    wrong["outcome"] = json!("great");
    wrong["stages"][0]["figures"]["data"]["iopss"] = json!(1);
    wrong["stages"][0]["series"][0]
        .as_object_mut()
        .unwrap()
        .remove("warmup");
    let found = problems(&wrong).join("\n");
    for part in [
        "$.length_ns",
        "$.outcome: \"great\"",
        "data.iopss: is not in the schema",
        "warmup is missing",
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
}

#[test]
fn every_key_of_the_form_is_described() {
    fn described(schema: &Value, at: &str, missing: &mut Vec<String>) {
        for (key, rules) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let at = format!("{at}.{key}");
            if rules.get("description").is_none() && rules.get("$ref").is_none() {
                missing.push(at.clone());
            }
            described(rules, &at, missing);
        }
    }
    let schema = schema();
    let mut missing = Vec::new();
    described(&schema, "$", &mut missing);
    for (name, part) in schema["$defs"].as_object().unwrap() {
        described(part, name, &mut missing);
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn figures_are_those_of_the_summary_and_thin_percentiles_are_null() {
    let value = value(&fixture::run());
    let figures = &value["stages"][0]["workloads"][0]["figures"];
    assert_eq!(figures["ops"]["read"]["ios"], 15_000);
    let percentiles = figures["data"]["service"]["percentiles"]
        .as_array()
        .unwrap();
    let of = |p: f64| percentiles.iter().find(|v| v["percent"] == p).unwrap();
    assert_eq!(
        (of(99.99)["trust"].as_str(), of(99.99)["ns"].is_null()),
        (Some("too few"), true)
    );
    assert_eq!(of(99.9)["trust"], "doubtful");
    assert!(of(99.0)["ns"].as_u64().unwrap() > 400_000);
    let buckets = figures["data"]["service"]["buckets"].as_array().unwrap();
    let sum: u64 = buckets.iter().map(|b| b[2].as_u64().unwrap()).sum();
    assert_eq!(sum, 15_000);
    assert_eq!(value["stages"][0]["series"][5]["ops"]["read"]["ios"], 0);
    assert_eq!(
        value["stages"][1]["workloads"][0]["rates"][0]["asked"],
        1000.0
    );
}

/// The same findings as on the page: those that the run holds, and none that are found again.
#[test]
fn findings_are_those_that_the_run_holds() {
    let mut run = fixture::run();
    let codes = |run: &Run| -> Vec<String> {
        let value = value(run);
        let all = value["findings"].as_array().unwrap();
        let code = |f: &Value| f["code"].as_str().unwrap().to_owned();
        all.iter().map(code).collect()
    };
    assert_eq!(codes(&run), ["holes"]);
    let found = crate::trust::findings(&run);
    run.findings.extend(found);
    assert!(
        codes(&run).contains(&"stall".to_owned()),
        "{:?}",
        codes(&run)
    );
}

#[test]
fn a_run_in_which_nothing_was_measured_has_no_grade() {
    let grade = |run: &Run| -> Value {
        let value: Value = serde_json::from_str(&json(run).unwrap()).unwrap();
        value["verdict"]["grade"].clone()
    };
    assert_eq!(grade(&Run::default()), "-");
    assert_ne!(grade(&fixture::run()), "-");
}

#[test]
fn the_verdict_of_a_survey_has_its_interval_and_what_depths_cost() {
    let place = SurveyTarget::Directory("demo".to_owned());
    let mut options = SurveyOptions::new(place, Scope::Quick);
    (options.time, options.budget) = (Nanos::from_secs(9), None);
    let value = value(&survey_run(&Device::default(), options));
    assert_eq!(problems(&value), [""; 0]);
    let (limit, depth) = (&value["verdict"]["limit"], &value["verdict"]["depth"]);
    let number = |v: &Value| v.as_f64().unwrap();
    assert_eq!(limit["kind"], "iops-cap");
    // Excluded by the bursts alone: its latency does not grow with the size.
    assert_eq!(limit["second"], "parallelism");
    let (low, high) = (number(&limit["low"]), number(&limit["high"]));
    assert!(low < number(&limit["iops"]) && number(&limit["iops"]) < high);
    assert!((0.95..1.0).contains(&(low / high)), "{limit}");
    // Of a device with a soft knee: 16 in flight where ten would do.
    assert_eq!(depth["to_use"]["in_flight"], 16);
    assert!(
        (0.9..=1.0).contains(&number(&depth["to_use"]["share"])),
        "{depth}"
    );
    assert!(number(&depth["least"]) < 16.0, "{depth}");
    let alone = number(&depth["least_latency_ns"]);
    assert!(alone < number(&depth["to_use"]["latency_ns"]), "{depth}");
    assert!(depth["knee"]["in_flight"].as_u64() >= Some(16), "{depth}");
}

#[test]
fn figures_have_their_intervals() {
    let mut load = fixture::Load::simple(Op::Read, 100, 4096, 1_000_000, 40);
    load.quiet = vec![3, 17, 29];
    let mut events = vec![Event::StageStarted {
        stage: 0,
        at: Nanos::ZERO,
        wall_ms: 0,
    }];
    events.extend(fixture::workload_events(0, 0, &load));
    let value = value(&fixture::run_of(&events));
    assert_eq!(problems(&value), [""; 0]);
    let data = &value["stages"][0]["figures"]["data"];
    let number = |v: &Value| v.as_f64().unwrap();
    let around = |of: &str, interval: &Value| {
        let (low, high) = (number(&interval["low"]), number(&interval["high"]));
        assert!(
            low < number(&data[of]) && number(&data[of]) < high,
            "{data}"
        );
        assert_eq!(interval["settled"], true);
    };
    around("iops", &data["iops_interval"]);
    around("bytes_per_s", &data["bytes_per_s_interval"]);
    let service = &data["service"];
    let mean = &service["mean_ns_interval"];
    assert!(number(&mean["low"]) < number(&service["mean_ns"]), "{mean}");
    let at = |percent: f64| {
        let all = service["percentiles"].as_array().unwrap();
        all.iter().find(|p| p["percent"] == percent).unwrap()
    };
    let half = at(50.0);
    assert!(number(&half["low_ns"]) < number(&half["ns"]), "{half}");
    assert!(number(&half["ns"]) < number(&half["high_ns"]), "{half}");
    assert_eq!(half["settled"], true);
    // One below the median has its own, and one that is not shown has none.
    let tenth = at(10.0);
    assert!(number(&tenth["low_ns"]) < number(&tenth["ns"]), "{tenth}");
    assert!(number(&tenth["ns"]) < number(&tenth["high_ns"]), "{tenth}");
    assert!(at(99.99)["low_ns"].is_null() && at(99.99)["high_ns"].is_null());
}

/// Of 1,234,567 I/Os in each of forty intervals the ends are the rate itself, but for the last digit; and every figure of every
/// run is between its ends.
#[test]
fn a_value_is_never_outside_of_its_interval() {
    fn look(value: &Value, seen: &mut usize) {
        let ends = |low: &Value, high: &Value, of: &Value| {
            let [low, high, of] = [low, high, of].map(Value::as_f64);
            low.zip(high)
                .zip(of)
                .is_none_or(|((low, high), of)| low <= of && of <= high)
        };
        if let Some(all) = value.as_object() {
            for (name, high) in all {
                let Some(before) = name.strip_suffix("_interval") else {
                    continue;
                };
                if high.is_object() {
                    *seen += 1;
                    assert!(
                        ends(&high["low"], &high["high"], &all[before]),
                        "{before}: {value}"
                    );
                }
            }
            for of in ["value", "ns", "iops"] {
                let (low, high) = match of {
                    "ns" => ("low_ns", "high_ns"),
                    _ => ("low", "high"),
                };
                if let (Some(low), Some(high), Some(of)) =
                    (all.get(low), all.get(high), all.get(of))
                {
                    *seen += 1;
                    assert!(ends(low, high, of), "{value}");
                }
            }
            all.values().for_each(|value| look(value, seen));
        }
        value
            .as_array()
            .into_iter()
            .flatten()
            .for_each(|value| look(value, seen));
    }
    let mut seen = 0;
    for (count, latency) in [(1_234_567, 810), (3, 333_333_333), (7, 1_000_000), (100, 1)] {
        let load = fixture::Load::simple(Op::Read, count, 4096, latency, 40);
        let mut events = vec![Event::StageStarted {
            stage: 0,
            at: Nanos::ZERO,
            wall_ms: 0,
        }];
        events.extend(fixture::workload_events(0, 0, &load));
        look(&value(&fixture::run_of(&events)), &mut seen);
    }
    let place = SurveyTarget::Directory("demo".to_owned());
    let options = SurveyOptions::new(place, Scope::Quick);
    look(&value(&survey_run(&Device::default(), options)), &mut seen);
    assert!(seen > 50, "{seen}");
}
