//! DISKSPD's profiles as XML and as text, and what any words mean.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::{FakeHost, split_words};
use leadline_dialect::diagnostic::{Severity, render};
use leadline_diskspd::profile::{
    Affinity, Batch, BufferSeparation, Bypass, Cache, Distribution, Efficiency, Etw, Flush, IoRing,
    Precreate, Profile, Range, ResultFormat, Target, ThreadTarget, Throughput, TimeSpan,
    WriteBuffer,
};
use leadline_diskspd::{self as diskspd, Parsed};
use leadline_model::plan::Fill;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn parse(args: &str, files: &[(&str, &str)]) -> Parsed {
    let mut host = FakeHost::default();
    for (name, text) in files {
        host.files.insert((*name).to_owned(), (*text).to_owned());
    }
    diskspd::parse(&split_words(args), &host)
}

fn profile(args: &str) -> Profile {
    let parsed = parse(args, &[]);
    assert!(parsed.profile.is_some(), "{args}: {:?}", parsed.diagnostics);
    parsed.profile.unwrap()
}

fn messages(parsed: &Parsed, severity: Severity) -> Vec<String> {
    let all = parsed.diagnostics.iter();
    all.filter(|d| d.severity == severity)
        .map(|d| d.message.clone())
        .collect()
}

/// As DISKSPD 2.2 wrote it.
const SEED_XML: &str = "\
<Profile>
  <Progress>0</Progress>
  <ResultFormat>xml</ResultFormat>
  <Verbose>false</Verbose>
  <TimeSpans>
    <TimeSpan>
      <CompletionRoutines>false</CompletionRoutines>
      <MeasureLatency>false</MeasureLatency>
      <CalculateIopsStdDev>false</CalculateIopsStdDev>
      <DisableAffinity>false</DisableAffinity>
      <Duration>2</Duration>
      <Warmup>1</Warmup>
      <Cooldown>0</Cooldown>
      <ThreadCount>4</ThreadCount>
      <RequestCount>0</RequestCount>
      <IoBucketDuration>1000</IoBucketDuration>
      <RandSeed>0</RandSeed>
      <Targets>
        <Target>
          <Path>testfile.dat</Path>
          <BlockSize>8192</BlockSize>
          <BaseFileOffset>0</BaseFileOffset>
          <SequentialScan>false</SequentialScan>
          <RandomAccess>false</RandomAccess>
          <TemporaryFile>false</TemporaryFile>
          <UseLargePages>false</UseLargePages>
          <DisableOSCache>true</DisableOSCache>
          <WriteThrough>true</WriteThrough>
          <WriteBufferContent>
            <Pattern>sequential</Pattern>
          </WriteBufferContent>
          <ParallelAsyncIO>false</ParallelAsyncIO>
          <FileSize>67108864</FileSize>
          <Random>8192</Random>
          <ThreadStride>0</ThreadStride>
          <MaxFileSize>0</MaxFileSize>
          <RequestCount>128</RequestCount>
          <WriteRatio>100</WriteRatio>
          <Throughput>0</Throughput>
          <ThreadsPerFile>1</ThreadsPerFile>
          <IOPriority>3</IOPriority>
          <Weight>1</Weight>
        </Target>
      </Targets>
    </TimeSpan>
  </TimeSpans>
</Profile>
";

#[test]
fn a_command_line_and_its_profile_are_the_same() {
    let args = "-c64M -w100 -b8K -F4 -r -o128 -W1 -d2 -Sh -Rxml testfile.dat";
    let of_words = profile(args);
    assert_eq!(diskspd::profile_xml(&of_words), SEED_XML);
    let parsed = parse("-Xp.xml", &[("p.xml", SEED_XML)]);
    assert_eq!(parsed.profile.unwrap(), of_words);
    let (plan, other) = (parsed.plan.unwrap(), parse(args, &[]).plan.unwrap());
    assert_eq!(plan.stages, other.stages);
    assert_eq!(plan.source.files[0].0, "p.xml");
}

/// The stages of a command line, which are those of its profile too.
fn stages_of_both(args: &str) -> Vec<leadline_model::plan::Stage> {
    let xml = diskspd::profile_xml(&profile(args));
    let stages = |parsed: Parsed| parsed.plan.unwrap().stages;
    let own = stages(parse(args, &[]));
    assert_eq!(stages(parse("-Xp.xml", &[("p.xml", &xml)])), own, "{args}");
    own
}

#[test]
fn a_profile_gathers_as_many_as_its_command_line() {
    for (args, batch) in [
        ("-u -o8 a b", 2),
        ("-u9 a", 2),
        ("-u -F4 -o8 a b", 4),
        ("-u -F4 -o8 -g100 a b", 4),
        ("-u50p -F2 -o3 a b", 3),
        ("-u -F4 -O8 a b", 2),
        ("-u4 -F4 -o2 a b", 4),
    ] {
        let stages = stages_of_both(args);
        for w in &stages[0].workloads {
            assert_eq!(w.engine.batch_wait, Some(batch), "{args}");
        }
    }
    let target = |depth: u32| {
        format!("<Target><Path>f{depth}</Path><RequestCount>{depth}</RequestCount></Target>")
    };
    let text = format!(
        "<Profile><TimeSpans><TimeSpan><IoRing><UseRegBuffer>true</UseRegBuffer></IoRing><Targets>{}{}</Targets>\
         </TimeSpan></TimeSpans></Profile>",
        target(8),
        target(32)
    );
    let made = diskspd::read_profile(&text).unwrap();
    let again = diskspd::read_profile(&diskspd::profile_xml(&made)).unwrap();
    let rings = |profile: &diskspd::Profile| profile.time_spans[0].io_ring;
    assert!(rings(&made).is_some());
    assert_eq!(rings(&again), rings(&made), "a quarter of each");
}

#[test]
fn a_profile_writes_from_the_buffer_of_its_command_line() {
    let stages = stages_of_both("-w100 -Z -Z1M,source.bin a");
    let fill = &stages[0].workloads[0].blocks().payload.fill;
    assert!(
        matches!(fill, Fill::Source { file: Some(_), .. }),
        "{fill:?}"
    );
}

#[test]
fn elements_come_in_any_order_and_a_result_holds_a_profile() {
    let text = "<Results><System/><Profile><TimeSpans><TimeSpan><Duration>3</Duration><Targets><Target>\
                <Weight>1</Weight><Path>a&amp;b</Path></Target></Targets></TimeSpan></TimeSpans>\
                </Profile></Results>";
    let made = diskspd::read_profile(text).unwrap();
    assert_eq!(made.time_spans[0].duration, 3);
    assert_eq!(made.time_spans[0].targets[0].path, "a&b");
    assert_eq!(made.time_spans[0].targets[0].block_size, 65536);
}

#[test]
fn all_faults_of_a_profile_are_reported_with_their_places() {
    let text = "<Profile>\n<TimeSpans><TimeSpan>\n<Duration>x</Duration><Durration>1</Durration>\n\
                <Targets><Target><Path>a</Path><Path>b</Path><Random>4096</Random>\n\
                <StrideSize>1</StrideSize><FlushType>Soon</FlushType><Throughput unit=\"KB\">1\
                </Throughput></Target></Targets></TimeSpan></TimeSpans></Profile>";
    let parsed = parse("-Xp.xml", &[("p.xml", text)]);
    let shown: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|d| {
            let (line, _) = parsed.sources.position(d.labels[0].span);
            format!("{line} {} {}", d.code, d.message)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "3 bad-element `x` in `Duration` is not a number in range",
            "3 unknown-element `TimeSpan` has no element `Durration`",
            "4 element-twice `Target` contains `Path` twice",
            "5 bad-element sequential IO (StrideSize) conflicts with random IO (Random)",
            "5 bad-element `Soon` in `FlushType` is unknown",
            "5 bad-element `KB` in `Throughput` is unknown",
        ]
    );
    assert!(parsed.plan.is_none());
    let broken = diskspd::read_profile("<Profile>\n<Path>a&b</Path></Profile>").unwrap_err();
    assert_eq!(broken[0].code, "ill-formed-xml");
}

#[test]
fn targets_of_the_command_line_stand_for_templates() {
    let text = SEED_XML.replace("testfile.dat", "*1");
    let files = [("p.xml", text.as_str())];
    let parsed = parse("-Xp.xml -d7 -W0 -z5 -v /tmp/a.dat", &files);
    let made = parsed.profile.unwrap();
    let span = &made.time_spans[0];
    assert_eq!(span.targets[0].path, "/tmp/a.dat");
    assert_eq!((span.duration, span.warmup, span.rand_seed), (7, 0, 5));
    assert!(made.verbose);
    let left = messages(&parse("-Xp.xml", &files), Severity::Error);
    assert!(left[0].starts_with("template target '*1' was not substituted"));
    let unused = messages(&parse("-Xp.xml a b", &files), Severity::Error);
    assert_eq!(
        unused,
        ["unused template target substitution: the profile has no target `*2` for `b`"]
    );
    let shown = parse("-Xp.xml -Rptext", &files);
    assert!(shown.plan.is_none() && shown.run.profile_only());
    let text = diskspd::profile_text(&shown.profile.unwrap(), "diskspd -Xp.xml");
    assert!(text.contains("\tpath: template target '1'\n"), "{text}");
}

#[test]
fn the_text_of_a_profile_has_the_layout_of_diskspd() {
    let made = profile(
        "-c16M -b4K -F2 -O4 -r -rdpct90/10:0/10:5/20 -w50 -L -D500 -d1 -W0 -C1 -vs -Su t1.dat",
    );
    assert_eq!(
        diskspd::input_parameters(&made.time_spans[0], 1),
        "\ttimespan:   1
\t-------------
\tduration: 1s
\twarm up time: 0s
\tcool down time: 1s
\tmeasuring latency
\tgathering IOPS at intervals of 500ms
\trandom seed: 0
\tthread pool with 2 threads
\tnumber of outstanding I/O operations per thread: 4
\tpath: 't1.dat'
\t\tthink time: 0ms
\t\tburst size: 0
\t\tsoftware cache disabled
\t\tusing hardware write cache, writethrough off
\t\tperforming mix test (read/write ratio: 50/50)
\t\tblock size: 4KiB
\t\tusing random I/O (alignment: 4KiB)
\t\trelative IO weight in thread pool: 1
\t\tIO priority: normal
\t\tIO Distribution:
\t\t    90% of IO => [ 0% -  10%) of target
\t\t     0% of IO => [10% -  20%) of target
\t\t     5% of IO => [20% -  40%) of target
\t\t     5% of IO => [40% - 100%) of target
"
    );
    let made = profile("-b4K -t2 -r -o4 -w30 -d3 -W1 -rdabs10/1G:0/100G testfile.dat");
    let text = diskspd::input_parameters(&made.time_spans[0], 12);
    for line in [
        "\ttimespan:  12\n",
        "\t\tthreads per file: 2\n\t\tusing I/O Completion Ports\n\t\tIO priority: normal\n",
        "\t\t    10% of IO => [     0    -      1GiB)\n\t\t     0% of IO => [     1GiB -    101GiB)\n\
         \t\t    90% of IO => [   101GiB -       end)\n",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
}

#[test]
fn a_thread_of_a_pool_drives_all_targets_unless_they_go_their_own_ways() {
    let shape = |args: &str| {
        let plan = parse(args, &[]).plan.unwrap();
        let shape = |w: &leadline_model::plan::Workload| {
            let files = w.counted_files();
            (
                w.clones,
                w.depth,
                files,
                format!("{:?}", w.blocks().access.file_choice),
            )
        };
        plan.stages[0]
            .workloads
            .iter()
            .map(shape)
            .collect::<Vec<_>>()
    };
    let in_turn = |ios| format!("RoundRobin {{ ios: {ios} }}");
    let one = |depth, files, choice: &str| vec![(4, depth, files, choice.to_owned())];
    assert_eq!(shape("-F4 -o8 a b c"), one(24, 3, "EachSlot"));
    assert_eq!(shape("-F4 -O8 a b c"), one(8, 3, "Random { ios: 1 }"));
    assert_eq!(shape("-F4 -o8 -Sm a b"), one(1, 2, &in_turn(8)));
    assert_eq!(shape("-F4 -o8 a"), one(8, 1, &in_turn(1)));
    // A rate and pauses are of a thread and target; more than one queue holds is shared out too.
    let apart = |depth| vec![(4, depth, 1, in_turn(1)); 2];
    assert_eq!(shape("-F4 -o8 -g100 a b"), apart(8));
    assert_eq!(shape("-F4 -o8 -i4 -j5 a b"), apart(8));
    assert_eq!(shape("-F4 -o20000 a b"), apart(20_000));
    // Files and devices are not made ready alike, and have the same threads.
    assert_eq!(shape("-F4 -o8 -c1M a /dev/sdx"), one(16, 2, "EachSlot"));
    let plan = parse("-F4 -o8 -c1M a /dev/sdx", &[]).plan.unwrap();
    let made = |file| {
        plan.stages[0].workloads[0]
            .of_file(file)
            .blocks()
            .prepare
            .create
    };
    assert_eq!((made(0), made(1)), (true, false));
    let warnings = messages(&parse("-F2 -w50 -c1M #1 #2", &[]), Severity::Warning);
    let disks = warnings
        .iter()
        .filter(|w| w.contains("names a Windows disk"));
    assert_eq!(disks.count(), 2, "{warnings:?}");
}

#[test]
fn a_burst_is_shared_out_to_the_threads_of_its_target() {
    let every = |args: &str| {
        let plan = parse(args, &[]).plan.unwrap();
        let of = |w: &leadline_model::plan::Workload| {
            w.think.map(|t| (t.every, t.pause.as_millis(), t.on_submit))
        };
        plan.stages[0].workloads.iter().map(of).collect::<Vec<_>>()
    };
    let burst = |n| Some((n, 5, true));
    assert_eq!(every("-i10 -j5 a"), [burst(10)]);
    assert_eq!(every("-t3 -i10 -j5 a b"), [burst(3); 2]);
    assert_eq!(every("-F4 -i10 -j5 a b"), [burst(2); 2]);
    assert_eq!(every("-t4 -i3 -j5 a"), [burst(1)]);
    // With a rate there are no pauses.
    assert_eq!(every("-i10 -j5 -g100 a"), [None]);
    // Threads of its own (ThreadTargets) a target has with -O only, which goes with no pauses.
    let own = "<ThreadTargets><ThreadTarget><Thread>0</Thread></ThreadTarget></ThreadTargets>\
               <BurstSize>10</BurstSize><ThinkTime>5</ThinkTime>";
    for (count, reason) in [
        ("0", "ThreadTargets can only be specified"),
        ("4", "-j think time cannot be used with -O"),
    ] {
        let profile = format!(
            "<Profile><TimeSpans><TimeSpan><ThreadCount>2</ThreadCount><RequestCount>{count}</RequestCount>\
             <Targets><Target><Path>a</Path>{own}</Target></Targets></TimeSpan></TimeSpans></Profile>"
        );
        let parsed = parse("-Xp.xml", &[("p.xml", &profile)]);
        assert!(parsed.plan.is_none());
        let errors = messages(&parsed, Severity::Error);
        assert!(errors.iter().any(|e| e.contains(reason)), "{errors:?}");
    }
}

#[test]
fn threads_take_processors_in_turn_over_all_targets_or_those_that_are_named() {
    let placed = |args: &str, cpus: u32| {
        let host = FakeHost {
            cpus,
            ..FakeHost::default()
        };
        let plan = diskspd::parse(&split_words(args), &host).plan.unwrap();
        let of =
            |w: &leadline_model::plan::Workload| (w.placement.cpus.clone(), w.placement.split_cpus);
        plan.stages[0].workloads.iter().map(of).collect::<Vec<_>>()
    };
    let each = |cpus: &[u32]| (cpus.to_vec(), true);
    assert_eq!(placed("a", 4), [each(&[0])]);
    assert_eq!(
        placed("-t3 a b c", 4),
        [each(&[0, 1, 2]), each(&[3, 0, 1]), each(&[2, 3, 0])]
    );
    assert_eq!(placed("-F6 a b", 4), [each(&[0, 1, 2, 3])]);
    assert_eq!(placed("-a3,1 -t3 a", 4), [each(&[3, 1])]);
    assert_eq!(placed("-a3,1 a b", 4), [each(&[3]), each(&[1])]);
    // Of group 1 the second is number 65; a group that is named alone stands for all it has.
    assert_eq!(placed("-ag0,2,g1,1 -t2 a", 70), [each(&[2, 65])]);
    assert_eq!(placed("-ag1 -t9 a", 70), [each(&[64, 65, 66, 67, 68, 69])]);
    assert_eq!(placed("-a1-2 -t2 a", 4), [each(&[1, 2])]);
    assert_eq!(placed("-n -t2 a", 4), [(Vec::new(), false)]);
}

#[test]
fn buckets_begin_with_the_measured_time_whatever_the_warm_up() {
    for (args, interval, warmup, notes) in [
        ("-D a", 1000, 5000, 0),
        ("-D300 -W1 a", 100, 1000, 0),
        ("-D250 -W0 a", 250, 0, 0),
        ("-D1500 a", 500, 5000, 0),
        // No interval of 10 ms or more has part in both.
        ("-D333 -W1 a", 333, 1332, 1),
        ("-D16 a", 16, 5008, 1),
        ("-D4 -W1 a", 10, 1000, 1),
        // Intervals are not reported.
        ("-W1 a", 1000, 1000, 0),
    ] {
        let parsed = parse(args, &[]);
        let plan = parsed.plan.as_ref().unwrap();
        let stop = &plan.stages[0].workloads[0].stop;
        let came = (plan.interval.as_millis(), stop.warmup.as_millis());
        assert_eq!(came, (interval, warmup), "{args}");
        let said = messages(&parsed, Severity::Note);
        let said = said.iter().filter(|n| n.contains("interval"));
        assert_eq!(said.count(), notes, "{args}");
    }
}

#[test]
fn more_than_a_thread_can_have_in_flight_is_refused_with_its_place_and_the_cure() {
    for (args, reason) in [
        (
            "-o32769 a",
            "a queue depth of 32769: a thread can have at most 32768 I/Os in flight",
        ),
        ("-F2 -O65536 a b", "a queue depth of 65536"),
        ("-t5000 a", "5000 threads: at most 4096 can run at once"),
        ("-F3000 -g100 a b", "6000 threads"),
    ] {
        let parsed = parse(args, &[]);
        let errors: Vec<_> = parsed
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .collect();
        assert_eq!(errors.len(), 1, "{args}");
        assert!(
            errors[0].message.starts_with(reason),
            "{args}: {}",
            errors[0].message
        );
        assert!(
            !errors[0].labels.is_empty() && errors[0].hint.is_some(),
            "{args}"
        );
        assert!(parsed.plan.is_none());
    }
    for fine in ["-o32768 a", "-F1 -O32768 a b", "-t4096 a", "-o65536 -Sm a"] {
        assert!(parse(fine, &[]).plan.is_some(), "{fine}");
    }
}

#[test]
fn a_slash_begins_an_option_unless_it_begins_a_path() {
    let options = "/b4K /w50 testfile.dat";
    assert_eq!(profile(options).time_spans[0].targets[0].write_percent, 50);
    let here = parse("-b4K /testfile.dat", &[("/testfile.dat", "")]);
    let path = &here.profile.unwrap().time_spans[0].targets[0].path;
    assert_eq!(path, "/testfile.dat");
    let deep = profile("-b4K /mnt/testfile.dat");
    assert_eq!(deep.time_spans[0].targets[0].path, "/mnt/testfile.dat");
    let gone = parse("-b4K /wtestfile.dat", &[]);
    assert_eq!(gone.diagnostics[0].code, "lenient-number");
    let kept = parse("/kept.dat", &[]);
    assert_eq!(
        kept.diagnostics[0].hint.as_deref(),
        Some("a file of that name is `//kept.dat`")
    );
}

#[test]
fn separated_values_and_pasted_dashes_are_reported() {
    let apart = parse("-c 1G -b 4K testfile.dat", &[]);
    let hints: Vec<&str> = apart
        .diagnostics
        .iter()
        .filter_map(|d| d.hint.as_deref())
        .collect();
    assert!(
        hints.contains(&"write option and value as one word: `-c1G`"),
        "{hints:?}"
    );
    let pasted = parse("\u{2013}b4K \u{2014}w50 testfile.dat", &[]);
    let codes: Vec<&str> = pasted.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["pasted-dash", "pasted-dash"]);
}

#[test]
fn options_of_our_own_stand_beside_any_other() {
    let parsed = parse(
        "--reuse --destroy=/dev/sdb --destroy /dev/sdc --xml=r.xml --text r.txt --leadline-run=none -c1M a",
        &[],
    );
    let run = &parsed.run;
    assert!(run.reuse && !run.strict);
    assert_eq!(run.destroy, ["/dev/sdb", "/dev/sdc"]);
    assert_eq!(run.xml_file.as_deref(), Some("r.xml"));
    assert_eq!(run.text_file.as_deref(), Some("r.txt"));
    assert_eq!(run.run_file, diskspd::RunFile::None);
    let plan = parsed.plan.unwrap();
    assert_eq!(plan.destroy, ["/dev/sdb", "/dev/sdc"]);
    assert_eq!(plan.stages[0].workloads[0].blocks().prepare.recreate, None);
    let strict = parse("--strict -t4x -r a", &[]);
    assert_eq!(messages(&strict, Severity::Error).len(), 1);
    assert!(strict.plan.is_none());
}

#[test]
fn every_form_without_effect_says_so_when_it_is_used() {
    for (args, form) in [
        ("-x", "-x"),
        ("-un", "-un"),
        ("-oc8", "-oc8"),
        ("-:1", "-:1"),
        ("-Sr", "-Sr"),
        ("-Suy", "-Suy"),
        ("-ac", "-ac"),
        ("-as", "-as"),
        ("-aE", "-aE"),
        ("-bsn", "-bsn"),
        ("-eDISK_IO", "-eDISK_IO"),
        ("-ft", "-ft"),
    ] {
        let parsed = parse(&format!("{args} testfile.dat"), &[]);
        let notes = messages(&parsed, Severity::Note);
        let begin = format!("`{form}` has no effect: ");
        let reported = notes
            .iter()
            .any(|n| n.len() > begin.len() + 15 && n.starts_with(&begin));
        assert!(reported, "{args}: {notes:?}");
    }
}

#[test]
fn the_reference_and_the_help_name_every_form() {
    let (reference, help) = (diskspd::reference_markdown(), diskspd::usage());
    for spec in diskspd::options() {
        let form = spec.form.replace('|', "\\|");
        assert_eq!(
            reference.matches(&format!("| `{form}` |")).count(),
            1,
            "{form}"
        );
        assert!(help.contains(spec.form), "{}", spec.form);
    }
}

/// What DISKSPD's parser takes, written down here and not taken from the table: an example of each form, and how
/// the help begins to show it.
const TAKEN: &[(&str, &str)] = &[
    ("-a0", "-a["),
    ("-ag0", "-ag<n>"),
    ("-ac", "-ac"),
    ("-b8K", "-b<size>"),
    ("-B1M", "-B<base>"),
    ("-bsn", "-bs<"),
    ("-c1M", "-c<size>"),
    ("-C1", "-C<seconds>"),
    ("-d1", "-d<seconds>"),
    ("-D100", "-D[<ms>]"),
    ("-eDISK_IO", "-e<"),
    ("-f1M", "-f<size>"),
    ("-fr", "-f<r|s|t>"),
    ("-F2", "-F<count>"),
    ("-g10", "-g<count>"),
    ("-h", "-h"),
    ("-I1", "-I<"),
    ("-l", "-l"),
    ("-L", "-L"),
    ("-n", "-n"),
    ("-o7", "-o<count>"),
    ("-oc8", "-oc<count>"),
    ("-p", "-p"),
    ("-P", "-P["),
    ("-r8K", "-r["),
    ("-rs50", "-rs<percent>"),
    ("-rdpct50/50", "-rd<"),
    ("-Rxml", "-R["),
    ("-s8K", "-s["),
    ("-Sh", "-S["),
    ("-t2", "-t<count>"),
    ("-u4", "-u["),
    ("-v", "-v["),
    ("-w50", "-w<percent>"),
    ("-W1", "-W<seconds>"),
    ("-x", "-x"),
    ("-ysE", "-ys<event>"),
    ("-yfE", "-yf<event>"),
    ("-yrE", "-yr<event>"),
    ("-ypE", "-yp<event>"),
    ("-z1", "-z["),
    ("-Z", "-Z"),
    ("-Zr", "-Zr"),
    ("-Z1M", "-Z<size>"),
];

#[test]
fn the_help_shows_every_option_that_the_parser_takes() {
    let help = diskspd::usage();
    let shown = |form: &str| {
        help.lines()
            .any(|line| line.starts_with(&format!("  {form}")))
    };
    for (args, form) in TAKEN {
        let parsed = parse(&format!("{args} testfile.dat"), &[]);
        let refused = messages(&parsed, Severity::Error);
        let known = !refused.iter().any(|text| text.contains("invalid option"));
        assert!(known, "{args}: {refused:?}");
        assert!(
            shown(form),
            "{args}: no line of the help begins with {form}"
        );
    }
    // With these the parser needs others beside them.
    for form in [
        "-?",
        "-i<count>",
        "-j<ms>",
        "-N<v|n|i>",
        "-O<count>",
        "-T<size>",
        "-X<file>",
        "-ye<event>",
        "-:<mask>",
        "--destroy=",
        "--reuse",
        "--xml=",
    ] {
        assert!(shown(form), "no line of the help begins with {form}");
    }
}

#[test]
fn the_number_in_flight_is_two_of_a_thread_unless_o_says_otherwise() {
    let depth = |args| parse(args, &[]).plan.unwrap().stages[0].workloads[0].depth;
    assert_eq!((depth("a"), depth("-o7 a")), (2, 7));
}

#[test]
fn help_is_shown_by_each_of_its_names() {
    for args in ["-?", "/?", "--help", "-b4K --help", "--help a"] {
        let parsed = parse(args, &[]);
        assert_eq!(
            parsed.run.show,
            Some(diskspd::ShowOnly::Usage { asked: true }),
            "{args}"
        );
        assert!(parsed.diagnostics.is_empty(), "{args}");
    }
}

/// A plan comes exactly without an error and is usable; all that is said can be shown.
fn check(parsed: &Parsed) {
    let errors = !messages(parsed, Severity::Error).is_empty();
    assert!(!(errors && (parsed.plan.is_some() || parsed.profile.is_some())));
    let shown = render(&parsed.diagnostics, &parsed.sources, true, 80);
    assert_eq!(shown.is_empty(), parsed.diagnostics.is_empty());
    if let Some(plan) = &parsed.plan {
        assert!(plan.interval.as_millis() >= 10);
        for w in plan.stages.iter().flat_map(|s| &s.workloads) {
            assert!(w.depth >= 1 && w.clones >= 1 && w.blocks().sizes.smallest_of_any_op() >= 1);
        }
    }
    if let Some(profile) = &parsed.profile {
        let again = diskspd::read_profile(&diskspd::profile_xml(profile));
        assert!(again.is_ok(), "{again:?}");
        assert!(!diskspd::profile_text(profile, "").is_empty());
    }
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-/][a-zA-Z:?][0-9a-zA-Z,:/.%-]{0,8}",
        "-(b|c|B|f|T|Z|r|s|si)[0-9]{1,20}[KMGTb:]{0,2}[0-9]{0,3}",
        "-rd(pct|abs)[0-9]{1,3}/[0-9]{1,4}[KMG]?(:[0-9]{1,3}/[0-9]{1,3}){0,3}",
        "-a[g0-9,-]{0,10}",
        "-S[bhmruwyY]{0,3}",
        "--[a-z=-]{0,10}",
        "\\PC{0,8}",
    ]
}

fn path() -> impl Strategy<Value = String> {
    "[a-z\\\\/&<>\"' \u{e9}\t\n\r*#:.]{1,12}"
}

prop_compose! {
    fn pattern()(
        block_size in 1_u32..u32::MAX,
        alignment in (1_u64..u64::MAX).prop_map(Some),
        random_percent in 0_u32..=100,
        interlocked in any::<bool>(),
        base in any::<u64>(),
        max in any::<u64>(),
        thread_stride in any::<u64>(),
        write_percent in 0_u32..=100,
        ranges in vec((0_u32..=100, 1_u64..1000), 1..4),
        percent in any::<bool>(),
        parts in any::<bool>(),
    ) -> Target {
        let ranges: Vec<Range> = ranges
            .into_iter()
            .map(|(io, span)| Range { io, span: if percent { span.min(100) } else { span } })
            .collect();
        let random = random_percent > 0;
        Target {
            block_size,
            alignment,
            random_percent,
            interlocked: interlocked && !random,
            base,
            max,
            thread_stride,
            write_percent,
            distribution: (random && parts).then(|| Distribution::filled(percent, ranges)),
            ..Target::new("")
        }
    }
}

prop_compose! {
    fn target()(
        target in pattern(),
        path in path(),
        flags in vec(any::<bool>(), 8),
        cache in prop_oneof![Just(Cache::Cached), Just(Cache::DisableLocal), Just(Cache::DisableOs)],
        flush in option::of(proptest::sample::select(Flush::NAMES.map(|n| n.1).to_vec())),
        bypass in option::of(proptest::sample::select(Bypass::NAMES.map(|n| n.1).to_vec())),
        buffer in option::of((1_u64.., option::of("[a-z&]{1,5}"))),
        burst in option::of((any::<u32>(), any::<u32>())),
        throughput in option::of((1_u32.., any::<bool>())),
        counts in (1_u32.., 1_u32.., 1_u32..=3, any::<u32>()),
        file_size in option::of(any::<u64>()),
        threads in vec((any::<u32>(), any::<u32>()), 0..3),
    ) -> Target {
        Target {
            path,
            sequential_scan: flags[0],
            random_access: flags[1],
            temporary: flags[2],
            large_pages: flags[3],
            write_through: flags[4],
            memory_mapped: flags[5],
            parallel: flags[6],
            zero: flags[7] && buffer.is_none(),
            cache,
            flush,
            bypass,
            write_buffer: buffer.map(|(size, path)| WriteBuffer { size, path }),
            burst: burst.map(|b| b.0),
            think_ms: burst.map(|b| b.1),
            throughput: throughput.map(|(n, iops)| {
                if iops { Throughput::Iops(n) } else { Throughput::BytesPerMs(n) }
            }),
            request_count: counts.0,
            threads_per_file: counts.1,
            io_priority: counts.2,
            weight: counts.3,
            file_size,
            thread_targets: threads
                .into_iter()
                .map(|(thread, weight)| ThreadTarget { thread, weight })
                .collect(),
            ..target
        }
    }
}

prop_compose! {
    fn affinity()(
        assignments in vec((any::<u16>(), option::of(any::<u8>())), 0..4),
        core_aware in any::<bool>(),
        span in any::<bool>(),
        efficiency in option::of(proptest::sample::select(Efficiency::NAMES.map(|n| n.1).to_vec())),
    ) -> Affinity {
        Affinity { assignments, core_aware, span, efficiency }
    }
}

prop_compose! {
    fn time_span()(
        numbers in vec(any::<u32>(), 6),
        flags in vec(any::<bool>(), 5),
        affinity in affinity(),
        bucket_ms in 1_u32..,
        ring in option::of((any::<bool>(), any::<u32>())),
        separation in option::of(any::<bool>()),
        completion_depth in option::of(1_u32..=16),
        targets in vec(target(), 1..3),
    ) -> TimeSpan {
        TimeSpan {
            duration: numbers[0],
            warmup: numbers[1],
            cooldown: numbers[2],
            rand_seed: numbers[3],
            thread_count: numbers[4],
            request_count: numbers[5],
            random_write_data: flags[0],
            disable_affinity: flags[1],
            completion_routines: flags[2],
            measure_latency: flags[3],
            iops_std_dev: flags[4],
            affinity,
            bucket_ms,
            io_ring: ring.map(|(registered, n)| IoRing {
                registered,
                batch: Batch::Count(n.max(1)),
            }),
            buffer_separation: separation.map(|far| {
                if far { BufferSeparation::PdeCacheLine } else { BufferSeparation::SystemDefault }
            }),
            completion_depth,
            targets,
        }
    }
}

prop_compose! {
    fn any_profile()(
        time_spans in vec(time_span(), 1..3),
        flags in vec(any::<bool>(), 15),
        progress in any::<u32>(),
        experiment_flags in any::<u32>(),
        precreate in option::of(proptest::sample::select(Precreate::NAMES.map(|n| n.1).to_vec())),
    ) -> Profile {
        let etw = Etw {
            process: flags[3],
            thread: flags[4],
            image_load: flags[5],
            disk_io: flags[6],
            page_faults: flags[7],
            hard_faults: flags[8],
            network: flags[9],
            registry: flags[10],
            paged_memory: flags[11],
            perf_timer: flags[12],
            system_timer: flags[13],
            cycles: flags[14],
        };
        Profile {
            time_spans,
            verbose: flags[0],
            verbose_stats: flags[1],
            progress,
            experiment_flags,
            result_format: if flags[2] { ResultFormat::Xml } else { ResultFormat::Text },
            precreate,
            etw: flags[2].then_some(etw),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_profile_that_is_written_reads_back_the_same(profile in any_profile()) {
        let text = diskspd::profile_xml(&profile);
        let again = diskspd::read_profile(&text);
        prop_assert_eq!(again.map_err(|d| format!("{d:?}\n{text}")), Ok(profile));
    }

    #[test]
    fn any_command_line_is_read_to_the_end(words in vec(word(), 0..8), target in any::<bool>()) {
        let mut words = words;
        if target {
            words.push("testfile.dat".to_owned());
        }
        check(&diskspd::parse(&words, &FakeHost::default()));
    }

    #[test]
    fn any_profile_is_read_to_the_end(
        profile in any_profile(),
        cut in 0_usize..1000,
        junk in "[<>/a-zA-Z&;=\" ]{0,10}",
    ) {
        let mut text = diskspd::profile_xml(&profile);
        let at = text.len() * cut / 1000;
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        text.insert_str(at, &junk);
        let mut host = FakeHost::default();
        host.files.insert("p.xml".into(), text);
        check(&diskspd::parse(&["-Xp.xml".to_owned()], &host));
    }

    #[test]
    fn a_plan_of_any_profile_is_usable(profile in any_profile()) {
        let mut host = FakeHost::default();
        host.files.insert("p.xml".into(), diskspd::profile_xml(&profile));
        let parsed = diskspd::parse(&["-Xp.xml".to_owned()], &host);
        check(&parsed);
    }
}
