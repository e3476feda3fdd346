//! Lines of fio's text that are of latencies: means, maxima, percentiles.
//!
//! Belongs here: lines below a direction, and numbers as fio shortens them. Must never: know which job they are of.

use leadline_model::condition::FigureKind;
use leadline_results::compare::{LatencyFrom, SubjectFigure, SubjectRow};

/// What lines of percentiles are of.
#[derive(Clone, Copy)]
pub(super) struct PercentileUnit {
    from: LatencyFrom,
    /// By how many nanoseconds they may be off.
    step: f64,
    /// Nanoseconds of their numbers.
    unit: f64,
}

/// Lines below a direction: the latency with its unit, its percentiles.
pub(super) fn latency(line: &str, row: &mut SubjectRow, percentiles: &mut Option<PercentileUnit>) {
    let line = line.trim_start();
    if let Some(list) = line.strip_prefix('|') {
        if let Some(PercentileUnit { from, step, unit }) = *percentiles {
            row.latency_from = from;
            row.latency_step = step;
            for part in list.split(',') {
                // A line that is there twice, as in two results in one file, adds nothing.
                let new = percentile(part, unit).filter(|f| row.figure(f.kind).is_none());
                row.figures.extend(new);
            }
        }
        return;
    }
    *percentiles = None;
    let Some((kind, rest)) = line
        .split_once(" (")
        .map(|(kind, rest)| (kind.trim(), rest))
    else {
        return;
    };
    let Some((unit, values)) = rest.split_once("):") else {
        return;
    };
    let unit = match unit {
        "nsec" => 1.0,
        "usec" => 1e3,
        "msec" => 1e6,
        _ => return,
    };
    // Without `slat` completion is counted from the start of the I/O, which the line of `lat` shows.
    match kind {
        "slat" => row.latency_from = LatencyFrom::Submitted,
        "clat percentiles" => {
            let from = match row.latency_from {
                LatencyFrom::Submitted => LatencyFrom::Submitted,
                _ => LatencyFrom::Issued,
            };
            // From just before the call: only the means show how much earlier the whole latency begins.
            let gap = match from {
                LatencyFrom::Submitted => 0.0,
                _ => row.latency_step,
            };
            let step = gap + unit;
            *percentiles = Some(PercentileUnit { from, step, unit });
        }
        "lat percentiles" | "resp percentiles" => {
            let from = match kind {
                "lat percentiles" => LatencyFrom::Issued,
                _ => LatencyFrom::Start,
            };
            row.figures
                .retain(|f| !matches!(f.kind, FigureKind::Percentile(_)));
            let step = unit;
            *percentiles = Some(PercentileUnit { from, step, unit });
        }
        "clat" => mean_and_max(values, unit, row),
        // The whole time of an I/O: what the mean is taken of, where it is there; leadline adds that from when the I/O was
        // to start. fio counts from when it issued an I/O, however late that was.
        "lat" | "resp" => whole(kind, values, unit, row),
        _ => {}
    }
}

/// The whole time of an I/O, which the mean is taken of; how much earlier it begins than what percentiles may be of.
fn whole(kind: &str, values: &str, unit: f64, row: &mut SubjectRow) {
    let mean = |row: &SubjectRow| row.figure(FigureKind::Mean).map(|mean| mean.value);
    let of_call = mean(row);
    row.figures
        .retain(|f| !matches!(f.kind, FigureKind::Mean | FigureKind::Max));
    mean_and_max(values, unit, row);
    let gap = mean(row)
        .zip(of_call)
        .map(|(whole, of_call)| whole - of_call);
    row.latency_step = match row.latency_from {
        LatencyFrom::Submitted => 0.0,
        _ => gap.unwrap_or(0.0).max(0.0),
    };
    row.mean_from = Some(match kind {
        "lat" => LatencyFrom::Issued,
        _ => LatencyFrom::Start,
    });
}

fn mean_and_max(values: &str, unit: f64, row: &mut SubjectRow) {
    for part in values.split(',') {
        let Some((name, value)) = part.trim().split_once('=') else {
            continue;
        };
        let kind = match name {
            "avg" => FigureKind::Mean,
            "max" => FigureKind::Max,
            _ => continue,
        };
        if let Some(value) = scaled(value).filter(|_| row.figure(kind).is_none()) {
            row.figures.push(SubjectFigure::plain(kind, value * unit));
        }
    }
}

/// ` 99.00th=[  273]`.
fn percentile(part: &str, unit: f64) -> Option<SubjectFigure> {
    let (percent, rest) = part.trim().split_once("th=[")?;
    let value = rest.split(']').next()?.trim().parse::<f64>().ok()?;
    let percent: f64 = percent.parse().ok()?;
    let is_one = (0.0..=100.0).contains(&percent) && value.is_finite() && value >= 0.0;
    is_one.then(|| SubjectFigure::plain(FigureKind::percentile(percent), value * unit))
}

/// `8048`, `12.3k`, `1.2M`.
pub(super) fn scaled(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, factor) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], 1e3),
        b'M' => (&text[..text.len() - 1], 1e6),
        b'G' => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    let value: f64 = digits.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value * factor)
}
