//! Results of Debian's fio 3.33 (figures of two runs of `rw=randrw bs=4k`), of fio 2, and of leadline itself.
#![expect(
    clippy::float_cmp,
    reason = "a figure is what the result says, to the last digit"
)]

use super::*;
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, Percent};
use leadline_results::compare::{LatencyFrom, Property, PropertyValue, SubjectRow};

fn of(text: &str) -> Subject {
    assert!(is_result(text), "{text}");
    read("r", text, &mut Sources::default()).unwrap()
}

fn value(row: &SubjectRow, kind: FigureKind) -> f64 {
    row.figure(kind)
        .unwrap_or_else(|| panic!("{kind} of {row:?}"))
        .value
}

const FIO_3: &str = r#"fio: this platform does not support process shared mutexes
{
  "fio version" : "fio-3.33",
  "timestamp" : 1795626048,
  "global options" : { "ioengine" : "libaio" },
  "jobs" : [ {
    "jobname" : "a", "groupid" : 0, "error" : 0,
    "job options" : { "name" : "a", "size" : "4m", "rw" : "randrw", "bs" : "4k", "iodepth" : "4", "direct" : "1" },
    "read" : {
      "io_bytes" : 132648960, "bw_bytes" : 66291334, "bw" : 64737, "iops" : 16184.407796, "total_ios" : 32385,
      "slat_ns" : { "min" : 3555, "max" : 5014817, "mean" : 8819.143461, "N" : 32385 },
      "clat_ns" : { "min" : 711, "max" : 13934507, "mean" : 91585.110391, "N" : 32385,
        "percentile" : { "50.000000" : 61696, "99.000000" : 264192, "99.900000" : 5406720 },
        "bins" : { "708" : 1, "61696" : 32384 } },
      "lat_ns" : { "min" : 4000, "max" : 14000000, "mean" : 100500.5, "N" : 32385 } },
    "write" : { "io_bytes" : 0, "iops" : 0.0, "total_ios" : 0 },
    "trim" : { "io_bytes" : 0, "iops" : 0.0, "total_ios" : 0 } } ]
}
"#;

#[test]
fn figures_of_json_are_those_that_fio_printed() {
    let subject = of(FIO_3);
    assert_eq!(subject.properties[&Property::Tool], "fio-3.33".into());
    let [row] = subject.rows.as_slice() else {
        panic!("{subject:?}")
    };
    assert_eq!((row.workload.as_str(), row.op), ("a", Some(Op::Read)));
    // Percentiles are of clat, from when the I/O was submitted; the mean is that of the whole latency.
    assert_eq!(row.latency_from, LatencyFrom::Submitted);
    assert_eq!(row.mean_from, Some(LatencyFrom::Start));
    assert_eq!(value(row, FigureKind::Iops), 16_184.407_796);
    assert_eq!(value(row, FigureKind::BytesPerS), 66_291_334.0);
    assert_eq!(value(row, FigureKind::Mean), 100_500.5);
    assert_eq!(value(row, FigureKind::percentile(99.0)), 264_192.0);
    assert_eq!(value(row, FigureKind::percentile(99.9)), 5_406_720.0);
    assert_eq!(value(row, FigureKind::Max), 14_000_000.0);
    assert_eq!(row.histogram.as_ref().unwrap().total(), 32_385);
    for (property, of) in [
        (
            Property::Mix,
            PropertyValue::Percent(Percent::nearest(50.0)),
        ),
        (Property::BlockSize, PropertyValue::Bytes(Bytes(4096))),
        (Property::Size, PropertyValue::Bytes(Bytes(4 << 20))),
        (Property::Order, "random".into()),
        (Property::Depth, PropertyValue::Count(4)),
        (Property::Jobs, PropertyValue::Count(1)),
        (Property::Direct, PropertyValue::Flag(true)),
        (Property::Engine, "libaio".into()),
    ] {
        assert_eq!(row.properties[&property], of, "{property:?}");
    }
}

/// fio 2 has microseconds and KiB/s, and no bytes a second.
#[test]
fn units_of_fio_2_are_its_own() {
    let subject = of(
        r#"{ "fio version" : "fio-2.16", "jobs" : [ { "jobname" : "j", "error" : 5,
      "read" : { "io_bytes" : 1024, "bw" : 2000, "iops" : 500.25,
        "slat" : { "min" : 0, "max" : 0, "mean" : 0.0 },
        "clat" : { "min" : 100, "max" : 9000, "mean" : 250.5, "percentile" : { "99.000000" : 812 } } } } ] }"#,
    );
    let row = &subject.rows[0];
    assert_eq!(value(row, FigureKind::BytesPerS), 2_048_000.0);
    assert_eq!(value(row, FigureKind::Mean), 250_500.0);
    assert_eq!(value(row, FigureKind::percentile(99.0)), 812_000.0);
    assert_eq!(
        (row.latency_from, &row.histogram),
        (LatencyFrom::Issued, &None)
    );
    assert_eq!(subject.doubts, ["job j ended with error 5"]);
}

const TEXT: &str = "a: (g=0): rw=randrw, bs=(R) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

a: (groupid=0, jobs=1): err= 0: pid=20180: Wed Nov 25 17:00:49 2026
  read: IOPS=8048, BW=31.4MiB/s (33.0MB/s)(31.9MiB/1014msec)
    clat (usec): min=35, max=18050, avg=88.80, stdev=384.53
     lat (usec): min=35, max=18050, avg=88.84, stdev=384.53
    clat percentiles (usec):
     |  1.00th=[   52],  5.00th=[   53], 10.00th=[   54], 20.00th=[   56],
     | 99.00th=[  273], 99.50th=[ 2073], 99.90th=[ 6259], 99.95th=[ 7701],
     | 99.99th=[17957]
   bw (  KiB/s): min=29832, max=35448, per=100.00%, avg=32640.00, stdev=3971.11, samples=2
  write: IOPS=12.3k, BW=48.0MiB/s (50.4MB/s)(32.1MiB/1014msec); 0 zone resets
    slat (nsec): min=200, max=4057, avg=454.5, stdev=44.93
    clat (msec): min=2, max=4057, avg= 4.54, stdev=44.93
    clat percentiles (msec):
     | 50.00th=[    4], 99.00th=[   10]
";

#[test]
fn figures_of_text_are_those_that_fio_rounded() {
    let subject = of(TEXT);
    assert_eq!(subject.properties[&Property::Tool], "fio-3.33".into());
    let [read, write] = subject.rows.as_slice() else {
        panic!("{subject:?}")
    };
    assert_eq!(
        (read.op, read.latency_from),
        (Some(Op::Read), LatencyFrom::Issued)
    );
    // The line before the figures says what the job was.
    for row in [read, write] {
        let known = &row.properties;
        assert_eq!(
            known[&Property::BlockSize],
            PropertyValue::Bytes(Bytes(4096))
        );
        assert_eq!(known[&Property::Depth], PropertyValue::Count(1));
        assert_eq!(known[&Property::Order].to_string(), "random");
        assert_eq!(known[&Property::Engine], "psync".into());
        assert_eq!(known.get(&Property::Mix), None);
    }
    assert_eq!(value(read, FigureKind::Iops), 8048.0);
    assert!((value(read, FigureKind::BytesPerS) - 33.0e6).abs() < 1.0);
    assert!((value(read, FigureKind::Mean) - 88_840.0).abs() < 1e-6);
    assert_eq!(value(read, FigureKind::Max), 18_050_000.0);
    assert_eq!(value(read, FigureKind::percentile(99.0)), 273_000.0);
    assert_eq!(value(read, FigureKind::percentile(99.99)), 17_957_000.0);
    assert_eq!(write.latency_from, LatencyFrom::Submitted);
    assert_eq!(value(write, FigureKind::Iops), 12_300.0);
    assert_eq!(value(write, FigureKind::percentile(99.0)), 10e6);
    assert!((value(write, FigureKind::Mean) - 4.54e6).abs() < 1e-6);
}

/// What leadline prints in fio's shapes reads as the run that it is of.
#[test]
fn what_leadline_prints_in_fios_shapes_reads_as_its_run() {
    use leadline_results::compare::Subject as Compared;
    let run = leadline_results::fixture::run();
    let options = crate::report::Options {
        bins: true,
        run_file: None,
        zone: jiff::tz::TimeZone::UTC,
    };
    let shown = of(&crate::report::json(&run, &options));
    let kept = Compared::from_run("r", "r", &run);
    let mut compared = 0;
    for row in &shown.rows {
        let of_run = |other: &&SubjectRow| other.workload == row.workload && other.op == row.op;
        let Some(own) = kept.rows.iter().find(of_run) else {
            continue;
        };
        let (a, b) = (value(row, FigureKind::Iops), value(own, FigureKind::Iops));
        assert!((a - b).abs() <= 0.01 * b, "{}: {a} {b}", row.name().label());
        assert_eq!(
            row.latency_from,
            LatencyFrom::Start,
            "{}",
            row.name().label()
        );
        compared += 1;
    }
    assert!(compared > 0, "{:?} {:?}", shown.rows.len(), kept.rows.len());
}

#[test]
fn what_cannot_be_read_is_said_with_its_line() {
    let said = |text: &str| {
        let mut sources = Sources::default();
        let wrong = read("r.json", text, &mut sources).unwrap_err();
        leadline_dialect::diagnostic::render(&wrong, &sources, false, 100)
    };
    let cut = &FIO_3[..FIO_3.len() / 2];
    let cut = said(cut);
    assert!(
        cut.contains("this is no JSON") && cut.contains("r.json:1"),
        "{cut}"
    );
    assert!(said("{ \"jobs\" : [] }").contains("there are no `jobs` in it"));
    let old =
        said("a: (groupid=0, jobs=1): err= 0: pid=1\n  read : io=4096.0MB, bw=399MB/s, iops=102\n");
    assert!(old.contains("fio 2") && old.contains("r.json:2"), "{old}");
    assert!(said("a: (groupid=0, jobs=1): err= 0: pid=1\n").contains("no-figures"));
    assert!(!is_result("hello") && !is_result(""));
}

#[test]
fn sizes_of_a_text_are_those_of_what_the_job_does() {
    let of_job = |head: &str| {
        let text = TEXT.replacen("rw=randrw, bs=(R) 4096B-4096B,", head, 1);
        of(&text).rows[0].properties.clone()
    };
    let written = of_job("rw=write, bs=(R) 4096B-4096B, (W) 65536B-65536B, (T) 4096B-4096B,");
    assert_eq!(
        written[&Property::BlockSize],
        PropertyValue::Bytes(Bytes(65_536))
    );
    assert_eq!(written[&Property::Order].to_string(), "sequential");
    // How offsets are distributed the text does not say.
    assert!(written[&Property::Order].is_same_as(&"sequential, skipping 8 KiB after each".into()));
    assert!(!written[&Property::Order].is_same_as(&"random".into()));
    assert_eq!(
        written[&Property::Mix],
        PropertyValue::Percent(Percent::NONE)
    );
    let several = of_job("rw=randread, bs=(R) 4096B-16.0KiB, (W) 4096B-4096B, (T) 4096B-4096B,");
    let sizes = PropertyValue::Sizes(Bytes(4096), Bytes(16_384), None);
    assert_eq!(several[&Property::BlockSize], sizes);
    assert_eq!(
        several[&Property::Mix],
        PropertyValue::Percent(Percent::ALL)
    );
}

/// From 64 KiB on fio writes `64.0KiB`, and from 1 MiB on `1024KiB`.
#[test]
fn block_sizes_of_a_text_have_units() {
    for (text, bytes) in [
        ("4096B-4096B", 4096),
        ("64.0KiB-64.0KiB", 65_536),
        ("1024KiB-1024KiB", 1 << 20),
        ("16.0MiB-16.0MiB", 16 << 20),
    ] {
        let subject = of(&TEXT.replacen("4096B-4096B", text, 1));
        let block = &subject.rows[0].properties[&Property::BlockSize];
        assert_eq!(block, &PropertyValue::Bytes(Bytes(bytes)), "{text}");
    }
}

/// The logs of a run: names and texts.
fn logs(files: &[(&str, &str)]) -> Result<Subject, Vec<Diagnostic>> {
    let each = files.iter().map(|(name, text)| {
        let log = LogName::of(name).expect("the name of a log");
        (log, (*name).to_owned(), (*text).to_owned())
    });
    read_logs("r", &each.collect::<Vec<_>>(), &mut Sources::default())
}

#[test]
fn names_of_logs_have_a_prefix_a_job_and_a_kind() {
    let of = |name: &str| {
        let log = LogName::of(name)?;
        Some((log.prefix, log.job, log.kind))
    };
    assert_eq!(of("run_lat.12.log"), Some(("run".into(), 12, LogKind::Lat)));
    assert_eq!(of("a_b_clat.1.log"), Some(("a_b".into(), 1, LogKind::Clat)));
    assert_eq!(of("x_bw.log"), Some(("x".into(), 0, LogKind::Bw)));
    let last = logs(&[("x_lat.4294967295.log", "10, 1000, 0, 4096\n")]);
    assert_eq!(last.unwrap().rows.len(), 1, "the largest number of a job");
    assert_eq!(
        of("x_clat_hist.3.log"),
        Some(("x".into(), 3, LogKind::ClatHist))
    );
    for other in [
        "run.log",
        "run_lat.log.gz",
        "run_lat.x.log",
        "lat.1.log.fz",
        "notes_cpu.1.log",
    ] {
        assert_eq!(of(other), None, "{other}");
    }
}

/// Two seconds of a job: three reads in the first, one in the second.
#[test]
fn a_log_of_each_io_has_rates_mean_and_histogram() {
    let lat = "10, 1000000, 0, 4096, 0\n500, 2000000, 0, 4096, 0\n900, 3000000, 0, 8192, 0\n2000, 6000000, 0, 4096, 0\n";
    let subject = logs(&[
        ("r_lat.1.log", lat),
        ("r_bw.1.log", "10, 4000, 0, 4096, 0\n"),
    ])
    .unwrap();
    let [row] = subject.rows.as_slice() else {
        panic!("{:?}", subject.rows)
    };
    assert_eq!((row.op, row.workload.as_str()), (Some(Op::Read), ""));
    assert_eq!(value(row, FigureKind::Iops), 2.0);
    assert_eq!(value(row, FigureKind::BytesPerS), 20_480.0 / 2.0);
    assert_eq!(value(row, FigureKind::Mean), 3e6);
    assert_eq!(value(row, FigureKind::Max), 6e6);
    assert_eq!(row.latency_from, LatencyFrom::Issued);
    assert_eq!(row.histogram.as_ref().unwrap().total(), 4);
    let ios: Vec<f64> = row.series.iter().map(|part| part.ios).collect();
    assert_eq!(ios, [3.0, 1.0]);
    // Four I/Os have no p99.
    assert_eq!(row.figure(FigureKind::percentile(99.0)), None);
}

/// Windows of half a second of two jobs; the second has none between 500 and 1,500 ms, and fio wrote a line for what came
/// after the last window.
#[test]
fn windows_without_a_line_had_no_io_and_a_tail_weighs_nothing() {
    let iops = "500, 1000, 0, 0, 0\n500, 100, 1, 0, 0\n1000, 3000, 0, 0, 0\n1000, 100, 1, 0, 0\n";
    let lat = "500, 100000, 0, 0, 0\n1000, 200000, 0, 0, 0\n1000, 99000000, 0, 0, 0\n";
    let bw = "500, 4000, 0, 0, 0\n1000, 12000, 0, 0, 0\n";
    let holes =
        "500, 1000, 0, 0, 0\n1000, 1000, 0, 0, 0\n2000, 1000, 0, 0, 0\n2500, 1000, 0, 0, 0\n";
    let files = [
        ("r_iops.1.log", iops),
        ("r_lat.1.log", lat),
        ("r_bw.1.log", bw),
        ("r_iops.2.log", holes),
    ];
    let subject = logs(&files).unwrap();
    let places: Vec<(&str, Option<Op>)> = subject
        .rows
        .iter()
        .map(|row| (row.workload.as_str(), row.op))
        .collect();
    assert_eq!(
        places,
        [
            ("", Some(Op::Read)),
            ("job 1", None),
            ("job 1", Some(Op::Read)),
            ("job 1", Some(Op::Write)),
            ("job 2", Some(Op::Read)),
        ]
    );
    let [sum, both, read, write, second] = subject.rows.as_slice() else {
        panic!("five rows")
    };
    // That the jobs ran at once no log says.
    assert_eq!(subject.doubts.len(), 1, "{:?}", subject.doubts);
    let of = |row| value(row, FigureKind::Iops);
    assert_eq!(of(sum), of(read) + of(second));
    assert_eq!(of(both), of(read) + of(write));
    assert_eq!(value(read, FigureKind::Iops), 2000.0);
    assert_eq!(value(read, FigureKind::BytesPerS), 8000.0 * 1024.0);
    // By the I/Os of each window: (100 us x 500 + 200 us x 1,500) / 2,000.
    assert_eq!(value(read, FigureKind::Mean), 175_000.0);
    assert_eq!(write.latency_from, LatencyFrom::Unknown);
    // Four windows of five had I/Os.
    assert_eq!(value(second, FigureKind::Iops), 800.0);
    let ios: Vec<f64> = second.series.iter().map(|part| part.ios).collect();
    assert_eq!(ios, [500.0, 500.0, 0.0, 500.0, 500.0]);
}

/// A job whose I/O starts 147 ms after its clock, in windows of 20 ms, at which fio looks late now and then: the rate of
/// each line is of all the time since the one before it.
#[test]
fn lines_that_come_late_are_of_all_the_time_before_them() {
    let mut text = String::new();
    let mut at = 147;
    for k in 0..200 {
        text += &format!("{at}, 4000, 0, 0, 0\n");
        at += if k % 7 == 0 { 41 } else { 20 };
    }
    let subject = logs(&[("r_iops.1.log", &text)]).unwrap();
    let rate = value(&subject.rows[0], FigureKind::Iops);
    assert!((rate - 4000.0).abs() < 1e-6, "{rate}");
}

/// Bins of completion latencies, each line those of its own window; coarser logs have fewer bins.
#[test]
fn histograms_of_windows_are_added_up() {
    let bins = |count: usize, filled: &[(usize, u64)]| {
        let mut all = vec!["0".to_owned(); count];
        for (bin, n) in filled {
            all[*bin] = n.to_string();
        }
        all.join(", ")
    };
    let line = |at: u32, bins: &str| format!("{at}, 0, 4096, {bins}, \n");
    let middle = leadline_model::histogram::fio_bin_value(700) as f64;
    let fine = line(1000, &bins(1856, &[(700, 900)])) + &line(2000, &bins(1856, &[(700, 100)]));
    let coarse = line(1000, &bins(464, &[(175, 1000)]));
    for text in [fine, coarse] {
        let subject = logs(&[("r_clat_hist.1.log", &text)]).unwrap();
        let row = &subject.rows[0];
        assert_eq!(row.histogram.as_ref().unwrap().total(), 1000);
        let p50 = value(row, FigureKind::percentile(50.0));
        assert!((p50 / middle - 1.0).abs() < 0.06, "{p50} {middle}");
    }
}

/// A time far beyond the lines takes no memory, and times since 1970 are those since the first line.
#[test]
fn a_time_is_one_that_a_run_can_have() {
    for end in ["1e300", "99999999999"] {
        for block in ["4096", "0"] {
            let text = format!("1, 5, 0, {block}\n{end}, 5, 0, {block}\n");
            for name in ["r_lat.1.log", "r_iops.1.log"] {
                let subject = logs(&[(name, &text)]);
                let rows = subject.map_or_else(|_| Vec::new(), |subject| subject.rows);
                assert!(rows.iter().all(|row| row.series.len() < 2), "{rows:?}");
            }
        }
    }
    let epoch = "1795626048000, 1000, 0, 4096\n1795626050000, 3000, 0, 4096\n";
    let subject = logs(&[("r_lat.1.log", epoch)]).unwrap();
    assert_eq!(value(&subject.rows[0], FigureKind::Iops), 1.0);
}

#[test]
fn a_log_that_is_none_is_said_with_its_line() {
    let said = |name: &str, text: &str| logs(&[(name, text)]).unwrap_err()[0].code;
    assert_eq!(said("r_lat.1.log", "1, 2, 0, 4096\n1, 2\n"), "no-log-line");
    assert_eq!(said("r_lat.1.log", "1, 2, 7, 4096\n"), "no-log-line");
    assert_eq!(said("r_lat.1.log", "1, -2, 0, 4096\n"), "no-log-line");
    assert_eq!(
        said("r_clat_hist.1.log", "1, 0, 4096, 1, 2, 3\n"),
        "no-log-line"
    );
    assert_eq!(said("r_lat.1.log", ""), "no-io");
}

/// Clones of a job that fio reports one by one, as leadline's own run has them: one row, with the rate of both.
#[test]
fn clones_of_a_job_are_one_row() {
    let entry = |iops: f64| {
        format!(
            r#"{{"jobname": "a", "groupid": 0, "error": 0, "job options": {{"rw": "randwrite", "bs": "4k,16k",
              "iodepth": "4", "ioengine": "libaio", "numjobs": "2", "rate_iops": "900", "thinktime": "500"}},
              "write": {{"total_ios": 1000, "iops": {iops}, "bw_bytes": {}, "lat_ns": {{"mean": {}, "N": 1000,
              "percentile": {{"99.000000": 5}}, "max": 9}}}}}}"#,
            iops * 16384.0,
            iops * 10.0
        )
    };
    let jobs = format!("{}, {}", entry(100.0), entry(300.0));
    let subject = of(&format!(
        r#"{{"fio version": "fio-3.42", "global options": {{"direct": "1"}}, "jobs": [{jobs}]}}"#
    ));
    let [row] = subject.rows.as_slice() else {
        panic!("{:?}", subject.rows)
    };
    let value = |kind| row.figure(kind).map(|f| f.value);
    assert_eq!(value(FigureKind::Iops), Some(400.0));
    assert_eq!(value(FigureKind::BytesPerS), Some(400.0 * 16384.0));
    assert_eq!(value(FigureKind::Mean), Some(2500.0));
    assert_eq!(value(FigureKind::percentile(99.0)), None);
    // fio counts from when it issued an I/O, however late that was.
    assert_eq!(row.latency_from, LatencyFrom::Issued);
    for (property, words) in [
        (Property::Jobs, "2"),
        (Property::Rate, "1,800 IOPS"),
        (Property::BlockSize, "16 KiB"),
        (Property::Think, "500 us after each I/O"),
        (Property::Direct, "yes"),
        (Property::Depth, "4"),
    ] {
        assert_eq!(row.properties[&property].to_string(), words, "{property:?}");
    }
}

/// Rates of the text are rounded to whole I/Os; the number of I/Os and the run time are not.
#[test]
fn rates_of_a_text_are_exact_where_it_says_how_many() {
    let text = "a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=4\n\
                ...\nfio-3.42\n";
    let entry = "\na: (groupid=0, jobs=1): err= 0: pid=1: x\n  read: IOPS=899, BW=3600KiB/s (3686kB/s)(35.2MiB/10001msec)\n\
                 \x20    issued rwts: total=8999,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n";
    let subject = of(&format!("{text}{entry}{entry}"));
    let [row] = subject.rows.as_slice() else {
        panic!("{:?}", subject.rows)
    };
    let value = |kind| row.figure(kind).expect("a figure").value;
    assert!((value(FigureKind::Iops) - 2.0 * 8999.0 / 10.001).abs() < 1e-6);
    assert!((value(FigureKind::BytesPerS) - 2.0 * 8999.0 / 10.001 * 4096.0).abs() < 1e-3);
    assert_eq!(row.properties[&Property::Rate], PropertyValue::Unknown);
    // One I/O in a third of a second is not two a second, and the millisecond of a short run is not trusted.
    let few = |line: &str, total: u64| {
        let entry = format!(
            "\na: (groupid=0, jobs=1): err= 0: pid=1: x\n{line}\n     issued rwts: total={total},0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
        );
        let subject = of(&format!("{text}{entry}"));
        subject.rows[0].figure(FigureKind::Iops).unwrap().value
    };
    let one = few("  read: IOPS=2, BW=12.2KiB/s (12.5kB/s)(4096B/336msec)", 1);
    assert!((one - 1.0 / 0.336).abs() < 1e-6, "{one}");
    let short = few(
        "  read: IOPS=8000, BW=31.2MiB/s (32.8MB/s)(64KiB/2msec)",
        16,
    );
    assert!((short - 8000.0).abs() < 1e-6, "{short}");
}

/// With `--status-interval`, or `>>`, a file has several results: the last is read.
#[test]
fn the_last_of_several_results_is_read() {
    let json = |iops: u32, start: u32| {
        FIO_3.replace("16184.407796", &format!("{iops}")).replace(
            "\"groupid\" : 0",
            &format!("\"groupid\" : 0, \"job_start\" : {start}"),
        )
    };
    let rate = |subject: &Subject| value(&subject.rows[0], FigureKind::Iops);
    let interim = of(&format!("{}{}", json(100, 5), json(200, 5)));
    assert_eq!((rate(&interim), interim.doubts.len()), (200.0, 0));
    let with_remark = of(&format!("{}fio: a remark\n{}", json(100, 5), json(200, 5)));
    assert_eq!(rate(&with_remark), 200.0);
    let appended = of(&format!("{}{}", json(100, 5), json(200, 9)));
    assert_eq!(rate(&appended), 200.0);
    assert_eq!(
        appended.doubts,
        ["it has the results of 2 runs: the last is read"]
    );
    for between in ["\u{feff}", "  ", "\n \u{feff}"] {
        let first = json(100, 5);
        let both = format!(
            "{}{between}{}",
            first.trim_end(),
            json(200, 5)
                .trim_start_matches("fio: this platform does not support process shared mutexes\n")
        );
        assert_eq!(rate(&of(&both)), 200.0, "{between:?}");
    }
    let second = json(200, 5);
    let cut = of(&format!("{}{}", json(100, 5), &second[..second.len() / 2]));
    assert_eq!((rate(&cut), cut.is_unfinished), (100.0, true));
    assert!(cut.doubts[0].contains("is cut"), "{cut:?}");

    let head = TEXT.find("a: (groupid").unwrap();
    let report = |iops: u32| {
        let figures = TEXT[head..].replace("IOPS=8048", &format!("IOPS={iops}"));
        format!("{figures}\nRun status group 0 (all jobs):\n   READ: bw=31.4MiB/s\n\n")
    };
    let start = &TEXT[..head];
    let interim = of(&format!("{start}{}{}", report(100), report(200)));
    assert_eq!(
        (rate(&interim), interim.doubts.len(), interim.rows.len()),
        (200.0, 0, 2)
    );
    let appended = of(&format!("{start}{}{start}{}", report(100), report(200)));
    assert_eq!(rate(&appended), 200.0);
    assert_eq!(
        appended.doubts,
        ["it has the results of 2 runs: the last is read"]
    );
    let last = report(200);
    let cut = of(&format!(
        "{start}{}{}",
        report(100),
        &last[..last.len() - 300]
    ));
    assert_eq!((rate(&cut), cut.is_unfinished), (100.0, true));
    // One of four jobs, and no end.
    let few = of(&TEXT.replace("Starting 1 process", "Starting 4 threads"));
    assert!(
        few.is_unfinished && few.doubts[0].contains("of some jobs"),
        "{few:?}"
    );
    let end = "\nRun status group 0 (all jobs):\n";
    assert!(!of(&format!("{TEXT}{end}")).is_unfinished);
}

/// `unified_rw_reporting`: all directions are one, under the name of none.
#[test]
fn directions_that_fio_reports_as_one_are_one_row() {
    let unified = FIO_3.replace("\"read\" : {", "\"mixed\" : {");
    let subject = of(&unified);
    let places: Vec<_> = subject.rows.iter().map(|row| row.op).collect();
    assert_eq!(places, [None]);
    // A job that reads only.
    let only = of(&unified.replace("\"randrw\"", "\"randread\""));
    assert_eq!(only.rows[0].op, Some(Op::Read));
    let text = TEXT
        .replace("  read: IOPS", "  mixed: IOPS")
        .split("  write: ")
        .next()
        .map(str::to_owned);
    // fio counts all I/Os as reads there.
    let text = format!(
        "{}     issued rwts: total=8161,0,0,0 short=0,0,0,0\n",
        text.unwrap()
    );
    let subject = of(&text);
    assert_eq!((subject.rows.len(), subject.rows[0].op), (1, None));
    assert_eq!(subject.rows[0].properties.get(&Property::Mix), None);
    // Of `unified_rw_reporting=both`, whose text has no rate of the sum.
    let none = of(&format!("{TEXT}  mixed: IOPS=0, BW=0 (0)(0B/1001msec)\n"));
    assert_eq!(none.rows.len(), 2);
}

/// What a result says of the work beside its options: the size of blocks, and the share of reads that was counted.
#[test]
fn what_was_counted_says_what_no_option_does() {
    let bare = FIO_3
        .replace("job options", "no options")
        .replace("global options", "nothing");
    let row = &of(&bare).rows[0];
    assert_eq!(
        row.properties[&Property::Mix],
        PropertyValue::Percent(Percent::ALL)
    );
    // 132,648,960 bytes of 32,385 I/Os.
    assert_eq!(
        row.properties[&Property::BlockSize],
        PropertyValue::Bytes(Bytes(4096))
    );
    // 28 KiB on average.
    let mixed = bare.replace("132648960", &(32_385_u64 * 28_672).to_string());
    let mean = of(&mixed).rows[0].properties[&Property::BlockSize].clone();
    assert_eq!(mean, PropertyValue::BytesAbout(28_672.0));
    assert!(!mean.is_same_as(&PropertyValue::Bytes(Bytes(4096))));
    assert!(mean.is_same_as(&PropertyValue::Sizes(Bytes(4096), Bytes(65_536), None)));
    let through = of(&FIO_3.replace("\"direct\"", "\"sync\" : \"1\", \"direct\""));
    assert_eq!(through.rows[0].properties[&Property::Sync], "O_SYNC".into());
    let split = FIO_3.replace("132648960", &(32_385_u64 * 19_456).to_string());
    let split = of(&split.replace("\"bs\" : \"4k\"", "\"bssplit\" : \"4k/75:64k/25\""));
    let size = split.rows[0].properties[&Property::BlockSize].to_string();
    assert_eq!(size, "4 KiB (75 %), 64 KiB (25 %)");
    let counted = format!("{TEXT}     issued rwts: total=70040,29960,0,0 short=0,0,0,0\n");
    let mix = of(&counted).rows[0].properties[&Property::Mix].clone();
    assert_eq!(mix.to_string(), "about 70.0 %");
    assert!(mix.is_same_as(&PropertyValue::Percent(Percent::whole(70))));
    assert!(!mix.is_same_as(&PropertyValue::Percent(Percent::ALL)));
    let log = |block: u32| {
        let lines: String = (1..200)
            .map(|ms| format!("{ms}, 100000, {}, {block}, 0\n", u32::from(ms % 4 == 0)))
            .collect();
        logs(&[("t_lat.1.log", &lines)]).unwrap().rows[0]
            .properties
            .clone()
    };
    let known = log(4096);
    assert_eq!(
        known[&Property::BlockSize],
        PropertyValue::Bytes(Bytes(4096))
    );
    assert!(known[&Property::Mix].is_same_as(&PropertyValue::Percent(Percent::whole(75))));
    assert_eq!(known[&Property::Rate], PropertyValue::Unknown);
    // Of windows the rates say it: 700 reads and 300 writes of 8 KiB.
    let windows = |reads: u32, writes: u32| {
        let lines = |read: u32, write: u32| -> String {
            let line = |n: u32| format!("{0}, {read}, 0, 0, 0\n{0}, {write}, 1, 0, 0\n", n * 500);
            (1..20).map(line).collect()
        };
        let (iops, bw) = (lines(reads, writes), lines(reads * 8, writes * 8));
        let rows = logs(&[("t_iops.1.log", &iops), ("t_bw.1.log", &bw)])
            .unwrap()
            .rows;
        rows[0].properties.clone()
    };
    let known = windows(700, 300);
    assert!(known[&Property::Mix].is_same_as(&PropertyValue::Percent(Percent::whole(70))));
    assert!(!known[&Property::Mix].is_same_as(&PropertyValue::Percent(Percent::whole(30))));
    assert!(known[&Property::BlockSize].is_same_as(&PropertyValue::Bytes(Bytes(8192))));
    assert!(!known[&Property::BlockSize].is_same_as(&PropertyValue::Bytes(Bytes(4096))));
}

/// What hosts did together is a row beside those of each, in JSON; the text has it as fio's own sum.
#[test]
fn hosts_have_a_sum() {
    let host = |name: &str, ios: u64| {
        format!(
            r#"{{ "jobname" : "j", "groupid" : 0, "error" : 0, "hostname" : "{name}", "job options" : {{ "rw" : "randread" }},
            "read" : {{ "io_bytes" : {}, "bw_bytes" : 1, "iops" : {ios}.0, "total_ios" : {ios}, "runtime" : 1000 }} }}"#,
            ios * 4096
        )
    };
    let two = of(&format!(
        r#"{{ "fio version" : "fio-3.33", "client_stats" : [ {}, {} ] }}"#,
        host("h1", 1000),
        host("h2", 3000)
    ));
    let named: Vec<_> = two
        .rows
        .iter()
        .map(|row| (row.stage.as_str(), value(row, FigureKind::Iops)))
        .collect();
    assert_eq!(named, [("", 4000.0), ("h1", 1000.0), ("h2", 3000.0)]);
    assert_eq!(
        two.rows[0].properties[&Property::HostCount],
        PropertyValue::Count(2)
    );
    let each = "<h1>\nj: (groupid=0, jobs=1): err= 0: pid=0: Thu\n  read: IOPS=1000, BW=4MiB/s (4.1MB/s)(4MiB/1000msec)\n\n\
                Run status group 0 (all jobs):\n";
    let text = format!(
        "fio-3.33\nStarting 1 thread\n{each}{each}All clients: (groupid=0, jobs=2): err= 0: pid=0: Thu\n  \
         read: IOPS=2000, BW=8Mi (8.2M)(8MiB/1000msec)\n"
    );
    let subject = of(&text);
    let [row] = subject.rows.as_slice() else {
        panic!("{subject:?}")
    };
    assert_eq!(
        (row.workload.as_str(), value(row, FigureKind::Iops)),
        ("j", 2000.0)
    );
    assert!(
        subject.doubts.is_empty() && !subject.is_unfinished,
        "{:?}",
        subject.doubts
    );
}

/// fio repeats the options of one section for a group of several: 9,001 ms of work in 3,002 ms are three jobs.
#[test]
fn a_group_of_several_sections_has_the_jobs_of_all() {
    let side = |ios: u64, bytes: u64| {
        format!(
            r#"{{ "io_bytes" : {}, "bw_bytes" : 1, "iops" : 1.0, "total_ios" : {ios}, "runtime" : 3002 }}"#,
            ios * bytes
        )
    };
    let of_group = |sum: u32, read: &str, write: &str| {
        of(&format!(
            r#"{{ "fio version" : "fio-3.33", "global options" : {{ "direct" : "1" }}, "jobs" : [ {{ "jobname" : "reader",
            "groupid" : 0, "error" : 0, "job_runtime" : {sum}, "job options" : {{ "rw" : "randwrite", "bs" : "8k" }},
            "read" : {read}, "write" : {write} }} ] }}"#
        ))
    };
    let two = of_group(9001, &side(2000, 4096), &side(1000, 8192));
    assert_eq!(two.rows.len(), 2);
    let known = &two.rows[0].properties;
    assert_eq!(known[&Property::Jobs], PropertyValue::Count(3));
    assert_eq!(known[&Property::Direct], PropertyValue::Flag(true));
    assert_eq!(known.get(&Property::Order), None);
    assert_eq!(known[&Property::Rate], PropertyValue::Unknown);
    assert_eq!(known[&Property::Mix].to_string(), "about 66.7 %");
    let one = of_group(6004, r"{}", &side(1000, 8192));
    let known = &one.rows[0].properties;
    assert_eq!(known[&Property::Jobs], PropertyValue::Count(2));
    assert_eq!(known[&Property::Order], "random".into());
    // One ended after two thirds of the time.
    let known = &of_group(5003, r"{}", &side(1000, 8192)).rows[0].properties;
    assert_eq!(known[&Property::Jobs], PropertyValue::Unknown);
}

/// `--output-format=normal,json+` puts the result between the heads of jobs and the text: its figures are not rounded.
#[test]
fn json_among_the_text_is_what_is_read() {
    let json = r#"{
  "fio version" : "fio-3.33",
  "jobs" : [ { "jobname" : "j", "groupid" : 0, "error" : 0, "read" : { "io_bytes" : 4096000, "bw_bytes" : 4096001, "iops" :
  1000.25, "total_ios" : 1000, "clat_ns" : { "N" : 1000, "mean" : 5000.0, "bins" : { "5000" : 1000 } } } } ] }"#;
    let heads = "j: (g=0): rw=randread, bs=(R) 4096B-4096B, ioengine=libaio, iodepth=1\nfio-3.33\nStarting 1 process\n";
    let text = "j: (groupid=0, jobs=1): err= 0: pid=1: Thu\n  read: IOPS=1000, BW=4000KiB/s (4096kB/s)(4000KiB/1000msec)\n";
    let subject = of(&format!("{heads}{json}\n\n{text}"));
    let [row] = subject.rows.as_slice() else {
        panic!("{subject:?}")
    };
    assert_eq!(value(row, FigureKind::Iops), 1000.25);
    assert!(row.histogram.is_some());
    let text_alone = of(&format!("{heads}{text}"));
    assert_eq!(value(&text_alone.rows[0], FigureKind::Iops), 1000.0);
}

/// The bytes of a result in the middle of a run are of I/Os that have ended, `total_ios` has those under way too.
#[test]
fn ios_under_way_change_no_block_size() {
    let of_timed = |issued: u32, timed: &str| {
        of(&format!(
            r#"{{ "fio version" : "fio-3.33", "jobs" : [ {{ "jobname" : "j", "groupid" : 0, "error" : 0, "read" : {{ "io_bytes" :
            4096000, "bw_bytes" : 4096000, "iops" : 1000.0, "total_ios" : {issued} {timed} }} }} ] }}"#
        ))
        .rows[0]
            .properties[&Property::BlockSize]
            .clone()
    };
    let latencies = r#", "clat_ns" : { "N" : 1000, "mean" : 5000.0 }"#;
    let timed = of_timed(1032, latencies);
    assert_eq!(timed, PropertyValue::Bytes(Bytes(4096)));
    // Two that began in the ramp have bytes and latencies, and are not in `total_ios`.
    assert_eq!(of_timed(998, latencies), timed);
    let untimed = of_timed(1032, "");
    assert!(!untimed.is_same_as(&timed), "{untimed}");
}

/// `409` of a log that was cut may be the start of `4096`: the line is left out, and that is said.
#[test]
fn a_cut_line_of_a_log_is_left_out() {
    let subject = logs(&[("r_lat.1.log", "1000, 5000, 0, 4096\n2000, 5000, 0, 409")]).unwrap();
    let known = &subject.rows[0].properties;
    assert_eq!(
        known[&Property::BlockSize],
        PropertyValue::Bytes(Bytes(4096))
    );
    assert_eq!(
        subject.doubts,
        ["the last line of r_lat.1.log is cut and left out"]
    );
    assert!(subject.is_unfinished);
}

/// `unified_rw_reporting=both` prints the sum beside the directions: of one direction that is the same once more.
#[test]
fn a_sum_beside_its_only_direction_is_no_second_job() {
    let side = r#"{ "io_bytes" : 4096000, "bw_bytes" : 4096000, "iops" : 1000.0, "total_ios" : 1000, "runtime" : 1000 }"#;
    let of_sides = |sides: &str| {
        of(&format!(
            r#"{{ "fio version" : "fio-3.33", "jobs" : [ {{ "jobname" : "j", "groupid" : 0, "error" : 0, {sides} }} ] }}"#
        ))
        .rows
        .iter()
        .map(|row| (row.op, value(row, FigureKind::Iops)))
        .collect::<Vec<_>>()
    };
    let only = of_sides(&format!(r#""read" : {side}, "mixed" : {side}"#));
    assert_eq!(only, [(Some(Op::Read), 1000.0)]);
    let both = of_sides(&format!(
        r#""read" : {side}, "write" : {side}, "mixed" : {}"#,
        side.replace("1000.0", "2000.0")
    ));
    assert_eq!(both.len(), 3, "{both:?}");
    let text = "j: (groupid=0, jobs=1): err= 0: pid=1: Thu\n  mixed: IOPS=0, BW=4000KiB/s (4096kB/s)(4000KiB/1000msec)\n  \
                read: IOPS=700, BW=4000KiB/s (4096kB/s)(4000KiB/1000msec)\n  write: IOPS=300, BW=4000KiB/s \
                (4096kB/s)(4000KiB/1000msec)\n\nRun status group 0 (all jobs):\n";
    let rows = of(&format!("fio-3.33\n{text}")).rows;
    let ops: Vec<Option<Op>> = rows.iter().map(|row| row.op).collect();
    assert_eq!(ops, [Some(Op::Read), Some(Op::Write)]);
}

/// A job that an error ended has no end, and a text without its last lines may have lost figures.
#[test]
fn what_may_be_cut_is_unfinished() {
    let broken = of(
        r#"{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "j", "groupid" : 0, "error" : 5, "read" : { "io_bytes" : 4096,
        "bw_bytes" : 4096, "iops" : 1.0, "total_ios" : 1 } } ] }"#,
    );
    assert!(broken.is_unfinished);
    let head = "fio-3.33\nStarting 1 process\nj: (groupid=0, jobs=1): err= 0: pid=1: Thu\n  read: IOPS=1000, BW=4000KiB/s \
                (4096kB/s)(4000KiB/1000msec)\n";
    let whole = of(&format!(
        "{head}    clat (usec): min=2, max=12800, avg=104.42, stdev=1.0\n\nRun status group 0 (all jobs):\n"
    ));
    assert!(!whole.is_unfinished && whole.doubts.is_empty(), "{whole:?}");
    // `avg=1` is the start of `avg=104.42`.
    let cut = of(&format!("{head}    clat (usec): min=2, max=12800, avg=1"));
    assert!(cut.is_unfinished && cut.doubts.len() == 1, "{cut:?}");
    assert_eq!(cut.rows[0].figure(FigureKind::Mean), None);
    let bare = of(head);
    assert!(bare.is_unfinished, "{bare:?}");
}

/// Bits and units of 1000 are asked for: which of both is in brackets, and that eight bits are a byte.
#[test]
fn throughput_is_read_in_any_unit() {
    for words in [
        "BW=3906KiB/s (4000kB/s)",
        "BW=4000kB/s (3906KiB/s)",
        "BW=30.5Mibit/s (32.0Mbit/s)",
        "BW=32.0Mbit/s (30.5Mibit/s)",
    ] {
        let text = format!(
            "fio-3.33\nj: (groupid=0, jobs=1): err= 0: pid=1: Thu\n  read: IOPS=977, {words}(4000kB/1000msec)\n"
        );
        let rows = of(&text).rows;
        assert_eq!(
            value(&rows[0], FigureKind::BytesPerS),
            4_000_000.0,
            "{words}"
        );
    }
}

/// These engines have one I/O in flight, whatever `iodepth` the text repeats; and what was done of a mix is near to it.
#[test]
fn depth_and_mix_of_a_text_are_those_of_its_work() {
    let with = |engine: &str| {
        let text = format!(
            "j: (g=0): rw=randrw, bs=(R) 4096B-4096B, ioengine={engine}, iodepth=16\nfio-3.33\nj: (groupid=0, jobs=1): err= 0: \
             pid=1: Thu\n  read: IOPS=479, BW=4000KiB/s (4096kB/s)(4000KiB/10000msec)\n  write: IOPS=521, BW=4000KiB/s \
             (4096kB/s)(4000KiB/10000msec)\n     issued rwts: total=47900,52100,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
        );
        of(&text).rows[0].properties.clone()
    };
    assert_eq!(with("psync")[&Property::Depth], PropertyValue::Count(1));
    assert_eq!(with("libaio")[&Property::Depth], PropertyValue::Count(16));
    let mix = &with("libaio")[&Property::Mix];
    assert!(
        mix.is_same_as(&PropertyValue::Percent(Percent::whole(50))),
        "{mix}"
    );
    assert!(
        !mix.is_same_as(&PropertyValue::Percent(Percent::whole(70))),
        "{mix}"
    );
}

/// Percentiles of a very short run may be nonsense in fio's own output.
#[test]
fn percentiles_that_cannot_be_are_left_out() {
    let subject = of(
        r#"{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "j", "groupid" : 0, "error" : 0, "read" : { "io_bytes" : 4096,
        "bw_bytes" : 4096, "iops" : 1.0, "total_ios" : 1, "clat_ns" : { "N" : 1, "mean" : 9.0, "max" : 9000, "percentile" : {
        "50.000000" : 8640, "90.000000" : 0, "99.000000" : 9024, "99.900000" : 139815000000000 } } } } ] }"#,
    );
    let of = |percent| {
        subject.rows[0]
            .figure(FigureKind::percentile(percent))
            .map(|f| f.value)
    };
    assert_eq!(
        (of(50.0), of(90.0), of(99.0), of(99.9)),
        (Some(8640.0), None, Some(9024.0), None)
    );
}

/// Writes that end at 4.5 s of 10 have the rate of 10 s, as fio says it.
#[test]
fn a_direction_is_measured_as_long_as_its_job() {
    let reads = (1..=1000).map(|n| format!("{}, 1000, 0, 4096, 0\n", n * 10));
    let writes = (1..=10).map(|n| format!("{}, 1000, 1, 4096, 0\n", n * 450));
    let text: String = reads.chain(writes).collect();
    let subject = logs(&[("r_lat.1.log", &text)]).unwrap();
    let of = |op| {
        let row = subject.rows.iter().find(|row| row.op == op).unwrap();
        value(row, FigureKind::Iops)
    };
    assert_eq!(
        (of(Some(Op::Read)), of(Some(Op::Write)), of(None)),
        (100.0, 1.0, 101.0)
    );
}

/// fio writes a log that jobs share job by job, each from the start of its time.
#[test]
fn a_shared_log_has_the_windows_of_each_job() {
    let times = |at: [u32; 3], value: [u32; 3]| {
        let each = at.into_iter().zip(value);
        let lines = each.flat_map(|(late, value)| {
            (1..=5).map(move |n| format!("{}, {value}, 0, 0, 0\n", n * 1000 + late))
        });
        lines.collect::<String>()
    };
    let iops = times([0, 0, 0], [400; 3]);
    let lat = times([14, 1, 23], [1000, 2000, 3000]);
    let subject = logs(&[("r_iops.log", &iops), ("r_lat.log", &lat)]).unwrap();
    let sum = &subject.rows[0];
    assert_eq!(sum.workload, "");
    assert_eq!(value(sum, FigureKind::Iops), 1200.0);
    assert_eq!(value(sum, FigureKind::Mean), 2000.0);
    // Windows of one job of three: the others have no rate, and that is said.
    let one: String = iops.lines().take(5).flat_map(|line| [line, "\n"]).collect();
    let subject = logs(&[("r_iops.log", &one), ("r_lat.log", &lat)]).unwrap();
    let doubts = subject.doubts.join("; ");
    assert!(
        doubts.contains("job 2 has latencies and no rates"),
        "{doubts}"
    );
    let few = "for 5 windows and latencies for 15";
    assert!(doubts.contains(few), "{doubts}");
    let subject = logs(&[("r_iops.1.log", &one), ("r_iops.2.log", "")]).unwrap();
    assert_eq!(subject.doubts, ["r_iops.2.log is empty"]);
}

/// `group_reporting` has one report of all sections of a group, under the name of the first.
#[test]
fn a_group_of_unlike_sections_in_a_text_has_what_all_have() {
    let with = |second: &str| {
        let text = format!(
            "x0: (g=0): rw=randread, bs=(R) 4096B-4096B, ioengine=libaio, iodepth=2\nx1: (g=0): rw=randread, bs=(R) {second}, \
             ioengine=libaio, iodepth=8\nfio-3.33\nStarting 2 processes\n\nx0: (groupid=0, jobs=2): err= 0: pid=1: Thu\n  \
             read: IOPS=1000, BW=4000KiB/s (4096kB/s)(4000KiB/1000msec)\n\nRun status group 0 (all jobs):\n"
        );
        of(&text).rows[0].properties.clone()
    };
    let unlike = with("512B-512B");
    assert_eq!(unlike.get(&Property::BlockSize), None);
    assert_eq!(unlike.get(&Property::Depth), None);
    assert_eq!(unlike[&Property::Order].to_string(), "random");
    let alike = with("4096B-4096B");
    assert_eq!(
        alike[&Property::BlockSize],
        PropertyValue::Bytes(Bytes(4096))
    );
}

/// Engines that submit nothing apart count completion from just before the call, a little later than the whole latency.
#[test]
fn percentiles_of_a_call_may_be_short_by_what_is_before_it() {
    let text = of(TEXT);
    let step = |row: &SubjectRow| row.latency_step;
    assert!(
        (step(&text.rows[0]) - 1040.0).abs() < 1e-6,
        "{}",
        step(&text.rows[0])
    );
    let json = |slat: &str| {
        of(&format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "read": {{"total_ios": 9, "iops": 9.0, "bw_bytes": 9000,
            {slat} "clat_ns": {{"mean": 1000.0, "max": 3000, "N": 9, "percentile": {{"50.000000": 1000}}}},
            "lat_ns": {{"mean": 1250.0, "max": 3000, "N": 9}}}}}}]}}"#
        ))
    };
    assert!((step(&json("").rows[0]) - 250.0).abs() < 1e-6);
    // Where submitting is apart, percentiles are of another kind, and not of one that is a little off.
    let apart = json(r#""slat_ns": {"mean": 250.0, "max": 300, "N": 9},"#);
    assert_eq!(apart.rows[0].latency_from, LatencyFrom::Submitted);
    assert!(step(&apart.rows[0]).abs() < 1e-9);
}

/// I/Os under way at the end of a ramp have bytes and are not counted, or the other way round: the size that was asked for
/// is what was done. A group of sections of unlike sizes is off by far more.
#[test]
fn ios_of_a_ramp_are_of_the_size_that_was_asked_for() {
    let json = |ios: u64, bytes: u64| {
        let subject = of(&format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "job options": {{"rw": "randread", "bs": "8k", "iodepth": "16",
            "ioengine": "libaio"}}, "read": {{"total_ios": {ios}, "io_bytes": {bytes}, "iops": 9.0, "bw_bytes": 9000}}}}]}}"#
        ));
        subject.rows[0]
            .properties
            .get(&Property::BlockSize)
            .map(ToString::to_string)
    };
    let asked = Some("8 KiB".to_owned());
    assert_eq!(json(200, 200 * 8192), asked);
    assert_eq!(json(200, 216 * 8192), asked);
    assert_eq!(json(200, 184 * 8192), asked);
    assert_eq!(json(200, 217 * 8192).as_deref(), Some("about 8.68 KiB"));
    // Of a few I/Os no count contradicts what was asked.
    assert_eq!(json(1, 4096), asked);
}

/// Of a group fio repeats the options of the last section: the sum beside its directions is not one of them, however few
/// I/Os there are. All together of a mixed job are not called by the one direction that it had.
#[test]
fn a_sum_is_not_called_by_one_of_its_directions() {
    let names = |options: &str, sides: &[&str]| {
        let each = sides.iter().map(|side| {
            format!(
                r#""{side}": {{"total_ios": 5, "io_bytes": 20480, "iops": 5.0, "bw_bytes": 20480}}"#
            )
        });
        let sides = each.collect::<Vec<_>>().join(", ");
        let subject = of(&format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "job options": {{{options}}}, {sides}}}]}}"#
        ));
        let name = |row: &SubjectRow| (row.op, value(row, FigureKind::Iops));
        subject.rows.iter().map(name).collect::<Vec<_>>()
    };
    let read = (Some(Op::Read), 5.0);
    let apart = [read, (Some(Op::Write), 5.0), (None, 5.0)];
    let last = r#""rw": "read", "bs": "4k""#;
    assert_eq!(names(last, &["read", "write", "mixed"]), apart);
    assert_eq!(names(last, &["mixed"]), [read]);
    let mixed = r#""rw": "randrw", "rwmixread": "100", "bs": "4k""#;
    assert_eq!(names(mixed, &["mixed"]), [(None, 5.0)]);
}

/// An engine has one name in all forms of a result: that of the back end that it is here.
#[test]
fn engines_are_called_as_options_say_them() {
    let text = |engine: &str| {
        let subject = of(&TEXT.replace("ioengine=psync", &format!("ioengine={engine}")));
        subject.rows[0].properties[&Property::Engine].to_string()
    };
    let json = |engine: &str| {
        let subject = of(&format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "job options": {{"rw": "read", "ioengine": "{engine}"}},
            "read": {{"total_ios": 9, "io_bytes": 36864, "iops": 9.0, "bw_bytes": 36864}}}}]}}"#
        ));
        subject.rows[0].properties[&Property::Engine].to_string()
    };
    for engine in ["sync", "psync", "posixaio", "libaio", "io_uring"] {
        assert_eq!(text(engine), json(engine), "{engine}");
    }
}
