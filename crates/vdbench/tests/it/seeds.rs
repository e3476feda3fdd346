//! The parameter files that a published script writes for 24 hosts with six volumes each: the runs of
//! all seven, in both of its variants, and what they mean.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::FakeHost;
use leadline_dialect::diagnostic::{Severity, render};
use leadline_model::op::Op;
use leadline_model::plan::{
    AtEnd, EndsOthers, HostSpec, Launcher, OpMix, Pace, Plan, StageRate, Target,
};
use leadline_model::units::Nanos;
use leadline_vdbench::{expansion_lines, parse, parse_on};
use std::fmt::Write;

/// Workload, its parameters, and its runs with their threads.
type Pattern = (&'static str, &'static str, &'static [(&'static str, u32)]);

const PATTERNS: [Pattern; 6] = [
    (
        "SeqRead",
        "rdpct=100,seekpct=0,xfersize=64k",
        &[("SeqRead-4", 20)],
    ),
    (
        "SeqWrite",
        "rdpct=0,seekpct=0,xfersize=64k",
        &[
            ("SeqWrite-26", 26),
            ("SeqWrite-32", 32),
            ("SeqWrite-40", 40),
        ],
    ),
    (
        "RndRead",
        "rdpct=100,seekpct=100,xfersize=8k",
        &[("RndRead", 25)],
    ),
    (
        "RndWrite",
        "rdpct=0,seekpct=100,xfersize=8k",
        &[("RndWrite", 20)],
    ),
    (
        "SeqMix",
        "rdpct=50,seekpct=0,xfersize=64k",
        &[("SeqMix-6", 6), ("SeqMix-7", 7)],
    ),
    (
        "RndMix",
        "rdpct=50,seekpct=100,xfersize=8k",
        &[("RndMix", 25)],
    ),
];

const INCLUDES: &str = "include=vnet1-hosts-nfs\ninclude=vnet1-luns-nfs\n";

/// Hosts, storage and workloads as the script writes them, in a directory of their own.
fn host(curve: bool) -> FakeHost {
    let mut host = FakeHost::default();
    let mut hosts = String::from("hd=default,jvms=1,shell=ssh\n");
    let mut luns = String::from("sd=default,size=693g\n");
    for vm in 1..=24 {
        let _ = writeln!(hosts, "hd=vm{vm},system=vdbench-vnet1-{vm},user=root");
        for v in 1..=6 {
            let _ = writeln!(
                luns,
                "sd=sd-{vm}-{v},host=vm{vm},lun=/mnt/vdb{v}/file-{vm}-{v},openflags=o_direct"
            );
        }
    }
    host.files.insert("d/vnet1-hosts-nfs".into(), hosts);
    host.files.insert("d/vnet1-luns-nfs".into(), luns);
    host.files.insert(
        "d/vnet1-FillWrite-workload".into(),
        format!(
            "{INCLUDES}wd=FillWrite,sd=sd*,rdpct=0,seekpct=eof,xfersize=64k\n* Run Defaults\n\
             rd=Initialize-LUNs-Full,wd=FillWrite,sd=(\"sd*\"),iorate=max,interval=1,forthreads=1,elapsed=259200\n"
        ),
    );
    for (name, parameters, runs) in PATTERNS {
        let default = if curve {
            "rd=default,curve=(50,100),iorate=curve,warmup=60,elapsed=600,iorate=curve"
        } else {
            "rd=default,warmup=60,elapsed=600,iorate=max"
        };
        let mut text = format!(
            "{INCLUDES}wd={name},sd=sd*,{parameters}\n* Run Defaults\n{default}\n* Run Definitions\n"
        );
        for (run, threads) in runs {
            let _ = writeln!(text, "rd={run},wd={name},sd=(\"sd*\"),threads={threads}");
        }
        host.files.insert(format!("d/vnet1-{name}-workload"), text);
    }
    host
}

fn plan(name: &str, curve: bool, simulate: bool) -> Plan {
    let mut args = vec!["-f".to_owned(), format!("d/vnet1-{name}-workload")];
    if simulate {
        args.push("-s".to_owned());
    }
    let parsed = parse(&args, &host(curve));
    let said = render(&parsed.diagnostics, &parsed.sources, false, 100);
    let worst = parsed.diagnostics.iter().map(|d| d.severity).max();
    assert!(worst <= Some(Severity::Note), "{said}");
    parsed.plan.unwrap()
}

fn total(runs: usize, seconds: u32, hours: &str) -> String {
    format!(
        "Total amount of Run Definitions: {runs}; total elapsed time {seconds} seconds, or {hours} hours, plus a format if requested."
    )
}

#[test]
fn the_fill_is_one_run() {
    for curve in [false, true] {
        let lines = expansion_lines(&plan("FillWrite", curve, true));
        assert_eq!(
            lines,
            [
                "Simulating RD=Initialize-LUNs-Full; I/O rate: Uncontrolled MAX; elapsed=259200; For loops: threads=1".to_owned(),
                total(1, 259_200, "72.0000"),
            ]
        );
    }
}

#[test]
fn the_runs_of_the_highest_rate() {
    let hours = ["", "0.1833", "0.3667", "0.5500"];
    for (name, _, runs) in PATTERNS {
        let mut expected: Vec<String> = runs
            .iter()
            .map(|(run, threads)| format!("Simulating RD={run}; I/O rate: Uncontrolled MAX; elapsed=600 warmup=60; For loops: threads={threads}"))
            .collect();
        let count = runs.len();
        expected.push(total(
            count,
            660 * u32::try_from(count).unwrap(),
            hours[count],
        ));
        assert_eq!(expansion_lines(&plan(name, false, true)), expected);
    }
}

#[test]
fn the_runs_of_the_curve() {
    let hours = ["", "0.5500", "1.1000", "1.6500"];
    for (name, _, runs) in PATTERNS {
        let mut expected = Vec::new();
        for (run, threads) in runs {
            for (point, rate) in [
                ("", "Uncontrolled curve"),
                ("_(50%)", "5000"),
                ("_(100%)", "10000"),
            ] {
                expected.push(format!("Simulating RD={run}{point}; I/O rate: {rate}; elapsed=600 warmup=60; For loops: threads={threads}"));
            }
        }
        let count = runs.len();
        let seconds = 3 * 660 * u32::try_from(count).unwrap();
        expected.push(total(3 * count, seconds, hours[count]));
        assert_eq!(expansion_lines(&plan(name, true, true)), expected);
    }
}

#[test]
fn the_fill_writes_each_volume_once_from_its_own_host() {
    let plan = plan("FillWrite", false, false);
    assert_eq!(plan.hosts.len(), 24);
    let host = &plan.hosts[23];
    assert_eq!(
        (host.label.as_str(), host.address()),
        ("vm24", "vdbench-vnet1-24")
    );
    assert_eq!(
        (host.user.as_deref(), &host.launcher),
        (Some("root"), &Launcher::Ssh)
    );
    assert_eq!(plan.stages.len(), 1, "the format run is skipped");
    let stage = &plan.stages[0];
    assert_eq!(stage.workloads.len(), 144);
    let last = &stage.workloads[143];
    assert_eq!(
        last.blocks().target,
        Target::Paths(vec!["/mnt/vdb6/file-24-6".into()])
    );
    assert_eq!((last.hosts.single(), last.depth), (Some(23), 1));
    assert_eq!(last.blocks().mix, OpMix::Only(Op::Write));
    assert_eq!(last.blocks().access.at_end, AtEnd::Stop);
    assert!(last.blocks().open.direct && !last.stop.time_based);
    assert_eq!(last.stop.runtime, Some(Nanos::from_secs(259_200)));
    assert_eq!(last.stop.ends_others, EndsOthers::StageTogether);
}

#[test]
fn a_curve_has_its_threads_on_every_volume() {
    let plan = plan("RndRead", true, false);
    let names: Vec<&str> = plan.stages.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(
        names,
        ["SD_format", "RndRead", "RndRead_(50%)", "RndRead_(100%)"]
    );
    assert_eq!(plan.stages[1].asked, StageRate::MaxForCurve);
    let point = StageRate::PercentOfMax {
        percent: 50,
        stop_at: None,
    };
    assert_eq!(plan.stages[2].asked, point);
    for stage in &plan.stages[1..] {
        assert!(
            stage
                .workloads
                .iter()
                .all(|w| w.depth == 25 && w.stop.time_based)
        );
        let share: f64 = stage
            .workloads
            .iter()
            .filter_map(|w| w.share)
            .map(f64::from)
            .sum();
        assert!((share - 100.0).abs() < 1e-6);
    }
    let open =
        |w: &leadline_model::plan::Workload| matches!(w.pace, Pace::Open { together: None, .. });
    assert!(
        plan.stages[1]
            .workloads
            .iter()
            .all(|w| w.pace == Pace::Closed)
    );
    assert!(plan.stages[2].workloads.iter().all(open));
    let format = &plan.stages[0].workloads;
    assert_eq!((format.len(), format[0].depth), (144, 2));
    assert_eq!(format[0].blocks().region.beyond_end, Some(1 << 20));
}

#[test]
fn hosts_of_the_command_line_stand_for_those_of_a_file() {
    let mut host = FakeHost::default();
    let text = "sd=sd_$host,host=$host,lun=/tmp/$host,size=1g\nsd=shared,lun=/tmp/s,size=1g\n\
                wd=w1,sd=*\nrd=r1,wd=w1,iorate=900,threads=3\n";
    host.files.insert("p".into(), text.into());
    let args = ["-f".to_owned(), "p".to_owned()];
    let hosts = ["a", "b"].map(HostSpec::local);
    let plan = parse_on(&args, &host, &hosts).plan.unwrap();
    assert_eq!(plan.hosts, hosts);
    let run = plan.stages.last().unwrap();
    let each: Vec<(Option<u32>, u32)> = run
        .workloads
        .iter()
        .map(|w| (w.hosts.single(), w.depth))
        .collect();
    assert_eq!(
        each,
        [(Some(0), 3), (Some(1), 3), (Some(0), 2), (Some(1), 1)]
    );
    host.files
        .insert("p".into(), format!("hd=a,system=localhost\n{text}"));
    let twice = parse_on(&args, &host, &hosts);
    assert!(twice.plan.is_none());
    assert!(twice.diagnostics.iter().any(|d| d.code == "hosts-twice"));
}
