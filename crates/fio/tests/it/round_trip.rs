//! What is printed of a plan reads back as the same plan.

use crate::common::{FakeHost, short_diagnostics, short_plan};
use leadline_fio::print::fio_job;
use leadline_fio::{self as fio};
use leadline_model::plan::Plan;
use proptest::prelude::*;

/// Options whose plan is printed as another that does the same, each with the reason.
const PRINTED_OTHERWISE: &[(&str, &str)] = &[
    (
        "bwavgtime",
        "samples are of the run, and fio's are of its logs",
    ),
    (
        "iopsavgtime",
        "samples are of the run, and fio's are of its logs",
    ),
    (
        "sim",
        "fio has no simulated device: libaio on a file to be named stands in its place, with a remark",
    ),
];

fn parse(args: &[String], job: &str) -> Plan {
    let mut host = FakeHost::default();
    host.files.insert("job.fio".to_owned(), job.to_owned());
    let parsed = fio::parse(args, &host);
    let says = short_diagnostics(&parsed.diagnostics, &parsed.sources);
    parsed
        .plan
        .unwrap_or_else(|| panic!("{args:?}: {says}\n{job}"))
}

#[test]
fn the_case_of_each_option_is_printed_and_read_back_as_it_was() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for spec in fio::options() {
        let Some(case) = spec.case else { continue };
        let words = case.words.split(' ').map(|word| format!("--{word}"));
        let args: Vec<String> = std::iter::once("--name=w".to_owned())
            .chain(words)
            .collect();
        let plan = parse(&args, "");
        let job = fio_job(&plan);
        let again = parse(&["job.fio".to_owned()], &job);
        seen += 1;
        let (first, second) = (short_plan(&plan), short_plan(&again));
        let otherwise = PRINTED_OTHERWISE.iter().any(|(name, _)| *name == spec.name);
        if (first == second) == otherwise {
            wrong.push(format!(
                "{}: {}\n{first}--- printed\n{job}--- again\n{second}",
                spec.name, case.words
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {seen}\n{}",
        wrong.len(),
        wrong.join("\n=====\n")
    );
}

/// What reads, writes and trims have each is printed for each.
#[test]
fn what_operations_do_not_have_in_common_is_printed_and_read_back() {
    for words in [
        "rw=randwrite random_distribution=zoned:60/10:40/90,10/10:90/90",
        "rw=randrw random_distribution=zoned_abs:60/1m:40/1g",
        "rw=randrw random_distribution=zoned_abs:60/1m:40/1g,10/2m:90/1g",
        "rw=randrw bs=4k,8k blockalign=4k,8k",
        "rw=randrw bs=8k blockalign=4k",
    ] {
        let words = words.split(' ').map(|word| format!("--{word}"));
        let args: Vec<String> = ["--name=w".to_owned(), "--size=1g".to_owned()]
            .into_iter()
            .chain(words)
            .collect();
        let plan = parse(&args, "");
        let job = fio_job(&plan);
        assert!(!job.contains("not in fio"), "{job}");
        let again = parse(&["job.fio".to_owned()], &job);
        assert_eq!(short_plan(&plan), short_plan(&again), "{job}");
    }
}

/// A policy for a list of CPUs that is not there changes nothing, but is part of the plan.
#[test]
fn how_cpus_are_shared_is_printed_without_a_list() {
    let args = ["--name=w", "--size=1g", "--cpus_allowed_policy=split"].map(str::to_owned);
    let plan = parse(&args, "");
    assert!(plan.stages[0].workloads[0].placement.split_cpus);
    let job = fio_job(&plan);
    let again = parse(&["job.fio".to_owned()], &job);
    assert_eq!(short_plan(&plan), short_plan(&again), "{job}");
}

/// An engine of one I/O at a time has no batch of several, whatever depth was asked for.
#[test]
fn batches_of_an_engine_of_one_io_at_a_time_are_printed_as_they_are() {
    for option in ["iodepth_batch", "iodepth_batch_complete_min", "iodepth_low"] {
        let option = format!("--{option}=4");
        let engine = ["--ioengine=psync", "--iodepth=8", option.as_str()];
        let args = [&["--name=w", "--size=1g"][..], &engine].concat();
        let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
        let plan = parse(&args, "");
        let own = &plan.stages[0].workloads[0].engine;
        let found = [own.batch_submit, own.batch_wait, own.low_depth];
        assert_eq!(found.into_iter().flatten().sum::<u32>(), 1, "{option}");
        let job = fio_job(&plan);
        let again = parse(&["job.fio".to_owned()], &job);
        assert_eq!(short_plan(&plan), short_plan(&again), "{job}");
    }
}

/// What fio cannot do has a remark: nothing is left out silently.
#[test]
fn what_fio_lacks_of_offsets_is_a_remark() {
    use leadline_model::op::PerOp;
    use leadline_model::plan::access::{Begin, Distribution, Grid, Position, Sizes};
    use leadline_model::plan::{Access, Blocks};
    let remarks = |rw: &str, change: &dyn Fn(&mut Blocks)| {
        let args = ["--name=w", rw, "--size=1g"].map(str::to_owned);
        let mut plan = parse(&args, "");
        change(plan.stages[0].workloads[0].blocks_mut());
        let job = fio_job(&plan);
        let own = job.lines().filter(|line| line.contains("not in fio"));
        own.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let access = |change: fn(&mut Access)| move |blocks: &mut Blocks| change(&mut blocks.access);
    assert_eq!(remarks("--rw=rw", &|_| {}), "");
    for (rw, change, said) in [
        (
            "--rw=read",
            &access(|a| a.begin = Begin::Random) as &dyn Fn(&mut Blocks),
            "starts at a random block",
        ),
        (
            "--rw=rw",
            &access(|a| a.position = Position::EachFile),
            "from one position",
        ),
        (
            "--rw=randread",
            &access(|a| a.distribution = PerOp::splat(Distribution::LowEnd(0.5))),
            "a distribution of offsets that fio lacks",
        ),
        (
            "--rw=randrw",
            &access(|a| a.distribution.write = Distribution::LowEnd(0.5)),
            "each have a distribution",
        ),
        (
            "--rw=randread",
            &|blocks: &mut Blocks| {
                blocks.access.grid = Grid::Own;
                blocks.sizes.by_op = PerOp::splat(Sizes::Split(vec![(4096, 50), (65_536, 50)]));
            },
            "multiple of its own size",
        ),
    ] {
        let found = remarks(rw, change);
        assert!(found.contains(said), "{said}: {found}");
    }
    // One kind of I/O has one position either way.
    let alone = remarks("--rw=read", &access(|a| a.position = Position::EachFile));
    assert_eq!(alone, "");
}

/// Sizes of several kinds are printed as the most general of them, and read back as they were.
#[test]
fn sizes_of_each_kind_are_printed_and_read_back() {
    for words in [
        "rw=randrw bs=4k",
        "rw=randrw bs=4k,8k",
        "rw=randrw bsrange=4k-8k",
        "rw=randrw bsrange=4k-8k,16k-64k",
        "rw=randrw bsrange=4k-8k bs_unaligned",
        "rw=randrw bssplit=4k/25:8k/75",
        "rw=randrw bssplit=4k/25:8k/75,16k/100",
    ] {
        let words = words.split(' ').map(|word| format!("--{word}"));
        let args = ["--name=w".to_owned(), "--size=1g".to_owned()].into_iter();
        let plan = parse(&args.chain(words).collect::<Vec<_>>(), "");
        let job = fio_job(&plan);
        assert!(!job.contains("not in fio"), "{job}");
        let again = parse(&["job.fio".to_owned()], &job);
        assert_eq!(short_plan(&plan), short_plan(&again), "{job}");
    }
}

/// Of a stage and of a workload, too, nothing that fio lacks is left out silently.
#[test]
fn what_fio_lacks_of_a_stage_or_a_workload_is_a_remark() {
    use leadline_model::op::PerOp;
    use leadline_model::plan::access::Sizes;
    use leadline_model::plan::{Amount, OpMix, Stage, StageRate};
    use leadline_model::units::Nanos;
    let job = |change: &dyn Fn(&mut Stage)| {
        let args = ["--name=w", "--rw=randrw", "--size=1g"].map(str::to_owned);
        let mut plan = parse(&args, "");
        change(&mut plan.stages[0]);
        fio_job(&plan)
    };
    let curve = |stop_at| {
        move |stage: &mut Stage| {
            stage.asked = StageRate::PercentOfMax {
                percent: 50,
                stop_at,
            };
        }
    };
    let of_earlier = "the rate is a percentage of an earlier step's";
    let skipped = "are skipped once their response time reaches a limit";
    let open = job(&curve(None));
    assert!(
        open.contains(of_earlier) && !open.contains(skipped),
        "{open}"
    );
    let ends = job(&curve(Some(Nanos::from_millis(5))));
    assert!(
        ends.contains(of_earlier) && ends.contains(skipped),
        "{ends}"
    );
    let mixed = job(&|stage| {
        let by_op = &mut stage.workloads[0].blocks_mut().sizes.by_op;
        by_op.read = Sizes::Split(vec![(4096, 50), (8192, 50)]);
        by_op.write = Sizes::Range {
            min: 4096,
            max: 65_536,
            unaligned: true,
        };
    });
    assert!(
        mixed.contains("has a range of block sizes; here its largest"),
        "{mixed}"
    );
    let trims = job(&|stage| {
        let w = &mut stage.workloads[0];
        w.blocks_mut().mix = OpMix::TrimWrite;
        w.on_error.go_on = PerOp {
            trim: true,
            ..PerOp::default()
        };
    });
    assert!(trims.contains("errors of trims"), "{trims}");
    let end = |size| {
        job(&|stage: &mut Stage| {
            let region = &mut stage.workloads[0].blocks_mut().region;
            (region.size, region.end) = (Some(size), Some(1 << 20));
        })
    };
    let bytes = end(Amount::Bytes(1 << 30));
    assert!(
        bytes.contains("size=1048576\n") && !bytes.contains("not in fio"),
        "{bytes}"
    );
    let share = end(Amount::Percent(50));
    assert!(
        share.contains("size=50%") && share.contains("at or beyond a byte"),
        "{share}"
    );
}

/// fio has a queue for each job.
#[test]
fn a_queue_depth_that_jobs_share_is_a_remark() {
    use leadline_model::plan::{Admission, BorrowableDepth, ShareWeight};
    let job = |own: Option<u32>| {
        let args = ["--name=w", "--rw=randrw", "--size=1g"].map(str::to_owned);
        let mut plan = parse(&args, "");
        let w = &mut plan.stages[0].workloads[0];
        (w.depth, w.share) = (8, ShareWeight::new(70.0));
        w.admission = Admission::Shares {
            group: 0,
            borrowable: own.map(|own| BorrowableDepth { pool: 0, own }),
        };
        fio_job(&plan)
    };
    let shared = "several jobs share one queue depth; here each has all of it";
    let lent = job(Some(5));
    assert!(
        lent.contains("iodepth=8\n") && lent.contains("flow=70\n"),
        "{lent}"
    );
    assert!(lent.contains(shared), "{lent}");
    let own = job(None);
    assert!(!own.contains(shared), "{own}");
}

/// fio's jobs have one queue for all their files.
#[test]
fn a_queue_that_is_divided_among_targets_is_a_remark() {
    use leadline_model::plan::FileChoice;
    let job = |choice| {
        let args = ["--name=w", "--filename=a:b", "--size=1g", "--iodepth=4"].map(str::to_owned);
        let mut plan = parse(&args, "");
        plan.stages[0].workloads[0].blocks_mut().access.file_choice = choice;
        fio_job(&plan)
    };
    let divided = "each target has its own share of the queue; here all targets share it";
    let each = job(FileChoice::EachSlot);
    assert!(each.contains(divided), "{each}");
    let turns = job(FileChoice::RoundRobin { ios: 1 });
    assert!(!turns.contains("not in fio"), "{turns}");
}

/// fio takes whole rates, and 0 for none: a low one stays a limit.
#[test]
fn a_rate_in_fractions_is_rounded_with_a_remark_and_stays_a_limit() {
    use leadline_model::op::PerOp;
    use leadline_model::plan::{Arrival, OpMix, Pace, Rate};
    let job = |together, read: Option<f64>, mix: OpMix| {
        let args = ["--name=w", "--rw=randrw", "--size=1g"].map(str::to_owned);
        let mut plan = parse(&args, "");
        let w = &mut plan.stages[0].workloads[0];
        w.blocks_mut().mix = mix;
        w.pace = Pace::Open {
            rates: PerOp {
                read: read.map(Rate::Iops),
                ..PerOp::splat(None)
            },
            arrival: Arrival::Constant,
            together,
            schedule: Vec::new(),
        };
        fio_job(&plan)
    };
    let rounded = "not in fio: a rate in fractions of an I/O per second; here rounded";
    let iops = |rate| Some(Rate::Iops(rate));
    for (text, printed, is_rounded) in [
        (
            job(iops(5.6), None, OpMix::mixed(95)),
            "rate_iops=5,1\n",
            true,
        ),
        (job(iops(0.2), None, OpMix::reads()), "rate_iops=1\n", true),
        (
            job(iops(33.3), None, OpMix::reads()),
            "rate_iops=33\n",
            true,
        ),
        (
            job(None, Some(0.4), OpMix::reads()),
            "rate_iops=1,,\n",
            true,
        ),
        (
            job(iops(1000.0), None, OpMix::mixed(70)),
            "rate_iops=700,300\n",
            false,
        ),
        (
            job(iops(1000.0), None, OpMix::mixed(0)),
            "rate_iops=,1000\n",
            false,
        ),
        (
            job(None, Some(500.0), OpMix::reads()),
            "rate_iops=500,,\n",
            false,
        ),
        (
            job(Some(Rate::Bytes(10)), None, OpMix::mixed(99)),
            "rate=10,1\n",
            false,
        ),
    ] {
        assert!(text.contains(printed), "{printed}{text}");
        assert_eq!(text.contains(rounded), is_rounded, "{text}");
    }
    let open = job(Some(Rate::UNDECIDED), None, OpMix::reads());
    assert!(
        !open.contains("rate_iops") && open.contains("its rate follows from other points"),
        "{open}"
    );
}

/// With blocks of several sizes fio counts bytes at equal intervals and I/Os at random ones: such a rate reads back as it is, and
/// another is near it, with a remark.
#[test]
fn a_rate_of_several_sizes_is_in_what_fio_counts() {
    use leadline_model::op::PerOp;
    use leadline_model::plan::{Arrival, Pace, Rate};
    let job = |rate: Rate, arrival: Arrival| {
        let args = [
            "--name=w",
            "--rw=randread",
            "--size=1g",
            "--bssplit=4k/50:12k/50",
        ];
        let mut plan = parse(&args.map(str::to_owned), "");
        plan.stages[0].workloads[0].pace = Pace::Open {
            rates: PerOp {
                read: Some(rate),
                ..PerOp::splat(None)
            },
            arrival,
            together: None,
            schedule: Vec::new(),
        };
        let text = fio_job(&plan);
        let again = parse(&["job.fio".to_owned()], &text);
        let Pace::Open { rates, .. } = again.stages[0].workloads[0].pace.clone() else {
            panic!("{text}");
        };
        (
            rates.read,
            text.contains("several block sizes") || text.contains("mean block size"),
        )
    };
    let (constant, random) = (Arrival::Constant, Arrival::Poisson);
    for (rate, arrival, again, is_said) in [
        (Rate::Bytes(1 << 20), constant, Rate::Bytes(1 << 20), false),
        (Rate::Iops(100.0), random, Rate::Iops(100.0), false),
        (Rate::Iops(100.0), constant, Rate::Bytes(819_200), true),
        (Rate::Bytes(819_200), random, Rate::Iops(100.0), true),
    ] {
        assert_eq!(job(rate, arrival), (Some(again), is_said), "{rate:?}");
    }
}

/// fio has no buffer that writes take a random part of.
#[test]
fn data_from_a_buffer_or_a_file_is_a_remark() {
    use leadline_model::plan::{Fill, Refresh};
    let job = |rw: &str, file: Option<&str>| {
        let args = ["--name=w", rw, "--size=1g"].map(str::to_owned);
        let mut plan = parse(&args, "");
        let payload = &mut plan.stages[0].workloads[0].blocks_mut().payload;
        payload.fill = Fill::Source {
            size: 1 << 20,
            file: file.map(str::to_owned),
        };
        payload.refresh = Refresh::Each;
        fio_job(&plan)
    };
    for (file, lost) in [
        (None, "random places of one buffer of random data"),
        (Some("/data"), "random places of a file; here random data"),
    ] {
        let written = job("--rw=randrw", file);
        assert!(
            written.contains("; not in fio: writes take their data from ")
                && written.contains(lost)
                && written.contains("refill_buffers"),
            "{written}"
        );
        // What only reads takes nothing from it.
        let read = job("--rw=read", file);
        assert!(!read.contains("not in fio"), "{read}");
    }
}

#[test]
fn a_description_that_a_job_file_would_cut_is_a_remark() {
    for (text, printed) in [("a plain one", true), ("half #2", false), ("a; b", false)] {
        let plan = parse(
            &["--name=w".to_owned(), format!("--description={text}")],
            "",
        );
        let job = fio_job(&plan);
        assert_eq!(job.contains(text), printed, "{job}");
        assert_eq!(
            job.contains("; not in fio: its description"),
            !printed,
            "{job}"
        );
        let again = parse(&["job.fio".to_owned()], &job);
        let kept = again.stages[0].workloads[0].description.as_deref();
        assert_eq!(kept, printed.then_some(text));
    }
}

/// Options that have a case, and are printed as they were.
fn printed_options() -> Vec<&'static fio::OptionSpec> {
    let otherwise =
        |spec: &&fio::OptionSpec| PRINTED_OTHERWISE.iter().any(|(name, _)| *name == spec.name);
    let all = fio::options().iter().copied();
    all.filter(|spec| spec.case.is_some() && !otherwise(spec))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn any_options_together_are_printed_and_read_back_as_they_were(
        specs in proptest::collection::vec(proptest::sample::select(printed_options()), 1..8),
    ) {
        let cases = specs.iter().filter_map(|spec| spec.case);
        let words = cases.flat_map(|case| case.words.split(' '));
        let args: Vec<String> = std::iter::once("--name=w".to_owned())
            .chain(words.map(|word| format!("--{word}")))
            .collect();
        // Options that exclude each other make no plan.
        if let Some(plan) = fio::parse(&args, &FakeHost::default()).plan {
            let job = fio_job(&plan);
            let again = parse(&["job.fio".to_owned()], &job);
            let (first, second) = (short_plan(&plan), short_plan(&again));
            prop_assert!(first == second, "{args:?}\n{first}--- printed\n{job}--- again\n{second}");
        }
    }
}
