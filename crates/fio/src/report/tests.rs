//! fio's shapes: against lists of the keys that fio 3.33 prints, and snapshots of the fixture.

use super::*;
use crate::original::{Directions, Shown};
use leadline_model::error_code::ErrorCode;
use leadline_model::failure::Failure;
use leadline_model::op::Op;
use leadline_model::plan::{OpMix, Report};
use leadline_model::sample::EndReason;
use leadline_model::units::Nanos;
use leadline_results::fixture;
use leadline_testkit::json_shape as shape;
use serde_json::Value;

fn options(bins: bool) -> Options {
    Options {
        bins,
        run_file: Some("fixture.leadline".into()),
        ..Options::default()
    }
}

/// Keys of a latency object.
fn latency(out: &mut Vec<String>, path: &str, filled: bool) {
    for key in ["min i", "max i", "mean f", "stddev f", "N i"] {
        out.push(format!("{path}.{key}"));
    }
    if filled {
        out.push(format!("{path}.percentile {{}}"));
        out.push(format!("{path}.bins {{}}"));
    }
}

/// The keys fio prints for one job, for a version from which `job_start` is there; `filled` are the
/// directions with I/O.
fn fio_keys(filled: &[&str], description: bool) -> Vec<String> {
    let mut out: Vec<String> = ["fio version s", "timestamp i", "timestamp_ms i", "time s"]
        .map(|k| format!(".{k}"))
        .to_vec();
    out.push(".global options {}".into());
    for key in [
        "jobname s",
        "groupid i",
        "job_start i",
        "error i",
        "eta i",
        "elapsed i",
        "job options {}",
    ] {
        out.push(format!(".jobs[].{key}"));
    }
    for op in ["read", "write", "trim"] {
        let at = format!(".jobs[].{op}");
        let filled = filled.contains(&op);
        for key in "io_bytes i,io_kbytes i,bw_bytes i,bw i,iops f,runtime i,total_ios i,short_ios i,drop_ios i".split(',') {
            out.push(format!("{at}.{key}"));
        }
        latency(&mut out, &format!("{at}.slat_ns"), false);
        latency(&mut out, &format!("{at}.clat_ns"), filled);
        latency(&mut out, &format!("{at}.lat_ns"), filled);
        for key in
            "bw_min i,bw_max i,bw_agg f,bw_mean f,bw_dev f,bw_samples i,iops_min i,iops_max i,\
                    iops_mean f,iops_stddev f,iops_samples i"
                .split(',')
        {
            out.push(format!("{at}.{key}"));
        }
        latency(&mut out, &format!("{at}.response_ns"), filled);
    }
    out.push(".jobs[].sync.total_ios i".into());
    latency(&mut out, ".jobs[].sync.lat_ns", filled.contains(&"sync"));
    for key in [
        "job_runtime i",
        "usr_cpu f",
        "sys_cpu f",
        "ctx i",
        "majf i",
        "minf i",
    ] {
        out.push(format!(".jobs[].{key}"));
    }
    let classes = "2,4,10,20,50,100,250,500,750,1000";
    for (key, names) in [
        ("iodepth_level", "1,2,4,8,16,32,>=64"),
        ("iodepth_submit", "0,4,8,16,32,64,>=64"),
        ("iodepth_complete", "0,4,8,16,32,64,>=64"),
        ("latency_ns", classes),
        ("latency_us", classes),
        (
            "latency_ms",
            "2,4,10,20,50,100,250,500,750,1000,2000,>=2000",
        ),
    ] {
        out.extend(names.split(',').map(|n| format!(".jobs[].{key}.{n} f")));
    }
    for key in "latency_depth i,latency_target i,latency_target_ns i,latency_percentile f,latency_window i,\
                latency_window_us i".split(',') {
        out.push(format!(".jobs[].{key}"));
    }
    if description {
        out.push(".jobs[].desc s".into());
    }
    out
}

#[test]
fn json_plus_has_the_keys_and_kinds_of_fio_in_its_order() {
    let mut run = fixture::run();
    run.stages.remove(0);
    let mut expected = fio_keys(&["write"], false);
    latency(&mut expected, ".jobs[].lag_ns", true);
    for key in [
        "jobs[].late_ios i",
        "jobs[].unissued_ios i",
        "jobs[].start_skew_ns i",
    ] {
        expected.push(format!(".{key}"));
    }
    let disk = "name s,read_ios i,write_ios i,read_sectors i,write_sectors i,read_merges i,write_merges i,\
                read_ticks i,write_ticks i,in_queue i,util f";
    expected.extend(disk.split(',').map(|k| format!(".disk_util[].{k}")));
    expected.extend([
        ".leadline.version s".to_owned(),
        ".leadline.run_file s".to_owned(),
    ]);
    let finding = "code s,severity s,stage i,workload i,text s,cure s";
    let finding = finding.split(',');
    expected.extend(finding.map(|k| format!(".leadline.findings[].{k}")));
    assert_eq!(shape(&value(&run, &options(true))), expected);
}

#[test]
fn a_mixed_job_with_syncs_has_all_its_directions() {
    let value = value(&fixture::run(), &options(true));
    let Some(Value::Array(jobs)) = value.get("jobs") else {
        panic!("no jobs")
    };
    let expected = fio_keys(&["read", "write", "sync"], true);
    let expected: Vec<_> = expected
        .iter()
        .filter(|k| k.starts_with(".jobs[]"))
        .collect();
    let job = Value::Array(vec![jobs[2].clone()]);
    let shape = shape(&serde_json::json!({ "jobs": job }));
    let shape: Vec<_> = shape.iter().take(expected.len()).collect();
    assert_eq!(shape, expected);
}

#[test]
fn figures_agree_with_one_another() {
    let value = value(&fixture::run(), &options(true));
    let text = leadline_text::json::fio(&value).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let read = &json["jobs"][0]["read"];
    assert_eq!(read["total_ios"], 15_000);
    assert_eq!(read["runtime"], 7000);
    assert_eq!(read["bw_samples"], 7);
    assert_eq!(read["iops_min"], 0);
    let bins: u64 = read["lat_ns"]["bins"]
        .as_object()
        .unwrap()
        .values()
        .map(|v| v.as_u64().unwrap())
        .sum();
    assert_eq!(bins, 15_000);
    assert_eq!(read["lat_ns"]["percentile"], read["clat_ns"]["percentile"]);
    assert!(read["lat_ns"]["percentile"]["99.990000"].as_u64() <= read["lat_ns"]["max"].as_u64());
    assert_eq!(read["slat_ns"]["N"], 0);
    // Two workers of a merged group are one record.
    assert_eq!(json["jobs"].as_array().unwrap().len(), 3);
    assert_eq!(json["jobs"][1]["write"]["total_ios"], 5000);
    assert_eq!(json["jobs"][1]["late_ios"], 6);
    assert!(
        json["jobs"][1]["write"]["response_ns"]["mean"].as_f64()
            > json["jobs"][1]["write"]["lat_ns"]["mean"].as_f64()
    );
    assert_eq!(json["jobs"][2]["sync"]["total_ios"], 60);
}

/// A latency counted in parts is shown in them; a merged group in which some were not has theirs as completion.
#[test]
fn parts_of_a_latency_are_slat_and_clat() {
    let mut run = fixture::run();
    let counts = run.stages[0].workers[0].counts.op_mut(Op::Read);
    let mut parts = leadline_model::sample::Parts::default();
    parts.submission.record_many(2_500, counts.ios);
    parts
        .completion
        .record_many(counts.service.min - 2_500, counts.ios);
    counts.parts = Some(parts);
    let json: serde_json::Value = serde_json::from_str(&json(&run, &options(false))).unwrap();
    let read = &json["jobs"][0]["read"];
    assert_eq!(read["slat_ns"]["N"], 15_000);
    assert_eq!(read["slat_ns"]["mean"], 2500.0);
    assert!(read["slat_ns"].get("percentile").is_none());
    assert!(read["clat_ns"]["mean"].as_f64() < read["lat_ns"]["mean"].as_f64());
    let shown = text(&run, &options(false));
    assert!(
        shown.contains("    slat (nsec): min=2500, max=2500, avg=2500.00, stdev= 0.00\n    clat ("),
        "{shown}"
    );
    assert!(!shown.contains("slat percentiles"));
    if let Some(plan) = &mut run.plan {
        show(&mut plan.stages[0].workloads[0], |shown| {
            shown.slat_percentiles = true;
        });
    }
    assert!(text(&run, &options(false)).contains("    slat percentiles (nsec):\n"));
}

/// What fio shows of a job that did not outlast its ramp_time: amounts, no latencies, shares of its own time.
#[test]
fn a_job_that_ends_in_its_warm_up_shows_what_it_did_there() {
    let mut run = fixture::run();
    let stage = &mut run.stages[0];
    for sample in &mut stage.samples {
        sample.warmup = true;
    }
    let worker = &mut stage.workers[0];
    worker.counts = leadline_model::sample::Counts::default();
    worker.warmup_ios = 15_000;
    worker.window_start = worker.window_end;
    let json: serde_json::Value = serde_json::from_str(&json(&run, &options(false))).unwrap();
    let job = &json["jobs"][0];
    assert!(job["read"]["total_ios"].as_u64() >= Some(15_000), "{job}");
    assert!(job["read"]["runtime"].as_u64() > Some(1000), "{job}");
    assert_eq!(job["read"]["lat_ns"]["N"], 0);
    assert_eq!(job["read"]["bw_samples"], 0);
    assert!(job["usr_cpu"].as_f64() < Some(100.0), "{job}");
    // Nothing at all was done: shares of no time are none.
    run.stages[0].workers[0].warmup_ios = 0;
    let json: serde_json::Value =
        serde_json::from_str(&super::json(&run, &options(false))).unwrap();
    assert_eq!(json["jobs"][0]["usr_cpu"], 0.0);
    assert_eq!(json["jobs"][0]["read"]["total_ios"], 0);
}

#[test]
fn clones_that_are_not_merged_are_jobs_of_their_own() {
    let mut run = fixture::run();
    if let Some(plan) = &mut run.plan {
        plan.stages[1].workloads[0].merge_group = false;
    }
    let json: serde_json::Value = serde_json::from_str(&json(&run, &options(false))).unwrap();
    assert_eq!(json["jobs"].as_array().unwrap().len(), 4);
    assert_eq!(json["jobs"][2]["jobname"], "paced");
    assert_eq!(json["jobs"][2]["write"]["total_ios"], 2500);
    assert_eq!(json["jobs"][2]["write"]["iops_samples"], 5);
    assert!(json["jobs"][2]["write"].get("bins").is_none());
    let share = json["jobs"][2]["write"]["bw_agg"].as_f64().unwrap();
    assert!((share - 50.0).abs() < 0.1, "{share}");
}

#[test]
fn a_broken_off_run_still_has_its_records() {
    let mut run = fixture::run();
    run.stages[1].workers.clear();
    run.outcome = None;
    let json: serde_json::Value = serde_json::from_str(&json(&run, &options(false))).unwrap();
    assert_eq!(json["jobs"][1]["write"]["total_ios"], 5000);
    assert_eq!(json["jobs"].as_array().unwrap().len(), 3);
    assert!(text(&run, &options(false)).contains("pid=0"));
    assert!(!text(&Run::default(), &options(false)).contains("jobs="));
}

#[test]
fn exit_status_is_the_number_of_failed_jobs() {
    let mut run = fixture::run();
    assert_eq!(exit_status(&run), 0);
    run.stages[1].workers[0].end = EndReason::failed(ErrorCode::Io, 5, "write");
    assert_eq!(exit_status(&run), 1);
    let text = text(&run, &options(false));
    assert!(
        text.contains("err= 5 (Input/output error): pid=4200"),
        "{text}"
    );
    let worker = run.stages[1].workers[0].clone();
    run.stages[1].workers.extend(vec![worker; 255]);
    assert_eq!(exit_status(&run), 255);
    run.outcome = Some(Outcome::CutShort);
    assert_eq!(exit_status(&run), 128);
    assert_eq!(
        exit_status(&Run {
            outcome: Some(Outcome::Failed(Failure::new(ErrorCode::Io, "", ""))),
            ..Run::default()
        }),
        1
    );
}

#[test]
fn errors_passed_over_are_shown_where_asked() {
    let mut run = fixture::run();
    run.plan.as_mut().unwrap().stages[0].workloads[0]
        .on_error
        .go_on
        .read = true;
    run.stages[0].workers[0].errors = vec![(Op::Read, 5, 7)];
    let json: serde_json::Value = serde_json::from_str(&json(&run, &options(false))).unwrap();
    assert_eq!(
        (
            json["jobs"][0]["total_err"].as_u64(),
            json["jobs"][0]["first_error"].as_i64()
        ),
        (Some(7), Some(5))
    );
    assert!(
        text(&run, &options(false))
            .contains("     errors    : total=7, first_error=5/<Input/output error>\n")
    );
}

#[test]
fn normal_text() {
    insta::assert_snapshot!("normal", text(&fixture::run(), &options(false)));
}

#[test]
fn json_text() {
    let mut run = fixture::run();
    run.stages.truncate(1);
    insta::assert_snapshot!("json", json(&run, &options(false)));
}

#[test]
fn the_header_says_what_will_run() {
    let mut plan = fixture::run().plan.unwrap();
    let mut odd = fixture::workload("odd", OpMix::TrimWrite, 65536, 1, 1);
    odd.blocks_mut().access.order = leadline_model::plan::Order::Sequential { skip: 0 };
    odd.stop.runtime = Some(Nanos::SECOND);
    plan.stages[0].workloads.push(odd);
    assert_eq!(
        header(&plan),
        "latency: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, \
         ioengine=io_uring, iodepth=1\n\
         odd: (g=0): rw=trimwrite, bs=(R) 64.0KiB-64.0KiB, (W) 64.0KiB-64.0KiB, (T) 64.0KiB-64.0KiB, \
         ioengine=io_uring, iodepth=1\n\
         paced: (g=1): rw=randwrite, bs=(R) 16.0KiB-16.0KiB, (W) 16.0KiB-16.0KiB, (T) 16.0KiB-16.0KiB, \
         ioengine=io_uring, iodepth=4\n...\n\
         free: (g=2): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, \
         ioengine=io_uring, iodepth=8\n\
         fio-3.42\nStarting 5 threads\n"
    );
}

/// What fio 3.33 prints for a job like the fixture's last: each of its keys must be ours too, of the same
/// kind and in the same order.
#[test]
fn what_the_installed_fio_prints_is_part_of_what_we_print() {
    let dir = tempfile::tempdir().unwrap();
    let run = std::process::Command::new("fio")
        .current_dir(dir.path())
        .args([
            "--name=x",
            "--rw=randrw",
            "--bs=4k",
            "--size=1m",
            "--fsync=4",
            "--ioengine=psync",
        ])
        .args([
            "--thread",
            "--group_reporting",
            "--output-format=json+",
            "--eta=never",
        ])
        .output();
    let Ok(run) = run else {
        return leadline_testkit::skip(
            "results::what_the_installed_fio_prints_is_part_of_what_we_print",
            "there is no fio here",
        );
    };
    let text = String::from_utf8(run.stdout).unwrap();
    let theirs: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    let mut fixture = fixture::run();
    let Some(plan) = &mut fixture.plan else {
        panic!("no plan")
    };
    plan.given.clear();
    // The mixed job with syncs first: an array's first element stands for all.
    plan.stages[1].workloads[0].clones = 1;
    fixture.stages.remove(0);
    fixture.stages[0].workers.retain(|w| w.workload == 1);
    fixture.stages[0].samples.retain(|s| s.workload == 1);
    plan.stages[1].workloads.swap(0, 1);
    fixture.stages[0]
        .workers
        .iter_mut()
        .for_each(|w| w.workload = 0);
    fixture.stages[0]
        .samples
        .iter_mut()
        .for_each(|s| s.workload = 0);
    let ours = shape(&value(&fixture, &options(true)));
    let theirs = shape(&theirs);
    assert!(theirs.len() > 100, "{theirs:?}");
    // Older versions print a disk's sectors nowhere, and its merges in the same order.
    let mut rest = ours.iter();
    for key in &theirs {
        assert!(
            rest.any(|mine| mine == key),
            "{key} is missing or out of order in {ours:#?}"
        );
    }
}

#[test]
fn what_is_printed_is_read_back_the_same() {
    let value = value(&fixture::run(), &options(true));
    let text = json(&fixture::run(), &options(true));
    let back: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shape(&back), shape(&value));
    assert_eq!(leadline_text::json::fio(&back).unwrap(), text);
}

/// Changes what is shown of a workload.
fn show(workload: &mut Workload, change: impl FnOnce(&mut Shown)) {
    let mut shown = Shown::of(workload);
    change(&mut shown);
    shown.keep(workload);
}

#[test]
fn directions_are_summed_up_as_asked() {
    let keys = |directions| {
        let mut run = fixture::run();
        let workload = &mut run.plan.as_mut().unwrap().stages[1].workloads[1];
        show(workload, |shown| shown.directions = directions);
        let value = value(&run, &options(false));
        let Some(Value::Array(jobs)) = value.get("jobs") else {
            panic!("no jobs")
        };
        let Value::Object(pairs) = &jobs[2] else {
            panic!("no job")
        };
        let keys = ["read", "write", "trim", "sync", "mixed"];
        let keys: Vec<_> = pairs
            .iter()
            .map(|(key, _)| key.clone())
            .filter(|k| keys.contains(&k.as_str()))
            .collect();
        let ios = jobs[2]
            .get("mixed")
            .and_then(|m| m.get("total_ios"))
            .cloned();
        (keys.join(" "), ios, text(&run, &options(false)))
    };
    assert_eq!(keys(Directions::Separate).0, "read write trim sync");
    let (found, ios, text) = keys(Directions::Mixed);
    assert_eq!((found.as_str(), ios), ("mixed", Some(Value::from(20_000))));
    assert!(
        text.contains("  mixed: IOPS=4000, ") && text.contains("\n  MIXED: bw="),
        "{text}"
    );
    assert_eq!(keys(Directions::Both).0, "read write trim sync mixed");
}

#[test]
fn text_obeys_the_options_of_the_report() {
    let text = |change: fn(&mut Report, &mut Shown)| {
        let mut run = fixture::run();
        let plan = run.plan.as_mut().unwrap();
        plan.stages
            .iter_mut()
            .flat_map(|s| &mut s.workloads)
            .for_each(|w| {
                let mut shown = Shown::of(w);
                change(&mut w.report, &mut shown);
                shown.keep(w);
            });
        text(&run, &options(false))
    };
    let bits = text(|_, s| (s.kb_base, s.unit_base) = (1000, 1));
    assert!(
        bits.contains("BW=70.2Mbit/s (67.0Mibit/s)(61.4MB/7000msec)"),
        "{bits}"
    );
    let bare = text(|r, s| {
        (r.lat, r.clat) = (false, false);
        (s.bandwidth, s.disk_util) = (false, false);
    });
    assert!(
        !bare.contains("clat") && !bare.contains("   bw (") && !bare.contains("Disk stats"),
        "{bare}"
    );
    assert!(text(|_, s| s.lat_percentiles = true).contains("    lat percentiles (usec):\n"));
    let long = text(|_, s| s.significant_figures = 6);
    assert!(long.contains("BW=8571.4KiB/s (8777.1kB/s)"), "{long}");
}

#[test]
fn four_thousand_jobs_are_no_burden() {
    let one = fixture::workload("w", OpMix::reads(), 4096, 1, 3);
    let load = fixture::Load::simple(Op::Read, 20, 4096, 1_000_000, 3);
    let plan = fixture::plan(vec![("s", vec![one; 4096])]);
    let run = fixture::run_of(&fixture::events_of(plan, &[vec![load; 4096]]));
    #[expect(clippy::disallowed_methods, reason = "measures the render itself")]
    let start = std::time::Instant::now();
    let json = json(&run, &options(false));
    let text = text(&run, &options(false));
    println!("4096 jobs rendered in {:?}", start.elapsed());
    assert_eq!(json.matches("\"jobname\"").count(), 4096);
    assert!(
        text.contains("READ: bw=320MiB/s"),
        "{}",
        &text[text.len() - 400..]
    );
}

#[test]
fn hosts_are_shown_as_fio_shows_its_clients() {
    let run = leadline_results::fixture::hosts_run();
    let text = json(&run, &Options::default());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(value.get("jobs").is_none());
    let stats = value["client_stats"].as_array().unwrap();
    let (all, each) = stats.split_last().unwrap();
    assert_eq!(all["jobname"], "All clients");
    assert!(each.iter().all(|job| job["hostname"].is_string()));
    let ios = |job: &serde_json::Value| {
        let side = |name: &str| job[name]["total_ios"].as_u64().unwrap_or(0);
        side("read") + side("write")
    };
    assert!(each.len() > 1);
    assert_eq!(ios(all), each.iter().map(ios).sum::<u64>());
    let shown = super::text(&run, &Options::default());
    assert!(shown.contains("All clients: (groupid=0"), "{shown}");
}

/// I/Os by row: those of each host and job in their order, and those of all clients; and the error of all.
fn rows_of(run: &Run) -> (Vec<(String, u64)>, u64, u64) {
    let value: serde_json::Value = serde_json::from_str(&json(run, &Options::default())).unwrap();
    let stats = value["client_stats"].as_array().unwrap();
    let ios = |job: &serde_json::Value| -> u64 {
        let sides = ["read", "write"].iter();
        sides
            .map(|side| job[*side]["total_ios"].as_u64().unwrap_or(0))
            .sum()
    };
    let (all, each) = stats.split_last().unwrap();
    let host = |job: &serde_json::Value| job["hostname"].as_str().unwrap().to_owned();
    let each = each.iter().map(|job| (host(job), ios(job))).collect();
    (each, ios(all), all["error"].as_u64().unwrap())
}

#[test]
fn all_clients_are_those_that_came_to_their_end() {
    let (each, all, _) = rows_of(&leadline_results::fixture::hosts_run_with_a_loss());
    let of = |host: &str| -> Vec<u64> {
        let mine = each.iter().filter(|(name, _)| name == host);
        mine.map(|(_, ios)| *ios).collect()
    };
    // What it did in the stage it was lost in has a row, and no total includes it; the stage before counts.
    let (a, b, c) = (of("a"), of("b"), of("c"));
    assert!(b[1..].iter().sum::<u64>() > 0, "{each:?}");
    let whole: u64 = a.iter().chain(&c).sum();
    assert_eq!(all, whole + b[0], "{each:?}");
    let summary =
        leadline_results::summary::summarize(&leadline_results::fixture::hosts_run_with_a_loss());
    let reported: u64 = summary.stages.iter().map(|s| s.figures.data.ios).sum();
    assert_eq!(all, reported, "as the report");
}

#[test]
fn a_host_whose_job_failed_is_one_of_all_clients_as_in_fio() {
    let mut run = leadline_results::fixture::hosts_run();
    let (each, _, _) = rows_of(&run);
    let workers = &mut run.stages[1].workers;
    let worker = workers.iter_mut().find(|w| w.host == 1).unwrap();
    worker.end = EndReason::failed(ErrorCode::Io, 28, "No space left on device");
    let whole: u64 = each.iter().map(|(_, ios)| ios).sum();
    assert_eq!(rows_of(&run), (each, whole, 28));
}

#[test]
fn when_all_hosts_are_lost_all_clients_are_all_that_is_known() {
    let mut run = leadline_results::fixture::hosts_run_with_a_loss();
    let whole = rows_of(&leadline_results::fixture::hosts_run()).1;
    let mut news = run.hosts.last().unwrap().clone();
    for host in [0, 2] {
        news.host = host;
        run.hosts.push(news.clone());
    }
    for worker in &mut run.stages[1].workers {
        worker.end = EndReason::failed(ErrorCode::Io, 112, "the host was lost");
    }
    let (each, all, _) = rows_of(&run);
    assert_eq!(all, each.iter().map(|(_, ios)| ios).sum::<u64>());
    assert!(all > whole / 2, "{all} of {whole}");
}
