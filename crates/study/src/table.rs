//! Table: the options of studies, for command lines and files alike.

use crate::option::{OptionSpec, option};
use crate::studies::{Asks, StudySpec};
use crate::take::{class, distance, factors, groups, kinds, number, orders, share, small};
use crate::value;
use leadline_model::plan::Arrival;
use leadline_model::plan::study::{Arm, Metric, StudyPlace};

impl OptionSpec {
    /// The option of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        // One depth is one of a list.
        let name = if name == "depth" { "depths" } else { name };
        OPTIONS.iter().find(|option| option.name == name)
    }
}

const OPEN: &[&str] = &["curve", "limit"];
/// Studies that no rule of their own ends the points of.
const SETTLED: &[&str] = &[
    "latency",
    "iops",
    "throughput",
    "mix",
    "depth",
    "size",
    "curve",
    "scale-out",
    "near-far",
    "combined",
    "map",
    "screen",
];

/// All of them.
pub const OPTIONS: &[OptionSpec] = &[
    option("bs", "LIST", "Block sizes: 4k,64k or 512..1m (doubling)", "4k,64k", |d, v| {
        d.blocks = Some(value::sizes(v)?);
        Ok(())
    })
    .default("4k")
    .but(&[(&["throughput"], "64k"), (&["size"], "512..1m")]),
    option("rw", "LIST", "Operations: read, write, randread, randwrite, or percent of reads; 0..100:25 is in steps of 25", "read,70,write", kinds)
    .default("read")
    .but(&[(&["latency", "iops", "throughput"], "read,write"), (&["steady"], "write"), (&["mix"], "by --step")]),
    option("order", "LIST", "random, sequential, or both", "random,sequential", orders)
    .default("random")
    .but(&[(&["throughput"], "sequential")]),
    option("depths", "LIST", "I/Os in flight of each job: 1,8,32 or 1..1024 (doubling)", "1..64", |d, v| {
        d.depths = Some(small(v, 32_768)?);
        Ok(())
    })
    .default("32")
    .but(&[
        (&["latency"], "1"),
        (&["depth"], "1..256"),
        (&["size"], "1,64"),
        (&["curve", "map"], "64"),
        (&["limit"], "256"),
        (&["near-far"], "1,4,16,64"),
        (&["combined"], "128"),
    ]),
    option("jobs", "LIST", "Workers of each host", "1,4,16", |d, v| {
        d.jobs = Some(small(v, 4_096)?);
        Ok(())
    })
    .default("1")
    .but(&[(&["combined"], "4")]),
    option("step", "PERCENT", "Step between mixes", "10", |d, v| {
        let step: u8 = v.parse().map_err(|_| format!("'{v}' is not a whole percentage"))?;
        if !(1..=100).contains(&step) {
            return Err("a step is 1 to 100 percent".to_owned());
        }
        d.step = Some(step);
        Ok(())
    })
    .of(&["mix", "arms"])
    .default("25"),
    option("points", "LIST", "Rates in percent of the highest", "10,50,90,100", |d, v| {
        d.points = Some(small(v, 1_000)?);
        Ok(())
    })
    .of(&["curve"])
    .default("10,50,70,80,90,100"),
    option("arrivals", "poisson|even|constant", "Arrivals: Poisson, even (intervals uniform between 0 and twice the mean), or constant", "even", |d, v| {
        d.arrival = Some(match v {
            "poisson" => Arrival::Poisson,
            "even" => Arrival::Even,
            "constant" => Arrival::Constant,
            other => return Err(format!("'{other}' is not poisson, even or constant")),
        });
        Ok(())
    })
    .of(OPEN)
    .default("poisson"),
    option("slo", "TARGET", "The target: p99<2ms, p99.9<=10ms, mean<500us", "p99<2ms", |d, v| {
        d.slo = Some(crate::slo::latency_target(v)?);
        Ok(())
    })
    .of(&["limit"]),
    option("loss", "SHARE", "Share of I/Os that may fail or not be issued, 0 to 1, over all trials at a rate; above 0, a rate fails only if the excess is more than chance", "0.001", |d, v| {
        d.loss = Some(share(v)?);
        Ok(())
    })
    .of(&["limit"])
    .default("0"),
    option("rest", "TIME", "Idle pause for credits to refill", "5m", |d, v| {
        d.rest = Some(value::time(v)?);
        Ok(())
    })
    .of(&["burst"])
    .default("60s"),
    option("server-cache", "SIZE|none|ro|warmed", "What is known about the server's cache, for the labels of the result; given a size, the study cache reads that many bytes elsewhere to displace its content", "2g", |d, v| {
        d.server_cache = Some(value::server_cache(v)?);
        Ok(())
    }),
    option("counts", "LIST", "Numbers of hosts, taken from --hosts in order", "1,2,4", |d, v| {
        // `1,2,4..` is what is usual.
        let (list, is_open) = v.strip_suffix("..").map_or((v, false), |list| (list, true));
        let mut counts = small(list, 100_000).inspect_err(|_| {
            // Those that are right may be wrong for the hosts, which is said with the rest.
            d.counts = Some(list.split(',').filter_map(|n| n.trim().parse().ok()).collect());
        })?;
        counts.sort_unstable();
        let doubles = counts.iter().zip(0_u32..).all(|(count, n)| *count == 1 << n.min(31));
        if is_open && !doubles {
            return Err("an open list doubles from 1: 1,2,4..".to_owned());
        }
        d.counts = (!is_open).then_some(counts);
        Ok(())
    })
    .of(&["scale-out"])
    .default("1, 2, 4 and on, and all"),
    option("groups", "NAME=HOST,...", "Groups of hosts; several words, or one with spaces", "near=a,b", groups)
    .of(&["near-far"])
    .repeated(),
    option("distance", "NAME=TIME,...", "Round trip of a group's hosts to a simulated volume, added to that of its law", "far=500us", distance)
    .of(&["near-far"])
    .repeated(),
    option("free", "KIND", "The unthrottled workload: randread, write, ...", "randread", |d, v| {
        d.free = Some(class(v, false)?);
        Ok(())
    })
    .of(&["combined"])
    .default("randread"),
    option("rated", "KIND:RATE", "The workload at a rate, for all its jobs together: 12800 (IOPS), 50MB/s", "randwrite:12800", |d, v| {
        d.rated = Some(class(v, true)?);
        Ok(())
    })
    .of(&["combined"]),
    option("rated-target", "TARGET", "Target of the workload at a rate, if it is another volume: a directory, file or device, or sim:LAW; each has the whole data set", "sim:service=1ms,name=b", |d, v| {
        d.rated_target = Some(v.to_owned());
        Ok(())
    })
    .of(&["combined"]),
    option("grid", "N", "Rates on each axis", "6", |d, v| {
        d.grid = Some(number(v, 2, 100)?);
        Ok(())
    })
    .of(&["map"])
    .default("6"),
    option("refine", "N", "Points to add where p99 doubles between neighbours", "12", |d, v| {
        d.refine = Some(number(v, 0, 10_000)?);
        Ok(())
    })
    .of(&["map"])
    .default("12"),
    option("metric", "iops|throughput|latency", "Figure by which rounds are compared", "latency", |d, v| {
        d.metric = Some(match v {
            "iops" => Metric::Iops,
            "throughput" => Metric::Throughput,
            "latency" => Metric::Latency,
            other => return Err(format!("'{other}' is not iops, throughput or latency")),
        });
        Ok(())
    })
    .of(&["steady"])
    .default("iops"),
    option("precondition", "TIMES", "How many times the data set is written before the first round", "2x", |d, v| {
        let times: f64 = v.trim_end_matches('x').parse().map_err(|_| format!("'{v}' is not a number of times, such as 2x"))?;
        if !(0.0..=100.0).contains(&times) {
            return Err("0 to 100 times".to_owned());
        }
        d.precondition = Some(times);
        Ok(())
    })
    .of(&["steady"])
    .default("2x"),
    option("factors", "NAME=LOW,HIGH;...", "2 to 11 factors with two values each: bs, jobs, depths, rw, order (random, sequential), files, direct (yes, no), engine, theta (skew: Zipf's exponent, 0 = even, not 1), dataset, fsync (writes between flushes, 0 = none), think (pause after each I/O)", "bs=4k,64k;jobs=1,8", factors)
    .of(&["screen"]),
    option("study", "NAME", "The study to run in each state; in a file, the study itself", "mix", |d, v| {
        let inner = StudySpec::named(v).ok_or_else(|| format!("there is no study '{v}'"))?;
        if inner.asks == Asks::Arms {
            return Err("arms cannot be nested: name another study".to_owned());
        }
        d.inner = Some(inner);
        Ok(())
    })
    .of(&["arms"])
    .default("depth"),
    option("arm", "NAME", "A state of the system; the --prepare and --undo that follow belong to it", "nconnect8", |d, v| {
        if d.arms.iter().any(|arm| arm.name == v) {
            return Err(format!("the arm {v} exists already"));
        }
        if v.is_empty() || v.contains('/') {
            return Err("an arm needs a name without a slash".to_owned());
        }
        d.arms.push(Arm {
            name: v.to_owned(),
            place: None,
            prepare: String::new(),
            undo: String::new(),
        });
        Ok(())
    })
    .repeated(),
    option("target", "TARGET", "Target of the preceding --arm, instead of the study's targets: a directory, file or device, or sim:LAW", "sim:service=1ms", |d, v| {
        let arm = d.arms.last_mut().ok_or("it belongs after an --arm")?;
        arm.place = Some(StudyPlace::Paths(vec![v.to_owned()]));
        Ok(())
    })
    .repeated(),
    option("prepare", "COMMAND", "Command that sets up the state of the preceding --arm; it has no terminal (sudo -n)", "mount /mnt/vol", |d, v| {
        let arm = d.arms.last_mut().ok_or("it belongs after an --arm")?;
        v.clone_into(&mut arm.prepare);
        Ok(())
    })
    .repeated(),
    option("undo", "COMMAND", "Command that undoes that state, also after a partial --prepare", "umount /mnt/vol", |d, v| {
        let arm = d.arms.last_mut().ok_or("it belongs after an --arm")?;
        v.clone_into(&mut arm.undo);
        Ok(())
    })
    .repeated(),
    option("dataset", "SIZE", "Bytes of the whole data set, divided among hosts, jobs and files", "10g", |d, v| {
        d.dataset = Some(value::bytes(v)?);
        Ok(())
    })
    .default("1g (256m with --quick)"),
    option("files", "N", "Files of each host", "4", |d, v| {
        d.files = Some(number(v, 1, 100_000)?);
        Ok(())
    })
    .default("1"),
    option("buffered", "", "Use the client's page cache instead of O_DIRECT", "", |d, _| {
        d.buffered = true;
        Ok(())
    }),
    option("engine", "NAME", "Back end", "psync", |d, v| {
        d.engine = Some(value::engine(v)?);
        Ok(())
    })
    .default("io_uring"),
    option("time", "TIME", "Measured time of each point", "30s", |d, v| {
        d.time = Some(value::time(v)?);
        Ok(())
    })
    .default("5s (1s with --quick)")
    .but(&[(&["burst"], "60s (10s with --quick)"), (&["steady"], "10s (1s with --quick)")]),
    option("warmup", "TIME", "Warm-up before each point; 0 = none", "5s", |d, v| {
        d.warmup = Some(leadline_dialect::quantity::time(v, 1_000_000_000)?);
        Ok(())
    })
    .default("1s (200ms with --quick)"),
    option("budget", "TIME", "Total time with fills, warm-ups and pauses but without --prepare and --undo, kept to within a few percent: points are shortened, to no less than 1 s, and searches end early; a budget too short for all points is refused", "10m", |d, v| {
        d.budget = Some(value::time(v)?);
        Ok(())
    })
    .default("none")
    .but(&[(&["limit"], "120 times --time for the trials")]),
    option("until-interval", "SHARE", "End each point when the 95 % intervals of its IOPS and mean latency are within this share of them: after a quarter of its time at the earliest and four times its time at the latest, within the budget", "2%", |d, v| {
        d.narrow = Some(value::share_ppm(v)?);
        Ok(())
    })
    .of(SETTLED),
    option("repeat", "N", "Number of times to measure everything, each time with fresh seeds and in another order", "5", |d, v| {
        d.repeats = Some(number(v, 1, 1_000)?);
        Ok(())
    })
    .default("1"),
    option("seed", "N", "Seed of all random choices", "42", |d, v| {
        d.seed = Some(v.parse().map_err(|_| format!("'{v}' is not a whole number"))?);
        Ok(())
    })
    .default("fresh for each run"),
    option("quick", "", "Fewer and shorter points; of more than four depths every other one and the last", "", |d, _| {
        d.quick = true;
        Ok(())
    }),
    option("yes", "", "Confirm more than 10,000 points", "", |d, _| {
        d.beside.yes = true;
        Ok(())
    }),
    option("resume", "RUN", "Resume an interrupted run: its finished points are kept", "run.leadline", |d, v| {
        d.beside.resume = Some(v.to_owned());
        Ok(())
    }),
    option("keep", "", "Keep the study's files for the next run instead of deleting them", "", |d, _| {
        d.beside.keep = true;
        Ok(())
    }),
    option("destroy", "PATH", "Allow overwriting this file or block device", "/dev/sdx", |d, v| {
        d.beside.destroy.push(v.to_owned());
        Ok(())
    })
    .repeated(),
    option("out", "NAME", "Name of the report and the run file, without extension", "vol7", |d, v| {
        d.beside.out = Some(v.to_owned());
        Ok(())
    })
    .default("leadline-DATE-TIME"),
    option("force", "", "Replace the report and the run file of that name", "", |d, _| {
        d.beside.force = true;
        Ok(())
    }),
    option("json", "", "The result as JSON on standard output", "", |d, _| {
        d.beside.json = true;
        Ok(())
    }),
    option("fail-on-grade", "B|C|F", "Exit with 99 if the grade is this one or worse; results are still written", "C", |d, v| {
        d.beside.fail_on_grade = Some(match v {
            "B" | "b" => 'B',
            "C" | "c" => 'C',
            "F" | "f" => 'F',
            other => return Err(format!("'{other}' is not B, C or F")),
        });
        Ok(())
    }),
];
