//! Figures of hosts, beside each other and together.

use super::*;
use crate::fixture;
use crate::summary::{Basis, summarize};
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::HostSet;

#[test]
fn each_host_and_target_has_its_figures_and_they_add_up() {
    let summary = summarize(&fixture::hosts_run());
    let shared = &summary.stages[0];
    assert_eq!(shared.cover.asked, [0, 1, 2]);
    assert!(shared.cover.is_whole());
    assert_eq!(shared.depth_asked, 12);
    assert_eq!(shared.figures.data.ios, 3 * 2000);
    assert!((shared.figures.data.iops - 1200.0).abs() < 1.0);
    for host in &shared.hosts {
        assert_eq!((host.figures.data.ios, host.data.ios), (2000, 2000));
        assert_eq!(host.series.len(), 5);
        assert_eq!(host.series[1].data().ios, 400);
    }
    assert_eq!(shared.targets.len(), 1);
    let own = &summary.stages[1];
    let names: Vec<_> = own.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["/data/wa", "/data/wb", "/data/wc"]);
    assert_eq!(own.targets[1].figures.data.ios, 1200);
    let balance = own.balance.unwrap();
    assert!((balance.jain - 1.0).abs() < 1e-9);
    assert!((balance.max_over_min - 1.0).abs() < 1e-6);
}

#[test]
fn a_workload_that_counts_by_file_has_a_target_for_each() {
    let run = fixture::files_run();
    let stage = &summarize(&run).stages[1];
    let names: Vec<_> = stage.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names[1..], ["/data/x", "/data/y"]);
    let (x, y) = (&stage.targets[1], &stage.targets[2]);
    assert_eq!(
        (x.workloads.as_slice(), y.workloads.as_slice()),
        (&[1][..], &[1][..])
    );
    let whole = &stage.workloads[1].figures;
    assert_eq!(x.figures.data.ios + y.figures.data.ios, whole.data.ios);
    assert!(x.figures.data.ios > 0 && y.figures.data.ios > x.figures.data.ios);
    let sum = x.figures.data.iops + y.figures.data.iops;
    assert!((sum / whole.data.iops - 1.0).abs() < 1e-9);
    assert_eq!((x.figures.errors(), y.figures.errors()), (0, 1));
    let p99 = crate::summary::percentile(&x.figures.data.service, 99.0).unwrap();
    assert_eq!(p99.value.0.div_ceil(1000), 100);
    // A worker without counts by file has one target, as it was named.
    let mut half = run;
    half.stages[1].workers.retain(|w| w.workload == 0);
    let stage = &summarize(&half).stages[1];
    assert_eq!(stage.targets[1].name, "/data/x and 1 more");
    // One workload without its workers' totals is enough for none to be used of the stage.
    assert_eq!(stage.figures.basis, Basis::Intervals);
}

#[test]
fn a_lost_host_is_left_out_of_the_totals_and_keeps_its_own_figures() {
    let summary = summarize(&fixture::hosts_run_with_a_loss());
    assert!(summary.stages[0].cover.is_whole());
    let own = &summary.stages[1];
    assert_eq!(
        (own.cover.asked.len(), own.cover.covered.as_slice()),
        (3, &[0, 2][..])
    );
    assert_eq!(own.figures.basis, Basis::Window);
    assert_eq!(own.figures.data.ios, 2 * 1200);
    assert!((own.figures.data.iops - 600.0).abs() < 1.0);
    let lost = &own.hosts[1];
    assert!(!lost.covered);
    assert_eq!((lost.data.ios, lost.figures.data.ios), (600, 600));
    assert!((lost.figures.data.iops - 300.0).abs() < 1.0);
    assert!(lost.response().mean() > 500_000.0);
}

#[test]
fn intervals_and_series_are_of_the_hosts_that_the_totals_cover() {
    let mut run = fixture::shared_run_with_a_loss();
    let own = summarize(&run).stages.remove(0);
    assert_eq!(own.cover.covered, [0]);
    let alone = &own.hosts[0].figures.data;
    let of_all = [
        &own.figures,
        &own.workloads[0].figures,
        &own.targets[0].figures,
    ];
    for figures in of_all {
        let (found, known) = (&figures.data.certainty, &alone.certainty);
        assert!((figures.data.iops - 400.0).abs() < 1.0, "{figures:?}");
        assert_eq!(found.iops, known.iops);
        assert_eq!(found.service.mean, known.service.mean);
        let iops = found.iops.unwrap();
        assert!(iops.low > 390.0 && iops.high < 410.0, "{iops:?}");
    }
    for series in [&own.series, &own.workloads[0].series] {
        assert_eq!(series.len(), 12);
        assert!(
            series
                .iter()
                .all(|p| p.data.ios == 400 && p.data.mean_ns > 0.0)
        );
        // While both ran, there is no histogram of one of them.
        let known: Vec<bool> = series.iter().map(|p| p.data.p50.is_some()).collect();
        assert!(!known[5] && known[6], "{known:?}");
    }
    // The same of a run that was broken off.
    run.stages[0].workers.clear();
    let own = summarize(&run).stages.remove(0);
    assert_eq!(own.cover.covered, [0]);
    assert_eq!(own.figures.basis, Basis::Intervals);
    assert_eq!(own.figures.data.ios, 12 * 400);
}

#[test]
fn the_figures_of_a_lost_host_are_the_sums_of_its_intervals() {
    let run = fixture::hosts_run_with_a_loss();
    let points = run.stages[1].points.iter().filter(|p| p.host == 1);
    let (mut sum, mut squares) = (0, 0.0);
    for (_, op) in points.flat_map(|p| p.ops.iter()) {
        sum += op.service.sum;
        squares += op.service.squares;
    }
    let lost = &summarize(&run).stages[1].hosts[1].figures;
    assert!(sum > 0 && squares > 0.0);
    assert_eq!((lost.data.service.sum, lost.warmup_ios), (sum, 0));
    assert!((lost.data.service.sum_squares / squares - 1.0).abs() < 1e-9);
    // Its two intervals of a second each.
    assert_eq!(lost.span, Nanos::from_secs(2));
    assert!((lost.depth_reached - sum as f64 / 2e9).abs() < 1e-9);
}

#[test]
fn a_host_without_a_workload_in_a_stage_takes_no_part() {
    let mut run = fixture::hosts_run();
    if let Some(plan) = &mut run.plan {
        plan.stages[1].workloads[1].hosts = HostSet::one(0);
    }
    assert_eq!(Cover::of(&run, &run.stages[0]).asked, [0, 1, 2]);
    assert_eq!(Cover::of(&run, &run.stages[1]).asked, [0, 2]);
}

#[test]
fn a_workload_of_some_hosts_runs_on_those_of_them_that_are_covered() {
    let mut run = fixture::hosts_run();
    let mut some = run.plan.as_ref().unwrap().stages[1].workloads[0].clone();
    some.hosts = HostSet::only([1, 2]).unwrap();
    if let Some(plan) = &mut run.plan {
        plan.stages[1].workloads = vec![some.clone()];
    }
    let mut cover = Cover::of(&run, &run.stages[1]);
    assert_eq!(cover.asked, [1, 2]);
    assert_eq!(cover.running(&some), 2);
    cover.covered.retain(|host| *host != 1);
    assert_eq!(cover.running(&some), 1);
    some.hosts = HostSet::one(1);
    assert_eq!(cover.running(&some), 0);
    some.hosts = HostSet::ALL;
    assert_eq!(cover.running(&some), 1);
}

#[test]
fn a_common_window_leaves_out_what_a_lost_host_did() {
    let mut run = fixture::hosts_run_with_a_loss();
    let stage = &mut run.stages[1];
    // The third host started a second late: the common window is not the whole.
    for worker in stage.workers.iter_mut().filter(|w| w.host == 2) {
        worker.first_submit = Some(Nanos::SECOND);
    }
    let own = &summarize(&run).stages[1];
    assert_eq!(own.figures.basis, Basis::Common);
    assert!(
        (own.figures.data.iops - 600.0).abs() < 1.0,
        "{}",
        own.figures.data.iops
    );
    assert!(own.figures.window.start_skew > Nanos::from_millis(990));
}

#[test]
fn the_last_words_that_a_controller_gives_a_lost_host_do_not_make_it_whole() {
    let mut run = fixture::hosts_run_with_a_loss();
    let mut last = run.stages[1].workers[0].clone();
    (last.host, last.workload) = (1, 1);
    last.window_end = Nanos::from_secs(2);
    last.end = EndReason::failed(ErrorCode::HostLost, 112, "the host was lost: killed");
    run.stages[1].workers.push(last);
    let own = &summarize(&run).stages[1];
    assert_eq!(own.cover.covered, [0, 2]);
    assert_eq!(own.figures.data.ios, 2 * 1200);
    assert_eq!(own.hosts[1].data.ios, 600, "what its intervals say");
}

#[test]
fn a_host_that_breaks_off_is_left_out_and_the_others_keep_their_window() {
    let mut run = fixture::hosts_run();
    let full = EndReason::failed(
        ErrorCode::HostLost,
        28,
        "write of 4096 bytes at 0 of /data/wb",
    );
    for worker in run.stages[1].workers.iter_mut().filter(|w| w.host == 1) {
        (worker.end, worker.window_end) = (full.clone(), Nanos::SECOND);
    }
    let own = &summarize(&run).stages[1];
    assert_eq!(own.cover.covered, [0, 2]);
    assert_eq!(own.figures.data.ios, 2 * 1200);
    assert_eq!(own.figures.window.stop_skew, Nanos::ZERO);
    let broken = &own.hosts[1];
    assert_eq!(
        broken.figures.data.ios, 1200,
        "all it did, with its latencies"
    );
    assert_eq!(broken.broke_off, Some(Nanos::SECOND));
    // If no worker reached the end, there is nothing better.
    for worker in &mut run.stages[1].workers {
        worker.end = full.clone();
    }
    assert!(summarize(&run).stages[1].cover.is_whole());
}

#[test]
fn when_all_are_lost_their_intervals_are_all_there_is() {
    let mut run = fixture::hosts_run_with_a_loss();
    run.stages[1].workers.clear();
    for host in [0, 2] {
        let mut news = run.hosts.last().unwrap().clone();
        news.host = host;
        run.hosts.push(news);
    }
    let own = &summarize(&run).stages[1];
    assert_eq!(own.figures.basis, Basis::Intervals);
    assert_eq!(own.cover.covered.len(), 3);
    assert_eq!(own.figures.data.ios, 600 + 2 * 1200);
}

#[test]
fn hosts_with_different_work_are_not_compared() {
    let mut run = fixture::hosts_run();
    if let Some(plan) = &mut run.plan {
        plan.stages[1].workloads[2].depth = 7;
    }
    let summary = summarize(&run);
    assert!(summary.stages[0].balance.is_some());
    assert_eq!(summary.stages[1].balance, None);
}
