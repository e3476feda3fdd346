//! Hosts whose clocks are minutes apart.

use super::net::tool;
use super::processes::{ios, job, sampled, words};
use crate::support::{Place, finish, or_skip, some_round};
use leadline_model::event::HostState;
use leadline_results::run::Run;
use leadline_results::summary::summarize;

/// How far the clocks of the hosts are ahead, in seconds.
const AHEAD: [i64; 3] = [0, 421, 86_400 * 40];

/// By host: the offset that was found and its bound, in nanoseconds.
fn offsets(run: &Run) -> Vec<(i64, u64)> {
    let reported = run.hosts.iter().filter_map(|news| match news.what {
        HostState::Connected {
            clock_offset,
            offset_bound,
            ..
        } => Some((news.host, clock_offset, offset_bound)),
        _ => None,
    });
    let mut reported: Vec<_> = reported.collect();
    reported.sort();
    reported
        .into_iter()
        .map(|(_, offset, bound)| (offset, bound))
        .collect()
}

fn sound(run: &Run) -> Result<(), String> {
    let reported = offsets(run);
    assert_eq!(reported.len(), 3, "all have answered");
    for ((offset, bound), ahead) in reported.iter().zip(AHEAD) {
        let error = offset.abs_diff(ahead * 1_000_000_000);
        assert!(error <= *bound, "{offset} is not {ahead} s within {bound}");
    }
    let each = ios(run, 3);
    assert_eq!(each, sampled(run, 3));
    let stage = &summarize(&run.in_intervals()).stages[0];
    for host in &stage.hosts {
        let late = host.late.unwrap();
        if late.abs() > 500_000_000 {
            return Err(format!("the first I/O of {} is {late} ns late", host.label));
        }
        // Intervals lie beside each other: none is of another time, none is missing.
        let numbers: Vec<u64> = host.series.iter().map(|p| p.interval).collect();
        let expected: Vec<u64> = (0..numbers.len() as u64).collect();
        assert_eq!(numbers, expected, "{}", host.label);
        assert!((14..=20).contains(&numbers.len()), "{numbers:?}");
    }
    let window = &stage.figures.window;
    let skew = window.start_skew.max(window.stop_skew);
    let rate = stage.figures.data.iops;
    if skew.as_secs_f64() > 0.5 || !(5000.0..=6050.0).contains(&rate) {
        return Err(format!("skew {skew}, {rate} IOPS of 6000"));
    }
    Ok(())
}

#[test]
fn hosts_whose_clocks_are_far_apart_start_together_and_share_their_intervals() {
    let place = Place::new();
    let unshare = "unshare --fork --time --monotonic 421 --boottime 421 true";
    if or_skip("fleet::clocks", tool(unshare)).is_none() {
        return;
    }
    let line = |(host, ahead): (usize, i64)| match ahead {
        0 => format!("h{host} x launcher=local\n"),
        _ => format!(
            "h{host} x launcher=\"unshare --fork --time --monotonic {ahead} --boottime {ahead}\"\n"
        ),
    };
    let hosts: String = AHEAD.into_iter().enumerate().map(line).collect();
    std::fs::write(place.join("hosts"), hosts).unwrap();
    let job = job("--hosts=./hosts", place.path(), "3");
    some_round(3, || {
        let mut command = place.fio(&words(&job));
        let done = finish(command.env("XDG_CACHE_HOME", place.join("cache")));
        assert_eq!(done.code, Some(0), "{done:?}");
        sound(&place.kept())
    });
}
