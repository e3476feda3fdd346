//! The charts that put several points side by side: one at a time, depth, mix, throughput.

use super::elements::{FAINT, NUMBERS, STOPS, USEFUL};
use super::view::{Figure, Picture, Section};
use crate::render::svg::{
    Axis, Bar, BarPart, Bars, Chart, DrawnIntervals, Mark, MarkerFill, ScaleKind, Series, Shape,
    Unit,
};
use crate::stats::Bracket;
use crate::study::curves_of_one_state;
use crate::study::series::{DepthCurve, MixSeries, Rise, mixes};
use crate::study::usable;
use crate::summary::measured::PointResult;
use crate::summary::percentile::nines;
use crate::summary::{OpFigures, percentile};
use crate::words::{about, both_per_s, in_flight_words};
use leadline_model::finding::Finding;
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::units::{Bytes, Percent};

/// Most curves of a kind that are drawn.
const MOST: usize = 4;
/// Bytes in a MiB.
const MIB: f64 = 1_048_576.0;
/// Height of the charts.
pub(super) const HEIGHT: f64 = 264.0;

/// The sections for what `points` have in common; empty when they have nothing. What rests on points that a check failed on
/// is drawn, and nothing is concluded from it.
pub(crate) fn sections(points: &[PointResult], findings: &[Finding]) -> Vec<Section> {
    let mut sections = Vec::new();
    let curves = curves_of_one_state(points);
    for (number, curve) in curves.iter().take(MOST).enumerate() {
        let failed = curve.points.len() - usable(&curve.points, findings).len();
        sections.push(depth(curve, number, failed));
    }
    for (number, series) in mixes(points).iter().take(MOST).enumerate() {
        sections.push(mix(series, number));
    }
    sections.extend(alone(points));
    sections
}

/// The mark of useful concurrency in a chart.
fn useful_mark(n: f64) -> Mark {
    Mark::At(n.max(1.0), format!("N* = {}", in_flight_words(n)))
}

/// Class and name of an operation's colour.
pub(crate) const fn class_of(op: Op) -> &'static str {
    op.name()
}

/// The section of a curve on `failed` of whose points a check failed.
fn depth(curve: &DepthCurve, number: usize, failed: usize) -> Section {
    let op = match curve.setting.read_percent {
        Some(Percent::ALL) => "read",
        Some(Percent::NONE) => "write",
        _ => "all",
    };
    let block = curve.setting.block_words();
    let order = if curve.setting.random {
        "random"
    } else {
        "sequential"
    };
    let lede = match failed {
        0 => {
            let own = [words_of_rise(curve), measured_again(curve), second(curve)].concat();
            [Some(own), curve.second_words()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        }
        _ => format!(
            "A check failed on {failed} of these {} points, so where throughput stops rising is not shown.",
            curve.points.len()
        ),
    };
    let marks = failed == 0;
    Section {
        id: format!("depth-{number}"),
        title: format!("Queue depth: {block} {order} {op}s").replace("alls", "I/O"),
        lede,
        figures: vec![
            by_depth(curve, op, number, marks),
            response(curve, op, number, marks),
        ],
    }
}

/// What a curve says of whether throughput still rises.
fn words_of_rise(curve: &DepthCurve) -> String {
    let knee = curve.said(curve.at_knee());
    let step = curve.last_step();
    match curve.rise() {
        Rise::Ended => format!(
            "Throughput stops rising at {} with {}; beyond it, more depth {}.",
            knee.depth_words(),
            curve.words(knee).0,
            curve.beyond_knee()
        ),
        Rise::Unsure => format!(
            "The last step of depth {step}, and one step does not prove that throughput has \
             levelled off; the chart on the right shows the latency it cost."
        ),
        Rise::GoesOn => format!(
            "Throughput was still rising at the largest depth: the last step {step}; the chart \
             on the right shows the latency it cost."
        ),
        Rise::NotShown => format!(
            "The last step of depth {step}, but the 95 % intervals of both depths overlap: whether throughput was \
             still rising is not shown. The chart on the right shows the latency it cost."
        ),
    }
}

/// Of a curve that was measured a second time, that it was, and which of its points are above the rate that lasts.
fn measured_again(curve: &DepthCurve) -> String {
    if curve.earlier.is_none() {
        return String::new();
    }
    let said = curve.all_said().into_iter();
    let paid = said.filter(|p| curve.is_paid_with_credits(p));
    let paid: Vec<String> = paid.map(PointResult::depth_words).collect();
    let paid = match paid.is_empty() {
        true => String::new(),
        false => format!(
            " At {} the rate is above the one that lasts: credits that came back paid for it.",
            paid.join(" and ")
        ),
    };
    format!(" This curve was measured again after the rate had changed.{paid}")
}

/// At which depth the charts have the run that confirms the highest rate.
fn second(curve: &DepthCurve) -> String {
    let said = curve.said_by_another();
    said.map_or_else(String::new, |again| {
        let at = again.depth_words();
        format!(" At {at}, which was measured twice, the charts show the second measurement.")
    })
}

fn in_flight(point: &PointResult) -> f64 {
    point.in_flight as f64
}

/// A latency from the intended start: the value in nanoseconds, and what is known of it.
pub(super) type DrawnLatency = (f64, Bracket);

/// A percentile of the response where it may be shown; not a number elsewhere, which breaks the line.
pub(super) fn tail(figures: &OpFigures, percent: f64) -> DrawnLatency {
    let found = figures.response_at(percent);
    let shown = found.filter(|p| p.shown().is_some());
    shown.map_or((f64::NAN, Bracket::Unknown), |p| {
        (p.value.0 as f64, p.bracket())
    })
}

/// The mean of the response.
pub(super) fn mean(figures: &OpFigures) -> DrawnLatency {
    (figures.response().mean(), figures.mean_bracket())
}

/// Gives a series its points.
pub(super) fn with_points(
    series: Series,
    points: impl Iterator<Item = (f64, DrawnLatency)>,
) -> Series {
    let (mut places, mut brackets) = (Vec::new(), Vec::new());
    for (x, (y, bracket)) in points {
        places.push((x, y));
        brackets.push(bracket);
    }
    Series {
        points: places,
        brackets,
        ..series
    }
}

/// IOPS by depth, with the knee and the useful concurrency where marks are wanted.
fn by_depth(curve: &DepthCurve, op: &str, number: usize, has_marks: bool) -> Figure {
    let said = curve.all_said();
    let points: Vec<_> = said.iter().map(|p| (in_flight(p), p.iops())).collect();
    let knee = curve.said(curve.at_knee());
    let mut marks = Vec::new();
    let deepest = points.last().map_or(1.0, |p| p.0);
    let useful = curve.useful_concurrency().filter(|_| has_marks);
    if let Some(n) = useful.filter(|n| *n <= deepest && *n >= 0.5) {
        marks.push(useful_mark(n));
    }
    if curve.plateau() && has_marks {
        let words = format!("stops rising: {}", knee.in_flight);
        marks.push(Mark::Ring(in_flight(knee), knee.iops(), words));
    }
    let chart = Chart {
        id: format!("by-depth-{number}"),
        title: "IOPS by queue depth".to_owned(),
        description: curve_words(curve),
        x: Axis::new("I/Os in flight", ScaleKind::Log2, Unit::Whole),
        y: Axis::new("IOPS", ScaleKind::Linear, Unit::Count),
        series: vec![Series {
            brackets: (said.iter())
                .map(|p| Bracket::of(&p.figures.data.iops_known()))
                .collect(),
            ..line(op, op, 0, Shape::Marked, points)
        }],
        marks,
        height: HEIGHT,
    };
    figure(&chart, format!("{STOPS} {USEFUL}"), true)
}

/// Latency against IOPS: the response curve. It may bend back, so it stays a picture.
fn response(curve: &DepthCurve, op: &str, number: usize, has_marks: bool) -> Figure {
    let said = curve.all_said();
    let tags = || said.iter().map(|p| p.in_flight.to_string()).collect();
    let of = |percent: f64, variant: u8| {
        let points = said.iter();
        let points = points.map(|p| (p.iops(), tail(&p.figures.data, percent)));
        let name = format!("p{percent:.0}");
        let series = line(&name, op, variant, Shape::Marked, Vec::new());
        Series {
            tags: tags(),
            ..with_points(series, points)
        }
    };
    let (mut middle, mut upper) = (of(50.0, 0), of(99.0, 1));
    upper.tags.clear();
    let knee = curve.said(curve.at_knee());
    let mut marks = Vec::new();
    let y = tail(&knee.figures.data, 50.0).0;
    if curve.plateau() && has_marks && y.is_finite() {
        // The ring's word takes the place of the tag.
        if let Some(tag) = middle.tags.get_mut(curve.knee) {
            tag.clear();
        }
        marks.push(Mark::Ring(
            knee.iops(),
            y,
            format!("stops rising: {}", knee.in_flight),
        ));
    }
    let chart = Chart {
        id: format!("response-{number}"),
        title: "Latency against IOPS".to_owned(),
        description: curve_words(curve),
        x: Axis::new("IOPS", ScaleKind::Linear, Unit::Count),
        y: Axis::new("latency", ScaleKind::Log10, Unit::Nanos),
        series: vec![middle, upper],
        marks,
        height: HEIGHT,
    };
    let caption = "Further right is more throughput, further up is more latency.";
    figure(&chart, format!("{NUMBERS} {STOPS} {caption}"), false)
}

fn curve_words(curve: &DepthCurve) -> String {
    let each = curve.all_said().into_iter().map(|p| {
        let latency = p.figures.data.response();
        let [middle, tail] = [50.0, 99.0].map(|percent| words_of(latency, percent));
        let iops = about(p.iops());
        format!("{}: {iops} IOPS, p50 {middle}, p99 {tail}", p.depth_words())
    });
    each.collect::<Vec<_>>().join("; ")
}

/// A percentile in words.
fn words_of(latency: &Latency, percent: f64) -> String {
    percentile(latency, percent).map_or("-".to_owned(), |p| p.text())
}

fn mix(series: &MixSeries, number: usize) -> Section {
    let block = series.setting.block_words();
    let order = if series.setting.random {
        "random"
    } else {
        "sequential"
    };
    let depth = series.points.first();
    let depth = depth.map_or_else(String::new, |p| format!(", {}", p.depth_words()));
    Section {
        id: format!("mix-{number}"),
        title: format!("Read/write mix: {block} {order}{depth}"),
        lede: "How the target performs when reads and writes share it.".to_owned(),
        figures: vec![stacked(series, number), mix_latency(series, number)],
    }
}

fn share(point: &PointResult) -> Percent {
    point.setting.read_percent.unwrap_or(Percent::NONE)
}

/// The interval of a rate of a point: of MiB/s, or of IOPS.
fn rate_within(figures: &OpFigures, bytes: bool) -> Option<(f64, f64)> {
    let (interval, unit) = match bytes {
        true => (figures.certainty.bytes_per_s?, MIB),
        false => (figures.certainty.iops?, 1.0),
    };
    Some((interval.low / unit, interval.high / unit))
}

fn stacked(series: &MixSeries, number: usize) -> Figure {
    // Large blocks are read as throughput, small ones as operations.
    let large = series.setting.mean_block >= 64.0 * Bytes::KIB as f64;
    let value = |p: &PointResult, op: Op| {
        p.figures
            .op(op)
            .map_or(0.0, |f| if large { f.bytes_per_s / MIB } else { f.iops })
    };
    let bars = series.points.iter().map(|p| Bar {
        label: format!("{}:{}", share(p), share(p).rest()),
        parts: [Op::Read, Op::Write]
            .map(|op| BarPart {
                name: op.name().to_owned(),
                class: class_of(op).to_owned(),
                value: value(p, op),
                within: p.figures.op(op).and_then(|f| rate_within(f, large)),
            })
            .to_vec(),
        within: rate_within(&p.figures.data, large),
    });
    let words = series.points.iter().map(|p| {
        let (read, write) = (p.iops_of(Op::Read), p.iops_of(Op::Write));
        format!(
            "{} % reads: {} read and {} write IOPS",
            share(p),
            about(read),
            about(write)
        )
    });
    let chart = Bars {
        id: format!("mix-bars-{number}"),
        title: "Throughput by mix".to_owned(),
        description: words.collect::<Vec<_>>().join("; "),
        label: if large { "MiB/s" } else { "IOPS" }.to_owned(),
        below: "reads : writes".to_owned(),
        unit: if large { Unit::MibPerS } else { Unit::Count },
        bars: bars.collect(),
        height: HEIGHT,
    };
    let (within, narrow) = match DrawnIntervals::of(&chart) {
        DrawnIntervals::Seen => (", with its 95 % interval", String::new()),
        other => ("", other.words()),
    };
    let caption = format!("The height is the total{within}; the lower part is reads. {narrow}");
    let caption = caption.trim_end().to_owned();
    Figure::of(Picture::Bars(chart), caption)
}

fn mix_latency(series: &MixSeries, number: usize) -> Figure {
    let mut lines = Vec::new();
    for (op, fill) in [
        (Op::Read, MarkerFill::Full),
        (Op::Write, MarkerFill::Hollow),
    ] {
        for (variant, percent, word) in [(0, 50.0, "p50"), (1, 99.0, "p99")] {
            let points = series
                .points
                .iter()
                .filter_map(|p| Some((share(p).rest().of_100(), tail(p.op(op)?, percent))));
            let label = format!("{op} {word}");
            let one = line(&label, class_of(op), variant, Shape::Marked, Vec::new());
            lines.push(with_points(Series { fill, ..one }, points));
        }
    }
    lines.retain(|l| !l.points.is_empty());
    let words = series.points.iter().map(|p| {
        let of = |op| {
            let latency = p.op(op).map(OpFigures::response);
            latency.map_or("none".to_owned(), |latency| {
                let [middle, tail] = [50.0, 99.0].map(|percent| words_of(latency, percent));
                format!("p50 {middle}, p99 {tail}")
            })
        };
        let (read, write) = (of(Op::Read), of(Op::Write));
        format!("{} % reads: read {read}, write {write}", share(p))
    });
    let chart = Chart {
        id: format!("mix-latency-{number}"),
        title: "Latency by mix".to_owned(),
        description: words.collect::<Vec<_>>().join("; "),
        x: Axis::new(
            "share of writes, % of the I/Os",
            ScaleKind::Linear,
            Unit::Percent,
        ),
        y: Axis::new("latency", ScaleKind::Log10, Unit::Nanos),
        series: lines,
        marks: Vec::new(),
        height: HEIGHT,
    };
    let caption = "Half of the I/Os are faster than p50; one in a hundred is slower than p99.";
    figure(&chart, caption.to_owned(), true)
}

/// Latency of lone I/Os and sequential throughput, side by side.
fn alone(points: &[PointResult]) -> Option<Section> {
    let lone = |p: &&PointResult| {
        p.setting.in_flight == 1 && p.setting.random && !p.setting.paced && one(p).is_some()
    };
    let lone: Vec<&PointResult> = points.iter().filter(lone).take(4).collect();
    let sequential = sequential(points);
    let mut figures = Vec::new();
    if !lone.is_empty() {
        let chart = percentiles(
            "alone",
            "Latency at queue depth 1",
            lone_named(&lone),
            HEIGHT,
        );
        let caption = "The minimum latency of the slowest 10 %, 1 %, 0.1 % ... of the I/Os. The curve ends where fewer \
                       than 10 samples remain.";
        figures.push(figure(&chart, format!("{caption} {FAINT}"), true));
    }
    if !sequential.is_empty() {
        figures.push(throughput(&sequential));
    }
    let (title, lede) = match (lone.is_empty(), sequential.is_empty()) {
        (_, true) => ("Queue depth 1", "Latency without queueing."),
        (true, false) => ("Sequential throughput", ""),
        (false, false) => (
            "The extremes: queue depth 1, and sequential",
            "Latency without queueing, and throughput of sequential I/O.",
        ),
    };
    (!figures.is_empty()).then(|| Section {
        id: "alone".to_owned(),
        title: title.to_owned(),
        lede: lede.to_owned(),
        figures,
    })
}

/// Most bars of a chart.
const MOST_BARS: usize = 8;

/// The sequential points at full speed: of a survey its part with that name, else all of them.
fn sequential(points: &[PointResult]) -> Vec<&PointResult> {
    let of_part = |p: &&PointResult| p.name.starts_with("throughput") && one(p).is_some();
    let part: Vec<&PointResult> = points.iter().filter(of_part).take(MOST_BARS).collect();
    if !part.is_empty() {
        return part;
    }
    let is_plain = |p: &&PointResult| !p.setting.random && !p.setting.paced && one(p).is_some();
    points.iter().filter(is_plain).take(MOST_BARS).collect()
}

/// A name for each operation with its block size, as the page of two runs puts lines of one name together; of points that
/// are alike the first.
fn lone_named<'a>(lone: &[&'a PointResult]) -> Vec<(String, &'static str, &'a Latency)> {
    let mut named: Vec<(String, &str, &Latency)> = Vec::new();
    for point in lone {
        let Some((op, figures)) = one(point) else {
            continue;
        };
        let name = format!("{} {op}", point.setting.block_words());
        if named.iter().all(|other| other.0 != name) {
            named.push((name, class_of(op), figures.response()));
        }
    }
    named
}

fn throughput(points: &[&PointResult]) -> Figure {
    let bars = points.iter().filter_map(|p| {
        let (op, figures) = one(p)?;
        let within = rate_within(figures, true);
        let part = BarPart {
            name: op.name().to_owned(),
            class: class_of(op).to_owned(),
            value: figures.bytes_per_s / MIB,
            within,
        };
        let name = format!("{} {op}", p.setting.block_words());
        let same = points.iter().filter(|other| {
            one(other).map(|found| found.0) == Some(op)
                && other.setting.block_words() == p.setting.block_words()
        });
        Some(Bar {
            label: match same.count() {
                1 => name,
                _ => format!("{name}, {}", p.depth_words()),
            },
            parts: vec![part],
            within,
        })
    });
    let words: Vec<String> = points
        .iter()
        .map(|p| format!("{}: {}", p.words(), both_per_s(p.bytes_per_s())))
        .collect();
    let chart = Bars {
        id: "throughput".to_owned(),
        title: "Sequential throughput".to_owned(),
        description: words.join("; "),
        label: "MiB/s".to_owned(),
        below: String::new(),
        unit: Unit::MibPerS,
        bars: bars.collect(),
        height: HEIGHT,
    };
    let within = DrawnIntervals::of(&chart).words();
    let caption = format!("{within} {}.", words.join("; "));
    let caption = caption.trim_start().to_owned();
    Figure::of(Picture::Bars(chart), caption)
}

/// The only operation of a point and its figures.
fn one(point: &PointResult) -> Option<(Op, &OpFigures)> {
    let mut done = Op::data().filter_map(|op| Some((op, point.op(op)?)));
    let first = done.next()?;
    done.next().is_none().then_some(first)
}

/// Latency by percentile on a scale of nines.
pub(crate) fn percentiles(
    id: &str,
    title: &str,
    named: Vec<(String, &str, &Latency)>,
    height: f64,
) -> Chart {
    let mut words = Vec::new();
    let mut series = Vec::new();
    for (number, (label, class, latency)) in (0_u8..).zip(named) {
        let figures = [50.0, 99.0, 99.9].map(|p| {
            let text = percentile(latency, p).map_or("-".to_owned(), |p| p.text());
            format!("p{p} {text}")
        });
        words.push(format!("{label}: {}", figures.join(", ")));
        let points = nines(latency);
        let bracket = |x: &f64| match latency.is_at_least(100.0 - 100.0 / x) {
            true => Bracket::AtLeast,
            false => Bracket::Unknown,
        };
        let brackets = points.iter().map(|p| bracket(&p.0)).collect();
        let thin = points
            .iter()
            .position(|p| latency.count() as f64 / p.0 < 100.0);
        let mut one = line(&label, class, number % 3, Shape::Line, points);
        one.thin_from = thin;
        one.brackets = brackets;
        series.push(one);
    }
    Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        description: words.join("; "),
        x: Axis::new("percentile", ScaleKind::Nines, Unit::Nines),
        y: Axis::new("latency", ScaleKind::Log10, Unit::Nanos),
        series,
        marks: Vec::new(),
        height,
    }
}

/// A series without tags.
pub(crate) fn line(
    label: &str,
    class: &str,
    variant: u8,
    shape: Shape,
    points: Vec<(f64, f64)>,
) -> Series {
    Series {
        label: label.to_owned(),
        class: class.to_owned(),
        variant,
        fill: MarkerFill::Full,
        shape,
        points,
        tags: Vec::new(),
        thin_from: None,
        brackets: Vec::new(),
    }
}

/// A chart as a figure; `rising` where each line has one value at an x.
pub(crate) fn figure(chart: &Chart, caption: String, rising: bool) -> Figure {
    let picture = Picture::Lines(Box::new(chart.clone()), rising);
    Figure::of(picture, caption)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::device::{Device, survey_run};
    use crate::study::series::depth_curves;
    use crate::study::{Scope, SurveyOptions, SurveyTarget};
    use leadline_model::finding::Severity;

    /// The verdict says the highest rate by the run that confirms it, and so do the charts.
    #[test]
    fn the_charts_of_a_curve_show_the_run_that_confirms_its_highest_rate() {
        let place = SurveyTarget::Directory("demo".to_owned());
        let run = survey_run(&Device::default(), SurveyOptions::new(place, Scope::Quick));
        let mut points = PointResult::all(&run);
        let confirms = |p: &&mut PointResult| p.name.starts_with("confirm");
        let last = points.iter_mut().rfind(confirms).unwrap();
        last.figures.data.iops *= 0.97;
        let rate = about(last.iops());
        let curve = depth_curves(&points).remove(0);
        let first = curve
            .points
            .iter()
            .find(|p| p.setting.depth == last_depth(&curve));
        let first = about(first.unwrap().iops());
        assert_ne!(rate, first);
        let all = sections(&points, &[]);
        let section = all.iter().find(|s| s.id == "depth-0").unwrap();
        assert!(
            section.lede.contains("the second measurement"),
            "{}",
            section.lede
        );
        for figure in &section.figures {
            let at = format!("depth {}: {rate} IOPS", last_depth(&curve));
            assert!(figure.svg.contains(&at), "{at}: {}", figure.svg);
        }
    }

    /// The page draws N* and where each curve stops rising from its highest rate, so the section of each says whether that was
    /// confirmed.
    #[test]
    fn the_section_of_each_curve_says_that_its_highest_rate_was_measured_once() {
        let place = SurveyTarget::Directory("demo".to_owned());
        let mut options = SurveyOptions::new(place, Scope::Full);
        options.seed = Some(42);
        let run = survey_run(&Device::default(), options);
        let mut points = PointResult::all(&run);
        let once = |points: &[PointResult]| {
            let all = sections(points, &[]);
            ["depth-0", "depth-1"].map(|id| {
                let section = all.iter().find(|s| s.id == id).unwrap();
                section.lede.contains("not measured once more")
            })
        };
        assert_eq!(once(&points), [false, false]);
        points.pop();
        assert_eq!(once(&points), [false, true]);
        points.retain(|p| !p.name.starts_with("confirm"));
        assert_eq!(once(&points), [true, true]);
    }

    /// The depth at which the highest rate of a curve was confirmed.
    fn last_depth(curve: &DepthCurve) -> u32 {
        curve.confirmed.as_ref().unwrap().setting.depth
    }

    /// The verdict withholds where throughput stops rising then, so the charts say nothing of it either.
    #[test]
    fn a_curve_with_a_point_that_a_check_failed_on_is_drawn_without_conclusions() {
        let place = SurveyTarget::Directory("demo".to_owned());
        let run = survey_run(&Device::default(), SurveyOptions::new(place, Scope::Quick));
        let points = PointResult::all(&run);
        let of = |findings: &[Finding]| {
            let all = sections(&points, findings);
            let section = all.into_iter().find(|s| s.id == "depth-0").unwrap();
            let drawn = section.figures.iter().map(|f| f.svg.as_str());
            (section.lede, drawn.collect::<String>())
        };
        let (lede, drawn) = of(&[]);
        assert!(lede.contains("stops rising"), "{lede}");
        let knee = depth_curves(&points).remove(0);
        let rate = knee.words(knee.said(knee.at_knee())).0;
        assert!(lede.contains(&format!(" with {rate}; ")), "{lede}");
        assert!(drawn.contains("stops rising") && drawn.contains("N*"));
        let curve = depth_curves(&points).remove(0);
        let failed = Finding {
            code: "host-busy".to_owned(),
            severity: Severity::Fail,
            stage: Some(curve.points[1].stage),
            workload: None,
            text: String::new(),
            cure: leadline_model::cure::Cure::default(),
        };
        let (lede, drawn) = of(&[failed]);
        let said = format!(
            "A check failed on 1 of these {} points, so where throughput stops rising is not shown.",
            curve.points.len()
        );
        assert_eq!(lede, said);
        assert!(!drawn.contains("stops rising") && !drawn.contains("N*"));
    }
}
