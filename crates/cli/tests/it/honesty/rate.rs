//! At a rate: late I/O is counted and not left out, and the rate is the one that was asked for.

use crate::support::{Place, Running, finish, sleep_ms, some_round};
use rustix::process::Signal;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn a_process_that_was_stopped_counts_what_it_was_late_for() {
    let place = Place::new();
    some_round(5, || {
        let mut fio = place.fio(&[
            "--name=a",
            "--ioengine=null",
            "--size=1g",
            "--rate_iops=1000",
            "--runtime=3",
            "--time_based",
        ]);
        let running = Running::start(&mut fio);
        running.wait_for(&place.run_file());
        sleep_ms(800);
        running.signal(Signal::STOP);
        sleep_ms(1002);
        running.signal(Signal::CONT);
        let done = running.finish();
        assert_eq!(done.code, Some(0), "{done:?}");
        let job = done.job();
        let read = &job["read"];
        let most = number(&read["response_ns"]["max"]);
        assert!(most >= 1e9, "response max {most}");
        // Whoever measured only from submission on would have seen nothing at all.
        assert!(number(&read["clat_ns"]["percentile"]["99.000000"]) < 1e6);
        assert!(number(&job["lag_ns"]["max"]) >= 1e9);
        let late = number(&job["late_ios"]);
        assert!(late >= 990.0, "late {late}");
        // None was left out.
        let all = number(&read["total_ios"]) + number(&job["unissued_ios"]);
        assert!((2999.0..=3001.0).contains(&all), "{all} I/Os");
        // What stopped is named, and it is not the target.
        let run = place.kept();
        let of = |code: &str| run.findings.iter().find(|f| f.code == code);
        let still = of("stood-still").unwrap_or_else(|| panic!("{:?}", run.findings));
        assert!(
            still.text.contains("leadline itself did not run for "),
            "{}",
            still.text
        );
        for code in ["late-io", "rate-not-reached", "stall"] {
            assert!(
                of(code).is_none_or(|f| !f.cure.text.contains("target that")),
                "{code}"
            );
        }
        // A busy machine makes some more of them late, by itself.
        (late <= 2000.0).then_some(()).ok_or(format!("late {late}"))
    });
}

/// Runs at `rate` for two seconds on an engine with nothing behind it; the job, in which each I/O has its lag.
fn at_rate(place: &Place, rate: u32, engine: &[&str]) -> Value {
    let asked = format!("--rate_iops={rate}");
    let words = [
        "--name=a",
        "--size=1g",
        "--runtime=2",
        "--time_based",
        &asked,
    ];
    let done = finish(&mut place.fio(&[&words[..], engine].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    let job = done.job();
    assert_eq!(job["lag_ns"]["N"], job["read"]["total_ios"]);
    job
}

/// On a busy machine more of them are late; none is left out.
#[test]
fn an_open_loop_keeps_its_rate() {
    let place = Place::new();
    for rate in [1_000, 10_000, 100_000] {
        some_round(5, || {
            let job = at_rate(&place, rate, &["--ioengine=null"]);
            let all = number(&job["read"]["total_ios"]) + number(&job["unissued_ios"]);
            assert!((all - 2.0 * f64::from(rate)).abs() <= 1.0, "{all} I/Os");
            let (lag, late) = (&job["lag_ns"], number(&job["late_ios"]));
            let tail = number(&lag["percentile"]["99.900000"]);
            assert!(tail > 0.0 && tail <= number(&lag["max"]), "lag {lag}");
            // More than a thousandth was later than a millisecond if and only if p99.9 is; a percentile may be
            // off by 0.8 %.
            let many = late / number(&lag["N"]) > 0.001;
            assert!(many || tail < 1.01e6, "late {late}, p99.9 {tail}");
            assert!(!many || tail > 0.99e6, "late {late}, p99.9 {tail}");
            let iops = number(&job["read"]["iops"]);
            let off = (iops / f64::from(rate) - 1.0).abs();
            (off <= 0.02).then_some(()).ok_or(format!("{iops} IOPS"))
        });
    }
}

#[test]
fn an_open_loop_with_nothing_beside_it_is_never_late() {
    let place = Place::new();
    for rate in [1_000, 10_000, 100_000] {
        let engine = ["--ioengine=sim", "--sim=service=10us", "--iodepth=8"];
        let job = at_rate(&place, rate, &engine);
        assert_eq!(job["read"]["total_ios"], 2 * rate, "{job}");
        assert_eq!(
            [
                &job["late_ios"],
                &job["unissued_ios"],
                &job["lag_ns"]["max"]
            ],
            [0, 0, 0]
        );
        assert_eq!(job["read"]["iops"], f64::from(rate), "{job}");
    }
}

#[test]
fn results_so_far_are_those_of_whole_intervals() {
    let place = Place::new();
    let done = finish(&mut place.fio(&[
        "--name=a",
        "--numjobs=2",
        "--ioengine=sim",
        "--size=1g",
        "--rate_iops=1000",
        "--runtime=3",
        "--time_based",
        "--bwavgtime=500",
        "--status-interval=1",
    ]));
    assert_eq!(done.code, Some(0), "{done:?}");
    // One document after the other, as fio prints them.
    let documents: Vec<Value> = serde_json::Deserializer::from_str(&done.stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(documents.len(), 3);
    let (last, before) = documents.split_last().unwrap();
    for (document, second) in before.iter().zip(1_u32..) {
        let jobs = document["jobs"].as_array().unwrap();
        assert_eq!(jobs.len(), 2);
        for job in jobs {
            assert_eq!(job["read"]["total_ios"], 1000 * second, "{job}");
            assert_eq!(job["job_runtime"], 1000 * second, "{job}");
        }
    }
    for job in last["jobs"].as_array().unwrap() {
        assert_eq!(job["read"]["total_ios"], 3000, "{job}");
    }
}
