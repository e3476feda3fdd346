//! Table: the cases of the bench: command lines, rivals, targets.
//!
//! Words in braces are filled in for the machine: `{file}` the 512 MiB file, `{small}` a 4 KiB file,
//! `{sparse}` the 16 TiB file, `{skew1}`, `{apart1}`, `{skew8}`, `{apart8}` parameter files of Vdbench, `{out}` a
//! folder for its pages, `{cpu}` the core to use, `{seconds}` the length of a run.

use super::figures::Figure;

/// Which program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// `leadline fio`, from this tree.
    Leadline,
    /// Debian's fio.
    Fio,
    /// `leadline vdbench`, from this tree.
    LeadlineVdbench,
    /// The real Vdbench, where `--vdbench` or LEADLINE_VDBENCH says it is.
    Vdbench,
    /// Reads by io_uring with nothing beside them, as fio's t/io_uring does: an example of the engine.
    BareRing,
    /// A thread that looks at the clock: what this machine's core gives, tool or not.
    Spin,
}

/// One side of a comparison.
pub(super) struct Contender {
    /// Its name in the report.
    pub(super) name: &'static str,
    /// What runs.
    pub(super) program: Program,
    /// Words after the common ones.
    pub(super) extra: &'static [&'static str],
}

/// What a figure of leadline, the first contender, has to be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    /// At least this many times the figure of that contender.
    Times(usize, f64),
    /// At most this many times the figure of that contender.
    AtMostTimes(usize, f64),
    /// At most this.
    AtMost(f64),
    /// At most this much above the figure of that contender.
    AtMostAbove(usize, f64),
    /// Not below that contender: lower in no more of the paired rounds than a coin would be in 95 of 100
    /// trials. Where a device sets the figure, two sides that are equal differ by chance in every run.
    NotBelow(usize),
    /// This, give or take that share of it.
    Within(f64, f64),
}

/// How a contender is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// As it is, in alternating rounds.
    Timed,
    /// As it is, in five times as many rounds of this many seconds. What a host that shares its cores does
    /// now and then spoils a tail of any length, and so each of a few long rounds; of many short ones it
    /// spoils some, and the median is of those it left alone.
    Often(u32),
    /// As often, on a core that a process of the least importance keeps from halting. A guest's core that has
    /// nothing to do halts, and its host takes a while to wake it: the less a tool works for an I/O the more
    /// often it pays that, which says nothing about the tool.
    Awake(u32),
    /// Under callgrind with two values of `number_ios`, three times: counts hardly vary. Intervals
    /// are long there: a run is some fifty times slower than it should be, and what is done once an
    /// interval would count for fifty times as much.
    Counted(u32, u32),
}

/// One case.
pub(super) struct Case {
    /// Its name for `--only`.
    pub(super) name: &'static str,
    /// What it is, for the report.
    pub(super) title: &'static str,
    /// How it is run.
    pub(super) method: Method,
    /// Words that all contenders get.
    pub(super) common: &'static str,
    /// The sides; the first is leadline.
    pub(super) contenders: &'static [Contender],
    /// What has to hold.
    pub(super) criteria: &'static [(Figure, Bound)],
}

impl Case {
    /// Whether it runs only where the real Vdbench is.
    pub(super) fn needs_vdbench(&self) -> bool {
        self.runs(Program::Vdbench)
    }

    /// Whether one of its sides is that program.
    pub(super) fn runs(&self, program: Program) -> bool {
        self.contenders.iter().any(|side| side.program == program)
    }
}

const LEADLINE: Contender = Contender {
    name: "leadline",
    program: Program::Leadline,
    extra: &[],
};
/// Without a run file: fio keeps none, and an interpreted processor is so slow that what is written each
/// half second of real time would be counted to a few thousand I/Os.
const LEADLINE_UNKEPT: Contender = Contender {
    name: "leadline",
    program: Program::Leadline,
    extra: &["--leadline-run=none"],
};
/// Latencies as a whole, not in their two parts (slat and clat).
const WHOLE: Contender = Contender {
    name: "leadline, latencies whole",
    program: Program::Leadline,
    extra: &["--disable_slat=1", "--disable_clat=1"],
};
const WHOLE_UNKEPT: Contender = Contender {
    extra: &[
        "--disable_slat=1",
        "--disable_clat=1",
        "--leadline-run=none",
    ],
    ..WHOLE
};
const FIO: Contender = Contender {
    name: "fio",
    program: Program::Fio,
    extra: &[],
};
const FIO_BATCHED: Contender = Contender {
    name: "fio, tuned",
    program: Program::Fio,
    extra: &[
        "--iodepth_batch=16",
        "--iodepth_batch_complete_max=16",
        "--fixedbufs",
        "--registerfiles",
    ],
};
/// Two jobs that keep the proportion of their shares, which Vdbench calls skew.
const FLOW: &[&str] = &["--flow=50", "--flow_id=1", "--name=a", "--name=b"];
const LEADLINE_FLOW_UNKEPT: Contender = Contender {
    name: "leadline",
    program: Program::Leadline,
    extra: &[
        "--leadline-run=none",
        "--flow=50",
        "--flow_id=1",
        "--name=a",
        "--name=b",
    ],
};
const LEADLINE_FLOW: Contender = Contender {
    name: "leadline",
    program: Program::Leadline,
    extra: FLOW,
};
const LEADLINE_APART: Contender = Contender {
    name: "leadline, no shares",
    program: Program::Leadline,
    extra: &["--name=a", "--name=b"],
};
const FIO_FLOW: Contender = Contender {
    name: "fio",
    program: Program::Fio,
    extra: FLOW,
};
const FIO_THREAD: Contender = Contender {
    name: "fio",
    program: Program::Fio,
    extra: &["--thread"],
};

const fn vdbench(name: &'static str, program: Program, file: &'static [&'static str]) -> Contender {
    Contender {
        name,
        program,
        extra: file,
    }
}
const ONE_THREAD: &[Contender] = &[
    vdbench("leadline", Program::LeadlineVdbench, &["-f", "{skew1}"]),
    vdbench(
        "leadline, no skew",
        Program::LeadlineVdbench,
        &["-f", "{apart1}"],
    ),
    vdbench("Vdbench", Program::Vdbench, &["-f", "{skew1}"]),
];
const EIGHT_THREADS: &[Contender] = &[
    vdbench("leadline", Program::LeadlineVdbench, &["-f", "{skew8}"]),
    vdbench(
        "leadline, no skew",
        Program::LeadlineVdbench,
        &["-f", "{apart8}"],
    ),
    vdbench("Vdbench", Program::Vdbench, &["-f", "{skew8}"]),
];
const SKEW: &[(Figure, Bound)] = &[
    (Figure::Iops, Bound::Times(1, 0.9)),
    (Figure::Iops, Bound::Times(2, 1.5)),
];

const BARE_RING: Contender = Contender {
    name: "bare ring",
    program: Program::BareRing,
    extra: &[],
};
const SPIN: Contender = Contender {
    name: "spinning",
    program: Program::Spin,
    extra: &[],
};

/// All cases, in the order of the report.
pub(super) const CASES: &[Case] = &[
    Case {
        name: "cached-512",
        title: "page-cached file, random read 512 B, io_uring QD32, one core",
        method: Method::Timed,
        common: "--name=b --filename={file} --rw=randread --bs=512 --ioengine=io_uring \
                 --iodepth=32 --invalidate=0 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO, FIO_BATCHED, BARE_RING],
        criteria: &[
            (Figure::Iops, Bound::Times(1, 2.0)),
            (Figure::Iops, Bound::Times(2, 1.2)),
            (Figure::Iops, Bound::Times(3, 0.9)),
        ],
    },
    Case {
        name: "cached-4k",
        title: "page-cached file, random read 4 KiB, io_uring QD32, one core",
        method: Method::Timed,
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=io_uring \
                 --iodepth=32 --invalidate=0 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO, FIO_BATCHED, BARE_RING],
        criteria: &[
            (Figure::Iops, Bound::Times(1, 1.8)),
            (Figure::Iops, Bound::Times(2, 1.2)),
            (Figure::Iops, Bound::Times(3, 0.9)),
        ],
    },
    Case {
        name: "psync-512",
        title: "page-cached file, random read 512 B, psync, one core",
        method: Method::Timed,
        common: "--name=b --filename={file} --rw=randread --bs=512 --ioengine=psync \
                 --invalidate=0 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO],
        criteria: &[(Figure::Iops, Bound::Times(1, 1.15))],
    },
    Case {
        name: "psync-4k",
        title: "page-cached file, random read 4 KiB, psync, one core",
        method: Method::Timed,
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=psync \
                 --invalidate=0 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO],
        criteria: &[(Figure::Iops, Bound::Times(1, 1.15))],
    },
    Case {
        name: "shares",
        title: "page-cached file, two jobs that keep equal shares (skew, flow), random read 4 KiB, psync",
        method: Method::Timed,
        common: "--filename={file} --rw=randread --bs=4k --ioengine=psync --invalidate=0 \
                 --time_based --runtime={seconds}",
        contenders: &[LEADLINE_FLOW, LEADLINE_APART, FIO_FLOW],
        criteria: &[
            (Figure::Iops, Bound::Times(1, 0.9)),
            (Figure::Iops, Bound::Times(2, 1.5)),
        ],
    },
    Case {
        name: "slat",
        title: "cost of slat: page-cached file, random read 4 KiB, io_uring QD32, one core",
        method: Method::Often(3),
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=io_uring \
                 --iodepth=32 --invalidate=0 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, WHOLE],
        criteria: &[(Figure::Iops, Bound::Times(1, 0.97))],
    },
    Case {
        name: "skew-1",
        title: "page-cached file, two workloads of Vdbench with skew=50, random read 4 KiB, threads=1",
        method: Method::Timed,
        common: "-o {out}",
        contenders: ONE_THREAD,
        criteria: SKEW,
    },
    Case {
        name: "skew-8",
        title: "page-cached file, two workloads of Vdbench with skew=50, random read 4 KiB, threads=8",
        method: Method::Timed,
        common: "-o {out}",
        contenders: EIGHT_THREADS,
        criteria: SKEW,
    },
    Case {
        name: "null",
        title: "null engine, random read 4 KiB, QD32, one core",
        method: Method::Timed,
        common: "--name=b --rw=randread --bs=4k --size=1g --ioengine=null --iodepth=32 \
                 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO],
        criteria: &[(Figure::Iops, Bound::Times(1, 2.0))],
    },
    Case {
        name: "direct",
        title: "O_DIRECT on a real file, random read 4 KiB, io_uring QD32",
        method: Method::Often(3),
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=io_uring \
                 --iodepth=32 --direct=1 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO],
        criteria: &[
            (Figure::Iops, Bound::NotBelow(1)),
            (Figure::CpuPerIo, Bound::AtMostTimes(1, 0.7)),
        ],
    },
    Case {
        name: "direct-libaio",
        title: "O_DIRECT on a real file, random read 4 KiB, libaio QD32",
        method: Method::Often(3),
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=libaio \
                 --iodepth=32 --direct=1 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO],
        criteria: &[
            (Figure::Iops, Bound::NotBelow(1)),
            (Figure::CpuPerIo, Bound::AtMostTimes(1, 1.0)),
        ],
    },
    Case {
        name: "direct-libaio-awake",
        title: "the same on a core kept from idle states",
        method: Method::Awake(3),
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=libaio \
                 --iodepth=32 --direct=1 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO],
        criteria: &[(Figure::Iops, Bound::NotBelow(1))],
    },
    Case {
        name: "trivial",
        title: "one read of 4 KiB, the whole process",
        method: Method::Timed,
        common: "--name=b --filename={small} --rw=read --bs=4k --size=4k",
        contenders: &[LEADLINE, FIO],
        criteria: &[(Figure::Wall, Bound::AtMost(30.0))],
    },
    Case {
        name: "stonewall",
        title: "ten stonewalled jobs of 4 KiB, the whole process",
        method: Method::Timed,
        common: "--filename={small} --rw=read --bs=4k --size=4k --stonewall --name=j0 --name=j1 \
                 --name=j2 --name=j3 --name=j4 --name=j5 --name=j6 --name=j7 --name=j8 --name=j9",
        contenders: &[LEADLINE, FIO],
        criteria: &[(Figure::Wall, Bound::AtMost(100.0))],
    },
    Case {
        name: "sparse",
        title: "1000 random reads over a sparse file of 16 TiB, the whole process",
        method: Method::Timed,
        common: "--name=b --rw=randread --bs=4k --ioengine=psync --number_ios=1000",
        contenders: &[
            Contender {
                extra: &["--filename={sparse}"],
                ..LEADLINE
            },
            Contender {
                name: "leadline, 512 MiB file",
                extra: &["--filename={file}"],
                ..LEADLINE
            },
            Contender {
                extra: &["--filename={sparse}"],
                ..FIO
            },
        ],
        criteria: &[
            (Figure::Wall, Bound::AtMostTimes(1, 1.5)),
            (Figure::Memory, Bound::AtMostTimes(1, 1.05)),
        ],
    },
    Case {
        name: "rate-1k",
        title: "open loop on null at 1,000 IOPS",
        method: Method::Often(1),
        common: "--name=b --rw=randread --bs=4k --size=1g --ioengine=null --rate_iops=1000 \
                 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO, SPIN],
        criteria: &[
            (Figure::Iops, Bound::Within(1e3, 0.001)),
            (Figure::Lag, Bound::AtMost(100.0)),
            (Figure::Lag, Bound::AtMostAbove(2, 100.0)),
        ],
    },
    Case {
        name: "rate-10k",
        title: "open loop on null at 10,000 IOPS",
        method: Method::Often(1),
        common: "--name=b --rw=randread --bs=4k --size=1g --ioengine=null --rate_iops=10000 \
                 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO, SPIN],
        criteria: &[
            (Figure::Iops, Bound::Within(1e4, 0.001)),
            (Figure::Lag, Bound::AtMost(100.0)),
            (Figure::Lag, Bound::AtMostAbove(2, 100.0)),
        ],
    },
    Case {
        name: "rate-100k",
        title: "open loop on null at 100,000 IOPS",
        method: Method::Often(1),
        common: "--name=b --rw=randread --bs=4k --size=1g --ioengine=null --rate_iops=100000 \
                 --time_based --runtime={seconds} --cpus_allowed={cpu}",
        contenders: &[LEADLINE, FIO, SPIN],
        criteria: &[
            (Figure::Iops, Bound::Within(1e5, 0.001)),
            (Figure::Lag, Bound::AtMost(100.0)),
            (Figure::Lag, Bound::AtMostAbove(2, 100.0)),
        ],
    },
    Case {
        name: "instructions-uring",
        title: "user instructions, page-cached random read 4 KiB, io_uring QD32",
        method: Method::Counted(20_000, 100_000),
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=io_uring \
                 --iodepth=32 --invalidate=0 --bwavgtime=60000",
        contenders: &[LEADLINE_UNKEPT, FIO_THREAD, BARE_RING],
        criteria: &[
            (Figure::Instructions, Bound::AtMost(180.0)),
            (Figure::Instructions, Bound::AtMostAbove(2, 190.0)),
        ],
    },
    Case {
        name: "instructions-null",
        title: "user instructions, null engine, random read 4 KiB, QD32",
        method: Method::Counted(20_000, 100_000),
        common: "--name=b --rw=randread --bs=4k --size=1g --ioengine=null --iodepth=32 \
                 --bwavgtime=60000",
        contenders: &[LEADLINE_UNKEPT, FIO_THREAD],
        criteria: &[(Figure::Instructions, Bound::AtMost(100.0))],
    },
    // One I/O a turn: all that a turn costs is that of one I/O.
    Case {
        name: "instructions-psync",
        title: "user instructions, page-cached random read 4 KiB, psync",
        method: Method::Counted(20_000, 100_000),
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=psync \
                 --invalidate=0 --bwavgtime=60000",
        contenders: &[LEADLINE_UNKEPT, FIO_THREAD],
        criteria: &[(Figure::Instructions, Bound::AtMost(650.0))],
    },
    // A rate that an interpreted processor never reaches: each I/O is due, and nothing is waited for.
    Case {
        name: "instructions-paced",
        title: "user instructions, null engine, random read 4 KiB, QD32, at a rate that is not reached",
        method: Method::Counted(20_000, 100_000),
        common: "--name=b --rw=randread --bs=4k --size=1g --ioengine=null --iodepth=32 \
                 --rate_iops=100000000 --bwavgtime=60000",
        contenders: &[LEADLINE_UNKEPT, FIO_THREAD],
        criteria: &[(Figure::Instructions, Bound::AtMost(220.0))],
    },
    Case {
        name: "instructions-mixed",
        title: "user instructions, null engine, 70 % reads and 30 % writes at random, 4 KiB, QD32",
        method: Method::Counted(20_000, 100_000),
        common: "--name=b --rw=randrw --rwmixread=70 --bs=4k --size=1g --ioengine=null --iodepth=32 \
                 --bwavgtime=60000",
        contenders: &[LEADLINE_UNKEPT, FIO_THREAD],
        criteria: &[(Figure::Instructions, Bound::AtMost(400.0))],
    },
    // fio with flow does not end under callgrind.
    Case {
        name: "instructions-skewed",
        title: "user instructions, null engine, two jobs that keep equal shares, random read 4 KiB, QD32",
        method: Method::Counted(20_000, 100_000),
        common: "--rw=randread --bs=4k --size=1g --ioengine=null --iodepth=32 --bwavgtime=60000",
        contenders: &[LEADLINE_FLOW_UNKEPT],
        criteria: &[(Figure::Instructions, Bound::AtMost(200.0))],
    },
    Case {
        name: "instructions-slat-uring",
        title: "user instructions of slat, page-cached random read 4 KiB, io_uring QD32",
        method: Method::Counted(20_000, 100_000),
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=io_uring \
                 --iodepth=32 --invalidate=0 --bwavgtime=60000",
        contenders: &[LEADLINE_UNKEPT, WHOLE_UNKEPT],
        criteria: &[(Figure::Instructions, Bound::AtMostAbove(1, 25.0))],
    },
    // An engine that does nothing has no rate but leadline's own: what is bounded is the work.
    Case {
        name: "instructions-slat-null",
        title: "user instructions of slat, null engine, random read 4 KiB, QD32",
        method: Method::Counted(20_000, 220_000),
        common: "--name=b --rw=randread --bs=4k --size=1g --ioengine=null --iodepth=32 \
                 --bwavgtime=60000",
        contenders: &[LEADLINE_UNKEPT, WHOLE_UNKEPT],
        criteria: &[(Figure::Instructions, Bound::AtMostAbove(1, 40.0))],
    },
    // One I/O at a time has no submission of its own: nothing is measured, and nothing costs.
    Case {
        name: "instructions-slat-psync",
        title: "user instructions of slat, page-cached random read 4 KiB, psync",
        method: Method::Counted(20_000, 100_000),
        common: "--name=b --filename={file} --rw=randread --bs=4k --ioengine=psync \
                 --invalidate=0 --bwavgtime=60000",
        contenders: &[LEADLINE_UNKEPT, WHOLE_UNKEPT],
        criteria: &[(Figure::Instructions, Bound::AtMostAbove(1, 25.0))],
    },
];
