//! Sentences on what stands in a chart beside its lines: rings, numbers, marks.
//!
//! Belongs here: the sentences, and whether a chart has what each is about. Must never: draw, or keep a sentence on what is
//! not drawn.

use crate::render::svg::{Chart, Mark, Series};

/// Numbers at points.
pub(super) const NUMBERS: &str = "Numbers are the I/Os in flight.";
/// A ring of a curve over depth.
pub(super) const STOPS: &str = "A ring marks where throughput stops rising.";
/// A ring of a curve over rates.
pub(super) const RISES: &str = "A ring marks where the mean latency starts to rise sharply.";
/// A point at a rate that was asked for.
pub(super) const MISSED: &str = "! marks a rate that was not reached.";
/// A line across at a number of I/Os in flight.
pub(super) const USEFUL: &str = "The line at N* marks the highest rate times the mean latency of one I/O alone (Little's law): \
with fewer I/Os in flight that rate cannot be reached; with many more, most of them wait.";
/// A line of percentiles with few samples at its end.
pub(super) const FAINT: &str = "The line is faint where fewer than 100 samples remain.";

/// A sentence, and whether a chart has what it is about.
type Element = (&'static str, fn(&Chart) -> bool);

const ALL: [Element; 6] = [
    (NUMBERS, |chart| has_tag(chart, |tag| tag != "!")),
    (STOPS, has_ring),
    (RISES, has_ring),
    (MISSED, |chart| has_tag(chart, |tag| tag == "!")),
    (USEFUL, |chart| {
        let is_line = |mark: &Mark| matches!(mark, Mark::At(_, words) if words.contains("N*"));
        chart.marks.iter().any(is_line)
    }),
    (FAINT, |chart| {
        let is_thin = |series: &Series| {
            let from = series.thin_from.unwrap_or(usize::MAX);
            from < series.points.len()
        };
        chart.series.iter().any(is_thin)
    }),
];

fn has_tag(chart: &Chart, is: impl Fn(&str) -> bool) -> bool {
    let mut tags = chart.series.iter().flat_map(|series| &series.tags);
    tags.any(|tag| !tag.is_empty() && is(tag))
}

fn has_ring(chart: &Chart) -> bool {
    let mut marks = chart.marks.iter();
    marks.any(|mark| matches!(mark, Mark::Ring(..)))
}

/// A caption without the sentences on what a chart does not have.
pub(super) fn only_drawn(chart: &Chart, caption: String) -> String {
    let gone = ALL.iter().filter(|(_, is_drawn)| !is_drawn(chart));
    let mut caption = gone.fold(caption, |caption, (words, _)| caption.replace(words, ""));
    while caption.contains("  ") {
        caption = caption.replace("  ", " ");
    }
    caption.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html::curves::line;
    use crate::render::svg::{Axis, ScaleKind, Shape, Unit};

    fn chart(tags: &[&str], marks: Vec<Mark>) -> Chart {
        let mut one = line("a", "read", 0, Shape::Marked, vec![(1.0, 1.0), (2.0, 2.0)]);
        one.tags = tags.iter().map(ToString::to_string).collect();
        Chart {
            id: "c".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            x: Axis::new("IOPS", ScaleKind::Linear, Unit::Count),
            y: Axis::new("latency", ScaleKind::Log10, Unit::Nanos),
            series: vec![one],
            marks,
            height: 200.0,
        }
    }

    #[test]
    fn what_is_not_drawn_is_not_said() {
        let said = |chart: &Chart| {
            let all = ALL.map(|element| element.0).join(" ");
            only_drawn(chart, format!("{all} Own."))
        };
        assert_eq!(said(&chart(&["", ""], Vec::new())), "Own.");
        let numbers = chart(&["1", "2"], Vec::new());
        assert_eq!(said(&numbers), format!("{NUMBERS} Own."));
        assert_eq!(
            said(&chart(&["", "!"], Vec::new())),
            format!("{MISSED} Own.")
        );
        let ring = vec![Mark::Ring(1.0, 1.0, String::new())];
        assert_eq!(said(&chart(&[], ring)), format!("{STOPS} {RISES} Own."));
        let useful = vec![Mark::At(2.0, "a: N* = 2".to_owned())];
        assert_eq!(said(&chart(&[], useful)), format!("{USEFUL} Own."));
        let mut thin = chart(&[], Vec::new());
        thin.series[0].thin_from = Some(1);
        assert_eq!(said(&thin), format!("{FAINT} Own."));
    }
}
