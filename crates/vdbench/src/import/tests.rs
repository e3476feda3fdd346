//! A flat file of Vdbench 5.04.07 (figures of one run), and one of leadline's own.
#![expect(
    clippy::float_cmp,
    reason = "a figure is what the result says, to the last digit"
)]

use super::*;

const HEAD: &str = "<title>Vdbench o/flatfile.html</title><pre>
* rate            : Observed i/o rate
*
         tod               timestamp Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp resp_max read_max write_max xfersize threads rdpct seekpct
";

const RUN: &str = "05:34:20.103 11/20/2026-05:34:20-UTC RndRead 1 9999977 35647 139.2461 4096 100 0.1724 0.1724 0 28.806 28.806 0 4096 2 100 100
05:34:21.035 11/20/2026-05:34:21-UTC RndRead 2 9999977 45426 177.4453 4096 100 0.1741 0.1741 0 28.246 28.246 0 4096 2 100 100
05:34:22.027 11/20/2026-05:34:22-UTC RndRead 3 9999977 50726 198.1484 4096 100 0.1566 0.1566 0 5.582 5.582 0 4096 2 100 100
05:34:22.188 11/20/2026-05:34:22-UTC RndRead  avg_2-3 9999977 48076 187.7969 4096 100 0.1654 0.1654 0 28.246 28.246 0 4096 2 100 100
05:34:40.188 11/20/2026-05:34:40-UTC SeqMix_(50%)  avg_3-6 23100 26140 1633.75 65536 50 0.301 0.320 0.282 29.13 29.13 29.12 65536 2 50 n/a
";

fn of(text: &str) -> Subject {
    assert!(is_flat_file(text), "{text}");
    read("o", text, &mut Sources::default()).unwrap()
}

fn value(row: &SubjectRow, kind: FigureKind) -> f64 {
    row.figure(kind)
        .unwrap_or_else(|| panic!("{kind} of {row:?}"))
        .value
}

#[test]
fn figures_are_those_of_the_lines_avg() {
    let subject = of(&format!("{HEAD}{RUN}"));
    let places: Vec<(&str, Option<Op>)> = subject
        .rows
        .iter()
        .map(|r| (r.stage.as_str(), r.op))
        .collect();
    let mixed = "SeqMix_(50%)";
    let expected = [
        ("RndRead", Some(Op::Read)),
        (mixed, None),
        (mixed, Some(Op::Read)),
        (mixed, Some(Op::Write)),
    ];
    assert_eq!(places, expected);
    let first = &subject.rows[0];
    assert_eq!(value(first, FigureKind::Iops), 48_076.0);
    // Vdbench's MB are of 2^20 bytes.
    assert!((value(first, FigureKind::BytesPerS) - 187.7969 * 1_048_576.0).abs() < 1e-3);
    assert!((value(first, FigureKind::Mean) - 165_400.0).abs() < 1e-6);
    assert!((value(first, FigureKind::Max) - 28_246_000.0).abs() < 1e-6);
    // The first interval is of the warm-up.
    let ios: Vec<f64> = first.series.iter().map(|part| part.ios).collect();
    assert_eq!(ios, [45_426.0, 50_726.0]);
    assert_eq!(first.properties.get(&Property::Rate), None);
    assert_eq!(first.properties[&Property::Order].to_string(), "random");
    assert_eq!(first.properties[&Property::Depth], PropertyValue::Count(2));
    let of_all = &subject.rows[1];
    assert_eq!(
        of_all.properties[&Property::Rate],
        PropertyValue::Iops(23_100.0)
    );
    assert_eq!(of_all.properties.get(&Property::Order), None);
    let write = &subject.rows[3];
    assert!((value(write, FigureKind::Mean) - 282_000.0).abs() < 1e-6);
    assert_eq!(write.figure(FigureKind::Iops), None);
}

#[test]
fn what_cannot_be_read_is_said_with_its_line() {
    let said = |text: &str| {
        let mut sources = Sources::default();
        let wrong = read("o", text, &mut sources).unwrap_err();
        leadline_dialect::diagnostic::render(&wrong, &sources, false, 100)
    };
    let unfinished: String = RUN
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let unfinished = said(&format!("{HEAD}{unfinished}"));
    assert!(
        unfinished.contains("no run came to its end"),
        "{unfinished}"
    );
    assert!(said("").contains("names of columns"));
    let cut = said(&format!("{HEAD}{}", &RUN[..RUN.len() - 20]));
    assert!(
        cut.contains("fewer values than columns") && cut.contains("flatfile.html:9"),
        "{cut}"
    );
    let odd = said(&format!("{HEAD}{}", RUN.replace("1633.75", "NaN")));
    assert!(odd.contains("no-figures"), "{odd}");
    assert!(!is_flat_file("hello"));
}

/// Reads and writes of 4 KiB within files at 500 a second, after a format of no measured interval.
const FILES: &str = "<title>Vdbench o/flatfile.html</title><pre>
tod timestamp Run Interval Xfersize Threads Reqrate Rate Resp Resp_max MB/sec MB_read MB_write Read_rate Read_resp Read_resp_max Write_rate Write_resp Write_resp_max Open_rate Open_resp
05:37:45.108 11/20/2026-05:37:45-UTC format_for_rd1 1 47104 n/a 9999988 16 0.2688 1.958 0.7188 0 0.7188 0 0 0 16 0.2688 1.958 16 4.8977
05:37:45.144 11/20/2026-05:37:45-UTC format_for_rd1  avg_2-1 0 n/a 9999988 NaN 0 0 NaN NaN NaN NaN 0 0 NaN 0 0 NaN 0
05:37:47.025 11/20/2026-05:37:47-UTC rd1 1 4096 n/a 500 316 0.0101 0 1.2344 0.8945 0.3398 229 0.0096 1.395 87 0.0116 0.064 29 0.124
05:37:48.029 11/20/2026-05:37:48-UTC rd1 2 4096 n/a 500 495 0.0063 0 1.9336 1.2813 0.6523 328 0.0036 1.395 167 0.0116 0.089 48 0.1254
05:37:49.012 11/20/2026-05:37:49-UTC rd1 3 4096 n/a 500 511 0.0066 0 1.9961 1.4063 0.5898 360 0.0051 1.395 151 0.0102 0.116 41 0.0792
05:37:50.038 11/20/2026-05:37:50-UTC rd1  avg_2-3 4096 n/a 500 503 0.0074 0 1.9648 1.3581 0.6068 347.6667 0.0056 1.395 155.3333 0.0112 0.116 46.3333 0.1032
05:37:55.038 11/20/2026-05:37:55-UTC rd2  avg_2-4 4096 n/a 500 500 0.0074 0 1.9531 1.9531 0 500 0.0056 1.395 0 0 0 46.3333 0.1032
";

#[test]
fn work_on_files_has_a_row_of_reads_and_one_of_writes() {
    let subject = of(FILES);
    let places: Vec<(&str, Option<Op>)> = subject
        .rows
        .iter()
        .map(|r| (r.stage.as_str(), r.op))
        .collect();
    let expected = [
        ("rd1", None),
        ("rd1", Some(Op::Read)),
        ("rd1", Some(Op::Write)),
        ("rd2", Some(Op::Read)),
    ];
    assert_eq!(places, expected, "the format is no result");
    let [all, read, write, only] = subject.rows.as_slice() else {
        panic!("four rows")
    };
    assert_eq!(value(all, FigureKind::Iops), 503.0);
    assert!((value(all, FigureKind::BytesPerS) - 1.9648 * 1_048_576.0).abs() < 1e-6);
    assert_eq!(all.figure(FigureKind::Max).map(|f| f.value), None);
    assert!((value(read, FigureKind::Mean) - 5_600.0).abs() < 1e-6);
    assert!((value(read, FigureKind::Max) - 1_395_000.0).abs() < 1e-6);
    assert!((value(write, FigureKind::Iops) - 155.3333).abs() < 1e-9);
    assert_eq!(value(only, FigureKind::Iops), 500.0);
    let ios: Vec<f64> = write.series.iter().map(|part| part.ios).collect();
    assert_eq!(ios, [167.0, 151.0]);
    assert_eq!(
        read.properties[&Property::BlockSize],
        PropertyValue::Bytes(Bytes(4096))
    );
    assert_eq!(read.properties[&Property::Rate], PropertyValue::Iops(500.0));
}

#[test]
fn a_format_alone_is_no_result() {
    let format: String = FILES
        .lines()
        .take(4)
        .map(|line| format!("{line}\n"))
        .collect();
    let mut sources = Sources::default();
    let wrong = read("o", &format, &mut sources).unwrap_err();
    assert_eq!(wrong[0].code, "no-averages");
}

/// The flat file has no column for O_DIRECT, sizes of a list or the size of a volume: the parameter file says them.
#[test]
fn the_parameter_file_says_what_the_flat_file_does_not() {
    let known = |sd: &str, wd: &str| {
        let parameters = format!(
            "<title>Vdbench o/parmfile.html</title><pre>\nsd=sd1,lun=/mnt/v1,size=1g{sd}\nwd=w,sd=sd1,rdpct=100,seekpct=100{wd}\n\
             rd=RndRead,wd=w,iorate=max,elapsed=3,interval=1\n"
        );
        let mut subject = of(&format!("{HEAD}{RUN}"));
        add_parameters(&mut subject, &parameters);
        let row = &subject.rows[0];
        let words = |key| row.properties.get(&key).map(ToString::to_string);
        [
            Property::Direct,
            Property::Size,
            Property::Order,
            Property::BlockSize,
        ]
        .map(words)
    };
    let some = |words: &str| Some(words.to_owned());
    let plain = [some("no"), some("1 GiB"), some("random"), some("4 KiB")];
    assert_eq!(known("", ",xfersize=4k"), plain);
    let direct = known(",openflags=o_direct", ",xfersize=4k");
    assert_eq!(direct[0], some("yes"));
    // A file that is none, or that the front end does not read, adds nothing.
    let mut subject = of(&format!("{HEAD}{RUN}"));
    add_parameters(&mut subject, "sd=what");
    assert_eq!(subject, of(&format!("{HEAD}{RUN}")));
}

/// A folder of two hosts has the threads of both, and a file of each; one of an SD with such a name is no host.
#[test]
fn threads_are_those_of_a_host() {
    let with = |files: &[&str]| {
        let mut subject = of(&format!("{HEAD}{RUN}"));
        let files: Vec<String> = files.iter().map(|name| (*name).to_owned()).collect();
        add_hosts(&mut subject, &files);
        let own = &subject.rows[0].properties;
        (
            own.get(&Property::Depth).cloned(),
            own.get(&Property::HostCount).cloned(),
        )
    };
    let count = |n| Some(PropertyValue::Count(n));
    let two = ["h1.html", "h1-0.html", "h1-1.html", "h2.html", "h2-0.html"];
    assert_eq!(with(&two), (count(1), count(2)));
    let one = ["h1.html", "h1-0.html", "sd-1.html", "h1-0.stdout.html"];
    assert_eq!(with(&one), (count(2), None));
    let three = [&two[..], &["h3.html", "h3-0.html"]].concat();
    assert_eq!(with(&three), (None, count(3)), "two threads on three hosts");
}

#[test]
fn a_run_without_its_average_is_unfinished() {
    let begun = "05:34:41.188 11/20/2026-05:34:41-UTC Third 1 100 99 0.4 4096 100 0.1 0.1 0 1 1 0 4096 2 100 100\n";
    let subject = of(&format!("{HEAD}{RUN}{begun}"));
    assert!(subject.is_unfinished);
    assert_eq!(subject.doubts, ["Third did not come to its end"]);
    assert!(!of(&format!("{HEAD}{RUN}")).is_unfinished);
}

/// Between two runs nothing in the flat file shows that others were to come.
#[test]
fn a_folder_whose_summary_has_no_end_is_unfinished() {
    let with = |summary: &str| {
        let mut subject = of(&format!("{HEAD}{RUN}"));
        add_end(&mut subject, summary);
        (subject.is_unfinished, subject.doubts)
    };
    let end = "05:37:50.598 Vdbench execution completed successfully\n";
    assert_eq!(with(end), (false, Vec::new()));
    let (unfinished, doubts) = with("05:37:50.598 Starting RD=Second\n");
    assert!(unfinished);
    assert!(doubts[0].starts_with("summary.html does not end with `Vdbench execution completed"));
}
