//! How the work of a stage was spread over hosts and targets, as tables of words: the terminal and the page
//! show the same.
//!
//! Belongs here: which tables there are, their order and columns. Must never: compute a figure.

use crate::run::{Moments, OpPoint, Run};
use crate::stats::Interval;
use crate::summary::figures::per_second;
use crate::summary::kernel::{self, DeviceIo, HostIo, Io};
use crate::summary::percentile::bound;
use crate::summary::{Basis, Figures, HostSummary, StageSummary, Summary, percentile};
use crate::words::{
    bytes_half_width, mib_per_s, rate, rate_half_width, span, span_half_width, thousands,
};
use leadline_model::event::HostState;
use leadline_model::latency::Latency;
use leadline_model::units::Nanos;
use std::borrow::Borrow;

/// What stands before the lower end of an interval that has no upper one.
const OPEN: &str = ">";

/// A table of equal rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spread {
    /// What it is about.
    pub(crate) title: String,
    /// What is said of it, in sentences.
    pub(crate) said: Vec<String>,
    /// Names of the columns.
    pub(crate) heads: Vec<&'static str>,
    /// The rows, each as long as the heads.
    pub(crate) rows: Vec<Vec<String>>,
    /// By row and column, how far a figure may be off (`1.2 %`), or the lower end of an interval without an upper one
    /// (`> 8.00 ms`); empty where no interval is known. No rows where no figure has one.
    pub(crate) within: Vec<Vec<String>>,
}

impl Spread {
    /// What is said of it; empty where that is nothing.
    pub(crate) fn note(&self) -> String {
        self.said.join(" ")
    }

    /// How far the figure in this row and column, both from 0, may be off; empty where that is not known.
    pub(crate) fn within(&self, row: usize, column: usize) -> &str {
        let cell = self.within.get(row).and_then(|row| row.get(column));
        cell.map_or("", String::as_str)
    }

    /// The cells of a row, from 0, each with how far its figure may be off.
    pub(crate) fn cells(&self, row: impl Borrow<usize>) -> impl Iterator<Item = (&str, &str)> {
        let row = *row.borrow();
        let cells = self.rows.get(row).into_iter().flatten().enumerate();
        cells.map(move |(column, cell)| (cell.as_str(), self.within(row, column)))
    }

    /// Whether a column, from 0, holds times with their unit.
    pub(crate) fn is_time(&self, column: usize) -> bool {
        let times = |head: &&str| matches!(*head, "mean" | "p50" | "p99" | "max" | "start");
        self.heads.get(column).is_some_and(times)
    }

    /// Whether a column, from 0, holds numbers rather than words.
    pub(crate) fn is_number(&self, column: impl Borrow<usize>) -> bool {
        let words = |head: &&str| matches!(*head, "host" | "target" | "state" | "stage" | "device");
        !self.heads.get(*column.borrow()).is_some_and(words)
    }
}

/// All tables of a run.
pub(crate) fn tables(run: &Run, summary: &Summary) -> Vec<Spread> {
    let several = summary.stages.len() > 1;
    let of_stage = |stage: &StageSummary| {
        let name = if several {
            format!(" in {}", stage.name)
        } else {
            String::new()
        };
        [hosts(run, stage, &name), targets(stage, &name)]
    };
    summary.stages.iter().flat_map(of_stage).flatten().collect()
}

/// What all tables of hosts say, or all of targets, taken out of them where they are several: for above all.
pub(crate) fn said_of_all(all: &mut [Spread]) -> String {
    let mut said: Vec<String> = Vec::new();
    for kind in ["host", "target"] {
        let is_own = |one: &&mut Spread| one.heads.first() == Some(&kind);
        let mut own: Vec<&mut Spread> = all.iter_mut().filter(is_own).collect();
        let [first, others @ ..] = own.as_slice() else {
            continue;
        };
        let is_of_all = |words: &&String| others.iter().all(|one| one.said.contains(words));
        let common: Vec<String> = match others.is_empty() {
            true => Vec::new(),
            false => first.said.iter().filter(is_of_all).cloned().collect(),
        };
        for one in &mut own {
            one.said.retain(|words| !common.contains(words));
        }
        said.extend(common);
    }
    match said.is_empty() {
        true => String::new(),
        false => format!("In each stage: {}", said.join(" ")),
    }
}

/// What the block devices below the targets did in each stage, as the kernel counted it, beside what leadline counted
/// over the same time; `None` where the kernel was not asked.
pub(crate) fn devices(run: &Run, summary: &Summary) -> Option<Spread> {
    let mut rows = Vec::new();
    let mut hits = Vec::new();
    for (stage, figures) in run.stages.iter().zip(&summary.stages) {
        for host in kernel::hosts(run, stage) {
            let name = match run.host_label(host.host) {
                "" => figures.label.clone(),
                label => format!("{}, {label}", figures.label),
            };
            let tops = host.devices.iter().filter(|device| device.is_top);
            rows.extend(tops.map(|device| device_row(&name, &host, device)));
        }
        if let Some(share) = kernel::page_cache_hits(run, stage) {
            let share = format!("{:.1} %", share * 100.0);
            hits.push(match summary.stages.len() {
                1 => share,
                _ => format!("{share} in {}", figures.label),
            });
        }
    }
    let whole = "Over whole stages, warm-up included; ours = what leadline counted.";
    let mut said = vec![whole.to_owned()];
    if !hits.is_empty() {
        let hits = hits.join(", ");
        said.push(format!(
            "Read from the page cache: at least {hits} of the bytes."
        ));
    }
    let mut heads = vec![
        "stage", "device", "IOPS", "ours", "MiB/s", "ours", "queue", "ours", "busy",
    ];
    if summary.stages.len() == 1 && !run.has_hosts() {
        heads.remove(0);
        rows.iter_mut().for_each(|row| drop(row.remove(0)));
    }
    (!rows.is_empty()).then(|| Spread {
        title: "Block devices, as the kernel counted".to_owned(),
        said,
        heads,
        rows,
        within: Vec::new(),
    })
}

fn device_row(stage: &str, host: &HostIo, device: &DeviceIo) -> Vec<String> {
    let span = host.span;
    let iops = |io: &Io| rate(per_second(io.all_ios() as f64, span));
    let bytes = |io: &Io| mib_per_s(per_second(io.all_bytes() as f64, span));
    let depth = |io: &Io| rate(io.in_flight(span));
    vec![
        stage.to_owned(),
        device.name.clone(),
        iops(&device.io),
        iops(&host.own),
        bytes(&device.io),
        bytes(&host.own),
        depth(&device.io),
        depth(&host.own),
        format!("{:.0} %", device.busy * 100.0),
    ]
}

const FIGURES: [&str; 7] = ["IOPS", "MiB/s", "p50", "p99", "mean", "max", "errors"];

fn hosts(run: &Run, stage: &StageSummary, name: &str) -> Option<Spread> {
    if stage.hosts.is_empty() {
        return None;
    }
    let mut heads = vec!["host"];
    heads.extend(FIGURES);
    heads.extend(["start", "state"]);
    let row = |host: &HostSummary| {
        let mut row = vec![host.label.clone()];
        row.extend(figures(&host.figures, &host.data));
        row.push(host.late.map_or("-".to_owned(), late));
        row.push(state(run, host));
        row
    };
    Some(Spread {
        title: format!("Hosts{name}"),
        said: said(run, stage),
        heads,
        rows: stage.hosts.iter().map(row).collect(),
        within: stage.hosts.iter().map(|h| within(&h.figures)).collect(),
    })
}

/// A first I/O's distance from the agreed start.
fn late(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "+" };
    format!("{sign}{}", Nanos(ns.unsigned_abs()))
}

/// What became of a host. Findings say why: a sentence here would leave the columns beside it no room.
fn state(run: &Run, host: &HostSummary) -> String {
    match (run.loss(host.host), host.broke_off) {
        (Some((news, ..)), _) if !host.covered => format!("lost at {}", news.at),
        (None, Some(at)) => format!("stopped at {at}"),
        (Some(_), _) => "lost later".to_owned(),
        (None, None) if host.covered => "whole".to_owned(),
        (None, None) => "not finished".to_owned(),
    }
}

/// Which hosts the totals cover, and during what time; of one host that ran to its end there is nothing to say.
fn covered(stage: &StageSummary) -> Vec<String> {
    let (asked, covered) = (stage.cover.asked.len(), stage.cover.covered.len());
    let window = &stage.figures.window;
    let is_all = asked == covered;
    let these = if is_all { "all" } else { "these" };
    let during = match stage.figures.basis {
        Basis::Union => format!(
            "rates cover the {} from the first start to the last end",
            window.whole()
        ),
        Basis::Intervals => format!("figures cover intervals of {} in total", stage.figures.span),
        Basis::Window if asked == 1 && is_all => return Vec::new(),
        Basis::Window | Basis::Common => format!(
            "figures cover the {} during which {these} hosts ran",
            window.common()
        ),
    };
    let totals = match (asked, covered) {
        (1, 1) => "The totals are those of the one host.".to_owned(),
        (1, _) => {
            "The totals do not cover the one host; what it reported is shown here.".to_owned()
        }
        _ if is_all => format!("The totals cover all {asked} hosts."),
        _ => format!(
            "The totals cover {covered} of {asked} hosts; for the others, what they reported is \
             shown here, and is in the charts over time."
        ),
    };
    let skew = format!(
        "Start skew {}, end skew {}; {during}.",
        window.start_skew, window.stop_skew,
    );
    vec![totals, skew]
}

fn said(run: &Run, stage: &StageSummary) -> Vec<String> {
    let mut sentences = covered(stage);
    let bounds = run.hosts.iter().filter_map(|n| match n.what {
        HostState::Connected { offset_bound, .. } => Some(offset_bound),
        _ => None,
    });
    if let Some(worst) = bounds.max() {
        sentences.push(format!(
            "Clock offsets are known to within {}.",
            Nanos(worst)
        ));
    }
    if let Some(balance) = stage.balance {
        let times = if balance.max_over_min.is_finite() {
            format!("{:.2}", balance.max_over_min)
        } else {
            "infinite".to_owned()
        };
        sentences.push(format!(
            "Balance: Jain's index {:.3}, highest over lowest {times}.",
            balance.jain
        ));
    }
    sentences
}

fn targets(stage: &StageSummary, name: &str) -> Option<Spread> {
    // Where each workload has a target of its own, the table of workloads says it all.
    let shared = stage.targets.iter().any(|t| t.workloads.len() > 1);
    let shares: usize = stage.targets.iter().map(|t| t.workloads.len()).sum();
    let several = shares > stage.workloads.len();
    if stage.targets.len() < 2 || (stage.hosts.is_empty() && !shared && !several) {
        return None;
    }
    let mut heads = vec!["target"];
    heads.extend(FIGURES);
    let rows = stage.targets.iter().map(|target| {
        let data = OpPoint {
            service: Moments::of(&target.figures.data.service),
            response: target.figures.data.response.as_ref().map(Moments::of),
            ..OpPoint::default()
        };
        let mut row = vec![target.name.clone()];
        row.extend(figures(&target.figures, &data));
        row
    });
    Some(Spread {
        title: format!("Targets{name}"),
        said: several
            .then(|| "Threads with several targets: I/O per target.".to_owned())
            .into_iter()
            .collect(),
        rows: rows.collect(),
        heads,
        within: stage.targets.iter().map(|t| within(&t.figures)).collect(),
    })
}

fn figures(figures: &Figures, data: &OpPoint) -> [String; 7] {
    let response = data.response();
    // Where there is no histogram, nothing is known of I/Os that had not ended.
    let at_least = bound(figures.data.response());
    let known = |ns: f64| match response.count {
        0 => "-".to_owned(),
        _ => format!("{at_least}{}", span(ns)),
    };
    [
        rate(figures.data.iops),
        mib_per_s(figures.data.bytes_per_s),
        tail(figures.data.response(), 50.0),
        tail(figures.data.response(), 99.0),
        known(response.mean()),
        known(response.max as f64),
        thousands(figures.errors()),
    ]
}

/// How far the figures of a row may be off, column by column.
fn within(figures: &Figures) -> Vec<String> {
    let data = &figures.data;
    let own = |interval: Option<Interval>, half_width: fn(&Interval) -> String| {
        interval.map_or_else(String::new, |i| half_width(&i))
    };
    let tail = |percent| {
        let found = data.response_at(percent);
        match found.and_then(|p| p.least()) {
            Some(least) => format!("{OPEN} {least}"),
            None => own(
                found.and_then(|p| p.shown().and(p.interval())),
                span_half_width,
            ),
        }
    };
    let mean = data.response_mean().filter(|_| !data.response().is_empty());
    vec![
        String::new(),
        own(data.certainty.iops, rate_half_width),
        own(data.certainty.bytes_per_s, bytes_half_width),
        tail(50.0),
        tail(99.0),
        own(mean, span_half_width),
    ]
}

fn tail(latency: &Latency, p: f64) -> String {
    percentile(latency, p).map_or("-".to_owned(), |p| p.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Counted, counted_run};
    use crate::summary::summarize;
    use leadline_model::error_code::ErrorCode;
    use leadline_model::failure::Failure;
    use leadline_model::op::Op;
    use leadline_model::plan::OpMix;
    use leadline_model::sample::EndReason;

    #[test]
    fn the_note_on_one_host_is_of_one_host() {
        let run = fixture::hosts_run();
        let mut stage = summarize(&run).stages.remove(0);
        let mut of = |asked: usize, covered: usize, basis: Basis| {
            stage.figures.basis = basis;
            stage.cover.asked = (0..).take(asked).collect();
            stage.cover.covered = (0..).take(covered).collect();
            said(&run, &stage).join(" ")
        };
        // Of the one row of its table there is nothing to say.
        assert!(!of(1, 1, Basis::Window).contains("skew"));
        let mut of = |asked, covered| of(asked, covered, Basis::Common);
        assert!(of(1, 1).starts_with("The totals are those of the one host. Start skew"));
        assert!(of(1, 0).starts_with("The totals do not cover the one host;"));
        assert!(of(2, 1).starts_with("The totals cover 1 of 2 hosts;"));
        assert!(of(2, 1).contains("during which these hosts ran"));
        assert!(of(2, 2).starts_with("The totals cover all 2 hosts."));
        assert!(of(2, 2).contains("during which all hosts ran"));
    }

    #[test]
    fn hosts_and_targets_have_tables_where_there_are_several() {
        let run = fixture::hosts_run();
        let all = tables(&run, &summarize(&run));
        let titles: Vec<_> = all.iter().map(|t| t.title.as_str()).collect();
        assert_eq!(
            titles,
            ["Hosts in shared", "Hosts in own", "Targets in own"]
        );
        assert!(
            all.iter()
                .all(|t| t.rows.iter().all(|r| r.len() == t.heads.len()))
        );
        assert_eq!(all[0].rows[1][..3], ["b", "400", "1.56"]);
        assert_eq!(all[0].rows[1][9], "whole");
        assert!(
            all[0]
                .note()
                .starts_with("The totals cover all 3 hosts. Start skew 0 ns, end skew 0 ns;"),
            "{}",
            all[0].note()
        );
        assert!(
            all[0]
                .note()
                .contains("Clock offsets are known to within 40.0 us. Balance: Jain's index 1.000"),
            "{}",
            all[0].note()
        );
        assert_eq!(all[2].rows.len(), 3);
        let alone = fixture::run();
        assert!(tables(&alone, &summarize(&alone)).is_empty());
    }

    #[test]
    fn a_host_that_was_lost_or_stopped_has_a_short_state() {
        let mut run = fixture::hosts_run_with_a_loss();
        for news in &mut run.hosts {
            if let HostState::Lost { why, .. } = &mut news.what {
                let what = "the connection ended (signal: 9 (SIGKILL))";
                *why = Failure::new(ErrorCode::HostLost, what, "the host was stopped");
            }
        }
        let of_b = |run: &Run| {
            let all = tables(run, &summarize(run));
            let own = all.iter().find(|t| t.title == "Hosts in own").unwrap();
            own.rows[1][9].clone()
        };
        assert_eq!(of_b(&run), "lost at 8.00 s");
        let style = crate::render::text::Style {
            width: 90,
            ..Default::default()
        };
        let text = crate::render::text::run(&run, &style);
        let mut lines = text.lines();
        let line = lines.find(|line| line.contains("lost at 8.00 s")).unwrap();
        let cells: Vec<_> = line.split_whitespace().collect();
        assert_eq!(cells[..2], ["b", "300"], "in one table: {text}");
        run = fixture::hosts_run();
        let worker = &mut run.stages[1].workers[1];
        worker.end = EndReason::failed(ErrorCode::Io, 28, "No space left on device");
        worker.window_end = Nanos::SECOND;
        assert_eq!(of_b(&run), "stopped at 1.00 s");
    }

    /// Each stage keeps what the others do not say.
    #[test]
    fn what_all_stages_say_of_their_hosts_is_said_once() {
        let of = |sentences: &[&str], heads: &[&'static str]| Spread {
            said: sentences.iter().map(|s| (*s).to_owned()).collect(),
            heads: heads.to_vec(),
            ..Spread::default()
        };
        let all = || {
            [
                of(
                    &["Of one host.", "Skew 1 ns.", "Clocks."],
                    &["host", "IOPS"],
                ),
                of(&["Several."], &["target", "IOPS"]),
                of(
                    &["Of one host.", "Skew 2 ns.", "Clocks."],
                    &["host", "IOPS"],
                ),
            ]
        };
        let mut two = all();
        let said = said_of_all(&mut two);
        assert_eq!(said, "In each stage: Of one host. Clocks.");
        let left = two.each_ref().map(Spread::note);
        assert_eq!(left, ["Skew 1 ns.", "Several.", "Skew 2 ns."]);
        let mut one = all();
        assert_eq!(said_of_all(&mut one[..2]), "");
        assert_eq!(one, all());
        // Those of a run, each sentence once.
        let run = fixture::hosts_run();
        let mut found = tables(&run, &summarize(&run));
        let said = said_of_all(&mut found);
        let begin = "In each stage: The totals cover all 3 hosts. ";
        assert!(said.starts_with(begin), "{said}");
        let again = |one: &Spread| one.note().contains("The totals cover");
        assert!(!found.iter().any(again), "{found:?}");
    }

    /// As the main table does.
    #[test]
    fn a_mean_with_ios_that_had_not_ended_is_a_bound_in_each_table() {
        let mut run = fixture::hosts_run();
        let workers = run.stages.iter_mut().flat_map(|stage| &mut stage.workers);
        for worker in workers.filter(|worker| worker.host == 1) {
            for op in [Op::Read, Op::Write] {
                let done = worker.counts.op_mut(op);
                if done.ios > 0 {
                    done.service.record_unfinished(60_000_000, 100);
                }
            }
        }
        let all = tables(&run, &summarize(&run));
        assert_eq!(all.len(), 3);
        for table in &all {
            let bounds = |row: &[String]| [5, 6].map(|column| row[column].starts_with(">= "));
            let found: Vec<_> = table.rows.iter().map(|row| bounds(row)).collect();
            assert_eq!(
                found,
                [[false; 2], [true; 2], [false; 2]],
                "{}: {:?}",
                table.title,
                table.rows
            );
            assert_eq!(table.rows[1][6], ">= 60.0 ms");
        }
        // What a host had reported before it was lost has no such I/Os, and keeps its figures.
        let run = fixture::hosts_run_with_a_loss();
        let lost = &tables(&run, &summarize(&run))[1].rows[1];
        assert!(lost[5].ends_with(" us"), "{lost:?}");
        assert!(!lost[5].contains(">="), "{lost:?}");
    }

    #[test]
    fn threads_over_several_targets_have_a_row_for_each() {
        let run = fixture::files_run();
        let all = tables(&run, &summarize(&run));
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].title, "Targets in mixed");
        assert!(all[0].note().contains("several targets"));
        assert_eq!(all[0].rows[1][0], "/data/x");
        assert_eq!(
            all[0].rows[1][3..7],
            ["100 us", "~100 us", "100 us", "100 us"]
        );
        assert_eq!(all[0].rows[2][7], "1");
        assert!(all[0].is_number(7) && !all[0].is_number(0));
    }

    #[test]
    fn starts_have_a_sign() {
        assert_eq!(
            (late(1_500_000), late(-250)),
            ("+1.50 ms".to_owned(), "-250 ns".to_owned())
        );
    }

    /// Host b alone has an uneven rate: 500 +-134 are 27 %.
    #[test]
    fn figures_of_hosts_have_their_intervals() {
        let rows = [[5; 8], [4, 6, 3, 7, 5, 3, 5, 7]].map(|ios| ios.map(|n| 100 * n));
        let rows: Vec<Counted> = (0..)
            .zip(&rows)
            .map(|(host, ios)| Counted::ios(host, 0, ios))
            .collect();
        let own = fixture::workload("w", OpMix::reads(), 4096, 1, 8);
        let run = counted_run(&["a", "b"], vec![own], &rows);
        let all = tables(&run, &summarize(&run));
        let row = |row: usize| {
            let cells: Vec<_> = all[0].cells(row).collect();
            [cells[0], cells[1], cells[2], cells[5]]
        };
        assert_eq!(
            row(0),
            [
                ("a", ""),
                ("500", "<0.1 %"),
                ("1.95", "0.2 %"),
                ("1.00 ms", "<0.1 %")
            ]
        );
        assert_eq!(
            row(1),
            [
                ("b", ""),
                ("500", "27 %"),
                ("1.95", "27 %"),
                ("1.00 ms", "<0.1 %")
            ]
        );
        let text = crate::render::text::run(&run, &crate::render::text::Style::default());
        let mut below = text.lines().filter(|line| line.starts_with("  +-95%"));
        assert!(
            below.next_back().is_some_and(|line| line.contains(" 27% ")),
            "{text}"
        );
        let page = crate::render::html::page(&run, fixture::no_recipe);
        assert!(page.contains("500 <small>\u{b1} 27 %</small>"));
        let csv = crate::render::csv::parts(&run).unwrap();
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let lines: Vec<Vec<String>> = csv.lines().map(cells).collect();
        let at = |name: &str| lines[0].iter().position(|head| head == name).unwrap();
        let number = |name: &str| lines[2][at(name)].parse::<f64>().unwrap();
        // Student's t of seven degrees of freedom, of a variance of 18/7.
        let half = 236.46 * (18.0_f64 / 7.0 / 8.0).sqrt();
        assert!((number("iops_low") - 500.0 + half).abs() < 0.2, "{csv}");
        assert!((number("iops_high") - 500.0 - half).abs() < 0.2, "{csv}");
        assert_eq!(lines[2][at("iops_settled")], "1");
        assert_eq!(lines[1][at("iops_low")], lines[1][at("iops_high")]);
    }
}
