//! On a simulated device all is known, and what is said is so: figures, doubts and words.

use crate::support::{Done, Place, finish};

/// Runs a job of fio's on a simulated device with eight places of 1 ms each, and more of `device`.
fn simulated(place: &Place, device: &str, more: &[&str]) -> Done {
    let device = format!("--sim=service=1ms,parallel=8{device}");
    let common = ["--name=a", "--ioengine=sim", &device, "--rw=randread"];
    let size = ["--bs=4k", "--size=1g", "--time_based"];
    let done = finish(&mut place.fio(&[&common[..], &size, more].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    done
}

/// Stalls across the edges of the window, a window shorter than an I/O: never more in flight than asked.
#[test]
fn ios_across_the_window_edge_raise_no_finding() {
    let window = ["--iodepth=8", "--ramp_time=1", "--runtime=1"];
    for stall in ["300ms@900ms", "900ms@400ms", "1500ms@1900ms", "3s@900ms"] {
        let place = Place::new();
        simulated(&place, &format!(",stall={stall}"), &window);
        let found = place.findings();
        assert!(
            !found.contains(&"little-mismatch".to_owned()),
            "{stall}: {found:?}"
        );
    }
}

/// A stall at half time that lasts to the end (Gil Tene's case): half of all I/Os that were due were never
/// done, and the latency says so.
#[test]
fn a_stall_until_the_end_is_in_the_response() {
    let place = Place::new();
    let at_rate = ["--rate_iops=100", "--runtime=200", "--iodepth=1"];
    let done = simulated(&place, ",stall=100s@100s", &at_rate);
    let job = done.job();
    assert_eq!(job["unissued_ios"], 9999);
    let response = &job["read"]["response_ns"];
    assert_eq!(
        (&response["N"], &response["unfinished"]),
        (&20_000.into(), &9999.into())
    );
    let at = |p: &str| response["percentile"][p].as_f64().unwrap() / 1e9;
    assert!((97.9..99.0).contains(&at("99.000000")), "{response}");
    assert!((79.9..80.7).contains(&at("90.000000")), "{response}");
    let bounds = response["at_least"].as_array().unwrap();
    let has = |p: &str| bounds.iter().any(|b| b == p);
    assert!(
        has("60.000000") && has("99.000000") && !has("40.000000"),
        "{response}"
    );
    assert!(response["mean"].as_f64().unwrap() > 24.9e9);
    let shown = finish(&mut place.leadline(["show", "run.leadline"])).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("mean >= 25.0 s.") && shown.contains(">=98."),
        "{shown}"
    );
    assert!(shown.contains("p99 >= 98."), "{shown}");
}

/// Waits in seconds of I/Os that are due every 10 ms for `until` seconds and done one at a time in 1 ms each, in order,
/// while nothing begins in the time `stall`; of those that end after `from`, by rising wait.
fn waits(from: f64, until: f64, stall: (f64, f64)) -> Vec<f64> {
    let (mut free, mut waits) = (0.0_f64, Vec::new());
    for number in 0..40_000 {
        let due = f64::from(number) * 0.01;
        if due >= until - 1e-9 {
            break;
        }
        let start = due.max(free);
        let stalled = (stall.0 - 1e-9..stall.1).contains(&start);
        free = if stalled { stall.1 } else { start } + 0.001;
        if free > from {
            waits.push(free - due);
        }
    }
    waits.sort_by(f64::total_cmp);
    waits
}

/// A stall in the middle of the window, and one that begins in the warm-up and ends in the window.
#[test]
fn a_stall_in_the_middle_and_across_the_warm_up_is_in_the_response() {
    let cases = [
        (0.0, 400.0, (100.0, 200.0), "--runtime=400"),
        (60.0, 260.0, (10.0, 110.0), "--runtime=200 --ramp_time=60"),
    ];
    for (from, until, stall, window) in cases {
        let place = Place::new();
        let law = format!(",stall={}s@{}s", stall.1 - stall.0, stall.0);
        let mut words = vec!["--rate_iops=100", "--iodepth=1"];
        words.extend(window.split(' '));
        let done = simulated(&place, &law, &words);
        let response = &done.job()["read"]["response_ns"];
        let truth = waits(from, until, stall);
        assert_eq!(response["N"], truth.len(), "{window}");
        let is_near = |found: &serde_json::Value, seconds: f64| {
            let found = found.as_f64().unwrap() / 1e9;
            assert!(
                (found / seconds - 1.0).abs() < 0.01,
                "{window}: {found}, not {seconds}"
            );
        };
        is_near(
            &response["mean"],
            truth.iter().sum::<f64>() / truth.len() as f64,
        );
        for (name, per_mille) in [("90.000000", 900), ("99.000000", 990), ("99.900000", 999)] {
            let rank = truth.len() * per_mille / 1000;
            is_near(&response["percentile"][name], truth[rank - 1]);
        }
    }
    // What was published of the first of them.
    let whole = waits(0.0, 400.0, (100.0, 200.0));
    let mean = whole.iter().sum::<f64>() / whole.len() as f64;
    assert!((mean - 13.891).abs() < 0.001, "{mean}");
    assert!((whole[39_599] - 96.4).abs() < 0.01, "{}", whole[39_599]);
}

/// A queue that is busy for 0.8 of the time, over ten hours: its times in the system are exponential with a mean of 5 ms.
#[test]
#[ignore = "a tool: it takes minutes"]
fn ten_hours_of_a_queue_have_the_latencies_of_theory() {
    let place = Place::new();
    let law = "--sim=service=exp:1ms,parallel=1";
    let rate = [
        "--rate_iops=800",
        "--rate_process=poisson",
        "--iodepth=4096",
    ];
    let done = simulated(&place, "", &[&[law, "--runtime=36000"][..], &rate].concat());
    let response = &done.job()["read"]["response_ns"];
    for (found, millis) in [
        (&response["mean"], 5.0),
        (&response["percentile"]["50.000000"], 5.0 * 2_f64.ln()),
        (&response["percentile"]["99.000000"], 5.0 * 100_f64.ln()),
    ] {
        let found = found.as_f64().unwrap() / 1e6;
        assert!(
            (found / millis - 1.0).abs() < 0.005,
            "{found}, not {millis}"
        );
    }
}

/// A steady device is steady to the end: what ends after the last whole interval is no interval of its own.
#[test]
fn a_steady_device_has_a_steady_time_series() {
    // Slices of 25 ms.
    for (runtime, slices) in [("--runtime=3", 120), ("--runtime=3100ms", 124)] {
        let place = Place::new();
        simulated(&place, "", &["--iodepth=8", runtime]);
        let series = place.series();
        assert_eq!(series.len(), slices, "{series:?}");
        // Eight are in flight when the first ends, and end in the last.
        for interval in &series[1..slices - 1] {
            let rate = interval.ios as f64 / interval.length_s;
            assert!((rate / 8000.0 - 1.0).abs() < 0.005, "{interval:?}");
        }
    }
}

/// Eleven points of a healthy volume with a quota of 500 IOPS: few I/Os make thin tails, which are marked, and
/// nothing else is wrong with it. What its even rate comes from is not known.
#[test]
fn a_small_healthy_volume_is_not_marked_down_for_being_small() {
    let place = Place::new();
    let mut job = "[global]\nioengine=sim\nsim=service=2ms,iops=500\nrw=randread\nbs=4k\nsize=1g\n\
                   time_based\nramp_time=1\nruntime=5\n"
        .to_owned();
    for depth in [1, 2, 4, 8, 16] {
        job += &format!("[d{depth}]\niodepth={depth}\nstonewall\n");
    }
    std::fs::write(place.join("j.fio"), job).unwrap();
    let done = finish(&mut place.fio(&["j.fio"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let shown = finish(&mut place.leadline(["show", "run.leadline"])).stdout;
    assert!(shown.contains("\ngrade A: "), "{shown}");
    assert!(!shown.contains("likely"), "{shown}");
    assert!(shown.contains("Bottleneck unknown"), "{shown}");
}

/// Two jobs that run together, and one after them: what the second does is not said of the first.
#[test]
fn figures_of_a_job_stand_under_its_own_name() {
    let place = Place::new();
    let job = "[global]\nioengine=sim\nsim=service=1ms\nbs=4k\nsize=1g\ntime_based\nruntime=2\n\
               [reader]\nrw=randread\n[writer]\nrw=randwrite\nrate_iops=100\n\
               [last]\nrw=randread\niodepth=4\nstonewall\n";
    std::fs::write(place.join("j.fio"), job).unwrap();
    let done = finish(&mut place.fio(&["j.fio"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let shown = finish(&mut place.leadline(["show", "run.leadline"])).stdout;
    assert!(shown.contains("reader, writer: "), "{shown}");
    assert!(
        !shown.contains("  reader: ") && !shown.contains("reader/writer"),
        "{shown}"
    );
}
