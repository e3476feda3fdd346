//! Table: the runs of the gallery and its charts.

use std::fmt::Write as _;

/// A simulated run.
pub(crate) struct Recipe {
    /// Its name, and that of its files.
    pub(crate) name: &'static str,
    /// The law of the volume.
    pub(crate) law: &'static str,
    /// Another volume for targets in this directory.
    pub(crate) second: Option<(&'static str, &'static str)>,
    /// The arguments of a study of latency over rates, in place of jobs.
    pub(crate) curve: Option<&'static str>,
    /// Jobs of all stages, each of a stage of its own unless it says otherwise: name and options with commas.
    stages: &'static [(&'static str, &'static str)],
    /// Steps of the share of reads, each a stage: options, and the step in percent.
    mix: Option<(&'static str, usize)>,
    /// Depths, each a stage, of these options.
    depths: &'static [&'static str],
    /// Options of all.
    all: &'static str,
}

impl Recipe {
    /// The job file.
    pub(crate) fn job(&self) -> String {
        let lines = |options: &str| options.replace(',', "\n");
        let mut text = format!(
            "[global]\nioengine=libaio\ndirect=1\ntime_based\ngroup_reporting\nrandrepeat=0\ndirectory=/mnt/v\n{}\n",
            lines(self.all)
        );
        for (name, options) in self.stages {
            let _ = writeln!(text, "[{name}]\n{}", lines(options));
        }
        if let Some((options, step)) = self.mix {
            for reads in (0..=100).step_by(step) {
                let options = lines(options);
                let _ = writeln!(
                    text,
                    "[mix-{reads}]\nstonewall\nrwmixread={reads}\n{options}"
                );
            }
        }
        for options in self.depths {
            for depth in [1, 2, 4, 8, 16, 32, 64, 128] {
                let options = lines(options);
                let _ = writeln!(
                    text,
                    "[depth-{depth}]\nstonewall\niodepth={depth}\n{options}"
                );
            }
        }
        text
    }
}

const NONE: Recipe = Recipe {
    name: "",
    law: "",
    second: None,
    curve: None,
    stages: &[],
    mix: None,
    depths: &[],
    all: "size=1g,numjobs=8,runtime=2",
};

/// One volume, as seen from machines near to it.
const NEAR: &str = "sim:iops=300000,bytes=4500m,service=1140us,parallel=4096,size=64m";
/// The volume of one connection and of eight.
const ONE: &str = "sim:size=1g,parallel=4096,service=1910us,write_service=2844us,connection=1520m,read_iops=200000,\
                   write_iops=135000,read_bytes=3500m,write_bytes=1500m,connections=1,slots=128";
const EIGHT: &str = "sim:size=1g,parallel=4096,service=1910us,write_service=2844us,connection=1520m,read_iops=200000,\
                     write_iops=135000,read_bytes=3500m,write_bytes=1500m,connections=8,slots=1024";
const RANDOM: &str =
    "sim:size=1g,parallel=388,service=675.8us,write_service=2900us,per_byte=79.15ns";
const NO_CACHE: &str = "sim:size=64m,iops=13053,service=1ms,parallel=64";
const READ_CACHE: &str = "sim:size=16m,iops=5000,service=1ms,parallel=64,slots=64,cache=64m:815us";
/// Published percentiles of completion, with the 12 us of submission.
const PERCENTILES: &str = "sim:parallel=1,mix=3%:420060ns/4.5%:441060ns/7.5%:449060ns/10%:461060ns/10%:473060ns/\
                           10%:481060ns/10%:494060ns/10%:502060ns/10%:510060ns/10%:527060ns/7.5%:541060ns/\
                           4.5%:565060ns/2.25%:623060ns/0.45%:664060ns/0.225%:819060ns/0.045%:885060ns/\
                           0.03%:1032060ns";

/// The runs.
pub(crate) const RUNS: &[Recipe] = &[
    Recipe {
        name: "workloads",
        law: NEAR,
        stages: &[
            ("seq-read", "stonewall,rw=read,bs=64k"),
            ("seq-write", "stonewall,rw=write,bs=64k"),
            ("seq-mix", "stonewall,rw=rw,bs=64k"),
            ("rnd-read", "stonewall,rw=randread,bs=8k"),
            ("rnd-write", "stonewall,rw=randwrite,bs=8k"),
            ("rnd-mix", "stonewall,rw=randrw,bs=8k"),
        ],
        all: "size=64m,numjobs=24,iodepth=120,runtime=2",
        ..NONE
    },
    Recipe {
        name: "near",
        law: "sim:iops=300000,bytes=4500m,service=1140us,parallel=4096,size=1g",
        curve: Some("--bs 8k --rw randread --jobs 8 --depths 128 --time 2s"),
        ..NONE
    },
    Recipe {
        name: "far",
        law: "sim:iops=300000,bytes=4500m,service=1140us,parallel=4096,size=1g,rtt=1ms",
        curve: Some("--bs 8k --rw randread --jobs 8 --depths 128 --time 2s"),
        ..NONE
    },
    Recipe {
        name: "cached-4k",
        law: "sim:size=1g,parallel=512,service=300us,iops=460000,write_cost=3.53846",
        mix: Some(("rw=randrw,bs=4k,iodepth=64", 10)),
        ..NONE
    },
    Recipe {
        name: "random-4k",
        law: RANDOM,
        mix: Some(("rw=randrw,bs=4k,iodepth=64", 25)),
        ..NONE
    },
    Recipe {
        name: "random-8k",
        law: RANDOM,
        mix: Some(("rw=randrw,bs=8k,iodepth=64", 25)),
        ..NONE
    },
    Recipe {
        name: "cached-64k",
        law: "sim:size=1g,parallel=512,service=300us,bytes=4500m,write_cost=2.8125",
        mix: Some(("rw=rw,bs=64k,iodepth=64", 10)),
        ..NONE
    },
    Recipe {
        name: "sequential-64k",
        law: "sim:size=1g,parallel=512,service=300us,bytes=3600m,write_bytes=2400m",
        mix: Some(("rw=rw,bs=64k,iodepth=64", 25)),
        ..NONE
    },
    Recipe {
        name: "sequential-256k",
        law: "sim:size=1g,parallel=512,service=300us,bytes=4500m,read_bytes=3500m,write_bytes=2500m",
        mix: Some(("rw=rw,bs=256k,iodepth=64", 25)),
        ..NONE
    },
    Recipe {
        name: "none",
        law: ONE,
        depths: &[
            "rw=randread,bs=4k",
            "rw=randwrite,bs=4k",
            "rw=read,bs=64k",
            "rw=write,bs=64k",
        ],
        ..NONE
    },
    Recipe {
        name: "nconnect",
        law: EIGHT,
        depths: &[
            "rw=randread,bs=4k",
            "rw=randwrite,bs=4k",
            "rw=read,bs=64k",
            "rw=write,bs=64k",
        ],
        ..NONE
    },
    Recipe {
        name: "latency",
        law: PERCENTILES,
        stages: &[("latency", "rw=randwrite,bs=4k,iodepth=1")],
        all: "size=10g,runtime=60,ramp_time=5",
        ..NONE
    },
    Recipe {
        name: "disk-write",
        law: NO_CACHE,
        stages: &[("writer1", "rw=randwrite")],
        all: "size=30g,iodepth=256,bs=4k,numjobs=4,runtime=20",
        ..NONE
    },
    Recipe {
        name: "disk-read",
        law: READ_CACHE,
        stages: &[("reader1", "rw=randread")],
        all: "size=30g,iodepth=256,bs=4k,numjobs=4,runtime=20,ramp_time=30",
        ..NONE
    },
    Recipe {
        name: "disk-both",
        law: READ_CACHE,
        second: Some(("/mnt/nocache", NO_CACHE)),
        stages: &[
            ("reader1", "rw=randread"),
            (
                "writer1",
                "directory=/mnt/nocache,rw=randwrite,rate_iops=3200,new_group",
            ),
        ],
        all: "size=30g,iodepth=128,bs=4k,numjobs=4,runtime=20,ramp_time=30",
        ..NONE
    },
];

/// A chart.
pub(crate) struct Chart {
    /// Its name on the page.
    pub(crate) name: &'static str,
    title: &'static str,
    /// What the publication shows.
    pub(crate) published: &'static str,
    /// What to know of ours, and of the marks that are drawn beside it.
    note: &'static str,
    /// The arguments of leadline.
    pub(crate) words: &'static str,
}

impl Chart {
    /// Its heading.
    pub(crate) fn title(&self) -> String {
        format!("{}: {}", self.name.to_uppercase(), self.title)
    }

    /// What to know of ours. What was published is said to be drawn only where it is: `levels` are the names of the level
    /// lines of its published table, none where no table is drawn.
    pub(crate) fn note(&self, levels: &[String]) -> String {
        if self.note != SWEEP {
            return self.note.to_owned();
        }
        let factor = match levels.iter().any(|name| name.contains("(/")) {
            true => ", (/ N) that with nconnect divided by the factor there",
            false => "",
        };
        match levels.is_empty() {
            true => "Published as a chart without numbers: nothing of it is drawn here.".to_owned(),
            false => format!("{SWEEP}{factor}."),
        }
    }

    /// The published table that is drawn with it, if one is.
    pub(crate) fn drawn(&self) -> Option<&'static str> {
        let found = self.words.split_once("--published ")?;
        Some(found.1)
    }

    /// The tables of published figures that it shows: the one that is drawn with it, else those of its runs.
    pub(crate) fn tables(&self) -> Vec<&'static str> {
        match (self.name, self.drawn()) {
            ("g1", _) => vec!["anf-2019-quota"],
            ("g10", _) => vec!["anf-2025-4k-cached", "anf-2025-4k"],
            ("g14", _) => vec!["anf-2025-64k-cached", "anf-2025-64k"],
            // The same limits, measured with the other tool that was published.
            ("g21a", Some(drawn)) => vec![drawn, "azure-disk-2021-diskspd-write"],
            ("g21b", Some(drawn)) => vec![drawn, "azure-disk-2021-diskspd-read"],
            (_, drawn) => drawn.into_iter().collect(),
        }
    }
}

const fn chart(
    name: &'static str,
    title: &'static str,
    published: &'static str,
    note: &'static str,
    words: &'static str,
) -> Chart {
    Chart {
        name,
        title,
        published,
        note,
        words,
    }
}

const MIXES: &str = "Published as numbers: the grey marks. A line joins them only where there are three; shares of time add up as a curve.";
const SWEEP: &str = "Published as a chart without numbers for each depth; level lines are the rates named in its text";

/// The charts, in the order in which they were published.
pub(crate) const CHARTS: &[Chart] = &[
    chart(
        "g1",
        "bandwidth of a volume",
        "Service level times quota: 4,500 MiB/s of Premium need 70.31 TiB.",
        "The text of leadline limits.",
        "limits --service anf-premium --quota 70.3125TiB",
    ),
    chart(
        "g2",
        "quota and service level",
        "What each level gives for each quota.",
        "The text of leadline limits.",
        "limits --table",
    ),
    chart(
        "g3",
        "throughput test",
        "Sequential reads of 64 KiB: about 4,500 MiB/s. Writes and the mix are a chart alone.",
        "The simulated volume has one cap for all: its writes and its mix say nothing about the published ones.",
        "plot workloads.leadline --x stage --y mibps --only block=64k --published anf-2019",
    ),
    chart(
        "g4",
        "I/O test",
        "Random reads of 8 KiB: more than 300,000 IOPS. Writes and the mix are a chart alone.",
        "The simulated volume has one cap for all: its writes and its mix say nothing about the published ones.",
        "plot workloads.leadline --x stage --y iops --only block=8k --published anf-2019",
    ),
    chart(
        "g5",
        "latency study",
        "Latency over IOPS, from near machines and from far ones.",
        "The far ones have one more millisecond of network.",
        "plot near.leadline far.leadline --label near --label far --x iops --y mean --by run --published anf-2019",
    ),
    chart(
        "g6",
        "64 KiB sequential, mixes, with caching",
        "4,500 MiB/s of reads to 1,600 of writes, in steps of 10 %.",
        MIXES,
        "plot cached-64k.leadline --x reads --y mibps --by op --published anf-2020-64k",
    ),
    chart(
        "g7",
        "4 KiB random, mixes, with caching",
        "460,000 read IOPS to 130,000 write IOPS, in steps of 10 %.",
        MIXES,
        "plot cached-4k.leadline --x reads --y iops --by op --published anf-2025-4k-cached",
    ),
    chart(
        "g8",
        "4 KiB random, mixes, without caching",
        "388,000 read IOPS to 120,000 write IOPS, in steps of 25 %.",
        MIXES,
        "plot random-4k.leadline --x reads --y iops --by op --published anf-2025-4k",
    ),
    chart(
        "g9",
        "8 KiB random, mixes, without caching",
        "293,000 read IOPS to 111,000 write IOPS, in steps of 25 %.",
        MIXES,
        "plot random-8k.leadline --x reads --y iops --by op --published anf-2025-8k",
    ),
    chart(
        "g10",
        "4 KiB, with and without caching",
        "Totals of both over the mix.",
        "",
        "plot cached-4k.leadline random-4k.leadline --label cached --label uncached --x reads --y iops --by run",
    ),
    chart(
        "g11",
        "4 KiB random reads, nconnect",
        "IOPS and latency over depth, with nconnect and without.",
        SWEEP,
        "plot none.leadline nconnect.leadline --x depth --y iops,mean --by nconnect --only block=4k --only reads=100",
    ),
    chart(
        "g12",
        "4 KiB random writes, nconnect",
        "IOPS and latency over depth, with nconnect and without.",
        SWEEP,
        "plot none.leadline nconnect.leadline --x depth --y iops,mean --by nconnect --only block=4k --only reads=0",
    ),
    chart(
        "g13a",
        "64 KiB sequential without caching",
        "3,600 MiB/s of reads, as much of half and half, 2,400 of writes.",
        MIXES,
        "plot sequential-64k.leadline --x reads --y mibps --by op --published anf-2025-64k",
    ),
    chart(
        "g13b",
        "256 KiB sequential without caching",
        "3,500 MiB/s of reads to 2,500 of writes.",
        MIXES,
        "plot sequential-256k.leadline --x reads --y mibps --by op --published anf-2025-256k",
    ),
    chart(
        "g14",
        "64 KiB, with and without caching",
        "4,500 and 3,600 MiB/s of reads.",
        "",
        "plot cached-64k.leadline sequential-64k.leadline --label cached --label uncached --x reads --y mibps --by run",
    ),
    chart(
        "g15",
        "64 KiB sequential, nconnect",
        "MiB/s and latency over depth, reads and writes, with nconnect and without.",
        SWEEP,
        "plot none.leadline nconnect.leadline --x depth --y mibps,mean --by nconnect --only block=64k",
    ),
    chart(
        "g16",
        "read throughput over load, nconnect",
        "About 3,500 MiB/s with nconnect, 2.3 times as much as without.",
        SWEEP,
        "plot none.leadline nconnect.leadline --x in-flight --y mibps --by nconnect --only block=64k --only reads=100 --published anf-2020-nconnect-read",
    ),
    chart(
        "g17",
        "write throughput over load, nconnect",
        "About 1,500 MiB/s, with nconnect and without.",
        SWEEP,
        "plot none.leadline nconnect.leadline --x in-flight --y mibps --by nconnect --only block=64k --only reads=0 --published anf-2020-nconnect-write",
    ),
    chart(
        "g18",
        "read IOPS over load, nconnect",
        "About 200,000 with nconnect, three times as many as without.",
        SWEEP,
        "plot none.leadline nconnect.leadline --x in-flight --y iops --by nconnect --only block=4k --only reads=100 --published anf-2020-nconnect-randread",
    ),
    chart(
        "g19",
        "write IOPS over load, nconnect",
        "About 135,000 with nconnect, three times as many as without.",
        SWEEP,
        "plot none.leadline nconnect.leadline --x in-flight --y iops --by nconnect --only block=4k --only reads=0 --published anf-2020-nconnect-randwrite",
    ),
    chart(
        "g20",
        "latency of one write at a time",
        "17 percentiles of completion, as text.",
        "Ours is the whole latency, with the 12 us of submission that the publication counts apart.",
        "plot latency.leadline --x percentile --y latency --published gcnv-2022",
    ),
    chart(
        "g21a",
        "IOPS while writes run",
        "13,100 writes a second with fio, 13,052.65 with DISKSPD.",
        "",
        "plot disk-write.leadline --x time --y iops --published azure-disk-2021-write",
    ),
    chart(
        "g21b",
        "IOPS while cached reads run",
        "78,600 reads a second with fio, 78,521.23 with DISKSPD.",
        "",
        "plot disk-read.leadline --x time --y iops --published azure-disk-2021-read",
    ),
    chart(
        "g21c",
        "IOPS while both run",
        "78,300 reads and 12,600 writes a second.",
        "The writers were asked for 12,800; the simulated ones reach it.",
        "plot disk-both.leadline --x time --y iops --published azure-disk-2021-both",
    ),
];
