//! Recorded blunders of the field, each made again by a run of the command: the finding that names it, its cure, the grade;
//! and the same work without it, of which that finding is silent.
//!
//! docs/reference/checks.md lists them and is held to this table. Must never: build a run by hand; those that no run of a
//! second makes are in `crates/results/tests/it/blunders.rs`.

use super::caps::beside_hogs;
use super::kernel_files::{Nfs, SOUND, run_on_nfs};
use crate::fleet::processes::{agents_of, at_work, job, words};
use crate::support::{FileSystem, Place, Running, fill, finish, side_by_side, skip};
use leadline_model::finding::Finding;
use leadline_results::run::Run;
use leadline_results::trust::{self, grade::Grades};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

/// A blunder.
struct Blunder {
    /// Where it was recorded: issues of benchmarks by project and number, else the kind of text in which it comes back.
    source: &'static str,
    what: &'static str,
    /// The finding that names it.
    code: &'static str,
    /// Words of its cure.
    cure: &'static str,
    /// The grade at best: on a busy machine that of a real run is F.
    grade: char,
    made: Made,
}

/// How it is made, and the same work without it.
enum Made {
    /// Jobs of fio for a minute on a simulated volume of eight I/Os at once of 4 ms each, unless their words say otherwise.
    Volume([&'static str; 2]),
    /// Jobs of fio on a file of 1 MiB.
    File([&'static str; 2]),
    /// A job of Vdbench on two hosts with a volume each, the second of this law.
    Hosts(&'static str, [&'static str; 2]),
    /// Anything else; `Err` says what the machine lacks.
    Own(fn(bool) -> Result<Said, String>),
}

/// What was said of a run.
struct Said {
    /// Codes, each with its cure.
    findings: Vec<(String, String)>,
    grade: char,
}

impl Said {
    fn of(run: &Run) -> Self {
        Self::by(run, &run.findings)
    }

    fn by(run: &Run, findings: &[Finding]) -> Self {
        let grade = Grades::of_findings(run, findings).run.letter;
        let pair = |finding: &Finding| (finding.code.clone(), finding.cure.text.clone());
        let findings = findings.iter().map(pair).collect();
        Self { findings, grade }
    }

    /// The cure of a finding; `None` where it is not said.
    fn cure(&self, code: &str) -> Option<&str> {
        let found = self.findings.iter().find(|(found, _)| found == code);
        found.map(|(_, cure)| cure.as_str())
    }
}

/// What is said of a job of fio.
fn fio(place: &Place, usual: &[&str], more: &str) -> Said {
    let words: Vec<&str> = usual
        .iter()
        .copied()
        .chain(more.split_whitespace())
        .collect();
    let done = finish(&mut place.fio(&words));
    assert!(place.run_file().exists(), "{words:?}: {done:?}");
    Said::of(&place.kept())
}

const VOLUME: [&str; 10] = [
    "--name=a",
    "--ioengine=sim",
    "--sim=service=4ms,parallel=8",
    "--rw=randread",
    "--randrepeat=0",
    "--bs=4k",
    "--size=64g",
    "--time_based",
    "--runtime=60",
    "--iodepth=8",
];

fn on_volume(more: &str) -> Said {
    // A second job begins with what both have in common.
    let both = more.replace("--name=b", &format!("--name=b {}", VOLUME[1..].join(" ")));
    let law = more
        .split_whitespace()
        .find(|word| word.starts_with("--sim="));
    let again = law.map_or(String::new(), |law| format!("{law} "));
    fio(
        &Place::new(),
        &VOLUME,
        &both.replace("--stonewall", &format!("{again}--stonewall")),
    )
}

fn on_file(more: &str) -> Said {
    let place = Place::new();
    let filename = format!("--filename={}", place.file("f", 1 << 20).display());
    fio(
        &place,
        &["--name=a", &filename, "--bs=4k", "--direct=1"],
        more,
    )
}

/// Vdbench on two hosts with eight threads each.
fn on_hosts(second: &str, more: &str) -> Said {
    let place = Place::new();
    let parameters = format!(
        "hd=default,shell=ssh,user=root\nhd=a,system=a\nhd=b,system=b\n\
         sd=sd1,host=a,lun=/x/a,size=1g,openflags=o_direct\n\
         sd=sd2,host=b,lun=/x/b,size=1g,openflags=o_direct\n\
         wd=w,sd=sd*,rdpct=100,seekpct=100,xfersize=4k\n\
         rd=r,wd=w,elapsed=60,interval=1,threads=8,{more}\n"
    );
    fs::write(place.join("parameters"), parameters).unwrap();
    let second = format!("/x/b=sim:{second}");
    let first = "/x/a=sim:service=4ms,parallel=8";
    let words = [
        "vdbench",
        "-f",
        "parameters",
        "-o",
        "out",
        "--map",
        first,
        "--map",
        &second,
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    Said::of(&leadline_results::store::open(&place.join("out/run.leadline")).unwrap())
}

/// Four hosts with a volume each of eight I/Os of 4 ms at once, which begin within N seconds.
fn begun_apart(delay: &str) -> Said {
    let place = Place::new();
    let words = [&VOLUME[..], &["--hosts=h1,h2,h3,h4", "--launcher=local"]].concat();
    fio(&place, &words, delay)
}

/// A host is killed in the midst of a run.
fn a_host_lost(is_killed: bool) -> Result<Said, String> {
    let place = Place::new();
    let job = job("--hosts=local:a,local:b", place.path(), "2");
    let running = Running::start(&mut place.fio(&words(&job)));
    at_work(&running, &place, 2);
    if is_killed {
        let victim = i32::try_from(agents_of(&place)[0]).unwrap();
        kill_process(Pid::from_raw(victim).unwrap(), Signal::KILL).unwrap();
    }
    running.finish();
    Ok(Said::of(&place.kept()))
}

/// A file of holes, or of data.
fn of_holes(is_hole: bool) -> Result<Said, String> {
    let place = Place::new();
    let path = place.file("f", 1 << 20);
    if is_hole {
        fs::File::create(&path).unwrap().set_len(1 << 20).unwrap();
    }
    let filename = format!("--filename={}", path.display());
    Ok(fio(
        &place,
        &["--name=a", &filename, "--rw=randread"],
        "--direct=1",
    ))
}

/// Writes to a file that is not there, or is.
fn written_first(is_first: bool) -> Result<Said, String> {
    let place = Place::new();
    if !is_first {
        place.file("f", 1 << 20);
    }
    let filename = format!("--filename={}", place.join("f").display());
    Ok(fio(
        &place,
        &["--name=a", &filename, "--rw=write"],
        "--size=1m --bs=64k --direct=1",
    ))
}

/// O_DIRECT on a file system in memory, or on a disk.
fn on_tmpfs(is_memory: bool) -> Result<Said, String> {
    let place = Place::new();
    let memory = FileSystem::of("8m")?;
    let directory: &Path = if is_memory {
        memory.path()
    } else {
        place.path()
    };
    let path = directory.join("f");
    fill(&path, 1 << 20);
    let filename = format!("--filename={}", path.display());
    Ok(fio(
        &place,
        &["--name=a", &filename, "--rw=randread"],
        "--direct=1",
    ))
}

/// Half of what was read came from the page cache of an NFS client.
fn cached_on_nfs(is_cached: bool) -> Result<Said, String> {
    let after = Nfs {
        cached: 64 << 20,
        direct: 0,
        server: if is_cached { 32 << 20 } else { 64 << 20 },
        ..SOUND
    };
    let words = ["--rw=randread", "--direct=0"];
    let run = run_on_nfs(&words, "rsize=262144,nconnect=4", after, |_| {});
    Ok(Said::by(&run, &trust::findings(&run)))
}

/// Sixteen workers on one file of a server, or one.
fn one_file(is_shared: bool) -> Result<Said, String> {
    let jobs = if is_shared {
        "--numjobs=16"
    } else {
        "--numjobs=1"
    };
    let words = ["--rw=randread", "--direct=1", "--iodepth=4", jobs];
    let run = run_on_nfs(&words, "rsize=262144,nconnect=4", SOUND, |_| {});
    Ok(Said::by(&run, &trust::findings(&run)))
}

/// Beside two programs for each processor; the same job on a simulated volume knows no processors.
fn on_a_full_host(is_full: bool) -> Result<Said, String> {
    let job = "--rw=randread --runtime=2 --time_based --rate_iops=100";
    Ok(match is_full {
        true => beside_hogs(|| on_file(job)),
        false => on_volume("--rate_iops=100"),
    })
}

/// What leadline says of a result of fio: a job at a rate, whose latencies are changed or left out before it is read.
fn imported(change: impl FnOnce(&mut Value)) -> Said {
    let place = Place::new();
    let words = [
        &VOLUME[..],
        &["--rate_iops=1024", "--direct=1", "--iodepth=2"],
    ]
    .concat();
    let done = finish(&mut place.fio(&words));
    let mut result = done.json();
    let read = &mut result["jobs"][0]["read"];
    // What fio does not have.
    read.as_object_mut().unwrap().remove("response_ns");
    change(read);
    fs::write(place.join("r.json"), result.to_string()).unwrap();
    let shown = finish(&mut place.leadline(["show", "r.json"]));
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let kinds = ["latency-zero", "latencies-hidden"];
    let said = kinds
        .into_iter()
        .filter(|code| shown.stdout.contains(&format!("[{code}]")));
    Said {
        findings: said
            .map(|code| (code.to_owned(), shown.stdout.clone()))
            .collect(),
        grade: 'A',
    }
}

/// All latencies are zero, as elbencho showed them under a rate limit.
fn zero_latencies(are_zero: bool) -> Result<Said, String> {
    Ok(imported(|read| {
        if are_zero {
            for kind in ["clat_ns", "lat_ns"] {
                for key in ["min", "max", "mean"] {
                    read[kind][key] = 0.into();
                }
                for (_, value) in read[kind]["percentile"].as_object_mut().unwrap() {
                    *value = 0.into();
                }
            }
        }
    }))
}

/// A result of fio with latencies switched off: there are none of them.
fn without_latencies(are_off: bool) -> Result<Said, String> {
    Ok(imported(|read| {
        if are_off {
            for kind in ["slat_ns", "clat_ns", "lat_ns"] {
                read[kind] = json!({ "min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0 });
            }
        }
    }))
}

const CACHES: &[Blunder] = &[
    Blunder {
        source: "IO500 #109",
        what: "cached reads in a ranking",
        code: "cache-hits",
        cure: "Use O_DIRECT",
        grade: 'F',
        made: Made::Own(cached_on_nfs),
    },
    Blunder {
        source: "IO500 #88",
        what: "a data set smaller than the memory",
        code: "fits-memory",
        cure: "at least twice the memory",
        grade: 'C',
        made: Made::File([
            "--rw=randread --size=1m --direct=0",
            "--rw=randread --size=1m",
        ]),
    },
    Blunder {
        source: "cloud documentation",
        what: "the offsets of the run before",
        code: "repeated-offsets",
        cure: "fresh seed",
        grade: 'C',
        made: Made::File(["--rw=randread", "--rw=randread --randrepeat=0"]),
    },
    Blunder {
        source: "storage reviews",
        what: "hits and misses as one latency",
        code: "mixture",
        cure: "several times as large as the cache",
        grade: 'B',
        made: Made::Volume([
            "--sim=service=1ms,parallel=64,cache=512m:50us --size=1g --iodepth=64",
            "--sim=service=exp:1ms,parallel=16",
        ]),
    },
    Blunder {
        source: "vendor papers",
        what: "a data set of which a sixteenth is touched",
        code: "coverage",
        cure: "how much of the data set was accessed",
        grade: 'A',
        made: Made::File([
            "--rw=randread --size=1m --io_size=64k",
            "--rw=randread --size=1m",
        ]),
    },
    Blunder {
        source: "copied dd lines",
        what: "the page cache as a disk",
        code: "never-flushed",
        cure: "flush at the end",
        grade: 'B',
        made: Made::File([
            "--rw=write --direct=0",
            "--rw=write --direct=0 --end_fsync=1",
        ]),
    },
    Blunder {
        source: "container images",
        what: "O_DIRECT on tmpfs",
        code: "kept-in-memory",
        cure: "storage that is to be measured",
        grade: 'F',
        made: Made::Own(on_tmpfs),
    },
    Blunder {
        source: "storage reviews",
        what: "first writes as overwrites",
        code: "first-write",
        cure: "before measuring overwrites",
        grade: 'B',
        made: Made::Own(written_first),
    },
];

const DATA: &[Blunder] = &[
    Blunder {
        source: "forum posts",
        what: "a sparse file",
        code: "holes",
        cure: "the file with real data first",
        grade: 'F',
        made: Made::Own(of_holes),
    },
    Blunder {
        source: "default patterns",
        what: "zeros as payload",
        code: "compressible-payload",
        cure: "Use random data",
        grade: 'C',
        made: Made::File(["--rw=randwrite --zero_buffers=1", "--rw=randwrite"]),
    },
    Blunder {
        source: "default patterns",
        what: "one buffer for all writes",
        code: "repeated-payload",
        cure: "new data in each write",
        grade: 'C',
        made: Made::File([
            "--rw=randwrite --scramble_buffers=0",
            "--rw=randwrite --refill_buffers=1",
        ]),
    },
    Blunder {
        source: "forum posts",
        what: "errors as fast I/O",
        code: "io-errors",
        cure: "Check the kernel log",
        grade: 'F',
        made: Made::Volume([
            "--sim=service=1ms,parallel=8,error=EIO@100 --continue_on_error=all",
            "--continue_on_error=all",
        ]),
    },
];

const TIME: &[Blunder] = &[
    Blunder {
        source: "cloud documentation",
        what: "a burst as sustained",
        code: "level-shift",
        cure: "Report both levels",
        grade: 'B',
        made: Made::Volume([
            "--sim=parallel=8,iops=1000,burst_iops=3500,burst_store=75000",
            "--sim=parallel=8,iops=1000",
        ]),
    },
    Blunder {
        source: "cloud documentation",
        what: "a size that ends in four seconds of ten minutes",
        code: "ended-by-size",
        cure: "until the time is up",
        grade: 'F',
        made: Made::Volume([
            "--rw=read --bs=1m --size=4g --numjobs=4 --time_based=0 --runtime=600 --sim=parallel=64,bytes=4500m",
            "--rw=read --bs=1m --size=4g --numjobs=4 --sim=parallel=64,bytes=4500m",
        ]),
    },
    Blunder {
        source: "cloud documentation",
        what: "some seconds",
        code: "window-short",
        cure: "several minutes",
        grade: 'A',
        made: Made::File(["--rw=randread", "--rw=randread --ioengine=sim"]),
    },
    Blunder {
        source: "storage reviews",
        what: "a warm-up in the window",
        code: "warm-up",
        cure: "warm-up longer",
        grade: 'B',
        made: Made::Volume([
            "--sim=parallel=8,iops=1000,at=4s:iops=2000 --runtime=120",
            "--sim=parallel=8,iops=1000,at=4s:iops=2000 --runtime=120 --ramp_time=4",
        ]),
    },
    Blunder {
        source: "SSD reviews",
        what: "a drive that was not preconditioned",
        code: "drift",
        cure: "written twice over",
        grade: 'B',
        made: Made::Volume([
            "--rw=randwrite --sim=parallel=8,iops=2000,at=5s:iops=1975,at=10s:iops=1950,at=15s:iops=1925,\
             at=20s:iops=1900,at=25s:iops=1875,at=30s:iops=1850,at=35s:iops=1825,at=40s:iops=1800,\
             at=45s:iops=1775,at=50s:iops=1750,at=55s:iops=1725",
            "--rw=randwrite",
        ]),
    },
    Blunder {
        source: "file system papers",
        what: "checkpoints averaged away",
        code: "period",
        cure: "many of its periods",
        grade: 'B',
        made: Made::Volume([
            "--sim=service=1ms,parallel=8,every=10s:900ms --runtime=120",
            "--runtime=120",
        ]),
    },
    Blunder {
        source: "storage reviews",
        what: "a standstill averaged away",
        code: "stall",
        cure: "chart over time",
        grade: 'B',
        made: Made::Volume(["--sim=service=1ms,parallel=8,every=20s:3s", ""]),
    },
    Blunder {
        source: "vendor papers",
        what: "a percentile without samples",
        code: "tail-undersampled",
        cure: "samples above p99.999 take",
        grade: 'A',
        made: Made::Volume(["--percentile_list=99.999", "--percentile_list=50:99"]),
    },
];

const LOAD: &[Blunder] = &[
    Blunder {
        source: "elbencho #103",
        what: "a latency of 0 us under a rate limit",
        code: "latency-zero",
        cure: "do not compare rates without latencies",
        grade: 'A',
        made: Made::Own(zero_latencies),
    },
    Blunder {
        source: "kubestr #68",
        what: "gtod_reduce in a published default",
        code: "latencies-hidden",
        cure: "together with their latency",
        grade: 'A',
        made: Made::Volume([
            "--direct=1 --verify=0 --gtod_reduce=1 --iodepth=64 --ramp_time=2 --runtime=15",
            "--direct=1 --verify=0 --iodepth=64 --ramp_time=2 --runtime=15",
        ]),
    },
    Blunder {
        source: "kubestr #144",
        what: "a result without latencies",
        code: "latencies-hidden",
        cure: "together with their latency",
        grade: 'A',
        made: Made::Own(without_latencies),
    },
    Blunder {
        source: "copied job files",
        what: "psync with iodepth=32",
        code: "depth-of-sync-engine",
        cure: "asynchronous engine",
        grade: 'B',
        made: Made::File([
            "--rw=randread --ioengine=psync --iodepth=32",
            "--rw=randread --ioengine=psync",
        ]),
    },
    Blunder {
        source: "copied job files",
        what: "libaio without O_DIRECT",
        code: "blocking-submit",
        cure: "O_DIRECT",
        grade: 'B',
        made: Made::File([
            "--rw=randread --direct=0 --invalidate=0 --ioengine=libaio --iodepth=32",
            "--rw=randread --direct=0 --invalidate=0 --ioengine=libaio --iodepth=1",
        ]),
    },
    Blunder {
        source: "cloud documentation",
        what: "ten times as many in flight as are enough",
        code: "over-deep",
        cure: "Do not quote this latency",
        grade: 'B',
        made: Made::Volume([
            "--sim=service=1ms,parallel=64,iops=2000 --iodepth=1 --name=b --stonewall --iodepth=64",
            "--sim=service=1ms,parallel=64,iops=2000 --iodepth=1 --name=b --stonewall --iodepth=6",
        ]),
    },
    Blunder {
        source: "cloud documentation",
        what: "MB for MiB",
        code: "unit-slip",
        cure: "same unit",
        grade: 'B',
        made: Made::Volume([
            "--bs=64k --iodepth=32 --sim=service=1ms,parallel=64,bytes=100000000 --rate=100m",
            "--bs=64k --iodepth=32 --sim=service=1ms,parallel=64,bytes=100000000 --rate=95m",
        ]),
    },
    Blunder {
        source: "cloud documentation",
        what: "4.5 GiB for 4,500 MiB",
        code: "unit-slip",
        cure: "same unit",
        grade: 'B',
        made: Made::Volume([
            "--bs=1m --iodepth=32 --sim=service=1ms,parallel=64,bytes=4500m --rate=4608m --runtime=20",
            "--bs=1m --iodepth=32 --sim=service=1ms,parallel=64,bytes=4500m --rate=4400m --runtime=20",
        ]),
    },
    Blunder {
        source: "dd lines",
        what: "throughput in blocks of 4 KiB",
        code: "small-blocks",
        cure: "64 KiB or more",
        grade: 'B',
        made: Made::File([
            "--rw=read --ioengine=libaio --iodepth=8",
            "--rw=read --bs=64k --ioengine=libaio --iodepth=8",
        ]),
    },
    Blunder {
        source: "Azure NetApp Files recommendations",
        what: "one file for sixteen workers",
        code: "single-file",
        cure: "file of its own",
        grade: 'B',
        made: Made::Own(one_file),
    },
    Blunder {
        source: "Tene 2013",
        what: "what was submitted late, left out",
        code: "late-io",
        cure: "use response latency",
        grade: 'B',
        made: Made::Volume([
            "--rate_iops=100 --iodepth=1 --sim=service=1ms,parallel=8,stall=2s@5s",
            "--rate_iops=100 --iodepth=1",
        ]),
    },
    Blunder {
        source: "Schroeder 2006",
        what: "the latency of a saturated point at a rate",
        code: "rate-not-reached",
        cure: "lower the rate",
        grade: 'B',
        made: Made::Volume([
            "--sim=service=1ms,parallel=64,iops=2000 --rate_iops=3000",
            "--sim=service=1ms,parallel=64,iops=2000 --rate_iops=1900",
        ]),
    },
];

const HOSTS: &[Blunder] = &[
    Blunder {
        source: "ior #356",
        what: "slow clients in a total",
        code: "imbalance",
        cure: "differences in processor",
        grade: 'B',
        made: Made::Hosts(
            "iorate=max",
            ["service=16ms,parallel=8", "service=4ms,parallel=8"],
        ),
    },
    Blunder {
        source: "dashboards",
        what: "an averaged p95",
        code: "percentiles-apart",
        cure: "merged histograms",
        grade: 'B',
        made: Made::Hosts(
            "iorate=400",
            ["service=20ms,parallel=8", "service=4ms,parallel=8"],
        ),
    },
    Blunder {
        source: "scripts with ssh",
        what: "hosts that ran one after the other",
        code: "skew",
        cure: "same run time",
        grade: 'B',
        made: Made::Volume([
            "--runtime=20 --name=b --startdelay=20-21 --runtime=20",
            "--runtime=20 --name=b --runtime=20",
        ]),
    },
    Blunder {
        source: "scripts with ssh",
        what: "skewed clients",
        code: "skew",
        cure: "same run time",
        grade: 'B',
        made: Made::Own(|is_apart| {
            Ok(begun_apart(if is_apart { "--startdelay=0-40" } else { "" }))
        }),
    },
    Blunder {
        source: "IO500 submissions",
        what: "a client that was lost",
        code: "host-lost",
        cure: "same hosts",
        grade: 'F',
        made: Made::Own(a_host_lost),
    },
    Blunder {
        source: "shared machines",
        what: "a full host",
        code: "host-busy",
        cure: "Stop other programs",
        grade: 'F',
        made: Made::Own(on_a_full_host),
    },
];

/// All of them, in the order of the page.
fn all() -> impl Iterator<Item = &'static Blunder> {
    [CACHES, DATA, TIME, LOAD, HOSTS].into_iter().flatten()
}

impl Made {
    fn said(&self, has_it: bool) -> Result<Said, String> {
        let index = usize::from(!has_it);
        Ok(match self {
            Self::Volume(words) => on_volume(words[index]),
            Self::File(words) => on_file(words[index]),
            Self::Hosts(more, laws) => on_hosts(laws[index], more),
            Self::Own(make) => return make(has_it),
        })
    }

    /// The word of the page for it.
    const fn name(&self) -> &'static str {
        match self {
            Self::Volume(_) => "simulated volume",
            Self::File(_) => "file",
            Self::Hosts(..) => "hosts with simulated volumes",
            Self::Own(_) => "real parts",
        }
    }
}

/// What is wrong with what is said of a blunder, and of the same work without it.
fn judged(blunder: &Blunder) -> Result<Vec<String>, String> {
    let Blunder {
        source, what, code, ..
    } = blunder;
    let (has, clean) = (blunder.made.said(true)?, blunder.made.said(false)?);
    let mut wrong = Vec::new();
    match has.cure(code) {
        None => wrong.push(format!(
            "{source}, {what}: no {code} among {:?}",
            has.findings
        )),
        Some(cure) if !cure.contains(blunder.cure) => {
            wrong.push(format!("{source}, {what}: the cure of {code} is {cure:?}"));
        }
        Some(_) => {}
    }
    // The letters are in order, the best first.
    if has.grade < blunder.grade {
        wrong.push(format!("{source}, {what}: grade {}", has.grade));
    }
    if clean.cure(code).is_some() {
        wrong.push(format!(
            "{source}, {what}: {code} without it too: {:?}",
            clean.findings
        ));
    }
    Ok(wrong)
}

#[test]
fn each_blunder_is_named_with_its_cure_and_work_without_it_is_not() {
    let wrong = Mutex::new(Vec::new());
    let all: Vec<&Blunder> = all().collect();
    side_by_side(3, &all, |blunder| match judged(blunder) {
        Ok(found) => wrong.lock().unwrap().extend(found),
        Err(why) => skip(&format!("honesty::blunders::{}", blunder.code), &why),
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The page has a row for each, with its source, its finding and how it is made, and counts them.
#[test]
fn the_page_of_checks_lists_each_blunder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/reference/checks.md")).unwrap();
    let rows = all().map(|b| {
        let how = b.made.name();
        format!("| {} | {} | `{}` | {how} |", b.what, b.source, b.code)
    });
    let rows: Vec<String> = rows.collect();
    let missing: Vec<&String> = rows.iter().filter(|row| !page.contains(*row)).collect();
    assert!(missing.is_empty(), "{}", rows.join("\n"));
    let count = format!("{} blunders", rows.len());
    assert!(page.contains(&count), "{count}");
}
