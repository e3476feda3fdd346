//! The checks of a run, each with a case in which it reports and one in which it is silent: jobs on simulated volumes and
//! on real files. docs/reference/checks.md names all such cases, and is held to the tests that it names.

use crate::support::{Place, finish};
use leadline_model::finding::FindingKind;
use std::fs;
use std::path::{Path, PathBuf};

/// A check, the words of a job about which it reports, and those of one about which it is silent.
type Case = (&'static str, &'static str, &'static str);

/// A volume with nothing to be said of it: eight I/Os at once of 1 ms each.
const STEADY: &str = "--sim=service=1ms,parallel=8";

/// Jobs of a minute and eight I/Os in flight on simulated volumes; `STEADY` where no law is named.
const SIMULATED: &[Case] = &[
    (
        "mixture",
        "--sim=service=1ms,parallel=64,cache=512m:50us --size=1g --iodepth=64",
        "--sim=service=exp:1ms,parallel=16",
    ),
    (
        "ended-by-size",
        "--rw=read --size=1g --time_based=0 --runtime=600",
        "--rw=read --size=1g",
    ),
    (
        "drift",
        "--sim=parallel=8,iops=2000,at=5s:iops=1975,at=10s:iops=1950,at=15s:iops=1925,at=20s:iops=1900,at=25s:iops=1875,\
         at=30s:iops=1850,at=35s:iops=1825,at=40s:iops=1800,at=45s:iops=1775,at=50s:iops=1750,at=55s:iops=1725",
        "",
    ),
    (
        "warm-up",
        "--sim=parallel=8,iops=1000,at=4s:iops=2000 --runtime=120",
        "--sim=parallel=8,iops=1000,at=4s:iops=2000 --runtime=120 --ramp_time=4",
    ),
    // Delays that were asked for keep workers apart as well.
    (
        "skew",
        "--sim=service=1ms,parallel=8 --runtime=10 --numjobs=4 --startdelay=0-40 --group_reporting",
        "--sim=service=1ms,parallel=8 --runtime=10 --numjobs=4 --group_reporting",
    ),
    (
        "skew",
        "--sim=service=1ms,parallel=8 --runtime=10 --name=b --startdelay=9-11 --runtime=10",
        "--sim=service=1ms,parallel=8 --runtime=10 --name=b --runtime=10",
    ),
    // A standstill is no warm-up and no level.
    ("stall", "--sim=service=1ms,parallel=8,every=20s:3s", ""),
    // With one in flight, a slow one leaves nothing else to end.
    (
        "stall",
        "--sim=service=lognormal:1ms:0.5,stall=400ms@2s --runtime=5 --iodepth=1",
        "--sim=service=lognormal:1ms:1.6 --runtime=20 --iodepth=1 --randseed=3",
    ),
    // Some I/Os of a long tail take as long as one interval, and none as long as a hundred.
    (
        "stall",
        "--sim=service=lognormal:1ms:1,stall=3s@4s --runtime=10 --iodepth=1 --randseed=2",
        "--sim=service=lognormal:300us:2,parallel=4 --runtime=20 --iodepth=4 --randseed=2",
    ),
    (
        "short-stalls",
        "--sim=service=1ms,parallel=8,every=5s:180ms",
        "--sim=service=exp:1ms,parallel=8",
    ),
    // At a rate: a queue that forms by chance is none.
    (
        "short-stalls",
        "--sim=service=1ms,parallel=64,every=2s:100ms --rate_iops=500 --iodepth=64",
        "--sim=service=100us,parallel=64,iops=1000 --rate_iops=900 --rate_process=poisson --iodepth=64",
    ),
    // A cap makes half of the I/Os wait a little; slow ones that come one by one are no stalls.
    (
        "short-stalls",
        "--sim=service=100us,parallel=64,iops=2000,every=2s:100ms --rate_iops=1000 --rate_process=poisson --iodepth=64",
        "--sim=mix=99.7%:300us/0.3%:30ms,parallel=8 --rate_iops=150 --rate_process=poisson --iodepth=64",
    ),
    // With one in flight slow ones come one by one, each with an interval of its own.
    (
        "short-stalls",
        "--sim=service=500us,parallel=2,every=5s:40ms --rate_iops=1200 --rate_process=poisson --iodepth=64",
        "--sim=mix=99%:500us/1%:100ms,parallel=4 --rate_iops=100 --rate_process=poisson --iodepth=1 --randseed=4",
    ),
    // Once, in the window and at its end.
    (
        "short-stalls",
        "--sim=service=1ms,parallel=8,stall=150ms@3s --runtime=5 --iodepth=32",
        "--sim=service=exp:1ms,parallel=8 --runtime=5 --iodepth=32",
    ),
    (
        "short-stalls",
        "--sim=iops=500,stall=3s@4900ms --runtime=5 --iodepth=32",
        "--sim=iops=500 --runtime=5 --iodepth=32",
    ),
    // More often than the intervals.
    (
        "short-stalls",
        "--sim=service=200us,parallel=8,every=200ms:20ms",
        "--sim=service=exp:200us,parallel=8",
    ),
    (
        "warm-up",
        "--sim=parallel=8,iops=1000,at=4s:iops=2000 --runtime=120",
        "--sim=service=1ms,parallel=8,every=20s:3s",
    ),
    (
        "level-shift",
        "--sim=parallel=8,iops=5000,at=30s:iops=1000",
        "--sim=service=1ms,parallel=8,stall=15s@30s",
    ),
    (
        "latency-shift",
        "--sim=service=200us,parallel=8,at=30s:service=1ms --rate_iops=1000",
        "--sim=service=exp:200us,parallel=2 --rate_iops=9000 --rate_process=poisson",
    ),
    (
        "period",
        "--sim=service=1ms,parallel=8,every=10s:900ms --runtime=120",
        "--runtime=120",
    ),
    (
        "few-cycles",
        "--sim=service=1ms,parallel=8,every=10s:900ms --runtime=120 --name=b --stonewall --runtime=20",
        "--sim=service=1ms,parallel=8,every=10s:900ms --runtime=120 --name=b --stonewall --runtime=40",
    ),
    (
        "tail-undersampled",
        "--sim=service=10ms,parallel=1 --runtime=5",
        "--percentile_list=50:99",
    ),
    (
        "few-ios",
        "--sim=service=1s,parallel=1 --iodepth=1 --runtime=5",
        "--sim=service=100ms,parallel=1 --iodepth=1 --runtime=5",
    ),
    (
        "over-deep",
        "--sim=service=1ms,parallel=64,iops=2000 --iodepth=1 --name=b --stonewall --iodepth=64",
        "--sim=service=1ms,parallel=64,iops=2000 --iodepth=1 --name=b --stonewall --iodepth=6",
    ),
    (
        "under-deep",
        "--sim=service=1ms,parallel=64 --iodepth=1 --name=b --stonewall --iodepth=16",
        "--sim=service=1ms,parallel=4 --iodepth=1 --name=b --stonewall --iodepth=16",
    ),
    (
        "rate-not-reached",
        "--sim=service=1ms,parallel=64,iops=2000 --rate_iops=3000",
        "--sim=service=1ms,parallel=64,iops=2000 --rate_iops=1900",
    ),
    (
        "late-io",
        "--rate_iops=100 --iodepth=1 --sim=service=1ms,parallel=8,stall=2s@5s",
        "--rate_iops=100 --iodepth=1",
    ),
    (
        "unissued-io",
        "--rate_iops=100 --iodepth=1 --sim=service=1ms,parallel=8,stall=9s@55s",
        "--rate_iops=100 --iodepth=1 --sim=service=1ms,parallel=8,stall=2s@5s",
    ),
    (
        "unit-slip",
        "--bs=64k --iodepth=32 --sim=service=1ms,parallel=64,bytes=100000000 --rate=100m",
        "--bs=64k --iodepth=32 --sim=service=1ms,parallel=64,bytes=100000000 --rate=95m",
    ),
    // Of IOPS the bytes that they make, where those are a number that a limit would be.
    (
        "unit-slip",
        "--bs=64k --iodepth=32 --sim=service=1ms,parallel=64,bytes=100000000 --rate_iops=1600",
        "--bs=64k --iodepth=32 --sim=service=1ms,parallel=64,bytes=137000000 --rate_iops=2192",
    ),
    (
        "skew",
        "--runtime=20 --name=b --ramp_time=5",
        "--runtime=20 --name=b",
    ),
    (
        "io-errors",
        "--sim=service=1ms,parallel=8,error=EIO@100 --continue_on_error=all",
        "",
    ),
    (
        "latencies-hidden",
        "--disable_lat=1 --disable_clat=1",
        "--disable_lat=1",
    ),
];

/// Jobs on a file of 1 MiB.
const REAL: &[Case] = &[
    (
        "fits-memory",
        "--rw=randread --direct=0 --size=1m",
        "--rw=randread --direct=1 --size=1m",
    ),
    // The whole file, and a part of it, of which the plan does not say how large they are.
    (
        "fits-memory",
        "--rw=randread --direct=0",
        "--rw=randread --direct=1",
    ),
    (
        "fits-memory",
        "--rw=randread --direct=0 --size=50%",
        "--rw=randread --direct=1 --size=50%",
    ),
    (
        "coverage",
        "--rw=randread --size=1m --io_size=64k",
        "--rw=randread --size=1m",
    ),
    ("coverage", "--rw=randread --io_size=64k", "--rw=randread"),
    (
        "coverage",
        "--rw=randread --size=50% --io_size=64k",
        "--rw=randread --size=5% --io_size=64k",
    ),
    (
        "coverage",
        "--rw=randread --size=1m --io_size=64k --random_distribution=zipf:1.2",
        "--rw=randread --size=1m --io_size=512k --random_distribution=zipf:1.2",
    ),
    (
        "coverage",
        "--rw=randread --size=1m --io_size=64k --random_distribution=zoned:60/10:40/90",
        "--rw=randread --size=1m --random_distribution=zoned:60/10:40/90",
    ),
    (
        "repeated-offsets",
        "--rw=randread",
        "--rw=randread --randrepeat=0",
    ),
    (
        "compressible-payload",
        "--rw=randwrite --zero_buffers=1",
        "--rw=randwrite",
    ),
    (
        "repeated-payload",
        "--rw=randwrite --scramble_buffers=0",
        "--rw=randwrite --refill_buffers=1",
    ),
    (
        "blocking-submit",
        "--rw=randread --direct=0 --invalidate=0 --ioengine=libaio --iodepth=32",
        "--rw=randread --direct=0 --invalidate=0 --ioengine=libaio --iodepth=1",
    ),
    // What is written is made meanwhile, by one thread.
    (
        "depth-not-reached",
        "--rw=write --bs=1m --refill_buffers=1 --ioengine=libaio --iodepth=4 --loops=40",
        "--rw=randread --ioengine=libaio --iodepth=8 --loops=20",
    ),
    (
        "depth-of-sync-engine",
        "--rw=randread --ioengine=psync --iodepth=32",
        "--rw=randread --ioengine=psync",
    ),
    (
        "never-flushed",
        "--rw=randwrite --direct=0",
        "--rw=randwrite --direct=0 --end_fsync=1",
    ),
    (
        "small-blocks",
        "--rw=read --ioengine=libaio --iodepth=8",
        "--rw=read --bs=64k --ioengine=libaio --iodepth=8",
    ),
    (
        "window-short",
        "--rw=randread",
        "--rw=randread --ioengine=sim",
    ),
];

/// The codes of a job's findings; `usual` stands before its own words.
fn codes(usual: &[&str], words: &str) -> Vec<String> {
    let place = Place::new();
    let words = words.split_whitespace();
    let mut all: Vec<String> = Vec::new();
    for word in usual.iter().copied().chain(words) {
        all.push(word.to_owned());
        if word == "--name=b" {
            // A job begins with what jobs have in common.
            let common = usual.iter().filter(|word| !word.starts_with("--name"));
            all.extend(common.map(|&word| word.to_owned()));
            let law = all
                .iter()
                .rfind(|word| word.starts_with("--sim=") && *word != STEADY)
                .cloned();
            all.extend(law);
        }
    }
    let words: Vec<&str> = all.iter().map(String::as_str).collect();
    let done = finish(&mut place.fio(&words));
    assert!(place.run_file().exists(), "{words:?}: {done:?}");
    place.findings()
}

/// What a check said where it was to be silent, or did not say where it was to report.
fn wrong(cases: &[Case], codes: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (code, fires, silent) in cases {
        for (words, is_expected) in [(fires, true), (silent, false)] {
            let found = codes(words);
            if found.iter().any(|found| found == code) != is_expected {
                wrong.push(format!("{code}: {words:?} gave {found:?}"));
            }
        }
    }
    wrong
}

#[test]
fn checks_report_on_simulated_volumes_and_are_silent_on_others() {
    let usual = [
        "--name=a",
        "--ioengine=sim",
        STEADY,
        "--rw=randread",
        "--bs=4k",
        "--size=64g",
        "--time_based",
        "--runtime=60",
        "--iodepth=8",
    ];
    let wrong = wrong(SIMULATED, |words| codes(&usual, words));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn checks_report_on_real_files_and_are_silent_on_others() {
    let wrong = wrong(REAL, |words| {
        let place = Place::new();
        let filename = format!("--filename={}", place.file("f", 1 << 20).display());
        codes(&["--name=a", &filename, "--bs=4k", "--direct=1"], words)
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two hosts with a volume each, the second of this law.
fn hosts(law: &str) -> Vec<String> {
    let place = Place::new();
    let parameters = "hd=default,shell=ssh,user=root\nhd=a,system=a\nhd=b,system=b\n\
                      sd=sd1,host=a,lun=/x/a,size=1g,openflags=o_direct\n\
                      sd=sd2,host=b,lun=/x/b,size=1g,openflags=o_direct\n\
                      wd=w,sd=sd*,rdpct=100,seekpct=100,xfersize=4k\n\
                      rd=r,wd=w,iorate=max,elapsed=20,interval=1,threads=4\n";
    fs::write(place.join("parameters"), parameters).unwrap();
    let second = format!("/x/b=sim:{law}");
    let words = [
        "vdbench",
        "-f",
        "parameters",
        "-o",
        "out",
        "--map",
        "/x/a=sim:service=1ms,parallel=4",
        "--map",
        &second,
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let run = leadline_results::store::open(&place.join("out/run.leadline")).unwrap();
    run.findings.into_iter().map(|f| f.code).collect()
}

#[test]
fn unlike_hosts_are_found_and_like_ones_are_not() {
    let slow = hosts("service=4ms,parallel=4");
    let alike = hosts("service=1ms,parallel=4");
    for code in ["imbalance", "percentiles-apart"] {
        assert!(slow.iter().any(|found| found == code), "{code}: {slow:?}");
        assert!(alike.iter().all(|found| found != code), "{code}: {alike:?}");
    }
}

/// All files of tests below a folder, with their names.
fn sources(folder: &Path, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path: PathBuf = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            all.push((name, fs::read_to_string(&path).unwrap_or_default()));
        }
    }
}

/// The page of checks names codes that there are and tests that there are, and no check is called whole without both of
/// its cases.
#[test]
fn the_page_of_checks_names_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/reference/checks.md")).unwrap();
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    // Names between backticks.
    let names = |cell: &str| -> Vec<String> {
        let parts = cell.split('`').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    };
    let is_test = |name: &str| {
        let Some((file, test)) = name.split_once(": ") else {
            return false;
        };
        let (function, row) = (format!("fn {test}("), format!("\"{test}\""));
        let mut own = files.iter().filter(|(name, _)| name == file);
        own.any(|(_, text)| text.contains(&function) || (file == "cases.rs" && text.contains(&row)))
    };
    let mut whole = 0;
    let mut numbers = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let Ok(number) = cells[0].parse::<u32>() else {
            continue;
        };
        numbers.push(number);
        let [_, _, codes, fires, silent, state] = cells[..] else {
            panic!("{line}");
        };
        for code in names(codes) {
            assert!(FindingKind::named(&code).is_some(), "{number}: {code}");
        }
        for name in names(fires).iter().chain(&names(silent)) {
            assert!(is_test(name), "{number}: {name}");
        }
        if state.starts_with("whole") {
            whole += 1;
            let has_both = !names(fires).is_empty() && !names(silent).is_empty();
            assert!(has_both, "{line}");
            assert!(state != "whole" || !names(codes).is_empty(), "{line}");
        }
    }
    assert!(numbers.iter().copied().eq(1..=62), "{numbers:?}");
    assert!(
        page.contains(&format!("{whole} of 62")),
        "{whole} are whole"
    );
}
