//! Table: the studies, and what each has where an option is not given.

use leadline_model::plan::study::Question;

/// A study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudySpec {
    /// Its name.
    pub name: &'static str,
    /// What it finds out, a sentence without its full stop.
    pub about: &'static str,
    /// What is computed and drawn, in sentences.
    pub answers: &'static str,
    /// A command line.
    pub example: &'static str,
    /// What is varied where nothing is said.
    pub usual: Usual,
    /// Its question, without its parameters.
    pub(crate) asks: Asks,
}

impl StudySpec {
    /// The options of all studies that have no part in this one, and why.
    pub(crate) const fn without(&self) -> (&'static [&'static str], &'static str) {
        match self.asks {
            Asks::Combined => (&["rw", "order"], "--free and --rated set the operations"),
            Asks::Map => (&["rw"], "its grid sets the rates of reads and writes"),
            _ => (&[], ""),
        }
    }
}

/// What is varied where nothing is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usual {
    /// Block sizes, in bytes.
    pub blocks: &'static [u64],
    /// Shares of reads, in percent.
    pub reads: &'static [u8],
    /// Whether offsets jump.
    pub random: bool,
    /// I/Os in flight of each worker.
    pub depths: &'static [u32],
    /// Workers of each host.
    pub jobs: &'static [u32],
}

/// Which question a study asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    Latency,
    Iops,
    Throughput,
    Mix,
    Depth,
    Size,
    Curve,
    Limit,
    Burst,
    Cache,
    Arms,
    ScaleOut,
    NearFar,
    Combined,
    Map,
    Steady,
    Screen,
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const DOUBLINGS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128, 256];
const BLOCKS: &[u64] = &[
    512,
    KIB,
    2 * KIB,
    4 * KIB,
    8 * KIB,
    16 * KIB,
    32 * KIB,
    64 * KIB,
    128 * KIB,
    256 * KIB,
    512 * KIB,
    MIB,
];

const RANDOM_READS: Usual = Usual {
    blocks: &[4 * KIB],
    reads: &[100],
    random: true,
    depths: &[32],
    jobs: &[1],
};

/// All of them.
pub const STUDIES: &[StudySpec] = &[
    StudySpec {
        name: "latency",
        about: "Latency of a single I/O, reads and writes separately",
        answers: "Mean, p50, p99, p99.9 with intervals; N = X R (Little's law: I/Os in flight = rate times latency). Drawn: latency over block size.",
        example: "leadline study latency /mnt/vol --bs 4k..1m",
        usual: Usual {
            reads: &[100, 0],
            depths: &[1],
            ..RANDOM_READS
        },
        asks: Asks::Latency,
    },
    StudySpec {
        name: "iops",
        about: "IOPS at a queue depth",
        answers: "IOPS and latencies with intervals.",
        example: "leadline study iops /mnt/vol --rw read,write --depths 32",
        usual: Usual {
            reads: &[100, 0],
            ..RANDOM_READS
        },
        asks: Asks::Iops,
    },
    StudySpec {
        name: "throughput",
        about: "Sequential throughput, in MiB/s and MB/s",
        answers: "Throughput in MiB/s and MB/s with intervals. `--assert 'bw>500MiB/s'` makes a lower one a failure.",
        example: "leadline study throughput /mnt/vol --bs 64k,256k --jobs 16",
        usual: Usual {
            blocks: &[64 * KIB],
            reads: &[100, 0],
            random: false,
            depths: &[32],
            jobs: &[1],
        },
        asks: Asks::Throughput,
    },
    StudySpec {
        name: "mix",
        about: "How reads and writes affect each other",
        answers: "Which of four models predicts total IOPS from the share of reads; latency at depth 1 shows \
                  whether the depth alone set the rate. Drawn: reads, writes and total over the share of reads, \
                  with the model.",
        example: "leadline study mix /mnt/vol --step 10 --bs 4k,8k",
        usual: RANDOM_READS,
        asks: Asks::Mix,
    },
    StudySpec {
        name: "depth",
        about: "How throughput and latency change with queue depth",
        answers: "Latency at depth 1 (R0), the highest rate (X), N* = X R0 (the I/Os in flight that this rate needs at \
                  least, by Little's law) with its interval, the knee; points are repeated until each step is significant. Drawn: IOPS, throughput and latency over depth.",
        example: "leadline study depth /mnt/vol --depths 1..1024 --jobs 1,4,16",
        usual: Usual {
            depths: DOUBLINGS,
            ..RANDOM_READS
        },
        asks: Asks::Depth,
    },
    StudySpec {
        name: "size",
        about: "Which limit applies at which block size: X = min(C, B/b, S/R0)",
        answers: "The term that applies at each size: of the rate X at blocks of b bytes, with C the most I/Os a second, B the most \
                  bytes a second, S the most I/Os at once, and R0 the latency at depth 1. Drawn: IOPS over block size, both axes logarithmic.",
        example: "leadline study size /mnt/vol --bs 512..1m",
        usual: Usual {
            blocks: BLOCKS,
            depths: &[1, 64],
            ..RANDOM_READS
        },
        asks: Asks::Size,
    },
    StudySpec {
        name: "curve",
        about: "Latency at rates up to the maximum",
        answers: "Response and service latency at each rate, the overall response time (mean latency over all rates, by \
                  trapezoids), and three knees: where latency starts to rise sharply, where the ratio of rate to latency is best, \
                  up to where latency is at most twice the lowest; points are added between two whose p99 differs by a fifth, until none do or they are within 2 % of the highest rate, at most 40; --budget sets another end, and open gaps are reported. Drawn: latency over IOPS.",
        example: "leadline study curve /mnt/vol --points 10,50,70,80,90,100 --arrivals poisson",
        usual: Usual {
            depths: &[64],
            ..RANDOM_READS
        },
        asks: Asks::Curve,
    },
    StudySpec {
        name: "limit",
        about: "The highest rate at which a latency target is met",
        answers: "The highest rate that met it and the lowest that did not. Drawn: the trials.",
        example: "leadline study limit /mnt/vol --slo 'p99<2ms'",
        usual: Usual {
            depths: &[256],
            ..RANDOM_READS
        },
        asks: Asks::Limit,
    },
    StudySpec {
        name: "burst",
        about: "Burst and baseline rate of a volume with credits, the size of the credit bucket, and its refill rate",
        answers: "All of these for IOPS and for bandwidth. Drawn: the rate and the credits over time.",
        example: "leadline study burst /mnt/vol --rest 5m",
        usual: RANDOM_READS,
        asks: Asks::Burst,
    },
    StudySpec {
        name: "cache",
        about: "Effect of the client's and the server's caches",
        answers: "Direct; buffered cold and warm; the same offsets again, new offsets, and again after other \
                  data displaced them: the hit ratio, and the warm-up needed, computed and measured: random offsets \
                  until the rate is stable. Drawn: the rate while warming up; with several shares of reads, each \
                  step over the share.",
        example: "leadline study cache /mnt/vol --server-cache 2g",
        usual: RANDOM_READS,
        asks: Asks::Cache,
    },
    StudySpec {
        name: "arms",
        about: "Any study in several states of the system, set up and undone by commands, or on several targets",
        answers: "What each state changes relative to the first: rate, p50 and p99 with their intervals, the \
                  difference and whether it is significant; the study's answer in each state. The order of the states alternates between \
                  repeats. Drawn: all states together.",
        example: "leadline study arms /mnt/vol --study depth --arm one --prepare 'mount -o nconnect=1 srv:/v /mnt/vol' \
                  --undo 'umount /mnt/vol' --arm eight --prepare 'mount -o nconnect=8 srv:/v /mnt/vol' --undo 'umount \
                  /mnt/vol'",
        usual: Usual {
            depths: DOUBLINGS,
            ..RANDOM_READS
        },
        asks: Asks::Arms,
    },
    StudySpec {
        name: "scale-out",
        about: "Effect of the number of hosts",
        answers: "Rate in total and per host, efficiency, the universal scalability law with bounds. Drawn: total \
                  and per host over the number of hosts.",
        example: "leadline study scale-out /mnt/vol --hosts 'vm[1-8]' --counts 1,2,4,8",
        usual: RANDOM_READS,
        asks: Asks::ScaleOut,
    },
    StudySpec {
        name: "near-far",
        about: "Effect of network distance: a curve for each group of hosts, alone and together",
        answers: "IOPS near and far at equal depth beside N/(R0 + d), with N the I/Os in flight, R0 the latency near at \
                  depth 1 and d the difference of the round trips; latency at 25, 50, 75 and 90 % of the highest rate in \
                  an open loop, alone and together. Drawn: latency over IOPS for each group, in both loops.",
        example: "leadline study near-far /mnt/vol --hosts a,b,c,d --groups near=a,b far=c,d",
        usual: Usual {
            depths: &[1, 4, 16, 64],
            ..RANDOM_READS
        },
        asks: Asks::NearFar,
    },
    StudySpec {
        name: "combined",
        about: "How a rate-limited workload affects an unthrottled one",
        answers: "Each workload alone and both at once, in IOPS, MiB/s and bytes; one combined figure. Drawn: both \
                  over time.",
        example: "leadline study combined /mnt/vol --free randread --rated randwrite:12800",
        usual: Usual {
            depths: &[128],
            jobs: &[4],
            ..RANDOM_READS
        },
        asks: Asks::Combined,
    },
    StudySpec {
        name: "map",
        about: "Latency over read rate and write rate",
        answers: "p50 and p99 of each pair of rates; refined where p99 doubles. Drawn: a heat map with the border.",
        example: "leadline study map /mnt/vol --grid 6 --refine 12",
        usual: Usual {
            depths: &[64],
            ..RANDOM_READS
        },
        asks: Asks::Map,
    },
    StudySpec {
        name: "steady",
        about: "Whether, and when, rounds stop changing (SNIA's gate)",
        answers: "The round at which five rounds in a row vary by at most 20 % of their mean and their trend by 10 %, or \
                  never; the slope with its interval. Drawn: the rounds.",
        example: "leadline study steady /mnt/vol --rw write --precondition 2x",
        usual: Usual {
            reads: &[0],
            ..RANDOM_READS
        },
        asks: Asks::Steady,
    },
    StudySpec {
        name: "screen",
        about: "Which of 2 to 11 factors matter, in 24 points (Plackett and Burman, folded over)",
        answers: "The effect of each factor with its interval, largest first. Drawn: the effects.",
        example: "leadline study screen /mnt/vol --factors 'bs=4k,64k;jobs=1,8;rw=read,write'",
        usual: RANDOM_READS,
        asks: Asks::Screen,
    },
];

impl StudySpec {
    /// The study of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        STUDIES.iter().find(|study| study.name == name)
    }
}

impl Asks {
    /// The question of those that have no parameters.
    pub(crate) const fn plain(self) -> Option<Question> {
        Some(match self {
            Self::Latency => Question::Latency,
            Self::Iops => Question::Iops,
            Self::Throughput => Question::Throughput,
            Self::Mix => Question::Mix,
            Self::Depth | Self::Arms => Question::Depth,
            Self::Size => Question::Size,
            _ => return None,
        })
    }
}
