//! Results of DISKSPD 2.2 on Windows Server (figures of three runs), and of leadline itself.

use super::*;
use leadline_model::units::{Bytes, Percent};
use leadline_results::compare::{Property, PropertyValue};

fn of(text: &str) -> Subject {
    assert!(is_result(text), "{text}");
    read("r", text, &mut Sources::default()).unwrap()
}

fn value(row: &SubjectRow, kind: FigureKind) -> f64 {
    row.figure(kind)
        .unwrap_or_else(|| panic!("{kind} of {row:?}"))
        .value
}

/// `-t2 -w30 -L -D`: 599,810,048 bytes in 146,438 I/Os within 3 s.
const TEXT: &str = "
Command Line: diskspd.exe -t2 -w30 -L -D -d3 testfile.dat

Results for timespan 1:
*******************************************************************************

actual test time:	3.00s

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
     0 |       337248256 |        82336 |     107.20 |   27444.94 |    0.036 |    1238.99 |     0.033 | testfile.dat (64MiB)
------------------------------------------------------------------------------------------------------------------
total:         599810048 |       146438 |     190.67 |   48811.96 |    0.041 |      67.47 |     0.033

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
total:         420909056 |       102761 |     133.80 |   34253.17 |    0.041 |     162.34 |     0.034

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
total:         178900992 |        43677 |      56.87 |   14558.79 |    0.041 |     114.43 |     0.030

Total latency distribution:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.018 |      0.019 |      0.018
   50th |      0.028 |      0.029 |      0.028
   99th |      0.101 |      0.101 |      0.101
3-nines |      0.121 |      0.120 |      0.121
4-nines |      0.736 |      1.411 |      0.875
9-nines |      7.029 |      1.794 |      7.029
    max |      7.029 |      1.794 |      7.029
";

#[test]
fn figures_of_text_are_those_of_its_totals() {
    let subject = of(TEXT);
    let ops: Vec<Option<Op>> = subject.rows.iter().map(|r| r.op).collect();
    assert_eq!(ops, [None, Some(Op::Read), Some(Op::Write)]);
    let write = &subject.rows[2];
    assert!((value(write, FigureKind::Iops) - 14_558.79).abs() < 1e-9);
    assert!((value(write, FigureKind::BytesPerS) - 56.87 * 1_048_576.0).abs() < 1e-3);
    assert!((value(write, FigureKind::Mean) - 41_000.0).abs() < 1e-6);
    assert!((value(write, FigureKind::percentile(99.0)) - 101_000.0).abs() < 1e-6);
    assert!((value(write, FigureKind::percentile(99.9)) - 120_000.0).abs() < 1e-6);
    assert!((value(write, FigureKind::percentile(99.99)) - 1_411_000.0).abs() < 1e-6);
    assert!((value(write, FigureKind::Max) - 1_794_000.0).abs() < 1e-6);
    assert!(write.stage == "timespan 1" && write.histogram.is_none());
    assert_eq!(write.latency_from, LatencyFrom::Start);
}

/// Without -L there are no latencies, and of writes alone no row of all.
#[test]
fn a_text_without_latencies_has_rates_only() {
    let head = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file\n";
    let text = format!(
        "Results for timespan 1:\nTotal IO\n{head}total:        1082785792 |       132176 |     516.30 |   66086.55\n\n\
         Read IO\n{head}total:                 0 |            0 |       0.00 |       0.00\n\n\
         Write IO\n{head}total:        1082785792 |       132176 |     516.30 |   66086.55\n\
         Results for timespan 2:\nTotal IO\n{head}total:        8192 |       1 |     0.01 |   1.00\n\n\
         Read IO\n{head}total:        8192 |       1 |     0.01 |   1.00\n"
    );
    let subject = of(&text);
    let of_rows: Vec<(&str, Option<Op>)> = subject
        .rows
        .iter()
        .map(|r| (r.stage.as_str(), r.op))
        .collect();
    let expected = [
        ("timespan 1", Some(Op::Write)),
        ("timespan 2", Some(Op::Read)),
    ];
    assert_eq!(of_rows, expected);
    assert!((value(&subject.rows[0], FigureKind::Iops) - 66_086.55).abs() < 1e-9);
    assert_eq!(
        (subject.rows[0].figures.len(), subject.rows[0].latency_from),
        (2, LatencyFrom::Unknown)
    );
}

/// Two threads with one target: 58,651 reads and 24,983 writes of 4 KiB in 2 s.
const XML: &str = "<Results>
  <System><ComputerName>vm</ComputerName><Tool><Version>2.2.0</Version></Tool></System>
  <Profile><TimeSpans><TimeSpan><Targets><Target><Path>testfile.dat</Path><BlockSize>4096</BlockSize>
    <Random>4096</Random><RequestCount>4</RequestCount><WriteRatio>30</WriteRatio>
    <ThreadsPerFile>1</ThreadsPerFile></Target></Targets></TimeSpan></TimeSpans></Profile>
  <TimeSpan>
    <TestTimeSeconds>2.00</TestTimeSeconds>
    <Latency><AverageReadMilliseconds>0.030</AverageReadMilliseconds>
      <AverageWriteMilliseconds>0.031</AverageWriteMilliseconds>
      <AverageTotalMilliseconds>0.030</AverageTotalMilliseconds>
      <Bucket><Percentile>0</Percentile><ReadMilliseconds>0.018</ReadMilliseconds></Bucket>
      <Bucket><Percentile>99</Percentile><ReadMilliseconds>0.115</ReadMilliseconds>
        <WriteMilliseconds>0.113</WriteMilliseconds><TotalMilliseconds>0.114</TotalMilliseconds></Bucket>
      <Bucket><Percentile>100</Percentile><ReadMilliseconds>6.285</ReadMilliseconds>
        <WriteMilliseconds>4.068</WriteMilliseconds><TotalMilliseconds>6.285</TotalMilliseconds></Bucket></Latency>
    <Iops><Bucket SampleMillisecond=\"1000\" Read=\"30059\" Write=\"12872\" Total=\"42931\"/>
      <Bucket SampleMillisecond=\"2000\" Read=\"28591\" Write=\"12111\" Total=\"40702\"/></Iops>
    <Thread><Target><BytesCount>61820928</BytesCount><IOCount>15093</IOCount><ReadBytes>43073536</ReadBytes>
      <ReadCount>10516</ReadCount><WriteBytes>18747392</WriteBytes><WriteCount>4577</WriteCount></Target></Thread>
    <Thread><Target><BytesCount>280743936</BytesCount><IOCount>68541</IOCount><ReadBytes>197160960</ReadBytes>
      <ReadCount>48135</ReadCount><WriteBytes>83582976</WriteBytes><WriteCount>20406</WriteCount></Target></Thread>
  </TimeSpan>
</Results>";

#[test]
fn figures_of_xml_are_counts_over_the_time() {
    let subject = of(XML);
    assert_eq!(subject.properties[&Property::Tool], "DISKSPD 2.2.0".into());
    let read = &subject.rows[1];
    assert_eq!(read.op, Some(Op::Read));
    // By hand: (10,516 + 48,135) / 2 and (43,073,536 + 197,160,960) / 2.
    assert!((value(read, FigureKind::Iops) - 29_325.5).abs() < 1e-9);
    assert!((value(read, FigureKind::BytesPerS) - 120_117_248.0).abs() < 1e-6);
    assert!((value(read, FigureKind::percentile(99.0)) - 115_000.0).abs() < 1e-6);
    assert!((value(read, FigureKind::Max) - 6_285_000.0).abs() < 1e-6);
    let ios: Vec<f64> = read.series.iter().map(|part| part.ios).collect();
    assert_eq!(ios, [30_059.0, 28_591.0]);
    assert!((read.series[0].bytes - 30_059.0 * 4096.0).abs() < 1e-6);
    for (property, of) in [
        (
            Property::Mix,
            PropertyValue::Percent(Percent::nearest(70.0)),
        ),
        (Property::BlockSize, PropertyValue::Bytes(Bytes(4096))),
        (Property::Order, "random".into()),
        (Property::Depth, PropertyValue::Count(4)),
        (Property::Jobs, PropertyValue::Count(1)),
    ] {
        assert_eq!(read.properties[&property], of, "{property:?}");
    }
}

#[test]
fn what_cannot_be_read_is_said_with_its_line() {
    let said = |text: &str| {
        let mut sources = Sources::default();
        let wrong = read("r.xml", text, &mut sources).unwrap_err();
        leadline_dialect::diagnostic::render(&wrong, &sources, false, 100)
    };
    let cut = said(&XML[..XML.len() / 2]);
    assert!(cut.contains("not-xml") && cut.contains("r.xml:"), "{cut}");
    let ended = said(&XML.replace("2.00", "0.00"));
    assert!(
        ended.contains("no-time") && ended.contains("r.xml:6"),
        "{ended}"
    );
    assert!(said("Results for timespan 1:\n").contains("no I/O in it"));
    let odd = said(&TEXT.replace("146438 |     190.67", "146438 |     many"));
    assert!(
        odd.contains("bad-totals") && odd.contains("r.xml:14"),
        "{odd}"
    );
    assert!(!is_result("hello") && !is_result("<Profile/>"));
}

#[test]
fn a_text_says_what_was_done_and_several_targets_only_what_they_have_alike() {
    let inputs = |size: &str, more: &str| {
        let target = format!(
            "\tnumber of outstanding I/O operations per thread: 0\n\tpath: 'testfile.dat'\n\t\tperforming mix test (read/write \
             ratio: 70/30)\n\t\tblock size: {size}\n\t\tusing random I/O (alignment: {size})\n\t\tnumber of outstanding I/O \
             operations per thread: 8\n\t\tthreads per file: 2\n{more}\n"
        );
        // Where the command line is there, it says more.
        let text = TEXT.replacen("Command Line:", "Command line:", 1).replacen(
            "\nResults for",
            &format!("\nInput parameters:\n{target}\nResults for"),
            1,
        );
        of(&text).properties
    };
    let known = inputs("8KiB", "");
    for (property, value) in [
        (
            Property::Mix,
            PropertyValue::Percent(Percent::nearest(70.0)),
        ),
        (Property::BlockSize, PropertyValue::Bytes(Bytes(8192))),
        (Property::Order, PropertyValue::AtLeast("random".to_owned())),
        (Property::Depth, PropertyValue::Count(8)),
        (Property::Jobs, PropertyValue::Count(2)),
    ] {
        assert_eq!(known[&property], value, "{property:?}");
    }
    assert_eq!(
        inputs("65536", "")[&Property::BlockSize],
        PropertyValue::Bytes(Bytes(65536))
    );
    let several = inputs("8KiB", "\tpath: 'b'\n\t\tblock size: 4KiB\n");
    assert_eq!(several[&Property::BlockSize], PropertyValue::Unknown);
    let two = inputs("8KiB", "\tpath: 'b'\n\t\tthreads per file: 3\n");
    assert_eq!(two[&Property::Jobs], PropertyValue::Count(5));
}

/// 2 s of two threads with DISKSPD for Linux: 495,017,984 bytes, 247.5 MB/s that it calls 236.04 MB/s.
#[test]
fn a_text_of_diskspd_for_linux_has_its_own_words() {
    let head = "thread |           bytes |         I/Os |       MB/s |  I/O per s | file\n";
    let text = format!(
        "Input parameters:\n\n\tjob:   1\n\tpath: 'testfile.dat'\n\t\tperforming mix test (read/write ratio: 70/30)\n\
         \t\tblock size: 4096\n\t\tusing random I/O (alignment: 65536)\n\t\tnumber of outstanding I/O operations: 8)\n\n\
         Results for job 1:\ntest time:         2s\n\nTotal IO\n{head}\
         total:         495017984 |       120854 |     236.04 |   60427.00 \n\nRead IO\n{head}\
         total:         346087424 |        84494 |     165.03 |   42247.00 \n\nWrite IO\n{head}\
         total:         148930560 |        36360 |      71.02 |   18180.00 \n"
    );
    let subject = of(&text);
    let all = &subject.rows[0];
    assert_eq!((all.op, all.stage.as_str()), (None, "timespan 1"));
    assert!((value(all, FigureKind::Iops) - 60_427.0).abs() < 1e-9);
    let mb = value(all, FigureKind::BytesPerS) / 1e6;
    assert!((mb - 495.017_984 / 2.0).abs() < 0.01, "{mb}");
    for (property, value) in [
        (
            Property::Mix,
            PropertyValue::Percent(Percent::nearest(70.0)),
        ),
        (Property::BlockSize, PropertyValue::Bytes(Bytes(4096))),
        (Property::Depth, PropertyValue::Count(8)),
    ] {
        assert_eq!(subject.properties[&property], value, "{property:?}");
    }
}

/// A machine without a power scheme, and a path that has `&`: DISKSPD 2.2 writes both as they are.
#[test]
fn xml_in_which_nothing_is_escaped_is_read_all_the_same() {
    let odd = XML
        .replace(
            "<ComputerName>",
            "<PowerScheme Name=\"<unknown>\" Guid=\"\"/><ComputerName>",
        )
        .replace("testfile.dat", "a & b &amp; c.dat");
    let plain = of(&XML.replace("testfile.dat", "a and b"));
    let odd = of(&odd);
    assert_eq!(
        odd.rows[0].properties[&Property::Target],
        "a & b & c.dat".into()
    );
    let figures = |subject: &Subject| {
        let rows = subject.rows.iter();
        rows.map(|row| (row.op, row.figures.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(figures(&plain), figures(&odd));
}

/// `diskspd ... >> log.txt`: the last result is read.
#[test]
fn the_last_of_several_texts_is_read() {
    let first = TEXT.replace("146438", "999999");
    let subject = of(&format!("{first}\n{TEXT}"));
    let alone = of(TEXT);
    assert_eq!(subject.rows, alone.rows);
    assert_eq!(subject.doubts.len(), 1, "{:?}", subject.doubts);
    let through = |line: &str| {
        let command = TEXT
            .lines()
            .find(|line| line.starts_with("Command Line:"))
            .unwrap();
        let text = TEXT.replacen(command, &format!("Command Line: diskspd.exe {line}"), 1);
        of(&text).rows[0].properties.get(&Property::Sync).cloned()
    };
    assert_ne!(through("-w30 -Sh -d5 x.dat"), through("-w30 -Su -d5 x.dat"));
}

/// A text that ends before its last table has no end, whatever its figures.
#[test]
fn a_text_that_was_cut_is_said_to_be() {
    assert!(!of(TEXT).is_unfinished);
    for last in ["Write IO", "4-nines"] {
        let cut = of(TEXT.split(last).next().unwrap());
        assert!(
            cut.is_unfinished && cut.doubts[0].contains("was cut"),
            "{last}: {:?}",
            cut.doubts
        );
    }
}

/// What DISKSPD repeats of its input is read by the front end: caches, sizes, threads of a pool, mixed orders.
#[test]
fn work_is_that_of_the_profile_or_of_the_command_line() {
    let work = |subject: &Subject| {
        let row = &subject.rows[0];
        let words = |key| row.properties.get(&key).map(ToString::to_string);
        let keys = [
            Property::Direct,
            Property::Size,
            Property::Jobs,
            Property::Order,
            Property::Rate,
        ];
        keys.map(words)
    };
    let of_line = |line: &str| {
        let command = TEXT
            .lines()
            .find(|line| line.starts_with("Command Line:"))
            .unwrap();
        work(&of(&TEXT.replacen(
            command,
            &format!("Command Line: diskspd.exe {line}"),
            1,
        )))
    };
    let some = |words: &str| Some(words.to_owned());
    assert_eq!(
        of_line("-b4K -t2 -o8 -r -w30 -d5 -Sh -f512m x.dat"),
        [
            some("yes"),
            some("512 MiB"),
            some("2"),
            some("random"),
            None
        ]
    );
    assert_eq!(
        of_line("-b4K -F4 -o8 -rs50 -d5 -g1000i x.dat"),
        [
            some("no"),
            None,
            some("4"),
            some("random, only 50 % of the I/Os"),
            some("4,000 IOPS")
        ]
    );
    // A profile as DISKSPD writes it into its results.
    let profile = crate::parsed::parse(
        &["-b8K", "-t3", "-Sb", "-d5", "-c1g", "x.dat"].map(str::to_owned),
        &leadline_dialect::host::NoHost,
    );
    let profile = crate::profile_xml(&profile.profile.expect("a profile"));
    let from = XML.find("<Profile>").expect("a profile");
    let to = XML.find("</Profile>").expect("its end") + "</Profile>".len();
    let text = format!("{}{}{}", &XML[..from], profile.trim(), &XML[to..]);
    assert_eq!(
        work(&of(&text))[..3],
        [some("no"), some("1 GiB"), some("3")]
    );
}
