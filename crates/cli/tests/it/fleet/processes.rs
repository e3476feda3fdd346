//! Hosts that are processes here.

use crate::support::{Done, Place, Running, finish, now, sleep_ms};
use leadline_results::run::Run;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::time::Duration;

/// A job on two or three hosts that runs for the given number of seconds.
pub(crate) fn job(hosts: &str, directory: &Path, seconds: &str) -> Vec<String> {
    let words = [
        hosts,
        "--name=a",
        &format!("--directory={}", directory.display()),
        "--size=4m",
        "--rw=randread",
        "--bs=4k",
        "--ioengine=psync",
        "--rate_iops=2000",
        "--time_based",
        &format!("--runtime={seconds}"),
        "--bwavgtime=200",
    ];
    words.iter().map(|w| (*w).to_owned()).collect()
}

pub(crate) fn words(job: &[String]) -> Vec<&str> {
    job.iter().map(String::as_str).collect()
}

/// I/Os of each host, by its totals.
pub(crate) fn ios(run: &Run, hosts: u32) -> Vec<u64> {
    let workers = || run.stages.iter().flat_map(|s| &s.workers);
    let of = |host| workers().filter(move |w| w.host == host);
    (0..hosts)
        .map(|host| of(host).map(|w| w.counts.data_ios()).sum())
        .collect()
}

/// I/Os of each host, by its intervals.
pub(crate) fn sampled(run: &Run, hosts: u32) -> Vec<u64> {
    let points = || run.stages.iter().flat_map(|s| &s.points);
    let of = |host| points().filter(move |p| p.host == host && !p.warmup);
    (0..hosts)
        .map(|host| of(host).map(|p| p.data().ios).sum())
        .collect()
}

/// Ids of the agents of the run that works in `place`.
pub(crate) fn agents_of(place: &Place) -> Vec<u32> {
    let number = |e: std::fs::DirEntry| e.file_name().to_str()?.parse::<u32>().ok();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let all: Vec<u32> = entries.filter_map(number).collect();
    let words = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let directory = format!("--directory={}", place.path().display());
    let controller = all.iter().find(|&&pid| {
        let line = words(pid);
        line.windows(directory.len())
            .any(|w| w == directory.as_bytes())
    });
    let parent_of = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let rest = stat.rsplit_once(')')?.1.to_owned();
        rest.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let ours = |pid: &u32| controller.is_some() && parent_of(*pid) == controller.copied();
    all.iter().copied().filter(ours).collect()
}

/// Waits until each of `hosts` hosts has reported a hundred I/Os.
pub(crate) fn at_work(running: &Running, place: &Place, hosts: u32) {
    running.wait_until(&place.run_file(), |run| {
        sampled(run, hosts).iter().all(|&ios| ios > 100)
    });
}

pub(crate) fn is_there(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn three_hosts_are_reported_in_one_run() {
    let place = Place::new();
    let job = job("--hosts=local:a,local:b,local:c", place.path(), "1");
    let done = finish(&mut place.fio(&words(&job)));
    assert_eq!(done.code, Some(0), "{done:?}");
    let run = place.kept();
    let each = ios(&run, 3);
    assert!(each.iter().all(|&n| (500..=2100).contains(&n)), "{each:?}");
    assert_eq!(each, sampled(&run, 3), "totals are those of the intervals");
    // As fio's client reports its servers: each, and all of them.
    let stats = &done.json()["client_stats"];
    let names: Vec<_> = stats
        .as_array()
        .unwrap()
        .iter()
        .map(|j| &j["jobname"])
        .collect();
    assert_eq!(names, ["a", "a", "a", "All clients"], "{done:?}");
    assert_eq!(stats[2]["hostname"], "c");
    assert_eq!(stats[3]["read"]["total_ios"], each.iter().sum::<u64>());
    for file in ["a.a.0.0", "b.a.0.0", "c.a.0.0"] {
        assert!(place.join(file).exists(), "each host has its own files");
    }
    let facts = |host| run.facts.iter().filter(|f| f.host == host).count();
    assert!((0..3).all(|host| facts(host) > 10));
}

#[test]
fn no_two_workers_of_any_host_and_stage_share_a_seed() {
    let place = Place::new();
    let words: Vec<String> = ["--hosts=a,b,c", "--launcher=local", "--randrepeat=0"]
        .into_iter()
        .map(String::from)
        .chain(["--size=1m", "--ioengine=null", "--rw=randread", "--bs=4k"].map(String::from))
        .chain((0..3).flat_map(|i| [format!("--name=job{i}"), "--stonewall".to_owned()]))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = finish(&mut place.fio(&words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let run = place.kept();
    let workers = run.stages.iter().flat_map(|s| &s.workers);
    let seeds: Vec<u64> = workers.map(|w| w.seed).collect();
    let distinct: std::collections::BTreeSet<u64> = seeds.iter().copied().collect();
    assert_eq!(seeds.len(), 9);
    assert_eq!(distinct.len(), 9, "{seeds:x?}");
}

#[test]
fn a_host_that_is_killed_is_named_and_the_rest_finishes() {
    let place = Place::new();
    for (accepted, code) in [(None, 1), (Some("--accept-lost-hosts"), 0)] {
        let mut job = job("--hosts=local:a,local:b", place.path(), "4");
        job.extend(accepted.map(str::to_owned));
        let running = Running::start(&mut place.fio(&words(&job)));
        at_work(&running, &place, 2);
        let victims = agents_of(&place);
        assert_eq!(victims.len(), 2);
        let victim = Pid::from_raw(i32::try_from(victims[0]).unwrap()).unwrap();
        kill_process(victim, Signal::KILL).unwrap();
        let done = running.finish();
        assert_eq!(done.code, Some(code), "{done:?}");
        assert!(done.stderr.contains("was lost after"), "{done:?}");
        assert!(done.stderr.contains(" cover 1 of 2 hosts"), "{done:?}");
        let run = place.kept();
        assert!(place.findings().contains(&"host-lost".to_owned()));
        let each = ios(&run, 2);
        assert_eq!(each, sampled(&run, 2), "what it said stands");
        assert!(
            each.iter().any(|&n| n > 6000),
            "the other finished: {each:?}"
        );
        assert!(each.iter().any(|&n| (100..6000).contains(&n)), "{each:?}");
        // The lost one has its row, and all clients are those that finished.
        let json = done.json();
        let stats = json["client_stats"].as_array().unwrap();
        let rows = stats.iter().map(|row| row["read"]["total_ios"].as_u64());
        let rows: Vec<u64> = rows.map(Option::unwrap).collect();
        assert_eq!(rows[..2], each, "{done:?}");
        assert_eq!(rows[2], *each.iter().max().unwrap(), "{done:?}");
    }
}

#[test]
fn a_controller_that_is_killed_leaves_no_agent_and_no_file() {
    let place = Place::new();
    let job = job("--hosts=local:a,local:b", place.path(), "60");
    let running = Running::start(&mut place.fio(&words(&job)));
    at_work(&running, &place, 2);
    let agents = agents_of(&place);
    assert_eq!(agents.len(), 2);
    assert!(place.join("a.a.0.0").exists());
    running.signal(Signal::KILL);
    let gone = now();
    while agents.iter().any(|&pid| is_there(pid)) {
        assert!(
            gone.elapsed() < Duration::from_secs(30),
            "agents outlive their controller"
        );
        sleep_ms(20);
    }
    let done: Done = running.finish();
    assert_eq!(done.signal, Some(9));
    for file in ["a.a.0.0", "b.a.0.0"] {
        assert!(!place.join(file).exists(), "{file} is left");
    }
}

#[test]
fn a_controller_that_pauses_for_a_while_loses_no_host_or_count() {
    let place = Place::new();
    let mut job = job("--hosts=local:a,local:b", place.path(), "9");
    // Many workers and short intervals: far more than the pipes hold.
    job.extend(["--numjobs=8", "--bwavgtime=20", "--rate_iops=200"].map(str::to_owned));
    let running = Running::start(&mut place.fio(&words(&job)));
    at_work(&running, &place, 2);
    running.signal(Signal::STOP);
    sleep_ms(5000);
    running.signal(Signal::CONT);
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let run = place.kept();
    let each = ios(&run, 2);
    assert!(each.iter().all(|&n| n > 2 * 8 * 9 * 30), "{each:?}");
    assert_eq!(each, sampled(&run, 2), "no interval is missing");
}

#[test]
fn an_interrupt_ends_all_hosts_and_is_reported() {
    let place = Place::new();
    let job = job("--hosts=local:a,local:b", place.path(), "60");
    let running = Running::start(&mut place.fio(&words(&job)));
    at_work(&running, &place, 2);
    running.signal(Signal::INT);
    let done = running.finish();
    assert_eq!(done.code, Some(128), "{done:?}");
    let each = ios(&place.kept(), 2);
    assert!(each.iter().all(|&n| n > 100), "{each:?}");
    assert!(place.findings().contains(&"cut-short".to_owned()));
}

#[test]
fn a_fault_of_all_hosts_is_reported_with_its_cure_and_nothing_runs() {
    let place = Place::new();
    let missing = place.join("not/there");
    let job = job("--hosts=local:a,local:b", &missing, "1");
    let done = finish(&mut place.fio(&words(&job)));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("error: a: "), "{done:?}");
    assert!(done.stderr.contains("error: b: "), "{done:?}");
    let wrong = finish(&mut place.fio(&["--hosts=x:y,x:y", "--launcher=rsh", "--name=a"]));
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.stderr.contains("is not a launcher"), "{wrong:?}");
    assert!(
        wrong.stderr.contains("two hosts have the label"),
        "all at once: {wrong:?}"
    );
}

/// What is said of hosts at the end of a line of progress: (label, I/Os a second; `None` = no news).
fn said_of_hosts(line: &str) -> Vec<(&str, Option<f64>)> {
    let Some((_, hosts)) = line.rsplit_once("  ") else {
        return Vec::new();
    };
    let each = hosts.split(", ").filter_map(|one| one.split_once(' '));
    let number = |text: &str| text.replace(',', "").parse().unwrap_or(f64::NAN);
    let rate = |text: &str| (text != "no news").then(|| number(text));
    each.map(|(label, text)| (label, rate(text))).collect()
}

#[test]
fn the_live_view_shows_each_host_and_the_lagging_one_until_it_is_lost() {
    let place = Place::new();
    // Longer than it takes to lose a host; it is ended when lines after that were shown.
    let mut job = job("--hosts=local:a,local:b", place.path(), "300");
    job.push("--eta=always".to_owned());
    let running = Running::start(&mut place.fio(&words(&job)));
    at_work(&running, &place, 2);
    // Some lines of both.
    sleep_ms(2000);
    let agents = agents_of(&place);
    assert_eq!(agents.len(), 2);
    let victim = Pid::from_raw(i32::try_from(agents[1]).unwrap()).unwrap();
    kill_process(victim, Signal::STOP).unwrap();
    let lost = |run: &Run| (0..2).any(|host| run.loss(host).is_some());
    running.wait_until(&place.run_file(), lost);
    sleep_ms(3000);
    running.signal(Signal::INT);
    let done = running.finish();
    let shown: Vec<_> = done.stderr.lines().map(said_of_hosts).collect();
    // A busy machine takes some of the rate; one that is read in other units would be a thousand times off.
    let is_full = |rate: Option<f64>| rate.is_some_and(|r| (20.0..30_000.0).contains(&r));
    let both_shown = |shown: &Vec<(&str, Option<f64>)>| {
        shown.len() == 2 && shown[0].0 == "a" && shown[1].0 == "b"
    };
    let both = |shown: &&Vec<(&str, Option<f64>)>| both_shown(shown);
    let at_work = shown.iter().filter(both);
    let at_work = at_work.filter(|t| is_full(t[0].1) && is_full(t[1].1));
    assert!(at_work.count() >= 2, "{done:?}");
    // One of them lags, the other continues; then it is lost, and no more shown.
    let lags = shown.iter().filter(both);
    let lags = lags.filter(|t| t.iter().any(|one| one.1.is_none()));
    assert!(
        lags.filter(|t| t.iter().any(|one| is_full(one.1))).count() >= 4,
        "{done:?}"
    );
    // The last line may fall after the last I/O, so its rate may be 0: the lines before it have the rate.
    let lost = shown.iter().rposition(both_shown).unwrap();
    let after: Vec<_> = shown[lost + 1..].iter().filter(|t| !t.is_empty()).collect();
    assert!(after.iter().all(|t| t.len() == 1), "{after:?} {done:?}");
    let full = after.iter().filter(|t| is_full(t[0].1)).count();
    assert!(full >= 1, "{after:?} {done:?}");
}
