//! Averages of work on files (`fwd`): reads and writes, each with its rate, throughput and response time.
//!
//! Belongs here: the columns of such a flat file. Must never: make up what it does not say. Operations that move no data
//! (open, close, mkdir and others) have no rows: nothing of leadline's can be compared with them yet.

use super::{FlatLine, MIB, series};
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, whole};
use leadline_results::compare::{Properties, Property, PropertyValue, SubjectFigure, SubjectRow};

/// Rate, throughput, mean and highest response time of both, of reads, of writes.
const SIDES: [(Option<Op>, [&str; 4]); 3] = [
    (None, ["Rate", "MB/sec", "Resp", "Resp_max"]),
    (
        Some(Op::Read),
        ["Read_rate", "MB_read", "Read_resp", "Read_resp_max"],
    ),
    (
        Some(Op::Write),
        ["Write_rate", "MB_write", "Write_resp", "Write_resp_max"],
    ),
];

/// The rows of an average: of reads, of writes, and before them of both where there are both; `None` where a figure is
/// missing.
pub(super) fn rows(
    line: &FlatLine<'_>,
    label: &str,
    intervals: &[FlatLine<'_>],
) -> Option<Vec<SubjectRow>> {
    let rate = |at: usize| line.number(SIDES[at].1[0]);
    let mixed = rate(1)? > 0.0 && rate(2)? > 0.0;
    let shown = SIDES.iter().filter(|(op, [rate, ..])| match op {
        None => mixed,
        Some(_) => line.number(rate).is_some_and(|rate| rate > 0.0),
    });
    let row = |(op, [rate, mib, mean, max]): &(Option<Op>, [&'static str; 4])| {
        let mut figures = vec![
            SubjectFigure::plain(FigureKind::Iops, line.number(rate)?),
            SubjectFigure::plain(FigureKind::BytesPerS, line.number(mib)? * MIB),
            SubjectFigure::plain(FigureKind::Mean, line.number(mean)? * 1e6),
        ];
        // The most of both is not said in every version.
        let most = line.number(max).filter(|ms| *ms > 0.0);
        figures.extend(most.map(|ms| SubjectFigure::plain(FigureKind::Max, ms * 1e6)));
        Some(SubjectRow {
            stage: line.word("Run").unwrap_or_default().to_owned(),
            op: *op,
            latency_from: super::latency_from(&properties(line)),
            properties: properties(line),
            figures,
            series: series(label, intervals, [*rate, *mib, *mean]),
            ..SubjectRow::default()
        })
    };
    shown.map(row).collect()
}

/// What was asked for.
fn properties(line: &FlatLine<'_>) -> Properties {
    let mut all = Properties::new();
    let bytes = line.number("Xfersize").filter(|bytes| *bytes > 0.0);
    all.extend(bytes.map(|bytes| {
        let bytes = PropertyValue::Bytes(Bytes(whole(bytes)));
        (Property::BlockSize, bytes)
    }));
    let threads = line.number("Threads").filter(|n| *n >= 1.0);
    all.extend(threads.map(|n| (Property::Depth, PropertyValue::Count(whole(n)))));
    let rate = line.number("Reqrate");
    let rate = rate.filter(|rate| *rate > 0.0 && *rate < 9_999_900.0);
    all.extend(rate.map(|rate| (Property::Rate, PropertyValue::Iops(rate))));
    all
}
