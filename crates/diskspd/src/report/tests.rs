//! The two shapes, read as people's scripts read DISKSPD's. Lines and key paths named here are those of
//! DISKSPD 2.2 (MIT).

mod host;

use super::*;
use crate::original::{PlanOriginal, StageOriginal, WorkloadOriginal};
use crate::profile::{Profile, TimeSpan};
use leadline_model::event::CpuTime;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{
    Amount, Dialect, Distribution, OpMix, Original, Plan, SimDevice, SimTarget, Stage, Target,
    Workload, Zone,
};
use leadline_model::sample::EndReason;
use leadline_model::units::{Bytes, Nanos};
use leadline_results::fixture::{self, Load, OpLoad};
use regex::Regex;
use roxmltree::{Document, Node};

fn kept(first_thread: u32, file_size: Option<u64>) -> Original {
    Original::of(&WorkloadOriginal {
        first_thread,
        file_size,
    })
}

/// Changes what is kept of a plan's profile.
fn change(plan: &mut Plan, how: impl Fn(&mut Profile)) {
    let mut kept = PlanOriginal::of(plan).unwrap();
    how(&mut kept.profile);
    plan.original = Original::of(&kept);
}

/// A target with this number of threads from `first` on; 64 MiB, 70 % reads at depth 4 each.
fn target(path: &str, first: u32, threads: u32) -> Workload {
    let mut w = fixture::workload(path, OpMix::mixed(70), 4096, 4, 3);
    w.blocks_mut().target = Target::Paths(vec![path.to_owned()]);
    w.clones = threads;
    w.report.worker_series = true;
    w.original = kept(first, Some(64 << 20));
    w
}

fn stage(workloads: Vec<Workload>, latency: bool, deviations: bool) -> (Stage, TimeSpan) {
    let span = TimeSpan {
        duration: 3,
        measure_latency: latency,
        iops_std_dev: deviations,
        ..TimeSpan::default()
    };
    let stage = Stage {
        name: "timespan 1".to_owned(),
        workloads,
        ..Stage::default()
    };
    (stage, span)
}

/// A warm-up second and three measured ones: 700 reads and 300 writes a second for each worker.
fn load(threads: usize) -> Load {
    let mut load = Load::simple(Op::Read, 700, 4096, 1_000_000, 4);
    load.ops.push(OpLoad {
        op: Op::Write,
        ios: 300,
        size: 4096,
        typical: 2_000_000,
    });
    load.warmup = 1;
    load.starts = vec![Nanos::ZERO; threads];
    load
}

fn plan(stages: Vec<(Stage, TimeSpan)>) -> Plan {
    let mut plan = fixture::plan(Vec::new());
    plan.source.dialect = Dialect::Diskspd;
    plan.given = Vec::new();
    let mut time_spans = Vec::new();
    for (mut stage, time_span) in stages {
        let span = time_spans.len();
        stage.original = Original::of(&StageOriginal { span });
        plan.stages.push(stage);
        time_spans.push(time_span);
    }
    let words = "diskspd -c64M -b4K -t2 -r -o4 -w30 -L -D -d3 -W1 -Sh t.dat";
    plan.original = Original::of(&PlanOriginal {
        profile: Profile {
            time_spans,
            ..Profile::default()
        },
        words: words.split(' ').map(str::to_owned).collect(),
    });
    plan
}

fn run_of(stages: Vec<(Stage, TimeSpan)>, loads: &[Vec<Load>]) -> Run {
    fixture::run_of(&fixture::events_of(plan(stages), loads))
}

/// Two threads on one file.
fn two(latency: bool, deviations: bool) -> Run {
    let stages = vec![stage(vec![target("t.dat", 0, 2)], latency, deviations)];
    run_of(stages, &[vec![load(2)]])
}

fn line<'a>(text: &'a str, start: &str) -> &'a str {
    let found = text.lines().find(|l| l.starts_with(start));
    found.unwrap_or_else(|| panic!("no line starts with {start:?} in\n{text}"))
}

/// The places of a line's bars.
fn bars(line: &str) -> Vec<usize> {
    line.match_indices('|').map(|(at, _)| at).collect()
}

/// Rows, heads and dashes of DISKSPD 2.2 by whether latency and deviations were asked for.
const SHAPES: [(bool, bool, &str, &str, &str, usize); 4] = [
    (
        true,
        true,
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file",
        "     0 |       337248256 |        82336 |     107.21 |   27444.94 |    0.036 |    1238.20 |     0.033 | testfile.dat (64MiB)",
        "total:         599810048 |       146438 |     190.67 |   48811.96 |    0.041 |      67.47 |     0.033",
        114,
    ),
    (
        true,
        false,
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file",
        "     0 |       337248256 |        82336 |     107.21 |   27444.94 |    0.036 |     0.033 | testfile.dat (64MiB)",
        "total:         599810048 |       146438 |     190.67 |   48811.96 |    0.041 |     0.033",
        101,
    ),
    (
        false,
        true,
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s | IopsStdDev |  file",
        "     0 |       337248256 |        82336 |     107.21 |   27444.94 |    1238.20 | testfile.dat (64MiB)",
        "total:         599810048 |       146438 |     190.67 |   48811.96 |      67.47",
        91,
    ),
    (
        false,
        false,
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file",
        "     0 |       268959744 |        32832 |     128.25 |   16415.64 | testfile.dat (64MiB)",
        "total:        1082785792 |       132176 |     516.30 |   66086.55",
        78,
    ),
];

#[test]
fn tables_have_diskspds_columns_with_and_without_latency_and_deviations() {
    for (latency, deviations, head, row, total, width) in SHAPES {
        let text = text(&two(latency, deviations));
        let lines: Vec<&str> = text.lines().collect();
        for title in ["Total IO", "Read IO", "Write IO"] {
            let at = lines.iter().position(|l| *l == title).unwrap();
            assert_eq!(lines[at - 1], "");
            assert_eq!(lines[at + 1], head);
            assert_eq!(lines[at + 2], "-".repeat(width));
            assert_eq!(bars(lines[at + 3]), bars(row), "{}", lines[at + 3]);
            assert!(lines[at + 4].starts_with("     1 | "));
            assert!(
                lines[at + 4].ends_with(" | t.dat (64MiB)"),
                "{}",
                lines[at + 4]
            );
            assert_eq!(lines[at + 5], "-".repeat(width));
            assert_eq!(bars(lines[at + 6]), bars(total), "{}", lines[at + 6]);
            assert_eq!(lines[at + 6].len(), total.len());
        }
        assert_eq!(text.contains("%-ile"), latency);
    }
}

#[test]
fn the_report_has_diskspds_lines_in_diskspds_order() {
    let text = text(&two(true, true));
    let mut rest = text.as_str();
    for part in [
        "\nCommand Line: diskspd -c64M -b4K -t2 -r -o4 -w30 -L -D -d3 -W1 -Sh t.dat\n\nInput parameters:\n\n\ttimespan:   1\n\t-------------\n",
        "\tduration: 3s\n",
        "\n\nSystem information:\n\n\tcomputer name: pelican\n\tstart time: 2026/01/02 03:04:05 UTC\n\n",
        "\tcpu count:\t\t2\n\tcore count:\t\t2\n\tgroup count:\t\t1\n\tnode count:\t\t1\n\tsocket count:\t\t1\n\theterogeneous cores:\tn\n\n\tactive power scheme:\t<unknown>\n\n",
        "Results for timespan 1:\n*******************************************************************************\n\n",
        "actual test time:\t3.00s\nthread count:\t\t2\n\n",
        "CPU |  Usage |  User  | Kernel |  Idle\n----------------------------------------\n",
        "   0|  50.05%|  10.01%|  40.04%|  49.95%\n   1|  75.08%|  25.03%|  50.05%|  24.92%\n",
        "----------------------------------------\navg.|  62.56%|  17.52%|  45.05%|  37.44%\n\nTotal IO\n",
        "\nRead IO\n",
        "\nWrite IO\n",
        "\nTotal latency distribution:\n  %-ile |  Read (ms) | Write (ms) | Total (ms)\n----------------------------------------------\n    min |",
        "\nAverage queue depth",
    ] {
        let at = rest.find(part);
        let at = at.unwrap_or_else(|| panic!("{part:?} is not in its place in\n{text}"));
        rest = &rest[at + part.len()..];
    }
    assert!(text.starts_with("\nCommand Line: "));
    assert!(!rest.contains('|'), "{rest}");
}

#[test]
fn the_expressions_of_users_find_totals_and_percentiles() {
    let text = text(&two(true, true));
    let total = Regex::new(
        r"(?m)^total:\s+(\d+)\s+\|\s+(\d+)\s+\|\s+([\d.]+)\s+\|\s+([\d.]+)\s+\|\s+([\d.]+)\s+\|\s+([\d.]+)\s+\|\s+([\d.]+)\s*$",
    )
    .unwrap();
    let found: Vec<(u64, u64, f64, f64)> = total
        .captures_iter(&text)
        .map(|c| {
            let number = |i: usize| c[i].parse::<f64>().unwrap();
            (
                c[1].parse().unwrap(),
                c[2].parse().unwrap(),
                number(3),
                number(4),
            )
        })
        .collect();
    // Two threads, three seconds, 1000 I/Os a second each.
    let bytes = 4096 * 6000;
    assert_eq!(found.len(), 3);
    assert_eq!((found[0].0, found[0].1), (bytes, 6000));
    assert!((found[0].3 - 2000.0).abs() < 1.0, "{found:?}");
    assert!((found[0].2 - bytes as f64 / 3.0 / 1_048_576.0).abs() < 0.02);
    assert_eq!((found[1].1, found[2].1), (4200, 1800));
    let percentile = Regex::new(
        r"(?m)^\s*([\w-]+)\s+\|\s+([\d.]+|N/A)\s+\|\s+([\d.]+|N/A)\s+\|\s+([\d.]+|N/A)$",
    )
    .unwrap();
    let at = text.find("Total latency distribution:").unwrap();
    let rows: Vec<(String, f64)> = percentile
        .captures_iter(&text[at..])
        .map(|c| (c[1].to_owned(), c[4].parse().unwrap()))
        .collect();
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "min", "25th", "50th", "75th", "90th", "95th", "99th", "3-nines", "4-nines", "5-nines",
            "6-nines", "7-nines", "8-nines", "9-nines", "max"
        ]
    );
    assert!(rows.windows(2).all(|w| w[0].1 <= w[1].1), "{rows:?}");
    // 6000 samples: one beyond 4 nines, so that it is the longest but for rank, and marked.
    assert_eq!(rows[13].1.to_bits(), rows[14].1.to_bits());
    let mark = line(&text, "fewer than 10 samples above: ");
    assert_eq!(
        mark,
        "fewer than 10 samples above: read from 3-nines on, write from 3-nines on, total from \
         3-nines on; not reliable"
    );
    assert!(!percentile.is_match(mark) && !total.is_match(mark));
    assert_eq!(bars(line(&text, "3-nines |")), [8, 21, 34]);
}

#[test]
fn figures_are_those_of_the_counters() {
    let run = two(true, true);
    let text = text(&run);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|l| *l == "Read IO").unwrap();
    let worker = &run.stages[0].workers[0];
    let latency = &worker.counts.op(Op::Read).unwrap().service;
    let cells: Vec<&str> = lines[at + 3].split('|').map(str::trim).collect();
    let (n, sum) = (latency.count() as f64, latency.sum as f64);
    let spread = (latency.sum_squares / n - (sum / n) * (sum / n)).sqrt();
    assert_eq!(cells[1], (2100 * 4096).to_string());
    assert_eq!(cells[2], "2100");
    assert_eq!(cells[5], format!("{:.3}", sum / n / 1e6));
    // The same number of I/Os in each second.
    assert_eq!(cells[6], "0.00");
    assert_eq!(cells[7], format!("{:.3}", spread / 1e6));
    let depth = (sum + worker.counts.op(Op::Write).unwrap().service.sum as f64) / 3e9;
    let queue = line(&text, "  thread 0, t.dat: ");
    assert_eq!(queue, format!("  thread 0, t.dat: {depth:.2} of 4"));
}

#[test]
fn a_stall_at_the_end_counts_in_the_deviation() {
    let mut load = load(2);
    load.quiet = vec![3];
    let stages = vec![stage(vec![target("t.dat", 0, 2)], true, true)];
    let text = text(&run_of(stages, &[vec![load]]));
    // 2000, 2000, 0 a second: mean 1333.33, population.
    let deviation = (2.0_f64 * 666.667_f64.powi(2) / 3.0 + 1333.333_f64.powi(2) / 3.0).sqrt();
    let cells: Vec<&str> = line(&text, "total:").split('|').map(str::trim).collect();
    let found: f64 = cells[5].parse().unwrap();
    assert!((found - deviation).abs() < 0.02, "{found} {deviation}");
    let first: Vec<&str> = line(&text, "     0 |").split('|').map(str::trim).collect();
    let found: f64 = first[6].parse().unwrap();
    assert!((found - deviation / 2.0).abs() < 0.02, "{found}");
}

#[test]
fn what_is_missing_is_na_and_never_a_wrong_number() {
    let mut only_reads = target("t.dat", 0, 2);
    only_reads.blocks_mut().mix = OpMix::reads();
    let mut reads = load(2);
    reads.ops.truncate(1);
    let mut run = run_of(vec![stage(vec![only_reads], true, true)], &[vec![reads]]);
    for sample in &mut run.stages[0].samples {
        sample.moments.clear();
    }
    run.stages[0].cpus.clear();
    let text = text(&run);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|l| *l == "Write IO").unwrap();
    assert_eq!(
        lines[at + 3],
        "     0 |               0 |            0 |       0.00 |       0.00 |    0.000 |        N/A |       N/A | t.dat (64MiB)"
    );
    assert_eq!(
        lines[at + 6],
        "total:                 0 |            0 |       0.00 |       0.00 |    0.000 |       0.00 |       N/A"
    );
    let median = line(&text, "   50th |");
    assert!(median.contains(" |        N/A | "), "{median}");
    assert!(!text.contains("CPU |") && text.contains("Processor time was not measured"));
    assert!(text.contains("IopsStdDev is N/A"));
    let xml = xml(&run);
    let doc = Document::parse(&xml).unwrap();
    assert!(!xml.contains("<WriteMilliseconds>") && !xml.contains("AverageWrite"));
    assert_eq!(
        all(doc.root_element(), "TimeSpan/Thread/Target/Iops").len(),
        0
    );
    assert_eq!(all(doc.root_element(), "TimeSpan/Iops/Bucket").len(), 3);
}

#[test]
fn threads_of_a_pool_have_a_row_for_each_target_and_targets_a_distribution() {
    let (a, b) = (target("t1.dat", 0, 2), target("t2.dat", 0, 2));
    let run = run_of(
        vec![stage(vec![a, b], true, false)],
        &[vec![load(2), load(2)]],
    );
    let text = text(&run);
    let row = Regex::new(r"(?m)^\s+(\d+) \| .* \| (\S+) \((\S+)\)$").unwrap();
    let rows: Vec<(String, String)> = row
        .captures_iter(&text)
        .map(|c| (c[1].to_owned(), c[2].to_owned()))
        .take(4)
        .collect();
    let expected = [
        ("0", "t1.dat"),
        ("0", "t2.dat"),
        ("1", "t1.dat"),
        ("1", "t2.dat"),
    ];
    assert_eq!(rows, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert!(text.contains("thread count:\t\t2\n"));
    let first = text
        .find("\nLatency distribution: t1.dat\n  %-ile |")
        .unwrap();
    let second = text.find("\nLatency distribution: t2.dat\n").unwrap();
    let total = text.find("\nTotal latency distribution:\n").unwrap();
    assert!(first < second && second < total);
    let xml = xml(&run);
    let doc = Document::parse(&xml).unwrap();
    let threads = all(doc.root_element(), "TimeSpan/Thread");
    assert_eq!(threads.len(), 2);
    assert!(threads.iter().all(|t| all(*t, "Target").len() == 2));
}

#[test]
fn parts_of_a_target_are_shown_in_bytes() {
    let zone = |access_percent, percent| Zone {
        access_percent,
        extent: Amount::Percent(percent),
    };
    let zones = vec![zone(90.0, 10), zone(0.0, 10), zone(5.0, 20), zone(5.0, 60)];
    let targets = ["t1.dat", "t2.dat"].map(|path| {
        let mut w = target(path, 0, 2);
        w.blocks_mut().access.distribution = PerOp::splat(Distribution::Zoned(zones.clone()));
        w.original = kept(0, Some(16 << 20));
        w
    });
    let run = run_of(
        vec![stage(targets.to_vec(), false, false)],
        &[vec![load(2), load(2)]],
    );
    let text = text(&run);
    assert!(
        text.contains(
            "\nEffective IO Distributions\n--------------------------\n\
             target: t1.dat [thread: 0 1]\ntarget: t2.dat [thread: 0 1]\n\
            \u{20}   90% of IO => [     0    -   1.60MiB)\n\
            \u{20}    5% of IO => [  3.20MiB -   6.40MiB)\n\
            \u{20}    5% of IO => [  6.40MiB -     16MiB)\n\nTotal IO\n"
        ),
        "{text}"
    );
    let xml = xml(&run);
    let doc = Document::parse(&xml).unwrap();
    let ranges = all(
        doc.root_element(),
        "TimeSpan/Thread/Target/Distribution/Absolute/Range",
    );
    assert_eq!(ranges.len(), 12);
    assert_eq!(ranges[0].attribute("IO"), Some("90"));
}

#[test]
fn several_time_spans_have_totals() {
    let second = stage(vec![target("t.dat", 0, 1)], false, false);
    let stages = vec![stage(vec![target("t.dat", 0, 2)], false, false), second];
    let text = text(&run_of(stages, &[vec![load(2)], vec![load(1)]]));
    let at = text.find("\n\n\nTotals:\n").unwrap();
    let lines: Vec<&str> = text[at..].lines().skip(3).collect();
    assert_eq!(lines[0], "Totals:");
    assert_eq!(lines[1], "*".repeat(79));
    assert_eq!(
        lines[3],
        "type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s"
    );
    assert_eq!(lines[4], "-".repeat(79));
    assert_eq!(
        lines[5],
        "write  |        11059200 |         2700 |       1.76 |     450.00"
    );
    assert_eq!(
        lines[6],
        "read   |        25804800 |         6300 |       4.10 |    1050.00"
    );
    assert_eq!(
        lines[8],
        "total  |        36864000 |         9000 |       5.86 |    1500.00"
    );
    assert_eq!(lines[10], "total test time:\t6.00s");
    assert!(text.contains("\nResults for timespan 2:\n"));
}

#[test]
fn sizes_go_up_to_tebibytes_and_may_be_unknown() {
    let mut large = target("t.dat", 0, 1);
    large.original = kept(0, Some(3 << 40));
    let mut unknown = target("u.dat", 1, 1);
    unknown.original = kept(1, None);
    unknown.blocks_mut().region.size = None;
    let stages = vec![stage(vec![large, unknown], false, false)];
    let mut run = run_of(stages, &[vec![load(1), load(1)]]);
    assert!(text(&run).contains(" | t.dat (3TiB)\n"));
    assert!(text(&run).contains("     1 | ") && text(&run).contains(" | u.dat (unknown size)\n"));
    run.facts
        .push(Fact::new(FactKey::TARGET_SIZE, "u.dat", Bytes(1536)));
    assert!(text(&run).contains(" | u.dat (1.50KiB)\n"));
}

/// `--map` puts a simulated volume in the place of a file: nothing was found on this host, and the law knows the size.
#[test]
fn a_simulated_target_has_the_size_of_its_law() {
    let mut mapped = target("m.dat", 0, 1);
    mapped.original = kept(0, None);
    mapped.blocks_mut().region.size = None;
    mapped.blocks_mut().target = Target::Simulated(Box::new(SimTarget {
        files: vec!["m.dat".to_owned()],
        volume: SimDevice {
            size: 3 << 30,
            ..SimDevice::default()
        },
        ..SimTarget::default()
    }));
    let run = run_of(
        vec![stage(vec![mapped.clone()], false, false)],
        &[vec![load(1)]],
    );
    assert!(text(&run).contains(" | m.dat (3GiB)\n"), "{}", text(&run));
    // Files that are made on it have a size of their own.
    if let Target::Simulated(target) = &mut mapped.blocks_mut().target {
        target.size = Some(64 << 20);
    }
    let run = run_of(vec![stage(vec![mapped], false, false)], &[vec![load(1)]]);
    assert!(text(&run).contains(" | m.dat (64MiB)\n"), "{}", text(&run));
}

#[test]
fn a_span_without_measurement_says_so_and_one_cut_short_has_what_it_has() {
    let stages = || vec![stage(vec![target("t.dat", 0, 2)], true, true)];
    let mut none = load(2);
    none.intervals = 1;
    let mut run = run_of(stages(), &[vec![none]]);
    run.stages[0].workers.clear();
    assert!(text(&run).contains(
        "*\nThe test was interrupted before the measurements began. No results are displayed.\n"
    ));
    assert!(Document::parse(&xml(&run)).is_ok());
    // Workers that were ended in their warm-up, each at another moment, have no rows either.
    let mut cut = load(2);
    cut.intervals = 1;
    cut.adjust = |w| {
        w.window_start = Nanos(500_000_000 + u64::from(w.worker));
        w.window_end = w.window_start;
        w.end = EndReason::Interrupted;
    };
    let run = run_of(stages(), &[vec![cut]]);
    assert_eq!(run.stages[0].workers.len(), 2);
    let shown = text(&run);
    assert!(
        shown.contains("*\nThe test was interrupted before the measurements began."),
        "{shown}"
    );
    assert!(!shown.contains("Total IO"));
    let shown = xml(&run);
    let doc = Document::parse(&shown).unwrap();
    let span = &all(doc.root_element(), "TimeSpan")[0];
    assert_eq!(span.children().filter(Node::is_element).count(), 1);
    assert!(
        all(*span, "Error")[0]
            .text()
            .unwrap()
            .starts_with("The test was interrupted")
    );
    let mut short = load(2);
    short.intervals = 3;
    let run = run_of(stages(), &[vec![short]]);
    let text = text(&run);
    assert!(text.contains("actual test time:\t2.00s\n"));
    // No buckets of the second that was not.
    assert!(line(&text, "total:").contains(" |       0.00 | "));
}

/// All elements of a path of names below a node.
fn all<'a, 'i>(node: Node<'a, 'i>, path: &str) -> Vec<Node<'a, 'i>> {
    let mut found = vec![node];
    for name in path.split('/') {
        found = found
            .iter()
            .flat_map(|n| n.children().filter(|c| c.has_tag_name(name)))
            .collect();
    }
    found
}

fn value<'a>(node: Node<'a, '_>, path: &str) -> &'a str {
    let found = all(node, path);
    let first = found.first().unwrap_or_else(|| panic!("no {path}"));
    // A script that reads an element by its name gets text only when there are no attributes.
    assert_eq!(first.attributes().len(), 0, "{path}");
    first.text().unwrap()
}

fn number(node: Node<'_, '_>, path: &str) -> f64 {
    value(node, path).parse().unwrap()
}

#[test]
fn xml_is_read_by_names_and_positions_as_scripts_do() {
    let xml = xml(&two(true, true));
    assert_eq!(xml.lines().next(), Some("<Results>"));
    let doc = Document::parse(&xml).unwrap();
    let results = doc.root_element();
    let span = all(results, "TimeSpan")[0];
    assert_eq!(value(results, "System/ComputerName"), "pelican");
    assert_eq!(value(span, "TestTimeSeconds"), "3.00");
    assert_eq!(value(span, "ThreadCount"), "2");
    let threads = all(span, "Thread/Target");
    let whole = |node, path: &str| value(node, path).parse::<u64>().unwrap();
    let sum = |path: &str| threads.iter().map(|t| whole(*t, path)).sum::<u64>();
    assert_eq!((sum("ReadCount"), sum("WriteCount")), (4200, 1800));
    assert_eq!(sum("ReadBytes") + sum("WriteBytes"), sum("BytesCount"));
    assert_eq!(sum("IOCount"), 6000);
    assert_eq!(whole(threads[0], "FileSize"), 64 << 20);
    let usage = number(span, "CpuUtilization/Average/UsagePercent");
    assert!((usage - 62.56).abs() < 0.01);
    // Bucket[n] by position is percentile n.
    let buckets = all(span, "Latency/Bucket");
    assert_eq!(buckets.len(), 108);
    for position in [0, 25, 50, 90, 99] {
        assert_eq!(value(buckets[position], "Percentile"), position.to_string());
    }
    let tail = [
        "99.9",
        "99.99",
        "99.999",
        "99.9999",
        "99.99999",
        "99.999999",
        "99.9999999",
        "100",
    ];
    for (bucket, percent) in buckets[100..].iter().zip(tail) {
        assert_eq!(value(*bucket, "Percentile"), percent);
    }
    let total: Vec<f64> = buckets
        .iter()
        .map(|b| number(*b, "TotalMilliseconds"))
        .collect();
    assert!(total.windows(2).all(|w| w[0] <= w[1]));
    assert_eq!(buckets[50].attribute("Thin"), None);
    assert_eq!(buckets[100].attribute("Thin"), Some("read write total"));
    assert_eq!(buckets[107].attribute("Thin"), None);
    assert_eq!(buckets[0].attribute("Thin"), None);
    let iops = all(span, "Iops/Bucket");
    assert_eq!(iops.len(), 3);
    assert_eq!(iops[2].attribute("SampleMillisecond"), Some("3000"));
    assert_eq!(iops[2].attribute("Total"), Some("2000"));
    let of_thread = all(threads[1], "Iops/Bucket");
    assert_eq!(of_thread[0].attribute("Read"), Some("700"));
    let least: f64 = of_thread[0]
        .attribute("ReadMinLatencyMilliseconds")
        .unwrap()
        .parse()
        .unwrap();
    assert!((0.7..0.8).contains(&least), "{least}");
}

/// Elements of a result of DISKSPD 2.2 with `-L -D`, from the root.
const PATHS: &str = "
System/ComputerName System/Tool/Version System/Tool/VersionDate System/RunTime
System/PowerScheme@Name@Guid System/ProcessorTopology@Heterogeneous
System/ProcessorTopology/Group@Group@MaximumProcessors@ActiveProcessors@ActiveProcessorMask
System/ProcessorTopology/Node@Node System/ProcessorTopology/Node/Group@Group@Mask
System/ProcessorTopology/Socket@Socket System/ProcessorTopology/Socket/Group@Group@Mask
System/ProcessorTopology/Core@Group@Core@Mask@EfficiencyClass
Profile/Progress Profile/TimeSpans
TimeSpan/TestTimeSeconds TimeSpan/ThreadCount TimeSpan/RequestCount TimeSpan/ProcCount
TimeSpan/CpuUtilization/CPU/Socket TimeSpan/CpuUtilization/CPU/Node
TimeSpan/CpuUtilization/CPU/Group TimeSpan/CpuUtilization/CPU/Core
TimeSpan/CpuUtilization/CPU/EfficiencyClass TimeSpan/CpuUtilization/CPU/Id
TimeSpan/CpuUtilization/CPU/UsagePercent TimeSpan/CpuUtilization/CPU/UserPercent
TimeSpan/CpuUtilization/CPU/KernelPercent TimeSpan/CpuUtilization/CPU/IdlePercent
TimeSpan/CpuUtilization/Average/UsagePercent TimeSpan/CpuUtilization/Average/UserPercent
TimeSpan/CpuUtilization/Average/KernelPercent TimeSpan/CpuUtilization/Average/IdlePercent
TimeSpan/Latency@ReadHistoBuckets@WriteHistoBuckets@TotalHistoBuckets
TimeSpan/Latency/AverageReadMilliseconds TimeSpan/Latency/ReadLatencyStdev
TimeSpan/Latency/AverageWriteMilliseconds TimeSpan/Latency/WriteLatencyStdev
TimeSpan/Latency/AverageTotalMilliseconds TimeSpan/Latency/LatencyStdev
TimeSpan/Latency/Bucket/Percentile TimeSpan/Latency/Bucket/ReadMilliseconds
TimeSpan/Latency/Bucket/WriteMilliseconds TimeSpan/Latency/Bucket/TotalMilliseconds
TimeSpan/Iops/ReadIopsStdDev TimeSpan/Iops/WriteIopsStdDev TimeSpan/Iops/IopsStdDev
TimeSpan/Iops/Bucket@SampleMillisecond@Read@Write@Total@ReadMinLatencyMilliseconds@ReadMaxLatencyMilliseconds@ReadAvgLatencyMilliseconds@ReadLatencyStdDev@WriteMinLatencyMilliseconds@WriteMaxLatencyMilliseconds@WriteAvgLatencyMilliseconds@WriteLatencyStdDev
TimeSpan/Thread/Id TimeSpan/Thread/Target/Path TimeSpan/Thread/Target/BytesCount
TimeSpan/Thread/Target/FileSize TimeSpan/Thread/Target/IOCount TimeSpan/Thread/Target/ReadBytes
TimeSpan/Thread/Target/ReadCount TimeSpan/Thread/Target/WriteBytes
TimeSpan/Thread/Target/WriteCount TimeSpan/Thread/Target/AverageReadLatencyMilliseconds
TimeSpan/Thread/Target/ReadLatencyStdev TimeSpan/Thread/Target/AverageWriteLatencyMilliseconds
TimeSpan/Thread/Target/WriteLatencyStdev TimeSpan/Thread/Target/Iops/ReadIopsStdDev
TimeSpan/Thread/Target/Iops/WriteIopsStdDev TimeSpan/Thread/Target/Iops/IopsStdDev
TimeSpan/Thread/Target/Iops/Bucket@SampleMillisecond
";

#[test]
fn xml_has_diskspds_key_paths_in_diskspds_order() {
    let xml = xml(&two(true, true));
    let doc = Document::parse(&xml).unwrap();
    let mut last = 0;
    for key in PATHS.split_whitespace() {
        let (path, attributes) = key.split_once('@').unwrap_or((key, ""));
        let found = all(doc.root_element(), path);
        let first = found.first().unwrap_or_else(|| panic!("no {path}"));
        let names: Vec<&str> = first.attributes().map(|a| a.name()).collect();
        let asked: Vec<&str> = attributes.split('@').filter(|a| !a.is_empty()).collect();
        assert_eq!(names[..asked.len()], asked[..], "{path}");
        // The first of each comes after the first of the one before.
        let at = first.range().start;
        assert!(at >= last, "{path}");
        last = at;
    }
}

#[test]
fn words_of_the_user_cannot_change_the_xml() {
    let path = "a&b<c>\"d\"\u{1}.dat";
    let mut run = run_of(
        vec![stage(vec![target(path, 0, 1)], true, true)],
        &[vec![load(1)]],
    );
    run.findings.push(Finding {
        code: "holes".into(),
        severity: Severity::Warn,
        stage: Some(0),
        workload: Some(0),
        text: "12 % of a&b<c> | are holes".into(),
        cure: "write \"it\" first".into(),
    });
    let xml = xml(&run);
    let doc = Document::parse(&xml).unwrap();
    let results = doc.root_element();
    assert_eq!(
        value(results, "TimeSpan/Thread/Target/Path"),
        "a&b<c>\"d\"\u{fffd}.dat"
    );
    let finding = all(results, "Leadline/Finding")[0];
    assert_eq!(finding.attribute("Code"), Some("holes"));
    assert_eq!(value(finding, "Text"), "12 % of a&b<c> | are holes");
    assert_eq!(
        results.last_element_child().unwrap().tag_name().name(),
        "Leadline"
    );
    let text = text(&run);
    assert!(text.ends_with(
        "\nleadline says\n-------------\nwarning[holes]: 12 % of a&b<c> / are holes (write \"it\" first)\n"
    ));
}

#[test]
fn at_a_rate_the_response_is_reported_and_stolen_time_too() {
    let mut load = load(2);
    load.open = true;
    let stages = vec![stage(vec![target("t.dat", 0, 2)], true, false)];
    let run = run_of(stages, &[vec![load]]);
    let text = text(&run);
    assert!(text.contains("Response latency from the intended start at the requested rate (ms)\n"));
    assert!(line(&text, "  read: mean ").contains(", 99th "));
    assert!(
        line(&text, "The hypervisor took 8.00 ms")
            .ends_with("which the CPU table does not include")
    );
    assert_eq!(
        table::shares(&CpuTime::default())[3].to_bits(),
        100.0_f64.to_bits()
    );
    let xml = xml(&run);
    let doc = Document::parse(&xml).unwrap();
    let response = all(doc.root_element(), "Leadline/TimeSpan/Response");
    assert_eq!(response.len(), 2);
}

#[test]
fn a_run_of_another_dialect_has_both_shapes() {
    let run = fixture::run();
    assert!(text(&run).contains("Command Line: leadline fio --direct=1 fixture job.fio\n"));
    assert!(Document::parse(&xml(&run)).is_ok());
    assert!(text(&Run::default()).starts_with("System information:"));
    assert!(Document::parse(&xml(&Run::default())).is_ok());
}
