//! The chart of response curves: several runs on one chart, IOPS against latency.

use super::curves::{DrawnLatency, figure, line, mean, tail, with_points};
use super::elements::{MISSED, RISES};
use super::view::{Figure, Section};
use crate::render::svg::{Axis, Chart, Mark, ScaleKind, Series, Shape, Unit};
use crate::study::response::{ResponseCurve, ResponsePoint};
use crate::words::{about, span};
use leadline_model::op::Op;

/// Most curves on one chart.
const MOST: usize = 9;
/// Height of the charts.
const HEIGHT: f64 = 300.0;

/// One section for all curves of a run; `None` without any.
pub(crate) fn section(curves: &[ResponseCurve]) -> Option<Section> {
    let drawn: Vec<&ResponseCurve> = curves.iter().take(MOST).collect();
    if drawn.is_empty() {
        return None;
    }
    let mut lede = ResponseCurve::sentences(&curves[..drawn.len()]);
    if curves.len() > drawn.len() {
        lede.push(format!(
            "{} more are in the table.",
            curves.len() - drawn.len()
        ));
    }
    Some(Section {
        id: "response".to_owned(),
        title: "Response curves".to_owned(),
        lede: lede.join(" "),
        figures: vec![
            chart(&drawn, "response-tail", "Latency p99 against IOPS", &|p| {
                tail(&p.figures.data, 99.0)
            }),
            chart(&drawn, "response-mean", "Mean latency against IOPS", &|p| {
                mean(&p.figures.data)
            }),
        ],
    })
}

/// The colour of a curve: by what it does.
fn class(curve: &ResponseCurve) -> &'static str {
    let share = curve.points.last().and_then(|p| p.figures.read_share());
    match share {
        Some(s) if s > 0.999 => Op::Read.name(),
        Some(s) if s < 0.001 => Op::Write.name(),
        _ => "all",
    }
}

fn chart(
    curves: &[&ResponseCurve],
    id: &str,
    title: &str,
    value: &dyn Fn(&ResponsePoint) -> DrawnLatency,
) -> Figure {
    let mut series: Vec<Series> = Vec::new();
    let mut marks = Vec::new();
    for curve in curves {
        let class = class(curve);
        let before = series.iter().filter(|s| s.class == class).count();
        let variant = u8::try_from(before % 3).unwrap_or(0);
        let points = curve.points.iter().map(|p| (p.iops(), value(p)));
        let one = line(&curve.label(), class, variant, Shape::Marked, Vec::new());
        let mut one = with_points(one, points);
        one.tags = curve.points.iter().map(tag).collect();
        if let Some(knee) = curve.knee()
            && let Some(point) = curve.points.get(knee)
            && value(point).0.is_finite()
        {
            let words = if curves.len() == 1 { RISE } else { "" };
            marks.push(Mark::Ring(point.iops(), value(point).0, words.to_owned()));
        }
        series.push(one);
    }
    let description = curves.iter().map(|c| words(c));
    let chart = Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        description: description.collect::<Vec<_>>().join(". "),
        x: Axis::new("IOPS", ScaleKind::Linear, Unit::Count),
        y: Axis::new("latency", ScaleKind::Log10, Unit::Nanos),
        series,
        marks,
        height: HEIGHT,
    };
    let ringed: Vec<(String, RiseMark)> = curves
        .iter()
        .map(|c| (c.label(), RiseMark::of(c)))
        .collect();
    let missed = curves
        .iter()
        .any(|c| c.points.iter().any(ResponsePoint::saturated));
    figure(
        &chart,
        caption(&ringed, curves.iter().any(|c| at_rates(c)), missed),
        false,
    )
}

/// What a ring marks.
const RISE: &str = "sharp rise";

/// Whether points of a curve were asked for a rate.
pub(super) fn at_rates(curve: &ResponseCurve) -> bool {
    curve.points.iter().any(|point| point.asked.is_some())
}

/// How the mean latency of a curve rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RiseMark {
    /// Sharply from a point that has a ring.
    Ringed,
    /// No point has a ring, but at the highest rate only latency rises.
    Vertical,
    /// Nowhere sharply.
    Flat,
    /// Not known: a check failed on points of it.
    Withheld,
    /// Not known: its study has no answer.
    Unanswered,
}

impl RiseMark {
    /// Of a curve.
    pub(super) fn of(curve: &ResponseCurve) -> Self {
        match curve.knee() {
            _ if curve.withheld.is_some() => Self::Unanswered,
            _ if curve.failed > 0 => Self::Withheld,
            Some(_) => Self::Ringed,
            None if curve.is_vertical() => Self::Vertical,
            None => Self::Flat,
        }
    }
}

/// The text below curves of these names: from when latency counts, what the rings are, which curves have none and why,
/// and what `!` is.
pub(super) fn caption(curves: &[(String, RiseMark)], at_rates: bool, missed: bool) -> String {
    let of = |rise: RiseMark| {
        let own = curves.iter().filter(|(_, own)| *own == rise);
        own.map(|(name, _)| name.as_str()).collect::<Vec<_>>()
    };
    let [ringed, vertical, flat, withheld, unanswered] = [
        RiseMark::Ringed,
        RiseMark::Vertical,
        RiseMark::Flat,
        RiseMark::Withheld,
        RiseMark::Unanswered,
    ]
    .map(of);
    // Of one curve, or of all, no name is needed.
    let on = |some: &[&str]| match (some.len() == curves.len(), curves.len()) {
        (true, 1) => String::new(),
        (true, _) => " on every curve".to_owned(),
        (false, _) => format!(" on {}", some.join(", ")),
    };
    let mut rings = String::new();
    if !ringed.is_empty() {
        rings += &format!(" {RISES}");
    }
    if !vertical.is_empty() {
        rings += &format!(
            " At the highest rate only latency rises{}: the curve is vertical there, without a ring.",
            on(&vertical)
        );
    }
    if !flat.is_empty() {
        rings += &match flat.len() == curves.len() {
            true => " No sharp rise of the mean latency is seen on any curve.".to_owned(),
            false => format!(" No sharp rise is seen{}.", on(&flat)),
        };
    }
    let of_points = "a check failed on some of its points";
    for (some, why) in [
        (withheld, of_points),
        (unanswered, "its study has no answer"),
    ] {
        if !some.is_empty() {
            rings += &format!(" Where latency rises is not shown{}: {why}.", on(&some));
        }
    }
    let missed = match missed {
        true => format!(" {MISSED}"),
        false => String::new(),
    };
    let from = if at_rates {
        "Latency counts from the time at which an I/O was due, so waiting before submission is in it."
    } else {
        "No rate was asked for: latency counts from just before an I/O is submitted."
    };
    format!("{from}{rings}{missed}")
}

/// A rate that was not reached stands out.
fn tag(point: &ResponsePoint) -> String {
    if point.saturated() { "!" } else { "" }.to_owned()
}

fn words(curve: &ResponseCurve) -> String {
    let each = curve
        .points
        .iter()
        .map(|p| format!("{} IOPS at {}", about(p.iops()), span(p.mean())));
    format!("{}: {}", curve.label(), each.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::response::tests::{curve_run, curves_of};

    #[test]
    fn several_curves_share_one_chart() {
        let run = curve_run();
        let section = section(&curves_of(&run)).unwrap();
        assert_eq!(section.figures.len(), 2);
        let svg = &section.figures[1].svg;
        assert!(svg.contains(">c<") && svg.contains(">l<"), "{svg}");
        assert!(svg.contains("300 IOPS at 10"), "{svg}");
        assert_eq!(section.lede.matches("N* = ").count(), 1, "{}", section.lede);
        assert_eq!(
            section.lede.matches("; N* (useful concurrency) = ").count(),
            1
        );
        let page = crate::render::html::page(&run, crate::fixture::no_recipe);
        assert!(page.contains("Mean latency against IOPS"));
        assert!(super::section(&[]).is_none());
    }

    #[test]
    fn the_caption_names_the_curves_that_have_no_ring() {
        use RiseMark::{Flat, Ringed, Unanswered, Vertical, Withheld};
        let of = |rise: [RiseMark; 2]| {
            let both = ["A".to_owned(), "B".to_owned()].into_iter().zip(rise);
            caption(&both.collect::<Vec<_>>(), true, false)
        };
        assert!(of([Ringed, Flat]).ends_with("rise sharply. No sharp rise is seen on B."));
        assert!(of([Ringed, Ringed]).ends_with("starts to rise sharply."));
        assert!(of([Flat, Flat]).ends_with("is seen on any curve."));
        let vertical = of([Vertical, Vertical]);
        assert!(!vertical.contains("No sharp rise"), "{vertical}");
        assert!(
            vertical.contains("only latency rises on every curve"),
            "{vertical}"
        );
        let withheld = of([Ringed, Withheld]);
        assert!(
            withheld.ends_with(
                "Where latency rises is not shown on B: a check failed on some of its points."
            ),
            "{withheld}"
        );
        let unanswered = of([Ringed, Unanswered]);
        assert!(
            unanswered.ends_with("is not shown on B: its study has no answer."),
            "{unanswered}"
        );
        let one = of([Vertical, Flat]);
        assert!(
            one.contains("rises on A") && one.contains("is seen on B"),
            "{one}"
        );
    }

    #[test]
    fn what_the_verdict_says_is_not_said_again_at_the_charts() {
        let run = curve_run();
        let page = crate::render::html::page(&run, crate::fixture::no_recipe);
        let section = page.split("id=\"response\"").nth(1).unwrap();
        let head = section.split("class=\"figures\"").next().unwrap();
        let verdict = page.split("id=\"verdict-h\"").nth(1).unwrap();
        let verdict = verdict.split("</section>").next().unwrap();
        let all = curves_of(&run);
        let sentence = all[0].sentence();
        let words = sentence.split(';').next().unwrap();
        let times = |text: &str| text.replace('\u{a0}', " ").matches(words).count();
        assert_eq!(times(verdict) + times(head), 1, "{words}: {head}");
    }
}
