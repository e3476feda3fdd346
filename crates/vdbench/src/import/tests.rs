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
    assert_eq!(first.properties[&Property::Order], "random".into());
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
