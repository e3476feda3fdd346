//! What scripts of Vdbench's users look for: lines, columns, names, and that they are there in time.
//!
//! Lines that are compared word for word are measured output of Vdbench 5.04.07.

use super::*;
use crate::original::{AskedRate, StageOriginal, WorkloadOriginal};
use crate::value::Transfer;
use leadline_model::error_code::ErrorCode;
use leadline_model::failure::Failure;
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::plan::{HostSet, HostSpec, OpMix, Original, Workload};
use leadline_results::fixture::{self, Load, OpLoad};
use leadline_results::run::OpPoint;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Reads of one WD to one SD on one host.
fn workload(wd: &str, sd: &str, host: u32) -> Workload {
    let mut w = fixture::workload(wd, OpMix::reads(), 4096, 2, 4);
    w.hosts = HostSet::one(host);
    w.stop.warmup = Nanos::from_secs(2);
    let label = ["vm1", "vm2"][host as usize];
    w.definition = Some(wd.into());
    w.target_name = Some(sd.into());
    w.original = Original::of(&WorkloadOriginal {
        host: label.into(),
        lun: "/data/f".into(),
        size: Some(33_554_432),
        transfer: Transfer::One(4096),
        threads: 2,
        read_percent: 100.0,
        read_hit_percent: 0.0,
        write_hit_percent: 0.0,
        seek_percent: 100.0,
        compression_ratio: 1.0,
        deduplication_ratio: None,
    });
    w
}

fn stage(name: &str, rate: AskedRate, workloads: Vec<Workload>) -> Stage {
    Stage {
        name: name.into(),
        workloads,
        original: Original::of(&StageOriginal {
            run: name.into(),
            rate,
            elapsed: Some(4),
            warmup: 2,
            loops: "threads=2".into(),
            ..StageOriginal::default()
        }),
        ..Stage::default()
    }
}

const SDS: [(&str, u32); 4] = [("sd-1-1", 0), ("sd-1-2", 0), ("sd-2-1", 1), ("sd-2-2", 1)];

/// Two hosts with two SDs each; a run of reads, and a run of reads and writes of two WDs.
fn plan() -> Plan {
    let both = |wd: &str| SDS.map(|(sd, host)| workload(wd, sd, host)).to_vec();
    let mut mixed = both("Mix");
    mixed.extend(both("Other"));
    let mut plan = fixture::plan(vec![]);
    plan.stages = vec![
        stage(
            "RndRead",
            AskedRate::Curve { controlled: false },
            both("Rnd"),
        ),
        Stage {
            rate: Some(23_100.0),
            ..stage("Mix_(50%)", AskedRate::OfStage, mixed)
        },
    ];
    plan.hosts = ["vm1", "vm2"].map(HostSpec::local).to_vec();
    plan.source.files = vec![(
        "parm".into(),
        "* comment\nsd=sd-1-1,lun=/data/f\nwd=<b>,sd=(a,b)\n".into(),
    )];
    plan
}

/// All events: each worker's last I/O ends a moment after the last whole interval.
fn events() -> Vec<Event> {
    let mut load = Load::simple(Op::Read, 50, 4096, 200_000, 6);
    load.warmup = 2;
    let mut mixed = load.clone();
    mixed.ops.push(OpLoad {
        op: Op::Write,
        ios: 30,
        size: 8192,
        typical: 700_000,
    });
    let plan = plan();
    let hosts: Vec<Vec<u32>> = plan
        .stages
        .iter()
        .map(|s| {
            s.workloads
                .iter()
                .filter_map(|w| w.hosts.single())
                .collect()
        })
        .collect();
    let mut events = fixture::events_of(plan, &[vec![load; 4], vec![mixed; 8]]);
    for event in &mut events {
        match event {
            Event::Interval(s) => s.host = hosts[s.stage as usize][s.workload as usize],
            Event::WorkerEnded(w) => w.host = hosts[w.stage as usize][w.workload as usize],
            _ => {}
        }
    }
    let tail = |event: &Event| match event {
        Event::Interval(s) if s.interval == 5 => {
            let mut tail = s.clone();
            tail.interval = 6;
            tail.start = Nanos::from_secs(6);
            tail.length = Nanos::from_millis(1);
            tail.counts.ops = leadline_model::op::OpMap::default();
            tail.counts.op_mut(Op::Read).ios = 1;
            vec![event.clone(), Event::Interval(tail)]
        }
        other => vec![other.clone()],
    };
    let own = |event: &Event| match event {
        // The other host's kernel reported nothing.
        Event::Interval(s) if s.workload == 0 => {
            vec![fixture::processors(0, s.stage, s.interval), event.clone()]
        }
        other => vec![other.clone()],
    };
    events.iter().flat_map(own).flat_map(|e| tail(&e)).collect()
}

fn options() -> Options {
    Options {
        directory: "out".into(),
        ..Options::default()
    }
}

fn pages() -> BTreeMap<String, String> {
    files(&fixture::run_of(&events()), options())
        .into_iter()
        .collect()
}

/// Run files come from others, and so do the names in them.
#[test]
fn no_name_is_markup_or_moves_a_column() {
    let hostile = "<script>alert(1)</script> \u{1b}[2J";
    let mut events = events();
    for event in &mut events {
        if let Event::RunStarted { plan, .. } = event {
            plan.hosts[0].label = hostile.to_owned();
            for stage in &mut plan.stages {
                stage.name = hostile.to_owned();
                stage.original = Original::of(&StageOriginal {
                    run: hostile.to_owned(),
                    loops: hostile.to_owned(),
                    ..StageOriginal::default()
                });
                for workload in &mut stage.workloads {
                    workload.name = hostile.to_owned();
                    workload.definition = Some(hostile.to_owned());
                    workload.target_name = Some(hostile.to_owned());
                }
            }
        }
    }
    let pages = files(&fixture::run_of(&events), options());
    for (name, text) in &pages {
        assert!(
            !text.contains("<script") && !text.contains('\u{1b}'),
            "{name}: {text}"
        );
        assert!(
            name.chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)),
            "{name}"
        );
    }
    let flat = &pages
        .iter()
        .find(|(name, _)| name == "flatfile.html")
        .unwrap()
        .1;
    let rows = flat
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let widths: std::collections::BTreeSet<usize> =
        rows.map(|row| row.split_whitespace().count()).collect();
    assert_eq!(widths.len(), 1, "{flat}");
}

#[test]
fn header_and_rows_are_those_that_scripts_cut_by_column() {
    assert_eq!(
        row::header("Nov 20, 2026"),
        "Nov 20, 2026    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue  cpu%  cpu%\n                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth sys+u   sys\n"
    );
    let figures = row::Figures {
        rate: 46_139.75,
        mib: 180.2334,
        bytes: 4096.0,
        read_percent: 100.0,
        resp: [0.1734, 0.1734, 0.0],
        max: [14.61, 14.61, 0.0],
        stddev: [0.239, 0.239, 0.0],
        depth: 8.0016,
    };
    let cpu = row::Cpu {
        user: 26.4706,
        system: 39.7059,
        rest: None,
    };
    assert_eq!(
        row::line("05:34:25.147", "avg_3-6", &figures, Some(cpu)),
        "05:34:25.147     avg_3-6    46139.8   180.23    4096 100.00    0.173    0.173    0.000    14.61     0.00    0.239    8.0  66.2  39.7\n"
    );
    let line = row::line("05:34:25.147", "1", &figures, None);
    assert!(line.ends_with("    8.0   NaN   NaN\n"), "{line}");
    assert_eq!(line.split_whitespace().count(), 15);
}

#[test]
fn every_file_is_there_and_nothing_else() {
    let pages = pages();
    let names: Vec<&str> = pages.keys().map(String::as_str).collect();
    let mut expected = vec![
        "Mix.histogram.html",
        "Mix.html",
        "Other.histogram.html",
        "Other.html",
        "Rnd.histogram.html",
        "Rnd.html",
        "config.html",
        "errorlog.html",
        "flatfile.html",
        "histogram.html",
        "logfile.html",
        "parmfile.html",
        "parmscan.html",
        "sd-1-1.histogram.html",
        "sd-1-1.html",
        "sd-1-2.histogram.html",
        "sd-1-2.html",
        "sd-2-1.histogram.html",
        "sd-2-1.html",
        "sd-2-2.histogram.html",
        "sd-2-2.html",
        "skew.html",
        "status.html",
        "summary.html",
        "totals.html",
        "vm1-0.html",
        "vm1.html",
        "vm2-0.html",
        "vm2.html",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    // A host has one slave, which does all the host does.
    let rows = |name: &str| {
        let row = |l: &&str| l.starts_with(|c: char| c.is_ascii_digit());
        let rows: Vec<String> = pages[name].lines().filter(row).map(str::to_owned).collect();
        rows
    };
    assert!(!rows("vm1.html").is_empty());
    assert_eq!(rows("vm1.html"), rows("vm1-0.html"));
    assert!(pages["summary.html"].starts_with("<title>"));
    assert!(pages["parmfile.html"].contains("wd=&lt;b&gt;"));
    // Each line has the time before its word.
    let scan = pages["parmscan.html"].lines().skip(1);
    let words: Vec<&str> = scan.map(|l| &l[13..]).collect();
    let wanted = [
        "line: sd=sd-1-1,lun=/data/f",
        "keyw: sd=sd-1-1",
        "parm: sd-1-1",
    ];
    assert!(words.windows(3).any(|w| w == wanted), "{words:?}");
}

/// The averages of a page as a script gets them: `grep avg_`, split at blanks.
fn averages(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|l| l.contains("avg_"));
    lines
        .map(|l| l.split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
fn averages_are_found_on_every_page_and_add_up() {
    let pages = pages();
    let summary = averages(&pages["summary.html"]);
    assert_eq!(summary.len(), 2);
    assert_eq!(summary, averages(&pages["totals.html"]));
    assert!(
        summary
            .iter()
            .all(|row| row.len() == 15 && row[1] == "avg_3-6")
    );
    let rate = |row: &[String]| row[2].parse::<f64>().unwrap();
    // 4 SDs of 50 reads a second, and one read more at the end of each.
    assert!((rate(&summary[0]) - (4.0 * 201.0 / 4.001)).abs() < 0.1);
    for (run, total) in summary.iter().enumerate() {
        for part in [
            &["vm1", "vm2"][..],
            &["sd-1-1", "sd-1-2", "sd-2-1", "sd-2-2"][..],
        ] {
            let of = |name: &&str| rate(&averages(&pages[&format!("{name}.html")])[run]);
            let sum: f64 = part.iter().map(of).sum();
            assert!((sum - rate(total)).abs() < 0.3, "{part:?}");
        }
    }
    assert_eq!(averages(&pages["Mix.html"]).len(), 1);
    // Of the processors of the only host that reported them: 17.5 % and 45 %.
    assert_eq!(
        (summary[0][13].as_str(), summary[0][14].as_str()),
        ("62.5", "45.0")
    );
    assert_eq!(averages(&pages["vm1.html"])[0][13], "62.5");
    // Nothing is known of the other's processors, not even how many they are.
    assert_eq!(averages(&pages["vm2.html"])[0][13], "NaN");
}

#[test]
fn rows_have_the_interval_as_number_and_the_tail_belongs_to_the_last() {
    let pages = pages();
    let text = &pages["sd-1-1.html"];
    let head = "Starting RD=RndRead; I/O rate: Uncontrolled curve; elapsed=4 warmup=2; For loops: threads=2";
    assert!(text.contains(head), "{text}");
    assert!(pages["summary.html"].contains(
        "Starting RD=Mix_(50%); I/O rate: 23100; elapsed=4 warmup=2; For loops: threads=2"
    ));
    let rows = text
        .lines()
        .filter(|l| l.starts_with("03:04:") && l.split_whitespace().count() == 15);
    let labels: Vec<&str> = rows.filter_map(|l| l.split_whitespace().nth(1)).collect();
    let run = ["1", "2", "3", "4", "5", "6", "avg_3-6"];
    assert_eq!(labels, [run, run].concat());
}

#[test]
fn the_flat_file_is_read_by_the_names_of_its_columns() {
    let pages = pages();
    let text = &pages["flatfile.html"];
    let mut lines = text.lines().filter(|l| !l.starts_with(['*', '<']));
    let names: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(
        names.join(" "),
        "tod timestamp Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp resp_max read_max write_max resp_std read_std write_std xfersize threads rdpct rhpct whpct seekpct lunsize version compratio dedupratio queue_depth cpu_used cpu_user cpu_kernel cpu_wait cpu_idle"
    );
    let rows: Vec<BTreeMap<&str, &str>> = lines
        .map(|l| {
            let words: Vec<&str> = l.split_whitespace().collect();
            assert_eq!(words.len(), names.len(), "{l}");
            names.iter().copied().zip(words).collect()
        })
        .collect();
    assert_eq!(rows.len(), 14);
    assert_eq!(
        (rows[0]["Run"], rows[0]["Interval"], rows[0]["rate"]),
        ("RndRead", "1", "200")
    );
    assert_eq!(
        (rows[0]["reqrate"], rows[0]["lunsize"]),
        ("9999977", "0.125")
    );
    assert_eq!((rows[0]["xfersize"], rows[0]["cpu_used"]), ("4096", "50"));
    assert_eq!((rows[5]["cpu_user"], rows[5]["cpu_kernel"]), ("10", "45"));
    assert_eq!((rows[5]["cpu_wait"], rows[5]["cpu_idle"]), ("9.9", "30"));
    assert_eq!(rows[0]["timestamp"], "01/02/2026-03:04:06-UTC");
    assert_eq!(
        (rows[6]["Interval"], rows[6]["cpu_used"]),
        ("avg_3-6", "62.5")
    );
    assert_eq!((rows[6]["cpu_wait"], rows[6]["cpu_idle"]), ("9.9", "27.5"));
    assert!(text.contains(" RndRead  avg_3-6 "));
    let number = |row: &BTreeMap<&str, &str>, name: &str| row[name].parse::<f64>().unwrap();
    assert!((number(&rows[13], "read%") - 100.0 * 50.25 / 80.25).abs() < 0.01);
    assert!(number(&rows[13], "write_resp") > number(&rows[13], "read_resp"));
}

#[test]
fn response_times_are_counted_in_classes() {
    let counts = [
        0, 33, 1049, 5594, 26_072, 120_466, 25_592, 3614, 1014, 93, 258, 691, 64, 4, 7, 8,
    ];
    let mut latency = Latency::default();
    for (class, count) in counts.into_iter().enumerate() {
        latency.record_many(histogram::DEFAULT[class] * 1000 - 5000, count);
    }
    let text =
        histogram::Bounds::of(&PlanOriginal::default()).tables(&[latency, Latency::default()]);
    assert!(text.starts_with("Only reads done for this workload:\n  min(ms) <     max(ms)         count       %%    cum%%  '+': Individual%; '+-': Cumulative%\n\n"));
    for line in [
        "    0.000 <       0.020             0   0.0000   0.0000  \n",
        "    0.080 <       0.100        26,072  14.1266  17.7439  +++++++-\n",
        "    0.100 <       0.200       120,466  65.2724  83.0163  ++++++++++++++++++++++++++++++++--------\n",
        "   10.000 <      20.000             8   0.0043 100.0000  -------------------------------------------------\n",
        " 2000.000 <         max             0   0.0000 100.0000  --------------------------------------------------\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let mut writes = Latency::default();
    writes.record(1);
    let both = histogram::Bounds::of(&PlanOriginal::default()).tables(&[writes.clone(), writes]);
    let titles: Vec<&str> = both.lines().filter(|l| l.ends_with(':')).collect();
    assert_eq!(titles, ["Reads and writes:", "Reads:", "Writes:"]);
}

proptest! {
    #[test]
    fn no_response_time_is_lost(values in prop::collection::vec(0_u64..1 << 43, 0..300)) {
        let mut latency = Latency::default();
        values.iter().for_each(|&v| latency.record(v));
        let classes = histogram::Bounds::of(&PlanOriginal::default()).classes(&latency);
        prop_assert_eq!(classes.iter().sum::<u64>(), values.len() as u64);
        let slow = values.iter().filter(|&&v| v >= 2_000_000_000 + (2_000_000_000 / 128)).count();
        prop_assert!(classes[histogram::DEFAULT.len()] >= slow as u64);
    }
}

#[test]
fn skew_has_a_table_for_each_kind() {
    let pages = pages();
    let text = &pages["skew.html"];
    for line in [
        "                i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue \n",
        " Slave:        rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth \n",
        " Host:         rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth  sys+u\n",
        " SD:           rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth \n",
        " WD:           rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth \n",
        " sd-1-1       50.24 ",
        " Total       200.95 ",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    // One WD is no table: the first run has none.
    assert_eq!(text.matches(" WD: ").count(), 1);
    assert_eq!(text.matches(" vm1-0 ").count(), 2);
    // Tables of a run are parted by a line with the time alone; an empty line ends the last.
    let lines: Vec<&str> = text.lines().collect();
    let after = lines.windows(2).filter(|w| w[0].contains(" Total "));
    let after: Vec<usize> = after.map(|w| w[1].trim_end().len()).collect();
    assert!(after.iter().all(|n| [0, 12].contains(n)), "{after:?}");
    assert_eq!(after.iter().filter(|n| **n == 0).count(), 1, "{after:?}");
}

#[test]
fn the_status_reports_each_step_once() {
    let pages = pages();
    let steps: Vec<&str> = pages["status.html"]
        .lines()
        .filter_map(|l| l.split_once(" \t"))
        .map(|l| l.1)
        .collect();
    let run = |what: &str, rd: &str| format!("{what}\trd={rd}\tFor loops: threads=2");
    let mut expected = vec![
        "Starting slaves".to_owned(),
        "Slaves connected".to_owned(),
        "Query host configuration started".to_owned(),
        "Query host configuration completed".to_owned(),
    ];
    for rd in ["RndRead", "Mix_(50%)"] {
        let what = ["Starting", "Warmup done", "Workload done", "Slaves done"];
        expected.extend(what.map(|w| run(w, rd)));
    }
    expected.extend(["Shutting down slaves", "Vdbench complete"].map(str::to_owned));
    assert_eq!(steps, expected);
}

#[test]
fn rows_come_as_soon_as_all_have_reported_and_make_the_same_files() {
    // As it happens: each interval of all, then the next.
    let mut events = events();
    events.sort_by_key(|event| match event {
        Event::RunStarted { .. } => (0, 0, 0),
        Event::Facts(_) => (0, 1, 0),
        Event::StageStarted { stage, .. } => (stage + 1, 0, 0),
        Event::Processors(p) => (p.stage + 1, 1, 2 * p.interval),
        Event::Interval(s) => (s.stage + 1, 1, 2 * s.interval + 1),
        Event::WorkerEnded(w) => (w.stage + 1, 2, 0),
        Event::StageEnded { stage, .. } => (stage + 1, 3, 0),
        _ => (99, 0, 0),
    });
    let mut output = Output::new(&plan(), options());
    let mut written: BTreeMap<String, String> = BTreeMap::new();
    let mut console = String::new();
    let mut seen = 0;
    for event in &events {
        output.take(event);
        console.push_str(&output.take_console());
        for (name, text) in output.take_files() {
            written.entry(name).or_default().push_str(&text);
        }
        // Between two intervals the rows of all before are there.
        if let Event::Interval(s) = event
            && (s.stage, s.workload) == (0, 0)
            && s.interval < 6
        {
            let rows = console
                .lines()
                .filter(|l| l.split_whitespace().count() == 15);
            assert_eq!(rows.count() as u64, s.interval);
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
    let whole: BTreeMap<String, String> = files(&fixture::run_of(&events), options())
        .into_iter()
        .collect();
    for (name, text) in &whole {
        assert_eq!(&written[name], text, "{name}");
    }
    assert_eq!(written.len(), whole.len());
    assert!(console.contains("Vdbench execution completed successfully. Output directory: out \n"));
    assert_eq!(averages(&console), averages(&whole["summary.html"]));
}

/// The last two columns of the rows of a page.
fn busy(text: &str) -> Vec<(String, String)> {
    let rows = text
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>());
    let rows = rows.filter(|r| r.len() == 15 && r[1].parse::<u32>().is_ok());
    rows.map(|r| (r[13].to_owned(), r[14].to_owned())).collect()
}

#[test]
fn each_interval_has_its_share_of_the_processors() {
    let pages = pages();
    let own = |used: u32| (format!("{used}.0"), "45.0".to_owned());
    let both: Vec<_> = (50..56).chain(50..56).map(own).collect();
    // Of the host itself, and the mean over those that are known.
    for page in ["vm1.html", "summary.html", "sd-2-1.html"] {
        assert_eq!(busy(&pages[page]), both, "{page}");
    }
    let unknown = ("NaN".to_owned(), "NaN".to_owned());
    assert_eq!(busy(&pages["vm2.html"]), vec![unknown; 12]);
}

#[test]
fn no_share_is_above_all_there_is() {
    let mut output = Output::new(&plan(), options());
    for event in events() {
        let event = match event {
            // Counters that a slow processor wrote up late: more than the second that went by.
            Event::Processors(mut own) => {
                own.kernel = Nanos::from_secs(40);
                (own.idle, own.wait, own.steal) = (Nanos::ZERO, Nanos::ZERO, Nanos::ZERO);
                Event::Processors(own)
            }
            Event::StageEnded {
                stage,
                at,
                disks,
                mut cpus,
                counted,
            } => {
                for cpu in &mut cpus {
                    cpu.kernel = Nanos::from_secs(40);
                    (cpu.idle, cpu.wait, cpu.steal) = (Nanos::ZERO, Nanos::ZERO, Nanos::ZERO);
                }
                Event::StageEnded {
                    stage,
                    at,
                    disks,
                    cpus,
                    counted,
                }
            }
            // Of the other host's workers alone, which say that they had more than there is.
            Event::WorkerEnded(mut own) => {
                own.cpu.user = Nanos::from_secs(30);
                own.cpu.system = Nanos::from_secs(30);
                Event::WorkerEnded(own)
            }
            Event::Facts(mut facts) => {
                let mut more = facts.clone();
                more.iter_mut().for_each(|fact| fact.host = 1);
                facts.extend(more);
                Event::Facts(facts)
            }
            other => other,
        };
        output.take(&event);
    }
    let pages: BTreeMap<_, _> = output.take_files().into_iter().collect();
    assert!(
        busy(&pages["summary.html"])
            .iter()
            .all(|(used, _)| used == "100.0")
    );
    for page in ["vm1.html", "vm2.html", "summary.html"] {
        for row in averages(&pages[page]) {
            assert_eq!(row[13], "100.0", "{page} {row:?}");
        }
    }
}

#[test]
fn a_run_that_ends_at_once_shows_all_it_did() {
    let mut plan = plan();
    plan.hosts.clear();
    plan.stages.truncate(1);
    plan.stages[0].workloads.truncate(1);
    plan.stages[0].workloads[0].hosts = HostSet::ALL;
    plan.stages[0].original = Original::of(&StageOriginal {
        run: "Fill".to_owned(),
        elapsed: Some(259_200),
        ..StageOriginal::default()
    });
    let load = Load::simple(Op::Read, 2048, 65_536, 60_000, 1);
    let run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
    let pages: BTreeMap<_, _> = files(&run, options()).into_iter().collect();
    let rows = averages(&pages["summary.html"]);
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0][1].as_str(), rows[0][2].as_str()),
        ("avg_1-1", "2048.0")
    );
    assert!(!rows[0].contains(&"NaN".to_owned()));
    assert!(pages["logfile.html"].contains("within its first interval"));
    assert!(pages["summary.html"].contains("For loops: None"));
    assert!(!pages["status.html"].contains("Warmup done"));
    assert!(pages.contains_key("vm1.html") && !pages.contains_key("vm2.html"));
}

#[test]
fn a_run_that_fills_nothing_on_other_hosts_is_not_reported() {
    let mut plan = plan();
    let mut format = stage(
        "SD_format",
        AskedRate::Max { controlled: false },
        plan.stages[0].workloads.clone(),
    );
    format.workloads.truncate(2);
    let mut stages = vec![format];
    stages.append(&mut plan.stages);
    plan.stages = stages;
    for (ios, shown) in [(0, false), (7, true)] {
        let fill = Load::simple(Op::Write, ios, 4096, 200_000, 1);
        let read = Load::simple(Op::Read, 50, 4096, 200_000, 6);
        let loads = [vec![fill; 2], vec![read.clone(); 4], vec![read; 8]];
        let events = fixture::events_of(plan.clone(), &loads);
        let mut output = Output::new(&plan, options());
        let mut console = String::new();
        let mut run = Run::default();
        for event in &events {
            output.take(event);
            run.apply(event);
            console += &output.take_console();
        }
        assert_eq!(console.contains("SD_format"), shown, "{ios}: {console}");
        assert!(console.contains("Starting RD=RndRead"), "{console}");
        // Of a run that is kept, likewise.
        let pages: BTreeMap<_, _> = files(&run, options()).into_iter().collect();
        for page in ["totals.html", "flatfile.html", "summary.html"] {
            assert_eq!(pages[page].contains("SD_format"), shown, "{ios} in {page}");
        }
    }
}

#[test]
fn a_host_that_is_lost_holds_nothing_up() {
    let mut output = Output::new(&plan(), options());
    let mut rows = 0;
    for event in events() {
        let of_lost = |host: u32, interval: u64| host == 1 && interval > 1;
        match &event {
            Event::Interval(s) if of_lost(s.host, s.interval) => continue,
            Event::WorkerEnded(w) if w.host == 1 => continue,
            _ => {}
        }
        if matches!(event, Event::StageEnded { stage: 0, .. }) {
            let lost = HostState::Lost {
                stage: Some(0),
                why: Failure::new(ErrorCode::HostLost, "link down", ""),
            };
            output.host(Nanos::from_secs(3), 1, &lost);
            rows = output
                .take_console()
                .lines()
                .filter(|l| l.split_whitespace().count() == 15)
                .count();
            output.take(&event);
            break;
        }
        output.take(&event);
    }
    assert_eq!(rows, 6);
    let pages: BTreeMap<_, _> = output.take_files().into_iter().collect();
    assert!(pages["errorlog.html"].contains("host=vm2 is lost: link down"));
    assert_eq!(averages(&pages["vm2.html"])[0][2], "0.0");
    // The row of the totals is of the others, and says so.
    for page in ["totals.html", "summary.html"] {
        let after = pages[page].split("avg_").nth(1).unwrap();
        let said = after.contains("* without host=vm2, which was lost");
        assert!(said, "{page}: {after}");
    }
}

#[test]
fn runs_of_other_languages_have_pages_too() {
    let run = fixture::run();
    let pages: BTreeMap<_, _> = files(&run, options()).into_iter().collect();
    assert!(pages.contains_key("localhost.html") && pages.contains_key("paced.html"));
    assert_eq!(averages(&pages["totals.html"]).len(), 2);
    assert!(files(&Run::default(), options()).is_empty());
}

#[test]
fn sums_without_a_histogram_have_the_same_spread() {
    let mut latency = Latency::default();
    [100_000, 250_000, 900_000]
        .into_iter()
        .for_each(|v| latency.record(v));
    let counts = leadline_model::sample::OpCounts {
        ios: 3,
        service: latency.clone(),
        ..Default::default()
    };
    let point = OpPoint::of(&counts);
    assert!((point.service.mean() - latency.mean()).abs() < 1e-6);
    assert!((point.service.stddev() - latency.stddev()).abs() < 1e-6);
}
