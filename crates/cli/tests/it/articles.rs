//! Five published comparisons of volumes and disks, each replayed by its own commands on simulated volumes that have the
//! published limits: what was published comes out within 2 %.
//!
//! Times, sizes and warm-ups are scaled to seconds; hosts, volumes, threads, depths, blocks and mixes are the published
//! ones. A volume's law is what its publisher says of it (caps, slots of a connection, a host's cache). Where a published
//! rate is itself a cap of the law, the row shows that the commands reach it; the other rates and the latencies follow
//! from the law. docs/guide/published.md has the commands, and what no law of a simulated volume gives.

use crate::support::{Done, Place, finish};
use serde_json::Value;
use std::fmt::Write as _;

/// How far from what was published, in percent.
const WITHIN: f64 = 2.0;

fn near(got: f64, published: f64, what: &str) {
    let off = 100.0 * (got / published - 1.0);
    assert!(
        off.abs() <= WITHIN,
        "{what}: {got} is {off:.2} % off {published}"
    );
}

/// `leadline WORDS` that ends well.
fn good(place: &Place, words: &[&str]) -> Done {
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    done
}

/// I/Os a second, reads and writes, of each group of jobs of a fio file or command.
fn fio(place: &Place, words: &[&str]) -> Vec<(String, f64, f64)> {
    let always = ["fio", "--output-format=json", "--leadline-run=run.leadline"];
    let _ = std::fs::remove_file(place.join("run.leadline"));
    let done = good(place, &[&always[..], words].concat());
    let all: Value = serde_json::from_str(&done.stdout).unwrap();
    let jobs = all["jobs"].as_array().unwrap().iter();
    let rate = |job: &Value, kind: &str| job[kind]["iops"].as_f64().unwrap();
    jobs.map(|job| {
        let name = job["jobname"].as_str().unwrap().to_owned();
        (name, rate(job, "read"), rate(job, "write"))
    })
    .collect()
}

/// The figures of a job: reads and writes a second.
fn of(all: &[(String, f64, f64)], name: &str) -> (f64, f64) {
    let own = all.iter().filter(|job| job.0 == name);
    let sums = own.map(|job| (job.1, job.2));
    sums.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

const MIB: f64 = 1_048_576.0;

// Azure NetApp Files, 2019: Vdbench on 24 machines with six mounts each.

/// The parameter file that the published script writes, with its hosts, mounts and threads: one file for the runs whose
/// results are published as numbers.
fn write_of_24_hosts(place: &Place) {
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
    let file = "include=vnet1-hosts-nfs\ninclude=vnet1-luns-nfs\n\
                wd=SeqRead,sd=sd*,rdpct=100,seekpct=0,xfersize=64k\n\
                wd=RndRead,sd=sd*,rdpct=100,seekpct=100,xfersize=8k\n\
                rd=default,warmup=1,elapsed=2,iorate=max\n\
                rd=RndRead,wd=RndRead,sd=(\"sd*\"),threads=25\n\
                rd=RndRead-1,wd=RndRead,sd=(\"sd*\"),threads=1\n\
                rd=SeqRead-4,wd=SeqRead,sd=(\"sd*\"),threads=20\n";
    for (name, text) in [
        ("vnet1-hosts-nfs", hosts.as_str()),
        ("vnet1-luns-nfs", luns.as_str()),
        ("vnet1-workload", file),
    ] {
        std::fs::write(place.join(name), text).unwrap();
    }
}

/// Averages of each run: I/Os a second, MiB/s, response time in milliseconds.
fn averages(done: &Done) -> Vec<[f64; 3]> {
    let lines = done.stdout.lines().filter(|line| line.contains(" avg_"));
    let numbers = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        [2, 3, 6].map(|at: usize| words[at].parse().unwrap())
    };
    lines.map(numbers).collect()
}

#[test]
fn vdbench_on_24_hosts_with_six_volumes() {
    let place = Place::new();
    write_of_24_hosts(&place);
    let volume = "sim:iops=300000,bytes=4500m,service=1140us,parallel=4096,size=64m";
    let run = |far: &str| {
        let map = format!("--map=*={volume}{far}");
        let words = ["vdbench", "-f", "vnet1-workload", "-o", "output", &map];
        let all = averages(&good(&place, &words));
        // The first is the fill.
        let [random, one, sequential] = all[all.len() - 3..] else {
            panic!("{all:?}");
        };
        (random, one, sequential)
    };
    let (random, one, sequential) = run("");
    near(random[0], 300_000.0, "random reads of 8 KiB");
    // 3,600 in flight: 12 ms; 2,880: 40 ms.
    near(random[2], 12.0, "their latency");
    near(sequential[1], 4500.0, "sequential reads, MiB/s");
    near(sequential[2], 40.0, "their latency");
    // One thread of each volume: the lowest latency, 144 / 1.14 ms.
    near(one[2], 1.14, "latency of one alone");
    near(one[0], 144.0 / 0.001_14, "with one thread each");
    // A set of machines a millisecond away: as much with enough in flight, less at equal parallelism.
    let (random, one, _) = run(",rtt=1ms");
    near(random[0], 300_000.0, "random reads from far away");
    near(
        one[0],
        144.0 / 0.002_14,
        "with one thread each, from far away",
    );
}

// Google Cloud NetApp Volumes, 2022: fio, one write at a time.

/// Percentiles of completion latency that were published, with their values in microseconds.
const PUBLISHED: [(f64, f64); 17] = [
    (1.0, 408.0),
    (5.0, 429.0),
    (10.0, 437.0),
    (20.0, 449.0),
    (30.0, 461.0),
    (40.0, 469.0),
    (50.0, 482.0),
    (60.0, 490.0),
    (70.0, 498.0),
    (80.0, 515.0),
    (90.0, 529.0),
    (95.0, 553.0),
    (99.0, 611.0),
    (99.5, 652.0),
    (99.9, 807.0),
    (99.95, 873.0),
    (99.99, 1020.0),
];
/// And the mean of the submission latency, which a simulated volume has in its service time.
const SUBMISSION: f64 = 12.06;

/// A volume with that distribution: each published value has the share half way to its neighbours.
fn published_latencies() -> String {
    let ends = PUBLISHED.windows(2).map(|w| f64::midpoint(w[0].0, w[1].0));
    let ends: Vec<f64> = ends.chain([100.0]).collect();
    let mut before = 0.0;
    let parts = PUBLISHED.iter().zip(ends).map(|(&(_, value), end)| {
        let share = end - before;
        before = end;
        format!("{share:.4}%:{:.0}ns", 1000.0 * (value + SUBMISSION))
    });
    let parts: Vec<String> = parts.collect();
    format!("sim:parallel=1,mix={}", parts.join("/"))
}

#[test]
fn fio_with_one_write_at_a_time() {
    let place = Place::new();
    let map = format!("--map=/netapp={}", published_latencies());
    let article = "fio --directory=/netapp --ioengine=libaio --rw=randwrite --bs=4k --iodepth=1 --size=10g \
                   --fallocate=none --direct=1 --runtime=60 --time_based --ramp_time=5 --name=latency \
                   --output-format=json";
    let words: Vec<&str> = article.split_whitespace().chain([map.as_str()]).collect();
    let done = good(&place, &words);
    let all: Value = serde_json::from_str(&done.stdout).unwrap();
    let write = &all["jobs"][0]["write"];
    let figure = |name: &str| write[name].as_f64().unwrap();
    near(figure("iops"), 1999.0, "IOPS");
    near(figure("bw"), 7999.0, "KiB/s");
    near(
        write["lat_ns"]["mean"].as_f64().unwrap(),
        495_960.0,
        "mean latency",
    );
    for (percent, value) in PUBLISHED {
        let got = write["clat_ns"]["percentile"][format!("{percent:.6}")].as_f64();
        let published = 1000.0 * (value + SUBMISSION);
        near(got.unwrap(), published, &format!("{percent} %"));
    }
}

// Azure NetApp Files, regular volumes: fio, mixes of reads and writes.

const FIO: &str = "[global]\nioengine=libaio\ndirect=1\nsize=1g\nnumjobs=8\ntime_based\nruntime=1\n\
                   group_reporting\nrandrepeat=0\n";

/// Jobs one after the other, each with another share of reads.
fn mix(name: &str, rw: &str, bs: &str, step: usize) -> String {
    let mut text = String::new();
    for reads in (0..=100).rev().step_by(step) {
        let _ = writeln!(
            text,
            "[{name}-{reads}]\nstonewall\niodepth=64\ndirectory=/mnt/{name}\nrw={rw}\nrwmixread={reads}\nbs={bs}"
        );
    }
    text
}

/// The total at a share of reads, in MiB/s.
fn total(all: &[(String, f64, f64)], name: &str, reads: u32, block: f64) -> f64 {
    let (read, written) = of(all, &format!("{name}-{reads}"));
    (read + written) * block / MIB
}

/// A mix falls from reads to writes as what they cost adds up.
fn falls(all: &[(String, f64, f64)], name: &str, block: f64, (reads, writes): (f64, f64)) {
    for share in (0..=100).step_by(10) {
        let of_reads = f64::from(share) / 100.0;
        let total = total(all, name, share, block);
        let law = 1.0 / (of_reads / reads + (1.0 - of_reads) / writes);
        near(total, law, &format!("{name}: {share} % reads"));
    }
}

/// The volume whose cached mixes two of the comparisons show.
const CACHED: [&str; 2] = [
    "--map=/mnt/cached-4k=sim:size=1g,parallel=512,service=300us,iops=460000,write_cost=3.53846",
    "--map=/mnt/cached-64k=sim:size=1g,parallel=512,service=300us,bytes=4500m,write_cost=2.8125",
];

fn cached(all: &[(String, f64, f64)]) {
    let iops = |n: f64| n * 4096.0 / MIB;
    falls(all, "cached-4k", 4096.0, (iops(460_000.0), iops(130_000.0)));
    falls(all, "cached-64k", 65_536.0, (4500.0, 1600.0));
}

#[test]
fn fio_with_mixes_with_and_without_caching() {
    let place = Place::new();
    let file = [
        FIO.to_owned(),
        mix("cached-4k", "randrw", "4k", 10),
        mix("random-4k", "randrw", "4k", 25),
        mix("random-8k", "randrw", "8k", 25),
        mix("cached-64k", "rw", "64k", 10),
        mix("sequential-64k", "rw", "64k", 25),
        mix("sequential-256k", "rw", "256k", 25),
    ];
    std::fs::write(place.join("regular.fio"), file.concat()).unwrap();
    // Random I/O has one law for both blocks: the time of an I/O has a part that each byte adds.
    let random = "sim:size=1g,parallel=388,service=675.8us,write_service=2900us,per_byte=79.15ns";
    let sequential = "sim:size=1g,parallel=512,service=300us";
    let maps = [
        format!("--map=/mnt/random-4k={random}"),
        format!("--map=/mnt/random-8k={random}"),
        format!("--map=/mnt/sequential-64k={sequential},bytes=3600m,write_bytes=2400m"),
        format!(
            "--map=/mnt/sequential-256k={sequential},bytes=4500m,read_bytes=3500m,write_bytes=2500m"
        ),
    ];
    let words: Vec<&str> = ["regular.fio"]
        .into_iter()
        .chain(CACHED)
        .chain(maps.iter().map(String::as_str))
        .collect();
    let all = fio(&place, &words);
    cached(&all);
    for (name, reads, writes) in [
        ("random-4k", 388_000.0, 120_000.0),
        ("random-8k", 293_000.0, 111_000.0),
    ] {
        near(of(&all, &format!("{name}-100")).0, reads, name);
        near(of(&all, &format!("{name}-0")).1, writes, name);
    }
    for (name, block, reads, writes) in [
        ("sequential-64k", 65_536.0, 3600.0, 2400.0),
        ("sequential-256k", 262_144.0, 3500.0, 2500.0),
    ] {
        near(total(&all, name, 100, block), reads, name);
        near(total(&all, name, 0, block), writes, name);
    }
    // Half of each: as much as reads alone, and more.
    near(
        total(&all, "sequential-64k", 50, 65_536.0),
        3600.0,
        "half of each",
    );
    assert!(total(&all, "sequential-256k", 50, 262_144.0) > 1.1 * 3500.0);
}

// The older comparison of the same: mixes, and one connection against eight.

#[test]
fn fio_with_one_connection_and_with_eight() {
    let place = Place::new();
    let mut file = [
        FIO.to_owned(),
        mix("cached-64k", "rw", "64k", 10),
        mix("cached-4k", "randrw", "4k", 10),
    ]
    .concat();
    for (name, rw, bs) in [
        ("read", "read", "64k"),
        ("write", "write", "64k"),
        ("randread", "randread", "4k"),
        ("randwrite", "randwrite", "4k"),
    ] {
        for connections in [1, 8] {
            let _ = writeln!(
                file,
                "[{name}-{connections}]\nstonewall\niodepth=256\ndirectory=/mnt/nconnect{connections}\nrw={rw}\nbs={bs}"
            );
        }
    }
    std::fs::write(place.join("older.fio"), file).unwrap();
    // A server takes 128 requests of each connection, which carries 1,520 MiB/s.
    let volume = "sim:size=1g,parallel=4096,service=1910us,write_service=2844us,connection=1520m,\
                  read_iops=200000,write_iops=135000,read_bytes=3500m,write_bytes=1500m";
    let one = format!("--map=/mnt/nconnect1={volume},connections=1,slots=128");
    let eight = format!("--map=/mnt/nconnect8={volume},connections=8,slots=1024");
    let words: Vec<&str> = ["older.fio", &one, &eight]
        .into_iter()
        .chain(CACHED)
        .collect();
    let all = fio(&place, &words);
    cached(&all);
    let rate = |name: &str| {
        let (read, written) = of(&all, name);
        read + written
    };
    near(rate("read-8") / 16.0, 3500.0, "sequential reads, MiB/s");
    near(
        rate("read-8") / rate("read-1"),
        2.3,
        "times as many as with one",
    );
    near(rate("write-8") / 16.0, 1500.0, "sequential writes, MiB/s");
    near(
        rate("write-8") / rate("write-1"),
        1.0,
        "no more than with one",
    );
    near(rate("randread-8"), 200_000.0, "random reads");
    near(
        rate("randread-8") / rate("randread-1"),
        3.0,
        "times as many",
    );
    near(rate("randwrite-8"), 135_000.0, "random writes");
    near(
        rate("randwrite-8") / rate("randwrite-1"),
        3.0,
        "times as many",
    );
}

// Azure Premium SSD, 2021: DISKSPD and fio on three striped disks without host cache, and on one with it.

/// Three disks behind the machine's limit of I/Os that are not cached. It was passed by 2 %, as published.
const NO_CACHE: &str = "sim:size=64m,iops=13053,service=1ms,parallel=64";
/// One disk of 5,000 IOPS below the host's cache, which has all of the file once that is warm. What the host answers
/// from it is limited by how many it works on: 64 / 0.815 ms.
const READ_CACHE: &str = "sim:size=16m,iops=5000,service=1ms,parallel=64,slots=64,cache=64m:815us";

/// I/Os a second and MiB/s of the line of totals.
fn diskspd(place: &Place, words: &str, law: &str) -> (f64, f64) {
    let map = format!("--map=*={law}");
    let words: Vec<&str> = words.split(' ').chain([map.as_str()]).collect();
    let done = good(place, &words);
    let total = done.stdout.lines().find(|line| line.starts_with("total:"));
    let numbers = total.unwrap()["total:".len()..].split('|');
    let numbers: Vec<f64> = numbers.map(|n| n.trim().parse().unwrap()).collect();
    (numbers[3], numbers[2])
}

#[test]
fn diskspd_and_fio_on_disks_with_and_without_a_host_cache() {
    let place = Place::new();
    let write = "diskspd -c200G -w100 -b8K -F4 -r -o128 -W3 -d10 -Sh testfile.dat";
    let (iops, mib) = diskspd(&place, write, NO_CACHE);
    near(iops, 13_052.65, "writes");
    near(mib, 101.97, "writes, MiB/s");
    // Two hours of warm-up are 20 seconds of a file that is so much smaller.
    let read = "diskspd -c200G -b4K -F4 -r -o128 -W20 -d3 -Sh testfile.dat";
    let (iops, mib) = diskspd(&place, read, READ_CACHE);
    near(iops, 78_521.23, "cached reads");
    near(mib, 306.72, "cached reads, MiB/s");
    let job = |depth: u32, jobs: &str| {
        format!(
            "[global]\nsize=30g\ndirect=1\niodepth={depth}\nioengine=libaio\nbs=4k\nnumjobs=4\n{jobs}"
        )
    };
    let writer = "[writer1]\nrw=randwrite\ndirectory=/mnt/nocache\n";
    let reader = "[reader1]\nrw=randread\ndirectory=/mnt/readcache\n";
    let both = format!("{reader}{writer}rate_iops=3200\n");
    for (name, text) in [
        ("fiowrite.ini", job(256, writer)),
        ("fioread.ini", job(256, reader)),
        ("fioreadwrite.ini", job(128, &both)),
    ] {
        std::fs::write(place.join(name), text).unwrap();
    }
    let no_cache = format!("--map=/mnt/nocache={NO_CACHE}");
    let read_cache = format!("--map=/mnt/readcache={READ_CACHE}");
    let time = ["--runtime=5", "--time_based"];
    let warm = ["--runtime=5", "--time_based", "--ramp_time=30"];
    let written = fio(&place, &[&time[..], &["fiowrite.ini", &no_cache]].concat());
    near(of(&written, "writer1").1, 13_100.0, "writes");
    let read = fio(&place, &[&warm[..], &["fioread.ini", &read_cache]].concat());
    near(of(&read, "reader1").0, 78_600.0, "cached reads");
    let words = ["fioreadwrite.ini", no_cache.as_str(), &read_cache];
    let both = fio(&place, &[&warm[..], &words].concat());
    near(of(&both, "reader1").0, 78_300.0, "reads beside writes");
    near(of(&both, "writer1").1, 12_600.0, "writes beside reads");
}

// A database on one volume: how many in flight 165,000 reads a second of 1.3 ms are.

#[test]
fn useful_concurrency_of_a_database_volume() {
    let place = Place::new();
    // 215 at once of 1.3 ms: Little's law gives 165,385 a second.
    let words = [
        "study",
        "depth",
        "sim:size=1g,service=1300us,parallel=215",
        "--bs",
        "8k",
        "--depths",
        "1,64,215,430",
        "--time",
        "2s",
        "--json",
        "--out",
        "s",
    ];
    let done = good(&place, &words);
    let all: Value = serde_json::from_str(&done.stdout).unwrap();
    let value = |name: &str| all["study"]["values"][name]["value"].as_f64();
    near(value("highest").unwrap(), 165_000.0, "reads a second");
    near(
        value("useful_concurrency").unwrap(),
        215.0,
        "useful concurrency",
    );
}
